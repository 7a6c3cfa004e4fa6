//! Two ends that do TACK, and whatever random bytes do to the segments between them.

mod drive;

use ackless_tcp::Stats;
use ackless_wire::random::{Purpose, Stream};

/// What all ends have counted together.
#[derive(Clone, Copy, Default, Debug)]
struct Sum {
    delivered: u64,
    tacks: u64,
    iacks: u64,
    malformed: u64,
    fallbacks: u64,
    retransmissions: u64,
}

impl Sum {
    fn add(&mut self, stats: &Stats) {
        self.delivered += stats.bytes_delivered.get();
        self.tacks += stats.tacks_received;
        self.iacks += stats.iacks_received;
        self.malformed += stats.malformed_tacks;
        self.fallbacks += stats.fallbacks;
        self.retransmissions += stats.retransmitted_segments;
    }
}

#[test]
fn whatever_comes_between_two_ends_what_is_read_is_what_was_written() {
    let mut sum = Sum::default();
    for seed in 0..6_000 {
        let mut random = Stream::new(seed, 3, Purpose::Test);
        let len = random.below(500);
        // Deliveries prevail in half of the runs, so that the ends come to speak of losses and rates.
        let calm = seed % 2 == 0;
        let bytes: Vec<u8> = (0..len)
            .map(|_| if calm && random.chance(0.5) { random.below(4) as u8 } else { random.bits() as u8 })
            .collect();
        let ends = std::panic::catch_unwind(|| drive::drive(&bytes)).unwrap_or_else(|cause| {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(cause)
        });
        ends.iter().for_each(|stats| sum.add(stats));
    }
    // What was meant to happen did.
    let Sum { delivered, tacks, iacks, malformed, fallbacks, retransmissions } = sum;
    assert!(delivered > 20_000_000 && tacks > 15_000 && iacks > 3_000, "{sum:?}");
    assert!(malformed > 1_000 && fallbacks > 300 && retransmissions > 5_000, "{sum:?}");
}

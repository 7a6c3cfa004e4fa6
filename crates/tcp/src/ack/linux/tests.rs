//! The kernel's rules, worked by hand.

use super::*;
use crate::measure::Measured;

/// A connection whose window holds `window` and whose peer sends segments of 1000 bytes.
struct Bench {
    policy: Linux,
    host: HostFacts,
    now: Instant,
}

impl Bench {
    fn new(compresses: bool, window: u64) -> Self {
        let host = HostFacts {
            segment: Bytes(1000),
            pushed: false,
            window: Bytes(window),
            window_kept: true,
            window_grew: false,
            rto: Duration::from_millis(220),
            srtt: Some(Duration::from_millis(20)),
            sack: true,
        };
        Self { policy: Linux::new(compresses), host, now: Instant::from_millis(1_000) }
    }

    /// A segment of `bytes`, merged of such as `host` says, after `micros`; what is acknowledged is sent at once.
    fn comes(&mut self, micros: u64, bytes: u64, place: Place) -> AckDecision {
        self.now += Duration::from_micros(micros);
        let measured = Measured::default();
        let facts = SegmentFacts {
            new_bytes: if place == Place::AboveHole { Bytes::ZERO } else { Bytes(bytes) },
            full_size: self.host.segment,
            place,
            measured: &measured,
            host: Some(self.host),
        };
        let decision = self.policy.on_segment(self.now, &facts);
        if decision != AckDecision::Hold {
            self.policy.on_ack_sent(self.now);
        }
        decision
    }

    /// Uses up the quick ACKs, and says how many there were.
    fn start(&mut self) -> usize {
        (0..100).take_while(|_| self.comes(100, 1000, Place::InOrder) == QUICK).count()
    }
}

const QUICK: AckDecision = AckDecision::Now(AckReason::Quick);

#[test]
fn a_connection_begins_with_sixteen_quick_acks_or_as_many_as_half_its_window_has_segments() {
    for (window, quick) in [(1_000_000, 16), (20_000, 10), (4_000, 2), (1_000, 2)] {
        assert_eq!(Bench::new(true, window).start(), quick, "window of {window} bytes");
    }
}

#[test]
fn then_every_second_segment_is_acknowledged() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    let acks = (0..99).filter(|_| bench.comes(100, 1000, Place::InOrder) == AckDecision::Now(AckReason::Count)).count();
    assert_eq!(acks, 50, "the first of these is the second since the last ACK");
}

#[test]
fn a_merged_batch_draws_one_ack_whatever_its_size() {
    for segments in [2, 10, 43] {
        let mut bench = Bench::new(true, 1_000_000);
        bench.start();
        bench.comes(100, 1000, Place::InOrder);
        for _ in 0..20 {
            let decision = bench.comes(100, 1000 * segments, Place::InOrder);
            assert_eq!(decision, AckDecision::Now(AckReason::Count), "{segments} segments");
        }
    }
}

#[test]
fn a_window_that_shrinks_holds_the_ack_until_the_application_reads() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    bench.comes(100, 1000, Place::InOrder);
    bench.host.window_kept = false;
    for _ in 0..10 {
        assert_eq!(bench.comes(100, 1000, Place::InOrder), AckDecision::Hold);
    }
    assert_eq!(bench.policy.on_read(false), AckDecision::Now(AckReason::Read));
}

#[test]
fn the_end_of_a_pushed_write_is_acknowledged_when_it_has_been_read() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    bench.comes(100, 1000, Place::InOrder);
    bench.host.pushed = true;
    bench.host.segment = Bytes(300);
    assert_eq!(bench.comes(100, 300, Place::InOrder), AckDecision::Hold);
    assert_eq!(bench.policy.on_read(false), AckDecision::Hold, "something remains to be read");
    assert_eq!(bench.policy.on_read(true), AckDecision::Now(AckReason::Read));
}

#[test]
fn the_delay_is_forty_milliseconds_for_a_stream_and_follows_slower_ones_up_to_the_round_trip() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    assert_eq!(
        bench.policy.deadline().map(|at| at - bench.now),
        Some(Duration::from_millis(40)),
        "quick mode left a held one"
    );
    bench.comes(100, 1000, Place::InOrder);
    // Gaps of 35 ms: ato converges to twice that, and a trip of 50 ms bounds it.
    bench.host.srtt = Some(Duration::from_millis(50));
    let mut last = Duration::ZERO;
    for _ in 0..9 {
        if bench.comes(35_000, 1000, Place::InOrder) == AckDecision::Hold {
            last = bench.policy.deadline().expect("held") - bench.now;
        }
    }
    assert_eq!(last, Duration::from_millis(50));
}

#[test]
fn a_timer_that_fires_doubles_the_delay_up_to_the_timeout() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    bench.host.srtt = None;
    for expected in [80, 160, 220, 220] {
        bench.now = bench.policy.deadline().expect("held");
        assert_eq!(bench.policy.on_deadline(bench.now), AckDecision::Now(AckReason::Timer));
        bench.policy.on_ack_sent(bench.now);
        assert_eq!(bench.policy.delay, Some(Duration::from_millis(expected)));
        bench.policy.last_data = bench.now;
        // A gap just as long as the delay leaves it alone; what is told is never more than 200 ms.
        bench.comes(expected * 1000, 1000, Place::InOrder);
        let held = bench.policy.deadline().expect("held") - bench.now;
        assert_eq!(held, Duration::from_millis(expected.min(200)));
    }
}

#[test]
fn a_pause_longer_than_the_timeout_brings_quick_acks_back() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    bench.comes(100, 1000, Place::InOrder);
    assert_eq!(bench.comes(221_000, 1000, Place::InOrder), QUICK);
    assert_eq!(bench.start(), 15);
}

#[test]
fn above_a_hole_three_acks_go_at_once_and_the_rest_in_forty_fours_or_after_a_twentieth_of_the_trip() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    let above: Vec<_> = (0..93).map(|_| bench.comes(10, 1000, Place::AboveHole) != AckDecision::Hold).collect();
    let expected: Vec<_> = (1..=93).map(|i| i <= 3 || i == 48 || i == 93).collect();
    assert_eq!(above, expected, "44 are held, and the next one sends them");
    bench.comes(10, 1000, Place::AboveHole);
    assert_eq!(bench.policy.deadline().map(|at| at - bench.now), Some(Duration::from_micros(1_000 + 100)));
    bench.comes(10, 1000, Place::FillsHole);
    bench.host.srtt = Some(Duration::from_millis(4));
    (0..3).for_each(|_| assert_ne!(bench.comes(10, 1000, Place::AboveHole), AckDecision::Hold));
    assert_eq!(bench.comes(10, 1000, Place::AboveHole), AckDecision::Hold);
    assert_eq!(bench.policy.deadline().map(|at| at - bench.now), Some(Duration::from_micros(200 + 100)));
}

#[test]
fn without_compression_every_segment_above_a_hole_is_acknowledged() {
    let mut bench = Bench::new(false, 1_000_000);
    bench.start();
    assert!((0..60).all(|_| bench.comes(10, 1000, Place::AboveHole) != AckDecision::Hold));
}

#[test]
fn whoever_answers_with_data_holds_its_acks_for_it() {
    let mut bench = Bench::new(true, 1_000_000);
    assert_eq!(bench.comes(100, 200, Place::InOrder), QUICK);
    bench.policy.on_data_sent(bench.now + Duration::from_millis(1));
    assert_eq!(
        bench.comes(5_000, 200, Place::InOrder),
        AckDecision::Hold,
        "quick ACKs are left, but it answers with data"
    );
    bench.now = bench.policy.deadline().expect("held");
    assert_eq!(bench.policy.on_deadline(bench.now), AckDecision::Now(AckReason::Timer));
    bench.policy.on_ack_sent(bench.now);
    assert_eq!(bench.comes(5_000, 200, Place::InOrder), QUICK, "the missed timer ends it");
}

#[test]
fn a_duplicate_ends_the_answering_with_data_and_its_answer_is_one_of_the_quick_ones() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    bench.comes(100, 200, Place::InOrder);
    bench.policy.on_data_sent(bench.now + Duration::from_millis(1));
    assert_eq!(bench.comes(100, 200, Place::Duplicate), AckDecision::Now(AckReason::Duplicate));
    assert_eq!(bench.start(), 15, "sixteen, less the one of the duplicate");
}

#[test]
fn only_two_small_segments_in_a_row_make_the_estimate_smaller() {
    let mut bench = Bench::new(true, 1_000_000);
    bench.start();
    let mut of = |segment: u64| {
        bench.host.segment = Bytes(segment);
        bench.comes(100, segment, Place::InOrder);
        bench.policy.segment_size
    };
    assert_eq!([of(600), of(1000), of(600), of(1000)], [Bytes(1000); 4], "ends of writes");
    assert_eq!([of(600), of(600)], [Bytes(1000), Bytes(600)]);
}

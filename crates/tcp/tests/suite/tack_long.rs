//! TACK connections that last: sequence numbers go round, and so does a clock of microseconds, busy or idle.

use ackless_tcp::{AckChoice, Config, CongestionChoice, State, TackConfig, Variant};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::pair::{A, B, Pair, Path};

fn config(congestion: CongestionChoice) -> Config {
    Config {
        congestion,
        mss: Bytes(8960),
        tack: Some(TackConfig::default()),
        ack: AckChoice::Tack { beta: 4, every: 2 },
        ..Config::default()
    }
}

fn pair(congestion: CongestionChoice, rate: BitRate, loss: f64) -> Pair {
    let path = Path { rate: Some(rate), queue: 400, loss, ..Path::of_delay(10) };
    Pair::new([config(congestion), config(congestion)], path, 7)
}

#[test]
fn sequence_numbers_go_round_under_loss() {
    let bbr = CongestionChoice::ReceiverBbr(Variant::Standard);
    for (congestion, loss) in [(bbr, 0.001), (CongestionChoice::Cubic, 0.000_01)] {
        let mut pair = pair(congestion, BitRate::from_mbps(1_000), loss);
        let total = Bytes(5 << 30);
        pair.ends[A].send(total);
        pair.ends[A].close();
        pair.run_for(Duration::from_secs(120));
        let (sent, received) = (pair.ends[A].stats(), pair.ends[B].stats());
        assert_eq!((sent.bytes_acked, received.bytes_delivered), (total, total), "{congestion:?}");
        assert_eq!((sent.timeouts, sent.fallbacks), (0, 0), "{congestion:?}");
    }
}

/// A clock of microseconds has gone half round after 35.8 minutes, and round after 71.6.
#[test]
fn neither_end_is_old_after_any_silence() {
    for minutes in [34, 35, 36, 37, 50, 70, 71, 72, 73, 107, 108, 144] {
        for first in [A, B] {
            let mut pair = pair(CongestionChoice::ReceiverBbr(Variant::Standard), BitRate::from_mbps(10), 0.0);
            pair.ends[A].send(Bytes(300_000));
            pair.run_for(Duration::from_secs(60 * minutes));
            for end in [first, 1 - first] {
                let before = pair.ends[1 - end].bytes_delivered();
                pair.ends[end].send(Bytes(100_000));
                pair.run_for(Duration::from_secs(5));
                let stats = pair.ends[1 - end].stats();
                assert_eq!(stats.bytes_delivered - before, Bytes(100_000), "{minutes} minutes, {first} first");
                assert_eq!(stats.dropped_by_timestamp, 0, "{minutes} minutes, {first} first");
            }
            let stats = [A, B].map(|end| pair.ends[end].stats());
            assert_eq!(stats.map(|stats| (stats.timeouts, stats.fallbacks)), [(0, 0); 2], "{minutes} minutes");
        }
    }
}

#[test]
fn one_way_traffic_for_hours_leaves_the_other_way_usable() {
    for minutes in [20, 35, 36, 40, 72, 110] {
        let mut pair = pair(CongestionChoice::Cubic, BitRate::from_kbps(512), 0.0);
        pair.paths[A].queue = 20;
        pair.ends[A].send_forever();
        pair.run_for(Duration::from_secs(60 * minutes));
        pair.ends[B].send(Bytes(50_000));
        pair.run_for(Duration::from_secs(60));
        let stats = pair.ends[A].stats();
        assert_eq!(stats.bytes_delivered, Bytes(50_000), "{minutes} minutes: {stats:?}");
        assert_eq!(pair.states(), [State::Established; 2]);
        assert_eq!(pair.ends[B].stats().dropped_by_timestamp + stats.dropped_by_timestamp, 0, "{minutes} minutes");
    }
}

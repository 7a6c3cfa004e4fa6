//! Bulk transfer: all arrives, acknowledgements are as many as they should be, losses are repaired without a timeout.

use ackless_tcp::{AckChoice, Config, CongestionChoice, State};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::pair::{A, B, FULL, Pair, Path};

fn acking(every: u32) -> Config {
    Config { ack: AckChoice::Delayed { every, timeout: Duration::from_millis(40) }, ..Config::default() }
}

#[test]
fn a_megabyte_arrives_and_both_ends_close() {
    let mut pair = Pair::new([Config::default(), Config::default()], Path::of_delay(5), 1);
    pair.ends[A].send(Bytes(1_000_000));
    pair.ends[A].close();
    pair.run_while(|pair| pair.ends[B].state() != State::CloseWait);
    pair.ends[B].close();
    pair.run_to_end();
    assert_eq!(pair.states(), [State::Closed; 2]);
    assert_eq!(pair.ends[B].bytes_delivered(), Bytes(1_000_000));
    assert_eq!(pair.ends[A].bytes_acked(), Bytes(1_000_000));
    let stats = pair.ends[A].stats();
    assert_eq!((stats.retransmitted_segments, stats.timeouts), (0, 0));
}

#[test]
fn every_l_full_segments_draw_exactly_one_ack() {
    for every in [1, 2, 4, 8] {
        let mut pair = Pair::connected(acking(every), 5);
        pair.ends[A].send(FULL * 800);
        pair.run_while(|pair| pair.ends[A].bytes_acked() < FULL * 800);
        assert_eq!(pair.data_sent(A), 800, "L = {every}");
        assert_eq!(pair.acks_sent(B), 800 / every as usize, "L = {every}");
    }
}

#[test]
fn a_single_loss_is_repaired_within_a_round_trip_whatever_the_controller() {
    for congestion in [CongestionChoice::Reno, CongestionChoice::NewReno, CongestionChoice::Cubic] {
        for sack in [true, false] {
            let config = Config { congestion, sack, ..Config::default() };
            let mut pair = Pair::connected(config, 10);
            pair.paths[A].drop = vec![30];
            pair.ends[A].send(FULL * 300);
            pair.run_while(|pair| pair.ends[A].bytes_acked() < FULL * 300);
            let stats = pair.ends[A].stats();
            let counts = (stats.retransmitted_segments, stats.fast_retransmits, stats.timeouts);
            assert_eq!(counts, (1, 1, 0), "{congestion:?}, SACK {sack}");
        }
    }
}

#[test]
fn a_bottleneck_is_filled_despite_its_losses() {
    for congestion in [CongestionChoice::Reno, CongestionChoice::Cubic] {
        let config = Config { congestion, ..Config::default() };
        let path = Path { rate: Some(BitRate::from_mbps(50)), queue: 100, ..Path::of_delay(10) };
        let mut pair = Pair::new([config.clone(), config], path, 1);
        pair.ends[A].send_forever();
        pair.run_for(Duration::from_secs(20));
        let goodput = pair.ends[B].bytes_delivered().per(Duration::from_secs(20));
        let stats = pair.ends[A].stats();
        assert!(goodput > BitRate::from_mbps(44), "{congestion:?}: {goodput}, {stats:?}");
        // The first retransmission after slow start may meet the queue that its own window has filled, and a lost
        // retransmission is found by the timer (RFC 6675 has no other way).
        assert!(stats.timeouts <= 1, "{congestion:?}: {stats:?}");
    }
}

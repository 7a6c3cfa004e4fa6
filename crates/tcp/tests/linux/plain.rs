//! Transfers with all that both ends call TCP.

use ackless_tcp::{Config, CongestionChoice, RecoveryChoice};
use ackless_wire::{Bytes, Duration};

use crate::LOSSY;
use crate::bulk::{from_kernel, to_kernel};
use crate::host::{Host, Path, RTO_MIN};

/// Bytes of the longer conversations, and of the others. `examples/with_kernel.rs` has any number.
const TOTAL: usize = 10_000_000;
const SHORT: usize = 2_000_000;

#[test]
fn the_kernel_receives_every_byte_that_we_send() {
    for (seed, congestion, recovery) in [
        (2, CongestionChoice::Cubic, RecoveryChoice::Standard),
        (1, CongestionChoice::NewReno, RecoveryChoice::Standard),
        (3, CongestionChoice::Cubic, RecoveryChoice::Rack),
        (4, CongestionChoice::Bbr, RecoveryChoice::Rack),
        (5, CongestionChoice::Bbr3, RecoveryChoice::Rack),
    ] {
        let Some(mut host) = Host::new(201, seed, LOSSY) else { return };
        let config = Config { congestion, recovery, rto_min: RTO_MIN, ..Config::default() };
        let end = to_kernel(&mut host, config, TOTAL);
        host.report("we send", TOTAL, &end);
        assert!(end.stats().retransmitted_segments > 0, "packets were lost");
    }
}

#[test]
fn we_receive_every_byte_that_the_kernel_sends() {
    for sack in [true, false] {
        let Some(mut host) = Host::new(202, sack.into(), LOSSY) else { return };
        let config = Config { sack, rto_min: RTO_MIN, receive_buffer: Bytes(300_000), ..Config::default() };
        let end = from_kernel(&mut host, config, TOTAL);
        host.report("we receive", TOTAL, &end);
        assert!(end.stats().out_of_order_segments > 0, "packets were lost");
    }
}

#[test]
fn loss_reordering_and_duplication_change_no_byte_either_way() {
    let mut twice = 0;
    for (seed, loss) in [(1, 0.0), (2, 0.01), (3, 0.05)] {
        for recovery in [RecoveryChoice::Standard, RecoveryChoice::Rack] {
            let Some(mut host) = Host::new(206, seed, Path::rough(loss)) else { return };
            let config = Config { recovery, rto_min: RTO_MIN, ..Config::default() };
            let end = to_kernel(&mut host, config.clone(), SHORT);
            host.report(&format!("we send at a loss of {loss}"), SHORT, &end);
            assert!(end.stats().duplicate_acks > 0, "packets were overtaken or lost");
            let end = from_kernel(&mut host, config, SHORT);
            host.report(&format!("we receive at a loss of {loss}"), SHORT, &end);
            let stats = end.stats();
            assert!(stats.out_of_order_segments > 0, "{stats:?}");
            twice += stats.duplicate_segments;
        }
    }
    // Which packets come in a conversation of real time decides which of them come twice; in all six some do.
    assert!(twice > 0, "nothing came twice");
}

#[test]
fn every_set_of_options_carries_every_byte_and_both_ends_agree_on_it() {
    for set in 0..8 {
        let [sack, stamps, scaling] = [0, 1, 2].map(|bit| set >> bit & 1 == 1);
        let Some(mut host) = Host::new(207, set, Path::rough(0.01)) else { return };
        let timestamps = stamps.then_some(Duration::from_millis(1));
        let config = Config { sack, timestamps, window_scaling: scaling, rto_min: RTO_MIN, ..Config::default() };
        let sender = to_kernel(&mut host, config.clone(), SHORT / 4);
        let receiver = from_kernel(&mut host, config, SHORT / 4);
        for end in [sender, receiver] {
            // The kernel offers and accepts all three.
            let agreed = end.agreed();
            assert_eq!((agreed.sack, agreed.timestamps, agreed.window_scaling), (sack, stamps, scaling));
        }
    }
}

#[test]
fn segments_of_536_to_9000_bytes_carry_every_byte() {
    for (mss, mtu) in [(536, 1500), (1220, 1500), (1460, 1500), (8960, 9000), (9000, 9040)] {
        let Some(mut host) = Host::new(208, mss, Path { mtu, ..LOSSY }) else { return };
        let config = Config { mss: Bytes(mss), rto_min: RTO_MIN, ..Config::default() };
        let end = to_kernel(&mut host, config.clone(), SHORT);
        assert_eq!(end.segment_size(), Bytes(mss - 12), "less the timestamps");
        from_kernel(&mut host, config, SHORT);
    }
}

#[test]
fn the_kernels_smaller_segments_are_heeded() {
    let Some(mut host) = Host::new(209, 1, Path { mtu: 600, ..LOSSY }) else { return };
    let end = to_kernel(&mut host, Config { rto_min: RTO_MIN, ..Config::default() }, SHORT);
    assert_eq!(end.segment_size(), Bytes(600 - 40 - 12));
}

#[test]
fn ipv6_carries_every_byte() {
    for (seed, loss) in [(1, 0.0), (2, 0.01)] {
        let Some(mut host) = Host::new(210, seed, Path { ipv6: true, ..Path::rough(loss) }) else { return };
        let config = Config { mss: Bytes(1440), rto_min: RTO_MIN, ..Config::default() };
        let end = to_kernel(&mut host, config.clone(), SHORT);
        host.report("we send over IPv6", SHORT, &end);
        from_kernel(&mut host, config, SHORT);
    }
}

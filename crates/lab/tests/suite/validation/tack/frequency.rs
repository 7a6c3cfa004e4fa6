//! How often ACKs come, against equation 4: claims tack-1, 4, 11 and 12.

use ackless_model::tack::{Flow, Tack};
use ackless_wire::{BitRate, Bytes, Duration};

use super::super::support::runs;
use super::{ends, goodput};

#[test]
fn acks_saved_for_each_data_packet_are_equation_4_s_within_two_points() {
    // 1 - f_tack / f_delayed with each run's bw and RTTmin, start-up and IACKs apart. bw is what the run carried, since an ACK of TCP answers for two
    // packets that came.
    for (standard, warm_up) in [("b", "3s"), ("g", "2s"), ("n", "2s"), ("ac", "2s")] {
        for rtt in [10, 20, 80, 200] {
            let delay = format!("wired.delay={}ms", rtt / 2);
            let warm_up = if rtt == 200 { "run.warm_up=6s".to_owned() } else { format!("run.warm_up={warm_up}") };
            let keys = [delay.as_str(), &warm_up, "run.measured=2s"];
            for run in runs(&format!("tack-80211{standard}"), "tack", &keys, 1) {
                let ends = ends(&run);
                let packets = run.goodput_mbps * 1e6 * run.sim_seconds / MSS.bits() as f64;
                let counted = 1.0 - 2.0 * ends.tacks as f64 / packets;
                let flow = Flow {
                    bandwidth: BitRate::from_bps((run.goodput_mbps * 1e6) as u64),
                    min_rtt: Duration::from_secs_f64(ends.rtt_min_ms.expect("TACK measures it") / 1e3),
                    mss: MSS,
                };
                let promised = flow.saved(Tack::PAPER);
                println!(
                    "802.11{standard:2} {rtt:3} ms: {:6.2} Mbps, RTTmin {:7.3} ms: saved {:6.2} %, equation 4 {:6.2} %",
                    run.goodput_mbps,
                    ends.rtt_min_ms.unwrap_or_default(),
                    counted * 1e2,
                    promised * 1e2
                );
                assert_eq!(ends.start_up_tacks, 0, "802.11{standard} at {rtt} ms is still in start-up");
                assert!(
                    (counted - promised).abs() < 0.02,
                    "802.11{standard}, {rtt} ms: {counted}, equation 4 {promised}"
                );
            }
        }
    }
}

#[test]
fn on_b_at_10_ms_tack_acknowledges_as_often_as_tcp() {
    // Claim tack-11.
    let acks = |row| {
        let run = &runs("tack-80211b", row, &["wired.delay=5ms", "run.measured=5s"], 1)[0];
        (ends(run).acks as f64, goodput(run))
    };
    let ((tcp, _), (tack, _)) = (acks("bbr"), acks("tack"));
    println!("802.11b, 10 ms, 5 s: TCP {tcp} ACKs, TACK {tack}");
    assert!((tack / tcp - 1.0).abs() < 0.05, "{tack} against {tcp}");
}

#[test]
fn on_ac_tack_acknowledges_two_and_three_orders_of_magnitude_less_often() {
    // Claim tack-12: 10^2 at 10 ms and 10^3 at 80 ms, to the next power of ten.
    for (rtt, magnitude) in [(10, 2.0), (80, 3.0)] {
        let acks = |row| {
            let keys = [&format!("wired.delay={}ms", rtt / 2), "run.measured=1s", "wired.buffer_packets=10000"];
            ends(&runs("tack-80211ac", row, &keys, 1)[0]).acks as f64
        };
        let (tcp, tack) = (acks("bbr"), acks("tack"));
        println!("802.11ac, {rtt} ms, 1 s: TCP {tcp} ACKs, TACK {tack}: {:.0} times as many", tcp / tack);
        assert!((tcp / tack).log10().round() == magnitude, "{rtt} ms: {tcp} against {tack}");
    }
}

/// Payload of a packet under TACK: 1500 bytes less 40 of headers, 12 of timestamps and 8 of PKT.SEQ.
const MSS: Bytes = Bytes(1_440);

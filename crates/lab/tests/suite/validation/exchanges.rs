//! Tiny cells whose every nanosecond is known: the ledger, class by class, against sums done by hand.
//!
//! All are 802.11a at 54 Mbps with Acks at 24 Mbps, a window of 100 ms without warm-up, and datagrams so far apart that each is
//! sent at once: it finds the medium idle for longer than DIFS (802.11-2020, 10.3.4.2).

use ackless_cell::result::{Airtime, AirtimeClass, RunResult};
use ackless_wire::Duration;

use super::support::cell;

#[test]
fn ten_datagrams_far_apart() {
    // One each 10 ms, the first at 0, over a wire that adds some delay. MPDU 1500 + 36 = 1536 bytes: 22 + 12288 bits are
    // 57 symbols of 216, 228 us. The payload's 11,776 bits take 218.074 us at 54 Mbps, and the rest of the symbols, MAC and
    // other headers, SERVICE, tail and padding, 9.926 us. Ack: 28 us.
    let run = run(&["flows.rate=1177600bps"]);
    expect(
        &run,
        10,
        &[
            (AirtimeClass::Preambles, 20_000),
            (AirtimeClass::Payload, 218_074),
            (AirtimeClass::Headers, 9_926),
            (AirtimeClass::Sifs, 16_000),
            (AirtimeClass::LinkAcks, 28_000),
        ],
    );
    assert!((run.goodput_mbps - 1.1776).abs() < 1e-9, "{}", run.goodput_mbps);
}

#[test]
fn an_rts_precedes_each_datagram() {
    // Standard answers at 24 Mbps for 54: RTS of 20 bytes, 182 bits in 2 symbols of 96, 28 us; CTS 28 us; two more SIFS.
    let run = run(&["flows.rate=1177600bps", "wifi.rts_threshold=500B"]);
    expect(
        &run,
        10,
        &[
            (AirtimeClass::RtsCts, 28_000 + 28_000),
            (AirtimeClass::Preambles, 20_000),
            (AirtimeClass::Payload, 218_074),
            (AirtimeClass::Headers, 9_926),
            (AirtimeClass::Sifs, 3 * 16_000),
            (AirtimeClass::LinkAcks, 28_000),
        ],
    );
}

#[test]
fn only_beacons() {
    // 200 bytes at 6 Mbps: 22 + 1600 bits in 68 symbols, 272 us with the preamble. Nine fall into 100 ms, each 10.24 ms.
    // The one datagram is still on the wire when the window ends.
    let run = run(&["flows.rate=1bps", "flows.start=99.5ms", "wifi.beacons=true", "wifi.beacon_interval=10.24ms"]);
    let beacons = Duration::from_nanos(292_000) * 9;
    assert_eq!(run.airtime_ns[AirtimeClass::Beacons], beacons);
    assert_eq!(run.airtime_ns[AirtimeClass::Idle], WINDOW - beacons);
    assert_eq!(run.airtime_ns.total(), WINDOW);
}

#[test]
fn a_receiver_that_hears_nothing() {
    // Datagrams without end, none of which arrives. Each attempt lasts 248 us, and every one of a datagram but the first is a
    // retransmission, whole. After it the Ack is missed for SIFS, a slot and a preamble, 45 us; then come DIFS, 34 us, and
    // whole slots. Edges of the window cut at most one of each.
    let run = run(&["loss.model=per-frame", "loss.down_data=1.0"]);
    let (air, total) = (&run.airtime_ns, &run.counters.total);
    let (attempts, again) = (total.data_mpdus, total.retries);
    assert!(total.given_up > 5 && again > attempts / 2 && again < attempts, "{total:?}");
    for (class, times, each) in [
        (AirtimeClass::Retransmissions, again, 248_000),
        (AirtimeClass::Preambles, attempts - again, 20_000),
        (AirtimeClass::Payload, attempts - again, 218_074),
        (AirtimeClass::Timeouts, attempts, 45_000),
        (AirtimeClass::InterframeSpace, attempts, 34_000),
    ] {
        let off = air[class].as_nanos().abs_diff(times * each);
        assert!(off <= each + times, "{class:?}: {} is not {times} times {each} ns", air[class]);
    }
    for class in [AirtimeClass::LinkAcks, AirtimeClass::Sifs, AirtimeClass::Collisions] {
        assert_eq!(air[class], Duration::ZERO, "{class:?}");
    }
    assert_eq!(air.total(), WINDOW);
    assert_eq!(run.goodput_mbps, 0.0);
}

fn run(overrides: &[&str]) -> RunResult {
    let common = ["transport.protocol=udp", "run.warm_up=0s", "run.measured=100ms", "flows.stagger=0s"];
    let overrides: Vec<&str> = common.iter().chain(overrides).copied().collect();
    ackless_cell::run(&cell("wifi-80211a", "stock", &overrides), 1)
}

/// Each of `times` exchanges costs these nanoseconds, exactly or, where bytes share a symbol, to the nanosecond; all else
/// is idle.
fn expect(run: &RunResult, times: u64, classes: &[(AirtimeClass, u64)]) {
    let air: &Airtime = &run.airtime_ns;
    let mut busy = Duration::ZERO;
    for class in AirtimeClass::ALL {
        if class == AirtimeClass::Idle {
            continue;
        }
        let nanos = classes.iter().find(|(known, _)| *known == class).map_or(0, |(_, nanos)| *nanos);
        let (got, hand) = (air[class].as_nanos(), nanos * times);
        assert!(got.abs_diff(hand) <= times, "{class:?}: {got} ns is not {hand} ns");
        busy += air[class];
    }
    assert_eq!(air[AirtimeClass::Idle] + busy, WINDOW);
    assert_eq!(air.total(), WINDOW);
}

const WINDOW: Duration = Duration::from_millis(100);

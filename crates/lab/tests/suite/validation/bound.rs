//! The UDP row offers what the TCP flows offer: the same bytes at the same times, whatever the traffic.

use ackless_cell::result::{FlowResult, RunResult};
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};

/// One run of `wifi-80211n` with `overrides` in a row.
fn run(row: &str, overrides: &[&str], seed: u64) -> RunResult {
    let mut scenario: Scenario =
        Builtin::find("wifi-80211n").and_then(Builtin::scenario).unwrap_or_else(|error| panic!("{error}"));
    for argument in ["run.warm_up=500ms", "run.measured=1s"].iter().chain(overrides) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{argument}: {error}"));
    }
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    let config = scenario.build(row).unwrap_or_else(|error| panic!("{overrides:?}: {error}"));
    ackless_cell::run(&config, seed)
}

fn offered(result: &RunResult) -> f64 {
    result.flows.iter().filter_map(|flow| flow.offered_mbps).sum()
}

/// A datagram of 1,472 bytes in the window of a second, in Mbit/s.
const DATAGRAM: f64 = 0.012;

#[test]
fn an_application_with_a_rate_offers_both_transports_the_same() {
    let kinds: &[&[&str]] = &[
        &["flows.rate=20Mbps"],
        &["flows.rate=20Mbps", "flows.direction=up", "stations.count=2"],
        &["flows.rate=10Mbps", "flows.traffic=on-off", "flows.on=90ms", "flows.off=40ms"],
        &["flows.rate=10Mbps", "flows.traffic=on-off", "flows.on=9ms", "flows.off=4ms", "flows.times=exponential"],
        &["flows.rate=8Mbps", "flows.traffic=video", "flows.key_weight=4"],
    ];
    for overrides in kinds {
        for seed in 1..=3 {
            let (tcp, udp) = (run("tcp", overrides, seed), run("udp", overrides, seed));
            let slack = DATAGRAM * (1.0 + 2.0 * tcp.flows.len() as f64) * if overrides.len() > 4 { 60.0 } else { 1.0 };
            let (a, b) = (offered(&tcp), offered(&udp));
            assert!((a - b).abs() <= slack, "{overrides:?}, seed {seed}: TCP is offered {a}, UDP {b} Mbps");
            assert!(udp.goodput_mbps <= b + slack, "{overrides:?}, seed {seed}: {} of {b}", udp.goodput_mbps);
            assert!(udp.goodput_mbps >= 0.97 * b, "{overrides:?}, seed {seed}: {} of {b}", udp.goodput_mbps);
            assert_eq!(udp.flows[0].transport, "udp");
        }
    }
}

#[test]
fn a_transfer_of_datagrams_has_as_many_bytes_and_is_over_before_tcps() {
    for way in ["flows.direction=down", "flows.direction=up"] {
        let overrides = ["run.warm_up=0s", "flows.traffic=finite", "flows.size=777777B", way];
        let (tcp, udp) = (run("tcp", &overrides, 1), run("udp", &overrides, 1));
        let bytes = |result: &RunResult| (result.goodput_mbps * 1e6 / 8.0).round();
        assert_eq!([bytes(&tcp), bytes(&udp)], [777_777.0; 2], "{way}");
        let [slow, fast] = [&tcp, &udp].map(|result| result.flows[0].completion_s.expect("it ends"));
        assert!(fast < slow, "{way}: {fast} s and {slow} s");
    }
}

#[test]
fn repeated_transfers_of_datagrams_follow_one_another_as_tcps_do() {
    let overrides = ["flows.traffic=repeated", "flows.size=100kB", "flows.think=20ms", "run.measured=4s"];
    let count = |flow: &FlowResult| flow.transfers_ms.expect("some end").samples as f64;
    let (tcp, udp) = (run("tcp", &overrides, 1), run("udp", &overrides, 1));
    for result in [&tcp, &udp] {
        // Delivered bytes are whole transfers, except at the edges of the window.
        let transfers = result.goodput_mbps * 1e6 / 8.0 * 4.0 / 100e3;
        assert!((transfers - count(&result.flows[0])).abs() < 1.0, "{transfers} by {}", count(&result.flows[0]));
    }
    assert!(count(&udp.flows[0]) > count(&tcp.flows[0]), "each is quicker");
    let lossy = [&overrides[..], &["wired.loss=0.02"]].concat();
    assert!(count(&run("udp", &lossy, 1).flows[0]) >= 1.0, "a lost datagram does not end it all");
}

#[test]
fn an_application_that_saturates_on_and_off_fills_the_same_buffer() {
    let overrides = ["flows.traffic=on-off", "flows.on=100ms", "flows.off=400ms", "transport.send_buffer=500kB"];
    let (tcp, udp) = (run("tcp", &overrides, 1), run("udp", &overrides, 1));
    // In 100 ms a bulk flow carries 1.7 MB, to which the buffer and the AP's queue add 0.7 MB: twice in the window.
    let bytes = udp.goodput_mbps * 1e6 / 8.0;
    assert!((3.4e6..5.0e6).contains(&bytes), "{bytes}");
    assert!(udp.goodput_mbps >= tcp.goodput_mbps, "{} below TCP's {}", udp.goodput_mbps, tcp.goodput_mbps);
}

#[test]
fn a_receiver_that_reads_slowly_limits_the_bound_as_well() {
    let udp = run("udp", &["flows.read_rate=5Mbps"], 1);
    assert!((udp.goodput_mbps - 5.0).abs() < 0.1, "{}", udp.goodput_mbps);
}

#[test]
fn a_flow_is_dead_only_if_it_had_something_to_send() {
    let dead = |overrides: &[&str], row: &str| run(row, overrides, 1).flows.iter().filter(|flow| flow.dead).count();
    for row in ["tcp", "udp"] {
        assert_eq!(dead(&["wired.loss=1.0"], row), 1, "{row}");
        assert_eq!(dead(&[], row), 0, "{row}");
        let over = ["flows.traffic=finite", "flows.size=1kB"];
        assert_eq!(dead(&over, row), 0, "{row}: what has ended is not dead");
        let off = ["flows.traffic=on-off", "flows.on=10ms", "flows.off=10s", "transport.send_buffer=3000B"];
        assert_eq!(dead(&off, row), 0, "{row}: what is off is not dead");
    }
    let late = ["wired.loss=1.0", "flows.start=1400ms"];
    assert_eq!(dead(&late, "tcp"), 0, "what begins in the last tenth is not dead");
    let off = ["wired.loss=1.0", "flows.traffic=on-off", "flows.on=10ms", "flows.off=10s"];
    assert_eq!(dead(&off, "tcp"), 1, "what it wrote is still to be delivered");
}

//! What the AP's device is given in advance, in whole cells of 802.11n at 150 Mbps.

use ackless_cell::result::RunResult;
use ackless_scenario::{Row, Scenario};

/// The run of an otherwise empty scenario with these overrides.
#[track_caller]
fn run(text: &str, overrides: &[&str]) -> RunResult {
    let mut scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    for argument in ["run.warm_up=1s", "run.measured=1s"].iter().chain(overrides) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = Row::find("stock").unwrap_or_else(|error| panic!("{error}"));
    let cell = scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
    ackless_cell::run(&cell, 1)
}

/// All that is the same where two cells do the same.
fn told(result: &RunResult) -> String {
    format!("{:?} {:?} {:?}", result.flows, result.airtime_ns, result.counters)
}

#[test]
fn a_device_that_takes_all_is_a_queue_without_a_limit() {
    for keys in [&["stations.count=1"][..], &["stations.count=3", "ap.scheduler=fcfs"]] {
        let below = run("", &[keys, &["ap.device_queue=100000"]].concat());
        let above = run("", &[keys, &["ap.queue_packets=100000"]].concat());
        assert_eq!(told(&below), told(&above), "{keys:?}");
        assert_ne!(told(&below), told(&run("", keys)), "{keys:?}: the queue limits nothing");
    }
}

#[test]
fn airtime_queue_limits_give_one_busy_client_what_takes_twelve_milliseconds() {
    // A full packet counts for 84 us: the 143rd is given to a device that holds 11.93 ms.
    let counted = |device| told(&run("", &[device]));
    assert_eq!(counted("ap.device_queue=aql"), counted("ap.device_queue=143"));
    assert_ne!(counted("ap.device_queue=aql"), counted("ap.device_queue=142"));
}

#[test]
fn a_ping_passes_what_waits_in_fair_queues_and_not_what_the_device_holds() {
    const TEXT: &str = "[transport]\nprotocol = \"udp\"\n[ap]\nqueue = \"fq-codel\"\n[[pings]]\n";
    let median = |device: &str| {
        let result = run(TEXT, &[device, "run.measured=2s"]);
        result.pings[0].rtt_ms.as_ref().expect("pings are answered").median
    };
    let (none, aql) = (median("ap.device_queue=none"), median("ap.device_queue=aql"));
    let [short, long] = ["ap.device_queue=200", "ap.device_queue=400"].map(median);
    // 200 datagrams of 1472 bytes at 135 Mbps take 17.4 ms.
    assert!((long - short - 17.4).abs() < 1.7, "{short} and {long} ms");
    assert!(none < aql && aql < short && aql - none < 13.0, "{none}, {aql} and {short} ms");
}

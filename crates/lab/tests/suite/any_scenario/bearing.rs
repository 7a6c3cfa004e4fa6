//! A key that is set and changes nothing would be believed to have been measured. So each key of a
//! flow that bears on nothing in its kind of traffic over its transport is refused.

use ackless_cell::result::RunResult;
use ackless_scenario::{Row, Scenario};

/// The result of a scenario of this text with these overrides; `None` where it is refused.
fn result(text: &str, overrides: &[&str]) -> Option<RunResult> {
    let mut scenario = Scenario::parse("cell", text).unwrap_or_else(|error| panic!("{error}"));
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let config = scenario.build(Row::STOCK).ok()?;
    // How many events a run takes is no result.
    Some(RunResult { events: 0, ..ackless_cell::run(&config, 1) })
}

/// A wire that is slow, stands still for a while and makes up for it.
const TROUBLED: &str = "wired.rate_trace=[\"0s 6Mbps\", \"300ms 0bps\", \"500ms 30Mbps\"]";
/// What an application does, with what makes it do so within a short run.
const TRAFFIC: &[(&str, &[&str])] = &[
    ("bulk", &[]),
    ("finite", &["flows.size=200kB"]),
    ("repeated", &["flows.size=20kB", "flows.think=5ms"]),
    ("on-off", &["flows.on=50ms", "flows.off=20ms", "transport.send_buffer=20kB", "wired.buffer_packets=9"]),
    ("video", &["flows.rate=8Mbps"]),
    ("requests", &["flows.think=5ms", "flows.response_size=1kB", "flows.response_writes=2"]),
];

/// Keys of flows with values of which each does something wherever the key does.
const KEYS: &[(&str, &[&str])] = &[
    ("direction", &["up"]),
    ("count", &["2"]),
    ("tack", &["true"]),
    ("congestion", &["reno", "bbr"]),
    ("ack", &["1", "8"]),
    ("recovery", &["rack"]),
    ("udp_payload", &["700B"]),
    ("udp_ack_every", &["2"]),
    ("rate", &["3Mbps"]),
    ("read_rate", &["100kbps"]),
    ("size", &["90kB"]),
    ("think", &["30ms"]),
    ("request_size", &["5kB"]),
    ("request_writes", &["3"]),
    ("response_size", &["9kB"]),
    ("response_writes", &["3"]),
    ("request_count", &["2"]),
    ("no_delay", &["true", "false"]),
    ("on", &["30ms"]),
    ("off", &["90ms"]),
    ("frame_interval", &["20ms"]),
    ("key_every", &["4"]),
    ("key_weight", &["5"]),
    ("play_from", &["300ms"]),
    ("resume_from", &["400ms"]),
    ("catch_up", &["100ms"]),
    ("times", &["exponential"]),
    ("start", &["130ms"]),
];

#[test]
fn a_key_of_a_flow_that_bears_on_nothing_in_its_traffic_is_refused() {
    // Losses for what repairs them, and a wire so slow that a video stops.
    let beside = ["run.warm_up=0s", "run.measured=2s", "wired.down_loss=0.03", TROUBLED, "wired.buffer_packets=400"];
    let mut silent = Vec::new();
    for (traffic, own) in TRAFFIC {
        for protocol in ["tcp", "udp"] {
            let kind = [format!("flows.traffic={traffic}"), format!("flows.protocol={protocol}")];
            let kind: Vec<&str> =
                beside.iter().copied().chain(kind.iter().map(String::as_str)).chain(own.iter().copied()).collect();
            // Datagrams of transfers are none of this.
            if protocol == "udp" && matches!(*traffic, "finite" | "repeated") {
                continue;
            }
            let Some(usual) = result("", &kind) else { continue };
            if usual.goodput_mbps <= 0.0 {
                silent.push(format!("{traffic} over {protocol} sends nothing"));
            }
            for (key, values) in KEYS {
                let shows = |value: &&str| {
                    let argument = format!("flows.{key}={value}");
                    result("", &[&kind[..], &[&argument]].concat()).is_none_or(|result| result != usual)
                };
                if !values.iter().any(shows) {
                    silent.push(format!("flows.{key} with {traffic} over {protocol}"));
                }
            }
        }
    }
    assert!(silent.is_empty(), "set in vain, without a word: {silent:#?}");
}

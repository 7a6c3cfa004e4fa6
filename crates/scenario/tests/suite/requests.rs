//! Requests on one connection: what Nagle's algorithm and delayed ACKs make of them, by hand.

use ackless_cell::result::{FlowResult, Percentiles, RunResult};
use ackless_scenario::{Row, Scenario};

/// A run of an otherwise empty scenario with requests, 20 ms from either end of the wire to the
/// other.
#[track_caller]
fn run(overrides: &[&str]) -> RunResult {
    let usual = ["run.warm_up=1s", "run.measured=4s", "flows.traffic=requests", "wired.delay=20ms", "flows.think=50ms"];
    let small = ["flows.request_size=600B", "flows.response_size=1kB", "transport.receive_buffer=4MiB"];
    let mut scenario = Scenario::parse("cell.toml", "").unwrap_or_else(|error| panic!("{error}"));
    for argument in usual.iter().chain(&small).chain(overrides) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let cell = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    ackless_cell::run(&cell, 1)
}

fn latency(result: &RunResult) -> Percentiles {
    result.flows[0].transfers_ms.expect("requests are answered")
}

const TWO: &str = "flows.request_writes=2";
const OFF: &str = "flows.no_delay=true";

#[test]
fn a_request_of_one_write_takes_a_round_trip_and_is_counted() {
    for way in ["flows.direction=down", "flows.direction=up"] {
        let result = run(&[way]);
        let time = latency(&result);
        // 20 ms each way, and an access to the medium for the request and for the response.
        assert!((40.2..41.5).contains(&time.median) && time.p99 < 42.0, "{way}: {time:?}");
        // One in 50 ms of thinking and so much of waiting.
        let expected = 4_000.0 / (50.0 + time.median);
        assert!((time.samples as f64 - expected).abs() < 2.0, "{way}: {time:?}");
        // Responses are the flow's data.
        let goodput = time.samples as f64 * 8_000.0 / 4e6;
        assert!((result.goodput_mbps - goodput).abs() < 0.003, "{way}: {} and {goodput}", result.goodput_mbps);
        assert_eq!((result.flows[0].retransmissions, result.flows[0].traffic.as_str()), (0, "requests"), "{way}");
    }
}

#[test]
fn nagle_against_a_delayed_ack_costs_that_ack_and_a_round_trip() {
    for way in ["flows.direction=down", "flows.direction=up"] {
        let at_once = latency(&run(&[way, TWO, OFF])).median;
        let once = latency(&run(&[way])).median;
        assert!((at_once - once).abs() < 0.5, "{way}: who does not wait loses nothing: {at_once} and {once}");
        for (delay, ack, costs) in [("40ms", "2", 40.0), ("10ms", "2", 10.0), ("200ms", "2", 200.0), ("40ms", "1", 0.0)]
        {
            for rule in ["transport.nagle=rfc", "transport.nagle=minshall"] {
                let (delay, ack) = (format!("transport.ack_timeout={delay}"), format!("transport.ack={ack}"));
                let waits = latency(&run(&[way, TWO, rule, &delay, &ack])).median;
                // The second half waits for the first one's ACK, which the server holds back, and
                // which takes a round trip.
                let extra = waits - at_once - costs;
                assert!((39.5..41.0).contains(&extra), "{way}, {rule}, {delay}, {ack}: {waits} and {at_once}");
            }
        }
    }
}

#[test]
fn a_response_of_two_small_writes_waits_for_the_clients_ack_alike() {
    let writes = ["flows.response_writes=2", "flows.response_size=800B"];
    let [waits, at_once] =
        ["flows.no_delay=false", OFF].map(|choice| latency(&run(&[&writes[..], &[choice]].concat())).median);
    assert!((79.5..81.0).contains(&(waits - at_once)), "{waits} and {at_once}");
}

#[test]
fn a_long_response_takes_the_round_trips_of_slow_start() {
    // 30 segments of 1,448 bytes: ten and twenty, one round trip later. The connection has not sent
    // before.
    let first = ["run.warm_up=0s", "flows.request_count=1", "flows.response_size=43440B"];
    let result = run(&first);
    let time = latency(&result);
    // The handshake, the request with the first ten, and the others: three round trips of 40 ms.
    assert!((121.0..126.0).contains(&time.median), "{time:?}");
    assert_eq!((time.samples, result.flows[0].unfinished_s), (1, None));
}

#[test]
fn requests_end_with_their_count_and_one_that_is_not_answered_is_told() {
    let counted = run(&["run.warm_up=0s", "flows.request_count=7"]);
    assert_eq!((latency(&counted).samples, counted.flows[0].unfinished_s), (7, None));
    let lost = run(&["steps.at=1s", "steps.rate=0bps"]);
    let FlowResult { transfers_ms, unfinished_s, .. } = &lost.flows[0];
    assert!(transfers_ms.is_none_or(|time| time.samples <= 1), "{transfers_ms:?}");
    assert!(unfinished_s.is_some_and(|since| since > 3.8), "{unfinished_s:?}");
}

#[test]
fn losses_and_slow_readers_delay_requests_and_end_none() {
    for (more, least) in [
        (&["wired.loss=0.05"][..], 10),
        (&["transport.tack=true", OFF], 30),
        (&["transport.preset=linux", "wired.loss=0.02"], 20),
        (&["flows.read_rate=1Mbps", "flows.times=exponential"], 15),
        (&["stations.count=3", "flows.count=2", "wired.segments=cut"], 20),
        (&["flows.think=0s", "flows.response_size=100kB"], 15),
    ] {
        for way in ["flows.direction=down", "flows.direction=up"] {
            let result = run(&[more, &[way, TWO]].concat());
            for flow in &result.flows {
                let time = flow.transfers_ms.unwrap_or_else(|| panic!("{more:?}, {way}: no answers"));
                assert!(time.samples >= least, "{more:?}, {way}: {time:?}");
                assert!(flow.unfinished_s.is_none_or(|since| since < 2.0), "{more:?}, {way}: {:?}", flow.unfinished_s);
            }
        }
    }
}

#[test]
fn the_choice_of_no_delay_is_each_traffics_own() {
    // Frames of 2,000 bytes each 33 ms: Nagle's rule keeps the last 552 until the first 1,448 are
    // acknowledged.
    let video = |choice: &str, nagle: &str| {
        let mut scenario = Scenario::parse("cell.toml", "").unwrap_or_else(|error| panic!("{error}"));
        for argument in ["flows.traffic=video", "flows.rate=480kbps", "run.measured=2s", choice, nagle] {
            scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
        }
        let cell = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
        ackless_cell::run(&cell, 1)
    };
    let (plain, delayed) = ("flows.no_delay=auto", "flows.no_delay=false");
    let [auto, rfc, minshall] = [(plain, "rfc"), (delayed, "rfc"), (delayed, "minshall")]
        .map(|(choice, rule)| video(choice, &format!("transport.nagle={rule}")));
    let segments = [&auto, &rfc, &minshall].map(|result| result.counters.nodes[0].counters.data_mpdus);
    // Two segments for each of 60 frames, or fewer where the end of a frame waits for the next one.
    assert!(segments[0].abs_diff(120) <= 2 && segments[1] < 112, "{segments:?}");
    assert_ne!(rfc.flows, minshall.flows, "the rule has a bearing where Nagle's algorithm is on");
}

#[test]
fn the_udp_row_refuses_requests_and_says_what_to_do() {
    let mut scenario = Scenario::parse("cell.toml", "").unwrap_or_else(|error| panic!("{error}"));
    for argument in ["flows.traffic=requests", "flows.no_delay=true", "flows.congestion=reno"] {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = |name| Row::find(name).unwrap_or_else(|error| panic!("{error}"));
    let error = scenario.build(row("udp")).expect_err("a lost datagram ends them").to_string();
    assert!(error.contains("is requests, which need TCP") && error.contains("leave the row udp out"), "{error}");
    assert!(["tcp", "hack", "tack", "linux"].into_iter().all(|name| scenario.build(row(name)).is_ok()));
}

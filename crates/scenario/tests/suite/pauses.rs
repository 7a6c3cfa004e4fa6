//! A wire that pauses, and one whose rate goes as a trace says, in whole cells.

use ackless_cell::result::RunResult;
use ackless_scenario::{Row, Scenario};

/// A run of 3 s, of which the last two are measured, of an otherwise empty scenario.
#[track_caller]
fn run(overrides: &[&str]) -> RunResult {
    let mut scenario = Scenario::parse("cell.toml", "").unwrap_or_else(|error| panic!("{error}"));
    for argument in ["run.warm_up=1s", "run.measured=2s"].iter().chain(overrides) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let cell = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    ackless_cell::run(&cell, 1)
}

/// The bytes of IP packets that came.
fn carried(result: &RunResult) -> f64 {
    result.goodput_mbps * 1e6 / 8.0 * result.sim_seconds * 1_500.0 / 1_472.0
}

const UDP: &str = "flows.protocol=udp";

#[test]
fn datagrams_over_a_trace_carry_what_the_trace_does() {
    // From 1 s to 3 s: half a second at 20 Mbps, a quarter of nothing, half at 8 and three quarters
    // at 40 Mbps.
    let rates = r#"["0s 5Mbps", "1s 20Mbps", "1.5s 0bps", "1.75s 8Mbps", "2.25s 40Mbps"]"#;
    let of_rates = (0.5 * 20.0 + 0.5 * 8.0 + 0.75 * 40.0) * 1e6 / 8.0;
    // Again and again: 100 ms at 30 Mbps and 100 ms at 0.
    let waves = r#"["0s 30Mbps", "100ms 0bps"]"#;
    let of_waves = 2.0 * 15.0 * 1e6 / 8.0;
    // Three packets every 2 ms, and one of them 1 ms earlier.
    let bytes = r#"["1ms 1500B", "2ms 3000B"]"#;
    let of_bytes = 2.0 * 500.0 * 4_500.0;
    for way in ["down", "up"] {
        for (trace, end, expected) in
            [(rates, "hold", of_rates), (waves, "repeat", of_waves), (bytes, "auto", of_bytes)]
        {
            let trace = format!("wired.rate_trace={trace}");
            let (direction, end) = (format!("flows.direction={way}"), format!("wired.rate_trace_end={end}"));
            let result = run(&[UDP, &trace, &end, &direction, "wired.delay=0s"]);
            let apart = carried(&result) - expected;
            // What crosses the air as the window begins or ends, a few packets each.
            assert!(apart.abs() < 6.0 * 1_500.0, "{trace}, {way}: {apart} bytes more than {expected}");
        }
    }
}

#[test]
fn a_trace_of_one_direction_leaves_the_other_as_it_is() {
    let trace = r#"wired.down_rate_trace=["0s 10Mbps"]"#;
    let expected = 2.0 * 10e6 / 8.0;
    assert!((carried(&run(&[UDP, trace])) - expected).abs() < 9_000.0);
    let up = run(&[UDP, trace, "flows.direction=up"]).goodput_mbps;
    assert!((up / run(&[UDP, "flows.direction=up"]).goodput_mbps - 1.0).abs() < 0.01, "{up}");
    let none = r#"wired.up_rate_trace=[]"#;
    let up = run(&[UDP, r#"wired.rate_trace=["0s 10Mbps"]"#, none, "flows.direction=up"]).goodput_mbps;
    assert!(up > 50.0, "{up}");
}

#[test]
fn a_pause_keeps_what_comes_and_loses_only_what_finds_the_buffer_full() {
    let pause = |way: &str| -> Vec<String> {
        let steps = format!("[[steps]]\nat = \"1.2s\"\nrate = \"0bps\"\ndirection = \"{way}\"\n");
        let on = format!("[[steps]]\nname = \"on\"\nat = \"1.7s\"\nrate = \"500Mbps\"\ndirection = \"{way}\"\n");
        vec![steps, on]
    };
    for (way, boxes) in [("down", "pass"), ("up", "pass"), ("down", "cut"), ("up", "renumber")] {
        let run = |more: &[&str]| {
            let mut scenario =
                Scenario::parse("cell.toml", &pause(way).concat()).unwrap_or_else(|error| panic!("{error}"));
            let (direction, boxes) = (format!("flows.direction={way}"), format!("wired.segments={boxes}"));
            let air = ["ap.queue_packets=1000", "stations.queue_packets=1000"];
            let usual = ["run.warm_up=1s", "run.measured=2s", &direction, &boxes, air[0], air[1]];
            for argument in usual.iter().chain(more) {
                scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
            }
            let cell = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
            ackless_cell::run(&cell, 1)
        };
        // 213 datagrams come in half a second.
        let paced = ["flows.protocol=udp", "flows.rate=5Mbps"];
        let kept = run(&paced);
        assert!((kept.goodput_mbps - 5.0).abs() < 0.02, "{way}: {}", kept.goodput_mbps);
        assert_eq!(kept.counters.total.wire_drops, 0, "{way}");
        let short = run(&[&paced[..], &["wired.buffer_packets=100"]].concat());
        assert!((110..=113).contains(&short.counters.total.wire_drops), "{way}: {:?}", short.counters.total);
        // TCP stands still for half a second, is woken by its timer, and goes on.
        let tcp = run(&["transport.receive_buffer=100kB", "wired.delay=5ms"]);
        let flow = &tcp.flows[0];
        assert_eq!(tcp.counters.total.wire_drops, 0, "{way}, {boxes}");
        assert!((1..=3).contains(&flow.timeouts), "{way}, {boxes}: {} timeouts", flow.timeouts);
        assert!(flow.halves_mbps[1] > 20.0, "{way}, {boxes}: {:?}", flow.halves_mbps);
    }
}

#[test]
fn a_wire_that_never_goes_on_carries_nothing_more() {
    let end = ["steps.at=2s", "steps.rate=0bps", UDP, "wired.rate=12Mbps", "wired.delay=0s"];
    let result = run(&end);
    assert!((carried(&result) - 1.5e6).abs() < 6_000.0, "{}", carried(&result));
}

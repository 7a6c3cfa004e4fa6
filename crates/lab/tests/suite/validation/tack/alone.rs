//! One flow of row `tack-wifi` behind a buffer that it can overflow: what losses bound (`tack.losses`) is to leave no queue where nobody else keeps one, nor to lose what a bound is there to spare.

use ackless_cell::result::FlowResult;
use ackless_scenario::{Row, Scenario};

/// A download through this bottleneck of 40 ms, seconds 5 to 20.
fn alone(rate: &str, buffer: &str) -> FlowResult {
    let file = include_str!("../../../../../../tools/tack/bottleneck.toml");
    let mut scenario = Scenario::parse("bottleneck.toml", file).unwrap_or_else(|error| panic!("{error}"));
    let settings = ["flows.first.congestion=receiver-bbr", "run.warm_up=5s", "run.measured=15s"].map(String::from);
    for setting in
        settings.into_iter().chain([format!("wired.down_rate={rate}"), format!("wired.down_buffer={buffer}")])
    {
        scenario.set(&setting).unwrap_or_else(|error| panic!("{error}"));
    }
    let config = scenario.build(Row::find("tack-wifi").expect("it is a row")).unwrap_or_else(|error| panic!("{error}"));
    ackless_cell::run(&config, 1).flows.remove(0)
}

#[test]
fn behind_a_buffer_of_a_product_no_queue_stands() {
    // A bound that is paced as a window for good keeps 66 to 71 ms.
    for (rate, buffer) in [("50Mbps", "250kB"), ("100Mbps", "500kB")] {
        let flow = alone(rate, buffer);
        let median = flow.rtt_ms.expect("it sent").median;
        assert!(median < 45.0, "{rate}: {median:.1} ms");
        assert_eq!(flow.retransmissions, 0, "{rate}");
    }
}

#[test]
fn behind_a_buffer_too_short_to_show_as_a_queue_no_more_is_lost_than_probes_lose() {
    // 4.8 ms of a round trip of 40. Paced as a window, seven times as much is lost, and taken for what every round loses.
    let flow = alone("100Mbps", "60kB");
    let sent = flow.ends.as_ref().expect("its transport counts").data_packets;
    let share = 100.0 * flow.retransmissions as f64 / sent as f64;
    assert!(flow.goodput_mbps > 90.0 && share < 5.0, "{:.1} Mbps, {share:.1} % sent again", flow.goodput_mbps);
}

//! Row `tack-wifi` behind a buffer that it can overflow, alone or with its like: what losses bound (`tack.losses`) is to leave no queue where nobody else keeps one, nor to lose what a bound is there to spare.

use ackless_cell::result::FlowResult;

use super::super::support::{repeated, tool};

/// So many downloads through this bottleneck of 40 ms, seconds 5 to 20.
fn downloads(count: u64, rate: &str, buffer: &str) -> Vec<FlowResult> {
    let path = [
        format!("wired.down_rate={rate}"),
        format!("wired.down_buffer={buffer}"),
        format!("flows.first.count={count}"),
    ];
    let settings = ["flows.first.congestion=receiver-bbr", "run.warm_up=5s", "run.measured=15s"];
    let settings: Vec<_> = settings.into_iter().chain(path.iter().map(String::as_str)).collect();
    let config = tool("bottleneck.toml", "tack-wifi", &settings);
    ackless_cell::run(&config, 1).flows
}

fn alone(rate: &str, buffer: &str) -> FlowResult {
    downloads(1, rate, buffer).remove(0)
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
fn behind_a_buffer_of_an_eighth_of_the_path_a_probe_in_two_seconds_is_all_that_loses() {
    // 4.8 ms of a round trip of 40. Where only longer queues show, 3.1 % are sent again; where a bound does not set the pace, it is cut before it is reached again.
    let flow = alone("100Mbps", "60kB");
    let (share, goodput) = repeated(&[flow]);
    assert!(goodput > 85.0 && share < 2.0, "{goodput:.1} Mbps, {share:.1} % sent again");
}

#[test]
fn five_behind_a_buffer_of_a_quarter_of_the_path_hear_that_it_is_full() {
    // 10 ms of a round trip of 40, which no round trip exceeds by more than a quarter. Where a queue shows only from there on, 9 % are sent again.
    let (share, goodput) = repeated(&downloads(5, "50Mbps", "42"));
    assert!(goodput > 45.0 && share < 3.0, "{goodput:.1} Mbps, {share:.1} % sent again");
}

#[test]
fn one_behind_a_buffer_of_a_third_does_not_fill_it_again_and_again() {
    // After each cut the path is free of any queue. Where that alone lets the bound grow to where it was cut, 1.3 % are sent again.
    let (share, goodput) = repeated(&[alone("50Mbps", "60")]);
    assert!(goodput > 45.0 && share < 1.0, "{goodput:.1} Mbps, {share:.1} % sent again");
}

#[test]
fn on_a_link_of_64_kbps_the_queue_of_startup_drains() {
    // A packet takes 188 ms, and the path 20. Where a probe sends one for each TACK interval nothing drains for two minutes, and 8 s stand.
    let settings = ["wired.rate=64kbps", "wired.buffer_packets=100", "run.warm_up=10s", "run.measured=60s"];
    let config = tool("torture.toml", "tack-wifi", &settings);
    let flow = ackless_cell::run(&config, 1).flows.remove(0);
    let median = flow.rtt_ms.expect("it sent").median;
    assert!(median < 1_000.0 && flow.goodput_mbps > 0.055, "{median:.0} ms, {:.3} Mbps", flow.goodput_mbps);
}

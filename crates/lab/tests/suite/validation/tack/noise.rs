//! Row `tack-wifi` where the least round trip says little: it was seen once, or is seconds long.

use super::super::support::tool;

/// Goodput in Mbps of a flow of this row behind 100 Mbps, of three seeds. (The file's step, a radio that is gone for 1 us, comes at some time.)
fn goodput(row: &str, settings: &[&str]) -> f64 {
    let config = tool("torture.toml", row, settings);
    (1..=3).map(|seed| ackless_cell::run(&config, seed).flows[0].goodput_mbps).sum::<f64>() / 3.0
}

#[test]
fn what_every_round_loses_is_no_queue_s_though_all_round_trips_are_long() {
    for noise in ["wired.jitter=5ms", "wifi.delivery=coalesced(3ms)"] {
        let settings = [noise, "wired.down_loss=0.02", "run.warm_up=4s", "run.measured=10s", "steps.change.at=13s"];
        // 7 and 25 Mbps where every loss behind a long round trip was a queue's.
        let [ours, one] = ["tack-wifi", "bbr"].map(|row| goodput(row, &settings));
        println!("{noise}: {ours:.1} Mbps, BBR v1 {one:.1}");
        assert!(ours > 0.85 * one && one > 80.0, "{noise}: {ours:.1} Mbps, BBR v1 {one:.1}");
    }
}

#[test]
fn probes_leave_a_path_of_seconds_most_of_the_time() {
    // 25 Mbps with a probe every five seconds.
    let settings = ["wired.delay=1s", "run.warm_up=20s", "run.measured=60s"];
    let ours = goodput("tack-wifi", &settings);
    println!("{ours:.1} Mbps");
    assert!(ours > 50.0, "{ours:.1} Mbps");
}

//! Row `tack-wifi` over a radio that fades: what that loses is no queue's, whatever it makes wait (`tack.losses`).

use ackless_scenario::{Row, Scenario};

/// Goodput in Mbps of a flow of this row over Minstrel-HT and Rayleigh fading, 15 m from the AP: the mean of three seeds, seconds 2 to 17. (The file's step, a radio that is gone for 1 us, comes at the end.)
fn goodput(row: &str, settings: &[&str]) -> f64 {
    let file = include_str!("../../../../../../tools/tack/torture.toml");
    let mut scenario = Scenario::parse("torture.toml", file).unwrap_or_else(|error| panic!("{error}"));
    let radio = ["wifi.rate_control=minstrel-ht", "loss.model=path-loss", "loss.fading=rayleigh"];
    let run =
        ["stations.sta.distance=15m", "wired.rate=1Gbps", "run.warm_up=2s", "run.measured=15s", "steps.change.at=16s"];
    for setting in radio.iter().chain(&run).chain(settings) {
        scenario.set(setting).unwrap_or_else(|error| panic!("{error}"));
    }
    let config = scenario.build(Row::find(row).expect("it is a row")).unwrap_or_else(|error| panic!("{error}"));
    (1..=3).map(|seed| ackless_cell::run(&config, seed).flows[0].goodput_mbps).sum::<f64>() / 3.0
}

#[test]
fn over_a_radio_that_fades_it_has_at_least_what_bbr_version_3_has_and_half_of_version_1() {
    // Where each round that loses while anything waits is the queue's, it has 26 and 40 Mbps.
    for settings in
        [["wired.delay=40ms", "flows.download.direction=down"], ["wired.delay=10ms", "flows.download.direction=up"]]
    {
        let [ours, three, one] = ["tack-wifi", "bbr3", "bbr"].map(|row| goodput(row, &settings));
        assert!(ours > 0.95 * three && ours > one / 2.0, "{settings:?}: {ours:.1} Mbps, {three:.1} and {one:.1}");
    }
}

//! Row `tack-wifi` over a radio that fades: what that loses is no queue's, whatever it makes wait (`tack.losses`).

use super::super::support::{repeated, tool};

/// Goodput in Mbps of a flow of this row over Minstrel-HT and Rayleigh fading, 15 m from the AP, and what of its segments was sent again, in percent: of three seeds, seconds 2 to 17. (The file's step, a radio that is gone for 1 us, comes at the end.)
fn fading(row: &str, settings: &[&str]) -> (f64, f64) {
    let radio = ["wifi.rate_control=minstrel-ht", "loss.model=path-loss", "loss.fading=rayleigh"];
    let run =
        ["stations.sta.distance=15m", "wired.rate=1Gbps", "run.warm_up=2s", "run.measured=15s", "steps.change.at=16s"];
    let config = tool("torture.toml", row, &[&radio, &run[..], settings].concat());
    let flows: Vec<_> = (1..=3).map(|seed| ackless_cell::run(&config, seed).flows.remove(0)).collect();
    let (again, goodput) = repeated(&flows);
    (goodput / 3.0, again)
}

#[test]
fn over_a_radio_that_fades_it_has_about_what_bbr_version_3_has_and_half_of_version_1_for_half_of_its_repeats() {
    // Where each round that loses while anything waits is the queue's, it has 26 and 40 Mbps; where losses bound nothing 102 and 103, for which 9 and 33 % are sent again.
    for settings in
        [["wired.delay=40ms", "flows.download.direction=down"], ["wired.delay=10ms", "flows.download.direction=up"]]
    {
        let [(ours, again), (three, _), (one, most)] = ["tack-wifi", "bbr3", "bbr"].map(|row| fading(row, &settings));
        let told = format!(
            "{settings:?}: {ours:.1} Mbps with {again:.1} % sent again, BBR v3 {three:.1}, v1 {one:.1} with {most:.1} %"
        );
        assert!(ours > 0.95 * three && ours > one / 2.0 && again < most / 2.0, "{told}");
        println!("{told}");
    }
}

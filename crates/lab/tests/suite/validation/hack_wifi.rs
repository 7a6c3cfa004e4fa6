//! The scheme `hack-wifi`: where `hack` is slower than plain TCP it is not, and where `hack` is at its best so is it.
//! `docs/hack-wifi.md` has the whole table.

use super::support::{gain, runs};

const SEEDS: u64 = 5;

/// The gain over plain TCP in percent, and the half width of its interval.
fn gains(name: &str, overrides: &[&str]) -> [(f64, f64); 2] {
    let tcp = runs(name, "tcp", overrides, SEEDS);
    ["hack", "hack-wifi"].map(|scheme| {
        let gain = gain(&runs(name, scheme, overrides, SEEDS), &tcp);
        println!("{name} {overrides:?}: {scheme} {:.1} ± {:.1} %", gain.mean, gain.ci95.unwrap_or(0.0));
        (gain.mean, gain.ci95.expect("several seeds"))
    })
}

#[test]
fn it_loses_nothing_where_hack_loses_to_plain_tcp() {
    let window = "transport.receive_buffer=64KiB";
    let cells: [(&str, &[&str]); 3] = [
        ("hack-80211n", &["stations.count=2", window]),
        ("wifi-mixed", &[]),
        ("hack-80211n", &["stations.count=1", "transport.receive_buffer=128KiB"]),
    ];
    for (name, overrides) in cells {
        let [(hack, _), (wifi, half)] = gains(name, overrides);
        assert!(hack < -1.0, "{name} {overrides:?}: hack loses nothing here, {hack} %");
        assert!(wifi + half > -1.0 && wifi > hack + 1.0, "{name} {overrides:?}: {wifi} ± {half} %");
    }
}

#[test]
fn it_gains_what_hack_does_in_downloads_and_in_one_upload() {
    let cells: [(&str, &[&str]); 4] = [
        ("hack-80211n", &["stations.count=1"]),
        ("hack-80211n", &["stations.count=10"]),
        ("wifi-80211ac", &["stations.count=4"]),
        ("hack-80211n", &["flows.direction=up"]),
    ];
    for (name, overrides) in cells {
        let [(hack, _), (wifi, half)] = gains(name, overrides);
        assert!(hack > 7.0, "{name} {overrides:?}: hack gains {hack} %");
        assert!(wifi + half > hack - 1.0, "{name} {overrides:?}: hack {hack}, hack-wifi {wifi} ± {half} %");
    }
}

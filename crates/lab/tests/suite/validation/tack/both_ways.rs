//! A download and an upload at one station of n, whose own queue has 126 packets: what their senders believe in beside what they get (`tack.rate`, `tack.losses`).

use ackless_cell::result::FlowResult;

use super::super::support::{repeated, tool};
use super::fairness::POLICIES;

/// What the upload's sender believes in, as a multiple of what it gets, and what of it is sent again, in percent: of ten seeds.
fn both_ways(row: &str, settings: &[&str]) -> (f64, f64) {
    let cell =
        ["stations.second.count=0", "flows.second.stations=first", "flows.second.direction=up", "run.measured=10s"];
    let controls = ["flows.first.congestion=auto", "flows.second.congestion=auto"];
    let config = tool("pair.toml", row, &[&cell, &controls[..], settings].concat());
    let uploads: Vec<_> = (1..=10).map(|seed| ackless_cell::run(&config, seed).flows.remove(1)).collect();
    let believed = |flow: &FlowResult| flow.ends.as_ref()?.bandwidth_mbps;
    let over = uploads.iter().map(|flow| believed(flow).expect("a BBR has a model") / flow.goodput_mbps);
    (over.sum::<f64>() / 10.0, repeated(&uploads).0)
}

#[test]
fn senders_believe_in_what_they_get_by_rates_of_their_own_and_lose_little_where_losses_bound() {
    let tack = ["tack=true", "ack=tack"]
        .iter()
        .flat_map(|value| ["first", "second"].map(|flow| format!("flows.{flow}.{value}")))
        .collect::<Vec<_>>();
    let with = |changed: &[&str]| {
        let told: Vec<_> =
            POLICIES.iter().copied().chain(tack.iter().map(String::as_str)).chain(changed.iter().copied()).collect();
        both_ways("stock", &told)
    };
    let (letter, ours) = (both_ways("tack", &[]), both_ways("tack-wifi", &[]));
    let (receiver, deaf) = (with(&["tack.rate=receiver", "tack.losses=ignored"]), with(&["tack.losses=ignored"]));
    println!(
        "believed over got, % of the upload sent again: by the letter {letter:?}, tack-wifi {ours:?}, by the receiver's rate and deaf {receiver:?}, deaf {deaf:?}"
    );
    // The row is these keys, and no more.
    assert_eq!(ours, with(&[]));
    assert!(letter.0 > 2.0 && letter.1 > 15.0, "by the letter {letter:?}");
    assert!(ours.0 < 1.4 && ours.1 < 1.5, "{ours:?}");
    assert!(deaf.0 < 1.25 && deaf.1 > 4.0, "its own rate, deaf to losses: {deaf:?}");
    assert!(receiver.0 > 1.2 * deaf.0 && receiver.1 > 4.0, "the receiver's, deaf to losses: {receiver:?}");
}

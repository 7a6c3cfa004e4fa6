//! The sentence over a table: what is noise is not said as a fact, and what must be known of a row stands beside its name.

use ackless_cell::config::CellConfig;
use ackless_cell::result::{FlowResult, RunResult};
use ackless_lab::case::Case;
use ackless_lab::compare::Comparison;
use ackless_scenario::Row;

use super::{pretend, wifi_80211n};

/// Five seeds of rows in the cell with `overrides`, each result changed by `change`.
fn compare(schemes: &[&str], overrides: &[&str], change: impl Fn(&mut RunResult) + Sync) -> Comparison {
    let mut scenario = wifi_80211n();
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let rows: Vec<_> = schemes.iter().map(|name| Row::find(name).expect("this is a row")).collect();
    let cases = Case::all(&scenario, &[], &rows).unwrap_or_else(|error| panic!("{error}"));
    let changed = |config: &CellConfig, seed: u64| {
        let mut result = pretend(config, seed);
        change(&mut result);
        result
    };
    Comparison::run(&changed, cases, 5, 2, &|| ()).expect("there are rows")
}

fn headline(comparison: &Comparison) -> String {
    comparison.finding.clone()
}

/// Five seeds around `mean`, with an interval of 2.776 times `spread` over the root of two on each side.
fn spread(result: &mut RunResult, mean: f64, spread: f64) {
    let goodput = mean + (result.seed as f64 - 3.0) * spread;
    result.goodput_mbps = goodput;
    result.flows[0].goodput_mbps = goodput;
    result.flows[0].air_mbps = goodput;
    result.flows[0].halves_mbps = [goodput; 2];
}

/// The cell in which UDP, TCP and HACK carry so much on average, the first two 1.96 Mbps to and fro, HACK 0.2.
fn three(udp: f64, tcp: f64, hack: f64) -> String {
    let comparison = compare(&["udp", "tcp", "hack"], &[], |result| match result.scheme.as_str() {
        "udp" => spread(result, udp, 1.0),
        "tcp" => spread(result, tcp, 1.0),
        _ => spread(result, hack, 0.1),
    });
    headline(&comparison)
}

#[test]
fn tcp_and_udp_are_called_apart_only_where_their_intervals_are() {
    assert_eq!(
        three(96.8, 97.0, 97.0),
        "tcp does not differ clearly from udp: they carry 97.0 and 96.8 Mbps, and no other row is clearly better"
    );
    assert_eq!(
        three(97.0, 96.8, 110.0),
        "tcp does not differ clearly from udp: they carry 96.8 and 97.0 Mbps; hack carries 13.6 % more than tcp"
    );
    assert_eq!(three(100.0, 80.0, 90.0), "tcp loses 20.0 % to udp; hack gives back 10.0 of these percentage points");
    assert_eq!(three(80.0, 100.0, 100.0), "tcp carries 25.0 % more than udp, and no other row is clearly better");
    // HACK is clearly above TCP, but not above UDP.
    assert_eq!(three(100.0, 80.0, 100.5), "tcp loses 20.0 % to udp; hack gives back all of these percentage points");
    assert_eq!(
        three(100.0, 80.0, 110.0),
        "tcp loses 20.0 % to udp; hack gives back all of these percentage points and carries 10.0 % more than udp"
    );
}

#[test]
fn a_single_row_is_named_with_what_must_be_known_of_it() {
    let drifting = |result: &mut RunResult| {
        let goodput = result.goodput_mbps;
        result.flows[0].halves_mbps = [goodput * 0.5, goodput * 1.5];
    };
    assert_eq!(headline(&compare(&["tcp"], &[], drifting)), "tcp carries 100.6 Mbps (not steady)");
    assert_eq!(headline(&compare(&["tcp"], &[], |_| ())), "tcp carries 100.6 Mbps");
}

/// The flow as a transfer that is done after so many seconds, or is under way when the run ends.
fn transfer(flow: &mut FlowResult, done: Option<f64>) {
    flow.traffic = "finite".into();
    flow.completion_s = done;
    flow.unfinished_s = if done.is_none() { Some(0.2) } else { None };
}

#[test]
fn where_no_transfer_ends_the_sentence_says_so() {
    let finite = ["flows.traffic=finite", "flows.size=1MB"];
    let never = |result: &mut RunResult| transfer(&mut result.flows[0], None);
    for schemes in [&["tcp", "hack"][..], &["tcp"], &["udp", "tcp", "hack"]] {
        assert_eq!(headline(&compare(schemes, &finite, never)), "No transfer ended within the run", "{schemes:?}");
    }
    // With one seed of five a row has no mean, but transfers did end.
    let one_in_five = |result: &mut RunResult| {
        let done = (result.seed == 3).then_some(0.1);
        transfer(&mut result.flows[0], done);
    };
    let some = "In no row did every transfer end within the run";
    assert_eq!(headline(&compare(&["tcp", "hack"], &finite, one_in_five)), some);
    let tcp_never = |result: &mut RunResult| {
        let done = (result.scheme != "tcp").then_some(0.1);
        transfer(&mut result.flows[0], done);
    };
    assert_eq!(
        headline(&compare(&["tcp", "hack"], &finite, tcp_never)),
        "hack takes 0.10 s for a transfer; tcp does not end within the run"
    );
}

#[test]
fn a_row_that_is_clearly_quicker_is_named_and_not_one_that_is_quicker_on_average() {
    let done = |result: &RunResult| match result.scheme.as_str() {
        "tcp" => 0.2,
        "hack-timer" => 0.13,
        // 0.1 on average, with an interval beyond all others.
        _ if result.seed == 3 => 0.42,
        _ => 0.02,
    };
    let finite = ["flows.traffic=finite", "flows.size=1MB"];
    let comparison = compare(&["tcp", "hack", "hack-timer"], &finite, |result| {
        let done = done(result);
        transfer(&mut result.flows[0], Some(done));
    });
    assert_eq!(headline(&comparison), "hack-timer takes 0.13 s for a transfer, 35.0 % less than tcp");
}

#[test]
fn an_interval_of_an_index_stays_within_what_an_index_can_be() {
    let of = |low: f64, high: f64| {
        let comparison = compare(&["tcp"], &["stations.count=2"], |result| {
            result.fairness.jain_goodput = Some(if result.seed % 2 == 0 { low } else { high });
        });
        comparison.to_text()
    };
    // Mean 0.58, sample variance 0.147: half an interval is 0.476.
    let wide = of(0.16, 0.86);
    assert!(wide.contains(" 0.58 (0.10 to 1.00)") && wide.contains(" 0.580 (0.104 to 1.000)"), "{wide}");
    let narrow = of(0.7, 0.72);
    assert!(narrow.contains(" 0.71 \u{b1} 0.01"), "{narrow}");
    let json = compare(&["tcp"], &["stations.count=2"], |result| {
        result.fairness.jain_goodput = Some(if result.seed % 2 == 0 { 0.16 } else { 0.86 });
    });
    let caution = json.rows[0].cautions().into_iter().map(|caution| caution.text).collect::<Vec<_>>().join("; ");
    assert!(caution.ends_with("Jain's index of goodput is 0.58 (0.10 to 1.00)"), "{caution}");
}

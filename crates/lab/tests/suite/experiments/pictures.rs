//! Pictures of sweeps: what must be known of their points stands below them.

use ackless_cell::config::CellConfig;
use ackless_cell::result::RunResult;
use ackless_lab::case::{Axis, Case};
use ackless_lab::sweep::Sweep;
use ackless_scenario::Row;

use super::{pretend, texts, wifi_80211n};

/// The picture of a sweep of `axis` with each result changed by `change`, if there is one.
fn sweep(axis: &str, overrides: &[&str], change: impl Fn(&CellConfig, &mut RunResult) + Sync) -> Option<String> {
    let mut scenario = wifi_80211n();
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let axis = Axis::parse("--over", axis).unwrap_or_else(|error| panic!("{error}"));
    let rows = ["udp", "tcp"].map(|name| Row::find(name).expect("this is a row"));
    let cases = Case::all(&scenario, &[axis], &rows).unwrap_or_else(|error| panic!("{error}"));
    let changed = |config: &CellConfig, seed: u64| {
        let mut result = pretend(config, seed);
        change(config, &mut result);
        result
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    Sweep::run(&changed, cases, 2, 2, folder.path(), &|| ()).unwrap_or_else(|error| panic!("{error}"));
    std::fs::read_to_string(folder.path().join("sweep.svg")).ok()
}

/// The text of a picture as one line.
fn words(svg: &str) -> String {
    texts(svg).join(" ")
}

fn drift(result: &mut RunResult) {
    let goodput = result.goodput_mbps;
    result.flows[0].halves_mbps = [goodput * 0.5, goodput * 1.5];
}

#[test]
fn the_picture_of_a_sweep_names_why_points_are_to_be_read_with_care() {
    let at_two = |config: &CellConfig, result: &mut RunResult| {
        if config.stations.len() == 2 && result.scheme == "tcp" {
            drift(result);
            result.fairness.jain_goodput = Some(0.5);
        }
    };
    let svg = sweep("stations.count=1,2", &[], at_two).expect("one key has a picture");
    let words = words(&svg);
    assert!(words.contains("Of 4 points 1 is to be read with care: see below."), "{words}");
    assert!(
        words.contains("* tcp stations.count=2: not steady: the second half of the window carries 100.0"),
        "{words}"
    );
    let unfair = "* tcp stations.count=2: the stations share unevenly: Jain's index of goodput is 0.50";
    assert!(words.replace("&apos;", "'").contains(unfair), "{words}");
    assert!(!words.contains("the table says why"), "{words}");
    let steady = sweep("stations.count=1,2", &[], |_, _| ()).expect("one key has a picture");
    assert!(!self::words(&steady).contains("with care"), "{steady}");
}

#[test]
fn many_points_to_be_read_with_care_take_a_line_for_each_cause() {
    let all = |config: &CellConfig, result: &mut RunResult| {
        drift(result);
        // No two points say the same.
        result.fairness.jain_goodput = Some(0.5 + config.stations.len() as f64 / 100.0);
        let factor = 1.4 + config.stations.len() as f64 / 100.0;
        result.flows[0].halves_mbps[1] = result.goodput_mbps * factor;
    };
    let svg = sweep("stations.count=1..10", &[], all).expect("one key has a picture");
    let words = words(&svg);
    assert!(words.contains("Of 20 points 20 are to be read with care: see below."), "{words}");
    assert!(words.contains("* 20 points: the window is not steady, or not known to be. "), "{words}");
    assert!(words.contains("* 20 points: the stations share unevenly"), "{words}");
    assert_eq!(words.matches("* ").count(), 2, "{words}");
}

#[test]
fn a_sweep_in_which_no_transfer_ends_has_its_tables_and_no_picture() {
    let never = |_: &CellConfig, result: &mut RunResult| {
        result.flows[0].traffic = "finite".into();
        result.flows[0].unfinished_s = Some(0.2);
    };
    assert_eq!(sweep("stations.count=1,2", &["flows.traffic=finite", "flows.size=1MB"], never), None);
}

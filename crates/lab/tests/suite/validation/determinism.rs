//! The same seed gives the same bytes, another seed another run, and streams of random numbers do not disturb each other.

use ackless_cell::observe::{Event, Observer};
use ackless_cell::result::RunResult;
use ackless_wire::Instant;

use super::support::cell;

#[test]
fn the_same_seed_gives_the_same_json_and_another_seed_does_not() {
    for (name, row, overrides) in CELLS {
        let config = cell(name, row, overrides);
        let json = |seed| to_json(&ackless_cell::run(&config, seed));
        let first = json(7);
        assert_eq!(first, json(7), "{name}, {row}, seed 7, run twice");
        assert_ne!(first, json(8).replacen("\"seed\":8", "\"seed\":7", 1), "{name}, {row}, seeds 7 and 8");
    }
}

#[test]
fn an_observer_changes_nothing() {
    for (name, row, overrides) in CELLS {
        let config = cell(name, row, overrides);
        let watched = ackless_cell::run_observed(&config, 3, &mut Starts::default());
        assert_eq!(to_json(&ackless_cell::run(&config, 3)), to_json(&watched), "{name}, {row}, seed 3");
    }
}

#[test]
fn a_run_cut_shorter_is_the_beginning_of_the_longer_one() {
    let starts = |measured| {
        let config = cell("wifi-80211n", "tcp", &["stations.count=3", "run.warm_up=0s", measured]);
        let mut starts = Starts::default();
        ackless_cell::run_observed(&config, 5, &mut starts);
        starts.0
    };
    let (short, long) = (starts("run.measured=300ms"), starts("run.measured=600ms"));
    assert!(short.len() > 100, "{} PPDUs", short.len());
    assert_eq!(short, long[..short.len()]);
}

#[test]
fn stations_that_join_leave_the_back_off_of_others_alone() {
    // The second station's flow begins after 400 ms. Until then the first one sends at the very times at which it does alone,
    // so the others' streams take no draw from its own.
    let starts = |count| {
        let overrides = ["flows.direction=up", "flows.stagger=400ms", "run.warm_up=0s", "run.measured=900ms", count];
        let mut starts = Starts::default();
        ackless_cell::run_observed(&cell("wifi-80211a", "udp", &overrides), 11, &mut starts);
        starts.0.retain(|(at, _)| *at < Instant::from_millis(400));
        starts.0
    };
    let alone = starts("stations.count=1");
    assert!(alone.len() > 1_000, "{} PPDUs", alone.len());
    assert_eq!(alone, starts("stations.count=3"));
}

/// When each PPDU began, and how much it carried.
#[derive(Default)]
struct Starts(Vec<(Instant, u64)>);

impl Observer for Starts {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Start { ppdu, .. } = event {
            self.0.push((now, ppdu.psdu_len.get()));
        }
    }
}

fn to_json(result: &RunResult) -> String {
    let result = RunResult { wall_seconds: 0.0, ..result.clone() };
    serde_json::to_string(&result).expect("a result is plain data")
}

/// Cells in which everything that draws at random does so.
const CELLS: [(&str, &str, &[&str]); 5] = [
    ("wifi-80211n", "tcp", &["run.warm_up=100ms", "run.measured=400ms", "stations.count=4", "wifi.beacons=true"]),
    ("wifi-80211ac", "tcp-l4", &["run.warm_up=100ms", "run.measured=400ms", "wired.loss=0.01", "stations.count=2"]),
    (
        "wifi-80211a",
        "tcp",
        &["run.warm_up=0s", "run.measured=500ms", "loss.model=per-frame", "loss.down_data=0.1", "loss.up_control=0.1"],
    ),
    ("wifi-80211b", "udp", &["run.warm_up=0s", "run.measured=500ms", "flows.direction=up", "stations.count=3"]),
    ("wifi-short-flows", "tcp", &["run.warm_up=100ms", "run.measured=900ms"]),
];

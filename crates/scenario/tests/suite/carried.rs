//! What the air carried within the window, against a listener that reads every frame and knows nothing of endpoints.

use std::collections::BTreeSet;

use ackless_cell::observe::{Event, Observer};
use ackless_cell::result::RunResult;
use ackless_cell::run_observed;
use ackless_scenario::{Row, Scenario};
use ackless_wire::{Instant, Transport};

/// Counts TCP payload of frames that did not collide, on the last hop of the way, each segment once.
#[derive(Default)]
struct Listener {
    window: Option<(Instant, Instant)>,
    /// Whether the last hop is the one to the AP.
    up: bool,
    heard: BTreeSet<(u16, u32)>,
    bytes: u64,
}

impl Observer for Listener {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        let Event::End { ppdu, pool, collided: false, .. } = *event else { return };
        let to_ap = ppdu.receiver.station().0 == 0;
        let Some((from, until)) = self.window.filter(|_| to_ap == self.up) else { return };
        for mpdu in ppdu.mpdus() {
            let packet = pool.get(mpdu.packet);
            let Transport::Tcp(header) = &packet.transport else { continue };
            let len = u64::from(packet.payload.len());
            let new = len > 0 && self.heard.insert((packet.ports().1, header.seq.0));
            if new && from <= now && now < until {
                self.bytes += len;
            }
        }
    }
}

/// A run of a built-in scenario, and what the listener heard, in Mbps.
#[track_caller]
fn heard(name: &str, row: &str, seed: u64, overrides: &[&str]) -> (RunResult, f64) {
    let builtin = ackless_scenario::builtin::Builtin::find(name).unwrap_or_else(|error| panic!("{error}"));
    let mut scenario: Scenario = builtin.scenario().unwrap_or_else(|error| panic!("{error}"));
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    let config = scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
    let window = Some((Instant::ZERO + config.warm_up, config.end()));
    let mut listener = Listener { window, up: overrides.contains(&"flows.direction=up"), ..Listener::default() };
    let result = run_observed(&config, seed, &mut listener);
    let mbps = listener.bytes as f64 * 8e-6 / result.sim_seconds;
    (result, mbps)
}

fn air(result: &RunResult) -> f64 {
    result.flows.iter().map(|flow| flow.air_mbps).sum()
}

/// What all flows hold at the end of the window less what they held when it began, in Mbps.
fn growth(result: &RunResult, of: fn(&ackless_cell::result::HeldResult) -> u64) -> f64 {
    let flows = result.flows.iter().filter_map(|flow| flow.held.as_ref());
    flows.map(|[before, after]| of(after) as f64 - of(before) as f64).sum::<f64>() * 8e-6 / result.sim_seconds
}

#[test]
fn what_holes_release_in_the_window_is_goodput_that_the_air_did_not_carry() {
    for row in ["tcp", "arq"] {
        // Ten slow starts have overflown their queues, and what came above the holes waits for two seconds of repairs.
        let overrides = ["stations.count=10", "run.warm_up=20s", "run.measured=15s"];
        let (result, heard) = heard("wifi-80211b", row, 1, &overrides);
        let air = air(&result);
        assert!((air - heard).abs() < 0.005 * heard, "{row}: {air} Mbps, and the listener heard {heard}");
        assert!(result.goodput_mbps > 1.02 * air, "{row}: {} Mbps against {air}", result.goodput_mbps);
        let released = -growth(&result, |held| held.behind_holes);
        assert!((result.goodput_mbps - air - released).abs() < 0.01, "{row}: {released} Mbps were released");
    }
}

#[test]
fn what_is_on_the_wire_when_the_window_begins_or_ends_was_carried_before() {
    for seed in 1..=3 {
        let overrides = [
            "flows.direction=up",
            "wired.delay=150ms",
            "run.warm_up=1s",
            "run.measured=1s",
            "transport.receive_buffer=8MB",
        ];
        let (result, heard) = heard("wifi-80211n", "tcp", seed, &overrides);
        let air = air(&result);
        assert!((air - heard).abs() < 0.005 * heard, "seed {seed}: {air} Mbps, and the listener heard {heard}");
        let (behind, passing) = (growth(&result, |h| h.behind_holes), growth(&result, |h| h.on_the_way));
        let wire: u64 = result.flows.iter().filter_map(|flow| flow.held).flatten().map(|held| held.on_the_way).sum();
        assert!(wire > 10_000, "seed {seed}: 150 ms of the wire held no more than {wire} bytes");
        assert!((result.goodput_mbps + behind + passing - air).abs() < 0.01, "seed {seed}: {result:?}");
    }
}

#[test]
fn the_account_holds_in_every_kind_of_cell() {
    let cells: [(&str, &[&str]); 5] = [
        ("wifi-80211n", &["stations.count=3", "ap.host_latency=2ms", "stations.host_latency=3ms"]),
        ("wifi-80211g", &["stations.count=2", "flows.direction=up", "wired.delay=30ms"]),
        ("wifi-80211ac", &["wired.loss=0.01"]),
        ("wifi-80211n", &["flows.read_rate=20Mbps", "transport.receive_buffer=500kB", "run.seeds=1"]),
        ("wifi-80211n", &["ap.queue_packets=20", "stations.count=4"]),
    ];
    for (name, overrides) in cells {
        for (seed, row) in (1..).zip(["tcp", "hack", "arq", "fastack", "agent", "tack"]) {
            let window = ["run.warm_up=400ms", "run.measured=400ms"];
            let overrides = [overrides, &window].concat();
            let up = overrides.contains(&"flows.direction=up");
            // What these keep in a station's MAC, until a full buffer has room, counts only when the TCP has it.
            let slow = overrides.contains(&"flows.read_rate=20Mbps") && matches!(row, "agent" | "fastack");
            if slow || up && matches!(row, "arq" | "agent" | "fastack") {
                continue;
            }
            let (result, heard) = heard(name, row, seed, &overrides);
            let (air, case) = (air(&result), format!("{name} {row} {overrides:?}, seed {seed}"));
            assert!((air - heard).abs() < 0.02 * heard + 0.1, "{case}: {air} Mbps, and the listener heard {heard}");
            let grown = growth(&result, |held| held.behind_holes + held.unread + held.on_the_way);
            assert!((result.goodput_mbps + grown - air).abs() < 0.01, "{case}: {grown} Mbps more are held");
            let halves: f64 = result.flows.iter().map(|flow| flow.halves_mbps.iter().sum::<f64>() / 2.0).sum();
            assert!((halves - result.goodput_mbps).abs() < 0.01, "{case}: the halves make {halves} Mbps");
        }
    }
}

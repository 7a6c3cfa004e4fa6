//! The built-in scenarios measure a steady state: what their window says, the time after it says too.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ackless_cell::config::{CellConfig, Pace, Traffic, TransportConfig};
use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_wire::Duration;

/// What is compared: goodput of all flows in Mbit/s, and the mean over the long TCP flows of their median round-trip times in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    goodput: f64,
    rtt: f64,
}

/// The mean over some seeds of what a cell does from `from` on, for this long.
fn found(config: &CellConfig, from: Duration, span: Duration) -> Found {
    let config = CellConfig { warm_up: from, measured: span, ..config.clone() };
    let mut mean = Found::default();
    for seed in 1..=SEEDS {
        let result = ackless_cell::run(&config, seed);
        let long = |traffic| matches!(traffic, Traffic::Bulk(Pace::Saturating));
        let tcp = |transport| matches!(transport, TransportConfig::Tcp(_));
        let flows = config.flows.iter().zip(&result.flows);
        let flows = flows.filter(|(flow, _)| long(flow.traffic) && tcp(flow.transport));
        let rtts: Vec<f64> = flows.filter_map(|(_, flow)| flow.rtt_ms.as_ref().map(|rtt| rtt.median)).collect();
        mean.goodput += result.goodput_mbps / SEEDS as f64;
        mean.rtt += rtts.iter().sum::<f64>() / rtts.len().max(1) as f64 / SEEDS as f64;
    }
    mean
}

#[test]
fn what_a_built_in_scenario_measures_goes_on_after_its_window() {
    // On two cores: it is half of what these tests take.
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(builtin) = Builtin::all().get(next.fetch_add(1, Ordering::Relaxed)) {
            goes_on(builtin);
        }
    };
    thread::scope(|scope| {
        let crew = [(); 2].map(|()| scope.spawn(work));
        for member in crew {
            member.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

fn goes_on(builtin: &Builtin) {
    let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{error}"));
    let config = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    if config.warm_up.is_zero() {
        // It is about the beginning.
        return;
    }
    let (from, span) = (config.warm_up, config.measured);
    let (window, after) = (found(&config, from, span), found(&config, from + span, span * 2));
    println!("{:18} {window:.2?} and then {after:.2?}", builtin.name);
    let off = |ours: f64, later: f64| (ours - later).abs() / later.max(f64::MIN_POSITIVE);
    assert!(off(window.goodput, after.goodput) < GOODPUT, "{}: {window:?}, and then {after:?}", builtin.name);
    assert!(off(window.rtt, after.rtt) < RTT, "{}: {window:?}, and then {after:?}", builtin.name);
}

/// Runs of each cell.
const SEEDS: u64 = 4;
/// By how much goodput may differ: transfers whose sizes or pauses are drawn scatter by 2 % over the seeds.
const GOODPUT: f64 = 0.035;
/// By how much round-trip times may differ: a window begins somewhere in a swing of the congestion window.
const RTT: f64 = 0.12;

//! A cell whose schemes are asked about runs of packets at once, beside the same cell whose schemes are asked about each.

use std::collections::BTreeMap;

use ackless_cell::config::CellConfig;
use ackless_cell::host::Eavesdropper;
use ackless_cell::loss::Interference;
use ackless_cell::result::RunResult;
use ackless_cell::{Cell, scheme};
use ackless_dot11::frame::NodeId;
use ackless_wire::Duration;

use crate::testing::ears;
use crate::testing::tap::{Listener, Tap};
use crate::testing::tested::{TestedCell, configured};

/// What each node's scheme has counted under each name.
pub type Counts = BTreeMap<(NodeId, &'static str), u64>;

/// Runs this cell in this air in both ways. Returns what was counted in either.
///
/// # Panics
/// If they differ in what the recorder finds, or in what the schemes count.
pub fn assert_alike(config: &CellConfig, seed: u64, air: impl Fn() -> Interference) -> Counts {
    let mut cell = configured(config, seed, ears::recorder(config));
    cell.interfere(air());
    cell.advance(config.end());
    let in_runs = found(config, seed, cell);

    let each = |node| Tap::boxed(scheme(config, node), Deaf);
    let mut cell = Cell::new(config, seed, each, ears::recorder(config));
    cell.interfere(air());
    // Somebody who hears what the hosts get is told of each packet in its turn.
    cell.eavesdrop(Eavesdropper(Box::new(|_, _, _, _| {})));
    while let Some(at) = cell.poll_timeout().filter(|at| *at < config.end()) {
        cell.advance(at + Duration::from_nanos(1));
    }
    cell.advance(config.end());
    let one_by_one = found(config, seed, cell);
    assert_eq!(in_runs, one_by_one);
    in_runs.1
}

/// The same with hosts that hand packets over at once, which is where they go in runs.
pub fn with_instant_hosts(mut config: CellConfig) -> CellConfig {
    let hosts = config.stations.iter_mut().map(|station| &mut station.host_latency);
    hosts.chain([&mut config.ap.host_latency]).for_each(|latency| *latency = Duration::ZERO);
    config
}

/// What was found in a cell at its end, and what its schemes have counted.
fn found(config: &CellConfig, seed: u64, mut cell: TestedCell<'_>) -> (RunResult, Counts) {
    cell.finish();
    let mut counts = BTreeMap::new();
    for node in (0..=config.stations.len()).map(|node| NodeId(node as u16)) {
        let scheme = cell.station(node).scheme().product().expect("each node has one of the product's");
        counts.extend(scheme.counts().into_iter().map(|(name, count)| ((node, name), count)));
    }
    let events = cell.events();
    (cell.into_observer().0.result(config, seed, events), counts)
}

/// Hears nothing.
struct Deaf;

impl Listener for Deaf {}

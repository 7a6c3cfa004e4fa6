//! A cell in its run, and what is measured of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_schemes::AnyScheme;
use ackless_schemes::agent::Agent;
use ackless_schemes::arq_proxy::ArqProxy;
use ackless_schemes::fast_ack::FastAck;
use ackless_schemes::filter::Filter;
use ackless_schemes::hack::{Hack, HackCounters};
use ackless_schemes::thinning::Thinning;
use ackless_wire::Instant;

use crate::cell::Cell;
use crate::config::{CellConfig, SchemeChoice};
use crate::observe::Observer;
use crate::recorder::Recorder;
use crate::result::{Airtime, RunResult};

/// A cell in its run, with what it had counted when the window began. A cell alone has a listener where one of several may have none, so that one
/// compiled cell serves both.
#[derive(Debug)]
pub struct Measured<'a, O> {
    pub(crate) config: Cow<'a, CellConfig>,
    /// The cell.
    pub cell: Cell<AnyScheme, (Recorder, Option<O>)>,
    seed: u64,
    before: (Option<HackCounters>, BTreeMap<String, u64>),
}

impl<'a, O: Observer> Measured<'a, O> {
    /// A cell before its run. `seed` is that of the run, and `own` that of the cell's random streams.
    pub fn new(config: Cow<'a, CellConfig>, seed: u64, own: u64, observer: Option<O>) -> Self {
        let observers = (Recorder::new(&config), observer);
        let mut cell = Cell::new(&config, own, |node| scheme(&config, node), observers);
        // HACK sends no ACK that the sender did not make; a debug build makes sure.
        if cfg!(debug_assertions) && hack_counters(&config, &cell).is_some() {
            cell.witness_acks();
        }
        Self { config, cell, seed, before: (None, BTreeMap::new()) }
    }

    /// Advances to `until`, and tells the listener how flows stand as often as it asks for that.
    pub fn advance(&mut self, until: Instant) {
        while let Some(at) = self.next_mark(until) {
            advance(&mut self.cell, at);
            self.mark();
        }
        advance(&mut self.cell, until);
    }

    /// When what has been delivered is to be marked next, on the way to a time before the end; who goes to the end ends nothing early.
    pub(crate) fn next_mark(&self, until: Instant) -> Option<Instant> {
        (until < self.config.end()).then(|| self.cell.observer().0.next_mark(until))?
    }

    /// Marks what has been delivered until now.
    pub(crate) fn mark(&mut self) {
        self.cell.observer_mut().0.mark();
    }

    /// The warm-up is over.
    pub fn begin_window(&mut self) {
        self.cell.report_totals();
        self.before = (hack_counters(&self.config, &self.cell), rival_counts(&self.config, &self.cell));
    }

    /// What all HACK nodes together have counted since the run began; `None` where there is none.
    pub fn hack(&self) -> Option<HackCounters> {
        hack_counters(&self.config, &self.cell)
    }

    /// Where the time has gone since the window began.
    pub fn airtime(&self) -> &Airtime {
        self.cell.observer().0.airtime()
    }

    /// What it has shown until now. The silence or the PPDU that lasts is in no ledger yet.
    pub fn so_far(&mut self) -> RunResult {
        let now = self.cell.now();
        let kept = self.cell.observer().0.clone();
        self.cell.observer_mut().0.end_at(now);
        self.cell.report_totals();
        let recorder = std::mem::replace(&mut self.cell.observer_mut().0, kept);
        recorder.result(&self.config, self.seed, self.cell.events())
    }

    /// The end of the run, or before it, and who has listened.
    pub(crate) fn ended(mut self, early: bool) -> (RunResult, Option<O>) {
        if early {
            let now = self.cell.now();
            self.cell.observer_mut().0.end_at(now);
        }
        let Self { config, mut cell, seed, before } = self;
        sample_rest(&mut cell);
        cell.finish();
        let events = cell.events();
        let hack = hack_counters(&config, &cell).zip(before.0).map(|(now, before)| now.since(&before));
        let mut rival = rival_counts(&config, &cell);
        for (name, before) in before.1 {
            rival.entry(name).and_modify(|now| *now -= before);
        }
        let (recorder, listener) = cell.into_observer();
        (RunResult { hack, rival, ..recorder.result(&config, seed, events) }, listener)
    }
}

/// Advances to `until`, with samples on the way if anybody wants them: at whole multiples of the interval since the start of the run, and
/// of what has happened before them.
fn advance<S: Scheme, O: Observer>(cell: &mut Cell<S, O>, until: Instant) {
    while let Some(next) = next_sample(cell, until) {
        cell.advance(next);
        cell.report_samples();
    }
    cell.advance(until);
}

/// When the listener wants the next samples, unless that is after `until`.
pub(crate) fn next_sample<S: Scheme, O: Observer>(cell: &Cell<S, O>, until: Instant) -> Option<Instant> {
    let interval = cell.observer().sampling()?;
    let next = Instant::ZERO + interval * ((cell.now() - Instant::ZERO).div_floor(interval) + 1);
    (next <= until).then_some(next)
}

/// Samples what the last interval has of the run, if it is not whole.
fn sample_rest<S: Scheme, O: Observer>(cell: &mut Cell<S, O>) {
    let passed = cell.now() - Instant::ZERO;
    if cell.observer().sampling().is_some_and(|interval| interval * passed.div_floor(interval) != passed) {
        cell.report_samples();
    }
}

/// The scheme that the configuration puts on `node`.
pub fn scheme(config: &CellConfig, node: NodeId) -> AnyScheme {
    match scheme_choice(config, node) {
        SchemeChoice::Stock => AnyScheme::Stock,
        SchemeChoice::Hack(hack) => AnyScheme::Hack(Box::new(Hack::new(hack))),
        SchemeChoice::Agent(agent) if node == NodeId(0) => AnyScheme::Agent(Box::new(Agent::at_ap(agent))),
        SchemeChoice::Agent(agent) => AnyScheme::Agent(Box::new(Agent::new(agent))),
        SchemeChoice::Filter(filter) => AnyScheme::Filter(Box::new(Filter::new(filter))),
        SchemeChoice::ArqProxy(proxy) => AnyScheme::ArqProxy(Box::new(ArqProxy::new(proxy))),
        SchemeChoice::Thinning(thinning) => AnyScheme::Thinning(Box::new(Thinning::new(thinning))),
        SchemeChoice::FastAck(fast_ack) => AnyScheme::FastAck(Box::new(FastAck::new(fast_ack))),
    }
}

fn scheme_choice(config: &CellConfig, node: NodeId) -> SchemeChoice {
    match usize::from(node.0).checked_sub(1) {
        None => config.ap.scheme,
        Some(station) => config.stations[station].scheme,
    }
}

/// What all HACK nodes together have counted so far; `None` where there is none.
fn hack_counters<O: Observer>(config: &CellConfig, cell: &Cell<AnyScheme, O>) -> Option<HackCounters> {
    let nodes = (0..=config.stations.len()).map(|node| NodeId(node as u16));
    let counters = nodes.filter_map(|node| cell.station(node).scheme().as_hack().map(Hack::counters));
    counters.copied().reduce(|mut sum, counters| {
        sum += counters;
        sum
    })
}

/// What the nodes with any other scheme have counted so far, added up by name.
fn rival_counts<O: Observer>(config: &CellConfig, cell: &Cell<AnyScheme, O>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for node in (0..=config.stations.len()).map(|node| NodeId(node as u16)) {
        let scheme = cell.station(node).scheme();
        if scheme.as_hack().is_none() {
            for (name, count) in scheme.counts() {
                *counts.entry(name.to_owned()).or_default() += count;
            }
        }
    }
    counts
}

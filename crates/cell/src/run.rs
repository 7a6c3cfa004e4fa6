//! A whole run: warm-up, measured window, result.

use std::borrow::Cow;

use ackless_wire::{Duration, Instant};

use crate::config::CellConfig;
use crate::measured::Measured;
use crate::neighbours::{self, keep_instants, seed_of};
use crate::observe::Observer;
use crate::result::{NeighbourResult, RunResult};

/// Runs a cell from its start to the end of the measured window. `wall_seconds` of the result is left at zero.
pub fn run(config: &CellConfig, seed: u64) -> RunResult {
    whole(config, seed, None)
}

/// Runs a cell with one more observer beside the recorder. It hears nothing of the cell's neighbours.
pub fn run_observed(config: &CellConfig, seed: u64, observer: &mut dyn Observer) -> RunResult {
    whole(config, seed, Some(observer))
}

/// The same as [`run`], but asks after every 10 ms of simulated time whether to go on. `None` where
/// it was told not to.
pub fn run_while(config: &CellConfig, seed: u64, go_on: &mut dyn FnMut() -> bool) -> Option<RunResult> {
    let mut run = Run::new(Cow::Borrowed(config), seed, None::<&mut dyn Observer>);
    let (mut until, end) = (Instant::ZERO, config.end());
    while until < end {
        if !go_on() {
            return None;
        }
        until = (until + SLICE).min(end);
        run.advance(until);
    }
    Some(run.finish())
}

/// Whoever listens is behind a pointer, so that a cell is compiled once, and here.
fn whole(config: &CellConfig, seed: u64, observer: Option<&mut dyn Observer>) -> RunResult {
    let mut run = Run::new(Cow::Borrowed(config), seed, observer);
    run.advance(config.end());
    run.finish()
}

/// A run that goes as far as it is told, in steps of any size: they do not show in what it finds. `O` listens to the cell, and to none of its neighbours.
#[derive(Debug)]
pub struct Run<'a, O> {
    /// The cell itself first, then its neighbours.
    cells: Vec<Measured<'a, O>>,
    /// Whether the warm-up is over.
    begun: bool,
}

impl<'a, O: Observer> Run<'a, O> {
    /// A run at its start.
    ///
    /// # Panics
    /// If there are neighbours, and in one of the cells all hear each other.
    pub fn new(config: Cow<'a, CellConfig>, seed: u64, observer: Option<O>) -> Self {
        let others: Vec<Cow<'a, CellConfig>> = match &config {
            Cow::Borrowed(config) => config.neighbours.iter().map(|other| Cow::Borrowed(&other.cell)).collect(),
            Cow::Owned(config) => config.neighbours.iter().map(|other| Cow::Owned(other.cell.clone())).collect(),
        };
        let mut cells = vec![Measured::new(config, seed, seed, observer)];
        cells.extend(others.into_iter().zip(1..).map(|(other, n)| Measured::new(other, seed, seed_of(seed, n), None)));
        keep_instants(&mut cells);
        Self { cells, begun: false }
    }

    /// Advances to `until`, or to the end of the run if that comes first, with the samples that the listener wants on the way.
    pub fn advance(&mut self, until: Instant) {
        let (window, end) = (Instant::ZERO + self.config().warm_up, self.config().end());
        let until = until.min(end);
        if !self.begun && until >= window {
            self.pass(window);
            self.cells.iter_mut().for_each(Measured::begin_window);
            self.begun = true;
        }
        self.pass(until);
    }

    fn pass(&mut self, until: Instant) {
        match self.cells.as_mut_slice() {
            [alone] => alone.advance(until),
            cells => {
                while let Some(at) = cells[0].next_mark(until) {
                    neighbours::advance(cells, at);
                    cells.iter_mut().for_each(Measured::mark);
                }
                neighbours::advance(cells, until);
            }
        }
    }

    /// What is run.
    pub fn config(&self) -> &CellConfig {
        &self.cells[0].config
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.own().cell.now()
    }

    /// Whether it has come to its end.
    pub fn is_over(&self) -> bool {
        self.now() >= self.config().end()
    }

    /// The cell itself.
    pub fn own(&self) -> &Measured<'a, O> {
        &self.cells[0]
    }

    /// As [`Self::own`], to change it; time passes for all cells or for none.
    pub fn own_mut(&mut self) -> &mut Measured<'a, O> {
        &mut self.cells[0]
    }

    /// What the run has shown until now; without the neighbours. The silence or the PPDU that lasts is in no ledger yet.
    pub fn so_far(&mut self) -> RunResult {
        self.cells[0].so_far()
    }

    /// The listener, if there is one.
    pub fn observer_mut(&mut self) -> Option<&mut O> {
        self.cells[0].cell.observer_mut().1.as_mut()
    }

    /// What the run has found. Where it is not over, its window ends now.
    pub fn finish(self) -> RunResult {
        self.finish_heard().0
    }

    /// As [`Self::finish`], and gives the listener back.
    pub fn finish_heard(mut self) -> (RunResult, Option<O>) {
        if !self.begun {
            self.cells.iter_mut().for_each(Measured::begin_window);
        }
        let early = !self.is_over();
        let names: Vec<_> = self.config().neighbours.iter().map(|neighbour| neighbour.name.clone()).collect();
        let mut results = self.cells.into_iter().map(|measured| measured.ended(early));
        let (own, listener) = results.next().expect("the cell itself is the first");
        let neighbours = names.into_iter().zip(results);
        let neighbours = neighbours.map(|(cell, (result, _))| NeighbourResult { cell, result });
        (RunResult { neighbours: neighbours.collect(), ..own }, listener)
    }
}

/// How far a run goes until it asks again whether to go on.
const SLICE: Duration = Duration::from_millis(10);

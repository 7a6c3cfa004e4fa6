//! Several cells on one channel: each is a cell of its own, with its own server, wire, random streams and result, and hears what is sent in the
//! others.
//!
//! They go from instant to instant together. What begins in one cell is told to the others when everything that happens in that instant has
//! happened everywhere, so that those whose counters run out at once send at once, in whichever cell they are.

use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant};

use crate::config::{CellConfig, Neighbour};
use crate::observe::Observer;
use crate::result::{NeighbourResult, RunResult};
use crate::run::{Measured, next_sample};

/// A cell and its neighbours in the middle of their run, the cell itself first; `O` listens to that one.
#[derive(Debug)]
pub(crate) struct Neighbourhood<'a, O> {
    cells: Vec<Measured<'a, O>>,
}

impl<'a, O: Observer> Neighbourhood<'a, O> {
    /// All cells before their run.
    ///
    /// # Panics
    /// If in one of them all hear each other.
    pub(crate) fn new(config: &'a CellConfig, seed: u64, observer: &'a mut O) -> Self {
        let own = Measured::new(config, seed, seed, Some(observer));
        let others = config.neighbours.iter().zip(1..);
        let others = others.map(|(neighbour, n)| Measured::new(&neighbour.cell, seed, seed_of(seed, n), None));
        let mut cells: Vec<_> = std::iter::once(own).chain(others).collect();
        cells.iter_mut().for_each(|measured| measured.cell.keep_for_neighbours());
        Self { cells }
    }

    /// Runs them all to the end.
    pub(crate) fn run(mut self, neighbours: &[Neighbour]) -> RunResult {
        let config = self.cells[0].config;
        self.advance(Instant::ZERO + config.warm_up);
        self.cells.iter_mut().for_each(Measured::begin_window);
        self.advance(config.end());
        let mut results = self.cells.into_iter().map(Measured::finish);
        let own = results.next().expect("the cell itself is the first");
        let neighbours = neighbours.iter().zip(results);
        let neighbours = neighbours.map(|(neighbour, result)| NeighbourResult { cell: neighbour.name.clone(), result });
        RunResult { neighbours: neighbours.collect(), ..own }
    }

    /// Advances to `until`, with the samples that the listener wants on the way.
    fn advance(&mut self, until: Instant) {
        while let Some(next) = next_sample(&self.cells[0].cell, until) {
            self.pass(next);
            self.cells[0].cell.report_samples();
        }
        self.pass(until);
    }

    /// Lets time pass in all cells.
    fn pass(&mut self, until: Instant) {
        while let Some(now) = self.next().filter(|now| *now < until) {
            for measured in &mut self.cells {
                measured.cell.advance(now + INSTANT);
            }
            for place in 0..self.cells.len() {
                for (from, ppdu) in self.cells[place].cell.take_begun() {
                    for (_, other) in self.cells.iter_mut().enumerate().filter(|(other, _)| *other != place) {
                        other.cell.hear_neighbour(now, from, &ppdu);
                    }
                }
            }
        }
        for measured in &mut self.cells {
            measured.cell.advance(until);
        }
    }

    /// When something happens next in any of the cells.
    fn next(&self) -> Option<Instant> {
        self.cells.iter().filter_map(|measured| measured.cell.poll_timeout()).min()
    }
}

/// The seed of the random streams of a neighbouring cell.
fn seed_of(seed: u64, number: u64) -> u64 {
    Stream::new(seed, number, Purpose::Neighbour).bits()
}

/// As long as an instant lasts.
const INSTANT: Duration = Duration::from_nanos(1);

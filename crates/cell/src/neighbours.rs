//! Several cells on one channel: each is a cell of its own, with its own server, wire, random streams and result, and hears what is sent in the
//! others.
//!
//! They go from instant to instant together. What begins in one cell is told to the others when everything that happens in that instant has
//! happened everywhere, so that those whose counters run out at once send at once, in whichever cell they are.

use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant};

use crate::measured::{Measured, next_sample};
use crate::observe::Observer;

/// Each cell keeps for the others what begins in it, where there are several.
///
/// # Panics
/// If in one of several cells all hear each other.
pub(crate) fn keep_instants<O: Observer>(cells: &mut [Measured<'_, O>]) {
    if let [_, _, ..] = cells {
        cells.iter_mut().for_each(|measured| measured.cell.keep_for_neighbours());
    }
}

/// Advances all cells to `until`, with the samples that the listener of the first wants on the way.
pub(crate) fn advance<O: Observer>(cells: &mut [Measured<'_, O>], until: Instant) {
    while let Some(next) = next_sample(&cells[0].cell, until) {
        pass(cells, next);
        cells[0].cell.report_samples();
    }
    pass(cells, until);
}

/// Lets time pass in all cells.
fn pass<O: Observer>(cells: &mut [Measured<'_, O>], until: Instant) {
    while let Some(now) = next(cells).filter(|now| *now < until) {
        for measured in &mut *cells {
            measured.cell.advance(now + INSTANT);
        }
        for place in 0..cells.len() {
            for (from, ppdu) in cells[place].cell.take_begun() {
                for (_, other) in cells.iter_mut().enumerate().filter(|(other, _)| *other != place) {
                    other.cell.hear_neighbour(now, from, &ppdu);
                }
            }
        }
    }
    for measured in &mut *cells {
        measured.cell.advance(until);
    }
}

/// When something happens next in any of the cells.
fn next<O: Observer>(cells: &[Measured<'_, O>]) -> Option<Instant> {
    cells.iter().filter_map(|measured| measured.cell.poll_timeout()).min()
}

/// The seed of the random streams of a neighbouring cell.
pub(crate) fn seed_of(seed: u64, number: u64) -> u64 {
    Stream::new(seed, number, Purpose::Neighbour).bits()
}

/// As long as an instant lasts.
const INSTANT: Duration = Duration::from_nanos(1);

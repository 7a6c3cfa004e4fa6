//! Whether less in flight has lost less. Ours; the paper does not look at losses.
//!
//! Beside flows that heed losses it does: a full queue has cut all of us, and what was sent after a cut had shown loses a third of what all rounds do, or less. Beside one that heeds none, such as one of BBR version 1, which fills the
//! queue whatever others do, it loses as much as ever; so it does on a line that loses at random, where few segments are in flight (of many that is [noise](super::noise), and not looked at here). There cuts of a quarter are in vain, and
//! come again and again. One leaves what came, then: the short-term bounds of version 3 are never below what the latest round has delivered (draft-ietf-ccwg-bbr-06, 5.5.10.3).
//!
//! One flow of many is too small a part of a queue to relieve it, and where none of them would, they would lose ever more. So no cut is in vain where more than one segment of twenty is lost in all, and none leaves more than nine tenths.

use ackless_wire::Bytes;

use super::tally::Tally;

/// What was lost after the latest cuts, and in all rounds between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relief {
    /// The latest first,
    periods: [Period; PERIODS],
    /// so many of them.
    known: usize,
    /// All rounds since the last of them.
    current: Tally,
}

/// From one round that followed a cut to the next.
#[derive(Clone, Copy, Debug)]
struct Period {
    /// That next one alone.
    low: Tally,
    /// It and all before.
    all: Tally,
}

impl Relief {
    pub(super) const fn new() -> Self {
        let none = Period { low: Tally::NONE, all: Tally::NONE };
        Self { periods: [none; PERIODS], known: 0, current: Tally::NONE }
    }

    /// A round lost so much of what it sent, beyond noise. `low`: that was sent after a cut had shown.
    pub(super) fn end_round(&mut self, excess: Bytes, sent: Bytes, low: bool) {
        let round = Tally { lost: excess, sent };
        self.current += round;
        if low {
            self.periods.rotate_right(1);
            self.periods[0] = Period { low: round, all: std::mem::take(&mut self.current) };
            self.known = (self.known + 1).min(PERIODS);
        }
    }

    /// Cuts have been in vain.
    pub(super) fn is_none(&self) -> bool {
        let sum = |of: fn(&Period) -> Tally| self.periods.iter().map(of).sum::<Tally>().share();
        let (low, all) = (sum(|period| period.low), sum(|period| period.all));
        self.known == PERIODS && low * 10 >= all * TENTHS && all <= MOST
    }
}

/// So many cuts tell: where one round in five loses something, three of the rounds that followed them do.
const PERIODS: usize = 16;
/// So many tenths of what all rounds lose is as much as they: beside flows that heed losses it is two to four.
const TENTHS: u64 = 7;
/// A twentieth, in parts of a million.
const MOST: u64 = 50_000;

#[cfg(test)]
mod tests;

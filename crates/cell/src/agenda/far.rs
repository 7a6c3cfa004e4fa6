//! Those that are to be woken later: shelves by time, the finer the nearer (hierarchical timing wheels; Varghese and Lauck, 1987).
//!
//! Time is counted in [`SPAN`]s, and their number read as digits of six bits. A deadline lies on the shelf of the highest digit in which it differs from the horizon, and of
//! what its digit is there: so it stays there until the horizon comes to that shelf, however often it moves until then.

use ackless_wire::Instant;

use super::Slot;

/// Deadlines behind a horizon, unordered: to put one there and to take it away is O(1).
#[derive(Clone, Debug)]
pub(super) struct Far {
    /// The last span of time before it.
    horizon: u64,
    /// The first slot on each shelf.
    shelves: [[u32; SHELVES]; DIGITS],
    /// Which of them are not empty: a bit for each.
    filled: [u64; DIGITS],
    /// Beside whom each slot lies.
    neighbours: Vec<Neighbours>,
}

#[derive(Clone, Copy, Debug)]
struct Neighbours {
    next: u32,
    previous: u32,
}

impl Far {
    /// None of so many slots, and the horizon at time zero.
    pub(super) fn new(slots: usize) -> Self {
        let alone = Neighbours { next: NOBODY, previous: NOBODY };
        let shelves = [[NOBODY; SHELVES]; DIGITS];
        Self { horizon: 0, shelves, filled: [0; DIGITS], neighbours: vec![alone; slots] }
    }

    /// Whether a time lies behind the horizon.
    #[inline(always)]
    pub(super) const fn holds(&self, at: Instant) -> bool {
        span(at) > self.horizon
    }

    /// One more, whose time lies behind the horizon.
    #[inline(always)]
    pub(super) fn add(&mut self, Slot(slot): Slot, at: Instant) {
        let (digit, shelf) = self.shelf(at);
        let next = std::mem::replace(&mut self.shelves[digit][shelf], slot);
        self.neighbours[slot as usize] = Neighbours { next, previous: NOBODY };
        match self.neighbours.get_mut(next as usize) {
            Some(next) => next.previous = slot,
            None => self.filled[digit] |= 1 << shelf,
        }
    }

    /// One that was put there for this time is none any more.
    #[inline(always)]
    pub(super) fn remove(&mut self, Slot(slot): Slot, at: Instant) {
        let Neighbours { next, previous } = self.neighbours[slot as usize];
        match self.neighbours.get_mut(previous as usize) {
            Some(previous) => previous.next = next,
            None => {
                let (digit, shelf) = self.shelf(at);
                self.shelves[digit][shelf] = next;
                self.filled[digit] &= !(u64::from(next == NOBODY) << shelf);
            }
        }
        if let Some(next) = self.neighbours.get_mut(next as usize) {
            next.previous = previous;
        }
    }

    /// Moves the horizon to the next shelf, and gives those that lie before it then to `near`; `deadlines` has each slot's time. Returns whether there was a shelf.
    pub(super) fn approach(&mut self, deadlines: &[Instant], mut near: impl FnMut(Slot)) -> bool {
        let Some(digit) = self.filled.iter().position(|&filled| filled != 0) else { return false };
        let shelf = self.filled[digit].trailing_zeros();
        self.filled[digit] &= self.filled[digit] - 1;
        let above = BITS * (digit as u32 + 1);
        self.horizon = self.horizon >> above << above | u64::from(shelf) << (above - BITS);
        let mut next = std::mem::replace(&mut self.shelves[digit][shelf as usize], NOBODY);
        while next != NOBODY {
            let slot = Slot(next);
            next = self.neighbours[next as usize].next;
            let at = deadlines[slot.0 as usize];
            if self.holds(at) {
                self.add(slot, at);
            } else {
                near(slot);
            }
        }
        true
    }

    /// The digit and the shelf of a time behind the horizon.
    #[inline(always)]
    const fn shelf(&self, at: Instant) -> (usize, usize) {
        let span = span(at);
        let digit = (span ^ self.horizon).ilog2() / BITS;
        (digit as usize, (span >> (BITS * digit)) as usize % SHELVES)
    }
}

#[inline(always)]
const fn span(at: Instant) -> u64 {
    at.as_nanos() >> SPAN
}

/// A span of time has two to this power nanoseconds: about one millisecond.
const SPAN: u32 = 20;
const BITS: u32 = 6;
const SHELVES: usize = 1 << BITS;
/// Enough for all spans: 44 bits.
const DIGITS: usize = 8;
/// No slot.
const NOBODY: u32 = u32::MAX;

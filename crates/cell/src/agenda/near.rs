//! Those that are to be woken soon: a binary heap in which each slot's place is known.

use super::{Due, Slot};

/// Deadlines of few slots, the earliest at hand.
#[derive(Clone, Debug)]
pub(super) struct Near {
    /// None comes before the one at half its place.
    heap: Vec<Due>,
    /// Where each slot stands in it.
    places: Vec<u32>,
}

impl Near {
    /// None of so many slots.
    pub(super) fn new(slots: usize) -> Self {
        Self { heap: Vec::with_capacity(slots.min(16)), places: vec![NOWHERE; slots] }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The earliest of all.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<Due> {
        self.heap.first().copied()
    }

    /// Whether this slot is one of them.
    #[inline(always)]
    pub(super) fn holds(&self, slot: Slot) -> bool {
        self.places[slot.0 as usize] != NOWHERE
    }

    /// One more.
    #[inline(always)]
    pub(super) fn add(&mut self, due: Due) {
        self.heap.push(due);
        self.rise(self.heap.len() - 1, due);
    }

    /// One of them has another deadline now.
    #[inline(always)]
    pub(super) fn change(&mut self, due: Due) {
        let place = self.places[due.slot().0 as usize] as usize;
        self.settle(place, due);
    }

    /// One of them is none any more.
    #[inline(always)]
    pub(super) fn remove(&mut self, slot: Slot) {
        let place = std::mem::replace(&mut self.places[slot.0 as usize], NOWHERE) as usize;
        if let Some(last) = self.heap.pop()
            && place < self.heap.len()
        {
            self.settle(place, last);
        }
    }

    /// Lets `due`, which stands at `place` or is to stand there, go up or down to where it belongs.
    #[inline(always)]
    fn settle(&mut self, place: usize, due: Due) {
        if place > 0 && due < self.heap[(place - 1) / 2] {
            self.rise(place, due);
        } else {
            self.sink(place, due);
        }
    }

    #[inline(always)]
    fn rise(&mut self, mut place: usize, due: Due) {
        while place > 0 {
            let above = (place - 1) / 2;
            let other = self.heap[above];
            if other < due {
                break;
            }
            self.put(place, other);
            place = above;
        }
        self.put(place, due);
    }

    #[inline(always)]
    fn sink(&mut self, mut place: usize, due: Due) {
        loop {
            let below = 2 * place + 1;
            let Some(&left) = self.heap.get(below) else { break };
            let (earlier, at) = match self.heap.get(below + 1) {
                Some(&right) if right < left => (right, below + 1),
                _ => (left, below),
            };
            if due < earlier {
                break;
            }
            self.put(place, earlier);
            place = at;
        }
        self.put(place, due);
    }

    #[inline(always)]
    fn put(&mut self, place: usize, due: Due) {
        self.heap[place] = due;
        self.places[due.slot().0 as usize] = place as u32;
    }
}

/// The place of a slot that stands in no heap.
const NOWHERE: u32 = u32::MAX;

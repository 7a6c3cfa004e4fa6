//! Those that are to be woken soon: a list by time.

use super::Due;

/// Deadlines of few slots, the earliest at hand.
#[derive(Clone, Default, Debug)]
pub(super) struct Near {
    /// The earliest is the last.
    list: Vec<Due>,
}

impl Near {
    pub(super) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The earliest of all.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<Due> {
        self.list.last().copied()
    }

    /// One more.
    #[inline(always)]
    pub(super) fn add(&mut self, due: Due) {
        let place = self.later(due);
        if place == self.list.len() { self.list.push(due) } else { self.list.insert(place, due) }
    }

    /// One of them is none any more.
    #[inline(always)]
    pub(super) fn remove(&mut self, due: Due) {
        if self.first() == Some(due) {
            self.list.pop();
            return;
        }
        let place = self.later(due);
        debug_assert_eq!(self.list[place], due, "who is taken away stands there");
        self.list.remove(place);
    }

    /// There were none, and those come whom `find` adds to the list. Returns what it returns.
    #[inline(always)]
    pub(super) fn fill<T>(&mut self, find: impl FnOnce(&mut Vec<Due>) -> T) -> T {
        let found = find(&mut self.list);
        if self.list.len() > 1 {
            self.list.sort_unstable_by(|one, other| other.cmp(one));
        }
        found
    }

    /// How many come later.
    #[inline(always)]
    fn later(&self, due: Due) -> usize {
        let among_few = self.list.iter().rev().take(FEW).position(|other| *other > due);
        match among_few {
            Some(earlier) => self.list.len() - earlier,
            None => self.list[..self.list.len().saturating_sub(FEW)].partition_point(|other| *other > due),
        }
    }
}

/// Among so many of the earliest a place is looked for one by one: most stand there.
const FEW: usize = 8;

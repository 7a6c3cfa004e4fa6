//! Stretches of data above the first hole, in the order of the stream and in that in which they last grew.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::ops::RangeBounds;

use ackless_wire::Bytes;

use crate::sequence::{Position, Span};

/// Islands, disjoint and apart from each other.
///
/// To find, add or remove one is O(log n). The highest, which nearly all that comes above a hole makes longer, is at hand, and so are those that grew last.
#[derive(Clone, Debug)]
pub(super) struct Islands {
    /// Where in `places` each but the highest stands, by its first byte.
    lower: BTreeMap<Position, usize>,
    places: Vec<Place>,
    /// A place where none stands. Its `newer` is another one.
    free: Option<usize>,
    highest: Option<usize>,
    newest: Option<usize>,
}

/// Data without a hole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Island {
    pub(super) span: Span,
    /// The number of the packet that revealed the hole below. That of an island above may be less, where this one's came late: then what is above is told as late as this.
    pub(super) revealed: u64,
}

/// An island, and its neighbours in the order in which islands last grew.
#[derive(Clone, Copy, Debug)]
struct Place {
    island: Island,
    newer: Option<usize>,
    older: Option<usize>,
}

impl Default for Islands {
    /// None, and room for the first ones, so that a hole takes no memory.
    fn default() -> Self {
        Self { lower: BTreeMap::new(), places: Vec::with_capacity(4), free: None, highest: None, newest: None }
    }
}

impl Islands {
    pub(super) fn is_empty(&self) -> bool {
        self.highest.is_none()
    }

    pub(super) fn len(&self) -> usize {
        self.lower.len() + usize::from(self.highest.is_some())
    }

    #[inline]
    pub(super) fn lowest(&self) -> Option<Island> {
        let at = if self.lower.is_empty() { self.highest } else { self.lower.first_key_value().map(|(_, &at)| at) };
        at.map(|at| self.places[at].island)
    }

    pub(super) fn highest(&self) -> Option<Island> {
        self.highest.map(|at| self.places[at].island)
    }

    /// The last that begins at `place` or before.
    pub(super) fn below(&self, place: Position) -> Option<Island> {
        let highest = self.highest()?;
        if highest.span.start <= place {
            return Some(highest);
        }
        self.lower.range(..=place).next_back().map(|(_, &at)| self.places[at].island)
    }

    /// The first that begins after `place`.
    pub(super) fn above(&self, place: Position) -> Option<Island> {
        let highest = self.highest().filter(|highest| highest.span.start > place)?;
        let lower = self.lower.range((Excluded(place), Unbounded)).next();
        Some(lower.map_or(highest, |(_, &at)| self.places[at].island))
    }

    /// Those that begin there, in the order of the stream.
    pub(super) fn within(&self, places: impl RangeBounds<Position>) -> impl Iterator<Item = Island> {
        let highest = self.highest().filter(|highest| places.contains(&highest.span.start));
        self.lower.range(places).map(|(_, &at)| self.places[at].island).chain(highest)
    }

    /// All, that which grew last first.
    pub(super) fn recent(&self) -> impl Iterator<Item = Island> {
        std::iter::successors(self.newest, |&at| self.places[at].older).map(|at| self.places[at].island)
    }

    /// One more, which is the one that grew last.
    pub(super) fn add(&mut self, island: Island) {
        let place = Place { island, newer: None, older: None };
        let at = self.free.unwrap_or(self.places.len());
        if let Some(free) = self.places.get_mut(at) {
            self.free = std::mem::replace(free, place).newer;
        } else {
            self.places.push(place);
        }
        let highest = self.highest();
        if highest.is_some_and(|highest| highest.span.start > island.span.start) {
            self.lower.insert(island.span.start, at);
        } else if let (Some(highest), Some(before)) = (highest, self.highest.replace(at)) {
            self.lower.insert(highest.span.start, before);
        }
        self.link(at);
    }

    /// The one that begins at `start` goes up to `end` from now on, and is the one that grew last.
    pub(super) fn grow(&mut self, start: Position, end: Position) {
        let Some(at) = self.at(start) else { return };
        self.places[at].island.span.end = end;
        self.make_newest(at);
    }

    /// The highest goes on with `span` from now on, where that begins in it or right behind it, and is the one that grew last. Returns by how much it is longer now, if so.
    #[inline(always)]
    pub(super) fn lengthen_highest(&mut self, span: Span) -> Option<Bytes> {
        let at = self.highest?;
        let highest = &mut self.places[at].island.span;
        if span.start < highest.start || span.start > highest.end {
            return None;
        }
        let end = highest.end.max(span.end);
        let more = end - highest.end;
        highest.end = end;
        self.make_newest(at);
        Some(more)
    }

    /// The one that begins at `start` is none any more.
    pub(super) fn remove(&mut self, start: Position) {
        let Some(at) = self.at(start) else { return };
        if self.highest == Some(at) {
            self.highest = self.lower.pop_last().map(|(_, at)| at);
        } else {
            self.lower.remove(&start);
        }
        self.unlink(at);
        self.places[at].newer = self.free.replace(at);
    }

    pub(super) fn clear(&mut self) {
        self.lower.clear();
        self.places.clear();
        (self.free, self.highest, self.newest) = (None, None, None);
    }

    fn at(&self, start: Position) -> Option<usize> {
        let highest = self.highest.filter(|&at| self.places[at].island.span.start == start);
        highest.or_else(|| self.lower.get(&start).copied())
    }

    #[inline]
    fn make_newest(&mut self, at: usize) {
        if self.newest != Some(at) {
            self.unlink(at);
            self.link(at);
        }
    }

    fn link(&mut self, at: usize) {
        let older = self.newest.replace(at);
        (self.places[at].newer, self.places[at].older) = (None, older);
        if let Some(older) = older {
            self.places[older].newer = Some(at);
        }
    }

    fn unlink(&mut self, at: usize) {
        let Place { newer, older, .. } = self.places[at];
        match newer {
            Some(newer) => self.places[newer].older = older,
            None => self.newest = older,
        }
        if let Some(older) = older {
            self.places[older].newer = newer;
        }
    }
}

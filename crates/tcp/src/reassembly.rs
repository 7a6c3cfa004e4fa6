//! What a receiver holds: data in order that the application has not read, and data above holes.

use std::collections::{BTreeMap, VecDeque};

use ackless_wire::{Bytes, Payload};

use crate::sequence::{Position, Span};

/// Data above the first hole, as spans with the order in which they last grew, and their bytes where somebody will
/// read them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    /// Disjoint, apart from each other, ascending.
    islands: Vec<Island>,
    /// Real bytes, disjoint, all inside the islands.
    pieces: BTreeMap<Position, bytes::Bytes>,
    /// Counts arrivals, so that the most recent island is known.
    arrivals: u64,
}

#[derive(Clone, Copy, Debug)]
struct Island {
    span: Span,
    grew: u64,
}

/// Data in order that the application has not read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inbox {
    parts: VecDeque<Part>,
    len: Bytes,
}

#[derive(Clone, Debug)]
enum Part {
    Length(Bytes),
    Data(bytes::Bytes),
}

impl Reassembly {
    /// Whether there is no hole.
    pub(crate) fn is_empty(&self) -> bool {
        self.islands.is_empty()
    }

    /// One past the highest byte held.
    pub(crate) fn highest(&self) -> Option<Position> {
        self.islands.last().map(|island| island.span.end)
    }

    /// Takes data at `span` that lies above the first hole; `keep` says whether its bytes will be read. False, and
    /// nothing is kept, if there are too many holes already.
    pub(crate) fn insert(&mut self, span: Span, payload: &Payload, keep: bool) -> bool {
        let from = self.islands.partition_point(|i| i.span.end < span.start);
        let to = from + self.islands[from..].iter().take_while(|i| i.span.start <= span.end).count();
        if from == to && self.islands.len() >= MAX_ISLANDS {
            return false;
        }
        if keep && let Payload::Data(data) = payload {
            self.keep(span, data, from, to);
        }
        self.arrivals += 1;
        let grew = self.arrivals;
        if from == to {
            self.islands.insert(from, Island { span, grew });
            return true;
        }
        let start = span.start.min(self.islands[from].span.start);
        let end = span.end.max(self.islands[to - 1].span.end);
        self.islands[from] = Island { span: Span { start, end }, grew };
        self.islands.drain(from + 1..to);
        true
    }

    /// Keeps those bytes of `data` that islands `from` to `to` do not have.
    fn keep(&mut self, span: Span, data: &bytes::Bytes, from: usize, to: usize) {
        let mut cursor = span.start;
        for island in &self.islands[from..to] {
            if cursor < island.span.start.min(span.end) {
                let end = island.span.start.min(span.end);
                self.pieces.insert(cursor, slice(data, span.start, cursor, end));
            }
            cursor = cursor.max(island.span.end);
        }
        if cursor < span.end {
            self.pieces.insert(cursor, slice(data, span.start, cursor, span.end));
        }
    }

    /// The stream is complete up to `next`: forgets what lies below, hands what follows without a hole to `inbox`,
    /// and returns where the first hole is now.
    pub(crate) fn advance(&mut self, mut next: Position, mut inbox: Option<&mut Inbox>) -> Position {
        let mut joined = 0;
        while let Some(island) = self.islands.get(joined).filter(|i| i.span.start <= next) {
            joined += 1;
            if island.span.end > next {
                let fresh = Span { start: next, end: island.span.end };
                next = fresh.end;
                if let Some(inbox) = inbox.as_deref_mut() {
                    hand_over(&self.pieces, fresh, inbox);
                }
            }
        }
        if joined > 0 {
            self.islands.drain(..joined);
            self.pieces = self.pieces.split_off(&next);
        }
        next
    }

    /// The islands to report, the most recently grown first (RFC 2018, 4).
    pub(crate) fn recent(&self, limit: usize) -> impl Iterator<Item = Span> {
        let mut chosen = [None::<Island>; 4];
        for &island in &self.islands {
            let mut candidate = Some(island);
            for slot in &mut chosen {
                if slot.is_none_or(|s| candidate.is_some_and(|c| c.grew > s.grew)) {
                    std::mem::swap(slot, &mut candidate);
                }
                if candidate.is_none() {
                    break;
                }
            }
        }
        chosen.into_iter().flatten().take(limit).map(|island| island.span)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.islands.clear();
        self.pieces.clear();
    }
}

impl Inbox {
    /// Bytes to read.
    pub(crate) const fn len(&self) -> Bytes {
        self.len
    }

    pub(crate) fn push_length(&mut self, len: Bytes) {
        self.len += len;
        match self.parts.back_mut() {
            Some(Part::Length(last)) => *last += len,
            _ => self.parts.push_back(Part::Length(len)),
        }
    }

    pub(crate) fn push_data(&mut self, data: bytes::Bytes) {
        self.len += Bytes(data.len() as u64);
        self.parts.push_back(Part::Data(data));
    }

    /// Takes the next part, at most `limit` bytes of it.
    pub(crate) fn take(&mut self, limit: Bytes) -> Option<Payload> {
        let limit = limit.min(Bytes(u32::MAX.into()));
        if limit == Bytes::ZERO {
            return None;
        }
        let taken = match self.parts.front_mut()? {
            Part::Length(len) => {
                let taken = limit.min(*len);
                *len -= taken;
                Payload::Length(taken.get() as u32)
            }
            Part::Data(data) => Payload::Data(data.split_to(data.len().min(limit.get() as usize))),
        };
        if self.parts.front().is_some_and(Part::is_empty) {
            self.parts.pop_front();
        }
        self.len -= Bytes(taken.len().into());
        Some(taken)
    }
}

impl Part {
    fn is_empty(&self) -> bool {
        match self {
            Self::Length(len) => *len == Bytes::ZERO,
            Self::Data(data) => data.is_empty(),
        }
    }
}

/// The part from `from` to `to` of `data`, which begins at `start`.
fn slice(data: &bytes::Bytes, start: Position, from: Position, to: Position) -> bytes::Bytes {
    data.slice((from - start).get() as usize..(to - start).get() as usize)
}

/// Puts what is known of `span` into the inbox: bytes where there are pieces, lengths between them.
fn hand_over(pieces: &BTreeMap<Position, bytes::Bytes>, span: Span, inbox: &mut Inbox) {
    let mut cursor = span.start;
    let first = pieces.range(..=cursor).next_back().map_or(cursor, |(&start, _)| start);
    for (&start, data) in pieces.range(first..span.end) {
        let (from, to) = (start.max(cursor), (start + Bytes(data.len() as u64)).min(span.end));
        if from < to {
            if from > cursor {
                inbox.push_length(from - cursor);
            }
            inbox.push_data(slice(data, start, from, to));
            cursor = to;
        }
    }
    if cursor < span.end {
        inbox.push_length(span.end - cursor);
    }
}

/// The most islands held. Data that would make one more is dropped, as if lost: so a peer that sends every other
/// byte cannot make us search long lists.
const MAX_ISLANDS: usize = 1024;

#[cfg(test)]
mod tests;

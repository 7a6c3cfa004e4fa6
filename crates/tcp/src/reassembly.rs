//! What a receiver holds: data in order that the application has not read, and data above holes.

mod islands;

use std::collections::{BTreeMap, VecDeque};

use ackless_wire::{Bytes, Payload};

use self::islands::{Island, Islands};
use crate::sequence::{Position, Span};

/// Data above the first hole: where it is, and its bytes where somebody will read them. Taking a segment is O(log n) in the number of holes at the most (TACK, VI-B), and
/// O(1) where it makes the highest longer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    islands: Islands,
    /// Real bytes, disjoint, all inside the islands.
    pieces: BTreeMap<Position, bytes::Bytes>,
    /// The sum of the islands.
    held: Bytes,
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

    /// The island that all of `span` lies in.
    pub(crate) fn around(&self, span: Span) -> Option<Span> {
        let island = self.islands.below(span.start)?.span;
        (span.end <= island.end && !span.is_empty()).then_some(island)
    }

    /// One past the highest byte held.
    pub(crate) fn highest(&self) -> Option<Position> {
        self.islands.highest().map(|island| island.span.end)
    }

    /// How much is held.
    pub(crate) const fn held(&self) -> Bytes {
        self.held
    }

    /// Takes data at `span` that lies above the first hole, with what it is if it will be read; `number` is the packet number it came with, or zero. False, and nothing is kept, if
    /// there are too many holes already.
    #[inline]
    pub(crate) fn insert(&mut self, span: Span, payload: Option<&Payload>, number: u64) -> bool {
        if payload.is_none()
            && let Some(more) = self.islands.lengthen_highest(span)
        {
            self.held += more;
            return true;
        }
        self.insert_anywhere(span, payload, number)
    }

    #[inline(never)]
    fn insert_anywhere(&mut self, span: Span, payload: Option<&Payload>, number: u64) -> bool {
        let base = self.islands.below(span.start).filter(|island| island.span.end >= span.start);
        let above = self.islands.above(span.start);
        let touches = base.is_some() || above.is_some_and(|above| above.span.start <= span.end);
        let limit = if number == 0 { MAX_ISLANDS } else { MAX_NUMBERED };
        if !touches && self.islands.len() >= limit {
            return false;
        }
        let from = base.map_or(span.start, |base| base.span.start);
        if let Some(Payload::Data(data)) = payload {
            self.keep(span, data, from);
        }
        let end = self.swallow(from, span.end).max(base.map_or(span.end, |base| base.span.end));
        match base {
            Some(base) => {
                self.held += end - base.span.end;
                self.islands.grow(from, end);
            }
            None => {
                self.held += end - from;
                let revealed = above.map_or(number, |above| above.revealed.min(number));
                self.islands.add(Island { span: Span { start: from, end }, revealed });
            }
        }
        true
    }

    /// Removes the islands that begin above `from` and up to `end`. Returns where the last of them ends, or `end` if that is higher.
    fn swallow(&mut self, from: Position, mut end: Position) -> Position {
        let limit = end;
        while let Some(Island { span, .. }) = self.islands.above(from).filter(|above| above.span.start <= limit) {
            self.islands.remove(span.start);
            self.held -= span.len();
            end = end.max(span.end);
        }
        end
    }

    /// Keeps those bytes of `data` that the islands from `from` on do not have.
    fn keep(&mut self, span: Span, data: &bytes::Bytes, from: Position) {
        let mut cursor = span.start;
        for Island { span: island, .. } in self.islands.within(from..=span.end) {
            if cursor < island.start.min(span.end) {
                let end = island.start.min(span.end);
                self.pieces.insert(cursor, slice(data, span.start, cursor, end));
            }
            cursor = cursor.max(island.end);
        }
        if cursor < span.end {
            self.pieces.insert(cursor, slice(data, span.start, cursor, span.end));
        }
    }

    /// The stream is complete up to `next`: forgets what lies below, hands what follows without a hole to `inbox`,
    /// and returns where the first hole is now.
    #[inline]
    pub(crate) fn advance(&mut self, next: Position, inbox: Option<&mut Inbox>) -> Position {
        match self.islands.lowest() {
            Some(lowest) if lowest.span.start <= next => self.join_islands(next, inbox),
            _ => next,
        }
    }

    /// The same where there is something to forget.
    #[inline(never)]
    fn join_islands(&mut self, mut next: Position, mut inbox: Option<&mut Inbox>) -> Position {
        while let Some(Island { span: island, .. }) = self.islands.lowest().filter(|lowest| lowest.span.start <= next) {
            self.islands.remove(island.start);
            self.held -= island.len();
            if island.end > next {
                let fresh = Span { start: next, end: island.end };
                next = fresh.end;
                if let Some(inbox) = inbox.as_deref_mut() {
                    hand_over(&self.pieces, fresh, inbox);
                }
            }
        }
        if !self.pieces.is_empty() {
            self.pieces = self.pieces.split_off(&next);
        }
        next
    }

    /// The islands to report, at most so many, the most recently grown first (RFC 2018, 4).
    pub(crate) fn recent(&self, limit: usize) -> impl Iterator<Item = Span> {
        self.islands.recent().take(limit).map(|island| island.span)
    }

    /// How many islands there are.
    pub(crate) fn count(&self) -> usize {
        self.islands.len()
    }

    /// The holes, the oldest first, above a stream that is complete up to `next` and ends at `fin`, if the packet came that says so, with its number: only those that were revealed by packets up
    /// to number `known`.
    pub(crate) fn holes(&self, next: Position, fin: Option<(Position, u64)>, known: u64) -> impl Iterator<Item = Span> {
        let is_known = move |island: &Island| island.revealed <= known;
        let top = self.islands.highest();
        let highest = top.map_or(next, |top| top.span.end);
        let last = fin.filter(|&(end, number)| number <= known && highest < end && top.as_ref().is_none_or(is_known));
        let revealed = self.islands.within(..).take_while(is_known);
        let below_islands = revealed.scan(next, |start, Island { span, .. }| {
            Some(Span { start: std::mem::replace(start, span.end), end: span.start })
        });
        below_islands.chain(last.map(|(end, _)| Span { start: highest, end }))
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.islands.clear();
        self.pieces.clear();
        self.held = Bytes::ZERO;
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
/// byte cannot make us hold long lists, and go through them for the SACK blocks of each acknowledgement.
const MAX_ISLANDS: usize = 1024;
/// As many where packets have numbers. There are no SACK blocks, and a packet whose number has come is not pulled again though its
/// data has been dropped: so this is beyond what a window of 20 MB full of holes can have.
const MAX_NUMBERED: usize = 8 * MAX_ISLANDS;

#[cfg(test)]
mod tests;

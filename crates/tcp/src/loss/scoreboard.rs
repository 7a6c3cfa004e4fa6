//! Which of the outstanding data the receiver has selectively acknowledged (RFC 6675, 3 and 4).

use ackless_wire::Bytes;

use super::DUP_THRESH;
use crate::row::Row;
use crate::sequence::{Position, Span};

/// The selectively acknowledged spans above SND.UNA: disjoint, apart from each other, in ascending order.
///
/// RFC 6675 asks about single octets; all its questions have answers in spans, because an octet counts as lost
/// exactly if it lies below one edge ([`Scoreboard::lost_below`]) and is not acknowledged.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    spans: Row<Span>,
    total: Bytes,
}

impl Default for Scoreboard {
    fn default() -> Self {
        Self::new()
    }
}

impl Scoreboard {
    /// Nothing is selectively acknowledged. There is room for the first reports, so that a loss on the way takes no memory.
    pub fn new() -> Self {
        Self { spans: Vec::with_capacity(4).into(), total: Bytes::ZERO }
    }

    /// Update() of RFC 6675, 4: all below `una` is acknowledged, and `reported` spans selectively. Spans that are not
    /// inside the data that is out are ignored, among them the duplicate reports of RFC 2883, and so is one apart from all
    /// others once there are 32,768 of these: to heed no report is allowed, and a peer that reports single bytes would
    /// have us move all that are kept for each. Returns the bytes newly
    /// selectively acknowledged.
    #[inline(always)]
    pub fn update(&mut self, una: Position, max: Position, reported: &[Span]) -> Bytes {
        self.acknowledge(una);
        let before = self.total;
        for &span in reported {
            if span.start > una && span.end <= max && span.start < span.end {
                self.insert(span);
            }
        }
        self.total - before
    }

    /// Forgets all below `una`, and a span that would begin there: what follows SND.UNA is missing by definition.
    fn acknowledge(&mut self, una: Position) {
        while let Some(first) = self.spans.first().filter(|first| first.start <= una) {
            self.total -= first.len();
            self.spans.leave(1);
        }
    }

    /// Most of what is reported is the highest span, which has grown.
    #[inline]
    fn insert(&mut self, span: Span) {
        match self.spans.last_mut() {
            Some(last) if last.start <= span.start && span.start <= last.end => {
                let end = last.end.max(span.end);
                self.total += end - last.end;
                last.end = end;
            }
            _ => self.insert_anywhere(span),
        }
    }

    /// Nearly all of the rest has been reported before.
    #[inline(never)]
    fn insert_anywhere(&mut self, span: Span) {
        // The first that touches or overlaps the new one, if any does.
        let from = self.count_below(|s| s.end < span.start);
        let Some(&first) = self.spans.get(from).filter(|first| first.start <= span.end) else {
            if self.spans.len() < MOST_SPANS {
                self.spans.insert(from, span);
                self.total += span.len();
            }
            return;
        };
        if first.start <= span.start && span.end <= first.end {
            return;
        }
        let mut merged = Span { start: span.start.min(first.start), end: span.end.max(first.end) };
        let (mut to, mut covered) = (from + 1, first.len());
        while let Some(next) = self.spans.get(to).filter(|next| next.start <= span.end) {
            merged.end = merged.end.max(next.end);
            covered += next.len();
            to += 1;
        }
        self.total = self.total - covered + merged.len();
        self.spans[from] = merged;
        if to > from + 1 {
            self.spans.cut(from + 1, to);
        }
    }

    /// How many spans are below something, where `is_below` says which: all up to one of them. Most of what is asked about lies near the highest.
    fn count_below(&self, is_below: impl Fn(&Span) -> bool) -> usize {
        let len = self.spans.len();
        for above in 0..len.min(NEAR) {
            if is_below(&self.spans[len - 1 - above]) {
                return len - above;
            }
        }
        if len <= NEAR { 0 } else { self.spans.partition_point(is_below) }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.spans.clear();
        self.total = Bytes::ZERO;
    }

    /// Whether nothing is selectively acknowledged.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Bytes selectively acknowledged.
    pub const fn total(&self) -> Bytes {
        self.total
    }

    /// One past the highest place selectively acknowledged.
    pub fn highest(&self) -> Option<Position> {
        self.spans.last().map(|s| s.end)
    }

    /// IsLost() of RFC 6675, 4, for all octets at once: those below the returned edge that are not acknowledged are
    /// lost, because DupThresh separate spans, or more than (DupThresh - 1) segments' bytes, are acknowledged above
    /// them.
    pub fn lost_below(&self, smss: Bytes) -> Option<Position> {
        self.loss_edge(smss).map(|(edge, _)| edge)
    }

    /// The edge of [`lost_below`](Self::lost_below), and how many bytes above it are acknowledged.
    #[inline(always)]
    pub(crate) fn loss_edge(&self, smss: Bytes) -> Option<(Position, Bytes)> {
        let enough = smss * u64::from(DUP_THRESH - 1);
        let mut above = Bytes::ZERO;
        for (seen, span) in self.spans.iter().rev().enumerate() {
            above += span.len();
            if above > enough || seen + 1 == DUP_THRESH as usize {
                return Some((span.start, above));
            }
        }
        None
    }

    /// How many bytes below `edge` are selectively acknowledged.
    #[inline(always)]
    pub fn sacked_below(&self, edge: Position) -> Bytes {
        match (self.spans.first(), self.spans.last()) {
            (Some(lowest), _) if lowest.start >= edge => Bytes::ZERO,
            (_, Some(highest)) if highest.end > edge => self.total - self.sacked_above(edge),
            _ => self.total,
        }
    }

    /// From whichever end is nearer would be faster; what is above the edge is usually little.
    #[inline(never)]
    fn sacked_above(&self, edge: Position) -> Bytes {
        self.spans.iter().rev().take_while(|s| s.end > edge).map(|s| s.end - s.start.max(edge)).sum()
    }

    /// The first span at or after `from` that is not acknowledged, at most up to `limit`; empty at `limit` if all is.
    pub fn gap(&self, from: Position, limit: Position) -> Span {
        let next = self.count_below(|s| s.end <= from);
        let (start, after) = match self.spans.get(next) {
            Some(span) if span.start <= from => (span.end, next + 1),
            _ => (from, next),
        };
        let end = self.spans.get(after).map_or(limit, |span| span.start.min(limit));
        Span { start: start.min(limit), end: end.max(start.min(limit)) }
    }

    /// The last span below `limit` that is not acknowledged, and not below `una`.
    pub fn last_gap(&self, una: Position, limit: Position) -> Span {
        match self.spans.last() {
            None => Span { start: una, end: limit },
            Some(last) if last.end < limit => Span { start: last.end, end: limit },
            Some(last) => {
                let start = self.spans.len().checked_sub(2).map_or(una, |i| self.spans[i].end);
                Span { start, end: last.start }
            }
        }
    }
}

/// The most spans that are kept: enough where every other of 65,000 segments is lost.
const MOST_SPANS: usize = 1 << 15;
/// How many spans to step over before it is better to search.
const NEAR: usize = 4;

#[cfg(test)]
mod tests;

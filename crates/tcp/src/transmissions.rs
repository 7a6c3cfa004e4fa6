//! A record of each transmission that is outstanding: what rules about time and packet numbers work on.
//!
//! Kept only by connections that need it (RACK, rate samples, TACK); the others do without and pay nothing. Memory is
//! reused: once the queues have grown to the flight's size nothing is allocated, but for losses that somebody asks for.

mod marks;
mod record;

use std::collections::VecDeque;

use ackless_wire::{Bytes, Instant};

use self::marks::Marks;
pub use self::record::{Fate, Lost, Run, Snapshot, Transmission};
use crate::loss::Scoreboard;
use crate::row::Row;
use crate::sequence::{Position, Span};

/// What is outstanding, cut as it was sent: from SND.UNA to SND.MAX without a gap.
///
/// Each transmission, repeated ones included, has a number that counts up from 1. On a TACK connection it is PKT.SEQ;
/// elsewhere it stands for the order of sending, which RFC 8985 (6.1) takes from time and sequence number.
///
/// A record counts as selectively acknowledged once all of it is: reports of parts are kept until they make a whole.
/// So a peer that reports single bytes cannot make us keep a record for each.
#[derive(Clone, Debug, Default)]
pub struct Transmissions {
    /// In sequence order, adjacent.
    records: Row<Transmission>,
    /// In the order of sending. An entry is out of date where its records have a later number or are gone.
    order: Row<Entry>,
    /// So many entries at the head of `order` have been overtaken: something sent after them has been delivered.
    overtaken: usize,
    /// Of those, in order, at least all that have something in flight.
    waiting: VecDeque<Entry>,
    /// What has been reported above SND.UNA.
    board: Scoreboard,
    last_number: u64,
    in_flight: Bytes,
    lost: Bytes,
    ever_lost: Bytes,
    /// How many records are delivered.
    delivered: usize,
    /// How many records have left at the front,
    gone: u64,
    /// and which of those that have not are lost: the first is asked for with every segment that is sent in a recovery.
    lost_ones: Marks,
    /// What has been found lost and not been asked for, where somebody asks.
    losses: Option<Vec<Lost>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u64,
    span: Span,
}

impl Transmissions {
    /// Nothing has been sent.
    pub fn new() -> Self {
        Self::default()
    }

    /// `span` goes out now, for the first time or again, wholly or in part. Returns the transmission's number.
    #[inline]
    pub fn send(&mut self, span: Span, now: Instant, snapshot: Snapshot) -> u64 {
        self.last_number += 1;
        let number = self.last_number;
        let known_to = self.records.last().map_or(span.start, |last| last.span.end);
        debug_assert!(span.start <= known_to, "what is outstanding has no gap");
        if span.start < known_to {
            self.send_again(span, now, snapshot);
        }
        let fresh = Span { start: span.start.max(known_to), end: span.end };
        if !fresh.is_empty() {
            self.in_flight += fresh.len();
            let fate = Fate::InFlight;
            self.records.push(Transmission { span: fresh, number, sent_at: now, sends: 1, fate, snapshot });
        }
        self.order.push(Entry { number, span });
        if self.order.len() > 2 * self.records.len() + SLACK {
            self.compact();
        }
        number
    }

    /// New segments of `len` each go out now, one behind another, and fill `span`: as if each were [sent](Self::send), with so much more in flight than at the one before it.
    #[inline(always)]
    pub fn send_train(&mut self, span: Span, len: Bytes, now: Instant, mut snapshot: Snapshot) {
        debug_assert!(
            self.records.last().is_none_or(|last| last.span.end == span.start),
            "what is outstanding has no gap"
        );
        if self.order.len() + 1 > 2 * (self.records.len() + 1) + SLACK {
            self.compact();
        }
        let mut number = self.last_number;
        let mut place = span.start;
        while place < span.end {
            number += 1;
            let span = Span::new(place, len);
            self.records.push(Transmission { span, number, sent_at: now, sends: 1, fate: Fate::InFlight, snapshot });
            self.order.push(Entry { number, span });
            snapshot.in_flight += len;
            place = span.end;
        }
        self.last_number = number;
        self.in_flight += span.len();
    }

    /// What of `span` has been sent before goes out again, as the latest transmission.
    #[inline(never)]
    fn send_again(&mut self, span: Span, now: Instant, snapshot: Snapshot) {
        self.split(span.start);
        self.split(span.end);
        let (from, to) = self.indices(span);
        for index in from..to {
            let record = &mut self.records[index];
            record.sends += 1;
            (record.number, record.sent_at, record.snapshot) = (self.last_number, now, snapshot);
            if record.fate == Fate::Lost {
                self.set_fate(index, Fate::InFlight);
            }
        }
    }

    /// All below `una` is acknowledged: its records go. `delivered` sees those that were not known to be delivered, cut
    /// at `una`, in runs.
    pub fn acknowledge(&mut self, una: Position, mut delivered: impl FnMut(Run<'_>)) {
        while self.records.first().is_some_and(|first| first.span.start < una) {
            let plain = self.plain_below(una);
            if plain == 0 {
                self.acknowledge_first(una, &mut delivered);
                continue;
            }
            let run = Run { first: &self.records[0], last: &self.records[plain - 1] };
            self.in_flight -= run.len();
            delivered(run);
            self.records.leave(plain);
            self.gone += plain as u64;
        }
        self.board.update(una, una, &[]);
        self.trim();
    }

    /// How many records at the front lie below `una`, have been sent once each in their order, and are in flight: nearly always all that do.
    fn plain_below(&self, una: Position) -> usize {
        let mut before = 0;
        let is_plain = |record: &&Transmission| {
            let follows = record.number > std::mem::replace(&mut before, record.number);
            follows && record.span.end <= una && record.fate == Fate::InFlight && !record.is_repeated()
        };
        self.records.iter().take_while(is_plain).count()
    }

    /// What of the first record lies below `una` goes, whatever has become of it.
    #[inline(never)]
    fn acknowledge_first(&mut self, una: Position, delivered: &mut impl FnMut(Run<'_>)) {
        let Some(first) = self.records.first_mut() else { return };
        let mut acked = *first;
        acked.span.end = acked.span.end.min(una);
        first.span.start = acked.span.end;
        let whole = first.span.is_empty();
        match acked.fate {
            Fate::InFlight => self.in_flight -= acked.span.len(),
            Fate::Lost => {
                self.lost -= acked.span.len();
                if whole {
                    self.lost_ones.unmark(self.gone);
                }
            }
            Fate::Delivered => self.delivered -= usize::from(whole),
        }
        if whole {
            self.records.leave(1);
            self.gone += 1;
        }
        if acked.fate != Fate::Delivered {
            delivered(Run::of(&acked));
        }
    }

    /// The receiver reports `span`. `delivered` sees each record that is thereby known to be delivered, as a run of one. A span that is not
    /// above SND.UNA and below SND.MAX is ignored, such as a duplicate report (RFC 2883).
    pub fn sack(&mut self, span: Span, mut delivered: impl FnMut(Run<'_>)) {
        let (Some(first), Some(last)) = (self.records.first(), self.records.last()) else { return };
        let (una, max) = (first.span.start, last.span.end);
        if span.start <= una || span.end > max || span.is_empty() {
            return;
        }
        // Only what has not been reported before is looked at: blocks grow and repeat.
        let mut gap = self.board.gap(span.start, span.end);
        if gap.is_empty() {
            return;
        }
        while !gap.is_empty() {
            let (from, to) = self.indices(gap);
            for index in from..to {
                let record = self.records[index];
                if record.fate != Fate::Delivered && self.is_completed(record.span, span) {
                    self.set_fate(index, Fate::Delivered);
                    delivered(Run::of(&record));
                }
            }
            gap = self.board.gap(gap.end, span.end);
        }
        self.board.update(una, max, &[span]);
    }

    /// Whether all of `record` is in `reported` or has been reported before.
    fn is_completed(&self, record: Span, reported: Span) -> bool {
        let below = reported.start.min(record.end);
        let above = reported.end.max(record.start);
        (record.start >= below || self.board.gap(record.start, below).is_empty())
            && (record.end <= above || self.board.gap(above, record.end).is_empty())
    }

    /// Whether anything may be in flight that was sent before the transmission `latest`: else [`lose_overdue`](Self::lose_overdue) has nothing to do.
    #[inline]
    pub fn is_overtaken(&self, latest: u64) -> bool {
        !self.waiting.is_empty() || self.order.get(self.overtaken).is_some_and(|entry| entry.number < latest)
    }

    /// Marks as lost what is in flight, was sent before the transmission `latest`, and `is_overdue`, which is not so of what was sent later than something of which it is not. Returns when
    /// that was sent last which stays.
    ///
    /// Each transmission is overtaken once, and is lost or otherwise out of flight once: O(1), amortised, however many wait.
    pub fn lose_overdue(&mut self, latest: u64, is_overdue: impl Fn(&Transmission) -> bool) -> Option<Instant> {
        self.overtake(latest);
        while let Some(&entry) = self.waiting.front() {
            let (from, to) = self.indices(entry.span);
            let mut stays = false;
            for index in from..to {
                if self.is_of(index, entry) {
                    if !is_overdue(&self.records[index]) {
                        stays = true;
                        break;
                    }
                    self.set_fate(index, Fate::Lost);
                }
            }
            if stays {
                break;
            }
            self.waiting.pop_front();
        }
        loop {
            let entry = *self.waiting.back()?;
            let (from, to) = self.indices(entry.span);
            if let Some(index) = (from..to).find(|&index| self.is_of(index, entry)) {
                return Some(self.records[index].sent_at);
            }
            self.waiting.pop_back();
        }
    }

    /// All that was sent before the transmission `latest` has been overtaken.
    fn overtake(&mut self, latest: u64) {
        if self.waiting.back().is_some_and(|entry| entry.number >= latest) {
            // Who asks now knows of less than who asked before.
            self.overtake_none();
        }
        while let Some(&entry) = self.order.get(self.overtaken).filter(|entry| entry.number < latest) {
            let (from, to) = self.indices(entry.span);
            if (from..to).any(|index| self.is_of(index, entry)) {
                self.waiting.push_back(entry);
            }
            self.overtaken += 1;
        }
    }

    fn overtake_none(&mut self) {
        self.overtaken = 0;
        self.waiting.clear();
    }

    /// Whether the record is in flight as of this transmission.
    fn is_of(&self, index: usize, entry: Entry) -> bool {
        let record = &self.records[index];
        record.number == entry.number && record.fate == Fate::InFlight
    }

    /// Marks what is in flight, touches `span` and fulfils `condition` as lost. Returns how much that was.
    pub fn lose(&mut self, span: Span, mut condition: impl FnMut(&Transmission) -> bool) -> Bytes {
        let before = self.lost;
        let (from, to) = self.indices(span);
        for index in from..to {
            if self.records[index].fate == Fate::InFlight && condition(&self.records[index]) {
                self.set_fate(index, Fate::Lost);
            }
        }
        self.lost - before
    }

    /// Marks those transmissions as lost whose numbers lie strictly between `second` and `largest`, which have not been
    /// repeated since, and which fulfil `condition`. Returns how much that was.
    pub fn lose_between(
        &mut self,
        second: u64,
        largest: u64,
        mut condition: impl FnMut(&Transmission) -> bool,
    ) -> Bytes {
        let before = self.lost;
        let mut at = self.order.partition_point(|entry| entry.number <= second);
        while let Some(&Entry { number, span }) = self.order.get(at).filter(|entry| entry.number < largest) {
            self.lose(span, |record| record.number == number && condition(record));
            at += 1;
        }
        self.lost - before
    }

    /// The receiver has dropped what it had reported (RFC 2018, 8): all that is not in flight is lost.
    pub fn forget_reports(&mut self) {
        self.board.clear();
        for index in 0..self.records.len() {
            if self.records[index].fate == Fate::Delivered {
                self.set_fate(index, Fate::Lost);
            }
        }
    }

    /// Nothing is lost: what was deemed so is in flight.
    pub fn find_all(&mut self) {
        for index in 0..self.records.len() {
            if self.records[index].fate == Fate::Lost {
                self.set_fate(index, Fate::InFlight);
            }
        }
        self.reorder();
    }

    /// The order of sending, made anew from the records: what counted as delivered may have left it, and may be in flight again since the receiver took its word back.
    fn reorder(&mut self) {
        let entry = |record: &Transmission| Entry { number: record.number, span: record.span };
        let mut order: Vec<_> =
            self.records.iter().filter(|record| record.fate != Fate::Delivered).map(entry).collect();
        order.sort_by_key(|entry| (entry.number, entry.span.start));
        order.dedup_by(|later, kept| {
            let same = later.number == kept.number;
            if same {
                kept.span.end = later.span.end;
            }
            same
        });
        self.order = order.into();
        self.overtake_none();
    }

    /// The first record that is lost, in sequence order.
    pub fn next_lost(&self) -> Option<&Transmission> {
        let first = self.lost_ones.first()?;
        self.records.get((first - self.gone) as usize)
    }

    /// The record that `place` lies in.
    pub fn at(&self, place: Position) -> Option<&Transmission> {
        self.records.get(self.index_of(place)).filter(|record| record.span.start <= place)
    }

    /// The first record of the transmission with this number, unless all of it was sent again, or is gone.
    pub fn numbered(&self, number: u64) -> Option<&Transmission> {
        let at = self.order.binary_search_by_key(&number, |entry| entry.number).ok()?;
        let (from, to) = self.indices(self.order[at].span);
        self.records[from..to].iter().find(|record| record.number == number)
    }

    /// All records in sequence order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Transmission> + ExactSizeIterator {
        self.records.iter()
    }

    /// Whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The number of the latest transmission; 0 before the first.
    pub const fn last_number(&self) -> u64 {
        self.last_number
    }

    /// Bytes of which nothing is known: outstanding, neither lost nor delivered.
    pub const fn in_flight(&self) -> Bytes {
        self.in_flight
    }

    /// Bytes deemed lost and not sent again yet.
    pub const fn lost(&self) -> Bytes {
        self.lost
    }

    /// Bytes deemed lost since the connection began, each time that they were.
    pub const fn ever_lost(&self) -> Bytes {
        self.ever_lost
    }

    /// From now on keeps what is lost for [`Self::take_losses`].
    pub fn keep_losses(&mut self) {
        self.losses.get_or_insert_default();
    }

    /// Whether [`Self::take_losses`] has anything to give.
    #[inline]
    pub fn has_losses(&self) -> bool {
        self.losses.as_ref().is_some_and(|losses| !losses.is_empty())
    }

    /// What has been found lost since this was last asked; nothing where nobody wanted it kept.
    pub fn take_losses(&mut self) -> Option<Vec<Lost>> {
        self.losses.as_mut().filter(|losses| !losses.is_empty()).map(std::mem::take)
    }

    /// How many records the receiver has above a hole (RACK.segs_sacked of RFC 8985, 5.3).
    pub const fn delivered_count(&self) -> usize {
        self.delivered
    }

    fn set_fate(&mut self, index: usize, fate: Fate) {
        let record = &mut self.records[index];
        let (len, before) = (record.span.len(), std::mem::replace(&mut record.fate, fate));
        match before {
            Fate::InFlight => self.in_flight -= len,
            Fate::Lost => {
                self.lost -= len;
                self.lost_ones.unmark(self.gone + index as u64);
            }
            Fate::Delivered => self.delivered -= 1,
        }
        match fate {
            Fate::InFlight => self.in_flight += len,
            Fate::Lost => {
                self.lost += len;
                self.ever_lost += len;
                self.lost_ones.mark(self.gone + index as u64, self.gone);
                if let Some(losses) = &mut self.losses {
                    losses.push(Lost {
                        span: record.span,
                        in_flight: record.snapshot.in_flight,
                        lost: self.ever_lost.saturating_sub(record.snapshot.lost),
                        application_limited: record.snapshot.app_limited,
                        counted: true,
                    });
                }
            }
            Fate::Delivered => self.delivered += 1,
        }
    }

    /// The index of the record that `place` lies in, or of the first one above.
    ///
    /// Nearly all segments have one size, so that it is nearly always where it would be if all had: it is looked for there first, and then ever further around.
    fn index_of(&self, place: Position) -> usize {
        let (Some(first), Some(last)) = (self.records.first(), self.records.last()) else { return 0 };
        if place < first.span.end {
            return 0;
        }
        if place >= last.span.end {
            return self.records.len();
        }
        let ends_by = |at: usize| self.records[at].span.end <= place;
        let (offset, all) = (place - first.span.start, last.span.end - first.span.start);
        let guess = (offset.get() * self.records.len() as u64 / all.get()) as usize;
        let (mut from, mut to) = (guess, guess);
        let mut around = 1;
        while (from > 0 && !ends_by(from - 1)) || ends_by(to) {
            around *= 4;
            from = guess.saturating_sub(around);
            to = (guess + around).min(self.records.len() - 1);
        }
        while from < to {
            let middle = from.midpoint(to);
            if ends_by(middle) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// From which index to just before which the records touch `span`.
    fn indices(&self, span: Span) -> (usize, usize) {
        let from = self.index_of(span.start);
        // Most transmissions have one record: look there before searching.
        let mut to = from;
        while self.records.get(to).is_some_and(|record| record.span.start < span.end) {
            to += 1;
            if to - from == NEAR {
                to = self.records.partition_point(|record| record.span.start < span.end);
                break;
            }
        }
        (from, to)
    }

    /// Makes a border at `place`, if it lies inside a record.
    fn split(&mut self, place: Position) {
        let index = self.index_of(place);
        let Some(record) = self.records.get_mut(index).filter(|record| record.span.start < place) else { return };
        let mut upper = *record;
        record.span.end = place;
        upper.span.start = place;
        self.delivered += usize::from(upper.fate == Fate::Delivered);
        self.records.insert(index + 1, upper);
        self.mark_anew();
    }

    /// All behind a record that has come in between stand one further.
    fn mark_anew(&mut self) {
        if self.lost_ones.first().is_none() {
            return;
        }
        self.lost_ones.clear();
        for (at, record) in (self.gone..).zip(self.records.iter()) {
            if record.fate == Fate::Lost {
                self.lost_ones.mark(at, self.gone);
            }
        }
    }

    /// Forgets entries at the head of the order that lie below all records. What else is out of date there is stepped over once, and goes with the next that is
    /// acknowledged.
    #[inline]
    fn trim(&mut self) {
        let gone = match self.records.first() {
            Some(first) => self.order.iter().take_while(|entry| entry.span.end <= first.span.start).count(),
            None => self.order.len(),
        };
        self.order.leave(gone);
        self.overtaken = self.overtaken.saturating_sub(gone);
    }

    fn is_current(&self, entry: Entry) -> bool {
        let (from, to) = self.indices(entry.span);
        self.records[from..to].iter().any(|r| r.number == entry.number && r.fate != Fate::Delivered)
    }

    /// Forgets all entries that are out of date: each was paid for by a transmission.
    #[inline(never)]
    fn compact(&mut self) {
        let mut order = std::mem::take(&mut self.order);
        order.retain(|&entry| self.is_current(entry));
        self.order = order;
        self.overtake_none();
    }
}

/// How many entries out of date are tolerated.
const SLACK: usize = 64;
/// How far to step before it is better to search.
const NEAR: usize = 8;

#[cfg(test)]
mod tests;

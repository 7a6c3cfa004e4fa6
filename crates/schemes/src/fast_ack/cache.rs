//! The segments of a flow that the AP keeps until the client has acknowledged them.

use std::collections::VecDeque;

use ackless_wire::{PacketId, PacketPool, SeqNumber};

/// Segments that do not overlap, by their sequence numbers.
#[derive(Debug, Default)]
pub(super) struct Cache {
    segments: VecDeque<Segment>,
    /// Where one was last looked for: the next is often the same, or the one behind it.
    hint: usize,
}

/// One segment, with a reference to its packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) packet: PacketId,
    pub(super) seq: SeqNumber,
    /// Just past its last byte.
    pub(super) end: SeqNumber,
    /// Its TSval.
    pub(super) ts_val: u32,
    /// When the client's MAC last acknowledged it; `None` if it never has.
    pub(super) delivered: Option<Delivery>,
    /// Frames with it that have no fate yet: queued, or on the air.
    pub(super) frames_out: u32,
    /// The client's SACK blocks have told of it.
    pub(super) sacked: bool,
    /// It has been sent again and has not been delivered since.
    pub(super) repaired: bool,
}

/// A segment has come to the client's MAC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    /// Rises with each delivery of the flow's.
    pub(super) number: u64,
    /// So many duplicate ACKs of the flow's must have come by then before they can be about this segment: those that came before it, and one for each
    /// later segment that the client had before it.
    pub(super) duplicates_needed: u64,
}

/// Where a segment stands beside those in the cache.
pub(super) enum CachePlace {
    /// It is there.
    Known,
    /// It may be inserted here.
    Free(usize),
    /// It overlaps others in part.
    Overlaps,
}

impl Cache {
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The segment that has this byte.
    #[inline]
    pub(super) fn containing(&mut self, byte: SeqNumber) -> Option<&mut Segment> {
        self.place_of(byte).map(|place| &mut self.segments[place])
    }

    /// The segment that begins with this byte.
    #[inline]
    pub(super) fn starting_at(&mut self, seq: SeqNumber) -> Option<&mut Segment> {
        self.containing(seq).filter(|segment| segment.seq == seq)
    }

    /// The place of the segment that has this byte; the next one's is one more.
    #[inline(always)]
    pub(super) fn place_of(&mut self, byte: SeqNumber) -> Option<usize> {
        if self.is_in(self.hint, byte) {
            return Some(self.hint);
        }
        if self.is_in(self.hint + 1, byte) {
            self.hint += 1;
            return Some(self.hint);
        }
        self.search(byte)
    }

    #[inline(never)]
    fn search(&mut self, byte: SeqNumber) -> Option<usize> {
        self.hint = self.first_past(byte);
        self.is_in(self.hint, byte).then_some(self.hint)
    }

    /// The segment at a place.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Option<&Segment> {
        self.segments.get(place)
    }

    #[inline]
    pub(super) fn place(&self, seq: SeqNumber, end: SeqNumber) -> CachePlace {
        let index = self.first_past(seq);
        match self.segments.get(index) {
            Some(next) if next.seq == seq && next.end == end => CachePlace::Known,
            Some(next) if next.seq.before(end) => CachePlace::Overlaps,
            _ => CachePlace::Free(index),
        }
    }

    /// Inserts a segment at the place that [`Self::place`] found.
    #[inline]
    pub(super) fn insert(&mut self, index: usize, segment: Segment) {
        // What is new goes behind all that is here.
        if index == self.segments.len() {
            self.segments.push_back(segment);
        } else {
            self.segments.insert(index, segment);
        }
    }

    /// Forgets a segment that begins with this byte.
    pub(super) fn remove(&mut self, seq: SeqNumber, pool: &mut PacketPool) {
        let index = self.first_past(seq);
        if self.segments.get(index).is_some_and(|segment| segment.seq == seq)
            && let Some(segment) = self.segments.remove(index)
        {
            pool.release(segment.packet);
        }
    }

    /// Forgets what ends before this byte.
    pub(super) fn release_before(&mut self, byte: SeqNumber, pool: &mut PacketPool) {
        while let Some(first) = self.segments.front()
            && !first.end.after(byte)
        {
            pool.release(first.packet);
            self.segments.pop_front();
            self.hint = self.hint.saturating_sub(1);
        }
    }

    /// Forgets what begins at this byte or behind it.
    pub(super) fn release_from(&mut self, byte: SeqNumber, pool: &mut PacketPool) {
        let count = self.segments.partition_point(|segment| segment.seq.before(byte));
        self.segments.drain(count..).for_each(|segment| pool.release(segment.packet));
    }

    pub(super) fn clear(&mut self, pool: &mut PacketPool) {
        for segment in self.segments.drain(..) {
            pool.release(segment.packet);
        }
    }

    /// The segments that begin before this byte.
    pub(super) fn starting_before(
        &mut self,
        byte: SeqNumber,
    ) -> impl DoubleEndedIterator<Item = &mut Segment> + ExactSizeIterator {
        let count = self.segments.partition_point(|segment| segment.seq.before(byte));
        self.segments.range_mut(..count)
    }

    /// The segment at this place, which [`Self::place_of`] has found or [`Self::starting_before`] goes through.
    #[inline]
    pub(super) fn nth(&mut self, place: usize) -> &mut Segment {
        &mut self.segments[place]
    }

    /// How many segments behind this byte have been delivered.
    pub(super) fn delivered_behind(&self, byte: SeqNumber) -> u64 {
        let behind = self.segments.iter().skip(self.first_past(byte));
        behind.filter(|segment| segment.delivered.is_some()).count() as u64
    }

    /// Whether the segment at this place, if there is one, has this byte. Since segments do not overlap, no other has.
    #[inline]
    fn is_in(&self, place: usize, byte: SeqNumber) -> bool {
        self.segments.get(place).is_some_and(|segment| !segment.seq.after(byte) && segment.end.after(byte))
    }

    #[inline]
    fn first_past(&self, byte: SeqNumber) -> usize {
        // New data goes behind all that is here.
        if self.segments.back().is_none_or(|last| !last.end.after(byte)) {
            return self.segments.len();
        }
        self.segments.partition_point(|segment| !segment.end.after(byte))
    }
}

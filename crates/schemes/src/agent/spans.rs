//! Which bytes of a TCP stream are there: all up to a point, and pieces above holes; and for which of them an agent may speak.
//!
//! The station's buffer keeps what came in order, and no more: data above a hole waits in its TCP for as long as the sender takes to close the hole, and no
//! TCP ACK could empty the buffer before. So the agent speaks only for data that came in order; the ACK that closes a hole, which acknowledges what
//! waited above it, goes natively. Both ends decide from the same frames in the same order, that of the MAC's sequence numbers; one that the AP does not know
//! to have arrived makes it take more for out of order than the station does, never less.

use ackless_wire::SeqNumber;

/// A stream of data as it comes to a client's TCP.
#[derive(Clone, Debug, Default)]
pub(super) struct Inflow {
    /// All that came.
    received: Spans,
    /// What of it the agent may acknowledge.
    speakable: Spans,
}

/// Bytes of one stream. As long as it is not known where it goes on, all is pieces.
#[derive(Clone, Debug, Default)]
struct Spans {
    /// The first byte that is missing: all before it are there.
    next: Option<SeqNumber>,
    /// Sorted; no two touch, and none touches `next`.
    above: Vec<(SeqNumber, SeqNumber)>,
}

impl Inflow {
    /// Up to where the agent may acknowledge: it speaks for all before.
    pub(super) const fn may_ack_to(&self) -> Option<SeqNumber> {
        self.speakable.next()
    }

    /// RCV.NXT of a TCP that gets all of this: up to where everything is there, whoever may acknowledge it.
    pub(super) const fn rcv_nxt(&self) -> Option<SeqNumber> {
        self.received.next()
    }

    /// Where data goes on that comes next, all of it the agent's: nothing waits, and the agent may acknowledge all that came.
    #[inline]
    pub(super) fn next_of_row(&self) -> Option<SeqNumber> {
        let next = self.received.next.filter(|_| self.received.above.is_empty() && self.speakable.above.is_empty());
        next.filter(|_| next == self.speakable.next)
    }

    /// Data has come in a row from [`Self::next_of_row`] up to here, each piece [near](is_near).
    #[inline]
    pub(super) fn end_row(&mut self, end: SeqNumber) {
        (self.received.next, self.speakable.next) = (Some(end), Some(end));
    }

    /// Whether there is a hole.
    pub(super) const fn has_hole(&self) -> bool {
        self.received.has_hole()
    }

    /// The TCP has everything before `to`. Returns whether the agent could not have acknowledged so much.
    pub(super) fn advance_to(&mut self, to: SeqNumber) -> bool {
        self.received.advance_to(to);
        self.speakable.advance_to(to)
    }

    /// Data came. `in_any_order`: out of order it is the agent's too.
    pub(super) fn take(&mut self, start: SeqNumber, end: SeqNumber, in_any_order: bool) -> Taken {
        let in_order = in_any_order || self.received.next().is_some_and(|next| !start.after(next));
        self.put(start, end, in_order)
    }

    /// Data came above a hole, which may be closed by now.
    pub(super) fn take_above_hole(&mut self, start: SeqNumber, end: SeqNumber) -> Taken {
        self.put(start, end, false)
    }

    #[inline(always)]
    fn put(&mut self, start: SeqNumber, end: SeqNumber, in_order: bool) -> Taken {
        if in_order && self.follow(start, end) { Taken::InOrder } else { self.put_anywhere(start, end, in_order) }
    }

    /// Takes data that comes next, where nothing waits: as nearly all of a download comes. False, and no change, for other data.
    #[inline(always)]
    pub(super) fn follow(&mut self, start: SeqNumber, end: SeqNumber) -> bool {
        let follows = self.received.follows(start, end) && self.speakable.follows(start, end);
        if follows {
            self.end_row(end);
        }
        follows
    }

    #[inline(never)]
    fn put_anywhere(&mut self, start: SeqNumber, end: SeqNumber, in_order: bool) -> Taken {
        let remembered = self.received.insert(start, end) && (!in_order || self.speakable.insert(start, end));
        match (in_order, remembered) {
            (_, false) => Taken::Forgotten,
            (true, true) => Taken::InOrder,
            (false, true) => Taken::AboveHole,
        }
    }
}

/// Where data came to lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// It is the agent's.
    InOrder,
    /// It is not.
    AboveHole,
    /// It is not remembered that it came.
    Forgotten,
}

impl Spans {
    const fn next(&self) -> Option<SeqNumber> {
        self.next
    }

    /// Whether these bytes are the next ones, and nothing waits.
    #[inline(always)]
    fn follows(&self, start: SeqNumber, end: SeqNumber) -> bool {
        self.next == Some(start) && self.above.is_empty() && is_near(start, end)
    }

    /// Whether something is there beyond a hole.
    const fn has_hole(&self) -> bool {
        self.next.is_some() && !self.above.is_empty()
    }

    /// Everything before `to` is there. Returns whether that is news.
    fn advance_to(&mut self, to: SeqNumber) -> bool {
        if self.next.is_some_and(|next| !to.after(next)) {
            return false;
        }
        self.next = Some(to);
        self.absorb();
        true
    }

    /// The bytes from `start` up to `end` are there. False if that is forgotten, because there are too many pieces, or because it lies too far from
    /// everything else to tell before from after.
    fn insert(&mut self, start: SeqNumber, end: SeqNumber) -> bool {
        let anchor = self.next.or(self.above.first().map(|first| first.0)).unwrap_or(start);
        if [start, end].iter().any(|place| place.distance_from(anchor).unsigned_abs() > FAR) {
            return false;
        }
        if self.next.is_some_and(|next| !start.after(next)) {
            self.advance_to(end);
            return true;
        }
        let from = self.above.partition_point(|piece| piece.1.before(start));
        let to = from + self.above[from..].partition_point(|piece| !piece.0.after(end));
        if from == to {
            if self.above.len() >= MAX_PIECES {
                return false;
            }
            self.above.insert(from, (start, end));
        } else {
            let merged = (start.min(self.above[from].0), end.max(self.above[to - 1].1));
            self.above[from] = merged;
            self.above.drain(from + 1..to);
        }
        true
    }

    /// Moves `next` over the pieces that touch it.
    fn absorb(&mut self) {
        let Some(mut next) = self.next else { return };
        let mut touched = 0;
        for piece in &self.above {
            if piece.0.after(next) {
                break;
            }
            next = next.max(piece.1);
            touched += 1;
        }
        self.above.drain(..touched);
        self.next = Some(next);
    }
}

/// Whether bytes from `start` up to `end` are no more than a window can hold.
#[inline(always)]
pub(super) fn is_near(start: SeqNumber, end: SeqNumber) -> bool {
    (0..=FAR as i32).contains(&end.distance_from(start))
}

/// More than the holes that one BlockAck window and a congestion window of some thousand segments have in practice; the paper names no memory.
const MAX_PIECES: usize = 256;
/// No window is wider (RFC 7323, 2.3).
const FAR: u32 = 1 << 30;

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    impl Spans {
        fn pieces(&self) -> usize {
            self.above.len()
        }
    }

    fn seq(n: u32) -> SeqNumber {
        // The numbers wrap in the middle of each test.
        SeqNumber(n.wrapping_sub(500))
    }

    #[test]
    fn the_point_passes_over_what_waited_behind_a_hole() {
        let mut spans = Spans::default();
        spans.advance_to(seq(100));
        assert!(spans.insert(seq(300), seq(400)) && spans.insert(seq(600), seq(700)));
        assert_eq!((spans.next(), spans.pieces()), (Some(seq(100)), 2));
        assert!(spans.insert(seq(100), seq(300)));
        assert_eq!((spans.next(), spans.pieces()), (Some(seq(400)), 1));
        assert!(spans.advance_to(seq(650)), "a native ACK passes the hole");
        assert_eq!((spans.next(), spans.has_hole()), (Some(seq(700)), false));
        assert!(!spans.advance_to(seq(650)));
    }

    #[test]
    fn the_agent_speaks_for_what_came_in_order_and_not_for_what_waited_above_a_hole() {
        let mut inflow = Inflow::default();
        inflow.advance_to(seq(100));
        assert_eq!(inflow.take(seq(200), seq(300), false), Taken::AboveHole);
        assert_eq!(inflow.take(seq(100), seq(200), false), Taken::InOrder);
        assert_eq!(inflow.may_ack_to(), Some(seq(200)));
        assert_eq!(inflow.take(seq(300), seq(400), false), Taken::InOrder, "the TCP has all before it");
        assert!(inflow.advance_to(seq(300)), "what closes the hole goes natively");
        assert_eq!(inflow.may_ack_to(), Some(seq(400)));
    }

    #[test]
    fn what_came_before_the_point_was_known_counts_from_then_on() {
        let mut spans = Spans::default();
        spans.insert(seq(300), seq(400));
        spans.insert(seq(200), seq(300));
        spans.insert(seq(500), seq(600));
        assert_eq!((spans.next(), spans.pieces(), spans.has_hole()), (None, 2, false));
        spans.advance_to(seq(200));
        assert_eq!(spans.next(), Some(seq(400)));
    }

    #[test]
    fn pieces_beyond_the_memory_or_out_of_reach_are_forgotten() {
        let mut spans = Spans::default();
        spans.advance_to(seq(0));
        for n in 0..MAX_PIECES as u32 {
            assert!(spans.insert(seq(100 * n + 10), seq(100 * n + 20)));
        }
        assert!(!spans.insert(seq(100_010), seq(100_020)));
        assert!(spans.insert(seq(20), seq(110)), "what closes a hole needs no memory");
        assert!(!spans.insert(seq(1 << 31), seq((1 << 31) + 1)));
        assert_eq!(spans.next(), Some(seq(0)));
    }

    #[test]
    fn pieces_in_any_order_are_those_of_a_table_of_bytes() {
        for seed in 0..2_000 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (mut spans, mut bytes) = (Spans::default(), [false; 1_000]);
            spans.advance_to(seq(0));
            for _ in 0..40 {
                let start = random.below(990) as usize;
                let end = start + 1 + random.below(60).min(998 - start as u64) as usize;
                if random.chance(0.05) {
                    spans.advance_to(seq(start as u32));
                    bytes[..start].fill(true);
                } else {
                    spans.insert(seq(start as u32), seq(end as u32));
                    bytes[start..end].fill(true);
                }
                let next = bytes.iter().position(|received| !received).expect("the last byte never comes");
                let pieces = bytes[next..].windows(2).filter(|pair| !pair[0] && pair[1]).count();
                assert_eq!((spans.next(), spans.pieces()), (Some(seq(next as u32)), pieces), "seed {seed}");
            }
        }
    }
}

//! The station's buffer of the first solution: data frames that its MAC has acknowledged and its TCP has not.

use std::collections::VecDeque;

use ackless_wire::{Duration, Instant, PacketId, PacketPool, SeqNumber};

/// The frames of one flow, in the order of the stream.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    frames: VecDeque<Kept>,
    /// When the first is handed up again.
    due: Option<Instant>,
    /// How often that was done since the TCP has acknowledged something.
    attempts: u32,
    /// The TCP may lack everything up to here.
    repair: Option<SeqNumber>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    start: SeqNumber,
    end: SeqNumber,
    packet: PacketId,
}

/// What is to be done with a buffer whose time has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    /// It was not meant.
    Nothing,
    /// Its first frames are handed up again.
    HandUp,
    /// The TCP will not take them any more.
    Abandon,
}

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether it has data that begins there.
    pub(super) fn has(&self, start: SeqNumber) -> bool {
        self.frames.iter().any(|kept| kept.start == start)
    }

    /// Keeps a frame with a reference of its own, until the TCP has acknowledged its end. It takes the place of an older copy: the TCP may have had reason not to take
    /// that one. Returns whether there is one more now.
    pub(super) fn keep(
        &mut self,
        pool: &mut PacketPool,
        packet: PacketId,
        (start, end): (SeqNumber, SeqNumber),
        due: Instant,
    ) -> bool {
        let place = self.frames.iter().rposition(|kept| !kept.start.after(start)).map_or(0, |before| before + 1);
        if let Some(copy) =
            place.checked_sub(1).map(|before| &mut self.frames[before]).filter(|kept| kept.start == start)
        {
            if !end.before(copy.end) {
                pool.retain(packet);
                pool.release(std::mem::replace(copy, Kept { start, end, packet }).packet);
            }
            return false;
        }
        pool.retain(packet);
        self.frames.insert(place, Kept { start, end, packet });
        self.due.get_or_insert(due);
        true
    }

    /// The TCP acknowledges everything before `ack`, for the first time. Returns how many frames that let go.
    pub(super) fn acknowledge(&mut self, pool: &mut PacketPool, ack: SeqNumber, due: Instant) -> usize {
        let before = self.frames.len();
        while let Some(kept) = self.frames.pop_front_if(|kept| !kept.end.after(ack)) {
            pool.release(kept.packet);
        }
        self.attempts = 0;
        self.due = (!self.frames.is_empty()).then_some(due);
        self.repair = self.repair.filter(|&repair| ack.before(repair) && !self.frames.is_empty());
        before - self.frames.len()
    }

    /// Lets all frames go. Returns how many there were.
    pub(super) fn clear(&mut self, pool: &mut PacketPool) -> usize {
        let frames = std::mem::take(self).frames;
        frames.iter().for_each(|kept| pool.release(kept.packet));
        frames.len()
    }

    /// Whether the TCP, which has just acknowledged something, is to be helped at once: it lacked a frame, and perhaps what follows.
    pub(super) const fn is_repairing(&self) -> bool {
        self.repair.is_some()
    }

    /// The TCP takes data again that it refused before. Returns whether frames should be handed up.
    pub(super) fn reopen(&mut self) -> bool {
        let again = (self.attempts > 0 || self.is_repairing()) && !self.frames.is_empty();
        if again {
            self.repair = self.frames.back().map(|kept| kept.end);
        }
        again
    }

    /// Looks whether the time has come. `closed`: the TCP has closed its window, and is asked for ever.
    pub(super) fn on_timer(&mut self, now: Instant, again: Duration, closed: bool) -> Due {
        if self.due.is_none_or(|due| due > now) {
            return Due::Nothing;
        }
        if self.attempts >= ATTEMPTS && !closed {
            return Due::Abandon;
        }
        self.attempts = (self.attempts + 1).min(ATTEMPTS);
        self.due = Some(now + again * (1 << self.attempts));
        self.repair = self.frames.back().map(|kept| kept.end);
        Due::HandUp
    }

    /// The frames to hand up again: two, so that a TCP that delays ACKs answers at once.
    pub(super) fn first(&self) -> impl Iterator<Item = PacketId> + use<'_> {
        self.frames.iter().take(2).map(|kept| kept.packet)
    }
}

/// A TCP that neither acknowledges nor closes its window though it was handed a frame so often, for 255 times the interval, will not take it: its
/// connection is gone.
const ATTEMPTS: u32 = 7;

//! The station's buffer of the first solution: data frames that its MAC has acknowledged and its TCP has not.

use std::collections::VecDeque;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Context, Emission};
use ackless_wire::{Duration, Instant, PacketId, PacketPool, SeqNumber, TcpHeader};

use crate::repairs::{DUPLICATES, RepairTimer, SenderFacts};

/// The frames of one flow, in the order of the stream.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    frames: VecDeque<Kept>,
    /// When the first is handed up again.
    repair_timer: RepairTimer,
    /// How often frames were handed up.
    hand_ups: u64,
    /// Duplicate ACKs of the TCP's since its last progress.
    duplicates: u64,
    /// So many of them may still come of what went up before the first frame went up last: they say nothing new.
    expected_duplicates: u64,
    /// A repair is going on: the TCP may lack everything up to here.
    repair_until: Option<SeqNumber>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    start: SeqNumber,
    end: SeqNumber,
    packet: PacketId,
    /// Which of the [`Buffer::hand_ups`] its last one was. Between MAC and TCP nothing overtakes.
    hand_up: u64,
    /// The TCP's SACK blocks have told of it.
    sacked: bool,
    /// Its ACK was acceptable, and it is renewed when it goes up again.
    acceptable: bool,
}

/// What is to be done with a buffer whose time has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    /// Nothing, or it has been done.
    Nothing,
    /// The TCP will not take its frames.
    Abandon,
}

/// The way from the MAC up to its TCP, for frames that go it again.
pub(super) struct Upward<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    /// Where the frames came from.
    pub(super) peer: NodeId,
    pub(super) sender: SenderFacts,
    /// Frames that went up.
    pub(super) count: &'a mut u64,
}

impl Upward<'_, '_> {
    /// Hands a frame up once more, as if it had just come.
    fn hand_up_again(&mut self, kept: &mut Kept, hand_ups: &mut u64) {
        *hand_ups += 1;
        kept.hand_up = *hand_ups;
        *self.count += 1;
        if kept.acceptable {
            self.sender.renew(self.cx.pool, &mut kept.packet);
        }
        self.cx.pool.retain(kept.packet);
        self.cx.emit(Emission::Onward(kept.packet, self.peer));
    }
}

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    pub(super) const fn due(&self) -> Option<Instant> {
        self.repair_timer.due()
    }

    /// Where its first frame begins and ends.
    pub(super) fn first_span(&self) -> Option<(SeqNumber, SeqNumber)> {
        self.frames.front().map(|kept| (kept.start, kept.end))
    }

    /// Its first frame.
    pub(super) fn first(&self) -> Option<PacketId> {
        self.frames.front().map(|kept| kept.packet)
    }

    /// Whether [`Self::keep`] needs no more room for this frame: a copy of it is kept, or goes for
    /// it.
    pub(super) fn takes_in_place(&self, (start, end): (SeqNumber, SeqNumber), acceptable: bool) -> bool {
        let goes_for_it = |kept: &Kept| acceptable || !kept.acceptable || !end.after(kept.end);
        self.frames.iter().any(|kept| kept.start == start && goes_for_it(kept))
    }

    /// Whether it has the byte at `at` in a frame that the TCP takes no less than one that is
    /// `acceptable` or not.
    pub(super) fn serves(&self, at: SeqNumber, acceptable: bool) -> bool {
        let has = |kept: &Kept| !kept.start.after(at) && kept.end.after(at);
        self.frames.iter().any(|kept| has(kept) && (kept.acceptable || !acceptable))
    }

    /// Whether all bytes from `from` up to `to` are in it.
    pub(super) fn covers(&self, from: SeqNumber, to: SeqNumber) -> bool {
        let reach = self.frames.iter().fold(from, |at, kept| if kept.start.after(at) { at } else { at.max(kept.end) });
        !to.after(reach)
    }

    /// Keeps a frame that goes up for the first time, with a reference of its own, until the TCP
    /// has acknowledged its end. An acceptable one takes the place of an older copy: the TCP may
    /// have had reason not to take that one. One that is not and reaches further stands beside an
    /// acceptable copy, and takes the place of another. Returns whether there is one more now.
    #[inline(always)]
    pub(super) fn keep(
        &mut self,
        pool: &mut PacketPool,
        (packet, acceptable): (PacketId, bool),
        (start, end): (SeqNumber, SeqNumber),
        (now, again): (Instant, Duration),
    ) -> bool {
        if self.begins_before(start) {
            // As nearly all of a download comes.
            self.keep_last(pool, (packet, acceptable), (start, end));
            self.start_timer((now, again));
            return true;
        }
        self.hand_ups += 1;
        let kept = Kept { start, end, packet, hand_up: self.hand_ups, sacked: false, acceptable };
        self.keep_among(pool, kept, (now, again))
    }

    /// Whether all that is kept begins before this byte.
    #[inline(always)]
    pub(super) fn begins_before(&self, start: SeqNumber) -> bool {
        self.frames.back().is_none_or(|last| start.after(last.start))
    }

    /// [`Self::keep`] for a frame behind all that are kept, without the timer.
    #[inline(always)]
    pub(super) fn keep_last(
        &mut self,
        pool: &mut PacketPool,
        (packet, acceptable): (PacketId, bool),
        (start, end): (SeqNumber, SeqNumber),
    ) {
        self.hand_ups += 1;
        pool.retain(packet);
        self.frames.push_back(Kept { start, end, packet, hand_up: self.hand_ups, sacked: false, acceptable });
    }

    /// Something is kept: the time runs until it is handed up again, if it did not before.
    #[inline(always)]
    pub(super) fn start_timer(&mut self, (now, again): (Instant, Duration)) {
        self.repair_timer.start(now, again);
    }

    /// [`Self::keep`] for a frame that does not begin behind all that are kept.
    #[inline(never)]
    fn keep_among(&mut self, pool: &mut PacketPool, kept: Kept, (now, again): (Instant, Duration)) -> bool {
        let Kept { start, end, packet, acceptable, .. } = kept;
        let place = self.frames.iter().rposition(|kept| !kept.start.after(start)).map_or(0, |before| before + 1);
        if let Some(copy) =
            place.checked_sub(1).map(|before| &mut self.frames[before]).filter(|kept| kept.start == start)
            && (acceptable || !copy.acceptable || !end.after(copy.end))
        {
            if (acceptable || !copy.acceptable) && !end.before(copy.end) {
                pool.retain(packet);
                pool.release(std::mem::replace(copy, kept).packet);
            }
            return false;
        }
        pool.retain(packet);
        self.frames.insert(place, kept);
        self.repair_timer.start(now, again);
        true
    }

    /// The TCP acknowledges everything before `ack`, for the first time. Returns how many frames that lets go.
    pub(super) fn acknowledge(
        &mut self,
        pool: &mut PacketPool,
        ack: SeqNumber,
        (now, again): (Instant, Duration),
    ) -> usize {
        let before = self.frames.len();
        while let Some(first) = self.frames.front()
            && !first.end.after(ack)
        {
            pool.release(first.packet);
            self.frames.pop_front();
        }
        (self.duplicates, self.expected_duplicates) = (0, 0);
        self.repair_timer.on_progress(now, again, !self.frames.is_empty());
        self.repair_until =
            self.repair_until.filter(|&repair_until| ack.before(repair_until) && !self.frames.is_empty());
        before - self.frames.len()
    }

    /// Lets all frames go. Returns how many there were.
    pub(super) fn clear(&mut self, pool: &mut PacketPool) -> usize {
        let frames = std::mem::take(self).frames;
        frames.iter().for_each(|kept| pool.release(kept.packet));
        frames.len()
    }

    /// Whether anything follows from an ACK of something new beyond what it lets go.
    #[inline]
    pub(super) fn heeds_progress(&self, tcp: &TcpHeader) -> bool {
        self.repair_until.is_some() || !tcp.options.sack.is_empty()
    }

    /// The TCP has acknowledged something, and what waits behind a frame that it lacked may lack too.
    pub(super) fn on_progress(&mut self, tcp: &TcpHeader, upward: &mut Upward<'_, '_>) {
        if self.repair_until.is_some() {
            self.hand_up_first(upward);
        }
        self.on_blocks(tcp, upward);
    }

    /// The TCP repeats itself with more room than before. `was_narrow`: it had little.
    pub(super) fn on_opened(&mut self, was_narrow: bool, again: Duration, upward: &mut Upward<'_, '_>) {
        if was_narrow || self.repair_timer.has_run_out() || self.repair_until.is_some() {
            self.start_repair(upward);
            self.repair_timer.hasten(upward.cx.now, again);
        }
    }

    /// The TCP repeats itself, though it has room.
    pub(super) fn on_duplicate(&mut self, tcp: &TcpHeader, upward: &mut Upward<'_, '_>) {
        self.duplicates += 1;
        if !tcp.options.sack.is_empty() {
            self.on_blocks(tcp, upward);
        } else if self.duplicates >= DUPLICATES && self.duplicates > self.expected_duplicates {
            // Each frame that is here may have made for one before the first one went up again.
            self.expected_duplicates = self.duplicates + self.frames.len() as u64;
            self.start_repair(upward);
        }
    }

    /// What went up before something that the TCP's blocks tell of, and is not told of itself, was lost on its way up.
    fn on_blocks(&mut self, tcp: &TcpHeader, upward: &mut Upward<'_, '_>) {
        let blocks = tcp.options.sack.as_slice();
        if blocks.is_empty() {
            return;
        }
        let mut newest = 0;
        for kept in &mut self.frames {
            kept.sacked |= blocks.iter().any(|(left, right)| !left.after(kept.start) && !right.before(kept.end));
            if kept.sacked {
                newest = newest.max(kept.hand_up);
            }
        }
        for kept in self.frames.iter_mut().filter(|kept| !kept.sacked && kept.hand_up < newest) {
            upward.hand_up_again(kept, &mut self.hand_ups);
        }
    }

    /// Looks whether the time has come. `has_no_room`: the TCP can not take the first frame.
    pub(super) fn on_timer(&mut self, has_no_room: bool, upward: &mut Upward<'_, '_>) -> Due {
        let now = upward.cx.now;
        if self.repair_timer.due().is_none_or(|due| due > now) {
            return Due::Nothing;
        }
        if !self.repair_timer.attempt(now, has_no_room) {
            return Due::Abandon;
        }
        // What it has told of it may have dropped since (RFC 2018, 8).
        self.frames.iter_mut().for_each(|kept| kept.sacked = false);
        self.start_repair(upward);
        Due::Nothing
    }

    /// The TCP may lack everything that is here: begins to hand it up again.
    fn start_repair(&mut self, upward: &mut Upward<'_, '_>) {
        self.repair_until = self.frames.back().map(|kept| kept.end);
        self.hand_up_first(upward);
    }

    /// Hands the first frames up again: two, so that a TCP that delays ACKs answers at once.
    fn hand_up_first(&mut self, upward: &mut Upward<'_, '_>) {
        for kept in self.frames.iter_mut().filter(|kept| !kept.sacked).take(2) {
            upward.hand_up_again(kept, &mut self.hand_ups);
        }
    }
}

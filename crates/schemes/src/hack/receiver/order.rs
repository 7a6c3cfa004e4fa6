//! The order of native frames by their MAC sequence numbers, and the order of what goes up.

use std::collections::VecDeque;

use ackless_dot11::frame::{MacSeq, Mpdu};
use ackless_rohc::hack::Cid;
use ackless_wire::PacketId;

/// A place in the order in which a peer sent its frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Position {
    /// The TID; frames without one have a lane of their own.
    tid_lane: u8,
    /// The sequence number, unwrapped, and behind it, in the last eight bits, the place in the A-MSDU.
    seq: u64,
}

/// Unwraps the sequence numbers of one peer, by TID.
///
/// As everywhere in 802.11, a number less than 2048 ahead of the last one is newer, and any other is older. A flow that
/// pauses while others send is followed through every wrap, since every frame of the peer is looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct SeqUnwrapper {
    last: [Option<u64>; LANES],
    /// The place of the last packet in its A-MSDU.
    place_in_amsdu: u8,
}

/// What goes up, where decompressed ACKs must not overtake the native frames before them.
///
/// A native frame that its MAC has acknowledged may still wait in the reorder buffer behind a hole, while ACKs that
/// were compressed after it come with an answer. They are kept until it has gone up.
#[derive(Clone, Debug, Default)]
pub(super) struct UpwardOrder {
    /// The newest native frame of each context that has come and not gone up yet.
    pending: Vec<(PacketId, Cid)>,
    waiting: VecDeque<Waiting>,
}

/// Whether an ACK waits for a native frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// It need not.
    No,
    /// It does.
    Yes,
    /// It does, and this one, which has waited longest, is the caller's again: it is to be let go.
    InPlaceOf(PacketId),
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    packet: PacketId,
    cid: Cid,
    behind: PacketId,
}

impl Position {
    /// Whether this was sent after `other`. Frames of different TIDs are taken in the order in which they arrive, the
    /// one asked about last.
    pub(super) const fn is_after(self, other: Self) -> bool {
        self.tid_lane != other.tid_lane || self.seq > other.seq
    }

    /// Whether this was surely sent before `other`.
    pub(super) const fn is_before(self, other: Self) -> bool {
        self.tid_lane == other.tid_lane && self.seq < other.seq
    }

    /// The place before this one.
    pub(super) const fn just_before(self) -> Self {
        Self { seq: self.seq.saturating_sub(1), ..self }
    }
}

impl SeqUnwrapper {
    /// The position of a packet that has just come, behind the others of its A-MSDU.
    #[inline(always)]
    pub(super) fn position(&mut self, mpdu: &Mpdu) -> Position {
        let tid_lane = mpdu.tid().map_or(LANES - 1, |tid| usize::from(tid.0) % (LANES - 1));
        let last = &mut self.last[tid_lane];
        let modulus = u64::from(MacSeq::MODULUS);
        let at = match *last {
            None => modulus + u64::from(mpdu.seq.get()),
            Some(before) => {
                let ahead = u64::from(mpdu.seq.offset_from(MacSeq::new((before % modulus) as u16)));
                if ahead < modulus / 2 { before + ahead } else { before + ahead - modulus }
            }
        };
        *last = (*last).max(Some(at));
        // An MPDU of 11,454 bytes has room for fewer packets than eight bits can count.
        self.place_in_amsdu = if mpdu.part.begins() { 0 } else { self.place_in_amsdu.saturating_add(1) };
        Position { tid_lane: tid_lane as u8, seq: at << 8 | u64::from(self.place_in_amsdu) }
    }
}

impl SeqUnwrapper {
    /// As [`Self::position`] for each of these, where nobody asks for it.
    pub(super) fn pass(&mut self, mpdus: &[Mpdu]) {
        let mut rest = mpdus;
        while let Some((first, others)) = rest.split_first() {
            let Position { tid_lane, seq } = self.position(first);
            // As nearly all come, each with the next number.
            let mut before = first.seq;
            let row = others.iter().take_while(|mpdu| {
                let follows = mpdu.seq == before.plus(1) && mpdu.tid() == first.tid() && mpdu.part.begins();
                before = mpdu.seq;
                follows
            });
            let row = row.count();
            if row > 0 {
                self.place_in_amsdu = 0;
            }
            let last = &mut self.last[usize::from(tid_lane)];
            *last = (*last).max(Some((seq >> 8) + row as u64));
            rest = &others[row..];
        }
    }
}

impl UpwardOrder {
    /// Whether nothing is being followed.
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.waiting.is_empty()
    }

    /// A native frame of a context has come: it will go up.
    pub(super) fn expect(&mut self, packet: PacketId, cid: Cid) {
        match self.pending.iter_mut().find(|(_, pending)| *pending == cid) {
            Some(entry) => entry.0 = packet,
            None => self.pending.push((packet, cid)),
        }
    }

    /// Keeps an ACK of this context if it must wait.
    pub(super) fn keep(&mut self, packet: PacketId, cid: Cid) -> Kept {
        let Some(&(behind, _)) = self.pending.iter().find(|(_, pending)| *pending == cid) else { return Kept::No };
        let oldest = if self.waiting.len() < MAX_WAITING { None } else { self.waiting.pop_front() };
        self.waiting.push_back(Waiting { packet, cid, behind });
        oldest.map_or(Kept::Yes, |oldest| Kept::InPlaceOf(oldest.packet))
    }

    /// A frame is taken up. Hands `up` what goes with it, itself in its place among them; false, and nothing, where it goes
    /// alone.
    pub(super) fn take_up(&mut self, packet: PacketId, mut up: impl FnMut(PacketId)) -> bool {
        let Some(place) = self.pending.iter().position(|(pending, _)| *pending == packet) else {
            // An older frame than the one that is followed: what waits for it waits for the other now.
            return self.take_up_behind(packet, &mut up);
        };
        let (_, cid) = self.pending.swap_remove(place);
        if self.waiting.iter().all(|waiting| waiting.cid != cid) {
            return false;
        }
        let mut hand_up = |before: bool| {
            self.waiting.retain(|waiting| {
                let goes = waiting.cid == cid && (waiting.behind != packet) == before;
                if goes {
                    up(waiting.packet);
                }
                !goes
            });
            if before {
                up(packet);
            }
        };
        hand_up(true);
        hand_up(false);
        true
    }

    /// A frame is taken up that a newer one of its context has replaced in the list; what waits for it follows it.
    fn take_up_behind(&mut self, packet: PacketId, up: &mut impl FnMut(PacketId)) -> bool {
        if self.waiting.iter().all(|waiting| waiting.behind != packet) {
            return false;
        }
        up(packet);
        self.waiting.retain(|waiting| {
            let goes = waiting.behind == packet;
            if goes {
                up(waiting.packet);
            }
            !goes
        });
        true
    }
}

/// So many ACKs of one peer wait. That is more than any client sends while a native frame of it is repeated; a peer
/// that leaves a hole in front of a native frame for good, and appends on and on, takes no more memory than that. Later
/// ACKs say what the oldest do, but for duplicates.
const MAX_WAITING: usize = 4096;
/// TIDs of EDCA, and frames without one.
const LANES: usize = 9;

#[cfg(test)]
mod tests;

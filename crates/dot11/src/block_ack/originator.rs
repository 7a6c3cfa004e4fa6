//! The sender's side of a block acknowledgement agreement (802.11-2020, 10.25.6.7 and 10.25.6.8).

use std::collections::VecDeque;

use ackless_wire::Bytes;

use super::MAX_WINDOW;
use super::more::More;
use crate::frame::{Bitmap, MacSeq, Mpdu};

/// The MPDUs of one (receiver, TID) between their sequence number and their fate.
///
/// One round goes so:
/// 1. While [`needs_bar`](Self::needs_bar) names a starting sequence number, a BlockAckReq with it goes out and nothing else.
/// 2. Otherwise an A-MPDU is put together from [`unacknowledged`](Self::unacknowledged), oldest first, and then from new
///    MPDUs by [`push_new`](Self::push_new) while [`can_take_new`](Self::can_take_new). Each MPDU that really goes on the
///    air is reported by [`mark_sent`](Self::mark_sent).
/// 3. The end is [`on_block_ack`](Self::on_block_ack) or [`on_no_block_ack`](Self::on_no_block_ack). An MPDU that
///    went alone ends with [`on_ack`](Self::on_ack) or [`on_no_ack`](Self::on_no_ack).
///
/// An MPDU that came back without acknowledgement counts one failed attempt. With `retry_limit` failed attempts it is given
/// up, as dot11ShortRetryLimit is defined (10.3.4.4): the limit is the number of transmissions, not of
/// retransmissions. `u32::MAX` means never.
#[derive(Clone, Debug)]
pub struct Originator {
    /// WinStartO: the oldest sequence number without a fate, or the next new one.
    start: MacSeq,
    /// WinSizeO.
    window: u16,
    /// The window from `start` on; slot `n` has sequence number `start + n`. The first has no fate yet.
    slots: VecDeque<Slot>,
    /// What A-MSDUs carry beside their first packets.
    more: More,
    request: Request,
}

/// What became of an MPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The recipient acknowledged it.
    Delivered,
    /// It failed as often as the retry limit allows. The recipient may have it all the same, if only answers were lost.
    GivenUp,
}

/// What follows an exchange whose BlockAck did not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// A BlockAckReq is to be sent, again if this was one.
    Request,
    /// The BlockAckReq itself failed as often as the retry limit allows; MPDUs go first again.
    RequestGivenUp,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    /// Has no fate yet.
    Open(Pending),
    /// Has its fate, but an older MPDU has not.
    Settled(Fate),
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    mpdu: Mpdu,
    /// Failed attempts.
    failures: u32,
    /// Whether it is on the air, or its answer was lost; else it is to be sent, for the first time or again.
    sent: bool,
}

impl Slot {
    const fn is_sent(&self) -> bool {
        matches!(self, Self::Open(pending) if pending.sent)
    }

    /// An MPDU that was sent did not arrive: it will be sent again, or is given up.
    #[inline]
    fn fail(&mut self, retry_limit: u32, more: &mut More, fate: &mut impl FnMut(Mpdu, Fate)) {
        let Self::Open(pending) = self else { return };
        pending.failures = pending.failures.saturating_add(1);
        if pending.failures >= retry_limit && retry_limit != u32::MAX {
            return self.settle(Fate::GivenUp, more, fate);
        }
        (pending.mpdu.retry, pending.sent) = (true, false);
        more.repeat(&pending.mpdu);
    }

    /// An MPDU has its fate.
    #[inline]
    fn settle(&mut self, how: Fate, more: &mut More, fate: &mut impl FnMut(Mpdu, Fate)) {
        let Self::Open(Pending { mpdu, .. }) = self else { return };
        fate(*mpdu, how);
        if !mpdu.part.ends() {
            more.take(mpdu).for_each(|packet| fate(packet, how));
        }
        *self = Self::Settled(how);
    }
}

impl Pending {
    const fn is_at_last_try(&self, retry_limit: u32) -> bool {
        self.failures > 0 && self.failures.saturating_add(1) >= retry_limit
    }
}

/// Whether the recipient must be sent a BlockAckReq.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    /// No.
    Idle,
    /// Yes, after this many failed requests: an answer was lost, or an MPDU was given up and the recipient waits for it.
    Due { failures: u32 },
    /// Yes, but the last one was given up, or an A-MPDU went before it: as soon as the recipient is heard again.
    Deferred,
}

impl Originator {
    /// The originator of a fresh agreement whose first MPDU gets the sequence number `first`, and whose MPDUs without a fate lie within
    /// `window` sequence numbers, 1 to [`MAX_WINDOW`].
    ///
    /// # Panics
    /// If the window is out of range.
    pub fn new(first: MacSeq, window: u16) -> Self {
        assert!((1..=MAX_WINDOW).contains(&window), "a window has from 1 to 64 MPDUs");
        Self {
            start: first,
            window,
            slots: VecDeque::with_capacity(window.into()),
            more: More::default(),
            request: Request::Idle,
        }
    }

    /// WinStartO: the oldest sequence number without a fate, or the next new one where there is none.
    pub const fn window_start(&self) -> MacSeq {
        self.start
    }

    /// The sequence number of the next new MPDU.
    pub fn next_seq(&self) -> MacSeq {
        self.start.plus(self.slots.len() as u16)
    }

    /// Whether a new MPDU still lies within the window.
    pub fn can_take_new(&self) -> bool {
        self.slots.len() < usize::from(self.window)
    }

    /// Whether every MPDU has its fate.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Takes a new MPDU in, which has not been sent, and gives it the next sequence number. Returns it as it stands then.
    ///
    /// # Panics
    /// If the window is full: ask [`can_take_new`](Self::can_take_new) first.
    pub fn push_new(&mut self, mpdu: Mpdu) -> Mpdu {
        assert!(self.can_take_new(), "a new MPDU lies within the window");
        let mpdu = Mpdu { seq: self.next_seq(), ..mpdu };
        self.slots.push_back(Slot::Open(Pending { mpdu, failures: 0, sent: false }));
        mpdu
    }

    /// How many new MPDUs still lie within the window.
    pub fn room(&self) -> usize {
        usize::from(self.window).saturating_sub(self.slots.len())
    }

    /// [`push_new`](Self::push_new) for several, which have their sequence numbers already, from [`next_seq`](Self::next_seq) on: so each is copied as a whole, and not field by field.
    /// Puts them behind what `onto` holds, too.
    ///
    /// # Panics
    /// If there are more than there is [room](Self::room) for.
    #[inline(always)]
    pub fn push_run<'m>(&mut self, mpdus: impl ExactSizeIterator<Item = &'m Mpdu> + Clone, onto: &mut Vec<Mpdu>) {
        assert!(mpdus.len() <= self.room(), "new MPDUs lie within the window");
        let next = self.next_seq();
        debug_assert!(mpdus.clone().zip(0..).all(|(mpdu, n)| mpdu.seq == next.plus(n)), "they have the next numbers");
        self.slots.extend(mpdus.clone().map(|&mpdu| Slot::Open(Pending { mpdu, failures: 0, sent: false })));
        onto.extend(mpdus);
    }

    /// Puts more packets into the newest MPDU, which has not been sent yet, and thereby makes an A-MSDU of it.
    ///
    /// # Panics
    /// If there is no such MPDU, or no packet.
    #[inline(always)]
    pub fn join<'m>(&mut self, packets: impl Iterator<Item = &'m Mpdu>) {
        let Some(Slot::Open(Pending { mpdu, failures: 0, sent: false })) = self.slots.back_mut() else {
            panic!("packets join an MPDU that has not been sent");
        };
        self.more.join(mpdu, packets);
    }

    /// The MPDU that was taken in last, if it is to be sent.
    pub fn newest(&self) -> Option<&Mpdu> {
        match self.slots.back() {
            Some(Slot::Open(pending)) if !pending.sent => Some(&pending.mpdu),
            _ => None,
        }
    }

    /// The length of an MPDU that is to be sent, with all its packets.
    pub fn len_of(&self, mpdu: &Mpdu) -> Bytes {
        self.more.of(mpdu).iter().fold(mpdu.len(), |len, packet| len + packet.len())
    }

    /// How many packets are in the MPDUs that are to be sent.
    pub fn backlog(&self) -> usize {
        self.unacknowledged().map(|mpdu| 1 + self.more.of(mpdu).len()).sum()
    }

    /// How many MPDUs have no fate yet, those on the air included.
    pub fn without_fate(&self) -> usize {
        self.slots.iter().filter(|slot| !matches!(slot, Slot::Settled(_))).count()
    }

    /// The packets of an A-MSDU behind its first; none where `mpdu`, one of those to be sent, has no A-MSDU.
    pub fn more(&self, mpdu: &Mpdu) -> &[Mpdu] {
        self.more.of(mpdu)
    }

    /// The MPDUs that are to be sent, in sequence order; of an A-MSDU its first packet. Those sent before have the Retry bit set.
    ///
    /// MPDUs on the air are not among them, nor are those whose answer was lost until a BlockAckReq cleared them up.
    pub fn unacknowledged(&self) -> impl Iterator<Item = &Mpdu> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Open(pending) if !pending.sent => Some(&pending.mpdu),
            Slot::Open(_) | Slot::Settled(_) => None,
        })
    }

    /// The MPDU with this sequence number is on the air.
    ///
    /// # Panics
    /// If no such MPDU is to be sent.
    #[inline]
    pub fn mark_sent(&mut self, seq: MacSeq) {
        match self.slots.get_mut(usize::from(seq.offset_from(self.start))) {
            Some(Slot::Open(pending)) if !pending.sent => pending.sent = true,
            _ => panic!("only an MPDU of the window is sent, and not again before its answer"),
        }
        // What was put together before a request became due, and has waited for its CTS since, goes first: the answer to it is none to the
        // request.
        if let Request::Due { .. } = self.request {
            self.request = Request::Deferred;
        }
    }

    /// The starting sequence number of the BlockAckReq that must go out before any MPDU, if one must.
    ///
    /// One is due after a lost BlockAck, to learn what arrived, and when the window moves past an MPDU that was given up, to move
    /// the recipient's reorder buffer past the hole too (10.25.6.7 leaves the latter to the originator; we always do it, since no
    /// other rule would release what waits behind the hole while nothing new is sent).
    pub const fn needs_bar(&self) -> Option<MacSeq> {
        match self.request {
            Request::Due { .. } => Some(self.start),
            Request::Idle | Request::Deferred => None,
        }
    }

    /// Whether an MPDU that is to be sent again will be given up if it fails once more.
    pub fn has_last_try(&self, retry_limit: u32) -> bool {
        let last =
            |slot: &Slot| matches!(slot, Slot::Open(pending) if !pending.sent && pending.is_at_last_try(retry_limit));
        self.slots.iter().any(last)
    }

    /// How many MPDUs are on the air or have lost their answer.
    pub fn in_flight(&self) -> u32 {
        self.sent().count_ones()
    }

    /// How many MPDUs a BlockAck with this bitmap decides on, and how many of them it acknowledges.
    pub fn outcome(&self, bitmap: Bitmap) -> (u32, u32) {
        let sent = self.sent();
        (sent.count_ones(), (sent & bitmap.aligned_to(self.start)).count_ones())
    }

    /// The MPDUs that are on the air or have lost their answer: bit n stands for the sequence number `start + n`.
    fn sent(&self) -> u64 {
        self.slots.iter().rev().fold(0, |sent, slot| sent << 1 | u64::from(slot.is_sent()))
    }

    /// The MPDUs at the start of the window that have been sent and that a BlockAck with this bitmap, which came, acknowledges, until the first of which that does not hold: nearly always
    /// all. They are delivered, as [`on_block_ack`](Self::on_block_ack) would say, which is asked about the others once these have been [passed](Self::pass).
    #[inline(always)]
    pub fn delivered(&self, bitmap: Bitmap) -> impl Iterator<Item = &Mpdu> {
        let mut bits = bitmap.aligned_to(self.start);
        self.slots.iter().map_while(move |slot| match slot {
            Slot::Open(Pending { mpdu, sent: true, .. }) if bits & 1 != 0 => {
                bits >>= 1;
                Some(mpdu)
            }
            _ => None,
        })
    }

    /// Moves the window past so many MPDUs, which are delivered.
    #[inline]
    pub fn pass(&mut self, delivered: usize) {
        for slot in self.slots.drain(..delivered) {
            if let Slot::Open(Pending { mpdu, .. }) = slot
                && !mpdu.part.ends()
            {
                drop(self.more.take(&mpdu));
            }
        }
        self.start = self.start.plus(delivered as u16);
    }

    /// A BlockAck came, to an A-MPDU or to a BlockAckReq.
    ///
    /// Acknowledged MPDUs are delivered, also those of earlier exchanges; what was sent and is not acknowledged failed
    /// once more. Fates are told in sequence order. Bits of MPDUs that were never sent mean nothing.
    pub fn on_block_ack(&mut self, bitmap: Bitmap, retry_limit: u32, mut fate: impl FnMut(Mpdu, Fate)) {
        // A request that is still due has gone out, so that this answers it.
        self.request = match self.request {
            Request::Due { .. } | Request::Idle => Request::Idle,
            Request::Deferred => Request::Due { failures: 0 },
        };
        let mut bits = bitmap.aligned_to(self.start);
        for slot in &mut self.slots {
            let acknowledged = bits & 1 != 0;
            bits >>= 1;
            let Slot::Open(pending) = slot else { continue };
            // One that is not sent failed after a given-up request, and is now known to have arrived.
            if acknowledged && (pending.sent || pending.failures > 0) {
                slot.settle(Fate::Delivered, &mut self.more, &mut fate);
            } else if pending.sent {
                slot.fail(retry_limit, &mut self.more, &mut fate);
            }
        }
        self.advance();
    }

    /// No BlockAck came, to an A-MPDU or to a BlockAckReq.
    ///
    /// After an A-MPDU all its MPDUs stay as they are and a BlockAckReq is due. When that has failed `retry_limit` times
    /// too, what was sent counts one failed attempt: MPDUs at the limit are given up, the others are sent again. The
    /// standard leaves this case to the originator. If the recipient then has a hole to be told of, the
    /// request is due again once it is next heard, as a Linux station does, so that an absent recipient is not asked forever.
    pub fn on_no_block_ack(&mut self, retry_limit: u32, mut fate: impl FnMut(Mpdu, Fate)) -> NoAnswer {
        let Request::Due { failures } = self.request else {
            self.request = Request::Due { failures: 0 };
            return NoAnswer::Request;
        };
        if failures.saturating_add(1) < retry_limit {
            self.request = Request::Due { failures: failures + 1 };
            return NoAnswer::Request;
        }
        for slot in self.slots.iter_mut().filter(|slot| slot.is_sent()) {
            slot.fail(retry_limit, &mut self.more, &mut fate);
        }
        // Deferred also where nothing was given up: the request then only says again what the recipient can work out,
        // which costs one short exchange and spares a state.
        self.request = Request::Deferred;
        self.advance();
        NoAnswer::RequestGivenUp
    }

    /// An Ack came to the MPDU with this sequence number, which went alone.
    ///
    /// # Panics
    /// If that MPDU is not on the air.
    pub fn on_ack(&mut self, seq: MacSeq, mut fate: impl FnMut(Mpdu, Fate)) {
        let offset = self.sent_alone(seq);
        if self.request == Request::Deferred {
            self.request = Request::Due { failures: 0 };
        }
        self.slots[offset].settle(Fate::Delivered, &mut self.more, &mut fate);
        self.advance();
    }

    /// No Ack came to the MPDU with this sequence number, which went alone: one failed attempt.
    ///
    /// # Panics
    /// If that MPDU is not on the air.
    pub fn on_no_ack(&mut self, seq: MacSeq, retry_limit: u32, mut fate: impl FnMut(Mpdu, Fate)) {
        let offset = self.sent_alone(seq);
        self.slots[offset].fail(retry_limit, &mut self.more, &mut fate);
        self.advance();
    }

    /// The recipient was heard by a frame of its own: a deferred request is due. Returns whether there was one.
    pub fn on_heard(&mut self) -> bool {
        let deferred = self.request == Request::Deferred;
        if deferred {
            self.request = Request::Due { failures: 0 };
        }
        deferred
    }

    /// Gives up all MPDUs that are to be sent, as after too many failed RTS (10.3.4.4).
    pub fn give_up_unacknowledged(&mut self, mut fate: impl FnMut(Mpdu, Fate)) {
        for slot in &mut self.slots {
            if let Slot::Open(Pending { sent: false, .. }) = slot {
                slot.settle(Fate::GivenUp, &mut self.more, &mut fate);
            }
        }
        self.advance();
    }

    /// Where in the window the MPDU stands that went alone.
    fn sent_alone(&self, seq: MacSeq) -> usize {
        let offset = usize::from(seq.offset_from(self.start));
        let sent = self.slots.get(offset).is_some_and(Slot::is_sent);
        assert!(sent, "an answer belongs to an MPDU on the air");
        offset
    }

    /// Moves the window past the MPDUs that have their fate. Where one was given up, the recipient may wait for it, and only
    /// a request from beyond it helps: one that starts before it would not.
    fn advance(&mut self) {
        let mut settled = 0;
        let mut given_up = false;
        for slot in &self.slots {
            let Slot::Settled(fate) = slot else { break };
            settled += 1;
            given_up |= *fate == Fate::GivenUp;
        }
        self.slots.drain(..settled);
        self.start = self.start.plus(settled as u16);
        if given_up && self.request == Request::Idle {
            self.request = Request::Due { failures: 0 };
        }
    }
}

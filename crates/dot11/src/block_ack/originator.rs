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
    /// The window from `start` on: MPDU `n` has sequence number `start + n`, and bit `n` in each of the sets below. The first has no fate yet.
    mpdus: VecDeque<Pending>,
    /// Those without a fate.
    open: u64,
    /// Those of them that are on the air or have lost their answer; the others are to be sent, for the first time or again.
    sent: u64,
    /// Those that have been given up, while an older one has no fate.
    given_up: u64,
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
struct Pending {
    mpdu: Mpdu,
    /// Failed attempts.
    failures: u32,
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
            mpdus: VecDeque::with_capacity(window.into()),
            open: 0,
            sent: 0,
            given_up: 0,
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
        self.start.plus(self.mpdus.len() as u16)
    }

    /// Whether a new MPDU still lies within the window.
    pub fn can_take_new(&self) -> bool {
        self.mpdus.len() < usize::from(self.window)
    }

    /// Whether every MPDU has its fate.
    pub fn is_empty(&self) -> bool {
        self.mpdus.is_empty()
    }

    /// Takes a new MPDU in, which has not been sent, and gives it the next sequence number. Returns it as it stands then.
    ///
    /// # Panics
    /// If the window is full: ask [`can_take_new`](Self::can_take_new) first.
    pub fn push_new(&mut self, mpdu: Mpdu) -> Mpdu {
        assert!(self.can_take_new(), "a new MPDU lies within the window");
        let mpdu = Mpdu { seq: self.next_seq(), ..mpdu };
        self.open |= 1 << self.mpdus.len();
        self.mpdus.push_back(Pending { mpdu, failures: 0 });
        mpdu
    }

    /// How many new MPDUs still lie within the window.
    pub fn room(&self) -> usize {
        usize::from(self.window).saturating_sub(self.mpdus.len())
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
        let before = self.mpdus.len();
        self.open |= lowest(before + mpdus.len()) & !lowest(before);
        self.mpdus.extend(mpdus.clone().map(|&mpdu| Pending { mpdu, failures: 0 }));
        onto.extend(mpdus);
    }

    /// Puts more packets into the newest MPDU, which has not been sent yet, and thereby makes an A-MSDU of it.
    ///
    /// # Panics
    /// If there is no such MPDU, or no packet.
    #[inline(always)]
    pub fn join<'m>(&mut self, packets: impl Iterator<Item = &'m Mpdu>) {
        let to_send = self.is_newest_to_send();
        let Some(Pending { mpdu, failures: 0 }) = self.mpdus.back_mut().filter(|_| to_send) else {
            panic!("packets join an MPDU that has not been sent");
        };
        self.more.join(mpdu, packets);
    }

    /// The MPDU that was taken in last, if it is to be sent.
    pub fn newest(&self) -> Option<&Mpdu> {
        self.mpdus.back().filter(|_| self.is_newest_to_send()).map(|pending| &pending.mpdu)
    }

    /// Whether the MPDU that was taken in last is to be sent.
    fn is_newest_to_send(&self) -> bool {
        self.to_send() & !lowest(self.mpdus.len().saturating_sub(1)) != 0
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
        self.open.count_ones() as usize
    }

    /// The packets of an A-MSDU behind its first; none where `mpdu`, one of those to be sent, has no A-MSDU.
    pub fn more(&self, mpdu: &Mpdu) -> &[Mpdu] {
        self.more.of(mpdu)
    }

    /// The MPDUs that are to be sent, in sequence order; of an A-MSDU its first packet. Those sent before have the Retry bit set.
    ///
    /// MPDUs on the air are not among them, nor are those whose answer was lost until a BlockAckReq cleared them up.
    pub fn unacknowledged(&self) -> impl Iterator<Item = &Mpdu> {
        places(self.to_send()).map(|n| &self.mpdus[n].mpdu)
    }

    /// Those without a fate that are neither on the air nor have lost their answer.
    const fn to_send(&self) -> u64 {
        self.open & !self.sent
    }

    /// The MPDUs with these sequence numbers are on the air.
    ///
    /// # Panics
    /// If one of them is not to be sent, or is named twice.
    #[inline]
    pub fn mark_sent(&mut self, numbers: impl Iterator<Item = MacSeq>) {
        let (mut sent, mut count, mut offsets) = (0, 0, 0);
        for seq in numbers {
            let offset = seq.offset_from(self.start);
            sent |= 1u64.wrapping_shl(offset.into());
            offsets |= offset;
            count += 1;
        }
        let all = offsets < MAX_WINDOW && (sent & self.to_send()).count_ones() == count;
        assert!(all, "only MPDUs of the window are sent, and not again before their answer");
        self.sent |= sent;
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
        places(self.to_send()).any(|n| self.mpdus[n].is_at_last_try(retry_limit))
    }

    /// How many MPDUs are on the air or have lost their answer.
    pub const fn in_flight(&self) -> u32 {
        self.sent.count_ones()
    }

    /// How many MPDUs a BlockAck with this bitmap decides on, and how many of them it acknowledges.
    pub const fn outcome(&self, bitmap: Bitmap) -> (u32, u32) {
        (self.sent.count_ones(), (self.sent & bitmap.aligned_to(self.start)).count_ones())
    }

    /// A BlockAck came, to an A-MPDU or to a BlockAckReq.
    ///
    /// Acknowledged MPDUs are delivered, also those of earlier exchanges; what was sent and is not acknowledged failed
    /// once more. Fates are told in sequence order. Bits of MPDUs that were never sent mean nothing.
    #[inline(always)]
    pub fn on_block_ack(&mut self, bitmap: Bitmap, retry_limit: u32, mut fate: impl FnMut(&Mpdu, Fate)) {
        // A request that is still due has gone out, so that this answers it.
        self.request = match self.request {
            Request::Due { .. } | Request::Idle => Request::Idle,
            Request::Deferred => Request::Due { failures: 0 },
        };
        let arrived = bitmap.aligned_to(self.start);
        // One that is not sent failed after a given-up request, and is now known to have arrived.
        let late = places(arrived & self.to_send()).filter(|&n| self.mpdus[n].failures > 0);
        let late = late.fold(0, |late, n| late | 1 << n);
        let delivered = arrived & self.sent | late;
        // Nearly always all are delivered.
        let first = delivered.trailing_ones() as usize;
        for pending in self.mpdus.iter().take(first) {
            tell(&pending.mpdu, Fate::Delivered, &mut self.more, &mut fate);
        }
        for n in places((self.sent | late) & !lowest(first)) {
            if delivered >> n & 1 != 0 {
                tell(&self.mpdus[n].mpdu, Fate::Delivered, &mut self.more, &mut fate);
            } else {
                self.fail(n, retry_limit, &mut fate);
            }
        }
        self.open &= !delivered;
        self.sent &= !delivered;
        self.advance();
    }

    /// No BlockAck came, to an A-MPDU or to a BlockAckReq.
    ///
    /// After an A-MPDU all its MPDUs stay as they are and a BlockAckReq is due. When that has failed `retry_limit` times
    /// too, what was sent counts one failed attempt: MPDUs at the limit are given up, the others are sent again. The
    /// standard leaves this case to the originator. If the recipient then has a hole to be told of, the
    /// request is due again once it is next heard, as a Linux station does, so that an absent recipient is not asked forever.
    pub fn on_no_block_ack(&mut self, retry_limit: u32, mut fate: impl FnMut(&Mpdu, Fate)) -> NoAnswer {
        let Request::Due { failures } = self.request else {
            self.request = Request::Due { failures: 0 };
            return NoAnswer::Request;
        };
        if failures.saturating_add(1) < retry_limit {
            self.request = Request::Due { failures: failures + 1 };
            return NoAnswer::Request;
        }
        places(self.sent).for_each(|n| self.fail(n, retry_limit, &mut fate));
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
    pub fn on_ack(&mut self, seq: MacSeq, mut fate: impl FnMut(&Mpdu, Fate)) {
        let offset = self.sent_alone(seq);
        if self.request == Request::Deferred {
            self.request = Request::Due { failures: 0 };
        }
        self.settle(offset, Fate::Delivered, &mut fate);
        self.advance();
    }

    /// No Ack came to the MPDU with this sequence number, which went alone: one failed attempt.
    ///
    /// # Panics
    /// If that MPDU is not on the air.
    pub fn on_no_ack(&mut self, seq: MacSeq, retry_limit: u32, mut fate: impl FnMut(&Mpdu, Fate)) {
        let offset = self.sent_alone(seq);
        self.fail(offset, retry_limit, &mut fate);
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
    pub fn give_up_unacknowledged(&mut self, mut fate: impl FnMut(&Mpdu, Fate)) {
        places(self.to_send()).for_each(|n| self.settle(n, Fate::GivenUp, &mut fate));
        self.advance();
    }

    /// Where in the window the MPDU stands that went alone.
    fn sent_alone(&self, seq: MacSeq) -> usize {
        let offset = usize::from(seq.offset_from(self.start));
        assert!(self.sent & lowest(offset + 1) & !lowest(offset) != 0, "an answer belongs to an MPDU on the air");
        offset
    }

    /// An MPDU that was sent did not arrive: it will be sent again, or is given up.
    #[inline]
    fn fail(&mut self, n: usize, retry_limit: u32, fate: &mut impl FnMut(&Mpdu, Fate)) {
        let pending = &mut self.mpdus[n];
        pending.failures = pending.failures.saturating_add(1);
        if pending.failures >= retry_limit && retry_limit != u32::MAX {
            return self.settle(n, Fate::GivenUp, fate);
        }
        pending.mpdu.retry = true;
        self.more.repeat(&pending.mpdu);
        self.sent &= !(1 << n);
    }

    /// An MPDU has its fate.
    #[inline]
    fn settle(&mut self, n: usize, how: Fate, fate: &mut impl FnMut(&Mpdu, Fate)) {
        tell(&self.mpdus[n].mpdu, how, &mut self.more, fate);
        self.open &= !(1 << n);
        self.sent &= !(1 << n);
        self.given_up |= u64::from(how == Fate::GivenUp) << n;
    }

    /// Moves the window past the MPDUs that have their fate. Where one was given up, the recipient may wait for it, and only
    /// a request from beyond it helps: one that starts before it would not.
    fn advance(&mut self) {
        let settled = self.mpdus.len().min(self.open.trailing_zeros() as usize);
        let given_up = self.given_up & lowest(settled) != 0;
        self.shift(settled);
        if given_up && self.request == Request::Idle {
            self.request = Request::Due { failures: 0 };
        }
    }

    /// Moves the window past so many MPDUs.
    #[inline]
    fn shift(&mut self, by: usize) {
        self.mpdus.drain(..by);
        self.start = self.start.plus(by as u16);
        for set in [&mut self.open, &mut self.sent, &mut self.given_up] {
            *set = set.checked_shr(by as u32).unwrap_or(0);
        }
    }
}

/// Tells the fate of an MPDU, packet by packet.
#[inline(always)]
fn tell(mpdu: &Mpdu, how: Fate, more: &mut More, fate: &mut impl FnMut(&Mpdu, Fate)) {
    fate(mpdu, how);
    if !mpdu.part.ends() {
        more.take(mpdu).for_each(|packet| fate(&packet, how));
    }
}

/// The places of the bits that are set, the lowest first.
fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then_some(bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(place as usize)
    })
}

/// So many bits from the lowest on.
const fn lowest(count: usize) -> u64 {
    match 1u64.checked_shl(count as u32) {
        Some(above) => above - 1,
        None => u64::MAX,
    }
}

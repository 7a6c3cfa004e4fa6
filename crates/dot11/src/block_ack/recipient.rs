//! The receiver's side of a block acknowledgement agreement: scoreboard and reorder buffer.

use super::MAX_WINDOW;
use super::more::More;
use crate::frame::{Bitmap, MacSeq, Mpdu};

/// What a receiver keeps for one (transmitter, TID) under an agreement.
///
/// Two windows move apart from each other. The *scoreboard* (WinStartR, full-state operation, 802.11-2020, 10.25.6.3) says what
/// the next BlockAck acknowledges; the *reorder buffer* (WinStartB, 10.25.6.6) holds what arrived behind a hole and hands it
/// up in order. Every MPDU of the agreement comes in through [`on_mpdu`](Self::on_mpdu), aggregated or alone,
/// every BlockAckReq through [`on_request`](Self::on_request).
///
/// The standard has no timeout that would give a hole up; Linux has one of about 100 ms. There is none here: an
/// originator that gives an MPDU up says so with a BlockAckReq.
#[derive(Clone, Debug)]
pub struct Recipient {
    scoreboard: Bitmap,
    /// WinSizeR and WinSizeB.
    window: u16,
    reorder: ReorderBuffer,
}

/// The MPDU had been received before, or lies behind the reorder buffer: it goes no further, and its references to packets are the
/// caller's again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duplicate;

#[derive(Clone, Debug)]
struct ReorderBuffer {
    /// WinStartB: the next sequence number to be handed up.
    start: MacSeq,
    /// The MPDU with sequence number `n` stands in slot `n % MAX_WINDOW`.
    slots: [Option<Mpdu>; MAX_WINDOW as usize],
    /// What A-MSDUs carry beside their first packets.
    more: More,
    held: u16,
}

impl Recipient {
    /// The recipient of a fresh agreement with the starting sequence number `first`, which records and holds `window` sequence numbers, 1 to
    /// [`MAX_WINDOW`].
    ///
    /// # Panics
    /// If the window is out of range.
    pub fn new(first: MacSeq, window: u16) -> Self {
        assert!((1..=MAX_WINDOW).contains(&window), "a window has from 1 to 64 MPDUs");
        Self { scoreboard: Bitmap::empty(first), window, reorder: ReorderBuffer::new(first) }
    }

    /// An MPDU with this packet arrived, or with these, an A-MSDU: records it, and hands `up`, in order, whatever it releases.
    ///
    /// # Errors
    /// A [`Duplicate`] is acknowledged all the same, where the scoreboard still covers it, but not handed up.
    ///
    /// # Panics
    /// If there are no packets.
    #[inline(always)]
    pub fn on_mpdu(&mut self, packets: &[Mpdu], up: impl FnMut(Mpdu)) -> Result<(), Duplicate> {
        let mpdu = &packets[0];
        self.record(mpdu.seq);
        self.reorder.insert(packets, self.window, up)
    }

    /// So many MPDUs arrived that come [next](Self::next_up), while [nothing is held](Self::held): they are recorded, and go up at once, as
    /// [`on_mpdu`](Self::on_mpdu) would have it.
    #[inline]
    pub fn on_run(&mut self, count: u16) {
        debug_assert!(self.reorder.held == 0, "what comes next leaves nothing to wait for");
        let first = self.reorder.start;
        self.reorder.start = first.plus(count);
        if count > 0 {
            self.record(first);
            self.record_behind(first, count);
        }
    }

    /// 10.25.6.3 b) for those behind the first of so many, which is recorded.
    fn record_behind(&mut self, first: MacSeq, count: u16) {
        let mut from = first.offset_from(self.scoreboard.start);
        if from >= self.window || count > MAX_WINDOW {
            // It is old.
            return (1..count).for_each(|n| self.record(first.plus(n)));
        }
        let mut until = from + count;
        if until > self.window {
            let by = until - self.window;
            self.shift_scoreboard(self.scoreboard.start.plus(by));
            (from, until) = (from.saturating_sub(by), self.window);
        }
        let below = |n: u16| 1u64.checked_shl(n.into()).map_or(u64::MAX, |bit| bit - 1);
        self.scoreboard.bits |= below(until) & !below(from);
    }

    /// A BlockAckReq with the starting sequence number `first` arrived: both windows move there, unless they are past it, and
    /// what waited behind a hole before it goes `up`.
    pub fn on_request(&mut self, first: MacSeq, mut up: impl FnMut(Mpdu)) {
        // 10.25.6.3 c): bits that fall out of the window are forgotten, those that come in are clear.
        if !first.before(self.scoreboard.start) {
            self.shift_scoreboard(first);
        }
        // 10.25.6.6.3.
        if !first.before(self.reorder.start) {
            self.reorder.advance_to(first, &mut up);
            self.reorder.release(&mut up);
        }
    }

    /// What the next BlockAck says.
    ///
    /// Its starting sequence number is WinStartR, as 10.25.6.5 allows, also in answer to a BlockAckReq.
    pub const fn bitmap(&self) -> Bitmap {
        self.scoreboard
    }

    /// WinStartB: the next sequence number to be handed up.
    pub const fn next_up(&self) -> MacSeq {
        self.reorder.start
    }

    /// How many MPDUs wait behind a hole: fewer than the window.
    pub const fn held(&self) -> u16 {
        self.reorder.held
    }

    /// How many packets are in them.
    pub fn held_packets(&self) -> usize {
        let held = self.reorder.slots.iter().flatten();
        held.map(|mpdu| 1 + self.reorder.more.of(mpdu).len()).sum()
    }

    /// Hands `up` all that is held, in order, as when the agreement ends.
    pub fn flush(&mut self, up: impl FnMut(Mpdu)) {
        self.reorder.advance_to(self.reorder.start.plus(MAX_WINDOW), up);
    }

    /// 10.25.6.3 b).
    #[inline]
    fn record(&mut self, seq: MacSeq) {
        let offset = seq.offset_from(self.scoreboard.start);
        if offset < self.window {
            self.scoreboard.bits |= 1 << offset;
        } else if offset < MacSeq::MODULUS / 2 {
            self.shift_scoreboard(window_ending_at(seq, self.window));
            self.scoreboard.bits |= 1 << (self.window - 1);
        }
    }

    fn shift_scoreboard(&mut self, start: MacSeq) {
        let by = start.offset_from(self.scoreboard.start);
        self.scoreboard.bits = self.scoreboard.bits.checked_shr(by.into()).unwrap_or(0);
        self.scoreboard.start = start;
    }
}

impl ReorderBuffer {
    fn new(start: MacSeq) -> Self {
        Self { start, slots: [None; MAX_WINDOW as usize], more: More::default(), held: 0 }
    }

    /// 10.25.6.6.2.
    #[inline(always)]
    fn insert(&mut self, packets: &[Mpdu], window: u16, mut up: impl FnMut(Mpdu)) -> Result<(), Duplicate> {
        let mpdu = &packets[0];
        let ahead = mpdu.seq.offset_from(self.start);
        if ahead == 0 {
            // The common case needs no slot. Nothing held has this sequence number: it would have gone up.
            self.start = self.start.plus(1);
            up(*mpdu);
            if packets.len() > 1 {
                packets[1..].iter().for_each(|packet| up(*packet));
            }
            if self.held > 0 {
                self.release(&mut up);
            }
            return Ok(());
        }
        if ahead < window {
            // The start does not move, and is still waited for.
            return self.hold(packets);
        }
        self.insert_outside(packets, window, up)
    }

    /// The same for an MPDU that lies before the window or behind it.
    #[inline(never)]
    fn insert_outside(&mut self, packets: &[Mpdu], window: u16, mut up: impl FnMut(Mpdu)) -> Result<(), Duplicate> {
        let mpdu = &packets[0];
        if mpdu.seq.before(self.start) {
            return Err(Duplicate);
        }
        self.advance_to(window_ending_at(mpdu.seq, window), &mut up);
        self.hold(packets)?;
        self.release(&mut up);
        Ok(())
    }

    /// Holds an MPDU of the window.
    #[inline(always)]
    fn hold(&mut self, packets: &[Mpdu]) -> Result<(), Duplicate> {
        let mpdu = &packets[0];
        let slot = &mut self.slots[slot_of(mpdu.seq)];
        if slot.is_some() {
            return Err(Duplicate);
        }
        *slot = Some(*mpdu);
        self.more.keep(packets);
        self.held += 1;
        Ok(())
    }

    /// Moves the start to `start`, handing up what was held before it.
    fn advance_to(&mut self, start: MacSeq, mut up: impl FnMut(Mpdu)) {
        let by = start.offset_from(self.start);
        for offset in 0..by.min(MAX_WINDOW) {
            if self.held == 0 {
                break;
            }
            self.hand_up(self.start.plus(offset), &mut up);
        }
        self.start = start;
    }

    /// Hands up from the start on until the first hole, and moves the start there.
    #[inline(never)]
    fn release(&mut self, mut up: impl FnMut(Mpdu)) {
        while self.held > 0 && self.hand_up(self.start, &mut up) {
            self.start = self.start.plus(1);
        }
    }

    /// Hands the MPDU with this sequence number up, packet by packet, if it is held.
    #[inline(always)]
    fn hand_up(&mut self, seq: MacSeq, up: &mut impl FnMut(Mpdu)) -> bool {
        let slot = &mut self.slots[slot_of(seq)];
        let Some(first) = slot else { return false };
        up(*first);
        if !first.part.ends() {
            self.more.take(first).for_each(up);
        }
        *slot = None;
        self.held -= 1;
        true
    }
}

/// The start of the window of this size that ends with `seq`.
const fn window_ending_at(seq: MacSeq, window: u16) -> MacSeq {
    seq.plus(MacSeq::MODULUS - window + 1)
}

const fn slot_of(seq: MacSeq) -> usize {
    (seq.get() % MAX_WINDOW) as usize
}

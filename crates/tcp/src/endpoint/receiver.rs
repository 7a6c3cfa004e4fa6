//! The receiving half's variables (RFC 9293, 3.3.1) and the window that it offers.

use ackless_wire::{Bytes, Instant, SeqNumber};

use super::tuning::{Arrival, Tuning};
use crate::ack::AckReason;
use crate::config::{Config, Consume};
use crate::reassembly::{Inbox, Reassembly};
use crate::sequence::{Position, Span};

/// The receive sequence variables and what is held.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// IRS.
    pub(super) irs: SeqNumber,
    /// RCV.NXT.
    pub(super) next: Position,
    /// RCV.NXT + RCV.WND: the first place that was never offered.
    pub(super) window_end: Position,
    /// Last.ACK.sent (RFC 7323, 4.3).
    pub(super) last_ack_sent: Position,
    /// Rcv.Wind.Shift.
    pub(super) shift: u8,
    /// What our SYN or SYN-ACK has said of the shift, once there was one.
    announced: Option<u8>,
    /// Where the FIN is, once it has come.
    pub(super) fin: Option<Position>,
    /// The number of the packet that brought it; 0 where packets have none.
    pub(super) fin_number: u64,
    /// Whether no data has been put above a hole since it came.
    pub(super) fin_is_latest: bool,
    /// The largest payload that came: one full-sized segment.
    pub(super) full_size: Bytes,
    pub(super) reassembly: Reassembly,
    /// What has come twice and has not been reported (RFC 2883), where that is to be.
    pub(super) unreported_duplicate: Option<Span>,
    pub(super) inbox: Inbox,
    /// No window that was ever offered is larger: so far behind RCV.NXT may lie what the peer has sent lately.
    pub(super) max_window: Bytes,
    buffer: Bytes,
    /// Whether more is to come before the application reads.
    pub(super) in_batch: bool,
    /// What is to be acknowledged once the batch is over.
    pub(super) owed_at_end: Option<AckReason>,
    /// What of the batch has come in order, and to where its first packet went.
    batch: Option<(Bytes, Position)>,
    /// Where the buffer follows what is read.
    tuning: Option<Box<Tuning>>,
    consume: Consume,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        let most = config.receive_buffer.min(MAX_BUFFER);
        let tuning = config.receive_tuning.then(|| Box::new(Tuning::new(most, config.announced_mss())));
        let buffer = tuning.as_ref().map_or(most, |tuning| tuning.space());
        Self {
            irs: SeqNumber(0),
            next: Position::SYN,
            window_end: Position::SYN,
            last_ack_sent: Position::SYN,
            shift: 0,
            announced: None,
            fin: None,
            fin_number: 0,
            fin_is_latest: false,
            full_size: Bytes(1),
            reassembly: Reassembly::default(),
            unreported_duplicate: None,
            inbox: Inbox::default(),
            max_window: buffer.min(Bytes(MAX_FIELD)),
            buffer,
            in_batch: false,
            owed_at_end: None,
            batch: None,
            tuning,
            consume: config.consume,
        }
    }

    /// The connection is established.
    pub(super) fn begin_tuning(&mut self, now: Instant, stamps: bool) {
        if let Some(tuning) = &mut self.tuning {
            tuning.begin(now, stamps);
            self.heed_tuning();
        }
    }

    /// In-order data up to `next` has come with a segment from `start` to `end` on, which nobody keeps and which is read when the batch is over.
    pub(super) fn join_batch(&mut self, Span { start, end }: Span) {
        let (unread, first) = self.batch.unwrap_or((Bytes::ZERO, end));
        self.batch = Some((unread + self.next.since(start), first));
    }

    /// Data up to `next` is read at once, that of a segment up to `end` first.
    #[cold]
    pub(super) fn note_read(&mut self, now: Instant, end: Position) {
        if let Some(tuning) = &mut self.tuning {
            tuning.on_read(now, end, self.next);
            self.heed_tuning();
        }
    }

    /// The batch is over, and the application has read what nobody keeps. Returns whether anything was.
    pub(super) fn read_batch(&mut self, now: Instant) -> bool {
        let Some((_, first)) = self.batch.take() else { return false };
        self.note_read(now, first);
        true
    }

    /// What has come in order and has not been read. A batch that nobody keeps counts only where the buffer tunes itself.
    pub(super) fn unread(&self) -> Bytes {
        if self.tuning.is_none() {
            return self.inbox.len();
        }
        self.inbox.len() + self.batch.map_or(Bytes::ZERO, |(unread, _)| unread)
    }

    /// Data has come: whether more is told of the window now.
    pub(super) fn tune(&mut self, now: Instant, arrival: impl FnOnce(&Self) -> Arrival) -> bool {
        if self.tuning.is_none() {
            return false;
        }
        let arrival = arrival(self);
        let kept = self.next.since(Position::FIRST_BYTE).saturating_sub(self.inbox.len());
        let grows = self.tuning.as_mut().is_some_and(|tuning| {
            let grows = tuning.on_data(now, &arrival);
            if self.consume == Consume::ByApplication && !arrival.above_hole {
                tuning.on_read(now, Position::FIRST_BYTE + kept, self.next);
            }
            grows
        });
        self.heed_tuning();
        grows
    }

    fn heed_tuning(&mut self) {
        let Some(tuning) = &self.tuning else { return };
        self.set_space(tuning.space());
    }

    /// Room for this much from now on, whatever comes. What has been offered stays offered. The field could name nothing of less than its unit, and the
    /// window would never open again: that much there is always. Returns what there is.
    pub(super) fn set_buffer(&mut self, buffer: Bytes) -> Bytes {
        self.tuning = None;
        self.set_space(buffer)
    }

    fn set_space(&mut self, buffer: Bytes) -> Bytes {
        self.buffer = buffer.clamp(Bytes(1 << self.shift), MAX_BUFFER);
        self.max_window = self.max_window.max(self.widest());
        self.buffer
    }

    /// The shift to announce: the least with which the window field can name the whole buffer as it was when the first SYN or SYN-ACK was
    /// made (RFC 7323, 2.3: at most 14). A connection has one shift for good, whatever becomes of the buffer.
    pub(super) fn announced_shift(&mut self) -> u8 {
        let buffer = self.tuning.as_ref().map_or(self.buffer, |tuning| tuning.most()).get();
        *self.announced.get_or_insert_with(|| (0..14).find(|shift| buffer >> shift <= MAX_FIELD).unwrap_or(14))
    }

    /// Both SYNs have the option: the shift that ours announces is in force. Returns the buffer, or the most that it may become.
    pub(super) fn scale(&mut self) -> Bytes {
        self.shift = self.announced_shift();
        let buffer = self.set_space(self.buffer);
        self.tuning.as_ref().map_or(buffer, |tuning| tuning.most())
    }

    /// Whether there is something to tell in SACK blocks.
    #[inline]
    pub(super) fn has_blocks(&self) -> bool {
        !self.reassembly.is_empty() || self.unreported_duplicate.is_some() || self.has_early_fin()
    }

    /// Whether the FIN is here, and something below it is not.
    #[inline]
    pub(super) fn has_early_fin(&self) -> bool {
        self.fin.is_some_and(|fin| fin > self.next)
    }

    /// Whether the window follows what is read.
    pub(super) const fn tunes_itself(&self) -> bool {
        self.tuning.is_some()
    }

    /// `span` has come: what of it was here already.
    pub(super) fn note_duplicate(&mut self, span: Span) {
        let below = Span { start: span.start, end: span.end.min(self.next) };
        if span.start < self.next {
            self.unreported_duplicate = Some(below);
        } else if self.reassembly.around(span).is_some() {
            self.unreported_duplicate = Some(span);
        }
    }

    /// Whether arriving bytes are kept for the application.
    pub(super) fn keeps(&self) -> bool {
        self.consume == Consume::ByApplication
    }

    /// RCV.WND.
    pub(super) fn window(&self) -> Bytes {
        self.window_end.since(self.next)
    }

    /// RCV.WND as it was told last.
    pub(super) fn told_window(&self) -> Bytes {
        self.window_end.since(self.last_ack_sent)
    }

    /// Whether the application has read all that is here, or the window that would be told now is not smaller than the one told last.
    pub(super) fn keeps_window(&self) -> bool {
        self.unread() == Bytes::ZERO || self.target().since(self.next) >= self.told_window()
    }

    /// All that has come, in order or not; grows only.
    pub(super) fn received(&self) -> Bytes {
        self.next.since(Position::SYN) + self.reassembly.held()
    }

    /// Whether any of `span` is in the window (RFC 9293, 3.10.7.4, table 6).
    pub(super) fn accepts(&self, span: Span) -> bool {
        let window = self.window();
        match (span.is_empty(), window == Bytes::ZERO) {
            (true, true) => span.start == self.next,
            (true, false) => span.start >= self.next && span.start < self.window_end,
            (false, true) => false,
            (false, false) => span.start < self.window_end && span.end > self.next,
        }
    }

    /// The window field of a segment sent now.
    ///
    /// The edge moves on only by a full-sized segment or half the buffer (RFC 9293, 3.8.6.2.2) and never back.
    /// Scaling rounds down, so the field may name up to 2^shift - 1 bytes less than was offered before (RFC 7323,
    /// 2.4); what was offered stays acceptable.
    pub(super) fn offer(&mut self, shift: u8) -> u16 {
        if self.tuning.is_some() {
            return self.offer_tuned(shift);
        }
        let target = self.target();
        if target.since(self.window_end) >= self.step() {
            let field = (target.since(self.next).get() >> shift).min(MAX_FIELD);
            self.window_end = self.window_end.max(self.next + Bytes(field << shift));
            return field as u16;
        }
        (self.window().get() >> shift).min(MAX_FIELD) as u16
    }

    /// `tcp_select_window`, where the buffer tunes itself: what was told stays told, rounded up to what the field can name.
    ///
    /// Deviation: rounded up only while the memory has room for it and for what is here. Linux rounds up always, so that small segments which nobody reads move the
    /// edge by up to 2^shift - 1 bytes each, until the memory is full and drops them.
    #[cold]
    fn offer_tuned(&mut self, shift: u8) -> u16 {
        let most = Bytes(MAX_FIELD << shift);
        let told = self.window();
        let up = Bytes(told.get().next_multiple_of(1 << shift));
        let memory = self.tuning.as_ref().map_or(Bytes::ZERO, |tuning| tuning.memory());
        let kept = if self.unread() + self.reassembly.held() + up <= memory { up } else { told };
        let window = self.target().since(self.next).max(kept).min(most);
        self.max_window = self.max_window.max(window);
        self.window_end = self.window_end.max(self.next + window);
        (window.get() >> shift) as u16
    }

    /// Whether the application has made so much room that the sender should hear of it at once: the window has at
    /// least doubled, so that it was at most half of the widest (as Linux does; RFC 9293, 3.8.6.2.2 gives the least step).
    pub(super) fn is_update_due(&self) -> bool {
        let (offered, now) = (self.window(), self.target().since(self.next));
        now >= offered * 2 && now >= offered + self.step().max(Bytes(1 << self.shift))
    }

    /// The largest window that can be offered: the buffer, or what the field can name of it without scaling or at the agreed shift.
    fn widest(&self) -> Bytes {
        self.buffer.min(Bytes(MAX_FIELD << self.shift))
    }

    /// Up to where the buffer would take data now, whatever has been offered.
    fn target(&self) -> Position {
        if self.tuning.is_some() {
            return self.tuned_target();
        }
        self.next + self.buffer.saturating_sub(self.inbox.len()).min(self.widest())
    }

    /// Up to where a buffer that tunes itself would take data now.
    #[cold]
    fn tuned_target(&self) -> Position {
        let here = self.unread() + self.reassembly.held();
        let window = self.tuning.as_ref().map_or(Bytes::ZERO, |tuning| tuning.window_beside(here, 1 << self.shift));
        self.next + window.min(Bytes(MAX_FIELD << self.shift))
    }

    fn step(&self) -> Bytes {
        Bytes(self.buffer.get() / 2).min(self.full_size).max(Bytes(1))
    }
}

const MAX_FIELD: u64 = u16::MAX as u64;
/// The largest window that scaling can name (RFC 7323, 2.3).
const MAX_BUFFER: Bytes = Bytes(1 << 30);

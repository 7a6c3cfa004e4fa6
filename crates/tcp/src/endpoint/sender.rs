//! The sending half's variables (RFC 9293, 3.3.1) and the decision what new segment may be sent.

use ackless_wire::{Bytes, Instant, SeqNumber};

use super::allowance::Allowance;
use super::burst::Bursts;
use super::window_use::WindowUse;
use crate::config::{Config, NagleRule};
use crate::congestion::SlowStart;
use crate::loss::Outstanding;
use crate::send_buffer::SendBuffer;
use crate::sequence::{Position, Span};

/// The send sequence variables and what is to be sent.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    /// ISS.
    pub(super) iss: SeqNumber,
    /// SND.UNA.
    pub(super) una: Position,
    /// SND.NXT: below `max` when going back after a timeout.
    pub(super) next: Position,
    /// One past the highest place ever sent.
    pub(super) max: Position,
    /// SND.UNA + SND.WND: the first place that the peer does not want yet.
    pub(super) window_end: Position,
    /// The largest window that the peer ever offered (Max(SND.WND) of RFC 9293, 3.8.6.2.1).
    pub(super) max_window: Bytes,
    /// SND.WL1, a place in the peer's direction.
    pub(super) wl1: Position,
    /// SND.WL2.
    pub(super) wl2: Position,
    /// Snd.Wind.Shift.
    pub(super) shift: u8,
    /// Whether both ends scale windows.
    pub(super) scales: bool,
    /// The most payload that a segment may have, options of each segment subtracted but for SACK blocks.
    pub(super) smss: Bytes,
    pub(super) buffer: SendBuffer,
    pub(super) ending: Ending,
    /// How much of the congestion window is in use.
    pub(super) usage: WindowUse,
    /// One past the last new segment that was smaller than full-sized.
    pub(super) small_until: Position,
    /// When data last went out.
    pub(super) last_sent: Instant,
    /// Retransmissions or probes since the peer last answered.
    pub(super) unanswered: u32,
    /// Whether SYNs that offered TACK were not answered, and one that did not was.
    pub(super) offered_in_vain: bool,
    /// Probes since the window closed.
    pub(super) probes: u32,
    /// Whether a probe of the closed window is to be sent (RFC 9293, 3.8.6.1).
    pub(super) probe: Probe,
    /// Whether a tail loss probe is to be sent (RFC 8985, 7.3).
    pub(super) tail_probe: Probe,
    /// One was due and could not go, and nothing has been acknowledged since.
    pub(super) tail_probe_failed: bool,
    /// How many have come in a row, where there may be more than one (TACK): until one has been heard of and something is acknowledged.
    pub(super) tail_probes: u32,
    /// Whether a write was cut short, so that the application waits for room.
    pub(super) writer: Writer,
    /// The send buffer, where it follows the window, or no bound.
    pub(super) space: Bytes,
    /// What the queues below hold back, where somebody says so.
    pub(super) throttle: Throttle,
    /// The queues below hold something back until they hold no more than this.
    pub(super) throttled_above: Bytes,
    /// The bursts in which new data goes out, where it does.
    pub(super) bursts: Option<Bursts>,
}

/// What the queues below a sender hold back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Throttle {
    /// Nothing.
    Open,
    /// What has not been sent before.
    New,
    /// All data but probes.
    All,
}

/// Whether the application will write more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// It may.
    Open,
    /// It has closed; a FIN follows the last byte.
    Fin,
}

/// Whether a timer has asked for a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Probe {
    Idle,
    Due,
}

/// Whether the application waits for room in the send buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writer {
    Content,
    Waiting,
}

/// Why no new segment is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blocked {
    /// There is nothing to send.
    Empty,
    /// The peer's window is closed.
    Window,
    /// The peer's window is too small to be worth a segment (RFC 9293, 3.8.6.2.1).
    SillyWindow,
    /// A small segment waits for the acknowledgement of what is out (RFC 9293, 3.7.4).
    Nagle,
    /// The congestion window is full.
    Congestion,
}

impl Sender {
    pub(super) fn new(config: &Config, iss: SeqNumber) -> Self {
        Self {
            iss,
            una: Position::SYN,
            next: Position::SYN,
            max: Position::SYN,
            window_end: Position::FIRST_BYTE,
            max_window: Bytes::ZERO,
            wl1: Position::SYN,
            wl2: Position::SYN,
            shift: 0,
            scales: false,
            smss: config.announced_mss(),
            buffer: SendBuffer::new(),
            ending: Ending::Open,
            usage: WindowUse::new(),
            small_until: Position::SYN,
            last_sent: Instant::ZERO,
            unanswered: 0,
            offered_in_vain: false,
            probes: 0,
            probe: Probe::Idle,
            tail_probe: Probe::Idle,
            tail_probe_failed: false,
            tail_probes: 0,
            writer: Writer::Content,
            space: if config.send_tuning { send_space(INITIAL_SEGMENTS) } else { Bytes(u64::MAX) },
            throttle: Throttle::Open,
            throttled_above: Bytes::ZERO,
            bursts: config.tso.map(Bursts::new),
        }
    }

    pub(super) fn slow_start(&self, config: &Config) -> SlowStart {
        SlowStart {
            smss: self.smss,
            initial: config.initial_window.bytes(self.smss),
            limit: config.slow_start_limit,
            exit: config.sender.slow_start,
            paced: config.pacing,
            reno: config.sender.reno,
            cubic: config.sender.cubic,
            growth: config.sender.growth,
        }
    }

    /// What must be acknowledged before a small segment goes out.
    pub(super) const fn nagle_until(&self, rule: NagleRule) -> Position {
        match rule {
            NagleRule::Rfc => self.max,
            NagleRule::Minshall => self.small_until,
        }
    }

    pub(super) const fn outstanding(&self) -> Outstanding {
        Outstanding { una: self.una, next: self.next, max: self.max, smss: self.smss }
    }

    /// One past the last place that is to be sent, the FIN included.
    pub(super) fn end(&self) -> Position {
        match self.ending {
            Ending::Open => self.buffer.end(),
            Ending::Fin => self.buffer.end() + Bytes(1),
        }
    }

    /// Where a segment without text begins: at SND.MAX, but never beyond the window that the peer offered, since it
    /// would not look at such an acknowledgement.
    pub(super) fn ack_start(&self) -> Position {
        self.max.min(self.window_end.max(self.una))
    }

    /// Whether a SYN still offers what something on the way may not know. The fourth and later ones do not.
    pub(super) fn may_offer(&self) -> bool {
        self.unanswered < MAX_OFFERS
    }

    /// Whether an answer to a SYN leaves out what something on the way may not know: the sixth and later ones do, and of fewer the last. That one is not heard of need not be for
    /// its sake: where half of all acknowledgements are lost, so are those of three answers in one of eight connections.
    pub(super) fn answers_in_vain(&self, retries: u32) -> bool {
        self.unanswered > 0 && self.unanswered >= MAX_ANSWERS.min(retries)
    }

    /// Whether no more will be written.
    pub(super) fn is_closing(&self) -> bool {
        self.ending == Ending::Fin
    }

    /// Whether our FIN has been acknowledged.
    pub(super) fn is_fin_acknowledged(&self) -> bool {
        self.is_closing() && self.una > self.buffer.end()
    }

    /// The send buffer grows to what `segments` of window need.
    pub(super) fn expand(&mut self, segments: u64) {
        self.space = self.space.max(send_space(segments.max(INITIAL_SEGMENTS)));
    }

    /// The next segment out of `gap`, which is what is left to send, or less where going back has something to skip
    /// (RFC 9293, 3.8.6.2.1 for new data).
    pub(super) fn plan(&self, gap: Span, allowance: Allowance) -> Result<Span, Blocked> {
        let Span { start: from, end: gap_end } = gap;
        let data_end = self.buffer.end().min(gap_end);
        if from >= self.end() {
            return Err(Blocked::Empty);
        }
        if from >= self.window_end {
            return Err(Blocked::Window);
        }
        let mut end = (from + allowance.segment).min(data_end).min(self.window_end).max(from);
        if end == self.buffer.end() && self.is_closing() && end < self.window_end.min(gap_end) {
            end += Bytes(1);
        }
        let span = Span { start: from, end };
        let is_new = from >= self.max;
        if is_new && span.len() < allowance.segment && span.end < self.end() {
            // The window cuts it short: only what is worth half the peer's buffer goes out.
            if span.len() * 2 < self.max_window {
                return Err(Blocked::SillyWindow);
            }
        } else if is_new
            && span.len() < allowance.segment
            && self.ending == Ending::Open
            && allowance.nagle.is_some_and(|rule| self.una < self.nagle_until(rule))
        {
            return Err(Blocked::Nagle);
        }
        debug_assert!(!span.is_empty(), "what is not blocked has something to send");
        if allowance.room < span.len().min(self.smss) {
            return Err(Blocked::Congestion);
        }
        Ok(span)
    }
}

/// `tcp_sndbuf_expand`: twice the window, each segment of which counts as a buffer whose size is a power of two, 4,096 bytes for one of Ethernet with headers and
/// `skb_shared_info`, and an `sk_buff`.
const fn send_space(segments: u64) -> Bytes {
    Bytes(2 * segments * (4_096 + 256))
}

/// `TCP_INIT_CWND`.
const INITIAL_SEGMENTS: u64 = 10;

/// SYNs that offer TACK, or to heed requests for an ACK rate.
const MAX_OFFERS: u32 = 3;
/// Answers to a SYN that take such an offer up.
const MAX_ANSWERS: u32 = 5;

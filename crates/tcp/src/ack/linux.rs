//! When Linux acknowledges (net/ipv4/tcp_input.c, tcp_output.c, tcp_timer.c and tcp.c of Linux 6.12).
//!
//! The rules, by the kernel's names:
//!
//! - `__tcp_ack_snd_check`: at once where more than one *estimated* segment size has come since the last ACK and the window that would be told is
//!   not smaller than the one told last; where quick ACKs are left; where a hole has been filled. Else later.
//! - `tcp_event_data_recv`: the first data brings up to 16 quick ACKs (no more than half of the window has segments), and so does data
//!   after a pause longer than the retransmission timeout; the delay (`ato`) follows half of the time between segments, from 40 ms up.
//! - `tcp_grow_window`: where autotuning tells more of the window, what has come is acknowledged at once.
//! - `tcp_send_delayed_ack`: held for `ato`, at most 200 ms where a push was seen or data flows both ways, else at most 500 ms; beyond 40 ms at most
//!   for the smoothed round trip; and never beyond `TCP_DELACK_MAX`, 200 ms. What would leave within a quarter of the delay leaves now.
//! - `tcp_delack_timer_handler`: a timer that fires doubles `ato`, or ends the mode in which data is answered by data.
//! - `tcp_cleanup_rbuf`: the application's read acknowledges more than one segment size at once, and also the end of a write that the peer has pushed, where
//!   nothing remains to be read.
//! - SACK compression (`__tcp_ack_snd_check`, `tcp_comp_sack_delay_ns` and `tcp_comp_sack_nr`): while out-of-order data is held, three ACKs go at once after each
//!   advance, and the others at most 44 to one, after 5 % of the round trip, at most 1 ms, and the 100 us by which
//!   that timer may be late.
//!
//! Deviations: time is exact where the kernel counts jiffies; the application takes data as soon as it is there, or as `Consume::ByApplication` is read, where
//! the kernel's reader must be scheduled first; SACK compression goes by the smoothed round trip alone, where the kernel takes the receiver's own measure (`rcv_rtt_est`, which
//! here autotuning alone keeps) if that is shorter; data above a hole
//! counts for the delay's estimates as other data does; a hole that is filled in part draws its ACK without counting as one of the three; routes with `quickack` are left out.

use ackless_wire::{Bytes, Duration, Instant};

use super::{AckDecision, AckPolicy, AckReason, HostFacts, Place, SegmentFacts};

/// The receiver's side of Linux.
#[derive(Clone, Debug)]
pub struct Linux {
    /// Whether ACKs above a hole are compressed.
    compresses: bool,
    /// `icsk_ack.rcv_mss`: the estimated segment size of the peer.
    segment_size: Bytes,
    /// `icsk_ack.last_seg_size`: the segment before, where it was smaller.
    last_smaller: Bytes,
    /// `rcv_nxt - rcv_wup`.
    unacknowledged: Bytes,
    /// `icsk_ack.quick`.
    quick: u32,
    /// `icsk_ack.ato`; nothing before the first data.
    delay: Option<Duration>,
    /// `icsk_ack.lrcvtime`.
    last_data: Instant,
    /// `ICSK_ACK_SCHED`.
    scheduled: bool,
    pushed: Pushed,
    /// `icsk_ack.pingpong`, whose threshold is one.
    answers_with_data: bool,
    deadline: Option<Instant>,
    /// The retransmission timeout as it was at the last segment.
    rto: Duration,
    compression: Compression,
}

/// `ICSK_ACK_PUSHED` and `ICSK_ACK_PUSHED2`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Pushed {
    No,
    Once,
    Twice,
}

/// What holds back ACKs above a hole.
#[derive(Clone, Debug, Default)]
struct Compression {
    /// `dup_ack_counter`: those sent at once since the last advance.
    at_once: u32,
    /// `compressed_ack`: those held.
    held: u32,
}

impl Linux {
    /// With or without SACK compression.
    pub const fn new(compresses: bool) -> Self {
        Self {
            compresses,
            segment_size: Bytes(FIRST_ESTIMATE),
            last_smaller: Bytes::ZERO,
            unacknowledged: Bytes::ZERO,
            quick: 0,
            delay: None,
            last_data: Instant::ZERO,
            scheduled: false,
            pushed: Pushed::No,
            answers_with_data: false,
            deadline: None,
            rto: Duration::ZERO,
            compression: Compression { at_once: 0, held: 0 },
        }
    }

    /// `tcp_measure_rcv_mss`: the largest segment, or the one that came twice.
    fn estimate(&mut self, host: &HostFacts) {
        let len = host.segment;
        let last_smaller = std::mem::take(&mut self.last_smaller);
        if len >= self.segment_size {
            self.segment_size = len;
            if host.pushed {
                self.pushed = self.pushed.max(Pushed::Once);
            }
            return;
        }
        // Smaller ones count from 536 bytes up, or from 88 unless they are the rest of a write.
        if len >= Bytes(536) || (len >= Bytes(LEAST) && !host.pushed) {
            if len == last_smaller {
                self.segment_size = len;
                return;
            }
            self.last_smaller = len;
        }
        self.pushed = if self.pushed == Pushed::No { Pushed::Once } else { Pushed::Twice };
    }

    /// `tcp_event_data_recv`.
    fn data_came(&mut self, now: Instant, host: &HostFacts) {
        self.scheduled = true;
        self.estimate(host);
        let gap = now.saturating_since(self.last_data);
        match self.delay {
            None => {
                self.be_quick(host);
                self.delay = Some(LEAST_DELAY);
            }
            Some(delay) if gap <= LEAST_DELAY / 2 => self.delay = Some(delay / 2 + LEAST_DELAY / 2),
            Some(delay) if gap < delay => self.delay = Some((delay / 2 + gap).min(host.rto)),
            Some(_) if gap > host.rto => self.be_quick(host),
            Some(_) => {}
        }
        self.last_data = now;
        if host.window_grew {
            self.quick |= 1;
        }
    }

    /// `tcp_incr_quickack`.
    fn be_quick(&mut self, host: &HostFacts) {
        let half = host.window.get() / (2 * self.segment_size.get().max(1));
        let quick = if half == 0 { 2 } else { half.min(MOST_QUICK) };
        self.quick = self.quick.max(quick as u32);
    }

    /// `tcp_send_delayed_ack`.
    fn hold(&mut self, now: Instant, host: &HostFacts) -> AckDecision {
        let mut delay = self.delay.unwrap_or(LEAST_DELAY);
        if delay > LEAST_DELAY {
            let bounded = self.answers_with_data || self.pushed > Pushed::No;
            let most = if bounded { LONGEST_DELAY } else { LONGEST_WITHOUT_PUSH };
            let trip = host.srtt.map_or(most, |srtt| srtt.max(LEAST_DELAY));
            delay = delay.min(most).min(trip);
        }
        let delay = delay.min(LONGEST_DELAY);
        match self.deadline {
            Some(at) if at <= now.saturating_add(delay / 4) => AckDecision::Now(AckReason::Timer),
            armed => {
                self.deadline = Instant::earlier(armed, Some(now.saturating_add(delay)));
                AckDecision::Hold
            }
        }
    }

    /// While out-of-order data is held: now, or compressed with others.
    fn above_hole(&mut self, now: Instant, host: &HostFacts) -> AckDecision {
        let Compression { at_once, held } = &mut self.compression;
        if !self.compresses || !host.sack || *held >= MOST_COMPRESSED {
            return AckDecision::Now(AckReason::OutOfOrder);
        }
        if *at_once < AT_ONCE {
            *at_once += 1;
            return AckDecision::Now(AckReason::OutOfOrder);
        }
        *held += 1;
        if *held == 1 {
            let delay = host.srtt.map_or(LONGEST_COMPRESSION, |trip| (trip / 20).min(LONGEST_COMPRESSION));
            self.deadline = Some(now.saturating_add(delay + COMPRESSION_SLACK));
        }
        AckDecision::Hold
    }
}

impl AckPolicy for Linux {
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        let Some(host) = &facts.host else { return AckDecision::Now(AckReason::Count) };
        self.rto = host.rto;
        match facts.place {
            Place::Duplicate => {
                // tcp_enter_quickack_mode, and the answer that RFC 9293 wants.
                self.be_quick(host);
                self.answers_with_data = false;
                self.delay = Some(LEAST_DELAY);
                self.scheduled = true;
                return AckDecision::Now(AckReason::Duplicate);
            }
            Place::Fin => return AckDecision::Now(AckReason::Fin),
            Place::InOrder | Place::FillsHole | Place::AboveHole => {}
        }
        self.data_came(now, host);
        if facts.place != Place::AboveHole {
            self.compression.at_once = 0;
            self.unacknowledged += facts.new_bytes;
        }
        let enough = self.unacknowledged > self.segment_size && host.window_kept;
        if enough {
            return AckDecision::Now(AckReason::Count);
        }
        if self.quick > 0 && !self.answers_with_data {
            return AckDecision::Now(AckReason::Quick);
        }
        match facts.place {
            Place::FillsHole => AckDecision::Now(AckReason::HoleFilled),
            Place::AboveHole => self.above_hole(now, host),
            Place::InOrder | Place::Duplicate | Place::Fin => self.hold(now, host),
        }
    }

    /// `tcp_cleanup_rbuf`.
    fn on_read(&mut self, emptied: bool) -> AckDecision {
        if !self.scheduled || self.compression.held > 0 {
            return AckDecision::Hold;
        }
        let ends_write = match self.pushed {
            Pushed::No => false,
            Pushed::Once => !self.answers_with_data,
            Pushed::Twice => true,
        };
        if self.unacknowledged > self.segment_size || (ends_write && emptied) {
            return AckDecision::Now(AckReason::Read);
        }
        AckDecision::Hold
    }

    /// `tcp_event_ack_sent`.
    fn on_ack_sent(&mut self, _now: Instant) {
        if self.scheduled && self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.delay = Some(LEAST_DELAY);
            }
        }
        self.unacknowledged = Bytes::ZERO;
        self.scheduled = false;
        self.pushed = Pushed::No;
        self.deadline = None;
        self.compression.held = 0;
    }

    /// `tcp_event_data_sent`.
    fn on_data_sent(&mut self, now: Instant) {
        if self.delay.is_some_and(|delay| now.saturating_since(self.last_data) < delay) {
            self.answers_with_data = true;
        }
    }

    fn asks_host(&self) -> bool {
        true
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// `tcp_delack_timer_handler`, or `tcp_compressed_ack_kick`.
    fn on_deadline(&mut self, _now: Instant) -> AckDecision {
        self.deadline = None;
        if self.compression.held > 0 {
            return AckDecision::Now(AckReason::Compressed);
        }
        if self.answers_with_data {
            self.answers_with_data = false;
            self.delay = Some(LEAST_DELAY);
        } else {
            self.delay = self.delay.map(|delay| (delay * 2).min(self.rto));
        }
        AckDecision::Now(AckReason::Timer)
    }
}

/// `TCP_ATO_MIN` and `TCP_DELACK_MIN`.
const LEAST_DELAY: Duration = Duration::from_millis(40);
/// The longest that Linux's delayed ACK waits: `TCP_DELACK_MAX`.
pub const LONGEST_DELAY: Duration = Duration::from_millis(200);
/// Half a second, as `tcp_send_delayed_ack` has it; `TCP_DELACK_MAX` bounds it in the end.
const LONGEST_WITHOUT_PUSH: Duration = Duration::from_millis(500);
/// `TCP_MAX_QUICKACKS`.
const MOST_QUICK: u64 = 16;
/// `TCP_MSS_DEFAULT`, with which `tcp_initialize_rcv_mss` begins at most.
const FIRST_ESTIMATE: u64 = 536;
/// `TCP_MIN_MSS`.
const LEAST: u64 = 88;
/// `TCP_FASTRETRANS_THRESH`.
const AT_ONCE: u32 = 3;
/// `tcp_comp_sack_nr`.
const MOST_COMPRESSED: u32 = 44;
/// `tcp_comp_sack_delay_ns`.
const LONGEST_COMPRESSION: Duration = Duration::from_millis(1);
/// `tcp_comp_sack_slack_ns`: by so much later that timer may fire, and does unless another one is due just then.
const COMPRESSION_SLACK: Duration = Duration::from_micros(100);

#[cfg(test)]
mod tests;

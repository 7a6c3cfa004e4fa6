//! Bursts: a sender hands down several new segments at once, and waits a little for more room where that makes a longer one (TCP segmentation
//! offload).
//!
//! By the names of net/ipv4/tcp_output.c in Linux 6.12:
//!
//! - `tcp_tso_autosize`: a burst has what the sender's rate carries in a given time, and over round trips shorter than 16 ms a share of the largest
//!   packet more, which halves with each 512 us; at least two segments, and at most the largest packet's.
//! - `tcp_cwnd_test`: it has no more than half of the window, so that there are two of them in a round trip.
//! - `tcp_tso_should_defer`: where less than a whole burst has room, and less than a third of the window, a sender that sent something within the last
//!   millisecond waits for the acknowledgement that it expects within half a round trip, at most a millisecond. Not in a recovery.
//! - `tcp_mss_split_point`: the short rest of what was written, or of the peer's window, is part of the burst unless it has to wait for another small segment: so
//!   who is bound by the window sends small segments, which RFC 9293 (3.8.6.2.1) would hold back.
//! - `__tcp_transmit_skb` sets PSH on a burst of several segments, and segmentation leaves it on the last one: so GRO merges no two bursts.
//!
//! The segments of a burst leave at one instant and so have one timestamp; pacing and TCP Small Queues look at bursts, not at segments.
//!
//! Deviations: what was written is one row of bytes here, where the kernel has packets of up to 64 KiB, at whose ends it may send what it would
//! have deferred; what is sent again goes segment by segment without PSH, as does a probe of the tail; the time of the oldest segment that is out is only known
//! where records of transmissions are kept (RACK), and nothing is deferred elsewhere. A TACK connection has no bursts of this kind: it paces.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::Endpoint;
use super::allowance::Allowance;
use crate::loss::{LossDetector, Phase, SentKind};
use crate::pacing::LARGEST_BURST;
use crate::rtt::RttEstimator;
use crate::sequence::{Position, Span};

/// What is going out at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bursts {
    /// How much time's worth of the sender's rate a burst carries.
    time: Duration,
    /// When the latest one began.
    at: Instant,
    /// One past its last place.
    until: Position,
    /// Whether it has several segments.
    several: bool,
}

impl Bursts {
    /// Bursts that carry what the rate does in `time`.
    pub(super) const fn new(time: Duration) -> Self {
        Self { time, at: Instant::ZERO, until: Position::SYN, several: false }
    }

    /// Whether more of the latest burst is to go out now, from `next` on.
    pub(super) fn go_on(&self, now: Instant, next: Position) -> bool {
        self.at == now && next < self.until
    }

    /// Whether a segment up to `end` is the last of several.
    pub(super) fn ends_at(&self, end: Position) -> bool {
        self.several && end == self.until
    }
}

impl Endpoint {
    /// Whether the next segment belongs to a burst that has begun: nothing holds it back then.
    #[cold]
    pub(super) fn is_amid_burst(&self, now: Instant) -> bool {
        self.tx.bursts.as_ref().is_some_and(|bursts| bursts.go_on(now, self.tx.next))
    }

    /// `span` may be sent next: whether it goes out now, in the burst that has begun or as the first of another one.
    pub(super) fn next_of_burst(&mut self, now: Instant, span: Span, allowance: Allowance) -> Option<(Span, SentKind)> {
        let Some(bursts) = self.tx.bursts.filter(|_| span.start >= self.tx.max && !self.dialect.paces()) else {
            return (!self.is_throttled(span)).then_some((span, SentKind::New));
        };
        if !bursts.go_on(now, span.start) {
            if self.is_throttled(span) {
                return None;
            }
            let until = self.plan_burst(now, span, allowance, bursts.time)?;
            let several = until.since(span.start) > span.len();
            self.tx.bursts = Some(Bursts { at: now, until, several, ..bursts });
            self.stats.bursts += 1;
        }
        Some((span, SentKind::New))
    }

    /// What is left of a burst whose last segment the peer's window cuts short.
    #[cold]
    pub(super) fn rest_of_burst(&self) -> Span {
        let until = self.tx.bursts.map_or(self.tx.next, |bursts| bursts.until);
        Span { start: self.tx.next, end: until.min(self.tx.window_end) }
    }

    /// One past the last place of the burst that `first` begins, or nothing if it is worth waiting.
    fn plan_burst(&mut self, now: Instant, first: Span, allowance: Allowance, time: Duration) -> Option<Position> {
        let Allowance { room, segment, nagle } = allowance;
        let left = self.tx.buffer.end().since(first.start);
        if left <= segment {
            return Some(first.end);
        }
        let most = most_segments(self.rate_of_flight(), time, &self.rtt, segment);
        // The window is what is in flight and the room beside it, whoever bounds it.
        let window = self.pipe() + room;
        let room = Bytes(room.get() / segment.get() * segment.get()).max(segment);
        let offered = self.tx.window_end.since(first.start);
        let waits = Waiting { room, offered, left, most, window };
        if self.defers(now, &waits, segment) {
            if room < offered && room <= left {
                self.tx.usage.fill(self.tx.una, self.tx.max);
            }
            return None;
        }
        let half = Bytes(window.get() / segment.get() / 2 * segment.get()).max(segment);
        let whole = room.min(half).min(segment * most);
        let sendable = left.min(offered);
        let len = if whole <= sendable {
            whole
        } else {
            let rest = Bytes(sendable.get() % segment.get());
            let goes = (sendable == left && self.tx.is_closing())
                || nagle.is_none_or(|rule| self.tx.una >= self.tx.nagle_until(rule));
            if goes { sendable } else { sendable - rest }
        };
        Some((first.start + len).max(first.end))
    }

    /// `tcp_tso_should_defer`.
    fn defers(&self, now: Instant, waiting: &Waiting, segment: Bytes) -> bool {
        let &Waiting { room, offered, left, most, window } = waiting;
        let limit = room.min(offered);
        let usable = window.min(self.tx.window_end.since(self.tx.una));
        if self.loss.phase() != Phase::Open
            || now.saturating_since(self.tx.last_sent) > RECENT
            || limit >= segment * most
            || limit * 3 >= usable
        {
            return false;
        }
        let oldest = self.loss.records().and_then(|records| records.iter().next());
        let (Some(oldest), Some(srtt)) = (oldest, self.rtt.smoothed()) else { return false };
        if oldest.sent_at + srtt > now + (srtt / 2).min(RECENT) {
            return false;
        }
        let holds_all = if room < offered { room > left } else { offered > left };
        !(holds_all && self.tx.is_closing())
    }
}

/// What bears on whether to wait for more room.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// What the congestion window leaves, in whole segments.
    room: Bytes,
    /// What the peer's window leaves.
    offered: Bytes,
    /// What there is to send.
    left: Bytes,
    /// Segments of the longest burst.
    most: u64,
    /// The congestion window.
    window: Bytes,
}

/// `tcp_tso_segs`.
fn most_segments(rate: Option<BitRate>, time: Duration, rtt: &RttEstimator, segment: Bytes) -> u64 {
    let by_rate = rate.map_or(LARGEST_BURST, |rate| rate.amount_floor(time));
    let halvings = rtt.min().map_or(u64::MAX, |min| min.as_micros_floor() >> RTT_LOG);
    let by_rtt = if halvings < u64::from(u32::BITS) { LARGEST_BURST.get() >> halvings } else { 0 };
    let bytes = (by_rate + Bytes(by_rtt)).min(LARGEST_BURST);
    (bytes.get() / segment.get()).max(LEAST_SEGMENTS)
}

/// `tcp_tso_rtt_log`: the share of the largest packet halves with each 2^9 us of the least round trip.
const RTT_LOG: u32 = 9;
/// `tcp_min_tso_segs`.
const LEAST_SEGMENTS: u64 = 2;
/// Within what time something must have been sent, and an acknowledgement must be expected, for a sender to wait.
const RECENT: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtt::{RtoBounds, RtoRule};

    /// Segments of 1448 bytes in a burst, at a rate in Mbps over a least round trip in microseconds, in a time in microseconds.
    fn most(mbps: u64, min_rtt: u64, time: u64) -> u64 {
        let second = Duration::from_secs(1);
        let bounds = RtoBounds { initial: second, min: second, max: second, rule: RtoRule::Rfc };
        let mut rtt = RttEstimator::new(bounds);
        rtt.note_minimum(Duration::from_micros(min_rtt));
        most_segments(Some(BitRate::from_mbps(mbps)), Duration::from_micros(time), &rtt, Bytes(1448))
    }

    #[test]
    fn a_burst_carries_a_millisecond_and_over_short_round_trips_a_share_of_64_kilobytes() {
        // 40 Mbps carry 5,000 bytes in a millisecond, 3.45 segments, and in 8 ms 40,000, 27.6.
        assert_eq!([most(40, 40_000, 1_000), most(40, 40_000, 8_000)], [3, 27]);
        assert_eq!(most(10, 40_000, 1_000), 2, "tcp_min_tso_segs");
        assert_eq!(most(10_000, 40_000, 1_000), 45, "65,215 bytes at most");
        // 65,215 >> 1 is 32,607, with 5,000 37,607: 25.97 segments. >> 8 is 254, >> 2 16,303.
        assert_eq!([most(40, 512, 1_000), most(40, 4_096, 1_000), most(40, 1_500, 1_000)], [25, 3, 14]);
        assert_eq!([most(40, 100, 1_000), most(0, 16_383, 1_000)], [45, 2]);
    }
}

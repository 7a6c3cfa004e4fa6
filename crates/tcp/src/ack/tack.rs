//! TACK: f = min { bw / (L MSS), beta / RTTmin }, equation (4) of the TACK paper.
//!
//! Where both ends have permitted TACK the sender of data computes f and tells it ([`Rhythm::Every`]); until then every packet is
//! acknowledged, as the paper suggests for the start (VI-D), and losses are the business of IACKs. On any other connection the
//! receiver computes f from its own measurements of rate and round trip, acknowledges every packet until it has both, and
//! acknowledges at once where RFC 5681 asks for it: then TACK is a matter of frequency only.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::{AckDecision, AckPolicy, AckReason, LAST_RESORT, Place, SegmentFacts, at_once};
use crate::measure::{Measured, Rhythm};

/// Acknowledges once L full-sized segments' worth of bytes is here, and no sooner than 1/f after the last time.
///
/// Less than that waits for max { 40 ms, 1/f }, so that the end of a burst is acknowledged too; the paper says nothing of it.
#[derive(Clone, Debug)]
pub struct Tack {
    beta: u32,
    every: u32,
    held: Bytes,
    /// When the first of what is held came.
    since: Option<Instant>,
    /// Whether something held was sent in vain: the sender lacks an acknowledgement.
    repeated: bool,
    last: Option<Instant>,
    /// 1/f; nothing while every packet is acknowledged.
    interval: Option<Duration>,
    full_size: Bytes,
}

impl Tack {
    /// beta = `beta`, L = `every`; zero counts as 1.
    pub const fn new(beta: u32, every: u32) -> Self {
        let beta = if beta == 0 { 1 } else { beta };
        let every = if every == 0 { 1 } else { every };
        Self {
            beta,
            every,
            held: Bytes::ZERO,
            since: None,
            repeated: false,
            last: None,
            interval: None,
            full_size: Bytes(1),
        }
    }

    /// When an acknowledgement is due; nothing if nothing is held.
    fn due(&self) -> Option<Instant> {
        let since = self.since?;
        let Some(interval) = self.interval else { return Some(since) };
        let earliest = self.last.map_or(since, |last| last.saturating_add(interval));
        let enough = self.held >= self.full_size * u64::from(self.every);
        Some(if enough || self.repeated {
            earliest
        } else {
            earliest.max(since.saturating_add(longest_hold(interval)))
        })
    }

    fn decide(&self, now: Instant, reason: AckReason) -> AckDecision {
        if self.due().is_some_and(|due| due <= now) { AckDecision::Now(reason) } else { AckDecision::Hold }
    }

    /// Deviation: at most [`LAST_RESORT`], whatever equation (4) or the peer says.
    fn interval_of(&self, measured: &Measured, full_size: Bytes) -> Option<Duration> {
        let exact = match measured.rhythm() {
            Rhythm::Own => {
                interval(self.beta, self.every, full_size, measured.max_delivery_rate(), measured.min_rtt()?)
            }
            Rhythm::PerPacket => None,
            Rhythm::Every(interval) => Some(interval),
        };
        exact.map(|interval| interval.min(LAST_RESORT))
    }
}

impl AckPolicy for Tack {
    #[inline(always)]
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        if facts.place == Place::Fin {
            return AckDecision::Now(AckReason::Fin);
        }
        if facts.measured.rhythm() == Rhythm::Own
            && let Some(reason) = at_once(facts.place)
        {
            return AckDecision::Now(reason);
        }
        self.full_size = facts.full_size;
        self.interval = self.interval_of(facts.measured, facts.full_size);
        self.held += facts.new_bytes;
        self.repeated |= facts.place == Place::Duplicate;
        self.since.get_or_insert(now);
        self.decide(now, AckReason::Count)
    }

    fn on_ack_sent(&mut self, now: Instant) {
        (self.held, self.since, self.repeated) = (Bytes::ZERO, None, false);
        self.last = Some(now);
    }

    fn on_measured(&mut self, measured: &Measured) {
        self.interval = self.interval_of(measured, self.full_size);
    }

    fn deadline(&self) -> Option<Instant> {
        self.due()
    }

    fn on_deadline(&mut self, now: Instant) -> AckDecision {
        self.decide(now, AckReason::Timer)
    }
}

/// 1/f by equation (4): max { L MSS / bw, RTTmin / beta }, the first rounded up. Nothing without a rate.
pub fn interval(beta: u32, every: u32, mss: Bytes, bandwidth: BitRate, min_rtt: Duration) -> Option<Duration> {
    if bandwidth == BitRate::ZERO {
        return None;
    }
    Some(bandwidth.time_ceil(mss * u64::from(every.max(1))).max(min_rtt / u64::from(beta.max(1))))
}

/// How long less than L segments wait where 1/f is `interval`.
pub(crate) fn longest_hold(interval: Duration) -> Duration {
    interval.max(TAIL)
}

/// How long less than L segments wait at least: as a delayed acknowledgement does on Linux.
pub(crate) const TAIL: Duration = Duration::from_millis(40);

#[cfg(test)]
mod tests;

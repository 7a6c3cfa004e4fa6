//! Delayed acknowledgements (RFC 9293, 3.8.6.3; RFC 5681, 4.2), with any number of segments for each:
//! f = max { bw / (L MSS), 1 / alpha }, equation (3) of the TACK paper, with the timeout alpha.
//!
//! Where segments come more seldom than 1 / alpha, f is their rate and not 1 / alpha: nothing is acknowledged twice.
//!
//! Not modelled: the quick acknowledgements with which Linux begins a connection, and its adaptive timeout.

use ackless_wire::{Bytes, Duration, Instant};

use super::held::Held;
use super::{AckDecision, AckPolicy, SegmentFacts, at_once};

/// Acknowledges when L full-sized segments' worth of bytes is here, when the oldest of them has waited long enough,
/// and at once where RFC 5681 asks for it: above a hole, when a hole is filled, on duplicates and on the FIN.
///
/// It counts bytes, so that small segments do not draw more acknowledgements than large ones; with L = 1 each
/// segment, of whatever size, is acknowledged at once. RFC 5681 permits L up to 2; larger ones are what sparse
/// acknowledgement studies vary.
#[derive(Clone, Debug)]
pub struct Delayed {
    every: u32,
    timeout: Duration,
    held: Held,
}

impl Delayed {
    /// L = `every`, and at most `timeout`.
    pub const fn new(every: u32, timeout: Duration) -> Self {
        let every = if every == 0 { 1 } else { every };
        Self { every, timeout, held: Held::new() }
    }
}

impl AckPolicy for Delayed {
    #[inline(always)]
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        if let Some(reason) = at_once(facts.place) {
            return AckDecision::Now(reason);
        }
        let enough = if self.every == 1 { Bytes::ZERO } else { facts.full_size * u64::from(self.every) };
        self.held.take(now, facts.new_bytes, enough, self.timeout)
    }

    fn on_ack_sent(&mut self, _now: Instant) {
        self.held.clear();
    }

    fn deadline(&self) -> Option<Instant> {
        self.held.deadline()
    }

    fn on_deadline(&mut self, _now: Instant) -> AckDecision {
        self.held.on_deadline()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::{AckReason, Place};
    use crate::measure::Measured;

    fn ask(policy: &mut Delayed, millis: u64, bytes: u64, place: Place) -> AckDecision {
        let measured = Measured::default();
        let facts =
            SegmentFacts { new_bytes: Bytes(bytes), full_size: Bytes(1000), place, measured: &measured, host: None };
        policy.on_segment(Instant::from_millis(millis), &facts)
    }

    #[test]
    fn every_lth_full_sized_segment_is_acknowledged() {
        for every in [1, 2, 4, 8] {
            let mut policy = Delayed::new(every, Duration::from_millis(40));
            for i in 1..=64 {
                let decision = ask(&mut policy, 0, 1000, Place::InOrder);
                let due = i % every == 0;
                assert_eq!(decision == AckDecision::Now(AckReason::Count), due, "L = {every}, segment {i}");
                if due {
                    policy.on_ack_sent(Instant::ZERO);
                }
            }
        }
    }

    #[test]
    fn the_deadline_counts_from_the_first_segment_held() {
        let mut policy = Delayed::new(2, Duration::from_millis(40));
        assert_eq!(policy.deadline(), None);
        assert_eq!(ask(&mut policy, 5, 100, Place::InOrder), AckDecision::Hold);
        assert_eq!(ask(&mut policy, 9, 100, Place::InOrder), AckDecision::Hold);
        assert_eq!(policy.deadline(), Some(Instant::from_millis(45)));
        assert_eq!(policy.on_deadline(Instant::from_millis(45)), AckDecision::Now(AckReason::Timer));
        policy.on_ack_sent(Instant::from_millis(45));
        assert_eq!(policy.deadline(), None);
    }

    #[test]
    fn whatever_is_not_plainly_in_order_is_acknowledged_at_once() {
        let mut policy = Delayed::new(8, Duration::from_millis(40));
        for (place, reason) in [
            (Place::FillsHole, AckReason::HoleFilled),
            (Place::AboveHole, AckReason::OutOfOrder),
            (Place::Duplicate, AckReason::Duplicate),
            (Place::Fin, AckReason::Fin),
        ] {
            assert_eq!(ask(&mut policy, 0, 10, place), AckDecision::Now(reason));
        }
    }
}

//! An ACK rate that the sender of data asks for (draft-ietf-tcpm-ack-rate-request, TARR): what its receiver does.
//!
//! A request says R: one ACK for R full-sized segments from now on, until another one; R = 0 asks for an ACK of the segment that bears it, and changes nothing. What comes
//! out of order is acknowledged at once, unless the request says to ignore order (N). The timer of delayed ACKs goes on. Until something has been asked for, and with a peer
//! that asks for nothing, it acknowledges two segments, as delayed ACKs do.
//!
//! Who asks for what, and when, stands in `endpoint/ack_request`.

use ackless_wire::tcp::RateRequest;
use ackless_wire::{Bytes, Duration, Instant};

use super::held::Held;
use super::{AckDecision, AckPolicy, AckReason, Place, SegmentFacts, at_once};

/// Acknowledges as it was asked to.
#[derive(Clone, Debug)]
pub struct Request {
    every: u32,
    ignores_order: bool,
    /// Whether the segment in hand asks for an ACK of its own.
    now: bool,
    timeout: Duration,
    held: Held,
}

impl Request {
    /// Nothing has been asked for. No ACK is held for longer than `timeout`.
    pub const fn new(timeout: Duration) -> Self {
        Self { every: UNASKED, ignores_order: false, now: false, timeout, held: Held::new() }
    }

    /// The segment that is to be decided on next asks for this.
    pub const fn on_request(&mut self, request: RateRequest) {
        if request.segments() == 0 {
            self.now = true;
        } else {
            (self.every, self.ignores_order) = (request.segments(), request.ignores_order());
        }
    }
}

impl AckPolicy for Request {
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        let asked = std::mem::take(&mut self.now);
        let place = match facts.place {
            Place::AboveHole | Place::FillsHole if self.ignores_order => Place::InOrder,
            place => place,
        };
        if let Some(reason) = at_once(place) {
            return AckDecision::Now(reason);
        }
        if asked {
            return AckDecision::Now(AckReason::Count);
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

/// L of delayed ACKs (RFC 9293, 3.8.6.3).
pub(crate) const UNASKED: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measured;

    const NOW: Instant = Instant::from_millis(7);

    fn ask(policy: &mut Request, place: Place) -> AckDecision {
        let measured = Measured::default();
        let facts =
            SegmentFacts { new_bytes: Bytes(1000), full_size: Bytes(1000), place, measured: &measured, host: None };
        let decision = policy.on_segment(NOW, &facts);
        if decision != AckDecision::Hold {
            policy.on_ack_sent(NOW);
        }
        decision
    }

    /// After which of so many segments in order an ACK goes.
    fn acks(policy: &mut Request, segments: usize) -> Vec<usize> {
        (1..=segments).filter(|_| ask(policy, Place::InOrder) != AckDecision::Hold).collect()
    }

    #[test]
    fn one_ack_for_r_segments_until_another_r_is_asked_for() {
        let mut policy = Request::new(Duration::from_millis(40));
        assert_eq!(acks(&mut policy, 6), [2, 4, 6], "unasked, as delayed ACKs");
        policy.on_request(RateRequest::new(10, false));
        assert_eq!(acks(&mut policy, 30), [10, 20, 30]);
        assert_eq!(policy.deadline(), None);
        assert_eq!(ask(&mut policy, Place::InOrder), AckDecision::Hold);
        assert_eq!(policy.deadline(), Some(NOW + Duration::from_millis(40)), "the timer goes on");
        policy.on_ack_sent(NOW);
        policy.on_request(RateRequest::new(1, false));
        assert_eq!(acks(&mut policy, 3), [1, 2, 3]);
    }

    #[test]
    fn r_of_zero_asks_for_an_ack_of_that_segment_and_changes_nothing() {
        let mut policy = Request::new(Duration::from_millis(40));
        policy.on_request(RateRequest::new(5, false));
        assert_eq!(acks(&mut policy, 2), [0; 0]);
        policy.on_request(RateRequest::new(0, true));
        assert_eq!(acks(&mut policy, 11), [1, 6, 11]);
        assert_eq!(
            ask(&mut policy, Place::AboveHole),
            AckDecision::Now(AckReason::OutOfOrder),
            "its N counts for nothing"
        );
    }

    #[test]
    fn what_is_out_of_order_is_acknowledged_at_once_unless_order_is_to_be_ignored() {
        for ignores_order in [false, true] {
            let mut policy = Request::new(Duration::from_millis(40));
            policy.on_request(RateRequest::new(5, ignores_order));
            for place in [Place::AboveHole, Place::FillsHole] {
                assert_eq!(ask(&mut policy, place) == AckDecision::Hold, ignores_order, "{place:?}");
            }
            // What the sender has sent in vain, and the end, are never kept from it.
            for place in [Place::Duplicate, Place::Fin] {
                assert_ne!(ask(&mut policy, place), AckDecision::Hold, "{place:?}");
            }
        }
    }
}

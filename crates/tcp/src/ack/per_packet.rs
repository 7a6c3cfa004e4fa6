//! An acknowledgement for every segment: f = bw / MSS, equation (1) of the TACK paper with L = 1.
//!
//! RFC 9293 (3.8.6.3) permits it; it is what a receiver did before acknowledgements were delayed.

use ackless_wire::Instant;

use super::{AckDecision, AckPolicy, AckReason, SegmentFacts, at_once};

/// Acknowledges whatever comes, at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct PerPacket;

impl AckPolicy for PerPacket {
    fn on_segment(&mut self, _now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        AckDecision::Now(at_once(facts.place).unwrap_or(AckReason::Count))
    }

    fn on_ack_sent(&mut self, _now: Instant) {}

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn on_deadline(&mut self, _now: Instant) -> AckDecision {
        AckDecision::Hold
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::Bytes;

    use super::*;
    use crate::ack::Place;
    use crate::measure::Measured;

    #[test]
    fn the_smallest_segment_is_acknowledged_at_once() {
        let measured = Measured::default();
        let facts = SegmentFacts {
            new_bytes: Bytes(1),
            full_size: Bytes(1000),
            place: Place::InOrder,
            measured: &measured,
            host: None,
        };
        assert_eq!(PerPacket.on_segment(Instant::ZERO, &facts), AckDecision::Now(AckReason::Count));
        assert_eq!(PerPacket.deadline(), None);
    }
}

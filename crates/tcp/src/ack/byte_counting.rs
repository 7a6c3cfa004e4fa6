//! Byte counting: f = bw / (L MSS), equation (1) of the TACK paper.
//!
//! The paper's byte counting has no timer at all. A sender would then wait for an acknowledgement of its last segments until its
//! retransmission timer fires, so there is one of last resort here: the longest that RFC 9293 (3.8.6.3) lets an acknowledgement be
//! held.

use ackless_wire::Duration;

use super::Delayed;

/// Acknowledges every `every` full-sized segments: [`Delayed`], which counts in the same way, with [`LAST_RESORT`] as its timer.
pub const fn byte_counting(every: u32) -> Delayed {
    Delayed::new(every, LAST_RESORT)
}

/// RFC 9293, 3.8.6.3: an acknowledgement must not be held longer than this.
pub const LAST_RESORT: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use ackless_wire::{Bytes, Instant};

    use super::*;
    use crate::ack::{AckDecision, AckPolicy, Place, SegmentFacts};
    use crate::measure::Measured;

    #[test]
    fn what_is_less_than_l_segments_waits_for_the_last_resort_only() {
        let mut policy = byte_counting(4);
        let measured = Measured::default();
        for millis in [0, 100, 300] {
            let facts = SegmentFacts {
                new_bytes: Bytes(1000),
                full_size: Bytes(1000),
                place: Place::InOrder,
                measured: &measured,
                host: None,
            };
            assert_eq!(policy.on_segment(Instant::from_millis(millis), &facts), AckDecision::Hold);
            assert_eq!(policy.deadline(), Some(Instant::from_millis(500)));
        }
    }
}

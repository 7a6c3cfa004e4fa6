//! Periodic acknowledgements: f = 1 / alpha, equation (2) of the TACK paper.

use ackless_wire::{Duration, Instant};

use super::{AckDecision, AckPolicy, AckReason, SegmentFacts, at_once};

/// Acknowledges what has come, at most once in each interval alpha, and at once where RFC 5681 asks for it.
///
/// A segment that comes after an interval without any is acknowledged at once, so that f is never above 1 / alpha nor above the
/// rate of segments.
#[derive(Clone, Debug)]
pub struct Periodic {
    interval: Duration,
    last: Option<Instant>,
    deadline: Option<Instant>,
}

impl Periodic {
    /// Alpha = `interval`.
    pub const fn new(interval: Duration) -> Self {
        Self { interval, last: None, deadline: None }
    }
}

impl AckPolicy for Periodic {
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        if let Some(reason) = at_once(facts.place) {
            return AckDecision::Now(reason);
        }
        let due = self.last.map_or(now, |last| last.saturating_add(self.interval));
        if due <= now {
            return AckDecision::Now(AckReason::Timer);
        }
        self.deadline = Some(due);
        AckDecision::Hold
    }

    fn on_ack_sent(&mut self, now: Instant) {
        self.last = Some(now);
        self.deadline = None;
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn on_deadline(&mut self, _now: Instant) -> AckDecision {
        self.deadline = None;
        AckDecision::Now(AckReason::Timer)
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::Bytes;

    use super::*;
    use crate::ack::Place;
    use crate::measure::Measured;

    fn ask(policy: &mut Periodic, millis: u64, place: Place) -> AckDecision {
        let measured = Measured::default();
        let facts =
            SegmentFacts { new_bytes: Bytes(1000), full_size: Bytes(1000), place, measured: &measured, host: None };
        policy.on_segment(Instant::from_millis(millis), &facts)
    }

    #[test]
    fn however_many_segments_come_one_is_sent_in_each_interval() {
        let mut policy = Periodic::new(Duration::from_millis(10));
        let mut sent = Vec::new();
        for millis in 0..35 {
            let now = Instant::from_millis(millis);
            let due = policy.deadline().is_some_and(|at| at <= now) && policy.on_deadline(now) != AckDecision::Hold;
            if due || ask(&mut policy, millis, Place::InOrder) != AckDecision::Hold {
                policy.on_ack_sent(now);
                sent.push(millis);
            }
        }
        assert_eq!(sent, [0, 10, 20, 30]);
        assert_eq!(ask(&mut policy, 39, Place::AboveHole), AckDecision::Now(AckReason::OutOfOrder));
    }

    #[test]
    fn after_a_quiet_interval_the_next_segment_is_acknowledged_at_once() {
        let mut policy = Periodic::new(Duration::from_millis(10));
        policy.on_ack_sent(Instant::ZERO);
        assert_eq!(ask(&mut policy, 9, Place::InOrder), AckDecision::Hold);
        assert_eq!(policy.deadline(), Some(Instant::from_millis(10)));
        policy.on_ack_sent(Instant::from_millis(10));
        assert_eq!(ask(&mut policy, 20, Place::InOrder), AckDecision::Now(AckReason::Timer));
    }
}

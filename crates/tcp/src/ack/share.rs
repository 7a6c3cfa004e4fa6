//! An ACK for a share of the round trip, as a browser's QUIC has it: Firefox (`neqo`, `ackrate.rs`) asks its peer for one after a quarter of a round trip, at most 50 ms, or
//! after a quarter of the congestion window, from 2 to 256 packets. (Chromium decides at the receiver: a quarter of the least round trip, at most 25 ms, or 10 packets, after
//! the first 100.)
//!
//! In plain TCP nobody tells the receiver the window, so what stands for it is what came in the last whole round trip, as the receiver has measured rate and least round trip.
//! Deviation: until it has both, it acknowledges as delayed ACKs do, for two segments; the least round trip stands for the smoothed one, which a receiver does not know.

use ackless_wire::{Bytes, Duration, Instant};

use super::held::Held;
use super::{AckDecision, AckPolicy, SegmentFacts, at_once};
use crate::measure::Measured;

/// Acknowledges when a share of a round trip's data is here, when the oldest of it has waited for a share of the round trip, and at once where RFC 5681 asks for it.
#[derive(Clone, Debug)]
pub struct Share {
    share: u32,
    timeout: Duration,
    held: Held,
}

impl Share {
    /// One in each `share`th part of a round trip; zero counts as 1. What a delayed ACK waits at most is `timeout`.
    pub const fn new(share: u32, timeout: Duration) -> Self {
        let share = if share == 0 { 1 } else { share };
        Self { share, timeout, held: Held::new() }
    }

    /// How many bytes and how long.
    fn bounds(&self, measured: &Measured, full_size: Bytes) -> (Bytes, Duration) {
        let few = full_size * FEWEST;
        let rate = measured.delivery_rate();
        match measured.min_rtt() {
            Some(rtt) if rate.bps() > 0 => {
                let wait = rtt / u64::from(self.share);
                (rate.amount_floor(wait).clamp(few, full_size * MOST), wait.min(LONGEST))
            }
            _ => (few, self.timeout),
        }
    }
}

impl AckPolicy for Share {
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        if let Some(reason) = at_once(facts.place) {
            return AckDecision::Now(reason);
        }
        let (enough, wait) = self.bounds(facts.measured, facts.full_size);
        self.held.take(now, facts.new_bytes, enough, wait)
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

/// Packets for an ACK, at least and at most.
const FEWEST: u64 = 2;
const MOST: u64 = 256;
/// The longest that an ACK is held, once rate and round trip are known.
pub const LONGEST: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::{AckReason, Place};

    /// A receiver of a segment of 1,000 bytes in each `micros`, with this round trip.
    struct Receiver {
        policy: Share,
        measured: Measured,
        micros: u64,
        now: Instant,
    }

    impl Receiver {
        fn new(rtt_millis: u64, micros: u64) -> Self {
            let mut measured = Measured::default();
            measured.on_rtt(Duration::from_millis(rtt_millis));
            Self { policy: Share::new(4, Duration::from_millis(40)), measured, micros, now: Instant::ZERO }
        }

        fn ask(&mut self, place: Place) -> AckDecision {
            self.measured.on_data(self.now, Bytes(1000));
            let measured = &self.measured;
            let facts = SegmentFacts { new_bytes: Bytes(1000), full_size: Bytes(1000), place, measured, host: None };
            self.policy.on_segment(self.now, &facts)
        }

        /// How many segments and how many microseconds each of the next ACKs answers for, once a rate is known.
        fn acks(&mut self, count: usize) -> Vec<(u64, u64)> {
            let (mut found, mut segments, mut last) = (Vec::new(), 0, self.now);
            while found.len() < count {
                let next = self.now + Duration::from_micros(self.micros);
                if let Some(due) = self.policy.deadline().filter(|&due| due < next) {
                    assert_eq!(self.policy.on_deadline(due), AckDecision::Now(AckReason::Timer));
                    self.policy.on_ack_sent(due);
                    found.push((segments, due.saturating_since(last).as_nanos() / 1000));
                    (segments, last) = (0, due);
                }
                self.now = next;
                segments += 1;
                if self.ask(Place::InOrder) != AckDecision::Hold {
                    self.policy.on_ack_sent(self.now);
                    found.push((segments, self.now.saturating_since(last).as_nanos() / 1000));
                    (segments, last) = (0, self.now);
                }
            }
            found
        }
    }

    #[test]
    fn a_quarter_of_a_round_trip_of_data_draws_an_ack() {
        // A segment a millisecond: 10 in a quarter of 40 ms.
        let mut receiver = Receiver::new(40, 1_000);
        receiver.acks(20);
        assert_eq!(receiver.acks(3), [(10, 10_000); 3]);
    }

    #[test]
    fn it_never_stands_for_fewer_than_two_packets_nor_for_more_than_256_nor_longer_than_50_ms() {
        // A quarter of 4 ms is one segment.
        let mut receiver = Receiver::new(4, 1_000);
        receiver.acks(20);
        // Two, or the one that is there when the quarter is over.
        let acks = receiver.acks(9);
        assert!(acks.iter().all(|&(segments, micros)| segments == 2 || micros >= 1_000), "{acks:?}");
        // 10 us a segment and a quarter of 40 ms: 1,000.
        let mut receiver = Receiver::new(40, 10);
        receiver.acks(10_000);
        assert_eq!(receiver.acks(3), [(256, 2_560); 3]);
        // A quarter of 400 ms is 100 ms.
        let mut receiver = Receiver::new(400, 1_000);
        receiver.acks(50);
        for (segments, micros) in receiver.acks(5) {
            assert!((50..=51).contains(&segments) && (50_000..=51_000).contains(&micros), "{segments}, {micros}");
        }
    }

    #[test]
    fn a_tail_waits_for_a_quarter_of_the_round_trip_and_holes_for_nothing() {
        let mut receiver = Receiver::new(40, 1_000);
        receiver.acks(20);
        receiver.now += Duration::from_millis(1);
        assert_eq!(receiver.ask(Place::InOrder), AckDecision::Hold);
        assert_eq!(receiver.policy.deadline(), Some(receiver.now + Duration::from_millis(10)));
        assert_eq!(receiver.ask(Place::AboveHole), AckDecision::Now(AckReason::OutOfOrder));
    }

    #[test]
    fn until_rate_and_round_trip_are_known_it_acknowledges_two_segments_or_waits_as_delayed_acks_do() {
        let mut receiver = Receiver::new(40, 1_000);
        receiver.measured = Measured::default();
        assert_eq!(receiver.ask(Place::InOrder), AckDecision::Hold);
        assert_eq!(receiver.policy.deadline(), Some(receiver.now + Duration::from_millis(40)));
        assert_eq!(receiver.ask(Place::InOrder), AckDecision::Now(AckReason::Count));
    }
}

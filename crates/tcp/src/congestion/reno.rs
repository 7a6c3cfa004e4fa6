//! Reno: additive increase, multiplicative decrease (RFC 5681), counting bytes (RFC 3465) or acknowledgements.

use ackless_wire::{Bytes, Instant};

use super::hystart::Finder;
use super::{AckFacts, Controller, GrowthRule, SlowStart};

/// What makes a Reno window grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RenoRule {
    /// What is acknowledged (RFC 3465): a segment each time that a whole window has been, however few acknowledgements that took.
    #[default]
    Bytes,
    /// Acknowledgements, each for at most one segment, as RFC 5681 had it before that (3.1, equations 2 and 3) and ns-3 does: with delayed ACKs half a segment a round trip.
    Acks,
}

/// The Reno window.
///
/// Slow start adds what is acknowledged; congestion avoidance adds one segment each time that a whole window
/// has been acknowledged, by either rule.
#[derive(Clone, Debug)]
pub struct Reno {
    start: SlowStart,
    /// What looks for the end of slow start.
    finder: Option<Box<Finder>>,
    window: Bytes,
    threshold: Option<Bytes>,
    /// Acknowledged in congestion avoidance since the last increase.
    counted: Bytes,
    /// Window and threshold before a reduction that may turn out to be a mistake.
    before: Option<(Bytes, Option<Bytes>)>,
}

impl Reno {
    /// A window that has seen nothing yet.
    pub fn new(start: SlowStart) -> Self {
        Self {
            finder: start.finder(),
            window: start.initial,
            start,
            threshold: None,
            counted: Bytes::ZERO,
            before: None,
        }
    }

    /// RFC 5681, equation 4. What limited transmit sent above the window does not count (3.2, step 2).
    fn halve(&mut self, now: Instant, flight: Bytes, by_timer: bool) -> Bytes {
        if let Some(finder) = &mut self.finder {
            finder.on_reduction(now, by_timer);
        }
        let half = Bytes(flight.min(self.window).get() / 2).max(self.start.smss * 2);
        self.threshold = Some(half);
        self.counted = Bytes::ZERO;
        half
    }

    /// One acknowledgement of a window that was used.
    fn grow(&mut self, facts: &AckFacts) {
        let mut acked = match self.start.reno {
            RenoRule::Bytes => facts.acked,
            RenoRule::Acks => facts.acked.min(self.start.smss),
        };
        let growth = self.start.growth(facts).min(acked);
        let growth = self.finder.as_ref().map_or(growth, |finder| finder.growth(growth, &self.start));
        let room = self.threshold.map_or(growth, |threshold| threshold.saturating_sub(self.window));
        if room > Bytes::ZERO {
            self.window += growth.min(room);
            if self.start.growth == GrowthRule::Rfc || growth <= room {
                return;
            }
            // By Linux what is left over from slow start counts (`tcp_reno_cong_avoid`).
            acked = growth - room;
        }
        self.counted += acked;
        while self.counted >= self.window {
            self.counted -= self.window;
            self.window += self.start.smss;
        }
    }
}

impl Controller for Reno {
    fn on_ack(&mut self, facts: &AckFacts) {
        if let Some(finder) = &mut self.finder
            && finder.before_growth(facts, &self.start, self.window, self.threshold)
        {
            self.threshold = Some(self.window);
        }
        if facts.window_used {
            self.grow(facts);
        }
        if let Some(finder) = &mut self.finder
            && finder.after_growth(facts, self.threshold)
        {
            self.threshold = Some(self.window);
        }
    }

    fn on_loss(&mut self, now: Instant, flight: Bytes) {
        self.window = self.halve(now, flight, false);
    }

    fn on_timeout(&mut self, now: Instant, flight: Bytes, repeated: bool) {
        if !repeated {
            self.halve(now, flight, true);
        }
        self.window = self.start.smss;
        self.counted = Bytes::ZERO;
    }

    fn on_recovered(&mut self, _now: Instant, flight: Bytes) {
        // RFC 6582, 3.2, step 3, option 1: no burst where less is out than the window allows.
        if let Some(threshold) = self.threshold {
            self.window = threshold.min(flight.max(self.start.smss) + self.start.smss);
        }
    }

    fn remember(&mut self) {
        self.before = Some((self.window, self.threshold));
    }

    fn undo(&mut self) {
        let Some((window, threshold)) = self.before.take() else { return };
        (self.window, self.threshold) = (self.window.max(window), threshold);
        if let Some(finder) = &mut self.finder {
            finder.on_undo(threshold);
        }
    }

    fn on_idle(&mut self, _now: Instant, restart: Bytes) {
        self.threshold = self.start.threshold_after_idling(self.threshold, self.window);
        self.window = self.window.min(restart);
    }

    fn window(&self) -> Bytes {
        self.window
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        self.threshold
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::Duration;

    use super::*;
    use crate::sequence::Position;

    const SMSS: Bytes = Bytes(1000);

    fn reno(limit: Option<u32>) -> Reno {
        Reno::new(SlowStart::standard(SMSS, SMSS * 10, limit))
    }

    fn ack(acked: u64) -> AckFacts {
        let (now, srtt) = (Instant::ZERO, Duration::ZERO);
        let (una, next) = (Position::FIRST_BYTE, Position::FIRST_BYTE);
        AckFacts {
            now,
            acked: Bytes(acked),
            una,
            next,
            rtt: None,
            srtt,
            min_rtt: srtt,
            window_used: true,
            after_timeout: false,
        }
    }

    #[test]
    fn slow_start_adds_what_is_acknowledged_up_to_the_limit() {
        let mut unlimited = reno(None);
        unlimited.on_ack(&ack(8_000));
        assert_eq!(unlimited.window(), Bytes(18_000));
        let mut limited = reno(Some(2));
        limited.on_ack(&ack(8_000));
        assert_eq!(limited.window(), Bytes(12_000));
        limited.on_ack(&AckFacts { after_timeout: true, ..ack(8_000) });
        assert_eq!(limited.window(), Bytes(13_000));
    }

    #[test]
    fn congestion_avoidance_adds_one_segment_per_window_however_sparse_the_acks() {
        for every in [1, 2, 4, 8] {
            let mut reno = reno(None);
            reno.on_loss(Instant::ZERO, Bytes(10_000));
            assert_eq!(reno.window(), Bytes(5_000));
            let mut acked = 0;
            while acked < 5_000 {
                assert_eq!(reno.window(), Bytes(5_000), "L = {every} at {acked}");
                reno.on_ack(&ack(every * 500));
                acked += every * 500;
            }
            assert_eq!(reno.window(), Bytes(6_000), "L = {every}");
        }
    }

    #[test]
    fn by_acknowledgements_each_counts_for_one_segment_at_most() {
        let by_acks = SlowStart { reno: RenoRule::Acks, ..SlowStart::standard(SMSS, SMSS * 10, None) };
        let mut reno = Reno::new(by_acks);
        [8_000, 2_000, 500].iter().for_each(|&acked| reno.on_ack(&ack(acked)));
        assert_eq!(reno.window(), Bytes(12_500), "slow start adds 1000, 1000 and 500");
        for every in [1, 2, 4] {
            let mut reno = Reno::new(by_acks);
            reno.on_loss(Instant::ZERO, Bytes(10_000));
            for number in 0..5 {
                assert_eq!(reno.window(), Bytes(5_000), "L = {every} before ACK {number}");
                reno.on_ack(&ack(every * 1_000));
            }
            assert_eq!(reno.window(), Bytes(6_000), "five ACKs for a window of five segments, L = {every}");
        }
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let mut reno = reno(None);
        reno.on_ack(&AckFacts { window_used: false, ..ack(1_000) });
        assert_eq!(reno.window(), Bytes(10_000));
    }

    #[test]
    fn a_timeout_leaves_one_segment_and_lowers_the_threshold_once() {
        let mut reno = reno(None);
        reno.on_timeout(Instant::ZERO, Bytes(10_000), false);
        assert_eq!((reno.window(), reno.slow_start_threshold()), (SMSS, Some(Bytes(5_000))));
        reno.on_timeout(Instant::ZERO, Bytes(1_000), true);
        assert_eq!((reno.window(), reno.slow_start_threshold()), (SMSS, Some(Bytes(5_000))));
    }

    #[test]
    fn the_threshold_is_at_least_two_segments() {
        let mut reno = reno(None);
        reno.on_loss(Instant::ZERO, Bytes(3_000));
        assert_eq!(reno.slow_start_threshold(), Some(Bytes(2_000)));
    }
}

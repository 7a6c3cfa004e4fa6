//! The time of rates, and of the filters and cycles over them: how long a rate is measured at the least, and what a filter for the greatest one counts in.
//!
//! An aggregating link delivers dozens of packets at one moment, and then waits for the medium: over less than [`RateTime::LEAST`] the greatest rate is that of a burst.
//! Whatever measures rates here or forgets them asks this module, so that no filter is over before one rate of its own can be. Deviation: the paper knows no such
//! path, and has two TACK intervals however short they are (VI-D).

mod intervals;
mod rounds;

use ackless_wire::{Duration, Instant};

use self::intervals::Intervals;
pub(crate) use self::intervals::Mark;
use self::rounds::Rounds;

/// Counts the time of one model of a path: in TACK intervals, which may stand still, and in packet-timed rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateTime {
    intervals: Intervals,
    rounds: Rounds,
}

impl RateTime {
    /// The least time over which a rate is taken, at either end.
    pub(crate) const LEAST: Duration = Duration::from_millis(10);

    pub(crate) const fn new() -> Self {
        Self { intervals: Intervals::new(), rounds: Rounds::new() }
    }

    /// Over how long to take a rate where `span` is asked for.
    pub(crate) fn span(span: Duration) -> Duration {
        span.max(Self::LEAST)
    }

    /// As how long an interval counts: a rate is taken over two of them.
    pub(crate) fn interval(length: Duration) -> Duration {
        length.max(Self::LEAST / 2)
    }

    /// From `now` on an interval is this long, or [as long as it counts](Self::interval).
    pub(crate) fn set_interval(&mut self, now: Instant, length: Duration) {
        self.intervals.set(now, Self::interval(length));
    }

    /// Intervals stand still from `now` on.
    pub(crate) fn pause(&mut self, now: Instant) {
        self.intervals.pause(now);
    }

    /// They go on.
    pub(crate) const fn resume(&mut self, now: Instant) {
        self.intervals.resume(now);
    }

    /// Whole intervals until `now`.
    pub(crate) const fn intervals(&self, now: Instant) -> u64 {
        self.intervals.count(now)
    }

    /// A mark that says: `ago` intervals before `now`.
    pub(crate) const fn mark(&self, now: Instant, ago: u64) -> Mark {
        self.intervals.mark(now, ago)
    }

    /// Whole intervals from `mark` until `now`.
    pub(crate) const fn since(&self, now: Instant, mark: Mark) -> u64 {
        self.intervals.since(now, mark)
    }

    /// Something is measured in packet-timed round `round`: how many rounds have counted until then. Each counts as `least`, and as long as a rate takes, at the least: ten
    /// round trips of 0.3 ms would be over before one rate is.
    pub(crate) fn round(&mut self, now: Instant, round: u64, least: Duration) -> u64 {
        self.rounds.advance(now, round, Self::span(least))
    }

    /// How many rounds have counted.
    pub(crate) const fn rounds(&self) -> u64 {
        self.rounds.counted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_filter_is_over_before_a_rate_is() {
        assert_eq!(RateTime::span(Duration::from_micros(300)), Duration::from_millis(10));
        assert_eq!(RateTime::span(Duration::from_millis(40)), Duration::from_millis(40));
        let mut time = RateTime::new();
        time.set_interval(Instant::ZERO, Duration::from_micros(75));
        let begin = time.mark(Instant::ZERO, 0);
        // Two of what counts as an interval are as long as a rate takes.
        assert_eq!(time.since(Instant::from_micros(9_999), begin), 1);
        assert_eq!(time.since(Instant::from_millis(10), begin), 2);
        // Three round trips a millisecond: one round in 10 ms counts, and with a least round trip of 20 ms every second of those.
        let (mut short, mut long) = (RateTime::new(), RateTime::new());
        for millis in 1..=100 {
            let now = Instant::from_millis(millis);
            short.round(now, 3 * millis, Duration::from_micros(600));
            long.round(now, 3 * millis, Duration::from_millis(20));
        }
        assert_eq!((short.rounds(), long.rounds()), (10, 5));
    }
}

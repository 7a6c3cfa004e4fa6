//! Time in TACK intervals.

use ackless_wire::{Duration, Instant};

/// How many intervals have passed, while their length changes.
///
/// A new length counts from when it is set; what has passed before keeps its count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals {
    /// What had passed at `since`, in fractions of an interval.
    passed: u64,
    since: Instant,
    length: Duration,
    running: Running,
}

/// A place in the clock's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark(u64);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Running {
    Yes,
    No,
}

impl Intervals {
    /// Begins at [`EPOCH`], so that something can have begun before the clock did.
    pub(super) const fn new() -> Self {
        Self {
            passed: EPOCH * FRACTIONS,
            since: Instant::ZERO,
            length: Duration::from_millis(1),
            running: Running::Yes,
        }
    }

    /// From `now` on an interval is this long. Range: above zero.
    pub(super) fn set(&mut self, now: Instant, length: Duration) {
        if self.length != length {
            self.passed = self.fractions(now);
            (self.since, self.length) = (now, length);
        }
    }

    /// Stands still from `now` on.
    pub(super) fn pause(&mut self, now: Instant) {
        self.passed = self.fractions(now);
        self.running = Running::No;
    }

    /// Runs again.
    pub(super) const fn resume(&mut self, now: Instant) {
        self.since = now;
        self.running = Running::Yes;
    }

    /// Whole intervals until `now`.
    pub(super) const fn count(&self, now: Instant) -> u64 {
        self.fractions(now) / FRACTIONS
    }

    /// A mark that says: `ago` intervals before `now`.
    pub(super) const fn mark(&self, now: Instant, ago: u64) -> Mark {
        Mark(self.fractions(now) - ago * FRACTIONS)
    }

    /// Whole intervals from `mark` until `now`.
    pub(super) const fn since(&self, now: Instant, mark: Mark) -> u64 {
        self.fractions(now).saturating_sub(mark.0) / FRACTIONS
    }

    const fn fractions(&self, now: Instant) -> u64 {
        match self.running {
            Running::Yes => {
                let span = now.saturating_since(self.since).as_nanos() as u128;
                self.passed.saturating_add((span * FRACTIONS as u128 / self.length.as_nanos() as u128) as u64)
            }
            Running::No => self.passed,
        }
    }
}

/// An interval is counted in this many parts: of 10 ms, one is 10 ns. Intervals of 10 us can be counted for five years.
const FRACTIONS: u64 = 1 << 20;
/// More than any cycle.
const EPOCH: u64 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_length_counts_from_when_it_is_set() {
        let mut clock = Intervals::new();
        clock.set(Instant::ZERO, Duration::from_millis(10));
        assert_eq!(clock.count(Instant::from_millis(35)), EPOCH + 3);
        // 3.5 of ten milliseconds each, and half of one of a hundred.
        clock.set(Instant::from_millis(35), Duration::from_millis(100));
        assert_eq!(clock.count(Instant::from_millis(84)), EPOCH + 3);
        assert_eq!(clock.count(Instant::from_millis(85)), EPOCH + 4);
    }

    #[test]
    fn a_pause_does_not_count() {
        let mut clock = Intervals::new();
        clock.set(Instant::ZERO, Duration::from_millis(10));
        clock.pause(Instant::from_millis(25));
        assert_eq!(clock.count(Instant::from_millis(225)), EPOCH + 2);
        clock.resume(Instant::from_millis(225));
        assert_eq!(clock.count(Instant::from_millis(229)), EPOCH + 2);
        assert_eq!(clock.count(Instant::from_millis(230)), EPOCH + 3);
    }
}

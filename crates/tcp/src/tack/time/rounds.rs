//! Time in packet-timed rounds, as filters count it.

use ackless_wire::{Duration, Instant};

/// Counts rounds that are long enough for their owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    /// The latest round in which something counted; how many counted; and when the last of them began.
    round: u64,
    counted: u64,
    since: Instant,
}

impl Rounds {
    pub(super) const fn new() -> Self {
        Self { round: 0, counted: 0, since: Instant::ZERO }
    }

    /// How many rounds have counted.
    pub(super) const fn counted(&self) -> u64 {
        self.counted
    }

    /// Something is measured in packet-timed round `round`: how many rounds of at least `least`, which is above zero, count until then.
    pub(super) fn advance(&mut self, now: Instant, round: u64, least: Duration) -> u64 {
        let passed = round.saturating_sub(self.round).min(now.saturating_since(self.since).div_floor(least));
        if passed > 0 {
            self.counted += passed;
            (self.round, self.since) = (round, now);
        }
        self.counted
    }
}

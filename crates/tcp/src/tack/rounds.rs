//! Time in packet-timed rounds, as filters count it.

use ackless_wire::{Duration, Instant};

/// Counts rounds that are long enough to measure a rate in: one counts as at least 10 ms, over which rates are taken at the least. Ten round trips of 0.3 ms would be
/// over before one rate is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    /// The latest round in which something counted; how many counted; and when the last of them began.
    round: u64,
    counted: u64,
    since: Instant,
}

impl Rounds {
    pub(crate) const fn new() -> Self {
        Self { round: 0, counted: 0, since: Instant::ZERO }
    }

    /// How many rounds have counted.
    pub(crate) const fn counted(&self) -> u64 {
        self.counted
    }

    /// Something is measured in packet-timed round `round`: how many rounds of at least `least` count until then.
    pub(crate) fn advance(&mut self, now: Instant, round: u64, least: Duration) -> u64 {
        let passed =
            round.saturating_sub(self.round).min(now.saturating_since(self.since).div_floor(least.max(LEAST_SPAN)));
        if passed > 0 {
            self.counted += passed;
            (self.round, self.since) = (round, now);
        }
        self.counted
    }
}

/// The least time over which a rate is taken, at either end: less is a burst of aggregated frames, whose packets all come at one moment.
pub(crate) const LEAST_SPAN: Duration = Duration::from_millis(10);

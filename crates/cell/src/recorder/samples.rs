//! Times, and how they are spread.

use ackless_wire::Duration;

use crate::result::Percentiles;

/// Times in whole microseconds, rounded down; each at most 71 minutes.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples(Vec<u32>);

impl Samples {
    pub(super) fn push(&mut self, sample: Duration) {
        self.0.push(u32::try_from(sample.as_micros_floor()).unwrap_or(u32::MAX));
    }

    /// Percentiles by the nearest-rank rule.
    pub(super) fn percentiles(&self) -> Option<Percentiles> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = |p: usize| sorted.get((sorted.len() * p).div_ceil(100).saturating_sub(1));
        let ms = |micros: &u32| f64::from(*micros) / 1e3;
        Some(Percentiles {
            samples: sorted.len() as u64,
            min: sorted.first().map(ms)?,
            median: rank(50).map(ms)?,
            p95: rank(95).map(ms)?,
            p99: rank(99).map(ms)?,
        })
    }
}

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
        let mut times = self.0.clone();
        let ms = |micros: u32| f64::from(micros) / 1e3;
        let min = ms(*times.iter().min()?);
        // Few ranks are found sooner than all are sorted, and each leaves behind it what the next is among.
        let mut found = 0;
        let mut rank = |p: usize| {
            let at = (times.len() * p).div_ceil(100) - 1;
            let (_, &mut time, _) = times[found..].select_nth_unstable(at - found);
            found = at;
            ms(time)
        };
        let (median, p95, p99) = (rank(50), rank(95), rank(99));
        Some(Percentiles { samples: self.0.len() as u64, min, median, p95, p99 })
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn percentiles_are_those_of_a_sorted_list() {
        assert_eq!(Samples::default().percentiles(), None);
        for seed in 0..300 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (count, range) = (1 + random.below(250), 1 + random.below(1_000_000));
            let mut samples = Samples::default();
            for _ in 0..count {
                samples.push(Duration::from_nanos(random.below(range * 1_000)));
            }
            let mut sorted = samples.0.clone();
            sorted.sort_unstable();
            let rank = |p: u64| f64::from(sorted[((count * p).div_ceil(100) - 1) as usize]) / 1e3;
            let (min, median) = (f64::from(sorted[0]) / 1e3, rank(50));
            let expected = Percentiles { samples: count, min, median, p95: rank(95), p99: rank(99) };
            assert_eq!(samples.percentiles(), Some(expected), "seed {seed}");
        }
    }
}

//! Times, and how they are spread.

use ackless_wire::Duration;

use crate::result::Percentiles;

/// Times in whole microseconds, rounded down; each at most 71 minutes.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples(Vec<u32>);

impl Samples {
    pub(super) fn push(&mut self, sample: Duration) {
        self.0.push(micros(sample));
    }

    pub(super) fn percentiles(&self) -> Option<Percentiles> {
        Percentiles::of(&mut self.0.clone())
    }
}

/// The same of many owners, most of whom may have few: in the order in which they came, each behind its owner's number.
#[derive(Clone, Debug, Default)]
pub(super) struct SamplesOfMany(Vec<(u32, u32)>);

impl SamplesOfMany {
    pub(super) fn push(&mut self, owner: usize, sample: Duration) {
        self.0.push((owner as u32, micros(sample)));
    }

    /// Percentiles of each of so many owners.
    pub(super) fn percentiles(&self, owners: usize) -> Vec<Option<Percentiles>> {
        // Where the samples of each owner end; while they are put in place, where the next one goes.
        let mut ends = vec![0; owners];
        self.0.iter().for_each(|&(owner, _)| ends[owner as usize] += 1);
        let mut sum = 0;
        ends.iter_mut().for_each(|end| sum += std::mem::replace(end, sum));
        let mut placed = vec![0; self.0.len()];
        for &(owner, sample) in &self.0 {
            let next = &mut ends[owner as usize];
            placed[*next] = sample;
            *next += 1;
        }
        let mut begin = 0;
        let of_next = |end: usize| Percentiles::of(&mut placed[std::mem::replace(&mut begin, end)..end]);
        ends.into_iter().map(of_next).collect()
    }
}

fn micros(sample: Duration) -> u32 {
    u32::try_from(sample.as_micros_floor()).unwrap_or(u32::MAX)
}

impl Percentiles {
    /// Of these times in microseconds, by the nearest-rank rule.
    fn of(times: &mut [u32]) -> Option<Self> {
        let ms = |micros: u32| f64::from(micros) / 1e3;
        if times.len() <= FEW {
            times.sort_unstable();
        }
        let min = ms(*times.iter().min()?);
        // Few ranks of many are found sooner than all are sorted, and each leaves behind it what the next is among.
        let mut found = 0;
        let mut rank = |p: usize| {
            let at = (times.len() * p).div_ceil(100) - 1;
            if times.len() > FEW {
                times[found..].select_nth_unstable(at - found);
                found = at;
            }
            ms(times[at])
        };
        let (median, p95, p99) = (rank(50), rank(95), rank(99));
        Some(Self { samples: times.len() as u64, min, median, p95, p99 })
    }
}

/// So few are sorted sooner.
const FEW: usize = 20;

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

    #[test]
    fn samples_of_many_are_those_of_each() {
        let mut random = Stream::new(1, 0, Purpose::Test);
        for owners in [1, 2, 7, 40] {
            let (mut many, mut each) = (SamplesOfMany::default(), vec![Samples::default(); owners]);
            for _ in 0..100 {
                // Not all have any.
                let owner = (random.below(owners as u64) as usize) & !1;
                let sample = Duration::from_micros(random.below(1_000_000));
                many.push(owner, sample);
                each[owner].push(sample);
            }
            let each: Vec<_> = each.iter().map(Samples::percentiles).collect();
            assert_eq!(many.percentiles(owners), each, "{owners} owners");
        }
    }
}

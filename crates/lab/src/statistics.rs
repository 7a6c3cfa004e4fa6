//! Means over seeds with their intervals, and shares that add up.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean over independent runs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The arithmetic mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval by Student's t distribution; `None` for a single run.
    pub ci95: Option<f64>,
    /// How many runs it is over.
    pub n: usize,
}

impl Estimate {
    /// The estimate over `values`; `None` where there are none, or one of them is infinite: how long something takes that did not end.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n == 0 || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let ci95 = (n > 1).then(|| {
            let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
            student_t(n - 1) * (squares / ((n - 1) * n) as f64).sqrt()
        });
        Some(Self { mean, ci95, n })
    }

    /// Whether two means differ clearly: their intervals do not overlap, and the smaller is more than 0.1 % below the
    /// larger. A single run has no interval.
    pub fn differs_from(self, other: Self) -> bool {
        let apart = (self.mean - other.mean).abs();
        apart > self.ci95.unwrap_or(0.0) + other.ci95.unwrap_or(0.0) && apart > LEAST * self.mean.max(other.mean)
    }
}

/// The median of `values`, which need not be sorted; `None` where there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len().is_multiple_of(2) { (sorted[middle - 1] + upper) / 2.0 } else { upper })
}

/// The quantile of Student's t distribution that 97.5 % do not exceed, for `freedom` degrees of freedom, from 1 up.
///
/// It is rounded to six decimals, so that the last digits of a platform's logarithms do not reach a result.
pub fn student_t(freedom: usize) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom as f64).expect("degrees of freedom are positive");
    (distribution.inverse_cdf(0.975) * 1e6).round() / 1e6
}

/// `parts` in tenths of a percent of their sum, rounded so that they add up to exactly 1,000: those with the largest
/// remainders are rounded up. All zero where the sum is zero.
pub fn per_mille(parts: &[f64]) -> Vec<u32> {
    let total: f64 = parts.iter().sum();
    if total <= 0.0 {
        return vec![0; parts.len()];
    }
    let exact: Vec<f64> = parts.iter().map(|part| part / total * 1_000.0).collect();
    let mut rounded: Vec<u32> = exact.iter().map(|part| part.floor() as u32).collect();
    let missing = 1_000u32.saturating_sub(rounded.iter().sum());
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    for &place in order.iter().take(missing as usize) {
        rounded[place] += 1;
    }
    rounded
}

/// Means whose difference is a smaller part of them than this are called equal.
const LEAST: f64 = 0.001;

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        let table = [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (120, 1.980)];
        for (freedom, expected) in table {
            assert!((student_t(freedom) - expected).abs() < 5e-4, "{freedom}: {}", student_t(freedom));
        }
    }

    #[test]
    fn an_interval_follows_from_the_spread() {
        // Mean 3, sample variance 2.5: half width 2.776445 * sqrt(2.5 / 5).
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("there are values");
        assert_eq!((estimate.mean, estimate.n), (3.0, 5));
        let half = estimate.ci95.expect("five values have an interval");
        assert!((half - 1.963_243).abs() < 1e-5, "{half}");
        assert_eq!(Estimate::of(&[7.0]), Some(Estimate { mean: 7.0, ci95: None, n: 1 }));
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[7.0, f64::INFINITY, 8.0]), None);
    }

    #[test]
    fn means_differ_clearly_only_beyond_their_intervals_and_a_thousandth() {
        let of = |mean, ci95| Estimate { mean, ci95, n: 3 };
        assert!(of(10.0, Some(1.0)).differs_from(of(12.1, Some(1.0))));
        assert!(!of(10.0, Some(1.0)).differs_from(of(11.9, Some(1.0))));
        assert!(of(10.0, None).differs_from(of(10.02, None)));
        assert!(!of(10.0, Some(0.0)).differs_from(of(10.01, Some(0.0))));
        assert!(!of(0.0, None).differs_from(of(0.0, None)));
    }

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(
            [median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0]), median(&[])],
            [Some(2.0), Some(2.5), None]
        );
    }

    #[test]
    fn shares_always_add_up_to_a_thousand() {
        assert_eq!(per_mille(&[1.0, 1.0, 1.0]), [334, 333, 333]);
        assert_eq!(per_mille(&[0.0, 0.0]), [0, 0]);
        for seed in 0..500 {
            let mut stream = Stream::new(seed, 0, Purpose::Test);
            let parts: Vec<f64> = (0..16).map(|_| stream.below(1_000_000) as f64).collect();
            let shares = per_mille(&parts);
            assert_eq!(shares.iter().sum::<u32>(), 1_000, "seed {seed}");
            let total: f64 = parts.iter().sum();
            for (share, part) in shares.iter().zip(&parts) {
                assert!((f64::from(*share) - part / total * 1_000.0).abs() < 1.0, "seed {seed}");
            }
        }
    }
}

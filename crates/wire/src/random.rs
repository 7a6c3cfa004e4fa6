//! Randomness as an argument: one independent stream for each component and purpose.
//!
//! A stream is fixed by the run's seed, the component's number and the purpose, so that adding a component
//! leaves every other stream's draws alone. The generator is xoshiro256++ and is pinned: the same
//! seed gives the same draws on every machine and in every later version.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// What a stream's draws decide. The numbers are part of every result: never reuse or reorder them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Purpose {
    /// Back-off counters of one station's channel access.
    Backoff = 1,
    /// Whether frames on the air are lost.
    AirLoss = 2,
    /// Whether packets on the wired part are lost, delayed or reordered.
    Wire = 3,
    /// Traffic: start times, sizes, on and off periods.
    Traffic = 4,
    /// Initial sequence numbers and other choices of a TCP endpoint.
    Tcp = 5,
    /// Where stations stand.
    Placement = 6,
    /// Draws of a scheme.
    Scheme = 7,
    /// Draws of a test or a fuzzer, never of a simulated component.
    Test = 8,
    /// Draws of a congestion controller: where BBR's gain cycle begins.
    Congestion = 9,
    /// What differs between hosts: how long one takes between its MAC and its transport.
    Host = 10,
    /// Whether packets are lost between a node's MAC and its transports.
    HostLoss = 11,
    /// How a link fades.
    Fading = 12,
    /// In which order a rate control tries rates.
    RateSampling = 13,
    /// The seed of a neighbouring cell's own streams.
    Neighbour = 14,
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of `component` for `purpose` in the run with this `seed`.
    pub fn new(seed: u64, component: u64, purpose: Purpose) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(mix(mix(mix(seed) ^ component) ^ purpose as u64)))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number from 0 to `bound - 1`, each equally likely; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Lemire's method: a wide product, rejecting the few low halves that would favour small results.
        if bound == 0 {
            return 0;
        }
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            if wide as u64 >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A number from 0 (included) to 1 (excluded), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`; draws nothing where `p` is 0 or less, or 1 or more.
    pub fn chance(&mut self, p: f64) -> bool {
        if p <= 0.0 {
            false
        } else if p >= 1.0 {
            true
        } else {
            self.unit() < p
        }
    }

    /// As many times [`chance`](Self::chance) as `count` says, 64 at most: bit n says how the nth came out, counted from 0.
    #[inline]
    pub fn chances(&mut self, p: f64, count: u32) -> u64 {
        debug_assert!(count <= 64, "there is a bit for each");
        if p <= 0.0 {
            return 0;
        }
        if p >= 1.0 {
            return u64::MAX.checked_shr(64 - count).unwrap_or(0);
        }
        // A unit is a whole number of steps, and lies below `p` where there are fewer than `p` has, rounded up.
        let steps = (p * (1u64 << 53) as f64).ceil() as u64;
        (0..count).fold(0, |outcomes, n| outcomes | u64::from(self.bits() >> 11 < steps) << n)
    }
}

/// A number from 0 (included) to 1 (excluded) that depends on the four arguments alone: a draw without a stream.
///
/// For outcomes that may be asked for late, or not at all (did a bystander decode that frame?),
/// and must then not depend on when they were asked for.
pub fn unit_of(seed: u64, component: u64, purpose: Purpose, event: u64) -> f64 {
    let bits = mix(mix(mix(mix(seed) ^ component) ^ purpose as u64) ^ event);
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// One step of SplitMix64: every bit of the argument reaches every bit of the result.
fn mix(x: u64) -> u64 {
    SplitMix64::seed_from_u64(x).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut stream = Stream::new(1, 2, Purpose::Backoff);
        let draws = [(); 4].map(|()| stream.below(1024));
        assert_eq!(draws, STREAM_1_2_BACKOFF);
    }

    #[test]
    fn a_draw_below_sixteen_is_uniform() {
        let mut stream = Stream::new(7, 0, Purpose::Test);
        let mut counts = [0u32; 16];
        for _ in 0..160_000 {
            counts[stream.below(16) as usize] += 1;
        }
        // Chi-square with 15 degrees of freedom stays under 37.7 with probability 0.999.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 37.7, "chi-square {chi2}");
    }

    #[test]
    fn certain_outcomes_draw_nothing() {
        let (mut a, mut b) = (Stream::new(3, 1, Purpose::Test), Stream::new(3, 1, Purpose::Test));
        assert!(!a.chance(0.0) && a.chance(1.0));
        assert_eq!(a.bits(), b.bits());
    }

    #[test]
    fn chances_are_as_many_draws_of_a_chance() {
        let mut random = Stream::new(4, 1, Purpose::Test);
        for round in 0..20_000 {
            // Any; a whole number of steps, where it matters on which side of a draw it lies; next to 0 and to 1; certain.
            let any = random.unit();
            let p = match round % 8 {
                0..4 => any,
                4 => random.clone().unit(),
                5 => any * f64::EPSILON,
                6 => 1.0 - any * f64::EPSILON,
                _ => [0.0, 1.0, -any, 1.0 + any, f64::NAN, f64::MIN_POSITIVE][round / 8 % 6],
            };
            let count = random.below(65) as u32;
            let mut alone = random.clone();
            let expected = (0..count).fold(0, |outcomes, n| outcomes | u64::from(alone.chance(p)) << n);
            assert_eq!(random.chances(p, count), expected, "{count} with {p:e}");
            assert_eq!(random.bits(), alone.bits(), "{count} with {p:e}");
        }
    }

    /// The first draws below 1,024 of the stream (1, 2, back-off), as first released.
    const STREAM_1_2_BACKOFF: [u64; 4] = [601, 347, 921, 1012];
}

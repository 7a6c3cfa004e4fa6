//! Values of several parts.

/// A distance in millimetres.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Distance(pub u64);

/// A probability.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Probability(f64);

impl Distance {
    /// Metres, for the propagation model and for printing.
    pub fn metres(self) -> f64 {
        self.0 as f64 * 1e-3
    }
}

impl Probability {
    /// Never.
    pub const NEVER: Self = Self(0.0);

    /// `p` as a probability, or `None` where it is not from 0 to 1.
    pub fn new(p: f64) -> Option<Self> {
        (0.0..=1.0).contains(&p).then_some(Self(p))
    }

    /// From 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_lies_between_never_and_always() {
        assert_eq!(Probability::new(0.25).map(Probability::get), Some(0.25));
        for bad in [-0.1, 1.000_1, f64::NAN, f64::INFINITY] {
            assert_eq!(Probability::new(bad), None, "{bad}");
        }
    }
}

//! Simulated time: a point ([`Instant`]) and a span ([`Duration`]), both whole nanoseconds.
//!
//! They are our own so that a test can build them from a number, print them usefully and store them,
//! and so that no machine is tempted to read a clock.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// A point in time: nanoseconds since the start of the run. Range: 0 to about 584 years.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

/// A span of time in nanoseconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens: a deadline that never comes.
    pub const FAR_FUTURE: Self = Self(u64::MAX);

    /// The point `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The point `micros` microseconds after the start.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// The point `millis` milliseconds after the start.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// The point `secs` seconds after the start.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for printing and plotting only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// The span from `earlier` to `self`, or zero if `earlier` is in fact later.
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, or [`Instant::FAR_FUTURE`] where that overflows.
    pub const fn saturating_add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The earlier of two times, where there is one.
    #[inline]
    pub fn earlier(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (None, only) | (only, None) => only,
        }
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of whole nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A span of whole microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// A span of whole milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// A span of whole seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// Seconds to the nearest nanosecond; negative and NaN become zero, too large saturates.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e9 + 0.5) as u64)
    }

    /// Whole nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds, rounded down.
    pub const fn as_micros_floor(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole microseconds, rounded up: how the Duration field is filled (802.11-2020, 9.2.5.1).
    pub const fn as_micros_ceil(self) -> u64 {
        self.0.div_ceil(1_000)
    }

    /// Microseconds, for printing and closed forms only.
    pub fn as_micros_f64(self) -> f64 {
        self.0 as f64 * 1e-3
    }

    /// Seconds, for printing and closed forms only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// `self - other`, or zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self * n`, or [`Duration::MAX`].
    pub const fn saturating_mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }

    /// How many whole `unit`s fit into `self`.
    ///
    /// # Panics
    /// If `unit` is zero.
    pub const fn div_floor(self, unit: Self) -> u64 {
        self.0 / unit.0
    }

    /// How many `unit`s cover `self`.
    ///
    /// # Panics
    /// If `unit` is zero.
    pub const fn div_ceil(self, unit: Self) -> u64 {
        self.0.div_ceil(unit.0)
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, span: Duration) {
        self.0 += span.0;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;
    /// Panics where the result would lie before the start of the run.
    fn sub(self, span: Duration) -> Self {
        Self(self.0.checked_sub(span.0).expect("an instant lies after the start of the run"))
    }
}

impl Sub for Instant {
    type Output = Duration;
    /// Panics where `earlier` is in fact later; see [`Instant::saturating_since`].
    fn sub(self, earlier: Self) -> Duration {
        Duration(self.0.checked_sub(earlier.0).expect("time does not run back"))
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Duration {
    type Output = Self;
    /// Panics where the result would be negative; see [`Duration::saturating_sub`].
    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).expect("a span is never negative"))
    }
}

impl SubAssign for Duration {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(self.0 * n)
    }
}

impl Div<u64> for Duration {
    type Output = Self;
    /// Rounds down to a whole nanosecond.
    fn div(self, n: u64) -> Self {
        Self(self.0 / n)
    }
}

impl std::iter::Sum for Duration {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Duration {
    /// The largest unit in which the value is exact to three decimals: `5ms`, `110.5us`, `1.25s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0 => return f.write_str("0s"),
            n if n >= 1_000_000_000 && n % 1_000_000 == 0 => (1e9, "s"),
            n if n >= 1_000_000 && n % 1_000 == 0 => (1e6, "ms"),
            n if n >= 1_000 => (1e3, "us"),
            _ => (1.0, "ns"),
        };
        write!(f, "{}{name}", self.0 as f64 / unit)
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_in_the_largest_exact_unit() {
        assert_eq!(Duration::from_nanos(110_500).to_string(), "110.5us");
        assert_eq!(Duration::from_millis(5).to_string(), "5ms");
        assert_eq!(Duration::from_millis(1250).to_string(), "1.25s");
        assert_eq!(Duration::from_nanos(7).to_string(), "7ns");
    }

    #[test]
    #[should_panic(expected = "time does not run back")]
    fn a_negative_span_is_a_bug() {
        let _ = Instant::ZERO - Instant::from_nanos(1);
    }
}

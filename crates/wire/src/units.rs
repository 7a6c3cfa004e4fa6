//! Amounts of data and rates. Kilo is 1,000 always; 1,024 is spelled KiB.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use crate::time::Duration;

/// An amount of data in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// A rate in bits per second. Range: 0 to about 18 Ebit/s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitRate(u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// 1,024 bytes, `n` times.
    pub const fn from_kib(n: u64) -> Self {
        Self(n * 1024)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bits.
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }

    /// `self - other`, or nothing.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The average rate of `self` over `span`, rounded down; zero over no time.
    pub const fn per(self, span: Duration) -> BitRate {
        if span.as_nanos() == 0 {
            return BitRate(0);
        }
        BitRate(share(self.0, 8_000_000_000, span.as_nanos()))
    }
}

impl BitRate {
    /// No rate: nothing is ever sent.
    pub const ZERO: Self = Self(0);

    /// Bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// 1,000 bits per second, `n` times.
    pub const fn from_kbps(n: u64) -> Self {
        Self(n * 1_000)
    }

    /// 1,000,000 bits per second, `n` times.
    pub const fn from_mbps(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    /// Bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// Millions of bits per second, for printing and closed forms only.
    pub fn mbps_f64(self) -> f64 {
        self.0 as f64 * 1e-6
    }

    /// How long `amount` takes at this rate, rounded up to a whole nanosecond.
    ///
    /// # Panics
    /// If the rate is zero.
    pub const fn time_ceil(self, amount: Bytes) -> Duration {
        // A packet's takes 64 bits, which divide several times as fast as 128.
        Duration::from_nanos(match amount.bits().checked_mul(1_000_000_000) {
            Some(bits) => bits.div_ceil(self.0),
            None => (amount.bits() as u128 * 1_000_000_000).div_ceil(self.0 as u128) as u64,
        })
    }

    /// How much this rate carries in `span`, rounded down to a whole byte.
    pub const fn amount_floor(self, span: Duration) -> Bytes {
        Bytes(share(self.0, span.as_nanos(), 8_000_000_000))
    }

    /// So many hundredths of it, rounded down.
    pub const fn percent(self, hundredths: u64) -> Self {
        Self(share(self.0, hundredths, 100))
    }
}

/// `amount` times `part` by `whole`, rounded down. Nearly all products have 64 bits, which divide several times as fast as 128.
#[inline(always)]
const fn share(amount: u64, part: u64, whole: u64) -> u64 {
    match amount.checked_mul(part) {
        Some(product) => product / whole,
        None => (amount as u128 * part as u128 / whole as u128) as u64,
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    /// Panics where the result would be negative.
    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).expect("an amount of data is never negative"))
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(self.0 * n)
    }
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n >= 1 << 20 && n % (1 << 20) == 0 => write!(f, "{}MiB", n >> 20),
            n if n >= 1 << 10 && n % (1 << 10) == 0 => write!(f, "{}KiB", n >> 10),
            n => write!(f, "{n}B"),
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n >= 1_000_000_000 && n % 1_000_000 == 0 => write!(f, "{}Gbps", n as f64 * 1e-9),
            n if n >= 1_000_000 => write!(f, "{}Mbps", n as f64 * 1e-6),
            n if n >= 1_000 => write!(f, "{}kbps", n as f64 * 1e-3),
            n => write!(f, "{n}bps"),
        }
    }
}

impl fmt::Debug for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_hundred_bytes_at_150_mbps_last_80_us() {
        assert_eq!(BitRate::from_mbps(150).time_ceil(Bytes(1500)), Duration::from_micros(80));
    }

    #[test]
    fn time_rounds_up_and_amount_rounds_down() {
        let rate = BitRate::from_mbps(3);
        assert_eq!(rate.time_ceil(Bytes(1)), Duration::from_nanos(2667));
        assert_eq!(rate.amount_floor(Duration::from_nanos(2666)), Bytes(0));
        assert_eq!(rate.amount_floor(Duration::from_nanos(2667)), Bytes(1));
    }

    #[test]
    fn what_exceeds_64_bits_on_the_way_is_exact() {
        // 2^64 / 8,000,000,000 is 2,305,843,009.2: the first amount stays below that, the second does not.
        let day = Duration::from_secs(86_400);
        for bytes in [2_305_843_009, 2_305_843_010, 1 << 40] {
            assert_eq!(Bytes(bytes).per(day).bps(), bytes * 8 / 86_400);
            assert_eq!(BitRate::from_bps(bytes * 8).amount_floor(day), Bytes(bytes * 86_400));
        }
        assert_eq!(BitRate::from_bps(u64::MAX / 99).percent(99).bps(), u64::MAX / 99 * 99 / 100);
        assert_eq!(BitRate::from_bps(1 << 63).percent(99).bps(), ((1u128 << 63) * 99 / 100) as u64);
    }
}

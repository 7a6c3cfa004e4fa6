//! What was lost of what was sent.

use std::iter::Sum;
use std::ops::AddAssign;

use ackless_wire::Bytes;

/// In some rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) lost: Bytes,
    pub(super) sent: Bytes,
}

impl Tally {
    pub(super) const NONE: Self = Self { lost: Bytes::ZERO, sent: Bytes::ZERO };

    /// In parts of a million; of nothing none.
    pub(super) fn share(self) -> u64 {
        (self.lost.get() * MILLION).checked_div(self.sent.get()).unwrap_or(0)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.sent += other.sent;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::NONE, |mut sum, one| {
            sum += one;
            sum
        })
    }
}

pub(super) const MILLION: u64 = 1_000_000;

//! How long an A-MPDU is (9.7.1, 10.12): delimiters, padding, and minimum MPDU start spacing.
//!
//! Each MPDU stands behind a delimiter of four bytes, and each but the last is padded to a multiple of four. The last
//! is not: HT sends it bare (9.7.1), and VHT pads it as part of the EOF padding, which fills the last symbol after the
//! duration has been computed (10.12.6), see [`VhtMode::padded_psdu`](crate::VhtMode::padded_psdu).

use ackless_wire::{BitRate, Bytes, Duration};

use crate::tx_vector::TxVector;

/// The length of an A-MPDU that grows MPDU by MPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AmpduLength {
    /// The least distance from one subframe's start to the next one's, a multiple of four.
    gap: u64,
    /// Where the last subframe starts.
    start: u64,
    /// Where it ends, not padded: the length so far.
    end: u64,
    mpdus: u64,
}

/// Minimum MPDU Start Spacing: the least time, at the PHY's rate, from one MPDU's start to the next one's that a
/// receiver can bear (the A-MPDU Parameters field of the HT Capabilities element).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum MpduSpacing {
    /// No restriction.
    #[default]
    None,
    /// 1/4 us.
    QuarterMicro,
    /// 1/2 us.
    HalfMicro,
    /// 1 us.
    Micros1,
    /// 2 us.
    Micros2,
    /// 4 us.
    Micros4,
    /// 8 us.
    Micros8,
    /// 16 us.
    Micros16,
}

impl AmpduLength {
    /// An A-MPDU without MPDUs, to be sent by `vector` to a receiver that needs this `spacing`.
    pub const fn new(vector: TxVector, spacing: MpduSpacing) -> Self {
        Self { gap: spacing.bytes(vector.rate()).get().next_multiple_of(PAD), start: 0, end: 0, mpdus: 0 }
    }

    /// The length so far: what the PHY takes as its PSDU.
    pub const fn len(&self) -> Bytes {
        Bytes(self.end)
    }

    /// Whether there is no MPDU yet.
    pub const fn is_empty(&self) -> bool {
        self.mpdus == 0
    }

    /// How many MPDUs are in it.
    pub const fn mpdus(&self) -> u64 {
        self.mpdus
    }

    /// The longest MPDU with which this A-MPDU stays within a `budget`; zero where none does.
    pub const fn room(self, budget: Bytes) -> Bytes {
        Bytes(budget.get().saturating_sub(self.with(Bytes::ZERO).end))
    }

    /// This A-MPDU with one more MPDU of `mpdu` bytes, header and FCS included.
    ///
    /// Where the spacing asks for more than the padding gives, delimiters of length zero fill the gap (10.12.3).
    #[must_use]
    pub const fn with(self, mpdu: Bytes) -> Self {
        let start = if self.is_empty() {
            0
        } else {
            let (padded, spaced) = (self.end.next_multiple_of(PAD), self.start + self.gap);
            if padded > spaced { padded } else { spaced }
        };
        Self { start, end: start + DELIMITER.get() + mpdu.get(), mpdus: self.mpdus + 1, ..self }
    }
}

impl MpduSpacing {
    /// Every value, in the order of its code 0 to 7 on the air.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::QuarterMicro,
        Self::HalfMicro,
        Self::Micros1,
        Self::Micros2,
        Self::Micros4,
        Self::Micros8,
        Self::Micros16,
    ];

    /// The spacing as a time.
    pub const fn duration(self) -> Duration {
        match self {
            Self::None => Duration::ZERO,
            Self::QuarterMicro => Duration::from_nanos(250),
            Self::HalfMicro => Duration::from_nanos(500),
            Self::Micros1 => Duration::from_nanos(1_000),
            Self::Micros2 => Duration::from_nanos(2_000),
            Self::Micros4 => Duration::from_nanos(4_000),
            Self::Micros8 => Duration::from_nanos(8_000),
            Self::Micros16 => Duration::from_nanos(16_000),
        }
    }

    /// The bytes that `rate` sends in this time, rounded up.
    pub const fn bytes(self, rate: BitRate) -> Bytes {
        Bytes((self.duration().as_nanos() * rate.bps()).div_ceil(8_000_000_000))
    }
}

/// The delimiter before each MPDU of an A-MPDU.
pub const DELIMITER: Bytes = Bytes(4);

/// The longest MPDU in an A-MPDU of HT: what 12 bits of the delimiter can say (9.7.1).
pub const MAX_HT_MPDU: Bytes = Bytes(4_095);

/// The longest MPDU of VHT (Table 9-25).
pub const MAX_VHT_MPDU: Bytes = Bytes(11_454);

/// Subframes start at multiples of this many bytes.
const PAD: u64 = 4;

#[cfg(test)]
mod tests;

//! 802.11n (clause 19): HT-mixed format, BCC, equal modulation, 1 to 4 streams.

use std::fmt;

use ackless_wire::{BitRate, Bytes, Duration};

use crate::coding::{self, Band, Coding, GuardInterval, Width};
use crate::mode_error::ModeError;

/// How an HT-mixed PPDU is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HtMode {
    mcs: u8,
    width: Width,
    guard: GuardInterval,
    band: Band,
}

impl HtMode {
    /// The longest PSDU, and so the longest A-MPDU (aPSDUMaxLength, Table 19-25).
    pub const MAX_PSDU: Bytes = Bytes(65_535);

    /// A mode: `mcs` from 0 to 31 (eight for each number of streams), `width` of 20 or 40 MHz.
    ///
    /// # Errors
    /// [`ModeError::NoHtMcs`] or [`ModeError::NoHtWidth`].
    pub const fn new(mcs: u8, width: Width, guard: GuardInterval, band: Band) -> Result<Self, ModeError> {
        if mcs > 31 {
            return Err(ModeError::NoHtMcs { mcs });
        }
        match width {
            Width::Mhz20 | Width::Mhz40 => Ok(Self { mcs, width, guard, band }),
            Width::Mhz80 | Width::Mhz160 => Err(ModeError::NoHtWidth { width }),
        }
    }

    /// The MCS index, 0 to 31.
    pub const fn mcs(self) -> u8 {
        self.mcs
    }

    /// N_SS, spatial streams, 1 to 4.
    pub const fn streams(self) -> u64 {
        self.mcs as u64 / 8 + 1
    }

    /// The channel width.
    pub const fn width(self) -> Width {
        self.width
    }

    /// The guard interval.
    pub const fn guard(self) -> GuardInterval {
        self.guard
    }

    /// The band.
    pub const fn band(self) -> Band {
        self.band
    }

    /// Modulation and code rate.
    pub const fn coding(self) -> Coding {
        Coding::of_mcs(self.mcs % 8).expect("every HT MCS has one of the first eight codings")
    }

    /// N_DBPS, data bits per symbol (Tables 19-27 to 19-34).
    pub const fn bits_per_symbol(self) -> u64 {
        let coding = self.coding();
        coding.data_bits(self.width.data_subcarriers() * coding.modulation.bits() * self.streams())
    }

    /// N_ES, BCC encoders: 1, and 2 where the rate exceeds 300 Mbps with the short guard interval, that is, more than
    /// 1,080 bits per symbol (Tables 19-27 to 19-34).
    pub const fn encoders(self) -> u64 {
        if self.bits_per_symbol() > 1_080 { 2 } else { 1 }
    }

    /// N_HT-LTF, long training fields: 1, 2, 4 and 4 for 1 to 4 streams (Table 19-13).
    pub const fn training_fields(self) -> u64 {
        match self.streams() {
            1 => 1,
            2 => 2,
            _ => 4,
        }
    }

    pub(crate) const fn rate(self) -> BitRate {
        self.guard.rate(self.bits_per_symbol())
    }

    /// L-STF 8, L-LTF 8, L-SIG 4, HT-SIG 8, HT-STF 4 and 4 for each HT-LTF (19.3.9, Table 19-6).
    pub(crate) const fn preamble(self) -> Duration {
        Duration::from_micros(8 + 8 + 4 + 8 + 4 + 4 * self.training_fields())
    }

    pub(crate) const fn payload(self, psdu: Bytes) -> Duration {
        self.guard.span(coding::symbols(psdu, self.bits_per_symbol(), self.encoders()))
    }

    pub(crate) const fn psdu_in(self, room: Duration) -> Option<Bytes> {
        coding::psdu_in(self.guard.symbols_in(room), self.bits_per_symbol(), self.encoders())
    }
}

impl fmt::Display for HtMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HT MCS {}, {}, {}", self.mcs, self.width, self.guard)
    }
}

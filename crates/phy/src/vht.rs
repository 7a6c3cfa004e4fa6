//! 802.11ac (clause 21): single-user VHT PPDUs with BCC, 20 to 160 MHz, 1 to 8 streams, in the 5 GHz band.

use std::fmt;

use ackless_wire::{BitRate, Bytes, Duration};

use crate::coding::{self, Coding, GuardInterval, Width};
use crate::mode_error::ModeError;

/// How a VHT PPDU is sent.
///
/// Its payload is always an A-MPDU, of one MPDU too (9.7.1): a frame sent alone has a delimiter of four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VhtMode {
    mcs: u8,
    streams: u8,
    encoders: u8,
    width: Width,
    guard: GuardInterval,
}

impl VhtMode {
    /// The longest A-MPDU before its EOF padding (Table 21-29, Maximum A-MPDU Length Exponent 7).
    pub const MAX_APEP: Bytes = Bytes(1_048_575);

    /// A mode: `mcs` from 0 to 9, `streams` from 1 to 8.
    ///
    /// # Errors
    /// [`ModeError::NoVhtMcs`] or [`ModeError::NoVhtStreams`] outside those ranges, [`ModeError::VhtExcluded`] for the
    /// ten combinations that the tables of 21.5 leave out, as their coded bits do not divide among the encoders.
    pub const fn new(mcs: u8, streams: u8, width: Width, guard: GuardInterval) -> Result<Self, ModeError> {
        if mcs > 9 {
            return Err(ModeError::NoVhtMcs { mcs });
        }
        if streams == 0 || streams > 8 {
            return Err(ModeError::NoVhtStreams { streams });
        }
        let excluded = match (width, mcs) {
            (Width::Mhz20, 9) => !matches!(streams, 3 | 6),
            (Width::Mhz80, 6) => matches!(streams, 3 | 7),
            (Width::Mhz80, 9) => streams == 6,
            (Width::Mhz160, 9) => streams == 3,
            _ => false,
        };
        if excluded {
            return Err(ModeError::VhtExcluded { mcs, streams, width });
        }
        let encoders = encoders(mcs, streams, width);
        Ok(Self { mcs, streams, encoders, width, guard })
    }

    /// The MCS index, 0 to 9.
    pub const fn mcs(self) -> u8 {
        self.mcs
    }

    /// N_SS, spatial streams, 1 to 8.
    pub const fn streams(self) -> u64 {
        self.streams as u64
    }

    /// The channel width.
    pub const fn width(self) -> Width {
        self.width
    }

    /// The guard interval.
    pub const fn guard(self) -> GuardInterval {
        self.guard
    }

    /// Modulation and code rate.
    pub const fn coding(self) -> Coding {
        coding(self.mcs)
    }

    /// N_DBPS, data bits per symbol (Tables 21-30 to 21-61).
    pub const fn bits_per_symbol(self) -> u64 {
        let coding = self.coding();
        coding.data_bits(coded_bits(coding, self.streams, self.width))
    }

    /// N_ES, BCC encoders, 1 to 12 (Tables 21-30 to 21-61).
    pub const fn encoders(self) -> u64 {
        self.encoders as u64
    }

    /// N_VHT-LTF, long training fields: 1, 2, 4, 4, 6, 6, 8 and 8 for 1 to 8 streams (Table 21-13).
    pub const fn training_fields(self) -> u64 {
        match self.streams {
            1 => 1,
            streams => streams.next_multiple_of(2) as u64,
        }
    }

    /// PSDU_LENGTH: the bytes that are in the payload once EOF padding has filled the last symbol (21.4.3).
    pub const fn padded_psdu(self, apep: Bytes) -> Bytes {
        let (bits, encoders) = (self.bits_per_symbol(), self.encoders());
        coding::psdu_in(coding::symbols(apep, bits, encoders), bits, encoders)
            .expect("the symbols for a PSDU hold SERVICE field and tail")
    }

    pub(crate) const fn rate(self) -> BitRate {
        self.guard.rate(self.bits_per_symbol())
    }

    /// L-STF 8, L-LTF 8, L-SIG 4, VHT-SIG-A 8, VHT-STF 4, 4 for each VHT-LTF, and VHT-SIG-B 4 (21.3.2, Table 21-5).
    pub(crate) const fn preamble(self) -> Duration {
        Duration::from_micros(8 + 8 + 4 + 8 + 4 + 4 * self.training_fields() + 4)
    }

    /// By the length before EOF padding, which fills the last symbol (21.4.3).
    pub(crate) const fn payload(self, apep: Bytes) -> Duration {
        self.guard.span(coding::symbols(apep, self.bits_per_symbol(), self.encoders()))
    }

    pub(crate) const fn psdu_in(self, room: Duration) -> Option<Bytes> {
        coding::psdu_in(self.guard.symbols_in(room), self.bits_per_symbol(), self.encoders())
    }
}

impl fmt::Display for VhtMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VHT MCS {}, {} SS, {}, {}", self.mcs, self.streams, self.width, self.guard)
    }
}

const fn coding(mcs: u8) -> Coding {
    Coding::of_mcs(mcs).expect("a VHT MCS is at most 9")
}

/// N_CBPS.
const fn coded_bits(coding: Coding, streams: u8, width: Width) -> u64 {
    width.data_subcarriers() * coding.modulation.bits() * streams as u64
}

/// N_ES as the tables of 21.5 have it: the least number that leaves each encoder at most 600 Mbps with the short guard
/// interval (2,160 bits per symbol) and a whole number of puncturing blocks of coded bits (21.3.10.5).
const fn encoders(mcs: u8, streams: u8, width: Width) -> u8 {
    let coding = coding(mcs);
    let coded = coded_bits(coding, streams, width);
    let mut encoders = coding.data_bits(coded).div_ceil(2_160);
    while !coded.is_multiple_of(encoders * coding.code_rate.denominator()) {
        encoders += 1;
    }
    encoders as u8
}

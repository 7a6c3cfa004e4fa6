//! 802.11a (clause 17) and 802.11g (ERP-OFDM, clause 18): non-HT OFDM in 20 MHz.

use std::fmt;

use ackless_wire::{BitRate, Bytes, Duration};

use crate::coding::{self, Band, CodeRate, Coding, Modulation};

/// How a non-HT OFDM PPDU is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OfdmMode {
    /// The rate of the payload.
    pub rate: OfdmRate,
    /// The band: it decides whether a signal extension follows.
    pub band: Band,
}

/// A rate of non-HT OFDM in 20 MHz (Table 17-4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OfdmRate {
    /// 6 Mbps, BPSK 1/2; mandatory.
    Mbps6,
    /// 9 Mbps, BPSK 3/4.
    Mbps9,
    /// 12 Mbps, QPSK 1/2; mandatory.
    Mbps12,
    /// 18 Mbps, QPSK 3/4.
    Mbps18,
    /// 24 Mbps, 16-QAM 1/2; mandatory.
    Mbps24,
    /// 36 Mbps, 16-QAM 3/4.
    Mbps36,
    /// 48 Mbps, 64-QAM 2/3.
    Mbps48,
    /// 54 Mbps, 64-QAM 3/4.
    Mbps54,
}

impl OfdmMode {
    /// The longest PSDU: what the LENGTH subfield of 12 bits can say (17.3.4.3).
    pub const MAX_PSDU: Bytes = Bytes(4095);

    /// The duration of a symbol (Table 17-5).
    pub const SYMBOL: Duration = Duration::from_micros(4);

    /// Short and long training, and the SIGNAL symbol (17.4.3: T_PREAMBLE + T_SIGNAL).
    pub const PREAMBLE: Duration = Duration::from_micros(16 + 4);

    /// A mode.
    pub const fn new(rate: OfdmRate, band: Band) -> Self {
        Self { rate, band }
    }

    pub(crate) const fn payload(self, psdu: Bytes) -> Duration {
        Duration::from_micros(4 * coding::symbols(psdu, self.rate.bits_per_symbol(), 1))
    }

    pub(crate) const fn psdu_in(self, room: Duration) -> Option<Bytes> {
        coding::psdu_in(room.div_floor(Self::SYMBOL), self.rate.bits_per_symbol(), 1)
    }
}

impl OfdmRate {
    /// Every rate, lowest first.
    pub const ALL: [Self; 8] =
        [Self::Mbps6, Self::Mbps9, Self::Mbps12, Self::Mbps18, Self::Mbps24, Self::Mbps36, Self::Mbps48, Self::Mbps54];

    /// N_DBPS, data bits per symbol (Table 17-4).
    pub const fn bits_per_symbol(self) -> u64 {
        match self {
            Self::Mbps6 => 24,
            Self::Mbps9 => 36,
            Self::Mbps12 => 48,
            Self::Mbps18 => 72,
            Self::Mbps24 => 96,
            Self::Mbps36 => 144,
            Self::Mbps48 => 192,
            Self::Mbps54 => 216,
        }
    }

    /// The rate in bits per second.
    pub const fn bits(self) -> BitRate {
        BitRate::from_bps(self.bits_per_symbol() * 250_000)
    }

    /// Modulation and code rate.
    pub const fn coding(self) -> Coding {
        use CodeRate::{Half, ThreeQuarters, TwoThirds};
        use Modulation::{Bpsk, Qam16, Qam64, Qpsk};
        let (modulation, code_rate) = match self {
            Self::Mbps6 => (Bpsk, Half),
            Self::Mbps9 => (Bpsk, ThreeQuarters),
            Self::Mbps12 => (Qpsk, Half),
            Self::Mbps18 => (Qpsk, ThreeQuarters),
            Self::Mbps24 => (Qam16, Half),
            Self::Mbps36 => (Qam16, ThreeQuarters),
            Self::Mbps48 => (Qam64, TwoThirds),
            Self::Mbps54 => (Qam64, ThreeQuarters),
        };
        Coding { modulation, code_rate }
    }

    /// The non-HT reference rate of an HT or VHT frame that is coded so (10.6.11, Table 10-10).
    ///
    /// Every modulation above 64-QAM 2/3 refers to 54 Mbps.
    pub const fn non_ht_reference(coding: Coding) -> Self {
        match (coding.modulation, coding.code_rate) {
            (Modulation::Bpsk, CodeRate::Half) => Self::Mbps6,
            (Modulation::Bpsk, _) => Self::Mbps9,
            (Modulation::Qpsk, CodeRate::Half) => Self::Mbps12,
            (Modulation::Qpsk, _) => Self::Mbps18,
            (Modulation::Qam16, CodeRate::Half) => Self::Mbps24,
            (Modulation::Qam16, _) => Self::Mbps36,
            (Modulation::Qam64, CodeRate::Half | CodeRate::TwoThirds) => Self::Mbps48,
            (Modulation::Qam64 | Modulation::Qam256, _) => Self::Mbps54,
        }
    }
}

impl fmt::Display for OfdmMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OFDM {}", self.rate.bits())
    }
}

//! What the OFDM PHYs share: modulation, code rate, channel width, guard interval, and the count of symbols.

use std::fmt;

use ackless_wire::{BitRate, Bytes, Duration};

/// The part of the spectrum that a cell runs in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Band {
    /// 2.4 GHz: OFDM transmissions are followed by 6 us of signal extension (18.5.3, 19.4.3).
    Ghz2_4,
    /// 5 GHz.
    Ghz5,
}

/// The width of the channel that a PPDU fills.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// 20 MHz.
    Mhz20,
    /// 40 MHz (HT and VHT).
    Mhz40,
    /// 80 MHz (VHT).
    Mhz80,
    /// 160 MHz in one piece, or 80+80 MHz, which lasts as long (VHT).
    Mhz160,
}

/// The guard interval before each OFDM symbol of an HT or VHT payload.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GuardInterval {
    /// 800 ns: symbols of 4 us.
    Long,
    /// 400 ns: symbols of 3.6 us.
    Short,
}

/// How an OFDM subcarrier carries bits (17.3.5.8, 21.3.10.9).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Modulation {
    /// 1 bit per subcarrier.
    Bpsk,
    /// 2 bits per subcarrier.
    Qpsk,
    /// 4 bits per subcarrier.
    Qam16,
    /// 6 bits per subcarrier.
    Qam64,
    /// 8 bits per subcarrier.
    Qam256,
}

/// The rate of the binary convolutional code (17.3.5.6, 19.3.11).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CodeRate {
    /// 1/2, the code unpunctured.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 5/6.
    FiveSixths,
}

/// A modulation with a code rate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Coding {
    /// The modulation.
    pub modulation: Modulation,
    /// The code rate.
    pub code_rate: CodeRate,
}

impl Band {
    /// aSignalExtension (18.5.3, 19.4.3): 6 us in 2.4 GHz, else none.
    pub(crate) const fn signal_extension(self) -> Duration {
        match self {
            Self::Ghz2_4 => Duration::from_micros(6),
            Self::Ghz5 => Duration::ZERO,
        }
    }
}

impl Width {
    /// The width in MHz.
    pub const fn mhz(self) -> u64 {
        match self {
            Self::Mhz20 => 20,
            Self::Mhz40 => 40,
            Self::Mhz80 => 80,
            Self::Mhz160 => 160,
        }
    }

    /// N_SD, the data subcarriers of an HT or VHT symbol (Tables 19-6 and 21-5).
    pub const fn data_subcarriers(self) -> u64 {
        match self {
            Self::Mhz20 => 52,
            Self::Mhz40 => 108,
            Self::Mhz80 => 234,
            Self::Mhz160 => 468,
        }
    }
}

impl GuardInterval {
    /// The duration of an HT or VHT payload symbol with this guard interval.
    pub const fn symbol(self) -> Duration {
        match self {
            Self::Long => Duration::from_nanos(4_000),
            Self::Short => Duration::from_nanos(3_600),
        }
    }

    /// The data rate that `bits` per symbol make, rounded down to a whole bit per second.
    pub(crate) const fn rate(self, bits: u64) -> BitRate {
        match self {
            Self::Long => BitRate::from_bps(bits * 250_000),
            Self::Short => BitRate::from_bps(bits * 2_500_000 / 9),
        }
    }

    /// How long `symbols` last: with the short guard interval, rounded up to whole symbols of 4 us, as TXTIME has it
    /// (19.4.3 and 21.4.3).
    pub(crate) const fn span(self, symbols: u64) -> Duration {
        match self {
            Self::Long => Duration::from_micros(4 * symbols),
            Self::Short => Duration::from_micros(4 * (symbols * 9).div_ceil(10)),
        }
    }

    /// How many symbols may start so that [`span`](Self::span) is at most `room`.
    pub(crate) const fn symbols_in(self, room: Duration) -> u64 {
        let whole = room.div_floor(Duration::from_micros(4));
        match self {
            Self::Long => whole,
            Self::Short => whole * 10 / 9,
        }
    }
}

impl Modulation {
    /// N_BPSCS, coded bits per subcarrier.
    pub const fn bits(self) -> u64 {
        match self {
            Self::Bpsk => 1,
            Self::Qpsk => 2,
            Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Qam256 => 8,
        }
    }
}

impl CodeRate {
    /// The coded bits of a puncturing block.
    pub(crate) const fn denominator(self) -> u64 {
        match self {
            Self::Half => 2,
            Self::TwoThirds => 3,
            Self::ThreeQuarters => 4,
            Self::FiveSixths => 6,
        }
    }
}

impl Coding {
    /// The coding of an HT MCS modulo 8 or of a VHT MCS (Tables 19-27 to 19-34 and 21-30 to 21-61); nothing past 9.
    pub const fn of_mcs(index: u8) -> Option<Self> {
        use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
        use Modulation::{Bpsk, Qam16, Qam64, Qam256, Qpsk};
        let (modulation, code_rate) = match index {
            0 => (Bpsk, Half),
            1 => (Qpsk, Half),
            2 => (Qpsk, ThreeQuarters),
            3 => (Qam16, Half),
            4 => (Qam16, ThreeQuarters),
            5 => (Qam64, TwoThirds),
            6 => (Qam64, ThreeQuarters),
            7 => (Qam64, FiveSixths),
            8 => (Qam256, ThreeQuarters),
            9 => (Qam256, FiveSixths),
            _ => return None,
        };
        Some(Self { modulation, code_rate })
    }

    /// N_DBPS, the data bits that `coded` bits carry, rounded down.
    pub(crate) const fn data_bits(self, coded: u64) -> u64 {
        match self.code_rate {
            CodeRate::Half => coded / 2,
            CodeRate::TwoThirds => coded * 2 / 3,
            CodeRate::ThreeQuarters => coded * 3 / 4,
            CodeRate::FiveSixths => coded * 5 / 6,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MHz", self.mhz())
    }
}

impl fmt::Display for GuardInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Long => "800 ns GI",
            Self::Short => "400 ns GI",
        })
    }
}

/// N_SYM: the symbols that hold SERVICE field, PSDU and tail bits (17.4.3, 19.4.3, 21.4.3).
pub(crate) const fn symbols(psdu: Bytes, bits_per_symbol: u64, encoders: u64) -> u64 {
    (SERVICE_BITS + psdu.bits() + TAIL_BITS * encoders).div_ceil(bits_per_symbol)
}

/// The longest PSDU that `symbols` hold; nothing if not even SERVICE field and tail fit.
pub(crate) const fn psdu_in(symbols: u64, bits_per_symbol: u64, encoders: u64) -> Option<Bytes> {
    match (symbols * bits_per_symbol).checked_sub(SERVICE_BITS + TAIL_BITS * encoders) {
        Some(bits) => Some(Bytes(bits / 8)),
        None => None,
    }
}

/// The SERVICE field before the PSDU (17.3.5.2).
const SERVICE_BITS: u64 = 16;
/// The tail after the PSDU, for each BCC encoder (17.3.5.3, 19.3.11.3).
const TAIL_BITS: u64 = 6;

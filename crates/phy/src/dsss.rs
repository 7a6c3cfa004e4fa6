//! 802.11b: DSSS at 1 and 2 Mbps (clause 15) and HR/DSSS at 5.5 and 11 Mbps with CCK (clause 16).

use std::fmt;

use ackless_wire::{BitRate, Bytes, Duration};

use crate::mode_error::ModeError;

/// How a DSSS or HR/DSSS PPDU is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DsssMode {
    rate: DsssRate,
    preamble: Preamble,
}

/// A rate of 802.11b.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DsssRate {
    /// 1 Mbps, DBPSK.
    Mbps1,
    /// 2 Mbps, DQPSK.
    Mbps2,
    /// 5.5 Mbps, CCK with 4 bits per symbol.
    Mbps5_5,
    /// 11 Mbps, CCK with 8 bits per symbol.
    Mbps11,
}

/// The preamble and header format of an HR/DSSS PPDU (16.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Preamble {
    /// 144 us preamble and 48 us header, both at 1 Mbps.
    Long,
    /// 72 us preamble at 1 Mbps and 24 us header at 2 Mbps; not with a payload at 1 Mbps.
    Short,
}

impl DsssMode {
    /// The longest PSDU (aMPDUMaxLength, Table 16-4).
    pub const MAX_PSDU: Bytes = Bytes(4095);

    /// A mode.
    ///
    /// # Errors
    /// [`ModeError::ShortPreambleAt1Mbps`] for that pair, which does not exist (16.2.2.3).
    pub const fn new(rate: DsssRate, preamble: Preamble) -> Result<Self, ModeError> {
        match (rate, preamble) {
            (DsssRate::Mbps1, Preamble::Short) => Err(ModeError::ShortPreambleAt1Mbps),
            _ => Ok(Self { rate, preamble }),
        }
    }

    /// `rate` with the long preamble.
    pub const fn long(rate: DsssRate) -> Self {
        Self { rate, preamble: Preamble::Long }
    }

    /// `rate` with `preamble` where that exists, else with the long one.
    pub const fn with_preamble_if_allowed(rate: DsssRate, preamble: Preamble) -> Self {
        match Self::new(rate, preamble) {
            Ok(mode) => mode,
            Err(_) => Self::long(rate),
        }
    }

    /// The rate of the payload.
    pub const fn data_rate(self) -> DsssRate {
        self.rate
    }

    /// The format of preamble and header.
    pub const fn preamble_format(self) -> Preamble {
        self.preamble
    }

    pub(crate) const fn preamble(self) -> Duration {
        match self.preamble {
            Preamble::Long => Duration::from_micros(192),
            Preamble::Short => Duration::from_micros(96),
        }
    }

    /// The PSDU in whole microseconds, rounded up (15.3.4, 16.3.4).
    pub(crate) const fn payload(self, psdu: Bytes) -> Duration {
        let micros = match self.rate {
            DsssRate::Mbps1 => psdu.bits(),
            DsssRate::Mbps2 => psdu.bits() / 2,
            DsssRate::Mbps5_5 => (2 * psdu.bits()).div_ceil(11),
            DsssRate::Mbps11 => psdu.bits().div_ceil(11),
        };
        Duration::from_micros(micros)
    }

    /// The longest PSDU whose payload takes at most `room`.
    pub(crate) const fn psdu_in(self, room: Duration) -> Bytes {
        self.rate.bits().amount_floor(Duration::from_micros(room.as_micros_floor()))
    }

    /// The duration of a payload symbol: 1 us, or 8 chips of CCK, 727 ns (8/11 us, rounded down).
    pub(crate) const fn symbol(self) -> Duration {
        match self.rate {
            DsssRate::Mbps1 | DsssRate::Mbps2 => Duration::from_nanos(1_000),
            DsssRate::Mbps5_5 | DsssRate::Mbps11 => Duration::from_nanos(727),
        }
    }

    pub(crate) const fn bits_per_symbol(self) -> u64 {
        match self.rate {
            DsssRate::Mbps1 => 1,
            DsssRate::Mbps2 => 2,
            DsssRate::Mbps5_5 => 4,
            DsssRate::Mbps11 => 8,
        }
    }
}

impl DsssRate {
    /// Every rate, lowest first. All are mandatory for HR/DSSS (16.1.1).
    pub const ALL: [Self; 4] = [Self::Mbps1, Self::Mbps2, Self::Mbps5_5, Self::Mbps11];

    /// The rate in bits per second.
    pub const fn bits(self) -> BitRate {
        match self {
            Self::Mbps1 => BitRate::from_mbps(1),
            Self::Mbps2 => BitRate::from_mbps(2),
            Self::Mbps5_5 => BitRate::from_kbps(5_500),
            Self::Mbps11 => BitRate::from_mbps(11),
        }
    }
}

impl fmt::Display for DsssMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let preamble = match self.preamble {
            Preamble::Long => "long",
            Preamble::Short => "short",
        };
        write!(f, "DSSS {}, {preamble} preamble", self.rate.bits())
    }
}

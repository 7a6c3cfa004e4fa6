//! How a PPDU is sent, and what follows from it: duration, rate, longest PSDU and the rate of the answer.

use std::fmt;

use ackless_wire::{BitRate, Bytes, Duration};

use crate::basic_rates::{BasicRates, LegacyRate};
use crate::coding::{Band, Coding, Width};
use crate::dsss::{DsssMode, DsssRate};
use crate::ht::HtMode;
use crate::ofdm::{OfdmMode, OfdmRate};
use crate::vht::VhtMode;

/// How a PPDU is sent: its format and all that decides its duration but the length.
///
/// A value is always one that the standard allows. HE (802.11ax, symbols of 12.8 us and a guard interval) will be a
/// fifth variant.
///
/// The *PSDU* of the methods is what the MAC hands over: one MPDU, or an A-MPDU. For VHT it is the A-MPDU before EOF
/// padding (APEP), which then fills the last symbol and so costs no time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TxVector {
    /// 802.11b.
    Dsss(DsssMode),
    /// 802.11a, and 802.11g's OFDM.
    Ofdm(OfdmMode),
    /// 802.11n.
    Ht(HtMode),
    /// 802.11ac.
    Vht(VhtMode),
}

impl TxVector {
    /// The time that a PPDU with `psdu` occupies the medium: preamble, PHY headers, payload, and the signal extension
    /// of OFDM in the 2.4 GHz band (TXTIME of 15.3.4, 16.3.4, 17.4.3, 18.5.3, 19.4.3 and 21.4.3).
    pub const fn duration(self, psdu: Bytes) -> Duration {
        let nanos =
            self.preamble().as_nanos() + self.payload_duration(psdu).as_nanos() + self.signal_extension().as_nanos();
        Duration::from_nanos(nanos)
    }

    /// Everything before the payload's first symbol: preamble, PHY headers and all training fields.
    pub const fn preamble(self) -> Duration {
        match self {
            Self::Dsss(mode) => mode.preamble(),
            Self::Ofdm(_) => OfdmMode::PREAMBLE,
            Self::Ht(mode) => mode.preamble(),
            Self::Vht(mode) => mode.preamble(),
        }
    }

    /// The silence that belongs to an OFDM PPDU in the 2.4 GHz band: 6 us, else none.
    pub const fn signal_extension(self) -> Duration {
        match self {
            Self::Ofdm(OfdmMode { band, .. }) => band.signal_extension(),
            Self::Ht(mode) => mode.band().signal_extension(),
            Self::Dsss(_) | Self::Vht(_) => Duration::ZERO,
        }
    }

    /// The payload's part of [`duration`](Self::duration): SERVICE field, PSDU, tail and the padding to whole symbols.
    pub const fn payload_duration(self, psdu: Bytes) -> Duration {
        match self {
            Self::Dsss(mode) => mode.payload(psdu),
            Self::Ofdm(mode) => mode.payload(psdu),
            Self::Ht(mode) => mode.payload(psdu),
            Self::Vht(mode) => mode.payload(psdu),
        }
    }

    /// The data rate of the payload, rounded down to a whole bit per second: 150 Mbps for HT MCS 7, 40 MHz, short GI.
    pub const fn rate(self) -> BitRate {
        match self {
            Self::Dsss(mode) => mode.data_rate().bits(),
            Self::Ofdm(mode) => mode.rate.bits(),
            Self::Ht(mode) => mode.rate(),
            Self::Vht(mode) => mode.rate(),
        }
    }

    /// The duration of one payload symbol; for CCK 727 ns, which is 8/11 us rounded down.
    pub const fn symbol(self) -> Duration {
        match self {
            Self::Dsss(mode) => mode.symbol(),
            Self::Ofdm(_) => OfdmMode::SYMBOL,
            Self::Ht(mode) => mode.guard().symbol(),
            Self::Vht(mode) => mode.guard().symbol(),
        }
    }

    /// The data bits in one payload symbol (N_DBPS for OFDM).
    pub const fn bits_per_symbol(self) -> u64 {
        match self {
            Self::Dsss(mode) => mode.bits_per_symbol(),
            Self::Ofdm(mode) => mode.rate.bits_per_symbol(),
            Self::Ht(mode) => mode.bits_per_symbol(),
            Self::Vht(mode) => mode.bits_per_symbol(),
        }
    }

    /// The longest PSDU that this format can carry, whatever the time: 4,095 bytes for DSSS and OFDM, 65,535 for HT,
    /// 1,048,575 for VHT.
    pub const fn longest_psdu(self) -> Bytes {
        match self {
            Self::Dsss(_) => DsssMode::MAX_PSDU,
            Self::Ofdm(_) => OfdmMode::MAX_PSDU,
            Self::Ht(_) => HtMode::MAX_PSDU,
            Self::Vht(_) => VhtMode::MAX_APEP,
        }
    }

    /// The longest PSDU whose [`duration`](Self::duration) is at most `limit`, and not past
    /// [`longest_psdu`](Self::longest_psdu); zero if none fits.
    pub const fn max_psdu(self, limit: Duration) -> Bytes {
        let overhead = self.preamble().as_nanos() + self.signal_extension().as_nanos();
        let Some(room) = limit.as_nanos().checked_sub(overhead) else { return Bytes::ZERO };
        let room = Duration::from_nanos(if room < AMPLE.as_nanos() { room } else { AMPLE.as_nanos() });
        let fits = match self {
            Self::Dsss(mode) => Some(mode.psdu_in(room)),
            Self::Ofdm(mode) => mode.psdu_in(room),
            Self::Ht(mode) => mode.psdu_in(room),
            Self::Vht(mode) => mode.psdu_in(room),
        };
        match fits {
            Some(psdu) if psdu.get() < self.longest_psdu().get() => psdu,
            Some(_) => self.longest_psdu(),
            None => Bytes::ZERO,
        }
    }

    /// How a control answer (Ack, BlockAck, CTS) to a frame sent so is sent: a non-HT PPDU of the frame's own class
    /// (10.6.6.5).
    ///
    /// Its rate is the highest basic rate not above the frame's rate, or above its non-HT reference rate where the
    /// frame is HT or VHT; if no basic rate is that low, the highest mandatory one. A DSSS answer takes the frame's
    /// preamble format, except at 1 Mbps, which has only the long one. HT and VHT frames are answered by OFDM, in 2.4
    /// GHz too.
    ///
    /// The standard lets a station choose another rate of equal duration, which we never do.
    pub const fn answer(self, basic: &BasicRates) -> Self {
        let band = match self {
            Self::Dsss(mode) => {
                let rate = basic.dsss_answer(mode.data_rate());
                return Self::Dsss(DsssMode::with_preamble_if_allowed(rate, mode.preamble_format()));
            }
            Self::Ofdm(mode) => mode.band,
            Self::Ht(mode) => mode.band(),
            Self::Vht(_) => Band::Ghz5,
        };
        match self.non_ht_reference() {
            LegacyRate::Ofdm(rate) => Self::Ofdm(OfdmMode { rate: basic.ofdm_answer(rate), band }),
            LegacyRate::Dsss(_) => panic!("only a DSSS frame has a DSSS reference rate"),
        }
    }

    /// The rate that decides the answer's: the frame's own, or for HT and VHT the non-HT reference rate of its
    /// modulation and code rate (10.6.11, Table 10-10).
    pub const fn non_ht_reference(self) -> LegacyRate {
        match self {
            Self::Dsss(mode) => LegacyRate::Dsss(mode.data_rate()),
            Self::Ofdm(mode) => LegacyRate::Ofdm(mode.rate),
            Self::Ht(mode) => LegacyRate::Ofdm(OfdmRate::non_ht_reference(mode.coding())),
            Self::Vht(mode) => LegacyRate::Ofdm(OfdmRate::non_ht_reference(mode.coding())),
        }
    }

    /// Modulation and code rate of an OFDM payload; nothing for DSSS.
    pub const fn coding(self) -> Option<Coding> {
        match self {
            Self::Dsss(_) => None,
            Self::Ofdm(mode) => Some(mode.rate.coding()),
            Self::Ht(mode) => Some(mode.coding()),
            Self::Vht(mode) => Some(mode.coding()),
        }
    }

    /// The channel width of the payload; DSSS counts as 20 MHz (it fills 22).
    pub const fn width(self) -> Width {
        match self {
            Self::Dsss(_) | Self::Ofdm(_) => Width::Mhz20,
            Self::Ht(mode) => mode.width(),
            Self::Vht(mode) => mode.width(),
        }
    }

    /// Spatial streams, 1 to 8.
    pub const fn streams(self) -> u64 {
        match self {
            Self::Dsss(_) | Self::Ofdm(_) => 1,
            Self::Ht(mode) => mode.streams(),
            Self::Vht(mode) => mode.streams(),
        }
    }

    /// Whether the payload may be an A-MPDU.
    pub const fn can_aggregate(self) -> bool {
        matches!(self, Self::Ht(_) | Self::Vht(_))
    }

    /// Whether the payload must be an A-MPDU, if of a single MPDU (9.7.1): VHT.
    pub const fn must_aggregate(self) -> bool {
        matches!(self, Self::Vht(_))
    }

    /// 802.11b at `rate` with the long preamble.
    pub const fn dsss(rate: DsssRate) -> Self {
        Self::Dsss(DsssMode::long(rate))
    }

    /// Non-HT OFDM at `rate` in `band`.
    pub const fn ofdm(rate: OfdmRate, band: Band) -> Self {
        Self::Ofdm(OfdmMode { rate, band })
    }
}

impl fmt::Display for TxVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dsss(mode) => mode.fmt(f),
            Self::Ofdm(mode) => mode.fmt(f),
            Self::Ht(mode) => mode.fmt(f),
            Self::Vht(mode) => mode.fmt(f),
        }
    }
}

/// The longest that an HT-mixed or VHT PPDU may last (aPPDUMaxTime, Tables 19-25 and 21-29): what the L-SIG of its
/// preamble can say.
pub const MAX_PPDU: Duration = Duration::from_micros(5_484);

/// Longer than any PSDU lasts: 1,048,575 bytes at the lowest VHT rate take 1.3 s.
const AMPLE: Duration = Duration::from_secs(10);

#[cfg(test)]
pub(crate) mod tests;

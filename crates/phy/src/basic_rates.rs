//! The basic rates of a BSS, from which control answers choose theirs (10.6.6.5).

use ackless_wire::BitRate;

use crate::dsss::DsssRate;
use crate::ofdm::OfdmRate;
use crate::standard::Standard;

/// BSSBasicRateSet: the non-HT rates that every station of the cell can receive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BasicRates(u16);

/// A non-HT rate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LegacyRate {
    /// 802.11b.
    Dsss(DsssRate),
    /// 802.11a, and 802.11g's OFDM.
    Ofdm(OfdmRate),
}

impl BasicRates {
    /// No basic rates: every answer takes the highest mandatory rate not above the frame's.
    pub const NONE: Self = Self(0);

    /// The usual sets: 1 and 2 Mbps for 802.11b, as in its first cells; 6, 12 and 24 Mbps for the others.
    ///
    /// The standard leaves the set to the AP. An 802.11g or n cell in 2.4 GHz counts as one without 802.11b stations.
    pub const fn of(standard: Standard) -> Self {
        match standard {
            Standard::B => Self::NONE.with(LegacyRate::Dsss(DsssRate::Mbps1)).with(LegacyRate::Dsss(DsssRate::Mbps2)),
            Standard::A | Standard::G | Standard::N | Standard::Ac => MANDATORY_OFDM,
        }
    }

    /// This set with `rate` in it.
    pub const fn with(self, rate: LegacyRate) -> Self {
        Self(self.0 | bit(rate))
    }

    /// Whether `rate` is in the set.
    pub const fn contains(self, rate: LegacyRate) -> bool {
        self.0 & bit(rate) != 0
    }

    /// The rate of the answer to a DSSS frame: the highest DSSS rate of the set not above `rate`, or `rate` itself,
    /// since all four are mandatory.
    pub const fn dsss_answer(self, rate: DsssRate) -> DsssRate {
        match highest(self.0 & DSSS & up_to(LegacyRate::Dsss(rate))) {
            Some(LegacyRate::Dsss(basic)) => basic,
            _ => rate,
        }
    }

    /// The rate of the answer to an OFDM frame, or to an HT or VHT frame with this reference rate: the highest OFDM
    /// rate of the set not above it, or else the highest of 6, 12 and 24 Mbps.
    pub const fn ofdm_answer(self, rate: OfdmRate) -> OfdmRate {
        let limit = up_to(LegacyRate::Ofdm(rate));
        match (highest(self.0 & OFDM & limit), highest(MANDATORY_OFDM.0 & limit)) {
            (Some(LegacyRate::Ofdm(basic)), _) => basic,
            (_, Some(LegacyRate::Ofdm(mandatory))) => mandatory,
            _ => OfdmRate::Mbps6,
        }
    }
}

impl LegacyRate {
    /// Every rate: DSSS, then OFDM, each lowest first.
    pub const ALL: [Self; 12] = [
        Self::Dsss(DsssRate::Mbps1),
        Self::Dsss(DsssRate::Mbps2),
        Self::Dsss(DsssRate::Mbps5_5),
        Self::Dsss(DsssRate::Mbps11),
        Self::Ofdm(OfdmRate::Mbps6),
        Self::Ofdm(OfdmRate::Mbps9),
        Self::Ofdm(OfdmRate::Mbps12),
        Self::Ofdm(OfdmRate::Mbps18),
        Self::Ofdm(OfdmRate::Mbps24),
        Self::Ofdm(OfdmRate::Mbps36),
        Self::Ofdm(OfdmRate::Mbps48),
        Self::Ofdm(OfdmRate::Mbps54),
    ];

    /// The rate in bits per second.
    pub const fn bits(self) -> BitRate {
        match self {
            Self::Dsss(rate) => rate.bits(),
            Self::Ofdm(rate) => rate.bits(),
        }
    }
}

/// The bit that stands for a rate: its place in [`LegacyRate::ALL`].
const fn bit(rate: LegacyRate) -> u16 {
    match rate {
        LegacyRate::Dsss(rate) => 1 << rate as u16,
        LegacyRate::Ofdm(rate) => 1 << (4 + rate as u16),
    }
}

/// The rates not above `rate` in the order of [`LegacyRate::ALL`].
const fn up_to(rate: LegacyRate) -> u16 {
    bit(rate) | (bit(rate) - 1)
}

const fn highest(rates: u16) -> Option<LegacyRate> {
    match rates.checked_ilog2() {
        Some(place) => Some(LegacyRate::ALL[place as usize]),
        None => None,
    }
}

const DSSS: u16 = 0x00f;
const OFDM: u16 = 0xff0;

/// 6, 12 and 24 Mbps (17.1.1, 18.1.2, 19.1.1).
const MANDATORY_OFDM: BasicRates = BasicRates::NONE
    .with(LegacyRate::Ofdm(OfdmRate::Mbps6))
    .with(LegacyRate::Ofdm(OfdmRate::Mbps12))
    .with(LegacyRate::Ofdm(OfdmRate::Mbps24));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rate_has_a_bit_of_its_own() {
        for (place, &rate) in LegacyRate::ALL.iter().enumerate() {
            assert_eq!(bit(rate), 1 << place, "{rate:?}");
            assert_eq!(highest(up_to(rate)), Some(rate));
            assert!(BasicRates::NONE.with(rate).contains(rate));
            assert!(!BasicRates::NONE.contains(rate));
        }
    }
}

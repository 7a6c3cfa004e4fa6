//! The generations of Wi-Fi, and the bands that each runs in.

use crate::coding::Band;

/// A generation of Wi-Fi.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standard {
    /// 802.11b: HR/DSSS, 2.4 GHz.
    B,
    /// 802.11a: OFDM, 5 GHz.
    A,
    /// 802.11g: ERP-OFDM, 2.4 GHz, in a cell without 802.11b stations.
    G,
    /// 802.11n: HT, either band.
    N,
    /// 802.11ac: VHT, 5 GHz.
    Ac,
}

impl Standard {
    /// Whether the standard has this band: 802.11n both, the others one.
    pub const fn runs_in(self, band: Band) -> bool {
        match self {
            Self::B | Self::G => matches!(band, Band::Ghz2_4),
            Self::A | Self::Ac => matches!(band, Band::Ghz5),
            Self::N => true,
        }
    }

    /// Whether its stations have QoS and so EDCA; the others contend by DCF.
    pub const fn is_qos(self) -> bool {
        matches!(self, Self::N | Self::Ac)
    }

    /// The band of a standard that has one only; `asked` for 802.11n.
    pub(crate) const fn band(self, asked: Band) -> Band {
        match self {
            Self::B | Self::G => Band::Ghz2_4,
            Self::A | Self::Ac => Band::Ghz5,
            Self::N => asked,
        }
    }
}

//! The access categories and their default parameters (Table 9-155).

use ackless_wire::Duration;

use crate::timing::Timing;
use crate::tx_vector::TxVector;

/// An access category of EDCA, lowest priority first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessCategory {
    /// AC_BK.
    Background,
    /// AC_BE.
    BestEffort,
    /// AC_VI.
    Video,
    /// AC_VO.
    Voice,
}

/// The parameters by which an access category contends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdcaParameters {
    /// Slots in AIFS, at least 2 for a station and 1 for an AP.
    pub aifsn: u8,
    /// CWmin, in slots: 2^n - 1.
    pub cw_min: u16,
    /// CWmax, in slots: 2^n - 1.
    pub cw_max: u16,
    /// TXOP limit; zero means one PPDU (or one and its answer) for each access.
    pub txop_limit: Duration,
}

impl AccessCategory {
    /// Every category, lowest priority first.
    pub const ALL: [Self; 4] = [Self::Background, Self::BestEffort, Self::Video, Self::Voice];

    /// The category of a user priority 0 to 7 (Table 10-1); of the lower three bits if larger.
    pub const fn of_priority(priority: u8) -> Self {
        match priority & 7 {
            1 | 2 => Self::Background,
            0 | 3 => Self::BestEffort,
            4 | 5 => Self::Video,
            _ => Self::Voice,
        }
    }
}

impl EdcaParameters {
    /// The default parameters of a station in a cell with this timing (Table 9-155): for DSSS its own TXOP limits, for
    /// all other PHYs those of OFDM.
    ///
    /// Best effort and background have no TXOP limit here, as in the standard up to 802.11-2012 and in the products and
    /// simulators that we compare with; since 802.11-2016 the table gives them 2.528 ms (DSSS 3.264 ms). A scenario can
    /// set it.
    pub const fn of(category: AccessCategory, timing: &Timing) -> Self {
        let (cw_min, cw_max) = (timing.cw_min, timing.cw_max);
        let dsss = matches!(timing.lowest, TxVector::Dsss(_));
        match category {
            AccessCategory::Background => Self { aifsn: 7, cw_min, cw_max, txop_limit: Duration::ZERO },
            AccessCategory::BestEffort => Self { aifsn: 3, cw_min, cw_max, txop_limit: Duration::ZERO },
            AccessCategory::Video => Self {
                aifsn: 2,
                cw_min: cw_min >> 1,
                cw_max: cw_min,
                txop_limit: Duration::from_micros(if dsss { 6_016 } else { 4_096 }),
            },
            AccessCategory::Voice => Self {
                aifsn: 2,
                cw_min: cw_min >> 2,
                cw_max: cw_min >> 1,
                txop_limit: Duration::from_micros(if dsss { 3_264 } else { 2_080 }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::Band;
    use crate::standard::Standard;

    fn table(standard: Standard) -> [(u8, u16, u16, u64); 4] {
        let timing = Timing::of(standard, Band::Ghz5);
        AccessCategory::ALL.map(|category| {
            let edca = EdcaParameters::of(category, &timing);
            (edca.aifsn, edca.cw_min, edca.cw_max, edca.txop_limit.as_micros_ceil())
        })
    }

    #[test]
    fn defaults_are_those_of_the_table() {
        assert_eq!(table(Standard::Ac), [(7, 15, 1023, 0), (3, 15, 1023, 0), (2, 7, 15, 4_096), (2, 3, 7, 2_080)]);
        assert_eq!(table(Standard::B), [(7, 31, 1023, 0), (3, 31, 1023, 0), (2, 15, 31, 6_016), (2, 7, 15, 3_264)]);
    }

    #[test]
    fn user_priorities_map_in_the_order_of_802_1d() {
        use AccessCategory::{Background, BestEffort, Video, Voice};
        let categories = [0, 1, 2, 3, 4, 5, 6, 7].map(AccessCategory::of_priority);
        assert_eq!(categories, [BestEffort, Background, Background, BestEffort, Video, Video, Voice, Voice]);
    }
}

//! Ways of sending that the standard does not have.

use thiserror::Error;

use crate::coding::Width;

/// A way of sending that the standard does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ModeError {
    /// 802.11b at 1 Mbps has the long preamble only.
    #[error("1 Mbps has no short preamble; use the long one, or 2, 5.5 or 11 Mbps")]
    ShortPreambleAt1Mbps,
    /// An HT MCS past 31.
    #[error("802.11n has no MCS {mcs} with equal modulation; allowed: 0 to 31")]
    NoHtMcs {
        /// The index asked for.
        mcs: u8,
    },
    /// HT wider than 40 MHz.
    #[error("802.11n has no channels of {width}; allowed: 20 MHz and 40 MHz")]
    NoHtWidth {
        /// The width asked for.
        width: Width,
    },
    /// A VHT MCS past 9.
    #[error("802.11ac has no MCS {mcs}; allowed: 0 to 9")]
    NoVhtMcs {
        /// The index asked for.
        mcs: u8,
    },
    /// A number of VHT streams outside 1 to 8.
    #[error("802.11ac has no {streams} spatial streams; allowed: 1 to 8")]
    NoVhtStreams {
        /// The number asked for.
        streams: u8,
    },
    /// A VHT combination that the standard's tables leave out.
    #[error(
        "802.11ac excludes MCS {mcs} with {streams} spatial stream(s) at {width}; use a lower MCS, or another width"
    )]
    VhtExcluded {
        /// The index asked for.
        mcs: u8,
        /// The number of streams asked for.
        streams: u8,
        /// The width asked for.
        width: Width,
    },
}

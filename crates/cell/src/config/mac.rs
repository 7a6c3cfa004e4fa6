//! How nodes get at the medium, and what they send when they have it.

use ackless_dot11::access::BackoffPolicy;
use ackless_dot11::codec::beacon::min_len;
use ackless_phy::TxVector;
use ackless_wire::{Bytes, Duration};

/// How a node gets at the medium and what it sends when it has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MacConfig {
    /// The access function and its contention window.
    pub access: Access,
    /// How that window moves.
    pub backoff: BackoffPolicy,
    /// A-MPDUs under BlockAck; `None` sends single MPDUs and expects an Ack for each.
    pub aggregation: Option<AggregationConfig>,
    /// An RTS precedes a PSDU longer than this; `None` sends none (`dot11RTSThreshold`).
    pub rts_threshold: Option<Bytes>,
    /// How many times an MPDU is sent before it is given up (`dot11ShortRetryLimit`, IEEE 802.11-2020, 10.3.4.4); `None`
    /// never gives up. At least 1.
    pub retry_limit: Option<u32>,
    /// What the ACK timeout adds to SIFS, slot and preamble, for peers that are known to answer late.
    pub ack_timeout_extra: Duration,
    /// How much later than SIFS it answers, beside what its scheme adds. Its peers know it and wait as much longer.
    pub answer_delay: Duration,
}

/// The access function of a node's data, with its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// DCF: non-QoS data frames after DIFS (IEEE 802.11-2020, 10.3).
    Dcf {
        /// `2^n - 1`.
        cw_min: u16,
        /// `2^n - 1`, at least `cw_min`.
        cw_max: u16,
    },
    /// EDCA: QoS data frames of one access category after AIFS (10.23.2).
    Edca {
        /// Slots after SIFS before back-off, at least 2 at a station and 1 at an AP.
        aifsn: u8,
        /// `2^n - 1`.
        cw_min: u16,
        /// `2^n - 1`, at least `cw_min`.
        cw_max: u16,
        /// How long the medium may be held; zero allows one frame exchange.
        txop_limit: Duration,
    },
}

/// A-MPDUs and the BlockAck agreement that they need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AggregationConfig {
    /// The longest A-MPDU: up to 65,535 bytes for HT, 1,048,575 for VHT.
    pub max_bytes: Bytes,
    /// The most MPDUs in one A-MPDU, 1 to `window`.
    pub max_mpdus: u16,
    /// Buffer size that it grants in a BlockAck agreement, and the most that it makes use of, in MPDUs, 1 to 64: an MPDU without a fate
    /// keeps back those that lie so far behind it.
    pub window: u16,
    /// Minimum MPDU Start Spacing that the receiver asks for; zero is no restriction.
    pub min_spacing: Duration,
    /// The longest A-MSDU that it makes, its subframes' headers and padding included; `None` for one packet in each MPDU. An MPDU of HT is also
    /// kept to 4,095 bytes, one of VHT to 11,454.
    pub amsdu: Option<Bytes>,
}

/// At what rate a control answer leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerRate {
    /// By the rule of IEEE 802.11-2020, 10.6.6.5, from the frame that is answered.
    ByRule,
    /// Always so; not an HT or VHT mode.
    Fixed(TxVector),
}

/// The beacons of an AP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BeaconConfig {
    /// From one target beacon time to the next. Greater than zero.
    pub interval: Duration,
    /// How it is sent; not an HT or VHT mode.
    pub tx: TxVector,
    /// The whole MPDU, with its MAC header and FCS. At least [`Self::min_size`].
    pub size: Bytes,
}

/// When a node's MAC hands up to its host what it has received; what is handed up at once is a batch, see [`Gro`](super::Gro).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Delivery {
    /// At the end of each PPDU.
    #[default]
    PerPpdu,
    /// Each MPDU of an A-MPDU when its last bit is in, as far as reordering lets it; only where all nodes hear each other. The answer is what it would be otherwise, but may
    /// carry what hosts have sent meanwhile.
    PerMpdu,
    /// This long after the first packet that is not handed up yet, with all that has come until then, as by a network card that holds its interrupt back.
    Coalesced(Duration),
}

impl BeaconConfig {
    /// The smallest beacon that holds what belongs into one that is sent so.
    pub fn min_size(tx: TxVector) -> Bytes {
        min_len(tx)
    }
}

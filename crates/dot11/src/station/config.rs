//! What a station is told when it is set up.

use ackless_phy::{BasicRates, MpduSpacing, Timing, TxVector};
use ackless_wire::{Bytes, Duration};

use crate::access::{BackoffPolicy, Parameters};
use crate::frame::{Ds, NodeId, Tid};
use crate::queue::{DeviceLimit, QueueConfig};
use crate::rate::RateChoice;

/// The MAC of one station.
#[derive(Clone, Debug)]
pub struct MacConfig {
    /// The station.
    pub node: NodeId,
    /// Slot, SIFS and the PHY's other constants.
    pub timing: Timing,
    /// Channel access.
    pub access: Parameters,
    /// How the contention window moves.
    pub backoff: BackoffPolicy,
    /// The TID of its QoS Data.
    pub tid: Tid,
    /// How long a won access may last (802.11-2020, 10.23.2.9); zero is one frame exchange.
    pub txop_limit: Duration,
    /// The rates that answers choose from.
    pub basic_rates: BasicRates,
    /// All answers at this rate instead.
    pub fixed_answer: Option<TxVector>,
    /// How beacons and group-addressed frames are sent.
    pub group_rate: TxVector,
    /// An RTS goes before a PSDU longer than this.
    pub rts_threshold: Option<Bytes>,
    /// How often a frame is sent before it is given up, as dot11ShortRetryLimit counts; `u32::MAX` is for ever.
    pub retry_limit: u32,
    /// Added to the standard's timeout of SIFS, slot and preamble (802.11-2020, 10.3.2.11).
    pub ack_timeout_extra: Duration,
    /// How much later than SIFS it answers, beside what its scheme adds; peers know it ([`crate::hooks::Peer::answer_delay`]).
    pub answer_delay: Duration,
    /// Whether a frame that is queued in the instant at which a reception ends takes the medium for idle, as in ns-3, and so draws no counter. By the standard the medium
    /// is busy to the end of the last symbol.
    pub idle_at_end: bool,
    /// What else counts against the limits of its queues; `None` where each receiver's queue has a limit of its own, for what waits in it.
    pub bounds: Option<QueueBounds>,
    /// What a device below its queues is given in advance; `None` where PPDUs are built from the queues themselves.
    pub device: Option<DeviceLimit>,
    /// EIFS less DIFS: SIFS and an Ack at the lowest mandatory rate (802.11-2020, 10.3.2.3.7).
    pub eifs_extra: Duration,
}

/// What counts against the limit of a queue beside what waits in it. For queues with a limit in packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueBounds {
    /// What has been sent and has no fate yet, by MPDUs, as in ns-3, where these leave the queue when they are acknowledged or given up.
    pub in_flight: bool,
    /// What is for other receivers.
    pub shared: bool,
}

/// What a station knows of one peer that it sends to and hears.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// The peer.
    pub peer: NodeId,
    /// How data is sent to it, or at best where the rate adapts.
    pub rate: TxVector,
    /// How the rate is chosen.
    pub control: RateChoice,
    /// Whether data goes to it as QoS Data; as Data otherwise, which a legacy peer needs.
    pub qos: bool,
    /// A-MPDUs towards it, under a BlockAck agreement that exists from the start (there is no ADDBA exchange); `None` sends single MPDUs.
    pub aggregation: Option<Aggregation>,
    /// The window, 1 to 64, of the agreement under which A-MPDUs come from it, which are reordered here and answered by BlockAcks; `None` where
    /// it sends single MPDUs. Each direction has an agreement of its own, or none (802.11-2020, 10.25.2).
    pub reorders: Option<u16>,
    /// What waits for it.
    pub queue: QueueConfig,
}

/// How A-MPDUs are put together.
#[derive(Clone, Copy, Debug)]
pub struct Aggregation {
    /// The longest A-MPDU.
    pub max_bytes: Bytes,
    /// The most MPDUs in one, 1 to 64.
    pub max_mpdus: u16,
    /// The window of the BlockAck agreement, 1 to 64: MPDUs without a fate lie within so many sequence numbers.
    pub window: u16,
    /// Minimum MPDU start spacing of the receiver.
    pub spacing: MpduSpacing,
    /// A-MSDUs in its MPDUs; `None` for one packet in each.
    pub amsdu: Option<Amsdu>,
}

/// How A-MSDUs are put together: of packets that already wait when their MPDU is built, for the same receiver, TID and direction
/// (802.11-2020, 10.11). An MPDU that is sent again stays as it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amsdu {
    /// The longest A-MSDU, without the MPDU's header and FCS.
    pub max_bytes: Bytes,
    /// The longest MPDU, header and FCS included.
    pub max_mpdu: Bytes,
}

/// Where a packet goes on the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route {
    /// The next station (RA).
    pub next: NodeId,
    /// The last one (DA).
    pub destination: NodeId,
    /// The first one (SA).
    pub source: NodeId,
    /// The direction bits.
    pub ds: Ds,
}

//! The server, the AP and the stations.

use ackless_dot11::queue::DeviceLimit;
use ackless_phy::TxVector;
use ackless_schemes::agent::AgentConfig;
use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::filter::FilterConfig;
use ackless_schemes::hack::HackConfig;
use ackless_schemes::thinning::ThinningConfig;
use ackless_wire::{Bytes, Duration};

use super::air::{AirChanges, LinkLoss};
use super::mac::MacConfig;
use super::values::{Distance, Probability};
use crate::gro::Gro;

/// The host behind the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServerConfig {
    /// What it merges of what its wire hands up at once, before its TCP sees it.
    pub gro: Gro,
    /// From its TCP to its wire, and from its wire to its TCP.
    pub host_latency: Duration,
    /// TCP Small Queues, as [`StationConfig::tsq`]: its queues are its host latency and the wire's buffer, until the wire has sent a packet.
    pub tsq: Option<Duration>,
    /// TCP segmentation offload, as [`StationConfig::tso`].
    pub tso: Option<Duration>,
}

/// The access point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApConfig {
    /// What it does with the TCP ACKs that pass through it.
    pub scheme: SchemeChoice,
    /// Its channel access, aggregation and retries.
    pub mac: MacConfig,
    /// The queue that it keeps for each station.
    pub queue: ApQueue,
    /// Which station's queue it serves next.
    pub scheduler: ApScheduler,
    /// Whether the limits of [`ApQueue::Fifo`] are one, so many times as long, for all stations together.
    pub shares_queue: bool,
    /// How much of what waits in its queues the device below them is given in advance; `None` where PPDUs are built from the queues themselves.
    pub device: Option<DeviceLimit>,
    /// From its wire to its MAC's queue, and from its MAC to its wire.
    pub host_latency: Duration,
}

/// The queue that the AP keeps for one station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApQueue {
    /// First in, first out; a packet that finds it full is dropped.
    Fifo {
        /// At least 1.
        packets: u32,
    },
    /// FQ-CoDel (RFC 8290) over the flows of this station.
    FqCodel {
        /// Standing delay that is tolerated.
        target: Duration,
        /// How long it may be exceeded.
        interval: Duration,
        /// What a flow may send in a round.
        quantum: Bytes,
        /// Packets in all queues of this station; the fattest one is then cut. At least 1.
        limit: u32,
        /// Whether packets that may be marked (ECN) are marked in place of being dropped, unless the limit is reached.
        ecn: bool,
    },
}

/// Which station's queue the AP serves next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApScheduler {
    /// One channel access each in turn.
    RoundRobin,
    /// The station whose oldest packet came first.
    Fcfs,
    /// Deficit round robin in air time, as Linux's mac80211 does it.
    AirtimeFair,
}

/// A station.
#[derive(Clone, PartialEq, Debug)]
pub struct StationConfig {
    /// As reports name it; unique in the cell.
    pub name: String,
    /// From the AP, or from the station that relays for it.
    pub distance: Distance,
    /// What it does with its TCP ACKs; a legacy station is [`SchemeChoice::Stock`].
    pub scheme: SchemeChoice,
    /// The station through which it talks to the AP and all others, by its place in [`CellConfig::stations`](super::CellConfig::stations); `None` talks to the AP itself.
    ///
    /// It comes before this one in the list, so that no circle is possible; of the two, the AP and the relay, what is said below is the
    /// relay's then. A relay forwards between its link to the AP (or to its own relay) and its links to such stations, and from one
    /// of these to another, after its host latency both ways. What it sends or gets for others over its own link bears four addresses
    /// (802.11-2020, table 9-30); stations behind it talk to it as to an AP. It sends no beacons. `None` for all stations of an ad hoc cell.
    pub via: Option<usize>,
    /// How the AP sends data to it.
    pub down: TxVector,
    /// How it sends data to the AP.
    pub up: TxVector,
    /// Its channel access, aggregation and retries. Between it and the AP the smaller limits of both hold, and there
    /// are no A-MPDUs unless both have them.
    pub mac: MacConfig,
    /// Whether it is a bridge: all data between it and the AP bears four addresses.
    pub four_address: bool,
    /// Packets that its MAC queue for each receiver holds; the rest is dropped at the tail. At least 1.
    pub queue_packets: u32,
    /// From its TCP to its MAC's queue, and from its MAC to its TCP.
    pub host_latency: Duration,
    /// What is added to its host latency for the whole of a run: a time drawn evenly from zero to this, by each station for itself.
    pub host_latency_spread: Duration,
    /// What it merges of what its MAC hands up at once, before its TCP sees it.
    pub gro: Gro,
    /// TCP Small Queues: how much time's worth of its data each of its connections may have in the queues below, which are those of its host
    /// and its MAC, until the receiver has acknowledged an MPDU or it has been given up; see [`ackless_tcp::Endpoint::heed_small_queue`].
    /// `None` is without bound.
    pub tsq: Option<Duration>,
    /// TCP segmentation offload: its TCPs send new data in bursts of what their rate carries in this time; see [`ackless_tcp::Config::tso`]. `None` sends segment
    /// by segment.
    pub tso: Option<Duration>,
    /// A packet vanishes between its transports and its MAC, either way. What a relay passes on for others is not lost so.
    pub host_loss: Probability,
    /// What the air between it and the AP loses, beside collisions.
    pub loss: LinkLoss,
    /// How that changes during the run.
    pub changes: AirChanges,
    /// How data rates are chosen, both ways, among those up to [`Self::down`] and [`Self::up`].
    pub rate_control: RateControl,
}

/// How data rates are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RateControl {
    /// They are what they are.
    #[default]
    Fixed,
    /// By who knows the signal-to-noise ratio at the receiver; needs one.
    Ideal,
    /// As Minstrel-HT of Linux 6.12 learns them; needs a signal-to-noise ratio, since without one any rate is as good.
    MinstrelHt,
}

/// What a node does with TCP ACKs on the Wi-Fi hop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SchemeChoice {
    /// Nothing: a TCP ACK is a packet as any other.
    Stock,
    /// HACK.
    Hack(HackConfig),
    /// The TCP ACK agent.
    Agent(AgentConfig),
    /// 802.11 ACK filtering.
    Filter(FilterConfig),
    /// The ARQ proxy.
    ArqProxy(ArqProxyConfig),
    /// ACKs thinned out where they are sent, as CAKE and drivers do.
    Thinning(ThinningConfig),
    /// FastACK.
    FastAck(FastAckConfig),
}

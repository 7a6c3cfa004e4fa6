//! What a cell is made of: the fully resolved values that a run starts from.
//!
//! Nothing here is optional for want of a default, and nothing is text: `ackless-scenario` has read the file, filled
//! in what it left out, checked it and resolved it into these values. A configuration holds no seed, so the same
//! configuration and a seed together fix a run.
//!
//! Not described yet: roaming and moving stations.

pub use crate::gro::Gro;
pub use ackless_dot11::access::BackoffPolicy;
use ackless_dot11::codec::beacon::min_len;
pub use ackless_dot11::queue::{AirtimeLimits, DeviceLimit};
use ackless_phy::{Band, BasicRates, Db, Dbm, LinkBudget, Standard, TxVector};
use ackless_schemes::agent::AgentConfig;
use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::filter::FilterConfig;
use ackless_schemes::hack::HackConfig;
use ackless_schemes::thinning::ThinningConfig;
pub use ackless_tcp::{
    AckChoice, CongestionChoice, CubicRule, GrowthRule, MissingTimestamp, NagleRule, PrrRule, RackRule, RecoveryChoice,
    RenoRule, RtoRule, SenderChoices, SlowStartChoice, TackConfig, UndoChoices,
};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

pub use flows::{
    AckConfig, Direction, FlowConfig, Pace, Peer, PingConfig, Span, TcpConfig, Traffic, TransportConfig, UdpAnswers,
    VideoConfig,
};

mod flows;

/// One cell: an AP, its stations, the wire behind the AP, and what flows through them.
#[derive(Clone, PartialEq, Debug)]
pub struct CellConfig {
    /// The row of a comparison that this run belongs to, for example `tcp-l1`; copied into the result.
    pub scheme: String,
    /// How the nodes are connected.
    pub topology: Topology,
    /// The standard of the cell, which with the band fixes slot and SIFS.
    pub standard: Standard,
    /// One that the standard runs in.
    pub band: Band,
    /// Rates that every member of the cell supports, from which control answers choose.
    pub basic_rates: BasicRates,
    /// At what rate ACKs, BlockAcks and CTSs leave.
    pub answer_rate: AnswerRate,
    /// How group-addressed frames that carry packets are sent; not an HT or VHT mode. `None` is as beacons are, or at the lowest rate of the PHY.
    pub group_rate: Option<TxVector>,
    /// Beacons of the AP; `None` sends none.
    pub beacons: Option<BeaconConfig>,
    /// The access point.
    pub ap: ApConfig,
    /// The stations; a flow names one by its place in this list.
    pub stations: Vec<StationConfig>,
    /// The host behind the wire.
    pub server: ServerConfig,
    /// The wire between the server and the AP.
    pub wired: WiredConfig,
    /// How the signal-to-noise ratio follows from a distance, for links with [`LinkLoss::PathLoss`].
    pub propagation: LinkBudget,
    /// Who hears whom.
    pub hearing: Hearing,
    /// Other cells on the same channel, where powers decide who hears whom: each with an AP, stations, a wire and a server of its own, and no
    /// neighbours. [`PowerConfig::powers`] are those of all nodes of all cells, the same in each.
    pub neighbours: Vec<Neighbour>,
    /// When a node's MAC hands up to its host what it has received.
    pub delivery: Delivery,
    /// Whether what has been sent and is not acknowledged counts against the limits of all nodes' queues, as in ns-3.
    pub counts_in_flight: bool,
    /// Whether a frame that is queued in the instant at which a reception ends draws no back-off, as in ns-3, which takes the medium for idle then.
    pub idle_at_end: bool,
    /// What the applications send.
    pub flows: Vec<FlowConfig>,
    /// Echo requests that measure the latency under load.
    pub pings: Vec<PingConfig>,
    /// How long the cell runs before anything is counted.
    pub warm_up: Duration,
    /// How long it is then measured. Greater than zero.
    pub measured: Duration,
}

/// When a node's MAC hands up to its host what it has received; what is handed up at once is a batch, see [`Gro`].
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

/// Who hears whom in a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Hearing {
    /// All hear each other, and PPDUs that overlap destroy each other everywhere; see [`crate::medium`].
    All,
    /// By the powers with which PPDUs come in; see [`crate::medium::by_power`]. Links lose nothing beside, there is an AP,
    /// and no node sends DSSS. Of a station's [`loss`](StationConfig::loss) nothing is looked at then but whether it names an SNR, which a rate control that knows it goes by: under
    /// [`LinkLoss::PathLoss`] that of its own power.
    ByPower(PowerConfig),
}

/// Another cell on the channel.
#[derive(Clone, PartialEq, Debug)]
pub struct Neighbour {
    /// As reports name it.
    pub name: String,
    /// The cell.
    pub cell: CellConfig,
}

/// The powers with which nodes hear each other, and what they make of them.
#[derive(Clone, PartialEq, Debug)]
pub struct PowerConfig {
    /// The power with which what one node sends comes in at another, over the width of a PPDU: row by row for each sender, in each row for each
    /// receiver, in the order of node numbers. A node's entry for itself means nothing.
    pub powers: Vec<Dbm>,
    /// The place of the cell's AP among these nodes; its stations follow.
    pub first: usize,
    /// The noise of every receiver over 20 MHz.
    pub noise: Dbm,
    /// The least power over the primary 20 MHz with which a preamble is detected.
    pub preamble: Dbm,
    /// The least power of all signals over the primary 20 MHz with which the medium counts as busy, whatever they are.
    pub energy: Dbm,
    /// Whether a receiver leaves what it has locked on for a stronger PPDU that comes later.
    pub relocks: bool,
}

impl PowerConfig {
    /// What remains over noise, where nobody else sends, of what one node of the cell sends to another by `vector`.
    pub fn snr(&self, from: usize, to: usize, vector: TxVector) -> Db {
        let nodes = self.powers.len().isqrt();
        let power = self.powers[(self.first + from) * nodes + self.first + to];
        Db((power - self.noise).0 - 10.0 * libm::log10(vector.width().mhz() as f64 / 20.0))
    }
}

/// How nodes are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// A server on a wire, an AP that bridges, and stations that talk through the AP only, or through a station that relays
    /// ([`StationConfig::via`]).
    Infrastructure,
    /// Stations that send to each other directly; the AP is silent, and no flow goes to the server.
    AdHoc,
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

/// A station.
#[derive(Clone, PartialEq, Debug)]
pub struct StationConfig {
    /// As reports name it; unique in the cell.
    pub name: String,
    /// From the AP, or from the station that relays for it.
    pub distance: Distance,
    /// What it does with its TCP ACKs; a legacy station is [`SchemeChoice::Stock`].
    pub scheme: SchemeChoice,
    /// The station through which it talks to the AP and all others, by its place in [`CellConfig::stations`]; `None` talks to the AP itself.
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

/// How the air of a link changes during the run. Lists stand in order of time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AirChanges {
    /// From each of these times on this is the signal-to-noise ratio; only with [`LinkLoss::Snr`].
    pub ratios: Vec<(Instant, Db)>,
    /// From each of these times on each MPDU and each control frame is also lost with this probability, whatever the model.
    pub losses: Vec<(Instant, Probability)>,
    /// From each of these times on nothing is received, for so long.
    pub outages: Vec<(Instant, Duration)>,
    /// The greatest Doppler shift of Rayleigh fading in Hz, more than zero; `None` does not fade. Only with a signal-to-noise ratio.
    pub doppler: Option<f64>,
}

impl AirChanges {
    /// Whether nothing ever changes.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
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

/// The wire between server and AP: one link each way.
#[derive(Clone, PartialEq, Debug)]
pub struct WiredConfig {
    /// From the server to the AP.
    pub down: WiredLink,
    /// From the AP to the server.
    pub up: WiredLink,
    /// How the wire changes during the run, in order of time.
    pub steps: Vec<WireStep>,
    /// The largest IP packet it carries; a larger one is a mistake of the configuration, not fragmented.
    pub mtu: Bytes,
}

/// One direction of the wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WiredLink {
    /// Rate at which IP packets leave; framing of the wire's own is not counted. Greater than zero.
    pub rate: BitRate,
    /// From a packet's last bit sent to its last bit received.
    pub delay: Duration,
    /// A packet vanishes.
    pub loss: Probability,
    /// A packet is held back by [`Self::reorder_delay`], so that later ones overtake it.
    pub reorder: Probability,
    /// How long such a packet is held.
    pub reorder_delay: Duration,
    /// To the delay of each packet a time is added, drawn evenly from zero to this.
    pub jitter: Duration,
    /// Whether that time may let later packets overtake; if not, a packet arrives no sooner than those before it.
    pub jitter_reorders: bool,
    /// How much may wait for the link; a packet that finds so much waiting is dropped.
    pub buffer: WireBuffer,
}

/// How much may wait for a link. The packet being sent does not wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WireBuffer {
    /// So many packets. At least 1.
    Packets(u32),
    /// So many bytes of IP packets; the last packet that is taken may go beyond. At least 1.
    Bytes(Bytes),
}

/// A change of the wire. What is on its way when it comes keeps the delay with which it left; what is being sent goes on at the new rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WireStep {
    /// From then on.
    pub at: Instant,
    /// The one direction that changes; `None` for both.
    pub direction: Option<Direction>,
    /// The new rate, greater than zero; `None` leaves it.
    pub rate: Option<BitRate>,
    /// The new delay; `None` leaves it. Where it is shorter, later packets still arrive after earlier ones.
    pub delay: Option<Duration>,
    /// The new loss of packets; `None` leaves it.
    pub loss: Option<Probability>,
}

/// What the air between the AP and one station loses, beside collisions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LinkLoss {
    /// Nothing.
    None,
    /// Each frame with a fixed probability, whatever its length and rate.
    PerFrame {
        /// From the AP.
        down: FrameLoss,
        /// To the AP.
        up: FrameLoss,
    },
    /// By the error model of the modulation, at this signal-to-noise ratio over the channel's width, both ways.
    Snr(Db),
    /// By the error model, at the ratio that [`CellConfig::propagation`] and the station's distance give.
    PathLoss,
}

/// Loss probabilities of one direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FrameLoss {
    /// Of an MPDU that carries data.
    pub data: Probability,
    /// Of a control frame (Ack, BlockAck, BlockAck Request, RTS, CTS), with whatever is appended to it.
    pub control: Probability,
}

/// A distance in millimetres.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Distance(pub u64);

/// A probability.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Probability(f64);

impl Probability {
    /// Never.
    pub const NEVER: Self = Self(0.0);

    /// `p` as a probability, or `None` where it is not from 0 to 1.
    pub fn new(p: f64) -> Option<Self> {
        (0.0..=1.0).contains(&p).then_some(Self(p))
    }

    /// From 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl CellConfig {
    /// The end of the run.
    pub fn end(&self) -> Instant {
        Instant::ZERO + self.warm_up + self.measured
    }

    /// The same cell with the name of another row, its neighbours too.
    #[must_use]
    pub fn named(mut self, scheme: &str) -> Self {
        scheme.clone_into(&mut self.scheme);
        for neighbour in &mut self.neighbours {
            scheme.clone_into(&mut neighbour.cell.scheme);
        }
        self
    }
}

impl WiredLink {
    /// A link that loses nothing and keeps the order.
    pub const fn clean(rate: BitRate, delay: Duration, buffer_packets: u32) -> Self {
        Self {
            rate,
            delay,
            loss: Probability::NEVER,
            reorder: Probability::NEVER,
            reorder_delay: Duration::ZERO,
            jitter: Duration::ZERO,
            jitter_reorders: false,
            buffer: WireBuffer::Packets(buffer_packets),
        }
    }
}

impl BeaconConfig {
    /// The smallest beacon that holds what belongs into one that is sent so.
    pub fn min_size(tx: TxVector) -> Bytes {
        min_len(tx)
    }
}

impl Distance {
    /// Metres, for the propagation model and for printing.
    pub fn metres(self) -> f64 {
        self.0 as f64 * 1e-3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_lies_between_never_and_always() {
        assert_eq!(Probability::new(0.25).map(Probability::get), Some(0.25));
        for bad in [-0.1, 1.000_1, f64::NAN, f64::INFINITY] {
            assert_eq!(Probability::new(bad), None, "{bad}");
        }
    }
}

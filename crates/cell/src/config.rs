//! What a cell is made of: the fully resolved values that a run starts from.
//!
//! Nothing here is optional for want of a default, and nothing is text: `ackless-scenario` has read the file, filled
//! in what it left out, checked it and resolved it into these values. A configuration holds no seed, so the same
//! configuration and a seed together fix a run.
//!
//! Not described yet: roaming and moving stations.

pub use crate::gro::Gro;
pub use ackless_dot11::access::BackoffPolicy;
pub use ackless_dot11::queue::{AirtimeLimits, DeviceLimit};
use ackless_phy::{Band, BasicRates, LinkBudget, Standard, TxVector};
pub use ackless_tcp::{
    AckChoice, CongestionChoice, CubicRule, GrowthRule, MissingTimestamp, NagleRule, PrrRule, RackRule, RecoveryChoice,
    RenoRule, RtoRule, SenderChoices, SlowStartChoice, TackConfig, UndoChoices,
};
use ackless_wire::{Duration, Instant};

pub use air::{AirChanges, FrameLoss, Hearing, LinkLoss, PowerConfig};
pub use flows::{
    AckConfig, ByLetter, Direction, FlowConfig, Pace, Peer, PingConfig, RequestsConfig, Span, TcpConfig, Traffic,
    TransportConfig, UdpAnswers, VideoConfig,
};
pub use mac::{Access, AggregationConfig, AnswerRate, BeaconConfig, Delivery, MacConfig};
pub use nodes::{ApConfig, ApQueue, ApScheduler, RateControl, SchemeChoice, ServerConfig, StationConfig};
pub use values::{Distance, Probability};
pub use wire::{NewOptions, RateTrace, Segments, TracePoints, WireBuffer, WireStep, WiredConfig, WiredLink};

mod air;
mod flows;
mod mac;
mod nodes;
mod values;
mod wire;

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
    /// Whether nodes wait EIFS after a PPDU that they could not make out (802.11-2020, 10.3.2.3.7), or DIFS and AIFS, as after energy alone.
    pub eifs: bool,
    /// What the applications send.
    pub flows: Vec<FlowConfig>,
    /// Echo requests that measure the latency under load.
    pub pings: Vec<PingConfig>,
    /// How long the cell runs before anything is counted.
    pub warm_up: Duration,
    /// How long it is then measured. Greater than zero.
    pub measured: Duration,
}

/// Another cell on the channel.
#[derive(Clone, PartialEq, Debug)]
pub struct Neighbour {
    /// As reports name it.
    pub name: String,
    /// The cell.
    pub cell: CellConfig,
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

//! Small cells with HACK on their nodes.

use ackless_cell::config::{
    ApQueue, CellConfig, Direction, FlowConfig, MacConfig, Peer, StationConfig, Traffic, TransportConfig,
};
use ackless_cell::result::{FlowResult, RunResult};
use ackless_dot11::frame::NodeId;
use ackless_phy::Standard;
use ackless_schemes::AnyScheme;
use ackless_schemes::hack::{Hack, HackConfig, HackCounters};
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{self, tcp};
use crate::testing::ears;
use crate::testing::sound::assert_sound;
use crate::testing::tested::with_schemes;

/// What a run ended in.
pub struct Run {
    /// As `ackless run` would report it.
    pub result: RunResult,
    /// The counters of all nodes together.
    pub counters: HackCounters,
    /// Those of each node, the AP first.
    pub nodes: Vec<HackCounters>,
    /// Application bytes that each flow has delivered.
    pub delivered: Vec<u64>,
}

/// HACK for a node.
pub fn hack(config: HackConfig) -> AnyScheme {
    AnyScheme::Hack(Box::new(Hack::new(config)))
}

/// Runs a cell with HACK on every node.
pub fn run(config: &CellConfig, hack: HackConfig, seed: u64) -> Run {
    let mut cell = with_schemes(config, seed, |_| self::hack(hack), ears::recorder(config));
    cell.witness_acks();
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let hack = |node| cell.station(NodeId(node as u16)).scheme().product()?.as_hack();
    let counters = |node| *hack(node).expect("HACK is on it").counters();
    let nodes: Vec<_> = (0..=config.stations.len()).map(counters).collect();
    let mut counters = HackCounters::default();
    nodes.iter().for_each(|node| counters += *node);
    let receiver = |flow: usize| match config.flows[flow].direction {
        Direction::Down => 1,
        Direction::Up => 0,
    };
    let endpoint = |flow| cell.flows().endpoint(flow, receiver(flow));
    let delivered = (0..config.flows.len()).map(|flow| endpoint(flow).map_or(0, |tcp| tcp.bytes_delivered().get()));
    let delivered = delivered.collect();
    let events = cell.events();
    let result = cell.into_observer().0.result(config, seed, events);
    Run { result, counters, nodes, delivered }
}

/// What each flow of a cell comes to without HACK.
pub fn stock(config: &CellConfig, seed: u64) -> Vec<FlowResult> {
    let mut cell = with_schemes(config, seed, |_| AnyScheme::Stock, ears::recorder(config));
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let events = cell.events();
    cell.into_observer().0.result(config, seed, events).flows
}

impl Run {
    /// The share of TCP ACKs that were appended to answers.
    pub fn compressed_share(&self) -> f64 {
        let (native, compressed) = (self.counters.native_acks as f64, self.counters.compressed_acks as f64);
        compressed / (native + compressed)
    }

    /// Nothing happened that the protocol rules out while every FCS is honoured.
    pub fn assert_sound(&self, what: &str) {
        assert_sound(&self.counters, what);
    }
}

/// 802.11n, 150 Mbps, A-MPDUs.
pub fn n() -> CellConfig {
    cell(Standard::N)
}

/// 802.11ac, 390 Mbps, A-MPDUs of up to 1 MB; a single MPDU is an A-MPDU too.
pub fn ac() -> CellConfig {
    cell(Standard::Ac)
}

/// 802.11a, 54 Mbps, a frame and an Ack at a time.
pub fn a() -> CellConfig {
    cell(Standard::A)
}

fn cell(standard: Standard) -> CellConfig {
    let mut config = cells::cell(standard);
    "hack".clone_into(&mut config.scheme);
    config.ap.queue = ApQueue::Fifo { packets: 126 };
    config.ap.host_latency = Duration::from_micros(20);
    config.stations = vec![station(0, standard, config.ap.mac)];
    config
}

fn station(number: usize, standard: Standard, mac: MacConfig) -> StationConfig {
    let host_latency = Duration::from_micros(20);
    StationConfig { queue_packets: 100, host_latency, ..cells::station(number, standard, mac) }
}

/// The cell with so many stations, all like the first.
pub fn with_stations(mut config: CellConfig, stations: usize) -> CellConfig {
    let mac = config.stations[0].mac;
    config.stations = (0..stations).map(|number| station(number, config.standard, mac)).collect();
    config
}

/// The cell with one more TCP flow of this size, or without end.
pub fn with_flow(mut config: CellConfig, station: usize, direction: Direction, size: Option<Bytes>) -> CellConfig {
    let flow = cells::flow(config.flows.len(), station, Peer::Server, direction, TransportConfig::Tcp(tcp()));
    let traffic = size.map_or(flow.traffic, |size| Traffic::Finite { size });
    config.flows.push(FlowConfig { traffic, ..flow });
    config
}

/// The cell with the same losses on every station's link, each a probability per frame: data down, control down, data
/// up, control up.
pub fn with_loss(mut config: CellConfig, loss: [f64; 4]) -> CellConfig {
    for station in &mut config.stations {
        station.loss = cells::loss(loss);
    }
    config
}

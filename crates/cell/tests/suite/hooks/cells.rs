//! Small cells, and what is seen of them from outside.

use ackless_cell::Cell;
use ackless_cell::config::{
    AckConfig, ApQueue, CellConfig, CongestionChoice, Direction, FlowConfig, Pace, Peer, StationConfig, TcpConfig,
    Traffic, TransportConfig,
};
use ackless_cell::observe::{Event, Observer};
use ackless_cell::result::RunResult;
use ackless_dot11::frame::{Mpdu, NodeId, Ppdu};
use ackless_dot11::hooks::Scheme;
use ackless_phy::Standard;
use ackless_schemes::Stock;
use ackless_schemes::testing::identification;
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{self, tcp};
use crate::testing::ears;
use crate::testing::tested::Tested;

/// The AP of each cell.
pub const AP: NodeId = NodeId(0);
/// The first station.
pub const STATION: NodeId = NodeId(1);
/// A DIFS of the 802.11a cell, and SIFS of both.
pub const DIFS: Duration = Duration::from_micros(34);
pub const SIFS: Duration = Duration::from_micros(16);

/// What happened in a run.
pub struct Run {
    /// As `ackless run` would report it.
    pub result: RunResult,
    /// Every PPDU.
    pub seen: Vec<Sent>,
    /// Packets that somebody still held at the end.
    pub under_way: usize,
}

/// A PPDU that went on the air.
pub struct Sent {
    /// When.
    pub start: Instant,
    /// The PPDU.
    pub ppdu: Ppdu,
    /// The identifications of the packets in it.
    pub ids: Vec<u16>,
}

#[derive(Default)]
struct Watcher(Vec<Sent>);

impl Observer for Watcher {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Start { ppdu, pool, .. } = event {
            let ids = ppdu.mpdus().iter().map(|mpdu| identification(pool.get(mpdu.packet))).collect();
            self.0.push(Sent { start: now, ppdu: (*ppdu).clone(), ids });
        }
    }
}

impl Sent {
    /// When its last bit left.
    pub fn end(&self) -> Instant {
        self.start + self.ppdu.duration
    }
}

impl Run {
    /// The PPDUs of one node that carry packets.
    pub fn data_from(&self, node: NodeId) -> impl Iterator<Item = &Sent> {
        self.seen.iter().filter(move |sent| sent.ppdu.transmitter == node && !sent.ppdu.mpdus().is_empty())
    }

    /// The link-layer answers of one node, Acks and BlockAcks.
    pub fn answers_from(&self, node: NodeId) -> impl Iterator<Item = &Sent> {
        self.seen.iter().filter(move |sent| sent.ppdu.transmitter == node && sent.ppdu.answer().is_some())
    }

    /// The pure TCP ACKs that one node sent, with the PPDU that each was in and its identification.
    pub fn tcp_acks_from(&self, node: NodeId) -> impl Iterator<Item = (&Sent, &Mpdu, u16)> {
        self.data_from(node).flat_map(|sent| {
            let mpdus = sent.ppdu.mpdus().iter().zip(&sent.ids).filter(|(mpdu, _)| mpdu.tcp_ack);
            mpdus.map(move |(mpdu, &id)| (sent, mpdu, id))
        })
    }

    /// Application bytes that flow `flow` delivered in the measured window.
    pub fn delivered(&self, config: &CellConfig, flow: usize) -> u64 {
        (self.result.flows[flow].goodput_mbps * 1e6 / 8.0 * config.measured.as_secs_f64()).round() as u64
    }
}

/// Runs a cell with these schemes on its nodes.
pub fn run(config: &CellConfig, mut scheme: impl FnMut(NodeId) -> Box<dyn Scheme>) -> Run {
    of(config, &mut scheme)
}

/// Whoever makes the schemes is behind a pointer, so that this is compiled once.
fn of(config: &CellConfig, scheme: &mut dyn FnMut(NodeId) -> Box<dyn Scheme>) -> Run {
    let mut watcher = Watcher::default();
    let scheme = |node| -> Box<dyn Tested> { Box::new(scheme(node)) };
    let mut cell = Cell::new(config, 1, scheme, ears::with(config, &mut watcher));
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let (events, under_way) = (cell.events(), cell.packets_under_way());
    let result = cell.into_observer().0.result(config, 1, events);
    assert_eq!(result.airtime_ns.total(), config.measured, "the ledger accounts for the whole window");
    Run { result, seen: watcher.0, under_way }
}

/// A scheme on one node; the others have none.
pub fn only_on(node: NodeId, scheme: impl Scheme + 'static) -> impl FnMut(NodeId) -> Box<dyn Scheme> {
    let mut scheme = Some(scheme);
    move |other| {
        if other != node {
            return Box::new(Stock);
        }
        Box::new(scheme.take().expect("each node is made once"))
    }
}

/// A scheme on the AP and one on the first station.
pub fn on_both(ap: impl Scheme + 'static, station: impl Scheme + 'static) -> impl FnMut(NodeId) -> Box<dyn Scheme> {
    let (mut ap, mut station) = (only_on(AP, ap), only_on(STATION, station));
    move |node| if node == AP { ap(node) } else { station(node) }
}

/// 802.11n, 150 Mbps, A-MPDUs, BlockAcks at 24 Mbps, 100 ms: one station without flows. No queue is short enough to drop anything.
pub fn aggregating() -> CellConfig {
    cell(Standard::N)
}

/// 802.11a, 54 Mbps, a frame and an Ack at a time, 100 ms: one station without flows.
pub fn single_frames() -> CellConfig {
    cell(Standard::A)
}

fn cell(standard: Standard) -> CellConfig {
    let mut config = cells::cell(standard);
    config.ap.queue = ApQueue::Fifo { packets: 2000 };
    config.stations[0].queue_packets = 1000;
    config.measured = Duration::from_millis(100);
    config
}

/// The cell with one more station like the first.
pub fn with_another_station(mut config: CellConfig) -> CellConfig {
    let another = cells::station(1, config.standard, config.stations[0].mac);
    config.stations.push(StationConfig { queue_packets: 1000, ..another });
    config
}

/// The cell with a TCP download to the first station, an ACK for each segment.
pub fn with_tcp(mut config: CellConfig) -> CellConfig {
    let ack = AckConfig { every: 1, timeout: Duration::from_millis(40) };
    let tcp = TcpConfig { congestion: CongestionChoice::NewReno, ack, ..tcp() };
    config.flows.push(flow("tcp", Direction::Down, TransportConfig::Tcp(tcp), Pace::Saturating));
    config
}

/// The cell with datagrams of 1500 bytes, 1472 of them payload, at this pace.
pub fn with_udp(mut config: CellConfig, direction: Direction, pace: Pace) -> CellConfig {
    let name = format!("udp{}", config.flows.len());
    config.flows.push(flow(
        &name,
        direction,
        TransportConfig::Udp { payload: Bytes(1472), answers: None, buffer: Bytes::ZERO },
        pace,
    ));
    config
}

fn flow(name: &str, direction: Direction, transport: TransportConfig, pace: Pace) -> FlowConfig {
    let flow = cells::flow(0, 0, Peer::Server, direction, transport);
    FlowConfig { name: name.to_owned(), traffic: Traffic::Bulk(pace), ..flow }
}

/// The cell with these losses on the first station's link, each a probability per frame: data down, control down, data up, control up.
pub fn with_loss(mut config: CellConfig, loss: [f64; 4]) -> CellConfig {
    config.stations[0].loss = cells::loss(loss);
    config
}

//! Small cells of every standard, and what is seen of them from outside.

use ackless_cell::config::{
    Access, AckConfig, AggregationConfig, AirChanges, AnswerRate, ApConfig, ApQueue, ApScheduler, BackoffPolicy,
    CellConfig, CongestionChoice, Delivery, Direction, Distance, FlowConfig, FrameLoss, Gro, Hearing, LinkLoss,
    MacConfig, Pace, Peer, Probability, RateControl, SchemeChoice, ServerConfig, StationConfig, TcpConfig, Topology,
    Traffic, TransportConfig, WiredConfig, WiredLink,
};
use ackless_cell::observe::{Event, Observer};
use ackless_cell::result::RunResult;
use ackless_cell::{Cell, scheme};
use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_dot11::hooks::Scheme;
use ackless_phy::{
    Band, BasicRates, DsssMode, DsssRate, GuardInterval, HtMode, LinkBudget, OfdmRate, Standard, Timing, TxVector,
    VhtMode, Width,
};
use ackless_schemes::AnyScheme;
use ackless_wire::{BitRate, Bytes, Duration, Instant, PacketPool};

use crate::testing::ears;
use crate::testing::tested::Tested;

/// The AP of each cell.
pub const AP: NodeId = NodeId(0);

/// What happened in a run.
pub struct Run {
    /// As `ackless run` would report it.
    pub result: RunResult,
    /// Every PPDU, and the bytes of its first frame.
    pub seen: Vec<Sent>,
    /// What the schemes counted, the AP's first.
    pub counts: Vec<Vec<(&'static str, u64)>>,
    /// Packets that somebody still held at the end.
    pub under_way: usize,
}

/// A PPDU that went on the air.
pub struct Sent {
    /// The PPDU.
    pub ppdu: Ppdu,
    /// Its first frame as bytes.
    pub bytes: Vec<u8>,
}

#[derive(Default)]
struct Watcher(Vec<Sent>);

impl Observer for Watcher {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Start { ppdu, pool, .. } = event {
            self.0.push(Sent { ppdu: (*ppdu).clone(), bytes: bytes(ppdu, now, pool) });
        }
    }
}

fn bytes(ppdu: &Ppdu, start: Instant, pool: &PacketPool) -> Vec<u8> {
    let mut bytes = Vec::new();
    ppdu.emit_frame(0, start, pool, &mut bytes);
    bytes
}

impl Run {
    /// The PPDUs with packets from one node to another, or to the group in which that is alone.
    pub fn data(&self, from: u16, to: u16) -> impl Iterator<Item = &Sent> {
        self.seen.iter().filter(move |sent| {
            let ppdu = &sent.ppdu;
            ppdu.transmitter == NodeId(from) && ppdu.receiver.station() == NodeId(to) && !ppdu.mpdus().is_empty()
        })
    }

    /// What the scheme of a node has counted under this name.
    pub fn count(&self, node: usize, name: &str) -> u64 {
        self.counts[node].iter().find(|(counter, _)| *counter == name).map_or(0, |(_, count)| *count)
    }

    /// Megabits per second of all flows.
    pub fn goodput(&self) -> f64 {
        self.result.goodput_mbps
    }
}

/// Runs a cell with the schemes that it names.
pub fn run(config: &CellConfig) -> Run {
    whole(config, &mut |node| Box::new(scheme(config, node)))
}

/// Runs a cell with these schemes on its nodes.
pub fn run_with(config: &CellConfig, mut scheme: impl FnMut(NodeId) -> Box<dyn Scheme>) -> Run {
    whole(config, &mut |node| Box::new(scheme(node)))
}

/// Whoever makes the schemes is behind a pointer, so that this is compiled once.
fn whole(config: &CellConfig, scheme: &mut dyn FnMut(NodeId) -> Box<dyn Tested>) -> Run {
    let mut watcher = Watcher::default();
    let mut cell = Cell::new(config, 1, scheme, ears::with(config, &mut watcher));
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let nodes = (0..=config.stations.len()).map(|node| NodeId(node as u16));
    let counts =
        nodes.map(|node| cell.station(node).scheme().product().map(AnyScheme::counts).unwrap_or_default()).collect();
    let (events, under_way) = (cell.events(), cell.packets_under_way());
    let result = cell.into_observer().0.result(config, 1, events);
    assert_eq!(result.airtime_ns.total(), config.measured, "the ledger accounts for the whole window");
    Run { result, seen: watcher.0, counts, under_way }
}

/// A cell of this standard with one station, no flows and no losses; 802.11n and ac aggregate.
pub fn cell(standard: Standard) -> CellConfig {
    let link = WiredLink::clean(BitRate::from_mbps(500), Duration::from_millis(1), 10_000);
    let mac = mac(standard);
    CellConfig {
        scheme: "test".to_owned(),
        topology: Topology::Infrastructure,
        standard,
        band: band(standard),
        basic_rates: BasicRates::of(standard),
        answer_rate: AnswerRate::ByRule,
        group_rate: None,
        beacons: None,
        ap: ApConfig {
            scheme: SchemeChoice::Stock,
            mac,
            queue: ApQueue::Fifo { packets: 200 },
            scheduler: ApScheduler::RoundRobin,
            shares_queue: false,
            device: None,
            host_latency: Duration::ZERO,
        },
        stations: vec![station(0, standard, mac)],
        server: ServerConfig::default(),
        wired: WiredConfig {
            down: link,
            up: link,
            mtu: Bytes(1500),
            steps: Vec::new(),
            down_trace: None,
            up_trace: None,
        },
        propagation: LinkBudget::default(),
        hearing: Hearing::All,
        neighbours: Vec::new(),
        delivery: Delivery::PerPpdu,
        counts_in_flight: false,
        idle_at_end: false,
        eifs: true,
        flows: Vec::new(),
        pings: Vec::new(),
        warm_up: Duration::ZERO,
        measured: Duration::from_millis(500),
    }
}

/// The cell with so many stations, all alike.
pub fn with_stations(mut config: CellConfig, stations: usize) -> CellConfig {
    let mac = config.ap.mac;
    config.stations = (0..stations).map(|number| station(number, config.standard, mac)).collect();
    config
}

/// The cell with a TCP flow without end between a station and its peer, CUBIC and delayed ACKs.
pub fn with_tcp(mut config: CellConfig, station: usize, peer: Peer, direction: Direction) -> CellConfig {
    let flow = flow(config.flows.len(), station, peer, direction, TransportConfig::Tcp(tcp()));
    config.flows.push(flow);
    config
}

/// CUBIC and delayed ACKs, with buffers of 1 MiB.
pub fn tcp() -> TcpConfig {
    TcpConfig {
        congestion: CongestionChoice::Cubic,
        ack: AckConfig { every: 2, timeout: Duration::from_millis(40) },
        packet: Bytes(1500),
        sack: true,
        timestamps: true,
        window_scaling: true,
        initial_window: 10,
        rto_min: Duration::from_millis(200),
        send_buffer: Bytes(1 << 20),
        receive_buffer: Bytes(1 << 20),
        read_rate: None,
        ..TcpConfig::default()
    }
}

/// The cell with datagrams of 1500 bytes, as fast as they can be queued.
pub fn with_udp(mut config: CellConfig, station: usize, peer: Peer, direction: Direction) -> CellConfig {
    let udp = TransportConfig::Udp { payload: Bytes(1472), answers: None, buffer: Bytes::ZERO };
    let flow = flow(config.flows.len(), station, peer, direction, udp);
    config.flows.push(flow);
    config
}

/// Flow `number`, without end, from the start of the run on.
pub fn flow(number: usize, station: usize, peer: Peer, direction: Direction, transport: TransportConfig) -> FlowConfig {
    FlowConfig {
        name: format!("flow {number}"),
        station,
        direction,
        peer,
        transport,
        traffic: Traffic::Bulk(Pace::Saturating),
        start: Instant::ZERO,
    }
}

/// What each node of the cell says of its MAC, the AP first.
pub fn macs(config: &mut CellConfig) -> impl Iterator<Item = &mut MacConfig> {
    std::iter::once(&mut config.ap.mac).chain(config.stations.iter_mut().map(|station| &mut station.mac))
}

/// The losses of a link per frame: data down, control down, data up, control up.
pub fn loss([data_down, control_down, data_up, control_up]: [f64; 4]) -> LinkLoss {
    let p = |p| Probability::new(p).expect("a test's probability is one");
    LinkLoss::PerFrame {
        down: FrameLoss { data: p(data_down), control: p(control_down) },
        up: FrameLoss { data: p(data_up), control: p(control_up) },
    }
}

/// How data is sent in a cell of this standard: 11 Mbps in 802.11b, 54 in a and g, 150 in n, 390 in ac.
pub fn rate(standard: Standard) -> TxVector {
    match standard {
        Standard::B => TxVector::Dsss(DsssMode::long(DsssRate::Mbps11)),
        Standard::A | Standard::G => TxVector::ofdm(OfdmRate::Mbps54, band(standard)),
        Standard::N => {
            TxVector::Ht(HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("a mode of 802.11n"))
        }
        Standard::Ac => {
            TxVector::Vht(VhtMode::new(8, 1, Width::Mhz80, GuardInterval::Short).expect("a mode of 802.11ac"))
        }
    }
}

/// The band of these cells: 2.4 GHz for 802.11b and g, else 5.
pub const fn band(standard: Standard) -> Band {
    match standard {
        Standard::B | Standard::G => Band::Ghz2_4,
        Standard::A | Standard::N | Standard::Ac => Band::Ghz5,
    }
}

/// How nodes of this standard get at the medium; 802.11n and ac aggregate.
pub fn mac(standard: Standard) -> MacConfig {
    let Timing { cw_min, cw_max, .. } = Timing::of(standard, band(standard));
    let max_bytes = if standard == Standard::Ac { Bytes(1_048_575) } else { Bytes(65_535) };
    let terms = AggregationConfig { max_bytes, max_mpdus: 64, window: 64, min_spacing: Duration::ZERO, amsdu: None };
    MacConfig {
        access: if standard.is_qos() {
            Access::Edca { aifsn: 3, cw_min, cw_max, txop_limit: Duration::ZERO }
        } else {
            Access::Dcf { cw_min, cw_max }
        },
        backoff: BackoffPolicy::Standard,
        aggregation: standard.is_qos().then_some(terms),
        rts_threshold: None,
        retry_limit: Some(7),
        ack_timeout_extra: Duration::ZERO,
        answer_delay: Duration::ZERO,
    }
}

/// Station `number` of a cell of this standard, without a scheme and without losses.
pub fn station(number: usize, standard: Standard, mac: MacConfig) -> StationConfig {
    StationConfig {
        name: format!("station {number}"),
        distance: Distance(1000),
        scheme: SchemeChoice::Stock,
        via: None,
        down: rate(standard),
        up: rate(standard),
        mac,
        four_address: false,
        queue_packets: 200,
        host_latency: Duration::ZERO,
        host_latency_spread: Duration::ZERO,
        gro: Gro::Off,
        tsq: None,
        tso: None,
        host_loss: Probability::NEVER,
        loss: LinkLoss::None,
        changes: AirChanges::default(),
        rate_control: RateControl::Fixed,
    }
}

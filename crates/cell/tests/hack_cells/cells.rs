//! Small cells with HACK on their nodes.

use crate::sound::assert_sound;
use ackless_cell::Cell;
use ackless_cell::config::{
    Access, AckConfig, AggregationConfig, AirChanges, AnswerRate, ApConfig, ApQueue, ApScheduler, BackoffPolicy,
    CellConfig, CongestionChoice, Delivery, Direction, Distance, FlowConfig, FrameLoss, Gro, Hearing, LinkLoss,
    MacConfig, Pace, Peer, Probability, RateControl, SchemeChoice, ServerConfig, StationConfig, TcpConfig, Topology,
    Traffic, TransportConfig, WireBuffer, WiredConfig, WiredLink,
};
use ackless_cell::recorder::Recorder;
use ackless_cell::result::{FlowResult, RunResult};
use ackless_dot11::frame::NodeId;
use ackless_phy::{Band, BasicRates, GuardInterval, HtMode, LinkBudget, OfdmRate, Standard, TxVector, VhtMode, Width};
use ackless_schemes::Stock;
use ackless_schemes::hack::{Hack, HackConfig, HackCounters};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

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

/// Runs a cell with HACK on every node.
pub fn run(config: &CellConfig, hack: HackConfig, seed: u64) -> Run {
    let mut cell = Cell::new(config, seed, |_| Hack::new(hack), Recorder::new(config));
    cell.witness_acks();
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let nodes: Vec<_> =
        (0..=config.stations.len()).map(|node| *cell.station(NodeId(node as u16)).scheme().counters()).collect();
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
    let result = cell.into_observer().result(config, seed, events);
    Run { result, counters, nodes, delivered }
}

/// What each flow of a cell comes to without HACK.
pub fn stock(config: &CellConfig, seed: u64) -> Vec<FlowResult> {
    let mut cell = Cell::new(config, seed, |_| Stock, Recorder::new(config));
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let events = cell.events();
    cell.into_observer().result(config, seed, events).flows
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
    let rate = HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("150 Mbps is a mode of 802.11n");
    cell(Standard::N, TxVector::Ht(rate), edca(65_535))
}

/// 802.11ac, 390 Mbps, A-MPDUs of up to 1 MB; a single MPDU is an A-MPDU too.
pub fn ac() -> CellConfig {
    let rate = VhtMode::new(8, 1, Width::Mhz80, GuardInterval::Short).expect("390 Mbps is a mode of 802.11ac");
    cell(Standard::Ac, TxVector::Vht(rate), edca(1_048_575))
}

/// 802.11a, 54 Mbps, a frame and an Ack at a time.
pub fn a() -> CellConfig {
    let access = Access::Dcf { cw_min: 15, cw_max: 1023 };
    cell(Standard::A, TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5), mac(access, None))
}

fn edca(max_bytes: u64) -> MacConfig {
    let access = Access::Edca { aifsn: 3, cw_min: 15, cw_max: 1023, txop_limit: Duration::ZERO };
    let terms = AggregationConfig {
        max_bytes: Bytes(max_bytes),
        max_mpdus: 64,
        window: 64,
        min_spacing: Duration::ZERO,
        amsdu: None,
    };
    mac(access, Some(terms))
}

fn mac(access: Access, aggregation: Option<AggregationConfig>) -> MacConfig {
    MacConfig {
        backoff: BackoffPolicy::Standard,
        access,
        aggregation,
        rts_threshold: None,
        retry_limit: Some(7),
        ack_timeout_extra: Duration::ZERO,
        answer_delay: Duration::ZERO,
    }
}

fn cell(standard: Standard, rate: TxVector, mac: MacConfig) -> CellConfig {
    let link = WiredLink {
        rate: BitRate::from_mbps(500),
        delay: Duration::from_millis(1),
        loss: Probability::NEVER,
        reorder: Probability::NEVER,
        reorder_delay: Duration::ZERO,
        jitter: Duration::ZERO,
        jitter_reorders: false,
        buffer: WireBuffer::Packets(10_000),
    };
    CellConfig {
        group_rate: None,
        scheme: "hack".to_owned(),
        topology: Topology::Infrastructure,
        standard,
        band: Band::Ghz5,
        basic_rates: BasicRates::of(standard),
        answer_rate: AnswerRate::ByRule,
        beacons: None,
        ap: ApConfig {
            scheme: SchemeChoice::Stock,
            mac,
            queue: ApQueue::Fifo { packets: 126 },
            scheduler: ApScheduler::RoundRobin,
            shares_queue: false,
            device: None,
            host_latency: Duration::from_micros(20),
        },
        stations: vec![station(0, rate, mac)],
        server: ServerConfig::default(),
        wired: WiredConfig { down: link, up: link, mtu: Bytes(1500), steps: Vec::new() },
        propagation: LinkBudget::default(),
        hearing: Hearing::All,
        neighbours: Vec::new(),
        delivery: Delivery::PerPpdu,
        counts_in_flight: false,
        idle_at_end: false,
        flows: Vec::new(),
        pings: Vec::new(),
        warm_up: Duration::ZERO,
        measured: Duration::from_millis(500),
    }
}

fn station(number: usize, rate: TxVector, mac: MacConfig) -> StationConfig {
    StationConfig {
        name: format!("station {number}"),
        distance: Distance(1000),
        scheme: SchemeChoice::Stock,
        down: rate,
        up: rate,
        mac,
        four_address: false,
        via: None,
        queue_packets: 100,
        host_latency: Duration::from_micros(20),
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

/// The cell with so many stations, all like the first.
pub fn with_stations(mut config: CellConfig, stations: usize) -> CellConfig {
    let first = config.stations[0].clone();
    config.stations = (0..stations).map(|number| station(number, first.up, first.mac)).collect();
    config
}

/// The cell with one more TCP flow of this size, or without end.
pub fn with_flow(mut config: CellConfig, station: usize, direction: Direction, size: Option<Bytes>) -> CellConfig {
    let tcp = TcpConfig {
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
    };
    config.flows.push(FlowConfig {
        name: format!("flow {}", config.flows.len()),
        station,
        direction,
        peer: Peer::Server,
        transport: TransportConfig::Tcp(tcp),
        traffic: size.map_or(Traffic::Bulk(Pace::Saturating), |size| Traffic::Finite { size }),
        start: Instant::ZERO,
    });
    config
}

/// The cell with the same losses on every station's link, each a probability per frame: data down, control down, data
/// up, control up.
pub fn with_loss(mut config: CellConfig, [data_down, control_down, data_up, control_up]: [f64; 4]) -> CellConfig {
    let p = |p| Probability::new(p).expect("a test's probability is one");
    for station in &mut config.stations {
        station.loss = LinkLoss::PerFrame {
            down: FrameLoss { data: p(data_down), control: p(control_down) },
            up: FrameLoss { data: p(data_up), control: p(control_up) },
        };
    }
    config
}

//! Small cells with HACK on their nodes.

use ackless_cell::config::{
    Access, AckConfig, AggregationConfig, AirChanges, AnswerRate, ApConfig, ApQueue, ApScheduler, BackoffPolicy,
    CellConfig, CongestionChoice, Delivery, Direction, Distance, FlowConfig, Gro, Hearing, LinkLoss, MacConfig, Peer,
    Probability, RateControl, SchemeChoice, ServerConfig, StationConfig, TcpConfig, Topology, Traffic, TransportConfig,
    WireBuffer, WiredConfig, WiredLink,
};
use ackless_phy::{
    Band, BasicRates, DsssMode, DsssRate, GuardInterval, HtMode, LinkBudget, OfdmRate, Standard, Timing, TxVector,
    VhtMode, Width,
};
use ackless_schemes::hack::HackConfig;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

/// A cell of this standard with one station and HACK by default on both ends, no flows and no losses. With EDCA it aggregates up to
/// `mpdus` MPDUs.
pub fn cell(standard: Standard, mpdus: u16) -> CellConfig {
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
    let mac = mac(standard, mpdus);
    let hack = SchemeChoice::Hack(HackConfig { aifs: interframe_space(standard), ..HackConfig::default() });
    CellConfig {
        group_rate: None,
        scheme: "hack".to_owned(),
        topology: Topology::Infrastructure,
        standard,
        band: band(standard),
        basic_rates: BasicRates::of(standard),
        answer_rate: AnswerRate::ByRule,
        beacons: None,
        ap: ApConfig {
            scheme: hack,
            mac,
            queue: ApQueue::Fifo { packets: 126 },
            scheduler: ApScheduler::RoundRobin,
            shares_queue: false,
            device: None,
            host_latency: Duration::from_micros(20),
        },
        stations: vec![station(0, standard, mac, hack)],
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
        measured: Duration::from_secs(1),
    }
}

/// The cell with so many stations, all like the first.
pub fn with_stations(mut config: CellConfig, stations: usize) -> CellConfig {
    let StationConfig { mac, scheme, .. } = config.stations[0];
    config.stations = (0..stations).map(|number| station(number, config.standard, mac, scheme)).collect();
    config
}

/// The cell with one more TCP flow, of this size.
pub fn with_transfer(mut config: CellConfig, station: usize, direction: Direction, size: Bytes) -> CellConfig {
    config.flows.push(transfer(config.flows.len(), station, direction, size));
    config
}

/// Flow `number`: a transfer of this size that starts at once.
pub fn transfer(number: usize, station: usize, direction: Direction, size: Bytes) -> FlowConfig {
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
    FlowConfig {
        name: format!("flow {number}"),
        station,
        direction,
        peer: Peer::Server,
        transport: TransportConfig::Tcp(tcp),
        traffic: Traffic::Finite { size },
        start: Instant::ZERO,
    }
}

/// Flow `number`, which never starts: it only takes up a number, and so its ports.
pub fn dormant(number: usize) -> FlowConfig {
    FlowConfig { start: Instant::FAR_FUTURE, ..transfer(number, 0, Direction::Down, Bytes(1)) }
}

/// What the flow's connection can be told.
pub fn tcp_of(flow: &mut FlowConfig) -> &mut TcpConfig {
    match &mut flow.transport {
        TransportConfig::Tcp(tcp) => tcp,
        TransportConfig::Udp { .. } => unreachable!("all flows of these tests are TCP"),
    }
}

/// What the node's HACK can be told; `None` for a legacy station.
pub fn hack_of(scheme: &mut SchemeChoice) -> Option<&mut HackConfig> {
    match scheme {
        SchemeChoice::Hack(hack) => Some(hack),
        _ => None,
    }
}

/// The rates of a standard that these tests use, the usual one first.
pub fn rates(standard: Standard) -> Vec<TxVector> {
    let ht = |mcs| HtMode::new(mcs, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("a mode of 802.11n");
    let vht = |mcs| VhtMode::new(mcs, 1, Width::Mhz80, GuardInterval::Short).expect("a mode of 802.11ac");
    let ofdm = [OfdmRate::Mbps54, OfdmRate::Mbps24, OfdmRate::Mbps12];
    match standard {
        Standard::B => [DsssRate::Mbps11, DsssRate::Mbps5_5].map(|rate| TxVector::Dsss(DsssMode::long(rate))).to_vec(),
        Standard::A | Standard::G => ofdm.map(|rate| TxVector::ofdm(rate, band(standard))).to_vec(),
        Standard::N => [7, 3, 0].map(|mcs| TxVector::Ht(ht(mcs))).to_vec(),
        Standard::Ac => [8, 4, 0].map(|mcs| TxVector::Vht(vht(mcs))).to_vec(),
    }
}

const fn band(standard: Standard) -> Band {
    match standard {
        Standard::B | Standard::G => Band::Ghz2_4,
        Standard::A | Standard::N | Standard::Ac => Band::Ghz5,
    }
}

/// DIFS or AIFS.
fn interframe_space(standard: Standard) -> Duration {
    let timing = Timing::of(standard, band(standard));
    if standard.is_qos() { timing.aifs(AIFSN) } else { timing.difs() }
}

fn mac(standard: Standard, mpdus: u16) -> MacConfig {
    let Timing { cw_min, cw_max, .. } = Timing::of(standard, band(standard));
    let max_bytes = if standard == Standard::Ac { Bytes(1_048_575) } else { Bytes(65_535) };
    let terms = AggregationConfig { max_bytes, max_mpdus: mpdus, window: 64, min_spacing: Duration::ZERO, amsdu: None };
    MacConfig {
        backoff: BackoffPolicy::Standard,
        access: if standard.is_qos() {
            Access::Edca { aifsn: AIFSN, cw_min, cw_max, txop_limit: Duration::ZERO }
        } else {
            Access::Dcf { cw_min, cw_max }
        },
        aggregation: standard.is_qos().then_some(terms),
        rts_threshold: None,
        retry_limit: Some(7),
        ack_timeout_extra: Duration::ZERO,
        answer_delay: Duration::ZERO,
    }
}

fn station(number: usize, standard: Standard, mac: MacConfig, scheme: SchemeChoice) -> StationConfig {
    let rate = rates(standard)[0];
    StationConfig {
        name: format!("station {number}"),
        distance: Distance(1000),
        scheme,
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

/// AIFSN of best effort.
const AIFSN: u8 = 3;

//! Whole runs: what their files say agrees with what the runs say.

use ackless_cell::config::{
    Access, AckConfig, AggregationConfig, AirChanges, AnswerRate, ApConfig, ApQueue, ApScheduler, BackoffPolicy,
    BeaconConfig, CellConfig, CongestionChoice, Delivery, Direction, Distance, FlowConfig, FrameLoss, Gro, Hearing,
    LinkLoss, MacConfig, Pace, Peer, Probability, RateControl, SchemeChoice, ServerConfig, StationConfig, TcpConfig,
    Topology, Traffic, TransportConfig, WiredConfig, WiredLink,
};
use ackless_cell::pcap::PcapWriter;
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_cell::run_observed;
use ackless_phy::{
    Band, BasicRates, DsssMode, DsssRate, GuardInterval, HtMode, LinkBudget, OfdmRate, Preamble, Standard, TxVector,
    VhtMode, Width,
};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::airtime::{busy_time, medium_busy, transmissions};

/// A cell of every standard, each with something that the others have not.
pub fn cells() -> Vec<CellConfig> {
    let long = GuardInterval::Long;
    let ht = HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("MCS 7 exists");
    let low = HtMode::new(12, Width::Mhz20, long, Band::Ghz2_4).expect("MCS 12 exists");
    let vht = VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("MCS 9 exists at 80 MHz");
    let short = DsssMode::new(DsssRate::Mbps11, Preamble::Short).expect("11 Mbps has a short preamble");
    let mut n = cell(Standard::N, Band::Ghz5, TxVector::Ht(ht));
    n.beacons =
        Some(BeaconConfig { interval: ms(20), tx: TxVector::ofdm(OfdmRate::Mbps6, Band::Ghz5), size: Bytes(200) });
    n.ap.mac.rts_threshold = Some(Bytes(3_000));
    let mut spaced = cell(Standard::N, Band::Ghz2_4, TxVector::Ht(low));
    for mac in macs(&mut spaced) {
        let aggregation = mac.aggregation.as_mut().expect("802.11n aggregates");
        aggregation.min_spacing = SPACING;
    }
    let mut ac = cell(Standard::Ac, Band::Ghz5, TxVector::Vht(vht));
    ac.stations[0].four_address = true;
    for mac in macs(&mut ac) {
        mac.aggregation.as_mut().expect("802.11ac aggregates").max_bytes = Bytes(1_048_575);
    }
    let a = cell(Standard::A, Band::Ghz5, TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5));
    let g = cell(Standard::G, Band::Ghz2_4, TxVector::ofdm(OfdmRate::Mbps36, Band::Ghz2_4));
    let mut b = cell(Standard::B, Band::Ghz2_4, TxVector::Dsss(short));
    b.flows[0].transport = TransportConfig::Udp { payload: Bytes(1_472), answers: None };
    vec![n, spaced, ac, a, g, b, mixed(TxVector::Ht(ht), LEGACY), mixed(LEGACY, TxVector::Ht(ht))]
}

/// An 802.11n cell whose stations are sent to by one PHY and send by another.
fn mixed(down: TxVector, up: TxVector) -> CellConfig {
    let mut config = cell(Standard::N, Band::Ghz5, down);
    for station in &mut config.stations {
        station.up = up;
    }
    config
}

/// The minimum MPDU start spacing in a cell of [`cells`], in nanoseconds.
pub fn spacing(config: &CellConfig) -> u64 {
    config.ap.mac.aggregation.map_or(0, |aggregation| aggregation.min_spacing.as_nanos())
}

/// Runs a cell into a file.
pub fn record(config: &CellConfig, seed: u64) -> (Vec<u8>, RunResult) {
    let mut writer = PcapWriter::of_cell(Vec::new(), config).expect("memory takes everything");
    let result = run_observed(config, seed, &mut writer);
    (writer.finish().expect("memory takes everything"), result)
}

/// An AP and two stations with a TCP flow down and one up, and a little loss.
fn cell(standard: Standard, band: Band, data: TxVector) -> CellConfig {
    let mac = mac(standard);
    let station = |name: &str| StationConfig {
        name: name.to_owned(),
        distance: Distance(3_000),
        scheme: SchemeChoice::Stock,
        down: data,
        up: data,
        mac,
        four_address: false,
        via: None,
        queue_packets: 126,
        host_latency: Duration::from_micros(20),
        host_latency_spread: Duration::ZERO,
        gro: Gro::Off,
        tsq: None,
        tso: None,
        host_loss: Probability::NEVER,
        loss: LinkLoss::PerFrame { down: loss(0.02), up: loss(0.02) },
        changes: AirChanges::default(),
        rate_control: RateControl::Fixed,
    };
    let flow = |name: &str, station, direction| FlowConfig {
        name: name.to_owned(),
        station,
        direction,
        peer: Peer::Server,
        transport: TransportConfig::Tcp(tcp()),
        traffic: Traffic::Bulk(Pace::Saturating),
        start: Instant::ZERO + ms(1),
    };
    let link = WiredLink::clean(BitRate::from_mbps(500), ms(1), 1_000);
    CellConfig {
        group_rate: None,
        scheme: "stock".to_owned(),
        topology: Topology::Infrastructure,
        standard,
        band,
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
        stations: vec![station("laptop"), station("phone")],
        server: ServerConfig::default(),
        wired: WiredConfig { down: link, up: link, mtu: Bytes(1_500), steps: Vec::new() },
        propagation: LinkBudget::default(),
        hearing: Hearing::All,
        neighbours: Vec::new(),
        delivery: Delivery::PerPpdu,
        counts_in_flight: false,
        idle_at_end: false,
        flows: vec![flow("download", 0, Direction::Down), flow("upload", 1, Direction::Up)],
        pings: Vec::new(),
        warm_up: ms(30),
        measured: ms(70),
    }
}

fn mac(standard: Standard) -> MacConfig {
    let aggregation = AggregationConfig {
        max_bytes: Bytes(65_535),
        max_mpdus: 64,
        window: 64,
        min_spacing: Duration::ZERO,
        amsdu: None,
    };
    let (access, aggregation) = match standard {
        Standard::N | Standard::Ac => {
            (Access::Edca { aifsn: 3, cw_min: 15, cw_max: 1023, txop_limit: Duration::ZERO }, Some(aggregation))
        }
        Standard::B => (Access::Dcf { cw_min: 31, cw_max: 1023 }, None),
        Standard::A | Standard::G => (Access::Dcf { cw_min: 15, cw_max: 1023 }, None),
    };
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

fn macs(config: &mut CellConfig) -> impl Iterator<Item = &mut MacConfig> {
    std::iter::once(&mut config.ap.mac).chain(config.stations.iter_mut().map(|station| &mut station.mac))
}

fn tcp() -> TcpConfig {
    TcpConfig {
        congestion: CongestionChoice::Cubic,
        ack: AckConfig { every: 2, timeout: ms(40) },
        packet: Bytes(1_500),
        sack: true,
        timestamps: true,
        window_scaling: true,
        initial_window: 10,
        rto_min: ms(200),
        send_buffer: Bytes::from_kib(1024),
        receive_buffer: Bytes::from_kib(1024),
        read_rate: None,
        ..TcpConfig::default()
    }
}

fn loss(p: f64) -> FrameLoss {
    let p = Probability::new(p).expect("a probability");
    FrameLoss { data: p, control: p }
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A rate without A-MPDUs.
const LEGACY: TxVector = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);

/// A minimum MPDU start spacing that delimiters of length zero have to make up for between TCP ACKs.
const SPACING: Duration = Duration::from_micros(16);

/// What the ledger books while the medium is busy.
const BUSY: [AirtimeClass; 11] = [
    AirtimeClass::Payload,
    AirtimeClass::Headers,
    AirtimeClass::Preambles,
    AirtimeClass::LinkAcks,
    AirtimeClass::Appended,
    AirtimeClass::TcpAcks,
    AirtimeClass::BlockAckRequests,
    AirtimeClass::RtsCts,
    AirtimeClass::Beacons,
    AirtimeClass::Collisions,
    AirtimeClass::Retransmissions,
];

#[test]
fn busy_time_worked_out_from_the_file_is_that_of_the_ledger() {
    for config in cells() {
        for seed in 1..=3 {
            let (file, result) = record(&config, seed);
            let found = transmissions(&file, spacing(&config));
            let busy = medium_busy(&found, Instant::ZERO + config.warm_up, config.end());
            let booked: Duration = BUSY.iter().map(|&class| result.airtime_ns[class]).sum();
            assert_eq!(busy, booked, "{:?}, seed {seed}", config.standard);
            assert!(busy > config.measured / 3, "{:?}, seed {seed}: the cell is loaded", config.standard);
            let nodes = busy_time(&file, spacing(&config));
            assert_eq!(nodes.keys().collect::<Vec<_>>(), ["ap", "laptop", "phone"]);
        }
    }
}

#[test]
fn the_file_has_every_ppdu_that_the_run_counted() {
    for mut config in cells() {
        config.warm_up = Duration::ZERO;
        let (file, result) = record(&config, 5);
        let total = &result.counters.total;
        let counted =
            total.data_ppdus + total.acks + total.block_acks + total.block_ack_requests + total.rts + total.cts;
        let found = transmissions(&file, spacing(&config)).len() as u64;
        assert_eq!(found, counted + total.beacons, "{:?}", config.standard);
    }
}

#[test]
fn a_link_has_a_mpdus_in_the_direction_whose_phy_carries_them() {
    let ht = HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("MCS 7 exists");
    for (down, up) in [(TxVector::Ht(ht), LEGACY), (LEGACY, TxVector::Ht(ht))] {
        let (_, result) = record(&mixed(down, up), 1);
        let [ap, laptop, phone] = &result.counters.nodes[..] else { panic!("three nodes") };
        // The one who sends more than ACKs has something to aggregate.
        let (aggregating, single) = if down == LEGACY { (phone, vec![ap]) } else { (ap, vec![laptop, phone]) };
        assert!(aggregating.counters.data_mpdus > aggregating.counters.data_ppdus * 2, "{}", aggregating.name);
        for node in single {
            assert_eq!(node.counters.data_mpdus, node.counters.data_ppdus, "{} sends single frames", node.name);
        }
        assert!(result.flows.iter().all(|flow| flow.goodput_mbps > 2.0), "{:?}", result.flows);
    }
}

#[test]
fn the_same_seed_gives_the_same_file_and_another_one_does_not() {
    let config = &cells()[0];
    let (first, _) = record(config, 11);
    assert!(first == record(config, 11).0, "byte for byte");
    assert!(first != record(config, 12).0);
}

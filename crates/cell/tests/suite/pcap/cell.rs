//! Whole runs: what their files say agrees with what the runs say.

use ackless_cell::config::{
    AggregationConfig, ApQueue, BeaconConfig, CellConfig, Direction, Distance, FlowConfig, Peer, TransportConfig,
    WiredLink,
};
use ackless_cell::pcap::PcapWriter;
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_cell::run_observed;
use ackless_phy::{
    Band, DsssMode, DsssRate, GuardInterval, HtMode, OfdmRate, Preamble, Standard, TxVector, VhtMode, Width,
};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::pcap::airtime::{busy_time, medium_busy, transmissions};
use crate::testing::cells::{self, loss, macs, tcp, with_stations};

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
    b.flows[0].transport = TransportConfig::Udp { payload: Bytes(1_472), answers: None, buffer: Bytes::ZERO };
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
    let mut config = with_stations(cells::cell(standard), 2);
    for mac in macs(&mut config) {
        mac.aggregation = mac.aggregation.map(|terms| AggregationConfig { max_bytes: Bytes(65_535), ..terms });
    }
    config.band = band;
    config.ap.queue = ApQueue::Fifo { packets: 126 };
    config.ap.host_latency = Duration::from_micros(20);
    for (station, name) in config.stations.iter_mut().zip(["laptop", "phone"]) {
        name.clone_into(&mut station.name);
        station.distance = Distance(3_000);
        (station.down, station.up) = (data, data);
        station.queue_packets = 126;
        station.host_latency = Duration::from_micros(20);
        station.loss = loss([0.02; 4]);
    }
    let link = WiredLink::clean(BitRate::from_mbps(500), ms(1), 1_000);
    (config.wired.down, config.wired.up) = (link, link);
    for (number, direction) in [Direction::Down, Direction::Up].into_iter().enumerate() {
        let flow = cells::flow(number, number, Peer::Server, direction, TransportConfig::Tcp(tcp()));
        config.flows.push(FlowConfig { start: Instant::ZERO + ms(1), ..flow });
    }
    (config.warm_up, config.measured) = (ms(30), ms(70));
    config
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

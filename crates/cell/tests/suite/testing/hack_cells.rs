//! Small cells with HACK on their nodes.

use ackless_cell::config::{
    AggregationConfig, ApConfig, ApQueue, CellConfig, Direction, FlowConfig, MacConfig, Peer, SchemeChoice,
    StationConfig, TcpConfig, Traffic, TransportConfig,
};
use ackless_phy::{
    Band, DsssMode, DsssRate, GuardInterval, HtMode, OfdmRate, Standard, Timing, TxVector, VhtMode, Width,
};
use ackless_schemes::hack::HackConfig;
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{self, band, macs, tcp};

/// A cell of this standard with one station and HACK by default on both ends, no flows and no losses. With EDCA it aggregates up to
/// `mpdus` MPDUs.
pub fn cell(standard: Standard, mpdus: u16) -> CellConfig {
    let mut config = cells::cell(standard);
    "hack".clone_into(&mut config.scheme);
    config.measured = Duration::from_secs(1);
    for mac in macs(&mut config) {
        mac.aggregation = mac.aggregation.map(|terms| AggregationConfig { max_mpdus: mpdus, ..terms });
    }
    let hack = SchemeChoice::Hack(HackConfig { aifs: interframe_space(standard), ..HackConfig::default() });
    config.ap = ApConfig {
        scheme: hack,
        queue: ApQueue::Fifo { packets: 126 },
        host_latency: Duration::from_micros(20),
        ..config.ap
    };
    config.stations = vec![station(0, standard, config.ap.mac, hack)];
    config
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
    let flow = cells::flow(number, station, Peer::Server, direction, TransportConfig::Tcp(tcp()));
    FlowConfig { traffic: Traffic::Finite { size }, ..flow }
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

/// DIFS or AIFS.
fn interframe_space(standard: Standard) -> Duration {
    let timing = Timing::of(standard, band(standard));
    if standard.is_qos() { timing.aifs(AIFSN) } else { timing.difs() }
}

fn station(number: usize, standard: Standard, mac: MacConfig, scheme: SchemeChoice) -> StationConfig {
    StationConfig {
        scheme,
        queue_packets: 100,
        host_latency: Duration::from_micros(20),
        ..cells::station(number, standard, mac)
    }
}

/// AIFSN of best effort.
const AIFSN: u8 = 3;

//! Cells of 802.11a at 12 Mbps without back-off, in which each instant can be worked out by hand, and what is seen of them.

use ackless_cell::config::{Access, CellConfig, Direction, Hearing, Pace, Peer, PowerConfig, Traffic, TransportConfig};
use ackless_cell::observe::{Event, Observer};
use ackless_cell::result::RunResult;
use ackless_phy::{Band, Dbm, OfdmRate, Standard, TxVector};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::testing::cells::{cell, with_stations, with_udp};
use crate::testing::ears;
use crate::testing::tested::configured;

/// Nobody hears it.
pub const NOTHING: f64 = -200.0;

/// SIFS of 802.11a.
pub const SIFS: Duration = Duration::from_micros(16);

/// A datagram's PPDU: 1,472 bytes with the headers of UDP, IP, LLC and MAC are 1,536 bytes; at 48 bits a symbol, with SERVICE and tail, 257
/// symbols.
pub const FRAME: Duration = Duration::from_micros(20 + 257 * 4);

/// A PPDU that was on the air: who sent it, when it began, and whether it collided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    pub from: u16,
    pub start: Instant,
    pub end: Instant,
    pub data: bool,
    pub collided: bool,
}

#[derive(Default)]
struct Watcher(Vec<Seen>);

impl Observer for Watcher {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::End { ppdu, start, collided, .. } = *event {
            let data = !ppdu.mpdus().is_empty();
            self.0.push(Seen { from: ppdu.transmitter.0, start, end: now, data, collided });
        }
    }
}

/// An AP and stations that upload nothing yet, one try for each frame and no back-off. `powers`: with what power the AP (0) and each station
/// hear each other, by pairs; who is in no pair hears nothing of the other.
pub fn cell_of(stations: usize, powers: &[(usize, usize, f64)], relocks: bool) -> CellConfig {
    let mut config = with_stations(cell(Standard::A), stations);
    for station in &mut config.stations {
        (station.up, station.down) = (RATE, RATE);
        station.mac.access = Access::Dcf { cw_min: 0, cw_max: 0 };
        station.mac.retry_limit = Some(1);
    }
    config.hearing = hearing(stations + 1, powers, relocks);
    config
}

/// Who hears whom among so many nodes, with the thresholds of the standard.
pub fn hearing(nodes: usize, pairs: &[(usize, usize, f64)], relocks: bool) -> Hearing {
    let mut powers = vec![Dbm(NOTHING); nodes * nodes];
    for &(one, other, power) in pairs {
        powers[one * nodes + other] = Dbm(power);
        powers[other * nodes + one] = Dbm(power);
    }
    let (noise, preamble, energy) = (Dbm(-94.0), Dbm(-82.0), Dbm(-62.0));
    Hearing::ByPower(PowerConfig { powers, first: 0, noise, preamble, energy, relocks })
}

/// The cell with a station's datagrams of 1,472 bytes, one each `interval`, the first at `start`.
pub fn with_datagrams(config: CellConfig, station: usize, interval: Duration, start: Instant) -> CellConfig {
    let mut config = with_udp(config, station, Peer::Server, Direction::Up);
    let flow = config.flows.last_mut().expect("a flow was added");
    let rate = BitRate::from_bps((PAYLOAD.bits() as f64 / interval.as_secs_f64()).round() as u64);
    flow.transport = TransportConfig::Udp { payload: PAYLOAD, answers: None, buffer: Bytes::ZERO };
    flow.traffic = Traffic::Bulk(Pace::Rate(rate));
    flow.start = start;
    config
}

/// Runs a cell.
pub fn run(config: &CellConfig, seed: u64) -> (RunResult, Vec<Seen>) {
    let mut watcher = Watcher::default();
    let mut cell = configured(config, seed, ears::with(config, &mut watcher));
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let events = cell.events();
    let result = cell.into_observer().0.result(config, seed, events);
    assert_eq!(result.airtime_ns.total(), config.measured, "seed {seed}: the ledger accounts for the whole window");
    (result, watcher.0)
}

/// How many datagrams of each flow arrived.
pub fn arrived(config: &CellConfig, result: &RunResult) -> Vec<u64> {
    let datagrams = |mbps: f64| (mbps * 1e6 * config.measured.as_secs_f64() / PAYLOAD.bits() as f64).round() as u64;
    result.flows.iter().map(|flow| datagrams(flow.goodput_mbps)).collect()
}

/// How a station sends.
const RATE: TxVector = TxVector::ofdm(OfdmRate::Mbps12, Band::Ghz5);

/// What a datagram carries.
const PAYLOAD: Bytes = Bytes(1_472);

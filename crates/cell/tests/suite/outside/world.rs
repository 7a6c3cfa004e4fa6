//! A random cell, and who talks through it.

use std::net::SocketAddr;

use ackless_cell::config::{
    ApQueue, ApScheduler, CellConfig, Direction, FrameLoss, LinkLoss, PingConfig, Probability, SchemeChoice,
};
use ackless_cell::flows::Place;
use ackless_phy::Standard;
use ackless_tcp::{AckChoice, Config, Consume, TackConfig};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::outside::hosts::address;
use crate::testing::hack_cells::{cell, rates, transfer, with_stations};

/// A cell and the connections through it.
pub struct World {
    pub config: CellConfig,
    pub talks: Vec<Talk>,
    /// Whether the wire may deliver out of order.
    pub reorders: bool,
}

/// One connection between the server and a station, both outside of the cell.
#[derive(Clone, Debug)]
pub struct Talk {
    pub station: usize,
    /// The server's end and the station's.
    pub ends: [SocketAddr; 2],
    /// The end that sends data.
    pub sender: usize,
    pub size: u64,
    pub start: Instant,
    pub config: Config,
    pub dress: Dress,
}

/// What real stacks do to their segments that the parsed form has no place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dress {
    /// Nothing.
    Plain,
    /// The options of MPTCP on every segment (RFC 8684, 3).
    Mptcp,
    /// An unknown option on some of the pure ACKs.
    SomeAcks,
    /// Timestamps behind their padding.
    OtherLayout,
    /// A reserved bit on some of the pure ACKs.
    Reserved,
}

impl World {
    /// That of a seed, without a scheme.
    pub fn draw(seed: u64) -> Self {
        let mut random = Stream::new(seed, 20, Purpose::Test);
        let random = &mut random;
        let standard = one_of(random, &[Standard::B, Standard::A, Standard::G, Standard::N, Standard::N, Standard::Ac]);
        let stations = one_of(random, &[1, 1, 2, 3]);
        let mut config = with_stations(cell(standard, one_of(random, &[1, 2, 8, 64])), stations);
        nodes(random, &mut config);
        let reorders = wire(random, &mut config);
        if stations > 1 && random.chance(0.15) {
            config.stations[stations - 1].via = Some(0);
        }
        let most = if standard == Standard::B { 15_000 } else { 60_000 };
        let talks = (0..1 + random.below(3)).map(|number| talk(random, number as u16, stations, most)).collect();
        if random.chance(0.4) {
            for number in 0..1 + random.below(2) as usize {
                let direction = one_of(random, &[Direction::Down, Direction::Up]);
                let size = Bytes(1 + random.below(most));
                config.flows.push(transfer(number, random.below(stations as u64) as usize, direction, size));
            }
            config.pings.push(PingConfig {
                name: "ping".to_owned(),
                station: 0,
                interval: Duration::from_millis(50),
                packet: Bytes(84),
                start: Instant::ZERO,
            });
        }
        Self { config, talks, reorders }
    }
}

fn nodes(random: &mut Stream, config: &mut CellConfig) {
    let rates = rates(config.standard);
    let loss = if random.chance(0.7) { 0.2 * random.unit() } else { 0.0 };
    let host_loss = if random.chance(0.2) { 0.03 * random.unit() } else { 0.0 };
    let p = Probability::new(loss).expect("0.2 at most");
    let tries = 4 + random.below(5) as u32;
    for station in &mut config.stations {
        let losses = FrameLoss { data: p, control: p };
        station.scheme = SchemeChoice::Stock;
        station.loss = LinkLoss::PerFrame { down: losses, up: losses };
        station.host_loss = Probability::new(host_loss).expect("0.03 at most");
        station.queue_packets = 4 + random.below(60) as u32;
        (station.down, station.up) = (one_of(random, &rates), one_of(random, &rates));
        station.mac.retry_limit = Some(tries);
        station.host_latency = span(random, Duration::from_millis(2));
    }
    config.ap.scheme = SchemeChoice::Stock;
    config.ap.mac.retry_limit = Some(tries);
    config.ap.host_latency = span(random, Duration::from_millis(1));
    config.server.host_latency = span(random, Duration::from_millis(1));
    let packets = 5 + random.below(60) as u32;
    config.ap.queue = if random.chance(0.3) {
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        ApQueue::FqCodel { target, interval, quantum: Bytes(1514), limit: packets, ecn: true }
    } else {
        ApQueue::Fifo { packets }
    };
    config.ap.scheduler = one_of(random, &[ApScheduler::RoundRobin, ApScheduler::Fcfs, ApScheduler::AirtimeFair]);
}

fn wire(random: &mut Stream, config: &mut CellConfig) -> bool {
    let rate = BitRate::from_mbps(one_of(random, &[20, 100, 500]));
    let delay = span(random, Duration::from_millis(20));
    let reorders = random.chance(0.3);
    for link in [&mut config.wired.down, &mut config.wired.up] {
        (link.rate, link.delay) = (rate, delay);
        let mut small = |chance| if random.chance(chance) { 0.03 * random.unit() } else { 0.0 };
        link.loss = Probability::new(small(0.3)).expect("0.03 at most");
        link.reorder = Probability::new(if reorders { small(1.0) } else { 0.0 }).expect("0.03 at most");
        link.reorder_delay = Duration::from_micros(200 + random.below(3000));
    }
    reorders
}

fn talk(random: &mut Stream, number: u16, stations: usize, most: u64) -> Talk {
    let station = 1 + random.below(stations as u64) as usize;
    let version = one_of(random, &[4, 4, 6]);
    // Those of the cell's own flows and pings, or others.
    let (here, there) = one_of(random, &[(5_201, 40_100), (10_000, 20_000), (20_000, 10_000), (30_000, 40_000)]);
    let ends = [(Place::Server, here), (Place::Station(station), there)];
    let every = one_of(random, &[1, 2, 2, 4]);
    let ack = if random.chance(0.3) {
        AckChoice::Linux { sack_compression: random.chance(0.5) }
    } else {
        AckChoice::Delayed { every, timeout: Duration::from_millis(40) }
    };
    let config = Config {
        mss: Bytes(if version == 4 { 1460 } else { 1440 } - 32),
        ack,
        timestamps: random.chance(0.8).then_some(Duration::from_millis(1)),
        sack: random.chance(0.8),
        ecn: random.chance(0.2),
        receive_buffer: Bytes(one_of(random, &[20_000, 200_000, 1 << 20])),
        consume: Consume::ByApplication,
        tack: random.chance(0.15).then(TackConfig::default),
        ..Config::default()
    };
    Talk {
        station,
        ends: ends.map(|(place, port)| SocketAddr::new(address(place, version), port + number)),
        sender: one_of(random, &[0, 0, 1]),
        size: 1 + random.below(most),
        start: Instant::ZERO + span(random, Duration::from_millis(300)),
        config,
        dress: one_of(
            random,
            &[Dress::Plain, Dress::Plain, Dress::Mptcp, Dress::SomeAcks, Dress::OtherLayout, Dress::Reserved],
        ),
    }
}

/// One of these, each as likely.
fn one_of<T: Copy>(random: &mut Stream, choices: &[T]) -> T {
    choices[random.below(choices.len() as u64) as usize]
}

/// A span below `limit`, most often much below.
fn span(random: &mut Stream, limit: Duration) -> Duration {
    let limit = limit.as_nanos() >> random.below(8);
    Duration::from_nanos(random.below(limit.max(1)))
}

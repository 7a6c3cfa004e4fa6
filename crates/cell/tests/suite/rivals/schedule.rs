//! A random cell with random flows and random weather, before any scheme is put on its nodes.
//!
//! Not drawn: IPv6, which the cell's addresses have not, and flows without TCP.

use ackless_cell::config::{
    Access, AckConfig, ApQueue, ApScheduler, BackoffPolicy, CellConfig, CongestionChoice, Direction, FrameLoss,
    LinkLoss, MissingTimestamp, Peer, Probability, SchemeChoice, Span, Topology, Traffic,
};
use ackless_dot11::frame::{Body, Ppdu};
use ackless_phy::Standard;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::testing::hack_cells::{cell, rates, tcp_of, transfer, with_stations};
use crate::testing::hosts::{hosts, kernels, linux, one_of, small_queues, span};
use crate::testing::macs::macs;
use crate::testing::powers::by_power;
use crate::testing::radio::radio;
use crate::testing::weather::{Kinds, Weather};
use crate::testing::wires::uneven;

/// A cell and what happens to it.
pub struct Schedule {
    /// Without a scheme.
    pub config: CellConfig,
    /// Of all its random streams.
    pub seed: u64,
    /// What is done to its air.
    pub weather: Weather,
    /// Which stations take part in no scheme.
    pub legacy: Vec<bool>,
}

/// Random weather until a random time before `latest`; with one seed in ten, none.
fn weather(mut random: Stream, latest: Duration) -> Weather {
    let until = if random.chance(0.9) { random.below(latest.as_nanos()) } else { 0 };
    Weather::draw(random, Instant::ZERO + Duration::from_nanos(until), Kinds { count: 5, of: kind })
}

/// What the rivals' PPDUs are to random losses: data, pure ACKs, answers, BlockAck Requests, anything else.
fn kind(ppdu: &Ppdu) -> usize {
    match &ppdu.body {
        Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) if ppdu.mpdus().iter().all(|mpdu| mpdu.tcp_ack) => 1,
        Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => 0,
        Body::Ack(_) | Body::BlockAck(..) => 2,
        Body::BlockAckReq(..) => 3,
        Body::Rts | Body::Cts | Body::Beacon(_) => 4,
    }
}

impl Schedule {
    /// The schedule of a seed.
    pub fn draw(seed: u64) -> Self {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let random = &mut random;
        let standard = one_of(random, &[Standard::B, Standard::A, Standard::G, Standard::N, Standard::N, Standard::Ac]);
        let mpdus = one_of(random, &[1, 2, 4, 8, 64]);
        let stations = one_of(random, &[1, 1, 1, 2, 2, 3, 5]);
        let mut config = with_stations(cell(standard, mpdus), stations);
        let weather = weather(Stream::new(seed, 1, Purpose::Test), Duration::from_millis(600));
        nodes(random, &mut config);
        wire(random, &mut config);
        flows(random, &mut config);
        let above = &mut Stream::new(seed, 3, Purpose::Test);
        hosts(above, &mut config, 0.05);
        linux(above, &mut config);
        small_queues(above, &mut config);
        radio(&mut Stream::new(seed, 4, Purpose::Test), &mut config);
        kernels(&mut Stream::new(seed, 9, Purpose::Test), &mut config);
        let hears = &mut Stream::new(seed, 5, Purpose::Test);
        // Powers stay as they are.
        let still = config.stations.iter().all(|station| station.changes.is_none());
        if still && standard != Standard::B && config.topology == Topology::Infrastructure && hears.chance(0.2) {
            by_power(hears, &mut config);
        }
        macs(&mut Stream::new(seed, 10, Purpose::Test), &mut config);
        uneven(&mut Stream::new(seed, 12, Purpose::Test), &mut config, Duration::from_millis(600));
        let share = if random.chance(0.3) { 0.5 } else { 0.0 };
        let legacy = (0..stations).map(|_| random.chance(share)).collect();
        Self { config, seed, weather, legacy }
    }

    /// The schedule with this on the AP and on each station that is no legacy one.
    pub fn with(mut self, ap: SchemeChoice, station: SchemeChoice) -> Self {
        if matches!(ap, SchemeChoice::Agent(_) | SchemeChoice::ArqProxy(_)) {
            // They are for one packet in each MPDU.
            let stations = self.config.stations.iter_mut().map(|station| &mut station.mac);
            let nodes = std::iter::once(&mut self.config.ap.mac).chain(stations);
            nodes.filter_map(|mac| mac.aggregation.as_mut()).for_each(|terms| terms.amsdu = None);
        }
        self.config.ap.scheme = ap;
        for (config, legacy) in self.config.stations.iter_mut().zip(&self.legacy) {
            config.scheme = if *legacy { SchemeChoice::Stock } else { station };
        }
        self
    }
}

/// What a queue holds, most often much less than the most.
fn room(random: &mut Stream) -> u32 {
    let most = 60 >> random.below(5);
    random.below(most) as u32
}

/// A-MSDUs of few packets or of many, or most often none.
fn amsdu(random: &mut Stream) -> Option<Bytes> {
    random.chance(0.3).then(|| one_of(random, &[Bytes(256), Bytes(3_839), Bytes(7_935)]))
}

/// MAC, queue and host of each node.
fn nodes(random: &mut Stream, config: &mut CellConfig) {
    // With one attempt each, calls that repeat at the same intervals would collide every time.
    let least = if config.stations.len() > 1 { 2 } else { 1 };
    let retries = random.chance(0.5).then(|| least + random.below(8 - u64::from(least)) as u32);
    let rts = random.chance(0.1).then_some(Bytes(1000));
    let txop = if random.chance(0.2) { Duration::from_millis(1 + random.below(4)) } else { Duration::ZERO };
    let zoom = random.chance(0.25);
    let host = span(random, Duration::from_millis(3));
    let own_host = random.chance(0.5);
    let loss = random.chance(0.2).then(|| 0.15 * random.unit());
    // Drawn aside, so that it changes no other draw.
    let amsdu = amsdu(&mut random.clone());
    let rates = rates(config.standard);
    let ap = (&mut config.ap.mac, &mut config.ap.host_latency);
    let stations = config.stations.iter_mut().map(|station| (&mut station.mac, &mut station.host_latency));
    for (mac, host_latency) in std::iter::once(ap).chain(stations) {
        *host_latency = if own_host { span(random, Duration::from_millis(3)) } else { host };
        let tries = retries.unwrap_or_else(|| least + random.below(8 - u64::from(least)) as u32);
        mac.retry_limit = Some(if loss.is_some() { tries.max(4) } else { tries });
        mac.rts_threshold = rts;
        if let Some(terms) = &mut mac.aggregation {
            terms.amsdu = amsdu;
        }
        if zoom {
            let (Access::Dcf { cw_min, .. } | Access::Edca { cw_min, .. }) = mac.access;
            mac.backoff = BackoffPolicy::AutoZoom { floor: 1 + random.below(u64::from(cw_min) / 2) as u16 };
        }
        if let Access::Edca { txop_limit, .. } = &mut mac.access {
            *txop_limit = txop;
        }
    }
    let loss = loss.map_or(LinkLoss::None, |loss| {
        let p = Probability::new(loss).expect("0.15 at most");
        LinkLoss::PerFrame { down: FrameLoss { data: p, control: p }, up: FrameLoss { data: p, control: p } }
    });
    if config.stations.len() > 1 && random.chance(0.1) {
        let last = config.stations.len() - 1;
        config.stations[last].via = Some(random.below(last as u64) as usize);
    }
    let four_address = random.chance(0.1);
    for station in &mut config.stations {
        station.scheme = SchemeChoice::Stock;
        (station.loss, station.four_address) = (loss, four_address);
        station.queue_packets = 2 + room(random);
        (station.down, station.up) = (one_of(random, &rates), one_of(random, &rates));
    }
    let packets = 3 + room(random);
    config.ap.scheme = SchemeChoice::Stock;
    config.ap.queue = if random.chance(0.2) {
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        ApQueue::FqCodel { target, interval, quantum: Bytes(1514), limit: packets, ecn: true }
    } else {
        ApQueue::Fifo { packets }
    };
    config.ap.scheduler = one_of(random, &[ApScheduler::RoundRobin, ApScheduler::Fcfs, ApScheduler::AirtimeFair]);
}

fn wire(random: &mut Stream, config: &mut CellConfig) {
    let small = |random: &mut Stream, most: f64| if random.chance(0.35) { most * random.unit() } else { 0.0 };
    let rate = BitRate::from_mbps(one_of(random, &[SLOW, 20, 20, 100, 100, 100, 500, 500, 500]));
    let delay = span(random, Duration::from_millis(20));
    let disorder = one_of(random, &[0.05, 0.4]);
    for link in [&mut config.wired.down, &mut config.wired.up] {
        (link.rate, link.delay) = (rate, delay);
        link.loss = Probability::new(small(random, 0.05)).expect("0.05 at most");
        link.reorder = Probability::new(small(random, disorder)).expect("0.4 at most");
        link.reorder_delay = Duration::from_micros(200 + random.below(3000));
    }
}

fn flows(random: &mut Stream, config: &mut CellConfig) {
    let most = if config.standard == Standard::B { 20_000 } else { 50_000 };
    let stations = config.stations.len() as u64;
    let relayed = config.stations.iter().any(|station| station.via.is_some());
    if random.chance(0.05) && stations > 1 && !relayed {
        config.topology = Topology::AdHoc;
    }
    for _ in 0..1 + random.below(3) {
        let direction = one_of(random, &[Direction::Down, Direction::Down, Direction::Up]);
        let station = random.below(stations) as usize;
        let slow = config.wired.down.rate == BitRate::from_mbps(SLOW);
        let size = match random.below(10) {
            // More than a second with few packets.
            0..5 if slow => LONG,
            0 => 3 * most,
            _ => 1 + random.below(most),
        };
        let mut flow = transfer(config.flows.len(), station, direction, Bytes(size));
        if config.topology == Topology::AdHoc || (stations > 1 && random.chance(0.05)) {
            flow.peer = Peer::Station((station + 1) % stations as usize);
        }
        if random.chance(0.15) {
            // Short ones, one after another, between the same ports.
            let think = Span::Fixed(Duration::from_millis(1 + random.below(400)));
            flow.traffic = Traffic::Repeated { size: Bytes(1 + random.below(15_000)), think };
        }
        flow.start = Instant::ZERO + span(random, Duration::from_millis(300));
        let tcp = tcp_of(&mut flow);
        let timeout = Duration::from_millis(one_of(random, &[10, 40, 40, 90]));
        tcp.ack = AckConfig { every: one_of(random, &[1, 1, 1, 2, 2, 4]), timeout };
        (tcp.timestamps, tcp.sack) = (random.chance(0.7), random.chance(0.7));
        tcp.missing_timestamp = one_of(random, &[MissingTimestamp::Accept, MissingTimestamp::Drop]);
        tcp.congestion = one_of(random, &[CongestionChoice::Cubic, CongestionChoice::NewReno, CongestionChoice::Reno]);
        tcp.packet = Bytes(one_of(random, &[1500, 1500, 1500, 576, 296]));
        tcp.receive_buffer = Bytes(one_of(random, &[10_000, 200_000, 1 << 20]));
        tcp.window_scaling = random.chance(0.8);
        tcp.initial_window = one_of(random, &[10, 10, 3, 1]);
        config.flows.push(flow);
    }
}

/// The rate of a slow wire, in Mbps.
const SLOW: u64 = 2;
/// Bytes that take it some two seconds.
const LONG: u64 = 500_000;

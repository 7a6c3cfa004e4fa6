//! Random cells under random losses, and how often each named state was reached in them.

use std::collections::VecDeque;
use std::fmt::Write as _;

use ackless_cell::config::{
    AckConfig, ApQueue, ApScheduler, CellConfig, CongestionChoice, Direction, FrameLoss, LinkLoss, Peer, Probability,
    SchemeChoice, Span, Topology, Traffic,
};
use ackless_phy::Standard;
use ackless_schemes::Guard;
use ackless_schemes::hack::{Announce, Codec, Fit, HackConfig, Mic, MicLen, Policy, Tails};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::hack::air::KINDS;
use crate::hack::collisions::with_colliding;
use crate::hack::progress::{Bound, longest_guard};
use crate::hack::trial::{Outcome, REPETITIONS, RateChange, Trial};
use crate::testing::crew;
use crate::testing::hack_cells::{cell, hack_of, rates, tcp_of, transfer, with_stations};
use crate::testing::hosts::{exchanges, hosts, kernels, linux, one_of, small_queues, span};
use crate::testing::macs::macs;
use crate::testing::radio::radio;
use crate::testing::weather::Weather;

/// The schedule of a seed.
pub fn schedule(seed: u64) -> Trial {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    let random = &mut random;
    let standard = one_of(random, &[Standard::B, Standard::A, Standard::G, Standard::N, Standard::N, Standard::Ac]);
    let mpdus = one_of(random, &[1, 2, 4, 8, 64]);
    let stations = one_of(random, &[1, 1, 1, 2, 2, 3, 6]);
    let mut config = with_stations(cell(standard, mpdus), stations);
    nodes(random, &mut config);
    wire(random, &mut config);
    flows(random, &mut config);
    let above = &mut Stream::new(seed, 3, Purpose::Test);
    hosts(above, &mut config, 0.03);
    small_queues(above, &mut config);
    linux(above, &mut config);
    kernels(&mut Stream::new(seed, 9, Purpose::Test), &mut config);
    beliefs(&mut Stream::new(seed, 4, Purpose::Test), &mut config);
    paying(&mut Stream::new(seed, 10, Purpose::Test), &mut config);
    codec(&mut Stream::new(seed, 5, Purpose::Test), &mut config);
    radio(&mut Stream::new(seed, 6, Purpose::Test), &mut config);
    macs(&mut Stream::new(seed, 7, Purpose::Test), &mut config);
    exchanges(&mut Stream::new(seed, 11, Purpose::Test), &mut config, REPETITIONS);
    let mut losses = Stream::new(seed, 1, Purpose::Test);
    let until = Instant::ZERO + Duration::from_nanos(losses.below(Duration::from_millis(1500).as_nanos()));
    let weather = Weather::draw(losses, until, KINDS);
    let changes = changes(random, &config);
    Trial { changes, bound: Bound::Trip { guard: None }, ..Trial::disturbed(config, seed, weather.interference()) }
}

/// HACK, MAC and host of each node.
fn nodes(random: &mut Stream, config: &mut CellConfig) {
    let alike = random.chance(0.7).then(|| hack(random));
    let legacy = if random.chance(0.3) { 0.5 } else { 0.0 };
    // With one attempt each, calls that repeat at the same intervals would collide every time.
    let least = if config.stations.len() > 1 { 2 } else { 1 };
    let retries = random.chance(0.5).then(|| least + random.below(8 - u64::from(least)) as u32);
    let rts = random.chance(0.1).then_some(Bytes(1000));
    let late = if random.chance(0.1) { Duration::from_micros(37) } else { Duration::ZERO };
    let txop = if random.chance(0.2) { Duration::from_millis(1 + random.below(4)) } else { Duration::ZERO };
    let host = span(random, Duration::from_millis(3));
    let own_host = random.chance(0.5);
    let loss = random.chance(0.2).then(|| 0.15 * random.unit());
    // A key is nothing if not all have it.
    let mic = random.chance(0.25).then_some(Mic { len: MicLen::Four, key: [7; 16] });
    // Drawn aside, so that it changes no other draw.
    let mut aside = random.clone();
    let amsdu = aside.chance(0.3).then(|| one_of(&mut aside, &[Bytes(256), Bytes(3_839), Bytes(7_935)]));
    let ap = (&mut config.ap.scheme, &mut config.ap.mac, &mut config.ap.host_latency);
    let stations = config.stations.iter_mut();
    let stations = stations.map(|station| (&mut station.scheme, &mut station.mac, &mut station.host_latency));
    for (n, (scheme, mac, host_latency)) in std::iter::once(ap).chain(stations).enumerate() {
        let drawn = alike.unwrap_or_else(|| hack(random));
        if let Some(hack) = hack_of(scheme) {
            *hack = HackConfig { aifs: hack.aifs, mic, ..drawn };
        }
        if n > 0 && random.chance(legacy) {
            *scheme = SchemeChoice::Stock;
        }
        *host_latency = if own_host { span(random, Duration::from_millis(3)) } else { host };
        let tries = retries.unwrap_or_else(|| least + random.below(8 - u64::from(least)) as u32);
        mac.retry_limit = Some(if loss.is_some() { tries.max(4) } else { tries });
        mac.rts_threshold = rts;
        if let Some(terms) = &mut mac.aggregation {
            terms.amsdu = amsdu;
        }
        (mac.answer_delay, mac.ack_timeout_extra) = (late, late);
        if let ackless_cell::config::Access::Edca { txop_limit, .. } = &mut mac.access {
            *txop_limit = txop;
        }
    }
    let loss = loss.map_or(LinkLoss::None, |loss| {
        let p = Probability::new(loss).expect("0.15 at most");
        LinkLoss::PerFrame { down: FrameLoss { data: p, control: p }, up: FrameLoss { data: p, control: p } }
    });
    let four_address = random.chance(0.1);
    for station in &mut config.stations {
        (station.loss, station.four_address) = (loss, four_address);
        station.queue_packets = 5 + random.below(60) as u32;
    }
    let packets = 5 + random.below(60) as u32;
    config.ap.queue = if random.chance(0.2) {
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        ApQueue::FqCodel { target, interval, quantum: Bytes(1514), limit: packets, ecn: true }
    } else {
        ApQueue::Fifo { packets }
    };
    config.ap.scheduler = one_of(random, &[ApScheduler::RoundRobin, ApScheduler::Fcfs, ApScheduler::AirtimeFair]);
}

/// HACK on one node.
fn hack(random: &mut Stream) -> HackConfig {
    let policy = match random.below(5) {
        0..3 => Policy::MoreData,
        3 => Policy::Opportunistic,
        _ => Policy::ExplicitTimer(Duration::from_micros(200) + span(random, Duration::from_millis(100))),
    };
    let guard = Duration::from_millis(1) + span(random, Duration::from_millis(300));
    HackConfig {
        policy,
        announce_percent: one_of(random, &[0, 0, 10, 50, 100]),
        guard: if random.chance(0.4) { Guard::Auto } else { Guard::Fixed(guard) },
        driver_to_nic: if random.chance(0.5) {
            HackConfig::default().driver_to_nic
        } else {
            span(random, Duration::from_millis(8))
        },
        fit: if random.chance(0.25) { Fit::WithinAifs } else { Fit::Whole },
        ..HackConfig::default()
    }
}

fn wire(random: &mut Stream, config: &mut CellConfig) {
    let small = |random: &mut Stream| if random.chance(0.15) { 0.02 * random.unit() } else { 0.0 };
    let rate = BitRate::from_mbps(one_of(random, &[20, 100, 500]));
    let delay = span(random, Duration::from_millis(20));
    for link in [&mut config.wired.down, &mut config.wired.up] {
        (link.rate, link.delay) = (rate, delay);
        link.loss = Probability::new(small(random)).expect("0.02 at most");
        link.reorder = Probability::new(small(random)).expect("0.02 at most");
        link.reorder_delay = Duration::from_millis(1);
    }
}

fn flows(random: &mut Stream, config: &mut CellConfig) {
    let most = if config.standard == Standard::B { 60_000 } else { 250_000 };
    let stations = config.stations.len() as u64;
    if random.chance(0.05) && stations > 1 {
        config.topology = Topology::AdHoc;
    }
    if config.topology == Topology::Infrastructure && random.chance(0.1) {
        let direction = one_of(random, &[Direction::Down, Direction::Up]);
        let size = Bytes(30_000 + random.below(most));
        *config = with_colliding(config.clone(), random.below(stations) as usize, direction, size);
    }
    for _ in 0..1 + random.below(4) {
        let direction = one_of(random, &[Direction::Down, Direction::Down, Direction::Up]);
        let station = random.below(stations) as usize;
        let size = if random.chance(0.1) { 5 * most } else { 1 + random.below(most) };
        let mut flow = transfer(config.flows.len(), station, direction, Bytes(size));
        if config.topology == Topology::AdHoc || (stations > 1 && random.chance(0.05)) {
            flow.peer = Peer::Station((station + 1) % stations as usize);
        }
        if random.chance(0.15) {
            // Short ones, one after another, between the same ports.
            let think = Span::Fixed(Duration::from_millis(200 + random.below(1500)));
            flow.traffic = Traffic::Repeated { size: Bytes(1 + random.below(60_000)), think };
        }
        config.flows.push(flow);
    }
    for flow in config.flows.iter_mut().filter(|flow| flow.start == Instant::ZERO) {
        flow.start = Instant::ZERO + span(random, Duration::from_millis(1000));
        let tcp = tcp_of(flow);
        let timeout = Duration::from_millis(one_of(random, &[10, 40, 40, 90]));
        tcp.ack = AckConfig { every: one_of(random, &[1, 1, 2, 2, 2, 3, 4, 8]), timeout };
        (tcp.timestamps, tcp.sack) = (random.chance(0.7), random.chance(0.7));
        tcp.congestion = one_of(random, &[CongestionChoice::Cubic, CongestionChoice::NewReno, CongestionChoice::Reno]);
        tcp.receive_buffer = Bytes(one_of(random, &[30_000, 200_000, 1 << 20]));
        tcp.window_scaling = random.chance(0.8);
    }
}

/// How ACKs are said, on all nodes alike.
fn codec(random: &mut Stream, config: &mut CellConfig) {
    let own = Codec::Own { checksum: false, wide: false };
    let with_checksum = Codec::Own { checksum: true, wide: random.clone().chance(0.5) };
    let codec = one_of(random, &[own, Codec::Own { checksum: false, wide: true }, with_checksum, Codec::Rfc6846]);
    let stations = config.stations.iter_mut().map(|station| &mut station.scheme);
    for scheme in stations.chain([&mut config.ap.scheme]) {
        if let Some(hack) = hack_of(scheme) {
            hack.codec = codec;
        }
    }
}

/// Who takes ACKs back that it has queued natively, and who believes that more data comes.
fn beliefs(random: &mut Stream, config: &mut CellConfig) {
    let stations = config.stations.iter_mut().map(|station| &mut station.scheme);
    for hack in std::iter::once(&mut config.ap.scheme).chain(stations).filter_map(hack_of) {
        hack.take_back = random.chance(0.5);
        hack.tails = Tails { percent: one_of(random, &[0, 0, 25, 100]), bursts: one_of(random, &[1, 8]) };
    }
}

/// Where holding pays, for each node its own.
fn paying(random: &mut Stream, config: &mut CellConfig) {
    let stations = config.stations.iter_mut().map(|station| &mut station.scheme);
    for hack in std::iter::once(&mut config.ap.scheme).chain(stations).filter_map(hack_of) {
        hack.announce = one_of(random, &[Announce::Always, Announce::WhileBusy]);
        hack.hold_beside_data = random.chance(0.5);
        hack.hold_senders = one_of(random, &[None, Some(1), Some(4)]);
        hack.take_back_senders = one_of(random, &[None, Some(1)]);
    }
}

/// Links that become slower and faster.
fn changes(random: &mut Stream, config: &CellConfig) -> VecDeque<RateChange> {
    let count = if random.chance(0.3) { 1 + random.below(8) } else { 0 };
    let rates = rates(config.standard);
    let change = |_| RateChange {
        at: Instant::ZERO + span(random, Duration::from_millis(2000)),
        station: random.below(config.stations.len() as u64) as usize,
        down: one_of(random, &rates),
        up: one_of(random, &rates),
    };
    let mut changes: Vec<_> = (0..count).map(change).collect();
    changes.sort_by_key(|change| change.at);
    changes.into()
}

/// The states by which HACK is known to have been tried, and the machine's own transition that counts each; and what its hosts have done.
fn named_states(outcome: &Outcome) -> [(&'static str, u64); 11] {
    let counters = &outcome.counters;
    [
        ("BlockAck lost", counters.block_ack_lost),
        ("BlockAck Request lost", counters.block_ack_request_lost),
        ("SYNC lost", counters.sync_lost),
        ("not ready", counters.not_ready),
        ("CID collision", counters.cid_collision),
        ("MSN wrap", counters.msn_wrap),
        ("native overtaken", counters.native_overtaken),
        ("guard fired", counters.guard_fired),
        ("gap after drop", counters.gap_after_drop),
        ("host lost", outcome.host_lost),
        ("window closed", outcome.window_closed),
    ]
}

/// The same schedule with no HACK on any node, whose gaps are held to the guard timer that HACK had.
fn without_hack(mut trial: Trial) -> Trial {
    let guard = longest_guard(&trial.config);
    trial.config.ap.scheme = SchemeChoice::Stock;
    trial.config.stations.iter_mut().for_each(|station| station.scheme = SchemeChoice::Stock);
    Trial { bound: Bound::Trip { guard: Some(guard) }, ..trial }
}

/// In how many schedules some gap in progress was longer than guard timer and retransmission timeout, and a line on those gaps.
fn excesses(outcomes: &[Outcome]) -> (usize, String) {
    let seeds = outcomes.iter().filter(|outcome| !outcome.excesses.is_empty()).count();
    let mut all: Vec<Duration> = outcomes.iter().flat_map(|outcome| outcome.excesses.iter().copied()).collect();
    all.sort_unstable();
    let [median, longest] = [all.get(all.len() / 2), all.last()].map(|excess| excess.copied().unwrap_or_default());
    let gaps = all.len();
    (
        seeds,
        format!("gaps longer than both timers: {gaps} in {seeds} seeds, by {median} in the median, {longest} at most"),
    )
}

#[test]
fn no_schedule_changes_an_ack_costs_a_byte_or_stops_a_flow_and_each_named_state_is_reached() {
    let outcomes = crew::all("schedule", crew::schedules(SCHEDULES), |seed| schedule(seed).run());
    let mut table = String::new();
    let mut rare = false;
    for state in 0..outcomes.first().map_or(0, |outcome| named_states(outcome).len()) {
        let reached = outcomes.iter().map(|outcome| named_states(outcome)[state]);
        let seeds = reached.clone().filter(|(_, times)| *times > 0).count();
        let times: u64 = reached.clone().map(|(_, times)| times).sum();
        let name = reached.map(|(name, _)| name).next().unwrap_or_default();
        rare |= seeds < LEAST_SEEDS;
        writeln!(table, "{name:<24} {seeds:>6} seeds {times:>8} times").expect("a string takes all");
    }
    println!("{table}{}", excesses(&outcomes).1);
    assert!(!rare, "some state was reached with fewer than {LEAST_SEEDS} seeds:\n{table}");
}

/// Why [`Bound::Trip`] allows the trip: the gaps of stock TCP are longer than the two timers in the same schedules.
#[test]
fn what_a_timeout_repairs_takes_its_trip_without_hack_too() {
    let outcomes =
        crew::all("schedule without HACK", crew::schedules(SCHEDULES), |seed| without_hack(schedule(seed)).run());
    let (seeds, line) = excesses(&outcomes);
    println!("{line}");
    assert!(seeds >= LEAST_SEEDS, "only {seeds} schedules had a longer gap");
}

/// So many schedules are run, unless the environment asks for another number.
const SCHEDULES: u64 = 10_000;
/// So many of them must reach each named state.
const LEAST_SEEDS: usize = 50;

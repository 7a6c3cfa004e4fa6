//! What holds in every run, over random cells: the ledger is whole and agrees with the PPDUs that were seen, streams deliver
//! what was sent and no more, packets neither leak nor pile up, and nothing is faster than its rate.
//!
//! A cell takes a random standard and a few random keys; a failure prints its seed and keys.

use ackless_cell::Cell;
use ackless_cell::config::{
    ApQueue, CellConfig, DeviceLimit, Direction, Traffic, TransportConfig, WireBuffer, WiredLink,
};
use ackless_cell::host::Eavesdropper;
use ackless_cell::observe::{Event, Observer};
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_dot11::frame::Body;
use ackless_phy::MAX_PPDU;
use ackless_scenario::{Row, Scenario};
use ackless_schemes::AnyScheme;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant};

use super::one_by_one::OneByOne;
use super::support::{Ears, ears, scenario};

#[test]
fn every_random_cell_keeps_its_accounts() {
    let mut delivering = 0;
    for seed in 0..CELLS {
        let (scenario, given) = random_scenario(seed);
        let config = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let context = format!("seed {seed}: {given:?}");
        let (result, watch) = run(&config, seed, &context);
        check_air(&config, &result, &watch, &context);
        check_streams(&config, &result, &watch, &context);
        delivering += u64::from(result.goodput_mbps > 0.0);
    }
    assert!(delivering > CELLS * 2 / 3, "only {delivering} of {CELLS} cells delivered anything");
}

/// What goes in runs, packets that come over the wire in a row and what an A-MPDU brings to a host, goes there as it would one by one: a cell that is looked at before each event, with somebody
/// who hears what its hosts get, and whose schemes are asked one by one, does the same.
#[test]
fn what_goes_in_runs_goes_as_it_would_one_by_one() {
    let rows = ["tcp", "tcp", "hack", "agent", "arq", "fastack", "filter-action", "linux", "bbr"];
    let mut compared = [0; 9];
    for seed in 0..CELLS / 4 {
        let (scenario, given) = random_scenario(seed);
        let which = seed as usize % rows.len();
        let row = Row::find(rows[which]).unwrap_or_else(|error| panic!("{error}"));
        let Ok(config) = scenario.build(row) else { continue };
        compared[which] += 1;
        assert_eq!(in_runs(&config, seed), one_by_one(&config, seed), "{} seed {seed}: {given:?}", rows[which]);
    }
    assert!(compared.iter().all(|count| *count > 0), "each scheme has cells that it fits: {compared:?}");
}

fn in_runs(config: &CellConfig, seed: u64) -> RunResult {
    let mut cell = Cell::new(config, seed, |node| ackless_cell::scheme(config, node), ears(config, None));
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let events = cell.events();
    cell.into_observer().0.result(config, seed, events)
}

fn one_by_one(config: &CellConfig, seed: u64) -> RunResult {
    let scheme = |node| OneByOne(ackless_cell::scheme(config, node));
    let mut cell = Cell::new(config, seed, scheme, ears(config, None));
    cell.eavesdrop(Eavesdropper(Box::new(|_, _, _, _| {})));
    for until in [Instant::ZERO + config.warm_up, config.end()] {
        while let Some(at) = cell.poll_timeout().filter(|at| *at < until) {
            cell.advance(at + Duration::from_nanos(1));
        }
        cell.advance(until);
        if until < config.end() {
            cell.report_totals();
        }
    }
    cell.finish();
    let events = cell.events();
    cell.into_observer().0.result(config, seed, events)
}

/// Runs a cell step by step, looking after its packets on the way.
fn run(config: &CellConfig, seed: u64, context: &str) -> (RunResult, Watch) {
    let mut watch = Watch::new(config);
    let mut cell = Cell::new(config, seed, |_| AnyScheme::Stock, ears(config, Some(&mut watch)));
    let limit = most_packets(config);
    let mut at = Instant::ZERO;
    while at < config.end() {
        if at == Instant::ZERO + config.warm_up {
            cell.report_totals();
        }
        at += STEP;
        cell.advance(at);
        let under_way = cell.packets_under_way();
        assert!(under_way <= limit, "{under_way} packets are under way at {at}, more than {limit}; {context}");
    }
    let ends: Vec<_> = (0..config.flows.len()).map(|flow| ends(config, &cell, flow)).collect();
    cell.finish();
    let events = cell.events();
    let result = cell.into_observer().0.result(config, seed, events);
    watch.ends = ends;
    (result, watch)
}

/// What the sender and the receiver of a TCP flow say of its stream; `None` for datagrams and where one connection follows
/// another.
fn ends(config: &CellConfig, cell: &Cell<AnyScheme, Ears<'_>>, flow: usize) -> Option<Ends> {
    if matches!(config.flows[flow].traffic, Traffic::Repeated { .. }) {
        return None;
    }
    let (sender, receiver) = match config.flows[flow].direction {
        Direction::Down => (0, 1),
        Direction::Up => (1, 0),
    };
    let stats = |end| cell.flows().endpoint(flow, end).map(|endpoint| endpoint.stats());
    let (sender, receiver) = (stats(sender)?, stats(receiver)?);
    Some(Ends {
        segments_sent: sender.data_segments_sent,
        acknowledged: sender.bytes_acked,
        delivered: receiver.bytes_delivered,
    })
}

/// What a cell can hold: its queues, its windows and its wires, at the least packet of 20 bytes.
fn most_packets(config: &CellConfig) -> usize {
    const WINDOWS: usize = 2 * 64 + 4;
    let ap_queue = match config.ap.queue {
        ApQueue::Fifo { packets } => packets,
        ApQueue::FqCodel { limit, .. } => limit,
    };
    let device = match config.ap.device {
        None => 0,
        Some(DeviceLimit::Packets(packets)) => packets,
        // Nothing counts for less than 4 us.
        Some(DeviceLimit::Airtime(limits)) => limits.high.div_ceil(Duration::from_micros(4)) as usize + 1,
    };
    let station = |queue: u32| ap_queue as usize + device + queue as usize + WINDOWS;
    let stations: usize = config.stations.iter().map(|it| station(it.queue_packets)).sum();
    let wire = |link: &WiredLink| {
        let flying = link.rate.amount_floor(link.delay + link.reorder_delay);
        let WireBuffer::Packets(buffer) = link.buffer else {
            panic!("the buffers of these cells are counted in packets")
        };
        buffer as usize + 2 + (flying.get() / 20) as usize
    };
    stations + wire(&config.wired.down) + wire(&config.wired.up)
}

/// The ledger against the PPDUs as they were seen.
fn check_air(config: &CellConfig, result: &RunResult, watch: &Watch, context: &str) {
    let air = &result.airtime_ns;
    assert_eq!(air.total(), config.measured, "the ledger is not whole; {context}");
    let silent = [
        AirtimeClass::Sifs,
        AirtimeClass::InterframeSpace,
        AirtimeClass::Backoff,
        AirtimeClass::Timeouts,
        AirtimeClass::Idle,
    ];
    let silence: Duration = silent.into_iter().map(|class| air[class]).sum();
    assert_eq!(silence, config.measured - watch.busy, "silence is not what is left of busy time; {context}");
    assert_eq!(air[AirtimeClass::Collisions], watch.collided, "{context}");
    assert_eq!(air[AirtimeClass::RtsCts], watch.rts_cts, "{context}");
    assert_eq!(air[AirtimeClass::LinkAcks], watch.link_acks, "{context}");
    assert_eq!(air[AirtimeClass::Beacons], watch.beacons, "{context}");
    assert_eq!(air[AirtimeClass::BlockAckRequests], watch.requests, "{context}");
    assert_eq!(air[AirtimeClass::Appended], Duration::ZERO, "{context}");
    let payload = air[AirtimeClass::Payload];
    let off = payload.max(watch.payload) - payload.min(watch.payload);
    assert!(off <= watch.rounding, "payload lasts {payload}, and {} by its frames; {context}", watch.payload);
}

/// What arrived against what was sent, and against the rates on the way.
fn check_streams(config: &CellConfig, result: &RunResult, watch: &Watch, context: &str) {
    for (flow, flow_config) in config.flows.iter().enumerate() {
        let delivered = watch.delivered[flow];
        if let (Some(ends), TransportConfig::Tcp(tcp)) = (&watch.ends[flow], flow_config.transport) {
            assert_eq!(delivered, ends.delivered, "flow {flow}: each byte comes up once; {context}");
            assert!(ends.acknowledged <= ends.delivered, "flow {flow}: acknowledged before it came; {context}");
            assert!(delivered <= tcp.packet * ends.segments_sent, "flow {flow}: more came than was sent; {context}");
        }
        if let Traffic::Finite { size } = flow_config.traffic {
            assert!(delivered <= size, "flow {flow} got {delivered} of {size}; {context}");
            if result.flows[flow].completion_s.is_some() {
                assert_eq!(delivered, size, "flow {flow} is complete; {context}");
            }
        }
        // The last datagram of a transfer, or of a buffer that is emptied, is shorter.
        if let (TransportConfig::Udp { payload, .. }, Traffic::Bulk(_)) = (flow_config.transport, flow_config.traffic) {
            assert_eq!(delivered.get() % payload.get(), 0, "flow {flow}: datagrams are whole; {context}");
        }
    }
    let fastest = config.stations.iter().map(|station| station.down.rate().max(station.up.rate())).max();
    let fastest = fastest.expect("a cell has a station").mbps_f64();
    // A reorder buffer may hand up in the window what was sent before it.
    assert!(result.goodput_mbps <= fastest * 1.05, "{} Mbps over {fastest}; {context}", result.goodput_mbps);
    let fairness = &result.fairness;
    for jain in [fairness.jain_goodput, fairness.jain_airtime] {
        let Some(jain) = jain else {
            assert!(result.goodput_mbps == 0.0 || fairness.jain_goodput.is_some(), "something arrived; {context}");
            continue;
        };
        assert!(jain > 0.0 && jain <= 1.0 + 1e-9, "Jain's index is {jain}; {context}");
    }
}

/// A scenario with some of the choices, each set only where the cell can still be built.
fn random_scenario(seed: u64) -> (Scenario, Vec<String>) {
    let mut stream = Stream::new(seed, 1, Purpose::Test);
    let mut pick = |values: &[&'static str]| values[stream.below(values.len() as u64) as usize];
    let name = pick(&["wifi-80211b", "wifi-80211a", "wifi-80211g", "wifi-80211n", "wifi-80211n-300", "wifi-80211ac"]);
    let mut scenario = scenario(name, &["run.warm_up=50ms", "run.measured=200ms", "flows.stagger=5ms"]);
    let mut given = vec![name.to_owned()];
    for (key, values) in CHOICES {
        // Half of the keys keep their value.
        if pick(&["keep", "set"]) == "keep" {
            continue;
        }
        let argument = format!("{key}={}", pick(values));
        let mut next = scenario.clone();
        next.set(&argument).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if next.build(Row::STOCK).is_ok() {
            scenario = next;
            given.push(argument);
        }
    }
    (scenario, given)
}

/// Sums up the air by the events alone, apart from the ledger.
struct Watch {
    from: Instant,
    until: Instant,
    /// When the busy period began, and the latest end of its PPDUs.
    busy_from: Instant,
    busy_until: Instant,
    overlap: bool,
    busy: Duration,
    collided: Duration,
    link_acks: Duration,
    rts_cts: Duration,
    beacons: Duration,
    requests: Duration,
    /// Application bytes in new MPDUs, at the rate of their PPDU.
    payload: Duration,
    /// How far that may be off.
    rounding: Duration,
    delivered: Vec<Bytes>,
    ends: Vec<Option<Ends>>,
    last: Instant,
}

/// Both ends of a TCP stream.
struct Ends {
    segments_sent: u64,
    acknowledged: Bytes,
    delivered: Bytes,
}

impl Watch {
    fn new(config: &CellConfig) -> Self {
        Self {
            from: Instant::ZERO + config.warm_up,
            until: config.end(),
            busy_from: Instant::ZERO,
            busy_until: Instant::ZERO,
            overlap: false,
            busy: Duration::ZERO,
            collided: Duration::ZERO,
            link_acks: Duration::ZERO,
            rts_cts: Duration::ZERO,
            beacons: Duration::ZERO,
            requests: Duration::ZERO,
            payload: Duration::ZERO,
            rounding: Duration::ZERO,
            delivered: vec![Bytes::ZERO; config.flows.len()],
            ends: Vec::new(),
            last: Instant::ZERO,
        }
    }

    /// The part of a stretch that lies in the window.
    fn clip(&self, from: Instant, until: Instant) -> Duration {
        until.min(self.until).saturating_since(from.max(self.from))
    }
}

impl Observer for Watch {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Start { ppdu, .. } => {
                assert!(now >= self.last, "time runs back");
                self.last = now;
                assert!(ppdu.duration <= MAX_PPDU.max(LONGEST_DSSS), "a PPDU of {}", ppdu.duration);
                self.overlap = now < self.busy_until;
                if !self.overlap {
                    self.busy_from = now;
                }
                self.busy_until = self.busy_until.max(now + ppdu.duration);
            }
            Event::End { ppdu, start, collided, .. } => {
                let end = *start + ppdu.duration;
                if end == self.busy_until {
                    let span = self.clip(self.busy_from, end);
                    self.busy += span;
                    self.collided += if *collided { span } else { Duration::ZERO };
                    self.busy_from = end;
                }
                if *collided {
                    return;
                }
                let span = self.clip(*start, end);
                match &ppdu.body {
                    Body::Ack(_) | Body::BlockAck(..) => self.link_acks += span,
                    Body::Rts | Body::Cts => self.rts_cts += span,
                    Body::Beacon(_) => self.beacons += span,
                    Body::BlockAckReq(..) => self.requests += span,
                    Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => {
                        let new = ppdu.mpdus().iter().filter(|mpdu| !mpdu.retry);
                        let payload: Bytes = new.map(|mpdu| mpdu.payload_len).sum();
                        if span == ppdu.duration {
                            self.payload += ppdu.txvector.rate().time_ceil(payload);
                            self.rounding += Duration::from_nanos(2);
                        } else {
                            // Cut by the window's edge: which part of it was inside is the ledger's affair.
                            self.rounding += span;
                        }
                    }
                }
            }
            Event::Delivered { flow, bytes, .. } => self.delivered[*flow] += *bytes,
            _ => {}
        }
    }
}

/// Keys that change what a cell does, each with its extremes; others stay as the built-in scenarios have them.
const CHOICES: &[(&str, &[&str])] = &[
    ("stations.count", &["2", "3", "6"]),
    ("flows.direction", &["up"]),
    ("transport.protocol", &["udp"]),
    ("transport.ack", &["1", "4"]),
    ("transport.congestion", &["reno", "cubic"]),
    ("transport.packet", &["576B"]),
    ("transport.sack", &["false"]),
    ("flows.traffic", &["finite", "repeated", "on-off"]),
    ("flows.size", &["10kB", "200kB"]),
    ("flows.rate", &["2Mbps"]),
    ("flows.on", &["10ms"]),
    ("flows.off", &["10ms"]),
    ("flows.think", &["5ms"]),
    ("wifi.rts_threshold", &["0B", "500B"]),
    ("wifi.txop_limit", &["1ms", "4ms"]),
    ("wifi.qos", &["true"]),
    ("wifi.retry_limit", &["1", "never"]),
    ("wifi.beacons", &["true"]),
    ("wifi.beacon_interval", &["10ms"]),
    ("wifi.block_ack_window", &["8"]),
    ("wifi.min_mpdu_spacing", &["16us"]),
    ("wifi.amsdu_max", &["3839B", "7935B"]),
    ("ap.queue", &["fq-codel"]),
    ("ap.queue_packets", &["5"]),
    ("ap.scheduler", &["fcfs", "airtime-fair"]),
    ("ap.device_queue", &["aql", "3", "40"]),
    ("ap.host_latency", &["100us"]),
    ("stations.host_latency", &["100us"]),
    ("stations.host_latency_spread", &["300us"]),
    ("loss.model", &["per-frame", "per-frame", "snr"]),
    ("loss.down_data", &["0.1", "0.5"]),
    ("loss.up_data", &["0.1"]),
    ("loss.down_control", &["0.2"]),
    ("loss.up_control", &["0.2"]),
    ("loss.snr", &["20dB"]),
    ("wired.loss", &["0.01"]),
    ("wired.reorder", &["0.02"]),
    ("wired.buffer_packets", &["20"]),
    ("wifi.rate_control", &["minstrel-ht", "ideal"]),
    ("loss.fading", &["rayleigh"]),
    ("steps.outage", &["20ms"]),
    ("steps.at", &["100ms"]),
    ("steps.air_loss", &["0.1"]),
];

/// How many cells are tried.
const CELLS: u64 = 400;
/// How often packets under way are counted.
const STEP: Duration = Duration::from_millis(10);
/// 1,536 bytes at 1 Mbps after a long preamble, and more than any frame of 802.11b here.
const LONGEST_DSSS: Duration = Duration::from_micros(20_000);

//! The observer that makes a [`RunResult`] of a run: counters, delays, fairness, and the [`Ledger`].

use std::collections::BTreeMap;

use ackless_dot11::frame::{Answer, Body, NodeId, Ppdu, Tally};
use ackless_dot11::station::StationCounts;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::config::{CellConfig, Direction, FlowConfig, Hearing, Peer, Topology, Traffic, TransportConfig};
use crate::gro::MergeCounts;
use crate::ledger::Ledger;
use crate::observe::{DatagramCounts, Event, Held, Observer, Playout, TransportCounts, TransportEstimates};
use crate::result::{
    Airtime, Counters, EndsResult, Fairness, FlowResult, HeldResult, NamedCounters, NodeCounters, Percentiles,
    PingResult, RunResult, UdpResult, VideoResult,
};

mod marks;
mod rates;

use marks::Marks;
use rates::Rates;

/// Counts what happens in the measured window.
#[derive(Clone, Debug)]
pub struct Recorder {
    from: Instant,
    /// Where the second half of the window begins.
    middle: Instant,
    until: Instant,
    ledger: Ledger,
    nodes: Vec<NodeRecord>,
    flows: Vec<FlowRecord>,
    pings: Vec<PingRecord>,
    /// Where the middle of a window that is cut short lies.
    marks: Marks,
    /// Where rates adapt.
    rates: Option<Box<Rates>>,
    /// Whether there is an AP.
    infrastructure: bool,
    /// Whether the ledger is kept by what the AP hears.
    by_power: bool,
}

#[derive(Clone, Debug, Default)]
struct NodeRecord {
    counters: NodeCounters,
    /// Its own counts when the window began.
    before: StationCounts,
    airtime: Duration,
}

#[derive(Clone, Debug, Default)]
struct FlowRecord {
    delivered: Bytes,
    /// In the first half of the window.
    delivered_early: Bytes,
    /// What had crossed the air and was not delivered when the window began, and when it ended.
    held: [Held; 2],
    /// Since when a transfer is under way that will end.
    transfer: Option<Instant>,
    rtts: Samples,
    transfers: Samples,
    completion: Option<Duration>,
    retransmissions: u64,
    timeouts: u64,
    /// Both counts when the window began.
    before: (u64, u64),
    /// Counts since the start of the run, and what they were when the window began.
    datagrams: DatagramCounts,
    datagrams_before: DatagramCounts,
    transport: TransportCounts,
    transport_before: TransportCounts,
    estimates: TransportEstimates,
    viewing: Viewing,
}

/// What the viewer of a video has seen.
#[derive(Clone, Debug, Default)]
struct Viewing {
    /// When the first frame was shown.
    begun: Option<Instant>,
    /// Since when the player has stood still.
    stopped: Option<Instant>,
    frames: u64,
    damaged: u64,
    skipped: u64,
    stalls: u64,
    stalled: Duration,
}

#[derive(Clone, Debug, Default)]
struct PingRecord {
    sent: u64,
    answered: u64,
    rtts: Samples,
}

/// Times in whole microseconds, rounded down; each at most 71 minutes.
#[derive(Clone, Debug, Default)]
struct Samples(Vec<u32>);

impl Recorder {
    /// A recorder for one run of this cell.
    pub fn new(config: &CellConfig) -> Self {
        let (from, until) = (Instant::ZERO + config.warm_up, config.end());
        Self {
            from,
            middle: from + config.measured / 2,
            until,
            ledger: Ledger::new(from, until),
            nodes: vec![NodeRecord::default(); config.stations.len() + 1],
            flows: vec![FlowRecord::default(); config.flows.len()],
            pings: vec![PingRecord::default(); config.pings.len()],
            marks: Marks::new(from),
            rates: Rates::of(config),
            infrastructure: config.topology == Topology::Infrastructure,
            by_power: matches!(config.hearing, Hearing::ByPower(_)),
        }
    }

    /// Where the time has gone since the window began.
    pub fn airtime(&self) -> &Airtime {
        self.ledger.airtime()
    }

    /// When [`Self::mark`] is to be called next by whoever may end the window early, unless that is after `until`.
    pub(crate) fn next_mark(&self, until: Instant) -> Option<Instant> {
        Some(self.marks.next()).filter(|next| *next <= until)
    }

    /// Remembers what has been delivered until now.
    pub(crate) fn mark(&mut self) {
        self.marks.push(self.flows.iter().map(|flow| flow.delivered));
    }

    /// The window ends at `until`, before it would have: what has been told lies before that, but for what is on the air now. One that has not begun is empty.
    /// Its halves meet at the mark that is nearest to its middle.
    pub fn end_at(&mut self, until: Instant) {
        let until = until.max(self.from);
        if until < self.until {
            let early;
            (self.middle, early) = self.marks.nearest(self.from + until.saturating_since(self.from) / 2);
            for (flow, delivered) in self.flows.iter_mut().zip(early) {
                flow.delivered_early = delivered;
            }
        }
        self.until = until;
        self.ledger.end_at(until);
    }

    /// The result of the run, once it is over. `wall_seconds` is left at zero for whoever has a clock.
    pub fn result(&self, config: &CellConfig, seed: u64, events: u64) -> RunResult {
        let flows: Vec<FlowResult> =
            config.flows.iter().zip(&self.flows).map(|(flow, record)| self.flow_result(config, flow, record)).collect();
        RunResult {
            scheme: config.scheme.clone(),
            seed,
            goodput_mbps: flows.iter().map(|flow| flow.goodput_mbps).sum(),
            fairness: self.fairness(config),
            flows,
            pings: self.ping_results(config),
            airtime_ns: *self.ledger.airtime(),
            counters: self.counters(config),
            rates: self.rates.as_ref().map_or_else(Vec::new, |rates| rates.result(|node| name_of(config, node))),
            hack: None,
            rival: BTreeMap::new(),
            sim_seconds: self.until.saturating_since(self.from).as_secs_f64(),
            wall_seconds: 0.0,
            events,
            neighbours: Vec::new(),
        }
    }

    fn flow_result(&self, config: &CellConfig, flow: &FlowConfig, record: &FlowRecord) -> FlowResult {
        FlowResult {
            name: flow.name.clone(),
            station: config.stations[flow.station].name.clone(),
            direction: match flow.direction {
                Direction::Down => "down",
                Direction::Up => "up",
            }
            .to_owned(),
            transport: match flow.transport {
                TransportConfig::Udp { .. } => "udp",
                TransportConfig::Tcp(_) => "tcp",
            }
            .to_owned(),
            traffic: match flow.traffic {
                Traffic::Bulk(_) => "bulk",
                Traffic::Finite { .. } => "finite",
                Traffic::Repeated { .. } => "repeated",
                Traffic::OnOff { .. } => "on-off",
                Traffic::Video(_) => "video",
            }
            .to_owned(),
            goodput_mbps: self.rate_mbps(record.delivered),
            air_mbps: self.rate_mbps(record.carried()),
            halves_mbps: [
                rate_mbps(record.delivered_early, self.middle - self.from),
                rate_mbps(record.delivered - record.delivered_early, self.until - self.middle),
            ],
            held: (record.held != [Held::default(); 2]).then(|| record.held.map(Held::result)),
            rtt_ms: record.rtts.percentiles(),
            retransmissions: record.retransmissions - record.before.0,
            timeouts: record.timeouts - record.before.1,
            completion_s: record.completion.map(Duration::as_secs_f64),
            unfinished_s: record.transfer.map(|begun| (self.until - begun).as_secs_f64()),
            transfers_ms: record.transfers.percentiles(),
            ends: match flow.transport {
                TransportConfig::Tcp(tcp) if !tcp.is_plain() || record.transport.merged != MergeCounts::default() => {
                    Some(ends_result(tcp.tack.is_some(), record))
                }
                _ => None,
            },
            udp: self.udp_result(flow, record),
            video: matches!(flow.traffic, Traffic::Video(_)).then(|| self.video_result(flow, &record.viewing)),
        }
    }

    fn udp_result(&self, flow: &FlowConfig, record: &FlowRecord) -> Option<UdpResult> {
        let TransportConfig::Udp { answers, .. } = flow.transport else { return None };
        if answers.is_none() && !matches!(flow.traffic, Traffic::Video(_)) {
            return None;
        }
        let (now, before) = (record.datagrams, record.datagrams_before);
        let answers_received = now.answers_received - before.answers_received;
        let frame = answers.map_or(Bytes::ZERO, |answers| answers.payload + AROUND_PAYLOAD);
        Some(UdpResult {
            sent: now.sent - before.sent,
            received: now.received - before.received,
            answers_sent: now.answers_sent - before.answers_sent,
            answers_received,
            answers_mbps: self.rate_mbps(frame * answers_received),
        })
    }

    fn video_result(&self, flow: &FlowConfig, viewing: &Viewing) -> VideoResult {
        let still = viewing.stopped.map_or(Duration::ZERO, |since| self.until.saturating_since(since.max(self.from)));
        let (stalled, begun) = (viewing.stalled + still, viewing.begun);
        let play = begun.map_or(Duration::ZERO, |begun| self.until.saturating_since(begun.max(self.from)));
        let over_play = |amount: f64| (!play.is_zero()).then(|| amount / play.as_secs_f64());
        VideoResult {
            frames: viewing.frames,
            damaged_frames: viewing.damaged,
            damaged_per_30min: over_play(viewing.damaged as f64 * 1_800.0),
            skipped_frames: viewing.skipped,
            stalls: viewing.stalls,
            stalled_s: stalled.as_secs_f64(),
            play_s: play.as_secs_f64(),
            rebuffering_percent: over_play(stalled.as_secs_f64() * 100.0),
            startup_s: begun.map(|begun| (begun - flow.start).as_secs_f64()),
        }
    }

    fn ping_results(&self, config: &CellConfig) -> Vec<PingResult> {
        let result = |(ping, record): (&crate::config::PingConfig, &PingRecord)| PingResult {
            name: ping.name.clone(),
            station: config.stations[ping.station].name.clone(),
            sent: record.sent,
            lost: record.sent - record.answered,
            rtt_ms: record.rtts.percentiles(),
        };
        config.pings.iter().zip(&self.pings).map(result).collect()
    }

    fn counters(&self, config: &CellConfig) -> Counters {
        let names = std::iter::once("ap").chain(config.stations.iter().map(|station| station.name.as_str()));
        let nodes: Vec<NamedCounters> = names
            .zip(&self.nodes)
            .map(|(name, node)| NamedCounters { name: name.to_owned(), counters: node.counters })
            .collect();
        let mut total = NodeCounters::default();
        for node in &self.nodes {
            total.add(&node.counters);
        }
        Counters { total, nodes }
    }

    fn fairness(&self, config: &CellConfig) -> Fairness {
        let mut goodput = vec![None; config.stations.len()];
        for (flow, record) in config.flows.iter().zip(&self.flows) {
            let mut ends = vec![flow.station];
            if let Peer::Station(other) = flow.peer {
                ends.push(other);
            }
            for station in ends {
                *goodput[station].get_or_insert(0.0) += record.delivered.get() as f64;
            }
        }
        let taking_part =
            || goodput.iter().enumerate().filter_map(|(station, bytes)| bytes.map(|bytes| (station, bytes)));
        let bytes: Vec<f64> = taking_part().map(|(_, bytes)| bytes).collect();
        let airtime: Vec<f64> =
            taking_part().map(|(station, _)| self.nodes[station + 1].airtime.as_nanos() as f64).collect();
        Fairness { jain_goodput: jain(&bytes), jain_airtime: jain(&airtime) }
    }

    fn rate_mbps(&self, bytes: Bytes) -> f64 {
        rate_mbps(bytes, self.until - self.from)
    }

    fn in_window(&self, now: Instant) -> bool {
        self.from <= now && now < self.until
    }

    /// A PPDU went on the air in the window.
    fn count_start(&mut self, ppdu: &Ppdu, access: bool) {
        let counters = &mut self.nodes[usize::from(ppdu.transmitter.0)].counters;
        counters.channel_accesses += u64::from(access && !matches!(ppdu.body, Body::Beacon(_)));
        match &ppdu.body {
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => {
                let Tally { mpdus, tcp_acks, retries } = ppdu.tally();
                counters.data_ppdus += 1;
                counters.data_mpdus += mpdus;
                counters.tcp_ack_mpdus += tcp_acks;
                counters.tcp_ack_ppdus += u64::from(tcp_acks == mpdus);
                counters.retries += retries;
            }
            Body::Ack(answer) => {
                counters.acks += 1;
                counters.count_appended(answer);
            }
            Body::BlockAck(_, _, answer) => {
                counters.block_acks += 1;
                counters.count_appended(answer);
            }
            Body::BlockAckReq(..) => counters.block_ack_requests += 1,
            Body::Rts => counters.rts += 1,
            Body::Cts => counters.cts += 1,
            Body::Beacon(_) => counters.beacons += 1,
        }
        // The AP serves all, and a relay those behind it, which come after it: the air time is the station's at the other end.
        let station =
            if self.infrastructure { ppdu.transmitter.max(ppdu.receiver.station()) } else { ppdu.transmitter };
        if let Some(node) = self.nodes.get_mut(usize::from(station.0)) {
            node.airtime += ppdu.duration;
        }
    }

    fn count_end(&mut self, ppdu: &Ppdu, collided: bool, damaged: u32) {
        self.nodes[usize::from(ppdu.transmitter.0)].counters.collisions += u64::from(collided);
        if let Some(node) = self.nodes.get_mut(usize::from(ppdu.receiver.station().0)) {
            node.counters.air_losses += u64::from(damaged);
        }
        if let Some(rates) = &mut self.rates
            && !ppdu.mpdus().is_empty()
        {
            rates.count(ppdu, if collided { ppdu.frame_count() as u64 } else { u64::from(damaged) });
        }
    }

    fn count_delivered(&mut self, now: Instant, flow: usize, at: Option<NodeId>, bytes: Bytes) {
        let record = &mut self.flows[flow];
        record.delivered += bytes;
        if now < self.middle {
            record.delivered_early += bytes;
        }
        if let Some(node) = at {
            self.nodes[usize::from(node.0)].counters.delivered_bytes += bytes.get();
        }
    }

    fn count_playout(&mut self, now: Instant, flow: usize, playout: Playout) {
        let (from, counts) = (self.from, self.in_window(now));
        let viewing = &mut self.flows[flow].viewing;
        match playout {
            Playout::Shown { damaged, skipped } => {
                viewing.begun.get_or_insert(now);
                if let Some(since) = viewing.stopped.take() {
                    viewing.stalled += now.saturating_since(since.max(from));
                }
                if counts {
                    viewing.frames += 1;
                    viewing.damaged += u64::from(damaged);
                    viewing.skipped += skipped;
                }
            }
            Playout::Stopped => {
                viewing.stopped = Some(now);
                viewing.stalls += u64::from(counts);
            }
        }
    }

    fn count_totals(&mut self, now: Instant, node: NodeId, counts: &StationCounts) {
        let record = &mut self.nodes[usize::from(node.0)];
        if now <= self.from {
            record.before = *counts;
            return;
        }
        record.counters.ack_timeouts = counts.timeouts - record.before.timeouts;
        record.counters.given_up = counts.given_up - record.before.given_up;
        record.counters.queue_drops = counts.queue_drops - record.before.queue_drops;
    }
}

impl Observer for Recorder {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        match *event {
            Event::Start { ppdu, silence, access, .. } => {
                if let Some(silence) = &silence {
                    self.ledger.silence(silence);
                }
                if !self.by_power {
                    self.ledger.start(now, silence.is_some());
                }
                if self.in_window(now) {
                    self.count_start(ppdu, access);
                }
            }
            Event::End { ppdu, start, collided, damaged, idle, .. } => {
                if !self.by_power {
                    self.ledger.end(ppdu, start, now, idle);
                }
                if self.in_window(now) {
                    self.count_end(ppdu, collided, damaged);
                }
            }
            Event::Silence(ref silence) => self.ledger.silence(silence),
            Event::Heard { what, from, until } => self.ledger.heard(what, from, until),
            Event::FlowTotals { flow, retransmissions, timeouts, held, transfer } => {
                let record = &mut self.flows[flow];
                (record.retransmissions, record.timeouts) = (retransmissions, timeouts);
                (record.held[1], record.transfer) = (held, transfer);
                if now <= self.from {
                    record.before = (retransmissions, timeouts);
                    record.held[0] = held;
                }
            }
            Event::TransportTotals { flow, counts, estimates } => {
                let record = &mut self.flows[flow];
                (record.transport, record.estimates) = (counts, estimates);
                if now <= self.from {
                    record.transport_before = counts;
                }
            }
            Event::DatagramTotals { flow, counts } => {
                let record = &mut self.flows[flow];
                record.datagrams = counts;
                if now <= self.from {
                    record.datagrams_before = counts;
                }
            }
            Event::Playout { flow, playout } => self.count_playout(now, flow, playout),
            Event::Totals { node, ref counts } => self.count_totals(now, node, counts),
            Event::Completed { flow, took, finite } => {
                if finite {
                    self.flows[flow].completion = Some(took);
                } else if self.in_window(now) {
                    self.flows[flow].transfers.push(took);
                }
            }
            Event::PingSent { ping } if self.in_window(now) => self.pings[ping].sent += 1,
            Event::PingAnswered { ping, sent, rtt } if self.in_window(sent) => {
                self.pings[ping].answered += 1;
                self.pings[ping].rtts.push(rtt);
            }
            Event::Delivered { flow, at, bytes } if self.in_window(now) => self.count_delivered(now, flow, at, bytes),
            Event::RoundTrip { flow, rtt } if self.in_window(now) => self.flows[flow].rtts.push(rtt),
            Event::WireDrop { node } if self.in_window(now) => {
                // The server's drops are the AP's: the wire is between the two.
                let node = node.map_or(0, |node| usize::from(node.0));
                self.nodes[node].counters.wire_drops += 1;
            }
            Event::HostDrop { node } if self.in_window(now) => {
                self.nodes[usize::from(node.0)].counters.host_drops += 1;
            }
            Event::PingSent { .. }
            | Event::PingAnswered { .. }
            | Event::Delivered { .. }
            | Event::RoundTrip { .. }
            | Event::WireDrop { .. }
            | Event::HostDrop { .. }
            | Event::FlowSample { .. } => {}
        }
    }
}

impl FlowRecord {
    /// The new bytes that came over the air in the window: those that were delivered, and those that wait at its end, but for those that
    /// waited when it began.
    fn carried(&self) -> Bytes {
        let [before, after] = self.held.map(|held| held.behind_holes + held.unread + held.on_the_way);
        (self.delivered + after).saturating_sub(before)
    }
}

impl Held {
    fn result(self) -> HeldResult {
        let Self { behind_holes, unread, on_the_way } = self;
        HeldResult { behind_holes: behind_holes.get(), unread: unread.get(), on_the_way: on_the_way.get() }
    }
}

/// The name of a node; any group is `group`.
fn name_of(config: &CellConfig, node: NodeId) -> String {
    match usize::from(node.0).checked_sub(1) {
        None => "ap".to_owned(),
        Some(station) => {
            config.stations.get(station).map_or_else(|| "group".to_owned(), |station| station.name.clone())
        }
    }
}

/// `bytes` over `span`, in Mbit/s; zero over none.
fn rate_mbps(bytes: Bytes, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { bytes.bits() as f64 / span.as_nanos() as f64 * 1e3 }
}

/// What the ends of a TCP flow did in the window.
fn ends_result(offers_tack: bool, record: &FlowRecord) -> EndsResult {
    let (now, before, estimates) = (&record.transport, &record.transport_before, &record.estimates);
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let percent = |part: u64, whole: u64| ratio(part * 100, whole);
    let millis = |span: Duration| span.as_secs_f64() * 1e3;
    let (data_packets, acks) = (now.data_packets - before.data_packets, now.acks - before.acks);
    let (all_tacks, start_up) = (now.tacks - before.tacks, now.start_up_tacks - before.start_up_tacks);
    let lost = percent(now.packets_lost - before.packets_lost, data_packets);
    let interval = estimates.interval.filter(|interval| !interval.is_zero());
    EndsResult {
        data_packets,
        acks,
        tacks: all_tacks - start_up,
        start_up_tacks: start_up,
        loss_iacks: now.loss_iacks - before.loss_iacks,
        window_iacks: now.window_iacks - before.window_iacks,
        round_trip_iacks: now.round_trip_iacks - before.round_trip_iacks,
        frequency_iacks: now.frequency_iacks - before.frequency_iacks,
        acks_per_data_percent: percent(acks, data_packets),
        tack_hz: interval.map(|interval| 1.0 / interval.as_secs_f64()),
        rtt_min_ms: estimates.min_rtt.map(millis),
        rtt_min_sampled_ms: estimates.min_rtt_sampled.map(millis),
        bandwidth_mbps: estimates.bandwidth.map(BitRate::mbps_f64),
        data_loss_percent: lost.filter(|_| offers_tack),
        ack_loss_percent: estimates.ack_loss_ppm.map(|ppm| f64::from(ppm) * 1e-4),
        spurious_losses: now.spurious_losses - before.spurious_losses,
        blocked_bytes_mean: ratio(now.blocked_bytes - before.blocked_bytes, all_tacks),
        blocked_bytes_max: estimates.blocked_bytes_max.get(),
        tail_probes: now.tail_probes - before.tail_probes,
        fallbacks: now.fallbacks,
        merged_segments: now.merged.segments - before.merged.segments,
        merged_packets: now.merged.packets - before.merged.packets,
        merges_ended_by_timestamp: now.merged.ended_by_timestamp - before.merged.ended_by_timestamp,
    }
}

impl NodeCounters {
    /// What a scheme appended to an answer of this node.
    fn count_appended(&mut self, answer: &Answer) {
        self.appended_answers += u64::from(!answer.appended.is_empty());
        self.appended_bytes += answer.appended.len() as u64;
    }
}

impl Samples {
    fn push(&mut self, sample: Duration) {
        self.0.push(u32::try_from(sample.as_micros_floor()).unwrap_or(u32::MAX));
    }

    /// Percentiles by the nearest-rank rule.
    fn percentiles(&self) -> Option<Percentiles> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = |p: usize| sorted.get((sorted.len() * p).div_ceil(100).saturating_sub(1));
        let ms = |micros: &u32| f64::from(*micros) / 1e3;
        Some(Percentiles {
            samples: sorted.len() as u64,
            min: sorted.first().map(ms)?,
            median: rank(50).map(ms)?,
            p95: rank(95).map(ms)?,
            p99: rank(99).map(ms)?,
        })
    }
}

/// Headers of UDP and IPv4, and the header and check sequence of an Ethernet frame.
const AROUND_PAYLOAD: Bytes = Bytes(8 + 20 + 18);

/// Jain's index of fairness: the square of the sum over `n` times the sum of squares; 1 for fewer than two shares, or if all are zero.
fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    if shares.len() < 2 || squares == 0.0 { 1.0 } else { sum * sum / (shares.len() as f64 * squares) }
}

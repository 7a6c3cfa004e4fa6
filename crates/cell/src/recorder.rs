//! The observer that makes a [`RunResult`] of a run: counters, delays, fairness, and the [`Ledger`].

use std::collections::BTreeMap;

use ackless_dot11::frame::{Answer, Body, NodeId, Ppdu, Tally};
use ackless_dot11::station::StationCounts;
use ackless_wire::{Bytes, Duration, Instant};

use crate::config::{CellConfig, Hearing, Peer, Topology};
use crate::ledger::Ledger;
use crate::observe::{Event, Observer, Playout};
use crate::result::{
    Airtime, Counters, Fairness, FlowResult, NamedCounters, NodeCounters, PingResult, RunResult, jain, shares,
};

mod flow;
mod marks;
mod rates;
mod samples;

use flow::FlowRecord;
use marks::Marks;
use rates::Rates;
use samples::{Samples, SamplesOfMany};

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
    /// The round-trip times of flows.
    rtts: SamplesOfMany,
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
struct PingRecord {
    sent: u64,
    answered: u64,
    rtts: Samples,
}

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
            rtts: SamplesOfMany::default(),
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
        let records = self.flows.iter().zip(self.rtts.percentiles(self.flows.len()));
        let flows = config.flows.iter().zip(records);
        let mut flows: Vec<FlowResult> =
            flows.map(|(flow, (record, rtts))| self.flow_result(config, flow, record, rtts)).collect();
        shares::judge(config, &mut flows);
        RunResult {
            scheme: config.scheme.clone(),
            seed,
            // A sum of nothing is -0.0.
            goodput_mbps: 0.0 + flows.iter().map(|flow| flow.goodput_mbps).sum::<f64>(),
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
        let on_air = |station: usize| self.nodes[station + 1].airtime.as_nanos() as f64;
        let airtime: Vec<f64> = if config.flows.is_empty() {
            (0..config.stations.len()).map(on_air).filter(|airtime| *airtime > 0.0).collect()
        } else {
            taking_part().map(|(station, _)| on_air(station)).collect()
        };
        Fairness { jain_goodput: jain(&bytes), jain_airtime: jain(&airtime) }
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
        record.counters.ecn_marks = counts.ecn_marks - record.before.ecn_marks;
    }
}

impl Observer for Recorder {
    // What is told of each packet stands where it is told.
    #[inline(always)]
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        match *event {
            Event::Delivered { flow, at, bytes } if self.in_window(now) => self.count_delivered(now, flow, at, bytes),
            Event::RoundTrip { flow, rtt } if self.in_window(now) => self.rtts.push(flow, rtt),
            Event::Delivered { .. } | Event::RoundTrip { .. } => {}
            _ => self.note(now, event),
        }
    }
}

impl Recorder {
    /// What is not told of each packet.
    #[inline(never)]
    fn note(&mut self, now: Instant, event: &Event<'_>) {
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
            Event::FlowTotals { flow, totals, held, transfer, pending } => {
                let record = &mut self.flows[flow];
                record.totals = totals;
                (record.held[1], record.transfer) = (held, transfer);
                if now <= self.from {
                    record.before = totals;
                    record.held[0] = held;
                    record.wanted = pending;
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
            Event::Offered { flow, bytes } if self.in_window(now) => {
                let record = &mut self.flows[flow];
                record.offered += bytes;
                record.wanted |= now < self.middle;
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
            | Event::Offered { .. }
            | Event::RoundTrip { .. }
            | Event::WireDrop { .. }
            | Event::HostDrop { .. }
            | Event::FlowSample { .. } => {}
        }
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

impl NodeCounters {
    /// What a scheme appended to an answer of this node.
    fn count_appended(&mut self, answer: &Answer) {
        self.appended_answers += u64::from(!answer.appended.is_empty());
        self.appended_bytes += answer.appended.len() as u64;
    }
}

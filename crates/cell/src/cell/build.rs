//! From a configuration to a cell whose run has not begun.

use std::collections::VecDeque;

use ackless_dot11::access::{Function, Parameters};
use ackless_dot11::frame::{NodeId, Tid};
use ackless_dot11::hooks::{Peer, Scheme};
use ackless_dot11::queue::{CodelConfig, FqCodelConfig, QueueConfig, SchedulerKind};
use ackless_dot11::rate::{RateChoice, SampleTable};
use ackless_dot11::station::{Aggregation, Amsdu, Crowd, LinkConfig, MacConfig, QueueBounds, Station, Upward};
use ackless_phy::ampdu::{MAX_HT_MPDU, MAX_VHT_MPDU};
use ackless_phy::{Channel, Fading, MpduSpacing, Timing, TxVector};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant, PacketPool};

use super::{Beacon, Cell, Contention, Powers, Routes};
use crate::agenda::Agenda;
use crate::config::{
    self, Access, AggregationConfig, AnswerRate, ApQueue, ApScheduler, CellConfig, Delivery, Direction, Hearing,
    LinkLoss, RateControl, Topology,
};
use crate::flows::{Flows, Place};
use crate::gro::Gro;
use crate::host::{HostLoss, Outgoing, Passage};
use crate::loss::{AirLoss, LossModel, Weather};
use crate::medium::Medium;
use crate::middlebox::Middlebox;
use crate::observe::Observer;
use crate::slots::{Slots, Wakeup};
use crate::wired::Wired;

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// A cell before its run. `scheme` makes the scheme of each node; node 0 is the AP.
    ///
    /// # Panics
    /// If a station's relay does not come before it, or an ad hoc cell has one.
    pub fn new(config: &CellConfig, seed: u64, mut scheme: impl FnMut(NodeId) -> S, observer: O) -> Self {
        Self::build(config, seed, &mut scheme, observer)
    }

    /// Whoever makes the schemes is behind a pointer, so that this is compiled once for each kind of cell and not for each who makes one.
    fn build(config: &CellConfig, seed: u64, scheme: &mut dyn FnMut(NodeId) -> S, mut observer: O) -> Self {
        observer.begin(config);
        let nodes = config.stations.len() + 1;
        let slots = Slots::new(nodes, config.flows.len(), config.pings.len());
        let schemes = (0..nodes).map(|node| scheme(NodeId(node as u16)));
        let stations = stations(config, seed, schemes);
        let least_ifs = stations.iter().map(Station::ifs).min().unwrap_or_default();
        // Stations count alike; only the AP may have constants of its own.
        let crowd = Crowd::like(&stations[stations.len() - 1]);
        let mut cell = Self {
            now: Instant::ZERO,
            until: Instant::ZERO,
            agenda: Agenda::new(slots.count(), slots.busy()),
            slots,
            medium: Medium::default(),
            powers: Powers::of(config, seed),
            counts_in_flight: config.counts_in_flight,
            tells_flows_apart: matches!(config.ap.queue, ApQueue::FqCodel { .. }),
            per_mpdu: config.delivery == Delivery::PerMpdu,
            ahead: None,
            interference: None,
            loss: AirLoss::new(seed, loss_models(config, seed)),
            stations,
            contention: Contention::new(least_ifs, crowd),
            pool: PacketPool::default(),
            passages: passages(config, seed),
            server: Passage::new(config.server.host_latency, Delivery::PerPpdu),
            host_losses: host_losses(config, seed),
            wire_down: wire(config, seed, Direction::Down),
            wire_up: wire(config, seed, Direction::Up),
            middlebox: Middlebox::of(&config.wired),
            flows: flows(config, seed),
            merging: Vec::new(),
            unsent: VecDeque::new(),
            unsent_stopped: Vec::new(),
            train: Vec::new(),
            discharged: Vec::new(),
            freed: Vec::new(),
            sources: vec![VecDeque::new(); nodes],
            admits: false,
            routes: Routes::new(config),
            queue_limits: queue_limits(config),
            beacon: config.beacons.map(|beacons| Beacon {
                next: Instant::ZERO + beacons.interval,
                interval: beacons.interval,
                len: beacons.size,
            }),
            ending: false,
            witness: None,
            eavesdropper: None,
            mtu: config.wired.mtu,
            outside: None,
            observer,
            events: 0,
        };
        cell.introduce();
        cell.arm(config);
        cell
    }

    /// Tells every node of its peers.
    fn introduce(&mut self) {
        let peers: Vec<Peer> = self.stations.iter().map(Station::as_peer).collect();
        for station in &mut self.stations {
            for (node, peer) in peers.iter().enumerate() {
                station.join(NodeId(node as u16), *peer);
            }
        }
    }

    /// Puts the first deadlines on the agenda.
    fn arm(&mut self, config: &CellConfig) {
        for (flow, flow_config) in config.flows.iter().enumerate() {
            let state = self.flows.flow(flow);
            if state.datagrams_that_flood().is_some() {
                match state.ends[state.sender()].place {
                    Place::Server => {
                        self.sources[0].push_back(flow);
                        self.admits |= state.floods_for_a_while();
                    }
                    Place::Station(node) => self.sources[node].push_back(flow),
                }
            }
            self.agenda.set(self.slots.slot(Wakeup::Application(flow)), Some(flow_config.start));
        }
        for (ping, ping_config) in config.pings.iter().enumerate() {
            self.agenda.set(self.slots.slot(Wakeup::Ping(ping)), Some(ping_config.start));
        }
        let beacon = self.beacon.map(|beacon| beacon.next);
        self.agenda.set(self.slots.slot(Wakeup::Beacon), beacon);
    }
}

/// One direction of the wire.
fn wire<P: Copy>(config: &CellConfig, seed: u64, direction: Direction) -> Wired<P> {
    let (link, trace, component) = match direction {
        Direction::Down => (config.wired.down, &config.wired.down_trace, 0),
        Direction::Up => (config.wired.up, &config.wired.up_trace, 1),
    };
    let steady = Wired::new(link, Stream::new(seed, component, Purpose::Wire));
    steady.changing(&config.wired.steps, direction).tracing(trace.clone())
}

/// The MACs of all nodes, the AP's first.
fn stations<S: Scheme>(config: &CellConfig, seed: u64, schemes: impl Iterator<Item = S>) -> Vec<Station<S>> {
    let make = |(node, scheme): (usize, S)| {
        let id = NodeId(node as u16);
        let (mac, links, scheduler) = match node.checked_sub(1) {
            None => (&config.ap.mac, ap_links(config), scheduler(config.ap.scheduler)),
            Some(station) => (&config.stations[station].mac, station_links(config, station), SchedulerKind::RoundRobin),
        };
        let links = links.into_iter().map(|link| adapting(config, seed, node, link)).collect();
        let backoff = Stream::new(seed, node as u64, Purpose::Backoff);
        Station::new(mac_config(config, id, mac), links, scheduler, scheme, backoff)
    };
    schemes.enumerate().map(make).collect()
}

fn mac_config(config: &CellConfig, node: NodeId, mac: &config::MacConfig) -> MacConfig {
    let timing = Timing::of(config.standard, config.band);
    let (access, txop_limit) = match mac.access {
        Access::Dcf { cw_min, cw_max } => {
            let access = Parameters { function: Function::Dcf, ifs: timing.difs(), slot: timing.slot, cw_min, cw_max };
            (access, Duration::ZERO)
        }
        Access::Edca { aifsn, cw_min, cw_max, txop_limit } => {
            let ifs = timing.aifs(aifsn);
            (Parameters { function: Function::Edca, ifs, slot: timing.slot, cw_min, cw_max }, txop_limit)
        }
    };
    MacConfig {
        node,
        timing,
        access,
        backoff: mac.backoff,
        tid: Tid(0),
        txop_limit,
        basic_rates: config.basic_rates,
        fixed_answer: match config.answer_rate {
            AnswerRate::ByRule => None,
            AnswerRate::Fixed(vector) => Some(vector),
        },
        group_rate: config.group_rate.or(config.beacons.map(|beacons| beacons.tx)).unwrap_or(timing.lowest),
        rts_threshold: mac.rts_threshold,
        retry_limit: mac.retry_limit.unwrap_or(u32::MAX),
        ack_timeout_extra: mac.ack_timeout_extra,
        answer_delay: mac.answer_delay,
        idle_at_end: config.idle_at_end,
        bounds: bounds(config, node),
        device: config.ap.device.filter(|_| node == NodeId(0)),
        eifs_extra: if config.eifs { timing.eifs() - timing.difs() } else { Duration::ZERO },
    }
}

fn bounds(config: &CellConfig, node: NodeId) -> Option<QueueBounds> {
    let bounds =
        QueueBounds { in_flight: config.counts_in_flight, shared: node == NodeId(0) && config.ap.shares_queue };
    (bounds.in_flight || bounds.shared).then_some(bounds)
}

fn ap_links(config: &CellConfig) -> Vec<LinkConfig> {
    let sharing =
        if config.ap.shares_queue { config.stations.iter().filter(|station| station.via.is_none()).count() } else { 1 };
    let queue = match config.ap.queue {
        ApQueue::Fifo { packets } => QueueConfig::Fifo { packets: packets as usize * sharing },
        ApQueue::FqCodel { target, interval, quantum, limit, ecn } => QueueConfig::FqCodel(FqCodelConfig {
            codel: CodelConfig { target, interval },
            quantum,
            limit: limit as usize,
            ecn,
        }),
    };
    links_below(config, None, queue)
}

/// The links of the AP, or of a station that relays, to those that talk to it.
fn links_below(config: &CellConfig, above: Option<usize>, queue: QueueConfig) -> Vec<LinkConfig> {
    let mac = mac_of(config, above);
    let below = config.stations.iter().enumerate().filter(|(_, station)| station.via == above);
    let link = |(index, station): (usize, &config::StationConfig)| {
        link(NodeId(index as u16 + 1), End { rate: station.down, mac }, End::of(station), queue)
    };
    below.map(link).collect()
}

/// The MAC of a station, or of the AP.
fn mac_of(config: &CellConfig, station: Option<usize>) -> &config::MacConfig {
    station.map_or(&config.ap.mac, |station| &config.stations[station].mac)
}

/// The peers of a station: its AP or relay and those that it relays for, or in an ad hoc cell all other stations.
fn station_links(config: &CellConfig, own: usize) -> Vec<LinkConfig> {
    let station = &config.stations[own];
    let queue = QueueConfig::Fifo { packets: station.queue_packets as usize };
    match config.topology {
        Topology::Infrastructure => {
            let down = End { rate: station.down, mac: mac_of(config, station.via) };
            let above = NodeId(station.via.map_or(0, |relay| relay as u16 + 1));
            let mut links = vec![link(above, End::of(station), down, queue)];
            links.extend(links_below(config, Some(own), queue));
            links
        }
        Topology::AdHoc => {
            let others = config.stations.iter().enumerate().filter(|(other, _)| *other != own);
            others.map(|(n, peer)| link(NodeId(n as u16 + 1), End::of(station), End::of(peer), queue)).collect()
        }
    }
}

/// One end of a link: how it sends data to the other.
#[derive(Clone, Copy)]
struct End<'a> {
    rate: TxVector,
    mac: &'a config::MacConfig,
}

impl<'a> End<'a> {
    /// A station: as it sends to its AP or relay, or in an ad hoc cell to all others alike.
    const fn of(station: &'a config::StationConfig) -> Self {
        Self { rate: station.up, mac: &station.mac }
    }
}

fn link(peer: NodeId, own: End<'_>, other: End<'_>, queue: QueueConfig) -> LinkConfig {
    let is_qos = |end: End<'_>| matches!(end.mac.access, Access::Edca { .. });
    LinkConfig {
        peer,
        rate: own.rate,
        control: RateChoice::Fixed,
        qos: is_qos(own) && is_qos(other),
        aggregation: aggregation(own, other.mac.aggregation),
        reorders: aggregation(other, own.mac.aggregation).map(|terms| terms.window),
        queue,
    }
}

/// A link of `node` with the rate control of the station at its end, or in an ad hoc cell of its sender.
fn adapting(config: &CellConfig, seed: u64, node: usize, link: LinkConfig) -> LinkConfig {
    let end = node.max(usize::from(link.peer.0));
    let sender = if config.topology == Topology::AdHoc { node } else { end };
    let Some(station) = sender.checked_sub(1) else { return link };
    let control = match config.stations[station].rate_control {
        RateControl::Fixed => RateChoice::Fixed,
        RateControl::Ideal => {
            RateChoice::Ideal(channel(config, end - 1, seed).expect("an ideal rate control needs an SNR"))
        }
        // One table for each host.
        RateControl::MinstrelHt => {
            RateChoice::MinstrelHt(SampleTable::new(&mut Stream::new(seed, node as u64, Purpose::RateSampling)))
        }
    };
    LinkConfig { control, ..link }
}

/// A-MPDUs from a sender to a receiver: both must know them, the rate must be one that carries them, and the receiver's buffer and spacing
/// bind the sender.
fn aggregation(sender: End<'_>, receiver: Option<AggregationConfig>) -> Option<Aggregation> {
    let rate = sender.rate;
    let (sender, receiver) = (sender.mac.aggregation?, receiver?);
    let window = sender.window.min(receiver.window);
    rate.can_aggregate().then(|| Aggregation {
        max_bytes: sender.max_bytes.min(rate.longest_psdu()),
        max_mpdus: sender.max_mpdus.min(window),
        window,
        spacing: spacing(receiver.min_spacing),
        amsdu: sender.amsdu.map(|max_bytes| Amsdu { max_bytes, max_mpdu: longest_mpdu(rate) }),
    })
}

/// The longest MPDU in an A-MPDU.
const fn longest_mpdu(rate: TxVector) -> Bytes {
    if rate.must_aggregate() { MAX_VHT_MPDU } else { MAX_HT_MPDU }
}

/// The shortest spacing that the standard knows and that is at least this.
fn spacing(at_least: Duration) -> MpduSpacing {
    let enough = MpduSpacing::ALL.into_iter().find(|spacing| spacing.duration() >= at_least);
    enough.unwrap_or(MpduSpacing::Micros16)
}

fn scheduler(config: ApScheduler) -> SchedulerKind {
    match config {
        ApScheduler::RoundRobin => SchedulerKind::RoundRobin,
        ApScheduler::Fcfs => SchedulerKind::Fcfs,
        ApScheduler::AirtimeFair => SchedulerKind::Airtime,
    }
}

fn flows(config: &CellConfig, seed: u64) -> Flows {
    let mut flows = Flows::new(seed, &config.flows, &config.pings);
    flows.merge(|place| match place {
        Place::Server => config.server.gro,
        // The AP has no transports.
        Place::Station(node) => node.checked_sub(1).map_or(Gro::Off, |station| config.stations[station].gro),
    });
    flows.burst(|place| match place {
        Place::Server => config.server.tso,
        Place::Station(node) => node.checked_sub(1).and_then(|station| config.stations[station].tso),
    });
    flows.bound_queues(|place| match place {
        Place::Server => config.server.tsq,
        Place::Station(node) => node.checked_sub(1).and_then(|station| config.stations[station].tsq),
    });
    flows
}

fn passages(config: &CellConfig, seed: u64) -> Vec<Passage<Upward, Outgoing>> {
    let stations = config.stations.iter().zip(1..).map(|(station, node)| host_latency(station, node, seed));
    std::iter::once(config.ap.host_latency)
        .chain(stations)
        .map(|latency| Passage::new(latency, config.delivery))
        .collect()
}

/// How long the host of this station takes each way, from a stream of its own: who draws here changes no other draw.
fn host_latency(station: &config::StationConfig, node: u64, seed: u64) -> Duration {
    let drawn = Stream::new(seed, node, Purpose::Host).below(station.host_latency_spread.as_nanos() + 1);
    station.host_latency + Duration::from_nanos(drawn)
}

fn host_losses(config: &CellConfig, seed: u64) -> Vec<HostLoss> {
    let stations = config.stations.iter().map(|station| station.host_loss);
    let nodes = std::iter::once(config::Probability::NEVER).chain(stations);
    nodes.enumerate().map(|(node, loss)| HostLoss::new(loss, seed, node as u64)).collect()
}

fn queue_limits(config: &CellConfig) -> Vec<usize> {
    let stations = config.stations.iter().map(|station| station.queue_packets as usize);
    std::iter::once(0).chain(stations).collect()
}

fn loss_models(config: &CellConfig, seed: u64) -> Vec<(LossModel, Weather)> {
    let model = |(place, station): (usize, &config::StationConfig)| {
        let model = match station.loss {
            LinkLoss::None => LossModel::None,
            LinkLoss::PerFrame { down, up } => LossModel::PerFrame { down, up },
            LinkLoss::Snr(_) | LinkLoss::PathLoss => {
                LossModel::Snr(channel(config, place, seed).expect("these models have an SNR"))
            }
        };
        (model, Weather::of(&station.changes))
    };
    let stations = config.stations.iter().enumerate().map(model);
    std::iter::once((LossModel::None, Weather::default())).chain(stations).collect()
}

/// How the SNR of a station's link goes, both ways; `None` where its model has none.
fn channel(config: &CellConfig, place: usize, seed: u64) -> Option<Channel> {
    let station = &config.stations[place];
    let level = match station.loss {
        LinkLoss::None | LinkLoss::PerFrame { .. } => return None,
        LinkLoss::Snr(snr) => snr,
        LinkLoss::PathLoss => match &config.hearing {
            Hearing::ByPower(powers) => powers.snr(station.via.map_or(0, |relay| relay + 1), place + 1, station.down),
            // The ratio over the width of the downlink's data serves both ways and all frames of the link.
            Hearing::All => config.propagation.snr(station.distance.metres(), station.down),
        },
    };
    let channel = Channel::constant(level, station.down.width()).stepped(station.changes.ratios.clone());
    let random = || Stream::new(seed, place as u64 + 1, Purpose::Fading);
    Some(match station.changes.doppler {
        Some(hertz) => channel.fading(Fading::new(hertz, &mut random())),
        None => channel,
    })
}

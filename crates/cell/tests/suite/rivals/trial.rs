//! One run of a cell, and the rules that it must keep.
//!
//! 1. Nothing is altered, made up or acknowledged too early: see [`crate::rivals::ledger`].
//! 2. Each receiver gets all bytes of its flow, in order and once.
//! 3. No gap in progress is longer than the sender's retransmission timeout at its start and a round trip, see [`Progress`].
//! 4. The run ends, and then nobody holds a packet any more, but for what is in a reorder buffer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ackless_cell::config::{
    ApQueue, CellConfig, Direction, FlowConfig, RecoveryChoice, TcpConfig, Traffic, TransportConfig,
};
use ackless_cell::host::{Crossing, Eavesdropper};
use ackless_cell::observe::{Event, Observer};
use ackless_cell::{Cell, scheme};
use ackless_dot11::frame::NodeId;
use ackless_wire::{Bytes, Duration, Instant};

use crate::rivals::contenders::Setup;
use crate::rivals::corners;
use crate::rivals::ledger::Ledger;
use crate::rivals::schedule::Schedule;
use crate::testing::ears;
use crate::testing::hosts::longest_probe;
use crate::testing::tap::{Tap, shared};
use crate::testing::tested::{TestedCell, counts};
use crate::testing::wires::longest_wait;

/// What a run that kept the rules ended in.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What the schemes of all nodes together have counted.
    pub counts: BTreeMap<&'static str, u64>,
    /// When the weather ended.
    pub until: Instant,
    /// When each flow was done; nothing for one that did not start.
    pub done: Vec<Option<Instant>>,
    /// The longest retransmission timeout that a sender ever had.
    pub timeout: Duration,
    /// Retransmission timeouts of all senders.
    pub timeouts: u64,
    /// Packets that were lost for good after the weather.
    pub lost_later: u64,
    /// Acknowledgements that went back at the port to the wire.
    pub backwards: u64,
    /// What the design has stalled on, where a flow was late.
    pub stalled_on: Option<&'static str>,
}

/// What only an observer sees.
#[derive(Default)]
struct Watcher {
    /// Packets that the wire or a host dropped or lost, and those in frames that nobody answers.
    gone: u64,
    /// Those of them that a host lost.
    host_lost: u64,
    /// PPDUs that did not arrive whole.
    damaged: u64,
    /// Completed transfers of each flow.
    completed: Vec<u64>,
}

/// How one flow gets on, as its sender sees it.
///
/// Progress is a greater SND.UNA. A gap lasts from one to the next, or from the first byte handed over, as long as anything is
/// unacknowledged. It begins anew with each loss, since what was lost is TCP's to repair, and its sender backs off, longer each time: a PPDU
/// that does not arrive whole, a packet that the wire, a queue or a retry limit takes away, a frame that a scheme refuses; and for as long as
/// a reorder buffer keeps packets back behind a hole, of which its sender may tell it only with the next frame.
#[derive(Clone, Copy)]
struct Progress {
    /// What a gap may last beside the timeout.
    beside: Duration,
    /// Whether the AP repairs with a back-off of its own, as [`Setup::repairs`].
    repairs: bool,
    /// The last greater SND.UNA, and since when.
    acked: (Bytes, Instant),
    /// What was acknowledged, since when, and how long a gap may be that began then.
    gap: Option<(Bytes, Instant, Duration)>,
}

/// Watches for a trial, which looks at what was seen as it goes on.
struct Watching(Arc<Mutex<Watcher>>);

/// A run under way.
struct Trial<'a> {
    config: CellConfig,
    cell: TestedCell<'a>,
    watcher: Arc<Mutex<Watcher>>,
    progress: Vec<Progress>,
    outcome: Outcome,
    /// Packets that were lost for good while the weather lasted.
    gone_in_weather: u64,
    /// As [`Setup::stalls_on`].
    stalls_on: Option<&'static str>,
}

/// Runs a schedule with this on its nodes to its end.
///
/// # Panics
/// If a rule is broken.
pub fn run(schedule: Schedule, setup: &Setup) -> Outcome {
    let Schedule { config, seed, weather, .. } = schedule;
    let until = weather.until();
    let ledger = Arc::new(Mutex::new(Ledger::new(setup.says)));
    let watcher = Watcher { completed: vec![0; config.flows.len()], ..Watcher::default() };
    let watcher = Arc::new(Mutex::new(watcher));
    let mut observer = Watching(Arc::clone(&watcher));
    let tap = |node| Tap::boxed(scheme(&config, node), Arc::clone(&ledger));
    let mut cell = Cell::new(&config, seed, tap, ears::with(&config, &mut observer));
    cell.interfere(weather.interference());
    cell.eavesdrop(eavesdropper(Arc::clone(&ledger)));
    let progress = |flow| Progress {
        beside: setup.hold + round_trip(&config, flow),
        repairs: setup.repairs,
        acked: (Bytes::ZERO, Instant::ZERO),
        gap: None,
    };
    let progress = (0..config.flows.len()).map(progress).collect();
    let outcome = Outcome { until, done: vec![None; config.flows.len()], ..Outcome::default() };
    let mut outcome = Trial {
        cell,
        watcher,
        progress,
        outcome,
        gone_in_weather: 0,
        config: config.clone(),
        stalls_on: setup.stalls_on,
    }
    .run();
    outcome.backwards = shared(&ledger).backwards();
    outcome
}

impl Trial<'_> {
    fn run(mut self) -> Outcome {
        let mut lost = 0;
        let mut all_done = None;
        loop {
            let now = self.cell.now();
            let next = self.cell.poll_timeout().unwrap_or(Instant::FAR_FUTURE).min(now + PATIENCE);
            self.cell.advance(next.saturating_add(Duration::from_nanos(1)).max(now + STEP));
            let now = self.cell.now();
            let (lost_now, held_back) = (self.lost(), self.held_back());
            for flow in 0..self.config.flows.len() {
                self.look(flow, lost_now != lost || held_back > 0);
            }
            lost = lost_now;
            if now <= self.outcome.until {
                self.gone_in_weather = self.gone();
            }
            let done = self.outcome.done.iter().all(Option::is_some);
            all_done = all_done.or(done.then_some(now));
            // But for those behind a hole in a reorder buffer, where the same packet may wait twice.
            let held = self.cell.packets_under_way().saturating_sub(held_back);
            if done && held == 0 {
                break;
            }
            if !done && now >= LATEST && self.stalls_on.is_some() {
                self.outcome.stalled_on = self.stalls_on;
                break;
            }
            assert!(
                now < all_done.map_or(LATEST, |at| at + PATIENCE),
                "{}: {held} packets under way at {now}, {}",
                if done { "somebody still holds a packet" } else { "the run does not end" },
                self.standing()
            );
        }
        for (name, count) in counts(&self.cell, &self.config) {
            *self.outcome.counts.entry(name).or_default() += count;
        }
        self.outcome.counts.insert(corners::HOST_LOST, shared(&self.watcher).host_lost);
        self.outcome.timeouts = (0..self.config.flows.len()).map(|flow| self.cell.flows().totals(flow).timeouts).sum();
        self.outcome.lost_later = self.gone() - self.gone_in_weather;
        self.outcome
    }

    /// How a flow gets on.
    fn look(&mut self, flow: usize, lost: bool) {
        let now = self.cell.now();
        if self.is_done(flow) && self.outcome.done[flow].is_none() {
            self.outcome.done[flow] = Some(now);
        }
        let flows = self.cell.flows();
        if tcp_of(&self.config.flows[flow]).read_rate.is_some()
            && let Some(receiver) = flows.endpoint(flow, 1 - self.sender(flow))
        {
            let full = receiver.readable() > Bytes::ZERO && receiver.receive_window() < receiver.segment_size();
            *self.outcome.counts.entry(corners::WINDOW_CLOSED).or_default() += u64::from(full);
        }
        let Some(sender) = flows.endpoint(flow, self.sender(flow)) else { return };
        let (acked, timeout) = (sender.bytes_acked(), sender.retransmission_timeout());
        // With RACK a probe of the tail starts the retransmission timer anew (RFC 8985, 7.3).
        let probes = recovers_by_time(&self.config.flows[flow]);
        let probe = if probes { longest_probe(sender).min(timeout) } else { Duration::ZERO };
        let open = sender.state().is_synchronized() && acked < size(&self.config.flows[flow]);
        self.outcome.timeout = self.outcome.timeout.max(timeout);
        if self.progress[flow].acked.0 != acked {
            self.progress[flow].acked = (acked, now);
        }
        let progress = self.progress[flow];
        // Whoever doubles its wait with each attempt has not waited longer until now than it does next, but for the first time, which is in `beside`.
        let backed_off = if progress.repairs { now - progress.acked.1 } else { Duration::ZERO };
        self.progress[flow].gap = match progress.gap {
            _ if !open => None,
            Some((before, since, longest)) if before == acked && !lost => {
                let gap = now - since;
                assert!(
                    gap <= longest + STEP,
                    "flow {flow}: no progress at {acked} from {since} to {now}, {gap}; allowed were {longest}; {}",
                    self.standing()
                );
                progress.gap
            }
            _ => Some((acked, now, progress.beside + timeout + probe + backed_off)),
        };
    }

    /// Whether a flow has brought over what it had to.
    fn is_done(&self, flow: usize) -> bool {
        if let Traffic::Repeated { .. } = self.config.flows[flow].traffic {
            return shared(&self.watcher).completed[flow] >= REPETITIONS;
        }
        let (flows, sender) = (self.cell.flows(), self.sender(flow));
        let (Some(sender), Some(receiver)) = (flows.endpoint(flow, sender), flows.endpoint(flow, 1 - sender)) else {
            return false;
        };
        let (size, delivered) = (size(&self.config.flows[flow]), receiver.bytes_delivered());
        assert!(delivered <= size, "flow {flow}: {delivered} of {size} were delivered");
        delivered == size && sender.bytes_acked() == size
    }

    /// The end of a flow that sends data.
    fn sender(&self, flow: usize) -> usize {
        usize::from(self.config.flows[flow].direction == Direction::Up)
    }

    /// What was taken away so far, for the time being or for good.
    fn lost(&self) -> u64 {
        let refused = self.nodes().map(|node| self.cell.station(node).counts().refused);
        refused.sum::<u64>() + self.gone() + shared(&self.watcher).damaged
    }

    /// Packets that were lost for good so far.
    fn gone(&self) -> u64 {
        let gone = self.nodes().map(|node| {
            let counts = self.cell.station(node).counts();
            counts.given_up + counts.queue_drops
        });
        gone.sum::<u64>() + shared(&self.watcher).gone
    }

    /// Packets behind a hole in a reorder buffer.
    fn held_back(&self) -> usize {
        self.nodes().map(|node| self.cell.station(node).held_back()).sum()
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..=self.config.stations.len()).map(|node| NodeId(node as u16))
    }

    /// How far each flow has come, for a message.
    fn standing(&self) -> String {
        let flow = |flow: usize| {
            let [peer, station] = [0, 1].map(|end| {
                let tcp = self.cell.flows().endpoint(flow, end);
                tcp.map(|tcp| {
                    (
                        tcp.state(),
                        tcp.bytes_acked(),
                        tcp.bytes_delivered(),
                        tcp.stats().timeouts,
                        tcp.retransmission_timeout(),
                    )
                })
            });
            format!("flow {flow} {:?}: {peer:?} {station:?}", self.config.flows[flow].direction)
        };
        (0..self.config.flows.len()).map(flow).collect::<Vec<_>>().join("; ")
    }
}

impl Observer for Watching {
    fn observe(&mut self, _now: Instant, event: &Event<'_>) {
        let mut watcher = shared(&self.0);
        match *event {
            Event::WireDrop { .. } => watcher.gone += 1,
            Event::HostDrop { .. } => {
                watcher.gone += 1;
                watcher.host_lost += 1;
            }
            Event::End { ppdu, collided, damaged, .. } if collided || damaged > 0 => {
                watcher.damaged += 1;
                watcher.gone += ppdu.mpdus().iter().filter(|mpdu| !mpdu.is_answered()).count() as u64;
            }
            Event::Completed { flow, .. } => watcher.completed[flow] += 1,
            _ => {}
        }
    }
}

/// Writes down what hosts send and get. What comes over the wire the server has taken.
fn eavesdropper(ledger: Arc<Mutex<Ledger>>) -> Eavesdropper {
    Eavesdropper(Box::new(move |now, at, crossing, packet| {
        let mut ledger = shared(&ledger);
        match crossing {
            Crossing::Sent => ledger.sent(packet),
            Crossing::Received => {
                if at.is_none() {
                    ledger.taken(packet);
                }
                ledger.received(now, packet);
            }
        }
    }))
}

/// Whether a flow's sender finds losses by time, and so probes the tail.
fn recovers_by_time(flow: &FlowConfig) -> bool {
    let tcp = tcp_of(flow);
    tcp.recovery == RecoveryChoice::Rack && tcp.sack
}

/// The longest round trip of a flow: a full queue on its way at the slowest rate, and an ACK that the receiver delays.
fn round_trip(config: &CellConfig, flow: usize) -> Duration {
    let longer = config.wired.steps.iter().filter_map(|step| step.delay).max().unwrap_or_default() * 2;
    let flow = &config.flows[flow];
    let tcp = tcp_of(flow);
    let station = &config.stations[flow.station];
    let hosts = (config.ap.host_latency + station.host_latency + config.server.host_latency) * 2;
    let queue = match (flow.direction, config.ap.queue) {
        (Direction::Down, ApQueue::Fifo { packets } | ApQueue::FqCodel { limit: packets, .. }) => packets,
        (Direction::Up, _) => station.queue_packets,
    };
    let slowest = [station.down, station.up].map(|rate| rate.duration(tcp.packet)).into_iter().max();
    // A packet of the queue takes the medium for itself and about as long again for everything around it.
    let queueing = slowest.unwrap_or_default() * 2 * (u64::from(queue) + relays(config));
    // All that all flows may have on their way can wait for the wire.
    let windows = config.flows.iter().map(|flow| size(flow).min(tcp_of(flow).receive_buffer)).sum();
    let wire = config.wired.down.rate.time_ceil(windows);
    let contention = CONTENTION * (config.stations.len() + config.flows.len()) as u64;
    // A full buffer, until its application has read it.
    let reading = tcp.read_rate.map_or(Duration::ZERO, |rate| rate.time_ceil(tcp.receive_buffer.min(size(flow))));
    (config.wired.down.delay + config.wired.up.delay).max(longer)
        + wire
        + hosts
        + queueing
        + contention
        + tcp.longest_hold()
        + reading
        + longest_wait(config)
}

fn tcp_of(flow: &FlowConfig) -> TcpConfig {
    match flow.transport {
        TransportConfig::Tcp(tcp) => tcp,
        TransportConfig::Udp { .. } => unreachable!("all flows of a trial are TCP"),
    }
}

fn size(flow: &FlowConfig) -> Bytes {
    match flow.traffic {
        Traffic::Finite { size } | Traffic::Repeated { size, .. } => size,
        Traffic::Bulk(_) | Traffic::OnOff { .. } | Traffic::Video(_) | Traffic::Requests(_) => {
            unreachable!("a trial's flows end")
        }
    }
}

/// What the queues of relays hold.
fn relays(config: &CellConfig) -> u64 {
    let relays = config.stations.iter().filter_map(|station| station.via);
    relays.map(|relay| u64::from(config.stations[relay].queue_packets)).sum()
}

/// How exactly progress is looked at.
const STEP: Duration = Duration::from_millis(1);
/// A run that lasts longer does not end. Timeouts are backed off to a minute.
const LATEST: Instant = Instant::from_millis(600_000);
/// Who holds packets for so long after the last flow keeps them.
const PATIENCE: Duration = Duration::from_secs(60);
/// A repeated flow is done after so many transfers.
const REPETITIONS: u64 = 3;
/// What back-offs and repetitions add to a round trip, for each station and each flow.
const CONTENTION: Duration = Duration::from_millis(20);

//! One run of a cell, and the rules that it must keep.
//!
//! 1. Each TCP ACK that comes out of a Wi-Fi hop is one that went in, whole and in its turn ([`Cell::witness_acks`]).
//! 2. Each receiver gets all bytes of its flow, in order and once, and no sender ever believes more than its receiver has.
//! 3. No gap in progress is longer than the guard timer plus the sender's retransmission timeout at its start, see [`Progress`].
//! 4. The run ends, and then nobody holds a packet any more, but for what is in a reorder buffer.
//! 5. Nothing happens that the protocol rules out while every FCS is honoured: no MSN gap, no failed check, no unknown context.

use std::collections::VecDeque;

use ackless_cell::config::{ApQueue, CellConfig, Direction, SchemeChoice, Traffic, TransportConfig};
use ackless_cell::loss::Interference;
use ackless_cell::observe::{Event, Observer};
use ackless_cell::{Cell, scheme};
use ackless_dot11::frame::{Body, NodeId};
use ackless_dot11::hooks::Scheme;
use ackless_phy::TxVector;
use ackless_schemes::AnyScheme;
use ackless_schemes::hack::{Hack, HackCounters};
use ackless_wire::{Bytes, Duration, Instant};

/// What is to be run.
pub struct Trial {
    /// The cell. Its flows are all TCP, and finite or repeated.
    pub config: CellConfig,
    /// Of its random streams.
    pub seed: u64,
    /// What is done to its air.
    pub interference: Option<Interference>,
    /// When a station's link changes its rates, in the order of time.
    pub changes: VecDeque<RateChange>,
    /// Whether a gap may last a round trip longer than rule 3 says, since a random guard timer may be shorter than one and what a timeout
    /// repairs takes one; and begins anew with each PPDU that is lost, since its sender backs off, longer each time.
    pub patient: bool,
}

/// From `at` on the AP sends to the station at `down`, and the station at `up`.
#[derive(Clone, Copy, Debug)]
pub struct RateChange {
    pub at: Instant,
    pub station: usize,
    pub down: TxVector,
    pub up: TxVector,
}

/// What a run that kept the rules ended in.
pub struct Outcome {
    /// The counters of all HACK nodes together.
    pub counters: HackCounters,
    /// Retransmission timeouts of all senders.
    pub timeouts: u64,
}

/// What only an observer sees.
#[derive(Default)]
struct Watcher {
    /// Packets that the wire dropped or lost, and BlockAck Requests that did not arrive; for a patient one, any PPDU that did not.
    lost: u64,
    /// As [`Trial::patient`].
    patient: bool,
    /// Completed transfers of each flow.
    completed: Vec<u64>,
}

/// How one flow gets on, as its sender sees it.
///
/// Progress is a greater SND.UNA. A gap lasts from one to the next, or from the first byte handed over, as long as anything is
/// unacknowledged. It begins anew when the air or a queue takes a packet away for good, since what was in it is TCP's to repair:
/// an MPDU is given up, or a queue or the wire drops a packet; and when a BlockAck Request is lost, behind which the reorder buffer may
/// keep packets back until the next one.
#[derive(Clone, Copy)]
struct Progress {
    /// What a gap may last beside the timeout.
    beside: Duration,
    /// What was acknowledged, since when, and how long a gap may be that began then.
    gap: Option<(Bytes, Instant, Duration)>,
}

impl Trial {
    /// Nothing is done to the cell.
    pub fn undisturbed(config: CellConfig, seed: u64) -> Self {
        Self { config, seed, interference: None, changes: VecDeque::new(), patient: false }
    }

    /// This is done to its air.
    pub fn disturbed(config: CellConfig, seed: u64, interference: Interference) -> Self {
        Self { interference: Some(interference), ..Self::undisturbed(config, seed) }
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// If a rule is broken.
    pub fn run(self) -> Outcome {
        let Self { config, mut changes, patient, .. } = self;
        let watcher = Watcher { lost: 0, patient: self.patient, completed: vec![0; config.flows.len()] };
        let mut cell = Cell::new(&config, self.seed, |node| scheme(&config, node), watcher);
        cell.witness_acks();
        if let Some(interference) = self.interference {
            cell.interfere(interference);
        }
        let mut progress: Vec<_> = (0..config.flows.len())
            .map(|flow| {
                let more = if patient { round_trip(&config, &changes, flow) } else { Duration::ZERO };
                Progress { beside: longest_hold(&config) + more, gap: None }
            })
            .collect();
        let mut lost = 0;
        let mut all_done = None;
        loop {
            let next = cell.poll_timeout().unwrap_or(Instant::FAR_FUTURE).min(cell.now() + PATIENCE);
            let until = next.saturating_add(Duration::from_nanos(1)).max(cell.now() + STEP);
            while let Some(RateChange { at, station, down, up }) = changes.pop_front_if(|change| change.at < until) {
                cell.advance(at.max(cell.now()));
                cell.set_rates(station, down, up);
            }
            cell.advance(until);
            let now = cell.now();
            let lost_now = lost_for_good(&cell, &config);
            for (flow, progress) in progress.iter_mut().enumerate() {
                progress.look(&cell, &config, flow, lost_now != lost);
            }
            lost = lost_now;
            let done = (0..config.flows.len()).all(|flow| is_done(&cell, &config, flow));
            if done && all_done.is_none() {
                all_done = Some(now);
            }
            let held =
                cell.packets_under_way() - nodes(&config).map(|node| cell.station(node).held_back()).sum::<usize>();
            if all_done.is_some() && held == 0 {
                break;
            }
            let since = all_done.unwrap_or(Instant::ZERO);
            assert!(
                now < since + PATIENCE,
                "{}: {held} packets under way, {}",
                if done { "somebody still holds a packet" } else { "the run does not end" },
                standing(&cell, &config)
            );
        }
        let counters = counters(&cell, &config);
        assert_sound(&counters);
        let timeouts = (0..config.flows.len()).map(|flow| cell.flows().sender_totals(flow).1).sum();
        Outcome { counters, timeouts }
    }
}

impl Progress {
    fn look<S: Scheme, O: Observer>(&mut self, cell: &Cell<S, O>, config: &CellConfig, flow: usize, lost: bool) {
        let (sender, receiver) = ends(config, flow);
        let (flows, now) = (cell.flows(), cell.now());
        let (Some(sender), Some(receiver)) = (flows.endpoint(flow, sender), flows.endpoint(flow, receiver)) else {
            return;
        };
        let (acked, delivered) = (sender.bytes_acked(), receiver.bytes_delivered());
        assert!(acked <= delivered, "flow {flow}: {acked} of {delivered} that arrived are acknowledged at {now}");
        let open = sender.state().is_synchronized() && acked < size(config, flow);
        if !open {
            self.gap = None;
            return;
        }
        match self.gap {
            Some((before, since, longest)) if before == acked && !lost => {
                let gap = now - since;
                assert!(
                    gap <= longest + STEP,
                    "flow {flow}: no progress at {acked} from {since} to {now}, {gap}; allowed were {longest}; {}",
                    standing(cell, config)
                );
            }
            _ => self.gap = Some((acked, now, self.beside + sender.retransmission_timeout())),
        }
    }
}

impl Observer for Watcher {
    fn observe(&mut self, _now: Instant, event: &Event<'_>) {
        match *event {
            Event::WireDrop { .. } => self.lost += 1,
            Event::End { ppdu, collided, damaged, .. } if collided || damaged > 0 => {
                self.lost += u64::from(self.patient || matches!(ppdu.body, Body::BlockAckReq(..)));
            }
            Event::Completed { flow, .. } => self.completed[flow] += 1,
            _ => {}
        }
    }
}

/// Nothing happened that the protocol rules out while every FCS is honoured.
fn assert_sound(counters: &HackCounters) {
    let HackCounters { crc_failures, gaps, malformed, unknown_context, verify_failures, more_data_withheld, .. } =
        *counters;
    let never = [crc_failures, gaps, malformed, unknown_context, verify_failures, more_data_withheld];
    let counted: Vec<_> = counters.entries().filter(|(_, count)| *count > 0).collect();
    assert!(
        never == [0; 6],
        "what cannot be has been: {crc_failures} failed checks, {gaps} gaps, {malformed} malformed, {unknown_context} without context, \
         {verify_failures} that cannot be; {counted:?}"
    );
}

/// The ends of a flow: its sender's and its receiver's.
fn ends(config: &CellConfig, flow: usize) -> (usize, usize) {
    match config.flows[flow].direction {
        Direction::Down => (0, 1),
        Direction::Up => (1, 0),
    }
}

fn size(config: &CellConfig, flow: usize) -> Bytes {
    match config.flows[flow].traffic {
        Traffic::Finite { size } | Traffic::Repeated { size, .. } => size,
        Traffic::Bulk(_) | Traffic::OnOff { .. } => unreachable!("a trial's flows end"),
    }
}

/// Whether a flow has brought over what it had to.
fn is_done(cell: &Cell<AnyScheme, Watcher>, config: &CellConfig, flow: usize) -> bool {
    let flow_config = &config.flows[flow];
    if flow_config.start == Instant::FAR_FUTURE {
        return true;
    }
    if let Traffic::Repeated { .. } = flow_config.traffic {
        return cell.observer().completed[flow] >= REPETITIONS;
    }
    let (sender, receiver) = ends(config, flow);
    let flows = cell.flows();
    let (Some(sender), Some(receiver)) = (flows.endpoint(flow, sender), flows.endpoint(flow, receiver)) else {
        return false;
    };
    let size = size(config, flow);
    assert!(receiver.bytes_delivered() <= size, "flow {flow}: more than {size} were delivered");
    receiver.bytes_delivered() == size && sender.bytes_acked() == size
}

/// Packets that queues, the wire and the air have taken away for good, or keep back.
fn lost_for_good(cell: &Cell<AnyScheme, Watcher>, config: &CellConfig) -> u64 {
    let lost = nodes(config).map(|node| {
        let counts = cell.station(node).counts();
        counts.given_up + counts.queue_drops
    });
    lost.sum::<u64>() + cell.observer().lost
}

fn counters(cell: &Cell<AnyScheme, Watcher>, config: &CellConfig) -> HackCounters {
    let mut sum = HackCounters::default();
    let hacks = nodes(config).filter_map(|node| cell.station(node).scheme().as_hack());
    hacks.map(Hack::counters).for_each(|counters| sum += *counters);
    sum
}

fn nodes(config: &CellConfig) -> impl Iterator<Item = NodeId> {
    (0..=config.stations.len()).map(|node| NodeId(node as u16))
}

/// The longest that a node of the cell holds an ACK for a PPDU that does not come: the guard timer.
fn longest_hold(config: &CellConfig) -> Duration {
    let schemes = config.stations.iter().map(|station| station.scheme).chain([config.ap.scheme]);
    let guards = schemes.filter_map(|scheme| match scheme {
        SchemeChoice::Hack(hack) => Some(hack.guard),
        _ => None,
    });
    guards.max().unwrap_or_default()
}

/// The longest round trip of a flow: a full queue on its way at the slowest rate, and an ACK that the receiver delays.
fn round_trip(config: &CellConfig, changes: &VecDeque<RateChange>, flow: usize) -> Duration {
    let flow = &config.flows[flow];
    let TransportConfig::Tcp(tcp) = flow.transport else { unreachable!("all flows of a trial are TCP") };
    let station = &config.stations[flow.station];
    let hosts = (config.ap.host_latency + station.host_latency) * 2;
    let queue = match (flow.direction, config.ap.queue) {
        (Direction::Down, ApQueue::Fifo { packets } | ApQueue::FqCodel { limit: packets, .. }) => packets,
        (Direction::Up, _) => station.queue_packets,
    };
    let later = changes.iter().flat_map(|change| [change.down, change.up]);
    let slowest = later.chain([station.down, station.up]).map(|rate| rate.duration(tcp.packet)).max();
    // A packet of the queue takes the medium for itself and about as long again for everything around it.
    let queueing = slowest.unwrap_or_default() * 2 * u64::from(queue);
    let contention = CONTENTION * (config.stations.len() + started(config).count()) as u64;
    config.wired.down.delay + config.wired.up.delay + hosts + queueing + contention + tcp.ack.timeout
}

/// How far each flow has come, for a message.
fn standing<S: Scheme, O: Observer>(cell: &Cell<S, O>, config: &CellConfig) -> String {
    let flow = |flow: usize| {
        let [peer, station] = [0, 1].map(|end| {
            let tcp = cell.flows().endpoint(flow, end);
            tcp.map(|tcp| {
                let stats = tcp.stats();
                (tcp.state(), tcp.bytes_acked(), tcp.bytes_delivered(), stats.timeouts, tcp.retransmission_timeout())
            })
        });
        format!("flow {flow} {:?}: {peer:?} {station:?}", config.flows[flow].direction)
    };
    started(config).map(flow).collect::<Vec<_>>().join("; ")
}

/// The flows that start at all.
fn started(config: &CellConfig) -> impl Iterator<Item = usize> {
    (0..config.flows.len()).filter(|&flow| config.flows[flow].start < Instant::FAR_FUTURE)
}

/// How exactly progress is looked at.
const STEP: Duration = Duration::from_millis(1);
/// A run that lasts longer than this, or that holds packets for so long after its last flow, does not end.
const PATIENCE: Duration = Duration::from_secs(60);
/// A repeated flow is done after so many transfers.
const REPETITIONS: u64 = 3;
/// What back-offs and repetitions add to a round trip, for each station and each flow.
const CONTENTION: Duration = Duration::from_millis(20);

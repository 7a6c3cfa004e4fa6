//! One run of a cell, and the rules that it must keep.
//!
//! 1. Each TCP ACK that comes out of a Wi-Fi hop is one that went in, whole and in its turn ([`Cell::witness_acks`]).
//! 2. Each receiver gets all bytes of its flow, in order and once, and no sender ever believes more than its receiver has.
//! 3. No gap in progress is longer than the guard timer plus the sender's retransmission timeout at its start, see `progress`.
//! 4. The run ends, and then nobody holds a packet any more, but for what is in a reorder buffer.
//! 5. Nothing happens that the protocol rules out while every FCS is honoured: no MSN gap, no failed check, no unknown context.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use ackless_cell::config::{CellConfig, Direction, FlowConfig, Peer, TcpConfig, Traffic, TransportConfig};
use ackless_cell::loss::Interference;
use ackless_cell::observe::{Event, Observer};
use ackless_cell::{Cell, scheme};
use ackless_dot11::frame::{Body, NodeId};
use ackless_phy::TxVector;
use ackless_schemes::hack::{Hack, HackCounters};
use ackless_wire::{Bytes, Duration, Instant};

use crate::hack::progress::{Bound, Progress};
use crate::hack::waits::{Waits, Watched};
use crate::testing::ears;
use crate::testing::sound::assert_sound;
use crate::testing::tested::TestedCell;

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
    /// What a gap in progress may last.
    pub bound: Bound,
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
    /// How much longer than guard timer and retransmission timeout each gap in progress was that was longer.
    pub excesses: Vec<Duration>,
    /// Packets that hosts lost.
    pub host_lost: u64,
    /// Looks at a receiver whose application is so slow that there is no room for a segment.
    pub window_closed: u64,
}

/// What only an observer sees.
#[derive(Default)]
struct Watcher {
    /// Packets that the wire or a host dropped or lost.
    drops: u64,
    /// Those of them that a host lost.
    host_lost: u64,
    /// BlockAck Requests that did not arrive, by the station at either end.
    lost_requests: Vec<u64>,
    /// Completed transfers of each flow.
    completed: Vec<u64>,
}

/// Watches for a trial, which looks at what was seen as it goes on.
struct Watching(Rc<RefCell<Watcher>>);

impl Trial {
    /// Nothing is done to the cell.
    pub fn undisturbed(config: CellConfig, seed: u64) -> Self {
        Self { config, seed, interference: None, changes: VecDeque::new(), bound: Bound::Timers }
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
        let Self { config, mut changes, bound, .. } = self;
        let watcher = Rc::new(RefCell::new(Watcher {
            drops: 0,
            host_lost: 0,
            lost_requests: vec![0; config.stations.len() + 1],
            completed: vec![0; config.flows.len()],
        }));
        let mut watching = Watching(Rc::clone(&watcher));
        let waits = Rc::new(RefCell::new(Waits::new(nodes(&config).count(), config.flows.len())));
        let watched = |node| Watched::boxed(scheme(&config, node), &waits);
        let mut cell = Cell::new(&config, self.seed, watched, ears::with(&config, &mut watching));
        cell.witness_acks();
        if let Some(interference) = self.interference {
            cell.interfere(interference);
        }
        let mut progress: Vec<_> = (0..config.flows.len()).map(|flow| Progress::new(&config, flow, bound)).collect();
        let (mut all_done, mut window_closed) = (None, 0);
        loop {
            let next = cell.poll_timeout().unwrap_or(Instant::FAR_FUTURE).min(cell.now() + PATIENCE);
            let until = next.saturating_add(Duration::from_nanos(1)).max(cell.now() + STEP);
            while let Some(RateChange { at, station, down, up }) = changes.pop_front_if(|change| change.at < until) {
                cell.advance(at.max(cell.now()));
                cell.set_rates(station, down, up);
            }
            cell.advance(until);
            let now = cell.now();
            waits.borrow_mut().look(now, nodes(&config).map(|node| cell.station(node).held_back() > 0));
            for (flow, progress) in progress.iter_mut().enumerate() {
                let lost = lost_for_good(&watcher.borrow(), &config, &waits.borrow(), flow);
                progress.look(&cell, &config, &mut waits.borrow_mut(), lost);
                window_closed += u64::from(is_window_closed(&cell, &config, flow));
            }
            let done = (0..config.flows.len()).all(|flow| is_done(&cell, &watcher.borrow(), &config, flow));
            if done && all_done.is_none() {
                all_done = Some(now);
            }
            let held_back = || nodes(&config).map(|node| cell.station(node).held_back()).sum::<usize>();
            let held = || cell.packets_under_way() - held_back();
            if all_done.is_some() && held() == 0 {
                break;
            }
            let since = all_done.unwrap_or(Instant::ZERO);
            assert!(
                now < since + PATIENCE,
                "{}: {} packets under way, {}",
                if done { "somebody still holds a packet" } else { "the run does not end" },
                held(),
                standing(&cell, &config)
            );
        }
        let counters = counters(&cell, &config);
        assert_sound(&counters, "a trial");
        let timeouts = (0..config.flows.len()).map(|flow| cell.flows().totals(flow).timeouts).sum();
        let host_lost = watcher.borrow().host_lost;
        let excesses = progress.into_iter().flat_map(Progress::into_excesses).collect();
        Outcome { counters, timeouts, excesses, host_lost, window_closed }
    }
}

impl Observer for Watching {
    fn observe(&mut self, _now: Instant, event: &Event<'_>) {
        let mut watcher = self.0.borrow_mut();
        match *event {
            Event::WireDrop { .. } => watcher.drops += 1,
            Event::HostDrop { .. } => {
                watcher.drops += 1;
                watcher.host_lost += 1;
            }
            Event::End { ppdu, collided, damaged, .. } if collided || damaged > 0 => {
                if let Body::BlockAckReq(..) = ppdu.body {
                    for end in [ppdu.transmitter, ppdu.receiver] {
                        watcher.lost_requests[usize::from(end.0)] += 1;
                    }
                }
            }
            Event::Completed { flow, .. } => watcher.completed[flow] += 1,
            _ => {}
        }
    }
}

/// The ends of a flow: its sender's and its receiver's.
pub fn ends(config: &CellConfig, flow: usize) -> (usize, usize) {
    match config.flows[flow].direction {
        Direction::Down => (0, 1),
        Direction::Up => (1, 0),
    }
}

/// What a flow has to bring over.
pub fn size(config: &CellConfig, flow: usize) -> Bytes {
    match config.flows[flow].traffic {
        Traffic::Finite { size } | Traffic::Repeated { size, .. } => size,
        Traffic::Requests(requests) => requests.response * u64::from(REPETITIONS),
        Traffic::Bulk(_) | Traffic::OnOff { .. } | Traffic::Video(_) => {
            unreachable!("a trial's flows end")
        }
    }
}

/// Whether a flow has brought over what it had to.
fn is_done(cell: &TestedCell<'_>, watcher: &Watcher, config: &CellConfig, flow: usize) -> bool {
    let flow_config = &config.flows[flow];
    if flow_config.start == Instant::FAR_FUTURE {
        return true;
    }
    if let Traffic::Repeated { .. } | Traffic::Requests(_) = flow_config.traffic {
        return watcher.completed[flow] >= u64::from(REPETITIONS);
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

/// Whether there is no room for a segment where an application reads in its own time.
fn is_window_closed(cell: &TestedCell<'_>, config: &CellConfig, flow: usize) -> bool {
    let TransportConfig::Tcp(TcpConfig { read_rate: Some(_), .. }) = config.flows[flow].transport else { return false };
    let receiver = cell.flows().endpoint(flow, ends(config, flow).1);
    receiver.is_some_and(|receiver| {
        receiver.readable() > Bytes::ZERO && receiver.receive_window() < receiver.segment_size()
    })
}

/// What has taken packets of a flow away for good, or keeps them back: a queue that drops, the wire, a host, a MAC that gives up, a lost BlockAck
/// Request on one of its links.
fn lost_for_good(watcher: &Watcher, config: &CellConfig, waits: &Waits, flow: usize) -> u64 {
    let requests = stations_of(config, flow).map(|station| watcher.lost_requests[station + 1]).sum::<u64>();
    waits.lost(flow) + watcher.drops + requests
}

fn counters(cell: &TestedCell<'_>, config: &CellConfig) -> HackCounters {
    let mut sum = HackCounters::default();
    let hacks = nodes(config).filter_map(|node| cell.station(node).scheme().product()?.as_hack());
    hacks.map(Hack::counters).for_each(|counters| sum += *counters);
    sum
}

fn nodes(config: &CellConfig) -> impl Iterator<Item = NodeId> {
    (0..=config.stations.len()).map(|node| NodeId(node as u16))
}

/// How far each flow has come, for a message.
pub fn standing(cell: &TestedCell<'_>, config: &CellConfig) -> String {
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

/// The stations at the ends of a flow.
pub fn stations_of(config: &CellConfig, flow: usize) -> impl Iterator<Item = usize> {
    let FlowConfig { station, peer, .. } = config.flows[flow];
    let other = match peer {
        Peer::Server => None,
        Peer::Station(station) => Some(station),
    };
    [Some(station), other].into_iter().flatten()
}

/// The flows that start at all.
fn started(config: &CellConfig) -> impl Iterator<Item = usize> {
    (0..config.flows.len()).filter(|&flow| config.flows[flow].start < Instant::FAR_FUTURE)
}

/// How exactly progress is looked at.
pub const STEP: Duration = Duration::from_millis(1);
/// A run that lasts longer than this, or that holds packets for so long after its last flow, does not end. Without
/// timestamps a sender keeps its back-off until it has a sample from a segment that was sent once (RFC 6298, 3 and 5.7), so
/// that a few losses a second apart may cost a minute: four times the greatest timeout.
const PATIENCE: Duration = Duration::from_secs(240);
/// A repeated flow is done after so many transfers.
pub const REPETITIONS: u32 = 3;

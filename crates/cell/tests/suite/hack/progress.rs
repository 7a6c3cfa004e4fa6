//! How the flows of a trial get on: no gap in progress is longer than the guard timer plus the sender's retransmission timeout at its start.
//!
//! A guard timer that is set by itself is held to the timeout too, and to 100 ms where that is shorter.
//!
//! Progress is a greater SND.UNA. A gap lasts from one to the next, or from the first byte handed over, as long as anything is
//! unacknowledged. It begins anew when a packet of the flow is taken away for good, since what was in it is TCP's to repair: its MPDU is
//! given up, or a queue, a host or the wire drops it; and when a BlockAck Request on one of its links is lost, behind which the reorder buffer may
//! keep packets back until the next one.
//!
//! With RACK a probe of the tail starts the retransmission timer anew (RFC 8985, 7.3), so that a gap may also last until that probe.
//!
//! What a timeout repairs has still to go there, and what acknowledges it has to come back. Where the guard timer is shorter than that trip,
//! no scheme can keep to the sum of the two timers; stock TCP, which has no guard timer, does not either. [`Bound::Trip`] says how much that is.

use ackless_cell::config::{CellConfig, Delivery, Peer, RecoveryChoice, SchemeChoice, Traffic, TransportConfig};
use ackless_schemes::Guard;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::hack::trial::{STEP, ends, size, standing, stations_of};
use crate::hack::waits::Waits;
use crate::testing::hack_cells::rates;
use crate::testing::hosts::longest_probe;
use crate::testing::tested::TestedCell;

/// What a gap in progress may last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Guard timer and retransmission timeout.
    Timers,
    /// The same, with this in place of the cell's own guard timer if there is one; and the trip of what the timeout repairs: the delays of
    /// wire and hosts there and back, the receiver's delayed ACK, and what packets of this very flow have waited in the MACs of the cell
    /// within this gap, or what a reorder buffer has kept back without a break. Where the wire is slower than the air, it is the wire that has a queue: then also what the windows of all flows,
    /// which may be in it, take there.
    Trip {
        /// In place of the guard timer.
        guard: Option<Longest>,
    },
}

/// The longest that a node of a cell holds an ACK for a PPDU that does not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Longest {
    /// The guard timers that are set.
    fixed: Duration,
    /// Whether some set themselves.
    automatic: bool,
}

/// How one flow gets on, as its sender sees it.
pub struct Progress {
    flow: usize,
    /// What a gap may last beside the timeout.
    guard: Longest,
    /// Beside that, what the trip takes where no packet waits.
    trip: Option<Duration>,
    /// Whether its sender probes the tail.
    probes: bool,
    /// The rate of a wire that is slower than the air.
    slow_wire: Option<BitRate>,
    gap: Option<Gap>,
    /// How much longer than both timers each gap was that was longer.
    excesses: Vec<Duration>,
}

#[derive(Clone, Copy)]
struct Gap {
    acked: Bytes,
    /// What had been taken away for good by then.
    lost: u64,
    since: Instant,
    /// Guard timer and timeout at its start.
    timers: Duration,
    /// What has been in a slow wire at most.
    in_wire: Duration,
    /// For how long a reorder buffer on the way has kept something back at most.
    behind_hole: Duration,
    /// How much longer it is already.
    excess: Duration,
}

impl Progress {
    /// Of a flow before its start.
    pub fn new(config: &CellConfig, flow: usize, bound: Bound) -> Self {
        let (guard, trip) = match bound {
            Bound::Timers => (None, None),
            Bound::Trip { guard } => (guard, Some(empty_trip(config, flow))),
        };
        let guard = guard.unwrap_or_else(|| longest_guard(config));
        let TransportConfig::Tcp(tcp) = config.flows[flow].transport else {
            unreachable!("all flows of a trial are TCP")
        };
        let probes = tcp.recovery == RecoveryChoice::Rack && tcp.sack;
        Self { flow, guard, trip, probes, slow_wire: slow_wire(config), gap: None, excesses: Vec::new() }
    }

    /// Looks how the flow stands. `lost` counts what has been taken away for good.
    ///
    /// # Panics
    /// If a gap lasts too long.
    pub fn look(&mut self, cell: &TestedCell<'_>, config: &CellConfig, waits: &mut Waits, lost: u64) {
        let flow = self.flow;
        let (sender, receiver) = ends(config, flow);
        let (flows, now) = (cell.flows(), cell.now());
        let (Some(sender), Some(receiver)) = (flows.endpoint(flow, sender), flows.endpoint(flow, receiver)) else {
            return;
        };
        let (acked, delivered) = (sender.bytes_acked(), receiver.bytes_delivered());
        assert!(acked <= delivered, "flow {flow}: {acked} of {delivered} that arrived are acknowledged at {now}");
        // A server has nothing to send before it is asked.
        let asked = !matches!(config.flows[flow].traffic, Traffic::Requests(_)) || sender.flight_size() > Bytes::ZERO;
        let open = asked && sender.state().is_synchronized() && acked < size(config, flow);
        match &mut self.gap {
            Some(gap) if open && (gap.acked, gap.lost) == (acked, lost) => {
                if let Some(rate) = self.slow_wire {
                    gap.in_wire = gap.in_wire.max(rate.time_ceil(windows(cell, config)));
                }
                let holes = waits.kept_back_since(stations_of(config, flow));
                let behind_hole = holes.map(|since| now - since.max(gap.since)).max();
                gap.behind_hole = gap.behind_hole.max(behind_hole.unwrap_or_default());
                gap.excess = (now - gap.since).saturating_sub(gap.timers + STEP);
                if gap.excess == Duration::ZERO {
                    return;
                }
                let Gap { since, timers, in_wire, behind_hole, excess, .. } = *gap;
                let waited = |trip| trip + waits.there_and_back(flow, now) + in_wire + behind_hole;
                let trip = self.trip.map_or(Duration::ZERO, waited);
                assert!(
                    excess <= trip,
                    "flow {flow}: no progress at {acked} from {since} to {now}; allowed were {timers} and {trip}; {}",
                    standing(cell, config)
                );
            }
            _ => {
                self.end_gap();
                waits.begin(flow, now);
                let timeout = sender.retransmission_timeout();
                let probe = if self.probes { longest_probe(sender).min(timeout) } else { Duration::ZERO };
                let timers = self.guard.with(timeout) + timeout + probe;
                let [in_wire, behind_hole, excess] = [Duration::ZERO; 3];
                self.gap = open.then_some(Gap { acked, lost, since: now, timers, in_wire, behind_hole, excess });
            }
        }
    }

    /// How much longer than both timers each gap was that was longer.
    pub fn into_excesses(mut self) -> Vec<Duration> {
        self.end_gap();
        self.excesses
    }

    fn end_gap(&mut self) {
        let excess = self.gap.take().map(|gap| gap.excess);
        self.excesses.extend(excess.filter(|excess| *excess > Duration::ZERO));
    }
}

/// The guard timers of a cell.
pub fn longest_guard(config: &CellConfig) -> Longest {
    let schemes = config.stations.iter().map(|station| station.scheme).chain([config.ap.scheme]);
    let guards = schemes.filter_map(|scheme| match scheme {
        SchemeChoice::Hack(hack) => Some(hack.guard),
        _ => None,
    });
    guards.fold(Longest::default(), |longest, guard| match guard {
        Guard::Auto => Longest { automatic: true, ..longest },
        Guard::Fixed(time) => Longest { fixed: longest.fixed.max(time), ..longest },
    })
}

impl Longest {
    /// How long it is for a flow whose sender has this timeout.
    fn with(self, timeout: Duration) -> Duration {
        let automatic = if self.automatic { timeout.max(Duration::from_millis(100)) } else { Duration::ZERO };
        self.fixed.max(automatic)
    }
}

/// The round trip of a flow where nothing waits for anything, but for an ACK that the receiver delays.
fn empty_trip(config: &CellConfig, flow: usize) -> Duration {
    let flow = &config.flows[flow];
    let TransportConfig::Tcp(tcp) = flow.transport else { unreachable!("all flows of a trial are TCP") };
    let beyond = match flow.peer {
        Peer::Server => config.wired.down.delay + config.wired.up.delay + config.server.host_latency * 2,
        Peer::Station(station) => config.stations[station].host_latency * 2,
    };
    let hosts = (config.ap.host_latency + config.stations[flow.station].host_latency) * 2;
    // A full buffer, until its application has read it.
    let reading = tcp.read_rate.map_or(Duration::ZERO, |rate| rate.time_ceil(tcp.receive_buffer));
    beyond + hosts + gathering(config) + tcp.longest_hold() + reading
}

/// What MACs may gather before they hand up on a round trip: at each host, and at the AP for each way.
fn gathering(config: &CellConfig) -> Duration {
    match config.delivery {
        Delivery::Coalesced(time) => time * 4,
        Delivery::PerPpdu | Delivery::PerMpdu => Duration::ZERO,
    }
}

/// The rate of the wire, if the air ever has a greater one.
fn slow_wire(config: &CellConfig) -> Option<BitRate> {
    let wire = config.wired.down.rate.min(config.wired.up.rate);
    rates(config.standard).iter().any(|rate| rate.duration(LONG) < wire.time_ceil(LONG)).then_some(wire)
}

/// What all senders may have under way.
fn windows(cell: &TestedCell<'_>, config: &CellConfig) -> Bytes {
    let window = |flow: usize| {
        let sender = cell.flows().endpoint(flow, ends(config, flow).0)?;
        Some(sender.congestion_window().min(Bytes(size(config, flow).get().saturating_sub(sender.bytes_acked().get()))))
    };
    (0..config.flows.len()).filter_map(window).sum()
}

/// A length at which a preamble counts for little.
const LONG: Bytes = Bytes(60_000);

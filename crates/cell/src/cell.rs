//! One simulated cell: the machines of all nodes on one agenda.
//!
//! [`Cell::advance`] processes events up to a time; [`Cell::poll_timeout`] says when the next one is. That is all a simulation, or
//! a wall clock, needs. Here stands the order of things within an event; `air` has what concerns the medium, `network` where packets
//! go, `flood` what sources that flood put there, `outside` hosts outside of the cell, `turning` what may be changed between two steps, [`crate::flows`] the transports and applications; `by_power` has what differs in the air where not all hear each other.

use std::collections::VecDeque;

use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_dot11::hooks::Scheme;
use ackless_dot11::station::{Crowd, Station, Upward};
use ackless_wire::{Bytes, Discharge, Duration, Instant, PacketId, PacketPool};

use crate::agenda::Agenda;
use crate::flows::{Addressee, Flows, Place};
use crate::host::{Eavesdropper, HostLoss, Outgoing, Passage};
use crate::loss::{AirLoss, Interference};
use crate::medium::Medium;
use crate::middlebox::Middlebox;
use crate::observe::{DatagramCounts, Event, Held, Observer};
use crate::outside::Outside;
use crate::slots::{Slots, Wakeup};
use crate::wired::Wired;

mod air;
mod build;
mod by_power;
mod flood;
mod network;
mod outside;
mod routes;
mod transport;
mod turning;
mod witness;

pub use turning::{AirChange, Standing};

use by_power::Powers;
use flood::Load;
use routes::Routes;
use witness::Witness;

/// A cell in the middle of its run. `S` is the scheme on its nodes, `O` listens to what happens.
#[derive(Debug)]
pub struct Cell<S, O> {
    now: Instant,
    /// Until when time may pass before whoever advances it has had a say.
    until: Instant,
    agenda: Agenda,
    slots: Slots,
    medium: Medium,
    /// The medium in place of the other, where powers decide who hears whom.
    powers: Option<Box<Powers>>,
    /// Whether what has been sent and is not acknowledged counts against the limits of queues.
    counts_in_flight: bool,
    /// Whether any queue tells flows apart.
    tells_flows_apart: bool,
    /// Whether MPDUs are handed up one by one.
    per_mpdu: bool,
    /// Whose A-MPDU on the air was received ahead, and what of it arrives: a bit for each MPDU.
    ahead: Option<(NodeId, u64)>,
    loss: AirLoss,
    interference: Option<Interference>,
    /// The AP first.
    stations: Vec<Station<S>>,
    contention: Contention,
    pool: PacketPool,
    /// Between each node's MAC and its host.
    passages: Vec<Passage<Upward, Outgoing>>,
    /// Between the wire and the server's host.
    server: Passage<PacketId, PacketId>,
    host_losses: Vec<HostLoss>,
    wire_down: Wired<Load>,
    wire_up: Wired<PacketId>,
    middlebox: Option<Box<Middlebox>>,
    flows: Flows,
    /// The flows that may flood from each node, the server's in the place of the AP.
    sources: Vec<VecDeque<usize>>,
    /// Whether a flood of the server's ends, so that the AP takes no more of it than there is.
    admits: bool,
    /// The flows and ends at which something that was merged may still grow in this instant.
    merging: Vec<(usize, usize)>,
    /// When the wire will have sent each packet of the server's that counts in small queues.
    unsent: VecDeque<(Instant, PacketId)>,
    /// Those of them for which the wire has no rate again, as far as is known, each by its place
    /// among the packets that wait for one.
    unsent_stopped: Vec<(usize, PacketId)>,
    /// What a TCP sends one behind another, until it is on its way.
    train: Vec<PacketId>,
    /// What the queues below TCPs have let go of in this instant.
    discharged: Vec<Discharge>,
    /// The flows and ends whose queues these are.
    freed: Vec<(usize, usize)>,
    routes: Routes,
    /// How many packets each station's queue holds.
    queue_limits: Vec<usize>,
    beacon: Option<Beacon>,
    /// A PPDU ends in this instant: the medium still counts as busy for packets that are queued now.
    ending: bool,
    /// Compares the TCP ACKs at both ends of each hop, where that is asked for.
    witness: Option<Box<Witness>>,
    eavesdropper: Option<Eavesdropper>,
    /// The longest packet that may enter from outside.
    mtu: Bytes,
    /// The hosts outside, if the cell is open to them.
    outside: Option<Box<Outside>>,
    observer: O,
    events: u64,
}

/// Who may be about to send.
#[derive(Debug)]
struct Contention {
    /// Stations that must hear of the medium, each for itself, in ascending order.
    active: Vec<u16>,
    /// Those of whom all hear alike.
    crowd: Crowd,
    /// Those whose PPDU is over and that may still await its answer, in ascending order.
    awaiting: Vec<u16>,
    /// Whether a grant may have changed since the agenda was told.
    stale: bool,
    /// Since when the medium has been silent, less what of the silence has been told already.
    silence_from: Instant,
    /// Since when in it somebody has had something to send.
    wanted: Option<Instant>,
    /// While the stations have not been told of the silence: when they must be. Before the shortest DIFS or AIFS is over none of them does anything for it,
    /// and where an answer comes first, none need ever know.
    untold: Option<Instant>,
    /// That shortest DIFS or AIFS.
    least_ifs: Duration,
    /// Whose grants were the earliest when the agenda was told.
    winners: Vec<u16>,
}

impl Contention {
    /// Nobody has anything to send yet.
    fn new(least_ifs: Duration, crowd: Crowd) -> Self {
        Self {
            active: Vec::new(),
            crowd,
            awaiting: Vec::new(),
            stale: false,
            silence_from: Instant::ZERO,
            wanted: None,
            untold: None,
            least_ifs,
            winners: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Beacon {
    next: Instant,
    interval: Duration,
    len: Bytes,
}

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// From now on, panics if a TCP ACK comes out of a Wi-Fi hop that did not go into it, or comes out of turn. It costs time and memory.
    pub fn witness_acks(&mut self) {
        self.witness = Some(Box::default());
    }

    /// From now on, `interference` has a say in what the air loses.
    pub fn interfere(&mut self, interference: Interference) {
        self.interference = Some(interference);
    }

    /// From now on, `eavesdropper` hears what hosts send and get.
    pub fn eavesdrop(&mut self, eavesdropper: Eavesdropper) {
        self.eavesdropper = Some(eavesdropper);
    }

    /// When the next event is; `None` if nothing will ever happen again.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let (at, _) = self.agenda.first();
        (at < Instant::FAR_FUTURE).then_some(at)
    }

    /// Processes all events before `until`, and lets time pass to it.
    pub fn advance(&mut self, until: Instant) {
        self.until = until;
        loop {
            let (at, slot) = self.agenda.first();
            if at >= until {
                break;
            }
            debug_assert!(at >= self.now, "time does not run back");
            self.now = at;
            self.events += 1;
            self.dispatch(self.slots.wakeup(slot));
            self.finish_instant();
        }
        self.now = until;
    }

    /// What an event leaves to be done in its instant.
    #[inline(always)]
    fn finish_instant(&mut self) {
        if self.pool.has_discharged() {
            self.ask_again();
        }
        // A scheme may hand packets up when something passes it, which no other end of a batch follows.
        self.end_batches();
        if self.contention.stale {
            self.arrange_contention();
        }
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Events processed so far; a wake-up that comes too early for what it was set for is none.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Packets that are under way somewhere in the cell.
    pub fn packets_under_way(&self) -> usize {
        self.pool.live() + self.wire_down.packets().filter(|load| matches!(load, Load::Unmade(_))).count()
    }

    /// A node's MAC: the AP is node 0, the stations follow in the order of the configuration.
    pub fn station(&self, node: NodeId) -> &Station<S> {
        &self.stations[usize::from(node.0)]
    }

    /// The transports and applications.
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    /// Whoever listens.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// As [`Self::observer`], to tell it something.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Gives the listener back.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// Tells the listener the totals of what the machines count themselves.
    pub fn report_totals(&mut self) {
        for node in 0..self.stations.len() {
            let counts = self.stations[node].counts();
            self.observer.observe(self.now, &Event::Totals { node: NodeId(node as u16), counts });
        }
        let held = self.held();
        for flow in 0..self.flows.len() {
            let totals = self.flows.totals(flow);
            let transfer = self.flows.flow(flow).transfer_under_way();
            let (held, pending) = (held[flow], self.flows.flow(flow).is_pending());
            self.observer.observe(self.now, &Event::FlowTotals { flow, totals, held, transfer, pending });
            if let Some((counts, estimates)) = self.flows.flow(flow).transport_totals(self.now) {
                self.observer.observe(self.now, &Event::TransportTotals { flow, counts, estimates });
            }
            let counts = self.flows.flow(flow).datagrams;
            if counts != DatagramCounts::default() {
                self.observer.observe(self.now, &Event::DatagramTotals { flow, counts });
            }
        }
    }

    /// What each flow's data waits for that has crossed its last Wi-Fi hop.
    fn held(&self) -> Vec<Held> {
        let mut held: Vec<Held> = (0..self.flows.len()).map(|flow| self.flows.flow(flow).held_by_receiver()).collect();
        let up = self.passages.iter().enumerate();
        let up = up
            .flat_map(|(node, passage)| passage.arrivals().map(move |arrival| (Place::Station(node), arrival.packet)));
        let wire = self.wire_up.packets().chain(self.server.arrivals().copied());
        let wire = wire.map(|packet| (Place::Server, packet));
        for (place, packet) in up.chain(wire) {
            let packet = self.pool.get(packet);
            if self.outside.as_ref().is_some_and(|outside| outside.is_real(packet)) {
                continue;
            }
            let Some(Addressee::End(flow, end)) = self.flows.addressee(packet) else { continue };
            let state = self.flows.flow(flow);
            let last_hop =
                state.ends[end].place == place || (place, state.ends[end].place) == (Place::Station(0), Place::Server);
            if last_hop && state.sender() != end {
                held[flow].on_the_way += state.new_bytes(end, packet);
            }
        }
        held
    }

    /// Tells the listener how each flow stands.
    pub fn report_samples(&mut self) {
        for flow in 0..self.flows.len() {
            let Standing { cwnd, srtt, pacing, bandwidth, queued } = self.standing(flow);
            self.observer.observe(self.now, &Event::FlowSample { flow, cwnd, srtt, pacing, bandwidth, queued });
        }
    }

    #[inline(always)]
    fn dispatch(&mut self, wakeup: Wakeup) {
        match wakeup {
            Wakeup::Medium => self.end_transmissions(),
            Wakeup::Station(node) => self.wake_station(node),
            Wakeup::FromMac(node) => self.hand_up(node),
            Wakeup::ToMac(node) => {
                while let Some(outgoing) = self.passages[node].pop_down(self.now) {
                    self.hand_to_mac(node, outgoing);
                }
                self.agenda.set(self.slots.slot(wakeup), self.passages[node].down_timeout());
            }
            Wakeup::FromWire => self.reach_server(),
            Wakeup::ToWire => self.leave_server(),
            Wakeup::WireSent => self.wire_sent(),
            Wakeup::Ahead => self.receive_ahead(),
            Wakeup::WireDown => self.deliver_down(),
            Wakeup::WireUp => self.deliver_up(),
            Wakeup::End(end) => self.wake_end(end),
            Wakeup::Application(flow) => self.wake_application(flow),
            Wakeup::Ping(ping) => self.wake_ping(ping),
            Wakeup::Beacon => self.wake_beacon(),
            Wakeup::Contention => self.resolve_contention(),
        }
    }

    fn wake_beacon(&mut self) {
        let Some(beacon) = &mut self.beacon else { return };
        let len = beacon.len;
        beacon.next += beacon.interval;
        let next = beacon.next;
        self.tell_of_silence();
        self.single_out(0);
        let view = self.view(0);
        self.stations[0].beacon_due(self.now, view, len);
        self.after_station(0);
        self.agenda.set(self.slots.slot(Wakeup::Beacon), Some(next));
    }

    fn wake_station(&mut self, node: usize) {
        self.single_out(node);
        let ppdu = self.stations[node].wake(self.now, &mut self.pool);
        match ppdu {
            Some(ppdu) => self.transmit(ppdu),
            None => {
                self.tell_of_silence();
                let view = self.view(node);
                self.stations[node].medium_idle(self.now, view);
                self.after_station(node);
                return self.settle_exchange();
            }
        }
        self.after_station(node);
    }

    /// Puts an answer or the next frame of an exchange on the air.
    fn transmit(&mut self, ppdu: Ppdu) {
        let silence = self.is_silent().then(|| self.sifs_silence());
        self.begin(ppdu, silence, false);
        self.silence_is_over();
    }
}

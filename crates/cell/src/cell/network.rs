//! The part of a cell that concerns packets: between MACs, hosts and the wire. `runs` is their short way.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Emission, Passage, Scheme};
use ackless_dot11::station::{MediumView, Route, Upward};
use ackless_wire::{Instant, PacketId};

use super::Cell;
use super::flood::Load;
use crate::config::Direction;
use crate::flows::{Addressee, Place, address};
use crate::host::{Crossing, Outgoing};
use crate::observe::{Event, Observer};
use crate::slots::{Busy, Wakeup};

mod runs;

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// Takes from a station what came up and what its scheme emitted, until there is no more.
    #[inline]
    pub(super) fn drain_station(&mut self, node: usize) {
        if self.stations[node].is_drained() { self.end_batches() } else { self.drain(node) }
    }

    #[inline(never)]
    fn drain(&mut self, node: usize) {
        let is_instant = self.passages[node].is_instant_up();
        loop {
            if is_instant {
                if node == 0 {
                    self.drain_to_wire();
                }
                self.drain_up(node);
            }
            if let Some(arrival) = self.stations[node].poll_up() {
                self.rise(node, arrival);
            } else if let Some(emission) = self.stations[node].poll_emission() {
                self.carry_emission(node, emission);
            } else {
                return self.end_batches();
            }
        }
    }

    /// Whether nobody looks at what crosses between the network and a host, and all hosts are the cell's own.
    fn is_plain(&self) -> bool {
        self.witness.is_none() && self.outside.is_none() && self.eavesdropper.is_none()
    }

    /// A packet leaves a node's MAC for its host.
    fn rise(&mut self, node: usize, arrival: Upward) {
        if self.passages[node].is_instant_up() {
            return self.at_host(node, arrival);
        }
        self.rise_at(node, arrival, self.now);
    }

    /// A packet will have left a node's MAC for its host.
    pub(super) fn rise_at(&mut self, node: usize, arrival: Upward, at: Instant) {
        self.passages[node].push_up(at, arrival);
        self.agenda.set(self.slots.slot(Wakeup::FromMac(node)), self.passages[node].up_timeout());
    }

    /// What has left a node's MAC by now reaches its host.
    pub(super) fn hand_up(&mut self, node: usize) {
        while let Some(arrival) = self.passages[node].pop_up(self.now) {
            self.at_host(node, arrival);
        }
        self.end_batches();
        self.agenda.set(self.slots.slot(Wakeup::FromMac(node)), self.passages[node].up_timeout());
    }

    fn carry_emission(&mut self, node: usize, emission: Emission) {
        match emission {
            Emission::Onward(packet, from) => {
                self.rise(node, Upward { packet, from, mpdu: 0 });
            }
            Emission::Local(packet) => {
                self.deliver_to_host(node, packet);
                self.end_batches();
            }
            Emission::Queue(packet, options) => {
                let view = self.view_for_request(node);
                let flow = self.flow_of(packet);
                self.stations[node].enqueue_emitted(self.now, view, &mut self.pool, packet, options, flow);
                self.watch(node);
            }
        }
    }

    /// A packet that came over the air has reached a node's host: it is for the node itself, or passes on.
    pub(super) fn at_host(&mut self, node: usize, arrival: Upward) {
        let here = NodeId(node as u16);
        let packet = arrival.packet;
        if let Some(witness) = &mut self.witness {
            witness.arrived(arrival.from, here, self.pool.get(packet));
        }
        if self.outside.is_some() {
            return self.at_host_of_open(node, arrival);
        }
        let target = address::node_of(self.pool.get(packet).ip.dst());
        self.deliver_or_pass(node, arrival, target);
    }

    /// The same where the cell has hosts outside.
    #[cold]
    #[inline(never)]
    fn at_host_of_open(&mut self, node: usize, arrival: Upward) {
        let target = self.destination_at(node, arrival.from, arrival.packet);
        self.deliver_or_pass(node, arrival, target);
    }

    #[inline(always)]
    fn deliver_or_pass(&mut self, node: usize, arrival: Upward, target: Option<NodeId>) {
        let here = NodeId(node as u16);
        let packet = arrival.packet;
        if target == Some(here) {
            return self.deliver_to_host(node, packet);
        }
        let next = match (node, target) {
            (0, None) => None,
            // A group-addressed frame reaches stations that it is not for.
            _ => match self.routes.relay(node, arrival.from, target.unwrap_or(NodeId(0))) {
                None => return self.pool.release(packet),
                relayed => relayed,
            },
        };
        let passage = match next {
            Some(to) => Passage::OverAir { from: arrival.from, to },
            None => Passage::ToWire(arrival.from),
        };
        if let Some(packet) = self.stations[node].forward(self.now, &mut self.pool, packet, passage) {
            match next {
                Some(next) => {
                    let source = self.source(packet, arrival.from);
                    self.send_on(node, packet, next, [source, target.unwrap_or(NodeId(0))]);
                }
                None => self.push_up(packet),
            }
        }
        self.after_passage(node, self.stations[node].heeds_passage());
    }

    /// A packet for a node itself is on its way to its transports.
    fn deliver_to_host(&mut self, node: usize, packet: PacketId) {
        if self.host_losses[node].takes() {
            return self.lose_at_host(node, packet);
        }
        self.deliver_local(Place::Station(node), packet);
    }

    fn lose_at_host(&mut self, node: usize, packet: PacketId) {
        self.observer.observe(self.now, &Event::HostDrop { node: NodeId(node as u16) });
        self.pool.release(packet);
    }

    /// A packet has passed through a node, or into its queue. If its scheme was `asked`, it may have emitted others, or want to be woken; else
    /// no more than a deadline is taken back that a frame heard since has made void, which spares an event.
    #[inline(always)]
    pub(super) fn after_passage(&mut self, node: usize, asked: bool) {
        let deadline = self.agenda.deadline(self.slots.slot(Wakeup::Station(node)));
        let waits = deadline < Instant::FAR_FUTURE;
        if (asked || waits) && !self.stations[node].still_waits_for(deadline) {
            self.heed_station(node);
        }
    }

    #[inline(never)]
    fn heed_station(&mut self, node: usize) {
        while let Some(emission) = self.stations[node].poll_emission() {
            self.carry_emission(node, emission);
        }
        let timeout = self.stations[node].poll_timeout();
        self.agenda.set(self.slots.slot(Wakeup::Station(node)), timeout);
    }

    /// A transport or application on a node, or at the server, sends a packet.
    #[inline(always)]
    pub(super) fn send_from(&mut self, place: Place, packet: PacketId) {
        match place {
            Place::Server => {
                self.tell_eavesdropper(place, Crossing::Sent, packet);
                if self.server.is_instant() {
                    return self.push_down(packet);
                }
                self.server.push_down(self.now, packet);
                self.agenda.set(self.slots.slot(Wakeup::ToWire), self.server.down_timeout());
            }
            Place::Station(node) => {
                self.send_from_station(node, packet);
            }
        }
    }

    /// A transport or application on a node sends a packet. Returns whether it comes to the MAC.
    pub(super) fn send_from_station(&mut self, node: usize, packet: PacketId) -> bool {
        self.tell_eavesdropper(Place::Station(node), Crossing::Sent, packet);
        if self.host_losses[node].takes() {
            self.lose_at_host(node, packet);
            return false;
        }
        let route = self.routes.way(node, self.destination(packet));
        self.leave_host(node, packet, route);
        true
    }

    /// A node sends a packet to its neighbour `next`, on the way from its source to its destination; the AP stands for what lies behind the wire.
    fn send_on(&mut self, node: usize, packet: PacketId, next: NodeId, [source, destination]: [NodeId; 2]) {
        let ds = self.routes.ds(node, next, source, destination);
        self.leave_host(node, packet, Route { next, destination, source, ds });
    }

    #[inline(never)]
    fn leave_host(&mut self, node: usize, packet: PacketId, route: Route) {
        let flow = self.flow_of(packet);
        let outgoing = Outgoing { packet, route, flow };
        if self.passages[node].is_instant() {
            return self.hand_to_mac(node, outgoing);
        }
        if route.source == NodeId(node as u16) {
            self.stations[node].announce(self.now, &mut self.pool, packet, route.next);
        }
        self.passages[node].push_down(self.now, outgoing);
        self.agenda.set(self.slots.slot(Wakeup::ToMac(node)), self.passages[node].down_timeout());
    }

    /// A packet has reached a node's MAC.
    #[inline(always)]
    pub(super) fn hand_to_mac(&mut self, node: usize, outgoing: Outgoing) {
        let Outgoing { packet, route, flow } = outgoing;
        if let Some(witness) = &mut self.witness {
            witness.sent(NodeId(node as u16), route.next, self.pool.get(packet));
        }
        let waited = self.stations[node].wants_medium();
        // Who wants the medium already, or is in an exchange, does not look at it now.
        let view = if waited { MediumView::BUSY } else { self.view_for_request(node) };
        self.stations[node].enqueue(self.now, view, &mut self.pool, packet, route, flow);
        if !waited && self.stations[node].wants_medium() {
            self.watch(node);
        }
        // Where it waited or has nothing to send, as when its scheme keeps the packet, its grant stands: only its scheme may have got a new deadline, or have emitted something; what came up was taken before.
        self.after_passage(node, !self.stations[node].is_stock());
    }

    /// Packets have passed from the server's host to its wire.
    pub(super) fn leave_server(&mut self) {
        while let Some(packet) = self.server.pop_down(self.now) {
            self.push_down(packet);
        }
        self.agenda.set(self.slots.slot(Wakeup::ToWire), self.server.down_timeout());
    }

    /// The server puts a packet on the wire.
    fn push_down(&mut self, packet: PacketId) {
        self.put_on_wire(packet);
        self.agenda.set_busy(Busy::WireDown as usize, self.wire_down.poll_timeout());
    }

    #[inline(always)]
    fn put_on_wire(&mut self, packet: PacketId) {
        let len = self.pool.len_of(packet);
        let taken = self.wire_down.has_room(self.now);
        let arrives = taken && self.wire_down.put(self.now, Load::Packet(packet), len).is_ok();
        if taken && self.pool.is_charged(packet) {
            self.await_departure(packet);
        }
        if !arrives {
            self.observer.observe(self.now, &Event::WireDrop { node: None });
            self.pool.release(packet);
        }
    }

    /// The wire has taken a packet of the server's that counts in small queues, whether or not it will arrive.
    fn await_departure(&mut self, packet: PacketId) {
        self.pool.retain(packet);
        if let Some(place) = self.wire_down.stopped().checked_sub(1) {
            return self.unsent_stopped.push((place, packet));
        }
        self.unsent.push_back((self.wire_down.free_at(), packet));
        if self.unsent.len() == 1 {
            self.watch_departures();
        }
    }

    fn watch_departures(&mut self) {
        let next = self.unsent.front().map(|(at, _)| *at);
        self.agenda.set(self.slots.slot(Wakeup::WireSent), next);
    }

    /// The wire has a rate again for packets of the server's: `departures` says when each of those
    /// leaves that waited for one, as far as it does.
    pub(super) fn wire_goes_on(&mut self, departures: &[Instant]) {
        for (place, packet) in std::mem::take(&mut self.unsent_stopped) {
            match (departures.get(place), place.checked_sub(departures.len())) {
                (Some(at), _) => self.unsent.push_back((*at, packet)),
                (None, place) => self.unsent_stopped.extend(place.map(|place| (place, packet))),
            }
        }
        self.watch_departures();
    }

    /// The wire has sent packets of the server's.
    pub(super) fn wire_sent(&mut self) {
        while let Some((_, packet)) = self.unsent.pop_front_if(|(at, _)| *at <= self.now) {
            self.pool.discharge(packet);
            self.pool.release(packet);
        }
        self.watch_departures();
    }

    /// The AP puts a packet on the wire.
    #[inline(always)]
    fn push_up(&mut self, packet: PacketId) {
        self.put_on_wire_up(packet);
        self.agenda.set_busy(Busy::WireUp as usize, self.wire_up.poll_timeout());
    }

    #[inline(always)]
    fn put_on_wire_up(&mut self, packet: PacketId) {
        let len = self.pool.len_of(packet);
        if let Err(packet) = self.wire_up.push(self.now, packet, len) {
            self.observer.observe(self.now, &Event::WireDrop { node: Some(NodeId(0)) });
            self.pool.release(packet);
        }
    }

    /// Packets have come over the wire to the AP.
    pub(super) fn deliver_down(&mut self) {
        let mut floods = false;
        while let Some(load) = self.next_down() {
            let packet = match load {
                Load::Packet(packet) => packet,
                Load::Unmade(draft) => {
                    let Some(packet) = self.take_up(draft) else {
                        floods = true;
                        continue;
                    };
                    packet
                }
            };
            let Some(packet) = self.past_middlebox(Direction::Down, packet) else { continue };
            let to = self.destination_below(packet);
            let Some(next) = self.routes.relay(0, NodeId(0), to) else {
                self.pool.release(packet);
                continue;
            };
            let packet = if self.admits {
                let Some(packet) = self.admit(packet, next) else { continue };
                packet
            } else {
                packet
            };
            let heeds = self.stations[0].heeds_passage();
            let mut looked_after = false;
            if let Some(packet) = self.stations[0].forward(self.now, &mut self.pool, packet, Passage::FromWire(next)) {
                self.send_on(0, packet, next, [NodeId(0), to]);
                // Who is handed a packet at once is looked after then.
                looked_after = self.passages[0].is_instant();
            }
            if heeds || !looked_after {
                self.after_passage(0, heeds);
            }
        }
        if self.sources[0].is_empty() {
            self.queue_ahead();
        }
        self.agenda.set_busy(Busy::WireDown as usize, self.wire_down.poll_timeout());
        if !self.sources[0].is_empty() {
            self.refill_server();
        }
        if floods {
            self.drop_ahead();
        }
    }

    /// What comes over the wire to the AP next, by now.
    #[inline(always)]
    fn next_down(&mut self) -> Option<Load> {
        match self.rest_of_cut(Direction::Down) {
            Some(rest) => Some(Load::Packet(rest)),
            None => self.wire_down.pop(self.now),
        }
    }

    /// What is left of a segment that a middlebox has just cut.
    #[inline(always)]
    fn rest_of_cut(&mut self, direction: Direction) -> Option<PacketId> {
        self.middlebox.as_mut().and_then(|boxes| boxes.take_rest(direction))
    }

    /// A packet has come over the wire: what a middlebox at its end lets pass.
    #[inline(always)]
    fn past_middlebox(&mut self, direction: Direction, packet: PacketId) -> Option<PacketId> {
        if self.middlebox.is_none() { Some(packet) } else { self.meet_middlebox(direction, packet) }
    }

    #[cold]
    fn meet_middlebox(&mut self, direction: Direction, packet: PacketId) -> Option<PacketId> {
        let passed = self.middlebox.as_mut()?.pass(self.now, direction, &mut self.pool, packet);
        passed
            .inspect_err(|_| {
                let node = (direction == Direction::Up).then_some(NodeId(0));
                self.observer.observe(self.now, &Event::WireDrop { node });
            })
            .inspect_err(|&dropped| self.pool.release(dropped))
            .ok()
    }

    /// Packets have come over the wire to the server.
    pub(super) fn deliver_up(&mut self) {
        let plain = self.is_plain() && self.server.is_instant();
        while let Some(packet) = self.rest_of_cut(Direction::Up).or_else(|| self.wire_up.pop(self.now)) {
            let Some(packet) = self.past_middlebox(Direction::Up, packet) else { continue };
            if plain && let Some(Addressee::End(flow, end)) = self.flows.addressee(self.pool.get(packet)) {
                self.deliver_to_end(Place::Server, flow, end, packet);
            } else if self.server.is_instant() {
                self.deliver_local(Place::Server, packet);
            } else {
                self.server.push_up(self.now, packet);
                self.agenda.set(self.slots.slot(Wakeup::FromWire), self.server.up_timeout());
            }
        }
        self.end_batches();
        self.agenda.set_busy(Busy::WireUp as usize, self.wire_up.poll_timeout());
    }

    /// Packets have passed from the wire to the server's host.
    pub(super) fn reach_server(&mut self) {
        while let Some(packet) = self.server.pop_up(self.now) {
            self.deliver_local(Place::Server, packet);
        }
        self.end_batches();
        self.agenda.set(self.slots.slot(Wakeup::FromWire), self.server.up_timeout());
    }
}

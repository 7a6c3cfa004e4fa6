//! The part of a cell that concerns datagram sources that flood: each keeps the first queue on its way full.
//!
//! At the server that is the wire's buffer, and most of what crosses the wire finds the AP's queue full. So a datagram is made where one is taken up: until
//! then no more of it is settled than what it is the how manieth of.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_wire::{Bytes, PacketId};

use super::Cell;
use crate::flows::{Addressee, Draft, Place, datagram_len};
use crate::observe::{Event, Observer};
use crate::slots::Busy;

/// What the wire carries down.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load {
    /// A packet, with a reference.
    Packet(PacketId),
    /// A datagram that is still to be made.
    Unmade(Draft),
}

impl Load {
    /// The packet, if it is one.
    pub(super) fn packet(self) -> Option<PacketId> {
        match self {
            Self::Packet(packet) => Some(packet),
            Self::Unmade(_) => None,
        }
    }
}

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// A flow that floods fills the first queue on its way.
    pub(super) fn refill_from(&mut self, flow: usize) {
        let state = self.flows.flow(flow);
        match state.ends[state.sender()].place {
            Place::Server => self.refill_server(),
            Place::Station(node) => self.refill_sources(node),
        }
    }

    /// Datagram sources at the server that flood fill the wire's buffer, in turn.
    pub(super) fn refill_server(&mut self) {
        if self.sources[0].is_empty() {
            return;
        }
        if !self.server.is_instant() {
            return self.refill_behind_host();
        }
        if self.eavesdropper.is_some() || self.outside.is_some() || self.admits {
            return self.refill_in_sight();
        }
        while self.wire_down.has_room(self.now) {
            let Some((flow, payload)) = self.next_flood(Place::Server) else { break };
            self.send_unmade(flow, payload);
        }
        self.agenda.set_busy(Busy::WireDown as usize, self.wire_down.poll_timeout());
    }

    /// The same where somebody may want to see each packet.
    fn refill_in_sight(&mut self) {
        while self.wire_down.has_room(self.now) {
            let Some((flow, payload)) = self.next_flood(Place::Server) else { return };
            let packet = self.make(flow, payload);
            self.send_from(Place::Server, packet);
        }
    }

    /// The server puts a datagram on the wire of which nobody sees more than that it is there.
    #[inline(always)]
    fn send_unmade(&mut self, flow: usize, payload: Bytes) {
        let draft = self.flows.flow_mut(flow).draft(flow);
        if self.wire_down.put(self.now, Load::Unmade(draft), datagram_len(payload)).is_err() {
            self.observer.observe(self.now, &Event::WireDrop { node: None });
        }
    }

    /// A datagram that was put off has come to the AP. Returns it, unless it is dropped there.
    #[inline]
    pub(super) fn take_up(&mut self, draft: Draft) -> Option<PacketId> {
        let next = self.next_hop(draft.flow())?;
        if self.passages[0].is_instant() && self.stations[0].drops_at_once(next) {
            self.stations[0].drop_unmade();
            self.after_passage(0, false);
            return None;
        }
        let flow = self.flows.flow(draft.flow());
        let payload = flow.datagrams_that_flood()?;
        Some(self.pool.insert(flow.carry_out(draft, payload)))
    }

    /// The station that the AP sends a flow's datagrams to.
    fn next_hop(&self, flow: usize) -> Option<NodeId> {
        let flow = self.flows.flow(flow);
        let Place::Station(node) = flow.ends[1 - flow.sender()].place else { return None };
        self.routes.relay(0, NodeId(0), NodeId(node as u16))
    }

    /// A datagram has just been dropped at the AP. Those that come there before anything else happens find nothing changed, so that no machine need be asked about
    /// them: each is an event as any other, and goes where it went.
    pub(super) fn drop_ahead(&mut self) {
        if self.contention.stale || self.pool.has_discharged() || !self.passages[0].is_instant() {
            return;
        }
        let lead = self.agenda.lead(Busy::WireDown as usize).min(self.until);
        let mut known = None;
        while let Some(at) = self.wire_down.poll_timeout().filter(|at| *at < lead)
            && let Some(Load::Unmade(draft)) = self.wire_down.peek_alone()
        {
            if known != Some(draft.flow()) {
                if !self.next_hop(draft.flow()).is_some_and(|next| self.stations[0].drops_at_once(next)) {
                    return;
                }
                known = Some(draft.flow());
            }
            self.now = at;
            self.events += 1;
            self.wire_down.pop(at);
            self.stations[0].drop_unmade();
            self.refill_server();
        }
    }

    /// A packet has come over the wire to the AP, whose next hop is `next`: of a flood of datagrams that ends the AP
    /// takes as much as is left, where its queue has room. The rest is as good as not sent. Returns what it takes.
    #[cold]
    pub(super) fn admit(&mut self, packet: PacketId, next: NodeId) -> Option<PacketId> {
        let Some(Addressee::End(flow, _)) = self.flows.addressee(self.pool.get(packet)) else { return Some(packet) };
        let state = self.flows.flow_mut(flow);
        if !state.is_counted() || state.ends[state.sender()].place != Place::Server {
            return Some(packet);
        }
        let len = Bytes(self.pool.get(packet).payload.len().into());
        let room = self.stations[0].queue_room(next).is_none_or(|room| room > self.passages[0].departures().len());
        let taken = if room { state.take_of_flood(len) } else { Bytes::ZERO };
        if taken == len {
            return Some(packet);
        }
        self.pool.release(packet);
        (taken > Bytes::ZERO).then(|| self.make(flow, taken))
    }

    /// The same where the server's host takes time: what has left it will be in the buffer.
    fn refill_behind_host(&mut self) {
        let mut packets = self.server.departures().len();
        let mut bytes = self.server.departures().map(|&packet| self.pool.get(packet).len()).sum();
        while self.wire_down.has_room_beside(self.now, packets, bytes) {
            let Some((flow, payload)) = self.next_flood(Place::Server) else { return };
            let packet = self.make(flow, payload);
            packets += 1;
            bytes += self.pool.get(packet).len();
            self.send_from(Place::Server, packet);
        }
    }

    /// Datagram sources on a node that flood fill its queue, in turn.
    pub(super) fn refill_sources(&mut self, node: usize) {
        if self.sources[node].is_empty() || self.host_losses[node].takes_all() {
            return;
        }
        let queued = self.stations[node].occupancy(self.routes.above(node));
        let waiting = queued + self.passages[node].departures().len();
        let mut room = self.queue_limits[node].saturating_sub(waiting);
        while room > 0 {
            let Some((flow, payload)) = self.next_flood(Place::Station(node)) else { return };
            let payload = self.flows.flow_mut(flow).take_of_flood(payload);
            let packet = self.make(flow, payload);
            room -= usize::from(self.send_from_station(node, packet));
        }
    }

    /// The flow whose datagram is next of those at a place that flood, and how much that carries.
    #[inline(always)]
    fn next_flood(&mut self, place: Place) -> Option<(usize, Bytes)> {
        let sources = match place {
            // The AP has no transports: its entry is the server's.
            Place::Server => &mut self.sources[0],
            Place::Station(node) => &mut self.sources[node],
        };
        for _ in 0..sources.len() {
            let flow = *sources.front()?;
            if sources.len() > 1 {
                sources.rotate_left(1);
            }
            if let Some(payload) = self.flows.flow(flow).floods() {
                return Some((flow, payload));
            }
        }
        None
    }

    #[inline]
    fn make(&mut self, flow: usize, payload: Bytes) -> PacketId {
        self.pool.insert(self.flows.flow_mut(flow).datagram(payload))
    }
}

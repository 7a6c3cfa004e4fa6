//! The part of a cell that concerns hosts outside of it.

use std::net::IpAddr;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_wire::{Packet, PacketId};

use super::Cell;
use crate::flows::{Flows, Place, address};
use crate::observe::Observer;
use crate::outside::{Arrival, Outside, OutsideCounts, Refusal, SettleError};

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// From now on the cell has hosts outside: packets may enter ([`Self::inject`]), and come out ([`Self::take_arrivals`]). Its own flows and pings go on
    /// beside them. No more happens if it is open.
    pub fn open(&mut self) {
        let (nodes, has_server) = (self.stations.len(), self.routes.above(0).is_some());
        let mtu = self.mtu;
        let own = !self.flows.is_empty() || self.flows.has_pings();
        self.outside.get_or_insert_with(|| Box::new(Outside::new(nodes, own, has_server, mtu)));
    }

    /// From now on a real address lives at `place`: at the server, or at a station by its number (that of the first in the configuration is 1). It may have
    /// lived elsewhere before, and several may live at one place. Opens the cell.
    ///
    /// What a station sends to an address that was never settled goes to the server, and what the server sends to one goes to the only station, or nowhere
    /// if there are more.
    ///
    /// # Errors
    /// See [`SettleError`].
    pub fn settle(&mut self, address: IpAddr, place: Place) -> Result<(), SettleError> {
        self.open();
        self.outside.as_mut().map_or(Ok(()), |outside| outside.settle(address, place))
    }

    /// Where an address was settled, if it was.
    pub fn home_of(&self, address: IpAddr) -> Option<Place> {
        self.outside.as_ref()?.place_of(address)
    }

    /// An address lives nowhere from now on; what is under way to it goes where packets for unknown
    /// ones go.
    pub fn unsettle(&mut self, address: IpAddr) {
        if let Some(outside) = &mut self.outside {
            outside.unsettle(address);
        }
    }

    /// A packet leaves the host at `place` now, as if a transport there had sent it: hosts, wire, queues and schemes treat it as any other. It comes out as it
    /// went in, but for a mark of congestion that a queue has made; the cell is no router and leaves its hop limit alone. Events of the present instant that have not been processed
    /// ([`Self::advance`] stops in front of them) come after it.
    ///
    /// # Errors
    /// See [`Refusal`]; what is refused is counted, and gone.
    pub fn inject(&mut self, place: Place, packet: Packet) -> Result<(), Refusal> {
        let outside = self.outside.as_mut().ok_or(Refusal::Closed)?;
        let admitted = outside.admit(place, &packet);
        outside.count(admitted);
        admitted?;
        let packet = self.pool.insert(packet);
        self.send_from(place, packet);
        self.end_batches();
        self.finish_instant();
        Ok(())
    }

    /// Puts what has come to hosts outside, in the order in which it came, behind what `into` holds.
    pub fn take_arrivals(&mut self, into: &mut Vec<Arrival>) {
        if let Some(outside) = &mut self.outside {
            into.append(&mut outside.arrivals);
        }
    }

    /// What has passed between the cell and hosts outside.
    pub fn outside_counts(&self) -> OutsideCounts {
        self.outside.as_ref().map_or(OutsideCounts::default(), |outside| outside.counts)
    }

    /// Packets that wait for a station in the queue of its AP or relay; in an ad hoc cell there is no such queue.
    pub fn queued(&self, node: NodeId) -> usize {
        let above = self.routes.above(node.0.into()).filter(|_| node.0 != 0);
        above.map_or(0, |above| self.stations[usize::from(above.0)].backlog(node))
    }

    /// A packet has come to a host. Returns whether it was one outside, which has it then.
    #[inline]
    pub(super) fn leaves(&mut self, place: Place, packet: PacketId) -> bool {
        self.outside.is_some() && self.leave(place, packet)
    }

    #[cold]
    fn leave(&mut self, place: Place, packet: PacketId) -> bool {
        let Some(outside) = &mut self.outside else { return false };
        let real = outside.is_real(self.pool.get(packet));
        if real {
            outside.counts.arrived += 1;
            outside.arrivals.push(Arrival { at: self.now, place, packet: self.pool.take(packet) });
        }
        real
    }

    /// The node that a packet from a station is for; the AP for what lies behind the wire.
    #[inline]
    pub(super) fn destination(&self, packet: PacketId) -> NodeId {
        let dst = self.pool.get(packet).ip.dst();
        match &self.outside {
            None => address::node_of(dst).unwrap_or(NodeId(0)),
            Some(outside) => outside.node_of(dst).unwrap_or(NodeId(0)),
        }
    }

    /// The node that a packet comes from which `from` has sent on; the AP for what comes from the wire.
    #[inline]
    pub(super) fn source(&self, packet: PacketId, from: NodeId) -> NodeId {
        let src = self.pool.get(packet).ip.src();
        match &self.outside {
            None => address::node_of(src).unwrap_or(NodeId(0)),
            Some(outside) => outside.node_of(src).unwrap_or(from),
        }
    }

    /// The node that a packet is for which `from` has sent to `node`; `None` if that lies behind the wire.
    pub(super) fn destination_at(&self, node: usize, from: NodeId, packet: PacketId) -> Option<NodeId> {
        let dst = self.pool.get(packet).ip.dst();
        match &self.outside {
            None => address::node_of(dst),
            // What comes down from the wire does not go back to it.
            Some(outside) if node != 0 && self.routes.above(node) == Some(from) => outside.node_below(dst),
            Some(outside) => outside.node_of(dst),
        }
    }

    /// The node that a packet from the wire is for; the AP if there is none.
    #[inline]
    pub(super) fn destination_below(&self, packet: PacketId) -> NodeId {
        let dst = self.pool.get(packet).ip.dst();
        match &self.outside {
            None => address::node_of(dst).unwrap_or(NodeId(0)),
            Some(outside) => outside.node_below(dst).unwrap_or(NodeId(0)),
        }
    }

    /// A number that tells a packet's flow from others, for fair queueing; the same for all where no queue asks.
    #[inline]
    pub(super) fn flow_of(&self, packet: PacketId) -> u32 {
        if !self.tells_flows_apart {
            return 0;
        }
        let packet = self.pool.get(packet);
        match &self.outside {
            None => Flows::flow_of(packet),
            Some(outside) => outside.flow_of(packet),
        }
    }
}

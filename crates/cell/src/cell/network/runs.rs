//! The short way of packets: where nobody but a queue has a say in the next one, they pass in runs. Each goes where [`network`](super) would have put it.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Passage, Scheme};
use ackless_dot11::station::{MediumView, Route};
use ackless_wire::{Instant, PacketId};

use crate::cell::Cell;
use crate::cell::flood::Load;
use crate::flows::{Addressee, Place, address};
use crate::observe::Observer;
use crate::slots::{Busy, Wakeup};

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// Takes what came up at the AP, and what its scheme emitted onwards, to the wire, up to the first packet that goes elsewhere; where no time passes to its host. Nothing that one does has
    /// a say in the next.
    pub(super) fn drain_to_wire(&mut self) {
        if !self.is_plain() || self.stations[0].heeds_passage() {
            return;
        }
        let mut any = false;
        while let Some(packet) = self.stations[0].peek_onward()
            && address::node_of(self.pool.get(packet).ip.dst()).is_none()
        {
            self.stations[0].poll_onward();
            self.put_on_wire_up(packet);
            any = true;
        }
        if any {
            self.agenda.set_busy(Busy::WireUp as usize, self.wire_up.poll_timeout());
            self.after_passage(0, false);
        }
    }

    /// Takes what came up where no time passes to the host.
    #[inline(always)]
    pub(super) fn drain_up(&mut self, node: usize) {
        let plain = self.is_plain() && !self.host_losses[node].takes_any();
        let mut untold = None;
        while let Some(arrival) = self.stations[node].poll_up() {
            let packet = self.pool.get(arrival.packet);
            let at_end = plain && address::node_of(packet.ip.dst()) == Some(NodeId(node as u16));
            match self.flows.addressee(packet) {
                Some(Addressee::End(flow, end)) if at_end => {
                    self.take_at_end(node, (flow, end), arrival.packet, &mut untold);
                }
                _ => {
                    self.acknowledge_from(node);
                    self.tell_untold(untold.take());
                    self.at_host(node, arrival);
                }
            }
        }
        self.acknowledge_from(node);
        self.tell_untold(untold);
    }

    /// A train leaves a transport at the server; `counted` says whether its packets count in small queues.
    #[inline(always)]
    pub(in crate::cell) fn leave_together(&mut self, counted: bool) {
        let mut train = std::mem::take(&mut self.train);
        if self.server.is_instant() && self.eavesdropper.is_none() {
            let packets = train.iter().map(|&packet| (Load::Packet(packet), self.pool.len_of(packet)));
            if counted || !self.wire_down.put_together(self.now, packets) {
                train.iter().for_each(|&packet| self.put_on_wire(packet));
            }
            self.agenda.set_busy(Busy::WireDown as usize, self.wire_down.poll_timeout());
        } else {
            train.iter().for_each(|&packet| self.send_from(Place::Server, packet));
        }
        train.clear();
        self.train = train;
    }

    /// Acknowledgements that go one way leave their station, whose scheme has nothing to say to their ends, where nobody looks at what crosses between the network and a host. The scheme may hold them,
    /// and a MAC that waits for the medium already only queues those that pass behind another.
    #[inline(never)]
    pub(in crate::cell) fn leave_station_together(&mut self, node: usize) {
        let mut train = std::mem::take(&mut self.train);
        let mut left = train.as_slice();
        let instant = self.passages[node].is_instant();
        while let Some((&packet, others)) = left.split_first() {
            let route = self.routes.way(node, self.destination(packet));
            let held = if instant { self.hold_at_station(node, left, route) } else { 0 };
            left = &left[held..];
            if held > 0 {
                continue;
            }
            self.leave_host(node, packet, route);
            left = others;
            if instant {
                left = self.queue_at_station(node, left, route);
            }
        }
        train.clear();
        self.train = train;
    }

    /// Of packets that go this way from a station, those at the start that its scheme holds. Returns how many.
    #[inline(always)]
    fn hold_at_station(&mut self, node: usize, packets: &[PacketId], route: Route) -> usize {
        if self.stations[node].is_stock() {
            return 0;
        }
        let held = self.stations[node].enqueue_held(self.now, &mut self.pool, packets, route);
        if held > 0 {
            self.after_passage(node, true);
        }
        held
    }

    /// Of packets that go this way from a station, those at the start that its MAC only queues. Returns the others.
    #[inline(always)]
    fn queue_at_station<'p>(&mut self, node: usize, mut packets: &'p [PacketId], route: Route) -> &'p [PacketId] {
        let Some(mut intake) = self.stations[node].intake(route) else { return packets };
        while intake.has_room()
            && let Some((&packet, others)) = packets.split_first()
            && intake.passes(self.now, self.pool.get(packet))
        {
            intake.take(self.now, packet, &self.pool);
            packets = others;
        }
        packets
    }

    /// Packets that come over the wire to the AP before anything else happens in the cell. As long as the AP waits for the medium and does no more with a packet than to queue it,
    /// nothing changes but its queue, and nobody need be asked what is next: each is an event as any other, and goes where it would have gone.
    #[inline(always)]
    pub(super) fn queue_ahead(&mut self) {
        let plain = self.passages[0].is_instant()
            && self.witness.is_none()
            && self.outside.is_none()
            && self.middlebox.is_none();
        if !plain || self.contention.stale {
            return;
        }
        let lead = self.agenda.lead(Busy::WireDown as usize).min(self.until);
        let deadline = self.agenda.deadline(self.slots.slot(Wakeup::Station(0)));
        if self.stations[0].poll_timeout().unwrap_or(Instant::FAR_FUTURE) != deadline {
            // It will be told of the next packet.
            return;
        }
        let deadline = self.stations[0].scheme_deadline();
        let mut known = None;
        while self.stations[0].awaits_access() && !self.pool.has_discharged() {
            if let Some(route) = known {
                self.queue_alike(route, lead);
                self.drop_alike(route, lead);
            }
            let Some((at, packet)) = self.wire_down.pop_before(lead, |_, load| load.packet()) else { return };
            self.events += u64::from(at > self.now);
            self.now = at;
            let to = address::node_of(self.pool.get(packet).ip.dst()).unwrap_or(NodeId(0));
            let route = match known {
                Some(route @ Route { destination, .. }) if destination == to => route,
                _ => match self.route_down(to) {
                    Some(route) => *known.insert(route),
                    None => {
                        self.pool.release(packet);
                        continue;
                    }
                },
            };
            let passage = Passage::FromWire(route.next);
            if let Some(packet) = self.stations[0].forward(at, &mut self.pool, packet, passage) {
                let flow = self.flow_of(packet);
                self.stations[0].enqueue(at, MediumView::BUSY, &mut self.pool, packet, route, flow);
            }
            if !self.stations[0].is_quiet(deadline) {
                return self.heed_station(0);
            }
        }
    }

    /// Those that come next, before `lead`, and go the same way, where the AP only queues them.
    #[inline(always)]
    fn queue_alike(&mut self, route: Route, lead: Instant) {
        let Self { stations, wire_down, pool, events, now, .. } = self;
        let Some(mut intake) = stations[0].intake(route) else { return };
        while intake.has_room()
            && let Some((at, packet)) = wire_down.pop_before(lead, |at, load| {
                let packet = load.packet()?;
                let content = pool.get(packet);
                let goes_alike = address::node_of(content.ip.dst()) == Some(route.destination);
                (goes_alike && intake.passes(at, content)).then_some(packet)
            })
        {
            *events += u64::from(at > *now);
            *now = at;
            intake.take(at, packet, pool);
        }
    }

    /// Those that come next, before `lead`, and go the same way, where the AP's queue is full and drops them.
    #[inline(always)]
    fn drop_alike(&mut self, route: Route, lead: Instant) {
        let Self { stations, wire_down, pool, events, now, .. } = self;
        while stations[0].drops_at_once(route.next)
            && !pool.has_discharged()
            && let Some((at, packet)) = wire_down.pop_before(lead, |_, load| {
                let packet = load.packet()?;
                (address::node_of(pool.get(packet).ip.dst()) == Some(route.destination)).then_some(packet)
            })
        {
            *events += u64::from(at > *now);
            *now = at;
            stations[0].drop_unmade();
            pool.release(packet);
        }
    }

    /// The way down of a packet that has come over the wire; nothing where it does not go on.
    fn route_down(&self, destination: NodeId) -> Option<Route> {
        let source = NodeId(0);
        let next = self.routes.relay(0, source, destination)?;
        Some(Route { next, destination, source, ds: self.routes.ds(0, next, source, destination) })
    }
}

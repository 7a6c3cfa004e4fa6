//! The short way of segments: what comes to one receiver in an instant, and what one sender sends in it, is handled in runs. Each does what it does alone in [`transport`](super).

use std::net::IpAddr;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_wire::{Bytes, Packet, PacketId};

use super::{node_at, wake_earlier};
use crate::cell::Cell;
use crate::flows::{End, Place};
use crate::observe::{Event, Observer};
use crate::slots::Wakeup;

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// As [`Self::deliver_to_end`], for one of the packets that come to a station in this instant, and for those behind it that go to the same receiver. What it gets of several is told at
    /// once: `untold` is at which flow and end that is still to be done. The acknowledgements of all receivers there that go one way leave together.
    #[inline(always)]
    pub(in crate::cell) fn take_at_end(
        &mut self,
        node: usize,
        (flow, end): (usize, usize),
        mut packet: PacketId,
        untold: &mut Option<(usize, usize)>,
    ) {
        let place = Place::Station(node);
        let again = *untold == Some((flow, end));
        if !again {
            self.tell_untold(untold.take());
            self.acknowledge_others(node, (flow, end));
        }
        let state = self.flows.flow_mut(flow);
        // What no packet changes has been asked for the one before.
        let receives = again || state.only_receives(end) && state.ends[end].takes_alone(place);
        match &mut state.ends[end].tcp {
            Some(tcp) if receives && !tcp.gathers() => {
                let station = &mut self.stations[node];
                let to = addressed(self.pool.get(packet));
                let (content, acknowledgement) = loop {
                    tcp.handle_segment(self.now, self.pool.get(packet));
                    self.pool.release(packet);
                    let acknowledgement = tcp.poll_acknowledgement(self.now, &mut self.pool);
                    let content = tcp.is_content();
                    if acknowledgement.is_some() && station.answers_upward() {
                        break (content, acknowledgement);
                    }
                    self.train.extend(acknowledgement);
                    let goes_alike = |next: &PacketId| addressed(self.pool.get(*next)) == to;
                    match station.peek_up().filter(goes_alike) {
                        // Who is content is connected still, as before.
                        Some(next) if content => packet = next,
                        _ => break (content, None),
                    }
                    station.poll_up();
                };
                *untold = content.then_some((flow, end));
                if let Some(acknowledgement) = acknowledgement {
                    // What a scheme has to say to it may reach this end before the next packet does.
                    self.send_from(place, acknowledgement);
                }
                if !content {
                    self.acknowledge_from(node);
                    self.service(flow, end);
                }
            }
            _ => {
                self.acknowledge_from(node);
                self.tell_untold(untold.take());
                self.deliver_to_end(place, flow, end, packet);
            }
        }
    }

    /// Tells what is new at an end where that is still to be done.
    #[inline(always)]
    pub(in crate::cell) fn tell_untold(&mut self, untold: Option<(usize, usize)>) {
        if let Some((flow, end)) = untold {
            self.report_received(flow, end);
        }
    }

    /// As [`Self::report`], for an end that receives and no more.
    #[inline(never)]
    fn report_received(&mut self, flow: usize, end: usize) {
        let receiver = &mut self.flows.flow_mut(flow).ends[end];
        let (at, bytes) = (node_at(receiver.place), receiver.take_new());
        let slot = self.slots.slot(Wakeup::End(2 * flow + end));
        if let Some(tcp) = &mut receiver.tcp {
            wake_earlier(&mut self.agenda, slot, tcp);
        }
        if bytes > Bytes::ZERO {
            self.observer.observe(self.now, &Event::Delivered { flow, at, bytes });
        }
    }

    /// Those acknowledgements leave that do not go the way of those of this end.
    #[inline(always)]
    fn acknowledge_others(&mut self, node: usize, (flow, end): (usize, usize)) {
        if let Some(&first) = self.train.first() {
            let peer = node_at(self.flows.flow(flow).ends[1 - end].place);
            if self.destination(first) != peer.unwrap_or(NodeId(0)) {
                self.acknowledge_from(node);
            }
        }
    }

    /// The acknowledgements that ends on a station have made in this instant leave together.
    pub(in crate::cell) fn acknowledge_from(&mut self, node: usize) {
        if !self.train.is_empty() {
            self.leave_station_together(node);
        }
    }

    /// What a TCP at the server sends one behind another leaves together: nothing that it meets there answers before it is gone, as the MAC of a station or a scheme may. Returns
    /// whether that was all that it has to send now.
    #[inline(always)]
    pub(super) fn send_train(&mut self, flow: usize, end: usize) -> bool {
        let End { place: Place::Server, tcp: Some(tcp), .. } = &mut self.flows.flow_mut(flow).ends[end] else {
            return false;
        };
        let is_all = tcp.poll_train(self.now, &mut self.pool, &mut self.train);
        if !self.train.is_empty() {
            self.leave_together(false);
        }
        is_all
    }

    /// The other segments of a burst leave the server together, as a train does: how much lies below has been looked at for the first.
    #[inline(never)]
    pub(super) fn send_rest_of_burst(&mut self, flow: usize, end: usize) {
        let End { tcp: Some(tcp), .. } = &mut self.flows.flow_mut(flow).ends[end] else { return };
        tcp.poll_rest_of_burst(self.now, &mut self.pool, &mut self.train);
        if !self.train.is_empty() {
            (0..self.train.len()).for_each(|at| self.charge(flow, end, self.train[at]));
            self.leave_together(true);
        }
    }
}

/// To which host and port a packet goes.
#[inline(always)]
fn addressed(packet: &Packet) -> (IpAddr, u16) {
    (packet.ip.dst(), packet.ports().1)
}

//! The part of a cell that concerns transports and applications: `applications` has what these do, `runs` the short way of what TCPs send and get.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_tcp::{Endpoint, Event as TcpEvent};
use ackless_wire::{Bytes, PacketId};

use super::Cell;
use crate::agenda::{Agenda, Slot};
use crate::flows::{Addressee, End, Place};
use crate::gro::Merged;
use crate::host::{Crossing, Eavesdropper};
use crate::observe::{Event, Observer};
use crate::slots::Wakeup;

mod applications;
mod runs;

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// A packet has come to the host that it is addressed to.
    pub(super) fn deliver_local(&mut self, place: Place, packet: PacketId) {
        self.tell_eavesdropper(place, Crossing::Received, packet);
        if self.leaves(place, packet) {
            return;
        }
        match self.flows.addressee(self.pool.get(packet)) {
            Some(Addressee::End(flow, end)) => self.deliver_to_end(place, flow, end, packet),
            Some(Addressee::EchoRequest(ping)) => self.answer_ping(ping, place, packet),
            Some(Addressee::EchoReply(ping)) => self.ping_answered(ping, packet),
            None => self.pool.release(packet),
        }
    }

    /// Tells whoever eavesdrops on the hosts.
    pub(super) fn tell_eavesdropper(&mut self, place: Place, crossing: Crossing, packet: PacketId) {
        if let Some(Eavesdropper(hear)) = &mut self.eavesdropper {
            hear(self.now, node_at(place), crossing, self.pool.get(packet));
        }
    }

    #[inline(always)]
    pub(super) fn deliver_to_end(&mut self, place: Place, flow: usize, end: usize, packet: PacketId) {
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        let attended = state.is_attended();
        let End { place: home, tcp, merging, .. } = &mut state.ends[end];
        match tcp {
            _ if *home != place => self.pool.release(packet),
            Some(_) if merging.is_some() => self.merge(flow, end, packet),
            Some(tcp) if tcp.gathers() => {
                let arrived = self.pool.get(packet);
                tcp.handle_merged(now, arrived, Bytes(arrived.payload.len().into()));
                self.pool.release(packet);
                if self.merging.last() != Some(&(flow, end)) {
                    self.merging.push((flow, end));
                }
            }
            Some(tcp) => {
                tcp.handle_segment(now, self.pool.get(packet));
                let silent = tcp.is_content() && !attended;
                self.pool.release(packet);
                if silent {
                    return self.report(flow, end);
                }
                self.service(flow, end);
            }
            None => self.deliver_datagram(flow, end, packet),
        }
    }

    /// A packet has come to a host that merges.
    fn merge(&mut self, flow: usize, end: usize, packet: PacketId) {
        let Some(merging) = &mut self.flows.flow_mut(flow).ends[end].merging else { return };
        let passed = merging.take(self.pool.get(packet));
        if !std::mem::replace(&mut merging.in_batch, true) {
            self.merging.push((flow, end));
        }
        if let Some(before) = passed.before {
            self.deliver_merged(flow, end, &before);
        }
        if passed.alone
            && let Some(tcp) = &mut self.flows.flow_mut(flow).ends[end].tcp
        {
            let alone = self.pool.get(packet);
            tcp.handle_merged(self.now, alone, Bytes(alone.payload.len().into()));
            self.pool.release(packet);
            return self.service(flow, end);
        }
        self.pool.release(packet);
    }

    fn deliver_merged(&mut self, flow: usize, end: usize, merged: &Merged) {
        if let Some(tcp) = &mut self.flows.flow_mut(flow).ends[end].tcp {
            tcp.handle_merged(self.now, &merged.packet, merged.segment);
            self.service(flow, end);
        }
    }

    /// All has come that is handed up in this instant: what was merged goes to its TCP.
    #[inline]
    pub(super) fn end_batches(&mut self) {
        if !self.merging.is_empty() {
            self.hand_up_merged();
        }
    }

    #[inline(never)]
    fn hand_up_merged(&mut self) {
        let mut next = 0;
        while let Some(&(flow, end)) = self.merging.get(next) {
            next += 1;
            let merged = self.flows.flow_mut(flow).ends[end].merging.as_mut().and_then(|merging| {
                merging.in_batch = false;
                merging.flush()
            });
            if let Some(merged) = merged {
                self.deliver_merged(flow, end, &merged);
            }
            // The host's own thread runs once the batch is through.
            if let Some(tcp) = &mut self.flows.flow_mut(flow).ends[end].tcp {
                tcp.end_batch(self.now);
                self.service(flow, end);
            }
        }
        self.merging.clear();
    }

    /// Queues below TCPs have let go of packets: their senders are asked for more, which may be dropped in turn.
    pub(super) fn ask_again(&mut self) {
        while self.pool.has_discharged() {
            self.pool.take_discharged(&mut self.discharged);
            for discharge in self.discharged.drain(..) {
                let (flow, end) = (discharge.sender as usize / 2, discharge.sender as usize % 2);
                let Some(queue) = &mut self.flows.flow_mut(flow).ends[end].small_queue else { continue };
                queue.below -= discharge.len;
                if !std::mem::replace(&mut queue.freed, true) {
                    self.freed.push((flow, end));
                }
            }
            let mut next = 0;
            while let Some(&(flow, end)) = self.freed.get(next) {
                next += 1;
                let state = self.flows.flow_mut(flow);
                let attended = state.is_attended();
                let End { tcp, small_queue, .. } = &mut state.ends[end];
                let Some(queue) = small_queue else { continue };
                queue.freed = false;
                let held = !attended && tcp.as_ref().is_some_and(|tcp| tcp.stays_held(queue.below));
                if !held {
                    self.service(flow, end);
                }
            }
            self.freed.clear();
            // What was sent may have made a scheme hand something up.
            self.end_batches();
        }
    }

    /// A timer of a TCP endpoint, or an old deadline that has moved on since.
    pub(super) fn wake_end(&mut self, end_index: usize) {
        let (flow, end) = (end_index / 2, end_index % 2);
        let now = self.now;
        let slot = self.slots.slot(Wakeup::End(end_index));
        let state = self.flows.flow_mut(flow);
        let deadline = state.ends[end].tcp.as_ref().and_then(|tcp| tcp.poll_timeout());
        if deadline.is_none_or(|at| at > now) {
            // Nothing that happens in the cell.
            self.events -= 1;
            return self.agenda.set(slot, deadline);
        }
        let place = state.ends[end].place;
        let receives = state.only_receives(end) && state.ends[end].takes_alone(place);
        let Some(tcp) = &mut state.ends[end].tcp else { return };
        tcp.handle_timeout(now);
        match if receives { tcp.poll_acknowledgement(now, &mut self.pool) } else { None } {
            // It has waited long enough, and is all that there is to send or to tell.
            Some(acknowledgement) => self.send_from(place, acknowledgement),
            None => self.service(flow, end),
        }
        let deadline = self.flows.flow(flow).ends[end].tcp.as_ref().and_then(|tcp| tcp.poll_timeout());
        self.agenda.set(slot, deadline);
    }

    /// What follows after any input to a TCP endpoint: segments out, events, what it delivered, its deadline.
    pub(super) fn service(&mut self, flow: usize, end: usize) {
        if self.flows.flow(flow).is_attended() {
            self.top_up(flow, end);
            self.let_read(flow, end);
        }
        let End { tcp: Some(tcp), .. } = &self.flows.flow(flow).ends[end] else { return };
        if !tcp.is_content() {
            self.send_from_end(flow, end);
        }
        self.report(flow, end);
    }

    /// A TCP sends what it has to send now.
    fn send_from_end(&mut self, flow: usize, end: usize) {
        let bounded = self.flows.flow(flow).ends[end].small_queue.is_some();
        if bounded || !self.send_train(flow, end) {
            self.send_segments(flow, end, bounded);
        }
    }

    fn send_segments(&mut self, flow: usize, end: usize, bounded: bool) {
        loop {
            let now = self.now;
            let End { place, tcp: Some(tcp), small_queue, .. } = &mut self.flows.flow_mut(flow).ends[end] else {
                return;
            };
            let place = *place;
            if bounded && let Some(queue) = small_queue {
                tcp.heed_small_queue(queue.below, queue.packet, queue.time);
            }
            let Some(packet) = tcp.poll_transmit_into(now, &mut self.pool) else { break };
            if bounded {
                self.charge(flow, end, packet);
            }
            self.send_from(place, packet);
            if bounded && place == Place::Server {
                self.send_rest_of_burst(flow, end);
            }
        }
    }

    /// A packet leaves a TCP whose small queues are bounded. Acknowledgements do not count.
    fn charge(&mut self, flow: usize, end: usize, packet: PacketId) {
        let Some(queue) = &mut self.flows.flow_mut(flow).ends[end].small_queue else { return };
        if !self.pool.get(packet).payload.is_empty() {
            queue.below += self.pool.len_of(packet);
            self.pool.charge(packet, 2 * flow as u32 + end as u32);
        }
    }

    /// Tells the observer what is new at an end, the application what is done, and the agenda when the end is to be woken.
    fn report(&mut self, flow: usize, end: usize) {
        let state = self.flows.flow_mut(flow);
        let sends = state.sender() == end;
        let new = state.ends[end].take_new();
        let End { tcp: Some(tcp), reported: delivered, place, .. } = &mut state.ends[end] else { return };
        let rtt = tcp.take_rtt_sample().filter(|_| sends);
        let mut drained = false;
        while let Some(event) = tcp.poll_event() {
            drained |= event == TcpEvent::Drained;
        }
        wake_earlier(&mut self.agenda, self.slots.slot(Wakeup::End(2 * flow + end)), tcp);
        if !sends && new > Bytes::ZERO {
            let at = node_at(*place);
            let playout = state.application.video.as_mut().and_then(|video| video.bytes_came(self.now, *delivered));
            self.observer.observe(self.now, &Event::Delivered { flow, at, bytes: new });
            self.report_playout(flow, playout);
        }
        if new > Bytes::ZERO && self.flows.flow(flow).application.exchange.is_some() {
            self.exchange_came(flow, end);
        }
        if let Some(rtt) = rtt {
            self.observer.observe(self.now, &Event::RoundTrip { flow, rtt });
        }
        if drained && sends {
            self.transfer_drained(flow);
        }
    }

    fn report_delivered(&mut self, flow: usize, end: usize, bytes: Bytes) {
        let at = node_at(self.flows.flow(flow).ends[end].place);
        self.observer.observe(self.now, &Event::Delivered { flow, at, bytes });
    }
}

/// A timer of a TCP may be due before the agenda wakes it. Timers move with every segment: an old deadline that comes too early costs less than keeping it exact.
#[inline(always)]
fn wake_earlier(agenda: &mut Agenda, slot: Slot, tcp: &mut Endpoint) {
    let deadline = agenda.deadline(slot);
    if tcp.take_armed() < deadline
        && let Some(at) = tcp.poll_timeout().filter(|at| *at < deadline)
    {
        agenda.set(slot, Some(at));
    }
}

/// The node on which an end stands, unless it is the server's.
fn node_at(place: Place) -> Option<NodeId> {
    match place {
        Place::Station(node) => Some(NodeId(node as u16)),
        Place::Server => None,
    }
}

//! The part of a cell that concerns transports and applications.

use std::net::IpAddr;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_tcp::{Endpoint, Event as TcpEvent};
use ackless_wire::{Bytes, IpHeader, Packet, PacketId};

use super::Cell;
use crate::agenda::{Agenda, Slot};
use crate::config::{Pace, Traffic, TransportConfig};
use crate::flows::{Addressee, End, Place};
use crate::gro::Merged;
use crate::host::{Crossing, Eavesdropper};
use crate::observe::{Event, Observer, Playout};
use crate::slots::Wakeup;

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

    /// As [`Self::deliver_to_end`], for one of the packets that come to a station in this instant, and for those behind it that go to the same receiver. What it gets of several is told at
    /// once: `untold` is at which flow and end that is still to be done. The acknowledgements of all receivers there that go one way leave together.
    #[inline(always)]
    pub(super) fn take_at_end(
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
    pub(super) fn tell_untold(&mut self, untold: Option<(usize, usize)>) {
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
    pub(super) fn acknowledge_from(&mut self, node: usize) {
        if !self.train.is_empty() {
            self.leave_station_together(node);
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

    /// A datagram has come to an end of its flow. An answer is no application's data.
    fn deliver_datagram(&mut self, flow: usize, end: usize, packet: PacketId) {
        let bytes = Bytes(self.pool.get(packet).payload.len().into());
        let identification = self.identification(packet);
        self.pool.release(packet);
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        if state.sender() == end {
            state.datagrams.answers_received += 1;
            return;
        }
        let answer = state.answer();
        let place = state.ends[end].place;
        let video = state.application.video.as_mut();
        let playout = video.and_then(|video| video.datagram_came(now, identification));
        self.report_delivered(flow, end, bytes);
        self.report_playout(flow, playout);
        if let Some(answer) = answer {
            let answer = self.pool.insert(answer);
            self.send_from(place, answer);
        }
    }

    /// The player of a flow's video did something.
    fn report_playout(&mut self, flow: usize, playout: Option<Playout>) {
        if let Some(playout) = playout {
            self.observer.observe(self.now, &Event::Playout { flow, playout });
            self.watch_application(flow);
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

    /// What a TCP at the server sends one behind another leaves together: nothing that it meets there answers before it is gone, as the MAC of a station or a scheme may. Returns
    /// whether that was all that it has to send now.
    #[inline(always)]
    fn send_train(&mut self, flow: usize, end: usize) -> bool {
        let End { place: Place::Server, tcp: Some(tcp), .. } = &mut self.flows.flow_mut(flow).ends[end] else {
            return false;
        };
        let is_all = tcp.poll_train(self.now, &mut self.pool, &mut self.train);
        if !self.train.is_empty() {
            self.leave_together(false);
        }
        is_all
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

    /// The other segments of a burst leave the server together, as a train does: how much lies below has been looked at for the first.
    #[inline(never)]
    fn send_rest_of_burst(&mut self, flow: usize, end: usize) {
        let End { tcp: Some(tcp), .. } = &mut self.flows.flow_mut(flow).ends[end] else { return };
        tcp.poll_rest_of_burst(self.now, &mut self.pool, &mut self.train);
        if !self.train.is_empty() {
            (0..self.train.len()).for_each(|at| self.charge(flow, end, self.train[at]));
            self.leave_together(true);
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

    /// The application at a receiving end takes what it can, if it reads at a rate.
    fn let_read(&mut self, flow: usize, end: usize) {
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        if state.application.reader.is_none() || state.sender() == end {
            return;
        }
        let earlier = state.read(now);
        if earlier > Bytes::ZERO {
            self.report_delivered(flow, end, earlier);
        }
        self.watch_application(flow);
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

    /// All that a flow's application has handed over is acknowledged.
    fn transfer_drained(&mut self, flow: usize) {
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        let (finite, think) = match state.config.traffic {
            Traffic::Finite { .. } => (true, None),
            Traffic::Repeated { think, .. } => (false, Some(think)),
            Traffic::Bulk(_) | Traffic::OnOff { .. } | Traffic::Video(_) => return,
        };
        let Some(begun) = state.application.begun.take() else { return };
        if let Some(think) = think {
            let pause = state.application.draw(think);
            state.application.turn = Some(now + pause);
        }
        self.observer.observe(now, &Event::Completed { flow, took: now - begun, finite });
        self.watch_application(flow);
    }

    /// A flow starts, its application turns on or off, or hands over the next piece.
    pub(super) fn wake_application(&mut self, flow: usize) {
        let now = self.now;
        let application = &mut self.flows.flow_mut(flow).application;
        let turns = application.turn.take_if(|at| *at <= now).is_some();
        if turns {
            self.turn(flow);
        }
        let application = &mut self.flows.flow_mut(flow).application;
        if application.tick.take_if(|at| *at <= now).is_some() {
            self.tick(flow);
        }
        let reads = self
            .flows
            .flow(flow)
            .application
            .reader
            .as_ref()
            .is_some_and(|reader| reader.due.is_some_and(|due| due <= now));
        if reads {
            let receiver = 1 - self.flows.flow(flow).sender();
            self.service(flow, receiver);
        }
        let application = &mut self.flows.flow_mut(flow).application;
        let playout = application.video.as_mut().and_then(|video| video.play(now));
        self.report_playout(flow, playout);
        self.watch_application(flow);
    }

    fn watch_application(&mut self, flow: usize) {
        let timeout = self.flows.flow(flow).application.poll_timeout();
        self.agenda.set(self.slots.slot(Wakeup::Application(flow)), timeout);
    }

    fn turn(&mut self, flow: usize) {
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        state.application.on = !state.application.on || !matches!(state.config.traffic, Traffic::OnOff { .. });
        if let Traffic::OnOff { on, off, .. } = state.config.traffic {
            let span = state.application.draw(if state.application.on { on } else { off });
            state.application.turn = Some(now + span);
        }
        if !state.application.on {
            state.application.tick = None;
            return;
        }
        state.application.begun = Some(now);
        let (transport, traffic) = (state.config.transport, state.config.traffic);
        if let TransportConfig::Tcp(tcp) = &transport {
            let afresh = state.ends[0].tcp.is_none() || matches!(traffic, Traffic::Repeated { .. });
            if afresh {
                state.connect(now, tcp);
            }
            let sender = state.sender();
            let endpoint = state.ends[sender].tcp.as_mut().expect("a connected flow has two endpoints");
            match traffic {
                Traffic::Bulk(Pace::Saturating) => endpoint.send_forever(),
                Traffic::Finite { size } | Traffic::Repeated { size, .. } => {
                    endpoint.send(size);
                    endpoint.close();
                }
                Traffic::Bulk(Pace::Rate(_)) | Traffic::OnOff { .. } | Traffic::Video(_) => {}
            }
            self.service(flow, 1);
            self.service(flow, 0);
        }
        match traffic {
            Traffic::Bulk(Pace::Rate(_)) | Traffic::OnOff { pace: Pace::Rate(_), .. } | Traffic::Video(_) => {
                self.tick(flow);
            }
            _ => self.refill_from(flow),
        }
    }

    /// A paced application hands over the next piece: a datagram, or a segment's worth of stream.
    fn tick(&mut self, flow: usize) {
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        if let Traffic::Video(video) = state.config.traffic {
            state.application.tick = Some(now + video.frame);
            return self.send_frame(flow);
        }
        let (Traffic::Bulk(Pace::Rate(rate)) | Traffic::OnOff { pace: Pace::Rate(rate), .. }) = state.config.traffic
        else {
            return;
        };
        let sender = state.sender();
        match state.config.transport {
            TransportConfig::Udp { payload, .. } => {
                state.application.tick = Some(now + rate.time_ceil(payload));
                let (packet, place) = (state.datagram(payload), state.ends[sender].place);
                let packet = self.pool.insert(packet);
                self.send_from(place, packet);
            }
            TransportConfig::Tcp(tcp) => {
                let piece = tcp.packet.saturating_sub(Bytes(52)).max(Bytes(1));
                state.application.tick = Some(now + rate.time_ceil(piece));
                if let Some(endpoint) = &mut state.ends[sender].tcp {
                    // What does not fit into the send buffer is not offered again: the application is paced by its clock.
                    endpoint.write_length(piece);
                }
                self.service(flow, sender);
            }
        }
    }

    /// The encoder of a video hands over the next frame.
    fn send_frame(&mut self, flow: usize) {
        let state = self.flows.flow_mut(flow);
        let sender = state.sender();
        let Some(video) = &mut state.application.video else { return };
        let len = video.make();
        match state.config.transport {
            TransportConfig::Udp { payload, .. } => {
                for payload in video.split(len, payload) {
                    let state = self.flows.flow_mut(flow);
                    let (packet, place) = (state.datagram(payload), state.ends[sender].place);
                    let packet = self.pool.insert(packet);
                    self.send_from(place, packet);
                }
            }
            TransportConfig::Tcp(_) => {
                if let Some(endpoint) = &mut state.ends[sender].tcp {
                    endpoint.send(len);
                }
                self.service(flow, sender);
            }
        }
    }

    /// An on-off application that is on keeps its connection's send buffer full.
    fn top_up(&mut self, flow: usize, end: usize) {
        let state = self.flows.flow_mut(flow);
        let fills = matches!(state.config.traffic, Traffic::OnOff { pace: Pace::Saturating, .. });
        if fills
            && state.application.on
            && state.sender() == end
            && let Some(endpoint) = &mut state.ends[end].tcp
        {
            let room = endpoint.room();
            endpoint.write_length(room);
        }
    }

    pub(super) fn wake_ping(&mut self, ping: usize) {
        let now = self.now;
        let state = self.flows.ping_mut(ping);
        let request = state.request(now, ping);
        let next = state.next;
        self.observer.observe(now, &Event::PingSent { ping });
        let packet = self.pool.insert(request);
        self.send_from(Place::Server, packet);
        self.agenda.set(self.slots.slot(Wakeup::Ping(ping)), Some(next));
    }

    fn answer_ping(&mut self, ping: usize, place: Place, packet: PacketId) {
        let id = self.identification(packet);
        let reply = self.flows.ping_mut(ping).reply(ping, id);
        self.pool.release(packet);
        let reply = self.pool.insert(reply);
        self.send_from(place, reply);
    }

    fn ping_answered(&mut self, ping: usize, packet: PacketId) {
        let id = self.identification(packet);
        self.pool.release(packet);
        if let Some(sent) = self.flows.ping_mut(ping).answered(id) {
            let rtt = self.now - sent;
            self.observer.observe(self.now, &Event::PingAnswered { ping, sent, rtt });
        }
    }

    fn identification(&self, packet: PacketId) -> u16 {
        match self.pool.get(packet).ip {
            IpHeader::V4(v4) => v4.id,
            IpHeader::V6(_) => 0,
        }
    }
}

/// To which host and port a packet goes.
#[inline(always)]
fn addressed(packet: &Packet) -> (IpAddr, u16) {
    (packet.ip.dst(), packet.ports().1)
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

//! What applications do: they turn on and off, hand over data, as a stream or in datagrams, and take it; and pings.

use ackless_dot11::hooks::Scheme;
use ackless_wire::{Bytes, IpHeader, PacketId};

use crate::cell::Cell;
use crate::config::{Pace, RequestsConfig, Traffic, TransportConfig};
use crate::flows::Place;
use crate::observe::{Event, Observer, Playout};
use crate::slots::Wakeup;

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// A datagram has come to an end of its flow. An answer is no application's data.
    pub(super) fn deliver_datagram(&mut self, flow: usize, end: usize, packet: PacketId) {
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
        let transferred = state.datagram_of_transfer(now, bytes);
        let video = state.application.video.as_mut();
        let playout = video.and_then(|video| video.datagram_came(now, identification));
        self.report_delivered(flow, end, bytes);
        self.report_playout(flow, playout);
        if transferred {
            self.transfer_drained(flow);
        }
        if let Some(answer) = answer {
            let answer = self.pool.insert(answer);
            self.send_from(place, answer);
        }
    }

    /// The player of a flow's video did something.
    pub(super) fn report_playout(&mut self, flow: usize, playout: Option<Playout>) {
        if let Some(playout) = playout {
            self.observer.observe(self.now, &Event::Playout { flow, playout });
            self.watch_application(flow);
        }
    }

    /// The application at a receiving end takes what it can, if it reads at a rate.
    pub(super) fn let_read(&mut self, flow: usize, end: usize) {
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

    /// All that a flow's application has handed over is acknowledged.
    pub(super) fn transfer_drained(&mut self, flow: usize) {
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        let finite = match state.config.traffic {
            Traffic::Finite { .. } => true,
            Traffic::Repeated { .. } => false,
            Traffic::Bulk(_) | Traffic::OnOff { .. } | Traffic::Video(_) | Traffic::Requests(_) => return,
        };
        let Some(begun) = state.end_transfer(now) else { return };
        self.observer.observe(now, &Event::Completed { flow, took: now - begun, finite });
        self.watch_application(flow);
    }

    /// A flow starts, its application turns on or off, or hands over the next piece.
    pub(in crate::cell) fn wake_application(&mut self, flow: usize) {
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
            state.leave_in_buffer();
            return;
        }
        let (transport, traffic) = (state.config.transport, state.config.traffic);
        state.begin_to_send(now);
        let bytes = match traffic {
            Traffic::Finite { size } | Traffic::Repeated { size, .. } => Some(size),
            _ => traffic.is_saturating().then_some(Bytes::ZERO),
        };
        if let Some(bytes) = bytes {
            self.observer.observe(now, &Event::Offered { flow, bytes });
        }
        if let TransportConfig::Tcp(tcp) = &transport {
            let connected = self.flows.flow(flow).ends[0].tcp.is_some();
            let afresh = !connected || matches!(traffic, Traffic::Repeated { .. });
            if afresh {
                self.flows.connect(flow, now, tcp);
            }
            let state = self.flows.flow_mut(flow);
            let sender = state.sender();
            let endpoint = state.ends[sender].tcp.as_mut().expect("a connected flow has two endpoints");
            match traffic {
                Traffic::Bulk(Pace::Saturating) => endpoint.send_forever(),
                Traffic::Finite { size } | Traffic::Repeated { size, .. } => {
                    endpoint.send(size);
                    endpoint.close();
                    state.application.handed = size;
                }
                Traffic::Bulk(Pace::Rate(_)) | Traffic::OnOff { .. } | Traffic::Video(_) | Traffic::Requests(_) => {}
            }
            self.service(flow, 1);
            self.service(flow, 0);
        }
        match traffic {
            Traffic::Bulk(Pace::Rate(_)) | Traffic::OnOff { pace: Pace::Rate(_), .. } | Traffic::Video(_) => {
                self.tick(flow);
            }
            Traffic::Requests(_) => self.ask(flow),
            _ => self.refill_from(flow),
        }
    }

    /// The client of a flow with requests hands over the next one.
    fn ask(&mut self, flow: usize) {
        let state = self.flows.flow_mut(flow);
        let client = 1 - state.sender();
        if let Some(exchange) = &mut state.application.exchange {
            let writes = exchange.ask();
            self.write_each(flow, client, writes);
        }
    }

    /// Bytes of a request have come to the server, or of a response to the client.
    pub(super) fn exchange_came(&mut self, flow: usize, end: usize) {
        let now = self.now;
        let state = self.flows.flow_mut(flow);
        let (serves, came) = (state.sender() == end, state.ends[end].reported);
        let Some(exchange) = &mut state.application.exchange else { return };
        if serves {
            if let Some(writes) = exchange.serve(came) {
                let writes: Vec<Bytes> = writes.collect();
                let bytes = writes.iter().copied().sum();
                state.application.handed += bytes;
                self.observer.observe(now, &Event::Offered { flow, bytes });
                self.write_each(flow, end, writes.into_iter());
            }
            return;
        }
        if !exchange.ends_response(came) {
            return;
        }
        let goes_on = exchange.goes_on();
        if let (true, Traffic::Requests(RequestsConfig { think, .. })) = (goes_on, state.config.traffic) {
            let pause = state.application.draw(think);
            state.application.turn = Some(now + pause);
        }
        if let Some(begun) = state.application.begun.take() {
            self.observer.observe(now, &Event::Completed { flow, took: now - begun, finite: false });
        }
        self.watch_application(flow);
    }

    /// An application writes several times in one instant, and its TCP may send after each.
    fn write_each(&mut self, flow: usize, end: usize, writes: impl Iterator<Item = Bytes>) {
        for len in writes {
            if let Some(endpoint) = &mut self.flows.flow_mut(flow).ends[end].tcp {
                endpoint.send(len);
            }
            self.service(flow, end);
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
        if matches!(state.config.traffic, Traffic::Repeated { .. }) {
            // The rest of the datagrams is lost: this transfer is over, though not complete.
            state.end_transfer(now);
            return;
        }
        let (Traffic::Bulk(Pace::Rate(rate)) | Traffic::OnOff { pace: Pace::Rate(rate), .. }) = state.config.traffic
        else {
            return;
        };
        let sender = state.sender();
        let piece = state.piece();
        self.observer.observe(now, &Event::Offered { flow, bytes: piece });
        let state = self.flows.flow_mut(flow);
        state.application.tick = Some(now + rate.time_ceil(piece));
        match state.config.transport {
            TransportConfig::Udp { payload, .. } => {
                let (packet, place) = (state.datagram(payload), state.ends[sender].place);
                let packet = self.pool.insert(packet);
                self.send_from(place, packet);
            }
            TransportConfig::Tcp(_) => {
                if let Some(endpoint) = &mut state.ends[sender].tcp {
                    // What does not fit into the send buffer is not offered again: the application is paced by its clock.
                    state.application.handed += endpoint.write_length(piece);
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
        self.observer.observe(self.now, &Event::Offered { flow, bytes: len });
        let state = self.flows.flow_mut(flow);
        match state.config.transport {
            TransportConfig::Udp { payload, .. } => {
                let Some(video) = &mut state.application.video else { return };
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
                    state.application.handed += len;
                }
                self.service(flow, sender);
            }
        }
    }

    /// An on-off application that is on keeps its connection's send buffer full.
    pub(super) fn top_up(&mut self, flow: usize, end: usize) {
        let state = self.flows.flow_mut(flow);
        let fills = matches!(state.config.traffic, Traffic::OnOff { pace: Pace::Saturating, .. });
        if fills
            && state.application.on
            && state.sender() == end
            && let Some(endpoint) = &mut state.ends[end].tcp
        {
            let room = endpoint.room();
            state.application.handed += endpoint.write_length(room);
        }
    }

    pub(in crate::cell) fn wake_ping(&mut self, ping: usize) {
        let now = self.now;
        let state = self.flows.ping_mut(ping);
        let request = state.request(now, ping);
        let next = state.next;
        self.observer.observe(now, &Event::PingSent { ping });
        let packet = self.pool.insert(request);
        self.send_from(Place::Server, packet);
        self.agenda.set(self.slots.slot(Wakeup::Ping(ping)), Some(next));
    }

    pub(super) fn answer_ping(&mut self, ping: usize, place: Place, packet: PacketId) {
        let id = self.identification(packet);
        let reply = self.flows.ping_mut(ping).reply(ping, id);
        self.pool.release(packet);
        let reply = self.pool.insert(reply);
        self.send_from(place, reply);
    }

    pub(super) fn ping_answered(&mut self, ping: usize, packet: PacketId) {
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

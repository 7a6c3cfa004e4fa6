//! A fresh access point: a scheme, as much of a MAC as it sees, and a host that passes packets on.
//!
//! It gets bytes of frames and packets from the wire, and nothing of the run that they are from.

use std::collections::VecDeque;

use ackless_cell::config::CellConfig;
use ackless_cell::scheme;
use ackless_dot11::block_ack::{Fate, Originator, Recipient};
use ackless_dot11::codec::{Frame, FrameControl, FrameKind};
use ackless_dot11::frame::{AckPolicy, Answer, Ds, FrameHandle, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid};
use ackless_dot11::hooks::{
    Admission, Arrival, ArrivalKind, Backlog, Context, Emission, Passage, Peer, Scheme, SendOptions, Verdict, Withdraw,
};
use ackless_schemes::AnyScheme;
use ackless_wire::{Bytes, Duration, Instant, IpHeader, MacAddr, Packet, PacketId, PacketPool};

use crate::rivals_wire::evidence::AP;
use crate::rivals_wire::mac::{InService, Judged, Link, Waiting, is_of_agreement, kind, mpdu, seq};
use crate::rivals_wire::timing::receiver;
use crate::testing::capture::Transmission;

/// The access point.
pub struct FreshAp {
    scheme: AnyScheme,
    peers: Vec<Peer>,
    pool: PacketPool,
    links: Vec<Link>,
    in_service: Option<InService>,
    four_address: Vec<bool>,
    qos: bool,
    handles: u32,
    emissions: Vec<Emission>,
    latency: Duration,
    /// On the way to the MAC, and from it.
    down: VecDeque<(Instant, PacketId, NodeId)>,
    up: VecDeque<(Instant, PacketId, NodeId)>,
    /// What it has put on the wire.
    pub wire: Vec<(Instant, Packet)>,
}

/// Frames are taken back from the queue alone.
struct Queues<'a>(&'a mut Vec<Link>);

impl Withdraw for Queues<'_> {
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId> {
        let queues = self.0.iter_mut().map(|link| &mut link.queue);
        queues.into_iter().find_map(|queue| {
            let place = queue.iter().position(|waiting| waiting.handle == handle)?;
            Some(queue.remove(place).packet)
        })
    }
}

impl FreshAp {
    /// The access point of such a cell, before its first packet.
    pub fn new(config: &CellConfig) -> Self {
        let nodes = 0..=config.stations.len() as u16;
        let peer = |node: u16| {
            let scheme = scheme(config, NodeId(node));
            Peer { capable: scheme.is_capable(), answer_delay: scheme.answer_delay() }
        };
        let aggregates = config.standard.is_qos();
        let link = |node: u16| match node.checked_sub(1) {
            Some(station) if aggregates => {
                let terms = config.stations[usize::from(station)].mac.aggregation.zip(config.ap.mac.aggregation);
                let window = terms.map(|(theirs, ours)| theirs.window.min(ours.window));
                let first = MacSeq::default();
                Link {
                    originator: window.map(|window| Originator::new(first, window)),
                    recipient: window.map(|window| Recipient::new(first, window)),
                    ..Link::default()
                }
            }
            _ => Link::default(),
        };
        Self {
            scheme: scheme(config, AP),
            peers: nodes.clone().map(peer).collect(),
            pool: PacketPool::default(),
            links: nodes.map(link).collect(),
            in_service: None,
            four_address: std::iter::once(false).chain(config.stations.iter().map(|s| s.four_address)).collect(),
            qos: config.standard.is_qos(),
            handles: 0,
            emissions: Vec::new(),
            latency: config.ap.host_latency,
            down: VecDeque::new(),
            up: VecDeque::new(),
            wire: Vec::new(),
        }
    }

    /// What the scheme has counted.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        self.scheme.counts()
    }

    /// How it stands towards a station.
    pub fn state(&self, station: NodeId) -> (&Link, Option<InService>) {
        (&self.links[usize::from(station.0)], self.in_service)
    }

    /// Lets time pass to `until`: packets reach the MAC and the host, and the scheme is woken.
    pub fn advance(&mut self, until: Instant) {
        loop {
            let down = self.down.front().map(|(at, ..)| *at);
            let up = self.up.front().map(|(at, ..)| *at);
            let timer = self.scheme.poll_timeout();
            let Some(next) = [down, up, timer].into_iter().flatten().min().filter(|at| *at <= until) else { return };
            if timer == Some(next) {
                self.ask(next, |scheme, cx| scheme.on_timer(cx));
            } else if up == Some(next) {
                let (_, packet, from) = self.up.pop_front().expect("the first is due");
                self.at_host(next, packet, from);
            } else {
                let (_, packet, to) = self.down.pop_front().expect("the first is due");
                self.hand_down(next, packet, to);
            }
        }
    }

    /// A packet has come over the wire.
    pub fn come(&mut self, now: Instant, packet: Packet) {
        let to = node_of(&packet).expect("what comes over the wire is for a station");
        let packet = self.pool.insert(packet);
        if let Some(packet) = self.forward(now, packet, Passage::FromWire(to)) {
            self.down.push_back((now + self.latency, packet, to));
        }
    }

    /// It sends this.
    pub fn send(&mut self, now: Instant, transmission: &Transmission<'_>) {
        let to = receiver(&transmission.frames[0]).expect("the access point sends to stations");
        if matches!(transmission.frames[0].kind, FrameKind::BlockAckReq(..)) {
            return;
        }
        let under = |link: &Link, frame: &Frame<'_>| link.originator.is_some() && is_of_agreement(frame);
        for frame in &transmission.frames {
            let agreed = under(&self.links[usize::from(to.0)], frame);
            if !frame.control.has(FrameControl::RETRY) {
                self.number(now, to, frame, agreed);
            }
        }
        let link = &mut self.links[usize::from(to.0)];
        for frame in &transmission.frames {
            if under(link, frame)
                && let Some(originator) = &mut link.originator
            {
                originator.mark_sent([seq(frame)].into_iter());
            }
        }
        let backlog = Backlog { packets: link.queue.len() };
        let to = if transmission.frames[0].receiver.0[0] & 1 == 1 { to.as_group() } else { to };
        self.ask(now, |scheme, cx| scheme.on_ppdu_out(cx, to, backlog, &mut HeaderBits::default()));
    }

    /// A packet that waits becomes this frame.
    fn number(&mut self, now: Instant, to: NodeId, frame: &Frame<'_>, agreed: bool) {
        let bytes = frame.packet().expect("a frame of the access point has a packet");
        let Self { links, pool, .. } = self;
        let link = &mut links[usize::from(to.0)];
        let place = link.queue.iter().position(|waiting| emitted(pool.get(waiting.packet)) == bytes);
        let place = place.unwrap_or_else(|| {
            let packet = Packet::parse(bytes);
            panic!("at {now} the run's access point sends {packet:?}, which does not wait here: {:?}", link.queue)
        });
        let waiting = link.queue.remove(place);
        let mpdu = mpdu(&waiting, pool.get(waiting.packet), kind(frame), AP, seq(frame));
        match &mut link.originator {
            Some(originator) if agreed => assert_eq!(originator.push_new(mpdu).seq, mpdu.seq),
            _ => self.in_service = Some(InService { mpdu, failures: 0 }),
        }
        self.ask(now, |scheme, cx| scheme.on_sequenced(cx, &mpdu));
    }

    /// A station's answer has arrived, and this is what came of it.
    pub fn heard(&mut self, now: Instant, from: NodeId, frame: &Frame<'_>, judged: Judged) {
        let (agent, more_data) = (FrameControl::RETRY, FrameControl::MORE_DATA);
        let bits = HeaderBits { more_data: frame.control.has(more_data), sync: false };
        let answer = Answer { appended: frame.body.to_vec(), bits, agent: frame.control.has(agent), tag: frame.tag };
        let duration = frame.duration.unwrap_or_default();
        self.ask(now, |scheme, cx| scheme.on_answer(cx, from, &answer, duration));
        self.settle(now, from, judged);
    }

    /// A station's answer is missing, and this is what came of it.
    pub fn missed(&mut self, now: Instant, from: NodeId, judged: Judged) {
        self.ask(now, |scheme, cx| scheme.on_answer_missing(cx, from));
        self.settle(now, from, judged);
    }

    fn settle(&mut self, now: Instant, from: NodeId, judged: Judged) {
        let Judged { originator, in_service, fates } = judged;
        self.links[usize::from(from.0)].originator = originator;
        self.in_service = in_service;
        for (mpdu, fate) in fates {
            self.ask(now, |scheme, cx| match fate {
                Fate::Delivered => scheme.on_delivered(cx, &mpdu),
                Fate::GivenUp => scheme.on_given_up(cx, &mpdu),
            });
        }
    }

    /// What nobody answers is sent.
    pub fn has_sent(&mut self, now: Instant) {
        let frame = self.in_service.take().expect("what nobody answers is in service");
        self.ask(now, |scheme, cx| scheme.on_delivered(cx, &frame.mpdu));
    }

    /// These frames of one transmission of a station have arrived.
    pub fn receive(&mut self, now: Instant, transmission: &Transmission<'_>, which: &[usize]) {
        let from = transmission.from;
        let first = &transmission.frames[0];
        let mut released = Vec::new();
        let kind = match first.kind {
            FrameKind::BlockAckReq(..) => ArrivalKind::BlockAckReq,
            _ if transmission.frames.len() == 1 => ArrivalKind::Single(seq(first)),
            _ => ArrivalKind::Aggregate(which.len() as u16),
        };
        let arrival = Arrival { from, bits: HeaderBits::default(), kind };
        self.ask(now, |scheme, cx| scheme.on_ppdu_in(cx, &arrival));
        if let FrameKind::BlockAckReq(_, start) = first.kind {
            let recipient = self.links[usize::from(from.0)].recipient.as_mut();
            recipient.expect("a request is under an agreement").on_request(start, |mpdu| released.push(mpdu));
        } else {
            for frame in which.iter().map(|&n| &transmission.frames[n]) {
                self.take(now, from, frame, &mut released);
            }
        }
        for mpdu in released {
            let verdict = self.ask(now, |scheme, cx| scheme.on_upward(cx, mpdu.packet, from));
            let packet = match verdict {
                Verdict::Pass => mpdu.packet,
                Verdict::Replace(other) => other,
                Verdict::Hold | Verdict::Swallow => continue,
            };
            self.up.push_back((now + self.latency, packet, from));
        }
        if let Some(originator) = &mut self.links[usize::from(from.0)].originator
            && !matches!(first.kind, FrameKind::BlockAckReq(..))
        {
            originator.on_heard();
        }
    }

    /// A frame has arrived: it goes through the reorder buffer, or past the filter of duplicates.
    fn take(&mut self, now: Instant, from: NodeId, frame: &Frame<'_>, released: &mut Vec<Mpdu>) {
        let mpdu = self.arrived(from, frame);
        let admission = self.ask(now, |scheme, cx| scheme.on_mpdu(cx, &mpdu));
        if admission == Admission::Refuse {
            return;
        }
        let link = &mut self.links[usize::from(from.0)];
        match &mut link.recipient {
            // A duplicate goes no further.
            Some(recipient) if mpdu.tid() == Some(Tid(0)) && !mpdu.receiver.is_group() => {
                recipient.on_mpdu(&[mpdu], |mpdu| released.push(mpdu)).ok();
            }
            _ if !mpdu.receiver.is_group() && link.duplicates.is_duplicate(&mpdu) => {}
            _ => released.push(mpdu),
        }
    }

    /// Asks the scheme, and carries out what it emits.
    fn ask<R>(&mut self, now: Instant, question: impl FnOnce(&mut AnyScheme, &mut Context<'_>) -> R) -> R {
        let answer = self.put(now, question);
        while !self.emissions.is_empty() {
            let emission = self.emissions.remove(0);
            self.carry_out(now, emission);
        }
        answer
    }

    fn put<R>(&mut self, now: Instant, question: impl FnOnce(&mut AnyScheme, &mut Context<'_>) -> R) -> R {
        let Self { scheme, pool, peers, emissions, links, .. } = self;
        let mut queues = Queues(links);
        question(scheme, &mut Context::new(now, AP, pool, peers, &mut queues, emissions))
    }

    fn carry_out(&mut self, now: Instant, emission: Emission) {
        match emission {
            Emission::Onward(packet, from) => self.up.push_back((now + self.latency, packet, from)),
            Emission::Queue(packet, options) => {
                let handle = self.name();
                self.put(now, |scheme, cx| scheme.on_queued(cx, packet, handle));
                self.queue(packet, handle, options);
            }
            Emission::Local(packet) => panic!("nobody on the access point takes {packet:?}"),
        }
    }

    fn forward(&mut self, now: Instant, packet: PacketId, passage: Passage) -> Option<PacketId> {
        match self.ask(now, |scheme, cx| scheme.on_forward(cx, packet, passage)) {
            Verdict::Pass => Some(packet),
            Verdict::Replace(other) => Some(other),
            Verdict::Hold | Verdict::Swallow => None,
        }
    }

    /// What came up, or was emitted, goes on the wire.
    fn at_host(&mut self, now: Instant, packet: PacketId, from: NodeId) {
        assert_eq!(node_of(self.pool.get(packet)), None, "no flow of these cells goes from station to station");
        if let Some(packet) = self.forward(now, packet, Passage::ToWire(from)) {
            self.wire.push((now, self.pool.get(packet).clone()));
        }
    }

    /// A packet is handed to the MAC.
    fn hand_down(&mut self, now: Instant, packet: PacketId, to: NodeId) {
        let handle = self.name();
        let mut options = SendOptions {
            receiver: to,
            destination: to,
            source: AP,
            ds: if self.four_address[usize::from(to.0)] { Ds::FourAddress } else { Ds::FromAp },
            kind: if self.qos { MpduKind::QosData(Tid(0)) } else { MpduKind::Data },
            ack_policy: AckPolicy::Normal,
            rate: None,
        };
        match self.ask(now, |scheme, cx| scheme.on_outgoing(cx, packet, handle, &mut options)) {
            Verdict::Pass => self.queue(packet, handle, options),
            Verdict::Replace(other) => self.queue(other, handle, options),
            Verdict::Hold | Verdict::Swallow => {}
        }
    }

    fn queue(&mut self, packet: PacketId, handle: FrameHandle, options: SendOptions) {
        let to = options.receiver.station();
        self.links[usize::from(to.0)].queue.push(Waiting { packet, handle, options });
    }

    fn name(&mut self) -> FrameHandle {
        self.handles += 1;
        FrameHandle(self.handles)
    }

    /// A station's frame as the MAC sees it.
    fn arrived(&mut self, from: NodeId, frame: &Frame<'_>) -> Mpdu {
        let bytes = frame.packet().expect("a frame of a station has a packet");
        let packet = self.pool.insert(Packet::parse(bytes).expect("what was sent is a packet"));
        let content = self.pool.get(packet);
        let (packet_len, payload_len) = (content.len(), Bytes(content.payload.len().into()));
        let no_ack = matches!(frame.kind, FrameKind::QosData { ack_policy, .. } if ack_policy != 0);
        let destination = frame.third.map_or(AP, node);
        Mpdu {
            packet,
            packet_len,
            payload_len,
            tcp_ack: content.is_acknowledgement(),
            handle: FrameHandle(0),
            kind: kind(frame),
            ds: if frame.fourth.is_some() { Ds::FourAddress } else { Ds::ToAp },
            receiver: node(frame.receiver),
            transmitter: from,
            destination,
            source: from,
            seq: seq(frame),
            retry: frame.control.has(FrameControl::RETRY),
            ack_policy: if no_ack { AckPolicy::NoAck } else { AckPolicy::Normal },
            part: Part::Alone,
        }
    }
}

/// A packet's bytes.
pub fn emitted(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.emit(&mut bytes);
    bytes
}

/// The node of an address, or the group in which it is alone.
fn node(address: MacAddr) -> NodeId {
    let [.., high, low] = address.0;
    NodeId(u16::from_be_bytes([high, low]))
}

/// The station at a packet's destination address, 10.0.0.0/16 and its number; nothing where that is the server's.
fn node_of(packet: &Packet) -> Option<NodeId> {
    match &packet.ip {
        IpHeader::V4(v4) => match v4.dst.octets() {
            [10, 0, high, low] => Some(NodeId(u16::from_be_bytes([high, low]))),
            _ => None,
        },
        IpHeader::V6(_) => None,
    }
}

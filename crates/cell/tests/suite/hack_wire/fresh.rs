//! A fresh access point: HACK, a reorder buffer for each station, and a host that passes on what comes up.
//!
//! It gets bytes of frames and packets from the wire, and nothing of the run that they are from.

use std::collections::BTreeMap;

use ackless_cell::config::{CellConfig, SchemeChoice};
use ackless_dot11::block_ack::{DuplicateCache, Recipient};
use ackless_dot11::codec::{Frame, FrameControl, FrameKind};
use ackless_dot11::frame::{AckPolicy, Answer, Ds, FrameHandle, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid};
use ackless_dot11::hooks::{Admission, Context, Emission, Peer, Scheme, SendOptions, Verdict, Withdraw};
use ackless_schemes::hack::{Codec, Hack, HackConfig, HackCounters};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, PacketId, PacketPool};

use crate::hack_wire::heard::AP;

/// The access point.
pub struct FreshAp {
    hack: Hack,
    peers: Vec<Peer>,
    pool: PacketPool,
    links: Vec<Link>,
    handles: u32,
    emissions: Vec<Emission>,
    /// What has come up, for the wire.
    up: Vec<Packet>,
}

/// What comes from one station.
#[derive(Default)]
struct Link {
    /// Under a BlockAck agreement.
    recipient: Option<Recipient>,
    /// Outside of one.
    duplicates: DuplicateCache,
    /// The packets that were sent last, by TID and sequence number: a repeated frame is the same packet.
    packets: BTreeMap<(Option<Tid>, u16), PacketId>,
}

/// Nothing is queued here.
struct NoQueue;

impl Withdraw for NoQueue {
    fn withdraw(&mut self, _handle: FrameHandle) -> Option<PacketId> {
        None
    }
}

impl FreshAp {
    /// The access point of such a cell, before its first packet.
    pub fn new(config: &CellConfig) -> Self {
        let capable = |scheme| matches!(scheme, SchemeChoice::Hack(_));
        // What both ends have agreed on; the rest is of no concern to who decompresses.
        let (mic, codec) = match config.ap.scheme {
            SchemeChoice::Hack(hack) => (hack.mic, hack.codec),
            _ => (None, Codec::default()),
        };
        let stations = config.stations.iter();
        let peers = stations.clone().map(|station| Peer { capable: capable(station.scheme), ..Peer::default() });
        let links = stations.map(|station| {
            let terms = station.mac.aggregation.zip(config.ap.mac.aggregation);
            let window = terms.map(|(theirs, ours)| theirs.window.min(ours.window));
            Link { recipient: window.map(|window| Recipient::new(MacSeq::default(), window)), ..Link::default() }
        });
        Self {
            hack: Hack::new(HackConfig { mic, codec, ..HackConfig::default() }),
            peers: std::iter::once(Peer { capable: true, ..Peer::default() }).chain(peers).collect(),
            pool: PacketPool::default(),
            links: std::iter::once(Link::default()).chain(links).collect(),
            handles: 0,
            emissions: Vec::new(),
            up: Vec::new(),
        }
    }

    /// What it has put on the wire.
    pub fn up(&self) -> &[Packet] {
        &self.up
    }

    /// What it has counted.
    pub fn counters(&self) -> &HackCounters {
        self.hack.counters()
    }

    /// A packet has come over the wire, and is handed to the MAC.
    pub fn send(&mut self, now: Instant, packet: Packet) {
        let to = station_of(&packet);
        self.handles += 1;
        let handle = FrameHandle(self.handles);
        let mut options = SendOptions {
            receiver: to,
            destination: to,
            source: AP,
            ds: Ds::FromAp,
            kind: MpduKind::Data,
            ack_policy: AckPolicy::Normal,
            rate: None,
        };
        let packet = self.pool.insert(packet);
        let verdict = self.ask(now, |hack, cx| hack.on_outgoing(cx, packet, handle, &mut options));
        // It was never told of MORE DATA.
        assert_eq!(verdict, Verdict::Pass, "nothing is held by an end that was promised nothing");
        // When it goes on the air does not matter here, as long as its ACK comes after.
        let content = self.pool.get(packet);
        let mpdu = Mpdu {
            packet,
            packet_len: content.len(),
            payload_len: Bytes(content.payload.len().into()),
            tcp_ack: content.is_acknowledgement(),
            handle,
            kind: options.kind,
            ds: options.ds,
            receiver: to,
            transmitter: AP,
            destination: to,
            source: AP,
            seq: MacSeq::default(),
            retry: false,
            ack_policy: options.ack_policy,
            part: Part::Alone,
        };
        self.ask(now, |hack, cx| hack.on_sequenced(cx, &mpdu));
    }

    /// A station sends this, which may be lost: what a later repetition of it stands for.
    pub fn overhear(&mut self, from: NodeId, frames: &[Frame<'_>]) {
        for frame in frames.iter().filter(|frame| !frame.control.has(FrameControl::RETRY)) {
            if let Some(bytes) = frame.packet() {
                let packet = self.pool.insert(Packet::parse(bytes).expect("what was sent is a packet"));
                self.links[usize::from(from.0)].packets.insert(name(frame), packet);
            }
        }
    }

    /// These frames of one transmission of a station have arrived.
    pub fn receive<'a>(&mut self, now: Instant, from: NodeId, frames: impl Iterator<Item = &'a Frame<'a>>) {
        let mut released = Vec::new();
        for frame in frames {
            if let FrameKind::BlockAckReq(_, start) = frame.kind {
                let recipient = self.links[usize::from(from.0)].recipient.as_mut();
                recipient.expect("a request is under an agreement").on_request(start, |mpdu| released.push(mpdu));
                continue;
            }
            let mpdu = self.mpdu(from, frame);
            let admission = self.ask(now, |hack, cx| hack.on_mpdu(cx, &mpdu));
            assert_eq!(admission, Admission::Accept);
            let link = &mut self.links[usize::from(from.0)];
            match &mut link.recipient {
                // A duplicate goes no further.
                Some(recipient) => drop(recipient.on_mpdu(&[mpdu], |mpdu| released.push(mpdu))),
                None if link.duplicates.is_duplicate(&mpdu) => {}
                None => released.push(mpdu),
            }
        }
        for mpdu in released {
            let verdict = self.ask(now, |hack, cx| hack.on_upward(cx, mpdu.packet, from));
            match verdict {
                Verdict::Pass => self.rise(mpdu.packet),
                Verdict::Hold => {}
                other => panic!("HACK lets pass or emits itself what comes up: {other:?}"),
            }
        }
    }

    /// A station's answer has arrived, with these bytes appended.
    pub fn answered(&mut self, now: Instant, from: NodeId, appended: &[u8]) {
        let answer = Answer { appended: appended.to_vec(), ..Answer::default() };
        self.ask(now, |hack, cx| hack.on_answer(cx, from, &answer, Duration::ZERO));
    }

    /// Asks HACK, and carries out what it emits.
    fn ask<R>(&mut self, now: Instant, question: impl FnOnce(&mut Hack, &mut Context<'_>) -> R) -> R {
        let Self { hack, pool, peers, emissions, .. } = self;
        let mut queue = NoQueue;
        let mut cx = Context::new(now, AP, pool, peers, &mut queue, emissions);
        let answer = question(hack, &mut cx);
        for emission in std::mem::take(&mut self.emissions) {
            match emission {
                Emission::Onward(packet, _) => self.rise(packet),
                other => panic!("the receiving end emits onwards only: {other:?}"),
            }
        }
        answer
    }

    fn rise(&mut self, packet: PacketId) {
        self.up.push(self.pool.get(packet).clone());
    }

    fn mpdu(&self, from: NodeId, frame: &Frame<'_>) -> Mpdu {
        let packet = self.links[usize::from(from.0)].packets[&name(frame)];
        let content = self.pool.get(packet);
        Mpdu {
            packet,
            packet_len: content.len(),
            payload_len: Bytes(content.payload.len().into()),
            tcp_ack: content.is_acknowledgement(),
            handle: FrameHandle(0),
            kind: match frame.kind {
                FrameKind::QosData { tid, .. } => MpduKind::QosData(tid),
                _ => MpduKind::Data,
            },
            ds: Ds::ToAp,
            receiver: AP,
            transmitter: from,
            destination: AP,
            source: from,
            seq: frame.seq.expect("data has a sequence number"),
            retry: frame.control.has(FrameControl::RETRY),
            ack_policy: AckPolicy::Normal,
            part: Part::Alone,
        }
    }
}

/// What tells a station's frames apart, until its sequence numbers come round.
fn name(frame: &Frame<'_>) -> (Option<Tid>, u16) {
    let tid = match frame.kind {
        FrameKind::QosData { tid, .. } => Some(tid),
        _ => None,
    };
    (tid, frame.seq.expect("data has a sequence number").get())
}

/// The station at a packet's destination address, 10.0.0.0/16 and its number.
fn station_of(packet: &Packet) -> NodeId {
    match &packet.ip {
        IpHeader::V4(v4) => {
            let [_, _, high, low] = v4.dst.octets();
            NodeId(u16::from_be_bytes([high, low]))
        }
        IpHeader::V6(_) => panic!("the cells' addresses are IPv4"),
    }
}

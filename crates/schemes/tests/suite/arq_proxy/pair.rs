//! An AP as proxy and a station as client, a MAC that does what the script says, and the wire behind the AP.

use std::collections::VecDeque;

use ackless_dot11::frame::{ACK_LEN, Answer, BLOCK_ACK_LEN, FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId, Tag};
use ackless_dot11::hooks::{
    AnswerDue, AnswerKind, Arrival, ArrivalKind, Backlog, Context, Emission, Peer, Scheme, SendOptions, Verdict,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_schemes::arq_proxy::{ArqProxy, ArqProxyConfig, ArqProxyCounters};
use ackless_wire::{
    Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
    UdpHeader,
};

use crate::testing::frames::{mpdu, sent_by};
use crate::testing::queue::Queue;

/// The AP and the station.
pub const AP: usize = 0;
pub const STATION: usize = 1;
/// Application bytes in each data packet.
pub const SEGMENT: u32 = 1000;

/// Two nodes, and what has come out at the AP's wire.
pub struct Pair {
    nodes: [Node; 2],
    pool: PacketPool,
    now: Instant,
    wire: Vec<Packet>,
    capable: bool,
    ipv6: bool,
    /// What waits at the AP behind each PPDU.
    pub backlog: usize,
    /// ACKs that the station's transport has sent and its MAC has not got.
    coming: VecDeque<PacketId>,
    /// The window that the station's transport announces, and whether the connection has timestamps.
    pub window: u16,
    pub stamps: bool,
}

struct Node {
    scheme: ArqProxy,
    queue: Queue,
    next_handle: u32,
    next_seq: u16,
}

/// MPDUs on the air.
#[derive(Clone)]
pub struct Sent {
    from: usize,
    pub mpdus: Vec<Mpdu>,
    bits: HeaderBits,
}

/// What becomes of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Air {
    Clear,
    AnswerLost,
}

impl Pair {
    pub fn new(config: ArqProxyConfig) -> Self {
        let node = || Node { scheme: ArqProxy::new(config), queue: Queue::default(), next_handle: 0, next_seq: 0 };
        Self {
            nodes: [node(), node()],
            pool: PacketPool::default(),
            now: Instant::from_millis(1),
            wire: Vec::new(),
            capable: true,
            ipv6: false,
            backlog: 0,
            coming: VecDeque::new(),
            window: 1000,
            stamps: true,
        }
    }

    /// The other end has no such scheme.
    pub const fn beside_legacy(mut self) -> Self {
        self.capable = false;
        self
    }

    /// All addresses are of IPv6.
    pub const fn over_ipv6(mut self) -> Self {
        self.ipv6 = true;
        self
    }

    /// A connection on which the station's first ACK has arrived natively: segment 0 came and was acknowledged.
    pub fn open(mut self) -> Self {
        let first = self.data(&[0]);
        self.arrive(&first);
        self.ack(1);
        self.answer(&first, Air::Clear);
        self.natives(1, Air::Clear);
        assert_eq!((self.wire().len(), self.queued()), (1, 0));
        self
    }

    pub fn counters(&self, node: usize) -> &ArqProxyCounters {
        self.nodes[node].scheme.counters()
    }

    /// What has come out at the wire since the last time.
    pub fn wire(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.wire)
    }

    /// How many segments the ACKs acknowledge that have come out at the wire since the last time.
    pub fn acknowledged(&mut self) -> Vec<u32> {
        let packets = self.wire();
        packets.iter().map(|packet| (tcp(packet).ack - SeqNumber(FIRST)) / SEGMENT).collect()
    }

    /// How many frames wait in the station's queue.
    pub fn queued(&self) -> usize {
        self.nodes[STATION].queue.0.len()
    }

    /// How many packets somebody holds, frames on the air included.
    pub fn held(&self) -> usize {
        self.pool.live() - self.queued()
    }

    pub fn pass_time(&mut self, span: Duration) {
        self.now += span;
        for node in [AP, STATION] {
            if self.nodes[node].scheme.poll_timeout().is_some_and(|at| at <= self.now) {
                self.ask(node, |scheme, cx| scheme.on_timer(cx));
            }
        }
    }

    /// The AP sends these segments in a PPDU.
    pub fn data(&mut self, segments: &[u32]) -> Sent {
        self.segments(0, segments, TcpFlags::ACK)
    }

    /// The same with other flags, on one of several connections.
    pub fn segments(&mut self, flow: u16, segments: &[u32], flags: TcpFlags) -> Sent {
        self.segments_with(flow, segments, |header| header.flags = flags)
    }

    /// The same with other headers.
    pub fn segments_with(&mut self, flow: u16, segments: &[u32], change: impl Fn(&mut TcpHeader)) -> Sent {
        let mpdus = segments.iter().map(|&segment| self.next_data(flow, segment, &change)).collect();
        self.launch(AP, mpdus)
    }

    /// Frames on the air again.
    pub fn again(&mut self, sent: &Sent) -> Sent {
        let mpdus = sent.mpdus.iter().map(|mpdu| Mpdu { retry: true, ..*mpdu }).collect();
        self.launch(sent.from, mpdus)
    }

    /// So many frames with other packets pass, so that sequence numbers go on.
    pub fn skip(&mut self, frames: u16) {
        self.nodes[AP].next_seq = (self.nodes[AP].next_seq + frames) % MacSeq::MODULUS;
    }

    /// So many frames with other packets than TCP's arrive at the station.
    pub fn strangers(&mut self, frames: u16) {
        for _ in 0..frames {
            let (src, dst) = ([10, 1, 0, 1].into(), [10, 0, 0, 1].into());
            let ip = IpHeader::between(src, dst).expect("both are of one family");
            let transport = Transport::Udp(UdpHeader { src_port: 80, dst_port: 80 });
            let packet = self.pool.insert(Packet { ip, transport, payload: Payload::Length(SEGMENT) });
            let handle = self.nodes[AP].handle();
            let mpdu = self.sequenced(AP, (handle, packet, sent_by(AP)));
            let sent = self.launch(AP, vec![mpdu]);
            self.exchange(&sent, Air::Clear);
        }
    }

    /// A PPDU of the AP's arrives at the station, which will answer.
    pub fn arrive(&mut self, sent: &Sent) {
        let kind = match &sent.mpdus[..] {
            [only] => ArrivalKind::Single(only.seq),
            all => ArrivalKind::Aggregate(all.len() as u16),
        };
        let (from, to) = (NodeId(sent.from as u16), 1 - sent.from);
        let arrival = Arrival { from, bits: sent.bits, kind };
        self.ask(to, |scheme, cx| scheme.on_ppdu_in(cx, &arrival));
        for mpdu in &sent.mpdus {
            self.ask(to, |scheme, cx| scheme.on_mpdu(cx, mpdu));
        }
    }

    /// The answer leaves, and arrives or not. Returns its tag.
    pub fn answer(&mut self, sent: &Sent, air: Air) -> Option<Tag> {
        let kind = if sent.mpdus.len() == 1 { AnswerKind::Ack } else { AnswerKind::BlockAck };
        self.answer_as(kind, &sent.mpdus, air)
    }

    /// A PPDU arrives, and is answered before the host does anything.
    pub fn exchange(&mut self, sent: &Sent, air: Air) -> Option<Tag> {
        self.arrive(sent);
        self.answer(sent, air)
    }

    /// The AP asks for the BlockAck again. Returns the answer's tag.
    pub fn request(&mut self, sent: &Sent, air: Air) -> Option<Tag> {
        let arrival = Arrival { from: NodeId(0), bits: HeaderBits::default(), kind: ArrivalKind::BlockAckReq };
        self.ask(STATION, |scheme, cx| scheme.on_ppdu_in(cx, &arrival));
        self.answer_as(AnswerKind::BlockAck, &sent.mpdus, air)
    }

    /// The AP gives these up.
    pub fn give_up(&mut self, sent: &Sent) {
        for mpdu in &sent.mpdus {
            self.ask(sent.from, |scheme, cx| scheme.on_given_up(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
    }

    /// An answer with this tag comes to the AP, that acknowledges nothing new.
    pub fn ask_for(&mut self, tag: Option<Tag>) {
        let answer = Answer { tag, ..Answer::default() };
        self.ask(AP, |scheme, cx| scheme.on_answer(cx, NodeId(1), &answer, Duration::ZERO));
    }

    /// The station's transport acknowledges so many segments of flow 0.
    pub fn ack(&mut self, segments: u32) {
        self.ack_with(0, segments, |_, _| ());
    }

    /// The same on another connection, or with a change.
    pub fn ack_with(&mut self, flow: u16, segments: u32, change: impl FnOnce(&mut TcpHeader, &mut Payload)) {
        self.pass_time(Duration::from_millis(1));
        let packet = self.made_ack(flow, segments, change);
        self.hand_down(packet);
    }

    /// The station's transport acknowledges so many segments of flow 0, and its MAC will get the ACK later.
    pub fn ack_later(&mut self, segments: u32) {
        self.pass_time(Duration::from_millis(1));
        let packet = self.made_ack(0, segments, |_, _| ());
        self.ask(STATION, |scheme, cx| scheme.on_sent(cx, packet, NodeId(0)));
        self.coming.push_back(packet);
    }

    /// The first ACK that was to come later comes to the MAC.
    pub fn comes(&mut self) {
        let packet = self.coming.pop_front().expect("an ACK is on its way");
        self.hand_down(packet);
    }

    fn made_ack(&mut self, flow: u16, segments: u32, change: impl FnOnce(&mut TcpHeader, &mut Payload)) -> PacketId {
        let millis = (self.now - Instant::ZERO).as_micros_floor() / 1000;
        let mut header = header(station_ports(flow), STATION_SEQ, FIRST.wrapping_add(SEGMENT * segments));
        header.window = self.window;
        header.options.timestamps = self.stamps.then_some((millis as u32, segments));
        let mut payload = Payload::EMPTY;
        change(&mut header, &mut payload);
        let packet = self.packet(STATION, header, payload);
        self.pool.insert(packet)
    }

    /// The station's MAC gets a packet, and queues it unless the client keeps or swallows it.
    fn hand_down(&mut self, packet: PacketId) {
        let handle = self.nodes[STATION].handle();
        let mut options = sent_by(STATION);
        match self.ask(STATION, |scheme, cx| scheme.on_outgoing(cx, packet, handle, &mut options)) {
            Verdict::Pass => self.nodes[STATION].queue.0.push_back((handle, packet, options)),
            Verdict::Hold => {}
            Verdict::Swallow => self.pool.release(packet),
            Verdict::Replace(_) => panic!("no ACK is rewritten"),
        }
    }

    /// The station's first frames go on the air, arrive, and are answered or not.
    pub fn natives(&mut self, count: usize, air: Air) -> Sent {
        let sent = self.launch_natives(count);
        self.land(&sent);
        if air == Air::Clear {
            self.deliver(&sent);
        }
        sent
    }

    /// The station's first frames go on the air.
    pub fn launch_natives(&mut self, count: usize) -> Sent {
        let frames: Vec<_> = self.nodes[STATION].queue.0.drain(..count).collect();
        let mpdus = frames.into_iter().map(|frame| self.sequenced(STATION, frame)).collect();
        self.launch(STATION, mpdus)
    }

    /// Frames of the station's arrive, and go up.
    pub fn land(&mut self, sent: &Sent) {
        self.arrive(sent);
        self.rise(sent);
    }

    /// Frames of the station's leave the AP's reorder buffer.
    pub fn rise(&mut self, sent: &Sent) {
        for mpdu in &sent.mpdus {
            self.pool.retain(mpdu.packet);
            let verdict = self.ask(AP, |scheme, cx| scheme.on_upward(cx, mpdu.packet, NodeId(1)));
            if verdict == Verdict::Pass {
                self.wire.push(self.pool.get(mpdu.packet).clone());
                self.pool.release(mpdu.packet);
            }
        }
    }

    /// Frames of the station's are acknowledged, and gone.
    pub fn deliver(&mut self, sent: &Sent) {
        self.acknowledge(sent);
        self.let_go(sent);
    }

    /// Frames of the station's are acknowledged; the AP's reorder buffer has them yet.
    pub fn acknowledge(&mut self, sent: &Sent) {
        for mpdu in &sent.mpdus {
            self.ask(STATION, |scheme, cx| scheme.on_delivered(cx, mpdu));
        }
    }

    /// Nobody needs these frames any more.
    pub fn let_go(&mut self, sent: &Sent) {
        sent.mpdus.iter().for_each(|mpdu| self.pool.release(mpdu.packet));
    }

    /// The station's queue drops its last frame.
    pub fn drop_last(&mut self) {
        let (handle, packet, _) = self.nodes[STATION].queue.0.pop_back().expect("a frame is queued");
        self.ask(STATION, |scheme, cx| scheme.on_dropped(cx, handle));
        self.pool.release(packet);
    }

    /// A frame leaves the station's queue without a word to the scheme.
    pub fn lose_last(&mut self) {
        let (_, packet, _) = self.nodes[STATION].queue.0.pop_back().expect("a frame is queued");
        self.pool.release(packet);
    }

    fn next_data(&mut self, flow: u16, segment: u32, change: impl Fn(&mut TcpHeader)) -> Mpdu {
        let (station, server) = station_ports(flow);
        let mut header = header((server, station), FIRST.wrapping_add(SEGMENT * segment), STATION_SEQ);
        header.options.timestamps = self.stamps.then_some((5000 + segment, 0));
        change(&mut header);
        let packet = self.packet(AP, header, Payload::Length(SEGMENT));
        let (packet, handle) = (self.pool.insert(packet), self.nodes[AP].handle());
        let mut options = sent_by(AP);
        let verdict = self.ask(AP, |scheme, cx| scheme.on_outgoing(cx, packet, handle, &mut options));
        assert_eq!(verdict, Verdict::Pass);
        self.sequenced(AP, (handle, packet, options))
    }

    fn sequenced(&mut self, node: usize, frame: (FrameHandle, PacketId, SendOptions)) -> Mpdu {
        let state = &mut self.nodes[node];
        let seq = MacSeq::new(state.next_seq);
        state.next_seq = (state.next_seq + 1) % MacSeq::MODULUS;
        let mpdu = mpdu(&self.pool, NodeId(node as u16), frame, seq);
        self.ask(node, |scheme, cx| scheme.on_sequenced(cx, &mpdu));
        mpdu
    }

    fn launch(&mut self, from: usize, mpdus: Vec<Mpdu>) -> Sent {
        let (to, mut bits) = (NodeId(1 - from as u16), HeaderBits::default());
        let queued = Backlog { packets: if from == AP { self.backlog } else { 0 } };
        self.ask(from, |scheme, cx| scheme.on_ppdu_out(cx, to, queued, &mut bits));
        Sent { from, mpdus, bits }
    }

    fn answer_as(&mut self, kind: AnswerKind, mpdus: &[Mpdu], air: Air) -> Option<Tag> {
        let len = if kind == AnswerKind::Ack { ACK_LEN } else { BLOCK_ACK_LEN };
        let rate = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
        let (due, mut answer) = (AnswerDue { to: NodeId(0), kind, rate, len }, Answer::default());
        self.ask(STATION, |scheme, cx| scheme.on_answer_due(cx, &due, &mut answer, &mut Duration::default()));
        if air == Air::AnswerLost {
            self.ask(AP, |scheme, cx| scheme.on_answer_missing(cx, NodeId(1)));
            return answer.tag;
        }
        self.ask(AP, |scheme, cx| scheme.on_answer(cx, NodeId(1), &answer, Duration::ZERO));
        for mpdu in mpdus {
            self.ask(AP, |scheme, cx| scheme.on_delivered(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
        answer.tag
    }

    fn ask<R>(&mut self, node: usize, question: impl FnOnce(&mut ArqProxy, &mut Context<'_>) -> R) -> R {
        let peers = [Peer { capable: self.capable, answer_delay: Duration::ZERO }; 2];
        let mut emissions = Vec::new();
        let Node { scheme, queue, .. } = &mut self.nodes[node];
        let mut cx = Context::new(self.now, NodeId(node as u16), &mut self.pool, &peers, queue, &mut emissions);
        let answer = question(scheme, &mut cx);
        for emission in emissions {
            match emission {
                Emission::Onward(packet, from) => {
                    assert_eq!((node, from), (AP, NodeId(1)), "an ACK is released in the name of the station");
                    self.wire.push(self.pool.get(packet).clone());
                    self.pool.release(packet);
                }
                Emission::Queue(packet, options) => {
                    let handle = self.nodes[node].handle();
                    self.nodes[node].queue.0.push_back((handle, packet, options));
                }
                Emission::Local(_) => panic!("an AP has no transport"),
            }
        }
        answer
    }

    fn packet(&self, from: usize, header: TcpHeader, payload: Payload) -> Packet {
        let (station, server) = if self.ipv6 {
            ([0xfd00, 0, 0, 0, 0, 0, 0, 1].into(), [0xfd01, 0, 0, 0, 0, 0, 0, 1].into())
        } else {
            ([10, 0, 0, 1].into(), [10, 1, 0, 1].into())
        };
        let (src, dst) = if from == STATION { (station, server) } else { (server, station) };
        let ip = IpHeader::between(src, dst).expect("both are of one family");
        Packet { ip, transport: Transport::Tcp(header), payload }
    }
}

impl Node {
    fn handle(&mut self) -> FrameHandle {
        self.next_handle += 1;
        FrameHandle(self.next_handle)
    }
}

/// The TCP header of a packet.
pub fn tcp(packet: &Packet) -> &TcpHeader {
    packet.tcp().expect("all packets here are TCP")
}

fn station_ports(flow: u16) -> (u16, u16) {
    (20_000 + flow, 80)
}

fn header((src, dst): (u16, u16), seq: u32, ack: u32) -> TcpHeader {
    let (seq, ack) = (SeqNumber(seq), SeqNumber(ack));
    TcpHeader { flags: TcpFlags::ACK, seq, ack, ..TcpHeader::new(src, dst) }
}

/// The first sequence number of the data: all numbers wrap soon.
const FIRST: u32 = u32::MAX - 2500;
/// The sequence number that the station has reached.
pub const STATION_SEQ: u32 = 77;

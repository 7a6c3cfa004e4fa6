//! A server, an AP and a station with the agent on both, and a MAC and a host that do what the script says.

use ackless_dot11::frame::{ACK_LEN, Answer, BLOCK_ACK_LEN, FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{
    Admission, AnswerDue, AnswerKind, Arrival, ArrivalKind, Context, Emission, Peer, Scheme, SendOptions, Verdict,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_schemes::agent::{Agent, AgentConfig, AgentCounters, Solution};
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{
    Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use crate::testing::frames::{mpdu, sent_by};
use crate::testing::queue::Queue;

pub const AP: usize = 0;
pub const STATION: usize = 1;
/// The bytes of a segment.
pub const SEGMENT: u32 = 1_000;
/// The client's window field, and by how much it is scaled: 64,000 bytes.
pub const WINDOW: u16 = 500;
const SCALE: u8 = 7;

/// What the script plays with.
pub struct Pair {
    nodes: [Node; 2],
    pool: PacketPool,
    now: Instant,
    peer: Peer,
    /// The number of the AP that the station talks to.
    ap: NodeId,
    /// The addresses of the station and of the server.
    addresses: [std::net::IpAddr; 2],
    /// The sequence number before the server's first byte.
    first: SeqNumber,
    /// Frames that the station has taken in, by MAC sequence number.
    taken: Vec<u16>,
    /// Frames in its reorder buffer.
    held_back: Vec<Mpdu>,
    /// What has left for the server.
    wire: Vec<TcpHeader>,
    /// What was handed up again, or made for the station's TCP.
    again: Vec<TcpHeader>,
}

struct Node {
    agent: Agent,
    queue: Queue,
    handles: u32,
    next_seq: u16,
}

/// The buffer of the first solution.
pub const fn buffer(packets: u16) -> AgentConfig {
    AgentConfig::of(Solution::Buffer { packets, again: Duration::from_millis(200) })
}

/// The flag of the second.
pub const fn flag() -> AgentConfig {
    AgentConfig::of(Solution::Flag { extra_sifs: Duration::from_micros(50) })
}

impl Pair {
    /// Nothing has happened yet.
    pub fn new(config: AgentConfig) -> Self {
        let node = |agent| Node { agent, queue: Queue::default(), handles: 0, next_seq: 0 };
        Self {
            nodes: [node(Agent::at_ap(config)), node(Agent::new(config))],
            pool: PacketPool::default(),
            now: Instant::from_millis(5),
            peer: Peer { capable: true, answer_delay: Duration::ZERO },
            ap: NodeId(0),
            addresses: [[10, 0, 0, 1].into(), [10, 1, 0, 1].into()],
            // The stream's numbers wrap in its fourth segment.
            first: SeqNumber(u32::MAX - 3_500),
            taken: Vec::new(),
            held_back: Vec::new(),
            wire: Vec::new(),
            again: Vec::new(),
        }
    }

    /// A connection is open, and what opened it has left for the server.
    pub fn connected(config: AgentConfig) -> Self {
        let mut pair = Self::new(config);
        pair.connect();
        pair
    }

    /// The same over IPv6.
    pub fn connected_v6(config: AgentConfig) -> Self {
        let mut pair = Self::new(config);
        pair.addresses = [[0xfd00, 0, 0, 0, 0, 0, 0, 1].into(), [0xfd01, 0, 0, 0, 0, 0, 0, 1].into()];
        pair.connect();
        pair
    }

    /// The nodes do not know of each other's agent.
    pub fn connected_legacy(config: AgentConfig) -> Self {
        let mut pair = Self::new(config);
        pair.peer.capable = false;
        pair.connect();
        pair
    }

    /// The station opens a connection: SYN, SYN and ACK, ACK.
    pub fn connect(&mut self) {
        let syn = |tcp: &mut TcpHeader| {
            (tcp.flags, tcp.seq, tcp.options.window_scale) = (TcpFlags::SYN, tcp.seq - 1, Some(SCALE));
        };
        self.hand_down(syn, 0);
        self.natives();
        let answer = self.segment_with(
            |tcp| {
                syn(tcp);
                tcp.flags |= TcpFlags::ACK;
            },
            0,
            0,
        );
        self.exchange(&answer);
        assert_eq!(self.ack(0), Verdict::Pass, "the first ACK is native");
        self.natives();
        self.wire.clear();
    }

    /// Like [`Self::connected`], and a first data segment with its native ACK, which the AP is known to have.
    pub fn flowing(config: AgentConfig) -> Self {
        let mut pair = Self::connected(config);
        let data = pair.data(0);
        pair.exchange(&data);
        pair.ack(1);
        pair.natives();
        pair.wire.clear();
        pair
    }

    pub fn counters(&self, node: usize) -> &AgentCounters {
        self.nodes[node].agent.counters()
    }

    /// The acknowledgement numbers that have left for the server since the last time, in segments.
    pub fn wire(&mut self) -> Vec<u32> {
        let first = self.first;
        self.wire_headers().iter().map(|tcp| (tcp.ack - first) / SEGMENT).collect()
    }

    /// The whole headers.
    pub fn wire_headers(&mut self) -> Vec<TcpHeader> {
        std::mem::take(&mut self.wire)
    }

    /// The segments that were handed up again since the last time.
    pub fn handed_up(&mut self) -> Vec<u32> {
        let first = self.first;
        self.handed_headers().iter().map(|tcp| (tcp.seq - first) / SEGMENT).collect()
    }

    /// The whole headers.
    pub fn handed_headers(&mut self) -> Vec<TcpHeader> {
        std::mem::take(&mut self.again)
    }

    /// The segment that begins with this byte of the server's.
    pub fn segment_at(&self, seq: SeqNumber) -> u32 {
        (seq - self.first) / SEGMENT
    }

    /// How many frames wait in the station's queue.
    pub fn queued(&self) -> usize {
        self.nodes[STATION].queue.0.len()
    }

    /// How many packets somebody holds, beside the queue and `on_air`.
    pub fn held(&self, on_air: usize) -> usize {
        self.pool.live() - self.queued() - on_air
    }

    /// Time passes, and timers that are due fire, each at its time.
    pub fn pass_time(&mut self, span: Duration) {
        let end = self.now + span;
        while let Some(at) = self.nodes[STATION].agent.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.ask(STATION, |agent, cx| agent.on_timer(cx));
        }
        self.now = end;
    }

    /// The AP starts anew.
    pub fn forget(&mut self) {
        self.nodes[AP].agent.start_anew(&mut self.pool);
    }

    /// The station moves to another AP, which knows nothing.
    pub fn roam(&mut self) {
        self.forget();
        self.ap = NodeId(2);
    }

    /// The station leaves, its MAC and its TCP: what it has queued and kept is gone. The next one on its address knows nothing.
    pub fn depart(&mut self) {
        let Node { agent, queue, .. } = &mut self.nodes[STATION];
        agent.start_anew(&mut self.pool);
        queue.0.drain(..).for_each(|(_, packet, _)| self.pool.release(packet));
    }

    /// The server's segment `n` is on the air.
    pub fn data(&mut self, n: u32) -> Mpdu {
        self.segment_with(|_| (), n, SEGMENT)
    }

    /// The same with another header.
    pub fn segment_with(&mut self, change: impl FnOnce(&mut TcpHeader), n: u32, len: u32) -> Mpdu {
        let mut tcp = TcpHeader::new(80, 20_000);
        tcp.flags = TcpFlags::ACK;
        (tcp.seq, tcp.ack) = (self.first + n * SEGMENT, SeqNumber(7_001));
        tcp.options.timestamps = Some((1_000 + n, 0));
        change(&mut tcp);
        let packet = self.packet(AP, tcp, len);
        let handle = self.nodes[AP].handle();
        let mut options = sent_by(AP);
        let verdict = self.ask(AP, |agent, cx| agent.on_outgoing(cx, packet, handle, &mut options));
        assert_eq!(verdict, Verdict::Pass);
        self.sequenced(AP, (handle, packet, options))
    }

    /// The frame arrives and goes up, the host is silent, and the MAC ACK arrives.
    pub fn exchange(&mut self, mpdu: &Mpdu) {
        assert_eq!(self.arrive(&[*mpdu]), [Admission::Accept]);
        self.answer(&[*mpdu]);
    }

    /// A PPDU of these arrives. What is new goes up.
    pub fn arrive(&mut self, mpdus: &[Mpdu]) -> Vec<Admission> {
        let kind = match mpdus {
            [only] => ArrivalKind::Single(only.seq),
            _ => ArrivalKind::Aggregate(mpdus.len() as u16),
        };
        self.ppdu_in(kind);
        let admissions: Vec<_> = mpdus.iter().map(|mpdu| self.admit(mpdu)).collect();
        let accepted = admissions.iter().zip(mpdus).filter(|(admission, _)| **admission == Admission::Accept);
        for (_, mpdu) in accepted {
            self.go_up(mpdu);
        }
        for mpdu in std::mem::take(&mut self.held_back) {
            self.go_up(&mpdu);
            self.pool.release(mpdu.packet);
        }
        admissions
    }

    /// A PPDU of these arrives; `held` ones stay in the reorder buffer for now, and go up with the next PPDU.
    pub fn arrive_held(&mut self, mpdus: &[Mpdu], held: &[Mpdu]) {
        if !mpdus.is_empty() {
            self.arrive(mpdus);
        }
        for mpdu in held {
            assert_eq!(self.admit(mpdu), Admission::Accept);
            self.pool.retain(mpdu.packet);
            self.held_back.push(*mpdu);
        }
    }

    /// A BlockAck Request arrives.
    pub fn request(&mut self) {
        self.ppdu_in(ArrivalKind::BlockAckReq);
    }

    fn ppdu_in(&mut self, kind: ArrivalKind) {
        let arrival = Arrival { from: self.ap, bits: HeaderBits::default(), kind };
        self.ask(STATION, |agent, cx| agent.on_ppdu_in(cx, &arrival));
    }

    fn admit(&mut self, mpdu: &Mpdu) -> Admission {
        self.ask(STATION, |agent, cx| agent.on_mpdu(cx, mpdu))
    }

    fn go_up(&mut self, mpdu: &Mpdu) {
        if !self.taken.contains(&mpdu.seq.get()) {
            self.taken.push(mpdu.seq.get());
            self.pool.retain(mpdu.packet);
            let verdict = self.ask(STATION, |agent, cx| agent.on_upward(cx, mpdu.packet, mpdu.transmitter));
            assert_eq!(verdict, Verdict::Pass);
            self.pool.release(mpdu.packet);
        }
    }

    /// The station answers, and the answer, which settles these, arrives. Returns whether it bore the flag.
    pub fn answer(&mut self, mpdus: &[Mpdu]) -> bool {
        let flagged = self.answer_lost();
        let answer = Answer { agent: flagged, ..Answer::default() };
        self.ask(AP, |agent, cx| agent.on_answer(cx, NodeId(1), &answer, Duration::ZERO));
        for mpdu in mpdus {
            self.ask(AP, |agent, cx| agent.on_delivered(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
        flagged
    }

    /// The station answers, and the answer does not arrive. Returns whether it bore the flag.
    pub fn answer_lost(&mut self) -> bool {
        let rate = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
        let len = ACK_LEN.max(BLOCK_ACK_LEN);
        let due = AnswerDue { to: self.ap, kind: AnswerKind::Ack, rate, len };
        let mut answer = Answer::default();
        self.ask(STATION, |agent, cx| agent.on_answer_due(cx, &due, &mut answer, &mut Duration::default()));
        self.ask(AP, |agent, cx| agent.on_answer_missing(cx, NodeId(1)));
        answer.agent
    }

    /// The AP gives a frame up.
    pub fn give_up(&mut self, mpdu: &Mpdu) {
        self.ask(AP, |agent, cx| agent.on_given_up(cx, mpdu));
        self.pool.release(mpdu.packet);
    }

    /// The station's TCP acknowledges so many segments.
    pub fn ack(&mut self, segments: u32) -> Verdict {
        self.ack_with(segments, |_| ())
    }

    /// The same with another header.
    pub fn ack_with(&mut self, segments: u32, change: impl FnOnce(&mut TcpHeader)) -> Verdict {
        let first = self.first;
        self.hand_down(
            |tcp| {
                tcp.ack = first + segments * SEGMENT;
                change(tcp);
            },
            0,
        )
    }

    /// The station's TCP hands down a segment, by default an ACK of the first byte.
    pub fn hand_down(&mut self, change: impl FnOnce(&mut TcpHeader), len: u32) -> Verdict {
        let mut tcp = TcpHeader::new(20_000, 80);
        (tcp.flags, tcp.window, tcp.ack) = (TcpFlags::ACK, WINDOW, self.first);
        tcp.seq = SeqNumber(7_001);
        tcp.options.timestamps = Some((self.millis(), 0));
        change(&mut tcp);
        let packet = self.packet(STATION, tcp, len);
        let handle = self.nodes[STATION].handle();
        let mut options = sent_by(STATION);
        // The packet is queued before what the scheme emits meanwhile.
        let mut emissions = Vec::new();
        let Node { agent, queue, .. } = &mut self.nodes[STATION];
        let peers = [self.peer; 3];
        let mut cx = Context::new(self.now, NodeId(1), &mut self.pool, &peers, queue, &mut emissions);
        let verdict = agent.on_outgoing(&mut cx, packet, handle, &mut options);
        match verdict {
            Verdict::Pass => queue.0.push_back((handle, packet, options)),
            Verdict::Swallow => self.pool.release(packet),
            other => panic!("the agent neither holds nor replaces what its TCP sends: {other:?}"),
        }
        self.carry(STATION, emissions);
        verdict
    }

    /// All frames of the station's queue arrive at the AP, and are known to have.
    pub fn natives(&mut self) {
        while self.queued() > 0 {
            let mpdu = self.launch_native();
            self.land_native(&mpdu);
        }
    }

    /// The first frame of the station's queue goes on the air.
    pub fn launch_native(&mut self) -> Mpdu {
        let frame = self.nodes[STATION].queue.0.pop_front().expect("a frame is queued");
        self.sequenced(STATION, frame)
    }

    /// It arrives.
    pub fn land_native(&mut self, mpdu: &Mpdu) {
        assert_eq!(self.ask(AP, |agent, cx| agent.on_mpdu(cx, mpdu)), Admission::Accept);
        self.rise(mpdu);
        self.deliver(mpdu);
    }

    /// The AP's MAC has acknowledged it, but keeps it behind a hole until [`Self::rise_now`].
    pub fn rise_later(&mut self, mpdu: &Mpdu) {
        self.pool.retain(mpdu.packet);
        self.deliver(mpdu);
    }

    /// The hole is closed.
    pub fn rise_now(&mut self, mpdu: &Mpdu) {
        self.rise(mpdu);
        self.pool.release(mpdu.packet);
    }

    fn deliver(&mut self, mpdu: &Mpdu) {
        self.ask(STATION, |agent, cx| agent.on_delivered(cx, mpdu));
        self.pool.release(mpdu.packet);
    }

    fn rise(&mut self, mpdu: &Mpdu) {
        self.pool.retain(mpdu.packet);
        match self.ask(AP, |agent, cx| agent.on_upward(cx, mpdu.packet, NodeId(1))) {
            Verdict::Pass => self.leave(mpdu.packet),
            Verdict::Swallow => self.pool.release(mpdu.packet),
            Verdict::Replace(other) => {
                self.pool.release(mpdu.packet);
                self.leave(other);
            }
            Verdict::Hold => panic!("the agent holds nothing"),
        }
    }

    /// The station's first frame is dropped from its queue.
    pub fn drop_native(&mut self) {
        let (handle, packet, _) = self.nodes[STATION].queue.0.pop_front().expect("a frame is queued");
        self.ask(STATION, |agent, cx| agent.on_dropped(cx, handle));
        self.pool.release(packet);
    }

    fn millis(&self) -> u32 {
        (self.now - Instant::ZERO).as_nanos().div_euclid(1_000_000) as u32
    }

    fn leave(&mut self, packet: PacketId) {
        let tcp = *self.pool.get(packet).tcp().expect("the script has TCP only");
        self.wire.push(tcp);
        self.pool.release(packet);
    }

    fn packet(&mut self, from: usize, tcp: TcpHeader, len: u32) -> PacketId {
        let [station, server] = self.addresses;
        let (src, dst) = if from == STATION { (station, server) } else { (server, station) };
        let ip = IpHeader::between(src, dst).expect("both are of one family");
        self.pool.insert(Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(len) })
    }

    fn sequenced(&mut self, node: usize, frame: (FrameHandle, PacketId, SendOptions)) -> Mpdu {
        let seq = MacSeq::new(self.nodes[node].next_seq);
        self.nodes[node].next_seq += 1;
        let transmitter = if node == AP { self.ap } else { NodeId(1) };
        let mpdu = mpdu(&self.pool, transmitter, frame, seq);
        self.ask(node, |agent, cx| agent.on_sequenced(cx, &mpdu));
        mpdu
    }

    fn ask<R>(&mut self, node: usize, question: impl FnOnce(&mut Agent, &mut Context<'_>) -> R) -> R {
        let (peers, mut emissions) = ([self.peer; 3], Vec::new());
        let own = if node == AP { self.ap } else { NodeId(1) };
        let Node { agent, queue, .. } = &mut self.nodes[node];
        let mut cx = Context::new(self.now, own, &mut self.pool, &peers, queue, &mut emissions);
        let answer = question(agent, &mut cx);
        self.carry(node, emissions);
        answer
    }

    fn carry(&mut self, node: usize, emissions: Vec<Emission>) {
        for emission in emissions {
            match emission {
                Emission::Onward(packet, from) if node == AP => {
                    assert_eq!(from, NodeId(1));
                    self.leave(packet);
                }
                Emission::Onward(packet, _) => {
                    let tcp = *self.pool.get(packet).tcp().expect("the script has TCP only");
                    self.again.push(tcp);
                    self.pool.release(packet);
                }
                Emission::Queue(packet, options) => {
                    let handle = self.nodes[node].handle();
                    self.nodes[node].queue.0.push_back((handle, packet, options));
                }
                Emission::Local(_) => panic!("what goes up goes the usual way"),
            }
        }
    }
}

impl Node {
    fn handle(&mut self) -> FrameHandle {
        self.handles += 1;
        FrameHandle(self.handles)
    }
}

/// The frame once more.
pub fn again(mpdu: &Mpdu) -> Mpdu {
    Mpdu { retry: true, ..*mpdu }
}

/// SACK blocks of these segments, from the first one up to the second.
pub fn sack(pair: &Pair, blocks: &[(u32, u32)]) -> SackBlocks {
    let place = |segment| pair.first + segment * SEGMENT;
    let blocks: Vec<_> = blocks.iter().map(|&(from, to)| (place(from), place(to))).collect();
    SackBlocks::from_slice(&blocks)
}

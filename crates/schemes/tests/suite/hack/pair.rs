//! A station and an AP with HACK, a MAC that does what the script says, and the wire behind the AP.

use ackless_dot11::frame::{ACK_LEN, Answer, BLOCK_ACK_LEN, FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{
    AnswerDue, AnswerKind, Arrival, ArrivalKind, Backlog, Context, Emission, Peer, Scheme, SendOptions, Verdict,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_rohc::hack::{Ack, Cid, Codec, Compressor, FiveTuple, FrameWriter};
use ackless_schemes::hack::{Hack, HackConfig, HackCounters};
use ackless_schemes::testing::identification;
use ackless_wire::tcp::Checksum;
use ackless_wire::{
    Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use crate::testing::frames::{mpdu, sent_by};
use crate::testing::queue::Queue;

/// The AP and the station.
pub const AP: usize = 0;
pub const STATION: usize = 1;

/// Two nodes, and what has come out at the AP's wire.
pub struct Pair {
    nodes: [Node; 2],
    pool: PacketPool,
    now: Instant,
    /// The ACKs on the wire, in order.
    wire: Vec<Packet>,
    next_id: u16,
    /// How far each flow's data has been forwarded, in segments.
    forwarded: u32,
    /// What its timestamps echo.
    echo: u32,
    /// From when an answer is due at the station to when the AP has it.
    answer_lasts: Duration,
    /// What the station's last answer had appended: anybody can hear it.
    pub overheard: Vec<u8>,
}

struct Node {
    hack: Hack,
    queue: Queue,
    next_handle: u32,
    next_seq: u16,
}

/// MPDUs on the air, and the bits in their headers.
#[derive(Clone)]
pub struct Sent {
    from: usize,
    mpdus: Vec<Mpdu>,
    pub bits: HeaderBits,
}

/// What becomes of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Air {
    /// All arrives.
    Clear,
    /// The PPDU does not arrive, so that no answer is sent.
    PpduLost,
    /// The answer does not arrive.
    AnswerLost,
}

impl Pair {
    pub fn new(config: HackConfig) -> Self {
        let node = || Node { hack: Hack::new(config), queue: Queue::default(), next_handle: 0, next_seq: 0 };
        Self {
            nodes: [node(), node()],
            pool: PacketPool::default(),
            now: Instant::from_millis(1),
            wire: Vec::new(),
            next_id: 1,
            forwarded: 0,
            echo: 0,
            answer_lasts: Duration::ZERO,
            overheard: Vec::new(),
        }
    }

    /// A pair whose flow 0 has its context: one native ACK delivered, and then a data PPDU with MORE DATA.
    pub fn with_context(config: HackConfig, mpdus: usize) -> Self {
        let mut pair = Self::new(config);
        let first = pair.data(mpdus, false);
        pair.exchange(&first, Air::Clear);
        pair.ack(0);
        pair.natives(1, Air::Clear);
        let second = pair.data(mpdus, true);
        pair.exchange(&second, Air::Clear);
        assert_eq!((pair.wire.len(), pair.queued()), (1, 0));
        pair
    }

    /// The AP begins anew, as after a restart; the station does not notice.
    pub fn forget_contexts(&mut self) {
        let config = *self.nodes[AP].hack.config();
        self.nodes[AP].hack = Hack::new(config);
    }

    pub fn counters(&self, node: usize) -> &HackCounters {
        self.nodes[node].hack.counters()
    }

    /// The packets that have come out at the wire since the last time.
    pub fn packets(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.wire)
    }

    /// Their identifications.
    pub fn wire(&mut self) -> Vec<u16> {
        self.packets().iter().map(identification).collect()
    }

    /// The packets that wait in the AP's queue.
    pub fn queued_at_ap(&self) -> Vec<Packet> {
        self.nodes[AP].queue.0.iter().map(|(_, packet, _)| self.pool.get(*packet).clone()).collect()
    }

    /// How many frames wait in the station's queue.
    pub fn queued(&self) -> usize {
        self.nodes[STATION].queue.0.len()
    }

    /// The station's answers take so long on the air from now on; at first, no time.
    pub fn answer_lasts(&mut self, span: Duration) {
        self.answer_lasts = span;
    }

    /// How many packets somebody holds.
    pub fn held(&self) -> usize {
        self.pool.live() - self.queued()
    }

    pub fn pass_time(&mut self, span: Duration) {
        self.now += span;
        for node in [AP, STATION] {
            if self.nodes[node].hack.poll_timeout().is_some_and(|at| at <= self.now) {
                self.ask(node, |hack, cx| hack.on_timer(cx));
            }
        }
    }

    /// The station's TCP acknowledges all that was forwarded. Returns the ACK's identification.
    pub fn ack(&mut self, flow: u16) -> u16 {
        self.ack_number(flow, self.forwarded)
    }

    /// The station's TCP acknowledges so many segments.
    pub fn ack_number(&mut self, flow: u16, segments: u32) -> u16 {
        self.ack_echoing(flow, segments, segments)
    }

    /// The station's TCP acknowledges so many segments, and echoes the timestamp of the one with number `echo`.
    pub fn ack_echoing(&mut self, flow: u16, segments: u32, echo: u32) -> u16 {
        let id = self.next_id;
        self.next_id += 1;
        let mut tcp = tcp_header(station_ports(flow), 5000, past(segments));
        tcp.options.timestamps = Some((u32::from(id), echo));
        self.hand_over(STATION, packet(STATION, id, tcp, 0));
        id
    }

    /// The server, which sends the data, has something to acknowledge, too: so many bytes of none, and it echoes the station's ACK `echo`. Returns the ACK's identification.
    pub fn server_ack(&mut self, flow: u16, echo: u16) -> u16 {
        let id = self.next_id;
        self.next_id += 1;
        let (station, server) = station_ports(flow);
        let mut tcp = tcp_header((server, station), past(self.forwarded), 5000);
        tcp.options.timestamps = Some((self.forwarded, u32::from(echo)));
        self.hand_over(AP, packet(AP, id, tcp, 0));
        id
    }

    /// What waits in the AP's queue goes on the air.
    pub fn launch_from_ap(&mut self) -> Sent {
        let frames: Vec<_> = self.nodes[AP].queue.0.drain(..).collect();
        let mpdus = frames.into_iter().map(|frame| self.sequenced(AP, frame)).collect();
        self.put_on_air(AP, mpdus, 0)
    }

    /// The station's TCP acknowledges all that was forwarded, with a wrong TCP checksum.
    pub fn wrong_ack(&mut self, flow: u16) -> u16 {
        let id = self.next_id;
        self.next_id += 1;
        let mut tcp = tcp_header(station_ports(flow), 5000, past(self.forwarded));
        tcp.checksum = Checksum::Wrong(0xbad);
        self.hand_over(STATION, packet(STATION, id, tcp, 0));
        id
    }

    /// The station's next connection between the same addresses and ports, whose timestamps begin elsewhere (RFC 7323, 5.4): so far behind those of the last one.
    pub fn syn(&mut self, flow: u16, behind: u16) {
        self.next_id = self.next_id.wrapping_sub(behind);
        self.segment(flow, TcpFlags::SYN, 0);
    }

    /// The station sends something else on the connection.
    pub fn segment(&mut self, flow: u16, flags: TcpFlags, len: u32) -> u16 {
        let id = self.next_id;
        self.next_id += 1;
        let mut tcp = tcp_header(station_ports(flow), 5000, past(self.forwarded));
        tcp.flags = flags;
        self.hand_over(STATION, packet(STATION, id, tcp, len));
        id
    }

    /// Time enough for the NIC to have all that was posted.
    pub fn transfer(&mut self) {
        self.pass_time(Duration::from_micros(50));
    }

    /// The AP sends data of flow 0: a PPDU of so many new MPDUs, with or without more behind it.
    pub fn data(&mut self, mpdus: usize, more: bool) -> Sent {
        let frames = (0..mpdus).map(|_| self.next_data(0)).collect();
        self.put_on_air(AP, frames, usize::from(more))
    }

    /// A PPDU of so many new MPDUs, with so many packets left behind it.
    pub fn data_before(&mut self, mpdus: usize, remain: usize) -> Sent {
        let frames = (0..mpdus).map(|_| self.next_data(0)).collect();
        self.put_on_air(AP, frames, remain)
    }

    /// A PPDU of the AP whose timestamps echo the station's last ACK.
    pub fn echoing_data(&mut self, mpdus: usize, more: bool) -> Sent {
        self.echo = u32::from(self.next_id - 1);
        let sent = self.data(mpdus, more);
        self.echo = 0;
        sent
    }

    /// The AP sends an MPDU of data of each of these flows.
    pub fn data_of(&mut self, flows: &[u16], more: bool) -> Sent {
        let frames = flows.iter().map(|&flow| self.next_data(flow)).collect();
        self.put_on_air(AP, frames, usize::from(more))
    }

    /// The same MPDUs again, with new ones behind them.
    pub fn again(&mut self, sent: &Sent, new: usize, more: bool) -> Sent {
        let mut mpdus: Vec<_> = sent.mpdus.iter().map(|mpdu| Mpdu { retry: true, ..*mpdu }).collect();
        mpdus.extend((0..new).map(|_| self.next_data(0)));
        self.put_on_air(sent.from, mpdus, usize::from(more))
    }

    /// An exchange of the AP's PPDU and its answer. Returns how many bytes were appended, if there was an answer.
    pub fn exchange(&mut self, sent: &Sent, air: Air) -> Option<usize> {
        self.pass_time(Duration::from_micros(100));
        if air == Air::PpduLost {
            self.ask(AP, |hack, cx| hack.on_answer_missing(cx, NodeId(1)));
            return None;
        }
        self.receive(sent, |_| true);
        let kind = if sent.mpdus.len() == 1 { AnswerKind::Ack } else { AnswerKind::BlockAck };
        Some(self.answer(kind, &sent.mpdus, air))
    }

    /// The same where the station can read only these MPDUs; the others stay outstanding.
    pub fn exchange_parts(&mut self, sent: &Sent, intact: impl Fn(usize) -> bool, air: Air) -> Option<usize> {
        self.pass_time(Duration::from_micros(100));
        let mpdus: Vec<_> = sent.mpdus.iter().enumerate().filter(|(n, _)| intact(*n)).map(|(_, mpdu)| *mpdu).collect();
        self.receive(sent, &intact);
        Some(self.answer(AnswerKind::BlockAck, &mpdus, air))
    }

    /// The AP asks for the BlockAck again. `acknowledged` is what that then settles.
    pub fn request(&mut self, acknowledged: &Sent, air: Air) -> Option<usize> {
        self.pass_time(Duration::from_micros(100));
        if air == Air::PpduLost {
            self.ask(AP, |hack, cx| hack.on_answer_missing(cx, NodeId(1)));
            return None;
        }
        let arrival = Arrival { from: NodeId(0), bits: HeaderBits::default(), kind: ArrivalKind::BlockAckReq };
        self.ask(STATION, |hack, cx| hack.on_ppdu_in(cx, &arrival));
        Some(self.answer(AnswerKind::BlockAck, &acknowledged.mpdus, air))
    }

    /// The AP gives these MPDUs up.
    pub fn give_up(&mut self, sent: &Sent) {
        for mpdu in &sent.mpdus {
            self.ask(sent.from, |hack, cx| hack.on_given_up(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
    }

    /// The station sends the first frames of its queue in one PPDU.
    pub fn natives(&mut self, mpdus: usize, air: Air) -> Sent {
        let sent = self.launch_natives(mpdus);
        self.land_natives(&sent, air);
        sent
    }

    /// The station's queued frames go on the air.
    pub fn launch_natives(&mut self, mpdus: usize) -> Sent {
        let frames: Vec<_> = self.nodes[STATION].queue.0.drain(..mpdus).collect();
        let mpdus = frames.into_iter().map(|frame| self.sequenced(STATION, frame)).collect();
        let queued = self.queued();
        self.put_on_air(STATION, mpdus, queued)
    }

    /// They arrive, or not; where the answer arrives they are delivered.
    pub fn land_natives(&mut self, sent: &Sent, air: Air) {
        self.pass_time(Duration::from_micros(100));
        if air != Air::PpduLost {
            self.receive(sent, |_| true);
            sent.mpdus.iter().for_each(|mpdu| self.rise(mpdu));
            let answer = self.answer_natives(sent);
            if air == Air::Clear {
                self.deliver_by(sent, &answer);
                return;
            }
        }
        self.ask(STATION, |hack, cx| hack.on_answer_missing(cx, NodeId(0)));
    }

    /// They arrive behind a hole: acknowledged, but kept in the reorder buffer until [`Self::rise_all`].
    pub fn land_behind_a_hole(&mut self, sent: &Sent) {
        self.receive(sent, |_| true);
        sent.mpdus.iter().for_each(|mpdu| self.pool.retain(mpdu.packet));
        let answer = self.answer_natives(sent);
        self.deliver_by(sent, &answer);
    }

    /// The AP's answer to the station's PPDU.
    fn answer_natives(&mut self, sent: &Sent) -> Answer {
        let kind = if sent.mpdus.len() == 1 { AnswerKind::Ack } else { AnswerKind::BlockAck };
        let (due, mut answer) = (due(NodeId(1), kind), Answer::default());
        self.ask(AP, |hack, cx| hack.on_answer_due(cx, &due, &mut answer, &mut Duration::default()));
        answer
    }

    /// The hole is filled.
    pub fn rise_all(&mut self, sent: &Sent) {
        for mpdu in &sent.mpdus {
            self.rise(mpdu);
            self.pool.release(mpdu.packet);
        }
    }

    /// An answer to the station's PPDU comes, a bare one.
    pub fn deliver(&mut self, sent: &Sent) {
        self.deliver_by(sent, &Answer::default());
    }

    fn deliver_by(&mut self, sent: &Sent, answer: &Answer) {
        self.ask(STATION, |hack, cx| hack.on_answer(cx, NodeId(0), answer, Duration::ZERO));
        for mpdu in &sent.mpdus {
            self.ask(STATION, |hack, cx| hack.on_delivered(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
    }

    /// The station's queue drops its first frame.
    pub fn drop_first(&mut self) {
        let (handle, packet, _) = self.nodes[STATION].queue.0.pop_front().expect("a frame is queued");
        self.ask(STATION, |hack, cx| hack.on_dropped(cx, handle));
        self.pool.release(packet);
    }

    /// Appended bytes arrive at the AP that no station sent.
    pub fn forge(&mut self, appended: Vec<u8>) {
        let answer = Answer { appended, ..Answer::default() };
        self.ask(AP, |hack, cx| hack.on_answer(cx, NodeId(1), &answer, Duration::ZERO));
    }

    /// The station's answer is jammed, and the AP hears this one in its place: it acknowledges the MPDUs, and these bytes are appended.
    pub fn exchange_forged(&mut self, sent: &Sent, appended: Vec<u8>) {
        self.exchange_damaged(sent, |bytes| *bytes = appended);
    }

    /// What the station's answer has appended is changed on its way, and no FCS tells.
    pub fn exchange_damaged(&mut self, sent: &Sent, damage: impl FnOnce(&mut Vec<u8>)) {
        self.pass_time(Duration::from_micros(100));
        self.receive(sent, |_| true);
        let (due, mut answer) = (due(NodeId(0), AnswerKind::BlockAck), Answer::default());
        self.ask(STATION, |hack, cx| hack.on_answer_due(cx, &due, &mut answer, &mut Duration::default()));
        self.overheard = answer.appended.clone();
        damage(&mut answer.appended);
        self.forge(answer.appended);
        for mpdu in &sent.mpdus {
            self.ask(AP, |hack, cx| hack.on_delivered(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
    }

    /// A segment of data is handed to the AP's MAC and waits there for good.
    pub fn queue_data(&mut self) {
        self.forwarded += 1;
        let packet = self.data_packet(0);
        let packet = self.pool.insert(packet);
        let handle = self.nodes[AP].handle();
        let verdict = self.ask(AP, |hack, cx| hack.on_outgoing(cx, packet, handle, &mut sent_by(AP)));
        assert_eq!(verdict, Verdict::Pass);
        self.pool.release(packet);
    }

    /// What somebody appends who has heard the station's native ACK `native` of flow 0 and nothing since: an ACK of so many segments.
    pub fn imitate(native: (u16, u32), segments: u32) -> Vec<u8> {
        let ack = |(id, segments): (u16, u32)| {
            let mut tcp = tcp_header(station_ports(0), 5000, past(segments));
            tcp.options.timestamps = Some((u32::from(id), segments));
            Ack::of(&packet(STATION, id, tcp, 0)).expect("a pure ACK")
        };
        let mut compressor = Compressor::default();
        compressor.install(&ack(native));
        let code = compressor.compress(&ack((native.0 + 1, segments))).expect("the next ACK of the flow");
        let mut bytes = Vec::new();
        FrameWriter::new(Codec::default(), &mut bytes, usize::MAX).run(Cid::of(&ack(native).flow()), [&code]);
        bytes
    }

    /// The data goes on so many segments further, which somebody else has forwarded.
    pub fn forward(&mut self, segments: u32) {
        self.forwarded = self.forwarded.wrapping_add(segments);
    }

    /// How far data has been forwarded, in segments.
    pub const fn forwarded(&self) -> u32 {
        self.forwarded
    }

    fn hand_over(&mut self, node: usize, packet: Packet) {
        let packet = self.pool.insert(packet);
        let handle = self.nodes[node].handle();
        let (verdict, _) = self.ask_then(
            node,
            |hack, cx| {
                let mut options = sent_by(node);
                (hack.on_outgoing(cx, packet, handle, &mut options), options)
            },
            |pair, (verdict, options)| {
                if *verdict == Verdict::Pass {
                    pair.nodes[node].queue.0.push_back((handle, packet, *options));
                }
            },
        );
        assert!(matches!(verdict, Verdict::Pass | Verdict::Hold));
    }

    fn next_data(&mut self, flow: u16) -> Mpdu {
        self.forwarded += 1;
        let packet = self.data_packet(flow);
        let packet = self.pool.insert(packet);
        let handle = self.nodes[AP].handle();
        let mut options = sent_by(AP);
        let verdict = self.ask(AP, |hack, cx| hack.on_outgoing(cx, packet, handle, &mut options));
        assert_eq!(verdict, Verdict::Pass);
        self.sequenced(AP, (handle, packet, options))
    }

    /// The segment up to which data is forwarded.
    fn data_packet(&self, flow: u16) -> Packet {
        let (station, server) = station_ports(flow);
        let mut tcp = tcp_header((server, station), past(self.forwarded - 1), 5000);
        tcp.options.timestamps = Some((self.forwarded, self.echo));
        packet(AP, 0, tcp, 1_000)
    }

    fn sequenced(&mut self, node: usize, frame: (FrameHandle, PacketId, SendOptions)) -> Mpdu {
        let state = &mut self.nodes[node];
        let seq = MacSeq::new(state.next_seq);
        state.next_seq += 1;
        let mpdu = mpdu(&self.pool, NodeId(node as u16), frame, seq);
        self.ask(node, |hack, cx| hack.on_sequenced(cx, &mpdu));
        mpdu
    }

    fn put_on_air(&mut self, from: usize, mpdus: Vec<Mpdu>, queued: usize) -> Sent {
        let mut bits = HeaderBits::default();
        let (to, backlog) = (NodeId(1 - from as u16), Backlog { packets: queued });
        self.ask(from, |hack, cx| hack.on_ppdu_out(cx, to, backlog, &mut bits));
        Sent { from, mpdus, bits }
    }

    fn receive(&mut self, sent: &Sent, intact: impl Fn(usize) -> bool) {
        let node = 1 - sent.from;
        let mpdus = sent.mpdus.iter().enumerate().filter(|(n, _)| intact(*n)).map(|(_, mpdu)| *mpdu);
        let mpdus: Vec<_> = mpdus.collect();
        let kind = match &sent.mpdus[..] {
            [only] => ArrivalKind::Single(only.seq),
            _ => ArrivalKind::Aggregate(mpdus.len() as u16),
        };
        let arrival = Arrival { from: NodeId(sent.from as u16), bits: sent.bits, kind };
        self.ask(node, |hack, cx| hack.on_ppdu_in(cx, &arrival));
        for mpdu in &mpdus {
            self.ask(node, |hack, cx| hack.on_mpdu(cx, mpdu));
        }
    }

    /// The station answers, and the AP settles these MPDUs where the answer arrives. Returns how many bytes were
    /// appended.
    fn answer(&mut self, kind: AnswerKind, mpdus: &[Mpdu], air: Air) -> usize {
        let (due, mut answer) = (due(NodeId(0), kind), Answer::default());
        self.ask(STATION, |hack, cx| hack.on_answer_due(cx, &due, &mut answer, &mut Duration::default()));
        self.overheard.clone_from(&answer.appended);
        self.now += self.answer_lasts;
        if air == Air::AnswerLost {
            self.ask(AP, |hack, cx| hack.on_answer_missing(cx, NodeId(1)));
            return answer.appended.len();
        }
        self.ask(AP, |hack, cx| hack.on_answer(cx, NodeId(1), &answer, Duration::ZERO));
        for mpdu in mpdus {
            self.ask(AP, |hack, cx| hack.on_delivered(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
        answer.appended.len()
    }

    fn rise(&mut self, mpdu: &Mpdu) {
        self.pool.retain(mpdu.packet);
        let verdict = self.ask(AP, |hack, cx| hack.on_upward(cx, mpdu.packet, NodeId(1)));
        if verdict == Verdict::Pass {
            self.put_on_wire(mpdu.packet);
        }
    }

    fn put_on_wire(&mut self, packet: PacketId) {
        self.wire.push(self.pool.get(packet).clone());
        self.pool.release(packet);
    }

    fn ask<R>(&mut self, node: usize, question: impl FnOnce(&mut Hack, &mut Context<'_>) -> R) -> R {
        self.ask_then(node, question, |_, _| ())
    }

    /// Asks a scheme, does what follows from its answer, and then carries out what it emitted.
    fn ask_then<R>(
        &mut self,
        node: usize,
        question: impl FnOnce(&mut Hack, &mut Context<'_>) -> R,
        then: impl FnOnce(&mut Self, &R),
    ) -> R {
        let peers = [Peer { capable: true, answer_delay: Duration::ZERO }; 2];
        let mut emissions = Vec::new();
        let Node { hack, queue, .. } = &mut self.nodes[node];
        let mut cx = Context::new(self.now, NodeId(node as u16), &mut self.pool, &peers, queue, &mut emissions);
        let answer = question(hack, &mut cx);
        then(self, &answer);
        for emission in emissions {
            match emission {
                Emission::Onward(packet, _) => self.put_on_wire(packet),
                Emission::Queue(packet, options) => {
                    let handle = self.nodes[node].handle();
                    self.requeue(node, packet, handle, options);
                }
                Emission::Local(_) => panic!("HACK sends everything onwards"),
            }
        }
        answer
    }
}

impl Pair {
    /// What a scheme gave back to its queue gets its name.
    fn requeue(&mut self, node: usize, packet: PacketId, handle: FrameHandle, options: SendOptions) {
        let peers = [Peer { capable: true, answer_delay: Duration::ZERO }; 2];
        let mut emissions = Vec::new();
        let Node { hack, queue, .. } = &mut self.nodes[node];
        let mut cx = Context::new(self.now, NodeId(node as u16), &mut self.pool, &peers, queue, &mut emissions);
        hack.on_queued(&mut cx, packet, handle);
        queue.0.push_back((handle, packet, options));
        assert!(emissions.is_empty());
    }
}

impl Node {
    fn handle(&mut self) -> FrameHandle {
        self.next_handle += 1;
        FrameHandle(self.next_handle)
    }
}

/// Two flows of the station whose ACKs have the same context identifier.
pub fn colliding_flows() -> (u16, u16) {
    let second = (1..5000).find(|&flow| shares_an_identifier(0, flow));
    (0, second.expect("a byte repeats soon"))
}

/// Whether the ACKs of two flows of the station have the same context identifier.
pub fn shares_an_identifier(flow: u16, other: u16) -> bool {
    let cid = |flow| {
        let content = packet(STATION, 0, tcp_header(station_ports(flow), 0, 0), 0);
        Cid::of(&FiveTuple::of(&content).expect("TCP has a flow"))
    };
    cid(flow) == cid(other)
}

fn due(to: NodeId, kind: AnswerKind) -> AnswerDue {
    let len = if kind == AnswerKind::Ack { ACK_LEN } else { BLOCK_ACK_LEN };
    AnswerDue { to, kind, rate: TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5), len }
}

/// The number of the first byte behind so many segments.
/// The number that acknowledges so many segments.
pub const fn past(segments: u32) -> u32 {
    segments.wrapping_mul(1_000).wrapping_add(1)
}

fn station_ports(flow: u16) -> (u16, u16) {
    (20_000 + flow, 80)
}

fn tcp_header((src, dst): (u16, u16), seq: u32, ack: u32) -> TcpHeader {
    let flags = TcpFlags::ACK;
    TcpHeader { flags, seq: SeqNumber(seq), ack: SeqNumber(ack), window: 1000, ..TcpHeader::new(src, dst) }
}

fn packet(from: usize, id: u16, tcp: TcpHeader, len: u32) -> Packet {
    let (station, server) = ([10, 0, 0, 1].into(), [10, 1, 0, 1].into());
    let (src, dst) = if from == STATION { (station, server) } else { (server, station) };
    let mut ip = IpHeader::between(src, dst).expect("both are IPv4");
    let IpHeader::V4(v4) = &mut ip else { unreachable!("built as IPv4") };
    v4.id = id;
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(len) }
}

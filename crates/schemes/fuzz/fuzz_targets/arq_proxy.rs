//! The ARQ proxy, proxy and client at once, against arbitrary peers, in any order: never a panic; what is released was once
//! sent to that peer, and each data packet is acknowledged at most once; no packet is left in the end.
//!
//! `cargo +nightly fuzz run arq_proxy` in `crates/schemes`.

#![no_main]

use std::collections::{BTreeSet, VecDeque};

use ackless_dot11::frame::{AckPolicy, Answer, Ds, FrameHandle, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Part, Tag, Tid};
use ackless_dot11::hooks::{
    Admission, AnswerDue, AnswerKind, Arrival, ArrivalKind, Backlog, Content, Context, Emission, Peer, Scheme,
    SendOptions, Verdict, Withdraw,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_schemes::Guard;
use ackless_schemes::arq_proxy::{ArqProxy, ArqProxyConfig, Identification, Policy};
use ackless_schemes_fuzz::node::{PEERS, node};
use ackless_schemes_fuzz::segment::{Segment, Way};
use ackless_wire::{Bytes, Duration, Instant, Packet, PacketId, PacketPool, Payload};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    /// The host hands a packet for a peer to the MAC.
    Host {
        peer: u8,
        segment: Segment,
    },
    /// The host sends a packet for a peer, which the MAC gets later.
    Sent {
        peer: u8,
        segment: Segment,
    },
    /// The first packets that are on their way come to the MAC.
    Come(u8),
    /// The first packets of the queue go on the air.
    Send(u8),
    /// A frame on the air has its fate.
    Settle {
        which: u8,
        delivered: bool,
    },
    /// A packet is dropped from the queue.
    Drop(u8),
    /// A PPDU of a peer comes, and is answered or not.
    Arrive {
        peer: u8,
        mpdus: Vec<(i8, bool, Segment)>,
        answered: bool,
        more_data: bool,
    },
    /// A BlockAck Request comes, and is answered.
    Request {
        peer: u8,
    },
    /// A peer answers.
    Answered {
        peer: u8,
        tag: Option<u16>,
    },
    Missing {
        peer: u8,
    },
    Wait {
        millis: u16,
    },
}

/// How the node is set up.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Setting {
    hash: bool,
    stateless: bool,
    more_data: bool,
    lifetime_ms: u8,
    guard_ms: u8,
    tid: Option<u8>,
}

struct Fuzzed {
    scheme: ArqProxy,
    kind: MpduKind,
    now: Instant,
    pool: PacketPool,
    peers: Vec<Peer>,
    queue: Queue,
    /// What the host has sent and the MAC has not got.
    coming: VecDeque<(PacketId, NodeId)>,
    on_air: Vec<Mpdu>,
    emissions: Vec<Emission>,
    handles: u32,
    seq: MacSeq,
    peer_seq: [MacSeq; PEERS as usize],
    /// Where the data packets end that were sent to each peer, with their ports.
    sent: BTreeSet<(NodeId, (u16, u16), u32)>,
    data: u64,
    released: u64,
    /// The packet that is on its way up.
    rising: Option<PacketId>,
}

#[derive(Default)]
struct Queue(Vec<(FrameHandle, PacketId, SendOptions)>);

impl Withdraw for Queue {
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId> {
        let place = self.0.iter().position(|queued| queued.0 == handle)?;
        Some(self.0.remove(place).1)
    }

    fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let queued = self.0.iter_mut().find(|queued| queued.0 == handle)?;
        Some(std::mem::replace(&mut queued.1, content.packet))
    }
}

fuzz_target!(|input: (Setting, Vec<Step>)| {
    let (setting, steps) = input;
    let mut fuzzed = Fuzzed::new(setting);
    for step in steps {
        match step {
            Step::Host { peer, segment } => fuzzed.host(peer, whole(segment.packet(peer, Way::ToPeer))),
            Step::Sent { peer, segment } => fuzzed.sent(peer, whole(segment.packet(peer, Way::ToPeer))),
            Step::Come(count) => fuzzed.come(count.into()),
            Step::Send(count) => fuzzed.send(count.into()),
            Step::Settle { which, delivered } => fuzzed.settle(which.into(), delivered),
            Step::Drop(which) => fuzzed.drop_queued(which.into()),
            Step::Arrive { peer, mpdus, answered, more_data } => fuzzed.arrive(peer, &mpdus, answered, more_data),
            Step::Request { peer } => {
                let kind = ArrivalKind::BlockAckReq;
                let arrival = Arrival { from: node(peer), bits: HeaderBits::default(), kind };
                fuzzed.ask(|scheme, cx| scheme.on_ppdu_in(cx, &arrival));
                fuzzed.answer(peer, AnswerKind::BlockAck);
            }
            Step::Answered { peer, tag } => {
                let answer = Answer { tag: tag.and_then(Tag::new), ..Answer::default() };
                fuzzed.ask(|scheme, cx| scheme.on_answer(cx, node(peer), &answer, Duration::ZERO));
            }
            Step::Missing { peer } => fuzzed.ask(|scheme, cx| scheme.on_answer_missing(cx, node(peer))),
            Step::Wait { millis } => fuzzed.wait(Duration::from_millis(millis.into())),
        }
    }
    fuzzed.finish();
});

/// The packet with a payload of few lengths, so that ACKs end packets.
fn whole(packet: Packet) -> Packet {
    let len = packet.payload.len() % 3 * 1448;
    Packet { payload: Payload::Length(len), ..packet }
}

impl Fuzzed {
    fn new(setting: Setting) -> Self {
        let identification = if setting.hash { Identification::Hash } else { Identification::FrameSequence };
        let config = ArqProxyConfig {
            identification,
            lifetime: Duration::from_millis(1 + u64::from(setting.lifetime_ms) * 10),
            stateless: setting.stateless,
            policy: if setting.more_data { Policy::MoreData } else { Policy::Race },
            announce_percent: u32::from(setting.lifetime_ms) % 101,
            guard: match setting.guard_ms {
                0 => Guard::Auto,
                ms => Guard::Fixed(Duration::from_millis(ms.into())),
            },
        };
        let peer = |node| Peer { capable: node != PEERS, ..Peer::default() };
        Self {
            scheme: ArqProxy::new(config),
            kind: setting.tid.map_or(MpduKind::Data, |tid| MpduKind::QosData(Tid(tid % 8))),
            now: Instant::from_secs(1),
            pool: PacketPool::default(),
            peers: (0..=PEERS).map(peer).collect(),
            queue: Queue::default(),
            coming: VecDeque::new(),
            on_air: Vec::new(),
            emissions: Vec::new(),
            handles: 0,
            seq: MacSeq::default(),
            peer_seq: [MacSeq::default(); PEERS as usize],
            sent: BTreeSet::new(),
            data: 0,
            released: 0,
            rising: None,
        }
    }

    fn host(&mut self, peer: u8, packet: Packet) {
        let packet = self.pool.insert(packet);
        self.hand_down(packet, node(peer));
    }

    fn sent(&mut self, peer: u8, packet: Packet) {
        let packet = self.pool.insert(packet);
        self.ask(|scheme, cx| scheme.on_sent(cx, packet, node(peer)));
        self.coming.push_back((packet, node(peer)));
    }

    fn come(&mut self, count: usize) {
        for _ in 0..count.min(self.coming.len()) {
            let Some((packet, receiver)) = self.coming.pop_front() else { break };
            self.hand_down(packet, receiver);
        }
    }

    fn hand_down(&mut self, packet: PacketId, receiver: NodeId) {
        let mut options = SendOptions {
            receiver,
            destination: receiver,
            source: NodeId(0),
            ds: Ds::Direct,
            kind: self.kind,
            ack_policy: AckPolicy::Normal,
            rate: None,
        };
        let handle = self.handle();
        match self.ask(|scheme, cx| scheme.on_outgoing(cx, packet, handle, &mut options)) {
            Verdict::Pass => self.queue.0.push((handle, packet, options)),
            Verdict::Hold => {}
            Verdict::Swallow => self.pool.release(packet),
            Verdict::Replace(_) => panic!("an ACK is not rewritten"),
        }
    }

    fn send(&mut self, count: usize) {
        for _ in 0..count.min(self.queue.0.len()) {
            let (handle, packet, options) = self.queue.0.remove(0);
            self.seq = self.seq.plus(1);
            let mpdu = self.mpdu(packet, handle, (NodeId(0), options.receiver), self.seq);
            let content = self.pool.get(packet);
            if let Some(tcp) = content.tcp().filter(|_| !content.payload.is_empty()) {
                self.sent.insert((options.receiver, content.ports(), (tcp.seq + content.payload.len()).0));
                self.data += 1;
            }
            self.ask(|scheme, cx| scheme.on_sequenced(cx, &mpdu));
            let mut bits = HeaderBits::default();
            self.ask(|scheme, cx| scheme.on_ppdu_out(cx, mpdu.receiver, Backlog::default(), &mut bits));
            self.on_air.push(mpdu);
        }
    }

    fn settle(&mut self, which: usize, delivered: bool) {
        if self.on_air.is_empty() {
            return;
        }
        let mpdu = self.on_air.remove(which % self.on_air.len());
        if delivered {
            self.ask(|scheme, cx| scheme.on_delivered(cx, &mpdu));
        } else {
            self.ask(|scheme, cx| scheme.on_given_up(cx, &mpdu));
        }
        self.pool.release(mpdu.packet);
    }

    fn drop_queued(&mut self, which: usize) {
        if self.queue.0.is_empty() {
            return;
        }
        let (handle, packet, _) = self.queue.0.remove(which % self.queue.0.len());
        self.ask(|scheme, cx| scheme.on_dropped(cx, handle));
        self.pool.release(packet);
    }

    fn arrive(&mut self, peer: u8, mpdus: &[(i8, bool, Segment)], answered: bool, more_data: bool) {
        let (from, mpdus) = (node(peer), &mpdus[..mpdus.len().min(64)]);
        for (n, (ahead, retry, segment)) in mpdus.iter().enumerate() {
            let last = &mut self.peer_seq[usize::from(from.0) - 1];
            *last = last.plus((i16::from(*ahead) + MacSeq::MODULUS as i16) as u16);
            let seq = *last;
            if n == 0 {
                let kind = match mpdus.len() {
                    1 => ArrivalKind::Single(seq),
                    count => ArrivalKind::Aggregate(count as u16),
                };
                let bits = HeaderBits { more_data, ..HeaderBits::default() };
                let arrival = Arrival { from, bits, kind };
                self.ask(|scheme, cx| scheme.on_ppdu_in(cx, &arrival));
            }
            let packet = self.pool.insert(whole(segment.packet(peer, Way::FromPeer)));
            let mpdu = Mpdu { retry: *retry, ..self.mpdu(packet, FrameHandle(0), (from, NodeId(0)), seq) };
            assert_eq!(self.ask(|scheme, cx| scheme.on_mpdu(cx, &mpdu)), Admission::Accept);
            self.rising = Some(packet);
            let verdict = self.ask(|scheme, cx| scheme.on_upward(cx, packet, from));
            self.rising = None;
            assert!(matches!(verdict, Verdict::Pass | Verdict::Hold));
            if verdict == Verdict::Pass {
                self.pool.release(packet);
            }
        }
        if answered && !mpdus.is_empty() {
            self.answer(peer, if mpdus.len() == 1 { AnswerKind::Ack } else { AnswerKind::BlockAck });
        }
    }

    fn answer(&mut self, peer: u8, kind: AnswerKind) {
        let rate = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
        let due = AnswerDue { to: node(peer), kind, rate, len: Bytes(14) };
        let mut answer = Answer::default();
        self.ask(|scheme, cx| scheme.on_answer_due(cx, &due, &mut answer, &mut Duration::default()));
        assert!(answer.tag.is_none() || self.peers[usize::from(due.to.0)].capable, "a legacy peer is not asked");
    }

    fn wait(&mut self, span: Duration) {
        let until = self.now + span;
        for round in 0.. {
            assert!(round < 10_000, "a timer that does not move on");
            let Some(at) = self.scheme.poll_timeout().filter(|at| *at <= until) else { break };
            self.now = self.now.max(at);
            self.ask(|scheme, cx| scheme.on_timer(cx));
        }
        self.now = until;
    }

    /// Time passes until all that was withdrawn has gone natively.
    fn finish(mut self) {
        self.come(usize::MAX);
        for round in 0.. {
            assert!(round < 1000, "nothing comes from outside, and yet there is no end");
            self.send(usize::MAX);
            while !self.on_air.is_empty() {
                self.settle(0, true);
            }
            let Some(at) = self.scheme.poll_timeout() else { break };
            self.wait(at.max(self.now) - self.now);
        }
        assert!(self.queue.0.is_empty() && self.pool.live() == 0, "{} packets are left", self.pool.live());
        assert!(self.released <= self.data, "each data packet is acknowledged once");
    }

    fn ask<R>(&mut self, question: impl FnOnce(&mut ArqProxy, &mut Context<'_>) -> R) -> R {
        let Self { scheme, now, pool, peers, queue, emissions, .. } = self;
        let answer = question(scheme, &mut Context::new(*now, NodeId(0), pool, peers, queue, emissions));
        for emission in std::mem::take(&mut self.emissions) {
            match emission {
                Emission::Onward(packet, from) => {
                    self.check(packet, from);
                    self.pool.release(packet);
                }
                Emission::Queue(packet, options) => {
                    let handle = self.handle();
                    self.queue.0.push((handle, packet, options));
                }
                Emission::Local(_) => panic!("what is released goes the way of what came over the air"),
            }
        }
        answer
    }

    /// What is released acknowledges what was sent; anything else that goes onward is the client's own.
    fn check(&mut self, id: PacketId, from: NodeId) {
        if self.rising == Some(id) {
            return;
        }
        let packet = self.pool.get(id);
        let ack = packet.pure_ack().expect("an ACK is released").ack.0;
        let (here, there) = packet.ports();
        assert!(self.sent.contains(&(from, (there, here), ack)), "it was never sent");
        self.released += 1;
    }

    fn handle(&mut self) -> FrameHandle {
        self.handles += 1;
        FrameHandle(self.handles)
    }

    fn mpdu(&self, packet: PacketId, handle: FrameHandle, (from, to): (NodeId, NodeId), seq: MacSeq) -> Mpdu {
        let content = Content::of(packet, &self.pool);
        Mpdu {
            packet,
            packet_len: content.len,
            payload_len: content.payload_len,
            tcp_ack: content.tcp_ack,
            handle,
            kind: self.kind,
            ds: Ds::Direct,
            receiver: to,
            transmitter: from,
            destination: to,
            source: from,
            seq,
            retry: false,
            ack_policy: AckPolicy::Normal,
            part: Part::Alone,
        }
    }
}

//! A node with HACK, whose own MAC keeps to the hooks' contract while everything that comes from the air and from the
//! host is arbitrary.
//!
//! The contract: frames are named in ascending order, and each name comes to one end (delivered, given up, dropped,
//! withdrawn); a frame gets its sequence number before it is delivered; what rises from the reorder buffer came in an
//! MPDU before; timers are not early.

use ackless_dot11::block_ack::{DuplicateCache, Recipient};
use ackless_dot11::frame::{AckPolicy, Answer, Ds, FrameHandle, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid};
use ackless_dot11::hooks::{
    Admission, AnswerDue, AnswerKind, Arrival, ArrivalKind, Backlog, Content, Context, Emission, Peer, Scheme,
    SendOptions, Verdict, Withdraw,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_rohc::hack::{Codec, Frame};
use ackless_schemes::Guard;
use ackless_schemes::hack::{Fit, Hack, HackConfig, Policy};
use ackless_wire::{Bytes, Duration, Instant, Packet, PacketId, PacketPool};
use arbitrary::Arbitrary;

/// A node, its queue, and its peers.
pub struct Node {
    hack: Hack,
    now: Instant,
    pool: PacketPool,
    peers: Vec<Peer>,
    queue: Queue,
    /// Frames with a sequence number and without a fate.
    on_air: Vec<Mpdu>,
    links: [Link; PEERS as usize],
    emissions: Vec<Emission>,
    handles: u32,
    seq: MacSeq,
    /// How many packets have come up.
    up: u64,
    /// Whether a frame came twice: it never rises again, and may keep back what waits for it.
    duplicates: bool,
}

/// How HACK behaves.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Setting {
    policy: Option<Option<u8>>,
    guard_ms: u8,
    driver_to_nic_us: u8,
    within_aifs: bool,
    take_back: bool,
    /// RFC 6846's packets, or codes of ours: whether with the TCP checksum, and whether with MSNs of 16 bits.
    codec: Option<(bool, bool)>,
}

/// A PPDU from a peer.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Header {
    /// Which peer; the last one is a legacy station.
    pub peer: u8,
    more_data: bool,
    sync: bool,
}

/// What tells an MPDU of a peer.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct MpduHeader {
    /// How far its sequence number is ahead of the last one.
    ahead: i8,
    /// Its TID; frames outside of the agreement are 8 and more, without a TID.
    tid: Option<u8>,
    retry: bool,
    asks_nothing: bool,
}

/// What waits to be sent.
#[derive(Default)]
struct Queue(Vec<(FrameHandle, PacketId, SendOptions)>);

/// What comes from one peer.
struct Link {
    recipient: Recipient,
    duplicates: DuplicateCache,
    seq: MacSeq,
}

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

impl Setting {
    fn config(self) -> HackConfig {
        HackConfig {
            policy: match self.policy {
                None => Policy::MoreData,
                Some(None) => Policy::Opportunistic,
                Some(Some(ms)) => Policy::ExplicitTimer(Duration::from_millis(1 + u64::from(ms))),
            },
            guard: match self.guard_ms {
                0 => Guard::Auto,
                ms => Guard::Fixed(Duration::from_millis(ms.into())),
            },
            driver_to_nic: Duration::from_micros(self.driver_to_nic_us.into()),
            fit: if self.within_aifs { Fit::WithinAifs } else { Fit::Whole },
            take_back: self.take_back,
            codec: self.codec(),
            ..HackConfig::default()
        }
    }

    /// How ACKs are compressed.
    pub fn codec(self) -> Codec {
        self.codec.map_or(Codec::Rfc6846, |(checksum, wide)| Codec::Own { checksum, wide })
    }
}

impl Node {
    /// A node before its first packet.
    pub fn new(setting: Setting) -> Self {
        let peer = |node| Peer { capable: node != PEERS, ..Peer::default() };
        Self {
            hack: Hack::new(setting.config()),
            now: Instant::from_secs(1),
            pool: PacketPool::default(),
            peers: (0..=PEERS).map(peer).collect(),
            queue: Queue::default(),
            on_air: Vec::new(),
            links: std::array::from_fn(|_| Link {
                recipient: Recipient::new(MacSeq::default(), 64),
                duplicates: DuplicateCache::default(),
                seq: MacSeq::default(),
            }),
            emissions: Vec::new(),
            handles: 0,
            seq: MacSeq::default(),
            up: 0,
            duplicates: false,
        }
    }

    /// How many packets have come up.
    pub const fn up(&self) -> u64 {
        self.up
    }

    /// How many packets HACK holds, at least.
    pub fn held(&self) -> usize {
        let waiting: usize = self.links.iter().map(|link| usize::from(link.recipient.held())).sum();
        // One that is queued and held at once counts as queued.
        self.pool.live().saturating_sub(self.queue.0.len() + self.on_air.len() + waiting)
    }

    /// The host hands a packet to the MAC.
    pub fn host(&mut self, peer: u8, packet: Packet) {
        let receiver = node(peer);
        let mut options = SendOptions {
            receiver,
            destination: receiver,
            source: NodeId(0),
            ds: Ds::ToAp,
            kind: MpduKind::QosData(Tid(0)),
            ack_policy: AckPolicy::Normal,
            rate: None,
        };
        let handle = self.name();
        let packet = self.pool.insert(packet);
        match self.ask(|hack, cx| hack.on_outgoing(cx, packet, handle, &mut options)) {
            Verdict::Pass => self.queue.0.push((handle, packet, options)),
            Verdict::Hold => {}
            other => panic!("HACK passes or holds: {other:?}"),
        }
        self.carry_out();
    }

    /// The first packets of the queue go on the air together.
    pub fn send(&mut self, count: u8) {
        let count = usize::from(count).min(self.queue.0.len());
        let Some((_, _, first)) = self.queue.0.first() else { return };
        let to = first.receiver;
        for _ in 0..count {
            let (handle, packet, options) = self.queue.0.remove(0);
            self.seq = self.seq.plus(1);
            let seq = self.seq;
            let mpdu = self.mpdu(packet, handle, options.receiver, seq);
            self.ask(|hack, cx| hack.on_sequenced(cx, &mpdu));
            self.on_air.push(mpdu);
        }
        self.send_again(to);
    }

    /// A PPDU leaves with what has its sequence number already.
    pub fn send_again(&mut self, to: NodeId) {
        let queued = Backlog { packets: self.queue.0.len() };
        let mut bits = HeaderBits::default();
        self.ask(|hack, cx| hack.on_ppdu_out(cx, to, queued, &mut bits));
        assert!(!bits.more_data || queued.packets > 0, "more data is queued where that is promised");
    }

    /// One of the frames on the air has its fate.
    pub fn settle(&mut self, which: u8, delivered: bool) {
        if self.on_air.is_empty() {
            return;
        }
        let mpdu = self.on_air.remove(usize::from(which) % self.on_air.len());
        if delivered {
            self.ask(|hack, cx| hack.on_delivered(cx, &mpdu));
        } else {
            self.ask(|hack, cx| hack.on_given_up(cx, &mpdu));
        }
        self.pool.release(mpdu.packet);
        self.carry_out();
    }

    /// All that is queued or on the air is delivered.
    pub fn deliver_all(&mut self) {
        self.send(u8::MAX);
        while !self.on_air.is_empty() {
            self.settle(0, true);
        }
    }

    /// A packet is dropped from the queue.
    pub fn drop_queued(&mut self, which: u8) {
        if self.queue.0.is_empty() {
            return;
        }
        let (handle, packet, _) = self.queue.0.remove(usize::from(which) % self.queue.0.len());
        self.ask(|hack, cx| hack.on_dropped(cx, handle));
        self.pool.release(packet);
        self.carry_out();
    }

    /// A data PPDU of a peer arrives with these MPDUs.
    pub fn arrive(&mut self, header: Header, mpdus: impl ExactSizeIterator<Item = (MpduHeader, Packet)>) {
        let count = mpdus.len();
        let from = node(header.peer);
        let bits = HeaderBits { more_data: header.more_data, sync: header.sync };
        let mut released = Vec::new();
        for (n, (about, packet)) in mpdus.enumerate() {
            let link = &mut self.links[usize::from(from.0) - 1];
            link.seq = link.seq.plus((i16::from(about.ahead) + MacSeq::MODULUS as i16) as u16);
            let seq = link.seq;
            if n == 0 {
                let kind = if count == 1 { ArrivalKind::Single(seq) } else { ArrivalKind::Aggregate(count as u16) };
                self.ask(|hack, cx| hack.on_ppdu_in(cx, &Arrival { from, bits, kind }));
            }
            let packet = self.pool.insert(packet);
            let kind = about.tid.map_or(MpduKind::QosData(Tid(0)), |tid| match tid {
                0..8 => MpduKind::QosData(Tid(tid)),
                _ => MpduKind::Data,
            });
            let ack_policy = if about.asks_nothing { AckPolicy::NoAck } else { AckPolicy::Normal };
            let mpdu = self.mpdu(packet, FrameHandle(0), NodeId(0), seq);
            let mpdu = Mpdu { kind, retry: about.retry, ack_policy, transmitter: from, source: from, ..mpdu };
            assert_eq!(self.ask(|hack, cx| hack.on_mpdu(cx, &mpdu)), Admission::Accept);
            let link = &mut self.links[usize::from(from.0) - 1];
            let new = if mpdu.tid() == Some(Tid(0)) {
                link.recipient.on_mpdu(&[mpdu], |mpdu| released.push(mpdu)).is_ok()
            } else {
                let new = !link.duplicates.is_duplicate(&mpdu);
                released.extend(new.then_some(mpdu));
                new
            };
            if !new {
                self.duplicates = true;
                self.pool.release(packet);
            }
        }
        self.pass_up(from, released);
    }

    /// A BlockAck Request of a peer arrives: the reorder buffer moves on to so far behind the last MPDU.
    pub fn request(&mut self, header: Header, behind: u8) {
        let from = node(header.peer);
        let arrival = Arrival { from, bits: HeaderBits::default(), kind: ArrivalKind::BlockAckReq };
        self.ask(|hack, cx| hack.on_ppdu_in(cx, &arrival));
        let link = &mut self.links[usize::from(from.0) - 1];
        let start = link.seq.plus(MacSeq::MODULUS - u16::from(behind));
        let mut released = Vec::new();
        link.recipient.on_request(start, |mpdu| released.push(mpdu));
        self.pass_up(from, released);
    }

    /// SIFS is over.
    pub fn answer_due(&mut self, peer: u8, block: bool) -> Vec<u8> {
        let due = AnswerDue {
            to: node(peer),
            kind: if block { AnswerKind::BlockAck } else { AnswerKind::Ack },
            rate: TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5),
            len: if block { Bytes(32) } else { Bytes(14) },
        };
        let (mut answer, mut duration) = (Answer::default(), Duration::ZERO);
        self.ask(|hack, cx| hack.on_answer_due(cx, &due, &mut answer, &mut duration));
        if !answer.appended.is_empty() {
            Frame::read(self.hack.config().codec, &answer.appended).expect("what is appended is a frame");
        }
        self.carry_out();
        answer.appended
    }

    /// A peer's answer, or none.
    pub fn answered(&mut self, peer: u8, appended: Option<Vec<u8>>) {
        let from = node(peer);
        match appended {
            Some(appended) => {
                let answer = Answer { appended, ..Answer::default() };
                self.ask(|hack, cx| hack.on_answer(cx, from, &answer, Duration::ZERO));
            }
            None => self.ask(|hack, cx| hack.on_answer_missing(cx, from)),
        }
        self.carry_out();
    }

    /// Time passes.
    pub fn wait(&mut self, span: Duration) {
        let until = self.now + span;
        self.run_timers(until);
        self.now = until;
    }

    /// The end: the reorder buffers are emptied, and time passes and all that is queued is sent and delivered until
    /// nothing happens any more.
    ///
    /// # Panics
    /// If a packet is left then, or if it never ends. Where frames came twice, ACKs may still wait for one that will
    /// not rise again.
    pub fn finish(mut self) {
        for number in 1..=PEERS {
            let mut released = Vec::new();
            self.links[usize::from(number) - 1].recipient.flush(|mpdu| released.push(mpdu));
            self.pass_up(NodeId(number), released);
        }
        for round in 0.. {
            assert!(round < 10_000, "nothing comes from outside, and yet there is no end");
            self.deliver_all();
            match self.hack.poll_timeout() {
                Some(at) => self.run_timers(at.max(self.now)),
                None if self.queue.0.is_empty() => break,
                None => {}
            }
        }
        assert!(self.pool.live() == 0 || self.duplicates, "{} packets are left", self.pool.live());
    }

    fn run_timers(&mut self, until: Instant) {
        let mut rounds = 0;
        while let Some(at) = self.hack.poll_timeout().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.ask(|hack, cx| hack.on_timer(cx));
            self.carry_out();
            rounds += 1;
            assert!(rounds < 10_000, "a timer that does not move on from {at}");
        }
    }

    /// Packets leave the reorder buffer.
    fn pass_up(&mut self, from: NodeId, released: Vec<Mpdu>) {
        for mpdu in released {
            let verdict = self.ask(|hack, cx| hack.on_upward(cx, mpdu.packet, from));
            self.carry_out();
            match verdict {
                Verdict::Pass => self.rise(mpdu.packet),
                Verdict::Hold => {}
                other => panic!("HACK passes, or holds and emits: {other:?}"),
            }
        }
        self.carry_out();
    }

    fn ask<R>(&mut self, question: impl FnOnce(&mut Hack, &mut Context<'_>) -> R) -> R {
        let Self { hack, now, pool, peers, queue, emissions, .. } = self;
        let mut cx = Context::new(*now, NodeId(0), pool, peers, queue, emissions);
        question(hack, &mut cx)
    }

    /// What HACK has emitted goes where it belongs.
    fn carry_out(&mut self) {
        while !self.emissions.is_empty() {
            match self.emissions.remove(0) {
                Emission::Onward(packet, _) | Emission::Local(packet) => self.rise(packet),
                Emission::Queue(packet, options) => {
                    let handle = self.name();
                    self.ask(|hack, cx| hack.on_queued(cx, packet, handle));
                    self.queue.0.push((handle, packet, options));
                }
            }
        }
    }

    /// A packet has come up, and leaves the node.
    fn rise(&mut self, packet: PacketId) {
        self.up += 1;
        self.pool.release(packet);
    }

    fn name(&mut self) -> FrameHandle {
        self.handles += 1;
        FrameHandle(self.handles)
    }

    fn mpdu(&self, packet: PacketId, handle: FrameHandle, receiver: NodeId, seq: MacSeq) -> Mpdu {
        let content = self.pool.get(packet);
        Mpdu {
            packet,
            packet_len: content.len(),
            payload_len: Bytes(content.payload.len().into()),
            tcp_ack: content.is_acknowledgement(),
            handle,
            kind: MpduKind::QosData(Tid(0)),
            ds: Ds::ToAp,
            receiver,
            transmitter: NodeId(0),
            destination: receiver,
            source: NodeId(0),
            seq,
            retry: false,
            ack_policy: AckPolicy::Normal,
            part: Part::Alone,
        }
    }
}

/// The node of a peer, 1 to [`PEERS`].
pub const fn node(peer: u8) -> NodeId {
    NodeId(1 + peer as u16 % PEERS)
}

/// How many peers there are.
pub const PEERS: u16 = 3;

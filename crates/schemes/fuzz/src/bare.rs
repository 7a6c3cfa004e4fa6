//! A node with any scheme, whose own MAC keeps to the hooks' contract (see [`crate::node`]) while what the host and the peers say is arbitrary.

use ackless_dot11::frame::{AckPolicy, Answer, Ds, FrameHandle, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid};
use ackless_dot11::hooks::{
    Admission, AnswerDue, AnswerKind, Arrival, ArrivalKind, Content, Context, Emission, Peer, Scheme, SendOptions,
    Verdict, Withdraw,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_wire::{Bytes, Duration, Instant, Packet, PacketId, PacketPool, SeqNumber};

/// The node, its queue, and what is on the air.
pub struct Bare<S> {
    pub scheme: S,
    node: NodeId,
    peers: Vec<Peer>,
    now: Instant,
    pool: PacketPool,
    queue: Queue,
    on_air: Vec<Mpdu>,
    handles: u32,
    /// The ACK numbers that the scheme has sent onwards, with the port that they come from.
    pub onward: Vec<(u16, SeqNumber)>,
}

#[derive(Default)]
struct Queue(Vec<(FrameHandle, PacketId, SendOptions)>);

impl Withdraw for Queue {
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId> {
        let place = self.0.iter().position(|queued| queued.0 == handle)?;
        Some(self.0.remove(place).1)
    }

    fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let (_, packet, _) = self.0.iter_mut().find(|queued| queued.0 == handle)?;
        Some(std::mem::replace(packet, content.packet))
    }
}

impl<S: Scheme> Bare<S> {
    /// A node before its first packet.
    pub fn new(scheme: S) -> Self {
        Self::among(scheme, NodeId(0), Vec::new())
    }

    /// The same as this node, with these peers.
    pub fn among(scheme: S, node: NodeId, peers: Vec<Peer>) -> Self {
        Self {
            scheme,
            node,
            peers,
            now: Instant::from_secs(1),
            pool: PacketPool::default(),
            queue: Queue::default(),
            on_air: Vec::new(),
            handles: 0,
            onward: Vec::new(),
        }
    }

    /// How many packets only the scheme has.
    pub fn held(&self) -> usize {
        let mut known: Vec<_> = self.queue.0.iter().map(|queued| queued.1).collect();
        known.extend(self.on_air.iter().map(|mpdu| mpdu.packet));
        known.sort_unstable();
        known.dedup();
        self.pool.live() - known.len()
    }

    /// The host hands a packet to the MAC.
    pub fn host(&mut self, to: NodeId, packet: Packet) {
        self.hand_down(to, packet);
    }

    /// The same. Returns what the scheme made of it.
    pub fn hand_down(&mut self, to: NodeId, packet: Packet) -> Verdict {
        let packet = self.pool.insert(packet);
        let handle = self.handle();
        let mut options = options(self.node, to);
        let verdict = self.ask(|scheme, cx| scheme.on_outgoing(cx, packet, handle, &mut options));
        match verdict {
            Verdict::Pass => self.queue.0.push((handle, packet, options)),
            Verdict::Hold => {}
            Verdict::Swallow => self.pool.release(packet),
            Verdict::Replace(other) => {
                self.pool.release(packet);
                self.queue.0.push((handle, other, options));
            }
        }
        verdict
    }

    /// A packet of a peer's comes up.
    pub fn upward(&mut self, from: NodeId, packet: Packet) {
        let packet = self.pool.insert(packet);
        match self.ask(|scheme, cx| scheme.on_upward(cx, packet, from)) {
            Verdict::Pass | Verdict::Swallow => self.pool.release(packet),
            Verdict::Hold => {}
            Verdict::Replace(other) => {
                self.pool.release(packet);
                self.pool.release(other);
            }
        }
    }

    /// Up to so many frames go on the air. Returns those.
    pub fn send(&mut self, frames: u8) -> Vec<Mpdu> {
        let frames = usize::from(frames).min(self.queue.0.len());
        let already = self.on_air.len();
        for (handle, packet, options) in self.queue.0.drain(..frames).collect::<Vec<_>>() {
            let mpdu = self.mpdu(handle, packet, options);
            self.on_air.push(mpdu);
            self.ask(|scheme, cx| scheme.on_sequenced(cx, &mpdu));
        }
        self.on_air[already..].to_vec()
    }

    /// A frame of another node's is in, of which the scheme sees no packet.
    pub fn hear(&mut self, mpdu: &Mpdu) {
        assert_eq!(self.ask(|scheme, cx| scheme.on_mpdu(cx, mpdu)), Admission::Accept);
    }

    /// One of the frames on the air comes to its end. Returns its packet where it was delivered.
    pub fn settle(&mut self, which: u8, delivered: bool) -> Option<Packet> {
        let place = usize::from(which).checked_rem(self.on_air.len())?;
        let mpdu = self.on_air.remove(place);
        let packet = self.pool.get(mpdu.packet).clone();
        self.ask(|scheme, cx| {
            if delivered {
                scheme.on_delivered(cx, &mpdu);
            } else {
                scheme.on_given_up(cx, &mpdu);
            }
        });
        self.pool.release(mpdu.packet);
        delivered.then_some(packet)
    }

    /// The queue drops one of its frames.
    pub fn drop_queued(&mut self, which: u8) {
        let Some(place) = usize::from(which).checked_rem(self.queue.0.len()) else { return };
        let (handle, packet, _) = self.queue.0.remove(place);
        self.ask(|scheme, cx| scheme.on_dropped(cx, handle));
        self.pool.release(packet);
    }

    /// Time passes.
    pub fn wait(&mut self, span: Duration) {
        let until = self.now + span;
        for _ in 0..10_000 {
            match self.scheme.poll_timeout() {
                Some(due) if due <= until => {
                    self.now = self.now.max(due);
                    self.ask(|scheme, cx| scheme.on_timer(cx));
                }
                _ => {
                    self.now = until;
                    return;
                }
            }
        }
        panic!("a timer is due for ever");
    }

    /// The AP sends a frame with this sequence number to this station. Returns whether it was taken; a new one then goes up.
    pub fn arrive(&mut self, packet: Packet, seq: MacSeq, retry: bool, new: bool) -> bool {
        let arrival = Arrival { from: NodeId(0), bits: HeaderBits::default(), kind: ArrivalKind::Single(seq) };
        self.ask(|scheme, cx| scheme.on_ppdu_in(cx, &arrival));
        let packet = self.pool.insert(packet);
        let options = options(NodeId(0), self.node);
        let mpdu = Mpdu { seq, retry, transmitter: NodeId(0), ..self.mpdu(FrameHandle(0), packet, options) };
        let accepted = self.ask(|scheme, cx| scheme.on_mpdu(cx, &mpdu)) == Admission::Accept;
        if accepted && new {
            let verdict = self.ask(|scheme, cx| scheme.on_upward(cx, packet, NodeId(0)));
            assert_eq!(verdict, Verdict::Pass);
        }
        self.pool.release(packet);
        accepted
    }

    /// SIFS is over: this station answers. Returns whether with the agent's flag.
    pub fn answer(&mut self, kind: AnswerKind) -> bool {
        let rate = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
        let due = AnswerDue { to: NodeId(0), kind, rate, len: Bytes(14) };
        let (mut answer, mut duration) = (Answer::default(), Duration::ZERO);
        self.ask(|scheme, cx| scheme.on_answer_due(cx, &due, &mut answer, &mut duration));
        answer.agent
    }

    /// A BlockAck Request comes to this station.
    pub fn request(&mut self) {
        let arrival = Arrival { from: NodeId(0), bits: HeaderBits::default(), kind: ArrivalKind::BlockAckReq };
        self.ask(|scheme, cx| scheme.on_ppdu_in(cx, &arrival));
    }

    /// A peer's answer comes, or none.
    pub fn answered(&mut self, from: NodeId, answer: Option<Answer>) {
        self.ask(|scheme, cx| match &answer {
            Some(answer) => scheme.on_answer(cx, from, answer, Duration::ZERO),
            None => scheme.on_answer_missing(cx, from),
        });
    }

    /// All frames come to their end.
    pub fn clear(&mut self) {
        while self.settle(0, false).is_some() || !self.on_air.is_empty() {}
        while !self.queue.0.is_empty() {
            self.drop_queued(0);
        }
    }

    fn handle(&mut self) -> FrameHandle {
        self.handles += 1;
        FrameHandle(self.handles)
    }

    fn ask<R>(&mut self, question: impl FnOnce(&mut S, &mut Context<'_>) -> R) -> R {
        let mut emissions = Vec::new();
        let mut cx = Context::new(self.now, self.node, &mut self.pool, &self.peers, &mut self.queue, &mut emissions);
        let answer = question(&mut self.scheme, &mut cx);
        for emission in emissions {
            match emission {
                Emission::Onward(packet, _) | Emission::Local(packet) => {
                    let tcp = self.pool.get(packet).tcp().expect("only TCP is made");
                    self.onward.push((tcp.src_port, tcp.ack));
                    self.pool.release(packet);
                }
                Emission::Queue(packet, options) => {
                    let handle = self.handle();
                    let mut none = Vec::new();
                    let mut cx =
                        Context::new(self.now, self.node, &mut self.pool, &self.peers, &mut self.queue, &mut none);
                    self.scheme.on_queued(&mut cx, packet, handle);
                    self.queue.0.push((handle, packet, options));
                }
            }
        }
        answer
    }

    fn mpdu(&self, handle: FrameHandle, packet: PacketId, options: SendOptions) -> Mpdu {
        let content = self.pool.get(packet);
        let SendOptions { receiver, destination, source, ds, kind, ack_policy, .. } = options;
        Mpdu {
            packet,
            packet_len: content.len(),
            payload_len: Bytes(content.payload.len().into()),
            tcp_ack: content.is_acknowledgement(),
            handle,
            kind,
            ds,
            receiver,
            transmitter: self.node,
            destination,
            source,
            seq: MacSeq::new(handle.0 as u16 % MacSeq::MODULUS),
            retry: false,
            ack_policy,
            part: Part::Alone,
        }
    }
}

fn options(from: NodeId, to: NodeId) -> SendOptions {
    SendOptions {
        receiver: to,
        destination: to,
        source: from,
        ds: if from == NodeId(0) { Ds::FromAp } else { Ds::ToAp },
        kind: MpduKind::QosData(Tid(0)),
        ack_policy: AckPolicy::Normal,
        rate: None,
    }
}

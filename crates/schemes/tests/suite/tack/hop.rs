//! A hop between an AP and a station with any scheme on both, and a MAC that loses nothing.

use ackless_dot11::frame::{Answer, BLOCK_ACK_LEN, FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{
    Admission, AnswerDue, AnswerKind, Arrival, ArrivalKind, Backlog, Context, Emission, Passage, Peer, Scheme,
    SendOptions, Verdict,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_schemes::AnyScheme;
use ackless_wire::{Duration, Instant, Packet, PacketId, PacketPool};

use crate::testing::frames::{mpdu, sent_by};
use crate::testing::queue::Queue;

pub const AP: usize = 0;
pub const STATION: usize = 1;

/// Two nodes, and what has come out of the hop.
pub struct Hop {
    schemes: [AnyScheme; 2],
    queues: [Queue; 2],
    next_seq: [u16; 2],
    next_handle: u32,
    pool: PacketPool,
    pub now: Instant,
    /// What has left the hop behind each node: at the AP for the server, at the station for its transport.
    pub out: [Vec<Packet>; 2],
    /// How often a scheme did anything but let things pass.
    pub touched: u64,
}

impl Hop {
    pub fn new(ap: AnyScheme, station: AnyScheme) -> Self {
        Self {
            schemes: [ap, station],
            queues: [Queue::default(), Queue::default()],
            next_seq: [0; 2],
            next_handle: 0,
            pool: PacketPool::default(),
            now: Instant::from_millis(1),
            out: [Vec::new(), Vec::new()],
            touched: 0,
        }
    }

    /// A packet is handed to the MAC of a node, from the wire at the AP and from the transport at the station.
    pub fn hand_down(&mut self, node: usize, packet: Packet) {
        let packet = self.pool.insert(packet);
        if node == AP {
            let verdict = self.ask(AP, |scheme, cx| scheme.on_forward(cx, packet, Passage::FromWire(NodeId(1))));
            assert_eq!(verdict, Verdict::Pass, "no scheme here minds what comes off the wire");
        }
        let handle = self.handle();
        let plain = sent_by(node);
        let mut options = plain;
        // The packet is queued before what the scheme emits meanwhile.
        let mut emissions = Vec::new();
        let verdict =
            self.ask_for(node, &mut emissions, |scheme, cx| scheme.on_outgoing(cx, packet, handle, &mut options));
        self.touched += u64::from(verdict != Verdict::Pass || options != plain);
        match verdict {
            Verdict::Pass => self.queues[node].0.push_back((handle, packet, options)),
            Verdict::Hold => {}
            Verdict::Swallow => self.pool.release(packet),
            Verdict::Replace(other) => {
                self.pool.release(packet);
                self.queues[node].0.push_back((handle, other, options));
            }
        }
        self.carry_out(node, emissions);
    }

    /// All that a node has queued goes over the air as one A-MPDU. What comes up, the station's transport answers with `reply` before the
    /// link-layer answer leaves.
    pub fn air(&mut self, from: usize, reply: impl FnOnce(&mut Self)) {
        let frames = std::mem::take(&mut self.queues[from].0);
        if frames.is_empty() {
            return reply(self);
        }
        let (sender, receiver) = (NodeId(from as u16), NodeId(1 - from as u16));
        let mpdus: Vec<_> = frames.into_iter().map(|frame| self.sequenced(from, frame)).collect();
        let mut bits = HeaderBits::default();
        self.ask(from, |scheme, cx| scheme.on_ppdu_out(cx, receiver, Backlog { packets: 1 }, &mut bits));
        let kind = ArrivalKind::Aggregate(mpdus.len() as u16);
        self.ask(1 - from, |scheme, cx| scheme.on_ppdu_in(cx, &Arrival { from: sender, bits, kind }));
        for mpdu in &mpdus {
            let admission = self.ask(1 - from, |scheme, cx| scheme.on_mpdu(cx, mpdu));
            assert_eq!(admission, Admission::Accept, "nothing here is enough to fill a buffer");
        }
        for mpdu in &mpdus {
            self.rise(1 - from, mpdu);
        }
        reply(self);
        self.now += Duration::from_micros(16);
        let mut answer = Answer::default();
        let rate = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
        let due = AnswerDue { to: sender, kind: AnswerKind::BlockAck, rate, len: BLOCK_ACK_LEN };
        let mut duration = Duration::ZERO;
        self.ask(1 - from, |scheme, cx| scheme.on_answer_due(cx, &due, &mut answer, &mut duration));
        let plain = answer.appended.is_empty() && !answer.agent && answer.tag.is_none() && duration.is_zero();
        self.touched += u64::from(!plain);
        self.ask(from, |scheme, cx| scheme.on_answer(cx, receiver, &answer, duration));
        for mpdu in &mpdus {
            self.ask(from, |scheme, cx| scheme.on_delivered(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
    }

    /// Time passes, and timers run out.
    pub fn wait(&mut self, span: Duration) {
        self.now += span;
        for node in [AP, STATION] {
            if self.schemes[node].poll_timeout().is_some_and(|due| due <= self.now) {
                self.ask(node, |scheme, cx| scheme.on_timer(cx));
            }
        }
    }

    /// How many packets somebody still holds.
    pub fn live(&self) -> usize {
        self.pool.live()
    }

    fn rise(&mut self, node: usize, mpdu: &Mpdu) {
        self.pool.retain(mpdu.packet);
        let mut emissions = Vec::new();
        let verdict =
            self.ask_for(node, &mut emissions, |scheme, cx| scheme.on_upward(cx, mpdu.packet, NodeId(1 - node as u16)));
        self.touched += u64::from(verdict != Verdict::Pass);
        // What a scheme emits meanwhile goes up before the packet that passes.
        self.carry_out(node, emissions);
        match verdict {
            Verdict::Pass => self.leave(node, mpdu.packet),
            Verdict::Hold => {}
            Verdict::Swallow => self.pool.release(mpdu.packet),
            Verdict::Replace(other) => {
                self.pool.release(mpdu.packet);
                self.leave(node, other);
            }
        }
    }

    fn sequenced(&mut self, node: usize, frame: (FrameHandle, PacketId, SendOptions)) -> Mpdu {
        let mpdu = mpdu(&self.pool, NodeId(node as u16), frame, MacSeq::new(self.next_seq[node] % MacSeq::MODULUS));
        self.next_seq[node] = (self.next_seq[node] + 1) % MacSeq::MODULUS;
        self.ask(node, |scheme, cx| scheme.on_sequenced(cx, &mpdu));
        mpdu
    }

    fn carry_out(&mut self, node: usize, emissions: Vec<Emission>) {
        self.touched += emissions.len() as u64;
        for emission in emissions {
            match emission {
                Emission::Onward(packet, _) | Emission::Local(packet) => self.leave(node, packet),
                Emission::Queue(packet, options) => {
                    let handle = self.handle();
                    self.queues[node].0.push_back((handle, packet, options));
                    self.ask(node, |scheme, cx| scheme.on_queued(cx, packet, handle));
                }
            }
        }
    }

    fn leave(&mut self, node: usize, packet: PacketId) {
        self.out[node].push(self.pool.get(packet).clone());
        self.pool.release(packet);
    }

    fn handle(&mut self) -> FrameHandle {
        self.next_handle += 1;
        FrameHandle(self.next_handle)
    }

    fn ask<R>(&mut self, node: usize, question: impl FnOnce(&mut AnyScheme, &mut Context<'_>) -> R) -> R {
        let mut emissions = Vec::new();
        let answer = self.ask_for(node, &mut emissions, question);
        self.carry_out(node, emissions);
        answer
    }

    fn ask_for<R>(
        &mut self,
        node: usize,
        emissions: &mut Vec<Emission>,
        question: impl FnOnce(&mut AnyScheme, &mut Context<'_>) -> R,
    ) -> R {
        let peers = [Peer { capable: true, ..Peer::default() }; 2];
        let queue = &mut self.queues[node];
        let mut cx = Context::new(self.now, NodeId(node as u16), &mut self.pool, &peers, queue, emissions);
        question(&mut self.schemes[node], &mut cx)
    }
}

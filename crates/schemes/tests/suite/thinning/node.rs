//! A station with ACK thinning, and the queue behind it.

use std::collections::VecDeque;

use ackless_dot11::frame::{FrameHandle, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{Content, Context, Emission, Scheme, Verdict, Withdraw};
use ackless_schemes::thinning::{Thinning, ThinningConfig, ThinningCounters};
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{
    Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use crate::testing::frames::{mpdu, sent_by};

/// The node.
pub struct Node {
    thinning: Thinning,
    queue: Queue,
    pool: PacketPool,
    pub now: Instant,
    next_handle: u32,
}

#[derive(Default)]
struct Queue(VecDeque<(FrameHandle, PacketId)>);

/// A packet of a connection, as the host hands it down.
#[derive(Clone, Copy)]
pub struct Segment {
    pub flow: u16,
    pub tcp: TcpHeader,
    pub len: u32,
    pub v6: bool,
}

impl Withdraw for Queue {
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId> {
        let place = self.0.iter().position(|(queued, _)| *queued == handle)?;
        self.0.remove(place).map(|(_, packet)| packet)
    }

    fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let (_, packet) = self.0.iter_mut().find(|(queued, _)| *queued == handle)?;
        Some(std::mem::replace(packet, content.packet))
    }
}

/// An ACK of flow 0 up to here, without options.
pub fn ack(number: u32) -> Segment {
    let tcp = TcpHeader { ack: SeqNumber(number), flags: TcpFlags::ACK, window: 1000, ..TcpHeader::new(0, 80) };
    Segment { flow: 0, tcp, len: 0, v6: false }
}

impl Segment {
    pub fn flow(self, flow: u16) -> Self {
        Self { flow, ..self }
    }

    pub fn flags(mut self, flags: TcpFlags) -> Self {
        self.tcp.flags |= flags;
        self
    }

    pub fn window(mut self, window: u16) -> Self {
        self.tcp.window = window;
        self
    }

    pub fn stamps(mut self, val: u32, ecr: u32) -> Self {
        self.tcp.options.timestamps = Some((val, ecr));
        self
    }

    pub fn sack(mut self, blocks: &[(u32, u32)]) -> Self {
        let blocks: Vec<_> = blocks.iter().map(|&(left, right)| (SeqNumber(left), SeqNumber(right))).collect();
        self.tcp.options.sack = SackBlocks::from_slice(&blocks);
        self
    }

    pub fn data(self, len: u32) -> Self {
        Self { len, ..self }
    }

    pub fn v6(self) -> Self {
        Self { v6: true, ..self }
    }

    /// As a SYN with these options.
    pub fn syn(mut self, mss: u16, scale: Option<u8>) -> Self {
        self.tcp.flags = TcpFlags::SYN;
        self.tcp.options.mss = Some(mss);
        self.tcp.options.window_scale = scale;
        self
    }

    fn packet(self) -> Packet {
        let ip = if self.v6 {
            IpHeader::between([0xfd00, 0, 0, 0, 0, 0, 0, 1].into(), [0xfd00, 0, 0, 0, 0, 0, 0, 2].into())
        } else {
            IpHeader::between([10, 0, 0, 1].into(), [10, 1, 0, 1].into())
        };
        let tcp = TcpHeader { src_port: 20_000 + self.flow, ..self.tcp };
        Packet {
            ip: ip.expect("both are of one family"),
            transport: Transport::Tcp(tcp),
            payload: Payload::Length(self.len),
        }
    }
}

impl Node {
    pub fn new(config: ThinningConfig) -> Self {
        Self {
            thinning: Thinning::new(config),
            queue: Queue::default(),
            pool: PacketPool::default(),
            now: Instant::from_millis(1),
            next_handle: 0,
        }
    }

    pub fn counters(&self) -> &ThinningCounters {
        self.thinning.counters()
    }

    /// The host hands a packet down.
    pub fn give(&mut self, segment: Segment) {
        let packet = self.pool.insert(segment.packet());
        self.next_handle += 1;
        let handle = FrameHandle(self.next_handle);
        let mut options = sent_by(1);
        match self.ask(|thinning, cx| thinning.on_outgoing(cx, packet, handle, &mut options)) {
            Verdict::Pass => self.queue.0.push_back((handle, packet)),
            Verdict::Hold => {}
            Verdict::Swallow => self.pool.release(packet),
            Verdict::Replace(_) => panic!("nothing is replaced so"),
        }
    }

    pub fn give_all(&mut self, segments: impl IntoIterator<Item = Segment>) {
        segments.into_iter().for_each(|segment| self.give(segment));
    }

    /// The headers in the queue, from its head.
    pub fn headers(&self) -> Vec<TcpHeader> {
        let header = |packet| *self.pool.get(packet).tcp().expect("only TCP was handed down");
        self.queue.0.iter().map(|&(_, packet)| header(packet)).collect()
    }

    /// The ACK numbers in the queue, from its head.
    pub fn queued(&self) -> Vec<u32> {
        self.headers().iter().map(|tcp| tcp.ack.0).collect()
    }

    /// Packets that are neither in the queue nor gone.
    pub fn held(&self) -> usize {
        self.pool.live() - self.queue.0.len()
    }

    /// The air takes so many frames.
    pub fn send(&mut self, frames: usize) -> Vec<u32> {
        let sent = self.queued()[..frames].to_vec();
        for (handle, packet) in self.queue.0.drain(..frames).collect::<Vec<_>>() {
            let mpdu = self.mpdu(handle, packet);
            self.ask(|thinning, cx| thinning.on_sequenced(cx, &mpdu));
            self.ask(|thinning, cx| thinning.on_delivered(cx, &mpdu));
            self.pool.release(packet);
        }
        sent
    }

    /// The queue drops its first frame.
    pub fn drop_first(&mut self) {
        let (handle, packet) = self.queue.0.pop_front().expect("a frame is queued");
        self.ask(|thinning, cx| thinning.on_dropped(cx, handle));
        self.pool.release(packet);
    }

    pub fn pass(&mut self, span: Duration) {
        self.now += span;
        if self.thinning.poll_timeout().is_some_and(|due| due <= self.now) {
            self.ask(|thinning, cx| thinning.on_timer(cx));
        }
        assert!(self.thinning.poll_timeout().is_none_or(|due| due > self.now), "what is due is done");
    }

    pub fn pass_ms(&mut self, millis: u64) {
        self.pass(Duration::from_millis(millis));
    }

    fn ask<R>(&mut self, question: impl FnOnce(&mut Thinning, &mut Context<'_>) -> R) -> R {
        let mut emissions = Vec::new();
        let mut cx = Context::new(self.now, NodeId(1), &mut self.pool, &[], &mut self.queue, &mut emissions);
        let answer = question(&mut self.thinning, &mut cx);
        for emission in emissions {
            let Emission::Queue(packet, options) = emission else { panic!("ACKs go into the queue") };
            assert_eq!(options, sent_by(1));
            self.next_handle += 1;
            let handle = FrameHandle(self.next_handle);
            let mut none = Vec::new();
            let mut cx = Context::new(self.now, NodeId(1), &mut self.pool, &[], &mut self.queue, &mut none);
            self.thinning.on_queued(&mut cx, packet, handle);
            self.queue.0.push_back((handle, packet));
        }
        answer
    }

    fn mpdu(&self, handle: FrameHandle, packet: PacketId) -> Mpdu {
        mpdu(&self.pool, NodeId(1), (handle, packet, sent_by(1)), MacSeq::new(handle.0 as u16))
    }
}

//! An AP with FastACK between a server and a client that the script plays.

use std::collections::VecDeque;

use ackless_dot11::frame::{FrameHandle, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{Context, Emission, Scheme, SendOptions, Verdict, Withdraw};
use ackless_schemes::fast_ack::{FastAck, FastAckConfig, FastAckCounters};
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{
    Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use crate::testing::frames::{mpdu, sent_by};

/// Every data segment's length.
pub const LEN: u32 = 1000;

pub struct Ap {
    fast_ack: FastAck,
    queue: Queue,
    pool: PacketPool,
    pub now: Instant,
    next_handle: u32,
    upstream: Vec<TcpHeader>,
    /// Where the numbers of the server begin: its SYN's.
    pub iss: u32,
    /// The client's window field, before it has received anything.
    pub window: u16,
    /// Whether the client's application reads what has come, so that the window stays as it is.
    pub reads: bool,
    pub stamps: bool,
}

#[derive(Default)]
struct Queue(VecDeque<(FrameHandle, PacketId, SendOptions)>);

/// A frame off the queue.
#[derive(Clone, Copy)]
pub struct Frame(Mpdu);

impl Withdraw for Queue {
    fn withdraw(&mut self, _handle: FrameHandle) -> Option<PacketId> {
        panic!("FastACK takes nothing back")
    }
}

impl Ap {
    pub fn new() -> Self {
        Self::with(FastAckConfig::default())
    }

    pub fn with(config: FastAckConfig) -> Self {
        Self {
            fast_ack: FastAck::new(config),
            queue: Queue::default(),
            pool: PacketPool::default(),
            now: Instant::from_millis(1),
            next_handle: 0,
            upstream: Vec::new(),
            iss: 999,
            window: 60_000,
            reads: false,
            stamps: true,
        }
    }

    /// An AP whose client has connected to the server.
    pub fn connected() -> Self {
        Self::connected_with(FastAckConfig::default())
    }

    pub fn connected_with(config: FastAckConfig) -> Self {
        let mut ap = Self::with(config);
        ap.connect(None);
        ap
    }

    /// The three segments of the handshake; both offer to scale windows, or neither.
    pub fn connect(&mut self, scale: Option<u8>) {
        let (_, mut syn) = self.client_header(0);
        (syn.seq, syn.flags) = (SeqNumber(4999), TcpFlags::SYN);
        syn.options.window_scale = scale;
        assert_eq!(self.client_sends(syn, 0), Verdict::Pass);
        let mut answer = self.server_header(0);
        (answer.seq, answer.flags) = (SeqNumber(self.iss), TcpFlags::SYN | TcpFlags::ACK);
        answer.options.window_scale = scale;
        self.server_sends(answer, 0);
        let frames = self.air(1);
        self.arrive(&frames);
        assert_eq!(self.ack(0), Verdict::Pass);
        self.upstream();
    }

    /// The AP starts anew. What it kept is gone with it.
    pub fn forget(&mut self) {
        self.fast_ack = FastAck::new(FastAckConfig::default());
    }

    pub fn counters(&self) -> &FastAckCounters {
        self.fast_ack.counters()
    }

    /// The server sends these segments.
    pub fn data(&mut self, segments: impl IntoIterator<Item = u32>) {
        for segment in segments {
            let header = self.server_header(segment);
            self.server_sends(header, LEN);
        }
    }

    /// The server's header of a segment.
    pub fn server_header(&self, segment: u32) -> TcpHeader {
        let mut tcp = TcpHeader {
            seq: self.byte(segment),
            ack: SeqNumber(5000),
            flags: TcpFlags::ACK,
            window: 500,
            ..TcpHeader::new(80, 20_000)
        };
        tcp.options.timestamps = self.stamps.then_some((1_000 + segment, 0));
        tcp
    }

    /// The client's header of an ACK of all segments before this one.
    pub fn client_header(&self, segment: u32) -> (Option<u32>, TcpHeader) {
        let unread = if self.reads { 0 } else { u16::try_from(segment * LEN).unwrap_or(u16::MAX) };
        let mut tcp = TcpHeader {
            seq: SeqNumber(5000),
            ack: self.byte(segment),
            flags: TcpFlags::ACK,
            window: self.window.saturating_sub(unread),
            ..TcpHeader::new(20_000, 80)
        };
        let val = (self.now - Instant::ZERO).as_micros_floor() as u32;
        tcp.options.timestamps = self.stamps.then_some((val, 0));
        (tcp.options.timestamps.map(|(val, _)| val), tcp)
    }

    /// The first byte of a segment.
    pub fn byte(&self, segment: u32) -> SeqNumber {
        SeqNumber(self.iss) + 1 + segment * LEN
    }

    /// Something comes off the wire for the client.
    pub fn server_sends(&mut self, tcp: TcpHeader, len: u32) {
        let packet = self.pool.insert(packet(false, tcp, len));
        self.next_handle += 1;
        let handle = FrameHandle(self.next_handle);
        let mut options = sent_by(0);
        match self.ask(|fast_ack, cx| fast_ack.on_outgoing(cx, packet, handle, &mut options)) {
            Verdict::Pass => self.queue.0.push_back((handle, packet, options)),
            Verdict::Swallow => self.pool.release(packet),
            other => panic!("{other:?}"),
        }
    }

    /// The client's ACK of all segments before this one comes up.
    pub fn ack(&mut self, segment: u32) -> Verdict {
        let (_, tcp) = self.client_header(segment);
        self.client_sends(tcp, 0)
    }

    /// The same with SACK blocks for these segments, from the first to just before the second.
    pub fn sack(&mut self, segment: u32, blocks: &[(u32, u32)]) -> Verdict {
        let (_, mut tcp) = self.client_header(segment);
        let blocks: Vec<_> = blocks.iter().map(|&(left, right)| (self.byte(left), self.byte(right))).collect();
        tcp.options.sack = SackBlocks::from_slice(&blocks);
        self.client_sends(tcp, 0)
    }

    /// Something comes up from the client.
    pub fn client_sends(&mut self, tcp: TcpHeader, len: u32) -> Verdict {
        let packet = self.pool.insert(packet(true, tcp, len));
        let verdict = self.ask(|fast_ack, cx| fast_ack.on_upward(cx, packet, NodeId(1)));
        if verdict == Verdict::Pass {
            self.upstream.push(tcp);
        }
        self.pool.release(packet);
        verdict
    }

    /// The first frames of the queue go on the air.
    pub fn air(&mut self, frames: usize) -> Vec<Frame> {
        self.now += Duration::from_micros(100);
        let taken: Vec<_> = self.queue.0.drain(..frames).collect();
        taken.into_iter().map(|(handle, packet, options)| Frame(self.mpdu(handle, packet, options))).collect()
    }

    /// The client's MAC acknowledges them.
    pub fn arrive(&mut self, frames: &[Frame]) {
        for Frame(mpdu) in frames {
            self.ask(|fast_ack, cx| fast_ack.on_delivered(cx, mpdu));
            self.pool.release(mpdu.packet);
        }
    }

    /// The next so many frames arrive.
    pub fn deliver(&mut self, frames: usize) {
        let frames = self.air(frames);
        self.arrive(&frames);
    }

    /// The next frame goes unacknowledged so often that it is given up.
    pub fn give_up(&mut self) {
        let frames = self.air(1);
        self.ask(|fast_ack, cx| fast_ack.on_given_up(cx, &frames[0].0));
        self.pool.release(frames[0].0.packet);
    }

    /// The queue drops its frame at this place.
    pub fn drop_at(&mut self, place: usize) {
        let (handle, packet, _) = self.queue.0.remove(place).expect("a frame is queued there");
        self.ask(|fast_ack, cx| fast_ack.on_dropped(cx, handle));
        self.pool.release(packet);
    }

    /// How the next frame is sent, changed.
    pub fn change_next(&mut self, change: impl FnOnce(&mut SendOptions)) {
        change(&mut self.queue.0[0].2);
    }

    /// The segments in the queue.
    pub fn queued(&self) -> Vec<u32> {
        let first = self.byte(0);
        self.queue.0.iter().map(|&(_, packet, _)| (self.header(packet).seq - first) / LEN).collect()
    }

    /// The headers of what is in the queue.
    pub fn queued_headers(&self) -> Vec<TcpHeader> {
        self.queue.0.iter().map(|&(_, packet, _)| self.header(packet)).collect()
    }

    /// Their timestamps.
    pub fn queued_stamps(&self) -> Vec<Option<(u32, u32)>> {
        self.queued_headers().iter().map(|tcp| tcp.options.timestamps).collect()
    }

    /// What has gone to the server since the last time: how many segments each ACK covers.
    pub fn upstream_acks(&mut self) -> Vec<u32> {
        let first = self.byte(0);
        self.upstream().iter().map(|tcp| (tcp.ack - first) / LEN).collect()
    }

    /// What has gone to the server since the last time.
    pub fn upstream(&mut self) -> Vec<TcpHeader> {
        std::mem::take(&mut self.upstream)
    }

    /// Packets that the AP keeps beside its queue.
    pub fn kept(&self) -> usize {
        let mut queued: Vec<_> = self.queue.0.iter().map(|&(_, packet, _)| packet).collect();
        queued.sort_unstable();
        queued.dedup();
        // A packet in the cache and in the queue is one packet.
        self.pool.live() - queued.len()
    }

    pub fn live(&self) -> usize {
        self.pool.live()
    }

    pub fn pass_ms(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        if self.fast_ack.poll_timeout().is_some_and(|due| due <= self.now) {
            self.ask(|fast_ack, cx| fast_ack.on_timer(cx));
        }
        assert!(self.fast_ack.poll_timeout().is_none_or(|due| due > self.now), "what is due is done");
    }

    fn header(&self, packet: PacketId) -> TcpHeader {
        *self.pool.get(packet).tcp().expect("all of it is TCP")
    }

    fn ask<R>(&mut self, question: impl FnOnce(&mut FastAck, &mut Context<'_>) -> R) -> R {
        let mut emissions = Vec::new();
        let mut cx = Context::new(self.now, NodeId(0), &mut self.pool, &[], &mut self.queue, &mut emissions);
        let answer = question(&mut self.fast_ack, &mut cx);
        for emission in emissions {
            match emission {
                Emission::Onward(packet, NodeId(1)) => {
                    self.upstream.push(self.header(packet));
                    self.pool.release(packet);
                }
                Emission::Queue(packet, options) => {
                    self.next_handle += 1;
                    let handle = FrameHandle(self.next_handle);
                    let mut none = Vec::new();
                    let mut cx = Context::new(self.now, NodeId(0), &mut self.pool, &[], &mut self.queue, &mut none);
                    self.fast_ack.on_queued(&mut cx, packet, handle);
                    self.queue.0.push_back((handle, packet, options));
                }
                other => panic!("{other:?}"),
            }
        }
        answer
    }

    fn mpdu(&self, handle: FrameHandle, packet: PacketId, options: SendOptions) -> Mpdu {
        mpdu(&self.pool, NodeId(0), (handle, packet, options), MacSeq::new(handle.0 as u16))
    }
}

fn packet(from_client: bool, tcp: TcpHeader, len: u32) -> Packet {
    let (client, server) = ([10, 0, 0, 1].into(), [10, 1, 0, 1].into());
    let (src, dst) = if from_client { (client, server) } else { (server, client) };
    let ip = IpHeader::between(src, dst).expect("both are IPv4");
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(len) }
}

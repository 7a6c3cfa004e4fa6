//! A node alone with its scheme, through which the packets of many flows go: what each of them
//! costs the scheme.
//!
//! The node's MAC loses nothing and sends at once, and no PPDU promises another: each ACK that the
//! scheme does not hold goes natively.

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{
    AnswerDue, AnswerKind, Arrival, ArrivalKind, Backlog, Context, Emission, Peer, Scheme, SendOptions, Verdict,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_schemes::AnyScheme;
use ackless_schemes::agent::{Agent, AgentConfig, Solution};
use ackless_schemes::arq_proxy::{self, ArqProxy, ArqProxyConfig, Identification};
use ackless_schemes::fast_ack::{FastAck, FastAckConfig};
use ackless_schemes::hack::{self, Hack, HackConfig};
use ackless_schemes::thinning::{Thinning, ThinningConfig};
use ackless_wire::{
    Bytes, Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader,
    Transport,
};

use super::frames::{mpdu, sent_by};
use super::queue::Queue;

/// The two ends of the hop.
pub const AP: usize = 0;
/// The station.
pub const STATION: usize = 1;

/// The schemes that keep something for each flow, each with its name.
pub const SCHEMES: [&str; 15] = [
    "stock",
    "hack",
    "hack-take-back",
    "hack-opportunistic",
    "hack-timer",
    "agent",
    "agent-flag",
    "arq",
    "arq-hash",
    "arq-more-data",
    "fast-ack",
    "cake",
    "broadcom",
    "broadcom-hold",
    "samsung",
];

/// The scheme with this name as it sits on this node.
///
/// # Panics
/// If no scheme has that name.
pub fn scheme(name: &str, node: usize) -> AnyScheme {
    let hack = |config: HackConfig| AnyScheme::Hack(Box::new(Hack::new(config)));
    let agent = |config: AgentConfig| {
        AnyScheme::Agent(Box::new(if node == AP { Agent::at_ap(config) } else { Agent::new(config) }))
    };
    let arq = |config: ArqProxyConfig| AnyScheme::ArqProxy(Box::new(ArqProxy::new(config)));
    let thinning = |config: ThinningConfig| AnyScheme::Thinning(Box::new(Thinning::new(config)));
    let timer = hack::Policy::ExplicitTimer(Duration::from_millis(10));
    match name {
        "stock" => AnyScheme::Stock,
        "hack" => hack(HackConfig::default()),
        "hack-take-back" => hack(HackConfig { take_back: true, ..HackConfig::default() }),
        "hack-opportunistic" => hack(HackConfig { policy: hack::Policy::Opportunistic, ..HackConfig::default() }),
        "hack-timer" => hack(HackConfig { policy: timer, ..HackConfig::default() }),
        "agent" => agent(AgentConfig::default()),
        "agent-flag" => agent(AgentConfig::of(Solution::Flag { extra_sifs: Duration::from_micros(50) })),
        "arq" => arq(ArqProxyConfig::default()),
        "arq-hash" => arq(ArqProxyConfig { identification: Identification::Hash, ..ArqProxyConfig::default() }),
        "arq-more-data" => arq(ArqProxyConfig { policy: arq_proxy::Policy::MoreData, ..ArqProxyConfig::default() }),
        "fast-ack" => AnyScheme::FastAck(Box::new(FastAck::new(FastAckConfig::default()))),
        "cake" => thinning(ThinningConfig::cake()),
        "broadcom" => thinning(ThinningConfig::broadcom()),
        "broadcom-hold" => thinning(ThinningConfig::broadcom_hold()),
        "samsung" => thinning(ThinningConfig::samsung()),
        _ => panic!("{name} is no scheme"),
    }
}

/// A node with its scheme.
pub struct Crowd {
    scheme: AnyScheme,
    node: usize,
    now: Instant,
    pool: PacketPool,
    queue: Queue,
    emissions: Vec<Emission>,
    handles: u32,
    /// Of the frames that this node sends and of those that its peer sends.
    seq: [MacSeq; 2],
    /// How far each flow's data has come; nothing before its SYN.
    flows: Vec<u32>,
    /// Packets that the scheme was asked about, since the start.
    pub packets: u64,
}

impl Crowd {
    /// A node before its first packet.
    pub fn new(name: &str, node: usize) -> Self {
        Self {
            scheme: scheme(name, node),
            node,
            now: Instant::from_secs(1),
            pool: PacketPool::default(),
            queue: Queue::default(),
            emissions: Vec::new(),
            handles: 0,
            seq: [MacSeq::default(); 2],
            flows: Vec::new(),
            packets: 0,
        }
    }

    /// A segment of data of this flow goes to the station, and its ACK comes back; the first time,
    /// its SYNs before them. 100 us pass.
    pub fn exchange(&mut self, flow: usize) {
        self.pass(Duration::from_micros(100));
        if self.flows.len() <= flow {
            self.flows.resize(flow + 1, 0);
        }
        if self.flows[flow] == 0 {
            self.flows[flow] = 1;
            self.up(flow, TcpFlags::SYN, (0, 0));
            self.down(flow, TcpFlags::SYN | TcpFlags::ACK, (0, 1), 0);
            self.up(flow, TcpFlags::ACK, (1, 1));
        }
        let at = self.flows[flow];
        self.down(flow, TcpFlags::ACK, (at, 1), SEGMENT);
        self.flows[flow] = at.wrapping_add(SEGMENT);
        self.up(flow, TcpFlags::ACK, (1, at.wrapping_add(SEGMENT)));
    }

    /// A bare ACK of a flow of which nothing else is ever seen comes from the station. 100 us pass.
    pub fn stray_ack(&mut self, flow: usize) {
        self.pass(Duration::from_micros(100));
        self.up(flow, TcpFlags::ACK, (1, 1));
    }

    /// Data of a flow of which nothing else is ever seen goes to the station. 100 us pass.
    pub fn stray_data(&mut self, flow: usize) {
        self.pass(Duration::from_micros(100));
        self.down(flow, TcpFlags::ACK, (1, 1), SEGMENT);
    }

    /// Time passes, and timers that run out are heard.
    pub fn pass(&mut self, span: Duration) {
        self.now += span;
        if self.scheme.poll_timeout().is_some_and(|due| due <= self.now) {
            self.ask(|scheme, cx| scheme.on_timer(cx));
            self.send_queued();
        }
    }

    /// A packet of the station's goes to the server.
    fn up(&mut self, flow: usize, flags: TcpFlags, (seq, ack): (u32, u32)) {
        let mut packet = packet(flow, STATION, flags, (seq, ack), 0);
        self.stamp(&mut packet);
        if self.node == STATION { self.send(packet) } else { self.receive(packet) }
    }

    /// A packet of the server's goes to the station.
    fn down(&mut self, flow: usize, flags: TcpFlags, (seq, ack): (u32, u32), len: u32) {
        let mut packet = packet(flow, AP, flags, (seq, ack), len);
        self.stamp(&mut packet);
        if self.node == AP { self.send(packet) } else { self.receive(packet) }
    }

    fn stamp(&self, packet: &mut Packet) {
        let millis = (self.now.saturating_since(Instant::ZERO).as_micros_floor() / 1000) as u32;
        if let Transport::Tcp(tcp) = &mut packet.transport {
            tcp.options.timestamps = Some((millis, millis - 1));
        }
    }

    /// This node's host hands a packet to its MAC, which sends it if the scheme lets it.
    fn send(&mut self, packet: Packet) {
        self.packets += 1;
        let packet = self.pool.insert(packet);
        self.handles += 1;
        let handle = FrameHandle(self.handles);
        let mut options = sent_by(self.node);
        match self.ask(|scheme, cx| scheme.on_outgoing(cx, packet, handle, &mut options)) {
            Verdict::Pass => self.queue.0.push_back((handle, packet, options)),
            Verdict::Hold => {}
            Verdict::Swallow => self.pool.release(packet),
            Verdict::Replace(other) => {
                self.pool.release(packet);
                self.queue.0.push_back((handle, other, options));
            }
        }
        self.send_queued();
    }

    /// All that waits in the queue is sent and answered.
    fn send_queued(&mut self) {
        let peer = NodeId(1 - self.node as u16);
        while let Some(queued) = self.queue.0.pop_front() {
            let mpdu = self.mpdu(0, queued);
            self.ask(|scheme, cx| {
                scheme.on_all_sequenced(cx, &[mpdu]);
                scheme.on_ppdu_out(cx, peer, Backlog::default(), &mut HeaderBits::default());
            });
            self.ask(|scheme, cx| {
                scheme.on_answer(cx, peer, &Answer::default(), Duration::ZERO);
                scheme.on_delivered(cx, &mpdu);
            });
            self.pool.release(mpdu.packet);
        }
    }

    /// A packet comes over the air, is answered and goes up.
    fn receive(&mut self, packet: Packet) {
        self.packets += 1;
        let packet = self.pool.insert(packet);
        let (peer, from) = (1 - self.node, NodeId(1 - self.node as u16));
        self.handles += 1;
        let mpdu = Mpdu { transmitter: from, ..self.mpdu(1, (FrameHandle(self.handles), packet, sent_by(peer))) };
        let arrival = Arrival { from, bits: HeaderBits::default(), kind: ArrivalKind::Single(mpdu.seq) };
        let passes = self.ask(|scheme, cx| {
            scheme.on_ppdu_in(cx, &arrival);
            scheme.on_mpdus(cx, &[mpdu]) == 1
        });
        if passes {
            match self.ask(|scheme, cx| scheme.on_upward(cx, packet, from)) {
                Verdict::Pass | Verdict::Swallow => self.pool.release(packet),
                Verdict::Hold => {}
                Verdict::Replace(other) => {
                    self.pool.release(packet);
                    self.pool.release(other);
                }
            }
        } else {
            self.pool.release(packet);
        }
        let rate = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
        let due = AnswerDue { to: from, kind: AnswerKind::Ack, rate, len: Bytes(14) };
        self.ask(|scheme, cx| scheme.on_answer_due(cx, &due, &mut Answer::default(), &mut Duration::default()));
        self.send_queued();
    }

    fn mpdu(&mut self, way: usize, queued: (FrameHandle, PacketId, SendOptions)) -> Mpdu {
        self.seq[way] = self.seq[way].plus(1);
        mpdu(&self.pool, NodeId(self.node as u16), queued, self.seq[way])
    }

    fn ask<R>(&mut self, question: impl FnOnce(&mut AnyScheme, &mut Context<'_>) -> R) -> R {
        let (node, peers) = (NodeId(self.node as u16), [Peer { capable: true, answer_delay: Duration::ZERO }; 2]);
        let mut emissions = std::mem::take(&mut self.emissions);
        let mut cx = Context::new(self.now, node, &mut self.pool, &peers, &mut self.queue, &mut emissions);
        let answer = question(&mut self.scheme, &mut cx);
        for emission in emissions.drain(..) {
            match emission {
                Emission::Onward(packet, _) | Emission::Local(packet) => self.pool.release(packet),
                Emission::Queue(packet, options) => {
                    self.handles += 1;
                    let handle = FrameHandle(self.handles);
                    let mut none = Vec::new();
                    let mut cx = Context::new(self.now, node, &mut self.pool, &peers, &mut self.queue, &mut none);
                    self.scheme.on_queued(&mut cx, packet, handle);
                    self.queue.0.push_back((handle, packet, options));
                }
            }
        }
        self.emissions = emissions;
        answer
    }
}

fn packet(flow: usize, from: usize, flags: TcpFlags, (seq, ack): (u32, u32), len: u32) -> Packet {
    // In no order, as a stranger's ports are.
    let client = (1_024 + flow * 7_919 % 64_000) as u16;
    let server = (80 + flow / 64_000) as u16;
    let (addresses, ports) = match from {
        AP => ([[10, 1, 0, 1], [10, 0, 0, 1]], (server, client)),
        _ => ([[10, 0, 0, 1], [10, 1, 0, 1]], (client, server)),
    };
    let [src, dst] = addresses;
    let tcp =
        TcpHeader { seq: SeqNumber(seq), ack: SeqNumber(ack), flags, window: 500, ..TcpHeader::new(ports.0, ports.1) };
    let ip = IpHeader::between(src.into(), dst.into()).expect("both are IPv4");
    Packet { ip, transport: Transport::Tcp(tcp), payload: if len == 0 { Payload::EMPTY } else { Payload::Length(len) } }
}

const SEGMENT: u32 = 1_448;

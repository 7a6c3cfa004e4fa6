//! One endpoint and a script that plays its peer, segment by segment.

use ackless_tcp::{Config, Consume, Endpoint, Event, State};
use ackless_wire::tcp::{SackBlocks, TcpOptions};
use ackless_wire::{
    Bytes, Duration, Ecn, Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use crate::pair::{A, B, address};

/// The endpoint's and the script's initial sequence numbers: positions in both directions are given as distances
/// from them.
pub const OUR_ISS: SeqNumber = SeqNumber(u32::MAX - 500);
pub const PEER_ISS: SeqNumber = SeqNumber(4_999);

/// An endpoint under a script.
pub struct Script {
    pub now: Instant,
    pub end: Endpoint,
    /// The window field of the script's segments.
    pub window: u16,
    /// The SACK blocks of its next segment, as distances from [`OUR_ISS`].
    pub sack: Vec<(u32, u32)>,
    /// Its timestamps, where it has any.
    pub stamps: Option<(u32, u32)>,
    /// The window scale of its SYNs, where they have one.
    pub scale: Option<u8>,
    /// The ECN field of its next segment, if not Not-ECT.
    pub ecn: Option<Ecn>,
}

/// What the endpoint sent, with numbers as distances from the initial ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub flags: TcpFlags,
    pub seq: u32,
    pub ack: u32,
    pub len: u32,
    pub window: u16,
    pub sack: Vec<(u32, u32)>,
    pub stamps: Option<(u32, u32)>,
    pub scale: Option<u8>,
    pub ecn: Ecn,
}

/// No timestamps, no scaling, 1000-byte segments, and everything read by the application.
pub fn plain() -> Config {
    Config {
        mss: Bytes(1000),
        timestamps: None,
        window_scaling: false,
        receive_buffer: Bytes(10_000),
        consume: Consume::ByApplication,
        ..Config::default()
    }
}

pub const ACK: TcpFlags = TcpFlags::ACK;
pub const SYN: TcpFlags = TcpFlags::SYN;
pub const FIN: TcpFlags = TcpFlags::FIN;
pub const RST: TcpFlags = TcpFlags::RST;

impl Script {
    pub fn listening(config: Config) -> Self {
        Self::of(Endpoint::listen(config, address(B), OUR_ISS))
    }

    pub fn calling(config: Config) -> Self {
        Self::of(Endpoint::connect(START, config, address(B), address(A), OUR_ISS))
    }

    fn of(end: Endpoint) -> Self {
        Self { now: START, end, window: 60_000, sack: Vec::new(), stamps: None, scale: None, ecn: None }
    }

    /// A connection that the script has called, with nothing to send.
    pub fn established(config: Config) -> Self {
        Self::listening(config).connected()
    }

    /// The same where the script's SYN has an option for window scaling.
    pub fn scaled(config: Config) -> Self {
        let mut script = Self::listening(Config { window_scaling: true, ..config });
        script.scale = Some(0);
        script.connected()
    }

    fn connected(self) -> Self {
        let mut script = self;
        script.stamps = script.stamps.or(Some((1, 0)));
        script.receive(SYN, 0, 0, 0);
        let answer = script.one();
        assert_eq!((answer.flags, answer.seq, answer.ack), (SYN | ACK, 0, 1));
        script.stamps = answer.stamps.map(|(value, _)| (1, value));
        script.receive(ACK, 1, 1, 0);
        assert_eq!(script.end.state(), State::Established);
        assert_eq!(script.events(), [Event::Connected]);
        script
    }

    /// The script sends a segment: numbers are distances from the initial ones.
    pub fn receive(&mut self, flags: TcpFlags, seq: u32, ack: u32, len: u32) {
        let mut options = TcpOptions { timestamps: self.stamps, ..TcpOptions::default() };
        if flags.contains(SYN) {
            options.mss = Some(1000);
            options.sack_permitted = true;
            options.window_scale = self.scale;
        }
        for (left, right) in self.sack.drain(..) {
            options.sack.push((OUR_ISS + left, OUR_ISS + right));
        }
        let ack = if flags.contains(ACK) { OUR_ISS + ack } else { SeqNumber(0) };
        let mut packet = packet(TcpHeader {
            seq: PEER_ISS + seq,
            ack,
            flags,
            window: self.window,
            options,
            ..TcpHeader::new(address(A).port(), address(B).port())
        });
        packet.ip.set_ecn(self.ecn.take().unwrap_or(Ecn::NotCapable));
        self.end.handle_segment(self.now, &Packet { payload: Payload::Length(len), ..packet });
    }

    /// A packet of data comes that receive offload has merged of segments with so much payload each, as the first of a batch.
    pub fn receive_merged(&mut self, seq: u32, len: u32, segment: Bytes) {
        let packet = packet(TcpHeader {
            seq: PEER_ISS + seq,
            ack: OUR_ISS + 1,
            flags: ACK,
            window: self.window,
            options: TcpOptions { timestamps: self.stamps, ..TcpOptions::default() },
            ..TcpHeader::new(address(A).port(), address(B).port())
        });
        self.end.handle_merged(self.now, &Packet { payload: Payload::Length(len), ..packet }, segment);
    }

    /// Everything that the endpoint sends now.
    pub fn all(&mut self) -> Vec<Sent> {
        let now = self.now;
        std::iter::from_fn(|| self.end.poll_transmit(now)).map(|packet| sent(&packet)).collect()
    }

    /// The one segment that the endpoint sends now.
    pub fn one(&mut self) -> Sent {
        let all = self.all();
        assert_eq!(all.len(), 1, "one segment: {all:?}");
        all.into_iter().next().expect("there is one")
    }

    /// The endpoint sends nothing now.
    pub fn nothing(&mut self) {
        assert_eq!(self.all(), []);
    }

    /// Each segment that the endpoint sends now: where it begins and how long it is.
    pub fn spans(&mut self) -> Vec<(u32, u32)> {
        self.all().iter().map(|sent| (sent.seq, sent.len)).collect()
    }

    pub fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.end.poll_event()).collect()
    }

    pub fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    /// Waits for the endpoint's deadline, fires it, and says how long it took.
    pub fn wake(&mut self) -> Duration {
        let at = self.end.poll_timeout().expect("the endpoint waits for something");
        let waited = at.saturating_since(self.now);
        self.now = self.now.max(at);
        self.end.handle_timeout(self.now);
        waited
    }

    /// What the application reads, in bytes.
    pub fn read(&mut self, limit: u64) -> u64 {
        let mut read = 0;
        while let Some(payload) = self.end.read(Bytes(limit - read)) {
            read += u64::from(payload.len());
        }
        read
    }
}

fn packet(tcp: TcpHeader) -> Packet {
    let ip = IpHeader::between(address(A).ip(), address(B).ip()).expect("both addresses are IPv4");
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
}

fn sent(packet: &Packet) -> Sent {
    let tcp = packet.tcp().expect("an endpoint sends TCP");
    let relative = |blocks: &SackBlocks| {
        blocks.as_slice().iter().map(|&(left, right)| (left - PEER_ISS, right - PEER_ISS)).collect()
    };
    Sent {
        flags: tcp.flags,
        seq: tcp.seq - OUR_ISS,
        ack: if tcp.flags.contains(ACK) { tcp.ack - PEER_ISS } else { 0 },
        len: packet.payload.len(),
        window: tcp.window,
        sack: relative(&tcp.options.sack),
        stamps: tcp.options.timestamps,
        scale: tcp.options.window_scale,
        ecn: packet.ip.ecn(),
    }
}

const START: Instant = Instant::from_millis(1000);

//! Arbitrary TCP packets of few flows, so that they meet each other.

use std::net::IpAddr;
use std::sync::OnceLock;

use ackless_rohc::hack::{Cid, FiveTuple};
use ackless_wire::tcp::{AckRate, Checksum, RateRequest, SackBlocks};
use ackless_wire::{IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};
use arbitrary::Arbitrary;

use crate::node::{PEERS, node};

/// A TCP packet between a peer and a server.
#[derive(Arbitrary, Clone, Debug)]
pub struct Segment {
    /// One of [`FLOWS`].
    pub flow: u8,
    pub seq: Number,
    pub ack: Number,
    /// ACK alone, if nothing else is said.
    pub flags: Option<u8>,
    pub payload: Option<u8>,
    pub window: u16,
    pub id: u8,
    pub stamps: Option<(u8, u8)>,
    pub sack: Option<(Number, u8)>,
    /// Anything that is rare.
    pub rare: Option<Rare>,
}

/// A sequence number.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Number {
    Steps(u8),
    Any(u32),
}

/// What few packets have.
#[derive(Arbitrary, Clone, Debug)]
pub enum Rare {
    WrongChecksum(u16),
    Mss(u16),
    WindowScale(u8),
    SackPermitted,
    Urgent(u16),
    Ttl(u8),
    Stamps(u32, u32),
    Blocks(Vec<(u32, u32)>),
    AckType(u8),
    PacketNumber(u32),
    RateRequest(Option<u8>),
}

/// Which way a packet goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    FromPeer,
    ToPeer,
}

impl Number {
    pub const fn get(self) -> SeqNumber {
        match self {
            // Past the wrap within the steps.
            Self::Steps(n) => SeqNumber(0xffff_0000_u32.wrapping_add(n as u32 * 1448)),
            Self::Any(n) => SeqNumber(n),
        }
    }
}

impl Segment {
    /// An ACK of one of [`FLOWS`].
    pub const fn plain(flow: u8) -> Self {
        let zero = Number::Steps(0);
        Self {
            flow,
            seq: zero,
            ack: zero,
            flags: None,
            payload: None,
            window: 0,
            id: 0,
            stamps: None,
            sack: None,
            rare: None,
        }
    }

    /// The packet of the connection that a peer has with the server, this way. The last two flows are IPv6.
    pub fn packet(&self, peer: u8, way: Way) -> Packet {
        let (number, flow) = (node(peer).0, usize::from(self.flow % FLOWS));
        let mut tcp = TcpHeader {
            seq: self.seq.get(),
            ack: self.ack.get(),
            flags: self.flags.map_or(TcpFlags::ACK, TcpFlags::from_bits_truncate),
            window: self.window,
            ..TcpHeader::new(ports()[usize::from(number)][flow], SERVER_PORT)
        };
        tcp.options.timestamps = self.stamps.map(|(value, echo)| (value.into(), echo.into()));
        if let Some((left, len)) = self.sack {
            let left = left.get();
            tcp.options.sack = SackBlocks::from_slice(&[(left, left + u32::from(len) * 1448)]);
        }
        let (mut src, mut dst) = addresses(number, flow + 2 >= usize::from(FLOWS));
        if way == Way::ToPeer {
            (tcp.src_port, tcp.dst_port) = (tcp.dst_port, tcp.src_port);
            (src, dst) = (dst, src);
        }
        let ip = IpHeader::between(src, dst);
        let mut ip = ip.expect("both addresses are of one family");
        if let IpHeader::V4(v4) = &mut ip {
            v4.id = self.id.into();
        }
        if let Some(rare) = &self.rare {
            rare.apply(&mut ip, &mut tcp);
        }
        let payload = Payload::Length(self.payload.unwrap_or(0).into());
        Packet { ip, transport: Transport::Tcp(tcp), payload }
    }
}

impl Rare {
    fn apply(&self, ip: &mut IpHeader, tcp: &mut TcpHeader) {
        match self {
            Self::WrongChecksum(value) => tcp.checksum = Checksum::Wrong(*value),
            Self::Mss(mss) => tcp.options.mss = Some(*mss),
            Self::WindowScale(shift) => tcp.options.window_scale = Some(*shift),
            Self::SackPermitted => tcp.options.sack_permitted = true,
            Self::Urgent(pointer) => tcp.urgent = *pointer,
            Self::Ttl(ttl) => match ip {
                IpHeader::V4(v4) => v4.ttl = *ttl,
                IpHeader::V6(v6) => v6.hop_limit = *ttl,
            },
            Self::Stamps(value, echo) => tcp.options.timestamps = Some((*value, *echo)),
            Self::Blocks(blocks) => {
                let blocks: Vec<_> = blocks.iter().take(4).map(|&(l, r)| (SeqNumber(l), SeqNumber(r))).collect();
                tcp.options.sack = SackBlocks::from_slice(&blocks);
            }
            Self::AckType(kind) => tcp.options.tack.ack_type = Some(*kind),
            Self::PacketNumber(number) => tcp.options.tack.packet_number = Some(*number),
            Self::RateRequest(byte) => {
                let request = byte.map(|byte| AckRate::of(RateRequest::from_byte(byte)));
                tcp.options.ack_rate = Some(request.unwrap_or(AckRate::CAPABLE));
            }
        }
    }
}

/// The addresses of a peer and of the server.
fn addresses(peer: u16, v6: bool) -> (IpAddr, IpAddr) {
    let [peer, server] = [peer as u8, 250];
    if v6 { ([peer; 16].into(), [server; 16].into()) } else { ([10, 0, 0, peer].into(), [10, 0, 0, server].into()) }
}

/// The peers' ports, by node and flow. The first two flows of each share a context identifier.
fn ports() -> &'static [[u16; FLOWS as usize]; PEERS as usize + 1] {
    static PORTS: OnceLock<[[u16; FLOWS as usize]; PEERS as usize + 1]> = OnceLock::new();
    PORTS.get_or_init(|| {
        std::array::from_fn(|peer| {
            let (src, dst) = addresses(peer as u16, false);
            let cid = |src_port| Cid::of(&FiveTuple { src, dst, src_port, dst_port: SERVER_PORT });
            let mut ports = std::array::from_fn(|flow| 20_000 + flow as u16);
            let shares = |port: &u16| cid(*port) == cid(ports[0]);
            ports[1] = (30_000..).find(shares).expect("one port in 256 shares the identifier");
            ports
        })
    })
}

/// How many flows each peer has.
pub const FLOWS: u8 = 8;
/// The server's port.
const SERVER_PORT: u16 = 80;

//! Flows of pure ACKs, from the plain to the absurd.

use ackless_rohc::hack::Ack;
use ackless_wire::ip::{Ipv4Header, Ipv6Header};
use ackless_wire::random::Stream;
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

/// How an IPv4 identification moves.
#[derive(Clone, Copy, Debug)]
pub enum IpId {
    Constant,
    Sequential,
    Swapped,
    Random,
}

/// A flow of ACKs. `restless` is the share of ACKs, from 0 to 1, that change something which seldom changes.
#[derive(Debug)]
pub struct Flow {
    random: Stream,
    ip_id: IpId,
    restless: f64,
    packet: Packet,
}

impl Flow {
    /// A flow of random properties; its fields start where some of them wrap soon.
    pub fn new(mut random: Stream, restless: f64) -> Self {
        let ip_id = [IpId::Constant, IpId::Sequential, IpId::Swapped, IpId::Random][random.below(4) as usize];
        let ip = if random.chance(0.6) {
            let mut v4 = Ipv4Header::new((random.bits() as u32).into(), (random.bits() as u32).into());
            v4.id = if random.chance(0.3) { 0 } else { random.bits() as u16 };
            v4.dont_fragment = random.chance(0.8);
            IpHeader::V4(v4)
        } else {
            let mut v6 = Ipv6Header::new(u128::from(random.bits()).into(), u128::from(random.bits()).into());
            v6.flow_label = random.below(1 << 20) as u32;
            IpHeader::V6(v6)
        };
        let mut tcp = TcpHeader::new(random.bits() as u16, random.bits() as u16);
        tcp.flags = TcpFlags::ACK;
        tcp.seq = SeqNumber(random.bits() as u32);
        tcp.ack = SeqNumber(near_wrap(&mut random));
        tcp.window = random.bits() as u16;
        if random.chance(0.7) {
            tcp.options.timestamps = Some((near_wrap(&mut random), near_wrap(&mut random)));
        }
        let packet = Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY };
        Self { random, ip_id, restless, packet }
    }

    /// The next ACK.
    pub fn next(&mut self) -> Ack {
        let Self { random, ip_id, restless, packet } = self;
        let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("a flow is TCP") };
        move_id(random, *ip_id, &mut packet.ip);
        acknowledge(random, tcp);
        if let Some((value, echo)) = &mut tcp.options.timestamps {
            for stamp in [value, echo] {
                let range = [2, 5, 20, 300][random.below(4) as usize];
                let by = if random.chance(0.7) { 0 } else { random.below(range) };
                *stamp = stamp.wrapping_add(by as u32);
            }
        }
        if random.chance(0.1) {
            let range = [20, 200, 60_000][random.below(3) as usize];
            tcp.window = tcp.window.wrapping_add(random.below(range) as u16).wrapping_sub(range as u16 / 2);
        }
        if random.chance(*restless) {
            disturb(random, packet);
        }
        Ack::of(packet).expect("a flow has only ACKs that can be compressed")
    }
}

/// Moves the identification as hosts do, sometimes past other packets of the same host.
fn move_id(random: &mut Stream, ip_id: IpId, ip: &mut IpHeader) {
    let IpHeader::V4(v4) = ip else { return };
    let by = if random.chance(0.95) { 1 } else { random.below(9) as u16 };
    v4.id = match ip_id {
        IpId::Constant => v4.id,
        IpId::Sequential => v4.id.wrapping_add(by),
        IpId::Swapped => v4.id.swap_bytes().wrapping_add(by).swap_bytes(),
        IpId::Random => random.bits() as u16,
    };
}

/// Moves the acknowledgment number and the SACK blocks as a receiver does: strides, duplicates, and holes that open,
/// grow, move to the front and close.
fn acknowledge(random: &mut Stream, tcp: &mut TcpHeader) {
    let blocks = tcp.options.sack.as_slice().to_vec();
    match random.below(20) {
        0..12 => {
            tcp.ack += 2896;
            let later: Vec<_> = blocks.into_iter().filter(|(left, _)| left.after(tcp.ack)).collect();
            tcp.options.sack = SackBlocks::from_slice(&later);
        }
        12 => tcp.ack += 1448,
        13 => tcp.ack += random.below(70_000) as u32,
        14 => {}
        15..18 if !blocks.is_empty() => {
            let mut blocks = blocks;
            let place = if random.chance(0.8) { 0 } else { random.below(blocks.len() as u64) as usize };
            let (left, right) = blocks.remove(place);
            let by = if random.chance(0.9) { 1448 } else { random.below(5000) as u32 };
            blocks.insert(0, (left, right + by));
            tcp.options.sack = SackBlocks::from_slice(&blocks);
        }
        18 => {
            let far = if random.chance(0.9) { random.below(200_000) } else { random.bits() } as u32;
            let left = tcp.ack + far;
            let room = if tcp.options.len().get() > blocks.len() as u64 * 8 + 4 { 3 } else { 4 };
            let mut blocks = blocks;
            blocks.insert(0, (left, left + 1448));
            blocks.truncate(if has_no_room_for_sack(tcp) { 0 } else { room });
            tcp.options.sack = SackBlocks::from_slice(&blocks);
        }
        _ => tcp.options.sack = SackBlocks::EMPTY,
    }
}

/// Whether other options leave less than 28 bytes.
fn has_no_room_for_sack(tcp: &TcpHeader) -> bool {
    let mut others = tcp.options;
    others.sack = SackBlocks::EMPTY;
    others.len().get() > 12
}

/// Changes one of the fields that seldom change, or any to anything.
fn disturb(random: &mut Stream, packet: &mut Packet) {
    let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("a flow is TCP") };
    let bits = random.bits();
    match random.below(16) {
        0 => tcp.flags.toggle(TcpFlags::ECE),
        1 => tcp.flags.toggle(TcpFlags::CWR),
        2 => tcp.urgent = bits as u16,
        3 => tcp.seq += bits as u32 % 3000,
        4 => tcp.seq = SeqNumber(bits as u32),
        5 => tcp.ack = SeqNumber(bits as u32),
        6 => tcp.window = bits as u16,
        7 => tcp.options.timestamps = None,
        8 => {
            tcp.options.sack = SackBlocks::EMPTY;
            tcp.options.timestamps = Some((bits as u32, (bits >> 32) as u32));
        }
        9 => {
            tcp.options.sack = SackBlocks::EMPTY;
            tcp.options.mss = (bits & 1 == 0).then_some((bits >> 1) as u16);
            tcp.options.sack_permitted = bits & 1 << 20 != 0;
            tcp.options.window_scale = (bits & 1 << 21 == 0).then_some((bits >> 22) as u8);
        }
        10 => {
            let edge = |n: u32| SeqNumber((bits >> n) as u32);
            tcp.options.timestamps = None;
            (tcp.options.mss, tcp.options.sack_permitted, tcp.options.window_scale) = (None, false, None);
            tcp.options.sack = SackBlocks::from_slice(&[(edge(0), edge(5)), (edge(9), edge(14)), (edge(20), edge(32))]);
        }
        11..14 => match &mut packet.ip {
            IpHeader::V4(v4) => v4.dscp_ecn = bits as u8,
            IpHeader::V6(v6) => v6.traffic_class = bits as u8,
        },
        14 => match &mut packet.ip {
            IpHeader::V4(v4) => v4.ttl = bits as u8,
            IpHeader::V6(v6) => v6.hop_limit = bits as u8,
        },
        _ => match &mut packet.ip {
            IpHeader::V4(v4) => v4.dont_fragment ^= true,
            IpHeader::V6(v6) => v6.flow_label = bits as u32 & 0xf_ffff,
        },
    }
}

/// A number that often lies shortly before its wrap.
fn near_wrap(random: &mut Stream) -> u32 {
    let n = random.bits() as u32;
    if random.chance(0.3) { u32::MAX - n % 100_000 } else { n }
}

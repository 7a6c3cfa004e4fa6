//! Packets as real hosts send them, as bytes.

use std::net::IpAddr;

use ackless_wire::{IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport, UdpHeader};

/// A packet's bytes.
pub fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.emit(&mut bytes);
    bytes
}

/// What no parsed form says: one packet of each kind, from `src` to `dst`. `number` tells those of one kind apart.
pub fn strange(src: IpAddr, dst: IpAddr, number: u16) -> Vec<Vec<u8>> {
    let ip = IpHeader::between(src, dst).expect("both are of one family");
    let [high, low] = number.to_be_bytes();
    let mut all = vec![
        // ICMP's echo request, or that of ICMPv6, and something of SCTP.
        carrying(
            &ip,
            if src.is_ipv4() { 1 } else { 58 },
            &[if src.is_ipv4() { 8 } else { 128 }, 0, 1, 2, 7, 7, high, low],
        ),
        carrying(&ip, 132, &[0x0b, 0x59, 0x0b, 0x5a, 0, 0, high, low, 0, 0, 0, 0]),
        // A datagram with a wrong checksum, and one without (RFC 768; over IPv6, RFC 6935).
        carrying(&ip, 17, &[3, 232, 0, 53, 0, 10, 1, 2, high, low]),
        carrying(&ip, 17, &[3, 232, 0, 53, 0, 10, 0, 0, high, low]),
        // A protocol that nobody has heard of, with nothing but its number.
        carrying(&ip, 253, &[high, low]),
        // Data and an ACK of MPTCP (RFC 8684, 3.3): with a data sequence mapping, and with a data ACK.
        mptcp(ip, number, &[30, 12, 0x20, 4, 0, 0, 0, high, 0, 0, 0, low], 700),
        mptcp(ip, number, &[30, 8, 0x20, 1, 0, 0, high, low], 0),
        // A bit that is reserved.
        reserved(ip, number),
    ];
    match src {
        IpAddr::V4(_) => {
            all.push(fragment(&ip, [0x20, 0], number, &[1; 64]));
            all.push(fragment(&ip, [0x00, 8], number, &[2; 40]));
            all.push(router_alert(&ip, number));
        }
        IpAddr::V6(_) => {
            // A fragment header, and destination options in front of a datagram (RFC 8200, 4.5 and 4.6).
            all.push(carrying(&ip, 44, &[17, 0, 0, 1, 0, 0, high, low, 3, 232, 0, 53]));
            all.push(carrying(&ip, 60, &[17, 0, 1, 4, 0, 0, 0, 0, 3, 232, 0, 53, 0, 8, high, low]));
        }
    }
    all
}

/// What the parsed form says exactly and no scheme has anything to do with.
pub fn plain(src: IpAddr, dst: IpAddr, number: u16) -> Vec<Vec<u8>> {
    let ip = IpHeader::between(src, dst).expect("both are of one family");
    let payload = Payload::Data(vec![number as u8; 300].into());
    // These are the ports of a cell's own flows and pings.
    let datagram = |dst_port| {
        let udp = UdpHeader { src_port: 4000, dst_port };
        bytes(&Packet { ip, transport: Transport::Udp(udp), payload: payload.clone() })
    };
    [53, 10_000, 20_000, 30_000, 40_000].map(datagram).to_vec()
}

/// An IP packet with this protocol and content.
fn carrying(ip: &IpHeader, protocol: u8, content: &[u8]) -> Vec<u8> {
    let payload = Payload::Data(content.to_vec().into());
    let udp = Transport::Udp(UdpHeader { src_port: 0, dst_port: 0 });
    let mut bytes = bytes(&Packet { ip: *ip, transport: udp, payload });
    let header = ip.len().get() as usize;
    bytes.drain(header..header + 8);
    match ip {
        IpHeader::V4(_) => {
            let len = bytes.len() as u16;
            bytes[2..4].copy_from_slice(&len.to_be_bytes());
            bytes[9] = protocol;
            sum_header(&mut bytes, 20);
        }
        IpHeader::V6(_) => {
            bytes[4..6].copy_from_slice(&(content.len() as u16).to_be_bytes());
            bytes[6] = protocol;
        }
    }
    bytes
}

fn fragment(ip: &IpHeader, offset: [u8; 2], number: u16, content: &[u8]) -> Vec<u8> {
    let mut bytes = carrying(ip, 17, content);
    bytes[4..6].copy_from_slice(&number.to_be_bytes());
    bytes[6..8].copy_from_slice(&offset);
    sum_header(&mut bytes, 20);
    bytes
}

/// A datagram behind the IPv4 option of RFC 2113.
fn router_alert(ip: &IpHeader, number: u16) -> Vec<u8> {
    let mut bytes = carrying(ip, 17, &[3, 232, 0, 53, 0, 8, 0, 0]);
    bytes.splice(20..20, [0x94, 4, 0, 0]);
    (bytes[0], bytes[3]) = (0x46, bytes[3] + 4);
    bytes[4..6].copy_from_slice(&number.to_be_bytes());
    sum_header(&mut bytes, 24);
    bytes
}

/// A segment with this option, which fills whole words.
fn mptcp(ip: IpHeader, number: u16, option: &[u8], len: usize) -> Vec<u8> {
    let tcp = TcpHeader {
        seq: SeqNumber(1000 + 700 * u32::from(number)),
        flags: TcpFlags::ACK,
        window: 500,
        ..TcpHeader::new(5201, 40_000)
    };
    let payload = if len == 0 { Payload::EMPTY } else { Payload::Data(vec![5; len].into()) };
    with_option(&Packet { ip, transport: Transport::Tcp(tcp), payload }, option)
}

/// The packet with this option behind its own; it fills whole words.
pub fn with_option(packet: &Packet, option: &[u8]) -> Vec<u8> {
    let mut bytes = bytes(packet);
    let header = packet.ip.len().get() as usize;
    let end = packet.header_len().get() as usize;
    bytes.splice(end..end, option.iter().copied());
    bytes[header + 12] += ((option.len() / 4) as u8) << 4;
    let len = bytes.len() as u16;
    match packet.ip {
        IpHeader::V4(_) => {
            bytes[2..4].copy_from_slice(&len.to_be_bytes());
            sum_header(&mut bytes, 20);
        }
        IpHeader::V6(_) => bytes[4..6].copy_from_slice(&(len - 40).to_be_bytes()),
    }
    sum_segment(&mut bytes, &packet.ip);
    bytes
}

fn reserved(ip: IpHeader, number: u16) -> Vec<u8> {
    let tcp = TcpHeader { ack: SeqNumber(number.into()), flags: TcpFlags::ACK, ..TcpHeader::new(5202, 40_000) };
    with_reserved_bit(&Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY })
}

/// The segment with the bit that is next to its data offset.
pub fn with_reserved_bit(packet: &Packet) -> Vec<u8> {
    let mut bytes = bytes(packet);
    bytes[packet.ip.len().get() as usize + 12] |= 1;
    sum_segment(&mut bytes, &packet.ip);
    bytes
}

/// The segment with its timestamps in front of their padding, where it has that.
pub fn swap_layout(packet: &Packet) -> Vec<u8> {
    let mut bytes = bytes(packet);
    let options = packet.ip.len().get() as usize + 20;
    if bytes.get(options..options + 4) == Some(&[1, 1, 8, 10]) {
        bytes[options..options + 12].rotate_left(2);
        sum_segment(&mut bytes, &packet.ip);
    }
    bytes
}

fn sum_header(bytes: &mut [u8], len: usize) {
    bytes[10..12].fill(0);
    let value = !folded(words(&bytes[..len]));
    bytes[10..12].copy_from_slice(&value.to_be_bytes());
}

fn sum_segment(bytes: &mut [u8], ip: &IpHeader) {
    let header = ip.len().get() as usize;
    bytes[header + 16..header + 18].fill(0);
    let addresses = if header == 20 { 12..20 } else { 8..40 };
    let sum = words(&bytes[addresses]) + words(&bytes[header..]) + 6 + (bytes.len() - header) as u64;
    let value = !folded(sum);
    bytes[header + 16..header + 18].copy_from_slice(&value.to_be_bytes());
}

fn words(bytes: &[u8]) -> u64 {
    bytes.chunks(2).map(|word| u64::from(word[0]) << 8 | word.get(1).map_or(0, |&low| u64::from(low))).sum()
}

fn folded(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

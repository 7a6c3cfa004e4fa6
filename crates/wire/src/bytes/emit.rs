//! A packet's bytes.

use crate::bytes::checksum::{self, Sum};
use crate::bytes::{MAX_OPTIONS, options};
use crate::ip::{IpHeader, Ipv4Header, Ipv6Header, TCP, UDP};
use crate::packet::{Packet, Payload, Transport};
use crate::tcp::{Checksum, TcpHeader};
use crate::udp::UdpHeader;

/// Appends the packet; see [`Packet::emit`].
pub(super) fn packet(packet: &Packet, out: &mut Vec<u8>) {
    match &packet.transport {
        Transport::Tcp(header) => {
            let start = ip(packet, TCP, out);
            tcp(header, out);
            let right = payload(packet, TCP, start, out).checksum();
            let value = if let Checksum::Wrong(value) = header.checksum { value } else { right };
            out[start + 16..start + 18].copy_from_slice(&value.to_be_bytes());
        }
        Transport::Udp(header) => {
            let start = ip(packet, UDP, out);
            udp(header, length_field(UdpHeader::LEN.get() + u64::from(packet.payload.len())), out);
            // Zero would say that there is no checksum (RFC 768).
            let value = match payload(packet, UDP, start, out).checksum() {
                0 => 0xffff,
                value => value,
            };
            out[start + 6..start + 8].copy_from_slice(&value.to_be_bytes());
        }
        Transport::Foreign(foreign) => foreign.emit(&packet.ip, out),
    }
}

/// Appends the IP header, and says where what it carries begins.
fn ip(packet: &Packet, protocol: u8, out: &mut Vec<u8>) -> usize {
    let len = packet.len().get();
    match &packet.ip {
        IpHeader::V4(header) => ipv4(header, length_field(len), protocol, out),
        IpHeader::V6(header) => ipv6(header, length_field(len - Ipv6Header::LEN.get()), protocol, out),
    }
    out.len()
}

/// Appends the payload, and sums up what the IP packet carries from `start` on.
fn payload(packet: &Packet, protocol: u8, start: usize, out: &mut Vec<u8>) -> Sum {
    match &packet.payload {
        Payload::Length(n) => out.resize(out.len() + *n as usize, 0),
        Payload::Data(data) => out.extend_from_slice(data),
    }
    let mut sum = Sum::pseudo_header(&packet.ip, protocol, out.len() - start);
    sum.add(&out[start..]);
    sum
}

/// Appends an IPv4 header (RFC 791, 3.1).
fn ipv4(header: &Ipv4Header, total_len: u16, protocol: u8, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0x45, header.dscp_ecn]);
    out.extend(total_len.to_be_bytes());
    out.extend(header.id.to_be_bytes());
    out.extend([if header.dont_fragment { 0x40 } else { 0 }, 0, header.ttl, protocol, 0, 0]);
    out.extend(header.src.octets());
    out.extend(header.dst.octets());
    let value = checksum::sum(&out[start..]).checksum();
    out[start + 10..start + 12].copy_from_slice(&value.to_be_bytes());
}

/// Appends an IPv6 header (RFC 8200, 3).
fn ipv6(header: &Ipv6Header, payload_len: u16, protocol: u8, out: &mut Vec<u8>) {
    let first = 6 << 28 | u32::from(header.traffic_class) << 20 | header.flow_label & 0xf_ffff;
    out.extend(first.to_be_bytes());
    out.extend(payload_len.to_be_bytes());
    out.extend([protocol, header.hop_limit]);
    out.extend(header.src.octets());
    out.extend(header.dst.octets());
}

/// Appends a TCP header with a checksum of zero (RFC 9293, 3.1).
fn tcp(header: &TcpHeader, out: &mut Vec<u8>) {
    let options_len = header.options.len().get();
    assert!(options_len <= MAX_OPTIONS, "a segment's options fit its header");
    let words = (header.len().get() / 4) as u8;
    out.extend(header.src_port.to_be_bytes());
    out.extend(header.dst_port.to_be_bytes());
    out.extend(header.seq.0.to_be_bytes());
    out.extend(header.ack.0.to_be_bytes());
    out.extend([words << 4, header.flags.bits()]);
    out.extend(header.window.to_be_bytes());
    out.extend([0, 0]);
    out.extend(header.urgent.to_be_bytes());
    options::emit(&header.options, out);
}

/// Appends a UDP header with a checksum of zero (RFC 768).
fn udp(header: &UdpHeader, len: u16, out: &mut Vec<u8>) {
    out.extend(header.src_port.to_be_bytes());
    out.extend(header.dst_port.to_be_bytes());
    out.extend(len.to_be_bytes());
    out.extend([0, 0]);
}

/// A length as it stands in a header.
fn length_field(len: u64) -> u16 {
    u16::try_from(len).expect("a packet's length fits its header")
}

//! Bytes to packets.

use crate::bytes::checksum::{self, Sum};
use crate::bytes::{MAX_OPTIONS, ParseError, TCP, UDP, options};
use crate::ip::{IpHeader, Ipv4Header, Ipv6Header};
use crate::packet::{Packet, Payload, Transport};
use crate::tcp::{Checksum, Omitted, SeqNumber, TcpFlags, TcpHeader};
use crate::udp::UdpHeader;

/// Parses a packet; see [`Packet::parse`]. `keep` makes the payload of bytes, where there are any.
pub(super) fn packet(bytes: &[u8], keep: impl FnOnce(&[u8]) -> Payload) -> Result<Packet, ParseError> {
    let (ip, protocol, segment) = match bytes.first() {
        None => return Err(ParseError::Truncated { needed: 1, have: 0 }),
        Some(first) if first >> 4 == 4 => ipv4(bytes)?,
        Some(first) if first >> 4 == 6 => ipv6(bytes)?,
        Some(first) => return Err(ParseError::Version(first >> 4)),
    };
    let (mut transport, payload) = match protocol {
        TCP => tcp(&ip, segment)?,
        UDP => udp(&ip, segment)?,
        other => return Err(ParseError::Protocol(other)),
    };
    if let (IpHeader::V4(_), Transport::Tcp(tcp)) = (&ip, &mut transport)
        && bytes[6] & RESERVED_FLAG != 0
    {
        tcp.omitted |= Omitted::RESERVED;
    }
    let payload = if payload.is_empty() { Payload::EMPTY } else { keep(payload) };
    Ok(Packet { ip, transport, payload })
}

/// An IPv4 header (RFC 791, 3.1), the protocol it names, and what it carries.
fn ipv4(bytes: &[u8]) -> Result<(IpHeader, u8, &[u8]), ParseError> {
    let header: &[u8; 20] = fixed(bytes)?;
    match header[0] & 0xf {
        5 => {}
        words @ 0..5 => return Err(ParseError::Ipv4Length(u16::from(words) * 4)),
        _ => return Err(ParseError::Ipv4Options),
    }
    if checksum::sum(header).folded() != 0xffff {
        return Err(ParseError::Ipv4Checksum);
    }
    let total_len = be16(header, 2);
    if usize::from(total_len) < header.len() {
        return Err(ParseError::Ipv4Length(total_len));
    }
    let fragment = be16(header, 6);
    if fragment & (MORE_FRAGMENTS | FRAGMENT_OFFSET) != 0 {
        return Err(ParseError::Fragment);
    }
    let segment = &prefix(bytes, total_len.into())?[header.len()..];
    let ip = Ipv4Header {
        src: be32(header, 12).into(),
        dst: be32(header, 16).into(),
        dscp_ecn: header[1],
        id: be16(header, 4),
        dont_fragment: fragment & DONT_FRAGMENT != 0,
        ttl: header[8],
    };
    Ok((IpHeader::V4(ip), header[9], segment))
}

/// An IPv6 header (RFC 8200, 3), the protocol it names, and what it carries.
fn ipv6(bytes: &[u8]) -> Result<(IpHeader, u8, &[u8]), ParseError> {
    let header: &[u8; 40] = fixed(bytes)?;
    let first = be32(header, 0);
    match header[6] {
        IPV6_FRAGMENT => return Err(ParseError::Fragment),
        number if IPV6_EXTENSIONS.contains(&number) => return Err(ParseError::ExtensionHeader(number)),
        _ => {}
    }
    let segment = &prefix(bytes, header.len() + usize::from(be16(header, 4)))?[header.len()..];
    let address = |at: usize| <[u8; 16]>::try_from(&header[at..at + 16]).expect("16 bytes lie in the header").into();
    let ip = Ipv6Header {
        src: address(8),
        dst: address(24),
        traffic_class: (first >> 20) as u8,
        flow_label: first & 0xf_ffff,
        hop_limit: header[7],
    };
    Ok((IpHeader::V6(ip), header[6], segment))
}

/// A TCP header (RFC 9293, 3.1) and its payload.
fn tcp<'a>(ip: &IpHeader, segment: &'a [u8]) -> Result<(Transport, &'a [u8]), ParseError> {
    let header: &[u8; 20] = fixed(segment)?;
    let offset = (header[12] >> 4) * 4;
    let options = segment.get(header.len()..usize::from(offset)).ok_or(ParseError::DataOffset(offset))?;
    let (options, mut omitted) = options::parse(options)?;
    omitted.set(Omitted::RESERVED, header[12] & RESERVED != 0);
    if options.len().get() > MAX_OPTIONS {
        return Err(ParseError::OptionsTooLong(options.len().get()));
    }
    let mut sum = Sum::pseudo_header(ip, TCP, segment.len());
    sum.add(segment);
    let checksum = if sum.folded() == 0xffff { Checksum::Correct } else { Checksum::Wrong(be16(header, 16)) };
    let tcp = TcpHeader {
        src_port: be16(header, 0),
        dst_port: be16(header, 2),
        seq: SeqNumber(be32(header, 4)),
        ack: SeqNumber(be32(header, 8)),
        flags: TcpFlags::from_bits_retain(header[13]),
        window: be16(header, 14),
        urgent: be16(header, 18),
        checksum,
        options,
        omitted,
    };
    Ok((Transport::Tcp(tcp), &segment[usize::from(offset)..]))
}

/// A UDP header (RFC 768) and its payload.
fn udp<'a>(ip: &IpHeader, segment: &'a [u8]) -> Result<(Transport, &'a [u8]), ParseError> {
    let header: &[u8; 8] = fixed(segment)?;
    let len = be16(header, 4);
    if usize::from(len) != segment.len() {
        return Err(ParseError::UdpLength { udp: len, ip: segment.len() });
    }
    let absent = be16(header, 6) == 0;
    let right = match ip {
        IpHeader::V4(_) if absent => true,
        IpHeader::V6(_) if absent => false,
        _ => {
            let mut sum = Sum::pseudo_header(ip, UDP, segment.len());
            sum.add(segment);
            sum.folded() == 0xffff
        }
    };
    if !right {
        return Err(ParseError::UdpChecksum);
    }
    let udp = UdpHeader { src_port: be16(header, 0), dst_port: be16(header, 2) };
    Ok((Transport::Udp(udp), &segment[header.len()..]))
}

/// The first `N` bytes.
fn fixed<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], ParseError> {
    bytes.first_chunk().ok_or(ParseError::Truncated { needed: N, have: bytes.len() })
}

/// The first `len` bytes.
fn prefix(bytes: &[u8], len: usize) -> Result<&[u8], ParseError> {
    bytes.get(..len).ok_or(ParseError::Truncated { needed: len, have: bytes.len() })
}

/// The 16-bit number at `at`.
fn be16<const N: usize>(header: &[u8; N], at: usize) -> u16 {
    u16::from_be_bytes([header[at], header[at + 1]])
}

/// The 32-bit number at `at`.
fn be32<const N: usize>(header: &[u8; N], at: usize) -> u32 {
    u32::from(be16(header, at)) << 16 | u32::from(be16(header, at + 2))
}

/// The bits behind the data offset (RFC 9293, 3.1).
const RESERVED: u8 = 0x0f;
/// The flag of IPv4 that must be zero, in the upper byte of the fragment offset (RFC 791, 3.1).
const RESERVED_FLAG: u8 = 0x80;
/// Don't Fragment, in the word that also holds the fragment offset (RFC 791, 3.1).
const DONT_FRAGMENT: u16 = 0x4000;
/// More Fragments, in the same word.
const MORE_FRAGMENTS: u16 = 0x2000;
/// The fragment offset, in the same word.
const FRAGMENT_OFFSET: u16 = 0x1fff;
/// The IPv6 fragment header (RFC 8200, 4.5).
const IPV6_FRAGMENT: u8 = 44;
/// The other IPv6 extension headers: hop-by-hop options, routing, ESP, authentication, destination options,
/// mobility, HIP and shim6, as the IANA registry "IPv6 Extension Header Types" lists them.
const IPV6_EXTENSIONS: [u8; 8] = [0, 43, 50, 51, 60, 135, 139, 140];

//! Bytes to packets.

use crate::bytes::checksum::{self, Sum};
use crate::bytes::{MAX_OPTIONS, ParseError, options};
use crate::ip::{IpHeader, Ipv4Header, Ipv6Header, TCP, UDP};
use crate::packet::{Packet, Payload, Transport};
use crate::tcp::{Checksum, Omitted, SeqNumber, TcpFlags, TcpHeader, TcpOptions};
use crate::udp::UdpHeader;

/// Parses a packet; see [`Packet::parse`]. `keep` makes the payload of bytes, where there are any.
pub(super) fn packet(bytes: &[u8], keep: impl FnOnce(&[u8]) -> Payload) -> Result<Packet, ParseError> {
    headers(bytes).map(|(ip, transport, payload)| with_payload(ip, transport, payload, keep))
}

/// The packet at the start of `bytes`, if emitting it gives what it was parsed from.
pub(super) fn exact(bytes: &[u8], keep: impl FnOnce(&[u8]) -> Payload) -> Option<Packet> {
    let (ip, transport, payload) = headers(bytes).ok()?;
    let checksum = |at: usize| be16(bytes[at..].first_chunk::<2>().expect("parsed headers are whole"), 0);
    let at = ip.len().get() as usize;
    // A sum is all ones with either zero as its complement, and what is emitted bears the plain one: only a sum over nothing but zeros would have the other.
    let network = match ip {
        IpHeader::V4(_) => bytes[6] & RESERVED_FLAG == 0 && checksum(10) != OTHER_ZERO,
        IpHeader::V6(_) => true,
    };
    let exact = match &transport {
        Transport::Tcp(TcpHeader { checksum: Checksum::Correct, omitted, .. }) => {
            omitted.is_empty() && checksum(at + 16) != OTHER_ZERO
        }
        Transport::Tcp(tcp) => tcp.omitted.is_empty(),
        Transport::Udp(_) => checksum(at + 6) != 0,
        Transport::Foreign(_) => false,
    };
    (network && exact).then(|| with_payload(ip, transport, payload, keep))
}

fn with_payload(ip: IpHeader, transport: Transport, payload: &[u8], keep: impl FnOnce(&[u8]) -> Payload) -> Packet {
    let payload = if payload.is_empty() { Payload::EMPTY } else { keep(payload) };
    Packet { ip, transport, payload }
}

/// The headers, and the payload behind them.
fn headers(bytes: &[u8]) -> Result<(IpHeader, Transport, &[u8]), ParseError> {
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
    Ok((ip, transport, payload))
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
    Ok((IpHeader::V4(ipv4_value(header)), header[9], segment))
}

/// What the fixed part of an IPv4 header says.
pub(super) fn ipv4_value(header: &[u8; 20]) -> Ipv4Header {
    Ipv4Header {
        src: be32(header, 12).into(),
        dst: be32(header, 16).into(),
        dscp_ecn: header[1],
        id: be16(header, 4),
        dont_fragment: be16(header, 6) & DONT_FRAGMENT != 0,
        ttl: header[8],
    }
}

/// An IPv6 header (RFC 8200, 3), the protocol it names, and what it carries.
fn ipv6(bytes: &[u8]) -> Result<(IpHeader, u8, &[u8]), ParseError> {
    let header: &[u8; 40] = fixed(bytes)?;
    match header[6] {
        IPV6_FRAGMENT => return Err(ParseError::Fragment),
        number if IPV6_EXTENSIONS.contains(&number) => return Err(ParseError::ExtensionHeader(number)),
        _ => {}
    }
    let segment = &prefix(bytes, header.len() + usize::from(be16(header, 4)))?[header.len()..];
    Ok((IpHeader::V6(ipv6_value(header)), header[6], segment))
}

/// What an IPv6 header says.
pub(super) fn ipv6_value(header: &[u8; 40]) -> Ipv6Header {
    let first = be32(header, 0);
    let address = |at: usize| <[u8; 16]>::try_from(&header[at..at + 16]).expect("16 bytes lie in the header").into();
    Ipv6Header {
        src: address(8),
        dst: address(24),
        traffic_class: (first >> 20) as u8,
        flow_label: first & 0xf_ffff,
        hop_limit: header[7],
    }
}

/// A TCP header (RFC 9293, 3.1) and its payload.
fn tcp<'a>(ip: &IpHeader, segment: &'a [u8]) -> Result<(Transport, &'a [u8]), ParseError> {
    let (header, options, payload) = tcp_parts(segment)?;
    let (options, omitted) = options::parse(options)?;
    if options.len().get() > MAX_OPTIONS {
        return Err(ParseError::OptionsTooLong(options.len().get()));
    }
    Ok((Transport::Tcp(tcp_value(ip, segment, header, options, omitted)), payload))
}

/// The fixed part of a TCP header, its options and its payload.
type Segment<'a> = (&'a [u8; 20], &'a [u8], &'a [u8]);

pub(super) fn tcp_parts(segment: &[u8]) -> Result<Segment<'_>, ParseError> {
    let header: &[u8; 20] = fixed(segment)?;
    let offset = (header[12] >> 4) * 4;
    let options = segment.get(header.len()..usize::from(offset)).ok_or(ParseError::DataOffset(offset))?;
    Ok((header, options, &segment[usize::from(offset)..]))
}

/// What a TCP header says, with these options.
pub(super) fn tcp_value(
    ip: &IpHeader,
    segment: &[u8],
    header: &[u8; 20],
    options: TcpOptions,
    mut omitted: Omitted,
) -> TcpHeader {
    omitted.set(Omitted::RESERVED, header[12] & RESERVED != 0);
    let mut sum = Sum::pseudo_header(ip, TCP, segment.len());
    sum.add(segment);
    let checksum = if sum.folded() == 0xffff { Checksum::Correct } else { Checksum::Wrong(be16(header, 16)) };
    TcpHeader {
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
    }
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
pub(super) fn fixed<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], ParseError> {
    bytes.first_chunk().ok_or(ParseError::Truncated { needed: N, have: bytes.len() })
}

/// The first `len` bytes.
pub(super) fn prefix(bytes: &[u8], len: usize) -> Result<&[u8], ParseError> {
    bytes.get(..len).ok_or(ParseError::Truncated { needed: len, have: bytes.len() })
}

/// The 16-bit number at `at`.
pub(super) fn be16<const N: usize>(header: &[u8; N], at: usize) -> u16 {
    u16::from_be_bytes([header[at], header[at + 1]])
}

/// The 32-bit number at `at`.
pub(super) fn be32<const N: usize>(header: &[u8; N], at: usize) -> u32 {
    u32::from(be16(header, at)) << 16 | u32::from(be16(header, at + 2))
}

/// The complement of a sum of zeros.
const OTHER_ZERO: u16 = 0xffff;
/// The bits behind the data offset (RFC 9293, 3.1).
const RESERVED: u8 = 0x0f;
/// The flag of IPv4 that must be zero, in the upper byte of the fragment offset (RFC 791, 3.1).
pub(super) const RESERVED_FLAG: u8 = 0x80;
/// Don't Fragment, in the word that also holds the fragment offset (RFC 791, 3.1).
const DONT_FRAGMENT: u16 = 0x4000;
/// More Fragments, in the same word.
pub(super) const MORE_FRAGMENTS: u16 = 0x2000;
/// The fragment offset, in the same word.
pub(super) const FRAGMENT_OFFSET: u16 = 0x1fff;
/// The IPv6 fragment header (RFC 8200, 4.5).
pub(super) const IPV6_FRAGMENT: u8 = 44;
/// The other IPv6 extension headers: hop-by-hop options, routing, ESP, authentication, destination options,
/// mobility, HIP and shim6, as the IANA registry "IPv6 Extension Header Types" lists them.
const IPV6_EXTENSIONS: [u8; 8] = [0, 43, 50, 51, 60, 135, 139, 140];

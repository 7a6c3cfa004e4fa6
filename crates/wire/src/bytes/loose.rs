//! Any IP packet: what can be read of it, beside its own bytes.

use crate::bytes::parse::{self, be16, fixed, prefix};
use crate::bytes::{MAX_OPTIONS, ParseError, checksum, options};
use crate::foreign::Foreign;
use crate::ip::IpHeader;
use crate::ip::{TCP, UDP};
use crate::packet::{Packet, Payload, Transport};
use crate::tcp::{Omitted, TcpHeader, TcpOptions};

/// The packet with its own bytes; see [`Packet::from_bytes`].
pub(super) fn packet(bytes: &[u8]) -> Result<Packet, ParseError> {
    let Network { ip, len, mut header_len, protocol, whole, plain, reserved } = match bytes.first() {
        None => return Err(ParseError::Truncated { needed: 1, have: 0 }),
        Some(first) if first >> 4 == 4 => ipv4(bytes)?,
        Some(first) if first >> 4 == 6 => ipv6(bytes)?,
        Some(first) => return Err(ParseError::Version(first >> 4)),
    };
    let bytes = &bytes[..len];
    let carried = &bytes[header_len..];
    let (mut ports, mut header) = ((0, 0), None);
    if whole {
        ports = ports_of(protocol, carried);
        header = if protocol == TCP { tcp(&ip, carried, plain, reserved) } else { None };
        header_len += match (protocol, parse::tcp_parts(carried)) {
            (TCP, Ok((fixed, options, _))) => fixed.len() + options.len(),
            (UDP, _) => carried.len().min(UDP_HEADER),
            _ => 0,
        };
    }
    let bytes = bytes::Bytes::copy_from_slice(bytes);
    let payload = if header_len == len { Payload::EMPTY } else { Payload::Data(bytes.slice(header_len..)) };
    let foreign = Foreign { bytes, header_len: header_len as u16, protocol, ports, tcp: header };
    Ok(Packet { ip, transport: Transport::Foreign(Box::new(foreign)), payload })
}

/// What the network header says.
struct Network {
    ip: IpHeader,
    /// Of the packet.
    len: usize,
    /// With options and extension headers.
    header_len: usize,
    /// Of what follows.
    protocol: u8,
    /// Whether it is no fragment.
    whole: bool,
    /// Whether the value says all of it, but for a reserved bit.
    plain: bool,
    /// Whether a reserved bit is set.
    reserved: bool,
}

fn ipv4(bytes: &[u8]) -> Result<Network, ParseError> {
    let header: &[u8; 20] = fixed(bytes)?;
    let header_len = u16::from(header[0] & 0xf) * 4;
    let total_len = be16(header, 2);
    for len in [header_len, total_len] {
        if usize::from(len) < header.len() {
            return Err(ParseError::Ipv4Length(len));
        }
    }
    if total_len < header_len {
        return Err(ParseError::Ipv4Length(total_len));
    }
    let packet = prefix(bytes, total_len.into())?;
    let fragment = be16(header, 6);
    let (len, header_len) = (packet.len(), usize::from(header_len));
    let right = checksum::sum(&packet[..header_len]).folded() == 0xffff;
    Ok(Network {
        ip: IpHeader::V4(parse::ipv4_value(header)),
        len,
        header_len,
        protocol: header[9],
        whole: fragment & (parse::MORE_FRAGMENTS | parse::FRAGMENT_OFFSET) == 0,
        plain: right && header_len == header.len(),
        reserved: header[6] & parse::RESERVED_FLAG != 0,
    })
}

fn ipv6(bytes: &[u8]) -> Result<Network, ParseError> {
    let header: &[u8; 40] = fixed(bytes)?;
    let packet = prefix(bytes, header.len() + usize::from(be16(header, 4)))?;
    let (mut protocol, mut header_len, mut whole) = (header[6], header.len(), true);
    // A chain that reaches past the packet ends where it does.
    while let Some((next, len)) = extension(protocol, &packet[header_len..]) {
        whole &= protocol != parse::IPV6_FRAGMENT;
        (protocol, header_len) = (next, header_len + len);
        if !whole {
            break;
        }
    }
    Ok(Network {
        ip: IpHeader::V6(parse::ipv6_value(header)),
        len: packet.len(),
        header_len,
        protocol,
        whole,
        plain: header_len == header.len(),
        reserved: false,
    })
}

/// The number behind an extension header and the header's length (RFC 8200, 4; RFC 4302, 2.2 for that of authentication); nothing if this is none, one that
/// cannot be looked behind, or one that is cut short.
fn extension(number: u8, rest: &[u8]) -> Option<(u8, usize)> {
    let &[next, len, ..] = rest else { return None };
    let len = match number {
        HOP_BY_HOP | ROUTING | DESTINATION | MOBILITY | HIP | SHIM6 => 8 * (usize::from(len) + 1),
        parse::IPV6_FRAGMENT => 8,
        AUTHENTICATION => 4 * (usize::from(len) + 2),
        _ => return None,
    };
    (len <= rest.len()).then_some((next, len))
}

/// See [`Foreign::ports`].
fn ports_of(protocol: u8, carried: &[u8]) -> (u16, u16) {
    match (protocol, carried) {
        (TCP | UDP | SCTP | DCCP | UDP_LITE, &[a, b, c, d, ..]) => {
            (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
        }
        (ICMP, &[0 | 8, _, _, _, a, b, ..]) | (ICMPV6, &[128 | 129, _, _, _, a, b, ..]) => {
            let identifier = u16::from_be_bytes([a, b]);
            (identifier, identifier)
        }
        _ => (0, 0),
    }
}

/// The TCP header of a whole segment, if it has one. `plain` says that nothing stands in front of it that the value of the network header does not say, but for a
/// `reserved` bit.
fn tcp(ip: &IpHeader, segment: &[u8], plain: bool, reserved: bool) -> Option<TcpHeader> {
    let (header, options, _) = parse::tcp_parts(segment).ok()?;
    // Options that cannot be read, or could not be written, are unknown ones.
    let (options, mut omitted) = match options::parse(options) {
        Ok((options, omitted)) if options.len().get() <= MAX_OPTIONS => (options, omitted),
        _ => (TcpOptions::default(), Omitted::OPTIONS),
    };
    omitted.set(Omitted::NETWORK, !plain);
    let mut tcp = parse::tcp_value(ip, segment, header, options, omitted);
    if reserved {
        tcp.omitted |= Omitted::RESERVED;
    }
    if tcp.omitted.is_empty() {
        // A checksum of zero that is written as ones.
        tcp.omitted = Omitted::LAYOUT;
    }
    Some(tcp)
}

/// The length of a UDP header (RFC 768).
const UDP_HEADER: usize = 8;
/// Protocol numbers with ports in their first four bytes, and those of ICMP.
const SCTP: u8 = 132;
const DCCP: u8 = 33;
const UDP_LITE: u8 = 136;
const ICMP: u8 = 1;
const ICMPV6: u8 = 58;
/// Extension headers that have a length where RFC 8200, 4 puts it, and the one whose length counts otherwise (RFC 4302, 2.2).
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;
const HIP: u8 = 139;
const SHIM6: u8 = 140;
const AUTHENTICATION: u8 = 51;

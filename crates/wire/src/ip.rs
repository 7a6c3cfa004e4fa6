//! IP headers as values. No IPv4 options and no IPv6 extension headers: packets with them are not ours to touch.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::units::Bytes;

/// The network header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IpHeader {
    /// IPv4 (RFC 791).
    V4(Ipv4Header),
    /// IPv6 (RFC 8200).
    V6(Ipv6Header),
}

/// An IPv4 header without options (RFC 791, 3.1). Length, protocol and checksum follow from the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Header {
    /// Source address.
    pub src: Ipv4Addr,
    /// Destination address.
    pub dst: Ipv4Addr,
    /// DSCP (upper six bits) and ECN (lower two), RFC 2474 and RFC 3168.
    pub dscp_ecn: u8,
    /// Identification.
    pub id: u16,
    /// Don't Fragment.
    pub dont_fragment: bool,
    /// Time to live, in hops.
    pub ttl: u8,
}

/// An IPv6 header (RFC 8200, 3). Length and next header follow from the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv6Header {
    /// Source address.
    pub src: Ipv6Addr,
    /// Destination address.
    pub dst: Ipv6Addr,
    /// DSCP (upper six bits) and ECN (lower two).
    pub traffic_class: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
    /// Hop limit.
    pub hop_limit: u8,
}

impl IpHeader {
    /// The length of the header.
    pub const fn len(&self) -> Bytes {
        match self {
            Self::V4(_) => Ipv4Header::LEN,
            Self::V6(_) => Ipv6Header::LEN,
        }
    }

    /// A header from `src` to `dst` with the defaults of [`Ipv4Header::new`] or [`Ipv6Header::new`];
    /// nothing if the two are of different families.
    pub fn between(src: IpAddr, dst: IpAddr) -> Option<Self> {
        match (src, dst) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => Some(Self::V4(Ipv4Header::new(src, dst))),
            (IpAddr::V6(src), IpAddr::V6(dst)) => Some(Self::V6(Ipv6Header::new(src, dst))),
            _ => None,
        }
    }

    /// Source address.
    pub const fn src(&self) -> IpAddr {
        match self {
            Self::V4(v4) => IpAddr::V4(v4.src),
            Self::V6(v6) => IpAddr::V6(v6.src),
        }
    }

    /// Destination address.
    pub const fn dst(&self) -> IpAddr {
        match self {
            Self::V4(v4) => IpAddr::V4(v4.dst),
            Self::V6(v6) => IpAddr::V6(v6.dst),
        }
    }
}

impl Ipv4Header {
    /// The length of a header without options.
    pub const LEN: Bytes = Bytes(20);

    /// A header with TTL 64, Don't Fragment, best effort and identification 0.
    pub const fn new(src: Ipv4Addr, dst: Ipv4Addr) -> Self {
        Self { src, dst, dscp_ecn: 0, id: 0, dont_fragment: true, ttl: 64 }
    }
}

impl Ipv6Header {
    /// The length of the header.
    pub const LEN: Bytes = Bytes(40);

    /// A header with hop limit 64, best effort and no flow label.
    pub const fn new(src: Ipv6Addr, dst: Ipv6Addr) -> Self {
        Self { src, dst, traffic_class: 0, flow_label: 0, hop_limit: 64 }
    }
}

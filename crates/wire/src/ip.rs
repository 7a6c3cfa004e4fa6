//! IP headers as values. No IPv4 options and no IPv6 extension headers: packets with them travel as their own bytes
//! ([`Foreign`](crate::Foreign)).

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

/// What the ECN field of an IP header says (RFC 3168, 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ecn {
    /// Not-ECT: congestion can be told only by dropping the packet.
    NotCapable,
    /// ECT(1).
    Capable1,
    /// ECT(0), which senders of RFC 3168 set.
    Capable0,
    /// CE: the packet has met congestion.
    Experienced,
}

impl Ecn {
    /// As it stands in the field.
    pub(crate) const fn bits(self) -> u8 {
        match self {
            Self::NotCapable => 0b00,
            Self::Capable1 => 0b01,
            Self::Capable0 => 0b10,
            Self::Experienced => 0b11,
        }
    }
}

impl IpHeader {
    /// The ECN field.
    pub const fn ecn(&self) -> Ecn {
        let field = match self {
            Self::V4(v4) => v4.dscp_ecn,
            Self::V6(v6) => v6.traffic_class,
        };
        match field & 0b11 {
            0b00 => Ecn::NotCapable,
            0b01 => Ecn::Capable1,
            0b10 => Ecn::Capable0,
            _ => Ecn::Experienced,
        }
    }

    /// Writes the ECN field.
    pub const fn set_ecn(&mut self, ecn: Ecn) {
        let field = match self {
            Self::V4(v4) => &mut v4.dscp_ecn,
            Self::V6(v6) => &mut v6.traffic_class,
        };
        *field = *field & !0b11 | ecn.bits();
    }

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

/// The protocol number of TCP, in both IP versions.
pub(crate) const TCP: u8 = 6;
/// The protocol number of UDP, in both IP versions.
pub(crate) const UDP: u8 = 17;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ecn_field_is_the_lower_two_bits_and_leaves_the_others_alone() {
        // RFC 3168, figure 1.
        let fields = [(0b00, Ecn::NotCapable), (0b01, Ecn::Capable1), (0b10, Ecn::Capable0), (0b11, Ecn::Experienced)];
        for (bits, ecn) in fields {
            let mut header = Ipv4Header::new(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
            header.dscp_ecn = 0b1011_1000 | 0b11;
            let mut v4 = IpHeader::V4(header);
            v4.set_ecn(ecn);
            assert_eq!(v4.ecn(), ecn);
            assert_eq!(v4, IpHeader::V4(Ipv4Header { dscp_ecn: 0b1011_1000 | bits, ..header }));
            let header = Ipv6Header::new(Ipv6Addr::LOCALHOST, Ipv6Addr::LOCALHOST);
            let mut v6 = IpHeader::V6(header);
            v6.set_ecn(ecn);
            assert_eq!((v6.ecn(), v6), (ecn, IpHeader::V6(Ipv6Header { traffic_class: bits, ..header })));
        }
    }
}

//! What tells TCP flows apart, in a form that compares fast.

use std::cmp::Ordering;
use std::net::{Ipv4Addr, Ipv6Addr};

use ackless_wire::{IpHeader, Packet, TcpHeader};

use crate::testing::steps;

/// The 5-tuple of a TCP packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FlowKey {
    /// Over IPv4, which nearly all are: so short that it is made and compared in registers.
    V4(Tuple<Ipv4Addr>),
    /// Over IPv6.
    V6(Tuple<Ipv6Addr>),
}

/// What tells the flows of one network protocol apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tuple<A> {
    /// First, because it tells most flows of one peer apart.
    ports: u32,
    src: A,
    dst: A,
}

impl FlowKey {
    /// The flow of a packet in its own direction; `None` if it is not TCP.
    #[inline(always)]
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        packet.tcp().map(|tcp| Self::with(packet, tcp))
    }

    /// The flow of a packet with this TCP header, in its own direction.
    #[inline(always)]
    pub(crate) fn with(packet: &Packet, tcp: &TcpHeader) -> Self {
        let ports = ports(tcp.src_port, tcp.dst_port);
        match &packet.ip {
            IpHeader::V4(v4) => Self::V4(Tuple { ports, src: v4.src, dst: v4.dst }),
            IpHeader::V6(v6) => Self::V6(Tuple { ports, src: v6.src, dst: v6.dst }),
        }
    }

    /// Whether a packet with this TCP header goes in this flow: as `with`, and no key is made.
    #[inline(always)]
    pub(crate) fn is_of(&self, packet: &Packet, tcp: &TcpHeader) -> bool {
        let ports = ports(tcp.src_port, tcp.dst_port);
        match (self, &packet.ip) {
            (Self::V4(tuple), IpHeader::V4(v4)) => *tuple == Tuple { ports, src: v4.src, dst: v4.dst },
            (Self::V6(tuple), IpHeader::V6(v6)) => *tuple == Tuple { ports, src: v6.src, dst: v6.dst },
            _ => false,
        }
    }

    /// Whether a packet with this TCP header goes against this flow.
    #[inline(always)]
    pub(crate) fn is_against(&self, packet: &Packet, tcp: &TcpHeader) -> bool {
        let ports = ports(tcp.dst_port, tcp.src_port);
        match (self, &packet.ip) {
            (Self::V4(tuple), IpHeader::V4(v4)) => *tuple == Tuple { ports, src: v4.dst, dst: v4.src },
            (Self::V6(tuple), IpHeader::V6(v6)) => *tuple == Tuple { ports, src: v6.dst, dst: v6.src },
            _ => false,
        }
    }

    /// The same connection's other direction.
    #[inline(always)]
    pub(crate) const fn reversed(self) -> Self {
        match self {
            Self::V4(tuple) => Self::V4(tuple.reversed()),
            Self::V6(tuple) => Self::V6(tuple.reversed()),
        }
    }
}

impl Ord for FlowKey {
    /// IPv4 before IPv6, then by ports and addresses.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        steps::count(1);
        match (self, other) {
            (Self::V4(one), Self::V4(other)) => one.cmp(other),
            (Self::V6(one), Self::V6(other)) => one.cmp(other),
            (Self::V4(_), Self::V6(_)) => Ordering::Less,
            (Self::V6(_), Self::V4(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for FlowKey {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A source and a destination port as one word.
#[inline(always)]
fn ports(src: u16, dst: u16) -> u32 {
    u32::from(src) << 16 | u32::from(dst)
}

impl<A: Copy> Tuple<A> {
    #[inline(always)]
    const fn reversed(self) -> Self {
        Self { ports: self.ports.rotate_left(16), src: self.dst, dst: self.src }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use ackless_wire::{Payload, TcpHeader, Transport};

    use super::*;

    fn packet(src: IpAddr, dst: IpAddr, ports: (u16, u16)) -> Packet {
        let ip = IpHeader::between(src, dst).expect("both are of one version");
        Packet { ip, transport: Transport::Tcp(TcpHeader::new(ports.0, ports.1)), payload: Payload::EMPTY }
    }

    fn key(src: [u8; 4], dst: [u8; 4], ports: (u16, u16)) -> FlowKey {
        FlowKey::of(&packet(src.into(), dst.into(), ports)).expect("TCP has a flow")
    }

    #[test]
    fn the_other_direction_of_the_other_direction_is_the_flow_itself() {
        let there = key([10, 0, 0, 1], [10, 1, 0, 1], (5000, 80));
        assert_eq!(there.reversed(), key([10, 1, 0, 1], [10, 0, 0, 1], (80, 5000)));
        assert_eq!(there.reversed().reversed(), there);
        assert_ne!(there, there.reversed());
    }
}

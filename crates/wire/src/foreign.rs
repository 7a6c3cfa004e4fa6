//! A packet that its values cannot say: its own bytes, and what can be read of them.

use bytes::Bytes as Data;

use crate::ip::{Ecn, IpHeader};
use crate::tcp::TcpHeader;
use crate::units::Bytes;

/// What stands in place of a transport header where a packet cannot be said exactly by its values: fragments, ICMP, unknown options, options in
/// another order, a UDP checksum that is wrong or absent, and so on.
///
/// Made by [`Packet::from_bytes`](crate::Packet::from_bytes) alone. The bytes are what [`Packet::emit`](crate::Packet::emit) writes again, with
/// nothing changed but a mark of congestion. What the values of the packet say beside them was read loosely: it tells flows apart, and a machine in between
/// sees of a TCP segment what it may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    pub(crate) bytes: Data,
    pub(crate) header_len: u16,
    pub(crate) protocol: u8,
    pub(crate) ports: (u16, u16),
    pub(crate) tcp: Option<TcpHeader>,
}

impl Foreign {
    /// The bytes of the IP packet, as they came.
    pub const fn bytes(&self) -> &Data {
        &self.bytes
    }

    /// What stands in front of the payload: the IP header with its options and extension headers, and the TCP or UDP header where that could be read.
    pub const fn header_len(&self) -> Bytes {
        Bytes(self.header_len as u64)
    }

    /// The number of the protocol behind the IP header and the extension headers that could be read (IANA, "Assigned Internet Protocol Numbers").
    pub const fn protocol(&self) -> u8 {
        self.protocol
    }

    /// What tells its flow from others between the same two hosts: the ports of TCP, UDP, SCTP, DCCP and UDP-Lite, and twice the identifier of an ICMP echo
    /// request or reply. Zeros for all else, and for every fragment, the first one included: so the fragments of a packet stay together.
    pub const fn ports(&self) -> (u16, u16) {
        self.ports
    }

    /// The TCP header, where this is a whole TCP segment. Its [`omitted`](TcpHeader::omitted) is never empty: it is no copy of the header, and nothing may be
    /// made of it.
    pub const fn tcp(&self) -> Option<&TcpHeader> {
        self.tcp.as_ref()
    }

    /// Appends the bytes, with the ECN field that `ip` has by now.
    pub(crate) fn emit(&self, ip: &IpHeader, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.bytes);
        remark(&mut out[start..], ip.ecn());
    }
}

/// Writes the ECN field (RFC 3168, 5) of a packet, and of IPv4 the checksum by the difference (RFC 1624, equation 3): one that was wrong stays so.
fn remark(packet: &mut [u8], ecn: Ecn) {
    let version = packet[0] >> 4;
    let (at, shift) = if version == 4 { (1, 0) } else { (1, 4) };
    let before = packet[at];
    let after = before & !(0b11 << shift) | ecn.bits() << shift;
    if before == after {
        return;
    }
    packet[at] = after;
    if version == 4 {
        let checksum = u16::from_be_bytes([packet[10], packet[11]]);
        let mut sum = u32::from(!checksum) + u32::from(!u16::from(before)) + u32::from(after);
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    }
}

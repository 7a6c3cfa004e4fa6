//! The UDP header as a value (RFC 768). Length and checksum follow from the packet.

use crate::units::Bytes;

/// A UDP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpHeader {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
}

impl UdpHeader {
    /// The length of the header.
    pub const LEN: Bytes = Bytes(8);
}

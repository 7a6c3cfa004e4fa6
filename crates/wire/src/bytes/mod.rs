//! Packets as bytes: IPv4 or IPv6 with TCP or UDP, in network byte order and with their checksums.
//!
//! [`Packet::emit`] writes one layout; [`Packet::parse`] accepts what others send as far as the values of this crate
//! can hold it, and names what they cannot: fragments, IPv4 options and IPv6 extension headers are errors. What a parser must
//! ignore (reserved bits, unknown TCP options, link-layer padding, another order of the options) is lost on the way; a TCP header says so
//! ([`TcpHeader::omitted`](crate::TcpHeader::omitted)), and [`Packet::is_canonical`] tells whether anything at all was.
//!
//! [`Packet::from_bytes`] loses nothing: what the values cannot say travels as its own bytes ([`Foreign`](crate::Foreign)).
//!
//! Not here: jumbograms (RFC 2675).

mod checksum;
mod emit;
mod loose;
mod options;
mod parse;

use crate::packet::{Packet, Payload};

/// Why bytes are no packet of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The bytes end before the header or the length that it announces.
    #[error("packet is cut short: it needs {needed} bytes and has {have}")]
    Truncated {
        /// The bytes that it needs at least.
        needed: usize,
        /// The bytes that there are.
        have: usize,
    },
    /// The IP version is neither 4 nor 6.
    #[error("IP version {0} is neither 4 nor 6")]
    Version(u8),
    /// The IPv4 header length or total length is less than a header.
    #[error("IPv4 length field {0} is less than a header")]
    Ipv4Length(u16),
    /// The IPv4 header checksum is wrong (RFC 791, 3.1).
    #[error("IPv4 header checksum is wrong")]
    Ipv4Checksum,
    /// Unsupported: an IPv4 header with options.
    #[error("IPv4 options are not supported")]
    Ipv4Options,
    /// Unsupported: a fragment, of IPv4 or of IPv6.
    #[error("IP fragments are not supported")]
    Fragment,
    /// Unsupported: an IPv6 extension header of this number.
    #[error("IPv6 extension header {0} is not supported")]
    ExtensionHeader(u8),
    /// Unsupported: a protocol other than TCP and UDP.
    #[error("IP protocol {0} is neither TCP nor UDP")]
    Protocol(u8),
    /// The TCP data offset, in bytes, is less than a header or reaches past the packet.
    #[error("TCP data offset of {0} bytes does not fit the segment")]
    DataOffset(u8),
    /// A TCP option of this kind has a length that its kind does not allow, or reaches past the header.
    #[error("TCP option of kind {0} has an illegal length")]
    TcpOption(u8),
    /// Unsupported: TCP options that fill the header so tightly that the layout of
    /// [`TcpOptions::len`](crate::tcp::TcpOptions::len) would need more than 40 bytes.
    #[error("TCP options would need {0} bytes in the layout with padding, 40 are possible")]
    OptionsTooLong(u64),
    /// The UDP length differs from what the IP header leaves for it.
    #[error("UDP length is {udp}, the IP header leaves {ip} bytes")]
    UdpLength {
        /// The UDP length field.
        udp: u16,
        /// The bytes behind the IP header.
        ip: usize,
    },
    /// The UDP checksum is wrong, or absent over IPv6 (RFC 8200, 8.1).
    #[error("UDP checksum is wrong, or absent over IPv6")]
    UdpChecksum,
}

impl Packet {
    /// Appends the packet's bytes to `out`.
    ///
    /// TCP options stand in the layout of [`TcpOptions::len`](crate::tcp::TcpOptions::len), reserved bits are zero, and a
    /// [`Payload::Length`] becomes zeros. Checksums are computed, except where
    /// [`Checksum::Wrong`](crate::tcp::Checksum::Wrong) names the value to send. A UDP checksum that comes to zero
    /// is sent as 0xffff (RFC 768).
    ///
    /// # Panics
    /// If the packet is longer than its IP length field can say (65,535 bytes; for IPv6 not counting its header), or
    /// if its TCP options are longer than 40 bytes. No parsed packet is.
    pub fn emit(&self, out: &mut Vec<u8>) {
        emit::packet(self, out);
    }

    /// The packet at the start of `bytes`, with its payload as [`Payload::Data`] ([`Payload::EMPTY`] if there is none).
    ///
    /// Bytes behind the length in the IP header are link-layer padding and ignored. A wrong TCP checksum gives
    /// [`Checksum::Wrong`](crate::tcp::Checksum::Wrong), so that whoever receives it decides; every other wrong checksum is an error.
    ///
    /// # Errors
    /// See [`ParseError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        parse::packet(bytes, |payload| Payload::Data(bytes::Bytes::copy_from_slice(payload)))
    }

    /// As [`Packet::parse`], but keeps only the payload's length.
    ///
    /// # Errors
    /// See [`ParseError`].
    pub fn parse_without_payload(bytes: &[u8]) -> Result<Self, ParseError> {
        parse::packet(bytes, |payload| Payload::Length(payload.len() as u32))
    }

    /// The packet at the start of `bytes`, any IPv4 or IPv6 packet, such that [`Packet::emit`] writes its bytes again, none changed: as typed headers where
    /// these say all of them, else with a [`Foreign`](crate::Foreign) in place of the transport header.
    ///
    /// Bytes behind the length in the IP header are link-layer padding and cut off. No checksum is minded: who receives the packet decides. The
    /// payload is copied once; a foreign packet is copied whole and shares its bytes with its payload.
    ///
    /// # Errors
    /// [`ParseError::Version`], [`ParseError::Truncated`] and [`ParseError::Ipv4Length`]: these are no IPv4 or IPv6 packet, or not a whole one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        let exact = parse::exact(bytes, |payload| Payload::Data(bytes::Bytes::copy_from_slice(payload)));
        exact.map_or_else(|| loose::packet(bytes), Ok)
    }

    /// Whether `bytes` are exactly what [`Packet::emit`] makes of the packet that they parse to. Then the value stands
    /// for the bytes, and nothing is lost by passing it on instead of them.
    pub fn is_canonical(bytes: &[u8]) -> bool {
        let mut again = Vec::with_capacity(bytes.len());
        Self::parse(bytes).map(|packet| packet.emit(&mut again)).is_ok_and(|()| again == bytes)
    }
}

/// TCP options fill at most the 15 words of the data offset less the 5 of the header (RFC 9293, 3.1).
const MAX_OPTIONS: u64 = 40;

#[cfg(test)]
mod tests;

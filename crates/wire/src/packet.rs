//! A packet as a value: typed headers, and a payload that is real bytes or just a length.

use crate::foreign::Foreign;
use crate::ip::IpHeader;
use crate::tcp::{Omitted, TcpFlags, TcpHeader};
use crate::udp::UdpHeader;
use crate::units::Bytes;

/// An IP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The network header.
    pub ip: IpHeader,
    /// The transport header.
    pub transport: Transport,
    /// What the transport carries.
    pub payload: Payload,
}

/// The transport header of a packet.
// Each packet is asked many times which it is: with a tag of its own that is one comparison, and the value is as long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Transport {
    /// TCP (RFC 9293).
    Tcp(TcpHeader),
    /// UDP (RFC 768).
    Udp(UdpHeader),
    /// Anything that the two cannot say exactly, with its own bytes.
    Foreign(Box<Foreign>),
}

/// What a packet carries: real bytes where someone will read them, else just their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// This many bytes whose values do not matter; on a wire they are zeros.
    Length(u32),
    /// These bytes.
    Data(bytes::Bytes),
}

impl Packet {
    /// The length of the IP packet: headers and payload.
    pub fn len(&self) -> Bytes {
        self.header_len() + Bytes(self.payload.len().into())
    }

    /// The length of the IP and transport headers with their options; of a foreign packet see [`Foreign::header_len`].
    pub fn header_len(&self) -> Bytes {
        match &self.transport {
            Transport::Tcp(tcp) => self.ip.len() + tcp.len(),
            Transport::Udp(_) => self.ip.len() + UdpHeader::LEN,
            Transport::Foreign(foreign) => foreign.header_len(),
        }
    }

    /// The TCP header, if this is TCP. That of a foreign packet is no copy of its bytes ([`Foreign::tcp`]).
    #[inline(always)]
    pub fn tcp(&self) -> Option<&TcpHeader> {
        match &self.transport {
            Transport::Tcp(tcp) => Some(tcp),
            Transport::Udp(_) => None,
            Transport::Foreign(foreign) => Self::tcp_of(foreign),
        }
    }

    #[cold]
    #[inline(never)]
    fn tcp_of(foreign: &Foreign) -> Option<&TcpHeader> {
        foreign.tcp()
    }

    /// The TCP header, to change it. A foreign packet of plain TCP ([`TcpHeader::is_opaque`]) becomes typed by it: its options are then in the layout of
    /// this crate, which says the same to who receives it. Nothing if this is no TCP, or more than plain TCP in foreign bytes.
    pub fn tcp_mut(&mut self) -> Option<&mut TcpHeader> {
        if let Transport::Foreign(foreign) = &self.transport {
            let plain = foreign.tcp().filter(|tcp| !tcp.is_opaque())?;
            self.transport = Transport::Tcp(TcpHeader { omitted: Omitted::empty(), ..*plain });
        }
        match &mut self.transport {
            Transport::Tcp(tcp) => Some(tcp),
            Transport::Udp(_) | Transport::Foreign(_) => None,
        }
    }

    /// The TCP header if this packet is a *pure ACK*: it acknowledges and does nothing else.
    ///
    /// No payload, ACK set, and none of SYN, FIN, RST, URG or PSH (RFC 9293, 3.1). Options and the ECN bits may
    /// be there: a duplicate ACK, a window update and an ACK with SACK blocks are pure ACKs, and a scheme that
    /// must keep those tells them apart by the header. One that bears ACK-Type or PKT.SEQ does more, body or not, and one with
    /// options or bits that are not known here may ([`TcpHeader::is_opaque`]). This is the one place that answers the question.
    #[inline]
    pub fn pure_ack(&self) -> Option<&TcpHeader> {
        self.bare_ack().filter(|tcp| !tcp.is_opaque())
    }

    /// The TCP header if this packet has no payload, ACK set and none of the flags that do more, whatever its options say: all that one sees who does not
    /// look at them.
    #[inline]
    pub fn bare_ack(&self) -> Option<&TcpHeader> {
        let tcp = self.tcp()?;
        let other = TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST | TcpFlags::URG | TcpFlags::PSH;
        let bare = self.payload.is_empty() && tcp.flags.contains(TcpFlags::ACK) && !tcp.flags.intersects(other);
        bare.then_some(tcp)
    }

    /// How much of the payload is an application's: all of it, but nothing of a TACK's or IACK's, whose payload is its body.
    #[inline(always)]
    pub fn data_len(&self) -> u32 {
        let is_body = self.tcp().is_some_and(|tcp| tcp.options.tack.ack_type.is_some());
        if is_body { 0 } else { self.payload.len() }
    }

    /// Whether this packet acknowledges and carries no data: a pure ACK, one with options or bits that are not known here, or a TACK or IACK with its
    /// body.
    #[inline(always)]
    pub fn is_acknowledgement(&self) -> bool {
        self.bare_ack().is_some_and(|tcp| !tcp.is_tack())
            || self.tcp().is_some_and(|tcp| tcp.options.tack.ack_type.is_some())
    }

    /// Whether it owns nothing: dropping it does nothing.
    #[inline(always)]
    pub(crate) const fn is_flat(&self) -> bool {
        matches!(self.payload, Payload::Length(_)) && !matches!(self.transport, Transport::Foreign(_))
    }

    /// Whether the headers as values say all that the packet's bytes did; always so for one that was not parsed, never for a foreign one.
    pub fn is_whole(&self) -> bool {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.omitted.is_empty(),
            Transport::Udp(_) => true,
            Transport::Foreign(_) => false,
        }
    }

    /// Source and destination port; of a foreign packet see [`Foreign::ports`].
    pub fn ports(&self) -> (u16, u16) {
        match &self.transport {
            Transport::Tcp(tcp) => (tcp.src_port, tcp.dst_port),
            Transport::Udp(udp) => (udp.src_port, udp.dst_port),
            Transport::Foreign(foreign) => foreign.ports(),
        }
    }

    /// The number of the protocol that the IP packet carries; of a foreign one see [`Foreign::protocol`].
    pub fn protocol(&self) -> u8 {
        match &self.transport {
            Transport::Tcp(_) => crate::ip::TCP,
            Transport::Udp(_) => crate::ip::UDP,
            Transport::Foreign(foreign) => foreign.protocol(),
        }
    }
}

impl Payload {
    /// Nothing.
    pub const EMPTY: Self = Self::Length(0);

    /// The number of bytes.
    pub fn len(&self) -> u32 {
        match self {
            Self::Length(n) => *n,
            Self::Data(data) => data.len() as u32,
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ip::Ipv4Header;
    use crate::tcp::{SackBlocks, SeqNumber, TackTerms};

    fn ack() -> Packet {
        Packet {
            ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 2].into(), [10, 1, 0, 1].into())),
            transport: Transport::Tcp(TcpHeader { flags: TcpFlags::ACK, ..TcpHeader::new(1, 2) }),
            payload: Payload::EMPTY,
        }
    }

    fn with(change: impl FnOnce(&mut TcpHeader)) -> Packet {
        let mut packet = ack();
        let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("an ACK is TCP") };
        change(tcp);
        packet
    }

    #[test]
    fn only_a_bare_acknowledgement_is_a_pure_ack() {
        assert!(ack().pure_ack().is_some());
        let mut data = ack();
        data.payload = Payload::Length(1);
        assert!(data.pure_ack().is_none());
        for flag in [TcpFlags::SYN, TcpFlags::FIN, TcpFlags::RST, TcpFlags::URG, TcpFlags::PSH] {
            assert!(with(|tcp| tcp.flags |= flag).pure_ack().is_none(), "{flag:?}");
        }
        assert!(with(|tcp| tcp.flags = TcpFlags::empty()).pure_ack().is_none());
        assert!(with(|tcp| tcp.flags |= TcpFlags::ECE).pure_ack().is_some());
    }

    #[test]
    fn a_tack_is_an_acknowledgement_but_no_pure_ack_and_none_of_it_is_data() {
        let mut tack = with(|tcp| tcp.options.tack.ack_type = Some(1));
        let mut data = with(|tcp| tcp.options.tack.packet_number = Some(1));
        for packet in [&tack, &data] {
            assert!(packet.pure_ack().is_none() && packet.tcp().is_some_and(TcpHeader::is_tack));
        }
        (tack.payload, data.payload) = (Payload::Length(28), Payload::Length(1440));
        assert!(tack.is_acknowledgement() && !data.is_acknowledgement() && ack().is_acknowledgement());
        assert_eq!((tack.data_len(), data.data_len()), (0, 1440));
        assert!(!with(|tcp| tcp.options.tack.permitted = true).tcp().is_some_and(TcpHeader::is_tack));
    }

    #[test]
    fn on_a_syn_the_field_of_the_packet_number_says_beta_and_l() {
        let terms = TackTerms { beta: 8, every: 0x1234 };
        let mut syn = with(|tcp| tcp.options.tack.permitted = true);
        let Transport::Tcp(tcp) = &mut syn.transport else { unreachable!("built as TCP") };
        assert_eq!(tcp.options.tack.terms(), None);
        tcp.options.tack.set_terms(Some(terms));
        assert_eq!((tcp.options.tack.packet_number, tcp.options.tack.terms()), (Some(0x0008_1234), Some(terms)));
        // It is no numbered data, whoever looks.
        assert!(!tcp.is_tack());
        tcp.options.tack.permitted = false;
        assert!(tcp.is_tack() && tcp.options.tack.terms().is_none());
    }

    #[test]
    fn an_ack_with_timestamps_is_52_bytes_and_one_with_a_sack_block_64() {
        assert_eq!(ack().len(), Bytes(40));
        assert_eq!(with(|tcp| tcp.options.timestamps = Some((1, 2))).len(), Bytes(52));
        let sack = with(|tcp| {
            tcp.options.timestamps = Some((1, 2));
            tcp.options.sack = SackBlocks::from_slice(&[(SeqNumber(5), SeqNumber(9))]);
        });
        assert_eq!(sack.len(), Bytes(64));
    }
}

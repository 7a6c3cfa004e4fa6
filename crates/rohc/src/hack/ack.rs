//! The header of a pure ACK as a value, the flow it belongs to, and the identifier of that flow's context.

use std::net::IpAddr;

use ackless_wire::tcp::Checksum;
use ackless_wire::{Bytes, IpHeader, Packet, Payload, TcpHeader, Transport};

/// The IP and TCP headers of a pure ACK that HACK can carry: everything that the packet says.
///
/// Made from a [`Packet`] by [`Ack::of`], which refuses what cannot come out of the decompressor as it went in. Lengths
/// and checksums are not kept: they follow from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    pub(super) ip: IpHeader,
    pub(super) tcp: TcpHeader,
}

/// An [`Ack`] where it lies, in a packet or elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRef<'a> {
    pub(super) ip: &'a IpHeader,
    pub(super) tcp: &'a TcpHeader,
}

/// A flow: the addresses and ports of the direction in which its ACKs travel. The protocol is TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FiveTuple {
    /// Source address of the ACKs.
    pub src: IpAddr,
    /// Destination address of the ACKs.
    pub dst: IpAddr,
    /// Source port of the ACKs.
    pub src_port: u16,
    /// Destination port of the ACKs.
    pub dst_port: u16,
}

/// The context identifier of a flow: what the first byte of a run of compressed ACKs says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cid(pub u8);

/// Why a packet or an ACK is not compressed. It then goes natively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is not a pure ACK in the sense of [`Packet::pure_ack`]; one with unknown options or reserved bits is none.
    #[error("not a pure ACK")]
    NotPureAck,
    /// Its TCP checksum is wrong. The decompressor computes a right one, so this packet would change.
    #[error("the TCP checksum is wrong")]
    WrongChecksum,
    /// Its TCP options need this many bytes, and no header has more than 40.
    #[error("TCP options of {0} bytes do not fit a header")]
    OptionsTooLong(u64),
    /// Its bytes have the options in another order or padding than they would come out with ([`Packet::is_whole`]).
    #[error("TCP options in another layout")]
    Layout,
    /// It has options of TACK, or of requests for an ACK rate. No code has a place for them.
    #[error("options of TACK or TARR")]
    TackOptions,
    /// Its IPv6 flow label has more than 20 bits.
    #[error("flow label {0:#x} has more than 20 bits")]
    FlowLabel(u32),
    /// The context has no reference: no native ACK installed one, or what followed it was given up.
    #[error("the context has no reference")]
    NoReference,
    /// It belongs to another flow than the context.
    #[error("the ACK belongs to another flow")]
    OtherFlow,
    /// As a packet of RFC 6846 it takes so many bytes, more than any code.
    #[error("{0} bytes as a packet of RFC 6846")]
    TooLong(usize),
}

impl<'a> AckRef<'a> {
    /// The headers of `packet`.
    ///
    /// # Errors
    /// As [`Ack::of`].
    #[inline(always)]
    pub fn of(packet: &'a Packet) -> Result<Self, Refused> {
        let tcp = packet.pure_ack().ok_or(Refused::NotPureAck)?;
        if tcp.checksum != Checksum::Correct {
            return Err(Refused::WrongChecksum);
        }
        if !packet.is_whole() {
            return Err(Refused::Layout);
        }
        let options = tcp.options.len().get();
        if options > MAX_OPTIONS {
            return Err(Refused::OptionsTooLong(options));
        }
        if !tcp.options.tack.is_empty() || tcp.options.ack_rate.is_some() {
            return Err(Refused::TackOptions);
        }
        if let IpHeader::V6(v6) = &packet.ip
            && v6.flow_label > MAX_FLOW_LABEL
        {
            return Err(Refused::FlowLabel(v6.flow_label));
        }
        Ok(Self { ip: &packet.ip, tcp })
    }

    /// The same by itself.
    pub const fn copied(self) -> Ack {
        Ack { ip: *self.ip, tcp: *self.tcp }
    }

    /// The TCP header; its checksum is [`Checksum::Correct`].
    pub const fn tcp(self) -> &'a TcpHeader {
        self.tcp
    }

    /// The flow that it belongs to.
    pub const fn flow(self) -> FiveTuple {
        FiveTuple { src: self.ip.src(), dst: self.ip.dst(), src_port: self.tcp.src_port, dst_port: self.tcp.dst_port }
    }

    /// Whether both belong to one flow.
    #[inline]
    pub(super) fn same_flow(self, other: Self) -> bool {
        let addresses = match (self.ip, other.ip) {
            (IpHeader::V4(a), IpHeader::V4(b)) => a.src == b.src && a.dst == b.dst,
            (IpHeader::V6(a), IpHeader::V6(b)) => a.src == b.src && a.dst == b.dst,
            _ => false,
        };
        addresses && self.tcp.src_port == other.tcp.src_port && self.tcp.dst_port == other.tcp.dst_port
    }

    /// TSval and TSecr, zeros where there is no such option.
    #[inline]
    pub(super) fn stamps(self) -> (u32, u32) {
        self.tcp.options.timestamps.unwrap_or((0, 0))
    }
}

impl Ack {
    /// The headers of `packet`.
    ///
    /// # Errors
    /// See [`Refused`]; never [`Refused::NoReference`], [`Refused::OtherFlow`] or [`Refused::TooLong`], which only a context can say.
    pub fn of(packet: &Packet) -> Result<Self, Refused> {
        AckRef::of(packet).map(AckRef::copied)
    }

    /// These headers, where they lie.
    #[inline]
    pub const fn by_ref(&self) -> AckRef<'_> {
        AckRef { ip: &self.ip, tcp: &self.tcp }
    }

    /// The packet: these headers, right checksums and no payload.
    pub fn to_packet(&self) -> Packet {
        Packet { ip: self.ip, transport: Transport::Tcp(self.tcp), payload: Payload::EMPTY }
    }

    /// How long that packet is.
    #[inline]
    pub fn packet_len(&self) -> Bytes {
        self.ip.len() + self.tcp.len()
    }

    /// The IP header.
    pub const fn ip(&self) -> &IpHeader {
        &self.ip
    }

    /// The TCP header; its checksum is [`Checksum::Correct`].
    pub const fn tcp(&self) -> &TcpHeader {
        &self.tcp
    }

    /// The flow that it belongs to.
    pub const fn flow(&self) -> FiveTuple {
        self.by_ref().flow()
    }
}

impl FiveTuple {
    /// The flow of `packet`'s direction, if it is TCP.
    pub fn of(packet: &Packet) -> Option<Self> {
        let tcp = packet.tcp()?;
        let (src, dst) = (packet.ip.src(), packet.ip.dst());
        Some(Self { src, dst, src_port: tcp.src_port, dst_port: tcp.dst_port })
    }

    /// The octets that stand for the flow, and how many: source address (4 or 16), destination address (4 or 16), the
    /// protocol number 6, source port, destination port; all in network byte order.
    pub(super) fn octets(&self) -> ([u8; FLOW_OCTETS], usize) {
        let mut octets = [0; FLOW_OCTETS];
        let mut len = 0;
        let mut put = |part: &[u8]| {
            octets[len..len + part.len()].copy_from_slice(part);
            len += part.len();
        };
        for address in [self.src, self.dst] {
            match address {
                IpAddr::V4(v4) => put(&v4.octets()),
                IpAddr::V6(v6) => put(&v6.octets()),
            }
        }
        put(&[PROTOCOL]);
        put(&self.src_port.to_be_bytes());
        put(&self.dst_port.to_be_bytes());
        (octets, len)
    }
}

impl Cid {
    /// The context identifier of `flow`: the lowest byte of the MD5 hash (RFC 1321) of its 5-tuple (paper, 3.3.2).
    ///
    /// The paper fixes neither the order of the 5-tuple nor which byte is the lowest. Hashed are source address,
    /// destination address (4 or 16 octets each), the protocol number 6, source port and destination port in network
    /// byte order, as seen in the ACK. RFC 1321, 3.5, gives the digest from its low-order byte on, so the lowest is the
    /// first.
    ///
    /// This hashes: ask once for each flow, and keep the answer.
    pub fn of(flow: &FiveTuple) -> Self {
        let (octets, len) = flow.octets();
        Self(md5::compute(&octets[..len])[0])
    }
}

/// The protocol number of TCP.
const PROTOCOL: u8 = 6;
/// The octets of an IPv6 flow: two addresses, the protocol, two ports.
pub(super) const FLOW_OCTETS: usize = 16 + 16 + 1 + 2 + 2;
/// The bytes of options that a TCP header has room for (RFC 9293, 3.1).
const MAX_OPTIONS: u64 = 40;
/// The greatest IPv6 flow label (RFC 8200, 3).
const MAX_FLOW_LABEL: u32 = 0xf_ffff;

#[cfg(test)]
mod tests {
    use ackless_wire::tcp::{AckRate, Omitted, SackBlocks};
    use ackless_wire::{SeqNumber, TcpFlags};

    use super::*;

    fn packet(change: impl FnOnce(&mut Packet, &mut TcpHeader)) -> Packet {
        let ip = IpHeader::between([192, 168, 0, 2].into(), [10, 0, 0, 1].into()).expect("both are IPv4");
        let mut tcp = TcpHeader { flags: TcpFlags::ACK, ..TcpHeader::new(40_000, 80) };
        let mut packet = Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY };
        change(&mut packet, &mut tcp);
        packet.transport = Transport::Tcp(tcp);
        packet
    }

    #[test]
    fn what_would_come_out_changed_is_refused() {
        let refused = |change: fn(&mut Packet, &mut TcpHeader)| Ack::of(&packet(change)).map(|_| ());
        assert_eq!(refused(|_, _| ()), Ok(()));
        assert_eq!(refused(|packet, _| packet.payload = Payload::Length(1)), Err(Refused::NotPureAck));
        assert_eq!(refused(|_, tcp| tcp.flags |= TcpFlags::PSH), Err(Refused::NotPureAck));
        assert_eq!(refused(|_, tcp| tcp.checksum = Checksum::Wrong(7)), Err(Refused::WrongChecksum));
        let long = |_: &mut Packet, tcp: &mut TcpHeader| {
            tcp.options.timestamps = Some((1, 2));
            tcp.options.sack = SackBlocks::from_slice(&[(SeqNumber(1), SeqNumber(2)); 4]);
        };
        assert_eq!(refused(long), Err(Refused::OptionsTooLong(48)));
        assert_eq!(refused(|_, tcp| tcp.omitted = Omitted::LAYOUT), Err(Refused::Layout));
        assert_eq!(refused(|_, tcp| tcp.omitted = Omitted::OPTIONS), Err(Refused::NotPureAck));
        assert_eq!(refused(|_, tcp| tcp.omitted = Omitted::RESERVED), Err(Refused::NotPureAck));
        assert_eq!(refused(|_, tcp| tcp.options.tack.permitted = true), Err(Refused::TackOptions));
        assert_eq!(refused(|_, tcp| tcp.options.ack_rate = Some(AckRate::CAPABLE)), Err(Refused::TackOptions));
        assert_eq!(refused(|_, tcp| tcp.options.tack.ack_type = Some(1)), Err(Refused::NotPureAck));
        assert_eq!(refused(|_, tcp| tcp.options.tack.packet_number = Some(1)), Err(Refused::NotPureAck));
        let label = |packet: &mut Packet, _: &mut TcpHeader| {
            packet.ip = IpHeader::between([0; 16].into(), [1; 16].into()).expect("both are IPv6");
            let IpHeader::V6(v6) = &mut packet.ip else { unreachable!("built as IPv6") };
            v6.flow_label = 0x10_0000;
        };
        assert_eq!(refused(label), Err(Refused::FlowLabel(0x10_0000)));
    }

    #[test]
    fn a_packet_comes_back_from_its_headers() {
        let packet = packet(|_, tcp| tcp.window = 9);
        let ack = Ack::of(&packet).expect("a pure ACK");
        assert_eq!(ack.to_packet(), packet);
        assert_eq!(Some(ack.flow()), FiveTuple::of(&packet));
    }

    /// The digests are those of another implementation over the octets in the order of [`FiveTuple::octets`].
    #[test]
    fn the_cid_is_the_first_byte_of_the_md5_of_the_tuple() {
        let v4 = FiveTuple { src: [192, 168, 0, 2].into(), dst: [10, 0, 0, 1].into(), src_port: 40_000, dst_port: 80 };
        assert_eq!(v4.octets().0[..13], [192, 168, 0, 2, 10, 0, 0, 1, 6, 0x9c, 0x40, 0, 80]);
        assert_eq!(Cid::of(&v4), Cid(V4_CID));
        let v6 = FiveTuple { src: [0x20; 16].into(), dst: [0xfd; 16].into(), src_port: 5001, dst_port: 40_000 };
        assert_eq!(Cid::of(&v6), Cid(V6_CID));
    }

    const V4_CID: u8 = 0xd4;
    const V6_CID: u8 = 0x77;
}

//! Frames as values: MPDU, A-MPDU, control frames, and the PPDU that carries them (802.11-2020, 9.2 to 9.3 and 9.7).
//!
//! Nothing here is bytes: the codec turns a [`Ppdu`] into bytes where somebody wants to see them.

use std::fmt;
use std::num::NonZeroU16;

use ackless_phy::TxVector;
use ackless_wire::{Bytes, Duration, MacAddr, PacketId};

/// A station of the cell, or a group of them, in the place of a MAC address.
///
/// Numbers below 0x8000 name single stations, the others groups: 0xffff all, any other the group in which station `n - 0x8000` is alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u16);

/// A 12-bit MAC sequence number (802.11-2020, 9.2.4.4.2): arithmetic modulo 4096.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MacSeq(u16);

/// A traffic identifier, 0 to 7 (802.11-2020, 9.2.4.5.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tid(pub u8);

/// Names a queued frame for its sender's scheme, from the moment it is queued until it is delivered, given up or withdrawn.
/// Unique within one station and one run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FrameHandle(pub u32);

/// Which way an MPDU crosses the distribution system: the To DS and From DS bits (802.11-2020, table 9-30).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ds {
    /// Between stations without an AP (To DS 0, From DS 0).
    Direct,
    /// From a station to its AP (To DS 1, From DS 0).
    ToAp,
    /// From the AP to a station (To DS 0, From DS 1).
    FromAp,
    /// Four addresses, as bridges and relays send (To DS 1, From DS 1).
    FourAddress,
}

/// The type of an MPDU that carries a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MpduKind {
    /// A Data frame (not QoS).
    Data,
    /// A QoS Data frame of this TID.
    QosData(Tid),
    /// A packet disguised as a management frame of subtype Action. A group-addressed one is not answered; an individually addressed one is.
    Action,
    /// A packet disguised as a management frame of subtype Action No Ack, so that no answer is due though it is addressed to one station
    /// (802.11-2020, 9.3.3.14; the ACK filtering paper, section IV).
    ActionNoAck,
}

/// What answer an MPDU asks for (802.11-2020, 9.2.4.5.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckPolicy {
    /// An Ack, or a BlockAck where the MPDU came in an A-MPDU.
    Normal,
    /// Nothing.
    NoAck,
}

/// Where a packet stands in its MPDU.
///
/// The packets of an A-MSDU (802.11-2020, 9.3.2.2.2) stand one after another wherever MPDUs do, each as an [`Mpdu`] of its own with the
/// same sequence number, so that whoever looks at packets sees each, and whoever looks at MPDUs looks at those that begin one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Part {
    /// It is the only one: there is no A-MSDU.
    #[default]
    Alone = 0,
    /// The first of an A-MSDU.
    First = Self::MORE_FOLLOW,
    /// Neither the first nor the last of an A-MSDU.
    Middle = Self::MORE_FOLLOW | Self::MORE_BEFORE,
    /// The last of an A-MSDU.
    Last = Self::MORE_BEFORE,
}

/// A MAC protocol data unit with a packet in it; where it carries an A-MSDU, one of its packets.
#[derive(Clone, Copy, Debug)]
pub struct Mpdu {
    /// The packet. Its sender holds a reference for as long as the MPDU may be sent again.
    pub packet: PacketId,
    /// The length of the packet, without the LLC header.
    pub packet_len: Bytes,
    /// The application bytes in the packet: what is left without IP, TCP and UDP headers.
    pub payload_len: Bytes,
    /// Whether the packet is a TCP ACK and nothing else ([`ackless_wire::Packet::is_acknowledgement`]).
    pub tcp_ack: bool,
    /// The sender's name for this frame.
    pub handle: FrameHandle,
    /// Type, subtype and TID.
    pub kind: MpduKind,
    /// Direction bits.
    pub ds: Ds,
    /// Who shall receive it off the air (RA).
    pub receiver: NodeId,
    /// Who put it on the air (TA).
    pub transmitter: NodeId,
    /// Where it goes in the end (DA).
    pub destination: NodeId,
    /// Where it came from first (SA).
    pub source: NodeId,
    /// Sequence number.
    pub seq: MacSeq,
    /// Whether it has been sent before (Retry bit).
    pub retry: bool,
    /// What answer it asks for.
    pub ack_policy: AckPolicy,
    /// Where the packet stands in its MPDU.
    pub part: Part,
}

/// The MPDUs of a PPDU by what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// How many have packets in them.
    pub mpdus: u64,
    /// Those that carry nothing but TCP ACKs.
    pub tcp_acks: u64,
    /// Those with the Retry bit.
    pub retries: u64,
}

/// Bits that a scheme may set in every MPDU header of a PPDU, or in the header of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeaderBits {
    /// More Data: more frames for the receiver stay queued (802.11-2020, 9.2.4.1.8).
    pub more_data: bool,
    /// HACK's SYNC bit. Where it stands in a frame depends on who sends the frame, see [`crate::codec`]: it must mean nothing to whoever does not know it.
    pub sync: bool,
}

/// Which MPDUs a BlockAck acknowledges: bit n stands for the sequence number `start + n` (802.11-2020, 9.3.1.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bitmap {
    /// The starting sequence number.
    pub start: MacSeq,
    /// One bit for each of 64 sequence numbers.
    pub bits: u64,
}

/// What a PPDU carries.
#[derive(Clone, Debug)]
pub enum Body {
    /// A single MPDU, not aggregated.
    Single(Mpdu),
    /// A single MPDU, not aggregated, with the packets of its A-MSDU.
    Amsdu(Vec<Mpdu>),
    /// An A-MPDU. All its MPDUs have the same receiver and TID; the packets of an A-MSDU follow one another.
    Aggregate(Vec<Mpdu>),
    /// An Ack, with whatever a scheme appended.
    Ack(Answer),
    /// A compressed BlockAck of one TID, with whatever a scheme appended.
    BlockAck(Tid, Bitmap, Answer),
    /// A BlockAck Request of one TID with its starting sequence number.
    BlockAckReq(Tid, MacSeq),
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// A beacon with this MPDU length, header and FCS included.
    Beacon(Bytes),
}

/// What a scheme put on a link-layer answer beyond the standard.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Appended bytes, under the same FCS as the answer itself.
    pub appended: Vec<u8>,
    /// Header bits of the answer.
    pub bits: HeaderBits,
    /// The flag of the TCP ACK agent (its paper, III.1, second solution). It travels in the Retry bit, which is zero in all other control frames.
    pub agent: bool,
    /// A reserved value in place of the Duration field. Nobody's NAV heeds it, and nothing is said of a reservation that went on.
    pub tag: Option<Tag>,
}

/// A reserved value of the Duration field, 1 to 16,383: bit 15 set and bit 14 clear make it neither a duration nor an association
/// identifier (802.11-2020, table 9-11), so that a station that does not know its meaning leaves its NAV alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag(NonZeroU16);

/// A physical-layer protocol data unit: one transmission.
#[derive(Clone, Debug)]
pub struct Ppdu {
    /// Who sends it.
    pub transmitter: NodeId,
    /// Who shall receive it.
    pub receiver: NodeId,
    /// How it is modulated.
    pub txvector: TxVector,
    /// The length of its PSDU, with all that a scheme appended and, in an A-MPDU, delimiters and padding.
    pub psdu_len: Bytes,
    /// How long it is on the air, signal extension included.
    pub duration: Duration,
    /// The Duration field: how long the medium is reserved after this PPDU.
    pub duration_field: Duration,
    /// The bits that stand in the header of its MPDUs.
    pub bits: HeaderBits,
    /// What it carries.
    pub body: Body,
}

impl MpduKind {
    /// Whether it is QoS Data.
    pub const fn is_qos(self) -> bool {
        matches!(self, Self::QosData(_))
    }

    /// Whether it is a packet disguised as a management frame.
    pub const fn is_action(self) -> bool {
        matches!(self, Self::Action | Self::ActionNoAck)
    }

    /// The length of its MAC header: 24 bytes, 2 more with QoS, 6 more where a Data frame has a fourth address (802.11-2020, 9.2.3 and 9.3.2.1).
    #[inline]
    pub(crate) const fn header_len(self, ds: Ds) -> Bytes {
        let by_direction = match self {
            Self::Data => 0,
            Self::QosData(_) => 1,
            Self::Action => 2,
            Self::ActionNoAck => 3,
        };
        Bytes(HEADER_LENS[by_direction][ds as usize] as u64)
    }
}

impl Part {
    const MORE_FOLLOW: u8 = 1;
    const MORE_BEFORE: u8 = 2;

    /// Whether an MPDU begins with it.
    #[inline]
    pub const fn begins(self) -> bool {
        self as u8 & Self::MORE_BEFORE == 0
    }

    /// Whether an MPDU ends with it.
    #[inline]
    pub const fn ends(self) -> bool {
        self as u8 & Self::MORE_FOLLOW == 0
    }
}

impl NodeId {
    /// All stations.
    pub const BROADCAST: Self = Self(0xffff);

    /// Whether this names a group.
    pub const fn is_group(self) -> bool {
        self.0 & 0x8000 != 0
    }

    /// The group in which this station is alone: a frame to it reaches the station and is not answered.
    pub const fn as_group(self) -> Self {
        Self(self.0 | 0x8000)
    }

    /// The one station that this names, by itself or as the only one of its group; [`Self::BROADCAST`] as it is.
    pub const fn station(self) -> Self {
        match self {
            Self::BROADCAST => self,
            Self(n) => Self(n & 0x7fff),
        }
    }

    /// The address as it stands in a frame.
    pub const fn mac(self) -> MacAddr {
        match self {
            Self::BROADCAST => MacAddr::BROADCAST,
            Self(n) if self.is_group() => {
                let [high, low] = n.to_be_bytes();
                MacAddr([0x03, 0, 0, 0, high, low])
            }
            Self(n) => MacAddr::of_node(n),
        }
    }
}

impl MacSeq {
    /// The first one.
    pub const ZERO: Self = Self(0);
    /// The number of sequence numbers.
    pub const MODULUS: u16 = 4096;

    /// The sequence number congruent to `n`.
    pub const fn new(n: u16) -> Self {
        Self(n % Self::MODULUS)
    }

    /// 0 to 4095.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// `n` numbers further on.
    pub const fn plus(self, n: u16) -> Self {
        Self((self.0 + n % Self::MODULUS) % Self::MODULUS)
    }

    /// How many numbers `self` lies past `start`, 0 to 4095. Below 2048 means "not before" (802.11-2020, 10.25.6.3).
    pub const fn offset_from(self, start: Self) -> u16 {
        (self.0 + Self::MODULUS - start.0) % Self::MODULUS
    }

    /// Whether `self` comes before `other` in the sense of the half-space rule.
    pub const fn before(self, other: Self) -> bool {
        self.offset_from(other) >= Self::MODULUS / 2
    }
}

impl Tag {
    /// The largest.
    pub const MAX: u16 = 0x3fff;

    /// A tag; `None` outside of 1 to [`Self::MAX`].
    pub const fn new(n: u16) -> Option<Self> {
        match NonZeroU16::new(n) {
            Some(n) if n.get() <= Self::MAX => Some(Self(n)),
            _ => None,
        }
    }

    /// 1 to [`Self::MAX`].
    pub const fn get(self) -> u16 {
        self.0.get()
    }
}

impl Bitmap {
    /// Nothing acknowledged from `start` on.
    pub const fn empty(start: MacSeq) -> Self {
        Self { start, bits: 0 }
    }

    /// Whether `seq` is acknowledged.
    pub const fn contains(&self, seq: MacSeq) -> bool {
        let offset = seq.offset_from(self.start);
        offset < 64 && self.bits >> offset & 1 == 1
    }

    /// The bits as they stand from `seq` on: bit n is that of the sequence number `seq + n`, and not set where that is none of the 64 numbers.
    pub const fn aligned_to(&self, seq: MacSeq) -> u64 {
        let (ahead, behind) = (seq.offset_from(self.start), self.start.offset_from(seq));
        let aligned =
            if ahead <= behind { self.bits.checked_shr(ahead as u32) } else { self.bits.checked_shl(behind as u32) };
        match aligned {
            Some(bits) => bits,
            None => 0,
        }
    }

    /// Acknowledges `seq`; ignored where it lies outside the 64 numbers.
    pub const fn insert(&mut self, seq: MacSeq) {
        let offset = seq.offset_from(self.start);
        if offset < 64 {
            self.bits |= 1 << offset;
        }
    }
}

impl Mpdu {
    /// The MAC header's length: 24 bytes, 2 more with QoS, 6 more where a Data frame has a fourth address (802.11-2020, 9.2.3 and 9.3.2.1).
    pub const fn header_len(&self) -> Bytes {
        self.kind.header_len(self.ds)
    }

    /// Whether its receiver answers it. If not, it is sent once.
    pub const fn is_answered(&self) -> bool {
        let asks = matches!(self.ack_policy, AckPolicy::Normal) && !self.receiver.is_group();
        asks && !matches!(self.kind, MpduKind::ActionNoAck)
    }

    /// The MPDU's length: header, LLC and SNAP, packet and FCS. Of an A-MSDU, what this packet takes of it: its subframe, with the
    /// header of the MPDU before the first one, padding to a multiple of four bytes behind all but the last, and the FCS behind that.
    pub const fn len(&self) -> Bytes {
        if matches!(self.part, Part::Alone) { self.len_alone() } else { self.len_in_amsdu() }
    }

    /// The MPDU's length if the packet is the only one in it.
    #[inline]
    pub(crate) const fn len_alone(&self) -> Bytes {
        Bytes(self.header_len().0 + LLC_LEN.0 + self.packet_len.0 + FCS_LEN.0)
    }

    #[inline]
    const fn len_in_amsdu(&self) -> Bytes {
        let header = if self.part.begins() { self.header_len().0 } else { 0 };
        let subframe = amsdu_subframe_len(self.packet_len).0;
        Bytes(header + if self.part.ends() { subframe + FCS_LEN.0 } else { subframe.next_multiple_of(AMSDU_PAD) })
    }

    /// The TID, where the frame has one.
    pub const fn tid(&self) -> Option<Tid> {
        match self.kind {
            MpduKind::QosData(tid) => Some(tid),
            MpduKind::Data | MpduKind::Action | MpduKind::ActionNoAck => None,
        }
    }
}

impl Ppdu {
    /// The MPDUs with packets in them, an A-MSDU packet by packet; none for control frames and beacons.
    pub fn mpdus(&self) -> &[Mpdu] {
        match &self.body {
            Body::Single(mpdu) => std::slice::from_ref(mpdu),
            Body::Amsdu(mpdus) | Body::Aggregate(mpdus) => mpdus,
            _ => &[],
        }
    }

    /// The same MPDU by MPDU: each with its packets.
    #[inline]
    pub fn packets(&self) -> impl Iterator<Item = &[Mpdu]> {
        self.packets_from(0)
    }

    /// The same without so many packets at the start, which are whole MPDUs.
    #[inline]
    pub(crate) fn packets_from(&self, skipped: usize) -> impl Iterator<Item = &[Mpdu]> {
        let mut rest = &self.mpdus()[skipped..];
        std::iter::from_fn(move || {
            let (packets, others) = split_first(rest)?;
            rest = others;
            Some(packets)
        })
    }

    /// Its MPDUs with packets in them by what they are.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        let mut tcp_acks = true;
        for packet in self.mpdus() {
            if packet.part == Part::Alone {
                tally.mpdus += 1;
                tally.retries += u64::from(packet.retry);
                tally.tcp_acks += u64::from(packet.tcp_ack);
                continue;
            }
            let begins = packet.part.begins();
            tcp_acks = packet.tcp_ack & (tcp_acks | begins);
            tally.mpdus += u64::from(begins);
            tally.retries += u64::from(begins & packet.retry);
            tally.tcp_acks += u64::from(tcp_acks & packet.part.ends());
        }
        tally
    }

    /// How many frames (MPDUs) it carries, control frames and beacons included.
    pub fn frame_count(&self) -> usize {
        match &self.body {
            Body::Aggregate(mpdus) => mpdus.iter().filter(|mpdu| mpdu.part.begins()).count(),
            _ => 1,
        }
    }

    /// What a scheme put on this answer; nothing where the PPDU is no Ack or BlockAck.
    pub const fn answer(&self) -> Option<&Answer> {
        match &self.body {
            Body::Ack(answer) | Body::BlockAck(_, _, answer) => Some(answer),
            _ => None,
        }
    }

    /// Whether it begins an exchange: everything but an answer.
    pub const fn is_initiating(&self) -> bool {
        !matches!(self.body, Body::Ack(_) | Body::BlockAck(..) | Body::Cts)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BROADCAST => f.write_str("all"),
            Self(n) if self.is_group() => write!(f, "group{}", n & 0x7fff),
            Self(n) => write!(f, "node{n}"),
        }
    }
}

impl fmt::Debug for MacSeq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The packets of the first MPDU, and those of the others.
#[inline]
pub(crate) fn split_first(packets: &[Mpdu]) -> Option<(&[Mpdu], &[Mpdu])> {
    let first = packets.first()?;
    Some(packets.split_at(if first.part.ends() { 1 } else { packets_of_first(packets) }))
}

/// How many packets the A-MSDU at the start of `mpdus` has.
#[cold]
fn packets_of_first(mpdus: &[Mpdu]) -> usize {
    mpdus.iter().position(|packet| packet.part.ends()).map_or(mpdus.len(), |last| last + 1)
}

/// The length of a MAC header by the kind of its MPDU, in the order of [`MpduKind`], and then by its direction, in that of [`Ds`].
const HEADER_LENS: [[u8; 4]; 4] = [[24, 24, 24, 30], [26, 26, 26, 32], [24; 4], [24; 4]];

/// The length of an A-MSDU subframe with a packet of this length, not padded: destination, source and length, LLC and SNAP, packet
/// (802.11-2020, 9.3.2.2.2).
pub const fn amsdu_subframe_len(packet: Bytes) -> Bytes {
    Bytes(AMSDU_HEADER_LEN.0 + LLC_LEN.0 + packet.0)
}

/// LLC and SNAP header in front of each packet (802.2 with RFC 1042 encapsulation).
pub const LLC_LEN: Bytes = Bytes(8);
/// The header of an A-MSDU subframe: two addresses and a length (802.11-2020, 9.3.2.2.2).
pub const AMSDU_HEADER_LEN: Bytes = Bytes(14);
/// Subframes of an A-MSDU but the last are padded to a multiple of this many bytes (802.11-2020, 9.3.2.2.2).
pub const AMSDU_PAD: u64 = 4;
/// The frame check sequence at the end of each MPDU (802.11-2020, 9.2.4.8).
pub const FCS_LEN: Bytes = Bytes(4);
/// An Ack without anything appended (802.11-2020, 9.3.1.4).
pub const ACK_LEN: Bytes = Bytes(14);
/// A CTS (802.11-2020, 9.3.1.3).
pub const CTS_LEN: Bytes = Bytes(14);
/// An RTS (802.11-2020, 9.3.1.2).
pub const RTS_LEN: Bytes = Bytes(20);
/// A BlockAck with a 64-bit bitmap (802.11-2020, 9.3.1.8).
pub const BLOCK_ACK_LEN: Bytes = Bytes(32);
/// A BlockAck Request (802.11-2020, 9.3.1.7).
pub const BLOCK_ACK_REQ_LEN: Bytes = Bytes(24);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_wrap_at_4096() {
        assert_eq!(MacSeq::new(4095).plus(2), MacSeq::new(1));
        assert_eq!(MacSeq::new(1).offset_from(MacSeq::new(4095)), 2);
        assert!(MacSeq::new(4095).before(MacSeq::new(1)));
        assert!(!MacSeq::new(1).before(MacSeq::new(4095)));
        assert!(!MacSeq::new(7).before(MacSeq::new(7)));
    }

    #[test]
    fn a_bitmap_covers_64_numbers_across_the_wrap() {
        let mut bitmap = Bitmap::empty(MacSeq::new(4090));
        bitmap.insert(MacSeq::new(4090));
        bitmap.insert(MacSeq::new(4090 + 63));
        bitmap.insert(MacSeq::new(4090 + 64));
        assert!(bitmap.contains(MacSeq::new(4090)) && bitmap.contains(MacSeq::new(57)));
        assert!(!bitmap.contains(MacSeq::new(58)));
    }

    #[test]
    fn a_station_is_alone_in_its_group() {
        let (station, group) = (NodeId(7), NodeId(7).as_group());
        assert!(group.is_group() && !station.is_group());
        assert_eq!(
            [station.station(), group.station(), NodeId::BROADCAST.station()],
            [station, station, NodeId::BROADCAST]
        );
        assert!(group.mac().is_group() && group.mac() != NodeId(8).as_group().mac());
    }
}

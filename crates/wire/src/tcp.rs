//! The TCP header as a value (RFC 9293, 3.1), with the options that today's stacks send.

use std::fmt;
use std::num::NonZeroU8;
use std::ops::{Add, AddAssign, Sub};

use crate::units::Bytes;

/// A TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpHeader {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Sequence number of the first payload byte (or of the SYN).
    pub seq: SeqNumber,
    /// Acknowledgment number; meaningful with [`TcpFlags::ACK`].
    pub ack: SeqNumber,
    /// Control bits.
    pub flags: TcpFlags,
    /// Window field as sent, before scaling (RFC 7323, 2.2).
    pub window: u16,
    /// Urgent pointer; meaningful with [`TcpFlags::URG`].
    pub urgent: u16,
    /// Whether the checksum is right, or which wrong one the packet bears.
    pub checksum: Checksum,
    /// Options.
    pub options: TcpOptions,
    /// What its bytes said beside all this; nothing, unless the header was parsed.
    pub omitted: Omitted,
}

/// The checksum of a header that is kept as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Checksum {
    /// Right: computed when the packet becomes bytes.
    #[default]
    Correct,
    /// Wrong: this value stands in the field.
    Wrong(u16),
}

/// A sequence number: arithmetic modulo 2^32 (RFC 9293, 3.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeqNumber(pub u32);

bitflags::bitflags! {
    /// The control bits of a TCP header (RFC 9293, 3.1; RFC 3168, 6.1).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct TcpFlags: u8 {
        /// No more data from the sender.
        const FIN = 0x01;
        /// Synchronise sequence numbers.
        const SYN = 0x02;
        /// Reset the connection.
        const RST = 0x04;
        /// Push.
        const PSH = 0x08;
        /// The acknowledgment field counts.
        const ACK = 0x10;
        /// The urgent pointer counts.
        const URG = 0x20;
        /// ECN-Echo.
        const ECE = 0x40;
        /// Congestion Window Reduced.
        const CWR = 0x80;
    }
}

bitflags::bitflags! {
    /// What the bytes of a header said and its value has no place for. Where anything is set, the value is no copy of the packet: what passes it on
    /// must pass on the bytes themselves, since [`Packet::emit`](crate::Packet::emit) writes it without this.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Omitted: u8 {
        /// An option of a kind that is not in [`TcpOptions`]: MPTCP (RFC 8684), TCP-AO (RFC 5925) and so on.
        const OPTIONS = 0x01;
        /// A reserved bit: one of the four behind the data offset (RFC 9293, 3.1; the first of them is AccECN's, RFC 9768, 3.1), or that of IPv4's flags.
        const RESERVED = 0x02;
        /// Options in another order than that of [`TcpOptions::len`], padded otherwise, or repeated; or a checksum of zero that is written as ones, as Linux does where it
        /// completes one itself (`CSUM_MANGLED_0`): one packet in 65,536; or a
        /// request for an ACK rate of 127, which is written as 126 once the header is changed. It means the same, or next to it, to who receives it.
        const LAYOUT = 0x04;
        /// Something in front of it: IPv4 options, IPv6 extension headers, a wrong IPv4 checksum. Only a [foreign](crate::Foreign) packet has that.
        const NETWORK = 0x08;
    }
}

/// TCP options, in the layout that [`TcpOptions::len`] describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TcpOptions {
    /// Maximum segment size (RFC 9293, 3.7.1), SYN only.
    pub mss: Option<u16>,
    /// SACK permitted (RFC 2018, 2), SYN only.
    pub sack_permitted: bool,
    /// Timestamps: TSval and TSecr (RFC 7323, 3.2).
    pub timestamps: Option<(u32, u32)>,
    /// Window scale shift (RFC 7323, 2.2), SYN only.
    pub window_scale: Option<u8>,
    /// SACK blocks (RFC 2018, 3).
    pub sack: SackBlocks,
    /// The options of TACK (paper, VI-A).
    pub tack: TackOptions,
    /// TARR: how often a sender of data asks to be acknowledged.
    pub ack_rate: Option<AckRate>,
}

/// The TCP ACK Rate Request option (draft-ietf-tcpm-ack-rate-request): an experimental one, kind 254 with identifier 0x00AC (RFC 6994). On a SYN, with 4 bytes, it says that
/// an end does what it is asked for; on a segment with data, with 5, what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRate(NonZeroU8);

/// What is asked for: R in the upper seven bits of a byte, and N, whether order is to be ignored, in the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRequest(u8);

impl AckRate {
    /// An end that can.
    pub const CAPABLE: Self = Self(NonZeroU8::MAX);

    /// A request.
    pub const fn of(request: RateRequest) -> Self {
        Self(NonZeroU8::MIN.saturating_add(request.0))
    }

    /// The request, if it is one.
    pub const fn request(self) -> Option<RateRequest> {
        if self.0.get() == u8::MAX { None } else { Some(RateRequest(self.0.get() - 1)) }
    }
}

impl RateRequest {
    /// The greatest R. The field could say 127, which is read as 126: the value of a header has one byte for it, and for capability.
    pub const MOST: u32 = 126;

    /// An ACK for `segments` full-sized segments, at most [`Self::MOST`], each; for none, an ACK of this segment, and no change. Where `ignores_order`, what comes out of
    /// order draws none of its own.
    pub const fn new(segments: u32, ignores_order: bool) -> Self {
        let segments = if segments > Self::MOST { Self::MOST } else { segments };
        Self((segments << 1) as u8 | ignores_order as u8)
    }

    /// The request that this byte makes.
    pub const fn from_byte(byte: u8) -> Self {
        Self::new((byte >> 1) as u32, byte & 1 != 0)
    }

    /// The byte that makes it.
    pub const fn byte(self) -> u8 {
        self.0
    }

    /// R.
    pub const fn segments(self) -> u32 {
        (self.0 >> 1) as u32
    }

    /// N.
    pub const fn ignores_order(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The three options of TACK (paper, VI-A and figure 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TackOptions {
    /// How they are written; of no meaning where none is there.
    pub form: TackForm,
    /// TACK-Permitted, SYN only: this end can do TACK.
    pub permitted: bool,
    /// ACK-Type: this segment is a TACK (1) or an IACK (2 to 255), and its payload no part of the stream.
    pub ack_type: Option<u8>,
    /// PKT.SEQ: the number of this transmission of data. Beside TACK-Permitted, on a SYN, which has no number: [`terms`](Self::terms).
    pub packet_number: Option<u32>,
}

/// How often an end that offers TACK wants TACKs to come (paper, IV-A, equation 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TackTerms {
    /// beta: TACKs for each least round trip.
    pub beta: u16,
    /// L: full-sized segments for each TACK.
    pub every: u16,
}

/// How the options of TACK are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TackForm {
    /// As kinds 40, 41 and 42 (paper, figure 8), which IANA has assigned to nobody.
    #[default]
    Kinds,
    /// As shared experimental options (RFC 6994): kind 253 with an experiment identifier for each of the three.
    Experimental,
}

/// Up to four SACK blocks, each from its left edge to just past its last byte (RFC 2018, 3).
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct SackBlocks {
    blocks: [(SeqNumber, SeqNumber); 4],
    len: u8,
}

impl TcpHeader {
    /// The length of a header without options.
    pub const MIN_LEN: Bytes = Bytes(20);

    /// A header with these ports and all else zero.
    pub fn new(src_port: u16, dst_port: u16) -> Self {
        Self {
            src_port,
            dst_port,
            seq: SeqNumber(0),
            ack: SeqNumber(0),
            flags: TcpFlags::empty(),
            window: 0,
            urgent: 0,
            checksum: Checksum::Correct,
            options: TcpOptions::default(),
            omitted: Omitted::empty(),
        }
    }

    /// The length of the header with its options.
    pub fn len(&self) -> Bytes {
        Self::MIN_LEN + self.options.len()
    }

    /// Whether this segment says by itself that its connection does TACK: it bears ACK-Type or PKT.SEQ. A SYN never does.
    ///
    /// What stands between two ends and makes, changes or reads acknowledgements leaves such a segment alone. Of one with ACK-Type neither
    /// sequence number nor timestamps nor payload are what they are elsewhere, and the answer to data with PKT.SEQ is a report that only its
    /// receiver can make.
    pub const fn is_tack(&self) -> bool {
        let tack = &self.options.tack;
        tack.ack_type.is_some() || (tack.packet_number.is_some() && !tack.permitted)
    }

    /// Whether this segment says more than plain TCP does: it is of TACK, or has options or bits that this crate does not know.
    ///
    /// What stands between two ends and makes, changes, drops or reads acknowledgements leaves such a segment alone. With MPTCP an ACK without data
    /// tells the connection above how far it is (RFC 8684, 3.3.2), and data with its options wants an answer that has them too; with TCP-AO nobody but
    /// the ends can make a segment that is valid (RFC 5925).
    pub const fn is_opaque(&self) -> bool {
        self.is_tack() || self.omitted.intersects(Omitted::OPTIONS.union(Omitted::RESERVED).union(Omitted::NETWORK))
    }
}

impl TcpOptions {
    /// The length of the options, padded to 4 bytes.
    ///
    /// The layout is the one that Linux sends, each group padded with NOPs in front:
    /// MSS (4); SACK permitted with timestamps (2 + 10), or either alone behind two NOPs (4, 12);
    /// NOP and window scale (4); two NOPs and SACK (4 + 8 for each block); then TACK's: two NOPs and TACK-Permitted (4; experimental 4
    /// without NOPs), NOP and ACK-Type (4; experimental 8), two NOPs and PKT.SEQ (8; experimental 8 without NOPs); last TARR (4), or three NOPs and a
    /// request (8).
    pub fn len(&self) -> Bytes {
        let mss = if self.mss.is_some() { 4 } else { 0 };
        let stamps = match (self.sack_permitted, self.timestamps.is_some()) {
            (_, true) => 12,
            (true, false) => 4,
            (false, false) => 0,
        };
        let scale = if self.window_scale.is_some() { 4 } else { 0 };
        let sack = if self.sack.is_empty() { 0 } else { 4 + 8 * u64::from(self.sack.len) };
        let rate = match self.ack_rate {
            None => 0,
            Some(rate) if rate.request().is_some() => 8,
            Some(_) => 4,
        };
        Bytes(mss + stamps + scale + sack + rate) + self.tack.len()
    }
}

impl TackOptions {
    /// Whether none of them is there.
    pub const fn is_empty(&self) -> bool {
        !self.permitted && self.ack_type.is_none() && self.packet_number.is_none()
    }

    /// What a SYN says of beta (the upper two bytes of the field of PKT.SEQ) and L (the lower two); nothing where it says nothing, and on other segments. Ours.
    pub const fn terms(&self) -> Option<TackTerms> {
        match self.packet_number {
            Some(field) if self.permitted => Some(TackTerms { beta: (field >> 16) as u16, every: field as u16 }),
            _ => None,
        }
    }

    /// Has a SYN say that.
    pub fn set_terms(&mut self, terms: Option<TackTerms>) {
        self.packet_number = terms.map(|terms| u32::from(terms.beta) << 16 | u32::from(terms.every));
    }

    /// The length of those that are there, padded to 4 bytes.
    pub const fn len(&self) -> Bytes {
        let ack_type = match self.form {
            TackForm::Kinds => 4,
            TackForm::Experimental => 8,
        };
        let permitted = if self.permitted { 4 } else { 0 };
        let ack_type = if self.ack_type.is_some() { ack_type } else { 0 };
        let packet_number = if self.packet_number.is_some() { 8 } else { 0 };
        Bytes(permitted + ack_type + packet_number)
    }
}

impl SackBlocks {
    /// No blocks.
    pub const EMPTY: Self = Self { blocks: [(SeqNumber(0), SeqNumber(0)); 4], len: 0 };

    /// The first four of these blocks.
    pub fn from_slice(blocks: &[(SeqNumber, SeqNumber)]) -> Self {
        let mut all = Self::EMPTY;
        for &block in blocks.iter().take(4) {
            all.push(block);
        }
        all
    }

    /// Adds a block; false, and no change, if there are four already.
    pub fn push(&mut self, block: (SeqNumber, SeqNumber)) -> bool {
        let free = usize::from(self.len) < self.blocks.len();
        if free {
            self.blocks[usize::from(self.len)] = block;
            self.len += 1;
        }
        free
    }

    /// The blocks in their order.
    pub fn as_slice(&self) -> &[(SeqNumber, SeqNumber)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Whether there are no blocks.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Debug for SackBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl SeqNumber {
    /// How far `self` is ahead of `other`: negative if behind. Both must lie within 2^31 of each other.
    pub const fn distance_from(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }

    /// Whether `self` comes before `other`.
    pub const fn before(self, other: Self) -> bool {
        self.distance_from(other) < 0
    }

    /// Whether `self` comes after `other`.
    pub const fn after(self, other: Self) -> bool {
        self.distance_from(other) > 0
    }

    /// The later of the two.
    pub const fn max(self, other: Self) -> Self {
        if self.before(other) { other } else { self }
    }

    /// The earlier of the two.
    pub const fn min(self, other: Self) -> Self {
        if other.before(self) { other } else { self }
    }
}

impl Add<u32> for SeqNumber {
    type Output = Self;
    fn add(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n))
    }
}

impl AddAssign<u32> for SeqNumber {
    fn add_assign(&mut self, n: u32) {
        *self = *self + n;
    }
}

impl Sub<u32> for SeqNumber {
    type Output = Self;
    fn sub(self, n: u32) -> Self {
        Self(self.0.wrapping_sub(n))
    }
}

impl Sub for SeqNumber {
    type Output = u32;
    /// The bytes from `earlier` to `self`, modulo 2^32.
    fn sub(self, earlier: Self) -> u32 {
        self.0.wrapping_sub(earlier.0)
    }
}

impl fmt::Debug for SeqNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_the_wrap() {
        let (before, after) = (SeqNumber(u32::MAX - 3), SeqNumber(4));
        assert!(before.before(after) && after.after(before));
        assert_eq!(after - before, 8);
        assert_eq!(before.max(after), after);
        assert_eq!(before.min(after), before);
    }

    #[test]
    fn a_linux_syn_carries_20_bytes_of_options() {
        let syn = TcpOptions {
            mss: Some(1460),
            sack_permitted: true,
            timestamps: Some((1, 0)),
            window_scale: Some(7),
            ..Default::default()
        };
        assert_eq!(syn.len(), Bytes(20));
    }
}

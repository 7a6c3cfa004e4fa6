//! What both ends of a context know: the header before, and what they expect of the next one.
//!
//! Everything here follows from the header that a native ACK installed and from the headers after it, never from how
//! those were encoded. So two ends with the same reference and the same ACKs since are equal.

use ackless_wire::IpHeader;

use crate::hack::ack::Ack;
use crate::hack::check::{Covered, FlowSum};

/// One end's view of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Context {
    /// The header before the next one.
    pub(super) reference: Ack,
    /// The last advance of the acknowledgment number, never 0.
    pub(super) stride: u32,
    /// The last advance that differed from `stride`, never 0.
    pub(super) other_stride: u32,
    /// The last growth of the first SACK block at its right edge, never 0.
    pub(super) growth: u32,
    /// How the IPv4 identification moves.
    pub(super) ip_id: IpId,
    /// The checksums of the flow.
    pub(super) sum: FlowSum,
}

/// How an IPv4 identification is expected to move from one ACK to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IpId {
    /// It stays.
    Constant,
    /// It grows by one.
    Sequential,
    /// It grows by one with its bytes swapped, as hosts do that forget network byte order.
    Swapped,
}

impl Context {
    /// The context that a native ACK installs, and the MSN of the first code after it.
    ///
    /// Strides start with what most receivers do on a path for packets of 1,500 bytes: acknowledge two segments, or
    /// one.
    pub(super) fn install(reference: &Ack) -> (Self, u16) {
        let ip = u32::try_from(reference.ip.len().get()).expect("an IP header is short");
        let stamps = if reference.tcp.options.timestamps.is_some() { 12 } else { 0 };
        let segment = 1500 - ip - 20 - stamps;
        let ip_id = match &reference.ip {
            IpHeader::V4(v4) if v4.id == 0 => IpId::Constant,
            _ => IpId::Sequential,
        };
        let sum = FlowSum::of(reference);
        let context =
            Self { reference: *reference, stride: 2 * segment, other_stride: segment, growth: segment, ip_id, sum };
        (context, sum.first_msn(&Covered::of(reference)).into())
    }

    /// The IPv4 identification that the next ACK is expected to have; 0 for IPv6.
    pub(super) fn expected_id(&self) -> u16 {
        match &self.reference.ip {
            IpHeader::V4(v4) => self.ip_id.after(v4.id),
            IpHeader::V6(_) => 0,
        }
    }

    /// Makes `ack` the reference, and learns from the step to it.
    pub(super) fn step(&mut self, ack: &Ack) {
        let before = &self.reference;
        let advance = ack.tcp.ack - before.tcp.ack;
        // A step back is no stride, and 0 has a code of its own.
        if advance != self.stride && (1..=MAX_STRIDE).contains(&advance) {
            self.other_stride = self.stride;
            self.stride = advance;
        }
        if let ([(old_left, old), ..], [(left, new), ..]) =
            (before.tcp.options.sack.as_slice(), ack.tcp.options.sack.as_slice())
            && left == old_left
            && (1..=MAX_STRIDE).contains(&(*new - *old))
        {
            self.growth = *new - *old;
        }
        if let (IpHeader::V4(old), IpHeader::V4(new)) = (&before.ip, &ack.ip)
            && new.id != self.ip_id.after(old.id)
        {
            self.ip_id = IpId::seen(old.id, new.id).unwrap_or(self.ip_id);
        }
        self.reference = *ack;
    }
}

impl IpId {
    /// The identification expected after `id`.
    fn after(self, id: u16) -> u16 {
        match self {
            Self::Constant => id,
            Self::Sequential => id.wrapping_add(1),
            Self::Swapped => id.swap_bytes().wrapping_add(1).swap_bytes(),
        }
    }

    /// The behaviour that leads from one identification to the next, if one does.
    fn seen(old: u16, new: u16) -> Option<Self> {
        [Self::Constant, Self::Sequential, Self::Swapped].into_iter().find(|behaviour| behaviour.after(old) == new)
    }
}

/// The greatest step that counts as a stride: what a window can hold (RFC 7323, 2.3).
const MAX_STRIDE: u32 = 1 << 30;

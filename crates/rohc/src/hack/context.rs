//! What both ends of a context know: the header before, and what they expect of the next one.
//!
//! Everything here follows from the header that a native ACK installed and from the headers after it, never from how
//! those were encoded. So two ends with the same reference and the same ACKs since are equal.

use ackless_wire::tcp::SackBlocks;
use ackless_wire::{Bytes, IpHeader, SeqNumber};

use crate::hack::ack::Ack;
use crate::hack::check::{Covered, FlowSum, Words};

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
    /// What the checksum covers of the reference.
    pub(super) words: Words,
    /// How long the reference's packet is.
    pub(super) packet_len: Bytes,
}

/// What an expected step of the flow changes of the header: all that a code of one or two bytes can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Next {
    /// The acknowledgment number.
    pub(super) ack: SeqNumber,
    /// The timestamps, there or not there as before.
    pub(super) timestamps: Option<(u32, u32)>,
    /// The window.
    pub(super) window: u16,
    /// The IPv4 identification, which is the expected one; 0 for IPv6.
    pub(super) id: u16,
    /// The SACK blocks, where they are others than before: the first has grown as it last did.
    pub(super) grown: Option<SackBlocks>,
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
        let covered = Covered::of(reference);
        let context = Self {
            reference: *reference,
            stride: 2 * segment,
            other_stride: segment,
            growth: segment,
            ip_id,
            sum,
            words: covered.words,
            packet_len: reference.packet_len(),
        };
        (context, sum.first_msn(&covered).into())
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
        self.learn_stride(ack.tcp.ack);
        let before = &self.reference;
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
        (self.words, self.packet_len) = (Covered::of(ack).words, ack.packet_len());
    }

    /// What is covered of the header that an expected step leads to.
    #[inline(always)]
    pub(super) fn covered_after<'a>(&'a self, next: &'a Next) -> Covered<'a> {
        let [numbers, fields, _, rest] = self.words;
        let (value, echo) = next.timestamps.unwrap_or((0, 0));
        let words = [
            numbers & !0xffff_ffff | u64::from(next.ack.0),
            fields & 0xffff_0000_0000_ffff | u64::from(next.window) << 32 | u64::from(next.id) << 16,
            u64::from(value) << 32 | u64::from(echo),
            rest,
        ];
        // As many blocks as before.
        Covered { words, sack: next.grown.as_ref().unwrap_or(&self.reference.tcp.options.sack).as_slice() }
    }

    /// As [`Self::step`] for an expected step, by which nothing but a stride is learnt. `words`: what is covered of the header that it [leads to](Self::covered_after).
    #[inline(always)]
    pub(super) fn take(&mut self, next: &Next, words: Words) {
        self.learn_stride(next.ack);
        next.put_into(&mut self.reference);
        self.words = words;
    }

    /// The header that an expected step leads to.
    pub(super) fn after(&self, next: &Next) -> Ack {
        let mut ack = self.reference;
        next.put_into(&mut ack);
        ack
    }

    /// The acknowledgment number moves. A step back is no stride, and 0 has a code of its own.
    #[inline(always)]
    fn learn_stride(&mut self, ack: SeqNumber) {
        let advance = ack - self.reference.tcp.ack;
        if advance != self.stride && (1..=MAX_STRIDE).contains(&advance) {
            self.other_stride = self.stride;
            self.stride = advance;
        }
    }
}

impl Next {
    #[inline(always)]
    fn put_into(&self, Ack { ip, tcp }: &mut Ack) {
        if let IpHeader::V4(v4) = ip {
            v4.id = self.id;
        }
        (tcp.ack, tcp.window, tcp.options.timestamps) = (self.ack, self.window, self.timestamps);
        if let Some(grown) = self.grown {
            tcp.options.sack = grown;
        }
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

//! What a decompressor knows after a packet, and what has changed since.

use bitflags::bitflags;

use super::header::{Header, PSH, TCP_ECN};
use super::lsb::Lsb;
use super::options::{List, Table};

/// The dynamic part of a context. The compressor keeps one for each packet that the decompressor may have seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) header: Header,
    /// Master sequence number: counts the packets of the context.
    pub(super) msn: u16,
    pub(super) behavior: IpIdBehavior,
    /// By which the acknowledgement number is scaled; 0 for not at all.
    pub(super) stride: u16,
    /// The irregular chain carries the ECN and reserved bits.
    pub(super) ecn_used: bool,
    pub(super) list: List,
    pub(super) table: Table,
}

/// How IPv4 identifications follow each other (RFC 6846, 6.1.1). IPv6, which has none, counts as random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IpIdBehavior {
    /// It counts, and its distance from the MSN is sent.
    Sequential = 0,
    /// As sequential, with its bytes swapped.
    Swapped = 1,
    /// It is sent whole.
    Random = 2,
    /// It is always zero.
    Zero = 3,
}

bitflags! {
    /// The fields in which a packet differs from what the decompressor may know.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Changes: u16 {
        const SEQ = 1;
        const ACK = 1 << 1;
        const WINDOW = 1 << 2;
        const DSCP = 1 << 3;
        const HOPS = 1 << 4;
        const DONT_FRAGMENT = 1 << 5;
        const BEHAVIOR = 1 << 6;
        const URGENT = 1 << 7;
        /// Flags that only the common header and the chains carry.
        const FLAGS = 1 << 8;
        const ECN_USED = 1 << 9;
        const STRIDE = 1 << 10;
        /// The list of options, or an item that must come with its contents.
        const LIST = 1 << 11;
        /// RST, SYN or FIN.
        const RSF = 1 << 12;
    }
}

impl State {
    /// What of `self` a decompressor in the state `old` does not know.
    ///
    /// The checksum, PSH, and the ECN and reserved bits are no part of it: every packet carries them, or every state
    /// that can be meant has them zero.
    pub(super) fn changes_since(&self, old: &Self) -> Changes {
        let (new, before) = (&self.header, &old.header);
        let sent_always = PSH | TCP_ECN | super::header::RSF;
        let mut changes = Changes::empty();
        for (flag, changed) in [
            (Changes::SEQ, new.seq != before.seq),
            (Changes::ACK, new.ack != before.ack),
            (Changes::WINDOW, new.window != before.window),
            (Changes::DSCP, new.traffic_class >> 2 != before.traffic_class >> 2),
            (Changes::HOPS, new.hops != before.hops),
            (Changes::DONT_FRAGMENT, new.dont_fragment != before.dont_fragment),
            (Changes::BEHAVIOR, self.behavior != old.behavior),
            (Changes::URGENT, new.urgent != before.urgent),
            (Changes::FLAGS, (new.flags ^ before.flags) & !sent_always != 0),
            (Changes::RSF, (new.flags ^ before.flags) & super::header::RSF != 0),
            (Changes::ECN_USED, self.ecn_used != old.ecn_used),
            (Changes::STRIDE, self.stride != old.stride),
            (Changes::LIST, self.list != old.list || self.lacking_in(old) != 0),
        ] {
            changes.set(flag, changed);
        }
        changes
    }

    /// The positions of the list whose items a decompressor in the state `old` needs with their contents.
    pub(super) fn lacking_in(&self, old: &Self) -> u16 {
        self.list.positions(|index| old.table.lacks(index, &self.table))
    }

    /// The distance of the IP identification from the MSN (RFC 6846, 8.2, `ip_id_lsb`).
    pub(super) fn ip_id_offset(&self) -> u16 {
        self.behavior.ordered(self.header.ip_id).wrapping_sub(self.msn)
    }

    /// The bits that are sent of the scaled acknowledgement number.
    pub(super) fn ack_scaled(&self) -> u32 {
        match u32::from(self.stride) {
            0 => 0,
            stride => ACK_SCALED.low(self.header.ack / stride),
        }
    }

    /// The acknowledgement number that a decompressor in this state makes of the bits of a scaled one. Without a
    /// stride the scaled number is zero and the residue is all (RFC 6846, 8.2, `field_scaling`): nothing else can
    /// be meant then.
    pub(super) fn unscale_ack(&self, received: u32) -> Option<u32> {
        match u32::from(self.stride) {
            0 => (received == 0).then_some(self.header.ack),
            stride => {
                let scaled = ACK_SCALED.decode(self.header.ack / stride, received, 32);
                Some(scaled.wrapping_mul(stride).wrapping_add(self.header.ack % stride))
            }
        }
    }
}

impl IpIdBehavior {
    /// The identification in the order in which it counts.
    pub(super) const fn ordered(self, ip_id: u16) -> u16 {
        match self {
            Self::Swapped => ip_id.swap_bytes(),
            _ => ip_id,
        }
    }

    /// Whether headers of the `seq` kind are used, which carry the distance from the MSN.
    pub(super) const fn is_sequential(self) -> bool {
        matches!(self, Self::Sequential | Self::Swapped)
    }

    pub(super) const fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::Sequential,
            1 => Self::Swapped,
            2 => Self::Random,
            _ => Self::Zero,
        }
    }
}

/// Of the acknowledgement number by its stride, in rnd_4 and seq_4.
pub(super) const ACK_SCALED: Lsb = Lsb::new(4, 3);
/// Of the MSN, in every compressed header.
pub(super) const MSN: Lsb = Lsb::new(4, 4);

#[cfg(test)]
pub(super) fn sample() -> State {
    let header = Header {
        traffic_class: 0,
        hops: 64,
        ip_id: 0x1234,
        dont_fragment: true,
        seq: 1000,
        ack: 2_000_000_123,
        reserved: 0,
        flags: super::header::ACK,
        window: 501,
        checksum: 0xabcd,
        urgent: 0,
    };
    State {
        header,
        msn: 7,
        behavior: IpIdBehavior::Sequential,
        stride: 1460,
        ecn_used: false,
        list: List::default(),
        table: Table::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scaled_number_keeps_the_residue() {
        let old = sample();
        for (steps, fits) in [(-3_i32, true), (0, true), (12, true), (-4, false), (13, false)] {
            let mut new = old.clone();
            new.header.ack = old.header.ack.wrapping_add((steps * 1460) as u32);
            let came = old.unscale_ack(new.ack_scaled());
            assert_eq!(came == Some(new.header.ack), fits, "{steps} strides on");
        }
    }

    #[test]
    fn without_a_stride_only_the_same_number_can_be_meant() {
        let state = State { stride: 0, ..sample() };
        assert_eq!(state.unscale_ack(0), Some(2_000_000_123));
        assert_eq!(state.unscale_ack(1), None);
    }

    #[test]
    fn a_swapped_identification_counts_in_its_high_byte() {
        let mut state = State { behavior: IpIdBehavior::Swapped, ..sample() };
        let before = state.ip_id_offset();
        state.header.ip_id = state.header.ip_id.wrapping_add(0x0100);
        assert_eq!(state.ip_id_offset(), before.wrapping_add(1));
    }
}

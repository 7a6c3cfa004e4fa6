//! What somebody beside a connection knows of it, from its SYNs and from what its segments say of themselves.
//!
//! Which connections are left alone ([`Opaque`]) is one rule for all that make, keep back or ask for ACKs: by connection, and not by segment. One segment of either end that says more than plain
//! TCP is enough, but for SYNs, which only offer, and there is no way back before another SYN: with MPTCP a segment without options is still one of a connection whose acknowledgements mean more
//! than TCP's, and a connection that did TACK has ends that mind what comes between them. What is owed by then stays owed.

use ackless_wire::{SeqNumber, TcpFlags, TcpHeader};

/// Whether a connection says more than plain TCP does ([`TcpHeader::is_opaque`]: TACK, MPTCP, TCP-AO), and is left alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Opaque(bool);

impl Opaque {
    /// A segment of either end goes by. Returns whether the connection is left alone, this segment included.
    #[inline]
    pub(crate) const fn note(&mut self, tcp: &TcpHeader) -> bool {
        self.note_if(Self::is_shown_by(tcp))
    }

    /// A segment goes by; `shown`: what [`Self::is_shown_by`] says of it. Returns whether the connection is left alone.
    #[inline]
    pub(crate) const fn note_if(&mut self, shown: bool) -> bool {
        self.0 |= shown;
        self.0
    }

    /// Whether a segment says that its connection is to be left alone.
    #[inline]
    pub(crate) const fn is_shown_by(tcp: &TcpHeader) -> bool {
        tcp.is_opaque() && !tcp.flags.contains(TcpFlags::SYN)
    }

    /// Whether it is left alone.
    #[inline]
    pub(crate) const fn is(self) -> bool {
        self.0
    }
}

/// By how much a receiver's window field is scaled (RFC 7323, 2.2 and 2.3).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum WindowScale {
    /// Its SYN was not seen.
    #[default]
    Unknown,
    /// It has offered this in a SYN, which this number acknowledges: only so is the other end's SYN the answer to it.
    Offered { offer: Option<u8>, syn_acked_by: SeqNumber },
    /// Both SYNs have been seen, or the one that answers the other: by so much; its SYN is acknowledged by the same number as before.
    Agreed { shift: u8, syn_acked_by: SeqNumber },
}

impl WindowScale {
    /// From the receiver's own SYN. One with ACK has the option only where the other one had it.
    pub(crate) fn of(syn: &TcpHeader) -> Self {
        let (offer, syn_acked_by) = (syn.options.window_scale, syn.seq + 1);
        if syn.flags.contains(TcpFlags::ACK) {
            Self::Agreed { shift: offer.unwrap_or(0).min(MAX_SHIFT), syn_acked_by }
        } else {
            Self::Offered { offer, syn_acked_by }
        }
    }

    /// What holds after the receiver's own SYN, where this held before: it may be the same SYN once more.
    pub(crate) fn updated_by(self, syn: &TcpHeader) -> Self {
        match self {
            Self::Agreed { syn_acked_by, .. } if syn_acked_by == syn.seq + 1 => self,
            _ => Self::of(syn),
        }
    }

    /// The other end's SYN goes to the receiver. One that the receiver will not take for an answer (RFC 9293, 3.10.7.3) agrees to nothing.
    pub(crate) fn answered(&mut self, syn: &TcpHeader) {
        if let Self::Offered { offer, syn_acked_by } = *self
            && syn.flags.contains(TcpFlags::SYN | TcpFlags::ACK)
            && syn.ack == syn_acked_by
        {
            *self = Self::Agreed { shift: agreed_shift(syn.options.window_scale, offer), syn_acked_by };
        }
    }

    /// By how many bits a window field is shifted, where that is known.
    #[inline]
    pub(crate) const fn agreed(self) -> Option<u8> {
        match self {
            Self::Agreed { shift, .. } => Some(shift),
            Self::Unknown | Self::Offered { .. } => None,
        }
    }

    /// The most bytes that a window field can mean.
    #[inline]
    pub(crate) fn max_window(self, field: u16) -> u32 {
        let shift = match self {
            Self::Agreed { shift, .. } => shift,
            Self::Offered { offer: None, .. } => 0,
            Self::Unknown | Self::Offered { .. } => MAX_SHIFT,
        };
        u32::from(field) << shift
    }
}

/// By how many bits windows are shifted between two ends that have offered this in their SYNs (RFC 7323, 2.2).
pub(crate) fn agreed_shift(one: Option<u8>, other: Option<u8>) -> u8 {
    one.and(other).unwrap_or(0).min(MAX_SHIFT)
}

/// RFC 7323, 2.3.
const MAX_SHIFT: u8 = 14;

#[cfg(test)]
mod tests {
    use super::*;

    fn syn(answers: Option<u32>, scale: Option<u8>) -> TcpHeader {
        let mut tcp = TcpHeader::new(1, 2);
        (tcp.seq, tcp.flags, tcp.options.window_scale) = (SeqNumber(u32::MAX), TcpFlags::SYN, scale);
        if let Some(ack) = answers {
            (tcp.ack, tcp.flags) = (SeqNumber(ack), TcpFlags::SYN | TcpFlags::ACK);
        }
        tcp
    }

    #[test]
    fn a_window_is_scaled_where_both_ends_have_offered_to_and_at_most_by_14() {
        assert_eq!(WindowScale::default().max_window(1), 1 << 14, "not seen");
        for (own, peers, means) in [
            (Some(7), Some(3), 128),
            (Some(0), Some(3), 1),
            (Some(7), None, 1),
            (None, Some(3), 1),
            (Some(15), Some(3), 1 << 14),
        ] {
            let mut scale = WindowScale::of(&syn(None, own));
            scale.answered(&syn(Some(1), peers));
            assert_eq!(scale.agreed(), None, "the answer to another SYN");
            scale.answered(&syn(Some(0), peers));
            assert_eq!(scale.max_window(1), means, "{own:?} and {peers:?}");
            assert_eq!(scale.updated_by(&syn(None, own)).max_window(1), means, "a SYN again takes nothing back");
        }
        assert_eq!(WindowScale::of(&syn(Some(0), Some(7))).max_window(1), 128, "an answer says it all");
        assert_eq!(WindowScale::of(&syn(Some(0), None)).max_window(1), 1);
    }
}

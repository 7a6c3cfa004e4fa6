//! How far a station's own frame exchange has come, as values.

use ackless_phy::TxVector;
use ackless_wire::Instant;

use super::links::LinkId;
use crate::frame::{MacSeq, Mpdu, NodeId, Ppdu};

/// How far the station's own frame exchange has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exchange {
    /// There is none.
    Idle,
    /// Its PPDU is on the air, and this is expected after it.
    OnAir(Option<Awaited>),
    /// The answer is due. `heard`: some frame began to arrive in time, and its end will decide.
    Awaiting { awaited: Awaited, deadline: Instant, heard: bool },
    /// The next PPDU of this access leaves then.
    Sifs { at: Instant },
}

/// The answer that a PPDU asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Awaited {
    /// Who sends it.
    pub(super) from: NodeId,
    /// At which rate.
    pub(super) rate: TxVector,
    pub(super) eliciting: Eliciting,
}

/// The eliciting frame or PPDU: what the answer is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Eliciting {
    /// An RTS.
    Rts,
    /// The frame in service, outside of any agreement: an Ack.
    InService,
    /// A single MPDU of the agreement on this link: an Ack.
    SingleMpdu(LinkId, MacSeq),
    /// An A-MPDU or a BlockAck Request on this link: a BlockAck.
    Block(LinkId),
}

/// A frame outside of any BlockAck agreement, from its first transmission until its fate.
#[derive(Clone, Copy, Debug)]
pub(super) struct InService {
    pub(super) mpdu: Mpdu,
    pub(super) rate: TxVector,
    pub(super) failures: u32,
    /// The link whose rate control chooses its rate; `None` where that is fixed, or the frame has its own.
    pub(super) adapting_link: Option<LinkId>,
}

/// A PPDU that waits for the CTS to its RTS.
#[derive(Debug)]
pub(super) struct AwaitingCts {
    pub(super) ppdu: Ppdu,
    pub(super) eliciting: Eliciting,
    pub(super) failures: u32,
}

impl InService {
    /// Whether an Ack is due; if not, it is sent once.
    pub(super) const fn is_answered(&self) -> bool {
        self.mpdu.is_answered()
    }
}

impl Exchange {
    pub(super) const fn is_idle(&self) -> bool {
        matches!(self, Self::Idle)
    }

    /// Whether a frame began to arrive while an answer was awaited.
    pub(super) const fn has_heard(&self) -> bool {
        matches!(self, Self::Awaiting { heard: true, .. })
    }

    pub(super) const fn deadline(&self) -> Option<Instant> {
        match *self {
            Self::Awaiting { deadline, heard: false, .. } => Some(deadline),
            Self::Sifs { at } => Some(at),
            Self::Idle | Self::OnAir(_) | Self::Awaiting { .. } => None,
        }
    }

    /// A frame began to arrive: its end decides, not the timeout (802.11-2020, 10.3.2.11).
    pub(super) fn hear_start(&mut self) {
        if let Self::Awaiting { heard, .. } = self {
            *heard = true;
        }
    }
}

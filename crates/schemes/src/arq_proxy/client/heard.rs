//! What the peer's next PPDU says about the last answer with a request.

use ackless_dot11::frame::{MacSeq, Tag, Tid};
use ackless_dot11::hooks::AnswerKind;

use crate::flow_key::FlowKey;

/// An answer with a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub(super) flow: FlowKey,
    pub(super) tag: Tag,
    /// The frame that an Ack acknowledged; `None` for a BlockAck.
    pub(super) frame: Option<(Option<Tid>, MacSeq)>,
    /// Whether the peer, had it not heard the answer, would have sent the same again.
    pub(super) sure: bool,
}

/// What came in the last PPDU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// It was a BlockAck Request.
    pub(super) request: bool,
    /// The More Data bit in its headers.
    pub(super) more_data: bool,
    /// The frame that the last request acknowledged came again.
    pub(super) again: bool,
    /// The last frame, and whether it had been sent before.
    pub(super) frame: Option<(Option<Tid>, MacSeq)>,
    pub(super) retry: bool,
}

/// What became of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    Lost,
    /// The peer may have given up the frame that the answer was for.
    Unsure,
    Arrived,
}

impl Heard {
    /// The answer of this kind to what came, with the next request.
    pub(super) fn told(&self, answer: AnswerKind, flow: FlowKey, tag: Tag) -> Told {
        match answer {
            AnswerKind::Ack => Told { flow, tag, frame: self.frame, sure: !self.retry },
            AnswerKind::BlockAck => Told { flow, tag, frame: None, sure: !self.request },
        }
    }

    /// What this PPDU, whose answer is of this kind, says of the answer before.
    pub(super) fn fate(&self, told: &Told, answer: AnswerKind) -> Fate {
        if self.request || told.frame.is_some() && self.again {
            Fate::Lost
        } else if !told.sure || told.frame.is_some() && answer == AnswerKind::BlockAck {
            // In an A-MPDU the frame of an Ack may have come again, damaged.
            Fate::Unsure
        } else {
            Fate::Arrived
        }
    }
}

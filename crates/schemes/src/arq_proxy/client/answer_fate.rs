//! What the peer's next PPDU says about the last answer with a request.

use ackless_dot11::frame::{MacSeq, Tag, Tid};
use ackless_dot11::hooks::AnswerKind;

use crate::flow_key::FlowKey;

/// An answer that asks for an ACK: with a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskingAnswer {
    pub(super) flow: FlowKey,
    pub(super) tag: Tag,
    /// The frame that an Ack acknowledged; `None` for a BlockAck.
    pub(super) frame: Option<(Option<Tid>, MacSeq)>,
    /// Whether the peer, had it not heard the answer, would have sent the same again.
    pub(super) sure: bool,
}

/// What came in the last PPDU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastPpdu {
    /// It was a BlockAck Request.
    pub(super) block_ack_req: bool,
    /// The More Data bit in its headers.
    pub(super) more_data: bool,
    /// The frame came again that the last asking answer acknowledged.
    pub(super) repeated: bool,
    /// The last frame, and whether it had been sent before.
    pub(super) frame: Option<(Option<Tid>, MacSeq)>,
    pub(super) retry: bool,
}

/// What became of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AnswerFate {
    Lost,
    /// The peer may have given up the frame that the answer was for.
    Unsure,
    Arrived,
}

impl LastPpdu {
    /// The answer of this kind to what came, with the next request.
    pub(super) fn asking_answer(&self, answer: AnswerKind, flow: FlowKey, tag: Tag) -> AskingAnswer {
        match answer {
            AnswerKind::Ack => AskingAnswer { flow, tag, frame: self.frame, sure: !self.retry },
            AnswerKind::BlockAck => AskingAnswer { flow, tag, frame: None, sure: !self.block_ack_req },
        }
    }

    /// What this PPDU, whose answer is of this kind, says of the answer before.
    pub(super) fn fate(&self, asking: &AskingAnswer, answer: AnswerKind) -> AnswerFate {
        if self.block_ack_req || asking.frame.is_some() && self.repeated {
            AnswerFate::Lost
        } else if !asking.sure || asking.frame.is_some() && answer == AnswerKind::BlockAck {
            // In an A-MPDU the frame of an Ack may have come again, damaged.
            AnswerFate::Unsure
        } else {
            AnswerFate::Arrived
        }
    }
}

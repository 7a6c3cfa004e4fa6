//! The words of the schemes' keys.

use ackless_schemes::agent::Room;
use ackless_schemes::arq_proxy::{Identification, Policy};
use ackless_schemes::filter::{Filtered, Form};
use ackless_schemes::hack::Announce;

use super::Value;
use crate::literal::Literal;

keywords! {
    Cure {
        Stock = "stock", Hack = "hack", Agent = "agent", Filter = "filter", ArqProxy = "arq-proxy", Thinning = "thinning",
        FastAck = "fast-ack",
    }
    HackPolicy { MoreData = "more-data", Opportunistic = "opportunistic", Timer = "timer" }
    Announce { Always = "always", WhileBusy = "while-busy" }
    HackCodec { Own = "own", Rfc6846 = "rfc6846" }
    Fitting { Whole = "whole", Split = "split" }
    Remedy { Buffer = "buffer", Flag = "flag" }
    Room { Refuse = "refuse", Promise = "promise" }
    Form { Group = "group", ActionNoAck = "action-no-ack", NoAck = "no-ack" }
    Filtered { Acks = "acks", AcksAndData = "acks-and-data" }
    Identification { FrameSequence = "frame-sequence", Hash = "hash" }
    Policy { Race = "race", MoreData = "more-data" }
    ThinningKind {
        Cake = "cake", CakeAggressive = "cake-aggressive", Replace = "replace", Hold = "hold",
        CountAndTime = "count-and-time",
    }
}

/// What is done with TCP ACKs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cure {
    Stock,
    Hack,
    Agent,
    Filter,
    ArqProxy,
    Thinning,
    FastAck,
}

/// What HACK lets a TCP ACK wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HackPolicy {
    MoreData,
    Opportunistic,
    Timer,
}

/// How HACK says an ACK behind an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HackCodec {
    Own,
    Rfc6846,
}

/// What HACK does with more than fits within AIFS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fitting {
    Whole,
    Split,
}

/// What the agent has against loss between a station's MAC and its TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Remedy {
    Buffer,
    Flag,
}

/// By whose rules ACKs are thinned out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThinningKind {
    Cake,
    CakeAggressive,
    Replace,
    Hold,
    CountAndTime,
}

//! The words of the transports' keys.

use ackless_cell::config::ByLetter;
use ackless_tcp::tack::{Blocks, LossSignal, RateBy, Settling, Share, Timing};
use ackless_tcp::{
    CubicRule, GrowthRule, Losses, MissingTimestamp, NagleRule, PrrRule, RackRule, RenoRule, RtoRule, SlowStartChoice,
};
use ackless_wire::tcp::TackForm;

use super::Value;
use crate::literal::Literal;

keywords! {
    Congestion { Reno = "reno", NewReno = "newreno", Cubic = "cubic", Bbr = "bbr", Bbr3 = "bbr3", ReceiverBbr = "receiver-bbr" }
    TransportPreset { Plain = "plain", Linux = "linux" }
    SlowStartChoice { Standard = "standard", HyStart = "hystart", HyStartPlusPlus = "hystart++" }
    NagleRule { Rfc = "rfc", Minshall = "minshall" }
    RtoRule { Rfc = "rfc", Linux = "linux" }
    RackRule { Rfc = "rfc", Linux = "linux" }
    PrrRule { Rfc6937 = "rfc6937", Rfc9937 = "rfc9937", Linux = "linux" }
    RenoRule { Bytes = "bytes", Acks = "acks" }
    CubicRule { Rfc = "rfc", Linux = "linux" }
    GrowthRule { Rfc = "rfc", Linux = "linux" }
    Recovery { Standard = "standard", Rack = "rack" }
    MissingTimestamp { Accept = "accept", Drop = "drop" }
    TackForm { Kinds = "kinds", Experimental = "experimental" }
    Blocks { Rich = "rich", Distinct = "distinct", Poor = "poor", OnDemand = "on-demand" }
    LossSignal { Iack = "iack", TackOnly = "tack-only" }
    Timing { OneWayDelay = "one-way-delay", Sampled = "sampled" }
    Share { Least = "least", Usual = "usual" }
    RateBy { Receiver = "receiver", Sender = "sender" }
    Settling { Quarter = "quarter", Adaptive = "adaptive" }
    ByLetter { Neither = "neither", Peer = "peer", Station = "station" }
    TackKind { Standard = "standard", Miracast = "miracast", Rounds = "rounds" }
    Losses { Ignored = "ignored", Bound = "bound" }
    ProbeRound { Gentle = "gentle", Never = "never" }
}

/// When a TCP receiver acknowledges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AckRule {
    /// Delayed ACKs for so many full-sized segments.
    Every(u32),
    ByteCounting,
    Periodic,
    Share,
    Request,
    Tack,
    Linux,
}

impl Value for AckRule {
    fn allowed() -> String {
        "a number of segments from 1 up, \"per-packet\" (1), \"delayed\" (2), \"byte-counting\", \"periodic\", \"share\", \"request\", \"tack\" or \"linux\"".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) => match text.as_str() {
                "per-packet" => Ok(Self::Every(1)),
                "delayed" => Ok(Self::Every(2)),
                "byte-counting" => Ok(Self::ByteCounting),
                "periodic" => Ok(Self::Periodic),
                "share" => Ok(Self::Share),
                "request" => Ok(Self::Request),
                "tack" => Ok(Self::Tack),
                "linux" => Ok(Self::Linux),
                _ => Err(None),
            },
            Literal::Integer(n @ 1..=1_000) => Ok(Self::Every(*n as u32)),
            Literal::Integer(_) => Err(Some("it is not from 1 to 1000".into())),
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Every(segments) => Literal::Integer(i64::from(*segments)),
            Self::ByteCounting => Literal::Text("byte-counting".into()),
            Self::Periodic => Literal::Text("periodic".into()),
            Self::Share => Literal::Text("share".into()),
            Self::Request => Literal::Text("request".into()),
            Self::Tack => Literal::Text("tack".into()),
            Self::Linux => Literal::Text("linux".into()),
        }
    }
    fn keywords() -> Vec<&'static str> {
        vec!["per-packet", "delayed", "byte-counting", "periodic", "share", "request", "tack", "linux"]
    }
}

/// Whose transports and hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TransportPreset {
    Plain,
    Linux,
}

/// A congestion control algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Congestion {
    Reno,
    NewReno,
    Cubic,
    Bbr,
    Bbr3,
    ReceiverBbr,
}

/// How a TCP sender notices losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recovery {
    Standard,
    Rack,
}

/// For what receiver-based BBR is tuned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TackKind {
    Standard,
    Miracast,
    Rounds,
}

/// How a sender looks for the least round-trip time in the Miracast variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProbeRound {
    Gentle,
    Never,
}

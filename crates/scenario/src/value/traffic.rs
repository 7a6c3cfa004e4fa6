//! The types of keys of flows.

use ackless_cell::config::{Direction, NewOptions, Pace, Segments};
use ackless_wire::BitRate;

use super::Value;
use crate::literal::Literal;

keywords! {
    Protocol { Tcp = "tcp", Udp = "udp" }
    Direction { Down = "down", Up = "up" }
    NewOptions { Pass = "pass", Strip = "strip", Drop = "drop" }
    Segments { Pass = "pass", Cut = "cut", Renumber = "renumber" }
    Ways { Both = "both", Down = "down", Up = "up" }
    Pattern {
        Bulk = "bulk", Finite = "finite", Repeated = "repeated", OnOff = "on-off", Video = "video", Requests = "requests",
    }
    TraceEnd { Hold = "hold", Repeat = "repeat" }
    Spread { Fixed = "fixed", Exponential = "exponential" }
}

impl Value for Pace {
    fn allowed() -> String {
        format!("\"saturating\" or {}", BitRate::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) if text == "saturating" => Ok(Self::Saturating),
            _ => BitRate::read(literal).map(Self::Rate),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Saturating => Literal::Text("saturating".into()),
            Self::Rate(rate) => rate.write(),
        }
    }
    fn keywords() -> Vec<&'static str> {
        vec!["saturating"]
    }
}

/// What carries a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    Tcp,
    Udp,
}

/// Which directions something concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ways {
    Both,
    Down,
    Up,
}

/// What an application sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    Bulk,
    Finite,
    Repeated,
    OnOff,
    Video,
    Requests,
}

/// What a trace does after its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TraceEnd {
    Hold,
    Repeat,
}

/// How times that recur are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spread {
    Fixed,
    Exponential,
}

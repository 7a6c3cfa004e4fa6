//! The types of keys of queues, buffers and what hosts merge.

use std::num::NonZeroU32;

use ackless_cell::config::{ApScheduler, Gro};
use ackless_wire::Bytes;

use super::Value;
use crate::literal::Literal;

keywords! {
    ApScheduler { RoundRobin = "round-robin", Fcfs = "fcfs", AirtimeFair = "airtime-fair" }
    Discipline { Fifo = "fifo", FqCodel = "fq-codel" }
}

/// The kind of queue that the AP keeps for each station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Discipline {
    Fifo,
    FqCodel,
}

/// What bounds the queue of the AP's device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeviceQueue {
    None,
    Aql,
    Packets(NonZeroU32),
}

impl Value for DeviceQueue {
    fn allowed() -> String {
        "\"none\", \"aql\" or a number of packets from 1 up".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) => match text.as_str() {
                "none" => Ok(Self::None),
                "aql" => Ok(Self::Aql),
                _ => Err(None),
            },
            Literal::Integer(n) => {
                let packets = u32::try_from(*n).ok().and_then(NonZeroU32::new);
                packets.map(Self::Packets).ok_or_else(|| Some(format!("it is not from 1 to {}", u32::MAX)))
            }
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::None => Literal::Text("none".into()),
            Self::Aql => Literal::Text("aql".into()),
            Self::Packets(packets) => Literal::Integer(i64::from(packets.get())),
        }
    }
    fn keywords() -> Vec<&'static str> {
        vec!["none", "aql"]
    }
}

/// How much a buffer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    Packets(u32),
    Bytes(Bytes),
}

impl Value for Room {
    fn allowed() -> String {
        format!("a number of packets, or {}", Bytes::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Integer(_) => u32::read(literal).map(Self::Packets),
            _ => Bytes::read(literal).map(Self::Bytes),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Packets(packets) => packets.write(),
            Self::Bytes(bytes) => bytes.write(),
        }
    }
}

impl Value for Gro {
    fn allowed() -> String {
        "\"off\", \"per-batch\" or a number of segments from 1 up".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) => match text.as_str() {
                "off" => Ok(Self::Off),
                "per-batch" => Ok(Self::PerBatch),
                _ => Err(None),
            },
            Literal::Integer(n) => {
                let most = u32::try_from(*n).ok().and_then(NonZeroU32::new);
                most.map(Self::Most).ok_or_else(|| Some(format!("it is not from 1 to {}", u32::MAX)))
            }
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Off => Literal::Text("off".into()),
            Self::PerBatch => Literal::Text("per-batch".into()),
            Self::Most(most) => Literal::Integer(i64::from(most.get())),
        }
    }
    fn keywords() -> Vec<&'static str> {
        vec!["off", "per-batch"]
    }
}

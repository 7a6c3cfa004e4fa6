//! What is remembered of a transmission, and what is said of it.

use ackless_wire::{Bytes, Instant};

use crate::sequence::Span;

/// A transmission that was found to be lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// What was sent.
    pub span: Span,
    /// What was in flight once it was sent, that included.
    pub in_flight: Bytes,
    /// What has been found lost since, that included.
    pub lost: Bytes,
    /// Whether the sender had run dry before.
    pub application_limited: bool,
    /// Whether each loss is found by itself, so that amounts of losses mean something; without SACK they do not.
    pub counted: bool,
}

/// The latest transmission of a stretch of sequence space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transmission {
    /// What was sent.
    pub span: Span,
    /// Which transmission of the connection this was, from 1. Where a transmission repeats parts of several earlier ones, all
    /// of these have its number.
    pub number: u64,
    /// When it was sent.
    pub sent_at: Instant,
    /// How often it has been sent: 1 if never repeated.
    pub sends: u32,
    /// What has become of it.
    pub fate: Fate,
    /// Where delivery stood when it was sent.
    pub snapshot: Snapshot,
}

/// What has become of a transmission, as far as the sender knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Nothing is known.
    InFlight,
    /// Deemed lost, and not sent again yet.
    Lost,
    /// The receiver has it, above a hole.
    Delivered,
}

/// Where delivery stood when a segment was sent (draft-ietf-ccwg-bbr, 4.1.1.2.1: P.delivered and the others).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// Bytes delivered until then.
    pub delivered: Bytes,
    /// When the last of these was delivered.
    pub delivered_at: Instant,
    /// When that last one had been sent.
    pub first_sent_at: Instant,
    /// Whether the sender had run dry, so that rates measured until this is delivered may be too low.
    pub app_limited: bool,
    /// What was in flight then, this segment included (P.tx_in_flight).
    pub in_flight: Bytes,
    /// Bytes deemed lost until then (P.lost).
    pub lost: Bytes,
}

impl Transmission {
    /// Whether it has been sent more than once.
    pub const fn is_repeated(&self) -> bool {
        self.sends > 1
    }
}

/// Transmissions that are found to be delivered together: adjacent, and where there are several each has been sent once, after the one below it.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The lowest.
    pub first: &'a Transmission,
    /// The highest.
    pub last: &'a Transmission,
}

impl<'a> Run<'a> {
    /// One alone.
    pub const fn of(sent: &'a Transmission) -> Self {
        Self { first: sent, last: sent }
    }

    /// How much they carried.
    pub fn len(&self) -> Bytes {
        self.last.span.end - self.first.span.start
    }
}

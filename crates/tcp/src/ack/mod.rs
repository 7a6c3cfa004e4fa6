//! When to acknowledge: a policy that sees each data segment and says "now" or "hold".
//!
//! The endpoint asks [`AckPolicy::on_segment`] about every segment with payload or FIN, tells the policy whenever
//! an acknowledgement has gone out (piggybacked ones too), and wakes it at its deadline.
//! How much is acknowledged and with which SACK blocks is not the policy's business.

mod delayed;

pub use delayed::Delayed;

use ackless_wire::{Bytes, Duration, Instant};

use crate::measure::Measured;

/// Which policy decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckChoice {
    /// Every `every` full-sized segments, or `timeout` after the first one held: see [`Delayed`].
    Delayed {
        /// L: full-sized segments for each acknowledgement. Range: 1 up; 0 counts as 1.
        every: u32,
        /// The longest that an acknowledgement is held. RFC 9293, 3.8.6.3: at most 500 ms.
        timeout: Duration,
    },
}

/// What a policy sees of a segment.
#[derive(Clone, Copy, Debug)]
pub struct SegmentFacts<'a> {
    /// New payload bytes in it.
    pub new_bytes: Bytes,
    /// The largest payload seen from this peer: what counts as one full-sized segment.
    pub full_size: Bytes,
    /// How it fits.
    pub place: Place,
    /// What the receiver has measured so far.
    pub measured: &'a Measured,
}

/// How a segment fits to what is here already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// It follows what is here, and nothing waits above it.
    InOrder,
    /// It follows what is here and fills all or part of a hole below what waits.
    FillsHole,
    /// It lies above a hole.
    AboveHole,
    /// All of it was here already, or outside the window.
    Duplicate,
    /// It ends the stream: all data and the FIN are here.
    Fin,
}

/// What a policy answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckDecision {
    /// Acknowledge at once.
    Now(AckReason),
    /// Not yet: see [`AckPolicy::deadline`].
    Hold,
}

/// Why an acknowledgement is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckReason {
    /// Enough has arrived since the last one.
    Count,
    /// It was held long enough.
    Timer,
    /// A segment above a hole: the sender should learn of the loss (RFC 5681, 4.2).
    OutOfOrder,
    /// A segment that fills a hole (RFC 5681, 4.2).
    HoleFilled,
    /// A duplicate, or a segment outside the window (RFC 9293, 3.10.7.4).
    Duplicate,
    /// The peer's FIN.
    Fin,
    /// The end of the handshake.
    Handshake,
    /// The window has opened (RFC 9293, 3.8.6.2.2).
    WindowUpdate,
    /// A suspicious segment (RFC 5961).
    Challenge,
}

/// A rule that decides when to acknowledge.
pub trait AckPolicy {
    /// A segment with payload or FIN came.
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision;
    /// An acknowledgement of all that is here went out, alone or with data.
    fn on_ack_sent(&mut self, now: Instant);
    /// When to be woken, if something is held.
    fn deadline(&self) -> Option<Instant>;
    /// The deadline has come.
    fn on_deadline(&mut self, now: Instant) -> AckDecision;
}

/// The policies there are.
#[derive(Clone, Debug)]
pub(crate) enum Policy {
    Delayed(Delayed),
}

impl Policy {
    pub(crate) const fn new(choice: AckChoice) -> Self {
        match choice {
            AckChoice::Delayed { every, timeout } => Self::Delayed(Delayed::new(every, timeout)),
        }
    }
}

impl AckPolicy for Policy {
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        match self {
            Self::Delayed(policy) => policy.on_segment(now, facts),
        }
    }

    fn on_ack_sent(&mut self, now: Instant) {
        match self {
            Self::Delayed(policy) => policy.on_ack_sent(now),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Delayed(policy) => policy.deadline(),
        }
    }

    fn on_deadline(&mut self, now: Instant) -> AckDecision {
        match self {
            Self::Delayed(policy) => policy.on_deadline(now),
        }
    }
}

impl Default for AckChoice {
    /// Every second full-sized segment (RFC 9293, 3.8.6.3), or after 40 ms (Linux, TCP_DELACK_MIN).
    fn default() -> Self {
        Self::Delayed { every: 2, timeout: Duration::from_millis(40) }
    }
}

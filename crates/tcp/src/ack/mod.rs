//! When to acknowledge: a policy that sees each data segment and says "now" or "hold".
//!
//! The endpoint asks [`AckPolicy::on_segment`] about every segment with payload or FIN, tells the policy whenever
//! an acknowledgement has gone out (piggybacked ones too), and wakes it at its deadline.
//! How much is acknowledged and with which SACK blocks is not the policy's business.
//!
//! Each policy states its frequency f, in acknowledgements each second, as the TACK paper (IV-A) has it: [`PerPacket`],
//! [`byte_counting()`] (1), [`Periodic`] (2), [`Delayed`] (3) and [`Tack`] (4).

mod byte_counting;
mod delayed;
mod held;
mod linux;
mod per_packet;
mod periodic;
mod request;
mod share;
pub mod tack;

pub use byte_counting::{LAST_RESORT, byte_counting};
pub use delayed::Delayed;
pub use linux::{LONGEST_DELAY, Linux};
pub use per_packet::PerPacket;
pub use periodic::Periodic;
pub use request::Request;
pub(crate) use request::UNASKED;
pub use share::{LONGEST, Share};
pub use tack::Tack;

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
    /// Every segment: see [`PerPacket`].
    PerPacket,
    /// Every `every` full-sized segments, with a timer of last resort only: see [`byte_counting()`].
    ByteCounting {
        /// L: full-sized segments for each acknowledgement. Range: 1 up; 0 counts as 1.
        every: u32,
    },
    /// Once in each interval: see [`Periodic`].
    Periodic {
        /// Alpha, the time between two acknowledgements.
        interval: Duration,
    },
    /// As seldom as transport permits: see [`Tack`]. With or without the TACK extension of the protocol, which is the
    /// business of [`TackConfig`](crate::TackConfig).
    Tack {
        /// Acknowledgements for each least round-trip time. Range: 1 up; 0 counts as 1. The paper's default: 4. On a TACK connection at most 65,535, and
        /// the greater of both ends'.
        beta: u32,
        /// L: full-sized segments for each acknowledgement. Range: 1 up; 0 counts as 1. The paper's default: 2. On a TACK connection at most 65,535, and the
        /// lesser of both ends'.
        every: u32,
    },
    /// For a share of the round trip: see [`Share`].
    Share {
        /// Acknowledgements for each round trip. Range: 1 up; 0 counts as 1. Firefox: 4.
        share: u32,
        /// The longest that an acknowledgement is held until rate and round trip are known.
        timeout: Duration,
    },
    /// As the sender of data asks for, and asks as a sender, where both ends can: see [`Request`] and `endpoint/ack_request`. Not on a TACK connection.
    Request {
        /// Acknowledgements for each window that this end asks for as a sender. Range: 1 up; 0 counts as 1.
        share: u32,
        /// The longest that an acknowledgement is held.
        timeout: Duration,
    },
    /// As Linux does: see [`Linux`].
    Linux {
        /// Whether ACKs above a hole are held back for a moment and compressed into one. Linux: yes.
        sack_compression: bool,
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
    /// What a host's kernel knows beyond that; given to a policy that [asks for it](AckPolicy::asks_host).
    pub host: Option<HostFacts>,
}

/// What a host's kernel knows when a segment comes.
#[derive(Clone, Copy, Debug)]
pub struct HostFacts {
    /// Payload of one segment: of each of those that were merged into this one (`gso_size`), or of this one.
    pub segment: Bytes,
    /// Whether the peer has pushed it.
    pub pushed: bool,
    /// The window as it was told last.
    pub window: Bytes,
    /// Whether the window that would be told now is no smaller, or all data has been read.
    pub window_kept: bool,
    /// Whether autotuning tells more of the window now than before the segment.
    pub window_grew: bool,
    /// The retransmission timeout.
    pub rto: Duration,
    /// The smoothed round trip, once there was a sample.
    pub srtt: Option<Duration>,
    /// Whether both ends do SACK.
    pub sack: bool,
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

impl Place {
    /// As a policy sees it where IACKs tell of holes (TACK): a hole is no reason to acknowledge.
    pub(crate) const fn beside_iacks(self) -> Self {
        match self {
            Self::FillsHole | Self::AboveHole => Self::InOrder,
            Self::InOrder | Self::Duplicate | Self::Fin => self,
        }
    }
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
    /// One of the quick acknowledgements of Linux.
    Quick,
    /// The application has read what was pushed, or more than a segment (Linux).
    Read,
    /// One for several above a hole (Linux).
    Compressed,
}

/// A rule that decides when to acknowledge.
pub trait AckPolicy {
    /// A segment with payload or FIN came.
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision;
    /// The application has taken data; `emptied` says that nothing more is there to be read.
    fn on_read(&mut self, emptied: bool) -> AckDecision {
        _ = emptied;
        AckDecision::Hold
    }
    /// A segment with data went out.
    fn on_data_sent(&mut self, now: Instant) {
        _ = now;
    }
    /// Whether [`SegmentFacts::host`] is wanted.
    fn asks_host(&self) -> bool {
        false
    }
    /// An acknowledgement of all that is here went out, alone or with data.
    fn on_ack_sent(&mut self, now: Instant);
    /// What the receiver has measured, or been told, has changed other than by a segment with data.
    fn on_measured(&mut self, measured: &Measured) {
        _ = measured;
    }
    /// When to be woken, if something is held.
    fn deadline(&self) -> Option<Instant>;
    /// The deadline has come.
    fn on_deadline(&mut self, now: Instant) -> AckDecision;
}

/// The policies there are.
#[derive(Clone, Debug)]
pub(crate) enum Policy {
    Delayed(Delayed),
    PerPacket(PerPacket),
    Periodic(Periodic),
    Share(Share),
    Tack(Tack),
    Request(Request),
    Linux(Linux),
}

impl Policy {
    pub(crate) const fn new(choice: AckChoice) -> Self {
        match choice {
            AckChoice::Delayed { every, timeout } => Self::Delayed(Delayed::new(every, timeout)),
            AckChoice::PerPacket => Self::PerPacket(PerPacket),
            AckChoice::ByteCounting { every } => Self::Delayed(byte_counting(every)),
            AckChoice::Periodic { interval } => Self::Periodic(Periodic::new(interval)),
            AckChoice::Share { share, timeout } => Self::Share(Share::new(share, timeout)),
            AckChoice::Tack { beta, every } => Self::Tack(Tack::new(beta, every)),
            AckChoice::Request { timeout, .. } => Self::Request(Request::new(timeout)),
            AckChoice::Linux { sack_compression } => Self::Linux(Linux::new(sack_compression)),
        }
    }
}

macro_rules! each_policy {
    ($self:ident, $policy:ident => $call:expr) => {
        match $self {
            Self::Delayed($policy) => $call,
            Self::PerPacket($policy) => $call,
            Self::Periodic($policy) => $call,
            Self::Share($policy) => $call,
            Self::Tack($policy) => $call,
            Self::Request($policy) => $call,
            Self::Linux($policy) => $call,
        }
    };
}

impl Policy {
    /// As [`AckPolicy::on_segment`], where the usual one is TACK's.
    #[inline(always)]
    pub(crate) fn on_numbered_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        match self {
            Self::Tack(policy) => policy.on_segment(now, facts),
            _ => self.on_segment_of_another(now, facts),
        }
    }

    #[inline(never)]
    fn on_segment_of_another(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        each_policy!(self, policy => policy.on_segment(now, facts))
    }
}

impl AckPolicy for Policy {
    // What is asked of the usual one for each segment stands where it is asked.
    #[inline(always)]
    fn on_segment(&mut self, now: Instant, facts: &SegmentFacts<'_>) -> AckDecision {
        match self {
            Self::Delayed(policy) => policy.on_segment(now, facts),
            _ => self.on_segment_of_another(now, facts),
        }
    }

    fn on_ack_sent(&mut self, now: Instant) {
        each_policy!(self, policy => policy.on_ack_sent(now));
    }

    fn on_read(&mut self, emptied: bool) -> AckDecision {
        match self {
            Self::Linux(policy) => policy.on_read(emptied),
            _ => AckDecision::Hold,
        }
    }

    fn on_data_sent(&mut self, now: Instant) {
        if let Self::Linux(policy) = self {
            policy.on_data_sent(now);
        }
    }

    #[inline]
    fn asks_host(&self) -> bool {
        matches!(self, Self::Linux(_))
    }

    fn on_measured(&mut self, measured: &Measured) {
        each_policy!(self, policy => policy.on_measured(measured));
    }

    fn deadline(&self) -> Option<Instant> {
        each_policy!(self, policy => policy.deadline())
    }

    fn on_deadline(&mut self, now: Instant) -> AckDecision {
        each_policy!(self, policy => policy.on_deadline(now))
    }
}

/// Why a segment that fits so is acknowledged at once on any plain connection (RFC 5681, 4.2; RFC 9293, 3.10.7.4); nothing if
/// it is plainly in order.
pub(crate) const fn at_once(place: Place) -> Option<AckReason> {
    match place {
        Place::InOrder => None,
        Place::FillsHole => Some(AckReason::HoleFilled),
        Place::AboveHole => Some(AckReason::OutOfOrder),
        Place::Duplicate => Some(AckReason::Duplicate),
        Place::Fin => Some(AckReason::Fin),
    }
}

impl Default for AckChoice {
    /// Every second full-sized segment (RFC 9293, 3.8.6.3), or after 40 ms (Linux, TCP_DELACK_MIN).
    fn default() -> Self {
        Self::Delayed { every: 2, timeout: Duration::from_millis(40) }
    }
}

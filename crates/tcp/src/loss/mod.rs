//! What is lost, what is in flight, and what to send again: loss detection and recovery.
//!
//! A detector hears about each acknowledgement and says when a recovery begins and ends; it answers how much is in
//! flight and what to retransmit next. How much may be in flight is the business of `congestion`.
//!
//! - [`SackRecovery`]: RFC 6675, where both ends do SACK;
//! - [`DupackRecovery`]: fast retransmit and fast recovery of RFC 5681 or RFC 6582, where not;
//! - [`Rack`]: RACK-TLP of RFC 8985, by time, where both ends do SACK; with [`Prr`];
//! - [`Pull`]: by the receiver, which says what is lost, where TACK is in force.
//!
//! Whether a loss was one at all is asked in `endpoint/undo`.

mod dupack;
mod phase;
mod prr;
mod pull;
mod rack;
mod recorded;
mod sack;
mod scoreboard;

pub use dupack::{DupackRecovery, PartialAcks};
pub use phase::Phase;
pub use prr::{Delivery, OldFlight, Prr, PrrRule};
pub use pull::{HoleReport, Pull};
pub use rack::{Rack, RackRule};
pub use recorded::Recorded;
pub(crate) use sack::Repetition;
pub use sack::SackRecovery;
pub use scoreboard::Scoreboard;

use ackless_wire::{Bytes, Instant};

use crate::delivery::Deliveries;
use crate::sequence::{Position, Span};
use crate::transmissions::Transmissions;

/// How losses are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RecoveryChoice {
    /// By counting: [`SackRecovery`] (RFC 6675) where both ends do SACK, else [`DupackRecovery`].
    #[default]
    Standard,
    /// By time: RACK-TLP (RFC 8985). It needs SACK; without it, as [`Standard`](Self::Standard).
    Rack,
}

/// What is out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outstanding {
    /// SND.UNA: all below is acknowledged.
    pub una: Position,
    /// SND.NXT: what is sent next; below SND.MAX when going back after a timeout.
    pub next: Position,
    /// SND.MAX, HighData of RFC 6675: one past the highest place ever sent.
    pub max: Position,
    /// The sender's maximum segment size.
    pub smss: Bytes,
}

/// What an acknowledgement said.
#[derive(Clone, Copy, Debug)]
pub struct AckReport<'a> {
    /// Bytes newly acknowledged cumulatively; the outstanding data is given as it is after that.
    pub acked: Bytes,
    /// Spans selectively acknowledged, as reported: not yet checked.
    pub sacked: &'a [Span],
    /// Whether this is a duplicate acknowledgement in the sense of RFC 5681, 2: something is out, and neither
    /// payload, acknowledgement number nor window is new.
    pub duplicate: bool,
}

/// What a detector answers to an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossDecision {
    /// Go on as before.
    Nothing,
    /// A loss is detected: reduce the window. The first retransmission is ready.
    BeginRecovery,
    /// All that was out when the recovery began has been acknowledged.
    EndRecovery,
    /// A probe has already repaired a loss at the end of what was out: reduce the window, nothing is to be repaired.
    TailRepaired,
}

/// A rule that detects losses and says what to send again.
pub trait LossDetector {
    /// An acknowledgement came; `out` is what is out after it.
    fn on_ack(&mut self, out: &Outstanding, report: &AckReport<'_>) -> LossDecision;
    /// The retransmission timer fired; `out` is what was out.
    fn on_timeout(&mut self, out: &Outstanding);
    /// The phase.
    fn phase(&self) -> Phase;
    /// An estimate of the bytes in the network.
    fn pipe(&self, out: &Outstanding) -> Bytes;
    /// A retransmission that goes out at once, whatever the window says. Not asked in [`Phase::Open`].
    fn urgent(&self, out: &Outstanding) -> Option<Span>;
    /// A retransmission that comes before new data.
    fn lost(&self, out: &Outstanding) -> Option<Span>;
    /// A retransmission that is worth trying if no new data can be sent.
    fn speculative(&self, out: &Outstanding) -> Option<Retransmission>;
    /// When going back: the next span from `from` on that is not known to be at the receiver, up to `limit`.
    fn go_back(&self, from: Position, limit: Position) -> Span;
    /// `span` was sent in recovery.
    fn on_sent(&mut self, span: Span, kind: SentKind);

    /// The records that it works on, where it does. The endpoint enters what is sent and what is delivered.
    fn records(&self) -> Option<&Transmissions> {
        None
    }
    /// The same, to write.
    fn records_mut(&mut self) -> Option<&mut Transmissions> {
        None
    }
    /// What the acknowledgement that comes next delivered: only if there are records.
    fn on_delivered(&mut self, _facts: &Deliveries) {}
    /// As [`on_timeout`](Self::on_timeout), with the time.
    fn on_timeout_at(&mut self, _now: Instant, out: &Outstanding) {
        self.on_timeout(out);
    }
    /// Whether after a timeout everything is sent again from SND.UNA on. If not, SND.NXT stays at SND.MAX, and
    /// [`lost`](Self::lost) says what to repeat.
    fn goes_back(&self) -> bool {
        true
    }
    /// When it wants to look again without an acknowledgement (the reordering timer of RFC 8985, 6.2, step 5).
    fn deadline(&self) -> Option<Instant> {
        None
    }
    /// Its [deadline](Self::deadline) has come.
    fn on_deadline(&mut self, _now: Instant, _out: &Outstanding) -> LossDecision {
        LossDecision::Nothing
    }
    /// Whether a tail loss probe should be scheduled (RFC 8985, 7.2).
    fn wants_tail_probe(&self, _out: &Outstanding) -> bool {
        false
    }
    /// Whether one is out whose outcome is open (TLP.end_seq).
    fn is_probing_tail(&self) -> bool {
        false
    }
    /// The recovery, or going back after a timeout, was a mistake: nothing counts as lost, and the phase is [`Phase::Open`].
    fn undo(&mut self);
    /// What was taken for lost in a recovery was only late.
    fn on_reordering(&mut self) {}
    /// A tail loss probe was sent, and all up to `end` has been sent; `repeats` if it was a retransmission.
    fn on_tail_probe(&mut self, _end: Position, _repeats: bool) {}
}

/// A retransmission of something that is not known to be lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retransmission {
    /// The next hole below what is selectively acknowledged (RFC 6675, NextSeg rule 3).
    Hole(Span),
    /// The end of what is out, once in a recovery (RFC 6675, NextSeg rule 4).
    Rescue(Span),
}

/// What kind of segment was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SentKind {
    /// Never sent before.
    New,
    /// Sent again to fill a hole.
    Repair,
    /// The rescue retransmission.
    Rescue,
    /// One place beyond the window, to learn whether it has opened; not counted as in flight.
    Probe,
}

/// The detectors there are. Those without records are asked at every segment and stand in front; the others are larger.
#[derive(Clone, Debug)]
pub(crate) enum Detector {
    Sack(SackRecovery),
    Dupack(DupackRecovery),
    RecordedSack(Box<Recorded<SackRecovery>>),
    RecordedDupack(Box<Recorded<DupackRecovery>>),
    Rack(Box<Rack>),
    Pull(Box<Pull>),
}

macro_rules! each_detector {
    ($self:ident, $detector:ident => $call:expr) => {
        match $self {
            Self::Sack($detector) => $call,
            Self::Dupack($detector) => $call,
            Self::RecordedSack($detector) => $call,
            Self::RecordedDupack($detector) => $call,
            Self::Rack($detector) => $call,
            Self::Pull($detector) => $call,
        }
    };
}

impl Detector {
    /// Whether there are records.
    #[inline]
    pub(crate) const fn is_recording(&self) -> bool {
        !matches!(self, Self::Sack(_) | Self::Dupack(_))
    }

    /// Whether nothing is known to be lost or to have come above a hole, and there are no records: an acknowledgement without SACK blocks changes nothing.
    #[inline]
    pub(crate) fn is_calm(&self) -> bool {
        matches!(self, Self::Sack(detector) if detector.is_calm())
    }

    /// What counts what is selectively acknowledged (RFC 6675), where that finds losses and there are no records.
    #[inline]
    pub(crate) fn counting(&self) -> Option<&SackRecovery> {
        if let Self::Sack(recovery) = self { Some(recovery) } else { None }
    }

    /// The same, to write.
    #[inline]
    pub(crate) fn counting_mut(&mut self) -> Option<&mut SackRecovery> {
        if let Self::Sack(recovery) = self { Some(recovery) } else { None }
    }

    /// Whether only the window bounds what is sent next: nothing waits to be sent again, and what goes out as new needs no look at losses.
    #[inline]
    pub(crate) fn lets_new_data_go(&self) -> bool {
        match self {
            Self::Sack(detector) => detector.is_calm(),
            Self::RecordedSack(detector) => detector.rule().is_calm(),
            Self::Dupack(_) | Self::RecordedDupack(_) => false,
            Self::Rack(detector) => detector.phase() == Phase::Open,
            Self::Pull(detector) => detector.phase() == Phase::Open,
        }
    }

    /// What of `acked` newly acknowledged bytes duplicate ACKs have not counted as delivered
    /// already; nothing where something else knows that.
    pub(crate) fn newly_delivered(&self, acked: Bytes, smss: Bytes) -> Option<Bytes> {
        match self {
            Self::Dupack(detector) => Some(detector.newly_delivered(acked, smss)),
            Self::RecordedDupack(detector) => Some(detector.rule().newly_delivered(acked, smss)),
            _ => None,
        }
    }

    /// Whether RACK has seen a segment that more than three others overtook.
    pub(crate) fn is_reordered_far(&self) -> bool {
        matches!(self, Self::Rack(rack) if rack.is_reordered_far())
    }

    /// Whether losses are found by RACK.
    pub(crate) fn is_rack(&self) -> bool {
        matches!(self, Self::Rack(_))
    }

    /// Whether there is no scoreboard, so that what is in flight in a recovery is a guess.
    pub(crate) fn is_guessing(&self) -> bool {
        matches!(self, Self::Dupack(_) | Self::RecordedDupack(_))
    }

    /// What finds losses under TACK, if that is in force.
    pub(crate) fn pull(&self) -> Option<&Pull> {
        if let Self::Pull(pull) = self { Some(pull) } else { None }
    }

    /// The same, to write.
    pub(crate) fn pull_mut(&mut self) -> Option<&mut Pull> {
        if let Self::Pull(pull) = self { Some(pull) } else { None }
    }
}

impl LossDetector for Detector {
    #[inline]
    fn on_ack(&mut self, out: &Outstanding, report: &AckReport<'_>) -> LossDecision {
        each_detector!(self, detector => detector.on_ack(out, report))
    }

    #[inline]
    fn on_timeout(&mut self, out: &Outstanding) {
        each_detector!(self, detector => detector.on_timeout(out));
    }

    #[inline]
    fn phase(&self) -> Phase {
        each_detector!(self, detector => detector.phase())
    }

    #[inline]
    fn pipe(&self, out: &Outstanding) -> Bytes {
        each_detector!(self, detector => detector.pipe(out))
    }

    #[inline]
    fn urgent(&self, out: &Outstanding) -> Option<Span> {
        each_detector!(self, detector => detector.urgent(out))
    }

    #[inline]
    fn lost(&self, out: &Outstanding) -> Option<Span> {
        each_detector!(self, detector => detector.lost(out))
    }

    #[inline]
    fn speculative(&self, out: &Outstanding) -> Option<Retransmission> {
        each_detector!(self, detector => detector.speculative(out))
    }

    #[inline]
    fn go_back(&self, from: Position, limit: Position) -> Span {
        each_detector!(self, detector => detector.go_back(from, limit))
    }

    #[inline]
    fn on_sent(&mut self, span: Span, kind: SentKind) {
        each_detector!(self, detector => detector.on_sent(span, kind));
    }

    #[inline]
    fn records(&self) -> Option<&Transmissions> {
        each_detector!(self, detector => detector.records())
    }

    #[inline]
    fn records_mut(&mut self) -> Option<&mut Transmissions> {
        each_detector!(self, detector => detector.records_mut())
    }

    #[inline]
    fn on_delivered(&mut self, facts: &Deliveries) {
        each_detector!(self, detector => detector.on_delivered(facts));
    }

    #[inline]
    fn on_timeout_at(&mut self, now: Instant, out: &Outstanding) {
        each_detector!(self, detector => detector.on_timeout_at(now, out));
    }

    #[inline]
    fn goes_back(&self) -> bool {
        each_detector!(self, detector => detector.goes_back())
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        each_detector!(self, detector => detector.deadline())
    }

    #[inline]
    fn on_deadline(&mut self, now: Instant, out: &Outstanding) -> LossDecision {
        each_detector!(self, detector => detector.on_deadline(now, out))
    }

    #[inline]
    fn wants_tail_probe(&self, out: &Outstanding) -> bool {
        each_detector!(self, detector => detector.wants_tail_probe(out))
    }

    fn is_probing_tail(&self) -> bool {
        each_detector!(self, detector => detector.is_probing_tail())
    }

    fn undo(&mut self) {
        each_detector!(self, detector => detector.undo());
    }

    fn on_reordering(&mut self) {
        each_detector!(self, detector => detector.on_reordering());
    }

    #[inline]
    fn on_tail_probe(&mut self, end: Position, repeats: bool) {
        each_detector!(self, detector => detector.on_tail_probe(end, repeats));
    }
}

/// Duplicate acknowledgements, or segments selectively acknowledged above, that make a segment count as lost (RFC
/// 5681; RFC 6675, 2).
pub const DUP_THRESH: u32 = 3;

//! Loss recovery that the receiver pulls (TACK paper, V-A).
//!
//! The receiver finds losses by gaps in the numbers of transmissions and says which: an IACK names a range of numbers, and
//! later TACKs repeat, as holes in the stream, what an IACK has named before. So nothing is counted or timed here; only what
//! is never followed by anything is left to the tail probe and the retransmission timer.

use ackless_wire::{Bytes, Duration, Instant};

use super::{AckReport, LossDecision, LossDetector, Outstanding, Phase, Retransmission, SentKind};
use crate::sequence::{Position, Span};
use crate::transmissions::{Run, Transmissions};

/// The sender's side of pulled recovery.
///
/// What is sent again and when:
/// - a transmission in the range that an IACK names is lost, if its data has not been sent again since: the number says
///   which transmission it was, so the same loss cannot be named twice;
/// - data in a hole that a TACK repeats is lost if its latest transmission has been overtaken (the receiver has a higher
///   number) and was sent at least a round trip ago: so it is sent again once per round trip at most (V-A);
/// - after a timeout all that is outstanding counts as lost, but for what the latest report showed to be there. After a
///   second timeout without progress that counts as lost too: the receiver may have dropped it (RFC 2018, 8).
///
/// Lost data goes out before new data, within the cap of the controller. The window is reduced once for all losses that
/// are found until what was out at the first one is acknowledged.
// The records stand where they do in all that keep some, so that nobody looks for them.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Pull {
    records: Transmissions,
    phase: Phase,
    there: There,
    /// SND.UNA at the last timeout.
    stuck_at: Option<Position>,
    /// The latest tail probes.
    probe: Option<TailProbe>,
    /// Whether one has made good a loss of which the controller does not know yet.
    probe_repaired: bool,
}

/// Tail probes, one or more in a row of which nothing has been heard.
#[derive(Clone, Copy, Debug)]
struct TailProbe {
    /// The number of the first that repeated what the latest does; none of them where one has told of a loss.
    first: u64,
    number: u64,
    /// Whether it repeated something.
    repeats: bool,
    /// Whether the receiver has reported the latest, or something later.
    heard: bool,
}

/// What the latest report showed of the receiver's buffer.
#[derive(Clone, Debug, Default)]
struct There {
    /// Its acknowledgement.
    ack: Position,
    /// How much it has above that.
    bytes: Bytes,
    /// What lies between two holes, ascending, until it has been entered into the records.
    between: Vec<Span>,
}

/// What a report says of holes.
#[derive(Clone, Copy, Debug)]
pub struct HoleReport<'a> {
    /// When it came.
    pub now: Instant,
    /// All below is there.
    pub ack: Position,
    /// How much is there above, as reported.
    pub received: Bytes,
    /// The holes that an IACK has named before, ascending; what lies between two of them is there.
    pub holes: &'a [Span],
    /// The largest number received.
    pub largest: u64,
    /// A round trip: what was sent less than this ago is not sent again.
    pub round_trip: Duration,
}

impl Default for Pull {
    fn default() -> Self {
        Self::new()
    }
}

impl Pull {
    /// Nothing is out.
    pub fn new() -> Self {
        Self {
            records: Transmissions::new(),
            phase: Phase::Open,
            there: There::default(),
            stuck_at: None,
            probe: None,
            probe_repaired: false,
        }
    }

    /// An IACK named all transmissions between the numbers `second` and `largest` as lost. Returns how much of that was news.
    pub fn on_range(&mut self, second: u64, largest: u64) -> Bytes {
        let lost = self.records.lose_between(second, largest, |_| true);
        if lost == Bytes::ZERO
            && self.probe.is_some_and(|probe| probe.repeats && (probe.first..=probe.number).contains(&largest))
        {
            // What the probe repeated is what was lost: once.
            self.probe_repaired = true;
            self.probe = self.probe.map(|probe| TailProbe { first: u64::MAX, ..probe });
        }
        self.probe = self.probe.filter(|probe| probe.number > largest);
        lost
    }

    /// A report came that is newer than all before.
    pub fn on_holes(&mut self, report: &HoleReport<'_>) {
        for &hole in report.holes {
            self.records.lose(hole, |sent| {
                sent.number <= report.largest && report.now.saturating_since(sent.sent_at) >= report.round_trip
            });
        }
        self.there.ack = report.ack;
        self.there.bytes = report.received;
        self.there.between.clear();
        let pairs = report.holes.iter().zip(report.holes.iter().skip(1));
        self.there.between.extend(pairs.map(|(lower, upper)| Span { start: lower.end, end: upper.start }));
        if let Some(probe) = &mut self.probe {
            probe.heard |= report.largest >= probe.number;
        }
    }

    /// Enters what the latest report showed to be there into the records. `delivered` sees each that was not known to be.
    pub fn deliver_reported(&mut self, mut delivered: impl FnMut(Run<'_>)) {
        for span in self.there.between.drain(..) {
            self.records.sack(span, &mut delivered);
        }
    }

    /// What the receiver has above SND.UNA, at least: what has been acknowledged since the report may be part of what it
    /// reported.
    pub fn received(&self, out: &Outstanding) -> Bytes {
        self.there.bytes.saturating_sub(out.una.since(self.there.ack))
    }

    /// Something is lost that was sent for its own sake and not to probe a window.
    fn next_lost(&self, out: &Outstanding) -> Option<Span> {
        let lost = self.records.next_lost()?.span;
        let end = lost.end.min(out.next).min(lost.start + out.smss);
        (lost.start < end).then_some(Span { end, ..lost })
    }

    fn begin(&mut self, out: &Outstanding) -> LossDecision {
        self.phase = Phase::Recovery { until: out.max };
        self.probe_repaired = false;
        LossDecision::BeginRecovery
    }
}

impl LossDetector for Pull {
    fn on_ack(&mut self, out: &Outstanding, _report: &AckReport<'_>) -> LossDecision {
        if out.una == out.max {
            self.probe = None;
        }
        let over = match self.phase {
            Phase::Recovery { until } | Phase::GoBack { until } => out.una >= until,
            Phase::Open => true,
        };
        if !over {
            return LossDecision::Nothing;
        }
        if self.next_lost(out).is_some() {
            return self.begin(out);
        }
        if std::mem::take(&mut self.probe_repaired) {
            self.phase = Phase::Open;
            return LossDecision::TailRepaired;
        }
        match std::mem::replace(&mut self.phase, Phase::Open) {
            Phase::Recovery { .. } => LossDecision::EndRecovery,
            Phase::GoBack { .. } | Phase::Open => LossDecision::Nothing,
        }
    }

    fn on_timeout(&mut self, out: &Outstanding) {
        self.records.lose(Span { start: out.una, end: out.next }, |_| true);
        if self.stuck_at == Some(out.una) {
            self.records.forget_reports();
            self.there = There::default();
        }
        self.stuck_at = Some(out.una);
        self.probe = None;
        self.probe_repaired = false;
        self.phase = Phase::GoBack { until: out.max };
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    /// Sent, less acknowledged, less what the receiver says it has above that, less what is lost (VI-D, inflight_size).
    fn pipe(&self, out: &Outstanding) -> Bytes {
        let in_flight = self.records.in_flight();
        let known = out.max.since(out.una).saturating_sub(in_flight + self.records.lost());
        in_flight.saturating_sub(self.received(out).saturating_sub(known))
    }

    fn urgent(&self, _out: &Outstanding) -> Option<Span> {
        None
    }

    fn lost(&self, out: &Outstanding) -> Option<Span> {
        self.next_lost(out)
    }

    fn speculative(&self, _out: &Outstanding) -> Option<Retransmission> {
        None
    }

    fn go_back(&self, from: Position, limit: Position) -> Span {
        Span { start: from, end: limit }
    }

    /// There is nothing to undo: the receiver says what is lost.
    fn undo(&mut self) {}

    fn on_sent(&mut self, _span: Span, _kind: SentKind) {}

    fn records(&self) -> Option<&Transmissions> {
        Some(&self.records)
    }

    fn records_mut(&mut self) -> Option<&mut Transmissions> {
        Some(&mut self.records)
    }

    fn goes_back(&self) -> bool {
        false
    }

    /// Whatever the phase: a repetition at the tail that is lost is not followed by anything either. But not while
    /// something lost waits to be sent, since that will do.
    ///
    /// Deviation from RFC 8985, 7.3: there may be another one before the first has been heard of, as in QUIC (RFC 9002, 6.2). A receiver of TACKs answers a whole window by
    /// one report, and where both this and the answer to a probe are lost nothing else comes.
    fn wants_tail_probe(&self, out: &Outstanding) -> bool {
        out.una < out.next && !matches!(self.phase, Phase::GoBack { .. }) && self.next_lost(out).is_none()
    }

    fn is_probing_tail(&self) -> bool {
        self.probe.is_some_and(|probe| !probe.heard)
    }

    fn on_tail_probe(&mut self, _end: Position, repeats: bool) {
        // It has not gone out yet.
        let number = self.records.last_number() + 1;
        let in_a_row = self.probe.filter(|probe| repeats && probe.repeats && !probe.heard);
        self.probe =
            Some(TailProbe { first: in_a_row.map_or(number, |probe| probe.first), number, repeats, heard: false });
    }
}

#[cfg(test)]
mod tests;

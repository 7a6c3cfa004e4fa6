//! A detector that needs no records, with records beside it for those that do: rate samples.

use ackless_wire::Bytes;

use super::{AckReport, LossDecision, LossDetector, Outstanding, Phase, Retransmission, SentKind};
use crate::sequence::{Position, Span};
use crate::transmissions::Transmissions;

/// `rule` decides; the records only remember.
///
/// What the rule deems lost stays in flight in the records: ask [`LossDetector::pipe`] for what is in flight.
// The records stand where they do in all that keep some, so that nobody looks for them.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Recorded<D> {
    records: Transmissions,
    rule: D,
}

impl<D> Recorded<D> {
    /// `rule` from its beginning, and nothing sent.
    pub fn new(rule: D) -> Self {
        Self { records: Transmissions::new(), rule }
    }

    /// What decides.
    pub const fn rule(&self) -> &D {
        &self.rule
    }
}

impl<D: LossDetector> LossDetector for Recorded<D> {
    fn on_ack(&mut self, out: &Outstanding, report: &AckReport<'_>) -> LossDecision {
        self.rule.on_ack(out, report)
    }

    fn on_timeout(&mut self, out: &Outstanding) {
        self.rule.on_timeout(out);
    }

    fn phase(&self) -> Phase {
        self.rule.phase()
    }

    fn pipe(&self, out: &Outstanding) -> Bytes {
        self.rule.pipe(out)
    }

    fn urgent(&self, out: &Outstanding) -> Option<Span> {
        self.rule.urgent(out)
    }

    fn lost(&self, out: &Outstanding) -> Option<Span> {
        self.rule.lost(out)
    }

    fn speculative(&self, out: &Outstanding) -> Option<Retransmission> {
        self.rule.speculative(out)
    }

    fn go_back(&self, from: Position, limit: Position) -> Span {
        self.rule.go_back(from, limit)
    }

    fn on_sent(&mut self, span: Span, kind: SentKind) {
        self.rule.on_sent(span, kind);
    }

    fn undo(&mut self) {
        self.rule.undo();
    }

    fn records(&self) -> Option<&Transmissions> {
        Some(&self.records)
    }

    fn records_mut(&mut self) -> Option<&mut Transmissions> {
        Some(&mut self.records)
    }
}

//! Fast retransmit and fast recovery without SACK: Reno (RFC 5681, 3.2) and NewReno (RFC 6582), with limited transmit (RFC 3042).

use ackless_wire::Bytes;

use super::{AckReport, DUP_THRESH, LossDecision, LossDetector, Outstanding, Phase, Retransmission, SentKind};
use crate::sequence::{Position, Span};

/// Counts duplicate acknowledgements.
///
/// The RFCs inflate the window by a segment for each duplicate. Here the window stays and what has left the network is
/// subtracted from what is out, which permits the same segments at the same time.
#[derive(Clone, Debug)]
pub struct DupackRecovery {
    /// Whether a partial acknowledgement keeps the recovery going (RFC 6582), or any new one ends it (RFC 5681).
    partial: PartialAcks,
    phase: Phase,
    duplicates: u32,
    /// How far the window is inflated; below zero after a partial acknowledgement of much.
    inflation: i64,
    /// Losses below this have been answered already: recover of RFC 6582.
    recover: Position,
    /// Whether the segment at SND.UNA is to be sent again now.
    resend: bool,
}

/// What an acknowledgement of some, but not all, that was out does to a recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartialAcks {
    /// It ends it (RFC 5681, 3.2, step 6).
    End,
    /// It shows the next loss (RFC 6582, 3.2, step 3).
    Continue,
}

impl DupackRecovery {
    /// Nothing is out.
    pub const fn new(partial: PartialAcks) -> Self {
        let recover = Position::SYN;
        Self { partial, phase: Phase::Open, duplicates: 0, inflation: 0, recover, resend: false }
    }

    fn on_new_data(&mut self, out: &Outstanding, acked: Bytes) -> LossDecision {
        self.duplicates = 0;
        match self.phase {
            Phase::Recovery { until } if out.una < until && self.partial == PartialAcks::Continue => {
                self.resend = true;
                self.inflation -= acked.get() as i64;
                if acked >= out.smss {
                    self.inflation += out.smss.get() as i64;
                }
                LossDecision::Nothing
            }
            Phase::Recovery { .. } => {
                self.reopen();
                LossDecision::EndRecovery
            }
            Phase::GoBack { until } if out.una < until => {
                self.inflation = 0;
                LossDecision::Nothing
            }
            Phase::GoBack { .. } | Phase::Open => {
                self.reopen();
                LossDecision::Nothing
            }
        }
    }

    const fn reopen(&mut self) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.resend = false;
    }
}

impl LossDetector for DupackRecovery {
    fn on_ack(&mut self, out: &Outstanding, report: &AckReport<'_>) -> LossDecision {
        if report.acked > Bytes::ZERO {
            return self.on_new_data(out, report.acked);
        }
        if !report.duplicate {
            return LossDecision::Nothing;
        }
        match self.phase {
            Phase::Recovery { .. } => self.inflation += out.smss.get() as i64,
            Phase::GoBack { .. } => {}
            Phase::Open => {
                self.duplicates += 1;
                self.inflation += out.smss.get() as i64;
                if self.duplicates >= DUP_THRESH && out.una >= self.recover {
                    self.phase = Phase::Recovery { until: out.max };
                    self.recover = out.max;
                    self.resend = true;
                    return LossDecision::BeginRecovery;
                }
            }
        }
        LossDecision::Nothing
    }

    fn on_timeout(&mut self, out: &Outstanding) {
        self.reopen();
        self.duplicates = 0;
        self.recover = out.max;
        self.phase = Phase::GoBack { until: out.max };
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn pipe(&self, out: &Outstanding) -> Bytes {
        let flight = out.next.since(out.una).get();
        // Limited transmit: the first two duplicates permit a segment each (RFC 3042), later ones only in recovery.
        let inflation = match self.phase {
            Phase::Open => self.inflation.min(2 * out.smss.get() as i64),
            Phase::Recovery { .. } => self.inflation,
            Phase::GoBack { .. } => 0,
        };
        Bytes(flight.saturating_add_signed(-inflation))
    }

    fn urgent(&self, out: &Outstanding) -> Option<Span> {
        self.resend.then(|| Span { start: out.una, end: out.max.min(out.una + out.smss) })
    }

    fn lost(&self, _out: &Outstanding) -> Option<Span> {
        None
    }

    fn speculative(&self, _out: &Outstanding) -> Option<Retransmission> {
        None
    }

    fn go_back(&self, from: Position, limit: Position) -> Span {
        Span { start: from, end: limit }
    }

    fn on_sent(&mut self, _span: Span, kind: SentKind) {
        if kind == SentKind::Repair {
            self.resend = false;
        }
    }
}

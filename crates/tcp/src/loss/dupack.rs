//! Fast retransmit and fast recovery without SACK: Reno (RFC 5681, 3.2) and NewReno (RFC 6582), with limited
//! transmit (RFC 3042).

use ackless_wire::Bytes;

use super::{AckReport, DUP_THRESH, LossDecision, LossDetector, Outstanding, Phase, Retransmission, SentKind};
use crate::sequence::{Position, Span};

/// Counts duplicate acknowledgements.
///
/// The RFCs inflate the window by a segment for each duplicate. Here the window stays and what has left the network
/// is subtracted from what is out, which permits the same segments at the same time.
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
    /// Segments that duplicates stand for and that are not acknowledged yet (`sacked_out` of Linux
    /// without SACK).
    counted: u64,
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
        Self { partial, phase: Phase::Open, duplicates: 0, inflation: 0, recover, counted: 0, resend: false }
    }

    /// What of `acked` newly acknowledged bytes no duplicate has stood for: at least the segment
    /// that was missing (`tcp_remove_reno_sacks` of Linux).
    pub(crate) fn newly_delivered(&self, acked: Bytes, smss: Bytes) -> Bytes {
        acked.saturating_sub(smss * self.counted).max(acked.min(smss))
    }

    /// Another duplicate stands for a segment, but for no more than are out behind the missing one.
    fn count_segment(&mut self, out: &Outstanding) {
        let behind = (out.max - out.una).get().div_ceil(out.smss.get()).saturating_sub(1);
        self.counted = (self.counted + 1).min(behind);
    }

    fn on_new_data(&mut self, out: &Outstanding, acked: Bytes) -> LossDecision {
        self.duplicates = 0;
        let recovers = matches!(self.phase, Phase::Recovery { .. });
        let behind = (acked.get() / out.smss.get()).saturating_sub(1);
        self.counted = if recovers { self.counted.saturating_sub(behind) } else { 0 };
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
            Phase::Recovery { .. } => {
                self.count_segment(out);
                self.inflation += out.smss.get() as i64;
            }
            Phase::GoBack { .. } => {}
            Phase::Open => {
                self.count_segment(out);
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
        (self.duplicates, self.counted) = (0, 0);
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

    fn undo(&mut self) {
        self.reopen();
        self.duplicates = 0;
    }

    fn on_sent(&mut self, _span: Span, kind: SentKind) {
        if kind == SentKind::Repair {
            self.resend = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMSS: Bytes = Bytes(100);

    fn out(una: u64, max: u64) -> Outstanding {
        Outstanding { una: Position(una), next: Position(max), max: Position(max), smss: SMSS }
    }

    fn ack(detector: &mut DupackRecovery, out: &Outstanding, acked: u64) -> LossDecision {
        detector.on_ack(out, &AckReport { acked: Bytes(acked), sacked: &[], duplicate: acked == 0 })
    }

    fn recovering(partial: PartialAcks) -> DupackRecovery {
        let mut detector = DupackRecovery::new(partial);
        let out = out(1, 1001);
        assert_eq!(ack(&mut detector, &out, 0), LossDecision::Nothing);
        assert_eq!(detector.pipe(&out), Bytes(900), "limited transmit");
        assert_eq!(ack(&mut detector, &out, 0), LossDecision::Nothing);
        assert_eq!(ack(&mut detector, &out, 0), LossDecision::BeginRecovery);
        assert_eq!(detector.urgent(&out), Some(Span { start: Position(1), end: Position(101) }));
        detector.on_sent(Span { start: Position(1), end: Position(101) }, SentKind::Repair);
        assert_eq!((detector.urgent(&out), detector.pipe(&out)), (None, Bytes(700)));
        detector
    }

    #[test]
    fn each_further_duplicate_has_left_the_network() {
        let mut detector = recovering(PartialAcks::Continue);
        ack(&mut detector, &out(1, 1001), 0);
        assert_eq!(detector.pipe(&out(1, 1001)), Bytes(600));
    }

    #[test]
    fn a_partial_acknowledgement_shows_the_next_loss_in_newreno_and_ends_reno() {
        let mut newreno = recovering(PartialAcks::Continue);
        let partial = out(301, 1001);
        assert_eq!(ack(&mut newreno, &partial, 300), LossDecision::Nothing);
        assert_eq!(newreno.urgent(&partial), Some(Span { start: Position(301), end: Position(401) }));
        // 700 are out; the inflation of 300 went with what was acknowledged, less one segment (RFC 6582, 3.2, step
        // 3).
        assert_eq!(newreno.pipe(&partial), Bytes(600));
        assert_eq!(ack(&mut newreno, &out(1001, 1101), 700), LossDecision::EndRecovery);
        let mut reno = recovering(PartialAcks::End);
        ack(&mut reno, &partial, 300);
        assert_eq!((reno.phase(), reno.urgent(&partial), reno.pipe(&partial)), (Phase::Open, None, Bytes(700)));
    }

    #[test]
    fn duplicates_of_what_was_out_before_a_timeout_begin_no_recovery() {
        let mut detector = DupackRecovery::new(PartialAcks::Continue);
        detector.on_timeout(&out(1, 1001));
        let back = Outstanding { next: Position(101), ..out(1, 1001) };
        for _ in 0..5 {
            assert_eq!(ack(&mut detector, &back, 0), LossDecision::Nothing);
        }
        assert_eq!(detector.phase(), Phase::GoBack { until: Position(1001) });
        assert_eq!(ack(&mut detector, &out(1001, 1001), 1000), LossDecision::Nothing);
        assert_eq!(detector.phase(), Phase::Open);
    }
}

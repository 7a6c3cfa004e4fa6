//! Loss recovery with selective acknowledgements (RFC 6675).

use ackless_wire::Bytes;

use super::{
    AckReport, DUP_THRESH, LossDecision, LossDetector, Outstanding, Phase, Retransmission, Scoreboard, SentKind,
};
use crate::sequence::{Position, Span};

/// The sender's side of RFC 6675.
///
/// After a timeout the scoreboard is emptied, since the receiver may have reneged (RFC 2018, 8), and filled again by
/// what later acknowledgements report; going back skips that. A retransmission that is itself lost is found by the
/// timer only, as in the RFC.
#[derive(Clone, Debug)]
pub struct SackRecovery {
    board: Scoreboard,
    phase: Phase,
    duplicates: u32,
    /// HighRxt + 1: holes below this have been sent again in this recovery.
    repaired: Position,
    /// RescueRxt.
    rescued: Option<Position>,
    /// Whether the first retransmission of the recovery has not been sent.
    first: bool,
    /// pipe, while in recovery: computed by SetPipe() at each acknowledgement, and counted on at each segment sent.
    pipe: Bytes,
    /// The edge below which unacknowledged octets are lost, as of the last acknowledgement.
    lost_below: Position,
}

/// What goes again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repetition {
    /// This.
    Next(Span, SentKind),
    /// Nothing for now: the congestion window is full.
    Congested,
    /// Nothing: it is new data's turn.
    Nothing,
    /// More bears on it than is asked here.
    Unclear,
}

impl Default for SackRecovery {
    fn default() -> Self {
        Self::new()
    }
}

impl SackRecovery {
    /// Nothing is out.
    pub fn new() -> Self {
        Self {
            board: Scoreboard::new(),
            phase: Phase::Open,
            duplicates: 0,
            repaired: Position::SYN,
            rescued: None,
            first: false,
            pipe: Bytes::ZERO,
            lost_below: Position::SYN,
        }
    }

    /// Whether nothing is known to be lost, or to have come above a hole.
    #[inline(always)]
    pub(crate) fn is_calm(&self) -> bool {
        self.phase == Phase::Open && self.board.is_empty()
    }

    /// Bytes that are selectively acknowledged above SND.UNA.
    pub(crate) fn reported(&self) -> Bytes {
        self.board.total()
    }

    /// Whether the next repetition is the first of a recovery.
    pub(crate) const fn begins_repair(&self) -> bool {
        self.first
    }

    /// SetPipe() of RFC 6675, 4: what is not acknowledged and not lost, and what has been sent again, is in the
    /// network.
    #[inline(always)]
    fn set_pipe(&mut self, out: &Outstanding) {
        let total = self.board.total();
        // Nothing below SND.UNA is selectively acknowledged.
        let (edge, sacked_above) = self.board.loss_edge(out.smss).unwrap_or((out.una, total));
        self.lost_below = edge;
        let (next, again) = (out.next.max(edge), self.repaired.max(out.una));
        let sacked_beyond = total - self.board.sacked_below(next);
        let not_lost = next.since(edge).saturating_sub(sacked_above - sacked_beyond);
        let repaired = again.since(out.una).saturating_sub(self.board.sacked_below(again));
        self.pipe = not_lost + repaired;
    }

    #[inline(never)]
    fn begin(&mut self, out: &Outstanding) {
        self.phase = Phase::Recovery { until: out.max };
        self.repaired = out.una;
        self.rescued = None;
        self.first = true;
        self.set_pipe(out);
    }

    /// What [`on_ack`](LossDetector::on_ack) does, in line.
    #[inline(always)]
    pub(crate) fn hear(&mut self, out: &Outstanding, report: &AckReport<'_>) -> LossDecision {
        let advanced = report.acked > Bytes::ZERO;
        if report.sacked.is_empty() && self.is_calm() {
            return LossDecision::Nothing;
        }
        let newly = self.board.update(out.una, out.max, report.sacked);
        if advanced {
            self.duplicates = 0;
        } else if newly > Bytes::ZERO {
            self.duplicates += 1;
        }
        match self.phase {
            Phase::Recovery { until } | Phase::GoBack { until } if out.una >= until => {
                let was = std::mem::replace(&mut self.phase, Phase::Open);
                self.first = false;
                // What was reported above the recovery point may already show the next loss.
                if self.is_first_lost(out) {
                    self.begin(out);
                    return LossDecision::BeginRecovery;
                }
                if was == (Phase::Recovery { until }) { LossDecision::EndRecovery } else { LossDecision::Nothing }
            }
            Phase::Recovery { .. } => {
                self.set_pipe(out);
                LossDecision::Nothing
            }
            Phase::GoBack { .. } => LossDecision::Nothing,
            Phase::Open if self.is_first_lost(out) => {
                self.begin(out);
                LossDecision::BeginRecovery
            }
            Phase::Open => LossDecision::Nothing,
        }
    }

    /// Enough duplicates, or enough acknowledged above SND.UNA (RFC 6675, 5, steps 1 and 2).
    fn is_first_lost(&self, out: &Outstanding) -> bool {
        self.duplicates >= DUP_THRESH || self.board.lost_below(out.smss).is_some_and(|edge| edge > out.una)
    }

    /// How far new data may go under this congestion window, where nothing waits to be sent again: to where as much is in the network.
    #[inline(always)]
    pub(crate) fn limit(&self, out: &Outstanding, window: Bytes) -> Position {
        match self.phase {
            Phase::Recovery { .. } => out.max + window.saturating_sub(self.pipe),
            // All that is selectively acknowledged lies below SND.MAX.
            Phase::Open | Phase::GoBack { .. } => out.una + self.board.total() + window,
        }
    }

    /// What goes again next, under this congestion window and below where the peer's window ends: of data that is written up to `written`, none of it with flags of its own.
    pub(crate) fn repetition(
        &self,
        out: &Outstanding,
        window: Bytes,
        (window_end, written): (Position, Position),
    ) -> Repetition {
        let (span, kind, room) = match self.phase {
            Phase::GoBack { .. } if out.next < out.max => {
                let Span { start, end } = self.go_back(out.next, written);
                if start >= out.max {
                    return Repetition::Unclear;
                }
                let span = Span { start, end: end.min(start + out.smss) };
                if span.end > window_end {
                    return Repetition::Unclear;
                }
                (span, SentKind::New, window.saturating_sub(self.pipe(out)) >= span.len())
            }
            Phase::Recovery { .. } => {
                let room = window.saturating_sub(self.pipe) >= out.smss;
                match self.urgent(out).or_else(|| if room { self.lost(out) } else { None }) {
                    Some(span) => (span, SentKind::Repair, true),
                    None if room => return Repetition::Nothing,
                    None => return Repetition::Congested,
                }
            }
            Phase::Open | Phase::GoBack { .. } => return Repetition::Nothing,
        };
        if span.end >= written {
            Repetition::Unclear
        } else if room {
            Repetition::Next(span, kind)
        } else {
            Repetition::Congested
        }
    }

    fn next_gap(&self, out: &Outstanding, limit: Position) -> Option<Span> {
        let from = self.repaired.max(out.una);
        if limit <= from {
            return None;
        }
        let gap = self.board.gap(from, limit);
        let end = gap.end.min(gap.start + out.smss);
        (gap.start < end).then_some(Span { start: gap.start, end })
    }
}

impl LossDetector for SackRecovery {
    fn on_ack(&mut self, out: &Outstanding, report: &AckReport<'_>) -> LossDecision {
        self.hear(out, report)
    }

    fn on_timeout(&mut self, out: &Outstanding) {
        self.board.clear();
        self.duplicates = 0;
        self.first = false;
        self.phase = Phase::GoBack { until: out.max };
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn pipe(&self, out: &Outstanding) -> Bytes {
        match self.phase {
            Phase::Recovery { .. } => self.pipe,
            Phase::Open | Phase::GoBack { .. } => {
                out.next.since(out.una).saturating_sub(self.board.sacked_below(out.next))
            }
        }
    }

    fn urgent(&self, out: &Outstanding) -> Option<Span> {
        self.first.then(|| self.next_gap(out, out.max)).flatten()
    }

    /// NextSeg() rule 1.
    fn lost(&self, out: &Outstanding) -> Option<Span> {
        let lost = self.lost_below;
        matches!(self.phase, Phase::Recovery { .. }).then(|| self.next_gap(out, lost)).flatten()
    }

    /// NextSeg() rules 3 and 4. By its letter rule 4 may name what rule 1 has just sent again, where nothing else is missing: here it names
    /// only what has not been sent again in this recovery.
    fn speculative(&self, out: &Outstanding) -> Option<Retransmission> {
        let Phase::Recovery { .. } = self.phase else { return None };
        if let Some(hole) = self.board.highest().and_then(|highest| self.next_gap(out, highest)) {
            return Some(Retransmission::Hole(hole));
        }
        if self.rescued.is_some_and(|rescued| out.una <= rescued) {
            return None;
        }
        let gap = self.board.last_gap(out.una, out.max);
        let start = gap.start.max(self.repaired).max(Position(gap.end.0.saturating_sub(out.smss.get())));
        (start < gap.end).then_some(Retransmission::Rescue(Span { start, end: gap.end }))
    }

    fn go_back(&self, from: Position, limit: Position) -> Span {
        if self.board.is_empty() { Span { start: from, end: limit } } else { self.board.gap(from, limit) }
    }

    fn undo(&mut self) {
        self.phase = Phase::Open;
        self.duplicates = 0;
        self.first = false;
    }

    fn on_sent(&mut self, span: Span, kind: SentKind) {
        let Phase::Recovery { until } = self.phase else { return };
        self.pipe += span.len();
        match kind {
            SentKind::New | SentKind::Probe => {}
            SentKind::Repair => {
                self.repaired = self.repaired.max(span.end);
                self.first = false;
            }
            SentKind::Rescue => self.rescued = Some(until),
        }
    }
}

#[cfg(test)]
mod tests;

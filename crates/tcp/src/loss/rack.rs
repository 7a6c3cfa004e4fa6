//! Loss detection by time: RACK-TLP (RFC 8985).

use ackless_wire::{Bytes, Duration, Instant};

use super::{AckReport, DUP_THRESH, LossDecision, LossDetector, Outstanding, Phase, Retransmission, SentKind};
use crate::delivery::Deliveries;
use crate::sequence::{Position, Span};
use crate::transmissions::{Fate, Transmission, Transmissions};

/// Which transmissions RACK takes for delivered, which of them gives it its round trip, and when it
/// probes the tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RackRule {
    /// RFC 8985. A repeated segment counts unless an echoed timestamp from before its last
    /// transmission, or a round trip below the least, says that an earlier transmission was
    /// delivered (6.2, step 2). An ACK above a hole echoes what came before the hole, so it never
    /// counts for a repeated segment. The round trip is that of the delivered segment sent last. A
    /// probe needs a round trip measured since the last probe. If that or another condition fails
    /// when it is due, the retransmission timer starts again without it (7.3), once until something
    /// is acknowledged.
    #[default]
    Rfc,
    /// Linux 6.12. The echo counts for what is acknowledged by number and not for what SACK blocks
    /// report (`tcp_clean_rtx_queue`, `tcp_sacktag_one`). The round trip is that of the delivered
    /// segment entered last, whenever it was sent (`tcp_rack_advance`): first the selectively
    /// acknowledged ones by their places, then the others. A probe needs no round trip since the
    /// last one, and none is scheduled while the outcome of one is open. Nothing but the segment at
    /// SND.UNA is repeated beyond a window that the peer has shrunk (`__tcp_retransmit_skb`); RFC
    /// 9293 (3.8.6, MAY-7) allows that.
    Linux,
}

/// The sender's side of RFC 8985: a segment is lost if one sent later has been delivered, and it has had a round trip and a
/// reordering window more. That covers retransmissions as it does first transmissions. A probe makes the receiver answer
/// where the end of what is out is lost.
///
/// The order of sending is that of transmission numbers, which tells segments sent at the same time apart; the RFC
/// compares times, and sequence numbers where these are equal (RACK_sent_after).
///
/// A recovery reduces the window once, whatever is lost in it; the RFC leaves that to congestion control.
// The records stand where they do in all that keep some, so that nobody looks for them.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Rack {
    records: Transmissions,
    phase: Phase,
    /// Whether the first retransmission of the recovery, or after the timeout, has not been sent.
    first: bool,
    /// RACK.segment: the number of the one sent last of all that is known to be delivered.
    latest: Option<u64>,
    /// RACK.rtt: the round trip of the segment that [`RackRule`] names.
    rtt: Duration,
    rule: RackRule,
    /// RACK.min_RTT.
    min_rtt: Option<Duration>,
    srtt: Option<Duration>,
    /// RACK.fack: the end of the highest segment delivered.
    highest: Position,
    reordering: Reordering,
    /// When the reordering timer fires.
    deadline: Option<Instant>,
    /// The probe whose outcome is open.
    probe: Option<TailProbe>,
    /// What the acknowledgement in hand says.
    hint: Hint,
}

/// The reordering window (RFC 8985, 6.2, step 4).
#[derive(Clone, Copy, Debug)]
struct Reordering {
    /// RACK.reordering_seen.
    seen: bool,
    /// How far a segment that was sent once has been overtaken, in segments (`reordering` of
    /// `struct tcp_sock`). At least [`DUP_THRESH`].
    degree: u64,
    /// RACK.reo_wnd_mult.
    multiplier: u64,
    /// RACK.reo_wnd_persist.
    persist: u32,
    /// RACK.dsack_round.
    round: Option<Position>,
}

/// A probe (RFC 8985, 7.3).
#[derive(Clone, Copy, Debug)]
struct TailProbe {
    /// TLP.end_seq.
    end: Position,
    /// TLP.is_retrans.
    repeats: bool,
}

/// What bears on detection besides the report.
#[derive(Clone, Copy, Debug)]
struct Hint {
    now: Instant,
    duplicate: Option<Span>,
    has_blocks: bool,
    bare: bool,
}

impl Default for Rack {
    fn default() -> Self {
        Self::new(RackRule::default())
    }
}

impl Rack {
    /// Nothing is out.
    pub fn new(rule: RackRule) -> Self {
        Self {
            records: Transmissions::new(),
            phase: Phase::Open,
            first: false,
            latest: None,
            rtt: Duration::ZERO,
            rule,
            min_rtt: None,
            srtt: None,
            highest: Position::SYN,
            reordering: Reordering {
                seen: false,
                degree: u64::from(DUP_THRESH),
                multiplier: 1,
                persist: PERSIST,
                round: None,
            },
            deadline: None,
            probe: None,
            hint: Hint { now: Instant::ZERO, duplicate: None, has_blocks: false, bare: false },
        }
    }

    /// What is in flight.
    #[inline]
    pub const fn in_flight(&self) -> Bytes {
        self.records.in_flight()
    }

    /// Whether a segment has been overtaken by more than three others (`tcp_may_raise_cwnd` of
    /// Linux).
    pub(crate) const fn is_reordered_far(&self) -> bool {
        self.reordering.degree > DUP_THRESH as u64
    }

    /// The conditions of RFC 8985, 7.2, and that no probe is on its way, where all below `una` is acknowledged and `next` is sent next; SACK is agreed wherever this detector is used.
    #[inline]
    pub fn wants_probe(&self, una: Position, next: Position) -> bool {
        let is_answered = self.probe.is_none_or(|probe| una >= probe.end);
        matches!(self.phase, Phase::Open) && is_answered && self.records.delivered_count() == 0 && una < next
    }

    /// RACK_update_reo_wnd(), first half: the window grows with each round trip that has duplicate reports, and shrinks
    /// again after 16 recoveries without.
    fn adapt(&mut self, out: &Outstanding, recovered: bool) {
        let window = &mut self.reordering;
        if window.round.is_some_and(|round| out.una >= round) {
            window.round = None;
        }
        if window.round.is_none() && self.hint.duplicate.is_some() {
            window.round = Some(out.next);
            window.multiplier += 1;
            window.persist = PERSIST;
        } else if recovered {
            window.persist = window.persist.saturating_sub(1);
            if window.persist == 0 {
                window.multiplier = 1;
            }
        }
    }

    /// RACK.reo_wnd.
    fn reordering_window(&self) -> Duration {
        let enough = self.records.delivered_count() >= DUP_THRESH as usize;
        if !self.reordering.seen && (self.phase != Phase::Open || enough) {
            return Duration::ZERO;
        }
        let min_rtt = self.min_rtt.unwrap_or_default();
        let window = Duration::from_nanos(min_rtt.as_nanos().saturating_mul(self.reordering.multiplier) / 4);
        window.min(self.srtt.unwrap_or(window))
    }

    /// RACK_detect_loss(), and when to look again. Whether anything is lost that was not.
    #[inline(always)]
    fn detect(&mut self, now: Instant) -> bool {
        self.deadline = None;
        match self.latest {
            Some(latest) if self.records.is_overtaken(latest) => self.judge_overtaken(now, latest),
            _ => false,
        }
    }

    /// The same, where something may be in flight that was sent before the transmission `latest`.
    #[inline(never)]
    fn judge_overtaken(&mut self, now: Instant, latest: u64) -> bool {
        let patience = self.rtt + self.reordering_window();
        let before = self.records.ever_lost();
        let due = |sent_at: Instant| sent_at.saturating_add(patience);
        let last = self.records.lose_overdue(latest, |sent| due(sent.sent_at) <= now);
        self.deadline = last.map(due);
        self.records.ever_lost() > before
    }

    fn begin(&mut self, out: &Outstanding) -> LossDecision {
        self.phase = Phase::Recovery { until: out.max };
        self.first = true;
        self.probe = None;
        LossDecision::BeginRecovery
    }

    /// TLP_process_ack(): whether the probe has repaired a loss.
    fn judge_probe(&mut self, out: &Outstanding) -> bool {
        let Some(probe) = self.probe.filter(|probe| out.una >= probe.end) else { return false };
        let arrived_twice = self.hint.duplicate.is_some_and(|span| span.end == probe.end)
            || (out.una == probe.end && self.hint.bare && !self.hint.has_blocks);
        if !probe.repeats || arrived_twice {
            self.probe = None;
            return false;
        }
        if out.una > probe.end {
            self.probe = None;
            return true;
        }
        false
    }
}

impl LossDetector for Rack {
    /// Steps 1 to 3 of RFC 8985, 6.2.
    fn on_delivered(&mut self, facts: &Deliveries) {
        let newest = facts.once.map(|(_, last)| facts.now.saturating_since(last.at));
        self.min_rtt = newest.map_or(facts.min_rtt, |newest| Some(facts.min_rtt.map_or(newest, |min| min.min(newest))));
        self.srtt = facts.srtt.or(newest);
        if let Some(sent) = facts.certain {
            self.latest = self.latest.max(Some(sent.number));
        }
        let timed = match self.rule {
            RackRule::Rfc => facts.certain,
            RackRule::Linux => facts.entered_last,
        };
        if let Some(sent) = timed {
            self.rtt = facts.now.saturating_since(sent.at);
        }
        let before = self.highest;
        self.highest = before.max(facts.highest.unwrap_or_default());
        if let Some(late) = facts.lowest_once.filter(|late| late.end < before) {
            self.reordering.seen = true;
            let degree = self.highest.since(late.start).get().div_ceil(late.len().get().max(1));
            self.reordering.degree = self.reordering.degree.max(degree.min(MOST_REORDERING));
        }
        self.hint = Hint { now: facts.now, duplicate: facts.duplicate, has_blocks: facts.has_blocks, bare: facts.bare };
    }

    fn on_ack(&mut self, out: &Outstanding, _report: &AckReport<'_>) -> LossDecision {
        let repaired = self.judge_probe(out);
        let before = self.phase;
        if let Phase::Recovery { until } | Phase::GoBack { until } = before
            && out.una >= until
        {
            self.phase = Phase::Open;
            self.first = false;
        }
        let over = self.phase != before;
        self.adapt(out, over);
        self.detect(self.hint.now);
        // Something may also be left over from the recovery that ended, sent in it and lost.
        if self.phase == Phase::Open && self.records.lost() > Bytes::ZERO {
            return self.begin(out);
        }
        match before {
            Phase::Recovery { .. } if over => LossDecision::EndRecovery,
            Phase::Open if repaired => LossDecision::TailRepaired,
            _ => LossDecision::Nothing,
        }
    }

    fn on_timeout(&mut self, out: &Outstanding) {
        self.on_timeout_at(self.hint.now, out);
    }

    /// RACK_mark_losses_on_RTO() (6.3).
    fn on_timeout_at(&mut self, now: Instant, out: &Outstanding) {
        if self.records.at(out.una).is_some_and(|first| first.fate == Fate::Delivered) {
            // It reported what it does not acknowledge: it has reneged (RFC 2018, 8).
            self.records.forget_reports();
        }
        if self.phase == Phase::Open && self.records.delivered_count() >= DUP_THRESH as usize {
            // `tcp_enter_loss`: what looked like reordering was loss.
            self.reordering.degree = u64::from(DUP_THRESH);
        }
        self.phase = Phase::GoBack { until: out.max };
        let patience = self.rtt + self.reordering_window();
        let is_lost = |sent: &Transmission| sent.span.start == out.una || sent.sent_at.saturating_add(patience) <= now;
        self.records.lose(Span { start: out.una, end: out.max }, is_lost);
        // One goes out even where what was sent just before fills the window of one segment.
        self.first = true;
        self.probe = None;
        self.deadline = None;
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn pipe(&self, _out: &Outstanding) -> Bytes {
        self.in_flight()
    }

    fn urgent(&self, out: &Outstanding) -> Option<Span> {
        if self.first { self.lost(out) } else { None }
    }

    fn lost(&self, _out: &Outstanding) -> Option<Span> {
        self.records.next_lost().map(|lost| lost.span)
    }

    fn speculative(&self, _out: &Outstanding) -> Option<Retransmission> {
        None
    }

    fn go_back(&self, from: Position, limit: Position) -> Span {
        Span { start: from, end: limit }
    }

    fn undo(&mut self) {
        self.records.find_all();
        self.phase = Phase::Open;
        self.first = false;
        self.probe = None;
        self.deadline = None;
    }

    fn on_reordering(&mut self) {
        self.reordering.seen = true;
    }

    fn on_sent(&mut self, _span: Span, kind: SentKind) {
        if kind == SentKind::Repair {
            self.first = false;
        }
    }

    fn records(&self) -> Option<&Transmissions> {
        Some(&self.records)
    }

    fn records_mut(&mut self) -> Option<&mut Transmissions> {
        Some(&mut self.records)
    }

    fn goes_back(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn on_deadline(&mut self, now: Instant, out: &Outstanding) -> LossDecision {
        if self.detect(now) && self.phase == Phase::Open { self.begin(out) } else { LossDecision::Nothing }
    }

    fn wants_tail_probe(&self, out: &Outstanding) -> bool {
        self.wants_probe(out.una, out.next)
    }

    fn is_probing_tail(&self) -> bool {
        self.probe.is_some()
    }

    fn on_tail_probe(&mut self, end: Position, repeats: bool) {
        self.probe = Some(TailProbe { end, repeats });
    }
}

/// The greatest degree of reordering that is remembered (`tcp_max_reordering`).
const MOST_REORDERING: u64 = 300;
/// Recoveries without a duplicate report after which the window is again a quarter of the least round trip.
const PERSIST: u32 = 16;

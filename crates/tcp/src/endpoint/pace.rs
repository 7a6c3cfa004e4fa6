//! When the sender may send and when it looks again without an acknowledgement: pacing, the reordering timer and tail loss
//! probes (RFC 8985, 6.2 and 7).

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::Endpoint;
use super::allowance::Allowance;
use super::feedback::Delivered;
use super::sender::Probe;
use crate::congestion::Controller;
use crate::loss::{Delivery, Detector, LossDecision, LossDetector, OldFlight, Phase, Prr, RackRule, SentKind};
use crate::pacing;
use crate::sequence::Span;
use crate::timers::Timer;

impl Endpoint {
    /// Whether data is spread over time.
    #[inline]
    pub(super) fn is_paced(&self) -> bool {
        self.config.pacing || self.dialect.paces() || self.congestion.sets_rate()
    }

    /// How fast data goes out now; nothing where it is not paced, or the round-trip time is not known yet.
    pub fn pacing_rate(&self) -> Option<BitRate> {
        if !self.is_paced() {
            return None;
        }
        if let Some(rate) = self.congestion.pacing_rate() {
            return Some(rate);
        }
        let (window, threshold) = (self.congestion.window(), self.congestion.slow_start_threshold());
        pacing::rate_of_window(window, threshold, self.rtt.smoothed())
    }

    /// Whether data has to wait for its time; if so, the timer says when. Probes, of the window and of the tail, go at once.
    #[inline]
    pub(super) fn is_held_by_pacing(&mut self, now: Instant) -> bool {
        if self.pacer.may_send(now) {
            return false;
        }
        self.waits_for_its_time(now)
    }

    fn waits_for_its_time(&mut self, now: Instant) -> bool {
        if self.tx.probe == Probe::Due || self.tx.tail_probe == Probe::Due || self.is_amid_burst(now) {
            return false;
        }
        if self.tx.una < self.tx.end() {
            self.timers.arm(Timer::Pace, self.pacer.next_departure());
        }
        true
    }

    /// Data went out: `span`, for the first time or again.
    #[inline]
    pub(super) fn after_transmission(&mut self, now: Instant, span: Span, kind: SentKind) {
        if self.is_paced() || self.loss.is_recording() {
            self.time_transmission(now, span, kind);
        }
    }

    fn time_transmission(&mut self, now: Instant, span: Span, kind: SentKind) {
        if let Some(rate) = self.pacing_rate() {
            self.pacer.on_sent(now, span.len(), rate);
        }
        if let Some(prr) = &mut self.prr {
            prr.on_sent(span.len());
        }
        // Where the receiver names what is lost, nobody looks after what is sent again but the probe and the timeout.
        if (kind == SentKind::New && self.loss.is_recording()) || self.dialect.pulls() {
            self.schedule_tail_probe(now);
        }
    }

    /// What may be sent in the phase in which the sender is, `pipe` being in flight.
    #[inline]
    pub(super) fn sending_room(&self, pipe: Bytes) -> Bytes {
        match &self.prr {
            Some(prr) => prr.room(pipe),
            None => self.congestion.window().saturating_sub(pipe),
        }
    }

    /// The window that bounds what is in flight now: while a recovery reduces it bit by bit (PRR), other than [`congestion_window`](Self::congestion_window), to
    /// which it leads.
    pub fn window_in_force(&self) -> Bytes {
        self.prr.as_ref().map_or_else(|| self.congestion.window(), Prr::window)
    }

    /// A recovery begins whose window is to be reduced bit by bit.
    pub(super) fn begin_proportional_reduction(&mut self, outstanding: Bytes, window: Bytes) {
        let applies = self.loss.is_rack() && self.congestion.pacing_rate().is_none();
        let unacknowledged = self.loss.records().map_or(outstanding, |records| records.in_flight() + records.lost());
        let old = OldFlight { outstanding, unacknowledged, window };
        self.prr = applies.then(|| Prr::new(self.config.sender.prr, &old));
    }

    /// An acknowledgement delivered `delivered`, and losses have been looked for: what that means for the sender's timers
    /// and for what it may send in a recovery.
    #[inline(always)]
    pub(super) fn after_delivery(&mut self, now: Instant, delivered: &Delivered<'_>, advanced: bool) {
        if !matches!(self.loss.phase(), Phase::Recovery { .. }) {
            self.prr = None;
        }
        if let Some(prr) = &mut self.prr {
            let out = self.tx.outstanding();
            let pipe = self.loss.pipe(&out);
            let lost = self.loss.records().is_some_and(|records| records.ever_lost() > delivered.ever_lost);
            let (delivered, threshold) = (delivered.facts.bytes, self.congestion.window());
            prr.on_ack(&Delivery { delivered, pipe, threshold, smss: out.smss, safe: advanced && !lost });
        }
        self.arm_reordering();
        if advanced {
            self.tx.tail_probe_failed = false;
            self.tx.tail_probes *= u32::from(self.loss.is_probing_tail());
        }
        if advanced || !self.expects_tail_probe() {
            self.schedule_tail_probe(now);
        }
    }

    fn arm_reordering(&mut self) {
        match self.loss.deadline() {
            Some(at) => self.timers.arm(Timer::Reorder, at),
            None => self.timers.stop(Timer::Reorder),
        }
    }

    /// Whether a probe is to be scheduled (RFC 8985, 7.2). Deviation: not while one is out and nothing tells of it, and after one that could not go (7.3) only once something is acknowledged. The letter
    /// schedules one for all new data; where it then cannot go the timeout starts again, so that who writes a little more often than that, on a path that is gone, would never have a timeout.
    #[inline(always)]
    fn expects_tail_probe(&self) -> bool {
        let linux = self.config.sender.rack == RackRule::Linux;
        let wanted = match &self.loss {
            Detector::Rack(rack) => rack.wants_probe(self.tx.una, self.tx.next) && !(linux && rack.is_probing_tail()),
            _ => self.others_want_tail_probe(),
        };
        wanted && !self.tx.tail_probe_failed
    }

    #[inline(never)]
    fn others_want_tail_probe(&self) -> bool {
        self.loss.wants_tail_probe(&self.tx.outstanding())
    }

    /// TLP_calc_PTO() (RFC 8985, 7.2), or no probe where its conditions do not hold. TLP.max_ack_delay is the least
    /// allowance of the retransmission timeout: 200 ms by default, as in Linux. A receiver that sends TACKs may hold one back
    /// whatever is out; each further probe waits twice as long as the one before (as in RFC 9002, 6.2.1), and goes
    /// only if what its answer lets go can be heard of before the timeout, which would else come amid a recovery. Twice nothing is nothing: where a round trip is next to none, it is of [`GRANULARITY`].
    #[inline(always)]
    pub(super) fn schedule_tail_probe(&mut self, now: Instant) {
        if !self.expects_tail_probe() || self.timers.is_armed(Timer::Persist) {
            self.timers.stop(Timer::TailProbe);
            return;
        }
        let single = || self.loss.records().is_some_and(|records| records.iter().len() == 1);
        let wait = match (self.window_is_overdue_after(), self.rtt.smoothed()) {
            (Some(wait), _) => wait,
            (None, Some(srtt)) if single() => srtt * 2 + self.config.rto_min.max(self.dialect.hold()),
            (None, Some(srtt)) => srtt * 2 + self.dialect.hold(),
            (None, None) => Duration::from_secs(1),
        };
        let wait = self.rtt.in_ticks(wait);
        let wait = if self.tx.tail_probes == 0 { wait } else { wait.max(GRANULARITY) };
        let (at, timeout) = (
            now.saturating_add(wait.saturating_mul(1 << self.tx.tail_probes.min(20))),
            self.timers.at(Timer::Retransmit),
        );
        if self.tx.tail_probes == 0 || at.saturating_add(wait) <= timeout {
            self.timers.arm(Timer::TailProbe, at.min(timeout));
        } else {
            self.timers.stop(Timer::TailProbe);
        }
    }

    /// The reordering timer fired.
    #[inline(never)]
    pub(super) fn on_reordering_timeout(&mut self, now: Instant) {
        let out = self.tx.outstanding();
        let decision = self.loss.on_deadline(now, &out);
        if self.config.congestion.hears_losses() {
            self.tell_losses(now);
        }
        if decision == LossDecision::BeginRecovery {
            self.begin_recovery(now);
            if let Some(prr) = &mut self.prr {
                let (pipe, threshold) = (self.loss.pipe(&out), self.congestion.window());
                prr.on_timer(&Delivery { delivered: Bytes::ZERO, pipe, threshold, smss: out.smss, safe: false });
            }
        }
        self.arm_reordering();
        self.timers.stop(Timer::TailProbe);
    }

    /// The probe timeout fired. Whatever comes of it, the retransmission timer starts again (RFC 8985, 7.3).
    ///
    /// On a TACK connection further probes may follow, but put the timeout off no further.
    #[inline(never)]
    pub(super) fn on_tail_probe_timeout(&mut self, now: Instant) {
        if !self.expects_tail_probe() {
            return;
        }
        let linux = self.config.sender.rack == RackRule::Linux;
        if self.dialect.pulls() {
            self.tx.tail_probe = Probe::Due;
            self.tx.tail_probes += 1;
            if self.tx.tail_probes > 1 {
                return;
            }
        } else if (linux || self.rtt.has_news()) && !self.loss.is_probing_tail() {
            self.tx.tail_probe = Probe::Due;
        } else {
            self.tx.tail_probe_failed = true;
        }
        self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
    }

    /// What a tail loss probe carries (TLP_send_probe(), 7.3): new data if there is some that the peer's window takes, whatever
    /// the congestion window says, else the last segment again. On a TACK connection in-flight data has a cap (paper, VI-D) that
    /// new data never passes, not even as a probe.
    pub(super) fn tail_probe_span(&mut self, segment: Bytes) -> Option<(Span, SentKind)> {
        self.tx.tail_probe = Probe::Idle;
        let out = self.tx.outstanding();
        if !self.loss.wants_tail_probe(&out) {
            return None;
        }
        let gap = Span { start: out.next, end: self.tx.end() };
        let room = if self.dialect.pulls() { self.sending_room(self.loss.pipe(&out)) } else { segment.max(out.smss) };
        let fresh = self.tx.plan(gap, Allowance { room, segment, nagle: None });
        let (span, kind) = match fresh {
            Ok(span) => (span, SentKind::New),
            Err(_) => {
                let last = self.loss.records()?.iter().next_back()?.span;
                let room = last.len().saturating_sub(segment);
                let Some(span) = self.within_window(Span { start: last.start + room, end: last.end }) else {
                    self.tx.tail_probe_failed = true;
                    return None;
                };
                (span, SentKind::Repair)
            }
        };
        self.stats.tail_probes += 1;
        self.rtt.wait_for_news();
        self.loss.on_tail_probe(span.end.max(out.max), kind == SentKind::Repair);
        Some((span, kind))
    }
}

/// What a probe after the first is counted from at least (kGranularity of RFC 9002, 6.1.2).
const GRANULARITY: Duration = Duration::from_millis(1);

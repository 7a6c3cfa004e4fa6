//! The states of BBR and the ways between them (4.3).

use ackless_wire::{Bytes, Duration, Instant};

use super::{Bbr, Feedback, Gain, MIN_RTT_LENGTH, MIN_WINDOW, State};

impl Bbr {
    pub(super) const fn pacing_gain(&self) -> Gain {
        match self.state {
            State::Startup => Gain::STARTUP,
            State::Drain => Gain::DRAIN,
            State::ProbeBw { phase, .. } => CYCLE[phase],
            State::ProbeRtt { .. } => Gain::CRUISE,
        }
    }

    pub(super) const fn window_gain(&self) -> Gain {
        match self.state {
            State::Startup | State::Drain => Gain::STARTUP,
            State::ProbeBw { .. } => Gain::WINDOW,
            State::ProbeRtt { .. } => Gain::CRUISE,
        }
    }

    /// BBRCheckDrain (4.3.3).
    pub(super) fn check_drain(&mut self, facts: &Feedback) {
        if self.state == State::Startup && self.full_pipe.is_filled() {
            self.state = State::Drain;
        }
        if self.state == State::Drain && facts.inflight <= self.inflight(Gain::CRUISE) {
            self.enter_probe_bw(facts.now);
        }
    }

    /// In any phase but the one that drains (4.3.4.3), each equally likely.
    pub(super) fn enter_probe_bw(&mut self, now: Instant) {
        let last = CYCLE.len() - 1;
        let draw = self.random.below(last as u64) as usize;
        self.state = State::ProbeBw { phase: if draw == 0 { 0 } else { draw + 1 }, since: now };
    }

    /// BBRCheckCyclePhase (4.3.4.3).
    pub(super) fn advance_cycle(&mut self, facts: &Feedback) {
        let State::ProbeBw { phase, since } = self.state else { return };
        let is_full_length = facts.now.saturating_since(since) > self.min_rtt.get().unwrap_or(Duration::MAX);
        let is_over = match CYCLE[phase] {
            // Until the path holds what is asked for, or cannot.
            Gain::UP => {
                is_full_length && (facts.lost > Bytes::ZERO || facts.inflight_before >= self.inflight(Gain::UP))
            }
            Gain::DOWN => is_full_length || facts.inflight_before <= self.inflight(Gain::CRUISE),
            _ => is_full_length,
        };
        if is_over {
            self.state = State::ProbeBw { phase: (phase + 1) % CYCLE.len(), since: facts.now };
        }
    }

    /// BBRUpdateRTprop and BBRCheckProbeRTT (4.1.2.4 and 4.3.5).
    pub(super) fn update_min_rtt(&mut self, facts: &Feedback) {
        let expired = self.min_rtt.update(facts.now, facts.rtt, MIN_RTT_LENGTH);
        if expired && !self.idle_restart && !matches!(self.state, State::ProbeRtt { .. }) {
            self.save_window();
            self.state = State::ProbeRtt { end: None, round_done: false };
        }
        if let State::ProbeRtt { end, round_done } = &mut self.state {
            match *end {
                None if facts.inflight <= self.start.smss * MIN_WINDOW => {
                    *end = Some(facts.now + PROBE_RTT_LENGTH);
                    self.rounds.end = facts.total_delivered;
                }
                None => {}
                Some(at) => {
                    *round_done |= self.rounds.began;
                    if *round_done {
                        self.leave_probe_rtt_after(Some(at), facts.now);
                    }
                }
            }
        }
        if facts.delivered > Bytes::ZERO {
            self.idle_restart = false;
        }
    }

    /// BBRExitProbeRTT (4.3.5), if `end` is known and over.
    pub(super) fn leave_probe_rtt_after(&mut self, end: Option<Instant>, now: Instant) {
        if end.is_none_or(|end| now <= end) {
            return;
        }
        self.min_rtt.restart(now);
        self.window = self.window.max(self.prior_window);
        if self.full_pipe.is_filled() {
            self.enter_probe_bw(now);
        } else {
            self.state = State::Startup;
        }
    }
}

/// The pacing gains of ProbeBW, one for each RTprop (4.3.4.1).
const CYCLE: [Gain; 8] =
    [Gain::UP, Gain::DOWN, Gain::CRUISE, Gain::CRUISE, Gain::CRUISE, Gain::CRUISE, Gain::CRUISE, Gain::CRUISE];
/// ProbeRTTDuration (4.3.5).
const PROBE_RTT_LENGTH: Duration = Duration::from_millis(200);

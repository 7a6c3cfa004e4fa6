//! The congestion window of BBR (4.2.3), in bytes.

use ackless_wire::Bytes;

use super::{Bbr, Feedback, MIN_WINDOW, Phase, Recovery, State};

impl Bbr {
    /// BBRSaveCwnd (4.2.3.4).
    pub(super) fn save_window(&mut self) {
        let undisturbed = self.recovery == Recovery::Open && !matches!(self.state, State::ProbeRtt { .. });
        self.prior_window = if undisturbed { self.window } else { self.prior_window.max(self.window) };
    }

    /// BBRSetCwnd (4.2.3.6).
    pub(super) fn update_window(&mut self, facts: &Feedback) {
        let smss = self.start.smss;
        if facts.delivered > Bytes::ZERO && !self.modulate_for_recovery(facts) {
            let target = self.target();
            if self.full_pipe.is_filled() {
                self.window = (self.window + facts.delivered).min(target);
            } else if self.window < target || facts.total_delivered < self.start.initial {
                self.window += facts.delivered;
            }
            self.window = self.window.max(smss * MIN_WINDOW);
        }
        if matches!(self.state, State::ProbeRtt { .. }) {
            self.window = self.window.min(smss * MIN_WINDOW);
        }
    }

    /// target_cwnd, with what aggregation needs once the pipe is known to be full (Linux).
    fn target(&self) -> Bytes {
        let bandwidth = self.bandwidth.best();
        let extra = if self.full_pipe.is_filled() { self.aggregation.allowance(bandwidth) } else { Bytes::ZERO };
        self.inflight(self.window_gain()) + extra
    }

    /// BBRModulateCwndForRecovery, and the beginning and end of recovery (4.2.3.4). True while packets are conserved:
    /// as much goes out as is delivered.
    fn modulate_for_recovery(&mut self, facts: &Feedback) -> bool {
        self.window = self.window.saturating_sub(facts.lost).max(self.start.smss);
        let conserved = facts.inflight + facts.delivered;
        match (self.recovery, facts.phase) {
            (Recovery::Open | Recovery::Timeout, Phase::Recovery { .. }) => {
                self.recovery = Recovery::Fast { conserving: true };
                self.rounds.end = facts.total_delivered;
                self.window = conserved;
            }
            (Recovery::Fast { .. } | Recovery::Timeout, Phase::Open) => {
                self.recovery = Recovery::Open;
                self.window = self.window.max(self.prior_window);
            }
            (Recovery::Open | Recovery::Fast { .. }, Phase::GoBack { .. }) => self.recovery = Recovery::Timeout,
            _ => {}
        }
        if self.recovery == (Recovery::Fast { conserving: true }) {
            self.window = self.window.max(conserved);
            return true;
        }
        false
    }
}

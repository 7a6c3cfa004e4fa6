//! Pacing rate, send quantum and congestion window (5.6), in bytes.

use ackless_wire::{Bytes, Duration};

use super::{Bbr3, Feedback, MIN_WINDOW, Recovery, State};
use crate::loss::Phase;

impl Bbr3 {
    /// SetPacingRate (5.6.2).
    pub(super) fn update_pacing(&mut self, srtt: Duration) {
        let wanted = self.pacing_gain().pace(self.bandwidth());
        self.pace.update(wanted, self.full_reached, self.window, self.start.smss, srtt);
    }

    /// SetSendQuantum (5.6.3).
    pub(super) fn send_quantum(&self) -> Bytes {
        self.pace.rate.amount_floor(Duration::from_millis(1)).min(LARGEST_QUANTUM).max(self.start.smss * 2)
    }

    /// SetCwnd (5.6.4.6).
    pub(super) fn update_window(&mut self, facts: &Feedback) {
        let most = self.max_inflight();
        if self.full_reached {
            self.window = (self.window + facts.delivered).min(most);
        } else if self.window < most || facts.total_delivered < self.start.initial {
            self.window += facts.delivered;
        }
        self.window = self.window.max(self.start.smss * MIN_WINDOW);
        if matches!(self.state, State::ProbeRtt { .. }) {
            self.window = self.window.min(self.probe_rtt_window());
        }
        self.bound_window();
    }

    /// UpdateMaxInflight (5.6.4.2).
    fn max_inflight(&self) -> Bytes {
        let bandwidth = self.bandwidth();
        let extra = self.aggregation.allowance(bandwidth);
        self.quantised(self.bdp_times(bandwidth, self.window_gain()) + extra)
    }

    /// BoundCwndForModel (5.6.4.7).
    fn bound_window(&mut self) {
        let long = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.inflight_long,
            State::Cruise | State::ProbeRtt { .. } => self.with_headroom(),
            State::Startup | State::Drain { .. } => None,
        };
        for bound in [long, self.bounds.inflight_short].into_iter().flatten() {
            self.window = self.window.min(bound.max(self.start.smss * MIN_WINDOW));
        }
    }

    /// SaveCwnd (5.6.4.4).
    pub(super) fn save_window(&mut self) {
        let undisturbed = self.recovery == Recovery::Open && !matches!(self.state, State::ProbeRtt { .. });
        self.prior_window = if undisturbed { self.window } else { self.prior_window.max(self.window) };
    }

    /// RestoreCwnd (5.6.4.4). The bounds of the model come after it.
    pub(super) fn restore_window(&mut self) {
        self.window = self.window.max(self.prior_window);
    }

    /// The end of a recovery gives the window back (5.6.4.4).
    pub(super) fn follow_recovery(&mut self, facts: &Feedback) {
        match facts.phase {
            Phase::Open if self.recovery != Recovery::Open => {
                self.recovery = Recovery::Open;
                self.restore_window();
            }
            Phase::Recovery { .. } if self.recovery == Recovery::Open => self.recovery = Recovery::Fast,
            _ => {}
        }
    }
}

/// 5.6.3.
const LARGEST_QUANTUM: Bytes = Bytes::from_kib(64);

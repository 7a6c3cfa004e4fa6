//! Pacing rate, send quantum and congestion window (5.6), in bytes.

use ackless_wire::{Bytes, Duration};

use super::super::pace::Wanted;
use super::{Bbr3, Feedback, MIN_WINDOW, Recovery, State};
use crate::loss::Phase;

impl Bbr3 {
    /// SetPacingRate (5.6.2).
    pub(super) fn update_pacing(&mut self, srtt: Duration) {
        let (gain, bandwidth, smss) = (self.pacing_gain(), self.bandwidth(), self.start.smss);
        self.pace.update(Wanted { gain, bandwidth, smss, srtt }, self.full_reached, self.window);
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
    fn max_inflight(&mut self) -> Bytes {
        let path = *self.path();
        let extra = self.aggregation.allowance_up_to(path.most_extra);
        self.quantised(path.product_times(self.window_gain(), self.start.initial) + extra, &path)
    }

    /// BoundCwndForModel (5.6.4.7).
    fn bound_window(&mut self) {
        let long = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.inflight_long,
            State::Cruise | State::ProbeRtt { .. } => self.with_headroom(),
            State::Startup | State::Drain { .. } => None,
        };
        let least = self.start.smss * MIN_WINDOW;
        if let Some(long) = long {
            self.window = self.window.min(long.max(least));
        }
        if let Some(short) = self.bounds.inflight_short {
            self.window = self.window.min(short.max(least));
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

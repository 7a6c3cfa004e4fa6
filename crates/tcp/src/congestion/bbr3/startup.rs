//! Startup and Drain (5.3.1, 5.3.2).

use super::super::path::Gain;
use super::bounds::is_too_much;
use super::{Bbr3, Feedback, State};
use crate::loss::Phase;

impl Bbr3 {
    /// CheckFullBWReached (5.3.1.2): for Startup and for UP.
    pub(super) fn check_full_pipe(&mut self, facts: &Feedback) {
        let Some(sample) = facts.sample.filter(|sample| self.rounds.began && !sample.application_limited) else {
            return;
        };
        self.full_pipe.on_round(sample.rate());
        self.full_reached |= self.full_pipe.is_filled();
    }

    /// CheckStartupDone (5.3.1.1).
    pub(super) fn check_startup_done(&mut self, facts: &Feedback) {
        self.check_startup_losses(facts);
        if matches!(self.state, State::Startup) && self.full_reached {
            self.state = State::Drain { since_round: self.rounds.count };
        }
    }

    /// CheckStartupHighLoss (5.3.1.3): a round of fast recovery in which more than 2 % were lost, in six places at least; or any loss, where the sender cannot tell how much is
    /// lost.
    fn check_startup_losses(&mut self, facts: &Feedback) {
        if !self.full_reached && matches!(facts.phase, Phase::Recovery { .. }) {
            let many = self.latest.round_began
                && self.latest.places_lost >= STARTUP_PLACES
                && facts.sample.is_some_and(|sample| is_too_much(sample.lost, sample.in_flight));
            if many || self.latest.lost_unmarked {
                if let Some(saved) = &mut self.saved {
                    saved.left = Some(State::Startup);
                }
                self.end_startup_below_queue();
            }
        }
        if self.latest.round_began {
            self.latest.forget_places();
        }
    }

    /// Startup's queue is too long: what was delivered in a round, or the product, is what may be in flight.
    pub(super) fn end_startup_below_queue(&mut self) {
        self.full_reached = true;
        let product = self.bdp_times(Gain::CRUISE);
        self.bounds.inflight_long = Some(product.max(self.latest.inflight));
    }

    /// CheckDrainDone (5.3.2).
    pub(super) fn check_drain_done(&mut self, facts: &Feedback) {
        let State::Drain { since_round } = self.state else { return };
        let path = *self.path();
        let is_drained = facts.inflight <= self.inflight(&path);
        if is_drained || self.rounds.count > since_round + DRAIN_ROUNDS {
            self.start_down(facts.now);
        }
    }
}

/// BBRStartupFullLossCnt (5.3.1.3).
const STARTUP_PLACES: u32 = 6;
/// Rounds after which Drain ends whatever is in flight (5.3.2).
const DRAIN_ROUNDS: u64 = 3;

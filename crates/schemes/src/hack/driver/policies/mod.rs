//! What each policy decides (paper, 3.2, "To HACK or not to HACK?"): which ACKs are held, what becomes of those that were on
//! no answer, and how long they may wait.

mod explicit_timer;
mod more_data;

use ackless_wire::{Duration, Instant};

use super::{Driver, Promise};
use crate::hack::config::Policy;
use crate::hack::env::Env;
use crate::hack::nic::FlowPlace;

impl Driver {
    /// Whether an ACK that comes now is held.
    pub(super) fn holds(&self, policy: Policy) -> bool {
        match policy {
            Policy::MoreData => self.promise == Promise::MoreData,
            Policy::ExplicitTimer(_) => true,
            Policy::Opportunistic => false,
        }
    }

    /// An answer left.
    pub(super) fn after_answer(&mut self, env: &mut Env<'_, '_>) {
        if env.config.policy == Policy::MoreData {
            self.keep_promised(env);
        }
    }

    /// The time of a deadline may have come. Returns the next one.
    pub(in crate::hack) fn on_timer(&mut self, env: &mut Env<'_, '_>) -> Option<Instant> {
        let explicit = match env.config.policy {
            Policy::ExplicitTimer(timer) => self.on_explicit_timer(env, timer),
            Policy::MoreData | Policy::Opportunistic => None,
        };
        let guard = self.on_guard(env);
        Instant::earlier(explicit, guard)
    }

    /// After how long an ACK of this flow that is held now is looked at at the latest.
    pub(super) fn patience(&self, env: &Env<'_, '_>, place: FlowPlace) -> Duration {
        let guard = self.guard(env, place);
        match env.config.policy {
            Policy::ExplicitTimer(timer) => timer.min(guard),
            Policy::MoreData | Policy::Opportunistic => guard,
        }
    }
}

//! The explicit timer: every ACK is held, and goes natively where it was on no answer for a time.

use ackless_wire::{Duration, Instant};

use crate::hack::driver::Driver;
use crate::hack::env::Env;
use crate::hack::nic::FlowPlace;

impl Driver {
    /// The time of a deadline may have come. Returns the next one.
    pub(super) fn on_explicit_timer(&mut self, env: &mut Env<'_, '_>, timer: Duration) -> Option<Instant> {
        self.each_active(|driver, place| {
            let first = driver.nic.first_unsent(place);
            if first.is_some_and(|held| held.since.saturating_add(timer) <= env.cx.now) {
                env.counters.timer_fired += 1;
                driver.requeue_unsent(env, place);
            }
        });
        self.oldest_unsent().map(|since| since.saturating_add(timer))
    }

    /// Since when the oldest ACK is held that was on no answer.
    fn oldest_unsent(&self) -> Option<Instant> {
        let first = |&place: &FlowPlace| self.nic.first_unsent(place).map(|held| held.since);
        self.nic.active().iter().filter_map(first).min()
    }
}

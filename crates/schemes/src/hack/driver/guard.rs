//! The guard timer: what is held does not wait for ever for a PPDU, nor for a sign that it arrived.

use ackless_wire::Instant;

use super::{Driver, Promise};
use crate::hack::env::Env;

impl Driver {
    /// The time of the deadline may have come. Returns the next one.
    pub(super) fn on_guard(&mut self, env: &mut Env<'_, '_>) -> Option<Instant> {
        if self.guard_deadline(env).is_some_and(|at| at <= env.cx.now) {
            self.give_up_waiting(env);
        }
        self.guard_deadline(env)
    }

    /// When what is held has waited long enough: nothing came for the guard time, or nothing that confirmed it for
    /// twice that. Flows whose native frame is already queued wait for that frame's fate.
    fn guard_deadline(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let waits = |flow: &&u16| self.flows[**flow].outstanding == 0;
        let since = |&flow: &u16| self.nic.first(flow).map(|held| held.since);
        let oldest = self.nic.active().iter().filter(waits).filter_map(since).min()?;
        let guard = env.config.guard;
        Some(self.heard.max(oldest).saturating_add(guard).min(oldest.saturating_add(guard.saturating_mul(2))))
    }

    /// The guard timer: the promise is void, and each flow sends natively what the peer may not have.
    fn give_up_waiting(&mut self, env: &mut Env<'_, '_>) {
        env.counters.guard_fired += 1;
        self.promise = Promise::None;
        self.each_active(|driver, flow| {
            if driver.flows[flow].outstanding == 0 {
                driver.rescue(env, flow);
            }
        });
    }
}

//! The guard timer: what is held does not wait for ever for a PPDU, nor for a sign that it arrived.
//!
//! What was on no answer waits for one guard from when the NIC has it. What was on one has most likely arrived, and waits for what shows it: again for
//! one guard from the peer's last PPDU, and for two in all. It takes a second one because an ACK that is made behind one PPDU
//! goes on the answer to the next and is confirmed by the one after that, two gaps later, while a guard may be as short as one and a half
//! gaps. An ACK does come as late as that, but only if the answer to each PPDU in between was lost, or if the first was and the
//! peer, which knows no more than that, came no more.

use ackless_dot11::frame::Mpdu;
use ackless_wire::{Duration, Instant};

use super::flow::FlowState;
use super::{Driver, Promise};
use crate::flow_key::FlowKey;
use crate::guard::Guard;
use crate::hack::config::Policy;
use crate::hack::env::Env;
use crate::hack::nic::FlowPlace;

impl Driver {
    /// The time of the deadline may have come. Returns the next one.
    pub(super) fn on_guard(&mut self, env: &mut Env<'_, '_>) -> Option<Instant> {
        if self.guard_deadline(env).is_some_and(|at| at <= env.cx.now) {
            self.give_up_waiting(env);
        }
        self.guard_deadline(env)
    }

    /// How long ACKs of a flow are held while nothing comes.
    pub(super) fn guard(&self, env: &Env<'_, '_>, place: FlowPlace) -> Duration {
        let patience = env.config.guard.patience(self.gaps, self.flows[place].rtt);
        match (env.config.guard, env.config.policy) {
            // Which is a time of its own, whatever the gaps.
            (Guard::Auto, Policy::ExplicitTimer(timer)) => patience.max(timer),
            _ => patience,
        }
    }

    /// The first MPDU of a PPDU of the peer came, of which `more` are promised: what it says about gaps and round trips.
    pub(super) fn learn_timing(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu, more: bool) {
        self.gaps.on_ppdu(env.cx.now, more);
        if self.flows.is_empty() {
            return;
        }
        let packet = env.cx.pool.get(mpdu.packet);
        if let Some((_, echo)) = packet.tcp().and_then(|tcp| tcp.options.timestamps)
            && let Some(place) = FlowKey::of(packet).and_then(|key| self.flows.find(key.reversed()))
        {
            self.flows[place].rtt.on_echo(echo, env.cx.now, self.gaps);
        }
        if matches!(env.config.policy, Policy::ExplicitTimer(_)) {
            self.note_repeated(env, mpdu);
        }
    }

    /// Data came, perhaps again. Where the same data comes again and again though its ACK was on an
    /// answer, the peer's context is broken. No other policy needs this: the peer withholds MORE
    /// DATA from them, on which the explicit timer does not look, so that nothing would go natively
    /// any more.
    fn note_repeated(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        let packet = env.cx.pool.get(mpdu.packet);
        let (Some(tcp), Some(key)) = (packet.tcp(), FlowKey::of(packet)) else { return };
        let Some(place) = self.flows.find(key.reversed()) else { return };
        let (seq, end, flow) = (tcp.seq, tcp.seq + packet.payload.len(), &mut self.flows[place]);
        let FlowState::Open(compressor) = &flow.state else { return };
        if end == seq || compressor.reference().is_none_or(|last| end.after(last.tcp().ack)) {
            return;
        }
        let times = flow.repeated.filter(|(repeated, _)| *repeated == seq).map_or(1, |(_, times)| times + 1);
        flow.repeated = Some((seq, times));
        if times >= REPEATED {
            env.counters.doubted += 1;
            self.rescue(env, place);
            let flow = &mut self.flows[place];
            (flow.state, flow.repeated) = (FlowState::Closed, None);
        }
    }

    /// When what is held has waited long enough. Flows whose native frame is already queued wait for that frame's fate.
    fn guard_deadline(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let waits = |place: &&FlowPlace| self.flows[**place].outstanding == 0;
        let deadline = |&place: &FlowPlace| {
            let (since, guard) = (self.nic.first(place)?.since, self.guard(env, place));
            let shown =
                self.last_ppdu.max(since).saturating_add(guard).min(since.saturating_add(guard.saturating_mul(2)));
            let unsent = self.nic.first_unsent(place).map(|held| held.since + env.config.driver_to_nic + guard);
            Some(unsent.map_or(shown, |unsent| shown.min(unsent)))
        };
        self.nic.active().iter().filter(waits).filter_map(deadline).min()
    }

    /// The guard timer: the promise is void, and each flow sends natively what the peer may not have.
    fn give_up_waiting(&mut self, env: &mut Env<'_, '_>) {
        env.counters.guard_fired += 1;
        self.promise = Promise::None;
        self.each_active(|driver, place| {
            if driver.flows[place].outstanding == 0 {
                driver.rescue(env, place);
            }
        });
    }
}

/// So often the same data comes before the peer's context counts as broken: once and again may be a
/// sender's mistake.
const REPEATED: u32 = 3;

//! The opportunistic policy: every ACK is queued natively, and taken back where an answer leaves before it.

use crate::hack::driver::Driver;
use crate::hack::driver::flow::{Candidate, Held};
use crate::hack::env::Env;
use crate::hack::nic::RUN_OVERHEAD;

impl Driver {
    /// An ACK was queued natively that may be taken back.
    pub(in crate::hack::driver) fn nominate(&mut self, flow: u16, candidate: Candidate) {
        if !self.candidates.contains(&flow) {
            self.candidates.push(flow);
        }
        self.flows[flow].candidates.push_back(candidate);
    }

    /// Takes natively queued ACKs back that can go on this answer instead, as long as all fits.
    pub(in crate::hack::driver) fn withdraw_candidates(&mut self, env: &mut Env<'_, '_>, limit: usize) {
        // A flow without candidates may have been forgotten since.
        let flows = &self.flows;
        self.candidates.retain(|&flow| flows.get(flow).is_some_and(|flow| !flow.candidates.is_empty()));
        if self.candidates.is_empty() {
            return;
        }
        let mut room = limit.saturating_sub(self.nic.size());
        for n in 0..self.candidates.len() {
            let flow = self.candidates[n];
            while self.withdraw_first(env, flow, &mut room) {}
        }
    }

    /// Takes the first candidate of a flow back, if it can be. Says whether the next one may be tried.
    fn withdraw_first(&mut self, env: &mut Env<'_, '_>, place: u16, room: &mut usize) -> bool {
        let flow = &self.flows[place];
        let Some(&Candidate { handle, ack, options, since }) = flow.candidates.front() else { return false };
        let in_the_way = flow.outstanding.saturating_sub(flow.candidates.len() as u32);
        if let Some(obstacle) = self.obstacle(place, in_the_way, env.cx.now) {
            *obstacle.counter(env) += 1;
            return false;
        }
        let ready = since + env.config.driver_to_nic;
        if ready > env.cx.now {
            env.counters.not_ready += 1;
            return false;
        }
        let before = self.flows[place].state.clone();
        let Some(code) = self.flows[place].state.compress(&ack) else {
            env.counters.refused += 1;
            return false;
        };
        let needs = code.bytes().len() + if self.nic.held(place) == 0 { RUN_OVERHEAD } else { 0 };
        if needs > *room {
            self.flows[place].state = before;
            return false;
        }
        let Ok(packet) = env.cx.withdraw(handle) else {
            self.flows[place].state = before;
            env.counters.too_late += 1;
            return false;
        };
        *room -= needs;
        self.natives.settle(handle);
        let flow = &mut self.flows[place];
        flow.candidates.pop_front();
        flow.settled(true);
        env.counters.withdrawn += 1;
        self.hold(env, place, Held { packet, options, since: env.cx.now }, code, ready);
        true
    }
}

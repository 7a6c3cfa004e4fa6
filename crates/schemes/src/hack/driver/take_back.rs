//! Native ACKs that are still queued when an answer leaves are taken back, compressed, and go on that answer.
//!
//! The opportunistic policy is nothing else (paper, 3.2). The others take back what they let go if
//! [`take_back`](crate::hack::HackConfig::take_back) is set; the paper's driver "simply enqueues these ACKs normally" (3.3.1), and there they stay. That one
//! ACK in a deep queue, as behind a station's own upload, then makes each later one native too, which would overtake it otherwise; and each of those the
//! next ones, so that it never ends.
//!
//! Why nothing comes out of its turn, and each code is in terms of what the peer has:
//! - **Only from the front.** A flow's natives leave its queue in the order in which they were handed over. The first *candidate* is taken only where all
//!   frames of its flow without a fate are candidates: then nothing of the flow is on the air, waits for a retry, or stands before it. So those that are
//!   taken, on this answer, precede those that stay, and what was sent before them has its fate.
//! - **Never to wait.** What is taken goes on the very answer for which it was taken: the NIC has had it long enough, and there is room for it behind all that
//!   is held. So no code waits while a native frame of its flow stands in the queue, and none is lost when such a frame drops the codes that were before it
//!   ([`on_all_sequenced`](Driver::on_all_sequenced)): whether they have arrived or not, that frame says more.
//! - **What the peer received but has not passed on**, in its reorder buffer behind a hole, it passes on before the codes: see `receiver::order`. That holds for every
//!   code, taken back or not.
//! - **The reference.** It is the last native ACK that was delivered, or the last code that was on an answer since. Codes that were held and on no answer are void when their
//!   ACKs are queued natively after all; nobody has seen them, so that the context goes back to where it was before the first of them
//!   ([`Flow::before_unsent`](super::flow::Flow)), and the next codes bear their MSNs. It does so only where that is known: an answer that takes some of them along and not all voids
//!   what was noted, and then it closes, as it always does in the paper's way. A native frame that goes on the air replaces the reference once it is delivered, as ever.
//! - **A second copy**, which the guard timer queues of an ACK that was on an answer, is no candidate: as a code it would be one that the peer has already. It stands in
//!   the way of those behind it until it has its fate.
//!
//! Each attempt makes progress: what is taken is on the air in that instant, so that no ACK goes back and forth.

use std::collections::VecDeque;

use ackless_dot11::frame::FrameHandle;
use ackless_rohc::hack::Code;

use super::Driver;
use super::flow::{Candidate, Held};
use crate::hack::env::Env;
use crate::hack::nic::{FlowPlace, run_overhead};
use crate::testing::steps;

/// Flows with candidates, each once, in the order in which their turn comes.
#[derive(Debug, Default)]
pub(super) struct Nominees {
    turns: VecDeque<FlowPlace>,
    /// Whether the flow at a place is among them.
    listed: Vec<bool>,
}

impl Nominees {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    fn len(&self) -> usize {
        self.turns.len()
    }

    /// Adds a flow behind the others, unless it is among them.
    fn add(&mut self, place: FlowPlace) {
        if self.listed.len() <= place.index() {
            self.listed.resize(place.index() + 1, false);
        }
        if !std::mem::replace(&mut self.listed[place.index()], true) {
            self.turns.push_back(place);
        }
    }

    fn take_first(&mut self) -> Option<FlowPlace> {
        steps::count(1);
        let first = self.turns.pop_front()?;
        self.listed[first.index()] = false;
        Some(first)
    }
}

impl Driver {
    /// An ACK was queued natively that may be taken back.
    pub(super) fn nominate(&mut self, place: FlowPlace, candidate: Candidate) {
        self.candidates.add(place);
        self.flows[place].candidates.push_back(candidate);
    }

    /// Takes natively queued ACKs back that can go on this answer instead, as long as all fits. Of
    /// more than [`LOOKED_AT`] flows the others have their turn on the next answers.
    pub(super) fn withdraw_candidates(&mut self, env: &mut Env<'_, '_>, limit: usize) {
        let (mut room, takes_back) = (None, env.takes_back_now());
        for _ in 0..self.candidates.len().min(LOOKED_AT) {
            let Some(place) = self.candidates.take_first() else { return };
            // A flow without candidates may have been forgotten since.
            if self.flows.get(place).is_none_or(|flow| flow.candidates.is_empty()) {
                continue;
            }
            self.candidates.add(place);
            if !takes_back {
                continue;
            }
            let room = room.get_or_insert_with(|| limit.saturating_sub(self.nic.size(env.config.codec)));
            while self.withdraw_first(env, place, room) {}
        }
    }

    /// A native frame of a flow is no candidate any more.
    pub(super) fn dismiss(&mut self, place: FlowPlace, handle: FrameHandle) {
        let candidates = &mut self.flows[place].candidates;
        if candidates.pop_front_if(|candidate| candidate.handle == handle).is_none() {
            candidates.retain(|candidate| candidate.handle != handle);
        }
    }

    /// An ACK of this flow is about to be compressed: notes the context as it is before that (`before_unsent`), if all codes so far were on an answer.
    pub(super) fn note_context(&mut self, env: &Env<'_, '_>, place: FlowPlace) {
        if env.config.take_back && self.nic.first_unsent(place).is_none() {
            self.flows[place].before_unsent = self.flows[place].state.clone();
        }
    }

    /// Takes the first candidate of a flow back, if it can be. Says whether the next one may be tried.
    fn withdraw_first(&mut self, env: &mut Env<'_, '_>, place: FlowPlace, room: &mut usize) -> bool {
        let flow = &self.flows[place];
        let Some(&Candidate { handle, ack, options, since }) = flow.candidates.front() else { return false };
        let in_the_way = flow.outstanding.saturating_sub(flow.candidates.len() as u32);
        if let Some(obstacle) = self.obstacle(env, place, in_the_way) {
            *obstacle.counter(env) += 1;
            return false;
        }
        let ready = since + env.config.driver_to_nic;
        if ready > env.cx.now {
            env.counters.not_ready += 1;
            return false;
        }
        self.note_context(env, place);
        let before = self.flows[place].state.clone();
        let mut code = Code::default();
        if !self.flows[place].state.compress(ack.by_ref(), &mut code) {
            env.counters.refused += 1;
            return false;
        }
        let needs = code.bytes().len() + if self.nic.held(place) == 0 { run_overhead(env.config.codec) } else { 0 };
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
        self.flows.on_settled(place, true);
        let flow = &mut self.flows[place];
        flow.candidates.pop_front();
        env.counters.withdrawn += 1;
        let (cid, held) = (flow.cid, Held { packet, options, since: env.cx.now });
        self.nic.post(place, cid, ready, held, |posted| {
            *posted = code;
            true
        });
        self.note_held(env, place, u64::from(code.msn() == env.config.codec.max_msn()));
        true
    }
}

/// So many flows are looked at for an answer: as many as there are context identifiers, so that no
/// more could have one.
const LOOKED_AT: usize = 256;

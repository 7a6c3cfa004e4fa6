//! What follows from the peer's PPDUs: confirmation of what was appended, the next answer, and the timers for PPDUs
//! that do not come.
//!
//! What confirms an answer (paper, 3.4):
//! - a BlockAck: any later data PPDU, new or repeated; a peer without the BlockAck sends a BlockAck Request (figure
//!   5a), which is ambiguous, so that all is appended again (figure 6);
//! - an Ack: an MPDU with a greater sequence number of the same TID, modulo 4096, or one of another TID; the same one
//!   again means that the Ack was lost (figure 5b);
//! - neither, while the data bears SYNC (figure 8).
//!
//! Where in doubt, what was appended is kept and appended again, which is always safe: the peer discards what it has.
//! Only what was on the *last* answer is confirmed; with [`Fit::WithinAifs`] that may be less than was on an earlier
//! one.

use ackless_dot11::frame::{AckPolicy, Answer, HeaderBits, Mpdu};
use ackless_dot11::hooks::{AnswerDue, AnswerKind, ArrivalKind, appended_within};
use ackless_rohc::hack::Frame;
use ackless_wire::{Duration, Instant};

use super::{Answered, Arriving, Candidate, Driver, Held, Promise};
use crate::hack::config::{Fit, Policy};
use crate::hack::env::Env;
use crate::hack::nic::RUN_OVERHEAD;

impl Driver {
    /// A PPDU of the peer came. What a data PPDU says is taken up with its first MPDU, which tells whether it was for a
    /// group.
    pub(in crate::hack) fn on_ppdu_in(&mut self, env: &mut Env<'_, '_>, kind: ArrivalKind, bits: HeaderBits) {
        self.arrival = match kind {
            ArrivalKind::BlockAckReq => {
                self.heard = env.cx.now;
                env.counters.block_ack_lost += u64::from(self.nic.awaits_confirmation());
                None
            }
            ArrivalKind::Single(_) | ArrivalKind::Aggregate(_) => Some(Arriving { bits, begun: false, last: None }),
        };
    }

    /// An intact MPDU of the peer came, with a PPDU that [`Self::on_ppdu_in`] was told of.
    pub(in crate::hack) fn on_mpdu(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        if mpdu.receiver.is_group() {
            return;
        }
        let Some(arrival) = &mut self.arrival else { return };
        let (bits, first) = (arrival.bits, !arrival.begun);
        arrival.begun = true;
        if mpdu.ack_policy == AckPolicy::Normal {
            arrival.last = Some((mpdu.tid(), mpdu.seq));
        }
        if first {
            self.heard = env.cx.now;
            self.promise = if bits.more_data { Promise::MoreData } else { Promise::None };
            env.counters.sync_kept += u64::from(bits.sync && self.nic.awaits_confirmation());
        }
        if bits.sync {
            return;
        }
        let arrived = match self.answered {
            Answered::Nothing => false,
            Answered::Block => true,
            Answered::Single(tid, seq) => {
                let same = tid == mpdu.tid() && seq == mpdu.seq;
                env.counters.ack_lost += u64::from(same && self.nic.awaits_confirmation());
                !same && (tid != mpdu.tid() || seq.before(mpdu.seq))
            }
        };
        if arrived {
            self.confirm(env);
        }
    }

    /// SIFS is over: what is held goes on the answer.
    pub(in crate::hack) fn on_answer_due(&mut self, env: &mut Env<'_, '_>, due: &AnswerDue, answer: &mut Answer) {
        let single = self.arrival.take().and_then(|arrival| arrival.last);
        if !self.nic.is_empty() || !self.candidates.is_empty() {
            let limit = match env.config.fit {
                Fit::Whole => Frame::MAX_LEN,
                Fit::WithinAifs => appended_within(env.config.aifs, due.rate, due.len).get() as usize,
            };
            self.withdraw_candidates(env, limit);
            if self.flows.any_shared() {
                self.release_disowned(env);
            }
            self.append(env, due, answer, limit);
        }
        self.answered = match (due.kind, single) {
            (AnswerKind::Ack, Some((tid, seq))) => Answered::Single(tid, seq),
            _ => Answered::Block,
        };
        self.answered_at = env.cx.now;
        if env.config.policy == Policy::MoreData && self.promise == Promise::None {
            // Nothing was promised after this: what was not on this answer goes natively (3.3.1).
            self.requeue_all(env);
        }
    }

    /// The time of a deadline may have come. Returns the next one.
    pub(in crate::hack) fn on_timer(&mut self, env: &mut Env<'_, '_>) -> Option<Instant> {
        if let Policy::ExplicitTimer(timer) = env.config.policy {
            self.end_explicit_timers(env, timer);
        }
        if self.guard_deadline(env).is_some_and(|at| at <= env.cx.now) {
            self.give_up_waiting(env);
        }
        let explicit = match env.config.policy {
            Policy::ExplicitTimer(timer) => self.oldest_unsent().map(|since| since.saturating_add(timer)),
            Policy::MoreData | Policy::Opportunistic => None,
        };
        [explicit, self.guard_deadline(env)].into_iter().flatten().min()
    }

    fn append(&mut self, env: &mut Env<'_, '_>, due: &AnswerDue, answer: &mut Answer, limit: usize) {
        let (now, flows) = (env.cx.now, &mut self.flows);
        let each = |flow| flows[flow].last_possible = Some(now);
        let appended = self.nic.append(now, limit, &mut answer.appended, each);
        if answer.appended.is_empty() {
            env.counters.not_ready += u64::from(appended.not_ready);
            if let Some(flow) = appended.stuck.filter(|&flow| self.flows[flow].outstanding == 0) {
                // No later answer at this rate has more room.
                env.counters.too_long += 1;
                self.rescue(env, flow);
            }
            return;
        }
        let bytes = ackless_wire::Bytes(answer.appended.len() as u64);
        env.counters.compressed_acks += appended.new;
        env.counters.appended_new_bytes += appended.new_bytes;
        env.counters.appended_bytes += bytes.get();
        env.counters.appended_answers += 1;
        let longer = due.rate.duration(due.len + bytes).saturating_sub(due.rate.duration(due.len));
        env.counters.answers_within_aifs += u64::from(longer <= env.config.aifs);
    }

    /// The last answer is known to have arrived.
    fn confirm(&mut self, env: &mut Env<'_, '_>) {
        self.answered = Answered::Nothing;
        let (flows, pool, sent) = (&mut self.flows, &mut *env.cx.pool, self.answered_at);
        let mut any = false;
        self.nic.confirm(|flow, gone| {
            let flow = &mut flows[flow];
            flow.held.drain(..gone).for_each(|held| pool.release(held.packet));
            flow.confirmed(sent);
            any = true;
        });
        env.counters.confirmed += u64::from(any);
    }

    /// Queues all that was on no answer natively.
    fn requeue_all(&mut self, env: &mut Env<'_, '_>) {
        let mut n = 0;
        while let Some(&flow) = self.nic.active().get(n) {
            self.requeue_unsent(env, flow);
            // A chain of which nothing is left is no longer among the active ones.
            n += usize::from(self.nic.active().get(n) == Some(&flow));
        }
    }

    /// A flow that shares its identifier and has not been heard for so long that another may have taken it over can
    /// append nothing any more.
    fn release_disowned(&mut self, env: &mut Env<'_, '_>) {
        let mut n = 0;
        while let Some(&flow) = self.nic.active().get(n) {
            if self.flows.owns(flow, env.cx.now) {
                n += 1;
                continue;
            }
            env.counters.cid_collision += 1;
            self.rescue(env, flow);
            self.nic.recall(flow);
            let pool = &mut *env.cx.pool;
            self.flows[flow].held.drain(..).for_each(|held| pool.release(held.packet));
            self.flows[flow].compressor.invalidate();
        }
    }

    /// Sends natively what the peer may not have of a flow: what was on no answer, or else the last ACK, which
    /// acknowledges all that was before it and may arrive twice.
    fn rescue(&mut self, env: &mut Env<'_, '_>, flow: u16) {
        if self.requeue_unsent(env, flow) > 0 {
            return;
        }
        if let Some(&Held { packet, options, .. }) = self.flows[flow].held.back() {
            env.cx.pool.retain(packet);
            env.counters.rescued += 1;
            self.queue(env, flow, packet, &options, true);
        }
    }

    /// An ACK was queued natively that may be taken back.
    pub(super) fn nominate(&mut self, flow: u16, candidate: Candidate) {
        if !self.candidates.contains(&flow) {
            self.candidates.push(flow);
        }
        self.flows[flow].candidates.push_back(candidate);
    }

    /// Takes natively queued ACKs back that can go on this answer instead, as long as all fits.
    fn withdraw_candidates(&mut self, env: &mut Env<'_, '_>, limit: usize) {
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
        let before = self.flows[place].compressor.clone();
        let Some(code) = self.flows[place].compress(&ack) else {
            env.counters.refused += 1;
            return false;
        };
        let needs = code.bytes().len() + if self.nic.held(place) == 0 { RUN_OVERHEAD } else { 0 };
        if needs > *room {
            self.flows[place].compressor = before;
            return false;
        }
        let Ok(packet) = env.cx.withdraw(handle) else {
            self.flows[place].compressor = before;
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

    /// Since when the oldest ACK is held that was on no answer.
    fn oldest_unsent(&self) -> Option<Instant> {
        let first = |&flow: &u16| self.flows[flow].held.get(self.nic.sent(flow)).map(|held| held.since);
        self.nic.active().iter().filter_map(first).min()
    }

    fn end_explicit_timers(&mut self, env: &mut Env<'_, '_>, timer: Duration) {
        let mut n = 0;
        while let Some(&flow) = self.nic.active().get(n) {
            let first = self.flows[flow].held.get(self.nic.sent(flow));
            if first.is_some_and(|held| held.since.saturating_add(timer) <= env.cx.now) {
                env.counters.timer_fired += 1;
                self.requeue_unsent(env, flow);
            }
            n += usize::from(self.nic.active().get(n) == Some(&flow));
        }
    }

    /// When what is held has waited long enough: nothing came for the guard time, or nothing that confirmed it for
    /// twice that. Flows whose native frame is already queued wait for that frame's fate.
    fn guard_deadline(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let waits = |flow: &&u16| self.flows[**flow].outstanding == 0;
        let since = |&flow: &u16| self.flows[flow].held.front().map(|held| held.since);
        let oldest = self.nic.active().iter().filter(waits).filter_map(since).min()?;
        let guard = env.config.guard;
        Some(self.heard.max(oldest).saturating_add(guard).min(oldest.saturating_add(guard.saturating_mul(2))))
    }

    /// The guard timer: the promise is void, and each flow sends natively what the peer may not have.
    fn give_up_waiting(&mut self, env: &mut Env<'_, '_>) {
        env.counters.guard_fired += 1;
        self.promise = Promise::None;
        let mut n = 0;
        while let Some(&flow) = self.nic.active().get(n) {
            if self.flows[flow].outstanding == 0 {
                self.rescue(env, flow);
            }
            n += usize::from(self.nic.active().get(n) == Some(&flow));
        }
    }
}

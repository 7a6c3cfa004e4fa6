//! What follows from the peer's PPDUs: confirmation of what was appended, and the next answer.
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

use super::flow::FlowState;
use super::{Answered, Arriving, Driver, Promise};
use crate::hack::config::Fit;
use crate::hack::env::Env;
use crate::hack::mic;
use crate::hack::nic::Appended;

impl Driver {
    /// A PPDU of the peer came. What a data PPDU says is taken up with its first MPDU, which tells whether it was for a
    /// group.
    pub(in crate::hack) fn on_ppdu_in(&mut self, env: &mut Env<'_, '_>, kind: ArrivalKind, bits: HeaderBits) {
        self.arrival = match kind {
            ArrivalKind::BlockAckReq => {
                self.last_ppdu = env.cx.now;
                env.counters.block_ack_lost += u64::from(self.nic.awaits_confirmation());
                None
            }
            ArrivalKind::Single(_) => Some(Arriving { bits, mpdus: 1, begun: false, last: None }),
            ArrivalKind::Aggregate(mpdus) => Some(Arriving { bits, mpdus, begun: false, last: None }),
        };
    }

    /// Intact MPDUs of the peer came, one behind another, with a PPDU that [`Self::on_ppdu_in`] was told of.
    pub(in crate::hack) fn on_mpdus(&mut self, env: &mut Env<'_, '_>, mpdus: &[Mpdu]) {
        // What an MPDU says by its sequence number it says once.
        let says = |mpdu: &&Mpdu| mpdu.part.begins() && !mpdu.receiver.is_group();
        for mpdu in mpdus.iter().filter(says) {
            self.on_mpdu(env, mpdu);
            if self.arrival.is_none_or(|arrival| arrival.bits.sync) || self.answered == Answered::Nothing {
                // Those behind it have nothing to add, but for the last that asks for an answer.
                break;
            }
        }
        let asks = |mpdu: &&Mpdu| says(mpdu) && mpdu.ack_policy == AckPolicy::Normal;
        if let Some(arrival) = &mut self.arrival
            && let Some(last) = mpdus.iter().rfind(asks)
        {
            arrival.last = Some((last.tid(), last.seq));
        }
    }

    /// An intact MPDU of the peer came.
    fn on_mpdu(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        let Some(arrival) = &mut self.arrival else { return };
        let (bits, mpdus, first) = (arrival.bits, arrival.mpdus, !arrival.begun);
        arrival.begun = true;
        if first {
            self.last_ppdu = env.cx.now;
            self.learn_timing(env, mpdu, bits.more_data);
            self.tail.on_ppdu(env.config.tails, mpdus, self.promise == Promise::MoreData);
            let believed = bits.more_data && self.tail.believes();
            env.counters.disbelieved += u64::from(bits.more_data && !believed);
            let holds = believed && env.holding_pays();
            env.counters.not_worth_holding += u64::from(believed && !holds);
            self.promise = if holds { Promise::MoreData } else { Promise::None };
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
        let mut appended = Appended::default();
        if !self.nic.is_empty() || !self.candidates.is_empty() {
            let limit = match env.config.fit {
                Fit::Whole => Frame::MAX_LEN,
                Fit::WithinAifs => appended_within(env.config.aifs, due.rate, due.len).get() as usize,
            };
            // Count and code under the key go behind the frame.
            let limit = limit.min(Frame::MAX_LEN).saturating_sub(mic::overhead(env.config.mic.as_ref()));
            self.withdraw_candidates(env, limit);
            if self.flows.any_shared() {
                self.release_disowned(env);
            }
            appended = self.append(env, answer, limit);
        }
        self.seal(env, due, answer, &appended);
        self.answered = match (due.kind, single) {
            (AnswerKind::Ack, Some((tid, seq))) => Answered::Single(tid, seq),
            _ => Answered::Block,
        };
        self.answered_at = env.cx.now;
        self.after_answer(env);
    }

    /// Puts on the answer what the NIC has.
    fn append(&mut self, env: &mut Env<'_, '_>, answer: &mut Answer, limit: usize) -> Appended {
        let (now, flows) = (env.cx.now, &mut self.flows);
        let each = |place, new| {
            flows.on_maybe_received(place, now);
            if new {
                // What was noted is behind what the peer has now, where the answer leaves codes behind too.
                flows[place].before_unsent = FlowState::Closed;
            }
        };
        let appended = self.nic.append(env.config.codec, now, limit, &mut answer.appended, each);
        if answer.appended.is_empty() {
            env.counters.not_ready += u64::from(appended.not_ready);
            if let Some(place) = appended.stuck.filter(|&place| self.flows[place].outstanding == 0) {
                // No later answer at this rate has more room.
                env.counters.too_long += 1;
                self.rescue(env, place);
            }
        }
        appended
    }

    /// Ends what is on the answer in a code under a key, where there is one, also if there is nothing; and counts it.
    fn seal(&mut self, env: &mut Env<'_, '_>, due: &AnswerDue, answer: &mut Answer, appended: &Appended) {
        let has_frame = !answer.appended.is_empty();
        if let Some(mic) = &env.config.mic {
            self.sealer.seal(mic, env.cx.node, self.peer, &mut answer.appended);
            env.counters.appended_new_bytes += if appended.new > 0 { mic::overhead(Some(mic)) as u64 } else { 0 };
        }
        let bytes = ackless_wire::Bytes(answer.appended.len() as u64);
        env.counters.appended_bytes += bytes.get();
        if !has_frame {
            return;
        }
        env.counters.compressed_acks += appended.new;
        env.counters.appended_new_bytes += appended.new_bytes;
        env.counters.appended_answers += 1;
        let longer = due.rate.duration(due.len + bytes).saturating_sub(due.rate.duration(due.len));
        env.counters.answers_within_aifs += u64::from(longer <= env.config.aifs);
    }

    /// The last answer is known to have arrived.
    fn confirm(&mut self, env: &mut Env<'_, '_>) {
        self.answered = Answered::Nothing;
        let (flows, pool, sent) = (&mut self.flows, &mut *env.cx.pool, self.answered_at);
        let mut any = false;
        self.nic.confirm(|place, held| {
            pool.release(held.packet);
            flows[place].note_received(sent);
            any = true;
        });
        env.counters.confirmed += u64::from(any);
    }

    /// A flow that shares its identifier and has not been heard for so long that another may have taken it over can
    /// append nothing any more.
    fn release_disowned(&mut self, env: &mut Env<'_, '_>) {
        self.each_active(|driver, place| {
            if driver.flows.owns(place, env.cx.now) {
                return;
            }
            env.counters.cid_collision += 1;
            driver.rescue(env, place);
            driver.nic.recall(place, |held| env.cx.pool.release(held.packet));
            driver.flows[place].state = FlowState::Closed;
        });
    }
}

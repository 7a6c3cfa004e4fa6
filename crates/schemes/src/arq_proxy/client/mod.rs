//! The client: asks in a link-layer answer for the ACK that its own transport has just sent, and takes that one back (section 2).
//!
//! - `flow`: one connection, with which ACKs may be asked for;
//! - `request`: the ACKs that a request replaces, wherever they are, until its answer is known to have arrived;
//! - `answer_fate`: what the peer's next PPDU says about that answer;
//! - `env`: what they share.

use std::collections::VecDeque;

use ackless_dot11::frame::{Ds, FrameHandle, Mpdu, Tag};
use ackless_dot11::hooks::{AnswerDue, AnswerKind, Arrival, ArrivalKind, Emission, SendOptions, Verdict};
use ackless_wire::{Instant, PacketId, SeqNumber, TcpFlags};

use super::Policy;
use super::names::Names;
use super::proxy::is_plain_data;
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::guard::Gaps;
use crate::testing::steps;
use answer_fate::{AnswerFate, AskingAnswer, LastPpdu};
pub(super) use env::Env;
use env::SILENCE;
use flow::Flow;
use request::{NativeAck, Pending};

mod answer_fate;
mod env;
mod flow;
mod request;

/// What concerns one peer that sends data here.
#[derive(Debug, Default)]
pub(super) struct Client {
    names: Names,
    /// By flow of the ACKs.
    flows: FlowTable<Flow>,
    /// Flows that have something to ask for, or to ask for again, in the order in which they came to it.
    ask_queue: VecDeque<FlowKey>,
    /// Flows with a request that was asked, or an ACK that is kept: their time is looked at. At
    /// most [`MAX_FLOWS`].
    timed: Vec<FlowKey>,
    /// What the transport has sent and the MAC has not got yet, with its flow.
    on_way_down: VecDeque<(PacketId, FlowKey)>,
    /// The last answer that bore a request.
    last_asking: Option<AskingAnswer>,
    last_ppdu: LastPpdu,
    /// Whether the peer's last data said that more of it follows; never under [`Policy::Race`].
    promised: bool,
    /// How far apart its PPDUs come while it has more, which its AP says under either policy if the guard is automatic.
    gaps: Gaps,
}

impl Client {
    /// A PPDU came from the peer: a BlockAck Request, or something with MPDUs.
    pub(super) fn on_ppdu_in(&mut self, now: Instant, arrival: &Arrival) {
        let block_ack_req = arrival.kind == ArrivalKind::BlockAckReq;
        if !block_ack_req {
            self.gaps.on_ppdu(now, arrival.bits.more_data);
        }
        self.last_ppdu = LastPpdu { block_ack_req, more_data: arrival.bits.more_data, ..LastPpdu::default() };
    }

    /// An intact MPDU came, perhaps again.
    pub(super) fn on_mpdu(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        let frame = Some((mpdu.tid(), mpdu.seq));
        self.last_ppdu.repeated |= self.last_asking.is_some_and(|asking| asking.frame == frame);
        (self.last_ppdu.frame, self.last_ppdu.retry) = (frame, mpdu.retry);
        if mpdu.receiver != env.cx.node {
            return;
        }
        self.promised = self.last_ppdu.more_data && env.config.policy == Policy::MoreData;
        let unwrapped_seq = self.names.unwrapped_seq(mpdu);
        if mpdu.ds == Ds::ToAp || mpdu.destination != env.cx.node {
            return;
        }
        let packet = env.cx.pool.get(mpdu.packet);
        let (Some(tcp), Some(key)) = (packet.tcp(), FlowKey::of(packet).map(FlowKey::reversed)) else { return };
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            // What the transport here makes of it, its own SYN or RST says (RFC 5961, 3.2 and 4.2).
            return;
        }
        if tcp.is_opaque() {
            if let Some(flow) = self.flow(env, key) {
                flow.opaque.note(tcp);
            }
            return;
        }
        if !is_plain_data(packet, tcp) {
            if tcp.flags.contains(TcpFlags::FIN)
                && let Some(flow) = self.flows.get_mut(key)
            {
                flow.closing = true;
            }
            return;
        }
        let (by, time) = (env.config.identification, (env.cx.now, env.config.lifetime));
        let flows = &mut self.flows;
        // A stateless proxy keeps every template for its lifetime.
        let is_acked = |flow, end: SeqNumber| {
            let acked = flows.get_mut(flow).filter(|_| !env.config.stateless).and_then(|flow| flow.proxy_acked);
            acked.is_some_and(|acked| !end.after(acked))
        };
        let name = match self.names.add(by, (mpdu, unwrapped_seq), (packet, key), time, is_acked) {
            Ok(name) => name,
            Err(_) => {
                env.counters.hash_collision += 1;
                None
            }
        };
        let end = tcp.seq + packet.payload.len();
        let (now, gaps) = (env.cx.now, self.gaps);
        let Some(flow) = self.flow(env, key) else { return };
        if let Some((_, echo)) = tcp.options.timestamps {
            flow.rtt.on_echo(echo, now, gaps);
        }
        flow.on_data(tcp, end, name);
    }

    /// The transport here has sent a packet that the MAC gets later: its request may leave at once (section 2).
    pub(super) fn on_sent(&mut self, env: &mut Env<'_, '_>, packet: PacketId) {
        if self.examine(env, packet)
            && let Some(key) = FlowKey::of(env.cx.pool.get(packet))
        {
            self.on_way_down.push_back((packet, key));
        }
    }

    /// The MAC gets a packet of the transport here, that will be named `handle`.
    pub(super) fn on_outgoing(
        &mut self,
        env: &mut Env<'_, '_>,
        packet: PacketId,
        handle: FrameHandle,
        options: SendOptions,
    ) -> Verdict {
        if self.flows.is_empty() {
            return Verdict::Pass;
        }
        if let Some(key) = self.take_from_way_down(packet) {
            if let Some(place) = env.unwanted.iter().position(|unwanted| *unwanted == packet) {
                env.unwanted.swap_remove(place);
                return Verdict::Swallow;
            }
            let Some(flow) = self.flows.get_mut(key) else { return Verdict::Pass };
            if let Some(native) = flow.asked.as_mut().and_then(|asked| asked.native.as_mut())
                && native.is_coming(packet)
            {
                *native = NativeAck::Kept(packet, options);
                return Verdict::Hold;
            }
        } else if !self.examine(env, packet) {
            return Verdict::Pass;
        }
        let flow = self.flows.at_hand();
        let Some(pending) = flow.pending.as_mut() else { return Verdict::Pass };
        let any_kept = pending.any_kept;
        match pending.coming(&mut flow.older, packet) {
            Some(native) if any_kept || self.promised => {
                *native = NativeAck::Kept(packet, options);
                pending.any_kept = true;
                env.counters.kept += 1;
                env.wake_at(pending.since + env.config.guard.patience(self.gaps, flow.rtt));
                if !std::mem::replace(&mut flow.timed, true) {
                    self.timed.push(*self.flows.key_at_hand());
                }
                Verdict::Hold
            }
            Some(native) => {
                *native = NativeAck::Queued(handle, options);
                Verdict::Pass
            }
            None if any_kept => {
                // What cannot be asked for stays behind what came before it.
                flow.send_kept_natively(env);
                env.cx.emit(Emission::Queue(packet, options));
                Verdict::Hold
            }
            None => Verdict::Pass,
        }
    }

    /// A native ACK goes on the air: its request, and that for older ones, is cancelled.
    pub(super) fn on_sequenced(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        if !mpdu.tcp_ack || self.ask_queue.is_empty() {
            return;
        }
        let Some(key) = FlowKey::of(env.cx.pool.get(mpdu.packet)) else { return };
        let Some(flow) = self.flows.get_mut(key) else { return };
        let Some(pending) = &mut flow.pending else { return };
        if pending.native.is_some_and(|native| native.is_frame(mpdu.handle)) {
            env.counters.native_first += 1;
            flow.send_kept_natively(env);
            flow.pending = None;
            flow.older.clear();
        } else {
            flow.older.retain(|older| !older.is_frame(mpdu.handle));
        }
    }

    /// The full queue has dropped a frame. What it would have said can still be asked for.
    pub(super) fn on_dropped(&mut self, env: &mut Env<'_, '_>, handle: FrameHandle) {
        for n in 0..self.ask_queue.len() {
            steps::count(1);
            let Some(flow) = self.flows.get_mut(self.ask_queue[n]) else { continue };
            let Some(pending) = &mut flow.pending else { continue };
            flow.older.retain(|older| !older.is_frame(handle));
            if pending.native.take_if(|native| native.is_frame(handle)).is_some() {
                env.counters.native_dropped += 1;
                return;
            }
        }
    }

    /// A native packet has arrived at the peer: it says what window the peer takes over, and what need not be asked for again.
    pub(super) fn on_delivered(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        if self.flows.is_empty() {
            return;
        }
        let packet = env.cx.pool.get(mpdu.packet);
        let Some(tcp) = packet.tcp().filter(|tcp| tcp.flags.contains(TcpFlags::ACK)) else { return };
        let Some(key) = FlowKey::of(packet).filter(|_| !tcp.flags.contains(TcpFlags::SYN)) else { return };
        let Some(flow) = self.flows.get_mut(key).filter(|flow| !flow.opaque.is()) else { return };
        flow.rtt.on_ack(tcp.options.timestamps.map(|(ts_val, _)| ts_val), env.cx.now);
        flow.on_native_delivered(tcp, mpdu.seq);
        let acked = tcp.ack;
        if let Some(asked) = flow.asked.take_if(|asked| !asked.ack.after(acked)) {
            env.counters.confirmed += 1;
            asked.discard_native(env);
        }
    }

    /// An answer leaves: the tag that it shall bear.
    pub(super) fn on_answer_due(&mut self, env: &mut Env<'_, '_>, due: &AnswerDue) -> Option<Tag> {
        self.judge_last_answer(env, due.kind);
        let request = self.next_request(env);
        if env.config.policy == Policy::MoreData && !self.promised {
            self.send_kept_natively(env);
        }
        let (flow, tag) = request?;
        self.last_asking = Some(self.last_ppdu.asking_answer(due.kind, flow, tag));
        Some(tag)
    }

    /// The guard timer of some request may have ended, or that of an ACK that is kept.
    pub(super) fn on_timer(&mut self, env: &mut Env<'_, '_>) {
        let (now, gaps) = (env.cx.now, self.gaps);
        let mut timed = std::mem::take(&mut self.timed);
        // In the order of their keys, whoever began to wait first.
        timed.sort_unstable();
        timed.retain(|key| {
            steps::count(1);
            let Some(flow) = self.flows.get_mut(*key) else { return false };
            let patience = env.config.guard.patience(gaps, flow.rtt);
            if let Some(asked) = flow.asked.take_if(|asked| asked.until <= now) {
                match asked.native {
                    // A later ACK that waits here says all of it.
                    Some(native @ NativeAck::Kept(..))
                        if flow.pending.as_ref().is_some_and(|pending| pending.native.is_some()) =>
                    {
                        native.discard(env);
                    }
                    Some(native @ NativeAck::Kept(..)) => {
                        env.counters.rescued += 1;
                        native.send_natively(env);
                    }
                    // What is still coming goes natively when it has come.
                    _ => {}
                }
            }
            let kept = flow.pending.as_ref().filter(|pending| pending.any_kept);
            let kept_until = kept.map(|pending| pending.since + patience);
            if kept_until.is_some_and(|until| until <= now) {
                // The promise was not kept.
                self.promised = false;
                flow.send_kept_natively(env);
            }
            let asked_until = flow.asked.as_ref().map(|asked| asked.until);
            for until in [asked_until, kept_until].into_iter().flatten().filter(|until| *until > now) {
                env.wake_at(until);
            }
            flow.timed = flow.asked.is_some() || flow.pending.as_ref().is_some_and(|pending| pending.any_kept);
            flow.timed
        });
        self.timed = timed;
    }

    /// What the PPDU that is being answered says about the last answer with a request.
    fn judge_last_answer(&mut self, env: &mut Env<'_, '_>, answer: AnswerKind) {
        let Some(asking) = self.last_asking.take() else { return };
        match self.last_ppdu.fate(&asking, answer) {
            AnswerFate::Lost => env.counters.answer_lost += 1,
            AnswerFate::Unsure => env.counters.unsure += 1,
            AnswerFate::Arrived => self.confirm(env, &asking),
        }
    }

    /// The last answer with a request is known to have arrived.
    fn confirm(&mut self, env: &mut Env<'_, '_>, asking: &AskingAnswer) {
        let Some(flow) = self.flows.get_mut(asking.flow) else { return };
        if let Some(asked) = flow.asked.take_if(|asked| asked.name.tag == asking.tag) {
            env.counters.confirmed += 1;
            flow.proxy_acked = Some(flow.proxy_acked.map_or(asked.ack, |acked| acked.max(asked.ack)));
            asked.discard_native(env);
        }
        // The next flow has its turn.
        if self.ask_queue.pop_front_if(|first| *first == asking.flow).is_some() {
            flow.in_ask_queue = flow.pending.is_some();
            self.ask_queue.extend(flow.in_ask_queue.then_some(asking.flow));
        }
    }

    /// The first request in line, with the native ACKs that it replaces taken back.
    fn next_request(&mut self, env: &mut Env<'_, '_>) -> Option<(FlowKey, Tag)> {
        let (by, now, lifetime) = (env.config.identification, env.cx.now, env.config.lifetime);
        while let Some(&key) = self.ask_queue.front() {
            if let Some(flow) = self.flows.get_mut(key) {
                let patience = env.config.guard.patience(self.gaps, flow.rtt);
                if let Some(pending) = flow.pending.take() {
                    if !self.names.holds(by, &pending.name, now, lifetime) {
                        env.counters.outdated += 1;
                        pending.send_natively(&mut flow.older, env);
                    } else if let Some(asked) = pending.ask(&mut flow.older, env, patience) {
                        let tag = asked.name.tag;
                        if let Some(before) = flow.asked.replace(asked) {
                            before.discard_native(env);
                        }
                        if !std::mem::replace(&mut flow.timed, true) {
                            self.timed.push(key);
                        }
                        return Some((key, tag));
                    }
                    continue;
                }
                if let Some(asked) = &mut flow.asked
                    && self.names.holds(by, &asked.name, now, lifetime)
                {
                    env.counters.repeated += 1;
                    asked.until = now + patience;
                    return Some((key, asked.name.tag));
                }
                flow.in_ask_queue = false;
            }
            self.ask_queue.pop_front();
        }
        None
    }

    /// What is kept and was on no answer goes natively.
    fn send_kept_natively(&mut self, env: &mut Env<'_, '_>) {
        for n in 0..self.ask_queue.len() {
            if let Some(flow) = self.flows.get_mut(self.ask_queue[n]) {
                flow.send_kept_natively(env);
            }
        }
    }

    /// What the transport sends is looked at once. Returns whether its flow is known, which is at hand then: if the packet may be asked for, it is now
    /// pending.
    fn examine(&mut self, env: &mut Env<'_, '_>, packet: PacketId) -> bool {
        if self.flows.is_empty() {
            return false;
        }
        let content = env.cx.pool.get(packet);
        let (Some(tcp), Some(key)) = (content.tcp(), FlowKey::of(content)) else { return false };
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            self.restart(env, key);
            return false;
        }
        let pure = content.pure_ack().is_some();
        let Some(flow) = self.flows.get_used(key) else { return false };
        let pure = !flow.opaque.note(tcp) && pure;
        flow.closing |= tcp.flags.contains(TcpFlags::FIN);
        let (verdict, ack) = (flow.may_ask(env, tcp, pure), tcp.ack);
        flow.on_ack(ack, env.cx.now);
        match verdict {
            Err(native) => native.count(env.counters),
            Ok(name) => {
                let before = flow.pending.take();
                let (since, any_kept) =
                    before.as_ref().map_or((env.cx.now, false), |before| (before.since, before.any_kept));
                flow.older.extend(before.and_then(|before| before.native));
                flow.pending = Some(Pending { name, ack, native: Some(NativeAck::Coming(packet)), any_kept, since });
                if !flow.in_ask_queue {
                    flow.in_ask_queue = true;
                    self.ask_queue.push_back(key);
                }
            }
        }
        true
    }

    /// The flow of a packet that was looked at when it was sent.
    fn take_from_way_down(&mut self, packet: PacketId) -> Option<FlowKey> {
        self.on_way_down.pop_front_if(|(sent, _)| *sent == packet).map(|(_, key)| key)
    }

    /// A connection begins or ends, by the word of the transport here.
    fn restart(&mut self, env: &mut Env<'_, '_>, key: FlowKey) {
        if let Some(flow) = self.flows.get_mut(key) {
            let before = std::mem::replace(flow, Flow::new(env.cx.now));
            (flow.in_ask_queue, flow.timed) = (before.in_ask_queue, before.timed);
            before
                .older
                .into_iter()
                .chain(before.pending.and_then(|pending| pending.native))
                .for_each(|native| native.discard(env));
            if let Some(asked) = before.asked {
                asked.discard_native(env);
            }
        }
    }

    /// The flow with this key, made where it is new; `None` where there are too many.
    #[inline]
    fn flow(&mut self, env: &Env<'_, '_>, key: FlowKey) -> Option<&mut Flow> {
        if self.flows.has_at_hand(key) { self.flows.value_at_hand() } else { self.find_flow(env, key) }
    }

    #[inline(never)]
    fn find_flow(&mut self, env: &Env<'_, '_>, key: FlowKey) -> Option<&mut Flow> {
        if self.flows.get_mut(key).is_none() {
            // At most eight are looked at for each that comes, so that none costs much.
            for _ in 0..8 {
                let silent = |flow: &Flow| env.cx.now.saturating_since(flow.last_used) > SILENCE;
                let full = self.flows.len() >= MAX_FLOWS;
                let Some((key, flow)) = self.flows.quietest().filter(|(_, flow)| full && silent(flow)) else { break };
                if flow.asked.is_some() || flow.in_ask_queue {
                    self.flows.touch();
                } else {
                    self.flows.remove(key);
                }
            }
            if self.flows.len() < MAX_FLOWS {
                self.flows.insert(key, Flow::new(env.cx.now));
            }
        }
        self.flows.get_mut(key)
    }
}

/// With so many connections, those that are silent are forgotten; where none is, a further one is acknowledged natively.
const MAX_FLOWS: usize = 512;

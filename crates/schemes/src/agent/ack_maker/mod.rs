//! The AP's half: it makes ACKs in its clients' place.
//!
//! - `under_way`: data frames on their way to clients, until their fate counts;
//! - `flow`: what is known of one client's TCP, which ACK is due in its name, and which of its own go on.
//!
//! MAC ACKs count in the order of the sequence numbers, in which the client's MAC hands data up: what was acknowledged behind a frame that will be sent again
//! waits for that one's fate.

mod flow;
mod under_way;

use std::collections::VecDeque;

use ackless_dot11::frame::{Mpdu, NodeId};
use ackless_dot11::hooks::{Context, Emission, Verdict};
use ackless_wire::tcp::Checksum;
use ackless_wire::{Duration, Instant, Packet, PacketId, TcpFlags, TcpHeader};

use super::config::Room;
use super::counters::AgentCounters;
use super::{data_of, ends_here};
use crate::connection::WindowScale;
use crate::flow_key::{FlowKey, FlowTable};
use crate::made_ack::{ClientFacts, Data};
use flow::{Flow, Ruling, WhyPass, answered_by, lifted};
use under_way::{Fate, Frame, UnderWay};

/// The flows whose data this node forwards to capable clients.
#[derive(Debug)]
pub(super) struct AckMaker {
    room: Room,
    flows: FlowTable<Flow>,
    under_way: UnderWay,
    /// SYNs that went up, of flows that are not known yet: whether the one who sent it is a client of this node will be seen from what goes down.
    syns: VecDeque<(FlowKey, WindowScale)>,
    /// Whose last answer had the flag ON.
    flagged: Option<NodeId>,
    /// When idle flows were last looked for.
    swept: Instant,
}

impl AckMaker {
    pub(super) const fn new(room: Room) -> Self {
        Self {
            room,
            flows: FlowTable::new(),
            under_way: UnderWay::new(),
            syns: VecDeque::new(),
            flagged: None,
            swept: Instant::ZERO,
        }
    }

    /// Whether it speaks for nobody, as a station's.
    #[inline]
    pub(super) fn knows_no_flow(&self) -> bool {
        self.flows.is_empty()
    }

    /// A packet is handed down for a client that this node is the last hop to: its flow is known from here on. A SYN or RST of the server's ends nothing: what the client's TCP makes of
    /// it, its own SYN or RST says (RFC 5961, 3.2 and 4.2), and its own half of the agent believes no other either.
    #[inline]
    pub(super) fn on_outgoing(&mut self, cx: &Context<'_>, counters: &mut AgentCounters, packet: PacketId, to: NodeId) {
        let content = cx.pool.get(packet);
        let (Some(key), Some(tcp)) = (FlowKey::of(content), content.tcp()) else { return };
        let key = key.reversed();
        if let Some((_, end)) = data_of(content)
            && let Some(flow) = self.flows.get_mut(key).filter(|flow| flow.client == to)
        {
            flow.last_heard = cx.now;
            flow.doubted |= flow.told_ack.is_some_and(|told_ack| !end.after(told_ack));
            return;
        }
        self.on_other_outgoing(cx, counters, (content, tcp), (key, to));
    }

    /// What begins a flow, or moves it to another client, or is no data.
    #[inline(never)]
    fn on_other_outgoing(
        &mut self,
        cx: &Context<'_>,
        counters: &mut AgentCounters,
        (content, tcp): (&Packet, &TcpHeader),
        (key, to): (FlowKey, NodeId),
    ) {
        // The first byte of data follows the SYN (RFC 9293, 3.4).
        let first = tcp.flags.contains(TcpFlags::SYN).then(|| tcp.seq + 1);
        let data = data_of(content);
        if let Some(flow) = self.flows.get_mut(key) {
            if flow.client != to {
                counters.resets += 1;
                *flow = Flow::new(to, cx.now);
                self.under_way.end(key);
            }
            flow.last_heard = cx.now;
            flow.doubted |= data.is_some_and(|(_, end)| flow.told_ack.is_some_and(|told_ack| !end.after(told_ack)));
        } else if cx.peer(to).capable && (first.is_some() || data.is_some() || tcp.is_opaque()) {
            self.make_room(cx.now, counters);
            let syn = self.syns.iter().rposition(|(other, _)| *other == key).and_then(|place| self.syns.remove(place));
            let scale = syn.map_or(WindowScale::Unknown, |(_, scale)| scale);
            let mut flow = Flow::new(to, cx.now);
            flow.scale = scale;
            self.flows.insert(key, flow);
        } else {
            return;
        }
        let flow = self.flows.at_hand();
        if data.is_none() && !flow.opaque.is() && flow.opaque.note(tcp) {
            self.under_way.end(key);
        }
        if let Some(first) = first {
            flow.scale.answered(tcp);
            if flow.inflow.may_ack_to().is_none() {
                flow.begin(first);
            }
        }
    }

    /// The answer of a client came; what becomes of its MPDUs is told next.
    pub(super) fn on_answer(&mut self, from: NodeId, flagged: bool) {
        self.flagged = flagged.then_some(from);
    }

    /// No answer came.
    pub(super) fn on_answer_missing(&mut self) {
        self.flagged = None;
    }

    /// A frame got its sequence number.
    #[inline]
    pub(super) fn on_sequenced(&mut self, cx: &Context<'_>, mpdu: &Mpdu) {
        let content = cx.pool.get(mpdu.packet);
        let (Some((tcp, _)), Some(key)) = (data_of(content), FlowKey::of(content)) else { return };
        let key = key.reversed();
        let ours = |flow: &&mut Flow| flow.client == mpdu.receiver && ends_here(mpdu) && !flow.opaque.is();
        if self.flows.get_mut(key).filter(ours).is_none() {
            return;
        }
        let data = Data::of(tcp, content.payload.len());
        let frame = Frame { handle: mpdu.handle, key, data, above_hole: false, over: false, fate: None };
        self.under_way.push(mpdu.receiver, frame);
    }

    /// A MAC ACK came for an MPDU. `by_flag`: whether the flag decides what the agent may say.
    pub(super) fn on_delivered(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        mpdu: &Mpdu,
        by_flag: bool,
    ) {
        self.settle(cx, counters, mpdu, Fate::Delivered, by_flag);
    }

    /// The MAC gave an MPDU up: it is a hole.
    pub(super) fn on_given_up(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        mpdu: &Mpdu,
        by_flag: bool,
    ) {
        self.settle(cx, counters, mpdu, Fate::GivenUp, by_flag);
    }

    /// A frame has its fate: it and those behind it that have theirs count now.
    fn settle(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters, mpdu: &Mpdu, fate: Fate, by_flag: bool) {
        let client = mpdu.receiver;
        let Some(frames) = self.under_way.to(client) else { return };
        if !by_flag && frames.front().is_some_and(|first| first.handle == mpdu.handle) {
            // As nearly all get theirs.
            if let Some(frame) = frames.front() {
                count_in(&mut self.flows, cx, counters, (client, frame, fate), Says::InOrder);
            }
            frames.pop_front();
        } else if let Some(place) = frames.iter().position(|frame| frame.handle == mpdu.handle) {
            if by_flag {
                // The flag speaks for what its answer acknowledges, whatever is still missing before it.
                let silent = self.flagged != Some(client);
                if let Some(frame) = frames.remove(place) {
                    count_in(&mut self.flows, cx, counters, (client, &frame, fate), Says::by_flag(silent));
                }
                return;
            }
            frames[place].fate = Some(fate);
        }
        while let Some(frame) = frames.front()
            && let Some(fate) = frame.fate
        {
            count_in(&mut self.flows, cx, counters, (client, frame, fate), Says::InOrder);
            frames.pop_front();
        }
    }

    /// A packet from a client is on its way up.
    pub(super) fn on_upward(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        packet: PacketId,
        from: NodeId,
        by_flag: bool,
    ) -> Verdict {
        if self.knows_no_flow() && !begins(cx.pool.get(packet)) {
            return Verdict::Pass;
        }
        let content = cx.pool.get(packet);
        let (Some(key), Some(&tcp)) = (FlowKey::of(content), content.tcp()) else { return Verdict::Pass };
        if tcp.flags.contains(TcpFlags::SYN) && self.flows.get_mut(key).is_none() {
            self.syns.push_back((key, WindowScale::of(&tcp)));
            if self.syns.len() > MAX_SYNS {
                self.syns.pop_front();
            }
            return Verdict::Pass;
        }
        let Some(flow) = self.flows.get_mut(key).filter(|flow| flow.client == from) else { return Verdict::Pass };
        flow.last_heard = cx.now;
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            counters.resets += 1;
            let before = flow.scale;
            *flow = Flow::opened(from, &tcp, cx.now);
            // A RST may be about a stray segment of an earlier connection, and end nothing.
            flow.scale = if tcp.flags.contains(TcpFlags::SYN) { before.updated_by(&tcp) } else { before };
            self.under_way.end(key);
            return Verdict::Pass;
        }
        if flow.opaque.is() {
            return Verdict::Pass;
        }
        if flow.opaque.note(&tcp) {
            self.under_way.end(key);
            return Verdict::Pass;
        }
        let facts = ClientFacts::of(content).filter(|_| tcp.checksum == Checksum::Correct);
        let Some(facts) = facts else { return Verdict::Pass };
        if flow.data_start.is_some_and(|first| tcp.ack.before(first)) {
            // It is of an earlier connection. The agent never acknowledges a SYN.
            return Verdict::Pass;
        }
        flow.data_start = None;
        let pure = content.pure_ack().is_some();
        let rcv_nxt = flow.inflow.rcv_nxt();
        if !by_flag && rcv_nxt.is_none_or(|rcv_nxt| tcp.ack.after(rcv_nxt)) {
            self.under_way.close_hole(key, rcv_nxt);
        }
        let first = flow.learn(counters, facts, &tcp, by_flag);
        if self.room == Room::Promise {
            flow.learn_edge(&tcp);
        }
        if !pure {
            // What the agent may now say goes ahead, so that nothing older follows it but this packet, whose data counts whatever it acknowledges.
            if let Some(ack) = flow.next_ack(&answered_by(&tcp), cx.pool) {
                counters.made += 1;
                cx.emit(Emission::Onward(ack, from));
            }
            return Verdict::Pass;
        }
        match flow.rule(&tcp, first) {
            Ruling::Pass(why) => {
                counters.duplicates_passed += u64::from(why == WhyPass::Duplicate);
                counters.doubted += u64::from(why == WhyPass::Doubted);
                Verdict::Pass
            }
            Ruling::Stale => {
                counters.stale += 1;
                Verdict::Swallow
            }
            // Written anew it would not be what it was. As it is, the server knows its number already.
            Ruling::Lift(_) if !tcp.omitted.is_empty() => Verdict::Pass,
            Ruling::Lift(to) => {
                counters.lifted += 1;
                let lifted = lifted(cx.pool.get(packet), to, flow.window_at(to).unwrap_or(tcp.window));
                Verdict::Replace(cx.pool.insert(lifted))
            }
        }
    }

    /// Forgets flows that nobody has heard of for long, and where there are too many the quietest.
    fn make_room(&mut self, now: Instant, counters: &mut AgentCounters) {
        if now.saturating_since(self.swept) >= IDLE {
            self.flows.retain(|_, flow| now.saturating_since(flow.last_heard) < IDLE);
            self.swept = now;
        }
        if self.flows.len() >= MAX_FLOWS {
            let mut oldest = Instant::FAR_FUTURE;
            self.flows.retain(|_, flow| {
                oldest = oldest.min(flow.last_heard);
                true
            });
            self.flows.retain(|_, flow| flow.last_heard > oldest);
            counters.forgotten += 1;
        }
    }
}

/// What the agent may say when a frame was delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Says {
    /// All that came in order.
    InOrder,
    /// All that is there without a hole.
    All,
    /// Nothing.
    Nothing,
}

impl Says {
    const fn by_flag(silent: bool) -> Self {
        if silent { Self::Nothing } else { Self::All }
    }
}

/// Whether a packet is a SYN.
fn begins(packet: &Packet) -> bool {
    packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::SYN))
}

/// A frame's fate counts, and the agent says what follows from it.
fn count_in(
    flows: &mut FlowTable<Flow>,
    cx: &mut Context<'_>,
    counters: &mut AgentCounters,
    (client, frame, fate): (NodeId, &Frame, Fate),
    says: Says,
) {
    if frame.over {
        return;
    }
    let Some(flow) = flows.get_mut(frame.key).filter(|flow| flow.client == client) else { return };
    let late = says == Says::InOrder && flow.is_late(frame);
    if fate == Fate::GivenUp {
        counters.given_up += 1;
        return;
    }
    if late {
        counters.late += 1;
        return;
    }
    flow.take(counters, frame, says != Says::InOrder);
    if says == Says::Nothing {
        counters.unflagged += 1;
        return;
    }
    flow.vouched = flow.inflow.may_ack_to();
    match flow.next_ack(&frame.data, cx.pool) {
        Some(ack) => {
            counters.made += 1;
            cx.emit(Emission::Onward(ack, client));
        }
        None => {
            counters.without_facts += u64::from(flow.facts.is_none());
            counters.edge_minded += u64::from(flow.facts.is_some() && flow.ackable() != flow.vouched);
        }
    }
}

/// A flow without a packet for so long is forgotten; a station sends an ACK natively long before, see the station's half.
const IDLE: Duration = Duration::from_secs(60);
/// SYNs that are remembered until the answer goes down.
const MAX_SYNS: usize = 64;
/// Flows that are remembered.
const MAX_FLOWS: usize = 4096;

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
use ackless_dot11::hooks::{Context, Emission, Fate, Verdict};
use ackless_wire::tcp::Checksum;
use ackless_wire::{Duration, Instant, Packet, PacketId, TcpFlags, TcpHeader};

use super::config::Room;
use super::counters::AgentCounters;
use super::direction::{data_of, ends_here};
use crate::connection::WindowScale;
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::made_ack::{ClientFacts, DataFacts};
use crate::resets::{Resets, Rsts, for_both, sent_as};
use flow::{Flow, Ruling, WhyPass, answered_by, lifted};
use under_way::{Frame, UnderWay, Way};

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
    resets: Resets,
}

impl AckMaker {
    pub(super) const fn new(room: Room) -> Self {
        Self {
            room,
            flows: FlowTable::new(),
            under_way: UnderWay::new(),
            syns: VecDeque::new(),
            flagged: None,
            resets: Resets::new(),
        }
    }

    /// When a RST goes again.
    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        self.resets.due()
    }

    /// The time that [`Self::poll_timeout`] named may have come.
    pub(super) fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.resets.on_timer(cx);
    }

    /// Whether it speaks for nobody, as a station's.
    #[inline]
    pub(super) fn knows_no_flow(&self) -> bool {
        self.flows.is_empty()
    }

    /// [`Self::on_outgoing`] for data of the flow at hand. False, and no change, for other packets.
    #[inline(always)]
    pub(super) fn hears_at_once(&mut self, now: Instant, content: &Packet, to: NodeId) -> bool {
        let (Some((tcp, end)), Some((key, flow))) = (data_of(content), self.flows.row_at_hand()) else { return false };
        let ours = flow.client == to && key.is_against(content, tcp);
        if ours {
            flow.last_heard = now;
            flow.doubted |= flow.told_ack.is_some_and(|told_ack| !end.after(told_ack));
            self.flows.touch();
        }
        ours
    }

    /// A packet is handed down for a client that this node is the last hop to: its flow is known from here on. A SYN or RST of the server's ends nothing: what the client's TCP makes of
    /// it, its own SYN or RST says (RFC 5961, 3.2 and 4.2), and its own half of the agent believes no other either.
    pub(super) fn on_outgoing(&mut self, cx: &Context<'_>, counters: &mut AgentCounters, packet: PacketId, to: NodeId) {
        let content = cx.pool.get(packet);
        let (Some(key), Some(tcp)) = (FlowKey::of(content), content.tcp()) else { return };
        let key = key.reversed();
        // The first byte of data follows the SYN (RFC 9293, 3.4).
        let first = tcp.flags.contains(TcpFlags::SYN).then(|| tcp.seq + 1);
        let data = data_of(content);
        if let Some(flow) = self.flows.get_mut(key) {
            if flow.client != to {
                counters.resets += 1;
                let before = std::mem::replace(flow, Flow::new(to, cx.now));
                self.under_way.end(before.client, key);
            }
            flow.last_heard = cx.now;
            flow.doubted |= data.is_some_and(|(_, end)| flow.told_ack.is_some_and(|told_ack| !end.after(told_ack)));
            self.flows.touch();
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
            self.under_way.end(to, key);
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

    /// Frames of one PPDU, and so to one receiver, got their sequence numbers.
    pub(super) fn on_all_sequenced(&mut self, cx: &Context<'_>, mpdus: &[Mpdu]) {
        let Some(client) = mpdus.first().map(|first| first.receiver).filter(|_| !self.knows_no_flow()) else { return };
        let Way { frames, options } = self.under_way.entry_of(client);
        for mpdu in mpdus {
            let content = cx.pool.get(mpdu.packet);
            let Some((tcp, _)) = data_of(content).filter(|_| ends_here(mpdu)) else { continue };
            let ours = |flow: &&mut Flow| flow.client == client && !flow.opaque.is();
            if self.flows.get_against(content, tcp).filter(ours).is_none() {
                continue;
            }
            *options = Some(sent_as(mpdu));
            frames.push_back(Frame {
                handle: mpdu.handle,
                key: *self.flows.key_at_hand(),
                data: DataFacts::of(tcp, content.payload.len()),
                above_hole: false,
                over: false,
                fate: None,
            });
        }
    }

    /// What became of frames that were settled at once, and so went to one receiver: MAC ACKs came, or the MAC gave them up, so that they are holes. `by_flag`: whether the flag decides
    /// what the agent may say.
    pub(super) fn on_fates(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        fates: &[(Mpdu, Fate)],
        by_flag: bool,
    ) {
        let Some(client) = fates.first().map(|(first, _)| first.receiver) else { return };
        let Some(frames) = self.under_way.to(client) else { return };
        let mut settled = 0;
        if !by_flag {
            // As nearly all get theirs.
            for (frame, (mpdu, fate)) in frames.iter().zip(fates) {
                if frame.handle != mpdu.handle {
                    break;
                }
                count_in(&mut self.flows, cx, counters, (client, frame, *fate), Says::InOrder);
                settled += 1;
            }
            frames.drain(..settled);
            count_settled(&mut self.flows, frames, cx, counters, client);
        }
        for (mpdu, fate) in &fates[settled..] {
            self.settle(cx, counters, mpdu, *fate, by_flag);
        }
    }

    /// A frame has its fate: it and those behind it that have theirs count now.
    fn settle(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters, mpdu: &Mpdu, fate: Fate, by_flag: bool) {
        let client = mpdu.receiver;
        let Some(frames) = self.under_way.to(client) else { return };
        let Some(place) = frames.iter().position(|frame| frame.handle == mpdu.handle) else { return };
        if by_flag {
            // The flag speaks for what its answer acknowledges, whatever is still missing before it.
            let silent = self.flagged != Some(client);
            if let Some(frame) = frames.remove(place) {
                count_in(&mut self.flows, cx, counters, (client, &frame, fate), Says::by_flag(silent));
            }
            return;
        }
        frames[place].fate = Some(fate);
        count_settled(&mut self.flows, frames, cx, counters, client);
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
        if tcp.flags.contains(TcpFlags::SYN) {
            self.resets.forget(key.reversed());
        }
        if tcp.flags.contains(TcpFlags::SYN) && self.flows.get_mut(key).is_none() {
            self.syns.push_back((key, WindowScale::of(&tcp)));
            if self.syns.len() > MAX_SYNS {
                self.syns.pop_front();
            }
            return Verdict::Pass;
        }
        let Some(flow) = self.flows.get_used(key).filter(|flow| flow.client == from) else { return Verdict::Pass };
        flow.last_heard = cx.now;
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            counters.resets += 1;
            flow.begin_anew(&tcp, cx.now);
            self.under_way.end(from, key);
            return Verdict::Pass;
        }
        if flow.opaque.is() {
            return Verdict::Pass;
        }
        if flow.opaque.note(&tcp) {
            self.under_way.end(from, key);
            return Verdict::Pass;
        }
        match ClientFacts::of(content).filter(|_| tcp.checksum == Checksum::Correct) {
            Some(facts) => self.rule(cx, counters, packet, (key, &tcp, facts), by_flag),
            None => Verdict::Pass,
        }
    }

    /// What becomes of a packet from a client that says something of it: the agent learns that, and says by it what it may say now.
    fn rule(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        packet: PacketId,
        (key, tcp, facts): (FlowKey, &TcpHeader, ClientFacts),
        by_flag: bool,
    ) -> Verdict {
        let flow = self.flows.at_hand();
        if flow.data_start.is_some_and(|first| tcp.ack.before(first)) {
            // It is of an earlier connection. The agent never acknowledges a SYN.
            return Verdict::Pass;
        }
        flow.data_start = None;
        let pure = cx.pool.get(packet).pure_ack().is_some();
        let rcv_nxt = flow.inflow.rcv_nxt();
        if !by_flag && rcv_nxt.is_none_or(|rcv_nxt| tcp.ack.after(rcv_nxt)) {
            self.under_way.close_hole(flow.client, key, rcv_nxt);
        }
        if flow.is_contradicted(tcp, cx.now, by_flag) {
            counters.contradicted += 1;
            self.reset(cx, packet, key);
            return Verdict::Pass;
        }
        let first = flow.learn(counters, facts, tcp, by_flag);
        if self.room == Room::Promise {
            flow.learn_edge(tcp);
        }
        if !pure {
            // What the agent may now say goes ahead, so that nothing older follows it but this packet, whose data counts whatever it acknowledges.
            if let Some(ack) = flow.next_ack(&answered_by(tcp), cx.pool) {
                counters.made += 1;
                cx.emit(Emission::Onward(ack, flow.client));
            }
            return Verdict::Pass;
        }
        match flow.rule(tcp, first) {
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

    /// The client has long contradicted what was said in its name: the connection cannot go on, and
    /// both ends hear so.
    fn reset(&mut self, cx: &mut Context<'_>, said: PacketId, key: FlowKey) {
        let flow = self.flows.at_hand();
        let (client, told) = (flow.client, flow.told_ack);
        *flow = Flow::new(client, cx.now);
        self.under_way.end(client, key);
        let both = told.and_then(|told| for_both(cx.pool.get(said), told));
        if let (Some((to_client, to_sender)), Some(options)) = (both, self.under_way.options(client)) {
            let rsts = Rsts { onward: Some((to_sender, client)), queued: Some((to_client, options)) };
            self.resets.reset_both_ends(cx, key.reversed(), rsts);
        }
    }

    /// Forgets flows that nobody has heard of for long, at most two for each that comes, and where
    /// there are too many the quietest.
    fn make_room(&mut self, now: Instant, counters: &mut AgentCounters) {
        for _ in 0..2 {
            let idle = |flow: &Flow| now.saturating_since(flow.last_heard) >= IDLE;
            let Some((quietest, _)) = self.flows.quietest().filter(|(_, flow)| idle(flow)) else { break };
            self.flows.remove(quietest);
        }
        if self.flows.len() >= MAX_FLOWS
            && let Some((quietest, _)) = self.flows.quietest()
        {
            self.flows.remove(quietest);
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

/// The first frames to a client count, as far as they have their fates.
fn count_settled(
    flows: &mut FlowTable<Flow>,
    frames: &mut VecDeque<Frame>,
    cx: &mut Context<'_>,
    counters: &mut AgentCounters,
    client: NodeId,
) {
    while let Some(frame) = frames.pop_front_if(|frame| frame.fate.is_some()) {
        if let Some(fate) = frame.fate {
            count_in(flows, cx, counters, (client, &frame, fate), Says::InOrder);
        }
    }
}

/// A frame's fate counts, and the agent says what follows from it.
#[inline(always)]
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
    if fate == Fate::Delivered
        && says == Says::InOrder
        && let Some(ack) = flow.speak_at_once(frame, cx.pool)
    {
        // As nearly all of a download.
        counters.made += 1;
        return cx.emit(Emission::Onward(ack, client));
    }
    count_anyhow(flow, cx, counters, (client, frame, fate), says);
}

/// [`count_in`] for whatever frame of a flow.
#[inline(never)]
fn count_anyhow(
    flow: &mut Flow,
    cx: &mut Context<'_>,
    counters: &mut AgentCounters,
    (client, frame, fate): (NodeId, &Frame, Fate),
    says: Says,
) {
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

#[cfg(test)]
mod tests {
    use ackless_dot11::frame::FrameHandle;
    use ackless_dot11::hooks::Withdraw;
    use ackless_wire::random::{Purpose, Stream};
    use ackless_wire::{IpHeader, PacketPool, Payload, SeqNumber, TcpHeader, Transport};

    use super::*;

    struct Unreachable;

    impl Withdraw for Unreachable {
        fn withdraw(&mut self, _handle: FrameHandle) -> Option<PacketId> {
            None
        }
    }

    fn packet(tcp: TcpHeader) -> Packet {
        let ip = IpHeader::between([10, 0, 0, 2].into(), [10, 0, 0, 1].into()).expect("both are IPv4");
        Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
    }

    #[test]
    fn what_is_spoken_for_at_once_is_spoken_for_as_anything_is() {
        let mut spoken = 0;
        for seed in 0..500 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (client, edge) = (NodeId(1), seed % 7 == 0);
            let key = FlowKey::of(&packet(TcpHeader::new(1, 2))).expect("TCP has a flow");
            let mut tables = [(); 2].map(|()| {
                let mut flows = FlowTable::new();
                flows.insert(key, Flow::new(client, Instant::ZERO));
                (flows, PacketPool::default(), AgentCounters::default())
            });
            // The numbers wrap.
            let (mut at, mut stamp) = (SeqNumber(u32::MAX - 2_000), 0);
            let mut tcp = TcpHeader { flags: TcpFlags::ACK, window: 9, ..TcpHeader::new(1, 2) };
            tcp.options.timestamps = (seed % 3 > 0).then_some((5, 0));
            for n in 0..80 {
                if random.chance(0.1) || n == 3 {
                    tcp.ack = at + random.below(150) as u32;
                    for (flows, _, counters) in &mut tables {
                        let facts = ClientFacts::of(&packet(tcp)).expect("it is an ACK");
                        let first = flows.at_hand().learn(counters, facts, &tcp, false);
                        if edge {
                            flows.at_hand().scale = WindowScale::of(&TcpHeader { flags: SYN_ACK, ..tcp });
                            flows.at_hand().learn_edge(&tcp);
                        }
                        flows.at_hand().rule(&tcp, first);
                    }
                }
                stamp += u32::from(random.chance(0.3));
                let skipped = if random.chance(0.1) { random.below(300) as u32 } else { 0 };
                let seq = if random.chance(0.1) { SeqNumber(at.0.wrapping_sub(150)) } else { at + skipped };
                let mut data = TcpHeader { seq, ..TcpHeader::new(2, 1) };
                let late = u32::from(random.chance(0.1)).min(stamp);
                data.options.timestamps = tcp.options.timestamps.map(|_| (stamp - late, 0));
                let frame = Frame {
                    handle: FrameHandle(n),
                    key,
                    data: DataFacts::of(&data, 100),
                    above_hole: random.chance(0.05),
                    over: false,
                    fate: None,
                };
                let fate = if random.chance(0.05) { Fate::GivenUp } else { Fate::Delivered };
                let said = [false, true].map(|at_once| {
                    let (flows, pool, counters) = &mut tables[usize::from(at_once)];
                    let mut emissions = Vec::new();
                    let mut queues = Unreachable;
                    let mut cx = Context::new(Instant::ZERO, NodeId(0), pool, &[], &mut queues, &mut emissions);
                    if at_once {
                        count_in(flows, &mut cx, counters, (client, &frame, fate), Says::InOrder);
                    } else {
                        count_anyhow(flows.at_hand(), &mut cx, counters, (client, &frame, fate), Says::InOrder);
                    }
                    let acks = emissions.iter().map(|emission| match emission {
                        Emission::Onward(ack, to) => (pool.get(*ack).clone(), *to),
                        other => panic!("{other:?}"),
                    });
                    (acks.collect::<Vec<_>>(), format!("{:?} {counters:?}", flows.at_hand()))
                });
                assert_eq!(said[0], said[1], "seed {seed}");
                spoken += said[0].0.len();
                at = at.max(seq + 100);
            }
        }
        assert!(spoken > 5_000, "{spoken}");
    }

    const SYN_ACK: TcpFlags = TcpFlags::SYN.union(TcpFlags::ACK);
}

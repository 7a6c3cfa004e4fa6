//! The AP's half: what it knows of each client's TCP, and the ACKs that it makes.

use std::collections::VecDeque;

use ackless_dot11::frame::{FrameHandle, Mpdu, NodeId};
use ackless_dot11::hooks::{Context, Emission, Verdict};
use ackless_wire::tcp::{Checksum, SackBlocks};
use ackless_wire::{Duration, Instant, Packet, PacketId, SeqNumber, TcpFlags, TcpHeader, Transport};

use super::config::Room;
use super::counters::AgentCounters;
use super::spans::{Inflow, Place};
use super::stamps::Stamps;
use super::{data_of, ends_here};
use crate::connection::{Opaque, WindowScale};
use crate::flow_key::{FlowKey, Table};
use crate::made_ack::ClientFacts;
use crate::timestamps::newer;

/// The flows whose data this node forwards to capable clients.
///
/// MAC ACKs count in the order of the sequence numbers, in which the client's MAC hands data up: what was acknowledged behind a frame that will be sent again
/// waits for that one's fate.
///
/// Three things are told apart for each flow: what the client's MAC has taken in (`inflow`), how far the agent may speak for it
/// (`vouched`; behind `inflow` where the flag decides), and what the server was told (`said`), by the agent or by the client itself. The agent
/// speaks as soon as `vouched` is past `said`. A native ACK goes on unless it tells the server nothing that it does not know:
///
/// | acknowledgment number | first time that the client says so | again |
/// |---|---|---|
/// | beyond `said` | passes | passes |
/// | `said` | ends here, without news | passes: it is a duplicate ACK, which counts for fast retransmit |
/// | before it | ends here, without news | the same |
///
/// News are SACK blocks, ECN bits and a window other than the last one that the server was told. With news, an ACK from before `said` gets the number
/// `said`, since the server would pay no heed to it otherwise, and loses SACK blocks below it, which would be taken for duplicates (RFC 2883).
#[derive(Debug)]
pub(super) struct Maker {
    room: Room,
    flows: Table<Flow>,
    /// Data frames that have a sequence number and no fate, and those behind them, by client.
    under_way: Vec<(NodeId, VecDeque<Frame>)>,
    /// SYNs that went up, of flows that are not known yet: whether the one who sent it is a client of this node will be seen from what goes down.
    calls: VecDeque<(FlowKey, WindowScale)>,
    /// Whose last answer had the flag ON.
    flagged: Option<NodeId>,
    /// When idle flows were last looked for.
    swept: Instant,
}

/// A data frame of the agent's on its way to a client.
#[derive(Debug)]
struct Frame {
    handle: FrameHandle,
    key: FlowKey,
    tcp: TcpHeader,
    end: SeqNumber,
    /// What closed a hole before it was sent behind it, see [`hole_closed`].
    above_hole: bool,
    /// Its connection is over.
    over: bool,
    fate: Option<Fate>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Delivered,
    GivenUp,
}

/// One flow, seen from the client as the receiver of data.
#[derive(Debug)]
struct Flow {
    client: NodeId,
    /// Left alone: the agent says nothing, and all passes.
    opaque: Opaque,
    /// What the ACKs made in its name are made of; nothing before its first.
    facts: Option<ClientFacts>,
    /// What the client's MAC has taken in.
    inflow: Inflow,
    /// Where data begins, until the client has acknowledged the SYN before it.
    opening: Option<SeqNumber>,
    /// Of what was sent to the client, which the MAC may have given up: the client has seen no newer ones.
    stamps: Stamps,
    /// How far the agent may speak for the client.
    vouched: Option<SeqNumber>,
    /// How far the server was told, by the agent or by the client, and the window field with that.
    said: Option<SeqNumber>,
    said_window: Option<u16>,
    /// The largest acknowledgment number that came from the client itself.
    stated: Option<SeqNumber>,
    scale: WindowScale,
    /// Just past the last byte that the client's TCP has offered room for, where the agent minds it ([`Room::Promise`]).
    edge: Option<SeqNumber>,
    /// The same, as far as the server was told of it.
    said_edge: Option<SeqNumber>,
    /// TS.Recent (RFC 7323, 4.3), as the client's TCP keeps it.
    recent: Option<u32>,
    /// The server has sent again what it was told to have arrived: what told it may be lost.
    doubted: bool,
    /// When anything of it last came by.
    heard: Instant,
}

impl Maker {
    pub(super) const fn new(room: Room) -> Self {
        Self {
            room,
            flows: Table::new(),
            under_way: Vec::new(),
            calls: VecDeque::new(),
            flagged: None,
            swept: Instant::ZERO,
        }
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
                *flow = Flow::new(to, cx.now);
                under_way(&mut self.under_way, key).for_each(|frame| frame.over = true);
            }
            flow.heard = cx.now;
            flow.doubted |= data.is_some_and(|(_, end)| flow.said.is_some_and(|said| !end.after(said)));
        } else if cx.peer(to).capable && (first.is_some() || data.is_some() || tcp.is_opaque()) {
            self.make_room(cx.now, counters);
            let call =
                self.calls.iter().rposition(|(called, _)| *called == key).and_then(|place| self.calls.remove(place));
            let scale = call.map_or(WindowScale::Unknown, |(_, scale)| scale);
            self.flows.insert(key, Flow { scale, ..Flow::new(to, cx.now) });
        } else {
            return;
        }
        let flow = self.flows.at_hand();
        if data.is_none() && !flow.opaque.is() && flow.opaque.note(tcp) {
            under_way(&mut self.under_way, key).for_each(|frame| frame.over = true);
        }
        if let Some(first) = first {
            flow.scale.answered(tcp);
            if flow.inflow.point().is_none() {
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
    pub(super) fn on_sequenced(&mut self, cx: &Context<'_>, mpdu: &Mpdu) {
        let content = cx.pool.get(mpdu.packet);
        let (Some((&tcp, end)), Some(key)) = (data_of(content), FlowKey::of(content)) else { return };
        let key = key.reversed();
        let ours = |flow: &&mut Flow| flow.client == mpdu.receiver && ends_here(mpdu) && !flow.opaque.is();
        if self.flows.get_mut(key).filter(ours).is_none() {
            return;
        }
        let place = self.under_way.iter().position(|(client, _)| *client == mpdu.receiver).unwrap_or_else(|| {
            self.under_way.push((mpdu.receiver, VecDeque::new()));
            self.under_way.len() - 1
        });
        self.under_way[place].1.push_back(Frame {
            handle: mpdu.handle,
            key,
            tcp,
            end,
            above_hole: false,
            over: false,
            fate: None,
        });
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
        let Some((_, frames)) = self.under_way.iter_mut().find(|(to, _)| *to == client) else { return };
        let Some(place) = frames.iter().position(|frame| frame.handle == mpdu.handle) else { return };
        if by_flag {
            // The flag speaks for what its answer acknowledges, whatever is still missing before it.
            let silent = self.flagged != Some(client);
            if let Some(frame) = frames.remove(place) {
                count_in(&mut self.flows, cx, counters, (client, frame, fate), Says::by_flag(silent));
            }
            return;
        }
        frames[place].fate = Some(fate);
        while let Some((frame, fate)) = pop_settled(frames) {
            count_in(&mut self.flows, cx, counters, (client, frame, fate), Says::InOrder);
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
        let content = cx.pool.get(packet);
        let (Some(key), Some(&tcp)) = (FlowKey::of(content), content.tcp()) else { return Verdict::Pass };
        if tcp.flags.contains(TcpFlags::SYN) && self.flows.get_mut(key).is_none() {
            self.calls.push_back((key, WindowScale::of(&tcp)));
            if self.calls.len() > MAX_CALLS {
                self.calls.pop_front();
            }
            return Verdict::Pass;
        }
        let Some(flow) = self.flows.get_mut(key).filter(|flow| flow.client == from) else { return Verdict::Pass };
        flow.heard = cx.now;
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            counters.resets += 1;
            let before = flow.scale;
            *flow = Flow::opened(from, &tcp, cx.now);
            // A RST may be about a stray segment of an earlier connection, and end nothing.
            flow.scale = if tcp.flags.contains(TcpFlags::SYN) { before.updated_by(&tcp) } else { before };
            under_way(&mut self.under_way, key).for_each(|frame| frame.over = true);
            return Verdict::Pass;
        }
        if flow.opaque.is() {
            return Verdict::Pass;
        }
        if flow.opaque.note(&tcp) {
            under_way(&mut self.under_way, key).for_each(|frame| frame.over = true);
            return Verdict::Pass;
        }
        let facts = ClientFacts::of(content).filter(|_| tcp.checksum == Checksum::Correct);
        let Some(facts) = facts else { return Verdict::Pass };
        if flow.opening.is_some_and(|first| tcp.ack.before(first)) {
            // It is of an earlier connection. The agent never acknowledges a SYN.
            return Verdict::Pass;
        }
        flow.opening = None;
        let pure = content.pure_ack().is_some();
        let reached = flow.inflow.reached();
        if !by_flag && reached.is_none_or(|reached| tcp.ack.after(reached)) {
            hole_closed(under_way(&mut self.under_way, key), reached);
        }
        let first = flow.learn(counters, facts, &tcp, by_flag);
        if self.room == Room::Promise {
            flow.learn_edge(&tcp);
        }
        if !pure {
            // What the agent may now say goes ahead, so that nothing older follows it but this packet, whose data counts whatever it acknowledges.
            if let Some(ack) = flow.next_ack(&answered_by(&tcp)) {
                counters.made += 1;
                let ack = cx.pool.insert(ack);
                cx.emit(Emission::Onward(ack, from));
            }
            return Verdict::Pass;
        }
        match flow.rule(&tcp, first) {
            Ruling::Pass(why) => {
                counters.duplicates_passed += u64::from(why == Why::Duplicate);
                counters.doubted += u64::from(why == Why::Doubted);
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
            self.flows.retain(|_, flow| now.saturating_since(flow.heard) < IDLE);
            self.swept = now;
        }
        if self.flows.len() >= MAX_FLOWS {
            let mut oldest = Instant::FAR_FUTURE;
            self.flows.retain(|_, flow| {
                oldest = oldest.min(flow.heard);
                true
            });
            self.flows.retain(|_, flow| flow.heard > oldest);
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

/// The frames of a flow that have no fate yet, or wait for one, in the order of their sequence numbers.
fn under_way(clients: &mut [(NodeId, VecDeque<Frame>)], key: FlowKey) -> impl DoubleEndedIterator<Item = &mut Frame> {
    clients.iter_mut().flat_map(|(_, frames)| frames).filter(move |frame| frame.key == key)
}

/// A native ACK passes beyond all that the MAC ACKs have told of, which had `reached` so far. Where frames under way close a hole, those before them came
/// to the client above it: its MAC did not keep them, and its TCP may have had no room for them.
fn hole_closed<'a>(frames: impl DoubleEndedIterator<Item = &'a mut Frame>, reached: Option<SeqNumber>) {
    let mut lowest: Option<SeqNumber> = None;
    for frame in frames.rev() {
        frame.above_hole |= lowest.is_some_and(|lowest| lowest.before(frame.tcp.seq));
        if reached.is_none_or(|reached| frame.end.after(reached)) {
            lowest = Some(lowest.map_or(frame.tcp.seq, |lowest| lowest.min(frame.tcp.seq)));
        }
    }
}

/// The first frame, once it has its fate.
fn pop_settled(frames: &mut VecDeque<Frame>) -> Option<(Frame, Fate)> {
    let fate = frames.front()?.fate?;
    frames.pop_front().map(|frame| (frame, fate))
}

/// A frame's fate counts, and the agent says what follows from it.
fn count_in(
    flows: &mut Table<Flow>,
    cx: &mut Context<'_>,
    counters: &mut AgentCounters,
    (client, frame, fate): (NodeId, Frame, Fate),
    says: Says,
) {
    if frame.over {
        return;
    }
    let Some(flow) = flows.get_mut(frame.key).filter(|flow| flow.client == client) else { return };
    let late = says == Says::InOrder && flow.is_late(&frame);
    if fate == Fate::GivenUp {
        counters.given_up += 1;
        return;
    }
    if late {
        counters.late += 1;
        return;
    }
    flow.take(counters, &frame, says != Says::InOrder);
    if says == Says::Nothing {
        counters.unflagged += 1;
        return;
    }
    flow.vouched = flow.inflow.point();
    match flow.next_ack(&frame.tcp) {
        Some(ack) => {
            counters.made += 1;
            let ack = cx.pool.insert(ack);
            cx.emit(Emission::Onward(ack, client));
        }
        None => {
            counters.without_facts += u64::from(flow.facts.is_none());
            counters.edge_minded += u64::from(flow.facts.is_some() && flow.sayable() != flow.vouched);
        }
    }
}

/// What becomes of a client's pure ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ruling {
    Pass(Why),
    /// The server knows all of it.
    Stale,
    /// It goes on with this acknowledgment number.
    Lift(SeqNumber),
}

/// Why an ACK passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    /// It says more than the server was told, or something else.
    News,
    /// It is a duplicate ACK.
    Duplicate,
    /// The server seems not to have heard it.
    Doubted,
}

impl Flow {
    fn new(client: NodeId, heard: Instant) -> Self {
        Self {
            client,
            opaque: Opaque::default(),
            facts: None,
            inflow: Inflow::default(),
            opening: None,
            stamps: Stamps::default(),
            vouched: None,
            said: None,
            said_window: None,
            stated: None,
            scale: WindowScale::default(),
            edge: None,
            said_edge: None,
            recent: None,
            doubted: false,
            heard,
        }
    }

    /// The client's TCP opens a connection, answers one that does, or ends one.
    fn opened(client: NodeId, tcp: &TcpHeader, heard: Instant) -> Self {
        let mut flow = Self::new(client, heard);
        if tcp.flags.contains(TcpFlags::SYN | TcpFlags::ACK) {
            flow.begin(tcp.ack);
        }
        flow
    }

    /// Data begins here.
    fn begin(&mut self, first: SeqNumber) {
        self.inflow.pass(first);
        self.opening = Some(first);
    }

    /// Whether newer data went to the client before this frame, whose turn it is now, see [`Stamps`].
    fn is_late(&mut self, frame: &Frame) -> bool {
        let Self { facts, inflow, stated, .. } = self;
        let is_taken = || {
            inflow.reached().is_some_and(|reached| !frame.tcp.seq.after(reached))
                && stated.is_some_and(|stated| !frame.end.before(stated))
                && facts.is_some_and(|facts| facts.accepts_ack(frame.tcp.ack))
        };
        !self.stamps.is_next(&frame.tcp, is_taken)
    }

    /// Takes over what the client says of itself. Returns whether it acknowledges so much for the first time.
    fn learn(&mut self, counters: &mut AgentCounters, facts: ClientFacts, tcp: &TcpHeader, by_flag: bool) -> bool {
        self.facts = Some(self.facts.map_or(facts, |before| facts.keeping_snd_nxt_of(before)));
        if let Some((_, echo)) = tcp.options.timestamps {
            self.recent = newer(self.recent, Some(echo));
        }
        let had_hole = self.inflow.has_hole();
        let moved = self.inflow.pass(tcp.ack);
        counters.hole_passed += u64::from(had_hole && moved);
        self.vouched = if by_flag { Some(later(self.vouched, tcp.ack)) } else { self.inflow.point() };
        let first = self.stated.is_none_or(|stated| tcp.ack.after(stated));
        self.stated = Some(later(self.stated, tcp.ack));
        first
    }

    /// Decides on a pure ACK of the client that [`Self::learn`] has seen, and takes it as said where it goes on.
    fn rule(&mut self, tcp: &TcpHeader, first: bool) -> Ruling {
        let moved = match self.edge {
            Some(_) => self.said_edge != self.edge,
            None => self.said_window != Some(tcp.window),
        };
        let others = tcp.flags.intersects(!TcpFlags::ACK) || moved;
        let point = self.sayable().map_or(tcp.ack, |sayable| later(self.said, sayable));
        let ruling = if tcp.ack.before(point) {
            let news = others || self.said != Some(point) || !sack_above(tcp, point).is_empty();
            if news { Ruling::Lift(point) } else { Ruling::Stale }
        } else if self.said != Some(tcp.ack) || others || !tcp.options.sack.is_empty() {
            Ruling::Pass(Why::News)
        } else if !first {
            Ruling::Pass(Why::Duplicate)
        } else if self.doubted {
            Ruling::Pass(Why::Doubted)
        } else {
            Ruling::Stale
        };
        if ruling != Ruling::Stale {
            self.said = Some(point);
            (self.said_window, self.said_edge) = (Some(tcp.window), self.edge);
            self.doubted = false;
        }
        ruling
    }

    /// Takes over how far the client's TCP has room. Without its SYN that is not known, and the agent minds no edge.
    fn learn_edge(&mut self, tcp: &TcpHeader) {
        if let Some(shift) = self.scale.agreed() {
            self.edge = Some(later(self.edge, tcp.ack + (u32::from(tcp.window) << shift)));
        }
    }

    /// How far the agent may speak: no further than the client's TCP has room, where it minds that.
    fn sayable(&self) -> Option<SeqNumber> {
        self.vouched.map(|vouched| self.edge.map_or(vouched, |edge| vouched.min(edge)))
    }

    /// The window that is left behind this point, where the agent minds the edge: the client's TCP has offered no more.
    fn window_at(&self, point: SeqNumber) -> Option<u16> {
        let room = self.edge?.distance_from(point).max(0).unsigned_abs();
        Some(u16::try_from(room >> self.scale.agreed()?).unwrap_or(u16::MAX))
    }

    /// The ACK that the agent owes the server, if any. `data` is a segment of the server's, or what would be one.
    fn next_ack(&mut self, data: &TcpHeader) -> Option<Packet> {
        let (mut facts, point) = (self.facts?, self.sayable()?);
        if self.said.is_some_and(|said| !point.after(said)) {
            return None;
        }
        if let Some(window) = self.window_at(point) {
            facts.window = window;
        }
        self.said = Some(point);
        (self.said_window, self.said_edge) = (Some(facts.window), self.edge);
        Some(facts.ack(data, point, self.recent.unwrap_or_default()))
    }

    /// Data has come to the client.
    fn take(&mut self, counters: &mut AgentCounters, frame: &Frame, in_any_order: bool) {
        let Frame { tcp, end, .. } = frame;
        // RFC 7323, 4.3 (2): the timestamp of a segment that covers the first byte not acknowledged is echoed.
        if let Some((value, _)) = tcp.options.timestamps
            && self.said.is_none_or(|said| !tcp.seq.after(said))
        {
            self.recent = newer(self.recent, Some(value));
        }
        let place = if frame.above_hole && !in_any_order {
            self.inflow.take_above_hole(tcp.seq, *end)
        } else {
            self.inflow.take(tcp.seq, *end, in_any_order)
        };
        match place {
            Place::InOrder => {}
            Place::AboveHole => counters.above_hole += 1,
            Place::Forgotten => counters.forgotten += 1,
        }
    }
}

/// What a segment of the server's would look like that `tcp`, the client's, answers.
fn answered_by(tcp: &TcpHeader) -> TcpHeader {
    TcpHeader { ack: tcp.seq, ..TcpHeader::new(tcp.dst_port, tcp.src_port) }
}

/// The ACK with another acknowledgment number and its window, and the SACK blocks that lie above it.
fn lifted(ack: &Packet, to: SeqNumber, window: u16) -> Packet {
    let mut lifted = ack.clone();
    if let Transport::Tcp(tcp) = &mut lifted.transport {
        tcp.options.sack = sack_above(tcp, to);
        (tcp.ack, tcp.window) = (to, window);
    }
    lifted
}

fn sack_above(tcp: &TcpHeader, point: SeqNumber) -> SackBlocks {
    let mut above = SackBlocks::EMPTY;
    for &block in tcp.options.sack.as_slice().iter().filter(|block| block.0.after(point)) {
        above.push(block);
    }
    above
}

fn later(known: Option<SeqNumber>, seq: SeqNumber) -> SeqNumber {
    known.map_or(seq, |known| known.max(seq))
}

/// A flow without a packet for so long is forgotten; a station sends an ACK natively long before, see the station's half.
const IDLE: Duration = Duration::from_secs(60);
/// SYNs that are remembered until the answer goes down.
const MAX_CALLS: usize = 64;
/// Flows that are remembered.
const MAX_FLOWS: usize = 4096;

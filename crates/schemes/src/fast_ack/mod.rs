//! FastACK: the AP acknowledges TCP data after the 802.11 ACK, keeps the client's own ACKs back, and repairs from its cache.
//!
//! Sources: A. Bhartia et al., "Measurement-based, Practical Techniques to Improve 802.11ac Performance", IMC 2017 (the technique), and US patent
//! 10,299,167 (its claims: data frames are stored, a spoofed ACK is sent for them, the client's true ACK is consumed and clears them, its duplicate ACKs
//! are treated apart). What neither says is ours; the rules as they are here:
//!
//! - **Acknowledging.** Each data segment that goes to a client is cached. When the client's MAC has acknowledged it and all before it, the AP sends an
//!   ACK in the client's name, with the last timestamp seen from the client, the segment's own as echo, and the client's next sequence number.
//! - **Keeping back.** A client's pure ACK up to what the server was told (`Flow::told_ack`) ends at the AP and clears the cache. One that goes beyond passes, and the AP goes
//!   on from there. What says something else passes: SYN, FIN, RST, data, PSH; a window that the server has not heard; an
//!   answer where nothing is outstanding. An ECN-Echo goes on with an ACK of the AP's.
//! - **Window.** An ACK of the AP's has the window that is left behind it: the right edge is the client's. Nothing beyond that edge is acknowledged,
//!   so that nothing is acknowledged that the client could refuse. When the client makes room and nothing else is
//!   about to be acknowledged, an ACK says so.
//! - **Repairs.** A duplicate ACK, or SACK blocks, for something that the AP has: what its MAC gave up is sent again at once; what the client's
//!   MAC had acknowledged, when SACK blocks tell of what came three deliveries later, or after three duplicates that can be meant for it. Duplicates that miss nothing else end there, and so do all below what the server was told. Those for
//!   a hole that came from the wire or from a full queue pass, as long as it lasts: the server's recovery lives on them. Besides, a timer sends the first segment again while the client does not
//!   acknowledge what the AP has acknowledged, until it does, and from then on each ACK that advances brings the next one that it lacks; only after 15 attempts is the client taken to be gone, and the connection reset at both ends (`crate::resets`). A repair bears the server's newest
//!   timestamps: one that overtook it on the wire may have been the reason why the client dropped it.
//! - **Bounds.** What finds the cache full is not cached, so that nothing from there on is acknowledged early until the client itself has.
//!   A segment that the AP's queue drops is the server's to repair: a full queue is the path's way to say that it is full.
//! - **What the server sends again** although it has been told of it ends at the AP, which tells it again.
//!
//! **The promise.** What the AP has acknowledged and the client has not is in the cache, from the client's last ACK to what the server was told without a gap (`Flow::keeps_its_word`, asserted at each
//! ACK that is made), until the client has acknowledged it; a client that does not take it in 15 attempts is reset, and so is the server. A RST of the server's ends that only with the number
//! that the client waits for, a SYN of the server's not before the client answers it with one. It holds as long as this AP is there: one that starts anew, or that a client roams to, knows nothing of it, repairs nothing and keeps nothing back. The client then
//! lacks what the server believes it to have, and the connection lasts until either gives up; no key makes that otherwise, since the cache is the AP's alone.
//!
//! A connection that does TACK is left alone from its first numbered segment on: what the AP could say of its data would not be a report, and a
//! plain ACK in a report's place would tell the server that options are stripped. It is not helped after it fell back either. So it is with any connection of which a segment has options
//! or bits that are not known here, MPTCP and TCP-AO, see `crate::connection`; what the AP owes on it by then it still repairs.
//!
//! What the design itself costs: an application at the server is told that data has arrived when only the client's MAC has it. Where the AP
//! goes away, or the client roams to another one, what was acknowledged and not yet repaired is lost, and no TCP repairs it; with a MAC that
//! passes up all that it acknowledges that is nothing. The server's RTT ends at the AP. Repairs go to the end of the client's
//! queue; the hooks know no better place.
//!
//! A connection is helped from its SYNs on, which tell how its window is scaled. A relay's acknowledgement is not the client's: what goes to a station
//! behind one is not helped. Clients need know nothing of all this; any station may be one.

mod cache;
mod config;
mod counters;
mod flow;

use ackless_dot11::frame::{AckPolicy, FrameHandle, Mpdu, NodeId};
use ackless_dot11::hooks::{Context, Scheme, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, Packet, PacketId, SeqNumber, TcpFlags, TcpHeader};

use crate::connection::{Opaque, agreed_shift};
use crate::due::Dues;
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::frames::Frames;
use crate::made_ack::DataFacts;
use crate::resets::Resets;
pub use config::FastAckConfig;
pub use counters::FastAckCounters;
use flow::{DataVerdict, Flow};

/// FastACK on an AP.
#[derive(Debug)]
pub struct FastAck {
    config: FastAckConfig,
    counters: FastAckCounters,
    /// By the direction of the data.
    connections: FlowTable<Connection>,
    /// Frames with cached data, queued or on the air.
    frames: Frames<Watched>,
    last_id: u32,
    resets: Resets,
    /// No timer runs out before.
    wake: Option<Instant>,
    /// When the repair timer of each connection runs out, by its place.
    dues: Dues,
    /// The connections whose time has come, while that is looked for.
    due: Vec<usize>,
}

/// A connection whose data goes to a client.
#[derive(Debug)]
struct Connection {
    /// Tells it from those before it on the same ports.
    id: u32,
    server: Option<Syn>,
    client: Option<Syn>,
    /// A SYN that the server has sent while this connection lasts, as far as the AP knows, and that the client has not answered.
    pending_syn: Option<Syn>,
    /// Just past the last byte of the server's that went by before there was a flow.
    sent: Option<SeqNumber>,
    /// From the client's first ACK on.
    flow: Option<Box<Flow>>,
    opaque: Opaque,
    begun: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Syn {
    seq: SeqNumber,
    scale: Option<u8>,
}

/// What a frame has in it.
#[derive(Clone, Copy, Debug)]
struct Watched {
    /// Its connection, and its place among the others, which may be another's by now.
    id: u32,
    place: usize,
    seq: SeqNumber,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Server,
    Client,
}

impl FastAck {
    /// One that has seen nothing.
    pub fn new(config: FastAckConfig) -> Self {
        Self {
            config,
            counters: FastAckCounters::default(),
            connections: FlowTable::default(),
            frames: Frames::default(),
            last_id: 0,
            resets: Resets::default(),
            wake: None,
            dues: Dues::new(),
            due: Vec::new(),
        }
    }

    /// What it has counted.
    pub fn counters(&self) -> &FastAckCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &FastAckConfig {
        &self.config
    }

    /// A SYN passes, perhaps again.
    fn on_syn(&mut self, cx: &mut Context<'_>, key: FlowKey, tcp: &TcpHeader, side: Side) {
        let syn = Syn { seq: tcp.seq, scale: tcp.options.window_scale };
        if side == Side::Client {
            self.resets.forget(key);
        }
        if self.connections.get_mut(key).is_none() && !self.make_room(cx, key) {
            return;
        }
        let connection = self.connections.at_hand();
        let known = match side {
            Side::Server => connection.server,
            Side::Client => connection.client,
        };
        if known == Some(syn) {
            // Whoever repeats it has not heard the answer, which may be an ACK.
            if let Some(flow) = &mut connection.flow {
                flow.let_next_ack_pass();
            }
            return;
        }
        let answers = tcp.flags.contains(TcpFlags::ACK);
        let answered = connection.client.is_some_and(|client| answers && tcp.ack == client.seq + 1);
        if side == Side::Server && connection.flow.is_some() && !answered {
            // What the client's TCP makes of it, its own SYN or RST says (RFC 5961, 4.2).
            connection.pending_syn = Some(syn);
            return;
        }
        if let Some(mut flow) = connection.flow.take() {
            self.counters.reset += 1;
            flow.clear(cx);
            self.dues.set(self.connections.place_at_hand(), None);
        }
        let connection = self.connections.at_hand();
        let other = |other: Option<Syn>| other.filter(|_| answers);
        let pending_syn = connection.pending_syn.take();
        let answered = pending_syn.into_iter().chain(connection.server).find(|syn| tcp.ack == syn.seq + 1);
        (connection.server, connection.client) = match side {
            Side::Server => (Some(syn), other(connection.client)),
            Side::Client => (other(answered), Some(syn)),
        };
        (connection.opaque, connection.begun, connection.sent) = (Opaque::default(), cx.now, None);
    }

    /// A SYN or RST goes to a client.
    #[cold]
    fn on_server_syn_or_rst(&mut self, cx: &mut Context<'_>, key: FlowKey, tcp: &TcpHeader) {
        if !tcp.flags.contains(TcpFlags::RST) {
            return self.on_syn(cx, key, tcp, Side::Server);
        }
        let flow = self.connections.get_mut(key).and_then(|connection| connection.flow.as_deref());
        if flow.is_none_or(|flow| flow.is_ended_by(tcp)) {
            self.forget(cx, key);
        }
    }

    /// A SYN or RST comes from a client.
    #[cold]
    fn on_client_syn_or_rst(&mut self, cx: &mut Context<'_>, key: FlowKey, tcp: &TcpHeader) {
        if tcp.flags.contains(TcpFlags::SYN) {
            self.on_syn(cx, key, tcp, Side::Client);
        } else {
            self.forget(cx, key);
        }
    }

    /// Adds a connection, if need be in the place of silent ones. Returns whether it could.
    fn make_room(&mut self, cx: &Context<'_>, key: FlowKey) -> bool {
        let was_full = self.connections.len() >= MAX_CONNECTIONS;
        // At most eight are looked at for each that comes, so that none costs much.
        for _ in 0..8 {
            let old = |connection: &Connection| cx.now.saturating_since(connection.last_used()) >= SILENT;
            let quietest = self.connections.quietest().filter(|(_, connection)| was_full && old(connection));
            let Some((quietest, connection)) = quietest else { break };
            if connection.owes_nothing() {
                self.counters.swept += 1;
                self.remove(quietest);
            } else {
                self.connections.touch();
            }
        }
        if self.connections.len() >= MAX_CONNECTIONS {
            self.counters.no_room += 1;
            return false;
        }
        let opaque = Opaque::default();
        self.connections.insert(
            key,
            Connection {
                id: 0,
                server: None,
                client: None,
                pending_syn: None,
                sent: None,
                flow: None,
                opaque,
                begun: cx.now,
            },
        );
        true
    }

    fn forget(&mut self, cx: &mut Context<'_>, key: FlowKey) {
        let Some(connection) = self.connections.get_mut(key) else { return };
        if let Some(mut flow) = connection.flow.take() {
            self.counters.reset += 1;
            flow.clear(cx);
        }
        self.remove(key);
    }

    /// A connection that owes nothing is not known any more.
    fn remove(&mut self, key: FlowKey) {
        if self.connections.get_mut(key).is_some() {
            self.dues.set(self.connections.place_at_hand(), None);
            self.connections.remove(key);
        }
    }

    /// The connection does TACK, or something that is not known here. What the AP owes on it by now, for plain data before, it still repairs.
    fn leave_alone(&mut self, cx: &mut Context<'_>, key: FlowKey) {
        let Some(connection) = self.connections.get_mut(key) else { return };
        if connection.flow.as_deref_mut().is_none_or(|flow| flow.stop_caching(cx)) {
            self.remove(key);
        }
    }

    /// The repair timer of the connection at hand may have moved.
    #[inline]
    fn note_due(&mut self, due: Option<Instant>) {
        self.dues.set(self.connections.place_at_hand(), due);
        self.wake = Instant::earlier(self.wake, due);
    }

    /// A frame has left the queue or the air, and its data has not arrived.
    fn lost(&mut self, cx: &mut Context<'_>, handle: FrameHandle, dropped: bool) {
        let Some(watched) = self.frames.remove(handle) else { return };
        if let Some(flow) = flow_of(&mut self.connections, &watched) {
            flow.on_lost(cx, watched.seq, dropped, &mut self.counters);
        }
    }
}

impl Scheme for FastAck {
    // The way of each is its own, past what the others keep in registers.
    #[inline(never)]
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        let content = cx.pool.get(packet);
        let (Some(tcp), Some(key)) = (content.tcp(), FlowKey::of(content)) else { return Verdict::Pass };
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            let tcp = *tcp;
            self.on_server_syn_or_rst(cx, key, &tcp);
            return Verdict::Pass;
        }
        let (data, fin) = (DataFacts::of(tcp, content.payload.len()), tcp.flags.contains(TcpFlags::FIN));
        let Some(connection) = self.connections.get_used(key) else { return Verdict::Pass };
        if connection.opaque.note(tcp) {
            self.leave_alone(cx, key);
            return Verdict::Pass;
        }
        let id = connection.id;
        let Some(flow) = &mut connection.flow else {
            let after = data.end + u32::from(fin);
            connection.sent = Some(connection.sent.map_or(after, |sent| sent.max(after)));
            return Verdict::Pass;
        };
        let acceptable = flow.on_server(tcp, data.end);
        if content.payload.is_empty() && !fin {
            return Verdict::Pass;
        }
        match flow.on_data(cx, (packet, data), (fin, acceptable), options, &self.config, &mut self.counters) {
            DataVerdict::Passes => Verdict::Pass,
            DataVerdict::Ends => Verdict::Swallow,
            DataVerdict::Watched => {
                let place = self.connections.place_at_hand();
                self.frames.insert(handle, Watched { id, place, seq: data.seq });
                Verdict::Pass
            }
        }
    }

    fn on_queued(&mut self, cx: &mut Context<'_>, packet: PacketId, handle: FrameHandle) {
        let content = cx.pool.get(packet);
        let (Some(key), Some(tcp)) = (FlowKey::of(content), content.tcp()) else { return };
        let Some(connection) = self.connections.get_mut(key) else { return };
        if connection.flow.as_deref_mut().is_some_and(|flow| flow.has_cached(packet, tcp)) {
            let id = connection.id;
            self.frames.insert(handle, Watched { id, place: self.connections.place_at_hand(), seq: tcp.seq });
        }
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        self.lost(cx, handle, true);
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.lost(cx, mpdu.handle, false);
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        if mpdu.ack_policy != AckPolicy::Normal || mpdu.receiver.is_group() {
            // It was sent; nobody has said that it came.
            return self.lost(cx, mpdu.handle, false);
        }
        let Some(watched) = self.frames.remove(mpdu.handle) else { return };
        let Some(flow) = flow_of(&mut self.connections, &watched) else { return };
        flow.on_delivered(cx, watched.seq, &self.config, &mut self.counters);
        let due = flow.due();
        self.note_due(due);
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, _from: NodeId) -> Verdict {
        let content = cx.pool.get(packet);
        let (Some(key), Some(tcp)) = (FlowKey::of(content), content.tcp()) else { return Verdict::Pass };
        let key = key.reversed();
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            let tcp = *tcp;
            self.on_client_syn_or_rst(cx, key, &tcp);
            return Verdict::Pass;
        }
        let Some(connection) = self.connections.get_used(key) else { return Verdict::Pass };
        if connection.opaque.note(tcp) {
            if let Some(flow) = &mut connection.flow
                && tcp.flags.contains(TcpFlags::ACK)
            {
                let ack = tcp.ack;
                flow.on_opaque_ack(cx, ack, &self.config);
                let due = flow.due();
                self.dues.set(self.connections.place_at_hand(), due);
            }
            self.leave_alone(cx, key);
            return Verdict::Pass;
        }
        let Some(flow) = &mut connection.flow else {
            let first = cx.pool.get(packet);
            if connection.open(cx.now, first, self.last_id + 1) {
                self.last_id += 1;
                self.counters.opened += 1;
            }
            return Verdict::Pass;
        };
        let verdict = flow.on_client(cx, packet, &self.config, &mut self.counters);
        let due = flow.due();
        self.note_due(due);
        verdict
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        let now = cx.now;
        let mut due = std::mem::take(&mut self.due);
        self.dues.due_by(now, &mut due);
        // In the order of their keys, whichever came first.
        due.sort_by_key(|place| self.connections.at(*place).map(|(key, _)| *key));
        for place in due.drain(..) {
            let Some(flow) = self.connections.at_place(place).and_then(|connection| connection.flow.as_mut()) else {
                self.dues.set(place, None);
                continue;
            };
            if flow.on_timer(cx, &mut self.counters) {
                self.dues.set(place, flow.due());
                continue;
            }
            let rsts = flow.rsts(cx.pool);
            flow.clear(cx);
            self.connections.at_hand().flow = None;
            self.resets.reset_both_ends(cx, *self.connections.key_at_hand(), rsts);
            self.dues.set(place, None);
            self.counters.abandoned += 1;
        }
        self.due = due;
        self.resets.on_timer(cx);
        self.wake = Instant::earlier(self.dues.first(), self.resets.due());
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.wake
    }
}

impl Connection {
    /// The client's first packet after its SYN passes. Returns whether the AP helps from here on.
    fn open(&mut self, now: Instant, first: &Packet, id: u32) -> bool {
        let (Some(server), Some(client)) = (self.server, self.client) else { return false };
        let shift = agreed_shift(server.scale, client.scale);
        self.flow = Flow::new(now, first, client.seq + 1, shift, self.sent).map(Box::new);
        self.id = id;
        self.flow.is_some()
    }

    fn owes_nothing(&self) -> bool {
        self.flow.as_ref().is_none_or(|flow| flow.owes_nothing())
    }

    fn last_used(&self) -> Instant {
        self.flow.as_ref().map_or(self.begun, |flow| flow.last_used)
    }
}

/// The flow that a frame's data belongs to, unless that connection is over.
#[inline]
fn flow_of<'a>(connections: &'a mut FlowTable<Connection>, watched: &Watched) -> Option<&'a mut Flow> {
    connections.at_place(watched.place).filter(|connection| connection.id == watched.id)?.flow.as_deref_mut()
}

/// So many connections are known at a time.
const MAX_CONNECTIONS: usize = 1024;
/// A connection that says nothing for so long, and owes nothing, makes room for another one.
const SILENT: Duration = Duration::from_secs(60);

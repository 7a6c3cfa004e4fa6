//! What the agent knows of one client's TCP, and the rule about the client's own ACKs.
//!
//! Three things are told apart for each flow: what the client's MAC has taken in (`inflow`), how far the agent may speak for it
//! (`vouched`; behind `inflow` where the flag decides), and what the server was told (`told_ack`), by the agent or by the client itself. The agent
//! speaks as soon as `vouched` is past `told_ack`. A native ACK goes on unless it tells the server nothing that it does not know:
//!
//! | acknowledgment number | first time that the client says so | again |
//! |---|---|---|
//! | beyond `told_ack` | passes | passes |
//! | `told_ack` | ends here, without news | passes: it is a duplicate ACK, which counts for fast retransmit |
//! | before it | ends here, without news | the same |
//!
//! News are SACK blocks, ECN bits and a window other than the last one that the server was told. With news, an ACK from before `told_ack` gets the number
//! `told_ack`, since the server would pay no heed to it otherwise, and loses SACK blocks below it, which would be taken for duplicates (RFC 2883).

use ackless_dot11::frame::NodeId;
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{Duration, Instant, Packet, PacketId, PacketPool, SeqNumber, TcpFlags, TcpHeader, Transport};

use super::super::counters::AgentCounters;
use super::super::paws::Paws;
use super::super::spans::{Inflow, Taken};
use super::under_way::Frame;
use crate::connection::{Opaque, WindowScale};
use crate::contradiction::{Contradiction, PATIENCE};
use crate::made_ack::{ClientFacts, DataFacts};
use crate::timestamps::newer;

/// One flow, seen from the client as the receiver of data.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) client: NodeId,
    /// Left alone: the agent says nothing, and all passes.
    pub(super) opaque: Opaque,
    /// What the ACKs made in its name are made of; nothing before its first.
    pub(super) facts: Option<ClientFacts>,
    /// What the client's MAC has taken in.
    pub(super) inflow: Inflow,
    /// The first byte of data (IRS + 1), until the client has acknowledged the SYN before it.
    pub(super) data_start: Option<SeqNumber>,
    /// By what was sent to the client, some of which the MAC may have given up: the client has seen no newer timestamps.
    paws: Paws,
    /// How far the agent may speak for the client.
    pub(super) vouched: Option<SeqNumber>,
    /// How far the server was told, by the agent or by the client, and the window field with that.
    pub(super) told_ack: Option<SeqNumber>,
    told_window: Option<u16>,
    /// Whether the client contradicts that.
    contradiction: Contradiction,
    /// How long the last segment was that was acknowledged in the client's name.
    segment: u32,
    /// The largest acknowledgment number that came from the client itself.
    client_acked: Option<SeqNumber>,
    pub(super) scale: WindowScale,
    /// Just past the last byte that the client's TCP has offered room for, where the agent minds it ([`Room::Promise`](super::super::Room::Promise)).
    edge: Option<SeqNumber>,
    /// The same, as far as the server was told of it.
    told_edge: Option<SeqNumber>,
    /// TS.Recent (RFC 7323, 4.3), as the client's TCP keeps it.
    ts_recent: Option<u32>,
    /// The server has sent again what it was told to have arrived: what told it may be lost.
    pub(super) doubted: bool,
    /// When anything of it last came by.
    pub(super) last_heard: Instant,
}

/// What becomes of a client's pure ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ruling {
    Pass(WhyPass),
    /// The server knows all of it.
    Stale,
    /// It goes on with this acknowledgment number.
    Lift(SeqNumber),
}

/// Why an ACK passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WhyPass {
    /// It says more than the server was told, or something else.
    News,
    /// It is a duplicate ACK.
    Duplicate,
    /// The server seems not to have heard it.
    Doubted,
}

impl Flow {
    pub(super) fn new(client: NodeId, last_heard: Instant) -> Self {
        Self {
            client,
            opaque: Opaque::default(),
            facts: None,
            inflow: Inflow::default(),
            data_start: None,
            paws: Paws::default(),
            vouched: None,
            told_ack: None,
            told_window: None,
            contradiction: Contradiction::NONE,
            segment: 0,
            client_acked: None,
            scale: WindowScale::default(),
            edge: None,
            told_edge: None,
            ts_recent: None,
            doubted: false,
            last_heard,
        }
    }

    /// The client's TCP opens a connection, answers one that does, or ends one.
    pub(super) fn opened(client: NodeId, tcp: &TcpHeader, last_heard: Instant) -> Self {
        let mut flow = Self::new(client, last_heard);
        if tcp.flags.contains(TcpFlags::SYN | TcpFlags::ACK) {
            flow.begin(tcp.ack);
        }
        flow
    }

    /// The client's TCP opens its connection anew, or ends it.
    pub(super) fn begin_anew(&mut self, tcp: &TcpHeader, now: Instant) {
        let before = self.scale;
        *self = Self::opened(self.client, tcp, now);
        // A RST may be about a stray segment of an earlier connection, and end nothing.
        self.scale = if tcp.flags.contains(TcpFlags::SYN) { before.updated_by(tcp) } else { before };
    }

    /// Data begins here.
    pub(super) fn begin(&mut self, first: SeqNumber) {
        self.inflow.advance_to(first);
        self.data_start = Some(first);
    }

    /// Whether newer data went to the client before this frame, whose turn it is now, see [`Paws`].
    pub(super) fn is_late(&mut self, frame: &Frame) -> bool {
        let Self { facts, inflow, client_acked, .. } = self;
        let is_taken = || {
            inflow.rcv_nxt().is_some_and(|reached| !frame.data.seq.after(reached))
                && client_acked.is_some_and(|client_acked| !frame.data.end.before(client_acked))
                && facts.is_some_and(|facts| facts.accepts_ack(frame.data.ack))
        };
        !self.paws.accepts(frame.data.ts_val, is_taken)
    }

    /// Whether the client has long contradicted what was said in its name. In the first solution
    /// its MAC may have what its TCP lacks, and hand it up again less and less often; where the TCP
    /// has no room for that, it says nothing.
    pub(super) fn is_contradicted(&mut self, tcp: &TcpHeader, now: Instant, by_flag: bool) -> bool {
        let Some(told) = self.told_ack else { return false };
        let room = u32::from(tcp.window) << self.scale.agreed().unwrap_or(0);
        if room < self.segment {
            self.contradiction.end();
            return false;
        }
        self.contradiction.hears(now, tcp.ack, told, if by_flag { PATIENCE } else { PATIENCE_WITH_BUFFER })
    }

    /// Takes over what the client says of itself. Returns whether it acknowledges so much for the first time.
    pub(super) fn learn(
        &mut self,
        counters: &mut AgentCounters,
        facts: ClientFacts,
        tcp: &TcpHeader,
        by_flag: bool,
    ) -> bool {
        self.facts = Some(self.facts.map_or(facts, |before| facts.keeping_snd_nxt_of(before)));
        if let Some((_, echo)) = tcp.options.timestamps {
            self.ts_recent = newer(self.ts_recent, Some(echo));
        }
        let had_hole = self.inflow.has_hole();
        let moved = self.inflow.advance_to(tcp.ack);
        counters.hole_passed += u64::from(had_hole && moved);
        self.vouched = if by_flag { Some(later(self.vouched, tcp.ack)) } else { self.inflow.may_ack_to() };
        let first = self.client_acked.is_none_or(|client_acked| tcp.ack.after(client_acked));
        self.client_acked = Some(later(self.client_acked, tcp.ack));
        first
    }

    /// Decides on a pure ACK of the client that [`Self::learn`] has seen, and takes it as said where it goes on.
    pub(super) fn rule(&mut self, tcp: &TcpHeader, first: bool) -> Ruling {
        let moved = match self.edge {
            Some(_) => self.told_edge != self.edge,
            None => self.told_window != Some(tcp.window),
        };
        let others = tcp.flags.intersects(!TcpFlags::ACK) || moved;
        let point = self.ackable().map_or(tcp.ack, |ackable| later(self.told_ack, ackable));
        let ruling = if tcp.ack.before(point) {
            let news = others || self.told_ack != Some(point) || !sack_above(tcp, point).is_empty();
            if news { Ruling::Lift(point) } else { Ruling::Stale }
        } else if self.told_ack != Some(tcp.ack) || others || !tcp.options.sack.is_empty() {
            Ruling::Pass(WhyPass::News)
        } else if !first {
            Ruling::Pass(WhyPass::Duplicate)
        } else if self.doubted {
            Ruling::Pass(WhyPass::Doubted)
        } else {
            Ruling::Stale
        };
        if ruling != Ruling::Stale {
            self.told_ack = Some(point);
            (self.told_window, self.told_edge) = (Some(tcp.window), self.edge);
            self.doubted = false;
        }
        ruling
    }

    /// Takes over how far the client's TCP has room. Without its SYN that is not known, and the agent minds no edge.
    pub(super) fn learn_edge(&mut self, tcp: &TcpHeader) {
        if let Some(shift) = self.scale.agreed() {
            self.edge = Some(later(self.edge, tcp.ack + (u32::from(tcp.window) << shift)));
        }
    }

    /// How far the agent may acknowledge: as far as it may speak, but no further than the client's TCP has room, where it minds that.
    pub(super) fn ackable(&self) -> Option<SeqNumber> {
        self.vouched.map(|vouched| self.edge.map_or(vouched, |edge| vouched.min(edge)))
    }

    /// The window that is left behind this byte, where the agent minds the edge: the client's TCP has offered no more.
    pub(super) fn window_at(&self, point: SeqNumber) -> Option<u16> {
        let room = self.edge?.distance_from(point).max(0).unsigned_abs();
        Some(u16::try_from(room >> self.scale.agreed()?).unwrap_or(u16::MAX))
    }

    /// Data has come to the client that goes on where all stands, with nothing new beside it, and the window's edge is not minded: the ACK that the agent owes for it, in the pool. Nothing, and
    /// no change, where more is to be looked at.
    #[inline(always)]
    pub(super) fn speak_at_once(&mut self, frame: &Frame, pool: &mut PacketPool) -> Option<PacketId> {
        let DataFacts { seq, end, ts_val, .. } = frame.data;
        let facts = self.facts.as_ref()?;
        let plain = !frame.above_hole && self.edge.is_none() && self.told_ack == Some(seq) && end.after(seq);
        if !plain || !self.paws.has_seen(ts_val) || !self.inflow.follow(seq, end) {
            return None;
        }
        self.ts_recent = newer(self.ts_recent, ts_val);
        (self.vouched, self.told_ack, self.segment) = (Some(end), Some(end), end - seq);
        (self.told_window, self.told_edge) = (Some(facts.window), None);
        let said = (end, self.ts_recent.unwrap_or_default());
        Some(facts.put_ack(pool, &frame.data, said, facts.window, TcpFlags::empty()))
    }

    /// The ACK that the agent owes the server, if any, in the pool. `data` is a segment of the server's, or what would be one.
    pub(super) fn next_ack(&mut self, data: &DataFacts, pool: &mut PacketPool) -> Option<PacketId> {
        let (facts, point) = (self.facts.as_ref()?, self.ackable()?);
        if self.told_ack.is_some_and(|told_ack| !point.after(told_ack)) {
            return None;
        }
        let window = self.window_at(point).unwrap_or(facts.window);
        self.told_ack = Some(point);
        (self.told_window, self.told_edge) = (Some(window), self.edge);
        let said = (point, self.ts_recent.unwrap_or_default());
        Some(facts.put_ack(pool, data, said, window, TcpFlags::empty()))
    }

    /// Data has come to the client.
    pub(super) fn take(&mut self, counters: &mut AgentCounters, frame: &Frame, in_any_order: bool) {
        let DataFacts { seq, end, ts_val, .. } = frame.data;
        self.segment = end - seq;
        // RFC 7323, 4.3 (2): the timestamp of a segment that covers the first byte not acknowledged is echoed.
        if ts_val.is_some() && self.told_ack.is_none_or(|told_ack| !seq.after(told_ack)) {
            self.ts_recent = newer(self.ts_recent, ts_val);
        }
        let place = if frame.above_hole && !in_any_order {
            self.inflow.take_above_hole(seq, end)
        } else {
            self.inflow.take(seq, end, in_any_order)
        };
        match place {
            Taken::InOrder => {}
            Taken::AboveHole => counters.above_hole += 1,
            Taken::Forgotten => counters.forgotten += 1,
        }
    }
}

/// Within this time the station's buffer hands a frame up seven times, first after 200 ms and then
/// each time after twice as long.
const PATIENCE_WITH_BUFFER: Duration = Duration::from_secs(30);

/// What a segment of the server's would look like that `tcp`, the client's, answers.
pub(super) fn answered_by(tcp: &TcpHeader) -> DataFacts {
    DataFacts::of(&TcpHeader { ack: tcp.seq, ..TcpHeader::new(tcp.dst_port, tcp.src_port) }, 0)
}

/// The ACK with another acknowledgment number and its window, and the SACK blocks that lie above it.
pub(super) fn lifted(ack: &Packet, to: SeqNumber, window: u16) -> Packet {
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

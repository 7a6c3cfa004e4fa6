//! The MAC of one station: what it sends, what it answers, and what it does when no answer comes.
//!
//! A [`Station`] is a machine without clock and without medium. Its inputs:
//!
//! - [`Station::enqueue`]: a packet to send;
//! - [`Station::medium_busy`], [`Station::medium_idle`]: the medium changed; [`Station::take_access`]: the time that
//!   [`Station::grant`] named has come and the medium is still idle;
//! - [`Station::transmission_ended`]: its own PPDU is over; [`Station::receive`]: a PPDU addressed to it is over;
//! - [`Station::wake`]: the time that [`Station::poll_timeout`] named has come.
//!
//! `take_access` and `wake` return the PPDU that goes on the air in this instant, if one does. After any input, take what came up with
//! [`Station::poll_up`] and what the scheme emitted with [`Station::poll_emission`] until both are empty, then ask [`Station::grant`] and
//! [`Station::poll_timeout`] anew.
//!
//! The parts: `compose` puts PPDUs together, `initiate` sends them on a won access and judges their answers, `exchange` says how far
//! that has come, `respond` takes PPDUs in and answers them, `links` holds what waits for each peer.
//!
//! Not modelled: association, ADDBA and other management exchanges, fragmentation, power saving, several access categories at once,
//! A-MSDU outside of a BlockAck agreement, NAV reset after an RTS without CTS (optional in 802.11-2020, 10.3.2.4).

use std::collections::VecDeque;

use ackless_phy::TxVector;
use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Duration, Instant, PacketId, PacketPool};

use crate::access::{ChannelAccess, Waited};
use crate::block_ack::Fate;
use crate::frame::{AckPolicy, FrameHandle, MacSeq, Mpdu, MpduKind, NodeId, Ppdu};
use crate::hooks::{Content, Emission, Passage, Peer, Scheme, SendOptions, Verdict};
use crate::queue::{Queued, SchedulerKind};

/// A [`Context`] for one question to the scheme. A macro, so that the borrow checker sees which fields it takes.
macro_rules! context {
    ($station:ident, $now:ident, $pool:ident) => {
        crate::hooks::Context::new(
            $now,
            $station.config.node,
            &mut *$pool,
            &$station.peers,
            &mut $station.links,
            &mut $station.emissions,
        )
    };
}

mod compose;
mod config;
mod exchange;
mod initiate;
mod links;
mod respond;

pub use config::{Aggregation, Amsdu, Bounds, LinkConfig, MacConfig, Route};
use exchange::{Exchange, InService, Reserved};
use links::Links;
use respond::{Asks, DueAnswer};

/// The MAC of one station with its scheme.
#[derive(Debug)]
pub struct Station<S> {
    config: MacConfig,
    access: ChannelAccess,
    scheme: S,
    /// What it knows of all other nodes, by node number.
    peers: Vec<Peer>,
    /// Queue, agreements and rate towards each node that it talks to.
    links: Links,
    /// Its own frame exchange.
    exchange: Exchange,
    /// A frame outside of any BlockAck agreement that is being sent.
    in_service: Option<InService>,
    /// A PPDU that waits for the CTS to its RTS.
    reserved: Option<Reserved>,
    /// What it will answer to the frame that has just come.
    answer: Option<DueAnswer>,
    /// A beacon of this length is due.
    beacon: Option<Bytes>,
    /// Until when the won access lasts; `None` where it is one exchange.
    txop_end: Option<Instant>,
    /// The last damaged frame ended then.
    damaged_at: Option<Instant>,
    /// The last own frame exchange ended then, in success or in a timeout.
    free_since: Instant,
    next_handle: u32,
    next_group_seq: MacSeq,
    /// On the way up: taken by [`Self::poll_up`].
    up: VecDeque<Upward>,
    /// What the scheme wants done: taken by [`Self::poll_emission`].
    emissions: Vec<Emission>,
    /// MPDUs that the answer at hand has settled, until the scheme is told.
    fates: Vec<(Mpdu, Fate)>,
    /// Packets that a queue has dropped, until the scheme is told.
    dropped: Vec<Queued>,
    /// What has just left the reorder buffer, or needs none, until it is handed up.
    released: Vec<Mpdu>,
    /// What the PPDU asks for that was received ahead, once it is over.
    ahead: Option<Asks>,
    /// Empty buffers of PPDUs that are over, to be filled again.
    spare: Vec<Vec<Mpdu>>,
    counts: StationCounts,
}

/// A packet that came over the air, past reordering and the scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Upward {
    /// The packet, with a reference for the taker.
    pub packet: PacketId,
    /// Who put it on the air.
    pub from: NodeId,
    /// Where [`Station::receive_ahead`] took it: the place in its PPDU of the MPDU that let it go up.
    pub mpdu: u16,
}

/// The medium as one station sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MediumView {
    /// Somebody sends.
    pub busy: bool,
    /// When the last transmission ended.
    pub idle_since: Instant,
    /// The NAV: until when frames that were addressed to others have reserved the medium.
    pub nav_until: Instant,
    /// The last transmission was not intelligible to this station, and it did not send at the time.
    pub unintelligible: bool,
    /// It is busy only in that a transmission ends in this instant.
    pub ending: bool,
}

impl MediumView {
    /// Somebody sends; for a station that does not look, since it has no use for more.
    pub const BUSY: Self =
        Self { busy: true, idle_since: Instant::ZERO, nav_until: Instant::ZERO, unintelligible: false, ending: false };
}

/// What a station counts by itself; frames on the air are counted by whoever watches the medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StationCounts {
    /// Answers that did not come in time.
    pub timeouts: u64,
    /// MPDUs given up.
    pub given_up: u64,
    /// Packets dropped because the queue was full, or by its management.
    pub queue_drops: u64,
    /// Intact MPDUs that the scheme refused.
    pub refused: u64,
    /// Intact MPDUs that had come before.
    pub duplicates: u64,
}

impl<S: Scheme> Station<S> {
    /// A station that has nothing to send. `backoff` is its stream of counters.
    pub fn new(
        config: MacConfig,
        links: Vec<LinkConfig>,
        scheduler: SchedulerKind,
        scheme: S,
        backoff: Stream,
    ) -> Self {
        Self {
            access: ChannelAccess::new(config.access, config.backoff, backoff),
            links: Links::new(links, scheduler, config.device),
            config,
            scheme,
            peers: Vec::new(),
            exchange: Exchange::Idle,
            in_service: None,
            reserved: None,
            answer: None,
            beacon: None,
            txop_end: None,
            damaged_at: None,
            free_since: Instant::ZERO,
            next_handle: 0,
            next_group_seq: MacSeq::default(),
            up: VecDeque::new(),
            emissions: Vec::new(),
            fates: Vec::new(),
            dropped: Vec::new(),
            released: Vec::new(),
            ahead: None,
            spare: Vec::new(),
            counts: StationCounts::default(),
        }
    }

    /// Tells the station of a peer that joined.
    pub fn join(&mut self, node: NodeId, peer: Peer) {
        let index = usize::from(node.0);
        if self.peers.len() <= index {
            self.peers.resize(index + 1, Peer::default());
        }
        self.peers[index] = peer;
    }

    /// Data for `peer`, if this station sends to it at all, leaves at `rate` from the next new PPDU on; a frame or an A-MPDU that is waiting
    /// for a repetition, or for its CTS, outside of a BlockAck agreement keeps its own.
    ///
    /// The rate is one of the same PHY as before: what was agreed on A-MPDUs stands. Where the rate adapts, the next PPDU has its own all the same.
    pub fn set_rate(&mut self, peer: NodeId, rate: TxVector) {
        if let Some(link) = self.links.index(peer) {
            debug_assert_eq!(
                rate.can_aggregate(),
                self.links.rate(link).can_aggregate(),
                "a change of PHY is a new agreement"
            );
            self.links.set_rate(link, rate);
        }
    }

    /// What the other nodes learn of this one.
    pub fn as_peer(&self) -> Peer {
        Peer { capable: self.scheme.is_capable(), answer_delay: self.answer_delay() }
    }

    /// How much later than SIFS this station answers.
    fn answer_delay(&self) -> Duration {
        self.config.answer_delay + self.scheme.answer_delay()
    }

    /// This station.
    pub const fn node(&self) -> NodeId {
        self.config.node
    }

    /// The scheme on this station.
    pub const fn scheme(&self) -> &S {
        &self.scheme
    }

    /// What was counted.
    pub const fn counts(&self) -> &StationCounts {
        &self.counts
    }

    /// Packets that wait for `peer`, those to be sent again included.
    pub fn backlog(&self, peer: NodeId) -> usize {
        self.links.index(peer).map_or(0, |link| self.links.backlog(link))
    }

    /// Packets that count against the limit of the queue for a peer, or for any peer: those that wait, and with [`Bounds::in_flight`] the MPDUs without a fate.
    pub fn occupancy(&self, peer: Option<NodeId>) -> usize {
        let in_service = self.in_service.as_ref().filter(|frame| peer.is_none_or(|peer| frame.mpdu.receiver == peer));
        match (self.config.bounds, peer) {
            (Some(Bounds { in_flight: true, .. }), _) => {
                let links = 0..self.links.len();
                let counted = links.filter(|&link| peer.is_none_or(|peer| self.links.peer(link) == peer));
                counted.map(|link| self.links.with_in_flight(link)).sum::<usize>() + usize::from(in_service.is_some())
            }
            (_, Some(peer)) => self.backlog(peer),
            (_, None) => self.total_backlog(),
        }
    }

    /// Packets that wait for any peer.
    pub fn total_backlog(&self) -> usize {
        self.links.total_backlog()
    }

    /// Packets that came over the air and wait in reorder buffers behind a hole. Where the BlockAck Request that gives the hole up is itself
    /// lost for good, they wait until more comes.
    pub fn held_back(&self) -> usize {
        self.links.held_back()
    }

    /// Tells the scheme of a packet that the transport here has sent towards `to`, and that [`Self::enqueue`] will get later.
    pub fn announce(&mut self, now: Instant, pool: &mut PacketPool, packet: PacketId, to: NodeId) {
        let mut cx = context!(self, now, pool);
        self.scheme.on_sent(&mut cx, packet, to);
    }

    /// Takes a packet to send, with its reference: asks the scheme, then queues it. `flow` tells flows apart for FQ-CoDel.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        now: Instant,
        view: MediumView,
        pool: &mut PacketPool,
        packet: PacketId,
        route: Route,
        flow: u32,
    ) {
        let handle = self.new_handle();
        let qos = self.links.is_qos(route.next);
        let kind = if qos { MpduKind::QosData(self.config.tid) } else { MpduKind::Data };
        let mut options = SendOptions {
            receiver: route.next,
            destination: route.destination,
            source: route.source,
            ds: route.ds,
            kind,
            ack_policy: AckPolicy::Normal,
            rate: None,
        };
        let mut passes = Some(packet);
        if !self.scheme.is_stock() {
            let mut cx = context!(self, now, pool);
            let verdict = self.scheme.on_outgoing(&mut cx, packet, handle, &mut options);
            passes = carry_out(verdict, pool, packet);
        }
        if let Some(packet) = passes {
            self.queue(now, view, pool, queued(now, pool, packet, handle, options), flow);
        }
    }

    /// Queues a packet that the scheme itself emitted.
    pub fn enqueue_emitted(
        &mut self,
        now: Instant,
        view: MediumView,
        pool: &mut PacketPool,
        packet: PacketId,
        options: SendOptions,
        flow: u32,
    ) {
        let handle = self.new_handle();
        let mut cx = context!(self, now, pool);
        self.scheme.on_queued(&mut cx, packet, handle);
        self.queue(now, view, pool, queued(now, pool, packet, handle, options), flow);
    }

    /// Whether a packet for a neighbour would be dropped now by a full queue, with nothing else to follow from it: nobody need be told, and the medium is asked for already.
    #[inline]
    pub fn drops_at_once(&self, next: NodeId) -> bool {
        self.scheme.is_stock() && self.access.wants() && self.config.bounds.is_none() && self.links.is_full(next)
    }

    /// In place of [`Self::enqueue`], where [`Self::drops_at_once`] says so: the packet need not even have been made.
    #[inline]
    pub fn drop_unmade(&mut self) {
        self.new_handle();
        self.counts.queue_drops += 1;
    }

    /// Whether its scheme leaves everything as it is, and so neither emits nor waits for anything.
    #[inline(always)]
    pub fn is_stock(&self) -> bool {
        self.scheme.is_stock()
    }

    /// Whether its scheme has a say in what passes through it ([`Scheme::heeds_passage`]).
    #[inline(always)]
    pub fn heeds_passage(&self) -> bool {
        self.scheme.heeds_passage()
    }

    /// Asks the scheme about a packet that passes through this node. Returns what goes on.
    #[inline(always)]
    pub fn forward(
        &mut self,
        now: Instant,
        pool: &mut PacketPool,
        packet: PacketId,
        passage: Passage,
    ) -> Option<PacketId> {
        if !self.scheme.heeds_passage() {
            return Some(packet);
        }
        let mut cx = context!(self, now, pool);
        let verdict = self.scheme.on_forward(&mut cx, packet, passage);
        carry_out(verdict, pool, packet)
    }

    /// A beacon of this length (header and FCS included) is due: it goes with the next access.
    pub fn beacon_due(&mut self, now: Instant, view: MediumView, len: Bytes) {
        self.beacon = Some(len);
        self.request(now, view);
    }

    /// The next packet on its way up.
    pub fn poll_up(&mut self) -> Option<Upward> {
        self.up.pop_front()
    }

    /// The next packet that the scheme emitted.
    pub fn poll_emission(&mut self) -> Option<Emission> {
        if self.emissions.is_empty() { None } else { Some(self.emissions.remove(0)) }
    }

    /// Somebody began to send, perhaps this station.
    pub fn medium_busy(&mut self, now: Instant) {
        self.access.pause(now);
        self.exchange.hear_start();
    }

    /// The medium got busy, but no frame that the station could make out began: counters stop, and what is said of an awaited answer stands.
    pub fn energy_detected(&mut self, now: Instant) {
        self.access.pause(now);
    }

    /// The medium is idle, or the station's own exchange is over: counters run again.
    pub fn medium_idle(&mut self, now: Instant, view: MediumView) {
        if view.busy || self.is_engaged() || !self.access.is_paused() {
            return;
        }
        debug_assert!(view.idle_since <= now, "an idle medium has been left");
        let ifs = self.access.parameters().ifs;
        let damaged = view.unintelligible || self.damaged_at == Some(view.idle_since);
        let eifs = if damaged { self.config.eifs_extra } else { Duration::ZERO };
        let free = view.idle_since.max(self.free_since);
        let first_slot = (free + ifs).max(view.nav_until + ifs).max(view.idle_since + ifs + eifs);
        self.access.resume(free.max(view.nav_until), first_slot);
    }

    /// A frame that was not for this station is over: if an answer was awaited and that frame came first, none will come.
    pub fn overhear(&mut self, now: Instant, pool: &mut PacketPool) {
        if self.exchange.has_heard() {
            self.judge_damaged(now, pool);
        }
    }

    /// Whether the answer to a PPDU of this station is to come, or will be missed.
    pub const fn awaits_answer(&self) -> bool {
        matches!(self.exchange, Exchange::Awaiting { .. })
    }

    /// DIFS or AIFS of this station.
    pub const fn ifs(&self) -> Duration {
        self.config.access.ifs
    }

    /// When this station will begin to send if the medium stays idle.
    pub fn grant(&self) -> Option<Instant> {
        self.access.grant()
    }

    /// What the grant waits for.
    pub fn waited(&self) -> Option<Waited> {
        self.access.waited()
    }

    /// Whether it has something to send, or is in the middle of an exchange of its own.
    pub fn wants_medium(&self) -> bool {
        self.access.wants() || !self.exchange.is_idle()
    }

    /// Whether the station need not hear of the medium until it has something to send.
    pub fn is_settled(&self, now: Instant) -> bool {
        !self.is_engaged() && self.access.is_settled(now)
    }

    /// When to call [`Self::wake`].
    pub fn poll_timeout(&self) -> Option<Instant> {
        let answer = self.answer.as_ref().map(|answer| answer.at);
        Instant::earlier(Instant::earlier(answer, self.exchange.deadline()), self.scheme.poll_timeout())
    }

    /// The time that [`Self::poll_timeout`] named has come. Returns what goes on the air in this instant.
    pub fn wake(&mut self, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        if self.scheme.poll_timeout().is_some_and(|at| at <= now) {
            let mut cx = context!(self, now, pool);
            self.scheme.on_timer(&mut cx);
        }
        if self.answer.as_ref().is_some_and(|answer| answer.at <= now) {
            return self.send_answer(now, pool);
        }
        self.continue_exchange(now, pool)
    }

    /// Whether a frame exchange of this station is under way, as initiator or as responder.
    fn is_engaged(&self) -> bool {
        !self.exchange.is_idle() || self.answer.is_some()
    }

    #[inline(always)]
    fn queue(&mut self, now: Instant, view: MediumView, pool: &mut PacketPool, item: Queued, flow: u32) {
        match self.config.bounds {
            Some(bounds) if self.overflows(bounds, &item) => self.dropped.push(item),
            // Nobody need be told of what a full queue drops on a stock node.
            _ if self.scheme.is_stock() => self.links.push(item, flow, |victim| {
                self.counts.queue_drops += 1;
                pool.release(victim.packet);
            }),
            _ => self.links.push(item, flow, |victim| self.dropped.push(victim)),
        }
        if self.links.has_device() {
            self.links.feed(now, pool, &mut self.dropped);
        }
        self.settle_drops(now, pool);
        self.request(now, view);
    }

    /// Whether a packet has no room in the queue for its receiver.
    #[cold]
    fn overflows(&self, bounds: Bounds, item: &Queued) -> bool {
        let link = self.links.link_of(item);
        let peer = (!bounds.shared).then(|| self.links.peer(link));
        self.links.limit(link).is_some_and(|limit| self.occupancy(peer) >= limit)
    }

    /// Tells the scheme which packets were dropped, and lets them go.
    #[inline(always)]
    fn settle_drops(&mut self, now: Instant, pool: &mut PacketPool) {
        if !self.dropped.is_empty() {
            self.let_go_of_dropped(now, pool);
        }
    }

    #[inline(never)]
    fn let_go_of_dropped(&mut self, now: Instant, pool: &mut PacketPool) {
        let mut dropped = std::mem::take(&mut self.dropped);
        for queued in dropped.drain(..) {
            self.counts.queue_drops += 1;
            if !self.scheme.is_stock() {
                let mut cx = context!(self, now, pool);
                self.scheme.on_dropped(&mut cx, queued.handle);
            }
            pool.release(queued.packet);
        }
        self.dropped = dropped;
    }

    /// Asks for the medium if there is something to send.
    fn request(&mut self, now: Instant, view: MediumView) {
        if self.access.wants() || !self.has_work() {
            return;
        }
        if self.access.is_settled(now) {
            // A settled station was not told what the medium did. It has no counter left, so nothing is lost by looking now.
            self.access.pause(now);
            self.medium_idle(now, view);
        }
        if view.ending && self.config.idle_at_end {
            return self.access.request_without_draw(now);
        }
        self.access.request(now);
    }

    /// Whether anything waits to be sent.
    fn has_work(&self) -> bool {
        self.beacon.is_some() || self.reserved.is_some() || self.in_service.is_some() || self.links.any_ready()
    }

    fn new_handle(&mut self) -> FrameHandle {
        self.next_handle += 1;
        FrameHandle(self.next_handle)
    }

    /// How an answer to a frame sent with `eliciting` is sent.
    fn answer_rate(&self, eliciting: TxVector) -> TxVector {
        self.config.fixed_answer.unwrap_or_else(|| eliciting.answer(&self.config.basic_rates))
    }

    fn peer(&self, node: NodeId) -> Peer {
        self.peers.get(usize::from(node.0)).copied().unwrap_or_default()
    }
}

/// A packet as it stands in a queue from `now` on.
#[inline(always)]
fn queued(now: Instant, pool: &PacketPool, packet: PacketId, handle: FrameHandle, options: SendOptions) -> Queued {
    let Content { len, payload_len, tcp_ack, .. } = Content::of(packet, pool);
    Queued { handle, packet, len, payload_len, tcp_ack, enqueued: now, options }
}

/// Carries a scheme's verdict out; what goes on, if anything.
fn carry_out(verdict: Verdict, pool: &mut PacketPool, packet: PacketId) -> Option<PacketId> {
    match verdict {
        Verdict::Pass => Some(packet),
        Verdict::Hold => None,
        Verdict::Swallow => {
            pool.release(packet);
            None
        }
        Verdict::Replace(other) => {
            pool.release(packet);
            Some(other)
        }
    }
}

#[cfg(test)]
mod tests;

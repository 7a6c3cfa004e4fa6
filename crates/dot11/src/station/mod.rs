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
//! The parts: `intake` takes packets in, `medium` hears the medium and asks for it, `compose` puts PPDUs together, `initiate` sends them on a won access and judges their answers, `exchange` says how far
//! that has come, `respond` takes PPDUs in and answers them, `links` holds what waits for each peer and was agreed with it, `amsdu` says how long A-MSDUs may be, `crowd` counts the slots of many at once.
//!
//! Not modelled: association, ADDBA and other management exchanges, fragmentation, power saving, several access categories at once,
//! A-MSDU outside of a BlockAck agreement, NAV reset after an RTS without CTS (optional in 802.11-2020, 10.3.2.4).

use std::collections::VecDeque;

use ackless_phy::TxVector;
use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Duration, Instant, PacketId, PacketPool};

use crate::access::ChannelAccess;
use crate::block_ack::Fate;
use crate::frame::{FrameHandle, MacSeq, Mpdu, NodeId, Ppdu};
use crate::hooks::{Emission, Peer, Scheme, Verdict};
use crate::queue::{Queued, SchedulerKind};

/// A [`Context`](crate::hooks::Context) for one question to the scheme. A macro, so that the borrow checker sees which fields it takes.
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

mod amsdu;
mod compose;
mod config;
mod crowd;
mod exchange;
mod initiate;
mod intake;
mod links;
mod medium;
mod respond;

pub use config::{Aggregation, Amsdu, LinkConfig, MacConfig, QueueBounds, Route};
pub use crowd::Crowd;
use exchange::{AwaitingCts, Exchange, InService};
pub use intake::Intake;
use links::Links;
pub use medium::MediumView;
use respond::{DueAnswer, WantedAnswer};

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
    awaiting_cts: Option<AwaitingCts>,
    /// What it will answer to the frame that has just come.
    answer: Option<DueAnswer>,
    /// A beacon of this length is due.
    beacon: Option<Bytes>,
    /// Until when the won access lasts; `None` where it is one exchange.
    txop_end: Option<Instant>,
    /// The last damaged frame ended then.
    damaged_at: Option<Instant>,
    /// The last own frame exchange ended then, in success or in a timeout.
    exchange_ended: Instant,
    next_handle: u32,
    next_group_seq: MacSeq,
    /// On the way up: taken by [`Self::poll_up`].
    up: VecDeque<Upward>,
    /// What the scheme wants done: taken by [`Self::poll_emission`].
    emissions: Vec<Emission>,
    /// How many of the first have been taken.
    emissions_taken: usize,
    /// MPDUs that the answer at hand has settled, until the scheme is told.
    fates: Vec<(Mpdu, Fate)>,
    /// Packets that a queue has dropped, until the scheme is told.
    dropped: Vec<Queued>,
    /// What has just left the reorder buffer, or needs none, until it is handed up.
    released: Vec<Mpdu>,
    /// What answer the PPDU wants that was received ahead of its end, once that has come.
    received_ahead: Option<WantedAnswer>,
    /// Empty buffers of PPDUs that are over, to be filled again.
    spare_buffers: Vec<Vec<Mpdu>>,
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

/// What a station counts by itself; frames on the air are counted by whoever watches the medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StationCounts {
    /// Answers that did not come in time.
    pub timeouts: u64,
    /// MPDUs given up.
    pub given_up: u64,
    /// Packets dropped because the queue was full, or by its management.
    pub queue_drops: u64,
    /// Packets marked in place of being dropped (ECN).
    pub ecn_marks: u64,
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
            awaiting_cts: None,
            answer: None,
            beacon: None,
            txop_end: None,
            damaged_at: None,
            exchange_ended: Instant::ZERO,
            next_handle: 0,
            next_group_seq: MacSeq::default(),
            up: VecDeque::new(),
            emissions: Vec::new(),
            emissions_taken: 0,
            fates: Vec::new(),
            dropped: Vec::new(),
            released: Vec::new(),
            received_ahead: None,
            spare_buffers: Vec::new(),
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

    /// Data for `peer`, if any goes there, leaves at `rate` from the next new PPDU on; what waits outside of a BlockAck agreement for its repetition or its CTS keeps its own.
    /// The rate is one of the same PHY as before. Where it adapts, the next PPDU has its own all the same.
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
    pub fn counts(&self) -> StationCounts {
        StationCounts { ecn_marks: self.links.marks(), ..self.counts }
    }

    /// Packets that wait for `peer`, those to be sent again included.
    pub fn backlog(&self, peer: NodeId) -> usize {
        self.links.index(peer).map_or(0, |link| self.links.backlog(link))
    }

    /// Packets that count against the limit of the queue for a peer, or for any peer: those that wait, and with [`QueueBounds::in_flight`] the MPDUs without a fate.
    pub fn occupancy(&self, peer: Option<NodeId>) -> usize {
        let in_service = self.in_service.as_ref().filter(|frame| peer.is_none_or(|peer| frame.mpdu.receiver == peer));
        match (self.config.bounds, peer) {
            (Some(QueueBounds { in_flight: true, .. }), _) => {
                let counted = self.links.ids().filter(|&link| peer.is_none_or(|peer| self.links.peer(link) == peer));
                counted.map(|link| self.links.with_in_flight(link)).sum::<usize>() + usize::from(in_service.is_some())
            }
            (_, Some(peer)) => self.backlog(peer),
            (_, None) => self.total_backlog(),
        }
    }

    /// How many packets the queue for a peer has room for, where its limit is in packets.
    pub fn queue_room(&self, peer: NodeId) -> Option<usize> {
        let limit = self.links.limit(self.links.index(peer)?)?;
        let shared = self.config.bounds.is_some_and(|bounds| bounds.shared);
        Some(limit.saturating_sub(self.occupancy((!shared).then_some(peer))))
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

    /// Whether its scheme ever has something go up because of what the host here sends.
    #[inline(always)]
    pub fn answers_upward(&self) -> bool {
        self.scheme.answers_upward()
    }

    /// When its scheme is to be woken.
    #[inline(always)]
    pub fn scheme_deadline(&self) -> Option<Instant> {
        self.scheme.poll_timeout()
    }

    /// Whether nothing is to be done for its scheme: it has emitted nothing, and is to be woken at `deadline` still.
    #[inline(always)]
    pub fn is_quiet(&self, deadline: Option<Instant>) -> bool {
        self.scheme.is_stock() || self.emissions.is_empty() && self.scheme.poll_timeout() == deadline
    }

    /// Whether it has emitted nothing, and need still be woken at `deadline`, which lies far in the future for never.
    #[inline(always)]
    pub fn still_waits_for(&self, deadline: Instant) -> bool {
        self.emissions.is_empty() && self.poll_timeout().unwrap_or(Instant::FAR_FUTURE) == deadline
    }

    /// Whether nothing is on its way up, and the scheme has emitted nothing that has not been taken.
    #[inline]
    pub fn is_drained(&self) -> bool {
        self.up.is_empty() && self.emissions.is_empty()
    }

    /// The next packet on its way up.
    #[inline]
    pub fn poll_up(&mut self) -> Option<Upward> {
        self.up.pop_front()
    }

    /// The packet that [`Self::poll_up`] would take.
    #[inline]
    pub fn peek_up(&self) -> Option<PacketId> {
        self.up.front().map(|upward| upward.packet)
    }

    /// The packet that goes up or onwards next: one on its way up, or, where there is none, what the scheme emitted next, if that is [`Emission::Onward`].
    #[inline]
    pub fn peek_onward(&self) -> Option<PacketId> {
        match (self.up.front(), self.emissions.get(self.emissions_taken)) {
            (Some(upward), _) => Some(upward.packet),
            (None, Some(Emission::Onward(packet, _))) => Some(*packet),
            _ => None,
        }
    }

    /// Takes the packet that [`Self::peek_onward`] shows.
    #[inline]
    pub fn poll_onward(&mut self) {
        if self.up.pop_front().is_none() {
            self.poll_emission();
        }
    }

    /// The next packet that the scheme emitted.
    pub fn poll_emission(&mut self) -> Option<Emission> {
        let emission = *self.emissions.get(self.emissions_taken)?;
        self.emissions_taken += 1;
        if self.emissions_taken == self.emissions.len() {
            self.emissions.clear();
            self.emissions_taken = 0;
        }
        Some(emission)
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

/// Carries a scheme's verdict out; what goes on, if anything.
#[inline(always)]
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

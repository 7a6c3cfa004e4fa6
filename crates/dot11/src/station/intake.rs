//! Packets on their way into the queues: from the host, from the scheme, and those that pass through the node; and those that find no room.

use ackless_wire::{Instant, Packet, PacketId, PacketPool};

use super::links::LinkId;
use super::{MediumView, QueueBounds, Route, Station, carry_out};
use crate::frame::{AckPolicy, FrameHandle, MpduKind, NodeId};
use crate::hooks::{Content, Passage, Scheme, SendOptions};
use crate::queue::{Fifo, Queued};

/// Where packets that go one way are queued while the medium is asked for already: [`Station::enqueue`] would put each that passes where it is put here, and nothing else follows from it.
#[derive(Debug)]
pub struct Intake<'s, S> {
    scheme: &'s mut S,
    node: NodeId,
    /// How they are sent, where a scheme is to be asked.
    asked: Option<SendOptions>,
    fifo: &'s mut Fifo,
    like: &'s Queued,
    next_handle: &'s mut u32,
}

impl<S: Scheme> Intake<'_, S> {
    /// Whether a packet passes that is handed over now. One that does is to be [taken](Self::take), or dropped where there is no room.
    #[inline(always)]
    pub fn passes(&mut self, now: Instant, packet: &Packet) -> bool {
        self.asked.is_none_or(|options| self.scheme.on_passing(now, self.node, packet, &options))
    }

    /// Whether there is room for one more.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.fifo.len() < self.fifo.limit()
    }

    /// Queues a packet that [passes](Self::passes), with its reference. There must be room.
    #[inline(always)]
    pub fn take(&mut self, now: Instant, packet: PacketId, pool: &PacketPool) {
        *self.next_handle += 1;
        self.fifo.push_like(self.like, now, Content::of(packet, pool), FrameHandle(*self.next_handle));
    }
}

impl<S: Scheme> Station<S> {
    /// Where packets that go this way are queued, if another one has gone it and nobody but the queue has a say in it.
    #[inline]
    pub fn intake(&mut self, route: Route) -> Option<Intake<'_, S>> {
        if !(self.queues_plainly() && self.access.wants()) {
            return None;
        }
        let link = self.links.index(route.next)?;
        let asked = (!self.scheme.is_stock()).then(|| self.options(route, Some(link)));
        let (fifo, like) = self.links.intake(link, route)?;
        let (scheme, node) = (&mut self.scheme, self.config.node);
        Some(Intake { scheme, node, asked, fifo, like, next_handle: &mut self.next_handle })
    }

    /// [`Self::enqueue`] for packets that a transport here has sent one behind another and that go this way: of as many at the start as the scheme holds. Returns how many these are.
    #[inline]
    pub fn enqueue_held(&mut self, now: Instant, pool: &mut PacketPool, packets: &[PacketId], route: Route) -> usize {
        let options = self.options(route, self.links.index(route.next));
        let mut cx = context!(self, now, pool);
        self.scheme.on_run_outgoing(&mut cx, packets, &options)
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
        let known = self.links.index(route.next);
        let plain = self.queues_plainly();
        if !self.scheme.is_stock() {
            let mut options = self.options(route, known);
            let mut cx = context!(self, now, pool);
            let verdict = self.scheme.on_outgoing(&mut cx, packet, handle, &mut options);
            let Some(packet) = carry_out(verdict, pool, packet) else { return };
            if plain
                && let Some(link) = known
                && self.links.push_like(link, route, now, Content::of(packet, pool), handle)
            {
                return self.request(now, view);
            }
            let item = Queued::new(now, self.config.node, Content::of(packet, pool), handle, options);
            return self.queue_anew(now, view, pool, (route, item), flow);
        }
        if plain && let Some(link) = known {
            if self.links.push_like(link, route, now, Content::of(packet, pool), handle) {
                return self.request(now, view);
            }
            if self.links.is_full(route.next) {
                self.counts.queue_drops += 1;
                pool.release(packet);
                return self.request(now, view);
            }
        }
        let options = self.options(route, known);
        let item = Queued::new(now, self.config.node, Content::of(packet, pool), handle, options);
        let link = known.unwrap_or_else(|| self.links.link_of(&item));
        if plain {
            self.links.note_route(link, route, item);
        }
        self.queue(now, view, pool, (item, link), flow);
    }

    /// Queues a packet as its scheme has left it, which may have chosen another receiver.
    #[inline(never)]
    fn queue_anew(
        &mut self,
        now: Instant,
        view: MediumView,
        pool: &mut PacketPool,
        (route, item): (Route, Queued),
        flow: u32,
    ) {
        let link = self.links.link_of(&item);
        if self.queues_plainly() {
            self.links.note_route(link, route, item);
        }
        self.queue(now, view, pool, (item, link), flow);
    }

    /// Whether packets that go the same way are queued alike: no scheme has a say in how they are sent, and no limit beside the queue's own or device in whether they are queued.
    #[inline(always)]
    fn queues_plainly(&self) -> bool {
        !self.scheme.changes_options() && self.config.bounds.is_none() && !self.links.has_device()
    }

    /// How a packet goes its way, on a link that may be known.
    #[inline(always)]
    fn options(&self, route: Route, link: Option<LinkId>) -> SendOptions {
        let qos = link.is_some_and(|link| self.links.is_qos(link));
        SendOptions {
            receiver: route.next,
            destination: route.destination,
            source: route.source,
            ds: route.ds,
            kind: if qos { MpduKind::QosData(self.config.tid) } else { MpduKind::Data },
            ack_policy: AckPolicy::Normal,
            rate: None,
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
        let item = Queued::new(now, self.config.node, Content::of(packet, pool), handle, options);
        let link = self.links.link_of(&item);
        self.queue(now, view, pool, (item, link), flow);
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

    #[inline(always)]
    fn queue(
        &mut self,
        now: Instant,
        view: MediumView,
        pool: &mut PacketPool,
        (item, link): (Queued, LinkId),
        flow: u32,
    ) {
        match self.config.bounds {
            Some(bounds) if self.overflows(bounds, link) => self.dropped.push(item),
            // Nobody need be told of what a full queue drops on a stock node.
            _ if self.scheme.is_stock() => self.links.push(link, item, flow, |victim| {
                self.counts.queue_drops += 1;
                pool.release(victim.mpdu.packet);
            }),
            _ => self.links.push(link, item, flow, |victim| self.dropped.push(victim)),
        }
        if self.links.has_device() {
            self.links.feed(now, pool, &mut self.dropped);
        }
        self.settle_drops(now, pool);
        self.request(now, view);
    }

    /// Whether one more packet has no room in the queue of a link.
    #[cold]
    fn overflows(&self, bounds: QueueBounds, link: LinkId) -> bool {
        let peer = (!bounds.shared).then(|| self.links.peer(link));
        self.links.limit(link).is_some_and(|limit| self.occupancy(peer) >= limit)
    }

    /// Tells the scheme which packets were dropped, and lets them go.
    #[inline(always)]
    pub(super) fn settle_drops(&mut self, now: Instant, pool: &mut PacketPool) {
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
                self.scheme.on_dropped(&mut cx, queued.mpdu.handle);
            }
            pool.release(queued.mpdu.packet);
        }
        self.dropped = dropped;
    }
}

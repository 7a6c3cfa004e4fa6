//! What waits for each peer: what is queued on a link, withdrawn from it and given to a device.

use ackless_wire::{Bytes, Instant, PacketId, PacketPool};

use super::{Link, LinkId, Links};
use crate::frame::{FrameHandle, Mpdu, NodeId};
use crate::hooks::{Content, Withdraw};
use crate::queue::{Device, Fifo, Queued, TxQueue, expected_airtime};
use crate::station::Route;

impl Links {
    /// Queues a packet on [its link](Self::link_of). `drop` gets what is dropped for it, with its packet's reference.
    #[inline(always)]
    pub(in crate::station) fn push(&mut self, link: LinkId, item: Queued, flow: u32, drop: impl FnMut(Queued)) {
        let Link { popped, queue, .. } = &mut self.links[link.0];
        let was_empty = popped.is_none() && queue.is_empty();
        queue.push(item, flow, drop);
        // What comes behind others changes neither whether nor since when something waits.
        if was_empty {
            self.refresh(link);
        }
    }

    /// As [`push`](Self::push), for a packet with this content and name that goes the same `route` as one before it, into a fifo with room. Returns whether that is so: else nothing has happened.
    #[inline(always)]
    pub(in crate::station) fn push_like(
        &mut self,
        link: LinkId,
        route: Route,
        now: Instant,
        content: Content,
        handle: FrameHandle,
    ) -> bool {
        let Link { popped, queue: TxQueue::Fifo(fifo), last: Some((last, like)), .. } = &mut self.links[link.0] else {
            return false;
        };
        if *last != route || fifo.len() >= fifo.limit() {
            return false;
        }
        let was_empty = popped.is_none() && fifo.is_empty();
        fifo.push_like(like, now, content, handle);
        if was_empty {
            self.refresh(link);
        }
        true
    }

    /// The fifo of a link in which something waits, and what goes into it on this `route` is like, as [`push_like`](Self::push_like) has it.
    pub(in crate::station) fn intake(&mut self, link: LinkId, route: Route) -> Option<(&mut Fifo, &Queued)> {
        match &mut self.links[link.0] {
            Link { queue: TxQueue::Fifo(fifo), last: Some((last, like)), .. } if *last == route && !fifo.is_empty() => {
                Some((fifo, like))
            }
            _ => None,
        }
    }

    /// What goes on this route over a link is like `item`, but for what is in it.
    pub(in crate::station) fn note_route(&mut self, link: LinkId, route: Route, item: Queued) {
        self.links[link.0].last = Some((route, item));
    }

    /// Whether what comes for a peer finds a queue full that drops it for that.
    #[inline]
    pub(in crate::station) fn is_full(&self, peer: NodeId) -> bool {
        match self.index(peer).map(|link| &self.links[link.0].queue) {
            Some(TxQueue::Fifo(fifo)) => fifo.len() >= fifo.limit(),
            _ => false,
        }
    }

    /// Whether there is a device that is given packets in advance.
    pub(in crate::station) fn has_device(&self) -> bool {
        self.device.is_some()
    }

    /// Gives the device what it has room for of what waits: a packet to each receiver in turn. What queue management drops is added to `dropped`.
    ///
    /// Linux's order among receivers is by air time here too (`ieee80211_next_txq`); who is sent to next is the scheduler's matter.
    #[cold]
    pub(in crate::station) fn feed(&mut self, now: Instant, pool: &mut PacketPool, dropped: &mut Vec<Queued>) {
        let Some(mut device) = self.device.take() else { return };
        loop {
            let mut moved = false;
            for link in device.round().map(LinkId) {
                if device.has_room(link.0) && self.links[link.0].feed(link, &mut device, now, pool, dropped) {
                    moved = true;
                    self.refresh(link);
                }
            }
            if !moved {
                break;
            }
        }
        self.device = Some(device);
    }

    /// The device is done with these frames.
    #[cold]
    pub(in crate::station) fn free_in_device(&mut self, frames: impl Iterator<Item = FrameHandle>) {
        if let Some(device) = &mut self.device {
            frames.for_each(|frame| device.free(frame));
        }
    }

    /// The link in whose queue a packet waits: that of its receiver, alone in its group or not; if it is for all, that of its destination, or the first.
    pub(in crate::station) fn link_of(&self, item: &Queued) -> LinkId {
        self.index(item.mpdu.receiver).unwrap_or_else(|| self.index_of_group(&item.mpdu))
    }

    /// The limit of a link's queue, where it is one in packets.
    pub(in crate::station) fn limit(&self, link: LinkId) -> Option<usize> {
        self.links[link.0].queue.limit()
    }

    /// Packets that wait on a link, and MPDUs without a fate: of an A-MSDU no more than one, as in ns-3.
    pub(in crate::station) fn with_in_flight(&self, link: LinkId) -> usize {
        let link = &self.links[link.0];
        let sent = link.agreement.as_ref().map_or(0, |agreement| agreement.originator.without_fate());
        link.queue.len() + usize::from(link.popped.is_some()) + sent
    }

    /// The link in whose queue a frame to a group waits.
    #[cold]
    fn index_of_group(&self, mpdu: &Mpdu) -> LinkId {
        let [receiver, destination] = [mpdu.receiver, mpdu.destination].map(NodeId::station);
        self.index(receiver).or_else(|| self.index(destination)).unwrap_or(LinkId(0))
    }

    /// Packets that wait on a link, those to be sent again included.
    pub(in crate::station) fn backlog(&self, link: LinkId) -> usize {
        let link = &self.links[link.0];
        let again = link.agreement.as_ref().map_or(0, |agreement| agreement.originator.backlog());
        link.queue.len() + usize::from(link.popped.is_some()) + again
    }

    /// Packets that the queues of all links have marked.
    pub(in crate::station) fn marks(&self) -> u64 {
        self.links.iter().map(|link| link.marks).sum()
    }

    /// Packets that wait on all links.
    pub(in crate::station) fn total_backlog(&self) -> usize {
        self.ids().map(|link| self.backlog(link)).sum()
    }

    /// The length of what would be sent first on a link, alone.
    pub(in crate::station) fn first_len(&self, link: LinkId) -> Option<Bytes> {
        let link = &self.links[link.0];
        let again = link.agreement.as_ref().and_then(|agreement| {
            let originator = &agreement.originator;
            originator.unacknowledged().next().map(|mpdu| originator.len_of(mpdu))
        });
        again.or_else(|| link.popped.as_ref().or_else(|| link.queue.peek()).map(|queued| queued.mpdu.len()))
    }
}

/// What a device has been given is out of reach.
impl Withdraw for Links {
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId> {
        for id in self.ids() {
            let link = &mut self.links[id.0];
            let reachable = self.device.is_none();
            let popped = link.popped.take_if(|queued| reachable && queued.mpdu.handle == handle);
            if let Some(queued) = popped.or_else(|| link.queue.withdraw(handle)) {
                self.refresh(id);
                return Some(queued.mpdu.packet);
            }
        }
        None
    }

    fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let reachable = self.device.is_none();
        self.links.iter_mut().find_map(|link| {
            let popped = link.popped.as_mut().filter(|queued| reachable && queued.mpdu.handle == handle);
            match popped {
                Some(queued) => Some(queued.exchange(content)),
                None => link.queue.exchange(handle, content),
            }
        })
    }

    fn is_with_device(&self, handle: FrameHandle) -> bool {
        self.device.as_ref().is_some_and(|device| device.holds(handle))
    }
}

impl Link {
    /// Lets queue management hand over the next packet, unless one is there.
    #[inline(always)]
    pub(super) fn pop_next(&mut self, now: Instant, pool: &mut PacketPool, dropped: &mut Vec<Queued>) {
        if self.popped.is_none() {
            self.popped = match &mut self.queue {
                TxQueue::Fifo(fifo) => fifo.pop(),
                managed => pop_managed(managed, now, pool, (dropped, &mut self.marks)),
            };
        }
    }

    /// Gives the device the next packet. Whether there was one.
    fn feed(
        &mut self,
        id: LinkId,
        device: &mut Device,
        now: Instant,
        pool: &mut PacketPool,
        dropped: &mut Vec<Queued>,
    ) -> bool {
        let TxQueue::Staged(staged) = &mut self.queue else { return false };
        let marks = staged.above().marks();
        let Some(item) = staged.move_down(now, |victim| manage(victim, marks, pool, (dropped, &mut self.marks))) else {
            return false;
        };
        let rate = item.rate.unwrap_or(self.rate);
        let aggregates = self.agrees(&item);
        device.take(id.0, item.mpdu.handle, expected_airtime(item.mpdu.len(), rate, aggregates));
        true
    }
}

#[inline(never)]
fn pop_managed(
    queue: &mut TxQueue,
    now: Instant,
    pool: &mut PacketPool,
    (dropped, marked): (&mut Vec<Queued>, &mut u64),
) -> Option<Queued> {
    let marks = queue.marks();
    queue.pop(now, |victim| manage(victim, marks, pool, (dropped, marked)))
}

/// What becomes of a packet that queue management does not want: it is marked, counted and given
/// back, if that is done and may be, or dropped.
fn manage(
    victim: Queued,
    marks: bool,
    pool: &mut PacketPool,
    (dropped, marked): (&mut Vec<Queued>, &mut u64),
) -> Option<Queued> {
    if marks && pool.mark(victim.mpdu.packet) {
        *marked += 1;
        return Some(victim);
    }
    dropped.push(victim);
    None
}

//! What waits for each peer, and what was agreed with it.

use ackless_phy::{AmpduLength, MAX_PPDU, TxVector};
use ackless_wire::{Bytes, Duration, Instant, PacketId, PacketPool};

use super::{Aggregation, Amsdu, LinkConfig, Route};
use crate::block_ack::{DuplicateCache, Originator, Recipient};
use crate::frame::{AMSDU_PAD, FCS_LEN, FrameHandle, MacSeq, Mpdu, NodeId, amsdu_subframe_len};
use crate::hooks::{Content, Withdraw};
use crate::queue::{Device, DeviceLimit, Fifo, Queued, Scheduler, SchedulerKind, Staged, TxQueue, expected_airtime};
use crate::rate::{Attempt, RateControl};

/// All peers of one station that it sends to or has agreements with. A link is named by its place.
#[derive(Debug)]
pub(super) struct Links {
    links: Vec<Link>,
    /// The link of each node number.
    by_node: Vec<Option<u16>>,
    scheduler: Scheduler,
    current: usize,
    /// What holds what PPDUs are built from, if that is not taken from the queues themselves.
    device: Option<Box<Device>>,
}

#[derive(Debug)]
struct Link {
    peer: NodeId,
    rate: TxVector,
    /// What chooses the rate, where it adapts.
    rate_control: Option<RateControl>,
    /// What it has chosen beside the rate: whether an RTS goes before the next PPDU, and whether that has one MPDU at most.
    rts_first: bool,
    one_mpdu: bool,
    /// And the longest A-MSDU.
    max_amsdu: Bytes,
    qos: bool,
    max_psdu: Bytes,
    /// For what is sent to the peer.
    agreement: Option<Agreement>,
    /// For what comes from the peer.
    recipient: Option<Recipient>,
    queue: TxQueue,
    /// A packet that queue management has let go but that has not been sent yet.
    head: Option<Queued>,
    /// A packet that a stock node has queued, and its way.
    last: Option<(Route, Queued)>,
    next_single_seq: MacSeq,
    duplicates: DuplicateCache,
}

#[derive(Debug)]
struct Agreement {
    terms: Aggregation,
    originator: Originator,
}

/// What comes next on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Head {
    /// Nothing.
    Nothing,
    /// Something under the BlockAck agreement.
    Agreement,
    /// A packet that is sent outside of any agreement.
    OutsideAgreement,
}

impl Links {
    pub(super) fn new(links: Vec<LinkConfig>, scheduler: SchedulerKind, device: Option<DeviceLimit>) -> Self {
        let nodes = links.iter().map(|link| usize::from(link.peer.0) + 1).max().unwrap_or(0);
        let mut by_node = vec![None; nodes];
        for (index, link) in links.iter().enumerate() {
            by_node[usize::from(link.peer.0)] = Some(index as u16);
        }
        let scheduler = Scheduler::new(scheduler, links.len());
        let device_of = |limit| Box::new(Device::new(limit, links.len()));
        let device = device.map(device_of);
        let links = links.into_iter().map(|config| Link::new(config, device.is_some())).collect();
        Self { links, by_node, scheduler, current: 0, device }
    }

    /// The link to a peer.
    pub(super) fn index(&self, peer: NodeId) -> Option<usize> {
        self.by_node.get(usize::from(peer.0)).copied().flatten().map(usize::from)
    }

    pub(super) fn peer(&self, link: usize) -> NodeId {
        self.links[link].peer
    }

    /// Whether the peer of a link understands QoS Data.
    pub(super) fn is_qos(&self, link: usize) -> bool {
        self.links[link].qos
    }

    pub(super) fn rate(&self, link: usize) -> TxVector {
        self.links[link].rate
    }

    /// How data is sent to a peer from its next PPDU on.
    pub(super) fn set_rate(&mut self, link: usize, rate: TxVector) {
        let link = &mut self.links[link];
        (link.rate, link.max_psdu) = (rate, max_psdu(rate, link.agreement.as_ref().map(|agreement| agreement.terms)));
    }

    /// Whether the rate to a peer adapts.
    pub(super) fn adapts(&self, link: usize) -> bool {
        self.links[link].rate_control.is_some()
    }

    /// Where the rate to a peer adapts, it is chosen for the PPDU that is put together now.
    /// `last`: it is the last try of a frame outside of the agreement that has failed before; of MPDUs under it the link knows by itself.
    pub(super) fn choose_rate(&mut self, link: usize, now: Instant, last: bool, retry_limit: u32) {
        if self.adapts(link) {
            self.adapt(link, now, last, retry_limit);
        }
    }

    #[cold]
    fn adapt(&mut self, link: usize, now: Instant, last: bool, retry_limit: u32) {
        let Link { rate_control, agreement, .. } = &mut self.links[link];
        let last = last || agreement.as_ref().is_some_and(|agreement| agreement.originator.has_last_try(retry_limit));
        let Some(rate_control) = rate_control else { return };
        let attempt = rate_control.choose(now, last);
        if attempt.rate != self.links[link].rate {
            self.set_rate(link, attempt.rate);
        }
        let link = &mut self.links[link];
        (link.rts_first, link.one_mpdu, link.max_amsdu) = (attempt.protect, attempt.alone, attempt.amsdu);
    }

    /// Whether an RTS goes before the next PPDU because its rate asks for it.
    pub(super) fn is_protected(&self, link: usize) -> bool {
        self.links[link].rts_first
    }

    /// What became of the PPDU whose rate was last chosen: of the MPDUs sent so many were acknowledged. `over`: none will be sent again.
    #[cold]
    pub(super) fn report(&mut self, link: usize, now: Instant, sent: u32, acknowledged: u32, over: bool) {
        if let Some(rate_control) = &mut self.links[link].rate_control {
            rate_control.report(now, sent, acknowledged, over);
        }
    }

    /// Whether MPDUs go to a peer under a BlockAck agreement.
    pub(super) fn has_agreement(&self, link: usize) -> bool {
        self.links[link].agreement.is_some()
    }

    /// The longest PSDU outside of a TXOP limit.
    pub(super) fn max_psdu(&self, link: usize) -> Bytes {
        self.links[link].max_psdu
    }

    pub(super) fn max_mpdus(&self, link: usize) -> u16 {
        if self.links[link].one_mpdu {
            return 1;
        }
        self.links[link].agreement.as_ref().map_or(1, |agreement| agreement.terms.max_mpdus)
    }

    pub(super) fn ampdu_length(&self, link: usize) -> AmpduLength {
        let link = &self.links[link];
        AmpduLength::new(link.rate, link.agreed().terms.spacing)
    }

    /// Queues a packet on [its link](Self::link_of). `drop` gets what is dropped for it, with its packet's reference.
    #[inline(always)]
    pub(super) fn push(&mut self, link: usize, item: Queued, flow: u32, drop: impl FnMut(Queued)) {
        let Link { head, queue, .. } = &mut self.links[link];
        let was_empty = head.is_none() && queue.is_empty();
        queue.push(item, flow, drop);
        // What comes behind others changes neither whether nor since when something waits.
        if was_empty {
            self.refresh(link);
        }
    }

    /// As [`push`](Self::push), for a packet with this content and name that goes the same `way` as one before it, into a fifo with room. Returns whether that is so: else nothing has happened.
    #[inline(always)]
    pub(super) fn push_like(
        &mut self,
        link: usize,
        way: Route,
        now: Instant,
        content: Content,
        handle: FrameHandle,
    ) -> bool {
        let Link { head, queue: TxQueue::Fifo(fifo), last: Some((last, like)), .. } = &mut self.links[link] else {
            return false;
        };
        if *last != way || fifo.len() >= fifo.limit() {
            return false;
        }
        let was_empty = head.is_none() && fifo.is_empty();
        fifo.push_like(like, now, content, handle);
        if was_empty {
            self.refresh(link);
        }
        true
    }

    /// The fifo of a link in which something waits, and what goes into it this `way` is like, as [`push_like`](Self::push_like) has it.
    pub(super) fn intake(&mut self, link: usize, way: Route) -> Option<(&mut Fifo, &Queued)> {
        match &mut self.links[link] {
            Link { queue: TxQueue::Fifo(fifo), last: Some((last, like)), .. } if *last == way && !fifo.is_empty() => {
                Some((fifo, like))
            }
            _ => None,
        }
    }

    /// What goes this way on a link is like `item`, but for what is in it.
    pub(super) fn note_way(&mut self, link: usize, way: Route, item: Queued) {
        self.links[link].last = Some((way, item));
    }

    /// Whether what comes for a peer finds a queue full that drops it for that.
    #[inline]
    pub(super) fn is_full(&self, peer: NodeId) -> bool {
        match self.index(peer).map(|link| &self.links[link].queue) {
            Some(TxQueue::Fifo(fifo)) => fifo.len() >= fifo.limit(),
            _ => false,
        }
    }

    /// Whether there is a device that is given packets in advance.
    pub(super) fn has_device(&self) -> bool {
        self.device.is_some()
    }

    /// Gives the device what it has room for of what waits: a packet to each receiver in turn. What queue management drops is added to `dropped`.
    ///
    /// Linux's order among receivers is by air time here too (`ieee80211_next_txq`); who is sent to next is the scheduler's matter.
    #[cold]
    pub(super) fn feed(&mut self, now: Instant, pool: &mut PacketPool, dropped: &mut Vec<Queued>) {
        let Some(mut device) = self.device.take() else { return };
        loop {
            let mut moved = false;
            for link in device.round() {
                if device.has_room(link) && self.links[link].feed(link, &mut device, now, pool, dropped) {
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
    pub(super) fn let_go(&mut self, frames: impl Iterator<Item = FrameHandle>) {
        if let Some(device) = &mut self.device {
            frames.for_each(|frame| device.let_go(frame));
        }
    }

    /// The link in whose queue a packet waits: that of its receiver, alone in its group or not; if it is for all, that of its destination, or the first.
    pub(super) fn link_of(&self, item: &Queued) -> usize {
        self.index(item.mpdu.receiver).unwrap_or_else(|| self.index_of_group(&item.mpdu))
    }

    /// How many links there are.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// The limit of a link's queue, where it is one in packets.
    pub(super) fn limit(&self, link: usize) -> Option<usize> {
        self.links[link].queue.limit()
    }

    /// Packets that wait on a link, and MPDUs without a fate: of an A-MSDU no more than one, as in ns-3.
    pub(super) fn with_in_flight(&self, link: usize) -> usize {
        let link = &self.links[link];
        let sent = link.agreement.as_ref().map_or(0, |agreement| agreement.originator.without_fate());
        link.queue.len() + usize::from(link.head.is_some()) + sent
    }

    /// The link in whose queue a frame to a group waits.
    #[cold]
    fn index_of_group(&self, mpdu: &Mpdu) -> usize {
        let [receiver, destination] = [mpdu.receiver, mpdu.destination].map(NodeId::station);
        self.index(receiver).or_else(|| self.index(destination)).unwrap_or(0)
    }

    /// Whether any link has something to send.
    pub(super) fn any_ready(&self) -> bool {
        self.scheduler.any_ready()
    }

    /// The link that the scheduler gives the access to.
    pub(super) fn next(&mut self) -> Option<usize> {
        let link = self.scheduler.pick()?;
        self.current = link;
        Some(link)
    }

    /// The link that has the access.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// Charges air time to a link.
    pub(super) fn charge(&mut self, link: usize, airtime: Duration) {
        self.scheduler.charge(link, airtime);
    }

    /// Tells the scheduler whether a link has something to send.
    pub(super) fn refresh(&mut self, link: usize) {
        let oldest = self.links[link].oldest();
        self.scheduler.update(link, oldest);
    }

    /// A peer was heard by a frame of its own. Returns whether a BlockAck Request that had been given up is due again.
    pub(super) fn heard(&mut self, peer: NodeId) -> bool {
        let Some(link) = self.index(peer) else { return false };
        let deferred = self.links[link].agreement.as_mut().is_some_and(|agreement| agreement.originator.on_heard());
        if deferred {
            self.refresh(link);
        }
        deferred
    }

    pub(super) fn bar_due(&self, link: usize) -> Option<MacSeq> {
        self.links[link].agreement.as_ref().and_then(|agreement| agreement.originator.needs_bar())
    }

    /// What comes next on a link. What queue management drops is added to `dropped`.
    pub(super) fn head(&mut self, link: usize, now: Instant, pool: &mut PacketPool, dropped: &mut Vec<Queued>) -> Head {
        let link = &mut self.links[link];
        if link.agreement.as_ref().is_some_and(|agreement| agreement.originator.unacknowledged().next().is_some()) {
            return Head::Agreement;
        }
        link.fill_head(now, pool, dropped);
        match &link.head {
            None => Head::Nothing,
            Some(queued) if link.agrees(queued) => Head::Agreement,
            Some(_) => Head::OutsideAgreement,
        }
    }

    /// The length of the MPDU of the next new packet for the agreement, which stays queued. What queue management drops is added
    /// to `dropped`.
    #[inline(always)]
    pub(super) fn next_new_len(
        &mut self,
        link: usize,
        now: Instant,
        pool: &mut PacketPool,
        dropped: &mut Vec<Queued>,
    ) -> Option<Bytes> {
        let link = &mut self.links[link];
        link.fill_head(now, pool, dropped);
        link.head.as_ref().filter(|queued| link.agrees(queued)).map(|queued| queued.mpdu.len())
    }

    /// Takes the packet that [`Self::next_new_len`] found into the agreement, as an MPDU with its sequence number.
    #[inline(always)]
    pub(super) fn take_new(&mut self, link: usize) -> Mpdu {
        let queued = self.take_head(link);
        self.originator(link).push_new(queued.mpdu)
    }

    /// Takes the packets that come next in a fifo into the agreement and onto `mpdus`, for an A-MPDU that is so long without them and must stay within a
    /// `budget`: as [`Self::next_new_len`] and [`Self::take_new`] would one by one. Returns how long the A-MPDU is then. It may stop early, and does so in front of a TCP ACK but
    /// `with_acks`: a scheme that is told of a sequence number may take back ACKs that are still queued.
    pub(super) fn take_run(
        &mut self,
        link: usize,
        mpdus: &mut Vec<Mpdu>,
        (mut length, budget): (AmpduLength, Bytes),
        with_acks: bool,
    ) -> AmpduLength {
        let max_mpdus = u64::from(self.max_mpdus(link));
        let Link { queue: TxQueue::Fifo(fifo), head: None, agreement: Some(agreement), peer, .. } =
            &mut self.links[link]
        else {
            return length;
        };
        let originator = &mut agreement.originator;
        let most = (max_mpdus - length.mpdus()).min(originator.room() as u64) as usize;
        let (before, mut seq) = (length.mpdus(), originator.next_seq());
        let row = fifo.row();
        let most = most.min(row.len());
        for queued in &mut row[..most] {
            let longer = length.with(queued.mpdu.len_alone());
            let goes = queued.goes_under_agreement(*peer) && (with_acks || !queued.mpdu.tcp_ack);
            if !goes || longer.len() > budget {
                break;
            }
            queued.mpdu.seq = seq;
            (seq, length) = (seq.plus(1), longer);
        }
        let taken = (length.mpdus() - before) as usize;
        originator.push_run(row[..taken].iter().map(|queued| &queued.mpdu), mpdus);
        fifo.skip(taken);
        length
    }

    /// How A-MSDUs are put together on a link, if they are.
    pub(super) fn amsdu(&self, link: usize) -> Option<Amsdu> {
        self.links[link].agreed().terms.amsdu
    }

    /// The length of the MPDU with `first`, whose A-MSDU is `amsdu` long, if the next packet joined it, and of the A-MSDU then; nothing
    /// where the next packet must not, or there is none. What queue management drops is added to `dropped`.
    pub(super) fn joined_len(
        &mut self,
        link: usize,
        (first, amsdu): (&Mpdu, Bytes),
        now: Instant,
        pool: &mut PacketPool,
        dropped: &mut Vec<Queued>,
    ) -> Option<(Bytes, Bytes)> {
        let link = &mut self.links[link];
        let terms = link.agreed().terms.amsdu?;
        link.fill_head(now, pool, dropped);
        let next = link.head.as_ref().filter(|queued| link.agrees(queued))?;
        terms.joined_len((first, amsdu), &next.mpdu, link.max_amsdu)
    }

    /// Lets packets that come next in a fifo join the newest MPDU of the agreement, `first` so far, for an A-MPDU that is so long without it and must stay within a `budget`: as
    /// [`Self::joined_len`] and [`Self::join`] would one by one. Returns how long the MPDU and its A-MSDU are then. It may stop early.
    pub(super) fn join_run(
        &mut self,
        link: usize,
        first: &Mpdu,
        (before, budget): (AmpduLength, Bytes),
    ) -> (Bytes, Bytes) {
        let mut lens = (first.len(), amsdu_subframe_len(first.packet_len));
        let Link { queue: TxQueue::Fifo(fifo), head: None, agreement: Some(agreement), peer, max_amsdu, .. } =
            &mut self.links[link]
        else {
            return lens;
        };
        let Agreement { terms: Aggregation { amsdu: Some(terms), .. }, originator } = agreement else { return lens };
        let around = first.header_len() + FCS_LEN;
        let most = terms.most(first, *max_amsdu).min(before.room(budget).saturating_sub(around));
        let mut joining = 0;
        let row = fifo.row();
        for next in row.iter().take_while(|queued| queued.goes_under_agreement(*peer)) {
            let joined = Amsdu::with(lens.1, &next.mpdu);
            if joined > most || !Amsdu::may_join(first, &next.mpdu) {
                break;
            }
            joining += 1;
            lens = (around + joined, joined);
        }
        if joining > 0 {
            originator.join(row[..joining].iter().map(|queued| &queued.mpdu));
            fifo.skip(joining);
        }
        lens
    }

    /// Takes the packet that [`Self::joined_len`] found into the newest MPDU of the agreement.
    pub(super) fn join(&mut self, link: usize) {
        let packet = self.take_head(link);
        self.originator(link).join(std::iter::once(&packet.mpdu));
    }

    /// The newest MPDU of the agreement that is to be sent, with all its packets, onto `mpdus`.
    pub(super) fn copy_newest(&self, link: usize, mpdus: &mut Vec<Mpdu>) {
        if let Some(mpdu) = self.links[link].agreed().originator.newest() {
            self.copy_mpdu(link, mpdu, mpdus);
        }
    }

    /// An MPDU that is to be sent, with all its packets, onto `mpdus`.
    #[inline]
    pub(super) fn copy_mpdu(&self, link: usize, mpdu: &Mpdu, mpdus: &mut Vec<Mpdu>) {
        mpdus.push(*mpdu);
        mpdus.extend_from_slice(self.links[link].agreed().originator.more(mpdu));
    }

    /// Takes the packet that [`Self::head`] found.
    pub(super) fn take_head(&mut self, link: usize) -> Queued {
        self.links[link].head.take().expect("a head was found before it is taken")
    }

    /// The MPDUs to be sent again, each by its first packet and with its length.
    pub(super) fn unacknowledged(&self, link: usize) -> impl Iterator<Item = (&Mpdu, Bytes)> {
        let originator = &self.links[link].agreed().originator;
        originator.unacknowledged().map(|mpdu| (mpdu, originator.len_of(mpdu)))
    }

    pub(super) fn can_take_new(&self, link: usize) -> bool {
        self.links[link].agreed().originator.can_take_new()
    }

    pub(super) fn originator(&mut self, link: usize) -> &mut Originator {
        let agreement = self.links[link].agreement.as_mut();
        &mut agreement.expect("only a link with an agreement aggregates").originator
    }

    /// The agreement under which MPDUs come from a peer.
    pub(super) fn recipient(&mut self, peer: NodeId) -> Option<&mut Recipient> {
        let link = self.index(peer)?;
        self.links[link].recipient.as_mut()
    }

    /// The link to a peer under whose agreement MPDUs come from it.
    pub(super) fn receiving(&self, peer: NodeId) -> Option<usize> {
        self.index(peer).filter(|link| self.links[*link].recipient.is_some())
    }

    /// The agreement of such a link.
    #[inline(always)]
    pub(super) fn recipient_on(&mut self, link: usize) -> &mut Recipient {
        self.links[link].recipient.as_mut().expect("only a link with an agreement receives under one")
    }

    /// Packets in the reorder buffers.
    pub(super) fn held_back(&self) -> usize {
        self.links.iter().filter_map(|link| link.recipient.as_ref()).map(Recipient::held_packets).sum()
    }

    pub(super) fn is_duplicate(&mut self, link: usize, mpdu: &Mpdu) -> bool {
        self.links[link].duplicates.is_duplicate(mpdu)
    }

    pub(super) fn next_single_seq(&mut self, link: usize) -> MacSeq {
        let seq = self.links[link].next_single_seq;
        self.links[link].next_single_seq = seq.plus(1);
        seq
    }

    /// Packets that wait on a link, those to be sent again included.
    pub(super) fn backlog(&self, link: usize) -> usize {
        let link = &self.links[link];
        let again = link.agreement.as_ref().map_or(0, |agreement| agreement.originator.backlog());
        link.queue.len() + usize::from(link.head.is_some()) + again
    }

    /// Packets that wait on all links.
    pub(super) fn total_backlog(&self) -> usize {
        (0..self.links.len()).map(|link| self.backlog(link)).sum()
    }

    /// The length of what would be sent first on a link, alone.
    pub(super) fn first_len(&self, link: usize) -> Option<Bytes> {
        let link = &self.links[link];
        let again = link.agreement.as_ref().and_then(|agreement| {
            let originator = &agreement.originator;
            originator.unacknowledged().next().map(|mpdu| originator.len_of(mpdu))
        });
        again.or_else(|| link.head.as_ref().or_else(|| link.queue.peek()).map(|queued| queued.mpdu.len()))
    }
}

/// What a device has been given is out of reach.
impl Withdraw for Links {
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId> {
        for index in 0..self.links.len() {
            let link = &mut self.links[index];
            let reachable = self.device.is_none();
            let staged = link.head.take_if(|queued| reachable && queued.mpdu.handle == handle);
            if let Some(queued) = staged.or_else(|| link.queue.withdraw(handle)) {
                self.refresh(index);
                return Some(queued.mpdu.packet);
            }
        }
        None
    }

    fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let reachable = self.device.is_none();
        self.links.iter_mut().find_map(|link| {
            let staged = link.head.as_mut().filter(|queued| reachable && queued.mpdu.handle == handle);
            match staged {
                Some(queued) => Some(queued.exchange(content)),
                None => link.queue.exchange(handle, content),
            }
        })
    }

    fn is_with_device(&self, handle: FrameHandle) -> bool {
        self.device.as_ref().is_some_and(|device| device.holds(handle))
    }
}

impl Amsdu {
    /// The length of the MPDU with `first`, whose A-MSDU is `amsdu` long, if `next` joined it, and of the A-MSDU then, which may have `most` bytes; nothing where `next` must not.
    #[inline(always)]
    fn joined_len(&self, (first, amsdu): (&Mpdu, Bytes), next: &Mpdu, most: Bytes) -> Option<(Bytes, Bytes)> {
        let joined = Self::with(amsdu, next);
        let fits = Self::may_join(first, next) && joined <= self.most(first, most);
        fits.then_some((first.header_len() + joined + FCS_LEN, joined))
    }

    /// How long an A-MSDU of this length is with `next` in it.
    #[inline(always)]
    fn with(amsdu: Bytes, next: &Mpdu) -> Bytes {
        Bytes(amsdu.get().next_multiple_of(AMSDU_PAD)) + amsdu_subframe_len(next.packet_len)
    }

    /// Whether the header of the MPDU with `first` holds for `next` too.
    #[inline(always)]
    fn may_join(first: &Mpdu, next: &Mpdu) -> bool {
        (next.kind, next.ds) == (first.kind, first.ds)
    }

    /// The longest A-MSDU of the MPDU with `first`, of those that may have `most` bytes.
    #[inline(always)]
    fn most(&self, first: &Mpdu, most: Bytes) -> Bytes {
        self.max_mpdu.saturating_sub(first.header_len() + FCS_LEN).min(self.max_bytes).min(most)
    }
}

impl Link {
    fn new(config: LinkConfig, with_device: bool) -> Self {
        let queue = TxQueue::new(config.queue);
        let queue = if with_device { TxQueue::Staged(Box::new(Staged::new(queue))) } else { queue };
        let agreement = config
            .aggregation
            .map(|terms| Agreement { terms, originator: Originator::new(MacSeq::default(), terms.window) });
        let recipient = config.reorders.map(|window| Recipient::new(MacSeq::default(), window));
        Self {
            peer: config.peer,
            rate: config.rate,
            rate_control: RateControl::new(config.control, config.rate),
            rts_first: false,
            one_mpdu: false,
            max_amsdu: Attempt::ANY_AMSDU,
            qos: config.qos,
            max_psdu: max_psdu(config.rate, config.aggregation),
            agreement,
            recipient,
            queue,
            head: None,
            last: None,
            next_single_seq: MacSeq::default(),
            duplicates: DuplicateCache::default(),
        }
    }

    fn agreed(&self) -> &Agreement {
        self.agreement.as_ref().expect("only a link with an agreement aggregates")
    }

    /// Whether a packet goes under the agreement.
    fn agrees(&self, queued: &Queued) -> bool {
        self.agreement.is_some() && queued.goes_under_agreement(self.peer)
    }

    /// Lets queue management hand over the next packet, unless one is there.
    #[inline(always)]
    fn fill_head(&mut self, now: Instant, pool: &mut PacketPool, dropped: &mut Vec<Queued>) {
        if self.head.is_none() {
            self.head = match &mut self.queue {
                TxQueue::Fifo(fifo) => fifo.pop(),
                managed => pop_managed(managed, now, pool, dropped),
            };
        }
    }

    /// Gives the device the next packet. Whether there was one.
    fn feed(
        &mut self,
        place: usize,
        device: &mut Device,
        now: Instant,
        pool: &mut PacketPool,
        dropped: &mut Vec<Queued>,
    ) -> bool {
        let TxQueue::Staged(staged) = &mut self.queue else { return false };
        let marks = staged.above().marks();
        let Some(item) = staged.move_down(now, |victim| manage(victim, marks, pool, dropped)) else { return false };
        let rate = item.rate.unwrap_or(self.rate);
        let aggregates = self.agrees(&item);
        device.take(place, item.mpdu.handle, expected_airtime(item.mpdu.len(), rate, aggregates));
        true
    }

    /// When the oldest frame that can be sent now was queued; `None` if there is none.
    fn oldest(&self) -> Option<Instant> {
        let originator = self.agreement.as_ref().map(|agreement| &agreement.originator);
        if originator
            .is_some_and(|originator| originator.needs_bar().is_some() || originator.unacknowledged().next().is_some())
        {
            return Some(Instant::ZERO);
        }
        let head = self.head.as_ref().or_else(|| self.queue.peek())?;
        // A full window of unanswered MPDUs cannot occur without a BlockAck Request being due.
        Some(head.enqueued)
    }
}

#[inline(never)]
fn pop_managed(queue: &mut TxQueue, now: Instant, pool: &mut PacketPool, dropped: &mut Vec<Queued>) -> Option<Queued> {
    let marks = queue.marks();
    queue.pop(now, |victim| manage(victim, marks, pool, dropped))
}

/// What becomes of a packet that queue management does not want: it is marked and given back, if that is done and may be, or dropped.
fn manage(victim: Queued, marks: bool, pool: &mut PacketPool, dropped: &mut Vec<Queued>) -> Option<Queued> {
    if marks && pool.mark(victim.mpdu.packet) {
        return Some(victim);
    }
    dropped.push(victim);
    None
}

/// The longest PSDU outside of a TXOP limit.
fn max_psdu(rate: TxVector, terms: Option<Aggregation>) -> Bytes {
    let by_time = rate.max_psdu(MAX_PPDU);
    terms.map_or(by_time, |terms| terms.max_bytes.min(by_time))
}

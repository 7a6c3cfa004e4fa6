//! The peers of a station: the rate towards each, whose turn it is, and what is sent to it next. `queues` has what waits for each, `agreements` what was agreed with it.

use ackless_phy::{MAX_PPDU, TxVector};
use ackless_wire::{Bytes, Duration, Instant, PacketPool};

use super::{Aggregation, LinkConfig, Route};
use crate::block_ack::{DuplicateCache, Originator, Recipient};
use crate::frame::{MacSeq, Mpdu, NodeId};
use crate::queue::{Device, DeviceLimit, Queued, Scheduler, SchedulerKind, Staged, TxQueue};
use crate::rate::{Attempt, RateControl};

mod agreements;
mod queues;

/// A link of a station: its place among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LinkId(usize);

/// All peers of one station that it sends to or has agreements with.
#[derive(Debug)]
pub(super) struct Links {
    links: Vec<Link>,
    /// The link of each node number.
    by_node: Vec<Option<u16>>,
    scheduler: Scheduler,
    current: LinkId,
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
    popped: Option<Queued>,
    /// A packet that a stock node has queued, and its route.
    last: Option<(Route, Queued)>,
    next_single_seq: MacSeq,
    duplicates: DuplicateCache,
    /// Packets that queue management has marked.
    marks: u64,
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
        Self { links, by_node, scheduler, current: LinkId(0), device }
    }

    /// The link to a peer.
    pub(super) fn index(&self, peer: NodeId) -> Option<LinkId> {
        self.by_node.get(usize::from(peer.0)).copied().flatten().map(|link| LinkId(link.into()))
    }

    pub(super) fn peer(&self, link: LinkId) -> NodeId {
        self.links[link.0].peer
    }

    /// Whether the peer of a link understands QoS Data.
    pub(super) fn is_qos(&self, link: LinkId) -> bool {
        self.links[link.0].qos
    }

    pub(super) fn rate(&self, link: LinkId) -> TxVector {
        self.links[link.0].rate
    }

    /// How data is sent to a peer from its next PPDU on.
    pub(super) fn set_rate(&mut self, link: LinkId, rate: TxVector) {
        let link = &mut self.links[link.0];
        (link.rate, link.max_psdu) = (rate, max_psdu(rate, link.agreement.as_ref().map(|agreement| agreement.terms)));
    }

    /// Whether the rate to a peer adapts.
    pub(super) fn adapts(&self, link: LinkId) -> bool {
        self.links[link.0].rate_control.is_some()
    }

    /// Where the rate to a peer adapts, it is chosen for the PPDU that is put together now.
    /// `last`: it is the last try of a frame outside of the agreement that has failed before; of MPDUs under it the link knows by itself.
    pub(super) fn choose_rate(&mut self, link: LinkId, now: Instant, last: bool, retry_limit: u32) {
        if self.adapts(link) {
            self.adapt(link, now, last, retry_limit);
        }
    }

    #[cold]
    fn adapt(&mut self, link: LinkId, now: Instant, last: bool, retry_limit: u32) {
        let Link { rate_control, agreement, .. } = &mut self.links[link.0];
        let last = last || agreement.as_ref().is_some_and(|agreement| agreement.originator.has_last_try(retry_limit));
        let Some(rate_control) = rate_control else { return };
        let attempt = rate_control.choose(now, last);
        if attempt.rate != self.links[link.0].rate {
            self.set_rate(link, attempt.rate);
        }
        let link = &mut self.links[link.0];
        (link.rts_first, link.one_mpdu, link.max_amsdu) = (attempt.protect, attempt.alone, attempt.amsdu);
    }

    /// Whether an RTS goes before the next PPDU because its rate asks for it.
    pub(super) fn is_protected(&self, link: LinkId) -> bool {
        self.links[link.0].rts_first
    }

    /// What became of the PPDU whose rate was last chosen: of the MPDUs sent so many were acknowledged. `over`: none will be sent again.
    #[cold]
    pub(super) fn report(&mut self, link: LinkId, now: Instant, sent: u32, acknowledged: u32, over: bool) {
        if let Some(rate_control) = &mut self.links[link.0].rate_control {
            rate_control.report(now, sent, acknowledged, over);
        }
    }

    /// The longest PSDU outside of a TXOP limit.
    pub(super) fn max_psdu(&self, link: LinkId) -> Bytes {
        self.links[link.0].max_psdu
    }

    /// All links.
    pub(super) fn ids(&self) -> impl Iterator<Item = LinkId> + use<> {
        (0..self.links.len()).map(LinkId)
    }

    /// Whether any link has something to send.
    pub(super) fn any_ready(&self) -> bool {
        self.scheduler.any_ready()
    }

    /// The link that the scheduler gives the access to.
    pub(super) fn next(&mut self) -> Option<LinkId> {
        let link = LinkId(self.scheduler.pick()?);
        self.current = link;
        Some(link)
    }

    /// The link that has the access.
    pub(super) fn current(&self) -> LinkId {
        self.current
    }

    /// Charges air time to a link.
    pub(super) fn charge(&mut self, link: LinkId, airtime: Duration) {
        self.scheduler.charge(link.0, airtime);
    }

    /// Tells the scheduler whether a link has something to send.
    pub(super) fn refresh(&mut self, link: LinkId) {
        let oldest = self.links[link.0].oldest();
        self.scheduler.update(link.0, oldest);
    }

    /// What comes next on a link. What queue management drops is added to `dropped`.
    pub(super) fn head(
        &mut self,
        link: LinkId,
        now: Instant,
        pool: &mut PacketPool,
        dropped: &mut Vec<Queued>,
    ) -> Head {
        let link = &mut self.links[link.0];
        if link.agreement.as_ref().is_some_and(|agreement| agreement.originator.unacknowledged().next().is_some()) {
            return Head::Agreement;
        }
        link.pop_next(now, pool, dropped);
        match &link.popped {
            None => Head::Nothing,
            Some(queued) if link.agrees(queued) => Head::Agreement,
            Some(_) => Head::OutsideAgreement,
        }
    }

    /// Takes the packet that [`Self::head`] found.
    pub(super) fn take_popped(&mut self, link: LinkId) -> Queued {
        self.links[link.0].popped.take().expect("a packet was found before it is taken")
    }

    pub(super) fn is_duplicate(&mut self, link: LinkId, mpdu: &Mpdu) -> bool {
        self.links[link.0].duplicates.is_duplicate(mpdu)
    }

    pub(super) fn next_single_seq(&mut self, link: LinkId) -> MacSeq {
        let seq = self.links[link.0].next_single_seq;
        self.links[link.0].next_single_seq = seq.plus(1);
        seq
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
            popped: None,
            last: None,
            next_single_seq: MacSeq::default(),
            duplicates: DuplicateCache::default(),
            marks: 0,
        }
    }

    fn agreed(&self) -> &Agreement {
        self.agreement.as_ref().expect("only a link with an agreement aggregates")
    }

    /// Whether a packet goes under the agreement.
    fn agrees(&self, queued: &Queued) -> bool {
        self.agreement.is_some() && queued.goes_under_agreement(self.peer)
    }

    /// When the oldest frame that can be sent now was queued; `None` if there is none.
    fn oldest(&self) -> Option<Instant> {
        let originator = self.agreement.as_ref().map(|agreement| &agreement.originator);
        if originator
            .is_some_and(|originator| originator.needs_bar().is_some() || originator.unacknowledged().next().is_some())
        {
            return Some(Instant::ZERO);
        }
        let first = self.popped.as_ref().or_else(|| self.queue.peek())?;
        // A full window of unanswered MPDUs cannot occur without a BlockAck Request being due.
        Some(first.enqueued)
    }
}

/// The longest PSDU outside of a TXOP limit.
fn max_psdu(rate: TxVector, terms: Option<Aggregation>) -> Bytes {
    let by_time = rate.max_psdu(MAX_PPDU);
    terms.map_or(by_time, |terms| terms.max_bytes.min(by_time))
}

//! What was agreed with each peer: what goes to it under an agreement, and what comes from it under one.

use ackless_phy::AmpduLength;
use ackless_wire::{Bytes, Instant, PacketPool};

use super::{Agreement, Link, LinkId, Links};
use crate::block_ack::{Originator, Recipient};
use crate::frame::{FCS_LEN, MacSeq, Mpdu, NodeId, amsdu_subframe_len};
use crate::queue::{Queued, TxQueue};
use crate::station::{Aggregation, Amsdu};

impl Links {
    /// Whether MPDUs go to a peer under a BlockAck agreement.
    pub(in crate::station) fn has_agreement(&self, link: LinkId) -> bool {
        self.links[link.0].agreement.is_some()
    }

    pub(in crate::station) fn max_mpdus(&self, link: LinkId) -> u16 {
        if self.links[link.0].one_mpdu {
            return 1;
        }
        self.links[link.0].agreement.as_ref().map_or(1, |agreement| agreement.terms.max_mpdus)
    }

    pub(in crate::station) fn ampdu_length(&self, link: LinkId) -> AmpduLength {
        let link = &self.links[link.0];
        AmpduLength::new(link.rate, link.agreed().terms.spacing)
    }

    /// A peer was heard by a frame of its own. Returns whether a BlockAck Request that had been given up is due again.
    pub(in crate::station) fn heard(&mut self, peer: NodeId) -> bool {
        let Some(link) = self.index(peer) else { return false };
        let deferred = self.links[link.0].agreement.as_mut().is_some_and(|agreement| agreement.originator.on_heard());
        if deferred {
            self.refresh(link);
        }
        deferred
    }

    pub(in crate::station) fn bar_due(&self, link: LinkId) -> Option<MacSeq> {
        self.links[link.0].agreement.as_ref().and_then(|agreement| agreement.originator.needs_bar())
    }

    /// The length of the MPDU of the next new packet for the agreement, which stays queued. What queue management drops is added
    /// to `dropped`.
    #[inline(always)]
    pub(in crate::station) fn next_new_len(
        &mut self,
        link: LinkId,
        now: Instant,
        pool: &mut PacketPool,
        dropped: &mut Vec<Queued>,
    ) -> Option<Bytes> {
        let link = &mut self.links[link.0];
        link.pop_next(now, pool, dropped);
        link.popped.as_ref().filter(|queued| link.agrees(queued)).map(|queued| queued.mpdu.len())
    }

    /// Takes the packet that [`Self::next_new_len`] found into the agreement, as an MPDU with its sequence number.
    #[inline(always)]
    pub(in crate::station) fn take_new(&mut self, link: LinkId) -> Mpdu {
        let queued = self.take_popped(link);
        self.originator(link).push_new(queued.mpdu)
    }

    /// Takes the packets that come next in a fifo into the agreement and onto `mpdus`, for an A-MPDU that is so long without them and must stay within a
    /// `budget`: as [`Self::next_new_len`] and [`Self::take_new`] would one by one. Returns how long the A-MPDU is then. It may stop early, and does so in front of a TCP ACK but
    /// `with_acks`: a scheme that is told of a sequence number may take back ACKs that are still queued.
    pub(in crate::station) fn take_new_run(
        &mut self,
        link: LinkId,
        mpdus: &mut Vec<Mpdu>,
        (mut length, budget): (AmpduLength, Bytes),
        with_acks: bool,
    ) -> AmpduLength {
        let max_mpdus = u64::from(self.max_mpdus(link));
        let Link { queue: TxQueue::Fifo(fifo), popped: None, agreement: Some(agreement), peer, .. } =
            &mut self.links[link.0]
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
    pub(in crate::station) fn amsdu(&self, link: LinkId) -> Option<Amsdu> {
        self.links[link.0].agreed().terms.amsdu
    }

    /// The length of the MPDU with `first`, whose A-MSDU is `amsdu` long, if the next packet joined it, and of the A-MSDU then; nothing
    /// where the next packet must not, or there is none. What queue management drops is added to `dropped`.
    pub(in crate::station) fn joined_len(
        &mut self,
        link: LinkId,
        (first, amsdu): (&Mpdu, Bytes),
        now: Instant,
        pool: &mut PacketPool,
        dropped: &mut Vec<Queued>,
    ) -> Option<(Bytes, Bytes)> {
        let link = &mut self.links[link.0];
        let terms = link.agreed().terms.amsdu?;
        link.pop_next(now, pool, dropped);
        let next = link.popped.as_ref().filter(|queued| link.agrees(queued))?;
        terms.joined_len((first, amsdu), &next.mpdu, link.max_amsdu)
    }

    /// Lets packets that come next in a fifo join the newest MPDU of the agreement, `first` so far, for an A-MPDU that is so long without it and must stay within a `budget`: as
    /// [`Self::joined_len`] and [`Self::join`] would one by one. Returns how long the MPDU and its A-MSDU are then. It may stop early.
    pub(in crate::station) fn join_run(
        &mut self,
        link: LinkId,
        first: &Mpdu,
        (before, budget): (AmpduLength, Bytes),
    ) -> (Bytes, Bytes) {
        let mut lens = (first.len(), amsdu_subframe_len(first.packet_len));
        let Link { queue: TxQueue::Fifo(fifo), popped: None, agreement: Some(agreement), peer, max_amsdu, .. } =
            &mut self.links[link.0]
        else {
            return lens;
        };
        let Agreement { terms: Aggregation { amsdu: Some(terms), .. }, originator } = agreement else { return lens };
        let around = first.header_len() + FCS_LEN;
        let most = terms.limit_for(first, *max_amsdu).min(before.room(budget).saturating_sub(around));
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
    pub(in crate::station) fn join(&mut self, link: LinkId) {
        let packet = self.take_popped(link);
        self.originator(link).join(std::iter::once(&packet.mpdu));
    }

    /// The newest MPDU of the agreement that is to be sent, with all its packets, onto `mpdus`.
    pub(in crate::station) fn copy_newest(&self, link: LinkId, mpdus: &mut Vec<Mpdu>) {
        if let Some(mpdu) = self.links[link.0].agreed().originator.newest() {
            self.copy_mpdu(link, mpdu, mpdus);
        }
    }

    /// An MPDU that is to be sent, with all its packets, onto `mpdus`.
    #[inline]
    pub(in crate::station) fn copy_mpdu(&self, link: LinkId, mpdu: &Mpdu, mpdus: &mut Vec<Mpdu>) {
        mpdus.push(*mpdu);
        mpdus.extend_from_slice(self.links[link.0].agreed().originator.more(mpdu));
    }

    /// The MPDUs to be sent again, each by its first packet and with its length.
    pub(in crate::station) fn unacknowledged(&self, link: LinkId) -> impl Iterator<Item = (&Mpdu, Bytes)> {
        let originator = &self.links[link.0].agreed().originator;
        originator.unacknowledged().map(|mpdu| (mpdu, originator.len_of(mpdu)))
    }

    pub(in crate::station) fn can_take_new(&self, link: LinkId) -> bool {
        self.links[link.0].agreed().originator.can_take_new()
    }

    pub(in crate::station) fn originator(&mut self, link: LinkId) -> &mut Originator {
        let agreement = self.links[link.0].agreement.as_mut();
        &mut agreement.expect("only a link with an agreement aggregates").originator
    }

    /// The agreement under which MPDUs come from a peer.
    pub(in crate::station) fn recipient(&mut self, peer: NodeId) -> Option<&mut Recipient> {
        let link = self.index(peer)?;
        self.links[link.0].recipient.as_mut()
    }

    /// The link to a peer under whose agreement MPDUs come from it.
    pub(in crate::station) fn receiving(&self, peer: NodeId) -> Option<LinkId> {
        self.index(peer).filter(|link| self.links[link.0].recipient.is_some())
    }

    /// The agreement of such a link.
    #[inline(always)]
    pub(in crate::station) fn recipient_on(&mut self, link: LinkId) -> &mut Recipient {
        self.links[link.0].recipient.as_mut().expect("only a link with an agreement receives under one")
    }

    /// Packets in the reorder buffers.
    pub(in crate::station) fn held_back(&self) -> usize {
        self.links.iter().filter_map(|link| link.recipient.as_ref()).map(Recipient::held_packets).sum()
    }
}

//! From a won access to a PPDU: what goes next, what it is put together from, and the RTS before it.

use ackless_phy::{AmpduLength, MAX_PPDU, MpduSpacing, TxVector};
use ackless_wire::{Bytes, Duration, Instant, PacketPool};

use super::Station;
use super::exchange::{Awaited, AwaitingCts, Eliciting, Exchange, InService};
use super::links::{Head, LinkId};
use crate::frame::{
    ACK_LEN, BLOCK_ACK_LEN, BLOCK_ACK_REQ_LEN, Body, CTS_LEN, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Ppdu,
    RTS_LEN, Tid,
};
use crate::hooks::{Backlog, Scheme};

impl<S: Scheme> Station<S> {
    /// The first PPDU of a won access.
    pub(super) fn first_ppdu(&mut self, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        if let Some(len) = self.beacon.take() {
            self.exchange = Exchange::OnAir(None);
            return Some(self.bare_ppdu(
                NodeId::BROADCAST,
                self.config.group_rate,
                len,
                Duration::ZERO,
                Body::Beacon(len),
            ));
        }
        if self.awaiting_cts.is_some() {
            return Some(self.request_to_send());
        }
        if let Some(frame) = self.in_service {
            let frame = self.with_its_rate(frame, now);
            return Some(self.single(frame, now, pool));
        }
        while let Some(link) = self.links.next() {
            if let Some(ppdu) = self.ppdu_on(link, now, pool) {
                return Some(ppdu);
            }
            self.links.refresh(link);
        }
        None
    }

    /// The next PPDU for one peer, launched; `None` if queue management dropped all that waited.
    pub(super) fn ppdu_on(&mut self, link: LinkId, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        if let Some(start) = self.links.bar_due(link) {
            return Some(self.block_ack_request(link, start));
        }
        self.links.choose_rate(link, now, false, self.config.retry_limit);
        let ppdu = match self.links.head(link, now, pool, &mut self.dropped) {
            Head::Nothing => None,
            Head::Agreement => Some(self.aggregate(link, now, pool)),
            Head::OutsideAgreement => {
                let frame = self.put_in_service(link, now, pool);
                Some(self.single(frame, now, pool))
            }
        };
        // The scheme is told last: it may withdraw what has just been found to be next.
        self.settle_drops(now, pool);
        ppdu
    }

    /// Takes the next packet of a link out of its queue to be sent outside of any agreement.
    ///
    /// Where there is one for its TID, it goes under the other TID of the access category: the sequence numbers of an agreement are
    /// for its own MPDUs alone, and the receiver takes all of that TID for such.
    fn put_in_service(&mut self, link: LinkId, now: Instant, pool: &mut PacketPool) -> InService {
        let queued = self.links.take_popped(link);
        let receiver = queued.mpdu.receiver;
        let seq = if receiver.is_group() {
            let seq = self.next_group_seq;
            self.next_group_seq = seq.plus(1);
            seq
        } else {
            self.links.next_single_seq(link)
        };
        let default = if receiver.is_group() { self.config.group_rate } else { self.links.rate(link) };
        let rate = queued.rate.unwrap_or(default);
        let of_link = queued.rate.is_none() && !receiver.is_group() && self.links.adapts(link);
        let mut mpdu = Mpdu { seq, ..queued.mpdu };
        if self.links.has_agreement(link) && mpdu.tid() == Some(self.config.tid) {
            mpdu.kind = MpduKind::QosData(other_tid_of_category(self.config.tid));
        }
        let frame = InService { mpdu, rate, failures: 0, adapting_link: of_link.then_some(link) };
        let mut cx = context!(self, now, pool);
        self.scheme.on_sequenced(&mut cx, &mpdu);
        self.in_service = Some(frame);
        frame
    }

    /// The frame in service, which is about to be sent, with the rate that it then has.
    fn with_its_rate(&mut self, frame: InService, now: Instant) -> InService {
        let Some(link) = frame.adapting_link else { return frame };
        let limit = self.config.retry_limit;
        let last = frame.failures > 0 && frame.failures.saturating_add(1) >= limit;
        self.links.choose_rate(link, now, last, limit);
        let frame = InService { rate: self.links.rate(link), ..frame };
        self.in_service = Some(frame);
        frame
    }

    /// The frame in service as a PPDU, or the RTS before it.
    fn single(&mut self, frame: InService, now: Instant, pool: &mut PacketPool) -> Ppdu {
        let mpdu = frame.mpdu;
        let answer = frame.is_answered().then_some(ACK_LEN);
        let mut alone = self.spare_buffers.pop().unwrap_or_default();
        alone.push(mpdu);
        let (body, len) = (self.single_mpdu_body(alone, frame.rate), single_mpdu_psdu(frame.rate, mpdu.len()));
        let ppdu = self.data_ppdu(body, mpdu.receiver, frame.rate, len, answer);
        match answer {
            Some(_) => {
                let protect = frame.adapting_link.is_some_and(|link| self.links.is_protected(link));
                self.launch(ppdu, Eliciting::InService, protect, now, pool)
            }
            None => self.put_on_air(ppdu, None, now, pool),
        }
    }

    /// An A-MPDU of what waits on a link: what is to be sent again, then new MPDUs, as much as all limits allow.
    fn aggregate(&mut self, link: LinkId, now: Instant, pool: &mut PacketPool) -> Ppdu {
        let rate = self.links.rate(link);
        let budget = self.psdu_budget(link, rate, now);
        let mut mpdus = self.spare_buffers.pop().unwrap_or_default();
        let mut length = self.links.ampdu_length(link);
        let max_mpdus = u64::from(self.links.max_mpdus(link));
        for (mpdu, len) in self.links.unacknowledged(link) {
            let longer = length.with(len);
            if !mpdus.is_empty() && (longer.len() > budget || length.mpdus() == max_mpdus) {
                break;
            }
            length = longer;
            self.links.copy_mpdu(link, mpdu, &mut mpdus);
        }
        let packs = self.links.amsdu(link).is_some();
        while length.mpdus() < max_mpdus && self.links.can_take_new(link) {
            let Some(len) = self.links.next_new_len(link, now, pool, &mut self.dropped) else { break };
            let longer = length.with(len);
            if !mpdus.is_empty() && longer.len() > budget {
                break;
            }
            let mpdu = self.links.take_new(link);
            length = if packs {
                let len = self.fill(link, &mpdu, (length, budget), now, pool);
                self.append_newest(link, &mut mpdus, now, pool);
                length.with(len)
            } else {
                mpdus.push(mpdu);
                self.tell_sequenced(&[mpdu], now, pool);
                let from = mpdus.len();
                let with_acks = self.scheme.is_stock();
                let length = self.links.take_new_run(link, &mut mpdus, (longer, budget), with_acks);
                self.tell_sequenced(&mpdus[from..], now, pool);
                length
            };
        }
        // None of them counts as sent yet: an RTS may come first, and remain unanswered.
        let (peer, protect) = (self.links.peer(link), self.links.is_protected(link));
        if length.mpdus() == 1 {
            let (seq, len) = (mpdus[0].seq, mpdus.iter().map(Mpdu::len).sum());
            let body = self.single_mpdu_body(mpdus, rate);
            let ppdu = self.data_ppdu(body, peer, rate, single_mpdu_psdu(rate, len), Some(ACK_LEN));
            return self.launch(ppdu, Eliciting::SingleMpdu(link, seq), protect, now, pool);
        }
        let ppdu = self.data_ppdu(Body::Aggregate(mpdus), peer, rate, length.len(), Some(BLOCK_ACK_LEN));
        self.launch(ppdu, Eliciting::Block(link), protect, now, pool)
    }

    /// Fills the newest MPDU of an agreement, so far with one packet, with what waits behind it, as much as the limits of A-MSDUs and of
    /// the A-MPDU, which is so long without it, allow (802.11-2020, 10.11). Returns its length.
    fn fill(
        &mut self,
        link: LinkId,
        first: &Mpdu,
        (before, budget): (AmpduLength, Bytes),
        now: Instant,
        pool: &mut PacketPool,
    ) -> Bytes {
        let (mut len, mut amsdu) = self.links.join_run(link, first, (before, budget));
        while let Some((longer, packed)) = self.links.joined_len(link, (first, amsdu), now, pool, &mut self.dropped) {
            if before.with(longer).len() > budget {
                break;
            }
            self.links.join(link);
            (len, amsdu) = (longer, packed);
        }
        len
    }

    /// Takes the newest MPDU of an agreement with its packets into a PPDU, and tells the scheme of each packet.
    fn append_newest(&mut self, link: LinkId, mpdus: &mut Vec<Mpdu>, now: Instant, pool: &mut PacketPool) {
        let from = mpdus.len();
        self.links.copy_newest(link, mpdus);
        self.tell_sequenced(&mpdus[from..], now, pool);
    }

    /// Tells the scheme of each of these packets that it has its sequence number.
    #[inline(always)]
    fn tell_sequenced(&mut self, mpdus: &[Mpdu], now: Instant, pool: &mut PacketPool) {
        if !self.scheme.is_stock() && !mpdus.is_empty() {
            let mut cx = context!(self, now, pool);
            self.scheme.on_all_sequenced(&mut cx, mpdus);
        }
    }

    /// What carries a single MPDU: VHT has A-MPDUs only.
    fn single_mpdu_body(&mut self, mut mpdus: Vec<Mpdu>, rate: TxVector) -> Body {
        if rate.must_aggregate() {
            return Body::Aggregate(mpdus);
        }
        if mpdus.len() > 1 {
            return Body::Amsdu(mpdus);
        }
        let only = mpdus[0];
        mpdus.clear();
        self.spare_buffers.push(mpdus);
        Body::Single(only)
    }

    /// The longest PSDU that the agreement, the PPDU's limit and the rest of the TXOP allow.
    fn psdu_budget(&self, link: LinkId, rate: TxVector, now: Instant) -> Bytes {
        let limit = match self.txop_end {
            None => return self.links.max_psdu(link),
            Some(end) => {
                let peer = self.links.peer(link);
                let mut rest = self.answer_span(peer, rate, BLOCK_ACK_LEN);
                if self.exchange.is_idle() && (self.config.rts_threshold.is_some() || self.links.is_protected(link)) {
                    // Also where the PSDU then turns out too short for an RTS.
                    let rts = self.request_rate(link, rate);
                    rest += rts.duration(RTS_LEN) + self.answer_span(peer, rts, CTS_LEN) + self.config.timing.sifs;
                }
                end.saturating_since(now).saturating_sub(rest).min(MAX_PPDU)
            }
        };
        rate.max_psdu(limit).min(self.links.max_psdu(link))
    }

    /// A data PPDU. `answer`: the length of the answer that it asks for.
    fn data_ppdu(&self, body: Body, to: NodeId, rate: TxVector, psdu_len: Bytes, answer: Option<Bytes>) -> Ppdu {
        let duration_field = answer.map_or(Duration::ZERO, |len| self.answer_span(to, rate, len));
        self.bare_ppdu(to, rate, psdu_len, duration_field, body)
    }

    fn block_ack_request(&mut self, link: LinkId, start: MacSeq) -> Ppdu {
        let peer = self.links.peer(link);
        let rate = self.request_rate(link, self.links.rate(link));
        let body = Body::BlockAckReq(self.config.tid, start);
        let duration_field = self.answer_span(peer, rate, BLOCK_ACK_LEN);
        let ppdu = self.bare_ppdu(peer, rate, BLOCK_ACK_REQ_LEN, duration_field, body);
        self.exchange = Exchange::OnAir(Some(self.awaited(&ppdu, Eliciting::Block(link))));
        ppdu
    }

    /// A PPDU without any scheme's bits: what every one is built from.
    pub(super) fn bare_ppdu(
        &self,
        receiver: NodeId,
        rate: TxVector,
        psdu_len: Bytes,
        duration_field: Duration,
        body: Body,
    ) -> Ppdu {
        self.timed_ppdu(receiver, rate, (psdu_len, rate.duration(psdu_len)), duration_field, body)
    }

    /// A PPDU without any scheme's bits, of whose PSDU it is known how long it is and takes.
    #[inline(always)]
    pub(super) fn timed_ppdu(
        &self,
        receiver: NodeId,
        rate: TxVector,
        (psdu_len, duration): (Bytes, Duration),
        duration_field: Duration,
        body: Body,
    ) -> Ppdu {
        Ppdu {
            transmitter: self.config.node,
            receiver,
            txvector: rate,
            psdu_len,
            duration,
            duration_field: Duration::from_micros(duration_field.as_micros_ceil()),
            bits: HeaderBits::default(),
            body,
        }
    }

    /// From the end of a PPDU to the end of its answer.
    pub(super) fn answer_span(&self, from: NodeId, rate: TxVector, len: Bytes) -> Duration {
        self.config.timing.sifs + self.answer_rate(rate).duration(len) + self.peer(from).answer_delay
    }

    /// Sends a PPDU, or first the RTS that its length asks for, or that is to `protect` it.
    fn launch(&mut self, ppdu: Ppdu, eliciting: Eliciting, protect: bool, now: Instant, pool: &mut PacketPool) -> Ppdu {
        // Within a TXOP the first exchange has cleared the medium, so that later ones go without an RTS (10.23.2.9).
        let first = self.exchange.is_idle();
        let long = self.config.rts_threshold.is_some_and(|threshold| ppdu.psdu_len > threshold);
        if first && (long || protect) {
            self.awaiting_cts = Some(AwaitingCts { ppdu, eliciting, failures: 0 });
            return self.request_to_send();
        }
        self.put_on_air(ppdu, Some(eliciting), now, pool)
    }

    /// A data PPDU leaves in this instant: the scheme sets its header bits, and its link is charged for it.
    pub(super) fn put_on_air(
        &mut self,
        ppdu: Ppdu,
        eliciting: Option<Eliciting>,
        now: Instant,
        pool: &mut PacketPool,
    ) -> Ppdu {
        let link = self.links.current();
        if let Some(Eliciting::SingleMpdu(..) | Eliciting::Block(_)) = eliciting {
            let mpdus = ppdu.mpdus().iter().filter(|mpdu| mpdu.part.begins());
            self.links.originator(link).mark_sent(mpdus.map(|mpdu| mpdu.seq));
        }
        let mut bits = HeaderBits::default();
        if !self.scheme.is_stock() {
            let backlog = Backlog { packets: self.links.backlog(link) };
            let mut cx = context!(self, now, pool);
            self.scheme.on_ppdu_out(&mut cx, ppdu.receiver, backlog, &mut bits);
        }
        self.links.charge(link, ppdu.duration + ppdu.duration_field);
        self.exchange = Exchange::OnAir(eliciting.map(|eliciting| self.awaited(&ppdu, eliciting)));
        Ppdu { bits, ..ppdu }
    }

    /// The RTS for the reserved PPDU: it reserves the medium until the end of that PPDU's answer (802.11-2020, 9.3.1.2).
    fn request_to_send(&mut self) -> Ppdu {
        let awaiting_cts = self.awaiting_cts.as_ref().expect("an RTS goes before a reserved PPDU");
        let (receiver, data) =
            (awaiting_cts.ppdu.receiver, awaiting_cts.ppdu.duration + awaiting_cts.ppdu.duration_field);
        let rate = self.request_rate(self.links.current(), awaiting_cts.ppdu.txvector);
        let sifs = self.config.timing.sifs;
        let duration_field = self.answer_span(receiver, rate, CTS_LEN) + sifs + data;
        let rts = self.bare_ppdu(receiver, rate, RTS_LEN, duration_field, Body::Rts);
        self.exchange = Exchange::OnAir(Some(self.awaited(&rts, Eliciting::Rts)));
        rts
    }

    /// How an RTS before data at `rate`, or a BlockAck Request for it, goes to a peer. Where rates adapt, that one may be too high, and the answer's with it: as Linux (mac80211,
    /// where MCSs are chosen) sends both, at the lowest rate.
    fn request_rate(&self, link: LinkId, rate: TxVector) -> TxVector {
        if self.links.adapts(link) { self.config.timing.lowest } else { self.answer_rate(rate) }
    }

    fn awaited(&self, ppdu: &Ppdu, eliciting: Eliciting) -> Awaited {
        Awaited { from: ppdu.receiver, rate: self.answer_rate(ppdu.txvector), eliciting }
    }
}

/// The length of a PSDU with a single MPDU in it.
pub(super) const fn single_mpdu_psdu(rate: TxVector, mpdu: Bytes) -> Bytes {
    if rate.must_aggregate() { AmpduLength::new(rate, MpduSpacing::None).with(mpdu).len() } else { mpdu }
}

/// The other TID of an access category (802.11-2020, table 10-1): 1 and 2 are background, 0 and 3 best effort, 4 and 5 video, 6 and 7 voice.
const fn other_tid_of_category(tid: Tid) -> Tid {
    match tid {
        Tid(n @ 0..=3) => Tid(3 - n),
        Tid(n) => Tid(n ^ 1),
    }
}

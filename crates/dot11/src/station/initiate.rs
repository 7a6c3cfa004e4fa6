//! The initiating half of a station: from a won access to a PPDU, and from its answer, or the lack of one, to what follows.

use ackless_phy::{AmpduLength, MAX_PPDU, MpduSpacing, TxVector};
use ackless_wire::{Bytes, Duration, Instant, PacketPool};

use super::Station;
use super::links::Head;
use crate::block_ack::{Fate, NoAnswer};
use crate::frame::{
    ACK_LEN, AckPolicy, Answer, BLOCK_ACK_LEN, BLOCK_ACK_REQ_LEN, Body, CTS_LEN, HeaderBits, MacSeq, Mpdu, MpduKind,
    NodeId, Ppdu, RTS_LEN, Tid,
};
use crate::hooks::{Backlog, Scheme};

/// How far the station's own frame exchange has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exchange {
    /// There is none.
    Idle,
    /// Its PPDU is on the air, and this is expected after it.
    OnAir(Option<Awaited>),
    /// The answer is due. `heard`: some frame began to arrive in time, and its end will decide.
    Awaiting { awaited: Awaited, deadline: Instant, heard: bool },
    /// The next PPDU of this access leaves then.
    Sifs { at: Instant },
}

/// The answer that a PPDU asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Awaited {
    from: NodeId,
    rate: TxVector,
    to: Asked,
}

/// What the answer is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// An RTS.
    Rts,
    /// The frame in service: an Ack.
    InService,
    /// A single MPDU of the agreement on this link: an Ack.
    Alone(usize, MacSeq),
    /// An A-MPDU or a BlockAck Request on this link: a BlockAck.
    Block(usize),
}

/// A frame outside of any BlockAck agreement, from its first transmission until its fate.
#[derive(Clone, Copy, Debug)]
pub(super) struct InService {
    mpdu: Mpdu,
    rate: TxVector,
    failures: u32,
}

/// A PPDU that waits for the CTS to its RTS.
#[derive(Debug)]
pub(super) struct Reserved {
    ppdu: Ppdu,
    asked: Asked,
    failures: u32,
}

impl InService {
    /// Whether an Ack is due; if not, it is sent once.
    const fn is_answered(&self) -> bool {
        matches!(self.mpdu.ack_policy, AckPolicy::Normal) && !self.mpdu.receiver.is_group()
    }
}

impl Exchange {
    pub(super) const fn is_idle(&self) -> bool {
        matches!(self, Self::Idle)
    }

    /// Whether a frame began to arrive while an answer was awaited.
    pub(super) const fn has_heard(&self) -> bool {
        matches!(self, Self::Awaiting { heard: true, .. })
    }

    pub(super) const fn deadline(&self) -> Option<Instant> {
        match *self {
            Self::Awaiting { deadline, heard: false, .. } => Some(deadline),
            Self::Sifs { at } => Some(at),
            Self::Idle | Self::OnAir(_) | Self::Awaiting { .. } => None,
        }
    }

    /// A frame began to arrive: its end decides, not the timeout (802.11-2020, 10.3.2.11).
    pub(super) fn hear_start(&mut self) {
        if let Self::Awaiting { heard, .. } = self {
            *heard = true;
        }
    }
}

impl<S: Scheme> Station<S> {
    /// The granted time has come and the medium is idle. Returns what goes on the air; `None` if all that waited is gone by now.
    pub fn take_access(&mut self, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        self.access.pause(now);
        let limit = self.config.txop_limit;
        self.txop_end = (!limit.is_zero()).then_some(now + limit);
        let ppdu = self.first_ppdu(now, pool);
        if ppdu.is_none() {
            self.access.withdraw_request();
        }
        ppdu
    }

    /// This station's PPDU is over. Its receivers have taken it in: packets that need no answer are released now.
    pub fn transmission_ended(&mut self, now: Instant, pool: &mut PacketPool) {
        match self.exchange {
            Exchange::OnAir(Some(awaited)) => {
                let deadline = now + self.timeout(awaited);
                self.exchange = Exchange::Awaiting { awaited, deadline, heard: false };
            }
            Exchange::OnAir(None) => {
                // After a beacon, a frame in service still waits for its next attempt.
                if let Some(frame) = self.in_service.take_if(|frame| !frame.is_answered()) {
                    self.fates.push((frame.mpdu, Fate::Delivered));
                    self.settle_fates(now, pool);
                }
                self.end_access(now, true);
            }
            Exchange::Idle | Exchange::Awaiting { .. } | Exchange::Sifs { .. } => {}
        }
    }

    /// The part of [`Station::wake`] for the own exchange.
    pub(super) fn continue_exchange(&mut self, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        match self.exchange {
            Exchange::Sifs { at } if at <= now => {
                if let Some(Reserved { ppdu, asked, .. }) = self.reserved.take() {
                    return Some(self.put_on_air(ppdu, Some(asked), now, pool));
                }
                let link = self.links.current();
                let ppdu = self.ppdu_on(link, now, pool);
                if ppdu.is_none() {
                    self.end_access(now, true);
                }
                ppdu
            }
            Exchange::Awaiting { awaited, deadline, heard: false } if deadline <= now => {
                self.answer_missing(awaited, now, pool);
                None
            }
            _ => None,
        }
    }

    /// An intact frame came while an answer was awaited. Returns whether it was that answer.
    pub(super) fn judge(&mut self, ppdu: &Ppdu, now: Instant, pool: &mut PacketPool) -> bool {
        let Exchange::Awaiting { awaited, .. } = self.exchange else { return false };
        if ppdu.transmitter == awaited.from {
            match (&ppdu.body, awaited.to) {
                (Body::Cts, Asked::Rts) => {
                    self.exchange = Exchange::Sifs { at: now + self.config.timing.sifs };
                    return true;
                }
                (Body::Ack(answer), Asked::InService | Asked::Alone(..)) => {
                    self.acknowledged(awaited.to);
                    self.answered(awaited.from, answer, ppdu.duration_field, now, pool);
                    return true;
                }
                (Body::BlockAck(_, bitmap, answer), Asked::Block(link)) => {
                    let (limit, fates) = (self.config.retry_limit, &mut self.fates);
                    self.links.originator(link).on_block_ack(*bitmap, limit, |mpdu, fate| fates.push((mpdu, fate)));
                    self.answered(awaited.from, answer, ppdu.duration_field, now, pool);
                    return true;
                }
                _ => {}
            }
        }
        self.answer_missing(awaited, now, pool);
        false
    }

    /// A damaged frame ended while an answer was awaited.
    pub(super) fn judge_damaged(&mut self, now: Instant, pool: &mut PacketPool) {
        if let Exchange::Awaiting { awaited, .. } = self.exchange {
            self.answer_missing(awaited, now, pool);
        }
    }

    fn first_ppdu(&mut self, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        if let Some(len) = self.beacon.take() {
            self.exchange = Exchange::OnAir(None);
            return Some(self.control(
                NodeId::BROADCAST,
                self.config.group_rate,
                len,
                Duration::ZERO,
                Body::Beacon(len),
            ));
        }
        if self.reserved.is_some() {
            return Some(self.request_to_send());
        }
        if let Some(frame) = self.in_service {
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
    fn ppdu_on(&mut self, link: usize, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        if let Some(start) = self.links.bar_due(link) {
            return Some(self.block_ack_request(link, start));
        }
        let ppdu = match self.links.head(link, now, &mut self.dropped) {
            Head::Nothing => None,
            Head::Agreement => Some(self.aggregate(link, now, pool)),
            Head::Alone => {
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
    fn put_in_service(&mut self, link: usize, now: Instant, pool: &mut PacketPool) -> InService {
        let queued = self.links.take_head(link);
        let seq = if queued.options.receiver.is_group() {
            let seq = self.next_group_seq;
            self.next_group_seq = seq.plus(1);
            seq
        } else {
            self.links.next_single_seq(link)
        };
        let receiver = queued.options.receiver;
        let default = if receiver.is_group() { self.config.group_rate } else { self.links.rate(link) };
        let rate = queued.options.rate.unwrap_or(default);
        let mut mpdu = queued.mpdu(self.config.node, seq);
        if self.links.has_agreement(link) && mpdu.tid() == Some(self.config.tid) {
            mpdu.kind = MpduKind::QosData(twin(self.config.tid));
        }
        let frame = InService { mpdu, rate, failures: 0 };
        let mut cx = context!(self, now, pool);
        self.scheme.on_sequenced(&mut cx, queued.handle, receiver, seq);
        self.in_service = Some(frame);
        frame
    }

    /// The frame in service as a PPDU, or the RTS before it.
    fn single(&mut self, frame: InService, now: Instant, pool: &mut PacketPool) -> Ppdu {
        let mpdu = frame.mpdu;
        let answer = frame.is_answered().then_some(ACK_LEN);
        let mut alone = self.spare.pop().unwrap_or_default();
        alone.push(mpdu);
        let (body, len) = (self.alone(alone, frame.rate), psdu_alone(frame.rate, mpdu.len()));
        let ppdu = self.data(body, mpdu.receiver, frame.rate, len, answer);
        match answer {
            Some(_) => self.launch(ppdu, Asked::InService, now, pool),
            None => self.put_on_air(ppdu, None, now, pool),
        }
    }

    /// An A-MPDU of what waits on a link: what is to be sent again, then new MPDUs, as much as all limits allow.
    fn aggregate(&mut self, link: usize, now: Instant, pool: &mut PacketPool) -> Ppdu {
        let rate = self.links.rate(link);
        let budget = self.psdu_budget(link, rate, now);
        let mut mpdus = self.spare.pop().unwrap_or_default();
        let mut length = self.links.ampdu_length(link);
        let max_mpdus = usize::from(self.links.max_mpdus(link));
        for mpdu in self.links.unacknowledged(link) {
            let longer = length.with(mpdu.len());
            if !mpdus.is_empty() && (longer.len() > budget || mpdus.len() == max_mpdus) {
                break;
            }
            length = longer;
            mpdus.push(*mpdu);
        }
        while mpdus.len() < max_mpdus && self.links.can_take_new(link) {
            let Some(len) = self.links.next_new_len(link, now, &mut self.dropped) else { break };
            let longer = length.with(len);
            if !mpdus.is_empty() && longer.len() > budget {
                break;
            }
            length = longer;
            let mpdu = self.links.take_new(link, self.config.node);
            let mut cx = context!(self, now, pool);
            self.scheme.on_sequenced(&mut cx, mpdu.handle, mpdu.receiver, mpdu.seq);
            mpdus.push(mpdu);
        }
        // None of them counts as sent yet: an RTS may come first, and remain unanswered.
        let peer = self.links.peer(link);
        if let [only] = mpdus[..] {
            let body = self.alone(mpdus, rate);
            let ppdu = self.data(body, peer, rate, psdu_alone(rate, only.len()), Some(ACK_LEN));
            return self.launch(ppdu, Asked::Alone(link, only.seq), now, pool);
        }
        let ppdu = self.data(Body::Aggregate(mpdus), peer, rate, length.len(), Some(BLOCK_ACK_LEN));
        self.launch(ppdu, Asked::Block(link), now, pool)
    }

    /// What carries a single MPDU: VHT has A-MPDUs only.
    fn alone(&mut self, mut mpdus: Vec<Mpdu>, rate: TxVector) -> Body {
        if rate.must_aggregate() {
            return Body::Aggregate(mpdus);
        }
        let only = mpdus[0];
        mpdus.clear();
        self.spare.push(mpdus);
        Body::Single(only)
    }

    /// The longest PSDU that the agreement, the PPDU's limit and the rest of the TXOP allow.
    fn psdu_budget(&self, link: usize, rate: TxVector, now: Instant) -> Bytes {
        let limit = match self.txop_end {
            None => return self.links.max_psdu(link),
            Some(end) => {
                let peer = self.links.peer(link);
                let mut rest = self.answer_span(peer, rate, BLOCK_ACK_LEN);
                if self.exchange.is_idle() && self.config.rts_threshold.is_some() {
                    // Also where the PSDU then turns out too short for an RTS.
                    let rts = self.answer_rate(rate).duration(RTS_LEN);
                    rest += rts + self.answer_span(peer, rate, CTS_LEN) + self.config.timing.sifs;
                }
                end.saturating_since(now).saturating_sub(rest).min(MAX_PPDU)
            }
        };
        rate.max_psdu(limit).min(self.links.max_psdu(link))
    }

    /// A data PPDU. `answer`: the length of the answer that it asks for.
    fn data(&self, body: Body, to: NodeId, rate: TxVector, psdu_len: Bytes, answer: Option<Bytes>) -> Ppdu {
        let duration_field = answer.map_or(Duration::ZERO, |len| self.answer_span(to, rate, len));
        self.control(to, rate, psdu_len, duration_field, body)
    }

    fn block_ack_request(&mut self, link: usize, start: MacSeq) -> Ppdu {
        let peer = self.links.peer(link);
        let rate = self.answer_rate(self.links.rate(link));
        let body = Body::BlockAckReq(self.config.tid, start);
        let duration_field = self.answer_span(peer, rate, BLOCK_ACK_LEN);
        let ppdu = self.control(peer, rate, BLOCK_ACK_REQ_LEN, duration_field, body);
        self.exchange = Exchange::OnAir(Some(self.awaited(&ppdu, Asked::Block(link))));
        ppdu
    }

    /// A frame with no scheme's bits; what every PPDU is built from.
    pub(super) fn control(
        &self,
        receiver: NodeId,
        rate: TxVector,
        psdu_len: Bytes,
        duration_field: Duration,
        body: Body,
    ) -> Ppdu {
        Ppdu {
            transmitter: self.config.node,
            receiver,
            txvector: rate,
            psdu_len,
            duration: rate.duration(psdu_len),
            duration_field: Duration::from_micros(duration_field.as_micros_ceil()),
            bits: HeaderBits::default(),
            body,
        }
    }

    /// From the end of a PPDU to the end of its answer.
    fn answer_span(&self, from: NodeId, rate: TxVector, len: Bytes) -> Duration {
        self.config.timing.sifs + self.answer_rate(rate).duration(len) + self.peer(from).answer_delay
    }

    /// Sends a PPDU, or first the RTS that its length asks for.
    fn launch(&mut self, ppdu: Ppdu, asked: Asked, now: Instant, pool: &mut PacketPool) -> Ppdu {
        // Within a TXOP the first exchange has cleared the medium, so that later ones go without an RTS (10.23.2.9).
        let first = self.exchange.is_idle();
        if first && self.config.rts_threshold.is_some_and(|threshold| ppdu.psdu_len > threshold) {
            self.reserved = Some(Reserved { ppdu, asked, failures: 0 });
            return self.request_to_send();
        }
        self.put_on_air(ppdu, Some(asked), now, pool)
    }

    /// A data PPDU leaves in this instant: the scheme sets its header bits, and its link is charged for it.
    fn put_on_air(&mut self, ppdu: Ppdu, asked: Option<Asked>, now: Instant, pool: &mut PacketPool) -> Ppdu {
        let link = self.links.current();
        if let Some(Asked::Alone(..) | Asked::Block(_)) = asked {
            for mpdu in ppdu.mpdus() {
                self.links.mark_sent(link, mpdu.seq);
            }
        }
        let (backlog, mut bits) = (Backlog { packets: self.links.backlog(link) }, HeaderBits::default());
        let mut cx = context!(self, now, pool);
        self.scheme.on_ppdu_out(&mut cx, ppdu.receiver, backlog, &mut bits);
        self.links.charge(link, ppdu.duration + ppdu.duration_field);
        self.exchange = Exchange::OnAir(asked.map(|asked| self.awaited(&ppdu, asked)));
        Ppdu { bits, ..ppdu }
    }

    /// The RTS for the reserved PPDU: it reserves the medium until the end of that PPDU's answer (802.11-2020, 9.3.1.2).
    fn request_to_send(&mut self) -> Ppdu {
        let reserved = self.reserved.as_ref().expect("an RTS goes before a reserved PPDU");
        let (receiver, data) = (reserved.ppdu.receiver, reserved.ppdu.duration + reserved.ppdu.duration_field);
        let rate = self.answer_rate(reserved.ppdu.txvector);
        let sifs = self.config.timing.sifs;
        let duration_field = self.answer_span(receiver, rate, CTS_LEN) + sifs + data;
        let rts = self.control(receiver, rate, RTS_LEN, duration_field, Body::Rts);
        self.exchange = Exchange::OnAir(Some(self.awaited(&rts, Asked::Rts)));
        rts
    }

    fn awaited(&self, ppdu: &Ppdu, to: Asked) -> Awaited {
        Awaited { from: ppdu.receiver, rate: self.answer_rate(ppdu.txvector), to }
    }

    /// AckTimeout and CTSTimeout: SIFS, a slot, and the answer's preamble (802.11-2020, 10.3.2.11), and what the peer is known to need.
    fn timeout(&self, awaited: Awaited) -> Duration {
        let peer = self.peer(awaited.from);
        self.config.timing.answer_timeout(awaited.rate) + peer.answer_delay + self.config.ack_timeout_extra
    }

    /// An Ack came to the only MPDU of a PPDU.
    fn acknowledged(&mut self, to: Asked) {
        match to {
            Asked::Alone(link, seq) => {
                let fates = &mut self.fates;
                self.links.originator(link).on_ack(seq, |mpdu, fate| fates.push((mpdu, fate)));
            }
            _ => {
                let frame = self.in_service.take().expect("an Ack answers the frame in service");
                self.fates.push((frame.mpdu, Fate::Delivered));
            }
        }
    }

    /// What follows from an Ack or BlockAck.
    fn answered(&mut self, from: NodeId, answer: &Answer, duration: Duration, now: Instant, pool: &mut PacketPool) {
        let mut cx = context!(self, now, pool);
        self.scheme.on_answer(&mut cx, from, answer, duration);
        self.raise_emitted();
        self.settle_fates(now, pool);
        if self.fits_another(now) {
            self.exchange = Exchange::Sifs { at: now + self.config.timing.sifs };
        } else {
            self.end_access(now, true);
        }
    }

    /// Whether the TXOP has room for one more exchange with the same peer.
    fn fits_another(&self, now: Instant) -> bool {
        let Some(end) = self.txop_end else { return false };
        let link = self.links.current();
        if self.in_service.is_some() || self.beacon.is_some() {
            return false;
        }
        let Some(mpdu) = self.links.first_len(link) else { return false };
        let rate = self.links.rate(link);
        let sifs = self.config.timing.sifs;
        let span =
            sifs + rate.duration(psdu_alone(rate, mpdu)) + self.answer_span(self.links.peer(link), rate, BLOCK_ACK_LEN);
        now + span <= end
    }

    /// The awaited answer did not come, or came damaged.
    fn answer_missing(&mut self, awaited: Awaited, now: Instant, pool: &mut PacketPool) {
        self.counts.timeouts += 1;
        let limit = self.config.retry_limit;
        let fates = &mut self.fates;
        let again = match awaited.to {
            Asked::Rts => self.reservation_failed(limit),
            Asked::InService => {
                let frame = self.in_service.as_mut().expect("a timeout belongs to the frame in service");
                frame.failures = frame.failures.saturating_add(1);
                frame.mpdu.retry = true;
                let again = frame.failures < limit;
                if !again {
                    fates.push((frame.mpdu, Fate::GivenUp));
                    self.in_service = None;
                }
                again
            }
            Asked::Alone(link, seq) => {
                self.links.originator(link).on_no_ack(seq, limit, |mpdu, fate| fates.push((mpdu, fate)));
                self.fates.is_empty()
            }
            Asked::Block(link) => {
                let next = self.links.originator(link).on_no_block_ack(limit, |mpdu, fate| fates.push((mpdu, fate)));
                next == NoAnswer::Request
            }
        };
        let mut cx = context!(self, now, pool);
        self.scheme.on_answer_missing(&mut cx, awaited.from);
        self.settle_fates(now, pool);
        self.end_access(now, !again);
    }

    /// No CTS came. Returns whether the RTS will be sent again.
    fn reservation_failed(&mut self, limit: u32) -> bool {
        let reserved = self.reserved.as_mut().expect("a CTS is awaited for a reserved PPDU");
        reserved.failures = reserved.failures.saturating_add(1);
        if reserved.failures < limit {
            return true;
        }
        let fates = &mut self.fates;
        match reserved.asked {
            Asked::Alone(link, _) | Asked::Block(link) => {
                self.links.originator(link).give_up_unacknowledged(|mpdu, fate| fates.push((mpdu, fate)));
            }
            Asked::InService | Asked::Rts => {
                let frame = self.in_service.take().expect("the reserved frame is in service");
                fates.push((frame.mpdu, Fate::GivenUp));
            }
        }
        self.reserved = None;
        false
    }

    /// Tells the scheme what became of MPDUs, and lets their packets go.
    fn settle_fates(&mut self, now: Instant, pool: &mut PacketPool) {
        let mut fates = std::mem::take(&mut self.fates);
        for (mpdu, fate) in fates.drain(..) {
            let mut cx = context!(self, now, pool);
            match fate {
                Fate::Delivered => self.scheme.on_delivered(&mut cx, &mpdu),
                Fate::GivenUp => {
                    self.counts.given_up += 1;
                    self.scheme.on_given_up(&mut cx, &mpdu);
                }
            }
            pool.release(mpdu.packet);
        }
        self.fates = fates;
    }

    /// The access is over. `settled`: in success, or with the frame given up.
    fn end_access(&mut self, now: Instant, settled: bool) {
        self.exchange = Exchange::Idle;
        self.free_since = now;
        self.links.refresh(self.links.current());
        if settled {
            let waiting = self.has_work();
            self.access.succeed(waiting);
        } else {
            self.access.fail();
        }
    }
}

/// The length of a PSDU with a single MPDU in it.
const fn psdu_alone(rate: TxVector, mpdu: Bytes) -> Bytes {
    if rate.must_aggregate() { AmpduLength::new(rate, MpduSpacing::None).with(mpdu).len() } else { mpdu }
}

/// The other TID of an access category (802.11-2020, table 10-1): 1 and 2 are background, 0 and 3 best effort, 4 and 5 video, 6 and 7 voice.
const fn twin(tid: Tid) -> Tid {
    match tid {
        Tid(n @ 0..=3) => Tid(3 - n),
        Tid(n) => Tid(n ^ 1),
    }
}

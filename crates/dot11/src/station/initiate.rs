//! The initiating half of a station: a won access, and from the answer to its PPDU, or the lack of one, to what follows.

use ackless_wire::{Duration, Instant, PacketPool};

use super::compose::single_mpdu_psdu;
use super::exchange::{Awaited, AwaitingCts, Eliciting, Exchange};
use super::links::LinkId;
use super::{Station, StationCounts};
use crate::access::Settled;
use crate::block_ack::{Fate, NoAnswer};
use crate::frame::{Answer, BLOCK_ACK_LEN, Bitmap, Body, Mpdu, NodeId, Ppdu};
use crate::hooks::Scheme;

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
                // After a beacon, a frame in service still waits. A beacon resets the contention window as any frame does: it shares the data's
                // access function here, where an AP under EDCA has one for each category.
                let sent = self.in_service.take_if(|frame| !frame.is_answered());
                if let Some(frame) = sent {
                    self.fates.push((frame.mpdu, Fate::Delivered));
                    self.settle_fates(now, pool);
                }
                if sent.is_some() && self.fits_another(now) {
                    self.exchange = Exchange::Sifs { at: now + self.config.timing.sifs };
                } else {
                    self.end_access(now, Settled::Done);
                }
            }
            Exchange::Idle | Exchange::Awaiting { .. } | Exchange::Sifs { .. } => {}
        }
    }

    /// The part of [`Station::wake`] for the own exchange.
    pub(super) fn continue_exchange(&mut self, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        match self.exchange {
            Exchange::Sifs { at } if at <= now => {
                if let Some(AwaitingCts { ppdu, eliciting, .. }) = self.awaiting_cts.take() {
                    return Some(self.put_on_air(ppdu, Some(eliciting), now, pool));
                }
                let link = self.links.current();
                let ppdu = self.ppdu_on(link, now, pool);
                if ppdu.is_none() {
                    self.end_access(now, Settled::Done);
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
    pub(super) fn judge_answer(&mut self, ppdu: &Ppdu, now: Instant, pool: &mut PacketPool) -> bool {
        let Exchange::Awaiting { awaited, .. } = self.exchange else { return false };
        if ppdu.transmitter == awaited.from {
            match (&ppdu.body, awaited.eliciting) {
                (Body::Cts, Eliciting::Rts) => {
                    self.exchange = Exchange::Sifs { at: now + self.config.timing.sifs };
                    return true;
                }
                (Body::Ack(answer), Eliciting::InService | Eliciting::SingleMpdu(..)) => {
                    self.report_single(awaited.eliciting, now, 1, true);
                    self.acknowledged(awaited.eliciting);
                    self.answered(awaited.from, answer, ppdu.duration_field, now, pool);
                    return true;
                }
                (Body::BlockAck(_, bitmap, answer), Eliciting::Block(link)) => {
                    if self.links.adapts(link) {
                        let (sent, acknowledged) = self.links.originator(link).outcome(*bitmap);
                        self.links.report(link, now, sent, acknowledged, false);
                    }
                    self.take_block_ack(link, *bitmap, pool);
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

    /// AckTimeout and CTSTimeout: SIFS, a slot, and the answer's preamble (802.11-2020, 10.3.2.11), and what the peer is known to need.
    fn timeout(&self, awaited: Awaited) -> Duration {
        let peer = self.peer(awaited.from);
        self.config.timing.answer_timeout(awaited.rate) + peer.answer_delay + self.config.ack_timeout_extra
    }

    /// An Ack came to the only MPDU of a PPDU.
    fn acknowledged(&mut self, eliciting: Eliciting) {
        match eliciting {
            Eliciting::SingleMpdu(link, seq) => {
                let fates = &mut self.fates;
                self.links.originator(link).on_ack(seq, |mpdu, fate| fates.push((*mpdu, fate)));
            }
            _ => {
                let frame = self.in_service.take().expect("an Ack answers the frame in service");
                self.fates.push((frame.mpdu, Fate::Delivered));
            }
        }
    }

    /// A BlockAck came to an A-MPDU or to a BlockAck Request.
    fn take_block_ack(&mut self, link: LinkId, bitmap: Bitmap, pool: &mut PacketPool) {
        let is_told = !self.scheme.is_stock() || self.links.has_device();
        let (limit, originator) = (self.config.retry_limit, self.links.originator(link));
        if is_told {
            let fates = &mut self.fates;
            originator.on_block_ack(bitmap, limit, |mpdu, fate| fates.push((*mpdu, fate)));
        } else {
            let counts = &mut self.counts;
            originator.on_block_ack(bitmap, limit, |mpdu, fate| let_go(mpdu, fate, counts, pool));
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
            self.end_access(now, Settled::Done);
        }
    }

    /// Tells the rate control of a single MPDU, if its rate is chosen, that it was acknowledged (1) or not (0).
    fn report_single(&mut self, eliciting: Eliciting, now: Instant, acknowledged: u32, over: bool) {
        let link = match eliciting {
            Eliciting::SingleMpdu(link, _) => Some(link).filter(|link| self.links.adapts(*link)),
            _ => self.in_service.and_then(|frame| frame.adapting_link),
        };
        if let Some(link) = link {
            self.links.report(link, now, 1, acknowledged, over);
        }
    }

    /// Whether the TXOP has room for one more exchange with the same peer.
    fn fits_another(&mut self, now: Instant) -> bool {
        let Some(end) = self.txop_end else { return false };
        let link = self.links.current();
        if self.in_service.is_some() || self.beacon.is_some() {
            return false;
        }
        let Some(mpdu) = self.links.first_len(link) else { return false };
        self.links.choose_rate(link, now, false, self.config.retry_limit);
        let rate = self.links.rate(link);
        let sifs = self.config.timing.sifs;
        let span = sifs
            + rate.duration(single_mpdu_psdu(rate, mpdu))
            + self.answer_span(self.links.peer(link), rate, BLOCK_ACK_LEN);
        now + span <= end
    }

    /// The awaited answer did not come, or came damaged.
    fn answer_missing(&mut self, awaited: Awaited, now: Instant, pool: &mut PacketPool) {
        self.counts.timeouts += 1;
        let limit = self.config.retry_limit;
        let fates = &mut self.fates;
        let again = match awaited.eliciting {
            Eliciting::Rts => self.reservation_failed(limit, now),
            Eliciting::InService => {
                let frame = self.in_service.as_mut().expect("a timeout belongs to the frame in service");
                frame.failures = frame.failures.saturating_add(1);
                frame.mpdu.retry = true;
                let again = frame.failures < limit;
                if let Some(link) = frame.adapting_link {
                    self.links.report(link, now, 1, 0, !again);
                }
                if !again {
                    fates.push((frame.mpdu, Fate::GivenUp));
                    self.in_service = None;
                }
                again
            }
            Eliciting::SingleMpdu(link, seq) => {
                self.links.originator(link).on_no_ack(seq, limit, |mpdu, fate| fates.push((*mpdu, fate)));
                let again = self.fates.is_empty();
                self.report_single(awaited.eliciting, now, 0, !again);
                again
            }
            Eliciting::Block(link) => {
                let sent = if self.links.adapts(link) { self.links.originator(link).in_flight() } else { 0 };
                let next = self.links.originator(link).on_no_block_ack(limit, |mpdu, fate| fates.push((*mpdu, fate)));
                if sent > 0 && next == NoAnswer::RequestGivenUp {
                    self.links.report(link, now, sent, 0, false);
                }
                next == NoAnswer::Request
            }
        };
        let mut cx = context!(self, now, pool);
        self.scheme.on_answer_missing(&mut cx, awaited.from);
        self.settle_fates(now, pool);
        self.end_access(now, if again { Settled::Failed } else { Settled::GivenUp });
    }

    /// No CTS came. Returns whether the RTS will be sent again.
    fn reservation_failed(&mut self, limit: u32, now: Instant) -> bool {
        let awaiting_cts = self.awaiting_cts.as_mut().expect("a CTS is awaited for a reserved PPDU");
        awaiting_cts.failures = awaiting_cts.failures.saturating_add(1);
        if awaiting_cts.failures < limit {
            return true;
        }
        let fates = &mut self.fates;
        match awaiting_cts.eliciting {
            Eliciting::SingleMpdu(link, _) | Eliciting::Block(link) => {
                self.links.originator(link).give_up_unacknowledged(|mpdu, fate| fates.push((*mpdu, fate)));
                self.links.report(link, now, 0, 0, true);
            }
            Eliciting::InService | Eliciting::Rts => {
                let frame = self.in_service.take().expect("the reserved frame is in service");
                if let Some(link) = frame.adapting_link {
                    self.links.report(link, now, 0, 0, true);
                }
                fates.push((frame.mpdu, Fate::GivenUp));
            }
        }
        self.awaiting_cts = None;
        false
    }

    /// Tells the scheme what became of MPDUs, and lets their packets go.
    fn settle_fates(&mut self, now: Instant, pool: &mut PacketPool) {
        let mut fates = std::mem::take(&mut self.fates);
        if self.links.has_device() {
            self.links.free_in_device(fates.iter().map(|(mpdu, _)| mpdu.handle));
        }
        if !self.scheme.is_stock() && !fates.is_empty() {
            let mut cx = context!(self, now, pool);
            self.scheme.on_fates(&mut cx, &fates);
        }
        for (mpdu, fate) in &fates {
            let_go(mpdu, *fate, &mut self.counts, pool);
        }
        fates.clear();
        self.fates = fates;
        if self.links.has_device() {
            self.links.feed(now, pool, &mut self.dropped);
            self.settle_drops(now, pool);
        }
    }

    /// The access is over.
    fn end_access(&mut self, now: Instant, how: Settled) {
        self.exchange = Exchange::Idle;
        self.exchange_ended = now;
        self.links.refresh(self.links.current());
        let waiting = self.has_work();
        self.access.settle(how, waiting);
    }
}

/// The sender is done with a packet. The receiver may hold it still.
#[inline(always)]
fn let_go(mpdu: &Mpdu, fate: Fate, counts: &mut StationCounts, pool: &mut PacketPool) {
    if fate == Fate::GivenUp {
        counts.given_up += u64::from(mpdu.part.begins());
    }
    pool.let_go(mpdu.packet);
}

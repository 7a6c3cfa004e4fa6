//! The responding half of a station: takes in PPDUs that are addressed to it, and answers them SIFS later.

use ackless_phy::TxVector;
use ackless_wire::{Bytes, Duration, Instant, PacketPool};

use super::exchange::Exchange;
use super::links::LinkId;
use super::{MediumView, Station, Upward, carry_out};
use crate::block_ack::Duplicate;
use crate::frame::{
    ACK_LEN, Answer, BLOCK_ACK_LEN, Bitmap, Body, CTS_LEN, MacSeq, Mpdu, NodeId, Ppdu, Tid, split_first,
};
use crate::hooks::{Admission, AnswerDue, AnswerKind, Arrival, ArrivalKind, Emission, Scheme};

/// An answer that leaves when SIFS is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct DueAnswer {
    /// When.
    pub(super) at: Instant,
    to: NodeId,
    with: Reply,
    rate: TxVector,
    /// The Duration field of the frame that is answered.
    duration_field: Duration,
}

/// What answer a PPDU with data wants of its receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct WantedAnswer {
    /// What those of its MPDUs ask for that have been taken in.
    asked: Asked,
    /// How many MPDUs it has.
    mpdus: u32,
}

impl WantedAnswer {
    /// Before its first MPDU.
    const NONE: Self = Self { asked: Asked::Nothing, mpdus: 0 };
}

/// What MPDUs ask their receiver for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// No answer.
    Nothing,
    /// An Ack: they have no TID.
    Ack,
    /// An Ack for one of them, a BlockAck for several, all of this TID.
    OfTid(Tid),
}

/// A PPDU with data, and what holds for all its MPDUs: they have the same receiver and TID, and ask for the same answer.
#[derive(Clone, Copy, Debug)]
struct Arrived<'p> {
    ppdu: &'p Ppdu,
    /// Whether MPDU `n` is intact, in bit `n`.
    intact: u64,
    /// The link under whose agreement they come, if they do.
    agreed: Option<LinkId>,
    /// What they ask for.
    asked: Asked,
}

/// Packets at the start of a PPDU.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// How many need no further look.
    taken: usize,
    /// How many of these have been received, and go up.
    rising: usize,
}

#[derive(Clone, Copy, Debug)]
enum Reply {
    Cts,
    Ack,
    BlockAck(Tid),
}

impl<S: Scheme> Station<S> {
    /// A PPDU that is addressed to this station, or to a group, is over. Data for a group that this station is not in goes no further.
    ///
    /// Bit `n` of `intact` says whether its MPDU `n` arrived with a good FCS (bit 0 for a frame without MPDUs). `view` is the medium as of
    /// this instant; its NAV decides whether an RTS is answered.
    pub fn receive(&mut self, now: Instant, view: MediumView, ppdu: &Ppdu, intact: u64, pool: &mut PacketPool) {
        if intact == 0 {
            self.damaged_at = Some(now);
            self.judge_damaged(now, pool);
            return;
        }
        if self.judge_answer(ppdu, now, pool) {
            return;
        }
        match &ppdu.body {
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) if !self.is_addressed_by(ppdu.receiver) => {}
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => {
                self.receive_data(now, ppdu, intact, pool);
                if self.links.heard(ppdu.transmitter) {
                    self.request(now, view);
                }
            }
            Body::BlockAckReq(tid, start) => {
                let mut cx = context!(self, now, pool);
                let arrival = Arrival { from: ppdu.transmitter, bits: ppdu.bits, kind: ArrivalKind::BlockAckReq };
                self.scheme.on_ppdu_in(&mut cx, &arrival);
                if let Some(recipient) = self.links.recipient(ppdu.transmitter) {
                    let released = &mut self.released;
                    recipient.on_request(*start, |mpdu| released.push(mpdu));
                    self.answer_later(now, ppdu, Reply::BlockAck(*tid));
                    self.pass_up(now, pool);
                }
            }
            Body::Rts if view.nav_until <= now => self.answer_later(now, ppdu, Reply::Cts),
            // An RTS while the NAV is set is not answered (802.11-2020, 10.3.2.9). Answers that nobody awaits mean nothing.
            Body::Rts | Body::Cts | Body::Ack(_) | Body::BlockAck(..) | Body::Beacon(_) => {}
        }
    }

    /// An A-MPDU that is addressed to this station alone is on the air, and nothing overlaps with it: takes in now what will have arrived when it is over, each MPDU
    /// ahead of its time, which [`Upward::mpdu`] tells. [`Self::receive`] follows at its end, with the same `intact`, or [`Self::forget_ahead`].
    ///
    /// Returns whether it was taken in; not while the station awaits an answer, for which it may stand.
    #[cold]
    pub fn receive_ahead(&mut self, now: Instant, ppdu: &Ppdu, intact: u64, pool: &mut PacketPool) -> bool {
        if intact == 0 || !self.exchange.is_idle() {
            return false;
        }
        let mut marks = Vec::new();
        self.announce_arrival(now, ppdu, intact, pool);
        let mut wanted = WantedAnswer::NONE;
        let mark = |released, mpdu| marks.resize(released, mpdu);
        self.take_mpdus(now, self.arrived(ppdu, intact), 0, &mut wanted, pool, mark);
        let mut released = std::mem::take(&mut self.released);
        for (mpdu, mark) in released.drain(..).zip(marks) {
            let before = self.up.len();
            self.pass_one_up(&mpdu, now, pool);
            self.up.range_mut(before..).for_each(|upward| upward.mpdu = mark);
        }
        self.released = released;
        self.received_ahead = Some(wanted);
        true
    }

    /// What was received ahead was destroyed after all: no answer follows.
    pub fn forget_ahead(&mut self) {
        self.received_ahead = None;
    }

    /// Whether a frame to `receiver`, a station or a group, is for this station.
    fn is_addressed_by(&self, receiver: NodeId) -> bool {
        receiver.station() == self.config.node || receiver == NodeId::BROADCAST
    }

    /// Gives the buffers of a PPDU that this station sent back to it.
    pub fn recycle(&mut self, ppdu: Ppdu) {
        if let Body::Aggregate(mut mpdus) | Body::Amsdu(mut mpdus) = ppdu.body {
            mpdus.clear();
            self.spare_buffers.push(mpdus);
        }
    }

    fn receive_data(&mut self, now: Instant, ppdu: &Ppdu, intact: u64, pool: &mut PacketPool) {
        if let Some(wanted) = self.received_ahead.take() {
            return self.answer_data(now, ppdu, wanted);
        }
        self.announce_arrival(now, ppdu, intact, pool);
        let arrived = self.arrived(ppdu, intact);
        if self.scheme.is_stock()
            && let Some(link) = arrived.agreed
        {
            let wanted = self.take_straight(link, arrived, pool);
            return self.answer_data(now, ppdu, wanted);
        }
        let mut wanted = WantedAnswer::NONE;
        let Run { taken, rising } = self.receive_run(now, arrived, &mut wanted, pool);
        self.take_mpdus(now, arrived, taken, &mut wanted, pool, |_, _| {});
        self.answer_data(now, ppdu, wanted);
        self.pass_run_up(&ppdu.mpdus()[..rising], now, pool);
        self.pass_up(now, pool);
    }

    /// Tells the scheme of a PPDU with data, and books its air time.
    #[inline]
    fn announce_arrival(&mut self, now: Instant, ppdu: &Ppdu, intact: u64, pool: &mut PacketPool) {
        let kind = match &ppdu.body {
            Body::Single(mpdu) => ArrivalKind::Single(mpdu.seq),
            Body::Amsdu(packets) => ArrivalKind::Single(packets[0].seq),
            _ => ArrivalKind::Aggregate(intact.count_ones() as u16),
        };
        let mut cx = context!(self, now, pool);
        self.scheme.on_ppdu_in(&mut cx, &Arrival { from: ppdu.transmitter, bits: ppdu.bits, kind });
        if let Some(link) = self.links.index(ppdu.transmitter) {
            self.links.charge(link, ppdu.duration);
        }
    }

    /// Takes in what is intact of a PPDU with data behind the packets that have been `taken`, and tells `each` how many packets have left the reorder buffer with each of its MPDUs.
    #[inline(always)]
    fn take_mpdus(
        &mut self,
        now: Instant,
        arrived: Arrived<'_>,
        taken: usize,
        wanted: &mut WantedAnswer,
        pool: &mut PacketPool,
        mut each: impl FnMut(usize, u16),
    ) {
        for packets in arrived.ppdu.packets_from(taken) {
            let place = wanted.mpdus;
            wanted.mpdus += 1;
            if arrived.intact >> place & 1 != 0 && self.take_mpdu(packets, arrived.agreed, now, pool) {
                wanted.asked = arrived.asked;
            }
            each(self.released.len(), place as u16);
        }
    }

    /// What holds for all MPDUs of a PPDU with data.
    #[inline]
    fn arrived<'p>(&self, ppdu: &'p Ppdu, intact: u64) -> Arrived<'p> {
        let first = &ppdu.mpdus()[0];
        let to_agreement = first.tid() == Some(self.config.tid) && !first.receiver.is_group();
        let agreed = if to_agreement { self.links.receiving(ppdu.transmitter) } else { None };
        let asked = match first.tid() {
            _ if !first.is_answered() => Asked::Nothing,
            None => Asked::Ack,
            Some(tid) => Asked::OfTid(tid),
        };
        Arrived { ppdu, intact, agreed, asked }
    }

    /// Takes in what is intact of a PPDU with data under the agreement of this link, as [`Self::take_mpdus`] would, where there is no scheme to ask: what leaves the reorder buffer goes up at
    /// once. Returns the answer that it wants.
    #[inline(always)]
    fn take_straight(&mut self, link: LinkId, arrived: Arrived<'_>, pool: &mut PacketPool) -> WantedAnswer {
        let Self { links, up, counts, .. } = self;
        let recipient = links.recipient_on(link);
        let (mut rest, mut intact, mut wanted) = (arrived.ppdu.mpdus(), arrived.intact, WantedAnswer::NONE);
        loop {
            if recipient.held() == 0 {
                let (taken, mpdus) = run_from(recipient.next_up(), rest, intact, true);
                let (run, behind) = rest.split_at(taken);
                recipient.on_run(mpdus as u16);
                up.extend(run.iter().map(Upward::of));
                run.iter().for_each(|mpdu| pool.retain(mpdu.packet));
                (rest, intact) = (behind, intact.checked_shr(mpdus).unwrap_or(0));
                wanted.mpdus += mpdus;
                wanted.asked = if mpdus > 0 { arrived.asked } else { wanted.asked };
            }
            let Some((packets, behind)) = split_first(rest) else { return wanted };
            if intact & 1 != 0 {
                match recipient.on_mpdu(packets, |mpdu| up.push_back(Upward::of(&mpdu))) {
                    Ok(()) => packets.iter().for_each(|packet| pool.retain(packet.packet)),
                    Err(Duplicate) => counts.duplicates += 1,
                }
                wanted.asked = arrived.asked;
            }
            (rest, intact) = (behind, intact >> 1);
            wanted.mpdus += 1;
        }
    }

    /// Takes in the MPDUs at the start of an A-MPDU that have arrived and come next under its agreement, as [`Self::take_mpdu`] would one by one, where there is a scheme to ask. None with an
    /// A-MSDU is among them.
    #[inline(always)]
    fn receive_run(
        &mut self,
        now: Instant,
        arrived: Arrived<'_>,
        wanted: &mut WantedAnswer,
        pool: &mut PacketPool,
    ) -> Run {
        let mut run = Run { taken: 0, rising: 0 };
        let Arrived { ppdu, intact, agreed: Some(link), asked } = arrived else { return run };
        let Body::Aggregate(mpdus) = &ppdu.body else { return run };
        let recipient = self.links.recipient_on(link);
        if asked == Asked::Nothing || recipient.held() > 0 {
            return run;
        }
        (run.taken, wanted.mpdus) = run_from(recipient.next_up(), mpdus, intact, false);
        if run.taken == 0 {
            return run;
        }
        let mut cx = context!(self, now, pool);
        run.rising = self.scheme.on_mpdus(&mut cx, &mpdus[..run.taken]);
        mpdus[..run.rising].iter().for_each(|mpdu| pool.retain(mpdu.packet));
        if run.rising < run.taken {
            // Of those behind the refused one nothing has been asked yet.
            self.counts.refused += 1;
            run.taken = run.rising + 1;
            wanted.mpdus = run.taken as u32;
        }
        if run.rising > 0 {
            wanted.asked = asked;
        }
        self.links.recipient_on(link).on_run(run.rising as u16);
        run
    }

    /// Takes in an MPDU that arrived, if the scheme lets it. Returns whether it does.
    #[inline(always)]
    fn take_mpdu(&mut self, packets: &[Mpdu], agreed: Option<LinkId>, now: Instant, pool: &mut PacketPool) -> bool {
        if !self.admits(packets, now, pool) {
            self.counts.refused += 1;
            return false;
        }
        self.accept(packets, agreed, pool);
        true
    }

    /// Gives a PPDU with data the answer that it asks for.
    #[inline]
    fn answer_data(&mut self, now: Instant, ppdu: &Ppdu, WantedAnswer { asked, mpdus }: WantedAnswer) {
        // Several MPDUs in one PPDU ask for a BlockAck, a single one, VHT's A-MPDU of one included, for an Ack (802.11-2020, 10.3.2.13).
        let with = match asked {
            Asked::Nothing => return,
            Asked::OfTid(tid) if mpdus > 1 => Reply::BlockAck(tid),
            Asked::OfTid(_) | Asked::Ack => Reply::Ack,
        };
        // Nothing is said to several MPDUs outside of any agreement: there is no scoreboard.
        if matches!(with, Reply::Ack) || self.links.recipient(ppdu.transmitter).is_some() {
            self.answer_later(now, ppdu, with);
        }
    }

    /// Whether the scheme takes an MPDU. It is asked about each packet, and one that it refuses is refused with all beside it.
    #[inline(always)]
    fn admits(&mut self, packets: &[Mpdu], now: Instant, pool: &mut PacketPool) -> bool {
        self.scheme.is_stock() || self.asks_to_admit(packets, now, pool)
    }

    fn asks_to_admit(&mut self, packets: &[Mpdu], now: Instant, pool: &mut PacketPool) -> bool {
        let mut admits = true;
        for packet in packets {
            let mut cx = context!(self, now, pool);
            admits &= self.scheme.on_mpdu(&mut cx, packet) == Admission::Accept;
            if packet.part.ends() {
                break;
            }
        }
        admits
    }

    /// Takes an accepted MPDU in: through the reorder buffer of the link under whose agreement it comes, or past the duplicate filter.
    #[inline(always)]
    fn accept(&mut self, packets: &[Mpdu], agreed: Option<LinkId>, pool: &mut PacketPool) {
        let mpdu = &packets[0];
        let released = &mut self.released;
        // The sender holds its own reference until it has heard the answer, so that this one is never the last.
        let new = if let Some(link) = agreed {
            self.links.recipient_on(link).on_mpdu(packets, |mpdu| released.push(mpdu)).is_ok()
        } else {
            let link = self.links.index(mpdu.transmitter);
            let new = mpdu.receiver.is_group() || link.is_none_or(|link| !self.links.is_duplicate(link, mpdu));
            if new {
                released.extend_from_slice(packets);
            }
            new
        };
        if new {
            packets.iter().for_each(|packet| pool.retain(packet.packet));
        } else {
            self.counts.duplicates += 1;
        }
    }

    /// Hands what left the reorder buffer to the scheme, and then up, each packet behind what the scheme emitted onwards until then.
    fn pass_up(&mut self, now: Instant, pool: &mut PacketPool) {
        let mut released = std::mem::take(&mut self.released);
        for mpdu in released.drain(..) {
            self.pass_one_up(&mpdu, now, pool);
        }
        self.released = released;
    }

    /// Hands packets of one PPDU to the scheme, and then up: as many at once as it lets pass, and the others one by one.
    fn pass_run_up(&mut self, mut mpdus: &[Mpdu], now: Instant, pool: &mut PacketPool) {
        self.raise_emitted();
        while let Some(first) = mpdus.first() {
            let mut cx = context!(self, now, pool);
            let passed = self.scheme.on_run_upward(&mut cx, mpdus);
            self.up.extend(mpdus[..passed].iter().map(Upward::of));
            if passed == 0 {
                self.pass_one_up(first, now, pool);
            }
            mpdus = &mpdus[passed.max(1)..];
        }
    }

    #[inline]
    fn pass_one_up(&mut self, mpdu: &Mpdu, now: Instant, pool: &mut PacketPool) {
        if self.scheme.is_stock() {
            self.up.push_back(Upward::of(mpdu));
            return;
        }
        let mut cx = context!(self, now, pool);
        let verdict = self.scheme.on_upward(&mut cx, mpdu.packet, mpdu.transmitter);
        self.raise_emitted();
        if let Some(packet) = carry_out(verdict, pool, mpdu.packet) {
            self.up.push_back(Upward { packet, from: mpdu.transmitter, mpdu: 0 });
        }
    }

    /// What the scheme has emitted onwards goes up behind all that came up before.
    #[inline]
    pub(super) fn raise_emitted(&mut self) {
        if self.emissions.is_empty() {
            return;
        }
        let up = &mut self.up;
        self.emissions.drain(..std::mem::take(&mut self.emissions_taken));
        self.emissions.retain(|emission| {
            if let Emission::Onward(packet, from) = *emission {
                up.push_back(Upward { packet, from, mpdu: 0 });
                return false;
            }
            true
        });
    }

    fn answer_later(&mut self, now: Instant, ppdu: &Ppdu, with: Reply) {
        debug_assert!(matches!(self.exchange, Exchange::Idle), "a station that awaits an answer gives none");
        self.answer = Some(DueAnswer {
            at: now + self.config.timing.sifs + self.answer_delay(),
            to: ppdu.transmitter,
            with,
            rate: self.answer_rate(ppdu.txvector),
            duration_field: ppdu.duration_field,
        });
    }

    /// SIFS is over: the answer leaves.
    pub(super) fn send_answer(&mut self, now: Instant, pool: &mut PacketPool) -> Option<Ppdu> {
        let due = self.answer.take()?;
        let sifs = self.config.timing.sifs + self.answer_delay();
        let (plain, kind) = match due.with {
            Reply::Cts => (CTS_LEN, None),
            Reply::Ack => (ACK_LEN, Some(AnswerKind::Ack)),
            Reply::BlockAck(_) => (BLOCK_ACK_LEN, Some(AnswerKind::BlockAck)),
        };
        // What the answered frame reserved, less what has passed by the end of the answer (802.11-2020, 9.2.5.7).
        let takes = due.rate.duration(plain);
        let mut duration = due.duration_field.saturating_sub(sifs + takes);
        let mut answer = Answer::default();
        if let Some(kind) = kind {
            let mut cx = context!(self, now, pool);
            let facts = AnswerDue { to: due.to, kind, rate: due.rate, len: plain };
            self.scheme.on_answer_due(&mut cx, &facts, &mut answer, &mut duration);
            if answer.tag.is_some() {
                duration = Duration::ZERO;
            }
        }
        let len = plain + Bytes(answer.appended.len() as u64);
        let bits = answer.bits;
        let body = match due.with {
            Reply::Cts => Body::Cts,
            Reply::Ack => Body::Ack(answer),
            Reply::BlockAck(tid) => Body::BlockAck(tid, self.bitmap_for(due.to), answer),
        };
        let takes = if len == plain { takes } else { due.rate.duration(len) };
        Some(Ppdu { bits, ..self.timed_ppdu(due.to, due.rate, (len, takes), duration, body) })
    }

    fn bitmap_for(&mut self, peer: NodeId) -> Bitmap {
        self.links.recipient(peer).expect("only a frame under an agreement is answered by a BlockAck").bitmap()
    }
}

impl Upward {
    /// The packet of an MPDU.
    #[inline(always)]
    const fn of(mpdu: &Mpdu) -> Self {
        Self { packet: mpdu.packet, from: mpdu.transmitter, mpdu: 0 }
    }
}

/// How many packets at the start of these, and how many MPDUs, have arrived (bit `n` of `intact` says whether MPDU `n` has) with sequence numbers from `next` on, A-MSDUs with them or not.
#[inline(always)]
fn run_from(next: MacSeq, packets: &[Mpdu], intact: u64, with_amsdus: bool) -> (usize, u32) {
    let (arrived, mut next, mut mpdus) = (intact.trailing_ones(), next, 0);
    for (taken, mpdu) in packets.iter().enumerate() {
        if mpdu.part.begins() {
            if mpdus == arrived || mpdu.seq != next || !(with_amsdus || mpdu.part.ends()) {
                return (taken, mpdus);
            }
            (mpdus, next) = (mpdus + 1, next.plus(1));
        }
    }
    (packets.len(), mpdus)
}

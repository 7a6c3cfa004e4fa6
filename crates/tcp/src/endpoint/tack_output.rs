//! TACKs and IACKs: when one is sent, what it says, and how it is made (TACK paper, V-A, V-C and VI).
//!
//! All of them are segments with a body behind the header that is no part of the stream. They begin so far before SND.UNA that
//! they end one place below it: a plain TCP, at which they arrive if their option is stripped on the way, takes them for old. If
//! they ended right there, Linux would look at more than their number, since to it a segment that ends where the next begins is in
//! the window: it would take TS.Recent from a TSval that is of another clock, and drop all data from then on. Acknowledgement
//! number and window are those of any segment.
//!
//! TSval and TSecr of a report are as the paper redefines them (VI-B): when the packet left that had the least one-way delay, in the
//! clock of the sender of data, and our own clock. In the answer to a request for a round trip the packet is the request itself: a
//! fresh sample, whether data flows or not. In the other kinds, which measure nothing, both are our clock: by TSecr the peer
//! knows which of our windows is the newest. Neither end runs PAWS on, or takes TS.Recent from, any of them.

use ackless_wire::{Bytes, Instant, Packet, Payload, TcpFlags, TcpHeader, Transport};

use super::Endpoint;
use super::segment::Draft;
use crate::ack::{AckChoice, AckPolicy, AckReason, Place, Policy, SegmentFacts};
use crate::measure::Rhythm;
use crate::sequence::{Position, Span};
use crate::state::State;
use crate::tack::body::{AckKind, Body, FrequencyUpdate};
use crate::tack::config::LossSignal;
use crate::tack::receiving::arrivals::Arrival;
use crate::tack::receiving::{Holes, News};
use crate::timers::Timer;

impl Endpoint {
    /// A segment came whose timestamp is acceptable and that occupies `places` from `start` on: its number has come, if it can be our peer's.
    #[inline(always)]
    pub(super) fn note_number(&mut self, now: Instant, start: Position, places: Bytes, tcp: &TcpHeader) {
        if self.dialect.numbers_data()
            && places > Bytes::ZERO
            && !tcp.flags.intersects(TcpFlags::RST | TcpFlags::SYN)
            && self.is_plausible(start, tcp)
        {
            self.on_packet_number(now, tcp);
        }
    }

    /// A segment came whose timestamp is acceptable, wherever it lies: if it bears a packet number, that number has come.
    /// A duplicate, too, would else count as lost.
    #[inline(always)]
    pub(super) fn on_packet_number(&mut self, now: Instant, tcp: &TcpHeader) {
        let (Some(tack), Some(number)) = (self.dialect.tack_mut(), tcp.options.tack.packet_number) else { return };
        let stamp = self.stamps.as_ref().and_then(|s| tcp.options.timestamps.map(|(value, _)| (value, s.tick())));
        if matches!(tack.receiving.on_packet(now, number, stamp, &self.measured), Arrival::Spurious(_)) {
            self.stats.tack.spurious_losses += 1;
        }
        self.await_settling();
    }

    fn await_settling(&mut self) {
        match self.dialect.tack().and_then(|tack| tack.receiving.arrivals.due()) {
            Some(due) => self.timers.arm(Timer::Settle, due),
            None => self.timers.stop(Timer::Settle),
        }
    }

    /// Gaps in the numbers have not closed in time.
    #[inline(never)]
    pub(super) fn on_settled(&mut self, now: Instant) {
        let Some(tack) = self.dialect.tack_mut() else { return };
        while let Some((range, lost)) = tack.receiving.arrivals.settle(now) {
            self.stats.tack.packets_lost += lost;
            tack.receiving.on_lost();
            if tack.config.loss_signal == LossSignal::Iack {
                tack.receiving.pull(range);
            }
        }
        self.await_settling();
    }

    /// The number of the packet that is being taken, zero where there are none.
    pub(super) fn arriving_number(&self) -> u64 {
        self.dialect.tack().map_or(0, |tack| tack.receiving.arrivals.latest())
    }

    /// A segment of the stream has been taken, `fresh` bytes of which had not been here; before it, the window was `window`.
    ///
    /// An abrupt change of the window is told at once (paper, V-C): it has closed, or what is left of it is at most half of the
    /// buffer and could at least double now. The paper says no more than "an abrupt change of receive buffer"; the second is when
    /// any receiver here tells of an opened window.
    #[inline(always)]
    pub(super) fn after_text(&mut self, now: Instant, len: Bytes, fresh: Bytes, window: Bytes) {
        let Some(tack) = self.dialect.tack_mut() else { return };
        tack.receiving.delivery.on_segment(now, fresh, len >= self.rx.full_size);
        let closed = window > Bytes::ZERO && self.rx.window() == Bytes::ZERO;
        if self.state.may_receive() && (closed || self.rx.is_update_due()) {
            tack.receiving.window_news = News::Due;
        }
    }

    /// Takes the data of an acceptable segment, of which `fresh` is wanted. Returns where it lies, and how much of it counts as new: where TACK is in force all that was
    /// not here yet, also above a hole.
    #[inline(always)]
    pub(super) fn take_text(&mut self, now: Instant, whole: Span, fresh: Span, payload: &Payload) -> (Place, Bytes) {
        if !self.dialect.numbers_data() {
            return (self.store(whole, fresh, payload), fresh.len());
        }
        let (window, received) = (self.rx.window(), self.rx.received());
        let place = self.store(whole, fresh, payload);
        let new_bytes = self.rx.received() - received;
        if !whole.is_empty() {
            self.after_text(now, whole.len(), new_bytes, window);
        }
        (place, new_bytes)
    }

    /// A segment came with nothing new in it. On a TACK connection it is answered in the rhythm of TACKs, as long as the peer may
    /// have more to say.
    pub(super) fn answer_duplicate(&mut self, now: Instant) {
        let asks_host = self.ack_policy.asks_host();
        if (self.dialect.is_plain() && !asks_host) || !self.state.may_receive() {
            self.ack_owed = Some(AckReason::Duplicate);
            return;
        }
        let host = asks_host.then(|| self.host_facts(Bytes::ZERO, false));
        let (new_bytes, full_size, measured) = (Bytes::ZERO, self.rx.full_size, &self.measured);
        let facts = SegmentFacts { new_bytes, full_size, place: Place::Duplicate, measured, host };
        let decision = self.ack_policy.on_segment(now, &facts);
        self.heed_policy(now, decision);
    }

    /// The sender of data says how often to send TACKs.
    pub(super) fn on_frequency_update(&mut self, now: Instant, update: &FrequencyUpdate) {
        let Some(rhythm) = self.dialect.tack_mut().and_then(|tack| tack.receiving.on_update(*update)) else { return };
        self.measured.set_rhythm(rhythm);
        self.ack_policy.on_measured(&self.measured);
        // What is held may be due sooner or later than was thought.
        match self.ack_policy.deadline() {
            Some(at) => self.timers.arm(Timer::DelayedAck, at.max(now)),
            None => self.timers.stop(Timer::DelayedAck),
        }
    }

    /// The sender of data asks for a round trip.
    pub(super) fn on_round_trip_request(&mut self, now: Instant, tcp: &TcpHeader) {
        if let (Some(tack), Some((stamp, _))) = (self.dialect.tack_mut(), tcp.options.timestamps) {
            tack.receiving.request = Some((stamp, now));
        }
    }

    /// TACK is not in force any more: acknowledges as a plain TCP, the first time at once, since what has come may not have been
    /// reported.
    pub(super) fn stop_tack_receiving(&mut self) {
        self.measured.set_rhythm(Rhythm::Own);
        self.ack_policy = Policy::new(match self.config.ack {
            AckChoice::Tack { .. } => AckChoice::default(),
            other => other,
        });
        self.rx.owed_at_end = None;
        self.timers.stop(Timer::Settle);
        self.timers.stop(Timer::DelayedAck);
        self.ack_owed = Some(AckReason::Duplicate);
    }

    /// An acknowledgement goes out, with data or alone. What is owed as a TACK is not settled by it, since it reports nothing.
    pub(super) fn note_unreported(&mut self, now: Instant) {
        if self.ack_owed == Some(AckReason::Fin) {
            self.settle_acknowledgement(now);
        } else if !self.owes_tack() {
            self.ack_owed = None;
        }
    }

    /// Whether something is owed that may go out as a TACK.
    #[inline(always)]
    pub(super) const fn may_owe_tack(&self) -> bool {
        self.ack_owed.is_some() && !self.dialect.is_plain()
    }

    /// Whether what is owed goes out as a TACK. Plain remain the end of the handshake, challenges, and all that follows the peer's
    /// FIN.
    pub(super) fn owes_tack(&self) -> bool {
        let reason = match self.ack_owed {
            None | Some(AckReason::Fin | AckReason::Handshake | AckReason::Challenge) => false,
            Some(
                AckReason::Count
                | AckReason::Timer
                | AckReason::OutOfOrder
                | AckReason::HoleFilled
                | AckReason::Duplicate
                | AckReason::WindowUpdate
                | AckReason::Quick
                | AckReason::Read
                | AckReason::Compressed,
            ) => true,
        };
        reason && !self.dialect.is_plain() && self.state.may_receive()
    }

    /// An acknowledgement is owed that no TACK can be: beside the TACK that is owed, or will be before it goes.
    pub(super) fn owe_plain(&mut self, reason: AckReason) {
        let reports = self.state.is_synchronized() && self.state != State::TimeWait;
        match self.dialect.tack_mut().filter(|_| reports) {
            Some(tack) => tack.receiving.plain_answer = News::Due,
            None => self.ack_owed = Some(reason),
        }
    }

    /// The next TACK or IACK: first what pulls losses, then what the sending half has to say, then reports.
    pub(super) fn transmit_tack(&mut self, now: Instant) -> Option<Packet> {
        let owed = self.owes_tack();
        let tack = self.dialect.tack_mut()?;
        if !self.state.is_synchronized() || self.state == State::TimeWait {
            return None;
        }
        if let Some(range) = tack.receiving.next_loss() {
            self.stats.tack.loss_iacks += 1;
            return Some(self.typed(now, AckKind::Loss, &Body::Loss(range), None));
        }
        if let Some(body) = tack.sending.next_iack() {
            let kind = if matches!(body, Body::Frequency(_)) { AckKind::Frequency } else { AckKind::RoundTrip };
            match kind {
                AckKind::Frequency => self.stats.tack.frequency_iacks += 1,
                _ => self.stats.tack.round_trip_iacks += 1,
            }
            return Some(self.typed(now, kind, &body, None));
        }
        if let Some(request) = tack.receiving.request.take() {
            self.stats.tack.round_trip_iacks += 1;
            return Some(self.report(now, AckKind::RoundTrip, Some(request)));
        }
        if owed {
            return Some(self.rhythmic_tack(now));
        }
        if std::mem::take(&mut tack.receiving.window_news) == News::Due {
            self.stats.tack.window_iacks += 1;
            return Some(self.report(now, AckKind::Window, None));
        }
        if std::mem::take(&mut tack.receiving.plain_answer) == News::Due {
            self.stats.acks_sent += 1;
            return Some(self.segment(now, Draft::bare(self.tx.ack_start(), TcpFlags::ACK)));
        }
        self.inquire(now)
    }

    /// A TACK, as the policy has asked for it.
    fn rhythmic_tack(&mut self, now: Instant) -> Packet {
        let blocked = self.rx.reassembly.held();
        let stats = &mut self.stats.tack;
        stats.tacks_sent += 1;
        stats.start_up_tacks += u64::from(self.measured.rhythm() == Rhythm::PerPacket);
        stats.blocked_bytes += u128::from(blocked.get());
        stats.blocked_bytes_max = stats.blocked_bytes_max.max(blocked);
        if let Some(tack) = self.dialect.tack_mut() {
            tack.receiving.begin_tack(&self.measured);
            // It tells the window, too.
            tack.receiving.window_news = News::None;
        }
        let packet = self.report(now, AckKind::Tack, None);
        if let Some(tack) = self.dialect.tack_mut() {
            tack.receiving.end_tack();
        }
        self.settle_acknowledgement(now);
        packet
    }

    fn report(&mut self, now: Instant, kind: AckKind, request: Option<(u32, Instant)>) -> Packet {
        let tack = self.dialect.tack_mut().expect("only a TACK connection reports");
        let known = tack.receiving.arrivals.known();
        let next = self.rx.next;
        let fin = self.rx.fin.map(|at| (at, self.rx.fin_number));
        let holes = self.rx.reassembly.holes(next, fin, known).map(|hole| (hole.start - next, hole.end - next));
        let sizes = (self.tx.smss, self.rx.full_size);
        let holes = tack.receiving.holes(now, tack.config.blocks, &self.measured, sizes, holes);
        let Holes { distinct, .. } = holes;
        self.stats.tack.bubbles_reported += distinct;
        let (report, stamp) = tack.receiving.report(now, request, &self.measured, self.rx.reassembly.held(), holes);
        self.typed(now, kind, &Body::Report(report), Some(stamp))
    }

    /// A segment of that kind with that body; `departure` is the TSval of a report.
    #[inline(never)]
    fn typed(&mut self, now: Instant, kind: AckKind, body: &Body, departure: Option<u32>) -> Packet {
        let bytes = body.encode(self.tx.smss);
        let before = self.tx.una.seq(self.tx.iss) - 1 - bytes.len() as u32;
        let form = self.dialect.tack().map(|tack| tack.config.form).unwrap_or_default();
        self.stats.acks_sent += 1;
        let mut packet = self.segment(now, Draft::bare(self.tx.una, TcpFlags::ACK));
        packet.payload = Payload::Data(bytes);
        if let Transport::Tcp(tcp) = &mut packet.transport {
            tcp.seq = before;
            tcp.options.tack.form = form;
            tcp.options.tack.ack_type = Some(kind.value());
            if let Some((clock, _)) = tcp.options.timestamps {
                tcp.options.timestamps = Some((departure.unwrap_or(clock), clock));
            }
        }
        packet
    }
}

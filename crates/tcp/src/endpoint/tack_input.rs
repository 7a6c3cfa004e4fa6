//! TACKs, IACKs and stripped segments that arrive on a TACK connection.
//!
//! These are looked at before timestamps and window (paper, VI-B: a TACK's TSval is redefined; and its sequence number is
//! old on purpose), and never reach the stream. What protects a connection from segments with wrong numbers protects it
//! here too: an acknowledgement number must be one that RFC 5961 (5.2) lets pass, or the segment is challenged and does nothing.

use ackless_wire::{BitRate, Bytes, Duration, Instant, Packet, Payload, TcpFlags, TcpHeader};

use super::acknowledge::Progress;
use super::dialect::Dialect;
use super::segment::Draft;
use super::{Endpoint, TACK_TICK};
use crate::ack::AckReason;
use crate::congestion::{BbrPhase, Congestion, Controller, ReportFacts};
use crate::loss::{HoleReport, LossDetector};
use crate::sequence::{Position, Span};
use crate::state::State;
use crate::tack::body::{AckKind, Body, LossRange, Report};
use crate::tack::memory::Verdict;
use crate::tack::receiving::News;
use crate::tack::sending::reports::Order;
use crate::tack::sending::{Arrived, Understood};
use crate::timers::Timer;

impl Endpoint {
    /// Takes a segment if it is a TACK or an IACK, or was one before its options were stripped. True if there is nothing more
    /// to do about it.
    pub(super) fn on_unusual(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader) -> bool {
        if self.dialect.is_plain() && !self.has_fallen_back() {
            // To a plain TCP it is what it looks like: an old segment, or one from an attacker.
            return false;
        }
        let bare = !tcp.flags.intersects(TcpFlags::RST | TcpFlags::SYN | TcpFlags::FIN);
        let acknowledges = bare && tcp.flags.contains(TcpFlags::ACK) && self.state.is_synchronized();
        // Distances and not places: the TACKs of a peer that sends no data lie below its SYN. No TACK lies further back than
        // a window, and not every number that an attacker may guess is to pass for one, or to end TACK.
        let len = packet.payload.len();
        let behind = i64::from(self.rx.next.seq(self.rx.irs).distance_from(tcp.seq + len));
        let is_old = (0..=1 + self.rx.max_window.get() as i64).contains(&behind);
        if let Some(value) = tcp.options.tack.ack_type {
            if tcp.flags.contains(TcpFlags::RST) {
                // A reset is judged by its number alone.
                return false;
            }
            if !is_old {
                self.stats.malformed_tacks += 1;
            } else if acknowledges && self.challenges_acknowledgement(now, tcp).is_none() {
                self.on_typed(now, value, packet, tcp);
            }
            return true;
        }
        if len == 0 || !is_old || !acknowledges || tcp.options.tack.packet_number.is_some() {
            return false;
        }
        // Old, with payload, and without any option of ours: a TACK that was stripped. Of a connection that has fallen back
        // it may also be data sent again, which is answered as ever.
        if self.challenges_acknowledgement(now, tcp).is_some() {
            return true;
        }
        self.take_acknowledgement(now, tcp);
        let stripped = !self.dialect.is_plain();
        if stripped {
            self.fall_back(now);
        }
        stripped
    }

    /// The peer's SYN came again before it has heard our answer. The fourth offers nothing to whatever drops options that it does not know: it may be our answers that
    /// it drops.
    pub(super) fn on_offer_again(&mut self, now: Instant, tcp: &TcpHeader) {
        if !self.dialect.is_plain() && !tcp.options.tack.permitted {
            self.fall_back(now);
        }
        if tcp.options.ack_rate.is_none() {
            self.asks = None;
        }
    }

    /// Our answer to the peer's SYN has not been heard of: the peer may have heard it and speak TACK, while what we repeat is dropped for its options. It finds out by
    /// what we send.
    pub(super) fn withdraw_answer(&mut self, now: Instant) {
        if !self.dialect.is_plain() {
            self.fall_back(now);
        }
        self.asks = None;
    }

    /// Whether a segment without data at `span` is the question of a sender of TACK's data whether plain segments pass: it lies below what has come, by a window and the
    /// place below that at most: it is asked from below what is first unacknowledged.
    pub(super) fn is_inquiry(&self, span: Span) -> bool {
        !self.dialect.is_plain()
            && span.start < self.rx.next
            && self.rx.next.since(span.start) <= self.rx.max_window + Bytes(1)
    }

    /// Beside the TACK that is due, if one is: whoever asks wants to know what of the two passes. In TIME-WAIT every acknowledgement is plain.
    pub(super) fn answer_inquiry(&mut self) {
        if self.state == State::TimeWait {
            self.ack_owed = Some(AckReason::Duplicate);
        } else if let Some(tack) = self.dialect.tack_mut() {
            tack.receiving.plain_answer = News::Due;
        }
    }

    /// A segment in the window came, with data or FIN: without a number it has been stripped, and we do without TACK.
    pub(super) fn check_number(&mut self, now: Instant, tcp: &TcpHeader) {
        if !self.dialect.is_plain() && tcp.options.tack.packet_number.is_none() {
            self.fall_back(now);
        }
    }

    /// RFC 5961, 5.2: an acknowledgement of what was never sent, or older than any window, is challenged.
    fn challenges_acknowledgement(&mut self, now: Instant, tcp: &TcpHeader) -> Option<()> {
        if self.may_acknowledge(tcp) {
            return None;
        }
        self.answer_suspicious(now, AckReason::Challenge);
        Some(())
    }

    fn may_acknowledge(&self, tcp: &TcpHeader) -> bool {
        let ack = Position::nearest(tcp.ack, self.tx.iss, self.tx.una);
        ack.is_some_and(|ack| self.is_acceptable(ack))
    }

    /// Whether a segment of the stream that begins at `start` can be our peer's: it lies within a window of what comes next, and
    /// its acknowledgement would not be challenged. One wild packet number would be the largest for good, and every report
    /// after it would tell of a packet that was never sent.
    pub(super) fn is_plausible(&self, start: Position, tcp: &TcpHeader) -> bool {
        let is_near = start <= self.rx.window_end && self.rx.next.since(start) <= self.rx.max_window;
        is_near && tcp.flags.contains(TcpFlags::ACK) && self.may_acknowledge(tcp)
    }

    /// A segment with the ACK-Type option and an acceptable acknowledgement.
    fn on_typed(&mut self, now: Instant, value: u8, packet: &Packet, tcp: &TcpHeader) {
        if self.dialect.is_plain() {
            // The peer has not noticed yet that we have fallen back.
            self.take_acknowledgement(now, tcp);
            return;
        }
        let body = match (AckKind::of(value), &packet.payload) {
            (Some(kind), Payload::Data(bytes)) => Body::decode(kind, bytes).ok(),
            _ => None,
        };
        let Some(body) = body else {
            self.stats.malformed_tacks += 1;
            return;
        };
        match body {
            Body::Report(report) => self.on_report(now, value, &report, tcp),
            Body::Loss(range) => self.on_loss_range(now, range, tcp),
            Body::Frequency(update) => {
                self.stats.iacks_received += 1;
                self.take_acknowledgement(now, tcp);
                self.on_frequency_update(now, &update);
            }
            Body::RoundTripRequest => {
                self.stats.iacks_received += 1;
                self.take_acknowledgement(now, tcp);
                self.on_round_trip_request(now, tcp);
            }
        }
    }

    /// The acknowledgement and the window of a segment whose number says nothing. It is no duplicate acknowledgement in the
    /// sense of RFC 5681. Where TACK is not in force any more, its window is not taken: nothing says how old it is.
    fn take_acknowledgement(&mut self, now: Instant, tcp: &TcpHeader) {
        self.on_acknowledgement(now, &self.report_of(tcp, Position::SYN, Bytes(1)));
    }

    /// What the receiver of our data reports.
    fn on_report(&mut self, now: Instant, value: u8, report: &Report, tcp: &TcpHeader) {
        if value == AckKind::Tack.value() {
            self.stats.tacks_received += 1;
        } else {
            self.stats.iacks_received += 1;
        }
        let before = self.received();
        let Some(understood) = self.understand(now, value, report, tcp) else {
            // It tells of a packet that was never sent.
            self.stats.malformed_tacks += 1;
            self.note_answer(now);
            return;
        };
        // Who takes nothing beyond a closed window may not look at the number of what asks for it or lies there, and no report tells of that.
        let closed = self.timers.is_armed(Timer::Persist) || self.tx.window_end <= self.tx.una;
        let heard = understood.advanced || closed;
        if let Some(tack) = self.dialect.tack_mut() {
            tack.sending.hearing.on_typed(heard);
        }
        if let Some(rtt) = understood.rtt {
            self.take_round_trip(rtt, &understood);
        }
        if understood.order == Order::Newest {
            self.take_holes(now, report, &understood, tcp);
        }
        self.take_acknowledgement_and_losses(now, tcp);
        if self.dialect.is_plain() {
            return;
        }
        if understood.advanced && self.tx.una < self.tx.max && !self.timers.is_armed(Timer::Persist) {
            // Data arrives, and the receiver will say what does not: the timer is for when it falls silent.
            self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
        }
        if understood.order == Order::Newest {
            self.act_on_report(now, report, &understood, before);
            // A TACK that tells nothing new answers something that has no number: what a reader tells of its window comes by itself.
            if !heard && value == AckKind::Tack.value() {
                self.note_answer(now);
            }
        }
    }

    /// What a report says, with what its header says of when it and the packets that it names left and of what had come by then.
    fn understand(&mut self, now: Instant, value: u8, report: &Report, tcp: &TcpHeader) -> Option<Understood> {
        // Other reports repeat the rate of the last TACK, which may be long ago.
        let ceiling = if value == AckKind::Tack.value() { self.rate_ceiling() } else { BitRate::ZERO };
        let stamps = self.stamps.as_mut().zip(tcp.options.timestamps);
        let elapsed = stamps.and_then(|(stamps, (departure, _))| stamps.round_trip(departure, now));
        let clock = tcp.options.timestamps.map_or(0, |(_, echo)| echo);
        let below =
            Position::nearest(tcp.ack, self.tx.iss, self.tx.una).map_or(Bytes::ZERO, |ack| ack.since(Position::SYN));
        // No more can have come than was sent, whatever the peer says.
        let delivered = (below + report.received_in_flight).min(self.tx.max.since(Position::SYN));
        let sending = &mut self.dialect.tack_mut()?.sending;
        sending.on_report(now, report, elapsed, Arrived { clock, delivered }, ceiling)
    }

    /// An IACK that names a range of lost transmissions. Numbers that were never sent name nothing.
    fn on_loss_range(&mut self, now: Instant, range: LossRange, tcp: &TcpHeader) {
        self.stats.iacks_received += 1;
        let Some(tack) = self.dialect.tack_mut() else { return };
        let largest = tack.sending.numbers.unwrap(range.largest);
        let second = tack.sending.numbers.unwrap_or_zero(range.second);
        if let (Some(largest), Some(second), Some(pull)) = (largest, second, self.loss.pull_mut()) {
            let lost = pull.on_range(second, largest);
            tack.sending.hearing.on_typed(lost > Bytes::ZERO);
        } else {
            self.stats.malformed_tacks += 1;
        }
        self.take_acknowledgement_and_losses(now, tcp);
    }

    /// The acknowledgement of a segment that told of losses: where it comes too late as an acknowledgement, because one on data
    /// of the peer has overtaken it, what it names is lost all the same.
    fn take_acknowledgement_and_losses(&mut self, now: Instant, tcp: &TcpHeader) {
        let ack = Position::nearest(tcp.ack, self.tx.iss, self.tx.una);
        self.take_acknowledgement(now, tcp);
        if ack.is_some_and(|ack| ack < self.tx.una) {
            self.detect_losses(now, tcp, &Progress::default());
        }
        // Whatever was delivered: a peer that names losses for ever would have them kept for ever.
        if self.config.congestion.hears_losses() {
            self.tell_losses(now);
        }
    }

    /// Round-trip samples come from reports, the receiver's delay taken off. Round trips are told apart by numbers: what
    /// is acknowledged need not move for a long time.
    fn take_round_trip(&mut self, rtt: Duration, understood: &Understood) {
        let Some(tack) = self.dialect.tack() else { return };
        self.rtt_sample = Some(rtt);
        self.rtt.on_sample(rtt, Position(understood.largest), Position(tack.sending.numbers.next()));
        self.measured.on_rtt(rtt);
    }

    /// Tells the detector which data the receiver lacks. Places outside of what is outstanding name nothing.
    fn take_holes(&mut self, now: Instant, report: &Report, understood: &Understood, tcp: &TcpHeader) {
        let (iss, una, max) = (self.tx.iss, self.tx.una, self.tx.max);
        // As it stands: what is received above it may have been acknowledged since.
        let Some(ack) = Position::nearest(tcp.ack, iss, una).filter(|&ack| ack <= max) else { return };
        let place = |above: Bytes| (ack + above).max(una).min(max);
        let mut holes: Vec<Span> = Vec::with_capacity(report.hol.map_or(0, |_| 1 + report.bubbles.len()));
        let first = report.hol.map(|hol| (Bytes::ZERO, hol));
        for (start, end) in first.into_iter().chain(report.bubbles.iter().copied()) {
            let (start, end) = (place(start), place(end));
            let follows = holes.last().is_none_or(|last| start >= last.end);
            if !follows {
                // From here on the oldest are repeated (VI-B, rule 2).
                break;
            }
            if start < end {
                holes.push(Span { start, end });
            }
        }
        let received = report.received_in_flight.min(max - ack);
        let round_trip = self.rtt.smoothed().unwrap_or_default();
        let report = HoleReport { now, ack, received, holes: &holes, largest: understood.largest, round_trip };
        if let Some(pull) = self.loss.pull_mut() {
            pull.on_holes(&report);
        }
    }

    /// What follows from a new report once its acknowledgement has been taken: the controller hears of it, and what the
    /// receiver should know is put together.
    fn act_on_report(&mut self, now: Instant, report: &Report, understood: &Understood, before: Bytes) {
        let srtt = self.rtt.smoothed().unwrap_or_default();
        let received = self.received();
        let inflight = self.pipe();
        let was = self.congestion.model(now).map(|model| model.phase);
        let Some(tack) = self.dialect.tack_mut() else { return };
        let delivered = tack.sending.delivered_since_report(before, received);
        self.congestion.on_report(&ReportFacts {
            now,
            delivery_rate: understood.rate,
            application_limited: understood.limited,
            interval: tack.sending.report_interval(report.interval),
            heard: tack.sending.heard_interval(report.interval),
            min_rtt: tack.sending.min_rtt(),
            rtt: understood.rtt,
            srtt,
            round: tack.sending.round(),
            delivered,
            inflight,
        });
        if let Some(rtt) = self.congestion.take_renewed_round_trip() {
            tack.sending.renew_round_trip(now, rtt);
        }
        let is = self.congestion.model(now).map(|model| model.phase);
        if was == Some(BbrPhase::ProbeRtt) && is != was {
            tack.sending.request_round_trip();
        }
        let starting = is_starting(&self.congestion, now);
        tack.sending.decide(now, report.interval, srtt, self.tx.smss, starting);
    }

    /// All that the receiver has said that it has: acknowledged, and above that.
    fn received(&self) -> Bytes {
        let out = self.tx.outstanding();
        let above = self.loss.pull().map_or(Bytes::ZERO, |pull| pull.received(&out));
        out.una.since(Position::SYN) + above
    }

    /// The greatest delivery rate that can be true: four times what may be in flight in the least round trip, since two
    /// TACK intervals may be half of one and may see twice what was ever out at once.
    fn rate_ceiling(&self) -> BitRate {
        let flight = self.congestion.window().max(self.tx.max - self.tx.una);
        match self.dialect.tack().and_then(|tack| tack.sending.min_rtt()) {
            Some(min_rtt) => (flight * 4).per(min_rtt),
            None => BitRate::ZERO,
        }
    }

    /// A plain acknowledgement came on a TACK connection. One that has SACK blocks, or plain ones of new data for as long as a
    /// TACK takes to come, show that the peer does without TACK: permission was lost with the SYN-ACK, or it has found our
    /// numbers stripped. A few at once may be challenges.
    pub(super) fn on_plain_acknowledgement(&mut self, now: Instant, tcp: &TcpHeader, acked: Bytes, places: Bytes) {
        let of_fin = self.tx.is_fin_acknowledged();
        let patience = self.rtt.smoothed().unwrap_or_default();
        let Some(tack) = self.dialect.tack_mut() else { return };
        if tcp.options.tack.ack_type.is_some() || places > Bytes::ZERO {
            return;
        }
        if tack.sending.hearing.has_asked() {
            return self.note_answer(now);
        }
        let mut is_plain = !tcp.options.sack.as_slice().is_empty();
        if acked > Bytes::ZERO && !of_fin {
            let since = *tack.sending.hearing.plain_since.get_or_insert(now);
            is_plain |= now > since.saturating_add(patience + tack.sending.hold());
        }
        if is_plain {
            self.fall_back(now);
            // Its SACK blocks count from now on, its own first.
            self.detect_losses(now, tcp, &Progress { duplicate: acked == Bytes::ZERO, ..Progress::default() });
        }
    }

    /// The retransmission timer fired, or that which asks whether a window is still closed.
    pub(super) fn on_silence(&mut self) {
        if let Some(tack) = self.dialect.tack_mut() {
            tack.sending.hearing.on_timeout();
        }
    }

    /// A segment came that may answer an inquiry whether plain segments pass. The path is there, then, and what is lost is not lost for its sake: the timer does not
    /// back off.
    fn note_answer(&mut self, now: Instant) {
        let Some(tack) = self.dialect.tack_mut() else { return };
        if !tack.sending.hearing.on_answer() {
            return;
        }
        if tack.sending.hearing.is_in_vain() {
            self.fall_back(now);
            return;
        }
        self.rtt.stop_backing_off();
        if self.tx.una < self.tx.max && !self.timers.is_armed(Timer::Persist) {
            self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
        }
    }

    /// The bare segment that asks whether plain ones pass: one place below what is out, where it is answered whatever the peer has.
    pub(super) fn inquire(&mut self, now: Instant) -> Option<Packet> {
        let asks = self.dialect.tack_mut().is_some_and(|tack| tack.sending.hearing.asks());
        asks.then(|| {
            self.stats.acks_sent += 1;
            self.segment(now, Draft::bare(Position(self.tx.una.0 - 1), TcpFlags::ACK))
        })
    }

    /// What came of TACK so far, for a host that [remembers](crate::tack::Memory) it. It works where something of the peer's has been heard: reports that have been sent alone
    /// say nothing of whether they arrive.
    pub fn tack_verdict(&self) -> Verdict {
        let heard = self.stats.tacks_received + self.stats.iacks_received > 0;
        if self.has_fallen_back() || self.tx.offered_in_vain {
            Verdict::Fails
        } else if heard {
            Verdict::Works
        } else {
            Verdict::Untold
        }
    }

    /// Goes on as a plain TCP, for good: what we send from now on has no number, by which the peer knows.
    pub(super) fn fall_back(&mut self, now: Instant) {
        self.stop_tack_receiving();
        self.dialect = Dialect::Plain;
        if let Some(stamps) = &mut self.stamps {
            // A peer that never knew of TACK would call us old once a clock of microseconds has gone half round (RFC 7323, 5.4).
            stamps.leap(now);
            stamps.change_tick(now, self.config.timestamps.unwrap_or(TACK_TICK));
        }
        self.stats.fallbacks += 1;
        self.fallen_back = true;
        self.congestion.fall_back(now);
        // The window of a plain segment counts from now on, that of a late TACK no more.
        self.tx.wl1 = self.tx.wl1.max(Position::FIRST_BYTE);
        self.tx.tail_probes = 0;
        let out = self.tx.outstanding();
        let had_lost = self.loss.lost(&out).is_some();
        let records = self.loss.records_mut().map(std::mem::take);
        self.loss = Self::detector(&self.config, self.sack);
        if let (Some(records), Some(place)) = (records, self.loss.records_mut()) {
            // What is out stays known to whoever keeps records.
            *place = records;
        }
        if had_lost {
            // What the receiver has named is known to us only in its terms: go through all that is out.
            self.loss.on_timeout_at(now, &out);
            if self.loss.goes_back() {
                self.tx.next = self.tx.una;
            }
        }
        if self.tx.una < self.tx.max && !self.timers.is_armed(Timer::Persist) {
            self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
        }
    }

    /// Whether TACK was in force once and is no more.
    pub(super) const fn has_fallen_back(&self) -> bool {
        self.fallen_back
    }
}

/// Whether a controller is in its first phase: BBR's Startup, or slow start.
pub(super) fn is_starting(congestion: &Congestion, now: Instant) -> bool {
    match congestion.model(now) {
        Some(model) => model.phase == BbrPhase::Startup,
        None => congestion.slow_start_threshold().is_none_or(|threshold| congestion.window() < threshold),
    }
}

//! Segments that arrive (RFC 9293, 3.10.7, with RFC 5961 and RFC 7323).
//!
//! Otherwise than the RFCs have it:
//! - TS.Recent is taken from segments whose acknowledgement is acceptable too, and not late, as in Linux, where RFC 7323 (5.3, R3) asks for the window alone. By a timestamp that a
//!   RST, a SYN or another guess has left behind, PAWS would drop all that the peer sends for 24 days (RFC 5961, 3 to 5, has the checks).
//! - The acknowledgement of a segment left of the window counts, as in BSD, where RFC 9293 drops it with the rest. Else two ends that probe each other's closed windows could
//!   stay stuck: where both probes were accepted but neither answer was, each goes on answering from before its own probe. Such answers lie no further back than a window; without that
//!   bound half of all sequence numbers would do for whoever guesses (RFC 5961, 5).

use ackless_wire::tcp::{AckRate, Checksum};
use ackless_wire::{Bytes, Instant, Packet, Payload, TcpFlags, TcpHeader};

use super::Endpoint;
use super::acknowledge::Acknowledgement;
use super::tuning::Arrival;
use crate::ack::{AckDecision, AckPolicy, AckReason, HostFacts, Place, SegmentFacts};
use crate::config::MissingTimestamp;
use crate::event::{CloseReason, Event};
use crate::sequence::{Position, Span};
use crate::state::{State, Trigger};
use crate::timers::Timer;

impl Endpoint {
    /// Takes a packet. One that is not for this connection, is not TCP or has a wrong checksum is counted and
    /// ignored.
    pub fn handle_segment(&mut self, now: Instant, packet: &Packet) {
        self.handle(now, packet, Bytes(packet.payload.len().into()));
    }

    /// As [`handle_segment`](Self::handle_segment), of one segment that generic receive offload has merged of several, whose payload was `segment` each, or less in the last; of one that is
    /// alone it is the payload. The application reads only once [`end_batch`](Self::end_batch) says that no more of the batch is to come: that is owed after any number of these calls,
    /// whatever [`gathers`](Self::gathers) says then.
    pub fn handle_merged(&mut self, now: Instant, packet: &Packet, segment: Bytes) {
        self.rx.in_batch = true;
        self.handle(now, packet, segment);
        self.rx.in_batch = false;
    }

    fn handle(&mut self, now: Instant, packet: &Packet, segment: Bytes) {
        let Some(tcp) = packet.tcp().filter(|tcp| self.admits(packet, tcp)) else {
            self.stats.ignored += 1;
            return;
        };
        self.stats.segments_received += 1;
        if self.state == State::Established && self.takes_as_predicted(now, packet, tcp, segment) {
            return;
        }
        self.take_in(now, packet, tcp, segment);
    }

    /// Takes a segment from the peer, whatever it may be.
    #[inline(never)]
    pub(super) fn take_in(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader, segment: Bytes) {
        match self.state {
            State::Closed => {
                if !tcp.flags.contains(TcpFlags::RST) {
                    self.refuse(packet, tcp);
                }
            }
            State::Listen => self.on_listen(now, packet, tcp),
            State::SynSent => self.on_syn_sent(now, packet, tcp),
            _ => self.on_other_states(now, packet, tcp, segment),
        }
    }

    /// Whether this packet is for us, and from our peer if we have one.
    fn admits(&self, packet: &Packet, tcp: &TcpHeader) -> bool {
        let addressed = match &self.peer {
            Some(peer) => peer.is_source_of(packet, tcp),
            None => packet.ip.dst() == self.local.ip() && tcp.dst_port == self.local.port(),
        };
        addressed && tcp.checksum == Checksum::Correct
    }

    /// In SYN-RECEIVED and later, the RFC's "other states" (RFC 9293, 3.10.7.4), in its order of checks.
    fn on_other_states(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader, segment: Bytes) {
        if self.on_unusual(now, packet, tcp) {
            return;
        }
        let Some(start) = Position::nearest(tcp.seq, self.rx.irs, self.rx.next) else {
            self.on_outside_window(now, None, tcp);
            return;
        };
        let is_syn = tcp.flags.contains(TcpFlags::SYN);
        if is_syn && self.state == State::SynReceived && self.is_peer_syn(tcp.seq) {
            self.on_syn_again(now, packet, tcp);
            return;
        }
        let places =
            Bytes(u64::from(packet.payload.len()) + u64::from(is_syn) + u64::from(tcp.flags.contains(TcpFlags::FIN)));
        let span = Span::new(start, places);
        if !self.passes_timestamps(now, span, tcp) {
            return;
        }
        self.note_number(now, start, places, tcp);
        // A closed window accepts nothing, but an acknowledgement on what would come next still counts (RFC 9293,
        // 3.10.7.4).
        let probing = self.rx.window() == Bytes::ZERO && start == self.rx.next;
        if !self.rx.accepts(span) && !probing {
            self.on_outside_window(now, Some(span), tcp);
            self.on_old_acknowledgement(now, span, tcp);
            return;
        }
        if tcp.flags.intersects(TcpFlags::RST | TcpFlags::SYN) {
            self.on_reset_or_syn(now, start, tcp);
            return;
        }
        if !tcp.flags.contains(TcpFlags::ACK) {
            return;
        }
        if self.state == State::SynReceived && !self.on_syn_received_ack(now, packet, tcp) {
            return;
        }
        match self.on_acknowledgement(now, &self.report_of(tcp, start, places)) {
            Acknowledgement::Challenged => return,
            Acknowledgement::Late => {}
            Acknowledgement::Current => self.take_timestamp(now, start, tcp),
        }
        if places > Bytes::ZERO {
            self.check_number(now, tcp);
            if let Some(ecn) = &mut self.ecn {
                let marked = ecn.on_text(&packet.ip, tcp.flags);
                let segments = packet.payload.len().div_ceil(segment.get().max(1) as u32).max(1);
                self.stats.marked_segments += if marked { u64::from(segments) } else { 0 };
            }
            if let Some(request) = tcp.options.ack_rate.and_then(AckRate::request) {
                self.on_rate_request(request);
            }
            self.on_text(now, start, tcp, &packet.payload, segment);
        }
    }

    /// The peer's SYN once more in SYN-RECEIVED: it has not seen our SYN, or, opening simultaneously, it
    /// acknowledges it (RFC 9293, 3.5, figure 7).
    fn on_syn_again(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader) {
        if tcp.flags.contains(TcpFlags::RST) {
            return;
        }
        if tcp.flags.contains(TcpFlags::ACK) {
            if self.on_syn_received_ack(now, packet, tcp) {
                self.take_timestamp(now, Position::SYN, tcp);
                self.ack_owed = Some(AckReason::Handshake);
            }
        } else {
            self.on_offer_again(now, tcp);
            self.tx.next = Position::SYN;
        }
    }

    /// PAWS (RFC 7323, 5.3). A RST is exempt (3.2); what becomes of any other segment without the option has been chosen.
    fn passes_timestamps(&mut self, now: Instant, span: Span, tcp: &TcpHeader) -> bool {
        let Some(stamps) = &self.stamps else { return true };
        if tcp.flags.contains(TcpFlags::RST) {
            return true;
        }
        let passes = match tcp.options.timestamps {
            Some((value, _)) => !stamps.is_old(value, now) || self.is_just_late(tcp),
            None => self.takes_unstamped(),
        };
        if !passes {
            self.stats.dropped_by_timestamp += 1;
            if tcp.options.timestamps.is_some() {
                // RFC 2883, 4.3: PAWS says nothing of what has come twice.
                if self.reports_duplicates() && !span.is_empty() && !tcp.flags.contains(TcpFlags::SYN) {
                    self.rx.note_duplicate(span);
                }
                self.answer_suspicious(now, AckReason::Duplicate);
            }
        }
        passes
    }

    /// Whether its number is one that is missing of late, whatever its timestamp says: what fills a hole again brings a newer one than what was sent before and is reordered behind it. Or the one that
    /// came last, which a middlebox may have cut.
    ///
    /// Deviation from RFC 7323, 5.3, which drops that (and so do plain connections): what the peer sent before sequence numbers wrapped has a number that is 49,152 less at least, since no segment is longer than 64 KiB and no window than 1 GiB. What is left of an earlier connection
    /// passes only if its number is one of the few that are missing here, and its place lies in the window.
    fn is_just_late(&self, tcp: &TcpHeader) -> bool {
        self.dialect.knows_late(&tcp.options.tack)
    }

    /// Whether a segment without a timestamp passes where both ends have agreed on them.
    #[inline]
    pub(super) fn takes_unstamped(&self) -> bool {
        self.config.missing_timestamp == MissingTimestamp::Accept && !self.dialect.needs_timestamps()
    }

    /// TS.Recent (RFC 7323, 4.3 and 5.3, R3), from a segment that has passed all checks.
    #[inline]
    pub(super) fn take_timestamp(&mut self, now: Instant, start: Position, tcp: &TcpHeader) {
        if let (Some(stamps), Some((value, _))) = (&mut self.stamps, tcp.options.timestamps) {
            stamps.on_segment(value, start, self.rx.last_ack_sent, now);
        }
    }

    /// A segment outside the window is answered with an acknowledgement, a RST is not.
    #[inline(always)]
    fn on_outside_window(&mut self, now: Instant, span: Option<Span>, tcp: &TcpHeader) {
        self.stats.dropped_outside_window += 1;
        if tcp.flags.contains(TcpFlags::RST) {
            return;
        }
        if span.is_some_and(|span| !span.is_empty()) {
            self.stats.duplicate_segments += 1;
            if let Some(span) =
                span.filter(|span| self.reports_duplicates() && span.end <= self.rx.fin.unwrap_or(self.rx.next))
            {
                self.rx.note_duplicate(span);
            }
            if tcp.flags.contains(TcpFlags::SYN) {
                // The peer has not heard the end of the handshake, and reads no TACK before that.
                self.owe_plain(AckReason::Handshake);
            } else {
                self.answer_duplicate(now);
            }
            // Only the peer's own FIN starts the wait anew: others' guesses could keep it for ever.
            let is_end = span.is_some_and(|span| span.end == self.rx.next) && tcp.ack == self.tx.una.seq(self.tx.iss);
            if self.state == State::TimeWait && tcp.flags.contains(TcpFlags::FIN | TcpFlags::ACK) && is_end {
                self.enter_time_wait(now);
            }
        } else if span.is_some_and(|span| self.is_inquiry(span)) {
            if self.probe_answer_limit.permit(now, &self.config.challenge_acks) {
                self.answer_inquiry();
            }
        } else if span.is_some_and(|span| span.start + Bytes(1) == self.rx.next) {
            // The place just below the window is where a probe or a keep-alive asks for an answer (RFC 9293, 3.8.4). It has a limit of its
            // own, so that guesses elsewhere do not use it up.
            if self.probe_answer_limit.permit(now, &self.config.challenge_acks) {
                self.answer_duplicate(now);
            }
        } else {
            // Bare acknowledgements outside the window could be answered by the like for ever.
            self.answer_suspicious(now, AckReason::Duplicate);
        }
    }

    /// The acknowledgement of a segment left of the window counts, if it lies no further back than a window.
    fn on_old_acknowledgement(&mut self, now: Instant, span: Span, tcp: &TcpHeader) {
        let bare = !tcp.flags.intersects(TcpFlags::RST | TcpFlags::SYN | TcpFlags::FIN);
        let is_near = span.end <= self.rx.next && self.rx.next.since(span.start) <= self.rx.max_window;
        if is_near && bare && tcp.flags.contains(TcpFlags::ACK) && self.state.is_synchronized() {
            // As one with text: an old copy is no duplicate acknowledgement in the sense of RFC 5681.
            self.on_acknowledgement(now, &self.report_of(tcp, span.start, span.len().max(Bytes(1))));
        }
    }

    /// Owes an acknowledgement within the limit for challenge ACKs (RFC 5961, 7).
    pub(super) fn answer_suspicious(&mut self, now: Instant, reason: AckReason) {
        if self.challenge_limit.permit(now, &self.config.challenge_acks) {
            if reason == AckReason::Duplicate {
                self.answer_duplicate(now);
                return;
            }
            self.owe_plain(reason);
            if reason == AckReason::Challenge {
                self.stats.challenge_acks += 1;
            }
        }
    }

    /// RFC 5961, 3.2 and 4.2: only an exact RST resets; any other, and every SYN, is challenged.
    fn on_reset_or_syn(&mut self, now: Instant, start: Position, tcp: &TcpHeader) {
        if !tcp.flags.contains(TcpFlags::RST) || start != self.rx.next {
            self.answer_suspicious(now, AckReason::Challenge);
            return;
        }
        match self.state {
            State::SynReceived => self.on_syn_received_reset(),
            // All was said and acknowledged both ways: a copy of our last acknowledgement has found nobody.
            State::TimeWait => self.advance(Trigger::TimeWaitOver),
            _ => self.die(CloseReason::Reset),
        }
    }

    /// Payload and FIN of an acceptable segment (RFC 9293, 3.10.7.4, seventh and eighth).
    fn on_text(&mut self, now: Instant, start: Position, tcp: &TcpHeader, payload: &Payload, segment: Bytes) {
        if !self.state.may_receive() {
            // All that the peer had to say is here: this is an old copy.
            self.ack_owed = Some(AckReason::Duplicate);
            return;
        }
        let len = Bytes(payload.len().into());
        let whole = Span::new(start, len);
        if len > Bytes::ZERO {
            self.stats.data_segments_received += 1;
            self.rx.full_size = self.rx.full_size.max(segment);
            self.measured.on_data(now, len);
            if self.reports_duplicates() {
                self.rx.note_duplicate(whole);
            }
        }
        if tcp.flags.contains(TcpFlags::FIN) && self.rx.fin.is_none() && whole.end < self.rx.window_end {
            self.note_fin(whole.end);
        }
        let limit = self.rx.fin.unwrap_or(self.rx.window_end).min(self.rx.window_end);
        let fresh = Span { start: start.max(self.rx.next), end: whole.end.min(limit) };
        let (place, new_bytes) = self.take_text(now, whole, fresh, payload);
        if self.rx.in_batch && place != Place::AboveHole && !fresh.is_empty() && !self.rx.keeps() {
            self.rx.join_batch(fresh);
        }
        let window_grew = len > Bytes::ZERO && place != Place::Duplicate && self.tune(now, place, len, segment, tcp);
        let host = self
            .ack_policy
            .asks_host()
            .then(|| HostFacts { window_grew, ..self.host_facts(segment, tcp.flags.contains(TcpFlags::PSH)) });
        let (full_size, place_told) = (self.rx.full_size, self.dialect.told_as(place));
        let facts = SegmentFacts { new_bytes, full_size, place: place_told, measured: &self.measured, host };
        let decision = self.ack_policy.on_segment(now, &facts);
        self.heed_policy(now, decision);
        if !self.rx.keeps() {
            self.read_at_once(now, place, fresh, decision);
        }
        if place == Place::Fin {
            self.on_fin(now);
        }
    }

    /// Data that nobody keeps is read, unless more of a batch is to come.
    #[inline]
    fn read_at_once(&mut self, now: Instant, place: Place, fresh: Span, decision: AckDecision) {
        if self.rx.in_batch {
            return;
        }
        if self.config.receive_tuning && place != Place::AboveHole && !fresh.is_empty() {
            self.rx.note_read(now, fresh.end);
        }
        if decision == AckDecision::Hold {
            let decision = self.ack_policy.on_read(true);
            self.heed_policy(now, decision);
        }
    }

    /// All of the batch is here: the application takes what is not kept for it ([`Consume::Immediately`](crate::Consume::Immediately)).
    /// What a TACK connection owes for it goes out now, where it [gathers](Self::gathers).
    pub fn end_batch(&mut self, now: Instant) {
        if let Some(reason) = self.rx.owed_at_end.take()
            && self.ack_owed != Some(AckReason::Fin)
        {
            self.ack_owed = Some(reason);
        }
        if !self.rx.read_batch(now) || !self.state.may_receive() {
            return;
        }
        if self.ack_owed.is_none() {
            let decision = self.ack_policy.on_read(true);
            self.heed_policy(now, decision);
        }
        if self.rx.is_update_due() {
            self.owe_window_update();
        }
    }

    /// Whether it makes a difference to this connection which segments come as a batch: then each is for [`handle_merged`](Self::handle_merged), and
    /// [`end_batch`](Self::end_batch) follows the last one of each PPDU, of each flush of receive offload or of each `recvmmsg`. It may change with every segment.
    #[inline]
    pub fn gathers(&self) -> bool {
        self.dialect.gathers()
    }

    /// Whether an acknowledgement for this reason waits for the end of the batch.
    #[cold]
    fn waits_for_end(&self, reason: AckReason) -> bool {
        self.gathers() && reason != AckReason::Fin
    }

    /// The receive window follows what comes, where it does.
    #[inline]
    fn tune(&mut self, now: Instant, place: Place, len: Bytes, segment: Bytes, tcp: &TcpHeader) -> bool {
        let sack = self.has_sack();
        let stamps = &mut self.stamps;
        self.rx.tune(now, |rx| Arrival {
            len,
            segment,
            above_hole: place == Place::AboveHole,
            echo: stamps
                .as_mut()
                .zip(tcp.options.timestamps)
                .map(|(stamps, (_, echo))| (echo, stamps.round_trip(echo, now))),
            next: rx.next,
            window_end: rx.window_end,
            unread: rx.unread().max(if place == Place::AboveHole { Bytes::ZERO } else { len }),
            held: rx.reassembly.held(),
            sack,
        })
    }

    /// What a kernel knows when a segment comes, of several with `segment` bytes of payload each or of one.
    pub(super) fn host_facts(&self, segment: Bytes, pushed: bool) -> HostFacts {
        HostFacts {
            segment,
            pushed,
            window: self.rx.told_window(),
            window_kept: self.rx.keeps_window(),
            window_grew: false,
            rto: self.rtt.timeout(),
            srtt: self.rtt.smoothed(),
            sack: self.has_sack(),
        }
    }

    /// An acknowledgement is due: now, or at the end of the batch that what asks for it is part of.
    #[inline(always)]
    pub(super) fn owe(&mut self, reason: AckReason) {
        if self.rx.in_batch && self.waits_for_end(reason) {
            self.rx.owed_at_end = Some(reason);
        } else {
            self.ack_owed = Some(reason);
        }
    }

    /// Does what the acknowledgement policy says.
    #[inline(always)]
    pub(super) fn heed_policy(&mut self, now: Instant, decision: AckDecision) {
        match decision {
            AckDecision::Now(reason) => self.owe(reason),
            AckDecision::Hold => {
                // What waits for the end of a batch has no other deadline.
                if self.rx.owed_at_end.is_none()
                    && let Some(at) = self.ack_policy.deadline()
                {
                    // It may have been due before, had the rhythm been as fast as now.
                    self.timers.arm(Timer::DelayedAck, at.max(now));
                }
            }
        }
    }

    /// Whether what comes twice is reported (RFC 2883).
    #[inline]
    const fn reports_duplicates(&self) -> bool {
        self.config.sender.undo.dsack && self.has_sack()
    }

    /// Remembers where the stream ends, unless data is here that lies beyond.
    fn note_fin(&mut self, at: Position) {
        let highest = self.rx.reassembly.highest().unwrap_or(self.rx.next);
        if highest <= at {
            (self.rx.fin, self.rx.fin_number) = (Some(at), self.arriving_number());
            self.rx.fin_is_latest = true;
        }
    }

    /// Stores what is new of a segment, and says how it fits.
    #[inline(always)]
    pub(super) fn store(&mut self, whole: Span, fresh: Span, payload: &Payload) -> Place {
        let keeps = self.rx.keeps();
        let mut place = Place::InOrder;
        if fresh.start > self.rx.next {
            if !fresh.is_empty() {
                if self.rx.reassembly.is_empty() {
                    self.measured.on_hole();
                }
                self.stats.out_of_order_segments += 1;
                let number = self.arriving_number();
                let kept = keeps.then(|| cut(payload, whole, fresh));
                self.rx.reassembly.insert(fresh, kept.as_ref(), number);
                self.rx.fin_is_latest &= self.rx.fin == Some(fresh.end);
            }
            return Place::AboveHole;
        }
        if fresh.is_empty() {
            place = Place::Duplicate;
        } else {
            self.rx.next = fresh.end;
            self.stats.bytes_delivered += fresh.len();
            if keeps {
                self.keep_in_order(whole, fresh, payload);
            }
            if !self.rx.reassembly.is_empty() {
                let inbox = if keeps { Some(&mut self.rx.inbox) } else { None };
                let next = self.rx.reassembly.advance(self.rx.next, inbox);
                self.stats.bytes_delivered += next - self.rx.next;
                self.rx.next = next;
                place = Place::FillsHole;
            }
        }
        if self.rx.fin == Some(self.rx.next) {
            return Place::Fin;
        }
        if place == Place::Duplicate {
            self.stats.duplicate_segments += 1;
        }
        place
    }

    #[inline(never)]
    fn keep_in_order(&mut self, whole: Span, fresh: Span, payload: &Payload) {
        match cut(payload, whole, fresh) {
            Payload::Length(len) => self.rx.inbox.push_length(Bytes(len.into())),
            Payload::Data(data) => self.rx.inbox.push_data(data),
        }
        self.events.add(Event::Readable);
    }

    /// All data and the FIN are here.
    fn on_fin(&mut self, now: Instant) {
        self.rx.next += Bytes(1);
        self.rx.window_end = self.rx.window_end.max(self.rx.next);
        self.advance(Trigger::Fin);
        self.events.add(Event::PeerClosed);
        if self.state == State::TimeWait {
            self.enter_time_wait(now);
        }
    }
}

/// The part of a payload, which covers `whole`, that lies in `part`.
fn cut(payload: &Payload, whole: Span, part: Span) -> Payload {
    match payload {
        Payload::Length(_) => Payload::Length(part.len().get() as u32),
        Payload::Data(data) if part == whole => Payload::Data(data.clone()),
        Payload::Data(data) => {
            let from = (part.start - whole.start).get() as usize;
            Payload::Data(data.slice(from..from + part.len().get() as usize))
        }
    }
}

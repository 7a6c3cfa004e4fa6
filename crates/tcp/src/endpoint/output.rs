//! What is sent next.

use ackless_wire::tcp::TcpOptions;
use ackless_wire::{Bytes, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, TcpFlags, TcpHeader, Transport};

use super::Endpoint;
use super::allowance::Allowance;
use super::outlet::{ByValue, Outlet, put_aside};
use super::segment::Draft;
use super::sender::{Blocked, Probe};
use crate::ack::{AckPolicy, AckReason};
use crate::loss::{LossDetector, Phase, RackRule, Retransmission, SentKind};
use crate::sequence::{Position, Span};
use crate::state::State;
use crate::timers::Timer;

impl Endpoint {
    /// The next packet to send, or nothing for now.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Packet> {
        if self.is_content() { None } else { self.transmit(now, ByValue) }
    }

    /// As [`poll_transmit`](Self::poll_transmit), with the packet in `pool` from the start, and one reference to it.
    #[inline(always)]
    pub fn poll_transmit_into(&mut self, now: Instant, pool: &mut PacketPool) -> Option<PacketId> {
        if self.is_content() {
            None
        } else if self.owes_acknowledgement_alone() {
            Some(self.acknowledge(now, pool))
        } else {
            self.transmit(now, pool)
        }
    }

    /// What [`poll_transmit_into`](Self::poll_transmit_into) has to give where that is an acknowledgement, and nothing more is to be sent after it.
    #[inline(always)]
    pub fn poll_acknowledgement(&mut self, now: Instant, pool: &mut PacketPool) -> Option<PacketId> {
        let owed = self.ack_owed.is_some() && self.owes_acknowledgement_alone();
        owed.then(|| self.acknowledge(now, pool))
    }

    /// Whether nothing is to be sent, of those reasons that are told at once: so most segments leave who receives data. Then [`poll_transmit`](Self::poll_transmit) need not be
    /// asked.
    #[inline(always)]
    pub fn is_content(&self) -> bool {
        self.ack_owed.is_none() && self.has_nothing_but_acknowledgements()
    }

    /// Whether there is no more to send than an acknowledgement, if one is owed.
    #[inline(always)]
    fn has_nothing_but_acknowledgements(&self) -> bool {
        self.state == State::Established
            && self.tx.una >= self.tx.end()
            && self.tx.next == self.tx.max
            && self.reply.is_none()
            && self.dialect.is_silent()
    }

    /// Whether an acknowledgement is all that is to be sent, and has nothing to tell but its number, the window, the time and what has come above a hole.
    #[inline(always)]
    fn owes_acknowledgement_alone(&self) -> bool {
        self.has_nothing_but_acknowledgements()
            && self.dialect.acknowledges_in_headers()
            && !self.rx.tunes_itself()
            && self.ecn.is_none()
            && self.asks.is_none()
    }

    /// The acknowledgement that is owed, where it is all that is to be sent.
    #[inline(always)]
    fn acknowledge(&mut self, now: Instant, pool: &mut PacketPool) -> PacketId {
        self.stats.acks_sent += 1;
        self.stats.segments_sent += 1;
        if self.rx.has_blocks() && self.has_sack() {
            self.acknowledge_with_blocks(now, pool)
        } else {
            self.acknowledge_alone(now, pool)
        }
    }

    #[inline(never)]
    fn acknowledge_alone(&mut self, now: Instant, pool: &mut PacketPool) -> PacketId {
        let said = self.say(now, self.tx.ack_start());
        self.build_from(said, Bytes::ZERO, pool)
    }

    #[inline(never)]
    fn acknowledge_with_blocks(&mut self, now: Instant, pool: &mut PacketPool) -> PacketId {
        let said = self.say(now, self.tx.ack_start());
        let sack = self.sack_blocks();
        let len = Bytes(4 + 8 * sack.as_slice().len() as u64);
        self.build_bearing(said, Bytes::ZERO, TcpOptions { sack, ..TcpOptions::default() }, len, pool)
    }

    /// A segment that is not part of the stream, and what TACK sends in its own turn.
    #[inline(never)]
    fn transmit_out_of_stream(&mut self, now: Instant) -> Option<Packet> {
        if self.reply.is_some() {
            self.stats.segments_sent += 1;
            return self.reply.take();
        }
        self.transmit_tack(now)
    }

    #[inline(never)]
    fn transmit<O: Outlet>(&mut self, now: Instant, outlet: O) -> Option<O::Placed> {
        if (self.reply.is_some() || self.may_owe_tack() || !self.dialect.is_silent())
            && let Some(packet) = self.transmit_out_of_stream(now)
        {
            return Some(put_aside(outlet, packet));
        }
        let draft = match self.state {
            State::Closed | State::Listen => None,
            State::SynSent | State::SynReceived => self.transmit_syn(now),
            _ => self.transmit_data(now).or_else(|| self.transmit_ack()),
        };
        match draft {
            Some(draft) => Some(self.build(now, draft, outlet)),
            None => {
                debug_assert!(self.is_waited_for(), "what is not acknowledged or not sent is waited for: {self:?}");
                None
            }
        }
    }

    /// Whether a timer will see to everything that is still to be sent or acknowledged: else the connection could
    /// hang.
    fn is_waited_for(&self) -> bool {
        let pending = match self.state {
            State::SynSent | State::SynReceived => true,
            state => state.may_transmit() && self.tx.una < self.tx.end(),
        };
        let waiting = [Timer::Retransmit, Timer::Persist, Timer::Pace];
        !pending || waiting.iter().any(|&timer| self.timers.is_armed(timer))
    }

    fn transmit_syn(&mut self, now: Instant) -> Option<Draft> {
        if self.tx.next != Position::SYN {
            return if self.state == State::SynReceived { self.transmit_ack() } else { None };
        }
        if self.tx.max == Position::SYN {
            self.marks.sent(Position::FIRST_BYTE, now);
        } else {
            self.marks.forget();
        }
        self.tx.next = Position::FIRST_BYTE;
        self.tx.max = Position::FIRST_BYTE;
        if !self.timers.is_armed(Timer::Retransmit) {
            self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
        }
        let answers = self.state == State::SynReceived;
        if answers && self.tx.answers_in_vain(self.config.syn_retries) {
            self.withdraw_answer(now);
        }
        let mut flags = if answers { TcpFlags::SYN | TcpFlags::ACK } else { TcpFlags::SYN };
        if let Some(ecn) = &mut self.ecn {
            flags |= ecn.offer(answers, self.tx.unanswered > 0);
        }
        Some(Draft::bare(Position::SYN, flags))
    }

    fn transmit_ack(&mut self) -> Option<Draft> {
        self.ack_owed?;
        self.stats.acks_sent += 1;
        Some(Draft::bare(self.tx.ack_start(), TcpFlags::ACK))
    }

    fn transmit_data(&mut self, now: Instant) -> Option<Draft> {
        if !self.state.may_transmit() || (self.tx.una >= self.tx.end() && self.tx.next == self.tx.max) {
            return None;
        }
        if self.is_held_by_pacing(now) {
            return None;
        }
        let (span, kind) = self.next_span(now)?;
        Some(self.send_span(now, self.beside_sack(span, kind), kind))
    }

    /// The order of RFC 6675, 5: the first retransmission at once, then what the window leaves room for: lost
    /// segments, new ones, doubtful ones.
    fn next_span(&mut self, now: Instant) -> Option<(Span, SentKind)> {
        let out = self.tx.outstanding();
        let segment = self.tx.smss.saturating_sub(self.options_len()).max(Bytes(1));
        if self.tx.probe == Probe::Due {
            self.tx.probe = Probe::Idle;
            return Some(self.probe_span(segment));
        }
        if self.tx.tail_probe == Probe::Due
            && let Some(probe) = self.tail_probe_span(segment)
        {
            return Some(probe);
        }
        if self.is_shut() && !self.is_amid_burst(now) {
            return None;
        }
        let phase = self.loss.phase();
        if !matches!(phase, Phase::Open)
            && let Some(span) = self.loss.urgent(&out)
        {
            return self.within_window(span).map(|span| (span, SentKind::Repair));
        }
        if out.una == out.max {
            self.restart_if_idle(now);
        }
        let room = self.sending_room(self.loss.pipe(&out));
        let recovering = match phase {
            Phase::Recovery { .. } => true,
            Phase::GoBack { .. } => !self.loss.goes_back(),
            Phase::Open => false,
        };
        if recovering {
            if room < out.smss {
                return None;
            }
            if let Some(span) = self.loss.lost(&out).filter(|_| !self.is_frto_probing()) {
                return self.within_window(span).map(|span| (span, SentKind::Repair));
            }
        }
        let end = self.tx.end();
        let gap = if out.next < out.max { self.loss.go_back(out.next, end) } else { Span { start: out.next, end } };
        let allowance = Allowance { room, segment, nagle: self.config.nagle.then_some(self.config.sender.nagle) };
        match self.tx.plan(gap, allowance) {
            Ok(span) if self.tx.bursts.is_some() => self.next_of_burst(now, span, allowance),
            Ok(span) if self.is_throttled(span) => None,
            Ok(span) => Some((span, SentKind::New)),
            Err(Blocked::SillyWindow) if self.is_amid_burst(now) => Some((self.rest_of_burst(), SentKind::New)),
            Err(blocked) if self.is_frto_probing() => self.repair_in_place_of_probe(now, blocked),
            Err(blocked) => self.on_blocked(now, blocked),
        }
    }

    /// What of a repair goes out where the peer has shrunk its window ([`RackRule`]). The segment
    /// at SND.UNA always does: it asks for a new window (RFC 9293, 3.8.6.1).
    #[inline]
    pub(super) fn within_window(&self, span: Span) -> Option<Span> {
        let end = self.tx.window_end;
        if span.end <= end || self.config.sender.rack == RackRule::Rfc {
            Some(span)
        } else if span.start < end {
            Some(Span { end, ..span })
        } else {
            (span.start == self.tx.una).then_some(span)
        }
    }

    /// No new data can go out in place of what the timer takes for lost: unless some has, that is next.
    #[cold]
    fn repair_in_place_of_probe(&mut self, now: Instant, blocked: Blocked) -> Option<(Span, SentKind)> {
        if self.gives_up_frto()
            && let Some(span) = self.loss.lost(&self.tx.outstanding())
        {
            return self.within_window(span).map(|span| (span, SentKind::Repair));
        }
        self.on_blocked(now, blocked)
    }

    #[inline]
    fn on_blocked(&mut self, now: Instant, blocked: Blocked) -> Option<(Span, SentKind)> {
        let out = self.tx.outstanding();
        match blocked {
            Blocked::Congestion => {}
            Blocked::Window | Blocked::SillyWindow if out.una == out.next => {
                // Nothing is under way that would bring a new window: ask for it.
                if !self.timers.is_armed(Timer::Persist) {
                    self.timers.arm(Timer::Persist, now.saturating_add(self.probe_interval()));
                    self.timers.stop(Timer::Retransmit);
                }
            }
            Blocked::Window | Blocked::SillyWindow | Blocked::Empty | Blocked::Nagle => {
                if matches!(blocked, Blocked::Window | Blocked::SillyWindow) {
                    self.dialect.on_window_blocked();
                }
                if matches!(blocked, Blocked::Empty | Blocked::Nagle) {
                    self.note_running_dry();
                }
                return self.loss.speculative(&out).map(|retransmission| match retransmission {
                    Retransmission::Hole(span) => (span, SentKind::Repair),
                    Retransmission::Rescue(span) => (span, SentKind::Rescue),
                });
            }
        }
        None
    }

    /// What a probe carries: as much as the window permits, at least one place (RFC 9293, 3.8.6.1 and 3.8.6.2.1).
    fn probe_span(&mut self, segment: Bytes) -> (Span, SentKind) {
        let from = self.tx.next;
        let window_end = self.tx.window_end.min(self.tx.end());
        self.stats.window_probes += 1;
        let span = Span { start: from, end: window_end.min(from + segment) };
        if span.is_empty() { (Span::new(from, Bytes(1)), SentKind::Probe) } else { (span, SentKind::New) }
    }

    fn send_span(&mut self, now: Instant, span: Span, kind: SentKind) -> Draft {
        let data_end = self.tx.buffer.end();
        let data = Span { start: span.start.min(data_end), end: span.end.min(data_end) };
        let mut flags = TcpFlags::ACK;
        if span.end > data_end && self.tx.is_closing() {
            flags |= TcpFlags::FIN;
        }
        let ends_burst =
            || kind == SentKind::New && self.tx.bursts.as_ref().is_some_and(|bursts| bursts.ends_at(span.end));
        if !data.is_empty() && (data.end == data_end || ends_burst()) {
            flags |= TcpFlags::PSH;
        }
        if let Some(ecn) = &mut self.ecn {
            flags |= ecn.on_data(span.start >= self.tx.max && kind == SentKind::New && !data.is_empty());
        }
        // After a timeout what is sent again is new to who decides what is next.
        let again = span.start < self.tx.max;
        self.account_sent(now, span, data, kind);
        self.after_transmission(now, span, kind);
        if self.asks.is_some() && !data.is_empty() {
            self.bear_request(now, span, again);
        }
        let number = self.dialect.number(now);
        debug_assert!(
            number.is_none() || number == self.loss.records().map(|records| records.last_number()),
            "the records of a TACK connection count as PKT.SEQ does"
        );
        Draft { start: span.start, flags, payload: self.tx.buffer.read(data), number }
    }

    /// What changes with a segment that goes out, and carries `data` of what it occupies.
    #[inline]
    pub(super) fn account_sent(&mut self, now: Instant, span: Span, data: Span, kind: SentKind) {
        // Asked before the records know of the transmission: then nothing may be lost any more.
        let first = !matches!(self.loss.phase(), Phase::Open) && self.loss.urgent(&self.tx.outstanding()).is_some();
        self.record_transmission(now, span);
        if span.start < self.tx.max {
            self.note_repetition(now, span);
        }
        self.count_sent(now, span, data, kind, first);
        if kind != SentKind::Probe {
            self.loss.on_sent(span, kind);
        }
    }

    /// What changes with a segment that goes out, but for what records and detectors keep; `first` says whether it is the first retransmission of a recovery.
    #[inline(always)]
    pub(super) fn count_sent(&mut self, now: Instant, span: Span, data: Span, kind: SentKind, first: bool) {
        let tx = &mut self.tx;
        self.stats.data_segments_sent += 1;
        self.ack_policy.on_data_sent(now);
        if span.start < tx.max {
            self.stats.retransmitted_segments += 1;
            self.stats.retransmitted_bytes += data.end.min(tx.max).since(data.start);
            self.marks.forget();
        } else if matches!(self.loss.phase(), Phase::Open) {
            self.marks.sent(span.end, now);
        }
        tx.last_sent = now;
        tx.max = tx.max.max(span.end);
        if kind == SentKind::Probe {
            return;
        }
        if kind == SentKind::New {
            tx.next = span.end;
            tx.probes = 0;
            if span.len() < tx.smss {
                tx.small_until = span.end;
            }
        }
        self.timers.stop(Timer::Persist);
        if first || !self.timers.is_armed(Timer::Retransmit) {
            // The first retransmission of a recovery gets the whole timeout (RFC 6675, 6).
            self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
        }
    }

    /// What of a span to be repaired fits beside the SACK blocks of the segment; new ones are planned with them.
    fn beside_sack(&self, span: Span, kind: SentKind) -> Span {
        if kind == SentKind::New {
            return span;
        }
        let room = self.tx.smss.saturating_sub(self.options_len()).max(Bytes(1));
        Span { end: span.end.min(span.start + room), ..span }
    }

    /// A RST for a segment that belongs to no connection (RFC 9293, 3.10.7.1), unless an answer is waiting already.
    pub(super) fn refuse(&mut self, packet: &Packet, tcp: &TcpHeader) {
        let Some(ip) = IpHeader::between(packet.ip.dst(), packet.ip.src()) else { return };
        let mut reset = TcpHeader::new(tcp.dst_port, tcp.src_port);
        if tcp.flags.contains(TcpFlags::ACK) {
            reset.seq = tcp.ack;
            reset.flags = TcpFlags::RST;
        } else {
            let syn = u32::from(tcp.flags.contains(TcpFlags::SYN));
            let fin = u32::from(tcp.flags.contains(TcpFlags::FIN));
            reset.ack = tcp.seq + packet.payload.len() + syn + fin;
            reset.flags = TcpFlags::RST | TcpFlags::ACK;
        }
        self.reply.get_or_insert(Packet { ip, transport: Transport::Tcp(reset), payload: Payload::EMPTY });
    }

    /// Owes an acknowledgement that says how much the window has opened.
    pub(super) fn owe_window_update(&mut self) {
        if !self.dialect.tells_window() {
            self.ack_owed.get_or_insert(AckReason::WindowUpdate);
        }
    }
}

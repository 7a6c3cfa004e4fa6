//! What is sent next, and how a segment is made.

use ackless_wire::tcp::{SackBlocks, TcpOptions};
use ackless_wire::{
    Bytes, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use super::Endpoint;
use super::allowance::Allowance;
use super::dialect::Dialect;
use super::outlet::{ByValue, Outlet, put_aside};
use super::sender::{Blocked, Probe};
use crate::ack::{AckPolicy, AckReason};
use crate::config::GrowthRule;
use crate::congestion::Controller;
use crate::loss::{LossDetector, Phase, Retransmission, SentKind};
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
            && self.dialect.is_plain()
            && !self.rx.tunes_itself()
            && self.ecn.is_none()
            && self.asks.is_none()
    }

    /// That acknowledgement.
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
        self.put(said, Bytes::ZERO, pool)
    }

    #[inline(never)]
    fn acknowledge_with_blocks(&mut self, now: Instant, pool: &mut PacketPool) -> PacketId {
        let said = self.say(now, self.tx.ack_start());
        let sack = self.sack_blocks();
        let len = Bytes(4 + 8 * sack.as_slice().len() as u64);
        self.put_bearing(said, Bytes::ZERO, TcpOptions { sack, ..TcpOptions::default() }, len, pool)
    }

    /// What a segment from `start` on says, and all that follow it at once; the acknowledgement goes out with it.
    #[inline(always)]
    pub(super) fn say(&mut self, now: Instant, start: Position) -> Said {
        let timestamps = self.stamps.as_mut().map(|stamps| (stamps.value(now), stamps.echo()));
        self.rx.last_ack_sent = self.rx.next;
        match self.dialect {
            Dialect::Plain => self.settle_acknowledgement(now),
            Dialect::Tack(_) => self.note_acknowledged(now),
        }
        Said {
            seq: start.seq(self.tx.iss),
            ack: self.rx.next.seq(self.rx.irs),
            flags: TcpFlags::ACK,
            window: self.rx.offer(self.rx.shift),
            timestamps,
        }
    }

    /// A segment with so many bytes whose values do not matter, in its place.
    #[inline(always)]
    pub(super) fn put(&mut self, said: Said, payload: Bytes, pool: &mut PacketPool) -> PacketId {
        self.put_bearing(said, payload, TcpOptions::default(), Bytes::ZERO, pool)
    }

    /// The same with these options besides timestamps, which are so long.
    #[inline(always)]
    fn put_bearing(
        &mut self,
        said: Said,
        payload: Bytes,
        options: TcpOptions,
        len: Bytes,
        pool: &mut PacketPool,
    ) -> PacketId {
        let peer = self.peer.as_mut().expect("whoever has a peer can send to it");
        if let IpHeader::V4(ip) = &mut peer.ip {
            ip.id = ip.id.wrapping_add(1);
        }
        let header = TcpHeader::MIN_LEN + len + if said.timestamps.is_some() { Bytes(12) } else { Bytes::ZERO };
        let len = peer.ip.len() + header + payload;
        let (ports, ip) = (peer.ports, &peer.ip);
        pool.insert_with(len, || Packet {
            ip: *ip,
            transport: Transport::Tcp(said.header_bearing(ports, options)),
            payload: Payload::Length(payload.get() as u32),
        })
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
        let mut flags = if answers { TcpFlags::SYN | TcpFlags::ACK } else { TcpFlags::SYN };
        if let Some(ecn) = &mut self.ecn {
            flags |= ecn.offer(answers, self.tx.unanswered > 0);
        }
        Some(Draft::bare(Position::SYN, flags))
    }

    /// What a SYN offers, or a SYN-ACK agrees to.
    fn syn_options(&mut self, answers: bool, options: &mut TcpOptions) {
        options.mss = Some(self.config.announced_mss().get() as u16);
        options.sack_permitted = self.sack;
        let scales = if answers { self.tx.scales } else { self.config.window_scaling };
        options.window_scale = scales.then(|| self.rx.announced_shift());
        options.tack = self.tack_offer(answers);
        options.ack_rate = self.ack_rate_offer(answers);
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
            return Some((span, SentKind::Repair));
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
                self.tx.limited_until = out.max;
                return None;
            }
            if let Some(span) = self.loss.lost(&out).filter(|_| !self.is_frto_probing()) {
                return Some((span, SentKind::Repair));
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

    /// No new data can go out in place of what the timer takes for lost: unless some has, that is next.
    #[cold]
    fn repair_in_place_of_probe(&mut self, now: Instant, blocked: Blocked) -> Option<(Span, SentKind)> {
        if self.gives_up_frto()
            && let Some(span) = self.loss.lost(&self.tx.outstanding())
        {
            return Some((span, SentKind::Repair));
        }
        self.on_blocked(now, blocked)
    }

    #[inline]
    fn on_blocked(&mut self, now: Instant, blocked: Blocked) -> Option<(Span, SentKind)> {
        let out = self.tx.outstanding();
        match blocked {
            Blocked::Congestion => self.tx.limited_until = out.max,
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

    /// RFC 5681, 4.1, where nothing is out.
    pub(super) fn restart_if_idle(&mut self, now: Instant) {
        if self.config.idle_restart && now.saturating_since(self.tx.last_sent) > self.rtt.timeout() {
            self.congestion.on_idle(now, self.config.initial_window.bytes(self.tx.smss));
            self.dialect.on_idle();
            self.tx.last_sent = now;
        }
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
        self.account_sent(now, span, data, kind);
        self.after_transmission(now, span, kind);
        if self.asks.is_some() && !data.is_empty() {
            self.bear_request(now, span, kind != SentKind::New);
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

    /// What of that no record and no detector keeps, where the segment is the `first` retransmission of a recovery or not.
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
        if self.config.sender.growth == GrowthRule::Linux {
            tx.note_most_out();
        }
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

    /// A segment with the current acknowledgement, window, timestamps and SACK blocks.
    pub(super) fn segment(&mut self, now: Instant, draft: Draft) -> Packet {
        self.build(now, draft, ByValue)
    }

    /// The same where segments are many: made in the place where it goes.
    #[inline(always)]
    fn build<O: Outlet>(&mut self, now: Instant, draft: Draft, outlet: O) -> O::Placed {
        let Draft { start, mut flags, payload, number } = draft;
        if let Some(ecn) = &mut self.ecn {
            ecn.dress(&mut flags);
        }
        let timestamps = self.stamps.as_mut().map(|stamps| (stamps.value(now), stamps.echo()));
        let is_syn = flags.contains(TcpFlags::SYN);
        let mut ack = SeqNumber(0);
        let mut has_blocks = false;
        if flags.contains(TcpFlags::ACK) {
            has_blocks = self.rx.has_blocks() && self.has_sack() && !flags.contains(TcpFlags::RST);
            ack = self.rx.next.seq(self.rx.irs);
            self.rx.last_ack_sent = self.rx.next;
            match self.dialect {
                Dialect::Plain => self.settle_acknowledgement(now),
                Dialect::Tack(_) => self.note_acknowledged(now),
            }
        }
        let window = self.rx.offer(if is_syn { 0 } else { self.rx.shift });
        self.stats.segments_sent += 1;
        let peer = self.peer.as_mut().expect("whoever has a peer can send to it");
        if let IpHeader::V4(ip) = &mut peer.ip {
            // Counts up for each packet, as deployed stacks do on a connection.
            ip.id = ip.id.wrapping_add(1);
        }
        let said = Said { seq: start.seq(self.tx.iss), ack, flags, window, timestamps };
        if is_syn || has_blocks || self.ecn.is_some() || self.asks.is_some() {
            return self.place_dressed(said, payload, has_blocks, number, outlet);
        }
        if let Some(number) = number {
            return self.place_numbered(said, payload, number, outlet);
        }
        // What has this one option.
        let header = TcpHeader::MIN_LEN + if said.timestamps.is_some() { Bytes(12) } else { Bytes::ZERO };
        let len = peer.ip.len() + header + Bytes(payload.len().into());
        let (ports, ip) = (peer.ports, peer.ip);
        outlet.put(len, || Packet { ip, transport: Transport::Tcp(said.header(ports)), payload })
    }

    /// A segment with a number and nothing else that not all bear.
    #[inline(never)]
    fn place_numbered<O: Outlet>(&self, said: Said, payload: Payload, number: u64, outlet: O) -> O::Placed {
        let peer = self.peer.as_ref().expect("whoever has a peer can send to it");
        let mut tcp = said.header(peer.ports);
        self.dialect.write_number(number, &mut tcp.options.tack);
        let len = peer.ip.len() + tcp.len() + Bytes(payload.len().into());
        outlet.put(len, || Packet { ip: peer.ip, transport: Transport::Tcp(tcp), payload })
    }

    /// A segment with what not all segments bear.
    #[inline(never)]
    fn place_dressed<O: Outlet>(
        &mut self,
        said: Said,
        payload: Payload,
        has_blocks: bool,
        number: Option<u64>,
        outlet: O,
    ) -> O::Placed {
        let peer = self.peer.as_ref().expect("whoever has a peer can send to it");
        let (mut ip, mut tcp) = (peer.ip, said.header(peer.ports));
        if let Some(ecn) = &mut self.ecn {
            ecn.mark(&mut ip);
        }
        if let Some(number) = number {
            self.dialect.write_number(number, &mut tcp.options.tack);
        }
        if self.asks.is_some() {
            self.write_request(&mut tcp.options);
        }
        if has_blocks {
            tcp.options.sack = self.sack_blocks();
        }
        if tcp.flags.contains(TcpFlags::SYN) {
            self.syn_options(tcp.flags.contains(TcpFlags::ACK), &mut tcp.options);
        }
        let len = ip.len() + tcp.len() + Bytes(payload.len().into());
        outlet.put(len, || Packet { ip, transport: Transport::Tcp(tcp), payload })
    }

    /// Nothing is owed any more.
    pub(super) fn settle_acknowledgement(&mut self, now: Instant) {
        self.ack_owed = None;
        self.ack_policy.on_ack_sent(now);
        self.timers.stop(Timer::DelayedAck);
    }

    /// The blocks of what has come above a hole (RFC 2018, 4).
    #[inline(always)]
    fn sack_blocks(&mut self) -> SackBlocks {
        let limit = if self.stamps.is_some() { 3 } else { 4 };
        if let Some(twice) = self.rx.unreported_duplicate.take() {
            return self.blocks_with_duplicate(twice, limit);
        }
        self.blocks_of(self.rx.reassembly.recent(limit))
    }

    /// What has come twice stands first, and the block that it lies in, if it lies above the acknowledgement, second (RFC 2883, 4).
    #[inline(never)]
    fn blocks_with_duplicate(&self, twice: Span, limit: usize) -> SackBlocks {
        let reassembly = &self.rx.reassembly;
        let around = if twice.end <= self.rx.next { None } else { reassembly.around(twice) };
        let rest = reassembly.recent(limit).filter(|&span| Some(span) != around);
        self.blocks_of([Some(twice), around].into_iter().flatten().chain(rest).take(limit))
    }

    #[inline(always)]
    fn blocks_of(&self, spans: impl Iterator<Item = Span>) -> SackBlocks {
        let mut blocks = SackBlocks::EMPTY;
        for span in spans {
            blocks.push((span.start.seq(self.rx.irs), span.end.seq(self.rx.irs)));
        }
        blocks
    }

    /// What of a span to be repaired fits beside the SACK blocks of the segment; new ones are planned with them.
    fn beside_sack(&self, span: Span, kind: SentKind) -> Span {
        if kind == SentKind::New {
            return span;
        }
        let room = self.tx.smss.saturating_sub(self.options_len()).max(Bytes(1));
        Span { end: span.end.min(span.start + room), ..span }
    }

    /// What options that are not on every segment will take of the next one (RFC 9293, 3.7.1: options count).
    #[inline(always)]
    fn options_len(&self) -> Bytes {
        self.sack_len() + if self.asks.is_some() { self.request_len() } else { Bytes::ZERO }
    }

    /// What SACK blocks will take of the next segment.
    fn sack_len(&self) -> Bytes {
        if !self.rx.has_blocks() || !self.has_sack() {
            return Bytes::ZERO;
        }
        let limit = if self.stamps.is_some() { 3 } else { 4 };
        let blocks = self.rx.reassembly.count() + usize::from(self.rx.unreported_duplicate.is_some());
        Bytes(4 + 8 * blocks.min(limit) as u64)
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

/// What every header of a connection says anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    seq: SeqNumber,
    ack: SeqNumber,
    flags: TcpFlags,
    window: u16,
    timestamps: Option<(u32, u32)>,
}

impl Said {
    /// The same, from `seq` on.
    #[inline(always)]
    pub(super) const fn from(self, seq: SeqNumber) -> Self {
        Self { seq, ..self }
    }

    /// The header that says it, and nothing else, from our port to the peer's.
    #[inline(always)]
    pub(super) fn header(self, ports: (u16, u16)) -> TcpHeader {
        self.header_bearing(ports, TcpOptions::default())
    }

    /// The same with these options besides.
    #[inline(always)]
    fn header_bearing(self, (from, to): (u16, u16), options: TcpOptions) -> TcpHeader {
        let Self { seq, ack, flags, window, timestamps } = self;
        let options = TcpOptions { timestamps, ..options };
        TcpHeader { seq, ack, flags, window, options, ..TcpHeader::new(from, to) }
    }
}

/// A segment before it has its header.
#[derive(Debug)]
pub(super) struct Draft {
    /// The first place that it occupies.
    pub(super) start: Position,
    pub(super) flags: TcpFlags,
    pub(super) payload: Payload,
    /// PKT.SEQ, on a TACK connection, of what is numbered: data and FIN.
    pub(super) number: Option<u64>,
}

impl Draft {
    /// A segment without payload.
    pub(super) const fn bare(start: Position, flags: TcpFlags) -> Self {
        Self { start, flags, payload: Payload::EMPTY, number: None }
    }
}

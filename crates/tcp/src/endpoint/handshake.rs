//! Segments that arrive before the connection is established (RFC 9293, 3.10.7.1 to 3.10.7.3), and what a SYN agrees
//! on.

use std::net::SocketAddr;

use ackless_wire::tcp::TackOptions;
use ackless_wire::{Bytes, Instant, Packet, SeqNumber, TcpFlags, TcpHeader};

use super::ack_request::Asks;
use super::dialect::Dialect;
use super::{Endpoint, Opening, Peer, TACK_TICK};
use crate::ack::{AckReason, Policy};
use crate::config::Config;
use crate::congestion::{Congestion, CongestionChoice, Controller, GrowthRule, InitialWindow};
use crate::event::{CloseReason, Event};
use crate::loss::{Detector, DupackRecovery, LossDetector, PartialAcks, Rack, Recorded, RecoveryChoice, SackRecovery};
use crate::measure::Rhythm;
use crate::sequence::Position;
use crate::state::Trigger;
use crate::tack::terms::Terms;
use crate::tack::{Tack, TackConfig};
use crate::timers::Timer;

impl Endpoint {
    pub(super) fn detector(config: &Config, sack: bool) -> Detector {
        let mut detector = Self::detector_alone(config, sack);
        Self::keep_losses(config, &mut detector);
        detector
    }

    /// Losses are kept for a controller that hears of each.
    fn keep_losses(config: &Config, detector: &mut Detector) {
        if config.congestion.hears_losses()
            && let Some(records) = detector.records_mut()
        {
            records.keep_losses();
        }
    }

    fn detector_alone(config: &Config, sack: bool) -> Detector {
        // Controllers of a window need no rate samples, and so no records.
        let recorded = config.congestion.models_path();
        if sack {
            if config.recovery == RecoveryChoice::Rack {
                return Detector::Rack(Box::new(Rack::new(config.sender.rack)));
            }
            return match recorded {
                false => Detector::Sack(SackRecovery::new()),
                true => Detector::RecordedSack(Box::new(Recorded::new(SackRecovery::new()))),
            };
        }
        let partial = match config.congestion {
            CongestionChoice::Reno => PartialAcks::End,
            CongestionChoice::NewReno
            | CongestionChoice::Cubic
            | CongestionChoice::Bbr
            | CongestionChoice::Bbr3
            | CongestionChoice::ReceiverBbr(_) => PartialAcks::Continue,
        };
        match recorded {
            false => Detector::Dupack(DupackRecovery::new(partial)),
            true => Detector::RecordedDupack(Box::new(Recorded::new(DupackRecovery::new(partial)))),
        }
    }

    /// LISTEN (RFC 9293, 3.10.7.2).
    pub(super) fn on_listen(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader) {
        if tcp.flags.contains(TcpFlags::RST) {
            return;
        }
        if tcp.flags.contains(TcpFlags::ACK) {
            self.refuse(packet, tcp);
            return;
        }
        if !tcp.flags.contains(TcpFlags::SYN) {
            return;
        }
        self.peer = Peer::new(self.local, SocketAddr::new(packet.ip.src(), tcp.src_port));
        self.adopt_syn(now, tcp);
        self.tx.last_sent = now;
        self.advance(Trigger::Syn);
    }

    /// SYN-SENT (RFC 9293, 3.10.7.3).
    pub(super) fn on_syn_sent(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader) {
        let acknowledges = tcp.flags.contains(TcpFlags::ACK);
        if acknowledges && (tcp.ack != Position::FIRST_BYTE.seq(self.tx.iss) || self.tx.max == Position::SYN) {
            if !tcp.flags.contains(TcpFlags::RST) {
                self.refuse(packet, tcp);
            }
            return;
        }
        if tcp.flags.contains(TcpFlags::RST) {
            if acknowledges {
                self.die(CloseReason::Refused);
            }
            return;
        }
        if !tcp.flags.contains(TcpFlags::SYN) {
            return;
        }
        self.adopt_syn(now, tcp);
        if acknowledges {
            self.on_our_syn_acknowledged(now, tcp);
            self.advance(Trigger::SynAck);
            self.established(now);
            self.ack_owed = Some(AckReason::Handshake);
        } else {
            // Simultaneous open: our SYN goes out once more, now with an acknowledgement.
            self.advance(Trigger::Syn);
            self.tx.next = Position::SYN;
        }
    }

    /// The first acceptable acknowledgement in SYN-RECEIVED (RFC 9293, 3.10.7.4). False if it is of something else.
    pub(super) fn on_syn_received_ack(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader) -> bool {
        if tcp.ack != Position::FIRST_BYTE.seq(self.tx.iss) || self.tx.max == Position::SYN {
            self.refuse(packet, tcp);
            return false;
        }
        self.on_our_syn_acknowledged(now, tcp);
        self.advance(Trigger::AckOfSyn);
        self.established(now);
        true
    }

    /// A RST in SYN-RECEIVED (RFC 9293, 3.10.7.4): a listener listens again, a caller is refused.
    #[inline(never)]
    pub(super) fn on_syn_received_reset(&mut self) {
        match self.opening {
            Opening::Active => self.die(CloseReason::Refused),
            Opening::Passive => {
                let fresh = Self::listen(self.config.clone(), self.local, self.tx.iss);
                let buffer = std::mem::replace(&mut self.tx, fresh.tx);
                // What the application has already written, or its close, waits for the next caller.
                self.tx.buffer = buffer.buffer;
                self.tx.ending = buffer.ending;
                self.tx.writer = buffer.writer;
                self.advance(Trigger::ResetToListen);
                self.timers.stop_all();
                (self.peer, self.rx, self.stamps, self.rtt, self.marks) =
                    (None, fresh.rx, fresh.stamps, fresh.rtt, fresh.marks);
                (self.loss, self.ack_policy, self.measured, self.ack_owed) =
                    (fresh.loss, fresh.ack_policy, fresh.measured, None);
                (self.dialect, self.sack, self.ecn, self.asks) = (fresh.dialect, fresh.sack, fresh.ecn, None);
                // The next caller may do TACK, whatever has become of this one's.
                (self.fallen_back, self.congestion) = (false, fresh.congestion);
            }
        }
    }

    /// What the peer's SYN says: where its stream begins and what both ends can do.
    fn adopt_syn(&mut self, now: Instant, tcp: &TcpHeader) {
        let options = &tcp.options;
        self.rx.irs = tcp.seq;
        self.rx.next = Position::FIRST_BYTE;
        self.rx.window_end = self.rx.window_end.max(self.rx.next);
        self.rx.last_ack_sent = Position::FIRST_BYTE;
        self.sack &= options.sack_permitted;
        if let Some(ecn) = &mut self.ecn {
            ecn.adopt(tcp.flags, self.opening == Opening::Active);
        }
        if !self.sack {
            self.loss = Self::detector(&self.config, false);
        }
        self.stamps = self.stamps.take().filter(|_| options.timestamps.is_some());
        if let (Some(stamps), Some((value, _))) = (&mut self.stamps, options.timestamps) {
            stamps.on_segment(value, Position::SYN, Position::SYN, now);
        }
        if let (Some(shift), true) = (options.window_scale, self.config.window_scaling) {
            // RFC 7323, 2.3: a larger shift counts as 14.
            self.tx.shift = shift.min(14);
            self.tx.scales = true;
            self.config.receive_buffer = self.rx.scale();
        }
        // RFC 9293, 3.7.1: without the option, 536 bytes (IPv4) or 1220 (IPv6).
        let default = if self.local.is_ipv4() { 536 } else { 1220 };
        let mss = Bytes(options.mss.unwrap_or(default).into()).min(self.config.announced_mss());
        let stamp_len = if self.stamps.is_some() { Bytes(12) } else { Bytes::ZERO };
        self.adopt_tack(now, &options.tack);
        if !self.dialect.is_plain() {
            // Its acknowledgements have no place for an echo.
            self.ecn = None;
        } else {
            self.asks = Asks::agree(&self.config, options);
        }
        let number_len = if self.dialect.numbers_data() { TACK_LEN } else { Bytes::ZERO };
        self.tx.smss = mss.saturating_sub(stamp_len + number_len).max(MIN_SMSS);
        let seed = self.tx.iss.0.into();
        self.congestion = Congestion::new(self.config.congestion, self.tx.slow_start(&self.config), seed);
        if self.dialect.pulls() {
            self.loss = Detector::Pull(Box::default());
            Self::keep_losses(&self.config, &mut self.loss);
        } else {
            self.congestion.fall_back(now);
        }
        // The window of a SYN is never scaled (RFC 7323, 2.2).
        self.tx.window_end = Position::FIRST_BYTE + Bytes(tcp.window.into());
        self.tx.max_window = Bytes(tcp.window.into());
        self.tx.wl1 = Position::SYN;
        self.tx.wl2 = Position::SYN;
    }

    /// Whether TACK is in force from now on: where both SYNs permit it and both have timestamps (paper, VI-A). From here
    /// on its options are written in the form of the peer's SYN, which for an answer is the form in which it was offered.
    fn adopt_tack(&mut self, now: Instant, theirs: &TackOptions) {
        let Some(stamps) = &mut self.stamps else { return };
        let fine = match self.config.tack_offer().filter(|_| theirs.permitted) {
            Some(config) => {
                let terms = Terms::of(self.config.ack).agree(theirs);
                let tack = Tack::new(TackConfig { form: theirs.form, ..config }, terms);
                self.ack_policy = Policy::new(terms.bind(self.config.ack));
                self.dialect = Dialect::Tack(Box::new(tack));
                self.measured.set_rhythm(Rhythm::PerPacket);
                true
            }
            None => false,
        };
        // A peer that does not know TACK takes our clock for one of at least a millisecond (RFC 7323, 5.4), and would
        // call us old for the wrong 24 days if it turned over every hour.
        let tick = if fine { TACK_TICK } else { self.config.timestamps.unwrap_or(TACK_TICK) };
        if stamps.tick() != tick {
            stamps.change_tick(now, tick);
        }
    }

    /// What a SYN says of TACK: an offer, or the answer to one, in the form in which it came; with it the terms that this end wants.
    ///
    /// The fourth SYN and later ones offer nothing: something on the way may drop SYNs with options that it does not know, and that a plain one is answered is the
    /// evidence, which a host [remembers](crate::tack::Memory). Two are lost in a row by chance too often to do without TACK for a whole connection.
    pub(super) fn tack_offer(&self, answers: bool) -> TackOptions {
        let config = match self.dialect.tack() {
            Some(tack) => Some(tack.config),
            None => self.config.tack_offer().filter(|_| !answers && self.tx.may_offer()),
        };
        let Some(TackConfig { form, .. }) = config else { return TackOptions::default() };
        let mut options = TackOptions { form, permitted: true, ..TackOptions::default() };
        options.set_terms(Terms::of(self.config.ack).told());
        options
    }

    fn on_our_syn_acknowledged(&mut self, now: Instant, tcp: &TcpHeader) {
        if let Some(sample) = self.marks.acknowledged(Position::FIRST_BYTE, now) {
            self.rtt.on_sample(sample.oldest, Position::FIRST_BYTE, Position::FIRST_BYTE);
            self.measured.on_rtt(sample.newest);
            self.rtt_sample = Some(sample.oldest);
            if let Some(tack) = self.dialect.tack_mut() {
                tack.sending.on_handshake(now, sample.newest);
            }
        }
        self.tx.offered_in_vain = self.opening == Opening::Active
            && !self.dialect.numbers_data()
            && self.config.tack_offer().is_some()
            && !self.tx.may_offer();
        if self.tx.unanswered > 0 {
            // A lost SYN: begin with a careful timeout (RFC 6298, 5.7) and one segment (RFC 5681, 3.1), but as in Linux only where more were lost.
            self.rtt.start_after_lost_syn();
            if self.tx.unanswered > 1 || self.config.sender.growth == GrowthRule::Rfc {
                self.congestion.on_idle(now, InitialWindow::Segments(1).bytes(self.tx.smss));
            }
        }
        self.tx.una = Position::FIRST_BYTE;
        self.tx.next = Position::FIRST_BYTE;
        self.tx.unanswered = 0;
        self.tx.wl2 = Position::FIRST_BYTE;
        let shift = if tcp.flags.contains(TcpFlags::SYN) { 0 } else { self.tx.shift };
        let window = Bytes(u64::from(tcp.window) << shift);
        self.tx.window_end = self.tx.una + window;
        self.tx.max_window = self.tx.max_window.max(window);
        self.timers.stop(Timer::Retransmit);
    }

    fn established(&mut self, now: Instant) {
        self.congestion.on_connected(now, self.rtt.smoothed());
        if !self.dialect.is_plain() && self.config.receive_tuning {
            self.set_receive_buffer(self.config.receive_buffer);
        }
        self.rx.begin_tuning(now, self.stamps.is_some());
        self.events.add(Event::Connected);
        self.close_if_asked();
    }

    /// Whether `seq` is the peer's SYN again.
    pub(super) fn is_peer_syn(&self, seq: SeqNumber) -> bool {
        seq == self.rx.irs
    }
}

/// What PKT.SEQ takes of each segment with data, in either form.
const TACK_LEN: Bytes = Bytes(8);
/// The least segment size that we believe a peer: less would be an attack on our headers' share (Linux has the same).
const MIN_SMSS: Bytes = Bytes(48);

//! Trains: new full-sized segments one behind another, as many as the windows let go at once.
//!
//! Nearly all that a sender of bulk data sends goes so: each acknowledgement, or each turn of the pacer, lets a few segments go, and nothing bears on them but the peer's
//! window, the congestion window and the pacing rate. What `output` finds out for each segment is found out once for all of them here, with the same outcome; where anything else may bear on what
//! is sent, no train is made.

use ackless_wire::{Bytes, Instant, PacketId, PacketPool};

use super::Endpoint;
use super::sender::{Probe, Throttle};
use crate::ack::AckPolicy;
use crate::config::GrowthRule;
use crate::congestion::Controller;
use crate::loss::LossDetector;
use crate::sequence::{Position, Span};
use crate::state::State;
use crate::timers::Timer;

impl Endpoint {
    /// Puts the segments of a train, if one can go now, into `pool`, with one reference to each, and onto `train`. Returns whether nothing more is to be sent for
    /// now: else [`poll_transmit`](Self::poll_transmit) is to be asked as ever.
    #[inline(always)]
    pub fn poll_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        self.tx.una < self.tx.next && self.sends_new_data_alone(now) && self.send_train(now, pool, train)
    }

    /// Whether the next segments are new data, and only windows and pacing can hold them back.
    #[inline]
    fn sends_new_data_alone(&self, now: Instant) -> bool {
        let tx = &self.tx;
        self.state == State::Established
            && self.reply.is_none()
            && !self.may_owe_tack()
            && self.dialect.is_silent()
            && self.loss.lets_new_data_go()
            && self.prr.is_none()
            && tx.next == tx.max
            && (tx.probe, tx.tail_probe) == (Probe::Idle, Probe::Idle)
            && tx.throttle == Throttle::Open
            && tx.bursts.is_none()
            && tx.buffer.is_one_length()
            && self.timers.is_armed(Timer::Retransmit)
            && !self.rx.has_blocks()
            && !self.rx.tunes_itself()
            && self.pacer.may_send(now)
            && self.undo.is_none()
            && self.ecn.is_none()
            && self.asks.is_none()
            && !self.ack_policy.asks_host()
    }

    #[inline(never)]
    fn send_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        let (smss, written) = (self.tx.smss, self.tx.buffer.end());
        let first = self.tx.next;
        let room = self.congestion.window().saturating_sub(self.loss.pipe(&self.tx.outstanding()));
        let limit = self.tx.window_end.min(first + room);
        let fits = |next: Position, limit: Position| next + smss <= limit && next + smss < written;
        let is_timed = self.is_paced() || self.loss.is_recording();
        if !fits(first, limit) {
            // All that is left to find out is whether the congestion window is full.
        } else if is_timed {
            if self.loss.is_recording() && !self.begins_recorded_train(now) {
                return false;
            }
            self.send_timed_train(now, |next| fits(next, limit), pool, train);
        } else {
            let said = self.say(now, first);
            let mut next = first;
            while fits(next, limit) {
                train.push(self.put(said.from(next.seq(self.tx.iss)), self.tx.smss, pool));
                next += smss;
                self.marks.sent(next, now);
            }
            self.account_train(now, next);
        }
        if self.ack_owed.is_some() {
            return false;
        }
        if is_timed && self.is_held_by_pacing(now) {
            return true;
        }
        let is_congested = fits(self.tx.next, self.tx.window_end);
        if is_congested {
            self.tx.limited_until = self.tx.max;
        }
        is_congested
    }

    /// Tells the controller that data goes out, where it would hear of each segment: not where the first one has consequences that the others have not.
    fn begins_recorded_train(&mut self, now: Instant) -> bool {
        let pipe = self.loss.pipe(&self.tx.outstanding());
        let is_plain = pipe > Bytes::ZERO && !self.congestion.holds_back();
        if is_plain {
            self.congestion.on_sent(now, pipe, self.delivery.is_limited());
        }
        is_plain
    }

    /// A train of a sender that spreads its data over time, or keeps a record of each segment.
    fn send_timed_train(
        &mut self,
        now: Instant,
        fits: impl Fn(Position) -> bool,
        pool: &mut PacketPool,
        train: &mut Vec<PacketId>,
    ) {
        let (first, smss, rate) = (self.tx.next, self.tx.smss, self.pacing_rate());
        let mut pipe = self.loss.pipe(&self.tx.outstanding());
        let mut next = first;
        let said = self.say(now, first);
        while fits(next) && self.pacer.may_send(now) {
            if let Some(records) = self.loss.records_mut() {
                let snapshot = self.delivery.snapshot(now, pipe, smss, records.ever_lost());
                records.send(Span::new(next, smss), now, snapshot);
                pipe += smss;
            }
            if let Some(rate) = rate {
                self.pacer.on_sent(now, smss, rate);
            }
            let number = self.dialect.number(now);
            train.push(self.put_numbered(said.from(next.seq(self.tx.iss)), smss, number, pool));
            next += smss;
            self.marks.sent(next, now);
        }
        self.account_train(now, next);
        if self.loss.is_recording() {
            self.schedule_tail_probe(now);
        }
    }

    /// All up to `end` has gone out, in full-sized segments.
    fn account_train(&mut self, now: Instant, end: Position) {
        let segments = (end - self.tx.next).get() / self.tx.smss.get();
        self.stats.segments_sent += segments;
        self.stats.data_segments_sent += segments;
        let tx = &mut self.tx;
        (tx.next, tx.max, tx.last_sent, tx.probes) = (end, end, now, 0);
        if self.config.sender.growth == GrowthRule::Linux {
            tx.note_most_out();
        }
        self.timers.stop(Timer::Persist);
    }
}

//! Trains: new full-sized segments one behind another, as many as the windows let go at once.
//!
//! Nearly all that a sender of bulk data sends goes so: each acknowledgement lets a few segments go, and nothing bears on them but the peer's window and the
//! congestion window. What `output` finds out for each segment is found out once for all of them here, with the same outcome; where anything else may bear on what
//! is sent, no train is made.

use ackless_wire::{Instant, PacketId, PacketPool};

use super::Endpoint;
use super::sender::{Probe, Throttle};
use crate::ack::AckPolicy;
use crate::config::GrowthRule;
use crate::congestion::Controller;
use crate::sequence::Position;
use crate::state::State;
use crate::timers::Timer;

impl Endpoint {
    /// Puts the segments of a train, if one can go now, into `pool`, with one reference to each, and onto `train`. Returns whether nothing more is to be sent for
    /// now: else [`poll_transmit`](Self::poll_transmit) is to be asked as ever.
    #[inline(always)]
    pub fn poll_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        self.tx.una < self.tx.next && self.sends_new_data_alone(now) && self.send_train(now, pool, train)
    }

    /// Whether the next segments are new data, and only windows can hold them back.
    #[inline]
    fn sends_new_data_alone(&self, now: Instant) -> bool {
        let tx = &self.tx;
        self.state == State::Established
            && self.reply.is_none()
            && self.dialect.is_plain()
            && self.loss.is_calm()
            && tx.next == tx.max
            && (tx.probe, tx.tail_probe) == (Probe::Idle, Probe::Idle)
            && tx.throttle == Throttle::Open
            && tx.bursts.is_none()
            && tx.buffer.is_one_length()
            && self.timers.is_armed(Timer::Retransmit)
            && !self.rx.has_blocks()
            && !self.rx.tunes_itself()
            && !self.is_paced()
            && self.pacer.may_send(now)
            && self.undo.is_none()
            && self.ecn.is_none()
            && self.asks.is_none()
            && !self.ack_policy.asks_host()
    }

    #[inline(never)]
    fn send_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        let (smss, written) = (self.tx.smss, self.tx.buffer.end());
        let congested = self.tx.una + self.congestion.window();
        let limit = self.tx.window_end.min(congested);
        let fits = |next: Position, limit: Position| next + smss <= limit && next + smss < written;
        let first = self.tx.next;
        if fits(first, limit) {
            let said = self.say(now, first);
            let mut next = first;
            while fits(next, limit) {
                train.push(self.put(said.from(next.seq(self.tx.iss)), self.tx.smss, pool));
                next += smss;
                self.marks.sent(next, now);
            }
            self.account_train(now, next);
        }
        let is_congested = fits(self.tx.next, self.tx.window_end) && self.ack_owed.is_none();
        if is_congested {
            self.tx.limited_until = self.tx.max;
        }
        is_congested
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

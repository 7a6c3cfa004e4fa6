//! Trains: new full-sized segments one behind another, as many as the windows let go at once, and in front of them what goes again (`again`).
//!
//! Nearly all that a sender of bulk data sends goes so: each acknowledgement, or each turn of the pacer, lets a few segments go, and nothing bears on them but the peer's
//! window, the congestion window and the pacing rate. What `output` finds out for each segment is found out once for all of them here, with the same outcome; where anything else may bear on what
//! is sent, no train is made.
//!
//! | asked | before | rules out |
//! |---|---|---|
//! | `goes_on_with_data` | every train | a state but ESTABLISHED, a reply, probes, data with values of its own, blocks to report, ECN, a request for an ACK rate |
//! | `sends_data_alone` | `send_train`, `send_again`, `send_timed_train` | that, and queues below that hold back, bursts, a buffer that tunes itself, reductions that may be undone, a policy that asks its host |
//! | `is_under_way` | `send_timed_train` | a first flight, and going back over what has been sent |
//! | `goes_on_with_new_data` | the rest of a burst; also asked by `stays_held` | what `is_under_way` and `goes_on_with_data` do |
//! | `sends_in_its_time` | `send_timed_train`, the rest of a burst | a TACK or IACK, losses, proportional rate reduction, a controller that holds back, a record of nothing in flight |
//! | `waits_for_its_time_alone` | no train: all waits for the pace | what does not wait for it: an ACK, a TACK or IACK, a reply, a probe |

use ackless_wire::{Bytes, Instant, PacketId, PacketPool};

use super::Endpoint;
use super::burst::Bursts;
use super::pattern::Pattern;
use super::sender::{Probe, Throttle};
use crate::ack::AckPolicy;
use crate::congestion::Controller;
use crate::loss::{LossDetector, Phase, SentKind};
use crate::sequence::{Position, Span};
use crate::state::State;
use crate::timers::Timer;

impl Endpoint {
    /// Puts the segments of a train, if one can go now, into `pool`, with one reference to each, and onto `train`. Returns whether nothing more is to be sent for
    /// now: else [`poll_transmit`](Self::poll_transmit) is to be asked as ever.
    #[inline(always)]
    pub fn poll_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        if self.tx.una >= self.tx.buffer.end() {
            false
        } else if !self.pacer.may_send(now) {
            self.waits_for_its_time_alone(now)
        } else if !self.sends_data_alone() {
            false
        } else {
            match self.loss.counting().filter(|_| !self.is_paced()).map(LossDetector::phase) {
                Some(Phase::Open) => self.send_train(now, pool, train),
                Some(_) => self.send_again(now, pool, train),
                None => self.is_under_way() && self.sends_in_its_time() && self.send_timed_train(now, pool, train),
            }
        }
    }

    /// Whether a sender whose time has not come has nothing to send that does not wait for it.
    fn waits_for_its_time_alone(&mut self, now: Instant) -> bool {
        self.state == State::Established
            && self.reply.is_none()
            && self.ack_owed.is_none()
            && self.dialect.is_silent()
            && self.is_held_by_pacing(now)
    }

    /// Puts there what is left of a burst that has begun in this instant, as far as it is full-sized segments: the queues below and the pace have had their say when it
    /// began. To be asked for after its first segment, as the others would be by [`poll_transmit`](Self::poll_transmit).
    #[inline]
    pub fn poll_rest_of_burst(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) {
        if self.is_amid_burst(now) && self.goes_on_with_new_data() && self.sends_in_its_time() {
            self.send_rest_of_burst(now, pool, train);
        }
    }

    /// Whether the next segments are data and nothing else, and nothing but windows, the scoreboard and the pace can hold them back.
    #[inline]
    fn sends_data_alone(&self) -> bool {
        self.goes_on_with_data()
            && self.tx.throttle == Throttle::Open
            && self.tx.bursts.is_none()
            && !self.rx.tunes_itself()
            && self.undo.is_none()
            && !self.ack_policy.asks_host()
    }

    /// Whether new data and nothing else follows what has been sent in this instant already: what is told of the window, and that data answers data, has been settled with that.
    #[inline]
    pub(super) fn goes_on_with_new_data(&self) -> bool {
        self.is_under_way() && self.goes_on_with_data()
    }

    /// Whether something is out, and nothing waits to go again before what follows it.
    #[inline]
    fn is_under_way(&self) -> bool {
        self.tx.una < self.tx.next && self.tx.next == self.tx.max && self.timers.is_armed(Timer::Retransmit)
    }

    /// Whether the next segments are data, new or again, without anything else to tell.
    #[inline]
    fn goes_on_with_data(&self) -> bool {
        let tx = &self.tx;
        self.state == State::Established
            && self.reply.is_none()
            && (tx.probe, tx.tail_probe) == (Probe::Idle, Probe::Idle)
            && tx.buffer.is_one_length()
            && !self.rx.has_blocks()
            && self.ecn.is_none()
            && self.asks.is_none()
    }

    /// Whether, of what bears on senders that number, record or pace what they send, only windows and pacing can hold it back, and what holds for its first segment holds for all.
    fn sends_in_its_time(&self) -> bool {
        !self.may_owe_tack()
            && self.dialect.is_silent()
            && self.loss.lets_new_data_go()
            && self.prr.is_none()
            && !self.congestion.holds_back()
            && (!self.loss.is_recording() || self.pipe() > Bytes::ZERO)
    }

    /// A train of new data of a sender that counts what is selectively acknowledged, where nothing is to go again before it.
    #[inline(never)]
    pub(super) fn send_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        let out = self.tx.outstanding();
        if out.una == out.max {
            self.restart_if_idle(now);
        }
        let Some(recovery) = self.loss.counting().filter(|_| out.next == out.max) else { return false };
        let phase = recovery.phase();
        let (smss, written, first) = (out.smss, self.tx.buffer.end(), out.next);
        let congested = recovery.limit(&out, self.congestion.window());
        let limit = self.tx.window_end.min(congested);
        let fits = |next: Position, limit: Position| next + smss <= limit && next + smss < written;
        if fits(first, limit) {
            let said = self.say(now, first);
            let mut pattern = self.pattern(said, smss);
            let mut next = first;
            while fits(next, limit) {
                train.push(self.build_like(&mut pattern, next.seq(self.tx.iss), None, pool));
                next += smss;
                if phase == Phase::Open {
                    self.marks.sent(next, now);
                }
            }
            self.account_train(now, next, &pattern);
            if !self.timers.is_armed(Timer::Retransmit) {
                self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
            }
            if phase != Phase::Open {
                self.loss.on_sent(Span { start: first, end: next }, SentKind::New);
            }
        }
        // In a recovery the window has its say before there is a look at what could be sent.
        let recovers = matches!(phase, Phase::Recovery { .. }) && self.tx.next + smss > congested;
        (recovers || fits(self.tx.next, self.tx.window_end)) && self.ack_owed.is_none()
    }

    /// A train of a sender that spreads its data over time, or keeps a record of each segment.
    #[inline(never)]
    fn send_timed_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        self.put_timed_train(now, None, pool, train);
        if self.ack_owed.is_some() {
            return false;
        }
        if self.is_held_by_pacing(now) {
            return true;
        }
        let (smss, next) = (self.tx.smss, self.tx.next);
        next + smss <= self.tx.window_end && next + smss < self.tx.buffer.end()
    }

    #[inline(never)]
    fn send_rest_of_burst(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) {
        self.ack_policy.on_data_sent(now);
        self.put_timed_train(now, self.tx.bursts, pool, train);
    }

    /// As many segments as go out now: all of a burst, or what the pace lets go.
    #[inline(always)]
    fn put_timed_train(
        &mut self,
        now: Instant,
        burst: Option<Bursts>,
        pool: &mut PacketPool,
        train: &mut Vec<PacketId>,
    ) {
        let (smss, written, first) = (self.tx.smss, self.tx.buffer.end(), self.tx.next);
        let pipe = self.pipe();
        let limit = self.tx.window_end.min(first + self.congestion.window().saturating_sub(pipe));
        let fits = |next: Position| next + smss <= limit && next + smss < written;
        let goes = |endpoint: &Self, next| match &burst {
            Some(burst) => burst.go_on(now, next),
            None => endpoint.pacer.may_send(now),
        };
        if fits(first) {
            if self.loss.is_recording() {
                self.tell_of_sending(now, pipe);
            }
            let (rate, said) = (self.pacing_rate(), self.say(now, first));
            let mut end = first;
            while fits(end) && goes(self, end) {
                end += smss;
                if let Some(rate) = rate {
                    self.pacer.on_sent(now, smss, rate);
                }
            }
            self.enter_train(now, Span { start: first, end }, pipe);
            let mut pattern = self.pattern(said, smss);
            let mut next = first;
            while next < end {
                let (seq, number) = (next.seq(self.tx.iss), self.dialect.number(now));
                next += smss;
                if burst.is_some_and(|burst| burst.ends_at(next)) {
                    pattern.push();
                }
                train.push(self.build_like(&mut pattern, seq, number, pool));
                self.marks.sent(next, now);
            }
            self.account_train(now, end, &pattern);
            if self.loss.is_recording() {
                self.schedule_tail_probe(now);
            }
        }
    }

    /// Enters the segments of a train, of which the first goes out with `pipe` in flight, into the records, if there are any.
    #[inline(always)]
    fn enter_train(&mut self, now: Instant, span: Span, pipe: Bytes) {
        let smss = self.tx.smss;
        if let Some(records) = self.loss.records_mut() {
            let snapshot = self.delivery.snapshot(now, pipe, smss, records.ever_lost());
            records.send_train(span, smss, now, snapshot);
        }
    }

    /// All up to `end` has gone out, in full-sized segments of this pattern.
    fn account_train(&mut self, now: Instant, end: Position, pattern: &Pattern) {
        self.go_on_from(pattern);
        let segments = (end - self.tx.next).get() / self.tx.smss.get();
        self.stats.segments_sent += segments;
        self.stats.data_segments_sent += segments;
        let tx = &mut self.tx;
        (tx.next, tx.max, tx.last_sent, tx.probes) = (end, end, now, 0);
        self.timers.stop(Timer::Persist);
    }
}

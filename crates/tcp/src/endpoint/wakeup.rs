//! What happens when a timer fires (RFC 9293, 3.10.8; RFC 6298, 5).

use ackless_wire::{Duration, Instant};

use super::Endpoint;
use super::sender::Probe;
use crate::ack::AckPolicy;
use crate::congestion::Controller;
use crate::event::CloseReason;
use crate::loss::{LossDetector, Phase};
use crate::sequence::Position;
use crate::state::{State, Trigger};
use crate::timers::Timer;

impl Endpoint {
    /// Fires every timer that is due by `now`. Calling it early does nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        // In the order of `Timer::ALL`.
        if self.timers.take_due(Timer::Reorder, now) {
            self.on_reordering_timeout(now);
        }
        if self.timers.take_due(Timer::TailProbe, now) {
            self.on_tail_probe_timeout(now);
        }
        if self.timers.take_due(Timer::Retransmit, now) {
            self.on_retransmission_timeout(now);
        }
        if self.timers.take_due(Timer::Persist, now) {
            self.on_persist_timeout();
        }
        if self.timers.take_due(Timer::DelayedAck, now) {
            self.on_acknowledgement_due(now);
        }
        if self.timers.take_due(Timer::Settle, now) {
            self.on_settled(now);
        }
        if self.timers.take_due(Timer::TimeWait, now) {
            self.advance(Trigger::TimeWaitOver);
        }
        // What waits for its time is asked for by `poll_transmit`.
        self.timers.take_due(Timer::Pace, now);
    }

    #[inline(never)]
    fn on_acknowledgement_due(&mut self, now: Instant) {
        let decision = self.ack_policy.on_deadline(now);
        self.heed_policy(now, decision);
    }

    /// RFC 6298, 5.4 to 5.7, and RFC 9293, 3.8.3: give up at some point.
    #[inline(never)]
    fn on_retransmission_timeout(&mut self, now: Instant) {
        let syn = !self.state.is_synchronized();
        let limit = if syn { self.config.syn_retries } else { self.config.retries };
        if self.tx.unanswered >= limit {
            self.die(if syn { CloseReason::NoAnswer } else { CloseReason::NoAcknowledgement });
            return;
        }
        let repeated = self.tx.unanswered > 0;
        self.tx.unanswered += 1;
        self.stats.timeouts += 1;
        self.rtt.back_off();
        self.marks.forget();
        if let Some(stamps) = &mut self.stamps {
            stamps.on_timeout(now);
        }
        if syn {
            self.tx.next = Position::SYN;
        } else {
            self.on_silence();
            let out = self.tx.outstanding();
            if self.loss.phase() == Phase::Open {
                self.begin_reduction(true);
            }
            self.congestion.on_timeout(now, out.max - out.una, repeated);
            if let Some(ecn) = &mut self.ecn {
                ecn.on_loss(out.max);
            }
            self.loss.on_timeout_at(now, &out);
            if self.config.congestion.hears_losses() {
                self.tell_losses(now);
            }
            if self.loss.goes_back() {
                self.tx.next = self.tx.una;
                if self.tx.window_end <= self.tx.una {
                    // The window has closed over what was out, and so for a whole timeout (RFC 9293, 3.8.6.1).
                    self.tx.probe = Probe::Due;
                }
            }
            self.prr = None;
            self.tx.tail_probe = Probe::Idle;
            self.timers.stop(Timer::Reorder);
            self.timers.stop(Timer::TailProbe);
        }
        // Armed before the retransmission goes out, so that it cannot be forgotten where a closed window holds it
        // back.
        self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
    }

    #[inline(never)]
    fn on_persist_timeout(&mut self) {
        if self.tx.unanswered >= self.config.retries {
            self.die(CloseReason::NoWindow);
            return;
        }
        self.tx.unanswered += 1;
        self.tx.probes += 1;
        self.on_silence();
        if self.state != State::Closed && self.tx.next < self.tx.end() {
            self.tx.probe = Probe::Due;
        }
    }

    /// The retransmission timeout, and as long as a receiver that sends TACKs may hold back what it acknowledges.
    pub(super) fn retransmission_delay(&self) -> Duration {
        self.rtt.timeout() + self.dialect.hold()
    }

    /// RFC 9293, 3.8.6.1: the first probe after a retransmission timeout, then twice as long each time.
    pub(super) fn probe_interval(&self) -> Duration {
        self.retransmission_delay().saturating_mul(1 << self.tx.probes.min(20)).min(self.config.rto_max)
    }
}

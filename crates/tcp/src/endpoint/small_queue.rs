//! TCP Small Queues: a sender waits where the queues below it hold enough of its data (`tcp_small_queue_check` of net/ipv4/tcp_output.c in
//! Linux 6.12).
//!
//! Linux compares what its skbs take of memory with the limit; here it is the length of IP packets, so that a limit is reached by the
//! overhead of memory later. Each packet counts until it leaves by itself, as where Linux segments a burst in software; where the card does, the whole burst counts until the
//! last of it has left. A burst that has begun ([`Config::tso`](crate::Config::tso)) goes out whole.

use ackless_wire::{BitRate, Bytes, Duration};

use super::Endpoint;
use super::sender::Throttle;
use crate::congestion::Controller;
use crate::pacing;
use crate::sequence::Span;

/// `tcp_limit_output_bytes`, the most below a sender that is not paced: 16 times 64 KiB.
pub const LIMIT_OUTPUT: Bytes = Bytes::from_kib(1024);

impl Endpoint {
    /// Before each [`poll_transmit`](Self::poll_transmit): the queues below hold `below` bytes of this connection's data packets. Above the
    /// [limit](Self::small_queue_limit) of `packet` and `time` new data is held back, above twice that what is sent again too; acknowledgements and probes never
    /// are, nor is anything while no more than one segment is in flight. There is no timer for that: poll again whenever the queues have let go of something.
    pub fn heed_small_queue(&mut self, below: Bytes, packet: Bytes, time: Duration) {
        let limit = self.small_queue_limit(packet, time);
        (self.tx.throttle, self.tx.throttled_above) = if below <= limit {
            (Throttle::Open, Bytes::ZERO)
        } else if below <= limit * 2 {
            (Throttle::New, limit)
        } else {
            (Throttle::All, limit * 2)
        };
    }

    /// Whether an endpoint that had nothing to send when it was asked last still has nothing, whatever time it is, though the queues below have let go of something and hold
    /// no more than `below` now: they hold as much back as they did, or it was the congestion window that let nothing go. To be asked where nothing else has happened to the
    /// endpoint since.
    pub fn stays_held(&self, below: Bytes) -> bool {
        let tx = &self.tx;
        self.goes_on_with_new_data()
            && tx.una < tx.next
            && self.dialect.acknowledges_in_headers()
            && self.ack_owed.is_none()
            && self.prr.is_none()
            && self.loss.lets_new_data_go()
            && self.pacer.is_unused()
            && match tx.throttle {
                Throttle::Open => self.is_full(),
                Throttle::New | Throttle::All => below > tx.throttled_above && self.has_several_out(),
            }
    }

    /// Whether the next segment would be full-sized, and the congestion window has no room for it.
    fn is_full(&self) -> bool {
        let end = self.tx.next + self.tx.smss;
        end <= self.tx.window_end && end <= self.tx.buffer.end() && self.sending_room(self.pipe()) < self.tx.smss
    }

    /// What the sender's rate carries in `time`, at least two full packets and, unless it is paced, at most [`LIMIT_OUTPUT`]. The rate is as
    /// `tcp_update_pacing_rate` has it, whether the sender is paced or not; before there is a round-trip time, it is without bound.
    pub fn small_queue_limit(&self, packet: Bytes, time: Duration) -> Bytes {
        let by_rate = self.rate_of_flight().map_or(LIMIT_OUTPUT, |rate| rate.amount_floor(time));
        let limit = by_rate.max(packet * 2);
        if self.is_paced() { limit } else { limit.min(LIMIT_OUTPUT) }
    }

    /// The controller's own rate, or that of the window, or of what is in flight where that is more.
    pub(super) fn rate_of_flight(&self) -> Option<BitRate> {
        let (window, threshold) = (self.congestion.window(), self.congestion.slow_start_threshold());
        let of_window = || pacing::rate_of_window(window.max(self.flight_size()), threshold, self.rtt.smoothed());
        self.congestion.pacing_rate().or_else(of_window)
    }

    /// Whether the queues below hold back all but probes.
    #[inline]
    pub(super) fn is_shut(&self) -> bool {
        self.tx.throttle == Throttle::All && self.has_several_out()
    }

    /// Whether the queues below hold this back, which nothing else does.
    #[inline]
    pub(super) fn is_throttled(&self, span: Span) -> bool {
        self.tx.throttle == Throttle::New && span.start >= self.tx.max && self.has_several_out()
    }

    fn has_several_out(&self) -> bool {
        self.tx.max - self.tx.una > self.tx.smss
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::{Instant, SeqNumber};

    use super::*;
    use crate::Config;

    #[test]
    fn without_a_round_trip_time_the_limit_is_that_of_output() {
        let local = "10.0.0.1:1".parse().expect("an address");
        let remote = "10.0.0.2:2".parse().expect("an address");
        let endpoint = Endpoint::connect(Instant::ZERO, Config::default(), local, remote, SeqNumber(1));
        assert_eq!(endpoint.small_queue_limit(Bytes(1_500), Duration::from_millis(8)), Bytes(1_048_576));
        assert_eq!(endpoint.small_queue_limit(Bytes(1_500), Duration::ZERO), Bytes(1_048_576), "the rate is not known");
    }
}

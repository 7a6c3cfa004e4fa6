//! The delivery rate as the receiver sees it (paper, VI-D).
//!
//! Each TACK reports the bytes received since the TACK before the last one, divided by the time between the last arrivals before
//! the two. The paper divides by 2/f; both are the same as long as TACKs come at f and upon arrivals. But where a timer sends a
//! TACK between two arrivals, 2/f may see a packet too many: a filter for the maximum keeps that, and the sender overdrives the
//! path by it.
//!
//! The time is at least 10 ms, of as many TACK intervals as it takes, where the paper has two however short they are. With an
//! RTTmin of 2 ms two intervals last 1 ms, less than an A-MPDU, whose packets all come at one moment, and much less than what
//! waits at a receiver of 802.11 for one lost MPDU: over 802.11n at 150 Mbps the greatest of such rates is three to five times
//! the true one.
//!
//! While every packet is acknowledged there are no TACK intervals: the rate is then taken over the latest RTTmin/2, which is what two
//! of them will be with the paper's beta = 4, and again at least over 10 ms.

use std::collections::VecDeque;

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::tack::time::RateTime;

/// What has come, and how fast.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    received: Bytes,
    /// When a segment last came.
    arrived: Instant,
    /// Moments at which the last segment before an acknowledgement came, and what had been received after all that came at them.
    marks: VecDeque<(Instant, Bytes)>,
    /// When a segment last came that was not full.
    short_at: Option<Instant>,
    rate: BitRate,
    limited: bool,
}

impl Delivery {
    /// A segment brought `fresh` bytes that had not been here; `full` says whether it was full-sized.
    pub(crate) fn on_segment(&mut self, now: Instant, fresh: Bytes, full: bool) {
        self.received += fresh;
        self.arrived = now;
        if let Some((at, received)) = self.marks.back_mut()
            && *at == now
        {
            *received = self.received;
        }
        if !full {
            self.short_at = Some(now);
        }
    }

    /// A TACK is sent, in the rhythm that the sender has told or in start-up.
    pub(crate) fn on_tack(&mut self, rhythmic: bool, min_rtt: Option<Duration>) {
        let now = self.arrived;
        let (intervals, window) =
            if rhythmic { (2, RateTime::LEAST) } else { (1, RateTime::span(min_rtt.unwrap_or_default() / 2)) };
        let ago = |mark: Option<&(Instant, Bytes)>| mark.map(|(at, _)| now.saturating_since(*at));
        while self.marks.len() > intervals && ago(self.marks.get(1)).is_some_and(|ago| ago >= window) {
            self.marks.pop_front();
        }
        if self.marks.len() >= intervals {
            self.measure(now, window);
        }
        if ago(self.marks.back()).is_none_or(|ago| ago >= window / MARKS) {
            self.marks.push_back((now, self.received));
        }
    }

    /// The rate since the first mark, if that is at least `span` ago.
    fn measure(&mut self, now: Instant, span: Duration) {
        let Some(&(since, received)) = self.marks.front() else { return };
        let passed = now.saturating_since(since);
        if passed >= span {
            self.rate = (self.received - received).per(passed);
            self.limited = self.short_at.is_some_and(|at| at > since);
        }
    }

    /// The rate as of the last TACK; zero if it is not known yet.
    pub(crate) const fn rate(&self) -> BitRate {
        self.rate
    }

    /// Whether a segment came in that time that was not full: its sender had run dry.
    pub(crate) const fn is_limited(&self) -> bool {
        self.limited
    }
}

/// Marks are at least this part of a window apart.
const MARKS: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn come(delivery: &mut Delivery, millis: u64, bytes: u64) {
        delivery.on_segment(Instant::from_millis(millis), Bytes(bytes), true);
    }

    #[test]
    fn two_tack_intervals_make_the_rate() {
        let mut delivery = Delivery::default();
        // 1000 bytes each millisecond, which is 8 Mbps, then 2000. TACKs every 10 ms.
        let mut rates = Vec::new();
        for millis in 1..=60 {
            come(&mut delivery, millis, if millis <= 30 { 1000 } else { 2000 });
            if millis.is_multiple_of(10) {
                delivery.on_tack(true, None);
                rates.push(delivery.rate());
            }
        }
        let mbps = [0, 0, 8, 12, 16, 16].map(BitRate::from_mbps);
        assert_eq!(rates, mbps);
        // Nothing came for 20 ms: 20 + 10 kB in 10 + 20 ms, whenever the timer fires.
        come(&mut delivery, 80, 10_000);
        delivery.on_tack(true, None);
        assert_eq!(delivery.rate(), BitRate::from_mbps(8));
    }

    #[test]
    fn a_tack_between_two_arrivals_sees_no_packet_too_many() {
        let mut delivery = Delivery::default();
        // 1000 bytes each millisecond, a TACK each 10.25 ms: in 20.5 ms there are 20 or 21 packets.
        let mut due = Instant::from_micros(10_250);
        let mut rates = Vec::new();
        for millis in 1..=400 {
            while due < Instant::from_millis(millis) {
                delivery.on_tack(true, None);
                due += Duration::from_micros(10_250);
                rates.push(delivery.rate());
            }
            come(&mut delivery, millis, 1000);
        }
        assert!(rates.len() > 30 && rates[2..].iter().all(|&rate| rate == BitRate::from_mbps(8)), "{rates:?}");
    }

    #[test]
    fn bursts_are_seen_at_the_rate_at_which_they_come_however_short_the_tack_intervals() {
        // 42 packets of 1500 bytes each 3.5 ms: 144 Mbps. Now and then 20 of a burst come only with the next. A TACK with the
        // second packet of a burst and one 0.5 ms after it.
        let mut delivery = Delivery::default();
        let mut greatest = BitRate::ZERO;
        for burst in 1..=300 {
            let now = Instant::from_micros(3500 * burst);
            let packets = 42 - 20 * u64::from(burst % 7 == 3) + 20 * u64::from(burst % 7 == 4);
            for packet in 1..=packets {
                delivery.on_segment(now, Bytes(1500), true);
                if packet == 2 {
                    delivery.on_tack(true, None);
                    greatest = greatest.max(delivery.rate());
                }
            }
            delivery.on_tack(true, None);
            greatest = greatest.max(delivery.rate());
        }
        // Three bursts with 20 packets more than they should have: 146 packets in 10.5 ms.
        assert_eq!(greatest, Bytes(146 * 1500).per(Duration::from_micros(10_500)));
    }

    #[test]
    fn in_start_up_the_rate_is_that_of_the_last_half_of_a_round_trip() {
        let mut delivery = Delivery::default();
        let rtt = Some(Duration::from_millis(200));
        // Ten packets at once, twenty after a round trip, each acknowledged.
        for (millis, packets) in [(0, 10), (200, 20)] {
            for packet in 1..=packets {
                come(&mut delivery, millis, 1500);
                delivery.on_tack(false, rtt);
                assert_eq!((packet, delivery.rate() == BitRate::ZERO), (packet, millis == 0));
            }
        }
        // After the first flight: 20 packets in 200 ms.
        assert_eq!(delivery.rate(), BitRate::from_bps(20 * 1500 * 8 * 5));
    }

    #[test]
    fn a_segment_that_is_not_full_says_that_the_sender_ran_dry() {
        let mut delivery = Delivery::default();
        for i in 1..=10 {
            let now = Instant::from_millis(20 * i);
            delivery.on_segment(now, Bytes(10), i != 5);
            delivery.on_tack(true, None);
            assert_eq!(delivery.is_limited(), (5..=6).contains(&i), "TACK {i}");
        }
    }
}

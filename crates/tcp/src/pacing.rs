//! When the next segment may leave, so that data goes out at a rate and not in bursts.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

/// Spreads what is sent over time.
///
/// Payload is counted, not headers: the rates of controllers come from delivered payload. Segments leave in bursts of at
/// most what the rate carries in [`QUANTUM`], but at least one segment and at most [`MOST`]: BBR's send quantum
/// (draft-cardwell-iccrg-bbr-congestion-control-00, 4.2.2), here for every paced sender, without that draft's floor of two
/// segments. Up to 11.7 Mbit/s that is one full-sized segment at a time. The next burst leaves when the rate has carried
/// the one before.
///
/// A controller may ask for greater bursts ([`set_burst`](Self::set_burst)), after each of which the next one waits as long as the rate needs for it.
///
/// A burst that leaves up to [`QUANTUM`] late, because a timer was late, delays none of the later ones. So in any time T no
/// more leaves than the rate carries in T + 2 [`QUANTUM`], and one segment or one burst that was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    /// When the rate will have carried all that has been sent.
    release: Instant,
    /// What may still leave before that.
    credit: Bytes,
    /// What may leave at once at least.
    burst: Bytes,
}

impl Pacer {
    /// Whether a segment may leave now.
    #[inline]
    pub fn may_send(&self, now: Instant) -> bool {
        now >= self.release || self.credit > Bytes::ZERO
    }

    /// Whether nothing has been paced so far: it holds nothing back.
    pub(crate) fn is_unused(&self) -> bool {
        self.release == Instant::ZERO
    }

    /// From the next burst on so much may leave at once at least.
    pub fn set_burst(&mut self, burst: Bytes) {
        self.burst = burst;
    }

    /// When the next segment may leave, if not before.
    pub const fn next_departure(&self) -> Instant {
        self.release
    }

    /// A segment with `len` bytes of payload leaves now, allowed or not, at `rate`.
    pub fn on_sent(&mut self, now: Instant, len: Bytes, rate: BitRate) {
        if rate == BitRate::ZERO {
            return;
        }
        if now >= self.release {
            if now.saturating_since(self.release) > QUANTUM {
                self.release = now;
            }
            self.credit = rate.amount_floor(QUANTUM).clamp(len, MOST.max(len)).max(self.burst);
        }
        self.credit = self.credit.saturating_sub(len);
        if self.credit < len {
            // What would not fit into the burst waits for the next one.
            self.credit = Bytes::ZERO;
        }
        self.release = self.release.saturating_add(rate.time_ceil(len));
    }
}

/// The rate at which a window is spread over a round trip, as Linux has it (tcp_update_pacing_rate): twice what the window
/// carries in a round trip in slow start, here up to half of the threshold, so that growth is not held up, and 1.2 times
/// later. Nothing without a round-trip time.
pub(crate) fn rate_of_window(window: Bytes, threshold: Option<Bytes>, srtt: Option<Duration>) -> Option<BitRate> {
    let srtt = srtt.filter(|&srtt| srtt > Duration::ZERO)?;
    let slow_start = threshold.is_none_or(|threshold| window * 2 < threshold);
    let percent = if slow_start { 200 } else { 120 };
    let rate = (window * percent).per(srtt).bps() / 100;
    Some(BitRate::from_bps(rate.max(1)))
}

/// How much time's worth of data may leave at once.
pub const QUANTUM: Duration = Duration::from_millis(1);
/// The most that may leave at once.
pub const MOST: Bytes = Bytes::from_kib(64);

/// `sk_gso_max_size` of Linux 6.12 (`sk_dst_gso_max_size`): 64 KiB less what headers may take (`MAX_TCP_HEADER`, 320, and 1).
pub(crate) const LARGEST_BURST: Bytes = Bytes(65_536 - 321);

#[cfg(test)]
mod tests {
    use super::*;

    /// When each of `n` segments of 1000 bytes leaves that are ready at once.
    fn departures(rate: BitRate, n: usize) -> Vec<u64> {
        let (mut pacer, mut now) = (Pacer::default(), Instant::from_secs(1));
        let start = now;
        (0..n)
            .map(|_| {
                if !pacer.may_send(now) {
                    now = pacer.next_departure();
                }
                assert!(pacer.may_send(now));
                pacer.on_sent(now, Bytes(1000), rate);
                now.saturating_since(start).as_micros_floor()
            })
            .collect()
    }

    #[test]
    fn up_to_a_segment_for_each_quantum_the_spacing_is_exact() {
        // 8 Mbit/s carry 1000 bytes each millisecond.
        assert_eq!(departures(BitRate::from_mbps(8), 5), [0, 1000, 2000, 3000, 4000]);
        assert_eq!(departures(BitRate::from_mbps(2), 4), [0, 4000, 8000, 12_000]);
    }

    #[test]
    fn above_it_bursts_are_a_millisecond_long() {
        let departures = departures(BitRate::from_mbps(40), 20);
        let count = |at| departures.iter().filter(|&&d| d == at).count();
        assert_eq!([0, 1000, 2000].map(count), [5, 5, 5]);
    }

    #[test]
    fn a_burst_that_is_asked_for_is_paid_for_by_the_wait_for_the_next() {
        // 8 Mbit/s carry 1000 bytes each millisecond.
        let (mut pacer, rate, begin) = (Pacer::default(), BitRate::from_mbps(8), Instant::from_secs(1));
        pacer.set_burst(Bytes(4_500));
        for (at, count) in [(0, 4), (4, 4), (100, 4), (104, 4)] {
            let now = begin + Duration::from_millis(at);
            for _ in 0..count {
                assert!(pacer.may_send(now), "{at} ms");
                pacer.on_sent(now, Bytes(1000), rate);
            }
            assert!(!pacer.may_send(now + Duration::from_micros(3_999)), "{at} ms");
            assert_eq!(pacer.next_departure(), now + Duration::from_millis(4));
        }
        pacer.set_burst(Bytes::ZERO);
        let now = begin + Duration::from_millis(200);
        pacer.on_sent(now, Bytes(1000), rate);
        assert!(!pacer.may_send(now));
    }

    #[test]
    fn a_late_burst_is_made_up_for_by_a_millisecond_at_most() {
        let rate = BitRate::from_mbps(2);
        let mut pacer = Pacer::default();
        let mut now = Instant::from_secs(1);
        pacer.on_sent(now, Bytes(1000), rate);
        for (late, next) in [(0, 4000), (500, 3500), (1000, 3000), (1001, 4000), (50_000, 4000)] {
            now = pacer.next_departure() + Duration::from_micros(late);
            pacer.on_sent(now, Bytes(1000), rate);
            assert_eq!(pacer.next_departure(), now + Duration::from_micros(next), "{late} us late");
        }
    }

    #[test]
    fn a_window_is_spread_over_half_a_round_trip_in_slow_start_and_over_most_of_it_later() {
        let srtt = Some(Duration::from_millis(100));
        let rate = |threshold| rate_of_window(Bytes(100_000), threshold, srtt).map(|rate| rate.bps());
        assert_eq!(rate(None), Some(16_000_000));
        assert_eq!(rate(Some(Bytes(200_001))), Some(16_000_000));
        assert_eq!(rate(Some(Bytes(200_000))), Some(9_600_000));
        assert_eq!(rate_of_window(Bytes(100_000), None, None), None);
    }
}

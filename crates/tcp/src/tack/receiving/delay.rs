//! One-way delay (paper, V-B): which packet since the last TACK had the least.
//!
//! The clocks of the two ends have an unknown offset, which drops out: a delay here is the time from stamp to arrival, less that of
//! the first packet. It is smoothed over packets with a weight of 1/8 for the newest, as RFC 6298 (2.3) smooths round trips; the paper
//! names the RFC and no weight.
//!
//! The paper filters minima "at both sides": this one, over a TACK interval, is the receiver's; the one over up to ten seconds is the
//! sender's, which alone knows round trips.

use ackless_wire::{Duration, Instant};

/// The smoothed relative one-way delay, and its minimum since the last TACK.
#[derive(Clone, Debug, Default)]
pub(crate) struct OneWayDelay {
    clock: Option<Clock>,
    /// Nanoseconds more (or less) than the first packet took.
    smoothed: i64,
    least: Option<Least>,
    /// Whether the least one is of an interval that is over.
    over: bool,
}

/// Relates stamps to arrivals.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// The stamp that came last, and how long after the first it was made.
    stamp: u32,
    made: i64,
    first_arrival: Instant,
}

/// A packet that had the least delay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Least {
    smoothed: i64,
    /// Its departure, in the sender's clock.
    pub(crate) stamp: u32,
    /// Its arrival, in ours.
    pub(crate) arrived: Instant,
}

impl OneWayDelay {
    /// A packet came that left at `stamp`, in ticks of `tick` of the sender's clock.
    pub(crate) fn on_packet(&mut self, now: Instant, stamp: u32, tick: Duration) {
        let first = self.clock.is_none();
        let clock = self.clock.get_or_insert(Clock { stamp, made: 0, first_arrival: now });
        // Those that left together have one stamp.
        if stamp != clock.stamp {
            let ticks = i64::from(stamp.wrapping_sub(clock.stamp) as i32);
            clock.made = clock.made.saturating_add(ticks.saturating_mul(tick.as_nanos() as i64));
            clock.stamp = stamp;
        }
        let sample = (now.saturating_since(clock.first_arrival).as_nanos() as i64).saturating_sub(clock.made);
        self.smoothed =
            if first { sample } else { self.smoothed.saturating_add(sample.saturating_sub(self.smoothed) / 8) };
        // Of equal ones the newest, which waits least for the TACK.
        if self.over || self.least.is_none_or(|least| self.smoothed <= least.smoothed) {
            self.least = Some(Least { smoothed: self.smoothed, stamp, arrived: now });
            self.over = false;
        }
    }

    /// A TACK is sent: with the next packet a new interval begins.
    pub(crate) const fn on_tack(&mut self) {
        self.over = true;
    }

    /// The packet with the least smoothed delay since the last TACK, or in the interval before if none has come since.
    pub(crate) const fn least(&self) -> Option<Least> {
        self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: Duration = Duration::from_micros(1);

    /// A packet with this stamp that arrives then, in microseconds.
    fn come(delay: &mut OneWayDelay, stamp: u32, micros: u64) {
        delay.on_packet(Instant::from_micros(micros), stamp, MICRO);
    }

    fn least(delay: &OneWayDelay) -> (u32, Instant) {
        let least = delay.least().expect("a packet has come");
        (least.stamp, least.arrived)
    }

    #[test]
    fn of_the_packets_of_figure_5c_the_one_with_the_least_delay_is_named() {
        // Five packets, 400 us apart, take 900, 700, 500, 800 and 900 us. Relative to the first and smoothed by an eighth:
        // 0, -25, -71.9, -75.4 (an eighth of the way from -71.9 to -100), then up again: -66.
        let mut delay = OneWayDelay::default();
        let taken = [900, 700, 500, 800, 900];
        for (i, taken) in (0..).zip(taken) {
            come(&mut delay, 5_000 + 400 * i, 20_000 + 400 * u64::from(i) + taken);
        }
        assert_eq!(least(&delay), (6_200, Instant::from_micros(22_000)));
        assert_eq!(delay.smoothed, -65_967);
    }

    #[test]
    fn each_tack_begins_a_new_interval_with_the_next_packet() {
        let mut delay = OneWayDelay::default();
        come(&mut delay, 0, 1000);
        come(&mut delay, 100, 1200);
        assert_eq!(least(&delay), (0, Instant::from_micros(1000)));
        delay.on_tack();
        assert_eq!(least(&delay), (0, Instant::from_micros(1000)), "still the best that there is");
        come(&mut delay, 200, 1400);
        assert_eq!(least(&delay), (200, Instant::from_micros(1400)));
    }

    #[test]
    fn stamps_wrap_and_may_come_out_of_order() {
        let mut delay = OneWayDelay::default();
        come(&mut delay, u32::MAX - 99, 1000);
        come(&mut delay, 100, 1200);
        come(&mut delay, 0, 1300);
        assert_eq!(delay.smoothed, 25_000, "0, 0, then 200 us more for the one that was overtaken");
        come(&mut delay, i32::MAX as u32, 1_300 + i32::MAX as u64);
        assert_eq!(delay.smoothed, 46_875);
    }
}

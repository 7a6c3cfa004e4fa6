//! CUBIC in whole segments and ticks, as Linux 6.12 counts it in congestion avoidance (net/ipv4/tcp_cubic.c: `bictcp_update`; `tcp_cong_avoid_ai`).
//!
//! After a whole number of acknowledged segments (`cnt`) the window grows by one. What that number is follows from three targets: the curve, looked at the least
//! round trip ahead, and at most once a tick, or in 31 ms where the window has not moved; 5 % a round trip before the first reduction; and Reno's
//! estimate, one segment for each 15/8 windows.
//!
//! Deviations: the cube root is exact to the unit; a tick begins with the simulation's clock; idle time counts from the last look at the curve, and only where it restarts the window;
//! bytes of segments that are not acknowledged whole count once they make a segment.

use ackless_wire::{Duration, Instant};

/// What is counted besides the window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    /// `epoch_start`, in ticks: none until the first acknowledgement after a reduction.
    start: Option<u64>,
    /// `last_time` and `last_cwnd`.
    looked: Option<(u64, u64)>,
    /// `bic_K`, in 1,024ths of a second, and `bic_origin_point`.
    plateau: (u64, u64),
    /// `cnt`.
    each: u64,
    /// `ack_cnt` and `tcp_cwnd`: Reno's estimate.
    acked: u64,
    reno: u64,
    /// `snd_cwnd_cnt`.
    credit: u64,
    /// What of a segment has been acknowledged and not counted yet.
    rest: f64,
}

impl Whole {
    /// So much was acknowledged: how many segments that makes, with what was left over before. Whoever acknowledges each byte alone makes the window grow no faster.
    pub(super) fn gather(&mut self, segments: f64) -> u64 {
        // What is whole but for rounding is whole.
        let all = self.rest + segments;
        let whole = libm::floor(all + 1e-6);
        self.rest = (all - whole).max(0.0);
        whole as u64
    }

    /// `acked` segments were acknowledged, where the window has `window` of them and the one before the last reduction had `max` (0: none yet). By how much the window grows.
    pub(super) fn on_ack(&mut self, now: Instant, window: u64, acked: u64, max: u64, min_rtt: Duration) -> u64 {
        self.acked += acked;
        let now = now.as_nanos() / TICK;
        let rests = |(at, last): (u64, u64)| last == window && now.saturating_sub(at) <= HZ / 32;
        if !self.looked.is_some_and(rests) {
            if self.start.is_none() || self.looked.is_none_or(|(at, _)| at != now) {
                self.looked = Some((now, window));
                self.look(now, window, acked, max, min_rtt);
            }
            self.heed_reno(window);
            self.each = self.each.max(2);
        }
        self.grow(acked)
    }

    /// The window was reduced: the next acknowledgement begins a stage, and what was credited towards
    /// the next segment is gone (`tcp_init_cwnd_reduction`).
    pub(super) const fn on_reduction(&mut self) {
        (self.start, self.credit) = (None, 0);
    }

    /// Nothing was sent until `now`: that time does not count.
    pub(super) fn on_idle(&mut self, now: Instant) {
        if let (Some(start), Some((at, _))) = (&mut self.start, self.looked) {
            *start += (now.as_nanos() / TICK).saturating_sub(at);
        }
    }

    fn look(&mut self, now: u64, window: u64, acked: u64, max: u64, min_rtt: Duration) {
        let start = *self.start.get_or_insert_with(|| {
            (self.acked, self.reno) = (acked, window);
            let root = libm::cbrt(max.saturating_sub(window) as f64 * (1u64 << 40) as f64 / C as f64);
            self.plateau = (root as u64, max.max(window));
            now
        });
        let (k, origin) = self.plateau;
        let age = (now.saturating_sub(start) + min_rtt.as_nanos().div_ceil(TICK)) * 1024 / HZ;
        let apart = u128::from(age.abs_diff(k));
        let delta = ((u128::from(C) * apart * apart * apart) >> 40) as u64;
        let target = if age < k { origin.saturating_sub(delta) } else { origin.saturating_add(delta) };
        self.each = if target > window { window / (target - window) } else { 100 * window };
        if max == 0 {
            self.each = self.each.min(20);
        }
    }

    /// Not slower than Reno's estimate.
    fn heed_reno(&mut self, window: u64) {
        let segment = ((window * RENO) >> 3).max(1);
        let more = self.acked.saturating_sub(1) / segment;
        self.acked -= more * segment;
        self.reno += more;
        if self.reno > window {
            self.each = self.each.min(window / (self.reno - window));
        }
    }

    fn grow(&mut self, acked: u64) -> u64 {
        let mut more = 0;
        if self.credit >= self.each {
            // Gathered for a larger number.
            (self.credit, more) = (0, 1);
        }
        self.credit += acked;
        more += self.credit / self.each;
        self.credit %= self.each;
        more
    }
}

/// What of `size` segments a reduction leaves, and the window before it where that was below the one before (`beta` of 717 in 1,024; fast convergence).
pub(super) const fn reduced(size: u64) -> (u64, u64) {
    let left = size * BETA / 1024;
    (if left < 2 { 2 } else { left }, size * (1024 + BETA) / 2048)
}

/// The kernel's tick in nanoseconds, and ticks in a second.
const TICK: u64 = 4_000_000;
const HZ: u64 = 250;
/// C in 1,024ths: ten times `bic_scale`.
const C: u64 = 410;
/// `beta`.
const BETA: u64 = 717;
/// `beta_scale`: 8 (1 + beta) / 3 (1 - beta), rounded down.
const RENO: u64 = 15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_first_reduction_it_grows_by_one_for_twenty() {
        let mut whole = Whole::default();
        let grown: Vec<u64> =
            (0..60).map(|n| whole.on_ack(Instant::from_millis(n), 100, 1, 0, Duration::ZERO)).collect();
        let at: Vec<usize> = (0..60).filter(|&n| grown[n] > 0).collect();
        assert_eq!(at, [19, 39, 59]);
    }

    #[test]
    fn what_was_credited_towards_a_segment_does_not_outlive_a_reduction() {
        for (reduces, grown) in [(false, 1), (true, 0)] {
            let mut whole = Whole::default();
            assert_eq!(whole.on_ack(Instant::from_millis(0), 100, 15, 0, Duration::ZERO), 0);
            if reduces {
                whole.on_reduction();
            }
            assert_eq!(whole.on_ack(Instant::from_millis(40), 100, 15, 0, Duration::ZERO), grown);
        }
    }

    #[test]
    fn a_segment_acknowledged_byte_by_byte_is_one_segment() {
        let mut whole = Whole::default();
        let counted: u64 = (0..3 * 1448).map(|_| whole.gather(1.0 / 1448.0)).sum();
        assert_eq!((counted, whole.gather(2.0), whole.gather(0.5), whole.gather(0.5)), (3, 2, 0, 1));
    }

    #[test]
    fn the_curve_is_back_at_the_maximum_after_k() {
        // From 700 segments to 1,000, an acknowledgement of a window each 100 ms.
        let (mut whole, mut window) = (Whole::default(), 700);
        let mut reached = 0;
        for tenth in 0..120 {
            window += whole.on_ack(Instant::from_millis(100 * tenth), window, window, 1_000, Duration::ZERO);
            if reached == 0 && window >= 999 {
                reached = tenth;
            }
        }
        // K is cbrt(300 / 0.4), 9.09 s; from cbrt(1 / 0.4), 1.36 s, before it on, less than a segment is missing, which counts for nothing.
        assert!((74..=92).contains(&reached), "{reached}");
    }

    #[test]
    fn reno_gains_a_segment_for_each_fifteen_eighths_of_a_window() {
        // Of 8 segments, 15; below the curve's plateau of 10, which 8 reach after cbrt(2 / 0.4) = 1.7 s, all of it within one tick here.
        let mut whole = Whole::default();
        let mut acks = 0;
        let grown = std::iter::from_fn(|| {
            acks += 1;
            Some(whole.on_ack(Instant::ZERO, 8, 1, 10, Duration::ZERO))
        });
        _ = grown.take(31).count();
        // The first counts for itself; one more than 15 and 30 makes a segment.
        assert_eq!((whole.reno, acks), (8, 31), "not looked at within 31 ms of a window that stands still");
        whole.on_ack(Instant::from_millis(40), 8, 1, 10, Duration::ZERO);
        assert_eq!((whole.reno, whole.acked, whole.each), (10, 2, 4));
    }

    #[test]
    fn a_reduction_leaves_717_of_1024_and_never_less_than_two() {
        assert_eq!([reduced(100), reduced(2), reduced(76)], [(70, 85), (2, 1), (53, 64)]);
    }
}

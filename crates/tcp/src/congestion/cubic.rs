//! CUBIC (RFC 9438).
//!
//! A spurious reduction is undone wholly, unless the window is larger by then (RFC 9438, 4.9.2), a spurious timeout like a spurious fast retransmit; under [`CubicRule::Linux`] window and threshold alone come back, as in the
//! kernel (`tcp_undo_cwnd_reduction`): W_max stays what the reduction made of it, and the stage of congestion avoidance begins anew.

mod epoch;
mod whole;

use ackless_wire::{Bytes, Instant};

pub(super) use self::epoch::Epoch;
use self::whole::{Whole, reduced};
use super::hystart::Finder;
use super::{AckFacts, Controller, GrowthRule, SlowStart};

/// How CUBIC grows in congestion avoidance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CubicRule {
    /// As RFC 9438 has it (4.2 to 4.5).
    #[default]
    Rfc,
    /// As Linux 6.12 does (net/ipv4/tcp_cubic.c), in whole segments and ticks: the estimate of Reno grows by 0.53 segments a round trip for good; the curve is looked at the
    /// least round trip ahead, not the smoothed one; before the first reduction, and after a timeout, the window grows by 5 % of itself a round trip
    /// at least; and a reduction leaves a share of the window, not of what was out.
    Linux,
}

/// The CUBIC window. Inside, windows are in segments and times in seconds, as in the RFC's equations.
#[derive(Clone, Debug)]
pub struct Cubic {
    start: SlowStart,
    /// What looks for the end of slow start.
    finder: Option<Box<Finder>>,
    /// cwnd.
    window: f64,
    /// ssthresh.
    threshold: Option<f64>,
    /// W_max: what fast convergence made of the window before the last reduction.
    max: f64,
    /// cwnd_prior: the window before the last reduction.
    prior: f64,
    /// The current congestion avoidance stage, once its first acknowledgement has come.
    epoch: Option<Epoch>,
    /// Whether the last reduction was by a timeout.
    timed_out: bool,
    /// How all this stood before a reduction that may turn out to be a mistake.
    before: Option<Before>,
    /// What takes the place of the stage under [`CubicRule::Linux`].
    whole: Option<Box<Whole>>,
}

/// What a reduction changes (RFC 9438, 4.9.2).
#[derive(Clone, Copy, Debug)]
struct Before {
    window: f64,
    threshold: Option<f64>,
    max: f64,
    prior: f64,
    epoch: Option<Epoch>,
    timed_out: bool,
}

impl Cubic {
    /// A window that has seen nothing yet.
    pub fn new(start: SlowStart) -> Self {
        let window = start.initial.get() as f64 / start.smss.get() as f64;
        let finder = start.finder();
        Self {
            start,
            finder,
            window,
            threshold: None,
            max: 0.0,
            prior: 0.0,
            epoch: None,
            timed_out: false,
            before: None,
            whole: (start.cubic == CubicRule::Linux).then(Box::default),
        }
    }

    /// The reduction that a loss and a timeout have in common (RFC 9438, 4.6 and 4.7).
    fn reduce(&mut self, now: Instant, flight: Bytes, by_timer: bool) {
        if let Some(finder) = &mut self.finder {
            finder.on_reduction(now, by_timer);
        }
        // W_max remembers the window; ssthresh follows what was really out, without what limited transmit added.
        let flight = (flight.get() as f64 / self.start.smss.get() as f64).min(self.window);
        let converging = self.window < self.max;
        self.max = if converging { self.window * (1.0 + BETA) / 2.0 } else { self.window };
        self.prior = self.window;
        self.threshold = Some((flight * BETA).max(2.0));
        self.epoch = None;
        if let Some(whole) = &mut self.whole {
            whole.on_reduction();
            let (left, converged) = reduced(self.window as u64);
            self.max = if converging { converged as f64 } else { libm::floor(self.window) };
            self.threshold = Some(left as f64);
        }
    }

    /// Ends slow start where its end is found, before the window grows or after.
    fn look_for_end(&mut self, facts: &AckFacts, grown: bool) {
        let (window, threshold) = (self.window(), self.slow_start_threshold());
        let Some(finder) = &mut self.finder else { return };
        let ends = match grown {
            false => finder.before_growth(facts, &self.start, window, threshold),
            true => finder.after_growth(facts, threshold),
        };
        if ends {
            self.threshold = Some(self.window);
        }
    }

    /// The window is about to be left after idling.
    fn raise_threshold(&mut self) {
        if self.start.growth == GrowthRule::Linux {
            let threshold = self.start.threshold_after_idling(self.slow_start_threshold(), self.window());
            self.threshold = threshold.map(|threshold| threshold.get() as f64 / self.start.smss.get() as f64);
        }
    }

    /// One acknowledgement of a window that was used.
    fn grow(&mut self, facts: &AckFacts) {
        let smss = self.start.smss.get() as f64;
        let growth = self.start.growth(facts);
        let growth =
            self.finder.as_ref().map_or(growth, |finder| finder.growth(growth, &self.start)).get() as f64 / smss;
        let room = self.threshold.map_or(growth, |threshold| threshold - self.window);
        if room > 0.0 {
            self.window += growth.min(room);
            if self.whole.is_some() && growth > room {
                self.avoid(facts, growth - room);
            }
        } else {
            self.avoid(facts, facts.acked.get() as f64 / smss);
        }
    }

    /// The stage that begins now (RFC 9438, 4.2; 4.8 after a timeout).
    fn begin(&self, now: Instant) -> Epoch {
        Epoch::new(now, self.window, if self.timed_out { self.window } else { self.max })
    }

    /// One acknowledgement of `segments` in congestion avoidance (RFC 9438, 4.2 to 4.5).
    fn avoid(&mut self, facts: &AckFacts, segments: f64) {
        if let Some(whole) = &mut self.whole {
            let (window, acked) = (self.window as u64, whole.gather(segments));
            if acked == 0 {
                return;
            }
            self.window = (window + whole.on_ack(facts.now, window, acked, self.max as u64, facts.min_rtt)) as f64;
            return;
        }
        let fresh = self.begin(facts.now);
        let epoch = self.epoch.get_or_insert(fresh);
        self.window = epoch.grow(self.window, self.prior, facts.now, facts.srtt, segments);
    }
}

impl Controller for Cubic {
    fn on_ack(&mut self, facts: &AckFacts) {
        if self.finder.is_some() {
            self.look_for_end(facts, false);
        }
        if facts.window_used {
            self.grow(facts);
        } else if let Some(epoch) = &mut self.epoch {
            // Time in which the window is not used does not count (RFC 9438, 5.8).
            epoch.pause(facts.now);
        }
        if self.finder.is_some() {
            self.look_for_end(facts, true);
        }
    }

    fn on_loss(&mut self, now: Instant, flight: Bytes) {
        self.reduce(now, flight, false);
        self.timed_out = false;
        self.window = self.threshold.unwrap_or(self.window);
    }

    fn on_timeout(&mut self, now: Instant, flight: Bytes, repeated: bool) {
        if !repeated {
            self.reduce(now, flight, true);
        }
        self.timed_out = true;
        if let Some(whole) = &mut self.whole {
            // bictcp_reset forgets all.
            **whole = Whole::default();
            self.max = 0.0;
        }
        self.epoch = None;
        self.window = 1.0;
    }

    fn on_recovered(&mut self, _now: Instant, flight: Bytes) {
        // No burst where less is out than the window allows (RFC 6582, 3.2, step 3, option 1).
        if let Some(threshold) = self.threshold {
            let flight = flight.get() as f64 / self.start.smss.get() as f64;
            self.window = threshold.min(flight.max(1.0) + 1.0);
        }
    }

    fn remember(&mut self) {
        let &mut Self { window, threshold, max, prior, epoch, timed_out, .. } = self;
        self.before = Some(Before { window, threshold, max, prior, epoch, timed_out });
    }

    fn undo(&mut self) {
        let Some(before) = self.before.take() else { return };
        if self.whole.is_none() {
            if self.window > before.window {
                return;
            }
            (self.max, self.prior) = (before.max, before.prior);
        }
        self.window = self.window.max(before.window);
        self.threshold = before.threshold;
        (self.epoch, self.timed_out) = (before.epoch, before.timed_out);
        let threshold = self.slow_start_threshold();
        if let Some(finder) = &mut self.finder {
            finder.on_undo(threshold);
        }
    }

    fn on_idle(&mut self, now: Instant, restart: Bytes) {
        if let Some(whole) = &mut self.whole {
            whole.on_idle(now);
        }
        self.raise_threshold();
        self.window = self.window.min(restart.get() as f64 / self.start.smss.get() as f64);
        self.epoch = None;
    }

    fn window(&self) -> Bytes {
        Bytes((self.window * self.start.smss.get() as f64) as u64)
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        self.threshold.map(|threshold| Bytes((threshold * self.start.smss.get() as f64) as u64))
    }
}

/// beta_cubic (RFC 9438, 4.6).
const BETA: f64 = 0.7;

#[cfg(test)]
mod tests {
    use ackless_wire::Duration;

    use super::*;
    use crate::sequence::Position;

    const SMSS: Bytes = Bytes(1000);

    fn cubic(segments: u64) -> Cubic {
        Cubic::new(SlowStart::standard(SMSS, SMSS * segments, None))
    }

    fn ack(millis: u64, segments: u64) -> AckFacts {
        AckFacts {
            now: Instant::from_millis(millis),
            acked: SMSS * segments,
            una: Position::FIRST_BYTE,
            next: Position::FIRST_BYTE,
            rtt: None,
            srtt: Duration::from_millis(100),
            min_rtt: Duration::ZERO,
            window_used: true,
            after_timeout: false,
        }
    }

    #[test]
    fn a_loss_leaves_seven_tenths() {
        let mut cubic = cubic(100);
        cubic.on_loss(Instant::ZERO, SMSS * 103);
        assert_eq!((cubic.window(), cubic.slow_start_threshold()), (SMSS * 70, Some(SMSS * 70)));
        assert_eq!((cubic.max, cubic.prior), (100.0, 100.0));
    }

    #[test]
    fn a_second_loss_below_the_old_maximum_makes_room_for_others() {
        let mut cubic = cubic(100);
        cubic.on_loss(Instant::ZERO, SMSS * 100);
        cubic.on_loss(Instant::ZERO, SMSS * 70);
        // Fast convergence (RFC 9438, 4.7): W_max = 70 (1 + 0.7) / 2.
        assert!((cubic.max - 59.5).abs() < 1e-9 && cubic.window() == SMSS * 49, "{cubic:?}");
    }

    #[test]
    fn the_window_is_back_at_the_maximum_after_k() {
        let mut cubic = cubic(100);
        cubic.on_loss(Instant::ZERO, SMSS * 100);
        // K = cbrt(30 / 0.4) = 4.217 s.
        let mut millis = 0;
        while millis < 4_200 {
            cubic.on_ack(&ack(millis, cubic.window().get() / 1000 / 10));
            millis += 10;
        }
        assert!((cubic.window().get() as f64 / 1e5 - 1.0).abs() < 0.01, "{cubic:?}");
    }

    #[test]
    fn linux_grows_by_a_twentieth_before_the_first_reduction() {
        let start = SlowStart { cubic: CubicRule::Linux, ..SlowStart::standard(SMSS, SMSS * 100, None) };
        let mut cubic = Cubic::new(start);
        cubic.threshold = Some(100.0);
        cubic.on_ack(&ack(0, 100));
        assert_eq!(cubic.window(), SMSS * 105);
    }

    #[test]
    fn linux_remembers_the_window_before_a_reduction_that_was_undone() {
        let start = SlowStart { cubic: CubicRule::Linux, ..SlowStart::standard(SMSS, SMSS * 100, None) };
        let mut cubic = Cubic::new(start);
        cubic.remember();
        cubic.on_loss(Instant::ZERO, SMSS * 100);
        cubic.undo();
        assert_eq!((cubic.window(), cubic.slow_start_threshold()), (SMSS * 100, None));
        cubic.threshold = Some(100.0);
        // Not 5 % for want of a maximum: the curve begins at its plateau of 100, and Reno's estimate gains one in 188.
        cubic.on_ack(&ack(0, 100));
        assert_eq!(cubic.window(), SMSS * 100);
    }

    #[test]
    fn a_mistake_that_is_found_when_the_window_is_larger_already_changes_nothing() {
        let mut cubic = cubic(10);
        cubic.remember();
        cubic.on_loss(Instant::ZERO, SMSS * 10);
        cubic.threshold = Some(20.0);
        cubic.on_ack(&ack(0, 8));
        cubic.undo();
        // RFC 9438, 4.9.2: the present values of all go on.
        assert_eq!((cubic.window(), cubic.slow_start_threshold()), (SMSS * 15, Some(SMSS * 20)));
        assert_eq!((cubic.max, cubic.prior), (10.0, 10.0));
    }

    #[test]
    fn after_a_timeout_the_curve_begins_at_its_plateau() {
        let mut cubic = cubic(100);
        cubic.on_timeout(Instant::ZERO, SMSS * 100, false);
        assert_eq!((cubic.window(), cubic.slow_start_threshold()), (SMSS, Some(SMSS * 70)));
        for _ in 0..69 {
            cubic.on_ack(&AckFacts { after_timeout: true, ..ack(0, 1) });
        }
        assert_eq!(cubic.window(), SMSS * 70);
        cubic.on_ack(&ack(1000, 1));
        let epoch = cubic.epoch.expect("congestion avoidance has begun");
        assert_eq!((epoch.k, epoch.max), (0.0, 70.0));
    }

    #[test]
    fn time_in_which_the_window_is_not_used_does_not_count() {
        let mut cubic = cubic(100);
        cubic.on_loss(Instant::ZERO, SMSS * 100);
        cubic.on_ack(&ack(0, 1));
        let begin = cubic.epoch.expect("congestion avoidance has begun").start;
        cubic.on_ack(&AckFacts { window_used: false, ..ack(100, 1) });
        cubic.on_ack(&AckFacts { window_used: false, ..ack(5_000, 1) });
        cubic.on_ack(&ack(60_100, 1));
        assert_eq!(cubic.epoch.map(|epoch| epoch.start), Some(begin + Duration::from_secs(60)));
    }
}

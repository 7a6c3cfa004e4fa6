//! One stage of congestion avoidance (RFC 9438, 4.2 to 4.5), of CUBIC itself and of what else grows as CUBIC does. Windows are in segments and times in seconds, as in the RFC's equations.

use ackless_wire::{Duration, Instant};

/// The curve on which a window comes back after a reduction.
#[derive(Clone, Copy, Debug)]
pub(in crate::congestion) struct Epoch {
    /// t_epoch, moved on by the time in which the window was not used.
    pub(super) start: Instant,
    /// Since when the window has not been used.
    unused_since: Option<Instant>,
    /// W_max of this stage.
    pub(super) max: f64,
    /// K: when the curve reaches W_max, in seconds after the start.
    pub(super) k: f64,
    /// W_est: what Reno would have.
    estimate: f64,
}

impl Epoch {
    /// A stage that begins with this window and leads back to `max`; a window that is no smaller is where it begins from (4.8).
    pub(in crate::congestion) fn new(now: Instant, window: f64, max: f64) -> Self {
        let (max, k) = if window >= max { (window, 0.0) } else { (max, libm::cbrt((max - window) / C)) };
        Self { start: now, unused_since: None, max, k, estimate: window }
    }

    /// The window is not used; that time does not count (5.8).
    pub(in crate::congestion) fn pause(&mut self, now: Instant) {
        self.unused_since.get_or_insert(now);
    }

    /// The window after `segments` of it have been acknowledged. `prior`: cwnd_prior, the window before the last reduction.
    pub(in crate::congestion) fn grow(
        &mut self,
        window: f64,
        prior: f64,
        now: Instant,
        srtt: Duration,
        segments: f64,
    ) -> f64 {
        if let Some(since) = self.unused_since.take() {
            self.start += now.saturating_since(since);
        }
        let alpha = if self.estimate >= prior { 1.0 } else { ALPHA };
        self.estimate += alpha * segments / window;
        let age = now.saturating_since(self.start);
        if self.curve(age) < self.estimate {
            window.max(self.estimate)
        } else {
            let target = self.curve(age + srtt).clamp(window, window * 1.5);
            (window + (target - window) / window * segments).min(target)
        }
    }

    /// W_cubic (equation 1).
    fn curve(&self, age: Duration) -> f64 {
        let t = age.as_nanos() as f64 * 1e-9 - self.k;
        C * t * t * t + self.max
    }
}

/// C, in segments per cubic second (RFC 9438, 5.1).
const C: f64 = 0.4;
/// alpha_cubic (RFC 9438, 4.3): 3 (1 - beta) / (1 + beta) with a beta of 0.7.
const ALPHA: f64 = 3.0 * (1.0 - 0.7) / (1.0 + 0.7);

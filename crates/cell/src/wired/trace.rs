//! Where a link is in the trace of its rate.

use std::sync::Arc;

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::paused::{HORIZON, Work, work};
use crate::config::{RateTrace, TracePoints};

/// A place in a trace, which only moves forward: packets leave in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    trace: Arc<RateTrace>,
    /// The next point, by its place in the trace.
    next: usize,
    /// How many nanoseconds later than in the trace it comes: whole periods.
    shift: u64,
    /// The rate before the next point, where the points are rates.
    rate: BitRate,
    /// The last opportunity that was looked at, and how many bytes of it no packet has used.
    opportunity: (Instant, Bytes),
    /// [`RateTrace::work_per_period`].
    per_period: Option<Work>,
}

impl Cursor {
    /// The beginning of `trace`, before which the link has `rate`.
    pub(super) fn new(trace: Arc<RateTrace>, rate: BitRate) -> Self {
        let per_period = trace.work_per_period();
        Self { trace, next: 0, shift: 0, rate, opportunity: (Instant::ZERO, Bytes::ZERO), per_period }
    }

    /// When a packet of this length has left that comes at `now`, where the packets before it have
    /// left by `from`.
    ///
    /// # Errors
    /// Never: what is left of it where the trace ends.
    pub(super) fn departure(&mut self, now: Instant, from: Instant, len: Bytes) -> Result<Instant, Work> {
        match self.trace.points() {
            TracePoints::Rates(_) => self.by_rates(from, work(len)),
            TracePoints::Opportunities(_) => self.by_opportunities(now, len),
        }
    }

    fn by_rates(&mut self, mut from: Instant, mut left: Work) -> Result<Instant, Work> {
        self.skip_to(from);
        while let Some(next) = self.next_at().filter(|next| *next <= from) {
            self.take(next);
        }
        loop {
            let bps = u128::from(self.rate.bps());
            let span = (bps > 0).then(|| nanos(left.div_ceil(bps)));
            match (span.map(|span| from.saturating_add(span)), self.next_at()) {
                (Some(departure), next) if next.is_none_or(|next| departure <= next) => {
                    return if departure < HORIZON { Ok(departure) } else { Err(left) };
                }
                (_, Some(next)) => {
                    left -= u128::from((next - from).as_nanos()) * bps;
                    from = next;
                    self.take(next);
                    if self.next == 1 {
                        (from, left) = self.skip_periods(from, left);
                    }
                    if from >= HORIZON {
                        return Err(left);
                    }
                }
                (_, None) => return Err(left),
            }
        }
    }

    /// Of what is sent from the first point on, whole periods are passed over at once.
    fn skip_periods(&mut self, from: Instant, left: Work) -> (Instant, Work) {
        let (Some(each), Some(period)) = (self.per_period, self.trace.period()) else { return (from, left) };
        let periods = left.saturating_sub(1) / each;
        let span = nanos(periods.saturating_mul(period.as_nanos().into()));
        self.shift = self.shift.saturating_add(span.as_nanos());
        (from.saturating_add(span), left - periods * each)
    }

    fn by_opportunities(&mut self, now: Instant, len: Bytes) -> Result<Instant, Work> {
        let (mut at, mut usable) = self.opportunity;
        if at <= now {
            usable = Bytes::ZERO;
            self.skip_to(now);
            while let Some(next) = self.next_at().filter(|next| *next <= now) {
                self.take(next);
            }
        }
        let mut left = len;
        while usable < left {
            left -= usable;
            let Some(next) = self.next_at() else {
                self.opportunity = (Instant::FAR_FUTURE, Bytes::ZERO);
                return Err(work(left));
            };
            (at, usable) = (next, self.take(next));
        }
        self.opportunity = (at, usable - left);
        Ok(at)
    }

    /// When the next point comes; `None` after the last one, and beyond [`HORIZON`].
    fn next_at(&self) -> Option<Instant> {
        let at = match self.trace.points() {
            TracePoints::Rates(points) => points.get(self.next)?.0,
            TracePoints::Opportunities(points) => points.get(self.next)?.0,
        };
        Some(at.saturating_add(Duration::from_nanos(self.shift))).filter(|at| *at < HORIZON)
    }

    /// Takes the next point, and returns the bytes of an opportunity.
    fn take(&mut self, at: Instant) -> Bytes {
        let (bytes, count) = match self.trace.points() {
            TracePoints::Rates(points) => {
                self.rate = points[self.next].1;
                (Bytes::ZERO, points.len())
            }
            TracePoints::Opportunities(points) => (points[self.next].1, points.len()),
        };
        self.opportunity = (at, bytes);
        self.next += 1;
        if self.next == count
            && let Some(period) = self.trace.period()
        {
            self.next = 0;
            self.shift = self.shift.saturating_add(period.as_nanos());
        }
        bytes
    }

    /// Passes over whole periods that end by `now`.
    fn skip_to(&mut self, now: Instant) {
        if let (Some(next), Some(period)) = (self.next_at(), self.trace.period()) {
            let periods = now.saturating_since(next).div_floor(period);
            self.shift = self.shift.saturating_add(period.saturating_mul(periods).as_nanos());
        }
    }
}

fn nanos(span: u128) -> Duration {
    Duration::from_nanos(u64::try_from(span).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;

//! The timers of an endpoint: one table, keyed by what the timer is for.

use ackless_wire::{Duration, Instant};

/// What a timer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// Something sent is not acknowledged in time (RFC 6298).
    Retransmit,
    /// The peer's window is closed, or too small to be worth using (RFC 9293, 3.8.6.1 and 3.8.6.2.1).
    Persist,
    /// An acknowledgement has been held long enough (RFC 9293, 3.8.6.3).
    DelayedAck,
    /// A gap in packet numbers counts as a loss (TACK, VIII).
    Settle,
    /// The connection has been in TIME-WAIT long enough (RFC 9293, 3.6.1).
    TimeWait,
    /// The next segment may leave.
    Pace,
    /// What was sent before something that has been delivered is lost by now (RFC 8985, 6.2).
    Reorder,
    /// The end of what is out may be lost: a probe is due (RFC 8985, 7.2).
    TailProbe,
}

/// When each timer fires. Moving and stopping a timer is one store.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    at: [Instant; Timer::ALL.len()],
    /// The earliest time at which any was armed since [`Self::take_armed`], stopped since or not.
    armed: Instant,
}

impl Timer {
    /// All timers, in the order in which those due at the same time fire: a probe of the tail comes before the timeout that
    /// it puts off.
    pub const ALL: [Self; 8] = [
        Self::Reorder,
        Self::TailProbe,
        Self::Retransmit,
        Self::Persist,
        Self::DelayedAck,
        Self::Settle,
        Self::TimeWait,
        Self::Pace,
    ];
}

impl Timers {
    /// None armed.
    pub(crate) const fn new() -> Self {
        Self { at: [Instant::FAR_FUTURE; Timer::ALL.len()], armed: Instant::FAR_FUTURE }
    }

    /// Fires `timer` at `at`, and at no other time.
    pub(crate) fn arm(&mut self, timer: Timer, at: Instant) {
        self.at[timer as usize] = at;
        self.armed = self.armed.min(at);
    }

    /// Stops `timer`.
    pub(crate) const fn stop(&mut self, timer: Timer) {
        self.at[timer as usize] = Instant::FAR_FUTURE;
    }

    /// Stops all.
    pub(crate) const fn stop_all(&mut self) {
        *self = Self::new();
    }

    /// No timer that was armed since the last call fires before this.
    pub(crate) const fn take_armed(&mut self) -> Instant {
        std::mem::replace(&mut self.armed, Instant::FAR_FUTURE)
    }

    /// What it would say.
    pub(crate) const fn armed(&self) -> Instant {
        self.armed
    }

    /// Whether `timer` will fire.
    pub(crate) fn is_armed(&self, timer: Timer) -> bool {
        self.at[timer as usize] != Instant::FAR_FUTURE
    }

    /// When `timer` fires; [`Instant::FAR_FUTURE`] if it is not armed.
    pub(crate) const fn at(&self, timer: Timer) -> Instant {
        self.at[timer as usize]
    }

    /// When the first timer fires.
    pub(crate) fn earliest(&self) -> Option<Instant> {
        let first = self.at.iter().fold(Instant::FAR_FUTURE, |first, &at| first.min(at));
        (first != Instant::FAR_FUTURE).then_some(first)
    }

    /// Stops `timer` and says so, if it was due by `now`.
    pub(crate) fn take_due(&mut self, timer: Timer, now: Instant) -> bool {
        // What is not armed is due at no time, not even in the far future.
        let due = self.at[timer as usize] < now.saturating_add(Duration::from_nanos(1));
        if due {
            self.stop(timer);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_timer_wakes_and_a_due_one_fires_once() {
        let mut timers = Timers::new();
        assert_eq!(timers.earliest(), None);
        timers.arm(Timer::Retransmit, Instant::from_millis(200));
        timers.arm(Timer::DelayedAck, Instant::from_millis(40));
        assert_eq!(timers.earliest(), Some(Instant::from_millis(40)));
        let now = Instant::from_millis(40);
        assert!(!timers.take_due(Timer::Retransmit, now));
        assert!(timers.take_due(Timer::DelayedAck, now));
        assert!(!timers.take_due(Timer::DelayedAck, now));
        assert_eq!(timers.earliest(), Some(Instant::from_millis(200)));
    }
}

//! What a host remembers of TACK on the way to a destination, from one connection to the next.
//!
//! An endpoint says what came of TACK on its connection ([`Endpoint::tack_verdict`](crate::Endpoint::tack_verdict)); a host that wants to keeps a [`Memory`] for each
//! destination, tells it, and asks it before it offers TACK again ([`Config::tack`](crate::Config::tack)). Time is the host's.

use ackless_wire::{Duration, Instant};

/// What came of TACK on a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was not in force, or nothing has been heard that shows that it works.
    Untold,
    /// Reports have come through, or what their receiver says about them.
    Works,
    /// It was given up, since plain segments pass and its own do not; or SYNs that offered it were not answered, and one that did not was.
    Fails,
}

/// What is known of the way to one destination.
///
/// After a failure TACK is not offered for a minute, after each further one in a row for twice as long, up to a day: as for fast open behind middleboxes that drop
/// it (RFC 7413, 4.1.3, leaves times to the host).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// In a row.
    failures: u32,
    since: Instant,
}

impl Memory {
    /// Whether a connection that begins at `now` should offer TACK.
    pub fn offers(&self, now: Instant) -> bool {
        self.failures == 0 || now >= self.since.saturating_add(self.pause())
    }

    /// A connection to the destination that began at `began` has come to this at `now`. What began before the last failure was known is no news beside it: connections that fail
    /// together are one failure, told of as often as may be, and one that worked before it does not undo it.
    pub fn learn(&mut self, began: Instant, now: Instant, verdict: Verdict) {
        if began < self.since {
            return;
        }
        match verdict {
            Verdict::Untold => {}
            Verdict::Works => self.failures = 0,
            Verdict::Fails => (self.failures, self.since) = (self.failures.saturating_add(1), now),
        }
    }

    /// How long nothing is offered after the last failure.
    fn pause(&self) -> Duration {
        (FIRST_PAUSE * (1 << self.failures.saturating_sub(1).min(20))).min(LONGEST_PAUSE)
    }
}

const FIRST_PAUSE: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_in_a_row_doubles_the_pause_up_to_a_day() {
        let mut memory = Memory::default();
        let mut now = Instant::from_secs(5);
        assert!(memory.offers(now));
        for minutes in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440] {
            memory.learn(now, now, Verdict::Fails);
            assert!(!memory.offers(now + Duration::from_secs(60 * minutes - 1)), "{minutes}");
            now += Duration::from_secs(60 * minutes);
            assert!(memory.offers(now), "{minutes}");
            memory.learn(now, now, Verdict::Untold);
        }
    }

    #[test]
    fn connections_that_fail_together_are_one_failure() {
        let mut memory = Memory::default();
        let second = Instant::from_secs;
        (0..10).for_each(|at| memory.learn(second(5), second(20 + at), Verdict::Fails));
        assert!(!memory.offers(second(79)));
        assert!(memory.offers(second(80)), "a minute after the first of them");
        // One that began after it is the next in a row; those beside it are no more.
        (0..10).for_each(|at| memory.learn(second(100), second(110 + at), Verdict::Fails));
        assert!(!memory.offers(second(229)));
        assert!(memory.offers(second(230)));
    }

    #[test]
    fn what_began_before_the_failure_does_not_undo_it() {
        let mut memory = Memory::default();
        let second = Instant::from_secs;
        memory.learn(second(5), second(20), Verdict::Fails);
        memory.learn(second(1), second(21), Verdict::Works);
        assert!(!memory.offers(second(22)));
    }

    #[test]
    fn what_failed_long_ago_is_no_failure_again_after_others_have_worked() {
        let mut memory = Memory::default();
        let second = Instant::from_secs;
        memory.learn(second(0), second(20), Verdict::Fails);
        for at in [81, 82] {
            // The first goes on, and is told of each time that another begins.
            memory.learn(second(0), second(at), Verdict::Fails);
            memory.learn(second(at - 1), second(at), Verdict::Works);
            assert!(memory.offers(second(at)), "{at}");
        }
    }

    #[test]
    fn where_it_works_all_is_forgotten() {
        let mut memory = Memory::default();
        let now = Instant::from_secs(5);
        (0..9).for_each(|_| memory.learn(now, now, Verdict::Fails));
        memory.learn(now, now, Verdict::Works);
        assert!(memory.offers(now));
        memory.learn(now, now, Verdict::Fails);
        assert!(memory.offers(now + Duration::from_secs(60)));
    }
}

//! How the receiver spaces its reports: how long it holds back what has come.

use ackless_wire::Duration;

use super::filter::Filter;
use crate::ack::tack::{TAIL, longest_hold};
use crate::tack::body::Report;

/// How long the receiver has held packets back before it reported them, at most, in the last ten rounds. It may acknowledge by a rule of its own, of which it tells
/// nothing.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    seen: Filter<Duration, 10>,
}

impl Hold {
    pub(super) const fn new() -> Self {
        Self { seen: Filter::new() }
    }

    /// A report of this round came that tells of something new.
    pub(super) fn on_report(&mut self, round: u64, report: &Report) {
        self.seen.advance(round);
        self.seen.put(report.delay.max(report.largest_delay).min(LONGEST));
    }

    /// The time between two reports, as it is: `in_force` by the receiver's own word, unless it holds packets back for much longer. Nothing while every packet is
    /// acknowledged.
    pub(super) fn interval(&self, in_force: Duration) -> Option<Duration> {
        let in_force = in_force.min(LONGEST);
        let seen = self.seen.best().filter(|&seen| seen > TAIL.max(in_force * 2)).unwrap_or_default();
        Some(in_force.max(seen)).filter(|interval| !interval.is_zero())
    }

    /// How long it may hold the last of what was sent, where 1/f was `told`: as agreed, or as it has done.
    pub(super) fn longest(&self, told: Option<Duration>) -> Duration {
        told.map_or(Duration::ZERO, longest_hold).max(self.seen.best().unwrap_or_default())
    }
}

/// The longest that an acknowledgement may be delayed (RFC 9293, 3.8.6.3): nobody makes us wait longer.
pub(super) const LONGEST: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn held(millis: u64) -> Report {
        Report { delay: MS(millis), ..Report::default() }
    }

    #[test]
    fn a_receiver_with_a_rule_of_its_own_is_known_by_what_it_has_held() {
        let mut hold = Hold::new();
        assert_eq!((hold.interval(Duration::ZERO), hold.longest(None)), (None, Duration::ZERO));
        assert_eq!((hold.interval(MS(10)), hold.longest(Some(MS(10)))), (Some(MS(10)), MS(40)));
        // 40 ms is what the end of a burst waits for anyone.
        hold.on_report(1, &held(40));
        assert_eq!(hold.interval(MS(10)), Some(MS(10)));
        hold.on_report(1, &held(41));
        assert_eq!((hold.interval(MS(10)), hold.interval(MS(21))), (Some(MS(41)), Some(MS(21))));
        assert_eq!((hold.longest(Some(MS(10))), hold.longest(Some(MS(50)))), (MS(41), MS(50)));
        hold.on_report(2, &held(10_000));
        assert_eq!((hold.interval(MS(10)), hold.longest(None)), (Some(MS(500)), MS(500)));
        hold.on_report(12, &held(1));
        assert_eq!((hold.interval(MS(10)), hold.longest(Some(MS(10)))), (Some(MS(10)), MS(40)), "ten rounds later");
    }
}

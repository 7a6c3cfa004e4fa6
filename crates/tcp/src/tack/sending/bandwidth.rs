//! bw: the greatest delivery rate that receivers have reported lately (paper, VI-C and VI-D).

use ackless_wire::{BitRate, Duration, Instant};

use super::filter::Filter;
use crate::tack::time::RateTime;

/// The greatest delivery rate of the last ten round trips: the 40 TACK intervals of VI-D where beta / RTTmin bounds f.
///
/// A rate that was measured while the application kept the sender waiting counts only if it is greater than what is known
/// (VI-D asks for rates "when the system is not application-limited"; this is BBR's rule for it).
#[derive(Clone, Debug)]
pub(crate) struct Bandwidth {
    rates: Filter<BitRate, ROUNDS>,
    time: RateTime,
    dry: Option<Dry>,
}

/// A time without data to send, of which the reports to come bear traces.
#[derive(Clone, Copy, Debug)]
struct Dry {
    /// The number of the first transmission after it began.
    first: u64,
    /// The number of the first transmission after it last began.
    last: u64,
    /// When a report showed the arrival of `last`.
    over: Option<Instant>,
}

impl Bandwidth {
    /// No rate is known.
    pub(crate) const fn new() -> Self {
        Self { rates: Filter::new(), time: RateTime::new(), dry: None }
    }

    /// The sender has nothing to send though it might send more; `next` is the number of its next transmission.
    pub(crate) fn on_dry(&mut self, next: u64) {
        match &mut self.dry {
            Some(dry) => (dry.last, dry.over) = (next, None),
            None => self.dry = Some(Dry { first: next, last: next, over: None }),
        }
    }

    /// A report came that tells of packets up to `largest`, with what was delivered in the last `span`. Whether the application
    /// limited what it measured: so it is from the last transmission before the sender ran dry until nothing that arrived
    /// before the next one is within the span.
    pub(crate) fn is_limited(&mut self, now: Instant, largest: u64, span: Duration) -> bool {
        let Some(dry) = &mut self.dry else { return false };
        if largest >= dry.last {
            let over = *dry.over.get_or_insert(now);
            if now >= over.saturating_add(span) && over < now {
                self.dry = None;
                return false;
            }
        }
        largest + 1 >= dry.first
    }

    /// Takes a rate that was measured in this round.
    pub(crate) fn on_rate(&mut self, now: Instant, round: u64, rate: BitRate, limited: bool) {
        if limited && self.best().is_some_and(|best| rate <= best) {
            // What is known of the path stays: a silent application says nothing about it.
            return;
        }
        self.rates.advance(self.time.round(now, round, RateTime::LEAST));
        self.rates.put(rate);
    }

    /// bw.
    pub(crate) fn best(&self) -> Option<BitRate> {
        self.rates.best()
    }
}

const ROUNDS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[test]
    fn the_greatest_rate_of_ten_rounds_counts() {
        let mut bandwidth = Bandwidth::new();
        assert_eq!(bandwidth.best(), None);
        bandwidth.on_rate(at(40), 1, BitRate::from_mbps(20), false);
        for round in 2..11 {
            bandwidth.on_rate(at(40 * round), round, BitRate::from_mbps(10), false);
            assert_eq!(bandwidth.best(), Some(BitRate::from_mbps(20)));
        }
        bandwidth.on_rate(at(440), 11, BitRate::from_mbps(10), false);
        assert_eq!(bandwidth.best(), Some(BitRate::from_mbps(10)));
    }

    #[test]
    fn on_a_very_short_path_a_rate_counts_for_a_tenth_of_a_second() {
        let mut bandwidth = Bandwidth::new();
        bandwidth.on_rate(at(100), 1, BitRate::from_mbps(20), false);
        // Three round trips in each millisecond.
        for millis in 101..200 {
            bandwidth.on_rate(at(millis), 3 * millis - 300, BitRate::from_mbps(10), false);
            assert_eq!(bandwidth.best(), Some(BitRate::from_mbps(20)), "at {millis} ms");
        }
        bandwidth.on_rate(at(200), 300, BitRate::from_mbps(10), false);
        assert_eq!(bandwidth.best(), Some(BitRate::from_mbps(10)));
    }

    #[test]
    fn what_the_application_limits_counts_only_if_it_is_more() {
        let mut bandwidth = Bandwidth::new();
        bandwidth.on_rate(at(40), 1, BitRate::from_mbps(20), false);
        for round in 2..40 {
            bandwidth.on_rate(at(40 * round), round, BitRate::from_mbps(1), true);
        }
        assert_eq!(bandwidth.best(), Some(BitRate::from_mbps(20)));
        bandwidth.on_rate(at(1_600), 40, BitRate::from_mbps(30), true);
        assert_eq!(bandwidth.best(), Some(BitRate::from_mbps(30)));
    }

    #[test]
    fn a_pause_limits_what_is_measured_from_its_beginning_until_two_intervals_after_its_end() {
        let mut bandwidth = Bandwidth::new();
        let span = Duration::from_millis(10);
        assert!(!bandwidth.is_limited(at(1), 5, span));
        // 1 to 10 are out, and nothing more is written.
        bandwidth.on_dry(11);
        assert!(!bandwidth.is_limited(at(5), 9, span), "not all that was sent before has arrived");
        assert!(bandwidth.is_limited(at(8), 10, span), "then silence");
        assert!(bandwidth.is_limited(at(30), 14, span));
        assert!(bandwidth.is_limited(at(39), 20, span));
        assert!(!bandwidth.is_limited(at(40), 21, span));
        assert!(!bandwidth.is_limited(at(41), 22, span));
    }

    #[test]
    fn pauses_that_follow_each_other_are_one() {
        let mut bandwidth = Bandwidth::new();
        let span = Duration::from_millis(10);
        bandwidth.on_dry(11);
        assert!(bandwidth.is_limited(at(20), 11, span));
        bandwidth.on_dry(13);
        assert!(bandwidth.is_limited(at(29), 12, span));
        assert!(bandwidth.is_limited(at(40), 13, span));
        assert!(!bandwidth.is_limited(at(50), 14, span));
    }
}

//! The usual round trip: what one takes when the path is as it mostly is, the queues that stand on it included.

use ackless_wire::Duration;

/// The least round trip of each of the last rounds, of which the lower quartile counts: a single queue that stood for some rounds does not
/// show in it, and one that stands in most does.
#[derive(Clone, Debug)]
pub(crate) struct Usual {
    least: [Duration; ROUNDS],
    /// How many of them are known, and the place of the present round.
    known: usize,
    at: usize,
    round: u64,
}

impl Usual {
    /// No round trip is known.
    pub(crate) const fn new() -> Self {
        Self { least: [Duration::ZERO; ROUNDS], known: 0, at: 0, round: 0 }
    }

    /// A round trip of `round` took `rtt`.
    pub(crate) fn on_sample(&mut self, round: u64, rtt: Duration) {
        if self.known > 0 && round == self.round {
            self.least[self.at] = self.least[self.at].min(rtt);
            return;
        }
        self.at = if self.known == 0 { 0 } else { (self.at + 1) % ROUNDS };
        self.known = (self.known + 1).min(ROUNDS);
        (self.least[self.at], self.round) = (rtt, round);
    }

    /// A quarter of the rounds had no more.
    pub(crate) fn lower_quartile(&self) -> Option<Duration> {
        let mut sorted = self.least;
        let known = &mut sorted[..self.known];
        known.sort_unstable();
        known.get(known.len().saturating_sub(1) / 4).copied()
    }
}

const ROUNDS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_last_sixteen_rounds_had_no_more() {
        let mut usual = Usual::new();
        assert_eq!(usual.lower_quartile(), None);
        // 1, 2, 3, ... ms, each round with a longer sample too.
        for round in 1..=40 {
            usual.on_sample(round, Duration::from_millis(round));
            usual.on_sample(round, Duration::from_millis(900));
            let first = round.saturating_sub(15).max(1);
            let expected = first + (round - first) / 4;
            assert_eq!(usual.lower_quartile(), Some(Duration::from_millis(expected)), "round {round}");
        }
    }

    #[test]
    fn a_queue_that_stood_for_less_than_three_quarters_of_the_rounds_does_not_show() {
        let mut usual = Usual::new();
        for round in 0..16 {
            usual.on_sample(round, Duration::from_millis(if round < 5 { 20 } else { 200 }));
        }
        assert_eq!(usual.lower_quartile(), Some(Duration::from_millis(20)));
        for round in 16..18 {
            usual.on_sample(round, Duration::from_millis(200));
        }
        assert_eq!(usual.lower_quartile(), Some(Duration::from_millis(200)), "of twelve of sixteen");
    }
}

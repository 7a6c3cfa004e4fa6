//! A longer path that one probe has found.
//!
//! It may be the queue of others, which a probe cannot empty. But that one becomes longer or shorter, and a path does not: so eight rounds later, in which everybody's share of the queue has changed, there is another probe, and a path is what both say within 2 %.
//! Until then the new round trip counts, since a path that is four times as long must not be starved for so long. Where the probes differ, there is another one; after three that differ from the one before, and at once where round
//! trips are short again, it was a queue, and RTTmin is what it was, or what was seen since.

use ackless_wire::Duration;

use super::is_short;

/// What was found, and what is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Doubt {
    /// RTTmin as it was.
    before: Duration,
    /// What the latest probe has found.
    found: Duration,
    /// Since that one.
    rounds: u32,
    /// So many have differed from the one before them.
    differed: u32,
}

/// What another probe says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// The path is as long as that.
    Path(Duration),
    /// It was a queue, and RTTmin is as before.
    Queue(Duration),
    /// Neither yet.
    Unclear(Doubt),
}

impl Doubt {
    /// A probe has found this, where RTTmin was that `before`.
    pub(super) const fn new(before: Duration, found: Duration) -> Self {
        Self { before, found, rounds: 0, differed: 0 }
    }

    /// RTTmin as it was.
    pub(super) const fn before(self) -> Duration {
        self.before
    }

    /// What counts until it is known.
    pub(super) const fn found(self) -> Duration {
        self.found
    }

    /// A round is over: whether to probe again.
    pub(super) const fn wants_another(&mut self) -> bool {
        self.rounds += 1;
        self.rounds >= ROUNDS
    }

    /// Whether a round trip is longer than what the probe before this one has found.
    pub(super) fn is_beyond(self, rtt: Duration) -> bool {
        rtt * 50 > self.found * 51
    }

    /// Another probe has found this, where no round trip since the one before was shorter than `least`: no path is longer than what a packet needed.
    pub(super) fn judge(self, probed: Duration, least: Duration) -> Verdict {
        let probed = probed.min(least);
        let again = Self { found: probed, rounds: 0, differed: self.differed + 1, ..self };
        if !self.is_beyond(probed) && !again.is_beyond(self.found) {
            Verdict::Path(probed)
        } else if is_short(probed, self.before) || again.differed >= MOST_THAT_DIFFER {
            Verdict::Queue(self.before.min(least))
        } else {
            Verdict::Unclear(again)
        }
    }
}

/// Between two probes.
const ROUNDS: u32 = 8;
const MOST_THAT_DIFFER: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn what_two_probes_say_within_2_percent_is_the_path() {
        let doubt = Doubt::new(ms(20), ms(100));
        for (again, path) in [(102, true), (103, false), (99, true), (98, false)] {
            let verdict = doubt.judge(ms(again), Duration::MAX);
            assert_eq!(verdict == Verdict::Path(ms(again)), path, "{again} ms: {verdict:?}");
            assert_eq!(matches!(verdict, Verdict::Unclear(_)), !path, "{again} ms");
        }
    }

    #[test]
    fn what_is_short_again_was_a_queue() {
        for (again, queue) in [(30, true), (31, false)] {
            let verdict = Doubt::new(ms(20), ms(100)).judge(ms(again), Duration::MAX);
            assert_eq!(verdict == Verdict::Queue(ms(20)), queue, "{again} ms: {verdict:?}");
        }
    }

    #[test]
    fn after_three_probes_that_differ_it_was_a_queue() {
        let mut doubt = Doubt::new(ms(20), ms(100));
        for probed in [120, 140] {
            let Verdict::Unclear(again) = doubt.judge(ms(probed), Duration::MAX) else { panic!("{probed} ms") };
            assert_eq!((again.found(), again.before()), (ms(probed), ms(20)));
            doubt = again;
        }
        assert_eq!(doubt.judge(ms(160), Duration::MAX), Verdict::Queue(ms(20)));
        assert_eq!(doubt.judge(ms(141), Duration::MAX), Verdict::Path(ms(141)), "the last two agree");
    }

    #[test]
    fn another_probe_comes_eight_rounds_after_each() {
        let mut doubt = Doubt::new(ms(20), ms(100));
        for _ in 0..2 {
            assert!((1..8).all(|_| !doubt.wants_another()) && doubt.wants_another() && doubt.wants_another());
            let Verdict::Unclear(again) = doubt.judge(doubt.found() * 2, Duration::MAX) else { panic!("they differ") };
            doubt = again;
        }
    }
}

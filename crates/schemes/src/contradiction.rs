//! A receiver that does not know of what was acknowledged in its name.
//!
//! Link-layer answers are authenticated by nothing, and short checks let a wrong one in so many
//! through. So an ACK may pass that the receiver's TCP never sent, for data that it never got: the
//! sender has forgotten that data, the receiver goes on asking for it, and both repeat themselves
//! for ever. What shows it is the receiver's own word: a TCP never acknowledges less than it did
//! before (RFC 9293, 3.4), so that words below what was said in its name, again and again and
//! without progress, contradict that. The connection is then reset at both ends (`crate::resets`).
//!
//! A word may be late, and one that says as much as was said ends all doubt; so does progress,
//! since what was acknowledged too early may still arrive.

use ackless_wire::{Duration, Instant, SeqNumber};

/// Whether a receiver contradicts what was acknowledged in its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Contradiction(Option<Doubt>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Doubt {
    /// What the receiver says, and since when.
    ack: SeqNumber,
    since: Instant,
    words: u32,
}

impl Contradiction {
    /// No doubt.
    pub(crate) const NONE: Self = Self(None);

    /// The receiver acknowledges up to `ack`, and its sender was told `told`. Returns whether it
    /// has contradicted that for at least `patience`.
    #[inline]
    pub(crate) fn hears(&mut self, now: Instant, ack: SeqNumber, told: SeqNumber, patience: Duration) -> bool {
        if ack.before(told) {
            return self.hears_less(now, ack, patience);
        }
        self.end();
        false
    }

    /// There is no doubt.
    #[inline]
    pub(crate) const fn end(&mut self) {
        self.0 = None;
    }

    #[inline(never)]
    fn hears_less(&mut self, now: Instant, ack: SeqNumber, patience: Duration) -> bool {
        let doubt = self.0.get_or_insert(Doubt { ack, since: now, words: 0 });
        if ack.after(doubt.ack) {
            *doubt = Doubt { ack, since: now, words: 0 };
        }
        doubt.words += 1;
        doubt.words >= LEAST_WORDS && now.saturating_since(doubt.since) >= patience
    }
}

/// Where nothing but a TCP stands between a MAC and what it says, its words are late by no more
/// than a queue: that long without progress is no delay.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// One word may be an old one, and so may the next.
const LEAST_WORDS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn hears(doubt: &mut Contradiction, millis: u64, ack: u32, told: u32) -> bool {
        doubt.hears(Instant::from_millis(millis), SeqNumber(ack), SeqNumber(told), PATIENCE)
    }

    #[test]
    fn it_takes_three_words_without_progress_over_all_of_the_time() {
        // The numbers wrap.
        let (ack, told) = (u32::MAX - 5, 10);
        let mut doubt = Contradiction::default();
        assert!(!hears(&mut doubt, 0, ack, told) && !hears(&mut doubt, 4_000, ack, told), "two words");
        assert!(hears(&mut doubt, 4_001, ack, told));
        let mut doubt = Contradiction::default();
        assert!((0..3_000).all(|millis| !hears(&mut doubt, millis, ack, told)), "not long enough");
        assert!(hears(&mut doubt, 3_000, ack, told));
    }

    #[test]
    fn progress_and_a_word_that_says_as_much_end_the_doubt() {
        for (word, told) in [(2, 10), (10, 10), (11, 10)] {
            let mut doubt = Contradiction::default();
            assert!((0..3).all(|n| !hears(&mut doubt, 900 * n, 1, told)));
            assert!(!hears(&mut doubt, 2_999, word, told));
            assert!((3_000..5_999).step_by(100).all(|millis| !hears(&mut doubt, millis, word.min(9), told)));
        }
    }

    #[test]
    fn an_older_word_is_no_progress() {
        let mut doubt = Contradiction::default();
        let words = [5, 4, 5].into_iter().zip([0, 1_000, 3_000]);
        assert_eq!(
            words.map(|(ack, millis)| hears(&mut doubt, millis, ack, 10)).collect::<Vec<_>>(),
            [false, false, true]
        );
    }
}

//! How long round trips lately were.

use ackless_wire::{Duration, Instant};

/// The longest that the least round trip of a round was in the last five to ten seconds, in two halves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lately {
    halves: [Duration; 2],
    /// When the latter of them began; nothing before the first round.
    began: Option<Instant>,
}

impl Lately {
    pub(super) const fn new() -> Self {
        Self { halves: [Duration::ZERO; 2], began: None }
    }

    /// A round is over whose least round trip was this.
    pub(super) fn take(&mut self, now: Instant, least: Duration) {
        let began = *self.began.get_or_insert(now);
        if now.saturating_since(began) > HALF {
            self.halves = [self.halves[1], Duration::ZERO];
            self.began = Some(now);
        }
        self.halves[1] = self.halves[1].max(least);
    }

    /// Nothing before half of the time is over.
    pub(super) fn longest(&self) -> Option<Duration> {
        let [before, now] = self.halves;
        (!before.is_zero()).then_some(before.max(now))
    }
}

/// Half of the time in which round trips are what they lately were.
const HALF: Duration = Duration::from_secs(5);

//! What flows had delivered at times on the way, so that a window which ends before its time has halves too.

use ackless_wire::{Bytes, Duration, Instant};

/// Between [`FEWEST`] and twice as many marks, equally far apart, whatever time has passed once it is [`FEWEST`] times [`FIRST_APART`], which is 6.4 ms; fewer before.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    from: Instant,
    apart: Duration,
    /// What each flow had delivered, at each mark.
    delivered: Vec<Vec<Bytes>>,
}

impl Marks {
    /// For a window that begins at `from`, where nothing has been delivered.
    pub(super) fn new(from: Instant) -> Self {
        Self { from, apart: FIRST_APART, delivered: Vec::new() }
    }

    /// When the next one is due.
    pub(super) fn next(&self) -> Instant {
        self.at(self.delivered.len() + 1)
    }

    /// At that time this was delivered.
    pub(super) fn push(&mut self, delivered: impl Iterator<Item = Bytes>) {
        self.delivered.push(delivered.collect());
        if self.delivered.len() == 2 * FEWEST {
            let mut n = 0;
            self.delivered.retain(|_| {
                n += 1;
                n % 2 == 0
            });
            self.apart = self.apart * 2;
        }
    }

    /// The mark that is nearest to a time before the next one, and what was delivered by then; where the window begins, that is nothing.
    pub(super) fn nearest(&self, time: Instant) -> (Instant, impl Iterator<Item = Bytes> + '_) {
        let number = (time.saturating_since(self.from) + self.apart / 2).div_floor(self.apart) as usize;
        let number = number.min(self.delivered.len());
        let delivered = number.checked_sub(1).map(|place| self.delivered[place].iter().copied());
        (self.at(number), delivered.into_iter().flatten().chain(std::iter::repeat(Bytes::ZERO)))
    }

    fn at(&self, number: usize) -> Instant {
        self.from + self.apart * number as u64
    }
}

/// How far apart marks are at first.
const FIRST_APART: Duration = Duration::from_micros(100);
/// So many there are at least once as much time has passed: the middle is met within a 128th of the window.
const FEWEST: usize = 64;

//! The greatest value of a window that moves on, in constant space.

/// Remembers the greatest value of the last `N` stretches of time, the current one included.
///
/// Time is counted by its owner, in rounds or in tenths of a window: a value counts for between N - 1 and N stretches.
#[derive(Clone, Debug)]
pub(crate) struct Filter<T, const N: usize> {
    best: [Option<T>; N],
    /// The current stretch.
    now: u64,
}

impl<T: Copy + Ord, const N: usize> Filter<T, N> {
    pub(crate) const fn new() -> Self {
        Self { best: [None; N], now: 0 }
    }

    /// Stretch `now` has begun, if it had not: what is too old goes.
    pub(crate) fn advance(&mut self, now: u64) {
        if now <= self.now {
            return;
        }
        for past in self.now + 1..=now.min(self.now + N as u64) {
            self.best[past as usize % N] = None;
        }
        if now > self.now + N as u64 {
            self.best = [None; N];
        }
        self.now = now;
    }

    /// Takes a value of the current stretch.
    pub(crate) fn put(&mut self, value: T) {
        let slot = &mut self.best[self.now as usize % N];
        *slot = Some(slot.map_or(value, |best| best.max(value)));
    }

    /// The greatest value, if there is any.
    pub(crate) fn best(&self) -> Option<T> {
        self.best.iter().flatten().copied().max()
    }

    /// Whether the greatest value goes when the next stretch begins.
    pub(crate) fn is_about_to_go(&self) -> bool {
        let oldest = (self.now + 1) as usize % N;
        let others = self.best.iter().enumerate().filter(|&(at, _)| at != oldest).filter_map(|(_, &value)| value).max();
        self.best[oldest].is_some_and(|value| Some(value) > others)
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn it_agrees_with_a_search_through_all_that_came() {
        for seed in 0..200 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let mut filter = Filter::<u64, 10>::new();
            let (mut all, mut now) = (Vec::new(), 0);
            for _ in 0..300 {
                now += [0, 0, 1, 1, 2, 15][random.below(6) as usize];
                filter.advance(now);
                let expected = |ahead: u64| {
                    all.iter().filter(|&&(at, _)| at + 10 > now + ahead).map(|&(_, value): &(u64, u64)| value).max()
                };
                assert_eq!(filter.best(), expected(0), "seed {seed}");
                assert_eq!(filter.is_about_to_go(), expected(0) > expected(1), "seed {seed}");
                let value = random.below(50);
                all.push((now, value));
                filter.put(value);
            }
        }
    }
}

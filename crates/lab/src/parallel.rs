//! Many things at once, with results in the order of what was asked, and no thread idle while another has several things left.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::LabError;

/// Calls `work` for every one of `items` on `threads` threads (0: one for each core) and gives back the results in the
/// order of `items`. `done` is called after each, from any thread.
///
/// Each `alike` items in a row take about as long as each other. Of each such group one item goes first, the groups with the greatest `size` before others; then comes whatever
/// is left of the group that has taken longest, so that what runs last, when other threads have nothing left to do, is short.
///
/// # Errors
/// Where the threads cannot be started.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    alike: usize,
    size: impl Fn(&T) -> u64,
    threads: usize,
    done: &(dyn Fn() + Sync),
    work: impl Fn(&T) -> R + Sync,
) -> Result<Vec<R>, LabError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| LabError::Threads(threads, error.to_string()))?;
    let queue = Queue::new(items.chunks(alike.max(1)).map(|group| (group.len(), group.first().map_or(0, &size))));
    let results = pool.broadcast(|_| {
        let mut results = Vec::new();
        let _stop = StopOthers(&queue);
        while let Some((group, place)) = queue.next() {
            #[expect(clippy::disallowed_methods, reason = "how long an item takes decides nothing but what goes next")]
            let start = Instant::now();
            results.push((place, work(&items[place])));
            queue.note(group, start.elapsed());
            done();
        }
        results
    });
    let mut results: Vec<_> = results.into_iter().flatten().collect();
    results.sort_unstable_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// What is still to be done.
struct Queue(Mutex<Groups>);

/// Items that take about as long as each other, in groups.
struct Groups {
    all: Vec<Group>,
    /// The groups of which nothing is begun; the last one goes next.
    fresh: Vec<usize>,
    /// Those of which something is begun and something left, by how long one item takes; unknown counts as for ever: what is not done although others of its time are may be
    /// the longest of all.
    begun: BTreeSet<(Duration, Reverse<usize>)>,
}

struct Group {
    /// The items that nobody has begun, by their places.
    waiting: Range<usize>,
    /// How long one takes; unknown until one is done.
    takes: Option<Duration>,
}

/// What is left when one thread panics is left by all.
struct StopOthers<'a>(&'a Queue);

impl Queue {
    /// Groups of so many items in a row, with the size of one: how much there is to do for it, as far as one can tell beforehand.
    fn new(groups: impl Iterator<Item = (usize, u64)>) -> Self {
        let (mut all, mut sizes, mut from) = (Vec::new(), Vec::new(), 0);
        for (len, size) in groups {
            all.push(Group { waiting: from..from + len, takes: None });
            sizes.push(size);
            from += len;
        }
        let mut fresh: Vec<_> = (0..all.len()).filter(|&number| !all[number].waiting.is_empty()).collect();
        fresh.sort_by_key(|&number| (sizes[number], Reverse(number)));
        Self(Mutex::new(Groups { all, fresh, begun: BTreeSet::new() }))
    }

    /// The next item, with its group.
    fn next(&self) -> Option<(usize, usize)> {
        self.lock().next()
    }

    /// An item of this group took so long.
    fn note(&self, group: usize, took: Duration) {
        self.lock().note(group, took);
    }

    fn lock(&self) -> MutexGuard<'_, Groups> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Groups {
    fn next(&mut self) -> Option<(usize, usize)> {
        let number = self.fresh.pop().or_else(|| self.begun.pop_last().map(|(_, Reverse(number))| number))?;
        let place = self.all[number].waiting.next();
        self.keep(number);
        place.map(|place| (number, place))
    }

    fn note(&mut self, number: usize, took: Duration) {
        let known = self.all[number].takes;
        self.begun.remove(&(known.unwrap_or(Duration::MAX), Reverse(number)));
        self.all[number].takes = Some(known.map_or(took, |before| before.max(took)));
        self.keep(number);
    }

    /// A group that is begun stays as long as anything of it is left.
    fn keep(&mut self, number: usize) {
        let group = &self.all[number];
        if !group.waiting.is_empty() {
            self.begun.insert((group.takes.unwrap_or(Duration::MAX), Reverse(number)));
        }
    }

    fn clear(&mut self) {
        self.all.iter_mut().for_each(|group| group.waiting = 0..0);
        self.fresh.clear();
        self.begun.clear();
    }
}

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_and_each_item_is_done_once() {
        for (items, alike, threads) in [(0, 1, 2), (1, 3, 2), (20, 5, 1), (20, 1, 2), (23, 4, 3)] {
            let items: Vec<usize> = (0..items).collect();
            let count = std::sync::atomic::AtomicUsize::new(0);
            let done = || _ = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let squares =
                in_parallel(&items, alike, |n| *n as u64 % 3, threads, &done, |n| n * n).expect("threads start");
            assert_eq!(squares, items.iter().map(|n| n * n).collect::<Vec<_>>());
            assert_eq!(count.into_inner(), items.len());
        }
    }

    #[test]
    fn one_of_each_group_goes_first_the_largest_before_others_and_then_the_longest() {
        let queue = Queue::new([(3, 5), (3, 5), (3, 7)].into_iter());
        let mut order = Vec::new();
        let takes = [20, 50, 10].map(Duration::from_millis);
        while let Some((group, place)) = queue.next() {
            order.push(place);
            queue.note(group, takes[group]);
        }
        assert_eq!(order, [6, 0, 3, 4, 5, 1, 2, 7, 8]);
    }

    #[test]
    fn what_is_begun_and_not_done_counts_as_longest() {
        let queue = Queue::new([(2, 1), (2, 1)].into_iter());
        assert_eq!([queue.next(), queue.next()], [Some((0, 0)), Some((1, 2))]);
        queue.note(0, Duration::from_secs(100));
        assert_eq!(queue.next(), Some((1, 3)));
    }

    #[test]
    #[should_panic(expected = "item 1")]
    fn a_panic_ends_all() {
        let items: Vec<usize> = (0..100).collect();
        _ = in_parallel(&items, 1, |_| 0, 2, &|| {}, |n| assert!(*n != 1, "item {n}"));
    }
}

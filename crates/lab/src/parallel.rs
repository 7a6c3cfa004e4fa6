//! Many things at once, with results in the order of what was asked, and no thread idle while another has several things left.

use std::collections::VecDeque;
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
        while let Some((group, place)) = queue.lock().next() {
            #[expect(clippy::disallowed_methods, reason = "how long an item takes decides nothing but what goes next")]
            let start = Instant::now();
            results.push((place, work(&items[place])));
            queue.lock().note(group, start.elapsed());
            done();
        }
        results
    });
    let mut results: Vec<_> = results.into_iter().flatten().collect();
    results.sort_unstable_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// What is still to be done.
struct Queue(Mutex<Vec<Group>>);

/// Items that take about as long as each other.
struct Group {
    /// Those that nobody has begun, by their places.
    waiting: VecDeque<usize>,
    /// How much there is to do for each, as far as one can tell beforehand.
    size: u64,
    /// Whether one has been begun.
    begun: bool,
    /// How long one takes; unknown until one is done.
    takes: Option<Duration>,
}

/// What is left when one thread panics is left by all.
struct StopOthers<'a>(&'a Queue);

struct Waiting<'a>(MutexGuard<'a, Vec<Group>>);

impl Queue {
    /// Groups of so many items in a row, with the size of one.
    fn new(groups: impl Iterator<Item = (usize, u64)>) -> Self {
        let mut from = 0;
        let group = |(len, size)| {
            let waiting = (from..from + len).collect();
            from += len;
            Group { waiting, size, begun: false, takes: None }
        };
        Self(Mutex::new(groups.map(group).collect()))
    }

    fn lock(&self) -> Waiting<'_> {
        Waiting(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Waiting<'_> {
    /// The next item, with its group.
    fn next(mut self) -> Option<(usize, usize)> {
        // What is not done yet although others of its time are may be the longest of all.
        let urgency = |group: &Group| match group.begun {
            false => (true, group.size, Duration::MAX),
            true => (false, 0, group.takes.unwrap_or(Duration::MAX)),
        };
        let waiting = self.0.iter().enumerate().filter(|(_, group)| !group.waiting.is_empty());
        let (number, _) = waiting.rev().max_by_key(|(_, group)| urgency(group))?;
        let group = &mut self.0[number];
        group.begun = true;
        group.waiting.pop_front().map(|place| (number, place))
    }

    fn note(mut self, group: usize, took: Duration) {
        let group = &mut self.0[group];
        group.takes = Some(group.takes.map_or(took, |before| before.max(took)));
    }
}

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().0.iter_mut().for_each(|group| group.waiting.clear());
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
        while let Some((group, place)) = queue.lock().next() {
            order.push(place);
            queue.lock().note(group, takes[group]);
        }
        assert_eq!(order, [6, 0, 3, 4, 5, 1, 2, 7, 8]);
    }

    #[test]
    fn what_is_begun_and_not_done_counts_as_longest() {
        let queue = Queue::new([(2, 1), (2, 1)].into_iter());
        assert_eq!([queue.lock().next(), queue.lock().next()], [Some((0, 0)), Some((1, 2))]);
        queue.lock().note(0, Duration::from_secs(100));
        assert_eq!(queue.lock().next(), Some((1, 3)));
    }

    #[test]
    #[should_panic(expected = "item 1")]
    fn a_panic_ends_all() {
        let items: Vec<usize> = (0..100).collect();
        _ = in_parallel(&items, 1, |_| 0, 2, &|| {}, |n| assert!(*n != 1, "item {n}"));
    }
}

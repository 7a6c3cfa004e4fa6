//! Which rates are tried beside those in use.

use ackless_wire::random::Stream;
use ackless_wire::{Duration, Instant};

use super::groups::{Group, RATES};
use super::index::Index;
use super::{Minstrel, ONE};

/// In which order rates of a group are tried at random: columns, each a permutation of all places. A host has one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampleTable([[u8; RATES]; COLUMNS]);

/// What waits to be tried.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    table: SampleTable,
    /// Faster ones, the slowest of each group; any faster ones; and some between the fastest and the slowest in use.
    kinds: [Category; 3],
    /// How far it has come in [`TURNS`].
    turn: usize,
    /// None is tried before.
    next: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Category {
    waiting: [Option<Index>; WAITING],
    /// The last group that was looked at.
    group: usize,
}

/// Which rates are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Increment,
    Jump,
    Slow,
}

/// From one rate that is tried to the next, at least.
const INTERVAL: Duration = Duration::from_millis(20);
/// Rates of a kind that wait at most.
const WAITING: usize = 5;
const COLUMNS: usize = 10;
/// Whose turn it is.
const TURNS: [Kind; 6] = [Kind::Increment, Kind::Jump, Kind::Increment, Kind::Jump, Kind::Increment, Kind::Slow];

impl SampleTable {
    /// A random table. Each place goes into a random line, or into the next free one.
    pub fn new(random: &mut Stream) -> Self {
        Self(std::array::from_fn(|_| {
            let mut column = [None; RATES];
            for place in 0..RATES as u8 {
                // A random byte is added, so that the first six places are a little more likely than the last four.
                let mut line = (usize::from(place) + random.below(256) as usize) % RATES;
                while column[line].is_some() {
                    line = (line + 1) % RATES;
                }
                column[line] = Some(place);
            }
            column.map(|place| place.expect("as many places as lines"))
        }))
    }
}

impl Samples {
    pub(super) fn new(table: SampleTable, groups: &[Group]) -> Self {
        // The kernel starts behind its first group, which only a link of HT has.
        let group = if groups[0].is_kernels_first() { 0 } else { groups.len() - 1 };
        let category = Category { waiting: [None; WAITING], group };
        Self { table, kinds: [category; 3], turn: 0, next: Instant::ZERO }
    }

    /// The rate that is to be tried now, if one is due and waits.
    pub(super) fn due(&mut self, now: Instant) -> Option<Index> {
        if now < self.next {
            return None;
        }
        self.next = now + INTERVAL;
        let kind = TURNS[self.turn];
        self.turn = (self.turn + 1) % TURNS.len();
        self.kinds[kind as usize].waiting.iter_mut().find_map(Option::take)
    }
}

impl Category {
    /// Whether a rate waits; behind a gap none is seen.
    fn holds(&self, index: Index) -> bool {
        self.waiting.iter().map_while(|waiting| *waiting).any(|waiting| waiting == index)
    }

    /// Keeps those that are still `good`, moved to the front, and says how many. The kernel does not count one that need not be moved, so that the
    /// next takes its place.
    fn keep(&mut self, good: impl Fn(Index) -> bool) -> usize {
        let mut kept = 0;
        for place in 0..WAITING {
            let Some(index) = self.waiting[place] else { continue };
            if !good(index) {
                self.waiting[place] = None;
            } else if place != kept {
                self.waiting[kept] = Some(index);
                self.waiting[place] = None;
                kept += 1;
            }
        }
        kept
    }
}

impl Minstrel {
    /// After an update: what no longer fits is dropped, and places are filled anew.
    pub(super) fn refill_samples(&mut self, now: Instant) {
        let [top, second, likeliest] = [self.best[0], self.best[1], self.likeliest].map(|index| self.duration(index));
        let (fast, slow) = (top.min(second).min(likeliest), top.max(second).max(likeliest));
        let mut waiting = self.keep_samples(Kind::Increment, |duration| duration < fast);
        while waiting < WAITING {
            let next = self.next_increment(top);
            self.kind(Kind::Increment).waiting[waiting] = next;
            if next.is_none() {
                break;
            }
            waiting += 1;
        }
        let mut waiting = self.keep_samples(Kind::Jump, |duration| duration < fast);
        let mut slower = self.keep_samples(Kind::Slow, |duration| duration > fast && duration < slow);
        while waiting < WAITING {
            let next = self.next_jump(fast, slow, &mut slower);
            self.kind(Kind::Jump).waiting[waiting] = next;
            if next.is_none() {
                break;
            }
            waiting += 1;
        }
        self.samples.next = now;
    }

    fn kind(&mut self, kind: Kind) -> &mut Category {
        &mut self.samples.kinds[kind as usize]
    }

    fn keep_samples(&mut self, kind: Kind, good: impl Fn(u32) -> bool) -> usize {
        let mut category = self.samples.kinds[kind as usize];
        let kept = category.keep(|index| good(self.duration(index)));
        *self.kind(kind) = category;
        kept
    }

    /// The next group's slowest rate that is faster than `duration`, unless it waits already.
    fn next_increment(&mut self, duration: u32) -> Option<Index> {
        let category = self.samples.kinds[Kind::Increment as usize];
        for step in 1..=self.groups.len() {
            let n = (category.group + step) % self.groups.len();
            let Some(rate) = self.slowest_below(n, duration) else { continue };
            let index = Index { group: n as u8, rate };
            if !category.holds(index) {
                self.kind(Kind::Increment).group = n;
                return Some(index);
            }
        }
        None
    }

    /// A random rate of the next group that is faster than `fast`. Those between `fast` and `slow` that are found meanwhile wait as slow ones, where
    /// there is room (`slower` of them wait) and they have not arrived nearly always.
    fn next_jump(&mut self, fast: u32, slow: u32, slower: &mut usize) -> Option<Index> {
        let from = self.kind(Kind::Jump).group;
        for step in 1..=self.groups.len() {
            let n = (from + step) % self.groups.len();
            let longest = if *slower < WAITING { slow } else { fast };
            let Some(offset) = self.slowest_below(n, longest) else { continue };
            let Some(rate) = self.next_of_group(n, offset) else { continue };
            let index = Index { group: n as u8, rate };
            let duration = self.duration(index);
            let kind = if duration < fast { Kind::Jump } else { Kind::Slow };
            if self.kind(kind).holds(index) {
                continue;
            }
            if kind == Kind::Jump {
                self.kind(Kind::Jump).group = n;
                return Some(index);
            }
            if *slower < WAITING && duration < slow && self.stats(index).average <= ONE * 95 / 100 {
                self.kind(Kind::Slow).waiting[*slower] = Some(index);
                *slower += 1;
            }
        }
        None
    }

    /// The slowest rate of a group that is faster than `duration`.
    fn slowest_below(&self, n: usize, duration: u32) -> Option<u8> {
        let group = &self.groups[n];
        group.places().find(|&rate| group.durations[usize::from(rate)] < duration)
    }

    /// The next rate of a group in the order of the sample table, from this place up.
    fn next_of_group(&mut self, n: usize, offset: u8) -> Option<u8> {
        for _ in 0..RATES {
            let group = &mut self.groups[n];
            let (column, line) = group.sampled;
            let rate = self.samples.table.0[column][line];
            group.sampled = if line + 1 < RATES { (column, line + 1) } else { ((column + 1) % COLUMNS, 0) };
            if rate >= offset && group.rates[usize::from(rate)].is_some() {
                return Some(rate);
            }
        }
        None
    }
}

#[cfg(test)]
impl SampleTable {
    /// Its columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(<[u8; RATES]>::as_slice)
    }
}

#[cfg(test)]
impl Samples {
    /// What waits of each kind.
    pub(super) fn waiting(&self) -> [Vec<Index>; 3] {
        self.kinds.map(|category| category.waiting.into_iter().flatten().collect())
    }
}

//! What is known of each rate, and which are chosen for it.

use ackless_wire::Instant;

use super::index::Index;
use super::{BEST, Minstrel, ONE};

/// What is known of one rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Statistics {
    /// MPDUs sent since the last update.
    pub(super) attempts: u32,
    /// Those of them that were acknowledged.
    pub(super) successes: u32,
    /// Whether it has ever been tried, as of the last update.
    pub(super) known: bool,
    /// The average probability to arrive, in 1/4096, and the one before.
    pub(super) average: u32,
    pub(super) average_before: u32,
    /// The average packets that it gets through in 100 ms, as of the last update.
    throughput: u32,
    /// How often a chain tries it, once that has been worked out since the last update.
    tries: Option<Tries>,
}

/// How often a chain tries a rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tries {
    pub(super) bare: u32,
    pub(super) with_rts: u32,
}

impl Statistics {
    /// What has been counted goes into the average.
    fn settle(&mut self) {
        if let Some(share) = (self.successes * ONE).checked_div(self.attempts) {
            self.average = filtered(&mut self.average_before, self.average, share.max(1));
            self.known = true;
        }
        (self.attempts, self.successes, self.tries) = (0, 0, None);
    }
}

/// A low-pass filter of second order with a period of 16 updates, in place of a moving average.
fn filtered(before: &mut u32, average: u32, share: u32) -> u32 {
    if average == 0 {
        *before = share;
        return share;
    }
    let [share, last, before_that] = [share, average, *before].map(|n| n as i32);
    let next = (COEFFICIENTS[0] * share + COEFFICIENTS[1] * last + COEFFICIENTS[2] * before_that) >> 12;
    *before = average;
    if next < 0 { 1 } else { (next as u32).min(ONE) }
}

/// In 1/4096; they sum to one. With a = exp(-pi sqrt(2) / 16) the second is 2 a cos(2 pi sqrt(2) / 16) and the third -a^2.
const COEFFICIENTS: [i32; 3] = [ONE as i32 - 0x1499 + 0x92e, 0x1499, -0x92e];

impl Minstrel {
    pub(super) fn stats(&self, index: Index) -> &Statistics {
        &self.group(index).statistics[usize::from(index.rate)]
    }

    /// The statistics' interval is over.
    pub(super) fn update(&mut self, now: Instant) {
        self.average_length();
        let mut best = [Index::LOWEST; BEST];
        self.note_throughput(Index::LOWEST);
        for n in 0..self.groups.len() {
            self.settle_group(n, &mut best);
        }
        self.best = best;
        self.find_likeliest();
        self.refill_samples(now);
        self.updated = now;
    }

    /// An exponentially weighted average of the MPDUs in a PPDU, with a quarter for the new.
    fn average_length(&mut self) {
        if let Some(new) = (self.mpdus * ONE).checked_div(self.ppdus) {
            let (new, old) = (i64::from(new), i64::from(self.average_mpdus));
            self.average_mpdus = (old + 32 * (new - old) / 128) as u32;
            (self.mpdus, self.ppdus) = (0, 0);
        }
    }

    /// Settles the rates of a group, fastest first, and enters them among the `best` of all and of the group. One that was never tried is as likely
    /// as the likeliest faster one.
    fn settle_group(&mut self, n: usize, best: &mut [Index; BEST]) {
        let slowest = Index { group: n as u8, rate: 0 };
        let mut of_group = [slowest; BEST];
        // It stands for what has not been found yet, until its turn comes.
        self.note_throughput(slowest);
        let mut likeliest = 0;
        for rate in self.groups[n].places().rev() {
            let index = Index { group: n as u8, rate };
            let stats = self.groups[n].stats_mut(index);
            stats.settle();
            if stats.known {
                likeliest = likeliest.max(stats.average);
            } else {
                stats.average = likeliest.max(stats.average);
            }
            if self.note_throughput(index) > 0 {
                self.enter(index, best);
                self.enter(index, &mut of_group);
            }
        }
        self.groups[n].best = of_group;
    }

    /// Puts a rate where it belongs in a list by throughput, and by probability where that is equal.
    fn enter(&self, index: Index, list: &mut [Index; BEST]) {
        let rank = |index| {
            let stats = self.stats(index);
            (stats.throughput, stats.average)
        };
        let own = rank(index);
        let place = list.iter().rposition(|&other| own <= rank(other)).map_or(0, |last| last + 1);
        if place < BEST {
            list[place..].rotate_right(1);
            list[place] = index;
        }
    }

    /// The rate that is most likely to arrive, of all and of each group: the one of most throughput among those above 75 %, and else the likeliest.
    fn find_likeliest(&mut self) {
        let mut likeliest = Index::LOWEST;
        for n in 0..self.groups.len() {
            let mut of_group = Index { group: n as u8, rate: 0 };
            for rate in self.groups[n].places() {
                let index = Index { group: n as u8, rate };
                let (top, average) = (self.best[0], self.stats(index).average);
                if self.duration(top) > self.duration(index) && average < self.stats(top).average {
                    continue;
                }
                for chosen in [&mut likeliest, &mut of_group] {
                    let better = if average > ONE * 75 / 100 {
                        self.stats(index).throughput > self.stats(*chosen).throughput
                    } else {
                        average > self.stats(*chosen).average
                    };
                    if better {
                        *chosen = index;
                    }
                }
            }
            self.groups[n].likeliest = of_group;
        }
        self.likeliest = self.with_fewer_streams(likeliest);
    }

    /// Of the groups with fewer streams than the best rate has, the likeliest rate of most throughput, where there is one.
    fn with_fewer_streams(&self, mut likeliest: Index) -> Index {
        let mut most = 0;
        for group in self.groups.iter().filter(|group| group.streams < self.group(self.best[0]).streams) {
            let throughput = self.stats(group.likeliest).throughput;
            if throughput > most {
                (likeliest, most) = (group.likeliest, throughput);
            }
        }
        likeliest
    }

    /// Works out what a rate gets through, as it is known now.
    fn note_throughput(&mut self, index: Index) -> u32 {
        let throughput = self.throughput(index);
        self.group_mut(index).stats_mut(index).throughput = throughput;
        throughput
    }

    /// Average packets that a rate gets through in 100 ms: none below 10 %, and no more than at 90 %, since collisions come and go.
    pub(super) fn throughput(&self, index: Index) -> u32 {
        let average = self.stats(index).average;
        if average < ONE * 10 / 100 {
            return 0;
        }
        let mpdus = if self.group(index).legacy { 1 } else { self.usual_mpdus() };
        let nanos = 1_000 * self.overhead.bare / mpdus + self.duration(index);
        let average = u64::from(average.min(ONE * 90 / 100));
        ((100 * (average * 1_000_000 / u64::from(nanos))) >> 12) as u32
    }

    /// MPDUs in a PPDU on average, rounded down; at least one.
    const fn usual_mpdus(&self) -> u32 {
        self.average_mpdus >> 12
    }

    /// How often a chain tries a rate: at least twice, and so often as contention, overhead and data fit into 6 ms, at most seven times; once if it has
    /// less than 10 %.
    pub(super) fn tries(&mut self, index: Index) -> Tries {
        let stats = *self.stats(index);
        if let Some(tries) = stats.tries {
            return tries;
        }
        if stats.average < ONE / 10 {
            return Tries { bare: 1, with_rts: 1 };
        }
        let data = self.duration(index) * self.usual_mpdus() / 1_000;
        let (bare, with_rts) = (self.overhead.bare + data, self.overhead.with_rts + data);
        let mut contention = Contention { window: 15 };
        let first_two = contention.span() + contention.span();
        let (mut span, mut span_with_rts) = (first_two + 2 * bare, first_two + 2 * with_rts);
        let mut tries = Tries { bare: 2, with_rts: 2 };
        loop {
            let slots = contention.span();
            span += slots + bare;
            span_with_rts += slots + with_rts;
            if span_with_rts < SEGMENT {
                tries.with_rts += 1;
            }
            if span >= SEGMENT {
                break;
            }
            tries.bare += 1;
            if tries.bare >= MOST_TRIES {
                break;
            }
        }
        self.group_mut(index).stats_mut(index).tries = Some(tries);
        tries
    }
}

#[cfg(test)]
impl Minstrel {
    /// What was noted of each rate is what would be worked out now.
    pub(super) fn assert_throughputs(&self) {
        for (n, group) in self.groups.iter().enumerate() {
            for index in group.places().map(|rate| Index { group: n as u8, rate }) {
                assert_eq!(self.stats(index).throughput, self.throughput(index), "{index:?}");
            }
        }
    }
}

/// How long contention lasts, try by try, in microseconds: half a window of slots of 9 us, from 15 up to 1,023.
struct Contention {
    window: u32,
}

impl Contention {
    const fn span(&mut self) -> u32 {
        let span = 9 * self.window / 2;
        let wider = 2 * self.window + 1;
        self.window = if wider < 1_023 { wider } else { 1_023 };
        span
    }
}

/// How long one rate of a chain may be tried, in microseconds.
const SEGMENT: u32 = 6_000;
/// `max_rate_tries` where the hardware names none.
const MOST_TRIES: u32 = 7;

//! What the BBRs have in common: the model of the path that they build, and their gains.
//!
//! Sources: draft-cardwell-iccrg-bbr-congestion-control-00 (4.1 and 4.3 for the filters and the gains); for the
//! aggregation of acknowledgements, what Google presented at IETF 101 (iccrg, "BBR IETF 101 Update"), as Linux has it.

use std::collections::VecDeque;

use ackless_wire::{BitRate, Bytes, Duration, Instant};

/// What a rate or an amount is multiplied by, in 1024ths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gain(u32);

impl Gain {
    /// 2/ln 2 = 2.885: the least gain that doubles the rate in each round (draft, 4.3.2.1).
    pub(crate) const STARTUP: Self = Self(2955);
    /// Its inverse: takes the queue of Startup away within a round (draft, 4.3.3).
    pub(crate) const DRAIN: Self = Self(355);
    /// Asks for more bandwidth.
    pub(crate) const UP: Self = Self(1280);
    /// 1.15: so much has asking for 1.25 brought where there is more. Ours: the draft has no such test.
    pub(crate) const MORE: Self = Self(1178);
    /// Takes away the queue that this has made.
    pub(crate) const DOWN: Self = Self(768);
    /// Sends as fast as data is delivered.
    pub(crate) const CRUISE: Self = Self(1024);
    /// Nothing: what remains is a floor.
    pub(crate) const NONE: Self = Self(0);
    /// Two BDPs in flight, for acknowledgements that are delayed or lumped (draft, 4.2.3.2).
    pub(crate) const WINDOW: Self = Self(2048);
    /// Version 3 (draft-ietf-ccwg-bbr-06, 2.5): 4 ln 2 = 2.773, the least gain that doubles the rate in each round with two products in flight.
    pub(crate) const STARTUP_3: Self = Self(2839);
    /// Version 3 (5.3.3.1): 0.90.
    pub(crate) const DOWN_3: Self = Self(922);
    /// Version 3 (5.3.3.5): 2.25 products in flight while it asks for more.
    pub(crate) const WINDOW_UP_3: Self = Self(2304);
    /// Version 3: the rate in Drain (2.5) and the product in ProbeRTT (2.16.2).
    pub(crate) const HALF: Self = Self(512);
    /// The most that is a floor of the pace in a probe for the least round trip. Ours.
    pub(crate) const QUARTER: Self = Self(256);
    /// 6/5 of a window for each round trip, as Linux paces in congestion avoidance.
    pub(crate) const OF_WINDOW: Self = Self(1229);

    pub(crate) const fn of_rate(self, rate: BitRate) -> BitRate {
        BitRate::from_bps((rate.bps() as u128 * self.0 as u128 / 1024) as u64)
    }

    pub(crate) const fn of_bytes(self, bytes: Bytes) -> Bytes {
        Bytes((bytes.get() as u128 * self.0 as u128 / 1024) as u64)
    }

    /// The pacing rate for a bandwidth: 1 % less than the product, so that a queue that nobody wants goes away in the
    /// end (Linux's pacing margin; TACK paper, footnote 3).
    pub(crate) const fn pace(self, bandwidth: BitRate) -> BitRate {
        self.of_rate(bandwidth).percent(99)
    }
}

/// The greatest sample of a window, exactly. Time is counted in whatever the owner counts: rounds, or intervals.
#[derive(Clone, Debug)]
pub(crate) struct MaxFilter {
    /// A sample counts until it is older than this.
    length: u64,
    /// Samples that are or may become the greatest: ever newer and smaller, one for each time.
    samples: VecDeque<(u64, BitRate)>,
    /// The first and the last of them.
    best: BitRate,
    newest: (u64, BitRate),
}

impl MaxFilter {
    pub(crate) const fn new(length: u64) -> Self {
        Self { length, samples: VecDeque::new(), best: BitRate::ZERO, newest: (0, BitRate::ZERO) }
    }

    /// Takes a sample. Old ones go only when a new one comes, so that a silent path keeps its estimate.
    #[inline]
    pub(crate) fn update(&mut self, time: u64, rate: BitRate) {
        // Nearly always the same time has a greater one.
        if self.newest.0 != time || self.newest.1 <= rate {
            self.enter(time, rate);
        }
    }

    #[inline(never)]
    fn enter(&mut self, time: u64, rate: BitRate) {
        while self.samples.back().is_some_and(|&(_, smaller)| smaller <= rate) {
            self.samples.pop_back();
        }
        if self.samples.back().is_none_or(|&(newest, _)| newest < time) {
            self.samples.push_back((time, rate));
        }
        while self.samples.front().is_some_and(|&(taken, _)| time.saturating_sub(taken) > self.length) {
            self.samples.pop_front();
        }
        self.best = self.samples.front().map_or(BitRate::ZERO, |&(_, rate)| rate);
        self.newest = self.samples.back().map_or(self.newest, |&newest| newest);
    }

    /// The greatest; zero before the first.
    pub(crate) const fn best(&self) -> BitRate {
        self.best
    }
}

/// The least round-trip time and when it was last seen: RTprop (draft, 4.1.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinRtt {
    least: Option<Duration>,
    /// When it was last renewed, or [`MinRtt::restart`]ed.
    pub(crate) seen: Instant,
    renewal: Renewal,
}

/// What renews a least round-trip time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Renewal {
    /// A sample that is no greater (draft, 4.1.2.4).
    NoGreater,
    /// A lower one only (TACK paper, VI-D; version 3, 5.3.4.3).
    Lower,
}

impl MinRtt {
    pub(crate) const fn new(renewal: Renewal) -> Self {
        Self { least: None, seen: Instant::ZERO, renewal }
    }

    pub(crate) const fn get(&self) -> Option<Duration> {
        self.least
    }

    /// Takes a sample, which replaces one that was last seen longer than `length` ago whatever it is. True if it was.
    pub(crate) fn update(&mut self, now: Instant, sample: Option<Duration>, length: Duration) -> bool {
        let expired = self.least.is_some() && now.saturating_since(self.seen) > length;
        if let Some(rtt) = sample {
            let renews = self.least.is_none_or(|least| match self.renewal {
                Renewal::NoGreater => rtt <= least,
                Renewal::Lower => rtt < least,
            });
            if renews || expired {
                self.least = Some(rtt);
                self.seen = now;
            }
        }
        expired
    }

    /// Says that the least round-trip time has just been probed for.
    pub(crate) const fn restart(&mut self, now: Instant) {
        self.seen = now;
    }
}

/// Packet-timed rounds (draft, 4.1.1.3; version 3, 5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    /// BBR.round_count.
    pub(crate) count: u64,
    /// BBR.next_round_delivered: the round ends when something is delivered that was sent after this much had been.
    pub(crate) end: Bytes,
    /// BBR.round_start: whether the latest acknowledgement began a round.
    pub(crate) began: bool,
}

impl Rounds {
    /// An acknowledgement came, after which `total` is delivered; the newest segment that it delivered, if any, was sent when `prior` had been. Whether it began a round.
    pub(crate) fn on_delivered(&mut self, prior: Option<Bytes>, total: Bytes) -> bool {
        self.began = prior.is_some_and(|prior| prior >= self.end);
        if self.began {
            self.count += 1;
            self.end = total;
        }
        self.began
    }
}

/// Whether Startup has filled the pipe (draft, 4.3.2.2): three rounds in which the bandwidth has not grown by a quarter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FullPipe {
    bandwidth: BitRate,
    rounds: u32,
    filled: bool,
}

impl FullPipe {
    pub(crate) const fn is_filled(&self) -> bool {
        self.filled
    }

    /// A pipe that is to be filled beyond this bandwidth.
    pub(crate) const fn above(bandwidth: BitRate) -> Self {
        Self { bandwidth, rounds: 0, filled: false }
    }

    /// A round has ended, not limited by the application, with this bandwidth.
    pub(crate) fn on_round(&mut self, bandwidth: BitRate) {
        if self.filled {
            return;
        }
        if bandwidth >= Gain::UP.of_rate(self.bandwidth) && bandwidth > BitRate::ZERO {
            self.bandwidth = bandwidth;
            self.rounds = 0;
            return;
        }
        self.rounds += 1;
        self.filled = self.rounds >= FULL_PIPE_ROUNDS;
    }

    /// Losses say that it is full.
    pub(crate) const fn fill(&mut self) {
        self.filled = true;
    }

    /// The path may be another one now: what is found full stays so, but Startup may go on longer (Linux, after a
    /// timeout).
    pub(crate) const fn forget(&mut self) {
        self.bandwidth = BitRate::ZERO;
    }
}

/// How much more than the bandwidth is acknowledged at once where a link or a receiver lumps acknowledgements, as
/// Wi-Fi does ("extra acked"). So much more must be in flight to keep the sender going between lumps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregation {
    /// Since when acknowledgements come faster than the bandwidth.
    since: Instant,
    /// What has been acknowledged since then.
    acked: Bytes,
    /// The greatest excess in the last five to ten rounds, in two halves.
    excess: [Bytes; 2],
    half: usize,
    rounds: u32,
}

impl Aggregation {
    /// From `now` on.
    pub(crate) const fn new(now: Instant) -> Self {
        Self { since: now, acked: Bytes::ZERO, excess: [Bytes::ZERO; 2], half: 0, rounds: 0 }
    }

    /// A new epoch: after idleness, what comes says nothing about the time before.
    pub(crate) const fn restart(&mut self, now: Instant) {
        self.since = now;
        self.acked = Bytes::ZERO;
    }

    /// A round is over.
    pub(crate) const fn on_round(&mut self) {
        self.on_round_of(AGGREGATION_ROUNDS);
    }

    /// A round is over, of which so many make a half of the window.
    pub(crate) const fn on_round_of(&mut self, rounds: u32) {
        self.rounds += 1;
        if self.rounds >= rounds {
            self.rounds = 0;
            self.half = 1 - self.half;
            self.excess[self.half] = Bytes::ZERO;
        }
    }

    /// `delivered` came at `now`, of which `bandwidth` explains a part. A new epoch, if one is due, begins at `begin`.
    pub(crate) fn on_delivered(
        &mut self,
        now: Instant,
        begin: Instant,
        delivered: Bytes,
        bandwidth: BitRate,
        window: Bytes,
    ) {
        let mut expected = bandwidth.amount_floor(now.saturating_since(self.since));
        if self.acked <= expected || self.acked + delivered >= EPOCH_LIMIT {
            self.restart(begin);
            expected = bandwidth.amount_floor(now.saturating_since(begin));
        }
        self.acked += delivered;
        let excess = self.acked.saturating_sub(expected).min(window);
        self.excess[self.half] = self.excess[self.half].max(excess);
    }

    /// What to allow in flight beyond the gain's: the greatest excess, but not more than `bandwidth` brings in 100 ms.
    pub(crate) fn allowance(&self, bandwidth: BitRate) -> Bytes {
        self.allowance_up_to(Self::most(bandwidth))
    }

    /// The same, where it is known how much that brings.
    pub(crate) fn allowance_up_to(&self, most: Bytes) -> Bytes {
        self.excess[0].max(self.excess[1]).min(most)
    }

    /// The most that is allowed beyond the gain's.
    pub(crate) const fn most(bandwidth: BitRate) -> Bytes {
        bandwidth.amount_floor(EXCESS_LIMIT)
    }
}

/// bandwidth times delay.
pub(crate) const fn bdp(bandwidth: BitRate, rtt: Duration) -> Bytes {
    bandwidth.amount_floor(rtt)
}

/// Rounds without growth that end Startup.
const FULL_PIPE_ROUNDS: u32 = 3;
/// Rounds in each half of the window of the greatest excess (Linux: 5).
const AGGREGATION_ROUNDS: u32 = 5;
/// An epoch ends with this much, so that it does not last for ever (Linux: 2^20 segments).
const EPOCH_LIMIT: Bytes = Bytes(1460 << 20);
/// Linux: 100 ms.
const EXCESS_LIMIT: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn the_greatest_sample_counts_until_it_is_older_than_the_window() {
        let mut filter = MaxFilter::new(10);
        assert_eq!(filter.best(), BitRate::ZERO);
        for (time, mbps, best) in [(0, 10, 10), (3, 8, 10), (3, 9, 10), (10, 5, 10), (11, 4, 9), (13, 3, 9), (14, 2, 5)]
        {
            filter.update(time, BitRate::from_mbps(mbps));
            assert_eq!(filter.best(), BitRate::from_mbps(best), "at {time}");
        }
        filter.update(15, BitRate::from_mbps(6));
        assert_eq!(filter.samples.len(), 1);
    }

    #[test]
    fn the_greatest_is_that_of_all_that_came_in_the_window() {
        for seed in 0..200 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let length = random.below(12);
            let (mut filter, mut all, mut time) = (MaxFilter::new(length), Vec::new(), 0);
            for _ in 0..300 {
                time += [0, 0, 0, 1, 1, 2, 15][random.below(7) as usize];
                let rate = BitRate::from_bps(random.below(30));
                filter.update(time, rate);
                all.push((time, rate));
                let recent = all.iter().filter(|&&(taken, _)| time - taken <= length);
                assert_eq!(Some(filter.best()), recent.map(|&(_, rate)| rate).max(), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_least_round_trip_is_renewed_by_an_equal_one_only_where_the_draft_has_it() {
        let (ten, rtt) = (Duration::from_secs(10), Some(Duration::from_millis(40)));
        for (renewal, expired) in [(Renewal::NoGreater, false), (Renewal::Lower, true)] {
            let mut least = MinRtt::new(renewal);
            assert!(!least.update(Instant::from_millis(0), rtt, ten));
            assert!(!least.update(Instant::from_millis(5_000), rtt, ten));
            let longer = Some(Duration::from_millis(50));
            assert_eq!(least.update(Instant::from_millis(10_001), longer, ten), expired, "{renewal:?}");
            assert_eq!(least.get(), if expired { longer } else { rtt });
        }
    }

    #[test]
    fn the_pipe_is_full_after_three_rounds_without_a_quarter_more() {
        let mut pipe = FullPipe::default();
        for (mbps, filled) in [(10, false), (12, false), (12, false), (13, false), (13, false), (14, false), (16, true)]
        {
            // 13 is more than 12.5: the count begins anew; 16 is less than 16.25.
            pipe.on_round(BitRate::from_mbps(mbps));
            assert_eq!(pipe.is_filled(), filled, "{mbps}");
        }
    }

    #[test]
    fn a_lump_is_the_excess_over_what_the_bandwidth_brings() {
        // 8 Mbps is 1000 bytes per millisecond. Every 10 ms ten segments come at once, one by one within a millisecond.
        let rate = BitRate::from_mbps(8);
        let mut aggregation = Aggregation::new(Instant::ZERO);
        for lump in 1..=3u64 {
            for i in 0..10u64 {
                let now = Instant::from_millis(lump * 10) + Duration::from_micros(i * 100);
                aggregation.on_delivered(now, now, Bytes(1000), rate, Bytes(100_000));
            }
        }
        // The epoch begins with the first of a lump; at the tenth, 10,000 bytes have come in 0.9 ms, which explain 900.
        assert_eq!(aggregation.allowance(rate), Bytes(9_100));
        // 100 ms of a slow path bound it.
        assert_eq!(aggregation.allowance(BitRate::from_kbps(80)), Bytes(1_000));
    }

    #[test]
    fn an_excess_is_forgotten_after_five_to_ten_rounds() {
        let rate = BitRate::from_mbps(8);
        let mut aggregation = Aggregation::new(Instant::ZERO);
        aggregation.on_delivered(Instant::ZERO, Instant::ZERO, Bytes(5_000), rate, Bytes(100_000));
        for round in 1..=10 {
            aggregation.on_round();
            let expected = if round < 10 { Bytes(5_000) } else { Bytes::ZERO };
            assert_eq!(aggregation.allowance(rate), expected, "round {round}");
        }
    }
}

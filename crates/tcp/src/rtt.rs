//! Round-trip time and the retransmission timeout (RFC 6298).

use ackless_wire::{Duration, Instant};

use crate::sequence::Position;

/// Smoothed round-trip time, its variation, and the retransmission timeout that follows from them.
///
/// The estimator takes one sample for each round trip, as RFC 6298 was written for; more of them would make the
/// variance forget too fast (RFC 7323, appendix G). The minimum sees every sample.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    /// SRTT and RTTVAR once there was a sample.
    smoothed: Option<(Duration, Duration)>,
    min: Option<Duration>,
    bounds: RtoBounds,
    /// What [`RtoRule::Linux`] keeps besides.
    variation: Variation,
    /// RTO before back-off.
    base: Duration,
    /// How often the timeout has doubled.
    backoff: u32,
    /// A sample of something that ended at or before this belongs to a round trip that has been counted.
    counted_up_to: Position,
    /// Whether there was a sample since [`wait_for_news`](Self::wait_for_news).
    news: bool,
}

/// By the kernel's names; all four times the mean deviation.
#[derive(Clone, Copy, Debug)]
struct Variation {
    /// `mdev_us`.
    deviation: Duration,
    /// `mdev_max_us`.
    greatest: Duration,
    /// `rtt_seq`.
    until: Position,
}

/// Between what limits the retransmission timeout stays, and where it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RtoBounds {
    /// Before the first sample (RFC 6298, 2.1: 1 s).
    pub initial: Duration,
    /// Least allowance for variation above SRTT.
    pub min: Duration,
    /// The most that back-off leads to (RFC 6298, 2.5: at least 60 s).
    pub max: Duration,
    /// What follows from samples.
    pub rule: RtoRule,
}

/// How the retransmission timeout follows from round trips.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RtoRule {
    /// RFC 6298, from one sample for each round trip.
    #[default]
    Rfc,
    /// As Linux 6.12 sums it (`tcp_rtt_estimator`): from every sample; the variation is the greatest of a round trip, never less than
    /// [`RtoBounds::min`], falls by a quarter a round trip, and hardly grows where round trips become shorter. Timers round up to ticks of 4 ms
    /// (HZ is 250).
    Linux,
}

/// When things were sent whose acknowledgement will give a sample.
///
/// A fixed number of marks is out at any time: each one that is acknowledged makes room for the next,
/// so a round trip gives up to [`Marks::LIMIT`] samples however large the window is.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    ring: [(Position, Instant); Marks::LIMIT],
    first: u32,
    len: u32,
}

/// What an acknowledgement says about the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RttSample {
    /// From the first transmission of the oldest marked segment that it covers: holds the receiver's delay.
    pub(crate) oldest: Duration,
    /// From the transmission of the newest one.
    pub(crate) newest: Duration,
    /// Where the oldest one ended.
    pub(crate) end: Position,
}

impl RttEstimator {
    /// No sample yet.
    pub const fn new(bounds: RtoBounds) -> Self {
        let variation = Variation { deviation: Duration::ZERO, greatest: Duration::ZERO, until: Position::SYN };
        Self {
            smoothed: None,
            min: None,
            bounds,
            variation,
            base: bounds.initial,
            backoff: 0,
            counted_up_to: Position::SYN,
            news: false,
        }
    }

    /// Takes a sample of something that ended at `end` and was sent once (Karn), or that a timestamp identifies.
    /// `sent_up_to` is the end of all that has been sent: the next round trip begins there.
    pub fn on_sample(&mut self, rtt: Duration, end: Position, sent_up_to: Position) {
        self.note_minimum(rtt);
        self.news = true;
        if self.bounds.rule == RtoRule::Linux {
            self.sum(rtt, end, sent_up_to);
            return;
        }
        if end > self.counted_up_to || self.smoothed.is_none() || self.backoff > 0 {
            self.counted_up_to = sent_up_to;
            self.smooth(rtt);
        }
    }

    /// Takes a sample for the minimum only.
    pub fn note_minimum(&mut self, rtt: Duration) {
        self.min = Some(self.min.map_or(rtt, |min| min.min(rtt)));
    }

    /// RFC 6298, 2.2 and 2.3, with alpha = 1/8 and beta = 1/4.
    fn smooth(&mut self, rtt: Duration) {
        let (srtt, var) = match self.smoothed {
            None => (rtt, rtt / 2),
            Some((srtt, var)) => {
                let deviation = rtt.max(srtt) - rtt.min(srtt);
                ((srtt * 7 + rtt) / 8, (var * 3 + deviation) / 4)
            }
        };
        self.smoothed = Some((srtt, var));
        // RFC 6298 (2.3, 2.4) has max(1 s, SRTT + max(G, 4 RTTVAR)). As in deployed stacks the least is that of the allowance
        // above SRTT, so that a long and steady queue does not time out at the first hiccup.
        self.base = (srtt + (var * 4).max(self.bounds.min)).min(self.bounds.max);
        self.backoff = 0;
    }

    /// `tcp_rtt_estimator`. The second of what is smoothed is the variation as the timeout has it (`rttvar_us`).
    fn sum(&mut self, rtt: Duration, end: Position, sent_up_to: Position) {
        let least = self.bounds.min;
        let of = &mut self.variation;
        let (srtt, var) = match self.smoothed {
            None => {
                of.deviation = rtt * 2;
                of.greatest = of.deviation.max(least);
                of.until = sent_up_to;
                (rtt, of.greatest)
            }
            Some((srtt, mut var)) => {
                let (error, share) = (rtt.max(srtt) - rtt.min(srtt), of.deviation / 4);
                let more = error.saturating_sub(share);
                // Shorter round trips make the variation grow by an eighth of that only.
                let more = if rtt < srtt { more / 8 } else { more };
                of.deviation = of.deviation + more - share.saturating_sub(error);
                of.greatest = of.greatest.max(of.deviation);
                var = var.max(of.greatest);
                if end > of.until {
                    var = var - (var - of.greatest.min(var)) / 4;
                    (of.until, of.greatest) = (sent_up_to, least);
                }
                ((srtt * 7 + rtt) / 8, var)
            }
        };
        self.smoothed = Some((srtt, var));
        self.base = (srtt + var).min(self.bounds.max);
        self.backoff = 0;
    }

    /// How long a timer runs that is set to `wait`.
    pub fn in_ticks(&self, wait: Duration) -> Duration {
        match self.bounds.rule {
            RtoRule::Rfc => wait,
            RtoRule::Linux => TICK.saturating_mul(wait.div_ceil(TICK)),
        }
    }

    /// The retransmission timeout with back-off.
    pub fn timeout(&self) -> Duration {
        let factor = 1u64 << self.backoff.min(32);
        self.in_ticks(self.base).saturating_mul(factor).min(self.bounds.max)
    }

    /// Doubles the timeout (RFC 6298, 5.5) until the next sample.
    pub const fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// From now on only later samples are [`news`](Self::has_news).
    pub const fn wait_for_news(&mut self) {
        self.news = false;
    }

    /// Whether there was a sample since [`wait_for_news`](Self::wait_for_news), or ever.
    pub const fn has_news(&self) -> bool {
        self.news
    }

    /// The timer was wrong to fire.
    pub const fn stop_backing_off(&mut self) {
        self.backoff = 0;
    }

    /// The least timeout that RFC 6298, 5.7 asks for once data flows after a lost SYN: 3 s before the first sample.
    pub fn start_after_lost_syn(&mut self) {
        self.backoff = 0;
        if self.smoothed.is_none() {
            self.base = self.base.max(Duration::from_secs(3)).min(self.bounds.max);
        }
    }

    /// Smoothed round-trip time.
    pub fn smoothed(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt, _)| srtt)
    }

    /// Beyond which a round trip is unusual: SRTT + 4 RTTVAR (RFC 6298, 2.3).
    pub(crate) fn usual_most(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt, variation)| srtt + variation * 4)
    }

    /// The least round-trip time ever.
    pub const fn min(&self) -> Option<Duration> {
        self.min
    }
}

/// 1/HZ.
const TICK: Duration = Duration::from_millis(4);

impl Marks {
    const LIMIT: usize = 32;

    pub(crate) const fn new() -> Self {
        Self { ring: [(Position::SYN, Instant::ZERO); Self::LIMIT], first: 0, len: 0 }
    }

    /// Something ending at `end` was sent for the first time.
    pub(crate) fn sent(&mut self, end: Position, now: Instant) {
        if self.len < Self::LIMIT as u32 {
            self.ring[(self.first + self.len) as usize % Self::LIMIT] = (end, now);
            self.len += 1;
        }
    }

    /// All up to `ack` is acknowledged.
    pub(crate) fn acknowledged(&mut self, ack: Position, now: Instant) -> Option<RttSample> {
        let mut sample: Option<RttSample> = None;
        while self.len > 0 {
            let (end, sent) = self.ring[self.first as usize];
            if end > ack {
                break;
            }
            self.first = (self.first + 1) % Self::LIMIT as u32;
            self.len -= 1;
            let rtt = now.saturating_since(sent);
            match &mut sample {
                Some(sample) => sample.newest = rtt,
                None => sample = Some(RttSample { oldest: rtt, newest: rtt, end }),
            }
        }
        sample
    }

    /// Something has been sent again: what is out can no longer be told apart (Karn; RFC 6298, 3).
    pub(crate) const fn forget(&mut self) {
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: RtoBounds = RtoBounds {
        initial: Duration::from_secs(1),
        min: Duration::from_millis(200),
        max: Duration::from_secs(60),
        rule: RtoRule::Rfc,
    };

    fn sample(rtt: &mut RttEstimator, millis: u64, at: u64) {
        rtt.on_sample(Duration::from_millis(millis), Position(at + 1), Position(at + 1));
    }

    #[test]
    fn the_first_sample_sets_srtt_and_half_of_it_as_variation() {
        let mut rtt = RttEstimator::new(BOUNDS);
        assert_eq!(rtt.timeout(), Duration::from_secs(1));
        sample(&mut rtt, 400, 0);
        assert_eq!(rtt.smoothed(), Some(Duration::from_millis(400)));
        assert_eq!(rtt.timeout(), Duration::from_millis(400 + 4 * 200));
    }

    #[test]
    fn later_samples_move_srtt_by_an_eighth_and_variation_by_a_quarter() {
        let mut rtt = RttEstimator::new(BOUNDS);
        sample(&mut rtt, 400, 0);
        sample(&mut rtt, 480, 1);
        assert_eq!(rtt.smoothed(), Some(Duration::from_millis(410)));
        assert_eq!(rtt.timeout(), Duration::from_millis(410 + 4 * (150 + 20)));
    }

    #[test]
    fn a_steady_path_times_out_no_earlier_than_srtt_and_the_least_allowance() {
        let mut rtt = RttEstimator::new(BOUNDS);
        (0..100).for_each(|i| sample(&mut rtt, 10, i));
        assert_eq!(rtt.timeout(), Duration::from_millis(210));
    }

    #[test]
    fn backoff_doubles_up_to_the_limit_until_a_sample_comes() {
        let mut rtt = RttEstimator::new(BOUNDS);
        sample(&mut rtt, 10, 0);
        let mut previous = rtt.timeout();
        for _ in 0..40 {
            rtt.back_off();
            assert_eq!(rtt.timeout(), (previous * 2).min(BOUNDS.max));
            previous = rtt.timeout();
        }
        sample(&mut rtt, 10, 1);
        assert_eq!(rtt.timeout(), Duration::from_millis(210));
    }

    #[test]
    fn one_sample_for_each_round_trip_reaches_the_estimate_and_all_reach_the_minimum() {
        let mut rtt = RttEstimator::new(BOUNDS);
        rtt.on_sample(Duration::from_millis(100), Position(1), Position(50));
        rtt.on_sample(Duration::from_millis(20), Position(30), Position(90));
        assert_eq!(rtt.smoothed(), Some(Duration::from_millis(100)));
        assert_eq!(rtt.min(), Some(Duration::from_millis(20)));
        rtt.on_sample(Duration::from_millis(20), Position(51), Position(90));
        assert_eq!(rtt.smoothed(), Some(Duration::from_millis(90)));
    }

    #[test]
    fn linux_sums_the_greatest_variation_of_a_round_trip_and_rounds_up_to_ticks() {
        let mut rtt = RttEstimator::new(RtoBounds { rule: RtoRule::Linux, ..BOUNDS });
        let variation = |rtt: &RttEstimator| rtt.smoothed.map(|(_, var)| var.as_nanos() / 1000);
        let mut sample = |micros: u64, end: u64, sent_up_to: u64| {
            rtt.on_sample(Duration::from_micros(micros), Position(end), Position(sent_up_to));
            (variation(&rtt), rtt.timeout().as_nanos() / 1_000_000)
        };
        // Four deviations are twice the first sample: 800 ms.
        assert_eq!(sample(400_000, 10, 20), (Some(800_000), 1200));
        // An error of 10 ms: 800 * 3 / 4 + 10 = 610, but the greatest of the round trip counts. 401.25 + 800 is 1201.25, in ticks 1204.
        assert_eq!(sample(410_000, 11, 21), (Some(800_000), 1204));
        // No error: 610 * 3 / 4 = 457.5. The round trip ends, whose greatest is 800 still.
        assert_eq!(sample(401_250, 21, 30), (Some(800_000), 1204));
        // 457.5 * 3 / 4 = 343.125 is the greatest of this one: down by a quarter of the difference.
        assert_eq!(sample(401_250, 31, 40), (Some(685_781), 1088));
    }

    #[test]
    fn linux_lets_shorter_round_trips_widen_the_variation_by_an_eighth_only_and_never_goes_below_the_least() {
        let mut rtt = RttEstimator::new(RtoBounds { rule: RtoRule::Linux, ..BOUNDS });
        rtt.on_sample(Duration::from_millis(100), Position(1), Position(10));
        rtt.on_sample(Duration::from_millis(20), Position(2), Position(10));
        // 200 + (80 - 200 / 4) / 8.
        assert_eq!(rtt.variation.deviation, Duration::from_micros(203_750));
        for round in 1..60 {
            rtt.on_sample(Duration::from_micros(40_030), Position(10 * round + 1), Position(10 * round + 10));
        }
        assert_eq!(rtt.timeout(), Duration::from_millis(244), "200 above 40.03 ms, in ticks of 4 ms");
    }

    #[test]
    fn marks_give_the_oldest_and_newest_time_and_nothing_after_a_retransmission() {
        let mut marks = Marks::new();
        marks.sent(Position(10), Instant::from_millis(1));
        marks.sent(Position(20), Instant::from_millis(4));
        marks.sent(Position(30), Instant::from_millis(5));
        let sample = marks.acknowledged(Position(20), Instant::from_millis(11));
        let (oldest, newest) = (Duration::from_millis(10), Duration::from_millis(7));
        assert_eq!(sample, Some(RttSample { oldest, newest, end: Position(10) }));
        marks.forget();
        assert_eq!(marks.acknowledged(Position(30), Instant::from_millis(12)), None);
    }
}

//! The least round-trip time, as the sender of data filters it (paper, V-B).
//!
//! Two ways to a sample stand side by side: from the packet with the least smoothed one-way delay, which the receiver names
//! (the paper's), and from the newest packet that a report tells of (what the paper compares with). Both are computed
//! always; the configuration says which one counts.

use std::cmp::Reverse;

use ackless_wire::{Duration, Instant};

use super::filter::Filter;
use crate::tack::Timing;

/// The least round trips of the last tau.
#[derive(Clone, Debug)]
pub(crate) struct RoundTrip {
    timing: Timing,
    /// A tenth of tau.
    tenth: Duration,
    advanced: Minimum,
    sampled: Minimum,
    /// The stretch in which a fresh sample was last asked for.
    asked: u64,
    handshake: Option<Handshake>,
}

/// What the handshake took, as long as no round of data has been heard of, and the least that data has needed.
#[derive(Clone, Copy, Debug)]
struct Handshake {
    took: Duration,
    data: Option<Duration>,
}

/// A minimum filter that keeps what it knew before a silence until it knows better.
#[derive(Clone, Debug)]
struct Minimum {
    filter: Filter<Reverse<Duration>, SLOTS>,
    before: Option<Duration>,
}

impl RoundTrip {
    /// No sample yet.
    pub(crate) const fn new(timing: Timing, tau: Duration) -> Self {
        let nanos = tau.as_nanos() / SLOTS as u64;
        let tenth = Duration::from_nanos(if nanos == 0 { 1 } else { nanos });
        Self { timing, tenth, advanced: Minimum::new(), sampled: Minimum::new(), asked: 0, handshake: None }
    }

    /// A report came, with the samples that it gave by the two methods.
    pub(crate) fn on_samples(&mut self, now: Instant, advanced: Option<Duration>, sampled: Option<Duration>) {
        self.advance(now);
        self.advanced.put(advanced);
        self.sampled.put(sampled);
        if let Some(handshake) = &mut self.handshake {
            let least = advanced.into_iter().chain(sampled).chain(handshake.data).min();
            handshake.data = least;
        }
    }

    /// The handshake took `rtt`: a sample for the time being.
    pub(crate) fn on_handshake(&mut self, now: Instant, rtt: Duration) {
        self.on_exchange(now, rtt);
        self.handshake = Some(Handshake { took: rtt, data: None });
    }

    /// Something that went out after the first report has been heard of, a round trip of data later. Where none of it was back in twice the time of the handshake, a proxy may have answered
    /// that, nearer by than whom the data is for, and what it took is forgotten. (On a slow link it is the data that takes longer: then nothing is lost by it.)
    pub(crate) fn on_first_round(&mut self, now: Instant) {
        if let Some(Handshake { took, data: Some(data) }) = self.handshake.take()
            && data > took * 2
        {
            self.renew(now, data);
        }
    }

    /// The answer to a request took `rtt`.
    pub(crate) fn on_exchange(&mut self, now: Instant, rtt: Duration) {
        self.on_samples(now, Some(rtt), Some(rtt));
    }

    /// What was known is of another path.
    pub(crate) fn renew(&mut self, now: Instant, rtt: Duration) {
        (self.advanced, self.sampled) = (Minimum::new(), Minimum::new());
        self.on_exchange(now, rtt);
    }

    /// RTTmin by the method that counts.
    pub(crate) fn min(&self) -> Option<Duration> {
        match self.timing {
            Timing::OneWayDelay => self.advanced(),
            Timing::Sampled => self.sampled(),
        }
    }

    /// RTTmin by one-way delays.
    pub(crate) fn advanced(&self) -> Option<Duration> {
        self.advanced.best()
    }

    /// RTTmin by the newest packet of each report.
    pub(crate) fn sampled(&self) -> Option<Duration> {
        self.sampled.best()
    }

    /// Whether a fresh sample should be asked for: the least one leaves the filter within a tenth of tau, and nothing has
    /// been asked for in this tenth.
    pub(crate) fn wants_sample(&mut self, now: Instant) -> bool {
        self.advance(now);
        let stretch = self.stretch(now);
        let about_to_go = match self.timing {
            Timing::OneWayDelay => self.advanced.filter.is_about_to_go(),
            Timing::Sampled => self.sampled.filter.is_about_to_go(),
        };
        let wants = about_to_go && self.asked < stretch;
        if wants {
            self.asked = stretch;
        }
        wants
    }

    fn advance(&mut self, now: Instant) {
        let stretch = self.stretch(now);
        self.advanced.advance(stretch);
        self.sampled.advance(stretch);
    }

    fn stretch(&self, now: Instant) -> u64 {
        now.saturating_since(Instant::ZERO).div_floor(self.tenth)
    }
}

impl Minimum {
    const fn new() -> Self {
        Self { filter: Filter::new(), before: None }
    }

    fn advance(&mut self, stretch: u64) {
        let known = self.best();
        self.filter.advance(stretch);
        if self.filter.best().is_none() {
            self.before = known;
        }
    }

    fn put(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.before = None;
            self.filter.put(Reverse(rtt));
        }
    }

    fn best(&self) -> Option<Duration> {
        self.filter.best().map(|Reverse(rtt)| rtt).or(self.before)
    }
}

/// tau, in tenths.
const SLOTS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Option<Duration> {
        Some(Duration::from_millis(millis))
    }

    #[test]
    fn a_minimum_counts_for_tau_less_a_tenth_and_no_longer_than_tau() {
        for tau in [1_000, 2_500, 30_000] {
            let min_after = |millis| {
                let mut rtt = RoundTrip::new(Timing::OneWayDelay, Duration::from_millis(tau));
                rtt.on_samples(Instant::ZERO, ms(20), ms(25));
                rtt.on_samples(Instant::from_millis(millis), ms(30), ms(31));
                rtt.min()
            };
            assert_eq!((min_after(tau * 9 / 10), min_after(tau)), (ms(20), ms(30)), "tau = {tau} ms");
        }
    }

    #[test]
    fn a_handshake_counts_until_a_round_of_data_has_taken_more_than_twice_as_long() {
        for (data, least) in [([15, 18], 10), ([21, 20], 10), ([21, 40], 21), ([40, 21], 21)] {
            let mut rtt = RoundTrip::new(Timing::OneWayDelay, Duration::from_secs(10));
            rtt.on_handshake(Instant::ZERO, Duration::from_millis(10));
            for took in data {
                rtt.on_samples(Instant::from_millis(50), ms(took), ms(took + 5));
                assert_eq!(rtt.min(), ms(10));
            }
            rtt.on_first_round(Instant::from_millis(60));
            assert_eq!(rtt.min(), ms(least), "{data:?}");
            rtt.on_samples(Instant::from_millis(70), ms(1_000), None);
            rtt.on_first_round(Instant::from_millis(80));
            assert_eq!(rtt.min(), ms(least), "{data:?}");
        }
    }

    #[test]
    fn a_tau_of_nothing_is_the_shortest_there_is() {
        let mut rtt = RoundTrip::new(Timing::OneWayDelay, Duration::ZERO);
        rtt.on_samples(Instant::from_nanos(0), ms(20), None);
        rtt.on_samples(Instant::from_nanos(10), ms(30), None);
        assert_eq!(rtt.min(), ms(30));
    }

    #[test]
    fn a_minimum_counts_for_no_longer_than_ten_seconds() {
        let mut rtt = RoundTrip::new(Timing::OneWayDelay, Duration::from_secs(10));
        rtt.on_samples(Instant::from_millis(500), ms(20), ms(25));
        for second in 1..10 {
            rtt.on_samples(Instant::from_secs(second), ms(30 + second), None);
            assert_eq!((rtt.min(), rtt.sampled()), (ms(20), ms(25)), "second {second}");
            assert_eq!(rtt.wants_sample(Instant::from_secs(second)), second == 9);
        }
        assert!(!rtt.wants_sample(Instant::from_millis(9_500)), "once is enough");
        rtt.on_samples(Instant::from_secs(10), ms(50), ms(50));
        assert_eq!((rtt.min(), rtt.sampled()), (ms(31), ms(50)));
    }

    #[test]
    fn the_configuration_says_which_method_counts() {
        let mut rtt = RoundTrip::new(Timing::Sampled, Duration::from_secs(10));
        rtt.on_samples(Instant::from_secs(1), ms(20), ms(25));
        assert_eq!((rtt.min(), rtt.advanced()), (ms(25), ms(20)));
    }

    #[test]
    fn what_was_known_before_a_long_silence_stays_until_something_newer_comes() {
        let mut rtt = RoundTrip::new(Timing::OneWayDelay, Duration::from_secs(10));
        rtt.on_exchange(Instant::from_secs(1), Duration::from_millis(20));
        assert!(!rtt.wants_sample(Instant::from_secs(100)));
        assert_eq!(rtt.min(), ms(20));
        rtt.on_samples(Instant::from_secs(109), ms(70), None);
        assert_eq!((rtt.min(), rtt.sampled()), (ms(70), ms(20)));
    }
}

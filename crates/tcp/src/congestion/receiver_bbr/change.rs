//! Whether the path has become another one: longer than before, or slower. Ours; the paper waits until what it knew has left its filters.
//!
//! Where every round trip of three rounds took more than twice the least one, while less than three quarters of the bandwidth was delivered, something has changed: the path is longer, or it
//! is slower and what is in flight waits, or others fill the queue. The bandwidth is the filter's, or where round trips became longer by half from one round to the next, what it was then. Which of them shows when next to nothing is in flight, in ProbeRTT: if the round trip stays long, it is the
//! path's, and the model gets a new RTTmin; if it falls, the rates from before the change are forgotten.

use ackless_wire::{BitRate, Duration, Instant};

/// What is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// Of the present round: the least round trip and the greatest rate.
    least: Option<Duration>,
    rate: BitRate,
    /// Where round trips became long from one round to the next, what the path gave before. On a path that is four times as long, two products and what comes in an interval carry
    /// nearly the old rate: the rate slides, and the filter with it, ten rounds behind.
    full: Option<BitRate>,
    /// The least round trip of the round before.
    earlier_least: Option<Duration>,
    /// For how many rounds all have been long.
    long_rounds: u32,
    /// Rounds in a row that looked as if the path had changed, and the greatest rate in them.
    rounds: u32,
    since: BitRate,
    /// That rate, as it was when the probe began.
    before: BitRate,
    /// The least round trip of what was sent with next to nothing in flight, and from when on samples are of that.
    probed: Option<Duration>,
    probing_from: Option<Instant>,
    /// The same of the stretch of the probe before this one, and how many stretches there have been.
    earlier: Option<Duration>,
    stretches: u32,
    /// No other probe before this, and how long after the next one.
    again_at: Instant,
    pause: Duration,
}

/// What a probe has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// It is as long as that.
    Longer(Duration),
    /// It is no longer than before; this is what it has delivered lately.
    Slower(BitRate),
}

impl Change {
    pub(super) const fn new() -> Self {
        Self {
            least: None,
            rate: BitRate::ZERO,
            full: None,
            earlier_least: None,
            long_rounds: 0,
            rounds: 0,
            since: BitRate::ZERO,
            before: BitRate::ZERO,
            probed: None,
            probing_from: None,
            earlier: None,
            stretches: 0,
            again_at: Instant::ZERO,
            pause: FIRST_PAUSE,
        }
    }

    /// A report showed these. Whether that settles a probe: a round trip that is as short as before is enough.
    pub(super) fn on_sample(
        &mut self,
        now: Instant,
        rtt: Option<Duration>,
        rate: BitRate,
        min_rtt: Option<Duration>,
    ) -> bool {
        self.rate = self.rate.max(rate);
        let mut settled = false;
        if let Some(rtt) = rtt {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            let short = min_rtt.is_some_and(|min| rtt * 2 <= min * 3);
            settled = self.probing_from.is_some() && short;
            if self.probing_from.is_some_and(|from| short || now >= from) {
                self.probed = Some(self.probed.map_or(rtt, |least| least.min(rtt)));
            }
        }
        settled
    }

    /// A round is over, in which `limited` says that the application or the controller held data back. Whether to probe for a change.
    pub(super) fn on_round(
        &mut self,
        now: Instant,
        min_rtt: Option<Duration>,
        bandwidth: BitRate,
        limited: bool,
    ) -> bool {
        let (least, rate) = (self.least.take(), std::mem::replace(&mut self.rate, BitRate::ZERO));
        let long = least.zip(min_rtt).is_some_and(|(least, min)| least > min * 2);
        let sudden = least.zip(self.earlier_least).is_some_and(|(least, earlier)| least * 2 >= earlier * 3);
        // While the controller itself held back, no queue of its own stood: where one stands again, nothing has become longer.
        self.earlier_least = least.filter(|_| !limited);
        self.note_full(long, sudden, bandwidth);
        let full = self.full.unwrap_or(bandwidth);
        let slow = rate > BitRate::ZERO && u128::from(rate.bps()) * 4 < u128::from(full.bps()) * 3;
        if limited || !long || !slow {
            (self.rounds, self.since) = (0, BitRate::ZERO);
            return false;
        }
        self.rounds += 1;
        self.since = self.since.max(rate);
        self.rounds >= ROUNDS && now >= self.again_at
    }

    /// A queue that others share grows from round to round, and what falls there is a share: only what becomes long at once is held against what was before.
    fn note_full(&mut self, long: bool, sudden: bool, bandwidth: BitRate) {
        self.long_rounds = if long { self.long_rounds + 1 } else { 0 };
        match self.long_rounds {
            1 => self.full = sudden.then_some(bandwidth),
            2..=REMEMBERED => {}
            _ => self.full = None,
        }
    }

    /// A probe begins; what is sent from now on comes back from `from` on.
    pub(super) fn begin(&mut self, from: Instant) {
        (self.probed, self.probing_from) = (None, Some(from));
        (self.earlier, self.stretches) = (None, 0);
        self.before = self.since;
        self.again_at = from.saturating_add(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    /// A stretch of the probe is over: whether it needs another one, since round trips still fell by a tenth. So long a queue drains, and what it still makes of the round
    /// trip is not the path's.
    pub(super) fn wants_more(&mut self, min_rtt: Option<Duration>) -> bool {
        let (Some(_), Some(probed), Some(min)) = (self.probing_from, self.probed, min_rtt) else { return false };
        let falls = self.earlier.is_none_or(|earlier| probed * 10 < earlier * 9);
        if probed * 2 <= min * 3 || !falls || self.stretches >= MOST_STRETCHES {
            return false;
        }
        self.stretches += 1;
        self.earlier = self.probed.take();
        true
    }

    /// The probe is over, if there was one.
    pub(super) fn end(&mut self, min_rtt: Option<Duration>) -> Option<Found> {
        self.probing_from.take()?;
        (self.full, self.rounds, self.since) = (None, 0, BitRate::ZERO);
        let (probed, min) = (self.probed.or(self.earlier)?, min_rtt?);
        if probed * 2 > min * 3 {
            self.pause = FIRST_PAUSE;
            return Some(Found::Longer(probed));
        }
        Some(Found::Slower(self.before))
    }
}

const ROUNDS: u32 = 3;
/// For so many rounds what the path gave before counts.
const REMEMBERED: u32 = 30;
/// Where round trips fall for longer than this, the queue is not ours.
const MOST_STRETCHES: u32 = 8;
/// Between two probes, where the first has found nothing.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: Option<Duration> = Some(Duration::from_millis(20));
    const BANDWIDTH: BitRate = BitRate::from_mbps(100);

    /// Rounds of a round trip and a rate each, a second long; in which of them a probe was wanted.
    fn rounds(change: &mut Change, rounds: &[(u64, u64)]) -> Vec<usize> {
        let mut wanted = Vec::new();
        for (at, &(rtt, rate)) in rounds.iter().enumerate() {
            let now = Instant::from_secs(100 + at as u64);
            change.on_sample(now, Some(Duration::from_millis(rtt)), BitRate::from_mbps(rate), MIN);
            change.on_sample(now, Some(Duration::from_millis(rtt + 100)), BitRate::from_mbps(rate / 2), MIN);
            if change.on_round(now, MIN, BANDWIDTH, false) {
                wanted.push(at);
            }
        }
        wanted
    }

    #[test]
    fn three_rounds_of_long_round_trips_and_low_rates_want_a_probe() {
        assert_eq!(rounds(&mut Change::new(), &[(41, 74), (41, 74), (41, 74), (20, 99)]), [2]);
        assert_eq!(
            rounds(&mut Change::new(), &[(41, 74), (40, 74), (41, 74), (41, 74)]),
            [],
            "not more than twice in one"
        );
        assert_eq!(
            rounds(&mut Change::new(), &[(41, 74), (41, 75), (41, 74), (41, 74)]),
            [],
            "a full rate in one: that is a queue"
        );
    }

    #[test]
    fn a_rate_that_slides_is_held_against_what_was_known_when_round_trips_became_long() {
        let mut change = Change::new();
        // The filter follows the rate, always less than a quarter above it.
        let mut wanted = |at: u64, rtt, bandwidth, rate| {
            let now = Instant::from_secs(at);
            change.on_sample(now, Some(Duration::from_millis(rtt)), BitRate::from_mbps(rate), MIN);
            change.on_round(now, MIN, BitRate::from_mbps(bandwidth), false)
        };
        let slide = [(100, 90), (100, 80), (90, 74), (80, 70)];
        // From 27 ms to 41 at once.
        assert!(!wanted(0, 27, 100, 98));
        for (at, (bandwidth, rate)) in (1..).zip(slide) {
            assert!(!wanted(at, 41, bandwidth, rate), "{rate} Mbps");
        }
        assert!(wanted(5, 41, 74, 66));
        // From 28 ms it is a queue that has grown, and so it is where round trips have been long for 30 rounds.
        assert!(!wanted(6, 28, 100, 98));
        for (at, (bandwidth, rate)) in (7..).zip(slide).chain((11..40).map(|at| (at, (74, 66)))) {
            assert!(!wanted(at, 41, bandwidth, rate), "{rate} Mbps");
        }
        assert!(!wanted(40, 27, 100, 98));
        assert!((41..71).all(|at| !wanted(at, 41, 100, 80)));
        assert!((71..80).all(|at| !wanted(at, 41, 80, 70)));
    }

    #[test]
    fn a_queue_that_stands_again_after_a_round_held_back_is_no_longer_path() {
        for (held_back, wanted) in [(true, false), (false, true)] {
            let mut change = Change::new();
            let mut wants = |at: u64, rtt, bandwidth, rate, limited| {
                let now = Instant::from_secs(at);
                change.on_sample(now, Some(Duration::from_millis(rtt)), BitRate::from_mbps(rate), MIN);
                change.on_round(now, MIN, BitRate::from_mbps(bandwidth), limited)
            };
            assert!(!wants(0, 22, 100, 98, held_back));
            for (at, (bandwidth, rate)) in (1..).zip([(100, 80), (90, 74), (80, 70)]) {
                assert!(!wants(at, 41, bandwidth, rate, false));
            }
            assert_eq!(wants(4, 41, 74, 66, false), wanted, "{held_back}");
        }
    }

    #[test]
    fn a_round_trip_that_stays_long_with_nothing_in_flight_is_the_path_s() {
        let ms = Duration::from_millis;
        for (probed, found) in [(40, Found::Longer(ms(40))), (30, Found::Slower(BitRate::from_mbps(9)))] {
            let mut change = Change::new();
            rounds(&mut change, &[(200, 7), (200, 9), (200, 8)]);
            change.begin(Instant::from_secs(111));
            let sample = |change: &mut Change, second, rtt| {
                change.on_sample(Instant::from_secs(second), Some(ms(rtt)), BitRate::ZERO, MIN)
            };
            assert!(!sample(&mut change, 110, 32), "what was sent before the probe does not count");
            assert_eq!(sample(&mut change, 111, probed), probed == 30, "short again");
            assert!(!sample(&mut change, 112, probed + 5));
            assert_eq!(change.end(MIN), Some(found));
            assert_eq!(change.end(MIN), None);
        }
    }

    #[test]
    fn while_round_trips_fall_a_queue_drains_and_the_probe_goes_on() {
        let ms = Duration::from_millis;
        let mut change = Change::new();
        change.begin(Instant::from_secs(100));
        for (at, (rtt, more)) in
            [(700, true), (500, true), (300, true), (120, true), (110, false)].into_iter().enumerate()
        {
            change.on_sample(Instant::from_secs(101 + at as u64), Some(ms(rtt)), BitRate::ZERO, MIN);
            assert_eq!(change.wants_more(MIN), more, "{rtt} ms");
        }
        assert_eq!(change.end(MIN), Some(Found::Longer(ms(110))));
        assert!(!change.wants_more(MIN), "no probe");
        // Short again: no more is needed.
        change.begin(Instant::from_secs(200));
        change.on_sample(Instant::from_secs(201), Some(ms(30)), BitRate::ZERO, MIN);
        assert!(!change.wants_more(MIN));
    }

    #[test]
    fn a_queue_that_never_ends_is_not_waited_for() {
        let mut change = Change::new();
        change.begin(Instant::from_secs(100));
        let mut stretches = 0;
        while stretches < 20 {
            let rtt = Duration::from_millis(10_000 >> stretches.min(7)) + Duration::from_millis(100 - stretches);
            change.on_sample(Instant::from_secs(101), Some(rtt), BitRate::ZERO, Some(Duration::from_millis(1)));
            change.earlier = change.earlier.map(|earlier| earlier * 2);
            if !change.wants_more(Some(Duration::from_millis(1))) {
                break;
            }
            stretches += 1;
        }
        assert_eq!(stretches, u64::from(MOST_STRETCHES));
    }

    #[test]
    fn rounds_that_were_held_back_say_nothing() {
        let mut change = Change::new();
        for second in 100..110 {
            let now = Instant::from_secs(second);
            change.on_sample(now, Some(Duration::from_millis(90)), BitRate::from_mbps(9), MIN);
            assert!(!change.on_round(now, MIN, BANDWIDTH, true), "in second {second}");
        }
    }

    #[test]
    fn probes_that_find_nothing_come_ever_less_often() {
        let mut change = Change::new();
        let mut wanted = Vec::new();
        // A round that looks like a change each 100 ms.
        for tenth in 0..200 {
            let now = Instant::from_millis(100_000 + 100 * tenth);
            change.on_sample(now, Some(Duration::from_millis(90)), BitRate::from_mbps(9), MIN);
            if change.on_round(now, MIN, BANDWIDTH, false) {
                wanted.push(tenth);
                change.begin(now);
                change.on_sample(now, Some(Duration::from_millis(20)), BitRate::from_mbps(9), MIN);
                assert!(matches!(change.end(MIN), Some(Found::Slower(_))));
            }
        }
        // After 1, 2, 4 and 8 seconds; then ten.
        assert_eq!(wanted, [2, 12, 32, 72, 152]);
    }
}

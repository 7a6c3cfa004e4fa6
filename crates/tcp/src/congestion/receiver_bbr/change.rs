//! Whether the path has become another one: longer than before, or slower. Ours; the paper waits until what it knew has left its filters.
//!
//! A step of the path shows from one round to the next: round trips that are longer by half than those of the round before, and by a fifth than the longest of the last five to ten seconds. Where they then stay
//! above twice the least one, and for three rounds in a row less than nine tenths of what came before is delivered, something has changed: the path is longer, or it is slower and what is in flight waits, or
//! others fill the queue. Which of them shows when next to nothing is in flight, in ProbeRTT: if the round trip stays long, it is the path's, and the model gets a new RTTmin; if it falls, the rates from before the change are forgotten.
//!
//! A queue that others share grows and drains all the time, and takes some of the rate each time: a probe cannot empty it, and would take it for the path's. So what goes no further than
//! round trips lately went is no step, and nothing is one before the first five seconds are over, in which flows that begin fill a queue for the first time.

use ackless_wire::{BitRate, Duration, Instant};

/// What is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// Of the present round: the least round trip and the greatest rate.
    least: Option<Duration>,
    rate: BitRate,
    /// Where round trips became long from one round to the next, what the path gave before. On a path that is four times as long, two products and what comes in an interval carry
    /// nearly the old rate: the rate slides, and a filter with it, many rounds behind.
    full: Option<BitRate>,
    /// The least round trip of the last round in which nothing was held back.
    earlier_least: Option<Duration>,
    lately: Lately,
    /// For how many rounds all have been long since then.
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

/// The longest that the least round trip of a round was in the last five to ten seconds, in two halves.
#[derive(Clone, Copy, Debug)]
struct Lately {
    halves: [Duration; 2],
    /// When the latter of them began; nothing before the first round.
    began: Option<Instant>,
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
            lately: Lately { halves: [Duration::ZERO; 2], began: None },
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
        let sudden = least.is_some_and(|least| self.is_step(least));
        self.lately.take(now, least.unwrap_or_default());
        // While something held back, no queue of its own stood: where one stands again, nothing has become longer.
        if !limited {
            self.earlier_least = least;
        }
        self.note_full(long, sudden, bandwidth);
        let slow = self.full.is_some_and(|full| rate > BitRate::ZERO && rate < full.percent(90));
        if limited || !slow {
            (self.rounds, self.since) = (0, BitRate::ZERO);
            return false;
        }
        self.rounds += 1;
        self.since = self.since.max(rate);
        self.rounds >= ROUNDS && now >= self.again_at
    }

    /// Whether a round whose least round trip is this one differs from those before it as by a step of the path.
    fn is_step(&self, least: Duration) -> bool {
        let beyond_the_last = self.earlier_least.is_some_and(|earlier| least * 2 >= earlier * 3);
        beyond_the_last && self.lately.longest().is_some_and(|longest| least * 5 >= longest * 6)
    }

    /// What the path gave is remembered where round trips became long at once, for as long as they stay so.
    fn note_full(&mut self, long: bool, sudden: bool, bandwidth: BitRate) {
        self.long_rounds = if long { self.long_rounds + 1 } else { 0 };
        if long && sudden && self.full.is_none() {
            (self.full, self.long_rounds) = (Some(bandwidth), 1);
        } else if !(1..=REMEMBERED).contains(&self.long_rounds) {
            self.full = None;
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

    /// A stretch of the probe is over: whether it needs another one, since round trips still fell by a tenth, or nothing of it has been reported yet. So long a queue drains, and what it still makes of
    /// the round trip is not the path's.
    pub(super) fn wants_more(&mut self, min_rtt: Option<Duration>) -> bool {
        let (Some(_), Some(min)) = (self.probing_from, min_rtt) else { return false };
        let open = match self.probed {
            None => self.earlier.is_none(),
            Some(probed) => probed * 2 > min * 3 && self.earlier.is_none_or(|earlier| probed * 10 < earlier * 9),
        };
        if !open || self.stretches >= MOST_STRETCHES {
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

impl Lately {
    /// A round is over whose least round trip was this.
    fn take(&mut self, now: Instant, least: Duration) {
        let began = *self.began.get_or_insert(now);
        if now.saturating_since(began) > HALF {
            self.halves = [self.halves[1], Duration::ZERO];
            self.began = Some(now);
        }
        self.halves[1] = self.halves[1].max(least);
    }

    /// Nothing before half of the time is over.
    fn longest(&self) -> Option<Duration> {
        let [before, now] = self.halves;
        (!before.is_zero()).then_some(before.max(now))
    }
}

/// Half of the time in which round trips are what they lately were.
const HALF: Duration = Duration::from_secs(5);
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

    /// A round at this second, of a round trip and a rate. Whether a probe is wanted.
    fn round(change: &mut Change, second: u64, (rtt, rate): (u64, u64), bandwidth: u64, limited: bool) -> bool {
        let now = Instant::from_secs(second);
        change.on_sample(now, Some(Duration::from_millis(rtt)), BitRate::from_mbps(rate), MIN);
        change.on_sample(now, Some(Duration::from_millis(rtt + 100)), BitRate::from_mbps(rate / 2), MIN);
        change.on_round(now, MIN, BitRate::from_mbps(bandwidth), limited)
    }

    /// Ten seconds of a path of 22 ms, in the last of which something held data back or not.
    fn known(limited: bool) -> Change {
        let mut change = Change::new();
        for second in 90..99 {
            assert!(!round(&mut change, second, (22, 100), 100, false));
        }
        assert!(!round(&mut change, 99, (22, 100), 100, limited));
        change
    }

    /// Rounds after that; in which of them a probe was wanted.
    fn rounds(change: &mut Change, said: &[(u64, u64)]) -> Vec<usize> {
        let wants = |&at: &usize| round(change, 100 + at as u64, said[at], 100, false);
        (0..said.len()).filter(wants).collect()
    }

    #[test]
    fn three_rounds_of_long_round_trips_and_low_rates_want_a_probe() {
        let wanted = |said: &[(u64, u64)]| rounds(&mut known(false), said);
        assert_eq!(wanted(&[(41, 89), (41, 89), (41, 89), (20, 99)]), [2]);
        assert_eq!(wanted(&[(40, 89), (40, 89), (40, 89), (40, 89)]), [], "no more than twice the least");
        assert_eq!(wanted(&[(41, 90), (41, 90), (41, 90), (41, 90)]), [], "nine tenths of what the path gave");
        assert_eq!(wanted(&[(41, 89), (41, 90), (41, 89), (41, 89)]), [], "three in a row");
        assert_eq!(wanted(&[(41, 89), (40, 89), (61, 89), (61, 89), (61, 89)]), [4], "short again in between");
    }

    #[test]
    fn only_what_is_longer_by_half_than_the_round_before_is_a_step() {
        for (before, wanted) in [(27, vec![2, 3]), (28, vec![])] {
            let mut change = known(false);
            assert!(!round(&mut change, 99, (before, 100), 100, false));
            assert_eq!(rounds(&mut change, &[(41, 70); 4]), wanted, "41 ms after {before}");
        }
    }

    #[test]
    fn only_what_goes_beyond_where_round_trips_lately_went_is_a_step() {
        for (earlier, wanted) in [(50, vec![2, 3]), (51, vec![])] {
            let mut change = known(false);
            assert!(!round(&mut change, 97, (earlier, 100), 100, false));
            assert!(!round(&mut change, 98, (22, 100), 100, false));
            assert_eq!(rounds(&mut change, &[(60, 70); 4]), wanted, "60 ms, {earlier} some seconds ago");
        }
        // After ten seconds that is forgotten.
        let mut change = known(false);
        assert!(!round(&mut change, 88, (51, 100), 100, false));
        for second in 100..112 {
            assert!(!round(&mut change, second, (22, 100), 100, false));
        }
        assert!(
            (112..116).map(|second| round(&mut change, second, (60, 70), 100, false)).eq([false, false, true, true])
        );
    }

    #[test]
    fn nothing_is_a_step_in_the_first_five_seconds() {
        for (seconds, wanted) in [(5, false), (6, true)] {
            let mut change = Change::new();
            for second in 100..=100 + seconds {
                assert!(!round(&mut change, second, (22, 100), 100, false));
            }
            let stepped = (1..=3).map(|at| round(&mut change, 100 + seconds + at, (60, 70), 100, false)).last();
            assert_eq!(stepped, Some(wanted), "after {seconds} s");
        }
    }

    #[test]
    fn a_step_that_comes_in_two_parts_is_one() {
        // One way is longer first: 40 ms are no more than twice the least.
        assert_eq!(rounds(&mut known(false), &[(40, 99), (80, 60), (80, 60), (80, 60)]), [3]);
        // Here they are, but the rate falls with the other.
        assert_eq!(rounds(&mut known(false), &[(45, 99), (80, 60), (80, 60), (80, 60)]), [3]);
        // And here the first part alone goes hardly beyond where round trips lately went.
        let mut change = known(false);
        assert!(!round(&mut change, 97, (40, 100), 100, false) && !round(&mut change, 98, (22, 100), 100, false));
        assert_eq!(rounds(&mut change, &[(45, 99), (80, 60), (80, 60), (80, 60)]), [3]);
    }

    #[test]
    fn a_rate_that_slides_is_held_against_what_was_known_when_round_trips_became_long() {
        let mut change = known(false);
        // The filter follows the rate, always less than a tenth above it.
        for (second, (bandwidth, rate)) in (100..).zip([(100, 93), (95, 88), (90, 84)]) {
            assert!(!round(&mut change, second, (41, rate), bandwidth, false), "{rate} Mbps");
        }
        assert!(round(&mut change, 103, (41, 79), 85, false));
    }

    #[test]
    fn after_30_long_rounds_what_was_before_counts_no_more() {
        let mut change = known(false);
        assert!((100..130).all(|second| !round(&mut change, second, (41, 91), 100, false)));
        assert!((130..140).all(|second| !round(&mut change, second, (41, 70), 91, false)));
        let mut change = known(false);
        assert!((100..127).all(|second| !round(&mut change, second, (41, 91), 100, false)));
        assert!((127..130).map(|second| round(&mut change, second, (41, 70), 91, false)).eq([false, false, true]));
    }

    #[test]
    fn a_step_while_data_is_held_back_is_seen_afterwards() {
        for limited in [false, true] {
            assert_eq!(rounds(&mut known(limited), &[(80, 60); 3]), [2], "{limited}");
        }
        // But where a queue stands again as before, nothing has become longer.
        let mut change = known(false);
        assert!(!round(&mut change, 99, (45, 100), 100, false));
        assert!(!round(&mut change, 99, (20, 1), 100, true));
        assert_eq!(rounds(&mut change, &[(60, 70); 4]), []);
    }

    #[test]
    fn a_round_trip_that_stays_long_with_nothing_in_flight_is_the_path_s() {
        let ms = Duration::from_millis;
        for (probed, found) in [(40, Found::Longer(ms(40))), (30, Found::Slower(BitRate::from_mbps(9)))] {
            let mut change = known(false);
            assert_eq!(rounds(&mut change, &[(200, 7), (200, 9), (200, 8)]), [2]);
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
    fn a_probe_of_which_nothing_has_been_reported_goes_on() {
        let mut change = Change::new();
        change.begin(Instant::from_secs(100));
        assert!(change.wants_more(MIN));
        change.on_sample(Instant::from_secs(101), Some(Duration::from_millis(80)), BitRate::ZERO, MIN);
        assert!(change.wants_more(MIN), "the first that it has shown");
        assert!(!change.wants_more(MIN), "nothing more");
        assert_eq!(change.end(MIN), Some(Found::Longer(Duration::from_millis(80))));
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
        let mut change = known(false);
        for second in 100..110 {
            assert!(!round(&mut change, second, (90, 9), 100, true), "in second {second}");
        }
    }

    #[test]
    fn probes_that_find_nothing_come_ever_less_often() {
        let mut change = known(false);
        let mut wanted = Vec::new();
        // Every second a round as before, and then nine that are longer than any before, by a quarter each time.
        let mut longer = 50;
        for tenth in 0..400 {
            let now = Instant::from_millis(100_000 + 100 * tenth);
            longer = if tenth % 10 == 0 { longer * 5 / 4 } else { longer };
            let rtt = if tenth % 10 == 0 { 22 } else { longer };
            change.on_sample(now, Some(Duration::from_millis(rtt)), BitRate::from_mbps(9), MIN);
            if change.on_round(now, MIN, BitRate::from_mbps(100), false) {
                wanted.push(tenth);
                change.begin(now);
                change.on_sample(now, Some(Duration::from_millis(20)), BitRate::from_mbps(9), MIN);
                assert!(matches!(change.end(MIN), Some(Found::Slower(_))));
            }
        }
        // After 1, 2, 4 and 8 seconds; then ten.
        assert_eq!(wanted, [3, 13, 33, 73, 153, 253, 353]);
    }
}

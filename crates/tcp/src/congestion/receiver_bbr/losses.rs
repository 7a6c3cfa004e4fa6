//! What losses bound, as the long-term bound of BBR version 3 does (draft-ietf-ccwg-bbr-06, whose names stand in parentheses): so much may be in flight as a probe has shown to fit,
//! less some headroom while nobody probes. Ours; the paper does not look at losses.
//!
//! The draft judges packet by packet. Reports come a round trip and 1/f apart, so here a packet-timed round is judged as a whole, and one that lost more than 2 % of what it sent, which below
//! 50 segments is a single one, lost too much only where its round trips show that a queue stood. What is lost without a queue, a radio or a damaged line has lost: to send less
//! would not change it.
//!
//! There are no short-term bounds: a rate counts here for ten rounds and not for two cycles, and so follows what losses let through by itself.

use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Duration};

use super::super::bounds::{Slope, is_too_much, longest_wait, rounds_of_reno, times_beta, with_headroom};
use super::ReportFacts;
use crate::tack::time::RateTime;

/// The bound, and what this round has shown so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossBounds {
    smss: Bytes,
    /// BBR.inflight_longterm; without bound nothing.
    long: Option<Bytes>,
    slope: Slope,
    round: Round,
    /// What is lost now was sent while the flow probed, and nothing has been cut for it (BBR.is_bw_probe_sample).
    sampling: bool,
}

/// What a round has shown.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    lost: Bytes,
    delivered: Bytes,
    /// The longest round trip.
    longest: Duration,
}

/// What may be in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    /// In force.
    pub(super) cap: Bytes,
    /// Where there were no bound.
    pub(super) target: Bytes,
    /// The product, and what comes in an interval: with less than that the rate itself would fall, and with it all that follows from it.
    pub(super) product: Bytes,
}

impl Allowed {
    /// The least that a cut leaves.
    fn least(&self) -> Bytes {
        times_beta(self.cap).max(self.product)
    }
}

/// What the time between two probes is counted in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beat {
    /// What a Reno flow beside this one would have in flight,
    pub(super) product: Bytes,
    /// and how long each of its rounds would last: no report is waited for there.
    pub(super) round_trip: Duration,
    /// An interval of the cycle.
    pub(super) interval: Duration,
}

/// Where in its cycle a flow is when a round ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// The pipe has never been full.
    Startup,
    Up,
    Down,
    Cruise,
    /// The queue of Startup drains, or the least round trip is measured.
    Other,
}

/// What a round's losses ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Nothing,
    /// The pipe counts as full.
    FullPipe,
    /// The probe was too much: its queue is to drain.
    Drain,
    /// The bound limits the probe, and nothing is lost yet: on with it.
    MoreOfThis,
}

impl LossBounds {
    pub(super) const fn new(smss: Bytes) -> Self {
        Self {
            smss,
            long: None,
            slope: Slope::new(),
            round: Round { lost: Bytes::ZERO, delivered: Bytes::ZERO, longest: Duration::ZERO },
            sampling: false,
        }
    }

    /// So much was found lost.
    pub(super) fn on_lost(&mut self, lost: Bytes) {
        self.round.lost += lost;
    }

    /// A report came.
    pub(super) fn on_report(&mut self, facts: &ReportFacts) {
        self.round.delivered += facts.delivered;
        self.round.longest = self.round.longest.max(facts.rtt.unwrap_or_default());
    }

    /// The path is another one, or what it gives is.
    pub(super) const fn forget(&mut self) {
        self.long = None;
    }

    /// A cycle begins with asking for more, `cap` being allowed. In how many intervals the next one does; nothing where no bound is in force, and so
    /// nobody else's loss has to be waited for.
    pub(super) fn begin_cycle(&mut self, cap: Bytes, beat: &Beat, random: &mut Stream) -> Option<u64> {
        self.slope = Slope::new();
        self.slope.raise(cap, self.smss);
        self.sampling = true;
        self.long?;
        let rounds = beat.round_trip * rounds_of_reno(beat.product, self.smss);
        Some(rounds.min(longest_wait(random)).div_floor(beat.interval))
    }

    /// A round is over. `limited`: the application or the controller held data back in it; `inflight` was in flight before the report that ended it.
    pub(super) fn end_round(
        &mut self,
        stage: Stage,
        limited: bool,
        min_rtt: Option<Duration>,
        allowed: &Allowed,
        inflight: Bytes,
    ) -> Asked {
        let round = std::mem::take(&mut self.round);
        if stage == Stage::Cruise {
            // What was lost of the probe, the round after it has told.
            self.sampling = false;
        }
        if limited {
            return Asked::Nothing;
        }
        if !round.lost_too_much(min_rtt) {
            return self.raise(stage, &round, allowed, inflight);
        }
        match stage {
            Stage::Startup => {
                self.long = Some(round.sent().max(times_beta(allowed.target)).max(allowed.product));
                Asked::FullPipe
            }
            Stage::Up | Stage::Down if self.sampling => {
                self.sampling = false;
                self.long = Some(round.sent().max(allowed.least()));
                if stage == Stage::Up { Asked::Drain } else { Asked::Nothing }
            }
            Stage::Up | Stage::Down | Stage::Cruise | Stage::Other => Asked::Nothing,
        }
    }

    /// A round without too many losses: what it has shown to fit, fits.
    fn raise(&mut self, stage: Stage, round: &Round, allowed: &Allowed, inflight: Bytes) -> Asked {
        let Some(long) = self.long else { return Asked::Nothing };
        let mut long = long.max(round.delivered);
        let binds = stage == Stage::Up && inflight + self.smss > long && long < allowed.target;
        if binds {
            long += self.smss * self.slope.segments_for(round.delivered);
            self.slope.raise(allowed.cap, self.smss);
        }
        // A bound that bounds nothing is none.
        self.long = (long < allowed.target).then_some(long);
        if binds { Asked::MoreOfThis } else { Asked::Nothing }
    }

    /// What may be in flight in this stage at most (BoundCwndForModel).
    pub(super) fn cap(&self, stage: Stage) -> Option<Bytes> {
        match stage {
            Stage::Startup | Stage::Other => None,
            Stage::Up | Stage::Down => self.long,
            Stage::Cruise => self.long.map(|long| with_headroom(long, self.smss)),
        }
    }

    /// Whether a long-term bound is in force.
    pub(super) const fn is_bounded(&self) -> bool {
        self.long.is_some()
    }
}

impl Round {
    fn sent(&self) -> Bytes {
        self.delivered + self.lost
    }

    /// A path counts as 10 ms long at least here too: on a shorter one the flow's own two products are a queue already.
    fn lost_too_much(&self, min_rtt: Option<Duration>) -> bool {
        let queue = min_rtt.is_some_and(|min| self.longest * 4 > RateTime::span(min) * 5);
        queue && is_too_much(self.lost, self.sent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMSS: Bytes = Bytes(1_000);
    const MIN: Option<Duration> = Some(Duration::from_millis(40));
    const CAP: Bytes = Bytes(100_000);
    const ALLOWED: Allowed = Allowed { cap: CAP, target: Bytes(120_000), product: Bytes(40_000) };

    /// A round that delivered and lost so many segments, with a longest round trip of so many milliseconds.
    fn round(bounds: &mut LossBounds, stage: Stage, delivered: u64, lost: u64, millis: u64) -> Asked {
        bounds.round = Round { lost: SMSS * lost, delivered: SMSS * delivered, longest: Duration::from_millis(millis) };
        bounds.end_round(stage, false, MIN, &ALLOWED, CAP)
    }

    fn probing() -> LossBounds {
        let mut bounds = LossBounds::new(SMSS);
        let mut random = Stream::new(1, 0, ackless_wire::random::Purpose::Congestion);
        assert_eq!(bounds.begin_cycle(CAP, &beat(100, 40, 10), &mut random), None, "no bound, no wait");
        bounds
    }

    /// A product of so many segments, a round trip and an interval of so many milliseconds.
    fn beat(product: u64, round_trip: u64, interval: u64) -> Beat {
        let ms = Duration::from_millis;
        Beat { product: SMSS * product, round_trip: ms(round_trip), interval: ms(interval) }
    }

    #[test]
    fn a_probe_that_loses_more_than_2_percent_in_a_queue_leaves_what_was_sent_as_the_bound() {
        // Three of 150 and one of 50 are not more than 2 %, and 50 ms is not more than 5/4 of 40.
        for (delivered, lost, millis) in [(147, 3, 60), (49, 1, 60), (90, 10, 50), (90, 0, 60)] {
            let mut bounds = probing();
            assert_eq!(round(&mut bounds, Stage::Up, delivered, lost, millis), Asked::Nothing, "{delivered} {lost}");
            assert_eq!(bounds.long, None);
        }
        for (stage, asked) in [(Stage::Up, Asked::Drain), (Stage::Down, Asked::Nothing)] {
            let mut bounds = probing();
            assert_eq!(round(&mut bounds, stage, 90, 3, 51), asked);
            assert_eq!((bounds.long, bounds.cap(Stage::Up)), (Some(Bytes(93_000)), Some(Bytes(93_000))));
            // 15 % less while it cruises: 93,000 - 13,950.
            assert_eq!(bounds.cap(Stage::Cruise), Some(Bytes(79_050)));
            assert_eq!((bounds.cap(Stage::Startup), bounds.cap(Stage::Other)), (None, None));
            // Once for each probe.
            assert_eq!(round(&mut bounds, Stage::Down, 75, 5, 60), Asked::Nothing);
            assert_eq!(bounds.long, Some(Bytes(93_000)));
        }
        // Of fewer than 50 a single one is more than 2 %.
        let mut bounds = probing();
        assert_eq!(round(&mut bounds, Stage::Up, 48, 1, 51), Asked::Drain);
        assert_eq!(bounds.long, Some(Bytes(70_000)));
        // Never less than 0.7 of what was allowed.
        let mut bounds = probing();
        round(&mut bounds, Stage::Up, 10, 3, 60);
        assert_eq!(bounds.long, Some(Bytes(70_000)));
        // Nor, where a timeout has left four segments and all the rest is lost, than the product.
        for stage in [Stage::Up, Stage::Startup] {
            let mut bounds = probing();
            bounds.round = Round { lost: SMSS * 10, delivered: SMSS * 4, longest: Duration::from_millis(700) };
            let allowed = Allowed { cap: Bytes(4_000), target: Bytes(50_000), ..ALLOWED };
            bounds.end_round(stage, false, MIN, &allowed, CAP);
            assert_eq!(bounds.long, Some(Bytes(40_000)), "{stage:?}");
        }
    }

    #[test]
    fn on_a_path_of_less_than_10_ms_a_queue_is_what_lasts_longer_than_5_4_of_that() {
        for (longest, asked) in [(2_500, Asked::Nothing), (12_500, Asked::Nothing), (12_501, Asked::Drain)] {
            let mut bounds = probing();
            let longest = Duration::from_micros(longest);
            bounds.round = Round { lost: SMSS * 9, delivered: SMSS * 90, longest };
            let min = Some(Duration::from_millis(1));
            assert_eq!(bounds.end_round(Stage::Up, false, min, &ALLOWED, CAP), asked, "{longest}");
        }
    }

    #[test]
    fn what_is_lost_while_nobody_probes_bounds_nothing() {
        let mut bounds = probing();
        for stage in [Stage::Cruise, Stage::Other, Stage::Down, Stage::Up] {
            assert_eq!(round(&mut bounds, stage, 80, 20, 80), Asked::Nothing, "{stage:?}");
            assert_eq!(bounds.long, None, "{stage:?}");
        }
        let mut held_back = probing();
        held_back.round = Round { lost: SMSS * 20, delivered: SMSS * 80, longest: Duration::from_millis(80) };
        assert_eq!(held_back.end_round(Stage::Up, true, MIN, &ALLOWED, CAP), Asked::Nothing);
        assert_eq!(held_back.long, None);
    }

    #[test]
    fn startup_ends_by_losses_in_a_queue() {
        let mut bounds = LossBounds::new(SMSS);
        assert_eq!(round(&mut bounds, Stage::Startup, 50, 20, 80), Asked::FullPipe);
        // 0.7 of 120,000, which is more than what was sent.
        assert_eq!(bounds.long, Some(Bytes(84_000)));
    }

    #[test]
    fn a_bound_that_limits_grows_by_one_two_four_segments_and_goes_once_it_limits_nothing() {
        let mut bounds = probing();
        round(&mut bounds, Stage::Up, 90, 3, 60);
        let mut random = Stream::new(1, 0, ackless_wire::random::Purpose::Congestion);
        // 63 round trips of 20 ms are over before two seconds are; of 200 ms they are not.
        assert_eq!(bounds.begin_cycle(CAP, &beat(100, 20, 5), &mut random), Some(252));
        let wait = bounds.begin_cycle(CAP, &beat(100, 200, 50), &mut random).expect("a bound is in force");
        assert!((40..=60).contains(&wait), "{wait}");
        // Ten of 20 ms, whatever an interval lasts.
        for (interval, intervals) in [(5, 40), (15, 13)] {
            assert_eq!(bounds.begin_cycle(CAP, &beat(10, 20, interval), &mut random), Some(intervals));
        }
        let mut grown = Vec::new();
        for _ in 0..5 {
            // All that may be in flight is.
            bounds.round = Round { lost: Bytes::ZERO, delivered: SMSS * 92, longest: Duration::from_millis(40) };
            let inflight = bounds.long.unwrap_or_default();
            assert_eq!(bounds.end_round(Stage::Up, false, MIN, &ALLOWED, inflight), Asked::MoreOfThis);
            grown.push(bounds.long.map_or(0, |long| long.get() / 1_000));
        }
        // A segment for 100, then for 50, 25, 12.5 and 6.25, and what is left over counts in the next round: 0, 3, 5, 7 and 15.
        assert_eq!(grown, [93, 96, 101, 108, 0], "120 are what there might be without a bound");
        assert_eq!(round(&mut bounds, Stage::Up, 92, 0, 40), Asked::Nothing);
    }

    #[test]
    fn a_bound_that_does_not_limit_stays_and_what_has_come_fits() {
        let mut bounds = probing();
        round(&mut bounds, Stage::Up, 90, 3, 60);
        bounds.round = Round { lost: Bytes::ZERO, delivered: SMSS * 80, longest: Duration::from_millis(40) };
        assert_eq!(bounds.end_round(Stage::Up, false, MIN, &ALLOWED, Bytes(92_000)), Asked::Nothing);
        assert_eq!(bounds.long, Some(Bytes(93_000)));
        assert_eq!(round(&mut bounds, Stage::Cruise, 97, 0, 40), Asked::Nothing);
        assert_eq!(bounds.long, Some(Bytes(97_000)));
        bounds.forget();
        assert_eq!(bounds.cap(Stage::Cruise), None);
    }
}

//! Rounds of what is delivered and lost, and what they leave allowed.

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

#[test]
fn what_each_of_eight_rounds_loses_is_not_the_queue_s() {
    // The least share of eight rounds is 4 %: up to 10 % of 100 segments is as ever.
    for (lost, asked) in [(10, Asked::Nothing), (11, Asked::Drain)] {
        let mut bounds = probing();
        for usual in [9, 7, 4, 8, 10, 9, 12, 6] {
            assert_eq!(round(&mut bounds, Stage::Other, 100 - usual, usual, 60), Asked::Nothing);
        }
        assert_eq!(round(&mut bounds, Stage::Up, 100 - lost, lost, 60), asked, "{lost}");
    }
    // A round without a loss counts for eight.
    for (rounds, asked) in [(7, Asked::Drain), (8, Asked::Nothing)] {
        let mut bounds = probing();
        round(&mut bounds, Stage::Other, 100, 0, 60);
        for _ in 0..rounds {
            round(&mut bounds, Stage::Other, 95, 5, 60);
        }
        assert_eq!(round(&mut bounds, Stage::Up, 95, 5, 60), asked, "{rounds}");
    }
}

#[test]
fn what_comes_all_the_same_was_not_lost() {
    // Of three of 93, two are left, which is more than 2 %, and then one.
    let mut bounds = probing();
    round(&mut bounds, Stage::Up, 90, 3, 60);
    bounds.on_spurious(SMSS);
    assert_eq!(bounds.long, Some(Bytes(93_000)));
    bounds.on_spurious(SMSS);
    assert_eq!(bounds.long, None);
    // The greater of two bounds, of which none is infinite; and what the path that has gone has lost, brings nothing back.
    for (before, changed, after) in
        [(Some(99_000), false, Some(99_000)), (Some(80_000), false, Some(93_000)), (Some(99_000), true, None)]
    {
        let mut bounds = probing();
        bounds.long = before.map(Bytes);
        round(&mut bounds, Stage::Up, 90, 3, 60);
        if changed {
            bounds.forget();
        }
        bounds.on_spurious(SMSS * 3);
        assert_eq!(bounds.long, after.map(Bytes), "{before:?}");
    }
    // In the same round it is not judged at all.
    let mut bounds = probing();
    bounds.on_lost(SMSS * 3);
    bounds.on_spurious(SMSS * 2);
    bounds.round.delivered = SMSS * 90;
    bounds.round.longest = Duration::from_millis(60);
    assert_eq!(bounds.end_round(Stage::Up, false, MIN, &ALLOWED, CAP), Asked::Nothing);
}

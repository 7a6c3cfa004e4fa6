//! Rounds of what is delivered and lost, and what they leave allowed.

use super::*;

const SMSS: Bytes = Bytes(1_000);
const MIN: Duration = Duration::from_millis(40);

const fn ended(now: Instant) -> Ended {
    Ended {
        now,
        starting: false,
        cruising: false,
        limited: false,
        min_rtt: Some(MIN),
        target: Bytes(120_000),
        product: Bytes(80_000),
    }
}

/// The longest round trip is that of a radio that has tried for long.
const fn shown(delivered: u64, lost: u64, millis: u64) -> Round {
    let (lost, delivered, rtt) = (Bytes(1_000 * lost), Bytes(1_000 * delivered), Duration::from_millis(millis));
    Round { lost, stretches: 1, delivered, shortest: rtt, longest: Duration::from_millis(80), sum: rtt, count: 1 }
}

/// A round that delivered and lost so many segments, with a round trip of so many milliseconds.
fn round(bounds: &mut LossBounds, delivered: u64, lost: u64, millis: u64) {
    bounds.round = shown(delivered, lost, millis);
    assert!(!bounds.end_round(&ended(Instant::ZERO)));
}

/// A bound of 0.775 of 93 segments, and the round in which what was sent before it shows is over.
fn bounded() -> LossBounds {
    let mut bounds = LossBounds::new(SMSS);
    round(&mut bounds, 90, 3, 46);
    round(&mut bounds, 75, 5, 46);
    assert_eq!(bounds.bound(), Some(Bytes(72_075)));
    bounds
}

/// So many segments behind so many others.
fn lost(before: u64, segments: u64) -> Span {
    Span::new(Position(1_000 * before), SMSS * segments)
}

/// A report of a whole window `every` so long, until `end`.
fn grow(bounds: &mut LossBounds, every: Duration, begin: Instant, end: Instant) {
    let mut now = begin;
    while now + every <= end {
        now += every;
        bounds.on_report(&facts(now, every, bounds.bound().expect("it is in force")), false);
    }
}

fn facts(now: Instant, srtt: Duration, delivered: Bytes) -> ReportFacts {
    ReportFacts {
        now,
        delivered,
        delivery_rate: ackless_wire::BitRate::ZERO,
        rtt: Some(srtt),
        srtt,
        min_rtt: Some(MIN),
        interval: None,
        heard: None,
        inflight: Bytes::ZERO,
        round: 0,
        application_limited: false,
    }
}

#[test]
fn a_round_that_loses_more_than_2_percent_in_a_queue_leaves_31_of_40_parts_of_what_it_sent() {
    // Three of 150 and one of 50 are not more than 2 %, and 45 ms is not more than 9/8 of 40.
    for (delivered, lost, millis) in [(147, 3, 60), (49, 1, 60), (90, 10, 45), (90, 0, 60)] {
        let mut bounds = LossBounds::new(SMSS);
        round(&mut bounds, delivered, lost, millis);
        assert_eq!(bounds.bound(), None, "{delivered} {lost} {millis}");
    }
    // Of fewer than 50 a single one is more than 2 %; four segments are left at least; and no more counts as sent than might have been.
    for (delivered, lost, left) in [(90, 3, 72_075), (48, 1, 37_975), (3, 1, 4_000), (150, 10, 93_000)] {
        let mut bounds = LossBounds::new(SMSS);
        round(&mut bounds, delivered, lost, 51);
        assert_eq!(bounds.bound(), Some(Bytes(left)), "{delivered} {lost}");
    }
    let mut unknown = LossBounds::new(SMSS);
    unknown.round = shown(90, 3, 51);
    unknown.end_round(&Ended { min_rtt: None, ..ended(Instant::ZERO) });
    assert_eq!(unknown.bound(), None, "without a least round trip nobody knows of a queue");
}

#[test]
fn more_than_a_fifth_behind_more_than_2_percent_is_too_much_without_a_queue_too() {
    for (before, lost, left) in [(2, 21, None), (21, 20, None), (3, 21, Some(77_500))] {
        let mut bounds = LossBounds::new(SMSS);
        round(&mut bounds, 100 - before, before, 45);
        assert_eq!(bounds.bound(), None, "a radio that fades loses as much for once");
        round(&mut bounds, 100 - lost, lost, 45);
        assert_eq!(bounds.bound(), left.map(Bytes), "{before} {lost}");
    }
    // It has to be the round before that, and not one that was held back, nor one of another path, nor the one in which what was sent before a cut shows.
    let before: [fn(&mut LossBounds); 4] = [
        |bounds| round(bounds, 100, 0, 45),
        |bounds| {
            bounds.round = shown(79, 21, 45);
            bounds.end_round(&Ended { limited: true, ..ended(Instant::ZERO) });
        },
        LossBounds::forget,
        |bounds| (0..2).for_each(|_| round(bounds, 79, 21, 45)),
    ];
    for (case, between) in before.into_iter().enumerate() {
        let mut bounds = LossBounds::new(SMSS);
        round(&mut bounds, 79, 21, 45);
        between(&mut bounds);
        let bound = bounds.bound();
        round(&mut bounds, 79, 21, 45);
        assert_eq!(bounds.bound(), bound, "{case}");
    }
    // A queue need not show twice.
    let mut bounds = LossBounds::new(SMSS);
    round(&mut bounds, 97, 3, 46);
    assert!(bounds.bound().is_some());
}

#[test]
fn a_queue_that_stood_for_a_part_of_the_round_did_not_lose() {
    // A radio that fades: what comes behind the A-MPDU that it loses has waited, and what went before and comes after has not.
    for (other, cut) in [(45, false), (46, true)] {
        let mut bounds = LossBounds::new(SMSS);
        for millis in [90, other, 120] {
            bounds.on_report(&facts(Instant::ZERO, Duration::from_millis(millis), SMSS * 30), false);
        }
        bounds.on_lost(lost(0, 3));
        bounds.end_round(&ended(Instant::ZERO));
        assert_eq!(bounds.bound().is_some(), cut, "{other}");
    }
    // No round trip at all shows none.
    let mut bounds = LossBounds::new(SMSS);
    bounds.round = Round { count: 0, shortest: Duration::MAX, ..shown(90, 9, 0) };
    bounds.end_round(&ended(Instant::ZERO));
    assert_eq!(bounds.bound(), None);
}

#[test]
fn what_a_short_queue_loses_counts_if_it_stands_all_the_time_and_no_round_trip_is_long() {
    // 33/32 of 40 ms are 41.25, 5/4 are 50.
    for (shortest, longest, queue) in [
        (41_250, 41_250, Queue::None),
        (41_251, 41_251, Queue::Short),
        (41_251, 49_999, Queue::Short),
        (41_251, 50_000, Queue::None),
        (41_250, 49_999, Queue::None),
        (45_001, 49_999, Queue::Short),
        (45_001, 50_000, Queue::Long),
    ] {
        let mut bounds = LossBounds::new(SMSS);
        for rtt in [longest, shortest, longest] {
            bounds.on_report(&facts(Instant::ZERO, Duration::from_micros(rtt), SMSS * 30), false);
        }
        bounds.on_lost(lost(0, 3));
        bounds.end_round(&ended(Instant::ZERO));
        let (cut, short) = (queue != Queue::None, queue == Queue::Short);
        assert_eq!(
            (bounds.queue, bounds.bound().is_some(), bounds.waits(Instant::ZERO)),
            (queue, cut, short),
            "{longest}"
        );
    }
}

/// A short queue cut it at this moment.
fn cut_by_short_queue(bounds: &mut LossBounds, now: Instant) {
    bounds.round = Round { longest: Duration::from_millis(46), ..shown(90, 3, 46) };
    assert!(!bounds.end_round(&ended(now)));
    assert!(bounds.waits(now));
}

#[test]
fn what_a_short_queue_has_cut_grows_freely_after_two_seconds() {
    let cut = Instant::from_millis(500);
    let mut bounds = LossBounds::new(SMSS);
    cut_by_short_queue(&mut bounds, cut);
    let mut grown = Vec::new();
    for millis in [500, 1_000, 1_999, 2_000, 2_040, 2_080] {
        bounds.round = shown(90, 0, 44);
        bounds.end_round(&ended(cut + Duration::from_millis(millis)));
        grown.push(bounds.bound().map_or(0, |bound| bound.get()) - 72_075);
    }
    assert_eq!(grown, [0, 0, 0, 0, 1_000, 3_000]);
    // By what a long queue loses it is cut as any other.
    round(&mut bounds, 90, 0, 51);
    round(&mut bounds, 90, 3, 51);
    assert!(bounds.limits_asking(cut + Duration::from_secs(9)) && !bounds.waits(Instant::ZERO));
    // And what comes all the same makes it what it was.
    let mut bounds = bounded();
    round(&mut bounds, 75, 0, 46);
    cut_by_short_queue(&mut bounds, cut);
    bounds.on_spurious(Bytes(3_000));
    assert!(bounds.limits_asking(cut + Duration::from_secs(9)) && !bounds.waits(cut));
}

#[test]
fn for_two_seconds_a_short_queue_is_not_asked_for_more() {
    let cut = Instant::from_millis(500);
    let mut bounds = LossBounds::new(SMSS);
    assert!(!bounds.waits(cut) && !bounds.limits_asking(cut));
    cut_by_short_queue(&mut bounds, cut);
    for (millis, waits) in [(0, true), (1_999, true), (2_000, false)] {
        let now = cut + Duration::from_millis(millis);
        assert_eq!((bounds.waits(now), bounds.limits_asking(now)), (waits, waits), "{millis}");
    }
    // A long one is not asked at all, and waits for nothing.
    let late = cut + Duration::from_secs(9);
    let bounds = bounded();
    assert!(bounds.limits_asking(late) && !bounds.waits(Instant::ZERO));
    // Where asking has brought more nothing is left of it, nor of what might take it back.
    let mut bounds = bounded();
    bounds.end_bound();
    bounds.on_spurious(Bytes(5_000));
    assert!(bounds.bound().is_none() && !bounds.limits_asking(late));
}

#[test]
fn what_a_short_queue_has_cut_grows_up_to_what_was_cut_whatever_the_path_holds() {
    // From 75 segments, which it holds, to the 93 that were cut any other is left to the curve.
    for (short, window, more) in [(true, 75.0, 1), (true, 92.9, 1), (false, 75.0, 0), (false, 92.9, 0)] {
        let mut bounds = bounded();
        if short {
            bounds = LossBounds::new(SMSS);
            cut_by_short_queue(&mut bounds, Instant::ZERO);
        }
        bounds.bound.as_mut().expect("it is in force").window = window;
        (bounds.free, bounds.answered) = (1, false);
        bounds.round = shown(90, 0, 44);
        bounds.end_round(&Ended { product: Bytes(75_000), ..ended(Instant::from_secs(3)) });
        assert_eq!(bounds.bound(), Some(Bytes((window * 1_000.0) as u64 + 1_000 * more)), "{short} {window}");
    }
}

/// A round of a short queue, or of a long one, by a bound of so many segments; seven rounds ago 80 were delivered.
fn by_bound_of(window: Option<f64>, shown: Round, long: bool) -> LossBounds {
    let longest = Duration::from_millis(if long { 80 } else { 46 });
    let mut bounds = LossBounds::new(SMSS);
    if let Some(window) = window {
        bounds = bounded();
        bounds.bound.as_mut().expect("it is in force").window = window;
        bounds.answered = false;
    }
    bounds.came = [Bytes::ZERO; ROUNDS];
    bounds.came[6] = SMSS * 80;
    bounds.round = Round { longest, ..shown };
    bounds.end_round(&ended(Instant::ZERO));
    bounds
}

#[test]
fn a_short_queue_leaves_at_least_two_fifths_of_what_a_round_has_delivered_of_late() {
    // Of 80: 32. 0.775 of 42 are 32.55; of what is less already nothing is taken.
    for (window, long, left) in
        [(42.0, false, 32_550), (41.0, false, 32_000), (41.0, true, 31_775), (30.0, false, 30_000)]
    {
        let bounds = by_bound_of(Some(window), shown(37, 3, 46), long);
        assert_eq!((bounds.bound(), bounds.answered), (Some(Bytes(left)), true), "{window} {long}");
    }
    // And 0.7 of the product at most, where reports are so far apart that a round brings several windows.
    let mut bounds = by_bound_of(Some(41.0), shown(37, 0, 46), false);
    bounds.round = Round { longest: Duration::from_millis(46), ..shown(77, 3, 46) };
    bounds.came = [SMSS * 400; ROUNDS];
    bounds.bound.as_mut().expect("it is in force").window = 85.0;
    bounds.end_round(&Ended { product: Bytes(100_000), ..ended(Instant::ZERO) });
    assert_eq!(bounds.bound(), Some(Bytes(70_000)));
    // In the round after that those 80 are too long ago: 0.775 of 41 again.
    let mut bounds = by_bound_of(Some(60.0), shown(37, 0, 46), false);
    bounds.bound.as_mut().expect("it is in force").window = 41.0;
    bounds.round = Round { longest: Duration::from_millis(46), ..shown(37, 3, 46) };
    bounds.end_round(&ended(Instant::ZERO));
    assert_eq!(bounds.bound(), Some(Bytes(31_775)));
    // And of another path nothing is known.
    let mut bounds = by_bound_of(None, shown(90, 0, 46), false);
    bounds.forget();
    bounds.round = Round { longest: Duration::from_millis(46), ..shown(17, 3, 46) };
    bounds.end_round(&ended(Instant::ZERO));
    assert_eq!(bounds.bound(), Some(Bytes(15_500)));
    // But where more than a fifth is lost again the path takes no more than comes.
    let mut bounds = by_bound_of(Some(60.0), shown(45, 14, 46), false);
    assert_eq!(bounds.bound(), Some(Bytes(46_500)));
    (bounds.answered, bounds.came) = (false, [SMSS * 80; ROUNDS]);
    bounds.round = Round { longest: Duration::from_millis(46), ..shown(27, 14, 46) };
    bounds.end_round(&ended(Instant::ZERO));
    assert_eq!(bounds.bound(), Some(Bytes(27_000)));
    // And no more than there was, where more than the bound has come all the same.
    bounds.bound.as_mut().expect("it is in force").window = 30.0;
    (bounds.answered, bounds.heavy) = (false, true);
    bounds.round = Round { longest: Duration::from_millis(46), ..shown(60, 20, 46) };
    bounds.end_round(&ended(Instant::ZERO));
    assert_eq!(bounds.bound(), Some(Bytes(30_000)));
}

#[test]
fn a_round_of_a_short_queue_that_sent_less_than_half_of_what_it_might_have_is_not_judged() {
    // Half of the 80 that have come of late, or of the bound where that is less.
    for (window, sent, long, cut) in [
        (None, 39, false, false),
        (None, 40, false, true),
        (None, 39, true, true),
        (Some(60.0), 29, false, false),
        (Some(60.0), 30, false, true),
        (Some(60.0), 29, true, true),
        (Some(100.0), 39, false, false),
        (Some(100.0), 40, false, true),
    ] {
        let bounds = by_bound_of(window, shown(sent - 3, 3, 46), long);
        assert_eq!(bounds.answered, cut, "{window:?} {sent} {long}");
    }
}

#[test]
fn noise_counts_in_a_short_queue_once_three_cuts_have_shown_it() {
    // 3 % in every stretch, and in as many rounds that followed cuts. Eight of 200 are no more than chance makes of six.
    for (cuts, longest, cut) in [(2, 49, true), (3, 49, false), (2, 50, false)] {
        let mut noise = Noise::new(SMSS);
        (0..8).for_each(|_| noise.end_round(SMSS * 6, SMSS * 200, false));
        (0..cuts).for_each(|_| noise.end_round(SMSS * 6, SMSS * 200, true));
        let mut bounds = LossBounds { noise, ..LossBounds::new(SMSS) };
        bounds.round = Round { longest: Duration::from_millis(longest), ..shown(192, 8, 46) };
        bounds.end_round(&Ended { target: Bytes(900_000), ..ended(Instant::ZERO) });
        assert_eq!(bounds.bound().is_some(), cut, "{cuts} {longest}");
    }
}

#[test]
fn the_next_round_s_losses_are_of_the_same_and_the_one_after_cuts_again_and_makes_room() {
    let mut bounds = bounded();
    round(&mut bounds, 69, 3, 51);
    // 0.775 of 72.075, whatever has been sent; W_max is that of fast convergence: 72.075 (1 + 0.775) / 2.
    assert_eq!(bounds.bound(), Some(Bytes(55_858)));
    let bound = bounds.bound.expect("it is in force");
    assert!((bound.max - 63.966).abs() < 1e-3 && (bound.prior - 72.075).abs() < 1e-9, "{bound:?}");
}

#[test]
fn a_bound_grows_as_reno_would_or_on_the_curve_of_cubic() {
    // 9/17 of a segment for each window: ten of them after 37.975 it is 5.294 more, where the curve is at 41.8.
    let mut bounds = LossBounds::new(SMSS);
    round(&mut bounds, 48, 1, 51);
    grow(&mut bounds, MIN, Instant::ZERO, Instant::from_millis(400));
    assert_eq!(bounds.bound().map(|bound| bound.get() / 10), Some(4_326));
    // K = cbrt(0.225 * 1000 / 0.4) = 8.255 s, where Reno would have 22 more.
    let mut long = LossBounds::new(SMSS);
    long.round = shown(970, 30, 400);
    long.end_round(&Ended { target: Bytes(2_000_000), ..ended(Instant::ZERO) });
    assert_eq!(long.bound(), Some(Bytes(775_000)));
    let every = Duration::from_millis(200);
    grow(&mut long, every, Instant::ZERO, Instant::from_millis(8_200));
    let bound = long.bound().expect("it is in force").get();
    assert!((998_000..=1_001_000).contains(&bound), "{bound}");
}

#[test]
fn while_less_is_in_flight_than_may_be_time_does_not_pass_for_the_bound() {
    let second = Duration::from_secs(1);
    let mut held = LossBounds::new(SMSS);
    held.round = shown(970, 30, 400);
    held.end_round(&Ended { target: Bytes(2_000_000), ..ended(Instant::ZERO) });
    let mut used = held;
    let every = Duration::from_millis(200);
    let (middle, end) = (Instant::ZERO + second, Instant::ZERO + second * 2);
    grow(&mut used, every, Instant::ZERO, end - every);
    grow(&mut held, every, Instant::ZERO, middle);
    let before = held.bound();
    for millis in [0, 2_000, 5_000] {
        held.on_report(&facts(middle + Duration::from_millis(millis), every, Bytes(1_000)), true);
    }
    assert_eq!(held.bound(), before);
    grow(&mut held, every, middle + second * 5, end + second * 5);
    // The time until the first report of something that was sent thereafter does not count either.
    assert_eq!(held.bound(), used.bound());
}

#[test]
fn a_bound_that_bounds_nothing_is_none_and_none_outlasts_its_path() {
    for (target, stays) in [(72_075, false), (72_076, true)] {
        let mut bounds = bounded();
        bounds.round = shown(70, 0, 51);
        bounds.end_round(&Ended { target: Bytes(target), ..ended(Instant::ZERO) });
        assert_eq!(bounds.bound().is_some(), stays, "{target}");
    }
    // One that the application holds back all the while goes as well.
    let mut bounds = bounded();
    bounds.end_round(&Ended { limited: true, target: Bytes(72_075), ..ended(Instant::ZERO) });
    assert_eq!(bounds.bound(), None);
    let mut bounds = bounded();
    bounds.forget();
    assert_eq!(bounds.bound(), None);
}

#[test]
fn after_two_rounds_without_any_queue_a_bound_grows_by_one_two_four_segments() {
    let mut bounds = bounded();
    let mut grown = Vec::new();
    let alone = Ended { product: Bytes(200_000), ..ended(Instant::ZERO) };
    let rounds =
        [(90, 44), (90, 44), (90, 44), (90, 44), (7, 44), (90, 45), (90, 44), (90, 45), (90, 45), (90, 44), (90, 44)];
    for (delivered, millis) in rounds {
        bounds.round = shown(delivered, 0, millis);
        bounds.end_round(&alone);
        grown.push(bounds.bound().map_or(0, |bound| bound.get()) - 72_075);
    }
    // Never by more than has come; and a round in which a queue was takes one back. 45 ms are 9/8 of 40.
    assert_eq!(grown, [0, 1_000, 3_000, 7_000, 14_000, 14_000, 22_000, 22_000, 22_000, 26_000, 34_000]);
    // From what the path holds, 75 segments, to the 93 that were cut it is left to the curve. Beyond, it grows again.
    for (window, more) in [(74.9, 1), (75.0, 0), (92.9, 0), (93.0, 1)] {
        let mut bounds = bounded();
        let bound = bounds.bound.as_mut().expect("it is in force");
        (bound.window, bounds.free) = (window, 1);
        bounds.round = shown(90, 0, 44);
        bounds.end_round(&Ended { product: Bytes(75_000), ..ended(Instant::ZERO) });
        assert_eq!(bounds.bound(), Some(Bytes((window * 1_000.0) as u64 + 1_000 * more)), "{window}");
    }
    // From there it goes on: a window of 106 grows within a round trip, though the curve of the cut is far below.
    let before = bounds.bound();
    bounds.on_report(&facts(Instant::from_millis(40), MIN, Bytes(106_075)), false);
    assert!(bounds.bound() > before.map(|bound| bound + Bytes(500)), "{bounds:?}");
    // A round that was held back is no sign of having the path alone.
    let mut held = bounded();
    round(&mut held, 90, 0, 44);
    held.round = shown(90, 0, 44);
    held.end_round(&Ended { limited: true, ..ended(Instant::ZERO) });
    round(&mut held, 90, 0, 44);
    assert_eq!(held.bound(), Some(Bytes(72_075)));
    // Nor are rounds before a cut one of having it alone after it.
    let mut bounds = LossBounds::new(SMSS);
    (0..9).for_each(|_| round(&mut bounds, 90, 0, 44));
    round(&mut bounds, 90, 3, 51);
    round(&mut bounds, 90, 0, 44);
    assert_eq!(bounds.bound(), Some(Bytes(72_075)));
    // It is the mean that tells: 40 and 49 ms are less than 9/8 of 40, 40 and 50 are not.
    for (longer, grown) in [(49, 1_000), (50, 0)] {
        let mut bounds = bounded();
        for _ in 0..2 {
            let both = shown(90, 0, 40 + longer).sum;
            bounds.round = Round { sum: both, count: 2, ..shown(90, 0, 40) };
            bounds.end_round(&ended(Instant::ZERO));
        }
        assert_eq!(bounds.bound(), Some(Bytes(72_075 + grown)), "{longer}");
    }
    // What loses more than 2 % is no path that one has alone.
    for (lost, grown) in [(2, 1_000), (3, 0)] {
        let mut bounds = bounded();
        (0..2).for_each(|_| round(&mut bounds, 100 - lost, lost, 44));
        assert_eq!(bounds.bound(), Some(Bytes(72_075 + grown)), "{lost}");
    }
}

#[test]
fn on_a_path_of_less_than_10_ms_a_queue_is_what_lasts_longer_than_9_8_of_that() {
    for (shortest, cut) in [(2_500, false), (11_250, false), (11_251, true)] {
        let mut bounds = LossBounds::new(SMSS);
        bounds.round = Round { shortest: Duration::from_micros(shortest), ..shown(90, 9, 0) };
        bounds.end_round(&Ended { min_rtt: Some(Duration::from_millis(1)), ..ended(Instant::ZERO) });
        assert_eq!(bounds.bound().is_some(), cut, "{shortest}");
    }
}

#[test]
fn a_round_that_was_held_back_is_not_judged() {
    let mut bounds = LossBounds::new(SMSS);
    bounds.round = shown(80, 20, 80);
    assert!(!bounds.end_round(&Ended { limited: true, ..ended(Instant::ZERO) }));
    assert_eq!(bounds.bound(), None);
    // Nor are its losses the next one's.
    round(&mut bounds, 90, 0, 80);
    assert_eq!(bounds.bound(), None);
}

#[test]
fn startup_ends_by_six_stretches_that_a_queue_lost() {
    // Each second segment is a stretch; six in a row, as a radio loses an A-MPDU, are one, however they are found.
    for (apart, count, full) in [(2, 5, false), (2, 6, true), (1, 12, false)] {
        let mut bounds = LossBounds::new(SMSS);
        bounds.on_report(&facts(Instant::ZERO, MIN * 2, SMSS * 24), false);
        (0..count).for_each(|at| bounds.on_lost(lost(at * apart, 1)));
        assert_eq!(bounds.end_round(&Ended { starting: true, ..ended(Instant::ZERO) }), full, "{apart} {count}");
        assert_eq!(bounds.bound(), full.then_some(Bytes(23_250)), "{apart} {count}");
    }
    // What comes all the same was not lost, in however many stretches; nor is what every round loses.
    let mut bounds = LossBounds::new(SMSS);
    bounds.on_report(&facts(Instant::ZERO, MIN * 2, SMSS * 40), false);
    (0..7).for_each(|at| bounds.on_lost(lost(at * 2, 1)));
    bounds.on_spurious(SMSS * 6);
    assert!(!bounds.end_round(&Ended { starting: true, ..ended(Instant::ZERO) }));
    assert_eq!(bounds.bound(), None);
    // A round's first is one, though it goes on where the last round's ended.
    let mut bounds = LossBounds::new(SMSS);
    bounds.on_lost(lost(0, 1));
    bounds.end_round(&Ended { starting: true, ..ended(Instant::ZERO) });
    bounds.on_report(&facts(Instant::ZERO, MIN * 2, SMSS * 24), false);
    [1, 3, 5, 7, 9, 11].into_iter().for_each(|at| bounds.on_lost(lost(at, 1)));
    assert!(bounds.end_round(&Ended { starting: true, ..ended(Instant::ZERO) }));
}

/// What has shown that of 1,000 segments 15 are noise, and what chance makes of that: 26.6 in all.
fn noisy() -> Noise {
    let mut noise = Noise::new(SMSS);
    (0..8).for_each(|_| noise.end_round(SMSS * 15, SMSS * 1_000, false));
    noise
}

#[test]
fn noise_is_not_the_queue_s() {
    // More than 2 % beyond it are from 47 on.
    for (lost, cut) in [(46, false), (47, true)] {
        let mut bounds = LossBounds { noise: noisy(), ..LossBounds::new(SMSS) };
        round(&mut bounds, 1_000 - lost, lost, 60);
        assert_eq!(bounds.bound().is_some(), cut, "{lost}");
    }
    // What a round loses is learned once it has been judged.
    let mut bounds = LossBounds::new(SMSS);
    round(&mut bounds, 960, 40, 60);
    assert!(bounds.bound().is_some() && bounds.noise.of(SMSS * 1_000) == Bytes(58_973), "{bounds:?}");
}

#[test]
fn a_round_that_was_sent_after_a_cut_had_shown_says_what_noise_is_at_most() {
    let noise = |bounds: &LossBounds| bounds.noise.of(SMSS * 1_000).get();
    let mut bounds = LossBounds { noise: noisy(), ..LossBounds::new(SMSS) };
    let mut held = bounds;
    round(&mut bounds, 100, 40, 60);
    assert!(bounds.bound().is_some());
    // The next one was sent before that showed. Of 100 segments 1 is lost then, which is 10 of 1,000; what comes later says nothing any more.
    assert_eq!(
        [(100, 0), (99, 1), (0, 50)].map(|(delivered, lost)| {
            round(&mut bounds, delivered, lost, 60);
            noise(&bounds)
        }),
        [26_618, 19_486, 19_486]
    );
    // Where the next one was cut for too, its next one was sent before that showed.
    let mut twice = LossBounds { noise: noisy(), ..LossBounds::new(SMSS) };
    let rounds = [(100, 40), (20, 80), (50, 0), (99, 1)];
    assert_eq!(
        rounds.map(|(delivered, lost)| {
            round(&mut twice, delivered, lost, 60);
            noise(&twice)
        }),
        [26_618, 26_618, 26_618, 19_486]
    );
    // Nor does one that comes after one that was held back.
    round(&mut held, 100, 40, 60);
    held.round = shown(50, 0, 60);
    held.end_round(&Ended { limited: true, ..ended(Instant::ZERO) });
    round(&mut held, 99, 1, 60);
    assert_eq!(noise(&held), 26_618);
}

#[test]
fn two_rounds_in_a_row_that_lose_more_than_a_fifth_leave_what_the_second_has_delivered() {
    // 77.5 of 100 segments, and then, though the second was sent before that showed, what came of it, but four at least.
    for (rounds, left) in [
        (&[(70, 30)][..], 77_500),
        (&[(70, 30), (80, 20)], 77_500),
        (&[(70, 30), (20, 80)], 20_000),
        (&[(70, 30), (20, 80), (10, 90)], 10_000),
        (&[(70, 30), (3, 97)], 4_000),
        // A bound is not made longer.
        (&[(70, 30), (90, 30)], 77_500),
        // A round in between, and each is for itself.
        (&[(70, 30), (100, 0), (70, 30)], 60_062),
    ] {
        let mut bounds = LossBounds::new(SMSS);
        rounds.iter().for_each(|&(delivered, lost)| round(&mut bounds, delivered, lost, 60));
        assert_eq!(bounds.bound(), Some(Bytes(left)), "{rounds:?}");
    }
    // One that was held back is none of them.
    let mut bounds = LossBounds::new(SMSS);
    bounds.round = shown(70, 30, 60);
    bounds.end_round(&Ended { limited: true, ..ended(Instant::ZERO) });
    round(&mut bounds, 70, 30, 60);
    assert_eq!(bounds.bound(), Some(Bytes(77_500)));
    // Where the first was no reason for a cut, since no queue showed.
    let mut bounds = LossBounds::new(SMSS);
    (0..2).for_each(|_| round(&mut bounds, 60, 40, 45));
    assert_eq!(bounds.bound(), Some(Bytes(60_000)));
}

#[test]
fn a_queue_that_stands_once_the_cycle_has_drained_its_own_is_others() {
    let mut bounds = LossBounds::new(SMSS);
    let mut cruise = |cruising, millis| {
        bounds.round = shown(90, 0, millis);
        bounds.end_round(&Ended { cruising, ..ended(Instant::ZERO) });
        bounds.has_standing_queue()
    };
    // What the first round in the cruise shows was sent before it. 50 ms are 5/4 of 40.
    for (cruising, millis, stands) in [
        (false, 60, false),
        (true, 60, false),
        (true, 50, false),
        (true, 51, true),
        (false, 40, true),
        (true, 40, true),
        (true, 40, false),
    ] {
        assert_eq!(cruise(cruising, millis), stands, "{cruising} {millis}");
    }
    // It is the mean that tells.
    bounds.end_round(&Ended { cruising: true, ..ended(Instant::ZERO) });
    for (other, stands) in [(58, false), (62, true)] {
        for millis in [41, other] {
            bounds.on_report(&facts(Instant::ZERO, Duration::from_millis(millis), SMSS), false);
        }
        bounds.end_round(&Ended { cruising: true, ..ended(Instant::ZERO) });
        assert_eq!(bounds.has_standing_queue(), stands, "{other}");
    }
}

#[test]
fn what_comes_all_the_same_was_not_lost() {
    // Of three of 93, two are left, which is more than 2 %, and then one.
    let mut bounds = LossBounds::new(SMSS);
    round(&mut bounds, 90, 3, 60);
    bounds.on_spurious(SMSS);
    assert_eq!(bounds.bound(), Some(Bytes(72_075)));
    bounds.on_spurious(SMSS);
    assert_eq!(bounds.bound(), None);
    // What was in force before is again, unless the bound has grown beyond it since; and what the path that has gone has lost, brings nothing back.
    for (free, changed, after) in [(0, false, Some(72_075)), (20_000, false, Some(75_858)), (0, true, None)] {
        let mut bounds = bounded();
        round(&mut bounds, 69, 3, 60);
        if let Some(bound) = &mut bounds.bound {
            bound.window += f64::from(free) / 1_000.0;
        }
        if changed {
            bounds.forget();
        }
        bounds.on_spurious(SMSS * 3);
        assert_eq!(bounds.bound(), after.map(Bytes), "{free} {changed}");
    }
    // Where no queue showed, a fifth is not too much.
    let mut bounds = LossBounds::new(SMSS);
    (0..2).for_each(|_| round(&mut bounds, 78, 22, 45));
    bounds.on_spurious(SMSS);
    assert!(bounds.bound().is_some());
    bounds.on_spurious(SMSS);
    assert!(bounds.bound().is_none());
    // What the second of two heavy rounds left goes by what both have lost: four of 200 are not too much.
    for (came, bound) in [(105, Some(Bytes(20_000))), (106, None)] {
        let mut bounds = LossBounds::new(SMSS);
        [(70, 30), (20, 80)].into_iter().for_each(|(delivered, lost)| round(&mut bounds, delivered, lost, 60));
        bounds.on_spurious(SMSS * came);
        assert_eq!(bounds.bound(), bound, "{came}");
    }
    // In the same round it is not judged at all.
    let mut bounds = LossBounds::new(SMSS);
    bounds.on_lost(lost(0, 3));
    bounds.on_spurious(SMSS * 2);
    bounds.round = Round { lost: bounds.round.lost, ..shown(90, 0, 60) };
    bounds.end_round(&ended(Instant::ZERO));
    assert_eq!(bounds.bound(), None);
}

/// After so many cuts, behind each of which a round of 40 segments lost nothing, though it was sent before that showed, and the next so many. Without losses there it is the one behind that which is cut for.
fn after(cuts: usize, low: u64) -> LossBounds {
    let mut bounds = LossBounds::new(SMSS);
    round(&mut bounds, 38, 2, 60);
    for _ in 0..cuts {
        round(&mut bounds, 40, 0, 60);
        round(&mut bounds, 40 - low, low, 60);
        if low == 0 {
            round(&mut bounds, 38, 2, 60);
        }
    }
    bounds
}

#[test]
fn where_as_much_is_lost_after_cuts_as_ever_a_cut_leaves_what_came_up_to_nine_tenths() {
    for (cuts, low, delivered, left) in [
        (16, 2, 39, 36_000),
        (16, 2, 34, 34_000),
        (16, 2, 30, 31_000),
        // After too few, and where cuts have helped.
        (15, 2, 39, 31_000),
        (16, 0, 39, 31_000),
    ] {
        let mut bounds = LossBounds { bound: None, answered: false, ..after(cuts, low) };
        round(&mut bounds, delivered, 40 - delivered, 60);
        assert_eq!(bounds.bound(), Some(Bytes(left)), "{cuts} {low} {delivered}");
    }
    // Of a short queue no cut is in vain.
    let mut bounds = LossBounds { bound: None, answered: false, ..after(16, 2) };
    bounds.round = Round { longest: Duration::from_millis(46), ..shown(39, 1, 46) };
    bounds.end_round(&ended(Instant::ZERO));
    assert_eq!(bounds.bound(), Some(Bytes(31_000)));
}

#[test]
fn what_was_lost_after_cuts_on_another_path_is_forgotten() {
    let mut bounds = after(16, 2);
    assert!(bounds.relief.is_none());
    bounds.forget();
    assert!(!bounds.relief.is_none());
}

#[test]
fn noise_goes_on_after_cuts_and_does_not_show_that_they_are_in_vain() {
    // Of each 1,000 segments 15, of which chance makes 26; and once in six rounds 50, which is too much. All lose 21 of 1,000, and those that follow cuts 15.
    let mut bounds = LossBounds { noise: noisy(), ..LossBounds::new(SMSS) };
    for _ in 0..20 {
        round(&mut bounds, 950, 50, 60);
        assert!(bounds.answered);
        (0..5).for_each(|_| round(&mut bounds, 985, 15, 60));
    }
    assert!(!bounds.relief.is_none(), "{bounds:?}");
}

//! What is taken for another path, and what a probe makes of it.

use super::*;

const MIN: Option<Duration> = Some(Duration::from_millis(20));

/// A round at this second, of a round trip and a rate. Whether a probe is wanted.
fn round(change: &mut Change, second: u64, (rtt, rate): (u64, u64), bandwidth: u64, limited: bool) -> bool {
    let now = Instant::from_secs(second);
    change.on_sample(now, Some(Duration::from_millis(rtt)), BitRate::from_mbps(rate), MIN);
    change.on_sample(now, Some(Duration::from_millis(rtt + 100)), BitRate::from_mbps(rate / 2), MIN);
    change.on_round(over(now, bandwidth, limited))
}

fn over(now: Instant, bandwidth: u64, limited: bool) -> Round {
    Round { now, min_rtt: MIN, bandwidth: BitRate::from_mbps(bandwidth), limited, starting: false }
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
    assert_eq!(wanted(&[(31, 89), (31, 89), (31, 89), (20, 99)]), [2]);
    assert_eq!(wanted(&[(30, 89), (30, 89), (30, 89), (30, 89)]), [], "no more than one and a half times the least");
    assert_eq!(wanted(&[(31, 90), (31, 90), (31, 90), (31, 90)]), [], "nine tenths of what the path gave");
    assert_eq!(wanted(&[(31, 89), (31, 90), (31, 89), (31, 89)]), [], "three in a row");
    assert_eq!(wanted(&[(31, 89), (30, 89), (61, 89), (61, 89), (61, 89)]), [4], "short again in between");
}

#[test]
fn only_what_is_longer_by_three_tenths_than_the_round_before_is_a_step() {
    for (before, wanted) in [(29, vec![2, 3]), (30, vec![])] {
        let mut change = known(false);
        (0..2).for_each(|_| assert!(!round(&mut change, 99, (before, 100), 100, false)));
        assert_eq!(rounds(&mut change, &[(38, 70); 4]), wanted, "38 ms after {before}");
    }
}

#[test]
fn a_step_may_come_in_two_parts_one_behind_the_other() {
    // The first is too short to be long, and the second too short to be a step.
    for (halfway, wanted) in [(1, vec![2, 3]), (2, vec![])] {
        let mut change = known(false);
        (0..halfway).for_each(|_| assert!(!round(&mut change, 99, (29, 100), 100, false)));
        assert_eq!(rounds(&mut change, &[(37, 70); 4]), wanted, "{halfway} rounds of 29 ms");
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
    assert!((112..116).map(|second| round(&mut change, second, (60, 70), 100, false)).eq([false, false, true, true]));
}

#[test]
fn in_the_first_five_seconds_whatever_is_longer_by_half_is_looked_into_but_no_rate_forgotten() {
    for (seconds, wanted) in [(5, true), (6, false)] {
        let mut change = Change::new();
        for second in 100..=100 + seconds {
            assert!(!round(&mut change, second, (if second == 101 { 51 } else { 22 }, 100), 100, false));
        }
        let at = 100 + seconds;
        let stepped = (1..=3).map(|after| round(&mut change, at + after, (60, 70), 100, false)).last();
        assert_eq!(stepped, Some(wanted), "60 ms after {seconds} s, 51 in the second");
    }
    for (seconds, found) in [(2, None), (5, Some(Found::Slower(BitRate::from_mbps(70))))] {
        let mut change = Change::new();
        for second in 100..=100 + seconds {
            assert!(!round(&mut change, second, (22, 100), 100, false));
        }
        let at = 100 + seconds;
        assert_eq!((1..=3).map(|after| round(&mut change, at + after, (60, 70), 100, false)).last(), Some(true));
        change.begin(Instant::from_secs(at + 3));
        change.on_sample(Instant::from_secs(at + 4), Some(Duration::from_millis(22)), BitRate::ZERO, MIN);
        assert_eq!(change.end(MIN), found, "after {seconds} s");
    }
}

#[test]
fn the_queue_of_startup_is_not_how_long_round_trips_lately_were() {
    for (starting, wanted) in [(true, vec![2, 3]), (false, vec![])] {
        let mut change = Change::new();
        change.on_sample(Instant::from_secs(90), Some(Duration::from_millis(200)), BitRate::ZERO, MIN);
        assert!(!change.on_round(Round { starting, ..over(Instant::from_secs(90), 100, false) }));
        for second in 91..100 {
            assert!(!round(&mut change, second, (22, 100), 100, false));
        }
        assert_eq!(rounds(&mut change, &[(60, 70); 4]), wanted, "{starting}");
    }
}

#[test]
fn a_path_of_less_than_10_ms_counts_as_that_long() {
    let short = Some(Duration::from_millis(2));
    for (millis, wanted) in [(15, false), (16, true)] {
        let mut change = Change::new();
        let mut round = |second, millis, mbps| {
            change.on_sample(
                Instant::from_secs(second),
                Some(Duration::from_millis(millis)),
                BitRate::from_mbps(mbps),
                short,
            );
            change.on_round(Round { min_rtt: short, ..over(Instant::from_secs(second), 100, false) })
        };
        for second in 90..100 {
            assert!(!round(second, 3, 100));
        }
        assert_eq!((100..103).map(|second| round(second, millis, 70)).last(), Some(wanted), "{millis} ms");
        change.begin(Instant::from_secs(104));
        assert!(change.on_sample(Instant::from_secs(105), Some(Duration::from_millis(15)), BitRate::ZERO, short));
        assert!(matches!(change.end(short), Some(Found::Slower(_))), "15 ms");
    }
}

/// Whether a round trip settles a probe, and what the probe finds, where this is RTTmin.
fn probe(change: &mut Change, second: u64, millis: u64, min_rtt: Option<Duration>) -> (bool, Option<Found>) {
    change.begin(Instant::from_secs(second));
    let rtt = Some(Duration::from_millis(millis));
    let settled = change.on_sample(Instant::from_secs(second), rtt, BitRate::ZERO, min_rtt);
    (settled, change.end(min_rtt))
}

#[test]
fn a_longer_path_is_probed_again_after_eight_rounds() {
    let ms = |millis| Some(Found::RoundTrip(Duration::from_millis(millis)));
    let longer = Some(Duration::from_millis(80));
    let mut change = known(false);
    assert_eq!(rounds(&mut change, &[(80, 60); 3]), [2]);
    assert_eq!(probe(&mut change, 103, 80, MIN), (false, ms(80)));
    // Whatever they show.
    assert_eq!(rounds(&mut change, &[(80, 100); 8]), [7]);
    // What is no more than a queue again settles nothing, what is short does.
    assert_eq!(probe(&mut change, 112, 81, longer), (false, ms(80)), "within 2 %");
    assert_eq!(rounds(&mut change, &[(80, 100); 20]), [], "known");
    let mut change = known(false);
    assert_eq!(rounds(&mut change, &[(80, 60); 3]), [2]);
    assert_eq!(probe(&mut change, 103, 80, MIN), (false, ms(80)));
    assert_eq!(rounds(&mut change, &[(80, 100); 8]), [7]);
    assert_eq!(probe(&mut change, 112, 30, longer), (true, ms(20)), "RTTmin as before");
    assert_eq!(rounds(&mut change, &[(22, 100); 20]), []);
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
    assert_eq!(rounds(&mut change, &[(57, 70); 4]), []);
}

#[test]
fn a_round_trip_that_stays_long_with_nothing_in_flight_is_the_path_s() {
    let ms = Duration::from_millis;
    for (probed, found) in [(40, Found::RoundTrip(ms(40))), (30, Found::Slower(BitRate::from_mbps(9)))] {
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
    for (at, (rtt, more)) in [(700, true), (500, true), (300, true), (120, true), (110, false)].into_iter().enumerate()
    {
        change.on_sample(Instant::from_secs(101 + at as u64), Some(ms(rtt)), BitRate::ZERO, MIN);
        assert_eq!(change.wants_more(MIN), more, "{rtt} ms");
    }
    assert_eq!(change.end(MIN), Some(Found::RoundTrip(ms(110))));
    assert!(!change.wants_more(MIN), "no probe");
    // Short again: no more is needed.
    change.begin(Instant::from_secs(200));
    change.on_sample(Instant::from_secs(201), Some(ms(30)), BitRate::ZERO, MIN);
    assert!(!change.wants_more(MIN));
}

#[test]
fn a_second_probe_goes_on_while_round_trips_fall_to_what_the_first_has_found() {
    let ms = Duration::from_millis;
    let mut change = Change::new();
    assert_eq!(probe(&mut change, 100, 100, MIN).1, Some(Found::RoundTrip(ms(100))));
    change.begin(Instant::from_secs(110));
    let found = Some(ms(100));
    for (at, (rtt, more)) in [(200, true), (150, true), (102, false)].into_iter().enumerate() {
        change.on_sample(Instant::from_secs(111 + at as u64), Some(ms(rtt)), BitRate::ZERO, found);
        assert_eq!(change.wants_more(found), more, "{rtt} ms");
    }
    assert_eq!(change.end(found), Some(Found::RoundTrip(ms(100))));
}

#[test]
fn no_path_is_longer_than_what_a_packet_needed_since_the_first_probe() {
    let ms = Duration::from_millis;
    // The first probe found 100 ms in the place of 20; then a packet needed `since`, and another probe finds `again`.
    for (since, again, found) in [(60, 100, 60), (60, 60, 60), (10, 25, 10)] {
        let mut change = Change::new();
        assert_eq!(probe(&mut change, 100, 100, MIN).1, Some(Found::RoundTrip(ms(100))));
        let (_, verdict) = probe(&mut change, 110, again, Some(ms(since)));
        assert_eq!(verdict, Some(Found::RoundTrip(ms(found))), "{since} and {again} ms");
    }
}

#[test]
fn a_probe_of_which_nothing_has_been_reported_goes_on() {
    let mut change = Change::new();
    change.begin(Instant::from_secs(100));
    assert!(change.wants_more(MIN));
    change.on_sample(Instant::from_secs(101), Some(Duration::from_millis(80)), BitRate::ZERO, MIN);
    assert!(change.wants_more(MIN), "the first that it has shown");
    assert!(!change.wants_more(MIN), "nothing more");
    assert_eq!(change.end(MIN), Some(Found::RoundTrip(Duration::from_millis(80))));
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
        if change.on_round(over(now, 100, false)) {
            wanted.push(tenth);
            change.begin(now);
            change.on_sample(now, Some(Duration::from_millis(20)), BitRate::from_mbps(9), MIN);
            assert!(matches!(change.end(MIN), Some(Found::Slower(_))));
        }
    }
    // After 1, 2, 4 and 8 seconds; then ten.
    assert_eq!(wanted, [3, 13, 33, 73, 153, 253, 353]);
}

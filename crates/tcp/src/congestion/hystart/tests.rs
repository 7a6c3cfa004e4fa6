use super::*;

const SMSS: Bytes = Bytes(1000);

fn start(exit: SlowStartChoice, paced: bool) -> SlowStart {
    SlowStart { exit, paced, ..SlowStart::standard(SMSS, SMSS * 10, None) }
}

/// Millisecond, round trip in milliseconds, SND.UNA and SND.NXT in segments.
fn ack(millis: u64, rtt: Option<u64>, una: u64, next: u64) -> AckFacts {
    AckFacts {
        now: Instant::from_millis(millis),
        acked: SMSS,
        una: Position(una * 1000),
        next: Position(next * 1000),
        rtt: rtt.map(Duration::from_millis),
        srtt: Duration::from_millis(40),
        min_rtt: Duration::ZERO,
        window_used: true,
        after_timeout: false,
    }
}

/// Whether slow start ends with this ACK, before the window grows by it or after.
fn ends(finder: &mut Finder, ack: &AckFacts, start: &SlowStart, window: Bytes) -> bool {
    let before = finder.before_growth(ack, start, window, None);
    finder.after_growth(ack, None) || before
}

/// When HyStart ends slow start at a window of so many segments: each ACK is for one more segment, at this millisecond, with this round trip.
fn hystart(window: u64, paced: bool, acks: impl IntoIterator<Item = (u64, u64)>) -> Option<u64> {
    let start = start(SlowStartChoice::HyStart, paced);
    let mut finder = Finder::new(start.exit).expect("it looks for an end");
    let mut una = 0;
    acks.into_iter().find_map(|(millis, rtt)| {
        una += 1;
        ends(&mut finder, &ack(millis, Some(rtt), una, 100), &start, SMSS * window).then_some(millis)
    })
}

#[test]
fn an_ack_train_of_half_the_least_round_trip_ends_slow_start() {
    // The first ACK, at 40 ms, begins the round. The threshold is (40 + 1) / 2 = 20.5 ms: 61 is the first whole millisecond beyond.
    let train = || (40..140).map(|millis| (millis, 40));
    assert_eq!(hystart(20, false, train()), Some(61));
    assert_eq!(hystart(20, true, train()), Some(82), "pacing spreads a round trip: more than 41 ms");
    assert_eq!(hystart(15, false, train()), None, "below a window of 16 it does not look");
    assert_eq!(hystart(16, false, train()), Some(61));
}

#[test]
fn a_gap_of_more_than_2_ms_ends_the_train_for_the_round() {
    let gap = |millis: u64| (40..50).chain(50 + millis..200).map(|millis| (millis, 40));
    assert_eq!(hystart(20, false, gap(1)), Some(61), "from 49 to 51");
    assert_eq!(hystart(20, false, gap(2)), None, "from 49 to 52");
}

#[test]
fn a_round_trip_longer_by_an_eighth_ends_slow_start_at_the_ninth_sample_of_a_round() {
    // ACKs 3 ms apart are no train. The first has the least round trip of all, and begins a round that ends at segment 100: what decides is the
    // next round.
    let start = start(SlowStartChoice::HyStart, false);
    let found_at = |rtt: u64| {
        let mut finder = Finder::new(start.exit).expect("it looks for an end");
        ends(&mut finder, &ack(40, Some(40), 1, 100), &start, SMSS * 20);
        (1..=20).find(|&n| ends(&mut finder, &ack(80 + 3 * n, Some(rtt), 100 + n, 200), &start, SMSS * 20))
    };
    assert_eq!(found_at(45), None, "40 + 40 / 8 is not exceeded");
    assert_eq!(found_at(46), Some(9));
}

#[test]
fn slow_start_that_has_ended_stays_so_until_a_timeout() {
    let start = start(SlowStartChoice::HyStart, false);
    let mut finder = Finder::new(start.exit).expect("it looks for an end");
    let mut train = |from: u64, una: u64| {
        (0..40).filter(|n| ends(&mut finder, &ack(from + n, Some(40), una + n, una + 100), &start, SMSS * 20)).count()
    };
    assert_eq!(train(40, 1), 1);
    assert_eq!(train(200, 200), 0);
    finder.on_reduction(Instant::from_millis(300), true);
    let mut train = |from: u64, una: u64| {
        (0..40).filter(|n| ends(&mut finder, &ack(from + n, Some(40), una + n, una + 100), &start, SMSS * 20)).count()
    };
    assert_eq!(train(400, 400), 1);
}

/// HyStart++ through rounds of eight ACKs of a segment, each round with one round trip. What was added after each round, by ACKs for so many segments.
fn rounds(round_trips: &[u64], paced: bool, segments: u64) -> Vec<u64> {
    let start = start(SlowStartChoice::HyStartPlusPlus, paced);
    let mut finder = Finder::new(start.exit).expect("it looks for an end");
    let mut una = 0;
    let after = |round: usize, rtt: u64| {
        for n in 1..=8 {
            una += 1;
            let next = (round as u64 + 1) * 8 + if n == 8 { 8 } else { 0 };
            if ends(&mut finder, &ack(una, Some(rtt), una, next), &start, SMSS * 100) {
                return 0;
            }
        }
        finder.growth(SMSS * segments, &start).get()
    };
    let mut after = after;
    round_trips.iter().enumerate().map(|(round, &rtt)| after(round, rtt)).collect()
}

#[test]
fn a_longer_round_trip_begins_css_which_ends_slow_start_after_five_rounds() {
    // 40 + clamp(40 / 8, 4, 16) = 45: reached in the second round, which is the first of five (RFC 9406, 4.2); zero marks the end.
    assert_eq!(rounds(&[40, 45, 45, 45, 45, 45], false, 4), [4000, 1000, 1000, 1000, 1000, 0]);
    assert_eq!(rounds(&[40, 44, 44, 44, 44, 44], false, 4), [4000; 6]);
}

#[test]
fn a_round_trip_below_the_baseline_of_css_resumes_slow_start() {
    assert_eq!(rounds(&[40, 45, 44, 44, 44, 44, 44], false, 4), [4000, 1000, 4000, 4000, 4000, 4000, 4000]);
    assert_eq!(
        rounds(&[40, 45, 44, 50, 50, 50, 50, 50], false, 4)[3..],
        [1000, 1000, 1000, 1000, 0],
        "and may begin again"
    );
}

#[test]
fn the_threshold_lies_between_4_and_16_ms() {
    let begins = |first, second| rounds(&[first, second], false, 4)[1] == 1000;
    assert!(begins(8, 12) && !begins(8, 11));
    assert!(begins(400, 416) && !begins(400, 415));
}

#[test]
fn seven_samples_of_a_round_do_not_count() {
    let start = start(SlowStartChoice::HyStartPlusPlus, false);
    let mut hystart = HyStartPlusPlus::default();
    for (round, rtt) in [40, 80, 80].into_iter().enumerate() {
        for n in 1..=7 {
            let una = round as u64 * 7 + n;
            assert!(!hystart.on_ack(&ack(una, Some(rtt), una, (round as u64 + 1) * 7 + if n == 7 { 7 } else { 0 })));
        }
        assert_eq!(hystart.growth(SMSS, &start), SMSS);
    }
}

#[test]
fn an_ack_adds_eight_segments_at_most_unless_paced() {
    assert_eq!(rounds(&[40], false, 12), [8000]);
    assert_eq!(rounds(&[40], true, 12), [12_000]);
    assert_eq!(rounds(&[40, 45], false, 12), [8000, 2000]);
}

#[test]
fn a_loss_ends_hystart_plus_plus_for_good() {
    let start = start(SlowStartChoice::HyStartPlusPlus, false);
    let mut finder = Finder::new(start.exit).expect("it looks for an end");
    finder.on_reduction(Instant::ZERO, false);
    assert_eq!(finder.growth(SMSS * 12, &start), SMSS * 12, "a later slow start is the standard one");
}

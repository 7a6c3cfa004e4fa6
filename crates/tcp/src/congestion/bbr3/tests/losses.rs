//! Losses, marks, and what undoes them.

use super::*;

fn lost(at: u64, in_flight: u64, lost: u64) -> Lost {
    let span = Span::new(Position(at), SMSS);
    Lost { span, in_flight: Bytes(in_flight), lost: Bytes(lost), application_limited: false, counted: true }
}

#[test]
fn more_than_two_percent_lost_while_probing_bounds_what_is_in_flight_and_ends_it() {
    let mut trace = Trace::probing();
    trace.lose(1, 50_000, 1_000);
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Up, None), "2 % is not more");
    trace.lose(3_000, 50_000, 1_001);
    // Before it were 49,000, of which 1 was lost: (980 - 1)/0.98 = 998 of it might have been.
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Down, Some(Bytes(49_998))));
    // Once for each probe.
    trace.lose(5_000, 30_000, 3_000);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(49_998)));
}

#[test]
fn what_was_lost_before_leaves_nothing_of_the_segment_and_the_bound_stays_above_seventy_percent_of_the_target() {
    let mut trace = Trace::probing();
    trace.lose(1, 50_000, 5_000);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(49_000)));
    let mut trace = Trace::probing();
    trace.lose(1, 10_000, 1_000);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(28_000)));
    // The window is the target where it is less.
    let mut trace = Trace::probing();
    trace.bbr.window = Bytes(20_000);
    trace.lose(1, 10_000, 1_000);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(14_000)));
}

#[test]
fn losses_of_a_probe_are_heeded_until_its_last_round_is_acknowledged() {
    let mut trace = Trace::cruising();
    trace.lose(1, 50_000, 5_000);
    trace.until(|bbr| bbr.state == State::Refill);
    trace.lose(5_000, 50_000, 5_000);
    assert_eq!(trace.bbr.bounds.inflight_long, None, "neither in CRUISE nor in REFILL");
    trace.until(|bbr| bbr.state == State::Down);
    trace.lose(9_000, 50_000, 5_000);
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Down, Some(Bytes(49_000))));
    let mut trace = Trace::probing();
    trace.inflight = 60_000;
    trace.until(|bbr| bbr.state == State::Down);
    trace.round(1, 1);
    trace.lose(9_000, 50_000, 5_000);
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Down, None));
}

#[test]
fn an_application_that_limits_the_rate_ends_the_probe_and_bounds_nothing() {
    let mut trace = Trace::probing();
    trace.limited = true;
    trace.lose(1, 50_000, 5_000);
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Down, None));
}

#[test]
fn a_sender_that_cannot_count_losses_takes_any_for_too_many() {
    let mut trace = Trace::probing();
    trace.lose_these(&[Lost { counted: false, ..lost(1, 80_000, 1_000) }]);
    // 79,000 before it, and 1,580/0.98 = 1,612 more than it has.
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Down, Some(Bytes(80_612))));
}

#[test]
fn each_round_with_a_loss_takes_the_short_term_bounds_thirty_percent_toward_what_is_delivered() {
    let mut trace = Trace::cruising();
    trace.round(20, 40);
    trace.round(20, 40);
    let bounds = |trace: &Trace| {
        let bounds = trace.bbr.bounds;
        (bounds.bandwidth_short.map(BitRate::bps), bounds.inflight_short.map(Bytes::get))
    };
    assert_eq!(trace.bbr.window, Bytes(81_000));
    // 0.7 of 8 Mbps and of 81,000, until it is 4 Mbps and 20,000.
    let steps = [(5_600_000, 56_700), (4_000_000, 39_690), (4_000_000, 27_783), (4_000_000, 20_000)];
    for (i, (bandwidth, inflight)) in (0..).zip(steps) {
        let before = bounds(&trace);
        trace.lose(1 + 2_000 * i, 40_000, 1_000);
        trace.lose(40_001 + 2_000 * i, 40_000, 1_000);
        assert_eq!(bounds(&trace), before, "not before the round is over");
        trace.round(20, 40);
        assert_eq!(bounds(&trace), (Some(bandwidth), Some(inflight)));
        assert!(trace.bbr.window <= Bytes(inflight));
    }
    // A round without one changes nothing.
    trace.round(20, 40);
    assert_eq!(bounds(&trace), (Some(4_000_000), Some(20_000)));
    assert_eq!((trace.bbr.bandwidth().bps(), trace.bbr.pace.rate.bps()), (4_000_000, 3_960_000));
    trace.until(|bbr| bbr.state == State::Refill);
    assert_eq!((bounds(&trace), trace.bbr.bandwidth().bps()), ((None, None), 8_000_000));
}

#[test]
fn a_probing_flow_keeps_its_short_term_model() {
    let mut trace = Trace::probing();
    trace.lose(1, 100_000, 1_000);
    trace.round(40, 40);
    assert_eq!((trace.bbr.bounds.inflight_short, trace.bbr.bounds.bandwidth_short), (None, None));
}

#[test]
fn a_loss_round_ends_with_something_sent_after_the_loss() {
    let mut trace = Trace::cruising();
    for _ in 0..10 {
        trace.now += Duration::from_millis(1);
        let sample = trace.sample(20_000, 40, 0);
        trace.ack(Some(sample));
    }
    trace.lose(1, 40_000, 1_000);
    let before = trace.delivered - 1;
    for _ in 0..50 {
        trace.now += Duration::from_millis(1);
        let sample = trace.sample(20_000, 40, before);
        trace.ack(Some(sample));
    }
    assert_eq!(trace.bbr.bounds.inflight_short, None);
    let sample = trace.sample(20_000, 40, before + 1);
    trace.ack(Some(sample));
    assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(56_700)));
}

#[test]
fn the_window_stays_above_four_segments_whatever_the_bounds() {
    let mut trace = Trace::cruising();
    trace.bbr.bounds = Bounds {
        bandwidth_short: Some(BitRate::from_bps(1)),
        inflight_short: Some(Bytes(1)),
        inflight_long: Some(Bytes(1)),
    };
    (trace.sent_in, trace.rtt) = (0, Some(40));
    trace.round(1, 1);
    assert_eq!(trace.bbr.window, Bytes(4_000));
    // A segment in a round trip.
    assert_eq!(trace.bbr.pace.rate.bps(), 200_000);
}

#[test]
fn a_timeout_leaves_a_segment_more_than_is_in_flight_and_its_repair_gives_the_window_back() {
    let mut trace = Trace::cruising();
    trace.bbr.on_timeout(trace.now, Bytes(60_000), false);
    assert_eq!(trace.bbr.window, SMSS);
    trace.inflight = 7_000;
    trace.lose_these(&[lost(1, 60_000, 1_000)]);
    assert_eq!(trace.bbr.window, Bytes(8_000));
    // Later losses leave it alone.
    trace.inflight = 2_000;
    trace.lose_these(&[lost(5_000, 60_000, 2_000)]);
    assert_eq!(trace.bbr.window, Bytes(8_000));
    trace.phase = Phase::GoBack { until: Position::FIRST_BYTE };
    trace.round(1, 1);
    assert_eq!(trace.bbr.window, Bytes(9_000));
    // The short-term bound comes from the window of before, 81,000.
    assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(56_700)));
    trace.phase = Phase::Open;
    trace.round(1, 1);
    assert_eq!(trace.bbr.window, Bytes(56_700));
}

#[test]
fn a_second_timeout_does_not_forget_the_window_of_before_the_first() {
    let mut trace = Trace::cruising();
    for _ in 0..2 {
        trace.bbr.on_timeout(trace.now, Bytes(60_000), false);
        trace.lose_these(&[]);
        trace.phase = Phase::GoBack { until: Position::FIRST_BYTE };
        trace.round(1, 1);
    }
    assert_eq!(trace.bbr.prior_window, Bytes(81_000));
}

#[test]
fn undoing_gives_back_bounds_and_window_of_before_the_whole_episode() {
    let mut trace = Trace::cruising();
    trace.phase = FAST;
    for at in 0..3 {
        trace.bbr.on_loss(trace.now, Bytes(40_000));
        trace.lose(1 + 5_000 * at, 40_000, 1_000);
        trace.round(20, 40);
    }
    assert!(trace.bbr.bounds.inflight_short < Some(Bytes(40_000)) && trace.bbr.bounds.bandwidth_short.is_some());
    trace.lose(50_001, 40_000, 1_000);
    trace.bbr.undo();
    assert_eq!((trace.bbr.bounds.inflight_short, trace.bbr.bounds.bandwidth_short), (None, None));
    assert_eq!((trace.bbr.window, trace.bbr.state), (Bytes(81_000), State::Cruise));
    trace.phase = Phase::Open;
    trace.round(20, 40);
    assert_eq!(trace.bbr.bounds.inflight_short, None, "the round had no loss after all");
}

#[test]
fn the_next_episode_begins_where_the_one_before_left_off() {
    let mut trace = Trace::cruising();
    trace.phase = FAST;
    trace.lose(1, 40_000, 1_000);
    trace.round(20, 40);
    trace.phase = Phase::Open;
    trace.round(20, 40);
    let first = trace.bbr.bounds.inflight_short;
    trace.phase = FAST;
    trace.lose(9_001, 40_000, 1_000);
    trace.round(20, 40);
    assert!(trace.bbr.bounds.inflight_short < first);
    trace.bbr.undo();
    assert_eq!(trace.bbr.bounds.inflight_short, first);
    // Once.
    trace.bbr.bounds.inflight_short = Some(Bytes(5_000));
    trace.bbr.undo();
    assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(5_000)));
}

#[test]
fn undoing_returns_to_the_probe_or_to_startup_unless_the_round_trip_is_probed() {
    let up = || {
        let mut trace = Trace::probing();
        trace.lose(1, 50_000, 5_000);
        assert_eq!(trace.bbr.state, State::Down);
        trace
    };
    let mut trace = up();
    trace.bbr.undo();
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Refill, None));
    let mut trace = up();
    trace.bbr.state = State::ProbeRtt { end: None, round_done: false };
    trace.bbr.undo();
    assert!(matches!(trace.bbr.state, State::ProbeRtt { .. }));

    let startup = || {
        let mut trace = Trace::new();
        for (segments, millis) in [(10, 40), (20, 40), (40, 40)] {
            trace.round(segments, millis);
        }
        for place in 0..6 {
            trace.lose(1 + place * 2000, 80_000, 6_000);
        }
        (trace.phase, trace.lost, trace.inflight) = (FAST, 6_000, 80_000);
        trace.round(1, 1);
        assert_eq!(trace.bbr.phase(), BbrPhase::Drain);
        trace
    };
    let mut trace = startup();
    trace.bbr.undo();
    assert_eq!((trace.bbr.state, trace.bbr.full_reached), (State::Startup, false));
    assert_eq!(trace.bbr.bounds.inflight_long, None);
    let mut trace = startup();
    trace.bbr.state = State::ProbeRtt { end: None, round_done: false };
    trace.bbr.undo();
    assert!(matches!(trace.bbr.state, State::ProbeRtt { .. }) && !trace.bbr.full_reached);
}

#[test]
fn the_end_of_a_recovery_gives_the_window_back() {
    let mut trace = Trace::cruising();
    trace.bbr.on_loss(trace.now, Bytes(40_000));
    trace.phase = FAST;
    trace.round(1, 1);
    trace.bbr.window = Bytes(10_000);
    trace.bbr.on_loss(trace.now, Bytes(40_000));
    trace.round(1, 1);
    assert_eq!(trace.bbr.window, Bytes(11_000), "it grows with what is delivered");
    trace.phase = Phase::Open;
    trace.round(1, 1);
    assert_eq!(trace.bbr.window, Bytes(81_000));
}

#[test]
fn marks_are_averaged_over_rounds_and_cut_the_short_term_bound_by_a_third_of_that() {
    let mut trace = Trace::cruising();
    trace.marked = Some(1000);
    // All of it: alpha stays 1, and 683/1024 are left of 81,000 and of what is left then, as each round begins.
    for inflight in [54_026, 36_034] {
        trace.round(40, 40);
        assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(inflight)));
    }
    assert_eq!(trace.bbr.bounds.bandwidth_short, None);
    trace.marked = Some(0);
    trace.round(40, 40);
    assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(24_034)), "for the round before");
    for alpha in [960, 900, 843] {
        // A sixteenth less in each round without marks, and no cut.
        trace.round(40, 40);
        assert_eq!((trace.bbr.marks.alpha, trace.bbr.bounds.inflight_short), (alpha, Some(Bytes(24_034))));
    }
    // One acknowledgement in 40 is 25/1024: from 790, alpha goes to (15 * 790 + 25)/16 = 742, a third of which is 247.
    trace.round(39, 39);
    trace.marked = Some(1000);
    let sample = trace.sample(40_000, 40, 0);
    trace.ack(Some(sample));
    trace.marked = Some(0);
    trace.round(1, 1);
    assert_eq!((trace.bbr.marks.alpha, trace.bbr.bounds.inflight_short), (742, Some(Bytes(24_034 * 777 / 1024))));
}

#[test]
fn a_round_with_a_loss_and_a_mark_takes_the_lower_bound() {
    for (alpha, inflight) in [(1024, 54_026), (0, 56_700)] {
        let mut trace = Trace::cruising();
        trace.round(20, 40);
        trace.round(20, 40);
        trace.bbr.marks.alpha = alpha;
        trace.lose(1, 40_000, 1_000);
        trace.marked = Some(1000);
        trace.round(1, 1);
        assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(inflight)));
        assert_eq!(trace.bbr.bounds.bandwidth_short, Some(BitRate::from_bps(8_000_000)));
    }
}

#[test]
fn more_than_half_of_a_round_marked_while_probing_bounds_what_is_in_flight() {
    for (marked, state, long) in [(500, State::Up, None), (501, State::Down, Some(Bytes(45_000)))] {
        let mut trace = Trace::probing();
        trace.sent_in = 45_000;
        trace.marked = Some(marked);
        trace.round(40, 40);
        assert_eq!(trace.bbr.bounds.inflight_long, None);
        trace.round(1, 1);
        assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (state, long), "{marked}");
    }
    let mut trace = Trace::cruising();
    trace.marked = Some(1000);
    trace.round(40, 40);
    trace.round(40, 40);
    assert_eq!(trace.bbr.bounds.inflight_long, None, "only a probe");
}

#[test]
fn two_rounds_with_half_of_them_marked_end_startup() {
    for (marks, phase) in
        [([500, 500, 500], BbrPhase::Drain), ([500, 499, 500], BbrPhase::Startup), ([499, 500, 499], BbrPhase::Startup)]
    {
        let mut trace = Trace::new();
        trace.inflight = 100_000;
        for (round, marked) in (1..).zip(marks) {
            trace.marked = Some(marked);
            trace.round(10 * 2_u64.pow(round), 40);
        }
        assert_eq!(trace.bbr.phase(), phase, "{marks:?}");
        if phase == BbrPhase::Drain {
            // The product of the second round is 40,000, and so much was delivered in it.
            assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(80_000)));
            trace.bbr.undo();
            assert_eq!(trace.bbr.phase(), phase, "nothing undoes marks");
        }
    }
}

/// An acknowledgement a millisecond later, with a sample of `bytes` in 40 ms.
fn ack_of(trace: &mut Trace, bytes: u64, prior: u64) {
    trace.now += Duration::from_millis(1);
    let sample = trace.sample(bytes, 40, prior);
    trace.ack(Some(sample));
}

#[test]
fn the_bounds_come_from_the_greatest_of_the_last_round_and_of_no_earlier_one() {
    let mut trace = Trace::cruising();
    trace.round(20, 40);
    trace.round(20, 40);
    trace.bbr.bounds.inflight_short = Some(Bytes(30_000));
    trace.lose(1, 40_000, 1_000);
    for bytes in [25_000, 30_000, 20_000] {
        ack_of(&mut trace, bytes, 0);
    }
    let end = trace.delivered;
    ack_of(&mut trace, 15_000, end);
    let bounds = |trace: &Trace| (trace.bbr.bounds.bandwidth_short, trace.bbr.bounds.inflight_short);
    let mbps = |kbps| Some(BitRate::from_kbps(kbps));
    assert_eq!(bounds(&trace), (mbps(6_000), Some(Bytes(30_000))));
    // 70 % of that, since the next round brings 15,000.
    trace.lose(5_000, 40_000, 1_000);
    let end = trace.delivered;
    ack_of(&mut trace, 15_000, end);
    assert_eq!(bounds(&trace), (mbps(4_200), Some(Bytes(21_000))));
}

#[test]
fn the_first_loss_of_a_round_says_when_it_ends() {
    let mut trace = Trace::cruising();
    trace.lose(1, 40_000, 1_000);
    let first = trace.delivered;
    ack_of(&mut trace, 20_000, 0);
    ack_of(&mut trace, 20_000, 0);
    trace.lose(5_000, 40_000, 1_000);
    ack_of(&mut trace, 20_000, first);
    assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(56_700)));
}

#[test]
fn what_a_probe_lost_does_not_count_again_once_it_is_over() {
    let mut trace = Trace::probing();
    trace.lose(1, 50_000, 5_000);
    assert_eq!(trace.bbr.state, State::Down);
    trace.round(20, 40);
    trace.round(20, 40);
    assert_eq!(trace.bbr.bounds.inflight_short, None);
}

#[test]
fn a_timeout_alone_counts_as_a_loss_leaves_a_segment_and_looks_anew_whether_the_pipe_is_full() {
    let mut trace = Trace::cruising();
    trace.bbr.on_timeout(trace.now, Bytes(60_000), false);
    trace.inflight = 0;
    trace.lose_these(&[]);
    assert_eq!(trace.bbr.window, SMSS);
    trace.phase = Phase::GoBack { until: Position::FIRST_BYTE };
    trace.round(1, 1);
    assert_eq!((trace.bbr.window, trace.bbr.bounds.inflight_short), (Bytes(4_000), Some(Bytes(56_700))));

    let mut trace = Trace::probing();
    trace.round(40, 40);
    trace.round(40, 40);
    trace.bbr.on_timeout(trace.now, Bytes(60_000), false);
    trace.round(1, 1);
    assert_eq!(trace.bbr.state, State::Up);
}

#[test]
fn a_timeout_in_a_recovery_takes_the_window_of_before_it() {
    let mut trace = Trace::cruising();
    trace.bbr.on_loss(trace.now, Bytes(40_000));
    trace.bbr.window = Bytes(10_000);
    trace.bbr.on_timeout(trace.now, Bytes(60_000), false);
    assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(81_000)));
}

#[test]
fn what_is_undone_may_be_lost_again_and_undone_again() {
    let mut trace = Trace::cruising();
    trace.lose(1, 40_000, 1_000);
    trace.bbr.undo();
    trace.phase = FAST;
    trace.lose(5_000, 40_000, 1_000);
    trace.round(20, 40);
    assert_eq!(trace.bbr.bounds.inflight_short, Some(Bytes(56_700)));
    trace.bbr.undo();
    assert_eq!(trace.bbr.bounds.inflight_short, None);

    // The pipe is looked at anew: two rounds without growth do not count.
    let mut trace = Trace::probing();
    trace.lose(1, 100_000, 1_000);
    trace.round(40, 40);
    trace.round(40, 40);
    trace.bbr.undo();
    trace.round(1, 1);
    assert_eq!(trace.bbr.state, State::Up);
}

#[test]
fn too_many_marks_hold_for_the_acknowledgement_that_ends_their_round() {
    let mut trace = Trace::cruising();
    trace.bbr.bounds.inflight_long = Some(Bytes(50_000));
    (trace.marked, trace.sent_in) = (Some(1000), 0);
    trace.round(40, 40);
    (trace.marked, trace.sent_in) = (Some(0), 60_000);
    trace.round(1, 1);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(50_000)));
    ack_of(&mut trace, 40_000, 0);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(60_000)));
}

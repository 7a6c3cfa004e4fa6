//! Startup and Drain.

use super::*;

#[test]
fn startup_doubles_until_three_rounds_bring_no_more_and_drain_empties_the_queue() {
    let mut trace = Trace::new();
    // 10,000 bytes in 40 ms are 2 Mbps; times 2839/1024 less 1 %.
    assert_eq!(trace.state(), (BbrPhase::Startup, 0, 10_000, 5_489_471));
    trace.round(10, 40);
    assert_eq!(trace.state(), (BbrPhase::Startup, 2_000_000, 20_000, 5_489_471));
    trace.round(20, 40);
    assert_eq!(trace.state(), (BbrPhase::Startup, 4_000_000, 40_000, 10_978_944));
    // Now the pipe is full, which BBR does not know yet.
    trace.round(40, 40);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 80_000, 21_957_890));
    // Two products and one segment, which counts as a lump.
    trace.inflight = 80_000;
    trace.round(80, 80);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 81_000, 21_957_890));
    trace.round(81, 81);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 81_000, 21_957_890));
    // The third round without growth begins.
    trace.round(1, 1);
    assert_eq!(trace.state(), (BbrPhase::Drain, 8_000_000, 81_000, 3_960_000));
    trace.inflight = 40_001;
    trace.round(79, 79);
    assert_eq!(trace.state(), (BbrPhase::Drain, 8_000_000, 81_000, 3_960_000));
    // One product is left: DOWN has nothing to do, and passes at once.
    trace.inflight = 40_000;
    trace.round(1, 1);
    assert_eq!(trace.state(), (CRUISE, 8_000_000, 81_000, 7_920_000));
}

#[test]
fn drain_ends_after_more_than_three_rounds_whatever_is_in_flight() {
    let mut trace = Trace::new();
    trace.inflight = 80_000;
    for (segments, millis) in [(10, 40), (20, 40), (40, 40), (80, 80), (81, 81), (1, 1)] {
        trace.round(segments, millis);
    }
    for _ in 0..3 {
        assert_eq!(trace.state().0, BbrPhase::Drain);
        trace.round(40, 40);
    }
    assert_eq!(trace.state().0, BbrPhase::Drain);
    trace.round(1, 1);
    // 0.9 of 8 Mbps (922/1024), less 1 %.
    assert_eq!(trace.state(), (DOWN, 8_000_000, 81_000, 7_131_093));
}

#[test]
fn growth_by_a_quarter_begins_the_count_of_rounds_anew_and_limited_rounds_do_not_count() {
    let mut trace = Trace::new();
    for segments in [40, 49, 49, 50] {
        // 50 are a quarter more than 40.
        trace.round(segments, 40);
    }
    trace.limited = true;
    for _ in 0..10 {
        trace.round(50, 40);
    }
    trace.limited = false;
    trace.round(50, 40);
    trace.round(50, 40);
    assert_eq!(trace.state().0, BbrPhase::Startup);
    trace.round(1, 1);
    assert_eq!(trace.state().0, BbrPhase::Drain);
}

/// Eighty segments in flight in Startup at 8 Mbps, of which those in `places` are found lost with `lost` bytes in all; a round later.
fn startup_with_losses(places: &[u64], lost: u64, phase: Phase) -> Trace {
    let mut trace = Trace::new();
    for (segments, millis) in [(10, 40), (20, 40), (40, 40)] {
        trace.round(segments, millis);
    }
    (trace.inflight, trace.sent_in) = (80_000, 80_000);
    for &place in places {
        trace.lose(place * 1000, 80_000, lost);
    }
    trace.phase = phase;
    trace.lost = lost;
    trace.round(80, 80);
    trace.round(1, 1);
    trace
}

#[test]
fn startup_ends_when_six_places_and_more_than_two_percent_of_a_round_are_lost() {
    let apart = [1, 3, 5, 7, 9, 11];
    let trace = startup_with_losses(&apart, 6_000, FAST);
    assert_eq!(trace.state().0, BbrPhase::Drain);
    // What a round delivered, 80,000, is more than the product.
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(80_000)));
    assert_eq!(trace.bbr.saved.and_then(|saved| saved.left), Some(State::Startup));
    // Five places; six segments in five; 2 %; and without recovery.
    for (places, lost, phase) in [
        (&apart[..5], 6_000, FAST),
        (&[1, 2, 5, 7, 9, 11][..], 6_000, FAST),
        (&apart[..], 1_600, FAST),
        (&apart[..], 6_000, Phase::Open),
    ] {
        let trace = startup_with_losses(places, lost, phase);
        assert_eq!(trace.state().0, BbrPhase::Startup, "{places:?}, {lost}, {phase:?}");
        assert_eq!(trace.bbr.bounds.inflight_long, None);
    }
    assert_eq!(startup_with_losses(&apart, 1_601, FAST).state().0, BbrPhase::Drain);
}

#[test]
fn places_count_in_one_round_only() {
    let mut trace = startup_with_losses(&[1, 3, 5], 6_000, FAST);
    trace.limited = true;
    for place in [101, 103, 105] {
        trace.lose(place * 1000, 80_000, 6_000);
    }
    trace.round(40, 40);
    trace.round(1, 1);
    assert_eq!(trace.state().0, BbrPhase::Startup);
}

#[test]
fn a_sender_that_cannot_count_losses_leaves_startup_at_the_first() {
    let mut trace = Trace::new();
    trace.round(10, 40);
    let span = Span::new(Position(1), SMSS);
    let lost = Lost { span, in_flight: Bytes(80_000), lost: SMSS, application_limited: false, counted: false };
    trace.lose_these(&[lost]);
    trace.phase = FAST;
    trace.round(1, 1);
    assert_eq!(trace.state().0, BbrPhase::Drain);
}

#[test]
fn the_first_round_trip_paces_where_the_handshake_told_none() {
    let mut bbr = Bbr3::new(SlowStart::standard(SMSS, SMSS * 10, None), 1);
    // 10,000 bytes in a millisecond, times 2839/1024, less 1 %.
    assert_eq!(bbr.pace.rate.bps(), 219_578_906);
    bbr.on_connected(Instant::ZERO, None);
    bbr.update_pacing(Duration::from_millis(40));
    assert_eq!(bbr.pace.rate.bps(), 5_489_471);
    bbr.update_pacing(Duration::from_millis(10));
    assert_eq!(bbr.pace.rate.bps(), 5_489_471, "only the first one");
}

#[test]
fn a_lost_syn_makes_the_first_window_smaller_and_nothing_makes_a_later_one() {
    let mut trace = Trace::new();
    trace.bbr.on_idle(trace.now, SMSS);
    assert_eq!(trace.bbr.window, SMSS);
    let mut trace = Trace::cruising();
    trace.bbr.on_idle(trace.now, SMSS);
    assert_eq!(trace.bbr.window, Bytes(81_000));
}

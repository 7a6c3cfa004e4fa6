//! ProbeBW and ProbeRTT.

use super::super::probe_bw::AckPhase;
use super::*;

#[test]
fn the_cycle_fills_asks_for_more_and_leaves_room() {
    let mut trace = Trace::cruising();
    assert_eq!(trace.state(), (CRUISE, 8_000_000, 81_000, 7_920_000));
    trace.until(|bbr| bbr.state == State::Refill);
    assert_eq!(trace.state(), (REFILL, 8_000_000, 81_000, 7_920_000));
    // A round of that.
    assert_eq!(trace.until(|bbr| bbr.state == State::Up), 1);
    // What was acknowledged in it was sent before.
    let mut trace = Trace::cruising();
    trace.until(|bbr| bbr.state == State::Refill);
    trace.round(40, 40);
    assert_eq!(trace.state().0, UP);
    assert_eq!(trace.state().3, 9_900_000);
    // 2.25 products, a lump and two segments: 12 more than 81.
    assert_eq!(trace.bbr.window, Bytes(93_000));
    // Three rounds that bring no more, each of which its first acknowledgement begins.
    trace.round(40, 40);
    trace.round(40, 40);
    assert_eq!(trace.state().0, UP);
    trace.inflight = 40_001;
    trace.round(1, 1);
    assert_eq!(trace.state(), (DOWN, 8_000_000, 81_000, 7_131_093));
    trace.round(40, 40);
    assert_eq!(trace.state().0, DOWN);
    trace.inflight = 40_000;
    trace.round(1, 1);
    assert_eq!(trace.state(), (CRUISE, 8_000_000, 81_000, 7_920_000));
}

#[test]
fn more_bandwidth_keeps_it_asking_for_more() {
    let mut trace = Trace::probing();
    // A quarter more in each round.
    for segments in [50, 63, 79, 99] {
        trace.round(segments, 40);
        assert_eq!(trace.state().0, UP, "{segments}");
    }
    trace.round(99, 40);
    trace.round(99, 40);
    assert_eq!(trace.state().0, UP);
    trace.round(1, 1);
    assert_eq!(trace.state().0, DOWN);
    assert_eq!(trace.bbr.bandwidth().bps(), 19_800_000);
}

#[test]
fn the_application_keeps_it_in_up_while_it_limits_the_rate() {
    let mut trace = Trace::probing();
    trace.limited = true;
    for _ in 0..20 {
        trace.round(40, 40);
    }
    assert_eq!(trace.state().0, UP);
}

#[test]
fn beside_reno_it_probes_once_as_many_rounds_are_over_as_the_product_has_segments() {
    let waits: Vec<u64> = (0..20)
        .map(|seed| {
            let mut trace = Trace::cruising_with(seed);
            trace.until(|bbr| bbr.state == State::Refill)
        })
        .collect();
    // 40 rounds, or 39: the count begins at 0 or 1. A round begins with every 40th acknowledgement from the first one on.
    assert!(waits.iter().all(|wait| [1 + 38 * 40, 1 + 39 * 40].contains(wait)), "{waits:?}");
    assert!(waits.contains(&1521) && waits.contains(&1561), "{waits:?}");
}

#[test]
fn reno_s_time_scale_lies_between_four_and_63_rounds() {
    for (kbytes, rounds) in [(1, 4), (5, 5), (62, 62), (63, 63), (64, 63), (500, 63)] {
        let mut trace = Trace::cruising();
        let rate = Bytes(kbytes * 1000).per(Duration::from_millis(40));
        trace.bbr.max_bandwidth = MaxFilter::new(CYCLES - 1);
        trace.bbr.max_bandwidth.update(trace.bbr.cycle, rate);
        trace.bbr.window = Bytes(1_000_000);
        trace.bbr.probing.rounds_since = 0;
        let mut begun = 0;
        while trace.bbr.state == State::Cruise {
            let sample = trace.sample(kbytes * 1000, 40, trace.delivered);
            trace.ack(Some(sample));
            begun += 1;
        }
        assert_eq!(begun, rounds, "{kbytes} kB");
    }
}

#[test]
fn a_long_round_trip_probes_after_two_to_three_seconds() {
    let mut waits: Vec<u64> = (0..60)
        .map(|seed| {
            let mut trace = Trace::cruising_with(seed);
            let begin = trace.now;
            while trace.bbr.state == State::Cruise {
                trace.now += Duration::from_millis(1);
                // Nothing of a later round.
                let sample = trace.sample(40_000, 40, 0);
                trace.ack(Some(sample));
            }
            trace.now.saturating_since(begin).as_nanos() / 1_000_000
        })
        .collect();
    waits.sort_unstable();
    let (first, last) = (waits[0], waits[waits.len() - 1]);
    assert!((2_000..2_150).contains(&first) && (2_850..=3_001).contains(&last), "{waits:?}");
}

#[test]
fn down_may_be_over_before_there_is_room() {
    let mut trace = Trace::cruising();
    trace.bbr.start_down(trace.now);
    trace.inflight = 60_000;
    trace.until(|bbr| bbr.state != State::Down);
    assert_eq!(trace.state().0, REFILL);
}

#[test]
fn a_bandwidth_counts_for_two_cycles() {
    let mut trace = Trace::cruising();
    trace.round(50, 40);
    let taken = trace.bbr.cycle;
    for cycles in 1..=2 {
        trace.until(|bbr| bbr.cycle == taken + cycles);
        assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(10), "cycle {cycles}");
    }
    trace.round(1, 1);
    assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(8));
}

#[test]
fn a_cycle_of_an_application_that_limits_the_rate_forgets_nothing() {
    let mut trace = Trace::probing();
    trace.until(|bbr| bbr.state == State::Down);
    let cycle = trace.bbr.cycle;
    trace.limited = true;
    trace.round(40, 40);
    assert_eq!((trace.bbr.probing.acks, trace.bbr.cycle), (AckPhase::Init, cycle));
}

#[test]
fn a_long_term_bound_leaves_headroom_in_cruise_and_down_waits_for_it() {
    let mut trace = Trace::cruising();
    for (long, left) in [(40_000, 34_000), (5_000, 4_000), (4_200, 4_000)] {
        trace.bbr.bounds.inflight_long = Some(Bytes(long));
        assert_eq!(trace.bbr.with_headroom(), Some(Bytes(left)), "{long}");
    }
    trace.bbr.bounds.inflight_long = Some(Bytes(40_000));
    trace.sent_in = 0;
    trace.round(1, 1);
    assert_eq!(trace.bbr.window, Bytes(34_000));
    trace.bbr.start_down(trace.now);
    trace.inflight = 34_001;
    trace.round(10, 10);
    assert_eq!((trace.bbr.state, trace.bbr.window), (State::Down, Bytes(40_000)));
    trace.inflight = 34_000;
    trace.round(1, 1);
    assert_eq!((trace.bbr.state, trace.bbr.window), (State::Cruise, Bytes(34_000)));
}

/// In UP with a bound of 50,000, which is what limits it.
fn below_a_bound() -> Trace {
    let mut trace = Trace::cruising();
    trace.bbr.bounds.inflight_long = Some(Bytes(50_000));
    (trace.sent_in, trace.window_used) = (0, true);
    trace.until(|bbr| bbr.state == State::Up);
    assert_eq!(trace.bbr.window, Bytes(50_000));
    trace
}

#[test]
fn up_raises_the_bound_by_a_segment_a_round_and_twice_as_much_in_each_round_that_follows() {
    let mut trace = below_a_bound();
    let long = |trace: &Trace| trace.bbr.bounds.inflight_long;
    let mut prior = trace.delivered;
    let mut acks = 0;
    let mut advance = |trace: &mut Trace, to: u64| {
        while acks < to {
            if acks % 40 == 0 {
                prior = trace.delivered;
            }
            trace.now += Duration::from_millis(1);
            let sample = trace.sample(40_000, 40, prior);
            trace.ack(Some(sample));
            acks += 1;
        }
    };
    // A segment for each window of 50,000; with the round's end, for each half of it, and 41,000 have come.
    advance(&mut trace, 1);
    assert_eq!(long(&trace), Some(Bytes(50_000)));
    for (acks, bytes) in [(24, 50_000), (25, 51_000), (40, 51_000)] {
        advance(&mut trace, acks);
        assert_eq!(long(&trace), Some(Bytes(bytes)), "{acks}");
    }
    // The second round: a quarter of 51,000, and 16,000 are there.
    advance(&mut trace, 41);
    assert_eq!(long(&trace), Some(Bytes(51_000)));
    advance(&mut trace, 42);
    assert_eq!(long(&trace), Some(Bytes(52_000)));
    // Asking goes on as long as the bound limits it, whatever the bandwidth.
    advance(&mut trace, 160);
    assert_eq!((trace.bbr.state, trace.bbr.window), (State::Up, long(&trace).expect("it has one")));
    trace.window_used = false;
    let bound = long(&trace);
    advance(&mut trace, 240);
    assert_eq!(trace.bbr.state, State::Up);
    advance(&mut trace, 241);
    assert_eq!((trace.bbr.state, long(&trace)), (State::Down, bound));
}

#[test]
fn the_bound_does_not_grow_while_too_much_is_lost_nor_where_something_else_limits() {
    for (lost, used, window) in [(1_001, true, 50_000), (0, false, 50_000), (0, true, 49_999)] {
        let mut trace = below_a_bound();
        (trace.lost, trace.sent_in, trace.window_used) = (lost, 50_000, used);
        for _ in 0..60 {
            trace.bbr.window = Bytes(window);
            let sample = trace.sample(40_000, 40, 0);
            trace.ack(Some(sample));
        }
        assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(50_000)), "{lost} {used} {window}");
    }
}

#[test]
fn what_was_in_flight_without_too_much_loss_raises_the_bound_in_any_state() {
    let mut trace = Trace::cruising();
    trace.bbr.bounds.inflight_long = Some(Bytes(50_000));
    (trace.sent_in, trace.lost) = (60_000, 1_201);
    trace.round(1, 1);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(50_000)));
    trace.lost = 1_200;
    trace.round(1, 1);
    assert_eq!(trace.bbr.bounds.inflight_long, Some(Bytes(60_000)));
}

#[test]
fn after_a_probe_that_went_too_high_the_next_one_turns_back_at_the_bound_and_if_that_was_well_probes_on() {
    let mut trace = below_a_bound();
    trace.bbr.probing.too_high = true;
    trace.inflight = 49_000;
    trace.round(1, 1);
    assert_eq!(trace.bbr.state, State::Up);
    // No whole segment fits below it any more.
    trace.inflight = 49_001;
    trace.round(1, 1);
    assert_eq!(trace.bbr.state, State::Down);
    // A round of acknowledgements shows nothing bad: once more, and on.
    trace.round(1, 1);
    assert_eq!(trace.bbr.state, State::Refill);
    trace.round(1, 1);
    assert_eq!(trace.bbr.state, State::Up);
    trace.round(40, 40);
    assert_eq!(trace.bbr.state, State::Up);
}

#[test]
fn a_cautious_probe_that_lost_too_much_all_the_same_is_not_repeated() {
    let mut trace = below_a_bound();
    trace.bbr.probing.too_high = true;
    trace.inflight = 50_000;
    trace.round(1, 1);
    trace.lose(1, 50_000, 2_000);
    trace.round(1, 1);
    assert_eq!(trace.bbr.state, State::Down);
}

#[test]
fn five_seconds_without_a_lower_round_trip_lead_to_200_ms_with_half_of_the_product() {
    let mut trace = Trace::cruising();
    let at = |trace: &mut Trace, millis: u64, inflight: u64, prior: u64| {
        (trace.now, trace.inflight) = (Instant::from_millis(millis), inflight);
        let sample = trace.sample(40_000, 40, prior);
        trace.ack(Some(sample));
    };
    // 40 ms again is no lower one than that of the handshake, at 0.
    at(&mut trace, 5_000, 60_000, 0);
    assert!(!matches!(trace.bbr.state, State::ProbeRtt { .. }));
    trace.bbr.start_down(Instant::from_millis(5_000));
    at(&mut trace, 5_001, 60_000, 0);
    assert_eq!((trace.bbr.phase(), trace.bbr.window), (BbrPhase::ProbeRtt, Bytes(20_000)));
    assert!(trace.bbr.holds_back());
    assert_eq!(trace.bbr.pace.rate.bps(), 7_920_000);
    at(&mut trace, 5_030, 20_001, 0);
    // From here on, with 20,000 in flight.
    at(&mut trace, 5_040, 20_000, 0);
    let prior = trace.delivered;
    at(&mut trace, 5_241, 20_000, 0);
    assert_eq!(trace.bbr.phase(), BbrPhase::ProbeRtt, "a round must pass too");
    at(&mut trace, 5_242, 20_000, prior);
    assert_eq!((trace.bbr.state, trace.bbr.window), (State::Cruise, Bytes(81_000)));
    // The next one is due five seconds later.
    at(&mut trace, 10_242, 20_000, 0);
    assert!(!matches!(trace.bbr.state, State::ProbeRtt { .. }));
    at(&mut trace, 10_243, 20_000, 0);
    assert_eq!(trace.bbr.phase(), BbrPhase::ProbeRtt);
}

#[test]
fn probe_rtt_lasts_200_ms_after_a_round_and_returns_to_startup_where_the_pipe_is_not_full() {
    let mut trace = Trace::new();
    trace.round(10, 40);
    // As the sender marks what it sends now.
    (trace.inflight, trace.limited) = (1_000, true);
    for (millis, phase) in [(5_001, BbrPhase::ProbeRtt), (5_201, BbrPhase::ProbeRtt), (5_202, BbrPhase::Startup)] {
        trace.now = Instant::from_millis(millis);
        let sample = trace.sample(10_000, 40, trace.delivered);
        trace.ack(Some(sample));
        assert_eq!(trace.bbr.phase(), phase, "{millis}");
        // Half of the product of 2 Mbps, and what it was and one segment.
        assert_eq!(trace.bbr.window, if phase == BbrPhase::ProbeRtt { Bytes(5_000) } else { Bytes(21_000) });
    }
}

#[test]
fn probe_rtt_forgets_the_short_term_bounds_and_starts_a_cycle() {
    let mut trace = Trace::cruising();
    trace.bbr.bounds.inflight_short = Some(Bytes(30_000));
    trace.bbr.bounds.bandwidth_short = Some(BitRate::from_mbps(5));
    trace.bbr.state = State::ProbeRtt { end: Some(trace.now), round_done: true };
    (trace.bbr.window, trace.bbr.prior_window) = (Bytes(20_000), Bytes(70_000));
    trace.now += Duration::from_millis(1);
    trace.round(1, 1);
    assert_eq!((trace.bbr.bounds.inflight_short, trace.bbr.bounds.bandwidth_short), (None, None));
    assert_eq!(trace.bbr.probing.cycle_began, trace.now);
    assert_eq!((trace.bbr.state, trace.bbr.window), (State::Cruise, Bytes(71_000)));
}

#[test]
fn after_idleness_it_sends_as_fast_as_the_path_takes_and_does_not_probe_for_the_round_trip() {
    let mut trace = Trace::probing();
    assert_eq!(trace.bbr.pace.rate, BitRate::from_bps(9_900_000));
    trace.now += Duration::from_secs(60);
    trace.bbr.on_sent(trace.now, SMSS, true);
    trace.bbr.on_sent(trace.now, Bytes::ZERO, false);
    assert_eq!(trace.bbr.pace.rate, BitRate::from_bps(9_900_000), "it was not idle");
    trace.bbr.on_sent(trace.now, Bytes::ZERO, true);
    assert_eq!(trace.bbr.pace.rate, BitRate::from_bps(7_920_000));
    trace.round(1, 45);
    assert!(!matches!(trace.bbr.state, State::ProbeRtt { .. }));
    // The round trip of before is too old to count.
    assert_eq!(trace.bbr.round_trips.min(), Some(Duration::from_millis(45)));
    // Idleness is over.
    trace.now += Duration::from_secs(60);
    trace.round(1, 45);
    assert!(matches!(trace.bbr.state, State::ProbeRtt { .. }));
}

#[test]
fn an_idle_probe_rtt_is_over_before_the_next_segment() {
    let mut trace = Trace::cruising();
    trace.bbr.state = State::ProbeRtt { end: Some(trace.now), round_done: false };
    trace.bbr.on_sent(trace.now, Bytes::ZERO, true);
    assert_eq!(trace.bbr.phase(), BbrPhase::ProbeRtt);
    trace.now += Duration::from_millis(1);
    trace.bbr.on_sent(trace.now, Bytes::ZERO, true);
    assert_eq!(trace.bbr.state, State::Cruise);
}

#[test]
fn up_looks_at_what_is_delivered_now_and_not_at_the_greatest_of_before() {
    let mut trace = Trace::cruising();
    trace.round(50, 40);
    trace.until(|bbr| bbr.state == State::Up);
    trace.round(40, 40);
    trace.round(40, 40);
    assert_eq!(trace.state().0, UP);
    trace.round(1, 1);
    assert_eq!(trace.state().0, DOWN);
}

#[test]
fn refilling_forgets_the_probe_before_and_raises_nothing() {
    let mut trace = below_a_bound();
    for _ in 0..3 {
        trace.round(40, 40);
    }
    let bound = trace.bbr.bounds.inflight_long;
    assert!(bound > Some(Bytes(50_000)) && trace.bbr.probing.slope.rounds > 1);
    trace.bbr.probing.precautionary = true;
    trace.bbr.start_refill();
    let probing = trace.bbr.probing;
    assert_eq!((probing.slope.rounds, probing.slope.acked, probing.precautionary), (0, Bytes::ZERO, false));
    for _ in 0..60 {
        trace.now += Duration::from_millis(1);
        let sample = trace.sample(40_000, 40, 0);
        trace.ack(Some(sample));
    }
    assert_eq!((trace.bbr.state, trace.bbr.bounds.inflight_long), (State::Refill, bound));
}

#[test]
fn the_time_of_probe_rtt_begins_once_little_enough_is_in_flight() {
    let mut trace = Trace::cruising();
    for (millis, inflight, phase) in [
        (5_001, 60_000, BbrPhase::ProbeRtt),
        (5_040, 20_000, BbrPhase::ProbeRtt),
        // A round, and more than 200 ms since it began.
        (5_239, 20_000, BbrPhase::ProbeRtt),
        (5_241, 20_000, CRUISE),
    ] {
        (trace.now, trace.inflight) = (Instant::from_millis(millis), inflight);
        let sample = trace.sample(40_000, 40, trace.delivered);
        trace.ack(Some(sample));
        assert_eq!(trace.bbr.phase(), phase, "{millis}");
    }
}

#[test]
fn probe_rtt_ends_a_probe_for_bandwidth_and_gives_back_what_a_recovery_owes() {
    let mut trace = Trace::probing();
    trace.bbr.on_loss(trace.now, Bytes(40_000));
    (trace.phase, trace.bbr.window) = (FAST, Bytes(10_000));
    trace.now = Instant::from_millis(6_000);
    trace.round(1, 1);
    assert_eq!(trace.bbr.phase(), BbrPhase::ProbeRtt);
    assert_eq!(trace.bbr.prior_window, Bytes(82_000), "that of before the recovery");
    trace.round(1, 1);
    trace.lose(1, 50_000, 5_000);
    assert_eq!(trace.bbr.bounds.inflight_long, None);
}

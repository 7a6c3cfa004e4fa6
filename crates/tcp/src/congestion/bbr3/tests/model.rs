//! Round trips, aggregation, quantum, samples.

use super::super::model::{RoundTrips, send_quantum};
use super::*;

fn ms(millis: u64) -> Option<Duration> {
    Some(Duration::from_millis(millis))
}

#[test]
fn a_least_round_trip_lasts_ten_seconds_and_is_due_for_a_probe_after_five() {
    let at = Instant::from_millis;
    let mut trips = RoundTrips::new();
    for (now, rtt, due, min) in [
        (0, Some(40), false, Some(40)),
        // Equal is not lower.
        (4_000, Some(40), false, Some(40)),
        (5_000, Some(50), false, Some(40)),
        (5_001, Some(60), true, Some(40)),
        (5_002, Some(55), false, Some(40)),
        (10_000, Some(70), false, Some(40)),
        // The 40 ms are too old; the least of the second half is there.
        (10_001, Some(70), false, Some(55)),
        (10_003, None, true, Some(55)),
        // The stamp of 55 ms is that of when it was seen.
        (15_003, Some(90), true, Some(90)),
        (15_004, Some(30), false, Some(30)),
    ] {
        assert_eq!(trips.update(at(now), rtt.and_then(ms)), due, "at {now}");
        assert_eq!(trips.min(), min.and_then(ms), "at {now}");
    }
    trips.restart(at(18_000));
    assert!(!trips.update(at(23_000), None) && trips.update(at(23_001), None));
}

#[test]
fn what_the_application_limits_says_nothing_unless_it_is_more() {
    let mut trace = Trace::cruising();
    trace.limited = true;
    for (segments, mbps) in [(20, 8), (50, 10)] {
        trace.round(segments, 40);
        assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(mbps));
    }
    // Nor later, when what it was less than is forgotten.
    trace.bbr.cycle += 1;
    trace.round(35, 40);
    trace.limited = false;
    trace.bbr.cycle += 1;
    trace.round(30, 40);
    assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(6));
}

#[test]
fn without_a_sample_only_the_window_grows() {
    let mut trace = Trace::new();
    trace.round(10, 40);
    let (rounds, window) = (trace.bbr.rounds.count, trace.bbr.window);
    trace.ack(None);
    assert_eq!((trace.bbr.rounds.count, trace.bbr.window), (rounds, window + SMSS));
    assert!(!trace.bbr.rounds.began && !trace.bbr.latest.round_began);
}

#[test]
fn a_lump_is_allowed_beyond_two_products_for_five_to_ten_rounds_and_in_startup_for_one_or_two() {
    let mut trace = Trace::cruising();
    // Twenty at once.
    let lump = |trace: &mut Trace, segments| {
        trace.now += Duration::from_millis(2);
        for _ in 0..segments {
            let sample = trace.sample(40_000, 40, 0);
            trace.ack(Some(sample));
        }
        // Silence for longer than that.
        trace.now += Duration::from_millis(30);
    };
    lump(&mut trace, 20);
    let allowance = |trace: &Trace| trace.bbr.aggregation.allowance(trace.bbr.bandwidth());
    assert_eq!(allowance(&trace), Bytes(20_000));
    let mut lasts = 0;
    while allowance(&trace) > SMSS {
        trace.round(40, 40);
        lasts += 1;
    }
    assert!((5..=10).contains(&lasts), "{lasts} rounds");
    let mut trace = Trace::new();
    trace.round(40, 40);
    lump(&mut trace, 15);
    assert_eq!(allowance(&trace), Bytes(15_000));
    trace.limited = true;
    trace.round(40, 40);
    trace.round(1, 1);
    assert_eq!(allowance(&trace), SMSS);
}

#[test]
fn the_send_quantum_is_a_millisecond_of_at_least_two_segments_and_at_most_64_kib() {
    for (kbps, quantum) in [(100, 2_000), (16_000, 2_000), (24_000, 3_000), (1_000_000, 65_536)] {
        assert_eq!(send_quantum(BitRate::from_kbps(kbps), SMSS), Bytes(quantum), "{kbps} kbps");
    }
    // Three of them, or four segments, are always allowed; in UP two segments more.
    let mut bbr = Trace::new().bbr;
    bbr.pace.rate = BitRate::from_mbps(1_000);
    let path = *bbr.path();
    assert_eq!(bbr.quantised(Bytes::ZERO, &path), Bytes(3 * 65_536));
    bbr.pace.rate = BitRate::ZERO;
    bbr.state = State::Up;
    let path = *bbr.path();
    assert_eq!(bbr.quantised(Bytes::ZERO, &path), Bytes(8_000));
}

#[test]
fn before_a_round_trip_is_known_the_initial_window_is_what_is_allowed() {
    let mut bbr = Bbr3::new(SlowStart::standard(SMSS, SMSS * 10, None), 1);
    bbr.max_bandwidth.update(0, BitRate::from_mbps(100));
    assert_eq!(bbr.bdp_times(Gain::WINDOW), Bytes(10_000));
}

#[test]
fn the_states_have_the_gains_of_the_draft_s_table() {
    let mut bbr = Trace::new().bbr;
    let probe = State::ProbeRtt { end: None, round_done: false };
    for (state, rate, window) in [
        (State::Startup, 2839, 2048),
        (State::Drain { since_round: 0 }, 512, 2048),
        (State::Down, 922, 2048),
        (State::Cruise, 1024, 2048),
        (State::Refill, 1024, 2048),
        (State::Up, 1280, 2304),
        (probe, 1024, 512),
    ] {
        bbr.state = state;
        let gains = [bbr.pacing_gain(), bbr.window_gain()].map(|gain| gain.of_bytes(Bytes(1024)).get());
        assert_eq!(gains, [rate, window], "{state:?}");
        assert_eq!(bbr.holds_back(), state == probe);
        assert_eq!(bbr.is_probing(), matches!(state, State::Startup | State::Refill | State::Up));
    }
}

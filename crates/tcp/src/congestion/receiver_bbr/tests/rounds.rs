//! What stands beside the paper, on the same path: [`Variant::Rounds`]. An interval of a cycle is a quarter of the round trip and a TACK interval, 12.5 ms here.

use super::super::super::LossFacts;
use super::*;
use crate::loss::Phase;
use crate::sequence::{Position, Span};
use crate::transmissions::Lost;

const IGNORED: Variant = Variant::Rounds { losses: Losses::Ignored };
const BOUND: Variant = Variant::Rounds { losses: Losses::Bound };

/// What a report says in these tests.
#[derive(Clone, Copy)]
struct Said {
    mbps: u64,
    rtt: u64,
    delivered: u64,
}

const CLEAN: Said = Said { mbps: 8, rtt: 40, delivered: 10_000 };

const IN_A_QUEUE: Said = Said { mbps: 8, rtt: 60, delivered: 60_000 };

impl Trace {
    /// A cycle that asks for more begins now.
    fn probing(variant: Variant) -> Self {
        let mut trace = Self::at_cycle_begin(variant);
        trace.bbr.begin_cycle(trace.now);
        trace
    }

    /// A report after so many milliseconds, in the round that runs.
    fn report(&mut self, millis: u64, said: Said) {
        self.now += Duration::from_millis(millis);
        let rtt = Some(Duration::from_millis(said.rtt));
        let facts = ReportFacts { rtt, ..self.facts(said.mbps, said.delivered, 50_000) };
        self.bbr.on_report(&facts);
    }

    /// The same, with which another round begins.
    fn next_round(&mut self, millis: u64, said: Said) {
        self.round += 1;
        self.report(millis, said);
    }

    /// Each second one of so many segments was found lost.
    fn lose(&mut self, segments: u64) {
        let of = |at| Span::new(Position(1) + SMSS * (2 * at), SMSS);
        let found = |at| Lost { span: of(at), in_flight: SMSS, lost: SMSS, application_limited: false, counted: true };
        let lost: Vec<_> = (0..segments).map(found).collect();
        let facts = LossFacts { now: self.now, total_delivered: SMSS, inflight: SMSS, lost: &lost };
        self.bbr.on_losses(&facts);
    }

    /// A round that begins now loses three of 63 segments in a queue.
    fn lose_in_a_queue(&mut self) {
        self.next_round(0, Said { delivered: 0, ..CLEAN });
        self.lose(3);
        self.next_round(40, IN_A_QUEUE);
    }

    fn cycle_phase(&self) -> u8 {
        match self.state().0 {
            BbrPhase::ProbeBw { phase } => phase,
            other => panic!("{other:?}"),
        }
    }

    /// Losses bound, and then come three rounds of 100 ms that deliver a quarter, after which the path is probed.
    fn suspicious() -> Self {
        let mut trace = Self::probing(BOUND);
        // Six seconds, so that it is known how long round trips are.
        for _ in 0..60 {
            trace.next_round(100, CLEAN);
        }
        trace.bbr.begin_cycle(trace.now);
        let slow = Said { mbps: 2, rtt: 100, delivered: 20_000 };
        trace.lose_in_a_queue();
        for _ in 0..3 {
            assert_ne!(trace.state().0, BbrPhase::ProbeRtt, "three rounds are needed");
            trace.next_round(100, slow);
        }
        assert!(trace.bbr.losses.expect("they bound").bound().is_some());
        assert_eq!(trace.state().0, BbrPhase::ProbeRtt);
        trace
    }
}

#[test]
fn what_a_round_loses_in_a_queue_bounds_what_is_in_flight_and_the_window_sets_the_pace() {
    let mut trace = Trace::probing(BOUND);
    trace.lose_in_a_queue();
    // 0.775 of 63,000 on the path, and what that brings in 10 of 40 ms: 48,825 + 12,206.
    assert_eq!(trace.bbr.cap, Bytes(61_031));
    // The pace is the phase's, 1.25 of 8 Mbps less 1 %, until a queue stands that the cycle does not drain: the second round that ends in the cruise shows it.
    let pace = |trace: &Trace| (trace.cycle_phase(), trace.bbr.pacing_rate.bps() / 1_000);
    let burst = |trace: &Trace| trace.bbr.burst(trace.now);
    assert_eq!((pace(&trace), burst(&trace)), ((0, 9_900), Bytes::ZERO));
    trace.next_round(65, IN_A_QUEUE);
    assert_eq!((pace(&trace), burst(&trace)), ((2, 7_920), Bytes::ZERO));
    trace.next_round(40, IN_A_QUEUE);
    // 9.765 Mbps are the rate of the bound, which has grown a bit: 1.2 of it, and four segments at once, but while the cycle drains.
    let of_window = 11_720..13_500;
    assert!(pace(&trace).0 == 2 && of_window.contains(&pace(&trace).1), "{:?}", pace(&trace));
    assert_eq!(burst(&trace), SMSS * 4);
    trace.report(260, CLEAN);
    assert!(pace(&trace).0 == 0 && of_window.contains(&pace(&trace).1), "{:?}", pace(&trace));
    trace.report(60, CLEAN);
    assert_eq!((pace(&trace), burst(&trace)), ((1, 5_940), Bytes::ZERO));
    // In ProbeRTT the pace is its own, and the bound holds.
    trace.bbr.state = State::ProbeRtt(Probe::Empty { end: trace.now + Duration::from_secs(1) });
    trace.report(1, CLEAN);
    assert_eq!(
        (trace.bbr.pacing_rate.bps(), trace.bbr.cap),
        (800_000, trace.bbr.bounded_cap().expect("it is in force"))
    );
    assert_eq!(burst(&trace), Bytes::ZERO);
    // Heeded by nobody else.
    let mut trace = Trace::probing(IGNORED);
    trace.lose_in_a_queue();
    assert!(trace.bbr.cap >= Bytes(90_000));
}

#[test]
fn what_a_short_queue_has_cut_is_paced_by_the_bound() {
    // 0.775 of 63,000 for each 40 ms are 9.765 Mbps; 9.9 would be the phase's.
    let of_phase = 9_900_000;
    for (rtt, by_bound) in [(60, false), (46, true)] {
        let mut trace = Trace::probing(BOUND);
        trace.next_round(0, Said { delivered: 0, ..CLEAN });
        trace.lose(3);
        trace.next_round(40, Said { rtt, ..IN_A_QUEUE });
        let (bound, rate) = trace.bbr.bound().expect("it is in force");
        assert_eq!((bound, rate.bps()), (Bytes(48_825), 9_765_000));
        let pace = |trace: &Trace| trace.bbr.pacing_rate.bps();
        assert_eq!((trace.cycle_phase(), pace(&trace)), (0, if by_bound { 9_765_000 } else { of_phase }), "{rtt}");
        // Less is less: the cycle drains, and ProbeRTT has a pace of its own.
        trace.report(40, CLEAN);
        assert_eq!((trace.cycle_phase(), pace(&trace)), (1, 5_940_000));
        // Nor does it pace for longer than two seconds, nor Startup, which asks for more than any bound.
        let paces = |trace: &Trace, after| trace.bbr.most_pace(trace.now + Duration::from_millis(after)).is_some();
        assert_eq!((paces(&trace, 0), paces(&trace, 1_959), paces(&trace, 1_960)), (by_bound, by_bound, false));
        trace.bbr.state = State::Startup;
        assert!(!paces(&trace, 0));
    }
}

#[test]
fn a_bound_does_not_grow_while_probe_rtt_holds_back_nor_until_that_has_been_reported() {
    let mut trace = Trace::probing(BOUND);
    trace.lose_in_a_queue();
    let bound = |trace: &Trace| trace.bbr.losses.expect("they bound").bound();
    let before = bound(&trace);
    trace.bbr.state = State::ProbeRtt(Probe::Empty { end: trace.now + Duration::from_secs(1) });
    trace.report(20, CLEAN);
    assert_eq!(bound(&trace), before);
    trace.bbr.begin_cycle(trace.now);
    trace.bbr.blind_until = trace.now + Duration::from_millis(20);
    trace.report(19, CLEAN);
    assert_eq!(bound(&trace), before);
    trace.report(1, CLEAN);
    assert!(bound(&trace) > before);
}

#[test]
fn losses_in_a_queue_fill_the_pipe_of_startup() {
    for (variant, phase) in [(IGNORED, BbrPhase::Startup), (BOUND, BbrPhase::Drain)] {
        let mut trace = Trace::new(variant);
        for (segments, mbps) in [(10, 2), (20, 4), (40, 8)] {
            trace.per_packet(segments, 40, mbps);
        }
        trace.next_round(1, Said { delivered: 1_000, ..CLEAN });
        trace.lose(6);
        trace.next_round(1, Said { rtt: 80, delivered: 1_000, ..CLEAN });
        assert_eq!(trace.state().0, phase, "{variant:?}");
    }
}

#[test]
fn what_a_probe_for_a_change_finds_is_believed_and_no_bound_outlasts_it() {
    let mut trace = Trace::suspicious();
    let cycle = |asking: &mut Asking| {
        asking.on_report(0, BitRate::from_mbps(8));
        asking.on_report(2, BitRate::from_mbps(10))
    };
    (0..2).for_each(|_| assert_eq!(cycle(&mut trace.bbr.asking), Next::Ask));
    // Short again: the path is as long as it was, and slower.
    trace.report(50, Said { mbps: 2, rtt: 41, delivered: 4_000 });
    trace.bbr.asking.interrupt();
    assert_eq!(cycle(&mut trace.bbr.asking), Next::Ask, "what asking has brought was brought by another path");
    assert_eq!(trace.bbr.bandwidth.best(), BitRate::from_mbps(2));
    assert_eq!((trace.bbr.min_rtt, trace.bbr.take_renewed_round_trip()), (Some(RTT), None));
    assert!(trace.bbr.losses.expect("they bound").bound().is_none());

    let mut trace = Trace::suspicious();
    for _ in 0..30 {
        trace.report(20, Said { mbps: 2, rtt: 100, delivered: 4_000 });
    }
    let longer = Duration::from_millis(100);
    assert_eq!(trace.bbr.take_renewed_round_trip(), Some(longer));
    assert_eq!(trace.bbr.bandwidth.best(), BitRate::from_mbps(8), "what it delivers is known");
    assert!(trace.bbr.losses.expect("they bound").bound().is_none());
}

#[test]
fn a_rate_counts_for_sixteen_rounds_however_long_they_are() {
    let mut trace = Trace::probing(IGNORED);
    trace.next_round(100, Said { mbps: 10, ..CLEAN });
    for round in 1..=16 {
        trace.next_round(200, Said { mbps: 5, ..CLEAN });
        assert_eq!(trace.bbr.bandwidth.best(), BitRate::from_mbps(10), "round {round}");
    }
    trace.next_round(200, Said { mbps: 5, ..CLEAN });
    assert_eq!(trace.bbr.bandwidth.best(), BitRate::from_mbps(5));
}

#[test]
fn what_comes_beyond_the_latest_rate_is_allowed_for_aggregation() {
    // 8 Mbps at most bring 10,000 bytes in 10 ms, 6 Mbps 7,500, and no more than those 10,000 are allowed beyond. Where a report is heard each 15 ms, as much as makes two times what comes in these.
    for (variant, heard, cases) in [
        (IGNORED, 10, [(6, 10_000, 2_500), (2, 10_000, 7_500), (2, 40_000, 10_000)]),
        (IGNORED, 15, [(6, 10_000, 2_500), (2, 10_000, 7_500), (2, 40_000, 20_000)]),
        (Variant::Standard, 10, [(6, 10_000, 0), (2, 10_000, 0), (2, 20_000, 10_000)]),
        (Variant::Standard, 15, [(6, 10_000, 0), (2, 10_000, 0), (2, 20_000, 10_000)]),
    ] {
        for (mbps, delivered, allowed) in cases {
            let mut trace = Trace::at_cycle_begin(variant);
            let interval = trace.facts(mbps, 0, 0).interval.expect("a TACK interval");
            assert_eq!((interval, trace.bbr.bandwidth.best()), (Duration::from_millis(10), BitRate::from_mbps(8)));
            trace.bbr.aggregation = Aggregation::new(trace.now);
            trace.bbr.last_report = trace.now;
            trace.now += interval;
            let heard = Some(Duration::from_millis(heard));
            trace.bbr.on_report(&ReportFacts { heard, ..trace.facts(mbps, delivered, 50_000) });
            assert_eq!(trace.bbr.allowance(), Bytes(allowed), "{variant:?}, {mbps} Mbps, {heard:?}");
            // The lump of the cap is of one interval: two products of 40,000 bytes, and 10,000.
            assert_eq!(trace.bbr.target(), Bytes(90_000 + allowed), "{variant:?}, {mbps} Mbps, {heard:?}");
        }
    }
}

/// Five seconds without a lower round trip are over, and ProbeRTT begins with 50,000 bytes in flight. The latest rate, and the path.
fn half_probe(mbps: u64, rtt: u64) -> Trace {
    let mut trace = Trace::at_cycle_begin(BOUND);
    trace.bbr.lowered.restart(trace.now);
    for _ in 0..500 {
        trace.tack(50_000);
    }
    assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }), "five seconds have not passed");
    trace.now += INTERVAL;
    let rtt = Some(Duration::from_millis(rtt));
    trace.bbr.on_report(&ReportFacts { rtt, min_rtt: rtt, ..trace.facts(mbps, 10_000, 50_000) });
    assert_eq!(trace.state().0, BbrPhase::ProbeRtt);
    assert!(trace.bbr.holds_back());
    trace
}

#[test]
fn every_five_seconds_half_of_the_product_is_in_flight_for_200_ms_or_a_round() {
    // Half of what 8 Mbps bring in 40 ms, and what they bring in 10, are 30,000 bytes: 20,000 too much take 20 ms, and 30,000 in each round trip and interval are 4.8 Mbps. By 4 Mbps it is half of that, and all that is in flight is gone after 50 ms.
    // On a path of 2 ms, which counts as 10, half of it and an interval are 15,000 bytes, which is more than comes in 12 ms. On one of 240 ms nothing is too much, and the round is longer than 200 ms.
    for (mbps, rtt, drains, holds, bps) in [
        (8, 40, 20, 200, 4_752_000),
        (4, 40, 50, 200, 2_376_000),
        (8, 2, 12, 200, 7_920_000),
        (8, 240, 0, 250, 4_118_400),
    ] {
        let mut trace = half_probe(mbps, rtt);
        let begin = trace.now;
        let mut at = |millis: u64| {
            let now = begin + Duration::from_millis(millis);
            trace.bbr.on_sent(now, SMSS, false);
            (trace.bbr.phase(now), trace.bbr.pacing_rate.bps())
        };
        if drains > 0 {
            // A segment for each interval.
            assert_eq!(at(drains - 1), (BbrPhase::ProbeRtt, 800_000), "{mbps} Mbps, {rtt} ms");
        }
        assert_eq!(at(drains), (BbrPhase::ProbeRtt, bps), "{mbps} Mbps, {rtt} ms");
        assert_eq!(at(drains + holds - 1), (BbrPhase::ProbeRtt, bps), "{mbps} Mbps, {rtt} ms");
        assert!(matches!(at(drains + holds).0, BbrPhase::ProbeBw { .. }), "{mbps} Mbps, {rtt} ms");
    }
}

#[test]
fn on_a_slow_link_a_probe_sends_a_quarter_or_four_segments_in_a_round_trip_and_not_one_for_each_interval() {
    // A segment for each 10 ms are ten times the 80 kbps of the link.
    for (variant, probes, millis, bps) in [
        (BOUND, true, 4_000, 20_000),
        (BOUND, true, 1_000, 32_000),
        (BOUND, true, 20, 800_000),
        (BOUND, false, 4_000, 800_000),
        (Variant::Standard, true, 4_000, 800_000),
    ] {
        let mut trace = Trace::at_cycle_begin(variant);
        trace.bbr.bandwidth = MaxFilter::new(variant.filter_length());
        trace.bbr.bandwidth.update(0, BitRate::from_kbps(80));
        trace.bbr.latest_rtt = Duration::from_millis(millis);
        if probes {
            trace.bbr.state = State::ProbeRtt(Probe::Empty { end: trace.now + Duration::from_secs(1) });
        }
        trace.bbr.on_sent(trace.now, SMSS, false);
        assert_eq!(trace.state().3, bps, "{variant:?}, {probes}, {millis} ms");
    }
}

#[test]
fn on_a_path_by_satellite_ten_round_trips_lie_between_two_probes() {
    for (rtt, seconds) in [(500, 5), (600, 6), (2_000, 20)] {
        let rtt = Some(Duration::from_millis(rtt));
        for (variant, seconds) in [(BOUND, seconds), (Variant::Standard, 10)] {
            let mut trace = Trace::at_cycle_begin(variant);
            trace.bbr.lowered.restart(trace.now);
            trace.bbr.min_rtt = rtt;
            let begin = trace.now;
            for (millis, probes) in [(seconds * 1_000, false), (seconds * 1_000 + 1, true)] {
                trace.now = begin + Duration::from_millis(millis);
                trace.bbr.check_probe_rtt(&ReportFacts { rtt, min_rtt: rtt, ..trace.facts(8, 10_000, 50_000) });
                assert_eq!(trace.state().0 == BbrPhase::ProbeRtt, probes, "{variant:?}, {rtt:?}, {millis} ms");
            }
        }
    }
}

#[test]
fn a_probe_for_a_change_puts_probe_rtt_off_for_no_time() {
    let mut trace = Trace::suspicious();
    let seen = trace.bbr.lowered.seen;
    trace.report(50, Said { mbps: 2, rtt: 41, delivered: 4_000 });
    assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }), "it is over");
    assert_eq!(trace.bbr.lowered.seen, seen);
    // One for the least round trip does.
    let mut trace = half_probe(8, 40);
    let end = trace.now + Duration::from_millis(220);
    trace.bbr.on_sent(end, SMSS, false);
    assert_eq!(trace.bbr.lowered.seen, end);
}

#[test]
fn a_probe_goes_on_for_as_long_as_it_finds_lower_round_trips() {
    for (found, goes_on) in [(36, false), (35, true)] {
        let mut trace = half_probe(8, 40);
        trace.now += Duration::from_millis(220);
        let rtt = Some(Duration::from_millis(found));
        let facts = ReportFacts { rtt, min_rtt: rtt, ..trace.facts(4, 10_000, 30_000) };
        trace.bbr.on_report(&facts);
        assert_eq!(trace.state().0 == BbrPhase::ProbeRtt, goes_on, "{found} ms in the place of 40");
        if goes_on {
            let at = |trace: &mut Trace, millis: u64| {
                let now = trace.now + Duration::from_millis(millis);
                trace.bbr.on_sent(now, SMSS, false);
                (trace.bbr.phase(now), trace.bbr.pacing_rate.bps())
            };
            assert_eq!(at(&mut trace, 199), (BbrPhase::ProbeRtt, 4_752_000));
            assert!(matches!(at(&mut trace, 200).0, BbrPhase::ProbeBw { .. }), "no lower ones came");
        }
    }
}

#[test]
fn a_cycle_goes_by_the_round_trip_and_the_interval_together() {
    for (srtt, up) in [(40, 50), (190, 200)] {
        let mut trace = Trace::at_cycle_begin(IGNORED);
        let facts = ReportFacts { srtt: Duration::from_millis(srtt), ..trace.facts(8, 1_000, 50_000) };
        trace.bbr.on_report(&facts);
        trace.bbr.begin_cycle(trace.now);
        for (millis, phase) in [(up - 1, 0), (up + 1, 1), (2 * up - 1, 1), (2 * up + 1, 2)] {
            let at = trace.now + Duration::from_millis(millis);
            assert_eq!(trace.bbr.phase(at), BbrPhase::ProbeBw { phase }, "{srtt} ms, after {millis}");
        }
    }
}

#[test]
fn what_has_brought_a_good_deal_more_is_asked_for_again_at_once() {
    for (mbps, phase) in [(9, 2), (10, 0)] {
        let mut trace = Trace::probing(IGNORED);
        trace.next_round(1, CLEAN);
        trace.next_round(60, Said { mbps, ..CLEAN });
        assert_eq!(trace.cycle_phase(), 1);
        trace.next_round(41, Said { mbps, ..CLEAN });
        assert_eq!(trace.cycle_phase(), phase, "{mbps} Mbps in the place of 8");
    }
}

/// Three cycles, of which each brings a quarter or more.
fn asked_three_times(trace: &mut Trace) {
    for (before, mbps) in [(8, 10), (10, 13), (13, 17)] {
        assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }), "before {mbps} Mbps");
        trace.bbr.begin_cycle(trace.now);
        trace.next_round(1, Said { mbps: before, ..CLEAN });
        trace.next_round(60, Said { mbps, ..CLEAN });
        trace.next_round(41, Said { mbps, ..CLEAN });
    }
}

#[test]
fn what_has_brought_more_three_times_begins_startup_anew_until_the_pipe_is_full() {
    // It also ends where the application holds back.
    for limited in [false, true] {
        let mut trace = Trace::probing(IGNORED);
        asked_three_times(&mut trace);
        assert_eq!(trace.state().0, BbrPhase::Startup);
        assert_eq!(trace.bbr.pacing_rate, Gain::STARTUP.pace(BitRate::from_mbps(17)));
        let next = |trace: &mut Trace, mbps| {
            trace.round += 1;
            trace.now += RTT;
            let facts = ReportFacts { application_limited: limited, ..trace.facts(mbps, 100_000, 50_000) };
            trace.bbr.on_report(&facts);
        };
        next(&mut trace, 30);
        for _ in 0..3 {
            assert_eq!(trace.state().0, BbrPhase::Startup, "limited: {limited}");
            next(&mut trace, 30);
        }
        // Little is in flight, so that nothing drains: two products of 150,000 bytes, and what an interval brings.
        assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }), "limited: {limited}");
        next(&mut trace, 30);
        assert!((300_000..400_000).contains(&trace.bbr.cap.get()), "limited: {limited}, {}", trace.bbr.cap);
    }
    // Where losses bound, nobody asks for all that there is.
    let mut trace = Trace::probing(BOUND);
    trace.lose_in_a_queue();
    asked_three_times(&mut trace);
    assert!(trace.bbr.losses.expect("they bound").bound().is_some());
    assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }));
}

#[test]
fn what_asking_a_short_queue_has_brought_ends_its_bound() {
    for (rtt, later, ended) in [(46, 0, false), (46, 2_000, true), (60, 2_000, false)] {
        let mut trace = Trace::probing(BOUND);
        trace.next_round(0, Said { delivered: 0, ..CLEAN });
        trace.lose(3);
        trace.next_round(40, Said { rtt, ..IN_A_QUEUE });
        trace.now += Duration::from_millis(later);
        trace.bbr.begin_cycle(trace.now);
        trace.next_round(1, CLEAN);
        trace.next_round(60, Said { mbps: 10, ..CLEAN });
        trace.next_round(41, Said { mbps: 10, ..CLEAN });
        let found = (trace.bbr.bound().is_none(), trace.cycle_phase());
        assert_eq!(found, (ended, if ended { 0 } else { 2 }), "{rtt} {later}");
    }
}

#[test]
fn a_timeout_leaves_four_segments() {
    let mut trace = Trace::probing(IGNORED);
    trace.bbr.on_timeout(trace.now, Bytes(50_000), false);
    assert_eq!(trace.bbr.cap, SMSS * 4);
}

#[test]
fn a_path_counts_as_10_ms_long_at_least() {
    for (variant, product) in [(IGNORED, 10_000), (Variant::Standard, 2_000)] {
        let mut trace = Trace::at_cycle_begin(variant);
        trace.bbr.min_rtt = Some(Duration::from_millis(2));
        assert_eq!(trace.bbr.bdp(), Bytes(product), "{variant:?}");
    }
}

#[test]
fn what_was_no_loss_takes_its_bound_back() {
    for (segments, bounded) in [(1, true), (3, false)] {
        let mut trace = Trace::probing(BOUND);
        trace.lose_in_a_queue();
        trace.bbr.on_feedback(&came_all_the_same(trace.now, segments));
        assert_eq!(trace.bbr.losses.expect("they bound").bound().is_some(), bounded, "{segments}");
    }
}

/// Of what had been found lost, so many segments.
fn came_all_the_same(now: Instant, segments: u64) -> Feedback {
    Feedback {
        now,
        delivered: SMSS * segments,
        spurious: SMSS * segments,
        total_delivered: SMSS * segments,
        lost: Bytes::ZERO,
        inflight_before: SMSS,
        inflight: SMSS,
        sample: None,
        rtt: None,
        srtt: RTT,
        phase: Phase::Open,
        window_used: true,
        marked: None,
    }
}

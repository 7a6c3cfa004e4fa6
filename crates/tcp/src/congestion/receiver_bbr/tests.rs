//! A trace worked by hand: one segment is 1,000 bytes, the bottleneck takes 8 Mbps (1,000 bytes a millisecond), RTTmin is
//! 40 ms, so the BDP is 40,000 bytes; in Startup every packet is reported, then every 10 ms (beta = 4).

use super::*;

mod rounds;

const SMSS: Bytes = Bytes(1000);
const RTT: Duration = Duration::from_millis(40);
const INTERVAL: Duration = Duration::from_millis(10);

struct Trace {
    bbr: ReceiverBbr,
    now: Instant,
    round: u64,
}

impl Trace {
    /// Connected at 0; the handshake took 40 ms.
    fn new(variant: Variant) -> Self {
        let start = SlowStart::standard(SMSS, SMSS * 10, None);
        let mut bbr = ReceiverBbr::new(start, 1, variant);
        bbr.on_connected(Instant::ZERO, Some(RTT));
        Self { bbr, now: Instant::ZERO, round: 0 }
    }

    fn facts(&self, mbps: u64, delivered: u64, inflight: u64) -> ReportFacts {
        ReportFacts {
            now: self.now,
            delivery_rate: BitRate::from_mbps(mbps),
            application_limited: false,
            interval: Some(INTERVAL),
            heard: Some(INTERVAL),
            min_rtt: Some(RTT),
            rtt: Some(RTT),
            srtt: RTT,
            round: self.round,
            delivered: Bytes(delivered),
            inflight: Bytes(inflight),
        }
    }

    /// A round of Startup: reports of one segment each over `millis`.
    fn per_packet(&mut self, segments: u64, millis: u64, mbps: u64) {
        self.round += 1;
        let begin = self.now;
        for i in 1..=segments {
            self.now = begin + Duration::from_millis(millis) * i / segments;
            let facts =
                ReportFacts { interval: None, heard: None, ..self.facts(mbps, 1000, (segments * 1000).max(10_000)) };
            self.bbr.on_report(&facts);
        }
    }

    /// A TACK after 10 ms in which 8 Mbps came.
    fn tack(&mut self, inflight: u64) {
        self.now += INTERVAL;
        let facts = self.facts(8, 10_000, inflight);
        self.bbr.on_report(&facts);
    }

    /// Phase, bandwidth in bits per second, cap, pacing rate.
    fn state(&self) -> (BbrPhase, u64, u64, u64) {
        let bbr = &self.bbr;
        (bbr.phase(self.now), bbr.bandwidth.best().bps(), bbr.cap.get(), bbr.pacing_rate.bps())
    }

    /// Startup and Drain are behind; the gain cycle begins now.
    fn at_cycle_begin(variant: Variant) -> Self {
        let mut trace = Self::new(variant);
        for (segments, millis, mbps) in [(10, 40, 2), (20, 40, 4), (40, 40, 8), (80, 80, 8), (115, 115, 8), (1, 1, 8)] {
            trace.per_packet(segments, millis, mbps);
        }
        trace.tack(40_000);
        trace.bbr.state = State::ProbeBw { began: trace.bbr.time.mark(trace.now, 0) };
        trace.bbr.on_sent(trace.now, SMSS, false);
        trace.bbr.cap = Bytes(91_000);
        trace
    }
}

#[test]
fn startup_and_drain_are_those_of_bbr_in_rounds_of_what_was_in_flight() {
    let mut trace = Trace::new(Variant::Standard);
    // 10,000 bytes in 40 ms are 2 Mbps; times 2955/1024 less 1 %.
    assert_eq!(trace.state(), (BbrPhase::Startup, 0, 10_000, 5_713_769));
    trace.per_packet(10, 40, 2);
    assert_eq!(trace.state(), (BbrPhase::Startup, 2_000_000, 20_000, 5_713_769));
    trace.per_packet(20, 40, 4);
    assert_eq!(trace.state(), (BbrPhase::Startup, 4_000_000, 40_000, 11_427_538));
    trace.per_packet(40, 40, 8);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 80_000, 22_855_077));
    // The cap stops at 2.886 BDP.
    trace.per_packet(80, 80, 8);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 115_429, 22_855_077));
    trace.per_packet(115, 115, 8);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 115_429, 22_855_077));
    // The third round without growth ends with the first report of the next one. From now on a lump is added to the cap: one
    // segment, which is what each report of Startup brought at once.
    trace.round += 1;
    trace.now += Duration::from_millis(1);
    trace.bbr.on_report(&ReportFacts { interval: None, heard: None, ..trace.facts(8, 1_000, 115_000) });
    assert_eq!(trace.state(), (BbrPhase::Drain, 8_000_000, 116_429, 2_745_702));
    // TACKs every 10 ms from now on; what comes in one is added to the cap. 6,570 bytes less are in flight after each.
    for (tacks, cap) in (1..=11).map(|tacks| (tacks, 126_429)) {
        trace.tack(115_000 - 6_570 * tacks);
        assert_eq!(trace.state(), (BbrPhase::Drain, 8_000_000, cap, 2_745_702), "{tacks}");
    }
    trace.tack(115_000 - 6_570 * 12);
    // (2 + 1/(40 ms 100 Hz)) BDP = 2.25 BDP, and the lump.
    let (phase, bandwidth, cap, rate) = trace.state();
    assert_eq!((bandwidth, cap), (8_000_000, 91_000));
    let BbrPhase::ProbeBw { phase } = phase else { panic!("{phase:?}") };
    assert_ne!(phase, 1, "a cycle never begins by draining");
    assert_eq!(rate, if phase == 0 { 9_900_000 } else { 7_920_000 });
}

#[test]
fn a_cycle_is_four_intervals_of_more_four_of_less_and_the_rest_cruises() {
    let miracast = Variant::Miracast { probe_rtt: GentleProbe::Never };
    for (variant, length) in [(Variant::Standard, 32), (miracast, 16)] {
        let mut trace = Trace::at_cycle_begin(variant);
        for interval in 0..2 * length {
            let (phase, rate) = match interval % length {
                0..4 => (0, 9_900_000),
                4..8 => (1, 5_940_000),
                _ => (2, 7_920_000),
            };
            trace.tack(50_000);
            // The report comes at the end of the interval, where the next one begins.
            trace.bbr.on_sent(trace.now - Duration::from_micros(1), SMSS, false);
            assert_eq!(trace.bbr.pacing_rate.bps(), rate, "{variant:?}, interval {interval}");
            assert_eq!(trace.bbr.phase(trace.now - Duration::from_micros(1)), BbrPhase::ProbeBw { phase });
            assert_eq!(trace.bbr.cap, Bytes(91_000));
        }
    }
}

#[test]
fn phases_pass_with_time_where_reports_are_lost() {
    let mut trace = Trace::at_cycle_begin(Variant::Standard);
    let begin = trace.now;
    for (millis, rate) in [(1, 9_900_000), (39, 9_900_000), (40, 5_940_000), (79, 5_940_000), (80, 7_920_000)] {
        trace.bbr.on_sent(begin + Duration::from_millis(millis) + Duration::from_micros(1), SMSS, false);
        assert_eq!(trace.bbr.pacing_rate.bps(), rate, "after {millis} ms");
    }
    // Nine of ten reports are lost, the next cycle begins after 32 intervals all the same.
    trace.now = begin + Duration::from_millis(90);
    for _ in 0..2 {
        trace.now += INTERVAL * 9;
        trace.tack(50_000);
    }
    assert_eq!(trace.bbr.phase(begin + Duration::from_millis(319)), BbrPhase::ProbeBw { phase: 2 });
    assert_eq!(trace.bbr.phase(begin + Duration::from_millis(321)), BbrPhase::ProbeBw { phase: 0 });
}

#[test]
fn less_bandwidth_is_believed_after_the_filter_s_length() {
    for (variant, length) in [(Variant::Standard, 40), (Variant::Miracast { probe_rtt: GentleProbe::Never }, 20)] {
        let mut trace = Trace::at_cycle_begin(variant);
        trace.now += INTERVAL;
        trace.bbr.on_report(&trace.facts(10, 12_500, 50_000));
        for interval in 1..=length {
            trace.now += INTERVAL;
            trace.bbr.on_report(&trace.facts(5, 6_250, 50_000));
            assert_eq!(trace.bbr.bandwidth.best(), BitRate::from_mbps(10), "{variant:?}, interval {interval}");
        }
        trace.now += INTERVAL;
        trace.bbr.on_report(&trace.facts(5, 6_250, 50_000));
        assert_eq!(trace.bbr.bandwidth.best(), BitRate::from_mbps(5));
        // 2 BDP of 25,000 bytes, an interval of 6,250, and the lump. What came at 10 Mbps is none: that was the bandwidth.
        assert_eq!(trace.bbr.cap, Bytes(57_250));
    }
}

#[test]
fn the_rate_is_never_less_than_a_segment_for_each_interval() {
    let mut trace = Trace::at_cycle_begin(Variant::Standard);
    let slow = Duration::from_millis(4);
    trace.now += slow;
    let facts = ReportFacts {
        delivery_rate: BitRate::from_kbps(100),
        interval: Some(slow),
        heard: Some(slow),
        ..trace.facts(1, 50, 1_000)
    };
    // What was known is forgotten after forty intervals of the clock, 5 ms each.
    for _ in 0..60 {
        trace.now += slow;
        trace.bbr.on_report(&ReportFacts { now: trace.now, ..facts });
    }
    // 1,000 bytes in 4 ms are 2 Mbps, and 100 kbps are believed; the cap is four segments.
    let (_, bandwidth, cap, rate) = trace.state();
    assert_eq!((bandwidth, cap, rate), (100_000, 4_000, 2_000_000));
}

#[test]
fn ten_seconds_without_a_lower_round_trip_lead_to_a_segment_for_each_interval() {
    let mut trace = Trace::at_cycle_begin(Variant::Standard);
    trace.bbr.lowered.restart(trace.now);
    let begin = trace.now;
    for _ in 0..1_000 {
        trace.tack(50_000);
    }
    assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }), "ten seconds have not passed");
    trace.tack(50_000);
    assert_eq!(trace.now.saturating_since(begin), Duration::from_millis(10_010));
    assert_eq!(trace.state(), (BbrPhase::ProbeRtt, 8_000_000, 91_000, 800_000));
    assert!(trace.bbr.holds_back());
    // 200 ms, for the round trip is shorter. The little that is delivered meanwhile says nothing of the path.
    for _ in 0..19 {
        trace.now += INTERVAL;
        trace.bbr.on_report(&trace.facts(1, 1_000, 4_000));
        assert_eq!(trace.state(), (BbrPhase::ProbeRtt, 8_000_000, 91_000, 800_000));
    }
    trace.now += INTERVAL;
    trace.bbr.on_report(&trace.facts(1, 1_000, 4_000));
    assert!(matches!(trace.bbr.state, State::ProbeBw { .. }));
    for _ in 0..6 {
        trace.bbr.on_report(&trace.facts(1, 1_000, 4_000));
        assert_eq!(trace.bbr.bandwidth.best(), BitRate::from_mbps(8));
        trace.now += INTERVAL;
    }
}

#[test]
fn a_gentle_probe_takes_a_quarter_off_for_a_round_trip_every_two_and_a_half_seconds() {
    let mut trace = Trace::at_cycle_begin(Variant::Miracast { probe_rtt: GentleProbe::Gentle });
    trace.bbr.lowered.restart(trace.now);
    for _ in 0..250 {
        trace.tack(50_000);
        assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }));
    }
    for _ in 0..4 {
        trace.tack(50_000);
        assert_eq!(trace.state(), (BbrPhase::ProbeRtt, 8_000_000, 91_000, 5_940_000));
    }
    trace.tack(50_000);
    assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }));
}

#[test]
fn there_is_a_variant_that_never_probes_for_the_round_trip() {
    let mut trace = Trace::at_cycle_begin(Variant::Miracast { probe_rtt: GentleProbe::Never });
    for _ in 0..3_000 {
        trace.tack(50_000);
        assert!(matches!(trace.state().0, BbrPhase::ProbeBw { .. }));
    }
}

#[test]
fn what_aggregation_lumps_together_may_be_in_flight_on_top() {
    let mut trace = Trace::at_cycle_begin(Variant::Standard);
    // Nothing for three intervals, then the bytes of four at once: three are more than the cap's own allowance.
    for _ in 0..3 {
        trace.now += INTERVAL;
        trace.bbr.on_report(&ReportFacts { delivery_rate: BitRate::ZERO, ..trace.facts(0, 0, 50_000) });
    }
    trace.now += INTERVAL;
    trace.bbr.on_report(&trace.facts(8, 40_000, 20_000));
    assert_eq!(trace.bbr.cap, Bytes(120_000));
}

#[test]
fn a_timeout_leaves_one_segment_and_the_cap_comes_back_with_what_is_delivered() {
    let mut trace = Trace::at_cycle_begin(Variant::Standard);
    trace.bbr.on_timeout(trace.now, Bytes(50_000), false);
    assert_eq!(trace.bbr.cap, SMSS);
    for cap in [11_000, 21_000, 31_000] {
        trace.tack(1_000);
        assert_eq!(trace.bbr.cap, Bytes(cap));
    }
    for _ in 0..6 {
        trace.tack(1_000);
    }
    assert_eq!(trace.bbr.cap, Bytes(91_000));
}

#[test]
fn without_reports_bbr_goes_on_with_what_is_known() {
    let mut trace = Trace::at_cycle_begin(Variant::Standard);
    trace.tack(50_000);
    let rate = trace.bbr.pacing_rate;
    let bbr = trace.bbr.into_bbr(trace.now);
    assert_eq!((bbr.bandwidth(), bbr.min_rtt()), (BitRate::from_mbps(8), Some(RTT)));
    assert_eq!((bbr.window(), bbr.pacing_rate()), (Bytes(91_000), Some(rate)));
    assert!(matches!(bbr.phase(), BbrPhase::ProbeBw { .. }));
    let fresh = Trace::new(Variant::Standard).bbr.into_bbr(Instant::ZERO);
    assert_eq!((fresh.phase(), fresh.window()), (BbrPhase::Startup, SMSS * 10));
}

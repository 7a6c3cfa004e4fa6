//! A trace worked by hand: one segment is 1,000 bytes, the bottleneck takes 8 Mbps (1,000 bytes a millisecond), RTprop is
//! 40 ms, so the BDP is 40,000 bytes. Every segment has its acknowledgement.

use super::super::RateSample;
use super::*;
use crate::sequence::Position;

const SMSS: Bytes = Bytes(1000);
const OPEN: Phase = Phase::Open;
const FAST: Phase = Phase::Recovery { until: Position::FIRST_BYTE };

struct Trace {
    bbr: Bbr,
    now: Instant,
    delivered: u64,
}

impl Trace {
    /// Connected at 0; the handshake took 40 ms.
    fn new() -> Self {
        let mut bbr = Bbr::new(SlowStart::standard(SMSS, SMSS * 10, None), 1);
        bbr.on_connected(Instant::ZERO, Some(Duration::from_millis(40)));
        Self { bbr, now: Instant::ZERO, delivered: 0 }
    }

    /// A sample of `bytes` in `millis`, with the acknowledgement of one segment, sent when `prior` had been delivered.
    fn facts(&mut self, bytes: u64, millis: u64, prior: u64) -> Feedback {
        self.delivered += 1000;
        Feedback {
            now: self.now,
            delivered: SMSS,
            spurious: Bytes::ZERO,
            total_delivered: Bytes(self.delivered),
            lost: Bytes::ZERO,
            inflight_before: Bytes(60_000),
            inflight: Bytes(60_000),
            sample: Some(RateSample {
                delivered: Bytes(bytes),
                interval: Duration::from_millis(millis),
                prior_delivered: Bytes(prior),
                application_limited: false,
                in_flight: Bytes(60_000),
                lost: Bytes::ZERO,
            }),
            rtt: Some(Duration::from_millis(millis.max(40))),
            srtt: Duration::from_millis(millis.max(40)),
            phase: OPEN,
            window_used: true,
            marked: None,
        }
    }

    /// A millisecond later.
    fn next_facts(&mut self, bytes: u64, millis: u64, prior: u64) -> Feedback {
        self.now += Duration::from_millis(1);
        self.facts(bytes, millis, prior)
    }

    /// A round of `segments`, acknowledged one by one over `millis`; in flight stays what `inflight` says at each.
    fn round(&mut self, segments: u64, millis: u64, inflight: impl Fn(u64) -> u64) {
        let (begin, prior) = (self.now, self.delivered);
        for i in 1..=segments {
            self.now = begin + Duration::from_millis(millis) * i / segments;
            let mut facts = self.facts(segments * 1000, millis, prior);
            facts.inflight = Bytes(inflight(i));
            facts.inflight_before = Bytes(inflight(i));
            self.bbr.on_feedback(&facts);
        }
    }

    /// Phase, bandwidth in bits per second, window, pacing rate.
    fn state(&self) -> (BbrPhase, u64, u64, u64) {
        let bbr = &self.bbr;
        (bbr.phase(), bbr.bandwidth().bps(), bbr.window.get(), bbr.pace.rate.bps())
    }

    /// Startup and Drain are behind; the gain cycle is at `phase` since now; nothing is known but 8 Mbps and 40 ms.
    fn in_probe_bw(phase: usize) -> Self {
        let mut trace = Self::new();
        for (segments, millis) in [(10, 40), (20, 40), (40, 40), (80, 80), (122, 122)] {
            trace.round(segments, millis, |_| 100_000);
        }
        trace.round(122, 122, |i| 122_000 - 657 * i);
        trace.bbr.state = State::ProbeBw { phase, since: trace.now };
        trace.round(1, 1, |_| 50_000);
        trace
    }
}

#[test]
fn startup_doubles_until_three_rounds_bring_no_more_and_drain_empties_the_queue() {
    let mut trace = Trace::new();
    // 10,000 bytes in 40 ms are 2 Mbps; times 2955/1024 less 1 %.
    assert_eq!(trace.state(), (BbrPhase::Startup, 0, 10_000, 5_713_769));
    trace.round(10, 40, |_| 10_000);
    assert_eq!(trace.state(), (BbrPhase::Startup, 2_000_000, 20_000, 5_713_769));
    trace.round(20, 40, |_| 20_000);
    assert_eq!(trace.state(), (BbrPhase::Startup, 4_000_000, 40_000, 11_427_538));
    // Now the pipe is full, which BBR does not know yet.
    trace.round(40, 40, |_| 40_000);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 80_000, 22_855_077));
    // The window stops at 2.886 BDP = 115,429 and three quanta of two segments: at the first segment above 121,429.
    trace.round(80, 80, |_| 80_000);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 122_000, 22_855_077));
    trace.round(122, 122, |_| 122_000);
    assert_eq!(trace.state(), (BbrPhase::Startup, 8_000_000, 122_000, 22_855_077));
    // The third round without growth ends with the first acknowledgement of the next one. The window is now bounded by
    // its target, in which one segment counts as a lump: 121,429 + 1,000.
    trace.round(1, 1, |_| 122_000);
    assert_eq!(trace.state(), (BbrPhase::Drain, 8_000_000, 122_429, 2_745_702));
    // In each millisecond 1,000 bytes go and 343 come; at 116 ms less than BDP + 3 quanta = 46,000 is left.
    trace.round(115, 115, |i| 122_000 - 657 * i);
    assert_eq!(trace.state(), (BbrPhase::Drain, 8_000_000, 122_429, 2_745_702));
    trace.round(1, 1, |_| 122_000 - 657 * 116);
    let (phase, bandwidth, window, rate) = trace.state();
    // 2 BDP, three quanta, one lump.
    assert_eq!((bandwidth, window), (8_000_000, 87_000));
    let BbrPhase::ProbeBw { phase } = phase else { panic!("{phase:?}") };
    assert_ne!(phase, 1, "a cycle never begins by draining");
    assert_eq!(rate, if phase == 0 { 9_900_000 } else { 7_920_000 });
}

#[test]
fn a_cycle_asks_for_a_quarter_more_drains_it_and_cruises_for_six_round_trips() {
    let mut trace = Trace::in_probe_bw(0);
    assert_eq!(trace.state(), (BbrPhase::ProbeBw { phase: 0 }, 8_000_000, 87_000, 9_900_000));
    // The phase began a millisecond ago. After 40 ms more RTprop has passed, but it lasts until 1.25 BDP and three
    // quanta, 56,000 bytes, are in flight.
    trace.round(41, 41, |_| 55_999);
    assert_eq!(trace.state().0, BbrPhase::ProbeBw { phase: 0 });
    trace.round(1, 1, |_| 56_000);
    assert_eq!(trace.state(), (BbrPhase::ProbeBw { phase: 1 }, 8_000_000, 87_000, 5_940_000));
    // Draining ends with one BDP and three quanta in flight.
    trace.round(20, 20, |_| 46_001);
    assert_eq!(trace.state().0, BbrPhase::ProbeBw { phase: 1 });
    trace.round(1, 1, |_| 46_000);
    for phase in 2..8 {
        assert_eq!(trace.state(), (BbrPhase::ProbeBw { phase }, 8_000_000, 87_000, 7_920_000));
        trace.round(40, 40, |_| 46_000);
        assert_eq!(trace.state().0, BbrPhase::ProbeBw { phase });
        trace.round(1, 1, |_| 46_000);
    }
    assert_eq!(trace.state(), (BbrPhase::ProbeBw { phase: 0 }, 8_000_000, 87_000, 9_900_000));
}

#[test]
fn asking_for_more_ends_with_a_loss_and_draining_after_a_round_trip_at_the_latest() {
    let mut trace = Trace::in_probe_bw(0);
    trace.now += Duration::from_millis(40);
    let mut facts = trace.facts(40_000, 40, 0);
    (facts.inflight_before, facts.lost) = (Bytes(50_000), SMSS);
    trace.bbr.on_feedback(&facts);
    assert_eq!(trace.state().0, BbrPhase::ProbeBw { phase: 1 });
    trace.round(40, 40, |_| 60_000);
    assert_eq!(trace.state().0, BbrPhase::ProbeBw { phase: 1 });
    trace.round(1, 1, |_| 60_000);
    assert_eq!(trace.state().0, BbrPhase::ProbeBw { phase: 2 });
}

#[test]
fn every_phase_but_the_draining_one_may_be_the_first() {
    let mut trace = Trace::in_probe_bw(0);
    let mut seen = [0; 8];
    for _ in 0..700 {
        trace.bbr.enter_probe_bw(trace.now);
        let BbrPhase::ProbeBw { phase } = trace.bbr.phase() else { panic!("{:?}", trace.bbr.state) };
        seen[usize::from(phase)] += 1;
    }
    assert_eq!(seen[1], 0);
    assert!(seen.iter().enumerate().all(|(phase, &count)| phase == 1 || (60..=140).contains(&count)), "{seen:?}");
}

#[test]
fn more_bandwidth_is_found_at_once_and_less_believed_after_ten_rounds() {
    let mut trace = Trace::in_probe_bw(2);
    trace.round(50, 40, |_| 60_000);
    assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(10));
    for round in 1..=10 {
        trace.round(20, 40, |_| 60_000);
        assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(10), "round {round}");
    }
    trace.round(20, 40, |_| 60_000);
    assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(4));
}

#[test]
fn what_the_application_limits_says_nothing_unless_it_is_more() {
    let mut trace = Trace::in_probe_bw(2);
    for (bytes, mbps) in [(20_000, 8), (50_000, 10)] {
        for _ in 0..20 {
            let prior = trace.delivered;
            let mut facts = trace.facts(bytes, 40, prior);
            facts.sample = facts.sample.map(|sample| RateSample { application_limited: true, ..sample });
            trace.bbr.on_feedback(&facts);
        }
        assert_eq!(trace.bbr.bandwidth(), BitRate::from_mbps(mbps));
    }
}

#[test]
fn ten_seconds_without_a_lower_round_trip_lead_to_200_ms_with_four_segments() {
    let mut trace = Trace::in_probe_bw(2);
    // The last sample of 40 ms was the 40th of the third round, at 120 ms.
    trace.bbr.min_rtt.restart(Instant::from_millis(120));
    trace.now = Instant::from_millis(10_120);
    let prior = trace.delivered;
    let mut facts = trace.facts(60_000, 60, prior);
    trace.bbr.on_feedback(&facts);
    assert!(matches!(trace.bbr.phase(), BbrPhase::ProbeBw { .. }), "not before it is older than ten seconds");
    trace.now = Instant::from_millis(10_121);
    facts = trace.facts(60_000, 60, prior);
    trace.bbr.on_feedback(&facts);
    // RTprop is what was just seen; what is in flight has to go first.
    assert_eq!((trace.bbr.phase(), trace.bbr.window), (BbrPhase::ProbeRtt, SMSS * 4));
    assert!(trace.bbr.holds_back());
    assert_eq!(trace.bbr.min_rtt(), Some(Duration::from_millis(60)));
    trace.now = Instant::from_millis(10_180);
    facts = Feedback { inflight: Bytes(4_000), ..trace.facts(60_000, 60, prior) };
    trace.bbr.on_feedback(&facts);
    // 200 ms from here, and a round.
    trace.now = Instant::from_millis(10_300);
    let prior = trace.delivered;
    facts = Feedback { inflight: Bytes(4_000), ..trace.facts(4_000, 40, prior) };
    trace.bbr.on_feedback(&facts);
    trace.now = Instant::from_millis(10_380);
    facts = Feedback { inflight: Bytes(4_000), ..trace.facts(4_000, 40, prior) };
    trace.bbr.on_feedback(&facts);
    assert_eq!((trace.bbr.phase(), trace.bbr.window), (BbrPhase::ProbeRtt, SMSS * 4));
    trace.now = Instant::from_millis(10_381);
    facts = Feedback { inflight: Bytes(4_000), ..trace.facts(4_000, 40, prior) };
    trace.bbr.on_feedback(&facts);
    // The window of before is back at once.
    assert_eq!(trace.bbr.window, Bytes(87_000));
    assert!(matches!(trace.bbr.phase(), BbrPhase::ProbeBw { .. }));
    assert_eq!(trace.bbr.min_rtt(), Some(Duration::from_millis(40)));
}

#[test]
fn the_first_round_of_recovery_conserves_packets_and_its_end_gives_the_window_back() {
    let mut trace = Trace::in_probe_bw(2);
    assert_eq!(trace.bbr.window, Bytes(87_000));
    trace.bbr.on_loss(trace.now, Bytes(60_000));
    let prior = trace.delivered;
    let mut facts = trace.next_facts(40_000, 40, prior - 40_000);
    facts = Feedback { lost: Bytes(3_000), inflight: Bytes(56_000), phase: FAST, ..facts };
    trace.bbr.on_feedback(&facts);
    // What is in flight, and what was delivered.
    assert_eq!(trace.bbr.window, Bytes(57_000));
    for inflight in [56_000, 56_000, 57_000] {
        facts = Feedback { inflight: Bytes(inflight), phase: FAST, ..trace.next_facts(40_000, 40, prior - 30_000) };
        trace.bbr.on_feedback(&facts);
    }
    assert_eq!(trace.bbr.window, Bytes(58_000));
    // Something sent in recovery is delivered: the round is over, and the window grows with what is delivered.
    let prior = trace.delivered;
    facts = Feedback { inflight: Bytes(57_000), phase: FAST, ..trace.next_facts(40_000, 40, prior) };
    trace.bbr.on_feedback(&facts);
    assert_eq!(trace.bbr.window, Bytes(59_000));
    facts =
        Feedback { lost: Bytes(2_000), inflight: Bytes(57_000), phase: FAST, ..trace.next_facts(40_000, 40, prior) };
    trace.bbr.on_feedback(&facts);
    assert_eq!(trace.bbr.window, Bytes(58_000));
    facts = trace.next_facts(40_000, 40, prior);
    trace.bbr.on_feedback(&facts);
    assert_eq!(trace.bbr.window, Bytes(87_000));
}

#[test]
fn a_timeout_leaves_one_segment_and_its_repair_gives_the_window_back() {
    let mut trace = Trace::in_probe_bw(2);
    trace.bbr.on_timeout(trace.now, Bytes(60_000), false);
    assert_eq!(trace.bbr.window, SMSS);
    let go_back = Phase::GoBack { until: Position::FIRST_BYTE };
    for window in [4_000, 5_000, 6_000] {
        let prior = trace.delivered;
        let facts = Feedback { inflight: Bytes(1_000), phase: go_back, ..trace.next_facts(1_000, 40, prior) };
        trace.bbr.on_feedback(&facts);
        assert_eq!(trace.bbr.window, Bytes(window));
    }
    let prior = trace.delivered;
    let facts = trace.next_facts(1_000, 40, prior);
    trace.bbr.on_feedback(&facts);
    assert_eq!((trace.bbr.window, trace.bbr.bandwidth()), (Bytes(87_000), BitRate::from_mbps(8)));
}

#[test]
fn after_idleness_it_sends_as_fast_as_the_path_takes_and_does_not_probe_for_the_round_trip() {
    let mut trace = Trace::in_probe_bw(0);
    assert_eq!(trace.bbr.pace.rate, BitRate::from_bps(9_900_000));
    trace.now += Duration::from_secs(60);
    trace.bbr.on_sent(trace.now, SMSS, true);
    trace.bbr.on_sent(trace.now, Bytes::ZERO, false);
    assert_eq!(trace.bbr.pace.rate, BitRate::from_bps(9_900_000), "it was not idle");
    trace.bbr.on_sent(trace.now, Bytes::ZERO, true);
    assert_eq!(trace.bbr.pace.rate, BitRate::from_bps(7_920_000));
    let prior = trace.delivered;
    let facts = trace.facts(10_000, 45, prior);
    trace.bbr.on_feedback(&facts);
    assert!(matches!(trace.bbr.phase(), BbrPhase::ProbeBw { .. }));
    assert_eq!(trace.bbr.min_rtt(), Some(Duration::from_millis(45)));
}

#[test]
fn a_window_of_a_few_bytes_does_not_slow_what_follows_down_to_a_halt() {
    let mut trace = Trace::in_probe_bw(2);
    for _ in 0..11 {
        trace.now += Duration::from_millis(40);
        let prior = trace.delivered;
        let facts = Feedback { delivered: Bytes(1), ..trace.facts(1, 40, prior) };
        trace.bbr.on_feedback(&facts);
    }
    // A byte in 40 ms is 200 bps, a segment 200 kbps.
    assert_eq!((trace.bbr.bandwidth().bps(), trace.bbr.pace.rate.bps()), (200, 200_000));
}

#[test]
fn the_send_quantum_follows_the_rate() {
    let mut bbr = Trace::new().bbr;
    for (kbps, quantum) in [(1_199, 1_000), (1_200, 2_000), (23_999, 2_000), (24_000, 3_000), (1_000_000, 65_536)] {
        bbr.pace.rate = BitRate::from_kbps(kbps);
        assert_eq!(bbr.send_quantum(), Bytes(quantum), "{kbps} kbps");
    }
}

#[test]
fn what_begins_with_nothing_learned_is_paced_by_the_first_round_trip() {
    let start = SlowStart::standard(SMSS, SMSS * 10, None);
    let nothing = Learned {
        bandwidth: BitRate::ZERO,
        min_rtt: None,
        full_pipe: FullPipe::default(),
        pacing_rate: BitRate::from_mbps(230),
        window: SMSS,
    };
    let bbr = Bbr::inherit(start, 1, Instant::ZERO, nothing);
    let mut trace = Trace { bbr, now: Instant::from_millis(40), delivered: 0 };
    let facts = Feedback { sample: None, ..trace.facts(1000, 40, 0) };
    trace.bbr.on_feedback(&facts);
    // A segment in 40 ms, times 2.885, less 1 %.
    assert!(trace.bbr.pace.rate < BitRate::from_kbps(572), "{:?}", trace.bbr.pace.rate);
}

#[test]
fn after_silence_the_rate_is_no_less_than_a_segment_in_a_round_trip() {
    // The peer's window took one byte in each round trip: 200 bps.
    let learned = Learned {
        bandwidth: BitRate::from_bps(200),
        min_rtt: Some(Duration::from_millis(40)),
        full_pipe: FullPipe::default(),
        pacing_rate: BitRate::from_bps(200),
        window: SMSS * 4,
    };
    let mut bbr = Bbr::inherit(SlowStart::standard(SMSS, SMSS * 10, None), 1, Instant::ZERO, learned);
    bbr.enter_probe_bw(Instant::ZERO);
    bbr.on_sent(Instant::from_secs(5), Bytes::ZERO, true);
    assert_eq!(bbr.pace.rate, BitRate::from_kbps(200));
}

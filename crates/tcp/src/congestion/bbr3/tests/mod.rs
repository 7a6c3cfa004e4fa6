//! A trace worked by hand, as that of version 1: one segment is 1,000 bytes, the bottleneck takes 8 Mbps (1,000 bytes a millisecond), the
//! round trip is 40 ms, so the product is 40,000 bytes. Every segment has its acknowledgement.

mod cycle;
mod losses;
mod model;
mod random;
mod startup;

use super::super::RateSample;
use super::*;
use crate::loss::Phase;
use crate::sequence::{Position, Span};
use crate::transmissions::Lost;

const SMSS: Bytes = Bytes(1000);
const FAST: Phase = Phase::Recovery { until: Position::FIRST_BYTE };

struct Trace {
    bbr: Bbr3,
    now: Instant,
    delivered: u64,
    /// What the next acknowledgements say besides what was delivered.
    inflight: u64,
    sent_in: u64,
    lost: u64,
    phase: Phase,
    window_used: bool,
    limited: bool,
    marked: Option<u64>,
    rtt: Option<u64>,
}

impl Trace {
    /// Connected at 0; the handshake took 40 ms.
    fn new() -> Self {
        Self::seeded(1)
    }

    fn seeded(seed: u64) -> Self {
        let mut bbr = Bbr3::new(SlowStart::standard(SMSS, SMSS * 10, None), seed);
        bbr.on_connected(Instant::ZERO, Some(Duration::from_millis(40)));
        Self {
            bbr,
            now: Instant::ZERO,
            delivered: 0,
            inflight: 60_000,
            sent_in: 60_000,
            lost: 0,
            phase: Phase::Open,
            window_used: false,
            limited: false,
            marked: None,
            rtt: None,
        }
    }

    /// Cruising since now; nothing is known but 8 Mbps and 40 ms, and no bound.
    fn cruising() -> Self {
        Self::cruising_with(1)
    }

    fn cruising_with(seed: u64) -> Self {
        let mut trace = Self::seeded(seed);
        trace.inflight = 100_000;
        for (segments, millis) in [(10, 40), (20, 40), (40, 40), (80, 80), (81, 81)] {
            trace.round(segments, millis);
        }
        trace.round(1, 1);
        assert_eq!(trace.bbr.phase(), BbrPhase::Drain);
        trace.inflight = 40_000;
        trace.round(1, 1);
        assert_eq!(trace.bbr.state, State::Cruise);
        trace
    }

    /// In UP, whose first round has begun.
    fn probing() -> Self {
        let mut trace = Self::cruising();
        trace.until(|bbr| bbr.state == State::Up);
        trace
    }

    fn sample(&self, bytes: u64, millis: u64, prior: u64) -> RateSample {
        RateSample {
            delivered: Bytes(bytes),
            interval: Duration::from_millis(millis),
            prior_delivered: Bytes(prior),
            application_limited: self.limited,
            in_flight: Bytes(self.sent_in),
            lost: Bytes(self.lost),
        }
    }

    /// The acknowledgement of one segment, with this sample.
    fn ack(&mut self, sample: Option<RateSample>) {
        self.delivered += 1000;
        let millis = sample.map_or(40, |sample| (sample.interval.as_nanos() / 1_000_000).max(40));
        let facts = Feedback {
            now: self.now,
            delivered: SMSS,
            spurious: Bytes::ZERO,
            total_delivered: Bytes(self.delivered),
            lost: Bytes::ZERO,
            inflight_before: Bytes(self.inflight),
            inflight: Bytes(self.inflight),
            sample,
            rtt: Some(Duration::from_millis(self.rtt.unwrap_or(millis))),
            srtt: Duration::from_millis(millis),
            phase: self.phase,
            window_used: self.window_used,
            marked: self.marked.map(Bytes),
        };
        self.bbr.on_feedback(&facts);
    }

    /// A round of `segments`, acknowledged one by one over `millis`.
    fn round(&mut self, segments: u64, millis: u64) {
        let (begin, prior) = (self.now, self.delivered);
        for i in 1..=segments {
            self.now = begin + Duration::from_millis(millis) * i / segments;
            let sample = self.sample(segments * 1000, millis, prior);
            self.ack(Some(sample));
        }
    }

    /// Rounds of 40 segments in 40 ms, acknowledgement by acknowledgement, until `condition` holds; how many acknowledgements that took.
    fn until(&mut self, condition: impl Fn(&Bbr3) -> bool) -> u64 {
        let mut prior = self.delivered;
        for acks in 1..1_000_000 {
            self.now += Duration::from_millis(1);
            let sample = self.sample(40_000, 40, prior);
            self.ack(Some(sample));
            if condition(&self.bbr) {
                return acks;
            }
            if acks % 40 == 0 {
                prior = self.delivered;
            }
        }
        panic!("it never came: {:?}", self.bbr);
    }

    /// The segment at `at` is found lost, with which `in_flight` were out when it left and `lost` in all have been lost since.
    fn lose(&mut self, at: u64, in_flight: u64, lost: u64) {
        let lost = Lost {
            span: Span::new(Position(at), SMSS),
            in_flight: Bytes(in_flight),
            lost: Bytes(lost),
            application_limited: self.limited,
            counted: true,
        };
        self.lose_these(&[lost]);
    }

    fn lose_these(&mut self, lost: &[Lost]) {
        let facts =
            LossFacts { now: self.now, total_delivered: Bytes(self.delivered), inflight: Bytes(self.inflight), lost };
        self.bbr.on_losses(&facts);
    }

    /// Phase, bandwidth in bits per second, window, pacing rate.
    fn state(&self) -> (BbrPhase, u64, u64, u64) {
        let bbr = &self.bbr;
        (bbr.phase(), bbr.bandwidth().bps(), bbr.window.get(), bbr.pace.rate.bps())
    }
}

const DOWN: BbrPhase = BbrPhase::ProbeBw { phase: 1 };
const CRUISE: BbrPhase = BbrPhase::ProbeBw { phase: 2 };
const REFILL: BbrPhase = BbrPhase::ProbeBw { phase: 3 };
const UP: BbrPhase = BbrPhase::ProbeBw { phase: 0 };

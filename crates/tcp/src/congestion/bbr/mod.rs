//! BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00), fed by the sender's own rate samples.
//!
//! The model is the greatest delivery rate of ten rounds and the least round-trip time of ten seconds; from both
//! follow pacing rate and window. Section numbers in this folder are the draft's. Where the draft leaves something to
//! the implementation, it is done as in Linux (tcp_bbr), and that is said.
//!
//! Not modelled: the long-term estimate for policed paths (Linux's lt_bw; not in the draft), and the correction of
//! what is in flight by departure times that lie in the future (Linux; a paced segment leaves here when it is sent).

mod cycle;
mod window;

use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::pace::{Pace, Wanted};
use super::path::{Aggregation, FullPipe, Gain, MaxFilter, MinRtt, Renewal, Rounds, bdp};
use super::{AckFacts, BbrPhase, Controller, Feedback, PathModel, SlowStart};
use crate::loss::Phase;

/// BBR version 1.
#[derive(Clone, Debug)]
pub struct Bbr {
    start: SlowStart,
    random: Stream,
    state: State,
    bandwidth: MaxFilter,
    min_rtt: MinRtt,
    rounds: Rounds,
    full_pipe: FullPipe,
    aggregation: Aggregation,
    pace: Pace,
    /// cwnd.
    window: Bytes,
    /// prior_cwnd: what recovery and ProbeRTT give back.
    prior_window: Bytes,
    recovery: Recovery,
    /// Whether sending has begun again after silence, and nothing of that is acknowledged.
    idle_restart: bool,
}

/// Where the state machine stands (4.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    /// In this phase of the gain cycle since then.
    ProbeBw {
        phase: usize,
        since: Instant,
    },
    /// The end is fixed once little enough is in flight; a round must pass too.
    ProbeRtt {
        end: Option<Instant>,
        round_done: bool,
    },
}

/// What recovery the sender was in when the controller last looked (4.2.3.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Recovery {
    Open,
    /// Fast recovery; in its first round, packets are conserved.
    Fast {
        conserving: bool,
    },
    Timeout,
}

impl Bbr {
    /// A model of nothing yet. `seed` decides where gain cycles begin.
    pub fn new(start: SlowStart, seed: u64) -> Self {
        Self {
            start,
            random: Stream::new(seed, 0, Purpose::Congestion),
            state: State::Startup,
            bandwidth: MaxFilter::new(BANDWIDTH_ROUNDS),
            min_rtt: MinRtt::new(Renewal::NoGreater),
            rounds: Rounds::default(),
            full_pipe: FullPipe::default(),
            aggregation: Aggregation::new(Instant::ZERO),
            pace: Pace::new(Gain::STARTUP, start.initial),
            window: start.initial,
            prior_window: Bytes::ZERO,
            recovery: Recovery::Open,
            idle_restart: false,
        }
    }

    /// Goes on with what another controller has learned of the path.
    pub(super) fn inherit(start: SlowStart, seed: u64, now: Instant, learned: Learned) -> Self {
        let mut bbr = Self::new(start, seed);
        bbr.bandwidth.update(0, learned.bandwidth);
        bbr.min_rtt.update(now, learned.min_rtt, MIN_RTT_LENGTH);
        bbr.full_pipe = learned.full_pipe;
        bbr.aggregation = Aggregation::new(now);
        bbr.pace = Pace::inherit(Gain::STARTUP, learned.pacing_rate, learned.min_rtt.is_some());
        bbr.window = learned.window;
        bbr.prior_window = learned.window;
        if bbr.full_pipe.is_filled() {
            bbr.enter_probe_bw(now);
        }
        bbr
    }

    /// Where the state machine stands.
    pub const fn phase(&self) -> BbrPhase {
        match self.state {
            State::Startup => BbrPhase::Startup,
            State::Drain => BbrPhase::Drain,
            State::ProbeBw { phase, .. } => BbrPhase::ProbeBw { phase: phase as u8 },
            State::ProbeRtt { .. } => BbrPhase::ProbeRtt,
        }
    }

    /// BtlBw: the greatest delivery rate of the last ten rounds; zero before the first.
    pub fn bandwidth(&self) -> BitRate {
        self.bandwidth.best()
    }

    /// RTprop: the least round-trip time of the last ten seconds.
    pub const fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt.get()
    }

    /// 4.1.1.3 and 4.1.1.6. An application-limited sample counts only if it is no smaller.
    fn update_bandwidth(&mut self, facts: &Feedback) {
        let began = self.rounds.on_delivered(facts.sample.map(|sample| sample.prior_delivered), facts.total_delivered);
        if began && let Recovery::Fast { conserving } = &mut self.recovery {
            *conserving = false;
        }
        let Some(sample) = facts.sample else { return };
        let rate = sample.rate();
        if !sample.application_limited || rate >= self.bandwidth.best() {
            self.bandwidth.update(self.rounds.count, rate);
        }
    }

    fn update_aggregation(&mut self, facts: &Feedback) {
        if facts.sample.is_none() || facts.delivered == Bytes::ZERO {
            return;
        }
        if self.rounds.began {
            self.aggregation.on_round();
        }
        self.aggregation.on_delivered(facts.now, facts.now, facts.delivered, self.bandwidth.best(), self.window);
    }

    /// 4.2.1.
    fn update_pacing(&mut self, srtt: Duration) {
        let (gain, bandwidth, smss) = (self.pacing_gain(), self.bandwidth.best(), self.start.smss);
        self.pace.update(Wanted { gain, bandwidth, smss, srtt }, self.full_pipe.is_filled(), self.window);
    }

    /// BDP times `gain` and what quantisation needs (4.2.3.2), or the initial window where nothing is known.
    fn inflight(&self, gain: Gain) -> Bytes {
        match self.min_rtt.get() {
            Some(rtt) => gain.of_bytes(bdp(self.bandwidth.best(), rtt)) + self.quantisation(),
            None => self.start.initial,
        }
    }

    /// 3 send quanta (4.2.3.2): room for what offloading at both ends holds back.
    fn quantisation(&self) -> Bytes {
        self.send_quantum() * 3
    }

    /// The send quantum (4.2.2).
    fn send_quantum(&self) -> Bytes {
        let smss = self.start.smss;
        if self.pace.rate < BitRate::from_kbps(1_200) {
            smss
        } else if self.pace.rate < BitRate::from_mbps(24) {
            smss * 2
        } else {
            self.pace.rate.amount_floor(Duration::from_millis(1)).min(Bytes::from_kib(64)).max(smss * 2)
        }
    }
}

impl Controller for Bbr {
    fn on_ack(&mut self, _facts: &AckFacts) {}

    fn on_loss(&mut self, _now: Instant, _flight: Bytes) {
        self.save_window();
    }

    fn on_timeout(&mut self, _now: Instant, _flight: Bytes, _repeated: bool) {
        self.save_window();
        self.recovery = Recovery::Timeout;
        self.full_pipe.forget();
        self.window = self.start.smss;
    }

    fn on_recovered(&mut self, _now: Instant, _flight: Bytes) {}

    /// A paced sender bursts after no silence, so the model stays; only a lost SYN makes the first window smaller.
    fn on_idle(&mut self, _now: Instant, restart: Bytes) {
        if self.bandwidth.best() == BitRate::ZERO {
            self.window = self.window.min(restart);
        }
    }

    fn window(&self) -> Bytes {
        self.window
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        None
    }

    fn on_connected(&mut self, now: Instant, rtt: Option<Duration>) {
        self.aggregation.restart(now);
        self.min_rtt.update(now, rtt, MIN_RTT_LENGTH);
        if let Some(rtt) = rtt {
            self.pace.begin(self.window, rtt);
        }
    }

    /// BBRUpdateOnACK (3.5.2), in Linux's order.
    fn on_feedback(&mut self, facts: &Feedback) {
        self.update_bandwidth(facts);
        self.update_aggregation(facts);
        self.advance_cycle(facts);
        if self.rounds.began && facts.sample.is_some_and(|sample| !sample.application_limited) {
            self.full_pipe.on_round(self.bandwidth.best());
        }
        self.check_drain(facts);
        self.update_min_rtt(facts);
        self.update_pacing(facts.srtt);
        self.update_window(facts);
    }

    /// BBRHandleRestartFromIdle (4.4.3).
    fn on_sent(&mut self, now: Instant, inflight: Bytes, application_limited: bool) {
        if inflight > Bytes::ZERO || !application_limited {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(now);
        match self.state {
            State::ProbeBw { .. } => {
                self.pace.restart(self.bandwidth.best(), self.start.smss, self.min_rtt.get());
            }
            State::ProbeRtt { end, .. } => self.leave_probe_rtt_after(end, now),
            State::Startup | State::Drain => {}
        }
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        Some(self.pace.rate)
    }

    fn holds_back(&self) -> bool {
        matches!(self.state, State::ProbeRtt { .. })
    }

    fn model(&self, _now: Instant) -> Option<PathModel> {
        Some(PathModel { phase: self.phase(), bandwidth: self.bandwidth(), min_rtt: self.min_rtt() })
    }
}

/// What one BBR hands on to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Learned {
    pub(super) bandwidth: BitRate,
    pub(super) min_rtt: Option<Duration>,
    pub(super) full_pipe: FullPipe,
    pub(super) pacing_rate: BitRate,
    pub(super) window: Bytes,
}

/// BtlBwFilterLen (4.1.1.4), in rounds.
const BANDWIDTH_ROUNDS: u64 = 10;
/// RTpropFilterLen (4.1.2.3).
const MIN_RTT_LENGTH: Duration = Duration::from_secs(10);
/// BBRMinPipeCwnd (4.2.3.3), in segments: enough for stop and wait with delayed acknowledgements.
const MIN_WINDOW: u64 = 4;

#[cfg(test)]
mod tests;

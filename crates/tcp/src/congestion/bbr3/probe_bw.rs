//! ProbeBW (5.3.3): DOWN leaves headroom, CRUISE keeps it, REFILL fills the pipe for a round, UP asks for more.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::super::path::FullPipe;
use super::bounds::{Slope, is_past_reno, is_too_much, longest_wait, times_beta, with_headroom};
use super::model::Path;
use super::{Bbr3, Feedback, State};

/// What the cycle remembers (2.14).
#[derive(Clone, Copy, Debug)]
pub(super) struct Probing {
    pub(super) acks: AckPhase,
    /// BBR.is_bw_probe_sample: what is acknowledged or lost now was sent while the flow probed, and nothing has been cut for it.
    pub(super) sampling: bool,
    /// BBR.prev_probe_too_high.
    pub(super) too_high: bool,
    /// BBR.prev_probe_precautionary.
    pub(super) precautionary: bool,
    /// How the long-term bound grows in UP.
    pub(super) slope: Slope,
    /// BBR.rounds_since_probe_up.
    pub(super) rounds_since: u64,
    /// BBR.bw_probe_wait.
    wait: Duration,
    /// BBR.cycle_stamp.
    pub(super) cycle_began: Instant,
}

/// BBR.ack_phase (2.14): what acknowledgements say of probing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AckPhase {
    /// Nothing.
    Init,
    Refilling,
    Starting,
    Feedback,
    /// Probing is over, and a round of acknowledgements of it is to come.
    Stopping,
}

impl Probing {
    pub(super) const fn new() -> Self {
        Self {
            acks: AckPhase::Init,
            sampling: false,
            too_high: false,
            precautionary: false,
            slope: Slope::new(),
            rounds_since: 0,
            wait: Duration::ZERO,
            cycle_began: Instant::ZERO,
        }
    }
}

impl Bbr3 {
    /// UpdateProbeBWCyclePhase (5.3.3.9).
    pub(super) fn update_cycle(&mut self, facts: &Feedback) {
        if !self.full_reached || self.adapt_long_term(facts) {
            return;
        }
        match self.state {
            State::Down | State::Cruise => self.wait_for_probe(facts),
            State::Refill if self.rounds.began => {
                self.probing.sampling = true;
                self.start_up(facts);
            }
            State::Up => self.judge_probe(facts),
            _ => {}
        }
    }

    /// DOWN ends with the queue, CRUISE with the wait.
    fn wait_for_probe(&mut self, facts: &Feedback) {
        if self.is_time_to_probe(facts.now) {
            self.start_refill();
        } else if matches!(self.state, State::Down) && self.is_time_to_cruise(facts.inflight_before) {
            self.state = State::Cruise;
        }
    }

    fn judge_probe(&mut self, facts: &Feedback) {
        if self.is_time_to_go_down(facts) {
            self.probing.too_high = false;
            self.start_down(facts.now);
        }
    }

    /// StartProbeBW_DOWN with PickProbeWait (5.3.3.8, 5.3.3.9).
    pub(super) fn start_down(&mut self, now: Instant) {
        self.reset_congestion_signals();
        self.probing.rounds_since = self.random.below(2);
        self.probing.wait = longest_wait(&mut self.random);
        self.probing.cycle_began = now;
        self.probing.acks = AckPhase::Stopping;
        self.start_round();
        self.state = State::Down;
    }

    /// StartProbeBW_REFILL.
    pub(super) fn start_refill(&mut self) {
        self.bounds.reset_short();
        self.probing.slope = Slope::new();
        self.probing.precautionary = false;
        self.probing.acks = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    /// StartProbeBW_UP.
    fn start_up(&mut self, facts: &Feedback) {
        self.probing.acks = AckPhase::Starting;
        self.start_round();
        self.restart_full_pipe(facts);
        self.state = State::Up;
        self.probing.slope.raise(self.window, self.start.smss);
    }

    /// IsTimeToProbeBW with IsRenoCoexistenceProbeTime (5.3.3.8): a Reno flow of this window would have lost something by now, or two to three seconds are over.
    fn is_time_to_probe(&mut self, now: Instant) -> bool {
        now > self.probing.cycle_began + self.probing.wait
            || is_past_reno(self.probing.rounds_since, self.target_inflight(), self.start.smss)
    }

    /// IsTimeToCruise.
    fn is_time_to_cruise(&self, inflight: Bytes) -> bool {
        let path = || Path::new(self.max_bandwidth.best(), self.round_trips.min(), self.pace.rate, self.start.smss);
        self.with_headroom().is_none_or(|most| inflight <= most) && inflight <= self.inflight(&path())
    }

    /// IsTimeToGoDown.
    fn is_time_to_go_down(&mut self, facts: &Feedback) -> bool {
        let reaches = |long| facts.inflight_before + self.start.smss > long;
        if self.probing.too_high && self.bounds.inflight_long.is_some_and(reaches) {
            self.probing.precautionary = true;
            return true;
        }
        if self.is_limited_by_long_term(facts) {
            self.restart_full_pipe(facts);
            return false;
        }
        self.full_pipe.is_filled()
    }

    /// ResetFullBW with a new baseline.
    fn restart_full_pipe(&mut self, facts: &Feedback) {
        self.full_pipe = FullPipe::above(facts.sample.map_or(BitRate::ZERO, |sample| sample.rate()));
    }

    /// Whether the window has been full in the last round, and the long-term bound is what limits it.
    fn is_limited_by_long_term(&self, facts: &Feedback) -> bool {
        facts.window_used && self.bounds.inflight_long.is_some_and(|long| self.window >= long)
    }

    /// InflightWithHeadroom: no bound where there is none.
    pub(super) fn with_headroom(&self) -> Option<Bytes> {
        self.bounds.inflight_long.map(|long| with_headroom(long, self.start.smss))
    }

    /// ProbeInflightLongtermUpward.
    fn probe_upward(&mut self, facts: &Feedback) {
        let Some(long) = self.bounds.inflight_long.filter(|_| self.is_limited_by_long_term(facts)) else { return };
        let segments = self.probing.slope.segments_for(facts.delivered);
        self.bounds.inflight_long = Some(long + self.start.smss * segments);
        if self.rounds.began {
            self.probing.slope.raise(self.window, self.start.smss);
        }
    }

    /// AdaptLongTermModel. True if it has decided what state is next.
    fn adapt_long_term(&mut self, facts: &Feedback) -> bool {
        if self.probing.acks == AckPhase::Starting && self.rounds.began {
            self.probing.acks = AckPhase::Feedback;
        }
        if self.probing.acks == AckPhase::Stopping && self.rounds.began {
            self.probing.sampling = false;
            self.probing.acks = AckPhase::Init;
            if self.is_in_probe_bw() && facts.sample.is_some_and(|sample| !sample.application_limited) {
                // AdvanceMaxBwFilter (5.5.6).
                self.cycle += 1;
            }
            if self.is_in_probe_bw() && self.probing.precautionary && !self.probing.too_high {
                self.start_refill();
                return true;
            }
        }
        let Some(sample) = facts.sample else { return false };
        if self.marks.are_too_many() {
            if self.probing.sampling {
                self.cut_long_term(facts.now, sample.in_flight, sample.application_limited);
            }
            return false;
        }
        if is_too_much(sample.lost, sample.in_flight) {
            return false;
        }
        if let Some(long) = self.bounds.inflight_long {
            self.bounds.inflight_long = Some(long.max(sample.in_flight));
            if matches!(self.state, State::Up) {
                self.probe_upward(facts);
            }
        }
        false
    }

    /// HandleInflightTooHigh (5.5.10.2): `inflight` was too much.
    pub(super) fn cut_long_term(&mut self, now: Instant, inflight: Bytes, application_limited: bool) {
        self.probing.too_high = true;
        self.probing.sampling = false;
        if !application_limited {
            let least = times_beta(self.target_inflight());
            self.bounds.inflight_long = Some(inflight.max(least));
        }
        if matches!(self.state, State::Up) {
            if let Some(saved) = &mut self.saved {
                saved.left = Some(State::Up);
            }
            self.start_down(now);
        }
    }
}

//! BBR version 3 (draft-ietf-ccwg-bbr-06), fed by the sender's own rate samples.
//!
//! Section numbers in this folder are that draft's, and so are the names in parentheses:
//!
//! - [`model`](self): bandwidth, rounds, round-trip times, what aggregation needs (5.5.1 to 5.5.9);
//! - `startup`: Startup and Drain (5.3.1, 5.3.2);
//! - `probe_bw`: the cycle DOWN, CRUISE, REFILL, UP, its timing beside Reno, precautionary probing (5.3.3);
//! - `probe_rtt`: ProbeRTT (5.3.4);
//! - `bounds`: the rules and the figures of what follows; which losses are too much is heeded by [`ReceiverBbr`](super::ReceiverBbr) too;
//! - `congested`: what losses do to the long-term and the short-term bounds, and how that is undone (5.5.10, 5.5.11);
//! - `marks`: ECN, where both ends agreed on it;
//! - `window`: pacing rate, send quantum and window (5.6).
//!
//! Deviations:
//! - *ECN*: the draft has no response (3.7) and asks for one; it is that of Linux's version 3 (see `marks`).
//! - *What is in flight* means, in the conditions that end UP and DOWN, just before the acknowledgement, as in Linux: a window that is full never is just after one. A bound
//!   counts as reached when no whole segment fits below it, since here it is in bytes.
//! - *Undo*: what an episode of losses may have to give back is saved when the episode begins, and not once more in each of its rounds (5.5.10.2 would do that, and forget what
//!   the first round cut).
//! - *A timeout* makes the window of before it the short-term bound's beginning, as in Linux; the draft would begin with the one segment that the timeout left (`InitLowerBounds`).
//! - *ACK aggregation* is remembered for 5 to 10 rounds, in Startup for 1 or 2, and never allows more than 100 ms, as in Linux; the draft has 10, 1 and no such limit.
//! - *Reno's time scale* is never below four rounds: with a product of less than a segment the draft would probe in each.
//! - *The pacing rate* is never less than a segment in a round trip, as in [`Bbr`](super::Bbr).
//!
//! Not modelled: Linux's reaction to a retransmitted tail loss probe, its quick probe once marks cease, and its load balancing.

mod bounds;
mod congested;
mod marks;
mod model;
mod probe_bw;
mod probe_rtt;
mod startup;
mod window;

use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use self::bounds::MIN_WINDOW;
pub(super) use self::bounds::{SHORTEST_WAIT, is_too_much};
use self::congested::{Bounds, Latest, Saved};
use self::marks::Marks;
use self::model::{Path, RoundTrips};
use self::probe_bw::Probing;
use super::pace::Pace;
use super::path::{Aggregation, FullPipe, Gain, MaxFilter, Rounds};
use super::{AckFacts, BbrPhase, Controller, Feedback, LossFacts, PathModel, SlowStart};

/// BBR version 3.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    start: SlowStart,
    random: Stream,
    state: State,
    /// C.delivered.
    delivered: Bytes,
    rounds: Rounds,
    /// BBR.max_bw_filter, keyed by cycles of ProbeBW.
    max_bandwidth: MaxFilter,
    /// BBR.cycle_count.
    cycle: u64,
    round_trips: RoundTrips,
    /// What follows from these, as it was last asked for.
    path: Path,
    aggregation: Aggregation,
    /// BBR.full_bw_now and what belongs to it.
    full_pipe: FullPipe,
    /// BBR.full_bw_reached.
    full_reached: bool,
    probing: Probing,
    latest: Latest,
    bounds: Bounds,
    marks: Marks,
    /// What undoing gives back; nothing before the first loss.
    saved: Option<Saved>,
    recovery: Recovery,
    /// BBR.idle_restart.
    idle_restart: bool,
    pace: Pace,
    /// C.cwnd.
    window: Bytes,
    /// BBR.prior_cwnd.
    prior_window: Bytes,
}

/// BBR.state (3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain {
        /// BBR.drain_start_round.
        since_round: u64,
    },
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt {
        /// BBR.probe_rtt_done_stamp: fixed once little enough is in flight.
        end: Option<Instant>,
        /// BBR.probe_rtt_round_done.
        round_done: bool,
    },
}

/// Where the sender stands with what it has lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Recovery {
    /// Nothing is missing.
    Open,
    /// It is in fast recovery, or a loss has been found that begins one.
    Fast,
    /// The timer has fired; `fresh` until it is known what is still in flight.
    Timeout { fresh: bool },
}

impl Bbr3 {
    /// A model of nothing yet (OnInit, 5.2.1). `seed` decides how long the controller waits between probes.
    pub fn new(start: SlowStart, seed: u64) -> Self {
        Self {
            start,
            random: Stream::new(seed, 0, Purpose::Congestion),
            state: State::Startup,
            delivered: Bytes::ZERO,
            rounds: Rounds::default(),
            max_bandwidth: MaxFilter::new(CYCLES - 1),
            cycle: 0,
            round_trips: RoundTrips::new(),
            path: Path::new(BitRate::ZERO, None, BitRate::ZERO, start.smss),
            aggregation: Aggregation::new(Instant::ZERO),
            full_pipe: FullPipe::default(),
            full_reached: false,
            probing: Probing::new(),
            latest: Latest::default(),
            bounds: Bounds::default(),
            marks: Marks::new(),
            saved: None,
            recovery: Recovery::Open,
            idle_restart: false,
            pace: Pace::new(Gain::STARTUP_3, start.initial),
            window: start.initial,
            prior_window: Bytes::ZERO,
        }
    }

    /// Where the state machine stands.
    pub const fn phase(&self) -> BbrPhase {
        match self.state {
            State::Startup => BbrPhase::Startup,
            State::Drain { .. } => BbrPhase::Drain,
            State::Up => BbrPhase::ProbeBw { phase: 0 },
            State::Down => BbrPhase::ProbeBw { phase: 1 },
            State::Cruise => BbrPhase::ProbeBw { phase: 2 },
            State::Refill => BbrPhase::ProbeBw { phase: 3 },
            State::ProbeRtt { .. } => BbrPhase::ProbeRtt,
        }
    }

    /// BBR.pacing_gain (5.6.1).
    const fn pacing_gain(&self) -> Gain {
        match self.state {
            State::Startup => Gain::STARTUP_3,
            State::Drain { .. } => Gain::HALF,
            State::Down => Gain::DOWN_3,
            State::Cruise | State::Refill | State::ProbeRtt { .. } => Gain::CRUISE,
            State::Up => Gain::UP,
        }
    }

    /// BBR.cwnd_gain (5.6.1).
    const fn window_gain(&self) -> Gain {
        match self.state {
            State::Startup | State::Drain { .. } | State::Down | State::Cruise | State::Refill => Gain::WINDOW,
            State::Up => Gain::WINDOW_UP_3,
            State::ProbeRtt { .. } => Gain::HALF,
        }
    }

    /// IsInAProbeBWState (5.3.3.9).
    const fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// IsProbingBW (5.3.3.9).
    const fn is_probing(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }
}

impl Controller for Bbr3 {
    fn on_ack(&mut self, _facts: &AckFacts) {}

    /// OnEnterFastRecovery (5.6.4.4): the losses themselves come by [`on_losses`](Controller::on_losses).
    fn on_loss(&mut self, _now: Instant, _flight: Bytes) {
        self.begin_episode();
    }

    /// OnEnterRTO (5.6.4.4). Until it is known what is left in flight, the window is the one segment.
    fn on_timeout(&mut self, _now: Instant, _flight: Bytes, _repeated: bool) {
        self.begin_episode();
        self.bound_before_timeout();
        self.note_loss();
        self.full_pipe.forget();
        self.recovery = Recovery::Timeout { fresh: true };
        self.window = self.start.smss;
    }

    fn on_recovered(&mut self, _now: Instant, _flight: Bytes) {}

    /// A paced sender bursts after no silence, so the model stays; only a lost SYN makes the first window smaller.
    fn on_idle(&mut self, _now: Instant, restart: Bytes) {
        if self.max_bandwidth.best() == BitRate::ZERO {
            self.window = self.window.min(restart);
        }
    }

    fn window(&self) -> Bytes {
        self.window
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        None
    }

    /// HandleSpuriousLossDetection (5.5.11.2).
    fn undo(&mut self) {
        self.undo_losses();
    }

    fn on_connected(&mut self, now: Instant, rtt: Option<Duration>) {
        self.aggregation.restart(now);
        self.round_trips.update(now, rtt);
        if let Some(rtt) = rtt {
            self.pace.begin(self.window, rtt);
        }
    }

    /// Per-loss steps (5.2.4).
    fn on_losses(&mut self, facts: &LossFacts<'_>) {
        self.delivered = facts.total_delivered;
        for lost in facts.lost {
            self.handle_lost(facts.now, lost);
        }
        if self.recovery == (Recovery::Timeout { fresh: true }) {
            self.recovery = Recovery::Timeout { fresh: false };
            self.window = facts.inflight + self.start.smss;
        }
    }

    /// Per-ACK steps, in the draft's order (5.2.3).
    fn on_feedback(&mut self, facts: &Feedback) {
        self.delivered = facts.total_delivered;
        self.follow_recovery(facts);
        self.update_latest(facts);
        self.update_round_and_bandwidth(facts);
        self.heed_marks(facts);
        self.adapt_lower_bounds();
        self.update_aggregation(facts);
        self.check_full_pipe(facts);
        self.check_startup_done(facts);
        self.check_drain_done(facts);
        self.update_cycle(facts);
        let expired = self.round_trips.update(facts.now, facts.rtt);
        self.check_probe_rtt(facts, expired);
        self.advance_latest(facts);
        self.update_pacing(facts.srtt);
        self.update_window(facts);
    }

    /// HandleRestartFromIdle (5.4.1).
    fn on_sent(&mut self, now: Instant, inflight: Bytes, application_limited: bool) {
        if inflight > Bytes::ZERO || !application_limited {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(now);
        if self.is_in_probe_bw() {
            self.pace.restart(self.bandwidth(), self.start.smss, self.round_trips.min());
        } else {
            self.check_probe_rtt_done(now);
        }
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        Some(self.pace.rate)
    }

    fn holds_back(&self) -> bool {
        matches!(self.state, State::ProbeRtt { .. })
    }

    fn model(&self, _now: Instant) -> Option<PathModel> {
        let (bandwidth, min_rtt) = (self.max_bandwidth.best(), self.round_trips.min());
        Some(PathModel { phase: self.phase(), bandwidth, min_rtt })
    }
}

/// BBR.MaxBwFilterLen (2.11), in cycles of ProbeBW.
const CYCLES: u64 = 2;

#[cfg(test)]
mod tests;

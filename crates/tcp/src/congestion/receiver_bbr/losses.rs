//! What losses bound, as the long-term bound of BBR version 3 does (draft-ietf-ccwg-bbr-06, whose names stand in parentheses): so much may be in flight as a probe has shown to fit,
//! less some headroom while nobody probes. Ours; the paper does not look at losses.
//!
//! The draft judges packet by packet. Reports come a round trip and 1/f apart, so here a packet-timed round is judged as a whole, and one that lost more than 2 % of what it sent, which below
//! 50 segments is a single one, lost too much only where its round trips show that a queue stood. What is lost without a queue, a radio or a damaged line has lost: to send less
//! would not change it. Nor is it the queue's what every round loses, whatever is in flight: only what goes beyond twice the least share of the last eight rounds counts. (Twice, since the least of eight
//! lies about as far below the mean as one that says something lies above it.) What was taken for lost and comes all the same takes its bound back (5.5.11.2).
//!
//! There are no short-term bounds: of the little that they leave in flight, reports have not told of most yet (docs/tack.md has what they cost).

use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Duration};

use super::super::bounds::{Slope, is_too_much, longest_wait, rounds_of_reno, times_beta, with_headroom};
use super::ReportFacts;
use crate::tack::time::RateTime;

/// The bound, and what this round has shown so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossBounds {
    smss: Bytes,
    /// BBR.inflight_longterm; without bound nothing.
    long: Option<Bytes>,
    slope: Slope,
    round: Round,
    /// What is lost now was sent while the flow probed, and nothing has been cut for it (BBR.is_bw_probe_sample).
    sampling: bool,
    /// Which share of what they sent the last rounds lost, in parts of a million.
    shares: [u64; ROUNDS],
    /// What the latest bound was cut for, until that turns out to have been a mistake.
    cut: Option<Cut>,
}

/// A cut that may have to be taken back.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The bound before.
    long: Option<Bytes>,
    /// What was too much of what was sent.
    lost: Bytes,
    sent: Bytes,
}

/// What a round has shown.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    lost: Bytes,
    delivered: Bytes,
    /// The longest round trip.
    longest: Duration,
}

/// What may be in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    /// In force.
    pub(super) cap: Bytes,
    /// Where there were no bound.
    pub(super) target: Bytes,
    /// The product, and what comes in half an interval, which on average has arrived and is not reported yet: with less than that the rate itself would fall, and with it all that follows from it.
    pub(super) product: Bytes,
}

impl Allowed {
    /// The least that a cut leaves.
    fn least(&self) -> Bytes {
        times_beta(self.cap).max(self.product)
    }
}

/// What the time between two probes is counted in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beat {
    /// What a Reno flow beside this one would have in flight,
    pub(super) product: Bytes,
    /// and how long each of its rounds would last: no report is waited for there.
    pub(super) round_trip: Duration,
    /// An interval of the cycle.
    pub(super) interval: Duration,
}

/// Where in its cycle a flow is when a round ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// The pipe has never been full.
    Startup,
    Up,
    Down,
    Cruise,
    /// The queue of Startup drains, or the least round trip is measured.
    Other,
}

/// What a round's losses ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Nothing,
    /// The pipe counts as full.
    FullPipe,
    /// The probe was too much: its queue is to drain.
    Drain,
    /// The bound limits the probe, and nothing is lost yet: on with it.
    MoreOfThis,
}

impl LossBounds {
    pub(super) const fn new(smss: Bytes) -> Self {
        Self {
            smss,
            long: None,
            slope: Slope::new(),
            round: Round { lost: Bytes::ZERO, delivered: Bytes::ZERO, longest: Duration::ZERO },
            sampling: false,
            shares: [0; ROUNDS],
            cut: None,
        }
    }

    /// So much was found lost.
    pub(super) fn on_lost(&mut self, lost: Bytes) {
        self.round.lost += lost;
    }

    /// So much of what was found lost has come all the same.
    pub(super) fn on_spurious(&mut self, bytes: Bytes) {
        self.round.lost = self.round.lost.saturating_sub(bytes);
        let Some(cut) = &mut self.cut else { return };
        cut.lost = cut.lost.saturating_sub(bytes);
        if !is_too_much(cut.lost, cut.sent) {
            self.long = cut.long.and_then(|before| Some(before.max(self.long?)));
            self.cut = None;
        }
    }

    /// A report came.
    pub(super) fn on_report(&mut self, facts: &ReportFacts) {
        self.round.delivered += facts.delivered;
        self.round.longest = self.round.longest.max(facts.rtt.unwrap_or_default());
    }

    /// The path is another one, or what it gives is.
    pub(super) const fn forget(&mut self) {
        (self.long, self.cut) = (None, None);
    }

    /// A cycle begins with asking for more, `cap` being allowed. In how many intervals the next one does; nothing where no bound is in force, and so
    /// nobody else's loss has to be waited for.
    pub(super) fn begin_cycle(&mut self, cap: Bytes, beat: &Beat, random: &mut Stream) -> Option<u64> {
        self.slope = Slope::new();
        self.slope.raise(cap, self.smss);
        self.sampling = true;
        self.long?;
        let rounds = beat.round_trip * rounds_of_reno(beat.product, self.smss);
        Some(rounds.min(longest_wait(random)).div_floor(beat.interval))
    }

    /// A round is over. `limited`: the application or the controller held data back in it; `inflight` was in flight before the report that ended it.
    pub(super) fn end_round(
        &mut self,
        stage: Stage,
        limited: bool,
        min_rtt: Option<Duration>,
        allowed: &Allowed,
        inflight: Bytes,
    ) -> Asked {
        let round = std::mem::take(&mut self.round);
        if stage == Stage::Cruise {
            // What was lost of the probe, the round after it has told.
            self.sampling = false;
        }
        if limited {
            return Asked::Nothing;
        }
        let excess = self.excess(&round);
        if !round.has_queue(min_rtt) || !is_too_much(excess, round.sent()) {
            return self.raise(stage, &round, allowed, inflight);
        }
        match stage {
            Stage::Startup => {
                self.cut(round.sent().max(times_beta(allowed.target)).max(allowed.product), excess, round.sent());
                Asked::FullPipe
            }
            Stage::Up | Stage::Down if self.sampling => {
                self.sampling = false;
                self.cut(round.sent().max(allowed.least()), excess, round.sent());
                if stage == Stage::Up { Asked::Drain } else { Asked::Nothing }
            }
            Stage::Up | Stage::Down | Stage::Cruise | Stage::Other => Asked::Nothing,
        }
    }

    /// What it lost beyond what every round does.
    fn excess(&mut self, round: &Round) -> Bytes {
        let usual = self.shares.iter().min().map_or(0, |&least| 2 * least);
        if round.sent() > Bytes::ZERO {
            self.shares.rotate_right(1);
            self.shares[0] = round.lost.get() * MILLION / round.sent().get();
        }
        round.lost.saturating_sub(Bytes(round.sent().get() * usual / MILLION))
    }

    /// So much and no more may be in flight, since `lost` of what was `sent` is too much.
    const fn cut(&mut self, bound: Bytes, lost: Bytes, sent: Bytes) {
        self.cut = Some(Cut { long: self.long, lost, sent });
        self.long = Some(bound);
    }

    /// A round without too many losses: what it has shown to fit, fits.
    fn raise(&mut self, stage: Stage, round: &Round, allowed: &Allowed, inflight: Bytes) -> Asked {
        let Some(long) = self.long else { return Asked::Nothing };
        let mut long = long.max(round.delivered);
        let binds = stage == Stage::Up && inflight + self.smss > long && long < allowed.target;
        if binds {
            long += self.smss * self.slope.segments_for(round.delivered);
            self.slope.raise(allowed.cap, self.smss);
        }
        // A bound that bounds nothing is none.
        self.long = (long < allowed.target).then_some(long);
        if binds { Asked::MoreOfThis } else { Asked::Nothing }
    }

    /// What may be in flight in this stage at most (BoundCwndForModel).
    pub(super) fn cap(&self, stage: Stage) -> Option<Bytes> {
        match stage {
            Stage::Startup | Stage::Other => None,
            Stage::Up | Stage::Down => self.long,
            Stage::Cruise => self.long.map(|long| with_headroom(long, self.smss)),
        }
    }

    /// Whether a long-term bound is in force.
    pub(super) const fn is_bounded(&self) -> bool {
        self.long.is_some()
    }
}

impl Round {
    fn sent(&self) -> Bytes {
        self.delivered + self.lost
    }

    /// A path counts as 10 ms long at least here too: on a shorter one the flow's own two products are a queue already.
    fn has_queue(&self, min_rtt: Option<Duration>) -> bool {
        min_rtt.is_some_and(|min| self.longest * 4 > RateTime::span(min) * 5)
    }
}

/// Over so many rounds the least share of losses is what every round has.
const ROUNDS: usize = 8;
const MILLION: u64 = 1_000_000;

#[cfg(test)]
mod tests;

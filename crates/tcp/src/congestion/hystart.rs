//! Where slow start ends without a loss: HyStart and HyStart++.
//!
//! - HyStart (Ha and Rhee, "Hybrid Slow Start for High-Bandwidth and Long-Distance Networks", PFLDnet 2008) as CUBIC of Linux 6.12 has it
//!   (net/ipv4/tcp_cubic.c): a train of ACKs that lasts longer than half of the least round trip, or a round trip that has grown.
//! - HyStart++ (RFC 9406): a round trip that has grown begins Conservative Slow Start (CSS), which is left for slow start again if that was a
//!   mistake, and else for congestion avoidance after five rounds.
//!
//! Deviations of HyStart: time is exact where the kernel has microseconds, and an ACK without a sample of the round trip counts in a train too.

use ackless_wire::{Bytes, Duration, Instant};

use super::{AckFacts, SlowStart};
use crate::pacing::{self, LARGEST_BURST};
use crate::sequence::Position;

/// How slow start ends, besides by a loss. Of controllers of the window; those that model the path have no slow start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SlowStartChoice {
    /// By a loss alone (RFC 5681).
    #[default]
    Standard,
    /// HyStart of 2008, as in Linux: in every slow start.
    HyStart,
    /// HyStart++ (RFC 9406): in the first slow start only (4.3), and no more than eight segments for an ACK unless the sender is paced.
    HyStartPlusPlus,
}

/// What looks for the end of slow start.
#[derive(Clone, Debug)]
pub(super) enum Finder {
    HyStart(HyStart),
    PlusPlus(HyStartPlusPlus),
}

/// The names are the kernel's (`struct bictcp`).
#[derive(Clone, Debug, Default)]
pub(super) struct HyStart {
    /// `found`.
    found: bool,
    /// `delay_min`.
    least: Option<Duration>,
    /// `round_start`.
    round_start: Instant,
    /// `last_ack`.
    last_ack: Instant,
    /// `end_seq`.
    round_end: Position,
    /// `curr_rtt`.
    round_least: Option<Duration>,
    /// `sample_cnt`.
    samples: u32,
}

/// The names are the RFC's (4.2).
#[derive(Clone, Debug, Default)]
pub(super) struct HyStartPlusPlus {
    /// windowEnd; nothing before the first ACK.
    window_end: Option<Position>,
    /// lastRoundMinRTT; nothing is infinity.
    last_round: Option<Duration>,
    /// currentRoundMinRTT.
    current_round: Option<Duration>,
    /// rttSampleCount.
    samples: u32,
    css: Option<Css>,
    /// Whether congestion avoidance has begun.
    over: bool,
}

/// Conservative Slow Start.
#[derive(Clone, Copy, Debug)]
struct Css {
    /// cssBaselineMinRtt.
    baseline: Duration,
    /// Rounds that have ended in it, with the one in which it began.
    rounds: u32,
}

impl Finder {
    pub(super) fn new(choice: SlowStartChoice) -> Option<Box<Self>> {
        match choice {
            SlowStartChoice::Standard => None,
            SlowStartChoice::HyStart => Some(Box::new(Self::HyStart(HyStart::default()))),
            SlowStartChoice::HyStartPlusPlus => Some(Box::new(Self::PlusPlus(HyStartPlusPlus::default()))),
        }
    }

    /// An ACK of new data outside of recovery, before the window grows by it. Whether slow start
    /// ends here, at the present window. HyStart looks at it now (`cubictcp_acked` comes before
    /// `cubictcp_cong_avoid`).
    pub(super) fn before_growth(
        &mut self,
        facts: &AckFacts,
        start: &SlowStart,
        window: Bytes,
        threshold: Option<Bytes>,
    ) -> bool {
        let slow = threshold.is_none_or(|threshold| window < threshold);
        if let Self::HyStart(hystart) = self { hystart.on_ack(facts, start, window, slow) } else { false }
    }

    /// The same, after the window has grown by it. HyStart++ looks at it now (RFC 9406, 4.2: the
    /// window grows first, then the round trip is counted).
    pub(super) fn after_growth(&mut self, facts: &AckFacts, threshold: Option<Bytes>) -> bool {
        if let Self::PlusPlus(hystart) = self { threshold.is_none() && hystart.on_ack(facts) } else { false }
    }

    /// What of `growth` is added in slow start.
    pub(super) fn growth(&self, growth: Bytes, start: &SlowStart) -> Bytes {
        match self {
            Self::PlusPlus(hystart) if !hystart.over => hystart.growth(growth, start),
            Self::HyStart(_) | Self::PlusPlus(_) => growth,
        }
    }

    /// A reduction was undone, and the threshold is this again.
    pub(super) fn on_undo(&mut self, threshold: Option<Bytes>) {
        if let Self::PlusPlus(hystart) = self {
            hystart.over = threshold.is_some();
        }
    }

    /// The window was reduced at `now`, by the timer or not.
    pub(super) fn on_reduction(&mut self, now: Instant, by_timer: bool) {
        match self {
            Self::HyStart(hystart) if by_timer => {
                // The next ACK begins a round: all is below its number.
                *hystart = HyStart { round_start: now, last_ack: now, ..HyStart::default() };
            }
            Self::HyStart(_) => {}
            Self::PlusPlus(hystart) => hystart.over = true,
        }
    }
}

impl HyStart {
    /// `cubictcp_acked`.
    fn on_ack(&mut self, facts: &AckFacts, start: &SlowStart, window: Bytes, slow: bool) -> bool {
        if let Some(rtt) = facts.rtt {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
        !self.found && slow && self.update(facts, start, window)
    }

    /// `hystart_update`.
    fn update(&mut self, facts: &AckFacts, start: &SlowStart, window: Bytes) -> bool {
        if facts.una > self.round_end {
            (self.round_start, self.last_ack, self.round_end) = (facts.now, facts.now, facts.next);
            (self.round_least, self.samples) = (None, 0);
        }
        let Some(least) = self.least.filter(|_| window >= start.smss * LOW_WINDOW) else { return false };
        self.found = self.is_train(facts, start, window, least) | self.has_grown(facts, least);
        self.found
    }

    /// ACKs that follow each other closely, for longer than half of the least round trip: so much is under way as fits.
    fn is_train(&mut self, facts: &AckFacts, start: &SlowStart, window: Bytes, least: Duration) -> bool {
        if facts.now.saturating_since(self.last_ack) > ACK_DELTA {
            return false;
        }
        self.last_ack = facts.now;
        let rate = pacing::rate_of_window(window, None, Some(facts.srtt));
        let cushion = rate.map_or(Duration::ZERO, |rate| rate.time_ceil(LARGEST_BURST * 4)).min(MOST_CUSHION);
        let threshold = least + cushion;
        let threshold = if start.paced { threshold } else { threshold / 2 };
        facts.now.saturating_since(self.round_start) > threshold
    }

    /// The least of more than eight round trips of a round is longer than the least of all by an eighth.
    fn has_grown(&mut self, facts: &AckFacts, least: Duration) -> bool {
        let Some(rtt) = facts.rtt else { return false };
        let round_least = self.round_least.map_or(rtt, |least| least.min(rtt));
        self.round_least = Some(round_least);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        round_least > least + growth_allowed(least)
    }
}

impl HyStartPlusPlus {
    /// RFC 9406, 4.2, steps 2 and 3 of slow start and of CSS, and the rounds.
    fn on_ack(&mut self, facts: &AckFacts) -> bool {
        if self.over {
            return false;
        }
        let window_end = *self.window_end.get_or_insert(facts.next);
        if let Some(rtt) = facts.rtt {
            self.current_round = Some(self.current_round.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
        self.judge();
        if facts.una >= window_end {
            self.end_round(facts.next);
        }
        self.over
    }

    fn judge(&mut self) {
        let Some(current) = self.current_round.filter(|_| self.samples >= SAMPLES) else { return };
        match (self.css, self.last_round) {
            (Some(css), _) if current < css.baseline => self.css = None,
            (None, Some(last)) if current >= last + growth_allowed(last) => {
                self.css = Some(Css { baseline: current, rounds: 0 });
            }
            _ => {}
        }
    }

    fn end_round(&mut self, next: Position) {
        self.window_end = Some(next);
        self.last_round = self.current_round.take();
        self.samples = 0;
        if let Some(css) = &mut self.css {
            css.rounds += 1;
            self.over = css.rounds >= CSS_ROUNDS;
        }
    }

    fn growth(&self, growth: Bytes, start: &SlowStart) -> Bytes {
        let growth = if start.paced { growth } else { growth.min(start.smss * SEGMENTS_FOR_AN_ACK) };
        if self.css.is_some() { Bytes(growth.get() / CSS_GROWTH_DIVISOR) } else { growth }
    }
}

/// `HYSTART_DELAY_THRESH` of an eighth; MIN_RTT_THRESH, MAX_RTT_THRESH and MIN_RTT_DIVISOR of RFC 9406, 4.3: from 4 to 16 ms.
fn growth_allowed(least: Duration) -> Duration {
    (least / 8).clamp(Duration::from_millis(4), Duration::from_millis(16))
}

/// `HYSTART_MIN_SAMPLES`; N_RTT_SAMPLE of RFC 9406, 4.3.
const SAMPLES: u32 = 8;
/// `hystart_low_window`, in segments.
const LOW_WINDOW: u64 = 16;
/// `hystart_ack_delta_us`.
const ACK_DELTA: Duration = Duration::from_millis(2);
/// What `hystart_ack_delay` adds at most.
const MOST_CUSHION: Duration = Duration::from_millis(1);
/// CSS_GROWTH_DIVISOR (RFC 9406, 4.3).
const CSS_GROWTH_DIVISOR: u64 = 4;
/// CSS_ROUNDS (RFC 9406, 4.3).
const CSS_ROUNDS: u32 = 5;
/// L of a sender that is not paced (RFC 9406, 4.3).
const SEGMENTS_FOR_AN_ACK: u64 = 8;

#[cfg(test)]
mod tests;

//! Marks (ECN): as Linux's BBR version 3 heeds them, since the draft has no response of its own (3.7) but asks for one.
//!
//! - The share of marked bytes is averaged over rounds (gain 1/16, beginning at 1): alpha.
//! - A round with a mark, in which the flow does not probe, cuts the short-term bound of what is in flight by a third of alpha.
//! - More than half of a round marked while the flow probes, and the long-term bound is what was in flight; half and more in two rounds of Startup end it.
//!
//! Linux uses this only where the route promises shallow marking and the round trip is up to 5 ms, and otherwise ignores marks; here it is used wherever both ends agreed on
//! ECN, since the draft wants every mark heeded. Shares are of whole rounds, where Linux takes that of each sample. And the echo is that of RFC 3168, which lasts until the word
//! that the window was reduced has come: one mark counts as a round of them, so that the response is nearly as strong as that to a loss.

use ackless_wire::Bytes;

use super::{Bbr3, Feedback};

/// What is known of marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// The average share of marked bytes, in 1024ths.
    pub(super) alpha: u64,
    /// Bytes delivered in this round, and those of them that a mark was echoed for.
    delivered: Bytes,
    marked: Bytes,
    /// Whether anything was marked since the bounds were last adapted.
    in_round: bool,
    /// Whether the round that has just ended had too much marked.
    too_many: bool,
    /// Rounds of Startup, one after the other, with at least half of it marked.
    startup_rounds: u32,
}

/// What is left by a cut, in 1024ths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut(u64);

impl Cut {
    pub(super) const fn of(self, amount: Bytes) -> Bytes {
        Bytes(amount.get() * self.0 / ONE)
    }
}

impl Marks {
    pub(super) const fn new() -> Self {
        Self {
            alpha: ONE,
            delivered: Bytes::ZERO,
            marked: Bytes::ZERO,
            in_round: false,
            too_many: false,
            startup_rounds: 0,
        }
    }

    /// Whether the acknowledgement in hand ended a round of which more than half was marked.
    pub(super) const fn are_too_many(&self) -> bool {
        self.too_many
    }

    /// What marks leave of the short-term bound; nothing if there were none.
    pub(super) fn cut(&self) -> Option<Cut> {
        self.in_round.then_some(Cut(ONE - self.alpha / FACTOR))
    }

    pub(super) const fn forget_round(&mut self) {
        self.in_round = false;
    }

    /// The share of the round that ends, in 1024ths; nothing if nothing was delivered in it.
    fn end_round(&mut self) -> Option<u64> {
        let share = (self.marked.get() * ONE).checked_div(self.delivered.get())?;
        self.alpha = (self.alpha * (GAIN - 1) + share) / GAIN;
        (self.delivered, self.marked) = (Bytes::ZERO, Bytes::ZERO);
        Some(share)
    }
}

impl Bbr3 {
    /// Counts marks and judges each round.
    pub(super) fn heed_marks(&mut self, facts: &Feedback) {
        let Some(marked) = facts.marked else { return };
        self.marks.too_many = false;
        if self.rounds.began
            && let Some(share) = self.marks.end_round()
        {
            self.marks.too_many = share > ONE / 2;
            self.marks.startup_rounds = if share >= ONE / 2 { self.marks.startup_rounds + 1 } else { 0 };
            if !self.full_reached && self.marks.startup_rounds >= STARTUP_ROUNDS {
                self.end_startup_below_queue();
            }
        }
        self.marks.delivered += facts.delivered;
        self.marks.marked += marked;
        self.marks.in_round |= marked > Bytes::ZERO;
    }
}

const ONE: u64 = 1024;
/// The inverse of the average's gain (Linux: `ecn_alpha_gain`).
const GAIN: u64 = 16;
/// The inverse of what alpha is weighed with (Linux: `ecn_factor`).
const FACTOR: u64 = 3;
/// Linux: `full_ecn_cnt`.
const STARTUP_ROUNDS: u32 = 2;

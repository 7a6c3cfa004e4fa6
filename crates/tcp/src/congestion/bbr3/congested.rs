//! What losses do to the model, and how that is undone (5.5.10, 5.5.11).

use ackless_wire::{BitRate, Bytes, Instant};

use super::super::path::FullPipe;
use super::bounds::{BETA_PERCENT, LOSS_PERCENT, is_too_much, times_beta};
use super::{Bbr3, Feedback, Recovery, State};
use crate::sequence::Position;
use crate::transmissions::Lost;

/// Bounds that congestion has set; none is infinite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    /// BBR.bw_shortterm.
    pub(super) bandwidth_short: Option<BitRate>,
    /// BBR.inflight_shortterm.
    pub(super) inflight_short: Option<Bytes>,
    /// BBR.inflight_longterm.
    pub(super) inflight_long: Option<Bytes>,
}

/// What the last round delivered and lost (2.10); its rounds begin with the first loss, and are others than those of [`Rounds`](super::Rounds).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latest {
    /// BBR.bw_latest.
    bandwidth: BitRate,
    /// BBR.inflight_latest.
    pub(super) inflight: Bytes,
    /// BBR.loss_round_delivered.
    round_end: Bytes,
    /// BBR.loss_round_start.
    pub(super) round_began: bool,
    /// BBR.is_loss_in_round.
    lossy: bool,
    /// Stretches of sequence space lost in this round.
    pub(super) places_lost: u32,
    /// Where the last of them ended.
    lost_to: Position,
    /// Something was lost in this round by a sender that cannot tell how much.
    pub(super) lost_unmarked: bool,
}

/// What an episode of losses may have to give back (2.15).
#[derive(Clone, Copy, Debug)]
pub(super) struct Saved {
    /// BBR.undo_state: left for the losses.
    pub(super) left: Option<State>,
    bounds: Bounds,
}

impl Bounds {
    /// ResetShortTermModel.
    pub(super) const fn reset_short(&mut self) {
        (self.bandwidth_short, self.inflight_short) = (None, None);
    }
}

impl Latest {
    /// A round is over in which [`Self::places_lost`] were counted.
    pub(super) const fn forget_places(&mut self) {
        (self.places_lost, self.lost_unmarked) = (0, false);
    }
}

impl Bbr3 {
    /// UpdateLatestDeliverySignals (5.5.10.3).
    pub(super) fn update_latest(&mut self, facts: &Feedback) {
        self.latest.round_began = false;
        let Some(sample) = facts.sample else { return };
        self.latest.bandwidth = self.latest.bandwidth.max(sample.rate());
        self.latest.inflight = self.latest.inflight.max(sample.delivered);
        if sample.prior_delivered >= self.latest.round_end {
            self.latest.round_end = self.delivered;
            self.latest.round_began = true;
        }
    }

    /// AdvanceLatestDeliverySignals (5.5.10.3).
    pub(super) fn advance_latest(&mut self, facts: &Feedback) {
        if let Some(sample) = facts.sample.filter(|_| self.latest.round_began) {
            (self.latest.bandwidth, self.latest.inflight) = (sample.rate(), sample.delivered);
        }
    }

    /// ResetCongestionSignals (5.5.10.3).
    pub(super) const fn reset_congestion_signals(&mut self) {
        self.latest.lossy = false;
        (self.latest.bandwidth, self.latest.inflight) = (BitRate::ZERO, Bytes::ZERO);
        self.marks.forget_round();
    }

    /// AdaptLowerBoundsFromCongestion (5.5.10.3), at the end of each round; marks as in Linux.
    pub(super) fn adapt_lower_bounds(&mut self) {
        if !self.latest.round_began {
            return;
        }
        if !self.is_probing() {
            let marked = self.marks.cut().map(|cut| cut.of(self.bounds.inflight_short.unwrap_or(self.window)));
            if self.latest.lossy {
                let bandwidth = self.bounds.bandwidth_short.unwrap_or_else(|| self.max_bandwidth.best());
                let inflight = self.bounds.inflight_short.unwrap_or(self.window);
                let least = BitRate::from_bps(bandwidth.bps() * BETA_PERCENT / 100);
                self.bounds.bandwidth_short = Some(self.latest.bandwidth.max(least));
                self.bounds.inflight_short = Some(self.latest.inflight.max(times_beta(inflight)));
            }
            if let Some(marked) = marked {
                self.bounds.inflight_short = Some(self.bounds.inflight_short.map_or(marked, |short| short.min(marked)));
            }
        }
        self.latest.lossy = false;
        self.marks.forget_round();
    }

    /// NoteLoss (5.5.10.2).
    pub(super) fn note_loss(&mut self) {
        if !self.latest.lossy {
            self.latest.round_end = self.delivered;
        }
        self.latest.lossy = true;
    }

    /// HandleLostPacket (5.5.10.2).
    pub(super) fn handle_lost(&mut self, now: Instant, lost: &Lost) {
        self.begin_episode();
        self.note_loss();
        self.latest.lost_unmarked |= !lost.counted;
        if lost.span.start != self.latest.lost_to {
            self.latest.places_lost += 1;
        }
        self.latest.lost_to = lost.span.end;
        if self.probing.sampling && (!lost.counted || is_too_much(lost.lost, lost.in_flight)) {
            self.cut_long_term(now, inflight_at_loss(lost), lost.application_limited);
        }
    }

    /// SaveStateUponLoss (5.5.11.1), once for each episode.
    pub(super) fn begin_episode(&mut self) {
        if self.recovery == Recovery::Open {
            self.save_window();
            self.saved = Some(Saved { left: None, bounds: self.bounds });
            self.recovery = Recovery::Fast;
        }
    }

    /// The timer has fired: what the short-term bound is cut from is the window of before.
    pub(super) fn bound_before_timeout(&mut self) {
        if !self.is_probing() && self.bounds.inflight_short.is_none() {
            self.bounds.inflight_short = Some(self.window.max(self.prior_window));
        }
    }

    /// HandleSpuriousLossDetection (5.5.11.2).
    pub(super) fn undo_losses(&mut self) {
        let Some(saved) = self.saved.take() else { return };
        self.restore_window();
        self.recovery = Recovery::Open;
        self.latest.lossy = false;
        self.full_pipe = FullPipe::default();
        self.bounds = Bounds {
            bandwidth_short: greater(self.bounds.bandwidth_short, saved.bounds.bandwidth_short),
            inflight_short: greater(self.bounds.inflight_short, saved.bounds.inflight_short),
            inflight_long: greater(self.bounds.inflight_long, saved.bounds.inflight_long),
        };
        let stays = matches!(self.state, State::ProbeRtt { .. });
        match saved.left {
            Some(State::Startup) => {
                self.full_reached = false;
                if !stays {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && !stays => self.start_refill(),
            _ => {}
        }
    }
}

/// InflightAtLoss (5.5.10.2): how much was in flight where losses came to 2 % of it, inside of what was lost.
fn inflight_at_loss(lost: &Lost) -> Bytes {
    let size = lost.span.len();
    let (before, lost_before) = (lost.in_flight.saturating_sub(size), lost.lost.saturating_sub(size));
    let budget = (before * LOSS_PERCENT).saturating_sub(lost_before * 100);
    before + Bytes(budget.get() / (100 - LOSS_PERCENT))
}

/// The greater of two bounds, of which none is infinite.
fn greater<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    Some(a?.max(b?))
}

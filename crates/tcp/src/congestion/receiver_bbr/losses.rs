//! What losses bound: where a queue stands and loses too much, a flow does as CUBIC does. Ours; the paper does not look at losses.
//!
//! Which losses count is version 3's rule (draft-ietf-ccwg-bbr-06): more than 2 % of a round, which below 50 segments is a single one. The draft judges packet by packet; reports come a round trip
//! and 1/f apart, so here a packet-timed round is judged as a whole, and it lost too much only where every round trip in it shows that a queue stood: a long one, or one that is short and stays so. A queue that drops is full for as long as others or we fill it. A radio that
//! fades also holds back what comes behind what it loses, but only for a moment: before and after it nothing waits. What is lost without a queue, a radio or a damaged line has lost: to send less
//! would not change it, unless a round loses more than a fifth behind one that has lost more than 2 %. Nor is it the queue's what is lost all the time, whatever is in flight ([`noise`]). What was taken for lost and comes all the same takes its bound back (5.5.11.2).
//!
//! What they leave is CUBIC's (RFC 9438): a share of what was in flight, which comes back on the cubic curve or in Reno's manner. Version 3's own bound, which only grows while a flow probes, once in two or three
//! seconds, leaves a flow that hears of its probe a report later a third of a shallow queue beside CUBIC, and three quarters of one in which each flow has few segments (docs/tack-shares.md).
//!
//! A short queue, of which a round trip hardly tells, is full before a round is over in which more is asked for. So what it has cut is paced by the bound until version 3 would probe again. Then more is asked for, and a path that has become
//! faster is no longer bound by it. Noise counts there only once three cuts have shown it: where many share a short queue, a great flow would have the losses of small ones for noise, and those would make room for it.
//!
//! Nor does a short queue's cut leave less than two fifths of the most that one of the last eight rounds has delivered, or than seven tenths of the product where that is less, and what a round lost that sent less than half of what it might have is not judged.
//!
//! Where cuts have been in vain ([`relief`]) one leaves what came, up to 0.9. Of a short queue none is: there one of many flows takes its cuts for vain, and the others pay for it.
//!
//! Two rounds in a row that lose more than a fifth each leave what the second of them delivered: the path may have become ten times as slow.
//!
//! Deviations from the RFC: the share is 0.775 ([`BETA`]), and alpha stays that of 0.7, with which a window of few segments grows by 39 % more than Reno's would allow for (4.3); the bound grows in the round after
//! a cut, too, since there is no recovery here; a cut is of the bound, or where there was none of what the round sent, which what a report had not told of yet is part of; a timeout leaves the bound as it is, since the controller's
//! own cap begins again with four segments.

mod noise;
mod relief;
mod tally;

use ackless_wire::{Bytes, Duration, Instant};

use self::noise::Noise;
use self::relief::Relief;
use super::super::bbr3::{SHORTEST_WAIT, is_too_much};
use super::super::cubic::Epoch;
use super::ReportFacts;
use crate::sequence::{Position, Span};
use crate::tack::time::RateTime;

/// The bound, and what this round has shown so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossBounds {
    smss: Bytes,
    /// How much may be in flight; without bound nothing.
    bound: Option<Bound>,
    round: Round,
    /// The latest round was cut for: what is lost in the next one was sent before that showed.
    answered: bool,
    /// What queue the latest round showed.
    queue: Queue,
    /// A queue stood after the cycle had drained its own.
    standing: bool,
    /// The latest round ended while the cycle neither asked for more nor drained.
    cruised: bool,
    /// The latest round lost more than 2 %, of what was sent since the latest cut showed.
    lossy: bool,
    /// So many rounds since the latest cut had no queue at all, less those that had.
    free: u32,
    /// Where what was lost last ended.
    lost_to: Position,
    /// The latest round lost more than a fifth.
    heavy: bool,
    /// What comes now was sent after the latest cut had shown.
    low: bool,
    noise: Noise,
    relief: Relief,
    /// What each of the latest rounds has delivered, latest first.
    came: [Bytes; ROUNDS],
    /// What the latest bound was cut for, until that turns out to have been a mistake.
    cut: Option<Cut>,
}

/// A window that grows as CUBIC's, in segments.
#[derive(Clone, Copy, Debug)]
struct Bound {
    window: f64,
    /// The window before it was cut.
    prior: f64,
    /// W_max.
    max: f64,
    epoch: Epoch,
    /// When a short queue cut it.
    short: Option<Instant>,
}

/// A cut that may have to be taken back.
#[derive(Clone, Copy, Debug)]
struct Cut {
    before: Option<Bound>,
    /// What was too much of what was sent,
    lost: Bytes,
    sent: Bytes,
    /// where a queue showed, or none.
    queued: bool,
}

/// What a round's round trips tell of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    /// At a moment none stood, or they tell of none.
    None,
    /// One stood all the time, and was short all the time.
    Short,
    /// One stood all the time.
    Long,
}

/// What a round has shown.
#[derive(Clone, Copy, Debug)]
struct Round {
    lost: Bytes,
    /// In so many stretches of sequence space.
    stretches: u32,
    delivered: Bytes,
    /// The shortest round trip, and the longest.
    shortest: Duration,
    longest: Duration,
    /// All of them together, and how many.
    sum: Duration,
    count: u64,
}

/// A round that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) now: Instant,
    /// The flow is in Startup.
    pub(super) starting: bool,
    /// The cycle neither asks for more nor drains.
    pub(super) cruising: bool,
    /// The application or the controller held data back in it.
    pub(super) limited: bool,
    /// RTTmin.
    pub(super) min_rtt: Option<Duration>,
    /// What may be in flight where there is no bound.
    pub(super) target: Bytes,
    /// What the path holds without a queue.
    pub(super) product: Bytes,
}

impl LossBounds {
    pub(super) const fn new(smss: Bytes) -> Self {
        Self {
            smss,
            bound: None,
            round: Round::NOTHING,
            answered: false,
            queue: Queue::None,
            standing: false,
            cruised: false,
            lossy: false,
            free: 0,
            lost_to: Position(0),
            heavy: false,
            low: false,
            noise: Noise::new(smss),
            relief: Relief::new(),
            came: [Bytes::ZERO; ROUNDS],
            cut: None,
        }
    }

    /// This was found lost.
    pub(super) fn on_lost(&mut self, lost: Span) {
        self.round.lost += lost.len();
        self.round.stretches += u32::from(lost.start != self.lost_to || self.round.stretches == 0);
        self.lost_to = lost.end;
    }

    /// So much of what was found lost has come all the same.
    pub(super) fn on_spurious(&mut self, bytes: Bytes) {
        self.round.lost = self.round.lost.saturating_sub(bytes);
        let Some(cut) = &mut self.cut else { return };
        cut.lost = cut.lost.saturating_sub(bytes);
        if !too_much(cut.lost, cut.lost, cut.sent, cut.queued) {
            self.bound = match (cut.before, self.bound) {
                (Some(before), Some(now)) if now.window < before.window => Some(before),
                (Some(_), now) => now,
                (None, _) => None,
            };
            (self.cut, self.low) = (None, false);
        }
    }

    /// A report came. `held`: less than the bound may be in flight, by the application or by the controller.
    pub(super) fn on_report(&mut self, facts: &ReportFacts, held: bool) {
        self.round.delivered += facts.delivered;
        if let Some(rtt) = facts.rtt {
            self.round.shortest = self.round.shortest.min(rtt);
            self.round.longest = self.round.longest.max(rtt);
            self.round.sum += rtt;
            self.round.count += 1;
        }
        let segments = self.segments(facts.delivered);
        let Some(Bound { window, prior, epoch, .. }) = &mut self.bound else { return };
        if held {
            epoch.pause(facts.now);
        } else {
            *window = epoch.grow(*window, *prior, facts.now, facts.srtt, segments);
        }
    }

    /// The path is another one, or what it gives is.
    pub(super) const fn forget(&mut self) {
        (self.bound, self.cut) = (None, None);
        (self.lossy, self.heavy, self.low) = (false, false, false);
        self.relief = Relief::new();
        self.came = [Bytes::ZERO; ROUNDS];
    }

    /// A round is over. Whether its losses say that the pipe is full, which is asked in Startup alone.
    pub(super) fn end_round(&mut self, ended: &Ended) -> bool {
        let round = std::mem::replace(&mut self.round, Round::NOTHING);
        let answered = std::mem::take(&mut self.answered);
        // A bound beyond all that may be in flight is none.
        self.bound = self.bound.filter(|bound| bound.bytes(self.smss) < ended.target);
        self.queue = round.queue(ended.min_rtt);
        let queued = self.queue != Queue::None;
        self.look_for_others(&round, ended);
        let before = std::mem::take(&mut self.lossy);
        let heavy = is_heavy(round.lost, round.sent());
        let again = std::mem::replace(&mut self.heavy, heavy) && heavy;
        let low = std::mem::replace(&mut self.low, answered) && !answered;
        let held = self.was_held(&round);
        self.came.rotate_right(1);
        self.came[0] = round.delivered;
        if ended.limited || held {
            (self.free, self.low, self.heavy) = (0, false, false);
            return false;
        }
        let noise = self.noise.of(round.sent());
        let known = self.queue != Queue::Short || self.noise.is_known_from_cuts();
        let excess = if known { round.lost.saturating_sub(noise) } else { round.lost };
        self.noise.end_round(round.lost, round.sent(), low);
        self.relief.end_round(excess, round.sent(), low);
        self.grow_freely(&round, ended);
        self.lossy = !answered && is_too_much(round.lost, round.sent());
        if answered && again {
            return self.leave_delivered(ended, &round);
        }
        if answered || !too_much(excess, round.lost, round.sent(), queued) || !(queued || before) {
            return false;
        }
        if ended.starting && (round.stretches < STARTUP_LOSSES || excess < self.smss * u64::from(STARTUP_LOSSES)) {
            return false;
        }
        self.cut(ended, &round, excess, again);
        ended.starting
    }

    /// The most that one of the latest rounds has delivered.
    fn most_came(&self) -> Bytes {
        self.came.iter().copied().max().unwrap_or_default()
    }

    /// What a short queue's cut leaves at least, in segments. On a short path a round lasts for several round trips, since reports are further apart, and brings several windows.
    fn least_of_short(&self, product: Bytes) -> f64 {
        (OF_WHAT_CAME * self.segments(self.most_came())).min(OF_PRODUCT * self.segments(product))
    }

    /// Whether a round in which a queue was short sent less than half of what it might have: the peer's window held it back, as behind a hole that is lost again. What it lost says nothing then of what there is room for.
    fn was_held(&self, round: &Round) -> bool {
        let most = self.most_came();
        let full = self.bound().map_or(most, |bound| bound.min(most));
        self.queue == Queue::Short && round.sent() * 2 < full
    }

    /// What the second round shows that ends while the cycle cruises was sent since it drained. Where its mean round trip is still that of a queue, others keep that.
    fn look_for_others(&mut self, round: &Round, ended: &Ended) {
        let drained = std::mem::replace(&mut self.cruised, ended.cruising) && ended.cruising;
        if drained && round.count > 0 {
            self.standing = ended.min_rtt.is_some_and(|min| round.sum * 4 > RateTime::span(min) * (5 * round.count));
        }
    }

    /// Where most rounds have no queue at all, and lose next to nothing, nobody else is there whose part the bound is: it grows as version 3's does while a flow probes, by twice as many segments in each (5.3.3.9). But from what
    /// the path holds, by its greatest rate, to what was cut, where a queue would stand again, it is left to a curve, and the steps go on doubling meanwhile. What a short
    /// queue has cut waits first, and then needs no curve: no round trip shows where that would stand.
    fn grow_freely(&mut self, round: &Round, ended: &Ended) {
        if self.bound.is_some_and(|bound| bound.waits(ended.now)) {
            return;
        }
        if !round.has_nothing_queued(ended.min_rtt) || is_too_much(round.lost, round.sent()) {
            self.free = self.free.saturating_sub(1);
            return;
        }
        self.free = (self.free + 1).min(MOST_FREE);
        let (product, delivered) = (self.segments(ended.product), self.segments(round.delivered));
        let (Some(bound), Some(doublings)) = (&mut self.bound, self.free.checked_sub(FREE_ROUNDS)) else { return };
        if bound.short.is_some() || !(product..bound.prior).contains(&bound.window) {
            bound.window += f64::from(1_u32 << doublings).min(delivered);
            bound.epoch = Epoch::new(ended.now, bound.window, bound.window);
        }
    }

    /// The round after a cut has lost more than a fifth again: the path takes no more than has come. Whether that says that the pipe is full.
    fn leave_delivered(&mut self, ended: &Ended, round: &Round) -> bool {
        let delivered = self.segments(round.delivered).max(LEAST);
        let Some(bound) = self.bound.as_mut().filter(|bound| delivered < bound.window) else { return false };
        // The curve begins anew from there; what was cut is still what there was before.
        *bound =
            Bound { window: delivered, max: delivered, epoch: Epoch::new(ended.now, delivered, delivered), ..*bound };
        if let Some(cut) = &mut self.cut {
            cut.lost += round.lost;
            cut.sent += round.sent();
        }
        self.answered = true;
        ended.starting
    }

    fn segments(&self, bytes: Bytes) -> f64 {
        bytes.get() as f64 / self.smss.get() as f64
    }

    /// CUBIC's reduction, with its fast convergence (RFC 9438, 4.6 and 4.7), of the bound, or where there was none of what the round sent. `again`: the round before lost more than a fifth too.
    fn cut(&mut self, ended: &Ended, round: &Round, excess: Bytes, again: bool) {
        let prior = self.bound.map_or_else(|| self.segments(round.sent().min(ended.target)), |bound| bound.window);
        let max = match self.bound {
            Some(bound) if prior < bound.max => prior * (1.0 + BETA) / 2.0,
            _ => prior,
        };
        let most = if again { prior.min(self.segments(round.delivered)) } else { prior };
        let came = self.segments(round.delivered) / self.segments(round.sent());
        let in_vain = self.queue == Queue::Long && self.relief.is_none();
        let share = if in_vain { came.clamp(BETA, MOST_LEFT) } else { BETA };
        let least = if self.queue == Queue::Short { self.least_of_short(ended.product) } else { LEAST };
        let window = (prior * share).max(least).min(most).max(LEAST);
        let queued = self.queue != Queue::None;
        let lost = if queued { excess } else { round.lost };
        self.cut = Some(Cut { before: self.bound, lost, sent: round.sent(), queued });
        let short = (self.queue == Queue::Short).then_some(ended.now);
        self.bound = Some(Bound { window, prior, max, epoch: Epoch::new(ended.now, window, max), short });
        (self.answered, self.free) = (true, 0);
    }

    /// What may be in flight on the path.
    pub(super) fn bound(&self) -> Option<Bytes> {
        self.bound.map(|bound| bound.bytes(self.smss))
    }

    /// Whether a queue stands that the cycle does not drain, and so is others'.
    pub(super) const fn has_standing_queue(&self) -> bool {
        self.standing
    }

    /// Whether a short queue has cut lately, and it is too early to ask it for more.
    pub(super) fn waits(&self, now: Instant) -> bool {
        self.bound.is_some_and(|bound| bound.waits(now))
    }

    /// Whether asking for more would bring no more than the bound. Of a short queue's that is so for as long as it waits.
    pub(super) fn limits_asking(&self, now: Instant) -> bool {
        self.bound.is_some_and(|bound| bound.short.is_none() || bound.waits(now))
    }

    /// Asking for more has brought a good deal more: the path is faster than the one whose queue has cut.
    pub(super) const fn end_bound(&mut self) {
        (self.bound, self.cut) = (None, None);
    }
}

impl Bound {
    fn bytes(&self, smss: Bytes) -> Bytes {
        Bytes((self.window * smss.get() as f64) as u64)
    }

    /// Whether a short queue cut it, and version 3 would not probe yet.
    fn waits(&self, now: Instant) -> bool {
        self.short.is_some_and(|cut| now.saturating_since(cut) < SHORTEST_WAIT)
    }
}

impl Round {
    const NOTHING: Self = Self {
        lost: Bytes::ZERO,
        stretches: 0,
        delivered: Bytes::ZERO,
        shortest: Duration::MAX,
        longest: Duration::ZERO,
        sum: Duration::ZERO,
        count: 0,
    };

    fn sent(&self) -> Bytes {
        self.delivered + self.lost
    }

    /// A queue stood all the time if the shortest round trip says so, and it was short if the longest does: a radio that loses has tried for long. A path counts as 10 ms long at least here too: on a shorter one the flow's own two
    /// products are a queue already.
    fn queue(&self, min_rtt: Option<Duration>) -> Queue {
        let Some(least) = min_rtt.filter(|_| self.count > 0).map(RateTime::span) else { return Queue::None };
        if self.shortest * 32 > least * 33 && self.longest * 4 < least * 5 {
            Queue::Short
        } else if self.shortest * 8 > least * 9 {
            Queue::Long
        } else {
            Queue::None
        }
    }

    fn has_nothing_queued(&self, min_rtt: Option<Duration>) -> bool {
        self.count > 0 && min_rtt.is_some_and(|min| self.sum * 8 < RateTime::span(min) * (9 * self.count))
    }
}

/// Whether a round lost too much: beyond noise where a queue showed, else a fifth of all.
fn too_much(excess: Bytes, lost: Bytes, sent: Bytes, queued: bool) -> bool {
    if queued { is_too_much(excess, sent) } else { is_heavy(lost, sent) }
}

fn is_heavy(lost: Bytes, sent: Bytes) -> bool {
    lost.get() * MOST_WITHOUT_QUEUE > sent.get()
}

/// What a cut leaves: in the middle between version 3's two answers to losses, its short-term bounds (0.7, which is CUBIC's too) and its headroom (0.85).
/// With the former a flow that paces itself, and so loses more often in a full queue than one whose ACKs time its segments, has 23 % of a shallow queue of 802.11n that five share with five CUBIC; with the latter
/// 80 % of one of 802.11g (docs/tack-shares.md).
const BETA: f64 = 0.775;
/// What a cut leaves at most where cuts have been in vain. Where it was what had come, whatever that was, ten flows alone behind a buffer of a few packets each shared that less evenly (Jain's index 0.80 in the place of 0.99, with 5.4 % sent
/// again and not 3.6), since some of them took their cuts for vain before others did.
const MOST_LEFT: f64 = 0.9;
/// The least that a cut leaves, in segments (BBR.MinPipeCwnd).
const LEAST: f64 = 4.0;
/// A short queue's cut leaves as much at least of what one of so many rounds has delivered: a flow that was cut to a few segments before its noise was known would take each single loss for the queue's from then on. By sixteen rounds, or by
/// half, a rate that has fallen is heard of for seconds, and twenty flows share a queue less evenly; by six flows come down to a few segments (docs/tack-shares.md).
const OF_WHAT_CAME: f64 = 0.4;
/// And no more of the product by the greatest rate of late, below which version 3's bound does not fall (5.5.10.2).
const OF_PRODUCT: f64 = 0.7;
/// So many rounds count for what came.
const ROUNDS: usize = 8;
/// As many stretches, and as many segments beyond noise, have to be lost before Startup takes the pipe for full (BBR.StartupFullLossCnt, 5.3.1.3): a single segment in its first rounds is more than 2 %, and a radio loses a whole A-MPDU at once.
const STARTUP_LOSSES: u32 = 6;
/// More than one of so many is too much where no queue shows, too: a flow that began in a full queue takes its round trip for the path's, and knows of none until ProbeRTT.
const MOST_WITHOUT_QUEUE: u64 = 5;
/// After so many rounds without any queue the bound grows faster,
const FREE_ROUNDS: u32 = 2;
/// by twice as much in each, as long as that is a number.
const MOST_FREE: u32 = FREE_ROUNDS + 24;

#[cfg(test)]
mod tests;

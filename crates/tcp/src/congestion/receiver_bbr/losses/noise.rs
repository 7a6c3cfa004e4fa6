//! What of a round's losses is noise, and nobody's queue's. Ours; the paper does not look at losses.
//!
//! A radio or a damaged line loses about the same share all the time, whatever is in flight. A queue that is shared loses a few segments of a window that then takes many rounds to grow back: between these, nothing. So what nearly every
//! stretch of data has lost of late is no queue's. A stretch is of [`STRETCH`] segments at least, however many rounds those take: of fewer, one that loses 1 % would often have lost none.
//!
//! But in the queue of many others every stretch loses. There a flow that has just been cut loses less than one that has not; what a line loses it goes on losing. So noise is no more than rounds have lost that followed cuts.
//!
//! Rounds that were held back say nothing of it, and what came all the same after its round was over counts as lost. A path that changes keeps its noise: it may be the same line.
//!
//! FQ-CoDel drops a little in most rounds too, of which a part passes for noise (docs/tack-beside-linux.md).

use ackless_wire::Bytes;

use super::super::super::bbr3::is_too_much;
use super::tally::{MILLION, Tally};

/// Which share of what was sent has been lost of late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    smss: Bytes,
    /// Of the stretch that is not long enough yet.
    stretch: Tally,
    /// Of each of the latest stretches, in parts of a million, latest first,
    shares: [u64; STRETCHES],
    /// of so many.
    known: usize,
    /// Of the latest rounds that followed cuts.
    low: [Tally; LOW_ROUNDS],
}

impl Noise {
    pub(super) const fn new(smss: Bytes) -> Self {
        Self { smss, stretch: Tally::NONE, shares: [0; STRETCHES], known: 0, low: [Tally::NONE; LOW_ROUNDS] }
    }

    /// A round lost so much of what it sent. `low`: that was sent after a cut had shown.
    pub(super) fn end_round(&mut self, lost: Bytes, sent: Bytes, low: bool) {
        if low {
            self.low.rotate_right(1);
            self.low[0] = Tally { lost, sent };
        }
        self.stretch += Tally { lost, sent };
        if self.stretch.sent >= self.smss * STRETCH {
            let stretch = std::mem::take(&mut self.stretch);
            self.shares.rotate_right(1);
            self.shares[0] = stretch.share();
            self.known = (self.known + 1).min(STRETCHES);
        }
    }

    /// What of `sent` chance alone may lose: the mean, and three times its deviation, as of a Poisson distribution. Where a single segment is more than 2 % that is nothing: a window of so few grows back in a few rounds, and one that is
    /// shared may lose in most.
    pub(super) fn of(&self, sent: Bytes) -> Bytes {
        if is_too_much(self.smss, sent) {
            return Bytes::ZERO;
        }
        let smss = self.smss.get() as f64;
        let share = self.share().min(self.most());
        let segments = sent.get() as f64 / smss * share as f64 / MILLION as f64;
        Bytes(((segments + 3.0 * segments.sqrt()) * smss) as u64)
    }

    /// The share that all but one of the latest stretches have lost at least, or all of the last few, whichever is more: a line may have become worse. As long as fewer are known, what all have.
    fn share(&self) -> u64 {
        let least = |shares: &[u64]| shares.iter().copied().min().unwrap_or(0);
        let known = &self.shares[..self.known];
        if self.known < STRETCHES {
            return least(known);
        }
        let mut sorted = self.shares;
        sorted.sort_unstable();
        sorted[1].max(least(&known[..LAST_STRETCHES]))
    }

    /// Whether as many rounds that followed cuts are known as it takes in a short queue.
    pub(super) fn is_known_from_cuts(&self) -> bool {
        self.low.iter().filter(|round| round.sent > Bytes::ZERO).count() >= CUTS
    }

    /// What is noise at most.
    fn most(&self) -> u64 {
        let low: Tally = self.low.iter().copied().sum();
        if low.sent == Bytes::ZERO { MOST } else { MOST.min(low.share()) }
    }
}

/// So many segments at least are a stretch.
const STRETCH: u64 = 200;
/// So many stretches are of late,
const STRETCHES: usize = 8;
/// and so many of these the last few.
const LAST_STRETCHES: usize = 4;
/// So many rounds that followed cuts are remembered.
const LOW_ROUNDS: usize = 4;
/// So many of them make noise known in a short queue. After one or two a great flow in one of ten packets still keeps others small (ten flows at 10 Mbps and 150 ms: Jain's index 0.28 without, 0.57 by two, 0.63 by three, 0.73 by four);
/// by four losses that begin at random cost a flow twice what they cost by three.
const CUTS: usize = 3;
/// A fifth, in parts of a million: beyond that it is too much whatever it is.
const MOST: u64 = 200_000;

#[cfg(test)]
mod tests;

//! What of a round's losses is noise, where every round seems to have a queue. Ours; the paper does not look at losses.
//!
//! A radio or a damaged line loses about the same share all the time, whatever is in flight. A queue that is shared loses a few segments of a window that then takes many rounds to grow back: between these, nothing. So what nearly every
//! stretch of data has lost of late is no queue's. A stretch is of [`STRETCH`] segments at least, however many rounds those take: of fewer, one that loses 1 % would often have lost none.
//!
//! FQ-CoDel drops a little in most rounds too, of which a part passes for noise (docs/tack-wifi.md).

use ackless_wire::Bytes;

use super::super::super::bbr3::is_too_much;

/// Which share of what was sent the latest stretches of it have lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    smss: Bytes,
    /// Of the stretch that is not long enough yet.
    lost: Bytes,
    sent: Bytes,
    /// In parts of a million, latest first,
    shares: [u64; STRETCHES],
    /// of so many stretches.
    known: usize,
}

impl Noise {
    pub(super) const fn new(smss: Bytes) -> Self {
        Self { smss, lost: Bytes::ZERO, sent: Bytes::ZERO, shares: [0; STRETCHES], known: 0 }
    }

    /// A round lost so much of what it sent.
    pub(super) fn end_round(&mut self, lost: Bytes, sent: Bytes) {
        self.lost += lost;
        self.sent += sent;
        if self.sent >= self.smss * STRETCH {
            self.shares.rotate_right(1);
            self.shares[0] = self.lost.get() * MILLION / self.sent.get();
            self.known = (self.known + 1).min(STRETCHES);
            (self.lost, self.sent) = (Bytes::ZERO, Bytes::ZERO);
        }
    }

    /// What of `sent` chance alone may lose: the mean, and three times its deviation, as of a Poisson distribution. Where a single segment is more than 2 % that is nothing: a window of so few grows back in a few rounds, and one that is
    /// shared may lose in most. More than [`TOLERATED`] is never usual: what losses bound grows so slowly that the share would follow a queue's.
    pub(super) fn of(&self, sent: Bytes) -> Bytes {
        if is_too_much(self.smss, sent) {
            return Bytes::ZERO;
        }
        let smss = self.smss.get() as f64;
        let segments = sent.get() as f64 / smss * self.share().min(TOLERATED) as f64 / MILLION as f64;
        Bytes(((segments + 3.0 * segments.sqrt()) * smss) as u64)
    }

    /// What all but one of the latest stretches have lost; as long as there are fewer, what all have.
    fn share(&self) -> u64 {
        let mut shares = self.shares;
        let known = &mut shares[..self.known];
        known.sort_unstable();
        known.get(self.known / STRETCHES).copied().unwrap_or(0)
    }
}

/// So many segments at least are a stretch.
const STRETCH: u64 = 200;
/// So many stretches are of late.
const STRETCHES: usize = 8;
/// BBR.LossThresh, in parts of a million.
const TOLERATED: u64 = 20_000;
const MILLION: u64 = 1_000_000;

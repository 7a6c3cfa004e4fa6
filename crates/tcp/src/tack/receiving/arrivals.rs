//! Which packets have come, in the space of PKT.SEQ, and which of those that have not are lost (paper, V-A and VIII).
//!
//! Numbers grow with each transmission, so that a gap is a loss or a reordering, whatever was sent again. A gap has RTTmin/4 to
//! close (VIII); what is missing then is lost. A packet that comes later still was sent again in vain.

use std::collections::BTreeMap;

use ackless_wire::{Duration, Instant};

use crate::tack::body::LossRange;

/// The numbers that have come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals {
    /// The largest number; 0 before the first.
    largest: u64,
    largest_at: Instant,
    /// The number that came last.
    latest: u64,
    /// What is missing, by its first number.
    gaps: BTreeMap<u64, Gap>,
    /// Gaps that begin below are lost, the others may still close.
    settled: u64,
    /// No gap begins above: spares looking for open ones where there are none.
    last_gap: u64,
    loss: LossRate,
}

/// Missing numbers.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// The first number above that has come.
    end: u64,
    /// When they count as lost.
    due: Instant,
    /// Since when they are missing.
    since: Instant,
}

/// How a number fits to those that came before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrival {
    /// The largest so far.
    Newest,
    /// It was missing.
    Late,
    /// It had been given up for lost, and came so long after those above it.
    Spurious(Duration),
    /// It came before: the network has made two of one.
    Again,
}

/// Packets lost of those that should have been received.
#[derive(Clone, Copy, Debug, Default)]
struct LossRate {
    lost: u64,
    /// The largest number at the last TACK.
    since: u64,
    /// Of the last interval in which any should have been received.
    last_ppm: u32,
    /// Over many intervals, both halved from time to time.
    long_lost: u64,
    long_expected: u64,
}

impl Arrivals {
    /// Packet `number`, as it stands on the wire, came: takes it if it follows the largest so far, as nearly all do. Returns whether it does.
    #[inline]
    pub(crate) fn takes_next(&mut self, now: Instant, number: u32) -> bool {
        let follows = number == (self.largest as u32).wrapping_add(1);
        if follows {
            self.largest += 1;
            (self.latest, self.largest_at) = (self.largest, now);
        }
        follows
    }

    /// Packet `number`, as it stands on the wire, came. A gap below it may close within `settling`.
    pub(crate) fn on_packet(&mut self, now: Instant, number: u32, settling: Duration) -> Arrival {
        if self.largest == 0 && number > FIRST {
            self.begin_with(number);
        }
        // The first number is 1: what would lie before it is taken for it.
        let ahead = i64::from(number.wrapping_sub(self.largest as u32) as i32);
        let number = self.largest.saturating_add_signed(ahead).max(1);
        self.latest = number;
        if number <= self.largest {
            return self.fill(now, number);
        }
        if number > self.largest + 1 {
            // Never due before an older one, though RTTmin may have shrunk: gaps are declared lost in their order.
            let least = self.gaps.range(self.settled..).next_back().map_or(now, |(_, gap)| gap.due);
            let due = now.saturating_add(settling).max(least);
            self.open(self.largest + 1, Gap { end: number, due, since: now });
        }
        (self.largest, self.largest_at) = (number, now);
        Arrival::Newest
    }

    /// The first packet to come has a number that is none of our first: the paper says of none what it is. That so many were lost before it cannot be.
    fn begin_with(&mut self, number: u32) {
        self.largest = u64::from(number) - 1;
        (self.settled, self.loss.since) = (self.largest, self.largest);
    }

    fn fill(&mut self, now: Instant, number: u64) -> Arrival {
        let Some((&start, &gap)) = self.gaps.range(..=number).next_back().filter(|(_, gap)| number < gap.end) else {
            return Arrival::Again;
        };
        self.gaps.remove(&start);
        if start < number {
            self.open(start, Gap { end: number, ..gap });
        }
        if number + 1 < gap.end {
            self.open(number + 1, gap);
        }
        if start < self.settled { Arrival::Spurious(now.saturating_since(gap.since)) } else { Arrival::Late }
    }

    fn open(&mut self, start: u64, gap: Gap) {
        self.last_gap = self.last_gap.max(start);
        self.gaps.insert(start, gap);
        if self.gaps.len() > MAX_GAPS {
            self.gaps.pop_first();
        }
    }

    /// The first gap that may still close.
    #[inline]
    fn first_open(&self) -> Option<(u64, Gap)> {
        if self.last_gap < self.settled || self.gaps.is_empty() { None } else { self.find_open() }
    }

    #[inline(never)]
    fn find_open(&self) -> Option<(u64, Gap)> {
        self.gaps.range(self.settled..).next().map(|(&start, &gap)| (start, gap))
    }

    /// Whether packet `number`, as it stands on the wire, is missing among the last that the sender has sent before the largest.
    pub(crate) fn is_missing(&self, number: u32) -> bool {
        let back = (self.largest as u32).wrapping_sub(number);
        if back >= NEAR || u64::from(back) >= self.largest {
            return false;
        }
        let number = self.largest - u64::from(back);
        self.gaps.range(..=number).next_back().is_some_and(|(_, gap)| number < gap.end)
    }

    /// Whether packet `number` came last: a middlebox may have cut it, and this be the rest of it.
    pub(crate) const fn is_latest(&self, number: u32) -> bool {
        number == self.latest as u32 && self.latest > 0
    }

    /// When the next gap counts as lost.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.first_open().map(|(_, gap)| gap.due)
    }

    /// Declares the next gap lost that is due by `now`, and says which it is and how many packets it holds.
    pub(crate) fn settle(&mut self, now: Instant) -> Option<(LossRange, u64)> {
        let (start, gap) = self.first_open().filter(|(_, gap)| gap.due <= now)?;
        self.settled = gap.end;
        let lost = gap.end - start;
        self.loss.lost += lost;
        Some((LossRange { largest: gap.end as u32, second: (start - 1) as u32 }, lost))
    }

    /// The largest number below which nothing may still turn out to be just late.
    pub(crate) fn known(&self) -> u64 {
        self.first_open().map_or(self.largest, |(start, _)| start - 1)
    }

    /// The largest number; 0 before the first packet.
    pub(crate) const fn largest(&self) -> u64 {
        self.largest
    }

    /// When that came.
    pub(crate) const fn largest_at(&self) -> Instant {
        self.largest_at
    }

    /// The number of the packet that came last; 0 before the first.
    pub(crate) const fn latest(&self) -> u64 {
        self.latest
    }

    /// A TACK is sent: a new interval begins for the loss rate.
    pub(crate) fn on_tack(&mut self) {
        self.loss.on_tack(self.largest);
    }

    /// rho of the last TACK interval (VI-C), in parts of a million.
    ///
    /// Losses count when they are noticed, which is up to RTTmin/4 after the packets around them came: at the edges of
    /// intervals there may be more than should have come, which counts as all.
    pub(crate) const fn loss_ppm(&self) -> u32 {
        self.loss.last_ppm
    }

    /// rho over the last few thousand packets: what equation (5) is fed with, since an interval may hold two packets and its
    /// rho be nothing or a half. (The paper does not say whether it smooths.)
    pub(crate) fn long_loss_ppm(&self) -> u32 {
        ppm(self.loss.long_lost, self.loss.long_expected)
    }
}

impl LossRate {
    fn on_tack(&mut self, largest: u64) {
        let expected = largest - self.since;
        if expected == 0 {
            return;
        }
        self.last_ppm = ppm(self.lost, expected);
        self.long_lost += self.lost;
        self.long_expected += expected;
        if self.long_expected > LONG {
            self.long_lost /= 2;
            self.long_expected /= 2;
        }
        (self.lost, self.since) = (0, largest);
    }
}

fn ppm(lost: u64, expected: u64) -> u32 {
    if expected == 0 {
        return 0;
    }
    (u128::from(lost) * u128::from(MILLION) / u128::from(expected)).min(u128::from(MILLION)) as u32
}

const MILLION: u32 = 1_000_000;
/// Packets after which older ones begin to count less in the long loss rate.
const LONG: u64 = 4096;
/// So many numbers are less than a sender needs for 4 GiB less a window, which is 1 GiB at most, in segments of 64 KiB: 49,152.
const NEAR: u32 = 1 << 15;

/// A first number beyond this is where the peer begins to count: no initial window has so many segments.
const FIRST: u32 = 1 << 10;
/// The most gaps that are remembered: the oldest are forgotten, and with them whether what fills them came in vain.
const MAX_GAPS: usize = 1024;

#[cfg(test)]
mod tests;

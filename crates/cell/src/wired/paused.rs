//! A link whose rate changes, and one that pauses at a rate of zero.
//!
//! A pause loses nothing: queued packets wait, and the packet that is under way when it begins
//! keeps what has been sent of it, so that only its rest follows when the link goes on. The buffer
//! holds what it always does, and what finds it full is dropped as ever. Where no later change is
//! known, packets are *stopped*: nobody knows when they leave until somebody changes the link.

use ackless_wire::{Bytes, Duration, Instant};

use super::{Arrival, Wired};
use crate::config::WireStep;

/// A packet that waits for a link without a rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped<P> {
    /// `None` for a lost one.
    pub(super) packet: Option<P>,
    len: Bytes,
    /// What is left to send of it.
    left: Work,
}

/// What is to be sent, in bits that take a nanosecond each at 1 bps.
pub(super) type Work = u128;

/// Later than the end of any run: what would leave then never does.
pub(super) const HORIZON: Instant = Instant::from_nanos(u64::MAX / 2);

/// The work of a packet.
pub(super) const fn work(len: Bytes) -> Work {
    len.bits() as Work * 1_000_000_000
}

impl<P: Copy> Wired<P> {
    /// Puts a packet on a link whose rate may change while the packet is sent.
    #[cold]
    #[inline(never)]
    pub(super) fn put_unsteadily(&mut self, now: Instant, packet: P, len: Bytes) -> Result<(), P> {
        let departs = if self.stopped.is_empty() { self.departure(now, len) } else { Err(work(len)) };
        self.note_steadiness();
        match departs {
            Ok(departs) => self.put_leaving(departs, packet, len),
            Err(left) => {
                // Whoever pushes a packet learns at once whether it is lost.
                let lost = self.random.chance(self.config.loss.get());
                self.stop(Stopped { packet: (!lost).then_some(packet), len, left });
                if lost { Err(packet) } else { Ok(()) }
            }
        }
    }

    /// When a packet of this length has left that comes now.
    ///
    /// # Errors
    /// Never, as far as is known: what is left of it then.
    fn departure(&mut self, now: Instant, len: Bytes) -> Result<Instant, Work> {
        let from = self.free_at.max(now);
        let Some(trace) = &mut self.trace else { return self.departure_by_steps(from, work(len)) };
        let departs = trace.departure(now, from, len);
        self.change(departs.unwrap_or(from));
        departs
    }

    /// When the last of `left` has left that is sent from `from` on, at the rates that the link has
    /// meanwhile.
    ///
    /// # Errors
    /// Never, as far as is known: what is left then.
    fn departure_by_steps(&mut self, mut from: Instant, mut left: Work) -> Result<Instant, Work> {
        self.change(from);
        loop {
            let bps = u128::from(self.config.rate.bps());
            let next = self.steps.front().map(|step| step.at);
            let span = (bps > 0).then(|| Duration::from_nanos(u64::try_from(left.div_ceil(bps)).unwrap_or(u64::MAX)));
            match (span.map(|span| from.saturating_add(span)), next) {
                (Some(departure), next) if next.is_none_or(|next| departure <= next) => {
                    self.change(departure);
                    return if departure < HORIZON { Ok(departure) } else { Err(left) };
                }
                (_, Some(next)) => {
                    left -= u128::from((next - from).as_nanos()) * bps;
                    from = next;
                    self.change(next);
                }
                (_, None) => return Err(left),
            }
        }
    }

    /// The link has a change at `now`: stopped packets go on, if they can. Returns when each of
    /// them will have left, as far as it will.
    pub(super) fn go_on(&mut self, now: Instant) -> Vec<Instant> {
        if self.trace.is_some() {
            return Vec::new();
        }
        let waiting = std::mem::take(&mut self.stopped);
        self.departures.truncate(self.departures.len() - waiting.len());
        self.queued -= waiting.iter().map(|stopped| stopped.len).sum();
        let mut departures = Vec::new();
        for stopped in waiting {
            let from = self.free_at.max(now);
            let departs =
                if self.stopped.is_empty() { self.departure_by_steps(from, stopped.left) } else { Err(stopped.left) };
            match departs {
                Ok(departs) => {
                    departures.push(departs);
                    self.leave(departs, stopped);
                }
                Err(left) => self.stop(Stopped { left, ..stopped }),
            }
        }
        departures
    }

    fn stop(&mut self, stopped: Stopped<P>) {
        self.departures.push_back((Instant::FAR_FUTURE, stopped.len));
        self.queued += stopped.len;
        self.stopped.push_back(stopped);
    }

    /// A packet that was stopped will have left at `departs`.
    fn leave(&mut self, departs: Instant, stopped: Stopped<P>) {
        self.free_at = departs;
        self.departures.push_back((departs, stopped.len));
        self.queued += stopped.len;
        let at = departs + self.config.delay + self.draw_jitter();
        let held = stopped.packet.is_some() && self.random.chance(self.config.reorder.get());
        if held {
            self.hold_back(Arrival { at: at + self.config.reorder_delay, packet: stopped.packet });
        } else {
            self.arrive(Arrival { at, packet: stopped.packet });
        }
    }

    /// How many packets are stopped.
    pub fn stopped(&self) -> usize {
        self.stopped.len()
    }

    /// Takes up the changes until `now`, which never runs back.
    fn change(&mut self, now: Instant) {
        while let Some(step) = self.steps.pop_front_if(|step| step.at <= now) {
            let WireStep { rate, delay, loss, .. } = step;
            self.config.rate = rate.unwrap_or(self.config.rate);
            self.config.delay = delay.unwrap_or(self.config.delay);
            self.config.loss = loss.unwrap_or(self.config.loss);
            self.taken_up.push(step);
        }
    }

    /// Sees whether the next packet meets a change or a pause.
    pub(super) fn note_steadiness(&mut self) {
        let unchanging = self.steps.is_empty() && self.trace.is_none();
        self.is_steady = unchanging && self.stopped.is_empty() && self.config.rate.bps() > 0;
    }
}

#[cfg(test)]
mod tests;

//! One direction of a wired link.
//!
//! A packet waits in a drop-tail buffer, is sent at the link's rate, may be lost, and arrives a propagation delay later, or later
//! still if it is held back so that others overtake it. Not modelled: framing, jitter, and bit errors that depend on the length.

use std::collections::VecDeque;

use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Instant, PacketId};

use crate::config::WiredLink;

#[cfg(test)]
mod tests;

/// A link that sends packets one after another and delivers them later.
///
/// [`push`](Self::push) as packets come; [`poll_timeout`](Self::poll_timeout) names the next arrival, and only that; then
/// [`pop`](Self::pop) until it gives nothing.
#[derive(Debug)]
pub struct Wired {
    config: WiredLink,
    random: Stream,
    /// When the last packet will have left.
    free_at: Instant,
    /// When each packet that waits or is being sent will have left.
    departures: VecDeque<Instant>,
    /// Packets that arrive after the delay, in order of arrival.
    direct: VecDeque<Arrival>,
    /// Packets that are held back. All are for the same time, so that they too arrive in the order in which they left.
    held: VecDeque<Arrival>,
}

#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Instant,
    /// `None` for a lost one: its time is kept, so that whoever keeps the buffer full is woken all the same.
    packet: Option<PacketId>,
}

impl Wired {
    /// An empty link. `random` decides on losses and reordering.
    pub fn new(config: WiredLink, random: Stream) -> Self {
        Self {
            config,
            random,
            free_at: Instant::ZERO,
            departures: VecDeque::new(),
            direct: VecDeque::new(),
            held: VecDeque::new(),
        }
    }

    /// Puts a packet on the link.
    ///
    /// # Errors
    /// Gives the packet back if it will not arrive: the buffer was full, or it is lost on its way. A lost packet takes up the
    /// buffer and the link as any other.
    pub fn push(&mut self, now: Instant, packet: PacketId, len: Bytes) -> Result<(), PacketId> {
        if !self.has_room(now) {
            return Err(packet);
        }
        self.free_at = self.free_at.max(now) + self.config.rate.time_ceil(len);
        self.departures.push_back(self.free_at);
        let arrives = self.free_at + self.config.delay;
        if self.random.chance(self.config.loss.get()) {
            self.direct.push_back(Arrival { at: arrives, packet: None });
            return Err(packet);
        }
        if self.random.chance(self.config.reorder.get()) {
            self.held.push_back(Arrival { at: arrives + self.config.reorder_delay, packet: Some(packet) });
        } else {
            self.direct.push_back(Arrival { at: arrives, packet: Some(packet) });
        }
        Ok(())
    }

    /// Whether one more packet would be taken: fewer wait than the buffer holds. The packet being sent does not wait.
    pub fn has_room(&mut self, now: Instant) -> bool {
        while self.departures.front().is_some_and(|at| *at <= now) {
            self.departures.pop_front();
        }
        self.departures.len() <= self.config.buffer_packets as usize
    }

    /// When the next packet arrives, or would have arrived.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.next_queue().front().map(|arrival| arrival.at)
    }

    /// The next packet that has arrived by `now`.
    pub fn pop(&mut self, now: Instant) -> Option<PacketId> {
        loop {
            self.poll_timeout().filter(|at| *at <= now)?;
            let queue = if self.held_is_next() { &mut self.held } else { &mut self.direct };
            if let Some(Arrival { packet: Some(packet), .. }) = queue.pop_front() {
                return Some(packet);
            }
        }
    }

    fn next_queue(&self) -> &VecDeque<Arrival> {
        if self.held_is_next() { &self.held } else { &self.direct }
    }

    /// Of two that arrive at once the held one left first, and comes first.
    fn held_is_next(&self) -> bool {
        match (self.held.front(), self.direct.front()) {
            (Some(held), Some(direct)) => held.at <= direct.at,
            (held, _) => held.is_some(),
        }
    }
}

//! One direction of a wired link.

use std::collections::VecDeque;

use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Instant, PacketId};

use crate::config::WiredLink;

/// A link that sends packets one after another and delivers them later.
#[derive(Debug)]
pub struct Wired {
    config: WiredLink,
    /// When the last packet will have left.
    free_at: Instant,
    departures: VecDeque<Instant>,
    arrivals: VecDeque<(Instant, PacketId)>,
}

impl Wired {
    /// An empty link.
    pub fn new(config: WiredLink, _random: Stream) -> Self {
        Self { config, free_at: Instant::ZERO, departures: VecDeque::new(), arrivals: VecDeque::new() }
    }

    /// Puts a packet on the link; gives it back if it is dropped.
    pub fn push(&mut self, now: Instant, packet: PacketId, len: Bytes) -> Result<(), PacketId> {
        if !self.has_room(now) {
            return Err(packet);
        }
        self.free_at = self.free_at.max(now) + self.config.rate.time_ceil(len);
        self.departures.push_back(self.free_at);
        self.arrivals.push_back((self.free_at + self.config.delay, packet));
        Ok(())
    }

    /// Whether one more packet would be taken.
    pub fn has_room(&mut self, now: Instant) -> bool {
        while self.departures.front().is_some_and(|at| *at <= now) {
            self.departures.pop_front();
        }
        self.departures.len() <= self.config.buffer_packets as usize
    }

    /// When the next packet arrives.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.arrivals.front().map(|(at, _)| *at)
    }

    /// The next packet that has arrived.
    pub fn pop(&mut self, now: Instant) -> Option<PacketId> {
        let due = self.arrivals.front().is_some_and(|(at, _)| *at <= now);
        due.then(|| self.arrivals.pop_front()).flatten().map(|(_, packet)| packet)
    }
}

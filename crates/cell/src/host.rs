//! The way between a node's MAC, or the server's wire, and its host: a fixed latency each way, first in, first out, and what is lost on it.

use std::collections::VecDeque;
use std::fmt;

use ackless_dot11::frame::NodeId;
use ackless_dot11::station::Route;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant, Packet, PacketId};

use crate::config::{Delivery, Probability};

/// Both ways of one host: what comes up to it is a `U`, what it sends down to its MAC, or the server to its wire, a `D`.
#[derive(Debug)]
pub struct Passage<U, D> {
    latency: Duration,
    delivery: Delivery,
    /// Where what comes is coalesced: when what came last is handed up.
    next: Instant,
    up: VecDeque<(Instant, U)>,
    down: VecDeque<(Instant, D)>,
}

/// A packet of a flow on its way from a node's host to its MAC's queue.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing {
    /// The packet.
    pub packet: PacketId,
    /// Where it goes.
    pub route: Route,
    /// What tells its flow from others.
    pub flow: u32,
}

/// What gets lost between a node's MAC and its own transports, each packet by itself: what driver and kernel drop without telling either.
#[derive(Debug)]
pub struct HostLoss {
    probability: f64,
    random: Stream,
}

/// What an experiment hears of the hosts: called for each packet as it crosses between a transport and the network, with the time, the
/// station (or `None` for the server), the way and the packet.
#[expect(clippy::type_complexity, reason = "the type's own doc says what each part is, and an alias would hide it")]
pub struct Eavesdropper(pub Box<dyn FnMut(Instant, Option<NodeId>, Crossing, &Packet) + Send>);

/// Which way a packet crosses between a transport and the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crossing {
    /// The transport sends it.
    Sent,
    /// The transport gets it.
    Received,
}

impl HostLoss {
    /// The loss at a node, with its draws in the run with this seed.
    pub fn new(probability: Probability, seed: u64, node: u64) -> Self {
        Self { probability: probability.get(), random: Stream::new(seed, node, Purpose::HostLoss) }
    }

    /// Whether nothing ever passes.
    pub fn takes_all(&self) -> bool {
        self.probability >= 1.0
    }

    /// Whether anything is lost.
    pub fn takes_any(&self) -> bool {
        self.probability > 0.0
    }

    /// Whether the next packet is lost.
    pub fn takes(&mut self) -> bool {
        self.random.chance(self.probability)
    }
}

impl fmt::Debug for Eavesdropper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Eavesdropper")
    }
}

impl<U, D> Passage<U, D> {
    /// A passage with this latency each way.
    pub fn new(latency: Duration, delivery: Delivery) -> Self {
        Self { latency, delivery, next: Instant::ZERO, up: VecDeque::new(), down: VecDeque::new() }
    }

    /// Whether packets pass down in no time; then nothing need be pushed.
    pub fn is_instant(&self) -> bool {
        self.latency.is_zero()
    }

    /// Whether packets pass up in no time; then nothing need be pushed.
    pub fn is_instant_up(&self) -> bool {
        self.latency.is_zero() && self.delivery == Delivery::PerPpdu
    }

    /// A packet sets out for the host, now or, where it is not received whole yet, at a later `now`.
    pub fn push_up(&mut self, now: Instant, arrival: U) {
        let leaves = match self.delivery {
            Delivery::PerPpdu => now,
            // None overtakes another.
            Delivery::PerMpdu => now.max(self.up.back().map_or(now, |(at, _)| *at - self.latency)),
            Delivery::Coalesced(time) => {
                if self.next <= now {
                    self.next = now + time;
                }
                self.next
            }
        };
        self.up.push_back((leaves + self.latency, arrival));
    }

    /// The next packet that reaches the host by `now`.
    pub fn pop_up(&mut self, now: Instant) -> Option<U> {
        pop_due(&mut self.up, now)
    }

    /// When the next packet reaches the host.
    pub fn up_timeout(&self) -> Option<Instant> {
        self.up.front().map(|(at, _)| *at)
    }

    /// What is on its way to the host.
    pub fn arrivals(&self) -> impl Iterator<Item = &U> + '_ {
        self.up.iter().map(|(_, arrival)| arrival)
    }

    /// A packet leaves the host.
    pub fn push_down(&mut self, now: Instant, outgoing: D) {
        self.down.push_back((now + self.latency, outgoing));
    }

    /// The next packet that has left the host by `now`.
    pub fn pop_down(&mut self, now: Instant) -> Option<D> {
        pop_due(&mut self.down, now)
    }

    /// What is on its way from the host.
    pub fn departures(&self) -> impl ExactSizeIterator<Item = &D> + '_ {
        self.down.iter().map(|(_, outgoing)| outgoing)
    }

    /// When the next packet has left the host.
    pub fn down_timeout(&self) -> Option<Instant> {
        self.down.front().map(|(at, _)| *at)
    }
}

fn pop_due<T>(queue: &mut VecDeque<(Instant, T)>, now: Instant) -> Option<T> {
    let due = queue.front().is_some_and(|(at, _)| *at <= now);
    due.then(|| queue.pop_front()).flatten().map(|(_, item)| item)
}

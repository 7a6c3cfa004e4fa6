//! The way between a node's MAC and its host: a fixed latency each way, first in, first out, and what is lost on it.

use std::collections::VecDeque;
use std::fmt;

use ackless_dot11::frame::NodeId;
use ackless_dot11::station::{Route, Upward};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant, Packet, PacketId};

use crate::config::Probability;

/// Both ways of one node.
#[derive(Debug)]
pub struct Passage {
    latency: Duration,
    from_mac: VecDeque<(Instant, Upward)>,
    to_mac: VecDeque<(Instant, (PacketId, Route, u32))>,
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

impl Passage {
    /// A passage with this latency each way.
    pub fn new(latency: Duration) -> Self {
        Self { latency, from_mac: VecDeque::new(), to_mac: VecDeque::new() }
    }

    /// Whether packets pass in no time; then nothing need be pushed.
    pub fn is_instant(&self) -> bool {
        self.latency.is_zero()
    }

    /// A packet leaves the MAC.
    pub fn push_from_mac(&mut self, now: Instant, arrival: Upward) {
        self.from_mac.push_back((now + self.latency, arrival));
    }

    /// The next packet that reaches the host by `now`.
    pub fn pop_from_mac(&mut self, now: Instant) -> Option<Upward> {
        pop_due(&mut self.from_mac, now)
    }

    /// When the next packet reaches the host.
    pub fn from_mac_timeout(&self) -> Option<Instant> {
        self.from_mac.front().map(|(at, _)| *at)
    }

    /// The packets on their way to the host.
    pub fn arrivals(&self) -> impl Iterator<Item = PacketId> + '_ {
        self.from_mac.iter().map(|(_, arrival)| arrival.packet)
    }

    /// A packet of a flow leaves the host for the MAC's queue.
    pub fn push_to_mac(&mut self, now: Instant, packet: PacketId, route: Route, flow: u32) {
        self.to_mac.push_back((now + self.latency, (packet, route, flow)));
    }

    /// The next packet that reaches the MAC by `now`.
    pub fn pop_to_mac(&mut self, now: Instant) -> Option<(PacketId, Route, u32)> {
        pop_due(&mut self.to_mac, now)
    }

    /// How many packets are on their way to the MAC.
    pub fn to_mac_len(&self) -> usize {
        self.to_mac.len()
    }

    /// When the next packet reaches the MAC.
    pub fn to_mac_timeout(&self) -> Option<Instant> {
        self.to_mac.front().map(|(at, _)| *at)
    }
}

fn pop_due<T>(queue: &mut VecDeque<(Instant, T)>, now: Instant) -> Option<T> {
    let due = queue.front().is_some_and(|(at, _)| *at <= now);
    due.then(|| queue.pop_front()).flatten().map(|(_, item)| item)
}

//! What each station remembers of TACK on the way to each host that it calls.

use std::collections::BTreeMap;

use ackless_tcp::tack::Memory;
use ackless_wire::Instant;

use super::{Flow, Place};

/// The destinations of all stations.
#[derive(Debug)]
pub(super) struct Destinations {
    /// That of each flow.
    of_flow: Vec<usize>,
    known: Vec<Destination>,
}

/// A host that a station calls.
#[derive(Debug, Default)]
struct Destination {
    memory: Memory,
    /// The flows to it.
    flows: Vec<usize>,
}

impl Destinations {
    /// Those of these flows. Nothing is known of any.
    pub(super) fn of(flows: &[Flow]) -> Self {
        let mut places = BTreeMap::new();
        let mut destinations = Self { of_flow: Vec::new(), known: Vec::new() };
        for (number, flow) in flows.iter().enumerate() {
            let node = |place| match place {
                Place::Server => None,
                Place::Station(node) => Some(node),
            };
            let [peer, station] = [0, 1].map(|end| node(flow.ends[end].place));
            let destination = *places.entry((station, peer)).or_insert(destinations.known.len());
            if destination == destinations.known.len() {
                destinations.known.push(Destination::default());
            }
            destinations.known[destination].flows.push(number);
            destinations.of_flow.push(destination);
        }
        destinations
    }

    /// Whether a connection of this flow that begins now should offer TACK, after what came of those to the same host.
    pub(super) fn offers(&mut self, flows: &[Flow], flow: usize, now: Instant) -> bool {
        let Destination { memory, flows: others } = &mut self.known[self.of_flow[flow]];
        for other in others.iter().map(|&other| &flows[other]) {
            if let Some(tcp) = &other.ends[1].tcp {
                memory.learn(other.connected, now, tcp.tack_verdict());
            }
        }
        memory.offers(now)
    }
}

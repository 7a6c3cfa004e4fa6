//! What a TCP has in the queues below it, for TCP Small Queues.

use ackless_wire::{Bytes, Duration};

use crate::config::{FlowConfig, TransportConfig};

/// The count of one end of a flow. What one connection leaves there counts for the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallQueue {
    /// How much time's worth may lie there.
    pub(crate) time: Duration,
    /// The length of a full packet.
    pub(crate) packet: Bytes,
    /// What lies there: packets with data, at full length.
    pub(crate) below: Bytes,
    /// Something has been let go in this instant, and the TCP has not been asked yet.
    pub(crate) freed: bool,
}

impl SmallQueue {
    /// That of an end with these small queues, if it has a TCP and they are bounded.
    pub(crate) fn new(tsq: Option<Duration>, flow: &FlowConfig) -> Option<Self> {
        let TransportConfig::Tcp(tcp) = flow.transport else { return None };
        tsq.map(|time| Self { time, packet: tcp.packet, below: Bytes::ZERO, freed: false })
    }
}

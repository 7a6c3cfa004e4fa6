//! A witness of what becomes of TCP ACKs, TACKs and IACKs on the Wi-Fi hop: each that reaches a host is one that the sender's host made, whole, and they come
//! in the order in which it made them.
//!
//! It compares packets by value, with nothing that a scheme computed, and panics on a difference: a scheme that sends a wrong ACK is a bug.
//! Lost ACKs, and the same ACK twice in a row, are allowed.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use ackless_dot11::frame::NodeId;
use ackless_wire::Packet;

/// The ACKs under way on each hop.
#[derive(Debug, Default)]
pub(super) struct Witness {
    /// What has arrived last, and what was sent after it.
    flows: BTreeMap<Flow, VecDeque<Packet>>,
}

/// From which node to which, and the connection.
type Flow = (NodeId, NodeId, IpAddr, IpAddr, (u16, u16));

impl Witness {
    /// A host hands `packet` to its MAC.
    pub(super) fn sent(&mut self, from: NodeId, to: NodeId, packet: &Packet) {
        if packet.is_acknowledgement() {
            self.flows.entry(flow(from, to, packet)).or_default().push_back(packet.clone());
        }
    }

    /// `packet` reaches the host at the other end of the hop.
    pub(super) fn arrived(&mut self, from: NodeId, to: NodeId, packet: &Packet) {
        if !packet.is_acknowledgement() {
            return;
        }
        let sent = self.flows.entry(flow(from, to, packet)).or_default();
        let place = sent.iter().position(|ack| ack == packet);
        let place = place.unwrap_or_else(|| {
            panic!("{from:?} made no such ACK, or one after it has arrived at {to:?} before: {packet:?}\nthese may come: {:?}", sent)
        });
        sent.drain(..place);
    }
}

fn flow(from: NodeId, to: NodeId, packet: &Packet) -> Flow {
    (from, to, packet.ip.src(), packet.ip.dst(), packet.ports())
}

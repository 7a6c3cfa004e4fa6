//! What a host handed to its MAC and got from it, and at the AP what passed the wire.

use ackless_dot11::hooks::Passage;
use ackless_wire::{Instant, Packet};

use crate::testing::tap::Listener;

/// Packets in the order in which they passed, each with the time.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// From the wire to the AP.
    pub from_wire: Vec<(Instant, Packet)>,
    /// From the AP to the wire.
    pub to_wire: Vec<(Instant, Packet)>,
    /// From a node's host to its MAC.
    pub handed_down: Vec<(Instant, Packet)>,
    /// Given their sequence number.
    pub numbered: Vec<(Instant, Packet)>,
    /// Up from a node's reorder buffer.
    pub risen: Vec<(Instant, Packet)>,
}

impl Listener for Log {
    fn comes(&mut self, now: Instant, passage: Passage, packet: &Packet) {
        match passage {
            Passage::FromWire(_) => self.from_wire.push((now, packet.clone())),
            Passage::ToWire(_) => self.to_wire.push((now, packet.clone())),
            Passage::OverAir { .. } => panic!("no flow of these tests goes from station to station"),
        }
    }

    fn handed_down(&mut self, now: Instant, packet: &Packet) {
        self.handed_down.push((now, packet.clone()));
    }

    fn numbered(&mut self, now: Instant, packet: &Packet) {
        self.numbered.push((now, packet.clone()));
    }

    fn risen(&mut self, now: Instant, packet: &Packet) {
        self.risen.push((now, packet.clone()));
    }
}

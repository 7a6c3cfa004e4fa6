//! Which slot of the agenda is whose: class by class, and within a class node by node.
//!
//! The order of the classes decides what happens first at equal times: frames end before machines wake, machines before packets move on,
//! and all of that before anybody begins to send, so that a packet that is queued in an instant still takes part in the contention of that
//! instant.

use crate::agenda::{BUSY, Slot};

/// The slots of one cell.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    nodes: u32,
    flows: u32,
    pings: u32,
}

/// Who is to be woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakeup {
    /// A PPDU ends.
    Medium,
    /// A station's MAC or scheme.
    Station(usize),
    /// A packet has passed from a node's MAC to its host.
    FromMac(usize),
    /// A packet has passed from a node's host to its MAC.
    ToMac(usize),
    /// A packet has passed from the wire to the server's host.
    FromWire,
    /// A packet has passed from the server's host to the wire.
    ToWire,
    /// The wire has sent a packet of the server's.
    WireSent,
    /// The first MPDU of an A-MPDU has been received, where MPDUs are handed up one by one.
    Ahead,
    /// A packet arrives over the wire at the AP.
    WireDown,
    /// A packet arrives over the wire at the server.
    WireUp,
    /// One of the two transport ends of a flow: see [`crate::flows`].
    End(usize),
    /// The application of a flow.
    Application(usize),
    /// A ping.
    Ping(usize),
    /// The AP's next beacon.
    Beacon,
    /// A station's counter has run out.
    Contention,
}

impl Slots {
    /// The slots of a cell with so many nodes (the AP included), flows and pings.
    pub fn new(nodes: usize, flows: usize, pings: usize) -> Self {
        Self { nodes: nodes as u32, flows: flows as u32, pings: pings as u32 }
    }

    /// How many slots there are.
    pub fn count(&self) -> usize {
        self.slot(Wakeup::Contention).0 as usize + 1
    }

    /// Those that are set at nearly every event: one for each packet on the wire or PPDU on the air.
    pub fn busy(&self) -> [Slot; BUSY] {
        [Wakeup::Medium, Wakeup::WireDown, Wakeup::WireUp, Wakeup::Contention].map(|wakeup| self.slot(wakeup))
    }

    /// The slot of a wakeup.
    pub fn slot(&self, wakeup: Wakeup) -> Slot {
        let [medium, station, from_mac, to_mac, wire, end, application, ping, beacon] = self.bases();
        Slot(match wakeup {
            Wakeup::Medium => medium,
            Wakeup::Station(node) => station + node as u32,
            Wakeup::FromMac(node) => from_mac + node as u32,
            Wakeup::ToMac(node) => to_mac + node as u32,
            Wakeup::FromWire => wire,
            Wakeup::ToWire => wire + 1,
            Wakeup::WireSent => wire + 2,
            Wakeup::WireDown => wire + 3,
            Wakeup::WireUp => wire + 4,
            Wakeup::Ahead => wire + 5,
            Wakeup::End(end_index) => end + end_index as u32,
            Wakeup::Application(flow) => application + flow as u32,
            Wakeup::Ping(n) => ping + n as u32,
            Wakeup::Beacon => beacon,
            Wakeup::Contention => beacon + 1,
        })
    }

    /// The wakeup of a slot.
    pub fn wakeup(&self, Slot(slot): Slot) -> Wakeup {
        let [_, station, from_mac, to_mac, wire, end, application, ping, beacon] = self.bases();
        let within = |base: u32| (slot - base) as usize;
        match slot {
            0 => Wakeup::Medium,
            _ if slot < from_mac => Wakeup::Station(within(station)),
            _ if slot < to_mac => Wakeup::FromMac(within(from_mac)),
            _ if slot < wire => Wakeup::ToMac(within(to_mac)),
            _ if slot == wire => Wakeup::FromWire,
            _ if slot == wire + 1 => Wakeup::ToWire,
            _ if slot == wire + 2 => Wakeup::WireSent,
            _ if slot == wire + 3 => Wakeup::WireDown,
            _ if slot == wire + 4 => Wakeup::WireUp,
            _ if slot < end => Wakeup::Ahead,
            _ if slot < application => Wakeup::End(within(end)),
            _ if slot < ping => Wakeup::Application(within(application)),
            _ if slot < beacon => Wakeup::Ping(within(ping)),
            _ if slot == beacon => Wakeup::Beacon,
            _ => Wakeup::Contention,
        }
    }

    /// The first slot of each class, in the order of the classes.
    fn bases(&self) -> [u32; 9] {
        let station = 1;
        let from_mac = station + self.nodes;
        let to_mac = from_mac + self.nodes;
        let wire = to_mac + self.nodes;
        let end = wire + 6;
        let application = end + 2 * self.flows;
        let ping = application + self.flows;
        let beacon = ping + self.pings;
        [0, station, from_mac, to_mac, wire, end, application, ping, beacon]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_one_wakeup_and_back() {
        for (nodes, flows, pings) in [(1, 0, 0), (2, 1, 0), (4, 5, 2)] {
            let slots = Slots::new(nodes, flows, pings);
            for slot in (0..slots.count() as u32).map(Slot) {
                assert_eq!(slots.slot(slots.wakeup(slot)), slot, "{nodes} nodes, {flows} flows, {pings} pings");
            }
        }
    }
}

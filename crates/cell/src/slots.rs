//! Which slot of the agenda is whose: class by class, and within a class node by node.
//!
//! The order of the classes decides what happens first at equal times: frames end before machines wake, machines before packets move on,
//! and all of that before anybody begins to send, so that a packet that is queued in an instant still takes part in the contention of that
//! instant.

use crate::agenda::{BUSY, Slot};

/// The slots of one cell.
#[derive(Clone, Debug)]
pub struct Slots {
    /// Whose each slot is.
    wakeups: Vec<Wakeup>,
    /// The first slot of each class that has more than one.
    station: u32,
    from_mac: u32,
    to_mac: u32,
    wire: u32,
    end: u32,
    application: u32,
    ping: u32,
    /// The last two.
    beacon: u32,
}

/// Those that are set at nearly every event, one for each packet on the wire or PPDU on the air: each by its number in [`Slots::busy`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Busy {
    /// [`Wakeup::Medium`].
    Medium,
    /// [`Wakeup::WireDown`].
    WireDown,
    /// [`Wakeup::WireUp`].
    WireUp,
    /// [`Wakeup::Contention`].
    Contention,
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
        let mut wakeups = vec![Wakeup::Medium];
        let mut class = |wakeups_of_class: &mut dyn Iterator<Item = Wakeup>| {
            let first = wakeups.len() as u32;
            wakeups.extend(wakeups_of_class);
            first
        };
        let station = class(&mut (0..nodes).map(Wakeup::Station));
        let from_mac = class(&mut (0..nodes).map(Wakeup::FromMac));
        let to_mac = class(&mut (0..nodes).map(Wakeup::ToMac));
        let wire = class(&mut WIRE.into_iter());
        let end = class(&mut (0..2 * flows).map(Wakeup::End));
        let application = class(&mut (0..flows).map(Wakeup::Application));
        let ping = class(&mut (0..pings).map(Wakeup::Ping));
        let beacon = class(&mut [Wakeup::Beacon, Wakeup::Contention].into_iter());
        Self { wakeups, station, from_mac, to_mac, wire, end, application, ping, beacon }
    }

    /// How many slots there are.
    pub fn count(&self) -> usize {
        self.wakeups.len()
    }

    /// The slots of the busy ones.
    pub fn busy(&self) -> [Slot; BUSY] {
        [Wakeup::Medium, Wakeup::WireDown, Wakeup::WireUp, Wakeup::Contention].map(|wakeup| self.slot(wakeup))
    }

    /// The slot of a wakeup.
    pub fn slot(&self, wakeup: Wakeup) -> Slot {
        let Self { station, from_mac, to_mac, wire, end, application, ping, beacon, .. } = *self;
        Slot(match wakeup {
            Wakeup::Medium => 0,
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
    #[inline(always)]
    pub fn wakeup(&self, Slot(slot): Slot) -> Wakeup {
        self.wakeups[slot as usize]
    }
}

/// The class of the wire and what goes with it, in its order.
const WIRE: [Wakeup; 6] =
    [Wakeup::FromWire, Wakeup::ToWire, Wakeup::WireSent, Wakeup::WireDown, Wakeup::WireUp, Wakeup::Ahead];

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
            for (busy, wakeup) in [
                (Busy::Medium, Wakeup::Medium),
                (Busy::WireDown, Wakeup::WireDown),
                (Busy::WireUp, Wakeup::WireUp),
                (Busy::Contention, Wakeup::Contention),
            ] {
                assert_eq!(slots.busy()[busy as usize], slots.slot(wakeup));
            }
        }
    }
}

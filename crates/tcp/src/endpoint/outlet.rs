//! Where a segment goes that was made: so that it is written once, into the place where it stays.

use ackless_wire::{Bytes, Packet, PacketId, PacketPool};

pub(super) trait Outlet {
    /// What is left of the packet for who asked for it.
    type Placed;

    /// Puts a packet there that is so long.
    fn put(self, packet: Packet, len: Bytes) -> Self::Placed;
}

impl Outlet for &mut PacketPool {
    type Placed = PacketId;

    #[inline(always)]
    fn put(self, packet: Packet, len: Bytes) -> PacketId {
        self.insert_of(packet, len)
    }
}

/// Hands the packet itself over.
pub(super) struct ByValue;

impl Outlet for ByValue {
    type Placed = Packet;

    #[inline(always)]
    fn put(self, packet: Packet, _len: Bytes) -> Packet {
        packet
    }
}

/// The same for packets that are few: away from where the many are made.
#[inline(never)]
pub(super) fn put_aside<O: Outlet>(outlet: O, packet: Packet) -> O::Placed {
    let len = packet.len();
    outlet.put(packet, len)
}

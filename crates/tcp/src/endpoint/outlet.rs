//! Where a segment goes that was made: so that it is written once, into the place where it stays.

use ackless_wire::{Bytes, Packet, PacketId, PacketPool};

pub(super) trait Outlet {
    /// What is left of the packet for who asked for it.
    type Placed;

    /// Puts a packet there that is so long, and is made where it will stand.
    fn put(self, len: Bytes, make: impl FnOnce() -> Packet) -> Self::Placed;
}

impl Outlet for &mut PacketPool {
    type Placed = PacketId;

    #[inline(always)]
    fn put(self, len: Bytes, make: impl FnOnce() -> Packet) -> PacketId {
        self.insert_with(len, make)
    }
}

/// Hands the packet itself over.
pub(super) struct ByValue;

impl Outlet for ByValue {
    type Placed = Packet;

    #[inline(always)]
    fn put(self, _len: Bytes, make: impl FnOnce() -> Packet) -> Packet {
        make()
    }
}

/// Puts a packet there that has been made already, as few are: away from where the many are made.
#[inline(never)]
pub(super) fn put_aside<O: Outlet>(outlet: O, packet: Packet) -> O::Placed {
    let len = packet.len();
    outlet.put(len, || packet)
}

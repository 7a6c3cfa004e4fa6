//! A slab of packets with reference counts: machines pass a [`PacketId`] on, and the packet itself stays where it is.

use std::mem::ManuallyDrop;
use std::net::Ipv4Addr;

use crate::ip::{Ecn, IpHeader, Ipv4Header};
use crate::packet::{Packet, Payload, Transport};
use crate::udp::UdpHeader;
use crate::units::Bytes;

/// Names a packet in a [`PacketPool`]. Whoever holds one owns one reference to the packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PacketId(u32);

/// All packets that are under way in one cell.
///
/// A packet enters with one reference and leaves with its last one. Slots are reused, the most recently freed first, so
/// a busy cell touches little memory and allocates nothing once it has warmed up.
#[derive(Debug, Default)]
pub struct PacketPool {
    slots: Vec<Slot>,
    free: Vec<u32>,
    discharged: Vec<Discharge>,
}

/// The queues below a sender have let go of a packet that was charged to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Discharge {
    /// The sender, by the number that [`PacketPool::charge`] was given.
    pub sender: u32,
    /// The length of the packet.
    pub len: Bytes,
}

#[derive(Debug)]
struct Slot {
    /// None where it is free.
    references: u32,
    /// The length of the packet, which each hop asks for and none changes.
    len: u32,
    /// In whose queues it is, where somebody counts.
    charged_to: Option<u32>,
    /// Where the slot is free, one that owns nothing: what is left of the last one ([`Slot::empty`]).
    packet: ManuallyDrop<Packet>,
}

impl Slot {
    fn held(&self) -> &Packet {
        assert!(self.references > 0, "a held reference keeps its packet");
        &self.packet
    }

    /// Drops what the packet owns. Nearly all own nothing, so that nothing is to be done.
    #[inline(always)]
    fn empty(&mut self) {
        if !self.packet.is_flat() {
            self.free();
        }
    }

    #[inline(never)]
    fn free(&mut self) {
        drop(self.vacate());
    }

    /// Takes the packet out.
    fn vacate(&mut self) -> Packet {
        ManuallyDrop::into_inner(std::mem::replace(&mut self.packet, ManuallyDrop::new(Self::nothing())))
    }

    /// A packet that owns nothing.
    fn nothing() -> Packet {
        let (nobody, nothing) = (Ipv4Addr::UNSPECIFIED, UdpHeader { src_port: 0, dst_port: 0 });
        let ip = IpHeader::V4(Ipv4Header::new(nobody, nobody));
        Packet { ip, transport: Transport::Udp(nothing), payload: Payload::EMPTY }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.empty();
    }
}

impl PacketPool {
    /// Takes a packet in, with one reference.
    // A packet is moved into its place from where it was made, and not by way of an argument.
    #[inline(always)]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        let len = packet.len();
        self.insert_with(len, || packet)
    }

    /// As [`insert`](Self::insert), for who knows how long the packet is: it is made where it will stand, and `len` is its [`Packet::len`].
    #[inline(always)]
    pub fn insert_with(&mut self, len: Bytes, make: impl FnOnce() -> Packet) -> PacketId {
        let index = self.free.pop().unwrap_or_else(|| self.grow());
        // Whoever released it let go of its charge.
        let slot = &mut self.slots[index as usize];
        slot.references = 1;
        slot.len = len.get() as u32;
        slot.packet = ManuallyDrop::new(make());
        debug_assert_eq!(slot.packet.len(), len, "a packet's length follows from what it says");
        PacketId(index)
    }

    /// One slot more, which is free.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        self.slots.push(Slot { references: 0, len: 0, charged_to: None, packet: ManuallyDrop::new(Slot::nothing()) });
        self.slots.len() as u32 - 1
    }

    /// The packet.
    ///
    /// # Panics
    /// If its last reference was released.
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        self.slots[id.0 as usize].held()
    }

    /// The length of the packet: [`Packet::len`], which need not be computed again.
    ///
    /// # Panics
    /// If there never was such a packet.
    #[inline]
    pub fn len_of(&self, id: PacketId) -> Bytes {
        let slot = &self.slots[id.0 as usize];
        debug_assert!(slot.references > 0, "a held reference keeps its packet");
        Bytes(slot.len.into())
    }

    /// Marks the packet as having met congestion, if it may be marked (RFC 3168, 5). Returns whether it is.
    ///
    /// # Panics
    /// If its last reference was released.
    pub fn mark(&mut self, id: PacketId) -> bool {
        let slot = &mut self.slots[id.0 as usize];
        let capable = slot.held().ip.ecn() != Ecn::NotCapable;
        if capable {
            slot.packet.ip.set_ecn(Ecn::Experienced);
        }
        capable
    }

    /// Adds a reference.
    pub fn retain(&mut self, id: PacketId) {
        debug_assert!(self.slots[id.0 as usize].references > 0, "only a held packet can be retained");
        self.slots[id.0 as usize].references += 1;
    }

    /// Gives a reference back; the last one frees the packet.
    #[inline]
    pub fn release(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.0 as usize];
        debug_assert!(slot.references > 0, "a reference is released once");
        slot.references -= 1;
        if slot.references == 0 {
            if slot.charged_to.is_some() {
                return self.release_charged(id);
            }
            slot.empty();
            self.free.push(id.0);
        }
    }

    /// [`Self::discharge`] and [`Self::release`] at once, as of who has sent a packet and hears that it arrived.
    #[inline(always)]
    pub fn let_go(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.0 as usize];
        debug_assert!(slot.references > 0, "a reference is released once");
        if slot.charged_to.is_some() {
            return self.let_charged_go(id);
        }
        slot.references -= 1;
        if slot.references == 0 {
            self.vacated(id);
        }
    }

    #[cold]
    fn let_charged_go(&mut self, id: PacketId) {
        self.discharge(id);
        self.release(id);
    }

    /// The last reference to a packet has gone.
    #[inline(never)]
    fn vacated(&mut self, id: PacketId) {
        self.slots[id.0 as usize].empty();
        self.free.push(id.0);
    }

    /// Gives a reference back, and the packet with it: itself if the reference was the last, else a copy that shares its payload.
    ///
    /// # Panics
    /// If its last reference was released.
    pub fn take(&mut self, id: PacketId) -> Packet {
        let slot = &mut self.slots[id.0 as usize];
        let alone = slot.references == 1 && slot.charged_to.is_none();
        let packet = if alone { slot.vacate() } else { slot.held().clone() };
        self.release(id);
        packet
    }

    /// From now on the packet lies in the queues below `sender`, any number: until [`Self::discharge`], or until its last reference goes.
    pub fn charge(&mut self, id: PacketId, sender: u32) {
        self.slots[id.0 as usize].charged_to = Some(sender);
    }

    /// Whether the packet lies in the queues below a sender that counts.
    #[inline]
    pub fn is_charged(&self, id: PacketId) -> bool {
        self.slots[id.0 as usize].charged_to.is_some()
    }

    /// The packet has left the queues below its sender, if it was charged to one, whoever holds it from now on.
    #[inline]
    pub fn discharge(&mut self, id: PacketId) {
        if self.is_charged(id) {
            self.end_charge(id);
        }
    }

    fn end_charge(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.0 as usize];
        if let Some(sender) = slot.charged_to.take() {
            self.discharged.push(Discharge { sender, len: Bytes(slot.len.into()) });
        }
    }

    /// The last reference to a packet that is charged goes.
    fn release_charged(&mut self, id: PacketId) {
        self.end_charge(id);
        self.slots[id.0 as usize].empty();
        self.free.push(id.0);
    }

    /// Whether anything has been discharged that nobody has asked for.
    pub fn has_discharged(&self) -> bool {
        !self.discharged.is_empty()
    }

    /// What has been discharged, in order, in exchange for `into`, which is empty.
    pub fn take_discharged(&mut self, into: &mut Vec<Discharge>) {
        debug_assert!(into.is_empty(), "what was taken before has been used");
        std::mem::swap(into, &mut self.discharged);
    }

    /// How many packets are under way.
    pub fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TcpHeader;

    #[test]
    fn a_packet_lives_until_its_last_reference_goes() {
        let mut pool = PacketPool::default();
        let packet = Packet {
            ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into())),
            transport: Transport::Tcp(TcpHeader::new(1, 2)),
            payload: Payload::Length(1448),
        };
        let id = pool.insert(packet.clone());
        pool.retain(id);
        pool.release(id);
        assert_eq!(pool.get(id), &packet);
        pool.release(id);
        assert_eq!(pool.live(), 0);
        assert_eq!(pool.insert(packet), id, "the freed slot serves again");
    }

    #[test]
    fn a_charge_ends_once_with_the_discharge_or_with_the_packet() {
        let mut pool = PacketPool::default();
        let mut packet = |len| {
            let packet = Packet {
                ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into())),
                transport: Transport::Tcp(TcpHeader::new(1, 2)),
                payload: Payload::Length(len),
            };
            pool.insert(packet)
        };
        let (held, dropped, nobodys) = (packet(100), packet(200), packet(300));
        pool.charge(held, 7);
        pool.charge(dropped, 8);
        pool.discharge(held);
        pool.release(dropped);
        pool.release(nobodys);
        assert!(pool.has_discharged() && !pool.is_charged(held));
        pool.discharge(held);
        pool.release(held);
        let mut discharged = Vec::new();
        pool.take_discharged(&mut discharged);
        let with_headers = |payload: u64| Bytes(payload + 40);
        let expected = [(7, with_headers(100)), (8, with_headers(200))];
        assert_eq!(discharged, expected.map(|(sender, len)| Discharge { sender, len }));
        assert!(!pool.has_discharged());
    }
}

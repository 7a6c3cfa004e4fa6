//! A slab of packets with reference counts: machines pass a [`PacketId`] on, and the packet itself stays where it is.

use crate::packet::Packet;

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
}

#[derive(Debug)]
struct Slot {
    references: u32,
    packet: Option<Packet>,
}

impl PacketPool {
    /// Takes a packet in, with one reference.
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        match self.free.pop() {
            Some(index) => {
                self.slots[index as usize] = Slot { references: 1, packet: Some(packet) };
                PacketId(index)
            }
            None => {
                self.slots.push(Slot { references: 1, packet: Some(packet) });
                PacketId(self.slots.len() as u32 - 1)
            }
        }
    }

    /// The packet.
    ///
    /// # Panics
    /// If its last reference was released.
    pub fn get(&self, id: PacketId) -> &Packet {
        self.slots[id.0 as usize].packet.as_ref().expect("a held reference keeps its packet")
    }

    /// Adds a reference.
    pub fn retain(&mut self, id: PacketId) {
        debug_assert!(self.slots[id.0 as usize].packet.is_some(), "only a held packet can be retained");
        self.slots[id.0 as usize].references += 1;
    }

    /// Gives a reference back; the last one frees the packet.
    pub fn release(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.0 as usize];
        debug_assert!(slot.references > 0, "a reference is released once");
        slot.references -= 1;
        if slot.references == 0 {
            slot.packet = None;
            self.free.push(id.0);
        }
    }

    /// How many packets are under way.
    pub fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ip::{IpHeader, Ipv4Header};
    use crate::{Payload, TcpHeader, Transport};

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
}

//! What queues know of a packet.

use ackless_wire::{Bytes, Packet, PacketId, PacketPool, Transport};

/// A packet as a queue knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Content {
    /// The packet, with a reference.
    pub packet: PacketId,
    /// Its length.
    pub len: Bytes,
    /// The application bytes in it.
    pub payload_len: Bytes,
    /// Whether it is a TCP ACK and nothing else ([`ackless_wire::Packet::is_acknowledgement`]).
    pub tcp_ack: bool,
}

impl Content {
    /// What a queue needs to know of a packet.
    #[inline(always)]
    pub fn of(packet: PacketId, pool: &PacketPool) -> Self {
        let content = pool.get(packet);
        // Each question alone would ask again what the packet is.
        match &content.transport {
            Transport::Tcp(_) => Self::read(packet, content, pool.len_of(packet)),
            Transport::Udp(_) => Self::read(packet, content, pool.len_of(packet)),
            Transport::Foreign(_) => Self::of_foreign(packet, content, pool.len_of(packet)),
        }
    }

    #[inline(always)]
    fn read(packet: PacketId, content: &Packet, len: Bytes) -> Self {
        Self { packet, len, payload_len: Bytes(content.data_len().into()), tcp_ack: content.is_acknowledgement() }
    }

    #[cold]
    #[inline(never)]
    fn of_foreign(packet: PacketId, content: &Packet, len: Bytes) -> Self {
        Self::read(packet, content, len)
    }
}

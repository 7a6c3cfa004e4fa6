//! What the receiver's interface merges of what arrives at one instant, by the rules of Linux's `tcp_gro_receive` as far as they bear on one download: what follows in
//! sequence with the same options, until a push, a shorter segment or 64 kB.

use ackless_wire::tcp::TcpFlags;
use ackless_wire::{Bytes, Packet, Payload, Transport};

/// What is held of this instant.
#[derive(Default)]
pub struct Batch {
    held: Option<Merged>,
}

/// A packet, and the payload of each segment that was merged into it.
pub struct Merged {
    pub packet: Packet,
    pub segment: Bytes,
}

impl Batch {
    /// A packet has arrived. Returns what goes up before the next one comes, in order.
    pub fn take(&mut self, packet: Packet) -> [Option<Merged>; 2] {
        let len = packet.data_len();
        if let Some(held) = self.held.as_mut().filter(|held| held.is_followed_by(&packet)) {
            held.packet.payload = Payload::Length(held.packet.data_len() + len);
            let ends = is_pushed(&packet) || Bytes(len.into()) < held.segment;
            if let (Transport::Tcp(tcp), true) = (&mut held.packet.transport, ends) {
                tcp.flags |= TcpFlags::PSH;
            }
            return [if ends { self.flush() } else { None }, None];
        }
        let before = self.flush();
        let merged = Merged { segment: Bytes(len.into()), packet };
        if len == 0 || is_pushed(&merged.packet) {
            return [before, Some(merged)];
        }
        self.held = Some(merged);
        [before, None]
    }

    /// The instant is over.
    pub fn flush(&mut self) -> Option<Merged> {
        self.held.take()
    }
}

impl Merged {
    fn is_followed_by(&self, packet: &Packet) -> bool {
        let (Some(held), Some(tcp)) = (self.packet.tcp(), packet.tcp()) else { return false };
        let len = packet.data_len();
        len > 0
            && tcp.seq == held.seq + self.packet.data_len()
            && (tcp.ack, tcp.window, &tcp.options) == (held.ack, held.window, &held.options)
            && Bytes(len.into()) <= self.segment
            && self.packet.len() + Bytes(len.into()) <= Bytes(65_535)
    }
}

fn is_pushed(packet: &Packet) -> bool {
    packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::PSH))
}

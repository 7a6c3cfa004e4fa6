//! What several products have in common: which ACKs they touch, and those that they hold back.

use ackless_dot11::hooks::{Context, Emission, SendOptions};
use ackless_wire::{Instant, IpHeader, Packet, PacketId, TcpFlags, TcpHeader};

/// An ACK that is held back, with its packet's reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) packet: PacketId,
    pub(super) options: SendOptions,
    pub(super) due: Instant,
}

impl Held {
    /// It goes into the queue.
    pub(super) fn send(self, cx: &mut Context<'_>) {
        cx.emit(Emission::Queue(self.packet, self.options));
    }
}

/// The header of an ACK that the Broadcom driver touches: no payload and no flag but ACK. It does not look at options.
pub(super) fn bare_ack(packet: &Packet) -> Option<&TcpHeader> {
    packet.bare_ack().filter(|tcp| tcp.flags == TcpFlags::ACK)
}

pub(super) fn is_v4(packet: &Packet) -> bool {
    matches!(packet.ip, IpHeader::V4(_))
}

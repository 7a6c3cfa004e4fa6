//! What real stacks do to their segments.

use ackless_wire::random::Stream;
use ackless_wire::{Packet, TcpFlags, Transport};

use crate::outside::packets::{bytes, swap_layout, with_option, with_reserved_bit};
use crate::outside::world::Dress;

/// The segment as a stack of this kind writes it.
pub fn dressed(random: &mut Stream, dress: Dress, packet: &Packet) -> Vec<u8> {
    let Transport::Tcp(tcp) = &packet.transport else { unreachable!("a TCP sends TCP") };
    let room = 40 - tcp.options.len().get() as usize;
    let bare = packet.bare_ack().is_some();
    match dress {
        // MP_CAPABLE on a SYN, a DSS with a data ACK elsewhere (RFC 8684, 3.1 and 3.3).
        Dress::Mptcp if tcp.flags.contains(TcpFlags::SYN) && room >= 4 => with_option(packet, &[30, 4, 0x01, 0x01]),
        Dress::Mptcp if room >= 8 => with_option(packet, &[30, 8, 0x20, 0x01, 0, 0, 0, 9]),
        Dress::Mptcp => with_reserved_bit(packet),
        Dress::SomeAcks if bare && room >= 8 && random.chance(0.4) => {
            with_option(packet, &[30, 8, 0x20, 0x01, 0, 0, 0, 9])
        }
        Dress::Reserved if bare && random.chance(0.4) => with_reserved_bit(packet),
        Dress::OtherLayout => swap_layout(packet),
        Dress::Plain | Dress::SomeAcks | Dress::Reserved => bytes(packet),
    }
}

//! What frames and packets are to the agent: whether they are data that it may speak for, and which way they go.

use ackless_dot11::frame::{Ds, Mpdu, NodeId};
use ackless_dot11::hooks::SendOptions;
use ackless_wire::tcp::Checksum;
use ackless_wire::{Packet, SeqNumber, TcpFlags, TcpHeader};

/// The TCP header of a data segment that the agent may speak for, and the sequence number after it: with payload and a right checksum, without SYN, FIN, RST or URG,
/// and saying no more than plain TCP does.
pub(super) fn data_of(packet: &Packet) -> Option<(&TcpHeader, SeqNumber)> {
    let tcp = packet
        .tcp()
        .filter(|tcp| tcp.checksum == Checksum::Correct && !tcp.flags.intersects(NOT_DATA) && !tcp.is_opaque())?;
    (!packet.payload.is_empty()).then(|| (tcp, tcp.seq + packet.payload.len()))
}

/// Whether an AP or a relay sends a frame with these direction bits to the station that it is for. Four addresses do not tell up from down: only the AP's count.
pub(super) fn is_last_hop(ds: Ds, transmitter: NodeId, for_receiver: bool) -> bool {
    match ds {
        Ds::FromAp => for_receiver,
        Ds::FourAddress => for_receiver && transmitter == AP,
        Ds::ToAp | Ds::Direct => false,
    }
}

/// Whether a frame has come from an AP or a relay to the station that it is for.
pub(super) fn ends_here(mpdu: &Mpdu) -> bool {
    is_last_hop(mpdu.ds, mpdu.transmitter, mpdu.destination == mpdu.receiver)
}

/// Whether a station sends this so to its AP or relay.
pub(super) fn goes_up(options: &SendOptions) -> bool {
    match options.ds {
        Ds::ToAp => true,
        Ds::FourAddress => options.receiver == AP,
        Ds::FromAp | Ds::Direct => false,
    }
}

/// The AP's number in each cell, as the BSSID of its frames.
const AP: NodeId = NodeId(0);
const NOT_DATA: TcpFlags = TcpFlags::SYN.union(TcpFlags::FIN).union(TcpFlags::RST).union(TcpFlags::URG);

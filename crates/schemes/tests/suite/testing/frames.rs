//! Frames between an AP, which is node 0, and its one station, as a MAC without a channel makes them.

use ackless_dot11::frame::{AckPolicy, Ds, FrameHandle, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid};
use ackless_dot11::hooks::{Content, SendOptions};
use ackless_wire::{PacketId, PacketPool};

/// How one of the two sends to the other where nobody has asked for anything else.
pub fn sent_by(node: usize) -> SendOptions {
    let (from, to) = (NodeId(node as u16), NodeId(1 - node as u16));
    SendOptions {
        receiver: to,
        destination: to,
        source: from,
        ds: if node == 0 { Ds::FromAp } else { Ds::ToAp },
        kind: MpduKind::QosData(Tid(0)),
        ack_policy: AckPolicy::Normal,
        rate: None,
    }
}

/// A queued frame as an MPDU with this sequence number, for the first time.
pub fn mpdu(
    pool: &PacketPool,
    transmitter: NodeId,
    (handle, packet, options): (FrameHandle, PacketId, SendOptions),
    seq: MacSeq,
) -> Mpdu {
    let Content { packet, len, payload_len, tcp_ack } = Content::of(packet, pool);
    Mpdu {
        packet,
        packet_len: len,
        payload_len,
        tcp_ack,
        handle,
        kind: options.kind,
        ds: options.ds,
        receiver: options.receiver,
        transmitter,
        destination: options.destination,
        source: options.source,
        seq,
        retry: false,
        ack_policy: options.ack_policy,
        part: Part::Alone,
    }
}

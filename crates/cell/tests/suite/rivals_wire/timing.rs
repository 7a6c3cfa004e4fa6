//! When each transmission of a capture ended, as the standard's arithmetic says from the cell's rates and the frames' lengths.

use ackless_cell::config::CellConfig;
use ackless_dot11::codec::{Frame, FrameKind};
use ackless_dot11::frame::{ACK_LEN, BLOCK_ACK_LEN, BLOCK_ACK_REQ_LEN, CTS_LEN, FCS_LEN, NodeId, RTS_LEN};
use ackless_phy::{AmpduLength, MpduSpacing, Timing, TxVector};
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::capture::Transmission;

/// The end of a transmission in such a cell.
pub fn end(config: &CellConfig, transmission: &Transmission<'_>) -> Instant {
    let frame = &transmission.frames[0];
    let rate = rate(config, transmission.from, frame);
    let alone = transmission.frames.len() == 1;
    let psdu = if is_data(frame) && (!alone || rate.must_aggregate()) {
        let empty = AmpduLength::new(rate, MpduSpacing::None);
        transmission.frames.iter().fold(empty, |length, frame| length.with(len(frame))).len()
    } else {
        len(frame)
    };
    transmission.at + rate.duration(psdu)
}

/// What an answer to a station's frame waits for.
pub fn sifs(config: &CellConfig) -> Duration {
    Timing::of(config.standard, config.band).sifs
}

/// How long after a transmission of the access point its answer is missing.
pub fn timeout(config: &CellConfig, transmission: &Transmission<'_>) -> Duration {
    let rate = rate(config, transmission.from, &transmission.frames[0]).answer(&config.basic_rates);
    Timing::of(config.standard, config.band).answer_timeout(rate)
}

/// The node that a frame is for, alone or as the only one of a group; nothing for a broadcast.
pub fn receiver(frame: &Frame<'_>) -> Option<NodeId> {
    let [first, .., high, low] = frame.receiver.0;
    let node = NodeId(u16::from_be_bytes([high, low]));
    (first != 0xff).then(|| node.station())
}

/// Whether the frame has a packet in it.
pub const fn is_data(frame: &Frame<'_>) -> bool {
    matches!(frame.kind, FrameKind::Data | FrameKind::QosData { .. } | FrameKind::Action | FrameKind::ActionNoAck)
}

/// Whether its receiver answers a frame with a packet.
pub const fn is_answered(frame: &Frame<'_>) -> bool {
    let asks = match frame.kind {
        FrameKind::ActionNoAck => false,
        FrameKind::QosData { ack_policy, .. } => ack_policy == 0,
        _ => true,
    };
    asks && !is_group(frame)
}

const fn is_group(frame: &Frame<'_>) -> bool {
    frame.receiver.0[0] & 1 == 1
}

/// How a frame of this node is modulated.
fn rate(config: &CellConfig, from: NodeId, frame: &Frame<'_>) -> TxVector {
    let station = |node: NodeId| &config.stations[usize::from(node.0) - 1];
    let basic = &config.basic_rates;
    if is_data(frame) && is_group(frame) {
        return Timing::of(config.standard, config.band).lowest;
    }
    let to = receiver(frame).expect("only packets go to groups");
    let data = |from: NodeId, to: NodeId| if from.0 == 0 { station(to).down } else { station(from).up };
    match frame.kind {
        // To what came the other way.
        FrameKind::Ack | FrameKind::BlockAck(..) | FrameKind::Cts => data(to, from).answer(basic),
        FrameKind::BlockAckReq(..) | FrameKind::Rts => data(from, to).answer(basic),
        _ => data(from, to),
    }
}

fn len(frame: &Frame<'_>) -> Bytes {
    let body = Bytes(frame.body.len() as u64);
    match frame.kind {
        FrameKind::Ack => ACK_LEN + body,
        FrameKind::Cts => CTS_LEN,
        FrameKind::Rts => RTS_LEN,
        FrameKind::BlockAck(..) => BLOCK_ACK_LEN + body,
        FrameKind::BlockAckReq(..) => BLOCK_ACK_REQ_LEN,
        _ => {
            let qos = if matches!(frame.kind, FrameKind::QosData { .. }) { 2 } else { 0 };
            let fourth = if frame.fourth.is_some() { 6 } else { 0 };
            Bytes(24 + qos + fourth) + body + FCS_LEN
        }
    }
}

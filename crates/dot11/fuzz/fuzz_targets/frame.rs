//! Any bytes are a frame, an A-MPDU, both or neither, never a panic; and what a view shows lies within the bytes.
#![no_main]

use ackless_dot11::codec::{Frame, FrameKind, ampdu};
use ackless_wire::Packet;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut covered = 0;
    for (_, mpdu) in ampdu::subframes(bytes) {
        assert!(!mpdu.is_empty());
        covered += 4 + mpdu.len();
        read(mpdu);
    }
    assert!(covered <= bytes.len());
});

fn read(bytes: &[u8]) {
    let Ok(frame) = Frame::parse(bytes) else { return };
    // The shortest header is ten bytes, and the FCS four.
    assert!(frame.body.len() + 14 <= bytes.len());
    if let FrameKind::QosData { tid, .. } | FrameKind::BlockAck(tid, _) | FrameKind::BlockAckReq(tid, _) = frame.kind {
        assert!(tid.0 < 8);
    }
    if let Some(packet) = frame.packet() {
        assert!(packet.len() < frame.body.len());
        let _ = Packet::parse_without_payload(packet);
    }
}

//! Any bytes as an IP packet: they are read or refused, and what was read can be written and is read as the same again.

#![no_main]

use ackless_wire::Packet;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (kept, counted) = (Packet::parse(bytes), Packet::parse_without_payload(bytes));
    assert_eq!(kept.as_ref().map(Packet::len), counted.as_ref().map(Packet::len));
    let Ok(packet) = kept else { return };
    let mut written = Vec::new();
    packet.emit(&mut written);
    assert_eq!(Packet::parse(&written).as_ref(), Ok(&packet), "{written:02x?}");
    assert!(packet.pure_ack().is_none() || packet.is_acknowledgement() && packet.data_len() == 0);
});

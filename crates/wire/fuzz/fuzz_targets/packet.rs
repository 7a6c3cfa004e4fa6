//! Any bytes as an IP packet: they are read or refused, and what was read is written as bytes that are read and written as themselves.

#![no_main]

use ackless_wire::Packet;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (kept, counted) = (Packet::parse(bytes), Packet::parse_without_payload(bytes));
    assert_eq!(kept.as_ref().map(Packet::len), counted.as_ref().map(Packet::len));
    let Ok(packet) = kept else { return };
    let mut written = Vec::new();
    packet.emit(&mut written);
    // The value may differ: a wrong checksum over bits that the value does not keep can be right without them.
    assert!(Packet::is_canonical(&written), "{written:02x?}");
    if packet.tcp().is_some() {
        assert_eq!(packet.is_whole(), bytes.starts_with(&written), "{written:02x?}");
    }
    assert!(packet.pure_ack().is_none() || packet.is_acknowledgement() && packet.data_len() == 0);
});

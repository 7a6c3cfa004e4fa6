//! Any bytes as the options of a TCP header, TACK's among them in both forms: they are read or refused, and what was read can be written and is
//! read as the same again.

#![no_main]

use ackless_wire::Packet;

libfuzzer_sys::fuzz_target!(|options: &[u8]| {
    let len = options.len().min(40) / 4 * 4;
    let mut bytes = vec![0x60, 0, 0, 0, 0, 20 + len as u8, 6, 64];
    bytes.extend([0xfd; 32]);
    bytes.extend([0, 80, 0x4e, 0x20, 0, 0, 0, 1, 0, 0, 0, 2, (20 + len as u8) << 2, 0x10, 1, 0, 0, 0, 0, 0]);
    bytes.extend(&options[..len]);
    let Ok(packet) = Packet::parse(&bytes) else { return };
    let mut written = Vec::new();
    packet.emit(&mut written);
    assert_eq!(written.len() as u64, packet.len().get());
    assert_eq!(packet.is_whole(), written == bytes, "{written:02x?}");
    let again = Packet::parse(&written).expect("what was written can be read");
    assert_eq!(again.tcp().map(|tcp| tcp.options), packet.tcp().map(|tcp| tcp.options), "{written:02x?}");
    assert!(Packet::is_canonical(&written));
});

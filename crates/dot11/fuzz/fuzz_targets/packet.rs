//! Any bytes are an IP packet or an error, never a panic; a packet survives being written and read again.
#![no_main]

use ackless_wire::tcp::{Checksum, Omitted};
use ackless_wire::{Packet, Transport};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(packet) = Packet::parse(bytes) else { return };
    let mut written = Vec::new();
    packet.emit(&mut written);
    assert_eq!(written.len() as u64, packet.len().get());
    let again = Packet::parse(&written).expect("what was written can be read");
    // A checksum that was wrong only for what the values leave out is right without it.
    assert_eq!(unparsed(again), unparsed(packet.clone()));
    if Packet::is_canonical(bytes) {
        assert_eq!(written, bytes);
    }
    if packet.tcp().is_some() {
        assert_eq!(packet.is_whole(), bytes.starts_with(&written));
    }
    let headers = Packet::parse_without_payload(bytes).expect("the payload does not decide");
    assert_eq!(
        (headers.ip, headers.transport, headers.payload.len()),
        (packet.ip, packet.transport, packet.payload.len())
    );
});

fn unparsed(mut packet: Packet) -> Packet {
    if let Transport::Tcp(tcp) = &mut packet.transport {
        (tcp.checksum, tcp.omitted) = (Checksum::Correct, Omitted::empty());
    }
    packet
}

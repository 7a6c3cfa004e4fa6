//! Any bytes as an IP packet that passes through: it is refused only where it is none or cut short, and its bytes come out as they went in; where it was
//! marked on the way, with that mark and a checksum that is as right as before.

#![no_main]

use ackless_wire::bytes::ParseError;
use ackless_wire::{Ecn, IpHeader, Packet, Transport};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut packet = match Packet::from_bytes(bytes) {
        Ok(packet) => packet,
        Err(ParseError::Truncated { .. } | ParseError::Version(_) | ParseError::Ipv4Length(_)) => return,
        Err(other) => panic!("{other}"),
    };
    let mut written = Vec::new();
    packet.emit(&mut written);
    assert!(bytes.starts_with(&written), "{written:02x?}");
    assert_eq!(written.len() as u64, packet.len().get());
    assert_eq!(packet.header_len().get() + u64::from(packet.payload.len()), packet.len().get());
    let foreign = matches!(packet.transport, Transport::Foreign(_));
    assert_eq!(foreign, !Packet::is_canonical(&written));
    assert_eq!(foreign, !packet.is_whole());
    let again = Packet::from_bytes(&written).expect("what was written can be read");
    assert_eq!(again, packet);
    packet.ip.set_ecn(Ecn::Experienced);
    let mut marked = Vec::new();
    packet.emit(&mut marked);
    let again = Packet::from_bytes(&marked).expect("a marked packet is a packet");
    assert_eq!(again.ip.ecn(), Ecn::Experienced);
    let sound = |bytes: &[u8]| {
        let words = bytes[..usize::from(bytes[0] & 0xf) * 4].chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
        words.sum::<u32>() % 0xffff == 0
    };
    if matches!(packet.ip, IpHeader::V4(_)) {
        assert_eq!(sound(&marked), sound(&written));
    }
});

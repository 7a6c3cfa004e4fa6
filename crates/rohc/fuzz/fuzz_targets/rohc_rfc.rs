//! Bytes as ROHC packets, as feedback and as IP packets: never a panic, no more contexts than identifiers, and what a
//! compressor takes comes out of its packets again unless made-up feedback has misled it.
//!
//! `cargo +nightly fuzz run rohc_rfc` in `crates/rohc`. The first byte of the input says how it is used; packets follow, each
//! behind a byte with its length.

#![no_main]

use ackless_rohc::rfc::{CidSpace, Compressor, Config, Decompressor};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((how, mut rest)) = bytes.split_first() else { return };
    let (large, as_rohc, misled) = (how & 1 != 0, how & 2 != 0, how & 4 != 0);
    let space = if large { CidSpace::LARGE.up_to(20) } else { CidSpace::SMALL };
    let config = Config { window: how >> 4, ..Config::default() };
    let (mut compressor, mut far) = (Compressor::new(space, config), Decompressor::new(space));
    let mut victim = Decompressor::new(space);
    while let Some((len, behind)) = rest.split_first() {
        let (given, next) = behind.split_at(behind.len().min(usize::from(*len)));
        rest = next;
        let mut packet = Vec::new();
        if as_rohc {
            let mut rohc = given.to_vec();
            mend(&mut rohc, large);
            if let Ok(done) = victim.decompress(&rohc, &mut packet) {
                assert!(done.cid <= space.max() && packet.len() >= 40);
            }
        } else {
            packet.extend_from_slice(given);
        }
        if misled {
            // An error is as good as feedback: this is about not panicking.
            let _outcome = compressor.feedback(given);
        }
        let (mut rohc, mut back) = (Vec::new(), Vec::new());
        if compressor.compress(&packet, &mut rohc).is_ok() {
            let done = far.decompress(&rohc, &mut back);
            assert!(misled || done.is_ok() && back == packet, "{done:?}: {packet:02x?} as {rohc:02x?}");
        }
        for contexts in [victim.contexts(), far.contexts(), compressor.contexts()] {
            assert!(contexts <= usize::from(space.max()) + 1);
        }
    }
});

/// Puts the checksum of an initialisation right, or hardly any would get past it.
fn mend(packet: &mut [u8], large: bool) {
    let at = usize::from(large) + 2;
    if packet.len() > at && matches!(packet[0], 0xfd | 0xf8) && packet[usize::from(large)] & 0x80 == 0 {
        packet[at] = 0;
        packet[at] = ackless_rohc::crc::CRC8.of(packet);
    }
}

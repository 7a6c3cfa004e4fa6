//! Any bytes as the body of a TACK or IACK: they are read or refused, what was read is written as the same bytes, but for bubbles that are announced and not there, and in less room it
//! keeps to that and can still be read.

#![no_main]

use ackless_tcp::tack::{AckKind, Body};
use ackless_wire::Bytes;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, room, bytes @ ..] = input else { return };
    let Some(kind) = AckKind::of(1 + kind % 5) else { unreachable!("there are five kinds") };
    let Ok(body) = Body::decode(kind, bytes) else { return };
    let written = body.encode(Bytes(bytes.len() as u64));
    assert_eq!((&written[..2], &written[4..]), (&bytes[..2], &bytes[4..written.len()]));
    assert!(bytes.len() - written.len() < 8 && written[2..4] <= bytes[2..4]);
    let room = Bytes(room.wrapping_mul(4).into());
    let short = body.encode(room);
    assert!(short.len() as u64 <= room.get().max(Body::LEAST_ROOM.get()));
    assert!(Body::decode(kind, &short).is_ok());
});

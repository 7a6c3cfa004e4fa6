//! HACK mode: codes by hand, every ACK of random flows through random losses, bit errors, and arbitrary bytes.

mod acks;
mod arbitrary;
mod bit_errors;
mod by_hand;
mod bytes;
mod dissector;
mod losses;

use ackless_rohc::hack::Codec;

/// Every way to say an ACK.
const CODECS: [Codec; 5] = [
    Codec::Own { checksum: false, wide: false },
    Codec::Own { checksum: true, wide: false },
    Codec::Own { checksum: false, wide: true },
    Codec::Own { checksum: true, wide: true },
    Codec::Rfc6846,
];

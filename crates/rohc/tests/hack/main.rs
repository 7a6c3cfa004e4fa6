//! HACK mode: codes by hand, every ACK of random flows through random losses, bit errors, and arbitrary bytes.

mod acks;
mod arbitrary;
mod bit_errors;
mod by_hand;
mod bytes;
mod dissector;
mod losses;

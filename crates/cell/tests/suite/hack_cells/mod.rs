//! HACK in whole cells: real TCP, real channel access, losses of every kind.
//!
//! Each cell has a witness, which panics if an ACK comes out of the Wi-Fi hop that the sender's TCP did not make, or
//! out of turn.

mod cells;
mod downloads;
mod losses;

//! The TCP ACK agent against its hooks, each step worked by hand: what the AP says when, what the station keeps off the air, and what it keeps.
//!
//! The server's segments are 1,000 bytes long, so that segment `n`, counted from zero, ends at byte `1000 * (n + 1)` of the stream.

mod ack_maker;
mod anew;
mod buffer;
mod client;
mod flag;
mod forged;
mod long;
mod natives;
mod pair;
mod promise;
mod stalls;

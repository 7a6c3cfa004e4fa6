//! The 802.11 MAC as machines without I/O and without a clock.
//!
//! - [`frame`]: MPDU, A-MPDU, control frames and PPDU as values; [`codec`]: the same as bytes;
//! - [`access`]: DCF and EDCA; [`block_ack`]: both sides of an agreement; [`queue`]: what waits, and who is served next;
//! - [`rate`]: which data rate a PPDU goes at, where it is not fixed;
//! - [`station`]: all of it put together to the MAC of one station;
//! - [`hooks`]: what a scheme that sits on a station is asked, and what it may do.

pub mod access;
pub mod block_ack;
pub mod codec;
mod content;
pub mod frame;
pub mod hooks;
pub mod queue;
pub mod rate;
pub mod station;

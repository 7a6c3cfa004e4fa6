//! Closed forms: what theory says about a Wi-Fi cell, to hold a simulation against.
//!
//! - [`exchange`]: one sender that always has something to send, UDP's upper bound, part by part;
//! - [`tcp`]: a TCP download whose ACKs take turns on the same channel, without collisions;
//! - [`hack`]: the same download by TCP, TCP/HACK and UDP at every rate: section 2.1, figure 1 and tables 2 and 3 of the
//!   TCP/HACK paper, and what contention adds;
//! - [`ack_agent`], [`ack_filter`], [`arq_proxy`]: what the papers of the other link-layer schemes compute, with their own terms,
//!   and each scheme over any [`Download`];
//! - [`tack`]: how often TACK acknowledges, and what that leaves of the air;
//! - [`saturation`]: n stations that contend: Bianchi's model, and the one that accounts for the freeze of the back-off
//!   counter.
//!
//! Times are exact [`Duration`](ackless_wire::Duration)s as far as they are sums of frames and waits; probabilities are
//! `f64`, by `libm` and basic arithmetic alone, so that they are the same on every machine. Nothing here knows the
//! simulator.

pub mod ack_agent;
pub mod ack_filter;
pub mod arq_proxy;
pub mod exchange;
pub mod hack;
pub mod saturation;
pub mod tack;
pub mod tcp;

pub use exchange::{Aggregation, Exchange, Link};
pub use hack::{BatchLimit, CompressedSize, Cycle, Download};
pub use saturation::{Access, Contention, Counter, Saturation};
pub use tcp::TcpRound;

//! What is done with a TCP ACK on the Wi-Fi hop: implementations of [`ackless_dot11::hooks::Scheme`].
//!
//! - [`Stock`]: nothing; a TCP ACK is a packet as any other;
//! - [`hack`]: they go on link-layer answers;
//! - [`agent`]: the AP makes them when the MAC ACK comes;
//! - [`filter`]: they are sent as frames that nobody answers;
//! - [`arq_proxy`]: the AP makes them, and a link-layer ACK asks for them;
//! - [`thinning`], [`fast_ack`]: what ships today;
//! - [`AnyScheme`]: one of these, chosen when a cell is built;
//! - [`testing`]: small schemes that each use one hook, to prove that the hook does what it says.
//!
//! Shared: `flow_key` tells flows apart, `flow_table` keeps what is known of each, `due` their
//! deadlines, `connection` says what SYNs and segments tell of one, `frames` remembers frames by
//! name, `links` keeps what is of each peer, `guard` says how long an ACK waits for an answer,
//! `made_ack` makes an ACK in a client's place, `repairs` is what is owed for it, `contradiction`
//! tells that what was said in a client's name was wrong, `resets` ends what cannot be repaired,
//! `timestamps` says which is newer, `counters` declares what a scheme counts.
//!
//! Where nearly all packets are alike, a function answers for those alone, and one named after it with `_anyhow` is the long way, for any packet.

pub mod agent;
mod any;
pub mod arq_proxy;
mod connection;
mod contradiction;
mod counters;
mod due;
pub mod fast_ack;
pub mod filter;
mod flow_key;
mod flow_table;
mod frames;
mod guard;
pub mod hack;
mod links;
mod made_ack;
mod repairs;
mod resets;
pub mod testing;
pub mod thinning;
mod timestamps;

use ackless_dot11::hooks::Scheme;

pub use any::AnyScheme;
pub use guard::Guard;

/// The scheme of a node that has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stock;

impl Scheme for Stock {
    fn is_stock(&self) -> bool {
        true
    }
}

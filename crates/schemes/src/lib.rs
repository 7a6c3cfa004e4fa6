//! What is done with a TCP ACK on the Wi-Fi hop: implementations of [`ackless_dot11::hooks::Scheme`].
//!
//! - [`Stock`]: nothing; a TCP ACK is a packet as any other;
//! - [`hack`]: they go on link-layer answers;
//! - [`AnyScheme`]: one of these, chosen when a cell is built;
//! - [`testing`]: small schemes that each use one hook, to prove that the hook does what it says.

mod any;
pub mod hack;
pub mod testing;

use ackless_dot11::hooks::Scheme;

pub use any::AnyScheme;

/// The scheme of a node that has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stock;

impl Scheme for Stock {}

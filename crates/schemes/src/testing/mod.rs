//! Small schemes that each use one hook of [`ackless_dot11::hooks::Scheme`], to prove that the hook does what it says.
//!
//! - [`outgoing`]: what a node does with TCP ACKs that are handed to its MAC: other options, hold, swallow, replace, withdraw;
//! - [`answers`]: link-layer answers with something in them, late or refused, and the header bits of PPDUs;
//! - [`passing`]: packets on their way up or through, and what a scheme emits;
//! - [`fates`]: what becomes of each frame.
//!
//! Beside them, [`steps`] counts what a packet costs the schemes of this crate.
//!
//! None of them is of use on a network. What a scheme was told it writes into a [`Log`] that its test shares.

pub mod answers;
pub mod fates;
pub mod outgoing;
pub mod passing;
pub mod steps;

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use ackless_wire::{IpHeader, Packet};

/// What a scheme wrote down, readable while and after the scheme works.
#[derive(Debug)]
pub struct Log<T>(Rc<RefCell<Vec<T>>>);

impl<T> Log<T> {
    /// Adds an entry.
    pub fn push(&self, entry: T) {
        self.0.borrow_mut().push(entry);
    }

    /// All entries so far, in order.
    pub fn entries(&self) -> Ref<'_, [T]> {
        Ref::map(self.0.borrow(), Vec::as_slice)
    }
}

impl<T> Clone for Log<T> {
    /// The same log, not a copy of it.
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self(Rc::default())
    }
}

/// The IPv4 identification of a packet, by which a test knows it again; zero for IPv6.
pub fn identification(packet: &Packet) -> u16 {
    match packet.ip {
        IpHeader::V4(v4) => v4.id,
        IpHeader::V6(_) => 0,
    }
}

/// The same packet under another identification; an IPv6 packet as it is.
fn renamed(packet: &Packet, id: u16) -> Packet {
    let mut packet = packet.clone();
    if let IpHeader::V4(v4) = &mut packet.ip {
        v4.id = id;
    }
    packet
}

//! A middlebox on the wire behind the AP: it takes TACK's options out of what passes.

use ackless_dot11::hooks::Passage;
use ackless_wire::tcp::TackOptions;
use ackless_wire::{Packet, Transport};

use crate::testing::tap::Listener;

/// What has passed, and what is taken out of it.
#[derive(Debug)]
pub struct Middlebox {
    strips: Strips,
    passed: u64,
}

/// What is taken out: the options of all packets, from this one on, that go these ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strips {
    pub from: u64,
    pub towards_station: bool,
    pub towards_server: bool,
}

impl Strips {
    pub const NOTHING: Self = Self { from: 0, towards_station: false, towards_server: false };
}

impl Middlebox {
    pub fn new(strips: Strips) -> Self {
        Self { strips, passed: 0 }
    }
}

impl Listener for Middlebox {
    fn stands_for(&mut self, passage: Passage, packet: &Packet) -> Option<Packet> {
        self.passed += 1;
        let strips = match passage {
            Passage::FromWire(_) => self.strips.towards_station,
            Passage::ToWire(_) => self.strips.towards_server,
            Passage::OverAir { .. } => false,
        };
        if !strips || self.passed <= self.strips.from {
            return None;
        }
        let mut stripped = packet.clone();
        let Transport::Tcp(tcp) = &mut stripped.transport else { return None };
        if tcp.options.tack.is_empty() {
            return None;
        }
        tcp.options.tack = TackOptions::default();
        Some(stripped)
    }
}

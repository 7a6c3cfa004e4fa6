//! Hosts outside of the cell, whose packets pass through it: where each lives, what has come to them, and what was refused.
//!
//! A real packet is told from one of the cell's own by its addresses: the cell's own hosts are 10.0.x.y (station `256 x + y`, counted from 1) and 10.1.0.1
//! (the server). A cell that has flows or pings keeps these for itself; in one that has none they mean nothing.

use std::collections::BTreeMap;
use std::net::IpAddr;

use ackless_dot11::frame::NodeId;
use ackless_wire::{Bytes, Instant, Packet};

use crate::flows::{Flows, Place, address};

/// A packet that has come to a host outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When. What comes to one place in one instant was handed up at once: it is one batch.
    pub at: Instant,
    /// Where.
    pub place: Place,
    /// What.
    pub packet: Packet,
}

/// Why a packet does not enter the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The cell has no hosts outside.
    #[error("the cell has no hosts outside")]
    Closed,
    /// There is no such place: the AP, a station that the configuration does not have, the server of an ad hoc cell.
    #[error("the cell has no such host")]
    NoHost,
    /// It is for a group, a broadcast included, or for nobody.
    #[error("packets for groups do not pass through the cell")]
    Group,
    /// It is for an address that lives nowhere.
    #[error("no host of the cell has the address that the packet is for")]
    NoRoute,
    /// It bears an address of the cell's own.
    #[error("the packet bears an address of the cell's own hosts")]
    OwnAddress,
    /// It is longer than the MTU of the cell ([`WiredConfig::mtu`](crate::config::WiredConfig::mtu)), which is here; its sender wants to hear of that (RFC 1191,
    /// RFC 8201).
    #[error("the packet is longer than the MTU of {0}")]
    TooLong(Bytes),
}

/// Why an address cannot live there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleError {
    /// There is no such place: the AP, a station that the configuration does not have, the server of an ad hoc cell.
    #[error("the cell has no such host")]
    NoHost,
    /// It is one of the cell's own, which has traffic of its own.
    #[error("{0} is an address of the cell's own hosts, which have traffic of their own: 10.0.0.0/16 and 10.1.0.1")]
    OwnAddress(IpAddr),
    /// It names a group, or nobody.
    #[error("{0} is no address of one host")]
    Group(IpAddr),
}

/// What has passed between the cell and the hosts outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OutsideCounts {
    /// Packets that entered the cell.
    pub injected: u64,
    /// Packets that have come to a host.
    pub arrived: u64,
    /// Packets refused because they were for a group.
    pub groups: u64,
    /// Packets refused because their address lives nowhere.
    pub unroutable: u64,
    /// Packets refused for anything else.
    pub refused: u64,
}

/// The hosts outside of one cell. What is asked for each packet is marked cold: most cells are simulations and have none.
#[derive(Debug)]
pub(crate) struct Outside {
    /// Where each address lives.
    settled: BTreeMap<IpAddr, Place>,
    /// Whether the cell has traffic of its own, and so addresses.
    own: bool,
    /// The only station, which gets what is for unknown addresses.
    only: Option<NodeId>,
    pub(crate) counts: OutsideCounts,
    pub(crate) arrivals: Vec<Arrival>,
    nodes: usize,
    has_server: bool,
    mtu: Bytes,
}

impl Outside {
    pub(crate) fn new(nodes: usize, own: bool, has_server: bool, mtu: Bytes) -> Self {
        let only = (nodes == 2 && has_server).then_some(NodeId(1));
        Self {
            settled: BTreeMap::new(),
            own,
            only,
            counts: OutsideCounts::default(),
            arrivals: Vec::new(),
            nodes,
            has_server,
            mtu,
        }
    }

    pub(crate) fn settle(&mut self, address: IpAddr, place: Place) -> Result<(), SettleError> {
        if !self.is_host(place) {
            return Err(SettleError::NoHost);
        }
        if self.own && address::is_own(address) {
            return Err(SettleError::OwnAddress(address));
        }
        if is_group(address) {
            return Err(SettleError::Group(address));
        }
        self.settled.insert(address, place);
        Ok(())
    }

    pub(crate) fn unsettle(&mut self, address: IpAddr) {
        self.settled.remove(&address);
    }

    /// Whether the packet may enter at `place`.
    pub(crate) fn admit(&self, place: Place, packet: &Packet) -> Result<(), Refusal> {
        let (src, dst) = (packet.ip.src(), packet.ip.dst());
        if !self.is_host(place) {
            return Err(Refusal::NoHost);
        }
        if is_group(dst) {
            return Err(Refusal::Group);
        }
        if self.own && (address::is_own(src) || address::is_own(dst)) {
            return Err(Refusal::OwnAddress);
        }
        if packet.len() > self.mtu {
            return Err(Refusal::TooLong(self.mtu));
        }
        let routed = match (place, self.place_of(dst)) {
            // The server's own address is not behind the AP.
            (Place::Server, found) => {
                matches!(found, Some(Place::Station(_))) || found.is_none() && self.only.is_some()
            }
            (Place::Station(_), found) => matches!(found, Some(Place::Station(_))) || self.has_server,
        };
        if routed { Ok(()) } else { Err(Refusal::NoRoute) }
    }

    pub(crate) fn count(&mut self, admitted: Result<(), Refusal>) {
        let counts = &mut self.counts;
        *match admitted {
            Ok(()) => &mut counts.injected,
            Err(Refusal::Group) => &mut counts.groups,
            Err(Refusal::NoRoute) => &mut counts.unroutable,
            Err(_) => &mut counts.refused,
        } += 1;
    }

    /// Whether a packet is a real one, and none of the cell's own traffic.
    pub(crate) fn is_real(&self, packet: &Packet) -> bool {
        !self.own || !address::is_own(packet.ip.dst())
    }

    /// The node with an address; `None` for what lies behind the wire.
    #[cold]
    #[inline(never)]
    pub(crate) fn node_of(&self, address: IpAddr) -> Option<NodeId> {
        if self.own && address::is_own(address) {
            return address::node_of(address);
        }
        match self.place_of(address) {
            Some(Place::Station(node)) => Some(NodeId(node as u16)),
            Some(Place::Server) | None => None,
        }
    }

    /// The same for a packet on its way away from the wire, where no address lies behind that.
    #[cold]
    #[inline(never)]
    pub(crate) fn node_below(&self, address: IpAddr) -> Option<NodeId> {
        self.node_of(address).or(self.only)
    }

    /// A number that tells a packet's flow from others, for fair queueing: that of addresses, protocol and ports (FNV-1a, 32 bits).
    #[cold]
    #[inline(never)]
    pub(crate) fn flow_of(&self, packet: &Packet) -> u32 {
        if !self.is_real(packet) {
            return Flows::flow_of(packet);
        }
        let mut hash = FNV_OFFSET;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u32::from(byte)).wrapping_mul(FNV_PRIME);
            }
        };
        for address in [packet.ip.src(), packet.ip.dst()] {
            match address {
                IpAddr::V4(v4) => add(&v4.octets()),
                IpAddr::V6(v6) => add(&v6.octets()),
            }
        }
        let (from, to) = packet.ports();
        add(&[packet.protocol()]);
        add(&from.to_be_bytes());
        add(&to.to_be_bytes());
        hash
    }

    pub(crate) fn place_of(&self, address: IpAddr) -> Option<Place> {
        self.settled.get(&address).copied()
    }

    fn is_host(&self, place: Place) -> bool {
        match place {
            Place::Server => self.has_server,
            Place::Station(node) => (1..self.nodes).contains(&node),
        }
    }
}

/// Whether it names no single host.
fn is_group(address: IpAddr) -> bool {
    let broadcast = matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
    broadcast || address.is_multicast() || address.is_unspecified()
}

/// The parameters of FNV-1a with 32 bits (RFC 9923, 5).
const FNV_OFFSET: u32 = 0x811c_9dc5;
const FNV_PRIME: u32 = 0x0100_0193;

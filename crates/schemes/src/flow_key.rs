//! What tells TCP flows apart, in a form that compares fast, and a table ordered by it.

use std::net::{Ipv4Addr, Ipv6Addr};

use ackless_wire::{IpHeader, Packet};

/// The 5-tuple of a TCP packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FlowKey {
    /// Over IPv4, which nearly all are: so short that it is made and compared in registers.
    V4(Tuple<Ipv4Addr>),
    /// Over IPv6.
    V6(Tuple<Ipv6Addr>),
}

/// What tells the flows of one network protocol apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tuple<A> {
    /// First, because it tells most flows of one peer apart.
    ports: u32,
    src: A,
    dst: A,
}

/// Values by flow, in a sorted vector. The last one found is tried first: packets of a flow come in a row.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<V> {
    rows: Vec<(FlowKey, V)>,
    last: usize,
}

impl FlowKey {
    /// The flow of a packet in its own direction; `None` if it is not TCP.
    #[inline(always)]
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        let tcp = packet.tcp()?;
        let ports = u32::from(tcp.src_port) << 16 | u32::from(tcp.dst_port);
        Some(match &packet.ip {
            IpHeader::V4(v4) => Self::V4(Tuple { ports, src: v4.src, dst: v4.dst }),
            IpHeader::V6(v6) => Self::V6(Tuple { ports, src: v6.src, dst: v6.dst }),
        })
    }

    /// The same connection's other direction.
    #[inline(always)]
    pub(crate) const fn reversed(self) -> Self {
        match self {
            Self::V4(tuple) => Self::V4(tuple.reversed()),
            Self::V6(tuple) => Self::V6(tuple.reversed()),
        }
    }
}

impl<A: Copy> Tuple<A> {
    #[inline(always)]
    const fn reversed(self) -> Self {
        Self { ports: self.ports.rotate_left(16), src: self.dst, dst: self.src }
    }
}

impl<V> Default for FlowTable<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> FlowTable<V> {
    /// One without flows.
    pub(crate) const fn new() -> Self {
        Self { rows: Vec::new(), last: 0 }
    }

    /// How many flows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether this flow is the last one that was found or added.
    #[inline(always)]
    pub(crate) fn has_at_hand(&self, key: FlowKey) -> bool {
        self.rows.get(self.last).is_some_and(|row| row.0 == key)
    }

    /// The value of the last flow that was found or added.
    ///
    /// # Panics
    /// If flows were removed since, or none was found.
    #[inline]
    pub(crate) fn at_hand(&mut self) -> &mut V {
        &mut self.rows[self.last].1
    }

    /// The place of the last flow that was found or added; it holds until a flow is added or removed.
    #[inline]
    pub(crate) fn place_at_hand(&self) -> usize {
        self.last
    }

    /// The value at a place, which may be another flow's by now, if there still is one. It is at hand then.
    #[inline]
    pub(crate) fn at_place(&mut self, place: usize) -> Option<&mut V> {
        let (_, value) = self.rows.get_mut(place)?;
        self.last = place;
        Some(value)
    }

    /// The value of a flow.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, key: FlowKey) -> Option<&mut V> {
        if self.has_at_hand(key) || self.find(key) { Some(self.at_hand()) } else { None }
    }

    /// Looks for a flow, which is at hand then if it is there.
    #[inline(never)]
    fn find(&mut self, key: FlowKey) -> bool {
        let place = self.rows.binary_search_by(|row| row.0.cmp(&key));
        self.last = place.unwrap_or(self.last);
        place.is_ok()
    }

    /// Adds a flow that is not in the table.
    pub(crate) fn insert(&mut self, key: FlowKey, value: V) {
        if let Err(place) = self.rows.binary_search_by(|row| row.0.cmp(&key)) {
            self.rows.insert(place, (key, value));
            self.last = place;
        }
    }

    /// All values, in the order of their flows.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.rows.iter().map(|row| &row.1)
    }

    /// All values, in the order of their flows.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.rows.iter_mut().map(|row| &mut row.1)
    }

    /// All flows and their values, in the order of the flows.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (FlowKey, &mut V)> {
        self.rows.iter_mut().map(|row| (row.0, &mut row.1))
    }

    /// Keeps the flows that `keep` says yes to.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(FlowKey, &mut V) -> bool) {
        self.rows.retain_mut(|row| keep(row.0, &mut row.1));
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use ackless_wire::{Payload, TcpHeader, Transport};

    use super::*;

    fn key(src: [u8; 4], dst: [u8; 4], ports: (u16, u16)) -> FlowKey {
        let ip = IpHeader::between(IpAddr::from(src), IpAddr::from(dst)).expect("both are IPv4");
        let transport = Transport::Tcp(TcpHeader::new(ports.0, ports.1));
        FlowKey::of(&Packet { ip, transport, payload: Payload::EMPTY }).expect("TCP has a flow")
    }

    #[test]
    fn the_other_direction_of_the_other_direction_is_the_flow_itself() {
        let there = key([10, 0, 0, 1], [10, 1, 0, 1], (5000, 80));
        assert_eq!(there.reversed(), key([10, 1, 0, 1], [10, 0, 0, 1], (80, 5000)));
        assert_eq!(there.reversed().reversed(), there);
        assert_ne!(there, there.reversed());
    }

    #[test]
    fn each_flow_is_found_whatever_was_looked_up_before() {
        let keys: Vec<_> = (0..50).map(|n| key([10, 0, 0, n % 7], [10, 1, 0, 1], (n.into(), 80))).collect();
        let mut table = FlowTable::default();
        for (n, key) in keys.iter().enumerate() {
            table.insert(*key, n);
        }
        for round in 0..3 {
            for (n, key) in keys.iter().enumerate() {
                assert_eq!(table.get_mut(*key).copied(), (round == 0 || n % 2 == 0).then_some(n));
            }
            table.retain(|_, n| *n % 2 == 0);
        }
        assert_eq!(table.len(), 25);
    }
}

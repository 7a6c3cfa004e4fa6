//! What tells TCP flows apart, in a form that compares fast, and a table ordered by it.

use std::net::{Ipv4Addr, Ipv6Addr};

use ackless_wire::{IpHeader, Packet, TcpHeader};

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
        packet.tcp().map(|tcp| Self::with(packet, tcp))
    }

    /// The flow of a packet with this TCP header, in its own direction.
    #[inline(always)]
    fn with(packet: &Packet, tcp: &TcpHeader) -> Self {
        let ports = ports(tcp.src_port, tcp.dst_port);
        match &packet.ip {
            IpHeader::V4(v4) => Self::V4(Tuple { ports, src: v4.src, dst: v4.dst }),
            IpHeader::V6(v6) => Self::V6(Tuple { ports, src: v6.src, dst: v6.dst }),
        }
    }

    /// Whether a packet with this TCP header goes in this flow: as `with`, and no key is made.
    #[inline(always)]
    pub(crate) fn is_of(&self, packet: &Packet, tcp: &TcpHeader) -> bool {
        let ports = ports(tcp.src_port, tcp.dst_port);
        match (self, &packet.ip) {
            (Self::V4(tuple), IpHeader::V4(v4)) => *tuple == Tuple { ports, src: v4.src, dst: v4.dst },
            (Self::V6(tuple), IpHeader::V6(v6)) => *tuple == Tuple { ports, src: v6.src, dst: v6.dst },
            _ => false,
        }
    }

    /// Whether a packet with this TCP header goes against this flow.
    #[inline(always)]
    pub(crate) fn is_against(&self, packet: &Packet, tcp: &TcpHeader) -> bool {
        let ports = ports(tcp.dst_port, tcp.src_port);
        match (self, &packet.ip) {
            (Self::V4(tuple), IpHeader::V4(v4)) => *tuple == Tuple { ports, src: v4.dst, dst: v4.src },
            (Self::V6(tuple), IpHeader::V6(v6)) => *tuple == Tuple { ports, src: v6.dst, dst: v6.src },
            _ => false,
        }
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

/// A source and a destination port as one word.
#[inline(always)]
fn ports(src: u16, dst: u16) -> u32 {
    u32::from(src) << 16 | u32::from(dst)
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

    /// The last flow that was found or added.
    ///
    /// # Panics
    /// As [`Self::at_hand`].
    #[inline(always)]
    pub(crate) fn key_at_hand(&self) -> &FlowKey {
        &self.rows[self.last].0
    }

    /// A flow that may be the last one that was found or added, and its value; nothing where that is gone.
    #[inline]
    pub(crate) fn row_at_hand(&mut self) -> Option<(&FlowKey, &mut V)> {
        self.rows.get_mut(self.last).map(|(key, value)| (&*key, value))
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

    /// The value of the flow of a packet with this TCP header.
    #[inline(always)]
    pub(crate) fn get_of(&mut self, packet: &Packet, tcp: &TcpHeader) -> Option<&mut V> {
        let at_hand = self.rows.get(self.last).is_some_and(|row| row.0.is_of(packet, tcp));
        if at_hand || self.find_of(packet, tcp) { Some(self.at_hand()) } else { None }
    }

    /// The value of the flow that a packet with this TCP header goes against.
    #[inline(always)]
    pub(crate) fn get_against(&mut self, packet: &Packet, tcp: &TcpHeader) -> Option<&mut V> {
        let at_hand = self.rows.get(self.last).is_some_and(|row| row.0.is_against(packet, tcp));
        if at_hand || self.find_against(packet, tcp) { Some(self.at_hand()) } else { None }
    }

    #[inline(never)]
    fn find_of(&mut self, packet: &Packet, tcp: &TcpHeader) -> bool {
        self.find(FlowKey::with(packet, tcp))
    }

    #[inline(never)]
    fn find_against(&mut self, packet: &Packet, tcp: &TcpHeader) -> bool {
        self.find(FlowKey::with(packet, tcp).reversed())
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

    fn packet(src: IpAddr, dst: IpAddr, ports: (u16, u16)) -> Packet {
        let ip = IpHeader::between(src, dst).expect("both are of one version");
        Packet { ip, transport: Transport::Tcp(TcpHeader::new(ports.0, ports.1)), payload: Payload::EMPTY }
    }

    fn key(src: [u8; 4], dst: [u8; 4], ports: (u16, u16)) -> FlowKey {
        FlowKey::of(&packet(src.into(), dst.into(), ports)).expect("TCP has a flow")
    }

    #[test]
    fn the_other_direction_of_the_other_direction_is_the_flow_itself() {
        let there = key([10, 0, 0, 1], [10, 1, 0, 1], (5000, 80));
        assert_eq!(there.reversed(), key([10, 1, 0, 1], [10, 0, 0, 1], (80, 5000)));
        assert_eq!(there.reversed().reversed(), there);
        assert_ne!(there, there.reversed());
    }

    #[test]
    fn a_packet_finds_the_flow_that_its_key_finds() {
        let v4 = |n: u8| IpAddr::from([10, 0, 0, n]);
        let v6 = |n: u8| IpAddr::from([n; 16]);
        let ports = [(1, 2), (2, 1), (1, 1), (2, 3)];
        let between = |address: fn(u8) -> IpAddr| {
            ports.map(|ports| [(1, 2), (2, 1), (1, 1)].map(|(src, dst)| packet(address(src), address(dst), ports)))
        };
        let packets: Vec<_> = between(v4).into_iter().chain(between(v6)).flatten().collect();
        let mut table = FlowTable::default();
        for (n, packet) in packets.iter().enumerate().filter(|(n, _)| n % 5 != 0) {
            table.insert(FlowKey::of(packet).expect("TCP has a flow"), n);
        }
        for before in &packets {
            for packet in &packets {
                let (tcp, key) = (packet.tcp().expect("made so"), FlowKey::of(packet).expect("TCP has a flow"));
                for (key, against) in [(key, false), (key.reversed(), true)] {
                    let by_key = table.get_mut(key).copied();
                    // Whatever is at hand.
                    table.get_of(before, before.tcp().expect("made so"));
                    let found = if against { table.get_against(packet, tcp) } else { table.get_of(packet, tcp) };
                    assert_eq!(found.copied(), by_key);
                    assert!(by_key.is_none() || *table.key_at_hand() == key);
                }
            }
        }
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

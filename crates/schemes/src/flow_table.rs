//! Values by flow, whoever decides how many flows there are.
//!
//! To find, add or remove a flow costs O(log n), and to name the one that was used longest ago
//! O(1): a stranger who sends packets of ever new flows makes none dearer than that.

use std::collections::BTreeMap;

use ackless_wire::{Packet, TcpHeader};

use crate::flow_key::FlowKey;
use crate::testing::steps;

/// Values by flow, each in a place of its own, which it keeps. The last one found is tried first:
/// packets of a flow come in a row.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<V> {
    rows: Vec<Row<V>>,
    places: BTreeMap<FlowKey, u32>,
    /// Places without a flow.
    free: Vec<u32>,
    last: usize,
    /// The ends of the list of all flows by when they were [used](Self::touch) last.
    quietest: u32,
    latest: u32,
}

#[derive(Clone, Debug)]
struct Row<V> {
    flow: Option<(FlowKey, V)>,
    /// The flow that was used last before this one, and the one that was used next after it.
    before: u32,
    after: u32,
}

impl<V> Default for FlowTable<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> FlowTable<V> {
    /// One without flows.
    pub(crate) const fn new() -> Self {
        Self { rows: Vec::new(), places: BTreeMap::new(), free: Vec::new(), last: 0, quietest: NONE, latest: NONE }
    }

    /// How many flows there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether this flow is the last one that was found or added.
    #[inline(always)]
    pub(crate) fn has_at_hand(&self, key: FlowKey) -> bool {
        self.is_at_hand(|at_hand| *at_hand == key)
    }

    #[inline(always)]
    fn is_at_hand(&self, is: impl FnOnce(&FlowKey) -> bool) -> bool {
        self.rows.get(self.last).and_then(|row| row.flow.as_ref()).is_some_and(|(key, _)| is(key))
    }

    /// The value of the last flow that was found or added.
    ///
    /// # Panics
    /// If that flow was removed since, or none was found.
    #[inline]
    pub(crate) fn at_hand(&mut self) -> &mut V {
        self.rows[self.last].flow.as_mut().map(|(_, value)| value).expect(AT_HAND)
    }

    /// The value of the last flow that was found or added; nothing if it was removed since.
    #[inline(always)]
    pub(crate) fn value_at_hand(&mut self) -> Option<&mut V> {
        self.rows.get_mut(self.last)?.flow.as_mut().map(|(_, value)| value)
    }

    /// [`Self::get_mut`] of a flow that is used now.
    #[inline(always)]
    pub(crate) fn get_used(&mut self, key: FlowKey) -> Option<&mut V> {
        if !self.has_at_hand(key) && !self.find(key) {
            return None;
        }
        self.touch();
        self.value_at_hand()
    }

    /// The last flow that was found or added.
    ///
    /// # Panics
    /// As [`Self::at_hand`].
    #[inline(always)]
    pub(crate) fn key_at_hand(&self) -> &FlowKey {
        self.rows[self.last].flow.as_ref().map(|(key, _)| key).expect(AT_HAND)
    }

    /// The last flow that was found or added, and its value; nothing if it was removed since.
    #[inline]
    pub(crate) fn row_at_hand(&mut self) -> Option<(&FlowKey, &mut V)> {
        self.rows.get_mut(self.last)?.flow.as_mut().map(|(key, value)| (&*key, value))
    }

    /// The place of the last flow that was found or added; it holds until that flow is removed.
    #[inline]
    pub(crate) const fn place_at_hand(&self) -> usize {
        self.last
    }

    /// The flow at a place and its value, if there is one. It may be another flow than before.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> Option<&(FlowKey, V)> {
        self.rows.get(place)?.flow.as_ref()
    }

    /// The value at a place, as [`Self::at`]. It is at hand then.
    #[inline]
    pub(crate) fn at_place(&mut self, place: usize) -> Option<&mut V> {
        let (_, value) = self.rows.get_mut(place)?.flow.as_mut()?;
        self.last = place;
        Some(value)
    }

    /// The value of a flow. It is at hand then.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, key: FlowKey) -> Option<&mut V> {
        if self.has_at_hand(key) || self.find(key) { self.value_at_hand() } else { None }
    }

    /// The value of the flow of a packet with this TCP header.
    #[inline(always)]
    pub(crate) fn get_of(&mut self, packet: &Packet, tcp: &TcpHeader) -> Option<&mut V> {
        let at_hand = self.is_at_hand(|key| key.is_of(packet, tcp));
        if at_hand || self.find_of(packet, tcp) { self.value_at_hand() } else { None }
    }

    /// The value of the flow that a packet with this TCP header goes against.
    #[inline(always)]
    pub(crate) fn get_against(&mut self, packet: &Packet, tcp: &TcpHeader) -> Option<&mut V> {
        let at_hand = self.is_at_hand(|key| key.is_against(packet, tcp));
        if at_hand || self.find_against(packet, tcp) { self.value_at_hand() } else { None }
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
        let place = self.places.get(&key);
        self.last = place.map_or(self.last, |&place| place as usize);
        place.is_some()
    }

    /// Adds a flow that is not in the table. It is at hand then, and was used last.
    pub(crate) fn insert(&mut self, key: FlowKey, value: V) {
        let place = self.free.pop().unwrap_or(self.rows.len() as u32);
        debug_assert!(!self.places.contains_key(&key), "a new flow is added");
        self.places.insert(key, place);
        let row = Row { flow: Some((key, value)), before: NONE, after: NONE };
        match self.rows.get_mut(place as usize) {
            Some(free) => *free = row,
            None => self.rows.push(row),
        }
        self.append(place);
        self.last = place as usize;
    }

    /// Removes a flow.
    pub(crate) fn remove(&mut self, key: FlowKey) -> Option<V> {
        let place = self.places.remove(&key)?;
        self.detach(place);
        self.free.push(place);
        self.rows[place as usize].flow.take().map(|(_, value)| value)
    }

    /// The flow at hand is used.
    #[inline(always)]
    pub(crate) fn touch(&mut self) {
        if self.latest as usize != self.last {
            self.make_latest(self.last as u32);
        }
    }

    /// The flow that was used longest ago, and its value. It is at hand then.
    pub(crate) fn quietest(&mut self) -> Option<(FlowKey, &mut V)> {
        steps::count(1);
        let (key, value) = self.rows.get_mut(self.quietest as usize)?.flow.as_mut()?;
        self.last = self.quietest as usize;
        Some((*key, value))
    }

    /// All values, in no order.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.rows.iter_mut().filter_map(|row| row.flow.as_mut()).map(|(_, value)| value).inspect(|_| steps::count(1))
    }

    #[inline(never)]
    fn make_latest(&mut self, place: u32) {
        debug_assert!(self.rows[place as usize].flow.is_some(), "{AT_HAND}");
        self.detach(place);
        self.append(place);
    }

    fn append(&mut self, place: u32) {
        let before = std::mem::replace(&mut self.latest, place);
        (self.rows[place as usize].before, self.rows[place as usize].after) = (before, NONE);
        match self.rows.get_mut(before as usize) {
            Some(row) => row.after = place,
            None => self.quietest = place,
        }
    }

    fn detach(&mut self, place: u32) {
        let Row { before, after, .. } = self.rows[place as usize];
        match self.rows.get_mut(before as usize) {
            Some(row) => row.after = after,
            None => self.quietest = after,
        }
        match self.rows.get_mut(after as usize) {
            Some(row) => row.before = before,
            None => self.latest = before,
        }
    }
}

/// No place.
const NONE: u32 = u32::MAX;
/// What [`FlowTable::at_hand`] asks for.
const AT_HAND: &str = "the flow at hand was not removed";

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use ackless_wire::random::{Purpose, Stream};
    use ackless_wire::{IpHeader, Payload, Transport};

    use super::*;

    fn packet(src: IpAddr, dst: IpAddr, ports: (u16, u16)) -> Packet {
        let ip = IpHeader::between(src, dst).expect("both are of one version");
        Packet { ip, transport: Transport::Tcp(TcpHeader::new(ports.0, ports.1)), payload: Payload::EMPTY }
    }

    fn key(n: u16) -> FlowKey {
        FlowKey::of(&packet([10, 0, 0, (n % 7) as u8].into(), [10, 1, 0, 1].into(), (n, 80))).expect("TCP has a flow")
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

    /// Beside a list of flows, the one used longest ago first.
    #[test]
    fn it_knows_what_a_list_by_last_use_knows() {
        for seed in 1..=20 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (mut table, mut list) = (FlowTable::default(), Vec::<(u16, u64)>::new());
            for step in 0..2_000 {
                let n = random.below(40) as u16;
                let place = list.iter().position(|(other, _)| *other == n);
                assert_eq!(
                    table.get_mut(key(n)).copied(),
                    place.map(|place| list[place].1),
                    "seed {seed}, step {step}"
                );
                match (place, random.below(4)) {
                    (None, 0..2) => {
                        table.insert(key(n), step);
                        list.push((n, step));
                    }
                    (Some(place), 0) => {
                        assert_eq!(table.remove(key(n)), Some(list.remove(place).1), "seed {seed}, step {step}");
                        assert!(table.row_at_hand().is_none(), "seed {seed}, step {step}: it is gone");
                    }
                    (Some(place), 1) => {
                        table.touch();
                        let used = list.remove(place);
                        list.push(used);
                    }
                    _ => {}
                }
                let quietest = table.quietest().map(|(key, value)| (key, *value));
                assert_eq!(quietest, list.first().map(|(n, value)| (key(*n), *value)), "seed {seed}, step {step}");
                assert_eq!((table.len(), table.is_empty()), (list.len(), list.is_empty()), "seed {seed}, step {step}");
            }
        }
    }

    #[test]
    fn a_flow_keeps_its_place_while_others_come_and_go() {
        let mut table = FlowTable::default();
        let places = (0..50).map(|n| {
            table.insert(key(n), n);
            table.place_at_hand()
        });
        let places: Vec<_> = places.collect();
        (0..50).filter(|n| n % 2 == 1).for_each(|n| assert_eq!(table.remove(key(n)), Some(n)));
        for (n, &place) in (0..50).zip(&places) {
            assert_eq!(table.at(place).map(|row| row.1), (n % 2 == 0).then_some(n));
        }
        (100..125).for_each(|n| table.insert(key(n), n));
        assert_eq!(table.rows.len(), 50, "places are used again");
    }

    #[test]
    fn none_of_many_flows_costs_more_than_the_logarithm_of_their_number() {
        for power in [6, 10, 14] {
            let flows = 1_u16 << power;
            let mut table = FlowTable::default();
            steps::take();
            for n in 0..flows {
                // In no order.
                table.insert(key(n.wrapping_mul(7_919)), n);
                assert_steps(power, "to add");
            }
            for n in (0..flows).rev() {
                table.get_mut(key(n.wrapping_mul(7_919)));
                table.touch();
                assert_steps(power, "to find and to use");
            }
            while let Some((key, _)) = table.quietest() {
                table.remove(key);
                assert_steps(power, "to remove the quietest");
            }
        }
    }

    fn assert_steps(power: u64, what: &str) {
        let steps = steps::take();
        // A node of the tree has up to eleven keys and is at least half full.
        assert!(steps <= 8 * power + 12, "{what} one of 2^{power} flows took {steps} steps");
    }
}

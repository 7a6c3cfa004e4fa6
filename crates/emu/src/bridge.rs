//! Where ends are Ethernet: which frames go through the cell, and what stands around packets that come out of it.
//!
//! To the hosts the cell is a bridge (IEEE 802.1Q, 8): their Ethernet addresses stay theirs, they find each other themselves, by ARP (RFC 826) and neighbour
//! discovery (RFC 4861), and a gateway among them is one. The cell carries IP packets for one host. Whatever else there is (broadcasts and multicasts, ARP,
//! other protocols) is handed past it at once, takes no air, and is counted: of the air's group frames, which wait for a DTIM and go at a basic rate, the cell knows nothing.
//!
//! The cell knows nothing of Ethernet either, and schemes make packets of their own. So a packet that comes out gets the Ethernet addresses that stood on the last one
//! of the same source and destination when it went in.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use ackless_cell::flows::Place;
use ackless_wire::Packet;

/// The header of an Ethernet frame: destination, source, type.
pub type Header = [u8; HEADER];
type Mac = [u8; 6];

/// Who is where, and how packets between two hosts are addressed.
#[derive(Debug, Default)]
pub struct Bridge {
    hosts: Known<Mac, Place>,
    headers: Known<(IpAddr, IpAddr), Header>,
    /// Where addresses were settled.
    stations: Known<IpAddr, Place>,
}

/// What is known by key. Of more than [`MOST`] keys the one that was added first goes: whoever
/// still talks is known again with the next packet. So a stranger who makes up addresses costs each
/// packet no more than O(log n).
#[derive(Debug)]
struct Known<K, V> {
    values: BTreeMap<K, V>,
    /// The keys, the one that was added first in front.
    added: VecDeque<K>,
}

/// Where a frame goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Its packet goes through the cell.
    Cell,
    /// It goes past the cell, to this place; to all others if there is none.
    Past(Option<Place>),
    /// It stays where it is: its destination is on the side that it comes from, or bridges keep such frames.
    Nowhere,
}

/// Where an address is from now on.
#[derive(Debug)]
pub struct Move {
    /// Whose.
    pub address: IpAddr,
    /// Where.
    pub place: Place,
    /// An address that is not known any more, since there were too many. None, nearly always.
    pub forgotten: Option<IpAddr>,
}

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), added: VecDeque::new() }
    }
}

impl<K: Copy + Ord, V: Copy + PartialEq> Known<K, V> {
    fn get(&self, key: &K) -> Option<V> {
        self.values.get(key).copied()
    }

    /// Sets the value of a key. Returns the key that had to go.
    fn insert(&mut self, key: K, value: V) -> Option<K> {
        if self.values.insert(key, value).is_some() {
            return None;
        }
        self.added.push_back(key);
        let oldest = self.added.pop_front_if(|_| self.values.len() > MOST)?;
        self.values.remove(&oldest);
        Some(oldest)
    }
}

impl Bridge {
    /// Where a frame with this header goes that has come in at `from`.
    pub fn way(&mut self, from: Place, header: &Header) -> Way {
        let (to, source) = (destination(header), source(header));
        if is_group(&source) || is_kept(&to) || TAGGED.contains(&kind(header)) {
            return Way::Nowhere;
        }
        self.learn(source, from);
        let known = self.hosts.get(&to);
        if known == Some(from) {
            return Way::Nowhere;
        }
        match kind(header) {
            IPV4 | IPV6 if !is_group(&to) => Way::Cell,
            _ => Way::Past(known),
        }
    }

    /// A packet goes into the cell in a frame with this header. Where its destination is to be settled: at a host whose place is known and was another one's.
    pub fn enters(&mut self, header: &Header, packet: &Packet) -> Option<Move> {
        let (src, dst) = (packet.ip.src(), packet.ip.dst());
        if self.headers.get(&(src, dst)) != Some(*header) {
            self.headers.insert((src, dst), *header);
        }
        // What no station is known to have is behind the wire.
        let before = self.stations.get(&dst).unwrap_or(Place::Server);
        let place = self.hosts.get(&destination(header)).filter(|place| *place != before)?;
        let forgotten = self.stations.insert(dst, place);
        Some(Move { address: dst, place, forgotten })
    }

    /// The header for a packet that comes out of the cell, if such packets have gone in.
    pub fn header(&self, packet: &Packet) -> Option<Header> {
        self.headers.get(&(packet.ip.src(), packet.ip.dst()))
    }

    fn learn(&mut self, source: Mac, from: Place) {
        if self.hosts.get(&source) != Some(from) {
            self.hosts.insert(source, from);
        }
    }
}

/// The header of an answer to a frame.
pub fn answered(header: &Header) -> Header {
    let mut answer = *header;
    answer[..6].copy_from_slice(&source(header));
    answer[6..12].copy_from_slice(&destination(header));
    answer
}

fn destination(header: &Header) -> Mac {
    std::array::from_fn(|at| header[at])
}

fn source(header: &Header) -> Mac {
    std::array::from_fn(|at| header[6 + at])
}

fn kind(header: &Header) -> u16 {
    u16::from_be_bytes([header[12], header[13]])
}

/// Whether an address is that of a group (IEEE 802, 8.2.2), as broadcast is.
fn is_group(address: &Mac) -> bool {
    address[0] & 1 != 0
}

/// Whether it is one of the addresses whose frames no bridge passes on: spanning trees, pauses and the like (IEEE 802.1Q, 8.6.3).
fn is_kept(address: &Mac) -> bool {
    address[..5] == [0x01, 0x80, 0xc2, 0, 0] && address[5] < 0x10
}

/// The length of an Ethernet header.
pub const HEADER: usize = 14;
/// The types of frames with IP packets (RFC 894, RFC 2464).
const IPV4: u16 = 0x0800;
/// Likewise.
const IPV6: u16 = 0x86dd;
/// The types of VLAN tags, which belong to networks of their own (IEEE 802.1Q, 9.5).
const TAGGED: [u16; 2] = [0x8100, 0x88a8];
/// So many hosts, and pairs of hosts, are known at most.
const MOST: usize = 16_384;

#[cfg(test)]
mod tests {
    use ackless_wire::ip::Ipv4Header;
    use ackless_wire::{IpHeader, Payload, TcpHeader, Transport};

    use super::*;

    const ALL: Mac = [0xff; 6];
    const AP_SIDE: Mac = [2, 0, 0, 0, 0, 1];
    const ONE: Mac = [2, 0, 0, 0, 1, 1];
    const TWO: Mac = [2, 0, 0, 0, 1, 2];
    const ARP: u16 = 0x0806;

    fn header(to: Mac, from: Mac, kind: u16) -> Header {
        [&to[..], &from[..], &kind.to_be_bytes()[..]].concat().try_into().expect("6 + 6 + 2 are 14")
    }

    fn packet(src: [u8; 4], dst: [u8; 4]) -> Packet {
        Packet {
            ip: IpHeader::V4(Ipv4Header::new(src.into(), dst.into())),
            transport: Transport::Tcp(TcpHeader::new(1, 2)),
            payload: Payload::Length(0),
        }
    }

    #[test]
    fn hosts_find_each_other_past_the_cell_and_talk_through_it() {
        let mut bridge = Bridge::default();
        assert_eq!(bridge.way(Place::Server, &header(ALL, AP_SIDE, ARP)), Way::Past(None));
        // The answer of a station is for one host, whose side is known by now.
        assert_eq!(bridge.way(Place::Station(2), &header(AP_SIDE, TWO, ARP)), Way::Past(Some(Place::Server)));
        let down = header(TWO, AP_SIDE, IPV4);
        assert_eq!(bridge.way(Place::Server, &down), Way::Cell);
        let request = packet([10, 0, 0, 1], [10, 0, 0, 7]);
        assert_eq!(settled(&mut bridge, &down, &request), Some(([10, 0, 0, 7].into(), Place::Station(2))));
        assert_eq!(settled(&mut bridge, &down, &request), None, "it is settled");
        assert_eq!(bridge.header(&request), Some(down));
        assert_eq!(bridge.header(&packet([10, 0, 0, 7], [10, 0, 0, 1])), None, "nobody has answered");
    }

    /// Where the destination of a packet is settled, if it is.
    fn settled(bridge: &mut Bridge, header: &Header, packet: &Packet) -> Option<(IpAddr, Place)> {
        let Move { address, place, forgotten } = bridge.enters(header, packet)?;
        assert_eq!(forgotten, None, "there is room");
        Some((address, place))
    }

    #[test]
    fn of_more_addresses_than_it_has_room_for_it_forgets_and_settles_again_those_that_are_still_used() {
        let mut bridge = Bridge::default();
        bridge.way(Place::Station(2), &header(ALL, ONE, ARP));
        let frame = header(ONE, AP_SIDE, IPV4);
        let mut known = std::collections::BTreeSet::new();
        let mut went = 0;
        for n in 0..3 * MOST as u32 {
            for dst in [[10, 1, 1, 1], (0x0b00_0000 + n).to_be_bytes()] {
                if let Some(Move { address, place, forgotten }) = bridge.enters(&frame, &packet([10, 0, 0, 1], dst)) {
                    assert_eq!((address, place), (IpAddr::from(dst), Place::Station(2)));
                    if let Some(address) = forgotten {
                        assert!(known.remove(&address), "{address} was known");
                        went += 1;
                    }
                    known.insert(address);
                }
                assert!(known.contains(&IpAddr::from(dst)), "{dst:?} has just been used, {n} others were before");
                assert!(
                    known.len() <= MOST && bridge.stations.values.len() == known.len(),
                    "{} are known",
                    known.len()
                );
            }
        }
        assert!(went > MOST, "{went} went");
    }

    #[test]
    fn a_host_that_has_moved_is_found_at_its_new_place() {
        let mut bridge = Bridge::default();
        for place in [Place::Station(1), Place::Station(2), Place::Server] {
            assert_eq!(bridge.way(place, &header(ALL, ONE, ARP)), Way::Past(None));
            let from = if place == Place::Server { Place::Station(1) } else { Place::Server };
            let frame = header(ONE, AP_SIDE, IPV4);
            assert_eq!(bridge.way(from, &frame), Way::Cell);
            assert_eq!(
                settled(&mut bridge, &frame, &packet([10, 0, 0, 1], [10, 0, 0, 7])),
                Some(([10, 0, 0, 7].into(), place))
            );
        }
    }

    #[test]
    fn what_bridges_keep_stays_where_it_is() {
        let mut bridge = Bridge::default();
        let spanning_tree = [0x01, 0x80, 0xc2, 0, 0, 0];
        assert_eq!(bridge.way(Place::Server, &header(spanning_tree, AP_SIDE, 0x0026)), Way::Nowhere);
        assert_eq!(bridge.way(Place::Server, &header(ONE, AP_SIDE, 0x8100)), Way::Nowhere);
        bridge.way(Place::Server, &header(ALL, AP_SIDE, ARP));
        // Two behind the same interface.
        assert_eq!(bridge.way(Place::Server, &header(AP_SIDE, ONE, IPV4)), Way::Nowhere);
    }
}

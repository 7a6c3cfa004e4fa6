//! Who has sent, accepted and acknowledged what.
//!
//! It compares headers by value, with nothing that a scheme has computed, and panics where one says what cannot be:
//!
//! 1. a segment with data, SYN or FIN that reaches a transport is one that the other end has sent, whole; only its timestamps may be those of
//!    another one, as where a scheme sends it again;
//! 2. an acknowledgement number covers only what the receiver has taken: at a station what its MAC has accepted, at the server what has
//!    come over the wire; a SACK block likewise, and it lies above that number;
//! 3. what an acknowledgement says of its sender beside that, the sender has said: its window (see [`Says`]), its TSval; what it echoes,
//!    the other end has sent; its sequence number is one that the sender has reached;
//! 4. at the port to the wire no acknowledgement goes back behind an earlier one of its connection.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Passage;
use ackless_wire::tcp::TcpOptions;
use ackless_wire::{Ecn, Instant, IpHeader, Packet, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::testing::tap::Listener;

/// Everything that the rules need to know of a run so far.
#[derive(Debug, Default)]
pub struct Ledger {
    ways: BTreeMap<Way, Vec<Stream>>,
    says: Says,
    backwards: u64,
}

/// What the acknowledgements of a scheme may say of their sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Says {
    /// What it has said: one of its windows stands in the field.
    #[default]
    Said,
    /// The window is such that its right edge is none beyond those that the sender has announced.
    WithinEdge,
    /// Anything: the ARQ proxy's stateless form copies fields of the data.
    Anything,
}

/// One direction of a connection, and of all later ones between the same ports: from where to where.
type Way = (IpAddr, u16, IpAddr, u16);

/// The bytes of one direction of one connection, counted from its SYN, which is byte 0.
#[derive(Debug)]
struct Stream {
    first: SeqNumber,
    /// What was sent, by where it begins.
    sent: BTreeMap<u32, Vec<Packet>>,
    /// The end of what was sent.
    end: u32,
    /// TSvals that were sent with it.
    stamps: BTreeSet<u32>,
    /// What the receiver has taken.
    taken: Ranges,
    /// What the receiver has announced: window fields and TSvals.
    windows: BTreeSet<u16>,
    echoes: BTreeSet<u32>,
    /// The furthest right edge among them.
    edge: u64,
    /// The shift that its sender has offered for its own windows.
    shift: Option<u8>,
    /// The furthest acknowledgement at the port to the wire.
    passed: u32,
}

/// Disjoint ranges in ascending order, none next to another.
#[derive(Debug, Default)]
struct Ranges(Vec<(u32, u32)>);

impl Ledger {
    /// An empty one.
    pub fn new(says: Says) -> Self {
        Self { says, ..Self::default() }
    }

    /// Acknowledgements that went back at the port to the wire.
    pub const fn backwards(&self) -> u64 {
        self.backwards
    }

    /// A transport has sent this.
    pub fn sent(&mut self, packet: &Packet) {
        let Some(tcp) = packet.tcp() else { return };
        let way = way(packet);
        if tcp.flags.contains(TcpFlags::SYN) {
            let streams = self.ways.entry(way).or_default();
            if streams.iter().all(|stream| stream.first != tcp.seq) {
                streams.push(Stream::new(tcp.seq));
            }
        }
        if let Some(stream) = self.stream(way, tcp.seq) {
            stream.note_sent(tcp, packet);
        }
        if tcp.flags.contains(TcpFlags::ACK) {
            let window = self.window(way, tcp);
            let Some(stream) = self.stream(reversed(way), tcp.ack) else { return };
            stream.echoes.extend(tcp.options.timestamps.map(|(val, _)| val));
            stream.edge = stream.edge.max(u64::from(tcp.ack - stream.first) + window);
            if !tcp.flags.contains(TcpFlags::SYN) {
                stream.windows.insert(tcp.window);
            }
        }
    }

    /// The receiver of this has taken it: its MAC, or the server.
    pub fn taken(&mut self, packet: &Packet) {
        let Some(tcp) = packet.tcp() else { return };
        if let Some(stream) = self.stream(way(packet), tcp.seq) {
            let begin = tcp.seq - stream.first;
            stream.taken.insert(begin, begin + span(tcp, packet));
        }
    }

    /// A transport gets this.
    ///
    /// # Panics
    /// If it is what the other end has not sent, or acknowledges what it may not.
    pub fn received(&mut self, now: Instant, packet: &Packet) {
        let Some(tcp) = packet.tcp() else { return };
        if span(tcp, packet) > 0 {
            let known = self.stream(way(packet), tcp.seq).is_some_and(|stream| {
                let copies = stream.sent.get(&(tcp.seq - stream.first));
                let stamped = tcp.options.timestamps.is_none_or(|(val, _)| stream.stamps.contains(&val));
                stamped && copies.is_some_and(|copies| copies.iter().any(|copy| plain(copy) == plain(packet)))
            });
            assert!(known, "nobody has sent what a transport gets at {now}: {packet:?}");
        }
        self.check(now, "a transport gets", packet);
    }

    /// This is about to leave a node for another station.
    ///
    /// # Panics
    /// If it acknowledges what it may not.
    pub fn forwarded(&mut self, now: Instant, packet: &Packet) {
        self.check(now, "a node forwards", packet);
    }

    /// This is about to leave the AP for the wire.
    ///
    /// # Panics
    /// If it acknowledges what it may not.
    pub fn leaves(&mut self, now: Instant, packet: &Packet) {
        self.check(now, "the AP puts on the wire", packet);
        let Some(ack) = packet.pure_ack() else { return };
        let Some(stream) = self.stream(reversed(way(packet)), ack.ack) else { return };
        let ack = ack.ack - stream.first;
        if ack < stream.passed {
            self.backwards += 1;
        } else {
            stream.passed = ack;
        }
    }

    /// What an acknowledgement says is true.
    fn check(&mut self, now: Instant, what: &str, packet: &Packet) {
        let Some(tcp) = packet.tcp() else { return };
        if !tcp.flags.contains(TcpFlags::ACK) || tcp.flags.contains(TcpFlags::RST) {
            return;
        }
        let (back, says, window) = (reversed(way(packet)), self.says, self.window(way(packet), tcp));
        let reached = self.stream(way(packet), tcp.seq).is_some();
        assert!(reached || says == Says::Anything, "{what} at {now} what lies beyond all that was sent: {packet:?}");
        let Some(stream) = self.stream(back, tcp.ack) else {
            panic!("{what} at {now} an acknowledgement of no connection: {packet:?}");
        };
        let TcpOptions { timestamps, sack, .. } = tcp.options;
        let (ack, taken) = (tcp.ack - stream.first, &stream.taken);
        assert!(
            (1..=taken.in_order()).contains(&ack),
            "{what} at {now} an acknowledgement up to byte {ack} of what was taken, {taken:?}: {packet:?}"
        );
        for (index, &(from, to)) in sack.as_slice().iter().enumerate() {
            let (from, to) = (from - stream.first, to - stream.first);
            // The first one may report what came twice (RFC 2883, 4).
            let twice = index == 0 && to <= ack;
            assert!(
                (ack < from || twice) && taken.contains(from, to),
                "{what} at {now} a SACK block {from} to {to} of what was taken, {taken:?}: {packet:?}"
            );
        }
        if says == Says::Anything {
            return;
        }
        if let Some((val, echo)) = timestamps {
            assert!(stream.echoes.contains(&val), "{what} at {now} a TSval that its sender has not said: {packet:?}");
            assert!(stream.stamps.contains(&echo), "{what} at {now} an echo of no TSval: {packet:?}");
        }
        assert!(
            timestamps.is_some() || stream.stamps.is_empty() || tcp.flags.contains(TcpFlags::SYN),
            "{what} at {now} an acknowledgement without timestamps: {packet:?}"
        );
        let announced = match says {
            Says::Said => stream.windows.contains(&tcp.window),
            Says::WithinEdge | Says::Anything => u64::from(ack) + window <= stream.edge,
        };
        assert!(
            tcp.flags.contains(TcpFlags::SYN) || announced,
            "{what} at {now} a window that its sender has not announced: {packet:?}"
        );
    }

    /// The window that a packet of this way announces, in bytes (RFC 7323, 2.2).
    fn window(&mut self, way: Way, tcp: &TcpHeader) -> u64 {
        let shift = self.stream(way, tcp.seq).and_then(|stream| stream.shift);
        let theirs = self.stream(reversed(way), tcp.ack).and_then(|stream| stream.shift);
        let scaled = theirs.and(shift).filter(|_| !tcp.flags.contains(TcpFlags::SYN));
        u64::from(tcp.window) << scaled.unwrap_or(0)
    }

    /// The newest stream of a way that a sequence number can be of: it is not beyond all that was sent.
    fn stream(&mut self, way: Way, seq: SeqNumber) -> Option<&mut Stream> {
        let streams = self.ways.get_mut(&way)?;
        streams.iter_mut().rev().find(|stream| seq - stream.first <= stream.end)
    }
}

impl Listener for Ledger {
    fn accepted(&mut self, node: NodeId, packet: &Packet) {
        if destination(packet) == Some(node) {
            self.taken(packet);
        }
    }

    fn goes(&mut self, now: Instant, passage: Passage, packet: &Packet) {
        match passage {
            Passage::ToWire(_) => self.leaves(now, packet),
            Passage::OverAir { .. } => self.forwarded(now, packet),
            Passage::FromWire(_) => {}
        }
    }
}

impl Stream {
    fn new(first: SeqNumber) -> Self {
        Self {
            first,
            sent: BTreeMap::new(),
            end: 0,
            stamps: BTreeSet::new(),
            taken: Ranges::default(),
            windows: BTreeSet::new(),
            echoes: BTreeSet::new(),
            edge: 0,
            shift: None,
            passed: 0,
        }
    }

    fn note_sent(&mut self, tcp: &TcpHeader, packet: &Packet) {
        let (begin, span) = (tcp.seq - self.first, span(tcp, packet));
        self.end = self.end.max(begin + span);
        self.stamps.extend(tcp.options.timestamps.map(|(val, _)| val));
        self.shift = self.shift.or(tcp.options.window_scale);
        if span > 0 {
            self.sent.entry(begin).or_default().push(packet.clone());
        }
    }
}

impl Ranges {
    /// Adds what lies from `begin` to before `end`.
    fn insert(&mut self, begin: u32, end: u32) {
        if begin == end {
            return;
        }
        let from = self.0.partition_point(|&(_, to)| to < begin);
        let to = self.0.partition_point(|&(from, _)| from <= end);
        let joined = self.0[from..to].iter().fold((begin, end), |(a, b), &(c, d)| (a.min(c), b.max(d)));
        self.0.splice(from..to, [joined]);
    }

    /// How far everything is there from byte 0 on.
    fn in_order(&self) -> u32 {
        self.0.first().filter(|(begin, _)| *begin == 0).map_or(0, |(_, end)| *end)
    }

    fn contains(&self, begin: u32, end: u32) -> bool {
        self.0.iter().any(|&(from, to)| from <= begin && begin < end && end <= to)
    }
}

/// The node that a packet is for; `None` for the server. Stations have the addresses 10.0.0.0/16, by their number.
fn destination(packet: &Packet) -> Option<NodeId> {
    match packet.ip.dst() {
        IpAddr::V4(v4) => match v4.octets() {
            [10, 0, high, low] => Some(NodeId(u16::from_be_bytes([high, low]))),
            _ => None,
        },
        IpAddr::V6(_) => None,
    }
}

fn way(packet: &Packet) -> Way {
    let (from, to) = packet.ports();
    (packet.ip.src(), from, packet.ip.dst(), to)
}

const fn reversed((src, from, dst, to): Way) -> Way {
    (dst, to, src, from)
}

/// A packet without its timestamps and identification, and without the mark that a queue may put in the place of ECT(0).
fn plain(packet: &Packet) -> Packet {
    let mut plain = packet.clone();
    if let IpHeader::V4(v4) = &mut plain.ip {
        v4.id = 0;
    }
    if plain.ip.ecn() == Ecn::Experienced {
        plain.ip.set_ecn(Ecn::Capable0);
    }
    if let Transport::Tcp(tcp) = &mut plain.transport {
        tcp.options.timestamps = None;
    }
    plain
}

/// How much of the sequence space a segment takes.
fn span(tcp: &TcpHeader, packet: &Packet) -> u32 {
    let flags = (tcp.flags & (TcpFlags::SYN | TcpFlags::FIN)).bits().count_ones();
    packet.payload.len() + flags
}

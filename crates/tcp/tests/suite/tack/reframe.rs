//! What a middlebox does that takes TCP for a stream of bytes: it cuts segments in two, makes one of two, and draws sequence numbers anew. What it does not know of
//! options it copies, or forgets.

use ackless_wire::tcp::SackBlocks;
use ackless_wire::{Packet, Payload, TcpFlags, TcpHeader, Transport};

/// What becomes of the segments of one direction.
#[derive(Clone, Copy, Debug)]
pub struct Reframe {
    /// Segments of more payload than this come as two, both with all options; 0 for none.
    pub longest: u32,
    pub joins: Joins,
    /// What is added to the sequence numbers of the end that sends, and taken off what the other one says of them in its header and in SACK options.
    pub moved: u32,
}

/// Whether segments that come one after another, with the second where the first ends, become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joins {
    Never,
    /// With the options of the first.
    First,
    /// With those of the last.
    Last,
}

impl Reframe {
    pub const NOTHING: Self = Self { longest: 0, joins: Joins::Never, moved: 0 };

    /// Whether numbers come that stand for a part of what left under them, or for more.
    pub fn confuses_numbers(&self) -> bool {
        self.longest > 0 || self.joins != Joins::Never
    }

    /// The two parts of a segment that is too long.
    pub fn cut(&self, packet: &Packet) -> Option<[Packet; 2]> {
        let len = packet.payload.len();
        let whole = self.longest == 0 || len <= self.longest || packet.tcp()?.flags.contains(TcpFlags::SYN);
        if whole {
            return None;
        }
        let Payload::Data(data) = &packet.payload else { panic!("bytes are sent") };
        let part = |from: u32, to: u32, without: TcpFlags| {
            let payload = Payload::Data(data.slice(from as usize..to as usize));
            let change = |tcp: &mut TcpHeader| {
                tcp.seq += from;
                tcp.flags = tcp.flags.difference(without);
            };
            with(packet, payload, change)
        };
        Some([part(0, len / 2, TcpFlags::FIN | TcpFlags::PSH), part(len / 2, len, TcpFlags::empty())])
    }

    /// The one segment that comes of two, if they are made one.
    pub fn join(&self, first: &Packet, second: &Packet) -> Option<Packet> {
        let odd = TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST;
        let (Payload::Data(data), Payload::Data(more)) = (&first.payload, &second.payload) else { return None };
        let (header, next) = (first.tcp()?, second.tcp()?);
        let follows = !data.is_empty() && !more.is_empty() && header.seq + data.len() as u32 == next.seq;
        let fits = follows && data.len() + more.len() <= MOST && !(header.flags | next.flags).intersects(odd);
        if self.joins == Joins::Never || !fits {
            return None;
        }
        let payload = Payload::Data(data.iter().chain(more).copied().collect());
        Some(with(second, payload, |tcp| {
            tcp.seq = header.seq;
            if self.joins == Joins::First {
                tcp.options = header.options;
            }
        }))
    }

    /// As the other end sees it.
    pub fn with_sequence_moved(&self, packet: &Packet) -> Packet {
        with(packet, packet.payload.clone(), |tcp| tcp.seq += self.moved)
    }

    /// As this end sees what the other one says of it.
    pub fn with_acknowledgement_moved(&self, packet: &Packet) -> Packet {
        let back = 0_u32.wrapping_sub(self.moved);
        with(packet, packet.payload.clone(), |tcp| {
            if tcp.flags.contains(TcpFlags::ACK) {
                tcp.ack += back;
            }
            let blocks = tcp.options.sack.as_slice().iter().map(|&(left, right)| (left + back, right + back));
            tcp.options.sack = SackBlocks::from_slice(&blocks.collect::<Vec<_>>());
        })
    }
}

fn with(packet: &Packet, payload: Payload, change: impl FnOnce(&mut TcpHeader)) -> Packet {
    let mut changed = Packet { payload, ..packet.clone() };
    if let Transport::Tcp(tcp) = &mut changed.transport {
        change(tcp);
    }
    changed
}

/// The most payload that a segment comes to.
const MOST: usize = 60_000;

//! Generic receive offload: what comes for one connection in one batch is merged before its TCP sees it.
//!
//! The rules are those of Linux 6.12 (`tcp_gro_receive` in net/ipv4/tcp_offload.c, `inet_gro_receive` in net/ipv4/af_inet.c, `dev_gro_receive` in net/core/gro.c):
//! merged is what follows in sequence with the same acknowledgement number, window and options, so the same timestamps, and in the order of its IP
//! identification; no segment is larger than the first; a smaller one, a push or a FIN ends the merged packet; its IP packet has at most 65,535 bytes. A packet that bears no
//! data, or other flags, or a wrong checksum passes alone, after what is held.
//!
//! A batch is what the MAC hands up at once. Left out: the kernel holds eight connections in each of eight buckets, and here each its own.

use std::num::NonZeroU32;

use ackless_wire::tcp::{Checksum, TcpOptions};
use ackless_wire::{Bytes, IpHeader, Packet, Payload, TcpFlags};

/// How many segments a host merges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Gro {
    /// None.
    #[default]
    Off,
    /// All of a batch that may be.
    PerBatch,
    /// At most so many.
    Most(NonZeroU32),
}

/// What is merged of one connection's packets on their way to one end.
#[derive(Debug)]
pub struct Merging {
    most: u32,
    held: Option<Merged>,
    /// Whether something of the present batch has come.
    pub(crate) in_batch: bool,
    pub(crate) counts: MergeCounts,
}

/// What was merged, and why no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeCounts {
    /// Segments with data that came.
    pub segments: u64,
    /// Packets that were handed to TCP for them.
    pub packets: u64,
    /// Packets that ended because the next segment in sequence bore another timestamp.
    pub ended_by_timestamp: u64,
}

/// A packet that may still grow.
#[derive(Debug)]
pub struct Merged {
    pub(crate) packet: Packet,
    /// How long it is.
    len: Bytes,
    /// Payload of the first one.
    pub(crate) segment: Bytes,
    segments: u32,
}

/// What becomes of a packet that has come.
#[derive(Debug, Default)]
pub struct Passed {
    /// What was held goes first, complete.
    pub before: Option<Merged>,
    /// The packet goes up alone.
    pub alone: bool,
}

impl MergeCounts {
    /// Adds what was counted elsewhere.
    pub(crate) fn add(&mut self, other: &Self) {
        self.segments += other.segments;
        self.packets += other.packets;
        self.ended_by_timestamp += other.ended_by_timestamp;
    }
}

impl Merging {
    /// By `gro`; nothing where nothing is merged.
    pub fn new(gro: Gro) -> Option<Self> {
        let most = match gro {
            Gro::Off => return None,
            Gro::PerBatch => u32::MAX,
            Gro::Most(most) => most.get(),
        };
        Some(Self { most, held: None, in_batch: false, counts: MergeCounts::default() })
    }

    /// A packet of the connection has come.
    pub fn take(&mut self, packet: &Packet) -> Passed {
        let data = carries_data(packet);
        self.counts.segments += u64::from(data);
        if data && let Some(held) = &mut self.held {
            match held.fit(packet) {
                Fit::Grows => {
                    held.add(packet);
                    let complete = held.segments >= self.most || held.is_ended_by(packet);
                    return Passed { before: if complete { self.flush() } else { None }, alone: false };
                }
                Fit::OtherTimestamp => self.counts.ended_by_timestamp += 1,
                Fit::No => {}
            }
        }
        let before = self.flush();
        let alone = !data || self.most == 1 || ends(packet);
        if alone {
            self.counts.packets += u64::from(data);
        } else {
            let segment = Bytes(packet.payload.len().into());
            self.held = Some(Merged { packet: packet.clone(), len: packet.len(), segment, segments: 1 });
        }
        Passed { before, alone }
    }

    /// The batch is over, or what is held may not grow.
    pub fn flush(&mut self) -> Option<Merged> {
        self.counts.packets += u64::from(self.held.is_some());
        self.held.take()
    }
}

/// How a segment fits to what is held.
enum Fit {
    Grows,
    /// It would grow but for its timestamp.
    OtherTimestamp,
    No,
}

impl Merged {
    /// The packet, with the payload of all its segments.
    pub fn packet(&self) -> &Packet {
        &self.packet
    }

    /// The payload of each of its segments but the last; nothing if it is only one.
    pub fn segment(&self) -> Option<Bytes> {
        (self.segments > 1).then_some(self.segment)
    }

    fn fit(&self, packet: &Packet) -> Fit {
        let (Some(held), Some(tcp)) = (self.packet.tcp(), packet.tcp()) else { return Fit::No };
        let len = self.packet.payload.len();
        let follows = tcp.seq == held.seq + len
            && tcp.ack == held.ack
            && tcp.window == held.window
            && tcp.omitted == held.omitted
            && follows_in_ip(&self.packet.ip, &packet.ip, self.segments)
            && Bytes(packet.payload.len().into()) <= self.segment
            && self.len + Bytes(packet.payload.len().into()) <= LARGEST;
        if follows && tcp.options == held.options {
            return Fit::Grows;
        }
        let restamped = TcpOptions { timestamps: held.options.timestamps, ..tcp.options };
        if follows && restamped == held.options { Fit::OtherTimestamp } else { Fit::No }
    }

    fn add(&mut self, packet: &Packet) {
        self.segments += 1;
        self.len += Bytes(packet.payload.len().into());
        match (&mut self.packet.payload, &packet.payload) {
            (Payload::Length(len), Payload::Length(more)) => *len += more,
            (held, more) => *held = joined(held, more),
        }
        let pushed = packet.tcp().map_or(TcpFlags::empty(), |tcp| tcp.flags & ENDING);
        if let ackless_wire::Transport::Tcp(tcp) = &mut self.packet.transport {
            tcp.flags |= pushed;
        }
    }

    /// Whether nothing may follow `last`.
    fn is_ended_by(&self, last: &Packet) -> bool {
        ends(last) || Bytes(last.payload.len().into()) < self.segment
    }
}

/// Whether it is plain data: nothing but ACK, PSH and FIN are set.
fn carries_data(packet: &Packet) -> bool {
    let plain = TcpFlags::ACK | ENDING;
    let is_plain = packet.tcp().is_some_and(|tcp| {
        tcp.checksum == Checksum::Correct && tcp.flags.contains(TcpFlags::ACK) && (tcp.flags - plain).is_empty()
    });
    is_plain && !packet.payload.is_empty()
}

fn ends(packet: &Packet) -> bool {
    packet.tcp().is_some_and(|tcp| tcp.flags.intersects(ENDING))
}

/// Whether `next` is the `number`th packet after the one with `first`.
fn follows_in_ip(first: &IpHeader, next: &IpHeader, number: u32) -> bool {
    match (first, next) {
        (IpHeader::V4(first), IpHeader::V4(next)) => {
            let mut expected = *first;
            expected.id = first.id.wrapping_add(number as u16);
            expected == *next
        }
        (first, next) => first == next,
    }
}

fn joined(first: &Payload, second: &Payload) -> Payload {
    let mut data = bytes::BytesMut::with_capacity((first.len() + second.len()) as usize);
    for part in [first, second] {
        match part {
            Payload::Length(len) => data.resize(data.len() + *len as usize, 0),
            Payload::Data(bytes) => data.extend_from_slice(bytes),
        }
    }
    Payload::Data(data.freeze())
}

/// What a sender sets on the last segment of what it wants to be seen.
const ENDING: TcpFlags = TcpFlags::PSH.union(TcpFlags::FIN);

/// IPv4's total length, as Linux has it unless it is told otherwise (`gro_ipv4_max_size`, 65,536, which is exclusive).
const LARGEST: Bytes = Bytes(65_535);

#[cfg(test)]
mod tests;

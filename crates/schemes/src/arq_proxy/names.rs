//! How a data packet is named without a word between the two sides (section 2, figure 3).
//!
//! - By its frame's sequence number, with receiver and TID: `1 + number + 4096 x (TID mod 4)`. The receiver is whoever answers; the TIDs of one access
//!   category differ in their lower two bits (802.11-2020, table 10-1), and a station here has one category. What is not QoS Data counts as TID 0.
//!   16,384 is no tag, so that one frame in 4096 of TIDs 3 and 7 has none.
//! - By a hash of its headers: FNV-1a of 32 bits over addresses, ports, sequence number and payload length, modulo 16,383, plus 1. These are what TCP
//!   repeats when it sends a segment again. The paper leaves the function open.

use std::collections::BTreeMap;

use ackless_dot11::frame::{MacSeq, Mpdu, Tag};
use ackless_wire::{Duration, Instant, IpHeader, Packet, SeqNumber};

use super::Identification;
use crate::flow_key::FlowKey;

/// What a client remembers of the name of a packet that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) tag: Tag,
    arrived: Instant,
    /// Tells the packet from others with the same tag: under sequence numbers the frame's, unwrapped; under hashes the number of its [`HashOwner`].
    serial: u32,
}

/// The names of the packets that came from one peer.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Of each TID, the latest frame's sequence number, unwrapped.
    latest: [Option<u32>; 4],
    hash_owners: BTreeMap<Tag, HashOwner>,
    next_serial: u32,
}

/// The packet that a hash stands for: the last one that came under it.
#[derive(Clone, Copy, Debug)]
struct HashOwner {
    packet: (FlowKey, SeqNumber, u32),
    serial: u32,
    arrived: Instant,
    sharers: Sharers,
}

/// Which packets share a hash with its owner: others that came under it before, and are not known to be acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sharers {
    None,
    /// A packet of this flow with this end.
    One(FlowKey, SeqNumber),
    Many,
}

/// Two packets have the same hash, so that neither may be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Collision;

/// The tag of a data packet in this frame.
#[inline(always)]
pub(super) fn tag(by: Identification, mpdu: &Mpdu, packet: &Packet) -> Option<Tag> {
    match by {
        Identification::FrameSequence => Tag::new(1 + mpdu.seq.get() + MacSeq::MODULUS * tid_slot(mpdu)),
        Identification::Hash => Tag::new(1 + (hash(packet) % u32::from(Tag::MAX)) as u16),
    }
}

impl Names {
    /// The sequence number, unwrapped, of a frame that came, perhaps again, whatever is in it: what is not TCP uses up numbers too.
    pub(super) fn unwrapped_seq(&mut self, mpdu: &Mpdu) -> u32 {
        let seq = mpdu.seq;
        let latest = &mut self.latest[usize::from(tid_slot(mpdu))];
        let before = latest.unwrap_or_else(|| u32::from(seq.get()) + u32::from(MacSeq::MODULUS));
        let ahead = seq.offset_from(MacSeq::new((before % u32::from(MacSeq::MODULUS)) as u16));
        let unwrapped = if ahead < MacSeq::MODULUS / 2 {
            before.wrapping_add(u32::from(ahead))
        } else {
            before.wrapping_sub(u32::from(MacSeq::MODULUS - ahead))
        };
        *latest = Some(if ahead < MacSeq::MODULUS / 2 { unwrapped } else { before });
        unwrapped
    }

    /// Names the data packet of `flow` in the frame with this number; `None` where it has no name. Of another packet with the same
    /// hash, `is_acked` tells whether the proxy is known to have acknowledged it up to its end.
    ///
    /// # Errors
    /// [`Collision`] where a different packet came under the same hash within the lifetime, and is not acknowledged yet: the proxy has refused
    /// one of them, and here nobody knows which. Neither holds any more. So it is where the frame had been sent before, perhaps before
    /// the other was acknowledged.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        by: Identification,
        (mpdu, unwrapped_seq): (&Mpdu, u32),
        (packet, flow): (&Packet, FlowKey),
        (now, lifetime): (Instant, Duration),
        is_acked: impl FnMut(FlowKey, SeqNumber) -> bool,
    ) -> Result<Option<Name>, Collision> {
        let Some(tag) = tag(by, mpdu, packet) else { return Ok(None) };
        if by == Identification::FrameSequence {
            return Ok(Some(Name { tag, arrived: now, serial: unwrapped_seq }));
        }
        self.own_hash(tag, mpdu, (packet, flow), (now, lifetime), is_acked).map(Some)
    }

    /// Names a packet by its hash.
    #[inline(never)]
    fn own_hash(
        &mut self,
        tag: Tag,
        mpdu: &Mpdu,
        (packet, flow): (&Packet, FlowKey),
        (now, lifetime): (Instant, Duration),
        is_acked: impl FnMut(FlowKey, SeqNumber) -> bool,
    ) -> Result<Name, Collision> {
        let seq = packet.tcp().map_or(SeqNumber(0), |tcp| tcp.seq);
        let same = (flow, seq, packet.payload.len());
        let known = self.hash_owners.get(&tag).filter(|owner| now <= owner.arrived + lifetime);
        let (serial, sharers) = match known {
            Some(owner) if owner.packet == same => (owner.serial, owner.sharers),
            Some(owner) => (self.next_serial, owner.sharers_of_next(mpdu.retry, is_acked)),
            None => (self.next_serial, Sharers::None),
        };
        self.next_serial = self.next_serial.wrapping_add(u32::from(serial == self.next_serial));
        self.hash_owners.insert(tag, HashOwner { packet: same, serial, arrived: now, sharers });
        if sharers == Sharers::None { Ok(Name { tag, arrived: now, serial }) } else { Err(Collision) }
    }

    /// Whether a name still stands for the packet that it was given to: the template is there for as long again, and the key was not given away.
    pub(super) fn holds(&self, by: Identification, name: &Name, now: Instant, lifetime: Duration) -> bool {
        let young = now.saturating_since(name.arrived) * 2 <= lifetime;
        young
            && match by {
                Identification::FrameSequence => {
                    let latest = self.latest[usize::from((name.tag.get() - 1) / MacSeq::MODULUS)];
                    latest.is_some_and(|latest| latest.wrapping_sub(name.serial) < u32::from(MacSeq::MODULUS / 2))
                }
                Identification::Hash => self
                    .hash_owners
                    .get(&name.tag)
                    .is_some_and(|owner| owner.serial == name.serial && owner.sharers == Sharers::None),
            }
    }
}

impl HashOwner {
    /// The sharers of a different packet that comes under the same hash and owns it from then on, perhaps in a frame that was sent before.
    fn sharers_of_next(&self, retry: bool, mut is_acked: impl FnMut(FlowKey, SeqNumber) -> bool) -> Sharers {
        let (flow, seq, len) = self.packet;
        let fresh = !retry && is_acked(flow, seq + len);
        match self.sharers {
            Sharers::None if fresh => Sharers::None,
            Sharers::One(other, end) if fresh && is_acked(other, end) => Sharers::None,
            Sharers::None => Sharers::One(flow, seq + len),
            Sharers::One(..) | Sharers::Many => Sharers::Many,
        }
    }
}

fn tid_slot(mpdu: &Mpdu) -> u16 {
    mpdu.tid().map_or(0, |tid| u16::from(tid.0 % 4))
}

#[inline(never)]
fn hash(packet: &Packet) -> u32 {
    let (ports, seq) = (packet.ports(), packet.tcp().map_or(0, |tcp| tcp.seq.0));
    let start = match &packet.ip {
        IpHeader::V4(v4) => fnv(fnv(OFFSET_BASIS, &v4.src.octets()), &v4.dst.octets()),
        IpHeader::V6(v6) => fnv(fnv(OFFSET_BASIS, &v6.src.octets()), &v6.dst.octets()),
    };
    let ports = fnv(fnv(start, &ports.0.to_be_bytes()), &ports.1.to_be_bytes());
    fnv(fnv(ports, &seq.to_be_bytes()), &packet.payload.len().to_be_bytes())
}

fn fnv(start: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME))
}

const OFFSET_BASIS: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

#[cfg(test)]
mod tests;

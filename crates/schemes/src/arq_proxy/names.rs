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

/// What a client remembers of how a packet that came is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) tag: Tag,
    came: Instant,
    /// Under sequence numbers, the frame's place among all; under hashes, the number of its owner.
    place: u32,
}

/// The names of the packets that came from one peer.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Of each TID, the latest frame's place.
    latest: [Option<u32>; 4],
    owners: BTreeMap<Tag, Owner>,
    next_owner: u32,
}

/// Which packet a hash stands for.
#[derive(Clone, Copy, Debug)]
struct Owner {
    packet: (FlowKey, SeqNumber, u32),
    number: u32,
    came: Instant,
    company: Company,
}

/// What else came under a hash and is not known to be acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Company {
    Alone,
    /// A packet of this flow that ends here.
    With(FlowKey, SeqNumber),
    Crowd,
}

/// Two packets have the same hash, so that neither may be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Collision;

/// The tag of a data packet in this frame.
pub(super) fn tag(by: Identification, mpdu: &Mpdu, packet: &Packet) -> Option<Tag> {
    match by {
        Identification::FrameSequence => Tag::new(1 + mpdu.seq.get() + MacSeq::MODULUS * slot(mpdu)),
        Identification::Hash => Tag::new(1 + (hash(packet) % u32::from(Tag::MAX)) as u16),
    }
}

impl Names {
    /// The place of a frame that came, perhaps again, whatever is in it: what is not TCP uses up numbers too.
    pub(super) fn place(&mut self, mpdu: &Mpdu) -> u32 {
        let seq = mpdu.seq;
        let latest = &mut self.latest[usize::from(slot(mpdu))];
        let before = latest.unwrap_or_else(|| u32::from(seq.get()) + u32::from(MacSeq::MODULUS));
        let ahead = seq.offset_from(MacSeq::new((before % u32::from(MacSeq::MODULUS)) as u16));
        let place = if ahead < MacSeq::MODULUS / 2 {
            before.wrapping_add(u32::from(ahead))
        } else {
            before.wrapping_sub(u32::from(MacSeq::MODULUS - ahead))
        };
        *latest = Some(if ahead < MacSeq::MODULUS / 2 { place } else { before });
        place
    }

    /// What the data packet of `flow` in the frame at this place is named; `None` where it has no name. Of another packet with the same
    /// hash, `is_said` tells whether the proxy is known to have acknowledged it up to its end.
    ///
    /// # Errors
    /// [`Collision`] where a different packet came under the same hash within the lifetime, and is not acknowledged yet: the proxy has refused
    /// one of them, and here nobody knows which. Neither holds any more. So it is where the frame had been sent before, perhaps before
    /// the other was acknowledged.
    pub(super) fn came(
        &mut self,
        by: Identification,
        (mpdu, place): (&Mpdu, u32),
        (packet, flow): (&Packet, FlowKey),
        (now, lifetime): (Instant, Duration),
        is_said: impl FnMut(FlowKey, SeqNumber) -> bool,
    ) -> Result<Option<Name>, Collision> {
        let Some(tag) = tag(by, mpdu, packet) else { return Ok(None) };
        if by == Identification::FrameSequence {
            return Ok(Some(Name { tag, came: now, place }));
        }
        let seq = packet.tcp().map_or(SeqNumber(0), |tcp| tcp.seq);
        let same = (flow, seq, packet.payload.len());
        let known = self.owners.get(&tag).filter(|owner| now <= owner.came + lifetime);
        let (number, company) = match known {
            Some(owner) if owner.packet == same => (owner.number, owner.company),
            Some(owner) => (self.next_owner, owner.company_of_next(mpdu.retry, is_said)),
            None => (self.next_owner, Company::Alone),
        };
        self.next_owner = self.next_owner.wrapping_add(u32::from(number == self.next_owner));
        self.owners.insert(tag, Owner { packet: same, number, came: now, company });
        if company == Company::Alone { Ok(Some(Name { tag, came: now, place: number })) } else { Err(Collision) }
    }

    /// Whether a name still stands for the packet that it was given to: the template is there for as long again, and the key was not given away.
    pub(super) fn holds(&self, by: Identification, name: &Name, now: Instant, lifetime: Duration) -> bool {
        let young = now.saturating_since(name.came) * 2 <= lifetime;
        young
            && match by {
                Identification::FrameSequence => {
                    let latest = self.latest[usize::from((name.tag.get() - 1) / MacSeq::MODULUS)];
                    latest.is_some_and(|latest| latest.wrapping_sub(name.place) < u32::from(MacSeq::MODULUS / 2))
                }
                Identification::Hash => self
                    .owners
                    .get(&name.tag)
                    .is_some_and(|owner| owner.number == name.place && owner.company == Company::Alone),
            }
    }
}

impl Owner {
    /// The company of a different packet that comes under the same hash, perhaps in a frame that was sent before.
    fn company_of_next(&self, retry: bool, mut is_said: impl FnMut(FlowKey, SeqNumber) -> bool) -> Company {
        let (flow, seq, len) = self.packet;
        let fresh = !retry && is_said(flow, seq + len);
        match self.company {
            Company::Alone if fresh => Company::Alone,
            Company::With(other, end) if fresh && is_said(other, end) => Company::Alone,
            Company::Alone => Company::With(flow, seq + len),
            Company::With(..) | Company::Crowd => Company::Crowd,
        }
    }
}

fn slot(mpdu: &Mpdu) -> u16 {
    mpdu.tid().map_or(0, |tid| u16::from(tid.0 % 4))
}

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

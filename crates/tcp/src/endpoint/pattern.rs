//! What the segments of a train have in common: each is a copy of the one before it with its own place and numbers.

use ackless_wire::{Bytes, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

use super::Endpoint;
use super::segment::Said;

/// A segment with so many bytes whose values do not matter, as the next of a train stands on the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    ip: IpHeader,
    tcp: TcpHeader,
    payload: Bytes,
    len: Bytes,
}

impl Endpoint {
    /// The pattern of segments that say this, with numbers where segments have some.
    #[inline(always)]
    pub(super) fn pattern(&self, said: Said, payload: Bytes) -> Pattern {
        let peer = self.peer.as_ref().expect("whoever has a peer can send to it");
        let mut tcp = said.header(peer.ports);
        self.dialect.write_number(0, &mut tcp.options.tack);
        Pattern { ip: peer.ip, len: peer.ip.len() + tcp.len() + payload, tcp, payload }
    }

    /// The next segment of a train, in its place: from `seq` on, and with this number where it has one.
    #[inline(always)]
    pub(super) fn build_like(
        &mut self,
        pattern: &mut Pattern,
        seq: SeqNumber,
        number: Option<u64>,
        pool: &mut PacketPool,
    ) -> PacketId {
        if let IpHeader::V4(ip) = &mut pattern.ip {
            ip.id = ip.id.wrapping_add(1);
        }
        pattern.tcp.seq = seq;
        if let Some(number) = number {
            self.dialect.write_number(number, &mut pattern.tcp.options.tack);
        }
        let &mut Pattern { ip, tcp, payload, len } = pattern;
        let payload = Payload::Length(payload.get() as u32);
        pool.insert_with(len, || Packet { ip, transport: Transport::Tcp(tcp), payload })
    }

    /// A train of these has gone out: what is sent next is counted on from its last segment.
    #[inline(always)]
    pub(super) fn go_on_from(&mut self, pattern: &Pattern) {
        if let Some(peer) = &mut self.peer {
            peer.ip = pattern.ip;
        }
    }
}

impl Pattern {
    /// What follows has PSH.
    #[inline(always)]
    pub(super) fn push(&mut self) {
        self.tcp.flags = self.tcp.flags.union(TcpFlags::PSH);
    }
}

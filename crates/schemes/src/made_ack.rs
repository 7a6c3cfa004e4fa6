//! TCP ACKs that an AP makes in the place of a client's.

use ackless_wire::tcp::TcpOptions;
use ackless_wire::{Bytes, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

/// What the last ACK that was seen from a client says and a data packet does not: taken over, so that a made ACK fits between the client's own.
///
/// With an older timestamp a later ACK of the client's would not be dropped, but this one's would (RFC 7323, 5.3); with a newer one, the client's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClientFacts {
    /// Its window field, as it stands there.
    pub(crate) window: u16,
    /// Its TSval; `None` where the connection has no timestamps.
    pub(crate) ts_val: Option<u32>,
    /// Its SND.NXT, as far as it was seen: the sequence number that follows what it has sent.
    snd_nxt: SeqNumber,
    ip: IpHeader,
}

/// What is kept of a segment of data, to be acknowledged later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DataFacts {
    src_port: u16,
    dst_port: u16,
    pub(crate) seq: SeqNumber,
    /// Just past its last byte.
    pub(crate) end: SeqNumber,
    pub(crate) ack: SeqNumber,
    /// Its TSval.
    pub(crate) ts_val: Option<u32>,
}

impl ClientFacts {
    /// What a packet from the client says, if it [says] anything.
    #[inline(always)]
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        says(packet).map(|tcp| Self::read(packet, tcp))
    }

    /// What a packet says of which [`says`] has found this header.
    #[inline(always)]
    pub(crate) fn read(packet: &Packet, tcp: &TcpHeader) -> Self {
        let ts_val = tcp.options.timestamps.map(|(val, _)| val);
        Self { window: tcp.window, ts_val, snd_nxt: next_after(packet, tcp), ip: not_ect(packet.ip) }
    }

    /// The same where `before` was known of the client: what it sent then stays sent, though it now repeats something older.
    pub(crate) fn keeping_snd_nxt_of(self, before: Self) -> Self {
        Self { snd_nxt: self.snd_nxt.max(before.snd_nxt), ..self }
    }

    /// Whether the client accepts an acknowledgment number: nothing that it has not sent, nor older than any window (RFC 5961, 5.2).
    pub(crate) fn accepts_ack(&self, ack: SeqNumber) -> bool {
        (0..=1 << 30).contains(&self.snd_nxt.distance_from(ack))
    }

    /// Puts a pure ACK from the client for the sender of `data` up to `ack` into the pool. `echo` is the TSval that it echoes (RFC 7323, 4.3); without effect where the
    /// connection has no timestamps. `window` is its window field. The sequence number is what follows the client's own data, as far as it was seen, and at least `data.ack`: one that the
    /// sender of `data` has passed would be outside of its window (RFC 9293, 3.10.7.4). `flags` are set beside ACK.
    pub(crate) fn put_ack(
        &self,
        pool: &mut PacketPool,
        data: &DataFacts,
        (ack, echo): (SeqNumber, u32),
        window: u16,
        flags: TcpFlags,
    ) -> PacketId {
        let stamps = if self.ts_val.is_some() { STAMPS_LEN } else { Bytes::ZERO };
        // It is made where it will stand.
        pool.insert_with(self.ip.len() + TcpHeader::MIN_LEN + stamps, || {
            let tcp = TcpHeader {
                seq: data.ack.max(self.snd_nxt),
                ack,
                flags: TcpFlags::ACK | flags,
                window,
                options: TcpOptions { timestamps: self.ts_val.map(|val| (val, echo)), ..TcpOptions::default() },
                ..data.answered()
            };
            Packet { ip: self.ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
        })
    }
}

impl DataFacts {
    /// What is kept of a segment with this header and so many bytes.
    #[inline(always)]
    pub(crate) fn of(tcp: &TcpHeader, len: u32) -> Self {
        Self {
            src_port: tcp.src_port,
            dst_port: tcp.dst_port,
            seq: tcp.seq,
            end: tcp.seq + len,
            ack: tcp.ack,
            ts_val: tcp.options.timestamps.map(|(val, _)| val),
        }
    }

    /// The header of an answer to it, with ports and nothing else.
    pub(crate) fn answered(&self) -> TcpHeader {
        TcpHeader::new(self.dst_port, self.src_port)
    }
}

/// The header of a packet that says something of its sender: nothing where it is no ACK of TCP, for a SYN, whose window is not scaled, and for what says more than
/// plain TCP ([`TcpHeader::is_opaque`]): timestamps and sequence number of a TACK are not what they are elsewhere.
#[inline(always)]
pub(crate) fn says(packet: &Packet) -> Option<&TcpHeader> {
    let acks = |tcp: &&TcpHeader| tcp.flags.contains(TcpFlags::ACK) && !tcp.flags.contains(TcpFlags::SYN);
    packet.tcp().filter(acks).filter(|tcp| !tcp.is_opaque())
}

/// The sequence number that follows a packet, which is no SYN.
#[inline(always)]
pub(crate) fn next_after(packet: &Packet, tcp: &TcpHeader) -> SeqNumber {
    tcp.seq + packet.payload.len() + u32::from(tcp.flags.contains(TcpFlags::FIN))
}

/// The header without the mark of an ECN-capable transport, which a pure ACK must not bear (RFC 3168, 6.1.4).
fn not_ect(mut ip: IpHeader) -> IpHeader {
    match &mut ip {
        IpHeader::V4(v4) => v4.dscp_ecn &= !ECN,
        IpHeader::V6(v6) => v6.traffic_class &= !ECN,
    }
    ip
}

const ECN: u8 = 0b11;
/// Timestamps, padded (RFC 7323, appendix A).
const STAMPS_LEN: Bytes = Bytes(12);

//! TCP ACKs that an AP makes in the place of a client's.

use ackless_wire::tcp::TcpOptions;
use ackless_wire::{IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

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

impl ClientFacts {
    /// What a packet from the client says, SYN excepted, whose window is not scaled; `None` where it is no ACK of TCP, and for what says more than
    /// plain TCP ([`TcpHeader::is_opaque`]): timestamps and sequence number of a TACK are not what they are elsewhere.
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        let tcp = packet.tcp().filter(|tcp| tcp.flags.contains(TcpFlags::ACK) && !tcp.flags.contains(TcpFlags::SYN))?;
        if tcp.is_opaque() {
            return None;
        }
        let ts_val = tcp.options.timestamps.map(|(val, _)| val);
        let snd_nxt = tcp.seq + packet.payload.len() + u32::from(tcp.flags.contains(TcpFlags::FIN));
        Some(Self { window: tcp.window, ts_val, snd_nxt, ip: not_ect(packet.ip) })
    }

    /// The same where `before` was known of the client: what it sent then stays sent, though it now repeats something older.
    pub(crate) fn keeping_snd_nxt_of(self, before: Self) -> Self {
        Self { snd_nxt: self.snd_nxt.max(before.snd_nxt), ..self }
    }

    /// Whether the client accepts an acknowledgment number: nothing that it has not sent, nor older than any window (RFC 5961, 5.2).
    pub(crate) fn accepts_ack(&self, ack: SeqNumber) -> bool {
        (0..=1 << 30).contains(&self.snd_nxt.distance_from(ack))
    }

    /// A pure ACK from the client for the sender of `data` up to `ack`. `echo` is the TSval that it echoes (RFC 7323, 4.3); without effect where the
    /// connection has no timestamps. The sequence number is what follows the client's own data, as far as it was seen: one that the
    /// sender of `data` has passed would be outside of its window (RFC 9293, 3.10.7.4).
    pub(crate) fn ack(&self, data: &TcpHeader, ack: SeqNumber, echo: u32) -> Packet {
        let tcp = TcpHeader {
            seq: data.ack.max(self.snd_nxt),
            ack,
            flags: TcpFlags::ACK,
            window: self.window,
            options: TcpOptions { timestamps: self.ts_val.map(|val| (val, echo)), ..TcpOptions::default() },
            ..TcpHeader::new(data.dst_port, data.src_port)
        };
        Packet { ip: self.ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
    }
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

//! What can be known of an ACK before it is emitted: a checksum of three bits lets wrong headers through.
//!
//! This node has forwarded the data that the ACK is for. So an ACK may not acknowledge, by number or SACK block, more than was numbered for the air; may not echo a
//! timestamp that was not, or was of an ACK that this node's own host has made, since that may have left on an answer and in no frame; and may not go back behind the last
//! one. A packet is numbered when its PPDU is made, in the instant in which that, or the RTS before it, goes on
//! the air; where no CTS comes, it counts although no data left. Whoever forges an answer can still acknowledge what was numbered and did not arrive, unless there is a key
//! ([`HackConfig::mic`](crate::hack::HackConfig::mic)).

use ackless_rohc::hack::{Ack, Cid};
use ackless_wire::{Instant, SeqNumber, TcpFlags, TcpHeader};

use crate::contradiction::{Contradiction, PATIENCE};
use crate::timestamps::{is_newer, newer};

/// What was forwarded to the peer of one flow of data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forwarded {
    /// By the present connection.
    current: SentData,
    /// By the connection before it between the same addresses: its last ACKs may come after the SYN of the next one,
    /// until a native ACK of that one does.
    previous: Option<SentData>,
    /// The context identifier of the ACKs, once it was computed.
    pub(super) cid: Option<Cid>,
    /// Whether the peer's own ACKs contradict those that were emitted in its name.
    contradiction: Contradiction,
    /// When a packet was last forwarded.
    pub(super) last_used: Instant,
}

/// How far the data of a connection goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct SentData {
    /// Just past the highest byte.
    end: Option<SeqNumber>,
    /// The newest TSval.
    ts_val: Option<u32>,
    /// How much of it was acknowledged by ACKs that were emitted in the peer's name.
    told: Option<SeqNumber>,
}

/// What the next ACK of a context must keep to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// It acknowledges at least this: the last ACK did. Where nothing is known of the data, no more than this either.
    least: SeqNumber,
    /// The newest timestamp that an ACK echoed, from the native reference on.
    echoed: Option<u32>,
}

impl Forwarded {
    pub(super) const fn new(now: Instant) -> Self {
        let (current, contradiction) = (SentData { end: None, ts_val: None, told: None }, Contradiction::NONE);
        Self { current, previous: None, cid: None, contradiction, last_used: now }
    }

    /// A packet of the flow with this header and so many bytes is being forwarded.
    #[inline(always)]
    pub(super) fn note(&mut self, tcp: &TcpHeader, length: u32, now: Instant) {
        self.last_used = now;
        if tcp.options.tack.ack_type.is_some() {
            // Nothing of a TACK is acknowledged, and its TSval is of the other end's clock: no ACK echoes it.
            return;
        }
        let syn = tcp.flags.contains(TcpFlags::SYN);
        let flags = u32::from(syn) + u32::from(tcp.flags.contains(TcpFlags::FIN));
        let end = tcp.seq + (length + flags);
        let ts_val = tcp.options.timestamps.map(|(value, _)| value);
        if syn {
            // A new connection between the same addresses begins anew. A SYN that is sent again does not.
            let new = SentData { end: Some(end), ts_val, told: None };
            if self.current.end != Some(end) {
                self.previous = self.current.end.map(|_| self.current).or(self.previous);
            }
            self.current = new;
            self.contradiction.end();
            return;
        }
        let SentData { end: highest, ts_val: newest, .. } = &mut self.current;
        *highest = Some(highest.map_or(end, |before| before.max(end)));
        if *newest != ts_val {
            *newest = newer(*newest, ts_val);
        }
    }

    /// A native ACK came: what it acknowledges is the present connection.
    pub(super) fn forget_previous(&mut self) {
        if self.previous.take().is_some() {
            // ACKs of the one before may have come since.
            self.end_doubt();
        }
    }

    /// ACKs up to this one were emitted in the peer's name.
    #[inline]
    pub(super) fn emitted(&mut self, ack: SeqNumber, now: Instant) {
        match self.current.told {
            Some(told) if ack.before(told) => _ = self.contradiction.hears(now, ack, told, PATIENCE),
            _ => {
                self.current.told = Some(ack);
                self.contradiction.end();
            }
        }
    }

    /// The peer has acknowledged up to here natively. What was emitted in its name, if that goes
    /// further and the peer has contradicted it for so long that it was wrong.
    pub(super) fn contradicted(&mut self, ack: SeqNumber, now: Instant) -> Option<SeqNumber> {
        self.current.told.filter(|told| self.contradiction.hears(now, ack, *told, PATIENCE))
    }

    /// Nothing counts as emitted.
    pub(super) fn end_doubt(&mut self) {
        self.current.told = None;
        self.contradiction.end();
    }
}

impl SentData {
    /// The same where a packet with this TSval was sent too.
    fn with_ts_val(self, ts_val: u32) -> Self {
        Self { ts_val: newer(self.ts_val, Some(ts_val)), ..self }
    }
}

impl Bounds {
    /// What a native ACK sets.
    pub(super) fn of(native: &Ack) -> Self {
        let echoed = native.tcp().options.timestamps.map(|(_, echo)| echo);
        Self { least: native.tcp().ack, echoed }
    }

    /// Whether a decompressed ACK can be what the peer's TCP sent. It is the last one from then on. `own_acks` is the newest TSval of ACKs that this end's host sends on the
    /// same connection, which is asked for where the ACK echoes none of the data's.
    pub(super) fn admit(
        &mut self,
        ack: &Ack,
        forwarded: Option<&Forwarded>,
        own_acks: impl FnOnce() -> Option<u32>,
    ) -> bool {
        let sent = forwarded.map_or(SentData::default(), |forwarded| forwarded.current);
        let before = forwarded.and_then(|forwarded| forwarded.previous);
        let admitted = self.allows(ack, sent)
            || before.is_some_and(|before| self.allows(ack, before))
            || own_acks().is_some_and(|ts_val| self.allows(ack, sent.with_ts_val(ts_val)));
        if admitted {
            // Both follow, so that what they are compared with is never half the number space away.
            self.least = ack.tcp().ack;
            self.echoed = newer(self.echoed, ack.tcp().options.timestamps.map(|(_, echo)| echo));
        }
        admitted
    }

    fn allows(&self, ack: &Ack, sent: SentData) -> bool {
        let tcp = ack.tcp();
        let end = sent.end.map_or(self.least, |end| end.max(self.least));
        let newest = newer(sent.ts_val, self.echoed);
        let acknowledges = !tcp.ack.before(self.least) && !tcp.ack.after(end);
        let echo = tcp.options.timestamps.map(|(_, echo)| echo);
        let echoes = !matches!((echo, newest), (Some(echo), Some(newest)) if is_newer(echo, newest));
        let block = |&(left, right): &(SeqNumber, SeqNumber)| left.before(right) && !right.after(end);
        acknowledges && echoes && tcp.options.sack.as_slice().iter().all(block)
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::tcp::SackBlocks;
    use ackless_wire::{IpHeader, Packet, Payload, Transport};

    use super::*;

    fn packet(flags: TcpFlags, seq: u32, len: u32, stamps: (u32, u32), ack: u32) -> Packet {
        let mut tcp = TcpHeader { flags, seq: SeqNumber(seq), ack: SeqNumber(ack), ..TcpHeader::new(1, 2) };
        tcp.options.timestamps = Some(stamps);
        let ip = IpHeader::between([10, 0, 0, 1].into(), [10, 1, 0, 1].into()).expect("both are IPv4");
        Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(len) }
    }

    fn note(forwarded: &mut Forwarded, packet: &Packet) {
        forwarded.note(packet.tcp().expect("built as TCP"), packet.payload.len(), Instant::ZERO);
    }

    fn ack(number: u32, echo: u32, sack: &[(u32, u32)]) -> Ack {
        let mut packet = packet(TcpFlags::ACK, 1, 0, (500, echo), number);
        let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("built as TCP") };
        let blocks: Vec<_> = sack.iter().map(|&(left, right)| (SeqNumber(left), SeqNumber(right))).collect();
        tcp.options.sack = SackBlocks::from_slice(&blocks);
        Ack::of(&packet).expect("a pure ACK")
    }

    #[test]
    fn only_what_was_forwarded_is_acknowledged_echoed_and_selected() {
        let mut forwarded = Forwarded::new(Instant::ZERO);
        let start = u32::MAX - 1000;
        note(&mut forwarded, &packet(TcpFlags::SYN | TcpFlags::ACK, start, 0, (70, 1), 1));
        for n in 0..3 {
            let seq = start.wrapping_add(1 + 1000 * n);
            note(&mut forwarded, &packet(TcpFlags::ACK, seq, 1000, (70 + n, 1), 1));
        }
        let at = |n: u32| start.wrapping_add(1 + 1000 * n);
        let native = ack(at(1), 70, &[]);
        let admits = |ack: &Ack| Bounds::of(&native).admit(ack, Some(&forwarded), || None);
        assert!(
            admits(&ack(at(1), 70, &[])) && admits(&ack(at(3), 72, &[])) && admits(&ack(at(1), 70, &[(at(2), at(3))]))
        );
        assert!(admits(&ack(at(2), 72, &[(at(0), at(1))])), "a duplicate SACK lies before the acknowledgment number");
        assert!(!admits(&ack(at(3).wrapping_add(1), 72, &[])), "never forwarded");
        assert!(!admits(&ack(at(0), 72, &[])), "goes back");
        assert!(!admits(&ack(at(2), 73, &[])), "never stamped");
        let own_ack = |ts_val| Bounds::of(&native).admit(&ack(at(2), 73, &[]), Some(&forwarded), || Some(ts_val));
        assert!(own_ack(73) && own_ack(74) && !own_ack(72), "the stamp of an ACK that was in no frame");
        assert!(!admits(&ack(at(1), 70, &[(at(2), at(4))])) && !admits(&ack(at(1), 70, &[(at(3), at(2))])));
    }

    #[test]
    fn a_new_connection_between_the_same_addresses_begins_anew() {
        let mut forwarded = Forwarded::new(Instant::ZERO);
        note(&mut forwarded, &packet(TcpFlags::ACK, 0x7000_0000, 1000, (900, 1), 1));
        note(&mut forwarded, &packet(TcpFlags::SYN | TcpFlags::ACK, 10, 0, (5, 1), 1));
        let mut last = Bounds::of(&ack(0x7000_0000, 900, &[]));
        assert!(last.admit(&ack(0x7000_03e8, 900, &[]), Some(&forwarded), || None), "the end of the old one is late");
        assert!(!last.admit(&ack(0x7000_03e9, 900, &[]), Some(&forwarded), || None));
        forwarded.forget_previous();
        let mut bounds = Bounds::of(&ack(11, 5, &[]));
        assert!(!bounds.admit(&ack(0x7000_0000, 900, &[]), Some(&forwarded), || None));
        assert!(bounds.admit(&ack(11, 5, &[]), Some(&forwarded), || None));
    }

    #[test]
    fn numbers_and_timestamps_go_round_without_a_native_ack() {
        let mut forwarded = Forwarded::new(Instant::ZERO);
        let mut bounds = Bounds::of(&ack(1, 0, &[]));
        let (mut seq, mut ts_val) = (1_u32, 0_u32);
        // More than once round.
        for n in 0..5_000 {
            note(&mut forwarded, &packet(TcpFlags::ACK, seq, 1 << 20, (ts_val, 1), 1));
            seq = seq.wrapping_add(1 << 20);
            let mut admits = |number, echo| bounds.admit(&ack(number, echo, &[]), Some(&forwarded), || None);
            assert!(!admits(seq.wrapping_add(1), ts_val), "{n}: never forwarded");
            assert!(!admits(seq, ts_val.wrapping_add(1)), "{n}: never stamped");
            assert!(admits(seq, ts_val), "{n}");
            ts_val = ts_val.wrapping_add(1 << 20);
        }
    }

    #[test]
    fn without_a_record_nothing_beyond_the_native_ack_is_admitted() {
        let mut bounds = Bounds::of(&ack(5000, 7, &[]));
        assert!(bounds.admit(&ack(5000, 7, &[]), None, || None));
        assert!(!bounds.admit(&ack(5001, 7, &[]), None, || None));
        assert!(!bounds.admit(&ack(5000, 8, &[]), None, || None));
    }
}

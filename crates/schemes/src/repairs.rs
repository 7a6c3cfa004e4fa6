//! What an agent has acknowledged in a client's name, and what it owes since: the same at an AP that caches ([`crate::fast_ack`]) and in a station's MAC that buffers
//! ([`crate::agent`]).
//!
//! The promise is that of RFC 9293, 3.10.7.4: who acknowledges data takes responsibility for it. It is kept until the client's TCP has acknowledged it, sent again as its sender would
//! do that, with the sender's newest timestamps and less and less often; and where the client's TCP will not take it, the connection is reset at both ends, so that
//! neither believes in bytes that the other lacks. Each RST is sent once: where one is lost, that end hears of it from the other when it next sends, and where both are, not at all.
//!
//! Not guarded against: the newest timestamps are those of any segment of the flow, also of one that the client's TCP will refuse, so that a forged TSval may come back in a
//! repair; and a repair bears the ACK number that its segment had, which a client that has itself sent much since may find too old.

use ackless_wire::{Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber};
use ackless_wire::{TcpFlags, TcpHeader, Transport};

/// The newest timestamps of a flow's sender.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Newest(Option<(u32, u32)>);

impl Newest {
    /// A segment of the sender's goes by.
    pub(crate) fn note(&mut self, tcp: &TcpHeader) {
        let Some((val, ecr)) = tcp.options.timestamps else { return };
        if self.0.is_none_or(|(newest, _)| !SeqNumber(val).before(SeqNumber(newest))) {
            self.0 = Some((val, ecr));
        }
    }

    /// Makes a segment that is sent again what its sender would send now. With its own timestamps it might be older than what the client has seen since, which
    /// would drop it each time (RFC 7323, 5.3).
    pub(crate) fn renew(self, pool: &mut PacketPool, packet: &mut PacketId) {
        let content = pool.get(*packet);
        let Some(old) = content.tcp().and_then(|tcp| tcp.options.timestamps) else { return };
        if self.0.is_none_or(|newest| newest == old) {
            return;
        }
        let mut copy = content.clone();
        if let Transport::Tcp(tcp) = &mut copy.transport {
            tcp.options.timestamps = self.0;
        }
        let copy = pool.insert(copy);
        pool.release(std::mem::replace(packet, copy));
    }
}

/// The timer of what has been acknowledged and the client's TCP is not known to have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Debt {
    /// When it runs out; `None` where nothing is owed.
    due: Option<Instant>,
    wait: Duration,
    attempts: u32,
}

impl Debt {
    pub(crate) const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether it has run out since the last progress.
    pub(crate) const fn is_late(&self) -> bool {
        self.attempts > 0
    }

    /// Something is owed, perhaps beside more.
    pub(crate) fn owe(&mut self, now: Instant, first: Duration) {
        if self.due.is_none() {
            *self = Self { due: Some(now + first), wait: first, attempts: 0 };
        }
    }

    /// The client's TCP has acknowledged something. `owed`: not all.
    pub(crate) fn progress(&mut self, now: Instant, first: Duration, owed: bool) {
        *self = Self::default();
        if owed {
            self.owe(now, first);
        }
    }

    /// Nothing is owed.
    pub(crate) const fn settle(&mut self) {
        self.due = None;
    }

    /// The time is over and nothing can be sent now: it runs once more.
    pub(crate) fn put_off(&mut self, now: Instant) {
        self.due = Some(now + self.wait);
    }

    /// The time is over: the next one is twice as long (RFC 6298, 5.5). Returns whether the client is worth the attempt; one that says that it has no room is asked for
    /// ever (RFC 9293, 3.8.6.1).
    pub(crate) fn attempt(&mut self, now: Instant, has_no_room: bool) -> bool {
        if self.attempts == MAX_ATTEMPTS && !has_no_room {
            return false;
        }
        self.attempts = (self.attempts + 1).min(MAX_ATTEMPTS);
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
        self.put_off(now);
        true
    }
}

/// The end of a connection for the receiver of `data`, as from its sender. `next`: what the receiver waits for; any other number it would question (RFC 5961, 3.2).
pub(crate) fn reset_for_receiver(data: &Packet, next: SeqNumber) -> Option<Packet> {
    let tcp = data.tcp()?;
    Some(reset(data.ip, TcpHeader { seq: next, ack: tcp.ack, ..TcpHeader::new(tcp.src_port, tcp.dst_port) }))
}

/// The end of a connection for the sender of `data`, as from its receiver, which would send `next` next and has acknowledged up to `ack`.
pub(crate) fn reset_for_sender(data: &Packet, next: SeqNumber, ack: SeqNumber) -> Option<Packet> {
    let tcp = data.tcp()?;
    let ip = IpHeader::between(data.ip.dst(), data.ip.src())?;
    Some(reset(ip, TcpHeader { seq: next, ack, ..TcpHeader::new(tcp.dst_port, tcp.src_port) }))
}

fn reset(ip: IpHeader, tcp: TcpHeader) -> Packet {
    let tcp = TcpHeader { flags: TcpFlags::RST | TcpFlags::ACK, ..tcp };
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
}

/// So many duplicate ACKs mean a loss (RFC 5681, 3.2).
pub(crate) const DUPLICATES: u64 = 3;
/// So often without progress, as long as a sender tries (R2 of RFC 9293, 3.8.3; Linux's `tcp_retries2`).
const MAX_ATTEMPTS: u32 = 15;
/// RFC 6298, 2.5.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

//! What an agent has acknowledged in a client's name, and what it owes since: the same at an AP that caches ([`crate::fast_ack`]) and in a station's MAC that buffers
//! ([`crate::agent`]).
//!
//! The promise is that of RFC 9293, 3.10.7.4: who acknowledges data takes responsibility for it. It is kept until the client's TCP has acknowledged it, sent again as its sender would
//! do that, with what the sender said last beside its data ([`SenderFacts`]) and less and less often; and where the client's TCP will not take it, the connection is reset at both ends, so that
//! neither believes in bytes that the other lacks (`crate::resets`).
//!
//! What the sender said last is taken from segments that the client's TCP takes too, in the window and with an acceptable ACK ([`Acceptable`]; RFC 7323, 4.3 with RFC 5961, 5): by the
//! timestamp of a guess that the TCP refuses, PAWS would drop all that the sender sends for 24 days. A segment whose own ACK is not acceptable is never made acceptable.

use ackless_wire::{Duration, Instant, PacketId, PacketPool, SeqNumber, TcpFlags, TcpHeader};

use crate::timestamps::is_newer;

/// What a client's TCP takes, as far as one beside it can know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acceptable {
    /// RCV.NXT by its last ACK: the first byte that it waits for.
    pub(crate) rcv_nxt: SeqNumber,
    /// RCV.NXT may have come as far as this by now. A segment that begins further to the right leaves no timestamp (RFC 7323, 4.3).
    pub(crate) rcv_nxt_at_most: SeqNumber,
    /// Just past the last byte that it may have offered room for; no less than `rcv_nxt_at_most`.
    pub(crate) edge: SeqNumber,
    /// The client's own SND.NXT: nothing beyond can be acknowledged. `None` where nothing of its own was seen.
    pub(crate) snd_nxt: Option<SeqNumber>,
}

/// What a flow's sender has said last beside its data, by segments that the client's TCP takes too. Of timestamps no less than what the TCP takes, since it drops a repair with an older
/// one than it has seen (RFC 7323, 5.3).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SenderFacts {
    ack: Option<SeqNumber>,
    window: Option<u16>,
    timestamps: Option<(u32, u32)>,
}

impl SenderFacts {
    /// Of a connection whose client sends this number first, after its SYN (ISS + 1).
    pub(crate) const fn since(client_first: SeqNumber) -> Self {
        Self { ack: Some(client_first), window: None, timestamps: None }
    }

    /// The TSval of its last segment, if it had one.
    #[inline]
    pub(crate) fn ts_val(&self) -> Option<u32> {
        self.timestamps.map(|(val, _)| val)
    }

    /// A segment of the sender's, up to `end`, goes by.
    pub(crate) fn note(&mut self, tcp: &TcpHeader, end: SeqNumber, acceptable: &Acceptable) {
        let Acceptable { rcv_nxt, rcv_nxt_at_most, edge, snd_nxt } = *acceptable;
        let plain = tcp.flags.contains(TcpFlags::ACK) && !tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST);
        let in_window = (end.after(rcv_nxt) || tcp.seq == rcv_nxt) && !tcp.seq.after(edge);
        // What acknowledges less has no newer timestamp either.
        let late = self.ack.is_some_and(|ack| tcp.ack.before(ack));
        if !plain || !in_window || late || !self.is_ack_acceptable(tcp, snd_nxt) {
            return;
        }
        (self.ack, self.window) = (Some(tcp.ack), Some(tcp.window));
        if let Some((val, ecr)) = tcp.options.timestamps
            && !tcp.seq.after(rcv_nxt_at_most)
            && self.timestamps.is_none_or(|(newest, _)| !is_newer(newest, val))
        {
            self.timestamps = Some((val, ecr));
        }
    }

    /// Whether a segment says again what was noted, which was acceptable then and so is now.
    #[inline]
    pub(crate) fn is_repeated_by(&self, tcp: &TcpHeader) -> bool {
        tcp.flags == TcpFlags::ACK
            && self.ack == Some(tcp.ack)
            && self.window == Some(tcp.window)
            && self.timestamps == tcp.options.timestamps
    }

    /// Whether a segment's ACK number is acceptable: no more than the client has sent, and nothing older than any window (RFC 5961, 5.2): if not, its TCP drops it whenever it comes.
    pub(crate) fn is_ack_acceptable(&self, tcp: &TcpHeader, snd_nxt: Option<SeqNumber>) -> bool {
        let recent = self.ack.or(snd_nxt).is_none_or(|known| known.distance_from(tcp.ack) <= WIDEST_WINDOW);
        tcp.flags.contains(TcpFlags::ACK) && recent && snd_nxt.is_none_or(|snd_nxt| !tcp.ack.after(snd_nxt))
    }

    /// Makes a segment that is sent again what its sender would send now. With its own timestamps it might be older than what the client has seen since, which
    /// would drop it each time (RFC 7323, 5.3), and so it would one with an ACK number from before more than a window of the client's own data (RFC 5961, 5.2).
    pub(crate) fn renew(self, pool: &mut PacketPool, packet: &mut PacketId) {
        let content = pool.get(*packet);
        let Some(old) = content.tcp() else { return };
        let (ack, window) =
            (self.ack.filter(|_| self.window.is_some()).unwrap_or(old.ack), self.window.unwrap_or(old.window));
        let timestamps = old.options.timestamps.and(self.timestamps).or(old.options.timestamps);
        if (old.ack, old.window, old.options.timestamps) == (ack, window, timestamps) {
            return;
        }
        let mut copy = content.clone();
        if let Some(tcp) = copy.tcp_mut() {
            (tcp.ack, tcp.window, tcp.options.timestamps) = (ack, window, timestamps);
        }
        let copy = pool.insert(copy);
        pool.release(std::mem::replace(packet, copy));
    }
}

/// The retransmission timer of what has been acknowledged and the client's TCP is not known to have. It runs while something is owed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RepairTimer {
    /// When it runs out; `None` where nothing is owed.
    due: Option<Instant>,
    wait: Duration,
    /// Attempts without progress, of those at an open window.
    attempts: u32,
    /// It has run out since the last progress.
    ran_out: bool,
}

impl RepairTimer {
    pub(crate) const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether it has run out since the last progress.
    pub(crate) const fn has_run_out(&self) -> bool {
        self.ran_out
    }

    /// Something is owed, perhaps beside more, for which it runs already.
    pub(crate) fn start(&mut self, now: Instant, first: Duration) {
        if self.due.is_none() {
            *self = Self { due: Some(now + first), wait: first, ..Self::default() };
        }
    }

    /// The client's TCP has acknowledged something. `owed`: not all, so that it begins anew.
    pub(crate) fn on_progress(&mut self, now: Instant, first: Duration, owed: bool) {
        *self = Self::default();
        if owed {
            self.start(now, first);
        }
    }

    /// The client has made room for what waited for it: the next attempt comes soon, and counts as those before it did.
    pub(crate) fn hasten(&mut self, now: Instant, first: Duration) {
        if self.due.is_some() {
            (self.due, self.wait) = (Some(now + first), first);
        }
    }

    /// Nothing is owed.
    pub(crate) const fn stop(&mut self) {
        self.due = None;
    }

    /// The time is over and nothing can be sent now: it runs once more.
    pub(crate) fn put_off(&mut self, now: Instant) {
        self.due = Some(now + self.wait);
    }

    /// The time is over: the next one is twice as long (RFC 6298, 5.5). Returns whether the client is worth the attempt; one that says that it has no room is asked for
    /// ever (RFC 9293, 3.8.6.1), and no such attempt counts against it later.
    pub(crate) fn attempt(&mut self, now: Instant, has_no_room: bool) -> bool {
        if !has_no_room {
            if self.attempts == MAX_ATTEMPTS {
                return false;
            }
            self.attempts += 1;
        }
        self.ran_out = true;
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
        self.put_off(now);
        true
    }
}

/// So many duplicate ACKs mean a loss (RFC 5681, 3.2).
pub(crate) const DUPLICATES: u64 = 3;
/// So often without progress, as long as a sender tries (R2 of RFC 9293, 3.8.3; Linux's `tcp_retries2`).
const MAX_ATTEMPTS: u32 = 15;
/// No window is wider (RFC 7323, 2.3).
const WIDEST_WINDOW: i32 = 1 << 30;
/// RFC 6298, 2.5.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

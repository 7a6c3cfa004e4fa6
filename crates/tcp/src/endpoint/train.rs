//! Trains: new full-sized segments one behind another, as many as the windows let go at once.
//!
//! Nearly all that a sender of bulk data sends goes so: each acknowledgement lets a few segments go, and nothing bears on them but the peer's window and the
//! congestion window. What `output` finds out for each segment is found out once for all of them here, with the same outcome; where anything else may bear on what
//! is sent, no train is made. An acknowledgement without anything beside it, which is nearly all that a receiver sends, is made here too.

use ackless_wire::{Bytes, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, TcpFlags, TcpHeader, Transport};

use super::Endpoint;
use super::output::Said;
use super::sender::{Probe, Throttle};
use crate::ack::AckPolicy;
use crate::config::GrowthRule;
use crate::congestion::Controller;
use crate::sequence::Position;
use crate::state::State;
use crate::timers::Timer;

impl Endpoint {
    /// Puts the segments of a train, if one can go now, into `pool`, with one reference to each, and onto `train`. Returns whether nothing more is to be sent for
    /// now: else [`poll_transmit`](Self::poll_transmit) is to be asked as ever.
    #[inline(always)]
    pub fn poll_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        self.tx.una < self.tx.next && self.sends_new_data_alone(now) && self.send_train(now, pool, train)
    }

    /// Whether the next segments are new data, and only windows can hold them back.
    #[inline]
    fn sends_new_data_alone(&self, now: Instant) -> bool {
        let tx = &self.tx;
        self.state == State::Established
            && self.reply.is_none()
            && self.dialect.is_plain()
            && self.loss.is_calm()
            && tx.next == tx.max
            && (tx.probe, tx.tail_probe) == (Probe::Idle, Probe::Idle)
            && tx.throttle == Throttle::Open
            && tx.bursts.is_none()
            && tx.buffer.is_one_length()
            && self.timers.is_armed(Timer::Retransmit)
            && !self.rx.has_blocks()
            && !self.rx.tunes_itself()
            && !self.is_paced()
            && self.pacer.may_send(now)
            && self.undo.is_none()
            && self.ecn.is_none()
            && self.asks.is_none()
            && !self.ack_policy.asks_host()
    }

    #[inline(never)]
    fn send_train(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        let (smss, written) = (self.tx.smss, self.tx.buffer.end());
        let congested = self.tx.una + self.congestion.window();
        let limit = self.tx.window_end.min(congested);
        let fits = |next: Position, limit: Position| next + smss <= limit && next + smss < written;
        let first = self.tx.next;
        if fits(first, limit) {
            let said = self.say(now, first);
            let mut next = first;
            while fits(next, limit) {
                train.push(self.put(Said { seq: next.seq(self.tx.iss), ..said }, self.tx.smss, pool));
                next += smss;
                self.marks.sent(next, now);
            }
            self.account_train(now, next);
        }
        let is_congested = fits(self.tx.next, self.tx.window_end) && self.ack_owed.is_none();
        if is_congested {
            self.tx.limited_until = self.tx.max;
        }
        is_congested
    }

    /// Whether an acknowledgement is all that is to be sent, and has nothing to tell but its number, the window and the time.
    #[inline(always)]
    pub(super) fn owes_acknowledgement_alone(&self) -> bool {
        self.has_nothing_but_acknowledgements()
            && !self.rx.has_blocks()
            && !self.rx.tunes_itself()
            && self.ecn.is_none()
            && self.asks.is_none()
    }

    /// That acknowledgement.
    #[inline(never)]
    pub(super) fn acknowledge_alone(&mut self, now: Instant, pool: &mut PacketPool) -> PacketId {
        self.stats.acks_sent += 1;
        self.stats.segments_sent += 1;
        let said = self.say(now, self.tx.ack_start());
        self.put(said, Bytes::ZERO, pool)
    }

    /// What a segment from `start` on says, and all that follow it at once; the acknowledgement goes out with it.
    #[inline(always)]
    fn say(&mut self, now: Instant, start: Position) -> Said {
        let timestamps = self.stamps.as_mut().map(|stamps| (stamps.value(now), stamps.echo()));
        self.rx.last_ack_sent = self.rx.next;
        self.settle_acknowledgement(now);
        Said {
            seq: start.seq(self.tx.iss),
            ack: self.rx.next.seq(self.rx.irs),
            flags: TcpFlags::ACK,
            window: self.rx.offer(self.rx.shift),
            timestamps,
        }
    }

    /// A segment with so many bytes whose values do not matter, in its place.
    #[inline(always)]
    fn put(&mut self, said: Said, payload: Bytes, pool: &mut PacketPool) -> PacketId {
        let peer = self.peer.as_mut().expect("whoever has a peer can send to it");
        if let IpHeader::V4(ip) = &mut peer.ip {
            ip.id = ip.id.wrapping_add(1);
        }
        let header = TcpHeader::MIN_LEN + if said.timestamps.is_some() { Bytes(12) } else { Bytes::ZERO };
        let len = peer.ip.len() + header + payload;
        let tcp = said.header(self.local.port(), peer.address.port());
        let payload = Payload::Length(payload.get() as u32);
        pool.insert_of(Packet { ip: peer.ip, transport: Transport::Tcp(tcp), payload }, len)
    }

    /// All up to `end` has gone out, in full-sized segments.
    fn account_train(&mut self, now: Instant, end: Position) {
        let segments = (end - self.tx.next).get() / self.tx.smss.get();
        self.stats.segments_sent += segments;
        self.stats.data_segments_sent += segments;
        let tx = &mut self.tx;
        (tx.next, tx.max, tx.last_sent, tx.probes) = (end, end, now, 0);
        if self.config.sender.growth == GrowthRule::Linux {
            tx.note_most_out();
        }
        self.timers.stop(Timer::Persist);
    }
}

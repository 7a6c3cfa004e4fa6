//! One connection's data towards a client: what the server has been told, what the client has said, and what lies between.

use ackless_dot11::hooks::{Context, Emission, SendOptions, Verdict};
use ackless_wire::{Instant, Packet, PacketId, PacketPool, SeqNumber, TcpFlags, TcpHeader, Transport};

use super::cache::{Cache, Delivery, Place, Segment};
use super::{FastAckConfig, FastAckCounters};
use crate::made_ack::ClientFacts;
use crate::repairs::{Acceptable, DUPLICATES, RepairTimer, SenderFacts};
use crate::resets::{Rsts, for_receiver, for_sender};

mod repairs;

/// A connection from the client's first ACK on.
#[derive(Debug)]
pub(super) struct Flow {
    /// Just past the last byte of the server's that went by, FIN included.
    sent: SeqNumber,
    /// Just past the last byte that the server has been told of, by the AP or by the client.
    point: SeqNumber,
    /// Just past the last byte that the client has acknowledged. Never after `point`.
    acked: SeqNumber,
    /// Just past the last byte that the client has room for.
    edge: SeqNumber,
    /// The window field that the server heard last, together with `point`.
    told: u16,
    /// Just past the last byte that it may send by that.
    told_edge: SeqNumber,
    /// By how much the client's window field is scaled.
    shift: u8,
    facts: ClientFacts,
    /// The client's ACKs bear ECN-Echo.
    echoes: bool,
    /// The sequence number of what the client sends next.
    client_seq: SeqNumber,
    /// The TSval that an ACK up to `point` echoes.
    stamp: u32,
    cache: Cache,
    /// Deliveries to the client's MAC.
    deliveries: u64,
    /// Just past the last byte in them.
    furthest: SeqNumber,
    /// Duplicate ACKs since the client's last progress.
    duplicates: u64,
    /// All duplicate ACKs.
    all_duplicates: u64,
    /// The last data header and how it went to the client.
    data: Option<(TcpHeader, SendOptions)>,
    sender: SenderFacts,
    repair_timer: RepairTimer,
    going_back: GoingBack,
    pub(super) last_used: Instant,
}

/// What the timer has begun: up to where the point was when it ran out, each ACK that advances asks for the next segment, as a partial acknowledgement does (RFC 6582, 3.2). Nothing else comes
/// to the client that would have it repeat ACKs.
#[derive(Clone, Copy, Debug)]
struct GoingBack {
    until: SeqNumber,
    /// Deliveries by then: what was delivered since is not asked for.
    deliveries: u64,
}

/// What the server's data segments are to the AP.
pub(super) enum Data {
    /// It goes to the client, and its frame is watched.
    Watched,
    /// It goes to the client, and that is all.
    Passes,
    /// It has been acknowledged before: it ends here.
    Ends,
}

/// What an ACK of the client says, beside what was known.
#[derive(Clone, Copy)]
struct News {
    ack: SeqNumber,
    window: u16,
    /// The ACK number rose.
    advanced: bool,
    /// The window's edge moved to the right.
    opened: bool,
    /// It is a duplicate ACK, or has SACK blocks beyond its ACK number.
    hole: bool,
}

impl Flow {
    /// A connection whose client has sent this first packet after its SYN, which had the number before `client_first`; `shift` scales its window;
    /// the server has sent up to `sent`, if anything.
    pub(super) fn new(
        now: Instant,
        first: &Packet,
        client_first: SeqNumber,
        shift: u8,
        sent: Option<SeqNumber>,
    ) -> Option<Self> {
        let (tcp, facts) = (first.tcp()?, ClientFacts::of(first)?);
        Some(Self {
            sent: sent.map_or(tcp.ack, |sent| sent.max(tcp.ack)),
            point: tcp.ack,
            acked: tcp.ack,
            edge: tcp.ack + (u32::from(tcp.window) << shift),
            told: tcp.window,
            told_edge: tcp.ack + (u32::from(tcp.window) << shift),
            shift,
            facts,
            echoes: false,
            client_seq: end_of(first),
            stamp: 0,
            cache: Cache::default(),
            deliveries: 0,
            furthest: tcp.ack,
            duplicates: 0,
            all_duplicates: 0,
            data: None,
            sender: SenderFacts::since(client_first),
            repair_timer: RepairTimer::default(),
            going_back: GoingBack { until: tcp.ack, deliveries: 0 },
            last_used: now,
        })
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.repair_timer.due()
    }

    /// Whether nothing is owed to anybody.
    pub(super) fn is_even(&self) -> bool {
        self.cache.is_empty()
    }

    /// The connection is left alone from now on: nothing more is acknowledged. Returns whether nothing is owed.
    pub(super) fn owes_no_more_than_now(&mut self, cx: &mut Context<'_>) -> bool {
        self.cache.release_from(self.point, cx.pool);
        self.is_even()
    }

    /// Whether a RST of the server's lets go what is owed: nothing is, or the client is sure to believe it, since it bears the number that it waits for (RFC 5961, 3.2).
    pub(super) fn is_over_with(&self, reset: &TcpHeader) -> bool {
        self.is_even() || reset.seq == self.acked
    }

    /// The server must hear the client's next ACK whatever it says.
    pub(super) fn forget_told(&mut self) {
        self.told = !self.facts.window;
    }

    /// The client will not take what the server has been told of: what is said to both ends, so that the connection is reset.
    pub(super) fn rsts(&mut self, pool: &PacketPool) -> Rsts {
        let Some((_, options)) = self.data else { return Rsts::default() };
        let Some(segment) = self.cache.with(self.acked) else { return Rsts::default() };
        let data = pool.get(segment.packet);
        Rsts {
            onward: for_sender(data, self.client_seq, self.point).map(|reset| (reset, options.receiver)),
            queued: for_receiver(data, self.acked).map(|reset| (reset, options)),
        }
    }

    /// What FastACK promises: all that the server has been told of and the client has not acknowledged is in the cache.
    fn keeps_its_word(&mut self) -> bool {
        let (mut at, point) = (self.acked, self.point);
        while at.before(point) {
            let Some(segment) = self.cache.with(at) else { return false };
            at = segment.end;
        }
        true
    }

    /// The connection is over for the AP.
    pub(super) fn clear(&mut self, cx: &mut Context<'_>) {
        self.cache.clear(cx.pool);
    }

    /// A segment of the server's, up to `end`, is on its way to the client: what it says beside its data is noted. Returns whether its ACK is acceptable.
    pub(super) fn on_server(&mut self, tcp: &TcpHeader, end: SeqNumber) -> bool {
        let snd_nxt = Some(self.client_seq);
        self.sender.note(
            tcp,
            end,
            &Acceptable { rcv_nxt: self.acked, rcv_nxt_at_most: self.edge, edge: self.edge, snd_nxt },
        );
        self.sender.is_ack_acceptable(tcp, snd_nxt)
    }

    /// An ACK of the client's that is not read otherwise: what it acknowledges is no longer owed.
    pub(super) fn settle(&mut self, cx: &mut Context<'_>, ack: SeqNumber, config: &FastAckConfig) {
        if ack.after(self.acked) && ack - self.acked <= FAR {
            self.acked = ack;
            self.point = self.point.max(ack);
            self.cache.release_before(ack, cx.pool);
            self.repair_timer.on_progress(cx.now, config.repair_after, ack.before(self.point));
        }
    }

    /// A segment of the server's with data, without SYN and RST, is on its way to the client. `acceptable`: the client's TCP will take its ACK. Else it is not cached, so that
    /// nothing from there on is acknowledged before the client has.
    pub(super) fn on_data(
        &mut self,
        cx: &mut Context<'_>,
        (packet, acceptable): (PacketId, bool),
        options: &SendOptions,
        config: &FastAckConfig,
        counters: &mut FastAckCounters,
    ) -> Data {
        let content = cx.pool.get(packet);
        let Some(tcp) = content.tcp().copied() else { return Data::Passes };
        let (seq, end) = (tcp.seq, tcp.seq + content.payload.len());
        let after = end_of(content);
        self.last_used = cx.now;
        if seq.distance_from(self.acked).unsigned_abs() > FAR {
            counters.not_cached += 1;
            return Data::Passes;
        }
        self.sent = self.sent.max(after);
        // FIN is the client's to acknowledge, and all that comes with it.
        if tcp.flags.contains(TcpFlags::FIN) || options.receiver.is_group() || options.receiver != options.destination {
            return Data::Passes;
        }
        self.data = Some((tcp, *options));
        let stamp = tcp.options.timestamps.map_or(0, |(val, _)| val);
        if !end.after(self.point) {
            counters.retransmissions_swallowed += 1;
            counters.made_again += 1;
            self.stamp = stamp;
            self.tell(cx, counters);
            return Data::Ends;
        }
        match self.cache.place(seq, end) {
            Place::Known => {
                counters.retransmissions_passed += 1;
                if let Some(segment) = self.cache.at(seq) {
                    segment.waiting += 1;
                }
                Data::Watched
            }
            Place::Free(_) if !acceptable => {
                counters.not_cached += 1;
                Data::Passes
            }
            Place::Overlaps => {
                counters.not_cached += 1;
                Data::Passes
            }
            Place::Free(_) if self.cache.len() >= config.cache_packets as usize => {
                counters.cache_full += 1;
                Data::Passes
            }
            Place::Free(index) => {
                cx.pool.retain(packet);
                let segment = Segment {
                    packet,
                    seq,
                    end,
                    stamp,
                    delivered: None,
                    waiting: 1,
                    reported: false,
                    overtaken: false,
                    repaired: false,
                };
                self.cache.insert(index, segment);
                Data::Watched
            }
        }
    }

    /// The client's MAC has acknowledged a frame with this segment.
    pub(super) fn on_delivered(
        &mut self,
        cx: &mut Context<'_>,
        seq: SeqNumber,
        config: &FastAckConfig,
        counters: &mut FastAckCounters,
    ) {
        let Some(segment) = self.cache.at(seq) else { return };
        segment.waiting = segment.waiting.saturating_sub(1);
        let end = segment.end;
        self.deliveries += 1;
        let overtaken = if end.after(self.furthest) { 0 } else { self.cache.delivered_behind(seq) };
        self.furthest = self.furthest.max(end);
        let told_after = self.all_duplicates + overtaken + DUPLICATES;
        if let Some(segment) = self.cache.at(seq) {
            segment.delivered = Some(Delivery { number: self.deliveries, told_after });
            segment.repaired = false;
        }
        if self.advance(cx.now, config, counters) {
            self.tell(cx, counters);
        }
    }

    /// A frame with this segment was given up by the MAC, or dropped by its queue.
    pub(super) fn on_lost(
        &mut self,
        cx: &mut Context<'_>,
        seq: SeqNumber,
        dropped: bool,
        counters: &mut FastAckCounters,
    ) {
        let Some(segment) = self.cache.at(seq) else { return };
        segment.waiting = segment.waiting.saturating_sub(1);
        counters.repairs_lost += u64::from(segment.repaired || segment.delivered.is_some());
        // What the queue drops again is for the timer: a full queue is not to be filled with repairs.
        segment.repaired &= dropped;
        counters.given_up += u64::from(!dropped);
        // A full queue is how a path tells a sender to slow down.
        if dropped && segment.waiting == 0 && segment.delivered.is_none() {
            counters.dropped_in_queue += 1;
            self.cache.remove(seq, cx.pool);
        }
    }

    /// A packet of the client's, without SYN and RST, is on its way to the server.
    pub(super) fn on_client(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        config: &FastAckConfig,
        counters: &mut FastAckCounters,
    ) -> Verdict {
        let content = cx.pool.get(packet);
        let (Some(tcp), Some(facts)) = (content.tcp().copied(), ClientFacts::of(content)) else { return Verdict::Pass };
        let is_pure = content.pure_ack().is_some();
        let end = end_of(content);
        self.last_used = cx.now;
        if tcp.ack.after(self.sent) || tcp.ack.distance_from(self.acked).unsigned_abs() > FAR {
            counters.passed_unknown += 1;
            return Verdict::Pass;
        }
        self.client_seq = self.client_seq.max(end);
        if tcp.ack.before(self.acked) {
            if !is_pure {
                counters.passed_with_more += 1;
                return Verdict::Pass;
            }
            counters.stale += 1;
            counters.suppressed += 1;
            return Verdict::Swallow;
        }
        let news = self.learn(cx, &tcp, facts, config);
        if news.advanced {
            self.go_on(cx, counters);
        }
        if !is_pure {
            counters.passed_with_more += 1;
            if !news.ack.before(self.point) {
                self.point = news.ack;
                self.hears(news.window);
            }
            return Verdict::Pass;
        }
        self.on_pure_ack(cx, &tcp, news, config, counters)
    }

    /// Takes in what an ACK says that is not old.
    fn learn(&mut self, cx: &mut Context<'_>, tcp: &TcpHeader, facts: ClientFacts, config: &FastAckConfig) -> News {
        let ack = tcp.ack;
        let edge = ack + (u32::from(tcp.window) << self.shift);
        let (advanced, opened) = (ack.after(self.acked), edge.after(self.edge));
        let reports = tcp.options.sack.as_slice().iter().any(|(_, right)| right.after(ack));
        let repeats = !advanced && tcp.window == self.facts.window && ack != self.sent;
        let stamps = (facts.ts_val, self.facts.ts_val);
        self.facts = facts;
        if let (Some(new), Some(old)) = stamps
            && SeqNumber(new).before(SeqNumber(old))
        {
            self.facts.ts_val = Some(old);
        }
        self.echoes = tcp.flags.contains(TcpFlags::ECE);
        self.edge = edge;
        if advanced {
            self.acked = ack;
            self.duplicates = 0;
            self.cache.release_before(ack, cx.pool);
            self.repair_timer.on_progress(cx.now, config.repair_after, ack.before(self.point));
        }
        News { ack, window: tcp.window, advanced, opened, hole: repeats || reports }
    }

    fn on_pure_ack(
        &mut self,
        cx: &mut Context<'_>,
        tcp: &TcpHeader,
        news: News,
        config: &FastAckConfig,
        counters: &mut FastAckCounters,
    ) -> Verdict {
        let beyond = news.ack.after(self.point);
        if beyond {
            self.point = news.ack;
            self.stamp = self.data.map_or(self.stamp, |(data, _)| data.options.timestamps.map_or(0, |(val, _)| val));
        }
        // What the MAC has delivered may go on from here, or fit into a larger window.
        if self.advance(cx.now, config, counters) {
            if news.hole {
                self.repair(cx, tcp, counters);
            }
            self.tell(cx, counters);
            counters.suppressed += 1;
            return Verdict::Swallow;
        }
        if beyond {
            counters.passed_beyond += 1;
            self.hears(news.window);
            return Verdict::Pass;
        }
        if news.ack == self.point {
            return self.at_the_point(cx, tcp, news, counters);
        }
        if news.hole {
            self.repair(cx, tcp, counters);
        }
        counters.suppressed += 1;
        if self.echoes {
            counters.ecn_raised += 1;
            self.tell(cx, counters);
        } else if news.opened && !self.will_tell() {
            counters.window_updates += 1;
            self.tell(cx, counters);
        }
        Verdict::Swallow
    }

    /// An ACK that says as much as the server has heard.
    fn at_the_point(
        &mut self,
        cx: &mut Context<'_>,
        tcp: &TcpHeader,
        news: News,
        counters: &mut FastAckCounters,
    ) -> Verdict {
        if news.hole {
            self.repair(cx, tcp, counters);
            if self.repairs_all(tcp) {
                counters.suppressed += 1;
                return Verdict::Swallow;
            }
            counters.passed_duplicate += 1;
            self.hears(news.window);
            return Verdict::Pass;
        }
        let known = news.window == self.told || news.window > self.told && self.will_tell();
        if news.advanced && known && !self.echoes {
            counters.suppressed += 1;
            return Verdict::Swallow;
        }
        counters.passed_window += 1;
        self.hears(news.window);
        Verdict::Pass
    }

    /// Moves the point over what the client's MAC has acknowledged, as far as the client has room. Returns whether it moved.
    fn advance(&mut self, now: Instant, config: &FastAckConfig, counters: &mut FastAckCounters) -> bool {
        let before = self.point;
        while let Some(segment) = self.cache.with(self.point)
            && segment.delivered.is_some()
        {
            if segment.end.after(self.edge) {
                counters.window_limited += 1;
                break;
            }
            (self.point, self.stamp) = (segment.end, segment.stamp);
        }
        let moved = self.point != before;
        if moved {
            self.repair_timer.start(now, config.repair_after);
        }
        moved
    }

    /// Whether the client's new edge can wait for the next acknowledgement: what comes next in order is under way, and the
    /// server has not yet sent as much as half of what it may.
    fn will_tell(&mut self) -> bool {
        let room = self.told_edge.distance_from(self.sent).max(0).unsigned_abs();
        let whole = self.told_edge.distance_from(self.acked).max(0).unsigned_abs();
        room >= whole / 2 && self.cache.with(self.point).is_some_and(|next| next.waiting > 0)
    }

    /// The server hears of this window together with the point.
    fn hears(&mut self, window: u16) {
        self.told = window;
        self.told_edge = self.point + (u32::from(window) << self.shift);
    }

    /// Acknowledges up to the point in the client's name, with as much window as the client has room for behind it.
    fn tell(&mut self, cx: &mut Context<'_>, counters: &mut FastAckCounters) {
        debug_assert!(self.keeps_its_word(), "what the server is told of is kept: {self:?}");
        let Some((data, options)) = self.data else { return };
        let room = self.edge.distance_from(self.point).max(0).unsigned_abs();
        let window = u16::try_from(room >> self.shift).unwrap_or(u16::MAX);
        self.hears(window);
        let mut facts = self.facts;
        facts.window = window;
        let header = TcpHeader { ack: self.client_seq, ..data };
        let mut made = facts.ack(&header, self.point, self.stamp);
        if let Transport::Tcp(tcp) = &mut made.transport
            && self.echoes
        {
            tcp.flags |= TcpFlags::ECE;
        }
        counters.made += 1;
        counters.zero_windows += u64::from(window == 0);
        let made = cx.pool.insert(made);
        cx.emit(Emission::Onward(made, options.receiver));
    }

    /// Whether this packet is in the cache.
    pub(super) fn keeps(&mut self, packet: PacketId, tcp: &TcpHeader) -> bool {
        self.cache.at(tcp.seq).is_some_and(|segment| segment.packet == packet)
    }
}

/// Just past the last sequence number that a packet occupies.
fn end_of(packet: &Packet) -> SeqNumber {
    let Some(tcp) = packet.tcp() else { return SeqNumber(0) };
    let flags = u32::from(tcp.flags.contains(TcpFlags::SYN)) + u32::from(tcp.flags.contains(TcpFlags::FIN));
    tcp.seq + packet.payload.len() + flags
}

/// A segment or an ACK so far from what the client has acknowledged belongs to no connection that is known: the largest window that can be scaled
/// (RFC 7323, 2.3).
const FAR: u32 = 1 << 30;

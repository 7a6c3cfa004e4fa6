//! One connection's data towards a client: what the server has been told, what the client has said, and what lies between.

use ackless_dot11::hooks::{Context, Emission, SendOptions, Verdict};
use ackless_wire::{Instant, Packet, PacketId, PacketPool, SeqNumber, TcpFlags, TcpHeader};

use super::cache::{Cache, CachePlace, Delivery, Segment};
use super::{FastAckConfig, FastAckCounters};
use crate::made_ack::{ClientFacts, DataFacts, next_after, says};
use crate::repairs::{Acceptable, DUPLICATES, RepairTimer, SenderFacts};
use crate::resets::{Rsts, for_receiver, for_sender};

mod repairs;

use repairs::Missing;

/// A connection from the client's first ACK on.
#[derive(Debug)]
pub(super) struct Flow {
    /// Just past the last byte of the server's that went by, FIN included.
    sent: SeqNumber,
    /// Just past the last byte that the server has been told of, by the AP or by the client.
    told_ack: SeqNumber,
    /// Just past the last byte that the client has acknowledged. Never after `told_ack`.
    acked: SeqNumber,
    /// Just past the last byte that the client has room for.
    edge: SeqNumber,
    /// The window field that the server heard last, together with `told_ack`.
    told_window: u16,
    /// Just past the last byte that it may send by that.
    told_edge: SeqNumber,
    /// By how much the client's window field is scaled.
    shift: u8,
    /// What the client's last ACK says.
    facts: ClientFacts,
    /// The client's ACKs bear ECN-Echo.
    echoes_ecn: bool,
    /// The client's own SND.NXT.
    client_snd_nxt: SeqNumber,
    /// The TSval that an ACK up to `told_ack` echoes: TS.Recent of a TCP that has so much (RFC 7323, 4.3).
    ts_recent: u32,
    cache: Cache,
    /// Deliveries to the client's MAC.
    deliveries: u64,
    /// Just past the last byte in them.
    delivered_to: SeqNumber,
    /// Duplicate ACKs since the client's last progress.
    duplicates: u64,
    /// All duplicate ACKs.
    all_duplicates: u64,
    /// The last data and how it went to the client.
    last_data: Option<(DataFacts, SendOptions)>,
    /// What the client misses as of the ACK that is being looked at.
    missing: Vec<Missing>,
    sender: SenderFacts,
    repair_timer: RepairTimer,
    timeout_recovery: TimeoutRecovery,
    pub(super) last_used: Instant,
}

/// What the timer has begun: up to `recover`, what the server was told when it ran out, each ACK that advances asks for the next segment, as a partial acknowledgement does (RFC 6582, 3.2). Nothing else comes
/// to the client that would have it repeat ACKs.
#[derive(Clone, Copy, Debug)]
struct TimeoutRecovery {
    recover: SeqNumber,
    /// Deliveries by then: what was delivered since is not asked for.
    deliveries: u64,
}

/// What becomes of a data segment of the server's.
pub(super) enum DataVerdict {
    /// It goes to the client, and its frame is watched.
    Watched,
    /// It goes to the client, and that is all.
    Passes,
    /// It has been acknowledged before: it ends here.
    Ends,
}

/// What an ACK of the client says, beside what was known.
#[derive(Clone, Copy)]
struct AckNews {
    ack: SeqNumber,
    window: u16,
    /// The ACK number rose.
    advanced: bool,
    /// The window's edge moved to the right.
    opened: bool,
    /// It is a duplicate ACK, or has SACK blocks beyond its ACK number.
    reports_hole: bool,
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
            told_ack: tcp.ack,
            acked: tcp.ack,
            edge: tcp.ack + (u32::from(tcp.window) << shift),
            told_window: tcp.window,
            told_edge: tcp.ack + (u32::from(tcp.window) << shift),
            shift,
            facts,
            echoes_ecn: false,
            client_snd_nxt: next_after(first, tcp),
            ts_recent: 0,
            cache: Cache::default(),
            deliveries: 0,
            delivered_to: tcp.ack,
            duplicates: 0,
            all_duplicates: 0,
            last_data: None,
            missing: Vec::new(),
            sender: SenderFacts::since(client_first),
            repair_timer: RepairTimer::default(),
            timeout_recovery: TimeoutRecovery { recover: tcp.ack, deliveries: 0 },
            last_used: now,
        })
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.repair_timer.due()
    }

    /// Whether nothing is owed to anybody.
    pub(super) fn owes_nothing(&self) -> bool {
        self.cache.is_empty()
    }

    /// The connection is left alone from now on: nothing more is acknowledged. Returns whether nothing is owed.
    pub(super) fn stop_caching(&mut self, cx: &mut Context<'_>) -> bool {
        self.cache.release_from(self.told_ack, cx.pool);
        self.owes_nothing()
    }

    /// Whether a RST of the server's lets go what is owed: nothing is, or the client is sure to believe it, since it bears the number that it waits for (RFC 5961, 3.2).
    pub(super) fn is_ended_by(&self, reset: &TcpHeader) -> bool {
        self.owes_nothing() || reset.seq == self.acked
    }

    /// The server must hear the client's next ACK whatever it says: no window of the client's is taken for known.
    pub(super) fn let_next_ack_pass(&mut self) {
        self.told_window = !self.facts.window;
    }

    /// The client will not take what the server has been told of: what is said to both ends, so that the connection is reset.
    pub(super) fn rsts(&mut self, pool: &PacketPool) -> Rsts {
        let Some((_, options)) = self.last_data else { return Rsts::default() };
        let Some(segment) = self.cache.containing(self.acked) else { return Rsts::default() };
        let data = pool.get(segment.packet);
        Rsts {
            onward: for_sender(data, self.client_snd_nxt, self.told_ack).map(|reset| (reset, options.receiver)),
            queued: for_receiver(data, self.acked).map(|reset| (reset, options)),
        }
    }

    /// What FastACK promises: all that the server has been told of and the client has not acknowledged is in the cache.
    fn keeps_its_word(&mut self) -> bool {
        let (mut at, told_ack) = (self.acked, self.told_ack);
        while at.before(told_ack) {
            let Some(segment) = self.cache.containing(at) else { return false };
            at = segment.end;
        }
        true
    }

    /// The connection is over for the AP.
    pub(super) fn clear(&mut self, cx: &mut Context<'_>) {
        self.cache.clear(cx.pool);
    }

    /// A segment of the server's, up to `end`, is on its way to the client: what it says beside its data is noted. Returns whether its ACK is acceptable.
    #[inline]
    pub(super) fn on_server(&mut self, tcp: &TcpHeader, end: SeqNumber) -> bool {
        if self.sender.is_repeated_by(tcp) && !tcp.ack.after(self.client_snd_nxt) {
            return true;
        }
        let snd_nxt = Some(self.client_snd_nxt);
        self.sender.note(
            tcp,
            end,
            &Acceptable { rcv_nxt: self.acked, rcv_nxt_at_most: self.edge, edge: self.edge, snd_nxt },
        );
        self.sender.is_ack_acceptable(tcp, snd_nxt)
    }

    /// An ACK of the client's on a connection that is left alone (`crate::connection`), and not read otherwise: what it acknowledges is no longer owed.
    pub(super) fn on_opaque_ack(&mut self, cx: &mut Context<'_>, ack: SeqNumber, config: &FastAckConfig) {
        if ack.after(self.acked) && ack - self.acked <= FAR {
            self.acked = ack;
            self.told_ack = self.told_ack.max(ack);
            self.cache.release_before(ack, cx.pool);
            self.repair_timer.on_progress(cx.now, config.repair_after, ack.before(self.told_ack));
        }
    }

    /// A segment of the server's with this data, without SYN and RST, is on its way to the client; `fin`: its last. `acceptable`: the client's TCP will take its ACK. Else it is not
    /// cached, so that nothing from there on is acknowledged before the client has.
    #[inline]
    pub(super) fn on_data(
        &mut self,
        cx: &mut Context<'_>,
        (packet, data): (PacketId, DataFacts),
        (fin, acceptable): (bool, bool),
        options: &SendOptions,
        config: &FastAckConfig,
        counters: &mut FastAckCounters,
    ) -> DataVerdict {
        let (seq, end) = (data.seq, data.end);
        let after = end + u32::from(fin);
        self.last_used = cx.now;
        if seq.distance_from(self.acked).unsigned_abs() > FAR {
            counters.not_cached += 1;
            return DataVerdict::Passes;
        }
        self.sent = self.sent.max(after);
        // FIN is the client's to acknowledge, and all that comes with it.
        if fin || options.receiver.is_group() || options.receiver != options.destination {
            return DataVerdict::Passes;
        }
        self.last_data = Some((data, *options));
        let ts_val = data.ts_val.unwrap_or(0);
        if !end.after(self.told_ack) {
            counters.retransmissions_swallowed += 1;
            counters.made_again += 1;
            self.ts_recent = ts_val;
            self.tell(cx, counters);
            return DataVerdict::Ends;
        }
        match self.cache.place(seq, end) {
            CachePlace::Known => {
                counters.retransmissions_passed += 1;
                if let Some(segment) = self.cache.starting_at(seq) {
                    segment.frames_out += 1;
                }
                DataVerdict::Watched
            }
            CachePlace::Free(_) if !acceptable => {
                counters.not_cached += 1;
                DataVerdict::Passes
            }
            CachePlace::Overlaps => {
                counters.not_cached += 1;
                DataVerdict::Passes
            }
            CachePlace::Free(_) if self.cache.len() >= config.cache_packets as usize => {
                counters.cache_full += 1;
                DataVerdict::Passes
            }
            CachePlace::Free(index) => {
                cx.pool.retain(packet);
                let segment = Segment {
                    packet,
                    seq,
                    end,
                    ts_val,
                    delivered: None,
                    frames_out: 1,
                    sacked: false,
                    repaired: false,
                };
                self.cache.insert(index, segment);
                DataVerdict::Watched
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
        let Some(place) = self.cache.place_of(seq) else { return };
        let Segment { seq: start, end, .. } = *self.cache.nth(place);
        if start != seq {
            return;
        }
        self.deliveries += 1;
        let delivered_behind = if end.after(self.delivered_to) { 0 } else { self.cache.delivered_behind(seq) };
        self.delivered_to = self.delivered_to.max(end);
        let duplicates_needed = self.all_duplicates + delivered_behind + DUPLICATES;
        let segment = self.cache.nth(place);
        segment.frames_out = segment.frames_out.saturating_sub(1);
        segment.delivered = Some(Delivery { number: self.deliveries, duplicates_needed });
        segment.repaired = false;
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
        let Some(segment) = self.cache.starting_at(seq) else { return };
        segment.frames_out = segment.frames_out.saturating_sub(1);
        counters.repairs_lost += u64::from(segment.repaired || segment.delivered.is_some());
        // What the queue drops again is for the timer: a full queue is not to be filled with repairs.
        segment.repaired &= dropped;
        counters.given_up += u64::from(!dropped);
        // A full queue is how a path tells a sender to slow down.
        if dropped && segment.frames_out == 0 && segment.delivered.is_none() {
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
        let Some(tcp) = says(content) else { return Verdict::Pass };
        let is_pure = content.pure_ack().is_some();
        let end = next_after(content, tcp);
        self.last_used = cx.now;
        if tcp.ack.after(self.sent) || tcp.ack.distance_from(self.acked).unsigned_abs() > FAR {
            counters.passed_unknown += 1;
            return Verdict::Pass;
        }
        self.client_snd_nxt = self.client_snd_nxt.max(end);
        if tcp.ack.before(self.acked) {
            if !is_pure {
                counters.passed_with_more += 1;
                return Verdict::Pass;
            }
            counters.stale += 1;
            counters.suppressed += 1;
            return Verdict::Swallow;
        }
        let news = self.learn(content, tcp);
        if news.advanced {
            self.duplicates = 0;
            self.cache.release_before(news.ack, cx.pool);
            self.repair_timer.on_progress(cx.now, config.repair_after, news.ack.before(self.told_ack));
            self.repair_next(cx, counters);
        }
        if !is_pure {
            counters.passed_with_more += 1;
            if !news.ack.before(self.told_ack) {
                self.told_ack = news.ack;
                self.note_told(news.window);
            }
            return Verdict::Pass;
        }
        self.on_pure_ack(cx, packet, news, config, counters)
    }

    /// Takes in what an ACK says that is not old. One that has advanced lets go of what it acknowledges.
    #[inline]
    fn learn(&mut self, content: &Packet, tcp: &TcpHeader) -> AckNews {
        let ack = tcp.ack;
        let edge = ack + (u32::from(tcp.window) << self.shift);
        let (advanced, opened) = (ack.after(self.acked), edge.after(self.edge));
        let reports = tcp.options.sack.as_slice().iter().any(|(_, right)| right.after(ack));
        let repeats = !advanced && tcp.window == self.facts.window && ack != self.sent;
        let ts_val = self.facts.ts_val;
        self.facts = ClientFacts::read(content, tcp);
        if let (Some(new), Some(old)) = (self.facts.ts_val, ts_val)
            && SeqNumber(new).before(SeqNumber(old))
        {
            self.facts.ts_val = Some(old);
        }
        self.echoes_ecn = tcp.flags.contains(TcpFlags::ECE);
        self.edge = edge;
        if advanced {
            self.acked = ack;
        }
        AckNews { ack, window: tcp.window, advanced, opened, reports_hole: repeats || reports }
    }

    fn on_pure_ack(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        news: AckNews,
        config: &FastAckConfig,
        counters: &mut FastAckCounters,
    ) -> Verdict {
        let beyond = news.ack.after(self.told_ack);
        if beyond {
            self.told_ack = news.ack;
            self.ts_recent = self.last_data.map_or(self.ts_recent, |(data, _)| data.ts_val.unwrap_or(0));
        }
        // What the MAC has delivered may go on from here, or fit into a larger window.
        if self.advance(cx.now, config, counters) {
            if news.reports_hole {
                self.repair(cx, packet, counters);
            }
            self.tell(cx, counters);
            counters.suppressed += 1;
            return Verdict::Swallow;
        }
        if beyond {
            counters.passed_beyond += 1;
            self.note_told(news.window);
            return Verdict::Pass;
        }
        if news.ack == self.told_ack {
            return self.on_ack_at_told(cx, packet, news, counters);
        }
        if news.reports_hole {
            self.repair(cx, packet, counters);
        }
        counters.suppressed += 1;
        if self.echoes_ecn {
            counters.ecn_raised += 1;
            self.tell(cx, counters);
        } else if news.opened && !self.will_tell() {
            counters.window_updates += 1;
            self.tell(cx, counters);
        }
        Verdict::Swallow
    }

    /// An ACK that says as much as the server has heard.
    fn on_ack_at_told(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        news: AckNews,
        counters: &mut FastAckCounters,
    ) -> Verdict {
        if news.reports_hole {
            self.repair(cx, packet, counters);
            if cx.pool.get(packet).tcp().is_some_and(|tcp| self.repairs_all(tcp)) {
                counters.suppressed += 1;
                return Verdict::Swallow;
            }
            counters.passed_duplicate += 1;
            self.note_told(news.window);
            return Verdict::Pass;
        }
        let known = news.window == self.told_window || news.window > self.told_window && self.will_tell();
        if news.advanced && known && !self.echoes_ecn {
            counters.suppressed += 1;
            return Verdict::Swallow;
        }
        counters.passed_window += 1;
        self.note_told(news.window);
        Verdict::Pass
    }

    /// Moves `told_ack` over what the client's MAC has acknowledged, as far as the client has room. Returns whether it moved.
    fn advance(&mut self, now: Instant, config: &FastAckConfig, counters: &mut FastAckCounters) -> bool {
        let before = self.told_ack;
        let Some(mut place) = self.cache.place_of(before) else { return false };
        // What follows without a gap begins where the one before it ends.
        while let Some(segment) = self.cache.at(place)
            && segment.delivered.is_some()
            && !segment.seq.after(self.told_ack)
        {
            if segment.end.after(self.edge) {
                counters.window_limited += 1;
                break;
            }
            (self.told_ack, self.ts_recent) = (segment.end, segment.ts_val);
            place += 1;
        }
        let moved = self.told_ack != before;
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
        room >= whole / 2 && self.cache.containing(self.told_ack).is_some_and(|next| next.frames_out > 0)
    }

    /// The server is told this window together with `told_ack`.
    fn note_told(&mut self, window: u16) {
        self.told_window = window;
        self.told_edge = self.told_ack + (u32::from(window) << self.shift);
    }

    /// Acknowledges up to `told_ack` in the client's name, with as much window as the client has room for behind it.
    fn tell(&mut self, cx: &mut Context<'_>, counters: &mut FastAckCounters) {
        debug_assert!(self.keeps_its_word(), "what the server is told of is kept: {self:?}");
        let Some((mut data, options)) = self.last_data else { return };
        let room = self.edge.distance_from(self.told_ack).max(0).unsigned_abs();
        let window = u16::try_from(room >> self.shift).unwrap_or(u16::MAX);
        self.note_told(window);
        data.ack = self.client_snd_nxt;
        let flags = if self.echoes_ecn { TcpFlags::ECE } else { TcpFlags::empty() };
        counters.made += 1;
        counters.zero_windows += u64::from(window == 0);
        let made = self.facts.put_ack(cx.pool, &data, (self.told_ack, self.ts_recent), window, flags);
        cx.emit(Emission::Onward(made, options.receiver));
    }

    /// Whether this packet is in the cache.
    pub(super) fn has_cached(&mut self, packet: PacketId, tcp: &TcpHeader) -> bool {
        self.cache.starting_at(tcp.seq).is_some_and(|segment| segment.packet == packet)
    }
}

/// A segment or an ACK so far from what the client has acknowledged belongs to no connection that is known: the largest window that can be scaled
/// (RFC 7323, 2.3).
const FAR: u32 = 1 << 30;

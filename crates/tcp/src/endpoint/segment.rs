//! How a segment is made: what every header of a connection says, and which options it bears.
//!
//! `build` makes any, and has what nearly none bears made apart (`build_dressed`, `build_numbered`). Where segments are many and alike, what they say is found out once (`say`): `build_from` makes one of
//! them from that, and `build_like` (`pattern`) the next of a train.

use ackless_wire::tcp::{SackBlocks, TcpOptions};
use ackless_wire::{
    Bytes, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use super::Endpoint;
use super::outlet::{ByValue, Outlet};
use crate::ack::AckPolicy;
use crate::sequence::{Position, Span};
use crate::timers::Timer;

impl Endpoint {
    /// A segment with the current acknowledgement, window, timestamps and SACK blocks.
    pub(super) fn segment(&mut self, now: Instant, draft: Draft) -> Packet {
        self.build(now, draft, ByValue)
    }

    /// As [`segment`](Self::segment), made in the place where it goes.
    #[inline(always)]
    pub(super) fn build<O: Outlet>(&mut self, now: Instant, draft: Draft, outlet: O) -> O::Placed {
        let Draft { start, mut flags, payload, number } = draft;
        if let Some(ecn) = &mut self.ecn {
            ecn.dress(&mut flags);
        }
        let timestamps = self.stamps.as_mut().map(|stamps| (stamps.value(now), stamps.echo()));
        let is_syn = flags.contains(TcpFlags::SYN);
        let mut ack = SeqNumber(0);
        let mut has_blocks = false;
        if flags.contains(TcpFlags::ACK) {
            has_blocks = self.rx.has_blocks() && self.has_sack() && !flags.contains(TcpFlags::RST);
            ack = self.rx.next.seq(self.rx.irs);
            self.rx.last_ack_sent = self.rx.next;
            self.note_acknowledged(now);
        }
        let window = self.rx.offer(if is_syn { 0 } else { self.rx.shift });
        self.stats.segments_sent += 1;
        let peer = self.peer.as_mut().expect("whoever has a peer can send to it");
        if let IpHeader::V4(ip) = &mut peer.ip {
            // Counts up for each packet, as deployed stacks do on a connection.
            ip.id = ip.id.wrapping_add(1);
        }
        let said = Said { seq: start.seq(self.tx.iss), ack, flags, window, timestamps };
        if is_syn || has_blocks || self.ecn.is_some() || self.asks.is_some() {
            return self.build_dressed(said, payload, has_blocks, number, outlet);
        }
        if let Some(number) = number {
            return self.build_numbered(said, payload, number, outlet);
        }
        // What has this one option.
        let header = TcpHeader::MIN_LEN + if said.timestamps.is_some() { Bytes(12) } else { Bytes::ZERO };
        let len = peer.ip.len() + header + Bytes(payload.len().into());
        let (ports, ip) = (peer.ports, peer.ip);
        outlet.put(len, || Packet { ip, transport: Transport::Tcp(said.header(ports)), payload })
    }

    /// A segment with a number and nothing else that not all bear.
    #[inline(never)]
    fn build_numbered<O: Outlet>(&self, said: Said, payload: Payload, number: u64, outlet: O) -> O::Placed {
        let peer = self.peer.as_ref().expect("whoever has a peer can send to it");
        let mut tcp = said.header(peer.ports);
        self.dialect.write_number(number, &mut tcp.options.tack);
        let len = peer.ip.len() + tcp.len() + Bytes(payload.len().into());
        outlet.put(len, || Packet { ip: peer.ip, transport: Transport::Tcp(tcp), payload })
    }

    /// A segment with what not all segments bear.
    #[inline(never)]
    fn build_dressed<O: Outlet>(
        &mut self,
        said: Said,
        payload: Payload,
        has_blocks: bool,
        number: Option<u64>,
        outlet: O,
    ) -> O::Placed {
        let peer = self.peer.as_ref().expect("whoever has a peer can send to it");
        let (mut ip, mut tcp) = (peer.ip, said.header(peer.ports));
        if let Some(ecn) = &mut self.ecn {
            ecn.mark(&mut ip);
        }
        if let Some(number) = number {
            self.dialect.write_number(number, &mut tcp.options.tack);
        }
        if self.asks.is_some() {
            self.write_request(&mut tcp.options);
        }
        if has_blocks {
            tcp.options.sack = self.sack_blocks();
        }
        if tcp.flags.contains(TcpFlags::SYN) {
            self.syn_options(tcp.flags.contains(TcpFlags::ACK), &mut tcp.options);
        }
        let len = ip.len() + tcp.len() + Bytes(payload.len().into());
        outlet.put(len, || Packet { ip, transport: Transport::Tcp(tcp), payload })
    }

    /// What a segment from `start` on says, and all that follow it at once; the acknowledgement goes out with it.
    #[inline(always)]
    pub(super) fn say(&mut self, now: Instant, start: Position) -> Said {
        let timestamps = self.stamps.as_mut().map(|stamps| (stamps.value(now), stamps.echo()));
        self.rx.last_ack_sent = self.rx.next;
        self.note_acknowledged(now);
        Said {
            seq: start.seq(self.tx.iss),
            ack: self.rx.next.seq(self.rx.irs),
            flags: TcpFlags::ACK,
            window: self.rx.offer(self.rx.shift),
            timestamps,
        }
    }

    /// A segment that says this, with so many bytes whose values do not matter, in its place.
    #[inline(always)]
    pub(super) fn build_from(&mut self, said: Said, payload: Bytes, pool: &mut PacketPool) -> PacketId {
        self.build_bearing(said, payload, TcpOptions::default(), Bytes::ZERO, pool)
    }

    /// As [`build_from`](Self::build_from), with these options besides timestamps, which are `len` long.
    #[inline(always)]
    pub(super) fn build_bearing(
        &mut self,
        said: Said,
        payload: Bytes,
        options: TcpOptions,
        len: Bytes,
        pool: &mut PacketPool,
    ) -> PacketId {
        let peer = self.peer.as_mut().expect("whoever has a peer can send to it");
        if let IpHeader::V4(ip) = &mut peer.ip {
            ip.id = ip.id.wrapping_add(1);
        }
        let header = TcpHeader::MIN_LEN + len + if said.timestamps.is_some() { Bytes(12) } else { Bytes::ZERO };
        let len = peer.ip.len() + header + payload;
        let (ports, ip) = (peer.ports, &peer.ip);
        pool.insert_with(len, || Packet {
            ip: *ip,
            transport: Transport::Tcp(said.header_bearing(ports, options)),
            payload: Payload::Length(payload.get() as u32),
        })
    }

    /// An acknowledgement goes out, with data or alone.
    #[inline(always)]
    fn note_acknowledged(&mut self, now: Instant) {
        if self.dialect.acknowledges_in_headers() {
            self.settle_acknowledgement(now);
        } else {
            self.note_unreported(now);
        }
    }

    /// Nothing is owed any more.
    pub(super) fn settle_acknowledgement(&mut self, now: Instant) {
        self.ack_owed = None;
        self.ack_policy.on_ack_sent(now);
        self.timers.stop(Timer::DelayedAck);
    }

    /// What a SYN offers, or a SYN-ACK agrees to.
    fn syn_options(&mut self, answers: bool, options: &mut TcpOptions) {
        options.mss = Some(self.config.announced_mss().get() as u16);
        options.sack_permitted = self.sack;
        let scales = if answers { self.tx.scales } else { self.config.window_scaling };
        options.window_scale = scales.then(|| self.rx.announced_shift());
        options.tack = self.tack_offer(answers);
        options.ack_rate = self.ack_rate_offer(answers);
    }

    /// The blocks of what has come above a hole (RFC 2018, 4).
    #[inline(always)]
    pub(super) fn sack_blocks(&mut self) -> SackBlocks {
        let limit = if self.stamps.is_some() { 3 } else { 4 };
        if let Some(twice) = self.rx.unreported_duplicate.take() {
            return self.blocks_with_duplicate(twice, limit);
        }
        if self.rx.has_early_fin() {
            return self.blocks_with_fin(limit);
        }
        self.blocks_of(self.rx.reassembly.recent(limit))
    }

    /// The blocks where a FIN has come above a hole.
    #[inline(never)]
    fn blocks_with_fin(&self, limit: usize) -> SackBlocks {
        self.blocks_of(self.islands_with_fin().take(limit))
    }

    /// What is here above a hole, the most recent first. A FIN has a sequence number like data: the
    /// block that it ends includes it, or it has a block of its own (RFC 2018, 3). That block stands
    /// first as long as nothing else has come after the FIN (4).
    fn islands_with_fin(&self) -> impl Iterator<Item = Span> {
        let islands = || self.rx.reassembly.recent(usize::MAX);
        let early = self.rx.fin.filter(|_| self.rx.has_early_fin());
        let alone = early.filter(|&fin| islands().all(|span| span.end != fin)).map(|fin| Span::new(fin, Bytes(1)));
        let own = alone.or_else(|| islands().find(|span| Some(span.end) == early).map(|span| self.with_fin(span)));
        let first = own.filter(|_| self.rx.fin_is_latest);
        let rest = islands().map(|span| self.with_fin(span)).filter(move |&span| Some(span) != first);
        first.into_iter().chain(rest).chain(alone.filter(|_| first.is_none()))
    }

    /// An island, with the FIN if that has come and follows it.
    fn with_fin(&self, island: Span) -> Span {
        let fin = u64::from(self.rx.fin == Some(island.end));
        Span { end: island.end + Bytes(fin), ..island }
    }

    /// What has come twice stands first, and the block that it lies in, if it lies above the acknowledgement, second (RFC 2883, 4).
    #[inline(never)]
    fn blocks_with_duplicate(&self, twice: Span, limit: usize) -> SackBlocks {
        let around = if twice.end <= self.rx.next { None } else { self.rx.reassembly.around(twice) };
        let around = around.map(|island| self.with_fin(island));
        let rest = self.islands_with_fin().filter(|&span| Some(span) != around);
        self.blocks_of([Some(twice), around].into_iter().flatten().chain(rest).take(limit))
    }

    #[inline(always)]
    fn blocks_of(&self, spans: impl Iterator<Item = Span>) -> SackBlocks {
        let mut blocks = SackBlocks::EMPTY;
        for span in spans {
            blocks.push((span.start.seq(self.rx.irs), span.end.seq(self.rx.irs)));
        }
        blocks
    }

    /// What options that are not on every segment will take of the next one (RFC 9293, 3.7.1: options count).
    #[inline(always)]
    pub(super) fn options_len(&self) -> Bytes {
        self.sack_len() + if self.asks.is_some() { self.request_len() } else { Bytes::ZERO }
    }

    /// What SACK blocks will take of the next segment.
    fn sack_len(&self) -> Bytes {
        if !self.rx.has_blocks() || !self.has_sack() {
            return Bytes::ZERO;
        }
        let limit = if self.stamps.is_some() { 3 } else { 4 };
        let others = usize::from(self.rx.unreported_duplicate.is_some()) + usize::from(self.rx.has_early_fin());
        let blocks = self.rx.reassembly.count() + others;
        Bytes(4 + 8 * blocks.min(limit) as u64)
    }
}

/// What every header of a connection says anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    seq: SeqNumber,
    ack: SeqNumber,
    flags: TcpFlags,
    window: u16,
    timestamps: Option<(u32, u32)>,
}

impl Said {
    /// What a segment from `seq` on says that says the same otherwise.
    #[inline(always)]
    pub(super) const fn from(self, seq: SeqNumber) -> Self {
        Self { seq, ..self }
    }

    /// The header that says it, and nothing else, from our port to the peer's.
    #[inline(always)]
    pub(super) fn header(self, ports: (u16, u16)) -> TcpHeader {
        self.header_bearing(ports, TcpOptions::default())
    }

    /// The header that says it, with these options besides.
    #[inline(always)]
    fn header_bearing(self, (from, to): (u16, u16), options: TcpOptions) -> TcpHeader {
        let Self { seq, ack, flags, window, timestamps } = self;
        let options = TcpOptions { timestamps, ..options };
        TcpHeader { seq, ack, flags, window, options, ..TcpHeader::new(from, to) }
    }
}

/// A segment before it has its header.
#[derive(Debug)]
pub(super) struct Draft {
    /// The first place that it occupies.
    pub(super) start: Position,
    pub(super) flags: TcpFlags,
    pub(super) payload: Payload,
    /// PKT.SEQ, on a TACK connection, of what is numbered: data and FIN.
    pub(super) number: Option<u64>,
}

impl Draft {
    /// A segment without payload.
    pub(super) const fn bare(start: Position, flags: TcpFlags) -> Self {
        Self { start, flags, payload: Payload::EMPTY, number: None }
    }
}

//! The proxy: an ACK for each TCP data packet that goes to a client, kept until the client asks for it (section 2).

use std::collections::{BTreeMap, VecDeque};

use ackless_dot11::frame::{AckPolicy, Ds, Mpdu, MpduKind, NodeId, Tag};
use ackless_dot11::hooks::{Context, Emission, SendOptions, Verdict};
use ackless_wire::{
    Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use super::names::tag;
use super::tags::Tags;
use super::{ArqProxyConfig, ArqProxyCounters, Identification};
use crate::contradiction::{Contradiction, PATIENCE};
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::made_ack::{ClientFacts, DataFacts, next_after, says};
use crate::resets::{Resets, Rsts, for_both};

/// What concerns one client.
#[derive(Debug, Default)]
pub(super) struct Proxy {
    templates: Tags<Template>,
    /// The tags of all templates and when those were made, the oldest first; one whose tag was given away again is passed over.
    by_age: VecDeque<(Instant, Tag)>,
    /// Flows whose connection has ended within the lifetime of a template, and when: none of theirs
    /// from before is given out any more.
    ended: BTreeMap<FlowKey, Instant>,
    /// The same, the first one in front.
    ended_by_age: VecDeque<(Instant, FlowKey)>,
    /// By flow of the client's ACKs.
    clients: FlowTable<ClientState>,
    /// A request in the answer at hand, for a frame that is not known to be delivered: the same answer may yet turn out to acknowledge it.
    undelivered: Option<Tag>,
    /// What was asked for before anything of the client's had gone up.
    early_requests: VecDeque<(Tag, Template)>,
    /// How the last data went to the client.
    way: Option<(Ds, MpduKind)>,
}

/// An ACK that may be asked for.
#[derive(Clone, Copy, Debug)]
struct Template {
    flow: FlowKey,
    ip: IpHeader,
    data: DataFacts,
    made: Instant,
    /// Whether the client's MAC has acknowledged the frame; minded under hashes alone.
    delivered: bool,
    /// It was asked for, and has gone up if that said anything new.
    released: bool,
}

/// What is known of a client on one connection.
#[derive(Clone, Copy, Debug)]
struct ClientState {
    facts: ClientFacts,
    /// The acknowledgment number of its last packet.
    acked: SeqNumber,
    /// Its SND.NXT.
    snd_nxt: SeqNumber,
    /// What the data's sender was told: the greatest acknowledgment number that went up, the client's own or one in its name.
    told_ack: SeqNumber,
    /// Whether the client contradicts that.
    contradiction: Contradiction,
    /// When a packet of the connection last came by.
    last_used: Instant,
}

impl Proxy {
    /// A frame to this client gets its sequence number: a template is made of the data packet in it.
    pub(super) fn on_sequenced(
        &mut self,
        cx: &Context<'_>,
        config: &ArqProxyConfig,
        counters: &mut ArqProxyCounters,
        mpdu: &Mpdu,
    ) {
        // An AP asks for nothing, and a relay only for what is meant for itself: the proxy is at the last hop.
        if mpdu.ds == Ds::ToAp || mpdu.receiver != mpdu.destination {
            return;
        }
        let packet = cx.pool.get(mpdu.packet);
        let (Some(tcp), Some(flow)) = (packet.tcp(), FlowKey::of(packet).map(FlowKey::reversed)) else { return };
        if !is_plain_data(packet, tcp) {
            return;
        }
        self.way = Some((mpdu.ds, mpdu.kind));
        let Some(tag) = tag(config.identification, mpdu, packet) else { return };
        self.expire(cx.now, config.lifetime, counters);
        let data = DataFacts::of(tcp, packet.payload.len());
        let ended = &self.ended;
        let mut template = Template { flow, ip: packet.ip, data, made: cx.now, delivered: false, released: false };
        if let Some(there) = self.templates.get_mut(tag) {
            if there.is_over(ended) {
                // It is as if it were not there.
                *there = template;
                counters.templates += 1;
                self.remember(cx.now, tag);
                return;
            }
            if there.released {
                // Nobody asks for it any more.
            } else if config.identification == Identification::FrameSequence {
                counters.templates_replaced += 1;
            } else if there.is_of(&template) {
                template.delivered = there.delivered;
            } else if self.clients.get_mut(there.flow).is_none_or(|client| there.data.end.after(client.told_ack)) {
                counters.templates_refused += 1;
                return;
            }
            // Under the frames' numbers it is nearly always the oldest.
            self.by_age.pop_front_if(|oldest| *oldest == (there.made, tag));
            *there = template;
        } else {
            self.templates.insert(tag, template);
        }
        counters.templates += 1;
        self.remember(cx.now, tag);
    }

    /// A template was made now.
    #[inline]
    fn remember(&mut self, now: Instant, tag: Tag) {
        self.by_age.push_back((now, tag));
        if self.by_age.len() > 2 * self.templates.len() + 64 {
            self.compact();
        }
    }

    /// The template under a tag, unless its connection is over.
    fn template(&self, tag: Tag) -> Option<&Template> {
        self.templates.get(tag).filter(|template| !template.is_over(&self.ended))
    }

    /// The client has asked in an answer.
    pub(super) fn on_request(
        &mut self,
        cx: &mut Context<'_>,
        config: &ArqProxyConfig,
        counters: &mut ArqProxyCounters,
        from: NodeId,
        tag: Tag,
    ) {
        let Some(template) = self.template(tag) else {
            counters.requests_unknown += 1;
            return;
        };
        if template.released {
            counters.requests_repeated += 1;
        } else if cx.now > template.made + config.lifetime {
            counters.requests_late += 1;
        } else if config.identification == Identification::Hash && !template.delivered {
            // Another packet has the same hash, unless this answer acknowledges the frame.
            self.undelivered = Some(tag);
        } else {
            self.release(cx, config, counters, from, tag);
        }
    }

    /// All that the last answer acknowledged is known, and it was not what the client had asked for.
    pub(super) fn on_settled(&mut self, counters: &mut ArqProxyCounters) {
        if self.undelivered.take().is_some() {
            counters.requests_undelivered += 1;
        }
    }

    /// The client's MAC has acknowledged a frame.
    pub(super) fn on_delivered(
        &mut self,
        cx: &mut Context<'_>,
        config: &ArqProxyConfig,
        counters: &mut ArqProxyCounters,
        mpdu: &Mpdu,
    ) {
        let Some((tag, template)) = self.of_frame(cx, config, mpdu) else { return };
        template.delivered = true;
        if self.undelivered.take_if(|undelivered| *undelivered == tag).is_some() {
            self.release(cx, config, counters, mpdu.receiver, tag);
        }
    }

    /// A frame was given up: under a hash, its packet's name is free. A sequence number names nothing else, so that a client that has the frame
    /// may still ask.
    pub(super) fn on_given_up(&mut self, cx: &Context<'_>, config: &ArqProxyConfig, mpdu: &Mpdu) {
        if let Some((tag, _)) = self.of_frame(cx, config, mpdu) {
            self.templates.remove(tag);
        }
    }

    /// Packets of the client's go up, of which as many at the start pass as [pass](Self::passes) by themselves. Returns how many.
    pub(super) fn on_run_upward(&mut self, cx: &Context<'_>, config: &ArqProxyConfig, mpdus: &[Mpdu]) -> usize {
        let other = mpdus.iter().position(|mpdu| !self.passes(cx.pool.get(mpdu.packet), cx.now, config.stateless));
        other.unwrap_or(mpdus.len())
    }

    /// Takes in what a packet says that goes up, if its connection is known and it neither begins
    /// nor ends one. Returns whether that is so, or it says nothing: then it passes. Where the
    /// client has long contradicted what was said in its name, it does not.
    #[inline(always)]
    fn passes(&mut self, packet: &Packet, now: Instant, stateless: bool) -> bool {
        let (Some(tcp), Some(flow)) = (packet.tcp(), FlowKey::of(packet)) else { return true };
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            return false;
        }
        if stateless || says(packet).is_none() {
            return true;
        }
        let Some(client) = self.clients.get_mut(flow) else { return false };
        let stands = client.learn(packet, tcp, now);
        self.clients.touch();
        stands
    }

    /// A packet of the client's goes up: it says what an ACK made in the client's place must fit to.
    pub(super) fn on_upward(
        &mut self,
        cx: &mut Context<'_>,
        config: &ArqProxyConfig,
        (counters, resets): (&mut ArqProxyCounters, &mut Resets),
        id: PacketId,
        from: NodeId,
    ) -> Verdict {
        let packet = cx.pool.get(id);
        if self.passes(packet, cx.now, config.stateless) {
            return Verdict::Pass;
        }
        let (Some(tcp), Some(flow)) = (packet.tcp(), FlowKey::of(packet)) else { return Verdict::Pass };
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            self.forget(flow, cx.now);
            if tcp.flags.contains(TcpFlags::SYN) {
                resets.forget(flow.reversed());
            }
            return Verdict::Pass;
        }
        if self.clients.get_mut(flow).is_some() {
            counters.contradicted += 1;
            self.reset(cx, resets, (id, flow), from);
            return Verdict::Pass;
        }
        let Some(news) = ClientState::of(packet, cx.now) else { return Verdict::Pass };
        // At most three go for each that comes, so that none costs much.
        let was_full = self.clients.len() >= MAX_CLIENTS;
        for _ in 0..3 {
            let full = self.clients.len() >= MAX_CLIENTS;
            let Some((key, client)) = self.clients.quietest().filter(|_| full || was_full) else { break };
            if !full && cx.now.saturating_since(client.last_used) < IDLE {
                break;
            }
            self.clients.remove(key);
        }
        self.clients.insert(flow, news);
        if self.early_requests.is_empty() {
            return Verdict::Pass;
        }
        // What has waited for this packet goes up behind it.
        cx.emit(Emission::Onward(id, from));
        for (tag, template) in std::mem::take(&mut self.early_requests) {
            if template.flow != flow {
                self.early_requests.push_back((tag, template));
            } else {
                counters.released_late += 1;
                self.send_unless_stale(cx, config, counters, from, (tag, template));
            }
        }
        Verdict::Hold
    }

    /// The client has long contradicted what was said in its name: the connection cannot go on, and
    /// both ends hear so.
    fn reset(&mut self, cx: &mut Context<'_>, resets: &mut Resets, (said, flow): (PacketId, FlowKey), from: NodeId) {
        let Some(client) = self.clients.remove(flow) else { return };
        let both = for_both(cx.pool.get(said), client.told_ack);
        self.forget(flow, cx.now);
        let (Some((to_client, to_sender)), Some((ds, kind))) = (both, self.way) else { return };
        // The proxy is at the last hop.
        let options = SendOptions {
            receiver: from,
            destination: from,
            source: cx.node,
            ds,
            kind,
            ack_policy: AckPolicy::Normal,
            rate: None,
        };
        let rsts = Rsts { onward: Some((to_sender, from)), queued: Some((to_client, options)) };
        resets.reset_both_ends(cx, flow.reversed(), rsts);
    }

    /// A frame of the client's came, and may have to wait for others in the reorder buffer; the client knows that it has come. A smaller window
    /// holds from now on.
    pub(super) fn on_mpdu(&mut self, cx: &Context<'_>, config: &ArqProxyConfig, mpdu: &Mpdu) {
        if self.clients.is_empty() {
            return;
        }
        let packet = cx.pool.get(mpdu.packet);
        let Some(tcp) = says(packet).filter(|_| !config.stateless) else { return };
        let Some(client) = FlowKey::of(packet).and_then(|flow| self.clients.get_mut(flow)) else { return };
        if tcp.window < client.facts.window && client.is_news(tcp) {
            client.facts.window = tcp.window;
        }
    }

    /// Releases an ACK that is kept, or will when something of the client's has gone up.
    fn release(
        &mut self,
        cx: &mut Context<'_>,
        config: &ArqProxyConfig,
        counters: &mut ArqProxyCounters,
        from: NodeId,
        tag: Tag,
    ) {
        let Some(template) = self.template(tag).copied() else { return };
        if config.stateless || self.clients.get_mut(template.flow).is_some() {
            self.send_unless_stale(cx, config, counters, from, (tag, template));
        } else if !self.early_requests.iter().any(|(_, early)| early.is_of(&template)) {
            counters.requests_early += 1;
            self.early_requests.push_back((tag, template));
            if self.early_requests.len() > MAX_EARLY {
                self.early_requests.pop_front();
            }
        }
    }

    /// Sends an ACK up, unless it says nothing new.
    fn send_unless_stale(
        &mut self,
        cx: &mut Context<'_>,
        config: &ArqProxyConfig,
        counters: &mut ArqProxyCounters,
        from: NodeId,
        (tag, template): (Tag, Template),
    ) {
        // By now the frame's number may be another's.
        if let Some(kept) = self.templates.get_mut(tag).filter(|kept| kept.made == template.made) {
            kept.released = true;
        }
        let packet = if config.stateless {
            cx.pool.insert(template.stateless())
        } else {
            if self.clients.get_mut(template.flow).is_none() {
                return;
            }
            self.clients.touch();
            let client = self.clients.at_hand();
            client.last_used = cx.now;
            if !template.data.end.after(client.told_ack) {
                counters.requests_stale += 1;
                return;
            }
            client.told_ack = template.data.end;
            // The client has asked for it.
            client.contradiction.end();
            template.fitted_to(client, cx.pool)
        };
        counters.released += 1;
        cx.emit(Emission::Onward(packet, from));
    }

    /// The template of a frame under its hash, with its tag; nothing where frames are named by their numbers.
    fn of_frame(&mut self, cx: &Context<'_>, config: &ArqProxyConfig, mpdu: &Mpdu) -> Option<(Tag, &mut Template)> {
        if config.identification != Identification::Hash || self.templates.is_empty() {
            return None;
        }
        let packet = cx.pool.get(mpdu.packet);
        let tag = tag(config.identification, mpdu, packet)?;
        let (tcp, flow) = (packet.tcp()?, FlowKey::of(packet)?.reversed());
        let ended = &self.ended;
        let template = self.templates.get_mut(tag).filter(|template| !template.is_over(ended))?;
        let same = template.flow == flow && template.data.seq == tcp.seq && is_plain_data(packet, tcp);
        same.then_some((tag, template))
    }

    /// The client begins or ends the connection: nothing of an earlier one on the same ports is left. That the sender does, the client may never
    /// hear.
    fn forget(&mut self, flow: FlowKey, now: Instant) {
        if !self.templates.is_empty() {
            if self.ended_by_age.len() >= MAX_ENDED {
                // Whoever ends so many at once costs the others no more than an ACK.
                self.templates.clear();
                self.by_age.clear();
                self.ended.clear();
                self.ended_by_age.clear();
            }
            self.ended.insert(flow, now);
            self.ended_by_age.push_back((now, flow));
        }
        self.early_requests.retain(|(_, early)| early.flow != flow);
        self.clients.remove(flow);
    }

    /// Drops what has waited for its lifetime.
    #[inline(always)]
    pub(super) fn expire(&mut self, now: Instant, lifetime: Duration, counters: &mut ArqProxyCounters) {
        if self.by_age.front().is_some_and(|(made, _)| now > *made + lifetime) {
            self.drop_expired(now, lifetime, counters);
        }
    }

    #[inline(never)]
    fn drop_expired(&mut self, now: Instant, lifetime: Duration, counters: &mut ArqProxyCounters) {
        while let Some((made, tag)) = self.by_age.pop_front_if(|(made, _)| now > *made + lifetime) {
            if let Some(template) = self.templates.get(tag).filter(|template| template.made == made) {
                counters.templates_expired += u64::from(!template.released && !template.is_over(&self.ended));
                self.templates.remove(tag);
            }
        }
        while let Some((at, flow)) = self.ended_by_age.pop_front_if(|(at, _)| now > *at + lifetime) {
            if self.ended.get(&flow) == Some(&at) {
                self.ended.remove(&flow);
            }
        }
    }

    /// Keeps the list of what was made in proportion to what is kept.
    #[inline(never)]
    fn compact(&mut self) {
        let templates = &self.templates;
        self.by_age.retain(|(made, tag)| templates.get(*tag).is_some_and(|template| template.made == *made));
    }
}

impl Template {
    /// Whether both are for the same data packet, perhaps sent again.
    fn is_of(&self, other: &Self) -> bool {
        self.flow == other.flow && (self.data.seq, self.data.end) == (other.data.seq, other.data.end)
    }

    /// Whether its connection has ended since it was made.
    #[inline]
    fn is_over(&self, ended: &BTreeMap<FlowKey, Instant>) -> bool {
        !ended.is_empty() && ended.get(&self.flow).is_some_and(|at| self.made <= *at)
    }

    /// The paper's ACK, which needs no state of the client: addresses, ports and sequence numbers are copied, and all else is as it always is.
    fn stateless(&self) -> Packet {
        let tcp = TcpHeader {
            seq: self.data.ack,
            ack: self.data.end,
            flags: TcpFlags::ACK,
            window: STATELESS_WINDOW,
            ..self.data.answered()
        };
        let ip = IpHeader::between(self.ip.dst(), self.ip.src()).expect("both addresses are of the same packet");
        Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
    }

    /// An ACK that fits to what the client has sent, in the pool.
    fn fitted_to(&self, client: &ClientState, pool: &mut PacketPool) -> PacketId {
        let mut data = self.data;
        data.ack = data.ack.max(client.snd_nxt);
        let said = (data.end, data.ts_val.unwrap_or(0));
        client.facts.put_ack(pool, &data, said, client.facts.window, TcpFlags::empty())
    }
}

impl ClientState {
    /// What one packet of the client's says.
    fn of(packet: &Packet, now: Instant) -> Option<Self> {
        let (facts, tcp) = (ClientFacts::of(packet)?, packet.tcp()?);
        let (contradiction, snd_nxt) = (Contradiction::NONE, next_after(packet, tcp));
        Some(Self { facts, acked: tcp.ack, snd_nxt, told_ack: tcp.ack, contradiction, last_used: now })
    }

    /// Takes over what a later packet of the client's [says]. Returns whether what was said in its
    /// name stands.
    #[inline(always)]
    fn learn(&mut self, packet: &Packet, tcp: &TcpHeader, now: Instant) -> bool {
        let stands = !self.contradiction.hears(now, tcp.ack, self.told_ack, PATIENCE);
        self.last_used = now;
        self.told_ack = self.told_ack.max(tcp.ack);
        self.snd_nxt = self.snd_nxt.max(next_after(packet, tcp));
        if self.is_news(tcp) {
            self.facts = ClientFacts::read(packet, tcp);
            self.acked = tcp.ack;
        }
        stands
    }

    /// Whether a packet of the client's says something new; one that others have overtaken does not.
    #[inline(always)]
    fn is_news(&self, tcp: &TcpHeader) -> bool {
        let younger = |value: u32, than: u32| SeqNumber(value).before(SeqNumber(than));
        let stamps = self.facts.ts_val.zip(tcp.options.timestamps);
        !tcp.ack.before(self.acked) && !stamps.is_some_and(|(old, (new, _))| younger(new, old))
    }
}

/// Whether this is a data packet that an ACK is made for: connection establishment and termination are the client's own, and so is what says more than plain TCP.
pub(super) fn is_plain_data(packet: &Packet, tcp: &TcpHeader) -> bool {
    let other = TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST | TcpFlags::URG;
    let plain = tcp.flags.contains(TcpFlags::ACK) && !tcp.flags.intersects(other) && !tcp.is_opaque();
    plain && !packet.payload.is_empty()
}

/// The window of a stateless template: the largest that the field can say.
const STATELESS_WINDOW: u16 = 65_535;
/// So many connections of one client are remembered. Where there is one more, those that were silent for [`IDLE`] are forgotten, and at least
/// the one that was silent longest.
const MAX_CLIENTS: usize = 1024;
/// Longer than `SILENCE` of the client, so that a client does not count on what is forgotten.
const IDLE: Duration = Duration::from_secs(60);
/// So many ends of connections are remembered for the lifetime of a template. Where there is one
/// more, all templates go.
const MAX_ENDED: usize = 4096;
/// So many requests wait for a client's first packet.
const MAX_EARLY: usize = 16;

//! The station's half: which ACKs of its own TCP it keeps off the air, and how it makes sure that what its MAC acknowledged is not lost.
//!
//! Here stands what both solutions do; what is one's own stands in `by_buffer` and `by_flag`.

mod by_buffer;
mod by_flag;

use ackless_dot11::frame::{FrameHandle, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, ArrivalKind, Context, Emission, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, PacketId, PacketPool, TcpFlags, TcpHeader};

use super::config::{AgentConfig, Solution};
use super::counters::AgentCounters;
use super::data_of;
use super::flow::{Flow, WhyNative};
use super::seen::Seen;
use crate::connection::Opaque;
use crate::flow_key::{FlowKey, FlowTable};
use crate::resets::Resets;
use by_buffer::{abandon, on_ack};

/// The flows of this node's own TCP.
#[derive(Debug)]
pub(in crate::agent) struct Client {
    config: AgentConfig,
    flows: FlowTable<Flow>,
    links: Vec<Link>,
    /// Native ACKs in the queue that a flag may make superfluous, the oldest first.
    queued: Vec<Queued>,
    resets: Resets,
    wake: Option<Instant>,
    /// When idle flows were last looked for.
    swept: Instant,
}

/// What concerns a peer that data comes from.
#[derive(Debug)]
struct Link {
    peer: NodeId,
    seen: Seen,
    /// Frames in the buffers of all its flows.
    kept: usize,
    /// New data frames in the PPDU that is being taken in.
    arriving: usize,
    /// Flows with data in what the next answer may acknowledge.
    answerable: Vec<Answerable>,
    /// Whether any data in what will be answered is new: not all of it had been accepted before.
    has_new: bool,
    /// Data frames that were accepted from it, without repeated ones.
    accepted: u64,
    /// The answer that is due is to a BlockAck Request.
    to_block_ack_req: bool,
}

/// A flow with data that the next answer may acknowledge.
#[derive(Clone, Copy, Debug)]
struct Answerable {
    key: FlowKey,
    /// How many data frames had been accepted when its last one came.
    accepted_then: u64,
    /// It has data in what will be answered; else in what was answered before, by an answer that perhaps did not arrive.
    in_this_answer: bool,
}

#[derive(Clone, Copy, Debug)]
struct Queued {
    handle: FrameHandle,
    key: FlowKey,
    tcp: TcpHeader,
}

impl Client {
    pub(in crate::agent) fn new(config: AgentConfig) -> Self {
        Self {
            config,
            flows: FlowTable::default(),
            links: Vec::new(),
            queued: Vec::new(),
            resets: Resets::default(),
            wake: None,
            swept: Instant::ZERO,
        }
    }

    /// The node starts anew: what it kept is gone with the TCP that it was for.
    pub(in crate::agent) fn start_anew(&mut self, pool: &mut PacketPool) {
        self.flows.values_mut().for_each(|flow| {
            flow.buffer.clear(pool);
        });
        *self = Self::new(self.config);
    }

    pub(in crate::agent) const fn poll_timeout(&self) -> Option<Instant> {
        self.wake
    }

    /// A PPDU begins to be taken in. One with data mostly shows that the answer to what came before has arrived: after a lost BlockAck a BlockAck Request
    /// comes, and after a lost Ack the same MPDU, which is in this PPDU. But an AP that gives its requests up sends MPDUs again, and the BlockAck to these
    /// acknowledges those too that arrived before and not now. So flows whose TCP owes an ACK for what came before still count.
    pub(in crate::agent) fn on_ppdu_in(&mut self, from: NodeId, kind: ArrivalKind) {
        let Some(link) = self.links.iter_mut().find(|link| link.peer == from) else { return };
        link.to_block_ack_req = kind == ArrivalKind::BlockAckReq;
        if !link.to_block_ack_req {
            link.arriving = 0;
            link.has_new = false;
            let (flows, accepted) = (&mut self.flows, link.accepted);
            link.answerable.retain_mut(|answerable| {
                answerable.in_this_answer = false;
                accepted - answerable.accepted_then < ANSWERABLE_WITHIN
                    && flows.get_mut(answerable.key).is_some_and(|flow| flow.tcp_owes_ack())
            });
        }
    }

    /// An MPDU came that bears a packet for this node from its AP.
    #[inline]
    pub(in crate::agent) fn on_mpdu(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        mpdu: &Mpdu,
    ) -> Admission {
        let content = cx.pool.get(mpdu.packet);
        let (Some(tcp), Some(key)) = (content.tcp(), FlowKey::of(content)) else { return Admission::Accept };
        let (data, key) = (data_of(content).map(|(_, end)| end), key.reversed());
        let (start, shows_opaque) = (tcp.seq, data.is_none() && Opaque::is_shown_by(tcp));
        if data.is_none() && !shows_opaque {
            return Admission::Accept;
        }
        self.ensure_flow(cx, counters, key, mpdu.transmitter);
        let flow = self.flows.at_hand();
        if flow.peer != mpdu.transmitter {
            // Roamed: what the AP before has acknowledged stays here, and the one that speaks now knows nothing of this flow yet.
            link(&mut self.links, flow.peer).kept -= flow.buffer.len();
            flow.moves_to(mpdu.transmitter);
            link(&mut self.links, mpdu.transmitter).kept += flow.buffer.len();
        }
        let link = link(&mut self.links, mpdu.transmitter);
        let opaque = flow.opaque.note_if(shows_opaque);
        let Some(end) = data.filter(|_| !opaque) else { return Admission::Accept };
        let repeated = link.seen.has(mpdu);
        match self.config.solution {
            Solution::Buffer { packets, .. } if !repeated && !flow.has_acknowledged(end) => {
                let room = link.kept + link.arriving < usize::from(packets);
                if !room && !flow.lacks_below(start) && !flow.buffer.has_at(start) {
                    counters.refused += 1;
                    return Admission::Refuse;
                }
                link.arriving += 1;
            }
            Solution::Flag { .. } => {
                flow.accept(start, end);
                link.has_new |= !repeated;
                link.accepted += u64::from(!repeated);
                let answerable = Answerable { key, accepted_then: link.accepted, in_this_answer: true };
                match link.answerable.iter_mut().find(|answerable| answerable.key == key) {
                    Some(known) => *known = answerable,
                    None => link.answerable.push(answerable),
                }
            }
            Solution::Buffer { .. } => {}
        }
        link.seen.add(mpdu);
        flow.spoken_for = true;
        flow.last_heard = cx.now;
        Admission::Accept
    }

    /// The local TCP hands a packet down for its AP.
    pub(in crate::agent) fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        packet: PacketId,
        handle: FrameHandle,
        options: &SendOptions,
    ) -> Verdict {
        let content = cx.pool.get(packet);
        let (Some(key), Some(tcp)) = (FlowKey::of(content), content.tcp()) else { return Verdict::Pass };
        let tcp = *tcp;
        let (pure, length) = (content.pure_ack().is_some(), content.payload.len());
        self.ensure_flow(cx, counters, key, options.receiver);
        let flow = self.flows.at_hand();
        let link = link(&mut self.links, flow.peer);
        flow.last_heard = cx.now;
        if tcp.flags.contains(TcpFlags::RST) {
            link.kept -= restart(flow, cx.pool, cx.now);
            return Verdict::Pass;
        }
        if tcp.flags.contains(TcpFlags::SYN) {
            link.kept -= flow.buffer.clear(cx.pool);
            self.resets.forget(key.reversed());
            *flow = Flow::opened(flow.peer, flow.scale, &tcp, *options, cx.now);
            return Verdict::Pass;
        }
        let opaque = flow.opaque.note(&tcp);
        if !tcp.flags.contains(TcpFlags::ACK) || opaque && flow.buffer.is_empty() {
            return Verdict::Pass;
        }
        if !opaque {
            flow.own_sending = Some((flow.snd_nxt_after(&tcp, length), *options));
        }
        let ruling = flow.rule(&tcp, pure, cx.now, (self.config.refresh, self.config.room));
        let before = flow.window;
        let new = flow.hand_down(&tcp);
        if let Solution::Buffer { again, .. } = self.config.solution {
            on_ack(flow, link, (cx, counters), &tcp, (new, before, pure), again);
            self.wake = Instant::earlier(self.wake, flow.buffer.due());
        }
        match (ruling, self.config.solution) {
            (Ok(()), Solution::Buffer { .. }) => {
                counters.swallowed += 1;
                flow.swallow(tcp.ack);
                return Verdict::Swallow;
            }
            (Ok(()), Solution::Flag { .. }) => self.queued.push(Queued { handle, key, tcp }),
            (Err(why), _) => {
                count(counters, why);
                if flow.goes_natively(&tcp, Some(why), cx.now + self.config.refresh) {
                    counters.restated += 1;
                    let copy = cx.pool.get(packet).clone();
                    let copy = cx.pool.insert(copy);
                    cx.emit(Emission::Queue(copy, *options));
                }
            }
        }
        Verdict::Pass
    }

    /// An MPDU of this node's was acknowledged.
    #[inline]
    pub(in crate::agent) fn on_delivered(&mut self, cx: &Context<'_>, mpdu: &Mpdu) {
        if self.flows.is_empty() {
            return;
        }
        let content = cx.pool.get(mpdu.packet);
        let (Some(key), Some(tcp)) = (FlowKey::of(content), content.tcp()) else { return };
        if tcp.flags.contains(TcpFlags::ACK)
            && !tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST)
            && let Some(flow) = self.flows.get_mut(key).filter(|flow| !flow.opaque.is())
        {
            flow.delivered(mpdu.handle, tcp, cx.now, self.config.refresh);
        }
    }

    /// A SYN or RST from a peer. Only what the TCP is sure to believe ends the flow: a RST with the number that it waits for (RFC 5961, 3.2), by its last ACK and by what went up since. Else the
    /// TCP's own answer does, a RST or a SYN.
    pub(in crate::agent) fn on_syn_or_rst(&mut self, cx: &mut Context<'_>, key: FlowKey, tcp: &TcpHeader) {
        let Some(flow) = self.flows.get_mut(key) else { return };
        if tcp.flags.contains(TcpFlags::RST) {
            if flow.is_ended_by(tcp) {
                link(&mut self.links, flow.peer).kept -= restart(flow, cx.pool, cx.now);
            }
        } else {
            flow.scale.answered(tcp);
        }
    }

    /// Makes sure that the flow, with data from `peer`, is there and at hand.
    #[inline(always)]
    fn ensure_flow(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters, key: FlowKey, peer: NodeId) {
        if self.flows.get_mut(key).is_none() {
            self.add_flow(cx, counters, key, peer);
        }
    }

    #[inline(never)]
    fn add_flow(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters, key: FlowKey, peer: NodeId) {
        let now = cx.now;
        if now.saturating_since(self.swept) >= IDLE {
            self.flows.retain(|_, flow| now.saturating_since(flow.last_heard) < IDLE || !flow.buffer.is_empty());
            self.swept = now;
        }
        if self.flows.len() >= MAX_FLOWS {
            let oldest = self.flows.values().map(|flow| flow.last_heard).min().unwrap_or(now);
            self.flows.retain(|_, flow| {
                let stays = flow.last_heard > oldest;
                if !stays {
                    link(&mut self.links, flow.peer).kept -= abandon(flow, &mut self.resets, cx, counters);
                }
                stays
            });
            self.wake = Instant::earlier(self.wake, self.resets.due());
            counters.forgotten += 1;
        }
        debug_assert!(self.flows.len() < MAX_FLOWS, "the quietest flow has made room");
        self.flows.insert(key, Flow::new(peer, now));
    }
}

/// The flow's connection is over, or another one begins. Returns how many frames that lets go.
fn restart(flow: &mut Flow, pool: &mut PacketPool, now: Instant) -> usize {
    let gone = flow.buffer.clear(pool);
    *flow = Flow::new(flow.peer, now);
    gone
}

#[inline(always)]
fn link(links: &mut Vec<Link>, peer: NodeId) -> &mut Link {
    // A station hears one AP.
    let place = if links.first().is_some_and(|first| first.peer == peer) { 0 } else { find_link(links, peer) };
    &mut links[place]
}

#[inline(never)]
fn find_link(links: &mut Vec<Link>, peer: NodeId) -> usize {
    links.iter().position(|link| link.peer == peer).unwrap_or_else(|| {
        let (seen, answerable) = (Seen::default(), Vec::new());
        links.push(Link {
            peer,
            seen,
            kept: 0,
            arriving: 0,
            answerable,
            has_new: false,
            accepted: 0,
            to_block_ack_req: false,
        });
        links.len() - 1
    })
}

fn count(counters: &mut AgentCounters, why: WhyNative) {
    let counter = match why {
        WhyNative::Other => &mut counters.native_other,
        WhyNative::Duplicate { .. } => &mut counters.native_duplicate,
        WhyNative::Window => &mut counters.native_window,
        WhyNative::Uncovered => &mut counters.native_uncovered,
        WhyNative::Unknown => &mut counters.native_unknown,
        WhyNative::Refresh => &mut counters.refreshed,
    };
    *counter += 1;
}

/// A flow without a packet for so long is forgotten, if nothing of it is kept.
const IDLE: Duration = Duration::from_secs(60);
/// Flows that are remembered.
const MAX_FLOWS: usize = 4096;
/// An MPDU that the AP may not know to have arrived keeps all that it sends within a BlockAck window of 64 before or behind it, so that of those accepted
/// since then fewer than this are new.
const ANSWERABLE_WITHIN: u64 = 127;

//! The station's half: which ACKs of its own TCP it keeps off the air, and how it makes sure that what its MAC acknowledged is not lost.
//!
//! Here stands what both solutions do; what is one's own stands in `by_buffer` and `by_flag`.

mod by_buffer;
mod by_flag;

use ackless_dot11::frame::{FrameHandle, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, ArrivalKind, Context, Emission, Fate, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, PacketId, PacketPool, TcpFlags, TcpHeader};

use super::config::{AgentConfig, Solution};
use super::counters::AgentCounters;
use super::direction::{data_of, ends_here};
use super::flow::{Flow, WhyNative};
use super::seen::Seen;
use crate::connection::Opaque;
use crate::due::Dues;
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::frames::Frames;
use crate::resets::Resets;
use crate::testing::steps;
use by_buffer::{abandon, on_ack};

/// The flows of this node's own TCP.
#[derive(Debug)]
pub(in crate::agent) struct Client {
    config: AgentConfig,
    flows: FlowTable<Flow>,
    links: Vec<Link>,
    /// The flow of each native ACK in the queue that a flag may make superfluous.
    queued: Frames<FlowKey>,
    resets: Resets,
    wake: Option<Instant>,
    /// When the buffer of each flow hands something up again, by its place among the flows.
    dues: Dues,
    /// The flows whose time has come, while that is looked for.
    due: Vec<usize>,
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
    /// Its place among the flows, unless it has been forgotten since.
    place: usize,
    /// How many data frames had been accepted when its last one came.
    accepted_then: u64,
    /// It has data in what will be answered; else in what was answered before, by an answer that perhaps did not arrive.
    in_this_answer: bool,
}

impl Answerable {
    /// The flow, unless it has been forgotten.
    fn flow<'a>(&self, flows: &'a FlowTable<Flow>) -> Option<&'a Flow> {
        flows.at(self.place).filter(|(key, _)| *key == self.key).map(|(_, flow)| flow)
    }
}

impl Link {
    /// Data of this flow has come, which the next answer may acknowledge.
    fn note_answerable(&mut self, key: FlowKey, place: usize) {
        let answerable = Answerable { key, place, accepted_then: self.accepted, in_this_answer: true };
        match self.answerable.iter_mut().find(|answerable| answerable.key == key) {
            Some(known) => *known = answerable,
            None => self.answerable.push(answerable),
        }
    }
}

impl Client {
    pub(in crate::agent) fn new(config: AgentConfig) -> Self {
        Self {
            config,
            flows: FlowTable::default(),
            links: Vec::new(),
            queued: Frames::default(),
            resets: Resets::default(),
            wake: None,
            dues: Dues::new(),
            due: Vec::new(),
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
            let (flows, accepted) = (&self.flows, link.accepted);
            link.answerable.retain_mut(|answerable| {
                steps::count(1);
                answerable.in_this_answer = false;
                accepted - answerable.accepted_then < ANSWERABLE_WITHIN
                    && answerable.flow(flows).is_some_and(Flow::tcp_owes_ack)
            });
        }
    }

    /// MPDUs of one PPDU of its AP came. Returns how many at the start are accepted.
    pub(in crate::agent) fn on_mpdus(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        mpdus: &[Mpdu],
    ) -> usize {
        let mut accepted = 0;
        while let Some(mpdu) = mpdus.get(accepted) {
            let own = mpdu.receiver == cx.node && ends_here(mpdu);
            if own && self.on_mpdu(cx, counters, mpdu) == Admission::Refuse {
                break;
            }
            accepted += 1;
            accepted += self.accept_row(cx, &mpdus[accepted..]);
        }
        accepted
    }

    /// Accepts MPDUs with data of the flow at hand that the first solution has room for, were never sent before, and say nothing new: as [`Self::on_mpdu`] would one by one. Returns how
    /// many these are at the start.
    fn accept_row(&mut self, cx: &Context<'_>, mpdus: &[Mpdu]) -> usize {
        let Solution::Buffer { packets, .. } = self.config.solution else { return 0 };
        let Some((key, flow)) = self.flows.row_at_hand().filter(|(_, flow)| !flow.opaque.is()) else { return 0 };
        let link = link(&mut self.links, flow.peer);
        let is_next = |mpdu: &&Mpdu| {
            let own = mpdu.receiver == cx.node && ends_here(mpdu) && mpdu.transmitter == flow.peer;
            let content = cx.pool.get(mpdu.packet);
            let is_new = |(tcp, end)| !flow.has_acknowledged(end) && key.is_against(content, tcp);
            own && !mpdu.retry && data_of(content).is_some_and(is_new)
        };
        let room = usize::from(packets).saturating_sub(link.kept + link.arriving);
        let row = &mpdus[..mpdus.iter().take(room).take_while(is_next).count()];
        if !row.is_empty() {
            link.arriving += row.len();
            link.seen.add_all(row);
            (flow.spoken_for, flow.last_heard) = (true, cx.now);
            self.flows.touch();
        }
        row.len()
    }

    /// An MPDU came that bears a packet for this node from its AP.
    #[inline(always)]
    fn on_mpdu(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters, mpdu: &Mpdu) -> Admission {
        let content = cx.pool.get(mpdu.packet);
        let Some(tcp) = content.tcp() else { return Admission::Accept };
        let data = data_of(content).map(|(_, end)| end);
        let (start, shows_opaque) = (tcp.seq, data.is_none() && Opaque::is_shown_by(tcp));
        if data.is_none() && !shows_opaque {
            return Admission::Accept;
        }
        if self.flows.get_against(content, tcp).is_none()
            && let Some(key) = FlowKey::of(content)
        {
            self.add_flow(cx, counters, key.reversed(), mpdu.transmitter);
        }
        self.flows.touch();
        let place = self.flows.place_at_hand();
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
                let has_place = |tcp: &TcpHeader| flow.has_place_for(tcp, end);
                if !room && !cx.pool.get(mpdu.packet).tcp().is_some_and(has_place) {
                    counters.refused += 1;
                    return Admission::Refuse;
                }
                link.arriving += 1;
            }
            Solution::Flag { .. } => {
                flow.accept(start, end);
                link.has_new |= !repeated;
                link.accepted += u64::from(!repeated);
                if let Some(key) = FlowKey::of(cx.pool.get(mpdu.packet)) {
                    link.note_answerable(key.reversed(), place);
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
        let Some(&tcp) = content.tcp() else { return Verdict::Pass };
        let (pure, length) = (content.pure_ack().is_some(), content.payload.len());
        if self.flows.get_of(content, &tcp).is_none()
            && let Some(key) = FlowKey::of(content)
        {
            self.add_flow(cx, counters, key, options.receiver);
        }
        self.flows.touch();
        let place = self.flows.place_at_hand();
        let flow = self.flows.at_hand();
        let link = link(&mut self.links, flow.peer);
        flow.last_heard = cx.now;
        if tcp.flags.contains(TcpFlags::RST) {
            link.kept -= restart(flow, cx.pool, cx.now);
            self.dues.set(place, None);
            return Verdict::Pass;
        }
        if tcp.flags.contains(TcpFlags::SYN) {
            link.kept -= flow.buffer.clear(cx.pool);
            self.dues.set(place, None);
            *flow = Flow::opened(flow.peer, flow.scale, &tcp, *options, cx.now);
            self.resets.forget(self.flows.key_at_hand().reversed());
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
            self.dues.set(place, flow.buffer.due());
            self.wake = Instant::earlier(self.wake, flow.buffer.due());
        }
        match (ruling, self.config.solution) {
            (Ok(()), Solution::Buffer { .. }) => {
                counters.swallowed += 1;
                flow.swallow(tcp.ack);
                return Verdict::Swallow;
            }
            (Ok(()), Solution::Flag { .. }) => {
                flow.queued.push_back((handle, tcp.ack));
                self.queued.insert(handle, *self.flows.key_at_hand());
            }
            (Err(why), _) => {
                count(counters, why);
                if flow.goes_natively(tcp.ack, Some(why), cx.now + self.config.refresh) {
                    counters.restated += 1;
                    let copy = cx.pool.get(packet).clone();
                    let copy = cx.pool.insert(copy);
                    cx.emit(Emission::Queue(copy, *options));
                }
            }
        }
        Verdict::Pass
    }

    /// What became of MPDUs of this node's.
    #[inline]
    pub(in crate::agent) fn on_fates(&mut self, cx: &Context<'_>, fates: &[(Mpdu, Fate)]) {
        if self.flows.is_empty() {
            return;
        }
        for (mpdu, _) in fates.iter().filter(|(_, fate)| *fate == Fate::Delivered) {
            let content = cx.pool.get(mpdu.packet);
            if let Some(tcp) = content.tcp()
                && tcp.flags.contains(TcpFlags::ACK)
                && !tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST)
                && let Some(flow) = self.flows.get_of(content, tcp).filter(|flow| !flow.opaque.is())
            {
                flow.delivered(mpdu.handle, tcp, cx.now, self.config.refresh);
            }
        }
    }

    /// A SYN or RST from a peer. Only what the TCP is sure to believe ends the flow: a RST with the number that it waits for (RFC 5961, 3.2), by its last ACK and by what went up since. Else the
    /// TCP's own answer does, a RST or a SYN.
    pub(in crate::agent) fn on_syn_or_rst(&mut self, cx: &mut Context<'_>, key: FlowKey, tcp: &TcpHeader) {
        let Some(flow) = self.flows.get_mut(key) else { return };
        if tcp.flags.contains(TcpFlags::RST) {
            if flow.is_ended_by(tcp) {
                link(&mut self.links, flow.peer).kept -= restart(flow, cx.pool, cx.now);
                self.dues.set(self.flows.place_at_hand(), None);
            }
        } else {
            flow.scale.answered(tcp);
        }
    }

    /// The flow is new, and at hand then.
    #[inline(never)]
    fn add_flow(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters, key: FlowKey, peer: NodeId) {
        let now = cx.now;
        // At most two for each that comes, so that none costs much.
        for _ in 0..2 {
            let idle = |flow: &Flow| now.saturating_since(flow.last_heard) >= IDLE && flow.buffer.is_empty();
            let Some((quietest, _)) = self.flows.quietest().filter(|(_, flow)| idle(flow)) else { break };
            self.flows.remove(quietest);
        }
        if self.flows.len() >= MAX_FLOWS
            && let Some((quietest, flow)) = self.flows.quietest()
        {
            link(&mut self.links, flow.peer).kept -= abandon(flow, &mut self.resets, cx, counters);
            self.dues.set(self.flows.place_at_hand(), None);
            self.flows.remove(quietest);
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

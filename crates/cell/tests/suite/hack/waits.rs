//! How long the packets of each flow wait in the MACs of a cell, and which of them it loses.
//!
//! What a scheme holds is in no queue, and does not count.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Passage, Scheme, SendOptions, Verdict};
use ackless_schemes::AnyScheme;
use ackless_wire::{Duration, Instant, Packet, PacketId};

use crate::testing::tested::Tested;

/// A scheme, and a look at what passes it on the way into the queue and out of it again.
pub struct Watched {
    scheme: AnyScheme,
    waits: Rc<RefCell<Waits>>,
}

/// The waits of all flows of a cell.
pub struct Waits {
    /// What was queued at a node and is neither delivered nor lost.
    queued: BTreeMap<(NodeId, FrameHandle), Queued>,
    flows: Vec<FlowWaits>,
    /// Since when a reorder buffer of each node has kept something back.
    kept_back: Vec<Option<Instant>>,
}

#[derive(Clone, Default)]
struct FlowWaits {
    /// The longest wait at each node towards each end, of what was queued since `since`.
    longest: BTreeMap<(NodeId, End), Duration>,
    since: Instant,
    /// Packets that were given up or dropped.
    lost: u64,
}

#[derive(Clone, Copy)]
struct Queued {
    flow: usize,
    towards: End,
    since: Instant,
    /// Whether it has been on the air, so that no scheme takes it back any more.
    sequenced: bool,
}

/// The end that a packet goes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Peer,
    Station,
}

impl Watched {
    /// A node's scheme, watched.
    pub fn boxed(scheme: AnyScheme, waits: &Rc<RefCell<Waits>>) -> Box<dyn Tested> {
        Box::new(Self { scheme, waits: Rc::clone(waits) })
    }

    fn enter(&self, cx: &Context<'_>, packet: PacketId, handle: FrameHandle) {
        self.waits.borrow_mut().enter(cx.now, (cx.node, handle), cx.pool.get(packet));
    }
}

impl Waits {
    /// Of a cell with so many nodes and flows.
    pub fn new(nodes: usize, flows: usize) -> Self {
        Self { queued: BTreeMap::new(), flows: vec![FlowWaits::default(); flows], kept_back: vec![None; nodes] }
    }

    /// Whether a reorder buffer of each node keeps something back.
    pub fn look(&mut self, now: Instant, keeps_back: impl Iterator<Item = bool>) {
        for (since, keeps_back) in self.kept_back.iter_mut().zip(keeps_back) {
            *since = keeps_back.then(|| since.unwrap_or(now));
        }
    }

    /// Since when reorder buffers of these stations and of the access point have kept something back.
    pub fn kept_back_since(&self, stations: impl Iterator<Item = usize>) -> impl Iterator<Item = Instant> {
        [0].into_iter().chain(stations.map(|station| station + 1)).filter_map(|node| self.kept_back[node])
    }

    /// From now on only what is queued later counts for this flow.
    pub fn begin(&mut self, flow: usize, now: Instant) {
        let waits = &mut self.flows[flow];
        waits.since = now;
        waits.longest.clear();
    }

    /// What a packet that goes all the way of a flow and back, and leaves after the beginning, may have spent in queues until `now`: the
    /// longest that any has waited at each node, each way, all together.
    pub fn there_and_back(&self, flow: usize, now: Instant) -> Duration {
        let FlowWaits { longest, since, .. } = &self.flows[flow];
        let mut longest = longest.clone();
        let still = self.queued.iter().filter(|(_, queued)| queued.flow == flow && queued.since >= *since);
        for (&(node, _), queued) in still {
            let wait = longest.entry((node, queued.towards)).or_default();
            *wait = (*wait).max(now - queued.since);
        }
        longest.into_values().fold(Duration::ZERO, |sum, wait| sum + wait)
    }

    /// Packets of this flow that a queue has dropped or a MAC has given up.
    pub fn lost(&self, flow: usize) -> u64 {
        self.flows[flow].lost
    }

    fn enter(&mut self, since: Instant, name: (NodeId, FrameHandle), packet: &Packet) {
        if let Some((flow, towards)) = addressee(packet) {
            self.queued.insert(name, Queued { flow, towards, since, sequenced: false });
        }
    }

    fn sequence(&mut self, name: (NodeId, FrameHandle)) {
        let Some(queued) = self.queued.get_mut(&name) else { return };
        queued.sequenced = true;
        let Queued { flow, towards, .. } = *queued;
        // A queue keeps the order of a flow: what came into it earlier and has not been on the air was taken back.
        let earlier = self.queued.range((name.0, FrameHandle(0))..name);
        let taken_back =
            earlier.filter(|(_, queued)| !queued.sequenced && (queued.flow, queued.towards) == (flow, towards));
        let taken_back: Vec<_> = taken_back.map(|(&name, _)| name).collect();
        for name in taken_back {
            self.queued.remove(&name);
        }
    }

    fn leave(&mut self, now: Instant, name: (NodeId, FrameHandle), lost: bool) {
        let Some(Queued { flow, towards, since, .. }) = self.queued.remove(&name) else { return };
        let waits = &mut self.flows[flow];
        waits.lost += u64::from(lost);
        if since >= waits.since {
            let wait = waits.longest.entry((name.0, towards)).or_default();
            *wait = (*wait).max(now - since);
        }
    }
}

/// The flow of a TCP packet, and where it goes: flow `n` of a cell has port 10,000 + `n` at its peer and 20,000 + `n` at its station.
fn addressee(packet: &Packet) -> Option<(usize, End)> {
    let port = packet.tcp()?.dst_port;
    let (flow, towards) = match port.checked_sub(STATION_PORTS) {
        Some(flow) => (flow, End::Station),
        None => (port.checked_sub(PEER_PORTS)?, End::Peer),
    };
    Some((flow.into(), towards))
}

impl Tested for Watched {
    fn product(&self) -> Option<&AnyScheme> {
        Some(&self.scheme)
    }
}

impl Scheme for Watched {
    fn on_sent(&mut self, cx: &mut Context<'_>, packet: PacketId, to: NodeId) {
        self.scheme.on_sent(cx, packet, to);
    }

    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        let verdict = self.scheme.on_outgoing(cx, packet, handle, options);
        if verdict == Verdict::Pass {
            self.enter(cx, packet, handle);
        }
        verdict
    }

    fn on_queued(&mut self, cx: &mut Context<'_>, packet: PacketId, handle: FrameHandle) {
        self.enter(cx, packet, handle);
        self.scheme.on_queued(cx, packet, handle);
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        self.waits.borrow_mut().leave(cx.now, (cx.node, handle), true);
        self.scheme.on_dropped(cx, handle);
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.waits.borrow_mut().sequence((cx.node, mpdu.handle));
        self.scheme.on_sequenced(cx, mpdu);
    }

    fn on_ppdu_out(&mut self, cx: &mut Context<'_>, to: NodeId, queued: Backlog, bits: &mut HeaderBits) {
        self.scheme.on_ppdu_out(cx, to, queued, bits);
    }

    fn on_ppdu_in(&mut self, cx: &mut Context<'_>, arrival: &Arrival) {
        self.scheme.on_ppdu_in(cx, arrival);
    }

    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        self.scheme.on_mpdu(cx, mpdu)
    }

    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, duration: &mut Duration) {
        self.scheme.on_answer_due(cx, due, answer, duration);
    }

    fn is_capable(&self) -> bool {
        self.scheme.is_capable()
    }

    fn answer_delay(&self) -> Duration {
        self.scheme.answer_delay()
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        self.scheme.on_upward(cx, packet, from)
    }

    fn on_answer(&mut self, cx: &mut Context<'_>, from: NodeId, answer: &Answer, duration: Duration) {
        self.scheme.on_answer(cx, from, answer, duration);
    }

    fn on_answer_missing(&mut self, cx: &mut Context<'_>, from: NodeId) {
        self.scheme.on_answer_missing(cx, from);
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.waits.borrow_mut().leave(cx.now, (cx.node, mpdu.handle), false);
        self.scheme.on_delivered(cx, mpdu);
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.waits.borrow_mut().leave(cx.now, (cx.node, mpdu.handle), true);
        self.scheme.on_given_up(cx, mpdu);
    }

    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        self.scheme.on_forward(cx, packet, passage)
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.scheme.on_timer(cx);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.scheme.poll_timeout()
    }
}

const PEER_PORTS: u16 = 10_000;
const STATION_PORTS: u16 = 20_000;

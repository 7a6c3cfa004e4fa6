//! The TCP ACK agent: the AP makes the TCP ACK when the MAC ACK comes (Pang, Liew and Leung, "Performance Improvement of 802.11 Wireless Access Network with
//! TCP ACK Agent and Auto-Zoom Backoff Algorithm", III.1).
//!
//! ```text
//!   server ---data---> AP: [ack_maker] -data frame-> station: [client] ---data---> TCP
//!          <--ACK----------+    <----MAC ACK-------------+    <-----ACK (swallowed)--+
//! ```
//!
//! The paper's two pairs of virtual TCP receivers and senders are: at the AP, `ack_maker` receives data in the client's place and acknowledges it, and the
//! MAC's own repetitions send it on; at the station, the MAC receives it, and `client` with its `buffer` sends it on to the local TCP, again where no
//! ACK comes. One [`Agent`] on each node does either half; an AP makes ACKs for the stations that it is the last hop to, and for nobody
//! else: where a relay is on the way, that is the relay's agent.
//! Only ACKs towards an AP are removed, as in the paper's symmetric traffic; those that an AP sends to stations stay.
//!
//! - [`Solution::Buffer`]: the station keeps each data frame until its TCP has acknowledged it (`buffer`), and refuses what finds the buffer full. The AP
//!   speaks at each MAC ACK.
//! - [`Solution::Flag`]: nothing is kept. The station answers [`Solution::Flag::extra_sifs`] later than SIFS, with the flag ON if its TCP's ACK came
//!   down by then, and only then the AP speaks.
//!
//! # The promise
//!
//! What the AP has acknowledged, the station keeps until its TCP has it, or the connection is reset at both ends. The bytes of one flow, from left to right, in the first
//! solution:
//!
//! ```text
//!              TCP has it      | MAC has it, kept          | MAC has it, not kept            | nobody has it
//!   -----------|---------------|---------------------------|---------------------------------|--------------> stream
//!          said by AP       `acked`         said by AP   `may_ack_to`               above a hole, late, opaque
//! ```
//!
//! | the AP has said | the MAC has handed up | the TCP is known to have | the station | where it gets lost on its way up |
//! |---|---|---|---|---|
//! | no | no | no | has nothing; with a full buffer it refuses, unless it is what the TCP lacks first below something kept | - |
//! | no, it never will | yes, above a hole, late or opaque | no | does not keep it | the TCP's native ACKs lack it, the server repairs |
//! | not yet, or it has | yes, in order | no | keeps it | it goes up again: when SACK blocks or duplicate ACKs tell of the loss, when the window opens, after [`Solution::Buffer::again`] |
//! | it may | yes | yes, by its ACK | lets it go | - |
//! | it has | yes, 15 times | no, for 522 s | resets the connection at both ends | - |
//!
//! `Flow::keeps_its_word` asserts the third line wherever the station's state moves. What goes up again bears what the server has said last beside its data (`crate::repairs`). In the second solution
//! the AP says only what the TCP has acknowledged; there is nothing to keep.
//!
//! - *A station leaves*, MAC and TCP together: its TCP's data is gone with it, as what any TCP has acknowledged and no application has read. A station that changes its AP keeps
//!   its buffer, and hands up from it. The AP keeps no data.
//! - *The AP starts anew*: it knows no flow, says nothing until a native ACK tells it of one, and takes nothing back. What the one before has acknowledged is in the station's buffer.
//!   The server waits for [`AgentConfig::refresh`] or its timeout.
//! - *A forged RST or SYN* from the peer ends nothing in either half, unless it is a RST with the very number that the TCP waits for, and nothing is owed; the TCP's own answer does (RFC 5961, 3.2 and 4.2).
//!
//! What the AP says is cumulative and never goes past a hole: a frame that the MAC gave up, that a queue dropped or that the wire lost, until it is delivered after all or
//! a native ACK of the client passes it. Everything else that a TCP ACK can say goes natively, see the table in `ack_maker::flow` and the rule in `flow`.
//!
//! Where this goes beyond the paper, or departs from it:
//! - the paper has no SYN, window, timestamp, duplicate ACK or port reuse; all rules about them are ours;
//! - a duplicate ACK that repeats a swallowed one is queued twice: the AP takes the first for the swallowed one, and only the second for a duplicate, so
//!   that the server counts as many as the client's TCP made (one more where the AP could not say the swallowed one);
//! - of each flow an ACK goes natively every second ([`AgentConfig::refresh`]);
//! - the buffer keeps what came in order, and the agent speaks for nothing else: see `spans::Inflow`;
//! - nor for data with an older timestamp than data before it: see `paws::Paws`;
//! - frames that wait in the MAC's reorder buffer do not fill the agent's buffer, which may thereby hold up to a BlockAck window more than
//!   configured: refusing what closes a hole in the order would lock both;
//! - a new copy of data that is in the buffer is never refused, and takes the place of the older one;
//! - a connection whose client's own ACKs stay below what was said in its name, though there is
//!   room, is reset at both ends (`crate::contradiction`): a MAC ACK was forged, and nobody has the
//!   data any more;
//! - nor is what the local TCP lacks first while something above it is kept: no ACK could empty the buffer before;
//! - what the TCP's SACK blocks or duplicate ACKs show to be lost goes up again at once, and not only after a time.
//!
//! What the design itself stalls on, each ended by the sender's retransmission timeout:
//! - all MAC ACKs to a frame are lost until the AP gives it up, although the station has it and swallowed the ACK: the AP cannot pass the hole. The server sends
//!   the data again, and the client's TCP answers the duplicate natively;
//! - the buffer is full while the TCP delays its ACK: the frames behind are refused until the AP gives them up. It must hold more than the segments that an ACK
//!   waits for;
//! - the AP has forgotten the flow (it restarted, or had too many), and the station swallows on, until the next native ACK is due ([`AgentConfig::refresh`]).
//!
//! The window that a made ACK offers is the client's last one, though the client has not said so for the bytes beyond: where its application reads
//! slowly, data may come that its TCP has no room for. The buffer then keeps it; the flag never speaks for it. Where such data fills the buffer, the
//! station's other flows wait until that application reads: the paper has one buffer for all. Beside it stands [`Room::Promise`], which is ours: the AP acknowledges nothing beyond the window's
//! right edge, so that the server sends only what the TCP has room for, and less is refused. It knows the edge from the SYNs and the native ACKs of a flow; of one that it meets later it minds none.
//!
//! The AP makes an ACK for each data frame, however sparse the client's own are. Where the sender is a station too, they go over the air as native ones do.
//!
//! A connection that does TACK, or something that is not known here, as MPTCP, is left alone on both sides from its first such segment on (`crate::connection`): the answer to numbered data is a
//! report that only its receiver can make, and a plain ACK in its place would tell the sender that options are stripped. All its ACKs pass, and nothing more of it is kept. What is in
//! the buffer by then stays there until its TCP has acknowledged it.
//!
//! Not modelled: how a station announces its SIFS (its peers know it when it joins), and an AP whose clients have different solutions.

mod ack_maker;
mod buffer;
mod client;
mod config;
mod counters;
mod direction;
mod flow;
mod paws;
mod seen;
mod spans;

use std::slice;

use ackless_dot11::frame::{Answer, FrameHandle, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Context, Fate, Scheme, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, Packet, PacketId, PacketPool, TcpFlags};

use crate::flow_key::FlowKey;
use ack_maker::AckMaker;
use client::Client;
pub use config::{AgentConfig, Room, Solution};
pub use counters::AgentCounters;
use direction::{goes_up, is_last_hop};

/// The TCP ACK agent on one node, the AP's or the station's half of it.
#[derive(Debug)]
pub struct Agent {
    config: AgentConfig,
    ack_maker: AckMaker,
    client: Client,
    counters: AgentCounters,
}

impl Agent {
    /// An agent that has seen nothing.
    pub fn new(config: AgentConfig) -> Self {
        let room = match config.solution {
            Solution::Flag { .. } => Room::Refuse,
            Solution::Buffer { .. } => config.room,
        };
        let config = AgentConfig { room, ..config };
        let (ack_maker, client) = (AckMaker::new(config.room), Client::new(config));
        Self { config, ack_maker, client, counters: AgentCounters::default() }
    }

    /// The agent of an AP, which itself answers after SIFS.
    pub fn at_ap(config: AgentConfig) -> Self {
        let solution = match config.solution {
            Solution::Flag { .. } => Solution::Flag { extra_sifs: Duration::ZERO },
            buffer @ Solution::Buffer { .. } => buffer,
        };
        Self::new(AgentConfig { solution, ..config })
    }

    /// The node starts anew: all that was known and kept is gone, but for the counts.
    pub fn start_anew(&mut self, pool: &mut PacketPool) {
        self.client.start_anew(pool);
        self.ack_maker = AckMaker::new(self.config.room);
    }

    /// What it has counted.
    pub const fn counters(&self) -> &AgentCounters {
        &self.counters
    }

    /// How it is set up.
    pub const fn config(&self) -> &AgentConfig {
        &self.config
    }

    /// What becomes of a packet that is handed to the MAC.
    #[inline(never)]
    fn ask_half(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        if is_last_hop(options.ds, cx.node, options.destination == options.receiver) {
            self.ack_maker.on_outgoing(cx, &mut self.counters, packet, options.receiver);
            return Verdict::Pass;
        }
        let own = options.source == cx.node && goes_up(options) && cx.peer(options.receiver).capable;
        if !own {
            return Verdict::Pass;
        }
        self.client.on_outgoing(cx, &mut self.counters, packet, handle, options)
    }

    const fn by_flag(&self) -> bool {
        matches!(self.config.solution, Solution::Flag { .. })
    }
}

impl Scheme for Agent {
    // The way of each is its own, past what the others keep in registers.
    #[inline(never)]
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        if self.on_passing(cx.now, cx.node, cx.pool.get(packet), options) {
            return Verdict::Pass;
        }
        self.ask_half(cx, packet, handle, options)
    }

    #[inline]
    fn on_passing(&mut self, now: Instant, node: NodeId, packet: &Packet, options: &SendOptions) -> bool {
        let ends_here = is_last_hop(options.ds, node, options.destination == options.receiver);
        ends_here && self.ack_maker.hears_at_once(now, packet, options.receiver)
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        self.client.on_gone(cx.now, handle, false);
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_all_sequenced(cx, slice::from_ref(mpdu));
    }

    fn on_all_sequenced(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) {
        mpdus.iter().for_each(|mpdu| self.client.on_gone(cx.now, mpdu.handle, true));
        self.ack_maker.on_all_sequenced(cx, mpdus);
    }

    fn on_ppdu_in(&mut self, _cx: &mut Context<'_>, arrival: &Arrival) {
        self.client.on_ppdu_in(arrival.from, arrival.kind);
    }

    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        match self.on_mpdus(cx, slice::from_ref(mpdu)) {
            0 => Admission::Refuse,
            _ => Admission::Accept,
        }
    }

    fn on_mpdus(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        // What comes in one PPDU is from one transmitter.
        let capable = mpdus.first().is_some_and(|first| cx.peer(first.transmitter).capable);
        if capable { self.client.on_mpdus(cx, &mut self.counters, mpdus) } else { mpdus.len() }
    }

    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, _duration: &mut Duration) {
        self.client.on_answer_due(cx, &mut self.counters, due.to, answer);
    }

    fn is_capable(&self) -> bool {
        true
    }

    fn answer_delay(&self) -> Duration {
        match self.config.solution {
            Solution::Flag { extra_sifs } => extra_sifs,
            Solution::Buffer { .. } => Duration::ZERO,
        }
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        let content = cx.pool.get(packet);
        if let Some(&tcp) = content.tcp().filter(|tcp| tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST))
            && let Some(key) = FlowKey::of(content)
        {
            self.client.on_syn_or_rst(cx, key.reversed(), &tcp);
        }
        self.client.on_upward(cx, packet, from);
        let by_flag = self.by_flag();
        self.ack_maker.on_upward(cx, &mut self.counters, packet, from, by_flag)
    }

    fn on_run_upward(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        if self.ack_maker.knows_no_flow() { self.client.on_run_upward(cx, mpdus) } else { 0 }
    }

    fn on_answer(&mut self, _cx: &mut Context<'_>, from: NodeId, answer: &Answer, _duration: Duration) {
        self.ack_maker.on_answer(from, answer.agent);
    }

    fn on_answer_missing(&mut self, _cx: &mut Context<'_>, _from: NodeId) {
        self.ack_maker.on_answer_missing();
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_fates(cx, &[(*mpdu, Fate::Delivered)]);
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_fates(cx, &[(*mpdu, Fate::GivenUp)]);
    }

    fn on_fates(&mut self, cx: &mut Context<'_>, fates: &[(Mpdu, Fate)]) {
        self.client.on_fates(cx, fates);
        let by_flag = self.by_flag();
        self.ack_maker.on_fates(cx, &mut self.counters, fates, by_flag);
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.client.on_timer(cx, &mut self.counters);
        self.ack_maker.on_timer(cx);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Instant::earlier(self.client.poll_timeout(), self.ack_maker.poll_timeout())
    }
}

//! The ARQ proxy: the sender's side keeps an ACK for each TCP data packet, and a link-layer ACK asks for it (Kliazovich, Ben Halima and
//! Granelli, "Cross-Layer Error Recovery Optimization in WiFi Networks", section 2).
//!
//! ```text
//!      the sender's side: AP, relay, ad hoc sender            the client
//!                                                              TCP
//!    sender <-- released ----- proxy                            | native ACK: into the queue
//!      |                         ^                            client
//!    data --- template ---> MAC  |                              | withdrawn when the answer leaves
//!                            |   +---- tag -- Ack, BlockAck <-- MAC
//!                            +---------------- frame ---------> MAC
//! ```
//!
//! - `names`: the two identifications of a packet, as a [`Tag`](ackless_dot11::frame::Tag);
//! - `tags`: what is kept under a tag;
//! - `proxy`: templates, from the frame's sequence number until they are asked for or too old, and what goes up;
//! - `client`: which ACKs may be asked for, the race between request and native ACK, and what shows that an answer arrived.
//!
//! An AP, a sender in an ad hoc cell and a relay at the last hop are proxies; a released ACK goes the way of any packet that came over the air, to
//! the wire, to the transport here or to the next hop, and behind what came before it. The client is whoever the data is for. What a client
//! uploads is acknowledged natively: an AP asks for nothing, since the ACK that it forwards is not its own (section 2 has the client at the mobile
//! node). Peers without the scheme are served as ever.
//!
//! Of the paper's rules:
//! - a request and its native ACK race, and "whichever comes first to the physical layer" cancels the other. The request is there "immediately" when the
//!   transport has acknowledged, while the ACK still travels down: if that is within SIFS it rides on the answer to the very frame and always wins. With a
//!   slower host it must wait for the next answer, and an ACK that is in the queue before the peer's next access comes first;
//! - the four exceptions go natively: connection establishment and termination, ACKs on data, duplicate ACKs, an exhausted window. So does what the
//!   proxy could not say: SACK blocks, ECN-Echo, an ACK that ends no packet that came;
//! - templates go when they have been asked for, or silently at the end of their lifetime.
//!
//! What the paper leaves open: the tag is repeated until the answer is known to have arrived (for an Ack, another frame came; for a BlockAck, what
//! came is no BlockAck Request); where several ACKs wait, only the newest of a flow is asked for, which covers the older ones, and the
//! natives of those are withdrawn too: none is needed for itself, since ACKs are cumulative and senders count bytes (RFC 3465).
//! Flows take turns.
//!
//! Where this departs from the paper:
//! - Under [`Guard::Auto`] the AP says by More Data that it has more for the client, also in the paper's race. There it only tells the client
//!   which gaps between PPDUs are the AP's rounds and which are pauses of the sender; no ACK waits for it.
//! - Under [`Policy::MoreData`] the client lets its ACK into the race only where the proxy has not promised more data. What the proxy cannot say goes at
//!   once, behind what is kept.
//! - Window, timestamp and sequence number of a released ACK are those that the client's native packets gave last, and the timestamp echo is the data
//!   packet's; so the proxy keeps those per flow. An ACK whose window is smaller than that, or larger by a quarter, goes natively, and so does
//!   each flow's first. [`ArqProxyConfig::stateless`] is the paper's AP, which knows nothing of flows: its ACKs bear no timestamps, and
//!   a server that heeds RFC 7323, 3.2 (SHOULD) drops them where the connection has some, though Linux and FreeBSD do not; and its window promises what the
//!   client may not have.
//!   With delayed ACKs the echo is that of the last packet acknowledged, not of the first (RFC 7323, 4.3): round trips are sampled too short by the
//!   spacing of the two.
//! - An ACK that says nothing beyond what already went up is not released.
//! - A connection whose client's own ACKs stay below what was released in its name is reset at
//!   both ends (`crate::contradiction`): a request was forged, and the sender has forgotten what
//!   the client lacks. The stateless AP cannot tell.
//! - A withdrawn native ACK is kept until the answer is known to have arrived, and goes natively after [`ArqProxyConfig::guard`]; the paper's client
//!   has cancelled it, so that with the last answer of a transfer the last ACK is lost, until the sender's retransmission timeout. The sender may see that
//!   one ACK twice.
//! - A hash is no proof of what came. A template under a hash is released only if its own frame was acknowledged, and two packets that came
//!   under the same hash within the lifetime are both acknowledged natively. A hash is free again as soon as its packet's ACK would say nothing
//!   beyond what went up, asked for or not; the stateless AP, which cannot know, keeps it for the lifetime, and with A-MPDUs, of whose ACKs
//!   few are asked for, runs out of 16,383 values.
//! - An ACK whose timestamp echo is later than that of the packet that it ends goes natively: it fills a hole, and with the echo of what came
//!   behind the hole, sent earlier, the sender would take its repetition for a mistake (RFC 3522, 3.2).
//!
//! A connection that does TACK, or something that is not known here, as MPTCP, is left alone from its first such segment on (`crate::connection`): its client asks for nothing any more, before a SYN
//! begins another one. The proxy, which a client with state need not have, makes no template of such a segment, and learns nothing from it.
//!
//! On what the design itself stalls: where no Ack of a frame arrives and the proxy gives the frame up, the next frame looks to the client as if its
//! answer had arrived. Then, and where a template was refused or has expired, the ACK is lost, and the next one repairs it; if there is none,
//! the sender's retransmission timeout does, for the duplicate ACK to that segment is native.

mod client;
mod config;
mod counters;
mod names;
mod proxy;
mod tags;

use std::slice;

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{
    Admission, AnswerDue, Arrival, Backlog, Context, Fate, Passage, Scheme, SendOptions, Verdict,
};
use ackless_wire::{Duration, Instant, PacketId};

use client::{Client, Env};
pub use config::{ArqProxyConfig, Identification, Policy};
pub use counters::ArqProxyCounters;
use proxy::Proxy;

use crate::guard::{Guard, announces};
use crate::links::Links;
use crate::resets::Resets;

/// The ARQ proxy on one node: proxy where it sends data, client where it receives some.
#[derive(Debug)]
pub struct ArqProxy {
    config: ArqProxyConfig,
    /// To the peers that have it too.
    links: Links<Link>,
    /// Whether packets pass between this node and a wire: then it is an AP, and no client.
    has_wire: bool,
    /// Where templates that are too old were looked for last.
    swept: usize,
    wake: Option<Instant>,
    resets: Resets,
    /// What the transport here has sent and the MAC will swallow when it comes.
    unwanted: Vec<PacketId>,
    counters: ArqProxyCounters,
}

/// What concerns one peer.
#[derive(Debug, Default)]
struct Link {
    proxy: Proxy,
    client: Client,
    /// MPDUs to the peer with a sequence number and without a fate: those of a PPDU, when it leaves.
    outstanding: u32,
}

/// What the client works with. A macro, so that the borrow checker sees that it leaves the links alone.
macro_rules! env {
    ($scheme:ident, $cx:ident) => {
        Env {
            cx: $cx,
            config: &$scheme.config,
            counters: &mut $scheme.counters,
            wake: &mut $scheme.wake,
            unwanted: &mut $scheme.unwanted,
        }
    };
}

impl ArqProxy {
    /// A node that has seen nothing.
    pub fn new(config: ArqProxyConfig) -> Self {
        let (links, unwanted, counters) = (Links::new(|_| Link::default()), Vec::new(), ArqProxyCounters::default());
        Self { config, links, has_wire: false, swept: 0, wake: None, resets: Resets::default(), unwanted, counters }
    }

    /// What it has counted.
    pub const fn counters(&self) -> &ArqProxyCounters {
        &self.counters
    }

    /// How it is set up.
    pub const fn config(&self) -> &ArqProxyConfig {
        &self.config
    }
}

impl Scheme for ArqProxy {
    fn on_sent(&mut self, cx: &mut Context<'_>, packet: PacketId, to: NodeId) {
        if !self.has_wire
            && let Some(link) = self.links.meet(cx, to)
        {
            link.client.on_sent(&mut env!(self, cx), packet);
        }
    }

    // The way of each is its own, past what the others keep in registers.
    #[inline(never)]
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        // A client acknowledges for itself: what it passes on for others is not its to ask for.
        if !self.has_wire
            && options.source == cx.node
            && let Some(link) = self.links.meet(cx, options.receiver)
        {
            return link.client.on_outgoing(&mut env!(self, cx), packet, handle, *options);
        }
        Verdict::Pass
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        // The name does not tell the peer; clients with nothing to ask answer at once.
        let mut env = env!(self, cx);
        for link in self.links.iter_mut() {
            link.client.on_dropped(&mut env, handle);
        }
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_all_sequenced(cx, slice::from_ref(mpdu));
    }

    fn on_all_sequenced(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) {
        // What goes in one PPDU goes to one peer.
        let Some(link) = mpdus.first().and_then(|first| self.links.meet(cx, first.receiver)) else { return };
        for mpdu in mpdus {
            link.client.on_sequenced(&mut env!(self, cx), mpdu);
            link.proxy.on_sequenced(cx, &self.config, &mut self.counters, mpdu);
        }
        link.outstanding += mpdus.len() as u32;
        // One peer after the other, one for each frame, so that those that get nothing any more keep nothing.
        let peers = self.links.nodes();
        for _ in 0..mpdus.len().min(peers) {
            self.swept = (self.swept + 1) % peers;
            if let Some(link) = self.links.at(self.swept) {
                link.proxy.expire(cx.now, self.config.lifetime, &mut self.counters);
            }
        }
        self.swept = (self.swept + mpdus.len().saturating_sub(peers)) % peers;
    }

    fn on_ppdu_out(&mut self, cx: &mut Context<'_>, to: NodeId, queued: Backlog, bits: &mut HeaderBits) {
        let Some(link) = self.links.meet(cx, to) else { return };
        link.proxy.on_settled(&mut self.counters);
        let heeded = self.config.policy == Policy::MoreData || self.config.guard == Guard::Auto;
        if heeded && announces(queued, u64::from(link.outstanding), self.config.announce_percent) {
            bits.more_data = true;
            self.counters.more_data_set += 1;
        }
    }

    fn on_ppdu_in(&mut self, cx: &mut Context<'_>, arrival: &Arrival) {
        if let Some(link) = self.links.meet(cx, arrival.from) {
            link.client.on_ppdu_in(cx.now, arrival);
        }
    }

    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        self.on_mpdus(cx, slice::from_ref(mpdu));
        Admission::Accept
    }

    fn on_mpdus(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        if let Some(link) = mpdus.first().and_then(|first| self.links.meet(cx, first.transmitter)) {
            for mpdu in mpdus {
                link.proxy.on_mpdu(cx, &self.config, mpdu);
                if !self.has_wire {
                    link.client.on_mpdu(&mut env!(self, cx), mpdu);
                }
            }
        }
        mpdus.len()
    }

    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, _duration: &mut Duration) {
        if let Some(link) = self.links.meet(cx, due.to) {
            answer.tag = link.client.on_answer_due(&mut env!(self, cx), due);
        }
    }

    fn is_capable(&self) -> bool {
        true
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        let Some(link) = self.links.meet(cx, from) else { return Verdict::Pass };
        let verdict = link.proxy.on_upward(cx, &self.config, (&mut self.counters, &mut self.resets), packet, from);
        self.wake = Instant::earlier(self.wake, self.resets.due());
        verdict
    }

    fn on_run_upward(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        let Some(first) = mpdus.first() else { return 0 };
        let Some(link) = self.links.meet(cx, first.transmitter) else { return mpdus.len() };
        link.proxy.on_run_upward(cx, &self.config, mpdus)
    }

    fn on_answer(&mut self, cx: &mut Context<'_>, from: NodeId, answer: &Answer, _duration: Duration) {
        let Some(link) = self.links.meet(cx, from) else { return };
        link.proxy.on_settled(&mut self.counters);
        if let Some(tag) = answer.tag {
            link.proxy.on_request(cx, &self.config, &mut self.counters, from, tag);
        }
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_fates(cx, &[(*mpdu, Fate::Delivered)]);
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_fates(cx, &[(*mpdu, Fate::GivenUp)]);
    }

    fn on_fates(&mut self, cx: &mut Context<'_>, fates: &[(Mpdu, Fate)]) {
        // What the frames have told in a run is of one peer.
        let peer = fates.first().map(|(mpdu, _)| mpdu.receiver);
        let Some(link) = peer.and_then(|peer| self.links.meet(cx, peer)) else { return };
        link.outstanding = link.outstanding.saturating_sub(fates.len() as u32);
        for (mpdu, fate) in fates {
            match fate {
                Fate::Delivered => {
                    link.proxy.on_delivered(cx, &self.config, &mut self.counters, mpdu);
                    link.client.on_delivered(&mut env!(self, cx), mpdu);
                }
                Fate::GivenUp => link.proxy.on_given_up(cx, &self.config, mpdu),
            }
        }
    }

    fn on_forward(&mut self, _cx: &mut Context<'_>, _packet: PacketId, passage: Passage) -> Verdict {
        self.has_wire |= matches!(passage, Passage::FromWire(_) | Passage::ToWire(_));
        Verdict::Pass
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.wake = None;
        let mut env = env!(self, cx);
        for link in self.links.iter_mut() {
            link.client.on_timer(&mut env);
        }
        self.resets.on_timer(cx);
        self.wake = Instant::earlier(self.wake, self.resets.due());
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.wake
    }
}

//! HACK: TCP ACKs go on link-layer answers instead of getting the medium for themselves (Salameh, Zhushi, Handley,
//! Jamieson and Karp, USENIX ATC 2014).
//!
//! A node that receives TCP data compresses its pure ACKs and appends them to the Ack or BlockAck for data that comes
//! later; the node that sent that data decompresses them and passes them on. One [`Hack`] on each node does both, for
//! each peer: a download has its compressing end on the station, an upload on the AP, and both at once have all (3.1:
//! "a fully symmetric design").
//!
//! ```text
//!               packets to the MAC                     packets from the MAC
//!                      |                                        ^
//!   driver  -----------+---- natively --> queue                 |
//!     | codes                                              receiver
//!     v                                                         ^ bytes
//!    nic  ---- SIFS ---> Ack or BlockAck      ... the peer's Ack or BlockAck
//! ```
//!
//! - `driver` knows TCP: which ACKs are held, which go natively, and what confirms that an answer arrived (3.2 to 3.4);
//! - `nic` knows opaque bytes for each destination, and the SIFS deadline (3.3.1);
//! - `receiver` installs contexts, decompresses, verifies and keeps the order;
//! - `sync` is the SYNC bit of the sender of data (figure 8).
//!
//! The bytes themselves are [`ackless_rohc::hack`]'s. Only peers that also speak HACK are dealt with; everything else
//! passes. True peers would agree on it when they associate, by a vendor-specific element (802.11-2020, 9.4.2.25) in Association Request and Response that names version,
//! codec, length of the code under a key and the places of MORE DATA and SYNC ([`ackless_dot11::codec`]), so that neither is ever read by who did not ask
//! for it; here no association frames are modelled, and [`ackless_dot11::hooks::Peer::capable`] and one configuration for both ends stand for that.
//!
//! Where this goes beyond the paper, or departs from it:
//! - a guard timer, see [`HackConfig::guard`], after which the last ACK of a flow may arrive twice;
//! - SYNC in more cases than the paper names, see `sync`;
//! - ACKs need not be held where that costs more than it saves, see `own_data` and `senders`;
//! - native ACKs may be taken back from the queue, see [`HackConfig::take_back`], which the paper's driver does under its opportunistic policy alone;
//! - appended ACKs stay until a native frame of their flow is on the air, not only until it is queued, see `driver`;
//! - ownership of context identifiers, see `driver::flows`;
//! - ACKs are verified against the data that was forwarded, and MORE DATA is withheld while a context is broken, see
//!   `receiver`;
//! - under the explicit timer, which never looks at MORE DATA, a flow goes natively once the same
//!   data has come three times though its ACK was on an answer, see `driver::guard`;
//! - a connection whose client contradicts what was emitted in its name is reset at both ends,
//!   see `receiver`.
//!
//! Not modelled: the DMA bandwidth of the NIC (only its latency), and a NIC memory that is too small.

mod config;
mod counters;
mod driver;
mod env;
mod mic;
mod nic;
mod own_data;
mod receiver;
mod senders;
mod sync;

use std::collections::VecDeque;
use std::slice;

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Fate, Scheme, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, Packet, PacketId};

use crate::guard::announces;
use crate::links::Links;
use crate::resets::Resets;
pub use ackless_rohc::hack::Codec;
pub use config::{Announce, Fit, HackConfig, Mic, MicLen, Policy, Tails};
pub use counters::HackCounters;
use driver::Driver;
use env::{Env, Queueing};
use own_data::OwnData;
use receiver::Receiver;
use senders::Senders;
use sync::Sync;

/// What the parts of a scheme work with. A macro, so that the borrow checker sees that it leaves the links alone.
macro_rules! env {
    ($hack:ident, $cx:ident) => {
        Env {
            cx: $cx,
            config: &$hack.config,
            counters: &mut $hack.counters,
            queueing: &mut $hack.queueing,
            resets: &mut $hack.resets,
            wake: &mut $hack.wake,
            own_data: &$hack.own_data,
            senders: &$hack.senders,
        }
    };
}

/// HACK on one node.
#[derive(Debug)]
pub struct Hack {
    config: HackConfig,
    /// To the peers that speak HACK.
    links: Links<Link>,
    queueing: VecDeque<Queueing>,
    resets: Resets,
    wake: Option<Instant>,
    own_data: OwnData,
    /// The last data packet that was handed over by itself, and to whom it goes: the queue may have no room for it.
    newest_data: Option<(FrameHandle, NodeId)>,
    senders: Senders,
    /// Data got its sequence number for the PPDU that is about to leave.
    data_leaves: bool,
    /// No data of the PPDU that is being received was seen yet.
    ppdu_comes: bool,
    counters: HackCounters,
}

/// What concerns one peer.
#[derive(Debug)]
struct Link {
    driver: Driver,
    receiver: Receiver,
    sync: Sync,
    /// Whether the last answer was the peer's, as far as a key tells: what it acknowledges is received.
    genuine: bool,
}

impl Hack {
    /// HACK on a node, before the first packet.
    pub fn new(config: HackConfig) -> Self {
        Self {
            config,
            links: Links::new(Link::new),
            queueing: VecDeque::new(),
            resets: Resets::default(),
            wake: None,
            own_data: OwnData::default(),
            newest_data: None,
            senders: Senders::default(),
            data_leaves: false,
            ppdu_comes: false,
            counters: HackCounters::default(),
        }
    }

    /// What was counted since the start of the run.
    pub const fn counters(&self) -> &HackCounters {
        &self.counters
    }

    /// How it behaves.
    pub const fn config(&self) -> &HackConfig {
        &self.config
    }

    /// A data packet is being queued for `to`.
    #[inline]
    fn note_data(&mut self, now: Instant, to: NodeId) {
        if self.config.watches_data() {
            self.own_data.on_queued(now, to);
        }
    }

    /// Frames of one PPDU were given their sequence numbers.
    fn note_sent(&mut self, mpdus: &[Mpdu]) {
        let packets = data_packets(mpdus.iter());
        if let Some(first) = mpdus.first().filter(|_| packets > 0) {
            self.own_data.on_sequenced(first.receiver, packets);
            self.data_leaves = true;
        }
    }

    /// What becomes of a packet that is handed to the MAC and is no data that passes.
    #[inline(never)]
    fn ask_driver(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        match self.links.meet(cx, options.receiver) {
            Some(link) => link.driver.on_outgoing(&mut env!(self, cx), packet, handle, options),
            None => Verdict::Pass,
        }
    }
}

/// How many packets of these are data.
fn data_packets<'a>(mpdus: impl Iterator<Item = &'a Mpdu>) -> u64 {
    mpdus.filter(|mpdu| !mpdu.tcp_ack).count() as u64
}

impl Link {
    fn new(peer: NodeId) -> Self {
        Self { driver: Driver::new(peer), receiver: Receiver::new(peer), sync: Sync::default(), genuine: true }
    }
}

impl Scheme for Hack {
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
            self.newest_data = Some((handle, options.receiver));
            return Verdict::Pass;
        }
        let verdict = self.ask_driver(cx, packet, handle, options);
        if verdict == Verdict::Pass && !cx.pool.get(packet).payload.is_empty() {
            self.note_data(cx.now, options.receiver);
            self.newest_data = Some((handle, options.receiver));
        }
        verdict
    }

    #[inline]
    fn on_passing(&mut self, now: Instant, _node: NodeId, packet: &Packet, options: &SendOptions) -> bool {
        let passes = self.links.get(options.receiver).is_some_and(|link| link.driver.passes_data(packet));
        if passes {
            self.note_data(now, options.receiver);
        }
        passes
    }

    #[inline(never)]
    fn on_run_outgoing(&mut self, cx: &mut Context<'_>, packets: &[PacketId], options: &SendOptions) -> usize {
        let Some(link) = self.links.meet(cx, options.receiver) else { return 0 };
        link.driver.hold_run(&mut env!(self, cx), packets, options)
    }

    fn answers_upward(&self) -> bool {
        false
    }

    fn on_queued(&mut self, cx: &mut Context<'_>, packet: PacketId, handle: FrameHandle) {
        // Emissions are carried out in their order.
        let Some(queueing) = self.queueing.pop_front_if(|queueing| queueing.packet == packet) else { return };
        if let Some(link) = self.links.at(queueing.peer.0.into()) {
            link.driver.on_queued(&mut env!(self, cx), queueing, handle);
        }
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        if let Some((_, to)) = self.newest_data.take_if(|(newest, _)| *newest == handle)
            && self.config.watches_data()
        {
            self.own_data.on_no_room(to);
        }
        // The name does not tell the peer; drivers without native frames under way answer at once.
        let mut env = env!(self, cx);
        for link in self.links.iter_mut() {
            link.driver.on_lost(&mut env, handle);
        }
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_all_sequenced(cx, slice::from_ref(mpdu));
    }

    fn on_all_sequenced(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) {
        if self.config.watches_data() {
            self.note_sent(mpdus);
        }
        // What goes in one PPDU goes to one peer.
        let Some(link) = mpdus.first().and_then(|first| self.links.meet(cx, first.receiver)) else { return };
        mpdus.iter().for_each(|mpdu| link.sync.on_sequenced(mpdu.part));
        link.receiver.on_all_sequenced(cx, mpdus);
        link.driver.on_all_sequenced(&mut env!(self, cx), mpdus);
    }

    fn on_ppdu_out(&mut self, cx: &mut Context<'_>, to: NodeId, queued: Backlog, bits: &mut HeaderBits) {
        if self.config.watches_data() {
            self.own_data.on_ppdu_out(cx.now, to, queued.packets);
            if std::mem::take(&mut self.data_leaves) {
                self.senders.on_data_out();
            }
        }
        let Some(link) = self.links.meet(cx, to) else { return };
        bits.sync = link.sync.on_ppdu_out(&mut self.counters);
        if announces(queued, link.sync.outstanding_packets(), self.config.announce_percent) {
            let idles = self.config.announce == Announce::WhileBusy && !self.own_data.may_announce(cx.now);
            bits.more_data = !idles && !link.receiver.is_broken(cx.now);
            self.counters.more_data_set += u64::from(bits.more_data);
            self.counters.more_data_idle += u64::from(idles);
            self.counters.more_data_withheld += u64::from(!idles && !bits.more_data);
        }
    }

    fn on_ppdu_in(&mut self, cx: &mut Context<'_>, arrival: &Arrival) {
        self.ppdu_comes = true;
        let Some(link) = self.links.meet(cx, arrival.from) else { return };
        link.driver.on_ppdu_in(&mut env!(self, cx), arrival.kind, arrival.bits);
    }

    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        self.on_mpdus(cx, slice::from_ref(mpdu));
        Admission::Accept
    }

    fn on_mpdus(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        if self.config.watches_data()
            && let Some(data) = mpdus.iter().find(|mpdu| !mpdu.tcp_ack)
            && std::mem::take(&mut self.ppdu_comes)
        {
            self.senders.on_data_in(data.transmitter);
        }
        if let Some(link) = mpdus.first().and_then(|first| self.links.meet(cx, first.transmitter)) {
            let mut env = env!(self, cx);
            link.driver.on_mpdus(&mut env, mpdus);
            link.receiver.on_mpdus(&mut env, mpdus);
        }
        mpdus.len()
    }

    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, _duration: &mut Duration) {
        let Some(link) = self.links.meet(cx, due.to) else { return };
        link.driver.on_answer_due(&mut env!(self, cx), due, answer);
    }

    fn is_capable(&self) -> bool {
        true
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        let Some(link) = self.links.meet(cx, from) else { return Verdict::Pass };
        link.receiver.on_upward(cx, packet)
    }

    fn on_run_upward(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        let link = mpdus.first().and_then(|first| self.links.meet(cx, first.transmitter));
        if link.is_none_or(|link| link.receiver.lets_all_up()) { mpdus.len() } else { 0 }
    }

    fn on_answer(&mut self, cx: &mut Context<'_>, from: NodeId, answer: &Answer, _duration: Duration) {
        let Some(link) = self.links.meet(cx, from) else { return };
        link.genuine = link.receiver.on_answer(&mut env!(self, cx), &answer.appended, &mut link.driver);
        if link.genuine {
            link.sync.on_answer();
        } else {
            link.sync.on_forged();
        }
    }

    fn on_answer_missing(&mut self, cx: &mut Context<'_>, from: NodeId) {
        let Some(link) = self.links.meet(cx, from) else { return };
        link.sync.on_answer_missing(&mut self.counters);
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_fates(cx, &[(*mpdu, Fate::Delivered)]);
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.on_fates(cx, &[(*mpdu, Fate::GivenUp)]);
    }

    fn on_fates(&mut self, cx: &mut Context<'_>, fates: &[(Mpdu, Fate)]) {
        if self.config.watches_data() {
            self.own_data.on_fates(cx.now, data_packets(fates.iter().map(|(mpdu, _)| mpdu)));
        }
        // What is settled at once went to one peer.
        let peer = fates.first().map(|(mpdu, _)| mpdu.receiver);
        let Some(link) = peer.and_then(|peer| self.links.meet(cx, peer)) else { return };
        fates.iter().for_each(|(mpdu, fate)| link.sync.on_fate(mpdu.part, *fate == Fate::Delivered));
        link.driver.on_fates(&mut env!(self, cx), fates, link.genuine);
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.wake = None;
        let mut env = env!(self, cx);
        for link in self.links.iter_mut() {
            if let Some(next) = link.driver.on_timer(&mut env) {
                env.wake_at(next);
            }
        }
        env.resets.on_timer(env.cx);
        if let Some(due) = env.resets.due() {
            env.wake_at(due);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.wake
    }
}

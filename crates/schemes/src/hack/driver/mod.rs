//! The driver: knows TCP, compresses pure ACKs towards one peer, and decides which are held and which go natively
//! (paper, 3.2 and 3.3.1).
//!
//! An ACK is held for the next answer only if the peer is sure to have what decompressing it takes (3.4):
//! - the native ACK of its flow that last went on the air is acknowledged at link layer, so that the peer's context has
//!   it as its reference;
//! - no frame of its flow, of any kind, is queued, on the air or waiting for a retry: the held ACK would overtake it;
//! - its flow owns the context identifier, see [`flows`].
//!
//! In all other cases it goes natively, and so mends what was missing. What a native frame finds held of its flow:
//! - ACKs that were on no answer yet are queued before it, in their order (3.3.1: "re-enqueue");
//! - ACKs that were on an answer stay, so that a BlockAck Request still gets them, until the native frame is on the
//!   air. Then they are dropped: it acknowledges all that they did (3.4, figure 7; the paper does not say when).
//!
//! After either the context is closed until the next native ACK is delivered. With [`HackConfig::take_back`](super::HackConfig::take_back), which is not the paper's, what
//! is queued goes on an answer after all where that leaves first, see [`take_back`].
//!
//! What is held and was on no answer goes back to the queue (`requeue`), what was on one goes there as a second copy (`rescue`), and the NIC gives back what it holds (`recall`). A native ACK that may be taken back is a
//! candidate (`nominate`), until it is taken out of the queue (`withdraw`) or cannot be any more (`dismiss`).
//!
//! `answers` has what follows from PPDUs of the peer, `policies` what each policy decides, `guard` the timer for PPDUs that
//! do not come, `natives` the frames that were not held, `tail` which promises are believed, `take_back` what is fetched from the queue again, `flows` the flows, and `flow` the state of one.

mod answers;
mod flow;
mod flows;
mod guard;
mod natives;
mod policies;
mod tail;
mod take_back;

use std::slice;

use ackless_dot11::frame::{FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId, Tid};
use ackless_dot11::hooks::{Fate, SendOptions, Verdict};
use ackless_rohc::hack::{Ack, AckRef};
use ackless_wire::tcp::Checksum;
use ackless_wire::{Instant, Packet, PacketId, TcpFlags};

pub(super) use self::flow::CID_IDLE;
use self::flow::{Candidate, FlowState, Held};
use self::flows::Flows;
use self::natives::{Natives, Stage};
use self::tail::Tail;
use self::take_back::Nominees;
use super::env::{Env, Queueing};
use super::mic::Sealer;
use super::nic::{FlowPlace, Nic};
use crate::flow_key::FlowKey;
use crate::guard::Gaps;

/// The driver's part towards one peer.
#[derive(Debug)]
pub(super) struct Driver {
    peer: NodeId,
    flows: Flows,
    natives: Natives,
    /// Each descriptor with the ACK that it stands for.
    nic: Nic<Held>,
    /// Whether the peer has promised another PPDU.
    promise: Promise,
    /// What its promises were worth.
    tail: Tail,
    /// The last answer to the peer.
    answered: Answered,
    /// When it left.
    answered_at: Instant,
    /// Counts the answers, where they bear a code under a key, those with nothing else appended too.
    sealer: Sealer,
    /// The PPDU that is being received.
    arrival: Option<Arriving>,
    /// When the peer's last PPDU came.
    last_ppdu: Instant,
    /// How far apart its PPDUs come.
    gaps: Gaps,
    /// Flows with queued ACKs that may be taken back.
    candidates: Nominees,
}

/// The MORE DATA state (paper, 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Promise {
    /// The last data PPDU had no MORE DATA bit, or the guard timer ended.
    None,
    /// It had: the next PPDU takes what is held.
    MoreData,
}

/// What the last answer was to; from this follows what confirms it (paper, figures 5a and 5b).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answered {
    /// There was none, or it is confirmed.
    Nothing,
    /// A single MPDU.
    Single(Option<Tid>, MacSeq),
    /// An A-MPDU or a BlockAck Request.
    Block,
}

/// What is known of the PPDU that is being received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Arriving {
    bits: HeaderBits,
    /// How many MPDUs it has that can be read.
    mpdus: u16,
    /// Whether one of its MPDUs has been seen.
    begun: bool,
    /// The last of its MPDUs that asked for an answer.
    last: Option<(Option<Tid>, MacSeq)>,
}

/// Why an ACK cannot be held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Obstacle {
    /// A frame of its flow has no fate yet, which it would overtake.
    NativeOutstanding,
    /// The peer is not known to have a reference for its flow.
    NoContext,
    /// Its flow does not surely own its context identifier.
    NotOwner,
    /// The NIC has no room for one more of its flow.
    Full,
}

impl Driver {
    pub(super) fn new(peer: NodeId) -> Self {
        Self {
            peer,
            flows: Flows::default(),
            natives: Natives::default(),
            nic: Nic::default(),
            promise: Promise::None,
            tail: Tail::default(),
            answered: Answered::Nothing,
            answered_at: Instant::ZERO,
            sealer: Sealer::default(),
            arrival: None,
            last_ppdu: Instant::ZERO,
            gaps: Gaps::default(),
            candidates: Nominees::default(),
        }
    }

    /// Whether a packet for the peer passes without a closer look: TCP data, where no ACK goes the same way.
    #[inline]
    pub(super) fn passes_data(&self, packet: &Packet) -> bool {
        self.flows.is_empty()
            && !packet.payload.is_empty()
            && packet.tcp().is_some_and(|tcp| tcp.checksum == Checksum::Correct)
    }

    /// A packet for the peer was handed to the MAC.
    pub(super) fn on_outgoing(
        &mut self,
        env: &mut Env<'_, '_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &SendOptions,
    ) -> Verdict {
        let content = env.cx.pool.get(packet);
        if content.tcp().is_some_and(|tcp| tcp.checksum != Checksum::Correct) {
            // The other end discards it, so nothing that is held may make way for it.
            env.counters.refused += 1;
            return Verdict::Pass;
        }
        let Ok(ack) = AckRef::of(content) else { return self.on_other_outgoing(env, packet, handle, options) };
        let Some(place) = self.flows.find_or_add(content, ack, &self.nic, env.cx.now) else { return Verdict::Pass };
        self.flows[place].note_ack(ack, env.cx.now);
        if self.holds(env.config.policy) {
            let outstanding = self.flows[place].outstanding;
            match self.obstacle(env, place, outstanding) {
                Some(obstacle) => *obstacle.counter(env) += 1,
                None if self.hold(env, place, slice::from_ref(&packet), options) == 1 => return Verdict::Hold,
                None => env.counters.refused += 1,
            }
        }
        self.send_ack_natively(env, place, packet, handle, options)
    }

    /// Packets for the peer were handed to the MAC, one behind another: pure ACKs of one flow at the start are held as far as they can be. Says how many; of the next one nothing is known.
    pub(super) fn hold_run(&mut self, env: &mut Env<'_, '_>, packets: &[PacketId], options: &SendOptions) -> usize {
        let Some(first) = packets.first().filter(|_| self.holds(env.config.policy)) else { return 0 };
        let content = env.cx.pool.get(*first);
        let Some(place) = content.tcp().and_then(|tcp| self.flows.find_of(content, tcp)) else { return 0 };
        let outstanding = self.flows[place].outstanding;
        match self.obstacle(env, place, outstanding) {
            Some(_) => 0,
            None => self.hold(env, place, packets, options),
        }
    }

    /// Holds packets that nothing is in the way of, as many at the start as are ACKs of this flow that can be compressed, and as the NIC has room for. Says how many.
    fn hold(&mut self, env: &mut Env<'_, '_>, place: FlowPlace, packets: &[PacketId], options: &SendOptions) -> usize {
        self.note_context(env, place);
        let (now, max_msn) = (env.cx.now, env.config.codec.max_msn());
        let (ready, room) = (now + env.config.driver_to_nic, self.room(env, place));
        let flow = &mut self.flows[place];
        let (mut count, mut wraps) = (0, 0);
        for &packet in packets.iter().take(room) {
            let content = env.cx.pool.get(packet);
            // One of another flow cannot be compressed either.
            let Ok(ack) = AckRef::of(content) else { break };
            let held = Held { packet, options: *options, since: now };
            let posted = self.nic.post(place, flow.cid, ready, held, |code| {
                let compressed = flow.state.compress(ack, code);
                wraps += u64::from(compressed && code.msn() == max_msn);
                compressed
            });
            if !posted {
                break;
            }
            flow.note_ack(ack, now);
            count += 1;
        }
        if count > 0 {
            self.note_held(env, place, wraps);
        }
        count
    }

    /// A packet for the peer that is no pure ACK was handed to the MAC.
    fn on_other_outgoing(
        &mut self,
        env: &mut Env<'_, '_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &SendOptions,
    ) -> Verdict {
        let content = env.cx.pool.get(packet);
        let Some(key) = FlowKey::of(content) else { return Verdict::Pass };
        if self.flows.is_empty() {
            return Verdict::Pass;
        }
        // What opens or closes a connection: the addresses may soon serve another one.
        let flags = content.tcp().map_or(TcpFlags::empty(), |tcp| tcp.flags);
        let ends = flags.intersects(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST);
        let Some(place) = self.flows.find(key) else { return Verdict::Pass };
        let verdict = self.go_natively(env, place, packet, handle, options, false);
        let flow = &mut self.flows[place];
        flow.last_used = env.cx.now;
        if ends {
            // Nor may an ACK that is under way install the old connection's context again.
            flow.state = FlowState::Closed;
        }
        if flags.contains(TcpFlags::SYN) {
            flow.begin_anew();
        }
        verdict
    }

    /// The TSval of the newest ACK of a flow, which may be on an answer and in no frame.
    pub(super) fn newest_ts_val(&mut self, key: FlowKey) -> Option<u32> {
        let place = self.flows.find(key)?;
        self.flows[place].ts_val
    }

    /// A packet that this driver gave back to the queue is being queued.
    pub(super) fn on_queued(&mut self, env: &mut Env<'_, '_>, queueing: Queueing, handle: FrameHandle) {
        let Queueing { packet, flow, pure, takeable, .. } = queueing;
        self.natives.push(handle, flow, pure);
        if let Some(options) = takeable
            && let Ok(ack) = Ack::of(env.cx.pool.get(packet))
        {
            self.nominate(flow, Candidate { handle, ack, options, since: env.cx.now });
        }
    }

    /// Frames to the peer were given their sequence numbers: the peer may receive them from now on.
    #[inline]
    pub(super) fn on_all_sequenced(&mut self, env: &mut Env<'_, '_>, mpdus: &[Mpdu]) {
        if !self.natives.is_empty() {
            mpdus.iter().for_each(|mpdu| self.number_native(env, mpdu.handle));
        }
    }

    fn number_native(&mut self, env: &mut Env<'_, '_>, handle: FrameHandle) {
        let Some(native) = self.natives.get_mut(handle) else { return };
        let (place, pure) = (native.flow, native.pure);
        let would_own = pure && self.flows.would_own(place, &self.nic, env.cx.now);
        native.stage = Stage::Sequenced { at: env.cx.now, would_own };
        let dropped = self.nic.recall(place, |held| env.cx.pool.release(held.packet));
        self.dismiss(place, handle);
        let flow = &mut self.flows[place];
        env.counters.gap_after_drop += u64::from(dropped > 0);
        if pure {
            flow.state = FlowState::Awaiting(handle);
            env.counters.native_acks += 1;
        } else if dropped > 0 {
            flow.state = FlowState::Closed;
        }
    }

    /// What became of frames to the peer; `genuine`: an acknowledgement is the peer's own.
    #[inline]
    pub(super) fn on_fates(&mut self, env: &mut Env<'_, '_>, fates: &[(Mpdu, Fate)], genuine: bool) {
        if self.natives.is_empty() {
            return;
        }
        for (mpdu, fate) in fates {
            if *fate == Fate::Delivered && genuine {
                self.deliver_native(env, mpdu);
            } else {
                self.lose_native(env, mpdu.handle);
            }
        }
    }

    /// A frame to the peer was acknowledged by its MAC.
    fn deliver_native(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        let Some(native) = self.natives.settle(mpdu.handle) else { return };
        self.flows.on_settled(native.flow, native.pure);
        if !native.pure {
            return;
        }
        self.flows.on_maybe_received(native.flow, env.cx.now);
        let Stage::Sequenced { at, would_own } = native.stage else { return };
        self.flows[native.flow]
            .state
            .open(env.config.codec, mpdu.handle, || Ack::of(env.cx.pool.get(mpdu.packet)).ok());
        self.flows.on_received(native.flow, at, env.cx.now, would_own);
    }

    /// A frame was dropped before it was ever sent, or reached its retry limit. Whether the peer has the latter is not
    /// known.
    #[inline]
    pub(super) fn on_lost(&mut self, env: &mut Env<'_, '_>, handle: FrameHandle) {
        if !self.natives.is_empty() {
            self.lose_native(env, handle);
        }
    }

    fn lose_native(&mut self, env: &mut Env<'_, '_>, handle: FrameHandle) {
        let Some(native) = self.natives.settle(handle) else { return };
        self.flows.on_settled(native.flow, native.pure);
        match native.stage {
            Stage::Sequenced { .. } if native.pure => self.flows.on_maybe_received(native.flow, env.cx.now),
            Stage::Sequenced { .. } => {}
            _ => self.dismiss(native.flow, handle),
        }
        if self.nic.held(native.flow) > 0 {
            env.wake_after(self.guard(env, native.flow));
        }
    }

    /// Lets a pure ACK go natively; it may be taken back.
    fn send_ack_natively(
        &mut self,
        env: &mut Env<'_, '_>,
        place: FlowPlace,
        packet: PacketId,
        handle: FrameHandle,
        options: &SendOptions,
    ) -> Verdict {
        let verdict = self.go_natively(env, place, packet, handle, options, true);
        if verdict == Verdict::Pass
            && env.takes_back()
            && let Ok(ack) = Ack::of(env.cx.pool.get(packet))
        {
            self.nominate(place, Candidate { handle, ack, options: *options, since: env.cx.now });
        }
        verdict
    }

    /// Why an ACK of this flow cannot be held, if `in_the_way` of its frames would be overtaken.
    #[inline]
    fn obstacle(&self, env: &Env<'_, '_>, place: FlowPlace, in_the_way: u32) -> Option<Obstacle> {
        if in_the_way > 0 {
            Some(Obstacle::NativeOutstanding)
        } else if !self.flows[place].state.is_open() {
            Some(Obstacle::NoContext)
        } else if !self.flows.owns(place, env.cx.now) {
            Some(Obstacle::NotOwner)
        } else if self.room(env, place) == 0 {
            Some(Obstacle::Full)
        } else {
            None
        }
    }

    /// For how many more ACKs of this flow the NIC has room.
    #[inline]
    fn room(&self, env: &Env<'_, '_>, place: FlowPlace) -> usize {
        usize::from(env.config.codec.max_outstanding()).saturating_sub(self.nic.held(place))
    }

    /// ACKs are kept, and the NIC has their codes; `wraps`: how many have the last MSN.
    #[inline]
    fn note_held(&mut self, env: &mut Env<'_, '_>, place: FlowPlace, wraps: u64) {
        env.counters.msn_wrap += wraps;
        env.wake_after(self.patience(env, place));
    }

    /// Does something with each flow of which the NIC holds something.
    fn each_active(&mut self, mut each: impl FnMut(&mut Self, FlowPlace)) {
        let mut n = 0;
        while let Some(&place) = self.nic.active().get(n) {
            each(self, place);
            // A chain of which nothing is left is no longer among the active ones.
            n += usize::from(self.nic.active().get(n) == Some(&place));
        }
    }
}

impl Obstacle {
    /// What counts it.
    fn counter<'a>(self, env: &'a mut Env<'_, '_>) -> &'a mut u64 {
        match self {
            Self::NativeOutstanding => &mut env.counters.native_overtaken,
            Self::NoContext => &mut env.counters.no_context,
            Self::NotOwner => &mut env.counters.cid_collision,
            Self::Full => &mut env.counters.full,
        }
    }
}

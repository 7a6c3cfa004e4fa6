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
//! After either the context is closed until the next native ACK is delivered.
//!
//! `answers` has what follows from PPDUs of the peer, `natives` the frames that were not held, `flows` the flows.

mod answers;
mod flows;
mod natives;

use ackless_dot11::frame::{FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId, Tid};
use ackless_dot11::hooks::{Emission, SendOptions, Verdict};
use ackless_rohc::hack::{Ack, Run};
use ackless_wire::tcp::Checksum;
use ackless_wire::{Instant, PacketId, TcpFlags};

pub(super) use self::flows::CID_IDLE;
use self::flows::{Candidate, Flows, Held};
use self::natives::{Natives, Stage};
use super::config::Policy;
use super::env::{Env, Queueing};
use super::nic::Nic;
use crate::flow_key::FlowKey;

/// The driver's part towards one peer.
#[derive(Debug)]
pub(super) struct Driver {
    peer: NodeId,
    flows: Flows,
    natives: Natives,
    nic: Nic,
    /// Whether the peer has promised another PPDU.
    promise: Promise,
    /// The last answer to the peer.
    answered: Answered,
    /// When it left.
    answered_at: Instant,
    /// The PPDU that is being received.
    arrival: Option<Arriving>,
    /// When the last PPDU of the peer came.
    heard: Instant,
    /// Flows with candidates of the opportunistic policy.
    candidates: Vec<u16>,
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
    /// Whether one of its MPDUs has been seen.
    begun: bool,
    /// The last of its MPDUs that asked for an answer.
    last: Option<(Option<Tid>, MacSeq)>,
}

/// Why an ACK cannot be held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Obstacle {
    NativeOutstanding,
    NoContext,
    NotOwner,
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
            answered: Answered::Nothing,
            answered_at: Instant::ZERO,
            arrival: None,
            heard: Instant::ZERO,
            candidates: Vec::new(),
        }
    }

    /// A packet for the peer was handed to the MAC.
    pub(super) fn on_outgoing(
        &mut self,
        env: &mut Env<'_, '_>,
        key: FlowKey,
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
        if let Ok(ack) = Ack::of(content) {
            return match self.flows.find_or_add(key, &ack, env.cx.now) {
                Some(flow) => self.on_ack(env, flow, &ack, packet, handle, options),
                None => Verdict::Pass,
            };
        }
        if self.flows.is_empty() {
            return Verdict::Pass;
        }
        // What opens or closes a connection: the addresses may soon serve another one.
        let flags = content.tcp().map_or(TcpFlags::empty(), |tcp| tcp.flags);
        let ends = flags.intersects(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST);
        let Some(flow) = self.flows.find(key) else { return Verdict::Pass };
        let verdict = self.go_natively(env, flow, packet, handle, options, false);
        self.flows[flow].last_used = env.cx.now;
        if ends {
            // Nor may an ACK that is under way install the old connection's context again.
            self.flows[flow].compressor.invalidate();
            self.flows[flow].newest = None;
        }
        verdict
    }

    /// A packet that this driver gave back to the queue is being queued.
    pub(super) fn on_queued(&mut self, flow: u16, pure: bool, handle: FrameHandle) {
        self.natives.push(handle, flow, pure);
    }

    /// A frame to the peer was given its sequence number: the peer may receive it from now on.
    pub(super) fn on_sequenced(&mut self, env: &mut Env<'_, '_>, handle: FrameHandle) {
        if self.natives.is_empty() {
            return;
        }
        let Some(native) = self.natives.get_mut(handle) else { return };
        let (place, pure) = (native.flow, native.pure);
        let clear = pure && self.flows.is_clear(place, env.cx.now);
        native.stage = Stage::Sequenced { at: env.cx.now, clear };
        let dropped = self.nic.recall(place);
        let flow = &mut self.flows[place];
        debug_assert_eq!(dropped, flow.held.len(), "driver and NIC hold the same");
        flow.held.drain(..).for_each(|held| env.cx.pool.release(held.packet));
        flow.candidates.pop_front_if(|candidate| candidate.handle == handle);
        env.counters.gap_after_drop += u64::from(dropped > 0);
        if pure {
            flow.newest = Some(handle);
            env.counters.native_acks += 1;
        }
        if pure || dropped > 0 {
            flow.compressor.invalidate();
        }
    }

    /// A frame to the peer was acknowledged by its MAC.
    pub(super) fn on_delivered(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        if self.natives.is_empty() {
            return;
        }
        let Some(native) = self.natives.settle(mpdu.handle) else { return };
        let flow = &mut self.flows[native.flow];
        flow.settled(native.pure);
        if !native.pure {
            return;
        }
        flow.last_possible = Some(env.cx.now);
        let Stage::Sequenced { at, clear } = native.stage else { return };
        if flow.newest == Some(mpdu.handle)
            && let Ok(ack) = Ack::of(env.cx.pool.get(mpdu.packet))
        {
            flow.compressor.install(&ack);
        }
        self.flows.on_received(native.flow, at, env.cx.now, clear);
    }

    /// A frame was dropped before it was ever sent, or reached its retry limit. Whether the peer has the latter is not
    /// known.
    pub(super) fn on_lost(&mut self, env: &mut Env<'_, '_>, handle: FrameHandle) {
        if self.natives.is_empty() {
            return;
        }
        let Some(native) = self.natives.settle(handle) else { return };
        let flow = &mut self.flows[native.flow];
        flow.settled(native.pure);
        match native.stage {
            Stage::Sequenced { .. } if native.pure => flow.last_possible = Some(env.cx.now),
            Stage::Sequenced { .. } => {}
            _ => flow.candidates.retain(|candidate| candidate.handle != handle),
        }
        if !flow.held.is_empty() {
            env.wake_after(env.config.guard);
        }
    }

    /// A pure ACK of a known flow.
    fn on_ack(
        &mut self,
        env: &mut Env<'_, '_>,
        place: u16,
        ack: &Ack,
        packet: PacketId,
        handle: FrameHandle,
        options: &SendOptions,
    ) -> Verdict {
        let holds = match env.config.policy {
            Policy::MoreData => self.promise == Promise::MoreData,
            Policy::ExplicitTimer(_) => true,
            Policy::Opportunistic => {
                let verdict = self.go_natively(env, place, packet, handle, options, true);
                if verdict == Verdict::Pass {
                    self.nominate(place, Candidate { handle, ack: *ack, options: *options, since: env.cx.now });
                }
                return verdict;
            }
        };
        if !holds {
            return self.go_natively(env, place, packet, handle, options, true);
        }
        let outstanding = self.flows[place].outstanding;
        if let Some(obstacle) = self.obstacle(place, outstanding, env.cx.now) {
            *obstacle.counter(env) += 1;
            return self.go_natively(env, place, packet, handle, options, true);
        }
        match self.flows[place].compress(ack) {
            Some(code) => {
                let held = Held { packet, options: *options, since: env.cx.now };
                self.hold(env, place, held, code, env.cx.now + env.config.driver_to_nic);
                Verdict::Hold
            }
            None => {
                env.counters.refused += 1;
                self.go_natively(env, place, packet, handle, options, true)
            }
        }
    }

    /// Why an ACK of this flow cannot be held, if `in_the_way` of its frames would be overtaken.
    fn obstacle(&self, place: u16, in_the_way: u32, now: Instant) -> Option<Obstacle> {
        if in_the_way > 0 {
            Some(Obstacle::NativeOutstanding)
        } else if !self.flows[place].compressor.is_ready() {
            Some(Obstacle::NoContext)
        } else if !self.flows.owns(place, now) {
            Some(Obstacle::NotOwner)
        } else if self.nic.held(place) >= usize::from(Run::MAX_LEN) {
            Some(Obstacle::Full)
        } else {
            None
        }
    }

    /// Keeps an ACK and gives its code to the NIC, which has it at `ready`.
    fn hold(&mut self, env: &mut Env<'_, '_>, place: u16, held: Held, code: ackless_rohc::hack::Code, ready: Instant) {
        let flow = &mut self.flows[place];
        env.counters.msn_wrap += u64::from(code.msn() == u8::MAX);
        flow.held.push_back(held);
        self.nic.post(place, flow.cid, code, ready);
        let patience = match env.config.policy {
            Policy::ExplicitTimer(timer) => timer.min(env.config.guard),
            Policy::MoreData | Policy::Opportunistic => env.config.guard,
        };
        env.wake_after(patience);
    }

    /// Lets a frame of a known flow go as it is, behind those of its ACKs that are held and were on no answer.
    fn go_natively(
        &mut self,
        env: &mut Env<'_, '_>,
        place: u16,
        packet: PacketId,
        handle: FrameHandle,
        options: &SendOptions,
        pure: bool,
    ) -> Verdict {
        if self.requeue_unsent(env, place) == 0 {
            self.flows[place].handed_over(pure);
            self.natives.push(handle, place, pure);
            return Verdict::Pass;
        }
        self.queue(env, place, packet, options, pure);
        Verdict::Hold
    }

    /// Queues those held ACKs of a flow natively that were on no answer, in their order. Says how many.
    ///
    /// Their codes are void, and with them the context.
    fn requeue_unsent(&mut self, env: &mut Env<'_, '_>, place: u16) -> usize {
        let unsent = self.nic.recall_unsent(place);
        if unsent > 0 {
            let flow = &mut self.flows[place];
            flow.compressor.invalidate();
            let kept = flow.held.len() - unsent;
            for n in kept..kept + unsent {
                let Held { packet, options, .. } = self.flows[place].held[n];
                self.queue(env, place, packet, &options, true);
            }
            self.flows[place].held.truncate(kept);
            env.counters.requeued += unsent as u64;
        }
        unsent
    }

    /// Gives a packet to the MAC's queue, with its reference.
    fn queue(&mut self, env: &mut Env<'_, '_>, flow: u16, packet: PacketId, options: &SendOptions, pure: bool) {
        self.flows[flow].handed_over(pure);
        env.queueing.push_back(Queueing { packet, peer: self.peer, flow, pure });
        env.cx.emit(Emission::Queue(packet, *options));
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

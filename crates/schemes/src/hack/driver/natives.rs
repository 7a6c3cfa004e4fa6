//! What goes natively: frames of known flows that the driver hands to the MAC as they are, until each has its fate.
//!
//! What of a TACK connection is compressed: its pure ACKs, that is the last one of the handshake, those for a FIN, challenge ACKs (RFC 5961), and all after it fell back to
//! plain TCP. Its TACKs and IACKs are not: what they say is in a body of 4 to some 1,400 bytes, which no code has a place for, and which changes from one to the
//! next in every field; and there are so few of them that the medium has nothing to gain. They go natively, as data that the station sends does, and what was held
//! before them goes before them. Nor is any header with an option of TACK. So with TACK this scheme carries next to nothing, and costs nothing.

use std::collections::VecDeque;

use ackless_dot11::frame::{FrameHandle, NodeId};
use ackless_dot11::hooks::{Emission, SendOptions, Verdict};
use ackless_wire::{Instant, PacketId};

use super::Driver;
use super::flow::Held;
use super::flows::Flows;
use crate::hack::env::{Env, Queueing};
use crate::hack::nic::FlowPlace;

/// The frames towards one peer, in the order in which they were handed over, which is that of their handles.
#[derive(Clone, Debug, Default)]
pub(super) struct Natives {
    frames: VecDeque<Native>,
    /// How many of them are settled, and only still here because an earlier one is not.
    settled: usize,
}

/// A frame of a known flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Native {
    pub(super) handle: FrameHandle,
    pub(super) flow: FlowPlace,
    /// Whether it is a pure ACK that can install a context.
    pub(super) pure: bool,
    pub(super) stage: Stage,
}

/// How far a native frame has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// It waits in the queue.
    Queued,
    /// It was given its sequence number then, and may be received at any time since.
    Sequenced {
        /// When.
        at: Instant,
        /// Whether, if it is received, its flow owns the context identifier.
        would_own: bool,
    },
    /// It has its fate.
    Settled,
}

impl Natives {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// A frame was handed over.
    pub(super) fn push(&mut self, handle: FrameHandle, flow: FlowPlace, pure: bool) {
        debug_assert!(self.frames.back().is_none_or(|last| last.handle < handle), "handles ascend");
        self.frames.push_back(Native { handle, flow, pure, stage: Stage::Queued });
    }

    /// The frame with this name, if it is here and has no fate yet.
    pub(super) fn get_mut(&mut self, handle: FrameHandle) -> Option<&mut Native> {
        let place = self.frames.binary_search_by_key(&handle, |native| native.handle).ok()?;
        self.frames.get_mut(place).filter(|native| native.stage != Stage::Settled)
    }

    /// The frame with this name has its fate: what it was until then.
    pub(super) fn settle(&mut self, handle: FrameHandle) -> Option<Native> {
        let native = self.get_mut(handle)?;
        let before = *native;
        native.stage = Stage::Settled;
        self.settled += 1;
        while self.frames.pop_front_if(|first| first.stage == Stage::Settled).is_some() {
            self.settled -= 1;
        }
        // One frame that is stuck in its queue does not let the others pile up.
        if self.settled > COMPACT && self.settled > self.frames.len() / 2 {
            self.frames.retain(|native| native.stage != Stage::Settled);
            self.settled = 0;
        }
        Some(before)
    }
}

impl Driver {
    /// Lets a frame of a known flow go as it is, behind those of its ACKs that are held and were on no answer.
    pub(super) fn go_natively(
        &mut self,
        env: &mut Env<'_, '_>,
        place: FlowPlace,
        packet: PacketId,
        handle: FrameHandle,
        options: &SendOptions,
        pure: bool,
    ) -> Verdict {
        if self.requeue_unsent(env, place) == 0 {
            self.flows.on_handed_over(place, pure);
            self.natives.push(handle, place, pure);
            return Verdict::Pass;
        }
        let kind = Requeue::of(pure, env.config.take_back);
        queue(&mut self.flows, env, self.peer, place, packet, options, kind);
        Verdict::Hold
    }

    /// Queues those held ACKs of a flow natively that were on no answer, in their order. Says how many.
    ///
    /// Their codes are void, and with them the context, unless it can go back to what it was before them.
    pub(super) fn requeue_unsent(&mut self, env: &mut Env<'_, '_>, place: FlowPlace) -> usize {
        let (flows, peer) = (&mut self.flows, self.peer);
        let takes_back = env.config.take_back;
        let unsent = self.nic.recall_unsent(place, |Held { packet, options, .. }| {
            queue(flows, env, peer, place, packet, &options, Requeue::of(true, takes_back));
        });
        if unsent > 0 {
            let flow = &mut self.flows[place];
            flow.state = std::mem::take(&mut flow.before_unsent);
            env.counters.requeued += unsent as u64;
        }
        unsent
    }

    /// Queues all that was on no answer natively.
    pub(super) fn requeue_all(&mut self, env: &mut Env<'_, '_>) {
        self.each_active(|driver, place| {
            driver.requeue_unsent(env, place);
        });
    }

    /// Sends natively what the peer may not have of a flow: what was on no answer, or else the last ACK, which
    /// acknowledges all that was before it and may arrive twice.
    pub(super) fn rescue(&mut self, env: &mut Env<'_, '_>, place: FlowPlace) {
        if self.requeue_unsent(env, place) > 0 {
            return;
        }
        if let Some(&Held { packet, options, .. }) = self.nic.last(place) {
            env.cx.pool.retain(packet);
            env.counters.rescued += 1;
            queue(&mut self.flows, env, self.peer, place, packet, &options, Requeue::Stays);
        }
    }
}

/// Gives a packet to the MAC's queue, with its reference.
fn queue(
    flows: &mut Flows,
    env: &mut Env<'_, '_>,
    peer: NodeId,
    place: FlowPlace,
    packet: PacketId,
    options: &SendOptions,
    kind: Requeue,
) {
    let pure = kind != Requeue::Other;
    flows.on_handed_over(place, pure);
    let takeable = (kind == Requeue::Takeable).then_some(*options);
    env.queueing.push_back(Queueing { packet, peer, flow: place, pure, takeable });
    env.cx.emit(Emission::Queue(packet, *options));
}

/// What the driver gives to the queue itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Requeue {
    /// A pure ACK that may be taken back.
    Takeable,
    /// A pure ACK that stays in the queue: there is no taking back, or it was on an answer and this is its second copy.
    Stays,
    /// No pure ACK.
    Other,
}

impl Requeue {
    const fn of(pure: bool, takes_back: bool) -> Self {
        match (pure, takes_back) {
            (true, true) => Self::Takeable,
            (true, false) => Self::Stays,
            (false, _) => Self::Other,
        }
    }
}

/// So many settled frames are kept without need.
const COMPACT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_is_settled_once_in_any_order() {
        let mut natives = Natives::default();
        for handle in 0..500 {
            natives.push(FrameHandle(3 * handle), FlowPlace((handle % 5) as u16), handle % 2 == 0);
        }
        for round in 0..2 {
            for n in (1..500).chain([0]) {
                // 7 is coprime to 499, so that all but the first come in a scattered order.
                let handle = if n == 0 { 0 } else { n * 7 % 499 + u32::from(n == 499) * 499 };
                let settled = natives.settle(FrameHandle(3 * handle));
                assert_eq!(
                    settled.map(|native| u32::from(native.flow.0)),
                    (round == 0 && handle > 0).then_some(handle % 5).or((round == 0 && n == 0).then_some(0)),
                    "{n}"
                );
                assert!(natives.settle(FrameHandle(3 * handle + 1)).is_none());
            }
        }
        assert!(natives.is_empty());
    }
}

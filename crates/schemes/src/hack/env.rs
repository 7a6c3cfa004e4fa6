//! What the parts of the scheme share while they answer a question.

use std::collections::VecDeque;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Context, SendOptions};
use ackless_wire::{Duration, Instant, PacketId};

use super::config::HackConfig;
use super::counters::HackCounters;
use super::nic::FlowPlace;

/// The context of a question, and what belongs to the node rather than to one peer.
pub(super) struct Env<'a, 'c> {
    pub(super) cx: &'a mut Context<'c>,
    pub(super) config: &'a HackConfig,
    pub(super) counters: &'a mut HackCounters,
    /// Packets that were emitted into the queue, until the MAC names their frames.
    pub(super) queueing: &'a mut VecDeque<Queueing>,
    /// When the scheme wants to be woken at the latest. It looks at its deadlines then; until they are computed anew
    /// nothing moves this back, so that a deadline that moves with every PPDU costs nothing.
    pub(super) wake: &'a mut Option<Instant>,
}

/// A packet on its way into the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Queueing {
    pub(super) packet: PacketId,
    pub(super) peer: NodeId,
    pub(super) flow: FlowPlace,
    pub(super) pure: bool,
    /// How it was to be sent, if it is a pure ACK that may be taken back.
    pub(super) takeable: Option<SendOptions>,
}

impl Env<'_, '_> {
    /// Asks to be woken within `span`.
    pub(super) fn wake_after(&mut self, span: Duration) {
        self.wake_at(self.cx.now.saturating_add(span));
    }

    /// Asks to be woken at `at`, or earlier.
    pub(super) fn wake_at(&mut self, at: Instant) {
        if self.wake.is_none_or(|wake| at < wake) {
            *self.wake = Some(at);
        }
    }
}

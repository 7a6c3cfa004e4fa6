//! What the parts of the scheme share while they answer a question.

use std::collections::VecDeque;

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Context, SendOptions};
use ackless_wire::{Duration, Instant, PacketId};

use super::config::{HackConfig, Policy};
use super::counters::HackCounters;
use super::nic::FlowPlace;
use super::own_data::OwnData;
use super::senders::Senders;
use crate::resets::Resets;

/// The context of a question, and what belongs to the node rather than to one peer.
pub(super) struct Env<'a, 'c> {
    pub(super) cx: &'a mut Context<'c>,
    pub(super) config: &'a HackConfig,
    pub(super) counters: &'a mut HackCounters,
    /// Packets that were emitted into the queue, until the MAC names their frames.
    pub(super) queueing: &'a mut VecDeque<Queueing>,
    /// Connections that are being reset.
    pub(super) resets: &'a mut Resets,
    /// When the scheme wants to be woken at the latest. It looks at its deadlines then; until they are computed anew
    /// nothing moves this back, so that a deadline that moves with every PPDU costs nothing.
    pub(super) wake: &'a mut Option<Instant>,
    pub(super) own_data: &'a OwnData,
    pub(super) senders: &'a Senders,
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
    /// Whether this node holds the ACKs for which data is announced now.
    pub(super) fn holding_pays(&self) -> bool {
        self.own_data_allows() && self.senders.are_at_most(self.config.hold_senders)
    }

    /// Whether ACKs that are queued natively may ever be taken back.
    pub(super) fn takes_back(&self) -> bool {
        self.config.take_back || self.config.policy == Policy::Opportunistic
    }

    /// Whether they are, now that an answer leaves.
    pub(super) fn takes_back_now(&self) -> bool {
        self.takes_back() && self.own_data_allows() && self.senders.are_at_most(self.config.take_back_senders)
    }

    /// Whether what this node has to send itself leaves its ACKs to answers.
    fn own_data_allows(&self) -> bool {
        self.config.hold_beside_data || !(self.own_data.is_there() || self.senders.include_this_node())
    }

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

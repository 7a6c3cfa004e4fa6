//! What the parts of the client share while they answer a question.

use ackless_dot11::hooks::Context;
use ackless_wire::{Duration, Instant, PacketId};

use crate::arq_proxy::{ArqProxyConfig, ArqProxyCounters};

/// What the client has with each question.
pub(in crate::arq_proxy) struct Env<'a, 'b> {
    pub(in crate::arq_proxy) cx: &'a mut Context<'b>,
    pub(in crate::arq_proxy) config: &'a ArqProxyConfig,
    pub(in crate::arq_proxy) counters: &'a mut ArqProxyCounters,
    /// When the node is to be woken.
    pub(in crate::arq_proxy) wake: &'a mut Option<Instant>,
    /// ACKs of the transport here that the MAC has not got yet, and need not send.
    pub(in crate::arq_proxy) unwanted: &'a mut Vec<PacketId>,
}

impl Env<'_, '_> {
    /// Asks to be woken at `at`, or earlier; at once where that is over, as for an ACK that took longer to its MAC than it may wait.
    pub(super) fn wake_at(&mut self, at: Instant) {
        *self.wake = Instant::earlier(*self.wake, Some(at.max(self.cx.now)));
    }
}

/// A connection that was silent for so long begins anew with a native ACK: the proxy may have forgotten it.
pub(super) const SILENCE: Duration = Duration::from_secs(30);

//! What an acknowledgement is held back for.

use ackless_wire::{Bytes, Duration, Instant};

use super::{AckDecision, AckReason};

/// New bytes that wait for their acknowledgement, and until when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    bytes: Bytes,
    deadline: Option<Instant>,
}

impl Held {
    pub(super) const fn new() -> Self {
        Self { bytes: Bytes::ZERO, deadline: None }
    }

    /// `fresh` bytes came: acknowledged once `enough` is here, or when the first of them has waited for `wait`.
    #[inline]
    pub(super) fn take(&mut self, now: Instant, fresh: Bytes, enough: Bytes, wait: Duration) -> AckDecision {
        self.bytes += fresh;
        if self.bytes >= enough {
            return AckDecision::Now(AckReason::Count);
        }
        if self.deadline.is_none() {
            self.deadline = Some(now.saturating_add(wait));
        }
        AckDecision::Hold
    }

    /// All has been acknowledged.
    #[inline]
    pub(super) const fn clear(&mut self) {
        *self = Self::new();
    }

    #[inline]
    pub(super) const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The first has waited long enough.
    pub(super) const fn on_deadline(&mut self) -> AckDecision {
        self.deadline = None;
        AckDecision::Now(AckReason::Timer)
    }
}

//! What bears on the next new segment besides the sender's own variables.

use ackless_wire::Bytes;

use crate::config::NagleRule;

/// What bears on the next new segment besides the sender's own variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// What the congestion window leaves.
    pub(super) room: Bytes,
    /// The most payload for this segment.
    pub(super) segment: Bytes,
    /// By which rule a small segment waits, if by any.
    pub(super) nagle: Option<NagleRule>,
}

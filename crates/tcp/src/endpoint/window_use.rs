//! What a sender remembers of how much of its congestion window was in use.

use ackless_wire::Bytes;

use crate::sequence::Position;

/// How much of the congestion window has been in use since a round trip began.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowUse {
    /// Whether the window had no room for one more full-sized segment (`is_cwnd_limited`).
    pub(super) filled: bool,
    /// The most bytes that were out (`max_packets_out`).
    pub(super) most: Bytes,
    /// SND.MAX when `filled` and `most` were noted. The round trip ends with its acknowledgement
    /// (`cwnd_usage_seq`).
    until: Position,
    /// SND.MAX at the latest note.
    noted: Position,
}

impl WindowUse {
    /// Nothing has been sent.
    pub(super) const fn new() -> Self {
        Self { filled: false, most: Bytes::ZERO, until: Position::SYN, noted: Position::SYN }
    }

    /// The window keeps the sender from sending now, with all from `una` to `max` out.
    pub(super) fn fill(&mut self, una: Position, max: Position) {
        *self = Self { filled: true, most: max - una, until: max, ..*self };
    }

    /// All from `una` to `max` is out; `filled` if the window has no room for one more full-sized
    /// segment.
    #[inline(always)]
    pub(super) fn note(&mut self, una: Position, max: Position, filled: bool) {
        let out = max - una;
        let begins = una >= self.until || (!self.filled && out > self.most);
        if filled || (begins && max > self.noted) {
            (self.filled, self.most, self.until) = (filled, out, max);
        }
        self.noted = max;
    }

    /// Whether something that was sent with a full window is still not acknowledged.
    pub(super) fn is_filled(&self, una: Position) -> bool {
        self.filled && una < self.until
    }
}

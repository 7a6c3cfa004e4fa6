//! Frames of known flows that the driver handed to the MAC as they are, until each has its fate.

use std::collections::VecDeque;

use ackless_dot11::frame::FrameHandle;
use ackless_wire::Instant;

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
    pub(super) flow: u16,
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
        clear: bool,
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
    pub(super) fn push(&mut self, handle: FrameHandle, flow: u16, pure: bool) {
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

/// So many settled frames are kept without need.
const COMPACT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_is_settled_once_in_any_order() {
        let mut natives = Natives::default();
        for handle in 0..500 {
            natives.push(FrameHandle(3 * handle), (handle % 5) as u16, handle % 2 == 0);
        }
        for round in 0..2 {
            for n in (1..500).chain([0]) {
                // 7 is coprime to 499, so that all but the first come in a scattered order.
                let handle = if n == 0 { 0 } else { n * 7 % 499 + u32::from(n == 499) * 499 };
                let settled = natives.settle(FrameHandle(3 * handle));
                assert_eq!(
                    settled.map(|native| u32::from(native.flow)),
                    (round == 0 && handle > 0).then_some(handle % 5).or((round == 0 && n == 0).then_some(0)),
                    "{n}"
                );
                assert!(natives.settle(FrameHandle(3 * handle + 1)).is_none());
            }
        }
        assert!(natives.is_empty());
    }
}

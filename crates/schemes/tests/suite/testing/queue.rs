//! The queue of a node's MAC, in which what a scheme takes back or exchanges still waits.

use std::collections::VecDeque;

use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::{Content, SendOptions, Withdraw};
use ackless_wire::PacketId;

/// What waits, in order.
#[derive(Default)]
pub struct Queue(pub VecDeque<(FrameHandle, PacketId, SendOptions)>);

impl Withdraw for Queue {
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId> {
        let place = self.0.iter().position(|(queued, ..)| *queued == handle)?;
        self.0.remove(place).map(|(_, packet, _)| packet)
    }

    fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let queued = self.0.iter_mut().find(|(queued, ..)| *queued == handle)?;
        Some(std::mem::replace(&mut queued.1, content.packet))
    }
}

//! First in, first out, with a limit in packets: what arrives at a full queue is dropped.

use std::collections::VecDeque;

use ackless_wire::{Bytes, Instant, PacketId};

use super::Queued;
use crate::content::Content;
use crate::frame::FrameHandle;

/// A drop-tail queue.
#[derive(Clone, Debug)]
pub struct Fifo {
    limit: usize,
    items: VecDeque<Queued>,
}

impl Fifo {
    /// A queue for at most `limit` packets, at least one.
    pub fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), items: VecDeque::new() }
    }

    /// The most packets that it holds.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Queues a packet, or drops it.
    #[inline(always)]
    pub fn push(&mut self, item: Queued, mut drop: impl FnMut(Queued)) {
        if self.items.len() >= self.limit {
            drop(item);
        } else {
            self.items.push_back(item);
        }
    }

    /// Queues a packet that differs from `like` in its content, its name and its time alone. There must be room.
    #[inline(always)]
    pub fn push_like(&mut self, like: &Queued, now: Instant, content: Content, handle: FrameHandle) {
        debug_assert!(self.items.len() < self.limit, "there is room");
        // A copy of a few words, and then what differs.
        let item = self.items.push_back_mut(*like);
        item.exchange(content);
        (item.mpdu.handle, item.enqueued) = (handle, now);
    }

    /// Takes the oldest packet.
    pub fn pop(&mut self) -> Option<Queued> {
        self.items.pop_front()
    }

    /// Lets the oldest packets go to whoever has [looked](Self::row) at so many.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.items.drain(..count);
    }

    /// The oldest packets, as far as they stand in a row: all but those behind the place where the memory begins anew. To look at them, and to number those that will be taken.
    pub fn row(&mut self) -> &mut [Queued] {
        self.items.as_mut_slices().0
    }

    /// The oldest packet.
    #[inline]
    pub fn peek(&self) -> Option<&Queued> {
        self.items.front()
    }

    /// Packets that wait.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Their lengths together, which few ask for.
    pub fn bytes(&self) -> Bytes {
        self.items.iter().map(|item| item.mpdu.packet_len).sum()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Puts another packet into a frame, and returns the one before.
    pub fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let item = self.items.iter_mut().find(|item| item.mpdu.handle == handle)?;
        Some(item.exchange(content))
    }

    /// Takes a frame out, wherever it stands.
    pub fn withdraw(&mut self, handle: FrameHandle) -> Option<Queued> {
        let place = self.items.iter().position(|item| item.mpdu.handle == handle)?;
        self.items.remove(place)
    }
}

//! What a scheme remembers of its frames, by their names.

use std::collections::VecDeque;

use ackless_dot11::frame::FrameHandle;

/// Values by frame, in the order in which the frames were named: a node gives its frames rising names, and most leave in their order.
#[derive(Clone, Debug)]
pub(crate) struct Frames<V> {
    rows: VecDeque<(FrameHandle, Option<V>)>,
}

impl<V> Default for Frames<V> {
    fn default() -> Self {
        Self { rows: VecDeque::new() }
    }
}

impl<V> Frames<V> {
    /// Adds a frame, named after all that were added before.
    pub(crate) fn insert(&mut self, handle: FrameHandle, value: V) {
        debug_assert!(self.rows.back().is_none_or(|(last, _)| *last < handle), "names rise");
        self.rows.push_back((handle, Some(value)));
    }

    /// Whether none is remembered.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes a frame out.
    #[inline]
    pub(crate) fn remove(&mut self, handle: FrameHandle) -> Option<V> {
        if self.rows.front()?.0 != handle {
            return self.remove_from_within(handle);
        }
        let (_, value) = self.rows.pop_front()?;
        while self.rows.front().is_some_and(|(_, value)| value.is_none()) {
            self.rows.pop_front();
        }
        value
    }

    #[inline(never)]
    fn remove_from_within(&mut self, handle: FrameHandle) -> Option<V> {
        let place = self.rows.binary_search_by(|(other, _)| other.cmp(&handle)).ok()?;
        self.rows[place].1.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_is_found_once_whatever_left_before() {
        let mut frames = Frames::default();
        for n in 0..20 {
            frames.insert(FrameHandle(3 * n), n);
        }
        for n in [7, 0, 1, 19, 2, 6] {
            assert_eq!(frames.remove(FrameHandle(3 * n)), Some(n));
            assert_eq!(frames.remove(FrameHandle(3 * n)), None);
            assert_eq!(frames.remove(FrameHandle(3 * n + 1)), None);
        }
        assert_eq!(frames.rows.len(), 17, "what has left at the front takes no room");
    }
}

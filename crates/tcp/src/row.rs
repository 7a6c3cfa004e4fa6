//! A queue that is read as a slice.

use std::ops::{Deref, DerefMut};

/// A queue whose elements lie side by side. What leaves at the front leaves its place behind; once three of four places are left, the rest moves up: a third of the elements do on their way
/// through.
#[derive(Clone, Debug)]
pub(crate) struct Row<T> {
    places: Vec<T>,
    /// How many places at the front have been left.
    left: usize,
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Self { places: Vec::new(), left: 0 }
    }
}

impl<T: Copy> Row<T> {
    /// One more at the end.
    #[inline]
    pub(crate) fn push(&mut self, element: T) {
        self.places.push(element);
    }

    /// One more just before the one at `index`, or at the end.
    pub(crate) fn insert(&mut self, index: usize, element: T) {
        self.places.insert(self.left + index, element);
    }

    /// The first `count` leave; there are so many.
    #[inline]
    pub(crate) fn leave(&mut self, count: usize) {
        self.left += count;
        if self.left == self.places.len() {
            self.clear();
        } else if self.left > self.places.len() / 4 * 3 {
            self.move_up();
        }
    }

    /// All leave.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.left = 0;
    }

    /// The elements from `from` to just before `to` leave.
    pub(crate) fn cut(&mut self, from: usize, to: usize) {
        self.places.drain(self.left + from..self.left + to);
        self.leave(0);
    }

    #[inline(never)]
    fn move_up(&mut self) {
        self.places.drain(..self.left);
        self.left = 0;
    }

    /// Only those remain that are `wanted`.
    pub(crate) fn retain(&mut self, wanted: impl FnMut(&T) -> bool) {
        self.move_up();
        self.places.retain(wanted);
    }
}

impl<T> From<Vec<T>> for Row<T> {
    fn from(places: Vec<T>) -> Self {
        Self { places, left: 0 }
    }
}

impl<T> Deref for Row<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.places[self.left..]
    }
}

impl<T> DerefMut for Row<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.places[self.left..]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn it_is_a_queue_and_keeps_few_more_places_than_four_times_those_needed() {
        for seed in 0..200 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (mut row, mut queue) = (Row::default(), VecDeque::new());
            for number in 0..300 {
                match random.below(9) {
                    0..4 => {
                        row.push(number);
                        queue.push_back(number);
                    }
                    4 => {
                        let index = random.below(queue.len() as u64 + 1) as usize;
                        row.insert(index, number);
                        queue.insert(index, number);
                    }
                    5..7 => {
                        let count = random.below(queue.len() as u64 + 1) as usize;
                        row.leave(count);
                        queue.drain(..count);
                    }
                    7 => {
                        let to = random.below(queue.len() as u64 + 1) as usize;
                        let from = random.below(to as u64 + 1) as usize;
                        row.cut(from, to);
                        queue.drain(from..to);
                    }
                    _ => {
                        let least = random.below(number + 1);
                        row.retain(|&element| element >= least);
                        queue.retain(|&element| element >= least);
                    }
                }
                assert_eq!(*row, *queue.make_contiguous(), "seed {seed}");
                assert!(row.left <= 3 * row.len() + 3, "seed {seed}");
            }
        }
    }
}

//! Marks on elements of a queue, of which the first is found at once.

/// Which elements of a queue are marked. An element is named by how many have entered the queue before it, ever; of all that are marked none is further behind the queue's front than the queue is long.
///
/// A ring of bits, and above it levels in which a bit says that a word of the level below has any. To mark one and to take its mark off is a step on each level: three for 262,144 elements, four for 16 million; the first is at hand.
/// Nothing is allocated once the ring has grown to what the queue holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// The ring itself, then what lies above it; of a power of two of words, down to one.
    levels: Vec<Vec<u64>>,
    first: Option<u64>,
}

impl Marks {
    /// The first that is marked.
    #[inline]
    pub(super) const fn first(&self) -> Option<u64> {
        self.first
    }

    /// Marks the element `at` of the queue whose front is `front`.
    #[inline(never)]
    pub(super) fn mark(&mut self, at: u64, front: u64) {
        if at - front >= self.capacity() {
            self.grow(at - front + 1, front);
        }
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        let mut at = self.place(at);
        for level in &mut self.levels {
            let word = &mut level[at / WORD];
            let was_empty = *word == 0;
            *word |= 1 << (at % WORD);
            if !was_empty {
                break;
            }
            at /= WORD;
        }
    }

    /// Takes the mark off the element `marked`, if it has one.
    #[inline(never)]
    pub(super) fn unmark(&mut self, marked: u64) {
        if self.first.is_none_or(|first| marked < first || marked - first >= self.capacity()) {
            return;
        }
        let mut at = self.place(marked);
        for level in &mut self.levels {
            let word = &mut level[at / WORD];
            *word &= !(1 << (at % WORD));
            if *word != 0 {
                break;
            }
            at /= WORD;
        }
        if self.first == Some(marked) {
            self.first = self.behind(marked);
        }
    }

    /// The first that is marked behind an element before which none is.
    fn behind(&self, element: u64) -> Option<u64> {
        let from = self.place(element);
        let place = self.next(from).or_else(|| self.next(0))?;
        Some(element + (place as u64).wrapping_sub(from as u64) % self.capacity())
    }

    /// No element is marked.
    pub(super) fn clear(&mut self) {
        self.levels.iter_mut().for_each(|level| level.fill(0));
        self.first = None;
    }

    /// The first place in the ring from `from` on that is marked.
    fn next(&self, from: usize) -> Option<usize> {
        let mut at = from;
        for (depth, level) in self.levels.iter().enumerate() {
            let rest = level.get(at / WORD)? & (u64::MAX << (at % WORD));
            if rest != 0 {
                let first = at / WORD * WORD + rest.trailing_zeros() as usize;
                let below = self.levels[..depth].iter().rev();
                return Some(below.fold(first, |at, level| at * WORD + level[at].trailing_zeros() as usize));
            }
            at = at / WORD + 1;
        }
        None
    }

    fn place(&self, at: u64) -> usize {
        (at % self.capacity().max(1)) as usize
    }

    /// How many places the ring has.
    fn capacity(&self) -> u64 {
        self.levels.first().map_or(0, |ring| (ring.len() * WORD) as u64)
    }

    #[cold]
    fn grow(&mut self, elements: u64, front: u64) {
        let marked: Vec<u64> = std::iter::from_fn(|| {
            let first = self.first?;
            self.unmark(first);
            Some(first)
        })
        .collect();
        let mut words = (elements as usize).div_ceil(WORD).next_power_of_two();
        self.levels.clear();
        loop {
            self.levels.push(vec![0; words]);
            if words == 1 {
                break;
            }
            words = words.div_ceil(WORD);
        }
        marked.into_iter().for_each(|at| self.mark(at, front));
    }
}

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn the_first_is_what_a_sorted_set_has_first_while_the_queue_moves_on_and_grows() {
        for seed in 0..100 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (mut marks, mut model) = (Marks::default(), BTreeSet::new());
            let (mut front, mut len) = (random.below(1 << 20), 1);
            // Short queues, and such as need three levels.
            let longest = [3, 70, 5_000, 20_000][random.below(4) as usize];
            for _ in 0..2_000 {
                match random.below(6) {
                    0 => len += random.below(longest - len + 1),
                    1 => {
                        // What leaves has no mark.
                        let leave = random.below(len);
                        (front, len) = (front + leave, len - leave);
                        let gone: Vec<u64> = model.range(..front).copied().collect();
                        for at in gone {
                            marks.unmark(at);
                            model.remove(&at);
                        }
                    }
                    2 => {
                        let at = front + random.below(len);
                        marks.unmark(at);
                        model.remove(&at);
                    }
                    3 if random.chance(0.02) => {
                        marks.clear();
                        model.clear();
                    }
                    _ => {
                        let at = front + random.below(len);
                        marks.mark(at, front);
                        model.insert(at);
                    }
                }
                assert_eq!(marks.first(), model.first().copied(), "seed {seed}");
            }
        }
    }
}

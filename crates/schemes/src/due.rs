//! The deadlines of many flows, of which the earliest is known.

use ackless_wire::Instant;

use crate::testing::steps;

/// A deadline for each place of a table, or none.
///
/// A tree over the places: each node has the earliest deadline below it. To set one costs as many
/// steps as the tree has levels, and none more than one with a single place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dues {
    /// The root is at 1, and the children of `n` are at `2 n` and `2 n + 1`. A place without a
    /// deadline has [`Instant::FAR_FUTURE`].
    tree: Vec<Instant>,
    /// The last row of the tree: a power of two, or 0 before the first deadline.
    leaves: usize,
}

impl Dues {
    /// No deadlines.
    pub(crate) const fn new() -> Self {
        Self { tree: Vec::new(), leaves: 0 }
    }

    /// The earliest deadline.
    #[inline]
    pub(crate) fn first(&self) -> Option<Instant> {
        self.tree.get(1).copied().filter(|due| *due != Instant::FAR_FUTURE)
    }

    /// Sets the deadline of a place, or takes it away.
    #[inline]
    pub(crate) fn set(&mut self, place: usize, due: Option<Instant>) {
        let due = due.unwrap_or(Instant::FAR_FUTURE);
        if place >= self.leaves {
            if due == Instant::FAR_FUTURE {
                return;
            }
            self.grow(place);
        }
        let mut node = self.leaves + place;
        if std::mem::replace(&mut self.tree[node], due) == due {
            return;
        }
        while node > 1 {
            steps::count(1);
            let least = self.tree[node].min(self.tree[node ^ 1]);
            node /= 2;
            if self.tree[node] == least {
                break;
            }
            self.tree[node] = least;
        }
    }

    /// Adds the places whose deadline has come to `places`, in ascending order.
    pub(crate) fn due_by(&self, now: Instant, places: &mut Vec<usize>) {
        if self.first().is_some_and(|due| due <= now) {
            self.descend(1, now, places);
        }
    }

    fn descend(&self, node: usize, now: Instant, places: &mut Vec<usize>) {
        steps::count(1);
        if self.tree[node] > now {
            return;
        }
        if node >= self.leaves {
            return places.push(node - self.leaves);
        }
        self.descend(2 * node, now, places);
        self.descend(2 * node + 1, now, places);
    }

    #[cold]
    fn grow(&mut self, place: usize) {
        let leaves = (place + 1).next_power_of_two();
        let mut tree = vec![Instant::FAR_FUTURE; 2 * leaves];
        tree[leaves..leaves + self.leaves].copy_from_slice(&self.tree[self.leaves..]);
        (1..leaves).rev().for_each(|node| tree[node] = tree[2 * node].min(tree[2 * node + 1]));
        (self.tree, self.leaves) = (tree, leaves);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn it_knows_what_a_map_of_deadlines_knows() {
        for seed in 1..=20 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (mut dues, mut map) = (Dues::new(), BTreeMap::new());
            for step in 0..500 {
                let place = random.below(1 + seed * 5) as usize;
                let due = random.chance(0.7).then(|| Instant::from_millis(random.below(100)));
                dues.set(place, due);
                match due {
                    Some(due) => map.insert(place, due),
                    None => map.remove(&place),
                };
                assert_eq!(dues.first(), map.values().min().copied(), "seed {seed}, step {step}");
                let now = Instant::from_millis(random.below(100));
                let mut places = Vec::new();
                dues.due_by(now, &mut places);
                let expected: Vec<_> = map.iter().filter(|(_, due)| **due <= now).map(|(place, _)| *place).collect();
                assert_eq!(places, expected, "seed {seed}, step {step}");
            }
        }
    }

    #[test]
    fn to_set_one_of_many_costs_a_step_for_each_level() {
        let mut dues = Dues::new();
        (0..1 << 14).for_each(|place| dues.set(place, Some(Instant::from_millis(1 + place as u64))));
        steps::take();
        dues.set(1 << 13, Some(Instant::ZERO));
        assert_eq!(steps::take(), 14);
    }
}

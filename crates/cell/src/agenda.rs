//! What happens next: one deadline for each component, and the earliest of them.
//!
//! A component never has more than one pending event: each machine says when it wants to be woken, and a link keeps its own
//! queue and names only the head of it. So the set of events is a fixed array of deadlines, and the total order of DESIGN's seam 7 (time,
//! class, node, counter) is (time, slot): slots are numbered class by class and node by node, and the counter is each
//! machine's own queue order.
//!
//! The earliest is found by a tournament over the slots: changing a deadline replays only the matches on its way to the final. A few
//! slots change at nearly every event, and are compared with the tournament's winner instead of taking part.

use ackless_wire::{Duration, Instant};

/// A component's place in the agenda.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot(pub u32);

/// The deadlines of all components.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// The tournament: node 1 is the final, node `n` is played by `2n` and `2n + 1`, and the slots are the second half. Each
    /// node holds the earlier deadline of the two and whose it is. The slots of the busy ones never have one.
    nodes: Vec<Due>,
    /// Those that stand beside it.
    busy: [Due; BUSY],
}

/// A deadline and whose it is. Of equal deadlines that of the lower slot comes first: as one number, the time above the slot, that is one comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Due(u128);

impl Agenda {
    /// An agenda of `slots` components, none of which waits for anything. The `busy` ones are expected to change most often.
    pub fn new(slots: usize, busy: [Slot; BUSY]) -> Self {
        let size = slots.next_power_of_two().max(2);
        let mut nodes = vec![Due::new(Instant::FAR_FUTURE, Slot(0)); 2 * size];
        for slot in 0..size {
            nodes[size + slot] = Due::new(Instant::FAR_FUTURE, Slot(slot as u32));
        }
        for node in (1..size).rev() {
            nodes[node] = nodes[2 * node].min(nodes[2 * node + 1]);
        }
        Self { nodes, busy: busy.map(|slot| Due::new(Instant::FAR_FUTURE, slot)) }
    }

    /// Sets when a component that is not one of the busy ones wants to be woken; `None` for never.
    #[inline(always)]
    pub fn set(&mut self, slot: Slot, deadline: Option<Instant>) {
        debug_assert!(self.busy.iter().all(|busy| busy.slot() != slot), "a busy one takes no part in the tournament");
        let due = Due::new(deadline.unwrap_or(Instant::FAR_FUTURE), slot);
        let leaf = self.leaf(slot);
        if self.nodes[leaf] != due {
            self.replay(leaf, due);
        }
    }

    /// The same for the busy component with this number in the list that [`Self::new`] got.
    #[inline(always)]
    pub fn set_busy(&mut self, number: usize, deadline: Option<Instant>) {
        let due = &mut self.busy[number];
        *due = Due::new(deadline.unwrap_or(Instant::FAR_FUTURE), due.slot());
    }

    /// When a component that is not one of the busy ones wants to be woken; far in the future for never.
    #[inline(always)]
    pub fn deadline(&self, slot: Slot) -> Instant {
        self.nodes[self.leaf(slot)].at()
    }

    /// Before which time the busy component with this number comes before all others.
    pub fn lead(&self, number: usize) -> Instant {
        let others = self.busy.iter().enumerate().filter(|(other, _)| *other != number);
        let first = others.fold(self.nodes[1], |first, (_, &busy)| first.min(busy));
        let wins_ties = self.busy[number].slot() < first.slot();
        if wins_ties { first.at().saturating_add(Duration::from_nanos(1)) } else { first.at() }
    }

    /// The earliest deadline and whose it is; of equal ones that of the lowest slot.
    #[inline(always)]
    pub fn first(&self) -> (Instant, Slot) {
        let first = self.busy.iter().fold(self.nodes[1], |first, &busy| first.min(busy));
        (first.at(), first.slot())
    }

    fn leaf(&self, slot: Slot) -> usize {
        self.nodes.len() / 2 + slot.0 as usize
    }

    /// Replays the matches between a leaf whose deadline has changed and the final, as far as they end in another way.
    fn replay(&mut self, leaf: usize, due: Due) {
        self.nodes[leaf] = due;
        let mut node = leaf;
        while node > 1 {
            let winner = self.nodes[node].min(self.nodes[node ^ 1]);
            node /= 2;
            if self.nodes[node] == winner {
                return;
            }
            self.nodes[node] = winner;
        }
    }
}

impl Due {
    fn new(at: Instant, slot: Slot) -> Self {
        Self(u128::from(at.as_nanos()) << 64 | u128::from(slot.0))
    }

    fn at(self) -> Instant {
        Instant::from_nanos((self.0 >> 64) as u64)
    }

    fn slot(self) -> Slot {
        Slot(self.0 as u32)
    }
}

/// How many slots stand beside the tournament.
pub const BUSY: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use ackless_wire::random::{Purpose, Stream};

    #[test]
    fn the_earliest_deadline_wins_and_ties_go_to_the_lowest_slot() {
        for slots in [1, 2, 3, 7, 64, 100] {
            let busy = [0, slots / 2, slots, slots - 1].map(|slot| Slot(slot as u32));
            let mut agenda = Agenda::new(slots, busy);
            let mut plain = vec![Instant::FAR_FUTURE; slots];
            let mut random = Stream::new(1, slots as u64, Purpose::Test);
            for _ in 0..2_000 {
                let slot = random.below(slots as u64) as usize;
                let deadline = (random.below(4) > 0).then(|| Instant::from_nanos(random.below(20)));
                match busy.iter().position(|busy| busy.0 as usize == slot) {
                    Some(number) => agenda.set_busy(number, deadline),
                    None => agenda.set(Slot(slot as u32), deadline),
                }
                plain[slot] = deadline.unwrap_or(Instant::FAR_FUTURE);
                let expected = plain.iter().enumerate().min_by_key(|&(n, at)| (*at, n)).map(|(n, at)| (*at, n));
                let several = |(number, own): &(usize, &Slot)| busy[..*number].contains(own);
                for (number, own) in busy.iter().enumerate().filter(|one| !several(one)) {
                    let others = plain.iter().enumerate().filter(|&(n, _)| n != own.0 as usize);
                    let first = others.map(|(n, at)| (*at, n)).min();
                    let leads = |at| first.is_none_or(|first| (at, own.0 as usize) < first);
                    let lead = agenda.lead(number);
                    let before = lead.as_nanos().checked_sub(1).map(Instant::from_nanos);
                    assert!(lead >= Instant::FAR_FUTURE || !leads(lead), "slots {slots}, busy {number}");
                    assert!(lead >= Instant::FAR_FUTURE || before.is_none_or(leads), "slots {slots}, busy {number}");
                }
                let (at, first) = agenda.first();
                if at < Instant::FAR_FUTURE {
                    assert_eq!(Some((at, first.0 as usize)), expected, "slots {slots}");
                } else {
                    assert!(plain.iter().all(|at| *at == Instant::FAR_FUTURE), "slots {slots}");
                }
            }
        }
    }
}

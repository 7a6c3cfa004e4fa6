//! What happens next: one deadline for each component, and the earliest of them.
//!
//! A component never has more than one pending event: each machine says when it wants to be woken, and a link keeps its own
//! queue and names only the head of it. So the set of events is a fixed array of deadlines, and the total order of DESIGN's seam 7 (time,
//! class, node, counter) is (time, slot): slots are numbered class by class and node by node, and the counter is each
//! machine's own queue order.
//!
//! The earliest is found by a tournament over the slots: changing a deadline replays only the matches on its way to the final. A few
//! slots change at nearly every event, and are compared with the tournament's winner instead of taking part.

use ackless_wire::Instant;

/// A component's place in the agenda.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot(pub u32);

/// The deadlines of all components.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// The tournament: node 1 is the final, node `n` is played by `2n` and `2n + 1`, and the slots are the second half. Each
    /// node holds the earlier deadline of the two and whose it is.
    nodes: Vec<(Instant, Slot)>,
    /// Those that stand beside it.
    busy: [(Instant, Slot); BUSY],
}

impl Agenda {
    /// An agenda of `slots` components, none of which waits for anything. The `busy` ones are expected to change most often.
    pub fn new(slots: usize, busy: [Slot; BUSY]) -> Self {
        let size = slots.next_power_of_two().max(2);
        let mut nodes = vec![(Instant::FAR_FUTURE, Slot(0)); 2 * size];
        for slot in 0..size {
            nodes[size + slot].1 = Slot(slot as u32);
        }
        for node in (1..size).rev() {
            nodes[node] = nodes[2 * node].min(nodes[2 * node + 1]);
        }
        Self { nodes, busy: busy.map(|slot| (Instant::FAR_FUTURE, slot)) }
    }

    /// Sets when a component wants to be woken; `None` for never.
    pub fn set(&mut self, slot: Slot, deadline: Option<Instant>) {
        let deadline = deadline.unwrap_or(Instant::FAR_FUTURE);
        if let Some(busy) = self.busy.iter_mut().find(|busy| busy.1 == slot) {
            busy.0 = deadline;
            return;
        }
        let mut node = self.nodes.len() / 2 + slot.0 as usize;
        if self.nodes[node].0 == deadline {
            return;
        }
        self.nodes[node].0 = deadline;
        while node > 1 {
            // Of equal deadlines the left one's slot is the lower.
            let (left, right) = (self.nodes[node & !1], self.nodes[node | 1]);
            let winner = if right.0 < left.0 { right } else { left };
            node /= 2;
            if self.nodes[node] == winner {
                return;
            }
            self.nodes[node] = winner;
        }
    }

    /// When a component wants to be woken; far in the future for never.
    pub fn deadline(&self, slot: Slot) -> Instant {
        match self.busy.iter().find(|busy| busy.1 == slot) {
            Some(busy) => busy.0,
            None => self.nodes[self.nodes.len() / 2 + slot.0 as usize].0,
        }
    }

    /// The earliest deadline and whose it is; of equal ones that of the lowest slot.
    pub fn first(&self) -> (Instant, Slot) {
        self.busy.iter().fold(self.nodes[1], |first, &busy| first.min(busy))
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
                agenda.set(Slot(slot as u32), deadline);
                plain[slot] = deadline.unwrap_or(Instant::FAR_FUTURE);
                assert_eq!(agenda.deadline(Slot(slot as u32)), plain[slot], "slots {slots}");
                let expected = plain.iter().enumerate().min_by_key(|&(n, at)| (*at, n)).map(|(n, at)| (*at, n));
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

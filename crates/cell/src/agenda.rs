//! What happens next: one deadline for each component, and the earliest of them.
//!
//! A component never has more than one pending event: each machine says when it wants to be woken, and a link keeps its own
//! queue and names only the head of it. So the set of events is a fixed array of deadlines, and the total order of DESIGN's seam 7 (time,
//! class, node, counter) is (time, slot): slots are numbered class by class and node by node, and the counter is each
//! machine's own queue order.
//!
//! The earliest is found by a tournament over the slots: changing a deadline replays only the matches on its way to the final.

use ackless_wire::Instant;

/// A component's place in the agenda.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot(pub u32);

/// The deadlines of all components.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// One for each slot, padded to a power of two.
    deadlines: Vec<Instant>,
    /// The winner below each inner node of the tournament; node 1 is the final.
    winners: Vec<u32>,
}

impl Agenda {
    /// An agenda of `slots` components, none of which waits for anything.
    pub fn new(slots: usize) -> Self {
        let size = slots.next_power_of_two().max(2);
        let mut agenda = Self { deadlines: vec![Instant::FAR_FUTURE; size], winners: vec![0; size] };
        for node in (1..size).rev() {
            agenda.winners[node] = agenda.play(node);
        }
        agenda
    }

    /// Sets when a component wants to be woken; `None` for never.
    pub fn set(&mut self, slot: Slot, deadline: Option<Instant>) {
        let deadline = deadline.unwrap_or(Instant::FAR_FUTURE);
        let index = slot.0 as usize;
        if self.deadlines[index] == deadline {
            return;
        }
        self.deadlines[index] = deadline;
        let mut node = (self.deadlines.len() + index) / 2;
        while node >= 1 {
            let winner = self.play(node);
            // Above here nothing changes if another slot won this match before and wins it still.
            if winner == self.winners[node] && winner != slot.0 {
                return;
            }
            self.winners[node] = winner;
            node /= 2;
        }
    }

    /// When a component wants to be woken; far in the future for never.
    pub fn deadline(&self, slot: Slot) -> Instant {
        self.deadlines[slot.0 as usize]
    }

    /// The earliest deadline and whose it is; of equal ones that of the lowest slot.
    pub fn first(&self) -> (Instant, Slot) {
        let winner = self.winners[1];
        (self.deadlines[winner as usize], Slot(winner))
    }

    /// The winner of the match at an inner node.
    fn play(&self, node: usize) -> u32 {
        let size = self.deadlines.len();
        let side = |child: usize| if child >= size { (child - size) as u32 } else { self.winners[child] };
        let (left, right) = (side(2 * node), side(2 * node + 1));
        if self.deadlines[left as usize] <= self.deadlines[right as usize] { left } else { right }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackless_wire::random::{Purpose, Stream};

    #[test]
    fn the_earliest_deadline_wins_and_ties_go_to_the_lowest_slot() {
        for slots in [1, 2, 3, 7, 64, 100] {
            let mut agenda = Agenda::new(slots);
            let mut plain = vec![Instant::FAR_FUTURE; slots];
            let mut random = Stream::new(1, slots as u64, Purpose::Test);
            for _ in 0..2_000 {
                let slot = random.below(slots as u64) as usize;
                let deadline = (random.below(4) > 0).then(|| Instant::from_nanos(random.below(20)));
                agenda.set(Slot(slot as u32), deadline);
                plain[slot] = deadline.unwrap_or(Instant::FAR_FUTURE);
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

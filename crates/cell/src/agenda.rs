//! What happens next: one deadline for each component, and the earliest of them.
//!
//! A component never has more than one pending event: each machine says when it wants to be woken, and a link keeps its own
//! queue and names only the head of it. So the set of events is a fixed array of deadlines, and the total order of DESIGN's seam 7 (time,
//! class, node, counter) is (time, slot): slots are numbered class by class and node by node, and the counter is each
//! machine's own queue order.
//!
//! Those that are due within about a millisecond stand in a list by time, few at a time however many components there are; those that are due later lie on shelves, and are moved as
//! their time approaches. Nearly all timers of TCPs move before that. A few slots change at nearly every event, and are compared with the first of the list instead of taking part.

use ackless_wire::{Duration, Instant};

mod far;
mod near;

use far::Far;
use near::Near;

/// A component's place in the agenda.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot(pub u32);

/// The deadlines of all components.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// That of each slot but the busy ones.
    deadlines: Vec<Instant>,
    near: Near,
    far: Far,
    /// The earliest of them: of the near ones, unless there is none at all.
    first: Due,
    /// Those of the busy ones, which stand beside them.
    busy: [Instant; BUSY],
    /// The slots of the busy ones.
    busy_slots: [Slot; BUSY],
}

/// A deadline and whose it is. Of equal deadlines that of the lower slot comes first: as one number, the time above the slot, that is one comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Due(u128);

impl Agenda {
    /// An agenda of `slots` components, none of which waits for anything. The `busy` ones, in ascending order, are expected to change most often.
    pub fn new(slots: usize, busy: [Slot; BUSY]) -> Self {
        debug_assert!(busy.is_sorted(), "the busy ones come in their order");
        Self {
            deadlines: vec![Instant::FAR_FUTURE; slots],
            near: Near::default(),
            far: Far::new(slots),
            first: Due::NEVER,
            busy: [Instant::FAR_FUTURE; BUSY],
            busy_slots: busy,
        }
    }

    /// Sets when a component that is not one of the busy ones wants to be woken; `None` for never.
    #[inline(always)]
    pub fn set(&mut self, slot: Slot, deadline: Option<Instant>) {
        debug_assert!(!self.busy_slots.contains(&slot), "a busy one takes no part");
        let at = deadline.unwrap_or(Instant::FAR_FUTURE);
        if self.deadlines[slot.0 as usize] != at {
            self.put_off(slot, at);
        }
    }

    /// The same for the busy component with this number in the list that [`Self::new`] got.
    #[inline(always)]
    pub fn set_busy(&mut self, number: usize, deadline: Option<Instant>) {
        self.busy[number] = deadline.unwrap_or(Instant::FAR_FUTURE);
    }

    /// When a component that is not one of the busy ones wants to be woken; far in the future for never.
    #[inline(always)]
    pub fn deadline(&self, slot: Slot) -> Instant {
        self.deadlines[slot.0 as usize]
    }

    /// Before which time the busy component with this number comes before all others.
    pub fn lead(&self, number: usize) -> Instant {
        let others = (0..BUSY).filter(|&other| other != number);
        let first = others.fold(self.first, |first, other| first.min(self.busy_due(other)));
        let wins_ties = self.busy_slots[number] < first.slot();
        if wins_ties { first.at().saturating_add(Duration::from_nanos(1)) } else { first.at() }
    }

    /// The earliest deadline and whose it is; of equal ones that of the lowest slot.
    #[inline(always)]
    pub fn first(&self) -> (Instant, Slot) {
        let earlier = |first: usize, other| if self.busy[other] < self.busy[first] { other } else { first };
        let first = self.first.min(self.busy_due((1..BUSY).fold(0, earlier)));
        (first.at(), first.slot())
    }

    #[inline(always)]
    fn busy_due(&self, number: usize) -> Due {
        Due::new(self.busy[number], self.busy_slots[number])
    }

    /// A deadline has changed.
    #[inline(never)]
    fn put_off(&mut self, slot: Slot, at: Instant) {
        let before = std::mem::replace(&mut self.deadlines[slot.0 as usize], at);
        if !self.far.holds(before) {
            self.near.remove(Due::new(before, slot));
        } else if before != Instant::FAR_FUTURE {
            self.far.remove(slot, before);
        }
        if !self.far.holds(at) {
            self.near.add(Due::new(at, slot));
        } else if at != Instant::FAR_FUTURE {
            self.far.add(slot, at);
        }
        self.find_first();
    }

    #[inline(always)]
    fn find_first(&mut self) {
        while self.near.is_empty() && self.approach() {}
        self.first = self.near.first().unwrap_or(Due::NEVER);
    }

    /// The next of those that lie far come nearer. Whether there are any.
    #[inline(never)]
    fn approach(&mut self) -> bool {
        let Self { deadlines, near, far, .. } = self;
        near.fill(|list| far.approach(deadlines, |slot| list.push(Due::new(deadlines[slot.0 as usize], slot))))
    }
}

impl Due {
    /// After all that ever happens.
    const NEVER: Self = Self(u128::MAX);

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

/// How many slots stand beside the others.
pub const BUSY: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use ackless_wire::random::{Purpose, Stream};

    #[test]
    fn the_earliest_deadline_wins_and_ties_go_to_the_lowest_slot() {
        // Times that are all near; that lie on several shelves; and that go on, as those of a cell do.
        let near = |random: &mut Stream, _| Instant::from_nanos(random.below(20));
        let far = |random: &mut Stream, _| Instant::from_nanos(random.below(20) << random.below(60));
        let going_on =
            |random: &mut Stream, now: Instant| now + Duration::from_nanos(random.below(50) << random.below(36));
        for slots in [1, 2, 3, 7, 64, 100] {
            the_earliest_wins(slots, near);
            the_earliest_wins(slots, far);
            the_earliest_wins(slots, going_on);
        }
    }

    fn the_earliest_wins(slots: usize, until: impl Fn(&mut Stream, Instant) -> Instant) {
        let busy = [0, slots / 2, slots - 1, slots].map(|slot| Slot(slot as u32));
        let mut agenda = Agenda::new(slots, busy);
        let mut plain = vec![Instant::FAR_FUTURE; slots];
        let mut random = Stream::new(1, slots as u64, Purpose::Test);
        let mut now = Instant::ZERO;
        for _ in 0..2_000 {
            // Mostly it is the turn of who comes first, so that what lies far ahead is reached.
            let (at, first) = agenda.first();
            let turn = at < Instant::FAR_FUTURE && random.below(3) > 0;
            let slot = if turn { first.0 as usize } else { random.below(slots as u64) as usize };
            let deadline = (random.below(4) > 0).then(|| until(&mut random, now));
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
                now = now.max(at);
            } else {
                assert!(plain.iter().all(|at| *at == Instant::FAR_FUTURE), "slots {slots}");
            }
        }
    }
}

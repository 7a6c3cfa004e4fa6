//! What asking for more brings. Ours, of [`Variant::Rounds`](super::Variant::Rounds): a path that has become much faster is not to be found in steps of a quarter, of which each takes two round trips and two TACK intervals.

use ackless_wire::BitRate;

use crate::congestion::path::Gain;

/// How much the bandwidth was when more was last asked for, and how often that has brought a good deal more.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Asking {
    before: Option<BitRate>,
    brought: u32,
}

/// What to do about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Nothing: what it brought is not known yet, or was little.
    GoOn,
    /// It is asked for again at once.
    Ask,
    /// Startup comes again, which doubles in each round.
    Start,
}

impl Asking {
    /// In this phase of the cycle this is the bandwidth. What asking brought is known when the cycle has drained.
    pub(super) fn on_report(&mut self, phase: u8, bandwidth: BitRate) -> Next {
        match (phase, self.before) {
            (0, None) => self.before = Some(bandwidth),
            (0 | 1, _) | (_, None) => {}
            (_, Some(before)) => {
                self.before = None;
                self.brought = if bandwidth >= Gain::MORE.of_rate(before) { self.brought + 1 } else { 0 };
                if self.brought > 0 {
                    return self.next();
                }
            }
        }
        Next::GoOn
    }

    const fn next(&mut self) -> Next {
        if self.brought < ENOUGH {
            return Next::Ask;
        }
        self.brought = 0;
        Next::Start
    }

    /// The cycle that runs is over.
    pub(super) const fn interrupt(&mut self) {
        self.before = None;
    }

    /// It does not ask for all that there is.
    pub(super) const fn forget(&mut self) {
        (self.before, self.brought) = (None, 0);
    }
}

/// So many times in a row: by a quarter each, that is nearly twice as much.
const ENOUGH: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole cycle, after which the bandwidth is so much.
    fn cycle(asking: &mut Asking, before: u64, after: u64) -> Next {
        let phases = [(0, before), (0, before), (1, after)];
        for (phase, kbps) in phases {
            assert_eq!(asking.on_report(phase, BitRate::from_kbps(kbps)), Next::GoOn);
        }
        let next = asking.on_report(2, BitRate::from_kbps(after));
        assert_eq!(asking.on_report(2, BitRate::from_kbps(9 * after)), Next::GoOn, "it has been answered");
        next
    }

    #[test]
    fn what_brings_an_eighth_is_not_asked_for_again_and_what_brings_a_quarter_is() {
        for (after, next) in [(1_125, Next::GoOn), (1_150, Next::GoOn), (1_151, Next::Ask), (1_250, Next::Ask)] {
            assert_eq!(cycle(&mut Asking::default(), 1_000, after), next, "{after}");
        }
    }

    #[test]
    fn the_third_time_in_a_row_startup_comes_again_and_then_it_is_counted_anew() {
        let mut asking = Asking::default();
        for _ in 0..2 {
            let found = [(1_000, 1_250), (1_250, 1_562), (1_562, 1_953)].map(|(from, to)| cycle(&mut asking, from, to));
            assert_eq!(found, [Next::Ask, Next::Ask, Next::Start]);
        }
        // One that brings nothing begins the count anew, and so does a bound; ProbeRTT between two of them does not.
        for (between, third) in [(0, Next::Ask), (1, Next::Ask), (2, Next::Start)] {
            let mut asking = Asking::default();
            (0..2).for_each(|_| assert_eq!(cycle(&mut asking, 1_000, 1_250), Next::Ask));
            match between {
                0 => assert_eq!(cycle(&mut asking, 1_250, 1_250), Next::GoOn),
                1 => asking.forget(),
                _ => asking.interrupt(),
            }
            assert_eq!(cycle(&mut asking, 1_000, 1_250), third, "{between}");
        }
    }

    #[test]
    fn a_cycle_that_was_interrupted_brings_nothing() {
        let mut asking = Asking::default();
        asking.on_report(0, BitRate::from_mbps(1));
        asking.interrupt();
        assert_eq!(asking.on_report(2, BitRate::from_mbps(9)), Next::GoOn);
    }
}

//! What the compressor learns of a flow: how identifications follow each other, by which stride acknowledgement
//! numbers grow, whether the ECN bits are in use. All of it only saves bytes; a wrong guess costs some.

use super::header::{Header, TCP_ECN};
use super::state::IpIdBehavior;

/// Watches the headers of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Learner {
    stride: Run<u16>,
    behavior: Run<Option<IpIdBehavior>>,
    /// Packets since one had an ECN or reserved bit set.
    quiet: u8,
}

/// A value that keeps turning up where another was expected.
#[derive(Clone, Copy, Debug, Default)]
struct Run<T> {
    value: T,
    times: u8,
}

impl<T: Copy + PartialEq + Default> Run<T> {
    /// Whether `value` has now turned up `enough` times in a row.
    fn again(&mut self, value: T, enough: u8) -> bool {
        self.times = if self.value == value { self.times + 1 } else { 1 };
        self.value = value;
        let learnt = self.times >= enough;
        if learnt {
            *self = Self::default();
        }
        learnt
    }
}

impl Learner {
    /// The behaviour of a flow's first identification.
    pub(super) fn first_behavior(v4: bool, ip_id: u16) -> IpIdBehavior {
        match ip_id {
            _ if !v4 => IpIdBehavior::Random,
            0 => IpIdBehavior::Zero,
            _ => IpIdBehavior::Sequential,
        }
    }

    /// The behaviour to use for an identification behind `last`; a new one is believed when it has lasted, and at
    /// once where the old one cannot carry the identification.
    pub(super) fn behavior(&mut self, current: IpIdBehavior, last: u16, ip_id: u16) -> IpIdBehavior {
        let near =
            |behavior: IpIdBehavior| (1..=NEAR).contains(&behavior.ordered(ip_id).wrapping_sub(behavior.ordered(last)));
        let seen = if (last, ip_id) == (0, 0) {
            IpIdBehavior::Zero
        } else if near(IpIdBehavior::Sequential) {
            IpIdBehavior::Sequential
        } else if near(IpIdBehavior::Swapped) {
            IpIdBehavior::Swapped
        } else {
            IpIdBehavior::Random
        };
        if current == IpIdBehavior::Zero && ip_id != 0 {
            self.behavior = Run::default();
            return if seen == IpIdBehavior::Random { IpIdBehavior::Sequential } else { seen };
        }
        if seen == current {
            self.behavior = Run::default();
        } else if self.behavior.again(Some(seen), BEHAVIOR_LASTS) {
            return seen;
        }
        current
    }

    /// The stride to use for an acknowledgement number `delta` above the last. The current one stays while the number
    /// is within its `reach`, in strides.
    pub(super) fn stride(&mut self, current: u16, delta: u32, reach: u32) -> u16 {
        let Ok(delta @ 1..) = u16::try_from(delta) else { return current };
        let within = |stride: u16| stride != 0 && delta % stride == 0 && u32::from(delta / stride) <= reach;
        if within(current) {
            self.stride = Run::default();
            return current;
        }
        let stride = if within(self.stride.value) { self.stride.value } else { delta };
        if self.stride.again(stride, STRIDE_LASTS) { stride } else { current }
    }

    /// Whether the irregular chain carries the ECN and reserved bits. It goes on doing so for some packets behind the
    /// last that had one set, so that every state that the decompressor may have has them all zero when it stops.
    pub(super) fn ecn_used(&mut self, current: bool, header: &Header) -> bool {
        if has_ecn_bits(header) {
            self.quiet = 0;
            return true;
        }
        self.quiet = self.quiet.saturating_add(1);
        current && self.quiet <= ECN_LASTS
    }
}

pub(super) fn has_ecn_bits(header: &Header) -> bool {
    header.traffic_class & 3 != 0 || header.reserved != 0 || header.flags & TCP_ECN != 0
}

/// Identifications that grow by at most this are sequential.
const NEAR: u16 = 8;
const BEHAVIOR_LASTS: u8 = 3;
const STRIDE_LASTS: u8 = 4;
/// More than the greatest window of references.
const ECN_LASTS: u8 = 16;

#[cfg(test)]
mod tests {
    use super::super::state::sample;
    use super::*;

    #[test]
    fn a_stride_is_learnt_when_it_lasts() {
        let mut learner = Learner::default();
        let deltas = [1000, 1000, 3000, 2000, 1000];
        let strides = deltas.map(|delta| learner.stride(1460, delta, 3));
        assert_eq!(strides, [1460, 1460, 1460, 1000, 1460]);
    }

    #[test]
    fn a_stride_that_reaches_stays() {
        let mut learner = Learner::default();
        for delta in [1460, 2920, 4380, 1460, 0, 70_000] {
            assert_eq!(learner.stride(1460, delta, 3), 1460);
        }
    }

    #[test]
    fn identifications_are_told_apart_by_how_they_follow() {
        use IpIdBehavior::{Random, Sequential, Swapped, Zero};
        for (first, step, learnt) in [(7, 1, Sequential), (7, 0x0200, Swapped), (7, 12_345, Random), (0, 0, Zero)] {
            for start in [Sequential, Swapped, Random] {
                let mut learner = Learner::default();
                let (mut behavior, mut last) = (start, first);
                for _ in 0..3 {
                    let next = u16::wrapping_add(last, step);
                    behavior = learner.behavior(behavior, last, next);
                    last = next;
                }
                assert_eq!(behavior, learnt, "from {start:?}");
            }
        }
    }

    #[test]
    fn zero_ends_with_the_first_other_identification() {
        let mut learner = Learner::default();
        assert_eq!(learner.behavior(IpIdBehavior::Zero, 0, 999), IpIdBehavior::Sequential);
    }

    #[test]
    fn ecn_bits_stay_in_use_for_longer_than_a_window() {
        let mut learner = Learner::default();
        let quiet = sample().header;
        let marked = Header { reserved: 1, ..quiet };
        assert!(learner.ecn_used(false, &marked));
        for _ in 0..16 {
            assert!(learner.ecn_used(true, &quiet));
        }
        assert!(!learner.ecn_used(true, &quiet));
        assert!(!learner.ecn_used(false, &quiet));
    }
}

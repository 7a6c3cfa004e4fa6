//! The numbers of transmissions, PKT.SEQ (paper, V-A): every segment with data or FIN gets the next one, whether it goes
//! out for the first time or again.

use std::collections::VecDeque;

use ackless_wire::Instant;

/// What has been numbered, and when that of which nothing has been heard was sent.
///
/// On the wire a number has 32 bits and wraps; inside it has 64. The first one is 1.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    /// The next number.
    next: u64,
    /// When the numbers from `next - sent.len()` on were sent.
    sent: VecDeque<Instant>,
}

impl Numbers {
    /// None given out.
    pub(crate) const fn new() -> Self {
        Self { next: 1, sent: VecDeque::new() }
    }

    /// The number of what is sent now.
    pub(crate) fn assign(&mut self, now: Instant) -> u64 {
        let number = self.next;
        self.next += 1;
        if self.sent.len() == MOST {
            self.sent.pop_front();
        }
        self.sent.push_back(now);
        number
    }

    /// The number that the next transmission will have.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// The number whose low 32 bits are `wire`, the one nearest to the newest; nothing if none such has been sent.
    pub(crate) fn unwrap(&self, wire: u32) -> Option<u64> {
        let newest = self.next - 1;
        let ahead = i64::from(wire.wrapping_sub(newest as u32) as i32);
        newest.checked_add_signed(ahead).filter(|&number| number >= 1 && number <= newest)
    }

    /// The same of a field in which 0 also says that there is none: the number with these low bits where one was sent, else 0.
    pub(crate) fn unwrap_or_zero(&self, wire: u32) -> Option<u64> {
        self.unwrap(wire).or((wire == 0).then_some(0))
    }

    /// When `number` was sent, if nothing so new has been forgotten.
    pub(crate) fn sent_at(&self, number: u64) -> Option<Instant> {
        let first = self.next - self.sent.len() as u64;
        number.checked_sub(first).and_then(|at| self.sent.get(at as usize)).copied()
    }

    /// Forgets when `number` and all before were sent.
    pub(crate) fn forget(&mut self, number: u64) {
        let first = self.next - self.sent.len() as u64;
        let past = (number + 1).saturating_sub(first).min(self.sent.len() as u64);
        self.sent.drain(..past as usize);
    }
}

/// Of how many packets it is known when they were sent: more than a flight of 10 Gbps and 300 ms has. A peer that acknowledges
/// with its data and never reports would else make us remember all that was ever sent.
const MOST: usize = 1 << 18;

/// What a number looks like on the wire.
pub(crate) const fn wire(number: u64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_with_one_and_survive_the_wrap() {
        let mut numbers = Numbers::new();
        assert_eq!((numbers.unwrap(0), numbers.unwrap(1)), (None, None));
        assert_eq!(numbers.assign(Instant::from_millis(5)), 1);
        assert_eq!((numbers.unwrap(1), numbers.unwrap(2), numbers.unwrap(u32::MAX)), (Some(1), None, None));
        numbers.next = (1 << 32) + 3;
        assert_eq!(numbers.unwrap(wire((1 << 32) + 2)), Some((1 << 32) + 2));
        assert_eq!(numbers.unwrap(u32::MAX), Some(u64::from(u32::MAX)));
        assert_eq!(numbers.unwrap(3), None);
    }

    #[test]
    fn a_zero_is_a_number_once_one_has_been_sent_that_ends_in_it() {
        let mut numbers = Numbers::new();
        assert_eq!((numbers.unwrap_or_zero(0), numbers.unwrap_or_zero(1)), (Some(0), None));
        for next in [2, (1 << 31) + 2, 1 << 32] {
            numbers.next = next;
            assert_eq!(numbers.unwrap_or_zero(0), Some(0), "{next}");
        }
        numbers.next = (1 << 32) + 3;
        assert_eq!(numbers.unwrap_or_zero(0), Some(1 << 32));
    }

    #[test]
    fn without_reports_no_more_is_remembered_than_a_flight_needs() {
        let mut numbers = Numbers::new();
        for i in 1..=MOST as u64 + 1 {
            numbers.assign(Instant::from_micros(i));
        }
        assert_eq!((numbers.sent.len(), numbers.sent_at(1)), (MOST, None));
        assert_eq!(numbers.sent_at(2), Some(Instant::from_micros(2)));
    }

    #[test]
    fn times_are_known_until_they_are_forgotten() {
        let mut numbers = Numbers::new();
        for i in 1..=10 {
            numbers.assign(Instant::from_millis(i));
        }
        assert_eq!(numbers.sent_at(3), Some(Instant::from_millis(3)));
        numbers.forget(3);
        numbers.forget(2);
        assert_eq!((numbers.sent_at(3), numbers.sent_at(4)), (None, Some(Instant::from_millis(4))));
        numbers.forget(50);
        assert_eq!((numbers.sent_at(10), numbers.sent_at(11)), (None, None));
        assert_eq!((numbers.assign(Instant::from_millis(20)), numbers.next()), (11, 12));
        assert_eq!(numbers.sent_at(11), Some(Instant::from_millis(20)));
    }
}

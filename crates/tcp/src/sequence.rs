//! Places in the sequence space of one direction of a connection, unwrapped.
//!
//! On the wire a sequence number has 32 bits and wraps. Inside the endpoint every place is a [`Position`]: the
//! distance from the initial sequence number as 64 bits, so that order is plain order and only the edge
//! between packet and endpoint knows about the wrap.

use std::ops::{Add, AddAssign, Sub};

use ackless_wire::{Bytes, SeqNumber};

/// A place in the sequence space of one direction: 0 is the SYN, 1 the first byte, and the FIN follows the last byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position(pub u64);

/// A stretch of sequence space, from `start` to just before `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The first place inside.
    pub start: Position,
    /// The first place past the end; never before `start`.
    pub end: Position,
}

impl Position {
    /// The SYN.
    pub const SYN: Self = Self(0);
    /// The first byte of the stream.
    pub const FIRST_BYTE: Self = Self(1);

    /// The sequence number of this place in a direction that began with `initial`.
    pub const fn seq(self, initial: SeqNumber) -> SeqNumber {
        SeqNumber(initial.0.wrapping_add(self.0 as u32))
    }

    /// The place that `seq` names in a direction that began with `initial`: the one within 2^31 of `near`.
    /// Nothing if that lies before the SYN.
    pub fn nearest(seq: SeqNumber, initial: SeqNumber, near: Self) -> Option<Self> {
        near.0.checked_add_signed(i64::from(seq.distance_from(near.seq(initial)))).map(Self)
    }

    /// The distance from `earlier` to `self`, zero if `earlier` is in fact later.
    pub const fn since(self, earlier: Self) -> Bytes {
        Bytes(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// The span of `len` places from `start` on.
    pub const fn new(start: Position, len: Bytes) -> Self {
        Self { start, end: Position(start.0 + len.0) }
    }

    /// How many places are inside.
    pub const fn len(self) -> Bytes {
        self.end.since(self.start)
    }

    /// Whether no place is inside.
    pub const fn is_empty(self) -> bool {
        self.end.0 <= self.start.0
    }
}

impl Add<Bytes> for Position {
    type Output = Self;
    fn add(self, n: Bytes) -> Self {
        Self(self.0 + n.0)
    }
}

impl AddAssign<Bytes> for Position {
    fn add_assign(&mut self, n: Bytes) {
        self.0 += n.0;
    }
}

impl Sub for Position {
    type Output = Bytes;
    /// Panics where `earlier` is in fact later; see [`Position::since`].
    fn sub(self, earlier: Self) -> Bytes {
        Bytes(self.0) - Bytes(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_survives_many_wraps() {
        let initial = SeqNumber(u32::MAX - 5);
        for base in [0u64, 4, 1 << 31, 1 << 32, (1 << 40) + 17] {
            let near = Position(base);
            for ahead in [0u64, 1, 100_000, (1 << 31) - 1] {
                let place = near + Bytes(ahead);
                assert_eq!(Position::nearest(place.seq(initial), initial, near), Some(place));
            }
        }
    }

    #[test]
    fn nothing_lies_before_the_syn() {
        let initial = SeqNumber(7);
        assert_eq!(Position::nearest(SeqNumber(6), initial, Position::SYN), None);
        assert_eq!(Position::nearest(SeqNumber(7), initial, Position(3)), Some(Position::SYN));
    }
}

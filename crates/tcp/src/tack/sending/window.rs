//! Which segment's window counts, where sequence numbers do not tell their order.
//!
//! RFC 9293 (3.10.7.4) takes a window from a segment with a higher sequence number than the last (SND.WL1), or the same and
//! no lower acknowledgement (SND.WL2). TACKs and IACKs all have old sequence numbers. But every segment of a TACK
//! connection says when it left, by one clock of a microsecond: a plain one in TSval, a typed one in TSecr. So a window is
//! taken from a segment that acknowledges more than the last one, or as much and did not leave before it.

use ackless_wire::{Duration, Instant};

use crate::sequence::Position;
use crate::timestamps::UNDER_WAY;

/// Where the window was last taken from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowClock {
    last: Option<Last>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    ack: Position,
    clock: u32,
    at: Instant,
}

impl WindowClock {
    pub(crate) const fn new() -> Self {
        Self { last: None }
    }

    /// Whether to take the window of a segment that acknowledges `ack` and left when the peer's clock showed `clock`.
    pub(crate) fn takes(&mut self, now: Instant, ack: Position, clock: u32) -> bool {
        let takes = self.last.is_none_or(|last| {
            ack > last.ack
                || (ack == last.ack
                    && (clock.wrapping_sub(last.clock) as i32 >= 0
                        || now.saturating_since(last.at) >= OUTDATED
                        || is_of_another_time(last.clock.wrapping_sub(clock))))
        });
        if takes {
            self.last = Some(Last { ack, clock, at: now });
        }
        takes
    }
}

/// Whether a clock that shows so many microseconds less has gone half round meanwhile, or stood still: no segment is under way for that long, though its sender may have leapt since.
fn is_of_another_time(older: u32) -> bool {
    Duration::from_micros(older.into()) > UNDER_WAY * 2
}

/// After this long the clock's order says nothing: it goes half round in 2^31 us, almost 36 minutes.
const OUTDATED: Duration = Duration::from_secs(30 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_data_or_a_later_departure_makes_a_window_newer() {
        let mut window = WindowClock::new();
        let now = Instant::from_secs(1);
        let cases = [
            (100, u32::MAX - 1, true, "the first"),
            (100, u32::MAX - 2, false, "left earlier"),
            (100, 3, true, "left later, past the wrap"),
            (100, 3, true, "at the same time"),
            (99, 7, false, "acknowledges less"),
            (101, 1, true, "acknowledges more"),
        ];
        for (ack, clock, takes, why) in cases {
            assert_eq!(window.takes(now, Position(ack), clock), takes, "{why}");
        }
        assert!(!window.takes(Instant::from_secs(1_000), Position(101), 0));
        assert!(window.takes(Instant::from_secs(1_801), Position(101), 0), "so late that the clock tells nothing");
        let older = |micros: u32| 0_u32.wrapping_sub(micros);
        assert!(!window.takes(Instant::from_secs(1_802), Position(101), older(480_000_000)));
        assert!(window.takes(Instant::from_secs(1_802), Position(101), older(480_000_001)), "of another time");
    }
}

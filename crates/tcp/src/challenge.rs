//! How often suspicious segments are answered (RFC 5961, 7).

use ackless_wire::{Duration, Instant};

/// Permits a few challenge ACKs in each window of time, so that two confused ends do not answer each other for ever. A window begins with the
/// first of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChallengeLimit {
    since: Instant,
    sent: u32,
}

impl ChallengeLimit {
    pub(crate) const fn new() -> Self {
        Self { since: Instant::ZERO, sent: 0 }
    }

    /// Whether one more may be sent now; counts it.
    pub(crate) fn permit(&mut self, now: Instant) -> bool {
        if self.sent == 0 || now.saturating_since(self.since) >= WINDOW {
            *self = Self { since: now, sent: 0 };
        }
        self.sent += 1;
        self.sent <= LIMIT
    }
}

/// RFC 5961, 7: such as 10 challenge ACKs in 5 seconds.
const WINDOW: Duration = Duration::from_secs(5);
const LIMIT: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_in_five_seconds_are_permitted() {
        let mut limit = ChallengeLimit::new();
        let permitted =
            |limit: &mut ChallengeLimit, millis| (0..50).filter(|_| limit.permit(Instant::from_millis(millis))).count();
        // The first window begins with the first, also soon after the beginning of time.
        assert_eq!(permitted(&mut limit, 4_000), 10);
        assert_eq!(permitted(&mut limit, 8_999), 0);
        assert_eq!(permitted(&mut limit, 9_000), 10);
        assert_eq!(permitted(&mut limit, 13_999), 0);
    }
}

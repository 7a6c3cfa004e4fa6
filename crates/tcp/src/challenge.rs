//! How often suspicious segments are answered (RFC 5961, 7).

use ackless_wire::{Duration, Instant};

/// Permits a few challenge ACKs in each window of time, so that two confused ends do not answer each other for ever.
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
        if now.saturating_since(self.since) >= WINDOW {
            *self = Self { since: now, sent: 0 };
        }
        self.sent += 1;
        self.sent <= LIMIT
    }
}

/// RFC 5961, 7: by default no more than 10 challenge ACKs in any 5 seconds.
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
        assert_eq!(permitted(&mut limit, 6_000), 10);
        assert_eq!(permitted(&mut limit, 10_999), 0);
        assert_eq!(permitted(&mut limit, 11_000), 10);
    }
}

//! How often suspicious segments are answered (RFC 5961, 7).

use ackless_wire::{Duration, Instant};

/// How many suspicious segments are answered by a challenge ACK, in what time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChallengeAcks {
    /// The most in each window. Default: 10, which RFC 5961 (7) gives as an example.
    pub most: u32,
    /// How long a window lasts, which begins with its first challenge. Default: 5 s, from the same place.
    pub window: Duration,
}

impl Default for ChallengeAcks {
    fn default() -> Self {
        Self { most: 10, window: Duration::from_secs(5) }
    }
}

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

    /// Whether `limit` lets one more be sent now; counts it.
    pub(crate) fn permit(&mut self, now: Instant, limit: &ChallengeAcks) -> bool {
        if self.sent == 0 || now.saturating_since(self.since) >= limit.window {
            *self = Self { since: now, sent: 0 };
        }
        self.sent = self.sent.saturating_add(1);
        self.sent <= limit.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_in_five_seconds_are_permitted() {
        let mut limit = ChallengeLimit::new();
        let rule = ChallengeAcks::default();
        let permitted = |limit: &mut ChallengeLimit, millis| {
            (0..50).filter(|_| limit.permit(Instant::from_millis(millis), &rule)).count()
        };
        // The first window begins with the first, also soon after the beginning of time.
        assert_eq!(permitted(&mut limit, 4_000), 10);
        assert_eq!(permitted(&mut limit, 8_999), 0);
        assert_eq!(permitted(&mut limit, 9_000), 10);
        assert_eq!(permitted(&mut limit, 13_999), 0);
    }
}

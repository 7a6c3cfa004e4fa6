//! How losses bound what is in flight: long-term bounds, the time between probes, and the figures (2.8 and 5.3.3).

use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Duration};

/// How the long-term bound grows while a flow probes: in each round by twice as many segments (5.3.3.9).
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    /// BBR.bw_probe_up_rounds.
    pub(super) rounds: u32,
    /// BBR.bw_probe_up_acked.
    pub(super) acked: Bytes,
    /// BBR.probe_up_acked_per_inc, of UP.
    acked_per_segment: Bytes,
}

impl Slope {
    pub(super) const fn new() -> Self {
        Self { rounds: 0, acked: Bytes::ZERO, acked_per_segment: Bytes(u64::MAX) }
    }

    /// RaiseInflightLongtermSlope, once for each round with this `window`.
    pub(super) fn raise(&mut self, window: Bytes, smss: Bytes) {
        let growth = 1_u64 << self.rounds;
        self.rounds = (self.rounds + 1).min(MOST_UP_ROUNDS);
        self.acked_per_segment = Bytes(window.get() / growth).max(smss);
    }

    /// ProbeInflightLongtermUpward: by how many segments the bound grows for what has been delivered.
    pub(super) fn segments_for(&mut self, delivered: Bytes) -> u64 {
        self.acked += delivered;
        let segments = self.acked.get() / self.acked_per_segment.get();
        self.acked -= self.acked_per_segment * segments;
        segments
    }
}

/// InflightWithHeadroom (5.3.3.9) below a long-term bound.
pub(super) fn with_headroom(long: Bytes, smss: Bytes) -> Bytes {
    let headroom = Bytes(long.get() * HEADROOM_PERCENT / 100).max(smss);
    long.saturating_sub(headroom).max(smss * MIN_WINDOW)
}

/// PickProbeWait (5.3.3.8.2): two to three seconds.
pub(super) fn longest_wait(random: &mut Stream) -> Duration {
    SHORTEST_WAIT + Duration::from_nanos(random.below(WAIT_RANGE.as_nanos() + 1))
}

/// IsRenoCoexistenceProbeTime (5.3.3.8.3): whether in so many `rounds` a Reno flow with so much in flight would have lost something. Without a division.
pub(super) fn is_past_reno(rounds: u64, inflight: Bytes, smss: Bytes) -> bool {
    rounds >= RENO_ROUNDS || (rounds >= MIN_WINDOW && inflight < smss * (rounds + 1))
}

/// IsInflightTooHigh (5.5.10.2): more than 2 % of `in_flight` lost.
pub(in crate::congestion) const fn is_too_much(lost: Bytes, in_flight: Bytes) -> bool {
    lost.get() * 100 > in_flight.get() * LOSS_PERCENT
}

/// Times BBR.Beta.
pub(super) const fn times_beta(amount: Bytes) -> Bytes {
    Bytes(amount.get() * BETA_PERCENT / 100)
}

/// BBR.LossThresh (2.8).
pub(super) const LOSS_PERCENT: u64 = 2;
/// BBR.Beta (2.8).
pub(super) const BETA_PERCENT: u64 = 70;
/// BBR.MinPipeCwnd (2.8), in segments.
pub(super) const MIN_WINDOW: u64 = 4;
/// BBR.Headroom (2.8).
const HEADROOM_PERCENT: u64 = 15;
/// T_bbr is at least this (5.3.3.8.2),
pub(in crate::congestion) const SHORTEST_WAIT: Duration = Duration::from_secs(2);
/// and up to so much more.
const WAIT_RANGE: Duration = Duration::from_secs(1);
/// The most rounds between probes (5.3.3.8.3).
const RENO_ROUNDS: u64 = 63;
/// 5.3.3.9.
const MOST_UP_ROUNDS: u32 = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_as_many_as_reno_s_where_they_are_no_fewer() {
        let smss = Bytes(1000);
        for rounds in 0..=70 {
            for inflight in (0..80_000).step_by(125).chain([u64::from(u32::MAX)]).map(Bytes) {
                let of_reno = (inflight.get() / smss.get()).clamp(MIN_WINDOW, RENO_ROUNDS);
                let expected = rounds >= of_reno;
                assert_eq!(is_past_reno(rounds, inflight, smss), expected, "{rounds} rounds with {inflight}");
            }
        }
    }
}

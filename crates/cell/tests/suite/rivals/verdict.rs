//! A run beside the same schedule without any scheme: what plain TCP would have carried is carried.
//!
//! Losses are drawn for each PPDU, so that the two runs lose different ones. While the weather lasts, either may be the unlucky one; what a
//! sender has backed off by then it must sit out; and without SACK each further hole costs a timeout. So a flow is late that is done later
//! than the end of the weather and later than without a scheme by more than [`TIMEOUTS`] of the longest retransmission timeout that either
//! run has known, one more for each packet that was lost for good after the weather, and as long again as it took without a scheme,
//! since the wire goes on to change the order of packets for as long as a flow lasts.
//!
//! The bound is not tuned to a scheme: plain TCP is held to it against itself, with other draws of the same losses.

use ackless_wire::{Duration, Instant};

use crate::rivals::trial::Outcome;

/// The flow that was late by most, and for how long it may be: nothing if none was late.
pub fn late(outcome: &Outcome, plain: &Outcome) -> Option<(usize, Duration, Duration)> {
    let timeouts = outcome.timeout.max(plain.timeout) * (TIMEOUTS + outcome.lost_later);
    let late = |(flow, done): (usize, (&Option<Instant>, &Option<Instant>))| {
        let (Some(done), Some(plain)) = done else { return None };
        let delay = done.saturating_since((*plain).max(outcome.until));
        let allowed = timeouts + (*plain - Instant::ZERO);
        (delay > allowed).then_some((flow, delay, allowed))
    };
    outcome.done.iter().zip(&plain.done).enumerate().filter_map(late).max_by_key(|(_, delay, _)| *delay)
}

/// Of 10,000 schedules of plain TCP against itself, the worst needs 0.96. The rest is for what is slow and stalls nothing: an agent that
/// answers each frame 2 ms late makes a transfer of a second last three.
const TIMEOUTS: u64 = 3;

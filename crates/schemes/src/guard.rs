//! How long an ACK that a scheme holds, or has put into an answer, waits for a sign of the peer before it goes natively.
//!
//! What such an ACK waits for is the peer's next PPDU. So the time follows from the gaps between the peer's PPDUs: an AP
//! that serves forty clients comes back to each after 150 ms, and one that serves a single one after 4 ms.
//!
//! It is bounded by the flow's round trip, so that an ACK whose PPDU never comes is still sent before the TCP sender takes
//! anything for lost: its probe waits for two round trips (RFC 8985, 7.2), and its timeout for one and an allowance (RFC
//! 6298, 2.3). No bound is of use that is shorter than the gap itself: each ACK would wait nearly as long as for an answer,
//! and go natively all the same. Data waits at the peer for as long as the gap, so that half as much again is still less
//! than two round trips.
//!
//! The round trip is taken as the end sees it that makes ACKs, from an ACK with a TSval to data that echoes it (RFC
//! 7323, 4.1). At an AP, which sees nothing of the wire behind it, that is the station's part of it.

use ackless_wire::{Duration, Instant};

/// How long an ACK may wait for a sign of the peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Four times the gap between the peer's PPDUs, as long as that is no more than seven eighths of the flow's round trip
    /// or one and a half such gaps, whichever is longer; and at most 1 s, the initial retransmission timeout (RFC 6298, 2.1).
    /// Until sixteen gaps have been seen, as when connections start, it is no less than 100 ms, and without timestamps 100 ms
    /// stand in for what depends on the round trip; one and a half gaps may be more than that, and then a native ACK may come
    /// later than the usual least retransmission timeout of 200 ms.
    Auto,
    /// This time. Greater than zero.
    Fixed(Duration),
}

/// The gaps between a peer's PPDUs, of those after which it was said to go on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gaps {
    /// When the last PPDU came, if another one was to follow.
    since: Option<Instant>,
    /// The longest of late: a shorter one counts for an eighth.
    longest: Option<Duration>,
    /// How many were seen, up to [`SETTLED`].
    seen: u8,
}

/// The round trip of a flow, as the end sees it that makes its ACKs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip {
    /// The TSval of an ACK whose echo is awaited, and when it was made.
    awaited: Option<(u32, Instant)>,
    smoothed: Option<Duration>,
}

impl Guard {
    /// How long an ACK of a flow with this round trip waits.
    pub(crate) fn patience(self, gaps: Gaps, trip: RoundTrip) -> Duration {
        match self {
            Self::Fixed(time) => time,
            Self::Auto => {
                let Some(gap) = gaps.longest else { return UNKNOWN };
                // A gap that is longer than two round trips is no gap, but a peer that has stopped for a time.
                let useful = trip.smoothed.map_or(gap, |trip| gap.min(trip * 2)) * 3 / 2;
                let least = if gaps.seen < SETTLED { UNKNOWN } else { LEAST };
                (gap * 4).min(trip.bound().max(useful)).clamp(least, MOST)
            }
        }
    }
}

impl Gaps {
    /// A PPDU of the peer came; `more` if another one is to follow.
    pub(crate) fn on_ppdu(&mut self, now: Instant, more: bool) {
        if let Some(since) = self.since {
            let gap = now.saturating_since(since);
            self.seen = SETTLED.min(self.seen + 1);
            self.longest = Some(match self.longest {
                // A peer that comes back late does not say by once how long its rounds are.
                Some(longest) if gap > longest => gap.min(longest * 4),
                Some(longest) => (longest * 7 + gap) / 8,
                None => gap,
            });
        }
        self.since = more.then_some(now);
    }
}

impl RoundTrip {
    /// Not known yet.
    pub(crate) const fn new() -> Self {
        Self { awaited: None, smoothed: None }
    }

    /// An ACK with this TSval was made.
    #[inline]
    pub(crate) const fn on_ack(&mut self, value: Option<u32>, now: Instant) {
        if self.awaited.is_none()
            && let Some(value) = value
        {
            self.awaited = Some((value, now));
        }
    }

    /// Data with this echo came.
    #[inline]
    pub(crate) fn on_echo(&mut self, echo: u32, now: Instant) {
        let Some((_, made)) = self.awaited.take_if(|(value, _)| echo.wrapping_sub(*value) as i32 >= 0) else { return };
        let trip = now.saturating_since(made);
        // As the sender smooths it (RFC 6298, 2.3); but where it had nothing to send for a time, that is no part of the trip.
        self.smoothed = Some(self.smoothed.map_or(trip, |smoothed| (smoothed * 7 + trip.min(smoothed * 4)) / 8));
    }

    /// What the round trip allows.
    fn bound(self) -> Duration {
        self.smoothed.map_or(UNKNOWN, |trip| trip * 7 / 8)
    }
}

/// In the place of what is not known.
const UNKNOWN: Duration = Duration::from_millis(100);
/// After so many gaps they are known.
const SETTLED: u8 = 16;
/// Nothing waits for less: a PPDU of 1500 bytes at 11 Mbps takes most of it.
const LEAST: Duration = Duration::from_millis(2);
/// Nothing waits for longer.
const MOST: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// A peer whose PPDUs came so far apart, the first sixteen all as far as the first, each with the promise of the next.
    fn gaps(apart: &[u64]) -> Gaps {
        let (mut gaps, mut now) = (Gaps::default(), Instant::from_millis(1));
        gaps.on_ppdu(now, true);
        let settled = apart.iter().take(1).cycle().take(usize::from(SETTLED));
        for &gap in settled.chain(apart) {
            now += ms(gap);
            gaps.on_ppdu(now, true);
        }
        gaps
    }

    /// A flow whose echoes came so long after their ACKs.
    fn trip(samples: &[u64]) -> RoundTrip {
        let (mut trip, mut now) = (RoundTrip::new(), Instant::from_millis(1));
        for (value, &sample) in (u32::MAX - 1..=u32::MAX).chain(0..).zip(samples) {
            trip.on_ack(Some(value), now);
            trip.on_ack(Some(value.wrapping_add(1)), now + ms(1));
            trip.on_echo(value.wrapping_sub(1), now + ms(2));
            now += ms(sample);
            trip.on_echo(value, now);
        }
        trip
    }

    #[test]
    fn a_given_time_stays_as_it_is() {
        for (gaps, trip) in [(Gaps::default(), RoundTrip::new()), (gaps(&[1000; 9]), trip(&[3; 9]))] {
            assert_eq!(Guard::Fixed(ms(37)).patience(gaps, trip), ms(37));
        }
    }

    #[test]
    fn by_itself_it_is_between_one_and_a_half_gaps_and_four_and_within_the_round_trip() {
        let auto = |gaps, trip| Guard::Auto.patience(gaps, trip);
        assert_eq!(auto(Gaps::default(), RoundTrip::new()), ms(100));
        assert_eq!(auto(gaps(&[10, 10]), RoundTrip::new()), ms(40));
        assert_eq!(auto(gaps(&[10, 10]), trip(&[400, 400])), ms(40), "four gaps");
        assert_eq!(auto(gaps(&[10, 10]), trip(&[32, 32])), ms(28), "seven eighths of the round trip");
        assert_eq!(auto(gaps(&[30, 30]), trip(&[32, 32])), ms(45), "one and a half gaps");
        assert_eq!(auto(gaps(&[150, 150]), RoundTrip::new()), ms(225), "the same without timestamps");
        assert_eq!(auto(gaps(&[3000, 3000]), RoundTrip::new()), ms(1000), "at most");
        assert_eq!(auto(gaps(&[0, 0]), trip(&[0, 0])), ms(2), "at least");
    }

    #[test]
    fn a_peer_that_stops_and_a_sender_that_pauses_do_not_stretch_it_beyond_their_part() {
        // Half a minute counts for four gaps, or for four round trips.
        assert_eq!(Guard::Auto.patience(gaps(&[10, 10, 30_000]), trip(&[400])), ms(160));
        assert_eq!(Guard::Auto.patience(gaps(&[100; 3]), trip(&[160, 30_000])), ms(220) * 7 / 8);
        // Where the promises are broken again and again, the round trip bounds it.
        assert_eq!(Guard::Auto.patience(gaps(&[500; 9]), trip(&[20; 9])), ms(60));
    }

    #[test]
    fn it_follows_rounds_and_round_trips_that_grow_and_shrink() {
        let (long, short) = ([150; 40], [10; 40]);
        let there = [&short[..], &long[..]].concat();
        let back = [&long[..], &short[..]].concat();
        assert_eq!(Guard::Auto.patience(gaps(&there), trip(&[450; 40])), ms(450) * 7 / 8);
        let again = Guard::Auto.patience(gaps(&back), trip(&[450; 40]));
        assert!(again < ms(45), "{again}");
        let grown = Guard::Auto.patience(gaps(&long), trip(&[[20; 40], [450; 40]].concat()));
        assert!(grown > ms(380) && grown < ms(450) * 7 / 8, "{grown}");
    }

    #[test]
    fn it_is_no_less_than_100_ms_before_it_has_seen_enough() {
        let (mut few, mut now) = (Gaps::default(), Instant::from_millis(1));
        for seen in 0..40 {
            few.on_ppdu(now, true);
            now += ms(3);
            let patience = Guard::Auto.patience(few, trip(&[10]));
            assert_eq!(patience, if seen < 16 { ms(100) } else { ms(10) * 7 / 8 }, "after {seen} gaps");
        }
        few = Gaps::default();
        (0..4).for_each(|n| few.on_ppdu(Instant::from_millis(1000 + 150 * n), true));
        assert_eq!(Guard::Auto.patience(few, trip(&[400])), ms(350), "but it may be more");
    }

    #[test]
    fn a_gap_counts_only_if_a_ppdu_was_to_follow() {
        let mut gaps = Gaps::default();
        for n in 1..20 {
            gaps.on_ppdu(Instant::from_millis(100 * n), false);
        }
        assert_eq!(Guard::Auto.patience(gaps, trip(&[4000])), ms(100), "none is known");
    }
}

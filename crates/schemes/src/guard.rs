//! How long an ACK that a scheme holds, or has put into an answer, waits for a sign of the peer before it goes natively.
//!
//! What such an ACK waits for is the peer's next PPDU. So the time follows from the gaps between the peer's PPDUs: an AP
//! that serves forty clients comes back to each after 150 ms, and one that serves a single one after 4 ms.
//!
//! It is bounded so that an ACK whose PPDU never comes is still sent before the TCP sender takes anything for lost. Its probe
//! waits for two round trips (RFC 8985, 7.2), its timeout for one and an allowance, of which Linux makes at least 200 ms (RFC
//! 6298, 2.3 and 2.4: all of it at least 1 s). What has waited for seven eighths of a round trip is in time for the probe. No
//! bound is of use that is shorter than the gap itself: each ACK would wait nearly as long as for an answer, and go natively all
//! the same. In the round trip there is such a wait already, so that one for half as long again is less than two round trips,
//! and one that is longer by less than the allowance is less than the timeout. Where no round trip is known, nothing is known
//! of what is in it, and what waits does so for less than the allowance.
//!
//! The round trip is taken as the end sees it that makes ACKs, from an ACK with a TSval to data that echoes it (RFC
//! 7323, 4.1). At an AP, which sees nothing of the wire behind it, that is the station's part of it. A sender that had nothing to
//! send for a time echoes late: a sample counts only if data came all the while, with no more silence than the gaps make.

use ackless_dot11::hooks::Backlog;
use ackless_wire::{Duration, Instant};

use crate::timestamps::is_newer;

/// How long an ACK may wait for a sign of the peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Four times the gap between the peer's PPDUs, as long as that is no more than seven eighths of the flow's round trip
    /// or one and a half such gaps, whichever is longer; of the latter, at most 175 ms beyond the gap, which itself counts for no
    /// more than the round trip; and at most 1 s, the initial retransmission timeout (RFC 6298, 2.1).
    /// Where no round trip is known, as without timestamps, the bound is one and a half gaps, but from 100 to 175 ms. Until
    /// sixteen gaps have been seen, as when connections start, it is no less than 100 ms.
    Auto,
    /// This time. Greater than zero.
    Fixed(Duration),
}

/// The gaps between a peer's PPDUs, of those after which it was said to go on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gaps {
    /// When the last PPDU came, if another one was to follow.
    last_ppdu: Option<Instant>,
    /// The longest of late: a shorter one counts for an eighth.
    recent_max: Option<Duration>,
    /// How many were seen, up to [`SETTLED`].
    seen: u8,
}

/// The round trip of a flow, as the end sees it that makes its ACKs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rtt {
    awaited: Option<Awaited>,
    srtt: Option<Duration>,
}

/// An ACK whose echo is awaited.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    /// Its TSval.
    ts_val: u32,
    made: Instant,
    /// When data came last since then.
    heard: Instant,
    /// For how long none came at most.
    silence: Duration,
}

/// Whether so much remains in the queue for a peer that the next PPDU is promised: at least one packet, and `percent` of those that the PPDU carries.
pub(crate) const fn announces(queued: Backlog, carried: u64, percent: u32) -> bool {
    queued.packets > 0 && queued.packets as u64 * 100 >= carried * (percent as u64)
}

impl Guard {
    /// How long an ACK of a flow with this round trip waits.
    pub(crate) fn patience(self, gaps: Gaps, rtt: Rtt) -> Duration {
        match self {
            Self::Fixed(time) => time,
            Self::Auto => {
                let Some(gap) = gaps.recent_max else { return DEFAULT_WAIT };
                let bound = match rtt.srtt {
                    Some(rtt) => {
                        // A gap that is longer than the round trip is no gap, but a peer that has stopped for a time.
                        let gap = gap.min(rtt);
                        (gap * 3 / 2).min(gap + RTO_ALLOWANCE).max(rtt * 7 / 8)
                    }
                    None => (gap * 3 / 2).clamp(DEFAULT_WAIT, RTO_ALLOWANCE),
                };
                let least = if gaps.seen < SETTLED { DEFAULT_WAIT } else { MIN_WAIT };
                (gap * 4).min(bound).clamp(least, MAX_WAIT)
            }
        }
    }
}

impl Gaps {
    /// A PPDU of the peer came; `more` if another one is to follow.
    pub(crate) fn on_ppdu(&mut self, now: Instant, more: bool) {
        if let Some(last_ppdu) = self.last_ppdu {
            let gap = now.saturating_since(last_ppdu);
            self.seen = SETTLED.min(self.seen + 1);
            self.recent_max = Some(match self.recent_max {
                // A peer that comes back late does not say by once how long its rounds are.
                Some(recent_max) if gap > recent_max => gap.min(recent_max * 4),
                Some(recent_max) => (recent_max * 7 + gap) / 8,
                None => gap,
            });
        }
        self.last_ppdu = more.then_some(now);
    }

    /// Whether so long a silence is the peer's, and not of whoever sends through it.
    fn could_explain(self, silence: Duration) -> bool {
        self.recent_max.is_some_and(|gap| silence <= gap * 3 / 2)
    }
}

impl Rtt {
    /// Not known yet.
    pub(crate) const fn new() -> Self {
        Self { awaited: None, srtt: None }
    }

    /// An ACK with this TSval was made.
    #[inline]
    pub(crate) const fn on_ack(&mut self, ts_val: Option<u32>, now: Instant) {
        if self.awaited.is_none()
            && let Some(ts_val) = ts_val
        {
            self.awaited = Some(Awaited { ts_val, made: now, heard: now, silence: Duration::ZERO });
        }
    }

    /// Data with this echo came, from a peer with these gaps.
    #[inline]
    pub(crate) fn on_echo(&mut self, echo: u32, now: Instant, gaps: Gaps) {
        let Some(awaited) = &mut self.awaited else { return };
        awaited.silence = awaited.silence.max(now.saturating_since(awaited.heard));
        awaited.heard = now;
        if !is_newer(awaited.ts_val, echo) {
            let (rtt, silence) = (now.saturating_since(awaited.made), awaited.silence);
            self.awaited = None;
            if gaps.could_explain(silence) {
                // As the sender smooths it (RFC 6298, 2.3), but that no single one counts for more than four.
                self.srtt = Some(self.srtt.map_or(rtt, |srtt| (srtt * 7 + rtt.min(srtt * 4)) / 8));
            }
        }
    }
}

/// In the place of what is not known.
const DEFAULT_WAIT: Duration = Duration::from_millis(100);
/// After so many gaps they are known.
const SETTLED: u8 = 16;
/// Nothing waits for less: a PPDU of 1500 bytes at 11 Mbps takes most of it.
const MIN_WAIT: Duration = Duration::from_millis(2);
/// Less than what a sender's timeout allows beyond the round trip: seven eighths of Linux's least.
const RTO_ALLOWANCE: Duration = Duration::from_millis(175);
/// Nothing waits for longer.
const MAX_WAIT: Duration = Duration::from_secs(1);

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

    /// A flow whose echoes came so long after their ACKs, with a peer that has come all the while.
    fn rtt(samples: &[u64]) -> Rtt {
        let (mut rtt, mut now) = (Rtt::new(), Instant::from_millis(1));
        for (ts_val, &sample) in (u32::MAX - 1..=u32::MAX).chain(0..).zip(samples) {
            rtt.on_ack(Some(ts_val), now);
            rtt.on_ack(Some(ts_val.wrapping_add(1)), now);
            for _ in 1..sample {
                now += ms(1);
                rtt.on_echo(ts_val.wrapping_sub(1), now, gaps(&[1]));
            }
            now += ms(sample.min(1));
            rtt.on_echo(ts_val, now, gaps(&[1]));
        }
        rtt
    }

    #[test]
    fn a_given_time_stays_as_it_is() {
        for (gaps, rtt) in [(Gaps::default(), Rtt::new()), (gaps(&[1000; 9]), rtt(&[3; 9]))] {
            assert_eq!(Guard::Fixed(ms(37)).patience(gaps, rtt), ms(37));
        }
    }

    #[test]
    fn by_itself_it_is_between_one_and_a_half_gaps_and_four_and_within_the_round_trip() {
        let auto = |gaps, rtt| Guard::Auto.patience(gaps, rtt);
        assert_eq!(auto(Gaps::default(), Rtt::new()), ms(100));
        assert_eq!(auto(gaps(&[10, 10]), Rtt::new()), ms(40));
        assert_eq!(auto(gaps(&[10, 10]), rtt(&[400, 400])), ms(40), "four gaps");
        assert_eq!(auto(gaps(&[10, 10]), rtt(&[32, 32])), ms(28), "seven eighths of the round trip");
        assert_eq!(auto(gaps(&[30, 30]), rtt(&[32, 32])), ms(45), "one and a half gaps");
        assert_eq!(auto(gaps(&[110, 110]), Rtt::new()), ms(165), "the same without timestamps");
        assert_eq!(auto(gaps(&[150, 150]), Rtt::new()), ms(175), "where there is a bound");
        assert_eq!(
            auto(gaps(&[400, 400]), rtt(&[410, 410])),
            ms(575),
            "the gap, and less than what the timeout allows"
        );
        assert_eq!(auto(gaps(&[3000, 3000]), rtt(&[3000, 3000])), ms(1000), "at most");
        assert_eq!(auto(gaps(&[0, 0]), rtt(&[0, 0])), ms(2), "at least");
    }

    #[test]
    fn a_peer_that_stops_and_a_sender_that_pauses_do_not_stretch_it_beyond_their_part() {
        // Half a minute counts for four gaps, or for four round trips.
        assert_eq!(Guard::Auto.patience(gaps(&[10, 10, 30_000]), rtt(&[400])), ms(160));
        assert_eq!(Guard::Auto.patience(gaps(&[100; 3]), rtt(&[160, 30_000])), ms(220) * 7 / 8);
        // Where the promises are broken again and again, the round trip bounds it.
        assert_eq!(Guard::Auto.patience(gaps(&[500; 9]), rtt(&[20; 9])), ms(30));
    }

    #[test]
    fn what_an_application_takes_to_think_is_no_round_trip() {
        // A question and an answer: the ACK of the one is echoed by the next, half a second later.
        let mut chatty = Rtt::new();
        let mut now = Instant::from_millis(1);
        for ts_val in 0..20 {
            chatty.on_ack(Some(ts_val), now);
            now += ms(500);
            chatty.on_echo(ts_val, now, gaps(&[30]));
        }
        assert_eq!(Guard::Auto.patience(gaps(&[30; 3]), chatty), ms(100), "no round trip is known");
        // Bursts with a round trip of 20 ms, of which half has come when the last ACK before the pause is made.
        let mut bursts = Rtt::new();
        let mut ts_val = 0;
        for _ in 0..20 {
            now += ms(500);
            for _ in 0..4 {
                bursts.on_echo(ts_val, now, gaps(&[10]));
                ts_val += 1;
                bursts.on_ack(Some(ts_val), now);
                now += ms(10);
                bursts.on_echo(ts_val - 1, now, gaps(&[10]));
                now += ms(10);
            }
        }
        assert_eq!(Guard::Auto.patience(gaps(&[10; 3]), bursts), ms(20) * 7 / 8);
    }

    #[test]
    fn without_a_round_trip_it_stays_within_the_least_retransmission_timeout() {
        for gap in [1, 20, 50, 110, 150, 200, 1000, 30_000] {
            let patience = Guard::Auto.patience(gaps(&[gap; 3]), Rtt::new());
            assert!(patience < ms(200), "{gap} ms: {patience}");
        }
    }

    #[test]
    fn it_follows_rounds_and_round_trips_that_grow_and_shrink() {
        let (long, short) = ([150; 40], [10; 40]);
        let there = [&short[..], &long[..]].concat();
        let back = [&long[..], &short[..]].concat();
        assert_eq!(Guard::Auto.patience(gaps(&there), rtt(&[450; 40])), ms(450) * 7 / 8);
        let again = Guard::Auto.patience(gaps(&back), rtt(&[450; 40]));
        assert!(again < ms(45), "{again}");
        let grown = Guard::Auto.patience(gaps(&long), rtt(&[[20; 40], [450; 40]].concat()));
        assert!(grown > ms(380) && grown < ms(450) * 7 / 8, "{grown}");
    }

    #[test]
    fn it_is_no_less_than_100_ms_before_it_has_seen_enough() {
        let (mut few, mut now) = (Gaps::default(), Instant::from_millis(1));
        for seen in 0..40 {
            few.on_ppdu(now, true);
            now += ms(3);
            let patience = Guard::Auto.patience(few, rtt(&[10]));
            assert_eq!(patience, if seen < 16 { ms(100) } else { ms(10) * 7 / 8 }, "after {seen} gaps");
        }
        few = Gaps::default();
        (0..4).for_each(|n| few.on_ppdu(Instant::from_millis(1000 + 150 * n), true));
        assert_eq!(Guard::Auto.patience(few, rtt(&[400])), ms(350), "but it may be more");
    }

    #[test]
    fn a_gap_counts_only_if_a_ppdu_was_to_follow() {
        let mut gaps = Gaps::default();
        for n in 1..20 {
            gaps.on_ppdu(Instant::from_millis(100 * n), false);
        }
        assert_eq!(Guard::Auto.patience(gaps, rtt(&[4000])), ms(100), "none is known");
    }
}

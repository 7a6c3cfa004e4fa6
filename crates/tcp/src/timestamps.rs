//! Timestamps and PAWS (RFC 7323, 3 to 5).

use ackless_wire::{Duration, Instant, SeqNumber};

use crate::sequence::Position;

/// The timestamps of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Timestamps {
    tick: Duration,
    /// Added to the clock, so that connections do not share values (RFC 7323, 5.4): here the initial sequence number.
    offset: u32,
    /// The current tick's value and when the next one begins: saves a division for each segment.
    value: u32,
    next_tick: Instant,
    /// After so long nothing that the peer sends is old.
    outdated: Duration,
    /// Nor is what is older by more ticks than this.
    oldest: u32,
    /// TS.Recent, and when it was set.
    recent: Option<(u32, Instant)>,
    /// The clock when the retransmission timer last fired.
    timeout: u32,
}

impl Timestamps {
    pub(crate) fn new(tick: Duration, iss: SeqNumber) -> Self {
        let tick = tick.max(Duration::from_nanos(1));
        let (next_tick, outdated, oldest) = (Instant::ZERO + tick, outdated(tick), oldest(tick));
        Self { tick, offset: iss.0, value: iss.0, next_tick, outdated, oldest, recent: None, timeout: iss.0 }
    }

    /// The clock goes on at another speed, from the value that it shows now. What was stamped before gives no round trips after a
    /// timeout any more. The peer's clock may stay at the faster of the two speeds.
    pub(crate) fn change_tick(&mut self, now: Instant, tick: Duration) {
        let value = self.value(now);
        self.tick = tick.max(Duration::from_nanos(1));
        self.outdated = self.outdated.min(outdated(self.tick));
        self.oldest = self.oldest.min(oldest(self.tick));
        self.timeout = value;
        let ticks = now.saturating_since(Instant::ZERO).div_floor(self.tick);
        self.offset = value.wrapping_sub(ticks as u32);
        self.next_tick = Instant::ZERO.saturating_add(self.tick.saturating_mul(ticks + 1));
    }

    /// The clock leaps by what it shows while a segment is under way, so that it is ahead of whatever a peer has seen of it whose own has stood still meanwhile. So may the peer's: what it
    /// stamped before is as much older.
    pub(crate) fn leap(&mut self, now: Instant) {
        let value = self.value(now);
        let ticks = self.oldest;
        self.offset = self.offset.wrapping_add(ticks);
        self.value = value.wrapping_add(ticks);
        self.timeout = self.value;
        self.oldest = ticks.saturating_mul(2).min(1 << 31);
    }

    /// TSval of a segment sent now.
    pub(crate) fn value(&mut self, now: Instant) -> u32 {
        if now >= self.next_tick {
            let ticks = now.saturating_since(Instant::ZERO).div_floor(self.tick);
            self.value = self.offset.wrapping_add(ticks as u32);
            self.next_tick = Instant::ZERO.saturating_add(self.tick.saturating_mul(ticks + 1));
        }
        self.value
    }

    /// TSecr of a segment sent now.
    pub(crate) fn echo(&self) -> u32 {
        self.recent.map_or(0, |(value, _)| value)
    }

    pub(crate) const fn tick(&self) -> Duration {
        self.tick
    }

    /// PAWS (RFC 7323, 5.3, R1): whether `value` is older than what has been seen. After so long that the peer's clock,
    /// if it ticks like ours, or as ours once did, may have gone half round, nothing is old: 24 days at the RFC's tick of a millisecond (5.5),
    /// 34 minutes at a microsecond.
    ///
    /// Deviation from the RFC, whose clocks tick once in a millisecond or slower (5.4): of a faster clock only what lies within the time that a segment may be under way is old. Beyond that it is not the
    /// segment that is old: the clock has gone half round while this host slept, or is faster than ours.
    pub(crate) fn is_old(&self, value: u32, now: Instant) -> bool {
        self.recent.is_some_and(|(recent, at)| {
            (1..=self.oldest).contains(&recent.wrapping_sub(value)) && now.saturating_since(at) < self.outdated
        })
    }

    /// An acceptable segment came that begins at `start` (RFC 7323, 4.3): its timestamp is the one to echo if it
    /// covers the first byte that has not been acknowledged, so that the delay of the acknowledgement is inside the
    /// sample.
    pub(crate) fn on_segment(&mut self, value: u32, start: Position, last_ack_sent: Position, now: Instant) {
        if start <= last_ack_sent && !self.is_old(value, now) {
            self.recent = Some((value, now));
        }
    }

    /// The retransmission timer fired.
    pub(crate) fn on_timeout(&mut self, now: Instant) {
        self.timeout = self.value(now);
    }

    /// Whether `echo` was sent after the last timeout.
    pub(crate) const fn is_since_timeout(&self, echo: u32) -> bool {
        echo.wrapping_sub(self.timeout) as i32 >= 0
    }

    /// The latest time at which a segment can have been sent that had this timestamp of ours; nothing if it is from the
    /// future.
    pub(crate) fn sent_by(&mut self, echo: u32, now: Instant) -> Option<Instant> {
        let age = self.round_trip(echo, now)?;
        let nanos = self.next_tick.as_nanos().saturating_sub(age.as_nanos()).saturating_sub(1);
        Some(Instant::from_nanos(nanos))
    }

    /// The round trip that an echoed value of ours took, to one tick; nothing if the echo is from the future.
    pub(crate) fn round_trip(&mut self, echo: u32, now: Instant) -> Option<Duration> {
        let ticks = self.value(now).wrapping_sub(echo);
        // An echo of zero comes from a peer that has seen no timestamp of ours.
        (echo != 0 && ticks < 1 << 31).then(|| self.tick.saturating_mul(u64::from(ticks)))
    }
}

/// How long a clock with this tick takes to go half round, less the part of that by which it may be faster than ours: of 24.8 days the RFC (7323, 5.5) takes 24.
fn outdated(tick: Duration) -> Duration {
    tick.saturating_mul((1 << 31) - (1 << 26)).min(OUTDATED)
}

/// How many ticks of such a clock something old may be older: half of all, or, of a faster one, what passes while a segment is under way. By the microsecond at least, at which a peer may tick that
/// does TACK.
fn oldest(tick: Duration) -> u32 {
    let fast = UNDER_WAY.div_floor(tick.min(Duration::from_micros(1))).min(1 << 31) as u32;
    if tick >= Duration::from_millis(1) { 1 << 31 } else { fast }
}

/// For how long a segment may be under way: twice what TCP reckons with, the MSL of two minutes (RFC 9293, 3.4.2).
pub(crate) const UNDER_WAY: Duration = Duration::from_secs(240);

/// RFC 7323, 5.5: 24 days.
const OUTDATED: Duration = Duration::from_secs(24 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps() -> Timestamps {
        Timestamps::new(Duration::from_millis(1), SeqNumber(u32::MAX - 10))
    }

    #[test]
    fn the_clock_ticks_from_the_initial_sequence_number_and_wraps() {
        let mut stamps = stamps();
        assert_eq!(stamps.value(Instant::from_micros(999)), u32::MAX - 10);
        assert_eq!(stamps.value(Instant::from_millis(1)), u32::MAX - 9);
        assert_eq!(stamps.value(Instant::from_millis(20)), 9);
        assert_eq!(stamps.round_trip(u32::MAX, Instant::from_millis(20)), Some(Duration::from_millis(10)));
        assert_eq!(stamps.round_trip(10, Instant::from_millis(20)), None);
    }

    #[test]
    fn of_a_clock_of_microseconds_old_is_what_a_segment_s_time_allows() {
        let mut stamps = Timestamps::new(Duration::from_micros(1), SeqNumber(100));
        let recent = 1_000_000_000_u32;
        stamps.on_segment(recent, Position(1), Position(1), Instant::from_secs(1));
        for (older, is_old) in [(0, false), (1, true), (240_000_000, true), (240_000_001, false), (1 << 31, false)] {
            assert_eq!(stamps.is_old(recent.wrapping_sub(older), Instant::from_secs(2)), is_old, "{older}");
        }
        // A thirty-second part less than half a round: the peer's clock may be that much faster.
        let silence = Duration::from_micros((1 << 31) - (1 << 26));
        assert!(stamps.is_old(recent - 1, Instant::from_secs(1) + silence - Duration::from_nanos(1)));
        assert!(!stamps.is_old(recent - 1, Instant::from_secs(1) + silence));
        // A leap is ahead of all that was old.
        let before = stamps.value(Instant::from_secs(3));
        stamps.leap(Instant::from_secs(3));
        assert_eq!(stamps.value(Instant::from_secs(3)), before.wrapping_add(240_000_000));
        assert_eq!(stamps.value(Instant::from_secs(4)), before.wrapping_add(241_000_000));
    }

    #[test]
    fn a_clock_that_changes_its_tick_goes_on_from_where_it_stood() {
        let mut stamps = Timestamps::new(Duration::from_micros(1), SeqNumber(100));
        assert_eq!(stamps.value(Instant::from_micros(7_300)), 7_400);
        stamps.change_tick(Instant::from_micros(7_300), Duration::from_millis(1));
        assert_eq!(stamps.value(Instant::from_micros(7_999)), 7_400);
        assert_eq!(stamps.value(Instant::from_millis(8)), 7_401);
        assert_eq!(stamps.value(Instant::from_millis(1_007)), 8_400);
    }

    #[test]
    fn a_peer_whose_clock_may_still_be_fast_is_not_old_after_half_its_round() {
        let mut stamps = Timestamps::new(Duration::from_micros(1), SeqNumber(1));
        stamps.on_segment(100, Position(1), Position(1), Instant::ZERO);
        stamps.change_tick(Instant::ZERO, Duration::from_millis(1));
        assert!(stamps.is_old(99, Instant::from_secs(34 * 60)));
        assert!(!stamps.is_old(99, Instant::from_secs(36 * 60)));
    }

    #[test]
    fn a_faster_clock_makes_what_was_seen_outdated_sooner() {
        let mut stamps = Timestamps::new(Duration::from_micros(1), SeqNumber(1));
        stamps.on_segment(100, Position(1), Position(1), Instant::ZERO);
        assert!(stamps.is_old(99, Instant::from_secs(34 * 60)));
        assert!(!stamps.is_old(99, Instant::from_secs(36 * 60)));
    }

    #[test]
    fn the_earliest_unacknowledged_segment_is_echoed() {
        // RFC 7323, 4.3: three segments arrive and are acknowledged together; then one above a hole, then the hole.
        let mut stamps = stamps();
        let now = Instant::ZERO;
        let mut arrive = |value, start: u64, acked: u64| {
            stamps.on_segment(value, Position(start), Position(acked), now);
            stamps.echo()
        };
        assert_eq!(arrive(1, 1, 1), 1, "A");
        assert_eq!(arrive(2, 101, 1), 1, "B, delayed acknowledgement");
        assert_eq!(arrive(3, 201, 1), 1, "C, acknowledged with A and B");
        assert_eq!(arrive(5, 401, 301), 1, "E, above a hole");
        assert_eq!(arrive(4, 301, 301), 4, "D, fills the hole");
    }

    #[test]
    fn old_timestamps_are_refused_until_24_idle_days_have_passed() {
        let mut stamps = stamps();
        stamps.on_segment(100, Position(1), Position(1), Instant::ZERO);
        assert!(stamps.is_old(99, Instant::from_secs(1)));
        assert!(!stamps.is_old(100, Instant::from_secs(1)));
        assert!(!stamps.is_old(101, Instant::from_secs(1)));
        assert!(!stamps.is_old(99, Instant::from_secs(24 * 24 * 3600)));
    }
}

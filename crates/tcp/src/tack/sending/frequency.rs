//! How often TACKs should come, and whether the receiver knows (paper, IV-A equation 4 and VI-C).

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::ack::tack::interval as equation_4;
use crate::tack::body::FrequencyUpdate;
use crate::tack::terms::Terms;

/// f as the sender of data computes it, and what it has told.
#[derive(Clone, Debug)]
pub(crate) struct Frequency {
    terms: Terms,
    /// The latest that was told, and when; nothing in start-up.
    told: Option<(FrequencyUpdate, Instant)>,
    /// Since when f has been half of what was told, or RTTmin twice.
    slower_since: Option<Instant>,
    /// How often the latest has been repeated.
    repeats: u32,
    /// What goes out next.
    pending: Option<FrequencyUpdate>,
}

/// What bears on f.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// bw, the greatest delivery rate: payload.
    pub(crate) bandwidth: BitRate,
    /// RTTmin.
    pub(crate) min_rtt: Duration,
    /// The usual round trip, where 1/f is a share of it.
    pub(crate) usual: Option<Duration>,
    /// Whether the peer's window blocks the sender, which wants to hear of room soon.
    pub(crate) hurried: bool,
    /// MSS: payload of a full-sized segment.
    pub(crate) mss: Bytes,
    /// rho'.
    pub(crate) ack_loss_ppm: u32,
}

impl Frequency {
    /// Nothing is told yet.
    pub(crate) const fn new(terms: Terms) -> Self {
        Self { terms, told: None, slower_since: None, repeats: 0, pending: None }
    }

    /// 1/f by equation 4, in whole microseconds; nothing before rate and round trip are known.
    ///
    /// Deviation: never more than 500 ms, the most that an acknowledgement may be delayed (RFC 9293, 3.8.6.3). Equation 4
    /// alone would have a path of 10 kbps, or an RTTmin of many seconds, wait longer.
    pub(crate) fn interval(&self, path: &Path) -> Option<Duration> {
        let min_rtt = Some(path.min_rtt).filter(|rtt| !rtt.is_zero())?;
        let enough = if path.usual.is_some() { enough_for(path.ack_loss_ppm) } else { 0 };
        let Terms { beta: agreed, every } = self.terms;
        let beta = agreed.max(enough);
        let mut exact = equation_4(beta, every, path.mss, path.bandwidth, min_rtt)?;
        // Where a queue stands the path is full, whatever the window blocks: to hear sooner of room brings nothing.
        let queued = path.usual.is_some_and(|usual| usual * 4 > min_rtt * 5);
        if path.hurried && !queued {
            exact = exact / HURRY;
        } else if let (Some(usual), true) = (path.usual, beta == agreed) {
            exact = exact.max((usual / u64::from(beta)).clamp(LEAST_BY_USUAL, MOST_BY_USUAL));
        }
        Some(Duration::from_micros(exact.clamp(SHORTEST, LONGEST).as_micros_ceil()))
    }

    /// How many reports there must be for one of them to be heard: more than one only where so many are lost that beta of them do not suffice.
    pub(crate) fn for_one_heard(&self, ack_loss_ppm: u32) -> u32 {
        let enough = enough_for(ack_loss_ppm);
        if enough > self.terms.beta { enough } else { 1 }
    }

    /// L: how many full-sized segments the receiver waits for.
    pub(crate) const fn every(&self) -> u32 {
        self.terms.every
    }

    /// 1/f as told last; nothing in start-up.
    pub(crate) fn told(&self) -> Option<Duration> {
        self.told.map(|(update, _)| update.interval)
    }

    /// A report came from a receiver that has `in_force` in force. After start-up, a frequency is told that was not told
    /// yet, that has doubled or halved, or that a receiver should know for a round trip but does not; at most once for
    /// each round trip.
    ///
    /// With it go RTTmin, by which the receiver settles reordering, and rho', by which it decides how much to say: where they
    /// alone have doubled or halved, that is told too. Of rho', less than a percent does not matter.
    ///
    /// Deviation: a lower f, or a longer RTTmin, has to last for a second first. Where the least round trip leaves the filter of tau while
    /// a queue stands, RTTmin is that of the queue until ProbeRTT has drained it, a few hundred milliseconds later. Told at once, such an f
    /// would stay in force after it, as long as it is more than half of what it should be.
    pub(crate) fn on_report(&mut self, now: Instant, in_force: Duration, srtt: Duration, path: &Path) {
        let Some(interval) = self.interval(path) else { return };
        let Some((told, at)) = self.told else {
            self.tell(now, interval, path);
            return;
        };
        let sooner = is_twice(told.interval.as_nanos(), interval.as_nanos())
            || is_twice(told.min_rtt.as_nanos(), path.min_rtt.as_nanos());
        let later = is_twice(interval.as_nanos(), told.interval.as_nanos())
            || is_twice(path.min_rtt.as_nanos(), told.min_rtt.as_nanos());
        self.slower_since = later.then(|| self.slower_since.unwrap_or(now));
        let settled = self.slower_since.is_some_and(|since| now.saturating_since(since) >= SETTLING);
        if now < at.saturating_add(srtt + told.interval) {
            return;
        }
        let (known, ack_loss) = (told.ack_loss_ppm.max(LOSS_STEP).into(), path.ack_loss_ppm.max(LOSS_STEP).into());
        let moved = sooner || settled || is_twice(known, ack_loss) || is_twice(ack_loss, known);
        if moved {
            self.tell(now, interval, path);
        } else if in_force != told.interval && self.repeats < MAX_REPEATS {
            self.repeats += 1;
            self.told = Some((told, now));
            self.pending = Some(told);
        }
    }

    /// Whether something is to be told.
    #[inline]
    pub(crate) const fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// What is to be told now.
    pub(crate) const fn take(&mut self) -> Option<FrequencyUpdate> {
        self.pending.take()
    }

    fn tell(&mut self, now: Instant, interval: Duration, path: &Path) {
        let serial = self.told.map_or(0, |(told, _)| told.serial.wrapping_add(1));
        let update = FrequencyUpdate {
            serial,
            interval,
            min_rtt: path.min_rtt,
            bandwidth: path.bandwidth,
            ack_loss_ppm: path.ack_loss_ppm,
        };
        self.repeats = 0;
        self.slower_since = None;
        self.told = Some((update, now));
        self.pending = Some(update);
    }
}

/// How many reports in a row are all lost in less than one of 64 cases; at most 8. The cap has room for about a round trip more than what is reported: where all reports
/// of that time are lost, the sender stands still, and so does the receiver, which has nothing to report then.
const fn enough_for(ack_loss_ppm: u32) -> u32 {
    let (loss, mut all, mut reports) = (ack_loss_ppm as u64, ack_loss_ppm as u64, 1);
    while all * 64 >= MILLION && reports < 8 {
        all = all * loss / MILLION;
        reports += 1;
    }
    reports
}

/// Whether `one` is twice the `other` or more.
const fn is_twice(one: u64, other: u64) -> bool {
    one >= other.saturating_mul(2)
}

/// What 1/f never exceeds.
const LONGEST: Duration = Duration::from_millis(500);
/// What 1/f is at least where it goes by the usual round trip: with ten clients each of them has had its turn by then. Loss is told at once in any case, and the cap has room
/// for what comes in an interval.
const LEAST_BY_USUAL: Duration = Duration::from_millis(30);
/// What 1/f never exceeds by the usual round trip: as long as a delayed acknowledgement waits on Linux.
const MOST_BY_USUAL: Duration = Duration::from_millis(40);
/// By how much more often TACKs are wanted where the peer's window blocks the sender.
const HURRY: u64 = 8;
/// What it never goes below: zero would mean every packet.
const SHORTEST: Duration = Duration::from_micros(1);
/// How long a lower f has to last: longer than ProbeRTT, of max(RTT, 200 ms), takes.
const SETTLING: Duration = Duration::from_secs(1);
const MILLION: u64 = 1_000_000;
/// Less loss than a percent does not count.
const LOSS_STEP: u32 = 10_000;
/// A receiver that acknowledges by another rule never takes the frequency over: it is not told for ever.
const MAX_REPEATS: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: Bytes = Bytes(1500);

    fn path(mbps: u64, millis: u64) -> Path {
        Path {
            bandwidth: BitRate::from_mbps(mbps),
            min_rtt: Duration::from_millis(millis),
            mss: MSS,
            ack_loss_ppm: 0,
            usual: None,
            hurried: false,
        }
    }

    /// A report every 10 ms from `from` to `to`; when something was told, and which 1/f.
    fn reports(
        frequency: &mut Frequency,
        (from, to): (u64, u64),
        in_force: impl Fn(u64) -> Duration,
        path: &Path,
    ) -> Vec<(u64, Duration)> {
        let srtt = path.min_rtt;
        (from..to)
            .step_by(10)
            .filter_map(|at| {
                frequency.on_report(Instant::from_millis(at), in_force(at), srtt, path);
                frequency.take().map(|update| (at, update.interval))
            })
            .collect()
    }

    #[test]
    fn equation_4_is_bounded_by_rate_or_by_round_trip() {
        let frequency = Frequency::new(Terms { beta: 4, every: 2 });
        // bdp of 2 MSS at 2.4 Mbps and 10 ms: below beta L MSS, so L MSS / bw = 24 kbit / 2.4 Mbps.
        let slow = Path { bandwidth: BitRate::from_kbps(2_400), ..path(1, 10) };
        assert_eq!(frequency.interval(&slow), Some(Duration::from_millis(10)));
        // 200 Mbps at 80 ms: beta / RTTmin = 50 Hz.
        assert_eq!(frequency.interval(&path(200, 80)), Some(Duration::from_millis(20)));
        assert_eq!(
            Frequency::new(Terms { beta: 1, every: 2 }).interval(&path(200, 80)),
            Some(Duration::from_millis(80))
        );
        assert_eq!(Frequency::new(Terms { beta: 0, every: 0 }).interval(&path(12, 1)), Some(Duration::from_millis(1)));
        assert_eq!(frequency.interval(&path(200, 10_000)), Some(LONGEST));
    }

    #[test]
    fn it_is_told_first_then_when_it_doubles_or_halves() {
        let mut frequency = Frequency::new(Terms { beta: 4, every: 2 });
        let ms = Duration::from_millis;
        let in_force = |at| if at > 1_500 && at <= 1_900 { ms(40) } else { ms(20) };
        assert_eq!(reports(&mut frequency, (0, 100), in_force, &path(200, 80)), [(0, ms(20))]);
        assert_eq!(reports(&mut frequency, (100, 500), in_force, &path(200, 120)), []);
        assert_eq!(reports(&mut frequency, (500, 1_900), in_force, &path(200, 160)), [(1_500, ms(40))]);
        assert_eq!(reports(&mut frequency, (1_900, 2_300), in_force, &path(200, 80)), [(1_900, ms(20))]);
    }

    #[test]
    fn a_round_trip_that_is_long_until_the_queue_has_been_drained_changes_nothing() {
        let mut frequency = Frequency::new(Terms { beta: 4, every: 2 });
        let ms = Duration::from_millis;
        assert_eq!(reports(&mut frequency, (0, 100), |_| ms(20), &path(200, 80)).len(), 1);
        for from in [10_000, 20_000] {
            assert_eq!(reports(&mut frequency, (from, from + 700), |_| ms(20), &path(200, 170)), []);
            assert_eq!(reports(&mut frequency, (from + 700, from + 10_000), |_| ms(20), &path(200, 81)), []);
        }
    }

    #[test]
    fn a_lost_update_is_repeated_once_a_round_trip_until_it_is_in_force() {
        let mut frequency = Frequency::new(Terms { beta: 4, every: 2 });
        let ms = Duration::from_millis;
        let in_force = |at| if at < 250 { Duration::ZERO } else { ms(20) };
        let told = reports(&mut frequency, (0, 1_000), in_force, &path(200, 80));
        // srtt + 1/f = 100 ms.
        assert_eq!(told, [(0, ms(20)), (100, ms(20)), (200, ms(20))]);
        let deaf = reports(&mut frequency, (1_000, 9_000), |_| Duration::ZERO, &path(200, 80));
        assert_eq!(deaf.len() as u32, MAX_REPEATS - 2, "a receiver that never takes it over is left alone");
    }

    #[test]
    fn loss_of_reports_is_told_when_it_matters() {
        let mut frequency = Frequency::new(Terms { beta: 4, every: 2 });
        let ms = Duration::from_millis;
        assert_eq!(reports(&mut frequency, (0, 100), |_| ms(20), &path(200, 80)).len(), 1);
        let lossy = |ppm| Path { ack_loss_ppm: ppm, ..path(200, 80) };
        assert_eq!(reports(&mut frequency, (100, 500), |_| ms(20), &lossy(19_000)), []);
        assert_eq!(reports(&mut frequency, (500, 900), |_| ms(20), &lossy(100_000)).len(), 1);
        assert_eq!(reports(&mut frequency, (900, 1_300), |_| ms(20), &lossy(60_000)), []);
        assert_eq!(reports(&mut frequency, (1_300, 1_700), |_| ms(20), &lossy(0)).len(), 1);
    }

    #[test]
    fn by_the_usual_round_trip_a_busy_medium_is_spared_but_not_where_reports_are_lost() {
        let ms = Duration::from_millis;
        let usual = |min, usual, ppm| {
            let path = Path { usual: Some(ms(usual)), ack_loss_ppm: ppm, ..path(200, min) };
            Frequency::new(Terms { beta: 2, every: 2 }).interval(&path)
        };
        assert_eq!(usual(20, 20, 0), Some(ms(30)));
        assert_eq!(usual(20, 70, 0), Some(ms(35)));
        assert_eq!(usual(20, 500, 0), Some(ms(40)));
        assert_eq!(usual(200, 200, 0), Some(ms(100)), "the paper's share is longer");
        // Two are lost in a row in less than one of 64 cases up to 12.5 %, three up to 25 %, six at 49 %, of which the share of RTTmin has as many.
        assert_eq!(usual(24, 24, 120_000), Some(ms(30)));
        assert_eq!(usual(24, 24, 200_000), Some(ms(8)));
        assert_eq!(usual(24, 24, 490_000), Some(ms(4)));
        assert_eq!(usual(24, 24, 1_000_000), Some(ms(3)), "eight at most");
        // So many there must be for one of them to be heard.
        let heard = |beta, ppm| Frequency::new(Terms { beta, every: 2 }).for_one_heard(ppm);
        assert_eq!([0, 120_000, 200_000, 490_000].map(|ppm| heard(2, ppm)), [1, 1, 3, 6]);
        assert_eq!(heard(3, 200_000), 1, "of three one is heard");
        // By the paper beta stays, whatever is lost.
        assert_eq!(
            Frequency::new(Terms { beta: 2, every: 2 }).interval(&Path { ack_loss_ppm: 500_000, ..path(200, 20) }),
            Some(ms(10))
        );
    }

    #[test]
    fn a_window_that_blocks_hurries_reports_but_not_where_a_queue_stands() {
        let ms = Duration::from_millis;
        let blocked = |usual: Option<u64>| {
            Frequency::new(Terms { beta: 2, every: 2 }).interval(&Path {
                usual: usual.map(ms),
                hurried: true,
                ..path(200, 80)
            })
        };
        assert_eq!(blocked(Some(90)), Some(ms(5)));
        assert_eq!(blocked(Some(121)), Some(ms(40)));
        assert_eq!(blocked(None), Some(ms(5)));
    }

    #[test]
    fn nothing_is_told_before_both_rate_and_round_trip_are_known() {
        let mut frequency = Frequency::new(Terms { beta: 4, every: 2 });
        assert_eq!(reports(&mut frequency, (0, 100), |_| Duration::ZERO, &path(0, 80)), []);
        assert_eq!(reports(&mut frequency, (100, 200), |_| Duration::ZERO, &path(10, 0)), []);
    }
}

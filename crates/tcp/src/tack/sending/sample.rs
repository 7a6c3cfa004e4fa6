//! The rate of a path by what the receiver says that it has, over at least a round: the sender's own.
//!
//! Every report says how much has come (the acknowledgement, and what is there above it) and, by the receiver's clock (TSecr) and the delay of its newest packet, when that packet
//! came. So nothing has to be added to reports. What was delivered between two of them is divided by the longer of the times in which it was sent and in which it
//! arrived, as BBR takes its samples (draft-ietf-ccwg-bbr, 4.1.1.2): a path never delivers more than was sent, and a sample over a round does not see one burst of an
//! aggregating link twice.

use std::collections::VecDeque;

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::tack::time::RateTime;

/// What reports have said, as long as a round may begin with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sampler {
    pub(super) marks: VecDeque<Mark>,
}

/// A report that told of something new.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// When it was heard.
    pub(crate) heard: Instant,
    /// When its newest packet was sent.
    pub(crate) sent: Instant,
    /// When that came, in microseconds of the receiver's clock.
    pub(crate) arrived: u32,
    /// What the receiver had.
    pub(crate) delivered: Bytes,
}

impl Sampler {
    /// A report came that tells of something new. The rate since the last one that had been heard when its newest packet was sent, and over how long; nothing where that is less
    /// than 10 ms ago. Marks are kept at least `apart`.
    pub(crate) fn on_report(&mut self, report: Mark, apart: Duration) -> Option<(BitRate, Duration)> {
        let is_base = |mark: &Mark| mark.heard <= report.sent && since(report.arrived, mark.arrived) >= RateTime::LEAST;
        while self.marks.get(1).is_some_and(is_base) {
            self.marks.pop_front();
        }
        let sample = self.marks.front().filter(|mark| is_base(mark)).map(|base| {
            let span = since(report.arrived, base.arrived).max(report.sent.saturating_since(base.sent));
            (report.delivered.saturating_sub(base.delivered).per(span), span)
        });
        if self.marks.back().is_none_or(|last| report.heard >= last.heard.saturating_add(apart)) {
            // A peer whose clock stands still gives no sample, and lets none go.
            if self.marks.len() == MOST {
                self.marks.pop_front();
            }
            self.marks.push_back(report);
        }
        sample
    }
}

/// So many marks are kept at most: more than a round has of those that are apart.
const MOST: usize = 64;

/// From one moment of a clock of microseconds, which wraps, to a later one; nothing where it is earlier.
fn since(later: u32, earlier: u32) -> Duration {
    Duration::from_micros(u64::from((later.wrapping_sub(earlier) as i32).max(0).unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock of the receiver wraps while it runs.
    const OFFSET: u32 = u32::MAX - 30_000;

    fn mark(sent: u64, arrived: u64, delivered: u64) -> Mark {
        let ms = Instant::from_millis;
        // Half of a round trip of 20 ms back.
        Mark {
            heard: ms(arrived + 10),
            sent: ms(sent),
            arrived: OFFSET.wrapping_add(1000 * arrived as u32),
            delivered: Bytes(delivered),
        }
    }

    fn rate(sample: Option<(BitRate, Duration)>) -> Option<BitRate> {
        sample.map(|(rate, _)| rate)
    }

    #[test]
    fn a_sample_is_over_a_round_and_begins_with_what_was_known_when_its_packet_was_sent() {
        let mut sampler = Sampler::default();
        // 1000 bytes each millisecond, which is 8 Mbps, and a report every 5 ms.
        for at in (0..200).step_by(5) {
            let sample = sampler.on_report(mark(at, at + 10, 1000 * at), Duration::ZERO);
            let expected = (at >= 20).then_some((BitRate::from_mbps(8), Duration::from_millis(20)));
            assert_eq!(sample, expected, "at {at} ms");
            assert!(sampler.marks.len() <= 6, "no more than a round is kept");
        }
    }

    #[test]
    fn a_peer_whose_clock_stands_still_fills_no_memory() {
        let mut sampler = Sampler::default();
        for at in 0..10_000 {
            let report = Mark { arrived: 7, ..mark(at, at + 10, 1000 * at) };
            assert_eq!(sampler.on_report(report, Duration::ZERO), None);
            assert!(sampler.marks.len() <= MOST);
        }
    }

    #[test]
    fn what_was_sent_slowly_was_not_delivered_fast() {
        // 20 packets sent over 40 ms wait for the medium and all come within 10 ms.
        let mut sampler = Sampler::default();
        assert_eq!(sampler.on_report(mark(0, 10, 1000), Duration::ZERO), None);
        assert_eq!(
            rate(sampler.on_report(mark(40, 60, 21_000), Duration::ZERO)),
            Some(Bytes(20_000).per(Duration::from_millis(50)))
        );
        let mut sampler = Sampler::default();
        assert_eq!(sampler.on_report(mark(0, 50, 1000), Duration::ZERO), None);
        assert_eq!(
            rate(sampler.on_report(mark(80, 90, 21_000), Duration::ZERO)),
            Some(Bytes(20_000).per(Duration::from_millis(80)))
        );
    }

    #[test]
    fn a_report_whose_packet_left_before_anything_was_heard_gives_no_sample() {
        let mut sampler = Sampler::default();
        assert_eq!(sampler.on_report(mark(0, 10, 1000), Duration::ZERO), None);
        assert_eq!(sampler.on_report(mark(15, 30, 10_000), Duration::ZERO), None);
        assert!(sampler.on_report(mark(20, 30, 12_000), Duration::ZERO).is_some());
    }

    #[test]
    fn no_rate_is_that_of_less_than_10_ms() {
        // On a path of 0.2 ms: 1000 bytes each millisecond, reported every two.
        let mut sampler = Sampler::default();
        for at in (0..100).step_by(2) {
            let report = Mark { heard: Instant::from_millis(at), ..mark(at, at, 1000 * at) };
            let sample = sampler.on_report(report, Duration::ZERO);
            let expected = (at >= 10).then_some((BitRate::from_mbps(8), RateTime::LEAST));
            assert_eq!(sample, expected, "at {at} ms");
        }
    }
}

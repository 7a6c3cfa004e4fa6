//! What a receiver measures of the path that its peer's data takes.
//!
//! One struct, kept by the endpoint, that acknowledgement policies, header encoders and congestion control read.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::tack::time::RateTime;

/// What has been seen of the data that came.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    segments: u64,
    bytes: Bytes,
    holes: u64,
    rate: BitRate,
    max_rate: BitRate,
    interval: Option<Interval>,
    min_rtt: Option<Duration>,
    rhythm: Rhythm,
}

/// Who says how often TACKs come, and what is in force now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rhythm {
    /// TACK is not in force: a policy computes its frequency itself.
    #[default]
    Own,
    /// TACK is in force, and the sender of data has told no frequency yet: every packet is acknowledged.
    PerPacket,
    /// TACK is in force, and this is 1/f as the sender of data has told it.
    Every(Duration),
}

/// The stretch of time over which the rate is being measured.
#[derive(Clone, Copy, Debug)]
struct Interval {
    begin: Instant,
    bytes: Bytes,
}

impl Measured {
    /// A segment with `bytes` of payload came.
    pub(crate) fn on_data(&mut self, now: Instant, bytes: Bytes) {
        self.segments += 1;
        self.bytes += bytes;
        match &mut self.interval {
            None => self.interval = Some(Interval { begin: now, bytes: Bytes::ZERO }),
            Some(interval) => {
                interval.bytes += bytes;
                let span = now.saturating_since(interval.begin);
                if span >= RateTime::LEAST {
                    self.rate = interval.bytes.per(span);
                    self.max_rate = self.max_rate.max(self.rate);
                    *interval = Interval { begin: now, bytes: Bytes::ZERO };
                }
            }
        }
    }

    /// A hole opened: a segment came above bytes that are missing.
    pub(crate) const fn on_hole(&mut self) {
        self.holes += 1;
    }

    /// A round trip took this long.
    pub(crate) fn on_rtt(&mut self, rtt: Duration) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
    }

    /// What is said about the frequency of TACKs has changed.
    pub(crate) const fn set_rhythm(&mut self, rhythm: Rhythm) {
        self.rhythm = rhythm;
    }

    /// How often TACKs come.
    pub const fn rhythm(&self) -> Rhythm {
        self.rhythm
    }

    /// Segments with payload that came, duplicates included.
    pub const fn segments(&self) -> u64 {
        self.segments
    }

    /// Payload bytes that came, duplicates included.
    pub const fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// How often a hole opened in the stream: losses and reorderings as the receiver sees them.
    pub const fn holes(&self) -> u64 {
        self.holes
    }

    /// Payload rate over the last complete interval of at least 10 ms; zero before the first.
    pub const fn delivery_rate(&self) -> BitRate {
        self.rate
    }

    /// The greatest delivery rate of any interval.
    pub const fn max_delivery_rate(&self) -> BitRate {
        self.max_rate
    }

    /// The least round-trip time that this end knows of.
    pub const fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_megabits_in_a_second_are_measured_as_such() {
        let mut measured = Measured::default();
        for i in 0..1000 {
            measured.on_data(Instant::from_millis(i), Bytes(1500));
        }
        assert_eq!(measured.delivery_rate(), BitRate::from_mbps(12));
        assert_eq!(measured.max_delivery_rate(), BitRate::from_mbps(12));
        assert_eq!((measured.segments(), measured.bytes()), (1000, Bytes(1_500_000)));
    }
}

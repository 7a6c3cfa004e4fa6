//! How much may be in flight: congestion control.
//!
//! A controller hears what happened and answers with a window. It does not know which segments are lost, what
//! is in flight, or when to retransmit: that is `loss`. In recovery it is not asked; the window stays
//! at what [`Controller::on_loss`] made of it until the recovery is over.

mod cubic;
mod reno;

pub use cubic::Cubic;
pub use reno::Reno;

use ackless_wire::{Bytes, Duration, Instant};

/// Which controller moves the congestion window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CongestionChoice {
    /// Reno (RFC 5681). Without SACK, fast recovery ends with the first acknowledgement of new data (3.2).
    Reno,
    /// The same window, but without SACK fast recovery lasts until all that was out is acknowledged (RFC 6582).
    NewReno,
    /// CUBIC (RFC 9438). Without SACK, recovery as in NewReno.
    Cubic,
}

/// The congestion window before the first acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialWindow {
    /// min(10 MSS, max(2 MSS, 14,600 bytes)) (RFC 6928, 2).
    Rfc6928,
    /// min(4 MSS, max(2 MSS, 4,380 bytes)) (RFC 3390, 1).
    Rfc3390,
    /// This many segments. Range: 1 up; 0 counts as 1.
    Segments(u32),
}

/// An acknowledgement of new data outside of recovery.
#[derive(Clone, Copy, Debug)]
pub struct AckFacts {
    /// When it came.
    pub now: Instant,
    /// Payload bytes newly acknowledged.
    pub acked: Bytes,
    /// The smoothed round-trip time, zero if unknown.
    pub srtt: Duration,
    /// Whether the window, and not the application or the peer, limited the sender when this data was out. If
    /// not, it must not grow (RFC 7661; RFC 9438, 4.2).
    pub window_used: bool,
    /// Whether data from before a retransmission timeout is still out: slow start may then add one segment at most
    /// (RFC 3465, 2.3).
    pub after_timeout: bool,
}

/// A rule that moves the congestion window.
pub trait Controller {
    /// New data is acknowledged, outside of recovery.
    fn on_ack(&mut self, facts: &AckFacts);
    /// A loss was detected with `flight` outstanding: once for each recovery.
    fn on_loss(&mut self, now: Instant, flight: Bytes);
    /// The retransmission timer fired with `flight` outstanding; `repeated` if it had fired for the same data before.
    fn on_timeout(&mut self, now: Instant, flight: Bytes, repeated: bool);
    /// The recovery is over, with `flight` outstanding.
    fn on_recovered(&mut self, now: Instant, flight: Bytes);
    /// Nothing was sent for longer than the retransmission timeout: at most `restart` may now be in flight (RFC
    /// 5681, 4.1).
    fn on_idle(&mut self, now: Instant, restart: Bytes);
    /// What may be in flight.
    fn window(&self) -> Bytes;
    /// Slow start ends here; nothing before the first loss.
    fn slow_start_threshold(&self) -> Option<Bytes>;
}

/// What slow start needs, common to all controllers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlowStart {
    /// The sender's maximum segment size.
    pub smss: Bytes,
    /// The first window.
    pub initial: Bytes,
    /// The most to add for one acknowledgement, in segments (RFC 3465, 2.2).
    pub limit: Option<u32>,
}

/// The controllers there are.
#[derive(Clone, Debug)]
pub(crate) enum Congestion {
    Reno(Reno),
    Cubic(Cubic),
}

impl InitialWindow {
    /// The window in bytes for segments of `smss`.
    pub fn bytes(self, smss: Bytes) -> Bytes {
        match self {
            Self::Rfc6928 => (smss * 10).min((smss * 2).max(Bytes(14_600))),
            Self::Rfc3390 => (smss * 4).min((smss * 2).max(Bytes(4_380))),
            Self::Segments(n) => smss * u64::from(n.max(1)),
        }
    }
}

impl SlowStart {
    /// How much of an acknowledgement's bytes count.
    fn growth(&self, facts: &AckFacts) -> Bytes {
        let limit = if facts.after_timeout { Some(1) } else { self.limit };
        limit.map_or(facts.acked, |segments| facts.acked.min(self.smss * u64::from(segments)))
    }
}

impl Congestion {
    pub(crate) fn new(choice: CongestionChoice, start: SlowStart) -> Self {
        match choice {
            CongestionChoice::Reno | CongestionChoice::NewReno => Self::Reno(Reno::new(start)),
            CongestionChoice::Cubic => Self::Cubic(Cubic::new(start)),
        }
    }
}

impl Controller for Congestion {
    fn on_ack(&mut self, facts: &AckFacts) {
        match self {
            Self::Reno(reno) => reno.on_ack(facts),
            Self::Cubic(cubic) => cubic.on_ack(facts),
        }
    }

    fn on_loss(&mut self, now: Instant, flight: Bytes) {
        match self {
            Self::Reno(reno) => reno.on_loss(now, flight),
            Self::Cubic(cubic) => cubic.on_loss(now, flight),
        }
    }

    fn on_timeout(&mut self, now: Instant, flight: Bytes, repeated: bool) {
        match self {
            Self::Reno(reno) => reno.on_timeout(now, flight, repeated),
            Self::Cubic(cubic) => cubic.on_timeout(now, flight, repeated),
        }
    }

    fn on_recovered(&mut self, now: Instant, flight: Bytes) {
        match self {
            Self::Reno(reno) => reno.on_recovered(now, flight),
            Self::Cubic(cubic) => cubic.on_recovered(now, flight),
        }
    }

    fn on_idle(&mut self, now: Instant, restart: Bytes) {
        match self {
            Self::Reno(reno) => reno.on_idle(now, restart),
            Self::Cubic(cubic) => cubic.on_idle(now, restart),
        }
    }

    fn window(&self) -> Bytes {
        match self {
            Self::Reno(reno) => reno.window(),
            Self::Cubic(cubic) => cubic.window(),
        }
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        match self {
            Self::Reno(reno) => reno.slow_start_threshold(),
            Self::Cubic(cubic) => cubic.slow_start_threshold(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_windows_are_those_of_the_standards() {
        let cases = [(1460, 14_600, 4_380), (536, 5_360, 2_144), (9_000, 18_000, 18_000), (1095, 10_950, 4_380)];
        for (smss, rfc6928, rfc3390) in cases {
            assert_eq!(InitialWindow::Rfc6928.bytes(Bytes(smss)), Bytes(rfc6928));
            assert_eq!(InitialWindow::Rfc3390.bytes(Bytes(smss)), Bytes(rfc3390));
        }
        assert_eq!(InitialWindow::Segments(0).bytes(Bytes(1460)), Bytes(1460));
    }
}

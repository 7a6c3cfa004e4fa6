//! How much may be in flight: congestion control.
//!
//! A controller hears what happened and answers with a window. It does not know which segments are lost, what
//! is in flight, or when to retransmit: that is `loss`. A controller of the window is not asked in recovery; the
//! window stays at what [`Controller::on_loss`] made of it until the recovery is over. One that models the path hears
//! of every delivery, by [`Controller::on_feedback`] or [`Controller::on_report`], and also sets a rate.

mod bbr;
mod bbr3;
mod cubic;
mod facts;
mod growth;
mod hystart;
mod pace;
mod path;
mod receiver_bbr;
mod reno;

pub use bbr::Bbr;
pub use bbr3::Bbr3;
pub use cubic::{Cubic, CubicRule};
pub use facts::{BbrPhase, Feedback, LossFacts, PathModel, ReportFacts};
pub use growth::GrowthRule;
pub use hystart::SlowStartChoice;
pub use receiver_bbr::{GentleProbe, Losses, ReceiverBbr, Variant};
pub use reno::{Reno, RenoRule};

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use self::hystart::Finder;
pub use crate::delivery::RateSample;
use crate::sequence::Position;

/// Which controller moves the congestion window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CongestionChoice {
    /// Reno (RFC 5681). Without SACK, fast recovery ends with the first acknowledgement of new data (3.2).
    Reno,
    /// The same window, but without SACK fast recovery lasts until all that was out is acknowledged (RFC 6582).
    NewReno,
    /// CUBIC (RFC 9438). Without SACK, recovery as in NewReno.
    Cubic,
    /// BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00). Always paced. Without SACK, recovery as in NewReno.
    Bbr,
    /// BBR version 3 (draft-ietf-ccwg-bbr-06). Always paced. Without SACK, recovery as in NewReno.
    Bbr3,
    /// BBR with a receiver that measures (TACK paper, VI-D). Always paced. Where TACK is not in use, it is [`Self::Bbr`].
    ReceiverBbr(Variant),
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
    /// SND.UNA after it.
    pub una: Position,
    /// SND.NXT.
    pub next: Position,
    /// The round trip of the newest segment that it acknowledges, where one can be told.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time, zero if unknown.
    pub srtt: Duration,
    /// The least round-trip time, zero if unknown.
    pub min_rtt: Duration,
    /// Whether enough of the window was in use when this data was out ([`GrowthRule`]). If not, it must not grow (RFC
    /// 7661; RFC 9438, 4.2).
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
    /// Slow start ends here; nothing before the first loss, and from controllers that have no slow start.
    fn slow_start_threshold(&self) -> Option<Bytes>;

    /// The window is about to be reduced: how it stands now may have to come back.
    fn remember(&mut self) {}
    /// The reduction before which [`remember`](Self::remember) was called was a mistake (RFC 4015, 3.1). Controllers that model the path go on as they are.
    fn undo(&mut self) {}
    /// The connection is established; the handshake took `rtt`, if that is known.
    fn on_connected(&mut self, _now: Instant, _rtt: Option<Duration>) {}
    /// Something was delivered, in recovery or out of it. Comes after [`on_loss`](Self::on_loss) where both come.
    fn on_feedback(&mut self, _facts: &Feedback) {}
    /// Transmissions were found to be lost, where the detector marks them one by one (RACK), or else one stands for all that began a recovery. Comes before
    /// [`on_feedback`](Self::on_feedback) where both come, and only to controllers that [`CongestionChoice::hears_losses`].
    fn on_losses(&mut self, _facts: &LossFacts<'_>) {}
    /// A receiver's report came (TACK paper, VI-D).
    fn on_report(&mut self, _facts: &ReportFacts) {}
    /// A segment with data is about to be sent, with `inflight` out before it; `application_limited` if the sender
    /// had run out of data.
    fn on_sent(&mut self, _now: Instant, _inflight: Bytes, _application_limited: bool) {}
    /// How fast to send, from a controller that sets a rate of its own; nothing from the others.
    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }
    /// What may leave at once at least, however low the rate is; nothing from controllers that leave that to it.
    fn burst(&self, _now: Instant) -> Bytes {
        Bytes::ZERO
    }
    /// Whether the controller itself holds the rate down for now, so that whatever is sent meanwhile shows
    /// nothing of the path: it counts as limited by the application (BBR's ProbeRTT).
    fn holds_back(&self) -> bool {
        false
    }
    /// What a controller that models the path believes of it at `now`; nothing from the others.
    fn model(&self, _now: Instant) -> Option<PathModel> {
        None
    }
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
    /// How it ends, besides by a loss.
    pub exit: SlowStartChoice,
    /// Whether the sender is paced.
    pub paced: bool,
    /// How Reno grows, in it and after it.
    pub reno: RenoRule,
    /// How CUBIC grows after it.
    pub cubic: CubicRule,
    /// When a window counts as used, and what an idle time leaves of one.
    pub growth: GrowthRule,
}

/// The controllers there are.
#[derive(Clone, Debug)]
pub(crate) enum Congestion {
    Reno(Reno),
    Cubic(Cubic),
    Bbr(Box<Bbr>),
    Bbr3(Box<Bbr3>),
    ReceiverBbr(Box<ReceiverBbr>),
}

impl CongestionChoice {
    /// Whether it models the path and sets a rate: it needs rate samples, and is paced.
    pub const fn models_path(self) -> bool {
        matches!(self, Self::Bbr | Self::Bbr3 | Self::ReceiverBbr(_))
    }

    /// Whether it hears of every loss ([`Controller::on_losses`]).
    pub const fn hears_losses(self) -> bool {
        matches!(self, Self::Bbr3 | Self::ReceiverBbr(Variant::Rounds { losses: Losses::Bound }))
    }
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
    /// One that nothing but a loss ends.
    pub const fn standard(smss: Bytes, initial: Bytes, limit: Option<u32>) -> Self {
        Self {
            smss,
            initial,
            limit,
            exit: SlowStartChoice::Standard,
            paced: false,
            reno: RenoRule::Bytes,
            cubic: CubicRule::Rfc,
            growth: GrowthRule::Rfc,
        }
    }

    fn finder(&self) -> Option<Box<Finder>> {
        Finder::new(self.exit)
    }

    /// How much of an acknowledgement's bytes count.
    fn growth(&self, facts: &AckFacts) -> Bytes {
        let limit = if facts.after_timeout { Some(1) } else { self.limit };
        limit.map_or(facts.acked, |segments| facts.acked.min(self.smss * u64::from(segments)))
    }
}

impl Congestion {
    /// The least round trip of a path that has turned out to be another one, once.
    pub(crate) fn take_renewed_round_trip(&mut self) -> Option<Duration> {
        if let Self::ReceiverBbr(bbr) = self { bbr.take_renewed_round_trip() } else { None }
    }

    /// `seed` is for what a controller draws: BBR's first phases.
    pub(crate) fn new(choice: CongestionChoice, start: SlowStart, seed: u64) -> Self {
        match choice {
            CongestionChoice::Reno | CongestionChoice::NewReno => Self::Reno(Reno::new(start)),
            CongestionChoice::Cubic => Self::Cubic(Cubic::new(start)),
            CongestionChoice::Bbr => Self::Bbr(Box::new(Bbr::new(start, seed))),
            CongestionChoice::Bbr3 => Self::Bbr3(Box::new(Bbr3::new(start, seed))),
            CongestionChoice::ReceiverBbr(variant) => {
                Self::ReceiverBbr(Box::new(ReceiverBbr::new(start, seed, variant)))
            }
        }
    }

    /// Whether it sets a rate of its own.
    #[inline]
    pub(crate) const fn sets_rate(&self) -> bool {
        matches!(self, Self::Bbr(_) | Self::Bbr3(_) | Self::ReceiverBbr(_))
    }

    /// Whether it heeds marks (ECN): BBR version 1 and what is built on it do not.
    pub(crate) const fn heeds_marks(&self) -> bool {
        !matches!(self, Self::Bbr(_) | Self::ReceiverBbr(_))
    }

    /// No reports will come any more, or ever: what needs them goes on without, keeping what it has learned.
    pub(crate) fn fall_back(&mut self, now: Instant) {
        if let Self::ReceiverBbr(bbr) = self {
            *self = Self::Bbr(Box::new(bbr.clone().into_bbr(now)));
        }
    }
}

macro_rules! each_controller {
    ($self:ident, $controller:ident => $call:expr) => {
        match $self {
            Self::Reno($controller) => $call,
            Self::Cubic($controller) => $call,
            Self::Bbr($controller) => $call,
            Self::Bbr3($controller) => $call,
            Self::ReceiverBbr($controller) => $call,
        }
    };
}

impl Controller for Congestion {
    fn on_ack(&mut self, facts: &AckFacts) {
        each_controller!(self, controller => controller.on_ack(facts));
    }

    fn on_loss(&mut self, now: Instant, flight: Bytes) {
        each_controller!(self, controller => controller.on_loss(now, flight));
    }

    fn on_timeout(&mut self, now: Instant, flight: Bytes, repeated: bool) {
        each_controller!(self, controller => controller.on_timeout(now, flight, repeated));
    }

    fn on_recovered(&mut self, now: Instant, flight: Bytes) {
        each_controller!(self, controller => controller.on_recovered(now, flight));
    }

    fn on_idle(&mut self, now: Instant, restart: Bytes) {
        each_controller!(self, controller => controller.on_idle(now, restart));
    }

    #[inline]
    fn window(&self) -> Bytes {
        each_controller!(self, controller => controller.window())
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        each_controller!(self, controller => controller.slow_start_threshold())
    }

    fn on_connected(&mut self, now: Instant, rtt: Option<Duration>) {
        each_controller!(self, controller => controller.on_connected(now, rtt));
    }

    fn on_feedback(&mut self, facts: &Feedback) {
        each_controller!(self, controller => controller.on_feedback(facts));
    }

    fn on_losses(&mut self, facts: &LossFacts<'_>) {
        each_controller!(self, controller => controller.on_losses(facts));
    }

    fn on_report(&mut self, facts: &ReportFacts) {
        each_controller!(self, controller => controller.on_report(facts));
    }

    fn remember(&mut self) {
        each_controller!(self, controller => controller.remember());
    }

    fn undo(&mut self) {
        each_controller!(self, controller => controller.undo());
    }

    fn on_sent(&mut self, now: Instant, inflight: Bytes, application_limited: bool) {
        each_controller!(self, controller => controller.on_sent(now, inflight, application_limited));
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        each_controller!(self, controller => controller.pacing_rate())
    }

    fn burst(&self, now: Instant) -> Bytes {
        each_controller!(self, controller => controller.burst(now))
    }

    fn holds_back(&self) -> bool {
        each_controller!(self, controller => controller.holds_back())
    }

    fn model(&self, now: Instant) -> Option<PathModel> {
        each_controller!(self, controller => controller.model(now))
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

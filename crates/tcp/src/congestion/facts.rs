//! What a controller that models the path is told.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::delivery::RateSample;
use crate::loss::Phase;
use crate::transmissions::Lost;

/// What one acknowledgement delivered, in recovery or out of it.
///
/// Losses have been detected before the controller hears of it: a recovery that this acknowledgement began or ended
/// shows in `phase`, and [`Controller::on_loss`](super::Controller::on_loss) came first.
#[derive(Clone, Copy, Debug)]
pub struct Feedback {
    /// When it came.
    pub now: Instant,
    /// Payload bytes newly delivered, acknowledged cumulatively or selectively.
    pub delivered: Bytes,
    /// Of those, bytes that had been taken for lost and have come all the same ([`Deliveries::spurious`](crate::delivery::Deliveries::spurious)).
    pub spurious: Bytes,
    /// Payload bytes delivered since the connection began, those included (C.delivered of
    /// draft-cheng-iccrg-delivery-rate-estimation).
    pub total_delivered: Bytes,
    /// Payload bytes that this acknowledgement showed to be lost.
    pub lost: Bytes,
    /// What was in flight just before it: sent, neither delivered nor lost.
    pub inflight_before: Bytes,
    /// What is in flight after it.
    pub inflight: Bytes,
    /// The delivery rate that it shows, where one can be told.
    pub sample: Option<RateSample>,
    /// The round trip of the newest segment that it delivers, if that was sent once.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time, zero if unknown.
    pub srtt: Duration,
    /// The phase of recovery after it.
    pub phase: Phase,
    /// Whether what is still out was sent when the congestion window was full (C.is_cwnd_limited of draft-ietf-ccwg-bbr).
    pub window_used: bool,
    /// Of what it delivers, the bytes that it echoes a mark for; nothing where ECN is not agreed.
    pub marked: Option<Bytes>,
}

/// Transmissions that were found to be lost, before the acknowledgement that showed it becomes [`Feedback`], or by a timer.
#[derive(Clone, Copy, Debug)]
pub struct LossFacts<'a> {
    /// When that was.
    pub now: Instant,
    /// Payload bytes delivered since the connection began.
    pub total_delivered: Bytes,
    /// What is in flight without them.
    pub inflight: Bytes,
    /// One by one, in the order in which they were found.
    pub lost: &'a [Lost],
}

/// What a receiver reported (TACK paper, VI-B and VI-D), as the sender of the data understands it.
#[derive(Clone, Copy, Debug)]
pub struct ReportFacts {
    /// When it came.
    pub now: Instant,
    /// The delivery rate as the receiver measured it; zero where it could not yet.
    pub delivery_rate: BitRate,
    /// Whether the application limited the sender while that was measured: the sender's own knowledge.
    pub application_limited: bool,
    /// 1/f as in force at the receiver; nothing while it acknowledges every packet.
    pub interval: Option<Duration>,
    /// The time between two reports that are heard: 1/f, or longer where many are lost (`tack.share`).
    pub heard: Option<Duration>,
    /// RTTmin as the connection's filter has it, if it knows (V-B).
    pub min_rtt: Option<Duration>,
    /// The round trip that this report shows (V-B), if it shows one.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time, zero if unknown.
    pub srtt: Duration,
    /// How many packet-timed rounds have begun: one begins when a packet arrives that was sent after the one before began.
    pub round: u64,
    /// Payload bytes received since the report before.
    pub delivered: Bytes,
    /// What is in flight after it: sent, neither received nor lost (VI-D, inflight_size).
    pub inflight: Bytes,
}

/// What a controller believes of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathModel {
    /// Where its state machine stands.
    pub phase: BbrPhase,
    /// BtlBw or BW_max: the greatest delivery rate of its filter, zero before the first.
    pub bandwidth: BitRate,
    /// RTprop or RTTmin.
    pub min_rtt: Option<Duration>,
}

/// The states of BBR (draft-cardwell-iccrg-bbr-congestion-control-00, 4.3; draft-ietf-ccwg-bbr-06, 3.3; TACK paper, VI-D).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BbrPhase {
    /// Doubles the rate until the pipe is full.
    Startup,
    /// Takes away the queue that this made.
    Drain,
    /// Cruises, and asks for more now and then.
    ProbeBw {
        /// 0 while it asks for more, 1 while it drains, from 2 on while it cruises; in version 3, 3 while it fills the pipe before it asks for more.
        phase: u8,
    },
    /// Sends next to nothing, to see the path without a queue.
    ProbeRtt,
}

//! The wire between server and AP.

use std::sync::Arc;

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::flows::Direction;
use super::values::Probability;

/// The wire between server and AP: one link each way.
#[derive(Clone, PartialEq, Debug)]
pub struct WiredConfig {
    /// From the server to the AP.
    pub down: WiredLink,
    /// From the AP to the server.
    pub up: WiredLink,
    /// How the wire changes during the run, in order of time.
    pub steps: Vec<WireStep>,
    /// How the rate to the AP goes over time; `None` leaves it to [`WiredLink::rate`] and the
    /// steps.
    pub down_trace: Option<Arc<RateTrace>>,
    /// The same for the rate to the server.
    pub up_trace: Option<Arc<RateTrace>>,
    /// The largest IP packet it carries; a larger one is a mistake of the configuration, not fragmented.
    pub mtu: Bytes,
}

/// One direction of the wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WiredLink {
    /// Rate at which IP packets leave; framing of the wire's own is not counted. Greater than zero.
    pub rate: BitRate,
    /// From a packet's last bit sent to its last bit received.
    pub delay: Duration,
    /// A packet vanishes.
    pub loss: Probability,
    /// A packet is held back by [`Self::reorder_delay`], so that later ones overtake it.
    pub reorder: Probability,
    /// How long such a packet is held.
    pub reorder_delay: Duration,
    /// To the delay of each packet a time is added, drawn evenly from zero to this.
    pub jitter: Duration,
    /// Whether that time may let later packets overtake; if not, a packet arrives no sooner than those before it.
    pub jitter_reorders: bool,
    /// How much may wait for the link; a packet that finds so much waiting is dropped.
    pub buffer: WireBuffer,
    /// What a middlebox does at its end with options.
    pub new_options: NewOptions,
    /// And with segments.
    pub segments: Segments,
}

/// What a middlebox does with TCP options that are newer than it is: here those of TACK and the request for an ACK rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NewOptions {
    /// Nothing.
    #[default]
    Pass,
    /// It takes them out, and lets the packet pass.
    Strip,
    /// It drops the packet.
    Drop,
}

/// What a middlebox does with TCP segments whose options it does not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Segments {
    /// Nothing.
    #[default]
    Pass,
    /// Those with more than [`LONGEST_WHOLE`](Self::LONGEST_WHOLE) of payload it cuts into parts of so much and the rest, each with all options, as network cards do with what is too long for the
    /// link.
    Cut,
    /// It moves sequence numbers, and takes that back out of acknowledgement numbers and SACK options on their way to who has sent: as firewalls do that draw initial sequence numbers anew.
    Renumber,
}

impl Segments {
    /// The most payload that a segment has which is not cut.
    pub const LONGEST_WHOLE: Bytes = Bytes(700);
}

/// How much may wait for a link. The packet being sent does not wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WireBuffer {
    /// So many packets. At least 1.
    Packets(u32),
    /// So many bytes of IP packets; the last packet that is taken may go beyond. At least 1.
    Bytes(Bytes),
}

/// A change of the wire. What is on its way when it comes keeps the delay with which it left; what is being sent goes on at the new rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WireStep {
    /// From then on.
    pub at: Instant,
    /// The one direction that changes; `None` for both.
    pub direction: Option<Direction>,
    /// The new rate; `None` leaves it. At zero the link pauses: it keeps its queued packets, and
    /// the unsent rest of the packet under way, until a later step has a rate. Without bearing
    /// where the direction has a [`RateTrace`], unless the step is given to a cell that runs
    /// already.
    pub rate: Option<BitRate>,
    /// The new delay; `None` leaves it. Where it is shorter, later packets still arrive after earlier ones.
    pub delay: Option<Duration>,
    /// The new loss of packets; `None` leaves it.
    pub loss: Option<Probability>,
    /// What a middlebox at its end does from then on, also with what is on its way; `None` leaves it.
    pub new_options: Option<NewOptions>,
}

/// How the rate of one direction of the wire goes over time.
#[derive(Clone, PartialEq, Debug)]
pub struct RateTrace {
    points: TracePoints,
    /// After how long the points come again; `None`: they do not.
    period: Option<Duration>,
}

/// The points of a [`RateTrace`], in rising order of time.
#[derive(Clone, PartialEq, Debug)]
pub enum TracePoints {
    /// From each time on, this rate; zero pauses the link as a [`WireStep`] does. Before the first
    /// time the rate is [`WiredLink::rate`]; after the last the last rate holds, or the points come
    /// again.
    Rates(Vec<(Instant, BitRate)>),
    /// At each time, so many bytes of waiting packets may leave, as in a trace of mahimahi. A
    /// packet that does not fit leaves at the opportunity at which its last byte does. Bytes for
    /// which no packet waits are lost, and a packet that comes at the very time of an opportunity
    /// is too late for it.
    Opportunities(Vec<(Instant, Bytes)>),
}

impl RateTrace {
    /// A trace of these points. With a `period`, the points come again that much later, again and
    /// again.
    ///
    /// # Errors
    /// Says what is wrong: there are no points, their times do not rise, an opportunity has no
    /// byte, no rate is above zero, or the period is shorter than the points or zero.
    pub fn new(points: TracePoints, period: Option<Duration>) -> Result<Self, &'static str> {
        let (times, carries): (Vec<Instant>, bool) = match &points {
            TracePoints::Rates(points) => {
                (points.iter().map(|(at, _)| *at).collect(), points.iter().any(|(_, rate)| *rate > BitRate::ZERO))
            }
            TracePoints::Opportunities(points) => {
                (points.iter().map(|(at, _)| *at).collect(), points.iter().all(|(_, bytes)| *bytes > Bytes::ZERO))
            }
        };
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return Err("it has no points") };
        if times.windows(2).any(|pair| pair[1] <= pair[0]) {
            return Err("its times do not rise");
        }
        if !carries {
            return Err(match points {
                TracePoints::Rates(_) => "no rate of it is above zero",
                TracePoints::Opportunities(_) => "an opportunity of it has no byte",
            });
        }
        if period.is_some_and(|period| period.is_zero() || period < *last - *first) {
            return Err("its period is zero or shorter than its points");
        }
        // One rate alone holds anyway.
        let alone = times.len() == 1 && matches!(points, TracePoints::Rates(_));
        let trace = Self { points, period: period.filter(|_| !alone) };
        // The last rate may be the only one, and hold for no time before the points come again.
        if trace.work_per_period() == Some(0) {
            return Err("no rate of it is above zero for any time");
        }
        Ok(trace)
    }

    /// Its points.
    pub const fn points(&self) -> &TracePoints {
        &self.points
    }

    /// After how long they come again; `None`: they do not.
    pub const fn period(&self) -> Option<Duration> {
        self.period
    }

    /// What the rates carry from the first point until it comes again, in billionths of a bit;
    /// `None` for opportunities and for a trace that does not repeat.
    pub(crate) fn work_per_period(&self) -> Option<u128> {
        let (TracePoints::Rates(points), Some(period)) = (&self.points, self.period) else { return None };
        let end = points.first().map(|(at, _)| at.saturating_add(period));
        let ends = points.iter().skip(1).map(|(at, _)| *at).chain(end);
        let spans = points.iter().zip(ends);
        Some(spans.map(|((at, rate), end)| u128::from((end - *at).as_nanos()) * u128::from(rate.bps())).sum())
    }

    /// When the first point comes.
    pub fn first(&self) -> Instant {
        let first = match &self.points {
            TracePoints::Rates(points) => points.first().map(|(at, _)| *at),
            TracePoints::Opportunities(points) => points.first().map(|(at, _)| *at),
        };
        first.unwrap_or(Instant::ZERO)
    }
}

impl WireStep {
    /// A change of nothing, for both directions.
    pub const fn nothing(at: Instant) -> Self {
        Self { at, direction: None, rate: None, delay: None, loss: None, new_options: None }
    }
}

impl WiredLink {
    /// A link that loses nothing and keeps the order.
    pub const fn clean(rate: BitRate, delay: Duration, buffer_packets: u32) -> Self {
        Self {
            rate,
            delay,
            loss: Probability::NEVER,
            reorder: Probability::NEVER,
            reorder_delay: Duration::ZERO,
            jitter: Duration::ZERO,
            jitter_reorders: false,
            buffer: WireBuffer::Packets(buffer_packets),
            new_options: NewOptions::Pass,
            segments: Segments::Pass,
        }
    }
}

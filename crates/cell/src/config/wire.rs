//! The wire between server and AP.

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
    /// The new rate, greater than zero; `None` leaves it.
    pub rate: Option<BitRate>,
    /// The new delay; `None` leaves it. Where it is shorter, later packets still arrive after earlier ones.
    pub delay: Option<Duration>,
    /// The new loss of packets; `None` leaves it.
    pub loss: Option<Probability>,
    /// What a middlebox at its end does from then on, also with what is on its way; `None` leaves it.
    pub new_options: Option<NewOptions>,
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

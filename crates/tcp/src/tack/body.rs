//! What TACKs and IACKs carry behind the TCP header (paper, VI-B). [`codec`] has its bytes.

use ackless_wire::{BitRate, Bytes, Duration};

pub mod codec;

pub use codec::BodyError;

/// What a segment with the ACK-Type option is (paper, VI-A: a TACK is 1, IACKs are 2 to 255). The paper names the events
/// of IACKs but numbers only the loss; the other numbers are ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckKind {
    /// 1: a TACK, in the rhythm of the policy.
    Tack,
    /// 2: an IACK that pulls lost packets.
    Loss,
    /// 3: an IACK because the receive window closed or changed abruptly.
    Window,
    /// 4: an IACK about round-trip time: from the sender of data a request, from the receiver the answer.
    RoundTrip,
    /// 5: an IACK from the sender of data: the TACK frequency has changed.
    Frequency,
}

/// The body of a segment with the ACK-Type option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// Of a TACK, of an IACK about the window, and of the answer to a request for a round trip.
    Report(Report),
    /// Of an IACK about a loss.
    Loss(LossRange),
    /// Of an IACK about the frequency.
    Frequency(FrequencyUpdate),
    /// Of a request for a round trip.
    RoundTripRequest,
}

/// What a receiver of data reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many reports (of any type) the receiver has sent before this one, modulo 2^32: gaps show lost ones (VI-C, rho').
    pub serial: u32,
    /// The largest PKT.SEQ received.
    pub largest: u32,
    /// From the arrival of the packet with that number to the departure of this report. Microseconds on the wire.
    pub largest_delay: Duration,
    /// From the arrival of the packet whose departure the TSval names to the departure of this report. Microseconds on the wire.
    pub delay: Duration,
    /// Delivery rate over the last two TACK intervals (VI-D). Kilobits per second on the wire.
    pub delivery_rate: BitRate,
    /// Whether the sender was limited by its application while that rate was measured, as far as the receiver can tell: a
    /// short segment came. A hint for traces: our sender knows when it ran dry and goes by that.
    pub application_limited: bool,
    /// A window for controllers that compute it at the receiver. Ours compute it at the sender: zero, and not read.
    pub window: Bytes,
    /// Bytes received above the acknowledgement number.
    pub received_in_flight: Bytes,
    /// The interval between TACKs in force at the receiver, zero while every packet is acknowledged. Microseconds on the wire.
    pub interval: Duration,
    /// Lost packets for each million that should have been received, in the last TACK interval (VI-C, rho). For the sender's
    /// information: it is the receiver that needs it, for equation 5.
    pub loss_ppm: u32,
    /// HOL.SEQ: where the first data above the first hole begins; nothing where there is no hole. In bytes above the acknowledgement number of the segment: at
    /// least one, at most 2^32 - 1.
    pub hol: Option<Bytes>,
    /// More holes (receive-buffer bubbles) above the one that ends at `hol`, each from its first byte to just past its last, counted as that is, as
    /// the rules of VI-B order them.
    pub bubbles: Vec<(Bytes, Bytes)>,
}

/// The most recent range of lost packets: all numbers between the two (VI-B, figure 9).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossRange {
    /// The largest PKT.SEQ received when the loss was noticed.
    pub largest: u32,
    /// The largest PKT.SEQ received before.
    pub second: u32,
}

/// What the sender of data says about the frequency (VI-C).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrequencyUpdate {
    /// Counts the updates, so that an old one does not undo a newer.
    pub serial: u32,
    /// 1/f: the time between two TACKs; zero asks for an acknowledgement of every packet. Microseconds on the wire.
    pub interval: Duration,
    /// The least round-trip time. Microseconds on the wire.
    pub min_rtt: Duration,
    /// The greatest delivery rate. Kilobits per second on the wire.
    pub bandwidth: BitRate,
    /// Lost TACKs for each million expected (VI-C, rho').
    pub ack_loss_ppm: u32,
}

impl AckKind {
    /// The value of the option.
    pub const fn value(self) -> u8 {
        match self {
            Self::Tack => 1,
            Self::Loss => 2,
            Self::Window => 3,
            Self::RoundTrip => 4,
            Self::Frequency => 5,
        }
    }

    /// The kind that an option's value names, if any.
    pub const fn of(value: u8) -> Option<Self> {
        Some(match value {
            1 => Self::Tack,
            2 => Self::Loss,
            3 => Self::Window,
            4 => Self::RoundTrip,
            5 => Self::Frequency,
            _ => return None,
        })
    }
}

//! TCP ACK agent and auto-zoom: the sums of "Performance Improvement of 802.11 Wireless Access Network with TCP ACK Agent and
//! Auto-Zoom Backoff Algorithm" (Pang, Liew and Leung).
//!
//! The paper has two pieces of arithmetic:
//!
//! - section II: the air time of a data frame and of a TCP ACK, each with its link-layer ACK, as sums of seven terms
//!   ([`Parameters::frame`]);
//! - section III.3: S_TCP, what a download gets whose ACKs the agent makes, and whose contention window stands at minCWmin
//!   ([`Parameters::agent`]).
//!
//! For the standard exchange, which its gains of 60, 65 and more than 100 % refer to, it has none. [`Parameters::standard`] is
//! that sum by the same terms, with the mean of CWmin as back-off, a TCP ACK as a frame of its own, and no collisions;
//! [`Column::by_the_standard`] is the download by the frames of IEEE Std 802.11-2020, for
//! [`contention`](crate::hack::contention), and [`download`] what the agent makes of any [`Download`].
//!
//! # How the paper's terms differ from the standard's frames
//!
//! - A frame has 28 bytes around the IP packet: 24 of MAC header and 4 of FCS. LLC and SNAP, 8 bytes, are missing.
//! - Bits are divided by the rate. The standard counts whole microseconds in 802.11b, and in 802.11a and g whole symbols of
//!   4 us, which also hold 16 bits of SERVICE and 6 of tail: the Ack at 6 Mbps lasts 24 us, not 18.7.
//! - 802.11g's signal extension of 6 us and SIFS of 10 us do not occur: both are 802.11a here.
//! - Contention windows count values: 32 is the standard's 31, from 0 to 31, and minCWmin = 2 is 0 or 1.
//! - S_TCP counts the TCP header as payload. [`Round::throughput`] does so, [`Round::goodput`] does not.

use ackless_phy::{Band, DsssRate, OfdmRate, Standard, TxVector};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::exchange::Link;
use crate::hack::{Cycle, Download};

/// A column of Table I.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// 802.11b at 11 Mbps, Acks at 2.
    B,
    /// 802.11a and g at 54 Mbps, Acks at 6.
    AG,
}

/// What a column of Table I says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// CWmin, as a number of values: 0 to `cw_min - 1`.
    pub cw_min: u16,
    /// SlotTime.
    pub slot: Duration,
    /// SIFSTime.
    pub sifs: Duration,
    /// "PHY overhead": preamble and PHY header, of a data frame and of an Ack alike.
    pub phy: Duration,
    /// DataRate.
    pub data_rate: BitRate,
    /// BasicDataRate, at which Acks are sent.
    pub basic_rate: BitRate,
}

/// A data frame and its Ack, term by term as section II writes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// DIFS.
    pub difs: Duration,
    /// PHY overhead of the data frame.
    pub phy: Duration,
    /// MAC header and FCS.
    pub mac: Duration,
    /// What the MAC carries.
    pub payload: Duration,
    /// SIFS.
    pub sifs: Duration,
    /// PHY overhead of the Ack.
    pub ack_phy: Duration,
    /// The Ack's bytes.
    pub ack: Duration,
}

/// What a download repeats: some data frames, and the TCP ACK for them if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// Data frames.
    pub segments: u64,
    /// TCP_DATA: the length of a segment, TCP header included.
    pub segment: Bytes,
    /// The data frames with their waits, back-offs and Acks.
    pub data: Duration,
    /// The TCP ACK with wait, back-off and Ack.
    pub acks: Duration,
}

impl Column {
    /// Its parameters.
    pub const fn parameters(self) -> &'static Parameters {
        match self {
            Self::B => &Parameters::B,
            Self::AG => &Parameters::AG,
        }
    }

    /// A download by the standard's frames, with LLC and SNAP, and with Acks at the paper's rate: segments of `segment` bytes,
    /// TCP header included and at least that, and a TCP ACK for every `segments_per_ack` of them, at least 1.
    pub fn by_the_standard(self, segment: Bytes, segments_per_ack: u64) -> Download {
        let link = match self {
            Self::B => Link::of(Standard::B, Band::Ghz2_4, TxVector::dsss(DsssRate::Mbps11)),
            Self::AG => {
                let data = TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5);
                Link { answer: TxVector::ofdm(OfdmRate::Mbps6, Band::Ghz5), ..Link::of(Standard::A, Band::Ghz5, data) }
            }
        };
        Download {
            packet: segment + IP,
            segment: segment - TCP_HEADER,
            ack: TCP_ACK,
            segments_per_ack,
            ..Download::over(link)
        }
    }
}

impl Parameters {
    /// 802.11b.
    pub const B: Self = Self {
        cw_min: 32,
        slot: Duration::from_micros(20),
        sifs: Duration::from_micros(10),
        phy: Duration::from_micros(192),
        data_rate: BitRate::from_mbps(11),
        basic_rate: BitRate::from_mbps(2),
    };

    /// 802.11a and g.
    pub const AG: Self = Self {
        cw_min: 16,
        slot: Duration::from_micros(9),
        sifs: Duration::from_micros(16),
        phy: Duration::from_micros(20),
        data_rate: BitRate::from_mbps(54),
        basic_rate: BitRate::from_mbps(6),
    };

    /// SIFS and two slots: 50 us in 802.11b, as section II has it. Table I does not list it.
    pub fn difs(&self) -> Duration {
        self.sifs + self.slot * 2
    }

    /// A frame with `payload` bytes, IP header included, and its Ack, without back-off: section II. Each term is rounded up to
    /// a whole nanosecond.
    pub fn frame(&self, payload: Bytes) -> Frame {
        Frame {
            difs: self.difs(),
            phy: self.phy,
            mac: self.data_rate.time_ceil(MAC),
            payload: self.data_rate.time_ceil(payload),
            sifs: self.sifs,
            ack_phy: self.phy,
            ack: self.basic_rate.time_ceil(ACK),
        }
    }

    /// The mean back-off from a window of `values` values, at least 1: T_slot (CW - 1) / 2.
    pub fn backoff(&self, values: u16) -> Duration {
        self.slot * u64::from(values.saturating_sub(1)) / 2
    }

    /// The denominator of S_TCP: a segment of `segment` bytes, TCP header included, whose ACK the agent makes, sent from a window
    /// of `min_cw_min` values.
    pub fn agent(&self, segment: Bytes, min_cw_min: u16) -> Round {
        let data = self.frame(segment + IP).duration() + self.backoff(min_cw_min);
        Round { segments: 1, segment, data, acks: Duration::ZERO }
    }

    /// The same without agent and auto-zoom: `segments_per_ack` segments, at least 1, and then a TCP ACK of 40 bytes, each from
    /// a window of CWmin values, one after the other. The paper does not write this sum.
    pub fn standard(&self, segment: Bytes, segments_per_ack: u64) -> Round {
        let backoff = self.backoff(self.cw_min);
        let data = (self.frame(segment + IP).duration() + backoff) * segments_per_ack;
        Round { segments: segments_per_ack, segment, data, acks: self.frame(TCP_ACK).duration() + backoff }
    }
}

impl Frame {
    /// Each term with the paper's name for it, in the paper's order.
    pub const fn terms(&self) -> [(&'static str, Duration); 7] {
        [
            ("DIFS", self.difs),
            ("PHY", self.phy),
            ("MAC", self.mac),
            ("data", self.payload),
            ("SIFS", self.sifs),
            ("PHY", self.ack_phy),
            ("ACK", self.ack),
        ]
    }

    /// Their sum.
    pub fn duration(&self) -> Duration {
        self.terms().into_iter().map(|(_, term)| term).sum()
    }
}

impl Round {
    /// From one round to the next.
    pub fn duration(&self) -> Duration {
        self.data + self.acks
    }

    /// As the paper counts: segments with their TCP headers over time; rounded down. For [`Parameters::agent`] this is S_TCP.
    pub fn throughput(&self) -> BitRate {
        (self.segment * self.segments).per(self.duration())
    }

    /// Application data over time, rounded down: without the TCP header of 20 bytes.
    pub fn goodput(&self) -> BitRate {
        ((self.segment - TCP_HEADER) * self.segments).per(self.duration())
    }
}

/// What the agent with auto-zoom makes of `download`: no TCP ACK is on the air, and every access draws from a window of
/// `min_cw_min` values, at least 1.
///
/// By the standard's frames. Nobody contends with the access point, so its window has come down to minCWmin, and stays there.
pub fn download(download: &Download, min_cw_min: u16) -> Cycle {
    let mut zoomed = *download;
    zoomed.link.cw_min = min_cw_min.saturating_sub(1);
    zoomed.without_acks()
}

/// The part of the air time of a data frame and a TCP ACK that the TCP ACK takes, in percent.
pub fn ack_share(data: Duration, ack: Duration) -> f64 {
    100.0 * ack.as_secs_f64() / (data + ack).as_secs_f64()
}

/// What section II prints for a data frame of 1500 bytes in 802.11b. Its terms sum to 1611.3 us.
///
/// That, and [`PRINTED_ACK`], would be round numbers of the sums with 10 us more: the mean back-off of minCWmin = 2, which S_TCP
/// has and section II does not write.
pub const PRINTED_DATA: Duration = Duration::from_micros(1_620);

/// What section II prints for a TCP ACK of 40 bytes. Its terms sum to 549.5 us.
pub const PRINTED_ACK: Duration = Duration::from_micros(560);

/// minCWmin in section III.3.
pub const MIN_CW_MIN: u16 = 2;

/// TCP_DATA in section III.3, TCP header included.
pub const SEGMENT: Bytes = Bytes(1_480);

/// A TCP ACK with its IP header, without options (section II).
pub const TCP_ACK: Bytes = Bytes(40);

/// IP (section III.3).
const IP: Bytes = Bytes(20);
/// The TCP header in a segment (section III.3).
const TCP_HEADER: Bytes = Bytes(20);
/// MAC header and FCS (section III.3).
const MAC: Bytes = Bytes(28);
/// A link-layer ACK (section III.3).
const ACK: Bytes = Bytes(14);

#[cfg(test)]
mod tests;

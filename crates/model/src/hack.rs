//! What a download gets by TCP with delayed ACKs, by TCP/HACK and by UDP: section 2.1 of the paper ("HACK: Hierarchical
//! ACKs for Efficient Wireless Medium Utilization", USENIX ATC 2014).
//!
//! One client, no losses, no collisions, the sender always has data, every access costs the mean back-off:
//!
//! - **TCP**: the access point sends its longest PPDU and is answered; the client sends the ACKs for it, one for every
//!   second segment, in one PPDU at the data's rate, and is answered;
//! - **TCP/HACK**: the same data PPDUs, and the compressed ACKs of each ride on the answer to the next one: the answer is
//!   longer, and nothing else is sent;
//! - **UDP**: the data PPDUs alone.
//!
//! A PPDU that holds an odd number of segments leaves one unacknowledged for the next PPDU's first, so the pattern repeats
//! after two: a [`Cycle`] is as many PPDUs as that takes.
//!
//! - [`contention`]: the TCP download again where access point and client contend, collide and retry;
//! - [`figure`]: the curves of figure 1 and the figures that the text quotes from them;
//! - [`tables`]: the arithmetic of tables 2 and 3.
//!
//! The paper refers to others for its derivation; what it leaves open is decided so, and stated where it is made: 1500-byte
//! IP packets with timestamps (1448 bytes of data, ACKs of 52 bytes, as in its table 2); control answers by the standard's
//! rule from 6, 12 and 24 Mbps; data by the frame formats of IEEE Std 802.11-2020; no framing around the appended bytes.

use std::fmt;
use std::str::FromStr;

use ackless_phy::MAX_PPDU;
use ackless_wire::{BitRate, Bytes, Duration};
use thiserror::Error;

use crate::exchange::{ACK, BLOCK_ACK, Exchange, Link, UDP_IP};

pub mod contention;
pub mod figure;
pub mod tables;

/// A download to one client that never ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Download {
    /// How access point and client send to each other.
    pub link: Link,
    /// The length of a full data packet, IP header included, the same for TCP and UDP.
    pub packet: Bytes,
    /// What a TCP data packet carries.
    pub segment: Bytes,
    /// The length of a TCP ACK, IP header included, at most that of a data packet.
    pub ack: Bytes,
    /// Segments for each ACK, at least 1.
    pub segments_per_ack: u64,
    /// The mean length of a compressed ACK.
    pub compressed: CompressedSize,
}

/// What bounds an A-MPDU, beside 65,535 bytes (HT) and the window of 64 MPDUs. Frames that go alone are not bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchLimit {
    /// Nothing else: PPDUs of any duration. At 15 Mbps 35 ms, which no edition of the standard allows.
    Length,
    /// The longest PPDU, 5.484 ms (aPPDUMaxTime, Table 19-25).
    Ppdu,
    /// A TXOP: PPDU, SIFS and BlockAck together. The paper's footnote 4 has 4 ms. Bytes appended to the BlockAck are not
    /// counted, since the sender does not know how many come; and a TXOP never makes a PPDU longer than
    /// [`Self::Ppdu`] does.
    Txop(Duration),
}

/// The mean length of a compressed ACK, in thousandths of a byte. Range: 0 to 1,000 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CompressedSize(u64);

/// What a download repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// PPDUs of data, each with one access and one answer.
    pub data_ppdus: u64,
    /// PPDUs of TCP ACKs, each with one access and one answer.
    pub ack_ppdus: u64,
    /// Data packets, all PPDUs together.
    pub packets: u64,
    /// Application data.
    pub payload: Bytes,
    /// The time of the data PPDUs, with waits, back-offs and answers of usual length.
    pub data: Duration,
    /// The time of the ACK PPDUs, with waits, back-offs and answers.
    pub acks: Duration,
    /// By how much the answers to data are longer for the ACKs appended to them.
    pub appended: Duration,
}

impl Download {
    /// The paper's download over `link`.
    pub const fn over(link: Link) -> Self {
        Self {
            link,
            packet: Bytes(1_500),
            segment: Bytes(1_448),
            ack: Bytes(52),
            segments_per_ack: 2,
            compressed: CompressedSize::PAPER,
        }
    }

    /// This download with A-MPDUs bounded by `limit`.
    #[must_use]
    pub fn bounded(mut self, limit: BatchLimit) -> Self {
        let answer = self.link.timing.sifs + self.link.answer.duration(BLOCK_ACK);
        if let Some(aggregation) = &mut self.link.aggregation {
            aggregation.max_duration = match limit {
                BatchLimit::Length => Duration::MAX,
                BatchLimit::Ppdu => MAX_PPDU,
                BatchLimit::Txop(txop) => txop.saturating_sub(answer).min(MAX_PPDU),
            };
        }
        self
    }

    /// This download with compressed ACKs of this mean length.
    #[must_use]
    pub const fn with_compressed(mut self, compressed: CompressedSize) -> Self {
        self.compressed = compressed;
        self
    }

    /// TCP with native ACKs.
    pub fn tcp(&self) -> Cycle {
        self.acks_by_ppdu().filter(|&acks| acks > 0).fold(self.without_acks(), |cycle, acks| Cycle {
            ack_ppdus: cycle.ack_ppdus + 1,
            acks: cycle.acks + self.link.exchange(acks, self.ack).duration(),
            ..cycle
        })
    }

    /// TCP/HACK: the ACKs of each PPDU are appended, compressed, to the answer to the one after it.
    ///
    /// Over a cycle it does not matter on which answer; their lengths together are rounded up to a whole byte for each
    /// answer.
    pub fn hack(&self) -> Cycle {
        let answer = if self.data_exchange().packets == 1 { ACK } else { BLOCK_ACK };
        let plain = self.link.answer.duration(answer);
        let longer = |acks| self.link.answer.duration(answer + self.compressed.total(acks)) - plain;
        Cycle { appended: self.acks_by_ppdu().map(longer).sum(), ..self.without_acks() }
    }

    /// TCP whose ACKs cost no air time: its data PPDUs alone, in as many as a cycle of TCP takes.
    pub fn without_acks(&self) -> Cycle {
        self.data_alone(self.segment)
    }

    /// UDP, in as many PPDUs as a cycle of TCP takes.
    pub fn udp(&self) -> Cycle {
        self.data_alone(self.packet - UDP_IP)
    }

    /// The exchange of the longest data PPDU.
    pub fn data_exchange(&self) -> Exchange {
        self.link.longest_exchange(self.packet)
    }

    /// How many ACKs each data PPDU of a cycle causes. An ACK is no longer than a data packet, so where a PPDU of data fits,
    /// its ACKs fit in one PPDU too.
    pub(crate) fn acks_by_ppdu(&self) -> impl Iterator<Item = u64> {
        let (packets, l) = (self.data_exchange().packets, self.segments_per_ack);
        (0..self.ppdus_in_cycle()).map(move |ppdu| (ppdu + 1) * packets / l - ppdu * packets / l)
    }

    /// The fewest PPDUs whose segments are a multiple of those for one ACK.
    fn ppdus_in_cycle(&self) -> u64 {
        let (packets, l) = (self.data_exchange().packets, self.segments_per_ack);
        (1..l).find(|ppdus| (ppdus * packets).is_multiple_of(l)).unwrap_or(l)
    }

    fn data_alone(&self, payload: Bytes) -> Cycle {
        let (exchange, ppdus) = (self.data_exchange(), self.ppdus_in_cycle());
        Cycle {
            data_ppdus: ppdus,
            ack_ppdus: 0,
            packets: exchange.packets * ppdus,
            payload: payload * (exchange.packets * ppdus),
            data: exchange.duration() * ppdus,
            acks: Duration::ZERO,
            appended: Duration::ZERO,
        }
    }
}

impl Cycle {
    /// From the start of one cycle to the start of the next.
    pub fn duration(&self) -> Duration {
        self.data + self.acks + self.appended
    }

    /// Application data over time, rounded down.
    pub fn goodput(&self) -> BitRate {
        self.payload.per(self.duration())
    }
}

impl CompressedSize {
    /// What the paper measured: 39,478 bytes in 9,050 compressed ACKs (table 2), 4.36 bytes each.
    pub const PAPER: Self = Self(4_360);

    /// Nothing: ACKs that cost no air time at all.
    pub const ZERO: Self = Self(0);

    /// `milli` thousandths of a byte.
    ///
    /// # Errors
    /// Past 1,000 bytes.
    pub const fn from_milli(milli: u64) -> Result<Self, CompressedSizeError> {
        if milli > MOST.0 { Err(CompressedSizeError) } else { Ok(Self(milli)) }
    }

    /// The mean in bytes.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// What `acks` of them take together, rounded up to a whole byte.
    pub const fn total(self, acks: u64) -> Bytes {
        Bytes((acks * self.0).div_ceil(1_000))
    }
}

impl FromStr for CompressedSize {
    type Err = CompressedSizeError;

    /// Reads a decimal number of bytes with up to three decimals: `4.36`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > 3 {
            return Err(CompressedSizeError);
        }
        let number = |part: &str| part.parse::<u64>().map_err(|_| CompressedSizeError);
        Self::from_milli(number(whole)? * 1_000 + number(&format!("{decimals:0<3}"))?)
    }
}

impl fmt::Display for CompressedSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

/// A text or number that is no mean length of a compressed ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("expected bytes for each compressed ACK, from 0 to 1000 with at most three decimals, for example 4.36")]
pub struct CompressedSizeError;

/// Far above the length of any TCP ACK.
const MOST: CompressedSize = CompressedSize(1_000_000);

#[cfg(test)]
mod tests;

//! 802.11 ACK filtering: equations 2 to 8 of "Improving TCP Performance in IEEE 802.11 Networks" (Statkus and Paulikas).
//!
//! They are about one sender of 802.11a: a payload, its back-off and its link-layer ACK, or none of the latter. [`Equations`]
//! has each as a function. What is not printed:
//!
//! - equation 7. Equation 8 follows equation 3, and its denominator is equation 4 without SIFS and ACK: we take that sum for
//!   equation 7, `T = T_difs + T_b + T_data`. The text then refers to an equation 9, which is equation 8;
//! - L_mac. We take 34 bytes: the MAC header with four addresses, 30, and the FCS, 4;
//! - CW. We take CWmin of 802.11a: 0 to 15, 7.5 slots on average.
//!
//! Equations 5 and 6 are the standard's: 22 bits are SERVICE and tail, and symbols are whole. What differs from the frames
//! elsewhere in this crate is the framing alone: 34 bytes for 24 of MAC header, 8 of LLC and SNAP and 4 of FCS, and that the
//! payload of a frame counts whole, TCP and IP headers included.
//!
//! The paper filters the link-layer ACKs of TCP ACKs only. [`download`] is that, over any [`Download`], and
//! [`contention::tcp_with_unanswered_acks`](crate::hack::contention::tcp_with_unanswered_acks) the same with collisions.

use ackless_phy::{BasicRates, OfdmRate, Standard, TxVector};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::hack::{Cycle, Download};

/// The constants of section III.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Equations {
    /// T_pre.
    pub preamble: Duration,
    /// T_phy.
    pub phy: Duration,
    /// T_ofdm.
    pub symbol: Duration,
    /// T_difs.
    pub difs: Duration,
    /// T_sifs.
    pub sifs: Duration,
    /// T_slot.
    pub slot: Duration,
    /// CW: back-offs are from 0 to this.
    pub cw: u16,
    /// L_mac.
    pub mac: Bytes,
    /// L_ack.
    pub ack: Bytes,
}

impl Equations {
    /// 802.11a.
    pub const A: Self = Self {
        preamble: Duration::from_micros(16),
        phy: Duration::from_micros(4),
        symbol: Duration::from_micros(4),
        difs: Duration::from_micros(34),
        sifs: Duration::from_micros(16),
        slot: Duration::from_micros(9),
        cw: 15,
        mac: Bytes(34),
        ack: Bytes(14),
    };

    /// These with L_mac of `mac` bytes.
    #[must_use]
    pub const fn with_mac(self, mac: Bytes) -> Self {
        Self { mac, ..self }
    }

    /// Equation 2, its mean: T_b = CW / 2 T_slot.
    pub fn backoff(&self) -> Duration {
        self.slot * u64::from(self.cw) / 2
    }

    /// Equation 3: 8 L_data / T_dcf, rounded down.
    pub fn throughput(&self, rate: OfdmRate, payload: Bytes) -> BitRate {
        payload.per(self.exchange(rate, payload))
    }

    /// Equation 4: T_dcf = T_difs + T_b + T_data + T_sifs + T_ack.
    pub fn exchange(&self, rate: OfdmRate, payload: Bytes) -> Duration {
        self.unanswered(rate, payload) + self.sifs + self.answer(rate)
    }

    /// Equation 5: T_data, a frame with `payload` bytes at `rate`.
    pub fn data(&self, rate: OfdmRate, payload: Bytes) -> Duration {
        self.frame(rate, self.mac + payload)
    }

    /// Equation 6: T_ack, at the highest mandatory rate not above `rate`.
    pub fn answer(&self, rate: OfdmRate) -> Duration {
        self.frame(BasicRates::of(Standard::A).ofdm_answer(rate), self.ack)
    }

    /// Equation 7 as we take it: T_difs + T_b + T_data.
    pub fn unanswered(&self, rate: OfdmRate, payload: Bytes) -> Duration {
        self.difs + self.backoff() + self.data(rate, payload)
    }

    /// Equation 8: the throughput where nobody answers, rounded down.
    pub fn throughput_unanswered(&self, rate: OfdmRate, payload: Bytes) -> BitRate {
        payload.per(self.unanswered(rate, payload))
    }

    /// Figure 2: by how much equation 8 is above equation 3, in percent. It has a value for an empty payload too.
    pub fn gain(&self, rate: OfdmRate, payload: Bytes) -> f64 {
        let (answered, unanswered) = (self.exchange(rate, payload), self.unanswered(rate, payload));
        100.0 * (answered.as_secs_f64() / unanswered.as_secs_f64() - 1.0)
    }

    fn frame(&self, rate: OfdmRate, psdu: Bytes) -> Duration {
        let symbols = (SERVICE_AND_TAIL_BITS + psdu.bits()).div_ceil(rate.bits_per_symbol());
        self.preamble + self.phy + self.symbol * symbols
    }
}

/// The lowest rate at which `carries` reaches `target`, if one does.
pub fn slowest_rate(target: BitRate, carries: impl Fn(OfdmRate) -> BitRate) -> Option<OfdmRate> {
    OfdmRate::ALL.into_iter().find(|&rate| carries(rate) >= target)
}

/// What filtering the link-layer ACKs of TCP ACKs makes of `download`: each TCP ACK goes out as `group`, alone, and nobody
/// answers.
///
/// Group-addressed frames are not aggregated, so with A-MPDUs every TCP ACK costs an access of its own. No collisions, no
/// losses. It is the same for uploads, where the access point sends the ACKs.
pub fn download(download: &Download, group: TxVector) -> Cycle {
    let acks: u64 = download.acks_by_ppdu().sum();
    let each = download.link.unanswered(group, download.ack).duration();
    Cycle { ack_ppdus: acks, acks: each * acks, ..download.without_acks() }
}

/// The share of all frames, link-layer ACKs included, that filtering saves where one TCP ACK goes for `segments_per_ack` data
/// frames, in percent: one of `2 (L + 1)`.
pub fn frames_saved(segments_per_ack: u64) -> f64 {
    100.0 / (2 * (segments_per_ack + 1)) as f64
}

/// Frames in a second, link-layer ACKs included, where TCP carries `goodput` in segments of `segment` bytes of data, without
/// filtering.
pub fn frames_per_second(goodput: BitRate, segment: Bytes, segments_per_ack: u64) -> f64 {
    let segments = goodput.bps() as f64 / segment.bits() as f64;
    2.0 * segments * (segments_per_ack + 1) as f64 / segments_per_ack as f64
}

/// 16 bits of SERVICE and 6 of tail (17.3.5.2, 17.3.5.3).
const SERVICE_AND_TAIL_BITS: u64 = 22;

#[cfg(test)]
mod tests;

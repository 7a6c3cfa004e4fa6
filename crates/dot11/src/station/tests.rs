//! Scripts of frame exchanges between two or three stations, each line worked by hand.
//!
//! A line reads `start..end from>to what, duration d`: times in microseconds since the start, and `d` the Duration field. The windows are
//! fixed at zero unless a test says otherwise, so that a station sends at the end of DIFS or AIFS and no test depends on a draw.
//!
//! The spans that the scripts are made of, in microseconds:
//!
//! | | |
//! |---|---|
//! | 802.11a: SIFS, slot, DIFS | 16, 9, 34 |
//! | AIFS of best effort; EIFS - DIFS = SIFS + Ack at 6 Mbps | 43; 16 + 44 = 60 |
//! | 1500-byte packet at 54 Mbps: MPDU 1536, 57 symbols | 20 + 228 = 248 |
//! | the same under QoS, HT MCS 7, 40 MHz, short GI: MPDU 1538, 23 symbols of 3.6, 82.8 rounded up | 36 + 84 = 120 |
//! | A-MPDU of 3 such: 2 x 1544 + 1542 = 4630 bytes, 69 symbols, 248.4 rounded up | 36 + 252 = 288 |
//! | at 24 Mbps: Ack, CTS (14 bytes, 2 symbols); RTS (20, 2); BlockAck (32, 3); BlockAck Request (24, 3) | 28; 28; 32; 32 |
//! | answer timeout: SIFS + slot + preamble of the answer | 16 + 9 + 20 = 45 |

mod air;
mod block;
mod bounds;
mod device;
mod reserve;
mod rules;
mod single;
mod unanswered;

use ackless_phy::ampdu::{MAX_HT_MPDU, MAX_VHT_MPDU};
use ackless_phy::{
    Band, BasicRates, GuardInterval, HtMode, MpduSpacing, OfdmRate, Standard, Timing, TxVector, VhtMode, Width,
};
use ackless_wire::{Bytes, Duration, Instant};

use super::{Aggregation, Amsdu, LinkConfig, MacConfig};
use crate::access::{BackoffPolicy, Function, Parameters};
use crate::frame::{NodeId, Tid};
use crate::queue::QueueConfig;
use crate::rate::RateChoice;

/// Microseconds since the start.
const fn at(micros: u64) -> Instant {
    Instant::from_micros(micros)
}

const fn us(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

const fn ofdm(rate: OfdmRate) -> TxVector {
    TxVector::ofdm(rate, Band::Ghz5)
}

/// HT at 40 MHz with the short guard interval: MCS 7 is 150 Mbps.
fn ht(mcs: u8) -> TxVector {
    TxVector::Ht(HtMode::new(mcs, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("the mode exists"))
}

/// VHT MCS 9, two streams, 80 MHz, short guard interval: 866.7 Mbps.
fn vht() -> TxVector {
    TxVector::Vht(VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("the mode exists"))
}

/// A station of 802.11a: DCF, no RTS, 7 attempts.
fn dcf(node: u16) -> MacConfig {
    let timing = Timing::of(Standard::A, Band::Ghz5);
    MacConfig {
        node: NodeId(node),
        timing,
        access: Parameters { function: Function::Dcf, ifs: timing.difs(), slot: timing.slot, cw_min: 0, cw_max: 0 },
        backoff: BackoffPolicy::Standard,
        tid: Tid(0),
        txop_limit: Duration::ZERO,
        basic_rates: BasicRates::of(Standard::A),
        fixed_answer: None,
        group_rate: ofdm(OfdmRate::Mbps6),
        rts_threshold: None,
        retry_limit: 7,
        ack_timeout_extra: Duration::ZERO,
        answer_delay: Duration::ZERO,
        idle_at_end: false,
        bounds: None,
        device: None,
        eifs_extra: timing.eifs() - timing.difs(),
    }
}

/// The same with best-effort EDCA, as in 802.11n and ac at 5 GHz.
fn edca(node: u16) -> MacConfig {
    let plain = dcf(node);
    let access = Parameters { function: Function::Edca, ifs: plain.timing.aifs(3), ..plain.access };
    MacConfig { access, ..plain }
}

/// A link that sends single Data frames at 54 Mbps.
fn legacy_link(peer: u16) -> LinkConfig {
    LinkConfig {
        peer: NodeId(peer),
        rate: ofdm(OfdmRate::Mbps54),
        control: RateChoice::Fixed,
        qos: false,
        aggregation: None,
        reorders: None,
        queue: QueueConfig::Fifo { packets: 1000 },
    }
}

/// A link that sends single QoS Data frames.
fn qos_link(peer: u16, rate: TxVector) -> LinkConfig {
    LinkConfig { rate, qos: true, ..legacy_link(peer) }
}

/// A link that sends A-MPDUs, limited by the format alone, and takes them in.
fn block_link(peer: u16, rate: TxVector) -> LinkConfig {
    let aggregation = Aggregation {
        max_bytes: rate.longest_psdu(),
        max_mpdus: 64,
        window: 64,
        spacing: MpduSpacing::None,
        amsdu: None,
    };
    LinkConfig { aggregation: Some(aggregation), reorders: Some(64), ..qos_link(peer, rate) }
}

/// [`block_link`] with this change.
fn limited_link(peer: u16, rate: TxVector, limit: impl FnOnce(&mut Aggregation)) -> LinkConfig {
    let mut link = block_link(peer, rate);
    limit(link.aggregation.as_mut().expect("this link sends A-MPDUs"));
    link
}

/// A packet of the usual length.
const FULL: Bytes = Bytes(1500);

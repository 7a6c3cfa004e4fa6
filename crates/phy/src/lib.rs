//! 802.11 rates, frame durations, timing constants and the error model, as pure functions.
//!
//! - [`tx_vector`]: how a PPDU is sent, and from that its duration, rate and the rate of its answer; one module for
//!   each PHY: [`dsss`], [`ofdm`], [`ht`], [`vht`]. 802.11ax will be a fifth variant of [`TxVector`] with its own
//!   module; `rate_set` lists all the ways to send to a peer;
//! - [`coding`]: modulation, code rate, channel width and guard interval;
//! - [`basic_rates`]: the rates that control answers choose from;
//! - [`standard`]: the generations of Wi-Fi; [`timing`]: slot, SIFS, contention window and what follows from them;
//!   [`edca`]: the access categories;
//! - [`ampdu`]: how long an A-MPDU is;
//! - [`link_budget`], [`channel`] and [`error_model`]: from distance to SNR, how that goes over time, and from SNR to the chance that a frame
//!   arrives.
//!
//! Clauses are those of IEEE Std 802.11-2020. Durations, lengths and rates are integers throughout; only the last three
//! modules use floats, through `libm`, so that they give the same bits on every machine.
//!
//! Not modelled: HT-greenfield format, MCS 32 and unequal modulation (HT MCS 33 to 76), STBC, LDPC, beamforming and its
//! extra training fields, PBCC, DSSS-OFDM, multi-user PPDUs.

pub mod ampdu;
pub mod basic_rates;
pub mod channel;
pub mod coding;
pub mod dsss;
pub mod edca;
pub mod error_model;
pub mod ht;
pub mod link_budget;
mod mode_error;
pub mod ofdm;
mod rate_set;
pub mod standard;
pub mod timing;
pub mod tx_vector;
pub mod vht;

pub use ampdu::{AmpduLength, MpduSpacing};
pub use basic_rates::{BasicRates, LegacyRate};
pub use channel::{Channel, Fading};
pub use coding::{Band, CodeRate, Coding, GuardInterval, Modulation, Width};
pub use dsss::{DsssMode, DsssRate, Preamble};
pub use edca::{AccessCategory, EdcaParameters};
pub use error_model::BitErrors;
pub use ht::HtMode;
pub use link_budget::{Db, Dbm, LinkBudget};
pub use mode_error::ModeError;
pub use ofdm::{OfdmMode, OfdmRate};
pub use standard::Standard;
pub use timing::Timing;
pub use tx_vector::{MAX_PPDU, TxVector};
pub use vht::VhtMode;

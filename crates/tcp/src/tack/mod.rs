//! TACK: a transport that needs almost no acknowledgements (Li et al., "Revisiting Acknowledgment Mechanism for Transport
//! Control", IEEE/ACM Transactions on Networking, 2021).
//!
//! The paper's parts and their rooms:
//! - [`config`]: what can be chosen;
//! - [`body`]: what TACKs and IACKs carry, and its bytes (VI-B);
//! - [`memory`]: what a host remembers of it from one connection to the next;
//! - `terms`: beta and L, on which both ends agree;
//! - `time`: the time of rates and of the filters over them;
//! - `receiving`: the receiver of data (V-A, V-B, VI-C);
//! - `sending`: the sender of data (V-A, V-B, V-C).

pub mod body;
pub mod config;
pub mod memory;
pub(crate) mod receiving;
pub(crate) mod sending;
pub(crate) mod terms;
pub(crate) mod time;

pub use body::{AckKind, Body, BodyError};
pub use config::{Blocks, LossSignal, RateBy, Settling, Share, TackConfig, Timing};

pub use memory::{Memory, Verdict};

use receiving::Receiving;
use sending::Sending;
use terms::Terms;

/// What an endpoint keeps while TACK is in force on its connection: both ends have permitted it, and nothing has shown that
/// its options are stripped on the way.
#[derive(Clone, Debug)]
pub(crate) struct Tack {
    /// What this end has chosen.
    pub(crate) config: TackConfig,
    pub(crate) sending: Sending,
    pub(crate) receiving: Receiving,
}

impl Tack {
    /// At the moment when both ends have permitted it, on these terms.
    pub(crate) fn new(config: TackConfig, terms: Terms) -> Self {
        Self { config, sending: Sending::new(config, terms), receiving: Receiving::new(config, terms) }
    }

    /// Whether neither half has something to tell in a segment of its own, but for a TACK that the policy may owe.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        self.sending.is_silent() && self.receiving.is_silent()
    }
}

//! What ships today at the sender of ACKs: TCP ACKs thinned out in the queue.

mod config;
mod counters;

use ackless_dot11::hooks::Scheme;

pub use config::{Kind, RateStep, ThinningConfig};
pub use counters::ThinningCounters;

/// ACK thinning on one node.
#[derive(Debug)]
pub struct Thinning {
    config: ThinningConfig,
    counters: ThinningCounters,
}

impl Thinning {
    /// One that has seen nothing.
    pub fn new(config: ThinningConfig) -> Self {
        Self { config, counters: ThinningCounters::default() }
    }

    /// What it has counted.
    pub fn counters(&self) -> &ThinningCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &ThinningConfig {
        &self.config
    }
}

impl Scheme for Thinning {}

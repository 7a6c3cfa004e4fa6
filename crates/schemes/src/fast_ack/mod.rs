//! FastACK: the AP acknowledges TCP data after the 802.11 ACK, keeps the client's own ACKs back, and repairs from its cache.

mod config;
mod counters;

use ackless_dot11::hooks::Scheme;

pub use config::FastAckConfig;
pub use counters::FastAckCounters;

/// FastACK on an AP.
#[derive(Debug)]
pub struct FastAck {
    config: FastAckConfig,
    counters: FastAckCounters,
}

impl FastAck {
    /// One that has seen nothing.
    pub fn new(config: FastAckConfig) -> Self {
        Self { config, counters: FastAckCounters::default() }
    }

    /// What it has counted.
    pub fn counters(&self) -> &FastAckCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &FastAckConfig {
        &self.config
    }
}

impl Scheme for FastAck {}

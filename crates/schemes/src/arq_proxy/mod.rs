//! The ARQ proxy: the sender's side keeps an ACK for each TCP data packet, and a link-layer ACK asks for it (Kliazovich, Ben Halima and
//! Granelli, section 2).

mod config;
mod counters;

use ackless_dot11::hooks::Scheme;

pub use config::{ArqProxyConfig, Identification};
pub use counters::ArqProxyCounters;

/// The ARQ proxy on one node: proxy where it sends data, client where it receives some.
#[derive(Debug)]
pub struct ArqProxy {
    config: ArqProxyConfig,
    counters: ArqProxyCounters,
}

impl ArqProxy {
    /// A proxy that has seen nothing.
    pub fn new(config: ArqProxyConfig) -> Self {
        Self { config, counters: ArqProxyCounters::default() }
    }

    /// What it has counted.
    pub fn counters(&self) -> &ArqProxyCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &ArqProxyConfig {
        &self.config
    }
}

impl Scheme for ArqProxy {}

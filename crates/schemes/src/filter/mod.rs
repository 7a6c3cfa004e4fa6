//! 802.11 ACK filtering: TCP ACKs go out as frames that no link-layer ACK answers (Statkus and Paulikas, IV).

mod config;
mod counters;

use ackless_dot11::hooks::Scheme;

pub use config::{FilterConfig, Filtered, Form};
pub use counters::FilterCounters;

/// ACK filtering on one node.
#[derive(Debug)]
pub struct Filter {
    config: FilterConfig,
    counters: FilterCounters,
}

impl Filter {
    /// A filter that has seen nothing.
    pub fn new(config: FilterConfig) -> Self {
        Self { config, counters: FilterCounters::default() }
    }

    /// What it has counted.
    pub fn counters(&self) -> &FilterCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &FilterConfig {
        &self.config
    }
}

impl Scheme for Filter {}

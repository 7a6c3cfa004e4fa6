//! The TCP ACK agent: the AP makes the TCP ACK when the MAC ACK comes (Pang, Liew and Leung, III.1).

mod config;
mod counters;

use ackless_dot11::hooks::Scheme;

pub use config::{AgentConfig, Solution};
pub use counters::AgentCounters;

/// The TCP ACK agent on one node, the AP's or the station's half of it.
#[derive(Debug)]
pub struct Agent {
    config: AgentConfig,
    counters: AgentCounters,
}

impl Agent {
    /// An agent that has seen nothing.
    pub fn new(config: AgentConfig) -> Self {
        Self { config, counters: AgentCounters::default() }
    }

    /// What it has counted.
    pub fn counters(&self) -> &AgentCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &AgentConfig {
        &self.config
    }
}

impl Scheme for Agent {}

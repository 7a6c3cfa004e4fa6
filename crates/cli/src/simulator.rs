//! The simulator as the laboratory's runner.

use ackless_cell::config::CellConfig;
use ackless_cell::result::RunResult;
use ackless_lab::run::Runner;

/// Runs cells for real.
pub struct Simulator;

impl Runner for Simulator {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        ackless_cell::run(config, seed)
    }
}

//! A whole run: warm-up, measured window, result.

use ackless_schemes::Stock;
use ackless_wire::Instant;

use crate::cell::Cell;
use crate::config::CellConfig;
use crate::observe::Observer;
use crate::recorder::Recorder;
use crate::result::RunResult;

/// Runs a cell from its start to the end of the measured window. `wall_seconds` of the result is left at zero.
pub fn run(config: &CellConfig, seed: u64) -> RunResult {
    run_observed(config, seed, &mut ())
}

/// Runs a cell with one more observer beside the recorder.
pub fn run_observed(config: &CellConfig, seed: u64, observer: &mut impl Observer) -> RunResult {
    let observers = (Recorder::new(config), observer);
    let mut cell = Cell::new(config, seed, |_| Stock, observers);
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let events = cell.events();
    let (recorder, _) = cell.into_observer();
    recorder.result(config, seed, events)
}

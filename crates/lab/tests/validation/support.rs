//! What the validation tests share.

use ackless_cell::config::CellConfig;
use ackless_cell::result::RunResult;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};

/// A built-in scenario with overrides.
pub fn scenario(name: &str, overrides: &[&str]) -> Scenario {
    let builtin = Builtin::find(name).unwrap_or_else(|error| panic!("{error}"));
    let mut scenario = builtin.scenario().unwrap_or_else(|error| panic!("{error}"));
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    scenario
}

/// The cell of a built-in scenario with overrides, in the row of this name.
pub fn cell(name: &str, row: &str, overrides: &[&str]) -> CellConfig {
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    scenario(name, overrides).build(row).unwrap_or_else(|error| panic!("{error}"))
}

/// The mean of a figure over the runs with seeds 1 to `seeds`.
pub fn mean(config: &CellConfig, seeds: u64, figure: impl Fn(&RunResult) -> f64) -> f64 {
    (1..=seeds).map(|seed| figure(&ackless_cell::run(config, seed))).sum::<f64>() / seeds as f64
}

/// By how much `value` exceeds `reference`, as a fraction of it.
pub fn excess(value: f64, reference: f64) -> f64 {
    value / reference - 1.0
}

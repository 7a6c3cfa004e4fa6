//! What the validation tests share.

use ackless_cell::config::CellConfig;
use ackless_cell::observe::Observer;
use ackless_cell::recorder::Recorder;
use ackless_cell::result::{FlowResult, RunResult};
use ackless_lab::statistics::Estimate;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};

/// Who listens to a cell under test: the recorder, and perhaps another, behind a pointer, since each kind of cell is compiled anew for these tests, and takes seconds.
pub type Ears<'a> = (Recorder, Option<&'a mut dyn Observer>);

/// The recorder, and another where there is one.
pub fn ears<'a>(config: &CellConfig, other: Option<&'a mut dyn Observer>) -> Ears<'a> {
    (Recorder::new(config), other)
}

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

/// The cell of a file in `tools/tack` with overrides, in the row of this name.
pub fn tool(file: &str, row: &str, overrides: &[&str]) -> CellConfig {
    let path = format!("{}/../../tools/tack/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut scenario = Scenario::parse(file, &text).unwrap_or_else(|error| panic!("{error}"));
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    scenario.build(row).unwrap_or_else(|error| panic!("{error}"))
}

/// What of all segments of these flows was sent again, in percent, and their goodput together in Mbps.
pub fn repeated(flows: &[FlowResult]) -> (f64, f64) {
    let sent: u64 = flows.iter().map(|flow| flow.ends.as_ref().expect("its transport counts").data_packets).sum();
    let again: u64 = flows.iter().map(|flow| flow.retransmissions).sum();
    (100.0 * again as f64 / sent as f64, flows.iter().map(|flow| flow.goodput_mbps).sum())
}

/// The mean of a figure over the runs with seeds 1 to `seeds`.
pub fn mean(config: &CellConfig, seeds: u64, figure: impl Fn(&RunResult) -> f64) -> f64 {
    (1..=seeds).map(|seed| figure(&ackless_cell::run(config, seed))).sum::<f64>() / seeds as f64
}

/// By how much `value` exceeds `reference`, as a fraction of it.
pub fn excess(value: f64, reference: f64) -> f64 {
    value / reference - 1.0
}

/// The runs of a built-in scenario with overrides, in the row of this name, with seeds 1 to `seeds`.
pub fn runs(name: &str, row: &str, overrides: &[&str], seeds: u64) -> Vec<RunResult> {
    let config = cell(name, row, overrides);
    (1..=seeds).map(|seed| ackless_cell::run(&config, seed)).collect()
}

/// A figure over runs, with its interval.
pub fn estimate(runs: &[RunResult], figure: impl Fn(&RunResult) -> f64) -> Estimate {
    Estimate::of(&runs.iter().map(figure).collect::<Vec<f64>>()).expect("there are runs")
}

/// By how many percent goodput exceeds that of `plain`, seed by seed, with its interval.
pub fn gain(runs: &[RunResult], plain: &[RunResult]) -> Estimate {
    let gains = runs.iter().zip(plain).map(|(run, plain)| 100.0 * excess(run.goodput_mbps, plain.goodput_mbps));
    Estimate::of(&gains.collect::<Vec<f64>>()).expect("there are runs")
}

/// Whether a figure of a paper lies within the interval of what was measured, widened by 5 % of the paper's figure. Prints both.
pub fn agrees(what: &str, paper: f64, measured: &Estimate) -> bool {
    let agrees = (measured.mean - paper).abs() <= half(measured) + 0.05 * paper;
    let verdict = if agrees { "agrees" } else { "differs" };
    println!("{what}: paper {paper:.4}, measured {}, {verdict}", shown(measured));
    agrees
}

/// A mean with half its 95 % interval.
pub fn shown(estimate: &Estimate) -> String {
    format!("{:.2} ± {:.2}", estimate.mean, half(estimate))
}

/// Half of the 95 % interval; nothing for a single run.
pub fn half(estimate: &Estimate) -> f64 {
    estimate.ci95.unwrap_or(0.0)
}

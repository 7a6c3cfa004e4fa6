//! Running cells, one at a time; [`crate::parallel`] runs many at once.

use std::time::Instant;

use ackless_cell::config::CellConfig;
use ackless_cell::result::RunResult;
use ackless_scenario::Effective;
use serde::Serialize;

use crate::case::Case;
use crate::caution::Caution;
use crate::entry::Entry;
use crate::{LabError, VERSION};

/// What runs one cell; a test puts its own in the simulator's place.
pub trait Runner: Sync {
    /// Runs `config` with `seed`.
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult;

    /// Whether it has been told to stop: what it gives from then on is of no whole run, and nobody keeps it.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Runs cells for real.
#[derive(Clone, Copy, Debug)]
pub struct Simulator;

impl Runner for Simulator {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        ackless_cell::run(config, seed)
    }
}

impl<F: Fn(&CellConfig, u64) -> RunResult + Sync> Runner for F {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        self(config, seed)
    }
}

/// A run with all that is needed to repeat it: the content of a sweep's files and, with its cautions, of `run --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The version of Ackless.
    pub version: &'static str,
    /// The effective scenario.
    pub scenario: Effective,
    /// The result.
    #[serde(flatten)]
    pub result: RunResult,
}

/// A run with what must be known before its figures are believed: the object of `run --json`.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    /// The run.
    #[serde(flatten)]
    pub record: &'a Record,
    /// What must be known, as in a row of `compare --json`.
    pub cautions: Vec<Caution>,
}

impl<'a> Told<'a> {
    /// `record`, which is of `case`, with its cautions.
    pub fn of(case: &Case, record: &'a Record) -> Self {
        let lines = Entry::all([(case.clone(), vec![record.result.clone()])]);
        Self { record, cautions: lines.iter().flat_map(Entry::cautions).collect() }
    }
}

/// A case with a seed.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// What is run.
    pub case: &'a Case,
    /// With which seed.
    pub seed: u64,
}

impl Job<'_> {
    /// How much time is simulated, warm-up included: what a run takes is in proportion to it, all else being equal.
    pub fn simulated_nanos(&self) -> u64 {
        self.case.config.end().as_nanos()
    }
}

/// As [`run_one`], unless `runner` has been told to stop.
///
/// # Errors
/// [`LabError::Stopped`].
pub fn run_whole(runner: &dyn Runner, job: Job<'_>) -> Result<Record, LabError> {
    if runner.is_stopped() {
        return Err(LabError::Stopped);
    }
    let record = run_one(runner, job);
    if runner.is_stopped() { Err(LabError::Stopped) } else { Ok(record) }
}

/// Runs `job` and takes the time that it takes.
pub fn run_one(runner: &dyn Runner, job: Job<'_>) -> Record {
    #[expect(clippy::disallowed_methods, reason = "how long a run takes is reported and decides nothing")]
    let start = Instant::now();
    let mut result = runner.run(&job.case.config, job.seed);
    result.wall_seconds = start.elapsed().as_secs_f64();
    Record { version: VERSION, scenario: job.case.scenario.effective(job.case.row), result }
}

//! Claims of the paper on TACK (Li et al., "Revisiting Acknowledgment Mechanism for Transport Control", 2021).
//!
//! `docs/validation.md` has every claim with the paper's figure, ours, and the experiment that explains the difference; `docs/tack.md` how
//! each figure is run. The tests hold what both say, on shorter runs and fewer seeds than the tables have.

mod alone;
mod arithmetic;
mod both_ways;
mod change;
mod fading;
mod fairness;
mod frequency;
mod goodput;
mod noise;
mod recovery;

use ackless_cell::result::{EndsResult, RunResult};

/// What the ends of the run's first flow counted.
fn ends(run: &RunResult) -> &EndsResult {
    run.flows[0].ends.as_ref().expect("its transport counts")
}

/// Goodput of the run's first flow.
fn goodput(run: &RunResult) -> f64 {
    run.flows[0].goodput_mbps
}

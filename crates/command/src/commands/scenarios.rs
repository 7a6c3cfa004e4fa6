//! `ackless scenarios`: what comes with Ackless, and what every key means.

use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::effective::reference;

use crate::args::{ScenarioAction, Scenarios};
use crate::output::{Failure, aligned, print};

/// Lists or shows scenarios.
pub fn run(options: &Scenarios) -> Result<(), Failure> {
    match &options.action {
        None => list(),
        Some(ScenarioAction::Show { subject, scheme }) => {
            let row = Row::find(scheme)?;
            let scenario = subject.read()?;
            // Values that do not go together are refused here too, not first when it is run.
            scenario.build(row)?;
            print(&scenario.effective(row).to_toml())
        }
        Some(ScenarioAction::Keys) => print(&reference()),
    }
}

fn list() -> Result<(), Failure> {
    let mut lines = Vec::new();
    for builtin in Builtin::all() {
        lines.push((builtin.name, builtin.scenario()?.title().to_owned()));
    }
    print(&aligned(&lines))
}

//! `ackless scenarios`: what comes with Ackless, and what every key means.

use ackless_scenario::builtin::Builtin;
use ackless_scenario::effective::reference;

use super::one_row;
use crate::args::{ScenarioAction, Scenarios};
use crate::output::{Failure, print, print_list};

/// Lists or shows scenarios.
pub fn run(options: &Scenarios) -> Result<(), Failure> {
    match &options.action {
        None | Some(ScenarioAction::List) => list(),
        Some(ScenarioAction::Show { subject, scheme, short }) => {
            let row = one_row(scheme)?;
            let scenario = subject.read()?;
            // Values that do not go together are refused here too, not first when it is run.
            scenario.build(row)?;
            let effective = scenario.effective(row);
            print(&if *short { effective.to_short_toml() } else { effective.to_toml() })
        }
        Some(ScenarioAction::Keys) => print(&reference()),
    }
}

fn list() -> Result<(), Failure> {
    let mut lines = Vec::new();
    for builtin in Builtin::all() {
        lines.push((builtin.name, builtin.scenario()?.title().to_owned()));
    }
    print_list(&lines)
}

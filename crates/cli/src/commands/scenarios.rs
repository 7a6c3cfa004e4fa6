//! `ackless scenarios`: what comes with Ackless, and what every key means.

use std::fmt::Write as _;

use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::effective::reference;

use crate::args::{ScenarioAction, Scenarios};
use crate::input;
use crate::output::{Failure, print};

/// Lists or shows scenarios.
pub fn run(options: &Scenarios) -> Result<(), Failure> {
    match &options.action {
        None => list(),
        Some(ScenarioAction::Show { subject }) => {
            let scenario = input::scenario(subject)?;
            // Values that do not go together are refused here too, not first when it is run.
            scenario.build(Row::STOCK)?;
            print(&scenario.effective(Row::STOCK).to_toml())
        }
        Some(ScenarioAction::Schemes) => {
            print(&aligned(Row::all().iter().map(|row| (row.name, row.summary.to_owned()))))
        }
        Some(ScenarioAction::Keys) => print(&reference()),
    }
}

fn list() -> Result<(), Failure> {
    let mut lines = Vec::new();
    for builtin in Builtin::all() {
        lines.push((builtin.name, builtin.scenario()?.title().to_owned()));
    }
    print(&aligned(lines.into_iter()))
}

fn aligned<'a>(lines: impl Iterator<Item = (&'a str, String)> + Clone) -> String {
    let width = lines.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, rest) in lines {
        writeln!(text, "{name:width$}  {rest}").expect("a string takes all that is written");
    }
    text
}

//! Scenarios by name or from a file, with their overrides.

use std::path::Path;

use ackless_lab::LabError;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};

use crate::args::{Effort, Subject};
use crate::output::Failure;

/// The scenario that `subject` names, with its overrides.
pub fn scenario(subject: &Subject) -> Result<Scenario, Failure> {
    let name = subject.scenario.as_str();
    let mut scenario = if is_file(name) { from_file(name)? } else { Builtin::find(name)?.scenario()? };
    for argument in &subject.set {
        scenario.set(argument)?;
    }
    Ok(scenario)
}

/// The rows that were asked for, or else those of the scenario.
pub fn rows(effort: &Effort, scenario: &Scenario) -> Result<Vec<&'static Row>, Failure> {
    if effort.schemes.is_empty() {
        return Ok(scenario.rows()?);
    }
    Ok(effort.schemes.iter().map(|name| Row::find(name)).collect::<Result<_, _>>()?)
}

fn is_file(name: &str) -> bool {
    name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

fn from_file(name: &str) -> Result<Scenario, Failure> {
    let text = std::fs::read_to_string(name).map_err(|source| LabError::Io {
        path: name.into(),
        action: "the scenario cannot be read",
        source,
    })?;
    Ok(Scenario::parse(name, &text)?)
}

//! Scenarios by name or from a file, with their overrides.

use std::path::Path;

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
    let wrong =
        |message, help| Failure::Argument { option: "--schemes", value: effort.schemes.join(","), message, help };
    for (n, name) in effort.schemes.iter().enumerate() {
        if name.is_empty() {
            return Err(wrong("a name is missing".to_owned(), "leave out the extra comma"));
        }
        if effort.schemes[..n].contains(name) {
            return Err(wrong(format!("{name} stands there twice"), "give each scheme once"));
        }
    }
    Ok(effort.schemes.iter().map(|name| Row::find(name)).collect::<Result<_, _>>()?)
}

fn is_file(name: &str) -> bool {
    name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

fn from_file(name: &str) -> Result<Scenario, Failure> {
    let text = std::fs::read_to_string(name).map_err(|source| {
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let help = match Builtin::find(stem) {
            Ok(builtin) => format!("the built-in scenario is called `{}`, without a folder or .toml", builtin.name),
            Err(_) => "`ackless scenarios show NAME > mine.toml` makes a file to begin with".to_owned(),
        };
        Failure::Unread { name: name.to_owned(), source, help }
    })?;
    Ok(Scenario::parse(name, &text)?)
}

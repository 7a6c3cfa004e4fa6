//! Scenarios by name or from a file, with their overrides.

use std::path::Path;

use ackless_lab::case::{Axis, Case, LeftOut};
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
    scenario.read_files(|file, beside| match Path::new(name).parent() {
        Some(folder) if beside => std::fs::read_to_string(folder.join(file)),
        _ => std::fs::read_to_string(file),
    })?;
    Ok(scenario)
}

/// What is to be run: `scenario` at every point of `axes`, in the rows that were asked for, or else in `default`; and the
/// rows that are left out, where all were asked for.
pub fn cases(
    effort: &Effort,
    scenario: &Scenario,
    axes: &[Axis],
    default: Option<&'static Row>,
) -> Result<(Vec<Case>, Vec<LeftOut>), Failure> {
    if effort.schemes == [ALL] {
        return Ok(Case::all_that_make_sense(scenario, axes)?);
    }
    let rows = match default {
        Some(row) if effort.schemes.is_empty() => vec![row],
        _ => rows(effort, scenario)?,
    };
    Ok((Case::all(scenario, axes, &rows)?, Vec::new()))
}

fn rows(effort: &Effort, scenario: &Scenario) -> Result<Vec<&'static Row>, Failure> {
    if effort.schemes.is_empty() {
        return Ok(scenario.rows()?);
    }
    let wrong =
        |message, help| Failure::Argument { option: "--schemes", value: effort.schemes.join(","), message, help };
    for (n, name) in effort.schemes.iter().enumerate() {
        if name.is_empty() {
            return Err(wrong("a name is missing".to_owned(), "leave out the extra comma"));
        }
        if name == ALL {
            return Err(wrong("all stands beside others".to_owned(), "give all by itself"));
        }
        if effort.schemes[..n].contains(name) {
            return Err(wrong(format!("{name} stands there twice"), "give each scheme once"));
        }
    }
    Ok(effort.schemes.iter().map(|name| Row::find(name)).collect::<Result<_, _>>()?)
}

/// Stands for every row that makes sense.
const ALL: &str = "all";

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

//! From what people name to what is run: scenarios by name or from a file, with their overrides, and rows.

use std::borrow::Cow;
use std::path::Path;

use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};

use crate::LabError;
use crate::case::{Axis, Case, LeftOut};

/// The scenario called `name`, or in the file of that name, with these overrides and what is in the files that its keys name.
///
/// # Errors
/// Where there is none, the file cannot be read, or an override is wrong.
pub fn scenario(name: &str, overrides: &[String]) -> Result<Scenario, LabError> {
    let scenario = Scenario::parse(name, &text(name)?)?;
    let folder = if is_file(name) { Path::new(name).parent() } else { None };
    overridden(scenario, folder, overrides)
}

/// The text of the scenario called `name`, or of the file of that name.
///
/// # Errors
/// Where there is none, or the file cannot be read.
pub fn text(name: &str) -> Result<Cow<'static, str>, LabError> {
    if is_file(name) { Ok(Cow::Owned(of_file(name)?)) } else { Ok(Cow::Borrowed(Builtin::find(name)?.text)) }
}

/// `scenario` with these overrides, and with what is in the files that its keys name; those that it names itself are seen from `folder`.
///
/// # Errors
/// Where an override is wrong, or a file cannot be read.
pub fn overridden(mut scenario: Scenario, folder: Option<&Path>, overrides: &[String]) -> Result<Scenario, LabError> {
    for argument in overrides {
        scenario.set(argument)?;
    }
    scenario.read_files(|file, beside| match folder {
        Some(folder) if beside => std::fs::read_to_string(folder.join(file)),
        _ => std::fs::read_to_string(file),
    })?;
    Ok(scenario)
}

/// What is to be run: `scenario` at every point of `axes`, in the rows that `names` name, or else in `default`; and the
/// rows that are left out, where all were asked for. `option` is what messages call the names.
///
/// # Errors
/// As [`Case::all`], and where a name is wrong.
pub fn cases(
    option: &'static str,
    names: &[String],
    scenario: &Scenario,
    axes: &[Axis],
    default: Option<&'static Row>,
) -> Result<(Vec<Case>, Vec<LeftOut>), LabError> {
    if names == [ALL] {
        return Case::all_that_make_sense(scenario, axes);
    }
    let rows = match default {
        Some(row) if names.is_empty() => vec![row],
        _ => rows(option, names, scenario)?,
    };
    Ok((Case::all(scenario, axes, &rows)?, Vec::new()))
}

/// The rows that `names` name, or else those of the scenario.
fn rows(option: &'static str, names: &[String], scenario: &Scenario) -> Result<Vec<&'static Row>, LabError> {
    if names.is_empty() {
        return Ok(scenario.rows()?);
    }
    let wrong = |message: String, help: &str| LabError::Axis {
        option,
        argument: names.join(","),
        message,
        help: help.to_owned(),
    };
    for (n, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(wrong("a name is missing".to_owned(), "leave out the extra comma"));
        }
        if name == ALL {
            return Err(wrong("all stands beside others".to_owned(), "give all by itself"));
        }
        if names[..n].contains(name) {
            return Err(wrong(format!("{name} stands there twice"), "give each scheme once"));
        }
    }
    Ok(names.iter().map(|name| Row::find(name)).collect::<Result<_, _>>()?)
}

/// Stands for every row that makes sense.
const ALL: &str = "all";

/// Whether `name` is that of a file.
pub fn is_file(name: &str) -> bool {
    name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

fn of_file(name: &str) -> Result<String, LabError> {
    std::fs::read_to_string(name).map_err(|source| {
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let help = match Builtin::find(stem) {
            Ok(builtin) => format!("the built-in scenario is called `{}`, without a folder or .toml", builtin.name),
            Err(_) => "`ackless scenarios show NAME > mine.toml` makes a file to begin with".to_owned(),
        };
        LabError::Unread { name: name.to_owned(), source, help }
    })
}

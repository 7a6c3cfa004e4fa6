//! From what people name to what is run: scenarios by name or from a file, with their overrides, and rows.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario, ScenarioError};

use crate::LabError;
use crate::case::{Axis, Case, LeftOut};
use crate::reading::{self, LARGEST_DATA, LARGEST_SCENARIO};

/// The scenario called `name`, or in the file of that name, with these overrides and what is in the files that its keys name.
///
/// # Errors
/// Where there is none, the file cannot be read, or an override is wrong.
pub fn scenario(name: &str, overrides: &[String]) -> Result<Scenario, LabError> {
    let scenario = Scenario::parse(name, &text(name)?)?;
    let folder = if is_file(name) { Path::new(name).parent() } else { None };
    overridden(scenario, folder, overrides)
}

/// The scenario that `input` gives, which messages call [`STREAM`], with these overrides. Files
/// that its keys name are seen from the working directory.
///
/// # Errors
/// As [`scenario`].
pub fn stream(input: impl Read, overrides: &[String]) -> Result<Scenario, LabError> {
    let read = reading::bounded(input, LARGEST_SCENARIO).map_err(|source| unread(STREAM, source));
    let scenario = Scenario::parse(STREAM, &scenario_text(STREAM, read?)?)?;
    overridden(scenario, None, overrides)
}

/// The text of the scenario called `name`, or of the file of that name.
///
/// # Errors
/// Where there is none, or the file cannot be read.
pub fn text(name: &str) -> Result<Cow<'static, str>, LabError> {
    if is_file(name) {
        return Ok(Cow::Owned(of_file(name)?));
    }
    Builtin::find(name).map(|builtin| Cow::Borrowed(builtin.text)).map_err(|error| meant(name, error).into())
}

/// The mistake of naming a scenario that there is not, with what was probably meant, if it was no
/// scenario.
fn meant(name: &str, error: ScenarioError) -> ScenarioError {
    let help = if name.contains('=') {
        format!("a key is set by an option: --set {name}")
    } else if Row::find(name).is_ok() {
        format!("`{name}` is a scheme: name it by --scheme or --schemes, behind the scenario")
    } else if Path::new(name).exists() {
        format!("the file of that name is `./{name}` here")
    } else {
        return error;
    };
    ScenarioError { help, ..error }
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
        Some(folder) if beside => reading::bytes(&folder.join(file), LARGEST_DATA),
        _ => reading::bytes(Path::new(file), LARGEST_DATA),
    })?;
    Ok(scenario)
}

/// What is to be run: `scenario` at every point of `axes`, in the rows that `names` name, or else in `default`; and the
/// rows that are left out, where all were asked for or nobody named any. `option` is what messages call the names.
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
    let (rows, left_out) = match default {
        Some(row) if names.is_empty() => (vec![row], Vec::new()),
        None if names.is_empty() && !scenario.names_schemes() => possible(scenario)?,
        _ => (rows(option, names, scenario)?, Vec::new()),
    };
    Ok((Case::all(scenario, axes, &rows)?, left_out))
}

/// Of the schemes that a comparison has by default, those that make sense in this scenario, and the others with the
/// reason. Where the scenario makes no sense in any, none is left out, so that its own mistake is told.
fn possible(scenario: &Scenario) -> Result<(Vec<&'static Row>, Vec<LeftOut>), LabError> {
    let rows = scenario.rows()?;
    if scenario.build(Row::STOCK).is_err() {
        return Ok((rows, Vec::new()));
    }
    let (mut possible, mut left_out) = (Vec::new(), Vec::new());
    for row in rows {
        match scenario.build(row) {
            Ok(_) => possible.push(row),
            Err(error) => left_out.push(LeftOut { scheme: row.name, point: String::new(), reason: error.message }),
        }
    }
    Ok((possible, left_out))
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
    let names: Vec<_> = names.iter().map(|name| name.trim()).collect();
    for (n, &name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(wrong("a name is missing".to_owned(), "leave out the extra comma"));
        }
        if name == ALL {
            return Err(wrong("all stands beside others".to_owned(), "give all by itself"));
        }
        if names[..n].contains(&name) {
            return Err(wrong(format!("{name} stands there twice"), "give each scheme once"));
        }
    }
    Ok(names.into_iter().map(Row::find).collect::<Result<_, _>>()?)
}

/// Stands for every row that makes sense.
const ALL: &str = "all";

/// Whether `name` is that of a file.
pub fn is_file(name: &str) -> bool {
    name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

fn of_file(name: &str) -> Result<String, LabError> {
    let read = reading::bytes(Path::new(name), LARGEST_SCENARIO);
    scenario_text(name, read.map_err(|source| unread(name, source))?)
}

/// The text of a scenario of these bytes.
fn scenario_text(name: &str, bytes: Vec<u8>) -> Result<String, LabError> {
    if let Some(format) = reading::capture(&bytes) {
        let source = io::Error::other(format!("it is a {format} capture, and captures are not read yet"));
        let help = "give a scenario: a TOML file, as `ackless scenarios show NAME` writes one".to_owned();
        return Err(LabError::Unread { name: name.to_owned(), source, help });
    }
    reading::as_text(bytes).map_err(|source| unread(name, source))
}

fn unread(name: &str, source: io::Error) -> LabError {
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let help = match (Builtin::find(stem), source.kind()) {
        (Ok(builtin), _) => format!("the built-in scenario is called `{}`, without a folder or .toml", builtin.name),
        (_, io::ErrorKind::NotFound) => {
            "`ackless scenarios show NAME > mine.toml` makes a file to begin with".to_owned()
        }
        (_, io::ErrorKind::InvalidData) => {
            "a scenario is a TOML file, which is UTF-8 text (https://toml.io)".to_owned()
        }
        (_, io::ErrorKind::FileTooLarge) => {
            "put long series into files, which keys such as loss.snr_file name".to_owned()
        }
        _ => "name a regular file, or give `-` and send the scenario to standard input".to_owned(),
    };
    LabError::Unread { name: name.to_owned(), source, help }
}

/// What messages and results call a scenario that came from standard input.
pub const STREAM: &str = "standard input";

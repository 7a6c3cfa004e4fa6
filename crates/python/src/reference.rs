//! Schemes, scenarios, keys and closed forms as data.

use ackless_lab::picture::look::Look;
use ackless_lab::table::described;
use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::keys::SECTIONS;
use ackless_scenario::schema::{KeyInfo, SectionInfo};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::border::{guarded, mistake};

/// Every row: its name, and what it is in one line.
#[pyfunction]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    Row::all().iter().map(|row| (row.name, row.summary)).collect()
}

/// How every row looks in pictures: its name, its colour as `#rrggbb`, and its mark, which tells it from others of the
/// same colour: `plain`, `dashed`, `dotted` or `mixed`.
#[pyfunction]
pub fn looks() -> Vec<(&'static str, String, &'static str)> {
    let look = |row: &Row| {
        let look = Look::of_scheme(row.name);
        (row.name, look.hex(), look.mark.name())
    };
    Row::all().iter().map(look).collect()
}

/// Every built-in scenario: its name, and what it is in one line.
#[pyfunction]
pub fn scenarios() -> PyResult<Vec<(&'static str, String)>> {
    guarded(|| {
        let of = |builtin: &Builtin| {
            let scenario = builtin.scenario().map_err(|error| mistake(&error))?;
            Ok((builtin.name, scenario.title().to_owned()))
        };
        Builtin::all().iter().map(of).collect()
    })
}

/// All that there is to say of a row.
#[pyfunction]
pub fn show_scheme(name: &str) -> PyResult<String> {
    guarded(|| {
        let row = Row::find(name).map_err(|error| mistake(&error))?;
        let about = row.about;
        let facts = [("what", about.what), ("source", about.source), ("needs", about.needs), ("breaks", about.breaks)];
        let facts = facts.map(|(name, fact)| (name.to_owned(), fact.to_owned()));
        Ok(format!("{}: {}\n\n{}", row.name, row.summary, described(&facts)))
    })
}

/// Every section: its name, whether it may be repeated, what it is, and of each of its keys the name, the default, what is allowed, and what it means.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "its doc says what each part is")]
pub fn keys() -> Vec<(&'static str, bool, String, Vec<(&'static str, &'static str, String, String)>)> {
    let key = |key: &KeyInfo| (key.name, key.default, (key.allowed)(), key.summary());
    let section = |section: &SectionInfo| {
        let doc: Vec<_> = section.doc.iter().map(|line| line.trim()).collect();
        (section.name, section.repeated, doc.join(" "), section.keys.iter().map(key).collect())
    };
    SECTIONS.iter().map(section).collect()
}

/// A time as scenarios have it, in nanoseconds: more than nothing.
#[pyfunction]
pub fn nanoseconds(what: &str, text: &str) -> PyResult<u64> {
    let wrong = |reason: String| PyValueError::new_err(format!("{what}={text}: {reason}"));
    match ackless_scenario::time(text).map_err(wrong)?.as_nanos() {
        0 => Err(wrong("more than nothing must pass; write a time with its unit, for example 5ms".to_owned())),
        nanos => Ok(nanos),
    }
}

/// What `ackless model` says to these arguments, the question first: the text for people, and JSON.
#[pyfunction]
pub fn model(arguments: Vec<String>) -> PyResult<(String, String)> {
    guarded(|| ackless_command::theory(&arguments).map_err(|error| PyValueError::new_err(worded(&error))))
}

/// What the command says of a wrong argument, without the words that are about the command.
fn worded(error: &str) -> String {
    let lines = error.lines().filter(|line| !line.starts_with("For more information") && !line.starts_with("Usage:"));
    let text: Vec<_> = lines.collect();
    text.join("\n").trim_start_matches("error: ").replace("--", "").trim_end().to_owned()
}

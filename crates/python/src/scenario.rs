//! Scenarios from text.

use std::path::Path;

use ackless_lab::input;
use ackless_scenario::Row;
use pyo3::prelude::*;

use crate::border::{guarded, lab, mistake};

/// A scenario with its overrides; not a cell yet.
#[pyclass(frozen, module = "ackless._native")]
#[derive(Clone, Debug)]
pub struct Scenario {
    pub(crate) scenario: ackless_scenario::Scenario,
}

/// The text of the built-in scenario called `name`, or of the file of that name.
#[pyfunction]
pub fn text_of(name: &str) -> PyResult<String> {
    guarded(|| input::text(name).map(|text| text.into_owned()).map_err(|error| lab(&error)))
}

#[pymethods]
impl Scenario {
    /// `folder` is where the files are that its keys name, `overrides` are `section.key=value`.
    #[new]
    fn new(name: &str, text: &str, folder: Option<&str>, overrides: Vec<String>) -> PyResult<Self> {
        guarded(|| {
            let scenario = ackless_scenario::Scenario::parse(name, text).map_err(|error| mistake(&error))?;
            let scenario = input::overridden(scenario, folder.map(Path::new), &overrides).map_err(|e| lab(&e))?;
            Ok(Self { scenario })
        })
    }

    #[getter]
    fn title(&self) -> &str {
        self.scenario.title()
    }

    #[getter]
    fn seeds(&self) -> u32 {
        self.scenario.seeds()
    }

    /// The rows that a comparison of it has.
    #[getter]
    fn schemes(&self) -> PyResult<Vec<&'static str>> {
        guarded(|| {
            let rows = self.scenario.rows().map_err(|error| mistake(&error))?;
            Ok(rows.into_iter().map(|row| row.name).collect())
        })
    }

    /// A file with every key and its meaning, checked.
    fn to_toml(&self, scheme: &str) -> PyResult<String> {
        let row = self.row(scheme)?;
        guarded(|| Ok(self.scenario.effective(row).to_toml()))
    }

    /// Every key with its value, as JSON, checked.
    fn to_json(&self, scheme: &str) -> PyResult<String> {
        let row = self.row(scheme)?;
        guarded(|| Ok(serde_json::to_string(&self.scenario.effective(row)).expect("a scenario can be written")))
    }
}

impl Scenario {
    /// The row of that name, in which the values go together.
    fn row(&self, scheme: &str) -> PyResult<&'static Row> {
        guarded(|| {
            let row = Row::find(scheme).map_err(|error| mistake(&error))?;
            self.scenario.build(row).map_err(|error| mistake(&error))?;
            Ok(row)
        })
    }
}

//! Ackless for Python: the module `ackless._native`, on which the package `ackless` is built.
//!
//! - [`scenario`]: scenarios from text; [`running`]: runs, comparisons and sweeps; [`stepping`]: a cell that goes step by step;
//! - [`table`]: results as Arrow; [`reference`]: schemes, scenarios and keys as data;
//! - [`border`]: what every call passes: mistakes become exceptions, panics too, and Ctrl-C stops what runs.
//!
//! Nothing here computes anything: it hands over what the other crates found.

mod border;
mod reference;
mod running;
mod scenario;
mod stepping;
mod table;

use pyo3::prelude::*;

/// What the package `ackless` is built on; not to be used by itself.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::reference::{keys, looks, model, nanoseconds, rows, scenarios, show_scheme};
    #[pymodule_export]
    use super::running::{compare, keep, plan, run, run_tables, sweep};
    #[pymodule_export]
    use super::scenario::{Scenario, text_of};
    #[pymodule_export]
    use super::stepping::Cell;
    #[pymodule_export]
    use super::table::Table;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", ackless_lab::VERSION)
    }
}

//! One module for each command.

pub mod compare;
pub mod completions;
#[cfg(all(target_os = "linux", feature = "emulate"))]
pub mod emulate;
#[cfg(all(target_os = "linux", feature = "emulate"))]
mod emulated;
pub mod man;
pub mod model;
pub mod run;
pub mod scenarios;
pub mod schemes;
pub mod sweep;

use ackless_scenario::Row;

use crate::output::Failure;

/// The row that `--scheme` names.
fn one_row(name: &str) -> Result<&'static Row, Failure> {
    if name.contains(',') || name == "all" {
        return Err(Failure::Argument {
            option: "--scheme",
            value: name.to_owned(),
            message: "it takes one scheme".to_owned(),
            help: "give one name, or compare several: ackless compare --schemes A,B",
        });
    }
    Ok(Row::find(name)?)
}

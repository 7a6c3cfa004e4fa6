//! Experiments: many runs of cells, what they say together, and how it is shown.
//!
//! - [`input`]: scenarios and rows by what people call them; [`case`]: what is run: a scenario, with axes along which keys vary, in rows;
//! - [`run`]: running it, on as many threads as wanted; [`parallel`]: what goes to which thread, with results in an order that no thread can change;
//! - [`statistics`] and [`metric`]: means with intervals, and the figures that are taken from a run;
//! - [`entry`]: all runs of one case; [`export`]: the same as CSV and JSON; [`compare`]: rows
//!   against each other; [`sweep`]: a grid of points that is kept on disk and resumed, run by run
//!   in the files of [`kept`];
//! - [`served`]: what each flow gets; [`harm`]: which flows are dead or starved;
//! - [`yardstick`]: what rows are compared by; [`caution`]: what must be known before a figure is believed;
//! - [`table`]: how people read it, on a [`page`] that is as wide as their terminal; `finding`: the sentence above it; [`picture`]: the same as SVG;
//!   [`files`]: files that are written whole or not at all; [`reading`]: those that are read;
//! - [`place`]: the folder that results go into, which nobody else takes or has filled with something else.
//!
//! Only [`run`] and [`parallel`] read a clock: to say how long a run took, and what to begin next. Nothing that is computed depends on it.

pub mod case;
pub mod caution;
pub mod compare;
pub mod entry;
pub mod error;
pub mod export;
pub mod files;
mod finding;
pub mod harm;
pub mod input;
pub mod kept;
pub mod metric;
pub mod page;
pub mod parallel;
pub mod picture;
pub mod place;
pub mod reading;
mod remark;
pub mod run;
pub mod served;
pub mod statistics;
pub mod sweep;
pub mod table;
pub mod yardstick;

pub use error::LabError;

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

//! Who listens to a cell under test: behind a pointer, since each kind of cell is compiled anew for these tests, and takes seconds.

use ackless_cell::config::CellConfig;
use ackless_cell::observe::Observer;
use ackless_cell::recorder::Recorder;

/// The recorder, and what a test has beside it.
pub type Ears<'a> = (Recorder, Option<&'a mut dyn Observer>);

/// The recorder alone.
pub fn recorder(config: &CellConfig) -> Ears<'static> {
    (Recorder::new(config), None)
}

/// The recorder and another.
pub fn with<'a>(config: &CellConfig, other: &'a mut dyn Observer) -> Ears<'a> {
    (Recorder::new(config), Some(other))
}

//! One module for each command.

pub mod compare;
#[cfg(all(target_os = "linux", feature = "emulate"))]
pub mod emulate;
#[cfg(all(target_os = "linux", feature = "emulate"))]
mod emulated;
pub mod model;
pub mod run;
pub mod scenarios;
pub mod schemes;
pub mod sweep;

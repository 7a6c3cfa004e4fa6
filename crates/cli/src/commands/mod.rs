//! One module for each command.

pub mod compare;
#[cfg(target_os = "linux")]
pub mod emulate;
#[cfg(target_os = "linux")]
mod emulated;
pub mod model;
pub mod run;
pub mod scenarios;
pub mod schemes;
pub mod sweep;

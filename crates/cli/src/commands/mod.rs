//! One module for each command.

pub mod compare;
pub mod model;
pub mod run;
pub mod scenarios;
pub mod schemes;
pub mod sweep;

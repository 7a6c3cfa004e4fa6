//! TACK over random paths, watched from outside.

mod case;
mod clean;
mod net;
pub mod paths;
mod reframe;
mod run;
mod shrink;
mod watch;
mod wrap;

//! The command, as people call it.

mod cautions;
mod commands;
mod emulate;
mod endings;
mod model;
mod places;
mod readme;
mod timeline;

//! The command, as people call it.

mod cautions;
mod commands;
mod emulate;
mod model;
mod places;
mod readme;
mod timeline;

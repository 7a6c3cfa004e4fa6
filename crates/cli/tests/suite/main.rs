//! The command, as people call it.

mod cautions;
mod commands;
mod emulate;
mod endings;
mod first_steps;
mod hostile;
mod model;
mod places;
mod readme;
mod shells;
mod timeline;
mod widths;

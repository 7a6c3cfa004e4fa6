//! The ackless command.
fn main() {}

//! A TCP endpoint as a machine without I/O and without a clock.

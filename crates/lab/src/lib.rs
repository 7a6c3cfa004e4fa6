//! Experiments: compare, sweep, statistics and tables.

//! Scenarios: files, keys, rows, and the cells that come of them.

mod air;
mod carried;
mod device;
mod errors;
mod hearing;
mod marks;
mod preset;
mod rows;
mod scenarios;
mod steady;
mod stepping;
mod traffic;

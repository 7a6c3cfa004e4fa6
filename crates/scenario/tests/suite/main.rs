//! Scenarios: files, keys, rows, and the cells that come of them.

mod air;
mod carried;
mod device;
mod errors;
mod files;
mod hearing;
mod marks;
mod pauses;
mod preset;
mod requests;
mod rows;
mod scenarios;
mod steady;
mod stepping;
mod traffic;

//! Segments, timeouts and application calls in any order: an endpoint never panics, and its invariants hold.
//!
//! `cargo +nightly fuzz run segment` in `crates/tcp`; the driver is the test suite's.

#![no_main]

#[path = "../../tests/suite/chaos.rs"]
mod chaos;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chaos::drive(bytes));

//! Two ends that do TACK, and whatever a string of bytes spells for the segments between them: nothing panics, no more is acknowledged than was sent,
//! and what is read is what was written.
//!
//! `cargo +nightly fuzz run tack_endpoint` in `crates/tcp`; the driver is that of the test `tack_chaos`.

#![no_main]

#[path = "../../tests/suite/tack_chaos/drive.rs"]
mod drive;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    drive::drive(bytes);
});

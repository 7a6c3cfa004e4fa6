//! Any text is a scenario or a mistake with a place, and so is any override; never a panic. What comes of them is built by `cell`.
//!
//! The built-in scenarios are good seeds: `cargo +nightly fuzz run parse fuzz/corpus/parse builtin` in `crates/scenario`.
#![no_main]

use ackless_scenario::Scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // The lines after a NUL are overrides.
    let (file, overrides) = text.split_once('\0').unwrap_or((text, ""));
    let mut scenario = match Scenario::parse("fuzz.toml", file) {
        Ok(scenario) => scenario,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for argument in overrides.lines() {
        if let Err(error) = scenario.set(argument) {
            assert!(!error.to_string().is_empty());
        }
    }
});

//! Any scenario is built under a row or is a mistake with a place, never a panic; what builds reads back as it was written.
//!
//! The built-in scenarios are good seeds: `cargo +nightly fuzz run cell fuzz/corpus/cell builtin` in `crates/scenario`.
#![no_main]

use ackless_scenario::{Row, Scenario};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // One row for each input: building under all of them is so slow that little else is tried. The length says which, so that any scenario file
    // is an input.
    let row = &Row::all()[text.len() % Row::all().len()];
    // The lines after a NUL are overrides.
    let (file, overrides) = text.split_once('\0').unwrap_or((text, ""));
    let Ok(mut scenario) = Scenario::parse("fuzz.toml", file) else { return };
    for argument in overrides.lines() {
        // What is wrong with a refused one is the concern of `parse`; here the rest is built without it.
        scenario.set(argument).ok();
    }
    let cell = match scenario.build(row) {
        Ok(cell) => cell,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = scenario.effective(row).to_toml();
    let again = Scenario::parse("again.toml", &written).expect("an effective scenario reads back");
    let again = again.build(Row::STOCK).expect("an effective scenario builds");
    // Neighbours bear the row's name, too.
    assert_eq!(again.named(row.name), cell.named(row.name));
});

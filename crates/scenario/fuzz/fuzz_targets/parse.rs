//! Any text is a scenario or a mistake with a place, never a panic; what builds reads back as it was written.
#![no_main]

use ackless_scenario::{Row, Scenario};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // The lines after a NUL are overrides.
    let (file, overrides) = text.split_once('\0').unwrap_or((text, ""));
    let Ok(mut scenario) = Scenario::parse("fuzz.toml", file) else { return };
    for argument in overrides.lines() {
        if let Err(error) = scenario.set(argument) {
            assert!(!error.to_string().is_empty());
        }
    }
    for row in Row::all() {
        let Ok(cell) = scenario.build(row) else { continue };
        let written = scenario.effective(row).to_toml();
        let again = Scenario::parse("again.toml", &written).expect("an effective scenario reads back");
        let mut again = again.build(Row::STOCK).expect("an effective scenario builds");
        again.scheme.clone_from(&cell.scheme);
        assert_eq!(again, cell);
    }
});

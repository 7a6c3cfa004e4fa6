//! What HACK rules out while every FCS is honoured.

use ackless_schemes::hack::HackCounters;

/// Counters of what cannot be: of them all, those that stay at zero.
pub const NEVER: [&str; 8] = [
    "crc_failures",
    "checksum_failures",
    "gaps",
    "malformed",
    "unknown_context",
    "verify_failures",
    "more_data_withheld",
    "forged",
];

/// Asserts that nothing of it happened; `what` says in which run.
#[track_caller]
pub fn assert_sound(counters: &HackCounters, what: &str) {
    for name in NEVER {
        let found = counters.entries().find(|(counter, _)| *counter == name);
        let (_, count) = found.unwrap_or_else(|| panic!("{name} is no counter"));
        assert_eq!(count, 0, "{what}: {name}, which cannot be: {counters:#?}");
    }
}

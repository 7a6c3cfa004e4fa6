//! A NIC that is not ready: what the driver has conveyed to it too late goes on no answer, and waits for nothing either.

use ackless_cell::config::{CellConfig, Direction};
use ackless_phy::Standard;
use ackless_schemes::Guard;
use ackless_schemes::hack::HackCounters;
use ackless_wire::{Bytes, Duration};

use crate::hack::trial::{Outcome, Trial};
use crate::testing::crew;
use crate::testing::hack_cells::{cell, hack_of, with_transfer};

/// A download without losses through a NIC that takes so long.
fn slow_nic(standard: Standard, driver_to_nic: Duration) -> CellConfig {
    let mut config = with_transfer(cell(standard, 4), 0, Direction::Down, Bytes(200_000));
    hack_of(&mut config.stations[0].scheme).expect("all nodes speak HACK").driver_to_nic = driver_to_nic;
    config
}

/// The same with a NIC that never gets anything, and a guard timer that outlasts what is promised.
fn never_ready(standard: Standard) -> CellConfig {
    let mut config = slow_nic(standard, Duration::from_secs(10));
    let hack = hack_of(&mut config.stations[0].scheme).expect("all nodes speak HACK");
    hack.guard = Guard::Fixed(Duration::from_millis(100));
    config
}

fn run(config: CellConfig) -> Outcome {
    Trial::undisturbed(config, 1).run()
}

#[test]
fn what_the_nic_does_not_have_goes_on_no_answer_and_natively_when_no_more_data_is_promised() {
    for standard in [Standard::A, Standard::N] {
        let outcome = run(never_ready(standard));
        let HackCounters { compressed_acks, appended_bytes, not_ready, requeued, guard_fired, .. } = outcome.counters;
        assert_eq!((compressed_acks, appended_bytes), (0, 0), "{standard:?}: the NIC appended what it did not have");
        assert!(not_ready > 0 && requeued > 0, "{standard:?}: {:#?}", outcome.counters);
        assert_eq!((guard_fired, outcome.timeouts), (0, 0), "{standard:?}: the driver did not take back what was late");
    }
}

/// The last ACKs of the shorter of two downloads are held when the longer one goes on alone. When the last PPDU promises no more, nothing
/// of the shorter one follows that would take them along.
#[test]
fn what_is_late_for_the_last_promised_answer_waits_for_no_timer() {
    for standard in [Standard::A, Standard::N] {
        crew::all(&format!("{standard:?}, more segments of the longer download"), 40, |segments| {
            let config = never_ready(standard);
            let size = 200_000 + 1448 * (1 + segments);
            let outcome = run(with_transfer(config, 0, Direction::Down, Bytes(size)));
            assert_eq!(outcome.counters.guard_fired, 0, "the driver left lying what was late");
        });
    }
}

#[test]
fn whatever_the_nic_takes_no_transfer_waits_for_the_guard_or_for_a_timeout() {
    for standard in [Standard::A, Standard::N, Standard::Ac] {
        let what = format!("{standard:?}, driver to NIC, 5 us times");
        let outcomes = crew::all(&what, 400, |steps| {
            let outcome = run(slow_nic(standard, Duration::from_micros(5 * steps)));
            assert_eq!(outcome.counters.guard_fired, 0, "an ACK was left lying");
            assert_eq!(outcome.timeouts, 0, "an ACK came too late for the sender");
            outcome.counters
        });
        let late = outcomes.iter().filter(|counters| counters.not_ready > 0).count();
        assert!(late > 100, "{standard:?}: the NIC was late in {late} runs only");
    }
}

//! What the random schedules have found once, made small.

use ackless_cell::config::{Direction, Probability};
use ackless_phy::Standard;
use ackless_schemes::hack::HackCounters;
use ackless_wire::{Bytes, Duration};

use crate::cells::{cell, with_transfer};
use crate::crew;
use crate::trial::Trial;

/// The wire overtakes ACKs of an upload, so that the AP is handed one that goes back: it was compressed, and the station took it for a
/// forgery. Schedule 17 of the first 10,000.
#[test]
fn an_ack_that_the_wire_has_let_others_overtake_goes_natively() {
    for standard in [Standard::A, Standard::N] {
        let mut config = with_transfer(cell(standard, 8), 0, Direction::Up, Bytes(300_000));
        config.wired.down.reorder = Probability::new(0.1).expect("a tenth is a probability");
        config.wired.down.reorder_delay = Duration::from_millis(1);
        let outcomes =
            crew::all(&format!("{standard:?}, seed"), 20, |seed| Trial::undisturbed(config.clone(), seed).run());
        let mut sum = HackCounters::default();
        outcomes.iter().for_each(|outcome| sum += outcome.counters);
        assert!(sum.refused > 0 && sum.compressed_acks > 100, "{standard:?}: nothing was overtaken: {sum:#?}");
    }
}

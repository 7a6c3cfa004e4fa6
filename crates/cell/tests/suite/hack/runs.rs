//! HACK that is asked about runs of packets does what it does when asked about each, in random cells under random losses.

use crate::hack::schedules::schedule;
use crate::testing::crew;
use crate::testing::runs::{assert_alike, with_instant_hosts};

#[test]
fn a_run_of_packets_is_held_and_let_pass_as_each_of_them_would_be() {
    crew::all("schedule", SCHEDULES, |seed| {
        let mut config = schedule(seed).config;
        if seed % 4 > 0 {
            config = with_instant_hosts(config);
        }
        assert_alike(&config, seed, || schedule(seed).interference.expect("a schedule has weather"));
    });
}

/// So many schedules are run.
const SCHEDULES: u64 = 400;

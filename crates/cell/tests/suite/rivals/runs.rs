//! Rivals that are asked about runs of packets do what they do when asked about each, in random cells under random losses.

use crate::rivals::contenders::CONTENDERS;
use crate::testing::crew;
use crate::testing::runs::{assert_alike, with_instant_hosts};

#[test]
fn a_rival_does_with_a_run_of_packets_what_it_does_with_each() {
    let count = CONTENDERS.len() as u64;
    crew::all("schedule", count * SCHEDULES, |number| {
        let (contender, seed) = (&CONTENDERS[(number % count) as usize], number / count);
        let mut config = contender.schedule(seed).0.config;
        if seed % 4 > 0 {
            config = with_instant_hosts(config);
        }
        _ = assert_alike(&config, seed, || contender.schedule(seed).0.weather.interference());
    });
}

/// So many schedules are run for each.
const SCHEDULES: u64 = 40;

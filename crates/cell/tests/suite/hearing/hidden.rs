//! Stations that do not hear each other.

use ackless_cell::config::{CellConfig, Hearing};
use ackless_cell::result::AirtimeClass;
use ackless_phy::Dbm;
use ackless_wire::{Bytes, Duration, Instant};

use crate::hearing::world::{FRAME, NOTHING, SIFS, Seen, arrived, cell_of, run, with_datagrams};

/// From one datagram of the first station to the next, and of the second: in no simple ratio, so that all phases are met alike.
const INTERVALS: [Duration; 2] = [Duration::from_micros(19_271), Duration::from_micros(23_989)];

/// Two stations that upload to the AP between them, and hear each other with this power.
fn two(between: f64) -> CellConfig {
    let mut config = cell_of(2, &[(0, 1, -50.0), (0, 2, -50.0), (1, 2, between)], false);
    for (station, interval) in INTERVALS.into_iter().enumerate() {
        config = with_datagrams(config, station, interval, Instant::ZERO);
    }
    config.measured = Duration::from_secs(60);
    config
}

/// The share of each station's datagrams that did not arrive.
fn lost(config: &CellConfig) -> [f64; 2] {
    let (result, _) = run(config, 1);
    let arrived = arrived(config, &result);
    [0, 1].map(|flow| 1.0 - arrived[flow] as f64 / (config.measured.as_secs_f64() / INTERVALS[flow].as_secs_f64()))
}

/// A frame is lost if one of the other station begins while it lasts, or has begun and still lasts, or if it begins in the SIFS after
/// which the AP answers the other: pure ALOHA's vulnerable time, and a SIFS.
fn aloha(frame: Duration) -> [f64; 2] {
    [1, 0].map(|other: usize| (frame * 2 + SIFS).as_secs_f64() / INTERVALS[other].as_secs_f64())
}

#[test]
fn hidden_stations_lose_what_pure_aloha_does() {
    let (lost, expected) = (lost(&two(NOTHING)), aloha(FRAME));
    for (lost, expected) in lost.into_iter().zip(expected) {
        assert!((lost - expected).abs() < 0.004, "{lost:.4} of all, not {expected:.4}");
        assert!(expected > 0.08);
    }
}

#[test]
fn with_rts_and_cts_hidden_stations_lose_what_aloha_of_rts_does() {
    let mut config = two(NOTHING);
    for station in &mut config.stations {
        station.mac.rts_threshold = Some(Bytes(500));
    }
    // An RTS has 20 bytes: 182 bits in four symbols at 12 Mbps.
    let (lost, expected) = (lost(&config), aloha(Duration::from_micros(20 + 4 * 4)));
    for (lost, expected) in lost.into_iter().zip(expected) {
        assert!((lost - expected).abs() < 0.002, "{lost:.4} of all, not {expected:.4}");
        assert!(expected < 0.005);
    }
}

#[test]
fn stations_that_hear_each_other_lose_next_to_nothing() {
    // What is left begins in the same instant: both have waited for the AP's ACK, or for each other.
    for between in [-82.0, -50.0] {
        let lost = lost(&two(between));
        assert!(lost.iter().all(|lost| *lost < 0.001), "{lost:?} at {between} dBm");
    }
    let (result, _) = run(&two(-82.0), 1);
    assert!(result.airtime_ns[AirtimeClass::Collisions] < Duration::from_millis(10));
}

#[test]
fn energy_alone_is_heard_from_62_dbm_below_a_milliwatt_on() {
    // The second station cannot make out the first one's preamble, which it has set at -55 dBm: it hears energy.
    for (between, hears) in [(-62.0, true), (-62.1, false)] {
        let mut config = two(between);
        if let Hearing::ByPower(powers) = &mut config.hearing {
            powers.preamble = Dbm(-55.0);
        }
        let lost = lost(&config);
        assert!(lost.iter().all(|lost| (*lost < 0.001) == hears), "{lost:?} at {between} dBm");
    }
}

#[test]
fn the_ledger_books_what_overlaps_at_the_ap_as_collisions_and_what_the_ap_sends_meanwhile_as_what_it_is() {
    let config = two(NOTHING);
    let (result, mut seen) = run(&config, 1);
    seen.sort_by_key(|seen| seen.start);
    let (mut overlapping, mut until) = (Duration::ZERO, Instant::ZERO);
    for collided in seen.iter().filter(|seen| seen.data && seen.collided) {
        overlapping += collided.end.saturating_since(collided.start.max(until));
        until = until.max(collided.end);
        // One that begins in the SIFS before the AP's ACK collides with that, and the ACK arrives.
        let sent = |seen: &&Seen| seen.from == 0 && seen.start >= collided.start && seen.end <= collided.end;
        let answers: Duration = seen.iter().filter(sent).map(|seen| seen.end - seen.start).sum();
        overlapping -= answers;
    }
    assert_eq!(result.airtime_ns[AirtimeClass::Collisions], overlapping);
    assert!(overlapping > Duration::from_millis(100));
}

//! How long hosts take between MAC and transport, seen from outside by pings.

use ackless_cell::config::{Access, CellConfig, PingConfig};
use ackless_phy::Standard;
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{cell, with_stations};
use crate::testing::ears;
use crate::testing::tested::configured;

const STATIONS: usize = 8;
/// From one station's ping to the next one's: no two are on the way at once.
const APART: Duration = Duration::from_millis(5);
/// What every host takes.
const LEAST: Duration = Duration::from_micros(100);
const SPREAD: Duration = Duration::from_millis(1);

/// Stations without back-off, each with a ping of its own.
fn pinged() -> CellConfig {
    let mut config = with_stations(cell(Standard::A), STATIONS);
    for mac in std::iter::once(&mut config.ap.mac).chain(config.stations.iter_mut().map(|station| &mut station.mac)) {
        mac.access = Access::Dcf { cw_min: 0, cw_max: 0 };
    }
    for (station, place) in config.stations.iter_mut().zip(0..) {
        station.host_latency = LEAST;
        config.pings.push(PingConfig {
            name: format!("ping {place}"),
            station: place,
            interval: APART * STATIONS as u64,
            packet: Bytes(100),
            start: Instant::ZERO + APART * place as u64,
        });
    }
    config
}

/// How much longer than `LEAST` each host takes, in microseconds, from its round trips, which are all alike.
fn added(config: &CellConfig, seed: u64) -> Vec<f64> {
    let round_trips = |config: &CellConfig| -> Vec<f64> {
        let mut cell = configured(config, seed, ears::recorder(config));
        cell.advance(config.end());
        cell.finish();
        let events = cell.events();
        let result = cell.into_observer().0.result(config, seed, events);
        let each = result.pings.iter().map(|ping| {
            let rtt = ping.rtt_ms.expect("replies come back");
            assert_eq!((ping.lost, rtt.median), (0, rtt.min), "seed {seed}: a host takes as long each time");
            rtt.min * 1e3
        });
        each.collect()
    };
    let exactly = round_trips(&pinged());
    round_trips(config).iter().zip(exactly).map(|(there_and_back, least)| (there_and_back - least) / 2.0).collect()
}

#[test]
fn each_host_draws_once_in_a_run_and_evenly_up_to_the_spread() {
    let mut config = pinged();
    config.stations.iter_mut().for_each(|station| station.host_latency_spread = SPREAD);
    let most = SPREAD.as_nanos() as f64 / 1e3;
    let all: Vec<f64> = (1..=20).flat_map(|seed| added(&config, seed)).collect();
    assert!(all.iter().all(|added| (0.0..=most + 1.0).contains(added)), "{all:?}");
    for quarter in 0..4 {
        let within = (most / 4.0 * f64::from(quarter))..(most / 4.0 * f64::from(quarter + 1));
        let count = all.iter().filter(|added| within.contains(added)).count();
        // 160 draws: 40 in each quarter, and 5.5 of standard deviation.
        assert!((22..=58).contains(&count), "{count} of {} in {within:?}", all.len());
    }
    assert_eq!(added(&config, 3), added(&config, 3), "the same seed draws the same");
    assert_ne!(added(&config, 3), added(&config, 4));
}

#[test]
fn who_draws_changes_nobody_elses_draw() {
    let (mut all, mut one) = (pinged(), pinged());
    all.stations.iter_mut().for_each(|station| station.host_latency_spread = SPREAD);
    one.stations[5].host_latency_spread = SPREAD;
    for seed in 1..=3 {
        let (all, one) = (added(&all, seed), added(&one, seed));
        assert_eq!(one[5], all[5], "seed {seed}");
        assert!(one.iter().enumerate().all(|(place, added)| place == 5 || *added == 0.0), "seed {seed}: {one:?}");
    }
}

#[test]
fn the_servers_host_takes_its_time_out_and_in() {
    let mut config = pinged();
    config.server.host_latency = Duration::from_micros(700);
    for (station, added) in added(&config, 1).into_iter().enumerate() {
        assert!((added - 700.0).abs() < 1e-6, "station {station}: {added} us each way");
    }
}

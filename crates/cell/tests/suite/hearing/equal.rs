//! Where all nodes hear each other loudly and alike, powers make no difference.

use ackless_cell::config::{CellConfig, Direction, Peer};
use ackless_cell::result::RunResult;
use ackless_phy::Standard;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration};

use crate::hearing::world::{hearing, run};
use crate::testing::cells::{cell, with_stations, with_tcp, with_udp};

/// A random cell in which nothing is lost but by collisions.
fn random_cell(seed: u64) -> CellConfig {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    let standards = [Standard::A, Standard::G, Standard::N, Standard::N, Standard::Ac];
    let stations = 1 + random.below(4) as usize;
    let mut config = with_stations(cell(standards[random.below(5) as usize]), stations);
    for station in 0..stations {
        let direction = if random.chance(0.5) { Direction::Up } else { Direction::Down };
        config = match random.below(3) {
            0 => with_udp(config, station, Peer::Server, direction),
            _ => with_tcp(config, station, Peer::Server, direction),
        };
    }
    if random.chance(0.3) {
        config.ap.mac.rts_threshold = Some(Bytes(500));
        config.stations.iter_mut().for_each(|station| station.mac.rts_threshold = Some(Bytes(500)));
    }
    config.measured = Duration::from_millis(300);
    config
}

/// The collisions, and everything but how many events it took.
fn told(config: &CellConfig, seed: u64) -> (u64, String) {
    let (result, seen) = run(config, seed);
    let result = RunResult { events: 0, ..result };
    (result.counters.total.collisions, format!("{result:#?} {} PPDUs, the last {:?}", seen.len(), seen.last()))
}

#[test]
fn all_at_minus_50_dbm_give_the_same_bytes_as_all_hear_each_other() {
    let mut collide = 0;
    for seed in 1..=12 {
        let mut config = random_cell(seed);
        let (collisions, all) = told(&config, seed);
        collide += u32::from(collisions >= 5);
        let nodes = config.stations.len() + 1;
        let pairs: Vec<_> = (0..nodes).flat_map(|one| (0..one).map(move |other| (one, other, -50.0))).collect();
        for relocks in [false, true] {
            config.hearing = hearing(nodes, &pairs, relocks);
            let (_, by_power) = told(&config, seed);
            assert!(all == by_power, "seed {seed}, relocking {relocks}: {}", first_difference(&all, &by_power));
        }
    }
    assert!(collide >= 6, "frames collide in {collide} of the cells alone");
}

fn first_difference(one: &str, other: &str) -> String {
    let differing = one.lines().zip(other.lines()).filter(|(one, other)| one != other).take(8);
    differing.map(|(one, other)| format!("{} / {}", one.trim(), other.trim())).collect::<Vec<_>>().join("; ")
}

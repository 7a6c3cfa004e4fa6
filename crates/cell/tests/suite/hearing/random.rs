//! Random powers: every run ends, every byte arrives once and in order, and air time adds up.

use ackless_cell::config::{CellConfig, Direction, Peer, SchemeChoice, Traffic};
use ackless_phy::Standard;
use ackless_schemes::hack::HackConfig;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{cell, with_stations, with_tcp};
use crate::testing::ears;
use crate::testing::powers::by_power;
use crate::testing::tested::configured;

/// A cell of up to five stations, each of which the AP hears well, and which hear each other as it comes.
fn random_cell(seed: u64) -> CellConfig {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    let standards = [Standard::A, Standard::G, Standard::N, Standard::N, Standard::Ac];
    let stations = 1 + random.below(5) as usize;
    let mut config = with_stations(cell(standards[random.below(5) as usize]), stations);
    for station in 0..stations {
        let direction = if random.chance(0.6) { Direction::Up } else { Direction::Down };
        let peer = if random.chance(0.1) { Peer::Station((station + 1) % stations) } else { Peer::Server };
        let peer = if stations == 1 { Peer::Server } else { peer };
        config = with_tcp(config, station, peer, direction);
        let flow = config.flows.last_mut().expect("a flow was added");
        flow.traffic = Traffic::Finite { size: Bytes(1 + random.below(150_000)) };
        flow.start = Instant::ZERO + Duration::from_micros(random.below(50_000));
    }
    if random.chance(0.3) {
        let threshold = Some(Bytes(random.below(1_000)));
        config.ap.mac.rts_threshold = threshold;
        config.stations.iter_mut().for_each(|station| station.mac.rts_threshold = threshold);
    }
    // Drawn aside, so that it changes no other draw.
    let amsdu = random.clone().chance(0.3).then_some(Bytes(3_839));
    let macs = config.stations.iter_mut().map(|station| &mut station.mac).chain([&mut config.ap.mac]);
    macs.filter_map(|mac| mac.aggregation.as_mut()).for_each(|terms| terms.amsdu = amsdu);
    if random.chance(0.3) {
        config.ap.scheme = SchemeChoice::Hack(HackConfig::default());
        config.stations.iter_mut().for_each(|station| station.scheme = config.ap.scheme);
    }
    by_power(&mut random, &mut config);
    config.measured = Duration::from_secs(60);
    config
}

#[test]
fn every_byte_arrives_once_and_in_order_and_air_time_adds_up() {
    let mut collided = 0;
    for seed in 1..=60 {
        let config = random_cell(seed);
        let mut cell = configured(&config, seed, ears::recorder(&config));
        cell.witness_acks();
        cell.advance(config.end());
        for (flow, flow_config) in config.flows.iter().enumerate() {
            let Traffic::Finite { size } = flow_config.traffic else { panic!("all flows here are finite") };
            let receiver = usize::from(flow_config.direction == Direction::Down);
            let [sent, received] = [1 - receiver, receiver].map(|end| cell.flows().endpoint(flow, end));
            let (sent, received) = (sent.expect("it has begun"), received.expect("it has begun"));
            // The content of a stream is checked where it is delivered: TCP takes in order and once what it takes.
            assert_eq!((received.bytes_delivered(), sent.bytes_acked()), (size, size), "seed {seed}, flow {flow}");
        }
        let held: usize = (0..=config.stations.len())
            .map(|node| cell.station(ackless_dot11::frame::NodeId(node as u16)).held_back())
            .sum();
        assert_eq!(cell.packets_under_way(), held, "seed {seed}: somebody still holds a packet");
        cell.finish();
        let events = cell.events();
        let result = cell.into_observer().0.result(&config, seed, events);
        assert_eq!(result.airtime_ns.total(), config.measured, "seed {seed}: the ledger accounts for the whole window");
        collided += result.counters.total.collisions;
    }
    assert!(collided > 500, "{collided} collisions are too few to tell");
}

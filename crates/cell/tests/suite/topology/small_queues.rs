//! TCP Small Queues: what a sender has in the queues below it, wherever its packets end.

use ackless_cell::config::{CellConfig, Direction, LinkLoss, Peer, Probability, Traffic, WireBuffer};
use ackless_cell::result::NodeCounters;
use ackless_phy::Standard;
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{cell, loss, with_stations, with_tcp};
use crate::testing::ears;
use crate::testing::tested::{TestedCell, configured};

const TSQ: Duration = Duration::from_millis(2);

/// Two stations that both send and get a megabyte, with small queues everywhere.
fn transfers(standard: Standard) -> CellConfig {
    let mut config = with_stations(cell(standard), 2);
    for (station, direction) in [(0, Direction::Up), (1, Direction::Up), (0, Direction::Down), (1, Direction::Down)] {
        config = with_tcp(config, station, Peer::Server, direction);
    }
    for flow in &mut config.flows {
        flow.traffic = Traffic::Finite { size: Bytes(1_000_000) };
    }
    config.server.tsq = Some(TSQ);
    config.stations.iter_mut().for_each(|station| station.tsq = Some(TSQ));
    (config.warm_up, config.measured) = (Duration::ZERO, Duration::from_secs(60));
    config
}

/// All of both ends of all flows.
fn below(cell: &TestedCell<'_>) -> Vec<Bytes> {
    let ends = (0..cell.flows().len()).flat_map(|flow| [(flow, 0), (flow, 1)]);
    ends.filter_map(|(flow, end)| cell.flows().bytes_below(flow, end)).collect()
}

/// Runs until every transfer is complete and nothing is under way, and looks whether anything counts as below a TCP still. What `ended` counts, ways in which the world ends
/// packets, must each have happened.
fn leaves_nothing(config: &CellConfig, world: &str, ended: fn(&NodeCounters) -> Vec<u64>) {
    let mut cell = configured(config, 7, ears::recorder(config));
    cell.advance(config.end());
    cell.finish();
    assert_eq!(below(&cell), vec![Bytes::ZERO; 2 * config.flows.len()], "{world}");
    let events = cell.events();
    let result = cell.into_observer().0.result(config, 7, events);
    for flow in &result.flows {
        assert!(flow.completion_s.is_some(), "{world}: {} has not ended", flow.name);
    }
    let counts = ended(&result.counters.total);
    assert!(counts.iter().all(|&count| count > 0), "{world}: {counts:?}");
}

#[test]
fn every_way_a_packet_can_end_gives_its_room_back() {
    let standard = Standard::N;
    leaves_nothing(&transfers(standard), "nothing is lost", |_| vec![]);
    let mut tails = transfers(standard);
    tails.stations.iter_mut().for_each(|station| station.queue_packets = 3);
    tails.wired.down.buffer = WireBuffer::Packets(3);
    leaves_nothing(&tails, "tail drops", |total| vec![total.queue_drops, total.wire_drops]);
    let mut air = transfers(standard);
    for station in &mut air.stations {
        station.loss = loss([0.2; 4]);
        station.mac.retry_limit = Some(2);
    }
    air.ap.mac.retry_limit = Some(2);
    leaves_nothing(&air, "retries that end", |total| vec![total.given_up]);
    let mut hosts = transfers(standard);
    for station in &mut hosts.stations {
        (station.host_loss, station.loss) = (Probability::new(0.02).expect("a probability"), LinkLoss::None);
        station.host_latency = Duration::from_micros(300);
    }
    hosts.server.host_latency = Duration::from_micros(300);
    hosts.wired.down.loss = Probability::new(0.02).expect("a probability");
    leaves_nothing(&hosts, "losses in hosts and on the wire", |total| vec![total.host_drops, total.wire_drops]);
    let mut relayed = transfers(standard);
    relayed.stations[1].via = Some(0);
    leaves_nothing(&relayed, "a relay", |_| vec![]);
    leaves_nothing(&transfers(Standard::A), "no A-MPDUs", |_| vec![]);
}

/// The most that an endless upload has below its TCP, and what its TCP would allow then.
fn most_below(tsq: Option<Duration>) -> (Bytes, Bytes) {
    let mut config = with_tcp(with_stations(cell(Standard::N), 1), 0, Peer::Server, Direction::Up);
    config.stations[0].tsq = Some(tsq.unwrap_or(Duration::from_secs(1)));
    let mut cell = configured(&config, 1, ears::recorder(&config));
    let mut most = (Bytes::ZERO, Bytes::ZERO);
    for tenth in 10_000..15_000 {
        cell.advance(Instant::from_micros(100 * tenth));
        let below = cell.flows().bytes_below(0, 1).expect("its queues are counted");
        let tcp = cell.flows().endpoint(0, 1).expect("the flow has started");
        let limit = tcp.small_queue_limit(Bytes(1_500), tsq.unwrap_or(Duration::from_secs(1)));
        if below > most.0 {
            most = (below, limit);
        }
    }
    most
}

#[test]
fn a_sender_has_no_more_below_it_than_its_rate_carries_in_the_time() {
    let (bound, limit) = most_below(Some(TSQ));
    // The limit moves with the round trip; the packet that passes it is the last.
    assert!(bound * 4 <= limit * 5 + Bytes(6_000), "{bound:?} where {limit:?} is allowed");
    let (free, _) = most_below(None);
    assert!(free > bound * 2, "{free:?} without the bound, and {bound:?} with it");
}

#[test]
fn a_packet_counts_until_the_mac_or_the_wire_has_sent_it_and_no_longer() {
    // The handshake is over after two ways over the wire at the station, after three at the server.
    for (direction, end, millis) in [(Direction::Up, 1, 750), (Direction::Down, 0, 1_050)] {
        let mut config = with_tcp(with_stations(cell(Standard::N), 1), 0, Peer::Server, direction);
        (config.wired.down.delay, config.wired.up.delay) = (Duration::from_millis(300), Duration::from_millis(300));
        config.flows[0].traffic = Traffic::Finite { size: Bytes(14_000) };
        (config.server.tsq, config.stations[0].tsq) = (Some(TSQ), Some(TSQ));
        let mut cell = configured(&config, 1, ears::recorder(&config));
        cell.advance(Instant::from_millis(millis));
        let below = cell.flows().bytes_below(0, end);
        assert_eq!((below, cell.packets_under_way()), (Some(Bytes::ZERO), 10), "{direction:?}");
        let out = cell.flows().endpoint(0, end).map(|tcp| tcp.flight_size());
        assert_eq!(out, Some(Bytes(14_001)), "with the FIN, {direction:?}");
    }
}

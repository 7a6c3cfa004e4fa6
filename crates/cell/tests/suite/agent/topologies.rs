//! Where the agent is: at the last hop to a station, and nowhere else.

use ackless_cell::config::{Direction, Peer, Topology, TransportConfig};
use ackless_phy::Standard;
use ackless_wire::Duration;

use crate::agent::{FLAG, buffer, with_agent};
use crate::testing::cells::{cell, run, with_stations, with_tcp};

#[test]
fn a_relay_speaks_for_the_station_behind_it() {
    for solution in [buffer(), FLAG] {
        let mut config = with_stations(cell(Standard::A), 2);
        config.stations[1].via = Some(0);
        config = with_tcp(with_tcp(config, 1, Peer::Server, Direction::Down), 1, Peer::Server, Direction::Up);
        config.measured = Duration::from_secs(1);
        let run = run(&with_agent(config, solution));
        let [ap, relay, station] = [0, 1, 2].map(|node| (run.count(node, "made"), run.count(node, "swallowed")));
        assert_eq!((ap, relay.1, station.0), ((0, 0), 0, 0));
        assert!(relay.0 > 100 && station.1 > 100, "{relay:?} {station:?}");
        assert!(run.result.flows.iter().all(|flow| flow.goodput_mbps > 1.0), "{:?}", run.result.flows);
    }
}

#[test]
fn a_relays_own_flow_is_the_aps() {
    let mut config = with_stations(cell(Standard::A), 2);
    config.stations[1].via = Some(0);
    let run = run(&with_agent(with_tcp(config, 0, Peer::Server, Direction::Down), buffer()));
    assert!(run.count(0, "made") > 100 && run.count(1, "swallowed") > 100);
}

#[test]
fn a_bridge_is_a_client_and_its_uploads_are_left_alone() {
    let mut config = cell(Standard::A);
    config.stations[0].four_address = true;
    config = with_tcp(with_tcp(config, 0, Peer::Server, Direction::Down), 0, Peer::Server, Direction::Up);
    let run = run(&with_agent(config, buffer()));
    let counts = [0, 1].map(|node| (run.count(node, "made"), run.count(node, "swallowed")));
    assert!(counts[0].0 > 100 && counts[1].1 > 100, "{counts:?}");
    assert_eq!((counts[0].1, counts[1].0), (0, 0));
    assert!(run.result.flows.iter().all(|flow| flow.goodput_mbps > 1.0), "{:?}", run.result.flows);
}

#[test]
fn between_stations_the_second_hops_acks_are_the_aps() {
    let mut config = with_tcp(with_stations(cell(Standard::A), 2), 0, Peer::Station(1), Direction::Down);
    // Where the client delays its ACKs, those that the AP makes for each frame take as much of the first hop as they save on the second.
    let TransportConfig::Tcp(tcp) = &mut config.flows[0].transport else { unreachable!("the flow is TCP") };
    tcp.ack.every = 1;
    let (stock, with) = (run(&config), run(&with_agent(config.clone(), buffer())));
    assert!(with.count(0, "made") > 100 && with.count(1, "swallowed") > 100 && with.count(2, "swallowed") == 0);
    assert!(with.goodput() > 1.05 * stock.goodput(), "{} and {}", with.goodput(), stock.goodput());
}

#[test]
fn without_an_ap_there_is_no_agent() {
    let mut config = with_stations(cell(Standard::A), 2);
    config.topology = Topology::AdHoc;
    let config = with_tcp(config, 0, Peer::Station(1), Direction::Down);
    let (stock, with) = (run(&config), run(&with_agent(config.clone(), buffer())));
    assert_eq!(with.result.counters, stock.result.counters);
    assert_eq!(with.result.flows, stock.result.flows);
}

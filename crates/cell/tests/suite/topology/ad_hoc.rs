//! Stations that send to each other directly.

use ackless_cell::config::{CellConfig, Direction, Peer, Topology};
use ackless_dot11::frame::Ds;
use ackless_phy::Standard;

use crate::testing::cells::{cell, run, with_stations, with_tcp, with_udp};

fn ad_hoc(standard: Standard) -> CellConfig {
    let mut config = with_stations(cell(standard), 3);
    config.topology = Topology::AdHoc;
    config
}

#[test]
fn packets_go_from_station_to_station_and_the_ap_is_silent() {
    for standard in [Standard::B, Standard::A, Standard::N] {
        let config = with_tcp(ad_hoc(standard), 0, Peer::Station(1), Direction::Down);
        let run = run(&config);
        assert!(run.goodput() > 3.0, "{standard:?}: {}", run.goodput());
        assert!(run.seen.iter().all(|sent| sent.ppdu.transmitter.0 != 0));
        assert!(run.data(2, 1).flat_map(|sent| sent.ppdu.mpdus()).all(|mpdu| mpdu.ds == Ds::Direct));
    }
}

#[test]
fn a_source_that_floods_fills_its_queue_and_overflows_it_never() {
    let config = with_udp(ad_hoc(Standard::A), 0, Peer::Station(1), Direction::Down);
    let config = with_udp(config, 2, Peer::Station(1), Direction::Down);
    let run = run(&config);
    assert!(run.result.flows.iter().all(|flow| flow.goodput_mbps > 10.0), "{:?}", run.result.flows);
    assert_eq!(run.result.counters.total.queue_drops, 0);
}

//! Packets on their way up or through a node, timers, and what schemes emit.

use ackless_cell::config::{CellConfig, Direction, FlowConfig, Pace, Peer};
use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Passage;
use ackless_schemes::Stock;
use ackless_schemes::testing::passing::{Detains, Guards, Relays, Shortens, Stores, Thins};
use ackless_wire::{BitRate, Duration};

use crate::hooks::cells::{
    AP, STATION, aggregating, only_on, run, single_frames, with_another_station, with_tcp, with_udp,
};

/// 10 Mbps of datagrams: about 85 in 100 ms.
const SLOW: Pace = Pace::Rate(BitRate::from_mbps(10));

fn slow_udp(direction: Direction) -> CellConfig {
    with_udp(aggregating(), direction, SLOW)
}

#[test]
fn a_detained_packet_reaches_the_transport_later() {
    let config = slow_udp(Direction::Down);
    let plain = run(&config, |_| Box::new(Stock));
    let detained = run(&config, only_on(STATION, Detains::new(Duration::from_millis(20))));
    // The last 20 ms of 100 are still held at the end: 20 ms of 10 Mbps are 17 datagrams.
    let missing = (plain.delivered(&config, 0) - detained.delivered(&config, 0)) / 1472;
    assert!((16..=18).contains(&missing), "{missing}");
    assert_eq!(detained.under_way - plain.under_way, missing as usize);
}

#[test]
fn tcp_runs_on_packets_that_are_held_and_handed_over_again() {
    let config = with_tcp(aggregating());
    let result = run(&config, only_on(STATION, Detains::new(Duration::from_millis(2)))).result;
    assert!(result.flows[0].goodput_mbps > 5.0);
    assert_eq!(result.flows[0].retransmissions, 0);
    let rtt = result.flows[0].rtt_ms.expect("TCP measures its round trip");
    assert!(rtt.min >= 4.0, "1 ms of wire each way and 2 ms of detention: {rtt:?}");
}

#[test]
fn a_packet_swallowed_on_its_way_up_is_acknowledged_but_not_delivered() {
    let config = slow_udp(Direction::Down);
    let plain = run(&config, |_| Box::new(Stock));
    let thinned = run(&config, only_on(STATION, Thins::new(4)));
    assert_eq!(thinned.delivered(&config, 0) / 1472, plain.delivered(&config, 0) / 1472 / 4);
    assert_eq!(thinned.result.counters.nodes[0].counters.retries, 0, "the MAC has acknowledged all");
    assert_eq!(thinned.under_way, plain.under_way, "swallowed packets are let go");
}

#[test]
fn a_packet_replaced_on_its_way_up_is_delivered_in_its_new_form() {
    let config = slow_udp(Direction::Down);
    let plain = run(&config, |_| Box::new(Stock));
    let shortened = run(&config, only_on(STATION, Shortens(100)));
    assert_eq!(shortened.delivered(&config, 0) / 100, plain.delivered(&config, 0) / 1472);
    assert_eq!(shortened.under_way, plain.under_way);
}

#[test]
fn what_the_ap_emits_onwards_reaches_the_server() {
    let relays = Relays::default();
    let emitted = relays.emitted.clone();
    let config = with_tcp(aggregating());
    let run = run(&config, only_on(AP, relays));
    assert!(emitted.entries().len() > 100);
    assert!(emitted.entries().iter().all(|&from| from == STATION));
    assert_eq!(run.result.flows[0].retransmissions, 0);
    assert!(run.result.flows[0].goodput_mbps > 5.0, "the server has no other ACKs than the emitted ones");
}

#[test]
fn packets_from_and_to_the_wire_pass_the_scheme() {
    for (direction, passage) in
        [(Direction::Down, Passage::FromWire(STATION)), (Direction::Up, Passage::ToWire(STATION))]
    {
        let config = slow_udp(direction);
        let guards = Guards::new(3);
        let passages = guards.passages.clone();
        let run = run(&config, only_on(AP, guards));
        let passages = passages.entries();
        assert!(passages.len() > 60);
        assert!(passages.iter().all(|entry| entry.0 == passage));
        let kept = passages.iter().filter(|entry| entry.2).count() as u64;
        let delivered = run.delivered(&config, 0) / 1472;
        assert!(delivered <= kept && delivered + 2 >= kept, "{delivered} of {kept} have arrived");
    }
}

#[test]
fn packets_between_stations_pass_the_scheme_of_the_ap() {
    let mut config = with_udp(with_another_station(single_frames()), Direction::Up, SLOW);
    let FlowConfig { peer, .. } = &mut config.flows[0];
    *peer = Peer::Station(1);
    let guards = Guards::new(2);
    let passages = guards.passages.clone();
    let run = run(&config, only_on(AP, guards));
    let passages = passages.entries();
    assert!(passages.len() > 60);
    assert!(passages.iter().all(|entry| entry.0 == Passage::OverAir { from: STATION, to: NodeId(2) }));
    let kept = passages.iter().filter(|entry| entry.2).count() as u64;
    let delivered = run.delivered(&config, 0) / 1472;
    assert!(delivered <= kept && delivered + 2 >= kept, "{delivered} of {kept} have arrived");
}

#[test]
fn a_packet_stored_on_its_way_through_goes_on_when_the_timer_says_so() {
    let config = slow_udp(Direction::Down);
    let plain = run(&config, |_| Box::new(Stock));
    let stored = run(&config, only_on(AP, Stores::new(Duration::from_millis(20))));
    let first = |run: &crate::hooks::cells::Run| run.data_from(AP).next().expect("the AP sends").start;
    let later = first(&stored) - first(&plain);
    let tolerance = Duration::from_micros(9);
    assert!(
        later + tolerance >= Duration::from_millis(20) && later <= Duration::from_millis(20) + tolerance,
        "{later}"
    );
    let missing = (plain.delivered(&config, 0) - stored.delivered(&config, 0)) / 1472;
    assert!((16..=18).contains(&missing), "{missing}");
}

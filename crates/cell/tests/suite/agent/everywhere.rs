//! The agent on every standard, under losses, beside legacy stations, with slow hosts: it gains, and does no harm.

use ackless_cell::config::{AckConfig, CellConfig, Direction, Peer, SchemeChoice, Traffic, TransportConfig};
use ackless_phy::Standard;
use ackless_schemes::agent::Solution;
use ackless_wire::{Bytes, Duration};

use crate::agent::{FLAG, buffer, uplink_acks, with_agent};
use crate::testing::cells::{cell, loss, run, with_stations, with_tcp, with_udp};

const STANDARDS: [Standard; 4] = [Standard::B, Standard::A, Standard::N, Standard::Ac];

/// A flow past its slow start.
fn steady(standard: Standard, direction: Direction) -> CellConfig {
    let mut config = with_tcp(cell(standard), 0, Peer::Server, direction);
    (config.warm_up, config.measured) = (Duration::from_secs(6), Duration::from_secs(4));
    config
}

fn with_acks_every(mut config: CellConfig, every: u32) -> CellConfig {
    for flow in &mut config.flows {
        if let TransportConfig::Tcp(tcp) = &mut flow.transport {
            tcp.ack = AckConfig { every, ..tcp.ack };
        }
    }
    config
}

#[test]
fn downloads_gain_on_every_standard() {
    for standard in STANDARDS {
        for every in [1, 2] {
            let tcp = with_acks_every(steady(standard, Direction::Down), every);
            let stock = run(&tcp);
            for solution in [buffer(), FLAG] {
                let with = run(&with_agent(tcp.clone(), solution));
                let gain = with.goodput() / stock.goodput();
                assert!(gain > 1.04, "{standard:?} L={every} {solution:?}: {gain} of {}", stock.goodput());
                assert!(uplink_acks(&with) * 5 < uplink_acks(&stock), "{standard:?}: {}", uplink_acks(&with));
            }
        }
    }
}

#[test]
fn uploads_stay_as_they_are() {
    for standard in STANDARDS {
        let tcp = with_tcp(cell(standard), 0, Peer::Server, Direction::Up);
        let (stock, with) = (run(&tcp), run(&with_agent(tcp.clone(), buffer())));
        assert_eq!(with.result.counters, stock.result.counters, "{standard:?}");
        assert_eq!(with.result.flows, stock.result.flows, "{standard:?}");
    }
}

#[test]
fn losses_on_the_air_take_nothing_of_the_gain() {
    for standard in STANDARDS {
        for p in [0.02, 0.1] {
            let mut tcp = steady(standard, Direction::Down);
            tcp.stations[0].loss = loss([p; 4]);
            let stock = run(&tcp).goodput();
            for solution in [buffer(), FLAG] {
                let gain = run(&with_agent(tcp.clone(), solution)).goodput() / stock;
                assert!(gain > 1.02, "{standard:?} {solution:?} at {p}: {gain}");
            }
        }
    }
}

#[test]
fn finite_transfers_under_losses_and_on_a_bad_wire_end_and_leave_nothing_behind() {
    for standard in STANDARDS {
        for solution in [buffer(), FLAG, Solution::Buffer { packets: 4, again: Duration::from_millis(100) }] {
            let mut config = with_stations(cell(standard), 2);
            for (station, direction) in [(0, Direction::Down), (1, Direction::Down), (0, Direction::Up)] {
                config = with_tcp(config, station, Peer::Server, direction);
            }
            config.flows.iter_mut().for_each(|flow| flow.traffic = Traffic::Finite { size: Bytes(300_000) });
            config.stations.iter_mut().for_each(|station| station.loss = loss([0.1, 0.1, 0.1, 0.1]));
            for link in [&mut config.wired.up, &mut config.wired.down] {
                let p = |p| ackless_cell::config::Probability::new(p).expect("a test's probability is one");
                (link.loss, link.reorder, link.reorder_delay) = (p(0.01), p(0.01), Duration::from_millis(2));
            }
            config.measured = Duration::from_secs(60);
            let run = run(&with_agent(config, solution));
            assert!(run.result.flows.iter().all(|flow| flow.completion_s.is_some()), "{:?}", run.result.flows);
            assert_eq!(run.under_way, 0, "{standard:?} {solution:?}");
        }
    }
}

#[test]
fn a_legacy_neighbour_is_served_as_ever() {
    let mut config = with_stations(cell(Standard::A), 2);
    for station in 0..2 {
        config = with_tcp(config, station, Peer::Server, Direction::Down);
    }
    (config.warm_up, config.measured) = (Duration::from_secs(3), Duration::from_secs(4));
    let mut with = with_agent(config.clone(), buffer());
    with.stations[1].scheme = SchemeChoice::Stock;
    let (stock, with) = (run(&config), run(&with));
    let legacy = with.result.flows[1].goodput_mbps / stock.result.flows[1].goodput_mbps;
    assert!(legacy > 0.95, "{legacy}");
    let acks: Vec<_> = with.result.counters.nodes.iter().map(|node| node.counters.tcp_ack_mpdus).collect();
    assert!(acks[1] * 10 < acks[2] && acks[2] > 500, "{acks:?}");
}

#[test]
fn a_slow_host_needs_a_sifs_of_its_own_for_the_flag_and_none_for_the_buffer() {
    let mut config = steady(Standard::A, Direction::Down);
    let latency = Duration::from_micros(30);
    config.stations[0].host_latency = latency;
    let config = with_acks_every(config, 1);
    let stock = run(&config);
    let [buffered, early, late] = [buffer(), FLAG, Solution::Flag { extra_sifs: Duration::from_micros(50) }]
        .map(|solution| run(&with_agent(config.clone(), solution)));
    let swallowed = early.count(1, "swallowed");
    assert!(swallowed < 50, "16 us are not enough for twice 30: {swallowed}");
    assert!((0.98..1.02).contains(&(early.goodput() / stock.goodput())), "and the ACKs go natively");
    assert!(late.count(1, "flag_on") > 1_000 && late.count(1, "flag_late") < 10);
    assert!(late.goodput() > 1.1 * stock.goodput() && buffered.goodput() > late.goodput());
    // The Duration field covers the later answer: Ack at 24 Mbps 28 us, SIFS 16, and 50 more.
    let data = late.data(0, 1).find(|sent| sent.ppdu.mpdus()[0].payload_len > Bytes::ZERO).expect("data was sent");
    assert_eq!(data.ppdu.duration_field, Duration::from_micros(28 + 16 + 50));
    assert_eq!(late.result.counters.nodes[0].counters.ack_timeouts, late.result.counters.nodes[0].counters.collisions);
}

#[test]
fn neighbours_do_not_cut_in_before_a_late_answer() {
    // A datagram flood beside a station that answers 66 us after the frame, far later than DIFS of 34.
    let mut config = with_stations(cell(Standard::A), 2);
    config = with_tcp(config, 0, Peer::Server, Direction::Down);
    config = with_udp(config, 1, Peer::Server, Direction::Up);
    config.stations[0].host_latency = Duration::from_micros(30);
    config.measured = Duration::from_secs(2);
    let run = run(&with_agent(with_acks_every(config, 1), Solution::Flag { extra_sifs: Duration::from_micros(50) }));
    let counters = run.result.counters.nodes[0].counters;
    assert!(counters.ack_timeouts == counters.collisions && counters.acks > 1_000, "{counters:?}");
    assert!(run.count(1, "flag_on") > 500);
}

#[test]
fn a_small_buffer_and_a_slow_host_refuse_frames_and_lose_nothing() {
    let mut config = with_acks_every(steady(Standard::A, Direction::Down), 1);
    config.stations[0].host_latency = Duration::from_millis(1);
    let run = run(&with_agent(config, Solution::Buffer { packets: 3, again: Duration::from_millis(100) }));
    assert!(run.count(1, "refused") > 1_000, "{}", run.count(1, "refused"));
    assert!(run.goodput() > 10.0 && run.result.flows[0].timeouts == 0, "{:?}", run.result.flows);
}

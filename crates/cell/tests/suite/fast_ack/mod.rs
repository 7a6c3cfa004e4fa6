//! FastACK in whole cells.

use ackless_cell::config::{
    ApQueue, CellConfig, CongestionChoice, Direction, Peer, Probability, SchemeChoice, Traffic, TransportConfig,
};
use ackless_cell::result::RunResult;
use ackless_cell::run;
use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Context, Scheme, Verdict};
use ackless_phy::Standard;
use ackless_schemes::Stock;
use ackless_schemes::fast_ack::{FastAck, FastAckConfig};
use ackless_wire::{Bytes, Duration, PacketId};

use crate::testing::cells::{cell, loss, with_stations, with_tcp};

const STANDARDS: [Standard; 4] = [Standard::B, Standard::A, Standard::N, Standard::Ac];

fn steady(standard: Standard, direction: Direction) -> CellConfig {
    let mut config = with_tcp(cell(standard), 0, Peer::Server, direction);
    (config.warm_up, config.measured) = (Duration::from_secs(2), Duration::from_secs(3));
    with_buffer(config, 200_000)
}

fn with_buffer(mut config: CellConfig, bytes: u64) -> CellConfig {
    for flow in &mut config.flows {
        let TransportConfig::Tcp(tcp) = &mut flow.transport else { unreachable!("all flows here are TCP") };
        tcp.receive_buffer = Bytes(bytes);
    }
    config
}

fn with_fast_ack(mut config: CellConfig) -> CellConfig {
    config.ap.scheme = SchemeChoice::FastAck(FastAckConfig::default());
    config
}

fn count(result: &RunResult, name: &str) -> u64 {
    result.rival[name]
}

#[test]
fn the_server_hears_of_data_sooner_and_the_air_carries_as_much_as_ever() {
    for standard in STANDARDS {
        let config = steady(standard, Direction::Down);
        let (stock, with) = (run(&config, 1), run(&with_fast_ack(config.clone()), 1));
        let what = format!("{standard:?}: {with:?} beside {stock:?}");
        assert!(with.goodput_mbps > 0.98 * stock.goodput_mbps, "{what}");
        assert_eq!(with.flows[0].retransmissions + count(&with, "repaired"), 0, "{what}");
        assert!(count(&with, "made") > 1_000 && count(&with, "suppressed") > 100, "{what}");
    }
}

#[test]
fn the_senders_window_bounds_what_is_in_flight_as_ever() {
    // What is acknowledged early leaves room in the congestion window, but the client's window is the client's.
    for standard in STANDARDS {
        let config = with_buffer(steady(standard, Direction::Down), 20_000);
        let (stock, with) = (run(&config, 1), run(&with_fast_ack(config.clone()), 1));
        assert!(with.goodput_mbps > 0.97 * stock.goodput_mbps, "{standard:?}: {with:?} beside {stock:?}");
        assert_eq!(with.flows[0].retransmissions, 0, "{standard:?}: the client refused nothing");
    }
}

#[test]
fn what_the_mac_gives_up_is_repaired_behind_the_servers_back() {
    for standard in [Standard::A, Standard::N] {
        let mut config = steady(standard, Direction::Down);
        config.ap.mac.retry_limit = Some(2);
        config.stations[0].loss = loss([0.2, 0.0, 0.0, 0.0]);
        let (stock, with) = (run(&config, 1), run(&with_fast_ack(config.clone()), 1));
        let what = format!("{standard:?}: {with:?} beside {stock:?}");
        assert!(count(&with, "repaired_given_up") > 50, "{what}");
        assert!(stock.flows[0].retransmissions > 50 && with.flows[0].retransmissions < 5, "{what}");
        assert!(with.goodput_mbps > 1.4 * stock.goodput_mbps, "{what}");
    }
}

#[test]
fn losses_on_the_wire_and_in_a_full_queue_are_still_the_servers() {
    for standard in [Standard::A, Standard::N] {
        let mut config = steady(standard, Direction::Down);
        config.wired.down.loss = Probability::new(0.002).expect("two in a thousand");
        config.wired.down.reorder = Probability::new(0.005).expect("five in a thousand");
        config.wired.down.reorder_delay = Duration::from_millis(1);
        config.ap.queue = ApQueue::Fifo { packets: 60 };
        config.measured = Duration::from_secs(5);
        let (stock, with) = (run(&config, 1), run(&with_fast_ack(config.clone()), 1));
        let what = format!("{standard:?}: {with:?} beside {stock:?}");
        assert!(count(&with, "passed_duplicate") > 100, "{what}");
        assert!(with.goodput_mbps > 0.85 * stock.goodput_mbps, "{what}");
    }
}

#[test]
fn uploads_are_untouched() {
    for standard in STANDARDS {
        let config = steady(standard, Direction::Up);
        let (stock, with) = (run(&config, 1), run(&with_fast_ack(config.clone()), 1));
        assert_eq!(with.flows, stock.flows);
        assert_eq!(count(&with, "made"), 0);
    }
}

/// A client whose host loses every so many data packets that its MAC has acknowledged.
struct Loses {
    every: u32,
    seen: u32,
}

impl Scheme for Loses {
    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, _from: NodeId) -> Verdict {
        self.seen += u32::from(!cx.pool.get(packet).payload.is_empty());
        let lost = self.seen == self.every;
        if lost {
            self.seen = 0;
            return Verdict::Swallow;
        }
        Verdict::Pass
    }
}

#[test]
fn what_the_client_loses_behind_its_mac_comes_again_from_the_cache() {
    for standard in STANDARDS {
        for (sack, every) in [(true, 50), (true, 7), (false, 50), (false, 7)] {
            let mut config = steady(standard, Direction::Down);
            config.warm_up = Duration::ZERO;
            config.measured = Duration::from_secs(40);
            config.flows[0].traffic = Traffic::Finite { size: Bytes(500_000) };
            let TransportConfig::Tcp(tcp) = &mut config.flows[0].transport else { unreachable!("a TCP flow") };
            (tcp.sack, tcp.congestion) = (sack, CongestionChoice::NewReno);
            let lossy = |fast: bool| {
                crate::testing::cells::run_with(&config, |node| -> Box<dyn Scheme> {
                    match node {
                        NodeId(0) if fast => Box::new(FastAck::new(FastAckConfig::default())),
                        NodeId(0) => Box::new(Stock),
                        _ => Box::new(Loses { every, seen: 0 }),
                    }
                })
            };
            let (stock, with) = (lossy(false), lossy(true));
            let what = format!("{standard:?}, SACK {sack}, one in {every}: {:?}", with.result.flows);
            // Where a repair waits for its timer, the server's may run out.
            let (few, many) = (with.result.flows[0].retransmissions, stock.result.flows[0].retransmissions);
            assert!(few <= 5 && few * 4 <= many, "{many} without: {what}");
            assert!(with.result.flows[0].completion_s.is_some(), "{what}");
            assert_eq!((with.result.flows[0].goodput_mbps * 40e6 / 8.0).round(), 500_000.0, "all of it: {what}");
            assert_eq!(with.under_way, 0, "{what}");
        }
    }
}

#[test]
fn every_transfer_ends_and_the_cache_with_it() {
    for standard in STANDARDS {
        for cache_packets in [1, 5, 4096] {
            let mut config = with_stations(cell(standard), 3);
            for flow in 0..6 {
                let direction = if flow % 3 == 2 { Direction::Up } else { Direction::Down };
                config = with_tcp(config, flow % 3, Peer::Server, direction);
            }
            for (number, flow) in config.flows.iter_mut().enumerate() {
                flow.traffic = Traffic::Finite { size: Bytes(1 + 40_000 * number as u64) };
            }
            config.stations.iter_mut().for_each(|station| station.loss = loss([0.2, 0.1, 0.2, 0.1]));
            config.ap.scheme = SchemeChoice::FastAck(FastAckConfig { cache_packets, ..FastAckConfig::default() });
            config.measured = Duration::from_secs(30);
            let run = crate::testing::cells::run(&config);
            let what = format!("{standard:?}, {cache_packets}: {:?}", run.result.flows);
            assert!(run.result.flows.iter().all(|flow| flow.completion_s.is_some()), "{what}");
            assert_eq!(run.under_way, 0, "{what}");
            assert!(run.count(0, "made") > 0, "{what}");
        }
    }
}

#[test]
fn a_relays_acknowledgement_is_not_the_clients() {
    let mut config = with_stations(cell(Standard::N), 2);
    config.stations[1].via = Some(0);
    config = with_tcp(with_tcp(config, 0, Peer::Server, Direction::Down), 1, Peer::Server, Direction::Down);
    config.flows[0].traffic = Traffic::Finite { size: Bytes(5_000) };
    let stock = run(&config, 1);
    let with = run(&with_fast_ack(config), 1);
    assert_eq!(count(&with, "made"), 4, "the relay's own: {with:?}");
    assert!(with.flows[1].goodput_mbps > 0.9 * stock.flows[1].goodput_mbps);
}

//! Fewer ACKs go on the air, and nobody is worse off, while nothing but the air is lost.

use ackless_cell::config::{DeviceLimit, Direction, Traffic};
use ackless_cell::result::RunResult;
use ackless_cell::run;
use ackless_phy::Standard;
use ackless_wire::Bytes;

use crate::testing::cells;
use crate::thinning::{kinds, steady, thinned};

const STANDARDS: [Standard; 4] = [Standard::B, Standard::A, Standard::N, Standard::Ac];

fn acks(result: &RunResult) -> u64 {
    result.counters.nodes.iter().map(|node| node.counters.tcp_ack_mpdus).sum()
}

#[test]
fn no_product_costs_goodput_and_all_but_the_shortest_queues_are_thinned() {
    for standard in STANDARDS {
        for directions in [&[Direction::Down][..], &[Direction::Up], &[Direction::Down, Direction::Up]] {
            let config = steady(standard, directions);
            let stock = run(&config, 1);
            for (name, kind) in kinds() {
                let with = run(&thinned(config.clone(), kind), 1);
                let what = format!("{name} on {standard:?} {directions:?}: {with:?} beside {stock:?}");
                assert!(with.goodput_mbps > 0.96 * stock.goodput_mbps, "{what}");
                assert_eq!(with.flows.iter().map(|flow| flow.timeouts).sum::<u64>(), 0, "{what}");
                assert!(acks(&with) <= acks(&stock) * 101 / 100, "{what}");
            }
        }
    }
}

#[test]
fn a_mpdus_leave_acks_waiting_and_thinning_sends_a_tenth_of_them() {
    for standard in [Standard::N, Standard::Ac] {
        for direction in [Direction::Down, Direction::Up] {
            let config = steady(standard, &[direction]);
            let stock = acks(&run(&config, 1));
            for (name, kind) in kinds() {
                let with = acks(&run(&thinned(config.clone(), kind), 1));
                let least = if name == "broadcom-hold" { 2 } else { 5 };
                assert!(with * least < stock, "{name} on {standard:?} {direction:?}: {with} of {stock}");
            }
        }
    }
}

#[test]
fn what_a_device_has_been_given_is_thinned_out_no_more() {
    let mut config = steady(Standard::N, &[Direction::Up]);
    for (name, kind) in kinds() {
        config.ap.device = None;
        let within_reach = acks(&run(&thinned(config.clone(), kind), 1));
        let with = [1, 5, 1_000].map(|packets| {
            config.ap.device = Some(DeviceLimit::Packets(packets));
            acks(&run(&thinned(config.clone(), kind), 1))
        });
        // Those that wait in the queue for its sake can be thinned out, and where it takes all, none; what is held never was in a queue.
        let in_queue = !matches!(name, "broadcom-hold" | "samsung");
        assert!(with[0] < 2 * within_reach, "{name}: {with:?}, {within_reach} without");
        assert_eq!(with[2] > 5 * within_reach, in_queue, "{name}: {with:?}, {within_reach} without");
        assert_eq!(with[2] > 2 * with[1], in_queue, "{name}: {with:?}");
    }
}

#[test]
fn without_a_mpdus_only_holding_gains_much() {
    // One ACK at a time waits for the medium: there is little to thin out in the queue.
    let config = steady(Standard::A, &[Direction::Down]);
    let stock = run(&config, 1).goodput_mbps;
    for (name, kind) in kinds() {
        let gain = run(&thinned(config.clone(), kind), 1).goodput_mbps / stock;
        let holds = matches!(name, "broadcom-hold" | "samsung");
        assert!(if holds { gain > 1.08 } else { (0.99..1.06).contains(&gain) }, "{name}: {gain}");
    }
}

#[test]
fn losses_on_the_air_are_the_macs_and_thinning_lives_with_them() {
    for standard in STANDARDS {
        let mut config = steady(standard, &[Direction::Down, Direction::Up]);
        config.stations[0].loss = cells::loss([0.15, 0.05, 0.15, 0.05]);
        let stock = run(&config, 1).goodput_mbps;
        for (name, kind) in kinds() {
            let with = run(&thinned(config.clone(), kind), 1).goodput_mbps;
            assert!(with > 0.9 * stock, "{name} on {standard:?}: {with} and {stock}");
        }
    }
}

#[test]
fn every_transfer_ends_and_nobody_holds_a_packet_then() {
    for standard in STANDARDS {
        let mut config = steady(standard, &[Direction::Down, Direction::Up]);
        for (flow, size) in config.flows.iter_mut().zip([300_001, 77_777]) {
            flow.traffic = Traffic::Finite { size: Bytes(size) };
        }
        config.stations[0].loss = cells::loss([0.2, 0.1, 0.2, 0.1]);
        for (name, kind) in kinds() {
            let run = cells::run(&thinned(config.clone(), kind));
            assert!(run.result.flows.iter().all(|flow| flow.completion_s.is_some()), "{name}: {:?}", run.result.flows);
            assert_eq!(run.under_way, 0, "{name} on {standard:?}");
        }
    }
}

//! What filtering costs, and whom it harms.

use ackless_cell::config::{CellConfig, Direction, Peer, Traffic};
use ackless_phy::{OfdmRate, Standard, TxVector};
use ackless_schemes::filter::{Filtered, Form};
use ackless_wire::{Bytes, Duration};

use crate::filter::with_filter;
use crate::testing::cells::{cell, loss, run, with_tcp};

/// A flow without end past its slow start, groups at 24 Mbps, and this loss of data frames both ways.
fn lossy(standard: Standard, direction: Direction, data_loss: f64) -> CellConfig {
    let mut config = with_tcp(cell(standard), 0, Peer::Server, direction);
    (config.warm_up, config.measured) = (Duration::from_secs(1), Duration::from_secs(3));
    config.group_rate = Some(TxVector::ofdm(OfdmRate::Mbps24, config.band));
    config.stations[0].loss = loss([data_loss, 0.0, data_loss, 0.0]);
    config
}

#[test]
fn filtered_acks_bear_losses_since_they_are_cumulative() {
    for data_loss in [0.0, 0.02, 0.1] {
        let config = lossy(Standard::A, Direction::Up, data_loss);
        let stock = run(&config);
        for form in [Form::Group, Form::ActionNoAck] {
            let with = run(&with_filter(config.clone(), form, Filtered::Acks));
            let gain = with.goodput() / stock.goodput();
            assert!((1.03..1.15).contains(&gain), "{form:?} at {data_loss}: {gain}");
        }
    }
}

#[test]
fn filtered_data_does_not_bear_losses() {
    // Without losses, collisions alone take what no repetition brings back.
    let goodput = |data_loss, filtered: Option<Filtered>| {
        let config = lossy(Standard::A, Direction::Up, data_loss);
        let config = match filtered {
            Some(filtered) => with_filter(config, Form::ActionNoAck, filtered),
            None => config,
        };
        run(&config).goodput()
    };
    for (data_loss, worst) in [(0.0, 1.0), (0.1, 0.1)] {
        let (stock, data) = (goodput(data_loss, None), goodput(data_loss, Some(Filtered::AcksAndData)));
        assert!(data < worst * stock, "at a loss of {data_loss}: {data} and {stock}");
        assert!(goodput(data_loss, Some(Filtered::Acks)) > stock);
    }
}

#[test]
fn data_from_the_ap_can_be_filtered_as_group_frames_and_suffers_the_more() {
    let config = lossy(Standard::A, Direction::Down, 0.02);
    let (stock, with) = (run(&config), run(&with_filter(config.clone(), Form::Group, Filtered::AcksAndData)));
    assert!(with.count(0, "filtered_data") > 1000 && with.count(1, "answered_to_ap") > 1000);
    assert!(with.goodput() < 0.6 * stock.goodput(), "{} and {}", with.goodput(), stock.goodput());
}

#[test]
fn without_aggregation_the_acks_cost_more_than_filtering_saves() {
    // Each filtered ACK needs an access of its own, where 802.11n and ac put dozens of them into one A-MPDU.
    for (standard, worst) in [(Standard::N, 0.75), (Standard::Ac, 0.5)] {
        for direction in [Direction::Up, Direction::Down] {
            let config = lossy(standard, direction, 0.0);
            let stock = run(&config);
            let forms = match direction {
                Direction::Up => vec![Form::Group, Form::ActionNoAck, Form::NoAck],
                Direction::Down => vec![Form::ActionNoAck, Form::NoAck],
            };
            for form in forms {
                let with = run(&with_filter(config.clone(), form, Filtered::Acks));
                let share = with.goodput() / stock.goodput();
                assert!(share < worst, "{standard:?} {direction:?} {form:?}: {share}");
                let frames = [&with, &stock].map(|run| run.result.counters.total.tcp_ack_ppdus);
                assert!(frames[0] > 5 * frames[1], "{standard:?} {form:?}: {frames:?}");
            }
        }
    }
}

#[test]
fn every_transfer_ends_whatever_the_air_takes() {
    for form in [Form::Group, Form::ActionNoAck, Form::NoAck] {
        for filtered in [Filtered::Acks, Filtered::AcksAndData] {
            for standard in [Standard::A, Standard::N] {
                let mut config = lossy(standard, Direction::Up, 0.3);
                config = with_tcp(config, 0, Peer::Server, Direction::Down);
                for flow in &mut config.flows {
                    flow.traffic = Traffic::Finite { size: Bytes(50_000) };
                }
                (config.warm_up, config.measured) = (Duration::ZERO, Duration::from_secs(600));
                let run = run(&with_filter(config, form, filtered));
                for flow in &run.result.flows {
                    assert!(flow.completion_s.is_some(), "{form:?} {filtered:?} {standard:?}: {flow:?}");
                }
                assert_eq!(run.under_way, 0, "{form:?} {filtered:?} {standard:?}");
            }
        }
    }
}

//! Without losses: how many ACKs go on answers, and what that is worth.

use ackless_cell::config::{ApQueue, CellConfig, Direction};
use ackless_dot11::frame::NodeId;
use ackless_schemes::AnyScheme;
use ackless_schemes::hack::{Fit, HackConfig, Policy};
use ackless_wire::{Bytes, Duration, Instant};

use crate::hack_cells::cells::{a, ac, hack, n, run, stock, with_flow, with_stations};
use crate::testing::ears;
use crate::testing::tested::with_schemes;

const DIRECTIONS: [Direction; 2] = [Direction::Down, Direction::Up];

/// The cell past slow start, with queues that hold three of its A-MPDUs.
fn steady(mut cell: CellConfig, packets: u32) -> CellConfig {
    cell.warm_up = Duration::from_secs(1);
    cell.measured = Duration::from_secs(1);
    cell.ap.queue = ApQueue::Fifo { packets };
    cell.stations.iter_mut().for_each(|station| station.queue_packets = packets);
    cell
}

#[test]
fn nearly_all_acks_of_a_bulk_transfer_go_on_answers_and_the_air_time_is_worth_it() {
    // By air time alone: an 802.11a cell without TCP ACK frames carries 21 % more, one with A-MPDUs over 10 %.
    for (name, cell, gain) in
        [("a", steady(a(), 126), 1.18), ("n", steady(n(), 126), 1.10), ("ac", steady(ac(), 300), 1.10)]
    {
        for direction in DIRECTIONS {
            let cell = with_flow(cell.clone(), 0, direction, None);
            let (with, without) = (run(&cell, HackConfig::default(), 1), stock(&cell, 1));
            with.assert_sound(name);
            assert!(with.compressed_share() > 0.9, "{name} {direction:?}: {:#?}", with.counters);
            let goodput = with.result.flows[0].goodput_mbps;
            assert!(goodput > gain * without[0].goodput_mbps, "{name} {direction:?}: {goodput} and {without:?}");
            let counters = with.counters;
            // The run may end in the middle of an answer.
            let under_way = counters.compressed_acks - counters.emitted;
            assert!(under_way <= 64, "each comes out once: {counters:#?}");
            assert_eq!(counters.guard_fired, 0);
        }
    }
}

#[test]
fn opportunistic_hack_gains_little_on_a_download_with_a_mpdus() {
    // The paper, 4.3: it "does not significantly outperform" stock 802.11n.
    let cell = with_flow(steady(n(), 126), 0, Direction::Down, None);
    let opportunistic = HackConfig { policy: Policy::Opportunistic, ..HackConfig::default() };
    let (run, stock) = (run(&cell, opportunistic, 1), stock(&cell, 1)[0].goodput_mbps);
    run.assert_sound("opportunistic");
    assert!(run.compressed_share() < 0.5);
    let gain = run.result.flows[0].goodput_mbps / stock;
    assert!((1.0..1.08).contains(&gain), "{gain}");
}

#[test]
fn a_steady_ack_takes_little_more_than_a_byte() {
    let run = run(&with_flow(steady(n(), 126), 0, Direction::Down, None), HackConfig::default(), 1);
    let each = run.counters.appended_new_bytes as f64 / run.counters.compressed_acks as f64;
    assert!((1.0..1.5).contains(&each), "{each}");
    assert_eq!(run.counters.answers_within_aifs, run.counters.appended_answers);
}

#[test]
fn a_legacy_station_beside_one_with_hack_is_served_as_ever() {
    let cell = with_stations(steady(n(), 126), 2);
    let cell = with_flow(with_flow(cell, 0, Direction::Down, None), 1, Direction::Down, None);
    let scheme =
        |node: NodeId| -> AnyScheme { if node == NodeId(2) { AnyScheme::Stock } else { hack(HackConfig::default()) } };
    let mut run = with_schemes(&cell, 1, scheme, ears::recorder(&cell));
    run.witness_acks();
    run.advance(Instant::ZERO + cell.warm_up);
    run.report_totals();
    run.advance(cell.end());
    run.finish();
    let events = run.events();
    let result = run.into_observer().0.result(&cell, 1, events);
    let appended: Vec<_> = result.counters.nodes.iter().map(|node| node.counters.appended_bytes).collect();
    assert!(appended[1] > 1000 && appended[0] == 0 && appended[2] == 0, "{appended:?}");
    assert!(result.flows[1].goodput_mbps > 40.0, "{:?}", result.flows);
}

#[test]
fn many_flows_and_stations_in_both_directions_share_the_answers() {
    for cell in [a(), n(), ac()] {
        let mut cell = with_stations(steady(cell, 200), 4);
        for flow in 0..16 {
            cell = with_flow(cell, flow % 4, DIRECTIONS[flow / 4 % 2], None);
        }
        for fit in [Fit::Whole, Fit::WithinAifs] {
            let run = run(&cell, HackConfig { fit, ..HackConfig::default() }, 1);
            run.assert_sound("many");
            assert!(run.nodes.iter().all(|node| node.compressed_acks > 0), "{:?}", run.nodes);
            assert!(run.delivered.iter().all(|&bytes| bytes > 10_000), "{:?}", run.delivered);
            if fit == Fit::WithinAifs {
                assert_eq!(run.counters.answers_within_aifs, run.counters.appended_answers);
            }
        }
    }
}

#[test]
fn colliding_identifiers_stay_apart_in_a_whole_cell() {
    // 60 flows of one station: some share the one byte of their identifier.
    for (seed, cell) in (1..).zip([a(), n(), ac()]) {
        let mut cell = cell;
        cell.measured = Duration::from_secs(20);
        for flow in 0..60 {
            cell = with_flow(cell, 0, DIRECTIONS[flow % 2], Some(Bytes(100_000)));
        }
        let run = run(&cell, HackConfig::default(), seed);
        run.assert_sound("collisions");
        assert!(run.counters.cid_collision > 0, "{:#?}", run.counters);
        assert!(run.delivered.iter().all(|&bytes| bytes == 100_000), "{:?}", run.delivered);
    }
}

#[test]
fn connections_one_after_another_on_the_same_ports_stay_apart() {
    use ackless_cell::config::{Span, Traffic};
    // Less would fit into one A-MPDU of 802.11n, with nothing behind it.
    for (cell, size) in [(a(), 60_000), (n(), 600_000)] {
        let mut cell = with_flow(with_flow(cell, 0, Direction::Down, None), 0, Direction::Up, None);
        for flow in &mut cell.flows {
            flow.traffic = Traffic::Repeated { size: Bytes(size), think: Span::Fixed(Duration::from_millis(3)) };
        }
        cell.measured = Duration::from_secs(3);
        let run = run(&cell, HackConfig::default(), 1);
        run.assert_sound("repeated");
        assert!(run.counters.compressed_acks > 500, "{:#?}", run.counters);
        assert!(run.result.flows.iter().all(|flow| flow.transfers_ms.is_some()), "{:?}", run.result.flows);
    }
}

//! Broadcom's two modes, and what their rules break.

use ackless_schemes::thinning::{Kind, ThinningConfig};
use ackless_wire::{Duration, TcpFlags};

use super::node::{Node, ack};

fn replacing() -> Node {
    Node::new(ThinningConfig::broadcom())
}

fn holding() -> Node {
    Node::new(ThinningConfig::broadcom_hold())
}

#[test]
fn a_newer_ack_takes_the_place_of_the_queued_one() {
    let mut node = replacing();
    node.give_all([ack(100), ack(7).flow(1).data(1000), ack(200), ack(300)]);
    assert_eq!((node.queued(), node.held()), (vec![300, 7], 0));
    assert_eq!(node.counters().replaced, 2);
    assert_eq!(node.send(1), [300]);
    node.give(ack(400));
    assert_eq!((node.queued(), node.counters().replaced), (vec![7, 400], 2), "what is on the air is not replaced");
}

#[test]
fn duplicates_older_ones_and_other_lengths_are_left_alone() {
    let mut node = replacing();
    node.give_all([ack(100), ack(100), ack(90), ack(200).stamps(1, 1), ack(300).flags(TcpFlags::ECE)]);
    assert_eq!(node.queued(), [100, 100, 90, 200, 300]);
    let counters = node.counters();
    assert_eq!((counters.passed_duplicate, counters.passed_older, counters.passed_length), (1, 1, 1));
}

#[test]
fn what_stands_between_is_overtaken() {
    // The harm: duplicate ACKs with SACK blocks come behind a greater number and mean nothing any more.
    let mut node = replacing();
    node.give_all([ack(100), ack(100).sack(&[(300, 400)]), ack(100).sack(&[(300, 500)]), ack(200)]);
    assert_eq!(node.queued(), [200, 100, 100]);
}

#[test]
fn only_four_flows_and_only_ipv4_are_helped() {
    let mut node = replacing();
    for flow in 0..5 {
        node.give_all([ack(100).flow(flow), ack(200).flow(flow)]);
    }
    assert_eq!(node.queued(), [200, 200, 200, 200, 100, 200]);
    assert_eq!(node.counters().table_full, 2);
    node.send(1);
    node.give_all([ack(300).flow(4), ack(400).flow(4)]);
    assert_eq!(node.queued(), [200, 200, 200, 100, 200, 400], "a place became free");
    node.give_all([ack(100).v6(), ack(200).v6()]);
    assert_eq!(node.counters().not_ipv4, 2);
}

#[test]
fn an_ack_that_its_queue_dropped_is_not_replaced() {
    let mut node = replacing();
    node.give(ack(100));
    node.drop_first();
    node.give(ack(200));
    assert_eq!((node.queued(), node.counters().lost_in_queue), (vec![200], 1));
}

#[test]
fn one_of_three_is_sent_or_the_last_one_after_10_ms() {
    let mut node = holding();
    node.give_all([100, 200, 300, 400, 500].map(ack));
    assert_eq!((node.queued(), node.held()), (vec![300], 1));
    node.pass(Duration::from_micros(9_999));
    assert_eq!(node.queued(), [300]);
    node.pass(Duration::from_micros(1));
    assert_eq!((node.queued(), node.held()), (vec![300, 500], 0), "the timer ran from 400 on");
    let counters = node.counters();
    assert_eq!((counters.held, counters.suppressed, counters.sent_by_count, counters.sent_by_timer), (4, 3, 1, 1));
}

#[test]
fn holding_merges_duplicate_acks_so_that_a_fast_retransmit_takes_nine() {
    // The harm: three duplicate ACKs are what a sender waits for (RFC 5681), and one in three is left.
    let mut node = holding();
    node.give_all([100; 9].map(ack));
    assert_eq!((node.queued(), node.counters().duplicates_merged), (vec![100; 3], 6));
}

#[test]
fn holding_keeps_a_window_update_back() {
    let mut node = holding();
    node.give_all([ack(100).window(0), ack(100).window(5000)]);
    assert!(node.queued().is_empty());
    node.pass_ms(10);
    assert_eq!(node.headers()[0].window, 5000);
}

#[test]
fn what_is_more_than_an_ack_overtakes_the_held_one() {
    let mut node = holding();
    node.give_all([ack(100), ack(200).data(10), ack(300).flags(TcpFlags::FIN), ack(50)]);
    assert_eq!((node.queued(), node.counters().older_swallowed), (vec![200, 300], 1));
    node.pass_ms(10);
    assert_eq!(node.queued(), [200, 300, 100]);
}

#[test]
fn a_fifth_flow_passes_where_the_driver_would_lose_its_acks() {
    let mut node = holding();
    for flow in 0..5 {
        node.give(ack(100 + u32::from(flow)).flow(flow));
    }
    assert_eq!((node.queued(), node.held(), node.counters().table_full), (vec![104], 4, 1));
    node.pass_ms(10);
    assert_eq!(node.queued(), [104, 100, 101, 102, 103]);
}

#[test]
fn a_syn_ends_what_is_held_for_the_connection_before() {
    let mut node = holding();
    node.give_all([ack(100), ack(0).syn(1460, None)]);
    node.pass_ms(10);
    assert_eq!((node.queued(), node.held(), node.counters().ended_with_connection), (vec![0], 0, 1));
}

#[test]
fn a_ratio_of_one_and_ipv6_hold_nothing() {
    let at_most = Duration::from_millis(10);
    let mut node = Node::new(ThinningConfig { kind: Kind::Hold { ratio: 1, at_most } });
    node.give_all([100, 200].map(ack));
    assert_eq!(node.queued(), [100, 200]);
    let mut node = holding();
    node.give_all([ack(100).v6(), ack(200).v6()]);
    assert_eq!((node.queued(), node.counters().not_ipv4), (vec![100, 200], 2));
}

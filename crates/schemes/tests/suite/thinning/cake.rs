//! CAKE's filter: what it drops, and what it must keep.

use ackless_schemes::thinning::ThinningConfig;
use ackless_wire::TcpFlags;

use super::node::{Node, ack};

fn conservative() -> Node {
    Node::new(ThinningConfig::cake())
}

fn aggressive() -> Node {
    Node::new(ThinningConfig::cake_aggressive())
}

#[test]
fn conservative_leaves_two_acks_and_aggressive_one() {
    let mut node = conservative();
    node.give_all([100, 200].map(ack));
    assert_eq!(node.queued(), [100, 200], "one alone is kept");
    node.give(ack(300));
    assert_eq!(node.queued(), [200, 300]);
    node.give_all([400, 500].map(ack));
    assert_eq!((node.queued(), node.held()), (vec![400, 500], 0));
    assert_eq!((node.counters().dropped, node.counters().kept_single), (3, 1));

    let mut node = aggressive();
    node.give_all([100, 200, 300].map(ack));
    assert_eq!((node.queued(), node.held()), (vec![300], 0));
}

#[test]
fn what_is_on_the_air_is_out_of_reach() {
    let mut node = aggressive();
    node.give(ack(100));
    assert_eq!(node.send(1), [100]);
    node.give(ack(200));
    assert_eq!((node.queued(), node.counters().dropped), (vec![200], 0));
    node.drop_first();
    node.give(ack(300));
    assert_eq!((node.queued(), node.counters().dropped), (vec![300], 0));
}

#[test]
fn a_flow_keeps_its_turn_in_a_queue_that_others_share() {
    let mut node = aggressive();
    node.give_all([ack(100), ack(7).flow(1).data(1000), ack(8).flow(1).data(1000)]);
    node.give_all([200, 300].map(ack));
    assert_eq!(node.queued(), [300, 7, 8], "the newest goes where the first would have gone");

    let mut node = conservative();
    node.give_all([ack(100), ack(7).flow(1).data(1000), ack(200), ack(8).flow(1).data(1000), ack(300)]);
    assert_eq!(node.queued(), [200, 7, 300, 8]);
    node.send(2);
    node.give_all([400, 500].map(ack));
    assert_eq!(node.queued(), [400, 8, 500]);
}

#[test]
fn duplicate_acks_and_window_updates_stay() {
    for mut node in [conservative(), aggressive()] {
        node.give_all([ack(100), ack(100), ack(100), ack(100).window(2000)]);
        assert_eq!((node.queued().len(), node.counters().dropped), (4, 0));
        assert!(node.counters().kept_duplicate >= 3);
    }
}

#[test]
fn an_ack_falls_to_one_whose_sack_blocks_cover_its_own() {
    let mut node = aggressive();
    node.give_all([ack(100).sack(&[(300, 400)]), ack(100).sack(&[(300, 500)])]);
    assert_eq!(node.counters().dropped, 1, "the same number, and more in the blocks");
    node.give(ack(100).sack(&[(600, 700), (300, 500)]));
    assert_eq!((node.queued().len(), node.counters().dropped), (1, 2));
    node.give(ack(100).sack(&[(900, 1000), (600, 700)]));
    assert_eq!((node.queued().len(), node.counters().kept_for_sack), (2, 1), "300 to 500 is in the older one alone");
}

#[test]
fn an_ack_without_blocks_does_not_drop_one_with_blocks_but_the_other_way_round() {
    let mut node = aggressive();
    node.give_all([ack(100).sack(&[(300, 400)]), ack(200)]);
    assert_eq!((node.queued().len(), node.counters().kept_for_sack), (2, 1));
    let mut node = aggressive();
    node.give_all([ack(100), ack(100).sack(&[(300, 400)])]);
    assert_eq!(node.counters().dropped, 1);
}

#[test]
fn a_duplicate_that_sack_reports_is_news() {
    let mut node = aggressive();
    node.give_all([ack(100).sack(&[(50, 60)]), ack(100).sack(&[(50, 60), (300, 400)])]);
    assert_eq!((node.queued().len(), node.counters().kept_for_sack), (2, 1));
}

#[test]
fn ecn_echo_is_never_lost() {
    let ece = |number| ack(number).flags(TcpFlags::ECE);
    let mut node = aggressive();
    node.give_all([ack(100), ece(200), ece(300), ack(400)]);
    let flags: Vec<_> = node.headers().iter().map(|tcp| tcp.flags.contains(TcpFlags::ECE)).collect();
    assert_eq!((node.queued(), flags), (vec![100, 300, 400], vec![false, true, false]));
    assert!(node.counters().kept_for_ecn >= 2);

    // Two before the change of flags are two superfluous ones: the first goes, the change stays.
    let mut node = conservative();
    node.give_all([ack(100), ack(200), ece(300), ece(400), ece(500)]);
    assert!(node.queued().contains(&200) && node.headers()[1..].iter().all(|tcp| tcp.flags.contains(TcpFlags::ECE)));
}

#[test]
fn only_bare_acks_are_dropped_though_data_may_be_the_reason() {
    let mut node = aggressive();
    node.give_all([ack(100), ack(200).data(10)]);
    assert_eq!((node.queued(), node.counters().dropped), (vec![200], 1), "data acknowledges as well as an ACK");
    for kept in [ack(300).data(10), ack(300).flags(TcpFlags::PSH), ack(300).flags(TcpFlags::FIN)] {
        let mut node = aggressive();
        node.give_all([ack(250), kept, ack(400)]);
        assert!(node.queued().contains(&300), "{:?}", node.queued());
    }
}

#[test]
fn timestamps_must_not_run_back() {
    let mut node = aggressive();
    node.give_all([ack(100).stamps(50, 10), ack(200).stamps(49, 10)]);
    assert_eq!((node.queued().len(), node.counters().kept_for_timestamp), (2, 1));
    node.give(ack(300).stamps(60, 9));
    assert_eq!(node.queued().len(), 3, "nor the echo");
    // The comparison is modulo 2^32, as that of the ACK numbers.
    let mut node = aggressive();
    node.give_all([ack(u32::MAX - 5).stamps(u32::MAX, 10), ack(50).stamps(3, 11)]);
    assert_eq!(node.queued(), [50]);
}

#[test]
fn an_older_ack_does_not_drop_a_newer_one() {
    let mut node = aggressive();
    node.give_all([ack(300), ack(200)]);
    assert_eq!((node.queued(), node.counters().kept_above), (vec![300, 200], 1));
}

#[test]
fn flows_and_address_families_are_apart() {
    let mut node = aggressive();
    node.give_all([ack(100), ack(200).flow(1), ack(300).v6()]);
    assert_eq!(node.counters().dropped, 0);
    node.give_all([ack(400).v6(), ack(500)]);
    assert_eq!(node.queued(), [500, 200, 400], "IPv6 is thinned out too");
}

#[test]
fn a_syn_neither_drops_nor_is_dropped() {
    let mut node = aggressive();
    node.give_all([ack(100), ack(0).syn(1460, None), ack(0).syn(1460, None).flags(TcpFlags::ACK), ack(50)]);
    assert_eq!(node.queued().len(), 4);
    assert!(node.counters().kept_with_more >= 2);
}

#[test]
fn many_flows_one_after_another_leave_nothing_behind() {
    let mut node = aggressive();
    for flow in 0..500 {
        node.give_all([ack(100).flow(flow), ack(200).flow(flow)]);
        assert_eq!(node.send(1), [200]);
    }
    assert_eq!((node.held(), node.counters().dropped), (0, 500));
}

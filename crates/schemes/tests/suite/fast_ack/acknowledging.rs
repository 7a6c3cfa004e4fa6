//! What is acknowledged when, and what of the client's ACKs goes on.

use ackless_dot11::frame::{AckPolicy, NodeId};
use ackless_dot11::hooks::Verdict;
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_wire::{SeqNumber, TcpFlags};

use super::ap::{Ap, LEN};

#[test]
fn the_ap_acknowledges_what_the_clients_mac_has_and_keeps_the_clients_acks() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    assert!(ap.upstream().is_empty(), "nothing has arrived");
    ap.deliver(2);
    assert_eq!(ap.upstream_acks(), [1, 2]);
    assert_eq!(ap.ack(2), Verdict::Swallow);
    assert_eq!((ap.kept(), ap.queued()), (0, vec![2]), "what the client has acknowledged is kept no longer");
    ap.deliver(1);
    assert_eq!(ap.ack(3), Verdict::Swallow);
    assert_eq!((ap.upstream_acks(), ap.live()), (vec![3], 0));
    assert_eq!((ap.counters().made, ap.counters().suppressed), (3, 2));
}

#[test]
fn an_ack_in_the_clients_name_is_one_that_it_might_have_sent() {
    let mut ap = Ap::connected();
    let (val, _) = ap.client_header(0);
    ap.data([0]);
    ap.deliver(1);
    let made = ap.upstream()[0];
    assert_eq!((made.src_port, made.dst_port, made.flags), (20_000, 80, TcpFlags::ACK));
    assert_eq!((made.seq, made.ack), (SeqNumber(5000), SeqNumber(1000 + LEN)));
    let (tsval, tsecr) = made.options.timestamps.expect("the connection has timestamps");
    assert_eq!(tsecr, 1_000, "the segment's own");
    assert!(val.is_some_and(|val| tsval <= val), "not newer than the client's clock");
    assert!(made.options.sack.is_empty());
}

#[test]
fn a_connection_without_timestamps_gets_none() {
    let mut ap = Ap::new();
    ap.stamps = false;
    ap.connect(None);
    ap.data([0]);
    ap.deliver(1);
    assert_eq!(ap.upstream()[0].options.timestamps, None);
}

#[test]
fn nothing_is_acknowledged_past_a_hole() {
    let mut ap = Ap::connected();
    ap.data(0..4);
    let frames = ap.air(4);
    ap.arrive(&frames[1..3]);
    assert!(ap.upstream().is_empty());
    ap.arrive(&frames[..1]);
    assert_eq!(ap.upstream_acks(), [3], "one ACK for all that is in order now");
    ap.arrive(&frames[3..]);
    assert_eq!(ap.upstream_acks(), [4]);
}

#[test]
fn an_ack_of_the_clients_that_goes_beyond_passes() {
    // The MAC's ACK was lost: the client has what the AP does not know of.
    let mut ap = Ap::connected();
    ap.data(0..2);
    let frames = ap.air(2);
    assert_eq!(ap.ack(1), Verdict::Pass);
    assert_eq!((ap.upstream_acks(), ap.counters().passed_beyond), (vec![1], 1));
    ap.arrive(&frames);
    assert_eq!(ap.upstream_acks(), [2], "the first is known by now");
    assert_eq!(ap.ack(2), Verdict::Swallow);
    assert_eq!(ap.live(), 0);
}

#[test]
fn one_that_goes_beyond_up_to_more_that_has_arrived_is_overtaken() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    let frames = ap.air(3);
    ap.arrive(&frames[1..]);
    assert_eq!(ap.ack(1), Verdict::Swallow);
    assert_eq!(ap.upstream_acks(), [3], "the AP says it all at once");
    ap.arrive(&frames[..1]);
    assert!(ap.upstream().is_empty());
}

#[test]
fn what_is_more_than_an_ack_passes() {
    let mut ap = Ap::connected();
    ap.data(0..2);
    ap.deliver(2);
    ap.upstream();
    let (_, header) = ap.client_header(1);
    assert_eq!(ap.client_sends(header, 100), Verdict::Pass, "data, with an ACK that is old by now");
    let mut push = header;
    push.flags |= TcpFlags::PSH;
    assert_eq!(ap.client_sends(push, 0), Verdict::Pass);
    assert_eq!(ap.counters().passed_with_more, 2);
    ap.data([2]);
    ap.deliver(1);
    let made = ap.upstream().pop().expect("the AP went on");
    assert_eq!(made.seq, SeqNumber(5100), "behind the client's data");
}

#[test]
fn an_answer_where_nothing_is_outstanding_passes() {
    let mut ap = Ap::connected();
    ap.data([0]);
    ap.deliver(1);
    ap.ack(1);
    ap.upstream();
    assert_eq!(ap.ack(1), Verdict::Pass, "to a keep-alive, say");
}

#[test]
fn fin_is_the_clients_to_acknowledge() {
    let mut ap = Ap::connected();
    ap.data([0]);
    let mut last = ap.server_header(1);
    last.flags |= TcpFlags::FIN;
    ap.server_sends(last, LEN);
    ap.deliver(2);
    assert_eq!(ap.upstream_acks(), [1], "not the data that came with it either");
    let (_, mut ack) = ap.client_header(2);
    ack.ack += 1;
    assert_eq!(ap.client_sends(ack, 0), Verdict::Pass);
    let mut fin = ack;
    fin.flags |= TcpFlags::FIN;
    assert_eq!(ap.client_sends(fin, 0), Verdict::Pass);
    assert_eq!(ap.live(), 0);
}

#[test]
fn an_ecn_echo_reaches_the_server() {
    let mut ap = Ap::connected();
    ap.data(0..2);
    ap.deliver(2);
    ap.upstream();
    let (_, mut echo) = ap.client_header(1);
    echo.flags |= TcpFlags::ECE;
    assert_eq!(ap.client_sends(echo, 0), Verdict::Swallow);
    let made = ap.upstream();
    assert!(made.len() == 1 && made[0].flags.contains(TcpFlags::ECE) && made[0].ack == ap.byte(2));
    ap.ack(2);
    ap.data([2]);
    ap.deliver(1);
    assert!(ap.upstream().iter().all(|tcp| !tcp.flags.contains(TcpFlags::ECE)), "the client has stopped");
}

#[test]
fn what_the_server_sends_again_ends_at_the_ap_which_tells_it_again() {
    let mut ap = Ap::connected();
    ap.data(0..2);
    ap.deliver(2);
    ap.upstream();
    ap.data([0]);
    assert_eq!((ap.queued(), ap.upstream_acks()), (vec![], vec![2]));
    ap.ack(2);
    ap.data([1]);
    assert_eq!((ap.queued(), ap.upstream_acks(), ap.live()), (vec![], vec![2], 0), "whether the client has it or not");
    assert_eq!(ap.counters().retransmissions_swallowed, 2);
}

#[test]
fn what_the_server_sends_again_before_it_was_told_passes() {
    let mut ap = Ap::connected();
    ap.data([0, 0]);
    assert_eq!((ap.queued(), ap.counters().retransmissions_passed), (vec![0, 0], 1));
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [1]);
    ap.deliver(1);
    assert!(ap.upstream().is_empty());
    ap.ack(1);
    assert_eq!(ap.live(), 0);
}

#[test]
fn a_full_cache_acknowledges_nothing_until_the_client_has() {
    let mut ap = Ap::connected_with(FastAckConfig { cache_packets: 2, ..FastAckConfig::default() });
    ap.data(0..4);
    ap.deliver(4);
    assert_eq!((ap.upstream_acks(), ap.counters().cache_full), (vec![1, 2], 2));
    assert_eq!(ap.ack(2), Verdict::Swallow);
    ap.data([4]);
    ap.deliver(1);
    assert!(ap.upstream().is_empty(), "the third and fourth are not the AP's to acknowledge");
    assert_eq!(ap.ack(3), Verdict::Pass);
    assert_eq!(ap.ack(4), Verdict::Swallow, "and with the fourth goes the fifth");
    assert_eq!(ap.upstream_acks(), [3, 5]);
    ap.ack(5);
    assert_eq!(ap.live(), 0);
}

#[test]
fn a_segment_that_overlaps_others_is_left_to_the_client() {
    let mut ap = Ap::connected();
    ap.data(0..2);
    let mut odd = ap.server_header(0);
    odd.seq += 500;
    ap.server_sends(odd, LEN);
    assert_eq!((ap.counters().not_cached, ap.kept()), (1, 0));
    ap.deliver(3);
    assert_eq!(ap.upstream_acks(), [1, 2]);
    ap.ack(2);
    assert_eq!(ap.live(), 0);
}

#[test]
fn only_the_clients_own_mac_counts() {
    type Change = fn(&mut ackless_dot11::hooks::SendOptions);
    let unanswered: Change = |options| options.ack_policy = AckPolicy::NoAck;
    let group: Change = |options| options.receiver = NodeId(0x8001);
    for change in [unanswered, group] {
        let mut ap = Ap::connected();
        ap.data([0]);
        ap.change_next(change);
        ap.deliver(1);
        assert!(ap.upstream().is_empty());
        assert_eq!(ap.ack(1), Verdict::Pass);
        assert_eq!(ap.live(), 0);
    }
}

#[test]
fn numbers_wrap() {
    let mut ap = Ap::new();
    ap.iss = u32::MAX - 2 * LEN - 300;
    ap.connect(None);
    for segment in 0..8 {
        ap.data([segment]);
        ap.deliver(1);
        assert_eq!(ap.upstream_acks(), [segment + 1]);
        assert_eq!(ap.ack(segment + 1), Verdict::Swallow);
    }
    assert_eq!(ap.live(), 0);
}

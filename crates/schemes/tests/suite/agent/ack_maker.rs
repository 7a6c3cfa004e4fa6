//! What the AP says when a MAC ACK comes.

use ackless_dot11::hooks::Verdict;
use ackless_wire::{Duration, TcpFlags, TcpHeader};

use super::pair::{AP, Pair, SEGMENT, STATION, WINDOW, again, buffer, flag};

#[test]
fn figure_2_a_mac_ack_becomes_a_tcp_ack_with_the_clients_last_window_and_timestamp() {
    for mut pair in [Pair::connected(buffer(8)), Pair::connected_v6(buffer(8))] {
        for n in 0..6 {
            pair.pass_time(Duration::from_millis(10));
            let data = pair.data(n);
            pair.exchange(&data);
        }
        let acks = pair.wire_headers();
        assert_eq!(acks.len(), 6);
        for (n, ack) in (0..).zip(acks) {
            assert_eq!((ack.src_port, ack.dst_port, ack.flags), (20_000, 80, TcpFlags::ACK));
            assert_eq!((ack.seq.0, ack.window), (7_001, WINDOW));
            // The TSval is that of the handshake, at 5 ms; the echo is that of the segment that moved the point (RFC 7323, 4.3).
            assert_eq!(ack.options.timestamps, Some((5, 1_000 + n)));
            assert_eq!(ack.ack.0, (u32::MAX - 3_500).wrapping_add(SEGMENT * (n + 1)), "across the wrap");
            assert!(ack.options.sack.is_empty());
        }
        assert_eq!(pair.counters(AP).made, 6);
    }
}

#[test]
fn nothing_is_said_past_a_frame_that_was_given_up_until_it_is_delivered_after_all() {
    let mut pair = Pair::flowing(buffer(8));
    let frames = [1, 2, 3].map(|n| pair.data(n));
    pair.exchange(&frames[0]);
    pair.give_up(&frames[1]);
    pair.exchange(&frames[2]);
    assert_eq!(pair.wire(), [2]);
    assert_eq!((pair.counters(AP).given_up, pair.counters(AP).above_hole), (1, 1));
    let repaired = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_010, 0)), 2, SEGMENT);
    pair.exchange(&repaired);
    assert_eq!(pair.wire(), [3], "what waited above the hole is the client's to acknowledge");
    assert_eq!(pair.ack(2), Verdict::Swallow);
    assert_eq!(pair.ack(4), Verdict::Pass);
    pair.natives();
    assert_eq!(pair.wire(), [4]);
    let next = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_011, 0)), 4, SEGMENT);
    pair.exchange(&next);
    assert_eq!((pair.wire(), pair.ack(5)), (vec![5], Verdict::Swallow));
}

#[test]
fn nothing_is_said_past_what_the_wire_lost_until_a_native_ack_passes_it() {
    let mut pair = Pair::flowing(buffer(8));
    let (one, three, four) = (pair.data(1), pair.data(3), pair.data(4));
    for data in [&one, &three, &four] {
        pair.exchange(data);
    }
    assert_eq!((pair.wire(), pair.counters(AP).above_hole), (vec![2], 2));
    pair.ack(5);
    pair.natives();
    assert_eq!((pair.wire(), pair.counters(AP).hole_passed), (vec![5], 1));
}

#[test]
fn mac_acks_count_in_the_order_of_sequence_numbers_whatever_is_repeated_first() {
    let mut pair = Pair::flowing(buffer(8));
    let frames = [1, 2, 3, 4].map(|n| pair.data(n));
    // The first does not arrive; what comes behind it stays in the reorder buffer.
    pair.arrive_held(&[], &frames[1..]);
    pair.answer(&frames[1..]);
    assert_eq!(pair.wire(), []);
    pair.exchange(&again(&frames[0]));
    assert_eq!(pair.wire(), [2, 3, 4, 5]);
    assert_eq!(pair.counters(AP).above_hole, 0);
    assert_eq!(pair.ack(5), Verdict::Swallow);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn a_fin_is_the_clients_to_acknowledge_and_so_is_data_that_it_comes_with() {
    let mut pair = Pair::flowing(buffer(8));
    let fin = pair.segment_with(|tcp| tcp.flags |= TcpFlags::FIN, 1, SEGMENT);
    pair.exchange(&fin);
    assert_eq!((pair.wire(), pair.ack_with(2, |tcp| tcp.ack += 1)), (vec![], Verdict::Pass));
    assert_eq!((pair.counters(STATION).native_uncovered, pair.held(0)), (1, 0));
}

#[test]
fn data_with_an_older_timestamp_than_data_before_it_is_the_clients_to_acknowledge() {
    // A TCP that has acknowledged up to the newer one drops it by PAWS, and only the server can help.
    let mut pair = Pair::flowing(buffer(8));
    let newer = pair.segment_with(|tcp| tcp.options.timestamps = Some((2_000, 0)), 0, SEGMENT);
    pair.exchange(&newer);
    let late = pair.data(1);
    pair.exchange(&late);
    assert_eq!((pair.wire(), pair.counters(AP).late), (vec![], 1));
    assert_eq!(pair.ack(2), Verdict::Pass);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn a_syn_or_rst_ends_what_was_known_and_the_ports_serve_again() {
    for config in [buffer(8), flag()] {
        let mut pair = Pair::flowing(config);
        pair.connect();
        assert_eq!(pair.counters(AP).resets, 1);
        let data = pair.data(0);
        pair.arrive(&[data]);
        pair.ack(1);
        pair.answer(&[data]);
        assert_eq!(pair.wire(), [1]);
        pair.hand_down(|tcp| tcp.flags = TcpFlags::RST | TcpFlags::ACK, 0);
        pair.natives();
        pair.wire();
        let stray = pair.data(1);
        pair.exchange(&stray);
        assert_eq!(pair.wire(), []);
    }
}

#[test]
fn what_is_owed_when_the_server_resets_is_let_go_by_the_tcps_own_answer() {
    let mut pair = Pair::flowing(buffer(8));
    let data = pair.data(1);
    pair.exchange(&data);
    assert_eq!(pair.held(0), 1);
    let reset = pair.segment_with(|tcp| tcp.flags = TcpFlags::RST, 1, 0);
    pair.exchange(&reset);
    // If the TCP has segment 1 it does not believe this one; if it was lost, it does, and answers what goes up again.
    assert_eq!((pair.held(0), pair.wire()), (1, vec![2]));
    pair.pass_time(Duration::from_millis(200));
    assert_eq!(pair.handed_up(), [1]);
    pair.hand_down(|tcp| tcp.flags = TcpFlags::RST, 0);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn made_acks_follow_the_clients_own_data() {
    // A sequence number that the server has passed would be outside of its window (RFC 9293, 3.10.7.4).
    let mut pair = Pair::flowing(buffer(8));
    let first = pair.hand_down(|tcp| tcp.ack += SEGMENT, 300);
    assert_eq!(first, Verdict::Pass, "with data it goes natively");
    pair.natives();
    let data = pair.data(1);
    pair.exchange(&data);
    let acks = pair.wire_headers();
    assert_eq!((acks[1].seq.0, acks[1].window), (7_301, WINDOW));
}

#[test]
fn a_legacy_client_gets_no_help_and_hides_nothing() {
    let mut pair = Pair::connected_legacy(buffer(1));
    for n in 0..5 {
        let data = pair.data(n);
        pair.exchange(&data);
        assert_eq!(pair.ack(n + 1), Verdict::Pass);
    }
    assert_eq!(pair.wire(), []);
    pair.natives();
    assert_eq!((pair.wire(), pair.held(0)), (vec![1, 2, 3, 4, 5], 0));
}

#[test]
fn a_mac_ack_of_an_earlier_connection_says_nothing_in_a_later_one() {
    for config in [buffer(8), flag()] {
        let mut pair = Pair::flowing(config);
        let old = pair.data(1);
        pair.arrive(&[old]);
        pair.answer_lost();
        // The station opens another connection with the same ports, whose numbers happen to be those of the first, before the MAC ACK is repeated.
        pair.connect();
        pair.request();
        pair.answer(&[old]);
        let transfer = |pair: &mut Pair, stamp, n, acked| {
            let data = pair.segment_with(|tcp| tcp.options.timestamps = Some((stamp, 0)), n, SEGMENT);
            pair.arrive(&[data]);
            let verdict = pair.ack(acked);
            pair.answer(&[data]);
            (verdict, pair.wire())
        };
        assert_eq!(transfer(&mut pair, 1_100, 0, 1).1, [1]);
        pair.natives();
        pair.wire();
        // Segment 1 is lost on the wire; what follows waits for it in the TCP, which may have no room.
        assert_eq!(transfer(&mut pair, 1_101, 2, 1), (Verdict::Pass, vec![]));
        pair.natives();
        pair.wire();
        let repaired: &[u32] = if config == buffer(8) { &[2] } else { &[] };
        assert_eq!(transfer(&mut pair, 1_102, 1, 2).1, repaired, "no flag comes while the TCP lacks segment 2");
    }
}

#[test]
fn what_lay_above_a_hole_stays_the_clients_though_a_native_ack_passes_the_hole_before_its_mac_ack_comes() {
    let mut pair = Pair::flowing(buffer(8));
    // Segment 1 was lost on the wire. The TCP has no room for segment 2, which comes right before the repair.
    let above = pair.data(2);
    let repair = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), 1, SEGMENT);
    pair.arrive(&[above, repair]);
    pair.answer_lost();
    assert_eq!(pair.ack_with(2, |tcp| tcp.window = 0), Verdict::Pass);
    pair.natives();
    assert_eq!((pair.wire(), pair.held(2)), (vec![2], 0), "nobody keeps segment 2");
    pair.request();
    pair.answer(&[above, repair]);
    assert_eq!((pair.wire(), pair.counters(AP).above_hole), (vec![], 1));
}

#[test]
fn what_follows_a_repair_is_the_agents_though_a_native_ack_passes_the_hole_before_its_mac_ack_comes() {
    let mut pair = Pair::flowing(buffer(8));
    let above = pair.data(2);
    let [repair, next] = [1, 3].map(|n| pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), n, SEGMENT));
    pair.arrive(&[above, repair, next]);
    pair.answer_lost();
    // The TCP, which has all three, delays the ACK of the last.
    assert_eq!(pair.ack(3), Verdict::Pass);
    pair.natives();
    assert_eq!(pair.ack(4), Verdict::Swallow);
    pair.request();
    pair.answer(&[above, repair, next]);
    assert_eq!((pair.wire(), pair.held(0)), (vec![3, 4], 0));
}

#[test]
fn what_follows_late_data_goes_natively_until_the_ap_knows_that_the_tcp_has_taken_it() {
    let mut pair = Pair::flowing(buffer(8));
    let newer = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_003, 0)), 0, SEGMENT);
    pair.exchange(&newer);
    // Segment 1 is late: the TCP takes it, but the AP cannot know.
    let late = pair.data(1);
    pair.exchange(&late);
    assert_eq!(pair.ack(2), Verdict::Pass);
    // Its ACK is still queued when the next segment comes, which for the AP is above a hole.
    let next = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_003, 0)), 2, SEGMENT);
    pair.exchange(&next);
    pair.natives();
    assert_eq!((pair.wire(), pair.counters(AP).above_hole), (vec![2], 1));
    assert_eq!(pair.ack(3), Verdict::Pass, "the agent does not speak for it");
    pair.natives();
    assert_eq!(pair.wire(), [3]);
    let last = pair.data(3);
    pair.exchange(&last);
    assert_eq!((pair.ack(4), pair.wire(), pair.held(0)), (Verdict::Swallow, vec![4], 0));
}

#[test]
fn a_syn_is_never_acknowledged_in_the_clients_place() {
    let mut pair = Pair::flowing(buffer(8));
    let open = |tcp: &mut TcpHeader| {
        tcp.flags = TcpFlags::SYN;
        tcp.seq += 10 * SEGMENT - 1;
    };
    // The server calls on the same ports, while something of the earlier connection comes from the client.
    let call = pair.segment_with(open, 0, 0);
    pair.hand_down(|_| (), 100);
    pair.natives();
    assert_eq!(pair.wire(), [0]);
    pair.exchange(&call);
    pair.ack(10);
    pair.natives();
    assert_eq!(pair.wire(), [10]);
}

#[test]
fn data_that_comes_before_the_tcp_has_said_more_than_its_syn_and_ack_is_kept() {
    let mut pair = Pair::new(buffer(8));
    let call = pair.segment_with(|tcp| (tcp.flags, tcp.seq) = (TcpFlags::SYN, tcp.seq - 1), 0, 0);
    pair.exchange(&call);
    pair.hand_down(|tcp| (tcp.flags, tcp.seq) = (TcpFlags::SYN | TcpFlags::ACK, tcp.seq - 1), 0);
    pair.natives();
    pair.wire();
    // Of the first two the TCP gets neither; the third makes it say what it lacks, natively, and the AP speaks with what that tells it.
    for n in 0..3 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    pair.ack(0);
    pair.natives();
    assert_eq!((pair.wire(), pair.held(0)), (vec![3], 3));
}

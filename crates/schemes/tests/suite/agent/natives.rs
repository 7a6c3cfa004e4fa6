//! What becomes of native ACKs at the AP: nothing goes back, no duplicate is made, none is lost.

use ackless_dot11::hooks::Verdict;
use ackless_wire::tcp::Omitted;
use ackless_wire::{Duration, TcpFlags, TcpHeader};

use super::pair::{AP, Pair, SEGMENT, STATION, WINDOW, buffer, flag, sack};

/// The server was told of segments up to this, by the agent; the station's queue is empty.
fn told(segments: u32) -> Pair {
    let mut pair = Pair::flowing(buffer(8));
    for n in 1..segments {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    assert_eq!(pair.wire().last(), Some(&segments));
    pair
}

#[test]
fn a_native_ack_that_says_what_the_agent_has_said_ends_at_the_ap() {
    let mut pair = told(4);
    // ECN bits make the ACKs native; the first has them, and they are news.
    pair.ack_with(3, |tcp| tcp.flags |= TcpFlags::ECE);
    pair.natives();
    let lifted = pair.wire_headers();
    assert_eq!((lifted.len(), lifted[0].flags), (1, TcpFlags::ACK | TcpFlags::ECE));
    assert_eq!((pair.counters(AP).lifted, pair.counters(AP).stale), (1, 0));
    // A window that has not moved since, from a TCP whose window the AP is not known to have.
    let before = pair.data(4);
    pair.exchange(&before);
    pair.wire();
    pair.ack_with(5, |tcp| tcp.window = WINDOW - 1);
    pair.natives();
    assert_eq!(pair.wire_headers()[0].window, WINDOW - 1, "a window is news");
    let after = pair.data(5);
    pair.exchange(&after);
    assert_eq!(pair.wire_headers()[0].window, WINDOW - 1, "and the agent repeats it");
}

#[test]
fn an_ack_that_is_older_than_what_was_said_ends_at_the_ap_or_is_lifted() {
    let mut pair = Pair::connected(buffer(8));
    let frames = [0, 1, 2].map(|n| pair.data(n));
    pair.exchange(&frames[0]);
    pair.pass_time(Duration::from_secs(1));
    assert_eq!(pair.ack(1), Verdict::Pass, "it is time for one");
    // The native ACK of the first waits in the queue meanwhile.
    pair.exchange(&frames[1]);
    pair.exchange(&frames[2]);
    assert_eq!(pair.wire(), [1, 2, 3]);
    pair.natives();
    assert_eq!((pair.wire(), pair.counters(AP).stale), (vec![], 1));
    let ecn = |tcp: &mut TcpHeader| tcp.flags |= TcpFlags::ECE;
    pair.ack_with(2, ecn);
    pair.natives();
    assert_eq!((pair.wire(), pair.counters(AP).lifted), (vec![3], 1));
    // Of one whose bytes the AP could not write again, nothing is changed.
    pair.ack_with(2, |tcp| (tcp.flags, tcp.omitted) = (tcp.flags | TcpFlags::ECE, Omitted::LAYOUT));
    pair.natives();
    assert_eq!((pair.wire(), pair.counters(AP).lifted), (vec![2], 1));
}

#[test]
fn duplicate_acks_reach_the_server_as_often_as_the_clients_tcp_made_them() {
    for (duplicates, config) in [(1, buffer(8)), (3, buffer(8)), (5, flag())] {
        let mut pair = Pair::flowing(config);
        let data = pair.data(1);
        pair.arrive(&[data]);
        pair.ack(2);
        pair.answer(&[data]);
        assert_eq!((pair.wire(), pair.queued()), (vec![2], 0), "swallowed");
        // Segment 2 was lost; each later one draws a duplicate.
        for n in 0..duplicates {
            let data = pair.data(3 + n);
            pair.exchange(&data);
            assert_eq!(pair.ack(2), Verdict::Pass);
        }
        assert_eq!(pair.queued() as u32, duplicates + 1, "the first is stated once more");
        pair.natives();
        assert_eq!(pair.wire(), vec![2; duplicates as usize]);
        let [ap, station] = [AP, STATION].map(|node| *pair.counters(node));
        assert_eq!((ap.duplicates_passed, u64::from(duplicates)), (station.native_duplicate, ap.duplicates_passed));
        assert_eq!((ap.stale, station.restated), (1, 1));
    }
}

#[test]
fn duplicates_of_an_ack_that_went_natively_are_not_doubled() {
    let mut pair = Pair::connected(buffer(8));
    let frames = [0, 2, 3].map(|n| pair.data(n));
    pair.exchange(&frames[0]);
    pair.pass_time(Duration::from_secs(1));
    pair.ack(1);
    for data in &frames[1..] {
        pair.exchange(data);
        pair.ack(1);
    }
    assert_eq!(pair.queued(), 3);
    pair.natives();
    assert_eq!((pair.wire(), pair.counters(STATION).restated), (vec![1, 1, 1], 0));
}

#[test]
fn sack_blocks_reach_the_server_and_none_below_the_number_that_an_ack_is_lifted_to() {
    let mut pair = told(3);
    let blocks = sack(&pair, &[(7, 8), (4, 5)]);
    pair.ack(3);
    pair.ack_with(3, |tcp| tcp.options.sack = blocks);
    // Meanwhile the server repairs the hole at segment 3, and the MAC ACK comes first.
    let repaired = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_009, 0)), 3, SEGMENT);
    pair.exchange(&repaired);
    pair.natives();
    let wire = pair.wire_headers();
    assert_eq!(wire.len(), 2);
    assert_eq!(wire[0].ack, wire[1].ack);
    // Of what lies right above the number, the client itself will say that it is there.
    let above = sack(&pair, &[(7, 8)]);
    assert_eq!(wire[1].options.sack, above);
}

#[test]
fn an_ack_that_the_server_seems_not_to_have_heard_passes_again() {
    let mut pair = told(3);
    pair.ack(3);
    // All that was said was lost on the wire: the server sends segment 2 again, and the client's TCP answers the duplicate.
    let repeated = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_008, 0)), 2, SEGMENT);
    pair.exchange(&repeated);
    assert_eq!(pair.wire(), []);
    pair.ack(3);
    pair.natives();
    assert_eq!((pair.wire(), pair.counters(AP).doubted), (vec![3, 3], 1));
}

#[test]
fn what_was_delivered_before_the_first_native_ack_came_up_is_said_with_it() {
    for config in [buffer(8), flag()] {
        let mut pair = Pair::new(config);
        pair.hand_down(|tcp| tcp.flags = TcpFlags::SYN, 0);
        pair.natives();
        let answer = pair.segment_with(
            |tcp| {
                tcp.flags = TcpFlags::SYN | TcpFlags::ACK;
                tcp.seq = tcp.seq - 1;
            },
            0,
            0,
        );
        pair.exchange(&answer);
        pair.ack(0);
        pair.wire();
        // The AP's MAC has acknowledged the handshake's ACK, and keeps it behind a hole.
        let native = pair.launch_native();
        pair.rise_later(&native);
        let data = pair.data(0);
        pair.arrive(&[data]);
        assert_eq!(pair.ack(1) == Verdict::Swallow, config == buffer(8));
        pair.answer(&[data]);
        assert_eq!((pair.wire(), pair.queued(), pair.counters(AP).without_facts), (vec![], 0, 1));
        pair.rise_now(&native);
        assert_eq!(pair.wire(), [1]);
    }
}

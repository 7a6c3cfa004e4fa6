//! A node that starts anew, or goes: what becomes of what the AP has acknowledged.

use ackless_dot11::hooks::Verdict;
use ackless_wire::{Duration, TcpFlags, TcpHeader};

use super::pair::{AP, Pair, SEGMENT, STATION, buffer};

/// Segments 1 and 2 are acknowledged by the AP, and the TCP is silent.
fn owed() -> Pair {
    let mut pair = Pair::flowing(buffer(8));
    for n in 1..3 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    assert_eq!((pair.wire(), pair.held(0)), (vec![2, 3], 2));
    pair
}

#[test]
fn what_an_ap_speaks_for_that_has_forgotten_newer_timestamps_is_kept_too() {
    let mut pair = Pair::flowing(buffer(8));
    let newer = pair.segment_with(|tcp| tcp.options.timestamps = Some((2_000, 0)), 1, SEGMENT);
    pair.exchange(&newer);
    assert_eq!(pair.ack(2), Verdict::Swallow);
    pair.forget();
    let copy = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_400, 0)), 0, SEGMENT);
    pair.exchange(&copy);
    pair.ack_with(2, |tcp| tcp.flags |= TcpFlags::ECE);
    pair.natives();
    pair.wire();
    // It was late on the wire. The AP before would have known, and would have said nothing.
    let late = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_500, 0)), 2, SEGMENT);
    pair.exchange(&late);
    assert_eq!((pair.wire(), pair.held(0)), (vec![3], 1));
    // The TCP has dropped it by PAWS. It goes up again as the server would send it now.
    pair.pass_time(Duration::from_millis(200));
    let stamps: Vec<_> = pair.handed_headers().iter().map(|tcp| tcp.options.timestamps).collect();
    assert_eq!(stamps, [Some((2_000, 0))]);
}

#[test]
fn a_station_that_changes_its_ap_keeps_its_buffer_and_is_told_of_anew() {
    let mut pair = owed();
    pair.roam();
    // Nothing of what the AP before has said is lost.
    pair.pass_time(Duration::from_millis(200));
    assert_eq!((pair.handed_up(), pair.held(0)), (vec![1, 2], 2));
    let data = pair.data(3);
    pair.exchange(&data);
    assert_eq!((pair.wire(), pair.held(0)), (vec![], 3), "the new AP has no native ACK yet");
    assert_eq!(pair.ack(4), Verdict::Pass, "so it gets one");
    pair.natives();
    assert_eq!((pair.wire(), pair.held(0)), (vec![4], 0));
    let data = pair.data(4);
    pair.exchange(&data);
    assert_eq!((pair.wire(), pair.held(0)), (vec![5], 1));
    assert_eq!((pair.ack(5), pair.held(0)), (Verdict::Swallow, 0));
}

#[test]
fn of_a_station_that_has_left_the_ap_says_nothing_more_and_the_server_gives_up_by_its_own_rule() {
    let mut pair = owed();
    let under_way = [3, 4].map(|n| pair.data(n));
    pair.depart();
    assert_eq!(pair.held(2), 0, "what the AP has acknowledged is gone with the TCP that it was for");
    for data in &under_way {
        pair.give_up(data);
    }
    // The server sends on until R2 (RFC 9293, 3.8.3).
    for stamp in 2_000..2_015 {
        let data = pair.segment_with(|tcp| tcp.options.timestamps = Some((stamp, 0)), 3, SEGMENT);
        pair.give_up(&data);
    }
    assert_eq!((pair.wire(), pair.held(0), pair.counters(AP).made), (vec![], 0, 3));
}

#[test]
fn of_a_station_that_comes_back_its_tcp_resets_the_connection_at_the_server() {
    let mut pair = owed();
    pair.depart();
    let data = pair.data(3);
    pair.exchange(&data);
    assert_eq!(pair.held(0), 0, "nobody waits for it");
    // What the AP says of this one segment is the last: the TCP knows no such connection (RFC 9293, 3.10.7.1).
    assert_eq!(pair.wire(), [4]);
    let reset = |tcp: &mut TcpHeader| (tcp.flags, tcp.seq) = (TcpFlags::RST, tcp.seq);
    assert_eq!(pair.hand_down(reset, 0), Verdict::Pass);
    pair.natives();
    let wire = pair.wire_headers();
    assert!(wire.len() == 1 && wire[0].flags.contains(TcpFlags::RST), "{wire:?}");
    let stray = pair.data(4);
    pair.exchange(&stray);
    assert_eq!((pair.wire(), pair.counters(AP).resets, pair.counters(STATION).abandoned), (vec![], 1, 0));
    // Its next connection on these ports is served as any.
    pair.connect();
    let data = pair.data(0);
    pair.exchange(&data);
    assert_eq!((pair.wire(), pair.ack(1), pair.held(0)), (vec![1], Verdict::Swallow, 0));
}

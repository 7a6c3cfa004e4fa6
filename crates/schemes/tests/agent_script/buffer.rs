//! The first solution: what the station keeps, refuses, and hands up again.

use ackless_dot11::hooks::{Admission, Verdict};
use ackless_wire::Duration;

use crate::pair::{AP, Pair, SEGMENT, STATION, WINDOW, again, buffer};

/// A full buffer of four: segments 1 to 4.
fn full() -> Pair {
    let mut pair = Pair::flowing(buffer(4));
    for n in 1..5 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    assert_eq!((pair.held(0), pair.wire()), (4, vec![2, 3, 4, 5]));
    pair
}

#[test]
fn a_full_buffer_refuses_a_new_frame_and_takes_it_when_the_tcp_has_acknowledged() {
    let mut pair = full();
    let data = pair.data(5);
    assert_eq!(pair.arrive(&[data]), [Admission::Refuse]);
    assert_eq!(pair.arrive(&[again(&data)]), [Admission::Refuse], "it was not taken before");
    assert_eq!(pair.ack(3), Verdict::Swallow);
    assert_eq!(pair.held(1), 2);
    assert_eq!(pair.arrive(&[again(&data)]), [Admission::Accept]);
    pair.answer(&[data]);
    assert_eq!((pair.wire(), pair.counters(STATION).refused), (vec![6], 2));
}

#[test]
fn a_frame_that_was_accepted_before_is_accepted_again_however_full_the_buffer() {
    let mut pair = Pair::flowing(buffer(4));
    let frames = [1, 2, 3, 4].map(|n| pair.data(n));
    for data in &frames {
        pair.arrive(&[*data]);
        pair.answer_lost();
    }
    for data in &frames {
        assert_eq!(pair.arrive(&[again(data)]), [Admission::Accept]);
    }
    pair.answer(&frames);
    assert_eq!(pair.wire(), [2, 3, 4, 5]);
}

#[test]
fn an_a_mpdu_is_accepted_as_far_as_it_fits() {
    let mut pair = Pair::flowing(buffer(4));
    let frames = [1, 2, 3, 4, 5, 6].map(|n| pair.data(n));
    let admitted = pair.arrive(&frames);
    assert_eq!(admitted.iter().filter(|admission| **admission == Admission::Accept).count(), 4);
    assert_eq!(admitted[4..], [Admission::Refuse; 2]);
}

#[test]
fn what_waits_above_a_hole_takes_no_place() {
    let mut pair = Pair::flowing(buffer(2));
    for n in 2..20 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    assert_eq!((pair.held(0), pair.wire()), (0, vec![]));
    let repaired = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), 1, SEGMENT);
    pair.exchange(&repaired);
    assert_eq!((pair.held(0), pair.wire()), (1, vec![2]));
    pair.ack(20);
    pair.natives();
    assert_eq!((pair.held(0), pair.wire()), (0, vec![20]));
}

#[test]
fn data_that_the_tcp_has_is_neither_kept_nor_refused() {
    let mut pair = full();
    let old = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), 0, SEGMENT);
    pair.exchange(&old);
    assert_eq!(pair.held(0), 4);
}

#[test]
fn frames_are_handed_up_again_after_longer_and_longer_and_at_last_let_go() {
    let mut pair = full();
    let mut times = Vec::new();
    for tenth in 1..=1_000 {
        pair.pass_time(Duration::from_millis(100));
        let handed = pair.handed_up();
        if !handed.is_empty() {
            assert_eq!(handed, [1, 2]);
            times.push(tenth);
        }
    }
    // 0.2 s after they came, then 0.4, 0.8 and so on, 12.8 s at last; after 25.6 s more they are let go.
    assert_eq!(times, [2, 6, 14, 30, 62, 126, 254]);
    assert_eq!((pair.counters(STATION).abandoned, pair.held(0)), (4, 0));
}

#[test]
fn a_tcp_that_lacked_frames_gets_them_one_after_another() {
    let mut pair = full();
    pair.pass_time(Duration::from_millis(200));
    assert_eq!(pair.handed_up(), [1, 2]);
    // It delays its ACK, and acknowledges both: the rest must have been lost too.
    assert_eq!(pair.ack(3), Verdict::Swallow);
    assert_eq!(pair.handed_up(), [3, 4]);
    assert_eq!(pair.ack(5), Verdict::Swallow);
    assert_eq!((pair.handed_up(), pair.held(0)), (vec![], 0));
    assert_eq!(pair.counters(STATION).handed_up_again, 4);
}

#[test]
fn what_the_tcp_had_no_room_for_waits_until_its_window_opens() {
    let mut pair = full();
    // It took two segments and closed its window: the server, told of four, believes in more.
    pair.ack_with(3, |tcp| tcp.window = 0);
    pair.natives();
    let wire = pair.wire_headers();
    assert_eq!((wire.len(), wire[0].window), (1, 0), "the server learns of it");
    pair.pass_time(Duration::from_secs(600));
    assert!(pair.handed_up().len() > 14 && pair.held(0) == 2, "data that was acknowledged is not let go");
    pair.ack_with(3, |tcp| tcp.window = WINDOW);
    assert_eq!(pair.handed_up(), [3, 4], "at once");
    pair.ack(5);
    assert_eq!(pair.held(0), 0);
    assert_eq!((pair.counters(STATION).abandoned, pair.counters(AP).made), (0, 5));
}

#[test]
fn a_new_copy_of_what_is_kept_takes_its_place() {
    let mut pair = full();
    let copy = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), 1, SEGMENT);
    pair.exchange(&copy);
    assert_eq!((pair.held(0), pair.counters(STATION).refused), (4, 0));
    pair.ack(5);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn a_tcp_that_has_room_for_one_frame_at_a_time_gets_the_next_when_its_window_opens_again() {
    let mut pair = full();
    pair.ack_with(3, |tcp| tcp.window = 0);
    pair.pass_time(Duration::from_secs(60));
    pair.ack_with(3, |tcp| tcp.window = 1);
    pair.handed_up();
    pair.ack_with(4, |tcp| tcp.window = 0);
    assert_eq!(pair.handed_up(), [4], "in case it lacks that one only");
    pair.ack_with(4, |tcp| tcp.window = WINDOW);
    assert_eq!(pair.handed_up(), [4], "at once, since it had no room for it before");
}

#[test]
fn the_time_until_a_frame_is_handed_up_again_counts_from_the_tcps_last_word() {
    let mut pair = full();
    pair.pass_time(Duration::from_secs(10));
    // By now the next time is 2.8 s away, but the TCP has shown that it is there.
    pair.ack(3);
    assert!(pair.handed_up().ends_with(&[3, 4]));
    pair.pass_time(Duration::from_millis(200));
    assert_eq!(pair.handed_up(), [3, 4]);
}

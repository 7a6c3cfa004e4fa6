//! The second solution: the flag in the answer.

use ackless_dot11::hooks::{Admission, Scheme, Verdict};
use ackless_schemes::agent::Agent;
use ackless_wire::Duration;

use super::pair::{AP, Pair, SEGMENT, STATION, again, flag};

#[test]
fn the_flag_is_on_where_the_tcp_ack_came_in_time_and_takes_it_off_the_air() {
    let mut pair = Pair::flowing(flag());
    let data = pair.data(1);
    assert_eq!(pair.arrive(&[data]), [Admission::Accept]);
    assert_eq!((pair.ack(2), pair.queued()), (Verdict::Pass, 1));
    assert!(pair.answer(&[data]));
    assert_eq!((pair.wire(), pair.queued(), pair.held(0)), (vec![2], 0, 0));
    assert_eq!((pair.counters(STATION).swallowed, pair.counters(STATION).flag_on), (1, 1));
}

#[test]
fn the_flag_is_off_where_it_came_late_and_the_native_ack_is_not_doubled() {
    let mut pair = Pair::flowing(flag());
    let data = pair.data(1);
    pair.arrive(&[data]);
    assert!(!pair.answer(&[data]));
    assert_eq!((pair.wire(), pair.ack(2)), (vec![], Verdict::Pass));
    pair.natives();
    // The first segment of the flow was late too.
    assert_eq!((pair.wire(), pair.counters(STATION).flag_late, pair.counters(AP).unflagged), (vec![2], 2, 2));
}

#[test]
fn a_lost_answer_is_repeated_with_the_flag() {
    let mut pair = Pair::flowing(flag());
    let data = pair.data(1);
    pair.arrive(&[data]);
    pair.ack(2);
    assert!(pair.answer_lost());
    for _ in 0..3 {
        pair.arrive(&[again(&data)]);
        assert!(pair.answer_lost());
    }
    pair.arrive(&[again(&data)]);
    assert!(pair.answer(&[data]));
    assert_eq!((pair.wire(), pair.counters(STATION).flag_repeated), (vec![2], 4));
}

#[test]
fn an_ack_that_came_late_is_taken_back_when_the_frame_comes_again() {
    let mut pair = Pair::flowing(flag());
    let data = pair.data(1);
    pair.arrive(&[data]);
    assert!(!pair.answer_lost());
    pair.ack(2);
    pair.arrive(&[again(&data)]);
    assert!(pair.answer(&[data]));
    assert_eq!((pair.wire(), pair.queued()), (vec![2], 0));
}

#[test]
fn with_delayed_acks_one_flag_stands_for_all_before_it() {
    let mut pair = Pair::flowing(flag());
    for n in [1, 2] {
        let data = pair.data(n);
        pair.arrive(&[data]);
        let acked = n == 2;
        if acked {
            pair.ack(3);
        }
        assert_eq!(pair.answer(&[data]), acked);
    }
    let acks = pair.wire_headers();
    assert_eq!(acks.len(), 1);
    assert_eq!(acks[0].options.timestamps.map(|(_, echo)| echo), Some(1_001), "the earliest (RFC 7323, 4.3)");
}

#[test]
fn an_ack_on_the_air_is_too_late_for_the_flag() {
    let mut pair = Pair::flowing(flag());
    let first = pair.data(1);
    pair.arrive(&[first]);
    assert!(!pair.answer_lost());
    pair.ack(2);
    let native = pair.launch_native();
    pair.arrive(&[again(&first)]);
    assert!(!pair.answer(&[first]));
    pair.land_native(&native);
    assert_eq!((pair.wire(), pair.counters(STATION).flag_off), (vec![2], 1));
}

#[test]
fn an_ack_that_the_queue_dropped_is_not_vouched_for() {
    let mut pair = Pair::flowing(flag());
    let data = pair.data(1);
    pair.arrive(&[data]);
    pair.ack(2);
    pair.drop_native();
    assert!(!pair.answer(&[data]));
    assert_eq!(pair.wire(), []);
    let next = pair.data(2);
    pair.arrive(&[next]);
    pair.ack(3);
    assert!(pair.answer(&[next]));
    assert_eq!(pair.wire(), [3]);
}

#[test]
fn an_a_mpdu_is_flagged_when_all_of_it_is_acknowledged() {
    let mut pair = Pair::flowing(flag());
    let frames = [1, 2, 3].map(|n| pair.data(n));
    pair.arrive(&frames);
    pair.ack(3);
    assert!(!pair.answer_lost(), "one segment waits for another");
    pair.natives();
    pair.wire();
    pair.ack(4);
    pair.arrive(&frames.map(|data| again(&data)));
    assert!(pair.answer(&frames));
    assert_eq!(pair.wire(), [4]);
}

#[test]
fn with_a_hole_in_an_a_mpdu_what_is_before_it_is_flagged() {
    let mut pair = Pair::flowing(flag());
    let frames = [1, 2, 3].map(|n| pair.data(n));
    // Frame 2 is damaged; frame 3 waits in the reorder buffer, so that the TCP knows of frame 1 only.
    pair.arrive_held(&frames[..1], &frames[2..]);
    pair.ack(2);
    assert!(pair.answer(&[frames[0], frames[2]]));
    assert_eq!(pair.wire(), [2]);
    pair.arrive(&[again(&frames[1])]);
    pair.ack(4);
    assert!(pair.answer(&[again(&frames[1])]));
    assert_eq!(pair.wire(), [4]);
}

#[test]
fn a_block_ack_request_draws_no_flag_that_was_not_given_before() {
    let mut pair = Pair::flowing(flag());
    let data = pair.data(1);
    pair.arrive(&[data]);
    assert!(!pair.answer(&[data]));
    // A hole before it was given up, and it goes up only now.
    pair.ack(2);
    pair.request();
    assert!(!pair.answer(&[]));
    assert_eq!(pair.queued(), 1, "the ACK goes natively");
    pair.natives();
    assert_eq!(pair.wire(), [2]);
}

#[test]
fn a_block_ack_request_draws_the_flag_that_was_lost() {
    let mut pair = Pair::flowing(flag());
    let frames = [1, 2].map(|n| pair.data(n));
    pair.arrive(&frames);
    pair.ack(3);
    assert!(pair.answer_lost());
    pair.request();
    assert!(pair.answer(&frames));
    assert_eq!(pair.wire(), [2, 3]);
}

#[test]
fn the_station_answers_later_and_the_ap_does_not() {
    assert_eq!(Agent::new(flag()).answer_delay(), Duration::from_micros(50));
    assert_eq!(Agent::at_ap(flag()).answer_delay(), Duration::ZERO);
}

#[test]
fn the_flag_is_off_while_an_answer_may_acknowledge_earlier_data_that_another_flows_tcp_has_not() {
    let mut pair = Pair::flowing(flag());
    let other = |n: u32, pair: &mut Pair| pair.segment_with(|tcp| tcp.dst_port += 1, n, SEGMENT);
    let first = other(0, &mut pair);
    pair.exchange(&first);
    pair.hand_down(
        |tcp| {
            tcp.src_port += 1;
            tcp.ack += SEGMENT;
        },
        0,
    );
    pair.natives();
    pair.wire();
    // Both arrive, and the TCP delays the ACK of one.
    let frames = [other(1, &mut pair), pair.data(1)];
    pair.arrive(&frames);
    pair.ack(2);
    assert!(!pair.answer_lost());
    // The AP gives its BlockAck Requests up and sends both again, of which one arrives: the BlockAck acknowledges both.
    pair.arrive(&[again(&frames[1])]);
    assert!(!pair.answer(&frames));
    assert_eq!((pair.wire(), pair.queued()), (vec![], 1));
    pair.natives();
    assert_eq!(pair.wire(), [2]);
}

#[test]
fn what_another_flows_tcp_never_acknowledges_keeps_the_flag_off_for_a_while_only() {
    let mut pair = Pair::flowing(flag());
    let other = pair.segment_with(|tcp| tcp.dst_port += 1, 0, SEGMENT);
    pair.exchange(&other);
    pair.hand_down(|tcp| tcp.src_port += 1, 0);
    let mut silent = 0;
    for n in 1..300 {
        let data = pair.data(n);
        pair.arrive(&[data]);
        pair.ack(n + 1);
        silent += u32::from(!pair.answer(&[data]));
        pair.natives();
    }
    assert_eq!(silent, 127, "a BlockAck reaches no further back");
}

//! Where the paper's design itself stalls, and that the sender's retransmission, which its timeout sends, ends each.

use ackless_dot11::hooks::{Admission, Verdict};
use ackless_wire::Duration;

use super::pair::{Pair, SEGMENT, again, buffer, flag};

/// The server sends segment `n` once more, with a newer timestamp, and the client's TCP, which has `acked`, answers the duplicate.
fn repair(pair: &mut Pair, n: u32, acked: u32) {
    let repeated = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_100 + n, 0)), n, SEGMENT);
    assert_eq!(pair.arrive(&[repeated]), [Admission::Accept]);
    assert_eq!(pair.ack(acked), Verdict::Pass, "a duplicate is native");
    pair.answer(&[repeated]);
    pair.natives();
}

#[test]
fn all_mac_acks_to_a_frame_are_lost_until_it_is_given_up() {
    for config in [buffer(8), flag()] {
        let mut pair = Pair::flowing(config);
        let frames = [1, 2, 3].map(|n| pair.data(n));
        pair.arrive(&[frames[0]]);
        pair.ack(2);
        for _ in 0..6 {
            pair.answer_lost();
            pair.arrive(&[again(&frames[0])]);
        }
        pair.answer_lost();
        pair.give_up(&frames[0]);
        // What follows is delivered and acknowledged, and none of it reaches the server.
        for (acked, data) in (3..).zip(&frames[1..]) {
            pair.arrive(&[*data]);
            pair.ack(acked);
            pair.answer(&[*data]);
        }
        assert_eq!((pair.wire(), pair.queued()), (vec![], 0), "the stall");
        repair(&mut pair, 1, 4);
        assert_eq!(pair.wire().last(), Some(&4), "all at once");
        assert_eq!(pair.held(0), 0);
        // And the agent speaks on from there.
        let next = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_200, 0)), 4, SEGMENT);
        pair.arrive(&[next]);
        pair.ack(5);
        pair.answer(&[next]);
        assert_eq!((pair.wire(), pair.queued()), (vec![5], 0));
    }
}

#[test]
fn the_ap_has_forgotten_the_flow() {
    for config in [buffer(8), flag()] {
        let mut pair = Pair::flowing(config);
        pair.forget();
        for n in 1..4 {
            let data = pair.data(n);
            pair.arrive(&[data]);
            pair.ack(n + 1);
            pair.answer(&[data]);
        }
        assert_eq!((pair.wire(), pair.queued()), (vec![], 0), "the stall");
        repair(&mut pair, 1, 4);
        // The AP did not say what the duplicate repeats: both copies are news or count.
        assert_eq!(pair.wire(), [4, 4]);
        let next = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_200, 0)), 4, SEGMENT);
        pair.arrive(&[next]);
        pair.ack(5);
        pair.answer(&[next]);
        assert_eq!((pair.wire(), pair.queued()), (vec![5], 0));
    }
}

#[test]
fn an_ap_that_has_forgotten_a_busy_flow_hears_of_it_within_a_second() {
    let mut pair = Pair::flowing(buffer(8));
    pair.forget();
    let mut heard = Vec::new();
    for n in 1..20 {
        pair.pass_time(Duration::from_millis(100));
        let data = pair.data(n);
        pair.exchange(&data);
        pair.ack(n + 1);
        pair.natives();
        heard.push(pair.wire().len());
    }
    let silent = heard.iter().take_while(|acks| **acks == 0).count();
    assert_eq!(silent, 9, "{heard:?}");
    assert!(heard[silent..].iter().all(|acks| *acks == 1));
}

#[test]
fn a_buffer_that_is_full_while_the_tcp_delays_its_ack_makes_the_ap_give_frames_up() {
    let mut pair = Pair::flowing(buffer(1));
    let frames = [1, 2].map(|n| pair.data(n));
    pair.exchange(&frames[0]);
    // The TCP waits for a second segment, which the MAC refuses until it has acknowledged the first: a buffer must hold what a delayed ACK waits for.
    for _ in 0..7 {
        assert_eq!(pair.arrive(&[again(&frames[1])]), [Admission::Refuse]);
    }
    pair.give_up(&frames[1]);
    assert_eq!(pair.ack(2), Verdict::Swallow, "its timer ends the wait");
    let repeated = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_100, 0)), 2, SEGMENT);
    pair.exchange(&repeated);
    assert_eq!(pair.wire(), [2, 3]);
}

#[test]
fn a_flow_whose_application_does_not_read_fills_the_buffer_and_keeps_the_stations_other_flows_waiting() {
    let mut pair = Pair::flowing(buffer(2));
    let frames = [1, 2].map(|n| pair.data(n));
    for data in &frames {
        pair.exchange(data);
    }
    pair.ack_with(1, |tcp| tcp.window = 0);
    let other = pair.segment_with(|tcp| tcp.dst_port += 1, 0, SEGMENT);
    for _ in 0..60 {
        assert_eq!(pair.arrive(&[again(&other)]), [Admission::Refuse], "the stall");
        pair.pass_time(Duration::from_secs(1));
    }
    pair.ack_with(1, |tcp| tcp.window = 500);
    pair.ack(3);
    assert_eq!(pair.arrive(&[again(&other)]), [Admission::Accept]);
}

//! The race between a request and its native ACK, and what is asked for where several wait.

use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION};

fn pair() -> Pair {
    Pair::new(ArqProxyConfig::default()).open()
}

#[test]
fn a_host_that_is_quick_asks_in_the_answer_to_the_very_frame() {
    let mut pair = pair();
    let frame = pair.data(&[1]);
    pair.arrive(&frame);
    pair.ack(2);
    assert_eq!(pair.queued(), 1, "the native ACK goes its way meanwhile");
    let tag = pair.answer(&frame, Air::Clear).expect("a request goes with the answer");
    assert_eq!(tag.get(), frame.mpdus[0].seq.get() + 1);
    assert_eq!(pair.queued(), 0, "the native ACK is cancelled");
    assert_eq!(pair.acknowledged(), [2]);
    assert_eq!((pair.counters(STATION).requested, pair.counters(STATION).cancelled), (1, 1));
    assert_eq!(pair.counters(AP).released, 1);
}

#[test]
fn a_slow_host_asks_in_the_next_answer() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    assert_eq!(pair.exchange(&first, Air::Clear), None);
    pair.ack(2);
    let second = pair.data(&[2]);
    let tag = pair.exchange(&second, Air::Clear).expect("a request goes with the answer");
    assert_eq!(tag.get(), first.mpdus[0].seq.get() + 1);
    assert_eq!((pair.acknowledged(), pair.queued()), (vec![2], 0));
}

#[test]
fn a_native_ack_that_is_first_on_the_air_cancels_its_request() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.ack(2);
    let native = pair.launch_natives(1);
    assert_eq!(pair.counters(STATION).native_first, 1);
    let second = pair.data(&[2]);
    assert_eq!(pair.exchange(&second, Air::Clear), None);
    pair.land(&native);
    pair.deliver(&native);
    assert_eq!(pair.acknowledged(), [2]);
    assert_eq!(pair.held(), 0);
}

#[test]
fn what_cannot_be_taken_back_any_more_is_not_asked_for() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.ack(2);
    pair.lose_last();
    let second = pair.data(&[2]);
    assert_eq!(pair.exchange(&second, Air::Clear), None);
    assert_eq!(pair.counters(STATION).too_late, 1);
}

#[test]
fn the_newest_request_covers_the_older_ones_and_withdraws_their_acks() {
    let mut pair = pair();
    let frames = pair.data(&[1, 2, 3]);
    pair.arrive(&frames);
    for segments in [2, 3, 4] {
        pair.ack(segments);
    }
    assert_eq!(pair.queued(), 3);
    let tag = pair.answer(&frames, Air::Clear).expect("a BlockAck carries one key");
    assert_eq!(tag.get(), frames.mpdus[2].seq.get() + 1);
    assert_eq!((pair.acknowledged(), pair.queued(), pair.held()), (vec![4], 0, 1));
    let counters = pair.counters(STATION);
    assert_eq!((counters.requested, counters.cancelled, counters.covered), (1, 3, 2));
}

#[test]
fn an_older_ack_that_is_on_the_air_arrives_behind_the_newer_one() {
    let mut pair = pair();
    let frames = pair.data(&[1, 2]);
    pair.exchange(&frames, Air::Clear);
    pair.ack(2);
    pair.ack(3);
    let native = pair.launch_natives(1);
    let next = pair.data(&[3]);
    assert!(pair.exchange(&next, Air::Clear).is_some());
    pair.land(&native);
    pair.deliver(&native);
    assert_eq!(pair.acknowledged(), [3, 2]);
}

#[test]
fn flows_take_turns() {
    let mut pair = pair();
    for flow in 1..3 {
        let first = pair.segments(flow, &[0], TcpFlags::ACK);
        pair.exchange(&first, Air::Clear);
        pair.ack_with(flow, 1, |_, _| ());
        pair.natives(1, Air::Clear);
    }
    pair.wire();
    let mut tags = Vec::new();
    for round in 1..4 {
        let frames: Vec<_> = (0..3).map(|flow| pair.segments(flow, &[round], TcpFlags::ACK)).collect();
        for (flow, frame) in (0..3).zip(&frames) {
            pair.arrive(frame);
            pair.ack_with(flow, round + 1, |_, _| ());
            tags.push(pair.answer(frame, Air::Clear).expect("somebody always has something to ask"));
        }
    }
    assert_eq!((pair.counters(AP).released, pair.queued()), (9, 0));
    tags.dedup();
    assert_eq!(tags.len(), 9);
}

#[test]
fn a_full_queue_loses_nothing_that_an_answer_can_still_ask_for() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.ack(2);
    pair.drop_last();
    let second = pair.data(&[2]);
    assert!(pair.exchange(&second, Air::Clear).is_some());
    assert_eq!(pair.acknowledged(), [2]);
    assert_eq!((pair.counters(STATION).native_dropped, pair.counters(STATION).cancelled), (1, 0));
}

#[test]
fn without_more_data_the_native_ack_goes_as_ever() {
    let mut pair = pair();
    let last = pair.data(&[1]);
    pair.exchange(&last, Air::Clear);
    pair.ack(2);
    pair.pass_time(Duration::from_secs(5));
    assert_eq!(pair.queued(), 1);
    pair.natives(1, Air::Clear);
    assert_eq!((pair.acknowledged(), pair.held()), (vec![2], 0));
}

#[test]
fn a_legacy_peer_is_neither_asked_nor_served() {
    let mut pair = Pair::new(ArqProxyConfig::default()).beside_legacy().open();
    let frame = pair.data(&[1]);
    pair.arrive(&frame);
    pair.ack(2);
    assert_eq!(pair.answer(&frame, Air::Clear), None);
    assert_eq!((pair.queued(), pair.counters(AP).templates), (1, 0));
}

#[test]
fn what_was_asked_for_too_long_ago_is_not_asked_for() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.pass_time(Duration::from_millis(501));
    pair.ack(2);
    let second = pair.data(&[2]);
    assert_eq!(pair.exchange(&second, Air::Clear), None, "half the lifetime is over");
    assert_eq!((pair.counters(STATION).outdated, pair.queued()), (1, 1));
}

#[test]
fn a_number_that_has_come_round_again_names_nothing_older() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    for segment in 0..3 {
        pair.skip(700);
        let frame = pair.segments(1, &[segment], TcpFlags::ACK);
        pair.exchange(&frame, Air::Clear);
    }
    pair.ack(2);
    let second = pair.data(&[2]);
    assert_eq!(pair.exchange(&second, Air::Clear), None);
    assert_eq!((pair.counters(STATION).outdated, pair.queued()), (1, 1));
}

#[test]
fn frames_with_other_packets_use_up_numbers_too() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.strangers(4095);
    // Segment 3 has segment 1's number, and segment 2 has not come.
    let third = pair.data(&[3]);
    assert_eq!(third.mpdus[0].seq, first.mpdus[0].seq);
    pair.arrive(&third);
    pair.ack(2);
    assert_eq!(pair.answer(&third, Air::Clear), None);
    assert_eq!((pair.acknowledged(), pair.counters(STATION).outdated, pair.queued()), (vec![], 1, 1));
}

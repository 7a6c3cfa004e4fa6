//! What shows that an answer has arrived, and what becomes of a withdrawn ACK where nothing does.

use ackless_schemes::Guard;
use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION, Sent};

fn pair() -> Pair {
    Pair::new(ArqProxyConfig { guard: Guard::Fixed(Duration::from_millis(100)), ..ArqProxyConfig::default() }).open()
}

/// A pair in which the ACK of `segments` was asked for in the answer to their frames.
fn asked(segments: &[u32], air: Air) -> (Pair, Sent) {
    let mut pair = pair();
    let frames = pair.data(segments);
    pair.arrive(&frames);
    pair.ack(segments.last().map_or(1, |last| last + 1));
    assert!(pair.answer(&frames, air).is_some());
    (pair, frames)
}

#[test]
fn another_frame_shows_that_an_ack_has_arrived() {
    let (mut pair, _) = asked(&[1], Air::Clear);
    assert_eq!(pair.held(), 1, "the native ACK is kept");
    let next = pair.data(&[2]);
    assert_eq!(pair.exchange(&next, Air::Clear), None);
    assert_eq!((pair.held(), pair.counters(STATION).confirmed), (0, 1));
    pair.pass_time(Duration::from_secs(1));
    assert_eq!((pair.queued(), pair.acknowledged()), (0, vec![2]));
}

#[test]
fn the_same_frame_shows_that_it_has_not_and_the_tag_is_repeated() {
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    assert_eq!(pair.acknowledged(), []);
    let again = pair.again(&frame);
    let tag = pair.exchange(&again, Air::Clear).expect("the request is repeated");
    assert_eq!(tag.get(), frame.mpdus[0].seq.get() + 1);
    assert_eq!(pair.acknowledged(), [2]);
    assert_eq!((pair.counters(STATION).answer_lost, pair.counters(STATION).repeated), (1, 1));
}

#[test]
fn an_ack_to_a_repeated_frame_is_doubted_once_more_and_its_ack_released_once() {
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    let again = pair.again(&frame);
    pair.exchange(&again, Air::Clear);
    let next = pair.data(&[2]);
    assert!(pair.exchange(&next, Air::Clear).is_some(), "the frame before may have been given up");
    assert_eq!((pair.counters(STATION).unsure, pair.counters(AP).requests_repeated), (1, 1));
    let next = pair.data(&[3]);
    assert_eq!(pair.exchange(&next, Air::Clear), None);
    assert_eq!((pair.acknowledged(), pair.held()), (vec![2], 0));
}

#[test]
fn a_frame_given_up_whose_answers_were_all_lost_is_still_acknowledged_when_another_comes() {
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    for _ in 0..6 {
        let again = pair.again(&frame);
        assert!(pair.exchange(&again, Air::AnswerLost).is_some());
    }
    pair.give_up(&frame);
    assert_eq!(pair.acknowledged(), []);
    let next = pair.data(&[2]);
    pair.exchange(&next, Air::Clear);
    assert_eq!(pair.acknowledged(), [2], "a frame number names nothing else");
}

#[test]
fn the_stall_of_the_design_is_an_ack_whose_answer_seemed_to_have_arrived() {
    // The frame came once, its Ack was lost, and so was every repetition of the frame.
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    pair.give_up(&frame);
    let next = pair.segments(1, &[0], TcpFlags::ACK);
    assert_eq!(pair.exchange(&next, Air::Clear), None, "another frame came");
    pair.pass_time(Duration::from_secs(1));
    assert_eq!((pair.acknowledged(), pair.queued()), (vec![], 0), "nobody will say it");
    // The sender's timeout repeats the segment, and the duplicate ACK to it is native.
    let repeated = pair.data(&[1]);
    pair.arrive(&repeated);
    pair.ack(2);
    pair.answer(&repeated, Air::Clear);
    assert_eq!(pair.counters(STATION).native_duplicate, 1);
    pair.natives(1, Air::Clear);
    assert_eq!((pair.acknowledged(), pair.held()), (vec![2], 0));
}

#[test]
fn a_block_ack_request_repeats_and_what_follows_confirms() {
    let (mut pair, frames) = asked(&[1, 2], Air::AnswerLost);
    let tag = pair.request(&frames, Air::Clear).expect("the request is repeated");
    assert_eq!(tag.get(), frames.mpdus[1].seq.get() + 1);
    assert_eq!((pair.acknowledged(), pair.counters(STATION).answer_lost), (vec![3], 1));
    // Whether the answer to a request arrived shows no later frame: the request may have been given up.
    let next = pair.data(&[3, 4]);
    assert!(pair.exchange(&next, Air::Clear).is_some());
    let next = pair.data(&[5, 6]);
    assert_eq!(pair.exchange(&next, Air::Clear), None);
    assert_eq!((pair.acknowledged(), pair.held()), (vec![], 0));
}

#[test]
fn mpdus_that_come_again_in_an_a_mpdu_say_nothing_about_the_block_ack() {
    let (mut pair, frames) = asked(&[1, 2], Air::AnswerLost);
    let mut next = pair.data(&[3]);
    let again = pair.again(&frames);
    next.mpdus.insert(0, again.mpdus[0]);
    assert_eq!(pair.exchange(&next, Air::Clear), None);
    assert_eq!((pair.counters(STATION).confirmed, pair.counters(STATION).answer_lost), (1, 0));
}

#[test]
fn where_nothing_follows_the_withdrawn_ack_goes_natively_and_the_sender_may_see_it_twice() {
    for (air, seen) in [(Air::AnswerLost, vec![2]), (Air::Clear, vec![2, 2])] {
        let (mut pair, frame) = asked(&[1], air);
        pair.pass_time(Duration::from_millis(99));
        assert_eq!(pair.queued(), 0);
        pair.pass_time(Duration::from_millis(1));
        assert_eq!((pair.queued(), pair.counters(STATION).rescued), (1, 1));
        pair.natives(1, Air::Clear);
        assert_eq!(pair.acknowledged(), seen);
        if air == Air::AnswerLost {
            pair.give_up(&frame);
        }
        assert_eq!(pair.held(), 0);
    }
}

#[test]
fn a_later_native_ack_that_is_queued_replaces_a_withdrawn_one_whose_time_is_over() {
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    let next = pair.data(&[2]);
    pair.arrive(&next);
    pair.ack(3);
    pair.pass_time(Duration::from_millis(100));
    assert_eq!((pair.queued(), pair.counters(STATION).rescued), (1, 0));
    pair.give_up(&frame);
    pair.give_up(&next);
    assert_eq!(pair.held(), 0);
}

#[test]
fn a_native_ack_that_arrives_confirms_all_that_it_covers() {
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    pair.ack_with(0, 2, |_, _| ());
    pair.natives(1, Air::Clear);
    assert_eq!((pair.acknowledged(), pair.counters(STATION).confirmed), (vec![2], 1));
    pair.give_up(&frame);
    assert_eq!(pair.held(), 0);
}

#[test]
fn a_request_after_the_native_ack_releases_nothing_twice() {
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    pair.ack_with(0, 2, |_, _| ());
    let native = pair.natives(1, Air::AnswerLost);
    assert_eq!(pair.acknowledged(), [2]);
    let again = pair.again(&frame);
    assert!(pair.exchange(&again, Air::Clear).is_some(), "it is not known to have arrived");
    assert_eq!((pair.acknowledged(), pair.counters(AP).requests_stale), (vec![], 1));
    pair.deliver(&native);
    assert_eq!(pair.held(), 0);
}

#[test]
fn an_a_mpdu_without_the_frame_that_an_ack_answered_does_not_show_that_it_arrived() {
    // The frame went alone, and again as the first of an A-MPDU, in which it was damaged.
    let (mut pair, frame) = asked(&[1], Air::AnswerLost);
    let next = pair.data(&[2, 3]);
    assert!(pair.exchange(&next, Air::Clear).is_some(), "the request is repeated");
    assert_eq!((pair.acknowledged(), pair.counters(STATION).unsure), (vec![2], 1));
    pair.give_up(&frame);
    let next = pair.data(&[4, 5]);
    assert_eq!(pair.exchange(&next, Air::Clear), None);
    assert_eq!((pair.held(), pair.counters(STATION).confirmed), (0, 1));
}

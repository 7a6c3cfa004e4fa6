//! The guard timer: nothing is held for ever.

use ackless_schemes::hack::HackConfig;
use ackless_wire::Duration;

use crate::pair::{Air, Pair, STATION};

const BOTH: [usize; 2] = [1, 2];

fn pair(mpdus: usize) -> Pair {
    let mut pair = Pair::with_context(HackConfig::default(), mpdus);
    pair.wire();
    pair
}

#[test]
fn the_guard_sends_natively_what_waits_for_a_ppdu_that_never_comes() {
    let mut pair = pair(2);
    let acks = [pair.ack(0), pair.ack(0)];
    pair.pass_time(Duration::from_millis(99));
    assert_eq!(pair.queued(), 0);
    pair.pass_time(Duration::from_millis(1));
    assert_eq!((pair.queued(), pair.counters(STATION).guard_fired), (2, 1));
    let later = pair.ack(0);
    assert_eq!(pair.queued(), 3, "the promise is void");
    pair.natives(3, Air::Clear);
    assert_eq!(pair.wire(), [acks[0], acks[1], later]);
    assert_eq!(pair.held(), 0);
}

#[test]
fn the_guard_sends_the_last_of_what_was_appended_and_never_confirmed() {
    for mpdus in BOTH {
        for answer in [Air::Clear, Air::AnswerLost] {
            let mut pair = pair(mpdus);
            let acks = [pair.ack(0), pair.ack(0)];
            pair.transfer();
            let last = pair.data(mpdus, false);
            pair.exchange(&last, answer);
            if answer == Air::AnswerLost {
                pair.give_up(&last);
            }
            pair.pass_time(Duration::from_millis(200));
            assert_eq!((pair.queued(), pair.counters(STATION).guard_fired), (1, 1));
            pair.pass_time(Duration::from_millis(500));
            assert_eq!(pair.queued(), 1, "its own frame is on its way: there is no second one");
            pair.natives(1, Air::Clear);
            let expected: &[u16] = if answer == Air::Clear { &[acks[0], acks[1], acks[1]] } else { &[acks[1]] };
            assert_eq!(pair.wire(), expected, "it may come twice, unchanged");
            assert_eq!(pair.held(), 0);
        }
    }
}

#[test]
fn the_guard_fires_again_where_the_queue_dropped_what_it_sent() {
    let mut pair = pair(2);
    pair.ack(0);
    pair.transfer();
    let last = pair.data(2, false);
    pair.exchange(&last, Air::AnswerLost);
    pair.pass_time(Duration::from_millis(200));
    pair.drop_first();
    pair.pass_time(Duration::from_millis(200));
    assert_eq!((pair.queued(), pair.counters(STATION).guard_fired), (1, 2));
}

#[test]
fn no_ack_is_held_for_ever_while_every_answer_is_lost() {
    let mut pair = pair(2);
    let ack = pair.ack(0);
    let mut data = pair.data(2, true);
    for _ in 0..40 {
        pair.exchange(&data, Air::AnswerLost);
        pair.give_up(&data);
        pair.pass_time(Duration::from_millis(6));
        data = pair.data(2, true);
    }
    assert_eq!(pair.counters(STATION).guard_fired, 1, "twice the guard time is over");
    pair.natives(1, Air::Clear);
    assert_eq!(pair.wire(), [ack]);
}

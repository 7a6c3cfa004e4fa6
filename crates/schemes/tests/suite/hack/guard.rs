//! The guard timer: nothing is held for ever.

use ackless_schemes::Guard;
use ackless_schemes::hack::{Fit, HackConfig, Policy};
use ackless_wire::Duration;

use super::pair::{Air, Pair, STATION};

const BOTH: [usize; 2] = [1, 2];

fn pair(mpdus: usize) -> Pair {
    let mut pair = Pair::with_context(
        HackConfig { guard: Guard::Fixed(Duration::from_millis(100)), ..HackConfig::default() },
        mpdus,
    );
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

#[test]
fn an_ack_that_was_on_no_answer_waits_for_one_guard_however_often_the_access_point_comes() {
    let guard = Guard::Fixed(Duration::from_millis(100));
    let config = HackConfig { guard, fit: Fit::WithinAifs, aifs: Duration::from_micros(8), ..HackConfig::default() };
    let mut pair = Pair::with_context(config, 2);
    pair.wire();
    // More than an answer has room for: the first are on each, and none of the others on any.
    for _ in 0..60 {
        pair.ack(0);
    }
    for _ in 0..5 {
        pair.pass_time(Duration::from_millis(9));
        let data = pair.data(2, true);
        pair.exchange(&data, Air::AnswerLost);
        pair.give_up(&data);
        assert_eq!(pair.counters(STATION).guard_fired, 0);
    }
    pair.pass_time(Duration::from_millis(60));
    assert_eq!(pair.counters(STATION).guard_fired, 1);
    assert!(pair.queued() > 0);
}

/// A pair by itself whose AP comes round so seldom: once it has learnt that, the station's ACKs all go on answers.
fn rounds(apart: Duration, count: usize) -> Pair {
    let mut pair = Pair::with_context(HackConfig::default(), 2);
    for _ in 0..count {
        pair.ack(0);
        pair.pass_time(apart);
        send_natives(&mut pair);
        let data = pair.data(2, true);
        pair.exchange(&data, Air::Clear);
    }
    pair.wire();
    pair
}

#[test]
fn by_itself_the_guard_follows_the_rounds_of_the_access_point() {
    // Without a round trip, as far as the sender's least timeout allows.
    for apart in [3, 40, 110].map(Duration::from_millis) {
        let mut pair = rounds(apart, 20);
        let learnt = pair.counters(STATION).guard_fired;
        let ack = pair.ack(0);
        pair.pass_time(apart);
        assert_eq!(pair.queued(), 0, "{apart}: held for a whole round");
        let data = pair.data(2, true);
        pair.exchange(&data, Air::Clear);
        assert_eq!((pair.wire(), pair.counters(STATION).guard_fired), (vec![ack], learnt), "{apart}");
    }
}

/// So many ACKs, each of which is echoed a round trip later.
fn echoed(pair: &mut Pair, apart: Duration, rounds: u32) {
    for _ in 0..rounds {
        pair.ack(0);
        pair.pass_time(apart);
        let data = pair.echoing_data(2, true);
        pair.exchange(&data, Air::Clear);
        send_natives(pair);
    }
}

/// One more ACK, and nothing from the sender in two round trips: the ACK has gone natively by then.
fn falls_silent(pair: &mut Pair, apart: Duration) {
    pair.ack(0);
    for _ in 0..20 {
        pair.pass_time(apart / 10);
    }
    assert!(pair.queued() > 0, "{apart}: before the sender's probe");
}

#[test]
fn by_itself_the_guard_ends_within_two_round_trips_of_a_sender_that_stops() {
    for apart in [3, 40, 150, 400].map(Duration::from_millis) {
        let mut pair = Pair::with_context(HackConfig::default(), 2);
        // Each echo comes a round after its ACK: the shortest round trip that there can be.
        echoed(&mut pair, apart, 20);
        falls_silent(&mut pair, apart);
    }
}

#[test]
fn the_next_connection_between_the_same_ports_has_a_round_trip_of_its_own() {
    let mut pair = Pair::with_context(HackConfig::default(), 2);
    for (millis, rounds) in [(40, 40), (3, 30)] {
        let apart = Duration::from_millis(millis);
        echoed(&mut pair, apart, rounds);
        // No data echoes this one, and in the end the sender stops.
        falls_silent(&mut pair, apart);
        send_natives(&mut pair);
        pair.syn(0, 40);
        send_natives(&mut pair);
    }
}

#[test]
fn by_itself_the_guard_outlasts_the_explicit_timer() {
    let timer = Duration::from_millis(30);
    let mut pair = Pair::with_context(HackConfig { policy: Policy::ExplicitTimer(timer), ..HackConfig::default() }, 2);
    for _ in 0..10 {
        pair.ack(0);
        let data = pair.data(2, true);
        pair.exchange(&data, Air::Clear);
    }
    pair.ack(0);
    pair.pass_time(Duration::from_millis(29));
    assert_eq!(pair.queued(), 0);
    pair.pass_time(Duration::from_millis(1));
    assert_eq!((pair.queued(), pair.counters(STATION).guard_fired), (1, 0));
}

fn send_natives(pair: &mut Pair) {
    if pair.queued() > 0 {
        pair.natives(pair.queued(), Air::Clear);
    }
}

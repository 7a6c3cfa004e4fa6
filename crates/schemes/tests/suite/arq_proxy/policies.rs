//! When a request may leave, and when the client's own ACK may: the paper's race, and waiting for the data that the AP has promised.

use ackless_schemes::Guard;
use ackless_schemes::arq_proxy::{ArqProxyConfig, Policy};
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION};

fn race() -> Pair {
    Pair::new(ArqProxyConfig::default()).open()
}

fn more_data() -> Pair {
    Pair::new(ArqProxyConfig { policy: Policy::MoreData, ..ArqProxyConfig::default() }).open()
}

#[test]
fn a_request_leaves_before_its_ack_has_come_down_which_is_then_cancelled() {
    // Section 2: the request "is scheduled for the transmission at the link layer immediately, while the original TCP ACK packet travels down".
    let mut pair = race();
    let first = pair.data(&[1]);
    pair.arrive(&first);
    pair.ack_later(2);
    assert!(pair.answer(&first, Air::Clear).is_some());
    assert_eq!(pair.acknowledged(), [2]);
    // Nothing shows yet that the answer has arrived: the ACK is kept.
    pair.comes();
    assert_eq!((pair.queued(), pair.held()), (0, 1));
    let second = pair.data(&[2]);
    pair.exchange(&second, Air::Clear);
    assert_eq!((pair.counters(STATION).confirmed, pair.held()), (1, 0));
}

#[test]
fn an_ack_that_comes_when_its_request_is_known_to_have_arrived_is_swallowed() {
    let mut pair = race();
    let first = pair.data(&[1]);
    pair.arrive(&first);
    pair.ack_later(2);
    pair.answer(&first, Air::Clear);
    let second = pair.data(&[2]);
    pair.arrive(&second);
    pair.ack_later(3);
    pair.answer(&second, Air::Clear);
    assert_eq!(pair.acknowledged(), [2, 3]);
    let third = pair.data(&[3]);
    pair.exchange(&third, Air::Clear);
    pair.comes();
    pair.comes();
    assert_eq!((pair.queued(), pair.held(), pair.counters(STATION).cancelled), (0, 0, 2));
}

#[test]
fn an_ack_that_comes_before_an_answer_races_as_ever_and_older_ones_are_covered_wherever_they_are() {
    let mut pair = race();
    let frames = pair.data(&[1, 2, 3]);
    pair.exchange(&frames, Air::Clear);
    for segments in [2, 3, 4] {
        pair.ack_later(segments);
    }
    pair.comes();
    assert_eq!(pair.queued(), 1);
    let next = pair.data(&[4]);
    assert!(pair.exchange(&next, Air::Clear).is_some());
    assert_eq!((pair.acknowledged(), pair.queued()), (vec![4], 0));
    pair.comes();
    pair.comes();
    // The middle one is covered, and the newest is kept for want of a sign.
    assert_eq!((pair.queued(), pair.held(), pair.counters(STATION).covered), (0, 1, 2));
}

#[test]
fn an_ack_that_comes_after_its_guard_goes_natively() {
    let mut pair = race();
    let first = pair.data(&[1]);
    pair.arrive(&first);
    pair.ack_later(2);
    pair.answer(&first, Air::AnswerLost);
    pair.pass_time(Duration::from_millis(101));
    pair.comes();
    assert_eq!((pair.queued(), pair.held()), (1, 1), "the frame on the air is held too");
    pair.natives(1, Air::Clear);
    assert_eq!(pair.acknowledged(), [2]);
}

#[test]
fn while_more_data_is_promised_acks_wait_for_the_answer_to_it() {
    let mut pair = more_data();
    pair.backlog = 1;
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.ack(2);
    assert_eq!((pair.queued(), pair.counters(STATION).kept), (0, 1), "it does not contend");
    let second = pair.data(&[2]);
    assert!(pair.exchange(&second, Air::Clear).is_some());
    assert_eq!(pair.acknowledged(), [2]);
    assert_eq!((pair.counters(AP).more_data_set, pair.counters(STATION).let_go), (2, 0));
}

#[test]
fn a_syn_or_rst_from_the_wire_takes_no_ack_away() {
    // Who guesses addresses and ports can send it, and the client's TCP questions it (RFC 5961, 3.2 and 4.2).
    for flags in [TcpFlags::RST, TcpFlags::RST | TcpFlags::ACK, TcpFlags::SYN] {
        let mut pair = more_data();
        pair.backlog = 1;
        let first = pair.data(&[1]);
        pair.exchange(&first, Air::Clear);
        pair.ack(2);
        assert_eq!((pair.queued(), pair.counters(STATION).kept), (0, 1));
        let forged = pair.segments(0, &[40], flags);
        pair.exchange(&forged, Air::Clear);
        assert_eq!((pair.acknowledged(), pair.queued()), (vec![2], 0), "{flags:?}");
    }
}

#[test]
fn a_promise_is_made_where_enough_remains() {
    for (percent, remains, promised) in [(0, 0, 0), (0, 1, 1), (50, 1, 0), (50, 2, 1), (100, 3, 0), (100, 4, 1)] {
        let config =
            ArqProxyConfig { policy: Policy::MoreData, announce_percent: percent, ..ArqProxyConfig::default() };
        let mut pair = Pair::new(config).open();
        // What has its fate counts no more.
        let before = pair.data(&[1, 2, 3]);
        pair.exchange(&before, Air::Clear);
        let given_up = pair.data(&[4]);
        pair.give_up(&given_up);
        pair.backlog = remains;
        pair.data(&[5, 6, 7, 8]);
        assert_eq!(pair.counters(AP).more_data_set, promised, "{percent} % of four with {remains} behind them");
    }
}

#[test]
fn what_was_on_no_answer_when_the_promise_ends_joins_the_queue_in_its_order() {
    let mut pair = more_data();
    let first = pair.segments(1, &[0], TcpFlags::ACK);
    pair.exchange(&first, Air::Clear);
    pair.ack_with(1, 1, |_, _| ());
    pair.natives(1, Air::Clear);
    pair.wire();
    pair.backlog = 2;
    let frames = [pair.data(&[1, 2]), pair.segments(1, &[1], TcpFlags::ACK)];
    for frame in &frames {
        pair.exchange(frame, Air::Clear);
    }
    pair.ack_with(1, 2, |_, _| ());
    pair.ack(2);
    pair.ack(3);
    assert_eq!(pair.queued(), 0);
    pair.backlog = 0;
    let last = pair.data(&[3]);
    assert!(pair.exchange(&last, Air::Clear).is_some(), "one key is on this answer, flow 1's");
    assert_eq!((pair.queued(), pair.counters(STATION).let_go), (2, 2));
    pair.natives(2, Air::Clear);
    assert_eq!(pair.acknowledged(), [2, 2, 3]);
    // The next one finds no promise.
    pair.ack(4);
    assert_eq!(pair.queued(), 1);
}

#[test]
fn what_cannot_be_asked_for_goes_behind_what_was_kept() {
    let mut pair = more_data();
    pair.backlog = 1;
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.ack(2);
    pair.ack(2);
    assert_eq!(pair.queued(), 2, "a duplicate ACK follows what it repeats");
    pair.natives(2, Air::Clear);
    assert_eq!((pair.acknowledged(), pair.held()), (vec![2, 2], 0));
}

#[test]
fn a_promise_that_is_not_kept_ends_with_the_guard() {
    let mut pair = more_data();
    pair.backlog = 1;
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.ack(2);
    pair.pass_time(Duration::from_millis(99));
    assert_eq!(pair.queued(), 0);
    pair.pass_time(Duration::from_millis(1));
    assert_eq!(pair.queued(), 1);
    pair.natives(1, Air::Clear);
    assert_eq!((pair.acknowledged(), pair.held()), (vec![2], 0));
}

#[test]
fn in_the_paper_s_race_no_ack_waits_for_a_promise_and_there_is_none_but_for_the_guard() {
    let fixed = Guard::Fixed(Duration::from_millis(100));
    for (guard, promises) in [(fixed, 0), (Guard::Auto, 1)] {
        let mut pair = Pair::new(ArqProxyConfig { guard, ..ArqProxyConfig::default() }).open();
        pair.backlog = 5;
        let first = pair.data(&[1]);
        pair.exchange(&first, Air::Clear);
        pair.ack(2);
        assert_eq!((pair.queued(), pair.counters(AP).more_data_set), (1, promises), "{guard:?}");
    }
}

#[test]
fn a_kept_ack_whose_request_is_too_old_goes_natively() {
    let mut pair = Pair::new(ArqProxyConfig {
        policy: Policy::MoreData,
        guard: Guard::Fixed(Duration::from_secs(5)),
        ..ArqProxyConfig::default()
    })
    .open();
    pair.backlog = 1;
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.ack(2);
    pair.pass_time(Duration::from_millis(501));
    assert_eq!(pair.queued(), 0);
    let second = pair.data(&[2]);
    assert_eq!(pair.exchange(&second, Air::Clear), None);
    assert_eq!((pair.counters(STATION).outdated, pair.queued()), (1, 1));
}

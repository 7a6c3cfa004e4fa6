//! `take_back`: what was queued natively goes on an answer after all, where that leaves first.

use ackless_schemes::Guard;
use ackless_schemes::hack::{HackConfig, Policy};
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION};

const BOTH: [usize; 2] = [1, 2];

fn config() -> HackConfig {
    HackConfig { take_back: true, guard: Guard::Fixed(Duration::from_millis(10)), ..HackConfig::default() }
}

/// A pair with an open context, under MORE DATA.
fn pair(config: HackConfig, mpdus: usize) -> Pair {
    let mut pair = Pair::with_context(config, mpdus);
    pair.wire();
    pair
}

/// Two ACKs that were held until the guard timer queued them natively.
fn let_go(pair: &mut Pair) -> [u16; 2] {
    let acks = [pair.ack(0), pair.ack(0)];
    pair.pass_time(Duration::from_millis(10));
    assert_eq!(pair.queued(), 2);
    acks
}

#[test]
fn a_queued_native_ack_does_not_make_those_after_it_native() {
    for take_back in [false, true] {
        for mpdus in BOTH {
            let mut pair = pair(HackConfig { take_back, ..config() }, mpdus);
            let mut acks = let_go(&mut pair).to_vec();
            for _ in 0..10 {
                let data = pair.data(mpdus, true);
                pair.exchange(&data, Air::Clear);
                acks.push(pair.ack(0));
                pair.transfer();
            }
            let last = pair.data(mpdus, true);
            pair.exchange(&last, Air::Clear);
            let counters = pair.counters(STATION);
            if take_back {
                assert_eq!((pair.queued(), counters.compressed_acks, counters.withdrawn), (0, 12, 2));
                assert_eq!(pair.wire(), acks);
            } else {
                assert_eq!((pair.queued(), counters.compressed_acks), (12, 0), "the paper's driver leaves them there");
            }
        }
    }
}

#[test]
fn codes_that_nobody_saw_leave_the_context_where_it_was() {
    for mpdus in BOTH {
        let mut pair = pair(config(), mpdus);
        let mut acks = vec![pair.ack(0)];
        pair.transfer();
        let data = pair.data(mpdus, true);
        // On an answer that is lost: it stays with the NIC, and the codes of the next two build on it.
        pair.exchange(&data, Air::AnswerLost);
        let again = pair.again(&data, 0, true);
        acks.extend([pair.ack(0), pair.ack(0)]);
        pair.pass_time(Duration::from_millis(10));
        assert_eq!(pair.queued(), 2);
        pair.exchange(&again, Air::Clear);
        assert_eq!((pair.queued(), pair.wire()), (0, acks));
    }
}

#[test]
fn after_an_answer_with_some_of_the_codes_the_others_are_not_known_to_build_on_them() {
    // The second is not ready for the answer that takes the first.
    let mut pair = pair(HackConfig { driver_to_nic: Duration::from_micros(150), ..config() }, 2);
    let first = pair.ack(0);
    pair.pass_time(Duration::from_micros(100));
    let second = pair.ack(0);
    let data = pair.data(2, true);
    assert!(pair.exchange(&data, Air::Clear).is_some_and(|appended| appended > 0));
    assert_eq!(pair.wire(), [first]);
    pair.pass_time(Duration::from_millis(10));
    assert_eq!(pair.queued(), 1);
    pair.pass_time(Duration::from_micros(200));
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    let counters = pair.counters(STATION);
    assert_eq!((pair.queued(), counters.withdrawn, counters.no_context), (1, 0, 1), "its context is closed");
    pair.natives(1, Air::Clear);
    assert_eq!(pair.wire(), [second]);
}

#[test]
fn the_reference_of_256_codes_ago_is_not_taken_for_the_present_one() {
    // Each answer finds a code that is not ready, so that the NIC always has one that was on no answer.
    let mut pair = pair(HackConfig { driver_to_nic: Duration::from_micros(150), ..config() }, 2);
    let mut acks = Vec::new();
    for _ in 0..257 {
        acks.push(pair.ack(0));
        let data = pair.data(2, true);
        pair.exchange(&data, Air::Clear);
    }
    assert_eq!(pair.wire(), acks[..256]);
    pair.pass_time(Duration::from_millis(10));
    assert_eq!(pair.queued(), 1, "the last one's code had the MSN of the first one's");
    pair.pass_time(Duration::from_micros(200));
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!((pair.counters(AP).crc_failures, pair.counters(AP).checksum_failures), (0, 0));
    assert_eq!((pair.queued(), pair.counters(STATION).no_context), (1, 1));
    pair.natives(1, Air::Clear);
    assert_eq!(pair.wire(), acks[256..]);
}

#[test]
fn what_is_on_the_air_or_waits_for_a_retry_is_not_overtaken() {
    for air in [Air::AnswerLost, Air::PpduLost] {
        let mut pair = pair(config(), 2);
        let acks = let_go(&mut pair);
        let native = pair.launch_natives(1);
        let data = pair.data(2, true);
        assert_eq!(pair.exchange(&data, Air::Clear), Some(0), "on the air");
        pair.land_natives(&native, air);
        let data = pair.data(2, true);
        assert_eq!(pair.exchange(&data, Air::Clear), Some(0), "waits for its retry");
        if air == Air::PpduLost {
            pair.land_natives(&native, Air::Clear);
        } else {
            pair.deliver(&native);
        }
        let data = pair.data(2, true);
        assert!(pair.exchange(&data, Air::Clear).is_some_and(|appended| appended > 0));
        assert_eq!((pair.queued(), pair.wire()), (0, acks.to_vec()));
    }
}

#[test]
fn what_waits_in_the_reorder_buffer_goes_up_before_what_was_taken_back() {
    let mut pair = pair(config(), 2);
    let acks = let_go(&mut pair);
    let native = pair.launch_natives(1);
    pair.land_behind_a_hole(&native);
    let data = pair.data(2, true);
    assert!(pair.exchange(&data, Air::Clear).is_some_and(|appended| appended > 0));
    assert_eq!(pair.wire(), []);
    pair.rise_all(&native);
    assert_eq!(pair.wire(), acks);
}

#[test]
fn a_segment_in_between_stays_in_its_place() {
    let mut pair = pair(config(), 2);
    let before = let_go(&mut pair);
    let segment = pair.segment(0, TcpFlags::ACK | TcpFlags::PSH, 500);
    let after = pair.ack(0);
    let data = pair.data(2, true);
    assert_eq!(pair.exchange(&data, Air::Clear), Some(0), "the two would come before it, and the third overtake it");
    pair.natives(4, Air::Clear);
    assert_eq!(pair.wire(), [before[0], before[1], segment, after]);
}

#[test]
fn the_second_copy_of_what_was_on_an_answer_stays_in_the_queue() {
    let mut pair = pair(config(), 2);
    let ack = pair.ack(0);
    pair.transfer();
    let last = pair.data(2, false);
    pair.exchange(&last, Air::Clear);
    assert_eq!(pair.wire(), [ack]);
    pair.pass_time(Duration::from_millis(20));
    assert_eq!((pair.queued(), pair.counters(STATION).rescued), (1, 1));
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!((pair.queued(), pair.wire()), (1, vec![]));
}

#[test]
fn what_the_queue_dropped_is_not_looked_for() {
    let mut pair = pair(config(), 2);
    let acks = let_go(&mut pair);
    pair.drop_first();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!((pair.queued(), pair.wire()), (0, vec![acks[1]]));
    assert_eq!((pair.counters(STATION).too_late, pair.counters(AP).gaps), (0, 0));
}

#[test]
fn the_explicit_timer_takes_back_too() {
    let policy = Policy::ExplicitTimer(Duration::from_millis(5));
    let mut pair = pair(HackConfig { policy, ..config() }, 2);
    let acks = [pair.ack(0), pair.ack(0)];
    pair.pass_time(Duration::from_millis(5));
    assert_eq!(pair.queued(), 2);
    let data = pair.data(2, false);
    pair.exchange(&data, Air::Clear);
    assert_eq!((pair.queued(), pair.wire()), (0, acks.to_vec()));
}

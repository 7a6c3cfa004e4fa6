//! The paper's figures 2 and 5 to 8, on single MPDUs and on A-MPDUs.

use ackless_schemes::hack::HackConfig;

use super::pair::{AP, Air, Pair, STATION};

fn pair(mpdus: usize) -> Pair {
    Pair::with_context(HackConfig::default(), mpdus)
}

/// Two ACKs, held and in the NIC.
fn two_held(pair: &mut Pair) -> [u16; 2] {
    pair.wire();
    let acks = [pair.ack(0), pair.ack(0)];
    pair.transfer();
    assert_eq!(pair.queued(), 0, "they are held");
    acks
}

#[test]
fn figure_2_acks_of_one_batch_go_on_the_answer_to_the_next() {
    for mpdus in [1, 2] {
        let mut pair = pair(mpdus);
        let acks = two_held(&mut pair);
        let last = pair.data(mpdus, false);
        assert!(!last.bits.more_data);
        assert!(pair.exchange(&last, Air::Clear).is_some_and(|appended| appended > 0));
        assert_eq!(pair.wire(), acks);
        // No more data: the next ACKs go natively.
        let native = [pair.ack(0), pair.ack(0)];
        assert_eq!(pair.queued(), 2);
        pair.natives(2, Air::Clear);
        assert_eq!(pair.wire(), native);
        assert_eq!(pair.held(), 0, "nothing is kept of what arrived or was replaced");
    }
}

#[test]
fn figure_5a_after_a_lost_block_ack_all_is_appended_again_until_new_data_comes() {
    let mut pair = pair(2);
    let acks = two_held(&mut pair);
    let data = pair.data(2, true);
    let first = pair.exchange(&data, Air::AnswerLost).expect("an answer was sent");
    assert_eq!(pair.wire(), []);
    assert_eq!(pair.request(&data, Air::AnswerLost), Some(first), "the same again");
    assert_eq!(pair.request(&data, Air::Clear), Some(first));
    assert_eq!(pair.wire(), acks);
    let next = pair.data(2, true);
    assert_eq!(pair.exchange(&next, Air::Clear), Some(0), "any data says that the BlockAck arrived");
    assert_eq!((pair.counters(STATION).block_ack_lost, pair.counters(AP).block_ack_request_lost), (2, 1));
    assert_eq!(pair.counters(STATION).confirmed, 1);
    assert_eq!(pair.held(), 0);
}

#[test]
fn figure_5a_repeated_mpdus_confirm_a_block_ack_too() {
    let mut pair = pair(2);
    let acks = two_held(&mut pair);
    let data = pair.data(4, true);
    pair.exchange_parts(&data, |n| n < 2, Air::Clear);
    assert_eq!(pair.wire(), acks);
    let rest = pair.again(&data, 0, true);
    assert!(!rest.bits.sync);
    assert_eq!(pair.exchange_parts(&rest, |n| n >= 2, Air::Clear), Some(0));
    assert_eq!(pair.counters(STATION).confirmed, 1);
}

#[test]
fn figure_5b_the_same_mpdu_again_means_that_the_ack_was_lost_and_a_later_one_that_it_came() {
    let mut pair = pair(1);
    let acks = two_held(&mut pair);
    let mut data = pair.data(1, true);
    let first = pair.exchange(&data, Air::AnswerLost).expect("an answer was sent");
    for air in [Air::PpduLost, Air::AnswerLost, Air::Clear] {
        data = pair.again(&data, 0, true);
        assert!(!data.bits.sync, "the sequence number says it");
        let appended = pair.exchange(&data, air);
        assert_eq!(appended, (air != Air::PpduLost).then_some(first));
    }
    assert_eq!(pair.wire(), acks);
    let later = pair.data(1, true);
    assert_eq!(pair.exchange(&later, Air::Clear), Some(0));
    assert_eq!((pair.counters(STATION).ack_lost, pair.counters(STATION).confirmed), (2, 1));
    assert_eq!(pair.held(), 0);
}

#[test]
fn figure_6_what_arrived_and_comes_again_after_an_ambiguous_request_is_discarded() {
    let mut pair = pair(2);
    let acks = two_held(&mut pair);
    let data = pair.data(2, true);
    let first = pair.exchange(&data, Air::Clear).expect("an answer was sent");
    assert_eq!(pair.wire(), acks);
    // The next A-MPDU is lost whole, and so the AP asks for a BlockAck that was never sent.
    let lost = pair.data(2, true);
    pair.exchange(&lost, Air::PpduLost);
    let newer = pair.ack(0);
    pair.transfer();
    let appended = pair.request(&lost, Air::Clear).expect("a request is answered");
    assert!(appended > first, "the old ones, and the new one behind them");
    assert_eq!(pair.wire(), [newer], "the old ones are discarded");
    assert_eq!(pair.counters(AP).duplicates_discarded, 2);
    // Both are in step again.
    let next = pair.data(2, true);
    pair.exchange(&next, Air::Clear);
    let after = pair.ack(0);
    pair.transfer();
    let last = pair.data(2, true);
    pair.exchange(&last, Air::Clear);
    assert_eq!(pair.wire(), [after]);
}

#[test]
fn figure_7_without_more_data_the_next_native_ack_replaces_what_was_lost() {
    for mpdus in [1, 2] {
        let mut pair = pair(mpdus);
        two_held(&mut pair);
        let last = pair.data(mpdus, false);
        pair.exchange(&last, Air::AnswerLost);
        let native = pair.ack(0);
        assert_eq!(pair.queued(), 1, "no more data was promised");
        pair.natives(1, Air::Clear);
        assert_eq!(pair.wire(), [native], "its acknowledgment number closes the gap");
        assert_eq!(pair.counters(STATION).gap_after_drop, 1);
        // What is dropped is appended to nothing any more, and nothing trips on the gap.
        assert_eq!(pair.request(&last, Air::Clear), Some(0));
        let more = pair.data(mpdus, true);
        pair.exchange(&more, Air::Clear);
        let compressed = pair.ack(0);
        pair.transfer();
        let next = pair.data(mpdus, true);
        pair.exchange(&next, Air::Clear);
        assert_eq!(pair.wire(), [compressed]);
        assert_eq!(pair.counters(AP).crc_failures + pair.counters(AP).gaps, 0);
    }
}

#[test]
fn figure_7_until_the_native_ack_is_on_the_air_a_request_still_gets_what_was_lost() {
    let mut pair = pair(2);
    let acks = two_held(&mut pair);
    let last = pair.data(2, false);
    let first = pair.exchange(&last, Air::AnswerLost);
    let native = pair.ack(0);
    assert_eq!(pair.request(&last, Air::Clear), first);
    assert_eq!(pair.wire(), acks);
    pair.natives(1, Air::Clear);
    assert_eq!(pair.wire(), [native]);
}

#[test]
fn figure_8_after_the_request_limit_sync_keeps_what_was_lost() {
    let mut pair = pair(2);
    let acks = two_held(&mut pair);
    let data = pair.data(2, true);
    let first = pair.exchange(&data, Air::AnswerLost);
    for _ in 0..3 {
        pair.request(&data, Air::AnswerLost);
    }
    pair.give_up(&data);
    let next = pair.data(2, true);
    assert!(next.bits.sync);
    assert_eq!(pair.exchange(&next, Air::AnswerLost), first);
    // SYNC stays until one with it is answered, also when its own PPDU is lost.
    pair.request(&next, Air::PpduLost);
    pair.give_up(&next);
    let lost = pair.data(2, true);
    assert!(lost.bits.sync);
    pair.exchange(&lost, Air::PpduLost);
    pair.give_up(&lost);
    let heard = pair.data(2, true);
    assert!(heard.bits.sync);
    assert_eq!(pair.exchange(&heard, Air::Clear), first);
    assert_eq!(pair.wire(), acks);
    let after = pair.data(2, true);
    assert!(!after.bits.sync);
    assert_eq!(pair.exchange(&after, Air::Clear), Some(0));
    assert_eq!(pair.counters(STATION).sync_kept, 2);
    assert_eq!((pair.counters(AP).sync_set, pair.counters(AP).sync_lost), (3, 2));
    assert_eq!(pair.held(), 0);
}

#[test]
fn figure_8_on_single_mpdus_a_given_up_one_is_followed_by_sync() {
    let mut pair = pair(1);
    let acks = two_held(&mut pair);
    let data = pair.data(1, true);
    let first = pair.exchange(&data, Air::AnswerLost);
    pair.give_up(&data);
    let next = pair.data(1, true);
    assert!(next.bits.sync, "its sequence number is greater, and would say that the Ack came");
    assert_eq!(pair.exchange(&next, Air::Clear), first);
    assert_eq!(pair.wire(), acks);
}

#[test]
fn a_single_mpdu_without_ack_that_returns_in_an_aggregate_confirms_nothing() {
    let mut pair = pair(1);
    let acks = two_held(&mut pair);
    let data = pair.data(1, true);
    let first = pair.exchange(&data, Air::AnswerLost);
    let among_others = pair.again(&data, 2, true);
    // The station can read only the new ones.
    assert_eq!(pair.exchange_parts(&among_others, |n| n > 0, Air::Clear), first);
    assert_eq!(pair.wire(), acks);
}

//! Races between native frames and compressed ACKs: what may be compressed, and what may not be overtaken.

use ackless_schemes::hack::HackConfig;
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION, shares_an_identifier};

const BOTH: [usize; 2] = [1, 2];

fn pair(mpdus: usize) -> Pair {
    let mut pair = Pair::with_context(HackConfig::default(), mpdus);
    pair.wire();
    pair
}

#[test]
fn without_a_delivered_native_ack_nothing_is_compressed() {
    for mpdus in BOTH {
        let mut pair = Pair::new(HackConfig::default());
        let data = pair.data(mpdus, true);
        pair.exchange(&data, Air::Clear);
        pair.ack(0);
        assert_eq!((pair.queued(), pair.counters(STATION).no_context), (1, 1), "there is no context yet");
        pair.ack(0);
        assert_eq!((pair.queued(), pair.counters(STATION).native_overtaken), (2, 1), "it waits in the queue");
        let natives = pair.launch_natives(2);
        pair.ack(0);
        assert_eq!((pair.queued(), pair.counters(STATION).native_overtaken), (1, 2), "they are on the air");
        pair.land_natives(&natives, Air::AnswerLost);
        pair.ack(0);
        assert_eq!((pair.queued(), pair.counters(STATION).native_overtaken), (2, 3), "they wait for a retry");
        pair.deliver(&natives);
        pair.natives(2, Air::Clear);
        pair.ack(0);
        assert_eq!(pair.queued(), 0, "now it is held");
    }
}

/// Both ends acknowledge: the server's ACK echoes one of the station's that went as a code.
#[test]
fn an_ack_that_echoes_what_was_on_an_answer_is_genuine() {
    let mut pair = pair(2);
    pair.server_ack(0, 1);
    let native = pair.launch_from_ap();
    pair.exchange(&native, Air::Clear);
    let more = pair.data(2, true);
    pair.exchange(&more, Air::Clear);
    let code = pair.ack(0);
    pair.transfer();
    let last = pair.data(2, true);
    assert!(pair.exchange(&last, Air::Clear).is_some_and(|appended| appended > 0));
    assert_eq!(pair.wire(), [code]);
    // The station has data of another flow, and more behind it.
    let mut upload = || [0, 1].map(|_| pair.segment(1, TcpFlags::ACK | TcpFlags::PSH, 1_000));
    upload();
    upload();
    pair.natives(2, Air::Clear);
    pair.server_ack(0, code);
    pair.transfer();
    pair.natives(2, Air::Clear);
    let (said, heard) = (pair.counters(AP).compressed_acks, pair.counters(STATION));
    assert_eq!((said, heard.emitted, heard.verify_failures), (1, 1, 0));
}

#[test]
fn after_a_native_ack_that_was_given_up_the_next_one_goes_natively() {
    let mut pair = pair(1);
    let data = pair.data(1, false);
    pair.exchange(&data, Air::Clear);
    pair.ack(0);
    // It arrives, but the station never hears so.
    let native = pair.natives(1, Air::AnswerLost);
    pair.give_up(&native);
    let more = pair.data(1, true);
    pair.exchange(&more, Air::Clear);
    pair.ack(0);
    assert_eq!((pair.queued(), pair.counters(STATION).no_context), (1, 1));
    pair.natives(1, Air::Clear);
    let compressed = pair.ack(0);
    pair.transfer();
    pair.wire();
    let data = pair.data(1, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire(), [compressed]);
}

#[test]
fn a_native_ack_that_the_queue_dropped_was_never_received_and_changes_no_context() {
    let mut pair = pair(1);
    let data = pair.data(1, false);
    pair.exchange(&data, Air::Clear);
    pair.ack(0);
    pair.drop_first();
    let more = pair.data(1, true);
    pair.exchange(&more, Air::Clear);
    let compressed = pair.ack(0);
    pair.transfer();
    let data = pair.data(1, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire(), [compressed]);
}

#[test]
fn held_acks_are_queued_before_a_data_segment_of_their_flow() {
    let mut pair = pair(2);
    let acks = [pair.ack(0), pair.ack(0)];
    let segment = pair.segment(0, TcpFlags::ACK | TcpFlags::PSH, 500);
    assert_eq!(pair.queued(), 3);
    // While it is outstanding nothing may overtake it.
    let behind = pair.ack(0);
    assert_eq!((pair.queued(), pair.counters(STATION).native_overtaken), (4, 1));
    pair.natives(4, Air::Clear);
    assert_eq!(pair.wire(), [acks[0], acks[1], segment, behind]);
}

#[test]
fn a_data_segment_that_finds_nothing_held_leaves_the_context_alone() {
    let mut pair = pair(2);
    let segment = pair.segment(0, TcpFlags::ACK, 500);
    pair.natives(1, Air::Clear);
    let ack = pair.ack(0);
    pair.transfer();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire(), [segment, ack]);
}

#[test]
fn a_connection_that_ends_or_begins_closes_the_context() {
    for flags in [TcpFlags::SYN, TcpFlags::FIN | TcpFlags::ACK, TcpFlags::RST] {
        let mut pair = pair(2);
        pair.segment(0, flags, 0);
        pair.natives(1, Air::Clear);
        pair.ack(0);
        assert_eq!((pair.queued(), pair.counters(STATION).no_context), (1, 1), "{flags:?}");
    }
}

#[test]
fn a_compressed_ack_waits_for_the_native_one_in_the_reorder_buffer() {
    let mut pair = pair(2);
    let last = pair.data(2, false);
    pair.exchange(&last, Air::Clear);
    let native = pair.ack(0);
    let behind = pair.launch_natives(1);
    pair.land_behind_a_hole(&behind);
    let more = pair.data(2, true);
    pair.exchange(&more, Air::Clear);
    let compressed = pair.ack(0);
    pair.transfer();
    let data = pair.data(2, false);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire(), [], "the native one before it has not gone up");
    // A further native ACK comes before the hole is filled.
    let after = pair.ack(0);
    let further = pair.launch_natives(1);
    pair.land_behind_a_hole(&further);
    pair.rise_all(&behind);
    pair.rise_all(&further);
    assert_eq!(pair.wire(), [native, compressed, after]);
    assert_eq!(pair.counters(AP).waited_in_order, 1);
}

#[test]
fn a_late_retransmission_of_an_older_native_ack_does_not_become_the_reference() {
    let mut pair = pair(2);
    let last = pair.data(2, false);
    pair.exchange(&last, Air::Clear);
    pair.ack(0);
    pair.ack(0);
    let older = pair.launch_natives(1);
    let newer = pair.launch_natives(1);
    pair.land_natives(&newer, Air::Clear);
    pair.land_natives(&older, Air::Clear);
    assert_eq!(pair.counters(AP).late_natives, 1);
    pair.wire();
    let more = pair.data(2, true);
    pair.exchange(&more, Air::Clear);
    let compressed = pair.ack(0);
    pair.transfer();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire(), [compressed]);
}

#[test]
fn as_many_as_the_msn_can_tell_apart_are_held_and_the_next_goes_natively_behind_them() {
    let mut pair = pair(2);
    let mut acks: Vec<_> = (0..127).map(|_| pair.ack(0)).collect();
    assert_eq!(pair.queued(), 0);
    acks.push(pair.ack(0));
    assert_eq!((pair.queued(), pair.counters(STATION).full), (128, 1));
    pair.natives(128, Air::Clear);
    assert_eq!(pair.wire(), acks);
}

#[test]
fn half_of_all_numbers_or_timestamps_after_the_native_ack_nothing_is_refused() {
    // The native one is of two segments. The ACK lies just below half the space from it, by number or by timestamp, and the data just beyond.
    for (span, behind, echo_behind) in [(2_147_484, 1, 0), (1 << 31, 0, 1)] {
        let mut pair = pair(2);
        for target in [2 + span / 2, 2 + span] {
            pair.forward(target - 1 - pair.forwarded());
            let data = pair.data(1, true);
            pair.exchange(&data, Air::Clear);
            let ack = pair.ack_echoing(0, target - behind, target - echo_behind);
            pair.transfer();
            let data = pair.data(2, true);
            pair.exchange(&data, Air::Clear);
            assert_eq!((pair.counters(AP).verify_failures, pair.wire()), (0, vec![ack]), "{target} of {span}");
        }
        assert_eq!((pair.queued(), pair.counters(STATION).native_acks), (0, 1));
    }
}

#[test]
fn the_msn_wraps_without_a_trace() {
    let mut pair = pair(2);
    let mut acks = Vec::new();
    for _ in 0..40 {
        acks.extend((0..20).map(|_| pair.ack(0)));
        pair.transfer();
        let data = pair.data(2, true);
        let appended = pair.exchange(&data, Air::AnswerLost);
        assert_eq!(pair.request(&data, Air::Clear), appended);
    }
    assert_eq!(pair.wire(), acks);
    assert!(pair.counters(STATION).msn_wrap >= 3);
    assert_eq!(pair.counters(AP).duplicates_discarded, 0);
}

#[test]
fn a_broken_context_is_mended_by_withholding_more_data() {
    let mut pair = pair(2);
    // A code that the station never sent, of a context that is known to exist: its checksum is wrong.
    let ack = pair.ack(0);
    pair.transfer();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::AnswerLost);
    pair.forge(vec![0x00, 0x00, 0x00]);
    assert_eq!(pair.counters(AP).unknown_context, 1);
    pair.request(&data, Air::Clear);
    assert_eq!(pair.wire(), [ack]);
    let next = pair.data(2, true);
    assert!(!next.bits.more_data);
    assert_eq!(pair.counters(AP).more_data_withheld, 1);
    pair.exchange(&next, Air::Clear);
    pair.ack(0);
    assert_eq!(pair.queued(), 1, "the station sends natively");
    pair.pass_time(Duration::from_secs(2));
    let later = pair.data(2, true);
    assert!(later.bits.more_data, "a context that nobody uses any more does not stop the others for ever");
}

#[test]
fn an_access_point_that_lost_its_contexts_promises_again_as_soon_as_a_native_ack_has_come() {
    let mut pair = pair(2);
    pair.forget_contexts();
    pair.ack(0);
    pair.transfer();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.counters(AP).unknown_context, 1, "it has no context for what was appended");
    let data = pair.data(2, true);
    assert!(!data.bits.more_data, "a native ACK is needed");
    pair.exchange(&data, Air::Clear);
    pair.ack(0);
    pair.natives(pair.queued(), Air::Clear);
    let data = pair.data(2, true);
    assert!(data.bits.more_data, "its context is there");
    pair.exchange(&data, Air::Clear);
    let compressed = pair.ack(0);
    pair.transfer();
    pair.wire();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire(), [compressed]);
}

#[test]
fn a_context_that_is_mended_does_not_hide_another_one_that_is_broken() {
    let mut pair = pair(2);
    let other = (1..).find(|&flow| !shares_an_identifier(0, flow)).expect("most flows have another");
    pair.ack(other);
    pair.natives(1, Air::Clear);
    let data = pair.data_of(&[0, other], true);
    pair.exchange(&data, Air::Clear);
    pair.forget_contexts();
    pair.ack(0);
    pair.ack(other);
    pair.transfer();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.counters(AP).unknown_context, 2);
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    pair.ack(0);
    pair.natives(pair.queued(), Air::Clear);
    assert!(!pair.data(2, true).bits.more_data, "the other flow's native ACK is still needed");
}

#[test]
fn an_older_mpdu_that_comes_again_does_not_say_that_an_ack_arrived() {
    let mut pair = pair(1);
    let ack = pair.ack(0);
    pair.transfer();
    let older = pair.data(1, true);
    pair.exchange(&older, Air::PpduLost);
    let newer = pair.data(1, true);
    assert!(pair.exchange(&newer, Air::AnswerLost).is_some_and(|appended| appended > 0));
    // Without SYNC, so that its sequence number alone decides.
    let mut again = pair.again(&older, 0, true);
    again.bits.sync = false;
    assert!(pair.exchange(&again, Air::Clear).is_some_and(|appended| appended > 0), "it is kept, and appended again");
    assert_eq!(pair.wire(), [ack]);
}

#[test]
fn a_data_segment_that_stands_for_what_was_appended_closes_the_context() {
    let mut pair = pair(2);
    pair.ack(0);
    pair.transfer();
    let data = pair.data(2, true);
    pair.exchange(&data, Air::AnswerLost);
    let segment = pair.segment(0, TcpFlags::ACK | TcpFlags::PSH, 100);
    pair.natives(1, Air::Clear);
    assert_eq!((pair.wire(), pair.counters(STATION).gap_after_drop), (vec![segment], 1));
    let data = pair.data(2, true);
    pair.exchange(&data, Air::Clear);
    let next = pair.ack(0);
    assert_eq!((pair.queued(), pair.counters(STATION).no_context), (1, 1), "the access point lacks what was dropped");
    pair.natives(1, Air::Clear);
    assert_eq!((pair.wire(), pair.counters(AP).gaps), (vec![next], 0));
}

#[test]
fn what_was_never_forwarded_is_not_acknowledged_and_more_data_is_withheld_until_a_native_ack() {
    for (number, echo) in [(1_000, 1), (1, 1_000)] {
        let mut pair = pair(2);
        let forwarded = pair.forwarded();
        pair.ack_echoing(0, forwarded.max(number), forwarded.max(echo));
        pair.transfer();
        let data = pair.data(2, true);
        pair.exchange(&data, Air::Clear);
        assert_eq!((pair.wire(), pair.counters(AP).verify_failures), (vec![], 1), "{number}, {echo}");
        let data = pair.data(2, true);
        assert!(!data.bits.more_data);
        pair.exchange(&data, Air::Clear);
        let native = pair.ack_number(0, 1_000);
        pair.natives(1, Air::Clear);
        assert_eq!(pair.wire(), [native], "what is native is not its business");
        assert!(pair.data(2, true).bits.more_data, "and installs the context anew");
    }
}

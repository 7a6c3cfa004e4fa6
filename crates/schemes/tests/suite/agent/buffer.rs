//! The first solution: what the station keeps, refuses, and hands up again.

use ackless_dot11::hooks::{Admission, Verdict};
use ackless_wire::{Duration, SeqNumber, TcpFlags, TcpHeader};

use super::pair::{AP, Pair, SEGMENT, STATION, WINDOW, again, buffer, sack};

/// A full buffer of four: segments 1 to 4.
fn full() -> Pair {
    let mut pair = Pair::flowing(buffer(4));
    for n in 1..5 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    assert_eq!((pair.held(0), pair.wire()), (4, vec![2, 3, 4, 5]));
    pair
}

#[test]
fn a_full_buffer_refuses_a_new_frame_and_takes_it_when_the_tcp_has_acknowledged() {
    let mut pair = full();
    let data = pair.data(5);
    assert_eq!(pair.arrive(&[data]), [Admission::Refuse]);
    assert_eq!(pair.arrive(&[again(&data)]), [Admission::Refuse], "it was not taken before");
    assert_eq!(pair.ack(3), Verdict::Swallow);
    assert_eq!(pair.held(1), 2);
    assert_eq!(pair.arrive(&[again(&data)]), [Admission::Accept]);
    pair.answer(&[data]);
    assert_eq!((pair.wire(), pair.counters(STATION).refused), (vec![6], 2));
}

#[test]
fn a_frame_that_was_accepted_before_is_accepted_again_however_full_the_buffer() {
    let mut pair = Pair::flowing(buffer(4));
    let frames = [1, 2, 3, 4].map(|n| pair.data(n));
    for data in &frames {
        pair.arrive(&[*data]);
        pair.answer_lost();
    }
    for data in &frames {
        assert_eq!(pair.arrive(&[again(data)]), [Admission::Accept]);
    }
    pair.answer(&frames);
    assert_eq!(pair.wire(), [2, 3, 4, 5]);
}

#[test]
fn an_a_mpdu_is_accepted_as_far_as_it_fits() {
    let mut pair = Pair::flowing(buffer(4));
    let frames = [1, 2, 3, 4, 5, 6].map(|n| pair.data(n));
    let admitted = pair.arrive(&frames);
    assert_eq!(admitted.iter().filter(|admission| **admission == Admission::Accept).count(), 4);
    assert_eq!(admitted[4..], [Admission::Refuse; 2]);
}

#[test]
fn what_waits_above_a_hole_takes_no_place() {
    let mut pair = Pair::flowing(buffer(2));
    for n in 2..20 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    assert_eq!((pair.held(0), pair.wire()), (0, vec![]));
    let repaired = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), 1, SEGMENT);
    pair.exchange(&repaired);
    assert_eq!((pair.held(0), pair.wire()), (1, vec![2]));
    pair.ack(20);
    pair.natives();
    assert_eq!((pair.held(0), pair.wire()), (0, vec![20]));
}

#[test]
fn data_that_the_tcp_has_is_neither_kept_nor_refused() {
    let mut pair = full();
    let old = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), 0, SEGMENT);
    pair.exchange(&old);
    assert_eq!(pair.held(0), 4);
}

#[test]
fn frames_are_handed_up_again_after_longer_and_longer_and_at_last_the_connection_is_reset_at_both_ends() {
    let mut pair = full();
    let (mut times, mut resets) = (Vec::new(), Vec::new());
    for tenth in 1..=6_500 {
        pair.pass_time(Duration::from_millis(100));
        let handed = pair.handed_headers();
        if handed.iter().any(|tcp| tcp.flags.contains(TcpFlags::RST)) {
            assert!(handed.len() == 1);
            // The TCP waits for segment 1: with any other number it would question the RST.
            assert_eq!(pair.segment_at(handed[0].seq), 1);
            resets.push(tenth);
        } else if !handed.is_empty() {
            let handed: Vec<_> = handed.iter().map(|tcp| pair.segment_at(tcp.seq)).collect();
            assert_eq!((handed, resets.len()), (vec![1, 2], 0));
            times.push(tenth);
        }
    }
    // 0.2 s after they came, then 0.4, 0.8 and so on, a minute at most, as a sender's retransmission timeout (RFC 6298, 2.5 and 5.5).
    let expected = [2, 6, 14, 30, 62, 126, 254, 510, 1_022, 1_622, 2_222, 2_822, 3_422, 4_022, 4_622];
    assert_eq!(times, expected);
    // Nobody acknowledges a RST, and any may be lost.
    assert_eq!(resets, [5_222, 5_232, 5_252, 5_292, 5_372, 5_532, 5_852]);
    assert_eq!((pair.counters(STATION).abandoned, pair.held(0)), (4, 0));
    pair.natives();
    let wire = pair.wire_headers();
    // The server has had 7,001 - 1 bytes of the client's and waits for the next.
    assert!(wire.iter().all(|tcp| tcp.flags.contains(TcpFlags::RST) && tcp.seq == SeqNumber(7_001)), "{wire:?}");
    assert_eq!(wire.len(), resets.len(), "each end hears as many");
}

#[test]
fn nobody_resets_the_next_connection_on_the_ports_of_one_that_was_reset() {
    // The TCP calls, or answers who calls; a SYN from the wire alone may be forged.
    for (flags, of) in [(TcpFlags::SYN, STATION), (TcpFlags::SYN | TcpFlags::ACK, STATION), (TcpFlags::SYN, AP)] {
        let mut pair = full();
        pair.pass_time(Duration::from_millis(522_300));
        assert_eq!(pair.counters(STATION).abandoned, 4);
        let syn = |tcp: &mut TcpHeader| (tcp.flags, tcp.seq) = (flags, SeqNumber(90_000));
        if of == STATION {
            pair.hand_down(syn, 0);
        } else {
            let syn = pair.segment_with(syn, 0, 0);
            pair.exchange(&syn);
        }
        pair.natives();
        pair.handed_headers();
        pair.wire_headers();
        pair.pass_time(Duration::from_secs(120));
        pair.natives();
        let resets = if of == STATION { 0 } else { 6 };
        assert_eq!([pair.handed_headers().len(), pair.wire_headers().len()], [resets; 2], "{flags:?} of {of}");
    }
}

#[test]
fn what_the_tcp_lacks_first_is_taken_however_full_the_buffer() {
    let mut pair = Pair::flowing(buffer(2));
    for n in [2, 1, 3] {
        let data = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_010, 0)), n, SEGMENT);
        pair.exchange(&data);
    }
    // Segment 2 came above a hole, is not kept, and was lost on its way up; 1 and 3 are kept.
    pair.ack(2);
    let data = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_010, 0)), 4, SEGMENT);
    pair.exchange(&data);
    let [further, missing] =
        [5, 2].map(|n| pair.segment_with(|tcp| tcp.options.timestamps = Some((1_011, 0)), n, SEGMENT));
    assert_eq!(pair.arrive(&[further]), [Admission::Refuse], "3 and 4 fill it");
    assert_eq!(pair.arrive(&[missing]), [Admission::Accept], "refused, it would lock both");
    pair.answer(&[missing]);
    assert_eq!(pair.ack(5), Verdict::Swallow);
    assert_eq!(pair.arrive(&[again(&further)]), [Admission::Accept]);
}

#[test]
fn a_frame_goes_up_again_with_the_newest_timestamp_of_its_flow() {
    let mut pair = full();
    // The server's own copy of segment 1, sent again.
    let newer = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_500, 77)), 1, SEGMENT);
    pair.exchange(&newer);
    pair.pass_time(Duration::from_millis(200));
    let stamps: Vec<_> = pair.handed_headers().iter().map(|tcp| tcp.options.timestamps).collect();
    // With its own, 1,001, a TCP that has seen 1,500 drops it each time (RFC 7323, 5.3).
    assert_eq!(stamps, [Some((1_500, 77)); 2]);
}

#[test]
fn what_was_lost_below_something_that_blocks_tell_of_goes_up_again_at_once_and_once() {
    let mut pair = Pair::flowing(buffer(8));
    for n in 1..5 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    let told = sack(&pair, &[(2, 3), (4, 5)]);
    pair.ack_with(1, |tcp| tcp.options.sack = told);
    assert_eq!(pair.handed_up(), [1, 3]);
    pair.ack_with(1, |tcp| tcp.options.sack = told);
    assert_eq!(pair.handed_up(), [], "it is on its way");
    // Segment 5 goes up behind it and arrives: it was lost once more.
    let data = pair.data(5);
    pair.exchange(&data);
    let told = sack(&pair, &[(2, 6)]);
    pair.ack_with(1, |tcp| tcp.options.sack = told);
    assert_eq!(pair.handed_up(), [1]);
    assert_eq!(pair.ack(6), Verdict::Swallow);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn without_blocks_three_duplicates_mean_a_loss_and_as_many_as_frames_are_kept_another_one() {
    let mut pair = full();
    let mut handed = Vec::new();
    for _ in 0..8 {
        pair.ack(1);
        handed.push(pair.handed_up());
    }
    // Four frames are kept, each of which may have made for one before the first went up again.
    let (none, first) = (Vec::new(), vec![1, 2]);
    assert_eq!(handed, [&none, &none, &first, &none, &none, &none, &none, &first].map(Clone::clone));
}

#[test]
fn a_late_copy_of_what_is_there_makes_nobody_doubt_what_follows() {
    let mut pair = full();
    pair.ack(3);
    // The wire brings a copy of segment 1 with its old timestamp. For the AP it opens no hole, so that it speaks for what follows: the station must keep that.
    let late = pair.segment_with(|tcp| tcp.options.timestamps = Some((900, 0)), 1, SEGMENT);
    pair.exchange(&late);
    let data = pair.data(5);
    pair.exchange(&data);
    assert_eq!((pair.wire().last(), pair.held(0)), (Some(&6), 3), "segments 3, 4 and 5");
}

#[test]
fn a_reset_that_the_tcp_will_not_believe_lets_nothing_go() {
    for number in [1, 3, 5] {
        let mut pair = full();
        let reset = pair.segment_with(|tcp| tcp.flags = TcpFlags::RST, number, 0);
        pair.exchange(&reset);
        assert_eq!(pair.held(0), 4, "segment {number}: the TCP has told of 1 and may have all");
    }
    let mut pair = full();
    let call = pair.segment_with(|tcp| tcp.flags = TcpFlags::SYN, 900, 0);
    pair.exchange(&call);
    assert_eq!(pair.held(0), 4, "a SYN within a connection is questioned (RFC 5961, 4.2)");
}

#[test]
fn what_an_ap_has_acknowledged_that_knows_nothing_any_more_the_station_still_keeps() {
    let mut pair = full();
    pair.forget();
    pair.pass_time(Duration::from_millis(200));
    assert_eq!((pair.handed_up(), pair.held(0)), (vec![1, 2], 4));
    assert_eq!(pair.ack(3), Verdict::Swallow);
    assert_eq!((pair.handed_up(), pair.held(0)), (vec![3, 4], 2));
}

#[test]
fn a_tcp_that_lacked_frames_gets_them_one_after_another() {
    let mut pair = full();
    pair.pass_time(Duration::from_millis(200));
    assert_eq!(pair.handed_up(), [1, 2]);
    // It delays its ACK, and acknowledges both: the rest must have been lost too.
    assert_eq!(pair.ack(3), Verdict::Swallow);
    assert_eq!(pair.handed_up(), [3, 4]);
    assert_eq!(pair.ack(5), Verdict::Swallow);
    assert_eq!((pair.handed_up(), pair.held(0)), (vec![], 0));
    assert_eq!(pair.counters(STATION).handed_up_again, 4);
}

#[test]
fn what_the_tcp_had_no_room_for_waits_until_its_window_opens() {
    let mut pair = full();
    // It took two segments and closed its window: the server, told of four, believes in more.
    pair.ack_with(3, |tcp| tcp.window = 0);
    pair.natives();
    let wire = pair.wire_headers();
    assert_eq!((wire.len(), wire[0].window), (1, 0), "the server learns of it");
    pair.pass_time(Duration::from_secs(600));
    assert!(pair.handed_up().len() > 14 && pair.held(0) == 2, "data that was acknowledged is not let go");
    pair.ack_with(3, |tcp| tcp.window = WINDOW);
    assert_eq!(pair.handed_up(), [3, 4], "at once");
    pair.ack(5);
    assert_eq!(pair.held(0), 0);
    assert_eq!((pair.counters(STATION).abandoned, pair.counters(AP).made), (0, 5));
}

#[test]
fn attempts_at_a_closed_window_do_not_count_against_the_open_one() {
    // Closed, and too narrow for the segment: 7 times 128 bytes.
    for narrow in [0, 7] {
        let mut pair = full();
        pair.ack_with(3, |tcp| tcp.window = narrow);
        pair.natives();
        pair.pass_time(Duration::from_secs(3_000));
        assert_eq!(
            (pair.held(0), pair.counters(STATION).abandoned),
            (2, 0),
            "it is asked for ever (RFC 9293, 3.8.6.1)"
        );
        pair.ack_with(3, |tcp| tcp.window = WINDOW);
        pair.natives();
        pair.handed_up();
        // What went up when it opened got lost. The next attempt is due soon, and there are as many as for any other.
        pair.pass_time(Duration::from_millis(200));
        assert_eq!(pair.handed_up(), [3, 4]);
        pair.pass_time(Duration::from_secs(520));
        assert_eq!((pair.held(0), pair.counters(STATION).abandoned), (2, 0));
        pair.pass_time(Duration::from_secs(3));
        assert_eq!((pair.held(0), pair.counters(STATION).abandoned), (0, 2), "then it is dead");
    }
}

#[test]
fn duplicates_of_a_tcp_without_room_for_the_segment_tell_of_no_loss() {
    let mut pair = full();
    pair.ack_with(1, |tcp| tcp.window = 7);
    for _ in 0..8 {
        pair.ack_with(1, |tcp| tcp.window = 7);
    }
    assert_eq!(pair.handed_up(), []);
}

#[test]
fn a_new_copy_of_what_is_kept_takes_its_place() {
    let mut pair = full();
    let copy = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_030, 0)), 1, SEGMENT);
    pair.exchange(&copy);
    assert_eq!((pair.held(0), pair.counters(STATION).refused), (4, 0));
    pair.ack(5);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn a_tcp_that_has_room_for_one_frame_at_a_time_gets_the_next_when_its_window_opens_again() {
    let mut pair = full();
    pair.ack_with(3, |tcp| tcp.window = 0);
    pair.pass_time(Duration::from_secs(60));
    pair.ack_with(3, |tcp| tcp.window = 8);
    pair.handed_up();
    pair.ack_with(4, |tcp| tcp.window = 0);
    assert_eq!(pair.handed_up(), [4], "in case it lacks that one only");
    pair.ack_with(4, |tcp| tcp.window = WINDOW);
    assert_eq!(pair.handed_up(), [4], "at once, since it had no room for it before");
}

#[test]
fn the_time_until_a_frame_is_handed_up_again_counts_from_the_tcps_last_word() {
    let mut pair = full();
    pair.pass_time(Duration::from_secs(10));
    // By now the next time is 2.8 s away, but the TCP has shown that it is there.
    pair.ack(3);
    assert!(pair.handed_up().ends_with(&[3, 4]));
    pair.pass_time(Duration::from_millis(200));
    assert_eq!(pair.handed_up(), [3, 4]);
}

#[test]
fn a_flow_beyond_those_that_the_station_remembers_takes_the_place_of_the_quietest() {
    let mut pair = Pair::flowing(buffer(4));
    for port in 0..4_097 {
        pair.pass_time(Duration::from_micros(1));
        let data = pair.segment_with(|tcp| tcp.dst_port = 30_000 + port, 1, SEGMENT);
        pair.arrive(&[data]);
        pair.answer(&[data]);
    }
    assert_eq!(pair.counters(STATION).forgotten, 2);
}

#[test]
fn what_came_beyond_the_room_that_the_tcp_had_offered_goes_up_again_as_it_would_be_sent_now() {
    // The AP repeats the window of the last native ACK, so that the server sends beyond the edge that the TCP has offered.
    let mut pair = Pair::flowing(buffer(16));
    for n in 1..4 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    pair.ack_with(4, |tcp| tcp.window = 0);
    pair.natives();
    let beyond = pair.data(4);
    pair.exchange(&beyond);
    // The server probes, with newer timestamps; the TCP takes those, since it begins where it waits.
    pair.ack_with(4, |tcp| tcp.window = WINDOW);
    let probe = pair.segment_with(|tcp| tcp.options.timestamps = Some((3_000, 5)), 4, 1);
    pair.exchange(&probe);
    pair.pass_time(Duration::from_millis(200));
    let stamps: Vec<_> = pair.handed_headers().iter().map(|tcp| tcp.options.timestamps).collect();
    assert!(stamps.ends_with(&[Some((3_000, 5))]), "{stamps:?}");
}

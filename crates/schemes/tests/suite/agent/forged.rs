//! What somebody beside the server may put on the wire, and what neither half believes.

use ackless_dot11::hooks::{Admission, Verdict};
use ackless_wire::tcp::{Checksum, Omitted};
use ackless_wire::{Duration, TcpFlags, TcpHeader};

use super::pair::{AP, Pair, SEGMENT, STATION, buffer, flag};

/// Segments 1 and 2 are kept, and the TCP is silent.
fn owed() -> Pair {
    let mut pair = Pair::flowing(buffer(8));
    for n in 1..3 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    assert_eq!(pair.held(0), 2);
    pair
}

/// A segment from the wire goes up, and what was kept goes up again.
fn repairs_after(pair: &mut Pair, n: u32, len: u32, change: impl FnOnce(&mut TcpHeader)) -> Vec<TcpHeader> {
    let other = pair.segment_with(change, n, len);
    pair.exchange(&other);
    pair.pass_time(Duration::from_millis(200));
    let repairs = pair.handed_headers();
    assert!(!repairs.is_empty());
    repairs
}

#[test]
fn timestamps_of_a_segment_that_the_tcp_refuses_never_come_back_in_a_repair() {
    const FUTURE: u32 = 1 << 30;
    let stamps = |tcp: &TcpHeader| tcp.options.timestamps;
    // Left of the window, right of it, with an ACK of what the client never sent, with one from long ago, and a RST.
    for (n, len) in [(0, SEGMENT), (5_000, SEGMENT), (5_000, 0)] {
        let repairs = repairs_after(&mut owed(), n, len, |tcp| tcp.options.timestamps = Some((FUTURE, 7)));
        assert_eq!(repairs.iter().map(stamps).collect::<Vec<_>>(), [Some((1_002, 0)); 2], "segment {n}, {len} bytes");
    }
    for ack in [7_002, 1 << 20, 7_000, 0] {
        let forged = |tcp: &mut TcpHeader| (tcp.options.timestamps, tcp.ack.0) = (Some((FUTURE, 7)), ack);
        for (n, len) in [(1, SEGMENT), (3, SEGMENT), (3, 0)] {
            let repairs = repairs_after(&mut owed(), n, len, forged);
            assert!(repairs.iter().all(|tcp| tcp.options.timestamps < Some((2_000, 0))), "ACK {ack}: {repairs:?}");
        }
    }
    let reset = |tcp: &mut TcpHeader| (tcp.options.timestamps, tcp.flags) = (Some((FUTURE, 7)), TcpFlags::RST);
    let repairs = repairs_after(&mut owed(), 3, 0, reset);
    assert_eq!(repairs.iter().map(stamps).collect::<Vec<_>>(), [Some((1_002, 0)); 2]);
}

#[test]
fn a_copy_that_the_tcp_refuses_takes_no_place_and_one_kept_is_not_made_acceptable() {
    let mut pair = owed();
    let forged = |tcp: &mut TcpHeader| (tcp.options.timestamps, tcp.ack.0) = (Some((1_500, 7)), 9_000_000);
    let [copy, fresh] = [1, 3].map(|n| pair.segment_with(forged, n, SEGMENT));
    pair.exchange(&copy);
    pair.exchange(&fresh);
    pair.pass_time(Duration::from_millis(200));
    let repairs = pair.handed_headers();
    assert!(repairs.iter().all(|tcp| tcp.ack.0 == 7_001), "{repairs:?}");
    // The AP has spoken for the third, which comes first from a forger: it goes up as it came until the server's own copy comes.
    pair.ack(3);
    pair.pass_time(Duration::from_millis(200));
    assert!(pair.handed_headers().iter().all(|tcp| tcp.ack.0 == 9_000_000));
    let own = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_501, 7)), 3, SEGMENT);
    pair.exchange(&own);
    pair.pass_time(Duration::from_secs(1));
    let repairs = pair.handed_headers();
    assert!(!repairs.is_empty() && repairs.iter().all(|tcp| tcp.ack.0 == 7_001), "{repairs:?}");
}

#[test]
fn a_full_buffer_takes_no_frame_after_another_from_a_forger_and_still_what_the_tcp_lacks() {
    let forged = |tcp: &mut TcpHeader| tcp.ack.0 = 9_000_000;
    for begins_earlier in [0, 1] {
        let mut pair = Pair::flowing(buffer(1));
        let mut refused = 0;
        for n in 0..50 {
            // Each copy of segment 1 reaches further, and each begins where the first does, or a
            // byte earlier than the last.
            let copy = pair.segment_with(
                |tcp| {
                    forged(tcp);
                    tcp.seq = tcp.seq - n * begins_earlier;
                },
                1,
                SEGMENT + n * (1 + begins_earlier),
            );
            match pair.arrive(&[copy])[..] {
                [Admission::Accept] => {
                    pair.answer(&[copy]);
                }
                _ => {
                    refused += 1;
                    pair.give_up(&copy);
                }
            }
            assert!(pair.held(0) <= 1, "{} frames are kept after {n} copies", pair.held(0));
        }
        assert_eq!(refused > 0, begins_earlier > 0, "one that reaches further takes the place of a copy");
        let own = pair.data(1);
        assert_eq!(pair.arrive(&[own]), [Admission::Accept], "refused, it would lock both");
        pair.answer(&[own]);
        assert!(pair.held(0) <= 2, "{} frames are kept", pair.held(0));
    }
}

#[test]
fn a_repair_bears_the_newest_acknowledgment_number_and_window_of_its_flow() {
    for stamped in [true, false] {
        let mut pair = owed();
        // The client uploads meanwhile: by now its TCP finds the ACK number of segment 1 older than any window (RFC 5961, 5.2).
        for n in 0..80 {
            pair.hand_down(|tcp| (tcp.seq, tcp.ack) = (tcp.seq + n * SEGMENT, tcp.ack + SEGMENT), SEGMENT);
        }
        pair.natives();
        let news = |tcp: &mut TcpHeader| {
            (tcp.ack, tcp.window) = (tcp.ack + 80 * SEGMENT, 77);
            tcp.options.timestamps = stamped.then_some((1_010, 5));
        };
        let repairs = repairs_after(&mut pair, 3, 0, news);
        let said = repairs.iter().map(|tcp| (tcp.ack.0, tcp.window, tcp.options.timestamps)).collect::<Vec<_>>();
        let stamps = if stamped { [Some((1_010, 5)); 2] } else { [Some((1_002, 0)); 2] };
        assert_eq!(said, stamps.map(|stamp| (7_001 + 80 * SEGMENT, 77, stamp)));
    }
}

#[test]
fn a_syn_or_rst_that_the_clients_tcp_questions_ends_nothing_in_either_half() {
    for config in [buffer(8), flag()] {
        for flags in [TcpFlags::SYN, TcpFlags::RST, TcpFlags::RST | TcpFlags::ACK] {
            let mut pair = Pair::flowing(config);
            let known = |pair: &Pair| (pair.counters(AP).resets, pair.counters(STATION).native_unknown);
            let before = known(&pair);
            let forged = pair.segment_with(|tcp| tcp.flags = flags, 20, 0);
            pair.exchange(&forged);
            // Its TCP challenges it, as the RFC wants (5961, 3.2 and 4.2); that ACK goes natively.
            pair.ack(1);
            pair.natives();
            pair.wire();
            for n in 1..5 {
                let data = pair.data(n);
                pair.arrive(&[data]);
                assert_eq!(pair.ack(n + 1) == Verdict::Swallow, config == buffer(8), "{flags:?}");
                pair.answer(&[data]);
                assert_eq!((pair.wire(), pair.queued()), (vec![n + 1], 0), "{flags:?}: no ACK needs to be native");
            }
            assert_eq!(known(&pair), before);
        }
    }
}

#[test]
fn a_connection_that_the_server_opens_on_the_same_ports_begins_anew_in_both_halves_with_the_clients_answer() {
    for config in [buffer(8), flag()] {
        let mut pair = Pair::flowing(config);
        let open = |tcp: &mut TcpHeader| (tcp.flags, tcp.seq) = (TcpFlags::SYN, tcp.seq - 1);
        let call = pair.segment_with(open, 10, 0);
        pair.exchange(&call);
        let answer = |tcp: &mut TcpHeader| {
            (tcp.flags, tcp.seq.0, tcp.ack) = (TcpFlags::SYN | TcpFlags::ACK, 90_000, tcp.ack + 10 * SEGMENT);
        };
        pair.hand_down(answer, 0);
        pair.natives();
        pair.wire();
        let transfer = |pair: &mut Pair, n| {
            let change = |tcp: &mut TcpHeader| tcp.ack.0 = 90_001;
            let data = pair.segment_with(change, n, SEGMENT);
            pair.arrive(&[data]);
            let verdict = pair.ack_with(n + 1, |tcp| tcp.seq.0 = 90_001);
            pair.answer(&[data]);
            pair.natives();
            (verdict, pair.wire().contains(&(n + 1)))
        };
        assert_eq!(transfer(&mut pair, 10), (Verdict::Pass, true), "the AP has no native ACK of this connection yet");
        assert!(transfer(&mut pair, 11).1);
        assert_eq!(pair.held(0), 0);
    }
}

#[test]
fn one_segment_with_what_is_not_known_here_and_the_connection_is_left_alone() {
    for config in [buffer(8), flag()] {
        for by_client in [true, false] {
            let mut pair = Pair::flowing(config);
            let mptcp = |tcp: &mut TcpHeader| tcp.omitted = Omitted::OPTIONS;
            if by_client {
                pair.ack_with(1, mptcp);
                pair.natives();
            } else {
                let data = pair.segment_with(mptcp, 1, 0);
                pair.exchange(&data);
            }
            pair.wire();
            for n in 1..4 {
                let data = pair.data(n);
                pair.exchange(&data);
                assert_eq!(
                    (pair.wire(), pair.held(0)),
                    (vec![], 0),
                    "{config:?}, {by_client}, {n}: nothing is said or kept"
                );
                assert_eq!(pair.ack(n + 1), Verdict::Pass);
                pair.natives();
                assert_eq!(pair.wire(), [n + 1]);
            }
            pair.connect();
            let data = pair.data(0);
            pair.exchange(&data);
            let said = pair.wire();
            assert_eq!(
                said.is_empty(),
                config == flag(),
                "another connection on the same ports is another one: {said:?}"
            );
        }
    }
}

#[test]
fn what_is_owed_on_a_connection_that_is_left_alone_is_kept_and_let_go_by_any_ack_of_its_tcp() {
    let mut pair = owed();
    let mptcp = |tcp: &mut TcpHeader| tcp.omitted = Omitted::OPTIONS;
    let data = pair.segment_with(mptcp, 3, SEGMENT);
    pair.exchange(&data);
    pair.pass_time(Duration::from_millis(200));
    assert_eq!((pair.handed_up(), pair.held(0)), (vec![1, 2], 2));
    pair.ack_with(2, mptcp);
    assert_eq!(pair.held(0), 1);
}

#[test]
fn one_timestamp_from_the_future_makes_no_later_data_late() {
    // Above a hole, and with ACKs of what the client never sent, in order too.
    for (n, ack) in [(9, 7_001), (9, 9_000_000), (1, 9_000_000), (1, 7_000_u32.wrapping_sub(1 << 30))] {
        let mut pair = Pair::flowing(buffer(8));
        let forged =
            pair.segment_with(|tcp| (tcp.options.timestamps, tcp.ack.0) = (Some((1 << 30, 7)), ack), n, SEGMENT);
        pair.exchange(&forged);
        pair.ack(1);
        pair.natives();
        pair.wire();
        for n in 1..6 {
            let data = pair.data(n);
            pair.exchange(&data);
            assert_eq!(pair.ack(n + 1), Verdict::Swallow, "segment {n}, ACK {ack}");
        }
        assert_eq!((pair.counters(AP).late, pair.wire().last()), (0, Some(&6)), "ACK {ack}");
    }
}

#[test]
fn a_longer_copy_with_an_unacceptable_ack_is_kept_beside_the_one_that_it_extends() {
    let mut pair = owed();
    let longer = pair.segment_with(|tcp| tcp.ack.0 = 9_000_000, 2, SEGMENT + SEGMENT / 2);
    pair.exchange(&longer);
    assert_eq!(pair.held(0), 3);
    pair.ack(3);
    assert_eq!(pair.held(0), 1, "half a segment is owed");
    let own = pair.data(3);
    pair.exchange(&own);
    pair.ack(4);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn a_reset_that_the_tcp_does_not_believe_leaves_what_is_owed() {
    // Its checksum is wrong, or its number is one that the TCP has passed, by what went up since its last ACK.
    for checksum in [Checksum::Wrong(1), Checksum::Correct] {
        let mut pair = owed();
        let reset = |tcp: &mut TcpHeader| (tcp.flags, tcp.checksum) = (TcpFlags::RST, checksum);
        let forged = pair.segment_with(reset, 1, 0);
        pair.exchange(&forged);
        assert_eq!(pair.held(0), 2, "{checksum:?}");
        assert_eq!(pair.ack(3), Verdict::Swallow, "{checksum:?}");
    }
    // What the TCP has acknowledged all of waits for nothing else.
    for (checksum, verdict) in [(Checksum::Wrong(1), Verdict::Swallow), (Checksum::Correct, Verdict::Pass)] {
        let mut pair = owed();
        pair.ack(3);
        let reset = |tcp: &mut TcpHeader| (tcp.flags, tcp.checksum) = (TcpFlags::RST, checksum);
        let reset = pair.segment_with(reset, 3, 0);
        pair.exchange(&reset);
        let data = pair.data(3);
        pair.exchange(&data);
        assert_eq!(pair.ack(4), verdict, "{checksum:?}");
    }
}

//! Which ACKs a station keeps off the air.

use ackless_dot11::hooks::Verdict;
use ackless_wire::{Duration, TcpFlags, TcpHeader};

use super::pair::{Pair, SEGMENT, STATION, WINDOW, buffer, sack};

/// A flow whose next segment has come; the ACK of it is handed down with this change.
fn next_ack(pair: &mut Pair, n: u32, change: impl FnOnce(&mut TcpHeader)) -> Verdict {
    let data = pair.data(n);
    pair.exchange(&data);
    pair.ack_with(n + 1, change)
}

#[test]
fn acks_are_swallowed_once_the_ap_is_known_to_have_one() {
    let mut pair = Pair::new(buffer(8));
    pair.hand_down(|tcp| tcp.flags = TcpFlags::SYN, 0);
    pair.natives();
    assert_eq!(pair.ack(0), Verdict::Pass);
    // The handshake's ACK is still queued.
    assert_eq!(next_ack(&mut pair, 0, |_| ()), Verdict::Pass);
    assert_eq!(pair.counters(STATION).native_unknown, 2);
    pair.natives();
    assert_eq!(next_ack(&mut pair, 1, |_| ()), Verdict::Swallow);
    assert_eq!((pair.counters(STATION).swallowed, pair.held(0)), (1, 0));
}

#[test]
fn an_ack_goes_natively_each_second_so_that_timestamps_stay_young() {
    let mut pair = Pair::flowing(buffer(8));
    let mut native = 0;
    for n in 1..=50 {
        pair.pass_time(Duration::from_millis(100));
        native += u32::from(next_ack(&mut pair, n, |_| ()) == Verdict::Pass);
        pair.natives();
    }
    assert_eq!((native, pair.counters(STATION).refreshed), (5, 5));
    let wire = pair.wire_headers();
    assert_eq!(wire.len(), 50, "the native ones say nothing new");
    let stamps: Vec<_> = wire.iter().filter_map(|tcp| tcp.options.timestamps).map(|(value, _)| value).collect();
    assert!(stamps.is_sorted() && stamps[49] - stamps[0] == 4_000, "{stamps:?}");
}

#[test]
fn an_ap_that_was_not_heard_of_for_long_is_told_natively() {
    let mut pair = Pair::flowing(buffer(8));
    pair.pass_time(Duration::from_secs(4));
    assert_eq!(next_ack(&mut pair, 1, |_| ()), Verdict::Pass);
    assert_eq!(next_ack(&mut pair, 2, |_| ()), Verdict::Pass);
    assert_eq!(pair.counters(STATION).native_unknown, 3, "one of them opened the connection");
    pair.natives();
    assert_eq!(next_ack(&mut pair, 3, |_| ()), Verdict::Swallow);
}

#[test]
fn a_smaller_window_and_one_that_has_grown_much_go_natively() {
    let mut pair = Pair::flowing(buffer(8));
    let window = |pair: &mut Pair, n, window| {
        let verdict = next_ack(pair, n, |tcp| tcp.window = window);
        pair.natives();
        verdict
    };
    assert_eq!(window(&mut pair, 1, WINDOW + WINDOW / 8), Verdict::Swallow);
    assert_eq!(window(&mut pair, 2, WINDOW + WINDOW / 8 + 1), Verdict::Pass, "an eighth of 500 is 62.5");
    assert_eq!(window(&mut pair, 3, WINDOW + WINDOW / 8), Verdict::Pass);
    assert_eq!(window(&mut pair, 4, 200), Verdict::Pass);
    assert_eq!(window(&mut pair, 5, 200), Verdict::Swallow);
    // Below half of the widest, 563, a sender may wait for any growth.
    assert_eq!(window(&mut pair, 6, 201), Verdict::Pass);
    assert_eq!(window(&mut pair, 7, 0), Verdict::Pass);
    assert_eq!(window(&mut pair, 8, 0), Verdict::Swallow);
    assert_eq!(window(&mut pair, 9, 1), Verdict::Pass);
    assert_eq!(pair.counters(STATION).native_window, 6);
}

#[test]
fn a_window_update_goes_natively_and_on() {
    let mut pair = Pair::flowing(buffer(8));
    assert_eq!(next_ack(&mut pair, 1, |tcp| tcp.window = 0), Verdict::Pass);
    pair.natives();
    pair.wire();
    assert_eq!(pair.ack_with(2, |tcp| tcp.window = WINDOW), Verdict::Pass);
    pair.natives();
    let wire = pair.wire_headers();
    assert_eq!((wire.len(), wire[0].window), (1, WINDOW));
}

#[test]
fn what_an_agent_never_says_goes_natively() {
    let mut pair = Pair::flowing(buffer(8));
    let blocks = sack(&pair, &[(9, 10)]);
    assert_eq!(next_ack(&mut pair, 1, |tcp| tcp.options.sack = blocks), Verdict::Pass);
    for (n, flag) in (2..).zip([TcpFlags::ECE, TcpFlags::CWR, TcpFlags::FIN, TcpFlags::PSH, TcpFlags::URG]) {
        assert_eq!(next_ack(&mut pair, n, |tcp| tcp.flags |= flag), Verdict::Pass, "{flag:?}");
    }
    let data = pair.data(7);
    pair.exchange(&data);
    let piggybacked = pair.hand_down(|tcp| tcp.ack += 8 * SEGMENT, 100);
    assert_eq!((piggybacked, pair.counters(STATION).native_other), (Verdict::Pass, 7));
    assert_eq!(pair.held(0), 0, "they acknowledge all the same");
}

#[test]
fn acks_of_an_upload_and_of_other_peers_are_no_business_of_the_agents() {
    // The AP's own packets to the station: ACKs of an upload.
    let mut pair = Pair::connected(buffer(8));
    pair.hand_down(|_| (), 1_000);
    pair.natives();
    let ack = pair.segment_with(|tcp| tcp.ack += 1_000, 0, 0);
    pair.exchange(&ack);
    assert_eq!((pair.wire().len(), pair.held(0)), (1, 0));
}

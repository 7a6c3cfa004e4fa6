//! The AP that acknowledges no more than the station's TCP has offered room for.

use ackless_dot11::hooks::Verdict;
use ackless_schemes::agent::{AgentConfig, Room};
use ackless_wire::TcpFlags;

use super::pair::{AP, Pair, SEGMENT, STATION, WINDOW, buffer, flag};

/// A flow whose TCP has offered 64,000 bytes: the first 64 segments, of which one has come.
fn flowing() -> Pair {
    Pair::flowing(AgentConfig { room: Room::Promise, ..buffer(128) })
}

#[test]
fn nothing_is_acknowledged_beyond_the_offered_window_and_each_ack_tells_what_is_left_of_it() {
    let mut pair = flowing();
    for n in 1..80 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    let wire = pair.wire_headers();
    assert_eq!((wire.len(), pair.counters(AP).edge_minded), (63, 16));
    for (n, tcp) in (1..).zip(&wire) {
        // In units of 128 bytes, rounded down.
        assert_eq!((pair.segment_at(tcp.ack), u32::from(tcp.window)), (n + 1, (64_000 - (n + 1) * SEGMENT) / 128));
    }
    // What the TCP acknowledges beyond goes natively, and moves the edge.
    assert_eq!(pair.ack(66), Verdict::Pass);
    pair.natives();
    let wire = pair.wire_headers();
    // All 80 are there, and fit by now: one ACK says so, with what is left of the new window.
    assert_eq!(
        (wire.len(), pair.segment_at(wire[0].ack), u32::from(wire[0].window)),
        (1, 80, (64_000 - 14 * SEGMENT) / 128)
    );
    assert_eq!(pair.ack(80), Verdict::Swallow);
    assert_eq!(pair.held(0), 0);
}

#[test]
fn an_ack_goes_natively_whenever_the_edge_has_moved_on_by_a_quarter_of_the_window() {
    let mut pair = flowing();
    let mut native = Vec::new();
    for n in 1..100 {
        let data = pair.data(n);
        pair.exchange(&data);
        if pair.ack(n + 1) == Verdict::Pass {
            native.push(n);
            pair.natives();
        }
    }
    // A quarter is 16,000 bytes.
    assert_eq!(native, [15, 31, 47, 63, 79, 95]);
    assert_eq!(pair.counters(STATION).native_window, 6);
    let wire = pair.wire_headers();
    assert!(wire.iter().all(|tcp| u32::from(tcp.window) * 128 > 46_000), "the sender is never short of it: {wire:?}");
}

#[test]
fn a_reader_that_is_slow_is_told_of_when_it_has_read_a_quarter() {
    let mut pair = flowing();
    // It takes all and reads nothing: the window shrinks, its edge stays, and nobody need hear of that.
    for n in 1..64 {
        let data = pair.data(n);
        pair.exchange(&data);
        let left = WINDOW - ((n + 1) * SEGMENT).div_ceil(128) as u16;
        assert_eq!(pair.ack_with(n + 1, |tcp| tcp.window = left), Verdict::Swallow, "segment {n}");
    }
    let last = pair.wire_headers().pop().expect("the AP has said something");
    assert_eq!((pair.segment_at(last.ack), last.window), (64, 0), "the server stops");
    // It reads: the TCP tells each time, and the MAC lets through what is worth an access.
    assert_eq!(pair.ack_with(64, |tcp| tcp.window = 60), Verdict::Swallow);
    assert_eq!(pair.ack_with(64, |tcp| tcp.window = 124), Verdict::Swallow);
    assert_eq!(pair.ack_with(64, |tcp| tcp.window = 125), Verdict::Pass);
    pair.natives();
    let wire = pair.wire_headers();
    assert_eq!((wire.len(), wire[0].window), (1, 125));
    // The same again answers a probe, and goes natively.
    assert_eq!(pair.ack_with(64, |tcp| tcp.window = 125), Verdict::Pass);
}

#[test]
fn where_no_syn_was_seen_nothing_is_known_of_an_edge() {
    let mut pair = flowing();
    pair.forget();
    let copy = pair.segment_with(|tcp| tcp.options.timestamps = Some((1_001, 0)), 0, SEGMENT);
    pair.exchange(&copy);
    pair.ack(1);
    pair.natives();
    pair.wire();
    for n in 1..80 {
        let data = pair.data(n);
        pair.exchange(&data);
    }
    let wire = pair.wire_headers();
    assert!(wire.len() == 79 && wire.iter().all(|tcp| tcp.window == WINDOW), "as without it");
}

#[test]
fn a_station_that_has_forgotten_the_flow_swallows_nothing_while_the_ap_minds_the_edge() {
    let mut pair = flowing();
    pair.depart();
    for n in 1..130 {
        let data = pair.data(n);
        pair.exchange(&data);
        assert_eq!(pair.ack(n + 1), Verdict::Pass, "segment {n}");
        pair.natives();
    }
    let wire = pair.wire_headers();
    assert!(wire.iter().all(|tcp| u32::from(tcp.window) * 128 > 46_000), "the sender is never short of it");
}

#[test]
fn a_syn_once_more_takes_nothing_from_what_the_station_knows() {
    let mut pair = Pair::connected(AgentConfig { room: Room::Promise, ..buffer(128) });
    let syn = |tcp: &mut ackless_wire::TcpHeader| {
        (tcp.flags, tcp.seq, tcp.options.window_scale) = (TcpFlags::SYN, tcp.seq - 1, Some(7));
    };
    pair.hand_down(syn, 0);
    pair.natives();
    pair.ack(0);
    pair.natives();
    for n in 0..2 {
        let data = pair.data(n);
        pair.exchange(&data);
        assert_eq!(pair.ack(n + 1), Verdict::Swallow);
        pair.natives();
    }
}

#[test]
fn the_flag_minds_no_edge() {
    let mut pair = Pair::flowing(AgentConfig { room: Room::Promise, ..flag() });
    let mut bare = Pair::flowing(flag());
    for n in 1..100 {
        let said = [&mut pair, &mut bare].map(|pair| {
            let data = pair.data(n);
            pair.arrive(&[data]);
            let window = if n < 50 { WINDOW } else { WINDOW + 1 };
            pair.ack_with(n + 1, |tcp| tcp.window = window);
            (pair.answer(&[data]), pair.wire_headers())
        });
        assert_eq!(said[0], said[1], "segment {n}");
    }
}

//! What goes natively: the paper's four exceptions, and what the proxy could not say.

use ackless_schemes::arq_proxy::{ArqProxyConfig, ArqProxyCounters};
use ackless_wire::tcp::{Omitted, SackBlocks};
use ackless_wire::{Duration, Payload, SeqNumber, TcpFlags, TcpHeader};

use super::pair::{AP, Air, Pair, SEGMENT, STATION};

fn pair() -> Pair {
    Pair::new(ArqProxyConfig::default()).open()
}

/// An ACK of segment 1 with this change is not asked for, and counted as this.
fn is_native(mut pair: Pair, change: impl FnOnce(&mut TcpHeader, &mut Payload), counter: fn(&ArqProxyCounters) -> u64) {
    let frame = pair.data(&[1]);
    pair.arrive(&frame);
    let before = counter(pair.counters(STATION));
    pair.ack_with(0, 2, change);
    assert_eq!(pair.answer(&frame, Air::Clear), None);
    assert_eq!((counter(pair.counters(STATION)) - before, pair.queued()), (1, 1));
    assert_eq!(pair.natives(1, Air::Clear).mpdus.len(), 1);
    assert_eq!((pair.wire().len(), pair.held()), (1, 0));
}

#[test]
fn the_first_ack_of_a_connection_is_native() {
    is_native(Pair::new(ArqProxyConfig::default()), |_, _| (), |counters| counters.native_first_of_flow);
}

#[test]
fn an_ack_is_native_until_one_is_known_to_have_arrived() {
    let mut pair = Pair::new(ArqProxyConfig::default());
    let frames = pair.data(&[0, 1]);
    pair.arrive(&frames);
    pair.ack(1);
    let native = pair.launch_natives(1);
    pair.ack(2);
    assert_eq!(pair.answer(&frames, Air::Clear), None);
    assert_eq!(pair.counters(STATION).native_first_of_flow, 2);
    pair.land(&native);
    pair.deliver(&native);
    pair.natives(1, Air::Clear);
    let next = pair.data(&[2]);
    pair.arrive(&next);
    pair.ack(3);
    assert!(pair.answer(&next, Air::Clear).is_some());
}

#[test]
fn after_a_long_silence_the_first_ack_is_native_again() {
    let mut pair = pair();
    pair.pass_time(Duration::from_secs(31));
    is_native(pair, |_, _| (), |counters| counters.native_first_of_flow);
}

#[test]
fn acks_of_fin_and_on_fin_are_native() {
    is_native(pair(), |tcp, _| tcp.flags |= TcpFlags::FIN, |counters| counters.native_closing);
    // The server closes with its last data: the ACK covers the FIN.
    let mut pair = pair();
    let frame = pair.segments(0, &[1], TcpFlags::ACK | TcpFlags::FIN);
    pair.arrive(&frame);
    pair.ack_with(0, 2, |tcp, _| tcp.ack += 1);
    assert_eq!(pair.answer(&frame, Air::Clear), None);
    assert_eq!(pair.counters(STATION).native_closing, 1);
    assert_eq!(pair.counters(AP).templates, 1, "none was made of it: there is only that of segment 0");
}

#[test]
fn a_new_connection_on_the_same_ports_begins_anew_on_both_sides() {
    let mut pair = pair();
    let frame = pair.data(&[1]);
    pair.arrive(&frame);
    pair.ack(2);
    let tag = pair.answer(&frame, Air::AnswerLost);
    pair.ack_with(0, 0, |tcp, _| tcp.flags = TcpFlags::SYN);
    assert_eq!(pair.held(), 1, "the old connection's ACK is gone, its data is on the air");
    pair.natives(1, Air::Clear);
    pair.wire();
    pair.ask_for(tag);
    assert_eq!((pair.wire(), pair.counters(AP).requests_unknown), (vec![], 1));
    let syn_ack = pair.segments(0, &[0], TcpFlags::SYN | TcpFlags::ACK);
    pair.exchange(&syn_ack, Air::Clear);
    let data = pair.data(&[0]);
    pair.arrive(&data);
    pair.ack(1);
    assert_eq!(pair.answer(&data, Air::Clear), None);
    assert_eq!(pair.counters(STATION).native_first_of_flow, 2, "one of each connection");
    pair.give_up(&frame);
}

#[test]
fn an_ack_on_data_is_native() {
    is_native(pair(), |_, payload| *payload = Payload::Length(100), |counters| counters.native_piggybacked);
}

#[test]
fn a_duplicate_ack_is_native() {
    let mut pair = pair();
    let frame = pair.data(&[2]);
    pair.arrive(&frame);
    pair.ack(1);
    assert_eq!(pair.answer(&frame, Air::Clear), None);
    assert_eq!(pair.counters(STATION).native_duplicate, 1);
    pair.natives(1, Air::Clear);
    assert_eq!(pair.acknowledged(), [1]);
    // What fills the hole is acknowledged with all behind it, by the key of the last packet.
    let hole = pair.data(&[1]);
    pair.arrive(&hole);
    pair.ack(3);
    assert_eq!(pair.answer(&hole, Air::Clear).map(|tag| tag.get()), Some(frame.mpdus[0].seq.get() + 1));
    assert_eq!(pair.acknowledged(), [3]);
}

#[test]
fn an_ack_with_sack_blocks_is_native() {
    let block = (SeqNumber(5 * SEGMENT), SeqNumber(6 * SEGMENT));
    is_native(pair(), |tcp, _| tcp.options.sack = SackBlocks::from_slice(&[block]), |counters| counters.native_sack);
}

#[test]
fn an_ack_with_another_flag_is_native() {
    is_native(pair(), |tcp, _| tcp.flags |= TcpFlags::ECE, |counters| counters.native_flags);
    is_native(pair(), |tcp, _| tcp.flags |= TcpFlags::CWR, |counters| counters.native_flags);
}

#[test]
fn an_exhausted_or_smaller_window_is_announced_natively_and_so_is_one_larger_by_a_quarter() {
    for window in [0, 1, 999, 1250, 65_535] {
        is_native(pair(), |tcp, _| tcp.window = window, |counters| counters.native_window);
    }
    for window in [1000, 1249] {
        let mut pair = pair();
        let frame = pair.data(&[1]);
        pair.arrive(&frame);
        pair.window = window;
        pair.ack(2);
        assert!(pair.answer(&frame, Air::Clear).is_some());
        let wire = pair.wire();
        assert_eq!(wire[0].tcp().map(|tcp| tcp.window), Some(1000), "the last one that the proxy has heard");
    }
}

#[test]
fn a_window_is_known_when_the_native_ack_with_it_has_arrived() {
    let mut pair = pair();
    pair.window = 4000;
    let frames = pair.data(&[1, 2, 3]);
    pair.arrive(&frames);
    pair.ack(2);
    pair.ack(3);
    assert_eq!(pair.counters(STATION).native_window, 2, "both say so, since the first may not arrive");
    assert_eq!(pair.answer(&frames, Air::Clear), None);
    pair.natives(2, Air::Clear);
    pair.ack(4);
    let next = pair.data(&[4]);
    assert!(pair.exchange(&next, Air::Clear).is_some());
    assert_eq!(pair.wire().last().and_then(|packet| packet.tcp()).map(|tcp| tcp.window), Some(4000));
}

#[test]
fn an_ack_that_ends_no_packet_that_came_is_native() {
    is_native(pair(), |tcp, _| tcp.ack = tcp.ack - 1, |counters| counters.native_unmapped);
}

#[test]
fn an_ack_that_echoes_a_later_segment_than_the_one_it_ends_is_native() {
    // What was sent again filled a hole: with the older echo of the last segment behind it the sender would take its timeout for a mistake.
    let mut pair = pair();
    let frames = pair.data(&[2, 3]);
    pair.arrive(&frames);
    let hole = pair.segments(0, &[1], TcpFlags::ACK);
    pair.arrive(&hole);
    pair.ack_with(0, 4, |tcp, _| tcp.options.timestamps = tcp.options.timestamps.map(|(value, _)| (value, 5900)));
    assert_eq!(pair.answer(&hole, Air::Clear), None);
    assert_eq!(pair.counters(STATION).native_echo, 1);
    // One that echoes the first segment of those that it acknowledges, or the last, is not.
    for (segment, echo) in [(4, 5004), (6, 5005)] {
        let frames = pair.data(&[segment, segment + 1]);
        pair.arrive(&frames);
        let change = |tcp: &mut TcpHeader, _: &mut Payload| {
            tcp.options.timestamps = tcp.options.timestamps.map(|(value, _)| (value, echo));
        };
        pair.ack_with(0, segment + 2, change);
        assert!(pair.answer(&frames, Air::Clear).is_some());
    }
}

#[test]
fn an_older_native_ack_that_arrives_late_says_nothing_new_about_the_window() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.arrive(&first);
    pair.ack(2);
    assert!(pair.answer(&first, Air::AnswerLost).is_some());
    let next = pair.data(&[2]);
    pair.arrive(&next);
    pair.window = 4000;
    pair.ack(3);
    // The guard timer queues the withdrawn ACK behind the newer one.
    pair.pass_time(Duration::from_millis(100));
    assert_eq!((pair.queued(), pair.counters(STATION).rescued), (2, 1));
    pair.natives(2, Air::Clear);
    // The proxy knows of 4000, so that less is announced natively.
    pair.window = 1100;
    let last = pair.data(&[3]);
    pair.arrive(&last);
    pair.ack(4);
    assert_eq!(pair.answer(&last, Air::Clear), None);
    pair.natives(1, Air::Clear);
    let windows = pair.wire().into_iter().filter_map(|packet| packet.tcp().map(|tcp| tcp.window));
    assert_eq!(windows.last(), Some(1100));
}

#[test]
fn a_syn_ack_that_never_came_again_leaves_the_connection_as_it_was() {
    let mut pair = pair();
    let again = pair.segments(0, &[0], TcpFlags::SYN | TcpFlags::ACK);
    pair.give_up(&again);
    let frame = pair.data(&[1]);
    pair.arrive(&frame);
    pair.ack(2);
    assert!(pair.answer(&frame, Air::Clear).is_some());
    assert_eq!((pair.acknowledged(), pair.counters(AP).requests_early), (vec![2], 0));
}

#[test]
fn one_connection_more_than_are_remembered_is_acknowledged_natively_until_others_are_silent() {
    let mut pair = pair();
    for flow in 1..=512 {
        let frame = pair.segments(flow, &[0], TcpFlags::ACK);
        pair.exchange(&frame, Air::Clear);
    }
    let first_of_flow = pair.counters(STATION).native_first_of_flow;
    pair.ack_with(512, 1, |_, _| ());
    assert_eq!((pair.counters(STATION).native_first_of_flow, pair.queued()), (first_of_flow, 1), "it is not known");
    pair.pass_time(Duration::from_secs(31));
    let frame = pair.segments(512, &[0], TcpFlags::ACK);
    pair.exchange(&frame, Air::Clear);
    pair.ack_with(512, 1, |_, _| ());
    assert_eq!(pair.counters(STATION).native_first_of_flow, first_of_flow + 1);
}

#[test]
fn one_segment_with_what_is_not_known_here_and_nothing_of_the_connection_is_asked_for() {
    for by_client in [true, false] {
        let mut pair = pair();
        if by_client {
            pair.ack_with(0, 1, |tcp, _| tcp.omitted = Omitted::OPTIONS);
            pair.natives(1, Air::Clear);
        } else {
            let frame = pair.segments_with(0, &[1], |tcp| tcp.omitted = Omitted::OPTIONS);
            pair.arrive(&frame);
            pair.answer(&frame, Air::Clear);
        }
        pair.wire();
        is_native(pair, |_, _| (), |counters| counters.native_piggybacked);
    }
}

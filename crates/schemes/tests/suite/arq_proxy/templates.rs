//! What the proxy keeps, for how long, and what it puts in a released ACK.

use ackless_dot11::frame::Tag;
use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_wire::{Duration, Payload, SeqNumber, TcpFlags};

use super::pair::{AP, Air, Pair, STATION, STATION_SEQ, tcp};

fn pair() -> Pair {
    Pair::new(ArqProxyConfig::default()).open()
}

#[test]
fn a_released_ack_stands_between_the_clients_own() {
    for ipv6 in [false, true] {
        let new = Pair::new(ArqProxyConfig::default());
        let mut pair = if ipv6 { new.over_ipv6() } else { new };
        let first = pair.data(&[0]);
        pair.arrive(&first);
        pair.ack(1);
        pair.answer(&first, Air::Clear);
        pair.natives(1, Air::Clear);
        let native = pair.wire().remove(0);
        let frame = pair.data(&[1]);
        pair.arrive(&frame);
        pair.ack(2);
        pair.answer(&frame, Air::Clear);
        let made = pair.wire().remove(0);
        assert_eq!(made.ip, native.ip);
        assert_eq!((made.ports(), tcp(&made).seq, made.payload.len()), (native.ports(), tcp(&native).seq, 0));
        assert_eq!(tcp(&made).ack, tcp(&native).ack + 1000);
        assert_eq!((tcp(&made).flags, tcp(&made).window), (TcpFlags::ACK, 1000));
        let (value, _) = tcp(&native).options.timestamps.expect("the connection has timestamps");
        assert_eq!(tcp(&made).options.timestamps, Some((value, 5001)), "its own TSval, and segment 1's");
    }
}

#[test]
fn a_client_that_sends_data_too_is_acknowledged_from_where_it_has_come() {
    let mut pair = pair();
    pair.ack_with(0, 1, |_, payload| *payload = Payload::Length(300));
    pair.natives(1, Air::Clear);
    pair.wire();
    let frame = pair.data(&[1]);
    pair.arrive(&frame);
    pair.ack_with(0, 2, |tcp, _| tcp.seq += 300);
    pair.answer(&frame, Air::Clear);
    let made = pair.wire().remove(0);
    assert_eq!(tcp(&made).seq, SeqNumber(STATION_SEQ + 300), "the data packet acknowledges only what came before");
}

#[test]
fn the_papers_template_knows_addresses_ports_and_numbers_and_nothing_else() {
    let mut pair = Pair::new(ArqProxyConfig { stateless: true, ..ArqProxyConfig::default() });
    let frame = pair.data(&[0]);
    pair.arrive(&frame);
    pair.ack(1);
    assert!(pair.answer(&frame, Air::Clear).is_some(), "not even the first ACK is needed");
    let made = pair.wire().remove(0);
    assert_eq!((tcp(&made).window, tcp(&made).options.timestamps), (65_535, None), "the client announced 1000");
    assert_eq!((tcp(&made).seq, made.ports()), (SeqNumber(STATION_SEQ), (20_000, 80)));
    // An exhausted window is the one word about windows that the paper's client says itself.
    pair.window = 1;
    let frame = pair.data(&[1]);
    pair.arrive(&frame);
    pair.ack(2);
    assert!(pair.answer(&frame, Air::Clear).is_some());
    pair.window = 0;
    let frame = pair.data(&[2]);
    pair.arrive(&frame);
    pair.ack(3);
    assert_eq!(pair.answer(&frame, Air::Clear), None);
}

#[test]
fn a_template_is_dropped_at_the_end_of_its_lifetime_and_a_late_request_is_harmless() {
    let mut pair = pair();
    let frame = pair.data(&[1]);
    pair.exchange(&frame, Air::Clear);
    let tag = Tag::new(frame.mpdus[0].seq.get() + 1);
    pair.pass_time(Duration::from_millis(1001));
    pair.ask_for(tag);
    assert_eq!((pair.acknowledged(), pair.counters(AP).requests_late), (vec![], 1));
    let next = pair.data(&[2]);
    // Segment 0's is gone too.
    assert_eq!(pair.counters(AP).templates_expired, 2);
    pair.ask_for(tag);
    assert_eq!((pair.acknowledged(), pair.counters(AP).requests_unknown), (vec![], 1));
    pair.give_up(&next);
}

#[test]
fn the_newest_frame_of_a_number_replaces() {
    let mut pair = pair();
    let first = pair.data(&[1]);
    pair.exchange(&first, Air::Clear);
    pair.skip(4095);
    let second = pair.data(&[2]);
    assert_eq!(second.mpdus[0].seq, first.mpdus[0].seq);
    assert_eq!(pair.counters(AP).templates_replaced, 1);
    pair.arrive(&second);
    pair.ack(3);
    pair.answer(&second, Air::Clear);
    assert_eq!(pair.acknowledged(), [3]);
}

#[test]
fn a_request_that_nobody_can_have_made_is_harmless() {
    let mut pair = pair();
    for tag in [1, 77, 4096, 5000, Tag::MAX] {
        pair.ask_for(Tag::new(tag));
    }
    // Segment 0's template is there, but its ACK has gone up natively.
    assert_eq!(pair.acknowledged(), []);
    let counters = pair.counters(AP);
    assert_eq!((counters.requests_unknown, counters.requests_stale), (4, 1));
}

#[test]
fn a_request_that_overtakes_all_that_the_client_has_said_waits_for_it() {
    let mut pair = Pair::new(ArqProxyConfig::default());
    let frames = pair.data(&[0, 1]);
    pair.arrive(&frames);
    pair.ack(1);
    let native = pair.launch_natives(1);
    // The station hears that its ACK has arrived while it waits in the AP's reorder buffer.
    pair.arrive(&native);
    pair.acknowledge(&native);
    pair.ack(2);
    assert!(pair.answer(&frames, Air::Clear).is_some());
    assert_eq!((pair.acknowledged(), pair.counters(AP).requests_early), (vec![], 1));
    pair.rise(&native);
    assert_eq!((pair.acknowledged(), pair.counters(AP).released_late), (vec![1, 2], 1));
    pair.let_go(&native);
}

#[test]
fn frames_to_an_ap_have_no_template() {
    let mut pair = pair();
    // The station sends data itself.
    pair.ack_with(0, 1, |_, payload| *payload = Payload::Length(300));
    pair.natives(1, Air::Clear);
    assert_eq!(pair.counters(STATION).templates, 0);
}

#[test]
fn a_request_that_waits_is_for_its_own_template_and_no_later_one_of_that_number() {
    let mut pair = Pair::new(ArqProxyConfig::default());
    let frames = pair.data(&[0, 1]);
    pair.arrive(&frames);
    pair.ack(1);
    let native = pair.launch_natives(1);
    pair.arrive(&native);
    pair.acknowledge(&native);
    pair.ack(2);
    assert!(pair.answer(&frames, Air::Clear).is_some());
    pair.skip(4095);
    let lost = pair.data(&[5]);
    assert_eq!((lost.mpdus[0].seq, pair.counters(AP).templates_replaced), (frames.mpdus[1].seq, 1));
    pair.rise(&native);
    assert_eq!(pair.acknowledged(), [1, 2]);
    pair.let_go(&native);
    pair.give_up(&lost);
}

#[test]
fn a_window_that_waits_for_its_turn_to_go_up_is_kept_to() {
    let mut pair = pair();
    pair.window = 400;
    let first = pair.data(&[1]);
    pair.arrive(&first);
    pair.ack(2);
    pair.answer(&first, Air::Clear);
    // The station hears that its ACK has arrived while it waits in the AP's reorder buffer.
    let native = pair.launch_natives(1);
    pair.arrive(&native);
    pair.acknowledge(&native);
    let second = pair.data(&[2]);
    pair.arrive(&second);
    pair.ack(3);
    assert!(pair.answer(&second, Air::Clear).is_some());
    assert_eq!(pair.wire().pop().and_then(|packet| packet.tcp().map(|tcp| tcp.window)), Some(400));
    pair.rise(&native);
    pair.let_go(&native);
}

//! Packets named by a hash of their headers: a collision refuses the second, and no hash is proof of what came.

use ackless_dot11::frame::Tag;
use ackless_schemes::arq_proxy::{ArqProxyConfig, Identification};
use ackless_wire::TcpFlags;

use super::pair::{AP, Air, Pair, STATION};

fn pair() -> Pair {
    Pair::new(ArqProxyConfig { identification: Identification::Hash, ..ArqProxyConfig::default() }).open()
}

/// The first two segments of flow 1 with one hash, both long after the others, and that hash.
fn twins() -> (u32, u32, Tag) {
    let mut seen = std::collections::BTreeMap::new();
    for segment in 10.. {
        let mut pair = pair();
        let tag = tag_of(&mut pair, segment);
        if let Some(first) = seen.insert(tag, segment) {
            return (first, segment, tag);
        }
    }
    unreachable!("there are only 16,383 hashes")
}

/// What a client says for a segment of flow 1.
fn tag_of(pair: &mut Pair, segment: u32) -> Tag {
    let frame = pair.segments(1, &[segment - 1], TcpFlags::ACK);
    pair.exchange(&frame, Air::Clear);
    pair.ack_with(1, segment, |_, _| ());
    pair.natives(1, Air::Clear);
    let frame = pair.segments(1, &[segment], TcpFlags::ACK);
    pair.arrive(&frame);
    pair.ack_with(1, segment + 1, |_, _| ());
    pair.answer(&frame, Air::Clear).expect("the segment has no twin yet")
}

#[test]
fn a_hash_asks_as_well_as_a_number() {
    let mut pair = pair();
    for segment in 1..20 {
        let frame = pair.data(&[segment]);
        pair.arrive(&frame);
        pair.ack(segment + 1);
        assert!(pair.answer(&frame, Air::Clear).is_some());
    }
    assert_eq!(pair.acknowledged(), (2..21).collect::<Vec<_>>());
    assert_eq!((pair.counters(AP).released, pair.queued()), (19, 0));
}

#[test]
fn a_segment_that_is_sent_again_has_its_template_anew() {
    let mut pair = pair();
    let lost = pair.data(&[1]);
    pair.give_up(&lost);
    let again = pair.data(&[1]);
    pair.arrive(&again);
    pair.ack(2);
    pair.answer(&again, Air::Clear);
    assert_eq!((pair.acknowledged(), pair.counters(AP).templates_refused), (vec![2], 0));
}

#[test]
fn a_collision_refuses_the_second_and_the_client_asks_for_neither() {
    let (first, second, tag) = twins();
    let mut pair = pair();
    // A hole keeps the first from being acknowledged.
    let one = pair.segments(1, &[first], TcpFlags::ACK);
    pair.exchange(&one, Air::Clear);
    let other = pair.segments(1, &[second], TcpFlags::ACK);
    assert_eq!(pair.counters(AP).templates_refused, 1);
    pair.arrive(&other);
    pair.ack_with(1, second + 1, |_, _| ());
    assert_eq!(pair.answer(&other, Air::Clear), None);
    assert_eq!((pair.counters(STATION).hash_collision, pair.queued()), (1, 1));
    pair.natives(1, Air::Clear);
    pair.ask_for(Some(tag));
    assert_eq!(pair.acknowledged(), [second + 1], "the first is older than what went up");
}

#[test]
fn a_template_under_a_hash_is_not_released_for_a_frame_that_did_not_come() {
    let (first, second, tag) = twins();
    let mut pair = pair();
    let lost = pair.segments(1, &[first], TcpFlags::ACK);
    let other = pair.segments(1, &[second], TcpFlags::ACK);
    assert_eq!(pair.counters(AP).templates_refused, 1);
    pair.arrive(&other);
    // The client knows of one packet under this hash, and may ask for it.
    pair.ask_for(Some(tag));
    pair.answer(&other, Air::Clear);
    assert_eq!((pair.acknowledged(), pair.counters(AP).requests_undelivered), (vec![], 1));
    pair.give_up(&lost);
    pair.ask_for(Some(tag));
    assert_eq!((pair.acknowledged(), pair.counters(AP).requests_unknown), (vec![], 1));
    let next = pair.segments(1, &[second], TcpFlags::ACK);
    assert_eq!(pair.counters(AP).templates_refused, 1, "the hash is free again");
    pair.give_up(&next);
}

/// A pair in which the first of two packets with one hash has come, with one behind it.
fn first_of(twin: u32, config: ArqProxyConfig) -> Pair {
    let mut pair = Pair::new(ArqProxyConfig { identification: Identification::Hash, ..config });
    let before = pair.segments(1, &[twin - 1], TcpFlags::ACK);
    pair.exchange(&before, Air::Clear);
    pair.ack_with(1, twin, |_, _| ());
    pair.natives(1, Air::Clear);
    let frames = pair.segments(1, &[twin, twin + 1], TcpFlags::ACK);
    pair.exchange(&frames, Air::Clear);
    pair
}

/// The ACK of both is asked for, and known to have been.
fn ask_for_both(pair: &mut Pair, twin: u32) {
    pair.ack_with(1, twin + 2, |_, _| ());
    for segment in [twin + 2, twin + 3] {
        let frame = pair.segments(1, &[segment], TcpFlags::ACK);
        pair.exchange(&frame, Air::Clear);
    }
    assert_eq!(pair.acknowledged().last(), Some(&(twin + 2)));
}

#[test]
fn a_hash_is_free_again_when_its_packet_was_acknowledged_with_a_later_one() {
    let (first, second, tag) = twins();
    let mut pair = first_of(first, ArqProxyConfig::default());
    ask_for_both(&mut pair, first);
    let frame = pair.segments(1, &[second], TcpFlags::ACK);
    assert_eq!(pair.counters(AP).templates_refused, 0);
    pair.arrive(&frame);
    pair.ack_with(1, second + 1, |_, _| ());
    assert_eq!(pair.answer(&frame, Air::Clear), Some(tag));
    assert_eq!((pair.acknowledged(), pair.counters(STATION).hash_collision), (vec![second + 1], 0));
}

#[test]
fn a_stateless_proxy_does_not_know_what_is_acknowledged_and_keeps_every_hash_for_its_lifetime() {
    let (first, second, _) = twins();
    let mut pair = first_of(first, ArqProxyConfig { stateless: true, ..ArqProxyConfig::default() });
    ask_for_both(&mut pair, first);
    let frame = pair.segments(1, &[second], TcpFlags::ACK);
    assert_eq!(pair.counters(AP).templates_refused, 1);
    pair.arrive(&frame);
    pair.ack_with(1, second + 1, |_, _| ());
    assert_eq!(pair.answer(&frame, Air::Clear), None);
    assert_eq!((pair.counters(STATION).hash_collision, pair.queued()), (1, 1));
}

#[test]
fn a_frame_sent_again_may_have_been_refused_before_its_hash_was_free() {
    let (first, second, _) = twins();
    let mut pair = first_of(first, ArqProxyConfig::default());
    let lost = pair.segments(1, &[second], TcpFlags::ACK);
    assert_eq!(pair.counters(AP).templates_refused, 1);
    ask_for_both(&mut pair, first);
    let again = pair.again(&lost);
    pair.arrive(&again);
    pair.ack_with(1, second + 1, |_, _| ());
    assert_eq!(pair.answer(&again, Air::Clear), None);
    assert_eq!((pair.counters(STATION).hash_collision, pair.queued()), (1, 1));
}

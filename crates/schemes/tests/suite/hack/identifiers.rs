//! Two flows that share a context identifier.

use ackless_schemes::hack::HackConfig;
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION, colliding_flows};

/// One data PPDU for both flows, with MORE DATA.
fn data(pair: &mut Pair, flows: (u16, u16), air: Air) -> Option<usize> {
    let sent = pair.data_of(&[flows.0, flows.1], true);
    pair.exchange(&sent, air)
}

#[test]
fn the_first_flow_owns_the_identifier_and_the_other_goes_natively() {
    let flows = colliding_flows();
    let mut pair = Pair::new(HackConfig::default());
    data(&mut pair, flows, Air::Clear);
    let first = pair.ack(flows.0);
    pair.natives(1, Air::Clear);
    let mut expected = vec![first];
    for _ in 0..10 {
        let other = pair.ack(flows.1);
        let own = pair.ack(flows.0);
        assert_eq!(pair.queued(), 1, "only the other one goes natively");
        pair.natives(1, Air::Clear);
        data(&mut pair, flows, Air::Clear);
        expected.extend([other, own]);
    }
    assert_eq!(pair.wire(), expected);
    assert!(pair.counters(STATION).cid_collision > 5);
    assert_eq!((pair.counters(AP).taken_over, pair.counters(AP).crc_failures), (0, 0));
}

#[test]
fn the_other_flow_takes_the_identifier_over_when_the_owner_has_been_idle() {
    let flows = colliding_flows();
    let mut pair = Pair::new(HackConfig::default());
    data(&mut pair, flows, Air::Clear);
    pair.ack(flows.0);
    pair.natives(1, Air::Clear);
    pair.ack(flows.1);
    pair.natives(1, Air::Clear);
    pair.pass_time(Duration::from_millis(1_100));
    pair.ack(flows.1);
    assert_eq!(pair.queued(), 1, "it does not own it yet");
    pair.natives(1, Air::Clear);
    assert_eq!(pair.counters(AP).taken_over, 1);
    data(&mut pair, flows, Air::Clear);
    pair.wire();
    let compressed = pair.ack(flows.1);
    assert_eq!(pair.queued(), 0);
    pair.transfer();
    data(&mut pair, flows, Air::Clear);
    let native = pair.ack(flows.0);
    assert_eq!(pair.queued(), 1, "the former owner goes natively now");
    pair.natives(1, Air::Clear);
    assert_eq!(pair.wire(), [compressed, native]);
}

#[test]
fn where_the_first_native_ack_is_lost_and_the_other_flows_arrives_both_ends_agree_once_it_is_repeated() {
    let flows = colliding_flows();
    let mut pair = Pair::new(HackConfig::default());
    data(&mut pair, flows, Air::Clear);
    let first = pair.ack(flows.0);
    let lost = pair.launch_natives(1);
    let other = pair.ack(flows.1);
    pair.natives(1, Air::Clear);
    // The AP gives the identifier to the other flow, the station to neither.
    pair.ack(flows.1);
    assert_eq!((pair.queued(), pair.counters(STATION).cid_collision), (1, 1));
    pair.natives(1, Air::Clear);
    // The retransmission has the lower sequence number: it was first.
    pair.land_natives(&lost, Air::Clear);
    assert_eq!(pair.counters(AP).taken_over, 1);
    let wire = pair.wire();
    assert_eq!((wire[0], wire[2]), (other, first));
    let compressed = pair.ack(flows.0);
    assert_eq!(pair.queued(), 0, "it owns the identifier");
    pair.transfer();
    data(&mut pair, flows, Air::Clear);
    assert_eq!(pair.wire(), [compressed]);
}

#[test]
fn where_the_first_native_ack_was_given_up_neither_flow_compresses_until_one_was_idle() {
    for arrived in [Air::PpduLost, Air::AnswerLost] {
        let flows = colliding_flows();
        let mut pair = Pair::new(HackConfig::default());
        data(&mut pair, flows, Air::Clear);
        pair.ack(flows.0);
        let uncertain = pair.natives(1, arrived);
        pair.give_up(&uncertain);
        for _ in 0..5 {
            pair.ack(flows.0);
            pair.ack(flows.1);
            assert_eq!(pair.queued(), 2, "whose it is nobody knows at the station");
            pair.natives(2, Air::Clear);
            data(&mut pair, flows, Air::Clear);
        }
        pair.wire();
        pair.pass_time(Duration::from_millis(1_100));
        pair.ack(flows.1);
        pair.natives(1, Air::Clear);
        data(&mut pair, flows, Air::Clear);
        let compressed = pair.ack(flows.1);
        assert_eq!(pair.queued(), 0);
        pair.transfer();
        data(&mut pair, flows, Air::Clear);
        assert_eq!(pair.wire().last(), Some(&compressed), "{arrived:?}");
        assert_eq!(pair.counters(AP).crc_failures + pair.counters(AP).unknown_context, 0);
    }
}

#[test]
fn an_owner_that_pauses_while_the_other_sends_may_have_lost_the_identifier() {
    let flows = colliding_flows();
    let mut pair = Pair::new(HackConfig::default());
    data(&mut pair, flows, Air::Clear);
    pair.ack(flows.0);
    pair.natives(1, Air::Clear);
    pair.ack(flows.1);
    pair.natives(1, Air::Clear);
    // Just past the time after which the AP gives the identifier away; the station, which counts more carefully, cannot
    // be sure.
    pair.pass_time(Duration::from_millis(1_003));
    pair.ack(flows.1);
    pair.natives(1, Air::Clear);
    assert_eq!(pair.counters(AP).taken_over, 1);
    data(&mut pair, flows, Air::Clear);
    for _ in 0..3 {
        let before = pair.counters(STATION).cid_collision;
        pair.ack(flows.0);
        assert_eq!((pair.queued(), pair.counters(STATION).cid_collision), (1, before + 1));
        pair.natives(1, Air::Clear);
    }
    data(&mut pair, flows, Air::Clear);
    assert_eq!(pair.counters(AP).crc_failures + pair.counters(AP).gaps, 0);
}

#[test]
fn an_owner_that_sends_only_data_keeps_its_identifier_from_no_other_flow() {
    for behind_each_other in [false, true] {
        let (owner, flow) = colliding_flows();
        let mut pair = Pair::new(HackConfig::default());
        data(&mut pair, (owner, flow), Air::Clear);
        pair.ack(owner);
        pair.natives(1, Air::Clear);
        pair.wire();
        // From now on the owner uploads: one segment each 50 ms, of which one is always under way, or none between them.
        let mut made = Vec::new();
        let mut under_way = None;
        for n in 0..60 {
            pair.pass_time(Duration::from_millis(50));
            made.push(pair.segment(owner, TcpFlags::ACK | TcpFlags::PSH, 1_000));
            let sent = pair.launch_natives(1);
            match under_way.replace(sent) {
                Some(before) if behind_each_other => pair.land_natives(&before, Air::Clear),
                _ => {}
            }
            if !behind_each_other {
                let sent = under_way.take().expect("it has just been sent");
                pair.land_natives(&sent, Air::Clear);
            }
            data(&mut pair, (owner, flow), Air::Clear);
            made.push(pair.ack(flow));
            let native = pair.queued();
            assert!(n < 21 || native == 0, "the owner's ACK is {n} times 50 ms old");
            if native > 0 {
                pair.natives(1, Air::Clear);
            }
            pair.transfer();
            data(&mut pair, (owner, flow), Air::Clear);
        }
        if let Some(last) = under_way {
            pair.land_natives(&last, Air::Clear);
        }
        let mut wire = pair.wire();
        assert_eq!(wire.len(), made.len(), "each came once");
        wire.sort_unstable();
        made.sort_unstable();
        assert_eq!(wire, made);
        let ap = pair.counters(AP);
        assert_eq!((ap.taken_over, ap.gaps, ap.crc_failures, ap.unknown_context), (1, 0, 0, 0));
    }
}

#[test]
fn a_broken_context_that_another_flow_takes_over_withholds_nothing_any_more() {
    let flows = colliding_flows();
    let mut pair = Pair::new(HackConfig::default());
    data(&mut pair, flows, Air::Clear);
    pair.ack(flows.0);
    let lost = pair.launch_natives(1);
    pair.ack(flows.1);
    pair.natives(1, Air::Clear);
    // A run behind a gap, of the identifier that both share.
    let mut gap = Pair::imitate((1, pair.forwarded()), pair.forwarded());
    gap[1] = gap[1].wrapping_add(100);
    pair.forge(gap);
    assert!(!pair.data(1, true).bits.more_data);
    pair.land_natives(&lost, Air::Clear);
    assert_eq!(pair.counters(AP).taken_over, 1);
    assert!(pair.data(1, true).bits.more_data);
}

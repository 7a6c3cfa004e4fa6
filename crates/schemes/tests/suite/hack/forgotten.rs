//! Flows that one end has forgotten, and the other has not.

use ackless_schemes::Guard;
use ackless_schemes::hack::HackConfig;
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION, colliding_flows};

/// What makes an end forget a flow: this long without it, and so many other flows.
const LONG: Duration = Duration::from_secs(11);
const CROWD_OF_STATION: u16 = 31;
const CROWD_OF_AP: u16 = 70;

/// The station sends all that it has queued.
fn flush(pair: &mut Pair) {
    if pair.queued() > 0 {
        pair.natives(pair.queued(), Air::Clear);
    }
}

/// One data PPDU for these flows, and its answer.
fn data(pair: &mut Pair, flows: &[u16], more: bool) {
    let sent = pair.data_of(flows, more);
    pair.exchange(&sent, Air::Clear);
}

/// An MPDU of an upload goes on the air. Returns its segment.
fn upload(pair: &mut Pair, flow: u16) -> u16 {
    let id = pair.segment(flow, TcpFlags::ACK | TcpFlags::PSH, 1000);
    pair.natives(1, Air::Clear);
    id
}

/// Other flows come, and after a long pause one more, which makes the station look for what it can forget.
fn come_and_go(pair: &mut Pair, others: u16) {
    for flow in 0..others {
        pair.ack(30_000 + flow);
        flush(pair);
    }
    pair.pass_time(LONG);
    pair.ack(31_000);
    flush(pair);
}

#[test]
fn an_upload_that_the_station_forgot_does_not_keep_its_identifier_from_another_flow() {
    for others in [CROWD_OF_STATION, 3] {
        let (former, flow) = colliding_flows();
        let mut pair =
            Pair::new(HackConfig { guard: Guard::Fixed(Duration::from_millis(100)), ..HackConfig::default() });
        data(&mut pair, &[former, flow], false);
        pair.ack(former);
        flush(&mut pair);
        come_and_go(&mut pair, others);
        // The former owner goes on, with nothing that could be compressed.
        upload(&mut pair, former);
        data(&mut pair, &[flow], true);
        pair.ack(flow);
        flush(&mut pair);
        pair.wire();
        let mut made = Vec::new();
        for _ in 0..200 {
            pair.pass_time(Duration::from_millis(50));
            made.push(upload(&mut pair, former));
            data(&mut pair, &[flow], true);
            made.extend((0..8).map(|_| pair.ack(flow)));
            flush(&mut pair);
            pair.transfer();
            data(&mut pair, &[flow], true);
        }
        assert_eq!(pair.wire(), made, "after {others} other flows");
        let ap = pair.counters(AP);
        assert_eq!((ap.taken_over, ap.gaps, ap.crc_failures, ap.unknown_context), (1, 0, 0, 0));
        let compressed = pair.counters(STATION).compressed_acks;
        assert!(compressed > 1_000, "{compressed} were compressed after {others} other flows");
    }
}

#[test]
fn no_ack_vanishes_as_a_repetition_of_what_a_forgotten_flow_had_sent() {
    // The codes of both flows have sequence numbers of a byte: how far apart they are decides what looks like a repetition.
    for downloaded in 0..20 {
        let (former, flow) = colliding_flows();
        let mut pair =
            Pair::new(HackConfig { guard: Guard::Fixed(Duration::from_millis(100)), ..HackConfig::default() });
        data(&mut pair, &[former, flow], true);
        pair.ack(former);
        flush(&mut pair);
        for _ in 0..downloaded {
            for _ in 0..8 {
                pair.ack(former);
            }
            pair.transfer();
            data(&mut pair, &[former], true);
        }
        data(&mut pair, &[former], false);
        come_and_go(&mut pair, CROWD_OF_STATION);
        upload(&mut pair, former);
        data(&mut pair, &[flow], true);
        pair.ack(flow);
        flush(&mut pair);
        pair.wire();
        for _ in 0..10 {
            pair.pass_time(Duration::from_millis(50));
            let mut made = vec![upload(&mut pair, former)];
            made.extend((0..4).map(|_| pair.ack(flow)));
            flush(&mut pair);
            pair.transfer();
            data(&mut pair, &[flow], true);
            assert_eq!(pair.wire(), made, "after {downloaded} answers with ACKs of the forgotten flow");
        }
        assert_eq!(pair.counters(AP).duplicates_discarded, 0);
    }
}

#[test]
fn an_ack_waits_for_the_segment_before_it_also_where_the_ap_swept_its_records() {
    for others in [3, CROWD_OF_AP] {
        let mut pair = Pair::with_context(
            HackConfig { guard: Guard::Fixed(Duration::from_millis(100)), ..HackConfig::default() },
            2,
        );
        pair.wire();
        pair.pass_time(LONG);
        (0..others).for_each(|flow| data(&mut pair, &[20_000 + flow], false));
        let more = pair.data(2, true);
        pair.exchange(&more, Air::Clear);
        let segment = pair.segment(0, TcpFlags::ACK | TcpFlags::PSH, 300);
        let sent = pair.launch_natives(1);
        pair.land_behind_a_hole(&sent);
        let more = pair.data(2, true);
        pair.exchange(&more, Air::Clear);
        let ack = pair.ack(0);
        assert_eq!(pair.queued(), 0, "it is compressed");
        pair.transfer();
        let more = pair.data(2, true);
        pair.exchange(&more, Air::Clear);
        assert_eq!(pair.wire(), [], "the hole is before both");
        pair.rise_all(&sent);
        assert_eq!(pair.wire(), [segment, ack], "after data of {others} other flows");
        assert_eq!((pair.counters(AP).unknown_context, pair.counters(AP).verify_failures), (0, 0));
    }
}

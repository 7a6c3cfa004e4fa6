//! Frames that ask for no answer: to a group of one, Action No Ack, and under the No Ack policy.

use super::air::{Air, Disguise, Watch};
use super::single::seed_drawing;
use super::*;
use crate::frame::{AckPolicy, MpduKind};
use crate::queue::SendOptions;

fn to_group(options: &mut SendOptions) {
    options.receiver = options.receiver.as_group();
}

fn action_no_ack(options: &mut SendOptions) {
    options.kind = MpduKind::ActionNoAck;
}

fn no_ack(options: &mut SendOptions) {
    options.ack_policy = AckPolicy::NoAck;
}

/// A sender that disguises a packet, and another two that do nothing.
fn disguising(stations: Vec<(MacConfig, Vec<LinkConfig>)>, packet: u16, how: fn(&mut SendOptions), seed: u64) -> Air {
    let mut schemes: Vec<Watch> = stations.iter().map(|_| Watch::default()).collect();
    schemes[0].disguises = Some(Disguise { packet, how });
    Air::with_schemes(stations, schemes, seed)
}

/// Three stations of 802.11a; the first has links to both others.
fn three() -> Vec<(MacConfig, Vec<LinkConfig>)> {
    vec![(dcf(0), vec![legacy_link(1), legacy_link(2)]), (dcf(1), vec![legacy_link(0)]), (dcf(2), vec![legacy_link(0)])]
}

#[test]
fn only_the_station_that_is_alone_in_a_group_takes_its_frames_in() {
    // At 6 Mbps: 1536 bytes, 513 symbols, 2052 + 20.
    let mut air = disguising(three(), 7, to_group, 1);
    air.run(at(100));
    air.send(0, NodeId(2), FULL, [7]);
    air.run(at(2500));
    air.assert_script(&["100..2172 0>all data 0, duration 0"]);
    air.assert_up(&["2172 2 7"]);
    air.assert_told(0, &["2172 delivered 0"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn a_frame_to_a_group_waits_in_the_queue_of_its_only_station() {
    // Behind a frame to station 2, while station 1's queue is served in turn.
    let mut air = disguising(three(), 8, to_group, 1);
    air.run(at(100));
    air.send(0, NodeId(2), FULL, [7, 8]);
    air.send(0, NodeId(1), FULL, [9]);
    air.run(at(3200));
    air.assert_up(&["348 2 7", "674 1 9", "2824 2 8"]);
}

#[test]
fn an_unanswered_frame_to_one_station_is_sent_once_whatever_becomes_of_it() {
    for how in [action_no_ack, no_ack] {
        let mut air = disguising(three(), 7, how, 1);
        air.lose(0);
        air.run(at(100));
        air.send(0, NodeId(1), FULL, [7, 8]);
        air.run(at(1000));
        // DIFS after its end, as after a success.
        air.assert_script(&[
            "100..348 0>1 data 0, duration 0",
            "382..630 0>1 data 1, duration 44",
            "646..674 1>0 Ack, duration 0",
        ]);
        air.assert_told(0, &["348 delivered 0", "674 delivered 1"]);
        air.assert_up(&["630 1 8"]);
        assert_eq!((air.stations[0].counts().timeouts, air.live()), (0, 0));
    }
}

#[test]
fn a_counter_from_the_smallest_window_follows_an_unanswered_frame() {
    // 348 + 34 + 3 x 9, though nobody has heard it.
    let mut stations = three();
    (stations[0].0.access.cw_min, stations[0].0.access.cw_max) = (15, 1023);
    let mut air = disguising(stations, 7, action_no_ack, seed_drawing(&[(15, 3)]));
    air.garble(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7, 8]);
    air.run(at(600));
    air.assert_script(&["100..348 0>1 data 0, duration 0", "409..657 0>1 data 1, duration 44"]);
}

#[test]
fn an_unanswered_frame_goes_alone_and_ends_the_a_mpdu_before_it() {
    // Two MPDUs: 1544 + 1542 = 3086 bytes, 46 symbols of 3.6, 165.6 rounded up, 36 + 168. The third packet leaves alone: 36 + 84 at 150 Mbps, with
    // QoS or without; and the fourth after it, under the agreement.
    let pair = || vec![(edca(0), vec![block_link(1, ht(7))]), (edca(1), vec![block_link(0, ht(7))])];
    let aggregate = ["106..310 0>1 A-MPDU 0 1, duration 48", "326..358 1>0 BlockAck 0+11, duration 0"];
    for how in [action_no_ack, no_ack] {
        let mut air = disguising(pair(), 2, how, 1);
        air.run(at(100));
        air.send(0, NodeId(1), FULL, 0..4);
        air.run(at(1000));
        let rest =
            ["401..521 0>1 data 0, duration 0", "564..684 0>1 data 2, duration 44", "700..728 1>0 Ack, duration 0"];
        air.assert_script(&[&aggregate[..], &rest[..]].concat());
        air.assert_up(&["310 1 0", "310 1 1", "521 1 2", "684 1 3"]);
    }
    let mut air = disguising(pair(), 2, to_group, 1);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..4);
    air.run(at(3000));
    // 26 bytes of header in the QoS Data frame: 1538, at 6 Mbps 514 symbols.
    let rest =
        ["401..2477 0>all data 0, duration 0", "2520..2640 0>1 data 2, duration 44", "2656..2684 1>0 Ack, duration 0"];
    air.assert_script(&[&aggregate[..], &rest[..]].concat());
}

#[test]
fn within_a_txop_the_next_frame_follows_sifs_after_an_unanswered_one() {
    // A TXOP of 400 us from 106 on: two frames of 120 and an Ack end at 406, and there is no room for a third.
    let sender = MacConfig { txop_limit: us(400), ..edca(0) };
    let mut air =
        disguising(vec![(sender, vec![qos_link(1, ht(7))]), (edca(1), vec![qos_link(0, ht(7))])], 0, no_ack, 1);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..3);
    air.run(at(1000));
    air.assert_script(&[
        "106..226 0>1 data 0, duration 0",
        "242..362 0>1 data 1, duration 44",
        "378..406 1>0 Ack, duration 0",
        "449..569 0>1 data 2, duration 44",
        "585..613 1>0 Ack, duration 0",
    ]);
    air.assert_told(0, &["226 delivered 0", "406 delivered 1", "613 delivered 2"]);
}

//! Frames without answers, beacons, four addresses, late answers, and what ends the wait for one.

use super::air::{Air, Watch};
use super::*;
use crate::frame::{Answer, Body, Ds, HeaderBits, Ppdu};
use crate::station::Route;

/// Three stations of 802.11a that send to the first, and the first to the second.
fn three() -> Vec<(MacConfig, Vec<LinkConfig>)> {
    vec![(dcf(0), vec![legacy_link(1)]), (dcf(1), vec![legacy_link(0)]), (dcf(2), vec![legacy_link(0)])]
}

/// A frame of 100 us without Duration field.
fn foreign(from: u16, to: u16, body: Body) -> Ppdu {
    Ppdu {
        transmitter: NodeId(from),
        receiver: NodeId(to),
        txvector: ofdm(OfdmRate::Mbps6),
        psdu_len: Bytes(14),
        duration: us(100),
        duration_field: Duration::ZERO,
        bits: HeaderBits::default(),
        body,
    }
}

#[test]
fn a_group_addressed_frame_reaches_all_and_is_not_answered() {
    // At 6 Mbps: 1536 bytes, 513 symbols, 2052 + 20. The next frame follows after DIFS, with a sequence number of its own.
    let mut air = Air::new(three());
    air.run(at(100));
    air.send(0, NodeId::BROADCAST, FULL, [7]);
    air.send(0, NodeId(1), FULL, [8]);
    air.run(at(2600));
    air.assert_script(&[
        "100..2172 0>all data 0, duration 0",
        "2206..2454 0>1 data 0, duration 44",
        "2470..2498 1>0 Ack, duration 0",
    ]);
    air.assert_up(&["2172 1 7", "2172 2 7", "2454 1 8"]);
    air.assert_told(0, &["2172 delivered 0", "2498 delivered 0"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn a_group_addressed_frame_is_sent_once_whatever_becomes_of_it() {
    let mut air = Air::new(three());
    air.garble(0);
    air.run(at(100));
    air.send(0, NodeId::BROADCAST, FULL, [7]);
    air.run(at(5000));
    air.assert_script(&["100..2172 0>all data 0, duration 0"]);
    air.assert_up(&[]);
    assert_eq!(air.live(), 0);
}

#[test]
fn a_group_addressed_frame_has_no_rts() {
    let mut stations = three();
    stations[0].0.rts_threshold = Some(Bytes(500));
    let mut air = Air::new(stations);
    air.run(at(100));
    air.send(0, NodeId::BROADCAST, FULL, [7]);
    air.run(at(200));
    air.assert_script(&["100..2172 0>all data 0, duration 0"]);
}

#[test]
fn a_fourth_address_makes_a_frame_six_bytes_longer() {
    // 1542 bytes at 54 Mbps: 12,336 + 22 bits in 58 symbols instead of 57.
    let mut air = Air::new(three());
    air.run(at(100));
    let route = Route { next: NodeId(1), destination: NodeId(5), source: NodeId(4), ds: Ds::FourAddress };
    air.send_by(0, route, FULL, [7]);
    air.run(at(1000));
    air.assert_script(&["100..352 0>1 data 0, duration 44", "368..396 1>0 Ack, duration 0"]);
}

#[test]
fn a_beacon_goes_out_with_the_next_access() {
    // 200 bytes at 6 Mbps: 68 symbols, 272 + 20. It is due during the first exchange and goes before the second packet.
    let mut air = Air::new(three());
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7, 8]);
    air.run(at(150));
    air.beacon(0, Bytes(200));
    air.run(at(1100));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "364..392 1>0 Ack, duration 0",
        "426..718 0>all beacon of 200B, duration 0",
        "752..1000 0>1 data 1, duration 44",
        "1016..1044 1>0 Ack, duration 0",
    ]);
}

#[test]
fn a_beacon_on_an_idle_medium_leaves_at_once() {
    let mut air = Air::new(three());
    air.run(at(100));
    air.beacon(0, Bytes(200));
    air.run(at(1000));
    air.assert_script(&["100..392 0>all beacon of 200B, duration 0"]);
}

#[test]
fn a_beacon_before_a_retry_does_not_count_as_its_success() {
    // The data is lost; the beacon takes the access at 427, and the retry follows at 719 + 34.
    let mut air = Air::new(three());
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(200));
    air.beacon(0, Bytes(200));
    air.run(at(1100));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "427..719 0>all beacon of 200B, duration 0",
        "753..1001 0>1 data 0r, duration 44",
        "1017..1045 1>0 Ack, duration 0",
    ]);
    air.assert_told(0, &["393 missing", "1045 delivered 0"]);
}

#[test]
fn a_peer_that_answers_late_is_waited_for() {
    // 20 us later than SIFS: Ack at 348 + 36, and the Duration field says so. Station 2, whose frame comes meanwhile, holds still.
    let schemes = || vec![Watch::default(), Watch { delay: us(20), ..Watch::default() }, Watch::default()];
    let mut air = Air::with_schemes(three(), schemes(), 1);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(110));
    air.send(2, NodeId(0), FULL, [8]);
    air.run(at(500));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 64",
        "384..412 1>0 Ack, duration 0",
        "446..694 2>0 data 0, duration 44",
    ]);
    air.assert_told(0, &["412 delivered 0"]);
    // If the data is lost, the wait for its Ack lasts 45 + 20.
    let mut air = Air::with_schemes(three(), schemes(), 1);
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(500));
    air.assert_told(0, &["413 missing"]);
}

#[test]
fn a_frame_that_begins_during_the_wait_ends_it_with_its_own_end() {
    // The data is lost. Somebody sends to somebody else, just before the timeout at 393: judged at 492, retry after DIFS.
    let mut air = Air::new(three());
    air.lose(0);
    air.foreign(at(392), foreign(7, 8, Body::Ack(Answer::default())));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(600));
    air.assert_told(0, &["492 missing"]);
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "392..492 7>8 Ack, duration 0",
        "526..774 0>1 data 0r, duration 44",
    ]);
}

#[test]
fn a_frame_that_begins_after_the_timeout_finds_the_wait_over() {
    let mut air = Air::new(three());
    air.lose(0);
    air.foreign(at(400), foreign(7, 8, Body::Ack(Answer::default())));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(600));
    air.assert_told(0, &["393 missing"]);
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "400..500 7>8 Ack, duration 0",
        "534..782 0>1 data 0r, duration 44",
    ]);
}

#[test]
fn an_ack_from_another_station_is_not_the_awaited_one() {
    let mut air = Air::new(three());
    air.lose(0);
    air.foreign(at(364), foreign(7, 0, Body::Ack(Answer::default())));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(500));
    air.assert_told(0, &["464 missing"]);
}

#[test]
fn an_answer_that_nobody_awaits_means_nothing() {
    let mut air = Air::new(three());
    air.foreign(at(50), foreign(1, 0, Body::Ack(Answer::default())));
    air.foreign(at(200), foreign(1, 0, Body::Cts));
    air.run(at(1000));
    air.assert_told(0, &[]);
    air.assert_script(&["50..150 1>0 Ack, duration 0", "200..300 1>0 CTS, duration 0"]);
}

//! What reserves the medium: RTS and CTS, the NAV, EIFS and TXOPs.

use super::air::{Air, Watch};
use super::*;

/// Two stations of 802.11a, of which the first sends an RTS before anything longer than this.
fn protected(threshold: u64) -> Vec<(MacConfig, Vec<LinkConfig>)> {
    let sender = MacConfig { rts_threshold: Some(Bytes(threshold)), ..dcf(0) };
    vec![(sender, vec![legacy_link(1)]), (dcf(1), vec![legacy_link(0)])]
}

/// Three stations of 802.11a: 0 sends to 1, 2 sends to 0.
fn bystander(sender: MacConfig) -> Vec<(MacConfig, Vec<LinkConfig>)> {
    vec![(sender, vec![legacy_link(1)]), (dcf(1), vec![legacy_link(0)]), (dcf(2), vec![legacy_link(0)])]
}

/// Two stations with EDCA and this TXOP limit in microseconds.
fn with_txop(limit: u64, link: LinkConfig) -> Vec<(MacConfig, Vec<LinkConfig>)> {
    let back = LinkConfig { peer: NodeId(0), ..link.clone() };
    vec![(MacConfig { txop_limit: us(limit), ..edca(0) }, vec![link]), (edca(1), vec![back])]
}

#[test]
fn an_rts_reserves_the_medium_to_the_end_of_the_ack() {
    // RTS: SIFS + CTS + SIFS + data + SIFS + Ack = 16 + 28 + 16 + 248 + 16 + 28 = 352. CTS: 352 - 16 - 28 = 308. Data: 44.
    let mut air = Air::new(protected(500));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(1000));
    air.assert_script(&[
        "100..128 0>1 RTS, duration 352",
        "144..172 1>0 CTS, duration 308",
        "188..436 0>1 data 0, duration 44",
        "452..480 1>0 Ack, duration 0",
    ]);
    air.assert_told(0, &["480 delivered 0"]);
}

#[test]
fn only_a_psdu_longer_than_the_threshold_has_an_rts() {
    for (threshold, first) in [(1535, "100..128 0>1 RTS, duration 352"), (1536, "100..348 0>1 data 0, duration 44")] {
        let mut air = Air::new(protected(threshold));
        air.run(at(100));
        air.send(0, NodeId(1), FULL, [7]);
        air.run(at(130));
        air.assert_script(&[first]);
    }
}

#[test]
fn a_missing_cts_is_noticed_like_a_missing_ack() {
    // 128 + 45 = 173, DIFS to 207.
    let mut air = Air::new(protected(500));
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(600));
    air.assert_told(0, &["173 missing", "587 delivered 0"]);
    air.assert_script(&[
        "100..128 0>1 RTS, duration 352",
        "207..235 0>1 RTS, duration 352",
        "251..279 1>0 CTS, duration 308",
        "295..543 0>1 data 0, duration 44",
        "559..587 1>0 Ack, duration 0",
    ]);
}

#[test]
fn a_frame_is_given_up_after_as_many_rts_as_the_retry_limit_says() {
    let mut stations = protected(500);
    stations[0].0.retry_limit = 2;
    let mut air = Air::new(stations);
    (0..2).for_each(|n| air.lose(n));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(1000));
    air.assert_script(&["100..128 0>1 RTS, duration 352", "207..235 0>1 RTS, duration 352"]);
    air.assert_told(0, &["173 missing", "280 missing", "280 given up 0"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn an_a_mpdu_is_given_up_with_its_rts_and_the_receiver_told() {
    // RTS: 16 + 28 + 16 + 288 + 48 = 396. Timeout 134 + 45 = 179, AIFS to 222; timeout 250 + 45 = 295, AIFS to 338.
    let sender = MacConfig { rts_threshold: Some(Bytes(500)), retry_limit: 2, ..edca(0) };
    let mut air = Air::new(vec![(sender, vec![block_link(1, ht(7))]), (edca(1), vec![block_link(0, ht(7))])]);
    (0..2).for_each(|n| air.lose(n));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..3);
    air.run(at(1000));
    air.assert_script(&[
        "106..134 0>1 RTS, duration 396",
        "222..250 0>1 RTS, duration 396",
        "338..370 0>1 BlockAckReq 3, duration 48",
        "386..418 1>0 BlockAck 3+0, duration 0",
    ]);
    air.assert_told(0, &["179 missing", "295 missing", "295 given up 0", "295 given up 1", "295 given up 2"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn an_rts_is_not_answered_while_the_nav_is_set() {
    // Station 1 has heard a reservation until 150 that station 0 has not. The second RTS finds it free.
    let mut air = Air::new(protected(500));
    air.reserve(1, at(150));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(290));
    air.assert_script(&[
        "100..128 0>1 RTS, duration 352",
        "207..235 0>1 RTS, duration 352",
        "251..279 1>0 CTS, duration 308",
    ]);
}

#[test]
fn a_bystander_waits_for_the_end_of_what_an_rts_reserved() {
    // Its frame comes during the RTS; the reservation ends at 128 + 352 = 480, DIFS to 514.
    let mut stations = bystander(MacConfig { rts_threshold: Some(Bytes(500)), ..dcf(0) });
    stations[0].0.retry_limit = 1;
    let mut air = Air::new(stations);
    // The RTS reaches the bystander but not its receiver: only the NAV holds the bystander back.
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(110));
    air.send(2, NodeId(0), FULL, [8]);
    air.run(at(520));
    air.assert_script(&["100..128 0>1 RTS, duration 352", "514..762 2>0 data 0, duration 44"]);
}

#[test]
fn a_bystander_honours_the_duration_of_data_that_is_not_answered() {
    // Station 1 refuses: the medium is idle from 348, reserved until 392, so that the bystander sends at 426, before the retry at 427.
    let schemes = vec![Watch::default(), Watch { refuses: true, ..Watch::default() }, Watch::default()];
    let mut air = Air::with_schemes(bystander(dcf(0)), schemes, 1);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(110));
    air.send(2, NodeId(0), FULL, [8]);
    air.run(at(1010));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "426..674 2>0 data 0, duration 44",
        "690..718 0>2 Ack, duration 0",
        "752..1000 0>1 data 0r, duration 44",
    ]);
}

#[test]
fn who_cannot_read_a_frame_waits_eifs() {
    // Nobody can read the frame from 100 to 348: the bystander and the receiver wait 94. The sender gives up and has nothing more.
    for waiting in [1, 2] {
        let mut air = Air::new(bystander(MacConfig { retry_limit: 1, ..dcf(0) }));
        air.garble(0);
        air.run(at(100));
        air.send(0, NodeId(1), FULL, [7]);
        air.run(at(110));
        air.send(waiting, NodeId(0), FULL, [8]);
        air.run(at(450));
        let expected = format!("442..690 {waiting}>0 data 0, duration 44");
        air.assert_script(&["100..348 0>1 data 0, duration 44", &expected]);
    }
}

#[test]
fn eifs_ends_with_the_next_frame_that_can_be_read() {
    // The data is noise, its sender's second attempt from 427 to 675 is not: DIFS after its Ack, 719 + 34.
    let mut air = Air::new(bystander(dcf(0)));
    air.garble(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(110));
    air.send(2, NodeId(0), FULL, [8]);
    air.run(at(760));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "427..675 0>1 data 0r, duration 44",
        "691..719 1>0 Ack, duration 0",
        "753..1001 2>0 data 0, duration 44",
    ]);
}

#[test]
fn a_txop_holds_as_many_exchanges_as_fit_separated_by_sifs() {
    // Limit 500 from 106 to 606. After the second Ack at 450 one more would need 16 + 120 + 16 + 32 (room for a BlockAck) = 184: 634.
    let mut air = Air::new(with_txop(500, qos_link(1, ht(7))));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..3);
    air.run(at(1000));
    air.assert_script(&[
        "106..226 0>1 data 0, duration 44",
        "242..270 1>0 Ack, duration 0",
        "286..406 0>1 data 1, duration 44",
        "422..450 1>0 Ack, duration 0",
        "493..613 0>1 data 2, duration 44",
        "629..657 1>0 Ack, duration 0",
    ]);
}

#[test]
fn an_a_mpdu_and_its_block_ack_end_within_the_txop() {
    // 500 - 48 = 452 for the A-MPDU: 5 MPDUs are 7718 bytes, 452 us, and the BlockAck ends at 606 to the microsecond.
    let mut air = Air::new(with_txop(500, block_link(1, ht(7))));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..8);
    air.run(at(990));
    air.assert_script(&[
        "106..558 0>1 A-MPDU 0 1 2 3 4, duration 48",
        "574..606 1>0 BlockAck 0+11111, duration 0",
        "649..937 0>1 A-MPDU 5 6 7, duration 48",
        "953..985 1>0 BlockAck 0+11111111, duration 0",
    ]);
}

#[test]
fn what_was_damaged_goes_again_in_the_same_txop() {
    let mut air = Air::new(with_txop(1504, block_link(1, ht(7))));
    air.damage(0, 0b010);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..3);
    air.run(at(1000));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "410..442 1>0 BlockAck 0+101, duration 0",
        "458..578 0>1 data 1r, duration 44",
        "594..622 1>0 Ack, duration 0",
    ]);
}

#[test]
fn a_missing_answer_ends_the_txop() {
    // Timeout 226 + 45 = 271, then AIFS as after any failure.
    let mut air = Air::new(with_txop(1504, qos_link(1, ht(7))));
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..2);
    air.run(at(490));
    air.assert_script(&[
        "106..226 0>1 data 0, duration 44",
        "314..434 0>1 data 0r, duration 44",
        "450..478 1>0 Ack, duration 0",
    ]);
}

#[test]
fn only_the_first_exchange_of_a_txop_has_an_rts() {
    // Limit 800 from 106 to 906. RTS: 16 + 28 + 16 + 120 + 44 = 224.
    let mut stations = with_txop(800, qos_link(1, ht(7)));
    stations[0].0.rts_threshold = Some(Bytes(500));
    let mut air = Air::new(stations);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..2);
    air.run(at(1000));
    air.assert_script(&[
        "106..134 0>1 RTS, duration 224",
        "150..178 1>0 CTS, duration 180",
        "194..314 0>1 data 0, duration 44",
        "330..358 1>0 Ack, duration 0",
        "374..494 0>1 data 1, duration 44",
        "510..538 1>0 Ack, duration 0",
    ]);
}

#[test]
fn an_a_mpdu_behind_an_rts_ends_within_the_txop() {
    // 800 - 88 for RTS, CTS and two SIFS - 48 for the BlockAck = 664: 7 MPDUs are 10,806 bytes, 161 symbols, 579.6 rounded up to 580, and 36.
    // RTS: 16 + 28 + 16 + 616 + 48 = 724. The BlockAck ends at 858, the limit at 906.
    let mut stations = with_txop(800, block_link(1, ht(7)));
    stations[0].0.rts_threshold = Some(Bytes(500));
    let mut air = Air::new(stations);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..7);
    air.send(0, NodeId(1), FULL, 7..8);
    air.run(at(900));
    air.assert_script(&[
        "106..134 0>1 RTS, duration 724",
        "150..178 1>0 CTS, duration 680",
        "194..810 0>1 A-MPDU 0 1 2 3 4 5 6, duration 48",
        "826..858 1>0 BlockAck 0+1111111, duration 0",
    ]);
}

//! A-MPDUs, BlockAcks and BlockAck Requests.

use ackless_wire::random::{Purpose, Stream};

use super::air::{Air, Watch};
use super::*;
use crate::frame::Ds;
use crate::queue::{CodelConfig, FqCodelConfig};
use crate::station::Route;

/// A sender with this link and a receiver, both under an agreement.
fn pair(sender: MacConfig, link: LinkConfig) -> Vec<(MacConfig, Vec<LinkConfig>)> {
    let back = block_link(0, link.rate);
    vec![(sender, vec![link]), (edca(1), vec![back])]
}

/// Runs until 100, when this many full packets are queued; the first slot boundary after that is 106.
fn start(air: &mut Air, packets: u16) {
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..packets);
}

#[test]
fn an_a_mpdu_is_answered_by_a_block_ack() {
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    start(&mut air, 3);
    air.run(at(1000));
    air.assert_script(&["106..394 0>1 A-MPDU 0 1 2, duration 48", "410..442 1>0 BlockAck 0+111, duration 0"]);
    air.assert_up(&["394 1 0", "394 1 1", "394 1 2"]);
    air.assert_told(0, &["442 delivered 0", "442 delivered 1", "442 delivered 2"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn an_ht_mpdu_alone_under_an_agreement_is_answered_by_an_ack() {
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    start(&mut air, 1);
    air.run(at(1000));
    air.assert_script(&["106..226 0>1 data 0, duration 44", "242..270 1>0 Ack, duration 0"]);
}

#[test]
fn a_vht_mpdu_alone_is_an_a_mpdu_and_answered_by_an_ack() {
    // 1538 + 4 of delimiter: 12,336 + 16 + 2 x 6 bits in 4 symbols of 3,120, 14.4 us rounded up to 16; preamble 36 + 2 x 4.
    for link in [block_link(1, vht()), qos_link(1, vht())] {
        let mut air = Air::new(pair(edca(0), link));
        start(&mut air, 1);
        air.run(at(1000));
        air.assert_script(&["106..166 0>1 A-MPDU 0, duration 44", "182..210 1>0 Ack, duration 0"]);
        air.assert_told(0, &["210 delivered 0"]);
    }
}

#[test]
fn what_arrived_behind_a_hole_goes_up_in_order_once_the_hole_is_filled() {
    // The second MPDU is damaged; it is sent again alone, AIFS after the BlockAck.
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    air.damage(0, 0b010);
    start(&mut air, 3);
    air.run(at(1000));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "410..442 1>0 BlockAck 0+101, duration 0",
        "485..605 0>1 data 1r, duration 44",
        "621..649 1>0 Ack, duration 0",
    ]);
    air.assert_up(&["394 1 0", "605 1 1", "605 1 2"]);
    air.assert_told(0, &["442 delivered 0", "442 delivered 2", "649 delivered 1"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn mpdus_sent_again_go_before_new_ones() {
    let mut air = Air::new(pair(edca(0), limited_link(1, ht(7), |terms| terms.max_mpdus = 3)));
    air.damage(0, 0b011);
    start(&mut air, 4);
    air.run(at(780));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "410..442 1>0 BlockAck 0+100, duration 0",
        "485..773 0>1 A-MPDU 0r 1r 3, duration 48",
    ]);
}

#[test]
fn a_new_mpdu_waits_until_the_window_has_moved_past_the_oldest_one() {
    // With a window of 3 the first MPDU, damaged, keeps the fourth packet back; it goes when the first has been acknowledged.
    let mut air = Air::new(pair(edca(0), limited_link(1, ht(7), |terms| terms.window = 3)));
    air.damage(0, 0b001);
    start(&mut air, 4);
    air.run(at(1000));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "410..442 1>0 BlockAck 0+110, duration 0",
        "485..605 0>1 data 0r, duration 44",
        "621..649 1>0 Ack, duration 0",
        "692..812 0>1 data 3, duration 44",
        "828..856 1>0 Ack, duration 0",
    ]);
    air.assert_up(&["605 1 0", "605 1 1", "605 1 2", "812 1 3"]);
}

#[test]
fn a_lost_block_ack_is_asked_for_before_anything_else() {
    // The BlockAck from 410 to 442 is damaged: EIFS (43 + 60) from its end. A fourth packet has come, but waits.
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    air.lose(1);
    start(&mut air, 3);
    air.run(at(200));
    air.send(0, NodeId(1), FULL, [3]);
    air.run(at(1000));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "410..442 1>0 BlockAck 0+111, duration 0",
        "545..577 0>1 BlockAckReq 0, duration 48",
        "593..625 1>0 BlockAck 0+111, duration 0",
        "668..788 0>1 data 3, duration 44",
        "804..832 1>0 Ack, duration 0",
    ]);
    air.assert_told(0, &["442 missing", "625 delivered 0", "625 delivered 1", "625 delivered 2", "832 delivered 3"]);
    air.assert_up(&["394 1 0", "394 1 1", "394 1 2", "788 1 3"]);
}

#[test]
fn a_lost_a_mpdu_is_sent_again_after_a_request_has_told_so() {
    // No answer until 394 + 45 = 439, AIFS to 482.
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    air.lose(0);
    start(&mut air, 3);
    air.run(at(1000));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "482..514 0>1 BlockAckReq 0, duration 48",
        "530..562 1>0 BlockAck 0+0, duration 0",
        "605..893 0>1 A-MPDU 0r 1r 2r, duration 48",
        "909..941 1>0 BlockAck 0+111, duration 0",
    ]);
    assert_eq!(air.stations[0].counts().timeouts, 1);
    assert_eq!(air.live(), 0);
}

#[test]
fn a_lost_request_is_repeated() {
    // 514 + 45 + 43 = 602.
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    (0..2).for_each(|n| air.lose(n));
    start(&mut air, 3);
    air.run(at(700));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "482..514 0>1 BlockAckReq 0, duration 48",
        "602..634 0>1 BlockAckReq 0, duration 48",
        "650..682 1>0 BlockAck 0+0, duration 0",
    ]);
}

#[test]
fn after_the_limit_of_requests_the_mpdus_go_again() {
    // Two requests fail, the second at 634 + 45 = 679. Once the receiver is heard again it is asked to move on.
    let mut air = Air::new(pair(MacConfig { retry_limit: 2, ..edca(0) }, block_link(1, ht(7))));
    (0..3).for_each(|n| air.lose(n));
    start(&mut air, 3);
    air.run(at(1200));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "482..514 0>1 BlockAckReq 0, duration 48",
        "602..634 0>1 BlockAckReq 0, duration 48",
        "722..1010 0>1 A-MPDU 0r 1r 2r, duration 48",
        "1026..1058 1>0 BlockAck 0+111, duration 0",
        "1101..1133 0>1 BlockAckReq 3, duration 48",
        "1149..1181 1>0 BlockAck 3+0, duration 0",
    ]);
}

#[test]
fn a_request_moves_the_receiver_past_an_mpdu_that_was_given_up() {
    // One attempt: MPDU 0 is given up at 442. Only the request releases what waits behind it.
    let mut air = Air::new(pair(MacConfig { retry_limit: 1, ..edca(0) }, block_link(1, ht(7))));
    air.damage(0, 0b001);
    start(&mut air, 3);
    air.run(at(1000));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "410..442 1>0 BlockAck 0+110, duration 0",
        "485..517 0>1 BlockAckReq 3, duration 48",
        "533..565 1>0 BlockAck 3+0, duration 0",
    ]);
    air.assert_told(0, &["442 given up 0", "442 delivered 1", "442 delivered 2"]);
    air.assert_up(&["517 1 1", "517 1 2"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn an_a_mpdu_keeps_to_the_agreed_bytes() {
    // 4 x 1544 + 1542 = 7718; a sixth would make 9262. 115 symbols, 414 us rounded up to 416, and 36.
    let mut air = Air::new(pair(edca(0), limited_link(1, ht(7), |terms| terms.max_bytes = Bytes(8000))));
    start(&mut air, 8);
    air.run(at(570));
    air.assert_script(&["106..558 0>1 A-MPDU 0 1 2 3 4, duration 48"]);
}

#[test]
fn an_a_mpdu_of_ht_keeps_to_65535_bytes() {
    // 42 x 1544 + 1542 would be 66,390; 41 x 1544 + 1542 = 64,846 in 961 symbols, 3459.6 us rounded up to 3460, and 36.
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    start(&mut air, 50);
    air.run(at(3610));
    let numbers: Vec<String> = (0..42).map(|n| n.to_string()).collect();
    air.assert_script(&[&format!("106..3602 0>1 A-MPDU {}, duration 48", numbers.join(" "))]);
}

#[test]
fn an_a_mpdu_keeps_to_the_agreed_number_of_mpdus() {
    // 3 x 1544 + 1542 = 6174 in 92 symbols, 331.2 us rounded up to 332, and 36.
    let mut air = Air::new(pair(edca(0), limited_link(1, ht(7), |terms| terms.max_mpdus = 4)));
    start(&mut air, 8);
    air.run(at(480));
    air.assert_script(&["106..474 0>1 A-MPDU 0 1 2 3, duration 48"]);
}

#[test]
fn an_a_mpdu_keeps_to_the_longest_ppdu() {
    // HT MCS 0, 20 MHz, long guard interval: 1362 symbols of 26 bits fit into 5.484 ms, 4423 bytes, so two MPDUs: 3086 bytes in 951 symbols.
    // The BlockAck leaves at 6 Mbps: 12 symbols, 68 us.
    let slow = HtMode::new(0, Width::Mhz20, GuardInterval::Long, Band::Ghz5).expect("the mode exists");
    let mut air = Air::new(pair(edca(0), block_link(1, TxVector::Ht(slow))));
    start(&mut air, 3);
    air.run(at(3950));
    air.assert_script(&["106..3946 0>1 A-MPDU 0 1, duration 84"]);
}

#[test]
fn the_receivers_spacing_stretches_an_a_mpdu_of_short_mpdus() {
    // MPDUs of 78 bytes. Unspaced 84 + 82 = 166 bytes: 3 symbols, 10.8 us rounded up to 12. With 16 us, 300 bytes at 150 Mbps,
    // 300 + 82 = 382 bytes: 6 symbols, 21.6 us rounded up to 24.
    for (spacing, expected) in [
        (MpduSpacing::None, "106..154 0>1 A-MPDU 0 1, duration 48"),
        (MpduSpacing::Micros16, "106..166 0>1 A-MPDU 0 1, duration 48"),
    ] {
        let mut air = Air::new(pair(edca(0), limited_link(1, ht(7), |terms| terms.spacing = spacing)));
        air.run(at(100));
        air.send(0, NodeId(1), Bytes(40), 0..2);
        air.run(at(169));
        air.assert_script(&[expected]);
    }
}

#[test]
fn the_window_of_64_does_not_pass_an_mpdu_without_acknowledgement() {
    // 64 MPDUs of 138 bytes: 63 x 144 + 142 = 9214 bytes, 137 symbols, 493.2 us rounded up to 496. MPDU 0 is damaged and goes again
    // alone (3 symbols, 12 us); only then follow the other six (862 bytes, 13 symbols, 48 us).
    let mut air = Air::new(pair(edca(0), block_link(1, ht(7))));
    air.damage(0, 1);
    air.run(at(100));
    air.send(0, NodeId(1), Bytes(100), 0..70);
    air.run(at(1000));
    let first: Vec<String> = (0..64).map(|n| n.to_string()).collect();
    air.assert_script(&[
        &format!("106..638 0>1 A-MPDU {}, duration 48", first.join(" ")),
        &format!("654..686 1>0 BlockAck 0+{}0, duration 0", "1".repeat(63)),
        "729..777 0>1 data 0r, duration 44",
        "793..821 1>0 Ack, duration 0",
        "864..948 0>1 A-MPDU 64 65 66 67 68 69, duration 48",
        &format!("964..996 1>0 BlockAck 6+{}, duration 0", "1".repeat(64)),
    ]);
    assert_eq!(air.live(), 0);
}

#[test]
fn each_direction_has_an_agreement_of_its_own_or_none() {
    // Node 0 sends A-MPDUs and hears single frames at 54 Mbps; node 1 the other way round. 1538 bytes at 54
    // Mbps are 12,326 bits in 58 symbols of 216: 20 + 232.
    let down = LinkConfig { reorders: None, ..block_link(1, ht(7)) };
    let up = LinkConfig { reorders: Some(64), ..qos_link(0, ofdm(OfdmRate::Mbps54)) };
    let mut air = Air::new(vec![(edca(0), vec![down]), (edca(1), vec![up])]);
    start(&mut air, 3);
    air.run(at(1000));
    air.send(1, NodeId(0), FULL, [7, 8]);
    air.run(at(2000));
    air.assert_script(&[
        "106..394 0>1 A-MPDU 0 1 2, duration 48",
        "410..442 1>0 BlockAck 0+111, duration 0",
        "1007..1259 1>0 data 0, duration 44",
        "1275..1303 0>1 Ack, duration 0",
        "1346..1598 1>0 data 1, duration 44",
        "1614..1642 0>1 Ack, duration 0",
    ]);
    air.assert_up(&["394 1 0", "394 1 1", "394 1 2", "1259 0 7", "1598 0 8"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn an_a_mpdu_outside_of_any_agreement_has_no_answer() {
    let mut air = Air::new(vec![(edca(0), vec![block_link(1, ht(7))]), (edca(1), vec![qos_link(0, ht(7))])]);
    start(&mut air, 2);
    air.run(at(400));
    assert_eq!(air.stations[0].counts().timeouts, 1);
    air.assert_up(&["310 1 0", "310 1 1"]);
}

/// [`block_link`] with A-MSDUs of so many bytes in MPDUs as long as the standard allows.
fn packing_link(rate: TxVector, max_bytes: u64) -> LinkConfig {
    let max_mpdu = if rate.must_aggregate() { MAX_VHT_MPDU } else { MAX_HT_MPDU };
    limited_link(1, rate, |terms| terms.amsdu = Some(Amsdu { max_bytes: Bytes(max_bytes), max_mpdu }))
}

#[test]
fn an_a_mpdu_of_amsdus_lasts_as_long_as_its_bytes_on_n() {
    // Two packets to an MPDU: 26 + 1522 and 2 of padding + 1522 + 4 = 3076; a third would make 4600, more than 4095. Two MPDUs and the fifth packet alone:
    // 3080 + 3080 + 4 + 1538 = 7702 bytes, 61,638 bits with SERVICE and tail in 115 symbols of 540: 414 us, rounded up to 416, and 36 of preamble.
    let mut air = Air::new(pair(edca(0), packing_link(ht(7), 7935)));
    start(&mut air, 5);
    air.run(at(1000));
    air.assert_script(&["106..558 0>1 A-MPDU 0 0 1 1 2, duration 48", "574..606 1>0 BlockAck 0+111, duration 0"]);
    air.assert_up(&["558 1 0", "558 1 1", "558 1 2", "558 1 3", "558 1 4"]);
    air.assert_told(
        0,
        &["606 delivered 0", "606 delivered 0", "606 delivered 1", "606 delivered 1", "606 delivered 2"],
    );
    assert_eq!(air.live(), 0);
}

#[test]
fn an_a_mpdu_of_amsdus_lasts_as_long_as_its_bytes_on_ac() {
    // Seven packets to an MPDU: 26 + 6 x 1524 + 1522 + 4 = 10,696; an eighth would make 12,220, more than 11,454. Two of them and one alone:
    // 10,700 + 10,700 + 4 + 1538 = 22,942 bytes, 183,564 bits with SERVICE and tail in 59 symbols of 3,120: 212.4 us, rounded up to 216, and 44 of preamble.
    let mut air = Air::new(pair(edca(0), packing_link(vht(), 11_424)));
    start(&mut air, 15);
    air.run(at(1000));
    air.assert_script(&[
        "106..366 0>1 A-MPDU 0 0 0 0 0 0 0 1 1 1 1 1 1 1 2, duration 48",
        "382..414 1>0 BlockAck 0+111, duration 0",
    ]);
    assert_eq!(air.live(), 0);
}

#[test]
fn the_longest_amsdu_bounds_it_too() {
    // 1524 + 1522 = 3046 bytes are two packets; one byte less has no room for the second, and the third would want 4570.
    for (max, sent) in [(3045, "A-MPDU 0 1 2"), (3046, "A-MPDU 0 0 1"), (4569, "A-MPDU 0 0 1"), (4570, "A-MPDU 0 0 0")]
    {
        let mut air = Air::new(pair(edca(0), packing_link(vht(), max)));
        start(&mut air, 3);
        air.run(at(110));
        let begun = air.script().first().expect("a PPDU has begun").clone();
        assert!(begun.contains(sent), "{max}: {begun}");
    }
}

/// A fifo lets packets join in runs; what a managed queue hands over joins one by one.
#[test]
fn a_run_is_packed_as_its_packets_would_be_one_by_one() {
    let codel = CodelConfig { target: Duration::from_secs(1), interval: Duration::from_secs(1) };
    let managed = QueueConfig::FqCodel(FqCodelConfig { codel, quantum: FULL, limit: 1_000, ecn: false });
    for seed in 0..100 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let rate = if random.chance(0.5) { ht(7) } else { vht() };
        let (max_amsdu, max_ampdu) = (200 + random.below(11_000), Bytes(2_000 + random.below(60_000)));
        let len = |random: &mut Stream| if random.chance(0.5) { 1_500 } else { 40 + random.below(1_460) };
        let lens: Vec<u64> = (0..100).map(|_| len(&mut random)).collect();
        let [alike, one_by_one] = [QueueConfig::Fifo { packets: 1_000 }, managed].map(|queue| {
            let mut link = LinkConfig { queue, ..packing_link(rate, max_amsdu) };
            link.aggregation.as_mut().expect("this link sends A-MPDUs").max_bytes = max_ampdu;
            let mut air = Air::new(pair(edca(0), link));
            air.damage(0, seed);
            air.run(at(100));
            for (n, &len) in (0..).zip(&lens) {
                air.send(0, NodeId(1), Bytes(len), [n]);
            }
            air.run(at(1_000_000));
            assert_eq!(air.live(), 0, "seed {seed}");
            (air.script().to_vec(), air.up().to_vec())
        });
        assert_eq!(alike, one_by_one, "seed {seed}");
    }
}

#[test]
fn an_amsdu_alone_on_n_is_no_a_mpdu_and_answered_by_an_ack() {
    // 3076 bytes: 24,630 bits in 46 symbols, 165.6 us rounded up to 168, and 36 of preamble.
    let mut air = Air::new(pair(edca(0), packing_link(ht(7), 7935)));
    start(&mut air, 2);
    air.run(at(1000));
    air.assert_script(&["106..310 0>1 data 0 of 2 packets, duration 44", "326..354 1>0 Ack, duration 0"]);
    air.assert_up(&["310 1 0", "310 1 1"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn an_amsdu_is_lost_and_comes_again_as_it_was() {
    // The first MPDU of two is damaged: it comes again with its two packets, alone, though a third one waits by then.
    let mut air = Air::new(pair(edca(0), packing_link(ht(7), 7935)));
    air.damage(0, 0b01);
    start(&mut air, 4);
    air.run(at(300));
    air.send(0, NodeId(1), FULL, [4]);
    air.run(at(2000));
    let script = air.script();
    assert!(script[0].ends_with("A-MPDU 0 0 1 1, duration 48") && script[1].contains("BlockAck 0+10"), "{script:#?}");
    assert!(script[2].contains("A-MPDU 0r 0r 2, duration 48"), "{script:#?}");
    let order: Vec<&str> = air.up().iter().filter_map(|line| line.split(' ').next_back()).collect();
    assert_eq!(order, ["0", "1", "2", "3", "4"]);
    assert_eq!(air.live(), 0);
}

#[test]
fn packets_to_other_ends_share_an_mpdu_and_those_of_another_direction_do_not() {
    let route = |ds, destination| Route { next: NodeId(1), destination, source: NodeId(0), ds };
    let mut air = Air::new(pair(edca(0), packing_link(vht(), 11_424)));
    air.run(at(100));
    air.send_by(0, route(Ds::ToAp, NodeId(1)), FULL, [0]);
    air.send_by(0, route(Ds::ToAp, NodeId(9)), FULL, [1]);
    air.send_by(0, route(Ds::FourAddress, NodeId(9)), FULL, [2, 3]);
    air.run(at(110));
    assert!(air.script()[0].contains("A-MPDU 0 0 1 1"), "{:?}", air.script());
}

#[test]
fn a_scheme_that_refuses_a_packet_refuses_its_mpdu() {
    let schemes = vec![Watch::default(), Watch { refuses: true, ..Watch::default() }];
    let mut air =
        Air::with_schemes(pair(MacConfig { retry_limit: 1, ..edca(0) }, packing_link(ht(7), 7935)), schemes, 1);
    start(&mut air, 2);
    air.run(at(2000));
    air.assert_up(&[]);
    assert_eq!((air.stations[1].counts().refused, air.stations[0].counts().given_up), (1, 1));
    assert_eq!(air.live(), 0);
}

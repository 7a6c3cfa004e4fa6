//! Link-layer answers: refused, with something in them, late, heard and missing; and the header bits of PPDUs.

use std::collections::BTreeMap;

use ackless_cell::config::{Direction, Pace};
use ackless_cell::result::AirtimeClass;
use ackless_dot11::frame::{ACK_LEN, BLOCK_ACK_LEN, Body};
use ackless_dot11::hooks::{AnswerKind, ArrivalKind, Peer, appended_within};
use ackless_schemes::testing::Log;
use ackless_schemes::testing::answers::{Appends, Arrivals, Hears, Late, Marks, Refuses};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::hooks::cells::{
    AP, DIFS, SIFS, STATION, aggregating, on_both, only_on, run, single_frames, with_another_station, with_loss,
    with_tcp, with_udp,
};

const SATURATING: Pace = Pace::Saturating;

#[test]
fn a_refused_frame_has_no_ack_and_is_sent_again() {
    let refuses = Refuses::new(5);
    let refused = refuses.refused.clone();
    let config = with_udp(single_frames(), Direction::Down, SATURATING);
    let run = run(&config, only_on(STATION, refuses));
    let refused = refused.entries();
    assert!(refused.len() > 40, "{} were refused", refused.len());
    let mut retries = 0;
    for &(at, seq) in refused.iter() {
        assert!(!run.answers_from(STATION).any(|answer| answer.start == at + SIFS), "an answer follows {at}");
        let next = run.data_from(AP).find(|sent| sent.start >= at);
        retries += usize::from(next.is_some_and(|sent| sent.ppdu.mpdus()[0].seq == seq && sent.ppdu.mpdus()[0].retry));
    }
    assert!(retries >= refused.len() - 1, "the run may end before the last retry");
    assert_eq!(run.result.counters.nodes[0].counters.ack_timeouts as usize, retries.max(refused.len() - 1));
}

#[test]
fn a_refused_mpdu_is_missing_in_the_block_ack() {
    let refuses = Refuses::new(5);
    let refused = refuses.refused.clone();
    let run = run(&with_udp(aggregating(), Direction::Down, SATURATING), only_on(STATION, refuses));
    let answers: BTreeMap<Instant, _> = run.answers_from(STATION).map(|sent| (sent.start, &sent.ppdu.body)).collect();
    let mut checked = 0;
    for (at, seq) in refused.entries().iter() {
        if let Some(Body::BlockAck(_, bitmap, _)) = answers.get(&(*at + SIFS)) {
            assert!(!bitmap.contains(*seq), "{seq:?} was refused at {at}");
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} were looked up");
    assert!(run.result.counters.nodes[0].counters.retries > 100);
    // What was refused comes again: nothing is missing in the end but what is still on its way.
    assert_eq!(run.result.counters.nodes[0].counters.given_up, 0);
}

#[test]
fn appended_bytes_and_bits_reach_the_sender_under_the_answers_fcs() {
    for (config, plain) in [(single_frames(), ACK_LEN), (aggregating(), BLOCK_ACK_LEN)] {
        let config = with_udp(config, Direction::Down, SATURATING);
        let bytes = vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        let lengthen = Duration::from_micros(100);
        let appends = Appends { bytes: bytes.clone(), lengthen, asked: Log::default() };
        let (hears, asked) = (Hears::default(), appends.asked.clone());
        let (answers, missing) = (hears.answers.clone(), hears.missing.clone());
        let run = run(&config, on_both(hears, appends));
        let on_air: Vec<_> = run.answers_from(STATION).filter(|sent| sent.end() <= config.end()).collect();
        assert!(on_air.len() > 20);
        let (asked, answers) = (asked.entries(), answers.entries());
        for ((sent, (at, due)), (heard_at, from, heard, duration)) in
            on_air.iter().zip(asked.iter()).zip(answers.iter())
        {
            // Asked in the instant in which the answer leaves, SIFS after the frame that it answers.
            assert_eq!((*at, due.to, due.rate), (sent.start, AP, sent.ppdu.txvector));
            assert_eq!(sent.ppdu.psdu_len, due.len + Bytes(10));
            assert_eq!(sent.ppdu.duration, due.rate.duration(due.len + Bytes(10)), "the bytes take their time");
            assert_eq!((*heard_at, *from), (sent.end(), STATION));
            assert_eq!((&heard.appended, heard.bits.sync), (&bytes, true));
            assert_eq!((sent.ppdu.duration_field, *duration), (lengthen, lengthen));
        }
        assert!(asked.iter().any(|(_, due)| due.len == plain));
        assert!(asked.iter().all(|(_, due)| (due.kind == AnswerKind::Ack) == (due.len == ACK_LEN)));
        assert!(missing.entries().is_empty());
        let counters = &run.result.counters.nodes[1].counters;
        let answers = asked.len() as u64;
        assert_eq!((counters.appended_answers, counters.appended_bytes), (answers, 10 * answers));
        assert_eq!(run.result.counters.nodes[0].counters.appended_answers, 0, "the AP appends nothing");
        assert!(run.result.airtime_ns[AirtimeClass::Appended] > Duration::ZERO);
    }
}

#[test]
fn an_answer_with_nothing_appended_does_not_count_as_one_with_bytes() {
    let appends = Appends { bytes: Vec::new(), lengthen: Duration::ZERO, asked: Log::default() };
    let run = run(&with_udp(single_frames(), Direction::Down, SATURATING), only_on(STATION, appends));
    let counters = &run.result.counters.total;
    assert!(counters.acks > 100);
    assert_eq!((counters.appended_answers, counters.appended_bytes), (0, 0));
}

#[test]
fn what_fits_beside_an_answer_can_be_told_from_the_question() {
    let appends = Appends { bytes: Vec::new(), lengthen: Duration::ZERO, asked: Log::default() };
    let asked = appends.asked.clone();
    run(&with_udp(single_frames(), Direction::Down, SATURATING), only_on(STATION, appends));
    let (_, due) = asked.entries()[0];
    // An Ack at 24 Mbps has 16 + 112 + 6 bits in two symbols of 96. Eight more symbols fit into DIFS: 10 x 96 - 22 = 938 bits, 117 bytes.
    assert_eq!(appended_within(DIFS, due.rate, due.len), Bytes(117 - 14));
}

#[test]
fn a_late_station_is_waited_for_and_a_legacy_one_beside_it_is_not() {
    let by = Duration::from_micros(30);
    let config = with_another_station(single_frames());
    let mut config = with_udp(config, Direction::Down, Pace::Rate(BitRate::from_mbps(8)));
    let mut second = config.flows[0].clone();
    (second.name, second.station) = ("second".to_owned(), 1);
    config.flows.push(second);
    let late = Late { by, peers: Log::default() };
    let peers = late.peers.clone();
    let run = run(&config, only_on(STATION, late));
    let mut answers = [0, 0];
    for data in run.data_from(AP) {
        let (station, extra) = if data.ppdu.receiver == STATION { (0, by) } else { (1, Duration::ZERO) };
        let answer = run.answers_from(data.ppdu.receiver).find(|answer| answer.start >= data.end());
        let Some(answer) = answer else { continue };
        assert_eq!(answer.start, data.end() + SIFS + extra);
        assert_eq!(data.ppdu.duration_field, SIFS + extra + answer.ppdu.duration);
        answers[station] += 1;
    }
    assert!(answers.iter().all(|&n| n > 50), "{answers:?}");
    assert_eq!(run.result.counters.total.ack_timeouts, 0);
    // Who knows whom: the late station alone speaks a protocol of its own.
    let known = [Peer::default(), Peer { capable: true, answer_delay: by }, Peer::default()];
    assert_eq!(peers.entries()[0], known);
}

#[test]
fn more_data_is_set_exactly_when_more_is_queued() {
    // Without losses the scheme's own count of what was handed over and not yet sent is what stays queued.
    for config in [single_frames(), aggregating()] {
        for pace in [SATURATING, Pace::Rate(BitRate::from_mbps(10))] {
            let marks = Marks::default();
            let out = marks.out.clone();
            let run = run(&with_udp(config.clone(), Direction::Down, pace), only_on(AP, marks));
            let out = out.entries();
            assert!(out.len() > 20);
            for (sent, &(at, queued, counted, bits)) in run.data_from(AP).zip(out.iter()) {
                assert_eq!((sent.start, sent.ppdu.bits), (at, bits));
                assert_eq!(queued as u64, counted, "at {at}");
                assert_eq!(bits.more_data, counted > 0);
            }
            let with_more = out.iter().filter(|entry| entry.3.more_data).count();
            match pace {
                Pace::Saturating => assert!(with_more > out.len() / 2, "a flooded queue is seldom empty"),
                Pace::Rate(_) => assert_eq!(with_more, 0, "a slow source leaves nothing queued"),
            }
        }
    }
}

#[test]
fn header_bits_arrive_as_they_were_sent() {
    for config in [single_frames(), aggregating()] {
        let (marks, arrivals) = (Marks::default(), Arrivals::default());
        let log = arrivals.0.clone();
        let run = run(&with_udp(config, Direction::Down, SATURATING), on_both(marks, arrivals));
        let log = log.entries();
        assert!(log.len() > 20);
        let (mut sync, mut kinds) = (0, [0, 0]);
        for (sent, (at, arrival)) in run.data_from(AP).zip(log.iter()) {
            assert_eq!((sent.end(), AP, sent.ppdu.bits), (*at, arrival.from, arrival.bits));
            sync += usize::from(arrival.bits.sync);
            match arrival.kind {
                ArrivalKind::Single(seq) => {
                    assert_eq!(seq, sent.ppdu.mpdus()[0].seq);
                    kinds[0] += 1;
                }
                ArrivalKind::Aggregate(intact) => {
                    assert_eq!(usize::from(intact), sent.ppdu.mpdus().len());
                    kinds[1] += 1;
                }
                ArrivalKind::BlockAckReq => panic!("nothing was lost"),
            }
        }
        assert!(sync.abs_diff(log.len() / 2) <= 1, "every second PPDU bears SYNC");
        assert!(kinds.iter().sum::<i32>() > 20, "{kinds:?}");
    }
}

#[test]
fn missing_answers_and_the_requests_that_follow_are_told() {
    // A third of the BlockAcks are lost, nothing else.
    let config = with_loss(with_udp(aggregating(), Direction::Down, SATURATING), [0.0, 0.0, 0.0, 0.3]);
    let (hears, arrivals) = (Hears::default(), Arrivals::default());
    let (answers, missing, log) = (hears.answers.clone(), hears.missing.clone(), arrivals.0.clone());
    let run = run(&config, on_both(hears, arrivals));
    let ap = &run.result.counters.nodes[0].counters;
    assert!(missing.entries().len() > 5);
    assert_eq!(missing.entries().len() as u64, ap.ack_timeouts);
    assert!(missing.entries().iter().all(|(_, from)| *from == STATION));
    let requests = log.entries().iter().filter(|(_, arrival)| arrival.kind == ArrivalKind::BlockAckReq).count() as u64;
    assert!(requests > 5 && requests.abs_diff(ap.block_ack_requests) <= 1, "{requests}");
    let sent = run.answers_from(STATION).count();
    assert!(sent.abs_diff(answers.entries().len() + missing.entries().len()) <= 1, "each answer came or was missed");
}

#[test]
fn a_lost_answer_takes_its_appended_bytes_with_it() {
    let config = with_loss(with_tcp(single_frames()), [0.0, 0.0, 0.0, 0.2]);
    let (hears, asked) = (Hears::default(), Log::default());
    let answers = hears.answers.clone();
    run(&config, on_both(hears, Appends { bytes: vec![7], lengthen: Duration::ZERO, asked: asked.clone() }));
    let (sent, came) = (asked.entries().len(), answers.entries().len());
    assert!(came < sent && came > sent / 2, "{came} of {sent} came");
    assert!(answers.entries().iter().all(|(_, _, answer, _)| answer.appended == [7]));
}

//! The sender of data under TACK: against a script that plays its receiver, and over paths.

use ackless_tcp::tack::body::{AckKind, Body, FrequencyUpdate, LossRange, Report};
use ackless_tcp::tack::{RateBy, Timing};
use ackless_tcp::{Config, CongestionChoice, Consume, MissingTimestamp, State, TackConfig, Variant};
use ackless_wire::tcp::TackForm;
use ackless_wire::{BitRate, Bytes, Duration, Payload};

use crate::pair::{A, B, Middlebox, Pair, Path};
use crate::tack_agreement::tack;

pub mod script;
mod tail;

use self::script::*;

#[test]
fn the_example_of_section_v_a_from_end_to_end() {
    // Packets of 1,500 bytes, of which 52 are headers and 8 the number.
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(40), 1);
    pair.run_for(Duration::from_millis(500));
    pair.record = true;
    let mut seen = 0;
    pair.alter[A] = Middlebox::new(move |packet| {
        let number = packet.tcp().and_then(|tcp| tcp.options.tack.packet_number);
        seen = number.unwrap_or(seen);
        number.is_none_or(|number| number != 2 && number != 4)
    });
    pair.ends[A].write_length(Bytes(3 * 1440));
    let last = |pair: &Pair| {
        pair.sent[A].iter().rev().find_map(|(_, packet)| packet.tcp().and_then(|tcp| tcp.options.tack.packet_number))
    };
    pair.run_while(|pair| last(pair) != Some(4));
    pair.ends[A].write_length(Bytes(2 * 1440));
    pair.run_while(|pair| pair.ends[A].bytes_acked() < Bytes(5 * 1440));
    let sent: Vec<_> = pair.sent[A]
        .iter()
        .filter_map(|(_, packet)| {
            let tcp = packet.tcp()?;
            Some((tcp.options.tack.packet_number?, (tcp.seq - (crate::pair::ISS[A] + 1)) / 1440))
        })
        .collect();
    assert_eq!(sent, [(1, 0), (2, 1), (3, 2), (4, 1), (5, 3), (6, 4), (7, 1)]);
    let stats = pair.ends[A].stats();
    assert_eq!((stats.timeouts, stats.tail_probes, stats.fast_retransmits), (0, 0, 1));
    let pulls: Vec<_> = pair.sent[B]
        .iter()
        .filter_map(|(_, packet)| match (packet.tcp()?.options.tack.ack_type.and_then(AckKind::of)?, &packet.payload) {
            (AckKind::Loss, Payload::Data(bytes)) => Body::decode(AckKind::Loss, bytes).ok(),
            _ => None,
        })
        .collect();
    let range = |second, largest| Body::Loss(LossRange { second, largest });
    assert_eq!(pulls, [range(1, 3), range(3, 5)]);
}

#[test]
fn what_an_iack_names_goes_out_before_new_data_and_under_a_new_number() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(100_000));
    let first = script.burst();
    assert_eq!(first, (0..10).map(|i| sent(i + 1, i)).collect::<Vec<_>>());
    script.wait(RTT);
    script.report(2, report(10, 6));
    script.pull(2, 2, 5);
    // Nothing is in flight, and of eight segments half are permitted.
    assert_eq!(script.burst(), [sent(11, 2), sent(12, 3), sent(13, 10), sent(14, 11)]);
}

#[test]
fn however_often_a_hole_is_reported_it_is_filled_once_in_a_round_trip() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(1_000_000));
    script.burst();
    // For ten round trips every packet but that at 2,000 arrives, and two reports in each quarter say so.
    let (mut largest, mut received) = (0, 0);
    for _ in 0..40 {
        script.wait(RTT / 4);
        for data in script.arrivals(largest) {
            largest = data.number;
            received += u32::from(data.place > 2);
        }
        if largest >= 4 {
            let hole = Report { hol: Some(Bytes(1_000)), ..report(largest, received) };
            script.report(2, hole.clone());
            script.report(2, hole);
        }
    }
    let repeats: Vec<_> = script.log.iter().filter(|(_, sent, _)| sent.place == 2).map(|&(at, _, _)| at).collect();
    assert!(repeats.len() >= 4, "{repeats:?}");
    assert!(repeats.windows(2).all(|pair| pair[1].saturating_since(pair[0]) >= RTT), "{repeats:?}");
}

#[test]
fn nothing_new_goes_out_while_the_cap_is_reached() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(1_000_000));
    script.drain();
    let mut acked = 0;
    for _ in 0..40 {
        script.wait(RTT / 4);
        let window = script.end.congestion_window().get() / 1000;
        let out = script.log.len() as u64 - u64::from(acked);
        assert!(out <= window, "{out} packets in flight, {window} permitted");
        acked = script.arrivals(0).last().map_or(acked, |data| data.number);
        script.report(acked, report(acked, 0));
    }
    assert!(acked > 200, "{acked}");
}

#[test]
fn the_frequency_is_told_at_the_end_of_start_up_and_until_it_is_in_force() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(10_000_000));
    let mut told: Vec<(u64, FrequencyUpdate)> = Vec::new();
    let (mut acked, mut arrived, mut in_force) = (0, 0, Duration::ZERO);
    script.drain();
    for quarter in 0..120u64 {
        quarter_goes_by(&mut script, quarter, &mut acked, &mut arrived);
        let delivery_rate = BitRate::from_mbps(8);
        if arrived == 0 {
            continue;
        }
        script.report(acked, Report { delivery_rate, interval: in_force, ..report(arrived, 0) });
        for body in std::mem::take(&mut script.typed) {
            if let Body::Frequency(update) = body {
                told.push((quarter, update));
            }
        }
        if quarter == 40 {
            in_force = told.last().expect("something was told").1.interval;
        }
    }
    let intervals: Vec<_> = told.iter().map(|(_, update)| update.interval).collect();
    assert!(told[0].0 >= 10, "not in slow start: {told:?}");
    assert!(told.len() >= 4, "repeated until quarter 40: {told:?}");
    assert!(intervals.iter().all(|&interval| interval == intervals[0]), "{told:?}");
    assert!(told.iter().all(|&(quarter, _)| quarter <= 41), "and no more: {told:?}");
    assert!(told.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 4), "once in a round trip: {told:?}");
    // beta / RTTmin: the round trip of 100 ms, to a few microseconds of pacing.
    let expected = RTT / 4;
    assert!(intervals[0] >= expected && intervals[0] <= expected + RTT / 16, "{told:?}");
}

/// All that was sent arrives in a quarter of a round trip; in the tenth a packet is named that is still out, so that slow start is left.
fn quarter_goes_by(script: &mut Script, quarter: u64, acked: &mut u32, arrived: &mut u32) {
    script.wait(RTT / 4);
    for data in script.arrivals(*arrived) {
        *arrived = data.number;
        *acked = (*acked).max(data.place + 1);
    }
    if quarter == 10 {
        script.pull(*acked, *arrived, *arrived + 2);
    }
}

/// What is told of 1/f to a receiver whose window is of five packets for 70 quarters of a round trip, and wide from then on: when, and how long it is.
fn told_of_a_narrow_window(window_asks: bool) -> Vec<(u64, Duration)> {
    let mut config = config();
    config.tack = config.tack.map(|tack| TackConfig { window_asks, ..tack });
    let mut script = Script::connected(config);
    script.end.send(Bytes(10_000_000));
    let (mut acked, mut arrived, mut told) = (0, 0, Vec::new());
    script.drain();
    for quarter in 0..200u64 {
        script.window = if quarter < 70 { 5_000 } else { 60_000 };
        quarter_goes_by(&mut script, quarter, &mut acked, &mut arrived);
        if arrived == 0 {
            continue;
        }
        let interval = told.last().map_or(Duration::ZERO, |&(_, interval)| interval);
        script.report(acked, Report { delivery_rate: BitRate::from_mbps(8), interval, ..report(arrived, 0) });
        for body in std::mem::take(&mut script.typed) {
            if let Body::Frequency(update) = body {
                told.push((quarter, update.interval));
            }
        }
    }
    told
}

#[test]
fn a_window_that_blocks_hurries_reports_as_long_as_it_does_where_that_is_chosen() {
    let silent = told_of_a_narrow_window(false);
    assert!(!silent.is_empty() && silent.iter().all(|&(_, interval)| interval >= RTT / 4), "{silent:?}");
    let told = told_of_a_narrow_window(true);
    assert!(told.iter().any(|&(quarter, interval)| quarter < 70 && interval < RTT / 16), "{told:?}");
    // Two rounds after it has blocked for the last time, and a second later.
    let (at, last) = *told.last().expect("something was told");
    assert!((110..130).contains(&at) && last >= RTT / 4, "{told:?}");
}

#[test]
fn a_few_plain_acknowledgements_may_be_challenges_and_a_round_trip_of_them_ends_tack() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(100_000));
    assert!(script.burst().len() >= 3);
    for (acked, fallbacks) in [(1, 0), (2, 0), (3, 1)] {
        script.deliver(script.header(acked), Payload::EMPTY);
        assert_eq!(script.end.stats().fallbacks, fallbacks, "after {acked}");
        script.wait(RTT * 55 / 100);
    }
}

#[test]
fn segments_that_lie_are_refused_and_move_nothing() {
    let lies: Vec<(&str, AckKind, u32, Body)> = vec![
        ("a number never sent", AckKind::Tack, 5, Body::Report(report(4_000_000, 0))),
        ("a range never sent", AckKind::Loss, 0, Body::Loss(LossRange { second: 70, largest: 90 })),
        ("data never sent", AckKind::Tack, 500, Body::Report(report(5, 0))),
        ("data below any window", AckKind::Tack, u32::MAX / 2000, Body::Report(report(5, 0))),
    ];
    for (what, kind, acked, body) in lies {
        let mut script = Script::connected(config());
        script.end.send(Bytes(20_000));
        script.burst();
        script.wait(RTT / 10);
        let (before, window) = (script.end.stats(), script.end.congestion_window());
        script.typed(kind, acked, &body, None);
        let repeated = script.burst().iter().any(|data| data.number > 10 && data.place < 10);
        assert!(!repeated, "{what}");
        let after = script.end.stats();
        assert_eq!((after.bytes_delivered, after.fallbacks), (before.bytes_delivered, 0), "{what}");
        assert_eq!(script.end.congestion_window(), window, "{what}");
        assert!(
            after.malformed_tacks + after.challenge_acks > before.malformed_tacks + before.challenge_acks,
            "{what}: {after:#?}"
        );
    }
}

#[test]
fn typed_segments_out_of_the_blue_are_not_read() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(1_000_000));
    script.burst();
    script.wait(RTT / 10);
    // A serial from the future would make all that follow late.
    let bytes = Body::Report(Report { serial: 9_000, ..report(5, 0) }).encode(Bytes(1000));
    for seq in [THEIRS + 1, THEIRS + 1_000_000, THEIRS - 1_500_000_000] {
        let mut tcp = script.header(5);
        tcp.seq = seq;
        tcp.options.tack.ack_type = Some(1);
        script.deliver(tcp, Payload::Data(bytes.clone()));
    }
    let stats = script.end.stats();
    assert_eq!((stats.tacks_received, stats.malformed_tacks, stats.bytes_acked), (0, 3, Bytes::ZERO));
}

#[test]
fn reports_that_make_no_sense_do_not_keep_tack_alive() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(20_000));
    script.burst();
    for _ in 0..20 {
        script.report(5, report(4_000_000, 0));
        script.wait(RTT * 2);
    }
    assert_eq!(script.end.stats().fallbacks, 1);
}

#[test]
fn a_report_that_an_acknowledgement_has_overtaken_still_tells_of_holes() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(100_000));
    script.burst();
    script.wait(RTT);
    // Data of the peer acknowledges two thousand bytes; a TACK that left before it comes after it.
    let mut tcp = script.header(2);
    tcp.options.tack.packet_number = Some(1);
    script.deliver(tcp, Payload::Length(100));
    script.burst();
    script.wait(RTT);
    script.report(1, Report { hol: Some(Bytes(3_000)), ..report(10, 6) });
    let burst = script.burst();
    assert_eq!(burst.first().map(|data| data.place), Some(2), "before new data: {burst:?}");
}

#[test]
fn a_recovery_that_ends_with_nothing_in_flight_leaves_the_window_as_the_loss_made_it() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(10_000));
    script.burst();
    script.wait(RTT / 10);
    script.pull(1, 1, 3);
    let reduced = script.end.congestion_window();
    script.report(1, report(10, 8));
    script.wait(RTT);
    script.report(10, report(11, 0));
    assert_eq!(script.end.stats().bytes_acked, Bytes(10_000));
    assert_eq!((reduced, script.end.congestion_window()), (Bytes(4_500), Bytes(4_500)));
}

#[test]
fn after_a_lost_syn_the_first_reported_round_trip_sets_the_pace() {
    let congestion = CongestionChoice::ReceiverBbr(Variant::Standard);
    let mut script = Script::connected_after(Config { congestion, ..config() }, RTT * 12);
    script.end.send(Bytes(100_000));
    script.drain();
    script.wait(RTT);
    script.report(1, report(1, 0));
    // A segment in a round trip, times 2.885.
    let rate = script.end.pacing_rate().expect("BBR paces");
    assert!(rate < BitRate::from_kbps(232), "{rate:?}");
}

#[test]
fn wild_values_in_a_report_are_bounded_by_what_is_out() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(1_000_000));
    script.burst();
    script.wait(RTT);
    script.report(
        2,
        Report {
            delivery_rate: BitRate::from_bps(u64::MAX),
            received_in_flight: Bytes(u64::from(u32::MAX)),
            interval: Duration::from_secs(4_000),
            hol: Some(Bytes(3_000_000_000)),
            bubbles: vec![(Bytes(2_000), Bytes(3_000)), (Bytes(0), Bytes(1)), (Bytes(6_000), Bytes(2_000_000_000))],
            delay: Duration::from_secs(3_000),
            ..report(10, 0)
        },
    );
    let stats = script.end.stats();
    // Four windows of ten segments in a round trip, at most.
    let bound = Bytes(4 * 20_000).per(RTT);
    assert!(stats.bandwidth.is_some_and(|bandwidth| bandwidth <= bound), "{bound:?} {stats:#?}");
    assert!(script.end.retransmission_timeout() < Duration::from_secs(2));
    let wait = script.wait(Duration::from_secs(3));
    assert!(wait.iter().any(|data| data.place == 2), "what is said to be there and is not is sent again: {wait:?}");
}

#[test]
fn a_sender_that_measures_itself_believes_in_no_more_than_it_has_sent() {
    let tack = config().tack.map(|tack| TackConfig { rate: RateBy::Sender, ..tack });
    let mut script = Script::connected(Config { tack, ..config() });
    script.end.send(Bytes(1_000_000));
    let (mut acked, mut arrived) = (0, 0);
    script.drain();
    for quarter in 0..20u64 {
        script.wait(RTT / 4);
        for data in script.arrivals(arrived) {
            arrived = data.number;
            acked = acked.max(data.place + 1);
        }
        if arrived > 0 {
            let received_in_flight = if quarter >= 10 { Bytes(u64::from(u32::MAX)) } else { Bytes::ZERO };
            script.report(acked, Report { received_in_flight, ..report(arrived, 0) });
        }
    }
    // All that was ever sent, in the shortest time over which a rate is taken.
    let stats = script.end.stats();
    let bound = Bytes(1000 * stats.data_segments_sent).per(Duration::from_millis(10));
    assert!(
        stats.bandwidth.is_some_and(|bandwidth| bandwidth > BitRate::ZERO && bandwidth <= bound),
        "{bound:?} {stats:#?}"
    );
}

#[test]
fn a_body_without_sense_is_counted_and_enters_no_stream() {
    let mut script = Script::connected(Config { consume: Consume::ByApplication, ..config() });
    for (kind, bytes) in [(1u8, vec![]), (1, vec![0; 7]), (2, vec![255; 12]), (99, vec![1; 40]), (5, vec![5; 600])] {
        for seq in [THEIRS + 1, THEIRS - 40, THEIRS + 20_000] {
            let mut tcp = script.header(0);
            tcp.seq = seq;
            tcp.options.tack.ack_type = Some(kind);
            let payload = Payload::Data(bytes.clone().into());
            script.deliver(tcp, payload);
            script.drain();
        }
    }
    assert_eq!(script.end.readable(), Bytes::ZERO);
    let stats = script.end.stats();
    assert_eq!((stats.malformed_tacks, stats.bytes_delivered, stats.fallbacks), (15, Bytes::ZERO, 0));
}

#[test]
fn a_closed_window_is_probed_and_its_opening_is_heard_from_any_kind_of_segment() {
    for kind in [AckKind::Window, AckKind::Tack] {
        let mut script = Script::connected(config());
        script.end.send(Bytes(100_000));
        script.burst();
        script.wait(RTT);
        script.window = 0;
        script.report(10, report(10, 0));
        assert_eq!(script.burst(), []);
        let probes = script.wait(Duration::from_secs(4));
        assert!(probes.len() >= 2 && probes.iter().all(|probe| probe.place == 10), "{probes:?}");
        let largest = probes.last().expect("there are probes").number;
        let stale = script.header(10);
        script.wait(RTT);
        script.window = 60_000;
        let serial = script.serial;
        let departure = script.stamp;
        script.typed(kind, 10, &Body::Report(Report { serial, ..report(largest, 0) }), Some(departure));
        // A plain segment that left before is late: its window counts no more.
        script.deliver(stale, Payload::EMPTY);
        let more = script.burst();
        assert!(more.len() >= 2 && more[0].place == 10, "{kind:?}: {more:?}");
        assert_eq!(script.end.stats().timeouts, 0);
    }
}

#[test]
fn a_timeout_waits_for_the_tack_that_may_be_held_back() {
    let path = Path { rate: Some(BitRate::from_mbps(50)), ..Path::of_delay(400) };
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], path, 1);
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_secs(40));
    let stats = pair.ends[A].stats();
    let told = stats.told_interval.expect("start-up is over");
    assert!(told >= Duration::from_millis(200), "{told:?}");
    assert!(pair.ends[A].retransmission_timeout() >= Duration::from_millis(1_000) + told);
    assert_eq!((stats.timeouts, stats.retransmitted_segments, stats.fallbacks), (0, 0, 0), "{stats:#?}");
}

#[test]
fn both_ways_to_the_least_round_trip_stay_near_the_truth_when_every_packet_is_jittered() {
    for (delay, jitter) in [(10, 2), (50, 2), (50, 20)] {
        // Each packet on the way there takes up to `jitter` longer; the way back is steady.
        let there = Path {
            rate: Some(BitRate::from_mbps(20)),
            queue: 50,
            reordering: 1.0,
            held: Duration::from_millis(jitter),
            ..Path::of_delay(delay)
        };
        for timing in [Timing::OneWayDelay, Timing::Sampled] {
            let config = Config {
                tack: Some(TackConfig { timing, ..TackConfig::default() }),
                congestion: CongestionChoice::Cubic,
                receive_buffer: Bytes(150_000),
                ..tack(TackForm::Kinds)
            };
            let mut pair = Pair::new([config.clone(), config], Path::of_delay(delay), 3);
            pair.run_for(Duration::from_millis(4 * delay));
            pair.paths[A] = there.clone();
            pair.ends[A].send_forever();
            // Longer than tau, so that the handshake's sample is gone.
            pair.run_for(Duration::from_secs(15));
            let stats = pair.ends[A].stats();
            let truth = Duration::from_millis(2 * delay) + BitRate::from_mbps(20).time_ceil(Bytes(1500));
            for (method, min_rtt) in [("advanced", stats.min_rtt_advanced), ("sampled", stats.min_rtt_sampled)] {
                let min_rtt = min_rtt.expect("reports have come");
                // Stamps are whole microseconds, rounded down.
                let bounds = truth.saturating_sub(Duration::from_micros(1))..=truth + truth / 100;
                assert!(
                    bounds.contains(&min_rtt),
                    "{method}, {delay} ms, jitter {jitter} ms: {min_rtt:?}, not {truth:?}"
                );
            }
        }
    }
}

#[test]
fn start_up_ends_after_twenty_round_trips_for_a_controller_that_loses_nothing() {
    let config =
        Config { congestion: CongestionChoice::Cubic, receive_buffer: Bytes(200_000), ..tack(TackForm::Kinds) };
    let path = Path { rate: Some(BitRate::from_mbps(50)), ..Path::of_delay(20) };
    let mut pair = Pair::new([config.clone(), config], path, 1);
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_millis(700));
    assert_eq!(pair.ends[A].stats().told_interval, None);
    pair.run_for(Duration::from_secs(1));
    assert!(pair.ends[A].stats().told_interval.is_some());
    assert_eq!(pair.ends[A].stats().ssthresh, None, "CUBIC has not left slow start");
}

#[test]
fn both_ends_send_at_once_and_both_get_reports() {
    for congestion in [CongestionChoice::Cubic, CongestionChoice::ReceiverBbr(Variant::Standard)] {
        for loss in [0.0, 0.02] {
            let config = Config { congestion, ..tack(TackForm::Kinds) };
            let path = Path { rate: Some(BitRate::from_mbps(20)), queue: 100, loss, ..Path::of_delay(20) };
            let mut pair = Pair::new([config.clone(), config], path, 5);
            for end in [A, B] {
                pair.ends[end].send(Bytes(4_000_000));
            }
            pair.run_while(|pair| pair.states() != [State::Established; 2]);
            for end in [A, B] {
                pair.ends[end].close();
            }
            pair.run_for(Duration::from_secs(40));
            for end in [A, B] {
                let stats = pair.ends[end].stats();
                assert_eq!((stats.bytes_acked, stats.bytes_delivered), (Bytes(4_000_000), Bytes(4_000_000)));
                assert!(stats.tacks_received > 20 && stats.told_interval.is_some(), "{stats:#?}");
                assert_eq!(stats.fallbacks, 0);
                assert!(matches!(pair.ends[end].state(), State::TimeWait | State::Closed), "{:?}", pair.states());
            }
        }
    }
}

#[test]
fn lost_frequency_iacks_are_repeated_over_a_path() {
    let path = Path { rate: Some(BitRate::from_mbps(20)), queue: 100, ..Path::of_delay(20) };
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], path, 1);
    let mut dropped = 0;
    pair.alter[A] = Middlebox::new(move |packet| {
        let kind = packet.tcp().and_then(|tcp| tcp.options.tack.ack_type).and_then(AckKind::of);
        let drops = kind == Some(AckKind::Frequency) && dropped < 5;
        dropped += u32::from(drops);
        !drops
    });
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_secs(5));
    let [told, in_force] = [pair.ends[A].stats().told_interval, pair.ends[B].stats().tack.interval];
    assert!(told.is_some());
    assert_eq!(told, in_force);
}

#[test]
fn a_tack_connection_drops_what_lacks_a_timestamp_whatever_is_chosen() {
    for missing_timestamp in [MissingTimestamp::Accept, MissingTimestamp::Drop] {
        let mut script = Script::connected(Config { missing_timestamp, ..config() });
        script.end.send(Bytes(20_000));
        script.burst();
        let mut tcp = script.header(3);
        tcp.options.timestamps = None;
        script.deliver(tcp, Payload::EMPTY);
        let stats = script.end.stats();
        assert_eq!((stats.bytes_acked, stats.dropped_by_timestamp), (Bytes::ZERO, 1), "{missing_timestamp:?}");
    }
}

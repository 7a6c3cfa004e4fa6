//! The ACK rate that a sender asks for (draft-ietf-tcpm-ack-rate-request, TARR).

use ackless_tcp::{AckChoice, Config, CongestionChoice, State, TackConfig};
use ackless_wire::tcp::{AckRate, TcpOptions};
use ackless_wire::{BitRate, Bytes, Duration, Packet, TcpFlags, Transport};

use crate::pair::{A, B, Middlebox, Pair, Path};

fn asking() -> Config {
    Config { ack: AckChoice::Request { share: 4, timeout: Duration::from_millis(40) }, ..Config::default() }
}

fn options(packet: &mut Packet) -> &mut TcpOptions {
    let Transport::Tcp(tcp) = &mut packet.transport else { panic!("an endpoint sends TCP") };
    &mut tcp.options
}

/// 12 Mbps and 40 ms, a queue of 100: 40 segments fill the path, and slow start ends by a loss.
fn path() -> Path {
    Path { rate: Some(BitRate::from_mbps(12)), queue: 100, ..Path::of_delay(20) }
}

fn download(ends: [Config; 2], alter: Option<Middlebox>, seconds: u64) -> Pair {
    let mut pair = Pair::new(ends, path(), 1);
    if let Some(alter) = alter {
        pair.alter[A] = alter;
    }
    pair.record = true;
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_secs(seconds));
    pair
}

/// What `end` said of ACK rates: on SYNs, and the requests with whether each was on data, in order.
fn said(pair: &Pair, end: usize) -> (Vec<Option<AckRate>>, Vec<(u32, bool)>) {
    let (mut syns, mut requests) = (Vec::new(), Vec::new());
    for (_, packet) in &pair.sent[end] {
        let tcp = packet.tcp().expect("an endpoint sends TCP");
        if tcp.flags.contains(TcpFlags::SYN) {
            syns.push(tcp.options.ack_rate);
        } else if let Some(rate) = tcp.options.ack_rate {
            let request = rate.request().expect("capability is said on SYNs alone");
            assert!(!request.ignores_order());
            requests.push((request.segments(), packet.data_len() > 0));
        }
    }
    (syns, requests)
}

/// Data segments that B acknowledged with each ACK in the last second.
fn each(pair: &mut Pair) -> f64 {
    let count = |pair: &Pair| (pair.ends[A].stats().data_segments_sent as f64, pair.ends[B].stats().acks_sent as f64);
    let before = count(pair);
    pair.run_for(Duration::from_secs(1));
    let after = count(pair);
    (after.0 - before.0) / (after.1 - before.1)
}

#[test]
fn nothing_is_asked_for_unless_both_syns_say_that_their_ends_can() {
    let plain = Config::default();
    let capable = Some(AckRate::CAPABLE);
    for (ends, syns) in [
        ([asking(), asking()], [capable, capable]),
        ([asking(), plain.clone()], [capable, None]),
        ([plain.clone(), asking()], [None, None]),
        ([plain.clone(), plain], [None, None]),
    ] {
        let mut pair = download(ends, None, 6);
        let (both, [(ours, requests), (theirs, back)]) = (syns == [capable; 2], [said(&pair, A), said(&pair, B)]);
        assert_eq!([ours[0], theirs[0]], syns);
        assert_eq!((requests.is_empty(), back.is_empty()), (!both, true), "{syns:?}: {requests:?}");
        let each = each(&mut pair);
        assert_eq!(each > 4.0, both, "an ACK for {each} segments");
        assert_eq!(pair.ends[B].stats().ack_requests_heeded > 0, both);
    }
}

#[test]
fn a_quarter_of_the_window_is_asked_for_once_slow_start_is_over() {
    let mut pair = download([asking(), asking()], None, 2);
    let before = pair.ends[A].stats();
    assert!(before.ssthresh.is_some(), "slow start has ended by a loss");
    let (_, requests) = said(&pair, A);
    // 40 segments fill the path and 100 the queue, and slow start has twice as many out before it knows: the window is between half of the former and 0.7 of the latter.
    // After a timeout slow start begins anew, and two are asked for.
    let fits = |r| (10..=49).contains(&r) || (r == 2 && before.timeouts > 0);
    assert!(requests.iter().all(|&(r, on_data)| on_data && fits(r)), "{requests:?}, {} timeouts", before.timeouts);
    assert_eq!(requests.len() as u64, before.ack_requests_sent);
    let asked = requests.last().expect("something was asked for").0;
    // Above a hole each segment draws an ACK of its own, which acknowledges nothing: of the others half answer for no fewer and no more than they were asked to.
    let from = pair.sent[B].len();
    pair.run_for(Duration::from_secs(1));
    let numbers: Vec<_> = pair.sent[B][from..].iter().filter_map(|(_, packet)| Some(packet.tcp()?.ack)).collect();
    let mut steps: Vec<_> =
        numbers.windows(2).map(|pair| pair[1].distance_from(pair[0])).filter(|&step| step > 0).collect();
    steps.sort_unstable();
    let median = steps[steps.len() / 2] / 1448;
    assert_eq!(median, asked as i32, "{steps:?}");
    // Nothing was asked for while slow start ran: until the first loss was repaired.
    let first_repair = pair.sent[A].iter().scan(0, |next, (at, packet)| {
        let tcp = packet.tcp().expect("an endpoint sends TCP");
        let again = packet.data_len() > 0 && tcp.seq.distance_from(ackless_wire::SeqNumber(*next)) < 0;
        *next = if again { *next } else { (tcp.seq + packet.payload.len()).0 };
        Some((at, again))
    });
    let repaired = first_repair.into_iter().find(|&(_, again)| again).expect("something was repeated").0;
    let asked_at = pair.sent[A]
        .iter()
        .find(|(_, packet)| packet.tcp().is_some_and(|tcp| tcp.options.ack_rate.and_then(AckRate::request).is_some()));
    assert!(asked_at.expect("something was asked for").0 >= *repaired);
}

#[test]
fn a_segment_that_bears_a_request_is_shorter_by_its_options_and_none_is_longer_than_the_mss() {
    let pair = download([asking(), asking()], None, 6);
    let mut lengths = std::collections::BTreeMap::<u64, u64>::new();
    for (_, packet) in pair.sent[A].iter().filter(|(_, packet)| packet.data_len() > 0) {
        let options = packet.tcp().expect("an endpoint sends TCP").options.len().get();
        assert!(u64::from(packet.payload.len()) + options <= 1460, "{packet:?}");
        *lengths.entry(options).or_default() += 1;
    }
    // Timestamps alone, and with a request.
    assert_eq!(lengths.keys().copied().collect::<Vec<_>>(), [12, 20]);
}

#[test]
fn a_request_that_was_lost_with_its_segment_is_made_again() {
    let lost = std::cell::Cell::new(false);
    let drops = Middlebox::new(move |packet| {
        let is_request = options(packet).ack_rate.is_some_and(|rate| rate.request().is_some());
        !is_request || lost.replace(true)
    });
    let mut pair = download([asking(), asking()], Some(drops), 10);
    assert!(pair.ends[B].stats().ack_requests_heeded > 0);
    // What goes out after the repair of the segment that bore the first one bears the same.
    let data: Vec<_> = pair.sent[A]
        .iter()
        .filter(|(_, packet)| packet.data_len() > 0)
        .filter_map(|(_, packet)| packet.tcp())
        .map(|tcp| (tcp.seq, tcp.options.ack_rate.and_then(AckRate::request)))
        .collect();
    let first = data.iter().position(|(_, request)| request.is_some()).expect("something was asked for");
    let repair = first + 1 + data[first + 1..].iter().position(|(seq, _)| *seq == data[first].0).expect("it was lost");
    assert_eq!(data[repair + 1].1, data[first].1);
    let each = each(&mut pair);
    assert!(each > 4.0, "an ACK for {each} segments");
}

#[test]
fn where_all_that_bears_a_request_is_dropped_no_more_is_asked_for_once_three_were_lost() {
    let drops = Middlebox::new(|packet| options(packet).ack_rate.is_none_or(|rate| rate.request().is_none()));
    let mut pair = download([asking(), asking()], Some(drops), 60);
    let (_, requests) = said(&pair, A);
    // And those made before it was known that the third was lost, or while nothing was acknowledged.
    assert!((3..=6).contains(&requests.len()), "{requests:?}");
    let each = each(&mut pair);
    assert!((1.5..2.5).contains(&each), "an ACK for {each} segments");
    let goodput = pair.ends[B].bytes_delivered().per(Duration::from_secs(61)).mbps_f64();
    assert!(goodput > 0.8 * 12.0, "{goodput} Mbps");
}

#[test]
fn after_an_outage_that_begins_with_a_request_others_are_made() {
    for seconds in [1, 5, 15] {
        let mut pair = download([asking(), asking()], None, 0);
        pair.run_while(|pair| pair.ends[A].stats().ack_requests_sent < 2);
        let before = pair.ends[A].stats().ack_requests_sent;
        for (loss, span) in [(1.0, seconds), (0.0, 120)] {
            pair.paths[A].loss = loss;
            pair.paths[B].loss = loss;
            pair.run_for(Duration::from_secs(span));
        }
        let (sender, receiver) = (pair.ends[A].stats(), pair.ends[B].stats());
        assert!(
            sender.ack_requests_sent > before + 2 && receiver.ack_requests_heeded > 2,
            "{seconds} s: {before} before, {} in all, {} heeded",
            sender.ack_requests_sent,
            receiver.ack_requests_heeded
        );
    }
}

#[test]
fn a_path_that_drops_syns_with_what_it_does_not_know_gets_plain_ones_after_three() {
    for way in [A, B] {
        let mut pair = Pair::new([asking(), asking()], path(), 1);
        pair.alter[way] = Middlebox::new(|packet| options(packet).ack_rate != Some(AckRate::CAPABLE));
        pair.record = true;
        pair.ends[A].send_forever();
        pair.run_for(Duration::from_secs(60));
        assert_eq!(pair.ends[A].state(), State::Established, "{way}");
        let requests = [said(&pair, A).1, said(&pair, B).1].concat();
        assert!(requests.is_empty(), "{way}: {requests:?}");
    }
}

#[test]
fn an_answer_to_what_was_not_offered_asks_for_nothing() {
    // An end that offers TACK offers nothing of this; the answer claims that it did.
    let both = Config { tack: Some(TackConfig::default()), ..asking() };
    let mut pair = Pair::new([both, asking()], path(), 1);
    pair.alter[B] = Middlebox::new(|packet| {
        let is_syn = packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::SYN));
        if is_syn {
            options(packet).ack_rate = Some(AckRate::CAPABLE);
        }
        true
    });
    pair.record = true;
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_secs(6));
    assert_eq!(said(&pair, A), (vec![None], vec![]));
}

#[test]
fn a_path_that_strips_requests_leaves_delayed_acks() {
    let strips = Middlebox::new(|packet| {
        if options(packet).ack_rate.is_some_and(|rate| rate.request().is_some()) {
            options(packet).ack_rate = None;
        }
        true
    });
    let mut pair = download([asking(), asking()], Some(strips), 4);
    let each = each(&mut pair);
    assert!((1.5..2.5).contains(&each), "an ACK for {each} segments");
}

#[test]
fn whatever_controls_the_window_every_byte_arrives_over_a_path_that_loses_and_reorders() {
    for (seed, congestion) in
        [CongestionChoice::Reno, CongestionChoice::Cubic, CongestionChoice::Bbr, CongestionChoice::Bbr3]
            .into_iter()
            .cycle()
            .take(12)
            .enumerate()
    {
        let config = Config { congestion, ..asking() };
        let path = Path { loss: 0.02, reordering: 0.05, held: Duration::from_millis(5), ..path() };
        let mut pair = Pair::new([config.clone(), config], path, seed as u64);
        for end in [A, B] {
            pair.ends[end].send(Bytes(400_000));
        }
        pair.run_while(|pair| pair.states() != [State::Established; 2]);
        for end in [A, B] {
            pair.ends[end].close();
        }
        pair.run_for(Duration::from_secs(120));
        for end in [A, B] {
            let stats = pair.ends[end].stats();
            assert_eq!(
                (stats.bytes_acked, stats.bytes_delivered),
                (Bytes(400_000), Bytes(400_000)),
                "seed {seed}: {stats:#?}"
            );
        }
    }
}

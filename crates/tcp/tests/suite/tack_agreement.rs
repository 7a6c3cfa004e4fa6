//! When TACK is in force, and what happens when it cannot be any more.

use ackless_tcp::tack::Verdict;
use ackless_tcp::{AckChoice, Config, CongestionChoice, Endpoint, State, TackConfig, Variant};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::tcp::{TackForm, TackOptions, TcpOptions};
use ackless_wire::{BitRate, Bytes, Duration, Packet, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::pair::{A, B, Middlebox, Pair, Path, address};

pub fn tack(form: TackForm) -> Config {
    Config { tack: Some(TackConfig { form, ..TackConfig::default() }), ..Config::default().with_tack() }
}

fn options(packet: &mut Packet) -> &mut TcpOptions {
    let Transport::Tcp(tcp) = &mut packet.transport else { panic!("an endpoint sends TCP") };
    &mut tcp.options
}

fn is_syn(packet: &Packet) -> bool {
    packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::SYN))
}

/// Whether any data segment of `end` had a number, and whether it sent TACKs.
fn speaks(pair: &Pair, end: usize) -> (bool, bool) {
    let of = |has: fn(&TcpHeader) -> bool| pair.sent[end].iter().any(|(_, packet)| packet.tcp().is_some_and(has));
    (of(|tcp| tcp.options.tack.packet_number.is_some()), of(|tcp| tcp.options.tack.ack_type.is_some()))
}

/// Both ends send `bytes` and close; all of it arrives, once, and both ends are done.
fn exchange(pair: &mut Pair, bytes: u64) {
    pair.record = true;
    for end in [A, B] {
        pair.ends[end].send(Bytes(bytes));
    }
    pair.run_while(|pair| pair.states() != [State::Established; 2]);
    for end in [A, B] {
        pair.ends[end].close();
    }
    pair.run_for(Duration::from_secs(50));
    for end in [A, B] {
        let stats = pair.ends[end].stats();
        assert_eq!((stats.bytes_acked, stats.bytes_delivered), (Bytes(bytes), Bytes(bytes)), "end {end}: {stats:#?}");
        assert!(matches!(pair.ends[end].state(), State::TimeWait | State::Closed), "{:?}", pair.states());
    }
}

#[test]
fn it_is_in_force_exactly_if_both_syns_permit_it_and_bear_timestamps() {
    let plain = Config::default();
    let without_timestamps = Config { timestamps: None, ..tack(TackForm::Kinds) };
    let (kinds, experimental) = (tack(TackForm::Kinds), tack(TackForm::Experimental));
    let cases = [
        (&kinds, &kinds, Some(TackForm::Kinds)),
        (&experimental, &kinds, Some(TackForm::Experimental)),
        (&kinds, &experimental, Some(TackForm::Kinds)),
        (&experimental, &experimental, Some(TackForm::Experimental)),
        (&kinds, &plain, None),
        (&plain, &kinds, None),
        (&without_timestamps, &kinds, None),
        (&kinds, &without_timestamps, None),
    ];
    for (number, (caller, listener, form)) in cases.into_iter().enumerate() {
        let mut pair = Pair::new([caller.clone(), listener.clone()], Path::of_delay(10), 1);
        exchange(&mut pair, 100_000);
        let expected = (form.is_some(), form.is_some());
        assert_eq!([speaks(&pair, A), speaks(&pair, B)], [expected; 2], "case {number}");
        assert_eq!([A, B].map(|end| pair.ends[end].stats().fallbacks), [0; 2], "case {number}");
        let Some(form) = form else { continue };
        for (_, packet) in pair.sent.iter().flatten() {
            let tack = packet.tcp().expect("an endpoint sends TCP").options.tack;
            assert!(tack.is_empty() || tack.form == form, "case {number}: as the caller offered it");
        }
    }
}

#[test]
fn segments_are_eight_bytes_shorter_and_timestamps_tick_in_microseconds() {
    for (listener, len, tick_micros) in [(tack(TackForm::Kinds), 1440, 1), (Config::default(), 1448, 1000)] {
        let mut pair = Pair::new([tack(TackForm::Kinds), listener], Path::of_delay(10), 1);
        exchange(&mut pair, 100_000);
        for end in [A, B] {
            let data: Vec<_> = pair.sent[end].iter().filter(|(_, packet)| packet.data_len() > 0).collect();
            assert_eq!(data.iter().map(|(_, packet)| packet.payload.len()).max(), Some(len));
            let stamps = [data[0], data[data.len() - 1]].map(|(at, packet)| {
                let stamps = packet.tcp().and_then(|tcp| tcp.options.timestamps);
                (at.as_nanos() / 1000 / tick_micros, stamps.expect("timestamps were agreed").0)
            });
            let passed = (stamps[1].0 - stamps[0].0) as u32;
            assert_eq!(stamps[1].1.wrapping_sub(stamps[0].1), passed, "end {end}");
        }
    }
}

#[test]
fn permission_lost_on_either_syn_leaves_a_plain_connection() {
    for form in [TackForm::Kinds, TackForm::Experimental] {
        for stripped in [A, B] {
            for drop in [None, Some(3), Some(12)] {
                let mut pair = Pair::new([tack(form), tack(form)], Path::of_delay(10), 1);
                pair.alter[stripped] = Middlebox::new(|packet| {
                    if is_syn(packet) {
                        options(packet).tack = TackOptions::default();
                    }
                    true
                });
                pair.paths[A].drop.extend(drop);
                pair.paths[B].drop.extend(drop);
                exchange(&mut pair, 100_000);
                let fallbacks = [A, B].map(|end| pair.ends[end].stats().fallbacks);
                // Where the answer lost it, the listener believes in TACK until the caller's first data.
                assert_eq!(fallbacks, if stripped == A { [0, 0] } else { [0, 1] }, "{form:?}, drop {drop:?}");
                assert_eq!(speaks(&pair, A), (false, false), "the caller never saw a permission");
            }
        }
    }
}

#[test]
fn a_caller_that_only_listens_shows_by_its_plain_acknowledgements_that_permission_was_lost() {
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(10), 1);
    pair.alter[B] = Middlebox::new(|packet| {
        if is_syn(packet) {
            options(packet).tack = TackOptions::default();
        }
        true
    });
    pair.ends[B].send(Bytes(1_000_000));
    pair.paths[B].drop = vec![20, 21];
    pair.run_for(Duration::from_secs(20));
    assert_eq!(pair.ends[A].bytes_delivered(), Bytes(1_000_000));
    let stats = pair.ends[B].stats();
    assert_eq!((stats.fallbacks, stats.timeouts), (1, 0), "{stats:#?}");
}

#[test]
fn who_has_fallen_back_is_not_old_after_any_silence_to_a_peer_that_never_knew_of_tack() {
    for minutes in [10, 36, 50, 71] {
        let plain = Config { tack: None, ..tack(TackForm::Kinds) };
        let mut pair = Pair::new([plain, tack(TackForm::Kinds)], Path::of_delay(10), 1);
        // The listener has been made to believe in TACK.
        pair.alter[A] = Middlebox::new(|packet| {
            if is_syn(packet) {
                options(packet).tack.permitted = true;
            }
            true
        });
        pair.ends[A].send(Bytes(10_000));
        pair.run_for(Duration::from_secs(60 * minutes));
        assert_eq!(pair.ends[B].stats().fallbacks, 1);
        pair.ends[B].send(Bytes(10_000));
        pair.run_for(Duration::from_secs(10));
        let stats = pair.ends[A].stats();
        assert_eq!((stats.bytes_delivered, stats.dropped_by_timestamp), (Bytes(10_000), 0), "{minutes} minutes");
    }
}

#[test]
fn answers_that_are_dropped_for_their_permission_are_given_without() {
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(10), 1);
    pair.alter[B] = Middlebox::new(|packet| !(is_syn(packet) && options(packet).tack.permitted));
    exchange(&mut pair, 20_000);
}

#[test]
fn callers_that_meet_agree_and_each_writes_as_the_other_does() {
    let now = Pair::new([Config::default(), Config::default()], Path::of_delay(5), 1).now;
    let ends = [
        Endpoint::connect(now, tack(TackForm::Kinds), address(A), address(B), SeqNumber(100)),
        Endpoint::connect(now, tack(TackForm::Experimental), address(B), address(A), SeqNumber(300)),
    ];
    let mut pair = Pair::of(ends, Path::of_delay(5), 1);
    pair.record = true;
    pair.step();
    pair.step();
    assert_eq!(pair.states(), [State::SynReceived; 2]);
    exchange(&mut pair, 100_000);
    assert_eq!([A, B].map(|end| speaks(&pair, end)), [(true, true); 2]);
    for (end, form) in [(A, TackForm::Experimental), (B, TackForm::Kinds)] {
        for (_, packet) in &pair.sent[end] {
            let tcp = packet.tcp().expect("an endpoint sends TCP");
            assert!(tcp.options.tack.ack_type.is_none() || tcp.options.tack.form == form);
        }
    }
}

#[test]
fn a_listener_that_listens_again_has_forgotten_what_was_agreed() {
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(5), 1);
    pair.step();
    assert_eq!(pair.states()[B], State::SynReceived);
    pair.ends[A].abort(pair.now);
    pair.drain();
    let mut reset = TcpHeader::new(address(A).port(), address(B).port());
    reset.seq = crate::pair::ISS[A] + 1;
    reset.flags = TcpFlags::RST;
    let ip = ackless_wire::IpHeader::between(address(A).ip(), address(B).ip()).expect("both are IPv4");
    let packet = Packet { ip, transport: Transport::Tcp(reset), payload: ackless_wire::Payload::EMPTY };
    pair.ends[B].handle_segment(pair.now, &packet);
    assert_eq!(pair.states()[B], State::Listen);
    pair.ends[A] = Endpoint::connect(pair.now, Config::default(), address(A), address(B), SeqNumber(77));
    exchange(&mut pair, 50_000);
    assert_eq!([A, B].map(|end| speaks(&pair, end)), [(false, false); 2]);
}

#[test]
fn the_fourth_syn_offers_nothing_to_whatever_drops_unknown_options() {
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(5), 1);
    pair.alter[A] = Middlebox::new(|packet| options(packet).tack.is_empty());
    exchange(&mut pair, 50_000);
    assert_eq!([A, B].map(|end| speaks(&pair, end)), [(false, false); 2]);
    assert_eq!(pair.ends[A].stats().timeouts, 3);
    assert_eq!([A, B].map(|end| pair.ends[end].tack_verdict()), [Verdict::Fails, Verdict::Untold]);
}

#[test]
fn the_fourth_syn_is_answered_in_its_own_terms_where_the_answers_are_dropped() {
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(5), 1);
    pair.alter[B] = Middlebox::new(|packet| options(packet).tack.is_empty());
    exchange(&mut pair, 50_000);
    assert_eq!([A, B].map(|end| speaks(&pair, end)), [(false, false); 2]);
    assert_eq!(pair.ends[A].stats().timeouts, 3);
    assert_eq!(pair.ends[A].tack_verdict(), Verdict::Fails);
}

#[test]
fn two_syns_lost_in_a_row_are_no_reason_to_do_without_tack() {
    for from in [A, B] {
        let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(5), 1);
        let mut lost = 0;
        pair.alter[from] = Middlebox::new(move |packet| {
            lost += u64::from(is_syn(packet));
            !is_syn(packet) || lost > 2
        });
        exchange(&mut pair, 50_000);
        assert_eq!([A, B].map(|end| pair.ends[end].tack_verdict()), [Verdict::Works; 2], "those of {from} are lost");
        assert_eq!(pair.ends[A].stats().fallbacks, 0);
    }
}

#[test]
fn whoever_has_only_sent_reports_does_not_know_whether_they_pass() {
    let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], Path::of_delay(5), 1);
    pair.alter[B] = Middlebox::new(|packet| options(packet).tack.ack_type.is_none());
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_millis(100));
    assert!(pair.ends[B].stats().tack.tacks_sent > 0);
    assert_eq!([A, B].map(|end| pair.ends[end].tack_verdict()), [Verdict::Untold; 2]);
}

#[test]
fn a_radio_that_is_gone_for_a_while_leaves_tack_in_force() {
    for congestion in [CongestionChoice::Cubic, CongestionChoice::ReceiverBbr(Variant::Standard)] {
        for millis in [50, 150, 400, 1_000, 3_000, 10_000] {
            let config = Config { congestion, ..tack(TackForm::Kinds) };
            let path = Path { rate: Some(BitRate::from_mbps(20)), queue: 60, ..Path::of_delay(20) };
            let mut pair = Pair::new([config.clone(), config], path, millis);
            pair.ends[A].send_forever();
            pair.run_for(Duration::from_millis(1_500));
            pair.alter = [(); 2].map(|()| Middlebox::new(|_| false));
            pair.run_for(Duration::from_millis(millis));
            pair.alter = [(); 2].map(|()| Middlebox::new(|_| true));
            // A timeout that has backed off is at most as long as the silence that it waited for.
            pair.run_for(Duration::from_millis(2 * millis + 2_000));
            let before = [pair.ends[A].stats(), pair.ends[B].stats()];
            pair.run_for(Duration::from_secs(2));
            let after = [pair.ends[A].stats(), pair.ends[B].stats()];
            let what = format!("{congestion:?}, {millis} ms");
            assert_eq!([A, B].map(|end| after[end].fallbacks), [0; 2], "{what}");
            assert!(after[A].tacks_received > before[A].tacks_received + 50, "{what}");
            assert!(after[B].bytes_delivered > before[B].bytes_delivered + Bytes(3_000_000), "{what}: {after:?}");
        }
    }
}

#[test]
fn loss_of_acknowledgements_leaves_tack_in_force() {
    for percent in [5, 20, 50] {
        for seed in 0..12 {
            let path = Path { rate: Some(BitRate::from_mbps(20)), queue: 60, ..Path::of_delay(20) };
            let mut pair = Pair::new([tack(TackForm::Kinds), tack(TackForm::Kinds)], path, seed);
            pair.ends[A].send_forever();
            pair.run_while(|pair| pair.states() != [State::Established; 2]);
            let mut random = Stream::new(seed, percent, Purpose::Test);
            pair.alter[B] = Middlebox::new(move |_| random.below(100) >= percent);
            pair.run_for(Duration::from_secs(20));
            assert_eq!([A, B].map(|end| pair.ends[end].stats().fallbacks), [0; 2], "{percent} %, seed {seed}");
        }
    }
}

/// What a middlebox does once it has changed its mind.
#[derive(Clone, Copy, Debug)]
enum Whim {
    Strips,
    DropsTyped,
}

#[test]
fn stripped_in_mid_flow_in_any_direction_a_connection_goes_on_plain_within_one_timeout() {
    for congestion in [CongestionChoice::Cubic, CongestionChoice::Bbr, CongestionChoice::ReceiverBbr(Variant::Standard)]
    {
        for directions in [[true, false], [false, true], [true, true]] {
            for (loss, whim) in [(0.0, Whim::Strips), (0.01, Whim::Strips), (0.0, Whim::DropsTyped)] {
                let config = Config { congestion, ..tack(TackForm::Kinds) };
                let path = Path { rate: Some(BitRate::from_mbps(20)), queue: 60, loss, ..Path::of_delay(20) };
                let mut pair = Pair::new([config.clone(), config], path, 7);
                pair.ends[A].send(Bytes(3_000_000));
                pair.run_for(Duration::from_millis(400));
                let before = pair.ends[A].stats();
                assert!(before.tacks_received > 0 && before.bytes_acked < Bytes(3_000_000), "in mid flow");
                for end in [A, B].into_iter().filter(|&end| directions[end]) {
                    pair.alter[end] = Middlebox::new(move |packet| match whim {
                        Whim::Strips => {
                            options(packet).tack = TackOptions::default();
                            true
                        }
                        Whim::DropsTyped => options(packet).tack.ack_type.is_none(),
                    });
                }
                let what = format!("{congestion:?} {directions:?} {loss} {whim:?}");
                let timeout = pair.ends[A].retransmission_timeout();
                // Only TACKs and IACKs are dropped by the second kind: A sends hardly any, B all of them.
                let disturbed = matches!(whim, Whim::Strips) || directions[B];
                // A tail probe, two timeouts in silence, the second twice as long, and then three more, since the inquiries are answered; each with what the receiver may
                // hold back by now.
                pair.run_for(timeout * if matches!(whim, Whim::Strips) { 1 } else { 12 });
                let fallbacks = [A, B].map(|end| pair.ends[end].stats().fallbacks);
                if disturbed && pair.ends[A].bytes_acked() < Bytes(3_000_000) {
                    assert_eq!(fallbacks[A], 1, "{what}");
                }
                pair.ends[A].close();
                pair.run_for(Duration::from_secs(120));
                assert_eq!(pair.ends[B].bytes_delivered(), Bytes(3_000_000), "{what}");
                assert_eq!(pair.ends[A].bytes_acked(), Bytes(3_000_000), "{what}");
                assert_eq!(pair.ends[A].state(), State::FinWait2, "{what}");
            }
        }
    }
}

#[test]
fn an_answer_that_passed_once_and_was_not_heard_of_is_given_without_tack_in_the_end() {
    // The peer speaks TACK from the first answer on, says nothing of its own, and its acknowledgement was lost.
    let config = tack(TackForm::Kinds);
    let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 1);
    pair.paths[A].drop = vec![1];
    let passed = std::cell::Cell::new(false);
    pair.alter[B] = Middlebox::new(move |packet| options(packet).tack.is_empty() || !passed.replace(true));
    pair.ends[B].send(Bytes(300_000));
    pair.run_for(Duration::from_secs(70));
    assert_eq!(pair.ends[A].bytes_delivered(), Bytes(300_000), "{:?}", pair.ends[B].stats());
    assert_eq!([A, B].map(|end| pair.ends[end].stats().fallbacks), [1, 1]);
}

#[test]
fn where_only_acknowledgements_of_answers_are_lost_tack_stays_in_force() {
    for lost in [1, 2, 3, 4] {
        let config = tack(TackForm::Kinds);
        let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 1);
        pair.paths[A].drop = (1..=lost).collect();
        pair.ends[B].send(Bytes(300_000));
        pair.run_for(Duration::from_secs(40));
        assert_eq!(pair.ends[A].bytes_delivered(), Bytes(300_000), "{lost}: {:?}", pair.ends[B].stats());
        assert_eq!([A, B].map(|end| pair.ends[end].stats().fallbacks), [0, 0], "{lost}");
    }
}

fn with_terms(beta: u32, every: u32) -> Config {
    Config { ack: AckChoice::Tack { beta, every }, ..tack(TackForm::Kinds) }
}

/// What `end`'s SYN says of beta and L.
fn told_terms(pair: &Pair, end: usize) -> Option<(u16, u16)> {
    let (_, syn) = pair.sent[end].iter().find(|(_, packet)| is_syn(packet)).expect("a connection begins with a SYN");
    syn.tcp().and_then(|tcp| tcp.options.tack.terms()).map(|terms| (terms.beta, terms.every))
}

/// A download by end B from end A over 12 Mbps and 40 ms, where a segment takes a millisecond: 1/f in milliseconds as A has told it, and how many packets B
/// acknowledged with one TACK, from 5 s on.
fn rhythm(ends: [Config; 2], alter: Option<Middlebox>) -> (Pair, u64, f64) {
    let mut pair = Pair::new(ends, Path { rate: Some(BitRate::from_mbps(12)), ..Path::of_delay(20) }, 1);
    if let Some(alter) = alter {
        pair.alter[A] = alter;
    }
    pair.record = true;
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_secs(5));
    let count =
        |pair: &Pair| (pair.ends[A].stats().data_segments_sent as f64, pair.ends[B].stats().tack.tacks_sent as f64);
    let before = count(&pair);
    pair.run_for(Duration::from_secs(4));
    let after = count(&pair);
    let told = pair.ends[A].stats().told_interval.expect("start-up is over").as_nanos() / 1_000_000;
    (pair, told, (after.0 - before.0) / (after.1 - before.1))
}

#[test]
fn both_ends_go_by_the_beta_and_l_on_which_their_syns_agree() {
    // 1/f is max { L ms, 40 ms / beta }, more or less: payload is a little less than a segment, and ProbeBW asks for more.
    let cases = [
        ((4, 2), (4, 2), 10),
        ((2, 2), (2, 2), 20),
        ((2, 2), (4, 2), 10),
        ((4, 2), (1, 2), 10),
        ((1, 64), (1, 64), 64),
        ((1, 64), (1, 8), 40),
        ((1, 16), (8, 2), 5),
    ];
    for ((beta, every), (their_beta, their_every), expected) in cases {
        let (pair, told, each) = rhythm([with_terms(beta, every), with_terms(their_beta, their_every)], None);
        let wish = |beta: u32, every: u32| ((beta, every) != (4, 2)).then_some((beta as u16, every as u16));
        assert_eq!(told_terms(&pair, A), wish(beta, every), "the defaults are not told");
        assert_eq!(told_terms(&pair, B), wish(their_beta, their_every));
        let case = ((beta, every), (their_beta, their_every));
        assert!(told.abs_diff(expected) <= expected / 4 + 1, "{case:?}: 1/f is {told} ms and not about {expected}");
        assert!(
            (each / expected as f64 - 1.0).abs() < 0.3,
            "{case:?}: a TACK for {each} packets, 1/f is {expected} ms"
        );
    }
}

#[test]
fn a_peer_that_does_not_know_of_the_field_is_taken_to_want_the_defaults() {
    // As from an end that never heard of it: whatever its configuration is, its SYN says nothing of it.
    let silent = || {
        Some(Middlebox::new(|packet| {
            if is_syn(packet) {
                options(packet).tack.packet_number = None;
            }
            true
        }))
    };
    let (pair, told, each) = rhythm([with_terms(1, 64), with_terms(1, 64)], silent());
    // B has heard nothing and goes by the defaults: two packets and 1/f make a TACK. A knows what B wants.
    assert_eq!((told_terms(&pair, B), told > 40), (Some((1, 64)), true), "{told} ms");
    assert!((40.0..80.0).contains(&each), "a TACK for {each} packets");
    assert_eq!([A, B].map(|end| pair.ends[end].stats().fallbacks), [0; 2]);
    assert_eq!([A, B].map(|end| pair.ends[end].agreed().tack), [true; 2]);
    let (_, told, _) = rhythm([with_terms(4, 2), with_terms(1, 64)], silent());
    assert_eq!(told, 10, "and one that wants the defaults says nothing anyway");
}

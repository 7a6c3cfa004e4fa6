//! What can be seen of a live connection, changed about it, and learned of its end.

use ackless_tcp::loss::Phase;
use ackless_tcp::{Agreed, CloseReason, Config, CongestionChoice, Event, State};
use ackless_wire::tcp::TackForm;
use ackless_wire::{Bytes, Duration};

use crate::pair::{A, B, Pair, Path};
use crate::script::{ACK, FIN, RST, SYN, Script, plain};
use crate::tack_agreement::tack;

#[test]
fn flight_window_and_phase_are_those_of_the_rfcs() {
    let mut script = Script::established(Config { congestion: CongestionChoice::NewReno, ..plain() });
    script.window = 12_000;
    script.receive(ACK, 1, 1, 0);
    script.end.send(Bytes(30_000));
    script.all();
    let seen = |script: &Script| (script.end.flight_size(), script.end.in_flight(), script.end.peer_window());
    assert_eq!(script.end.segment_size(), Bytes(1000));
    assert_eq!(seen(&script), (Bytes(10_000), Bytes(10_000), Bytes(12_000)));
    script.sack = vec![(2001, 4001)];
    script.receive(ACK, 1, 1001, 0);
    assert_eq!(seen(&script), (Bytes(9_000), Bytes(7_000), Bytes(12_000)));
    assert_eq!(script.end.recovery_phase(), Phase::Open);
    script.sack = vec![(2001, 6001)];
    script.receive(ACK, 1, 1001, 0);
    assert!(matches!(script.end.recovery_phase(), Phase::Recovery { .. }));
    script.wake();
    assert!(matches!(script.end.recovery_phase(), Phase::GoBack { .. }));
    assert_eq!(script.end.receive_window(), Bytes(10_000));
}

#[test]
fn what_is_agreed_is_what_both_ends_offer() {
    let without = Config { timestamps: None, sack: false, ..Config::default() };
    let mut pair = Pair::new([Config::default(), without], Path::of_delay(5), 1);
    let offered = Agreed { sack: true, timestamps: true, window_scaling: true, tack: false };
    assert_eq!(pair.ends[A].agreed(), offered);
    pair.run_for(Duration::from_millis(100));
    for end in [A, B] {
        assert_eq!(pair.ends[end].agreed(), Agreed { sack: false, timestamps: false, ..offered });
    }
}

#[test]
fn what_is_agreed_stands_from_the_peers_syn_on_and_after_the_end() {
    let config = Config { window_scaling: true, ..tack(TackForm::Kinds) };
    let offered = Agreed { sack: true, timestamps: true, window_scaling: true, tack: true };
    // A listener whose caller, the script, does selective acknowledgements and nothing else.
    let agreed = Agreed { sack: true, timestamps: false, window_scaling: false, tack: false };
    let mut script = Script::listening(config.clone());
    assert_eq!(script.end.agreed(), offered);
    script.receive(SYN, 0, 0, 0);
    assert_eq!((script.end.state(), script.end.agreed()), (State::SynReceived, agreed));
    script.all();
    script.receive(RST, 1, 0, 0);
    assert_eq!((script.end.state(), script.end.agreed()), (State::Listen, offered), "the next one may do more");
    script.receive(SYN, 0, 0, 0);
    script.all();
    script.receive(ACK, 1, 1, 0);
    script.receive(RST, 1, 0, 0);
    assert_eq!((script.end.state(), script.end.agreed()), (State::Closed, agreed));

    let mut pair = Pair::new([config.clone(), config.clone()], Path::of_delay(5), 1);
    pair.run_for(Duration::from_millis(100));
    pair.ends[A].abort(pair.now);
    assert_eq!((pair.ends[A].state(), pair.ends[A].agreed()), (State::Closed, offered));

    let mut script = Script::calling(config);
    script.all();
    script.receive(RST | ACK, 0, 1, 0);
    assert_eq!((script.end.state(), script.end.agreed()), (State::Closed, offered), "nobody has answered");
}

#[test]
fn nagle_can_be_switched_off_and_on_again() {
    let mut script = Script::established(plain());
    for (nagle, sent) in [(true, 1), (false, 2), (true, 1)] {
        script.end.set_nagle(nagle);
        let before = script.end.stats().data_segments_sent;
        for _ in 0..2 {
            script.end.write(b"x");
            script.all();
        }
        assert_eq!(script.end.stats().data_segments_sent - before, sent, "{nagle}");
        script.end.set_nagle(false);
        script.all();
        let all = script.end.stats().data_segments_sent as u32;
        script.receive(ACK, 1, 1 + all, 0);
    }
}

#[test]
fn a_larger_send_buffer_makes_room_for_a_writer_that_waits() {
    let mut script = Script::established(Config { send_buffer: Bytes(1_000), ..plain() });
    assert_eq!(script.end.write_length(Bytes(5_000)), Bytes(1_000));
    script.end.set_send_buffer(Bytes(3_000));
    assert_eq!((script.events(), script.end.room()), (vec![Event::Writable], Bytes(2_000)));
    script.end.set_send_buffer(Bytes(10));
    assert_eq!(script.end.room(), Bytes::ZERO, "what was accepted stays");
    script.all();
    script.receive(ACK, 1, 1001, 0);
    assert_eq!(script.end.room(), Bytes(10));
}

#[test]
fn a_send_buffer_that_is_set_does_not_tune_itself_any_more() {
    let mut script = Script::established(Config { send_tuning: true, ..plain() });
    // 2 * 10 segments of 4,352 bytes.
    assert_eq!(script.end.room(), Bytes(87_040));
    script.end.set_send_buffer(Bytes(1_000_000));
    assert_eq!((script.end.room(), script.end.config().send_tuning), (Bytes(1_000_000), false));
}

#[test]
fn a_receive_buffer_that_is_set_does_not_tune_itself_any_more() {
    let mut script = Script::scaled(Config { receive_tuning: true, receive_buffer: Bytes(1_000_000), ..plain() });
    assert!(script.end.receive_window() < Bytes(70_000), "half of 128 KiB at first");
    script.end.set_receive_buffer(Bytes(500_000));
    assert!(!script.end.config().receive_tuning);
    script.receive(ACK, 1, 1, 1000);
    script.receive(ACK, 1001, 1, 1000);
    assert_eq!(script.read(2_000), 2_000);
    script.all();
    let told = script.end.receive_window();
    // To the unit of the field.
    assert!(told > Bytes(500_000 - 2_000) && told <= Bytes(500_000), "{told:?}");
}

#[test]
fn a_receive_buffer_that_grows_is_told_and_one_that_shrinks_takes_nothing_back() {
    let mut script = Script::established(Config { receive_buffer: Bytes(4_000), ..plain() });
    for seq in [1, 1001, 2001, 3001] {
        script.receive(ACK, seq, 1, 1000);
        script.all();
    }
    assert_eq!(script.end.receive_window(), Bytes::ZERO);
    script.end.set_receive_buffer(Bytes(20_000));
    assert_eq!(script.one().window, 16_000);
    script.end.set_receive_buffer(Bytes(1));
    script.nothing();
    assert_eq!(script.end.receive_window(), Bytes(16_000), "what was offered is still taken");
    script.receive(ACK, 4001, 1, 1000);
    assert_eq!(script.read(10_000), 5_000);
    script.receive(ACK, 5001, 1, 1000);
    script.receive(ACK, 6001, 1, 1000);
    assert_eq!(script.all().last().map(|sent| sent.window), Some(13_000), "it closes as data comes");
}

#[test]
fn an_acknowledgement_that_data_has_overtaken_still_counts_when_the_receive_buffer_has_shrunk() {
    // The widest window that there was is of 10,000 bytes.
    for (segments, buffer, acked) in [(8, 10_000, 1_000), (8, 1_000, 1_000), (12, 1_000, 0), (12, 10_000, 0)] {
        let mut script = Script::established(plain());
        script.end.send(Bytes(1_000));
        script.all();
        for segment in 0..segments {
            script.receive(ACK, 1 + 1000 * segment, 1, 1000);
            script.all();
            assert_eq!(script.read(1_000), 1_000);
        }
        script.end.set_receive_buffer(Bytes(buffer));
        script.receive(ACK, 1, 1_001, 0);
        assert_eq!(script.end.bytes_acked(), Bytes(acked), "{segments} {buffer}");
    }
}

#[test]
fn a_receive_buffer_below_what_the_window_field_can_name_counts_as_the_least_that_it_can() {
    // 1,000,000 bytes need a shift of 4, with which the field names no less than 16 (RFC 7323, 2.3).
    let mut script = Script::scaled(Config { receive_buffer: Bytes(1_000_000), ..plain() });
    script.end.set_receive_buffer(Bytes(1));
    assert_eq!(script.end.config().receive_buffer, Bytes(16), "the value in force");
    // The peer sends up to the edge, in windows of whatever is left of the first.
    let mut seq = 1;
    while seq < 3_000 {
        let len = script.end.receive_window().get().min(1_000) as u32;
        assert!(len > 0, "the window is closed for good at {seq}");
        script.receive(ACK, seq, 1, len);
        seq += len;
        script.all();
        _ = script.read(10_000);
        // What the peer knows of the window is what was told last.
        if script.end.receive_window() < Bytes(1_000) {
            let told = script.all().last().map(|sent| sent.window << 4);
            assert_eq!((told, script.end.receive_window()), (Some(16), Bytes(16)), "at {seq}");
        }
    }
    // Without scaling a single byte is a window.
    let mut script = Script::established(plain());
    script.end.set_receive_buffer(Bytes::ZERO);
    assert_eq!(script.end.config().receive_buffer, Bytes(1));
    script.end.set_receive_buffer(Bytes(u64::MAX));
    assert_eq!(script.end.config().receive_buffer, Bytes(1 << 30));
}

#[test]
fn a_receive_buffer_that_changes_during_the_handshake_leaves_the_shift_as_the_first_syn_had_it() {
    // RFC 7323, 2.3: the shift of a connection is that of its SYN. 10,000 bytes need none, 1,000,000 need 4.
    for (first, shift, then) in [(10_000, 0, 1_000_000), (1_000_000, 4, 10_000), (1_000_000, 4, 3)] {
        let config = Config { window_scaling: true, receive_buffer: Bytes(first), ..plain() };
        // The larger buffer opens the field as far as it goes; of a smaller one, the SYN has offered as much.
        let window = 65_535 >> shift;
        let mut script = Script::calling(config.clone());
        assert_eq!(script.one().scale, Some(shift));
        script.end.set_receive_buffer(Bytes(then));
        script.wake();
        assert_eq!(script.one().scale, Some(shift), "a SYN once more");
        script.scale = Some(2);
        script.receive(SYN | ACK, 0, 1, 0);
        assert_eq!(script.one().window, window, "calling, {first} and then {then}");
        assert_eq!(script.end.config().receive_buffer, Bytes(then.max(1 << shift)));

        let mut script = Script::listening(config);
        script.scale = Some(2);
        script.receive(SYN, 0, 0, 0);
        assert_eq!(script.one().scale, Some(shift));
        script.end.set_receive_buffer(Bytes(then));
        script.receive(SYN, 0, 0, 0);
        assert_eq!(script.one().scale, Some(shift), "a SYN-ACK once more");
        script.receive(ACK, 1, 1, 1);
        assert_eq!(script.read(1), 1);
        script.wake();
        let told = script.one().window;
        assert!(told == window || told == 65_534 >> shift, "listening, {first} and then {then}: {told}");
    }
}

#[test]
fn the_end_of_a_connection_has_its_reason() {
    let reason = |script: &Script| (script.end.state(), script.end.close_reason());
    let closed = |reason| (State::Closed, Some(reason));

    let mut script = Script::established(plain());
    assert_eq!(script.end.close_reason(), None);
    script.receive(FIN | ACK, 1, 1, 0);
    script.end.close();
    script.all();
    script.receive(ACK, 2, 2, 0);
    assert_eq!(reason(&script), closed(CloseReason::Finished));

    let mut script = Script::established(plain());
    script.receive(RST, 1, 0, 0);
    assert_eq!(reason(&script), closed(CloseReason::Reset));

    let mut script = Script::calling(plain());
    script.all();
    script.receive(RST | ACK, 0, 1, 0);
    assert_eq!(reason(&script), closed(CloseReason::Refused));

    let mut script = Script::established(plain());
    script.end.abort(script.now);
    assert_eq!(reason(&script), closed(CloseReason::Aborted));

    let mut script = Script::calling(plain());
    script.end.close();
    assert_eq!(reason(&script), closed(CloseReason::Cancelled));

    let until_closed = |mut script: Script| {
        while script.end.state() != State::Closed {
            script.all();
            script.wake();
        }
        script.end.close_reason()
    };
    let few = Config { syn_retries: 2, retries: 2, ..plain() };
    assert_eq!(until_closed(Script::calling(few.clone())), Some(CloseReason::NoAnswer));
    let mut script = Script::established(few.clone());
    script.end.send(Bytes(100));
    assert_eq!(until_closed(script), Some(CloseReason::NoAcknowledgement));
    let mut script = Script::established(few);
    script.window = 0;
    script.receive(ACK, 1, 1, 0);
    script.end.send(Bytes(100));
    assert_eq!(until_closed(script), Some(CloseReason::NoWindow));
    // Once both have said all, a reset takes nothing away; the reason says so all the same.
    let mut script = Script::established(plain());
    script.receive(FIN | ACK, 1, 1, 0);
    script.end.close();
    script.all();
    script.receive(RST, 2, 0, 0);
    assert_eq!(
        (reason(&script), script.events()),
        (closed(CloseReason::Reset), vec![Event::PeerClosed, Event::Closed])
    );
    // Where both know that all was said it has finished, and a reset ends but the wait.
    let mut script = Script::established(plain());
    script.end.close();
    script.all();
    script.receive(FIN | ACK, 1, 2, 0);
    assert_eq!(reason(&script), (State::TimeWait, None));
    script.receive(RST, 2, 0, 0);
    assert_eq!(
        (reason(&script), script.events()),
        (closed(CloseReason::Finished), vec![Event::PeerClosed, Event::Closed])
    );
    let mut script = Script::listening(plain());
    script.receive(SYN, 0, 0, 0);
    script.receive(RST, 1, 0, 0);
    assert_eq!(reason(&script), (State::Listen, None));
}

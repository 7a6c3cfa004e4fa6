//! The walk through the states: opening, closing, resetting, and suspicious segments.

use ackless_tcp::{Config, Endpoint, Event, State};
use ackless_wire::tcp::Checksum;
use ackless_wire::{Bytes, Duration, Packet, SeqNumber, Transport};

use crate::pair::{A, B, Pair, Path, address};
use crate::script::{ACK, FIN, RST, SYN, Script, plain};

/// A script with the endpoint in each state, nothing of its own outstanding but FIN or SYN.
fn in_state(state: State) -> Script {
    let established = || Script::established(plain());
    let mut script = match state {
        State::Closed => {
            let mut script = established();
            script.end.abort(script.now);
            script
        }
        State::Listen => Script::listening(plain()),
        State::SynSent => Script::calling(plain()),
        State::SynReceived => {
            let mut script = Script::listening(plain());
            script.receive(SYN, 0, 0, 0);
            script
        }
        _ => established(),
    };
    match state {
        State::FinWait1 | State::Closing => script.end.close(),
        State::FinWait2 | State::TimeWait => {
            script.end.close();
            script.all();
            script.receive(ACK, 1, 2, 0);
        }
        State::CloseWait => script.receive(FIN | ACK, 1, 1, 0),
        State::LastAck => {
            script.receive(FIN | ACK, 1, 1, 0);
            script.end.close();
        }
        _ => {}
    }
    script.all();
    match state {
        State::Closing => script.receive(FIN | ACK, 1, 1, 0),
        State::TimeWait => script.receive(FIN | ACK, 1, 2, 0),
        _ => {}
    }
    script.all();
    script.events();
    assert_eq!(script.end.state(), state);
    script
}

#[test]
fn a_caller_and_a_listener_meet_and_part() {
    let mut pair = Pair::new([Config::default(), Config::default()], Path::of_delay(5), 1);
    pair.drain();
    assert_eq!(pair.states(), [State::SynSent, State::Listen]);
    pair.step();
    assert_eq!(pair.states(), [State::SynSent, State::SynReceived]);
    pair.step();
    assert_eq!(pair.states(), [State::Established, State::SynReceived]);
    pair.step();
    assert_eq!(pair.states(), [State::Established; 2]);
    pair.ends[A].close();
    pair.step();
    assert_eq!(pair.states(), [State::FinWait1, State::CloseWait]);
    pair.step();
    assert_eq!(pair.states(), [State::FinWait2, State::CloseWait]);
    pair.ends[B].close();
    pair.step();
    assert_eq!(pair.states(), [State::TimeWait, State::LastAck]);
    pair.step();
    assert_eq!(pair.states(), [State::TimeWait, State::Closed]);
    let before = pair.now;
    pair.run_to_end();
    assert_eq!(pair.states(), [State::Closed; 2]);
    assert_eq!(pair.now - before, Config::default().time_wait - Duration::from_millis(5));
    let expected = [Event::Connected, Event::PeerClosed, Event::Closed];
    assert_eq!(pair.events, [expected, expected]);
}

#[test]
fn two_callers_meet_in_a_simultaneous_open() {
    let now = Pair::new([plain(), plain()], Path::of_delay(5), 1).now;
    let ends = [
        Endpoint::connect(now, plain(), address(A), address(B), SeqNumber(100)),
        Endpoint::connect(now, plain(), address(B), address(A), SeqNumber(300)),
    ];
    let mut pair = Pair::of(ends, Path::of_delay(5), 1);
    pair.step();
    pair.step();
    assert_eq!(pair.states(), [State::SynReceived; 2]);
    pair.step();
    pair.step();
    assert_eq!(pair.states(), [State::Established; 2]);
    pair.ends[A].send(Bytes(10_000));
    pair.run_for(Duration::from_secs(1));
    assert_eq!(pair.ends[A].bytes_acked(), Bytes(10_000));
}

#[test]
fn both_closing_at_once_pass_through_closing() {
    let mut pair = Pair::connected(Config::default(), 5);
    pair.ends[A].close();
    pair.ends[B].close();
    pair.step();
    pair.step();
    assert_eq!(pair.states(), [State::Closing; 2]);
    pair.step();
    pair.step();
    assert_eq!(pair.states(), [State::TimeWait; 2]);
    pair.run_to_end();
    assert_eq!(pair.states(), [State::Closed; 2]);
}

#[test]
fn a_fin_and_its_acknowledgement_in_one_segment_lead_straight_to_time_wait() {
    let mut script = in_state(State::FinWait1);
    script.receive(FIN | ACK, 1, 2, 0);
    assert_eq!(script.end.state(), State::TimeWait);
    assert_eq!(script.one().ack, 2);
}

#[test]
fn an_exact_reset_ends_every_state_but_listen() {
    for state in State::ALL {
        let mut script = in_state(state);
        let seq = match state {
            State::FinWait1 | State::FinWait2 | State::SynReceived | State::Established => 1,
            State::SynSent => 0,
            _ => 2,
        };
        let flags = if state == State::SynSent { RST | ACK } else { RST };
        script.receive(flags, seq, 1, 0);
        let expected = match state {
            State::Listen | State::SynReceived => State::Listen,
            _ => State::Closed,
        };
        assert_eq!(script.end.state(), expected, "{state:?}");
        script.nothing();
        let events = script.events();
        let told = match state {
            State::SynSent => vec![Event::Refused, Event::Closed],
            State::Established | State::FinWait1 | State::FinWait2 | State::CloseWait => {
                vec![Event::Reset, Event::Closed]
            }
            State::Closing | State::LastAck | State::TimeWait => vec![Event::Closed],
            State::Closed | State::Listen | State::SynReceived => vec![],
        };
        assert_eq!(events, told, "{state:?}");
    }
}

#[test]
fn a_reset_inside_the_window_is_challenged_and_one_outside_ignored() {
    for state in [State::Established, State::FinWait1, State::FinWait2, State::SynReceived] {
        let mut script = in_state(state);
        script.receive(RST, 2, 0, 0);
        assert_eq!((script.one().flags, script.end.state()), (ACK, state), "{state:?}");
        script.receive(RST, 50_000, 0, 0);
        script.nothing();
        assert_eq!((script.end.state(), script.end.stats().challenge_acks), (state, 1), "{state:?}");
    }
}

#[test]
fn a_syn_is_challenged_in_every_later_state() {
    for state in State::ALL.into_iter().filter(|state| state.is_synchronized()) {
        let mut script = in_state(state);
        script.receive(SYN, 5, 0, 0);
        assert_eq!((script.one().flags, script.end.state()), (ACK, state), "{state:?}");
    }
}

#[test]
fn an_acknowledgement_of_what_was_never_sent_is_challenged_and_its_text_dropped() {
    let mut script = in_state(State::Established);
    script.receive(ACK, 1, 500, 100);
    let challenge = script.one();
    assert_eq!((challenge.flags, challenge.ack), (ACK, 1));
}

#[test]
fn challenges_are_limited() {
    let mut script = in_state(State::Established);
    let answers = (0..50).filter(|_| {
        script.receive(SYN, 5, 0, 0);
        !script.all().is_empty()
    });
    assert_eq!(answers.count(), 10);
}

#[test]
fn nobody_home_is_answered_with_a_reset() {
    for state in [State::Closed, State::Listen] {
        let mut script = in_state(state);
        script.receive(ACK, 7, 9, 0);
        let reset = script.one();
        assert_eq!((reset.flags, reset.seq), (RST, 9), "{state:?}");
    }
    let mut closed = in_state(State::Closed);
    closed.receive(SYN, 7, 0, 0);
    let reset = closed.one();
    assert_eq!((reset.flags, reset.ack), (RST | ACK, 8));
}

#[test]
fn a_wrong_acknowledgement_of_our_syn_is_answered_with_a_reset() {
    for state in [State::SynSent, State::SynReceived] {
        let mut script = in_state(state);
        let seq = if state == State::SynReceived { 1 } else { 0 };
        script.receive(ACK, seq, 77, 0);
        assert_eq!((script.one().flags, script.end.state()), (RST, state), "{state:?}");
    }
}

#[test]
fn a_lost_syn_ack_is_sent_again_when_the_syn_comes_again() {
    let mut script = in_state(State::SynReceived);
    script.receive(SYN, 0, 0, 0);
    let again = script.one();
    assert_eq!((again.flags, again.seq, again.ack), (SYN | ACK, 0, 1));
}

#[test]
fn a_lost_syn_leaves_one_segment_and_a_careful_timeout() {
    let mut script = Script::calling(plain());
    script.one();
    assert_eq!(script.wake(), Duration::from_secs(1));
    script.one();
    assert_eq!(script.wake(), Duration::from_secs(2));
    script.one();
    script.receive(SYN | ACK, 0, 1, 0);
    script.end.send(Bytes(5_000));
    assert_eq!(script.all().len(), 1);
    assert_eq!(script.wake(), Duration::from_secs(3));
}

#[test]
fn a_caller_gives_up_after_its_retries() {
    let mut script = Script::calling(Config { syn_retries: 2, ..plain() });
    for _ in 0..3 {
        script.one();
        script.wake();
    }
    assert_eq!((script.end.state(), script.events()), (State::Closed, vec![Event::TimedOut, Event::Closed]));
    script.nothing();
}

#[test]
fn a_fin_again_in_time_wait_is_acknowledged_and_starts_the_wait_anew() {
    let mut script = in_state(State::TimeWait);
    script.wait(50_000);
    script.receive(FIN | ACK, 1, 2, 0);
    assert_eq!(script.one().ack, 2);
    assert_eq!(script.wake(), Config::default().time_wait);
    assert_eq!((script.end.state(), script.events()), (State::Closed, vec![Event::Closed]));
}

#[test]
fn an_abort_tells_the_peer() {
    let mut script = in_state(State::Established);
    script.end.send(Bytes(1_000));
    script.all();
    script.end.abort(script.now);
    let reset = script.one();
    assert_eq!((reset.flags, reset.seq), (RST | ACK, 1001));
    assert_eq!((script.end.state(), script.end.poll_timeout()), (State::Closed, None));
}

#[test]
fn a_close_before_the_handshake_still_sends_what_was_written() {
    let mut script = Script::calling(plain());
    script.end.write(b"hello");
    script.end.close();
    script.one();
    script.receive(SYN | ACK, 0, 1, 0);
    let hello = script.one();
    assert_eq!((hello.flags.contains(FIN), hello.len), (true, 5));
    let mut empty = Script::calling(plain());
    empty.end.close();
    assert_eq!(empty.end.state(), State::Closed);
}

#[test]
fn packets_that_are_not_ours_are_counted_and_ignored() {
    let mut script = in_state(State::Established);
    let mut other = Pair::connected(plain(), 1);
    other.ends[A].send(Bytes(100));
    other.drain();
    let ours = other.sent[A][0].1.clone();
    let change = |change: fn(&mut Packet)| {
        let mut packet = ours.clone();
        change(&mut packet);
        packet
    };
    let tcp = |packet: &mut Packet, change: fn(&mut ackless_wire::TcpHeader)| {
        if let Transport::Tcp(tcp) = &mut packet.transport {
            change(tcp);
        }
    };
    let mut wrong = ours.clone();
    tcp(&mut wrong, |tcp| tcp.checksum = Checksum::Wrong(0));
    let mut port = ours.clone();
    tcp(&mut port, |tcp| tcp.src_port = 1);
    let udp = change(|packet| {
        packet.transport = Transport::Udp(ackless_wire::UdpHeader { src_port: 1, dst_port: 2 });
    });
    for packet in [&wrong, &port, &udp] {
        script.end.handle_segment(script.now, packet);
    }
    assert_eq!(script.end.stats().ignored, 3);
    script.nothing();
}

#[test]
fn only_the_fin_again_starts_time_wait_anew() {
    // RFC 9293, 3.10.7.4: all that can arrive is a retransmission of the peer's FIN. Any other one is a guess.
    for (seq, ack, len) in [(0, 2, 0), (3, 2, 0), (30_000, 2, 5), (1, 77, 0), (u32::MAX - 5_000, 2, 100)] {
        let mut script = in_state(State::TimeWait);
        script.wait(50_000);
        script.receive(FIN | ACK, seq, ack, len);
        script.all();
        assert_eq!(script.wake(), Config::default().time_wait - Duration::from_millis(50_000), "{seq} {ack} {len}");
    }
}

#[test]
fn blind_segments_do_not_silence_the_answer_to_a_probe() {
    // RFC 5961, 7, limits challenges, not answers to a peer that asks with the byte before the window (RFC 9293, 3.8.4).
    let mut script = in_state(State::Established);
    script.receive(ACK, 1, 1, 10);
    script.all();
    for guess in 0..100 {
        script.receive(ACK, 100_000 + guess, 1, 0);
        script.receive(SYN, 5 + guess, 0, 0);
        script.all();
    }
    script.nothing();
    script.receive(ACK, 10, 1, 0);
    assert_eq!(script.one().ack, 11);
}

#[test]
fn an_acknowledgement_from_far_below_the_window_acknowledges_nothing() {
    let mut script = in_state(State::Established);
    for segment in 0..30 {
        script.receive(ACK, 1 + segment * 1000, 1, 1000);
        script.read(1000);
        script.all();
    }
    script.end.send(Bytes(5_000));
    script.all();
    for far in [1, 20_000] {
        script.receive(ACK, far, 3_001, 0);
        assert_eq!(script.end.bytes_acked(), Bytes::ZERO, "{far}");
    }
    // A window behind, it may answer from before a probe of the peer's that crossed ours.
    script.receive(ACK, 20_001, 3_001, 0);
    assert_eq!(script.end.bytes_acked(), Bytes(3_000));
}

#[test]
fn answers_to_probes_are_limited_too() {
    // Two ends that probe each other from below their windows must not answer for ever (RFC 5961, 7).
    let mut script = in_state(State::Established);
    let answers = (0..50).filter(|_| {
        script.receive(ACK, 0, 1, 0);
        !script.all().is_empty()
    });
    assert_eq!(answers.count(), 10);
    script.wait(5_000);
    script.receive(ACK, 0, 1, 0);
    assert_eq!(script.one().ack, 1);
}

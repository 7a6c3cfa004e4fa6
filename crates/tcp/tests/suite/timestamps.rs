//! Timestamps: segments that lack them, and what may move TS.Recent (RFC 7323).

use ackless_tcp::{AckChoice, Config, Event, MissingTimestamp, State};
use ackless_wire::{Bytes, Duration, TcpFlags};

use crate::script::{ACK, FIN, RST, SYN, Script, plain};

const TICK: Duration = Duration::from_millis(1);

fn stamped(missing_timestamp: MissingTimestamp) -> Config {
    Config { timestamps: Some(TICK), missing_timestamp, ack: AckChoice::PerPacket, ..plain() }
}

/// A connection with timestamps whose peer sends none from now on.
fn stripped(missing_timestamp: MissingTimestamp) -> Script {
    let mut script = Script::established(stamped(missing_timestamp));
    assert!(script.stamps.is_some(), "timestamps are agreed");
    script.stamps = None;
    script
}

#[test]
fn by_default_a_segment_without_timestamps_counts_and_leaves_the_echo_alone() {
    assert_eq!(Config::default().missing_timestamp, MissingTimestamp::Accept);
    let mut script = stripped(MissingTimestamp::Accept);
    script.end.send(Bytes(1_000));
    script.all();
    script.receive(ACK, 1, 989, 1000);
    script.receive(ACK, 1001, 989, 1000);
    let answer = script.one();
    assert_eq!((answer.ack, answer.stamps.map(|(_, echo)| echo)), (2001, Some(1)), "the echo is of the last that came");
    assert_eq!((script.end.bytes_acked(), script.end.stats().dropped_by_timestamp), (Bytes(988), 0));
    script.receive(FIN | ACK, 2001, 1001, 0);
    assert_eq!(script.end.state(), State::CloseWait);
}

#[test]
fn a_segment_without_timestamps_may_be_dropped_in_silence_as_the_rfc_says() {
    // RFC 7323, 3.2.
    let mut script = stripped(MissingTimestamp::Drop);
    script.end.send(Bytes(1_000));
    script.all();
    script.receive(ACK, 1, 989, 1000);
    script.receive(FIN | ACK, 1, 989, 0);
    script.receive(ACK, 1, 989, 0);
    script.receive(SYN, 5, 0, 0);
    script.nothing();
    let stats = script.end.stats();
    assert_eq!((script.end.state(), script.end.bytes_acked()), (State::Established, Bytes::ZERO));
    assert_eq!((stats.dropped_by_timestamp, stats.challenge_acks), (4, 0));
}

#[test]
fn a_reset_needs_no_timestamp_and_none_makes_it_old() {
    // RFC 7323, 3.2 and 5.2.
    for missing in [MissingTimestamp::Accept, MissingTimestamp::Drop] {
        for stamps in [None, Some((0, 0)), Some((u32::MAX, 0))] {
            let mut script = stripped(missing);
            script.stamps = stamps;
            script.receive(RST, 2, 0, 0);
            assert_eq!((script.one().flags, script.end.state()), (ACK, State::Established), "{missing:?} {stamps:?}");
            script.receive(RST, 1, 0, 0);
            assert_eq!(script.events(), [Event::Reset, Event::Closed], "{missing:?} {stamps:?}");
        }
    }
}

#[test]
fn the_end_of_a_handshake_without_timestamps_is_taken_or_not() {
    for (missing, state) in
        [(MissingTimestamp::Accept, State::Established), (MissingTimestamp::Drop, State::SynReceived)]
    {
        let mut script = Script::listening(stamped(missing));
        script.stamps = Some((1, 0));
        script.receive(SYN, 0, 0, 0);
        script.one();
        script.stamps = None;
        script.receive(ACK, 1, 1, 0);
        assert_eq!(script.end.state(), state, "{missing:?}");
    }
}

/// A segment from someone who knows addresses and ports, with a timestamp from the future.
type Blind = (&'static str, TcpFlags, u32, u32, u32);

/// What may be tried on an established connection that has sent 5,000 bytes, of which 2,000 are acknowledged, and has received
/// nothing. Numbers are distances from the initial ones.
const BLIND: [Blind; 11] = [
    ("a SYN", SYN, 1, 0, 0),
    ("a SYN in the window", SYN, 3, 0, 0),
    ("a SYN with an acceptable acknowledgement", SYN.union(ACK), 1, 2_001, 0),
    ("no ACK bit", TcpFlags::empty(), 1, 0, 0),
    ("data without the ACK bit", TcpFlags::empty(), 1, 0, 100),
    ("a FIN without the ACK bit", FIN, 1, 0, 0),
    ("an acknowledgement of what was never sent", ACK, 1, 5_002, 0),
    ("data with such an acknowledgement", ACK, 1, 900_000, 100),
    ("a FIN with such an acknowledgement", FIN.union(ACK), 1, 900_000, 0),
    ("an acknowledgement below all that was sent", ACK, 1, u32::MAX - 100_000, 100),
    ("an older acknowledgement within the window", ACK, 1, 1_001, 0),
];

/// Our peer goes on: its next segment counts, and its timestamp is echoed.
fn goes_on(script: &mut Script, what: &str, seq: u32, ack: u32, value: u32) {
    script.all();
    script.stamps = script.stamps.map(|(_, echo)| (value, echo));
    let before = script.end.bytes_delivered();
    script.receive(ACK, seq, ack, 500);
    script.receive(ACK, seq + 500, ack, 1000);
    assert_eq!(script.end.bytes_delivered() - before, Bytes(1500), "{what}: the peer's data is old for ever");
    let answer = script.one();
    assert_eq!((answer.ack, answer.stamps.map(|(_, echo)| echo)), (seq + 1500, Some(value)), "{what}");
}

#[test]
fn no_blind_segment_moves_the_timestamp_by_which_others_are_old() {
    // RFC 7323, 5.3, R3, with the checks of RFC 5961, 3 to 5, before it.
    for (what, flags, seq, ack, len) in BLIND {
        let mut script = Script::established(stamped(MissingTimestamp::Accept));
        script.end.send(Bytes(5_000));
        script.all();
        script.stamps = script.stamps.map(|(_, echo)| (10, echo));
        script.receive(ACK, 1, 2_001, 0);
        let echo = script.stamps.map_or(0, |(_, echo)| echo);
        script.stamps = Some((10 + (1 << 30), echo));
        script.receive(flags, seq, ack, len);
        assert_eq!((script.end.state(), script.end.bytes_acked()), (State::Established, Bytes(2_000)), "{what}");
        goes_on(&mut script, what, 1, 2_001, 11);
    }
}

#[test]
fn a_reset_or_a_syn_that_is_challenged_moves_no_timestamp() {
    // RFC 7323, 4.3, takes the timestamp of what begins at Last.ACK.sent (3,001) or before: with text a segment can, and reach into the window.
    for flags in [RST, RST | ACK, SYN, SYN | ACK] {
        let (inside, outside) = ([(2_999, 100), (1, 5_000), (3_002, 0), (5_000, 0)], [(2, 0), (2_999, 0), (60_000, 0)]);
        for (seq, len) in inside.into_iter().chain(outside) {
            let what = format!("{flags:?} at {seq} with {len}");
            let mut script = Script::established(stamped(MissingTimestamp::Accept));
            script.receive(ACK, 1, 1, 3_000);
            script.all();
            script.stamps = script.stamps.map(|(_, echo)| (1 << 30, echo));
            script.receive(flags, seq, 1, len);
            assert_eq!(script.end.state(), State::Established, "{what}");
            assert_eq!(script.end.stats().challenge_acks, u64::from(inside.contains(&(seq, len))), "{what}");
            goes_on(&mut script, &what, 3_001, 1, 2);
        }
    }
}

#[test]
fn what_lies_outside_the_window_moves_no_timestamp_nor_what_a_closed_window_refuses() {
    for (what, seq, len) in [("above", 60_000, 0), ("above, with text", 60_000, 10), ("below", 1, 1_000)] {
        let mut script = Script::established(stamped(MissingTimestamp::Accept));
        script.receive(ACK, 1, 1, 3_000);
        script.all();
        script.stamps = script.stamps.map(|(_, echo)| (1 << 30, echo));
        script.receive(ACK, seq, 1, len);
        goes_on(&mut script, what, 3_001, 1, 2);
    }
    // RCV.WND = 0: text beyond RCV.NXT is refused, and so is an acknowledgement of what was never sent.
    for (what, seq, ack, len) in [("text", 10_002, 1, 10), ("a probe", 10_001, 77, 1), ("a bare one", 10_001, 77, 0)] {
        let mut script = Script::established(stamped(MissingTimestamp::Accept));
        script.receive(ACK, 1, 1, 5_000);
        script.receive(ACK, 5_001, 1, 5_000);
        assert_eq!(script.one().window, 0);
        script.stamps = script.stamps.map(|(_, echo)| (1 << 30, echo));
        script.receive(ACK, seq, ack, len);
        script.all();
        assert_eq!(script.read(10_000), 10_000);
        goes_on(&mut script, what, 10_001, 1, 2);
    }
}

#[test]
fn in_syn_received_only_the_acknowledgement_of_our_syn_moves_the_timestamp() {
    let others: [Blind; 7] = [
        ("a RST in the window", RST, 7, 0, 0),
        ("a RST with text from before the window", RST, 0, 0, 100),
        ("another SYN", SYN, 1, 0, 0),
        ("a wrong acknowledgement", ACK, 1, 77, 0),
        ("a FIN with a wrong acknowledgement", FIN.union(ACK), 1, 77, 0),
        ("data without the ACK bit", TcpFlags::empty(), 1, 0, 100),
        ("what lies outside the window", ACK, 50_000, 1, 10),
    ];
    for (what, flags, seq, ack, len) in others {
        let mut script = Script::listening(stamped(MissingTimestamp::Accept));
        script.stamps = Some((1, 0));
        script.receive(SYN, 0, 0, 0);
        let echo = script.one().stamps.map_or(0, |(value, _)| value);
        script.stamps = Some((1 << 30, echo));
        script.receive(flags, seq, ack, len);
        assert_eq!(script.end.state(), State::SynReceived, "{what}");
        script.all();
        script.stamps = Some((2, echo));
        script.receive(ACK, 1, 1, 0);
        assert_eq!(script.end.state(), State::Established, "{what}");
        goes_on(&mut script, what, 1, 1, 3);
    }
}

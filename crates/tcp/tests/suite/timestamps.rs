//! Timestamps: segments that lack them, and what may move TS.Recent (RFC 7323).

use ackless_tcp::{Config, Event, MissingTimestamp, State};
use ackless_wire::{Bytes, Duration};

use crate::script::{ACK, FIN, RST, SYN, Script, plain};

const TICK: Duration = Duration::from_millis(1);

fn stamped(missing_timestamp: MissingTimestamp) -> Config {
    Config { timestamps: Some(TICK), missing_timestamp, ..plain() }
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

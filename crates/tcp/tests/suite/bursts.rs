//! Bursts of new data, as with TCP segmentation offload: how long they are, what bears PSH, and when they wait for more room.

use ackless_tcp::{Config, CongestionChoice, NagleRule, RecoveryChoice, SenderChoices};
use ackless_wire::{Bytes, Duration, TcpFlags};

use crate::script::{ACK, SYN, Script, Sent, plain};

/// A round trip of 100 ms and ten segments of 1,000 bytes: 200 kB a second in slow start.
fn connected(config: Config) -> Script {
    let mut script = Script::calling(Config {
        congestion: CongestionChoice::NewReno,
        recovery: RecoveryChoice::Rack,
        sender: SenderChoices { nagle: NagleRule::Minshall, ..SenderChoices::default() },
        ..config
    });
    script.one();
    script.wait(100);
    script.receive(SYN | ACK, 0, 1, 0);
    script.one();
    script
}

/// How many segments there are up to each PSH, and how many after the last one.
fn bursts(sent: &[Sent]) -> Vec<usize> {
    sent.split_inclusive(|sent| sent.flags.contains(TcpFlags::PSH)).map(<[Sent]>::len).collect()
}

fn millis(ms: u64) -> Option<Duration> {
    Some(Duration::from_millis(ms))
}

#[test]
fn a_burst_is_what_the_rate_carries_and_no_more_than_half_of_the_window() {
    // A millisecond carries 200 bytes, so that two segments are the least; 20 ms carry four; 100 ms 20, where half of the window is five.
    for (tso, expected) in
        [(None, &[10][..]), (millis(1), &[2, 2, 2, 2, 2]), (millis(20), &[4, 4, 2]), (millis(100), &[5, 5])]
    {
        let mut script = connected(Config { tso, ..plain() });
        script.end.send(Bytes(100_000));
        assert_eq!(bursts(&script.all()), expected, "{tso:?}");
    }
}

#[test]
fn a_single_segment_is_not_pushed() {
    let mut script = connected(Config { tso: millis(1), ..plain() });
    script.end.send(Bytes(100_000));
    script.all();
    script.wait(98);
    // The window stays: three duplicates begin a recovery, in which what is delivered lets out single segments.
    for edge in [2001, 3001, 4001] {
        script.sack = vec![(1001, edge)];
        script.receive(ACK, 1, 1, 0);
    }
    let sent = script.all();
    assert!(!sent.is_empty() && sent.iter().all(|sent| !sent.flags.contains(TcpFlags::PSH)), "{sent:?}");
}

#[test]
fn a_short_rest_is_part_of_the_burst_unless_a_small_segment_is_out() {
    let mut script = connected(Config { tso: millis(100), ..plain() });
    script.end.send(Bytes(2_500));
    let first = script.all();
    assert_eq!(first.iter().map(|sent| sent.len).collect::<Vec<_>>(), [1000, 1000, 500]);
    assert_eq!(bursts(&first), [3]);
    script.end.send(Bytes(2_300));
    let second = script.all();
    assert_eq!(second.iter().map(|sent| sent.len).collect::<Vec<_>>(), [1000, 1000], "a small one is out");
    assert_eq!(bursts(&second), [2]);
}

#[test]
fn a_burst_goes_up_to_the_edge_of_the_peers_window_unless_a_small_segment_is_out() {
    // Half of ten segments would be five: 4,300 bytes are offered, so that the fifth is short, though the peer had room for 60,000 before.
    let mut script = connected(Config { tso: millis(100), ..plain() });
    script.window = 4_300;
    script.receive(ACK, 1, 1, 0);
    script.end.send(Bytes(100_000));
    let first = script.all();
    assert_eq!(first.iter().map(|sent| sent.len).collect::<Vec<_>>(), [1000, 1000, 1000, 1000, 300]);
    assert_eq!(bursts(&first), [5]);
    script.wait(100);
    script.window = 3_600;
    script.receive(ACK, 1, 4001, 0);
    let second = script.all();
    assert_eq!(second.iter().map(|sent| sent.len).collect::<Vec<_>>(), [1000, 1000, 1000], "the small one is out");
    script.wait(1);
    script.window = 3_600;
    script.receive(ACK, 1, 4301, 0);
    assert_eq!(script.all().len(), 0, "what is left is less than a segment, and does not begin a burst");
}

#[test]
fn a_sender_waits_for_the_next_ack_until_a_third_of_its_window_is_free() {
    let mut script = connected(Config { tso: millis(100), ..plain() });
    script.end.send(Bytes(100_000));
    script.all();
    script.wait(100);
    // What was sent last was sent long ago.
    script.receive(ACK, 1, 1001, 0);
    assert_eq!(bursts(&script.all()), [2], "a window of 11, nine out");
    script.receive(ACK, 1, 2001, 0);
    script.nothing();
    script.receive(ACK, 1, 3001, 0);
    // Four of 13.
    script.nothing();
    script.receive(ACK, 1, 4001, 0);
    assert_eq!(bursts(&script.all()), [6], "eight of 14 are out");
}

#[test]
fn a_sender_does_not_wait_for_an_ack_that_is_not_expected_within_a_millisecond() {
    for (early, waits) in [(0, true), (1, true), (2, false)] {
        let mut script = connected(Config { tso: millis(100), ..plain() });
        script.end.send(Bytes(100_000));
        script.all();
        script.wait(100 - early);
        script.receive(ACK, 1, 1001, 0);
        assert_eq!(script.all().len(), 2);
        script.receive(ACK, 1, 2001, 0);
        assert_eq!(script.all().is_empty(), waits, "{early} ms before the round trip is over");
    }
}

#[test]
fn small_queues_hold_back_bursts_and_not_what_remains_of_one() {
    let mut script = connected(Config { tso: millis(100), ..plain() });
    script.end.send(Bytes(100_000));
    let mut sent = 0;
    loop {
        // A full packet counts 1,052 bytes, and two of them are always allowed: the sixth segment, which begins the next burst, waits.
        script.end.heed_small_queue(Bytes(1_052 * sent), Bytes(1_052), Duration::ZERO);
        if script.end.poll_transmit(script.now).is_none() {
            break;
        }
        sent += 1;
    }
    assert_eq!(sent, 5);
}

#[test]
fn a_paced_sender_spaces_bursts_by_what_they_carry() {
    let mut script = connected(Config { tso: millis(10), pacing: true, ..plain() });
    script.end.send(Bytes(100_000));
    // Two segments at 200 kB a second.
    assert_eq!(bursts(&script.all()), [2]);
    assert_eq!(script.wake(), Duration::from_millis(10));
    assert_eq!(bursts(&script.all()), [2]);
    assert_eq!(script.wake(), Duration::from_millis(10));
}

//! What a sender sends: windows, Nagle, probes, timeouts, recovery.

use ackless_tcp::{Config, CongestionChoice, Event, InitialWindow, NagleRule, RecoveryChoice, SenderChoices, State};
use ackless_wire::{Bytes, Duration, TcpFlags};

use crate::script::{ACK, SYN, Script, plain};

fn reno() -> Config {
    Config { congestion: CongestionChoice::NewReno, ..plain() }
}

#[test]
fn ten_segments_go_before_the_first_acknowledgement() {
    let mut script = Script::established(reno());
    script.end.send(Bytes(100_000));
    let all = script.all();
    assert_eq!(all.len(), 10);
    assert_eq!((all[9].seq, all[9].len), (9001, 1000));
    script.wait(10);
    script.receive(ACK, 1, 2001, 0);
    assert_eq!(script.spans(), [(10_001, 1000), (11_001, 1000), (12_001, 1000), (13_001, 1000)]);
}

#[test]
fn a_small_segment_waits_for_what_is_out_unless_nagle_is_off_or_the_stream_ends() {
    for (nagle, close) in [(true, false), (false, false), (true, true)] {
        let mut script = Script::established(Config { nagle, ..reno() });
        script.end.write(&[0; 1001]);
        if close {
            script.end.close();
        }
        let waits = nagle && !close;
        let expected: &[(u32, u32)] = if waits { &[(1, 1000)] } else { &[(1, 1000), (1001, 1)] };
        assert_eq!(script.spans(), expected, "Nagle {nagle}, close {close}");
        script.receive(ACK, 1, 1001, 0);
        let expected: &[(u32, u32)] = if waits { &[(1001, 1)] } else { &[] };
        assert_eq!(script.spans(), expected, "Nagle {nagle}, close {close}");
    }
}

#[test]
fn the_last_segment_of_a_write_is_pushed_and_the_fin_rides_on_it() {
    let mut script = Script::established(reno());
    script.end.write(&[0; 1500]);
    script.end.close();
    let all = script.all();
    assert_eq!(all[0].flags, ACK);
    assert_eq!(all[1].flags, ACK | TcpFlags::PSH | TcpFlags::FIN);
    assert_eq!(script.end.state(), State::FinWait1);
    script.receive(ACK, 1, 1502, 0);
    assert_eq!(script.end.state(), State::FinWait2);
    assert_eq!(script.end.bytes_acked(), Bytes(1500));
}

#[test]
fn a_closed_window_is_probed_with_one_byte_at_doubling_intervals_for_as_long_as_answers_come() {
    let mut script = Script::established(Config { retries: 3, ..reno() });
    script.window = 0;
    script.receive(ACK, 1, 1, 0);
    script.end.write(&[0; 500]);
    script.nothing();
    let first = script.wake();
    let mut previous = first;
    for _ in 0..30 {
        let probe = script.one();
        assert_eq!((probe.seq, probe.len), (1, 1));
        script.receive(ACK, 1, 1, 0);
        script.nothing();
        let waited = script.wake();
        assert_eq!(waited, (previous * 2).min(Duration::from_secs(60)));
        previous = waited;
    }
    script.one();
    script.window = 10_000;
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.spans(), [(1, 500)], "the whole write, the probed byte included");
}

#[test]
fn probes_without_an_answer_end_the_connection() {
    let mut script = Script::established(Config { retries: 3, ..reno() });
    script.window = 0;
    script.receive(ACK, 1, 1, 0);
    script.end.write(&[0; 500]);
    script.nothing();
    for _ in 0..3 {
        script.wake();
        script.one();
        script.nothing();
    }
    script.wake();
    assert_eq!(script.events(), [Event::TimedOut, Event::Closed]);
}

#[test]
fn an_accepted_probe_goes_on_from_the_next_byte() {
    let mut script = Script::established(reno());
    script.window = 0;
    script.receive(ACK, 1, 1, 0);
    script.end.write(&[0; 500]);
    script.nothing();
    script.wake();
    script.one();
    script.window = 10_000;
    script.receive(ACK, 1, 2, 0);
    assert_eq!(script.spans(), [(2, 499)]);
}

#[test]
fn a_silly_window_is_not_used_until_the_timer_says_so() {
    let mut script = Script::established(reno());
    script.window = 300;
    script.receive(ACK, 1, 1, 0);
    script.end.write(&[0; 5000]);
    script.nothing();
    script.wake();
    assert_eq!(script.spans(), [(1, 300)]);
}

#[test]
fn a_timeout_backs_off_keeps_karn_and_sends_one_segment() {
    let config = Config { initial_window: InitialWindow::Segments(4), ..reno() };
    let mut script = Script::established(config);
    script.end.send(Bytes(4000));
    assert_eq!(script.all().len(), 4);
    script.wait(100);
    script.receive(ACK, 1, 1001, 0);
    script.nothing();
    // The handshake took no time; the first round trip 100 ms.
    let stats = script.end.stats();
    assert_eq!(stats.srtt, Some(Duration::from_micros(12_500)));
    let first = script.wake();
    for n in 1..4 {
        assert_eq!(script.spans(), [(1001, 1000)], "timeout {n}");
        assert_eq!(script.wake(), first * (1 << n), "timeout {n}");
    }
    assert_eq!(script.end.stats().cwnd, Bytes(1000));
    script.all();
    // This may be of any of the transmissions: no sample, and the timeout stays long (Karn).
    script.receive(ACK, 1, 2001, 0);
    assert_eq!(script.end.stats().srtt, stats.srtt);
    script.all();
    assert!(script.end.poll_timeout().is_some_and(|at| at.saturating_since(script.now) >= first * 8));
}

#[test]
fn going_back_after_a_timeout_skips_what_is_reported_to_be_there() {
    let mut script = Script::established(reno());
    script.end.send(Bytes(10_000));
    assert_eq!(script.all().len(), 10);
    script.wait(10);
    script.wake();
    assert_eq!(script.spans(), [(1, 1000)]);
    script.sack = vec![(3001, 8001)];
    script.receive(ACK, 1, 1001, 0);
    assert_eq!(script.spans(), [(1001, 1000), (2001, 1000)]);
    script.sack = vec![(3001, 8001)];
    script.receive(ACK, 1, 2001, 0);
    assert_eq!(script.spans(), [(8001, 1000), (9001, 1000)]);
}

#[test]
fn sack_recovery_sends_each_hole_once_and_then_new_data() {
    let mut script = Script::established(reno());
    script.end.send(Bytes(30_000));
    assert_eq!(script.all().len(), 10);
    script.wait(10);
    // Segments 1 and 3 are lost; the first two duplicates permit a new segment each (limited transmit).
    script.sack = vec![(1001, 2001)];
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.spans(), [(10_001, 1000)]);
    script.sack = vec![(3001, 4001), (1001, 2001)];
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.spans(), [(11_001, 1000)]);
    script.sack = vec![(3001, 5001), (1001, 2001)];
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.spans(), [(1, 1000)], "ten in flight and a window of five: only the first goes");
    let stats = script.end.stats();
    assert_eq!((stats.cwnd, stats.ssthresh, stats.fast_retransmits), (Bytes(5000), Some(Bytes(5000)), 1));
    for (end, expected) in [
        (6001, vec![]),
        (7001, vec![]),
        (8001, vec![]),
        (9001, vec![(2001, 1000)]),
        (10_001, vec![(12_001, 1000)]),
        (11_001, vec![(13_001, 1000)]),
    ] {
        script.sack = vec![(3001, end), (1001, 2001)];
        script.receive(ACK, 1, 1, 0);
        assert_eq!(script.spans(), expected, "acknowledged up to {end}");
    }
    script.sack = vec![(3001, 12_001)];
    script.receive(ACK, 1, 2001, 0);
    assert_eq!(script.spans(), [(14_001, 1000), (15_001, 1000)]);
    script.receive(ACK, 1, 12_001, 0);
    assert_eq!(script.end.stats().cwnd, Bytes(5000));
    assert_eq!(script.spans(), [(16_001, 1000)]);
}

#[test]
fn the_window_does_not_shrink_what_was_offered_and_shrinking_is_survived() {
    let mut script = Script::established(reno());
    script.end.send(Bytes(10_000));
    assert_eq!(script.all().len(), 10);
    script.window = 500;
    script.receive(ACK, 1, 1001, 0);
    script.nothing();
    script.wake();
    assert_eq!(script.spans(), [(1001, 500)], "as much as the window holds");
    script.window = 20_000;
    script.receive(ACK, 1, 1501, 0);
    assert_eq!(script.spans().first(), Some(&(1501, 1000)));
}

#[test]
fn an_idle_sender_begins_again_from_the_initial_window() {
    for (idle_restart, segments) in [(true, 10), (false, 14)] {
        let mut script = Script::established(Config { idle_restart, ..reno() });
        script.end.send(Bytes(14_000));
        assert_eq!(script.all().len(), 10);
        script.wait(10);
        script.receive(ACK, 1, 4001, 0);
        assert_eq!(script.all().len(), 4);
        script.receive(ACK, 1, 14_001, 0);
        assert!(script.events().contains(&Event::Drained));
        script.wait(5_000);
        script.end.send(Bytes(100_000));
        assert!(script.all().len() >= segments && (!idle_restart || script.end.stats().cwnd == Bytes(10_000)));
    }
}

#[test]
fn writes_are_bounded_by_the_send_buffer_and_room_is_announced() {
    let mut script = Script::established(Config { send_buffer: Bytes(3_000), ..reno() });
    assert_eq!(script.end.write(&[0; 2_000]), Bytes(2_000));
    assert_eq!(script.end.write_length(Bytes(2_000)), Bytes(1_000));
    assert_eq!(script.end.room(), Bytes::ZERO);
    assert_eq!(script.all().len(), 3);
    script.receive(ACK, 1, 1001, 0);
    assert_eq!(script.events(), [Event::Writable]);
    assert_eq!(script.end.room(), Bytes(1_000));
    script.end.close();
    assert_eq!(script.end.write(b"x"), Bytes::ZERO);
}

#[test]
fn segments_leave_room_for_sack_blocks() {
    let mut script = Script::established(reno());
    script.receive(ACK, 1001, 1, 1000);
    script.end.send(Bytes(5_000));
    let first = &script.all()[0];
    assert_eq!((first.len, first.sack.len()), (1000 - 12, 1));
}

#[test]
fn the_rescue_does_not_repeat_what_has_just_been_repaired() {
    // RFC 6675, 4, NextSeg rule 4: the rescue is for the end of what is out, of which nothing is known.
    let after = |end: u32| {
        let mut script = Script::established(reno());
        script.end.send(Bytes(10_000));
        assert_eq!(script.all().len(), 10);
        script.sack = vec![(1001, end)];
        script.receive(ACK, 1, 1, 0);
        script.spans()
    };
    assert_eq!(after(9001), [(1, 1000), (9001, 1000)], "the hole, then the end");
    assert_eq!(after(10_001), [(1, 1000)], "the hole is all that is missing");
}

#[test]
fn sack_blocks_count_on_an_acknowledgement_that_comes_late() {
    // RFC 6675, 2: what makes a duplicate is a block with news, whatever the number beside it; its blocks lie above SND.UNA all the same.
    for recovery in [RecoveryChoice::Standard, RecoveryChoice::Rack] {
        let mut script = Script::established(Config { recovery, ..reno() });
        script.end.send(Bytes(10_000));
        assert_eq!(script.all().len(), 10);
        script.wait(10);
        script.receive(ACK, 1, 2001, 0);
        script.all();
        script.wait(10);
        // On the way from the receiver these were overtaken by the acknowledgement up to 2001: segment 3 is lost.
        for end in [4001, 5001, 6001] {
            script.sack = vec![(3001, end)];
            script.receive(ACK, 1, 1001, 0);
        }
        let first = script.spans().first().copied();
        assert_eq!(first, Some((2001, 1000)), "{recovery:?}");
        assert_eq!(script.end.stats().fast_retransmits, 1, "{recovery:?}");
    }
}

#[test]
fn late_blocks_below_what_is_acknowledged_or_on_a_challenged_number_are_nothing() {
    for (ack, block) in
        [(1001, (1001, 2001)), (1, (1, 1001)), (u32::MAX - 100_000, (3001, 6001)), (20_001, (3001, 6001))]
    {
        let mut script = Script::established(reno());
        script.end.send(Bytes(10_000));
        script.all();
        script.receive(ACK, 1, 2001, 0);
        script.all();
        for _ in 0..4 {
            script.sack = vec![block];
            script.receive(ACK, 1, ack, 0);
            script.all();
        }
        let stats = script.end.stats();
        assert_eq!((stats.fast_retransmits, stats.retransmitted_segments), (0, 0), "{ack}: {block:?}");
    }
}

#[test]
fn slow_start_counts_each_byte_once_whether_sack_has_reported_it_or_not() {
    // RFC 3465, 2.1. Four segments in order, or the first of them last: the window and what has been sent are the same in the end.
    let mut totals = Vec::new();
    for reordered in [false, true] {
        let mut script = Script::established(reno());
        script.end.send_forever();
        script.all();
        script.wait(10);
        for end in [2001, 3001] {
            if reordered {
                script.sack = vec![(1001, end)];
            }
            script.receive(ACK, 1, if reordered { 1 } else { end }, 0);
            script.all();
        }
        script.receive(ACK, 1, 4001, 0);
        script.all();
        totals.push((script.end.stats().cwnd, script.end.stats().data_segments_sent));
    }
    assert_eq!(totals, [(Bytes(14_000), 18); 2]);
}

#[test]
fn a_late_block_below_what_is_acknowledged_now_is_no_report_of_a_duplicate() {
    // RFC 2883, 4: what makes one is the number beside it. Had it widened the reordering window (RFC 8985, 6.2, step 4), a loss would take
    // 50 ms to be noticed and not a quarter of the round trip of 100 ms.
    let config = Config { recovery: RecoveryChoice::Rack, ..reno() };
    let mut waits = Vec::new();
    for block in [(2001, 3001), (1, 1001)] {
        let mut script = Script::calling(config.clone());
        script.one();
        script.wait(100);
        script.receive(SYN | ACK, 0, 1, 0);
        script.end.send(Bytes(10_000));
        script.all();
        script.wait(100);
        script.receive(ACK, 1, 3001, 0);
        script.sack = vec![block];
        script.receive(ACK, 1, 1001, 0);
        script.sack = vec![(4001, 5001)];
        script.receive(ACK, 1, 3001, 0);
        script.all();
        waits.push(script.wake());
    }
    assert_eq!(waits, [Duration::from_millis(25), Duration::from_millis(50)], "a report by its place, then a true one");
}

#[test]
fn a_small_segment_waits_for_all_that_is_out_or_by_minshall_for_another_small_one() {
    for (nagle, first) in [(NagleRule::Rfc, &[(1, 1000)][..]), (NagleRule::Minshall, &[(1, 1000), (1001, 500)][..])] {
        let mut script =
            Script::established(Config { sender: SenderChoices { nagle, ..SenderChoices::default() }, ..plain() });
        script.end.send(Bytes(1500));
        assert_eq!(script.spans(), first, "{nagle:?}");
        script.end.send(Bytes(300));
        script.nothing();
        // The full one is acknowledged: by Minshall's rule a small one is out still.
        script.receive(ACK, 1, 1001, 0);
        let second = if nagle == NagleRule::Rfc { vec![(1001, 800)] } else { vec![] };
        assert_eq!(script.spans(), second, "{nagle:?}");
        script.receive(ACK, 1, first.last().map_or(0, |&(seq, len)| seq + len).max(1501), 0);
        let third = if nagle == NagleRule::Rfc { vec![] } else { vec![(1501, 300)] };
        assert_eq!(script.spans(), third, "{nagle:?}");
    }
}

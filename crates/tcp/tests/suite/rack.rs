//! RACK-TLP (RFC 8985), worked by hand: a round trip of 100 ms, segments of 1000 bytes, Reno's window.
//!
//! The handshake gives SRTT = RTTmin = 100 ms and RTTVAR = 50 ms, so the first timeout is 100 + max(4 * 50, 200) = 300 ms;
//! the quiet reordering window is 100 / 4 = 25 ms.

use ackless_tcp::{Config, CongestionChoice, Event, RecoveryChoice};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::pair::{A, Pair, Path};
use crate::script::{ACK, SYN, Script, plain};

fn config() -> Config {
    Config { congestion: CongestionChoice::NewReno, recovery: RecoveryChoice::Rack, nagle: false, ..plain() }
}

/// A connection whose handshake took 100 ms, with `segments` out since now.
fn sending(config: Config, segments: usize) -> Script {
    let mut script = Script::listening(config);
    script.receive(SYN, 0, 0, 0);
    script.one();
    script.wait(100);
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.events(), [Event::Connected]);
    script.end.send(Bytes(1000 * segments as u64));
    assert_eq!(script.all().len(), segments.min(10));
    script
}

/// An acknowledgement of all below `ack` that reports `blocks`.
fn acknowledge(script: &mut Script, ack: u32, blocks: &[(u32, u32)]) {
    script.sack = blocks.to_vec();
    script.receive(ACK, 1, ack, 0);
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn the_example_of_section_3_4_recovers_a_lost_tail_and_a_lost_retransmission_without_a_timeout() {
    // 1: P0 to P3 are sent, P1 to P3 are lost. 2: P0 is acknowledged.
    let mut script = sending(config(), 4);
    script.wait(100);
    acknowledge(&mut script, 1001, &[]);
    script.nothing();
    // 3: two round trips later P3 is sent as a probe.
    assert_eq!(script.wake(), ms(200));
    assert_eq!(script.spans(), [(3001, 1000)]);
    // 4, 5: its SACK shows that P1 and P2 are lost. P1's retransmission is lost, too.
    script.wait(100);
    acknowledge(&mut script, 1001, &[(3001, 4001)]);
    assert_eq!(script.spans(), [(1001, 1000), (2001, 1000)]);
    // 6, 7: the SACK of P2's retransmission shows that.
    script.wait(100);
    acknowledge(&mut script, 1001, &[(2001, 4001)]);
    assert_eq!(script.spans(), [(1001, 1000)]);
    // 8.
    script.wait(100);
    acknowledge(&mut script, 4001, &[]);
    script.nothing();
    let stats = script.end.stats();
    assert_eq!((stats.timeouts, stats.fast_retransmits, stats.tail_probes, stats.tail_losses), (0, 1, 1, 0));
    assert_eq!(stats.cwnd, Bytes(2000), "reduced once, to the least");
    assert_eq!(script.end.poll_timeout(), None);
}

#[test]
fn a_quarter_of_the_least_round_trip_is_waited_before_anything_is_lost() {
    let mut script = sending(config(), 10);
    script.wait(100);
    acknowledge(&mut script, 1, &[(1001, 2001)]);
    script.nothing();
    assert_eq!(script.wake(), ms(25));
    assert_eq!(script.spans(), [(1, 1000)]);
    assert_eq!(script.end.stats().fast_retransmits, 1);
}

#[test]
fn three_segments_above_end_the_waiting() {
    let mut script = sending(config(), 10);
    script.wait(100);
    acknowledge(&mut script, 1, &[(1001, 3001)]);
    script.nothing();
    script.wait(1);
    acknowledge(&mut script, 1, &[(1001, 4001)]);
    assert_eq!(script.spans(), [(1, 1000)]);
}

#[test]
fn once_reordering_has_been_seen_even_three_segments_above_wait() {
    let mut script = sending(config(), 10);
    script.wait(100);
    acknowledge(&mut script, 1, &[(1001, 2001)]);
    script.wait(20);
    // The first one comes 20 ms late, before it counts as lost.
    acknowledge(&mut script, 2001, &[]);
    script.nothing();
    assert_eq!(script.end.stats().retransmitted_segments, 0);
    acknowledge(&mut script, 2001, &[(3001, 7001)]);
    // All were sent 120 ms ago; the newest one delivered took 120 ms.
    assert_eq!(script.wake(), ms(25));
    assert_eq!(script.spans(), [(2001, 1000)]);
}

#[test]
fn a_duplicate_report_doubles_the_window_for_the_next_loss() {
    let mut script = sending(config(), 10);
    script.wait(100);
    acknowledge(&mut script, 1, &[(1001, 2001)]);
    assert_eq!(script.wake(), ms(25));
    assert_eq!(script.spans(), [(1, 1000)]);
    // The original was only late. The retransmission arrives twice as much, which RFC 2883 reports.
    script.wait(10);
    acknowledge(&mut script, 2001, &[]);
    script.nothing();
    script.wait(90);
    acknowledge(&mut script, 2001, &[(1, 1001)]);
    script.nothing();
    acknowledge(&mut script, 10_001, &[]);
    script.end.send(Bytes(2000));
    assert_eq!(script.spans(), [(10_001, 1000), (11_001, 1000)]);
    script.wait(100);
    acknowledge(&mut script, 10_001, &[(11_001, 12_001)]);
    script.nothing();
    assert_eq!(script.wake(), ms(50));
    assert_eq!(script.spans(), [(10_001, 1000)]);
}

#[test]
fn a_probe_carries_new_data_where_there_is_some_whatever_the_congestion_window_says() {
    let mut script = sending(config(), 20);
    assert_eq!(script.wake(), ms(200));
    assert_eq!(script.spans(), [(10_001, 1000)]);
    script.wait(50);
    acknowledge(&mut script, 11_001, &[]);
    assert_eq!(script.spans().len(), 9, "the rest");
    let stats = script.end.stats();
    assert_eq!((stats.tail_probes, stats.tail_losses, stats.timeouts, stats.ssthresh), (1, 0, 0, None));
}

#[test]
fn one_segment_alone_is_probed_no_later_than_the_timeout_which_then_starts_again() {
    // 2 * 100 ms and 200 ms for a delayed acknowledgement would be later than the timeout of 300 ms.
    let mut script = sending(config(), 1);
    assert_eq!(script.wake(), ms(300));
    assert_eq!(script.spans(), [(1, 1000)]);
    assert_eq!((script.end.stats().tail_probes, script.end.stats().timeouts), (1, 0));
    assert_eq!(script.wake(), ms(300), "one probe, and then the timeout");
    assert_eq!(script.spans(), [(1, 1000)]);
    assert_eq!((script.end.stats().tail_probes, script.end.stats().timeouts), (1, 1));
    assert_eq!(script.end.stats().cwnd, Bytes(1000));
}

#[test]
fn without_a_round_trip_there_is_no_probe_and_the_timeout_begins_where_one_would_be_due() {
    let mut script = Script::listening(Config { rto_initial: ms(2000), ..config() });
    script.receive(SYN, 0, 0, 0);
    script.one();
    // The SYN-ACK goes twice, so the handshake gives no sample.
    assert_eq!(script.wake(), ms(2000));
    script.one();
    script.receive(ACK, 1, 1, 0);
    script.end.send(Bytes(1000));
    assert_eq!(script.spans(), [(1, 1000)]);
    assert_eq!(script.wake(), ms(1000));
    assert_eq!(script.spans(), []);
    // RFC 6298, 5.7.
    assert_eq!(script.wake(), ms(3000));
    assert_eq!(script.spans(), [(1, 1000)]);
    let stats = script.end.stats();
    assert_eq!((stats.tail_probes, stats.timeouts), (0, 1 + 1), "the SYN-ACK's and this one");
}

/// Three segments, the last of which is lost or late, and a probe that repeats it; the acknowledgement of it has come.
fn probed() -> Script {
    let mut script = sending(config(), 3);
    script.wait(100);
    acknowledge(&mut script, 2001, &[]);
    // For one segment 400 ms, but not later than the timeout.
    assert_eq!(script.wake(), ms(300));
    assert_eq!(script.spans(), [(2001, 1000)]);
    script.wait(100);
    acknowledge(&mut script, 3001, &[]);
    script
}

#[test]
fn a_loss_that_a_probe_repairs_reduces_the_window_once_it_is_certain() {
    let mut script = probed();
    assert_eq!(script.end.stats().ssthresh, None);
    script.end.send(Bytes(1000));
    assert_eq!(script.spans(), [(3001, 1000)]);
    script.wait(100);
    acknowledge(&mut script, 4001, &[]);
    let stats = script.end.stats();
    assert_eq!((stats.tail_losses, stats.fast_retransmits, stats.timeouts), (1, 0, 0));
    assert!(stats.ssthresh.is_some());
}

#[test]
fn a_probe_that_arrived_besides_the_original_is_no_loss() {
    for blocks in [&[][..], &[(2001, 3001)]] {
        let mut script = probed();
        script.wait(1);
        acknowledge(&mut script, 3001, blocks);
        script.end.send(Bytes(1000));
        assert_eq!(script.spans(), [(3001, 1000)]);
        script.wait(100);
        acknowledge(&mut script, 4001, &[]);
        let stats = script.end.stats();
        assert_eq!((stats.tail_probes, stats.tail_losses, stats.ssthresh), (1, 0, None), "{blocks:?}");
    }
}

#[test]
fn a_timeout_leaves_alone_what_was_sent_less_than_a_round_trip_ago() {
    let mut script = sending(config(), 1);
    script.wait(100);
    acknowledge(&mut script, 1001, &[]);
    // P0, its probe, and P1 just before the timeout.
    script.end.send(Bytes(1000));
    assert_eq!(script.spans(), [(1001, 1000)]);
    let waited = script.wake();
    assert_eq!(script.spans(), [(1001, 1000)]);
    assert_eq!(waited, ms(300));
    script.wait(290);
    script.end.send(Bytes(1000));
    assert_eq!(script.spans(), [(2001, 1000)]);
    assert_eq!(script.wake(), ms(10));
    assert_eq!(script.spans(), [(1001, 1000)], "and nothing else");
    assert_eq!(script.end.stats().timeouts, 1);
    // P1 was only waiting for P0.
    script.wait(90);
    acknowledge(&mut script, 3001, &[]);
    script.nothing();
    assert_eq!(script.end.stats().retransmitted_segments, 2);
}

#[test]
fn writes_on_a_path_that_is_gone_do_not_put_the_timeout_off_where_a_probe_could_not_go() {
    let mut script = sending(config(), 1);
    // The timeout is as soon as the probe, whose acknowledgement is no round trip.
    script.wake();
    assert_eq!(script.spans(), [(1, 1000)]);
    script.wait(100);
    acknowledge(&mut script, 1001, &[]);
    script.end.send(Bytes(2000));
    assert_eq!(script.spans(), [(1001, 1000), (2001, 1000)]);
    // No probe without a round trip since the last one: the timeout starts again, once.
    assert_eq!(script.wake(), ms(200));
    assert_eq!(script.spans(), []);
    script.wait(290);
    script.end.send(Bytes(1000));
    assert_eq!(script.spans(), [(3001, 1000)]);
    assert_eq!(script.wake(), ms(10));
    assert_eq!((script.spans(), script.end.stats().timeouts), (vec![(1001, 1000)], 1));
}

#[test]
fn a_probe_of_new_data_is_followed_by_the_timeout_and_by_no_probe() {
    let mut script = sending(config(), 20);
    assert_eq!(script.wake(), ms(200));
    assert_eq!(script.spans(), [(10_001, 1000)]);
    assert_eq!(script.wake(), ms(300));
    assert_eq!(script.end.stats().timeouts, 1);
}

#[test]
fn a_receiver_that_dropped_what_it_had_reported_gets_it_again_after_a_timeout() {
    let mut script = sending(config(), 3);
    script.wait(100);
    acknowledge(&mut script, 1, &[(1001, 3001)]);
    script.nothing();
    // The acknowledgement of the first does not cover what was reported.
    acknowledge(&mut script, 1001, &[]);
    script.nothing();
    script.wake();
    assert_eq!(script.spans(), [(1001, 1000)]);
    assert_eq!(script.end.stats().timeouts, 1);
    script.wait(100);
    acknowledge(&mut script, 2001, &[]);
    assert_eq!(script.spans(), [(2001, 1000)]);
}

#[test]
fn a_window_shrunk_to_nothing_is_probed_by_repetitions_for_as_long_as_answers_come() {
    let mut script = sending(Config { retries: 3, ..config() }, 3);
    script.wait(100);
    script.window = 0;
    acknowledge(&mut script, 1, &[]);
    script.nothing();
    for i in 0..20 {
        script.wake();
        assert_eq!(script.spans().len(), 1, "repetition {i}");
        script.wait(100);
        acknowledge(&mut script, 1, &[]);
        script.nothing();
    }
    script.window = 10_000;
    acknowledge(&mut script, 3001, &[]);
    assert_eq!(script.events(), [Event::Drained]);
}

#[test]
fn prr_spreads_the_reduction_over_the_recovery() {
    let mut script = sending(config(), 40);
    script.wait(100);
    // The first of ten is lost; three above it show that. Half of the window: for every two delivered, one goes out.
    acknowledge(&mut script, 1, &[(1001, 4001)]);
    assert_eq!(script.spans(), [(1, 1000)], "3 * 5 / 10 = 1.5 segments");
    let mut sent = Vec::new();
    for end in [5001, 6001, 7001, 8001, 9001, 10_001] {
        acknowledge(&mut script, 1, &[(1001, end)]);
        sent.push(script.spans().len());
    }
    // 4 * 5 / 10 = 2, less the one that went; 2.5 less 2 is not enough; then five are in flight, and each delivery is
    // replaced.
    assert_eq!(sent, [1, 0, 0, 1, 1, 1]);
    script.wait(100);
    acknowledge(&mut script, 10_001, &[]);
    assert_eq!(script.end.stats().cwnd, Bytes(5000));
}

#[test]
fn a_paced_window_leaves_evenly_and_acknowledgements_do_not_wait() {
    // 10 segments in a round trip of 100 ms, twice as fast in slow start: one each 5 ms.
    let mut script = sending(Config { pacing: true, ..config() }, 1);
    script.end.send(Bytes(50_000));
    for i in 1..10 {
        script.nothing();
        assert_eq!(script.wake(), ms(5));
        assert_eq!(script.spans(), [(i * 1000 + 1, 1000)]);
    }
    script.receive(ACK, 1, 1, 1000);
    script.receive(ACK, 1001, 1, 1000);
    assert_eq!(script.one().ack, 2001, "not held by pacing");
    // The window is full: nothing more leaves, and the next deadline is the probe's.
    script.wake();
    script.nothing();
    assert_eq!(script.wake(), ms(195));
    assert_eq!(script.spans(), [(10_001, 1000)]);
}

/// 4 MB over 20 Mbit/s and 40 ms with this loss: timeouts, and milliseconds until all is acknowledged.
fn transfer(recovery: RecoveryChoice, pacing: bool, loss: f64) -> (u64, u64) {
    let (mut timeouts, mut millis) = (0, 0);
    for seed in 0..8 {
        let config = Config { recovery, pacing, rto_min: ms(200), ..Config::default() };
        let path = Path { rate: Some(BitRate::from_mbps(20)), queue: 100, loss, ..Path::of_delay(20) };
        let mut pair = Pair::new([config.clone(), config], path, seed);
        pair.ends[A].send(Bytes(4_000_000));
        pair.run_while(|pair| pair.ends[A].bytes_acked() < Bytes(4_000_000));
        timeouts += pair.ends[A].stats().timeouts;
        millis += pair.now.saturating_since(Instant::ZERO).as_micros_floor() / 1000;
    }
    (timeouts, millis)
}

#[test]
fn where_retransmissions_are_lost_too_rack_needs_the_timer_far_less_often() {
    let (counting, slow) = transfer(RecoveryChoice::Standard, false, 0.03);
    let (timing, fast) = transfer(RecoveryChoice::Rack, false, 0.03);
    assert!(timing * 5 <= counting && fast < slow, "{timing} and {counting} timeouts, {fast} and {slow} ms");
}

#[test]
fn without_loss_pacing_costs_less_than_a_twentieth_of_the_time() {
    let (_, bursts) = transfer(RecoveryChoice::Rack, false, 0.0);
    let (_, paced) = transfer(RecoveryChoice::Rack, true, 0.0);
    assert!(paced * 20 <= bursts * 21, "{paced} and {bursts} ms");
}

//! What nothing follows: probed, time and again, before the timeout.

use ackless_tcp::tack::body::Report;
use ackless_tcp::{Config, TackConfig};
use ackless_wire::{BitRate, Bytes, Duration};

use super::quarter_goes_by;
use super::script::*;

#[test]
fn the_tail_of_a_flow_is_probed_and_not_timed_out() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(5_000));
    script.end.close();
    let first = script.burst();
    assert_eq!(first.last(), Some(&Sent { number: 5, place: 4, fin: true }));
    script.wait(RTT);
    script.report(3, report(3, 0));
    let mut probe = Vec::new();
    while probe.is_empty() {
        probe = script.wait(RTT / 10);
    }
    assert_eq!(probe, [Sent { number: 6, place: 4, fin: true }]);
    script.wait(RTT);
    script.pull(3, 3, 6);
    assert_eq!(script.burst(), [sent(7, 3)], "number 5 was made good by the probe");
    assert_eq!(script.end.stats().timeouts, 0);
}

const MS: fn(u64) -> Duration = Duration::from_millis;

/// An endpoint that has sent five segments. The handshake tells the round trip of 100 ms: a probe follows 200 ms after the last segment, and a timeout, of which 1 s are for a receiver that waits, comes after 1.1 s.
fn five_sent() -> Script {
    let mut script = Script::connected(Config { rto_min: MS(1_000), ..config() });
    script.end.send(Bytes(5_000));
    assert_eq!(script.burst().last(), Some(&sent(5, 4)));
    script
}

/// What went out beyond the fifth segment, and how long after that.
fn since_the_fifth(script: &Script) -> Vec<(Duration, Sent)> {
    let at = script.log[4].0;
    script.log[5..].iter().map(|&(now, sent, _)| (now.saturating_since(at), sent)).collect()
}

#[test]
fn probe_follows_probe_twice_as_long_after_it_and_the_timeout_waits_for_the_first_alone() {
    let mut script = five_sent();
    script.wait(MS(1_500));
    let sent_again = since_the_fifth(&script);
    // The third probe would go 1,400 ms after the fifth segment, and the timeout comes 1.1 s after the first.
    let expected = [(MS(200), sent(6, 4)), (MS(600), sent(7, 4)), (MS(1_300), sent(8, 0))];
    assert_eq!(sent_again[..3], expected, "{sent_again:?}");
    let stats = script.end.stats();
    assert_eq!((stats.tail_probes, stats.timeouts), (2, 1));
}

#[test]
fn no_probe_goes_so_late_that_the_timeout_would_come_amid_what_its_answer_lets_go() {
    // The second probe goes 400 ms after the first, and what its answer lets go is heard of within 200.
    for (timeout, expected) in [(599, 1), (600, 2)] {
        let mut script = Script::connected(Config { rto_min: MS(timeout) - RTT, ..config() });
        script.end.send(Bytes(5_000));
        script.wait(MS(700));
        assert_eq!(script.end.stats().tail_probes, expected, "{timeout} ms");
    }
}

#[test]
fn a_repetition_that_is_lost_at_the_tail_is_probed_too() {
    let mut script = five_sent();
    script.wait(RTT);
    script.pull(3, 3, 5);
    assert_eq!(script.drain(), [sent(6, 3)]);
    assert_eq!(script.wait(RTT * 5 / 2), [sent(7, 4)], "asks what became of number 6");
    script.pull(3, 5, 7);
    assert_eq!((script.drain(), script.end.stats().timeouts), (vec![sent(8, 3)], 0));
}

#[test]
fn a_receiver_that_answers_probes_and_says_of_no_loss_puts_the_timeout_off_once() {
    let mut script = five_sent();
    let mut answered = 5;
    for _ in 0..30 {
        script.wait(RTT);
        let latest = script.log.last().expect("data went out").1.number;
        if latest > answered {
            answered = latest;
            script.report(3, report(latest, 1));
        }
    }
    let stats = script.end.stats();
    assert!(stats.timeouts >= 1 && stats.tail_probes <= 4, "{stats:?}");
}

/// An endpoint that has begun to send so much to a window of so many segments.
fn behind_a_window(window_asks: bool, segments: u16, bytes: Bytes) -> Script {
    let mut config = Config { rto_min: MS(1_000), ..config() };
    config.tack = config.tack.map(|tack| TackConfig { window_asks, ..tack });
    let mut script = Script::connected(config);
    script.window = segments * 1_000;
    script.end.send(bytes);
    script.drain();
    script
}

/// Reports what has arrived, by a receiver that has taken the latest 1/f over.
fn tell(script: &mut Script, acked: u32, arrived: u32) {
    let interval = script.end.stats().told_interval.unwrap_or_default();
    script.report(acked, Report { delivery_rate: BitRate::from_mbps(8), interval, ..report(arrived, 0) });
}

/// How long after the last segment a probe goes, beyond twice SRTT, once 1/f has been told, where the peer's window is of so many segments, and every fourth of the last reports comes so late.
fn probed_behind_a_window(window_asks: bool, segments: u16, late: Duration) -> Duration {
    let mut script = behind_a_window(window_asks, segments, Bytes(10_000_000));
    let (mut acked, mut arrived) = (0, 0);
    for quarter in 0..60 {
        quarter_goes_by(&mut script, quarter, &mut acked, &mut arrived);
        if quarter >= 50 && quarter % 4 == 0 {
            script.wait(late);
        }
        if arrived > 0 {
            tell(&mut script, acked, arrived);
        }
    }
    script.burst();
    let probes = script.end.stats().tail_probes;
    let (last, srtt) = (script.log.last().expect("data went out").0, script.end.stats().srtt.expect("it was measured"));
    for _ in 0..5_000 {
        script.wait(MS(1));
        if script.end.stats().tail_probes > probes {
            break;
        }
    }
    script.log.last().expect("the probe").0.saturating_since(last + srtt * 2)
}

#[test]
fn a_window_that_blocks_is_probed_as_soon_as_its_report_is_overdue_where_that_is_chosen() {
    // As long as a receiver may hold back the end of a burst, or two segments, which is L.
    let silent = probed_behind_a_window(false, 5, Duration::ZERO);
    assert!(silent >= MS(40), "{silent:?}");
    for segments in [2, 5] {
        let asks = probed_behind_a_window(true, segments, Duration::ZERO);
        assert!(asks < MS(10), "{segments}: {asks:?}");
    }
    // A single one, so not before the timeout.
    let less_than_l = probed_behind_a_window(true, 1, Duration::ZERO);
    assert!(less_than_l >= MS(800), "{less_than_l:?}");
    let varied = probed_behind_a_window(true, 5, RTT * 4);
    assert!(varied >= MS(20), "{varied:?}");
}

#[test]
fn the_end_of_a_flow_is_no_window_that_blocks() {
    let mut script = behind_a_window(true, 5, Bytes(60_000));
    let (mut acked, mut arrived) = (0, 0);
    for quarter in 0..80 {
        quarter_goes_by(&mut script, quarter, &mut acked, &mut arrived);
        if arrived > 0 && acked < 55 {
            script.window = if acked < 50 { 5_000 } else { 60_000 };
            tell(&mut script, acked, arrived);
        }
    }
    script.wait(RTT * 5);
    let last: Vec<_> = script.log.iter().filter(|(_, sent, _)| sent.place == 59).map(|&(at, ..)| at).collect();
    let (waited, srtt) = (last[1].saturating_since(last[0]), script.end.stats().srtt.expect("it was measured"));
    assert!(waited >= srtt * 2 + MS(40), "{waited:?}");
}

#[test]
fn a_single_segment_is_probed_when_a_receiver_that_waits_would_have_answered() {
    for (segments, expected) in [(2, MS(200)), (1, MS(400))] {
        let mut script = Script::connected(Config { rto_min: MS(300), ..config() });
        script.end.send(Bytes(segments * 1_000));
        script.wait(MS(600));
        let probed = |at: usize| script.log[at].0.saturating_since(script.log[at - 1].0);
        // A probe comes no later than the timeout, here 100 and 300 ms.
        assert_eq!((script.end.stats().timeouts, probed(segments as usize)), (0, expected));
    }
}

#[test]
fn once_a_probe_has_been_answered_the_next_comes_as_soon_as_the_first_did() {
    let mut script = five_sent();
    script.wait(MS(250));
    assert_eq!(script.end.stats().tail_probes, 1);
    script.report(5, report(6, 0));
    script.end.send(Bytes(2_000));
    assert_eq!(script.burst(), [sent(7, 5), sent(8, 6)]);
    let srtt = script.end.stats().srtt.expect("round trips were measured");
    script.wait(MS(450));
    let (first, second) = (script.log[7].0, script.log[8].0);
    // To the microsecond in which round trips are told.
    assert!(second.saturating_since(first) < srtt * 2 + MS(1), "{:?} after {srtt:?}", second.saturating_since(first));
}

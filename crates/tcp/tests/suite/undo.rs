//! Reductions that were mistakes (RFC 3522, 5682, 2883), worked by hand: a round trip of 100 ms, segments of 1000 bytes, Reno's window, ten segments at first.

use ackless_tcp::{Config, CongestionChoice, Event, RackRule, RecoveryChoice, SenderChoices, UndoChoices};
use ackless_wire::{Bytes, Duration};

use crate::script::{ACK, SYN, Script, Sent, plain};

const NONE: UndoChoices = UndoChoices { eifel: false, frto: false, dsack: false };
const EIFEL: UndoChoices = UndoChoices { eifel: true, ..NONE };
const FRTO: UndoChoices = UndoChoices { frto: true, ..NONE };
const DSACK: UndoChoices = UndoChoices { dsack: true, ..NONE };

fn config(undo: UndoChoices, recovery: RecoveryChoice) -> Config {
    Config {
        congestion: CongestionChoice::NewReno,
        recovery,
        nagle: false,
        sender: SenderChoices { undo, ..SenderChoices::default() },
        ..plain()
    }
}

/// A connection whose handshake took 100 ms, and the first ten of `segments`, which are out since now.
fn sending(config: Config, segments: u64) -> (Script, Vec<Sent>) {
    let mut script = Script::listening(config.clone());
    script.stamps = config.timestamps.map(|_| (1, 0));
    script.receive(SYN, 0, 0, 0);
    let answer = script.one();
    script.wait(100);
    script.stamps = answer.stamps.map(|(value, _)| (2, value));
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.events(), [Event::Connected]);
    script.end.send(Bytes(1000 * segments));
    let sent = script.all();
    assert_eq!(sent.len() as u64, segments.min(10));
    (script, sent)
}

/// Waits until the retransmission timer has fired, and returns what it has sent again.
fn time_out(script: &mut Script) -> Sent {
    loop {
        script.wake();
        let sent = script.all();
        if script.end.stats().timeouts == 1 {
            assert_eq!(sent.len(), 1, "{sent:?}");
            return sent[0].clone();
        }
    }
}

fn acknowledge(script: &mut Script, ack: u32, blocks: &[(u32, u32)]) {
    script.sack = blocks.to_vec();
    script.receive(ACK, 1, ack, 0);
}

/// Window, threshold and how many reductions have been undone.
fn standing(script: &Script) -> (u64, Option<u64>, u64) {
    let stats = script.end.stats();
    (stats.cwnd.get() / 1000, stats.ssthresh.map(|threshold| threshold.get() / 1000), stats.undone_reductions)
}

#[test]
fn an_echo_from_before_the_retransmission_undoes_a_timeout() {
    for recovery in [RecoveryChoice::Standard, RecoveryChoice::Rack] {
        for (undo, undone) in [(EIFEL, true), (NONE, false)] {
            let (mut script, sent) = sending(
                Config { timestamps: Some(Duration::from_millis(1)), mss: Bytes(1012), ..config(undo, recovery) },
                10,
            );
            let again = time_out(&mut script);
            assert_eq!((again.seq, again.len), (1, sent[0].len));
            script.wait(100);
            let echo = sent[0].stamps.expect("there are timestamps").0;
            script.stamps = Some((3, echo));
            let ack = sent[1].seq;
            acknowledge(&mut script, ack, &[]);
            let mut repeated = script.spans();
            repeated.retain(|&(seq, _)| seq <= sent[9].seq);
            assert_eq!(standing(&script).2, u64::from(undone), "{recovery:?}");
            assert_eq!(repeated.is_empty(), undone, "{recovery:?}: {repeated:?}");
            assert_eq!(standing(&script).1.is_none(), undone, "{recovery:?}: the threshold is as it was");
            assert!(standing(&script).0 >= 10 || !undone, "{recovery:?}: and the window");
            if recovery == RecoveryChoice::Standard {
                // 100 + 4 * 50 ms; else the timer stays backed off.
                let micros = if undone { 300_000 } else { 600_000 };
                assert_eq!(script.end.retransmission_timeout(), Duration::from_micros(micros));
            }
        }
    }
}

#[test]
fn an_echo_of_the_retransmission_undoes_nothing() {
    for recovery in [RecoveryChoice::Standard, RecoveryChoice::Rack] {
        let (mut script, sent) =
            sending(Config { timestamps: Some(Duration::from_millis(1)), ..config(EIFEL, recovery) }, 10);
        let again = time_out(&mut script);
        script.wait(100);
        script.stamps = again.stamps.map(|(value, _)| (3, value));
        acknowledge(&mut script, sent[1].seq, &[]);
        assert_eq!(script.spans().len(), 2, "slow start goes on with what is lost");
        assert_eq!(standing(&script).2, 0);
    }
}

#[test]
fn an_echo_undoes_a_fast_retransmit() {
    for recovery in [RecoveryChoice::Standard, RecoveryChoice::Rack] {
        let (mut script, sent) =
            sending(Config { timestamps: Some(Duration::from_millis(1)), ..config(EIFEL, recovery) }, 10);
        let (at, echo) = (|n: usize| sent[n].seq, sent[0].stamps.expect("there are timestamps").0);
        script.stamps = Some((3, echo));
        script.wait(100);
        acknowledge(&mut script, 1, &[(at(1), at(4))]);
        assert_eq!(script.spans()[0].0, 1);
        assert_eq!(standing(&script).0, 4, "half of what was out, in segments without timestamps");
        script.wait(5);
        acknowledge(&mut script, at(4), &[]);
        assert!(script.spans().iter().all(|&(seq, _)| seq > at(9)), "nothing is repeated");
        assert_eq!((standing(&script).1, standing(&script).2), (None, 1));
    }
}

#[test]
fn with_records_a_fast_retransmit_is_undone_once_nothing_that_was_repeated_is_out_and_order_is_trusted_no_more() {
    let stamped = Config { timestamps: Some(Duration::from_millis(1)), ..config(EIFEL, RecoveryChoice::Rack) };
    let (mut script, sent) = sending(stamped, 40);
    let at = |n: usize| sent[n].seq;
    script.stamps = Some((3, sent[0].stamps.expect("there are timestamps").0));
    script.wait(100);
    acknowledge(&mut script, 1, &[(at(2), at(7))]);
    let repeats = |script: &mut Script| script.spans().iter().filter(|&&(seq, _)| seq <= at(9)).count();
    assert_eq!(repeats(&mut script), 2, "the first two");
    script.wait(5);
    acknowledge(&mut script, at(1), &[(at(2), at(7))]);
    assert_eq!((standing(&script).2, repeats(&mut script)), (0, 0), "the first came late, and the second is out again");
    script.wait(5);
    acknowledge(&mut script, at(7), &[]);
    let fresh: Vec<u32> = script.spans().iter().map(|&(seq, _)| seq).collect();
    assert!(standing(&script).2 == 1 && fresh.len() >= 5 && fresh[0] > at(9), "{fresh:?}");
    // What is late from now on is waited for, for a quarter of the round trip.
    script.wait(100);
    acknowledge(&mut script, fresh[0], &[(fresh[1], fresh[4])]);
    let is_repeated = |script: &mut Script| script.spans().iter().any(|&(seq, _)| seq == fresh[0]);
    assert!(!is_repeated(&mut script), "three above it");
    script.wake();
    assert_eq!((is_repeated(&mut script), script.end.stats().timeouts), (true, 0));
}

/// Fourteen segments, of which the timer took eleven for lost; new data is what F-RTO sends after the first acknowledgement.
fn after_first_acknowledgement(undo: UndoChoices) -> Script {
    let (mut script, _) = sending(config(undo, RecoveryChoice::Rack), 14);
    assert_eq!(time_out(&mut script).seq, 1);
    script.wait(100);
    acknowledge(&mut script, 1001, &[]);
    script
}

#[test]
fn frto_sends_new_data_and_finds_a_timeout_spurious_by_the_second_acknowledgement() {
    let mut script = after_first_acknowledgement(FRTO);
    // The eleventh has gone as a tail loss probe.
    assert_eq!(script.spans(), [(11_001, 1000), (12_001, 1000)]);
    script.wait(1);
    acknowledge(&mut script, 2001, &[]);
    let (window, threshold, undone) = standing(&script);
    assert!(window >= 10 && threshold.is_none() && undone == 1, "{:?}", standing(&script));
    assert!(script.spans().iter().all(|&(seq, _)| seq >= 13_001));
}

#[test]
fn without_frto_what_the_timer_takes_for_lost_goes_first() {
    let mut script = after_first_acknowledgement(NONE);
    assert_eq!(script.spans(), [(1001, 1000), (2001, 1000)]);
}

#[test]
fn frto_goes_back_to_repeating_where_the_new_data_arrives_and_the_old_does_not() {
    let mut script = after_first_acknowledgement(FRTO);
    script.all();
    script.wait(100);
    acknowledge(&mut script, 1001, &[(11_001, 12_001)]);
    assert_eq!(script.spans()[0], (1001, 1000));
    assert_eq!((standing(&script).1, standing(&script).2), (Some(5), 0));
}

#[test]
fn frto_repeats_where_there_is_no_new_data_to_send() {
    let (mut script, _) = sending(config(FRTO, RecoveryChoice::Rack), 10);
    time_out(&mut script);
    script.wait(100);
    acknowledge(&mut script, 1001, &[]);
    assert_eq!(script.spans(), [(1001, 1000), (2001, 1000)]);
}

#[test]
fn a_report_that_all_that_was_repeated_came_twice_undoes_a_fast_retransmit() {
    for recovery in [RecoveryChoice::Standard, RecoveryChoice::Rack] {
        for undo in [DSACK, NONE] {
            let (mut script, _) = sending(config(undo, recovery), 10);
            script.wait(100);
            acknowledge(&mut script, 1, &[(1001, 4001)]);
            assert_eq!(script.spans()[0], (1, 1000));
            script.wait(10);
            acknowledge(&mut script, 10_001, &[]);
            assert_eq!(standing(&script), (5, Some(5), 0));
            script.wait(90);
            acknowledge(&mut script, 10_001, &[(1, 1001)]);
            let expected = if undo == DSACK { (10, None, 1) } else { (5, Some(5), 0) };
            assert_eq!(standing(&script), expected, "{recovery:?}");
        }
    }
}

#[test]
fn a_report_of_one_of_two_repeated_segments_undoes_nothing() {
    let (mut script, _) = sending(config(DSACK, RecoveryChoice::Rack), 10);
    script.wait(100);
    acknowledge(&mut script, 1, &[(2001, 7001)]);
    assert_eq!(script.spans(), [(1, 1000), (1001, 1000)]);
    script.wait(100);
    acknowledge(&mut script, 10_001, &[(1, 1001)]);
    assert_eq!(standing(&script).2, 0);
    acknowledge(&mut script, 10_001, &[(1001, 2001)]);
    assert_eq!(standing(&script).2, 1);
}

#[test]
fn a_receiver_reports_what_came_twice_in_the_first_block() {
    // RFC 2883, 4: below the acknowledgement alone; above it with the block that it lies in.
    let mut script = Script::established(config(DSACK, RecoveryChoice::Standard));
    let mut take = |seq: u32| {
        script.receive(ACK, seq, 1, 1000);
        let sent = script.all();
        script.read(u64::MAX / 2);
        script.all();
        sent.into_iter().next_back().map(|sent| (sent.ack, sent.sack))
    };
    take(1);
    assert_eq!(take(1), Some((1001, vec![(1, 1001)])));
    assert_eq!(take(3001), Some((1001, vec![(3001, 4001)])), "once");
    assert_eq!(take(4001), Some((1001, vec![(3001, 5001)])));
    assert_eq!(take(6001), Some((1001, vec![(6001, 7001), (3001, 5001)])));
    assert_eq!(take(4001), Some((1001, vec![(4001, 5001), (3001, 5001), (6001, 7001)])));
}

#[test]
fn a_receiver_without_dsack_reports_nothing_twice() {
    let mut script = Script::established(config(NONE, RecoveryChoice::Standard));
    script.receive(ACK, 1, 1, 1000);
    script.receive(ACK, 1, 1, 1000);
    assert_eq!(script.one().sack, []);
}

#[test]
fn by_linux_a_probe_reported_above_a_hole_shows_what_is_lost_and_an_original_acknowledged_by_number_shows_nothing() {
    // Echoes are of what came before the hole. By RFC 8985 (6.2, step 2) neither counts for the probe.
    for (rack, repaired) in [(RackRule::Rfc, false), (RackRule::Linux, true)] {
        let sender = SenderChoices { rack, undo: EIFEL, ..SenderChoices::default() };
        let stamped =
            Config { timestamps: Some(Duration::from_millis(1)), sender, ..config(NONE, RecoveryChoice::Rack) };
        // The tail of ten is lost, all but the first; the last is sent again as a probe.
        let (mut script, sent) = sending(stamped.clone(), 10);
        script.wait(100);
        let echo = sent[0].stamps.expect("there are timestamps").0;
        script.stamps = Some((3, echo));
        acknowledge(&mut script, sent[1].seq, &[]);
        script.all();
        script.wake();
        let probe = script.one();
        assert_eq!(script.end.stats().tail_probes, 1);
        script.wait(100);
        acknowledge(&mut script, sent[1].seq, &[(probe.seq, probe.seq + probe.len)]);
        assert_eq!(script.spans().first().is_some_and(|first| first.0 == sent[1].seq), repaired, "{rack:?}");
        // Nothing was lost, and the timer fired: the original is acknowledged 110 ms later.
        let (mut script, sent) = sending(stamped, 10);
        time_out(&mut script);
        script.wait(110);
        script.stamps = Some((3, sent[0].stamps.expect("there are timestamps").0));
        acknowledge(&mut script, sent[1].seq, &[]);
        assert!(script.spans().iter().all(|&(seq, _)| seq > sent[9].seq), "{rack:?}: nothing is repeated");
    }
}

//! Where a sender by the rules of Linux does otherwise than by those of the RFCs, each in one
//! conversation.

use ackless_tcp::{Config, CongestionChoice, CubicRule, GrowthRule, PrrRule, RackRule, RecoveryChoice, SenderChoices};
use ackless_wire::{Bytes, Duration};

use crate::script::{ACK, SYN, Script, plain};

/// A window in segments.
fn window(script: &Script) -> u64 {
    script.end.congestion_window().get() / 1000
}

fn grows(growth: GrowthRule) -> SenderChoices {
    SenderChoices { growth, ..SenderChoices::default() }
}

#[test]
fn once_it_has_seen_reordering_linux_grows_with_what_sack_blocks_report() {
    // Linux 6.12 and its own script (packetdrill's
    // cubic-rack-reo-timeout-retrans-failed-incoming-data): 19.
    for (growth, expected) in [(GrowthRule::Rfc, [10, 10, 20]), (GrowthRule::Linux, [10, 11, 19])] {
        let sender = SenderChoices { cubic: CubicRule::Linux, rack: RackRule::Linux, ..grows(growth) };
        let mut script = Script::listening(Config { recovery: RecoveryChoice::Rack, sender, ..plain() });
        script.receive(SYN, 0, 0, 0);
        script.one();
        script.wait(20);
        script.receive(ACK, 1, 1, 0);
        script.end.send(Bytes(10_000));
        assert_eq!(script.all().len(), 10);
        script.wait(20);
        let mut windows = [0; 3];
        script.sack = vec![(9001, 10_001)];
        script.receive(ACK, 1, 1, 0);
        windows[0] = window(&script);
        // Six others have overtaken the fourth segment: more than three.
        script.sack = vec![(3001, 4001), (9001, 10_001)];
        script.receive(ACK, 1, 1, 0);
        windows[1] = window(&script);
        script.receive(ACK, 1, 10_001, 0);
        windows[2] = window(&script);
        assert_eq!(windows, expected, "{growth:?}");
    }
}

#[test]
fn without_sack_linux_does_not_grow_once_more_by_what_duplicates_have_counted() {
    for (growth, expected) in [(GrowthRule::Rfc, 13), (GrowthRule::Linux, 11)] {
        let config = Config { congestion: CongestionChoice::NewReno, sack: false, sender: grows(growth), ..plain() };
        let mut script = Script::established(config);
        script.end.send(Bytes(10_000));
        assert_eq!(script.all().len(), 10);
        script.wait(20);
        // The first segment is late: two others have come before it.
        script.receive(ACK, 1, 1, 0);
        script.receive(ACK, 1, 1, 0);
        script.receive(ACK, 1, 3001, 0);
        assert_eq!(window(&script), expected, "{growth:?}");
        // The duplicates are forgotten with that.
        script.receive(ACK, 1, 6001, 0);
        assert_eq!(window(&script), expected + 3, "{growth:?}");
    }
}

#[test]
fn with_a_scoreboard_alone_linux_grows_by_what_is_newly_delivered() {
    for (growth, expected) in [(GrowthRule::Rfc, 14), (GrowthRule::Linux, 12)] {
        let config = Config { congestion: CongestionChoice::NewReno, sender: grows(growth), ..plain() };
        let mut script = Script::established(config);
        script.end.send(Bytes(10_000));
        assert_eq!(script.all().len(), 10);
        script.wait(20);
        script.sack = vec![(1001, 3001)];
        script.receive(ACK, 1, 1, 0);
        script.receive(ACK, 1, 4001, 0);
        assert_eq!(window(&script), expected, "{growth:?}");
    }
}

#[test]
fn by_linux_rules_racks_round_trip_is_that_of_the_segment_entered_last() {
    for (rack, lost) in [(RackRule::Rfc, true), (RackRule::Linux, false)] {
        let sender = SenderChoices { rack, prr: PrrRule::Linux, ..SenderChoices::default() };
        let config = Config { recovery: RecoveryChoice::Rack, timestamps: None, sender, ..plain() };
        let mut script = Script::established(Config { congestion: CongestionChoice::NewReno, ..config });
        script.wait(20);
        script.end.send(Bytes(6000));
        assert_eq!(script.all().len(), 6);
        script.wait(50);
        script.end.send(Bytes(4000));
        assert_eq!(script.all().len(), 4);
        script.wait(50);
        for end in [4001, 5001, 6001] {
            script.sack = vec![(3001, end)];
            script.receive(ACK, 1, 1, 0);
        }
        assert_eq!(script.spans()[0], (1, 1000), "{rack:?}: the first three are lost");
        // 120 ms later the repeated first segment and two late originals are acknowledged. The
        // round trip of the repetition, sent last, is 120 ms, and that of the third segment 220 ms.
        // Those sent at 50 ms have had 170.
        script.wait(120);
        script.sack = vec![(3001, 6001)];
        script.receive(ACK, 1, 3001, 0);
        let stats = script.end.stats();
        let again = script.spans().iter().any(|&(from, _)| from == 6001);
        assert_eq!(again, lost, "{rack:?}: {stats:?}");
    }
}

#[test]
fn after_a_timeout_linux_grows_by_all_that_is_acknowledged() {
    for (growth, expected) in [(GrowthRule::Rfc, 2), (GrowthRule::Linux, 4)] {
        let config = Config { congestion: CongestionChoice::NewReno, sack: false, sender: grows(growth), ..plain() };
        let mut script = Script::established(config);
        script.end.send(Bytes(10_000));
        assert_eq!(script.all().len(), 10);
        script.wake();
        assert_eq!((script.spans(), window(&script)), (vec![(1, 1000)], 1));
        // Two behind it had come after all.
        script.receive(ACK, 1, 3001, 0);
        assert_eq!(window(&script), expected, "{growth:?}");
    }
}

#[test]
fn an_idle_window_halves_with_each_timeout_by_linux_and_begins_anew_by_the_rfc() {
    for (growth, idle, expected) in [
        (GrowthRule::Rfc, 690, 10),
        (GrowthRule::Linux, 690, 20),
        (GrowthRule::Linux, 1000, 10),
        (GrowthRule::Linux, 9000, 10),
    ] {
        let config = Config { congestion: CongestionChoice::NewReno, sack: false, sender: grows(growth), ..plain() };
        let mut script = Script::established(Config { rto_min: Duration::from_millis(200), ..config });
        for (from, segments) in [(0, 10), (10, 20), (30, 40)] {
            script.end.send(Bytes(segments * 1000));
            assert_eq!(script.all().len() as u64, segments);
            script.wait(100);
            script.receive(ACK, 1, ((from + segments) * 1000 + 1) as u32, 0);
        }
        assert_eq!(window(&script), 80);
        script.wait(idle - 100);
        let timeout = script.end.retransmission_timeout().as_micros_floor() / 1000;
        script.end.send(Bytes(1000));
        script.all();
        assert_eq!(window(&script), expected, "{growth:?}, idle for {idle} ms, a timeout of {timeout} ms");
    }
}

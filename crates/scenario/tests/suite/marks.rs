//! Explicit congestion notification with FQ-CoDel at the AP: marks take the place of losses, whatever becomes of the TCP ACKs that echo them.

use ackless_cell::observe::{Event, Observer};
use ackless_cell::run_observed;
use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_wire::{Ecn, Instant, TcpFlags};

/// What was heard on the air, and what the flows' senders sent again.
#[derive(Debug, Default)]
struct Heard {
    marks: u64,
    /// Data that says that its sender has reduced its window.
    words: u64,
    retransmissions: u64,
    /// Marks by the queues of all nodes, and those that each flow's receiver has had.
    counted: (u64, Vec<Option<u64>>),
}

impl Observer for Heard {
    fn observe(&mut self, _now: Instant, event: &Event<'_>) {
        let Event::End { ppdu, pool, .. } = *event else { return };
        for mpdu in ppdu.mpdus() {
            let packet = pool.get(mpdu.packet);
            let says = |flag| packet.tcp().is_some_and(|tcp| !packet.payload.is_empty() && tcp.flags.contains(flag));
            self.marks += u64::from(packet.ip.ecn() == Ecn::Experienced);
            self.words += u64::from(says(TcpFlags::CWR));
        }
    }
}

/// Downloads by two stations over an AP whose queues stand above their target.
fn heard(row: &str, overrides: &[&str]) -> Heard {
    let builtin = Builtin::find("wifi-80211n").unwrap_or_else(|error| panic!("{error}"));
    let mut scenario = builtin.scenario().unwrap_or_else(|error| panic!("{error}"));
    let world =
        ["ap.queue=fq-codel", "ap.codel_target=5ms", "stations.count=2", "run.measured=700ms", "run.warm_up=500ms"];
    for argument in world.iter().chain(overrides) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    let config = scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
    let mut heard = Heard::default();
    let result = run_observed(&config, 1, &mut heard);
    heard.retransmissions = result.flows.iter().map(|flow| flow.retransmissions).sum();
    heard.counted = (result.counters.total.ecn_marks, result.flows.iter().map(|flow| flow.ecn_marks).collect());
    heard
}

#[test]
fn marks_take_the_place_of_losses_under_every_scheme() {
    for row in ["tcp", "hack", "agent", "agent-promise", "arq", "fastack", "cake", "broadcom", "samsung", "linux"] {
        let marked = heard(row, &["transport.ecn=true"]);
        assert_eq!(marked.retransmissions, 0, "{row}: {marked:?}");
        assert!(marked.marks > 0 && marked.words > 0, "{row}: {marked:?}");
    }
}

#[test]
fn without_the_transport_or_without_the_queue_nothing_is_marked() {
    for overrides in [&["transport.ecn=false"][..], &["transport.ecn=true", "ap.fq_ecn=false"]] {
        let lost = heard("tcp", overrides);
        assert!(lost.retransmissions > 0, "{overrides:?}: {lost:?}");
        assert_eq!((lost.marks, lost.words > 0), (0, overrides[0] == "transport.ecn=true"), "{overrides:?}: {lost:?}");
    }
}

#[test]
fn a_tack_flow_takes_no_part() {
    let heard = heard("tack", &["transport.ecn=true"]);
    assert_eq!((heard.marks, heard.words), (0, 0), "{heard:?}");
}

#[test]
fn marks_are_counted_where_they_are_made_and_where_they_arrive() {
    let marked = heard("tcp", &["transport.ecn=true"]);
    let (made, arrived) = (marked.counted.0, marked.counted.1.iter().flatten().sum::<u64>());
    assert!(marked.counted.1.iter().all(|flow| flow.is_some_and(|marks| marks > 0)), "{marked:?}");
    // Nothing is lost for good; what was under way as the window began or ended is a few A-MPDUs.
    assert!(made > 0 && made.abs_diff(arrived) <= 128, "{made} were made, and {arrived} arrived");
    let plain = heard("tcp", &["transport.ecn=false"]);
    assert_eq!(plain.counted, (0, vec![None; 2]));
}

use super::*;
use crate::transmissions::Snapshot;

const MSS: Bytes = Bytes(1000);
const RTT: Duration = Duration::from_millis(100);

/// A sender with its detector, and time.
struct Sender {
    pull: Pull,
    out: Outstanding,
    now: Instant,
}

fn span(from: u64, to: u64) -> Span {
    Span { start: Position(1 + 1000 * from), end: Position(1 + 1000 * to) }
}

impl Sender {
    /// `segments` have been sent, a millisecond apart.
    fn after(segments: u64) -> Self {
        let start = Position::FIRST_BYTE;
        let out = Outstanding { una: start, next: start, max: start, smss: MSS };
        let mut sender = Self { pull: Pull::new(), out, now: Instant::from_secs(1) };
        for i in 0..segments {
            sender.send(span(i, i + 1));
        }
        sender
    }

    fn send(&mut self, span: Span) -> u64 {
        self.now += Duration::from_millis(1);
        self.out.max = self.out.max.max(span.end);
        self.out.next = self.out.max;
        self.pull.records.send(span, self.now, Snapshot::default())
    }

    fn ack(&mut self, segments: u64) -> LossDecision {
        let una = span(segments, segments).start;
        let acked = una.since(self.out.una);
        self.out.una = una;
        self.pull.records.acknowledge(una, |_| ());
        self.pull.on_ack(&self.out, &AckReport { acked, sacked: &[], duplicate: false })
    }

    fn range(&mut self, second: u64, largest: u64) -> LossDecision {
        self.pull.on_range(second, largest);
        self.pull.on_ack(&self.out, &AckReport { acked: Bytes::ZERO, sacked: &[], duplicate: false })
    }

    fn holes(&mut self, holes: &[Span], largest: u64, received: u64) -> LossDecision {
        let report =
            HoleReport { now: self.now, ack: self.out.una, received: MSS * received, holes, largest, round_trip: RTT };
        self.pull.on_holes(&report);
        self.pull.deliver_reported(|_| ());
        self.pull.on_ack(&self.out, &AckReport { acked: Bytes::ZERO, sacked: &[], duplicate: false })
    }

    /// Sends all that is lost; its places and numbers.
    fn repair(&mut self) -> Vec<(Span, u64)> {
        let mut sent = Vec::new();
        while let Some(lost) = self.pull.lost(&self.out) {
            sent.push((lost, self.send(lost)));
        }
        sent
    }

    fn wait(&mut self, span: Duration) {
        self.now += span;
    }
}

#[test]
fn the_papers_example_of_a_lost_retransmission() {
    // V-A: five packets; number 2 is lost, then number 4, which repeats it.
    let mut sender = Sender::after(3);
    assert_eq!(sender.ack(1), LossDecision::Nothing);
    assert_eq!(sender.range(1, 3), LossDecision::BeginRecovery);
    assert_eq!(sender.repair(), [(span(1, 2), 4)]);
    assert_eq!(sender.send(span(3, 4)), 5);
    assert_eq!(sender.range(3, 5), LossDecision::Nothing, "the window is reduced once");
    assert_eq!(sender.repair(), [(span(1, 2), 6)]);
    assert_eq!(sender.ack(4), LossDecision::EndRecovery);
    assert_eq!(sender.pull.phase(), Phase::Open);
}

#[test]
fn a_range_says_nothing_of_what_has_been_sent_again() {
    let mut sender = Sender::after(10);
    sender.range(2, 6);
    let repaired = sender.repair();
    assert_eq!(repaired.iter().map(|&(span, _)| span).collect::<Vec<_>>(), [span(2, 3), span(3, 4), span(4, 5)]);
    assert_eq!(sender.range(2, 6), LossDecision::Nothing);
    assert_eq!(sender.repair(), []);
}

#[test]
fn a_hole_is_filled_once_a_round_trip_however_often_it_is_reported() {
    let mut sender = Sender::after(10);
    sender.ack(2);
    sender.wait(RTT);
    let hole = [span(2, 4)];
    assert_eq!(sender.holes(&hole, 10, 6), LossDecision::BeginRecovery);
    assert_eq!(sender.repair().len(), 2);
    sender.send(span(10, 11));
    let mut repairs = 0;
    for _ in 0..20 {
        // A report every quarter of a round trip, for five round trips: all repetitions are lost, what follows arrives.
        sender.wait(RTT / 4);
        sender.holes(&hole, sender.pull.records.last_number(), 7);
        repairs += sender.repair().len();
        let end = sender.out.max;
        sender.send(Span::new(end, MSS));
    }
    assert_eq!(repairs, 2 * 5);
}

#[test]
fn a_repetition_that_nothing_has_overtaken_may_be_under_way() {
    let mut sender = Sender::after(10);
    sender.ack(2);
    sender.wait(RTT);
    sender.holes(&[span(2, 4)], 10, 6);
    assert_eq!(sender.repair(), [(span(2, 3), 11), (span(3, 4), 12)]);
    sender.wait(RTT * 3);
    sender.holes(&[span(2, 4)], 11, 6);
    assert_eq!(sender.repair(), [(span(2, 3), 13)], "number 11 is named as overtaken, 12 is not");
}

#[test]
fn what_is_in_flight_is_neither_there_nor_lost() {
    let mut sender = Sender::after(10);
    sender.ack(2);
    assert_eq!(sender.pull.pipe(&sender.out), MSS * 8);
    sender.holes(&[], 10, 5);
    assert_eq!(sender.pull.pipe(&sender.out), MSS * 3);
    sender.range(4, 7);
    assert_eq!(sender.pull.pipe(&sender.out), MSS);
    sender.repair();
    assert_eq!(sender.pull.pipe(&sender.out), MSS * 3);
    // An acknowledgement without a report: of what it covers, all may have been above the hole before.
    sender.ack(5);
    assert_eq!(sender.pull.pipe(&sender.out), MSS * 3);
    sender.ack(10);
    assert_eq!(sender.pull.pipe(&sender.out), Bytes::ZERO);
}

#[test]
fn a_lie_about_what_is_there_leaves_nothing_in_flight_and_no_more() {
    let mut sender = Sender::after(10);
    sender.holes(&[span(50, 60), span(3, 2)], 10, 1 << 40);
    assert_eq!(sender.pull.pipe(&sender.out), Bytes::ZERO);
    assert_eq!(sender.repair(), []);
}

#[test]
fn going_back_skips_what_is_there_until_that_does_not_help() {
    let mut sender = Sender::after(10);
    sender.ack(2);
    sender.holes(&[span(2, 3), span(5, 6)], 6, 2);
    let places = |repaired: Vec<(Span, u64)>| repaired.into_iter().map(|(span, _)| span).collect::<Vec<_>>();
    sender.pull.on_timeout(&sender.out);
    assert_eq!(sender.pull.phase(), Phase::GoBack { until: sender.out.max });
    let expected: Vec<_> = [2, 5, 6, 7, 8, 9].map(|i| span(i, i + 1)).into();
    assert_eq!(places(sender.repair()), expected, "3 and 4 lie between the holes");
    sender.pull.on_timeout(&sender.out);
    let all: Vec<_> = (2..10).map(|i| span(i, i + 1)).collect();
    assert_eq!(places(sender.repair()), all);
    assert_eq!(sender.ack(9), LossDecision::Nothing);
    assert_eq!(sender.ack(10), LossDecision::Nothing);
    assert_eq!(sender.pull.phase(), Phase::Open);
}

#[test]
fn a_probe_of_the_window_is_never_repaired() {
    let mut sender = Sender::after(3);
    sender.ack(3);
    let probe = Span::new(sender.out.max, Bytes(1));
    sender.send(probe);
    sender.out.next = probe.start;
    sender.send(Span { start: probe.start, end: probe.end });
    sender.out.next = probe.start;
    sender.range(3, 5);
    sender.range(4, 6);
    assert_eq!(sender.pull.lost(&sender.out), None);
    sender.pull.on_timeout(&sender.out);
    assert_eq!(sender.pull.lost(&sender.out), None);
}

#[test]
fn a_loss_that_the_tail_probe_made_good_still_counts() {
    let mut sender = Sender::after(5);
    sender.ack(4);
    assert!(sender.pull.wants_tail_probe(&sender.out));
    sender.pull.on_tail_probe(sender.out.max, true);
    let probe = sender.send(span(4, 5));
    assert_eq!(sender.range(4, probe), LossDecision::TailRepaired);
    assert_eq!(sender.repair(), []);
    assert_eq!(sender.ack(5), LossDecision::Nothing, "and counts once");
}

#[test]
fn the_answer_to_any_of_several_tail_probes_tells_what_they_made_good() {
    for answered in [6, 7, 8] {
        let mut sender = Sender::after(5);
        sender.ack(4);
        for _ in 0..3 {
            assert!(sender.pull.wants_tail_probe(&sender.out));
            sender.pull.on_tail_probe(sender.out.max, true);
            assert!(sender.pull.is_probing_tail());
            sender.send(span(4, 5));
        }
        assert_eq!(sender.range(4, answered), LossDecision::TailRepaired, "{answered}");
        sender.pull.on_tail_probe(sender.out.max, true);
        let latest = sender.send(span(4, 5));
        let again = if answered == 8 { LossDecision::TailRepaired } else { LossDecision::Nothing };
        assert_eq!(sender.range(answered, latest), again, "{answered}: once, until all of them have been heard of");
    }
    // Of those that have been heard of, nothing more is told.
    let mut sender = Sender::after(5);
    sender.ack(3);
    sender.pull.on_tail_probe(sender.out.max, true);
    sender.send(span(4, 5));
    sender.holes(&[], 6, 0);
    assert!(!sender.pull.is_probing_tail());
    sender.pull.on_tail_probe(sender.out.max, true);
    sender.send(span(4, 5));
    assert_eq!(sender.range(4, 6), LossDecision::Nothing);
}

#[test]
fn a_tail_probe_that_was_not_needed_changes_nothing() {
    let mut sender = Sender::after(5);
    sender.ack(4);
    sender.pull.on_tail_probe(sender.out.max, true);
    sender.send(span(4, 5));
    sender.holes(&[], 6, 0);
    assert_eq!(sender.ack(5), LossDecision::Nothing);
}

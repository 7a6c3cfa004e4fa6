//! NextSeg and SetPipe of RFC 6675 on hand-made scoreboards: segments of 100 octets, numbered from 1 as in 1 = [1,
//! 101).

use super::*;

const SMSS: Bytes = Bytes(100);

/// Segments `from` to before `to`.
fn segments(from: u64, to: u64) -> Span {
    Span { start: Position(from * 100 - 99), end: Position(to * 100 - 99) }
}

/// Segments from 1 (or what is acknowledged) to before `sent` are out.
fn out(una: u64, sent: u64) -> Outstanding {
    let (una, next) = (segments(una, una).start, segments(sent, sent).start);
    Outstanding { una, next, max: next, smss: SMSS }
}

fn report(sack: &mut SackRecovery, out: &Outstanding, acked: u64, sacked: &[Span]) -> LossDecision {
    sack.on_ack(out, &AckReport { acked: Bytes(acked), sacked, duplicate: acked == 0 })
}

/// Ten segments out, 1, 3 and 4 missing, 2 and 5 to 8 acknowledged: recovery begins with the last report.
fn recovering() -> (SackRecovery, Outstanding) {
    let (mut sack, out) = (SackRecovery::new(), out(1, 11));
    assert_eq!(report(&mut sack, &out, 0, &[segments(2, 3)]), LossDecision::Nothing);
    assert_eq!(report(&mut sack, &out, 0, &[segments(5, 6)]), LossDecision::Nothing);
    assert_eq!(report(&mut sack, &out, 0, &[segments(5, 9), segments(2, 3)]), LossDecision::BeginRecovery);
    (sack, out)
}

#[test]
fn recovery_begins_with_the_third_duplicate_or_with_three_segments_above() {
    let (mut sack, out) = (SackRecovery::new(), out(1, 11));
    for end in [3, 4] {
        assert_eq!(report(&mut sack, &out, 0, &[segments(2, end)]), LossDecision::Nothing);
    }
    assert_eq!(report(&mut sack, &out, 0, &[segments(2, 5)]), LossDecision::BeginRecovery);
    let mut at_once = SackRecovery::new();
    assert_eq!(report(&mut at_once, &out, 0, &[segments(4, 7)]), LossDecision::BeginRecovery);
}

#[test]
fn a_report_without_news_is_no_duplicate() {
    let (mut sack, out) = (SackRecovery::new(), out(1, 11));
    for _ in 0..10 {
        assert_eq!(report(&mut sack, &out, 0, &[segments(2, 3)]), LossDecision::Nothing);
    }
}

#[test]
fn set_pipe_counts_what_is_neither_acknowledged_nor_lost_and_what_was_sent_again() {
    let (mut sack, out) = recovering();
    // Lost: 1, 3, 4. In the network: 9 and 10.
    assert_eq!(sack.pipe(&out), SMSS * 2);
    sack.on_sent(segments(1, 2), SentKind::Repair);
    assert_eq!(sack.pipe(&out), SMSS * 3);
    // SetPipe itself agrees, now that 1 is at HighRxt.
    report(&mut sack, &out, 0, &[segments(5, 9)]);
    assert_eq!(sack.pipe(&out), SMSS * 3);
    // 9 arrives: one less.
    report(&mut sack, &out, 0, &[segments(5, 10)]);
    assert_eq!(sack.pipe(&out), SMSS * 2);
}

#[test]
fn the_first_retransmission_goes_at_once_and_is_the_first_hole() {
    let (mut sack, out) = recovering();
    assert_eq!(sack.urgent(&out), Some(segments(1, 2)));
    sack.on_sent(segments(1, 2), SentKind::Repair);
    assert_eq!(sack.urgent(&out), None);
}

#[test]
fn next_seg_rule_1_is_the_next_lost_hole_above_high_rxt() {
    let (mut sack, out) = recovering();
    for n in [1, 3, 4] {
        assert_eq!(sack.lost(&out), Some(segments(n, n + 1)));
        sack.on_sent(segments(n, n + 1), SentKind::Repair);
    }
    assert_eq!(sack.lost(&out), None, "9 and 10 are above the highest acknowledged octet");
}

#[test]
fn next_seg_rule_3_is_a_hole_that_is_not_known_to_be_lost() {
    // 1 is lost by its three duplicates; 3 has one segment acknowledged above it, which is not enough.
    let (mut sack, out) = (SackRecovery::new(), out(1, 8));
    for sacked in [Span { start: Position(102), end: Position(150) }, segments(2, 3), segments(4, 5)] {
        report(&mut sack, &out, 0, &[sacked]);
    }
    assert_eq!(sack.phase(), Phase::Recovery { until: out.max });
    sack.on_sent(segments(1, 2), SentKind::Repair);
    assert_eq!(sack.lost(&out), None);
    assert_eq!(sack.speculative(&out), Some(Retransmission::Hole(segments(3, 4))));
}

#[test]
fn next_seg_rule_4_is_the_end_of_what_is_out_once_in_a_recovery() {
    let (mut sack, out) = recovering();
    for n in [1, 3, 4] {
        sack.on_sent(segments(n, n + 1), SentKind::Repair);
    }
    assert_eq!(sack.speculative(&out), Some(Retransmission::Rescue(segments(10, 11))));
    let before = sack.pipe(&out);
    sack.on_sent(segments(10, 11), SentKind::Rescue);
    assert_eq!(sack.pipe(&out), before + SMSS);
    assert_eq!(sack.speculative(&out), None);
    // HighRxt is where it was: a report that shows 9 lost has it sent again.
    let (later, reported) = (self::out(3, 20), segments(10, 15));
    report(&mut sack, &later, 200, &[segments(5, 9), reported]);
    assert_eq!(sack.lost(&later), Some(segments(9, 10)));
}

#[test]
fn recovery_ends_when_all_that_was_out_is_acknowledged() {
    let (mut sack, _) = recovering();
    sack.on_sent(segments(1, 2), SentKind::Repair);
    let partial = out(3, 14);
    assert_eq!(report(&mut sack, &partial, 200, &[segments(5, 9)]), LossDecision::Nothing);
    assert_eq!(sack.phase(), Phase::Recovery { until: segments(11, 11).start });
    let full = out(11, 14);
    assert_eq!(report(&mut sack, &full, 800, &[]), LossDecision::EndRecovery);
    assert_eq!((sack.phase(), sack.pipe(&full)), (Phase::Open, SMSS * 3));
}

#[test]
fn a_timeout_forgets_the_scoreboard_and_no_recovery_begins_until_all_is_acknowledged() {
    let (mut sack, before) = recovering();
    sack.on_timeout(&before);
    let back = Outstanding { next: before.una, ..before };
    assert_eq!((sack.pipe(&back), sack.lost(&back)), (Bytes::ZERO, None));
    assert_eq!(sack.go_back(back.una, back.max), Span { start: back.una, end: back.max });
    assert_eq!(report(&mut sack, &back, 0, &[segments(5, 9)]), LossDecision::Nothing);
    assert_eq!(sack.go_back(segments(5, 5).start, back.max), segments(9, 11), "what is reported again is skipped");
    assert_eq!(report(&mut sack, &out(11, 11), 1000, &[]), LossDecision::Nothing);
    assert_eq!(sack.phase(), Phase::Open);
}

use std::collections::VecDeque;

use ackless_wire::random::{Purpose, Stream};

use super::*;

fn span(start: u64, end: u64) -> Span {
    Span { start: Position(start), end: Position(end) }
}

fn ms(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// `n` segments of 100 bytes from place 1 on, one each millisecond.
fn sent(n: u64) -> Transmissions {
    let mut records = Transmissions::new();
    for i in 0..n {
        let number = records.send(span(1 + i * 100, 101 + i * 100), ms(i), Snapshot::default());
        assert_eq!(number, i + 1);
    }
    records
}

fn sack(records: &mut Transmissions, start: u64, end: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    records.sack(span(start, end), |run| numbers.push(run.last.number));
    numbers
}

/// The first and the last number of each run, and how much it carried.
fn acknowledge(records: &mut Transmissions, una: u64) -> Vec<(u64, u64, u64)> {
    let mut acked = Vec::new();
    records.acknowledge(Position(una), |run| acked.push((run.first.number, run.last.number, run.len().get())));
    acked
}

#[test]
fn each_record_is_delivered_once_however_often_it_is_reported() {
    let mut records = sent(10);
    assert_eq!(sack(&mut records, 301, 501), [4, 5]);
    assert_eq!(sack(&mut records, 201, 601), [3, 6]);
    assert_eq!(sack(&mut records, 201, 601), []);
    assert_eq!(records.in_flight(), Bytes(600));
    assert_eq!(acknowledge(&mut records, 401), [(1, 2, 200)]);
    assert_eq!(acknowledge(&mut records, 1001), [(7, 10, 400)]);
    assert!(records.is_empty() && records.in_flight() == Bytes::ZERO);
}

#[test]
fn reports_of_parts_count_once_they_make_a_whole() {
    let mut records = sent(5);
    assert_eq!(sack(&mut records, 150, 260), []);
    assert_eq!(sack(&mut records, 280, 301), []);
    assert_eq!(sack(&mut records, 260, 280), [3]);
    assert_eq!(sack(&mut records, 101, 150), [2]);
    assert_eq!(records.in_flight(), Bytes(300));
}

#[test]
fn a_report_from_outside_of_what_is_out_is_ignored() {
    let mut records = sent(5);
    for (start, end) in [(1, 101), (401, 502), (0, 1), (300, 300), (400, 200)] {
        assert_eq!(sack(&mut records, start, end), []);
    }
    assert_eq!(records.in_flight(), Bytes(500));
}

#[test]
fn a_partial_acknowledgement_cuts_a_record() {
    let mut records = sent(3);
    assert_eq!(acknowledge(&mut records, 151), [(1, 1, 100), (2, 2, 50)]);
    assert_eq!(records.at(Position(151)).map(|r| (r.span, r.number)), Some((span(151, 201), 2)));
    assert_eq!(records.numbered(2).map(|r| r.span), Some(span(151, 201)));
    assert_eq!(records.in_flight(), Bytes(150));
}

#[test]
fn what_is_sent_again_has_a_new_number_and_comes_last() {
    let mut records = sent(4);
    assert_eq!(records.lose_between(0, 3, |_| true), Bytes(200));
    assert_eq!((records.lost(), records.in_flight()), (Bytes(200), Bytes(200)));
    assert_eq!(records.next_lost().map(|r| r.span), Some(span(1, 101)));
    // Only 60 bytes fit this time.
    assert_eq!(records.send(span(1, 61), ms(10), Snapshot::default()), 5);
    assert_eq!(records.next_lost().map(|r| r.span), Some(span(61, 101)));
    assert_eq!(records.send(span(61, 101), ms(11), Snapshot::default()), 6);
    assert_eq!(records.next_lost().map(|r| r.span), Some(span(101, 201)));
    assert_eq!(records.numbered(1), None);
    assert_eq!(records.numbered(5).map(|r| (r.span, r.sends)), Some((span(1, 61), 2)));
    assert_eq!(lost_one_by_one(&mut records.clone()), [3, 4, 5, 6]);
    assert_eq!(records.lose_between(0, 3, |_| true), Bytes::ZERO, "an old report says nothing new");
}

#[test]
fn a_retransmission_across_records_gives_all_of_them_its_number() {
    let mut records = sent(4);
    assert_eq!(records.send(span(51, 251), ms(9), Snapshot::default()), 5);
    let numbers: Vec<_> = records.iter().map(|r| (r.span.start.0, r.number)).collect();
    assert_eq!(numbers, [(1, 1), (51, 5), (101, 5), (201, 5), (251, 3), (301, 4)]);
    assert_eq!(records.lose_between(4, 6, |_| true), Bytes(200));
}

/// The numbers of what is in flight, in the order in which it is lost where ever more is overdue.
fn lost_one_by_one(records: &mut Transmissions) -> Vec<u64> {
    let mut seen = Vec::new();
    for number in 1..=records.last_number() {
        let before = records.ever_lost();
        records.lose_overdue(u64::MAX, |record| record.number <= number);
        if records.ever_lost() > before {
            seen.push(number);
        }
    }
    seen
}

#[test]
fn of_what_was_overtaken_the_overdue_is_lost_and_the_last_that_stays_is_told() {
    let mut records = sent(6);
    assert_eq!(records.lose_overdue(4, |_| true), None);
    assert_eq!(records.lost(), Bytes(300), "what was sent before the fourth");
    assert_eq!(records.lose_overdue(6, |record| record.sent_at < ms(3)), Some(ms(4)), "the fourth and the fifth stay");
    assert_eq!(sack(&mut records, 401, 501), [5]);
    assert_eq!(records.lose_overdue(6, |_| false), Some(ms(3)));
    assert_eq!(records.lose_overdue(7, |record| record.sent_at < ms(4)), Some(ms(5)));
    assert_eq!(records.lost(), Bytes(400));
}

#[test]
fn what_waits_is_not_looked_at_with_each_acknowledgement() {
    let mut records = sent(1_000);
    let looks = std::cell::Cell::new(0);
    for latest in 2..=1_001 {
        records.lose_overdue(latest, |_| {
            looks.set(looks.get() + 1);
            false
        });
    }
    assert_eq!(looks.get(), 1_000, "at one each time");
}

#[test]
fn forgotten_reports_are_losses() {
    let mut records = sent(3);
    assert_eq!(sack(&mut records, 101, 301), [2, 3]);
    records.forget_reports();
    assert_eq!((records.lost(), records.in_flight()), (Bytes(200), Bytes(100)));
    assert_eq!(sack(&mut records, 101, 301), [2, 3]);
}

#[test]
fn what_was_reported_taken_back_and_found_again_is_in_the_order_of_sending() {
    let mut records = sent(4);
    assert_eq!(sack(&mut records, 101, 301), [2, 3]);
    // The first is sent again, so that nothing holds the reported ones in the order.
    assert_eq!(records.send(span(1, 101), ms(10), Snapshot::default()), 5);
    records.forget_reports();
    records.find_all();
    assert_eq!(lost_one_by_one(&mut records.clone()), [2, 3, 4, 5]);
    assert!((2..=5).all(|number| records.numbered(number).is_some_and(|record| record.number == number)));
}

#[test]
fn whatever_happens_the_records_agree_with_a_list_of_bytes() {
    for seed in 0..300 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let mut records = Transmissions::new();
        // For each byte above `una`: number of its latest transmission, whether ever reported.
        let (mut una, mut bytes) = (1u64, VecDeque::<(u64, bool)>::new());
        let mut number = 0;
        for step in 0..400 {
            let max = una + bytes.len() as u64;
            let place = |random: &mut Stream| una + random.below(max - una + 1);
            match random.below(6) {
                0 | 1 => {
                    let start = if random.chance(0.7) { max } else { place(&mut random) };
                    let end = start + 1 + random.below(20);
                    number += 1;
                    // Some follow others of their time.
                    assert_eq!(records.send(span(start, end), ms(step / 4), Snapshot::default()), number);
                    for at in start..end {
                        let at = (at - una) as usize;
                        if at < bytes.len() { bytes[at].0 = number } else { bytes.push_back((number, false)) }
                    }
                }
                2 => {
                    let to = place(&mut random);
                    records.acknowledge(Position(to), |_| {});
                    bytes.drain(..(to - una) as usize);
                    una = to;
                }
                3 => {
                    let start = place(&mut random);
                    let end = (start + random.below(30)).min(max);
                    records.sack(span(start, end), |_| {});
                    if start > una {
                        (start..end).for_each(|at| bytes[(at - una) as usize].1 = true);
                    }
                }
                4 => lose(seed, &mut records, random.below(number + 2), random.below(number + 2)),
                _ => {
                    records.lose_between(random.below(number + 1), random.below(number + 2), |_| true);
                }
            }
            check(seed, &records, una, &bytes);
        }
    }
}

#[test]
fn a_train_is_recorded_as_its_segments_one_by_one() {
    for seed in 0..200 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let (mut trains, mut alone) = (Transmissions::new(), Transmissions::new());
        let (mut una, mut max) = (1, 1);
        for step in 0..300 {
            let mut snapshot = Snapshot { in_flight: Bytes(100 * step), lost: Bytes(step), ..Snapshot::default() };
            match random.below(4) {
                0 | 1 => {
                    let end = max + 100 * (1 + random.below(8));
                    trains.send_train(span(max, end), Bytes(100), ms(step), snapshot);
                    for start in (max..end).step_by(100) {
                        alone.send(span(start, start + 100), ms(step), snapshot);
                        snapshot.in_flight += Bytes(100);
                    }
                    max = end;
                }
                // Many repetitions make the order of sending long, so that it is made shorter.
                2 if una < max => {
                    for _ in 0..random.below(30) {
                        trains.send(span(una, una + 100), ms(step), snapshot);
                        alone.send(span(una, una + 100), ms(step), snapshot);
                    }
                }
                _ => {
                    una += 100 * random.below((max - una) / 100 + 1);
                    trains.acknowledge(Position(una), |_| {});
                    alone.acknowledge(Position(una), |_| {});
                }
            }
            assert_eq!(format!("{trains:?}"), format!("{alone:?}"), "seed {seed}, step {step}");
        }
    }
}

/// What is overdue below a number is lost, and nothing else; and of what stays below it that is told which was sent last.
fn lose(seed: u64, records: &mut Transmissions, below: u64, overdue: u64) {
    let in_flight = |records: &Transmissions| {
        let waits = |record: &&Transmission| record.fate == Fate::InFlight;
        records.iter().filter(waits).map(|record| (record.number, record.span.start)).collect::<Vec<_>>()
    };
    let mut expected = in_flight(records);
    let any = expected.iter().any(|(number, _)| *number < below);
    assert!(records.is_overtaken(below) || !any, "seed {seed}: what is in flight below {below} is not found");
    let last = records.lose_overdue(below, |record| record.number < overdue);
    expected.retain(|(number, _)| *number >= below.min(overdue));
    assert_eq!(in_flight(records), expected, "seed {seed}: below {below}, overdue {overdue}");
    let stays = expected.iter().map(|(number, _)| *number).filter(|number| *number < below).max();
    let sent_at = stays.and_then(|number| records.numbered(number)).map(|record| record.sent_at);
    assert_eq!(last, sent_at, "seed {seed}: the last below {below}");
}

fn check(seed: u64, records: &Transmissions, una: u64, bytes: &VecDeque<(u64, bool)>) {
    let (mut at, mut in_flight, mut lost) = (una, Bytes::ZERO, Bytes::ZERO);
    for record in records.iter() {
        assert_eq!(record.span.start, Position(at), "seed {seed}: no gap");
        assert!(!record.span.is_empty(), "seed {seed}");
        for place in record.span.start.0..record.span.end.0 {
            let (number, reported) = bytes[(place - una) as usize];
            assert_eq!(record.number, number, "seed {seed}: latest transmission of {place}");
            assert!(record.fate != Fate::Delivered || reported || record.sends > 1, "seed {seed}");
        }
        if record.fate != Fate::Delivered {
            assert!(records.numbered(record.number).is_some(), "seed {seed}: found by number");
        }
        match record.fate {
            Fate::InFlight => in_flight += record.span.len(),
            Fate::Lost => lost += record.span.len(),
            Fate::Delivered => {}
        }
        at = record.span.end.0;
    }
    assert_eq!(at, una + bytes.len() as u64, "seed {seed}: all is recorded");
    assert_eq!((records.in_flight(), records.lost()), (in_flight, lost), "seed {seed}");
    let delivered = records.iter().filter(|record| record.fate == Fate::Delivered).count();
    assert_eq!(records.delivered_count(), delivered, "seed {seed}");
    let first_lost = records.iter().find(|record| record.fate == Fate::Lost);
    assert_eq!(records.next_lost(), first_lost, "seed {seed}");
}

#[test]
fn what_is_lost_is_kept_for_who_asks_with_how_things_stood_when_it_was_sent() {
    let mut records = Transmissions::new();
    records.lose(span(1, 101), |_| true);
    assert_eq!(records.take_losses(), None, "nobody asked");
    records.keep_losses();
    for i in 0..4 {
        let lost = records.ever_lost();
        let snapshot = Snapshot { in_flight: Bytes(100 * (i + 1)), lost, app_limited: i == 3, ..Snapshot::default() };
        records.send(span(1 + i * 100, 101 + i * 100), ms(i), snapshot);
        if i == 2 {
            records.lose(span(1, 101), |_| true);
        }
    }
    records.lose(span(301, 401), |_| true);
    records.lose(span(201, 301), |_| true);
    let lost = |start, in_flight, lost, application_limited| Lost {
        span: span(start, start + 100),
        in_flight: Bytes(in_flight),
        lost: Bytes(lost),
        application_limited,
        counted: true,
    };
    // The fourth was sent after the first was lost, the third before that.
    assert_eq!(
        records.take_losses(),
        Some(vec![lost(1, 100, 100, false), lost(301, 400, 100, true), lost(201, 300, 300, false)])
    );
    assert_eq!(records.take_losses(), None, "once");
}

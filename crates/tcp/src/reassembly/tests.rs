//! Reassembly against a byte map.

use std::collections::BTreeMap;

use ackless_wire::random::{Purpose, Stream};

use super::*;

fn span(start: u64, end: u64) -> Span {
    Span { start: Position(start), end: Position(end) }
}

fn spans(reassembly: &Reassembly, limit: usize) -> Vec<(u64, u64)> {
    reassembly.recent(limit).map(|s| (s.start.0, s.end.0)).collect()
}

fn hold(reassembly: &mut Reassembly, start: u64, end: u64) {
    assert!(reassembly.insert(span(start, end), None, 0));
}

#[test]
fn the_span_that_grew_last_is_reported_first() {
    let mut reassembly = Reassembly::default();
    hold(&mut reassembly, 10, 20);
    hold(&mut reassembly, 50, 60);
    hold(&mut reassembly, 30, 40);
    assert_eq!(spans(&reassembly, 4), [(30, 40), (50, 60), (10, 20)]);
    hold(&mut reassembly, 20, 25);
    assert_eq!(spans(&reassembly, 4), [(10, 25), (30, 40), (50, 60)]);
    hold(&mut reassembly, 70, 80);
    hold(&mut reassembly, 90, 95);
    assert_eq!(spans(&reassembly, 3), [(90, 95), (70, 80), (10, 25)]);
    hold(&mut reassembly, 24, 52);
    assert_eq!(spans(&reassembly, 4), [(10, 60), (90, 95), (70, 80)]);
}

fn holes(reassembly: &Reassembly, next: u64, known: u64) -> Vec<(u64, u64)> {
    reassembly.holes(Position(next), None, known).map(|s| (s.start.0, s.end.0)).collect()
}

/// Holds `start..end`, which came in packet `number`.
fn arrive(reassembly: &mut Reassembly, number: u64, start: u64, end: u64) {
    assert!(reassembly.insert(span(start, end), None, number));
}

#[test]
fn the_holes_of_the_papers_example_are_its_unacked_list() {
    // Packets 1, 4, 5, 6 and 10 of 10 are here, of 10 bytes each; the first is in order: {2, 3} and {7, 9}.
    let mut reassembly = Reassembly::default();
    for number in [4, 5, 6, 10] {
        arrive(&mut reassembly, number, 10 * number - 9, 10 * number + 1);
    }
    assert_eq!(holes(&reassembly, 11, 10), [(11, 31), (61, 91)]);
    assert_eq!(holes(&reassembly, 11, 9), [(11, 31)], "the second is revealed by packet 10");
    assert_eq!(holes(&reassembly, 11, 3), []);
    assert_eq!(reassembly.held(), Bytes(40));
}

#[test]
fn what_is_left_of_a_hole_was_revealed_when_the_whole_was() {
    let mut reassembly = Reassembly::default();
    arrive(&mut reassembly, 5, 100, 110);
    arrive(&mut reassembly, 9, 50, 60);
    assert_eq!(holes(&reassembly, 1, 5), [(1, 50), (60, 100)]);
    arrive(&mut reassembly, 10, 60, 70);
    arrive(&mut reassembly, 11, 95, 100);
    assert_eq!(holes(&reassembly, 1, 5), [(1, 50), (70, 95)]);
    arrive(&mut reassembly, 12, 200, 210);
    arrive(&mut reassembly, 13, 65, 120);
    assert_eq!(holes(&reassembly, 1, 11), [(1, 50)]);
    assert_eq!(holes(&reassembly, 1, 12), [(1, 50), (120, 200)]);
    assert_eq!(reassembly.advance(Position(50), None), Position(120));
    assert_eq!((holes(&reassembly, 120, 12), reassembly.held()), (vec![(120, 200)], Bytes(10)));
}

#[test]
fn too_many_holes_drop_what_would_make_one_more() {
    let mut reassembly = Reassembly::default();
    for i in 0..MAX_ISLANDS as u64 {
        hold(&mut reassembly, 10 + 2 * i, 11 + 2 * i);
    }
    let beyond = 10 + 2 * MAX_ISLANDS as u64;
    assert!(!reassembly.insert(span(beyond, beyond + 1), None, 0));
    hold(&mut reassembly, 11, 12);
    assert_eq!(reassembly.islands.len(), MAX_ISLANDS - 1);
}

#[test]
fn lengths_and_bytes_come_out_in_order_and_once() {
    for seed in 0..500 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let keeps = seed % 4 > 0;
        let (mut reassembly, mut inbox) = (Reassembly::default(), Inbox::default());
        let mut grown = Vec::new();
        // What each byte is: real, or only counted. The first copy that arrives decides.
        let mut arrived: BTreeMap<u64, Option<u8>> = BTreeMap::new();
        let (mut next, mut read) = (1, 1);
        while next < 400 {
            let start = (next + random.below(60)).min(399);
            let end = (start + 1 + random.below(30)).min(400);
            let real = keeps && random.chance(0.6);
            let payload = if real {
                Payload::Data((start..end).map(|at| at as u8 ^ 0x5a).collect::<Vec<_>>().into())
            } else {
                Payload::Length((end - start) as u32)
            };
            if start > next {
                assert!(reassembly.insert(span(start, end), keeps.then_some(&payload), 0));
                (start..end).for_each(|at| _ = arrived.entry(at).or_insert(real.then_some(at as u8 ^ 0x5a)));
                let above = arrived.range(next..).count() as u64;
                assert_eq!(reassembly.held(), Bytes(above), "seed {seed}");
                join(&mut grown, start, end);
                check_recent(seed, &reassembly, &grown);
                continue;
            }
            (start..end).for_each(|at| _ = arrived.insert(at, real.then_some(at as u8 ^ 0x5a)));
            match payload {
                Payload::Data(data) => inbox.push_data(data),
                Payload::Length(len) => inbox.push_length(Bytes(len.into())),
            }
            next = reassembly.advance(Position(end), Some(&mut inbox)).0;
            grown.retain(|&(start, _)| start > next);
            check_recent(seed, &reassembly, &grown);
            while let Some(part) = inbox.take(Bytes(1 + random.below(50))) {
                let bytes: Vec<Option<u8>> = match part {
                    Payload::Data(data) => data.iter().map(|&byte| Some(byte)).collect(),
                    Payload::Length(len) => vec![None; len as usize],
                };
                for byte in bytes {
                    assert_eq!(Some(&byte), arrived.get(&read), "seed {seed}, byte {read}");
                    read += 1;
                }
            }
            assert_eq!((read, inbox.len()), (next, Bytes::ZERO), "seed {seed}");
        }
        assert!(reassembly.is_empty() && reassembly.pieces.is_empty(), "seed {seed}");
        assert_eq!(reassembly.held(), Bytes::ZERO, "seed {seed}");
    }
}

/// Puts `start..end` and all that it touches at the head of a list of stretches, that which grew last first.
fn join(grown: &mut Vec<(u64, u64)>, start: u64, end: u64) {
    let touches = |&(from, to): &(u64, u64)| from <= end && start <= to;
    let all = grown.iter().copied().filter(touches).fold((start, end), |all, one| (all.0.min(one.0), all.1.max(one.1)));
    grown.retain(|stretch| !touches(stretch));
    grown.insert(0, all);
}

/// What is reported is what the list says.
fn check_recent(seed: u64, reassembly: &Reassembly, grown: &[(u64, u64)]) {
    assert_eq!(spans(reassembly, usize::MAX), grown, "seed {seed}");
    assert_eq!(spans(reassembly, 3), grown[..grown.len().min(3)], "seed {seed}");
    assert_eq!(reassembly.count(), grown.len(), "seed {seed}");
}

#[test]
fn the_end_of_the_stream_has_a_hole_below_it_once_all_below_that_is_known() {
    let holes = |reassembly: &Reassembly, fin, known| {
        let holes = reassembly.holes(Position(100), fin, known);
        holes.map(|hole| (hole.start.0, hole.end.0)).collect::<Vec<_>>()
    };
    let fin = Some((Position(150), 6));
    let mut reassembly = Reassembly::default();
    assert_eq!(holes(&reassembly, None, 9), []);
    assert_eq!((holes(&reassembly, fin, 5), holes(&reassembly, fin, 6)), (vec![], vec![(100, 150)]));
    // What comes later, below it, has a hole of its own, which a report must not leave out.
    arrive(&mut reassembly, 8, 110, 120);
    assert_eq!((holes(&reassembly, fin, 7), holes(&reassembly, fin, 8)), (vec![], vec![(100, 110), (120, 150)]));
    arrive(&mut reassembly, 9, 120, 150);
    assert_eq!(holes(&reassembly, fin, 9), [(100, 110)]);
}

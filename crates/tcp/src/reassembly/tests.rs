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
    assert!(reassembly.insert(span(start, end), &Payload::Length((end - start) as u32), false));
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

#[test]
fn too_many_holes_drop_what_would_make_one_more() {
    let mut reassembly = Reassembly::default();
    for i in 0..MAX_ISLANDS as u64 {
        hold(&mut reassembly, 10 + 2 * i, 11 + 2 * i);
    }
    let beyond = 10 + 2 * MAX_ISLANDS as u64;
    assert!(!reassembly.insert(span(beyond, beyond + 1), &Payload::Length(1), false));
    hold(&mut reassembly, 11, 12);
    assert_eq!(reassembly.islands.len(), MAX_ISLANDS - 1);
}

#[test]
fn lengths_and_bytes_come_out_in_order_and_once() {
    for seed in 0..500 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let (mut reassembly, mut inbox) = (Reassembly::default(), Inbox::default());
        // What each byte is: real, or only counted. The first copy that arrives decides.
        let mut arrived: BTreeMap<u64, Option<u8>> = BTreeMap::new();
        let (mut next, mut read) = (1, 1);
        while next < 400 {
            let start = (next + random.below(60)).min(399);
            let end = (start + 1 + random.below(30)).min(400);
            let real = random.chance(0.6);
            let payload = if real {
                Payload::Data((start..end).map(|at| at as u8 ^ 0x5a).collect::<Vec<_>>().into())
            } else {
                Payload::Length((end - start) as u32)
            };
            if start > next {
                assert!(reassembly.insert(span(start, end), &payload, true));
                (start..end).for_each(|at| _ = arrived.entry(at).or_insert(real.then_some(at as u8 ^ 0x5a)));
                continue;
            }
            (start..end).for_each(|at| _ = arrived.insert(at, real.then_some(at as u8 ^ 0x5a)));
            match payload {
                Payload::Data(data) => inbox.push_data(data),
                Payload::Length(len) => inbox.push_length(Bytes(len.into())),
            }
            next = reassembly.advance(Position(end), Some(&mut inbox)).0;
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
    }
}

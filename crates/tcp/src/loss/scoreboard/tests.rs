//! Hand-made scoreboards, and a scoreboard of single octets that computes RFC 6675 word for word.

use std::collections::BTreeSet;

use ackless_wire::random::{Purpose, Stream};

use super::*;

const SMSS: Bytes = Bytes(100);

fn span(start: u64, end: u64) -> Span {
    Span { start: Position(start), end: Position(end) }
}

fn board(spans: &[(u64, u64)]) -> Scoreboard {
    let mut board = Scoreboard::new();
    for &(start, end) in spans {
        board.update(Position(1), Position(1_000_000), &[span(start, end)]);
    }
    board
}

#[test]
fn nothing_is_lost_before_anything_is_acknowledged_above() {
    assert_eq!(board(&[]).lost_below(SMSS), None);
    assert_eq!(board(&[(101, 201)]).lost_below(SMSS), None);
    assert_eq!(board(&[(101, 301)]).lost_below(SMSS), None, "two segments above are not enough");
}

#[test]
fn more_than_two_segments_bytes_above_make_a_loss() {
    assert_eq!(board(&[(101, 302)]).lost_below(SMSS), Some(Position(101)));
    assert_eq!(board(&[(101, 201), (301, 402)]).lost_below(SMSS), Some(Position(101)));
    assert_eq!(board(&[(101, 201), (301, 602)]).lost_below(SMSS), Some(Position(301)));
}

#[test]
fn three_separate_spans_above_make_a_loss_however_small() {
    assert_eq!(board(&[(101, 102), (103, 104)]).lost_below(SMSS), None);
    assert_eq!(board(&[(101, 102), (103, 104), (105, 106)]).lost_below(SMSS), Some(Position(101)));
    let four = [(101, 102), (103, 104), (105, 106), (107, 108)];
    assert_eq!(board(&four).lost_below(SMSS), Some(Position(103)));
}

#[test]
fn spans_merge_in_any_order_and_count_once() {
    let mut board = board(&[(301, 401), (101, 201), (201, 301), (150, 350)]);
    assert_eq!((board.total(), board.highest()), (Bytes(300), Some(Position(401))));
    assert_eq!(board.gap(Position(1), Position(1000)), span(1, 101));
    assert_eq!(board.update(Position(1), Position(1000), &[span(350, 451)]), Bytes(50));
}

#[test]
fn reports_outside_of_what_is_out_are_ignored() {
    let mut board = Scoreboard::new();
    // A duplicate report (RFC 2883), one that is not sent yet, an empty and a reversed one, and one at SND.UNA
    // itself.
    let reports = [span(1, 100), span(950, 1001), span(300, 300), span(400, 300), span(200, 300)];
    assert_eq!(board.update(Position(200), Position(1000), &reports), Bytes::ZERO);
    assert!(board.is_empty());
}

#[test]
fn what_follows_the_acknowledgement_is_missing_by_definition() {
    let mut board = board(&[(101, 201), (301, 401), (501, 601)]);
    board.update(Position(301), Position(1000), &[]);
    assert_eq!((board.total(), board.gap(Position(301), Position(1000))), (Bytes(100), span(301, 501)));
}

#[test]
fn gaps_are_found_from_inside_and_outside_of_spans() {
    let board = board(&[(101, 201), (301, 401)]);
    let limit = Position(500);
    assert_eq!(board.gap(Position(150), limit), span(201, 301));
    assert_eq!(board.gap(Position(201), limit), span(201, 301));
    assert_eq!(board.gap(Position(250), limit), span(250, 301));
    assert_eq!(board.gap(Position(301), limit), span(401, 500));
    assert!(board.gap(Position(301), Position(350)).is_empty());
    assert_eq!(board.last_gap(Position(1), limit), span(401, 500));
    assert_eq!(board.last_gap(Position(1), Position(401)), span(201, 301));
    assert_eq!(Scoreboard::new().last_gap(Position(1), limit), span(1, 500));
}

/// RFC 6675, 4, octet by octet.
#[derive(Default)]
struct Octets(BTreeSet<u64>);

impl Octets {
    fn is_lost(&self, octet: u64, smss: u64) -> bool {
        let above: Vec<u64> = self.0.range(octet + 1..).copied().collect();
        let separate = above.iter().filter(|&&o| !self.0.contains(&(o - 1)) || o == octet + 1).count();
        separate >= 3 || above.len() as u64 > 2 * smss
    }
}

#[test]
fn spans_answer_as_single_octets_would() {
    for seed in 0..300 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let (mut board, mut octets) = (Scoreboard::new(), Octets::default());
        let smss = 1 + random.below(12);
        let mut una = 1;
        for _ in 0..30 {
            if random.chance(0.2) {
                una = una.max(una + random.below(20)).min(180);
                // A cumulative acknowledgement ends where something is missing.
                while octets.0.contains(&una) {
                    una += 1;
                }
                octets.0 = octets.0.split_off(&una);
            }
            let start = una + 1 + random.below(150);
            let end = (start + 1 + random.below(20)).min(400);
            board.update(Position(una), Position(400), &[span(start, end)]);
            octets.0.extend(start..end);
            assert_eq!(board.total().get(), octets.0.len() as u64, "seed {seed}");
            let edge = board.lost_below(Bytes(smss)).map_or(0, |edge| edge.0);
            for octet in (una..400).filter(|octet| !octets.0.contains(octet)) {
                assert_eq!(octet < edge, octets.is_lost(octet, smss), "seed {seed}, octet {octet}, una {una}");
            }
            for edge in [una, start, end, 200] {
                let below = octets.0.range(..edge).count() as u64;
                assert_eq!(board.sacked_below(Position(edge)).get(), below, "seed {seed}, below {edge}");
            }
        }
    }
}

#[test]
fn whoever_reports_single_bytes_has_so_many_kept_and_no_more() {
    let (mut board, max) = (Scoreboard::new(), Position(1 << 30));
    let report = |board: &mut Scoreboard, n: u64| board.update(Position(1), max, &[span(2 * n, 2 * n + 1)]);
    let most = MOST_SPANS as u64;
    assert!((1..=most).all(|n| report(&mut board, n) == Bytes(1)));
    assert_eq!(report(&mut board, most + 10), Bytes::ZERO);
    // What joins others makes room.
    assert_eq!(board.update(Position(1), max, &[span(2, 2 * most)]), Bytes(most - 1));
    assert_eq!(report(&mut board, most + 10), Bytes(1));
    assert_eq!(board.total(), Bytes(2 * most));
}

//! A firewall draws sequence numbers anew, or a card cuts segments: TACK goes on, under every scheme.

use ackless_cell::config::{Direction, Probability, Segments};
use ackless_phy::Standard;
use ackless_wire::{Bytes, Duration};

use crate::tack::{contenders, run, with_transfer};
use crate::testing::cells::cell;

const SIZE: u64 = 1_500_000;

#[test]
fn where_sequence_numbers_are_drawn_anew_nothing_changes_under_any_scheme() {
    let mut lost = 0;
    for contender in contenders() {
        for direction in [Direction::Down, Direction::Up] {
            let mut config = with_transfer(cell(Standard::N), direction, SIZE, true);
            config.measured = Duration::from_secs(10);
            let percent = Probability::new(0.01).expect("it is a probability");
            (config.wired.down.loss, config.wired.up.loss) = (percent, percent);
            let [kept, anew] = [Segments::Pass, Segments::Renumber].map(|segments| {
                (config.wired.down.segments, config.wired.up.segments) = (segments, segments);
                run(&config, &contender, 3).flows
            });
            let what = format!("{}, {direction:?}", contender.name);
            assert_eq!(kept, anew, "{what}");
            assert_eq!(kept[0][1].bytes_delivered, Bytes(SIZE), "{what}: {kept:#?}");
            lost += kept[0][1].tack.bubbles_reported;
        }
    }
    assert!(lost > 1_000, "{lost} holes were told");
}

#[test]
fn where_segments_are_cut_reports_tell_all_that_came_of_them() {
    for contender in contenders() {
        for direction in [Direction::Down, Direction::Up] {
            let mut config = with_transfer(cell(Standard::N), direction, SIZE, true);
            config.measured = Duration::from_secs(20);
            let percent = Probability::new(0.02).expect("it is a probability");
            for wire in [&mut config.wired.down, &mut config.wired.up] {
                (wire.loss, wire.segments) = (percent, Segments::Cut);
            }
            let run = run(&config, &contender, 5);
            let [sender, receiver] = &run.flows[0];
            let what = format!("{}, {direction:?}: {sender:#?} {receiver:#?}", contender.name);
            assert_eq!((sender.bytes_acked, receiver.bytes_delivered), (Bytes(SIZE), Bytes(SIZE)), "{what}");
            assert_eq!((sender.fallbacks, receiver.fallbacks), (0, 0), "{what}");
            // Eleven where a body that was cut said nothing.
            assert!(sender.timeouts <= 1, "{what}");
        }
    }
}

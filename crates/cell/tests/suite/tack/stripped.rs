//! A middlebox begins to strip options under way, or with the SYNs: the connection goes on as a plain TCP, under every scheme.

use ackless_cell::config::Direction;
use ackless_phy::Standard;
use ackless_wire::{Bytes, Duration};

use crate::tack::middlebox::Strips;
use crate::tack::{contenders, run_behind, with_transfer};
use crate::testing::cells::cell;

const SIZE: u64 = 1_500_000;

#[test]
fn where_options_are_stripped_transfers_end_as_plain_ones_under_every_scheme() {
    let (mut fallbacks, mut plain) = (0, 0);
    for contender in contenders() {
        // A connection with timestamps stalls under the stateless proxy as soon as it is plain.
        if contender.name.ends_with("stateless") {
            continue;
        }
        for from in [0, 1, 3, 400] {
            for (towards_station, towards_server) in [(true, true), (true, false), (false, true)] {
                for (n, direction) in [Direction::Down, Direction::Up].into_iter().enumerate() {
                    let mut config = with_transfer(cell(Standard::N), direction, SIZE, true);
                    config.measured = Duration::from_secs(20);
                    let strips = Strips { from, towards_station, towards_server };
                    let what = format!("{}, {direction:?}, {strips:?}", contender.name);
                    let run = run_behind(&config, &contender, strips, 3 + n as u64);
                    let [sender, receiver] = &run.flows[0];
                    let done = (sender.bytes_acked, receiver.bytes_delivered);
                    assert_eq!(done, (Bytes(SIZE), Bytes(SIZE)), "{what}: {sender:#?} {receiver:#?}");
                    assert!(sender.fallbacks <= 1 && receiver.fallbacks <= 1, "{what}: for good");
                    assert!(sender.timeouts <= 3, "{what}: {sender:#?}");
                    fallbacks += sender.fallbacks + receiver.fallbacks;
                    plain += u64::from(receiver.tack.tacks_sent == 0);
                    if from >= 400 {
                        // TACK was in force, so that either end finds out.
                        assert!(receiver.tack.tacks_sent > 0, "{what}");
                        assert_eq!((sender.fallbacks, receiver.fallbacks), (1, 1), "{what}: {sender:#?} {receiver:#?}");
                    }
                }
            }
        }
    }
    assert!(fallbacks > 150 && plain > 50, "{fallbacks} ends fell back, {plain} connections were plain all along");
}

//! What counts against the limit of a queue.

use super::air::Air;
use super::*;
use crate::station::QueueBounds;

/// A sender with two receivers, each of whose queues holds four packets, or, where they share, both together.
fn three(bounds: Option<QueueBounds>) -> Air {
    let queue = QueueConfig::Fifo { packets: 4 };
    let to = |peer| LinkConfig { queue, ..block_link(peer, ht(7)) };
    let sender = MacConfig { bounds, ..edca(0) };
    Air::new(vec![
        (sender, vec![to(1), to(2)]),
        (edca(1), vec![block_link(0, ht(7))]),
        (edca(2), vec![block_link(0, ht(7))]),
    ])
}

/// Queues three packets to the first receiver, which are on the air from 106 to 394; meanwhile three more to each. How many are dropped then, and once all has been
/// acknowledged, of four to the first.
fn dropped(bounds: Option<QueueBounds>) -> [u64; 2] {
    let mut air = three(bounds);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..3);
    air.run(at(200));
    air.send(0, NodeId(1), FULL, 3..6);
    air.send(0, NodeId(2), FULL, 6..9);
    let before = air.stations[0].counts().queue_drops;
    air.run(at(10_000));
    air.send(0, NodeId(1), FULL, 9..13);
    let after = air.stations[0].counts().queue_drops - before;
    air.run(at(20_000));
    assert_eq!(air.live(), 0);
    [before, after]
}

#[test]
fn what_is_in_flight_and_what_is_for_others_counts_where_bounds_say_so() {
    let bounds = |in_flight, shared| Some(QueueBounds { in_flight, shared });
    assert_eq!(dropped(None), [0, 0]);
    // Three in flight leave room for one to the first.
    assert_eq!(dropped(bounds(true, false)), [2, 0]);
    // Three that wait for the first leave room for one to the second.
    assert_eq!(dropped(bounds(false, true)), [2, 0]);
    // One to the first, and none to the second.
    assert_eq!(dropped(bounds(true, true)), [5, 0]);
}

#[test]
fn what_is_in_flight_counts_by_mpdus() {
    // Four packets in two A-MSDUs leave room for two, as one item each of ns-3's queue.
    let amsdu = Amsdu { max_bytes: Bytes(3839), max_mpdu: MAX_HT_MPDU };
    let queue = QueueConfig::Fifo { packets: 4 };
    let sender = MacConfig { bounds: Some(QueueBounds { in_flight: true, shared: false }), ..edca(0) };
    let link = LinkConfig { queue, ..limited_link(1, ht(7), |terms| terms.amsdu = Some(amsdu)) };
    let mut air = Air::new(vec![(sender, vec![link]), (edca(1), vec![block_link(0, ht(7))])]);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..4);
    air.run(at(200));
    air.send(0, NodeId(1), FULL, 4..8);
    assert_eq!(air.stations[0].counts().queue_drops, 2);
    air.run(at(10_000));
    assert_eq!((air.up().len(), air.live()), (6, 0));
}

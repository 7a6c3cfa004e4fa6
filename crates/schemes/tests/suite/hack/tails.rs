//! `tails`: what is announced is not waited for after little came the last time.

use ackless_schemes::hack::{HackConfig, Tails};

use super::pair::{Air, Pair, STATION};

/// A PPDU of so many MPDUs with MORE DATA, and an ACK after it. Says whether the ACK is held.
fn holds_after(pair: &mut Pair, mpdus: usize) -> bool {
    let data = pair.data(mpdus, true);
    pair.exchange(&data, Air::Clear);
    pair.ack(0);
    let queued = pair.queued();
    if queued > 0 {
        pair.natives(queued, Air::Clear);
    }
    pair.transfer();
    queued == 0
}

#[test]
fn after_a_tail_so_many_promises_are_not_believed() {
    let tails = Tails { percent: 25, bursts: 3 };
    let mut pair = Pair::with_context(HackConfig { tails, ..HackConfig::default() }, 8);
    let held = [8, 2, 1, 8, 8, 8, 1].map(|mpdus| holds_after(&mut pair, mpdus));
    // 2 is a quarter of 8, and no less; 1 of 2 is half; the next 8 follow a promise that was believed.
    assert_eq!(held, [true, true, true, true, true, true, false]);
    let held = [8, 1, 8, 8].map(|mpdus| holds_after(&mut pair, mpdus));
    assert_eq!(held, [false, false, true, true], "what was not waited for shows nothing");
    assert_eq!(pair.counters(STATION).disbelieved, 3);
}

#[test]
fn the_papers_client_believes_each() {
    let mut pair = Pair::with_context(HackConfig::default(), 8);
    assert!([8, 1, 8, 1].into_iter().all(|mpdus| holds_after(&mut pair, mpdus)));
    assert_eq!(pair.counters(STATION).disbelieved, 0);
}

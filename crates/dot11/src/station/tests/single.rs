//! Single MPDUs and their Acks.

use super::air::{Air, Watch};
use super::*;

/// Two stations of 802.11a with links to each other.
fn pair(sender: MacConfig) -> Vec<(MacConfig, Vec<LinkConfig>)> {
    vec![(sender, vec![legacy_link(1)]), (dcf(1), vec![legacy_link(0)])]
}

/// A seed whose first counters are these, each as (contention window, counter).
pub(super) fn seed_drawing(counters: &[(u64, u64)]) -> u64 {
    use ackless_wire::random::{Purpose, Stream};
    let fits = |seed: &u64| {
        let mut stream = Stream::new(*seed, 0, Purpose::Backoff);
        counters.iter().all(|&(window, counter)| stream.below(window + 1) == counter)
    };
    (0..1_000_000).find(fits).expect("some seed draws these counters")
}

#[test]
fn a_data_frame_is_answered_sifs_after_its_end() {
    // The medium has been idle for more than DIFS: the frame leaves as it comes.
    let mut air = Air::new(pair(dcf(0)));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(1000));
    air.assert_script(&["100..348 0>1 data 0, duration 44", "364..392 1>0 Ack, duration 0"]);
    air.assert_up(&["348 1 7"]);
    air.assert_told(0, &["392 delivered 0"]);
    assert_eq!(air.live(), 0, "nobody holds the packet any more");
}

#[test]
fn the_next_frame_leaves_difs_and_its_counter_after_the_ack() {
    let mut air = Air::new(pair(dcf(0)));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7, 8]);
    air.run(at(1000));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "364..392 1>0 Ack, duration 0",
        "426..674 0>1 data 1, duration 44",
        "690..718 1>0 Ack, duration 0",
    ]);
}

#[test]
fn a_qos_frame_leaves_at_a_slot_boundary_after_aifs() {
    // Boundaries at 43 + 9 n: the first one from 100 on is 106.
    let mut air = Air::new(vec![(edca(0), vec![qos_link(1, ht(7))]), (edca(1), vec![qos_link(0, ht(7))])]);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(1000));
    air.assert_script(&["106..226 0>1 data 0, duration 44", "242..270 1>0 Ack, duration 0"]);
}

#[test]
fn an_ack_is_missed_a_slot_and_a_preamble_after_its_sifs() {
    // Data ends at 348, timeout 45 later, DIFS from there.
    let mut air = Air::new(pair(dcf(0)));
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(1000));
    air.assert_told(0, &["393 missing", "719 delivered 0"]);
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "427..675 0>1 data 0r, duration 44",
        "691..719 1>0 Ack, duration 0",
    ]);
    assert_eq!(air.stations[0].counts().timeouts, 1);
}

#[test]
fn a_configured_extra_time_lengthens_the_timeout() {
    let mut air = Air::new(pair(MacConfig { ack_timeout_extra: us(10), ..dcf(0) }));
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(500));
    air.assert_told(0, &["403 missing"]);
}

#[test]
fn a_damaged_ack_ends_the_wait_and_asks_for_eifs() {
    // The Ack from 364 to 392 cannot be read: EIFS of 94 from its end, and the receiver has the frame twice.
    let mut air = Air::new(pair(dcf(0)));
    air.lose(1);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(1000));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "364..392 1>0 Ack, duration 0",
        "486..734 0>1 data 0r, duration 44",
        "750..778 1>0 Ack, duration 0",
    ]);
    air.assert_told(0, &["392 missing", "778 delivered 0"]);
    air.assert_up(&["348 1 7"]);
    assert_eq!(air.stations[1].counts().duplicates, 1);
    assert_eq!(air.live(), 0);
}

#[test]
fn a_retry_draws_from_twice_the_window() {
    // The first frame needs no counter. The second attempt's is 25, which only a window of 31 has: 393 + 34 + 25 x 9.
    let mut sender = dcf(0);
    (sender.access.cw_min, sender.access.cw_max) = (15, 1023);
    let schemes = vec![Watch::default(), Watch::default()];
    let mut air = Air::with_schemes(pair(sender), schemes, seed_drawing(&[(31, 25)]));
    air.lose(0);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(950));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "652..900 0>1 data 0r, duration 44",
        "916..944 1>0 Ack, duration 0",
    ]);
}

#[test]
fn a_frame_is_given_up_after_as_many_attempts_as_the_retry_limit_says() {
    let mut air = Air::new(pair(MacConfig { retry_limit: 3, ..dcf(0) }));
    (0..3).for_each(|n| air.lose(n));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7, 8]);
    air.run(at(1500));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "427..675 0>1 data 0r, duration 44",
        "754..1002 0>1 data 0r, duration 44",
        "1081..1329 0>1 data 1, duration 44",
        "1345..1373 1>0 Ack, duration 0",
    ]);
    air.assert_told(0, &["393 missing", "720 missing", "1047 missing", "1047 given up 0", "1373 delivered 1"]);
    assert_eq!(air.stations[0].counts().given_up, 1);
    assert_eq!(air.live(), 0);
}

#[test]
fn the_window_is_the_smallest_again_after_a_frame_is_given_up() {
    // Two attempts: 393 + 34 + 25 x 9 = 652 to 900, timeout at 945; then a counter of 3 from a window of 15: 945 + 34 + 27.
    let mut sender = MacConfig { retry_limit: 2, ..dcf(0) };
    (sender.access.cw_min, sender.access.cw_max) = (15, 1023);
    let schemes = vec![Watch::default(), Watch::default()];
    let mut air = Air::with_schemes(pair(sender), schemes, seed_drawing(&[(31, 25), (15, 3)]));
    (0..2).for_each(|n| air.lose(n));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7, 8]);
    air.run(at(1260));
    air.assert_script(&[
        "100..348 0>1 data 0, duration 44",
        "652..900 0>1 data 0r, duration 44",
        "1006..1254 0>1 data 1, duration 44",
    ]);
}

#[test]
fn a_refused_frame_is_not_answered_and_comes_again() {
    let refusing = Watch { refuses: true, ..Watch::default() };
    let mut air = Air::with_schemes(pair(MacConfig { retry_limit: 2, ..dcf(0) }), vec![Watch::default(), refusing], 1);
    air.run(at(100));
    air.send(0, NodeId(1), FULL, [7]);
    air.run(at(1000));
    air.assert_script(&["100..348 0>1 data 0, duration 44", "427..675 0>1 data 0r, duration 44"]);
    air.assert_told(0, &["393 missing", "720 missing", "720 given up 0"]);
    air.assert_up(&[]);
    assert_eq!(air.stations[1].counts().refused, 2);
}

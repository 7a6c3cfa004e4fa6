//! Capture, and what a station makes of a collision that it hears: by hand, to the nanosecond.

use ackless_cell::config::CellConfig;
use ackless_wire::{Duration, Instant};

use crate::hearing::world::{FRAME, NOTHING, Seen, arrived, cell_of, run, with_datagrams};

/// Two stations that do not hear each other, with these powers at the AP; the second begins half a frame after the first, every 10 ms.
fn half_a_frame_apart(powers: [f64; 2], relocks: bool) -> Vec<u64> {
    let pairs = [(0, 1, powers[0]), (0, 2, powers[1])];
    let config = cell_of(2, &pairs, relocks);
    let interval = Duration::from_millis(10);
    let config = with_datagrams(config, 0, interval, Instant::from_millis(1));
    let mut config = with_datagrams(config, 1, interval, Instant::from_millis(1) + FRAME / 2);
    config.measured = Duration::from_millis(1_000);
    let (result, _) = run(&config, 1);
    arrived(&config, &result)
}

#[test]
fn the_stronger_arrives_if_it_came_first_and_where_it_came_second_only_with_relocking() {
    for relocks in [false, true] {
        assert_eq!(half_a_frame_apart([-50.0, -70.0], relocks), [100, 0], "the stronger first, relocking: {relocks}");
        assert_eq!(half_a_frame_apart([-60.0, -60.0], relocks), [0, 0], "equal, relocking: {relocks}");
    }
    assert_eq!(half_a_frame_apart([-70.0, -50.0], false), [0, 0], "the stronger second, without relocking");
    assert_eq!(half_a_frame_apart([-70.0, -50.0], true), [0, 100], "the stronger second, with relocking");
}

/// A third station that hears two who do not hear each other, with these powers, and has a datagram while these collide. Returns what was on
/// the air.
fn heard_by_a_third(powers: [f64; 2]) -> (CellConfig, Vec<Seen>) {
    let pairs = [(0, 1, -50.0), (0, 2, -50.0), (0, 3, -50.0), (3, 1, powers[0]), (3, 2, powers[1])];
    let config = cell_of(3, &pairs, false);
    let often = Duration::from_secs(1);
    let config = with_datagrams(config, 0, often, Instant::from_millis(1));
    let config = with_datagrams(config, 1, often, Instant::from_millis(1) + FRAME / 2);
    let mut config = with_datagrams(config, 2, often, Instant::from_millis(1) + FRAME * 3 / 4);
    config.measured = Duration::from_millis(100);
    let (_, seen) = run(&config, 1);
    (config, seen)
}

/// How long after another one's PPDU the third station sends its own.
fn after(seen: &[Seen], other: u16) -> Duration {
    let of = |node| seen.iter().find(|seen| seen.from == node && seen.data).expect("each station sends a frame");
    of(3).start - of(other).end
}

/// DIFS of 802.11a, and EIFS: SIFS, DIFS and an Ack at 6 Mbps, which lasts 44 us (802.11-2020, 10.3.7).
const DIFS: Duration = Duration::from_micros(34);
const EIFS: Duration = Duration::from_micros(16 + 34 + 44);

#[test]
fn a_station_that_was_locked_on_what_failed_waits_for_eifs_from_when_its_medium_is_idle() {
    // Loud: busy by energy until the second is over, then EIFS, since what it was locked on failed.
    let (_, seen) = heard_by_a_third([-50.0, -50.0]);
    assert_eq!(after(&seen, 2), EIFS);
    // The second is below the energy threshold: idle as soon as the first is over, which failed.
    let (_, seen) = heard_by_a_third([-70.0, -70.0]);
    assert_eq!(after(&seen, 1), EIFS);
}

#[test]
fn a_station_that_decodes_one_of_two_waits_for_difs_only() {
    // It hears the second with 30 dB less: the first is intact, and the AP's silence after it sets no NAV.
    let (_, seen) = heard_by_a_third([-50.0, -80.0]);
    let first = seen.iter().find(|seen| seen.from == 1 && seen.data).expect("the first station sends");
    // The Duration field of the first reserves SIFS and the Ack, 28 us at 12 Mbps with 14 bytes: three symbols.
    assert!(first.collided);
    assert_eq!(after(&seen, 1), Duration::from_micros(16 + 32) + DIFS);
}

#[test]
fn energy_without_a_lock_asks_for_difs_only() {
    // It hears nothing of the first, and the second only as it has begun itself: its own datagram comes while nothing is heard.
    let (_, seen) = heard_by_a_third([NOTHING, NOTHING]);
    let third = seen.iter().find(|seen| seen.from == 3 && seen.data).expect("the third station sends");
    assert_eq!(third.start, Instant::from_millis(1) + FRAME * 3 / 4);
}

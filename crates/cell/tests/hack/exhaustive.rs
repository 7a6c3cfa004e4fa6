//! All loss patterns of twelve PPDUs in a row, answers included.
//!
//! Twelve PPDUs hold every case of the paper's figures 5 to 8, SYNC and its loss included: the retry limit is three. They are counted from the
//! first PPDU with MORE DATA on, where contexts are just being installed, and from the first answer with compressed ACKs on,
//! where ACKs are under way.

use ackless_cell::config::{ApQueue, CellConfig, Direction};
use ackless_phy::Standard;
use ackless_wire::Bytes;

use crate::air::{Fate, From, pattern};
use crate::cells::{cell, with_transfer};
use crate::crew;
use crate::trial::{Outcome, Trial};

/// A small cell with one download, and perhaps an upload at the same time.
fn small(standard: Standard, uploads: bool) -> CellConfig {
    let mut config = with_transfer(cell(standard, 4), 0, Direction::Down, Bytes(60_000));
    if uploads {
        config = with_transfer(config, 0, Direction::Up, Bytes(40_000));
    }
    // So short that the guard timer is what bounds a gap, and not the round trip.
    config.ap.queue = ApQueue::Fifo { packets: 30 };
    config.ap.mac.retry_limit = Some(3);
    config.stations[0].mac.retry_limit = Some(3);
    config
}

/// Runs the cell under each pattern of two fates.
fn each_pattern(standard: Standard, uploads: bool, from: From) {
    let config = small(standard, uploads);
    let what = format!("{standard:?}, uploads {uploads}, from {from:?} on, losses");
    let outcomes = crew::all(&what, 1 << PPDUS, |losses| {
        let fate =
            move |number: u32| if number < PPDUS && losses >> number & 1 == 1 { Fate::Lost } else { Fate::Whole };
        Trial::disturbed(config.clone(), 1, pattern(from, fate)).run()
    });
    assert!(outcomes.iter().all(|outcome| outcome.counters.compressed_acks > 0), "each run has seen HACK at work");
    assert_eq!(outcomes[0].counters.guard_fired, 0, "nothing is late where nothing is lost");
    assert_eq!(outcomes[0].timeouts, 0, "nothing times out where nothing is lost");
}

#[test]
fn a_download_on_802_11a_survives_every_loss_pattern() {
    each_pattern(Standard::A, false, From::MoreData);
    each_pattern(Standard::A, false, From::Appended);
}

#[test]
fn a_download_on_802_11n_survives_every_loss_pattern() {
    each_pattern(Standard::N, false, From::MoreData);
    each_pattern(Standard::N, false, From::Appended);
}

#[test]
fn both_ways_at_once_on_802_11a_survive_every_loss_pattern() {
    each_pattern(Standard::A, true, From::MoreData);
    each_pattern(Standard::A, true, From::Appended);
}

#[test]
fn both_ways_at_once_on_802_11n_survive_every_loss_pattern() {
    each_pattern(Standard::N, true, From::MoreData);
    each_pattern(Standard::N, true, From::Appended);
}

/// Where a part of an A-MPDU may be lost too there are three fates, and fewer PPDUs.
#[test]
fn an_ampdu_in_parts_survives_every_loss_pattern() {
    for (uploads, from) in [(false, From::MoreData), (false, From::Appended), (true, From::Appended)] {
        let config = small(Standard::N, uploads);
        let what = format!("uploads {uploads}, from {from:?} on, fates");
        let outcomes: Vec<Outcome> = crew::all(&what, 3u64.pow(PPDUS_IN_PARTS), |fates| {
            let fate = move |number: u32| match fates / 3u64.pow(number.min(PPDUS_IN_PARTS)) % 3 {
                0 => Fate::Whole,
                1 => Fate::Lost,
                _ => Fate::Headless,
            };
            Trial::disturbed(config.clone(), 1, pattern(from, fate)).run()
        });
        assert!(outcomes.iter().all(|outcome| outcome.counters.compressed_acks > 0), "each run has seen HACK at work");
    }
}

/// How many PPDUs in a row may be lost.
const PPDUS: u32 = 12;
/// The same where A-MPDUs may arrive in parts.
const PPDUS_IN_PARTS: u32 = 8;

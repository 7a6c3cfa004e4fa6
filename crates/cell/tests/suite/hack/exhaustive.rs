//! All loss patterns of twelve PPDUs in a row, answers included.
//!
//! Twelve PPDUs hold every case of the paper's figures 5 to 8, SYNC and its loss included: the retry limit is three. They are counted from the
//! first PPDU with MORE DATA on, where contexts are just being installed, and from the first answer with compressed ACKs on,
//! where ACKs are under way.

use ackless_cell::config::{CellConfig, Direction};
use ackless_phy::Standard;
use ackless_schemes::Guard;
use ackless_schemes::hack::{Fit, HackConfig, Policy};
use ackless_wire::{Bytes, Duration};

use crate::hack::air::{Fate, From, pattern};
use crate::hack::progress::Bound;
use crate::hack::trial::{Outcome, Trial};
use crate::testing::crew;
use crate::testing::hack_cells::{cell, hack_of, with_transfer};

/// What flows through the small cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Load {
    /// A download.
    Down,
    /// An upload.
    Up,
    /// Both at once.
    Both,
}

/// A small cell with this load and HACK like this on both ends.
fn small(standard: Standard, load: Load, hack: HackConfig) -> CellConfig {
    let mut config = cell(standard, 4);
    if load != Load::Up {
        config = with_transfer(config, 0, Direction::Down, Bytes(60_000));
    }
    if load != Load::Down {
        // Its ACKs come over the wire, so that a short one would be over before the first was compressed.
        let size = if load == Load::Up { 120_000 } else { 40_000 };
        config = with_transfer(config, 0, Direction::Up, Bytes(size));
    }
    config.ap.mac.retry_limit = Some(3);
    config.stations[0].mac.retry_limit = Some(3);
    for scheme in [&mut config.ap.scheme, &mut config.stations[0].scheme] {
        let own = hack_of(scheme).expect("all nodes speak HACK");
        *own = HackConfig { aifs: own.aifs, ..hack };
    }
    config
}

/// Runs the cell under each pattern of two fates.
fn each_pattern(standard: Standard, load: Load, from: From, hack: HackConfig) {
    let config = small(standard, load, hack);
    let what = format!("{standard:?}, {load:?}, {hack:?}, from {from:?} on, losses");
    let outcomes = crew::all(&what, 1 << PPDUS, |losses| {
        let fate =
            move |number: u32| if number < PPDUS && losses >> number & 1 == 1 { Fate::Lost } else { Fate::Whole };
        let bound = if hack.guard != Guard::Auto { Bound::Trip { guard: None } } else { Bound::Timers };
        Trial { bound, ..Trial::disturbed(config.clone(), 1, pattern(from, fate)) }.run()
    });
    assert_at_work(&outcomes);
    assert_eq!(outcomes[0].timeouts, 0, "nothing times out where nothing is lost");
    if hack.guard == Guard::Auto {
        assert_eq!(outcomes[0].counters.guard_fired, 0, "nothing is late where nothing is lost");
    }
}

/// Four runs in five, at least, had compressed ACKs; in the others the window stayed too small for MORE DATA.
fn assert_at_work(outcomes: &[Outcome]) {
    let without = outcomes.iter().filter(|outcome| outcome.counters.compressed_acks == 0).count();
    assert!(without * 5 < outcomes.len(), "{without} of {} runs had no compressed ACK", outcomes.len());
}

/// As the paper has it, from both places on.
fn more_data(standard: Standard, load: Load) {
    each_pattern(standard, load, From::MoreData, HackConfig::default());
    each_pattern(standard, load, From::Appended, HackConfig::default());
}

/// In another way, while ACKs are under way, one way and both ways.
fn otherwise(hack: HackConfig) {
    for (standard, load) in [(Standard::A, Load::Down), (Standard::N, Load::Down), (Standard::N, Load::Both)] {
        each_pattern(standard, load, From::Appended, hack);
    }
}

#[test]
fn a_download_on_802_11a_survives_every_loss_pattern() {
    more_data(Standard::A, Load::Down);
}

#[test]
fn a_download_on_802_11n_survives_every_loss_pattern() {
    more_data(Standard::N, Load::Down);
}

#[test]
fn a_download_on_802_11ac_survives_every_loss_pattern() {
    more_data(Standard::Ac, Load::Down);
}

#[test]
fn an_upload_survives_every_loss_pattern() {
    more_data(Standard::A, Load::Up);
    more_data(Standard::N, Load::Up);
}

#[test]
fn both_ways_at_once_on_802_11a_survive_every_loss_pattern() {
    more_data(Standard::A, Load::Both);
}

#[test]
fn both_ways_at_once_on_802_11n_survive_every_loss_pattern() {
    more_data(Standard::N, Load::Both);
}

#[test]
fn opportunistic_hack_survives_every_loss_pattern() {
    otherwise(HackConfig { policy: Policy::Opportunistic, ..HackConfig::default() });
}

#[test]
fn an_explicit_timer_survives_every_loss_pattern() {
    otherwise(HackConfig { policy: Policy::ExplicitTimer(Duration::from_millis(2)), ..HackConfig::default() });
}

#[test]
fn acks_split_over_several_answers_survive_every_loss_pattern() {
    otherwise(HackConfig { fit: Fit::WithinAifs, ..HackConfig::default() });
}

#[test]
fn a_hasty_guard_timer_survives_every_loss_pattern() {
    otherwise(HackConfig { guard: Guard::Fixed(Duration::from_micros(700)), ..HackConfig::default() });
}

#[test]
fn a_slow_nic_survives_every_loss_pattern() {
    otherwise(HackConfig { driver_to_nic: Duration::from_micros(400), ..HackConfig::default() });
}

/// Where a part of an A-MPDU may be lost too there are three fates, and fewer PPDUs.
#[test]
fn an_ampdu_in_parts_survives_every_loss_pattern() {
    for (load, from) in [(Load::Down, From::MoreData), (Load::Down, From::Appended), (Load::Both, From::Appended)] {
        let config = small(Standard::N, load, HackConfig::default());
        let what = format!("{load:?}, from {from:?} on, fates");
        let outcomes: Vec<Outcome> = crew::all(&what, 3u64.pow(PPDUS_IN_PARTS), |fates| {
            let fate = move |number: u32| match fates / 3u64.pow(number.min(PPDUS_IN_PARTS)) % 3 {
                0 => Fate::Whole,
                1 => Fate::Lost,
                _ => Fate::Headless,
            };
            Trial::disturbed(config.clone(), 1, pattern(from, fate)).run()
        });
        assert_at_work(&outcomes);
    }
}

/// How many PPDUs in a row may be lost.
const PPDUS: u32 = 12;
/// The same where A-MPDUs may arrive in parts.
const PPDUS_IN_PARTS: u32 = 8;

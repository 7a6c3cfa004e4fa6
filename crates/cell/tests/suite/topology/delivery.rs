//! When a MAC hands up what it has received, heard between it and the transports.

use std::sync::mpsc;

use ackless_cell::config::{CellConfig, Delivery, Direction, Peer};
use ackless_cell::host::{Crossing, Eavesdropper};
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_dot11::frame::NodeId;
use ackless_phy::Standard;
use ackless_wire::{Duration, Instant};

use crate::testing::cells::{cell, run, with_stations, with_tcp, with_udp};
use crate::testing::ears;
use crate::testing::tested::configured;

/// When the first packets with data reach the station's TCP: ten of 1500 bytes, the first of which goes alone.
fn times(config: &CellConfig) -> Vec<Instant> {
    let (told, heard) = mpsc::channel();
    let mut cell = configured(config, 1, ears::recorder(config));
    cell.eavesdrop(Eavesdropper(Box::new(move |now, node, crossing, packet| {
        if node == Some(NodeId(1)) && crossing == Crossing::Received && !packet.payload.is_empty() {
            told.send(now).expect("the test listens");
        }
    })));
    cell.advance(config.end());
    heard.try_iter().take(10).collect()
}

fn download(delivery: Delivery) -> CellConfig {
    CellConfig { delivery, ..with_tcp(cell(Standard::N), 0, Peer::Server, Direction::Down) }
}

#[test]
fn a_ppdu_is_handed_up_whole_at_its_end_or_each_mpdu_at_its_own() {
    let whole = times(&download(Delivery::PerPpdu));
    let each = times(&download(Delivery::PerMpdu));
    let ppdus = whole.chunk_by(|a, b| a == b).map(<[Instant]>::len).collect::<Vec<_>>();
    assert_eq!(ppdus, [1, 9], "the A-MPDU is of what came while the first packet was on the air");
    assert_eq!((each[0], each[9]), (whole[0], whole[9]), "the last MPDU ends with its PPDU");
    // 1538 bytes with header, LLC and FCS, and a delimiter, padded to 1544. The last symbol is filled with bits that are none of theirs.
    let rate = download(Delivery::PerMpdu).stations[0].down.rate().bps() as f64;
    let lasts = 1544.0 * 8.0 / rate * 1e9;
    for pair in each[1..].windows(2) {
        let apart = (pair[1] - pair[0]).as_nanos() as f64;
        assert!((lasts..lasts * 1.005).contains(&apart), "{apart} ns for {lasts}");
    }
}

#[test]
fn what_ends_with_its_ppdu_finds_the_medium_as_that_leaves_it_under_both() {
    let of = |standard, delivery, idle_at_end| {
        let config = with_tcp(cell(standard), 0, Peer::Server, Direction::Down);
        let seen = run(&CellConfig { delivery, idle_at_end, ..config }).seen;
        seen.iter().map(|sent| (sent.ppdu.transmitter, sent.ppdu.duration)).collect::<Vec<_>>()
    };
    let (whole, each) = (Delivery::PerPpdu, Delivery::PerMpdu);
    // Without A-MPDUs there is no other end of an MPDU.
    for idle in [false, true] {
        assert!(of(Standard::A, each, idle) == of(Standard::A, whole, idle), "idle at the end: {idle}");
    }
    for standard in [Standard::A, Standard::N] {
        for delivery in [whole, each] {
            let same = of(standard, delivery, true) == of(standard, delivery, false);
            assert!(!same, "{standard:?}, {delivery:?}: whether the medium is idle at the end makes no difference");
        }
    }
}

#[test]
fn without_eifs_bystanders_of_a_collision_wait_difs_alone() {
    let of = |eifs| {
        let uploads = |config, station| with_udp(config, station, Peer::Server, Direction::Up);
        let config = (0..5).fold(with_stations(cell(Standard::A), 5), uploads);
        run(&CellConfig { eifs, ..config }).result
    };
    let (with, without) = (of(true), of(false));
    assert!(with.counters.total.collisions > 50 && without.counters.total.collisions > 50);
    // What goes by after a collision beyond DIFS and before slots are counted: for bystanders 60 us with EIFS, which is SIFS and an Ack at 6 Mbps, and nothing without; for
    // those who collided what is left of their ACK timeout. Each collision counts its two PPDUs or more.
    let each =
        |result: &RunResult| result.airtime_ns[AirtimeClass::Timeouts].as_nanos() / result.counters.total.collisions;
    assert!(each(&with) > each(&without) + 10_000, "{} and {} ns", each(&with), each(&without));
}

#[test]
fn a_card_that_waits_hands_up_what_has_come_since_the_first_and_counts_anew() {
    // The A-MPDU of nine lasts longer than 740 us, and less than 2 ms pass from the first packet to its end.
    let apart = |time| {
        let times = times(&download(Delivery::Coalesced(time)));
        times[1..].iter().map(|at| (*at - times[0]).as_nanos()).collect::<Vec<_>>()
    };
    let two_batches = apart(Duration::from_micros(700));
    assert!(two_batches[0] > 740_000 && two_batches.iter().all(|at| *at == two_batches[0]), "{two_batches:?}");
    assert_eq!(apart(Duration::from_millis(2)), vec![0; 9]);
    // SYN and SYN ACK come over the air too, and wait as long as the first packet of data.
    let first = |delivery| times(&download(delivery))[0];
    assert!(
        first(Delivery::Coalesced(Duration::from_millis(2))) >= first(Delivery::PerPpdu) + Duration::from_millis(6)
    );
}

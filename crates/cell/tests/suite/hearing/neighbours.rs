//! Two cells on one channel.

use ackless_cell::config::{CellConfig, Direction, Hearing, Neighbour, Peer, PowerConfig};
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_phy::{Dbm, Standard};
use ackless_wire::{Bytes, Duration};

use crate::hearing::world::{NOTHING, run as run_alone};
use crate::testing::cells::{cell, with_stations, with_tcp, with_udp};

/// Two cells with a station each that uploads datagrams, or over TCP; all within a cell hear each other with -50 dBm, and those of the other cell
/// with this power.
fn two(standard: Standard, tcp: bool, between: f64) -> CellConfig {
    let one = |first: usize| {
        let config = with_stations(cell(standard), 1);
        let add = if tcp { with_tcp } else { with_udp };
        let mut config = add(config, 0, Peer::Server, Direction::Up);
        let power = |from: usize, to: usize| Dbm(if from / 2 == to / 2 { -50.0 } else { between });
        config.hearing = Hearing::ByPower(PowerConfig {
            powers: (0..16).map(|pair| power(pair / 4, pair % 4)).collect(),
            first,
            noise: Dbm(-94.0),
            preamble: Dbm(-82.0),
            energy: Dbm(-62.0),
            relocks: false,
        });
        config.warm_up = Duration::from_millis(500);
        config.measured = Duration::from_secs(2);
        config
    };
    CellConfig { neighbours: vec![Neighbour { name: "next".to_owned(), cell: one(2) }], ..one(0) }
}

/// Runs both, and looks that both ledgers are whole.
fn run(config: &CellConfig, seed: u64) -> [RunResult; 2] {
    let own = ackless_cell::run(config, seed);
    let [neighbour] = own.neighbours.as_slice() else { panic!("there is one neighbour") };
    assert_eq!(neighbour.cell, "next");
    let both = [own.clone(), neighbour.result.clone()];
    for result in &both {
        assert_eq!(result.airtime_ns.total(), config.measured, "seed {seed}: a ledger accounts for the whole window");
    }
    both
}

#[test]
fn cells_that_hear_nothing_of_each_other_are_cells_of_their_own() {
    let config = two(Standard::N, true, NOTHING);
    let [own, next] = run(&config, 7);
    let alone = ackless_cell::run(&CellConfig { neighbours: Vec::new(), ..config.clone() }, 7);
    // But for what passes by unheard.
    assert_eq!(RunResult { neighbours: Vec::new(), events: alone.events, ..own.clone() }, alone);
    // The other draws from streams of its own.
    assert!(next.goodput_mbps > 100.0 && next != own, "{}", next.goodput_mbps);
    assert_eq!(own.airtime_ns[AirtimeClass::Neighbours], Duration::ZERO);
}

#[test]
fn cells_that_hear_each_other_share_the_channel_as_stations_of_one_cell_do() {
    for (standard, tcp) in [(Standard::A, false), (Standard::N, false), (Standard::N, true)] {
        let config = two(standard, tcp, -50.0);
        let [own, next] = run(&config, 1);
        let add = if tcp { with_tcp } else { with_udp };
        let mut together = with_stations(cell(standard), 2);
        for station in 0..2 {
            together = add(together, station, Peer::Server, Direction::Up);
        }
        (together.warm_up, together.measured) = (config.warm_up, config.measured);
        let (together, _) = run_alone(&together, 1);
        let both = own.goodput_mbps + next.goodput_mbps;
        // Two APs with TCP ACKs to send contend instead of one.
        let close = if tcp { 0.05 } else { 0.02 };
        assert!((both / together.goodput_mbps - 1.0).abs() < close, "{both} and {}", together.goodput_mbps);
        assert!((own.goodput_mbps / next.goodput_mbps - 1.0).abs() < 0.15);
        // What one sends the other hears, and nobody books it twice.
        let sent = |result: &RunResult| {
            use AirtimeClass::{Backoff, Collisions, Idle, InterframeSpace, Neighbours, Sifs, Timeouts};
            let silent = [Idle, InterframeSpace, Timeouts, Backoff, Sifs, Neighbours, Collisions];
            config.measured - silent.into_iter().map(|class| result.airtime_ns[class]).sum::<Duration>()
        };
        for (hears, sends) in [(&own, &next), (&next, &own)] {
            let (heard, sent) = (hears.airtime_ns[AirtimeClass::Neighbours], sent(sends));
            // What collides within the other cell is its collision, and a neighbour's noise here.
            let most = sent + if tcp { sends.airtime_ns[AirtimeClass::Collisions] } else { Duration::ZERO };
            let least = sent.as_secs_f64() * 0.99;
            assert!((least..most.as_secs_f64() * 1.01).contains(&heard.as_secs_f64()), "{heard} heard of {sent}");
        }
        let collisions = own.counters.total.collisions + next.counters.total.collisions;
        assert!(collisions > 20 && own.airtime_ns[AirtimeClass::Collisions] > Duration::ZERO, "{collisions}");
    }
}

#[test]
fn what_is_sent_where_only_one_cell_hears_the_other_is_lost_to_it() {
    // The second cell's nodes hear nothing of the first one; all of the first hear the second.
    let mut config = two(Standard::A, false, -50.0);
    let deafen = |hearing: &mut Hearing| {
        let Hearing::ByPower(powers) = hearing else { panic!("powers decide") };
        for pair in (0..16).filter(|pair| pair / 4 < 2 && pair % 4 >= 2) {
            powers.powers[pair] = Dbm(NOTHING);
        }
    };
    deafen(&mut config.hearing);
    deafen(&mut config.neighbours[0].cell.hearing);
    let [own, next] = run(&config, 1);
    let alone = ackless_cell::run(&CellConfig { neighbours: Vec::new(), ..config }, 1);
    assert!((next.goodput_mbps / alone.goodput_mbps - 1.0).abs() < 0.02, "the deaf cell has the channel for itself");
    assert!(own.goodput_mbps < 0.35 * alone.goodput_mbps, "{} of {}", own.goodput_mbps, alone.goodput_mbps);
    assert_eq!(next.airtime_ns[AirtimeClass::Neighbours], Duration::ZERO);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let mut config = two(Standard::N, true, -75.0);
    for mac in [&mut config.ap.mac, &mut config.stations[0].mac] {
        mac.rts_threshold = Some(Bytes(500));
    }
    assert_eq!(run(&config, 3), run(&config, 3));
    assert_ne!(run(&config, 3)[1].counters, run(&config, 4)[1].counters);
}

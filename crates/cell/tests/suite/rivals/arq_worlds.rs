//! The ARQ proxy in the worlds that it stands or falls with, one at a time, in each of its forms: an application that reads slowly, a host that loses
//! packets, a wire that does, round trips that grow, many clients, and hosts that take longer than SIFS.
//!
//! Each run must keep the rules of [`crate::rivals::trial`]: every byte once and in order, nothing acknowledged that the client's transport has not,
//! no gap in progress longer than guard, timeout and trip, and nobody holds a packet in the end.

use ackless_cell::config::{ApQueue, CellConfig, Direction, Probability, SchemeChoice, WireStep};
use ackless_phy::Standard;
use ackless_schemes::Guard;
use ackless_schemes::arq_proxy::{ArqProxyConfig, Identification, Policy};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::rivals::contenders::Setup;
use crate::rivals::schedule::Schedule;
use crate::rivals::trial::{Outcome, run};
use crate::testing::crew;
use crate::testing::hack_cells::{cell, tcp_of, with_stations, with_transfer};
use crate::testing::weather::Weather;

const STANDARDS: [Standard; 4] = [Standard::B, Standard::A, Standard::N, Standard::Ac];

/// So many clients, each with a download of this size, and no losses.
fn downloads(standard: Standard, clients: usize, size: u64) -> CellConfig {
    let config = with_stations(cell(standard, 8), clients);
    (0..clients).fold(config, |config, station| with_transfer(config, station, Direction::Down, Bytes(size)))
}

/// The four forms: both policies, both identifications.
fn forms() -> [ArqProxyConfig; 4] {
    let form = |policy, identification| ArqProxyConfig { policy, identification, ..ArqProxyConfig::default() };
    let [race, more_data] = [Policy::Race, Policy::MoreData];
    [Identification::FrameSequence, Identification::Hash]
        .map(|by| [form(race, by), form(more_data, by)])
        .concat()
        .try_into()
        .expect("two of two are four")
}

/// Runs the world of each number below `count` in each form, with a guard that sets itself and with one of 20 ms; gives back how each run ended.
fn survives(what: &str, count: u64, world: impl Fn(u64) -> CellConfig + Sync) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for form in forms() {
        for (guard, hold) in [(Guard::Auto, LONGEST), (Guard::Fixed(HASTY), HASTY)] {
            let setup = Setup::arq(ArqProxyConfig { guard, ..form }, hold);
            let what = format!("{what}, {:?}, {:?}, {guard:?}, N =", form.policy, form.identification);
            outcomes.extend(crew::all(&what, count, |seed| {
                let (weather, legacy) = (Weather::none(), vec![false; 40]);
                let mut config = world(seed);
                config.ap.scheme = SchemeChoice::Stock;
                run(Schedule { config, seed, weather, legacy }.with(setup.ap, setup.station), &setup)
            }));
        }
    }
    outcomes
}

/// Panics if something has happened less often than this in all runs together: then the world is not the one that it is called.
#[track_caller]
fn reached(outcomes: &[Outcome], least: &[(&str, u64)]) {
    for (name, least) in least {
        let times: u64 = outcomes.iter().filter_map(|outcome| outcome.counts.get(name)).sum();
        assert!(times >= *least, "{name}: {times} times only");
    }
}

fn timeouts(outcomes: &[Outcome]) -> u64 {
    outcomes.iter().map(|outcome| outcome.timeouts).sum()
}

#[test]
fn a_client_whose_application_reads_slowly_is_never_promised_for() {
    let outcomes = survives("a slow reader", 8, |seed| {
        let mut config = downloads(STANDARDS[seed as usize % 4], 1, 150_000);
        let tcp = tcp_of(&mut config.flows[0]);
        tcp.read_rate = Some(BitRate::from_mbps(2 + seed));
        tcp.receive_buffer = Bytes(16_000 + 4_000 * seed);
        config
    });
    reached(&outcomes, &[("native_window", 100), ("requested", 100)]);
    assert_eq!(timeouts(&outcomes), 0);
}

#[test]
fn what_the_host_loses_is_never_acknowledged() {
    let outcomes = survives("a host that loses packets", 8, |seed| {
        let mut config = downloads(STANDARDS[seed as usize % 4], 1, 150_000);
        config.stations[0].host_loss = Probability::new(0.02).expect("it is a probability");
        config
    });
    reached(&outcomes, &[("native_sack", 100), ("requested", 100)]);
}

#[test]
fn what_the_wire_loses_the_sender_hears_of_from_the_client() {
    let outcomes = survives("a wire that loses packets", 8, |seed| {
        let mut config = downloads(STANDARDS[seed as usize % 4], 1, 150_000);
        config.wired.down.loss = Probability::new(0.02).expect("it is a probability");
        tcp_of(&mut config.flows[0]).sack = seed < 4;
        config
    });
    reached(&outcomes, &[("native_duplicate", 50), ("native_sack", 500), ("requested", 500)]);
}

#[test]
fn round_trips_that_grow_bring_no_timeout_about() {
    let outcomes = survives("a wire that grows", 8, |seed| {
        let mut config = downloads(STANDARDS[seed as usize % 4], 1, 300_000);
        let step = |millis, delay| {
            let nothing = WireStep::nothing(Instant::from_millis(millis));
            WireStep { delay: Some(Duration::from_millis(delay)), ..nothing }
        };
        config.wired.steps = vec![step(30 + seed, 20), step(130, 45), step(300, 70)];
        config
    });
    reached(&outcomes, &[("requested", 500)]);
    assert_eq!(timeouts(&outcomes), 0);
}

#[test]
fn each_of_forty_clients_is_served_and_gives_back_what_it_kept() {
    let outcomes = survives("forty clients", 2, |seed| {
        let mut config = downloads([Standard::A, Standard::N][seed as usize], 40, 30_000);
        config.ap.queue = ApQueue::Fifo { packets: 1000 };
        // The last ACK of each is asked for in the answer to the last frame, and nothing shows that this has arrived.
        config.stations.iter_mut().for_each(|station| station.host_latency = Duration::ZERO);
        for (number, flow) in config.flows.iter_mut().enumerate() {
            flow.start = Instant::from_millis(number as u64);
        }
        config
    });
    reached(&outcomes, &[("requested", 1000), ("kept", 100), ("rescued", 40)]);
}

#[test]
fn whatever_the_host_takes_nothing_waits_for_a_timeout() {
    for micros in [0, 10, 50, 500] {
        let outcomes = survives(&format!("a host that takes {micros} us"), 4, |seed| {
            let mut config = downloads(STANDARDS[seed as usize], 2, 150_000);
            config.ap.host_latency = Duration::from_micros(micros);
            config.stations.iter_mut().for_each(|station| station.host_latency = Duration::from_micros(micros));
            config
        });
        reached(&outcomes, &[("requested", 100)]);
        assert_eq!(timeouts(&outcomes), 0, "{micros} us");
    }
}

/// A guard timer that sets itself is not longer in these cells.
const LONGEST: Duration = Duration::from_millis(175);
/// One that ends before most signs come.
const HASTY: Duration = Duration::from_millis(20);

//! What a run takes from the heap once its queues have grown to their sizes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ackless_cell::Cell;
use ackless_cell::recorder::Recorder;
use ackless_dot11::frame::NodeId;
use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_schemes::AnyScheme;
use ackless_wire::{Duration, Instant};
use allocation_counter::measure;

#[test]
fn a_packet_that_passes_through_a_warm_cell_allocates_nothing() {
    let one = measure(|| drop(std::hint::black_box(Box::new(0))));
    assert_eq!(one.count_total, 1, "allocations of this thread are counted");
    // On two cores: allocations are counted for each thread.
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((name, row, overrides)) = CELLS.get(next.fetch_add(1, Ordering::Relaxed)) {
            allocates_nothing(name, row, overrides);
        }
    };
    thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
}

fn allocates_nothing(name: &str, row: &str, overrides: &[&str]) {
    let cell = format!("{name}, row {row}, {overrides:?}, seed {SEED}");
    let mut run = warm_cell(name, row, overrides);
    let events = run.events();
    let [short, long] = [SHORT, LONG].map(|span| allocations(&mut run, span));
    let events = run.events() - events;
    println!("{cell}: {short} allocations in {SHORT}, {long} in {LONG}, {events} events");
    assert!(events > 100_000, "{cell}: hardly anything happens");
    // The recorder's samples of each flow's round-trip time double their room as they grow, and nothing else does.
    let bound = 2 * run.flows().len() as u64;
    assert!(short <= bound && long <= bound, "{cell}: {short} allocations in {SHORT}, {long} in {LONG}");
}

#[test]
fn hack_allocates_for_answers_and_not_for_the_acks_on_them() {
    let stations = 2;
    let mut run = warm_cell("wifi-80211n", "hack", &[&format!("stations.count={stations}")]);
    let counters = |run: &Cell<AnyScheme, Recorder>| {
        let nodes = (0..=stations).filter_map(|node| run.station(NodeId(node)).scheme().as_hack());
        nodes.fold((0, 0), |(answers, acks), hack| {
            let counters = hack.counters();
            (answers + counters.appended_answers, acks + counters.emitted)
        })
    };
    let before = counters(&run);
    let allocations = allocations(&mut run, LONG);
    let after = counters(&run);
    let (answers, acks) = (after.0 - before.0, after.1 - before.1);
    println!("seed {SEED}: {allocations} allocations for {answers} answers with {acks} ACKs in {LONG}");
    assert!(acks > 10 * answers, "seed {SEED}: {answers} answers bear only {acks} ACKs");
    assert!(allocations < 4 * answers, "seed {SEED}: {allocations} allocations for {answers} answers");
}

/// A cell whose flows have started and whose queues have been full; its recorder keeps samples of all that follows.
fn warm_cell(name: &str, row: &str, overrides: &[&str]) -> Cell<AnyScheme, Recorder> {
    let mut scenario = Builtin::find(name).and_then(Builtin::scenario).unwrap_or_else(|error| panic!("{error}"));
    for argument in overrides.iter().chain(&["run.warm_up=2s", "run.measured=50s"]) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    let config = scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Cell::new(&config, SEED, |node| ackless_cell::scheme(&config, node), Recorder::new(&config));
    run.advance(Instant::ZERO + WARM_UP);
    run
}

/// How often something is allocated while a cell goes on for this long.
fn allocations(run: &mut Cell<AnyScheme, Recorder>, span: Duration) -> u64 {
    let until = run.now() + span;
    measure(|| run.advance(until)).count_total
}

/// Scenario, row and overrides: aggregates and single frames, TCP and UDP, both directions, many stations, losses, both
/// kinds of queue.
const CELLS: &[(&str, &str, &[&str])] = &[
    ("wifi-80211n", "tcp", &[]),
    ("wifi-80211n", "tcp", &["stations.count=10"]),
    ("wifi-80211n", "tcp", &["stations.count=4", "flows.direction=up"]),
    ("wifi-80211n", "tcp", &["stations.count=4", "ap.queue=fq-codel", "ap.scheduler=airtime-fair"]),
    ("wifi-80211n", "udp", &[]),
    ("wifi-80211n", "arq", &["transport.receive_buffer=256KiB"]),
    ("wifi-80211n", "arq-more-data", &["stations.host_latency=50us"]),
    (
        "wifi-80211n",
        "tcp",
        &["stations.count=2", "loss.model=per-frame", "loss.down_data=0.02", "loss.up_control=0.02"],
    ),
    ("wifi-80211ac", "tcp", &[]),
    ("wifi-80211a", "tcp", &["stations.count=4"]),
    ("wifi-80211a", "udp", &["stations.count=10", "flows.direction=up"]),
];
/// The slowest of these cells fills its queues within it.
const WARM_UP: Duration = Duration::from_secs(20);
/// The first span.
const SHORT: Duration = Duration::from_secs(2);
/// The second one: long enough that a single allocation for each thousand packets would show.
const LONG: Duration = Duration::from_secs(20);
/// The seed of all runs.
const SEED: u64 = 1;

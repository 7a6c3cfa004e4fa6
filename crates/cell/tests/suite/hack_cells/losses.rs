//! Losses of every kind, in random cells: no wrong ACK, no byte lost, and nothing that the protocol rules out.

use ackless_cell::config::{CellConfig, Direction, Span, Traffic};
use ackless_cell::loss::Interference;
use ackless_schemes::Guard;
use ackless_schemes::hack::{Fit, HackConfig, HackCounters, Policy};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant};

use crate::hack_cells::cells::{a, ac, hack, n, run, with_flow, with_loss, with_stations};
use crate::testing::ears;
use crate::testing::sound::NEVER;
use crate::testing::tested::with_schemes;

/// A random cell with finite transfers, and HACK in any of its ways.
fn random(seed: u64) -> (CellConfig, HackConfig) {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    let cell = match random.below(3) {
        0 => a(),
        1 => n(),
        _ => ac(),
    };
    let stations = 1 + random.below(3);
    let mut cell = with_stations(cell, stations as usize);
    for _ in 0..1 + random.below(4) {
        let direction = if random.chance(0.5) { Direction::Down } else { Direction::Up };
        let size = Bytes(20_000 + random.below(1_500_000));
        cell = with_flow(cell, random.below(stations) as usize, direction, Some(size));
    }
    let mut loss = || if random.chance(0.3) { 0.0 } else { 0.25 * random.unit() };
    cell = with_loss(cell, [loss(), loss(), loss(), loss()]);
    cell.ap.host_latency = Duration::from_micros(random.below(300));
    for station in &mut cell.stations {
        station.host_latency = Duration::from_micros(random.below(300));
        station.mac.retry_limit = Some(3 + random.below(5) as u32);
    }
    cell.ap.mac.retry_limit = Some(3 + random.below(5) as u32);
    if random.chance(0.2) {
        cell.ap.mac.rts_threshold = Some(Bytes(1000));
    }
    cell.measured = Duration::from_secs(30);
    (cell, ways(&mut random))
}

fn ways(random: &mut Stream) -> HackConfig {
    let policy = match random.below(4) {
        0 | 1 => Policy::MoreData,
        2 => Policy::Opportunistic,
        _ => Policy::ExplicitTimer(Duration::from_micros(500 + random.below(20_000))),
    };
    HackConfig {
        policy,
        guard: Guard::Fixed(Duration::from_millis(10 + random.below(100))),
        driver_to_nic: Duration::from_micros(random.below(60)),
        fit: if random.chance(0.3) { Fit::WithinAifs } else { Fit::Whole },
        ..HackConfig::default()
    }
}

#[test]
fn no_loss_changes_an_ack_or_costs_a_byte() {
    let mut counters = HackCounters::default();
    for seed in 0..300 {
        let (cell, hack) = random(seed);
        let run = run(&cell, hack, seed);
        run.assert_sound(&format!("seed {seed}"));
        for (flow, &delivered) in cell.flows.iter().zip(&run.delivered) {
            let Traffic::Finite { size } = flow.traffic else { unreachable!("all transfers are finite") };
            assert_eq!(delivered, size.get(), "seed {seed}, {}", flow.name);
        }
        counters += run.counters;
    }
    // Each state that losses and races lead to was really there.
    for (name, count) in counters.entries() {
        // These have tests of their own: collisions need many flows, refusals odd packets, long codes slow answers, doubts and
        // contradictions a forger, and the three before them keys that these cells leave alone.
        let elsewhere = [
            "cid_collision",
            "taken_over",
            "refused",
            "too_late",
            "full",
            "too_long",
            "rescued",
            "waited_too_many",
            "disbelieved",
            "not_worth_holding",
            "more_data_idle",
            "doubted",
            "contradicted",
        ];
        if !NEVER.contains(&name) && !elsewhere.contains(&name) {
            assert!(count >= 50, "{name} happened {count} times only");
        }
    }
}

/// A random cell whose one station has 40 flows with pauses, so that some share an identifier and take it over from
/// each other.
fn crowded(seed: u64) -> (CellConfig, HackConfig) {
    let mut random = Stream::new(seed, 1, Purpose::Test);
    let mut cell = match random.below(3) {
        0 => a(),
        1 => n(),
        _ => ac(),
    };
    for _ in 0..40 {
        let direction = if random.chance(0.7) { Direction::Down } else { Direction::Up };
        cell = with_flow(cell, 0, direction, None);
        let think = Span::Exponential(Duration::from_millis(200 + random.below(1500)));
        let size = Bytes(3000 + random.below(300_000));
        cell.flows.last_mut().expect("a flow has just been added").traffic = Traffic::Repeated { size, think };
    }
    let mut loss = || if random.chance(0.3) { 0.0 } else { 0.3 * random.unit() };
    cell = with_loss(cell, [loss(), loss(), loss(), loss()]);
    cell.ap.mac.retry_limit = Some(2 + random.below(5) as u32);
    cell.stations[0].mac.retry_limit = Some(2 + random.below(5) as u32);
    cell.measured = Duration::from_secs(15);
    (cell, ways(&mut random))
}

#[test]
fn flows_that_share_identifiers_stay_apart_through_losses_and_pauses() {
    let mut counters = HackCounters::default();
    for seed in 0..20 {
        let (cell, hack) = crowded(seed);
        let run = run(&cell, hack, seed);
        run.assert_sound(&format!("seed {seed}"));
        counters += run.counters;
    }
    assert!(counters.cid_collision > 500 && counters.taken_over > 20, "{counters:#?}");
}

#[test]
fn transfers_end_although_every_answer_of_the_station_is_lost_now_and_then_for_long() {
    for (name, cell) in [("a", a()), ("n", n()), ("ac", ac())] {
        let mut config = with_flow(cell, 0, Direction::Down, Some(Bytes(2_000_000)));
        config.measured = Duration::from_secs(60);
        let mut cell = with_schemes(&config, 1, |_| hack(HackConfig::default()), ears::recorder(&config));
        cell.witness_acks();
        // Answers vanish for 30 ms of every 100, so that retry limits are reached in a row.
        cell.interfere(Interference(Box::new(|now: Instant, ppdu| {
            let bad = now.as_nanos() / 1_000_000 % 100 < 30;
            if bad && ppdu.answer().is_some() && ppdu.transmitter.0 == 1 { 0 } else { u64::MAX }
        })));
        cell.advance(config.end());
        let delivered = cell.flows().endpoint(0, 1).map_or(0, |tcp| tcp.bytes_delivered().get());
        assert_eq!(delivered, 2_000_000, "{name}");
    }
}

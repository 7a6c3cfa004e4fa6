//! Each rival over random schedules.

use std::fmt::Write as _;
use std::sync::OnceLock;

use ackless_wire::Duration;

use crate::contenders::{CONTENDERS, Contender, LEAST_SEEDS};
use crate::crew;
use crate::ledger::Says;
use crate::schedule::Schedule;
use crate::trial::{Outcome, run};
use crate::verdict::late;

/// What plain TCP makes of the schedules.
fn stock() -> &'static [Outcome] {
    static STOCK: OnceLock<Vec<Outcome>> = OnceLock::new();
    STOCK.get_or_init(|| {
        crew::all("stock, schedule", schedules(), |seed| run(Schedule::draw(seed), Duration::ZERO, Says::Said))
    })
}

/// Panics if plain TCP would have carried a flow that this outcome of a schedule has not, or much later.
fn compare(outcome: &Outcome, seed: u64) {
    let plain = &stock()[seed as usize];
    if let Some((flow, delay, allowed)) = late(outcome, plain) {
        panic!(
            "flow {flow} was done {delay} later than without a scheme; allowed were {allowed}: {outcome:?} beside {plain:?}"
        );
    }
}

#[test]
fn plain_tcp_is_not_late_beside_itself_with_other_draws_of_the_same_losses() {
    stock();
    crew::all("stock redrawn, schedule", schedules(), |seed| {
        let schedule = Schedule::draw(seed);
        let weather = schedule.weather.redrawn(seed);
        compare(&run(Schedule { weather, ..schedule }, Duration::ZERO, Says::Said), seed);
    });
}

fn trial(contender: &Contender, seed: u64) -> Outcome {
    let (schedule, setup) = contender.schedule(seed);
    let outcome = run(schedule, setup.hold, setup.says);
    assert!(setup.goes_back || outcome.backwards == 0, "{} ACKs went back at the port to the wire", outcome.backwards);
    outcome
}

fn keeps_the_rules(name: &str) {
    let contender = Contender::named(name).expect("a suite is of a contender");
    let plain = stock();
    let what = format!(
        "to see it alone: ACKLESS_RIVAL={name} ACKLESS_SEED=N cargo test -p ackless-cell --test rivals one_schedule\n{name}, N ="
    );
    let outcomes = crew::all(&what, schedules(), |seed| {
        let mut outcome = trial(contender, seed);
        let stalls_on = contender.schedule(seed).1.stalls_on;
        if stalls_on.is_some() && late(&outcome, &plain[seed as usize]).is_some() {
            outcome.stalled_on = stalls_on;
        } else {
            compare(&outcome, seed);
        }
        outcome
    });
    let done = |outcomes: &[Outcome]| -> f64 {
        outcomes.iter().flat_map(|outcome| outcome.done.iter().flatten()).map(|at| at.as_secs_f64()).sum()
    };
    let timeouts = |outcomes: &[Outcome]| -> u64 { outcomes.iter().map(|outcome| outcome.timeouts).sum() };
    let backwards = |outcomes: &[Outcome]| -> u64 { outcomes.iter().map(|outcome| outcome.backwards).sum() };
    println!(
        "{name}: completion {:.1} s, stock {:.1} s; timeouts {}, stock {}; backwards {}, stock {}",
        done(&outcomes),
        done(plain),
        timeouts(&outcomes),
        timeouts(plain),
        backwards(&outcomes),
        backwards(plain)
    );
    let stalls = outcomes.iter().filter_map(|outcome| outcome.stalled_on);
    println!("{name}: {} schedules late by design: {:?}", stalls.clone().count(), stalls.clone().next());
    let mut names: Vec<&str> = outcomes.iter().flat_map(|outcome| outcome.counts.keys().copied()).collect();
    names.sort_unstable();
    names.dedup();
    let mut table = String::new();
    let mut rare = Vec::new();
    for state in names {
        let times = outcomes.iter().map(|outcome| outcome.counts.get(state).copied().unwrap_or_default());
        let seeds = times.clone().filter(|times| *times > 0).count();
        let corner = contender.corners.contains(&state);
        if corner && seeds < LEAST_SEEDS {
            rare.push(state);
        }
        let mark = if corner { "corner" } else { "" };
        writeln!(table, "{state:<32} {seeds:>6} seeds {:>8} times {mark}", times.sum::<u64>())
            .expect("a string takes all");
    }
    println!("{table}");
    assert!(rare.is_empty(), "reached in fewer than {LEAST_SEEDS} schedules: {rare:?}\n{table}");
}

#[test]
fn the_agent_with_buffers_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("agent-buffer");
}

#[test]
fn the_agent_with_a_flag_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("agent-flag");
}

#[test]
fn the_filter_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("filter");
}

#[test]
fn the_arq_proxy_by_sequence_number_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("arq-seq");
}

#[test]
fn the_arq_proxy_by_hash_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("arq-hash");
}

#[test]
fn the_thinning_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("thinning");
}

#[test]
fn the_fast_ack_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("fast-ack");
}

/// One schedule with one rival, as the environment says; without a word of it the first schedule with each.
#[test]
#[expect(clippy::disallowed_methods, reason = "which schedule is looked at is the caller's choice")]
fn one_schedule() {
    let seed = std::env::var("ACKLESS_SEED").map_or(0, |seed| seed.parse().expect("ACKLESS_SEED is a number"));
    let rival = std::env::var("ACKLESS_RIVAL").ok();
    for contender in CONTENDERS.iter().filter(|contender| rival.as_deref().is_none_or(|rival| rival == contender.name))
    {
        let plain = run(Schedule::draw(seed), Duration::ZERO, Says::Said);
        println!("stock: {plain:#?}");
        let outcome = trial(contender, seed);
        println!("{}: {outcome:#?}", contender.name);
        assert_eq!(late(&outcome, &plain), None);
    }
}

/// How many schedules are run: [`SCHEDULES`], or what the environment asks for.
#[expect(clippy::disallowed_methods, reason = "how long a test runs is its caller's choice")]
fn schedules() -> u64 {
    std::env::var("ACKLESS_SCHEDULES").map_or(SCHEDULES, |count| count.parse().expect("ACKLESS_SCHEDULES is a number"))
}

/// So many schedules are run with each rival.
const SCHEDULES: u64 = 3_000;

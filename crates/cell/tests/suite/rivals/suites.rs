//! Each rival over random schedules.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::rivals::contenders::{CONTENDERS, Contender, Setup};
use crate::rivals::corners::LEAST_SEEDS;
use crate::rivals::schedule::Schedule;
use crate::rivals::trial::{Outcome, run};
use crate::rivals::verdict::late;
use crate::testing::crew;

/// What plain TCP makes of the schedules.
fn stock() -> &'static [Outcome] {
    static STOCK: OnceLock<Vec<Outcome>> = OnceLock::new();
    STOCK.get_or_init(|| {
        crew::all("stock, schedule", crew::schedules(SCHEDULES), |seed| run(Schedule::draw(seed), &Setup::PLAIN))
    })
}

/// Panics if plain TCP would have carried a flow that this outcome of a schedule has not, or much later.
fn compare(outcome: &Outcome, plain: &Outcome) {
    if let Some((flow, delay, allowed)) = late(outcome, plain) {
        panic!(
            "flow {flow} was done {delay} later than without a scheme; allowed were {allowed}: {outcome:?} beside {plain:?}"
        );
    }
}

#[test]
fn plain_tcp_is_not_late_beside_itself_with_other_draws_of_the_same_losses() {
    stock();
    crew::all("stock redrawn, schedule", crew::schedules(SCHEDULES), |seed| {
        let schedule = Schedule::draw(seed);
        let weather = schedule.weather.redrawn(seed);
        compare(&run(Schedule { weather, ..schedule }, &Setup::PLAIN), &stock()[seed as usize]);
    });
}

fn trial(contender: &Contender, seed: u64) -> Outcome {
    let (schedule, setup) = contender.schedule(seed);
    let outcome = run(schedule, &setup);
    assert!(setup.goes_back || outcome.backwards == 0, "{} ACKs went back at the port to the wire", outcome.backwards);
    outcome
}

/// The trials of all schedules with a rival.
///
/// # Panics
/// If a rule is broken, or a corner state was reached too seldom.
fn keeps_the_rules(name: &str) {
    let contender = Contender::named(name).expect("a suite is of a contender");
    let plain = stock();
    let what = format!(
        "to see it alone: ACKLESS_RIVAL={name} ACKLESS_SEED=N cargo test -p ackless-cell --test suite rivals::suites::one_schedule\n{name}, N ="
    );
    let outcomes = crew::all(&what, crew::schedules(SCHEDULES), |seed| {
        let mut outcome = trial(contender, seed);
        let stalls_on = contender.schedule(seed).1.stalls_on;
        let plain = &plain[seed as usize];
        if stalls_on.is_some() && late(&outcome, plain).is_some() {
            outcome.stalled_on = stalls_on;
        } else {
            compare(&outcome, plain);
        }
        outcome
    });
    let table = format!("{}{}", summary(name, &outcomes), reached(contender, &outcomes));
    println!("{table}");
    let rare: Vec<_> = contender.corners().filter(|state| seeds(state, &outcomes) < LEAST_SEEDS).collect();
    assert!(rare.is_empty(), "reached in fewer than {LEAST_SEEDS} schedules: {rare:?}\n{table}");
}

/// How many schedules have reached a state.
fn seeds(state: &str, outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.counts.get(state).is_some_and(|times| *times > 0)).count()
}

/// What a rival has made of the schedules beside plain TCP.
fn summary(name: &str, outcomes: &[Outcome]) -> String {
    let line = |name: &str, outcomes: &[Outcome]| {
        let done = outcomes.iter().flat_map(|outcome| outcome.done.iter().flatten());
        let done: f64 = done.map(|at| at.as_secs_f64()).sum();
        let timeouts: u64 = outcomes.iter().map(|outcome| outcome.timeouts).sum();
        let backwards: u64 = outcomes.iter().map(|outcome| outcome.backwards).sum();
        format!("{name}: flows done after {done:.1} s in all; {timeouts} timeouts; {backwards} ACKs went back\n")
    };
    let stalls = outcomes.iter().filter_map(|outcome| outcome.stalled_on);
    let named: BTreeSet<_> = stalls.clone().collect();
    format!("{}{}{} schedules late by design {named:?}\n", line(name, outcomes), line("stock", stock()), stalls.count())
}

/// How often each thing that a rival counts has happened, and in how many schedules.
fn reached(contender: &Contender, outcomes: &[Outcome]) -> String {
    let names: BTreeSet<_> = outcomes.iter().flat_map(|outcome| outcome.counts.keys().copied()).collect();
    let line = |state: &str| {
        let times: u64 = outcomes.iter().filter_map(|outcome| outcome.counts.get(state)).sum();
        let mark = if contender.corners().any(|corner| corner == state) { "corner" } else { "" };
        format!("{state:<24} {:>6} seeds {times:>8} times {mark}\n", seeds(state, outcomes))
    };
    names.into_iter().map(line).collect()
}

#[test]
fn the_agent_with_buffers_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("agent-buffer");
}

#[test]
fn the_agent_that_promises_what_fits_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("agent-promise");
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
fn thinning_as_cake_does_it_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("cake");
}

#[test]
fn thinning_as_broadcom_does_it_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("broadcom");
}

#[test]
fn thinning_as_samsung_does_it_loses_nothing_and_stalls_nothing() {
    keeps_the_rules("samsung");
}

#[test]
fn fast_ack_loses_nothing_and_stalls_nothing() {
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
        let plain = run(Schedule::draw(seed), &Setup::PLAIN);
        let outcome = trial(contender, seed);
        println!("{}: {outcome:?}\nstock: {plain:?}", contender.name);
        let by_design = contender.schedule(seed).1.stalls_on.is_some();
        assert!(by_design || late(&outcome, &plain).is_none(), "late: {:?}", late(&outcome, &plain));
    }
}

/// So many schedules are run, unless the environment asks for another number with each rival.
const SCHEDULES: u64 = 3_000;

//! Whatever the path does, every byte arrives once and in order, every run ends, and both ends keep the rules.

use super::case::{Case, Family, PLAIN, REFRAMED, TORTURE};
use super::run::{Outcome, run};
use super::shrink::{attempt, shrink};

/// Paths of each family.
const RUNS: u64 = 1_400;
/// Paths that change; `ACKLESS_RUNS=100000 cargo test --release -p ackless-tcp --test suite tack::paths::wh` has more.
const TORTURES: u64 = 1_000;

#[test]
fn anything_may_meet_anything() {
    let all = runs(Family::Mixed);
    all.reached("timeouts", RUNS / 3, |run| run.timeouts > 0);
    all.reached("retransmissions", RUNS / 2, |run| run.retransmissions > 0);
    all.reached("TACKs", RUNS / 2, |run| run.seen.tacks > 0);
    all.reached("IACKs of losses", RUNS / 8, |run| run.seen.loss_iacks > 0);
    all.reached("wrapped sequence numbers", RUNS / 10, |run| run.seen.sequence_wraps > 0);
}

#[test]
fn long_transfers_keep_the_frequency_and_the_cap() {
    let all = runs(Family::Bulk);
    all.reached("TACKs in a rhythm", RUNS / 4, |run| run.seen.paced_tacks > 2);
    all.reached("updates of the frequency", RUNS / 4, |run| run.seen.frequency_iacks > 0);
    all.reached("IACKs of losses", RUNS / 3, |run| run.seen.loss_iacks > 0);
    all.reached("bubbles", RUNS / 20, |run| run.seen.bubbles > 0);
    all.reached("the cap", RUNS / 4, |run| run.seen.at_cap > 0);
}

#[test]
fn stripped_options_leave_plain_tcp() {
    let all = runs(Family::Stripped);
    all.reached("fallback", RUNS / 5, |run| run.seen.fallbacks > 0);
    all.reached("bodies without their type", RUNS / 20, |run| run.seen.stripped_bodies > 0);
    all.reached("data without its number", RUNS / 5, |run| run.seen.stripped_data > 0);
    all.reached("no agreement", RUNS / 10, |run| run.seen.agreed == 0);
    all.reached("agreement of one end only", RUNS / 50, |run| run.seen.agreed == 1);
}

#[test]
fn windows_and_segments_may_be_a_few_bytes() {
    let all = runs(Family::Tiny);
    all.reached("closed windows", RUNS / 4, |run| run.seen.closed_windows > 0);
    all.reached("probes", RUNS / 4, |run| run.probes > 0);
    all.reached("IACKs of windows", RUNS / 4, |run| run.seen.window_iacks > 0);
}

#[test]
fn whatever_changes_on_the_way_tack_goes_on() {
    let all = runs(Family::Torture);
    let least = TORTURES / 10;
    all.reached("timeouts", least, |run| run.timeouts > 0);
    all.reached("TACKs in a rhythm", least, |run| run.seen.paced_tacks > 2);
    all.reached("IACKs of losses", least, |run| run.seen.loss_iacks > 0);
    all.reached("closed windows", 2 * least, |run| run.seen.closed_windows > 0);
    all.reached("IACKs of windows", least, |run| run.seen.window_iacks > 0);
}

#[test]
fn whoever_takes_tcp_for_bytes_leaves_them_whole() {
    let all = runs(Family::Reframed);
    let least = TORTURES / 10;
    all.reached("TACKs in a rhythm", least, |run| run.seen.paced_tacks > 2);
    all.reached("holes", least, |run| run.seen.holes > 0);
    all.reached("IACKs of losses", least, |run| run.seen.loss_iacks > 0);
}

#[test]
fn whatever_changes_on_the_way_plain_tcp_goes_on() {
    let all = runs(Family::Plain);
    let least = TORTURES / 10;
    all.reached("timeouts", least, |run| run.timeouts > 0);
    all.reached("retransmissions", 2 * least, |run| run.retransmissions > 0);
    all.reached("closed windows", 2 * least, |run| run.seen.closed_windows > 0);
    assert!(all.0.iter().all(|run| run.seen.tacks == 0), "nobody has TACK");
}

/// The outcomes of the conversations of one family.
struct All(Vec<Outcome>);

impl All {
    /// The paths must have been hard enough for this.
    fn reached(&self, what: &str, least: u64, hit: impl Fn(&Outcome) -> bool) {
        let count = self.0.iter().filter(|run| hit(run)).count() as u64;
        eprintln!("{count} of {} conversations reached {what}", self.0.len());
        assert!(self.0.len() < 100 || count >= least, "{what}: {count} conversations, at least {least} expected");
    }
}

/// Conversations of `family`. With `ACKLESS_SEED` in the environment just that one, with every packet told; with
/// `ACKLESS_SHRINK` that one, if it fails, as simple as it can be made; with `ACKLESS_RUNS` so many.
fn runs(family: Family) -> All {
    let one = |name| number(name).map(|seed| (seed, Family::of(seed) == family));
    match (one("ACKLESS_SEED"), one("ACKLESS_SHRINK")) {
        (Some((seed, true)), _) => {
            let case = Case::draw(seed);
            eprintln!("{case:#?}");
            let outcome = run(&case, true);
            eprintln!("{outcome:#?}");
            All(vec![outcome])
        }
        (None, Some((seed, true))) => {
            let (simple, said) = shrink(Case::draw(seed));
            eprintln!("as simple as it gets: {simple:#?}\n{said}");
            All(vec![run(&simple, true)])
        }
        (None, None) => {
            let most =
                if matches!(family, Family::Torture | Family::Reframed | Family::Plain) { TORTURES } else { RUNS };
            let (first, count) = (number("ACKLESS_FIRST").unwrap_or(0), number("ACKLESS_RUNS").unwrap_or(most));
            let seed = |at| match family {
                Family::Torture => TORTURE + at,
                Family::Reframed => REFRAMED + at,
                Family::Plain => PLAIN + at,
                other => at * 4 + other as u64,
            };
            many((first..first + count).map(seed))
        }
        _ => All(Vec::new()),
    }
}

/// All of them, even if some fail.
fn many(seeds: impl Iterator<Item = u64>) -> All {
    let (mut outcomes, mut failures) = (Vec::new(), Vec::new());
    for seed in seeds {
        match attempt(&Case::draw(seed)) {
            Ok(outcome) => outcomes.push(outcome),
            Err(said) => failures.push(format!("{seed}: {}", said.lines().next().unwrap_or_default())),
        }
    }
    assert!(failures.is_empty(), "{} conversations failed: {failures:#?}", failures.len());
    let steps: u64 = outcomes.iter().map(|run| run.steps).sum();
    let simulated: f64 = outcomes.iter().map(|run| run.took.as_secs_f64()).sum();
    eprintln!("{} conversations of {simulated:.0} s in all, {steps} steps", outcomes.len());
    All(outcomes)
}

#[expect(clippy::disallowed_methods, reason = "to try one conversation again, or more of them")]
pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("the variable is a number"))
}

//! Where nothing goes wrong on the path, nothing is repaired.

use ackless_tcp::{AckChoice, Config, InitialWindow};
use ackless_wire::Duration;

use super::case::{Case, Family, Plan};
use super::net::{Link, Strip};
use super::paths::number;
use super::run::run;

#[test]
fn clean_paths_see_no_repetition() {
    if let Some(seed) = number("ACKLESS_CLEAN") {
        let case = clean(Case::draw(seed));
        eprintln!("{case:#?}");
        run(&case, true);
        return;
    }
    let mut failures = Vec::new();
    for seed in (0..RUNS * 4).filter(|&seed| Family::of(seed) != Family::Tiny) {
        let case = clean(Case::draw(seed));
        let outcome = run(&case, false);
        let plain = run(&without_tack(case), false);
        // Small buffers make TCP slower where acknowledgements are rare: 1/f is not in their round trip.
        let slow = outcome.took > plain.took * 4 + Duration::from_secs(1);
        // A tail loss probe is a question, and where the answer takes long, asked too early.
        let repeated = outcome.retransmissions > outcome.tail_probes.min(3) + plain.retransmissions;
        if slow || repeated || outcome.timeouts > plain.timeouts {
            failures.push(format!("seed {seed}: {outcome:?}, without TACK {plain:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {RUNS}: {failures:#?}", failures.len());
}

fn without_tack(case: Case) -> Case {
    let configs = case.configs.map(|config| Config { tack: None, ack: AckChoice::default(), ..config });
    Case { configs, ..case }
}

/// The same conversation between ends that both do TACK, with a path that only takes time.
fn clean(case: Case) -> Case {
    let links = case.links.map(|link| Link { rate: link.rate, strip: Strip::NOTHING, ..Link::of_delay(link.delay) });
    let configs = case.configs.map(|config| Config {
        ack: AckChoice::Tack { beta: 4, every: 2 },
        rto_min: Duration::from_millis(200),
        initial_window: InitialWindow::Rfc6928,
        timestamps: Config::default().timestamps,
        tack: config.tack.or_else(|| Some(Default::default())),
        ..config
    });
    let plans = case.plans.map(|plan| Plan { pauses: 0.0, rests: 0.0, ..plan });
    Case { links, configs, plans, tick: Duration::from_millis(5), ..case }
}

#[test]
fn stripped_options_cost_a_timeout_at_most() {
    let mut failures = Vec::new();
    for seed in (0..RUNS * 4).filter(|&seed| Family::of(seed) == Family::Stripped) {
        let drawn = Case::draw(seed);
        let strips = [0, 1].map(|end| drawn.links[end].strip);
        let mut case = clean(drawn);
        for (link, strip) in case.links.iter_mut().zip(strips) {
            // Dropped packets cost two timeouts, and two SYNs, until it is clear what they have in common.
            link.strip = Strip { drops: false, ..strip };
        }
        let outcome = run(&case, false);
        let plain = run(&without_tack(case), false);
        let slow = outcome.took > plain.took * 3 / 2 + Duration::from_secs(1);
        if slow || outcome.timeouts > plain.timeouts + 1 {
            failures.push(format!("seed {seed}, {strips:?}: {outcome:?}, without TACK {plain:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {RUNS}: {failures:#?}", failures.len());
}

/// Conversations of each family.
const RUNS: u64 = 300;

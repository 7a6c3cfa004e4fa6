//! The shortest description of what fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ackless_tcp::{AckChoice, Config, CongestionChoice};
use ackless_wire::{Bytes, Duration, SeqNumber};

use super::case::{Case, Plan};
use super::net::{Link, Loss, Strip};
use super::reframe::Reframe;
use super::run::{Outcome, run};

/// Makes a failing case simpler as long as it fails, and returns it with what it says.
pub fn shrink(case: Case) -> (Case, String) {
    // This thread alone falls silent: the other tests of the binary have something to say.
    let (hook, here) = (Arc::new(std::panic::take_hook()), std::thread::current().id());
    let others = Arc::clone(&hook);
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() != here {
            others(panic);
        }
    }));
    let best = simplest(case);
    std::panic::set_hook(Box::new(move |panic| hook(panic)));
    best
}

fn simplest(case: Case) -> (Case, String) {
    let mut best = (case.clone(), attempt(&case).expect_err("only what fails is made simpler"));
    loop {
        let simpler = candidates(&best.0).into_iter().find_map(|case| {
            let said = attempt(&case).err()?;
            Some((case, said))
        });
        match simpler {
            Some(simpler) => best = simpler,
            None => return best,
        }
    }
}

/// What comes of a case, or what it fails with.
pub fn attempt(case: &Case) -> Result<Outcome, String> {
    catch_unwind(AssertUnwindSafe(|| run(case, false))).map_err(|cause| {
        let said = cause.downcast_ref::<String>().cloned();
        said.or_else(|| cause.downcast_ref::<&str>().map(|&said| said.to_owned())).unwrap_or_default()
    })
}

/// A case, and what is simpler in one respect.
struct Candidates<'a> {
    case: &'a Case,
    all: Vec<Case>,
}

impl Candidates<'_> {
    fn add(&mut self, change: impl Fn(&mut Case)) {
        let mut simpler = self.case.clone();
        change(&mut simpler);
        if format!("{simpler:?}") != format!("{:?}", self.case) {
            self.all.push(simpler);
        }
    }

    fn link(&mut self, end: usize) {
        self.add(|case| case.links[end].steps.clear());
        self.add(|case| case.links[end].steps.truncate(1));
        self.add(|case| case.links[end].jitter = Duration::ZERO);
        self.add(|case| case.links[end].rate = None);
        self.add(|case| case.links[end].queue = usize::MAX);
        self.add(|case| case.links[end].reordering = 0.0);
        self.add(|case| case.links[end].duplication = 0.0);
        self.add(|case| case.links[end].strip = Strip::NOTHING);
        self.add(|case| case.links[end].reframe = Reframe::NOTHING);
        self.add(|case| case.links[end].delay = Duration::from_millis(10));
        self.add(|case| case.links[end].loss = Loss::Single(0.0));
        for number in 0..40 {
            self.add(|case| {
                if matches!(case.links[end].loss, Loss::Single(p) if p > 0.0)
                    || matches!(case.links[end].loss, Loss::Bursts { .. })
                {
                    case.links[end].loss = Loss::Only([number, number]);
                }
            });
        }
    }

    fn config(&mut self, end: usize) {
        let default = Config::default();
        self.add(|case| case.configs[end].tack = None);
        self.add(|case| case.configs[end].tack = case.configs[end].tack.map(|_| Default::default()));
        self.add(|case| case.configs[end].congestion = CongestionChoice::Cubic);
        self.add(|case| case.configs[end].ack = AckChoice::default());
        self.add(|case| case.configs[end].recovery = default.recovery);
        self.add(|case| case.configs[end].pacing = default.pacing);
        self.add(|case| case.configs[end].mss = default.mss);
        self.add(|case| case.configs[end].initial_window = default.initial_window);
        self.add(|case| case.configs[end].slow_start_limit = None);
        self.add(|case| case.configs[end].idle_restart = true);
        self.add(|case| case.configs[end].nagle = true);
        self.add(|case| case.configs[end].sack = true);
        self.add(|case| case.configs[end].window_scaling = true);
        self.add(|case| case.configs[end].timestamps = default.timestamps);
        self.add(|case| case.configs[end].rto_min = default.rto_min);
        self.add(|case| case.configs[end].receive_buffer = default.receive_buffer);
        self.add(|case| case.configs[end].send_buffer = default.send_buffer);
        self.add(|case| case.configs[end].receive_buffer = Bytes(65_535));
    }
}

fn candidates(case: &Case) -> Vec<Case> {
    let mut all = Candidates { case, all: Vec::new() };
    all.add(|case| case.simultaneous = false);
    all.add(|case| case.iss = [SeqNumber(1000), SeqNumber(5000)]);
    all.add(|case| case.tick = Duration::from_millis(5));
    for end in [0, 1] {
        all.add(|case| case.links[end] = Link::of_delay(Duration::from_millis(10)));
        all.add(|case| case.configs[end] = Config { tack: case.configs[end].tack, ..plain(&case.configs[end]) });
        all.add(|case| case.plans[end] = Plan { chunk: 60_000, pauses: 0.0, rests: 0.0, ..case.plans[end] });
        for part in [0, 2, 4] {
            all.add(|case| case.plans[end].to_write = case.plans[end].to_write * part / 5);
        }
        all.add(|case| case.plans[end].to_write = case.plans[end].to_write.saturating_sub(1000));
        all.link(end);
        all.config(end);
    }
    all.all
}

/// The defaults, with what keeps a conversation over a bad path alive.
fn plain(config: &Config) -> Config {
    Config {
        consume: config.consume,
        syn_retries: config.syn_retries,
        retries: config.retries,
        time_wait: config.time_wait,
        ..Config::default()
    }
}

//! The saturation models against the process that they describe, played out slot by slot: what is left is the error of
//! their one assumption, that an attempt's chance to collide does not depend on the past.

use ackless_model::{Access, Contention, Counter, Link};
use ackless_phy::{Band, OfdmRate, Standard, TxVector};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration};

const PAYLOAD: Bytes = Bytes(1472);
const SEEDS: [u64; 2] = [1, 2];

/// When those who collided may transmit again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Return {
    /// A slot later than the others, as the freezing model has it.
    ASlotLate,
    /// Together with the others: a 0 drawn is used at once, before any other counter has stepped.
    WithTheOthers,
}

/// n saturated stations.
struct Cell {
    contention: Contention,
    access: Access,
    after_collision: Return,
    draws: Stream,
    stages: Vec<u32>,
    counters: Vec<u64>,
    elapsed: Duration,
    successes: u64,
    collisions: u64,
}

impl Cell {
    fn new(contention: Contention, access: Access, after_collision: Return, seed: u64) -> Self {
        let stations = contention.stations as usize;
        let mut cell = Self {
            contention,
            access,
            after_collision,
            draws: Stream::new(seed, 0, Purpose::Test),
            stages: vec![0; stations],
            counters: vec![0; stations],
            elapsed: Duration::ZERO,
            successes: 0,
            collisions: 0,
        };
        (0..stations).for_each(|station| cell.draw(station));
        cell
    }

    fn draw(&mut self, station: usize) {
        let window = (u64::from(self.contention.cw_min) + 1) << self.stages[station];
        self.counters[station] = self.draws.below(window.min(u64::from(self.contention.cw_max) + 1));
    }

    /// One virtual slot.
    fn step(&mut self) {
        let ready: Vec<usize> = (0..self.counters.len()).filter(|&station| self.counters[station] == 0).collect();
        match self.contention.counter {
            Counter::StepsAtBusy => {
                // The slot is over when the counters have stepped; who has sent draws for the next.
                self.counters.iter_mut().for_each(|counter| *counter = counter.saturating_sub(1));
                self.transmit(&ready);
            }
            Counter::Freezes => {
                let mut senders = ready.clone();
                while !senders.is_empty() {
                    self.transmit(&senders);
                    if senders.len() > 1 && self.after_collision == Return::ASlotLate {
                        senders.iter().for_each(|&station| self.counters[station] += 1);
                    }
                    // Nobody else's counter is 0: those who have just sent are alone in the slot after the wait.
                    senders.retain(|&station| self.counters[station] == 0);
                }
                // The idle slot that lets every counter step: after a busy period, or this one.
                self.elapsed += self.access.slot;
                self.counters.iter_mut().for_each(|counter| *counter -= 1);
            }
        }
    }

    fn transmit(&mut self, senders: &[usize]) {
        match senders {
            [] if self.contention.counter == Counter::StepsAtBusy => self.elapsed += self.access.slot,
            [] => {}
            [alone] => {
                self.elapsed += self.access.success;
                self.successes += 1;
                self.stages[*alone] = 0;
                self.draw(*alone);
            }
            several => {
                self.elapsed += self.access.collision;
                self.collisions += 1;
                for &station in several {
                    self.stages[station] = (self.stages[station] + 1).min(15);
                    self.draw(station);
                }
            }
        }
    }

    /// Successes and collisions in a second, over a run of this length.
    fn run(mut self, length: Duration) -> (f64, f64) {
        while self.elapsed < length {
            self.step();
        }
        let seconds = self.elapsed.as_secs_f64();
        (self.successes as f64 / seconds, self.collisions as f64 / seconds)
    }
}

fn access() -> Access {
    let link = Link::of(Standard::A, Band::Ghz5, TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5));
    Access::with_answer_timeout(&link, &link.longest_exchange(Bytes(1500)), PAYLOAD)
}

/// The model's successes and collisions per second over those of the played process, less 1, for each number of
/// stations and seed.
fn errors(counter: Counter, after_collision: Return) -> Vec<(u32, u64, f64, f64)> {
    let mut errors = Vec::new();
    for stations in [2, 5, 10, 20, 50] {
        let contention = Contention { stations, cw_min: 15, cw_max: 1023, counter };
        let model = contention.solve(&access());
        for seed in SEEDS {
            let (successes, collisions) =
                Cell::new(contention, access(), after_collision, seed).run(Duration::from_secs(200));
            let (success, collision) =
                (model.successes_per_second / successes - 1.0, model.collisions_per_second / collisions - 1.0);
            println!("{counter:?} {after_collision:?} n={stations} seed={seed}: {success:+.4} {collision:+.4}");
            errors.push((stations, seed, success, collision));
        }
    }
    errors
}

#[test]
fn bianchi_is_within_one_percent_of_counters_that_step_at_busy() {
    for (stations, seed, success, _) in errors(Counter::StepsAtBusy, Return::WithTheOthers) {
        assert!(success.abs() < 0.01, "{stations} stations, seed {seed}: throughput off by {success}");
    }
}

#[test]
fn the_freezing_model_is_within_one_percent_of_counters_that_freeze() {
    for (stations, seed, success, _) in errors(Counter::Freezes, Return::ASlotLate) {
        assert!(success.abs() < 0.01, "{stations} stations, seed {seed}: throughput off by {success}");
    }
}

#[test]
fn the_freezing_model_stays_within_one_and_a_half_percent_if_colliders_return_with_the_others() {
    for (stations, seed, success, _) in errors(Counter::Freezes, Return::WithTheOthers) {
        assert!(success.abs() < 0.015, "{stations} stations, seed {seed}: throughput off by {success}");
    }
}

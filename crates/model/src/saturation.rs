//! Saturated stations that contend: the fixed point of transmission and collision probability, and the throughput that
//! follows.
//!
//! Every station always has a frame, retries for ever, and doubles its window from W = CWmin + 1 to CWmax + 1. In a
//! *virtual slot*, the time from one step of the back-off counters to the next, it transmits with probability tau, and
//! meets another transmission with probability `p = 1 - (1 - tau)^(n - 1)`, which does not depend on its past: the
//! assumption of Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function" (2000). By
//! renewal (Bianchi and Tinnirello, "Remarks on IEEE 802.11 DCF performance analysis", 2005) tau is the number of
//! attempts over the number of virtual slots that they take: `1 / tau = sum over stages j of (1 - p) p^j s_j`, where
//! the last stage repeats and `s_j` is the mean number of slots from the choice of a counter at stage j to the
//! transmission, that one included.
//!
//! What the counter does around a busy medium decides `s_j` and the durations of the virtual slots:
//!
//! - [`Counter::StepsAtBusy`]: it steps once for a busy period as for an idle slot. So Bianchi has it, and so does
//!   EDCA, which steps at the boundary that ends AIFS (802.11-2020, 10.23.2.4). A counter drawn from 0 to W_j - 1 gives
//!   `s_j = (W_j + 1) / 2`. A busy slot lasts Ts or Tc.
//! - [`Counter::Freezes`]: it steps at the end of each slot that was idle, so a busy period and the idle slot after it
//!   together are one step: DCF (10.3.4.3). In the slot after DIFS no frozen counter is 0, so only the station that has
//!   just sent can use it. After a success it does so if it draws a 0, with probability 1 / W, and again after that: a
//!   success is a run of `1 / (1 - 1 / W)` exchanges on average, and the virtual slot lasts `Ts / (1 - 1 / W)` and an
//!   idle slot. The counter that ends the run is from 1 to W - 1, so `s_0 = W / 2`. After a collision the slot after
//!   the wait stays idle, since those who collided come back later than the others can: the virtual slot lasts Tc and
//!   an idle slot, and `s_j = (W_j + 1) / 2`. This is the model of Tinnirello, Bianchi and Xiao, "Refinements on IEEE
//!   802.11 distributed coordination function modeling approaches" (2010), after Foh and Tantra, "Comments on IEEE
//!   802.11 saturation throughput analysis with freezing of backoff counters" (2005).
//!
//! Not modelled: retry limits, losses other than collisions, capture, stations that do not hear each other, and what
//! EIFS does to some but not all of them.

use ackless_wire::{BitRate, Bytes, Duration};

use crate::exchange::{Exchange, Link};

/// Who contends, and by what rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contention {
    /// Stations with frames to send, at least 1.
    pub stations: u32,
    /// CWmin, 2^k - 1 with k at least 1.
    pub cw_min: u16,
    /// CWmax, 2^k - 1 and at least CWmin.
    pub cw_max: u16,
    /// What back-off counters do around a busy medium.
    pub counter: Counter,
}

/// What a back-off counter does around a busy medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// A busy period counts as one slot: Bianchi 2000, and EDCA.
    StepsAtBusy,
    /// The counter stands still until an idle slot has passed: DCF.
    Freezes,
}

/// What a success and a collision cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Application data that a success delivers: E\[P\].
    pub payload: Bytes,
    /// An idle slot.
    pub slot: Duration,
    /// Ts: from the start of a frame that is answered to the next moment at which a station may transmit or step its
    /// counter.
    pub success: Duration,
    /// Tc: the same for a collision.
    pub collision: Duration,
}

/// What the model says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Saturation {
    /// The chance that a station transmits in a virtual slot (a run of exchanges counting once).
    pub tau: f64,
    /// The chance that an attempt collides; in a run, that its first exchange does.
    pub collision_probability: f64,
    /// Application data delivered by all stations, rounded down.
    pub throughput: BitRate,
    /// Exchanges that succeed in a second.
    pub successes_per_second: f64,
    /// Collisions in a second, each of two frames or more.
    pub collisions_per_second: f64,
}

impl Contention {
    /// Solves the fixed point and gives the throughput.
    pub fn solve(&self, access: &Access) -> Saturation {
        let (tau, p) = self.fixed_point();
        let n = f64::from(self.stations);
        let idle = libm::pow(1.0 - tau, n);
        let alone = n * tau * libm::pow(1.0 - tau, n - 1.0);
        let together = (1.0 - idle - alone).max(0.0);
        let slot = access.slot.as_secs_f64();
        let (success, collision) = (access.success.as_secs_f64(), access.collision.as_secs_f64());
        let (run, step) = match self.counter {
            Counter::StepsAtBusy => (1.0, 0.0),
            Counter::Freezes => (1.0 / (1.0 - 1.0 / self.window(0)), slot),
        };
        let virtual_slot = idle * slot + alone * (success * run + step) + together * (collision + step);
        let successes_per_second = alone * run / virtual_slot;
        Saturation {
            tau,
            collision_probability: p,
            throughput: BitRate::from_bps((successes_per_second * access.payload.bits() as f64) as u64),
            successes_per_second,
            collisions_per_second: together / virtual_slot,
        }
    }

    /// tau and p: p rises with tau and tau falls with p, so there is one solution, which bisection finds to the last
    /// bits.
    fn fixed_point(&self) -> (f64, f64) {
        let others = f64::from(self.stations.saturating_sub(1));
        let collides = |p| 1.0 - libm::pow(1.0 - self.tau(p), others);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..BISECTIONS {
            let p = 0.5 * (low + high);
            if collides(p) > p {
                low = p;
            } else {
                high = p;
            }
        }
        let p = if others == 0.0 { 0.0 } else { 0.5 * (low + high) };
        (self.tau(p), p)
    }

    /// tau where an attempt collides with probability `p`.
    fn tau(&self, p: f64) -> f64 {
        let stages = self.stages();
        let mut reached = 1.0;
        let mut slots = 0.0;
        for stage in 0..stages {
            slots += (1.0 - p) * reached * self.slots_at(stage);
            reached *= p;
        }
        1.0 / (slots + reached * self.slots_at(stages))
    }

    /// s_j.
    fn slots_at(&self, stage: u32) -> f64 {
        match (self.counter, stage) {
            (Counter::Freezes, 0) => self.window(0) / 2.0,
            _ => (self.window(stage) + 1.0) / 2.0,
        }
    }

    /// W_j.
    fn window(&self, stage: u32) -> f64 {
        f64::from((u32::from(self.cw_min) + 1) << stage)
    }

    /// How often the window doubles: m.
    fn stages(&self) -> u32 {
        ((u32::from(self.cw_max) + 1) / (u32::from(self.cw_min) + 1)).max(1).ilog2()
    }
}

impl Access {
    /// The costs over `link`, where each station sends `exchange` with `payload` bytes in each packet: a success lasts
    /// data, SIFS, answer and wait; a collision lasts data, the time after which the answer is given up, and wait.
    pub fn with_answer_timeout(link: &Link, exchange: &Exchange, payload: Bytes) -> Self {
        let timeout = link.timing.answer_timeout(link.answer);
        Self::new(link, exchange, payload, exchange.data() + timeout + exchange.wait)
    }

    /// The costs with a collision as Bianchi (2000) has it: data and wait, as if every station saw the collision end as
    /// it sees any frame's end.
    pub fn with_bianchi_collision(link: &Link, exchange: &Exchange, payload: Bytes) -> Self {
        Self::new(link, exchange, payload, exchange.data() + exchange.wait)
    }

    fn new(link: &Link, exchange: &Exchange, payload: Bytes, collision: Duration) -> Self {
        Self {
            payload: payload * exchange.packets,
            slot: link.timing.slot,
            success: exchange.busy() + exchange.wait,
            collision,
        }
    }
}

/// Halvings of the interval in which p lies: past the precision of `f64`.
const BISECTIONS: u32 = 64;

#[cfg(test)]
mod tests;

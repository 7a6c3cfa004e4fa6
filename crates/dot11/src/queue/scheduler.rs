//! Which receiver's queue gets the next channel access.

use ackless_wire::{Duration, Instant};

mod airtime;
mod fcfs;
mod round_robin;
#[cfg(test)]
mod tests;

pub use airtime::Airtime;
pub use fcfs::Fcfs;
pub use round_robin::RoundRobin;

/// The rule by which receivers are served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SchedulerKind {
    /// One access each, in turn.
    #[default]
    RoundRobin,
    /// The receiver whose oldest frame came first.
    Fcfs,
    /// Equal shares of air time.
    Airtime,
}

/// Who is served next, of those that have something waiting.
///
/// [`update`](Self::update) says who has; [`pick`](Self::pick) chooses; [`charge`](Self::charge) says afterwards what it took.
/// A receiver that was picked and turns out to have nothing is reported by `update`, and another one picked.
#[derive(Clone, Debug)]
pub enum Scheduler {
    /// One access each.
    RoundRobin(RoundRobin),
    /// By age.
    Fcfs(Fcfs),
    /// By air time.
    Airtime(Airtime),
}

impl Scheduler {
    /// A scheduler for receivers 0 to `receivers - 1`, none of which has anything waiting.
    pub fn new(kind: SchedulerKind, receivers: usize) -> Self {
        match kind {
            SchedulerKind::RoundRobin => Self::RoundRobin(RoundRobin::new(receivers)),
            SchedulerKind::Fcfs => Self::Fcfs(Fcfs::new(receivers)),
            SchedulerKind::Airtime => Self::Airtime(Airtime::new(receivers)),
        }
    }

    /// Whether anything waits.
    pub fn any_ready(&self) -> bool {
        match self {
            Self::RoundRobin(round_robin) => round_robin.any_ready(),
            Self::Fcfs(fcfs) => fcfs.any_ready(),
            Self::Airtime(airtime) => airtime.any_ready(),
        }
    }

    /// Tells when the oldest frame for a receiver was queued; `None` if there is none.
    pub fn update(&mut self, receiver: usize, oldest: Option<Instant>) {
        match self {
            Self::RoundRobin(round_robin) => round_robin.update(receiver, oldest.is_some()),
            Self::Fcfs(fcfs) => fcfs.update(receiver, oldest),
            Self::Airtime(airtime) => airtime.update(receiver, oldest.is_some()),
        }
    }

    /// The receiver that gets the next access; `None` if nothing waits.
    pub fn pick(&mut self) -> Option<usize> {
        match self {
            Self::RoundRobin(round_robin) => round_robin.pick(),
            Self::Fcfs(fcfs) => fcfs.pick(),
            Self::Airtime(airtime) => airtime.pick(),
        }
    }

    /// Frames to a receiver, or from it, took this much air time.
    pub fn charge(&mut self, receiver: usize, used: Duration) {
        match self {
            Self::RoundRobin(_) | Self::Fcfs(_) => {}
            Self::Airtime(airtime) => airtime.charge(receiver, used),
        }
    }
}

//! Which receiver's queue gets the next channel access.

use std::collections::VecDeque;

use ackless_wire::{Duration, Instant};

/// The rule by which receivers are served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SchedulerKind {
    /// One access each, in turn.
    #[default]
    RoundRobin,
}

/// Who is served next, of those that have something waiting.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Receivers with something waiting, the next one first.
    ready: VecDeque<usize>,
    is_ready: Vec<bool>,
}

impl Scheduler {
    /// A scheduler for receivers 0 to `receivers - 1`, none of which has anything waiting.
    pub fn new(_kind: SchedulerKind, receivers: usize) -> Self {
        Self { ready: VecDeque::with_capacity(receivers), is_ready: vec![false; receivers] }
    }

    /// Whether anything waits.
    pub fn any_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Tells when the oldest frame for a receiver was queued; `None` if there is none.
    pub fn update(&mut self, receiver: usize, oldest: Option<Instant>) {
        if self.is_ready[receiver] == oldest.is_some() {
            return;
        }
        self.is_ready[receiver] = oldest.is_some();
        if oldest.is_some() {
            self.ready.push_back(receiver);
        } else {
            self.ready.retain(|&other| other != receiver);
        }
    }

    /// The receiver that gets the next access; it goes to the end of the turn.
    pub fn pick(&mut self) -> Option<usize> {
        let receiver = self.ready.pop_front()?;
        self.ready.push_back(receiver);
        Some(receiver)
    }

    /// An access took this much air time.
    pub fn charge(&mut self, _receiver: usize, _airtime: Duration) {}
}

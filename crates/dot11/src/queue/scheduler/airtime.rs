//! Air-time fairness: deficit round robin in units of air time.
//!
//! The scheduler of Høiland-Jørgensen et al., "Ending the Anomaly: Achieving Low Latency and Airtime Fairness in WiFi" (USENIX ATC
//! 2017), section 3.2, as Linux has it: a slow station gets as much of the air as a fast one, not as many frames.

use std::collections::VecDeque;

use ackless_wire::Duration;

/// Deficit round robin over the receivers that have something waiting, those that have just begun first.
#[derive(Clone, Debug)]
pub struct Airtime {
    receivers: Vec<Receiver>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    ready: usize,
}

#[derive(Clone, Copy, Debug)]
struct Receiver {
    /// What it may still use in this round, in nanoseconds.
    deficit: i64,
    has_frames: bool,
    /// Whether it stands in one of the lists.
    listed: bool,
}

impl Airtime {
    /// `receivers` that have nothing waiting.
    pub fn new(receivers: usize) -> Self {
        let receiver = Receiver { deficit: nanos(QUANTUM), has_frames: false, listed: false };
        Self {
            receivers: vec![receiver; receivers],
            new: VecDeque::with_capacity(receivers),
            old: VecDeque::with_capacity(receivers),
            ready: 0,
        }
    }

    /// Whether anything waits.
    pub fn any_ready(&self) -> bool {
        self.ready > 0
    }

    /// Tells whether a receiver has something waiting.
    pub fn update(&mut self, receiver: usize, has_frames: bool) {
        let state = &mut self.receivers[receiver];
        self.ready += usize::from(has_frames);
        self.ready -= usize::from(state.has_frames);
        state.has_frames = has_frames;
        if has_frames && !state.listed {
            state.listed = true;
            self.new.push_back(receiver);
        }
    }

    /// The receiver that has air time left in this round; it keeps its place until it has used that up.
    pub fn pick(&mut self) -> Option<usize> {
        if self.ready == 0 {
            return None;
        }
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let receiver = *list.front()?;
            let state = &mut self.receivers[receiver];
            if !state.has_frames {
                // One that was new waits out a round, or it could go first for ever by sending little at a time.
                list.pop_front();
                if from_new {
                    self.old.push_back(receiver);
                } else {
                    state.listed = false;
                }
            } else if state.deficit <= 0 {
                state.deficit += nanos(QUANTUM);
                list.pop_front();
                self.old.push_back(receiver);
            } else {
                return Some(receiver);
            }
        }
    }

    /// Frames to a receiver, or from it, took this much air time.
    ///
    /// Deviation: a debt is remembered up to 30 ms. Without that bound a station that only uploads for a minute would
    /// wait a minute of everybody's air time for its first packet down.
    pub fn charge(&mut self, receiver: usize, used: Duration) {
        let state = &mut self.receivers[receiver];
        state.deficit = state.deficit.saturating_sub_unsigned(used.as_nanos()).max(-nanos(MAX_DEBT));
    }
}

const fn nanos(span: Duration) -> i64 {
    span.as_nanos() as i64
}

/// What a receiver may use in a round: 300 us, as in the paper's implementation (ath9k's ATH_AIRTIME_QUANTUM). It decides how
/// finely accesses interleave, not the shares.
const QUANTUM: Duration = Duration::from_micros(300);
/// About six of the longest PPDUs.
const MAX_DEBT: Duration = Duration::from_millis(30);

//! First come, first served, over all queues as if they were one.

use ackless_wire::Instant;

/// The receiver whose oldest frame was queued first; of equals, the one with the lowest number.
///
/// A pick looks at every receiver: a hundred of them are two kilobytes read in order, once for each channel access.
#[derive(Clone, Debug)]
pub struct Fcfs {
    /// When each receiver's oldest frame was queued; [`Instant::FAR_FUTURE`] if it has none.
    oldest: Vec<Instant>,
    ready: usize,
}

impl Fcfs {
    /// `receivers` that have nothing waiting.
    pub fn new(receivers: usize) -> Self {
        Self { oldest: vec![Instant::FAR_FUTURE; receivers], ready: 0 }
    }

    /// Whether anything waits.
    pub fn any_ready(&self) -> bool {
        self.ready > 0
    }

    /// Tells when a receiver's oldest frame was queued.
    pub fn update(&mut self, receiver: usize, oldest: Option<Instant>) {
        let before = std::mem::replace(&mut self.oldest[receiver], oldest.unwrap_or(Instant::FAR_FUTURE));
        self.ready += usize::from(oldest.is_some());
        self.ready -= usize::from(before < Instant::FAR_FUTURE);
    }

    /// The receiver with the oldest frame.
    pub fn pick(&self) -> Option<usize> {
        if self.ready == 0 {
            return None;
        }
        let (receiver, _) = self.oldest.iter().enumerate().min_by_key(|&(_, oldest)| oldest)?;
        Some(receiver)
    }
}

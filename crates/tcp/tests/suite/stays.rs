//! The states that a BBR at A goes through, one after another, over a path of 12 Mbps and 20 ms each way.

use ackless_tcp::{BbrPhase, PathModel};
use ackless_wire::{Bytes, Duration, Instant};

use crate::pair::{A, FULL, Pair};

/// A state from when it is entered to when it is left, in milliseconds since the connection was established.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    pub phase: BbrPhase,
    pub from: f64,
    pub to: f64,
    /// Segments in flight at the end, just before the acknowledgement that ends it.
    pub inflight: u64,
    /// The least round trip and the window at the end.
    pub min_rtt: Option<Duration>,
    pub window: Bytes,
    /// The first window after it began.
    pub first_window: Bytes,
}

impl Stay {
    pub fn lasts(&self, millis: f64, within: f64) {
        assert!((self.to - self.from - millis).abs() <= within, "{millis} ms expected: {self:?}");
    }
}

/// All states that are left by `end`; `check` sees the model after each step.
pub fn stays(pair: &mut Pair, end: Instant, check: impl Fn(&PathModel, Instant)) -> Vec<Stay> {
    let mut stays = Vec::new();
    let (mut phase, mut from, mut first_window) = (BbrPhase::Startup, 0.0, Bytes::ZERO);
    loop {
        let (before, window) = (inflight(pair), pair.ends[A].congestion_window());
        let min_rtt = pair.ends[A].path_model(pair.now).and_then(|model| model.min_rtt);
        assert!(pair.step());
        if pair.now > end {
            return stays;
        }
        let model = pair.ends[A].path_model(pair.now).expect("BBR models the path");
        if model.phase != phase {
            let to = millis(pair.now);
            stays.push(Stay { phase, from, to, inflight: before, min_rtt, window, first_window });
            (phase, from, first_window) = (model.phase, to, pair.ends[A].congestion_window());
        }
        check(&model, pair.now);
    }
}

/// In milliseconds since the connection was established.
pub fn millis(now: Instant) -> f64 {
    now.saturating_since(ESTABLISHED).as_secs_f64() * 1e3
}

fn inflight(pair: &Pair) -> u64 {
    pair.ends[A].stats().data_segments_sent - pair.ends[A].bytes_acked().get() / FULL.get()
}

/// Since Pair begins at 10 ms, and SYNs have 60 bytes.
const ESTABLISHED: Instant = Instant::from_nanos(50_040_000);

//! CUBIC's window after one loss, against RFC 9438's equations computed here.

use ackless_tcp::{AckChoice, Config, CongestionChoice};
use ackless_wire::{Bytes, Duration};

use crate::pair::{A, B, FULL, Pair, Path};

/// RFC 9438, 5.1, 4.6 and 4.3.
const C: f64 = 0.4;
const BETA: f64 = 0.7;
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// What the equations say of the congestion avoidance stage that begins with a window of `start` segments.
struct Reference {
    max: f64,
    start: f64,
    prior: f64,
    /// W_est, advanced once for each round trip.
    estimate: f64,
}

impl Reference {
    /// Equations 1 and 2.
    fn cubic(&self, t: f64) -> f64 {
        let k = ((self.max - self.start) / C).cbrt();
        C * (t - k).powi(3) + self.max
    }

    /// Equation 4 over one round trip in which `acked` segments of a window of `window` are acknowledged.
    fn advance(&mut self, acked: f64, window: f64) {
        let alpha = if self.estimate >= self.prior { 1.0 } else { ALPHA };
        self.estimate += alpha * acked / window;
    }
}

#[derive(Debug)]
struct Outcome {
    round_trips: u32,
    cubic_governed: u32,
    reno_governed: u32,
    worst: f64,
}

/// Grows to about `segments` in slow start, loses one, and compares the window at every round trip for `span`.
fn follow(segments: u64, millis: u64, every: u32, span: Duration) -> Outcome {
    let config = Config {
        congestion: CongestionChoice::Cubic,
        ack: AckChoice::Delayed { every, timeout: Duration::from_millis(40) },
        receive_buffer: Bytes::from_kib(512 * 1024),
        ..Config::default()
    };
    let mut pair = Pair::new([config.clone(), config], Path::of_delay(millis / 2), 1);
    pair.ends[A].send_forever();
    pair.run_while(|pair| pair.ends[A].congestion_window() < FULL * segments);
    let next = pair.packets_sent(A);
    pair.paths[A].drop = vec![next + 3];
    let window = |pair: &Pair| pair.ends[A].congestion_window().get() as f64 / FULL.get() as f64;
    let acked = |pair: &Pair| pair.ends[A].bytes_acked().get() as f64 / FULL.get() as f64;
    let mut prior = window(&pair);
    while pair.ends[A].stats().fast_retransmits == 0 {
        prior = window(&pair);
        assert!(pair.step());
    }
    // The stage begins with the first acknowledgement that may move the window again.
    let reduced = window(&pair);
    assert!((reduced - prior * BETA).abs() < 1.0, "the window falls from {prior} to {reduced}");
    pair.run_while(|pair| window(pair) <= reduced);
    let begin = pair.now;
    let mut reference = Reference { max: prior, start: reduced, prior, estimate: reduced };
    let mut outcome = Outcome { round_trips: 0, cubic_governed: 0, reno_governed: 0, worst: 0.0 };
    while pair.now.saturating_since(begin) < span {
        let (before, width) = (acked(&pair), window(&pair));
        pair.run_for(Duration::from_millis(millis));
        reference.advance(acked(&pair) - before, (width + window(&pair)) / 2.0);
        let t = pair.now.saturating_since(begin).as_secs_f64();
        let (cubic, reno) = (reference.cubic(t), reference.estimate);
        let expected = cubic.max(reno);
        outcome.round_trips += 1;
        if cubic > reno {
            outcome.cubic_governed += 1
        } else {
            outcome.reno_governed += 1
        }
        let error = (window(&pair) / expected - 1.0).abs();
        assert!(error < 0.02, "after {t} s: {} segments, expected {expected} ({cubic}, {reno})", window(&pair));
        outcome.worst = outcome.worst.max(error);
    }
    assert_eq!(pair.ends[A].stats().fast_retransmits, 1);
    assert_eq!(pair.ends[B].stats().duplicate_segments, 0);
    outcome
}

#[test]
fn the_window_follows_equation_1_where_it_governs() {
    for every in [1, 2, 8] {
        let outcome = follow(1000, 100, every, Duration::from_secs(14));
        assert!(outcome.cubic_governed > 120, "{} of {}", outcome.cubic_governed, outcome.round_trips);
    }
}

#[test]
fn the_window_follows_reno_where_that_is_larger() {
    for every in [1, 2, 8] {
        let outcome = follow(40, 10, every, Duration::from_secs(2));
        assert!(outcome.reno_governed > 150, "{} of {}", outcome.reno_governed, outcome.round_trips);
    }
}

#[test]
fn the_window_passes_from_one_region_to_the_other() {
    let outcome = follow(100, 50, 2, Duration::from_secs(15));
    assert!(outcome.cubic_governed > 20 && outcome.reno_governed > 20, "{outcome:?}");
}

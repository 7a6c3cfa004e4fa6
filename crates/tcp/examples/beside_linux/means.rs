//! Means over seeds of a long transfer, ours beside the kernel's.

use std::collections::BTreeMap;

use ackless_wire::{BitRate, Bytes, Duration};

use crate::ours::{self, Hosts};
use crate::trace::{Scene, Trace};

/// Milliseconds, data packets, those that were sent again, and ACKs: what is compared.
type Outcome = [f64; 4];

/// Reads `means.csv`, runs ours for each of its lines, and says what both took.
pub fn table(text: &str, hosts: Hosts) -> Result<String, String> {
    let mut sums: BTreeMap<u64, (f64, Outcome, Outcome)> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let fields = line.split(',').map(|field| field.parse().ok()).collect::<Option<Vec<u64>>>();
        let Some(&[rate, delay, queue, loss, seed, bytes, took, data, again, acks]) = fields.as_deref() else {
            return Err(format!("line {}: not an outcome: {line}", index + 1));
        };
        let scene = Scene {
            rate: BitRate::from_bps(rate),
            delay: Duration::from_nanos(delay),
            queue: queue as usize,
            loss,
            seed,
            write: vec![(Duration::ZERO, Bytes(bytes))],
            ..Scene::default()
        };
        let trace = ours::trace(&scene, &Trace::default(), hosts);
        let ours = [
            trace.sender.last().map_or(0.0, |row| row.at.as_secs_f64() * 1e3),
            trace.data().len() as f64,
            trace.again() as f64,
            trace.acks.len() as f64,
        ];
        let kernel = [took as f64 / 1e6, data as f64, again as f64, acks as f64];
        let (runs, of_kernel, of_ours) = sums.entry(loss).or_default();
        *runs += 1.0;
        for at in 0..4 {
            of_kernel[at] += kernel[at];
            of_ours[at] += ours[at];
        }
    }
    let mut text = "\
lost at random  runs  took, ms                      sent again                  ACKs
                      Linux      ours     differ    Linux     ours    differ    Linux     ours    differ
"
    .to_owned();
    for (loss, (runs, kernel, ours)) in sums {
        text += &format!("{:>12.2} %  {runs:>4}", loss as f64 / 1e4);
        for at in [0, 2, 3] {
            let (kernel, ours) = (kernel[at] / runs, ours[at] / runs);
            let differ = if kernel > 0.0 { format!("{:+.1} %", 100.0 * (ours / kernel - 1.0)) } else { "-".to_owned() };
            text += &format!("  {kernel:>8.1} {ours:>8.1} {differ:>9}");
        }
        text += "\n";
    }
    Ok(text)
}
